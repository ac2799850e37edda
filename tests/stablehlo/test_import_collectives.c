/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives on one device, and those that need others. */
#include "self_check.h"

static void check_values(void **state) {
    check_file(state, "collectives", 2);
}

static const refusal refusals[] = {
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = \"stablehlo.all_reduce\"(%x) ({\n"
     "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
     "    %s = stablehlo.subtract %a, %b : tensor<i32>\n"
     "    stablehlo.return %s : tensor<i32>\n"
     "  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xi32>) -> tensor<2x3xi32>\n",
     "none of sum, product", FX_ERROR_UNSUPPORTED},
};

static void check_refused(void **state) {
    check_refusals(state, refusals, COUNT_OF(refusals));
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(check_values), BOTH(check_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
