/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes: an element type and dimensions, a plain value without owner. */
#ifndef FLUXION_SHAPE_H
#define FLUXION_SHAPE_H

#include <fluxion/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FX_MAX_RANK 16

/* Rank 0 is a scalar. Dimensions are >= 0; zero is legal everywhere. Members beyond `rank` are 0. */
typedef struct fx_shape {
    fx_dtype dtype;
    int rank;
    int64_t dims[FX_MAX_RANK];
} fx_shape;

/* Room for the text of any shape, terminator included. */
typedef struct fx_shape_text {
    char s[400];
} fx_shape_text;

/* A shape from `rank` dimensions (copied; dims may be NULL when rank is 0). When rank > FX_MAX_RANK, a
 * dimension is negative or the dtype is none, the result has dtype FX_INVALID_DTYPE, and whoever is given
 * it says what is wrong: it keeps the dimensions, or where they are too many or NULL the negated rank.
 * FX_SHAPE(FX_F32, 2, 3) is the short form. Any thread, as all functions of this header. */
FX_API fx_shape fx_shape_make(fx_dtype dtype, const int64_t *dims, size_t rank);
/* Valid dtype, rank and dimensions, and the number of bytes fits into 63 bits. False for NULL. */
FX_API bool fx_shape_is_valid(const fx_shape *shape);
/* Same dtype, rank and dimensions. */
FX_API bool fx_shape_equal(const fx_shape *a, const fx_shape *b);
/* Same rank and dimensions, whatever the dtypes. */
FX_API bool fx_shape_equal_dims(const fx_shape *a, const fx_shape *b);
/* Number of elements: the product of the dimensions, 1 for a scalar; -1 if it does not fit into 63 bits or
 * shape is NULL. */
FX_API int64_t fx_shape_size(const fx_shape *shape);
/* ceil(size * bits / 8); -1 if it does not fit or the shape is invalid. */
FX_API int64_t fx_shape_bytes(const fx_shape *shape);
/* Dimension of an axis; negative axes count from the end; -1 if the axis is out of range. */
FX_API int64_t fx_shape_dim(const fx_shape *shape, int axis);
/* "(float32)[2, 3]", a scalar as "(float32)". */
FX_API fx_shape_text fx_shape_to_text(const fx_shape *shape);

#ifdef __cplusplus
}
#endif
#endif
