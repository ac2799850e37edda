/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the safetensors format share: the names of dtypes, the limit of a header, the JSON
 * library's allocator. */
#ifndef FXI_SAFETENSORS_H
#define FXI_SAFETENSORS_H

#include "tensor/file.h"
#include <fluxion/safetensors.h>
#include <yyjson.h>

enum { FXI_MOST_HEADER = 100000000 };
#define FXI_METADATA_KEY "__metadata__"

typedef struct fxi_file_tensor {
    fx_shape shape;
    int64_t begin, end; /* behind the header */
} fxi_file_tensor;

/* What a header says. */
typedef struct fxi_file_header {
    fx_params *names; /* entries without values in the order of `tensors`, and the metadata */
    FXI_VEC(fxi_file_tensor) tensors;
} fxi_file_header;

/* "F32" for float32; NULL: the format has no such dtype. */
const char *fxi_file_dtype_name(fx_dtype dtype);
/* FX_INVALID_DTYPE for an unknown name. */
fx_dtype fxi_file_dtype_of(const char *name);
/* The JSON library's memory from our allocator. */
yyjson_alc fxi_json_memory(void);

/* Reads and checks a header of so many bytes, which it changes; behind them are YYJSON_PADDING_SIZE more.
 * `header` is to be freed after failures too. */
bool fxi_file_header_parse(fxi_file_header *header, char *json, size_t bytes, int64_t data_bytes,
                           fx_error *err);
void fxi_file_header_free(fxi_file_header *header);

/* Writes a file of these contents to an open descriptor, which is not closed. */
bool fxi_safetensors_write(int descriptor, const fx_params *params, fx_error *err);

#endif
