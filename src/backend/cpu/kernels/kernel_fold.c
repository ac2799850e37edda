/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of kernel_fold.h, one per kind and form, and their table. A float's key is its bits with the
 * magnitude inverted where it is negative: as a signed integer it orders as the float does. Half types widen
 * by moving bits, which vectorises. Packed integers are bytes here; sums and products extend what is left
 * after wrapping. */
#include "kernel_fold.h"
#include "carrier.h"
#include "ops/ops.h"
#include <string.h>

/* Elements that lie ahead are read before they are overwritten, whatever the width of a vector. */
#if defined(__clang__)
#define AHEAD
#else
#define AHEAD _Pragma("GCC ivdep")
#endif

/* Short rows are combined in strips of constant width, so that no row pays for a loop of its own. */
enum { STRIP = 16, SHORT = 512 };

#define COMBINE(at_acc, at_in, acc_t, in_t, combined)                                                        \
    {                                                                                                        \
        const acc_t a = acc[at_acc];                                                                         \
        const in_t b = in[at_in];                                                                            \
        acc[at_acc] = (combined);                                                                            \
    }
#define FOLD_LOOPS(clones, name, acc_t, in_t, combined)                                                      \
    clones static void name(void *acc_void, int64_t acc_step, const void *in_void, int64_t in_step,          \
                            int64_t rows, int64_t n) {                                                       \
        acc_t *acc = acc_void;                                                                               \
        const in_t *in = in_void;                                                                            \
        if (n == 1) {                                                                                        \
            for (int64_t r = 0; r < rows; r++) COMBINE(r *acc_step, r *in_step, acc_t, in_t, combined)       \
            return;                                                                                          \
        }                                                                                                    \
        for (; rows > 1 && n >= STRIP && n <= SHORT; n -= STRIP, acc += STRIP, in += STRIP)                  \
            for (int64_t r = 0; r < rows; r++)                                                               \
                AHEAD for (int i = 0; i < STRIP; i++) COMBINE(                                               \
                    r *acc_step + i, r * in_step + i, acc_t, in_t,                                           \
                    combined) for (int64_t r = 0; n > 0 && r < rows; r++, acc += acc_step, in += in_step)    \
                    AHEAD for (int64_t i = 0; i < n; i++) COMBINE(i, i, acc_t, in_t, combined)               \
    }

#define FOLD(name, acc_t, in_t, combined) FOLD_LOOPS(FXI_CLONES, name, acc_t, in_t, (acc_t)(combined))

#define STORE(name, to_t, acc_t, element)                                                                    \
    FXI_CLONES static void name(void *to_void, const void *acc_void, int64_t acc_step, int64_t rows,         \
                                int64_t n) {                                                                 \
        to_t *restrict to = to_void;                                                                         \
        const acc_t *restrict acc = acc_void;                                                                \
        for (int64_t r = 0; n == 1 && r < rows; r++) {                                                       \
            const acc_t a = acc[r * acc_step];                                                               \
            to[r] = (element);                                                                               \
        }                                                                                                    \
        for (int64_t r = 0; n > 1 && r < rows; r++, acc += acc_step, to += n)                                \
            for (int64_t i = 0; i < n; i++) {                                                                \
                const acc_t a = acc[i];                                                                      \
                to[i] = (element);                                                                           \
            }                                                                                                \
    }

/* ---- integers and bool ---- */

#define INTEGERS(bits)                                                                                       \
    FOLD(sum_##bits, uint##bits##_t, uint##bits##_t, (uint64_t)a + (uint64_t)b)                              \
    FOLD(product_##bits, uint##bits##_t, uint##bits##_t, (uint64_t)a *(uint64_t)b)                           \
    FOLD(max_u##bits, uint##bits##_t, uint##bits##_t, a > b ? a : b)                                         \
    FOLD(min_u##bits, uint##bits##_t, uint##bits##_t, a < b ? a : b)                                         \
    FOLD(max_s##bits, int##bits##_t, int##bits##_t, a > b ? a : b)                                           \
    FOLD(min_s##bits, int##bits##_t, int##bits##_t, a < b ? a : b)                                           \
    FOLD(and_##bits, uint##bits##_t, uint##bits##_t, a &b)                                                   \
    FOLD(or_##bits, uint##bits##_t, uint##bits##_t, a | b)                                                   \
    FOLD(xor_##bits, uint##bits##_t, uint##bits##_t, a ^ b)                                                  \
    STORE(store_##bits, uint##bits##_t, uint##bits##_t, a)
INTEGERS(8)
INTEGERS(16)
INTEGERS(32)
INTEGERS(64)

/* The sign bit of the narrow form, moved to where subtraction extends it. */
#define SIGN_EXTEND(v, bits) (int8_t)((((v) & ((1 << (bits)) - 1)) ^ (1 << ((bits)-1))) - (1 << ((bits)-1)))
#define PACKED(bits)                                                                                         \
    FOLD(sum_p##bits, int8_t, int8_t, SIGN_EXTEND(a + b, bits))                                              \
    FOLD(product_p##bits, int8_t, int8_t, SIGN_EXTEND(a *b, bits))                                           \
    FOLD(sum_q##bits, uint8_t, uint8_t, (a + b) & ((1 << (bits)) - 1))                                       \
    FOLD(product_q##bits, uint8_t, uint8_t, (a * b) & ((1 << (bits)) - 1))
PACKED(2)
PACKED(4)

/* ---- sums and products of floats ---- */

FOLD(sum_f32, float, float, a + b)
FOLD(product_f32, float, float, a *b)
FOLD(sum_f64, double, double, a + b)
FOLD(product_f64, double, double, a *b)

static inline float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline float bf16_wide(uint16_t h) {
    return float_of((uint32_t)h << 16);
}
/* Exponent and fraction in place, off by 2^112, which a product puts right for subnormal numbers too;
 * infinities and NaN are what the product leaves at or above 2^16. */
static inline float f16_wide(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    float size = float_of((uint32_t)(h & 0x7FFF) << 13) * 0x1p112f;
    uint32_t bits;
    memcpy(&bits, &size, sizeof bits);
    return float_of((size >= 0x1p16f ? bits | 0x7F800000u : bits) | sign);
}

FOLD(sum_f16, float, uint16_t, a + f16_wide(b))
FOLD(product_f16, float, uint16_t, a *f16_wide(b))
FOLD(sum_bf16, float, uint16_t, a + bf16_wide(b))
FOLD(product_bf16, float, uint16_t, a *bf16_wide(b))
STORE(store_f16, uint16_t, float, fxi_f16_from_f64((double)a))
STORE(store_bf16, uint16_t, float, fxi_bf16_from_f64((double)a))

typedef struct c64 {
    float re, im;
} c64;
typedef struct c128 {
    double re, im;
} c128;
static inline c128 mul_c128(c128 a, c128 b) {
    return (c128){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline c64 mul_c64(c64 a, c64 b) {
    c128 wide = mul_c128((c128){(double)a.re, (double)a.im}, (c128){(double)b.re, (double)b.im});
    return (c64){(float)wide.re, (float)wide.im};
}
static inline c64 add_c64(c64 a, c64 b) {
    return (c64){a.re + b.re, a.im + b.im};
}
static inline c128 add_c128(c128 a, c128 b) {
    return (c128){a.re + b.re, a.im + b.im};
}
/* Not for several processors: gcc 12 makes fused instructions of complex products, whatever it is told. */
FOLD_LOOPS(, product_c64, c64, c64, mul_c64(a, b))
FOLD_LOOPS(, product_c128, c128, c128, mul_c128(a, b))
FOLD_LOOPS(FXI_CLONES, sum_c64, c64, c64, add_c64(a, b))
FOLD_LOOPS(FXI_CLONES, sum_c128, c128, c128, add_c128(a, b))
STORE(store_c128, c128, c128, a)

/* ---- maxima and minima of floats, as keys ---- */

static inline uint16_t bits_half(uint16_t x) {
    return x;
}
static inline uint32_t bits_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline uint64_t bits_double(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* `ordered` inverts the magnitude of negative numbers: as signed integers -NaN < -Inf < ... < +Inf < +NaN.
 * Adding a constant then turns the circle of integers so that, unsigned, -Inf is 0 and all NaN come last, or
 * +Inf is the largest and all NaN come first. INF is the bits of +Inf. */
#define KEYS(name, bits, element, bits_of, of_bits, INF)                                                     \
    static inline uint##bits##_t ordered_##name(uint##bits##_t v) {                                          \
        return (uint##bits##_t)(v ^ ((uint##bits##_t)((int##bits##_t)v >> (bits - 1)) & INT##bits##_MAX));   \
    }                                                                                                        \
    static inline uint##bits##_t above_##name(element x) {                                                   \
        return (uint##bits##_t)(ordered_##name(bits_of(x)) + (uint##bits##_t)((INF) + 1));                   \
    }                                                                                                        \
    static inline uint##bits##_t below_##name(element x) {                                                   \
        return (uint##bits##_t)(ordered_##name(bits_of(x)) - (uint##bits##_t)((INF) + 1));                   \
    }                                                                                                        \
    FOLD(max_##name, uint##bits##_t, element, LARGER(a, above_##name(b)))                                    \
    FOLD(min_##name, uint##bits##_t, element, SMALLER(a, below_##name(b)))                                   \
    STORE(store_max_##name, element, uint##bits##_t,                                                         \
          of_bits(ordered_##name((uint##bits##_t)(a - (uint##bits##_t)((INF) + 1)))))                        \
    STORE(store_min_##name, element, uint##bits##_t,                                                         \
          of_bits(ordered_##name((uint##bits##_t)(a + (uint##bits##_t)((INF) + 1)))))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))
KEYS(f16, 16, uint16_t, bits_half, bits_half, 0x7C00)
KEYS(bf16, 16, uint16_t, bits_half, bits_half, 0x7F80)
KEYS(f32, 32, float, bits_float, float_of, UINT32_C(0x7F800000))
KEYS(f64, 64, double, bits_double, double_of, UINT64_C(0x7FF0000000000000))

/* ---- the table ---- */

typedef struct form {
    fxi_fold_fn take, merge;
    fxi_fold_store_fn store, copy;
    int64_t wide;
} form;

#define SAME(name, bits)                                                                                     \
    { name, name, store_##bits, store_##bits, bits / 8 }
#define BITWISE(bits)                                                                                        \
    [FXI_AND] = SAME(and_##bits, bits), [FXI_OR] = SAME(or_##bits, bits), [FXI_XOR] = SAME(xor_##bits, bits)
#define EXTREMES(sign, bits)                                                                                 \
    [FXI_MAX] = SAME(max_##sign##bits, bits), [FXI_MIN] = SAME(min_##sign##bits, bits), BITWISE(bits)
#define INTEGER(sign, bits)                                                                                  \
    { [FXI_SUM] = SAME(sum_##bits, bits), [FXI_PRODUCT] = SAME(product_##bits, bits), EXTREMES(sign, bits) }
#define NARROW(sign, letter, bits)                                                                           \
    {                                                                                                        \
        [FXI_SUM] = SAME(sum_##letter##bits, 8), [FXI_PRODUCT] = SAME(product_##letter##bits, 8),            \
        EXTREMES(sign, 8)                                                                                    \
    }
#define ORDERED(name, bits)                                                                                  \
    [FXI_MAX] = {max_##name, max_u##bits, store_max_##name, store_##bits, bits / 8}, [FXI_MIN] = {           \
                                                                                         min_##name,         \
                                                                                         min_u##bits,        \
                                                                                         store_min_##name,   \
                                                                                         store_##bits,       \
                                                                                         bits / 8}
#define FLOAT(name, bits)                                                                                    \
    { [FXI_SUM] = SAME(sum_##name, bits), [FXI_PRODUCT] = SAME(product_##name, bits), ORDERED(name, bits) }
#define HALF(name)                                                                                           \
    {                                                                                                        \
        [FXI_SUM] = {sum_##name, sum_f32, store_##name, store_32, 4},                                        \
        [FXI_PRODUCT] = {product_##name, product_f32, store_##name, store_32, 4}, ORDERED(name, 16)          \
    }

static const form forms[FX_DTYPE_LIMIT][FXI_REDUCE_KINDS] = {
    [FX_BOOL] = {EXTREMES(u, 8)},
    [FX_S2] = NARROW(s, p, 2),
    [FX_S4] = NARROW(s, p, 4),
    [FX_S8] = INTEGER(s, 8),
    [FX_S16] = INTEGER(s, 16),
    [FX_S32] = INTEGER(s, 32),
    [FX_S64] = INTEGER(s, 64),
    [FX_U2] = NARROW(u, q, 2),
    [FX_U4] = NARROW(u, q, 4),
    [FX_U8] = INTEGER(u, 8),
    [FX_U16] = INTEGER(u, 16),
    [FX_U32] = INTEGER(u, 32),
    [FX_U64] = INTEGER(u, 64),
    [FX_F16] = HALF(f16),
    [FX_BF16] = HALF(bf16),
    [FX_F32] = FLOAT(f32, 32),
    [FX_F64] = FLOAT(f64, 64),
    [FX_C64] = {[FXI_SUM] = SAME(sum_c64, 64), [FXI_PRODUCT] = SAME(product_c64, 64)},
    [FX_C128] = {[FXI_SUM] = {sum_c128, sum_c128, store_c128, store_c128, 16},
                 [FXI_PRODUCT] = {product_c128, product_c128, store_c128, store_c128, 16}},
};

/* ---- neutral values ---- */

/* The dtype whose memory form an accumulator has: integers of a byte at least. */
static fx_dtype form_dtype(fx_dtype dtype, bool ordered) {
    bool is_half = fx_dtype_is_half(dtype);
    if (fx_dtype_bits(dtype) < 8) return fx_dtype_is_signed(dtype) ? FX_S8 : FX_U8;
    return is_half && !ordered ? FX_F32 : dtype;
}

static void set_neutral(fxi_fold *f, fxi_reduce_kind kind, fx_dtype dtype) {
    bool ordered = kind == FXI_MAX || kind == FXI_MIN;
    fxi_scalar neutral = fxi_reduce_neutral(kind, dtype);
    if (dtype == FX_U2) neutral.i &= 3;
    if (dtype == FX_U4) neutral.i &= 15;
    if (!ordered || !fx_dtype_is_float(dtype)) {
        fxi_element_store(form_dtype(dtype, ordered), f->neutral, 0, neutral);
        return;
    }
    memset(f->neutral, kind == FXI_MAX ? 0 : 0xFF, sizeof f->neutral); /* the key of an infinity */
}

bool fxi_fold_find(fxi_fold *fold, fxi_reduce_kind kind, fx_dtype dtype) {
    const form *f = &forms[dtype][kind];
    if (!f->take) return false;
    *fold =
        (fxi_fold){.take = f->take, .merge = f->merge, .store = f->store, .copy = f->copy, .wide = f->wide};
    fold->bytes = fxi_memory_bytes(dtype);
    fold->idempotent = kind == FXI_MAX || kind == FXI_MIN || kind == FXI_AND || kind == FXI_OR;
    fold->rounds = kind <= FXI_PRODUCT && (fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype));
    set_neutral(fold, kind, dtype);
    return true;
}

#define FILL(bits)                                                                                           \
    FXI_CLONES static void fill_##bits(uint##bits##_t *to, uint##bits##_t value, int64_t count) {            \
        for (int64_t i = 0; i < count; i++) to[i] = value;                                                   \
    }
FILL(16)
FILL(32)
FILL(64)

void fxi_fold_clear(const fxi_fold *fold, void *acc, int64_t count) {
    uint64_t v[2];
    memcpy(v, fold->neutral, sizeof v);
    switch (fold->wide) {
    case 1: memset(acc, fold->neutral[0], (size_t)count); break;
    case 2: fill_16(acc, (uint16_t)v[0], count); break;
    case 4: fill_32(acc, (uint32_t)v[0], count); break;
    case 8: fill_64(acc, v[0], count); break;
    default:
        for (int64_t i = 0; i < count; i++) memcpy((char *)acc + i * fold->wide, v, (size_t)fold->wide);
    }
}
