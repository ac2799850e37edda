/* SPDX-License-Identifier: Apache-2.0 */
/* Products with quantized matrices: what the kernel and its vector code share.
 *
 * A quantized matrix lies row by row; a row has `along` values in groups of 32, which are taken apart in
 * registers. Both products are wanted: DOT sums along the rows (a result per row), STREAM sums over the rows
 * (a result per place along them). With few rows of x the vector code does either with the packed weights;
 * with many it only turns parts of the matrix into float32, which GEMM packs into its panels. A weight's
 * float32 value has the bits of fx_dequantize.
 *
 * Orders of summation: DOT adds the 16 values of each half of a group to 16 lanes, which are summed at the
 * end; STREAM adds row after row within chunks of fixed size, and chunk after chunk. Each product is fused
 * with its sum. Nothing depends on the number of threads, the instruction set or the other rows of x. */
#ifndef FXI_QUANTIZED_H
#define FXI_QUANTIZED_H

#include "base/base.h"

enum { FXI_QUANTIZED_GROUP = 32, FXI_QUANTIZED_MOST = 8 /* rows of x that the vector code takes */ };

typedef enum fxi_quantized_type {
    FXI_QUANTIZED_LINEAR, /* NF4 too */
    FXI_QUANTIZED_Q4_0,
    FXI_QUANTIZED_Q8_0,
    FXI_QUANTIZED_IQ4_NL,
    FXI_QUANTIZED_Q2_K,
    FXI_QUANTIZED_Q3_K,
    FXI_QUANTIZED_Q4_K,
    FXI_QUANTIZED_Q5_K,
    FXI_QUANTIZED_Q6_K,
    FXI_QUANTIZED_TYPES
} fxi_quantized_type;

/* Integers of LINEAR in memory. */
typedef enum fxi_quantized_bits {
    FXI_QUANTIZED_S8,
    FXI_QUANTIZED_U8,
    FXI_QUANTIZED_S4, /* two to a byte; along is even */
    FXI_QUANTIZED_U4
} fxi_quantized_bits;

typedef struct fxi_quantized {
    fxi_quantized_type type;
    int64_t rows, along, row_bytes;
    const uint8_t *weights;
    /* LINEAR */
    fxi_quantized_bits bits;
    bool nf4;
    bool down;          /* blocks are of rows: a scale for each place along them */
    int64_t block_size; /* along the rows, or of rows */
    int64_t blocks;     /* scales in a row of them */
    const float *scale, *zero; /* zero: NULL without */
} fxi_quantized;

/* A product of few rows of x. DOT: x [m, along], y [m, rows]; STREAM: x [m, rows], y [m, whole groups]. */
typedef struct fxi_quantized_job {
    const fxi_quantized *w;
    const float *x;
    float *y;
    int64_t x_row, y_row; /* elements from row to row */
    int m;                /* 1, 4 or 8 */
} fxi_quantized_job;

/* The vector code of an instruction set, by type. */
typedef struct fxi_quantized_lanes {
    /* Writes results [first, last). */
    void (*dot[FXI_QUANTIZED_TYPES])(const fxi_quantized_job *job, int64_t first, int64_t last);
    /* Sums rows [first, last) for the groups [group, end), whole blocks, written over what y holds. */
    void (*stream[FXI_QUANTIZED_TYPES])(const fxi_quantized_job *job, int64_t first, int64_t last,
                                        int64_t group, int64_t end);
    /* Values [at, at + count) of a row. */
    void (*store[FXI_QUANTIZED_TYPES])(const fxi_quantized *w, int64_t row, int64_t at, int64_t count,
                                       float *to);
} fxi_quantized_lanes;
extern const fxi_quantized_lanes fxi_quantized_avx2, fxi_quantized_avx512;

#endif
