/* SPDX-License-Identifier: Apache-2.0 */
/* Element types. */
#ifndef FLUXION_DTYPE_H
#define FLUXION_DTYPE_H

#include <fluxion/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers equal PJRT's buffer types and never change; other numbers are no dtypes. Sub-byte integers are
 * packed in a tensor: element i lies in byte i / (8 / bits), low bits first, no padding between rows. The
 * float8 types are for storage and conversion only. */
typedef enum fx_dtype {
    FX_INVALID_DTYPE = 0,
    FX_BOOL = 1, /* one byte, 0 or 1 */
    FX_S8 = 2,
    FX_S16 = 3,
    FX_S32 = 4,
    FX_S64 = 5,
    FX_U8 = 6,
    FX_U16 = 7,
    FX_U32 = 8,
    FX_U64 = 9,
    FX_F16 = 10, /* IEEE binary16 */
    FX_F32 = 11,
    FX_F64 = 12,
    FX_BF16 = 13, /* upper half of an f32 */
    FX_C64 = 14,  /* two f32: real, imaginary */
    FX_C128 = 15, /* two f64 */
    FX_F8E5M2 = 16,
    FX_F8E4M3FN = 17, /* finite numbers and NaN, no infinities */
    FX_S4 = 21,
    FX_U4 = 22,
    FX_S2 = 24,
    FX_U2 = 25
} fx_dtype;

#define FX_DTYPE_LIMIT 26 /* every dtype is below this */

/* True for the enumerators above except FX_INVALID_DTYPE. All functions of this header: any thread, no
 * failure. */
FX_API bool fx_dtype_is_valid(fx_dtype dtype);
/* "float32", "int8", "bfloat16", "bool", "complex64", "float8_e4m3fn", ...; "invalid" for anything else.
 * Static storage. */
FX_API const char *fx_dtype_name(fx_dtype dtype);
/* The dtype of a name as fx_dtype_name gives it, or of StableHLO's short form ("f32", "i8", "ui8", "s8",
 * "u8", "bf16", "pred", "i1" for bool, "complex<f32>", "c64", ...), case ignored; FX_INVALID_DTYPE for
 * NULL or an unknown name. */
FX_API fx_dtype fx_dtype_parse(const char *name);
/* Bits of one element: 2 to 128; 8 for bool; 0 for an invalid dtype. */
FX_API int fx_dtype_bits(fx_dtype dtype);
FX_API bool fx_dtype_is_float(fx_dtype dtype);    /* float16, bfloat16, float32, float64, float8 */
FX_API bool fx_dtype_is_half(fx_dtype dtype);     /* float16, bfloat16 */
FX_API bool fx_dtype_is_complex(fx_dtype dtype);
FX_API bool fx_dtype_is_integer(fx_dtype dtype);  /* signed and unsigned, not bool */
FX_API bool fx_dtype_is_signed(fx_dtype dtype);   /* signed integers only */
FX_API bool fx_dtype_is_unsigned(fx_dtype dtype); /* unsigned integers only */
/* Component dtype of a complex one (float32 for complex64); any other dtype itself. */
FX_API fx_dtype fx_dtype_real(fx_dtype dtype);

#ifdef __cplusplus
}
#endif
#endif
