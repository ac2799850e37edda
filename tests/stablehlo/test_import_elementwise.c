/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise operations of StableHLO: values, and operands that do not fit. */
#include "self_check.h"

static void check_values(void **state) {
    check_file(state, "elementwise", 120);
}

static const refusal refusals[] = {
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %y = stablehlo.constant dense<1> : tensor<1x3xi32>\n"
     "  %0 = \"stablehlo.add\"(%x, %y) : (tensor<2x3xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>\n",
     "operands of shapes", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = stablehlo.compare LT, %x, %x, FLOAT : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>\n",
     "a comparison of type FLOAT does not take int32", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %l = stablehlo.constant dense<1> : tensor<3xi32>\n"
     "  %0 = \"stablehlo.clamp\"(%l, %x, %x) : (tensor<3xi32>, tensor<2x3xi32>, tensor<2x3xi32>) -> "
     "tensor<2x3xi32>\n",
     "the lower bound is neither", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %p = stablehlo.constant dense<true> : tensor<2xi1>\n"
     "  %0 = \"stablehlo.select\"(%p, %x, %x) : (tensor<2xi1>, tensor<2x3xi32>, tensor<2x3xi32>) -> "
     "tensor<2x3xi32>\n",
     "the predicate is neither", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
     "  %0 = \"stablehlo.reduce_precision\"(%x) {exponent_bits = 0 : i32, mantissa_bits = 3 : i32} : "
     "(tensor<2x3xf32>) -> tensor<2x3xf32>\n",
     "no format has 0 exponent", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %p = stablehlo.constant dense<true> : tensor<5xi1>\n"
     "  %0 = stablehlo.bitcast_convert %p : (tensor<5xi1>) -> tensor<i8>\n",
     "is not 8", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = stablehlo.sine %x : tensor<2x3xi32>\n",
     "fx_sin", FX_ERROR_DTYPE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %0 = \"stablehlo.tanh\"(%x, %x) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>\n",
     "has 2 operands instead of 1", FX_ERROR_FILE},
};

static void check_refused(void **state) {
    check_refusals(state, refusals, COUNT_OF(refusals));
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(check_values), BOTH(check_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
