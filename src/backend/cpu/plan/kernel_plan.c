/* SPDX-License-Identifier: Apache-2.0 */
/* From a cluster to a kernel description (kernel.h), its run-time parameters and its tiling.
 *
 *   collect   the accesses as linear functions of the loops
 *   collapse  neighbouring loops that every access walks as one
 *   choose    form and inner (vector) loop by what is contiguous
 *   describe  instructions in dependency order, parameters, tiling by fixed sizes
 *
 * A reduction that is long and has few results is cut in two kernels: partial results per fixed chunk,
 * then their combination with the epilogue. Chunks come from the shape alone, so bits do not depend on
 * threads. */
#include "epilogue.h"
#include <string.h>

enum { STREAM_BYTES = 16 << 20 }; /* outputs above half of a usual last-level cache bypass it */

/* ---- the description ---- */

static fxi_step_class class_of(const fxi_access_info *a, int64_t inner) {
    if (inner == 0 || inner == 1) return inner ? FXI_STRIDE_ONE : FXI_STRIDE_ZERO;
    if (a->store || a->value < 0 || fx_dtype_is_complex(a->dtype)) return FXI_STRIDE_ANY;
    return inner == 2 ? FXI_STRIDE_TWO : inner == -1 ? FXI_STRIDE_BACK : FXI_STRIDE_ANY;
}

static fxi_access describe_access(const fxi_access_info *a, const fxi_kernel_shape *s, int slot) {
    fxi_access out;
    memset(&out, 0, sizeof out);
    out.dtype = (uint8_t)a->dtype;
    out.buffer = (uint16_t)slot;
    int64_t inner = s->inner < 0 ? 0 : a->at.coef[s->inner];
    out.inner = (uint8_t)class_of(a, inner);
    for (int k = 0; k < s->outer_count; k++) out.outer_mask |= (uint32_t)(a->at.coef[s->outer[k]] != 0) << k;
    for (int k = 0; k < s->reduce_count; k++)
        out.reduce_mask |= (uint32_t)(a->at.coef[s->reduce[k]] != 0) << k;
    return out;
}

/* Loads that walk the last outer loop element by element and the inner one in strides: transposed in
 * tiles, where the element is at most 8 bytes wide (a register lane). */
static bool reads_across(const fxi_access_info *a, const fxi_kernel_shape *s) {
    if (a->store || a->value < 0 || s->inner < 0 || s->outer_count == 0 || fxi_memory_bytes(a->dtype) > 8)
        return false;
    int64_t inner = a->at.coef[s->inner];
    return inner != 0 && inner != 1 && a->at.coef[s->outer[s->outer_count - 1]] == 1;
}

static const fxi_access_info *root_store(const fxi_builder *b) {
    return &b->accesses.data[b->stores.data[0].access];
}

static bool wants_tiles(const fxi_builder *b, const fxi_kernel_shape *s) {
    const fxi_access_info *store = root_store(b);
    if (s->form != FXI_FORM_MAP || s->inner < 0 || s->outer_count == 0 || s->inner_extent < 8 ||
        store->at.coef[s->inner] != 1)
        return false;
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

static void fill_params(const fxi_builder *b, const fxi_kernel_shape *s, fxi_step *step,
                        int64_t part_stride) {
    const fxi_layout l = fxi_kernel_layout(&step->kernel.head);
    int64_t *p = step->params;
    for (size_t i = 0; i < step->buffers.count; i++) p[l.slots + (int)i] = step->buffers.data[i];
    for (int k = 0; k < s->outer_count; k++) p[l.extents + k] = b->loops.extent[s->outer[k]];
    for (int k = 0; k < s->reduce_count; k++) p[l.reduce_extents + k] = b->loops.extent[s->reduce[k]];
    p[l.part_stride] = part_stride;
    for (size_t i = 0; i < b->accesses.count; i++) {
        const fxi_access_info *a = &b->accesses.data[i];
        int64_t unit = a->value < 0 ? 1 : fxi_memory_bytes(a->dtype);
        int64_t *q = p + l.accesses + (int)i * l.access_size;
        *q++ = a->at.base * unit;
        for (int k = 0; k < s->outer_count; k++) *q++ = a->at.coef[s->outer[k]] * unit;
        for (int k = 0; k < s->reduce_count; k++) *q++ = a->at.coef[s->reduce[k]] * unit;
        *q = s->inner < 0 ? 0 : a->at.coef[s->inner] * unit;
    }
    for (size_t i = 0; i < b->constants.count; i++) {
        const fx_tensor *t = b->constants.data[i];
        if (fxi_dtype_is_packed(t->shape.dtype))
            fxi_unpack(t->shape.dtype, t->data, 1, &p[l.constants + 2 * (int)i]);
        else
            memcpy(&p[l.constants + 2 * (int)i], t->data, (size_t)t->bytes);
    }
}

/* Of a ROWS: whether a later sweep than the one that stores the root reads the access. */
static bool is_read_later(const fxi_builder *b, int access) {
    const fxi_instr *stored = &b->instrs.data[b->stores.data[0].value];
    for (size_t i = 0; i < b->instrs.count; i++) {
        const fxi_instr *n = &b->instrs.data[i];
        if (n->kind == FXI_INSTR_LOAD && n->access == access && n->sweeps >> stored->level >> 1) return true;
    }
    return false;
}

/* Every access of the written memory's possible twins is at the index that is written: the kernel may then
 * write over an operand that dies here. memory.c checks sizes. */
static bool reads_where_it_writes(const fxi_builder *b, int value) {
    const fxi_access_info *store = root_store(b);
    for (size_t i = 0; i < b->accesses.count; i++) {
        const fxi_access_info *a = &b->accesses.data[i];
        if (a->store || a->value != value) continue;
        if (a->before_core || fxi_memory_bytes(a->dtype) != fxi_memory_bytes(store->dtype)) return false;
        if (b->cluster->rows && is_read_later(b, (int)i)) return false;
        if (memcmp(&a->at, &store->at, sizeof a->at) != 0) return false;
    }
    return true;
}

/* ---- words of random bits ---- */

/* Whether the index runs by ones along the inner loop from a multiple of `words`. */
static bool is_run(const fxi_access_info *a, const fxi_kernel_shape *s, int64_t words) {
    if (s->inner < 0 || a->at.coef[s->inner] != 1 || a->at.base % words != 0) return false;
    for (int k = 0; k < s->outer_count; k++)
        if (a->at.coef[s->outer[k]] % words != 0) return false;
    for (int k = 0; k < s->reduce_count; k++)
        if (s->reduce[k] != s->inner && a->at.coef[s->reduce[k]] % words != 0) return false;
    return true;
}

static void mark_runs(fxi_builder *b, const fxi_kernel_shape *s, const fxi_kernel_head *h) {
    for (size_t i = 0; i < b->instrs.count; i++) {
        fxi_instr *n = &b->instrs.data[i];
        if (n->kind != FXI_INSTR_ELEMENT || n->element.op != FX_OP_PHILOX) continue;
        const fxi_instr *index = &b->instrs.data[n->args[3]];
        unsigned group = fxi_emit_philox_group(&n->element);
        n->run = index->kind == FXI_INSTR_INDEX && h->lanes > 1 && !h->tile && h->unroll % group == 0 &&
                 is_run(&b->accesses.data[index->access], s, group);
    }
}

/* ---- assembling a step ---- */

/* Vectors, masks and what else depends on the form. */
static bool choose_code(fxi_builder *b, const fxi_kernel_shape *s, fxi_kernel_head *h) {
    h->form = (uint8_t)s->form;
    h->lanes = (uint8_t)fxi_kernel_lanes(b, s);
    if (s->form == FXI_FORM_ROWS) return fxi_rows_arrange(b, s, h);
    h->tile = wants_tiles(b, s);
    h->unroll = h->tile ? 1 : (uint8_t)fxi_kernel_unroll(b, s, h->lanes);
    h->exact = s->inner_extent % (h->lanes * h->unroll) == 0 &&
               (!b->columns || b->grain % (h->lanes * h->unroll) == 0);
    if (h->tile && h->exact && b->loops.extent[s->outer[s->outer_count - 1]] % h->lanes == 0) h->tile = 2;
    return true;
}

/* Stores that bypass the cache: of a large output, dense along the inner loop. */
static bool wants_stream(const fxi_builder *b, const fxi_kernel_shape *s, const fxi_kernel_head *h) {
    const fxi_access_info *store = root_store(b);
    bool form = s->form == FXI_FORM_MAP || (s->form == FXI_FORM_ROWS && b->stores.count == 1);
    return !b->plan->inner && !b->columns && form && h->exact && b->cluster->part < 0 && s->inner >= 0 &&
           store->at.coef[s->inner] == 1 && store->at.base == 0 &&
           s->outer_total * s->inner_extent * fxi_memory_bytes(store->dtype) >= STREAM_BYTES &&
           (size_t)store->value < b->plan->graph->nodes.count && b->plan->fusion.forced[store->value];
}

static bool describe(fxi_builder *b, const fxi_kernel_shape *s, bool partial, int64_t part_stride,
                     fxi_step *step) {
    fxi_kernel_head h;
    memset(&h, 0, sizeof h);
    if (!choose_code(b, s, &h)) return false;
    h.partial = partial;
    h.rows = (uint8_t)s->rows; /* parts are multiples of them */
    h.rows_exact = s->rows > 0 && s->reduce_total % s->rows == 0;
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
    h.stores = (uint16_t)b->stores.count;
    step->also = (uint32_t)b->stores.count - 1;
    for (size_t i = 1; i < b->stores.count; i++)
        if (slot_of(step, b->accesses.data[b->stores.data[i].access].value) < 0) return false;
    for (size_t i = 0; i < b->accesses.count; i++)
        if (b->accesses.data[i].value >= 0 && slot_of(step, b->accesses.data[i].value) < 0) return false;
    h.buffers = (uint16_t)step->buffers.count;
    h.stream = wants_stream(b, s, &h);
    if (!allocate_key(step, &h)) return false;
    fxi_access *accesses = (fxi_access *)(void *)((char *)step->key + sizeof h);
    for (size_t i = 0; i < b->accesses.count; i++) {
        const fxi_access_info *a = &b->accesses.data[i];
        accesses[i] = describe_access(a, s, a->value < 0 ? 0xffff : slot_of(step, a->value));
        accesses[i].across = h.tile && reads_across(a, s);
    }
    mark_runs(b, s, &h);
    memcpy(accesses + b->accesses.count, b->instrs.data, b->instrs.count * sizeof(fxi_instr));
    memcpy((char *)(accesses + b->accesses.count) + b->instrs.count * sizeof(fxi_instr), b->stores.data,
           b->stores.count * sizeof(fxi_store));
    step->param_count = fxi_kernel_layout(&h).count;
    step->params = fxi_alloc_zeroed((size_t)step->param_count, sizeof *step->params);
    if (!step->params) return false;
    fill_params(b, s, step, part_stride);
    fxi_kernel_tiling(b, s, step);
    return true;
}

/* Writes what an instruction gives (nothing of its own in a kernel that writes its accumulators). */
static bool add_store(fxi_builder *b, int value, fx_dtype dtype, const fxi_affine *at, int instr) {
    fxi_access_info info;
    memset(&info, 0, sizeof info);
    info.at = *at;
    info.value = value;
    info.dtype = dtype;
    info.store = true;
    int access = fxi_builder_access(b, &info);
    const fxi_store store = {.value = (uint16_t)instr, .access = (uint16_t)access};
    return access >= 0 && FXI_PUSH(&b->stores, store);
}

static void builder_free(fxi_builder *b) {
    fxi_free(b->accesses.data);
    fxi_free(b->instrs.data);
    fxi_free(b->constants.data);
    fxi_free(b->stores.data);
}

/* Describes what the builder holds as that step. */
static bool fill_step(fxi_builder *b, const fxi_kernel_shape *s, bool partial, int64_t part_stride,
                      fxi_step *step) {
    step->written = root_store(b)->value;
    if (!describe(b, s, partial, part_stride, step)) return false;
    for (size_t i = step->also; i < step->buffers.count && i < 64 && !partial; i++)
        if (reads_where_it_writes(b, step->buffers.data[i])) step->in_place |= UINT64_C(1) << i;
    return true;
}

static bool finish_step(fxi_builder *b, const fxi_kernel_shape *s, bool partial, int64_t part_stride) {
    fxi_step *step = fxi_plan_add_step(b->plan, FXI_STEP_KERNEL, b->cluster->root);
    return step && fill_step(b, s, partial, part_stride, step);
}

static fxi_builder builder_for(fxi_plan *plan, const fxi_cluster *cluster, int partials) {
    fxi_builder b = {.plan = plan, .cluster = cluster, .loops = cluster->nest.loops, .partials = partials};
    for (int k = 0; k < b.loops.count && cluster->rows; k++)
        b.loops.reduce[k] = b.loops.group[k] == FXI_ROW_LOOP;
    return b;
}

static int *new_instr_table(const fxi_cluster *cluster) {
    int *table = fxi_alloc_zeroed(cluster->entries.count + 1, sizeof *table);
    for (size_t i = 0; table && i < cluster->entries.count; i++) table[i] = -1;
    return table;
}

/* Position of each result among the non-reduction loops, in order: how partial results lie in memory. */
static fxi_affine dense_results(const fxi_loops *loops, int64_t *count) {
    fxi_affine at;
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
static void loop_over_parts(fxi_builder *b, int64_t parts, int64_t results, const fxi_affine *dense) {
    int first = -1;
    for (int k = 0; k < b->loops.count; k++) {
        if (!b->loops.reduce[k]) continue;
        b->loops.extent[k] = first < 0 ? parts : 1;
        if (first < 0) first = k;
    }
    b->at_partials = *dense;
    b->at_partials.coef[first] = results;
}

static bool load_partials(fxi_builder *b, fx_dtype dtype) {
    fxi_access_info info;
    memset(&info, 0, sizeof info);
    info.at = b->at_partials;
    info.value = b->partials;
    info.dtype = dtype;
    info.before_core = true;
    int access = fxi_builder_access(b, &info);
    fxi_instr load;
    memset(&load, 0, sizeof load);
    load.kind = FXI_INSTR_LOAD;
    load.dtype = (uint8_t)dtype;
    load.access = (uint16_t)access;
    b->reduce_value = 0;
    return access >= 0 && FXI_PUSH(&b->instrs, load);
}

static bool plan_parts(fxi_builder *first, const fxi_kernel_shape *shape, const int64_t parts,
                       fx_dtype accumulator) {
    int64_t results;
    fxi_affine dense = dense_results(&first->cluster->nest.loops, &results);
    int64_t elements;
    if (!fxi_size_mul(results, parts, &elements)) return false;
    int temporary = fxi_plan_add_value(first->plan, accumulator, elements);
    if (temporary < 0) return false;
    const fxi_cluster *c = first->cluster;
    fxi_builder one = builder_for(first->plan, c, -1), two = builder_for(first->plan, c, temporary);
    int *table = new_instr_table(c), last;
    bool ok = table && fxi_builder_collect(&one, fxi_builder_entry(&one, c->core)->args[0], table, &last);
    if (ok) {
        ok = fxi_builder_core(&one, fxi_builder_entry(&one, c->core));
        one.reduce_value = last;
        ok = ok && add_store(&one, temporary, accumulator, &dense, last);
    }
    if (ok) {
        fxi_builder_collapse(&one);
        fxi_kernel_shape s = fxi_kernel_form(&one);
        ok = s.form == shape->form &&
             finish_step(&one, &s, true, results * fxi_memory_bytes(accumulator));
    }
    loop_over_parts(&two, parts, results, &dense);
    fxi_free(table);
    table = ok ? new_instr_table(c) : NULL;
    fxi_affine to = fxi_affine_linear(c->nest.maps.data[c->store_map], &c->root->shape);
    ok = table && load_partials(&two, accumulator) && fxi_builder_collect(&two, c->value, table, &last) &&
         add_store(&two, (int)c->root->id, c->root->shape.dtype, &to, last);
    if (ok) {
        fxi_builder_collapse(&two);
        fxi_kernel_shape s = fxi_kernel_form(&two);
        ok = finish_step(&two, &s, false, 0);
    }
    fxi_free(table);
    builder_free(&one);
    builder_free(&two);
    return ok;
}

/* The form that the partial kernel of this cluster takes, and its number of parts (1: no need). */
static int64_t count_parts(const fxi_builder *whole, fxi_kernel_shape *s) {
    fxi_builder b = builder_for(whole->plan, whole->cluster, -1);
    int *table = new_instr_table(whole->cluster), last;
    int64_t parts = -1, results;
    fxi_affine dense = dense_results(&whole->cluster->nest.loops, &results);
    if (table &&
        fxi_builder_collect(&b, fxi_builder_entry(&b, whole->cluster->core)->args[0], table, &last)) {
        b.reduce_value = last;
        if (fxi_builder_core(&b, fxi_builder_entry(&b, whole->cluster->core)) &&
            add_store(&b, (int)whole->cluster->root->id, whole->cluster->root->shape.dtype, &dense, last)) {
            fxi_builder_collapse(&b);
            *s = fxi_kernel_form(&b);
            fxi_tiling t = {.outer = s->outer_total, .inner = s->inner_extent, .reduce = s->reduce_total};
            parts = fxi_kernel_needs_parts(&b, s) ? fxi_kernel_tile_parts(s, &t) : 1;
        }
    }
    fxi_free(table);
    builder_free(&b);
    return parts;
}

/* Everything that a kernel of the whole cluster needs. */
static bool collect_whole(fxi_builder *b) {
    const fxi_cluster *c = b->cluster;
    int *table = new_instr_table(c), last;
    fxi_affine to = fxi_affine_linear(c->nest.maps.data[c->store_map], &c->root->shape);
    bool ok = table && fxi_builder_collect(b, c->value, table, &last) &&
              add_store(b, (int)c->root->id, c->root->shape.dtype, &to, last) &&
              (c->core >= 0 || fxi_builder_move_bits(b, last));
    for (size_t i = 0; ok && i < c->also.count; i++) {
        const fxi_also *a = &c->also.data[i];
        to = fxi_affine_linear(c->nest.maps.data[a->store_map], &a->node->shape);
        ok = fxi_builder_collect(b, a->entry, table, &last) &&
             add_store(b, (int)a->node->id, a->node->shape.dtype, &to, last);
    }
    fxi_free(table);
    return ok;
}

static bool plan_epilogue(fxi_builder *b, int product, const fxi_kernel_shape *s) {
    fxi_step kernel = {.kind = FXI_STEP_KERNEL, .node = b->cluster->root, .cluster = b->plan->cluster,
                       .workspace = -1};
    bool ok = fill_step(b, s, false, 0, &kernel) && fxi_epilogue_join(b, product, &kernel);
    fxi_step_free(&kernel);
    return ok;
}

static bool plan_whole(fxi_builder *b) {
    if (!collect_whole(b)) return false;
    int product = fxi_epilogue_find(b);
    fxi_builder_collapse(b);
    fxi_kernel_shape s = fxi_kernel_form(b);
    return product >= 0 ? plan_epilogue(b, product, &s) : finish_step(b, &s, false, 0);
}

/* Whether a cluster of rows suits the kernel that it would become. */
static bool suits_rows(fxi_plan *plan, const fxi_cluster *cluster) {
    fxi_builder b = builder_for(plan, cluster, -1);
    fxi_kernel_head h;
    memset(&h, 0, sizeof h);
    bool ok = collect_whole(&b);
    if (ok) {
        fxi_builder_collapse(&b);
        fxi_kernel_shape s = fxi_kernel_form(&b);
        ok = choose_code(&b, &s, &h);
    }
    builder_free(&b);
    return ok;
}

/* Values that are written besides go first, reductions only when there are none. */
static void take_apart(const fxi_fusion *f, const fxi_cluster *c, bool *apart) {
    for (size_t k = 0; k < c->also.count; k++) apart[c->also.data[k].node->id] = true;
    for (size_t k = 0; k < c->entries.count && c->also.count == 0; k++) {
        const fxi_entry *e = &f->entries.data[c->entries.data[k]];
        if (e->state == FXI_ENTRY_CORE) apart[e->node->id] = true;
    }
}

bool fxi_plan_check_rows(fxi_plan *plan, bool *apart) {
    bool all = true;
    const fxi_fusion *f = &plan->fusion;
    for (size_t i = 0; i < f->clusters.count; i++) {
        const fxi_cluster *c = f->clusters.data[i];
        if (c->rows ? suits_rows(plan, c) : c->also.count == 0) continue;
        take_apart(f, c, apart);
        all = false;
    }
    return all;
}

bool fxi_plan_kernel(fxi_plan *plan, const fxi_cluster *cluster, fx_error *err) {
    fxi_builder b = builder_for(plan, cluster, -1);
    fxi_kernel_shape s;
    bool one_core = cluster->core >= 0 && !cluster->rows;
    int64_t parts = one_core && fx_shape_size(&cluster->root->shape) > 0 ? count_parts(&b, &s) : 1;
    bool ok = parts > 1
                  ? plan_parts(&b, &s, parts,
                               fxi_accumulator(
                                   plan->fusion.entries.data[cluster->core].node->operands[0]->shape.dtype))
                  : parts == 1 && plan_whole(&b);
    builder_free(&b);
    return ok || fxi_fail_memory(err, "kernel description");
}

bool fxi_plan_dense_copy(fxi_plan *plan, const fxi_cluster *cluster, int entry, const bool *wanted,
                         int temporary, fx_error *err) {
    fxi_builder b = builder_for(plan, cluster, -1);
    for (int k = 0; k < b.loops.count; k++) {
        b.loops.reduce[k] = false;
        if (!wanted[k]) b.loops.extent[k] = 1;
    }
    int64_t count;
    fxi_affine dense = dense_results(&b.loops, &count);
    const fxi_entry *e = fxi_builder_entry(&b, fxi_fusion_resolve(&plan->fusion, entry));
    fxi_instr load;
    memset(&load, 0, sizeof load);
    bool ok = fxi_builder_leaf(&b, e, &load) && FXI_PUSH(&b.instrs, load) &&
              add_store(&b, temporary, e->dtype, &dense, 0) && fxi_builder_move_bits(&b, 0);
    if (ok) {
        fxi_builder_collapse(&b);
        fxi_kernel_shape s = fxi_kernel_form(&b);
        ok = finish_step(&b, &s, false, 0);
    }
    builder_free(&b);
    return ok || fxi_fail_memory(err, "kernel description");
}
