/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized weights: layers that multiply with them, tables that are read by rows, and the ways from floats
 * to them and back. What ops.h says of errors, results and places of calls holds for the builders here.
 *
 * A quantized matrix is a tensor of integers with what says how they become floats:
 *
 *   linear  w = q scale + zero_point; q integers [K, N], scale (and zero_point, which is a float and added
 *           last) float32. Blocks are of rows, block_axis 0, the default: scale [ceil(K / block_size), N]; or
 *           of columns, block_axis 1: [K, ceil(N / block_size)]. The last block may be shorter.
 *   NF4     w = levels[q] scale; q uint4 (or int4, of which the bits count) indexes the 16 levels of the
 *           4-bit normal float, from -1 to 1; scale as above.
 *   GGML    blocks of 32 or 256 values with their scales inside, as in files of that name: uint8
 *           [N, row_bytes], row n holding what in the two others is column n, K values.
 *
 * Activations are never quantized: products are float32. */
#ifndef FLUXION_QUANTIZE_H
#define FLUXION_QUANTIZE_H

#include <fluxion/activation.h>
#include <fluxion/graph.h>
#include <fluxion/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fx_quantization_scheme {
    FX_QUANTIZATION_LINEAR = 0,
    FX_QUANTIZATION_NF4,
    FX_QUANTIZATION_GGML
} fx_quantization_scheme;

/* Block formats, by their numbers in files. Bytes / values of a block: 18 / 32 for Q4_0 and IQ4_NL, 34 / 32
 * for Q8_0; 84, 110, 144, 176, 210 / 256 for Q2_K to Q6_K. */
typedef enum fx_ggml_type {
    FX_GGML_NONE = 0,
    FX_GGML_Q4_0 = 2,
    FX_GGML_Q8_0 = 8,
    FX_GGML_Q2_K = 10,
    FX_GGML_Q3_K = 11,
    FX_GGML_Q4_K = 12,
    FX_GGML_Q5_K = 13,
    FX_GGML_Q6_K = 14,
    FX_GGML_IQ4_NL = 20
} fx_ggml_type;
/* Bytes of a block; 0 for a number that is none of the above. Any thread, as all of these. */
FX_API int64_t fx_ggml_block_bytes(fx_ggml_type type);
/* Values of a block; 0 likewise. */
FX_API int64_t fx_ggml_block_values(fx_ggml_type type);
/* "q4_0", "iq4_nl", "q6_k"; NULL for a number that is none. Static storage. */
FX_API const char *fx_ggml_type_name(fx_ggml_type type);
/* The type of a name, case ignored; FX_GGML_NONE when there is none. */
FX_API fx_ggml_type fx_ggml_type_parse(const char *name);

/* How the integers of a matrix become floats. */
typedef struct fx_quantization {
    size_t size; /* sizeof(fx_quantization), or 0 */
    fx_quantization_scheme scheme;
    fx_node *scale;         /* linear, NF4 */
    fx_node *zero_point;    /* linear; NULL: none */
    int block_axis;         /* linear, NF4: 0 (or -2), the default: blocks of rows; 1 (or -1): of columns */
    int64_t block_size;     /* linear, NF4: values of a block; 0: the whole axis is one */
    fx_ggml_type ggml_type; /* GGML */
} fx_quantization;

/* The weights as float32, [K, N], of GGML [N, K]. An error: weights that are no matrix or of another dtype
 * than the scheme has (linear: any integer; NF4: uint4, int4; GGML: uint8), scales of another shape or dtype,
 * row_bytes that are no whole blocks, scale or zero_point where the scheme has none. Differentiable by scale
 * and zero_point. */
FX_API fx_node *fx_dequantize(fx_node *weights, const fx_quantization *quantization);
/* activation(x W + bias): x [..., K] float32, float16 or bfloat16; weights as above; bias [N] of x's dtype or
 * float32, or NULL; the result [..., N] (half as wide after swi_glu) is of x's dtype, computed in float32
 * and rounded once. A composite: the cpu backend multiplies with the packed weights as they lie.
 * Differentiable by x, bias, scale and zero_point. */
FX_API fx_node *fx_nn_quantized_dense(fx_node *x, fx_node *weights, const fx_quantization *quantization,
                                      fx_node *bias, fx_activation activation);
/* Rows of a GGML table [V, row_bytes] as float32: indices [..., 1], integers, clamped as in fx_gather; the
 * result is [..., K]. Only the rows that are read are dequantized. */
FX_API fx_node *fx_nn_quantized_gather(fx_node *table, fx_node *indices, const fx_quantization *quantization);
/* The same with indices [...] of one number each: [..., K]. */
FX_API fx_node *fx_nn_quantized_embedding(fx_node *table, fx_node *indices,
                                          const fx_quantization *quantization);

/* ---- element by element, inside a graph ---- */

/* round(x / scale) + zero_point, rounded to nearest, ties to even, and saturated in dtype, an integer one of
 * at most 16 bits; NaN gives 0. x is of floats, scale of x's dtype, zero_point (NULL: 0) of dtype; scale and
 * zero_point broadcast. Computed in float32 for half types. Its derivative is zero. */
FX_API fx_node *fx_quantize_linear(fx_node *x, fx_node *scale, fx_node *zero_point, fx_dtype dtype);
/* (q - zero_point) scale: q integers of at most 16 bits, zero_point (NULL: 0) of q's dtype, scale of floats,
 * whose dtype is the result's; they broadcast. */
FX_API fx_node *fx_dequantize_linear(fx_node *q, fx_node *scale, fx_node *zero_point);
/* x [...] of float32 as uint8 with one scale (max(x, 0) - min(x, 0)) / 255 and the zero point
 * round(-min(x, 0) / scale), ties to even: results[0] the values as fx_quantize_linear makes them, results[1]
 * the scale, float32, results[2] the zero point, uint8. Where all of x is 0 the scale is 1. results may be
 * NULL. Gives the values. */
FX_API fx_node *fx_quantize_dynamic(fx_node *x, fx_node **results);

/* ---- tensors ---- */

typedef struct fx_quantize_options {
    size_t size; /* sizeof(fx_quantize_options), or 0 */
    fx_quantization_scheme scheme;
    fx_dtype dtype;         /* linear: int4, uint4, int8 or uint8; 0: int8 */
    bool asymmetric;        /* linear: with zero points; else unsigned dtypes hold no negative values */
    int block_axis;         /* linear, NF4: as in fx_quantization */
    int64_t block_size;     /* linear, NF4: as in fx_quantization */
    fx_ggml_type ggml_type; /* GGML */
} fx_quantize_options;

/* A quantized matrix on the host. */
typedef struct fx_quantized {
    fx_tensor *weights;
    fx_tensor *scale, *zero_point; /* NULL where there are none */
} fx_quantized;

/* Quantizes a matrix of floats (float32, float16, bfloat16, float64): [K, N] for linear and NF4; [N, K] for
 * GGML, K being a multiple of the block's values. Rounds to nearest, ties to even, and saturates. With s the
 * scale of a block, values come back within
 *   linear        s / 2, s being the largest magnitude by the largest integer; asymmetric: the range of the
 *                 block by the number of steps. An unsigned dtype makes negative values 0 unless asymmetric
 *   NF4           0.152 s, half of the widest gap between levels, s being the largest magnitude
 *   Q8_0, Q4_0    0.51 s and 1.01 s, s being 1 / 127 and 1 / 8 of the largest magnitude
 * and rounding; IQ4_NL and the K formats take the scales and minima that a search finds to make the sum of
 * squared errors small: 8, 28, 15, 7.5, 3.8 and 2 % of the root mean square of normal values for IQ4_NL and
 * Q2_K to Q6_K. Scales of half precision end at 65504 and have few digits below 6e-5. Values must be finite
 * as float32. False: an error, `out` all NULL. The caller owns the tensors (fx_quantized_free). Any thread.
 */
FX_API bool fx_quantize_tensor(const fx_tensor *values, const fx_quantize_options *options, fx_quantized *out,
                               fx_error *err);
/* Frees the tensors; NULL-safe, also inside. */
FX_API void fx_quantized_free(fx_quantized *quantized);

#ifdef __cplusplus
}
#endif
#endif
