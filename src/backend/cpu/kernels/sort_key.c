/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of elements, one set of loops per memory form.
 *
 * Signed integers: the sign bit flipped. Floats: the sign bit of positive numbers set, all bits of
 * negative ones inverted; the magnitude decides what is zero and what is NaN. A descending key is the
 * inverted ascending one, but for NaN. The sets differ only in the word and in two constants: the sign bit
 * and the largest magnitude that is a number. */
#include "sort_key.h"
#include "carrier.h"

typedef struct form {
    void (*load32)(const fxi_key_source *source, int64_t start, int64_t count, uint32_t *keys);
    void (*load64)(const fxi_key_source *source, int64_t start, int64_t count, uint64_t *keys);
    void (*store32)(const fxi_key_source *source, void *first, int64_t start, int64_t count,
                    const uint32_t *keys);
    void (*store64)(const fxi_key_source *source, void *first, int64_t start, int64_t count,
                    const uint64_t *keys);
    uint64_t sign, ones;
} form;

/* One loop for adjacent elements, which is vectorised, and one for all others. */
#define LOAD(name, load, word, wide)                                                                         \
    FXI_CLONES static void name##_##load(const fxi_key_source *source, int64_t start, int64_t count,         \
                                         wide *keys) {                                                       \
        int64_t stride = source->stride;                                                                     \
        const word *from = (const word *)source->first + start * stride;                                     \
        const word flip = source->descending ? (word) ~(word)0 : 0;                                          \
        if (stride == 1)                                                                                     \
            for (int64_t i = 0; i < count; i++) keys[i] = name##_key(from[i], flip);                         \
        else                                                                                                 \
            for (int64_t i = 0; i < count; i++) keys[i] = name##_key(from[i * stride], flip);                \
    }
#define STORE(name, store, word, wide)                                                                       \
    FXI_CLONES static void name##_##store(const fxi_key_source *source, void *first, int64_t start,          \
                                          int64_t count, const wide *keys) {                                 \
        int64_t stride = source->stride;                                                                     \
        word *to = (word *)first + start * stride;                                                           \
        const word flip = source->descending ? (word) ~(word)0 : 0;                                          \
        if (stride == 1)                                                                                     \
            for (int64_t i = 0; i < count; i++) to[i] = name##_element((word)keys[i], flip);                 \
        else                                                                                                 \
            for (int64_t i = 0; i < count; i++) to[i * stride] = name##_element((word)keys[i], flip);        \
    }
#define LOOPS(name, word)                                                                                    \
    LOAD(name, load32, word, uint32_t)                                                                       \
    LOAD(name, load64, word, uint64_t)                                                                       \
    STORE(name, store32, word, uint32_t)                                                                     \
    STORE(name, store64, word, uint64_t)

#define INTEGER_KEYS(name, word, sign)                                                                       \
    static inline word name##_key(word x, word flip) { return (word)(x ^ (sign) ^ flip); }                   \
    static inline word name##_element(word key, word flip) { return (word)(key ^ (sign) ^ flip); }
#define FLOAT_KEYS(name, word, sign, infinity)                                                               \
    static inline word name##_key(word x, word flip) {                                                       \
        word magnitude = (word)(x & (word) ~(sign)), positive = (word)(x | (sign));                          \
        word key = x & (sign) ? (word)~x : positive;                                                         \
        key = (word)((magnitude == 0 ? (word)(sign) : key) ^ flip);                                          \
        return magnitude > (infinity) ? (word) ~(word)0 : key;                                               \
    }                                                                                                        \
    static inline word name##_element(word key, word flip) {                                                 \
        key = (word)(key ^ flip);                                                                            \
        return key & (sign) ? (word)(key ^ (sign)) : (word)~key;                                             \
    }

INTEGER_KEYS(u8, uint8_t, 0)
INTEGER_KEYS(s8, uint8_t, 0x80)
INTEGER_KEYS(u16, uint16_t, 0)
INTEGER_KEYS(s16, uint16_t, 0x8000)
INTEGER_KEYS(u32, uint32_t, 0)
INTEGER_KEYS(s32, uint32_t, 0x80000000)
INTEGER_KEYS(u64, uint64_t, 0)
INTEGER_KEYS(s64, uint64_t, UINT64_C(1) << 63)
FLOAT_KEYS(f16, uint16_t, 0x8000, 0x7C00)
FLOAT_KEYS(bf16, uint16_t, 0x8000, 0x7F80)
FLOAT_KEYS(f32, uint32_t, 0x80000000, 0x7F800000)
FLOAT_KEYS(f64, uint64_t, UINT64_C(1) << 63, UINT64_C(0x7FF) << 52)
LOOPS(u8, uint8_t)
LOOPS(s8, uint8_t)
LOOPS(u16, uint16_t)
LOOPS(s16, uint16_t)
LOOPS(u32, uint32_t)
LOOPS(s32, uint32_t)
LOAD(u64, load64, uint64_t, uint64_t)
STORE(u64, store64, uint64_t, uint64_t)
LOAD(s64, load64, uint64_t, uint64_t)
STORE(s64, store64, uint64_t, uint64_t)
LOOPS(f16, uint16_t)
LOOPS(bf16, uint16_t)
LOOPS(f32, uint32_t)
LOAD(f64, load64, uint64_t, uint64_t)
STORE(f64, store64, uint64_t, uint64_t)

#define NARROW(name, sign, ones) {name##_load32, name##_load64, name##_store32, name##_store64, sign, ones}
#define WIDE(name, sign) {NULL, name##_load64, NULL, name##_store64, sign, UINT64_MAX}
static const form forms[FX_DTYPE_LIMIT] = {
    [FX_BOOL] = NARROW(u8, 0, 0xFF),
    [FX_U2] = NARROW(u8, 0, 0xFF),
    [FX_U4] = NARROW(u8, 0, 0xFF),
    [FX_U8] = NARROW(u8, 0, 0xFF),
    [FX_S2] = NARROW(s8, 0x80, 0xFF),
    [FX_S4] = NARROW(s8, 0x80, 0xFF),
    [FX_S8] = NARROW(s8, 0x80, 0xFF),
    [FX_U16] = NARROW(u16, 0, 0xFFFF),
    [FX_S16] = NARROW(s16, 0x8000, 0xFFFF),
    [FX_U32] = NARROW(u32, 0, UINT32_MAX),
    [FX_S32] = NARROW(s32, 0x80000000, UINT32_MAX),
    [FX_U64] = WIDE(u64, 0),
    [FX_S64] = WIDE(s64, UINT64_C(1) << 63),
    [FX_F16] = NARROW(f16, 0x8000, 0xFFFF),
    [FX_BF16] = NARROW(bf16, 0x8000, 0xFFFF),
    [FX_F32] = NARROW(f32, 0x80000000, UINT32_MAX),
    [FX_F64] = WIDE(f64, UINT64_C(1) << 63),
};

void fxi_keys_load32(const fxi_key_source *source, int64_t start, int64_t count, uint32_t *keys) {
    forms[source->dtype].load32(source, start, count, keys);
}

void fxi_keys_load64(const fxi_key_source *source, int64_t start, int64_t count, uint64_t *keys) {
    forms[source->dtype].load64(source, start, count, keys);
}

void fxi_keys_store32(const fxi_key_source *source, void *first, int64_t start, int64_t count,
                      const uint32_t *keys) {
    forms[source->dtype].store32(source, first, start, count, keys);
}

void fxi_keys_store64(const fxi_key_source *source, void *first, int64_t start, int64_t count,
                      const uint64_t *keys) {
    forms[source->dtype].store64(source, first, start, count, keys);
}

uint64_t fxi_key_zero(fx_dtype dtype, bool descending) {
    const form *f = &forms[dtype];
    return descending ? f->sign ^ f->ones : f->sign;
}

uint64_t fxi_key_nan(fx_dtype dtype) { return forms[dtype].ones; }
