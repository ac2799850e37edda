/* SPDX-License-Identifier: Apache-2.0 */
/* Constants and moves: values, and what does not fit. */
#include "self_check.h"

static void check_values(void **state) {
    check_file(state, "moves", 9);
}

static const refusal refusals[] = {
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = stablehlo.slice %x [0:2, -1:2] : (tensor<2x3xi32>) -> tensor<2x1xi32>\n",
     "-1 among the starts", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = \"stablehlo.slice\"(%x) {start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides "
     "= array<i64: 1>} : (tensor<2x3xi32>) -> tensor<1x3xi32>\n",
     "1 starts for 2 axes", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = stablehlo.transpose %x, dims = [0, 2] : (tensor<2x3xi32>) -> tensor<2x3xi32>\n",
     "axis 2 is not among the 2", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = stablehlo.reshape %x : (tensor<2x3xi32>) -> tensor<5xi32>\n",
     "fx_reshape", FX_ERROR_SHAPE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<2x3xi32>\n",
     "the type is written as", FX_ERROR_FILE},
    {"  %0 = stablehlo.iota dim = 0 : tensor<i32>\n", "axis 0 is not among the 0", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %s = stablehlo.sine %i : tensor<i32>\n",
     "fx_sin", FX_ERROR_DTYPE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %s, %b = \"stablehlo.rng_bit_generator\"(%x) : (tensor<2x3xi32>) -> (tensor<2x3xi32>, "
     "tensor<2xi64>)\n",
     "instead of two or three ui64", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %c = stablehlo.constant dense<[1, 2]> : tensor<2xui64>\n"
     "  %s, %b = stablehlo.rng_bit_generator %c, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, "
     "tensor<1xi64>)\n"
     "  %l = stablehlo.constant dense<[0]> : tensor<1xi64>\n"
     "  %0 = stablehlo.real_dynamic_slice %c, %b, %l, %l : (tensor<2xui64>, tensor<1xi64>, tensor<1xi64>, "
     "tensor<1xi64>) -> tensor<2xui64>\n",
     "computed when the program runs", FX_ERROR_UNSUPPORTED},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %n = stablehlo.constant dense<2> : tensor<i32>\n"
     "  %0 = \"stablehlo.set_dimension_size\"(%x, %n) {dimension = 1 : i64} : (tensor<2x3xi32>, tensor<i32>) "
     "-> tensor<2x3xi32>\n",
     "dynamic dimensions", FX_ERROR_UNSUPPORTED},
};

static void check_refused(void **state) {
    check_refusals(state, refusals, COUNT_OF(refusals));
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(check_values), BOTH(check_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
