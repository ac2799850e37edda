/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of windows: the options' lists are completed with their defaults, and what makes no sense to ask
 * for (a window that fits nowhere, which StableHLO lets be an empty result) is refused. */
#include "ops/ops.h"
#include <fluxion/window.h>

/* The kinds of the header are those of the graph. */
_Static_assert((int)FX_WINDOW_SUM == (int)FXI_SUM && (int)FX_WINDOW_MIN == (int)FXI_MIN &&
                   (int)FX_WINDOW_XOR == (int)FXI_XOR,
               "fx_window_kind follows fxi_reduce_kind");

typedef struct lists {
    fxi_axis_list window, strides, base, dilation, low, high;
} lists;

/* One number per axis: the given ones, or the default (`like`: those of another list). */
static bool complete(const fxi_build *b, const fx_node *x, const char *what, fx_dims given,
                     const fxi_axis_list *like, int64_t otherwise, fxi_axis_list *list) {
    size_t rank = (size_t)x->shape.rank;
    if (given.n != 0 && (given.n != rank || !given.v)) {
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%zu %s for %s, which has rank %zu", given.n, what,
                         fx_shape_to_text(&x->shape).s, rank);
        return false;
    }
    list->n = rank;
    for (size_t i = 0; i < rank; i++) list->v[i] = given.n ? given.v[i] : like ? like->v[i] : otherwise;
    return true;
}

static bool complete_paddings(const fxi_build *b, const fx_node *x, fx_pads given, lists *l) {
    size_t rank = (size_t)x->shape.rank;
    if (given.n != 0 && (given.n != rank || !given.v)) {
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%zu paddings for %s, which has rank %zu", given.n,
                         fx_shape_to_text(&x->shape).s, rank);
        return false;
    }
    l->low.n = l->high.n = rank;
    for (size_t i = 0; i < rank; i++) {
        fx_pad_axis pad = given.n ? given.v[i] : (fx_pad_axis){0, 0, 0};
        l->low.v[i] = pad.start;
        l->high.v[i] = pad.end;
        if (pad.interior == 0) continue;
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE,
                         "interior padding %lld of axis %zu; base_dilations is meant for that",
                         (long long)pad.interior, i);
        return false;
    }
    return true;
}

static bool complete_all(const fxi_build *b, const fx_node *x, const fx_window_options *o, lists *l) {
    return complete(b, x, "window sizes", o->window, NULL, 1, &l->window) &&
           complete(b, x, "strides", o->strides, &l->window, 1, &l->strides) &&
           complete(b, x, "base dilations", o->base_dilations, NULL, 1, &l->base) &&
           complete(b, x, "window dilations", o->window_dilations, NULL, 1, &l->dilation) &&
           complete_paddings(b, x, o->paddings, l);
}

static fxi_attr attr_of(fxi_attr_id id, const fxi_axis_list *list) {
    return fxi_attr_ints(id, list->v, list->n);
}

/* (count - 1) distance + 1 places, 0 of nothing; false when they do not fit. */
static bool places_of(int64_t count, int64_t distance, int64_t *places) {
    if (count <= 0) return *places = 0, true;
    return !__builtin_mul_overflow(count - 1, distance, places) &&
           !__builtin_add_overflow(*places, 1, places);
}

/* Refuses windows that fit nowhere in an axis that has places. Sizes that overflow are left to the shape
 * rule. */
static bool check_fit(const fxi_build *b, const fx_node *x, const lists *l) {
    for (int i = 0; i < x->shape.rank; i++) {
        int64_t places, span;
        if (!places_of(x->shape.dims[i], l->base.v[i], &places) ||
            !places_of(l->window.v[i], l->dilation.v[i], &span) ||
            __builtin_add_overflow(places, l->low.v[i], &places) ||
            __builtin_add_overflow(places, l->high.v[i], &places))
            continue;
        if (places <= 0 || span <= places) continue;
        fxi_build_refuse(
            b, FX_ERROR_SHAPE,
            "a window of %lld places does not fit into axis %d of %s, which has %lld with its paddings",
            (long long)span, i, fx_shape_to_text(&x->shape).s, (long long)places);
        return false;
    }
    return true;
}

/* The axes that windows cover whole, one window each, when all others have windows of one element: that is a
 * reduction, which fuses with what is around it. Not of extremes of floats: equal elements share their
 * derivative in a reduction, in windows the first one has it. */
static bool is_reduction(const fx_node *x, fx_window_kind kind, const lists *l, fxi_axis_list *axes) {
    axes->n = 0;
    if ((kind == FX_WINDOW_MAX || kind == FX_WINDOW_MIN) && fx_dtype_is_float(x->shape.dtype)) return false;
    for (int i = 0; i < x->shape.rank; i++) {
        bool plain = l->low.v[i] == 0 && l->high.v[i] == 0 && l->base.v[i] == 1;
        if (!plain || l->window.v[i] < 1 || l->strides.v[i] < 1 || l->dilation.v[i] != 1) return false;
        if (l->window.v[i] == 1 && l->strides.v[i] == 1) continue;
        if (l->window.v[i] != x->shape.dims[i]) return false;
        axes->v[axes->n++] = i;
    }
    return axes->n > 0;
}

static fx_node *reduce_and_keep(const fxi_build *b, fx_node *x, fx_window_kind kind,
                                const fxi_axis_list *axes) {
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_KIND, kind),
                              fxi_attr_ints(FXI_ATTR_AXES, axes->v, axes->n)};
    fx_node *reduced = fxi_build_node(b, FX_OP_REDUCE, &x, 1, attrs, 2, NULL);
    int64_t dims[FX_MAX_RANK];
    for (int i = 0; i < x->shape.rank; i++) dims[i] = x->shape.dims[i];
    for (size_t i = 0; i < axes->n; i++) dims[axes->v[i]] = 1;
    return reduced && reduced->op != FX_OP_INERT ? fx_reshape(reduced, (fx_dims){dims, (size_t)x->shape.rank})
                                                 : reduced;
}

static const fx_window_options no_options;

fx_node *fx_reduce_window(fx_node *x, fx_window_kind kind, const fx_window_options *options) {
    fxi_build b;
    lists l;
    if (!fxi_build_begin(&b, "fx_reduce_window", &x, 1)) return b.stop;
    if (!complete_all(&b, x, options ? options : &no_options, &l) || !check_fit(&b, x, &l)) return b.stop;
    fxi_axis_list whole;
    if (is_reduction(x, kind, &l, &whole)) return reduce_and_keep(&b, x, kind, &whole);
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_KIND, kind),
                              attr_of(FXI_ATTR_WINDOW, &l.window),
                              attr_of(FXI_ATTR_STRIDES, &l.strides),
                              attr_of(FXI_ATTR_BASE_DILATION, &l.base),
                              attr_of(FXI_ATTR_WINDOW_DILATION, &l.dilation),
                              attr_of(FXI_ATTR_LOW, &l.low),
                              attr_of(FXI_ATTR_HIGH, &l.high)};
    return fxi_build_node(&b, FX_OP_REDUCE_WINDOW, &x, 1, attrs, 7, NULL);
}

static bool is_dilated(const fxi_axis_list *list) {
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i] != 1) return true;
    return false;
}

fx_node *fx_select_and_scatter(fx_node *x, fx_node *source, fx_window_kind kind,
                               const fx_window_options *options) {
    fxi_build b;
    lists l;
    fx_node *const operands[] = {x, source};
    if (!fxi_build_begin(&b, "fx_select_and_scatter", operands, 2)) return b.stop;
    if (!complete_all(&b, x, options ? options : &no_options, &l) || !check_fit(&b, x, &l)) return b.stop;
    if (is_dilated(&l.base) || is_dilated(&l.dilation))
        return fxi_build_refuse(&b, FX_ERROR_ATTRIBUTE, "windows that select cannot be dilated");
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_KIND, kind), attr_of(FXI_ATTR_WINDOW, &l.window),
                              attr_of(FXI_ATTR_STRIDES, &l.strides), attr_of(FXI_ATTR_LOW, &l.low),
                              attr_of(FXI_ATTR_HIGH, &l.high)};
    return fxi_build_node(&b, FX_OP_SELECT_AND_SCATTER, operands, 2, attrs, 5, NULL);
}
