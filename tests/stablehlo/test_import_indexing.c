/* SPDX-License-Identifier: Apache-2.0 */
/* Slices, gather and scatter: values, and what does not fit. */
#include "self_check.h"

static void check_values(void **state) {
    check_file(state, "indexing", 13);
}

static const refusal refusals[] = {
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %0 = \"stablehlo.dynamic_slice\"(%x, %i) {slice_sizes = array<i64: 1>} : (tensor<2x3xi32>, "
     "tensor<i32>) -> tensor<1x3xi32>\n",
     "1 sizes and 1 starts for 2 axes", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %0 = \"stablehlo.dynamic_update_slice\"(%x, %x, %i) : (tensor<2x3xi32>, tensor<2x3xi32>, "
     "tensor<i32>) -> tensor<2x3xi32>\n",
     "3 operands", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %i = stablehlo.constant dense<0> : tensor<1xi32>\n"
     "  %0 = \"stablehlo.gather\"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], "
     "start_index_map = [0], index_vector_dim = 7>, slice_sizes = array<i64: 1, 1>} : (tensor<2x3xi32>, "
     "tensor<1xi32>) -> tensor<1x1xi32>\n",
     "index_vector_dim 7", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %i = stablehlo.constant dense<0> : tensor<1xi32>\n"
     "  %0 = \"stablehlo.gather\"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], "
     "start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 4>} : (tensor<2x3xi32>, "
     "tensor<1xi32>) -> tensor<1x4xi32>\n",
     "fx_gather_general", FX_ERROR_ATTRIBUTE},
    {"  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
     "  %i = stablehlo.constant dense<0> : tensor<1xi32>\n"
     "  %u = stablehlo.constant dense<0> : tensor<4xi32>\n"
     "  %0 = \"stablehlo.scatter\"(%x, %i, %u) ({\n"
     "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
     "    %s = stablehlo.subtract %a, %b : tensor<i32>\n"
     "    stablehlo.return %s : tensor<i32>\n"
     "  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = "
     "[0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>} : (tensor<2x3xi32>, tensor<1xi32>, "
     "tensor<4xi32>) -> tensor<2x3xi32>\n",
     "fx_scatter_general", FX_ERROR_SHAPE},
};

static void check_refused(void **state) {
    check_refusals(state, refusals, COUNT_OF(refusals));
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(check_values), BOTH(check_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
