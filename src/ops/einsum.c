/* SPDX-License-Identifier: Apache-2.0 */
/* Einstein summation. Each operand first loses its repeated broadcasts, its diagonals are taken and what only
 * it has is summed; then the terms are multiplied two at a time. A product that sums over something is a
 * dot_general, whose result has batch axes, free ones of the left and free ones of the right; without
 * anything to sum, or with nothing free beside a batch, a plain multiplication (and a sum) fuses better.
 * Half types go through float32 wherever more than one rounding would happen. */
#include "ops/einsum_internal.h"
#include <fluxion/einsum.h>
#include <fluxion/indexing.h>

static uint64_t bit(int label) {
    return UINT64_C(1) << label;
}

static uint64_t set_of(const fxi_einsum_term *t) {
    uint64_t set = 0;
    for (int i = 0; i < t->rank; i++) set |= bit(t->labels[i]);
    return set;
}

static int axis_of(const fxi_einsum_term *t, int label) {
    for (int i = 0; i < t->rank; i++)
        if (t->labels[i] == label) return i;
    return -1;
}

/* ---- one term ---- */

static void drop_axis(fxi_einsum_term *t, int axis) {
    for (int i = axis; i + 1 < t->rank; i++) t->labels[i] = t->labels[i + 1];
    t->rank--;
}

/* Axes of 1 that others have larger: the multiplication broadcasts. */
static void drop_broadcasts(const fxi_einsum *e, fxi_einsum_term *t) {
    int axes[FX_MAX_RANK];
    size_t n = 0;
    for (int i = 0; i < t->rank; i++)
        if (t->node->shape.dims[i] == 1 && e->dims[t->labels[i]] != 1) axes[n++] = i;
    if (n == 0) return;
    t->node = fx_squeeze(t->node, (fx_axes){axes, n});
    while (n-- > 0) drop_axis(t, axes[n]);
}

/* Two axes with one label become their diagonal, which is the last axis. */
static void take_diagonals(fxi_einsum_term *t) {
    for (int i = 0; i < t->rank; i++) {
        for (int k = i + 1; k < t->rank; k++) {
            if (t->labels[i] != t->labels[k]) continue;
            uint8_t label = t->labels[i];
            t->node = fx_diagonal_of(t->node, 0, i, k);
            drop_axis(t, k);
            drop_axis(t, i);
            t->labels[t->rank++] = label;
            i = -1; /* from the start: places have changed */
            break;
        }
    }
}

/* Sums what is not in `keep`. */
static void sum_out(fxi_einsum_term *t, uint64_t keep) {
    int axes[FX_MAX_RANK];
    size_t n = 0;
    for (int i = 0; i < t->rank; i++)
        if (!(keep & bit(t->labels[i]))) axes[n++] = i;
    t->set &= keep;
    if (n == 0) return;
    t->node = fx_reduce_sum(t->node, (fx_axes){axes, n});
    while (n-- > 0) drop_axis(t, axes[n]);
}

/* The labels in another order, all of which the term has. */
static fx_node *arrange(const fxi_einsum_term *t, const uint8_t *labels, int n) {
    int permutation[FX_MAX_RANK], rank = 0;
    for (int i = 0; i < n; i++)
        if (axis_of(t, labels[i]) >= 0) permutation[rank++] = axis_of(t, labels[i]);
    return fx_transpose_all_axes(t->node, (fx_axes){permutation, (size_t)rank});
}

/* ---- two terms ---- */

/* Appends the labels of a set that stand in `from`, in that order. */
static void append(fxi_einsum_term *t, const fxi_einsum_term *from, uint64_t set) {
    for (int i = 0; i < from->rank; i++)
        if (set & bit(from->labels[i])) t->labels[t->rank++] = from->labels[i];
}

/* Lists of the axes that two terms pair, in the order of the left one's. */
typedef struct paired {
    int lhs[FX_MAX_RANK], rhs[FX_MAX_RANK];
    size_t n;
} paired;

static void pair_up(paired *p, const fxi_einsum_term *x, const fxi_einsum_term *y, uint64_t set) {
    p->n = 0;
    for (int i = 0; i < x->rank; i++) {
        if (!(set & bit(x->labels[i]))) continue;
        p->lhs[p->n] = i;
        p->rhs[p->n++] = axis_of(y, x->labels[i]);
    }
}

static void multiply_matrices(const fxi_einsum_term *x, const fxi_einsum_term *y, uint64_t keep,
                              fxi_einsum_term *result) {
    paired batch, contract;
    uint64_t shared = x->set & y->set;
    pair_up(&batch, x, y, shared & keep);
    pair_up(&contract, x, y, shared & ~keep);
    result->node =
        fx_dot_general(x->node, (fx_axes){contract.lhs, contract.n}, (fx_axes){batch.lhs, batch.n}, y->node,
                       (fx_axes){contract.rhs, contract.n}, (fx_axes){batch.rhs, batch.n});
    append(result, x, shared & keep);
    append(result, x, x->set & ~shared);
    append(result, y, y->set & ~shared);
}

/* The node over all labels of `all`, in their order. */
static fx_node *spread(const fxi_einsum *e, const fxi_einsum_term *t, const fxi_einsum_term *all) {
    int64_t dims[FX_MAX_RANK];
    int mapping[FX_MAX_RANK], n = 0;
    for (int i = 0; i < all->rank; i++) {
        dims[i] = e->dims[all->labels[i]];
        if (axis_of(t, all->labels[i]) >= 0) mapping[n++] = i;
    }
    return fx_broadcast_in_dim(arrange(t, all->labels, all->rank), (fx_dims){dims, (size_t)all->rank},
                               (fx_axes){mapping, (size_t)n});
}

static void multiply_elements(const fxi_einsum *e, const fxi_einsum_term *x, const fxi_einsum_term *y,
                              uint64_t keep, fxi_einsum_term *result) {
    uint64_t all = x->set | y->set;
    append(result, &e->output, all); /* the result's own order where it has them */
    append(result, x, all & ~e->output.set);
    append(result, y, y->set & ~x->set & ~e->output.set);
    result->set = all;
    result->node = fx_mul(spread(e, x, result), spread(e, y, result));
    sum_out(result, keep);
}

/* Whether a plain multiplication is the better way; `keep` as in a step. */
static bool is_plain(const fxi_einsum_term *x, const fxi_einsum_term *y, uint64_t keep) {
    uint64_t shared = x->set & y->set;
    bool has_free = (x->set | y->set) & ~shared;
    return !(shared & ~keep) || ((shared & keep) && !has_free);
}

/* The free label of the result that comes first decides which operand is on the left. */
static bool should_swap(const fxi_einsum *e, const fxi_einsum_term *x, const fxi_einsum_term *y) {
    for (int i = 0; i < e->output.rank; i++) {
        uint64_t label = bit(e->output.labels[i]);
        if ((x->set & label) && (y->set & label)) continue;
        if ((x->set | y->set) & label) return y->set & label;
    }
    return false;
}

static bool multiply(const fxi_einsum *e, const fxi_einsum_term *x, const fxi_einsum_term *y, uint64_t keep,
                     fxi_einsum_term *result) {
    bool plain = is_plain(x, y, keep);
    *result = (fxi_einsum_term){.set = keep};
    int rank = fxi_einsum_rank(plain ? x->set | y->set : keep);
    if (rank > FX_MAX_RANK) {
        fxi_build_refuse(&e->b, FX_ERROR_SHAPE, "a product in \"%.200s\" has %d axes, more than %d",
                         e->equation, rank, FX_MAX_RANK);
        return false;
    }
    if (plain)
        multiply_elements(e, x, y, keep, result);
    else if (should_swap(e, x, y))
        multiply_matrices(y, x, keep, result);
    else
        multiply_matrices(x, y, keep, result);
    return result->node && result->node->op != FX_OP_INERT;
}

/* ---- all terms ---- */

/* What a term must keep: labels of the result and of other terms. */
static uint64_t wanted_of(const fxi_einsum *e, size_t term) {
    uint64_t wanted = e->output.set;
    for (size_t i = 0; i < e->count; i++)
        if (i != term) wanted |= e->terms[i].set;
    return wanted;
}

/* Whether halves would be rounded between the operations of this einsum. */
static bool rounds_between(const fxi_einsum *e) {
    if (e->count == 1) return false;
    const fxi_einsum_term *x = &e->terms[0], *y = &e->terms[1];
    if (e->count > 2 || (x->set & ~wanted_of(e, 0)) || (y->set & ~wanted_of(e, 1))) return true;
    return is_plain(x, y, e->output.set) && (x->set & y->set & ~e->output.set);
}

static bool prepare(fxi_einsum *e) {
    for (size_t i = 0; i < e->count; i++) {
        fxi_einsum_term *t = &e->terms[i];
        drop_broadcasts(e, t);
        take_diagonals(t);
        t->set = set_of(t);
    }
    e->output.set = set_of(&e->output);
    bool widen = rounds_between(e);
    for (size_t i = 0; i < e->count; i++) {
        fxi_einsum_term *t = &e->terms[i];
        uint64_t wanted = wanted_of(e, i);
        if (widen) t->node = fxi_build_wide(t->node);
        sum_out(t, wanted);
        if (!t->node || t->node->op == FX_OP_INERT) return false;
    }
    return true;
}

static fx_node *contract(fxi_einsum *e, fx_dtype dtype) {
    fxi_einsum_step steps[FXI_EINSUM_OPERANDS];
    fxi_einsum_term results[FXI_EINSUM_OPERANDS];
    const fxi_einsum_term *last = &e->terms[0];
    if (!prepare(e)) return e->b.stop;
    if (e->count > 1) fxi_einsum_order(e, steps);
    for (size_t i = 0; i + 1 < e->count; i++) {
        size_t l = (size_t)steps[i].lhs, r = (size_t)steps[i].rhs;
        const fxi_einsum_term *x = l < e->count ? &e->terms[l] : &results[l - e->count];
        const fxi_einsum_term *y = r < e->count ? &e->terms[r] : &results[r - e->count];
        if (!multiply(e, x, y, steps[i].keep, &results[i])) return e->b.stop;
        last = &results[i];
    }
    return fx_convert(arrange(last, e->output.labels, e->output.rank), dtype);
}

fx_node *fx_einsum(const char *equation, fx_nodes operands) {
    fxi_einsum e = {.equation = equation};
    if (!fxi_build_begin(&e.b, "fx_einsum", operands.v, operands.v ? operands.n : 0)) return e.b.stop;
    if (!equation) return fxi_build_refuse(&e.b, FX_ERROR_ARGUMENT, "the equation is NULL");
    if (operands.n > FXI_EINSUM_OPERANDS)
        return fxi_build_refuse(&e.b, FX_ERROR_ARGUMENT, "%zu operands are more than %d", operands.n,
                                FXI_EINSUM_OPERANDS);
    for (size_t i = 0; i < operands.n; i++)
        if (!fxi_build_takes(&e.b, operands.v[i], FX_OP_SUB) ||
            !fxi_build_same(&e.b, operands.v[0], operands.v[i]))
            return e.b.stop;
    if (!fxi_einsum_parse(&e, operands)) return e.b.stop;
    return contract(&e, operands.v[0]->shape.dtype);
}
