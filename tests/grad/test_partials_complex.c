/* SPDX-License-Identifier: Apache-2.0 */
/* Adjoints of complex functions at zeros, on branch cuts, where the sign of a zero says from which side, and
 * at large numbers; on both backends. Wanted is conj(f'), by hand from the formulas of the derivatives. */
#include "support/graph_helpers.h"
#include <fluxion.h>
#include <math.h>

#define INF ((double)INFINITY)
enum { LENGTH = 5 };

typedef struct complex_case {
    const char *name;
    fx_node *(*f)(fx_node *);
    int n;
    double z[LENGTH][2], want[LENGTH][2];
} complex_case;

static fx_node *first_power(fx_node *z) {
    return fx_real(fx_pow(z, fx_ones_like(z)));
}
static fx_node *first_power_scalar(fx_node *z) {
    return fx_real(fx_pow_scalar(z, 1));
}
static fx_node *to_power(fx_node *z) {
    return fx_pow(fx_scalar(z->graph, FX_C128, 0), z);
}
static fx_node *square(fx_node *z) {
    return fx_pow(z, fx_add(fx_ones_like(z), fx_ones_like(z)));
}
static fx_node *zeroth(fx_node *z) {
    return fx_pow(z, fx_sub(fx_ones_like(z), fx_ones_like(z)));
}
static fx_node *as_real(fx_node *z) {
    return fx_convert(z, FX_F64);
}
static fx_node *of_real(fx_node *z) {
    return fx_convert(fx_real(z), FX_C128);
}

#define T 0.57735026918962576451 /* 1 / sqrt 3 */
#define S 1.15470053837925152902 /* 2 / sqrt 3 */
static const complex_case cases[] = {
    {"abs", fx_abs, 3, {{0, 0}, {3, 4}, {0, -2}}, {{0, 0}, {0.6, 0.8}, {0, -1}}},
    {"sign", fx_sign, 2, {{0, 0}, {3, 4}}, {{0, 0}, {0.128, -0.096}}},
    {"real", fx_real, 2, {{1, 2}, {INF, 0}}, {{1, 0}, {1, 0}}},
    {"imag", fx_imag, 2, {{1, 2}, {INF, 0}}, {{0, 1}, {0, 1}}},
    {"to real", as_real, 1, {{1, 2}}, {{1, 0}}},
    {"of real", of_real, 1, {{1, 2}}, {{1, 0}}},
    {"log", fx_log, 3, {{-1, 0}, {-1, -0.0}, {0, 2}}, {{-1, 0}, {-1, 0}, {0, 0.5}}},
    {"sqrt", fx_sqrt, 2, {{-4, 0}, {-4, -0.0}}, {{0, 0.25}, {0, -0.25}}},
    {"asin", fx_asin, 4, {{2, 0}, {2, -0.0}, {-2, 0}, {-2, -0.0}}, {{0, -T}, {0, T}, {0, T}, {0, -T}}},
    {"acos", fx_acos, 4, {{2, 0}, {2, -0.0}, {-2, 0}, {-2, -0.0}}, {{0, T}, {0, -T}, {0, -T}, {0, T}}},
    {"asinh", fx_asinh, 4, {{0, 2}, {-0.0, 2}, {0, -2}, {-0.0, -2}}, {{0, T}, {0, -T}, {0, -T}, {0, T}}},
    {"acosh", fx_acosh, 4, {{-2, 0}, {-2, -0.0}, {0.5, 0}, {0.5, -0.0}}, {{-T, 0}, {-T, 0}, {0, S}, {0, -S}}},
    {"atanh", fx_atanh, 3, {{2, 0}, {2, -0.0}, {1e200, 1e200}}, {{-1.0 / 3, 0}, {-1.0 / 3, 0}, {0, 0}}},
    {"atan", fx_atan, 3, {{0, 2}, {-0.0, 2}, {1e200, 1e200}}, {{-1.0 / 3, 0}, {-1.0 / 3, 0}, {0, 0}}},
    {"z^1 (V23)", first_power, 2, {{INF, 0}, {0, 0}}, {{1, 0}, {1, 0}}},
    {"z^1 by a number (V23)", first_power_scalar, 2, {{INF, 0}, {0, 0}}, {{1, 0}, {1, 0}}},
    {"z^2", square, 2, {{0, 0}, {1, 2}}, {{0, 0}, {2, -4}}},
    {"z^0", zeroth, 2, {{0, 0}, {1, 2}}, {{0, 0}, {0, 0}}},
    {"0^z", to_power, 3, {{0, 0}, {1, 0}, {2, 1}}, {{0, 0}, {0, 0}, {0, 0}}},
};
enum { CASES = sizeof cases / sizeof *cases };

static void gradient_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    fx_node *y = ((const complex_case *)user)->f(in[0]), *adjoint = fx_ones_like(y);
    (void)body, (void)n_out;
    fx_vjp((fx_nodes){&y, 1}, (fx_nodes){&adjoint, 1}, (fx_nodes){in, n_in}, out);
}

/* To eight rounding errors of the magnitude. */
static void check_on(const char *backend, const complex_case *c) {
    fx_error err = {.code = FX_OK};
    fx_backend *b = fx_backend_open(backend, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(b, gradient_fn, 1, 1, (void *)c, FX_MUST);
    const fx_shape shape = {.dtype = FX_C128, .rank = 1, .dims = {c->n}};
    fx_tensor *in = fx_tensor_copy_from(&shape, c->z, FX_MUST), *out = NULL;
    const fx_arg arg = FX_ARG(in);
    if (!fx_exec_call(exec, &arg, 1, &out, 1, &err)) fail_msg("%s: %s", c->name, err.message);
    const double *got = fx_tensor_data(out);
    for (int k = 0; k < c->n; k++) {
        const double *want = c->want[k], *at = &got[2 * k];
        if (!(hypot(at[0] - want[0], at[1] - want[1]) <= 8 * 0x1p-52 * hypot(want[0], want[1])))
            fail_msg("%s on %s at %d: %.17g %+.17gi, not %.17g %+.17gi", c->name, backend, k, at[0], at[1],
                     want[0], want[1]);
    }
    fx_tensor_free(in);
    fx_tensor_free(out);
    fx_exec_free(exec);
    fx_backend_close(b);
}

static void test_complex(void **state) {
    (void)state;
    for (int i = 0; i < CASES; i++) {
        check_on("interp", &cases[i]);
#if FLUXION_CPU
        check_on("cpu", &cases[i]);
#endif
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_complex)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
