/* SPDX-License-Identifier: Apache-2.0 */
/* From a cluster to a kernel description (kernel.h), its run-time parameters and its tiling.
 *
 *   collect   the accesses as linear functions of the loops
 *   collapse  neighbouring loops that every access walks as one
 *   choose    form and inner (vector) loop by what is contiguous
 *   describe  instructions in dependency order, parameters, tiling by fixed sizes
 *
 * A reduction that is long and has few results is cut in two kernels: partial results per fixed chunk, then their combination
 * with the epilogue. Chunks come from the shape alone, so bits do not depend on threads. */
#include "step.h"
#include <string.h>

enum {
    ROW_CHUNK = 16384,      /* elements one set of accumulators sums at most: bounds the error, gives tasks */
    ROW_STEPS = 512,        /* vectors one accumulator sums at most */
    COLUMN_CHUNK = 256,     /* rows one partial column sum covers, more when there are very many */
    TASK_WORK = 1 << 17,    /* weighted element operations worth a task of their own */
    INLINE_WORK = 400000,   /* less than this runs on the caller alone: waking a thread costs more */
    STREAM_BYTES = 16 << 20 /* outputs above half of a usual last-level cache bypass it */
};

typedef struct affine {
    int64_t base, coef[FXI_LOOPS];
} affine;

typedef struct access_info {
    affine at;      /* in elements */
    int value;      /* whose memory; -1: an index */
    fx_dtype dtype;
    bool before_core, store;
} access_info;

typedef struct builder {
    fxi_plan *plan;
    const fxi_cluster *cluster;
    fxi_loops loops;
    FXI_VEC(access_info) accesses;
    FXI_VEC(fxi_instr) instrs;
    FXI_VEC(const fx_tensor *) constants;
    int store;      /* access number */
    int partials;   /* value that holds the core's partial results, which are combined now; -1: none */
    affine at_partials; /* where */
    int reduce_value, reduce_index;
    bool arg;
    fxi_reduce_kind kind;
    fx_dtype reduce_dtype;
} builder;

/* ---- accesses ---- */

static affine affine_of(const fxi_index_map *map, int row) {
    affine a = {.base = map->offset[row]};
    memcpy(a.coef, map->coef[row], sizeof a.coef);
    return a;
}

static affine linear_of(const fxi_index_map *map, const fx_shape *shape) {
    fxi_index_map linear;
    fxi_map_linearize(map, shape, &linear);
    return affine_of(&linear, 0);
}

static int add_access(builder *b, const access_info *info) {
    for (size_t i = 0; i < b->accesses.count; i++) {
        const access_info *a = &b->accesses.data[i];
        if (!info->store && !a->store && a->value == info->value && a->dtype == info->dtype && a->before_core == info->before_core &&
            memcmp(&a->at, &info->at, sizeof a->at) == 0)
            return (int)i;
    }
    return FXI_PUSH(&b->accesses, *info) ? (int)b->accesses.count - 1 : -1;
}

/* ---- instructions, in dependency order ---- */

static const fxi_entry *entry_at(const builder *b, int e) { return &b->plan->fusion.entries.data[e]; }

static int resolve(const builder *b, int e) {
    while (entry_at(b, e)->state == FXI_ENTRY_ALIAS) e = entry_at(b, e)->args[0];
    return e;
}

/* Position of an entry (behind moves) in its cluster's list: index of the tables below. */
static int local(const builder *b, int e) { return entry_at(b, resolve(b, e))->local; }

static int add_constant(builder *b, const fx_tensor *tensor) {
    for (size_t i = 0; i < b->constants.count; i++)
        if (b->constants.data[i] == tensor) return (int)i;
    return FXI_PUSH(&b->constants, tensor) ? (int)b->constants.count - 1 : -1;
}

static bool leaf_instr(builder *b, const fxi_entry *e, fxi_instr *out) {
    const fx_node *n = e->node;
    const fxi_index_map *map = b->cluster->nest.maps.data[e->map];
    out->dtype = (uint8_t)e->dtype;
    if (e->state == FXI_ENTRY_LOAD && n->op == FX_OP_CONSTANT && fx_shape_size(&n->shape) == 1 && e->dtype == n->shape.dtype) {
        int constant = add_constant(b, fxi_node_attr(n, FXI_ATTR_VALUE)->u.tensor);
        out->kind = FXI_INSTR_CONSTANT;
        out->access = (uint16_t)constant;
        return constant >= 0;
    }
    access_info info;
    memset(&info, 0, sizeof info);
    info.dtype = e->dtype;
    info.before_core = e->before_core;
    info.value = e->state == FXI_ENTRY_INDEX ? -1 : (int)n->id;
    if (e->state == FXI_ENTRY_INDEX) {
        int axis = (int)fxi_node_int(n, FXI_ATTR_AXIS);
        info.at = affine_of(map, axis);
        out->kind = FXI_INSTR_INDEX;
    } else {
        info.at = linear_of(map, &n->shape);
        out->kind = FXI_INSTR_LOAD;
    }
    int access = add_access(b, &info);
    out->access = (uint16_t)access;
    return access >= 0;
}

/* The position along the reduced axis, as a value of its own. */
static bool add_position(builder *b, const fxi_entry *core) {
    access_info info;
    memset(&info, 0, sizeof info);
    info.at = affine_of(b->cluster->nest.maps.data[entry_at(b, core->args[0])->map], (int)fxi_node_int(core->node, FXI_ATTR_AXIS));
    info.value = -1;
    info.dtype = FX_S64;
    info.before_core = true;
    int access = add_access(b, &info);
    fxi_instr position;
    memset(&position, 0, sizeof position);
    position.kind = FXI_INSTR_INDEX;
    position.dtype = FX_S64;
    position.access = (uint16_t)access;
    b->reduce_index = (int)b->instrs.count;
    return access >= 0 && FXI_PUSH(&b->instrs, position);
}

static bool core_facts(builder *b, const fxi_entry *core) {
    const fx_node *n = core->node;
    b->arg = n->op == FX_OP_ARG_REDUCE;
    b->kind = (fxi_reduce_kind)fxi_node_int(n, FXI_ATTR_KIND);
    b->reduce_dtype = n->operands[0]->shape.dtype;
    return !b->arg || add_position(b, core);
}

static bool make_instr(builder *b, int e, const int *instr_of, fxi_instr *out) {
    const fxi_entry *entry = entry_at(b, e);
    memset(out, 0, sizeof *out);
    out->epilogue = b->cluster->core >= 0 && !entry->before_core;
    if (entry->state == FXI_ENTRY_LOAD || entry->state == FXI_ENTRY_INDEX) return leaf_instr(b, entry, out);
    out->dtype = (uint8_t)entry->node->shape.dtype;
    if (entry->state == FXI_ENTRY_CORE) {
        if (b->partials < 0) b->reduce_value = instr_of[local(b, entry->args[0])];
        if (!core_facts(b, entry)) return false;
        out->kind = b->arg ? FXI_INSTR_INDEX_RESULT : FXI_INSTR_RESULT;
        return true;
    }
    out->kind = FXI_INSTR_ELEMENT;
    out->element = fxi_element_of(entry->node);
    for (uint32_t i = 0; i < entry->node->operand_count; i++) out->args[i] = (uint16_t)instr_of[local(b, entry->args[i])];
    return true;
}

/* Loads of the same thing twice (through different moves) become one instruction. */
static int find_leaf(const builder *b, const fxi_instr *instr) {
    if (instr->kind == FXI_INSTR_ELEMENT || instr->kind == FXI_INSTR_RESULT || instr->kind == FXI_INSTR_INDEX_RESULT) return -1;
    for (size_t i = 0; i < b->instrs.count; i++)
        if (memcmp(&b->instrs.data[i], instr, sizeof *instr) == 0) return (int)i;
    return -1;
}

static bool add_instr(builder *b, int e, int *instr_of) {
    fxi_instr instr;
    if (!make_instr(b, e, instr_of, &instr)) return false;
    int same = find_leaf(b, &instr);
    instr_of[local(b, e)] = same >= 0 ? same : (int)b->instrs.count;
    return same >= 0 || FXI_PUSH(&b->instrs, instr);
}

/* Entries that need no other ones here: the core too, when its partial results are at hand. */
static bool is_leaf(const builder *b, int e) {
    fxi_entry_state state = entry_at(b, e)->state;
    return state == FXI_ENTRY_LOAD || state == FXI_ENTRY_INDEX || (state == FXI_ENTRY_CORE && b->partials >= 0);
}

/* Post-order over entries with an explicit stack: clusters are small, but their depth is the user's. */
static bool collect_instrs(builder *b, int root, int *instr_of, int *last) {
    FXI_VEC(int) stack = {0};
    bool ok = FXI_PUSH(&stack, resolve(b, root));
    while (ok && stack.count > 0) {
        int e = stack.data[stack.count - 1];
        size_t before = stack.count;
        if (instr_of[local(b, e)] < 0)
            for (int i = 2; i >= 0 && ok; i--) {
                int arg = entry_at(b, e)->args[i];
                if (arg >= 0 && !is_leaf(b, e) && instr_of[local(b, arg)] < 0) ok = FXI_PUSH(&stack, resolve(b, arg));
            }
        if (!ok || stack.count > before) continue;
        if (instr_of[local(b, e)] < 0) ok = add_instr(b, e, instr_of);
        stack.count--;
    }
    fxi_free(stack.data);
    *last = ok ? instr_of[local(b, root)] : -1;
    return ok;
}

/* ---- loops ---- */

static void remove_loop(builder *b, int loop) {
    int after = b->loops.count - loop - 1;
    memmove(&b->loops.extent[loop], &b->loops.extent[loop + 1], (size_t)after * sizeof b->loops.extent[0]);
    memmove(&b->loops.reduce[loop], &b->loops.reduce[loop + 1], (size_t)after * sizeof b->loops.reduce[0]);
    for (size_t i = 0; i < b->accesses.count; i++) {
        int64_t *coef = b->accesses.data[i].at.coef;
        memmove(&coef[loop], &coef[loop + 1], (size_t)after * sizeof *coef);
        coef[b->loops.count - 1] = 0;
    }
    b->loops.count--;
}

static bool mergeable(const builder *b, int p, int q) {
    if (b->loops.reduce[p] != b->loops.reduce[q]) return false;
    for (size_t i = 0; i < b->accesses.count; i++) {
        const int64_t *coef = b->accesses.data[i].at.coef;
        if (coef[p] != coef[q] * b->loops.extent[q]) return false;
    }
    return true;
}

/* A sum over nothing, whatever its other axes: one empty loop, since kernels divide flattened indices by the extents. */
static void merge_empty_reduction(builder *b) {
    int empty = -1;
    for (int k = 0; k < b->loops.count; k++)
        if (b->loops.reduce[k] && b->loops.extent[k] == 0) empty = k;
    for (int k = 0; k < b->loops.count && empty >= 0; k++)
        if (b->loops.reduce[k] && k != empty) b->loops.extent[k] = 1;
}

/* The order of loops of one class among themselves means nothing for values except where a reduction's order of accumulation is
 * fixed by it, which is why only neighbours are merged and nothing is reordered. */
static void collapse(builder *b) {
    merge_empty_reduction(b);
    for (int k = b->loops.count - 1; k >= 0; k--)
        if (b->loops.extent[k] == 1) remove_loop(b, k);
    for (int q = b->loops.count - 1; q > 0; q--)
        if (mergeable(b, q - 1, q)) {
            b->loops.extent[q] *= b->loops.extent[q - 1];
            remove_loop(b, q - 1);
        }
}

/* ---- form and inner loop ---- */

static int access_score(int64_t stride) { return stride == 1 ? 20 : stride == 0 ? 10 : 4; }

static int64_t loop_score(const builder *b, int loop) {
    int64_t score = 0, width = b->loops.extent[loop] < 16 ? b->loops.extent[loop] : 16;
    for (size_t i = 0; i < b->accesses.count; i++) {
        const access_info *a = &b->accesses.data[i];
        if (a->value < 0) continue;
        if (b->cluster->core >= 0 && !a->before_core) continue;
        score += access_score(a->at.coef[loop]) * (a->store ? 2 : 1);
    }
    return (score ? score : 1) * width;
}

static int choose_inner(const builder *b) {
    int best = -1;
    int64_t best_score = -1;
    for (int k = 0; k < b->loops.count; k++) {
        int64_t score = loop_score(b, k);
        if (score >= best_score) {
            best = k;
            best_score = score;
        }
    }
    return best;
}

/* ---- the description ---- */

typedef struct shape_of_kernel {
    int inner;                 /* loop or -1 */
    int outer[FXI_LOOPS], outer_count, reduce[FXI_LOOPS], reduce_count;
    int64_t outer_total, inner_extent, reduce_total;
    fxi_form form;
} shape_of_kernel;

static shape_of_kernel choose_form(const builder *b) {
    shape_of_kernel s = {.inner = choose_inner(b), .outer_total = 1, .inner_extent = 1, .reduce_total = 1};
    bool inner_reduces = s.inner >= 0 && b->loops.reduce[s.inner];
    s.form = b->cluster->core < 0 ? FXI_FORM_MAP : inner_reduces ? FXI_FORM_ROW : FXI_FORM_COLUMN;
    if (s.inner >= 0) s.inner_extent = b->loops.extent[s.inner];
    for (int k = 0; k < b->loops.count; k++) {
        if (k == s.inner) continue;
        if (b->loops.reduce[k]) {
            s.reduce[s.reduce_count++] = k;
            s.reduce_total *= b->loops.extent[k];
        } else {
            s.outer[s.outer_count++] = k;
            s.outer_total *= b->loops.extent[k];
        }
    }
    return s;
}

static bool is_wide(fx_dtype dtype) { return fx_dtype_bits(fx_dtype_real(dtype)) == 64; }

static int choose_lanes(const builder *b, const shape_of_kernel *s) {
    if (s->form == FXI_FORM_MAP && s->inner_extent == 1) return 1;
    bool wide = b->cluster->core >= 0 && is_wide(b->reduce_dtype);
    for (size_t i = 0; i < b->instrs.count; i++) wide |= is_wide((fx_dtype)b->instrs.data[i].dtype);
    return wide ? 8 : 16;
}

static int choose_unroll(const builder *b, const shape_of_kernel *s, int lanes) {
    static const struct { uint8_t map, row, column; size_t instrs; } table[] = {{4, 4, 8, 4}, {2, 4, 4, 10}, {1, 2, 2, 24}, {1, 1, 1, SIZE_MAX}};
    size_t row = 0;
    while (b->instrs.count > table[row].instrs) row++;
    int unroll = s->form == FXI_FORM_MAP ? table[row].map : s->form == FXI_FORM_ROW ? table[row].row : table[row].column;
    while (unroll > 1 && (int64_t)lanes * unroll >= 2 * s->inner_extent) unroll /= 2;
    return lanes == 1 || b->arg ? 1 : unroll;
}

static fxi_access describe_access(const access_info *a, const shape_of_kernel *s, int slot) {
    fxi_access out;
    memset(&out, 0, sizeof out);
    out.dtype = (uint8_t)a->dtype;
    out.buffer = (uint16_t)slot;
    int64_t inner = s->inner < 0 ? 0 : a->at.coef[s->inner];
    out.inner = inner == 0 ? FXI_STRIDE_ZERO : inner == 1 ? FXI_STRIDE_ONE : FXI_STRIDE_ANY;
    for (int k = 0; k < s->outer_count; k++) out.outer_mask |= (uint32_t)(a->at.coef[s->outer[k]] != 0) << k;
    for (int k = 0; k < s->reduce_count; k++) out.reduce_mask |= (uint32_t)(a->at.coef[s->reduce[k]] != 0) << k;
    return out;
}

/* Loads that walk the last outer loop element by element and the inner one in strides: transposed in tiles, where the element is
 * at most 8 bytes wide (a register lane). */
static bool reads_across(const access_info *a, const shape_of_kernel *s) {
    if (a->store || a->value < 0 || s->inner < 0 || s->outer_count == 0 || fxi_memory_bytes(a->dtype) > 8) return false;
    int64_t inner = a->at.coef[s->inner];
    return inner != 0 && inner != 1 && a->at.coef[s->outer[s->outer_count - 1]] == 1;
}

static bool wants_tiles(const builder *b, const shape_of_kernel *s) {
    const access_info *store = &b->accesses.data[b->store];
    if (s->form != FXI_FORM_MAP || s->inner < 0 || s->outer_count == 0 || s->inner_extent < 8 || store->at.coef[s->inner] != 1) return false;
    if (b->loops.extent[s->outer[s->outer_count - 1]] < 8) return false;
    for (size_t i = 0; i < b->accesses.count; i++)
        if (reads_across(&b->accesses.data[i], s)) return true;
    return false;
}

static int slot_of(fxi_step *step, int value) {
    for (size_t i = 0; i < step->buffers.count; i++)
        if (step->buffers.data[i] == value) return (int)i;
    return FXI_PUSH(&step->buffers, value) ? (int)step->buffers.count - 1 : -1;
}

/* head and arrays in one zeroed block: the key. */
static bool allocate_key(fxi_step *step, const fxi_kernel_head *h) {
    size_t accesses = h->accesses * sizeof(fxi_access), instrs = h->instrs * sizeof(fxi_instr);
    step->key_bytes = sizeof *h + accesses + instrs + h->stores * sizeof(fxi_store);
    char *block = fxi_alloc_zeroed(1, step->key_bytes);
    if (!block) return false;
    step->key = block;
    step->kernel.head = *h;
    memcpy(block, h, sizeof *h);
    step->kernel.accesses = (const fxi_access *)(void *)(block + sizeof *h);
    step->kernel.instrs = (const fxi_instr *)(void *)(block + sizeof *h + accesses);
    step->kernel.stores = (const fxi_store *)(void *)(block + sizeof *h + accesses + instrs);
    return true;
}

static void fill_params(const builder *b, const shape_of_kernel *s, fxi_step *step, int64_t part_stride) {
    const fxi_layout l = fxi_kernel_layout(&step->kernel.head);
    int64_t *p = step->params;
    for (size_t i = 0; i < step->buffers.count; i++) p[l.slots + (int)i] = step->buffers.data[i];
    for (int k = 0; k < s->outer_count; k++) p[l.extents + k] = b->loops.extent[s->outer[k]];
    for (int k = 0; k < s->reduce_count; k++) p[l.reduce_extents + k] = b->loops.extent[s->reduce[k]];
    p[l.part_stride] = part_stride;
    for (size_t i = 0; i < b->accesses.count; i++) {
        const access_info *a = &b->accesses.data[i];
        int64_t unit = a->value < 0 ? 1 : fxi_memory_bytes(a->dtype);
        int64_t *q = p + l.accesses + (int)i * l.access_size;
        *q++ = a->at.base * unit;
        for (int k = 0; k < s->outer_count; k++) *q++ = a->at.coef[s->outer[k]] * unit;
        for (int k = 0; k < s->reduce_count; k++) *q++ = a->at.coef[s->reduce[k]] * unit;
        *q = s->inner < 0 ? 0 : a->at.coef[s->inner] * unit;
    }
    for (size_t i = 0; i < b->constants.count; i++) {
        const fx_tensor *t = b->constants.data[i];
        if (fx_dtype_bits(t->shape.dtype) < 8) fxi_unpack(t->shape.dtype, t->data, 1, &p[l.constants + 2 * (int)i]);
        else memcpy(&p[l.constants + 2 * (int)i], t->data, (size_t)t->bytes);
    }
}

/* Every access of the written memory's possible twins is at the index that is written: the kernel may then write over an operand
 * that dies here. memory.c checks sizes. */
static bool reads_where_it_writes(const builder *b, int value) {
    const access_info *store = &b->accesses.data[b->store];
    for (size_t i = 0; i < b->accesses.count; i++) {
        const access_info *a = &b->accesses.data[i];
        if (a->store || a->value != value) continue;
        if (a->before_core || fxi_memory_bytes(a->dtype) != fxi_memory_bytes(store->dtype)) return false;
        if (memcmp(&a->at, &store->at, sizeof a->at) != 0) return false;
    }
    return true;
}

/* ---- tiling ---- */

static int64_t weight(const builder *b) {
    int64_t w = 1;
    for (size_t i = 0; i < b->instrs.count; i++) {
        const fxi_instr *n = &b->instrs.data[i];
        bool heavy = n->kind == FXI_INSTR_ELEMENT && n->element.op >= FX_OP_EXP && n->element.op <= FX_OP_BESSEL_I1E;
        w += heavy ? 8 : 1;
    }
    return w;
}

static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t at_least(int64_t a, int64_t b) { return a > b ? a : b; }

static bool strided_inner(const fxi_kernel *k) {
    for (int i = 0; i < k->head.accesses; i++)
        if (k->accesses[i].buffer != 0xffff && k->accesses[i].inner == FXI_STRIDE_ANY) return true;
    return false;
}

static int64_t count_tasks(const fxi_tiling *t) {
    return ceil_div(at_least(t->outer, 1), t->task_outer) * ceil_div(at_least(t->inner, 1), t->task_inner) *
           ceil_div(at_least(t->reduce, 1), t->task_reduce);
}

/* Parts of a reduction, each a task; the number of them. */
static int64_t tile_parts(const shape_of_kernel *s, fxi_tiling *t) {
    bool row = s->form == FXI_FORM_ROW;
    t->task_outer = 1;
    if (row) {
        t->task_inner = at_least(at_most(s->inner_extent, ROW_CHUNK), 1);
        t->task_reduce = at_most(s->reduce_total, at_least(at_most(ROW_CHUNK / at_least(s->inner_extent, 1), ROW_STEPS), 1));
    } else {
        int64_t chunk = COLUMN_CHUNK;
        while (chunk * chunk < s->reduce_total) chunk *= 2;
        t->task_reduce = at_most(s->reduce_total, chunk);
        t->task_inner = at_least(at_most(s->inner_extent, 2048), 1);
    }
    t->tasks = count_tasks(t);
    return ceil_div(s->reduce_total, t->task_reduce) * (row ? ceil_div(s->inner_extent, t->task_inner) : 1);
}

static bool needs_parts(const builder *b, const shape_of_kernel *s) {
    if (b->cluster->core < 0 || b->arg) return false;
    if (s->form == FXI_FORM_ROW) return s->inner_extent > ROW_CHUNK || s->reduce_total > ROW_STEPS || s->inner_extent * s->reduce_total > 2 * ROW_CHUNK;
    return s->reduce_total > 2 * COLUMN_CHUNK;
}

static void choose_tiling(const builder *b, const shape_of_kernel *s, fxi_step *step) {
    const fxi_kernel_head *h = &step->kernel.head;
    fxi_tiling *t = &step->tiling;
    int64_t w = weight(b), grain = (int64_t)h->lanes * h->unroll;
    *t = (fxi_tiling){.outer = s->outer_total, .inner = s->inner_extent, .reduce = s->reduce_total,
                      .task_outer = at_least(s->outer_total, 1), .task_inner = at_least(s->inner_extent, 1),
                      .task_reduce = at_least(s->reduce_total, 1), .tasks = 1};
    int64_t per_outer = w * s->inner_extent * (s->form == FXI_FORM_MAP ? 1 : s->reduce_total);
    if (h->partial) {
        tile_parts(s, t);
        return;
    }
    if (per_outer * s->outer_total >= INLINE_WORK) {
        int64_t elements = at_least(TASK_WORK / at_least(w, 1), 1);
        if (per_outer >= TASK_WORK && s->form != FXI_FORM_ROW) {
            t->task_outer = 1;
            int64_t columns = s->form == FXI_FORM_MAP ? elements : at_least(elements / at_least(s->reduce_total, 1), 512);
            t->task_inner = at_most(s->inner_extent, ceil_div(columns, grain) * grain);
        } else {
            t->task_outer = at_most(s->outer_total, at_least(TASK_WORK / at_least(per_outer, 1), 1));
        }
    }
    if (s->form == FXI_FORM_MAP && strided_inner(&step->kernel) && s->outer_count > 0) { /* two-dimensional cache blocks */
        t->block_outer = h->tile ? h->lanes : 16;
        t->block_inner = ceil_div(64, grain) * grain;
        t->run_outer = h->tile ? b->loops.extent[s->outer[s->outer_count - 1]] : s->outer_total;
        t->task_outer = at_most(s->outer_total, ceil_div(at_least(t->task_outer, 256), t->block_outer) * t->block_outer);
        t->task_inner = at_most(t->task_inner, ceil_div(512, t->block_inner) * t->block_inner);
    }
    t->tasks = count_tasks(t);
}

/* ---- assembling a step ---- */

static bool describe(builder *b, const shape_of_kernel *s, int value_instr, bool partial, int64_t part_stride, fxi_step *step) {
    fxi_kernel_head h;
    memset(&h, 0, sizeof h);
    h.form = (uint8_t)s->form;
    h.lanes = (uint8_t)choose_lanes(b, s);
    h.tile = wants_tiles(b, s);
    h.unroll = h.tile ? 1 : (uint8_t)choose_unroll(b, s, h.lanes);
    h.exact = s->inner_extent % (h.lanes * h.unroll) == 0;
    if (h.tile && h.exact && b->loops.extent[s->outer[s->outer_count - 1]] % h.lanes == 0) h.tile = 2;
    h.partial = partial;
    h.reduce_kind = (uint8_t)b->kind;
    h.reduce_arg = b->arg;
    h.reduce_dtype = (uint8_t)b->reduce_dtype;
    h.outer_loops = (uint8_t)s->outer_count;
    h.reduce_loops = (uint8_t)s->reduce_count;
    h.reduce_value = (uint16_t)b->reduce_value;
    h.reduce_index = (uint16_t)b->reduce_index;
    h.accesses = (uint16_t)b->accesses.count;
    h.constants = (uint16_t)b->constants.count;
    h.instrs = (uint16_t)b->instrs.count;
    h.stores = 1;
    for (size_t i = 0; i < b->accesses.count; i++)
        if (b->accesses.data[i].value >= 0 && slot_of(step, b->accesses.data[i].value) < 0) return false;
    h.buffers = (uint16_t)step->buffers.count;
    const access_info *store = &b->accesses.data[b->store];
    int64_t stored = s->outer_total * (s->form == FXI_FORM_ROW ? 1 : s->inner_extent);
    h.stream = s->form == FXI_FORM_MAP && h.exact && b->cluster->part < 0 && s->inner >= 0 && store->at.coef[s->inner] == 1 && store->at.base == 0 &&
               stored * fxi_memory_bytes(store->dtype) >= STREAM_BYTES && (size_t)store->value < b->plan->graph->nodes.count &&
               b->plan->fusion.forced[store->value];
    if (!allocate_key(step, &h)) return false;
    fxi_access *accesses = (fxi_access *)(void *)((char *)step->key + sizeof h);
    for (size_t i = 0; i < b->accesses.count; i++) {
        const access_info *a = &b->accesses.data[i];
        accesses[i] = describe_access(a, s, a->value < 0 ? 0xffff : slot_of(step, a->value));
        accesses[i].across = h.tile && reads_across(a, s);
    }
    memcpy(accesses + b->accesses.count, b->instrs.data, b->instrs.count * sizeof(fxi_instr));
    fxi_store *stores = (fxi_store *)(void *)((char *)(accesses + b->accesses.count) + b->instrs.count * sizeof(fxi_instr));
    stores[0] = (fxi_store){.value = (uint16_t)value_instr, .access = (uint16_t)b->store};
    step->param_count = fxi_kernel_layout(&h).count;
    step->params = fxi_alloc_zeroed((size_t)step->param_count, sizeof *step->params);
    if (!step->params) return false;
    fill_params(b, s, step, part_stride);
    choose_tiling(b, s, step);
    return true;
}

static bool add_store(builder *b, int value, fx_dtype dtype, const affine *at) {
    access_info info;
    memset(&info, 0, sizeof info);
    info.at = *at;
    info.value = value;
    info.dtype = dtype;
    info.store = true;
    b->store = add_access(b, &info);
    return b->store >= 0;
}

static void builder_free(builder *b) {
    fxi_free(b->accesses.data);
    fxi_free(b->instrs.data);
    fxi_free(b->constants.data);
}

/* Describes what the builder holds as one step. */
static bool finish_step(builder *b, const shape_of_kernel *s, bool partial, int value_instr, int64_t part_stride) {
    fxi_step *step = fxi_plan_add_step(b->plan, FXI_STEP_KERNEL, b->cluster->root);
    if (!step) return false;
    step->written = b->accesses.data[b->store].value;
    if (!describe(b, s, value_instr, partial, part_stride, step)) return false;
    for (size_t i = 0; i < step->buffers.count && i < 64 && !partial; i++)
        if (reads_where_it_writes(b, step->buffers.data[i])) step->in_place |= UINT64_C(1) << i;
    return true;
}

static builder builder_for(fxi_plan *plan, const fxi_cluster *cluster, int partials) {
    return (builder){.plan = plan, .cluster = cluster, .loops = cluster->nest.loops, .partials = partials, .store = -1};
}

static int *new_instr_table(const fxi_cluster *cluster) {
    int *table = fxi_alloc_zeroed(cluster->entries.count + 1, sizeof *table);
    for (size_t i = 0; table && i < cluster->entries.count; i++) table[i] = -1;
    return table;
}

/* Position of each result among the non-reduction loops, in order: how partial results lie in memory. */
static affine dense_results(const fxi_loops *loops, int64_t *count) {
    affine at;
    memset(&at, 0, sizeof at);
    *count = 1;
    for (int k = loops->count - 1; k >= 0; k--) {
        if (loops->reduce[k]) continue;
        at.coef[k] = *count;
        *count *= loops->extent[k];
    }
    return at;
}

/* Combination of partial results: the reduction loops shrink to one over the parts. */
static void loop_over_parts(builder *b, int64_t parts, int64_t results, const affine *dense) {
    int first = -1;
    for (int k = 0; k < b->loops.count; k++) {
        if (!b->loops.reduce[k]) continue;
        b->loops.extent[k] = first < 0 ? parts : 1;
        if (first < 0) first = k;
    }
    b->at_partials = *dense;
    b->at_partials.coef[first] = results;
}

static bool load_partials(builder *b, fx_dtype dtype) {
    access_info info;
    memset(&info, 0, sizeof info);
    info.at = b->at_partials;
    info.value = b->partials;
    info.dtype = dtype;
    info.before_core = true;
    int access = add_access(b, &info);
    fxi_instr load;
    memset(&load, 0, sizeof load);
    load.kind = FXI_INSTR_LOAD;
    load.dtype = (uint8_t)dtype;
    load.access = (uint16_t)access;
    b->reduce_value = 0;
    return access >= 0 && FXI_PUSH(&b->instrs, load);
}

static bool plan_parts(builder *first, const shape_of_kernel *shape, const int64_t parts, fx_dtype accumulator) {
    int64_t results;
    affine dense = dense_results(&first->cluster->nest.loops, &results);
    int64_t elements;
    if (!fxi_size_mul(results, parts, &elements)) return false;
    int temporary = fxi_plan_add_value(first->plan, accumulator, elements);
    if (temporary < 0) return false;
    const fxi_cluster *c = first->cluster;
    builder one = builder_for(first->plan, c, -1), two = builder_for(first->plan, c, temporary);
    int *table = new_instr_table(c), last;
    bool ok = table && collect_instrs(&one, entry_at(&one, c->core)->args[0], table, &last);
    if (ok) {
        ok = core_facts(&one, entry_at(&one, c->core));
        one.reduce_value = last;
        ok = ok && add_store(&one, temporary, accumulator, &dense);
    }
    if (ok) {
        collapse(&one);
        shape_of_kernel s = choose_form(&one);
        ok = s.form == shape->form && finish_step(&one, &s, true, last, results * fxi_memory_bytes(accumulator));
    }
    loop_over_parts(&two, parts, results, &dense);
    fxi_free(table);
    table = ok ? new_instr_table(c) : NULL;
    affine to = linear_of(c->nest.maps.data[c->store_map], &c->root->shape);
    ok = table && load_partials(&two, accumulator) && collect_instrs(&two, c->value, table, &last) &&
         add_store(&two, (int)c->root->id, c->root->shape.dtype, &to);
    if (ok) {
        collapse(&two);
        shape_of_kernel s = choose_form(&two);
        ok = finish_step(&two, &s, false, last, 0);
    }
    fxi_free(table);
    builder_free(&one);
    builder_free(&two);
    return ok;
}

/* The form that the partial kernel of this cluster takes, and its number of parts (1: no need). */
static int64_t count_parts(const builder *whole, shape_of_kernel *s) {
    builder b = builder_for(whole->plan, whole->cluster, -1);
    int *table = new_instr_table(whole->cluster), last;
    int64_t parts = -1, results;
    affine dense = dense_results(&whole->cluster->nest.loops, &results);
    if (table && collect_instrs(&b, entry_at(&b, whole->cluster->core)->args[0], table, &last)) {
        b.reduce_value = last;
        if (core_facts(&b, entry_at(&b, whole->cluster->core)) && add_store(&b, (int)whole->cluster->root->id, whole->cluster->root->shape.dtype, &dense)) {
            collapse(&b);
            *s = choose_form(&b);
            fxi_tiling t = {.outer = s->outer_total, .inner = s->inner_extent, .reduce = s->reduce_total};
            parts = needs_parts(&b, s) ? tile_parts(s, &t) : 1;
        }
    }
    fxi_free(table);
    builder_free(&b);
    return parts;
}

static bool plan_whole(builder *b) {
    const fxi_cluster *c = b->cluster;
    int *table = new_instr_table(c), last;
    affine to = linear_of(c->nest.maps.data[c->store_map], &c->root->shape);
    bool ok = table && collect_instrs(b, c->value, table, &last) && add_store(b, (int)c->root->id, c->root->shape.dtype, &to);
    if (ok) {
        collapse(b);
        shape_of_kernel s = choose_form(b);
        ok = finish_step(b, &s, false, last, 0);
    }
    fxi_free(table);
    return ok;
}

bool fxi_plan_kernel(fxi_plan *plan, const fxi_cluster *cluster, fx_error *err) {
    builder b = builder_for(plan, cluster, -1);
    shape_of_kernel s;
    int64_t parts = cluster->core >= 0 && fx_shape_size(&cluster->root->shape) > 0 ? count_parts(&b, &s) : 1;
    bool ok = parts > 1 ? plan_parts(&b, &s, parts, fxi_accumulator(plan->fusion.entries.data[cluster->core].node->operands[0]->shape.dtype))
                        : parts == 1 && plan_whole(&b);
    builder_free(&b);
    return ok || fxi_fail_memory(err, "kernel description");
}

bool fxi_plan_dense_copy(fxi_plan *plan, const fxi_cluster *cluster, int entry, const bool *wanted, int temporary, fx_error *err) {
    builder b = builder_for(plan, cluster, -1);
    for (int k = 0; k < b.loops.count; k++) {
        b.loops.reduce[k] = false;
        if (!wanted[k]) b.loops.extent[k] = 1;
    }
    int64_t count;
    affine dense = dense_results(&b.loops, &count);
    const fxi_entry *e = entry_at(&b, resolve(&b, entry));
    fxi_instr load;
    memset(&load, 0, sizeof load);
    bool ok = leaf_instr(&b, e, &load) && FXI_PUSH(&b.instrs, load) && add_store(&b, temporary, e->dtype, &dense);
    if (ok) {
        collapse(&b);
        shape_of_kernel s = choose_form(&b);
        ok = finish_step(&b, &s, false, 0, 0);
    }
    builder_free(&b);
    return ok || fxi_fail_memory(err, "kernel description");
}
