/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: typed n-d arrays, dense and row-major, reference counted.
 *
 * Ownership. A function that returns a tensor gives the caller one reference; fx_tensor_free drops one.
 * Threads. Reference counting is atomic; the contents are shared: who writes through fx_tensor_data must
 * be alone. */
#ifndef FLUXION_TENSOR_H
#define FLUXION_TENSOR_H

#include <fluxion/shape.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fx_tensor fx_tensor;

/* Values in the caller's memory: a nested C array, row-major. FX_HOST(&m[0][0], 2, 3) makes one for the
 * length of the expression; the dtype is that of the pointer. */
typedef struct fx_host {
    const void *data; /* may be NULL when the array has no elements */
    fx_dtype dtype;
    const int64_t *dims; /* `rank` of them */
    size_t rank;
} fx_host;

/* A vector of values: FX_VEC(double, 1.0, 2.0). */
typedef struct fx_vec {
    const void *data;
    size_t n;
    fx_dtype dtype;
} fx_vec;

/* Text of a tensor, cut with "..." where it would not fit. */
typedef struct fx_text {
    char s[256];
} fx_text;

/* A zeroed tensor. NULL: an invalid shape or no memory. */
FX_API fx_tensor *fx_tensor_new(const fx_shape *shape, fx_error *err);
/* Copies the caller's array. Sub-byte dtypes: `data` is packed as fx_dtype says. NULL: NULL data for a
 * non-empty array, an invalid dtype or dimension, or no memory. */
FX_API fx_tensor *fx_tensor_from(fx_host host, fx_error *err);
/* Copies fx_shape_bytes(shape) bytes from data. */
FX_API fx_tensor *fx_tensor_copy_from(const fx_shape *shape, const void *data, fx_error *err);
/* Copies an array with arbitrary byte strides (negative and zero allowed), one per axis; not for sub-byte
 * dtypes. data points at the element with all indices zero. */
FX_API fx_tensor *fx_tensor_copy_strided(const fx_shape *shape, const void *data, const int64_t *byte_strides,
                                         fx_error *err);
/* A scalar from a number, rounded or wrapped to the dtype as a conversion does. NULL: an invalid dtype or
 * no memory. */
FX_API fx_tensor *fx_tensor_scalar(fx_dtype dtype, double value, fx_error *err);
/* The same from an integer, exact for every integer dtype. */
FX_API fx_tensor *fx_tensor_scalar_int(fx_dtype dtype, int64_t value, fx_error *err);
/* Wraps the caller's memory without copying: it must hold fx_shape_bytes(shape) bytes, aligned to the
 * element, and stay valid until `release(data, user)` is called with the last reference (release may be
 * NULL). The library reads it and writes it only when the tensor is donated. Changes the caller makes are
 * seen by later calls. */
FX_API fx_tensor *fx_tensor_wrap(const fx_shape *shape, void *data, void (*release)(void *data, void *user),
                                 void *user, fx_error *err);
/* One more reference; gives back its argument. NULL-safe. */
FX_API fx_tensor *fx_tensor_ref(fx_tensor *tensor);
/* Drops one reference; NULL-safe. */
FX_API void fx_tensor_free(fx_tensor *tensor);

/* Shape, valid as long as the tensor; of NULL an invalid shape. */
FX_API const fx_shape *fx_tensor_shape(const fx_tensor *tensor);
/* Element type; FX_INVALID_DTYPE for NULL. */
FX_API fx_dtype fx_tensor_dtype(const fx_tensor *tensor);
/* Number of axes; 0 for NULL. */
FX_API int fx_tensor_rank(const fx_tensor *tensor);
/* Number of elements; -1 for NULL. */
FX_API int64_t fx_tensor_size(const fx_tensor *tensor);
/* Waits for the elements of a tensor that a device computes and brings them here, as the first function that
 * reads them would; this one says what went wrong. Tensors that are here already: true at once. False: NULL,
 * a donated tensor, the error of the call that computes it, no memory. Any thread. */
FX_API bool fx_tensor_fetch(const fx_tensor *tensor, fx_error *err);
/* The elements, in row-major order, valid as long as the tensor; NULL for NULL, for a donated tensor, and
 * when they cannot be fetched from a device. */
FX_API const void *fx_tensor_data(const fx_tensor *tensor);
/* The same for writing: the caller must be the only user of the tensor. NULL also when memory is shared
 * read-only. A tensor that came from a device leaves it: pointers from fx_tensor_data are no longer valid. */
FX_API void *fx_tensor_mutable_data(fx_tensor *tensor);
/* A part of a tensor on a device of the backend that made it. */
typedef struct fx_tensor_part {
    int64_t device; /* its number among the backend's, from 0 */
    fx_shape shape; /* of the part */
    int64_t starts[FX_MAX_RANK]; /* index of the part's first element in the tensor */
} fx_tensor_part;
/* How many devices have a part of the tensor, or all of it; 0: its elements are in ordinary memory only, or
 * it is NULL or was donated. Nothing is waited for. */
FX_API size_t fx_tensor_part_count(const fx_tensor *tensor);
/* Tells where part `number` lies; false: there are fewer, or a NULL. */
FX_API bool fx_tensor_part_at(const fx_tensor *tensor, size_t number, fx_tensor_part *part);
/* False once the tensor was donated to a call that took it over: it has no elements any more. False for
 * NULL. */
FX_API bool fx_tensor_is_valid(const fx_tensor *tensor);
/* Element number `index` in row-major order as a double (real part of a complex, bool as 0 or 1); NaN when
 * out of range or not to be had. */
FX_API double fx_tensor_get(const fx_tensor *tensor, int64_t index);
/* The same as an integer: floats truncate and saturate, NaN gives 0; 0 when out of range. */
FX_API int64_t fx_tensor_get_int(const fx_tensor *tensor, int64_t index);
/* Equal shapes and equal bits (padding bits of packed types aside). */
FX_API bool fx_tensor_equal(const fx_tensor *a, const fx_tensor *b);

typedef struct fx_format_options {
    size_t size;      /* sizeof(fx_format_options), or 0 */
    bool full;        /* every element; else an axis longer than 8 shows its first and last three */
    bool row_a_line;  /* a newline and indentation before each row of the innermost axis */
    int precision;    /* digits after the point for floats; 0: the fewest that read back the same value */
} fx_format_options;

/* "float64(5)", "[2]float32{1, 2}", "[2][3]int32{{1, 2, 3}, {4, 5, 6}}"; cut with "..." beyond 255
 * characters. */
FX_API fx_text fx_tensor_text(const fx_tensor *tensor);
/* All of the text into buffer (always terminated when size > 0); gives the length it needs without the
 * terminator, as snprintf does. options NULL: defaults. */
FX_API size_t fx_tensor_format(const fx_tensor *tensor, char *buffer, size_t size,
                               const fx_format_options *options);
/* All of the text and a newline to a stream. False when writing failed or memory ran out. */
FX_API bool fx_tensor_print(const fx_tensor *tensor, FILE *stream, const fx_format_options *options);

#ifdef __cplusplus
}
#endif
#endif
