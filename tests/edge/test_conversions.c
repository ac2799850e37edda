/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions: of what an integer dtype cannot hold, the same at every place of a vector and when
 * constants are folded, and roundings to narrow floats that must happen once, down to the smallest
 * numbers. */
#include "edge/edge.h"
#include <math.h>

#define TO(name, dtype)                                                                                      \
    static fx_node *name(fx_node *const *in) {                                                               \
        return fx_convert(in[0], dtype);                                                                     \
    }
TO(to_s2, FX_S2)
TO(to_s4, FX_S4)
TO(to_s8, FX_S8)
TO(to_s16, FX_S16)
TO(to_s32, FX_S32)
TO(to_s64, FX_S64)
TO(to_u2, FX_U2)
TO(to_u4, FX_U4)
TO(to_u8, FX_U8)
TO(to_u16, FX_U16)
TO(to_u32, FX_U32)
TO(to_u64, FX_U64)
TO(to_bool, FX_BOOL)
TO(to_f16, FX_F16)
TO(to_bf16, FX_BF16)
TO(to_f32, FX_F32)

static const struct {
    fx_dtype dtype;
    edge_fn fn;
} integers[] = {{FX_S2, to_s2},   {FX_S4, to_s4},   {FX_S8, to_s8},   {FX_S16, to_s16},
                {FX_S32, to_s32}, {FX_S64, to_s64}, {FX_U2, to_u2},   {FX_U4, to_u4},
                {FX_U8, to_u8},   {FX_U16, to_u16}, {FX_U32, to_u32}, {FX_U64, to_u64}};

/* Truncated towards zero, then the nearest number of the range; 0 of NaN. */
static int64_t saturated(double x, fx_dtype dtype) {
    int bits = fx_dtype_bits(dtype);
    bool is_signed = fx_dtype_is_signed(dtype);
    double low = is_signed ? -ldexp(1, bits - 1) : 0, above = ldexp(1, is_signed ? bits - 1 : bits);
    if (isnan(x)) return 0;
    if (trunc(x) <= low) return is_signed ? INT64_MIN >> (64 - bits) : 0;
    if (trunc(x) >= above)
        return is_signed ? ~(INT64_MIN >> (64 - bits)) : (int64_t)(UINT64_MAX >> (64 - bits));
    return is_signed ? (int64_t)x : (int64_t)(uint64_t)x;
}

static void outside_the_range(void **state) {
    static const double values[] = {-1,      NAN,     0,      -0.0,    0.99,          -0.99,     1.5,
                                    -1.5,    2.5,     127.9,  128,     -128.9,        -129,      255.9,
                                    256,     32767.5, -32769, 65504,   65536,         1e9,       -1e9,
                                    2e9,     3e9,     0x1p31, -0x1p31, 0x1.fffffep30, 0x1p32,    0x1p63,
                                    -0x1p63, 0x1p64,  1e20,   -1e20,   INFINITY,      -INFINITY, 0x1p-140};
    static const fx_dtype floats[] = {FX_F16, FX_BF16, FX_F32, FX_F64};
    for (size_t f = 0; f < COUNT_OF(floats); f++)
        for (size_t k = 0; k < COUNT_OF(integers); k++) {
            int64_t want[COUNT_OF(values)], n = COUNT_OF(values);
            fx_tensor *x = edge_reals(floats[f], values, n);
            for (int64_t i = 0; i < n; i++) want[i] = saturated(fx_tensor_get(x, i), integers[k].dtype);
            edge_check_map(state, &(edge_map){fx_dtype_name(integers[k].dtype),
                                              integers[k].fn,
                                              edge_ints(integers[k].dtype, want, n),
                                              0,
                                              {x}});
        }
    edge_check_map(state, &(edge_map){"bool",
                                      to_bool,
                                      EDGE_INTS(FX_BOOL, 1, 0, 0, 1, 1, 1),
                                      0,
                                      {EDGE_REALS(FX_F32, NAN, 0, -0.0, 0x1p-149, -INFINITY, -3)}});
}

/* Body and tail of a vector agree, at every length. */
static void every_place_of_a_vector(void **state) {
    static const double x[] = {1.48259,  1.79334, -1.76206, 0.0971,   -1.09999,
                               -3.12108, 2.93178, -0.07595, -1.12773, -8.64211};
    static const int64_t want[] = {1, 1, 0, 0, 0, 0, 2, 0, 0, 0};
    for (int64_t n = 1; n <= 40; n++) {
        double values[40];
        int64_t wanted[40];
        for (int64_t i = 0; i < n; i++) {
            values[i] = x[i % 10];
            wanted[i] = want[i % 10];
        }
        fx_tensor *in = edge_reals(FX_F32, values, n), *right = edge_ints(FX_U16, wanted, n);
        fx_tensor *ran = edge_run(state, to_u16, &in, 1), *folded = edge_run_constants(state, to_u16, &in, 1);
        edge_assert(ran, right, 0, "a parameter");
        edge_assert(folded, right, 0, "a constant");
        fx_tensor_free(ran);
        fx_tensor_free(folded);
        fx_tensor_free(right);
        fx_tensor_free(in);
    }
}

static void rounded_once(void **state) {
    edge_check_map(state, &(edge_map){"float64 to bfloat16",
                                      to_bf16,
                                      EDGE_REALS(FX_BF16, 0x1p-133, 0, 0x1p-133, 0x1p-132, INFINITY, -0.0),
                                      0,
                                      {EDGE_REALS(FX_F64, 0x1p-133, 0x1p-134, 0x1.8p-134, 0x1.8p-133,
                                                  0x1.ffp127, -0x1p-200)}});
    edge_check_map(state, &(edge_map){"float32 to bfloat16",
                                      to_bf16,
                                      EDGE_REALS(FX_BF16, 0x1p-133, 0, 0x1p-133),
                                      0,
                                      {EDGE_REALS(FX_F32, 0x1p-133, 0x1p-134, 0x1.8p-134)}});
    edge_check_map(state, &(edge_map){"float64 to float16",
                                      to_f16,
                                      EDGE_REALS(FX_F16, 0x1p-24, 0, 0x1p-24, 65504, INFINITY, 0x1.004p0, 1),
                                      0,
                                      {EDGE_REALS(FX_F64, 0x1p-24, 0x1p-25, 0x1.00000004p-25, 65519.99, 65520,
                                                  0x1.0020000000001p0, 0x1.002p0)}});
    edge_check_map(state, &(edge_map){"float64 to bfloat16",
                                      to_bf16,
                                      EDGE_REALS(FX_BF16, 0x1.02p0, 1),
                                      0,
                                      {EDGE_REALS(FX_F64, 0x1.0100000000001p0, 0x1.01p0)}});
    edge_check_map(state, &(edge_map){"int64 to float16",
                                      to_f16,
                                      EDGE_REALS(FX_F16, 2048, 2050, 2052),
                                      0,
                                      {EDGE_INTS(FX_S64, 2049, 2050, 2051)}});
    edge_check_map(state, &(edge_map){"int64 to float32",
                                      to_f32,
                                      EDGE_REALS(FX_F32, 0x1.000002p60, 0x1p60, 0x1p63),
                                      0,
                                      {EDGE_INTS(FX_S64, (INT64_C(1) << 60) + (INT64_C(1) << 36) + 1,
                                                 (INT64_C(1) << 60) + (INT64_C(1) << 36), INT64_MAX)}});
    edge_check_map(state, &(edge_map){"uint64 to bfloat16",
                                      to_bf16,
                                      EDGE_REALS(FX_BF16, 0x1p64, 0x1.02p63, 0x1p63),
                                      0,
                                      {EDGE_INTS(FX_U64, -1, (int64_t)0x8080000000000001,
                                                 (int64_t)0x8080000000000000)}});
}

/* A NaN stays one, though the bits that are kept of it are those of an infinity, or too large by one. */
static fx_node *nan_bits_to_bf16(fx_node *const *in) {
    fx_node *x = fx_convert(fx_bitcast(in[0], FX_F32), FX_BF16);
    return fx_not_equal(x, x);
}
static fx_node *nan_bits_to_f16(fx_node *const *in) {
    fx_node *x = fx_convert(fx_bitcast(in[0], FX_F32), FX_F16);
    return fx_not_equal(x, x);
}

static void nan_stays_nan(void **state) {
    static const int64_t bits[] = {0x7f800001, 0x7fffffff, 0xff800001, 0xffffffff, 0x7f801fff},
                         yes[] = {1, 1, 1, 1, 1};
    edge_check_map(
        state,
        &(edge_map){
            "to bfloat16", nan_bits_to_bf16, edge_ints(FX_BOOL, yes, 5), 0, {edge_ints(FX_U32, bits, 5)}});
    edge_check_map(
        state,
        &(edge_map){
            "to float16", nan_bits_to_f16, edge_ints(FX_BOOL, yes, 5), 0, {edge_ints(FX_U32, bits, 5)}});
}

/* ---- affine quantization, made of the operations that round ---- */

static fx_node *quantized(fx_node *const *in) {
    fx_node *steps = fx_round(fx_div(in[0], in[1]));
    return fx_convert(fx_clip_scalar(steps, -128, 127), FX_S8);
}

static void quantization_rounds_to_even(void **state) {
    edge_check_map(state, &(edge_map){"quantized",
                                      quantized,
                                      EDGE_INTS(FX_S8, 1, -1, 127, -128),
                                      0,
                                      {EDGE_REALS(FX_F16, 0.050018310546875, -0.050018310546875, 100, -100),
                                       EDGE_REALS(FX_F16, 0.0999755859375, 0.0999755859375, 0.0999755859375,
                                                  0.0999755859375)}});
    edge_check_map(state, &(edge_map){"quantized",
                                      quantized,
                                      EDGE_INTS(FX_S8, 0, 2, 2, 0, -2, 127),
                                      0,
                                      {EDGE_REALS(FX_F32, 0.5, 1.5, 2.5, -0.5, -1.5, 127.5),
                                       EDGE_REALS(FX_F32, 1, 1, 1, 1, 1, 1)}});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(outside_the_range), BOTH(every_place_of_a_vector),     BOTH(rounded_once),
        BOTH(nan_stays_nan),     BOTH(quantization_rounds_to_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
