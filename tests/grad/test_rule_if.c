/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of branches: only the chosen branch counts, in values, derivatives and NaN. */
#include "support/derivatives.h"
#include "support/run_graph.h"

typedef struct operands {
    fx_node *x, *y;
} operands;

static void product(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    const operands *o = user;
    (void)body, (void)in, (void)n_in, (void)n_out;
    out[0] = fx_mul(fx_sin(o->x), o->y);
    out[1] = o->x;
}

static void other(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const operands *o = user;
    (void)in, (void)n_in, (void)n_out;
    out[0] = fx_mul(o->y, fx_mul(o->y, o->y));
    out[1] = fx_zeros(body, fx_node_shape(o->x));
}

static void roots(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const operands *o = user;
    (void)body, (void)in, (void)n_in, (void)n_out;
    out[0] = fx_log(fx_mul(o->x, fx_scalar(body, FX_F64, 0)));
    out[1] = fx_sqrt(fx_neg(fx_mul(o->x, o->x)));
}

/* user: the number of the branch */
static void switch_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    operands o = {in[0], in[1]};
    const fx_fn branches[] = {product, other, roots};
    (void)n_in;
    fx_switch(fx_scalar_int(body, FX_S32, *(const int *)user), branches, 3, n_out, &o, out);
}

static void test_switches(void **state) {
    (void)state;
    for (int branch = 0; branch < 2; branch++)
        check_derivatives(&(derivative_case){.name = "switch",
                                             .fn = switch_fn,
                                             .user = &branch,
                                             .n_in = 2,
                                             .n_out = 2,
                                             .in = {RANDOM_F64(1, -1, 1, 3), RANDOM_F64(2, -1, 1, 3)}});
}

/* One node captured by both branches, under different operands. */
static void same_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    operands o = {in[0], in[0]};
    (void)body, (void)n_in, (void)user;
    fx_if(fx_less(in[1], fx_scalar(body, FX_F64, 0)), product, other, n_out, &o, out);
}

static void test_shared(void **state) {
    (void)state;
    for (int sign = -1; sign < 2; sign += 2)
        check_derivatives(
            &(derivative_case){.name = "shared",
                               .fn = same_fn,
                               .n_in = 2,
                               .n_out = 2,
                               .in = {RANDOM_F64(3, -1, 1, 2),
                                      random_values(FX_F64, (fx_dims){NULL, 0}, sign - 0.5, sign + 0.5, 4)}});
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_switches), cmocka_unit_test(test_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
