/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of NumPy's formats share: headers, and arrays read from and written to anything. */
#ifndef FXI_NPY_H
#define FXI_NPY_H

#include "tensor/file.h"
#include <fluxion/npy.h>

/* What the header of an array says. */
typedef struct fxi_npy_header {
    fx_shape shape;
    int64_t bytes; /* of the elements in the file */
    bool swapped;  /* their bytes are in the other order */
    bool fortran;  /* the first axis varies fastest */
} fxi_npy_header;

/* Reads the literal behind magic and length; raw as in npy.h. */
bool fxi_npy_header_parse(fxi_npy_header *header, const char *text, size_t bytes, fx_dtype raw,
                          fx_error *err);
/* All bytes before the elements, padded so that these begin at a multiple of 64. */
void fxi_npy_header_add(fxi_text *text, const fx_shape *shape);

/* The bytes of one file in their order. */
typedef struct fxi_npy_source {
    bool (*read)(void *user, void *to, int64_t bytes, fx_error *err);
    void *user;
    int64_t left; /* bytes not yet read */
} fxi_npy_source;
/* Reads all of a source. NULL with an error. */
fx_tensor *fxi_npy_read(fxi_npy_source *source, fx_dtype raw, fx_error *err);

/* Receives the bytes of one file in their order. */
typedef bool (*fxi_npy_sink)(void *user, const void *bytes, int64_t n, fx_error *err);
bool fxi_npy_write(const fx_tensor *tensor, fxi_npy_sink sink, void *user, fx_error *err);
/* A sink on the caller's function. */
typedef struct fxi_npy_writer {
    fx_write_fn write;
    void *user;
} fxi_npy_writer;
bool fxi_npy_write_on(void *writer, const void *bytes, int64_t n, fx_error *err);
/* A sink on a descriptor (the address of an int). */
bool fxi_npy_write_file(void *descriptor, const void *bytes, int64_t n, fx_error *err);

/* Writes all of an archive. */
bool fxi_npz_write(const fx_params *params, bool deflated, fxi_npy_sink sink, void *user, fx_error *err);

#endif
