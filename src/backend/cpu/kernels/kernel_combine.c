/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a scatter, one small loop per kind and dtype, found through a table. Integers wrap (they are
 * added as unsigned numbers), max and min prefer NaN and take -0 for less than +0, bool is a byte. Complex
 * products are the plain formula in double, as everywhere. */
#include "kernel_combine.h"
#include <math.h>
#include <string.h>

#define DEFINE(name, target_t, update_t, expression)                                                         \
    static void name(void *target, const void *update, int64_t count) {                                      \
        target_t *restrict t = target;                                                                       \
        const update_t *restrict u = update;                                                                 \
        for (int64_t i = 0; i < count; i++) {                                                                \
            const target_t a = t[i];                                                                         \
            const update_t b = u[i];                                                                         \
            t[i] = (target_t)(expression);                                                                   \
        }                                                                                                    \
    }

/* ---- float32 sums, the case that matters most: vectors of eight ---- */

typedef float eight __attribute__((vector_size(32)));

static void sum_f32(void *target, const void *update, int64_t count) {
    float *t = target;
    const float *u = update;
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        eight a, b;
        memcpy(&a, t + i, sizeof a);
        memcpy(&b, u + i, sizeof b);
        a += b;
        memcpy(t + i, &a, sizeof a);
    }
    for (; i < count; i++) t[i] += u[i];
}

/* ---- numbers ---- */

static double larger(double a, double b) {
    if (isnan(a)) return a;
    if (isnan(b)) return b;
    return a > b || (a == b && signbit(b)) ? a : b;
}
static double smaller(double a, double b) {
    if (isnan(a)) return a;
    if (isnan(b)) return b;
    return a < b || (a == b && signbit(a)) ? a : b;
}

#define DEFINE_INTEGER(bits)                                                                                 \
    DEFINE(sum_u##bits, uint##bits##_t, uint##bits##_t, (uint64_t)a + (uint64_t)b)                           \
    DEFINE(product_u##bits, uint##bits##_t, uint##bits##_t, (uint64_t)a * (uint64_t)b)                       \
    DEFINE(max_u##bits, uint##bits##_t, uint##bits##_t, a > b ? a : b)                                       \
    DEFINE(min_u##bits, uint##bits##_t, uint##bits##_t, a < b ? a : b)                                       \
    DEFINE(max_s##bits, int##bits##_t, int##bits##_t, a > b ? a : b)                                         \
    DEFINE(min_s##bits, int##bits##_t, int##bits##_t, a < b ? a : b)                                         \
    DEFINE(update_u##bits, uint##bits##_t, uint##bits##_t, ((void)a, b))
DEFINE_INTEGER(8)
DEFINE_INTEGER(16)
DEFINE_INTEGER(32)
DEFINE_INTEGER(64)

/* Extremes of floats in vectors that every machine has: wider ones would be taken apart. The update b
 * replaces a where it wins, where it alone is NaN, and where both are equal and `zero`, a or b, is negative,
 * which tells -0 from +0. */
#define DEFINE_EXTREME(name, number, integer, wins, zero, scalar)                                            \
    typedef number name##_floats __attribute__((vector_size(16)));                                           \
    typedef integer name##_bits __attribute__((vector_size(16)));                                            \
    static void name(void *target, const void *update, int64_t count) {                                      \
        number *t = target;                                                                                  \
        const number *u = update;                                                                            \
        const int64_t lanes = 16 / sizeof *t;                                                                \
        int64_t i = 0;                                                                                       \
        for (; i + lanes <= count; i += lanes) {                                                             \
            name##_floats a, b;                                                                              \
            memcpy(&a, t + i, sizeof a);                                                                     \
            memcpy(&b, u + i, sizeof b);                                                                     \
            name##_bits taken = (b wins a) | ((b != b) & (a == a)) | ((a == b) & ((name##_bits)zero < 0));   \
            name##_bits result = (taken & (name##_bits)b) | (~taken & (name##_bits)a);                       \
            memcpy(t + i, &result, sizeof result);                                                           \
        }                                                                                                    \
        for (; i < count; i++) t[i] = (number)scalar((double)t[i], (double)u[i]);                            \
    }
DEFINE_EXTREME(max_f32, float, int32_t, >, a, larger)
DEFINE_EXTREME(min_f32, float, int32_t, <, b, smaller)
DEFINE_EXTREME(max_f64, double, int64_t, >, a, larger)
DEFINE_EXTREME(min_f64, double, int64_t, <, b, smaller)

/* Packed integers: a byte each, extended from their bits. */
#define EXTEND_SIGNED(v, bits) ((int)((unsigned)(v) << (32 - (bits))) >> (32 - (bits)))
#define DEFINE_PACKED(bits)                                                                                  \
    DEFINE(sum_p##bits, int8_t, int8_t, EXTEND_SIGNED(a + b, bits))                                          \
    DEFINE(product_p##bits, int8_t, int8_t, EXTEND_SIGNED(a *b, bits))                                       \
    DEFINE(sum_q##bits, uint8_t, uint8_t, (a + b) & ((1 << (bits)) - 1))                                     \
    DEFINE(product_q##bits, uint8_t, uint8_t, (a * b) & ((1 << (bits)) - 1))
DEFINE_PACKED(2)
DEFINE_PACKED(4)

DEFINE(or_bool, uint8_t, uint8_t, a | b)
DEFINE(and_bool, uint8_t, uint8_t, a & b)

DEFINE(product_f32, float, float, a *b)
DEFINE(sum_f64, double, double, a + b)
DEFINE(product_f64, double, double, a *b)

#define DEFINE_HALF(name)                                                                                    \
    DEFINE(sum_##name, float, uint16_t, a + fxi_##name##_to_f32(b))                                          \
    DEFINE(product_##name, float, uint16_t, a *fxi_##name##_to_f32(b))                                       \
    DEFINE(max_##name, uint16_t, uint16_t,                                                                   \
           fxi_##name##_from_f64(larger((double)fxi_##name##_to_f32(a), (double)fxi_##name##_to_f32(b))))    \
    DEFINE(min_##name, uint16_t, uint16_t,                                                                   \
           fxi_##name##_from_f64(smaller((double)fxi_##name##_to_f32(a), (double)fxi_##name##_to_f32(b))))
DEFINE_HALF(f16)
DEFINE_HALF(bf16)

/* ---- complex ---- */

static void sum_c64(void *target, const void *update, int64_t count) { sum_f32(target, update, 2 * count); }
static void sum_c128(void *target, const void *update, int64_t count) { sum_f64(target, update, 2 * count); }

#define DEFINE_COMPLEX_PRODUCT(name, type)                                                                   \
    static void name(void *target, const void *update, int64_t count) {                                      \
        type *t = target;                                                                                    \
        const type *u = update;                                                                              \
        for (int64_t i = 0; i < 2 * count; i += 2) {                                                         \
            const double re = (double)t[i], im = (double)t[i + 1], x = (double)u[i], y = (double)u[i + 1];   \
            t[i] = (type)(re * x - im * y);                                                                  \
            t[i + 1] = (type)(re * y + im * x);                                                              \
        }                                                                                                    \
    }
DEFINE_COMPLEX_PRODUCT(product_c64, float)
DEFINE_COMPLEX_PRODUCT(product_c128, double)

static void update_c128(void *target, const void *update, int64_t count) {
    memcpy(target, update, (size_t)count * 16);
}

/* ---- the table: sum, product, max, min ---- */

#define SIGNED(bits) {sum_u##bits, product_u##bits, max_s##bits, min_s##bits}
#define UNSIGNED(bits) {sum_u##bits, product_u##bits, max_u##bits, min_u##bits}
#define FLOAT(name) {sum_##name, product_##name, max_##name, min_##name}

static const fxi_combine_fn combines[FX_DTYPE_LIMIT][4] = {
    [FX_BOOL] = {or_bool, and_bool, or_bool, and_bool},
    [FX_S2] = {sum_p2, product_p2, max_s8, min_s8},
    [FX_S4] = {sum_p4, product_p4, max_s8, min_s8},
    [FX_S8] = SIGNED(8),
    [FX_S16] = SIGNED(16),
    [FX_S32] = SIGNED(32),
    [FX_S64] = SIGNED(64),
    [FX_U2] = {sum_q2, product_q2, max_u8, min_u8},
    [FX_U4] = {sum_q4, product_q4, max_u8, min_u8},
    [FX_U8] = UNSIGNED(8),
    [FX_U16] = UNSIGNED(16),
    [FX_U32] = UNSIGNED(32),
    [FX_U64] = UNSIGNED(64),
    [FX_F16] = FLOAT(f16),
    [FX_BF16] = FLOAT(bf16),
    [FX_F32] = FLOAT(f32),
    [FX_F64] = FLOAT(f64),
    [FX_C64] = {sum_c64, product_c64, NULL, NULL},
    [FX_C128] = {sum_c128, product_c128, NULL, NULL},
};

fxi_combine_fn fxi_combine_of(fxi_scatter_kind kind, fx_dtype dtype) {
    if (kind != FXI_SCATTER_UPDATE) return combines[dtype][kind];
    switch (fxi_memory_bytes(dtype)) {
    case 1: return update_u8;
    case 2: return update_u16;
    case 4: return update_u32;
    case 8: return update_u64;
    default: return update_c128;
    }
}

bool fxi_combine_is_wide(fxi_scatter_kind kind, fx_dtype dtype) {
    return (dtype == FX_F16 || dtype == FX_BF16) && (kind == FXI_SCATTER_SUM || kind == FXI_SCATTER_PRODUCT);
}
