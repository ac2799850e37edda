/* SPDX-License-Identifier: Apache-2.0 */
/* The operations: each function appends nodes to the graph of its operands and gives back the result.
 *
 * dtypes. No operation converts on its own: operands of different dtypes are an error (fx_convert
 * converts). Below, "integer" is every signed and unsigned integer dtype, "float" float16, bfloat16,
 * float32, float64; "number" is both; "complex" is complex64 and complex128. The float8 dtypes can be
 * moved, converted and stored, nothing else.
 * Shapes. "Elementwise" operands broadcast: ranks are equal and each pair of dimensions is equal or one of
 * them is 1, or one operand is a scalar. Ranks are never extended (fx_insert_axes does that); 0 against 1
 * gives 0.
 * Axes count from 0; negative ones from the end. A span that names an axis twice is an error.
 * Errors. A violation is kept in the graph, the builder returns the graph's inert node, and whoever
 * finishes the graph gets the message; a builder given an inert node returns it. A NULL operand is an
 * error; with only NULL operands, or a NULL graph, the result is NULL. Out of memory is an error like any
 * other. Messages count operands, axes and arguments from 0.
 * Results. A builder that would change nothing gives back its operand. Operations land in the innermost
 * graph among their operands, and in the closure that is being built inside it.
 * Numbers. Integers wrap. Floats are IEEE; float16 and bfloat16 are computed in float32 and rounded once at
 * the end of each operation, and reductions and products of them accumulate in float32. The sign of a NaN
 * that an operation made is unspecified (the total order and fx_copysign show it). Ownership and threads: see
 * graph.h. */
#ifndef FLUXION_OPS_H
#define FLUXION_OPS_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- constants and iota ---- */

/* The tensor's value, which is copied: later changes of the tensor do not matter. Any dtype and shape. An
 * error for NULL and for a tensor that was donated away. */
FX_API fx_node *fx_constant(fx_graph *graph, const fx_tensor *tensor);
/* A nested C array as a constant, copied: fx_constant_host(graph, FX_HOST(&m[0][0], 2, 3)). An error as
 * fx_tensor_from says. */
FX_API fx_node *fx_constant_host(fx_graph *graph, fx_host host);
/* A scalar of any dtype, converted from a double as fx_convert converts (integers truncate and saturate). */
FX_API fx_node *fx_scalar(fx_graph *graph, fx_dtype dtype, double value);
/* A scalar of any dtype, converted from an integer: integers wrap, floats round to nearest even. */
FX_API fx_node *fx_scalar_int(fx_graph *graph, fx_dtype dtype, int64_t value);
/* The scalar 0 (false). Any dtype. */
FX_API fx_node *fx_scalar_zero(fx_graph *graph, fx_dtype dtype);
/* The scalar 1 (true). Any dtype. */
FX_API fx_node *fx_scalar_one(fx_graph *graph, fx_dtype dtype);
/* The scalar of largest (sign 1) or smallest (sign -1) value: the infinities of a float, the extreme values
 * of an integer. Numbers; another sign is an error. */
FX_API fx_node *fx_infinity(fx_graph *graph, fx_dtype dtype, int sign);
/* The given shape filled with one value, which its dtype must hold as in fx_add_scalar. Any dtype. */
FX_API fx_node *fx_fill_scalar(fx_graph *graph, const fx_shape *shape, double value);
/* The given shape filled with 0 (false). Any dtype. */
FX_API fx_node *fx_zeros(fx_graph *graph, const fx_shape *shape);
/* The given shape filled with 1 (true). Any dtype. */
FX_API fx_node *fx_ones(fx_graph *graph, const fx_shape *shape);
/* Zeros of x's dtype and shape. */
FX_API fx_node *fx_zeros_like(fx_node *x);
/* Ones of x's dtype and shape. */
FX_API fx_node *fx_ones_like(fx_node *x);
/* The index along one axis: result[i0, i1, ...] = i_axis. Number or complex dtypes of rank at least 1;
 * indices that a narrow integer cannot hold wrap. */
FX_API fx_node *fx_iota(fx_graph *graph, const fx_shape *shape, int axis);
/* 0, 1, 2, ... in row-major order: fx_iota_full of [2, 3] is {{0, 1, 2}, {3, 4, 5}}. dtypes as fx_iota; a
 * scalar gives 0. */
FX_API fx_node *fx_iota_full(fx_graph *graph, const fx_shape *shape);

/* ---- elementwise, one operand ---- */

/* |x|, of a complex its magnitude in the component dtype. Numbers, complex; the smallest signed integer
 * stays. */
FX_API fx_node *fx_abs(fx_node *x);
/* -x. Numbers, complex; unsigned integers wrap. */
FX_API fx_node *fx_neg(fx_node *x);
/* -1, 0 or 1; -0 and NaN stay; of a complex x / |x|, and 0 at 0. Numbers, complex. Its derivative is 0, but
 * for complex numbers. */
FX_API fx_node *fx_sign(fx_node *x);
/* +1 where x >= 0, -1 elsewhere (NaN too), in x's dtype. Numbers; 1 for unsigned ones. */
FX_API fx_node *fx_sign_plus_or_minus(fx_node *x);
/* Smallest integer not below x. Floats; integers are given back. */
FX_API fx_node *fx_ceil(fx_node *x);
/* Largest integer not above x. Floats; integers are given back. */
FX_API fx_node *fx_floor(fx_node *x);
/* Nearest integer, ties to the even one. Floats. */
FX_API fx_node *fx_round(fx_node *x);
/* Nearest integer, ties away from zero. Floats. */
FX_API fx_node *fx_round_away(fx_node *x);
/* Nearest integer towards zero: -1.7 gives -1, -0.5 gives -0. Floats; integers are given back. */
FX_API fx_node *fx_trunc(fx_node *x);
/* e^x. Floats, complex. */
FX_API fx_node *fx_exp(fx_node *x);
/* e^x - 1, exact near 0. Floats, complex. */
FX_API fx_node *fx_expm1(fx_node *x);
/* 2^x. Floats. */
FX_API fx_node *fx_exp2(fx_node *x);
/* Natural logarithm: -Inf at 0, NaN below. Floats, complex (principal branch). */
FX_API fx_node *fx_log(fx_node *x);
/* log(1 + x), exact near 0. Floats, complex. */
FX_API fx_node *fx_log1p(fx_node *x);
/* sign(x) log(1 + |x|), odd and smooth. Floats. */
FX_API fx_node *fx_mirrored_log1p(fx_node *x);
/* Logarithm to base 2. Floats. */
FX_API fx_node *fx_log2(fx_node *x);
/* Logarithm to base 10. Floats. */
FX_API fx_node *fx_log10(fx_node *x);
/* Square root: NaN below 0, -0 at -0. Floats, complex (principal branch). */
FX_API fx_node *fx_sqrt(fx_node *x);
/* 1 / sqrt(x): Inf at 0. Floats, complex. */
FX_API fx_node *fx_rsqrt(fx_node *x);
/* Cube root, also of negative numbers. Floats. */
FX_API fx_node *fx_cbrt(fx_node *x);
/* Sine of x radians; NaN at the infinities. Floats, complex. */
FX_API fx_node *fx_sin(fx_node *x);
/* Cosine of x radians; NaN at the infinities. Floats, complex. */
FX_API fx_node *fx_cos(fx_node *x);
/* Tangent of x radians; NaN at the infinities. Floats, complex. */
FX_API fx_node *fx_tan(fx_node *x);
/* Arc sine in [-pi/2, pi/2]; NaN outside [-1, 1]. Floats, complex. */
FX_API fx_node *fx_asin(fx_node *x);
/* Arc cosine in [0, pi]; NaN outside [-1, 1]. Floats, complex. */
FX_API fx_node *fx_acos(fx_node *x);
/* Arc tangent in [-pi/2, pi/2]. Floats, complex. */
FX_API fx_node *fx_atan(fx_node *x);
/* Hyperbolic sine. Floats, complex. */
FX_API fx_node *fx_sinh(fx_node *x);
/* Hyperbolic cosine. Floats, complex. */
FX_API fx_node *fx_cosh(fx_node *x);
/* Hyperbolic tangent, within [-1, 1]. Floats, complex. */
FX_API fx_node *fx_tanh(fx_node *x);
/* Inverse hyperbolic sine. Floats, complex. */
FX_API fx_node *fx_asinh(fx_node *x);
/* Inverse hyperbolic cosine; NaN below 1. Floats, complex. */
FX_API fx_node *fx_acosh(fx_node *x);
/* Inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond. Floats, complex. */
FX_API fx_node *fx_atanh(fx_node *x);
/* 1 / (1 + e^-x). Floats, complex. */
FX_API fx_node *fx_logistic(fx_node *x);
/* Another name of fx_logistic. */
FX_API fx_node *fx_sigmoid(fx_node *x);
/* log(1 + e^x), without overflow: Inf at Inf, 0 at -Inf. Floats. */
FX_API fx_node *fx_softplus(fx_node *x);
/* Error function, 2/sqrt(pi) times the integral of e^-t^2 from 0 to x. Floats. */
FX_API fx_node *fx_erf(fx_node *x);
/* 1 - erf(x), exact in the tail. Floats. */
FX_API fx_node *fx_erfc(fx_node *x);
/* Inverse of erf: infinite at -1 and 1, NaN beyond. Floats. */
FX_API fx_node *fx_erf_inv(fx_node *x);
/* log |gamma(x)|: Inf at 0 and the negative integers. Floats. */
FX_API fx_node *fx_lgamma(fx_node *x);
/* Derivative of lgamma. Floats. */
FX_API fx_node *fx_digamma(fx_node *x);
/* e^-|x| I0(x), the scaled modified Bessel function of order 0. Floats. */
FX_API fx_node *fx_bessel_i0e(fx_node *x);
/* e^-|x| I1(x), the scaled modified Bessel function of order 1. Floats. */
FX_API fx_node *fx_bessel_i1e(fx_node *x);
/* x x. Numbers, complex. */
FX_API fx_node *fx_square(fx_node *x);
/* 1 - x. Numbers, complex. */
FX_API fx_node *fx_one_minus(fx_node *x);
/* x - 1. Numbers, complex. */
FX_API fx_node *fx_minus_one(fx_node *x);
/* 1 + x. Numbers, complex. */
FX_API fx_node *fx_one_plus(fx_node *x);
/* 1 / x; of integers truncated, as fx_div. Numbers, complex. */
FX_API fx_node *fx_reciprocal(fx_node *x);
/* Real part, in the component dtype. Complex; floats are given back. */
FX_API fx_node *fx_real(fx_node *x);
/* Imaginary part, in the component dtype; 0 of a float. Complex, floats. */
FX_API fx_node *fx_imag(fx_node *x);
/* Complex conjugate. Complex; floats are given back. */
FX_API fx_node *fx_conj(fx_node *x);
/* Not: logical of bool, of every bit of integers. */
FX_API fx_node *fx_not(fx_node *x);
/* Logical not. Bool. */
FX_API fx_node *fx_logical_not(fx_node *x);
/* Every bit inverted. Integers. */
FX_API fx_node *fx_bitwise_not(fx_node *x);
/* Number of one bits, in x's dtype. Integers. */
FX_API fx_node *fx_popcount(fx_node *x);
/* Another name of fx_popcount. */
FX_API fx_node *fx_bit_count(fx_node *x);
/* Number of leading zero bits of the dtype's width, in x's dtype. Integers. */
FX_API fx_node *fx_clz(fx_node *x);
/* x itself, for code that needs an operation. Any dtype. */
FX_API fx_node *fx_identity(fx_node *x);

/* Whether x is neither infinite nor NaN; bool. Floats. */
FX_API fx_node *fx_is_finite(fx_node *x);
/* Whether x is NaN, or a part of it; bool. Floats, complex. */
FX_API fx_node *fx_is_nan(fx_node *x);
/* Whether x is infinite, or a part of it; bool. Floats, complex. */
FX_API fx_node *fx_is_inf(fx_node *x);
/* x == 0; bool. Numbers, complex. */
FX_API fx_node *fx_is_zero(fx_node *x);
/* x > 0; bool, false for NaN. Numbers. */
FX_API fx_node *fx_is_positive(fx_node *x);
/* x >= 0; bool, false for NaN. Numbers. */
FX_API fx_node *fx_is_non_negative(fx_node *x);
/* x < 0; bool, false for NaN. Numbers. */
FX_API fx_node *fx_is_negative(fx_node *x);
/* x <= 0; bool, false for NaN. Numbers. */
FX_API fx_node *fx_is_non_positive(fx_node *x);
/* 1 where x > 0, else 0, in x's dtype. Numbers. */
FX_API fx_node *fx_positive_indicator(fx_node *x);
/* 1 where x >= 0, else 0, in x's dtype. Numbers. */
FX_API fx_node *fx_non_negative_indicator(fx_node *x);
/* 1 where x < 0, else 0, in x's dtype. Numbers. */
FX_API fx_node *fx_negative_indicator(fx_node *x);
/* 1 where x <= 0, else 0, in x's dtype. Numbers. */
FX_API fx_node *fx_non_positive_indicator(fx_node *x);
/* x with NaN, +Inf and -Inf replaced by three values, which are first brought into the dtype's finite
 * range: with 0, INFINITY, -INFINITY an infinity becomes the largest finite value of its sign. Floats,
 * complex (each part); integers are given back. */
FX_API fx_node *fx_nan_to_num(fx_node *x, double nan, double positive_infinity, double negative_infinity);

/* ---- elementwise, two operands ---- */

/* x + y; or of bool. Numbers, complex, bool. */
FX_API fx_node *fx_add(fx_node *x, fx_node *y);
/* x - y. Numbers, complex. */
FX_API fx_node *fx_sub(fx_node *x, fx_node *y);
/* x y; and of bool. Numbers, complex, bool. */
FX_API fx_node *fx_mul(fx_node *x, fx_node *y);
/* x / y. Numbers, complex. Integers truncate toward zero; x / 0 has all bits set (-1); the smallest / -1 is
 * itself. */
FX_API fx_node *fx_div(fx_node *x, fx_node *y);
/* Remainder of the truncated division, with the sign of x. Numbers. Integers: x rem 0 = x; floats: NaN. */
FX_API fx_node *fx_rem(fx_node *x, fx_node *y);
/* Remainder of the floored division, with the sign of y: x = y floor_div(x, y) + mod(x, y). Numbers.
 * Integers: x mod 0 = x; floats: NaN. */
FX_API fx_node *fx_mod(fx_node *x, fx_node *y);
/* The quotient rounded down. Numbers. Integers: x floor_div 0 = -1 (all bits set); floats as x / 0. */
FX_API fx_node *fx_floor_div(fx_node *x, fx_node *y);
/* x to the power y. Numbers, complex. pow(x, 0) = pow(1, y) = 1, also for NaN; a negative power of an
 * integer is 0, but 1 or -1 for |x| = 1. */
FX_API fx_node *fx_pow(fx_node *x, fx_node *y);
/* The larger operand; NaN wins, -0 < +0. Numbers, bool. */
FX_API fx_node *fx_max(fx_node *x, fx_node *y);
/* The smaller operand; NaN wins, -0 < +0. Numbers, bool. */
FX_API fx_node *fx_min(fx_node *x, fx_node *y);
/* Angle of the point (x, y), in [-pi, pi]; note the order of the operands. Floats, complex. */
FX_API fx_node *fx_atan2(fx_node *y, fx_node *x);
/* sqrt(x^2 + y^2), without overflow. Floats. */
FX_API fx_node *fx_hypot(fx_node *x, fx_node *y);
/* The magnitude of x with the sign of y. Floats. */
FX_API fx_node *fx_copysign(fx_node *x, fx_node *y);
/* The value next to x in the direction of y. Floats. */
FX_API fx_node *fx_nextafter(fx_node *x, fx_node *y);
/* log(e^x + e^y), without overflow: the larger operand where they are far apart, -Inf only where both are.
 * Floats. */
FX_API fx_node *fx_log_add_exp(fx_node *x, fx_node *y);
/* re + i im: complex64 of float32, complex128 of float64. */
FX_API fx_node *fx_complex(fx_node *re, fx_node *im);
/* x y, but 0 wherever x is 0, whatever y is: a weight that is off stays off. Floats, complex. */
FX_API fx_node *fx_strong_mul(fx_node *x, fx_node *y);
/* x / y, but 0 wherever x is 0, whatever y is. Floats, complex. */
FX_API fx_node *fx_strong_div(fx_node *x, fx_node *y);

/* And: logical of bool, of every bit of integers. */
FX_API fx_node *fx_and(fx_node *x, fx_node *y);
/* Or: logical of bool, of every bit of integers. */
FX_API fx_node *fx_or(fx_node *x, fx_node *y);
/* Exclusive or: logical of bool, of every bit of integers. */
FX_API fx_node *fx_xor(fx_node *x, fx_node *y);
/* Logical and. Bool. */
FX_API fx_node *fx_logical_and(fx_node *x, fx_node *y);
/* Logical or. Bool. */
FX_API fx_node *fx_logical_or(fx_node *x, fx_node *y);
/* Logical exclusive or. Bool. */
FX_API fx_node *fx_logical_xor(fx_node *x, fx_node *y);
/* And of every bit. Integers. */
FX_API fx_node *fx_bitwise_and(fx_node *x, fx_node *y);
/* Or of every bit. Integers. */
FX_API fx_node *fx_bitwise_or(fx_node *x, fx_node *y);
/* Exclusive or of every bit. Integers. */
FX_API fx_node *fx_bitwise_xor(fx_node *x, fx_node *y);
/* x << n; 0 where n is negative or at least the width. Integers; n may be of another integer dtype, it
 * counts by its own value. */
FX_API fx_node *fx_bitwise_shift_left(fx_node *x, fx_node *n);
/* x >> n, filled with the highest bit; that bit everywhere where n is negative or at least the width.
 * Integers, n as in fx_bitwise_shift_left. */
FX_API fx_node *fx_bitwise_shift_right_arithmetic(fx_node *x, fx_node *n);
/* x >> n, filled with zeros; 0 where n is negative or at least the width. Integers, n as in
 * fx_bitwise_shift_left. */
FX_API fx_node *fx_bitwise_shift_right_logical(fx_node *x, fx_node *n);
/* fx_bitwise_shift_left by the same number of bits everywhere. */
FX_API fx_node *fx_bitwise_shift_left_scalar(fx_node *x, int64_t n);
/* fx_bitwise_shift_right_arithmetic by the same number of bits everywhere. */
FX_API fx_node *fx_bitwise_shift_right_arithmetic_scalar(fx_node *x, int64_t n);
/* fx_bitwise_shift_right_logical by the same number of bits everywhere. */
FX_API fx_node *fx_bitwise_shift_right_logical_scalar(fx_node *x, int64_t n);

/* x == y; bool, false with a NaN. Numbers, complex, bool. */
FX_API fx_node *fx_equal(fx_node *x, fx_node *y);
/* x != y; bool, true with a NaN. Numbers, complex, bool. */
FX_API fx_node *fx_not_equal(fx_node *x, fx_node *y);
/* x < y; bool, false with a NaN. Numbers, bool. */
FX_API fx_node *fx_less(fx_node *x, fx_node *y);
/* x <= y; bool, false with a NaN. Numbers, bool. */
FX_API fx_node *fx_less_or_equal(fx_node *x, fx_node *y);
/* x > y; bool, false with a NaN. Numbers, bool. */
FX_API fx_node *fx_greater(fx_node *x, fx_node *y);
/* x >= y; bool, false with a NaN. Numbers, bool. */
FX_API fx_node *fx_greater_or_equal(fx_node *x, fx_node *y);
/* x == y in the total order of floats -NaN < -Inf < ... < -0 < +0 < ... < Inf < NaN; bool. Floats. */
FX_API fx_node *fx_equal_total_order(fx_node *x, fx_node *y);
/* x != y in the total order of floats; bool. Floats. */
FX_API fx_node *fx_not_equal_total_order(fx_node *x, fx_node *y);
/* x < y in the total order of floats; bool. Floats. */
FX_API fx_node *fx_less_total_order(fx_node *x, fx_node *y);
/* x <= y in the total order of floats; bool. Floats. */
FX_API fx_node *fx_less_or_equal_total_order(fx_node *x, fx_node *y);
/* x > y in the total order of floats; bool. Floats. */
FX_API fx_node *fx_greater_total_order(fx_node *x, fx_node *y);
/* x >= y in the total order of floats; bool. Floats. */
FX_API fx_node *fx_greater_or_equal_total_order(fx_node *x, fx_node *y);

/* ---- with a number as second operand, in x's dtype, which must hold it: an integer dtype takes whole
 * numbers of its range only, bool 0 and 1, and a float dtype rounds it, but not to infinity. So 0.5 times an
 * integer is an error (fx_convert x first), not a product with 0. ---- */

/* x + value; see fx_add. */
FX_API fx_node *fx_add_scalar(fx_node *x, double value);
/* x + value for an integer; see fx_add. */
FX_API fx_node *fx_add_scalar_int(fx_node *x, int64_t value);
/* x - value; see fx_sub. */
FX_API fx_node *fx_sub_scalar(fx_node *x, double value);
/* x - value for an integer; see fx_sub. */
FX_API fx_node *fx_sub_scalar_int(fx_node *x, int64_t value);
/* x value; see fx_mul. */
FX_API fx_node *fx_mul_scalar(fx_node *x, double value);
/* x value for an integer; see fx_mul. */
FX_API fx_node *fx_mul_scalar_int(fx_node *x, int64_t value);
/* x / value, a division and not a product with 1 / value; see fx_div, also for 0. */
FX_API fx_node *fx_div_scalar(fx_node *x, double value);
/* x / value for an integer; see fx_div. */
FX_API fx_node *fx_div_scalar_int(fx_node *x, int64_t value);
/* x to the power value; see fx_pow. */
FX_API fx_node *fx_pow_scalar(fx_node *x, double value);
/* x to the power value for an integer; see fx_pow. */
FX_API fx_node *fx_pow_scalar_int(fx_node *x, int64_t value);
/* The larger of x and value; see fx_max. */
FX_API fx_node *fx_max_scalar(fx_node *x, double value);
/* The larger of x and value for an integer; see fx_max. */
FX_API fx_node *fx_max_scalar_int(fx_node *x, int64_t value);
/* The smaller of x and value; see fx_min. */
FX_API fx_node *fx_min_scalar(fx_node *x, double value);
/* The smaller of x and value for an integer; see fx_min. */
FX_API fx_node *fx_min_scalar_int(fx_node *x, int64_t value);
/* x mod value; see fx_mod. */
FX_API fx_node *fx_mod_scalar(fx_node *x, double value);
/* x mod value for an integer; see fx_mod. */
FX_API fx_node *fx_mod_scalar_int(fx_node *x, int64_t value);
/* x == value; see fx_equal. A float32 is compared with the float32 next to value. */
FX_API fx_node *fx_equal_scalar(fx_node *x, double value);
/* x == value for an integer; see fx_equal. */
FX_API fx_node *fx_equal_scalar_int(fx_node *x, int64_t value);
/* x != value; see fx_not_equal. */
FX_API fx_node *fx_not_equal_scalar(fx_node *x, double value);
/* x != value for an integer; see fx_not_equal. */
FX_API fx_node *fx_not_equal_scalar_int(fx_node *x, int64_t value);
/* x < value; see fx_less. */
FX_API fx_node *fx_less_scalar(fx_node *x, double value);
/* x < value for an integer; see fx_less. */
FX_API fx_node *fx_less_scalar_int(fx_node *x, int64_t value);
/* x <= value; see fx_less_or_equal. */
FX_API fx_node *fx_less_or_equal_scalar(fx_node *x, double value);
/* x <= value for an integer; see fx_less_or_equal. */
FX_API fx_node *fx_less_or_equal_scalar_int(fx_node *x, int64_t value);
/* x > value; see fx_greater. */
FX_API fx_node *fx_greater_scalar(fx_node *x, double value);
/* x > value for an integer; see fx_greater. */
FX_API fx_node *fx_greater_scalar_int(fx_node *x, int64_t value);
/* x >= value; see fx_greater_or_equal. */
FX_API fx_node *fx_greater_or_equal_scalar(fx_node *x, double value);
/* x >= value for an integer; see fx_greater_or_equal. */
FX_API fx_node *fx_greater_or_equal_scalar_int(fx_node *x, int64_t value);

/* ---- elementwise, three operands ---- */

/* min(max(x, low), high): x within bounds, NaN stays; high where low > high. Numbers, bool. */
FX_API fx_node *fx_clamp(fx_node *low, fx_node *x, fx_node *high);
/* fx_clamp with x first. */
FX_API fx_node *fx_clip(fx_node *x, fx_node *low, fx_node *high);
/* fx_clip with numbers for bounds, which x's dtype must hold as in fx_add_scalar. */
FX_API fx_node *fx_clip_scalar(fx_node *x, double low, double high);
/* on_true where the condition holds, else on_false. The branches have equal dtypes, and equal shapes unless
 * one is a scalar. The condition is bool: a scalar, of the result's dimensions, or of the first few of them
 * (it then decides whole rows); with two scalar branches the result has the condition's dimensions. */
FX_API fx_node *fx_where(fx_node *condition, fx_node *on_true, fx_node *on_false);
/* The same with all three broadcast elementwise. */
FX_API fx_node *fx_select(fx_node *condition, fx_node *on_true, fx_node *on_false);

/* ---- conversion ---- */

/* x in another dtype, any to any. Floats truncate toward zero and saturate as integers, NaN gives 0;
 * integers wrap; floats round to nearest even, overflow to infinity (to NaN where there is none); bool is x
 * != 0; a complex loses its imaginary part. */
FX_API fx_node *fx_convert(fx_node *x, fx_dtype dtype);
/* The same bits as another dtype. Equal widths keep the shape; a narrower dtype appends an axis of the
 * pieces (lowest bits first), a wider one takes the last axis, which must have just as many pieces. Not to
 * or from bool; complex only to complex. */
FX_API fx_node *fx_bitcast(fx_node *x, fx_dtype dtype);
/* x rounded to nearest even as if its dtype had that many exponent (1 or more) and mantissa bits (0 or
 * more); too large becomes infinite, too small 0. Floats. */
FX_API fx_node *fx_reduce_precision(fx_node *x, int exponent_bits, int mantissa_bits);

/* ---- shapes; any dtype ---- */

/* The elements in row-major order under other dimensions of the same product. One of them may be -1: what
 * is left. No dimensions: a scalar. */
FX_API fx_node *fx_reshape(fx_node *x, fx_dims dims);
/* fx_reshape to the dimensions of a shape, whose dtype does not matter. */
FX_API fx_node *fx_reshape_with_shape(fx_node *x, const fx_shape *shape);
/* Two axes exchanged. */
FX_API fx_node *fx_transpose(fx_node *x, int axis_a, int axis_b);
/* All axes permuted: result axis i is x's axis permutation[i]. Each axis must be named once. */
FX_API fx_node *fx_transpose_all_axes(fx_node *x, fx_axes permutation);
/* x's axis i becomes axis mapping[i] of the result, whose dimensions are given; the others repeat x. A
 * dimension of x is that of the result or 1. */
FX_API fx_node *fx_broadcast_in_dim(fx_node *x, fx_dims dims, fx_axes mapping);
/* New axes of the given sizes before x's own: [3] with prefix (2) gives [2, 3]. */
FX_API fx_node *fx_broadcast_prefix(fx_node *x, fx_dims prefix);
/* x repeated to the given dimensions, where expanded_axes names the axes of the result that x lacks; x's
 * own dimensions are those of the others, or 1. */
FX_API fx_node *fx_expand_and_broadcast(fx_node *x, fx_dims dims, fx_axes expanded_axes);
/* x repeated to the given dimensions. Its own come first, each equal or 1; missing ones are appended at the
 * end. */
FX_API fx_node *fx_broadcast_to_dims(fx_node *x, fx_dims dims);
/* fx_broadcast_to_dims with the dimensions of a shape, whose dtype does not matter. */
FX_API fx_node *fx_broadcast_to_shape(fx_node *x, const fx_shape *shape);
/* New axes of size 1 before the named axes of x; an axis named several times gets several, -1 means after
 * the last. */
FX_API fx_node *fx_insert_axes(fx_node *x, fx_axes before);
/* New axes of size 1 at these positions of the result, which must differ. */
FX_API fx_node *fx_expand_axes(fx_node *x, fx_axes positions);
/* New axes of size 1 before x's own, up to the given rank. An error if x's rank is larger. */
FX_API fx_node *fx_expand_left_to_rank(fx_node *x, int rank);
/* The named axes removed, which must be of size 1; no axes: all of size 1. */
FX_API fx_node *fx_squeeze(fx_node *x, fx_axes axes);
/* Per axis the elements start, start + stride, ... below limit. starts and limits have one value per axis,
 * negative ones count from the end; strides too, or none (1). 0 <= start <= limit <= dimension and stride
 * >= 1 must hold. */
FX_API fx_node *fx_slice(fx_node *x, fx_dims starts, fx_dims limits, fx_dims strides);
/* fx_slice of one axis, the others whole. */
FX_API fx_node *fx_slice_axis(fx_node *x, int axis, int64_t start, int64_t limit, int64_t stride);
/* Backwards along the named axes; no axes: x itself. */
FX_API fx_node *fx_reverse(fx_node *x, fx_axes axes);
/* The operands one after the other along an axis. Equal dtypes, and equal dimensions but for that axis.
 * Scalars give a vector. */
FX_API fx_node *fx_concatenate(fx_nodes operands, int axis);
/* The operands along a new axis of the result. Equal dtypes and dimensions. */
FX_API fx_node *fx_stack(fx_nodes operands, int axis);
/* An axis cut into `count` equal parts, all put into parts[]; gives the first. The count must divide the
 * dimension. After an error all parts are the inert node (NULL with a NULL x). */
FX_API fx_node *fx_split(fx_node *x, int axis, int64_t count, fx_node **parts);

/* ---- reductions: over the named axes, which disappear; FX_AXES() means all ---- */

/* A reduction, as fx_reduce_and_keep takes it. */
typedef fx_node *(*fx_reducer)(fx_node *x, fx_axes axes);

/* Sum; 0 of nothing. Numbers, complex. */
FX_API fx_node *fx_reduce_sum(fx_node *x, fx_axes axes);
/* Product; 1 of nothing. Numbers, complex. */
FX_API fx_node *fx_reduce_product(fx_node *x, fx_axes axes);
/* Maximum, NaN if there is one; -Inf or the smallest value of nothing. Numbers, bool. */
FX_API fx_node *fx_reduce_max(fx_node *x, fx_axes axes);
/* Minimum, NaN if there is one; Inf or the largest value of nothing. Numbers, bool. */
FX_API fx_node *fx_reduce_min(fx_node *x, fx_axes axes);
/* Whether all are true; true of nothing. Bool. */
FX_API fx_node *fx_reduce_and(fx_node *x, fx_axes axes);
/* Whether any is true; false of nothing. Bool. */
FX_API fx_node *fx_reduce_or(fx_node *x, fx_axes axes);
/* Whether an odd number is true. Bool. */
FX_API fx_node *fx_reduce_xor(fx_node *x, fx_axes axes);
/* And of every bit; all ones of nothing. Integers. */
FX_API fx_node *fx_reduce_bitwise_and(fx_node *x, fx_axes axes);
/* Or of every bit; 0 of nothing. Integers. */
FX_API fx_node *fx_reduce_bitwise_or(fx_node *x, fx_axes axes);
/* Exclusive or of every bit; 0 of nothing. Integers. */
FX_API fx_node *fx_reduce_bitwise_xor(fx_node *x, fx_axes axes);
/* Whether all are nonzero (NaN is), bool. Any dtype but float8. */
FX_API fx_node *fx_logical_all(fx_node *x, fx_axes axes);
/* Whether any is nonzero (NaN is), bool. Any dtype but float8. */
FX_API fx_node *fx_logical_any(fx_node *x, fx_axes axes);
/* Sum over count; NaN of nothing. Floats, complex. */
FX_API fx_node *fx_reduce_mean(fx_node *x, fx_axes axes);
/* Mean squared distance from the mean (of the population, not n - 1), in two passes; NaN of nothing.
 * Floats. */
FX_API fx_node *fx_reduce_variance(fx_node *x, fx_axes axes);
/* fx_reduce_sum over all axes. */
FX_API fx_node *fx_reduce_all_sum(fx_node *x);
/* fx_reduce_product over all axes. */
FX_API fx_node *fx_reduce_all_product(fx_node *x);
/* fx_reduce_max over all axes. */
FX_API fx_node *fx_reduce_all_max(fx_node *x);
/* fx_reduce_min over all axes. */
FX_API fx_node *fx_reduce_all_min(fx_node *x);
/* fx_reduce_and over all axes. */
FX_API fx_node *fx_reduce_all_and(fx_node *x);
/* fx_reduce_or over all axes. */
FX_API fx_node *fx_reduce_all_or(fx_node *x);
/* fx_reduce_xor over all axes. */
FX_API fx_node *fx_reduce_all_xor(fx_node *x);
/* fx_reduce_bitwise_and over all axes. */
FX_API fx_node *fx_reduce_all_bitwise_and(fx_node *x);
/* fx_reduce_bitwise_or over all axes. */
FX_API fx_node *fx_reduce_all_bitwise_or(fx_node *x);
/* fx_reduce_bitwise_xor over all axes. */
FX_API fx_node *fx_reduce_all_bitwise_xor(fx_node *x);
/* fx_reduce_mean over all axes. */
FX_API fx_node *fx_reduce_all_mean(fx_node *x);
/* fx_reduce_variance over all axes. */
FX_API fx_node *fx_reduce_all_variance(fx_node *x);
/* Any reduction with the reduced axes kept at size 1: fx_reduce_and_keep(x, fx_reduce_max, FX_AXES(-1)).
 * The reducer gets x and the axes, counted from 0 and increasing. */
FX_API fx_node *fx_reduce_and_keep(fx_node *x, fx_reducer reducer, fx_axes axes);
/* Index of the largest element along an axis, int32: the first NaN, else the first of the largest. The axis
 * disappears. Numbers, bool; an empty axis and one whose indices do not fit are errors. */
FX_API fx_node *fx_arg_max(fx_node *x, int axis);
/* Index of the smallest element along an axis, int32: the first NaN, else the first of the smallest. As
 * fx_arg_max. */
FX_API fx_node *fx_arg_min(fx_node *x, int axis);
/* fx_arg_max with indices of any integer dtype. */
FX_API fx_node *fx_arg_max_dtype(fx_node *x, int axis, fx_dtype dtype);
/* fx_arg_min with indices of any integer dtype. */
FX_API fx_node *fx_arg_min_dtype(fx_node *x, int axis, fx_dtype dtype);

/* ---- products: equal dtypes, numbers and complex ---- */

/* result[b, i, j] = sum over k of lhs[b, i, k] rhs[b, j, k], where b runs over the batch axes, k over the
 * contracting axes and i, j over what is left of lhs and rhs, in that order. Axes are paired by position
 * and have equal dimensions. No contracting axes: the outer product. */
FX_API fx_node *fx_dot_general(fx_node *lhs, fx_axes lhs_contract, fx_axes lhs_batch, fx_node *rhs,
                               fx_axes rhs_contract, fx_axes rhs_batch);
/* The same with a wider result of the same kind, in which it is accumulated: int8 to int32, bfloat16 to
 * float32. */
FX_API fx_node *fx_dot_general_dtype(fx_node *lhs, fx_axes lhs_contract, fx_axes lhs_batch, fx_node *rhs,
                                     fx_axes rhs_contract, fx_axes rhs_batch, fx_dtype dtype);
/* NumPy's dot for ranks 1 and 2: the last axis of x with the first of y. [n] [n] -> scalar, [m, n] [n] ->
 * [m], [m, n] [n, p] -> [m, p]. */
FX_API fx_node *fx_dot_product(fx_node *x, fx_node *y);
/* NumPy's matmul: products of the matrices in the last two axes, [..., m, n] [..., n, p] -> [..., m, p],
 * the axes before them broadcast from the right (1 or missing repeats). A vector is a row on the left, a
 * column on the right, and that axis is missing in the result. Scalars are an error. */
FX_API fx_node *fx_matmul(fx_node *x, fx_node *y);

#ifdef __cplusplus
}
#endif
#endif
