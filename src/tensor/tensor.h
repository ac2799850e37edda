/* SPDX-License-Identifier: Apache-2.0 */
/* What src/tensor shows to the other folders: the inside of a tensor, the dtype table and element
 * conversion. */
#ifndef FXI_TENSOR_H
#define FXI_TENSOR_H

#include "base/base.h"
#include "base/pages.h"
#include <fluxion/params.h>
#include <fluxion/tensor.h>
#include <pthread.h>
#include <stdatomic.h>

/* Elements on a device: the head of what a backend keeps for a tensor that it made. The tensor has them only
 * there until somebody wants them here (device.c). */
typedef struct fxi_device_data fxi_device_data;
typedef struct fxi_host_view {
    void *data; /* not NULL */
    bool own;   /* an fxi_alloc_data block for the tensor; else memory that lives with the device data */
} fxi_host_view;
/* What one device has of a tensor. */
typedef struct fxi_device_part {
    int64_t device;
    const fx_shape *shape; /* NULL: all of it */
    const int64_t *starts; /* NULL: zeros */
} fxi_device_part;
typedef struct fxi_device_ops {
    /* Waits for the elements and makes them readable here. One thread at a time; again after a failure. */
    bool (*fetch)(fxi_device_data *data, const fx_shape *shape, fxi_host_view *view, fx_error *err);
    void (*release)(fxi_device_data *data); /* with the struct */
    /* Part number 0, 1, ... of those that devices have; false: there are fewer. NULL: one device has all. */
    bool (*part)(const fxi_device_data *data, size_t number, fxi_device_part *part);
} fxi_device_ops;
struct fxi_device_data {
    const fxi_device_ops *ops;
    pthread_mutex_t mutex; /* of fetching */
    atomic_bool here;      /* the tensor's data may be read */
    atomic_bool lent;      /* work on the device that may not be done yet reads it */
};

struct fx_tensor {
    atomic_int references;
    atomic_int in_use;     /* calls that read it now; donation is refused while > own use */
    atomic_bool donated;   /* its memory was taken over by a call */
    bool read_only;        /* memory belongs to somebody who forbids writing (constants) */
    fx_shape shape;
    int64_t bytes;         /* fx_shape_bytes */
    void *data;            /* NULL only when bytes is 0, donated, or on a device and not fetched */
    void (*release)(void *data, void *user); /* how data goes away; NULL: it does not */
    void *user;
    bool padded;           /* data is 64-byte aligned and readable/writable up to a multiple of 64 bytes */
    fxi_device_data *device; /* NULL: the elements are in `data` alone; owned; changed by an only user */
};

/* An uninitialised tensor, memory from `pages` (or from the plain allocator when NULL); always padded. */
fx_tensor *fxi_tensor_new_from(fxi_pages *pages, const fx_shape *shape, fx_error *err);
/* A tensor over given memory that `release` (NULL allowed) gives back; padded says what the caller knows. */
fx_tensor *fxi_tensor_over(const fx_shape *shape, void *data, void (*release)(void *, void *), void *user,
                           bool padded, fx_error *err);

/* ---- on a device (device.c) ---- */
/* Sets up the head of device data, not lent and not here. False: no memory. */
bool fxi_device_data_init(fxi_device_data *device, const fxi_device_ops *ops, fx_error *err);
/* What init took; called by `release`. */
void fxi_device_data_close(fxi_device_data *device);
/* A tensor whose elements are there; takes the device data over, on success only. */
fx_tensor *fxi_tensor_on_device(const fx_shape *shape, fxi_device_data *device, fx_error *err);
/* Whether `data` may be read. */
static inline bool fxi_tensor_is_here(const fx_tensor *tensor) {
    return !tensor->device || atomic_load_explicit(&tensor->device->here, memory_order_acquire);
}
/* Makes an only user's tensor one without device data, whose `data` may be written and given away. */
bool fxi_tensor_settle(fx_tensor *tensor, fx_error *err);
/* Gives an only user's contents back; data and device are NULL then. */
void fxi_tensor_drop(fx_tensor *tensor);
/* Whether the contents went away, to a call that they were donated to or by fxi_tensor_drop. */
static inline bool fxi_tensor_is_gone(const fx_tensor *tensor) {
    return !tensor->data && !tensor->device && tensor->bytes > 0;
}

/* Whether several elements share a byte. */
static inline bool fxi_dtype_is_packed(fx_dtype dtype) {
    return fx_dtype_bits(dtype) < 8;
}

/* ---- dtype table (dtype.c) ---- */
typedef enum fxi_kind {
    FXI_KIND_NONE,
    FXI_KIND_BOOL,
    FXI_KIND_SIGNED,
    FXI_KIND_UNSIGNED,
    FXI_KIND_FLOAT,
    FXI_KIND_COMPLEX
} fxi_kind;
typedef struct fxi_dtype_info {
    const char *name;      /* "float32" */
    const char *hlo;       /* "f32" */
    fxi_kind kind;
    int bits;              /* of one element in a tensor */
    fx_dtype real;         /* component of complex types, else itself */
} fxi_dtype_info;
const fxi_dtype_info *fxi_dtype_info_of(fx_dtype dtype); /* a row of zeros for an invalid dtype, never NULL */

/* ---- one element of any dtype (convert.c) ----
 * Integers and bool are exact in `i` (two's complement; unsigned 64-bit as the same bits); floats and
 * complex in re, im. */
typedef struct fxi_scalar {
    int64_t i;
    double re, im;
} fxi_scalar;
fxi_scalar fxi_element_load(fx_dtype dtype, const void *data, int64_t index);
/* rounds / wraps to the dtype */
void fxi_element_store(fx_dtype dtype, void *data, int64_t index, fxi_scalar value);
/* One conversion by the rules of spec "Semantics": float -> int truncates and saturates, NaN -> 0; int ->
 * int wraps; to bool: x != 0; complex -> real takes the real part; floats round once. `to` form is ready
 * for fxi_element_store. */
fxi_scalar fxi_scalar_convert(fxi_scalar value, fx_dtype from, fx_dtype to);
/* Smallest and largest value of a dtype (-Inf/+Inf for floats), for empty reductions and padding. */
fxi_scalar fxi_dtype_lowest(fx_dtype dtype);
fxi_scalar fxi_dtype_highest(fx_dtype dtype);
/* The dtype of numbers that count so many things: int32 while they fit. */
static inline fx_dtype fxi_dtype_of_count(int64_t count) {
    return count <= INT32_MAX ? FX_S32 : FX_S64;
}

/* Sub-byte dtypes: between packed tensors and one byte per element (sign- or zero-extended). */
void fxi_unpack(fx_dtype dtype, const void *packed, int64_t count, void *bytes);
/* unused bits of the last byte are 0 */
void fxi_pack(fx_dtype dtype, const void *bytes, int64_t count, void *packed);

/* ---- shapes (shape.c) ---- */
fx_shape fxi_shape_scalar(fx_dtype dtype);
void fxi_shape_strides(const fx_shape *shape, int64_t strides[FX_MAX_RANK]); /* row-major, in elements */
/* What is wrong with a shape that is not valid, as what follows "the shape": "has -3 for dimension 1". */
typedef struct fxi_shape_fault {
    fx_error_code code;
    char text[448];
} fxi_shape_fault;
fxi_shape_fault fxi_shape_fault_of(const fx_shape *shape);
/* Normalises a negative axis; -1 if out of range. */
int fxi_axis_normalize(int64_t axis, int rank);

/* ---- text (print.c) ---- */
void fxi_shape_add_text(fxi_text *text, const fx_shape *shape);
void fxi_tensor_add_text(fxi_text *text, const fx_tensor *tensor, const fx_format_options *options);

/* ---- maps from names to tensors or nodes (params_map.c) ---- */
enum { FXI_MOST_NAME = 4095 }; /* bytes of a name */
typedef struct fxi_param {
    char *name;
    uint64_t hash;
    size_t index;      /* in the map's order */
    fx_tensor *tensor; /* referenced; NULL in a map of nodes, and in a list of names */
    fx_node *node;     /* of the map's graph; NULL in a map of tensors */
    char *text;        /* owned: the value of metadata */
} fxi_param;
/* Entries in their order and by name. */
typedef struct fxi_names {
    FXI_VEC(fxi_param *) list;
    fxi_map by_name;
} fxi_names;
struct fx_params {
    fxi_names entries, metadata;
    fx_graph *graph;  /* of a map of nodes; NULL: a map of tensors */
    fxi_arena spans;  /* of nodes, given to the graph function */
};
/* NULL: there is none. */
fxi_param *fxi_names_find(const fxi_names *names, const char *name);
/* The entry of that name, made as the last one without a value when there is none. NULL: no memory. */
fxi_param *fxi_names_add(fxi_names *names, const char *name);
void fxi_names_free(fxi_names *names); /* with what the entries hold */
/* Whether the same names stand in the same order. */
bool fxi_names_equal(const fxi_names *a, const fxi_names *b);
static inline bool fxi_text_begins(const char *text, const char *prefix) {
    while (*prefix && *text == *prefix) text++, prefix++;
    return !*prefix;
}
/* 1 to FXI_MOST_NAME bytes of UTF-8; what else it is for messages, NULL: it is a name. */
const char *fxi_name_fault(const char *name);
/* Whether so many bytes are UTF-8 by RFC 3629. */
bool fxi_utf8_is_valid(const char *text, size_t bytes);
/* How many of the first bytes are. */
size_t fxi_utf8_valid_length(const char *text, size_t bytes);

/* Index of the first element that is NaN or has a NaN part; -1: none, or a dtype without. */
int64_t fxi_tensor_find_nan(const fx_tensor *tensor);

#endif
