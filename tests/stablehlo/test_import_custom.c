/* SPDX-License-Identifier: Apache-2.0 */
/* Custom calls and annotations: values, and targets that nobody knows. */
#include "self_check.h"

static void check_values(void **state) {
    check_file(state, "custom", 6);
}

static const refusal refusals[] = {
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
     "  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) : (tensor<2x3xf32>) -> tensor<1x3xf32>\n",
     "several devices", FX_ERROR_UNSUPPORTED},
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
     "  %0 = stablehlo.custom_call @nobody.knows(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>\n",
     "nobody.knows", FX_ERROR_UNSUPPORTED},
};

static void check_refused(void **state) {
    check_refusals(state, refusals, COUNT_OF(refusals));
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(check_values), BOTH(check_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
