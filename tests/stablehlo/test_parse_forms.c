/* SPDX-License-Identifier: Apache-2.0 */
/* Each pretty form beside the generic form of the same operation: both must give one tree. But for those
 * of check and interpreter, the pairs are also one operation for the parser of MLIR. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tree_text.h"
#include <stdio.h>
#include <string.h>

#define F "tensor<2x3xf32>"
#define I "tensor<2x3xi32>"
#define S "tensor<f32>"

typedef struct row {
    const char *arguments, *pretty, *generic;
} row;

static const row unary_and_binary[] = {
    {"%a: " F, "%0 = stablehlo.abs %a : " F, "%0 = \"stablehlo.abs\"(%a) : (" F ") -> " F},
    {"%a: " F, "%0 = stablehlo.exponential %a {x = 1 : i32} : " F,
     "%0 = \"stablehlo.exponential\"(%a) {x = 1 : i32} : (" F ") -> " F},
    {"%a: " F, "%0 = stablehlo.convert %a : (" F ") -> " I,
     "%0 = \"stablehlo.convert\"(%a) : (" F ") -> " I},
    {"%a: " F, "%0 = mhlo.tanh %a : " F, "%0 = \"mhlo.tanh\"(%a) : (" F ") -> " F},
    {"%a: " F ", %b: " F, "%0 = stablehlo.add %a, %b : " F,
     "%0 = \"stablehlo.add\"(%a, %b) : (" F ", " F ") -> " F},
    {"%a: " I, "%0 = stablehlo.xor %a, %a : " I, "%0 = \"stablehlo.xor\"(%a, %a) : (" I ", " I ") -> " I},
    {"%a: " F, "%0 = stablehlo.is_finite %a : (" F ") -> tensor<2x3xi1>",
     "%0 = \"stablehlo.is_finite\"(%a) : (" F ") -> tensor<2x3xi1>"},
    {"%a: " F, "%0 = stablehlo.complex %a, %a : tensor<2x3xcomplex<f32>>",
     "%0 = \"stablehlo.complex\"(%a, %a) : (" F ", " F ") -> tensor<2x3xcomplex<f32>>"},
    {"%a: tensor<2xf32>",
     "%0 = stablehlo.complex %a, %a : (tensor<2xf32>, tensor<2xf32>) -> "
     "tensor<2xcomplex<f32>>",
     "%0 = \"stablehlo.complex\"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>"},
    {"%a: " F, "%0 = stablehlo.reduce_precision %a, format = e5m10 : " F,
     "%0 = \"stablehlo.reduce_precision\"(%a) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (" F
     ") -> " F},
    {"%a: " F, "%0 = chlo.erf %a : " F " -> " F, "%0 = \"chlo.erf\"(%a) : (" F ") -> " F},
    {"%a: " F, "%0 = chlo.zeta %a, %a : " F ", " F " -> " F,
     "%0 = \"chlo.zeta\"(%a, %a) : (" F ", " F ") -> " F},
    {"%a: " F ", %b: " S, "%0 = chlo.broadcast_add %a, %b : (" F ", " S ") -> " F,
     "%0 = \"chlo.broadcast_add\"(%a, %b) : (" F ", " S ") -> " F},
    {"%a: " F,
     "%0 = chlo.broadcast_compare %a, %a {comparison_direction = #chlo<comparison_direction EQ>} : (" F
     ", " F ") -> tensor<2x3xi1>",
     "%0 = \"chlo.broadcast_compare\"(%a, %a) <{comparison_direction = #chlo<comparison_direction EQ>}> : "
     "(" F ", " F ") -> tensor<2x3xi1>"},
    {"%a: " F, "%0:2 = chlo.top_k(%a, k = 2) : " F " -> (tensor<2x2xf32>, tensor<2x2xi32>)",
     "%0:2 = \"chlo.top_k\"(%a) <{k = 2 : i64}> : (" F ") -> (tensor<2x2xf32>, tensor<2x2xi32>)"},
    {"%a: " F,
     "%0, %1 = chlo.top_k(%a, k = 2, is_stable = false) : " F " -> (tensor<2x2xf32>, tensor<2x2xi32>)",
     "%0:2 = \"chlo.top_k\"(%a) <{is_stable = false, k = 2 : i64}> : (" F
     ") -> (tensor<2x2xf32>, tensor<2x2xi32>)"},
};

static const row moves[] = {
    {"%a: " F, "%0 = stablehlo.reshape %a : (" F ") -> tensor<6xf32>",
     "%0 = \"stablehlo.reshape\"(%a) : (" F ") -> tensor<6xf32>"},
    {"%a: tensor<3xf32>", "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> " F,
     "%0 = \"stablehlo.broadcast_in_dim\"(%a) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>) "
     "-> " F},
    {"%a: " S, "%0 = stablehlo.broadcast_in_dim %a, dims = [] : (" S ") -> " F,
     "%0 = \"stablehlo.broadcast_in_dim\"(%a) <{broadcast_dimensions = array<i64>}> : (" S ") -> " F},
    {"%a: tensor<3xf32>", "%0 = stablehlo.broadcast %a, sizes = [2] : (tensor<3xf32>) -> " F,
     "%0 = \"stablehlo.broadcast\"(%a) {broadcast_sizes = array<i64: 2>} : (tensor<3xf32>) -> " F},
    {"%a: " F, "%0 = stablehlo.transpose %a, dims = [1, 0] : (" F ") -> tensor<3x2xf32>",
     "%0 = \"stablehlo.transpose\"(%a) {permutation = array<i64: 1, 0>} : (" F ") -> tensor<3x2xf32>"},
    {"%a: " F, "%0 = stablehlo.reverse %a, dims = [0] : " F,
     "%0 = \"stablehlo.reverse\"(%a) {dimensions = array<i64: 0>} : (" F ") -> " F},
    {"%a: " F, "%0 = stablehlo.slice %a [0:2, 0:3:2] : (" F ") -> tensor<2x2xf32>",
     "%0 = \"stablehlo.slice\"(%a) {limit_indices = array<i64: 2, 3>, start_indices = array<i64: 0, 0>, "
     "strides = array<i64: 1, 2>} : (" F ") -> tensor<2x2xf32>"},
    {"%a: " S, "%0 = stablehlo.slice %a [] : (" S ") -> " S,
     "%0 = \"stablehlo.slice\"(%a) {limit_indices = array<i64>, start_indices = array<i64>, "
     "strides = array<i64>} : (" S ") -> " S},
    {"%a: " F ", %i: tensor<i32>",
     "%0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 2] : (" F
     ", tensor<i32>, tensor<i32>) -> tensor<1x2xf32>",
     "%0 = \"stablehlo.dynamic_slice\"(%a, %i, %i) {slice_sizes = array<i64: 1, 2>} : (" F
     ", tensor<i32>, tensor<i32>) -> tensor<1x2xf32>"},
    {"%a: " F ", %b: " S,
     "%0 = stablehlo.pad %a, %b, low = [0, -1], high = [1, 0], interior = [0, 0] : (" F ", " S
     ") -> tensor<3x2xf32>",
     "%0 = \"stablehlo.pad\"(%a, %b) {edge_padding_low = array<i64: 0, -1>, edge_padding_high = array<i64: "
     "1, 0>"
     ", interior_padding = array<i64: 0, 0>} : (" F ", " S ") -> tensor<3x2xf32>"},
    {"%a: " F, "%0 = stablehlo.concatenate %a, %a, dim = 0 : (" F ", " F ") -> tensor<4x3xf32>",
     "%0 = \"stablehlo.concatenate\"(%a, %a) {dimension = 0 : i64} : (" F ", " F ") -> tensor<4x3xf32>"},
    {"", "%0 = stablehlo.iota dim = 1 : " I,
     "%0 = \"stablehlo.iota\"() {iota_dimension = 1 : i64} : () -> " I},
    {"%a: " F, "%0 = stablehlo.get_dimension_size %a, dim = 1 : (" F ") -> tensor<i32>",
     "%0 = \"stablehlo.get_dimension_size\"(%a) {dimension = 1 : i64} : (" F ") -> tensor<i32>"},
    {"%a: " F, "%0 = stablehlo.bitcast_convert %a : (" F ") -> " I,
     "%0 = \"stablehlo.bitcast_convert\"(%a) : (" F ") -> " I},
    {"%p: tensor<2x3xi1>, %a: " F, "%0 = stablehlo.select %p, %a, %a : tensor<2x3xi1>, " F,
     "%0 = \"stablehlo.select\"(%p, %a, %a) : (tensor<2x3xi1>, " F ", " F ") -> " F},
    {"%a: " S ", %b: " F, "%0 = stablehlo.clamp %a, %b, %a : (" S ", " F ", " S ") -> " F,
     "%0 = \"stablehlo.clamp\"(%a, %b, %a) : (" S ", " F ", " S ") -> " F},
    {"%a: " F, "%0 = stablehlo.compare LT, %a, %a, TOTALORDER : (" F ", " F ") -> tensor<2x3xi1>",
     "%0 = \"stablehlo.compare\"(%a, %a) {compare_type = #stablehlo<comparison_type TOTALORDER>, "
     "comparison_direction = #stablehlo<comparison_direction LT>} : (" F ", " F ") -> tensor<2x3xi1>"},
    {"%a: " F, "%0 = stablehlo.compare NE, %a, %a : (" F ", " F ") -> tensor<2x3xi1>",
     "%0 = \"stablehlo.compare\"(%a, %a) {comparison_direction = #stablehlo<comparison_direction NE>} : (" F
     ", " F ") -> tensor<2x3xi1>"},
};

static const row contractions[] = {
    {"%a: " F ", %b: tensor<3x4xf32>",
     "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" F
     ", tensor<3x4xf32>) -> tensor<2x4xf32>",
     "%0 = \"stablehlo.dot_general\"(%a, %b) {dot_dimension_numbers = "
     "#stablehlo.dot<lhs_contracting_dimensions "
     "= [1], rhs_contracting_dimensions = [0]>} : (" F ", tensor<3x4xf32>) -> tensor<2x4xf32>"},
    {"%a: tensor<5x2x3xf32>, %b: tensor<5x3x4xf32>",
     "%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision "
     "= "
     "[DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, "
     "accumulation_type "
     "= "
     "f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
     "allow_imprecise_accumulation = false> : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>",
     "%0 = \"stablehlo.dot_general\"(%a, %b) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = "
     "tf32, "
     "rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
     "num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = "
     "#stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
     "lhs_contracting_dimensions = "
     "[2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, "
     "#stablehlo<precision DEFAULT>]}> : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>"},
    {"%a: " F ", %b: tensor<3x4xf32>",
     "%0 = stablehlo.dot %a, %b, precision = [] : (" F ", tensor<3x4xf32>) -> tensor<2x4xf32>",
     "%0 = \"stablehlo.dot\"(%a, %b) {precision_config = []} : (" F ", tensor<3x4xf32>) -> tensor<2x4xf32>"},
    {"%a: tensor<1x8x8x2xf32>, %b: tensor<3x3x2x4xf32>",
     "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
     "{stride "
     "= [1, 2], pad = [[0, 1], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} "
     "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, "
     "tensor<3x3x2x4xf32>) "
     "-> tensor<1x7x4x4xf32>",
     "%0 = \"stablehlo.convolution\"(%a, %b) <{batch_group_count = 1 : i64, dimension_numbers = "
     "#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation "
     "= "
     "array<i64: 1, 1>, padding = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, "
     "1>, "
     "window_reversal = array<i1: false, true>, window_strides = array<i64: 1, 2>}> : (tensor<1x8x8x2xf32>, "
     "tensor<3x3x2x4xf32>) -> tensor<1x7x4x4xf32>"},
    {"%a: tensor<1x8x2xf32>, %b: tensor<3x2x4xf32>",
     "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, f, 0], window = {} "
     "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
     "(tensor<1x8x2xf32>, tensor<3x2x4xf32>) -> tensor<1x4x6xf32>",
     "%0 = \"stablehlo.convolution\"(%a, %b) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
     "dimension_numbers = #stablehlo.conv<raw "
     "input_batch_dimension = 0, "
     "input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, "
     "kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, "
     "output_feature_dimension = 1, output_spatial_dimensions = [2]>}> : (tensor<1x8x2xf32>, "
     "tensor<3x2x4xf32>) "
     "-> tensor<1x4x6xf32>"},
    {"%a: " F, "%0 = stablehlo.einsum %a, %a, config = \"ij,kj->ik\" : (" F ", " F ") -> tensor<2x2xf32>",
     "%0 = \"stablehlo.einsum\"(%a, %a) {einsum_config = \"ij,kj->ik\"} : (" F ", " F
     ") -> tensor<2x2xf32>"},
    {"%a: tensor<8xcomplex<f32>>",
     "%0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<8xcomplex<f32>>) -> "
     "tensor<8xcomplex<f32>>",
     "%0 = \"stablehlo.fft\"(%a) {fft_length = array<i64: 8>, fft_type = #stablehlo<fft_type FFT>} : "
     "(tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>"},
    {"%a: tensor<2x2xf32>", "%0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>",
     "%0 = \"stablehlo.cholesky\"(%a) {lower = true} : (tensor<2x2xf32>) -> tensor<2x2xf32>"},
    {"%a: tensor<2x2xf32>", "%0 = stablehlo.cholesky %a : tensor<2x2xf32>",
     "%0 = \"stablehlo.cholesky\"(%a) : (tensor<2x2xf32>) -> tensor<2x2xf32>"},
};

static const row others[] = {
    {"%a: tensor<2xui64>",
     "%0, %1 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> "
     "(tensor<2xui64>, tensor<4xui32>)",
     "%0:2 = \"stablehlo.rng_bit_generator\"(%a) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : "
     "(tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)"},
    {"%a: " S ", %n: tensor<1xi64>",
     "%0 = stablehlo.rng %a, %a, %n, distribution = UNIFORM : (" S ", " S
     ", tensor<1xi64>) -> tensor<4xf32>",
     "%0 = \"stablehlo.rng\"(%a, %a, %n) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (" S
     ", " S ", tensor<1xi64>) -> tensor<4xf32>"},
    {"%a: " F ", %b: " S,
     "%0 = stablehlo.tuple %a, %b : tuple<" F ", " S ">\n"
     "%1 = stablehlo.get_tuple_element %0[1] : (tuple<" F ", " S ">) -> " S,
     "%0 = \"stablehlo.tuple\"(%a, %b) : (" F ", " S ") -> tuple<" F ", " S ">\n"
     "%1 = \"stablehlo.get_tuple_element\"(%0) {index = 1 : i32} : (tuple<" F ", " S ">) -> " S},
    {"%a: " F ", %b: " S, "%0:2 = stablehlo.optimization_barrier %a, %b : " F ", " S,
     "%0:2 = \"stablehlo.optimization_barrier\"(%a, %b) : (" F ", " S ") -> (" F ", " S ")"},
    {"", "stablehlo.optimization_barrier()", "\"stablehlo.optimization_barrier\"() : () -> ()"},
    {"",
     "%0 = stablehlo.create_token : !stablehlo.token\n%1 = stablehlo.after_all %0, %0 : !stablehlo.token",
     "%0 = \"stablehlo.create_token\"() : () -> !stablehlo.token\n"
     "%1 = \"stablehlo.after_all\"(%0, %0) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token"},
    {"%a: " F, "%0 = stablehlo.custom_call @\"a b\"(%a) {backend_config = \"x\"} : (" F ") -> " F,
     "%0 = \"stablehlo.custom_call\"(%a) {backend_config = \"x\", call_target_name = \"a b\"} : (" F
     ") -> " F},
    {"%a: " F, "%0 = stablehlo.composite \"fx.f\" %a {decomposition = @g} : (" F ") -> " F,
     "%0 = \"stablehlo.composite\"(%a) {decomposition = @g, name = \"fx.f\"} : (" F ") -> " F},
    {"%a: " F,
     "%0 = stablehlo.composite \"fx.f\" %a ({\n^bb0(%x: " F "):\nstablehlo.return %x : " F
     "\n}) {decomposition = @g, version = 1 : i32} : (" F ") -> " F,
     "%0 = \"stablehlo.composite\"(%a) <{decomposition = @g, name = \"fx.f\"}> ({\n^bb0(%x: " F
     "):\n\"stablehlo.return\"(%x) : (" F ") -> ()\n}) {version = 1 : i32} : (" F ") -> " F},
    {"%a: " F, "%0 = call @g(%a) : (" F ") -> " F, "%0 = \"func.call\"(%a) {callee = @g} : (" F ") -> " F},
    {"", "%0 = stablehlo.constant {x} dense<1.5> : " S,
     "%0 = \"stablehlo.constant\"() {value = dense<1.5> : " S ", x} : () -> " S},
    {"", "%0 = stablehlo.constant() <{value = dense<1> : tensor<2xi8>}> {x} : () -> tensor<2xui8>",
     "%0 = \"stablehlo.constant\"() {value = dense<1> : tensor<2xi8>, x} : () -> tensor<2xui8>"},
    {"", "%0 = chlo.constant dense<[1, 2]> : tensor<2xi8>",
     "%0 = \"chlo.constant\"() {value = dense<[1, 2]> : tensor<2xi8>} : () -> tensor<2xi8>"},
    {"%a: " F, "check.expect_eq %a, %a : " F, "\"check.expect_eq\"(%a, %a) : (" F ", " F ") -> ()"},
    {"%a: " S, "check.expect_eq_const %a, dense<1.0> : " S,
     "\"check.expect_eq_const\"(%a) {value = dense<1.0> : " S "} : (" S ") -> ()"},
    {"%a: " S, "check.expect_almost_eq %a, %a, tolerance = 0.5 : " S,
     "\"check.expect_almost_eq\"(%a, %a) {tolerance = 0.5 : f64} : (" S ", " S ") -> ()"},
    {"%a: " S, "check.expect_almost_eq_const %a, dense<1.0> : " S " {tolerance = 0.5 : f64}",
     "\"check.expect_almost_eq_const\"(%a) {tolerance = 0.5 : f64, value = dense<1.0> : " S "} : (" S
     ") -> ()"},
    {"%a: " S, "check.expect_close %a, %a, max_ulp_difference = 3, min_ulp_difference = 1 : " S ", " S,
     "\"check.expect_close\"(%a, %a) {max_ulp_difference = 3 : ui64, min_ulp_difference = 1 : ui64} : (" S
     ", " S ") -> ()"},
    {"%a: " S, "interpreter.print %a : " S, "\"interpreter.print\"(%a) : (" S ") -> ()"},
};

static const row regions[] = {
    {"%a: " F,
     "%0 = sdy.named_computation<\"n\">(%a) (%b: " F ") {\nsdy.return %b : " F "\n} : (" F ") -> " F,
     "%0 = \"sdy.named_computation\"(%a) <{name = \"n\"}> ({\n^bb0(%b: " F "):\nsdy.return %b : " F
     "\n}) : (" F ") -> " F},
    {"%a: " F ", %b: " S,
     "%0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : (" F ", " S
     ") -> tensor<2xf32>",
     "%0 = \"stablehlo.reduce\"(%a, %b) ({\n^bb0(%x: " S ", %y: " S
     "):\n%1 = \"stablehlo.add\"(%x, %y) : (" S ", " S ") -> " S "\n\"stablehlo.return\"(%1) : (" S
     ") -> ()\n}) {dimensions = array<i64: 1>} : (" F ", " S ") -> tensor<2xf32>"},
    {"%a: " F ", %b: " I ", %c: " S ", %d: tensor<i32>",
     "%0:2 = stablehlo.reduce(%a init: %c), (%b init: %d) across dimensions = [0, 1] {x} : (" F ", " I ", " S
     ", tensor<i32>) -> (" S ", tensor<i32>)\n reducer(%e: " S ", %f: " S
     ") (%g: tensor<i32>, %h: tensor<i32>) "
     "{\n%1 = stablehlo.maximum %e, %f : " S "\nstablehlo.return %1, %h : " S ", tensor<i32>\n}",
     "%0:2 = \"stablehlo.reduce\"(%a, %b, %c, %d) ({\n^bb0(%e: " S ", %g: tensor<i32>, %f: " S
     ", %h: tensor<i32>):\n%1 = stablehlo.maximum %e, %f : " S "\nstablehlo.return %1, %h : " S
     ", tensor<i32>\n}) {dimensions = array<i64: 0, 1>, x} : (" F ", " I ", " S ", tensor<i32>) -> (" S
     ", tensor<i32>)"},
    {"%a: tensor<i32>, %b: " F,
     "%0:2 = stablehlo.while(%i = %a, %x = %b) : tensor<i32>, " F
     " attributes {y = 1 : i64}\n cond {\n%1 = stablehlo.compare LT, %i, %a : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>\nstablehlo.return %1 : tensor<i1>\n} do {\nstablehlo.return %i, %x : tensor<i32>, " F "\n}",
     "%0:2 = \"stablehlo.while\"(%a, %b) ({\n^bb0(%i: tensor<i32>, %x: " F "):\n"
     "%1 = stablehlo.compare LT, %i, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "stablehlo.return %1 : tensor<i1>\n}, {\n^bb0(%i: tensor<i32>, %x: " F "):\nstablehlo.return %i, %x : "
     "tensor<i32>, " F "\n}) {y = 1 : i64} : (tensor<i32>, " F ") -> (tensor<i32>, " F ")"},
    {"%a: " F ", %b: tensor<2xf32>",
     "%0:2 = chlo.scan(%a) inits(%b) dimension=1 attributes {is_reverse = true} {\n^bb0(%x: tensor<2xf32>, "
     "%y: "
     "tensor<2xf32>):\nstablehlo.return %x, %y : tensor<2xf32>, tensor<2xf32>\n} : (" F
     ", tensor<2xf32>) -> (" F ", tensor<2xf32>)",
     "%0:2 = \"chlo.scan\"(%a, %b) <{dimension = 1 : i64, is_reverse = true, operandSegmentSizes = "
     "array<i32: 1, "
     "1>, resultSegmentSizes = array<i32: 1, 1>}> ({\n^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):\n"
     "stablehlo.return %x, %y : tensor<2xf32>, tensor<2xf32>\n}) : (" F ", tensor<2xf32>) -> (" F
     ", tensor<2xf32>)"},
};

static fxi_text text_of(const char *arguments, const char *statements) {
    char source[4096];
    int n = snprintf(source, sizeof source, "func.func @f(%s) {\n%s\nreturn\n}\n", arguments, statements);
    assert_true(n > 0 && n < (int)sizeof source);
    fx_error err = {0};
    fxi_hlo_module *module = fxi_hlo_parse(source, (size_t)n, "test", &err);
    if (!module) fail_msg("%s", err.message);
    fxi_text text = tree_text(module);
    fxi_hlo_free(module);
    return text;
}

static void expect_same(const row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        fxi_text pretty = text_of(rows[i].arguments, rows[i].pretty);
        fxi_text generic = text_of(rows[i].arguments, rows[i].generic);
        assert_string_equal(pretty.data, generic.data);
        fxi_text_free(&pretty);
        fxi_text_free(&generic);
    }
}

#define SAME(rows) expect_same(rows, sizeof(rows) / sizeof *(rows))

static void test_elementwise(void **state) {
    (void)state;
    SAME(unary_and_binary);
}
static void test_moves(void **state) {
    (void)state;
    SAME(moves);
}
static void test_contractions(void **state) {
    (void)state;
    SAME(contractions);
}
static void test_others(void **state) {
    (void)state;
    SAME(others);
}
static void test_regions(void **state) {
    (void)state;
    SAME(regions);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_elementwise), cmocka_unit_test(test_moves),
                                       cmocka_unit_test(test_contractions), cmocka_unit_test(test_others),
                                       cmocka_unit_test(test_regions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
