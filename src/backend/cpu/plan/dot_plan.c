/* SPDX-License-Identifier: Apache-2.0 */
/* From a DOT cluster to a GEMM step. Batch, m, n and k loops of both operands are merged into one stride
 * each where the operand's memory allows it: transposes, broadcasts and slices then vanish into strides.
 * An operand that does not allow it is copied densely first. */
#include "step.h"
#include <string.h>

typedef struct operand {
    int entry; /* resolved: a load */
    fxi_index_map linear;
    int value;
    int64_t offset; /* bytes */
} operand;

/* Stride of loops [first, last) seen as one; false when they are no single progression. */
static bool merge_loops(const fxi_loops *loops, const int64_t *coef, int first, int last, int64_t *stride) {
    int64_t expected = 0;
    bool any = false;
    *stride = 1;
    for (int k = last - 1; k >= first; k--) {
        if (loops->extent[k] == 1) continue;
        if (!any)
            *stride = coef[k];
        else if (coef[k] != expected)
            return false;
        any = true;
        if (coef[k] < 0) return false;
        expected = coef[k] * loops->extent[k];
    }
    return true;
}

/* Position of the first loop of a group. */
static int first_loop(const fxi_loops *loops, fxi_dot_group group) {
    int k = 0;
    while (k < loops->count && loops->group[k] < (uint8_t)group) k++;
    return k;
}

static int64_t product(const fxi_loops *loops, int first, int last) {
    int64_t total = 1;
    for (int k = first; k < last; k++) total *= loops->extent[k];
    return total;
}

static operand find_operand(const fxi_plan *plan, const fxi_cluster *c, int entry) {
    operand o = {.entry = fxi_fusion_resolve(&plan->fusion, entry)};
    const fxi_entry *e = &plan->fusion.entries.data[o.entry];
    fxi_map_linearize(c->nest.maps.data[e->map], &e->node->shape, &o.linear);
    o.value = (int)e->node->id;
    o.offset = o.linear.offset[0] * fxi_memory_bytes(e->dtype);
    return o;
}

/* Strides along the free loops and k; copies the operand when they cannot be had. */
typedef struct wanted_strides {
    int free_first, free_last, k_first, k_last;
    int64_t free, k;
} wanted_strides;

static bool batch_strides(const fxi_cluster *c, const operand *o) {
    int used = 0;
    for (int k = 0, end = first_loop(&c->nest.loops, FXI_DOT_M); k < end; k++) {
        used += c->nest.loops.extent[k] != 1;
        if (o->linear.coef[0][k] < 0) return false;
    }
    return used <= FXI_GEMM_BATCH_RANK;
}

static bool settle_operand(fxi_plan *plan, const fxi_cluster *c, operand *o, wanted_strides *w,
                           fx_error *err) {
    const fxi_loops *loops = &c->nest.loops;
    const int64_t *coef = o->linear.coef[0];
    if (batch_strides(c, o) && merge_loops(loops, coef, w->free_first, w->free_last, &w->free) &&
        merge_loops(loops, coef, w->k_first, w->k_last, &w->k))
        return true;
    bool wanted[FXI_LOOPS] = {false};
    for (int k = 0, end = first_loop(loops, FXI_DOT_M); k < end; k++) wanted[k] = true;
    for (int k = w->free_first; k < w->free_last; k++) wanted[k] = true;
    for (int k = w->k_first; k < w->k_last; k++) wanted[k] = true;
    int64_t count = 1;
    fxi_index_map dense;
    memset(&dense, 0, sizeof dense);
    dense.rank = 1;
    dense.linear = true;
    for (int k = loops->count - 1; k >= 0; k--) {
        if (!wanted[k]) continue;
        dense.coef[0][k] = count;
        if (!fxi_size_mul(count, loops->extent[k], &count))
            return fxi_fail_memory(err, "operand of a matrix product");
    }
    fx_dtype dtype = plan->fusion.entries.data[o->entry].dtype;
    int temporary = fxi_plan_add_value(plan, dtype, count);
    if (temporary < 0) return fxi_fail_memory(err, "operand of a matrix product");
    FX_TRY(fxi_plan_dense_copy(plan, c, o->entry, wanted, temporary, err));
    o->value = temporary;
    o->linear = dense;
    o->offset = 0;
    merge_loops(loops, dense.coef[0], w->free_first, w->free_last, &w->free);
    merge_loops(loops, dense.coef[0], w->k_first, w->k_last, &w->k);
    return true;
}

/* The batch loops as they are, sizes of 1 dropped; more than the driver takes are merged where dense,
 * which copies ensure. */
static bool fill_batch(const fxi_cluster *c, const operand *a, const operand *b, fxi_gemm_shape *s) {
    const fxi_loops *loops = &c->nest.loops;
    for (int k = 0, end = first_loop(loops, FXI_DOT_M); k < end; k++) {
        int64_t extent = loops->extent[k], ca = a->linear.coef[0][k], cb = b->linear.coef[0][k];
        if (extent == 1) continue;
        int last = s->batch_rank - 1;
        if (last >= 0 && s->a_batch[last] == ca * extent && s->b_batch[last] == cb * extent) {
            s->batch[last] *= extent;
            s->a_batch[last] = ca;
            s->b_batch[last] = cb;
            continue;
        }
        if (s->batch_rank == FXI_GEMM_BATCH_RANK) return false;
        s->batch[s->batch_rank] = extent;
        s->a_batch[s->batch_rank] = ca;
        s->b_batch[s->batch_rank++] = cb;
    }
    return true;
}

bool fxi_plan_dot(fxi_plan *plan, const fxi_cluster *c, const fxi_target *target, fx_error *err) {
    const fxi_loops *loops = &c->nest.loops;
    operand a = find_operand(plan, c, c->value), b = find_operand(plan, c, c->value2);
    int m = first_loop(loops, FXI_DOT_M), n = first_loop(loops, FXI_DOT_N), k = first_loop(loops, FXI_DOT_K);
    wanted_strides wa = {m, n, k, loops->count, 0, 0}, wb = {n, k, k, loops->count, 0, 0};
    FX_TRY(settle_operand(plan, c, &a, &wa, err));
    FX_TRY(settle_operand(plan, c, &b, &wb, err));
    fxi_gemm_shape s = {.dtype = c->root->operands[0]->shape.dtype,
                        .result = c->root->shape.dtype,
                        .m = product(loops, m, n),
                        .n = product(loops, n, k),
                        .k = product(loops, k, loops->count),
                        .a_row = wa.free,
                        .a_col = wa.k,
                        .b_row = wb.k,
                        .b_col = wb.free};
    if (!fill_batch(c, &a, &b, &s))
        return fxi_fail_at(err, FX_ERROR_UNSUPPORTED, c->root->file, c->root->line,
                           "fx_dot_general: more than %d batch axes that cannot be merged",
                           FXI_GEMM_BATCH_RANK);
    fxi_gemm *product_plan = fxi_gemm_new(&s, target, err);
    if (!product_plan) return false;
    int workspace = fxi_gemm_workspace(product_plan)
                        ? fxi_plan_add_value(plan, FX_U8, (int64_t)fxi_gemm_workspace(product_plan))
                        : -1;
    fxi_step *step = fxi_plan_add_step(plan, FXI_STEP_GEMM, c->root);
    if (!step) {
        fxi_gemm_free(product_plan);
        return fxi_fail_memory(err, "matrix product");
    }
    step->product = product_plan;
    step->gemm = s;
    step->workspace = workspace;
    step->operand_offset[0] = a.offset;
    step->operand_offset[1] = b.offset;
    step->written = (int)c->root->id;
    plan->values.data[step->written].aligned = true;
    bool ok = FXI_PUSH(&step->buffers, a.value) && FXI_PUSH(&step->buffers, b.value) &&
              FXI_PUSH(&step->buffers, step->written);
    if (ok && workspace >= 0) ok = FXI_PUSH(&step->buffers, workspace);
    return ok || fxi_fail_memory(err, "matrix product");
}
