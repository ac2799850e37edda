/* SPDX-License-Identifier: Apache-2.0 */
#include "support/gradients.h"
#include <math.h>
#include <stdio.h>

enum { MOST = DERIVATIVE_TENSORS };

static const char *const backends[] = {"interp",
#if FLUXION_CPU
                                       "cpu"
#endif
};
enum { BACKENDS = sizeof backends / sizeof backends[0] };

static fx_tensor *converted(const fx_tensor *t, fx_dtype to) {
    fx_dtype from = fx_tensor_dtype(t);
    fx_shape shape = *fx_tensor_shape(t);
    shape.dtype = to;
    fx_tensor *result = fx_tensor_new(&shape, FX_MUST);
    for (int64_t i = 0; i < fx_tensor_size(t); i++)
        fxi_element_store(to, fx_tensor_mutable_data(result), i,
                          fxi_scalar_convert(fxi_element_load(from, fx_tensor_data(t), i), from, to));
    return result;
}

fx_tensor *given_values(const fx_shape *shape, const double *values, size_t n) {
    fx_shape wide = *shape;
    bool complex = fx_dtype_is_complex(shape->dtype);
    wide.dtype = complex ? FX_C128 : FX_F64;
    assert_int_equal((size_t)fx_shape_size(shape) * (complex ? 2 : 1), n);
    fx_tensor *t = fx_tensor_copy_from(&wide, values, FX_MUST);
    fx_tensor *result = converted(t, shape->dtype);
    fx_tensor_free(t);
    return result;
}

static bool carries(fx_dtype dtype) {
    return fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype);
}

static size_t smooth_nodes(fx_node *const *nodes, size_t n, fx_node **smooth) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (carries(fx_node_dtype(nodes[i]))) smooth[count++] = nodes[i];
    return count;
}

static void run(const char *backend, const char *name, fx_fn fn, void *user, fx_tensor *const *in,
                size_t n_in, fx_tensor **out, size_t n_out) {
    fx_error err = {.code = FX_OK};
    fx_backend *b = fx_backend_open(backend, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(b, fn, n_in, n_out, user, FX_MUST);
    fx_arg args[MOST] = {{0}};
    for (size_t i = 0; i < n_in; i++) args[i] = FX_ARG(in[i]);
    if (!fx_exec_call(exec, args, n_in, out, n_out, &err)) fail_msg("%s: %s", name, err.message);
    fx_exec_free(exec);
    fx_backend_close(b);
}

/* ---- exact gradients ---- */

static void gradient_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    fx_fn *fn = user;
    fx_node *y[1], *x[MOST];
    (*fn)(body, in, n_in, y, 1, NULL);
    size_t n = smooth_nodes(in, n_in, x);
    assert_int_equal(n, n_out);
    fx_gradient(fx_real(fx_reduce_all_sum(y[0])), (fx_nodes){x, n}, out);
}

void assert_gradients(const char *name, fx_fn fn, fx_tensor *const *in, size_t n_in, const char *wanted) {
    const fx_format_options full = {.size = sizeof full, .full = true};
    size_t n_out = 0;
    for (size_t i = 0; i < n_in; i++) n_out += carries(fx_tensor_dtype(in[i]));
    for (size_t k = 0; k < BACKENDS; k++) {
        fx_tensor *out[MOST];
        char text[4000] = "";
        run(backends[k], name, gradient_fn, &fn, in, n_in, out, n_out);
        for (size_t i = 0; i < n_out; i++) {
            size_t at = strlen(text);
            if (i) at += (size_t)snprintf(text + at, sizeof text - at, "; ");
            fx_tensor_format(out[i], text + at, sizeof text - at, &full);
            fx_tensor_free(out[i]);
        }
        if (strcmp(text, wanted)) fail_msg("%s on %s: %s, not %s", name, backends[k], text, wanted);
    }
    for (size_t i = 0; i < n_in; i++) fx_tensor_free(in[i]);
}

void assert_no_gradient(fx_fn fn, const fx_shape *shapes, size_t n, const char *op, const char *why) {
    char begins[100], ends[300];
    fx_error err = {.code = FX_OK};
    fx_graph *graph = new_graph();
    fx_node *in[MOST], *y[1], *x[MOST];
    for (size_t i = 0; i < n; i++) in[i] = parameter(graph, shapes[i]);
    fn(graph, in, n, y, 1, NULL);
    assert_no_error(graph);
    size_t count = smooth_nodes(in, n, x);
    fx_gradient(fx_reduce_all_sum(y[0]), (fx_nodes){x, count}, NULL);
    assert_true(fx_graph_error(graph, &err));
    assert_int_equal(err.code, FX_ERROR_UNSUPPORTED);
    snprintf(begins, sizeof begins, " = %s at ", op);
    snprintf(ends, sizeof ends, " has no derivative: %s", why);
    size_t length = strlen(err.message), tail = strlen(ends);
    if (!strstr(err.message, begins) || length < tail || strcmp(err.message + length - tail, ends))
        fail_msg("%s, not %s ...%s", err.message, begins, ends);
    fx_graph_free(graph);
}

/* ---- narrow dtypes ---- */

/* vjp of adjoints that do not depend on the dtype. */
static void narrow_vjp_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    const derivative_case *c = user;
    fx_node *y[MOST], *x[MOST], *smooth[MOST], *adjoints[MOST];
    c->fn(body, in, c->n_in, y, c->n_out, c->user);
    size_t n = smooth_nodes(in, n_in, x), m = smooth_nodes(y, c->n_out, smooth);
    assert_int_equal(n, n_out);
    for (size_t k = 0; k < m; k++) {
        fx_shape shape = *fx_node_shape(smooth[k]);
        fx_dtype dtype = shape.dtype;
        shape.dtype = FX_S32;
        fx_node *places = fx_iota_full(fx_node_graph(smooth[k]), &shape);
        adjoints[k] =
            fx_add_scalar(fx_convert(fx_rem(places, fx_scalar(fx_node_graph(places), FX_S32, 5)), dtype), -2);
    }
    fx_vjp((fx_nodes){smooth, m}, (fx_nodes){adjoints, m}, (fx_nodes){x, n}, out);
}

static void compare_narrow(const derivative_case *c, const char *backend, const fx_tensor *got,
                           const fx_tensor *want, double tolerance) {
    fx_tensor *wide = converted(got, FX_F64);
    const double *w = fx_tensor_data(want), *g = fx_tensor_data(wide);
    double scale = 0;
    for (int64_t i = 0; i < fx_tensor_size(want); i++) scale = fmax(scale, fabs(w[i]));
    for (int64_t i = 0; i < fx_tensor_size(want); i++)
        if (!(fabs(g[i] - w[i]) <= tolerance * scale))
            fail_msg("%s of %s on %s at %lld: %.17g, not %.17g", c->name, fx_dtype_name(fx_tensor_dtype(got)),
                     backend, (long long)i, g[i], w[i]);
    fx_tensor_free(wide);
}

void check_vjp_in(fx_dtype dtype, const derivative_case *c, double tolerance) {
    fx_tensor *narrow[MOST] = {NULL}, *wide[MOST] = {NULL}, *want[MOST], *got[MOST];
    size_t n = 0;
    for (size_t i = 0; i < c->n_in; i++) {
        bool smooth = carries(fx_tensor_dtype(c->in[i]));
        n += smooth;
        narrow[i] = smooth ? converted(c->in[i], dtype) : fx_tensor_ref(c->in[i]);
        wide[i] = smooth ? converted(narrow[i], FX_F64) : fx_tensor_ref(c->in[i]);
    }
    run("interp", c->name, narrow_vjp_fn, (void *)c, wide, c->n_in, want, n);
    for (size_t k = 0; k < BACKENDS; k++) {
        run(backends[k], c->name, narrow_vjp_fn, (void *)c, narrow, c->n_in, got, n);
        for (size_t i = 0; i < n; i++) {
            compare_narrow(c, backends[k], got[i], want[i], tolerance);
            fx_tensor_free(got[i]);
        }
    }
    for (size_t i = 0; i < n; i++) fx_tensor_free(want[i]);
    for (size_t i = 0; i < c->n_in; i++)
        fx_tensor_free(narrow[i]), fx_tensor_free(wide[i]), fx_tensor_free(c->in[i]);
}
