/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of quantization share. */
#ifndef FXI_QUANTIZE_INTERNAL_H
#define FXI_QUANTIZE_INTERNAL_H

#include "ops/ops.h"
#include <fluxion/quantize.h>

/* The 16 levels of NF4 and of IQ4_NL (quantize_blocks.c). */
extern const float fxi_nf4_levels[16];
extern const int8_t fxi_iq4_nl_levels[16];

/* A quantization that was checked against its weights, with nothing left to be resolved: block_axis is 0 or 1
 * and block_size at least 1 where there are blocks. */
typedef struct fxi_quantized_form {
    fx_quantization q;
    bool by_rows;         /* of the dequantized matrix, what lies in a row is summed: GGML */
    int64_t inputs, outputs; /* K, N */
} fxi_quantized_form;

/* False, after refusing under b's name. quantize_check.c */
bool fxi_quantization_check(const fxi_build *b, const fx_node *weights, const fx_quantization *q,
                            fxi_quantized_form *form);
/* The operands that a builder must check before anything else: in[0 .. n). quantization may be NULL. */
size_t fxi_quantization_nodes(const fx_quantization *q, fx_node **in);
/* The members that the caller's struct has. */
fx_quantization fxi_quantization_copy(const fx_quantization *q);

/* float32 of checked weights, scale and zero point; the graph is that of the weights. quantize_blocks.c has
 * the blocks of GGML: uint8 [..., bytes] as float32 [..., values]. */
fx_node *fxi_dequantize(fx_node *weights, const fxi_quantized_form *form);
fx_node *fxi_dequantize_blocks(fx_node *rows, fx_ggml_type type);

/* Packs a block of floats into zeroed bytes; NULL for no type. quantize_pack.c */
typedef void (*fxi_block_pack)(const float *x, uint8_t *to);
fxi_block_pack fxi_block_pack_of(fx_ggml_type type);
double fxi_round_even(double x);

#endif
