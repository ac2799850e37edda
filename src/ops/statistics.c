/* SPDX-License-Identifier: Apache-2.0 */
/* Deviations, norms and similarities. Roots are taken through a select that gives a constant 0 at 0, so that
 * their derivative there is 0 and not infinite; half types are float32 until the last rounding. */
#include "ops/ops.h"
#include <fluxion/indexing.h>
#include <fluxion/statistics.h>

/* ---- deviation and skewness ---- */

static fx_node *zero_of(const fx_node *x) {
    return fx_scalar_zero(x->graph, x->shape.dtype);
}

static fx_node *root(fx_node *square) {
    return fx_select(fx_equal(square, zero_of(square)), zero_of(square), fx_sqrt(square));
}

static fx_node *deviation(const char *name, fx_node *x, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    if (!fxi_build_begin(&b, name, &x, 1) || !fxi_build_floats(&b, x, "deviation", FX_OP_ERF)) return b.stop;
    if (!fxi_build_reduced_axes(&b, x, axes, &list)) return b.stop;
    return fx_convert(root(fxi_build_over(&list, fx_reduce_variance, fxi_build_wide(x))), x->shape.dtype);
}

static fx_node *skewness(const char *name, fx_node *x, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    if (!fxi_build_begin(&b, name, &x, 1) || !fxi_build_floats(&b, x, "skewness", FX_OP_ERF)) return b.stop;
    if (!fxi_build_reduced_axes(&b, x, axes, &list)) return b.stop;
    fx_node *wide = fxi_build_wide(x);
    fx_node *distance = fx_sub(wide, fxi_build_kept(&list, fx_reduce_mean, wide));
    fx_node *variance = fxi_build_kept(&list, fx_reduce_mean, fx_square(distance));
    fx_node *unit = fx_div(distance, fx_sqrt(variance));
    fx_node *cube = fx_mul(fx_square(unit), unit);
    return fx_convert(fxi_build_over(&list, fx_reduce_mean, cube), x->shape.dtype);
}

fx_node *fx_reduce_std(fx_node *x, fx_axes axes) {
    return deviation("fx_reduce_std", x, axes);
}
fx_node *fx_reduce_all_std(fx_node *x) {
    return deviation("fx_reduce_all_std", x, (fx_axes){NULL, 0});
}
fx_node *fx_reduce_skewness(fx_node *x, fx_axes axes) {
    return skewness("fx_reduce_skewness", x, axes);
}
fx_node *fx_reduce_all_skewness(fx_node *x) {
    return skewness("fx_reduce_all_skewness", x, (fx_axes){NULL, 0});
}
fx_node *fx_variance(fx_node *x, fx_axes axes) {
    fxi_build b;
    return fxi_build_begin(&b, "fx_variance", &x, 1) ? fx_reduce_variance(x, axes) : b.stop;
}
fx_node *fx_skewness(fx_node *x, fx_axes axes) {
    return skewness("fx_skewness", x, axes);
}

/* ---- norms ---- */

typedef struct norm {
    fxi_build b;
    fxi_axis_list list;
    fx_node *x;     /* wide */
    fx_dtype dtype; /* of the result: the component dtype of x */
} norm;

static bool begin_norm(norm *n, const char *name, fx_node *x, fx_axes axes, fx_op model) {
    if (!fxi_build_begin(&n->b, name, &x, 1) || !fxi_build_floats(&n->b, x, "norm", model)) return false;
    if (!fxi_build_reduced_axes(&n->b, x, axes, &n->list)) return false;
    n->x = fxi_build_wide(x);
    n->dtype = fx_dtype_real(x->shape.dtype);
    return n->x->op != FX_OP_INERT;
}

static fx_node *absolute_square(fx_node *x) {
    if (!fx_dtype_is_complex(x->shape.dtype)) return fx_square(x);
    return fx_add(fx_square(fx_real(x)), fx_square(fx_imag(x)));
}

/* The sum of terms: a scalar when the caller named no axes, else with the axes kept. */
static fx_node *total(const norm *n, fx_node *terms, bool is_scalar) {
    return is_scalar ? fxi_build_over(&n->list, fx_reduce_sum, terms)
                     : fxi_build_kept(&n->list, fx_reduce_sum, terms);
}

fx_node *fx_l1_norm(fx_node *x, fx_axes axes) {
    norm n;
    if (!begin_norm(&n, "fx_l1_norm", x, axes, FX_OP_EXP)) return n.b.stop;
    return fx_convert(total(&n, fx_abs(n.x), axes.n == 0), n.dtype);
}

fx_node *fx_l2_norm_square(fx_node *x, fx_axes axes) {
    norm n;
    if (!begin_norm(&n, "fx_l2_norm_square", x, axes, FX_OP_EXP)) return n.b.stop;
    return fx_convert(total(&n, absolute_square(n.x), axes.n == 0), n.dtype);
}

fx_node *fx_l2_norm(fx_node *x, fx_axes axes) {
    norm n;
    if (!begin_norm(&n, "fx_l2_norm", x, axes, FX_OP_EXP)) return n.b.stop;
    return fx_convert(root(total(&n, absolute_square(n.x), axes.n == 0)), n.dtype);
}

/* The root of the sum of squares, and 1 in the place of 0. */
static fx_node *divisor(fx_node *square) {
    fx_node *zero = zero_of(square);
    fx_node *one = fx_scalar_one(zero->graph, square->shape.dtype);
    return fx_select(fx_equal(square, zero), one, fx_sqrt(square));
}

fx_node *fx_l2_normalize(fx_node *x, fx_axes axes) {
    norm n;
    if (!begin_norm(&n, "fx_l2_normalize", x, axes, FX_OP_ERF)) return n.b.stop;
    return fx_convert(fx_div(n.x, divisor(total(&n, fx_square(n.x), false))), n.dtype);
}

fx_node *fx_l2_normalize_with_epsilon(fx_node *x, double epsilon, fx_axes axes) {
    norm n;
    if (!begin_norm(&n, "fx_l2_normalize_with_epsilon", x, axes, FX_OP_ERF)) return n.b.stop;
    fx_node *more = fxi_build_number(&n.b, n.x->shape.dtype, epsilon);
    return fx_convert(fx_div(n.x, fx_add(root(total(&n, fx_square(n.x), false)), more)), n.dtype);
}

/* ---- similarities ---- */

static bool begin_pair(fxi_build *b, const char *name, fx_node *x, fx_node *y) {
    if (!fxi_build_begin(b, name, (fx_node *const[]){x, y}, 2)) return false;
    return fxi_build_floats(b, x, "similarity", FX_OP_ERF) && fxi_build_same(b, x, y);
}

fx_node *fx_cosine_similarity(fx_node *x, fx_node *y, int axis) {
    fxi_build b;
    fxi_axis_list list = {.n = 1};
    if (!begin_pair(&b, "fx_cosine_similarity", x, y)) return b.stop;
    if (!fxi_build_axis(&b, x, axis, &list.v[0])) return b.stop;
    if (!fx_shape_equal_dims(&x->shape, &y->shape))
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "the shapes %s and %s differ",
                                fx_shape_to_text(&x->shape).s, fx_shape_to_text(&y->shape).s);
    fx_node *wide_x = fxi_build_wide(x), *wide_y = fxi_build_wide(y);
    fx_node *product = fxi_build_kept(&list, fx_reduce_sum, fx_mul(wide_x, wide_y));
    fx_node *square_x = fxi_build_kept(&list, fx_reduce_sum, fx_square(wide_x));
    fx_node *square_y = fxi_build_kept(&list, fx_reduce_sum, fx_square(wide_y));
    return fx_convert(fx_div(fx_div(product, divisor(square_x)), divisor(square_y)), x->shape.dtype);
}

/* The divisors of a matrix's rows, as [other axes, rows]. */
static fx_node *row_divisors(fx_node *x, int contract, int cross) {
    fx_node *square = fx_reduce_sum(fx_square(fxi_build_wide(x)), (fx_axes){&contract, 1});
    return divisor(fx_moveaxis(square, cross > contract ? cross - 1 : cross, -1));
}

static bool check_cross(const fxi_build *b, const fx_node *x, const fx_node *y, int64_t contract,
                        int64_t cross) {
    bool fits = x->shape.rank == y->shape.rank && contract != cross;
    for (int i = 0; fits && i < x->shape.rank; i++) fits = i == cross || x->shape.dims[i] == y->shape.dims[i];
    if (!fits)
        fxi_build_refuse(b, FX_ERROR_SHAPE,
                         "%s and %s must agree but for the cross axis %lld, and the contracted "
                         "one, %lld, must be another",
                         fx_shape_to_text(&x->shape).s, fx_shape_to_text(&y->shape).s, (long long)cross,
                         (long long)contract);
    return fits;
}

fx_node *fx_cross_cosine_similarity(fx_node *x, fx_node *y, int contract_axis, int cross_axis) {
    fxi_build b;
    int64_t contract, cross;
    int batch[FX_MAX_RANK], own;
    size_t n = 0;
    if (!begin_pair(&b, "fx_cross_cosine_similarity", x, y)) return b.stop;
    if (!fxi_build_axis(&b, x, contract_axis, &contract) || !fxi_build_axis(&b, x, cross_axis, &cross))
        return b.stop;
    if (!check_cross(&b, x, y, contract, cross)) return b.stop;
    for (int i = 0; i < x->shape.rank; i++)
        if (i != contract && i != cross) batch[n++] = i;
    own = (int)contract;
    const fx_axes row = {&own, 1}, rest = {batch, n};
    fx_dtype dtype = x->shape.dtype, wide = fx_dtype_is_half(dtype) ? FX_F32 : dtype;
    fx_node *product = fx_dot_general_dtype(x, row, rest, y, row, rest, wide);
    const int last = -1, before_last = (int)n;
    fx_node *by_x = fx_insert_axes(row_divisors(x, own, (int)cross), (fx_axes){&last, 1});
    fx_node *by_y = fx_insert_axes(row_divisors(y, own, (int)cross), (fx_axes){&before_last, 1});
    return fx_convert(fx_div(fx_div(product, by_x), by_y), dtype);
}
