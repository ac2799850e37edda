/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that StableHLO has, but with limits that the library's have not, or not right in every
 * plugin. */
#include "lower_family.h"
#include <fluxion/fft.h>

/* Complex numbers have a lowering of their own. XLA of 2026 (PJRT 0.115 on AVX-512) mixes up the lanes of
 * atan, and of an atan2 that it sees to be one, as soon as a loop holds more than it alone. A barrier keeps
 * it from seeing that:   atan(x) = atan2(x, 1) */
bool fxi_lower_atan(const fxi_build *b, const fx_node *n, fx_node *const *operands, fx_node **results) {
    if (fx_dtype_is_complex(n->shape.dtype)) return fxi_lower_odd(b, n, operands, results);
    const fxi_attr mark = fxi_attr_int(FXI_ATTR_MARK, FXI_MARK_NONE);
    fx_node *one = fxi_build_scalar(b->graph, n->shape.dtype, 1);
    one = fxi_build_node(b, FX_OP_BARRIER, &one, 1, &mark, 1, NULL);
    return fxi_lower_give(results, fx_atan2(operands[0], one));
}

/* ---- integer division ---- */

static bool has_zero(const fx_tensor *t) {
    for (int64_t i = 0; i < fx_shape_size(&t->shape); i++)
        if (fxi_element_load(t->shape.dtype, t->data, i).i == 0) return true;
    return false;
}

/* Plugins that fold constants before they compile end the process on a division by zero, and XLA takes x / x
 * for 1, where 0 / 0 of integers is all ones. */
bool fxi_lower_when_divisor_may_vanish(const fx_node *n) {
    const fx_node *y = n->operands[1];
    if (!fx_dtype_is_integer(n->shape.dtype)) return false;
    while (y->op == FX_OP_BROADCAST_IN_DIM || y->op == FX_OP_RESHAPE) y = y->operands[0];
    return y->op != FX_OP_CONSTANT || has_zero(fxi_node_attr(y, FXI_ATTR_VALUE)->u.tensor);
}

/* x / 0 is -1, x rem 0 is x. */
bool fxi_lower_divide(const fxi_build *b, const fx_node *n, fx_node *const *operands, fx_node **results) {
    fx_node *x = operands[0], *y = operands[1], *is_zero = fx_is_zero(y);
    fx_node *in[] = {x, fx_select(is_zero, fxi_lower_integer(y, 1), y)};
    fx_node *made = fxi_lower_as_it_is(fxi_build_node(b, n->op, in, 2, NULL, 0, NULL));
    fx_node *ones = fx_not(fxi_lower_integer(y, 0));
    return fxi_lower_give(results, fx_select(is_zero, n->op == FX_OP_DIV ? ones : x, made));
}

/* ---- indices ---- */

/* Limits of places are computed in the dtype of the indices: 300 - 1 in int8 would wrap. */
static bool is_narrow_index(const fx_node *n, size_t first) {
    return n->operand_count > first && fx_dtype_bits(n->operands[first]->shape.dtype) < 32;
}
bool fxi_lower_when_narrow_starts(const fx_node *n) {
    return is_narrow_index(n, n->op == FX_OP_DYNAMIC_UPDATE_SLICE ? 2 : 1);
}
/* An axis that an index may name; -1: there is none. */
static int64_t free_axis(const fx_node *n) {
    for (int64_t i = 0; i < n->shape.rank; i++)
        if (!fxi_dims_has(fxi_node_ints(n, FXI_ATTR_OPERAND_BATCH), i)) return i;
    return -1;
}
/* Of updates whose indices have no components, which all go to the same place, plugins apply one only. */
static bool has_no_components(const fx_node *n) {
    return n->op == FX_OP_SCATTER && fxi_node_ints(n, FXI_ATTR_INDEX_MAP).n == 0 && free_axis(n) >= 0;
}
bool fxi_lower_when_indices_differ(const fx_node *n) {
    return is_narrow_index(n, 1) || has_no_components(n);
}

static bool widen_from(const fxi_build *b, const fx_node *n, fx_node *const *operands, size_t first,
                       size_t end, fx_node **results) {
    fx_node *in[FX_MAX_RANK + 2];
    for (size_t i = 0; i < n->operand_count; i++)
        in[i] = i < first || i >= end ? operands[i] : fx_convert(operands[i], FX_S32);
    return fxi_lower_give(results, fxi_build_like(b, n, in, NULL, 0, NULL));
}

bool fxi_lower_starts(const fxi_build *b, const fx_node *n, fx_node *const *operands, fx_node **results) {
    size_t first = n->op == FX_OP_DYNAMIC_UPDATE_SLICE ? 2 : 1;
    return widen_from(b, n, operands, first, n->operand_count, results);
}
/* Indices with a component that is 0. */
static bool give_component(const fxi_build *b, const fx_node *n, fx_node *const *operands,
                           fx_node **results) {
    const int64_t axis = free_axis(n);
    fx_shape shape = operands[1]->shape;
    shape.dtype = FX_S32;
    shape.dims[fxi_node_int(n, FXI_ATTR_INDEX_AXIS)] = 1;
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_INDEX_MAP, &axis, 1);
    fx_node *in[] = {operands[0], fx_zeros(b->graph, &shape), operands[2]};
    return fxi_lower_give(results, fxi_build_like(b, n, in, &attr, 1, NULL));
}
bool fxi_lower_indices(const fxi_build *b, const fx_node *n, fx_node *const *operands, fx_node **results) {
    if (has_no_components(n)) return give_component(b, n, operands, results);
    return widen_from(b, n, operands, 1, 2, results);
}

/* ---- bits of complex numbers: XLA ends the process over bitcasts between their widths ---- */

static fx_node *column(fx_node *x, int64_t i) {
    return fx_slice_axis(x, 1, i, i + 1, 1);
}

static fx_node *beside(fx_node *left, fx_node *right) {
    fx_node *const both[] = {left, right};
    return fx_concatenate((fx_nodes){both, 2}, 1);
}

/* The bits of each part are a number of half its width. */
static fx_node *split_complex(fx_node *x) {
    fx_node *re = fx_bitcast(fx_real(x), FX_F32), *im = fx_bitcast(fx_imag(x), FX_F32);
    fx_node *first = fx_complex(column(re, 0), column(re, 1));
    return beside(first, fx_complex(column(im, 0), column(im, 1)));
}

/* Of [n, 2]. */
static fx_node *join_complex(fx_node *x, int64_t n) {
    const fx_dims each = {(const int64_t[]){2 * n, 1}, 2}, pairs = {(const int64_t[]){n, 2}, 2};
    fx_node *low = fx_reshape(fx_real(x), each), *high = fx_reshape(fx_imag(x), each);
    fx_node *parts = fx_reshape(fx_bitcast(beside(low, high), FX_F64), pairs);
    return fx_complex(column(parts, 0), column(parts, 1));
}

bool fxi_lower_bits_complex(const fxi_build *b, const fx_node *n, fx_node *const *operands,
                            fx_node **results) {
    fx_dtype from = operands[0]->shape.dtype, to = n->shape.dtype;
    const int64_t count = fx_shape_size(to == FX_C128 ? &n->shape : &operands[0]->shape);
    fx_node *x = operands[0];
    (void)b;
    if (from != to && to == FX_C64)
        x = split_complex(fx_reshape(x, (fx_dims){&count, 1}));
    else if (from != to)
        x = join_complex(fx_reshape(x, (fx_dims){(const int64_t[]){count, 2}, 2}), count);
    return fxi_lower_give(results, fx_reshape_with_shape(x, &n->shape));
}

/* ---- windows of which none fits ---- */

bool fxi_lower_when_no_window(const fx_node *n) {
    return fx_shape_size(n->op == FX_OP_REDUCE_WINDOW ? &n->shape : &n->operands[1]->shape) == 0;
}

/* Nothing, or zeros to which nothing was added: readers may refuse a window larger than the array. */
bool fxi_lower_zeros(const fxi_build *b, const fx_node *n, fx_node *const *operands, fx_node **results) {
    (void)operands;
    return fxi_lower_give(results, fx_zeros(b->graph, &n->shape));
}

/* ---- products in a wider dtype ---- */

/* Readers agree on what half types give as float32, and integers as wider ones of the same kind. */
bool fxi_lower_when_accumulator_differs(const fx_node *n) {
    fx_dtype from = n->operands[0]->shape.dtype, to = n->shape.dtype;
    if (from == to || fx_dtype_is_half(from)) return from != to && to != FX_F32;
    return !fx_dtype_is_integer(from) || fx_dtype_is_signed(from) != fx_dtype_is_signed(to);
}

bool fxi_lower_wide_products(const fxi_build *b, const fx_node *n, fx_node *const *operands,
                             fx_node **results) {
    fx_node *in[2];
    for (int i = 0; i < 2; i++) in[i] = fx_convert(operands[i], n->shape.dtype);
    return fxi_lower_give(results, fxi_build_like(b, n, in, NULL, 0, NULL));
}

/* ---- transforms over more than three axes ---- */

enum { MOST_FFT_AXES = 3 };

bool fxi_lower_when_many_axes(const fx_node *n) {
    return fxi_node_ints(n, FXI_ATTR_LENGTHS).n > MOST_FFT_AXES;
}

/* The transform of that kind over the last axes, which have these lengths. */
static fx_node *transform(const fxi_build *b, fx_node *x, fxi_fft_kind kind, fx_dims lengths) {
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_TRANSFORM, kind),
                              fxi_attr_ints(FXI_ATTR_LENGTHS, lengths.v, lengths.n)};
    return fxi_build_node(b, FX_OP_FFT, &x, 1, attrs, 2, NULL);
}

/* The same over the `count` axes before the last `after`, which go to the end and back. */
static fx_node *transform_before(const fxi_build *b, fx_node *x, fxi_fft_kind kind, size_t count,
                                 size_t after) {
    int64_t there[FX_MAX_RANK], back[FX_MAX_RANK], lengths[MOST_FFT_AXES];
    size_t rank = (size_t)x->shape.rank, first = rank - after - count;
    for (size_t i = 0; i < rank; i++) {
        there[i] = (int64_t)(i < first ? i : i < first + after ? i + count : i - after);
        back[there[i]] = (int64_t)i;
    }
    for (size_t i = 0; i < count; i++) lengths[i] = x->shape.dims[first + i];
    const fxi_attr to = fxi_attr_ints(FXI_ATTR_PERMUTATION, there, rank),
                   from = fxi_attr_ints(FXI_ATTR_PERMUTATION, back, rank);
    x = fxi_build_node(b, FX_OP_TRANSPOSE, &x, 1, &to, 1, NULL);
    x = transform(b, x, kind, (fx_dims){lengths, count});
    return fxi_build_node(b, FX_OP_TRANSPOSE, &x, 1, &from, 1, NULL);
}

/* Three axes at a time, the last ones first; an inverse to real numbers does them last. */
bool fxi_lower_fft(const fxi_build *b, const fx_node *n, fx_node *const *operands, fx_node **results) {
    fxi_fft_kind kind = (fxi_fft_kind)fxi_node_int(n, FXI_ATTR_TRANSFORM);
    bool inverse = kind == FXI_FFT_INVERSE || kind == FXI_FFT_INVERSE_REAL;
    fx_dims lengths = fxi_node_ints(n, FXI_ATTR_LENGTHS);
    const fx_dims last = {lengths.v + lengths.n - MOST_FFT_AXES, MOST_FFT_AXES};
    fx_node *x = operands[0];
    if (kind != FXI_FFT_INVERSE_REAL) x = transform(b, x, kind, last);
    for (size_t done = MOST_FFT_AXES; done < lengths.n && x->op != FX_OP_INERT;) {
        size_t left = lengths.n - done, count = left < MOST_FFT_AXES ? left : MOST_FFT_AXES;
        x = transform_before(b, x, inverse ? FXI_FFT_INVERSE : FXI_FFT_FORWARD, count, done);
        done += count;
    }
    if (kind == FXI_FFT_INVERSE_REAL) x = transform(b, x, kind, last);
    return fxi_lower_give(results, x);
}
