/* SPDX-License-Identifier: Apache-2.0 */
/* The dtype table: one row per element type, indexed by the enum's number. Every question of dtype.h is
 * answered from it, so that a new dtype is one row here plus its load and store in convert.c. Names are
 * looked up by a linear scan: parsing a name happens once per argument or file entry, never per element. */
#include "tensor/tensor.h"

#define ROW(dtype, name, hlo, kind, bits, real) [dtype] = {name, hlo, FXI_KIND_##kind, bits, real}
static const fxi_dtype_info dtype_table[FX_DTYPE_LIMIT] = {
    ROW(FX_BOOL, "bool", "i1", BOOL, 8, FX_BOOL),
    ROW(FX_S2, "int2", "i2", SIGNED, 2, FX_S2),
    ROW(FX_S4, "int4", "i4", SIGNED, 4, FX_S4),
    ROW(FX_S8, "int8", "i8", SIGNED, 8, FX_S8),
    ROW(FX_S16, "int16", "i16", SIGNED, 16, FX_S16),
    ROW(FX_S32, "int32", "i32", SIGNED, 32, FX_S32),
    ROW(FX_S64, "int64", "i64", SIGNED, 64, FX_S64),
    ROW(FX_U2, "uint2", "ui2", UNSIGNED, 2, FX_U2),
    ROW(FX_U4, "uint4", "ui4", UNSIGNED, 4, FX_U4),
    ROW(FX_U8, "uint8", "ui8", UNSIGNED, 8, FX_U8),
    ROW(FX_U16, "uint16", "ui16", UNSIGNED, 16, FX_U16),
    ROW(FX_U32, "uint32", "ui32", UNSIGNED, 32, FX_U32),
    ROW(FX_U64, "uint64", "ui64", UNSIGNED, 64, FX_U64),
    ROW(FX_F8E5M2, "float8_e5m2", "f8E5M2", FLOAT, 8, FX_F8E5M2),
    ROW(FX_F8E4M3FN, "float8_e4m3fn", "f8E4M3FN", FLOAT, 8, FX_F8E4M3FN),
    ROW(FX_F16, "float16", "f16", FLOAT, 16, FX_F16),
    ROW(FX_BF16, "bfloat16", "bf16", FLOAT, 16, FX_BF16),
    ROW(FX_F32, "float32", "f32", FLOAT, 32, FX_F32),
    ROW(FX_F64, "float64", "f64", FLOAT, 64, FX_F64),
    ROW(FX_C64, "complex64", "complex<f32>", COMPLEX, 64, FX_F32),
    ROW(FX_C128, "complex128", "complex<f64>", COMPLEX, 128, FX_F64),
};
#undef ROW

/* Names accepted besides the two columns of the table. */
static const struct {
    const char *name;
    fx_dtype dtype;
} aliases[] = {
    {"pred", FX_BOOL}, {"s2", FX_S2},     {"s4", FX_S4},      {"s8", FX_S8},   {"s16", FX_S16},
    {"s32", FX_S32},   {"s64", FX_S64},   {"u2", FX_U2},      {"u4", FX_U4},   {"u8", FX_U8},
    {"u16", FX_U16},   {"u32", FX_U32},   {"u64", FX_U64},    {"c64", FX_C64}, {"c128", FX_C128},
    {"half", FX_F16},  {"float", FX_F32}, {"double", FX_F64},
};

const fxi_dtype_info *fxi_dtype_info_of(fx_dtype dtype) {
    static const fxi_dtype_info none = {0};
    return (unsigned)dtype < FX_DTYPE_LIMIT ? &dtype_table[dtype] : &none;
}

bool fx_dtype_is_valid(fx_dtype dtype) { return fxi_dtype_info_of(dtype)->bits != 0; }

const char *fx_dtype_name(fx_dtype dtype) {
    const char *name = fxi_dtype_info_of(dtype)->name;
    return name ? name : "invalid";
}

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

/* ASCII only and independent of the locale, unlike strcasecmp. */
static bool equal_ignoring_case(const char *a, const char *b) {
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

fx_dtype fx_dtype_parse(const char *name) {
    if (!name) return FX_INVALID_DTYPE;
    for (int d = 0; d < FX_DTYPE_LIMIT; d++) {
        const fxi_dtype_info *row = &dtype_table[d];
        if (!row->bits) continue;
        if (equal_ignoring_case(name, row->name) || equal_ignoring_case(name, row->hlo)) return (fx_dtype)d;
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (equal_ignoring_case(name, aliases[i].name)) return aliases[i].dtype;
    return FX_INVALID_DTYPE;
}

int fx_dtype_bits(fx_dtype dtype) { return fxi_dtype_info_of(dtype)->bits; }

bool fx_dtype_is_float(fx_dtype dtype) { return fxi_dtype_info_of(dtype)->kind == FXI_KIND_FLOAT; }

bool fx_dtype_is_half(fx_dtype dtype) { return dtype == FX_F16 || dtype == FX_BF16; }

bool fx_dtype_is_complex(fx_dtype dtype) { return fxi_dtype_info_of(dtype)->kind == FXI_KIND_COMPLEX; }

bool fx_dtype_is_integer(fx_dtype dtype) { return fx_dtype_is_signed(dtype) || fx_dtype_is_unsigned(dtype); }

bool fx_dtype_is_signed(fx_dtype dtype) { return fxi_dtype_info_of(dtype)->kind == FXI_KIND_SIGNED; }

bool fx_dtype_is_unsigned(fx_dtype dtype) { return fxi_dtype_info_of(dtype)->kind == FXI_KIND_UNSIGNED; }

fx_dtype fx_dtype_real(fx_dtype dtype) {
    return fx_dtype_is_complex(dtype) ? fxi_dtype_info_of(dtype)->real : dtype;
}
