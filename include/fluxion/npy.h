/* SPDX-License-Identifier: Apache-2.0 */
/* Files of NumPy: .npy, one array, and .npz, a zip archive of named ones.
 *
 * Files are hostile until they were checked: headers that are no plain literal of the three known keys,
 * more than 16 dimensions, sizes that overflow or do not fit the file, bytes after the end, bool bytes that
 * are neither 0 nor 1; archives that are damaged, encrypted or packed by other means than deflate, members
 * whose sum of bits is wrong, that share bytes, that grow beyond what deflate can do, or whose names occur
 * twice, are errors (FX_ERROR_FILE). Nothing is allocated that the file cannot hold, and no name becomes a
 * path.
 *
 * Versions 1 to 3, either order of bytes, arrays in Fortran order (transposed while reading). dtypes: bool,
 * 8- to 64-bit integers, float16 to float64, complex64, complex128; objects, text, dates, long doubles and
 * structures are refused. bfloat16, float8 and packed integers are types that NumPy itself does not have:
 * files hold them as raw elements of 1 or 2 bytes ('V1', 'V2'; packed integers one to a byte) without
 * saying which they are. So the functions below take `raw`, the dtype of such elements; FX_INVALID_DTYPE:
 * they are an error. float8_e5m2 as the Python package ml_dtypes writes it ('f1') and dtypes by our names
 * are read too.
 *
 * Messages begin with the function called and the path. Threads: any; an open archive may be read by any
 * number of them at once. */
#ifndef FLUXION_NPY_H
#define FLUXION_NPY_H

#include <fluxion/params.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- .npy ---- */

/* The array of a file: a new tensor, which the caller frees. NULL: no such file, one that is damaged or of a
 * dtype that there is not, or no memory. */
FX_API fx_tensor *fx_npy_load(const char *path, fx_dtype raw, fx_error *err);
/* The same of the bytes of a file in the caller's memory; data may be NULL when size is 0. */
FX_API fx_tensor *fx_npy_read(const void *data, size_t size, fx_dtype raw, fx_error *err);
/* Writes a file that appears as a whole, as fx_safetensors_save does. False: a NULL, a tensor without
 * contents, a path where something other than a plain file lies, whatever the system says, or no memory. */
FX_API bool fx_npy_save(const fx_tensor *tensor, const char *path, fx_error *err);
/* Gives the bytes of such a file to `write`, piece by piece in order, until it returns false. */
FX_API bool fx_npy_write(const fx_tensor *tensor, fx_write_fn write, void *user, fx_error *err);

/* ---- .npz ---- */

/* All arrays of an archive: a map of tensors in the order of its directory. NULL: as above, and a name that
 * is none of params.h. A member `x.npy` is called x; folders are left out; any other member has to be an
 * array too. */
FX_API fx_params *fx_npz_load(const char *path, fx_dtype raw, fx_error *err);
/* Writes all entries of a map of tensors, each as the member NAME.npy, deflated or not; metadata is not of
 * the format and is left out. The file appears as a whole; the same map gives the same bytes. False: as
 * fx_npy_save, a map of nodes, or a name of more than 4091 bytes. */
FX_API bool fx_npz_save(const fx_params *params, const char *path, bool deflated, fx_error *err);
/* Gives the bytes of such a file to `write`, piece by piece in order, until it returns false. */
FX_API bool fx_npz_write(const fx_params *params, bool deflated, fx_write_fn write, void *user,
                         fx_error *err);

/* An archive whose directory was read and checked, to look into or to read one array at a time. */
typedef struct fx_npz fx_npz;

/* Opens a file, which is not to change until it is closed. NULL as above. */
FX_API fx_npz *fx_npz_open(const char *path, fx_error *err);
/* The same of the bytes of a file in the caller's memory, which stays until it is closed. */
FX_API fx_npz *fx_npz_open_memory(const void *data, size_t size, fx_error *err);
/* Closes it. NULL-safe. */
FX_API void fx_npz_close(fx_npz *file);
/* Number of arrays; 0 for NULL. */
FX_API size_t fx_npz_count(const fx_npz *file);
/* Name of array i, valid until the file is closed; NULL when there is none. */
FX_API const char *fx_npz_name(const fx_npz *file, size_t i);
/* Number of the array of that name; -1: none, or a NULL. */
FX_API int64_t fx_npz_find(const fx_npz *file, const char *name);
/* Reads array i: a new tensor, which the caller frees. NULL: there is none, it is damaged, or no memory. */
FX_API fx_tensor *fx_npz_read(const fx_npz *file, size_t i, fx_dtype raw, fx_error *err);

#ifdef __cplusplus
}
#endif
#endif
