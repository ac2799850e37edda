/* SPDX-License-Identifier: Apache-2.0 */
/* Files of named tensors in the safetensors format, which Python's packages read and write too: eight bytes
 * with the length of a header, the header as JSON (names, dtypes, shapes, places, and metadata: text by
 * text), then the elements of each tensor, little-endian and without gaps.
 *
 * Files are hostile until they were checked: lengths, places and shapes that do not fit each other or the
 * file, overlaps, gaps, bytes after the end, names that occur twice, text that is not UTF-8, and bool bytes
 * that are neither 0 nor 1 are errors (FX_ERROR_FILE); nothing is allocated that the file does not hold. So
 * is a header over 100,000,000 bytes, when reading and when writing. A name is one of params.h. dtypes: bool,
 * 8- to 64-bit integers, all floats, complex64; complex128 and packed integers are not of the format: the
 * latter are saved as bytes, [..., 2] of 4 bits or [..., 4] of 2 by fx_bitcast to uint8, and back after
 * loading. Messages begin with the function called and the path.
 * Threads: any; an open file may be read by any number of them at once. */
#ifndef FLUXION_SAFETENSORS_H
#define FLUXION_SAFETENSORS_H

#include <fluxion/params.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes all entries and the metadata of a map of tensors. The file appears as a whole: it is written beside
 * `path` under another name, given to the disk, and then takes the place of what was there; after a failure
 * that is still there, untouched, and nothing else is. The same map gives the same bytes. Elements are
 * written from where they lie. False: a NULL, a map of nodes, a tensor without contents or of a dtype that
 * the format does not have, a path where something other than a plain file lies, a header over its limit,
 * whatever the system says, or no memory. A symbolic link is replaced, not followed. */
FX_API bool fx_safetensors_save(const fx_params *params, const char *path, fx_error *err);
/* The same of n tensors under n names, without metadata. */
FX_API bool fx_safetensors_save_list(const char *const *names, fx_tensor *const *tensors, size_t n,
                                     const char *path, fx_error *err);
/* All of a file: a map with its tensors, in the order of the header (that of the map saved), and its
 * metadata. NULL: no such file, one that is damaged, or no memory. */
FX_API fx_params *fx_safetensors_load(const char *path, fx_error *err);

/* A file whose header was read and checked, to look into or to read one tensor at a time. */
typedef struct fx_safetensors fx_safetensors;

/* Opens a file, which is not to change until it is closed. NULL as above. */
FX_API fx_safetensors *fx_safetensors_open(const char *path, fx_error *err);
/* The same of the bytes of a file in the caller's memory, which stays until it is closed. data may be NULL
 * when size is 0, and is then damaged. */
FX_API fx_safetensors *fx_safetensors_open_memory(const void *data, size_t size, fx_error *err);
/* Closes it. NULL-safe. */
FX_API void fx_safetensors_close(fx_safetensors *file);
/* Number of tensors; 0 for NULL. */
FX_API size_t fx_safetensors_count(const fx_safetensors *file);
/* Name of tensor i, valid until the file is closed; NULL when there is none. */
FX_API const char *fx_safetensors_name(const fx_safetensors *file, size_t i);
/* Number of the tensor of that name; -1: none, or a NULL. */
FX_API int64_t fx_safetensors_find(const fx_safetensors *file, const char *name);
/* Shape of tensor i, valid until the file is closed; NULL when there is none. */
FX_API const fx_shape *fx_safetensors_shape(const fx_safetensors *file, size_t i);
/* Reads tensor i: a new tensor, which the caller frees. NULL: there is none, the file has become shorter, or
 * no memory. */
FX_API fx_tensor *fx_safetensors_read(const fx_safetensors *file, size_t i, fx_error *err);
/* Value of a key of the metadata, valid until the file is closed; NULL: there is none. */
FX_API const char *fx_safetensors_metadata(const fx_safetensors *file, const char *key);
/* Key number i of the metadata; NULL: there are no more. */
FX_API const char *fx_safetensors_metadata_key(const fx_safetensors *file, size_t i);

#ifdef __cplusplus
}
#endif
#endif
