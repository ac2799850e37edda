/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobians and Hessians: batches of products with unit vectors. The closure that is vectorized asks for the
 * derivative of nodes outside it, so all of the function that does not depend on the unit vector is computed
 * once. */
#include "grad_internal.h"
#include <fluxion/grad.h>
#include <fluxion/vmap.h>

typedef struct jacobian {
    fxi_build b;
    fx_nodes outputs, wrt;
    bool failed; /* in the closure */
} jacobian;

static bool refuse(const jacobian *j, fx_error_code code, const char *what) {
    fxi_build_refuse(&j->b, code, "%s", what);
    return false;
}

/* Unit vectors of a shape: [size, dims...]. */
static fx_node *units(const jacobian *j, const fx_shape *shape) {
    int64_t size = fx_shape_size(shape);
    fx_shape dims = *shape;
    if (shape->rank >= FX_MAX_RANK)
        return fxi_build_refuse(&j->b, FX_ERROR_SHAPE, "a batch axis would exceed the highest rank, %d",
                                FX_MAX_RANK);
    const fx_shape square = {.dtype = FX_S64, .rank = 2, .dims = {size, size}};
    fx_node *same = fx_equal(fx_iota(j->b.graph, &square, 0), fx_iota(j->b.graph, &square, 1));
    dims.rank++;
    dims.dims[0] = size;
    for (int i = 0; i < shape->rank; i++) dims.dims[i + 1] = shape->dims[i];
    return fx_reshape_with_shape(fx_convert(same, shape->dtype), &dims);
}

static bool check_rank(const jacobian *j, const fx_shape *x, const fx_shape *y) {
    return x->rank + y->rank <= FX_MAX_RANK ||
           refuse(j, FX_ERROR_SHAPE, "the ranks of output and node together exceed the highest rank");
}

/* The elements of x, which are in order, with the dimensions of both. */
static fx_node *unfold(fx_node *x, const fx_shape *output, const fx_shape *node) {
    fx_shape dims = {.dtype = node->dtype, .rank = output->rank + node->rank};
    for (int i = 0; i < output->rank; i++) dims.dims[i] = output->dims[i];
    for (int i = 0; i < node->rank; i++) dims.dims[output->rank + i] = node->dims[i];
    if (x->op == FX_OP_INERT) return x;
    x = fx_reshape_with_shape(x, &dims);
    return x->shape.dtype == node->dtype ? x : fx_convert(x, node->dtype);
}

/* ---- a row per element of the output ---- */

static void row(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const jacobian *j = user;
    (void)n_in;
    if (!fxi_reverse(j->b.name, j->outputs, in, j->wrt, out)) return;
    for (size_t i = 0; i < n_out; i++)
        if (!out[i]) out[i] = fx_zeros(body, &j->wrt.v[i]->shape);
}

static void by_rows(jacobian *j, fx_node **results) {
    fx_node *basis = units(j, &j->outputs.v[0]->shape);
    fx_vmap((fx_nodes){&basis, 1}, NULL, row, j, j->wrt.n, NULL, results);
    for (size_t i = 0; i < j->wrt.n; i++)
        results[i] = unfold(fxi_grad_conj(results[i]), &j->outputs.v[0]->shape, &j->wrt.v[i]->shape);
}

/* ---- a column per element of a node ---- */

static void column(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const jacobian *j = user;
    (void)n_in;
    if (!fxi_forward(j->b.name, j->outputs, j->wrt, in, out)) return;
    for (size_t i = 0; i < n_out; i++)
        if (!out[i]) out[i] = fx_zeros(body, &j->outputs.v[i]->shape);
}

/* Derivatives of all outputs by one node; results of the node's dtype, or of the outputs'. */
static void by_columns(const jacobian *j, fx_node *node, bool of_output, fx_node **results) {
    jacobian one = *j;
    one.wrt = (fx_nodes){&node, 1};
    fx_node *basis = units(j, &node->shape);
    int *last = fxi_alloc_zeroed(j->outputs.n, sizeof *last);
    if (!last) {
        refuse(j, FX_ERROR_MEMORY, "out of memory");
        return;
    }
    for (size_t i = 0; i < j->outputs.n; i++) last[i] = -1;
    fx_vmap((fx_nodes){&basis, 1}, NULL, column, &one, j->outputs.n, last, results);
    for (size_t i = 0; i < j->outputs.n; i++) {
        fx_shape shape = node->shape;
        if (of_output) shape.dtype = j->outputs.v[i]->shape.dtype;
        if (results[i]) results[i] = unfold(results[i], &j->outputs.v[i]->shape, &shape);
    }
    fxi_free(last);
}

/* ---- Jacobian ---- */

static bool check_jacobian(const jacobian *j, bool holomorphic) {
    const fx_shape *output = &j->outputs.v[0]->shape;
    if (!fxi_grad_carries(output->dtype)) return refuse(j, FX_ERROR_DTYPE, "the output has no derivatives");
    if (fx_dtype_is_complex(output->dtype) && !holomorphic)
        return refuse(j, FX_ERROR_DTYPE, "the output is complex, and not said to be holomorphic");
    for (size_t i = 0; i < j->wrt.n; i++) {
        const fx_shape *shape = &j->wrt.v[i]->shape;
        if (fx_dtype_is_complex(output->dtype) && !fx_dtype_is_complex(shape->dtype))
            return refuse(j, FX_ERROR_DTYPE, "a holomorphic output is differentiated by complex nodes");
        FX_TRY(check_rank(j, output, shape));
    }
    return true;
}

static bool prefers_rows(const jacobian *j) {
    int64_t size = 0;
    bool real = !fx_dtype_is_complex(j->outputs.v[0]->shape.dtype);
    for (size_t i = 0; i < j->wrt.n; i++) {
        if (real && fx_dtype_is_complex(j->wrt.v[i]->shape.dtype)) return true;
        if (!fxi_size_add(size, fx_shape_size(&j->wrt.v[i]->shape), &size)) return true;
    }
    return fx_shape_size(&j->outputs.v[0]->shape) <= size;
}

static bool begin(jacobian *j, const char *name, fx_node **output, const char *what, fx_nodes wrt) {
    const fxi_grad_list lists[] = {{{output, 1}, what, false}, {wrt, "node", false}};
    *j = (jacobian){.outputs = {output, 1}, .wrt = wrt};
    return fxi_grad_begin(&j->b, name, lists, 2);
}

/* Results in the caller's list or our own, inert after a failure; gives the first. */
static fx_node *finish(const jacobian *j, fx_node **list, size_t n, bool own) {
    bool failed = j->b.graph->error.code != FX_OK;
    for (size_t i = 0; failed && i < n; i++) list[i] = j->b.stop;
    fx_node *first = list[0];
    if (own) fxi_free(list);
    return first;
}

fx_node *fx_jacobian(fx_node *output, fx_nodes wrt, bool holomorphic, fx_node **results) {
    jacobian j;
    if (!begin(&j, "fx_jacobian", &output, "output", wrt)) return fxi_build_results(j.b.stop, results, wrt.n);
    fx_node **list = results ? results : fxi_alloc_zeroed(wrt.n, sizeof *list);
    if (!list) return fxi_build_refuse(&j.b, FX_ERROR_MEMORY, "out of memory");
    if (check_jacobian(&j, holomorphic)) {
        if (prefers_rows(&j))
            by_rows(&j, list);
        else
            for (size_t i = 0; i < wrt.n; i++) by_columns(&j, wrt.v[i], false, &list[i]);
    }
    return finish(&j, list, wrt.n, !results);
}

/* ---- Hessian ---- */

static bool check_hessian(const jacobian *j) {
    FX_TRY(fxi_grad_check_loss(&j->b, j->outputs.v[0]));
    for (size_t i = 0; i < j->wrt.n; i++) {
        if (fx_dtype_is_complex(j->wrt.v[i]->shape.dtype))
            return refuse(j, FX_ERROR_DTYPE, "second derivatives by complex nodes are not defined");
        for (size_t k = 0; k <= i; k++) FX_TRY(check_rank(j, &j->wrt.v[i]->shape, &j->wrt.v[k]->shape));
    }
    return true;
}

static void second(jacobian *j, fx_node **gradients, fx_node **column_of, fx_node **list) {
    size_t n = j->wrt.n;
    fx_node *one = fxi_grad_seed(&j->b, j->outputs.v[0]->shape.dtype);
    if (!fxi_reverse(j->b.name, j->outputs, &one, j->wrt, gradients)) return;
    for (size_t i = 0; i < n; i++)
        if (!gradients[i]) gradients[i] = fx_zeros(j->b.graph, &j->wrt.v[i]->shape);
    j->outputs = (fx_nodes){gradients, n};
    for (size_t k = 0; k < n; k++) {
        by_columns(j, j->wrt.v[k], true, column_of);
        for (size_t i = 0; i < n; i++) list[i * n + k] = column_of[i];
    }
}

fx_node *fx_hessian(fx_node *loss, fx_nodes wrt, fx_node **results) {
    jacobian j;
    size_t n = wrt.n;
    if (!begin(&j, "fx_hessian", &loss, "loss", wrt)) return fxi_build_results(j.b.stop, results, n * n);
    fx_node **list = results ? results : fxi_alloc_zeroed(n * n, sizeof *list);
    fx_node **room = fxi_alloc_zeroed(2 * n, sizeof *room);
    if (!list || !room) refuse(&j, FX_ERROR_MEMORY, "out of memory");
    if (list && room && check_hessian(&j)) second(&j, room, room + n, list);
    fxi_free(room);
    return list ? finish(&j, list, n * n, !results) : j.b.stop;
}
