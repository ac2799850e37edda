/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for window.h and pool.h. Programs write paddings as pairs [[start, end], ...], or "same" of pools. */
#include "cases.h"

#include <fluxion/pool.h>
#include <fluxion/window.h>
#include <string.h>

/* False after failing. Absent: none. */
static bool take_pads(struct eval *eval, const struct value *value, fx_pads *pads) {
    *pads = (fx_pads){NULL, 0};
    if (!value) return true;
    size_t n = value->kind == VALUE_LIST ? value->u.list.n : 0;
    fx_pad_axis *v = arena_alloc(eval->arena, n + 1, sizeof *v);
    bool ok = v && value->kind == VALUE_LIST;
    for (size_t i = 0; ok && i < n; i++) {
        const struct value *pair = value->u.list.v[i];
        ok = pair->kind == VALUE_LIST && pair->u.list.n == 2 && pair->u.list.v[0]->kind == VALUE_NUMBER &&
             pair->u.list.v[1]->kind == VALUE_NUMBER;
        if (ok) v[i] = (fx_pad_axis){pair->u.list.v[0]->u.number.i, pair->u.list.v[1]->u.number.i, 0};
    }
    if (ok)
        *pads = (fx_pads){v, n};
    else
        case_eval_fail(eval, "paddings are [[start, end], ...]");
    return ok;
}

/* ---- windows ---- */

static fx_window_options window_options(struct eval *eval, const struct value *window,
                                        const struct value *strides) {
    return (fx_window_options){.window = case_arg_dims(eval, window),
                               .strides = case_arg_dims(eval, strides)};
}

static struct value *call_reduce_window(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    static const char *const words[] = {"sum", "product", "max", "min"};
    int kind = 0;
    while (kind < 4 && strcmp(words[kind], args[1]->u.s) != 0) kind++;
    if (kind == 4) return case_eval_fail(eval, "no kind of windows: %s", args[1]->u.s);
    fx_window_options o = window_options(eval, args[2], args[3]);
    o.base_dilations = case_arg_dims(eval, args[4]);
    o.window_dilations = case_arg_dims(eval, args[5]);
    if (!take_pads(eval, args[6], &o.paddings)) return NULL;
    return case_value_node(eval, fx_reduce_window(args[0]->u.node, (fx_window_kind)kind, &o));
}

static struct value *call_select(struct eval *eval, const struct op *op, struct value *const *args) {
    fx_window_kind kind = strcmp(op->name, "select_and_scatter_max") == 0 ? FX_WINDOW_MAX : FX_WINDOW_MIN;
    fx_window_options o = window_options(eval, args[2], args[3]);
    if (!take_pads(eval, args[4], &o.paddings)) return NULL;
    return case_value_node(eval, fx_select_and_scatter(args[0]->u.node, args[1]->u.node, kind, &o));
}

/* ---- pools ---- */

static const struct {
    const char *name;
    fx_node *(*pool)(fx_node *, const fx_pool_options *);
} pools[] = {{"max_pool", fx_max_pool},
             {"min_pool", fx_min_pool},
             {"sum_pool", fx_sum_pool},
             {"mean_pool", fx_mean_pool},
             {"concat_pool", fx_concat_pool}};

static struct value *call_pool(struct eval *eval, const struct op *op, struct value *const *args) {
    fx_pool_options o = {.window = case_arg_dims(eval, args[1]), .strides = case_arg_dims(eval, args[2])};
    o.pad_same = args[3] && args[3]->kind == VALUE_STRING && strcmp(args[3]->u.s, "same") == 0;
    if (!o.pad_same && !take_pads(eval, args[3], &o.paddings)) return NULL;
    o.channels_first = args[4] && strcmp(args[4]->u.s, "first") == 0;
    o.full_shape = args[5] && args[5]->u.b;
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        if (strcmp(pools[i].name, op->name) == 0)
            return case_value_node(eval, pools[i].pool(args[0]->u.node, &o));
    return case_eval_fail(eval, "no pool %s", op->name);
}

static struct value *call_interpolate(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    const fx_interpolate_options o = {.nearest = args[2] && strcmp(args[2]->u.s, "nearest") == 0,
                                      .align_corners = args[3] && args[3]->u.b,
                                      .half_pixel_centers = !args[4]       ? 0
                                                            : args[4]->u.b ? 1
                                                                           : -1};
    return case_value_node(eval, fx_interpolate(args[0]->u.node, case_arg_dims(eval, args[1]), &o));
}

/* ---- running combinations ---- */

typedef fx_node *cumulative_fn(fx_node *, int);
static const struct {
    const char *name;
    cumulative_fn *run;
} scans[] = {
    {"cum_sum", fx_cum_sum}, {"cum_prod", fx_cum_prod}, {"cum_max", fx_cum_max}, {"cum_min", fx_cum_min}};

static struct value *call_scan(struct eval *eval, const struct op *op, struct value *const *args) {
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++)
        if (strcmp(scans[i].name, op->name) == 0)
            return case_value_node(eval, scans[i].run(args[0]->u.node, case_arg_int(args[1], 0)));
    return case_eval_fail(eval, "no scan %s", op->name);
}

#define POOL(name)                                                                                           \
    {                                                                                                        \
        name, "n:x a:window? a:strides? v:padding? s:channels? b:full_shape?", call_pool, {                  \
            .unary = NULL                                                                                    \
        }                                                                                                    \
    }
#define SELECT(name)                                                                                         \
    {                                                                                                        \
        name, "n:x n:source a:window a:strides? v:paddings?", call_select, {                                 \
            .unary = NULL                                                                                    \
        }                                                                                                    \
    }
#define SCAN(name)                                                                                           \
    {                                                                                                        \
        name, "n:x i:axis", call_scan, {                                                                     \
            .unary = NULL                                                                                    \
        }                                                                                                    \
    }
static const struct op ops[] = {
    {"backend_reduce_window",
     "n:x s:kind a:window? a:strides? a:input_dilations? a:window_dilations? v:paddings?",
     call_reduce_window,
     {.unary = NULL}},
    SELECT("select_and_scatter_max"),
    SELECT("select_and_scatter_min"),
    POOL("max_pool"),
    POOL("min_pool"),
    POOL("sum_pool"),
    POOL("mean_pool"),
    POOL("concat_pool"),
    {"interpolate",
     "n:x a:sizes s:method? b:align_corner? b:half_pixel_centers?",
     call_interpolate,
     {.unary = NULL}},
    SCAN("cum_sum"),
    SCAN("cum_prod"),
    SCAN("cum_max"),
    SCAN("cum_min"),
};

const struct op_table case_ops_window = {ops, sizeof ops / sizeof *ops};
