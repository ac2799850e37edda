/* SPDX-License-Identifier: Apache-2.0 */
#include "support/derivatives.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = DERIVATIVE_TENSORS };

/* ---- values ---- */

static double next_unit(uint64_t *state) { /* splitmix64, Steele et al. 2014 */
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static bool is_complex(const fx_tensor *t) {
    return fx_dtype_is_complex(fx_tensor_dtype(t));
}
static bool carries(const fx_tensor *t) {
    return fx_dtype_is_float(fx_tensor_dtype(t)) || is_complex(t);
}
/* Number of doubles in a float64 or complex128 tensor. */
static int64_t doubles(const fx_tensor *t) {
    return fx_tensor_size(t) * (is_complex(t) ? 2 : 1);
}
static const double *values(const fx_tensor *t) {
    return fx_tensor_data(t);
}

fx_tensor *random_values(fx_dtype dtype, fx_dims dims, double low, double high, unsigned seed) {
    fx_shape shape = {.dtype = FX_F64, .rank = (int)dims.n};
    bool complex = fx_dtype_is_complex(dtype);
    if (dims.n) memcpy(shape.dims, dims.v, dims.n * sizeof *dims.v);
    if (fx_dtype_is_float(dtype) || complex)
        shape.dtype = complex ? FX_C128 : FX_F64;
    else
        shape.dtype = dtype;
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    uint64_t state = seed;
    for (int64_t i = 0; i < fx_tensor_size(t) * (complex ? 2 : 1); i++) {
        double v = low + (high - low) * next_unit(&state);
        if (shape.dtype == FX_S64)
            ((int64_t *)fx_tensor_mutable_data(t))[i] = (int64_t)floor(v);
        else if (shape.dtype == FX_S32)
            ((int32_t *)fx_tensor_mutable_data(t))[i] = (int32_t)floor(v);
        else if (shape.dtype == FX_BOOL)
            ((unsigned char *)fx_tensor_mutable_data(t))[i] = v >= 0.5;
        else
            ((double *)fx_tensor_mutable_data(t))[i] = v;
    }
    return t;
}

static fx_tensor *like(const fx_tensor *t, unsigned seed) {
    const fx_shape *s = fx_tensor_shape(t);
    return random_values(s->dtype, (fx_dims){s->dims, (size_t)s->rank}, -1, 1, seed);
}

/* x + h t */
static fx_tensor *moved(fx_tensor *x, const fx_tensor *t, double h) {
    if (!t) return fx_tensor_ref(x);
    fx_tensor *r = fx_tensor_copy_from(fx_tensor_shape(x), fx_tensor_data(x), FX_MUST);
    double *v = fx_tensor_mutable_data(r);
    for (int64_t i = 0; i < doubles(x); i++) v[i] += h * values(t)[i];
    return r;
}

static void free_all(fx_tensor **t, size_t n) {
    for (size_t i = 0; i < n; i++) fx_tensor_free(t[i]);
}

/* ---- programs ---- */

static void run(const char *backend, fx_fn fn, void *user, fx_tensor *const *in, size_t n_in, fx_tensor **out,
                size_t n_out, const char *what) {
    fx_error err = {.code = FX_OK};
    fx_backend *b = fx_backend_open(backend, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(b, fn, n_in, n_out, user, FX_MUST);
    fx_arg args[3 * N];
    for (size_t i = 0; i < n_in; i++) args[i] = FX_ARG(in[i]);
    if (!fx_exec_call(exec, args, n_in, out, n_out, &err)) fail_msg("%s: %s", what, err.message);
    fx_exec_free(exec);
    fx_backend_close(b);
}

/* ---- the three functions: f; jvp of (x, t); vjp of (x, u) ---- */

typedef struct setting {
    const derivative_case *c;
    fx_tensor *tangents[N], *adjoints[N], *out[N];
    size_t n_tangents, n_adjoints; /* those that are not NULL */
} setting;

static size_t compact(fx_node *const *nodes, size_t n, fx_node **packed) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (fx_dtype_is_float(fx_node_dtype(nodes[i])) || fx_dtype_is_complex(fx_node_dtype(nodes[i])))
            packed[count++] = nodes[i];
    return count;
}

static void jvp_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const derivative_case *c = user;
    fx_node *y[N], *x[N];
    c->fn(body, in, c->n_in, y, c->n_out, c->user);
    size_t n = compact(in, c->n_in, x);
    (void)n_in;
    (void)n_out;
    fx_jvp((fx_nodes){y, c->n_out}, (fx_nodes){x, n}, (fx_nodes){in + c->n_in, n}, out);
}

static void vjp_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const derivative_case *c = user;
    fx_node *y[N], *x[N], *smooth[N];
    c->fn(body, in, c->n_in, y, c->n_out, c->user);
    size_t n = compact(in, c->n_in, x), m = compact(y, c->n_out, smooth);
    (void)n_in;
    (void)n_out;
    fx_vjp((fx_nodes){smooth, m}, (fx_nodes){in + c->n_in, m}, (fx_nodes){x, n}, out);
}

/* ---- comparisons ---- */

static double largest(const fx_tensor *t) {
    double m = 0;
    for (int64_t i = 0; i < doubles(t); i++) m = fmax(m, fabs(values(t)[i]));
    return m;
}

static void compare(const char *name, const char *what, size_t number, const fx_tensor *got,
                    const fx_tensor *want, double tolerance) {
    double bound = tolerance * (1 + largest(want));
    for (int64_t i = 0; i < doubles(want); i++)
        if (!(fabs(values(got)[i] - values(want)[i]) <= bound))
            fail_msg("%s: %s %zu at %lld: %.17g, not %.17g", name, what, number, (long long)i, values(got)[i],
                     values(want)[i]);
}

static double product(fx_tensor *const *a, fx_tensor *const *b, size_t n, double *scale) {
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        for (int64_t i = 0; a[k] && b[k] && i < doubles(a[k]); i++) {
            sum += values(a[k])[i] * values(b[k])[i]; /* of a complex number both parts: Re(conj(a) b) */
            *scale += fabs(values(a[k])[i] * values(b[k])[i]);
        }
    return sum;
}

/* ---- one order ---- */

static void differences(const setting *s, double h, fx_tensor **out) {
    const derivative_case *c = s->c;
    fx_tensor *x[N], *above[N];
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < c->n_in; i++) x[i] = moved(c->in[i], s->tangents[i], side ? -h : h);
        run("interp", c->fn, c->user, x, c->n_in, side ? out : above, c->n_out, c->name);
        free_all(x, c->n_in);
    }
    for (size_t k = 0; k < c->n_out; k++) {
        if (carries(out[k])) {
            double *v = fx_tensor_mutable_data(out[k]);
            for (int64_t i = 0; i < doubles(out[k]); i++) v[i] = (values(above[k])[i] - v[i]) / (2 * h);
        }
        fx_tensor_free(above[k]);
    }
}

static void check_jvp(const setting *s, fx_tensor **jvp) {
    const derivative_case *c = s->c;
    double h = c->step > 0 ? c->step : 1e-3, tolerance = c->tolerance > 0 ? c->tolerance : 1e-6;
    fx_tensor *in[2 * N], *wide[N], *narrow[N];
    size_t n = c->n_in;
    memcpy(in, c->in, n * sizeof *in);
    for (size_t i = 0; i < c->n_in; i++)
        if (s->tangents[i]) in[n++] = s->tangents[i];
    run("interp", jvp_fn, (void *)c, in, n, jvp, c->n_out, c->name);
    differences(s, h, wide);
    differences(s, h / 2, narrow);
    for (size_t k = 0; k < c->n_out; k++) {
        if (carries(jvp[k])) {
            double *v = fx_tensor_mutable_data(narrow[k]);
            for (int64_t i = 0; i < doubles(narrow[k]); i++) v[i] = (4 * v[i] - values(wide[k])[i]) / 3;
            compare(c->name, "jvp", k, jvp[k], narrow[k], tolerance);
        }
        fx_tensor_free(wide[k]);
        fx_tensor_free(narrow[k]);
    }
}

static void check_vjp(const setting *s, fx_tensor **vjp) {
    const derivative_case *c = s->c;
    fx_tensor *in[2 * N], *packed[N] = {NULL}, *cpu[N];
    size_t n = c->n_in, at = 0;
    memcpy(in, c->in, n * sizeof *in);
    for (size_t k = 0; k < c->n_out; k++)
        if (s->adjoints[k]) in[n++] = s->adjoints[k];
    run("interp", vjp_fn, (void *)c, in, n, packed, s->n_tangents, c->name);
#if FLUXION_CPU
    run("cpu", vjp_fn, (void *)c, in, n, cpu, s->n_tangents, c->name);
    for (size_t i = 0; i < s->n_tangents; i++) compare(c->name, "vjp on cpu", i, cpu[i], packed[i], 1e-10);
    free_all(cpu, s->n_tangents);
#else
    (void)cpu;
#endif
    for (size_t i = 0; i < c->n_in; i++) vjp[i] = s->tangents[i] ? packed[at++] : NULL;
}

static void check_order(const derivative_case *c) {
    setting s = {.c = c};
    fx_tensor *jvp[N], *vjp[N];
    double scale = 0;
    run("interp", c->fn, c->user, c->in, c->n_in, s.out, c->n_out, c->name);
    for (size_t i = 0; i < c->n_in; i++)
        if (carries(c->in[i])) s.tangents[i] = like(c->in[i], (unsigned)(100 + i)), s.n_tangents++;
    for (size_t k = 0; k < c->n_out; k++)
        if (carries(s.out[k])) s.adjoints[k] = like(s.out[k], (unsigned)(200 + k)), s.n_adjoints++;
    check_jvp(&s, jvp);
    check_vjp(&s, vjp);
    double left = product(s.adjoints, jvp, c->n_out, &scale),
           right = product(vjp, s.tangents, c->n_in, &scale);
    if (!(fabs(left - right) <= 1e-10 * (1 + scale)))
        fail_msg("%s: <u, jvp t> = %.17g, <vjp u, t> = %.17g", c->name, left, right);
    free_all(jvp, c->n_out);
    for (size_t i = 0; i < c->n_in; i++) fx_tensor_free(vjp[i]), fx_tensor_free(s.tangents[i]);
    for (size_t k = 0; k < c->n_out; k++) fx_tensor_free(s.adjoints[k]), fx_tensor_free(s.out[k]);
}

/* (x, u) -> vjp u as a case of its own. */
static void check_second(const derivative_case *c) {
    derivative_case second = *c;
    fx_tensor *out[N];
    char name[200];
    snprintf(name, sizeof name, "%s, second order", c->name);
    run("interp", c->fn, c->user, c->in, c->n_in, out, c->n_out, c->name);
    second.name = name;
    second.fn = vjp_fn;
    second.user = (void *)c;
    second.n_out = 0;
    for (size_t i = 0; i < c->n_in; i++) second.n_out += carries(c->in[i]);
    for (size_t k = 0; k < c->n_out; k++)
        if (carries(out[k])) second.in[second.n_in++] = like(out[k], (unsigned)(300 + k));
    check_order(&second);
    for (size_t i = c->n_in; i < second.n_in; i++) fx_tensor_free(second.in[i]);
    free_all(out, c->n_out);
}

void check_derivatives(const derivative_case *c) {
    check_order(c);
    if (c->order != 1) check_second(c);
    for (size_t i = 0; i < c->n_in; i++) fx_tensor_free(c->in[i]);
}

/* ---- narrower dtypes ---- */

typedef struct narrow_case {
    const derivative_case *c;
    fx_dtype dtype; /* in which it is computed */
    fx_dtype round; /* to which operands and adjoints are rounded before */
} narrow_case;

/* The dtype of a narrow computation for a node: complex64 for a complex one beside float32. */
static fx_dtype like_node(fx_dtype dtype, const fx_node *node) {
    bool to_complex = fx_dtype_is_complex(fx_node_dtype(node)), is_wide = dtype == FX_F64 || dtype == FX_C128;
    if (to_complex) return is_wide ? FX_C128 : FX_C64;
    if (fx_dtype_is_complex(dtype)) return is_wide ? FX_F64 : FX_F32;
    return fx_dtype_is_float(fx_node_dtype(node)) ? dtype : fx_node_dtype(node);
}

static fx_node *rounded(const narrow_case *n, fx_node *x) {
    return fx_convert(fx_convert(x, like_node(n->round, x)), like_node(n->dtype, x));
}

static void narrow_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    const narrow_case *n = user;
    const derivative_case *c = n->c;
    fx_node *x[N], *y[N], *wrt[N], *smooth[N], *adjoints[N];
    for (size_t i = 0; i < c->n_in; i++) x[i] = rounded(n, in[i]);
    c->fn(body, x, c->n_in, y, c->n_out, c->user);
    size_t count = compact(x, c->n_in, wrt), m = compact(y, c->n_out, smooth);
    for (size_t k = 0; k < m && c->n_in + k < n_in; k++) adjoints[k] = rounded(n, in[c->n_in + k]);
    fx_vjp((fx_nodes){smooth, m}, (fx_nodes){adjoints, m}, (fx_nodes){wrt, count}, out);
    for (size_t i = 0; i < n_out; i++)
        out[i] = fx_convert(out[i], fx_dtype_is_complex(fx_node_dtype(out[i])) ? FX_C128 : FX_F64);
}

static void compare_narrow(const char *backend, const narrow_case *narrow, fx_tensor **in, size_t n_in,
                           fx_tensor **want, size_t n_out, double tolerance) {
    fx_tensor *got[N];
    char what[200];
    snprintf(what, sizeof what, "vjp in %s on %s", fx_dtype_name(narrow->dtype), backend);
    run(backend, narrow_fn, (void *)narrow, in, n_in, got, n_out, narrow->c->name);
    for (size_t i = 0; i < n_out; i++) compare(narrow->c->name, what, i, got[i], want[i], tolerance);
    free_all(got, n_out);
}

void check_narrow_derivatives(const derivative_case *c, fx_dtype dtype, double ulps) {
    double epsilon = dtype == FX_BF16 ? 0x1p-8 : dtype == FX_F16 ? 0x1p-11 : 0x1p-24;
    const narrow_case narrow = {c, dtype, dtype},
                      wide = {c, fx_dtype_is_complex(dtype) ? FX_C128 : FX_F64, dtype};
    fx_tensor *in[2 * N], *out[N], *want[N];
    size_t n_in = c->n_in, n_out = 0;
    run("interp", c->fn, c->user, c->in, c->n_in, out, c->n_out, c->name);
    memcpy(in, c->in, n_in * sizeof *in);
    for (size_t i = 0; i < c->n_in; i++) n_out += carries(c->in[i]);
    for (size_t k = 0; k < c->n_out; k++)
        if (carries(out[k])) in[n_in++] = like(out[k], (unsigned)(200 + k));
    run("interp", narrow_fn, (void *)&wide, in, n_in, want, n_out, c->name);
    compare_narrow("interp", &narrow, in, n_in, want, n_out, ulps * epsilon);
#if FLUXION_CPU
    compare_narrow("cpu", &narrow, in, n_in, want, n_out, ulps * epsilon);
#endif
    free_all(want, n_out);
    free_all(out, c->n_out);
    free_all(in, n_in);
}
