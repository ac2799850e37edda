/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions and scans with a closure (combine.h). The closure is inlined for whole arrays (batch.h): a
 * reduction combines neighbours, elements 0 2 4 ... with 1 3 5 ..., until one is left; a scan does the
 * same and then fills in what lies between (Blelloch, "Prefix sums and their applications", 1990). */
#include "batch.h"
#include <fluxion/combine.h>
#include <fluxion/indexing.h>
#include <fluxion/sugar.h>

/* Arrays that are combined together, and the closure. */
typedef struct combiner {
    fxi_build b;
    size_t count;         /* of arrays */
    const fx_graph *body; /* 2 count inputs, count outputs */
    fxi_batched *values;  /* room for the body's nodes */
} combiner;

/* out[i] = body(a, b): all have their elements along axis 0, or, where not `batched`, one element for all. */
static bool combine_arrays(const combiner *c, int64_t size, fx_node *const *a, bool batched,
                           fx_node *const *b, fx_node **out) {
    fxi_batch batch = {&c->b, size, c->values};
    for (size_t i = 0; i < c->count; i++) {
        c->values[c->body->parameters.data[i]->id] = (fxi_batched){a[i], batched};
        c->values[c->body->parameters.data[c->count + i]->id] = (fxi_batched){b[i], true};
    }
    for (size_t i = 0; i < c->body->captures.count; i++)
        c->values[c->body->captures.data[i]->inner->id] =
            (fxi_batched){c->body->captures.data[i]->outer, false};
    if (!fxi_batch_inline(&batch, c->body)) return false;
    for (size_t i = 0; i < c->count; i++)
        out[i] = fxi_batch_spread(&batch, c->values[c->body->outputs[i]->id]);
    return true;
}

/* Elements first, first + step, ... of axis 0, `count` of them. */
static fx_node *every(const combiner *c, fx_node *x, int64_t first, int64_t step, int64_t count) {
    int64_t starts[FX_MAX_RANK] = {first}, limits[FX_MAX_RANK], strides[FX_MAX_RANK] = {step};
    for (int i = 0; i < x->shape.rank; i++) limits[i] = x->shape.dims[i];
    for (int i = 1; i < x->shape.rank; i++) strides[i] = 1;
    limits[0] = count > 0 ? first + (count - 1) * step + 1 : first;
    const size_t rank = (size_t)x->shape.rank;
    const fxi_attr attrs[] = {fxi_attr_ints(FXI_ATTR_STARTS, starts, rank),
                              fxi_attr_ints(FXI_ATTR_LIMITS, limits, rank),
                              fxi_attr_ints(FXI_ATTR_STRIDES, strides, rank)};
    return fxi_build_node(&c->b, FX_OP_SLICE, &x, 1, attrs, 3, NULL);
}

static fx_node *join(const combiner *c, fx_node *x, fx_node *y) {
    const fxi_attr axis = fxi_attr_int(FXI_ATTR_AXIS, 0);
    return fxi_build_node(&c->b, FX_OP_CONCATENATE, (fx_node *const[]){x, y}, 2, &axis, 1, NULL);
}

static fx_node *reshaped(const combiner *c, fx_node *x, const fx_shape *dims) {
    fx_shape shape = *dims;
    shape.dtype = x->shape.dtype;
    return x->op == FX_OP_INERT ? x : fxi_build_node(&c->b, FX_OP_RESHAPE, &x, 1, NULL, 0, &shape);
}

/* ---- checks ---- */

static bool refuse(const combiner *c, fx_error_code code, const char *what) {
    fxi_build_refuse(&c->b, code, "%s", what);
    return false;
}

static bool check_operands(const combiner *c, fx_nodes operands) {
    for (size_t i = 1; i < operands.n; i++) {
        fx_shape other = operands.v[i]->shape;
        other.dtype = operands.v[0]->shape.dtype;
        if (!fx_shape_equal(&other, &operands.v[0]->shape))
            return refuse(c, FX_ERROR_SHAPE, "the operands differ in their dimensions");
    }
    return true;
}

static bool check_initials(const combiner *c, fx_nodes operands, fx_nodes initials) {
    if (initials.n != operands.n)
        return refuse(c, FX_ERROR_ARGUMENT, "there must be one initial value per operand");
    for (size_t i = 0; i < operands.n; i++)
        if (initials.v[i]->shape.rank != 0 || initials.v[i]->shape.dtype != operands.v[i]->shape.dtype)
            return refuse(c, FX_ERROR_SHAPE, "an initial value is not a scalar of its operand's dtype");
    return true;
}

/* Builds the closure for elements of these shapes, given twice, and checks what it gives. */
static bool build_body(combiner *c, const fx_shape *elements, fx_fn combine, void *user) {
    fx_shape *twice = fxi_alloc_zeroed(2 * c->count, sizeof *twice);
    if (!twice) return refuse(c, FX_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < 2 * c->count; i++) twice[i] = elements[i % c->count];
    c->body = fxi_closure_build(c->b.graph, c->b.name, combine, user, twice, 2 * c->count, c->count);
    fxi_free(twice);
    if (!c->body) return false;
    for (size_t i = 0; i < c->count; i++)
        if (!fx_shape_equal(&c->body->outputs[i]->shape, &elements[i]))
            return refuse(c, FX_ERROR_SHAPE, "the closure gives another dtype or shape than it takes");
    c->values = fxi_alloc_zeroed(c->body->nodes.count, sizeof *c->values);
    return c->values || refuse(c, FX_ERROR_MEMORY, "out of memory");
}

/* All operands and initial values in one list, for the checks that every builder makes. */
static bool begin(combiner *c, const char *name, fx_nodes operands, fx_nodes initials) {
    *c = (combiner){.count = operands.v ? operands.n : 0};
    if (!fxi_build_begin(&c->b, name, operands.v, c->count) || c->count == 0) return false;
    fxi_build second; /* which has no graph to tell when there are no nodes */
    size_t n = initials.v ? initials.n : 0;
    if (initials.n == 0 || fxi_build_begin(&second, name, initials.v, n)) return true;
    fxi_build_refuse(&c->b, FX_ERROR_ARGUMENT, "the initial values are NULL");
    return false;
}

/* ---- reductions ---- */

/* x: per operand [n, rest]; afterwards [1, rest] or, for n = 0, untouched. `pair`: room for three lists. */
static bool reduce_pairs(const combiner *c, fx_node **x, int64_t n, int64_t rest, fx_node **pair) {
    fx_node **a = pair, **b = pair + c->count, **out = pair + 2 * c->count;
    for (int64_t m; n > 1; n = m + n % 2) {
        m = n / 2;
        const fx_shape flat = {.rank = 1, .dims = {m * rest}}, rows = {.rank = 2, .dims = {m, rest}};
        for (size_t i = 0; i < c->count; i++) {
            a[i] = reshaped(c, every(c, x[i], 0, 2, m), &flat);
            b[i] = reshaped(c, every(c, x[i], 1, 2, m), &flat);
        }
        if (!combine_arrays(c, m * rest, a, true, b, out)) return false;
        for (size_t i = 0; i < c->count; i++) {
            fx_node *left = n % 2 ? every(c, x[i], n - 1, 1, 1) : NULL;
            x[i] = reshaped(c, out[i], &rows);
            if (left) x[i] = join(c, x[i], left);
        }
    }
    return true;
}

/* x: per operand [n, rest]; results have the dimensions of `kept`. */
static bool reduce_rows(const combiner *c, fx_node **x, fx_nodes initials, int64_t n, int64_t rest,
                        const fx_shape *kept, fx_node **pair) {
    const fx_shape flat = {.rank = 1, .dims = {rest}};
    fx_node **out = pair + 2 * c->count;
    if (!reduce_pairs(c, x, n, rest, pair)) return false;
    fxi_batch batch = {&c->b, rest, NULL};
    for (size_t i = 0; i < c->count && n > 0; i++) x[i] = reshaped(c, x[i], &flat);
    if (n > 0 && !combine_arrays(c, rest, initials.v, false, x, out)) return false;
    for (size_t i = 0; i < c->count; i++)
        x[i] =
            reshaped(c, n > 0 ? out[i] : fxi_batch_spread(&batch, (fxi_batched){initials.v[i], false}), kept);
    return true;
}

/* Reduced axes in front, in their order, as one; the others, `kept`, as a second one. */
static fx_node *to_rows(const combiner *c, fx_node *x, const fxi_axis_list *axes, int64_t *n, int64_t *rest,
                        fx_shape *kept) {
    int64_t permutation[FX_MAX_RANK];
    size_t count = 0;
    bool reduced[FX_MAX_RANK] = {false};
    for (size_t i = 0; i < axes->n; i++) reduced[axes->v[i]] = true;
    *kept = (fx_shape){.dtype = x->shape.dtype};
    *n = *rest = 1;
    for (int axis = 0; axis < x->shape.rank; axis++) {
        if (!reduced[axis]) continue;
        permutation[count++] = axis;
        *n *= x->shape.dims[axis];
    }
    for (int axis = 0; axis < x->shape.rank; axis++) {
        if (reduced[axis]) continue;
        permutation[count++] = axis;
        kept->dims[kept->rank++] = x->shape.dims[axis];
        *rest *= x->shape.dims[axis];
    }
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_PERMUTATION, permutation, count);
    const fx_shape rows = {.rank = 2, .dims = {*n, *rest}};
    return reshaped(c, fxi_build_node(&c->b, FX_OP_TRANSPOSE, &x, 1, &attr, 1, NULL), &rows);
}

static fx_node *finish(combiner *c, fx_node **x, bool ok, fx_node **results) {
    fx_node *first = ok ? x[0] : c->b.stop;
    for (size_t i = 0; results && i < c->count; i++) results[i] = ok ? x[i] : c->b.stop;
    fxi_free(c->values);
    fxi_free(x);
    return first;
}

/* Four lists of nodes: the arrays, and what reduce_pairs works in. */
static fx_node **new_lists(const combiner *c) {
    fx_node **x = fxi_alloc_zeroed(4 * c->count + 1, sizeof *x);
    if (!x) refuse(c, FX_ERROR_MEMORY, "out of memory");
    return x;
}

static bool build_scalar_body(combiner *c, fx_nodes operands, fx_fn combine, void *user) {
    fx_shape *elements = fxi_alloc_zeroed(c->count, sizeof *elements);
    if (!elements) return refuse(c, FX_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < c->count; i++) elements[i].dtype = operands.v[i]->shape.dtype;
    bool ok = build_body(c, elements, combine, user);
    fxi_free(elements);
    return ok;
}

fx_node *fx_reduce_with(fx_nodes operands, fx_nodes initials, fx_axes axes, fx_fn combine, void *user,
                        fx_node **results) {
    combiner c;
    fxi_axis_list list;
    if (!begin(&c, "fx_reduce_with", operands, initials)) return finish(&c, NULL, false, results);
    bool ok = check_operands(&c, operands) && check_initials(&c, operands, initials) &&
              fxi_build_reduced_axes(&c.b, operands.v[0], axes, &list) &&
              build_scalar_body(&c, operands, combine, user);
    fx_node **x = ok ? new_lists(&c) : NULL;
    if (x) {
        fx_shape kept = {0};
        int64_t n = 1, rest = 1;
        for (size_t i = 0; i < c.count; i++) x[i] = to_rows(&c, operands.v[i], &list, &n, &rest, &kept);
        ok = reduce_rows(&c, x, initials, n, rest, &kept, x + c.count);
    }
    return finish(&c, x, ok && x, results);
}

/* ---- windows: the elements of all windows are gathered, then reduced ---- */

/* One number per axis of x: the given ones or a default. */
static int64_t number(fx_dims given, int axis, int64_t otherwise) {
    return given.n ? given.v[axis] : otherwise;
}

static fx_node *padded(fx_node *x, fx_node *initial, const fx_window_options *o) {
    fx_pad_axis pads[FX_MAX_RANK];
    for (int i = 0; i < x->shape.rank; i++) {
        pads[i] = o->paddings.n ? o->paddings.v[i] : (fx_pad_axis){0, 0, 0};
        pads[i].interior = number(o->base_dilations, i, 1) - 1;
    }
    return fx_pad(x, initial, (fx_pads){pads, (size_t)x->shape.rank});
}

/* Place in the flattened, padded array of each element of each window: [windows' elements, windows]. */
static fx_node *window_places(const combiner *c, const fx_shape *from, const fx_window_options *o,
                              const fx_shape *windows) {
    fx_shape all = {.dtype = FX_S64, .rank = 2 * from->rank};
    fx_node *places = NULL;
    int64_t step = 1, elements = 1, count = 1;
    for (int i = 0; i < from->rank; i++) {
        all.dims[i] = number(o->window, i, 1);
        all.dims[from->rank + i] = windows->dims[i];
        elements *= all.dims[i];
        count *= windows->dims[i];
    }
    for (int i = from->rank - 1; i >= 0; i--) {
        int64_t stride = number(o->strides, i, number(o->window, i, 1));
        fx_node *inside =
            fx_mul_scalar_int(fx_iota(c->b.graph, &all, i), number(o->window_dilations, i, 1) * step);
        fx_node *outside = fx_mul_scalar_int(fx_iota(c->b.graph, &all, from->rank + i), stride * step);
        fx_node *both = fx_add(inside, outside);
        places = places ? fx_add(places, both) : both;
        step *= from->dims[i];
    }
    const fx_shape rows = {.rank = 1, .dims = {elements * count}};
    return places ? reshaped(c, places, &rows) : fx_reshape(fx_scalar_int(c->b.graph, FX_S64, 0), FX_DIMS(1));
}

/* Has fx_reduce_window check the options and tell the windows' dimensions. */
static bool windows_of(const combiner *c, const fx_node *x, const fx_window_options *o, fx_shape *windows) {
    fx_shape shape = x->shape;
    shape.dtype = FX_F32;
    fx_node *checked = fx_reduce_window(fx_zeros(c->b.graph, &shape), FX_WINDOW_MAX, o);
    *windows = checked->shape;
    return checked->op != FX_OP_INERT;
}

static bool reduce_windows(const combiner *c, fx_nodes operands, fx_nodes initials,
                           const fx_window_options *o, fx_node **x) {
    fx_shape windows;
    if (!windows_of(c, operands.v[0], o, &windows)) return false;
    fx_node *places = NULL;
    int64_t count = fx_shape_size(&windows), n = 1, all = 0;
    for (int i = 0; i < windows.rank; i++)
        if (!fxi_size_mul(n, number(o->window, i, 1), &n))
            return refuse(c, FX_ERROR_MEMORY, "windows are too large");
    if (!fxi_size_mul(n, count, &all)) return refuse(c, FX_ERROR_MEMORY, "windows are too large");
    for (size_t i = 0; i < c->count; i++) {
        fx_node *whole = padded(operands.v[i], initials.v[i], o);
        if (whole->op == FX_OP_INERT) return false;
        if (!places) places = window_places(c, &whole->shape, o, &windows);
        const fx_shape rows = {.rank = 2, .dims = {n, count}};
        x[i] =
            reshaped(c, fx_take(fx_reshape(whole, FX_DIMS(fx_shape_size(&whole->shape))), places, 0), &rows);
    }
    return reduce_rows(c, x, initials, n, count, &windows, x + c->count);
}

fx_node *fx_reduce_window_with(fx_nodes operands, fx_nodes initials, const fx_window_options *options,
                               fx_fn combine, void *user, fx_node **results) {
    combiner c;
    const fx_window_options none = {0};
    if (!begin(&c, "fx_reduce_window_with", operands, initials)) return finish(&c, NULL, false, results);
    bool ok = check_operands(&c, operands) && check_initials(&c, operands, initials);
    if (ok && operands.v[0]->shape.rank > FX_MAX_RANK / 2)
        ok = refuse(&c, FX_ERROR_SHAPE, "the rank is above 8");
    ok = ok && build_scalar_body(&c, operands, combine, user);
    fx_node **x = ok ? new_lists(&c) : NULL;
    ok = x && reduce_windows(&c, operands, initials, options ? options : &none, x);
    return finish(&c, x, ok, results);
}

/* ---- scans ---- */

enum { LEVELS = 64 };

/* Elements 0, 2, 4, ... and 1, 3, 5, ... in turn; `first` has as many as `second` or one more. */
static fx_node *interleave(const combiner *c, fx_node *first, fx_node *second) {
    int64_t m = second->shape.dims[0], extra = first->shape.dims[0] - m;
    fx_node *pairs = fx_stack(FX_NODES(every(c, first, 0, 1, m), second), 1);
    fx_shape shape = second->shape;
    shape.dims[0] = 2 * m;
    fx_node *joined = reshaped(c, pairs, &shape);
    return extra ? join(c, joined, every(c, first, m, 1, 1)) : joined;
}

/* levels[l]: the arrays of that level, each half as long as those before. */
static bool scan_down(const combiner *c, fx_node *(*levels)[LEVELS], int64_t *lengths, int *depth,
                      fx_node **pair) {
    fx_node **a = pair, **b = pair + c->count, **out = pair + 2 * c->count;
    for (; lengths[*depth] > 1; ++*depth) {
        int64_t m = lengths[*depth] / 2;
        for (size_t i = 0; i < c->count; i++) {
            a[i] = every(c, levels[i][*depth], 0, 2, m);
            b[i] = every(c, levels[i][*depth], 1, 2, m);
        }
        if (!combine_arrays(c, m, a, true, b, out)) return false;
        for (size_t i = 0; i < c->count; i++) levels[i][*depth + 1] = out[i];
        lengths[*depth + 1] = m;
    }
    return true;
}

/* On the way back a level's odd elements are known; even ones after the first combine those with the
 * level's own. */
static bool scan_up(const combiner *c, fx_node *(*levels)[LEVELS], const int64_t *lengths, int depth,
                    fx_node **pair) {
    fx_node **a = pair, **b = pair + c->count, **out = pair + 2 * c->count;
    while (depth-- > 0) {
        int64_t n = lengths[depth], evens = (n - 1) / 2;
        for (size_t i = 0; i < c->count && evens > 0; i++) {
            a[i] = every(c, levels[i][depth + 1], 0, 1, evens);
            b[i] = every(c, levels[i][depth], 2, 2, evens);
        }
        if (evens > 0 && !combine_arrays(c, evens, a, true, b, out)) return false;
        for (size_t i = 0; i < c->count; i++) {
            fx_node *first = every(c, levels[i][depth], 0, 1, 1);
            levels[i][depth] =
                interleave(c, evens > 0 ? join(c, first, out[i]) : first, levels[i][depth + 1]);
        }
    }
    return true;
}

static bool scan_all(const combiner *c, fx_node **x, int64_t n) {
    fx_node *(*levels)[LEVELS] = fxi_alloc_zeroed(c->count, sizeof *levels);
    int64_t lengths[LEVELS] = {n};
    int depth = 0;
    if (!levels) return refuse(c, FX_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < c->count; i++) levels[i][0] = x[i];
    bool ok = scan_down(c, levels, lengths, &depth, x + c->count) &&
              scan_up(c, levels, lengths, depth, x + c->count);
    for (size_t i = 0; i < c->count; i++) x[i] = levels[i][0];
    fxi_free(levels);
    return ok;
}

static bool build_slice_body(combiner *c, fx_nodes operands, int axis, fx_fn combine, void *user) {
    fx_shape *elements = fxi_alloc_zeroed(c->count, sizeof *elements);
    if (!elements) return refuse(c, FX_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < c->count; i++) {
        const fx_shape *x = &operands.v[i]->shape;
        elements[i].dtype = x->dtype;
        for (int k = 0; k < x->rank; k++)
            if (k != axis) elements[i].dims[elements[i].rank++] = x->dims[k];
    }
    bool ok = build_body(c, elements, combine, user);
    fxi_free(elements);
    return ok;
}

static fx_node *turned(fx_node *x, bool backwards) { return backwards ? fx_reverse(x, FX_AXES(0)) : x; }

fx_node *fx_associative_scan(fx_nodes operands, int axis, bool backwards, fx_fn combine, void *user,
                             fx_node **results) {
    combiner c;
    int64_t place = 0;
    if (!begin(&c, "fx_associative_scan", operands, (fx_nodes){NULL, 0}))
        return finish(&c, NULL, false, results);
    bool ok = check_operands(&c, operands) && fxi_build_axis(&c.b, operands.v[0], axis, &place) &&
              build_slice_body(&c, operands, (int)place, combine, user);
    fx_node **x = ok ? new_lists(&c) : NULL;
    for (size_t i = 0; x && i < c.count; i++)
        x[i] = turned(fxi_batch_move_axis(&c.b, operands.v[i], (int)place, 0), backwards);
    int64_t n = ok ? operands.v[0]->shape.dims[place] : 0;
    ok = x && (n < 2 || scan_all(&c, x, n));
    for (size_t i = 0; ok && i < c.count; i++)
        x[i] = fxi_batch_move_axis(&c.b, turned(x[i], backwards), 0, (int)place);
    return finish(&c, x, ok, results);
}
