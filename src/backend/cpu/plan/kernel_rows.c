/* SPDX-License-Identifier: Apache-2.0 */
/* The description of a ROWS kernel: which sweep along a row computes what (kernel.h).
 *
 * A value's level is the most reductions that lie one above the other below it; sweep k computes values of
 * level k and earlier ones, and accumulates what results of level k + 1 reduce. What several sweeps want is
 * computed again where that costs about as much as a store and a load, else it is kept in a row buffer in
 * the first-level cache. Buffers are handed on as soon as their values have been read. A sweep with much code
 * runs its accumulation as a loop of its own over buffers, since accumulating needs four vectors at a time
 * for its order (and speed) and the rest does not.
 *
 * A row too long for buffers has none: everything is computed again, from tensors that the second-level cache
 * holds by then, unless that costs too much. */
#include "kernel_build.h"
#include <string.h>

enum {
    RECOMPUTED = 4,        /* cost up to which a value is computed again, and without buffers: */
    RECOMPUTED_LONG = 40,  /* exp, but not erf or pow; in units of an addition */
    COST_LIMIT = 1 << 12,
    LONG_SWEEP = 10,       /* instructions from which on accumulation is a loop of its own */
    BUFFER_BYTES = 1 << 16 /* of all row buffers, on the stack */
};

typedef struct rows {
    fxi_builder *b;
    const fxi_kernel_shape *s;
    int lanes;
    bool *along, *kept; /* per instruction: differs along the row; lies in a buffer */
    int *cost;
    int recomputed; /* the cost up to which a value is computed again */
    bool buffered;  /* others are kept in buffers; else there is no such kernel */
    int last; /* level */
} rows;

static unsigned lowest(unsigned bits) {
    return bits & (0u - bits);
}

/* ---- levels and costs ---- */

static int own_cost(const fxi_instr *n) {
    if (n->kind == FXI_INSTR_ELEMENT) return fxi_fusion_weight((fx_op)n->element.op);
    bool decoded = fx_dtype_is_float((fx_dtype)n->dtype) && fx_dtype_bits((fx_dtype)n->dtype) < 32;
    return 1 + decoded;
}

/* A kept operand costs a load. */
static int cost_of(const rows *r, int i) {
    const fxi_instr *n = &r->b->instrs.data[i];
    int cost = own_cost(n);
    for (int k = 0, count = fxi_instr_operands(n); k < count; k++)
        if (r->along[n->args[k]]) cost += r->kept[n->args[k]] ? 1 : r->cost[n->args[k]];
    return cost < COST_LIMIT ? cost : COST_LIMIT;
}

static void find_levels(rows *r) {
    for (size_t i = 0; i < r->b->instrs.count; i++) {
        fxi_instr *n = &r->b->instrs.data[i];
        n->level = 0;
        if (n->kind == FXI_INSTR_LOAD || n->kind == FXI_INSTR_INDEX)
            r->along[i] = r->b->accesses.data[n->access].at.coef[r->s->inner] != 0;
        for (int k = 0, count = fxi_instr_operands(n); k < count; k++) {
            const fxi_instr *arg = &r->b->instrs.data[n->args[k]];
            n->level = arg->level > n->level ? arg->level : n->level;
            r->along[i] |= r->along[n->args[k]] && n->kind != FXI_INSTR_RESULT;
        }
        n->level = (uint8_t)(n->level + (n->kind == FXI_INSTR_RESULT));
        r->last = n->level > r->last ? n->level : r->last;
        r->cost[i] = r->along[i] ? cost_of(r, (int)i) : 0;
    }
}

/* ---- who wants what ---- */

/* Sweeps by users, from the last instruction to the first; `decide`: chooses what is kept, too. */
static void find_sweeps(rows *r, bool decide) {
    fxi_instr *instrs = r->b->instrs.data;
    for (size_t i = 0; i < r->b->instrs.count; i++) instrs[i].sweeps = 0;
    for (size_t i = 0; i < r->b->stores.count; i++) {
        fxi_instr *n = &instrs[r->b->stores.data[i].value];
        if (r->along[r->b->stores.data[i].value]) n->sweeps |= (uint8_t)(1u << n->level);
    }
    for (size_t i = r->b->instrs.count; i-- > 0;) {
        const fxi_instr *n = &instrs[i];
        unsigned wanted = n->sweeps;
        if (n->kind == FXI_INSTR_RESULT) wanted = 1u << (n->level - 1);
        if (decide && wanted != lowest(wanted) && r->cost[i] > r->recomputed) r->kept[i] = true;
        if (r->kept[i]) wanted = lowest(wanted);
        for (int k = 0, count = fxi_instr_operands(n); k < count; k++)
            if (r->along[n->args[k]]) instrs[n->args[k]].sweeps |= (uint8_t)wanted;
    }
}

/* What is cheap given other kept values need not be kept. */
static void drop_buffers(rows *r) {
    for (size_t i = 0; i < r->b->instrs.count; i++) {
        if (!r->along[i]) continue;
        r->cost[i] = cost_of(r, (int)i);
        if (r->cost[i] <= r->recomputed) r->kept[i] = false;
    }
}

/* ---- loops of a sweep ---- */

/* Instructions that sweep k computes, rather than reads from a buffer. */
static int count_computed(const rows *r, int k) {
    int count = 0;
    for (size_t i = 0; i < r->b->instrs.count; i++) {
        unsigned sweeps = r->b->instrs.data[i].sweeps;
        count += (sweeps >> k & 1) && !(r->kept[i] && lowest(sweeps) != 1u << k);
    }
    return count;
}

/* Random words, of which four vectors share their work. */
static bool has_words(const rows *r, int k) {
    for (size_t i = 0; i < r->b->instrs.count; i++) {
        const fxi_instr *n = &r->b->instrs.data[i];
        bool words = n->kind == FXI_INSTR_ELEMENT && n->element.op == FX_OP_PHILOX;
        if (words && (n->sweeps >> k & 1)) return true;
    }
    return false;
}

static int shrink(const rows *r, int vectors) {
    while (vectors > 1 && (int64_t)r->lanes * vectors >= 2 * r->s->inner_extent) vectors /= 2;
    return vectors;
}

/* Most vectors that an accumulation of sweep k needs; *carried: values its accumulators come to. */
static int sums_of(const rows *r, int k, int *carried) {
    int most = 0;
    *carried = 0;
    for (size_t i = 0; i < r->b->instrs.count; i++) {
        const fxi_instr *n = &r->b->instrs.data[i];
        if (n->kind != FXI_INSTR_RESULT || n->level != k + 1) continue;
        int vectors = shrink(r, fxi_row_sums((fx_dtype)n->dtype, r->lanes));
        *carried += vectors * (fx_dtype_is_complex((fx_dtype)n->dtype) ? 2 : 1);
        most = vectors > most ? vectors : most;
    }
    return most;
}

/* Something is stored along the row in sweep k. */
static bool stores_row(const rows *r, int k) {
    for (size_t i = 0; i < r->b->stores.count; i++) {
        const fxi_store *s = &r->b->stores.data[i];
        if (r->b->accesses.data[s->access].at.coef[r->s->inner] != 0 &&
            r->b->instrs.data[s->value].level == k)
            return true;
    }
    return false;
}

static void keep_reduced(rows *r, int k) {
    for (size_t i = 0; i < r->b->instrs.count; i++) {
        const fxi_instr *n = &r->b->instrs.data[i];
        if (n->kind == FXI_INSTR_RESULT && n->level == k + 1 && r->along[n->args[0]])
            r->kept[n->args[0]] = true;
    }
}

static bool choose_loops(rows *r, fxi_kernel_head *h) {
    enum { CARRIED = 48 }; /* FXI_CARRIED of emit_loop.h */
    int most = 1, carried;
    for (int k = 0; k <= r->last; k++)
        if (r->buffered && sums_of(r, k, &carried) && count_computed(r, k) > LONG_SWEEP) {
            h->sums[k] = 1;
            keep_reduced(r, k);
        }
    find_sweeps(r, false);
    for (int k = 0; k <= r->last; k++) {
        int count = count_computed(r, k), sums = sums_of(r, k, &carried);
        if (carried > CARRIED) return false;
        bool apart = h->sums[k] != 0;
        int vectors = count <= 4 || has_words(r, k) ? 4 : count <= 10 ? 2 : 1;
        int values = sums && !apart ? sums : shrink(r, vectors);
        h->values[k] = (uint8_t)(count || stores_row(r, k) || (sums && !apart) ? values : 0);
        h->sums[k] = (uint8_t)(apart ? sums : 0);
        most = values > most ? values : most;
        most = sums > most ? sums : most;
    }
    h->chunked = r->s->inner_extent > FXI_ROW_CHUNK;
    h->sweeps = (uint8_t)(r->last + 1);
    h->unroll = (uint8_t)most;
    h->exact = r->s->inner_extent % ((int64_t)r->lanes * most) == 0;
    return true;
}

/* ---- buffers ---- */

/* The value in a buffer is read for the last time before value i, of sweep `first`, goes there. */
static bool is_over(const fxi_kernel_head *h, const fxi_instr *instrs, int before, int i, unsigned first) {
    unsigned later = instrs[before].sweeps & ~(first - 1);
    return later == 0 || (later == first && before < i && !h->sums[__builtin_ctz(first)]);
}

static bool assign_buffers(rows *r, fxi_kernel_head *h) {
    int holds[FXI_ROW_BUFFERS];
    fxi_instr *instrs = r->b->instrs.data;
    int64_t widest = 1, elements = 64;
    for (size_t i = 0; i < r->b->instrs.count; i++) instrs[i].buffer = 0;
    for (int k = 0; k <= r->last; k++)
        for (size_t i = 0; i < r->b->instrs.count; i++) {
            unsigned first = lowest(instrs[i].sweeps);
            if (!r->kept[i] || first != 1u << k) continue;
            int to = 0;
            while (to < h->row_buffers && !is_over(h, instrs, holds[to], (int)i, first)) to++;
            if (to == FXI_ROW_BUFFERS) return false;
            h->row_buffers = (uint8_t)(to == h->row_buffers ? to + 1 : h->row_buffers);
            holds[to] = (int)i;
            instrs[i].buffer = (uint8_t)(to + 1);
            widest = fxi_size_max(widest, fxi_register_bytes((fx_dtype)instrs[i].dtype));
        }
    if (h->row_buffers == 0) return true;
    if (!r->buffered) return false;
    for (h->row_power = 6; elements < r->s->inner_extent; h->row_power++) elements *= 2;
    return elements * widest * h->row_buffers <= BUFFER_BYTES;
}

/* ---- the whole ---- */

/* One loop along the row, dense for everything that is read or written along it. */
static bool accesses_suit(const rows *r) {
    if (r->s->inner < 0 || r->s->reduce_count > 0 || !r->b->loops.reduce[r->s->inner]) return false;
    for (size_t i = 0; i < r->b->accesses.count; i++) {
        int64_t stride = r->b->accesses.data[i].at.coef[r->s->inner];
        if (r->b->accesses.data[i].value >= 0 && stride != 0 && stride != 1) return false;
    }
    return true;
}

static bool arrange(rows *r, fxi_kernel_head *h, bool buffered) {
    size_t n = r->b->instrs.count;
    memset(r->kept, 0, n * sizeof *r->kept);
    memset(h->sums, 0, sizeof h->sums);
    h->row_buffers = h->row_power = 0;
    r->buffered = buffered;
    r->recomputed = buffered ? RECOMPUTED : RECOMPUTED_LONG;
    r->last = 0;
    find_levels(r);
    find_sweeps(r, true);
    drop_buffers(r);
    find_sweeps(r, false);
    return r->last < FXI_SWEEPS && choose_loops(r, h) && assign_buffers(r, h);
}

bool fxi_rows_arrange(fxi_builder *b, const fxi_kernel_shape *s, fxi_kernel_head *h) {
    fxi_arena arena = {0};
    size_t n = b->instrs.count + 1;
    rows r = {.b = b, .s = s, .lanes = h->lanes};
    r.along = fxi_arena_alloc(&arena, n, sizeof *r.along);
    r.kept = fxi_arena_alloc(&arena, n, sizeof *r.kept);
    r.cost = fxi_arena_alloc(&arena, n, sizeof *r.cost);
    bool ok = r.along && r.kept && r.cost && accesses_suit(&r);
    ok = ok && ((s->inner_extent <= FXI_ROW_CHUNK && arrange(&r, h, true)) || arrange(&r, h, false));
    fxi_arena_free(&arena);
    return ok;
}
