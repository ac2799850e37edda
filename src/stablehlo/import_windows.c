/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_window and select_and_scatter.
 *
 * StableHLO fills padding and the gaps of dilations with the initial value and begins each window with it.
 * The library's kinds count neither, which is the same where the initial value is neutral, and where taking
 * it twice is taking it once (maximum, minimum, and, or). Everything else goes to fx_reduce_window_with.
 *
 * select_and_scatter selects by a region: one that compares for >= or <= takes the first largest or smallest
 * element, which the library does alike but for NaN (a comparison with NaN is false, so that the next element
 * is taken). Any other selection is a reduction over pairs of element and index, and the scatter of the
 * source to these indices. */
#include "stablehlo/import_scatter.h"
#include <fluxion/combine.h>
#include <fluxion/control.h>
#include <fluxion/window.h>

typedef struct read_options {
    fx_window_options options;
    fx_pad_axis pads[FX_MAX_RANK];
} read_options;

/* (count - 1) distance + 1, 0 of nothing; false for what is wrong or does not fit. */
static bool places_of(int64_t count, int64_t distance, int64_t *places) {
    if (count == 0) return *places = 0, true;
    return count > 0 && distance > 0 && !__builtin_mul_overflow(count - 1, distance, places) &&
           !__builtin_add_overflow(*places, 1, places);
}

/* A window that is larger than a padded axis gives an empty result here, where the library takes it for a
 * mistake unless nothing of the axis is left. So such an axis is cut to nothing. */
static void cut_short_axes(const fx_node *x, read_options *r) {
    const fx_window_options *o = &r->options;
    for (int i = 0; i < fx_node_rank(x); i++) {
        int64_t places, span;
        if (places_of(fx_node_dim(x, i), o->base_dilations.v[i], &places) &&
            places_of(o->window.v[i], o->window_dilations.v[i], &span) &&
            !__builtin_add_overflow(places, r->pads[i].start, &places) &&
            !__builtin_add_overflow(places, r->pads[i].end, &places) && places > 0 && span > places)
            (void)__builtin_sub_overflow(r->pads[i].end, places, &r->pads[i].end);
    }
}

static bool read_window(fxi_hlo_import *im, const fxi_hlo_op *op, const fx_node *x, read_options *r) {
    size_t n = (size_t)fx_node_rank(x);
    fx_window_options *o = &r->options;
    *o = (fx_window_options){.size = sizeof *o};
    if (!fxi_hlo_attr_ints_or(im, op, "window_dimensions", n, 1, &o->window) ||
        !fxi_hlo_attr_ints_or(im, op, "window_strides", n, 1, &o->strides) ||
        !fxi_hlo_attr_ints_or(im, op, "base_dilations", n, 1, &o->base_dilations) ||
        !fxi_hlo_attr_ints_or(im, op, "window_dilations", n, 1, &o->window_dilations) ||
        !fxi_hlo_attr_pads(im, op, n, r->pads))
        return false;
    o->paddings = (fx_pads){r->pads, n};
    cut_short_axes(x, r);
    return true;
}

/* ---- reduce_window ---- */

/* The kind of the library for a combination of elements of that dtype, -1: none. */
static int kind_of(fxi_hlo_combine combine, fx_dtype dtype) {
    if (combine > FXI_HLO_COMBINE_XOR) return -1;
    bool bits = combine >= FXI_HLO_COMBINE_AND;
    if (dtype == FX_BOOL && combine == FXI_HLO_COMBINE_SUM) return FX_WINDOW_OR;
    if (dtype == FX_BOOL && combine == FXI_HLO_COMBINE_PRODUCT) return FX_WINDOW_AND;
    if (bits && dtype != FX_BOOL && !fx_dtype_is_integer(dtype)) return -1;
    if (fx_dtype_is_complex(dtype) && combine > FXI_HLO_COMBINE_PRODUCT) return -1;
    return (int)combine; /* the enums agree: sum, product, max, min, and, or, xor */
}

/* Whether combining with the initial value any number of times changes as little as once. */
static bool counts_once(int kind, const fx_node *initial) {
    switch (kind) {
    case FX_WINDOW_SUM:
    case FX_WINDOW_XOR: return fxi_hlo_is_all(initial, 0);
    case FX_WINDOW_PRODUCT: return fxi_hlo_is_all(initial, 1);
    default: return kind >= 0;
    }
}

static bool rule_reduce_window(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    size_t n = op->n_operands / 2;
    read_options r;
    if (n == 0 || op->n_operands % 2 || op->n_results != n)
        return fxi_hlo_wrong(im, op->place, "%zu operands and %zu results", op->n_operands, op->n_results);
    if (!read_window(im, op, in[0], &r)) return false;
    const fxi_hlo_region *region = op->regions[0];
    fxi_hlo_combine combine = n == 1 ? fxi_hlo_region_combine(region) : FXI_HLO_COMBINE_OTHER;
    int kind = kind_of(combine, fx_node_dtype(in[0]));
    if (fx_node_dtype(in[0]) == fxi_hlo_result_shape(op, 0)->dtype && fx_node_rank(in[1]) == 0 &&
        fx_node_dtype(in[0]) == fx_node_dtype(in[1]) && counts_once(kind, in[n])) {
        fx_node *reduced = fx_reduce_window(in[0], (fx_window_kind)kind, &r.options);
        bool neutral = kind == FX_WINDOW_SUM || kind == FX_WINDOW_PRODUCT || kind == FX_WINDOW_XOR;
        out[0] = neutral ? reduced : fxi_hlo_combine_two(combine, in[1], reduced);
        return true;
    }
    fxi_hlo_closure closure = {.im = im, .region = region};
    fx_reduce_window_with((fx_nodes){in, n}, (fx_nodes){in + n, n}, &r.options, fxi_hlo_closure_fn, &closure,
                          out);
    return im->err->code == FX_OK;
}

/* ---- select_and_scatter ---- */

/* Whether a region is one comparison of its arguments in this order or the other: the kind that it selects
 * and -1 for any other. Ties must keep the first argument. */
static int selection_of(const fxi_hlo_region *region) {
    if (region->n_ops != 2 || region->n_arguments != 2) return -1;
    const fxi_hlo_op *compare = region->ops[0], *end = region->ops[1];
    if (!fxi_hlo_span_is(compare->name, "stablehlo.compare") || compare->n_operands != 2 ||
        compare->n_results != 1 || end->n_operands != 1 || end->operands[0] != compare->results[0])
        return -1;
    bool straight =
        compare->operands[0] == region->arguments[0] && compare->operands[1] == region->arguments[1];
    bool crossed =
        compare->operands[0] == region->arguments[1] && compare->operands[1] == region->arguments[0];
    const fxi_hlo_attr *direction = fxi_hlo_find(&compare->attrs, "comparison_direction");
    const fxi_hlo_attr *type = fxi_hlo_find(&compare->attrs, "compare_type");
    if (!direction || (!straight && !crossed) || (type && fxi_hlo_span_is(type->text, "TOTALORDER")))
        return -1;
    bool at_least = fxi_hlo_span_is(direction->text, "GE"), at_most = fxi_hlo_span_is(direction->text, "LE");
    if (!at_least && !at_most) return -1;
    return at_least == straight ? FX_WINDOW_MAX : FX_WINDOW_MIN;
}

typedef struct selection {
    fxi_hlo_import *im;
    const fxi_hlo_op *op;
    fx_node *const *in; /* x, source, initial */
    const fx_window_options *options;
} selection;

/* Pairs (element, index), the index -1 where there is none: what is selected of two. */
static void select_pair(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    const selection *s = user;
    fxi_hlo_closure closure = {.im = s->im, .region = s->op->regions[0]};
    fx_node *first;
    (void)n_in, (void)n_out;
    fxi_hlo_closure_fn(body, (fx_node *const[]){in[0], in[2]}, 2, &first, 1, &closure);
    if (s->im->err->code != FX_OK) return;
    fx_node *no_first = fx_less_scalar_int(in[1], 0), *no_second = fx_less_scalar_int(in[3], 0);
    first = fx_or(no_second, fx_and(first, fx_not(no_first)));
    out[0] = fx_select(first, in[0], in[2]);
    out[1] = fx_select(first, in[1], in[3]);
}

/* The whole operation by pairs: windows, then a scatter of the source into x as a vector. Windows without an
 * element have index -1, which lies outside. */
static bool select_by_pairs(const selection *s, fx_node **out) {
    fxi_hlo_import *im = s->im;
    fx_shape shape = *fx_node_shape(s->in[0]);
    shape.dtype = FX_S64;
    const int64_t size = fx_shape_size(&shape), n_source = fx_shape_size(fx_node_shape(s->in[1]));
    fx_node *chosen[2], *places = fx_iota_full(im->graph, &shape);
    fx_reduce_window_with((fx_nodes){(fx_node *const[]){s->in[0], places}, 2},
                          (fx_nodes){(fx_node *const[]){fx_scalar_zero(im->graph, fx_node_dtype(s->in[0])),
                                                        fx_scalar_int(im->graph, FX_S64, -1)},
                                     2},
                          s->options, select_pair, (void *)s, chosen);
    if (im->err->code != FX_OK) return false;
    if (!fx_shape_equal_dims(fx_node_shape(chosen[1]), fx_node_shape(s->in[1])))
        return fxi_hlo_wrong(im, s->op->place, "the source is %s, the windows are %s",
                             fx_shape_to_text(fx_node_shape(s->in[1])).s,
                             fx_shape_to_text(fx_node_shape(chosen[1])).s);
    fx_node *x = fxi_hlo_fill(s->in[2], &(fx_shape){.rank = 1, .dims = {size}}), *made;
    fx_node *updates = fx_reshape(s->in[1], (fx_dims){&n_source, 1});
    fxi_hlo_scatter scatter = {.im = im,
                               .op = s->op,
                               .n = 1,
                               .x = &x,
                               .updates = &updates,
                               .inserted = {{0}, 1},
                               .map = {{0}, 1},
                               .index_axis = 1};
    scatter.indices = fx_reshape(chosen[1], (fx_dims){(const int64_t[]){n_source, 1}, 2});
    if (fxi_hlo_region_combine(s->op->regions[1]) == FXI_HLO_COMBINE_SUM)
        made = fx_scatter_general(x, scatter.indices, updates, FX_SCATTER_SUM,
                                  &(fx_scatter_options){.inserted_axes = {(const int[]){0}, 1},
                                                        .index_map = {(const int[]){0}, 1},
                                                        .index_axis = 1});
    else if (!fxi_hlo_scatter_windows(&scatter, s->op->regions[1], &made))
        return false;
    out[0] = fx_reshape_with_shape(made, &shape);
    return true;
}

typedef struct quick_selection {
    const selection *s;
    int kind;
} quick_selection;

static void pairs_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    (void)in, (void)n_in, (void)n_out;
    const quick_selection *q = user;
    fxi_hlo_import *im = q->s->im;
    fx_graph *around = im->graph;
    im->graph = body;
    im->regions++;
    select_by_pairs(q->s, out);
    im->regions--;
    im->graph = around;
}

static fx_node *select_quickly(const selection *s, int kind) {
    fx_node *made = fx_select_and_scatter(s->in[0], s->in[1], (fx_window_kind)kind, s->options);
    return fxi_hlo_is_all(s->in[2], 0) ? made : fx_add(made, s->in[2]);
}

static void quick_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    (void)body, (void)in, (void)n_in, (void)n_out;
    const quick_selection *q = user;
    out[0] = select_quickly(q->s, q->kind);
}

static bool rule_select_and_scatter(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                    fx_node **out) {
    read_options r;
    if (!read_window(im, op, in[0], &r)) return false;
    fx_dtype dtype = fx_node_dtype(in[0]);
    const selection s = {im, op, in, &r.options};
    quick_selection q = {&s, selection_of(op->regions[0])};
    bool quick = q.kind >= 0 && fxi_hlo_region_combine(op->regions[1]) == FXI_HLO_COMBINE_SUM &&
                 dtype != FX_BOOL && !fx_dtype_is_complex(dtype) && fx_node_dtype(in[1]) == dtype;
    if (!quick) return select_by_pairs(&s, out);
    if (!fx_dtype_is_float(dtype)) {
        out[0] = select_quickly(&s, q.kind);
        return true;
    }
    fx_node *any_nan = fx_logical_any(fx_is_nan(in[0]), (fx_axes){NULL, 0});
    fx_if(any_nan, pairs_fn, quick_fn, 1, &q, out);
    return im->err->code == FX_OK;
}

static const fxi_hlo_row rows[] = {
    {"stablehlo.reduce_window", FXI_HLO_ANY, FXI_HLO_ANY, 1, rule_reduce_window},
    {"stablehlo.select_and_scatter", 3, 1, 2, rule_select_and_scatter},
};
const fxi_hlo_table fxi_hlo_windows = FXI_HLO_TABLE(rows);
