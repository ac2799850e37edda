/* SPDX-License-Identifier: Apache-2.0 */
/* The CHLO dialect: values, and operands that do not fit. */
#include "self_check.h"

static void check_values(void **state) {
    check_file(state, "chlo", 40);
}

static const refusal refusals[] = {
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
     "  %0 = \"chlo.zeta\"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>\n",
     "the type is written as", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0, %1 = chlo.top_k(%x, k = 4) : tensor<2x3xi32> -> (tensor<2x4xi32>, tensor<2x4xi32>)\n",
     "fx_top_k", FX_ERROR_ATTRIBUTE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = \"chlo.broadcast_add\"(%x, %x) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<3xi32>\n",
     "an operand of rank 2 for a result of rank 1", FX_ERROR_FILE},
};

static void check_refused(void **state) {
    check_refusals(state, refusals, COUNT_OF(refusals));
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(check_values), BOTH(check_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
