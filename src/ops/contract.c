/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of sums of products. There is one primitive, dot_general; matmul's batch axes that only one
 * operand has become free axes of it instead of copies of the other, so that [B, T, C] times [C, D] is a
 * single product, and a transpose is needed only when both operands have axes that the other lacks. */
#include "ops/ops.h"

static fx_node *dot(const fxi_build *b, fx_node *lhs, fx_node *rhs, const fxi_axis_list axes[4],
                    fx_dtype dtype) {
    static const fxi_attr_id ids[] = {FXI_ATTR_LHS_BATCH, FXI_ATTR_RHS_BATCH, FXI_ATTR_LHS_CONTRACT,
                                      FXI_ATTR_RHS_CONTRACT};
    fxi_attr attrs[5];
    for (int i = 0; i < 4; i++) attrs[i] = fxi_attr_ints(ids[i], axes[i].v, axes[i].n);
    attrs[4] = fxi_attr_dtype(dtype);
    return fxi_build_node(b, FX_OP_DOT_GENERAL, (fx_node *const[]){lhs, rhs}, 2, attrs, 5, NULL);
}

typedef struct dot_axes {
    fx_axes lhs_contract, lhs_batch, rhs_contract, rhs_batch;
} dot_axes;

static fx_node *dot_general(const fxi_build *b, fx_node *lhs, fx_node *rhs, const dot_axes *given,
                            fx_dtype dtype) {
    fxi_axis_list axes[4];
    if (!fxi_build_axes(b, lhs, given->lhs_batch, &axes[0])) return b->stop;
    if (!fxi_build_axes(b, rhs, given->rhs_batch, &axes[1])) return b->stop;
    if (!fxi_build_axes(b, lhs, given->lhs_contract, &axes[2])) return b->stop;
    if (!fxi_build_axes(b, rhs, given->rhs_contract, &axes[3])) return b->stop;
    return dot(b, lhs, rhs, axes, dtype);
}

fx_node *fx_dot_general(fx_node *lhs, fx_axes lhs_contract, fx_axes lhs_batch, fx_node *rhs,
                        fx_axes rhs_contract, fx_axes rhs_batch) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_dot_general", (fx_node *const[]){lhs, rhs}, 2)) return b.stop;
    const dot_axes axes = {lhs_contract, lhs_batch, rhs_contract, rhs_batch};
    return dot_general(&b, lhs, rhs, &axes, lhs->shape.dtype);
}

fx_node *fx_dot_general_dtype(fx_node *lhs, fx_axes lhs_contract, fx_axes lhs_batch, fx_node *rhs,
                              fx_axes rhs_contract, fx_axes rhs_batch, fx_dtype dtype) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_dot_general_dtype", (fx_node *const[]){lhs, rhs}, 2)) return b.stop;
    const dot_axes axes = {lhs_contract, lhs_batch, rhs_contract, rhs_batch};
    return dot_general(&b, lhs, rhs, &axes, dtype);
}

/* ---- products by rank ---- */

static fx_shape_text dims_of(const fx_node *x) {
    return fxi_dims_text(x->shape.dims, (size_t)x->shape.rank);
}

/* The last axis of x against the first of y's last two (or its only one). */
static bool check_inner(const fxi_build *b, const fx_node *x, const fx_node *y) {
    int last = x->shape.rank - 1, first = y->shape.rank > 1 ? y->shape.rank - 2 : 0;
    if (x->shape.dims[last] == y->shape.dims[first]) return true;
    fxi_build_refuse(b, FX_ERROR_SHAPE,
                     "shapes %s and %s do not multiply: axis %d has %lld and axis %d has %lld", dims_of(x).s,
                     dims_of(y).s, last, (long long)x->shape.dims[last], first,
                     (long long)y->shape.dims[first]);
    return false;
}

fx_node *fx_dot_product(fx_node *x, fx_node *y) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_dot_product", (fx_node *const[]){x, y}, 2)) return b.stop;
    if (x->shape.rank < 1 || x->shape.rank > 2 || y->shape.rank < 1 || y->shape.rank > 2)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "shapes %s and %s: the ranks must be 1 or 2",
                                dims_of(x).s, dims_of(y).s);
    if (!check_inner(&b, x, y)) return b.stop;
    const fxi_axis_list axes[4] = {[2] = {{x->shape.rank - 1}, 1}, [3] = {{0}, 1}};
    return dot(&b, x, y, axes, x->shape.dtype);
}

/* ---- matmul ---- */

typedef enum owner { OWNER_BOTH, OWNER_LHS, OWNER_RHS } owner;

/* How the operands' axes before the matrices meet, aligned at their right ends. */
typedef struct batches {
    int rank;
    owner owners[FX_MAX_RANK];                        /* per result axis: shared, or free on one side */
    int lhs_axis[FX_MAX_RANK], rhs_axis[FX_MAX_RANK]; /* -1: that operand has no such axis */
} batches;

static int matrix_rank(const fx_node *x) {
    return x->shape.rank > 1 ? 2 : 1;
}

static bool match_batches(const fxi_build *b, const fx_node *x, const fx_node *y, batches *m) {
    int l = x->shape.rank - matrix_rank(x), r = y->shape.rank - matrix_rank(y);
    m->rank = l > r ? l : r;
    for (int i = 0; i < m->rank; i++) {
        int la = m->lhs_axis[i] = i - (m->rank - l), ra = m->rhs_axis[i] = i - (m->rank - r);
        int64_t ld = la < 0 ? 1 : x->shape.dims[la], rd = ra < 0 ? 1 : y->shape.dims[ra];
        if (ld != rd && ld != 1 && rd != 1) {
            fxi_build_refuse(b, FX_ERROR_SHAPE,
                             "shapes %s and %s do not broadcast: axes %d and %d have %lld and %lld",
                             dims_of(x).s, dims_of(y).s, la, ra, (long long)ld, (long long)rd);
            return false;
        }
        bool both = la >= 0 && ra >= 0 && ld == rd;
        m->owners[i] = both ? OWNER_BOTH : ra < 0 || (la >= 0 && rd == 1) ? OWNER_LHS : OWNER_RHS;
    }
    return true;
}

/* x without the batch axes of size 1 that the other operand owns; `axes` gets the shared ones of what is
 * left, and the contracting axis. */
static fx_node *drop_foreign(fx_node *x, const batches *m, const int *own, owner side, fxi_axis_list *batch) {
    int foreign[FX_MAX_RANK], kept = 0;
    size_t n = 0;
    batch->n = 0;
    for (int i = 0; i < m->rank; i++) {
        if (own[i] < 0) continue;
        if (m->owners[i] != OWNER_BOTH && m->owners[i] != side) {
            foreign[n++] = own[i];
            continue;
        }
        if (m->owners[i] == OWNER_BOTH) batch->v[batch->n++] = kept;
        kept++;
    }
    return n ? fx_squeeze(x, (fx_axes){foreign, n}) : x;
}

/* dot_general gives shared, lhs free, m, rhs free, p; matmul wants the batch axes in order, then m, p. */
static fx_node *order_result(fx_node *product, const batches *m, bool has_m, bool has_p) {
    int permutation[FX_MAX_RANK], rank = 0;
    int count[3] = {0}, next[3];
    for (int i = 0; i < m->rank; i++) count[m->owners[i]]++;
    next[OWNER_BOTH] = 0;
    next[OWNER_LHS] = count[OWNER_BOTH];
    int m_axis = next[OWNER_LHS] + count[OWNER_LHS];
    next[OWNER_RHS] = m_axis + (has_m ? 1 : 0);
    for (int i = 0; i < m->rank; i++) permutation[rank++] = next[m->owners[i]]++;
    if (has_m) permutation[rank++] = m_axis;
    if (has_p) permutation[rank++] = next[OWNER_RHS];
    return fx_transpose_all_axes(product, (fx_axes){permutation, (size_t)rank});
}

fx_node *fx_matmul(fx_node *x, fx_node *y) {
    fxi_build b;
    batches m;
    fxi_axis_list axes[4];
    if (!fxi_build_begin(&b, "fx_matmul", (fx_node *const[]){x, y}, 2)) return b.stop;
    if (x->shape.rank == 0 || y->shape.rank == 0)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "shapes %s and %s: a scalar is no matrix", dims_of(x).s,
                                dims_of(y).s);
    const fx_shape *shapes[] = {&x->shape, &y->shape};
    const fxi_shape_args args = {
        .name = b.name, .op = FX_OP_DOT_GENERAL, .operands = shapes, .operand_count = 2};
    fx_error err = {.code = FX_OK};
    if (!fxi_dtypes_check(&args, &err)) return fxi_build_fail(b.graph, err.code, "%s", err.message);
    if (!check_inner(&b, x, y) || !match_batches(&b, x, y, &m)) return b.stop;
    bool has_m = x->shape.rank > 1, has_p = y->shape.rank > 1;
    fx_node *lhs = drop_foreign(x, &m, m.lhs_axis, OWNER_LHS, &axes[0]);
    fx_node *rhs = drop_foreign(y, &m, m.rhs_axis, OWNER_RHS, &axes[1]);
    axes[2] = (fxi_axis_list){{lhs->shape.rank - 1}, 1};
    axes[3] = (fxi_axis_list){{rhs->shape.rank - (has_p ? 2 : 1)}, 1};
    return order_result(dot(&b, lhs, rhs, axes, x->shape.dtype), &m, has_m, has_p);
}
