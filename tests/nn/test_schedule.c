/* SPDX-License-Identifier: Apache-2.0 */
/* What schedules refuse; the rates are golden cases of the family optimizer. */
#include "support/graph_helpers.h"
#include <fluxion/ops.h>
#include <fluxion/schedule.h>
#include <math.h>

#define STEP parameter(g, FX_SHAPE(FX_S64))

static void test_steps(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_schedule_constant: the step is (int64)[1]; it must be a scalar that counts",
                   fx_schedule_constant(parameter(g, FX_SHAPE(FX_S64, 1)), 1));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_schedule_linear: the step is (bool); it must be a scalar that counts",
                   fx_schedule_linear(parameter(g, FX_SHAPE(FX_BOOL)), 1, 0, 10));
    assert_null(fx_schedule_constant(NULL, 1));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_warm_up: the rate is NULL",
                   fx_schedule_warm_up(STEP, NULL, 10));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_schedule_warm_up: the rate is (int64); it must be a float scalar",
                   fx_schedule_warm_up(STEP, STEP, 10));
}

static void test_numbers(void **state) {
    (void)state;
    static const double rates[] = {1, 2, 3}, bounds[] = {5, 5};
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_constant: rate is nan; it must be finite",
                   fx_schedule_constant(STEP, (double)NAN));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_linear: steps is 0; it must be above 0",
                   fx_schedule_linear(STEP, 1, 0, 0));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_polynomial: power is -1; it must be above 0",
                   fx_schedule_polynomial(STEP, 1, 0, 10, -1));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_exponential: factor is 0; it must be above 0",
                   fx_schedule_exponential(STEP, 1, 0, 10));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_step: factor is -0.5; it must be 0 or more",
                   fx_schedule_step(STEP, 1, -0.5, 10));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_inverse_sqrt: warm_up is inf; it must be above 0",
                   fx_schedule_inverse_sqrt(STEP, 1, (double)INFINITY));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_piecewise: there are no rates, or no boundaries",
                   fx_schedule_piecewise(STEP, rates, NULL, 3));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_piecewise: boundary 1, 5, is not above the one before, 5",
                   fx_schedule_piecewise(STEP, rates, bounds, 3));
}

static void test_options(void **state) {
    (void)state;
#define COSINE(...) fx_schedule_cosine(STEP, 1, 10, &(fx_cosine_options){__VA_ARGS__})
#define CYCLE(...) fx_schedule_one_cycle(STEP, 1, 10, &(fx_one_cycle_options){__VA_ARGS__})
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_cosine: options.size is 8; it must be 48 or 0",
                   COSINE(.size = 8));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_cosine: period is 0; it must be above 0",
                   fx_schedule_cosine(STEP, 1, 0, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_cosine: warm_up is -1; it must be 0 or more",
                   COSINE(.warm_up = -1));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_cosine: stretch is -1; it must be above 0",
                   COSINE(.stretch = -1));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_one_cycle: steps is 1; it must be above 1",
                   fx_schedule_one_cycle(STEP, 1, 1, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_schedule_one_cycle: rise is 1; it must be in (0, 1)",
                   CYCLE(.rise = 1));
}

static void test_dtypes(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *whole = parameter(graph, FX_SHAPE(FX_U8)), *wide = parameter(graph, FX_SHAPE(FX_F64));
    assert_string_equal(fx_shape_to_text(fx_node_shape(fx_schedule_cosine(whole, 1, 10, NULL))).s,
                        "(float32)");
    assert_string_equal(fx_shape_to_text(fx_node_shape(fx_schedule_cosine(wide, 1, 10, NULL))).s,
                        "(float64)");
    assert_no_error(graph);
    fx_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_dtypes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
