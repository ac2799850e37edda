/* SPDX-License-Identifier: Apache-2.0 */
/* Values, runs and comparison for tests of awkward inputs (edge.h). */
#include "edge/edge.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- values ---- */

static fx_tensor *vector(fx_dtype dtype, int64_t n) {
    fx_tensor *t = fx_tensor_new(&FX_SHAPE(dtype, n), FX_MUST);
    if (t->bytes) memset(t->data, 0, (size_t)t->bytes);
    return t;
}

fx_tensor *edge_reals(fx_dtype dtype, const double *values, int64_t n) {
    fx_tensor *t = vector(dtype, n);
    for (int64_t i = 0; i < n; i++) fxi_element_store(dtype, t->data, i, (fxi_scalar){.re = values[i]});
    return t;
}

fx_tensor *edge_ints(fx_dtype dtype, const int64_t *values, int64_t n) {
    fx_tensor *t = vector(dtype, n);
    for (int64_t i = 0; i < n; i++) fxi_element_store(dtype, t->data, i, (fxi_scalar){.i = values[i]});
    return t;
}

fx_tensor *edge_pairs(fx_dtype dtype, const double *values, int64_t n) {
    fx_tensor *t = vector(dtype, n);
    for (int64_t i = 0; i < n; i++)
        fxi_element_store(dtype, t->data, i, (fxi_scalar){.re = values[2 * i], .im = values[2 * i + 1]});
    return t;
}

float edge_float_of(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Element i is that of `from` at i + shift, round and round. */
static fx_tensor *rotated(const fx_tensor *from, int64_t n, int64_t shift) {
    fx_dtype dtype = from->shape.dtype;
    fx_tensor *t = vector(dtype, n);
    int64_t size = fx_tensor_size(from);
    for (int64_t i = 0; i < n; i++)
        fxi_element_store(dtype, t->data, i, fxi_element_load(dtype, from->data, (i + shift) % size));
    return t;
}

/* ---- comparison ---- */

static double ulp_at(fx_dtype dtype, double value) {
    static const struct {
        int mantissa, lowest;
    } formats[] = {
        [FX_F16] = {10, -14}, [FX_BF16] = {7, -126}, [FX_F32] = {23, -126}, [FX_F64] = {52, -1022}};
    fx_dtype real = fx_dtype_real(dtype);
    int exponent = value != 0 ? ilogb(value) : formats[real].lowest;
    return ldexp(1.0, (exponent < formats[real].lowest ? formats[real].lowest : exponent) -
                          formats[real].mantissa);
}

static bool is_near(fx_dtype dtype, double got, double want, double ulps) {
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want);
    if (got == want) return signbit(got) == signbit(want);
    return !isinf(got) && !isinf(want) && fabs(got - want) <= ulps * ulp_at(dtype, want);
}

static bool is_right(fx_dtype dtype, fxi_scalar got, fxi_scalar want, double ulps) {
    if (!fx_dtype_is_float(dtype) && !fx_dtype_is_complex(dtype)) return got.i == want.i;
    return is_near(dtype, got.re, want.re, ulps) &&
           (!fx_dtype_is_complex(dtype) || is_near(dtype, got.im, want.im, ulps));
}

void edge_assert(const fx_tensor *got, const fx_tensor *want, double ulps, const char *what) {
    fx_dtype dtype = want->shape.dtype;
    if (!fx_shape_equal(&got->shape, &want->shape))
        fail_msg("%s gives %s instead of %s", what, fx_shape_to_text(&got->shape).s,
                 fx_shape_to_text(&want->shape).s);
    for (int64_t i = 0; i < fx_tensor_size(want); i++) {
        fxi_scalar a = fxi_element_load(dtype, got->data, i), b = fxi_element_load(dtype, want->data, i);
        if (!is_right(dtype, a, b, ulps))
            fail_msg("%s, %s, element %lld: %lld %a %a (%.9g) instead of %lld %a %a (%.9g)", what,
                     fx_shape_to_text(&want->shape).s, (long long)i, (long long)a.i, a.re, a.im, a.re,
                     (long long)b.i, b.re, b.im, b.re);
    }
}

/* ---- runs ---- */

typedef struct request {
    edge_fn fn;
    fx_tensor *const *constants; /* NULL: the operands are parameters */
    size_t n_in;
    bool fused; /* among other operations, which a last parameter of true values makes do nothing */
} request;

/* y again, in a way that the compiler cannot see through. */
static fx_node *disguised(fx_node *y, fx_node *yes) {
    return fx_where(yes, y, fx_reverse(y, FX_AXES(0)));
}

static void build(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)n_out;
    const request *r = user;
    fx_node *operands[EDGE_OPERANDS];
    for (size_t i = 0; i < r->n_in; i++) {
        operands[i] = r->constants ? fx_constant(g, r->constants[i]) : in[i];
        if (r->fused) operands[i] = disguised(operands[i], in[n_in - 1]);
    }
    out[0] = r->fn(operands);
    if (r->fused) out[0] = disguised(out[0], in[n_in - 1]);
}

static fx_tensor *run(fx_backend *backend, request *r, fx_tensor *const *in, fx_tensor *yes) {
    fx_arg args[EDGE_OPERANDS + 1];
    size_t n = 0;
    for (; !r->constants && n < r->n_in; n++) args[n] = FX_ARG(in[n]);
    if (r->fused) args[n++] = FX_ARG(yes);
    fx_exec *exec = fx_exec_new_fn(backend, build, n, 1, r, FX_MUST);
    fx_tensor *out = NULL;
    assert_true(fx_exec_call(exec, args, n, &out, 1, FX_MUST));
    fx_exec_free(exec);
    return out;
}

fx_tensor *edge_run(void **state, edge_fn fn, fx_tensor *const *in, size_t n_in) {
    fx_backend *backend = open_named(state);
    request r = {.fn = fn, .n_in = n_in};
    fx_tensor *out = run(backend, &r, in, NULL);
    fx_backend_close(backend);
    return out;
}

fx_tensor *edge_run_constants(void **state, edge_fn fn, fx_tensor *const *in, size_t n_in) {
    fx_backend *backend = open_named(state);
    request r = {.fn = fn, .n_in = n_in, .constants = in};
    fx_tensor *out = run(backend, &r, in, NULL);
    fx_backend_close(backend);
    return out;
}

void edge_check_text(void **state, edge_fn fn, fx_tensor *const *in, size_t n_in, const char *want) {
    fx_tensor *ran = edge_run(state, fn, in, n_in), *folded = edge_run_constants(state, fn, in, n_in);
    assert_text(ran, want);
    assert_text(folded, want);
    fx_tensor_free(ran);
    fx_tensor_free(folded);
    for (size_t i = 0; i < n_in; i++) fx_tensor_free(in[i]);
}

/* ---- elementwise functions ---- */

static void check_length(fx_backend *backend, const edge_map *map, size_t n_in, int64_t n, request *r) {
    char what[100];
    fx_tensor *in[EDGE_OPERANDS], *want = rotated(map->want, n, n % 7), *yes = vector(FX_BOOL, n);
    for (size_t i = 0; i < n_in; i++) in[i] = rotated(map->in[i], n, n % 7);
    for (int64_t i = 0; i < n; i++) fxi_element_store(FX_BOOL, yes->data, i, (fxi_scalar){.i = 1});
    if (r->constants) r->constants = in;
    fx_tensor *got = run(backend, r, in, yes);
    snprintf(what, sizeof what, "%s of %s%s", map->name, r->constants ? "constants" : "parameters",
             r->fused ? ", fused" : "");
    edge_assert(got, want, map->ulps, what);
    fx_tensor_free(got);
    fx_tensor_free(want);
    fx_tensor_free(yes);
    for (size_t i = 0; i < n_in; i++) fx_tensor_free(in[i]);
}

void edge_check_map(void **state, const edge_map *map) {
    static const int64_t lengths[] = {1, 3, 8, 15, 16, 17, 33};
    size_t n_in = 0;
    while (n_in < EDGE_OPERANDS && map->in[n_in]) n_in++;
    fx_backend *backend = open_named(state);
    int64_t all = fx_tensor_size(map->want);
    for (size_t i = 0; i <= COUNT_OF(lengths); i++) {
        int64_t n = i < COUNT_OF(lengths) ? lengths[i] : all;
        request alone = {.fn = map->fn, .n_in = n_in};
        check_length(backend, map, n_in, n, &alone);
        if (n != 1 && n != 17 && n != all) continue;
        request fused = {.fn = map->fn, .n_in = n_in, .fused = true};
        request folded = {.fn = map->fn, .n_in = n_in, .constants = map->in};
        check_length(backend, map, n_in, n, &fused);
        check_length(backend, map, n_in, n, &folded);
    }
    fx_backend_close(backend);
    fx_tensor_free(map->want);
    for (size_t i = 0; i < n_in; i++) fx_tensor_free(map->in[i]);
}
