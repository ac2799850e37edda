/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of attention over combinations of its options: against differences, to second order, of the
 * composite and of the plain form; in half types; gradients on the backends against each other. */
#include "support/attention_grid.h"
#include "support/derivatives.h"
#include "support/graph_helpers.h"
#include <stdio.h>

static void check(attention_case *c, fx_fn fn, size_t n_out, unsigned seed, int order) {
    derivative_case d = {.name = c->name, .fn = fn, .user = c, .n_out = n_out, .order = order};
    d.n_in = attention_inputs(c, seed, d.in);
    check_derivatives(&d);
}

static void test_second_order(void **state) {
    (void)state;
    for (unsigned n = 0; n < 30; n++) {
        attention_case c = attention_draw(n, 3);
        check(&c, attention_fn, 1, n, 2);
    }
}

static void test_plain_form(void **state) {
    (void)state;
    for (unsigned n = 30; n < 45; n++) {
        attention_case c = attention_draw(n, 3);
        c.o.disable_fusion = true;
        check(&c, n % 2 ? attention_fn : attention_coefficients_fn, n % 2 ? 1 : 2, n, n % 3 ? 1 : 2);
    }
}

static void test_first_order(void **state) {
    (void)state;
    for (unsigned n = 100; n < 150; n++) {
        attention_case c = attention_draw(n, 5);
        check(&c, attention_fn, 1, n, 1);
    }
}

static void test_narrow(void **state) {
    static const fx_dtype dtypes[] = {FX_F32, FX_BF16, FX_F16};
    (void)state;
    for (unsigned n = 200; n < 221; n++) {
        attention_case c = attention_draw(n, 5);
        derivative_case d = {.name = c.name, .fn = attention_fn, .user = &c, .n_out = 1};
        d.n_in = attention_inputs(&c, n, d.in);
        check_narrow_derivatives(&d, dtypes[n % 3], n % 3 ? 8 : 400);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_second_order), cmocka_unit_test(test_plain_form),
                                       cmocka_unit_test(test_first_order), cmocka_unit_test(test_narrow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
