/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores of carriers, one pair of loops per dtype, and their table. 2- and 4-bit integers are
 * bytes here, already extended; a store extends what is left after wrapping. */
#include "carrier.h"

#define PAIR(name, element, wide, to_wide, to_element)                                                       \
    FXI_CLONES static void load_##name(const void *elements, int64_t count, void *carried) {                 \
        const element *from = elements;                                                                      \
        wide *to = carried;                                                                                  \
        for (int64_t i = 0; i < count; i++) to[i] = to_wide(from[i]);                                        \
    }                                                                                                        \
    FXI_CLONES static void store_##name(void *elements, int64_t count, const void *carried) {                \
        const wide *from = carried;                                                                          \
        element *to = elements;                                                                              \
        for (int64_t i = 0; i < count; i++) to[i] = to_element(from[i]);                                     \
    }

#define TO_F32(v) ((float)(v))
#define TO_F64(v) ((double)(v))
#define TO_S64(v) ((int64_t)(v))
#define TO_U64(v) ((uint64_t)(v))
#define TO_S8(v) ((int8_t)(uint8_t)(uint64_t)(v))
#define TO_S16(v) ((int16_t)(uint16_t)(uint64_t)(v))
#define TO_S32(v) ((int32_t)(uint32_t)(uint64_t)(v))
#define TO_U8(v) ((uint8_t)(v))
#define TO_U16(v) ((uint16_t)(v))
#define TO_U32(v) ((uint32_t)(v))
#define TO_U4(v) ((uint8_t)((v)&15))
#define TO_U2(v) ((uint8_t)((v)&3))
#define TO_BOOL(v) ((uint8_t)((v) != 0))
/* The sign bit of the narrow form, moved to where subtraction extends it. */
#define TO_S4(v) ((int8_t)((int)(((uint64_t)(v)&15) ^ 8) - 8))
#define TO_S2(v) ((int8_t)((int)(((uint64_t)(v)&3) ^ 2) - 2))
#define F16_WIDE(v) ((double)fxi_f16_to_f32(v))
#define BF16_WIDE(v) ((double)fxi_bf16_to_f32(v))

PAIR(f64, double, double, TO_F64, TO_F64)
PAIR(f32, float, double, TO_F64, TO_F32)
PAIR(f16, uint16_t, double, F16_WIDE, fxi_f16_from_f64)
PAIR(bf16, uint16_t, double, BF16_WIDE, fxi_bf16_from_f64)
PAIR(s64, int64_t, int64_t, TO_S64, TO_S64)
PAIR(s32, int32_t, int64_t, TO_S64, TO_S32)
PAIR(s16, int16_t, int64_t, TO_S64, TO_S16)
PAIR(s8, int8_t, int64_t, TO_S64, TO_S8)
PAIR(s4, int8_t, int64_t, TO_S64, TO_S4)
PAIR(s2, int8_t, int64_t, TO_S64, TO_S2)
PAIR(u64, uint64_t, uint64_t, TO_U64, TO_U64)
PAIR(u32, uint32_t, uint64_t, TO_U64, TO_U32)
PAIR(u16, uint16_t, uint64_t, TO_U64, TO_U16)
PAIR(u8, uint8_t, uint64_t, TO_U64, TO_U8)
PAIR(u4, uint8_t, uint64_t, TO_U64, TO_U4)
PAIR(u2, uint8_t, uint64_t, TO_U64, TO_U2)
PAIR(bool, uint8_t, uint64_t, TO_U64, TO_BOOL)

static void load_c64(const void *elements, int64_t count, void *carried) {
    load_f32(elements, 2 * count, carried);
}
static void store_c64(void *elements, int64_t count, const void *carried) {
    store_f32(elements, 2 * count, carried);
}
static void load_c128(const void *elements, int64_t count, void *carried) {
    load_f64(elements, 2 * count, carried);
}
static void store_c128(void *elements, int64_t count, const void *carried) {
    store_f64(elements, 2 * count, carried);
}

#define ROW(dtype, carrier, name) [dtype] = {carrier, load_##name, store_##name}
static const fxi_carrier_info table[FX_DTYPE_LIMIT] = {
    ROW(FX_BOOL, FXI_CARRY_U64, bool),  ROW(FX_S2, FXI_CARRY_S64, s2),   ROW(FX_S4, FXI_CARRY_S64, s4),
    ROW(FX_S8, FXI_CARRY_S64, s8),      ROW(FX_S16, FXI_CARRY_S64, s16), ROW(FX_S32, FXI_CARRY_S64, s32),
    ROW(FX_S64, FXI_CARRY_S64, s64),    ROW(FX_U2, FXI_CARRY_U64, u2),   ROW(FX_U4, FXI_CARRY_U64, u4),
    ROW(FX_U8, FXI_CARRY_U64, u8),      ROW(FX_U16, FXI_CARRY_U64, u16), ROW(FX_U32, FXI_CARRY_U64, u32),
    ROW(FX_U64, FXI_CARRY_U64, u64),    ROW(FX_F16, FXI_CARRY_F64, f16), ROW(FX_BF16, FXI_CARRY_F64, bf16),
    ROW(FX_F32, FXI_CARRY_F64, f32),    ROW(FX_F64, FXI_CARRY_F64, f64), ROW(FX_C64, FXI_CARRY_C128, c64),
    ROW(FX_C128, FXI_CARRY_C128, c128),
};

const fxi_carrier_info *fxi_carrier_of(fx_dtype dtype) {
    return dtype > 0 && dtype < FX_DTYPE_LIMIT && table[dtype].load ? &table[dtype] : NULL;
}
