/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that run on the finished rectangles of a matrix product, while these are in a near cache.
 *
 * A kernel without reductions that reads a product (or what an earlier such kernel made of it) at the index
 * it writes need not be a pass over memory of its own: its loops are put into the order of the product's
 * memory, none crosses the end of a row, and the GEMM's driver calls it for each rectangle that is done
 * (gemm.h). The kernel is the one that would have run alone, so results are the same bits.
 *
 * Values are written once, but for pads, which one step fills and another writes over. So the two steps may
 * meet at either's place: the kernel moves up to the product if all it reads is there by then and what it
 * writes over too, else the product moves down if nobody reads it in between. A product that nobody else
 * reads gathers in the memory of what the kernel makes of it, where that lies alike. */
#include "epilogue.h"
#include <string.h>

enum {
    LEAST_INNER = 8,      /* elements in a row from which on a call pays */
    MOST_KERNELS = 8,     /* of one product */
    MOST_TASKS = 16,      /* that a kernel of its own would have had need of */
    MOST_BYTES = 1 << 20, /* of values of the product's size that stay in a near cache together */
    MOST_STREAMS = 1      /* else: of them, besides the product */
};

/* ---- what is known of values ---- */

static void note(fxi_plan *plan, int number) {
    const fxi_step *s = &plan->steps.data[number];
    for (size_t k = 0; k < s->buffers.count; k++) {
        fxi_value_info *v = &plan->values.data[s->buffers.data[k]];
        int *last = fxi_step_writes(s, k) ? &v->written : &v->read;
        if (*last < number) *last = number;
        if (s->kind == FXI_STEP_GEMM && fxi_step_writes(s, k)) v->product = number;
    }
}

void fxi_epilogue_note(fxi_plan *plan, size_t first) {
    for (size_t i = first; i < plan->steps.count; i++) note(plan, (int)i);
}

bool fxi_epilogue_count_readers(fxi_plan *plan) {
    const fxi_fusion *f = &plan->fusion;
    int *last = fxi_alloc_zeroed(plan->values.count + 1, sizeof *last);
    if (!last) return false;
    for (size_t c = 0; c < f->clusters.count; c++)
        for (size_t i = 0; i < f->clusters.data[c]->entries.count; i++) {
            const fxi_entry *e = &f->entries.data[f->clusters.data[c]->entries.data[i]];
            if (e->state != FXI_ENTRY_LOAD || last[e->node->id] == (int)c + 1) continue;
            last[e->node->id] = (int)c + 1;
            plan->values.data[e->node->id].readers++;
        }
    fxi_free(last);
    return true;
}

/* ---- does the kernel suit? ---- */

static int64_t columns_of(const fxi_step *product) {
    return product->gemm.n;
}

/* Puts the loops in the order of an access's memory, unused ones first. False: the access does not go through
 * its memory element by element, each once. */
static bool sort_loops(const fxi_builder *b, const fxi_affine *at, int64_t size, int *order) {
    int n = 0;
    int64_t next = 1;
    for (int k = 0; k < b->loops.count; k++)
        if (b->loops.extent[k] == 1) order[n++] = k;
    for (int place = b->loops.count - 1; place >= n; place--) {
        int found = -1;
        for (int k = 0; k < b->loops.count; k++)
            if (b->loops.extent[k] != 1 && at->coef[k] == next) found = k;
        if (found < 0) return false;
        order[place] = found;
        next *= b->loops.extent[found];
    }
    return at->base == 0 && next == size;
}

/* Whether a loop ends where rows of the product end. */
static bool meets_rows(const fxi_builder *b, const fxi_affine *at, int64_t columns) {
    bool meets = columns == 1;
    for (int k = 0; k < b->loops.count; k++)
        meets |= b->loops.extent[k] != 1 && at->coef[k] * b->loops.extent[k] == columns;
    return meets;
}

/* Accesses are dense along the innermost loop, or do not move with it, and values of the product are seen at
 * one index only. */
static bool suits_accesses(const fxi_builder *b, const fxi_access_info *seen, int product, int inner) {
    for (size_t i = 0; i < b->accesses.count; i++) {
        const fxi_access_info *a = &b->accesses.data[i];
        if (a->value < 0) continue;
        const fxi_value_info *v = &b->plan->values.data[a->value];
        int64_t step = a->at.coef[inner];
        if (step != 1 && (step != 0 || a->store)) return false;
        if (a->store || v->product != product) continue;
        if (!v->aligned || memcmp(&a->at, &seen->at, sizeof a->at) != 0) return false;
        if (fxi_memory_bytes(a->dtype) != fxi_memory_bytes(v->dtype)) return false;
    }
    return true;
}

/* The innermost stretch of memory that every access walks as one, no longer than a row (columns 0: of any
 * length). */
static int64_t inner_extent(const fxi_builder *b, const int *order, int64_t columns) {
    int k = b->loops.count - 1;
    int64_t extent = b->loops.extent[order[k]];
    for (; k > 0 && extent != columns; k--) {
        int64_t outer = b->loops.extent[order[k - 1]];
        for (size_t i = 0; outer != 1 && i < b->accesses.count; i++) {
            const int64_t *coef = b->accesses.data[i].at.coef;
            if (coef[order[k - 1]] != coef[order[k]] * b->loops.extent[order[k]]) return extent;
        }
        extent *= outer;
    }
    return extent;
}

/* Not when the kernel alone would be spread over many more threads. */
static bool has_tasks(const fxi_builder *b, const fxi_step *product, int64_t elements) {
    int64_t wanted = fxi_size_min(fxi_kernel_tasks_wanted(b, elements), MOST_TASKS);
    return 2 * fxi_gemm_tasks(product->product) >= wanted;
}

/* ---- does it pay? ---- */

/* Whether the value that the kernel sees is wanted nowhere else. */
static bool reads_alone(const fxi_builder *b, const fxi_access_info *seen) {
    return b->plan->values.data[seen->value].readers == 1 && !b->plan->fusion.forced[seen->value];
}

/* Whether the product itself is wanted nowhere but in the kernel, and lies as the kernel's result does. */
static bool shares_memory(const fxi_builder *b, const fxi_step *product, const fxi_access_info *seen) {
    int value = product->buffers.data[2];
    const fxi_value_info *v = &b->plan->values.data[value];
    const fxi_access_info *store = &b->accesses.data[b->stores.data[0].access];
    return product->epilogues.count == 0 && seen->value == value && reads_alone(b, seen) &&
           b->stores.count == 1 && b->cluster->part < 0 &&
           memcmp(&store->at, &seen->at, sizeof store->at) == 0 &&
           fxi_memory_bytes(store->dtype) == fxi_memory_bytes(v->dtype);
}

/* Whether an access is the first that goes through as many elements of its value as the product has, and the
 * product's step has nothing to do with that value yet. */
static bool is_stream(const fxi_builder *b, size_t access, const fxi_step *product, int64_t size) {
    const fxi_access_info *a = &b->accesses.data[access];
    int64_t elements = 1;
    for (int k = 0; k < b->loops.count; k++)
        if (a->at.coef[k] != 0) elements *= b->loops.extent[k]; /* at most size */
    for (size_t i = 0; i < access; i++)
        if (b->accesses.data[i].value == a->value) return false;
    for (size_t k = 2; k < product->buffers.count; k++)
        if (product->buffers.data[k] == a->value) return false;
    return a->value >= 0 && elements == size;
}

/* Bytes of values of the product's size that its step touches already. */
static int64_t bytes_touched(const fxi_plan *plan, const fxi_step *product, int64_t size) {
    int64_t bytes = 0;
    for (size_t k = 2; k < product->buffers.count; k++) {
        const fxi_value_info *v = &plan->values.data[product->buffers.data[k]];
        if (v->node && fx_shape_size(&v->node->shape) >= size) bytes += size * fxi_memory_bytes(v->dtype);
    }
    return bytes;
}

/* Rectangles are short in their rows, and what else is read or written there comes from afar without the
 * processor's foresight: a pass of its own over long rows is then as fast. Measured, of a dense layer's time:
 * with the product's memory shared and at most one operand of its size, 1 to 5 % less, and as much where all
 * is small; with the product kept as well, the same; with several more streams, 10 % more. One of several
 * readers that is a single loop when it stands alone (an optimizer's update) has the same code for all sizes
 * then, which counts more. */
static bool pays(const fxi_builder *b, const fxi_access_info *seen, const fxi_step *product, int64_t size,
                 const int *order) {
    bool shared = shares_memory(b, product, seen);
    if (!reads_alone(b, seen) && inner_extent(b, order, 0) == size) return false;
    int64_t bytes = bytes_touched(b->plan, product, size), streams = 0;
    for (size_t i = 0; i < b->accesses.count; i++) {
        const fxi_access_info *a = &b->accesses.data[i];
        if ((a->store && shared) || !is_stream(b, i, product, size)) continue;
        bytes += size * fxi_memory_bytes(a->dtype);
        streams++;
    }
    return bytes <= MOST_BYTES || (shared && streams <= MOST_STREAMS);
}

static bool suits(const fxi_builder *b, const fxi_access_info *seen, int number, int *order) {
    const fxi_step *product = &b->plan->steps.data[number];
    int64_t size = fx_shape_size(&b->plan->values.data[seen->value].node->shape);
    if (!b->plan->values.data[seen->value].aligned || product->epilogues.count == MOST_KERNELS) return false;
    return size > 1 && b->loops.count > 0 && sort_loops(b, &seen->at, size, order) &&
           meets_rows(b, &seen->at, columns_of(product)) &&
           suits_accesses(b, seen, number, order[b->loops.count - 1]) &&
           pays(b, seen, product, size, order) &&
           inner_extent(b, order, columns_of(product)) >= LEAST_INNER && has_tasks(b, product, size);
}

/* ---- where they meet ---- */

/* Everything that the kernel reads is there when the product is, and nothing was written since to where it
 * writes: of a value made in parts, one may fill what the next overwrites. */
static bool can_move_up(const fxi_builder *b, int product) {
    for (size_t i = 0; i < b->accesses.count; i++) {
        const fxi_access_info *a = &b->accesses.data[i];
        if (a->value >= 0 && b->plan->values.data[a->value].written > product) return false;
    }
    return true;
}

/* Nobody reads what the product's step writes before the kernel does. */
static bool can_move_down(const fxi_plan *plan, int product) {
    const fxi_step *s = &plan->steps.data[product];
    for (size_t k = 0; k < s->buffers.count; k++)
        if (fxi_step_writes(s, k) && plan->values.data[s->buffers.data[k]].read > product) return false;
    return true;
}

/* The loops in the order found, and what the kernel's description must know. */
static void arrange(fxi_builder *b, const fxi_access_info *seen, int product, const int *order) {
    const fxi_loops loops = b->loops;
    const fxi_step *s = &b->plan->steps.data[product];
    for (size_t i = 0; i < b->accesses.count; i++) {
        const fxi_affine at = b->accesses.data[i].at;
        for (int k = 0; k < loops.count; k++) b->accesses.data[i].at.coef[k] = at.coef[order[k]];
    }
    for (int k = 0; k < loops.count; k++) {
        b->loops.extent[k] = loops.extent[order[k]];
        b->loops.reduce[k] = loops.reduce[order[k]];
        b->loops.group[k] = loops.group[order[k]];
    }
    b->columns = columns_of(s);
    b->seen = (int)(seen - b->accesses.data);
    b->grain = fxi_gemm_grain(s->product);
}

int fxi_epilogue_find(fxi_builder *b) {
    const fxi_cluster *c = b->cluster;
    if (b->plan->fusion.whole || c->core >= 0 || c->rows || fxi_kernel_has_words(b)) return -1;
    int order[FXI_LOOPS];
    for (size_t i = 0; i < b->accesses.count; i++) {
        const fxi_access_info *a = &b->accesses.data[i];
        if (a->store || a->value < 0) continue;
        int product = b->plan->values.data[a->value].product;
        if (product < 0 || (!can_move_up(b, product) && !can_move_down(b->plan, product)) ||
            !suits(b, a, product, order))
            continue;
        b->moves_up = can_move_up(b, product);
        arrange(b, a, product, order);
        return product;
    }
    return -1;
}

/* ---- joining ---- */

static bool reads(const fxi_step *kernel, int value) {
    for (size_t i = kernel->also; i < kernel->buffers.count; i++)
        if (kernel->buffers.data[i] == value && value != kernel->written) return true;
    return false;
}

/* Memory may change hands inside the step only between values that one kernel alone reads. */
static void settle_in_place(fxi_step *s) {
    for (size_t i = 0; i < s->epilogues.count; i++) {
        fxi_step *e = &s->epilogues.data[i];
        for (size_t k = 0; k < e->buffers.count && k < 64; k++) {
            int value = e->buffers.data[k];
            bool alone = value != s->buffers.data[0] && value != s->buffers.data[1];
            for (size_t j = 0; j < s->epilogues.count; j++)
                alone = alone && (i == j || !reads(&s->epilogues.data[j], value));
            if (!alone) e->in_place &= ~(UINT64_C(1) << k);
        }
    }
}

static bool add_buffer(fxi_step *s, int value) {
    for (size_t k = 0; k < s->buffers.count; k++)
        if (s->buffers.data[k] == value) return true;
    return FXI_PUSH(&s->buffers, value);
}

static void replace(fxi_step *s, int from, int to) {
    for (size_t k = 0; k < s->buffers.count; k++)
        if (s->buffers.data[k] == from) s->buffers.data[k] = to;
}

/* The product takes the place after all steps. */
static bool move_down(fxi_plan *plan, int *product) {
    const fxi_step moved = plan->steps.data[*product];
    if (!FXI_PUSH(&plan->steps, moved)) return false;
    memset(&plan->steps.data[*product], 0, sizeof moved);
    plan->steps.data[*product].kind = FXI_STEP_NOTHING;
    *product = (int)plan->steps.count - 1;
    return true;
}

bool fxi_epilogue_join(fxi_builder *b, int product, fxi_step *kernel) {
    fxi_plan *plan = b->plan;
    if (!b->moves_up && !move_down(plan, &product)) return false;
    fxi_step *s = &plan->steps.data[product];
    if (shares_memory(b, s, &b->accesses.data[b->seen])) {
        replace(kernel, s->buffers.data[2], kernel->written);
        s->buffers.data[2] = s->written = kernel->written;
        kernel->in_place = 0;
    }
    const fxi_access_info *store = &b->accesses.data[b->stores.data[0].access];
    plan->values.data[kernel->written].aligned =
        b->cluster->part < 0 && memcmp(&store->at, &b->accesses.data[b->seen].at, sizeof store->at) == 0;
    if (!FXI_RESERVE(&s->epilogues, s->epilogues.count + 1)) return false;
    for (size_t k = 0; k < kernel->buffers.count; k++)
        if (!add_buffer(s, kernel->buffers.data[k])) return false;
    s->epilogues.data[s->epilogues.count++] = *kernel;
    memset(kernel, 0, sizeof *kernel);
    settle_in_place(s);
    note(plan, product);
    return true;
}

void fxi_epilogue_close(fxi_plan *plan) {
    size_t kept = 0;
    for (size_t i = 0; i < plan->steps.count; i++)
        if (plan->steps.data[i].kind != FXI_STEP_NOTHING) plan->steps.data[kept++] = plan->steps.data[i];
    plan->steps.count = kept;
}
