/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of what runs along an axis. Running sums, products and extremes are windows over all that came
 * before, which XLA computes in a tree (a million numbers in 3 ms on two cores; doubling steps took 100).
 * Logarithms of running sums have no such window: pairs are combined, the pairs' results found in the same
 * way, and the elements in between made of them, in twice log n steps. A scan is a loop over slices. */
#include "lower_family.h"
#include <fluxion/control.h>
#include <fluxion/indexing.h>

/* ---- running combinations ---- */

static bool give_window(const fxi_build *b, const fx_node *node, fx_node *x, fx_node **results) {
    int64_t zeros[FX_MAX_RANK] = {0}, ones[FX_MAX_RANK], window[FX_MAX_RANK], before[FX_MAX_RANK] = {0};
    int64_t axis = fxi_node_int(node, FXI_ATTR_AXIS), along = x->shape.dims[axis];
    bool backwards = fxi_node_int(node, FXI_ATTR_BACKWARDS) != 0;
    size_t rank = (size_t)x->shape.rank;
    for (size_t i = 0; i < rank; i++) window[i] = ones[i] = 1;
    window[axis] = along;
    before[axis] = along - 1;
    const fxi_attr attrs[] = {
        fxi_attr_int(FXI_ATTR_KIND, fxi_node_int(node, FXI_ATTR_SCAN)), /* the same numbers */
        fxi_attr_ints(FXI_ATTR_WINDOW, window, rank),
        fxi_attr_ints(FXI_ATTR_STRIDES, ones, rank),
        fxi_attr_ints(FXI_ATTR_BASE_DILATION, ones, rank),
        fxi_attr_ints(FXI_ATTR_WINDOW_DILATION, ones, rank),
        fxi_attr_ints(FXI_ATTR_LOW, backwards ? zeros : before, rank),
        fxi_attr_ints(FXI_ATTR_HIGH, backwards ? before : zeros, rank)};
    return fxi_lower_give(results, fxi_build_node(b, FX_OP_REDUCE_WINDOW, &x, 1, attrs, 7, NULL));
}

/* Elements first, first + 2, ... below limit. */
static fx_node *every_other(fx_node *x, int axis, int64_t first, int64_t limit) {
    return fx_slice_axis(x, axis, first, limit, 2);
}

/* Even and odd elements, as many or one more of the former, in turns: each is given a place beside it. */
static fx_node *interleave(fx_node *even, fx_node *odd, int axis) {
    int64_t n = even->shape.dims[axis], m = odd->shape.dims[axis];
    fx_node *pair[] = {fx_slice_axis(even, axis, 0, m, 1), odd};
    fx_shape dims = odd->shape;
    dims.dims[axis] = 2 * m;
    fx_node *both = fx_reshape_with_shape(fx_stack((fx_nodes){pair, 2}, axis + 1), &dims);
    if (n == m) return both;
    fx_node *ends[] = {both, fx_slice_axis(even, axis, m, n, 1)};
    return fx_concatenate((fx_nodes){ends, 2}, axis);
}

/* Depth of the recursion: at most 63, the logarithm of the axis. */
static fx_node *running_logsumexp(fx_node *x, int axis) {
    int64_t n = x->shape.dims[axis];
    if (n < 2 || x->op == FX_OP_INERT) return x;
    fx_node *even = every_other(x, axis, 0, n), *odd = every_other(x, axis, 1, n);
    int64_t m = odd->shape.dims[axis];
    fx_node *pairs = running_logsumexp(fx_log_add_exp(fx_slice_axis(even, axis, 0, m, 1), odd), axis);
    fx_node *first = fx_slice_axis(x, axis, 0, 1, 1);
    int64_t rest = even->shape.dims[axis] - 1;
    if (rest > 0) {
        fx_node *between = fx_log_add_exp(fx_slice_axis(pairs, axis, 0, rest, 1),
                                          fx_slice_axis(even, axis, 1, rest + 1, 1));
        fx_node *parts[] = {first, between};
        first = fx_concatenate((fx_nodes){parts, 2}, axis);
    }
    return interleave(first, pairs, axis);
}

bool fxi_lower_cumulative(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                          fx_node **results) {
    fx_node *x = operands[0];
    int axis = (int)fxi_node_int(node, FXI_ATTR_AXIS);
    if (x->shape.dims[axis] < 2 || fx_shape_size(&x->shape) == 0) return fxi_lower_give(results, x);
    if (fxi_node_int(node, FXI_ATTR_SCAN) != FXI_SCAN_LOGSUMEXP) return give_window(b, node, x, results);
    bool backwards = fxi_node_int(node, FXI_ATTR_BACKWARDS) != 0;
    fx_axes axes = {&axis, 1};
    fx_node *made = running_logsumexp(backwards ? fx_reverse(x, axes) : x, axis);
    return fxi_lower_give(results, backwards ? fx_reverse(made, axes) : made);
}

/* ---- scan ---- */

typedef struct scan {
    const fxi_build *b;
    const fx_node *node;
    fx_node *const *operands;
    size_t states, inputs; /* the first operands; captures follow */
    int64_t length;
} scan;

/* The number of the round is the first state; the scan's states and stacked results follow. */
static void has_rounds(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)n_in, (void)n_out;
    const scan *s = user;
    out[0] = fx_less(in[0], fx_scalar_int(graph, FX_S64, s->length));
}

/* A place in an array with one more axis, the leading one. */
static void starts_at(fx_node *round, int rank, fx_node **starts) {
    starts[0] = round;
    for (int i = 1; i < rank; i++) starts[i] = fxi_lower_integer(round, 0);
}

static fx_node *slice_of(fx_node *x, fx_node *round) {
    fx_node *starts[FX_MAX_RANK];
    int64_t sizes[FX_MAX_RANK];
    size_t rank = (size_t)x->shape.rank;
    for (size_t i = 0; i < rank; i++) sizes[i] = i ? x->shape.dims[i] : 1;
    starts_at(round, x->shape.rank, starts);
    fx_node *part = fx_dynamic_slice(x, (fx_nodes){starts, rank}, (fx_dims){sizes, rank});
    return fx_reshape(part, (fx_dims){sizes + 1, rank - 1});
}

static fx_node *with_slice(fx_node *stacked, fx_node *slice, fx_node *round) {
    fx_node *starts[FX_MAX_RANK];
    starts_at(round, stacked->shape.rank, starts);
    fx_node *row = fx_expand_axes(slice, (fx_axes){(const int[]){0}, 1});
    return fx_dynamic_update_slice(stacked, row, (fx_nodes){starts, (size_t)stacked->shape.rank});
}

static void run_round(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    (void)n_in;
    const scan *s = user;
    const fx_graph *body = fxi_node_bodies(s->node).v[0];
    const fxi_build b = {s->b->name, graph, &graph->inert};
    fx_node **values = fxi_alloc_zeroed(body->nodes.count, sizeof *values), *at = in[0];
    if (!values) {
        fxi_build_refuse(&b, FX_ERROR_MEMORY, "out of memory");
        return;
    }
    if (fxi_node_int(s->node, FXI_ATTR_BACKWARDS))
        at = fx_sub(fx_scalar_int(graph, FX_S64, s->length - 1), at);
    for (size_t i = 0; i < body->parameters.count; i++) {
        bool is_slice = i >= s->states && i < s->states + s->inputs;
        fx_node *given = i < s->states ? in[1 + i] : is_slice ? slice_of(s->operands[i], at) : s->operands[i];
        values[body->parameters.data[i]->id] = given;
    }
    bool ok = fxi_inline(&b, body, NULL, values);
    out[0] = fx_add(in[0], fx_scalar_int(graph, FX_S64, 1));
    for (size_t i = 1; ok && i < n_out; i++) {
        fx_node *made = values[body->outputs[i - 1]->id];
        out[i] = i <= s->states ? made : with_slice(in[i], made, at);
    }
    fxi_free(values);
}

bool fxi_lower_scan(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    size_t n = fxi_node_results(node);
    scan s = {b, node, operands, fxi_node_states(node), (size_t)fxi_node_int(node, FXI_ATTR_INPUTS),
              fxi_node_int(node, FXI_ATTR_LENGTH)};
    fx_node **states = fxi_alloc_zeroed(n + 1, sizeof *states);
    if (!states) {
        fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
        return false;
    }
    states[0] = fx_scalar_int(b->graph, FX_S64, 0);
    for (size_t i = 0; i < n; i++)
        states[1 + i] =
            i < s.states ? operands[i] : fx_zeros(b->graph, fxi_node_result_shape(node, i));
    if (s.length > 0) fx_while((fx_nodes){states, n + 1}, has_rounds, run_round, &s, states);
    bool ok = true;
    for (size_t i = 0; i < n; i++) ok &= fxi_lower_give(&results[i], states[1 + i]);
    fxi_free(states);
    return ok;
}
