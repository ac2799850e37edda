/* SPDX-License-Identifier: Apache-2.0 */
/* Windows, as they are defined: for each of them a walk over its elements in row-major order, each looked up
 * in the operand, where it may fall beside the elements or between them. Sums and products of floats are
 * carried in extended precision, so that each result is the rounding of a nearly exact value. */
#include "interp_internal.h"
#include "ops/ops.h"
#include <math.h>

/* How windows lie over an operand; one entry per axis. */
typedef struct windows {
    int rank;
    fx_dims window, strides, base, dilation, low; /* base and dilation: v NULL is all 1 */
    int64_t dims[FX_MAX_RANK], own[FX_MAX_RANK];  /* of the operand: dimensions and strides */
} windows;

static windows windows_of(const fx_node *node, const fx_shape *x) {
    windows w = {.rank = x->rank,
                 .window = fxi_node_ints(node, FXI_ATTR_WINDOW),
                 .strides = fxi_node_ints(node, FXI_ATTR_STRIDES),
                 .low = fxi_node_ints(node, FXI_ATTR_LOW)};
    for (int i = 0; i < x->rank; i++) w.dims[i] = x->dims[i];
    fxi_shape_strides(x, w.own);
    return w;
}

static int64_t base_of(const windows *w, int axis) {
    return w->base.v ? w->base.v[axis] : 1;
}
static int64_t dilation_of(const windows *w, int axis) {
    return w->dilation.v ? w->dilation.v[axis] : 1;
}

/* A walk over the places of a window between the operand's first and last element: first + index of each
 * axis. */
static fxi_interp_cursor taps_of(const windows *w, const fxi_interp_cursor *window, int64_t *first) {
    fxi_interp_cursor taps = {0};
    for (int i = 0; i < w->rank; i++) {
        int64_t step = dilation_of(w, i), before = w->low.v[i] - window->index[i] * w->strides.v[i];
        int64_t last = before + (w->dims[i] - 1) * base_of(w, i), n = last < 0 ? 0 : last / step + 1;
        first[i] = before > 0 ? (before + step - 1) / step : 0;
        n = (n < w->window.v[i] ? n : w->window.v[i]) - first[i];
        fxi_interp_add_axis(&taps, n > 0 ? n : 0, 0);
    }
    return taps;
}

/* Walks over the windows. */
static fxi_interp_cursor windows_walk(const fx_shape *shape) {
    fxi_interp_cursor walk = {0};
    for (int i = 0; i < shape->rank; i++) fxi_interp_add_axis(&walk, shape->dims[i], 0);
    return walk;
}

/* Offset in the operand of one place of one window; -1 where there is no element. */
static int64_t element_at(const windows *w, const fxi_interp_cursor *window, const fxi_interp_cursor *tap,
                          const int64_t *first) {
    int64_t offset = 0;
    for (int i = 0; i < w->rank; i++) {
        int64_t place = first[i] + tap->index[i], base = base_of(w, i);
        int64_t at = window->index[i] * w->strides.v[i] + place * dilation_of(w, i) - w->low.v[i];
        if (at < 0 || at % base != 0 || at / base >= w->dims[i]) return -1;
        offset += at / base * w->own[i];
    }
    return offset;
}

/* ---- reduce_window ---- */

/* What a window has combined so far: a scalar, and for sums and products of floats an extended value. */
typedef struct total {
    fxi_scalar value;
    long double re, im;
} total;

static void add_element(total *t, fxi_reduce_kind kind, fx_dtype dtype, fxi_scalar x) {
    bool carried = kind <= FXI_PRODUCT && (fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype));
    if (!carried) {
        t->value = fxi_reduce_combine(kind, dtype, t->value, x);
    } else if (kind == FXI_SUM) {
        t->re += x.re;
        t->im += x.im;
    } else if (fx_dtype_is_complex(dtype)) {
        long double re = t->re * x.re - t->im * x.im;
        t->im = t->re * x.im + t->im * x.re;
        t->re = re;
    } else {
        t->re *= x.re;
    }
    if (carried) t->value = (fxi_scalar){.re = (double)t->re, .im = (double)t->im};
}

bool fxi_interp_reduce_window(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                              fx_error *err) {
    (void)err;
    const fx_tensor *x = operands[0];
    fx_dtype dtype = x->shape.dtype;
    fxi_reduce_kind kind = (fxi_reduce_kind)fxi_node_int(node, FXI_ATTR_KIND);
    windows w = windows_of(node, &x->shape);
    w.base = fxi_node_ints(node, FXI_ATTR_BASE_DILATION);
    w.dilation = fxi_node_ints(node, FXI_ATTR_WINDOW_DILATION);
    int64_t count = fx_shape_size(&result->shape), first[FX_MAX_RANK];
    fxi_interp_cursor at = windows_walk(&result->shape);
    for (int64_t i = 0; i < count; i++, fxi_interp_advance(&at)) {
        fxi_interp_cursor taps = taps_of(&w, &at, first);
        fxi_scalar neutral = fxi_reduce_neutral(kind, dtype);
        total t = {neutral, neutral.re, neutral.im};
        for (int64_t k = 0, n = fxi_interp_size(&taps); k < n; k++, fxi_interp_advance(&taps)) {
            int64_t from = element_at(&w, &at, &taps, first);
            if (from >= 0) add_element(&t, kind, dtype, fxi_element_load(dtype, x->data, from));
        }
        fxi_element_store(dtype, result->data, i, t.value);
    }
    return true;
}

/* ---- select_and_scatter ---- */

/* Offset of the element that a window selects: the first that no other beats, a NaN beating all numbers; -1
 * of a window without elements. */
static int64_t select_element(const windows *w, const fx_tensor *x, bool largest,
                              const fxi_interp_cursor *at) {
    fx_dtype dtype = x->shape.dtype;
    bool is_float = fx_dtype_is_float(dtype), is_unsigned = !is_float && !fx_dtype_is_signed(dtype);
    int64_t selected = -1, first[FX_MAX_RANK];
    fxi_interp_cursor taps = taps_of(w, at, first);
    fxi_scalar best = {0};
    for (int64_t k = 0, n = fxi_interp_size(&taps); k < n; k++, fxi_interp_advance(&taps)) {
        int64_t from = element_at(w, at, &taps, first);
        if (from < 0) continue;
        fxi_scalar v = fxi_element_load(dtype, x->data, from);
        const fxi_scalar *low = largest ? &best : &v, *high = largest ? &v : &best;
        bool wins = is_float      ? low->re < high->re || (isnan(v.re) && !isnan(best.re))
                    : is_unsigned ? (uint64_t)low->i < (uint64_t)high->i
                                  : low->i < high->i;
        if (selected >= 0 && !wins) continue;
        selected = from;
        best = v;
    }
    return selected;
}

static void scatter_windows(const fx_node *node, fx_tensor *const *operands, fx_tensor *sums) {
    const fx_tensor *x = operands[0], *source = operands[1];
    fx_dtype dtype = sums->shape.dtype;
    windows w = windows_of(node, &x->shape);
    bool largest = fxi_node_int(node, FXI_ATTR_KIND) == FXI_MAX;
    fxi_interp_cursor at = windows_walk(&source->shape);
    for (int64_t i = 0, n = fx_shape_size(&source->shape); i < n; i++, fxi_interp_advance(&at)) {
        int64_t to = select_element(&w, x, largest, &at);
        if (to < 0) continue;
        fxi_scalar update = fxi_element_load(source->shape.dtype, source->data, i);
        fxi_scalar sum = fxi_element_load(dtype, sums->data, to);
        fxi_element_store(dtype, sums->data, to, fxi_reduce_combine(FXI_SUM, dtype, sum, update));
    }
}

bool fxi_interp_select_and_scatter(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                                   fx_error *err) {
    bool is_float = fx_dtype_is_float(result->shape.dtype);
    fx_shape shape = result->shape;
    if (is_float) shape.dtype = FX_F64; /* rounded once, at the end */
    int64_t count = fx_shape_size(&shape);
    fx_tensor *sums = is_float ? fxi_tensor_new_from(NULL, &shape, err) : result;
    if (!sums) return false;
    for (int64_t i = 0; i < count; i++) fxi_element_store(shape.dtype, sums->data, i, (fxi_scalar){0});
    scatter_windows(node, operands, sums);
    for (int64_t i = 0; is_float && i < count; i++)
        fxi_element_store(result->shape.dtype, result->data, i, fxi_element_load(FX_F64, sums->data, i));
    if (is_float) fx_tensor_free(sums);
    return true;
}
