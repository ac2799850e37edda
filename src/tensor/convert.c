/* SPDX-License-Identifier: Apache-2.0 */
/* One element of any dtype: load, store and conversion by the rules of the specification (float to integer
 * truncates and saturates, NaN gives 0; integers wrap; floats round once, to nearest even; anything but 0
 * is true).
 *
 * A scalar carries integers exactly in 64 bits and floats in a double, which holds every float dtype
 * exactly; the rounding to a narrow dtype happens in the store. Only integers beyond 53 bits do not fit a
 * double: they are rounded to odd first, so that the second rounding in the store gives the same as a
 * single one (the double has at least two bits more than any target). */
#include "tensor/tensor.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- bits ---- */

/* The value of the low `bits` bits of i, extended to 64 by sign or by zeros. */
static int64_t wrap_integer(int64_t i, int bits, bool is_signed) {
    if (bits >= 64) return i;
    uint64_t mask = (UINT64_C(1) << bits) - 1, low = (uint64_t)i & mask, sign = UINT64_C(1) << (bits - 1);
    return is_signed && (low & sign) ? (int64_t)(low | ~mask) : (int64_t)low;
}

static int64_t load_packed(const void *data, int64_t index, int bits, bool is_signed) {
    int per_byte = 8 / bits;
    unsigned byte = ((const uint8_t *)data)[index / per_byte];
    return wrap_integer((int64_t)(byte >> (index % per_byte * bits)), bits, is_signed);
}

static void store_packed(void *data, int64_t index, int bits, int64_t value) {
    int per_byte = 8 / bits, shift = (int)(index % per_byte) * bits;
    uint8_t *byte = (uint8_t *)data + index / per_byte;
    unsigned mask = ((1u << bits) - 1) << shift;
    *byte = (uint8_t)((*byte & ~mask) | (((unsigned)value << shift) & mask));
}

/* ---- load and store ----
 * memcpy is the one portable way to read memory whose declared type is unknown; it compiles to a load. */

#define LOAD(type, member)                                                    \
    {                                                                         \
        type v;                                                               \
        memcpy(&v, (const char *)data + index * (int64_t)sizeof v, sizeof v); \
        r.member = v;                                                         \
    }                                                                         \
    break
#define LOAD_SMALL(type, widen)                                               \
    {                                                                         \
        type v;                                                               \
        memcpy(&v, (const char *)data + index * (int64_t)sizeof v, sizeof v); \
        r.re = (double)widen(v);                                              \
    }                                                                         \
    break
#define LOAD_PAIR(type)                                                      \
    {                                                                        \
        type v[2];                                                           \
        memcpy(v, (const char *)data + index * (int64_t)sizeof v, sizeof v); \
        r.re = v[0];                                                         \
        r.im = v[1];                                                         \
    }                                                                        \
    break

fxi_scalar fxi_element_load(fx_dtype dtype, const void *data, int64_t index) {
    fxi_scalar r = {0};
    switch (dtype) {
    case FX_BOOL: r.i = ((const uint8_t *)data)[index] != 0; break;
    case FX_S2: r.i = load_packed(data, index, 2, true); break;
    case FX_S4: r.i = load_packed(data, index, 4, true); break;
    case FX_U2: r.i = load_packed(data, index, 2, false); break;
    case FX_U4: r.i = load_packed(data, index, 4, false); break;
    case FX_S8: LOAD(int8_t, i);
    case FX_S16: LOAD(int16_t, i);
    case FX_S32: LOAD(int32_t, i);
    case FX_S64: LOAD(int64_t, i);
    case FX_U8: LOAD(uint8_t, i);
    case FX_U16: LOAD(uint16_t, i);
    case FX_U32: LOAD(uint32_t, i);
    case FX_U64: LOAD(int64_t, i);
    case FX_F8E5M2: LOAD_SMALL(uint8_t, fxi_f8e5m2_to_f32);
    case FX_F8E4M3FN: LOAD_SMALL(uint8_t, fxi_f8e4m3fn_to_f32);
    case FX_F16: LOAD_SMALL(uint16_t, fxi_f16_to_f32);
    case FX_BF16: LOAD_SMALL(uint16_t, fxi_bf16_to_f32);
    case FX_F32: LOAD_SMALL(float, (float));
    case FX_F64: LOAD(double, re);
    case FX_C64: LOAD_PAIR(float);
    case FX_C128: LOAD_PAIR(double);
    case FX_INVALID_DTYPE: break;
    }
    return r;
}

#define STORE(type, value_of)                                           \
    {                                                                   \
        type v = (type)(value_of);                                      \
        memcpy((char *)data + index * (int64_t)sizeof v, &v, sizeof v); \
    }                                                                   \
    break
#define STORE_PAIR(type)                                               \
    {                                                                  \
        type v[2] = {(type)value.re, (type)value.im};                  \
        memcpy((char *)data + index * (int64_t)sizeof v, v, sizeof v); \
    }                                                                  \
    break

void fxi_element_store(fx_dtype dtype, void *data, int64_t index, fxi_scalar value) {
    switch (dtype) {
    case FX_BOOL: ((uint8_t *)data)[index] = value.i != 0; break;
    case FX_S2:
    case FX_U2: store_packed(data, index, 2, value.i); break;
    case FX_S4:
    case FX_U4: store_packed(data, index, 4, value.i); break;
    case FX_S8:
    case FX_U8: STORE(uint8_t, value.i & UINT8_MAX);
    case FX_S16:
    case FX_U16: STORE(uint16_t, value.i & UINT16_MAX);
    case FX_S32:
    case FX_U32: STORE(uint32_t, value.i & UINT32_MAX);
    case FX_S64:
    case FX_U64: STORE(int64_t, value.i);
    case FX_F8E5M2: STORE(uint8_t, fxi_f8e5m2_from_f64(value.re));
    case FX_F8E4M3FN: STORE(uint8_t, fxi_f8e4m3fn_from_f64(value.re));
    case FX_F16: STORE(uint16_t, fxi_f16_from_f64(value.re));
    case FX_BF16: STORE(uint16_t, fxi_bf16_from_f64(value.re));
    case FX_F32: STORE(float, value.re);
    case FX_F64: STORE(double, value.re);
    case FX_C64: STORE_PAIR(float);
    case FX_C128: STORE_PAIR(double);
    case FX_INVALID_DTYPE: break;
    }
}

/* ---- conversion ---- */

/* Truncates toward zero and saturates to the range of an integer dtype; NaN gives 0. */
static int64_t integer_from_double(double x, int bits, bool is_signed) {
    if (isnan(x)) return 0;
    double limit = ldexp(1.0, is_signed ? bits - 1 : bits); /* exact: first value above the range */
    if (!is_signed) {
        if (x <= 0) return 0;
        if (x >= limit) return bits == 64 ? -1 : (int64_t)((UINT64_C(1) << bits) - 1);
        return (int64_t)(uint64_t)x;
    }
    int64_t highest = (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
    if (x >= limit) return highest;
    if (x < -limit) return -highest - 1;
    return (int64_t)x;
}

/* An integer as a double for a float dtype: exact where 53 bits suffice, else rounded to odd for narrow
 * targets. */
static double double_from_integer(int64_t i, bool is_signed, fx_dtype to_real) {
    bool negative = is_signed && i < 0;
    uint64_t magnitude = negative ? 0 - (uint64_t)i : (uint64_t)i;
    if (to_real != FX_F64 && magnitude >> 53) {
        int drop = 0;
        while (magnitude >> drop >> 53) drop++;
        uint64_t kept = magnitude >> drop << drop;
        magnitude = kept == magnitude ? kept : kept | (UINT64_C(1) << drop);
    }
    double d = (double)magnitude;
    return negative ? -d : d;
}

fxi_scalar fxi_scalar_convert(fxi_scalar value, fx_dtype from, fx_dtype to) {
    const fxi_dtype_info *source = fxi_dtype_info_of(from), *target = fxi_dtype_info_of(to);
    bool from_float = source->kind == FXI_KIND_FLOAT || source->kind == FXI_KIND_COMPLEX;
    fxi_scalar r = {0};
    switch (target->kind) {
    case FXI_KIND_BOOL: r.i = from_float ? value.re != 0 || value.im != 0 : value.i != 0; break;
    case FXI_KIND_SIGNED:
    case FXI_KIND_UNSIGNED: {
        bool is_signed = target->kind == FXI_KIND_SIGNED;
        r.i = from_float ? integer_from_double(value.re, target->bits, is_signed)
                         : wrap_integer(value.i, target->bits, is_signed);
        break;
    }
    case FXI_KIND_FLOAT:
    case FXI_KIND_COMPLEX:
        r.re = from_float ? value.re
                          : double_from_integer(value.i, source->kind == FXI_KIND_SIGNED, target->real);
        r.im = target->kind == FXI_KIND_COMPLEX && source->kind == FXI_KIND_COMPLEX ? value.im : 0;
        break;
    case FXI_KIND_NONE: break;
    }
    return r;
}

fxi_scalar fxi_dtype_lowest(fx_dtype dtype) {
    const fxi_dtype_info *info = fxi_dtype_info_of(dtype);
    fxi_scalar r = {0};
    if (info->kind == FXI_KIND_SIGNED) r.i = (int64_t)(~UINT64_C(0) << (info->bits - 1));
    if (info->kind == FXI_KIND_FLOAT) r.re = dtype == FX_F8E4M3FN ? -448.0 : -(double)INFINITY;
    return r;
}

fxi_scalar fxi_dtype_highest(fx_dtype dtype) {
    const fxi_dtype_info *info = fxi_dtype_info_of(dtype);
    fxi_scalar r = {0};
    if (info->kind == FXI_KIND_BOOL) r.i = 1;
    if (info->kind == FXI_KIND_SIGNED) r.i = (int64_t)((UINT64_C(1) << (info->bits - 1)) - 1);
    if (info->kind == FXI_KIND_UNSIGNED) r.i = (int64_t)(~UINT64_C(0) >> (64 - info->bits));
    if (info->kind == FXI_KIND_FLOAT) r.re = dtype == FX_F8E4M3FN ? 448.0 : (double)INFINITY;
    return r;
}

/* ---- packed dtypes ---- */

void fxi_unpack(fx_dtype dtype, const void *packed, int64_t count, void *bytes) {
    int bits = fx_dtype_bits(dtype);
    bool is_signed = fx_dtype_is_signed(dtype);
    if (bits != 2 && bits != 4) return;
    for (int64_t i = 0; i < count; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)((uint64_t)load_packed(packed, i, bits, is_signed) & 0xff);
}

void fxi_pack(fx_dtype dtype, const void *bytes, int64_t count, void *packed) {
    int bits = fx_dtype_bits(dtype);
    if ((bits != 2 && bits != 4) || count <= 0) return;
    memset(packed, 0, (size_t)((count - 1) / (8 / bits) + 1));
    for (int64_t i = 0; i < count; i++) store_packed(packed, i, bits, ((const uint8_t *)bytes)[i]);
}
