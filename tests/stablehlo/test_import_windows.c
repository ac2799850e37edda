/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_window and select_and_scatter: values, and what does not fit. */
#include "self_check.h"

static void check_values(void **state) {
    check_file(state, "windows", 10);
}

static const refusal refusals[] = {
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
     "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "  %0 = \"stablehlo.reduce_window\"(%x, %z) ({\n"
     "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
     "    %s = stablehlo.add %a, %b : tensor<f32>\n"
     "    stablehlo.return %s : tensor<f32>\n"
     "  }) {window_dimensions = array<i64: 2>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x3xf32>\n",
     "window_dimensions", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
     "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "  %0 = \"stablehlo.reduce_window\"(%x, %z) ({\n"
     "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
     "    %s = stablehlo.add %a, %b : tensor<f32>\n"
     "    stablehlo.return %s : tensor<f32>\n"
     "  }) {window_dimensions = array<i64: 2, 0>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x3xf32>\n",
     "fx_reduce_window", FX_ERROR_ATTRIBUTE},
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
     "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "  %0 = \"stablehlo.select_and_scatter\"(%x, %x, %z) ({\n"
     "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
     "    %s = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
     "    stablehlo.return %s : tensor<i1>\n"
     "  }, {\n"
     "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
     "    %s = stablehlo.add %a, %b : tensor<f32>\n"
     "    stablehlo.return %s : tensor<f32>\n"
     "  }) {window_dimensions = array<i64: 2, 1>} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> "
     "tensor<2x3xf32>\n",
     "the source is", FX_ERROR_FILE},
};

static void check_refused(void **state) {
    check_refusals(state, refusals, COUNT_OF(refusals));
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(check_values), BOTH(check_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
