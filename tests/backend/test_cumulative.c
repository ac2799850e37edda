/* SPDX-License-Identifier: Apache-2.0 */
/* Running combinations on every backend: values worked out by hand, special values, and agreement of cpu with the
 * interpreter over dtypes, shapes and directions, with the same bits for any number of threads. */
#include "exec/both.h"
#include "support/graph_helpers.h"
#include "tensor/tensor.h"
#include <math.h>

typedef fx_node *(*builder)(fx_node *x, int axis);

typedef struct request {
    builder build;
    int axis;
} request;

static void build_request(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out;
    const request *r = user;
    out[0] = r->build(in[0], r->axis);
}

static fx_tensor *scan_on(const char *backend_name, builder build, int axis, fx_tensor *x) {
    fx_backend *backend = fx_backend_open(backend_name, FX_MUST);
    request r = {build, axis};
    fx_exec *exec = fx_exec_new_fn(backend, build_request, 1, 1, &r, FX_MUST);
    fx_tensor *out = fx_call1(exec, FX_MUST, x);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return out;
}

static void check(void **state, builder build, int axis, fx_tensor *x, const char *text) {
    fx_tensor *out = scan_on(*state, build, axis, x);
    assert_text(out, text);
    fx_tensor_free(out);
    fx_tensor_free(x);
}

static fx_tensor *floats(const float *v, int64_t n) { return fx_tensor_copy_from(&FX_SHAPE(FX_F32, n), v, FX_MUST); }

static void small_values(void **state) {
    static const float three[] = {1, 2, 4}, mixed[] = {3, 1, 4, 1, 5};
    check(state, fx_cum_sum, 0, floats(three, 3), "[3]float32{1, 3, 7}");
    check(state, fx_cum_sum_reverse, -1, floats(three, 3), "[3]float32{7, 6, 4}");
    check(state, fx_cum_prod, 0, floats(three, 3), "[3]float32{1, 2, 8}");
    check(state, fx_cum_prod_reverse, 0, floats(three, 3), "[3]float32{8, 8, 4}");
    check(state, fx_cum_max, 0, floats(mixed, 5), "[5]float32{3, 3, 4, 4, 5}");
    check(state, fx_cum_min, 0, floats(mixed, 5), "[5]float32{3, 1, 1, 1, 1}");
    check(state, fx_cum_max_reverse, 0, floats(mixed, 5), "[5]float32{5, 5, 5, 5, 5}");
    check(state, fx_cum_min_reverse, 0, floats(mixed, 5), "[5]float32{1, 1, 1, 1, 5}");
}

static void special_values(void **state) {
    const float nan_inside[] = {1, NAN, 3}, zeros[] = {-0.0f, 0.0f, -0.0f}, log_values[] = {-INFINITY, 0, INFINITY, 1};
    check(state, fx_cum_max, 0, floats(nan_inside, 3), "[3]float32{1, NaN, NaN}");
    check(state, fx_cum_min_reverse, 0, floats(nan_inside, 3), "[3]float32{NaN, NaN, 3}");
    check(state, fx_cum_max, 0, floats(zeros, 3), "[3]float32{-0, 0, 0}");
    check(state, fx_cum_min, 0, floats(zeros, 3), "[3]float32{-0, -0, -0}");
    check(state, fx_cum_logsumexp, 0, floats(log_values, 4), "[4]float32{-Inf, 0, Inf, Inf}");
    check(state, fx_cum_logsumexp, 0, floats(nan_inside, 3), "[3]float32{1, NaN, NaN}");
}

static void integers_wrap(void **state) {
    static const int8_t v[] = {100, 100, -128, 5};
    check(state, fx_cum_sum, 0, fx_tensor_copy_from(&FX_SHAPE(FX_S8, 4), v, FX_MUST), "[4]int8{100, -56, 72, 77}");
    check(state, fx_cum_prod, 0, fx_tensor_copy_from(&FX_SHAPE(FX_S8, 4), v, FX_MUST), "[4]int8{100, 16, 0, 0}");
}

/* Ones in float16 stop growing at 2048 when each sum is rounded before the next; carried wide they do not. */
static void halves_are_carried_wide(void **state) {
    fx_tensor *x = fx_tensor_new(&FX_SHAPE(FX_F16, 4096), FX_MUST);
    for (int64_t i = 0; i < 4096; i++) fxi_element_store(FX_F16, x->data, i, (fxi_scalar){.re = 1});
    fx_tensor *out = scan_on(*state, fx_cum_sum, 0, x);
    assert_true(fx_tensor_get(out, 4095) == 4096);
    fx_tensor_free(out);
    fx_tensor_free(x);
}

#if FLUXION_CPU
static const builder builders[] = {fx_cum_sum, fx_cum_sum_reverse, fx_cum_prod, fx_cum_prod_reverse, fx_cum_max,
                                   fx_cum_max_reverse, fx_cum_min, fx_cum_min_reverse, fx_cum_logsumexp,
                                   fx_cum_logsumexp_reverse};
enum { BUILDERS = COUNT_OF(builders), FIRST_ORDERED = 4, FIRST_LOG = 8 };
static const fx_dtype dtypes[] = {FX_S2, FX_S4, FX_S8, FX_S16, FX_S32, FX_S64, FX_U2, FX_U4, FX_U8, FX_U16, FX_U32, FX_U64,
                                  FX_F16, FX_BF16, FX_F32, FX_F64, FX_C64, FX_C128};

static fx_tensor *filled(const fx_shape *shape) {
    fx_tensor *x = fx_tensor_new(shape, FX_MUST);
    uint64_t seed = 12345;
    if (x->bytes) memset(x->data, 0, (size_t)x->bytes);
    for (int64_t i = 0; i < fx_tensor_size(x); i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        double v = (double)(seed >> 40) / (1 << 23) - 1;
        fxi_element_store(shape->dtype, x->data, i, (fxi_scalar){.i = (int64_t)(seed >> 33), .re = v, .im = -v / 2});
    }
    return x;
}

static double tolerance(fx_dtype dtype) {
    fx_dtype real = fx_dtype_real(dtype);
    return real == FX_F64 ? 1e-12 : real == FX_F32 ? 3e-7 : real == FX_F16 ? 1.1e-3 : 8e-3;
}

static void compare(const fx_tensor *got, const fx_tensor *want, const char *what) {
    fx_dtype dtype = want->shape.dtype;
    for (int64_t i = 0; i < fx_tensor_size(want); i++) {
        fxi_scalar a = fxi_element_load(dtype, got->data, i), b = fxi_element_load(dtype, want->data, i);
        double size = 1 + fabs(b.re) + fabs(b.im), limit = fx_dtype_is_integer(dtype) ? 0 : tolerance(dtype) * size;
        if (a.i != b.i || fabs(a.re - b.re) > limit || fabs(a.im - b.im) > limit)
            fail_msg("%s of %s: element %lld: %g %g for %g %g", what, fx_shape_to_text(&want->shape).s, (long long)i, a.re,
                     a.im, b.re, b.im);
    }
}

static bool accepts(size_t which, fx_dtype dtype) {
    if (which >= FIRST_LOG) return fx_dtype_is_float(dtype);
    return which < FIRST_ORDERED || !fx_dtype_is_complex(dtype);
}

static void compare_shape(fx_shape shape, int axis) {
    for (size_t d = 0; d < COUNT_OF(dtypes); d++) {
        shape.dtype = dtypes[d];
        fx_tensor *x = filled(&shape);
        for (size_t k = 0; k < BUILDERS; k++) {
            if (!accepts(k, shape.dtype)) continue;
            fx_tensor *want = scan_on("interp", builders[k], axis, x), *first = scan_on("cpu?threads=1", builders[k], axis, x);
            fx_tensor *second = scan_on("cpu?threads=3", builders[k], axis, x);
            compare(first, want, fx_dtype_name(shape.dtype));
            assert_true(fx_tensor_equal(first, second));
            fx_tensor_free(want), fx_tensor_free(first), fx_tensor_free(second);
        }
        fx_tensor_free(x);
    }
}

static void cpu_agrees_with_interp(void **state) {
    (void)state;
    compare_shape(FX_SHAPE(FX_F32, 1), 0);
    compare_shape(FX_SHAPE(FX_F32, 0), 0);
    compare_shape(FX_SHAPE(FX_F32, 3, 0, 2), 0);
    compare_shape(FX_SHAPE(FX_F32, 37), 0);
    compare_shape(FX_SHAPE(FX_F32, 5, 1, 7), 1);
    compare_shape(FX_SHAPE(FX_F32, 3, 41, 5), 1);
    compare_shape(FX_SHAPE(FX_F32, 2, 9, 300), 1);
    compare_shape(FX_SHAPE(FX_F32, 33000), 0);
}
#endif

static void refusals(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_cum_sum: axis 1 is out of range for (float32)[3] (rank 1)",
                   fx_cum_sum(parameter(g, FX_SHAPE(FX_F32, 3)), 1));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_cum_max: axis 0 is out of range for (float32) (rank 0)",
                   fx_cum_max(parameter(g, FX_SHAPE(FX_F32)), 0));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_cum_logsumexp: int32 is not accepted; it takes float dtypes (fx_convert converts)",
                   fx_cum_logsumexp(parameter(g, FX_SHAPE(FX_S32, 3)), 0));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_cum_min: complex64 is not accepted; it takes integer, float dtypes (fx_convert converts)",
                   fx_cum_min(parameter(g, FX_SHAPE(FX_C64, 3)), 0));
    assert_null(fx_cum_sum(NULL, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(small_values), BOTH(special_values), BOTH(integers_wrap), BOTH(halves_are_carried_wide),
#if FLUXION_CPU
        cmocka_unit_test(cpu_agrees_with_interp),
#endif
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
