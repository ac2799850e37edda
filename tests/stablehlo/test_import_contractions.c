/* SPDX-License-Identifier: Apache-2.0 */
/* Products: values, and what does not fit. */
#include "self_check.h"

static void check_values(void **state) {
    check_file(state, "contractions", 14);
}

static const refusal refusals[] = {
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [2] x [0] : (tensor<2x3xi32>, tensor<2x3xi32>) "
     "-> tensor<2x3xi32>\n",
     "axis 2 is not among the 2", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<2x3xi32>) "
     "-> tensor<2x3xi32>\n",
     "fx_dot_general", FX_ERROR_SHAPE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %y = stablehlo.constant dense<1> : tensor<i32>\n"
     "  %0 = stablehlo.dot %x, %y : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>\n",
     "dot of ranks 2 and 0", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = \"stablehlo.convolution\"(%x, %x) {dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, "
     "f, 0]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xi32>, "
     "tensor<2x3xi32>) -> tensor<2x3xi32>\n",
     "dimension numbers for rank 3", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = \"stablehlo.convolution\"(%x, %x) {dimension_numbers = #stablehlo.conv<[b, f]x[o, i]->[b, f]>, "
     "batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<2x3xi32>, tensor<2x3xi32>) -> "
     "tensor<2x2xi32>\n",
     "groups are at least 1", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = \"stablehlo.einsum\"(%x, %x) {einsum_config = \"ab,bc\"} : (tensor<2x3xi32>, tensor<2x3xi32>) "
     "-> tensor<2x3xi32>\n",
     "fx_einsum", FX_ERROR_ATTRIBUTE},
};

static void check_refused(void **state) {
    check_refusals(state, refusals, COUNT_OF(refusals));
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(check_values), BOTH(check_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
