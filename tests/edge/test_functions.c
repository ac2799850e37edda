/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one argument where an approximation is at its worst: near the switch between two of its
 * forms, where the result is tiny against an intermediate, at the bound of the range. Wanted values come
 * from the C library in extended precision, or from the definition. */
#include "edge/edge.h"
#include <math.h>

#define UNARY(name)                                                                                          \
    static fx_node *name##_of(fx_node *const *in) {                                                          \
        return fx_##name(in[0]);                                                                             \
    }
UNARY(log1p)
UNARY(atanh)
UNARY(tanh)
UNARY(erf)
UNARY(erfc)
UNARY(expm1)

/* n points from low to high, both included. */
static fx_tensor *grid(fx_dtype dtype, double low, double high, int64_t n) {
    fx_tensor *t = fx_tensor_new(&FX_SHAPE(dtype, n), FX_MUST);
    for (int64_t i = 0; i < n; i++)
        fxi_element_store(dtype, t->data, i,
                          (fxi_scalar){.re = low + (high - low) * (double)i / (double)(n - 1)});
    return t;
}

typedef long double (*reference)(long double x);

/* Every element within so many ulp, and never of a larger magnitude than `bound`. */
static void check_grid(void **state, edge_fn fn, reference right, fx_tensor *x, double ulps, double bound) {
    fx_tensor *got = edge_run(state, fn, &x, 1), *want = fx_tensor_new(&x->shape, FX_MUST);
    for (int64_t i = 0; i < fx_tensor_size(x); i++) {
        double y = fx_tensor_get(got, i);
        if (fabs(y) > bound) fail_msg("%a at %a", y, fx_tensor_get(x, i));
        fxi_element_store(x->shape.dtype, want->data, i,
                          (fxi_scalar){.re = (double)right((long double)fx_tensor_get(x, i))});
    }
    edge_assert(got, want, ulps, "a grid");
    fx_tensor_free(got);
    fx_tensor_free(want);
    fx_tensor_free(x);
}

static void log1p_between_its_forms(void **state) {
    const double x = -0.4141892;
    edge_check_map(
        state, &(edge_map){
                   "log1p", log1p_of, EDGE_REALS(FX_F64, -0x1.11cbdaa6f412fp-1), 2, {EDGE_REALS(FX_F64, x)}});
    edge_check_map(state, &(edge_map){"atanh",
                                      atanh_of,
                                      EDGE_REALS(FX_F64, (double)atanhl((long double)-x)),
                                      2,
                                      {EDGE_REALS(FX_F64, -x)}});
    check_grid(state, log1p_of, log1pl, grid(FX_F64, -0.53, -0.25, 10001), 2, INFINITY);
    check_grid(state, log1p_of, log1pl, grid(FX_F32, -0.53, -0.25, 10001), 2, INFINITY);
    check_grid(state, atanh_of, atanhl, grid(FX_F64, -0.53, 0.53, 10001), 3, INFINITY);
}

static void tanh_stays_below_one(void **state) {
    edge_check_map(state, &(edge_map){"tanh",
                                      tanh_of,
                                      EDGE_REALS(FX_F32, edge_float_of(0x3f7fffe4), edge_float_of(0x3f7ffff6),
                                                 edge_float_of(0x3f7ffffc), edge_float_of(0x3f7ffffc),
                                                 edge_float_of(0x3f7fffff), 1, -1, NAN, 0x1.16c2p-133, -0.0),
                                      1,
                                      {EDGE_REALS(FX_F32, 7, 7.5, 7.99f, 8, 9, INFINITY, -INFINITY, NAN,
                                                  0x1.16c2p-133, -0.0)}});
    uint32_t low = 0x40e00000, high = 0x4111999a; /* 7 and 9.1 */
    int64_t n = high - low;
    fx_tensor *x = fx_tensor_new(&FX_SHAPE(FX_F32, n), FX_MUST);
    for (int64_t i = 0; i < n; i++) ((float *)x->data)[i] = edge_float_of(low + (uint32_t)i);
    fx_tensor *y = edge_run(state, tanh_of, &x, 1);
    for (int64_t i = 0; i < n; i++) assert_true(((const float *)y->data)[i] <= 1);
    fx_tensor_free(x);
    fx_tensor_free(y);
    check_grid(state, tanh_of, tanhl, grid(FX_F32, 7, 9.1, 20001), 4, 1);
    check_grid(state, tanh_of, tanhl, grid(FX_F64, -22, 22, 20001), 4, 1);
}

static void erf_stays_below_one(void **state) {
    edge_check_map(state, &(edge_map){"erf",
                                      erf_of,
                                      EDGE_REALS(FX_F32, edge_float_of(0x3f7fffff), 1, -1),
                                      0,
                                      {EDGE_REALS(FX_F32, 3.9004288f, INFINITY, -INFINITY)}});
    check_grid(state, erf_of, erfl, grid(FX_F32, 1, 6, 20001), 2, 1);
    check_grid(state, erf_of, erfl, grid(FX_F64, -6, 6, 20001), 2, 1);
    check_grid(state, erfc_of, erfcl, grid(FX_F32, 1, 9, 20001), 4, 1);
    check_grid(state, erfc_of, erfcl, grid(FX_F64, 1, 26, 20001), 4, 1);
}

static void expm1_of_tiny_numbers(void **state) {
    static const double x[] = {1e-8, 1e-7, 1e-3, -1e-8, -0.0, 0x1.65p-140};
    double want[COUNT_OF(x)];
    for (size_t i = 0; i < COUNT_OF(x); i++) want[i] = (double)expm1l((long double)(float)x[i]);
    edge_check_map(state, &(edge_map){"expm1",
                                      expm1_of,
                                      edge_reals(FX_F32, want, COUNT_OF(x)),
                                      1,
                                      {edge_reals(FX_F32, x, COUNT_OF(x))}});
    check_grid(state, expm1_of, expm1l, grid(FX_F32, -1e-3, 1e-3, 10001), 2, INFINITY);
    check_grid(state, expm1_of, expm1l, grid(FX_F64, -1e-9, 1e-9, 10001), 2, INFINITY);
}

/* ---- what rewriting must leave alone ---- */

static fx_node *log_of_exp(fx_node *const *in) {
    return fx_log(fx_exp(in[0]));
}
static fx_node *root_of_square(fx_node *const *in) {
    return fx_sqrt(fx_mul(in[0], in[0]));
}
static fx_node *root_squared(fx_node *const *in) {
    return fx_square(fx_sqrt(in[0]));
}
static fx_node *through_bfloat16(fx_node *const *in) {
    fx_node *x = fx_convert(in[0], FX_BF16);
    return fx_convert(x, FX_F32);
}
static fx_node *lost_in_bfloat16(fx_node *const *in) {
    return fx_sub(in[1], fx_sub(fx_add(in[0], in[1]), in[0]));
}

static void overflow_is_kept(void **state) {
    edge_check_map(state, &(edge_map){"log(exp)",
                                      log_of_exp,
                                      EDGE_REALS(FX_F32, INFINITY, -INFINITY),
                                      0,
                                      {EDGE_REALS(FX_F32, 89, -110)}});
    edge_check_map(state, &(edge_map){"sqrt(x x)",
                                      root_of_square,
                                      EDGE_REALS(FX_F32, INFINITY, INFINITY, 0, 3),
                                      0,
                                      {EDGE_REALS(FX_F32, 2e19, 0x1.fffffep127, 1e-30, -3)}});
    edge_check_map(state, &(edge_map){"sqrt(x)^2",
                                      root_squared,
                                      EDGE_REALS(FX_F32, NAN, -0.0 * -1, 4),
                                      0,
                                      {EDGE_REALS(FX_F32, -1, 0, 4)}});
}

static void narrowing_is_kept(void **state) {
    edge_check_map(state, &(edge_map){"bfloat16 and back",
                                      through_bfloat16,
                                      EDGE_REALS(FX_F32, 0.10009765625, 1, -3.296875),
                                      0,
                                      {EDGE_REALS(FX_F32, 0.1f, 1.001f, -3.3f)}});
    edge_check_map(state, &(edge_map){"y - ((x + y) - x)",
                                      lost_in_bfloat16,
                                      EDGE_REALS(FX_BF16, 0x1p-9),
                                      0,
                                      {EDGE_REALS(FX_BF16, 1), EDGE_REALS(FX_BF16, 0x1p-9)}});
    edge_check_map(state, &(edge_map){"y - ((x + y) - x)",
                                      lost_in_bfloat16,
                                      EDGE_REALS(FX_F16, 0x1p-12),
                                      0,
                                      {EDGE_REALS(FX_F16, 1), EDGE_REALS(FX_F16, 0x1p-12)}});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(log1p_between_its_forms), BOTH(tanh_stays_below_one), BOTH(erf_stays_below_one),
        BOTH(expm1_of_tiny_numbers),   BOTH(overflow_is_kept),     BOTH(narrowing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
