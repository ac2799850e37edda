/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives where differences cannot tell them: kinks, ties, poles, zeros, infinities, NaN; on both
 * backends. The wanted values are conventions stated in the headers, or limits worked out by hand. */
#include "support/run_graph.h"
#include <fluxion.h>
#include <math.h>

#define INF ((double)INFINITY)
#define NOT_A_NUMBER ((double)NAN)
enum { MOST = 3, LENGTH = 8 };

/* f of up to three vectors; wanted: the derivative of the sum of f by each of them. */
typedef struct awkward {
    const char *name;
    void (*f)(fx_node *const *x, fx_node **y);
    int operands, n;
    double x[MOST][LENGTH], want[MOST][LENGTH];
} awkward;

#define FUNCTION(name, expression)                                                                           \
    static void f_##name(fx_node *const *x, fx_node **y) {                                                   \
        *y = expression;                                                                                     \
    }
FUNCTION(abs, fx_abs(x[0]))
FUNCTION(relu, fx_relu(x[0]))
FUNCTION(leaky_relu, fx_leaky_relu_with(x[0], 0.25))
FUNCTION(elu, fx_elu(x[0]))
FUNCTION(hard_sigmoid, fx_hard_sigmoid_with(x[0], 0.5, 0.5))
FUNCTION(softplus, fx_softplus(x[0]))
FUNCTION(silu, fx_silu(x[0]))
FUNCTION(gelu, fx_gelu(x[0]))
FUNCTION(logistic, fx_logistic(x[0]))
FUNCTION(tanh, fx_tanh(x[0]))
FUNCTION(expm1, fx_expm1(x[0]))
FUNCTION(asinh, fx_asinh(x[0]))
FUNCTION(asin, fx_asin(x[0]))
FUNCTION(acosh, fx_acosh(x[0]))
FUNCTION(digamma, fx_digamma(x[0]))
FUNCTION(bessel_i0e, fx_bessel_i0e(x[0]))
FUNCTION(bessel_i1e, fx_bessel_i1e(x[0]))
FUNCTION(max, fx_max(x[0], x[1]))
FUNCTION(min, fx_min(x[0], x[1]))
FUNCTION(same_max, fx_max(x[0], x[0]))
FUNCTION(clamp, fx_clamp(x[0], x[1], x[2]))
FUNCTION(pow, fx_pow(x[0], x[1]))
FUNCTION(difference_pow, fx_pow(fx_sub(x[0], x[1]), x[1]))
FUNCTION(floor_pow, fx_pow(fx_sub(x[0], fx_floor(x[0])), x[1]))
FUNCTION(square, fx_pow_scalar(x[0], 2))
FUNCTION(cube, fx_pow_scalar(x[0], 3))
FUNCTION(first_power, fx_pow_scalar(x[0], 1))
FUNCTION(no_power, fx_pow_scalar(x[0], 0))
FUNCTION(root_by_pow, fx_pow_scalar(x[0], 0.5))
FUNCTION(hypot, fx_hypot(x[0], x[1]))
FUNCTION(atan2, fx_atan2(x[0], x[1]))
FUNCTION(copysign, fx_copysign(x[0], x[1]))
FUNCTION(rem, fx_rem(x[0], x[1]))
FUNCTION(mod, fx_mod(x[0], x[1]))
FUNCTION(strong_mul, fx_strong_mul(x[0], x[1]))
FUNCTION(strong_div, fx_strong_div(x[0], x[1]))
FUNCTION(log_add_exp, fx_log_add_exp(x[0], x[1]))
FUNCTION(log_add_exp_3, fx_log_add_exp(fx_log_add_exp(x[0], x[1]), x[2]))
FUNCTION(guarded_root, fx_where(fx_is_positive(x[0]), fx_sqrt(x[0]), fx_zeros_like(x[0])))
FUNCTION(guarded_quotient, fx_where(fx_is_positive(x[0]), fx_div(x[1], x[0]), fx_zeros_like(x[0])))
FUNCTION(guarded_log, fx_where(fx_is_positive(x[0]), fx_log(x[0]), fx_zeros_like(x[0])))
FUNCTION(x_log_y, fx_strong_mul(x[0], fx_log(x[1])))
FUNCTION(nan_to_num, fx_nan_to_num(x[0], 0, 1, -1))
FUNCTION(mirrored_log1p, fx_mirrored_log1p(x[0]))
FUNCTION(reduce_precision, fx_reduce_precision(x[0], 5, 10))
static fx_node *through_float8(fx_node *x) {
    fx_node *q = fx_reshape(fx_convert(x, FX_F8E4M3FN), FX_DIMS(2));
    return fx_add(fx_convert(q, FX_F64), fx_mul_scalar(fx_convert(q, FX_F64), 1000));
}
FUNCTION(float8, through_float8(x[0]))
FUNCTION(narrowed, fx_convert(fx_convert(x[0], FX_F32), FX_F64))

/* Derivatives to be differentiated once more. */
static fx_node *derivative(fx_node *y, fx_node *x) {
    fx_node *one = fx_ones_like(y);
    return fx_vjp((fx_nodes){&y, 1}, (fx_nodes){&one, 1}, (fx_nodes){&x, 1}, NULL);
}
FUNCTION(softplus_again, derivative(fx_softplus(x[0]), x[0]))
FUNCTION(log_add_exp_again, derivative(fx_log_add_exp(x[0], x[1]), x[0]))
FUNCTION(line_squared, derivative(fx_square(fx_sub_scalar(fx_mul_scalar(x[0], 3), 6)), x[0]))
FUNCTION(product_again, derivative(fx_mul(fx_square(x[0]), x[1]), x[0]))
FUNCTION(pow_again, derivative(fx_pow(x[0], x[1]), x[0]))
FUNCTION(quotient_again, derivative(fx_div(fx_square(x[0]), x[1]), x[0]))
FUNCTION(pow_mixed, derivative(fx_pow(x[0], x[1]), x[1]))
FUNCTION(pow_third, derivative(derivative(fx_pow(x[0], x[1]), x[0]), x[0]))
FUNCTION(abs_again, derivative(fx_abs(x[0]), x[0]))
FUNCTION(bessel_i1e_again, derivative(fx_bessel_i1e(x[0]), x[0]))
FUNCTION(digamma_again, derivative(fx_digamma(x[0]), x[0]))
FUNCTION(digamma_third, derivative(derivative(fx_digamma(x[0]), x[0]), x[0]))

static const awkward cases[] = {
    {"abs", f_abs, 1, 5, {{-2, -0.0, 0, 3, -INF}}, {{-1, 0, 0, 1, -1}}},
    {"relu", f_relu, 1, 5, {{-2, -0.0, 0, 3, INF}}, {{0, 0, 0, 1, 1}}},
    {"leaky_relu", f_leaky_relu, 1, 3, {{-2, 0, 3}}, {{0.25, 1, 1}}},
    {"elu", f_elu, 1, 5, {{-50, 0, 3, 1000, -INF}}, {{1.9287498479639178e-22, 1, 1, 1, 0}}},
    {"hard_sigmoid", f_hard_sigmoid, 1, 5, {{-2, -1, 0, 1, 2}}, {{0, 0.5, 0.5, 0.5, 0}}},
    {"softplus", f_softplus, 1, 6, {{-INF, -1000, 0, 50, 1000, INF}}, {{0, 0, 0.5, 1, 1, 1}}},
    {"silu", f_silu, 1, 3, {{-1000, 0, 1000}}, {{0, 0.5, 1}}},
    {"gelu", f_gelu, 1, 3, {{-60, 0, 60}}, {{0, 0.5, 1}}},
    {"logistic", f_logistic, 1, 4, {{-800, 0, 40, 800}}, {{0, 0.25, 4.248354255291589e-18, 0}}},
    {"tanh", f_tanh, 1, 4, {{-INF, 0, 30, INF}}, {{0, 1, 0, 0}}},
    {"expm1", f_expm1, 1, 3, {{-50, 0, -INF}}, {{1.9287498479639178e-22, 1, 0}}},
    {"asinh", f_asinh, 1, 3, {{0, 1e200, -INF}}, {{1, 1e-200, 0}}},
    {"asin", f_asin, 1, 3, {{0, 1, 0.9999999999999999}}, {{1, INF, 67108864}}},
    {"acosh", f_acosh, 1, 3, {{1, 1e200, INF}}, {{INF, 1e-200, 0}}},
    /* pi^2/6, pi^2/2, psi'(-1/2) = pi^2/2 + 4, 1/x + 1/2x^2 */
    {"digamma",
     f_digamma,
     1,
     6,
     {{1, 0.5, -0.5, 1e-8, 1e10, INF}},
     {{1.6449340668482264, 4.934802200544679, 8.934802200544679, 1.0000000000000002e16, 1.00000000005e-10,
       0}}},
    {"bessel_i0e", f_bessel_i0e, 1, 2, {{0, -0.0}}, {{0, 0}}},
    {"bessel_i1e", f_bessel_i1e, 1, 3, {{0, -0.0, 1e-300}}, {{0.5, 0.5, 0.5}}},
    {"max",
     f_max,
     2,
     6,
     {{1, 2, 2, 0, NOT_A_NUMBER, 5}, {2, 1, 2, -0.0, 1, NOT_A_NUMBER}},
     {{0, 1, 0.5, 0.5, 1, 0}, {1, 0, 0.5, 0.5, 0, 1}}},
    {"min",
     f_min,
     2,
     6,
     {{1, 2, 2, 0, NOT_A_NUMBER, 5}, {2, 1, 2, -0.0, 1, NOT_A_NUMBER}},
     {{1, 0, 0.5, 0.5, 1, 0}, {0, 1, 0.5, 0.5, 0, 1}}},
    {"max(x, x)", f_same_max, 1, 2, {{0.6, -1}}, {{1, 1}}},
    /* G20, G22, and bounds that cross */
    {"clamp",
     f_clamp,
     3,
     8,
     {{-1, -1, -1, -1, -1, 1, 1, 2}, {-2, -1, 0, 1, 2, 1, 0, 0}, {1, 1, 1, 1, 1, 1, 1, 1}},
     {{1, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 1, 1, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 1, 1, 1}}},
    /* G03, and pow(0, 0), pow(1, y), a negative base, an infinite one */
    {"pow",
     f_pow,
     2,
     8,
     {{0, 2, 0, 1, -2, 0, INF, 0}, {1, 1, 0, 5, 3, 3, -1, 0.5}},
     {{1, 1, 0, 5, 12, 0, 0, INF}, {0, 1.3862943611198906, 0, 0, 0, 0, 0, 0}}},
    {"pow of a difference (G04)", f_difference_pow, 2, 1, {{1}, {1}}, {{1}, {-1}}},
    {"pow 0 of a fraction (G05)", f_floor_pow, 2, 2, {{1, 1.5}, {0, 0}}, {{0, 0}, {0, -0.6931471805599453}}},
    {"square", f_square, 1, 4, {{0, -3, 1e200, -INF}}, {{0, -6, 2e200, -INF}}},
    {"cube", f_cube, 1, 3, {{0, -3, 1e-200}}, {{0, 27, 0}}},
    {"first power", f_first_power, 1, 2, {{0, INF}}, {{1, 1}}},
    {"power 0", f_no_power, 1, 2, {{0, INF}}, {{0, 0}}},
    {"root by pow", f_root_by_pow, 1, 2, {{0, 4}}, {{INF, 0.25}}},
    {"hypot", f_hypot, 2, 3, {{0, 3e200, 3e-320}, {0, 4e200, 0}}, {{0, 0.6, 1}, {0, 0.8, 0}}},
    {"atan2", f_atan2, 2, 3, {{0, 0, 1e200}, {0, -1e-200, 0}}, {{0, -1e200, 0}, {0, 0, -1e-200}}},
    {"copysign", f_copysign, 2, 4, {{1, -1, -1, 0}, {-0.0, 1, -1, 1}}, {{-1, -1, 1, 0}, {0, 0, 0, 0}}},
    {"rem", f_rem, 2, 3, {{7, -7, 6}, {3, 3, -4}}, {{1, 1, 1}, {-2, 2, 1}}},
    {"mod", f_mod, 2, 3, {{7, -7, 6}, {3, 3, -4}}, {{1, 1, 1}, {-2, 3, 2}}},
    {"strong_mul", f_strong_mul, 2, 3, {{0, 0, 2}, {INF, 5, 3}}, {{INF, 5, 3}, {0, 0, 2}}},
    {"strong_div", f_strong_div, 2, 3, {{0, 0, 2}, {0, 5, 4}}, {{INF, 0.2, 0.25}, {0, 0, -0.125}}},
    {"log_add_exp",
     f_log_add_exp,
     2,
     6,
     {{1, -INF, -INF, INF, 0, 1000}, {1, -INF, 3, INF, INF, -1000}},
     {{0.5, 0, 0, 0, 0, 1}, {0.5, 0, 1, 0, 1, 0}}},
    {"log_add_exp in a chain (G28)", f_log_add_exp_3, 3, 1, {{-INF}, {-INF}, {2}}, {{0}, {0}, {1}}},
    {"root behind where", f_guarded_root, 1, 3, {{0, -1, 4}}, {{0, 0, 0.25}}},
    {"quotient behind where",
     f_guarded_quotient,
     2,
     3,
     {{0, -0.0, 4}, {0, 1, 2}},
     {{0, 0, -0.125}, {0, 0, 0.25}}},
    {"log behind where", f_guarded_log, 1, 3, {{0, -1, 4}}, {{0, 0, 0.25}}},
    {"x log y", f_x_log_y, 2, 2, {{0, 2}, {0, 4}}, {{-INF, 1.3862943611198906}, {0, 0.5}}},
    {"softplus twice", f_softplus_again, 1, 3, {{0, -1000, 1000}}, {{0.25, 0, 0}}},
    {"log_add_exp twice, equal", f_log_add_exp_again, 2, 2, {{3, -INF}, {3, -INF}}, {{0.25, 0}, {-0.25, 0}}},
    {"(3 x - 6)^2 twice at 2", f_line_squared, 1, 2, {{2, 5}}, {{18, 18}}},
    {"x^2 y twice at 0", f_product_again, 2, 2, {{0, 0}, {5, 0}}, {{10, 0}, {0, 0}}},
    /* second derivatives y (y - 1) x^(y - 2) and x^(y - 1) (1 + y log x), for the second of which 0 is chosen
     * at x = 0 */
    {"x^y twice",
     f_pow_again,
     2,
     5,
     {{0, 0, 0, 0, 4}, {1, 2, 3, 0, 0}},
     {{0, 2, 0, 0, 0}, {1, 0, 0, INF, 0.25}}},
    {"x^y by y, then by both",
     f_pow_mixed,
     2,
     3,
     {{0, 0, 4}, {1, 2, 0}},
     {{0, 0, 0.25}, {0, 0, 1.9218120556728056}}},
    {"x^y three times", f_pow_third, 2, 3, {{0, 0, 0}, {1, 2, 3}}, {{0, 0, 6}, {INF, 3, 0}}},
    {"x^2 / y twice at 0", f_quotient_again, 2, 1, {{0}, {4}}, {{0.5}, {0}}},
    {"abs twice", f_abs_again, 1, 3, {{0, -1, 1}}, {{0, 0, 0}}},
    {"bessel_i1e twice", f_bessel_i1e_again, 1, 1, {{0}}, {{0}}},
    /* -2 zeta(3) and -14 zeta(3); pi^4 / 15 */
    {"psi''", f_digamma_again, 1, 2, {{1, 0.5}}, {{-2.404113806319188571, -16.8287966442343199956}}},
    {"psi'''", f_digamma_third, 1, 1, {{1}}, {{6.49393940226682914910}}},
    {"nan_to_num", f_nan_to_num, 1, 4, {{NOT_A_NUMBER, INF, -INF, 2}}, {{0, 0, 0, 1}}},
    {"mirrored_log1p", f_mirrored_log1p, 1, 3, {{0, -3, 3}}, {{1, 0.25, 0.25}}},
    {"reduce_precision", f_reduce_precision, 1, 2, {{1.0001, 1e9}}, {{1, 1}}},
    {"float64 through float8", f_float8, 1, 2, {{0.1, 300}}, {{1001, 1001}}},
    {"float64 through float32", f_narrowed, 1, 2, {{0.1, 1e300}}, {{1, 1}}},
};
enum { CASES = sizeof cases / sizeof *cases };

static void gradient_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    fx_node *y = NULL;
    (void)body, (void)n_out;
    ((const awkward *)user)->f(in, &y);
    fx_node *adjoint = fx_ones_like(y);
    fx_vjp((fx_nodes){&y, 1}, (fx_nodes){&adjoint, 1}, (fx_nodes){in, n_in}, out);
}

/* To four rounding errors. */
static bool is_near(double got, double want) {
    if (isnan(want)) return isnan(got);
    return got == want || fabs(got - want) <= 4 * 0x1p-52 * fabs(want);
}

static void check_on(const char *backend, const awkward *c) {
    fx_error err = {.code = FX_OK};
    fx_backend *b = fx_backend_open(backend, FX_MUST);
    fx_exec *exec =
        fx_exec_new_fn(b, gradient_fn, (size_t)c->operands, (size_t)c->operands, (void *)c, FX_MUST);
    const fx_shape shape = {.dtype = FX_F64, .rank = 1, .dims = {c->n}};
    fx_tensor *in[MOST], *out[MOST];
    fx_arg args[MOST];
    for (int i = 0; i < c->operands; i++) {
        in[i] = fx_tensor_copy_from(&shape, c->x[i], FX_MUST);
        args[i] = FX_ARG(in[i]);
    }
    if (!fx_exec_call(exec, args, (size_t)c->operands, out, (size_t)c->operands, &err))
        fail_msg("%s: %s", c->name, err.message);
    for (int i = 0; i < c->operands; i++) {
        const double *got = fx_tensor_data(out[i]);
        for (int k = 0; k < c->n; k++)
            if (!is_near(got[k], c->want[i][k]))
                fail_msg("%s on %s: derivative by operand %d at %d is %.17g, not %.17g", c->name, backend, i,
                         k, got[k], c->want[i][k]);
        fx_tensor_free(in[i]);
        fx_tensor_free(out[i]);
    }
    fx_exec_free(exec);
    fx_backend_close(b);
}

static void test_awkward(void **state) {
    (void)state;
    for (int i = 0; i < CASES; i++) {
        check_on("interp", &cases[i]);
#if FLUXION_CPU
        check_on("cpu", &cases[i]);
#endif
    }
}

/* G01: the norm of a row of zeros behind a select. */
static void test_norm_behind_where(void **state) {
    (void)state;
    const double rows[3][2] = {{1, 2}, {3, 4}, {0, 0}};
    fx_graph *g = new_graph();
    fx_node *x = fx_constant_host(g, FX_HOST(&rows[0][0], 3, 2));
    fx_node *r = fx_sqrt(fx_reduce_sum(fx_mul(x, x), FX_AXES(1)));
    fx_node *kept = fx_where(fx_greater(r, fx_scalar(g, FX_F64, 0.5)), r, fx_scalar(g, FX_F64, 1));
    assert_value(
        g, fx_gradient(fx_reduce_all_sum(kept), FX_NODES(x), NULL),
        "[3][2]float64{{0.4472135954999579, 0.8944271909999159}, {0.6000000000000001, 0.8}, {0, 0}}");
}

/* G25: the adjoint of a broadcast operand, whatever else is computed of the sum. */
static void test_broadcast_beside_comparison(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *a = fx_ones(g, &FX_SHAPE(FX_F64, 1, 3, 3)),
            *b = fx_add(a, fx_ones(g, &FX_SHAPE(FX_F64, 3, 3, 3)));
    fx_node *one = fx_scalar(g, FX_F64, 1), *square = fx_mul(b, b);
    fx_node *d = fx_gradient(fx_reduce_all_sum(square), FX_NODES(a), NULL);
    fx_node *below = fx_convert(fx_reduce_or(fx_less(b, one), FX_AXES(0)), FX_F64);
    assert_value(g, fx_add(fx_squeeze(d, FX_AXES(0)), below),
                 "[3][3]float64{{12, 12, 12}, {12, 12, 12}, {12, 12, 12}}");
}

/* N01, its last part: x^2 at 2 in forward mode over two reverse ones. */
static void test_forward_over_reverse(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = fx_scalar(g, FX_F64, 2), *one = fx_scalar(g, FX_F64, 1);
    fx_node *gradient = fx_gradient(fx_mul(x, x), FX_NODES(x), NULL);
    fx_node *product = fx_mul(gradient, fx_gradient(gradient, FX_NODES(x), NULL)); /* 2 x 2 */
    assert_value(g, fx_jvp(FX_NODES(product), FX_NODES(x), FX_NODES(one), NULL), "float64(4)");
}

/* Adjoints of float8 are float32 inside; what the caller gets has the node's dtype. */
static void test_float8(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = fx_scalar(g, FX_F64, 1.7), *q = fx_convert(x, FX_F8E4M3FN), *y = fx_convert(q, FX_F32);
    fx_node *z = fx_mul(y, y), *one = fx_scalar_one(g, FX_F8E4M3FN), *t = fx_scalar_one(g, FX_F64);
    assert_node(fx_gradient(z, FX_NODES(q), NULL), "convert", "(float8_e4m3fn)");
    assert_node(fx_vjp(FX_NODES(q), FX_NODES(one), FX_NODES(x), NULL), "convert", "(float64)");
    assert_node(fx_jvp(FX_NODES(q), FX_NODES(x), FX_NODES(t), NULL), "convert", "(float8_e4m3fn)");
    assert_value(g, fx_jvp(FX_NODES(z), FX_NODES(x), FX_NODES(t), NULL), "float32(3.5)");
}

/* What the rules know of constants must not outlast them: any node may be a later variable. */
static void test_constants_are_variables(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = fx_scalar(g, FX_F64, 1);
    assert_value(g, derivative(derivative(fx_mul(x, x), x), x), "float64(2)");
    g = new_graph();
    fx_node *wide = fx_ones(g, &FX_SHAPE(FX_F64, 2));
    assert_value(g, derivative(derivative(fx_mul(wide, wide), wide), wide), "[2]float64{2, 2}");
    g = new_graph(); /* x^y by x, then by y at 1 and 2: x^(y - 1) (1 + y log x) */
    x = fx_scalar(g, FX_F64, 1);
    fx_node *y = fx_scalar(g, FX_F64, 2);
    assert_value(g, derivative(derivative(fx_pow(x, y), x), y), "float64(1)");
    g = new_graph(); /* by the adjoint */
    x = fx_scalar(g, FX_F64, 3);
    fx_node *one = fx_scalar(g, FX_F64, 1), *square = fx_mul(x, x);
    fx_node *product = fx_vjp(FX_NODES(square), FX_NODES(one), FX_NODES(x), NULL);
    assert_value(g, derivative(product, one), "float64(6)");
    g = new_graph(); /* of a gradient, which is a constant of the library's until it is given away */
    x = fx_scalar(g, FX_F64, 3);
    fx_node *slope = fx_gradient(fx_mul_scalar(x, 5), FX_NODES(x), NULL);
    assert_value(g, derivative(derivative(fx_mul(slope, slope), slope), slope), "float64(2)");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_awkward),
                                       cmocka_unit_test(test_norm_behind_where),
                                       cmocka_unit_test(test_broadcast_beside_comparison),
                                       cmocka_unit_test(test_forward_over_reverse),
                                       cmocka_unit_test(test_constants_are_variables),
                                       cmocka_unit_test(test_float8)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
