/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of the small float types, on bit patterns and by one description per type. Narrowing works
 * on the integer significand of the double and rounds exactly once, to nearest with ties to even: going
 * through float32 first would round twice. Integer arithmetic throughout, so that no flush-to-zero mode
 * or rounding mode of the caller matters. */
#include "base.h"

#include <string.h>

typedef struct small_float {
    int mantissa_bits;
    int exponent_bits;
    bool has_infinity; /* otherwise only all ones is NaN, and the rest of the last exponent are numbers */
} small_float;

static const small_float float16 = {10, 5, true};
static const small_float bfloat16 = {7, 8, true};
static const small_float float8_e5m2 = {2, 5, true};
static const small_float float8_e4m3fn = {3, 4, false};

static int bias_of(const small_float *type)
{
    return (1 << (type->exponent_bits - 1)) - 1;
}

/* The pattern of Inf, or of the NaN of a type without Inf: what overflow becomes. */
static uint32_t overflow_of(const small_float *type)
{
    uint32_t ones = (1u << (type->exponent_bits + type->mantissa_bits)) - 1;
    return type->has_infinity ? ones & ~((1u << type->mantissa_bits) - 1) : ones;
}

/* A quiet NaN that keeps as much of the payload as fits, as the hardware's conversions do. */
static uint32_t narrow_nan(uint64_t fraction, const small_float *type)
{
    uint32_t payload = (uint32_t)(fraction >> (52 - type->mantissa_bits));
    uint32_t quiet = 1u << (type->mantissa_bits - 1);
    return overflow_of(type) | (type->has_infinity ? quiet | payload : 0);
}

/* significand * 2^-shift, to nearest even; shift is 1 to 63. */
static uint64_t shift_rounding(uint64_t significand, int shift)
{
    uint64_t quotient = significand >> shift;
    uint64_t rest = significand & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);
    return quotient + (rest > half || (rest == half && (quotient & 1) != 0));
}

/* A number with the given exponent (of its leading bit) and 52 bits of fraction. For normal results the
 * leading bit is part of the quotient and so adds the last 1 to the exponent field; a carry out of the
 * mantissa does the same. */
static uint32_t narrow_number(int exponent, uint64_t fraction, const small_float *type)
{
    int bias = bias_of(type);
    if (exponent > bias + 1)
        return overflow_of(type);
    int below = exponent < 1 - bias ? 1 - bias - exponent : 0; /* binades below the normal numbers */
    int shift = 52 - type->mantissa_bits + below;
    if (shift > 53)
        return 0; /* less than half of the smallest number */
    uint64_t result = shift_rounding(UINT64_C(1) << 52 | fraction, shift);
    if (below == 0)
        result += (uint64_t)(exponent + bias - 1) << type->mantissa_bits;
    uint32_t limit = overflow_of(type);
    return result < limit ? (uint32_t)result : limit;
}

static uint32_t narrow(double value, const small_float *type)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = (uint32_t)(bits >> 63) << (type->exponent_bits + type->mantissa_bits);
    int field = (int)(bits >> 52 & 0x7FF);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (field == 0)
        return sign; /* zero, or below 2^-1022 */
    if (field == 0x7FF)
        return sign | (fraction != 0 ? narrow_nan(fraction, type) : overflow_of(type));
    return sign | narrow_number(field - 1023, fraction, type);
}

static float float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float widen(uint32_t bits, const small_float *type)
{
    uint32_t sign = bits >> (type->exponent_bits + type->mantissa_bits) << 31;
    uint32_t magnitude = bits & ((1u << (type->exponent_bits + type->mantissa_bits)) - 1);
    uint32_t mantissa = magnitude & ((1u << type->mantissa_bits) - 1);
    int exponent = (int)(magnitude >> type->mantissa_bits) - bias_of(type);
    if (magnitude >= overflow_of(type))
        return float_from_bits(sign | 0x7F800000u | mantissa << (23 - type->mantissa_bits));
    if (magnitude >> type->mantissa_bits == 0) {
        if (mantissa == 0)
            return float_from_bits(sign);
        for (exponent++; mantissa >> type->mantissa_bits == 0; exponent--)
            mantissa <<= 1;
        mantissa &= (1u << type->mantissa_bits) - 1;
    }
    return float_from_bits(sign | (uint32_t)(exponent + 127) << 23 | mantissa << (23 - type->mantissa_bits));
}

float fxi_f16_to_f32(uint16_t bits) { return widen(bits, &float16); }
float fxi_f8e5m2_to_f32(uint8_t bits) { return widen(bits, &float8_e5m2); }
float fxi_f8e4m3fn_to_f32(uint8_t bits) { return widen(bits, &float8_e4m3fn); }
float fxi_bf16_to_f32(uint16_t bits) { return float_from_bits((uint32_t)bits << 16); }

uint16_t fxi_f16_from_f64(double value) { return (uint16_t)narrow(value, &float16); }
uint16_t fxi_bf16_from_f64(double value) { return (uint16_t)narrow(value, &bfloat16); }
uint8_t fxi_f8e5m2_from_f64(double value) { return (uint8_t)narrow(value, &float8_e5m2); }
uint8_t fxi_f8e4m3fn_from_f64(double value) { return (uint8_t)narrow(value, &float8_e4m3fn); }
