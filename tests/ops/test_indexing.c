/* SPDX-License-Identifier: Apache-2.0 */
/* What segments mean where a half type holds neither the sum nor the count; the rest are golden cases. */
#include "support/run_graph.h"
#include <fluxion/indexing.h>
#include <fluxion/ops.h>

static void mean_of_many_halves(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const fx_shape rows = FX_SHAPE(FX_F16, 70000), ids = FX_SHAPE(FX_S32, 70000);
    fx_node *mean = fx_segment_mean(fx_fill_scalar(g, &rows, 1.5), fx_zeros(g, &ids), 2);
    assert_value(g, mean, "[2]float16{1.5, 0}");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mean_of_many_halves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
