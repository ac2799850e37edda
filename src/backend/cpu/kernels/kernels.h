/* SPDX-License-Identifier: Apache-2.0 */
/* Library kernels: operations for which generated loops have nothing to add (searching, sorting, scattering), written in C and
 * run as steps of their own. All operands and the result are dense, row-major, in the compiler's memory form: bool a byte, 2- and
 * 4-bit integers a byte each (extended), complex interleaved. Work is cut into tasks of a size fixed by the shapes and handed to
 * the pool; results never depend on the number of threads. */
#ifndef FXI_KERNELS_H
#define FXI_KERNELS_H

#include "../jit/jit.h"
#include "base/pool.h"
#include "graph/graph.h"

typedef struct fxi_host_call {
    const fx_node *node;         /* shapes and attributes */
    const void *const *operands; /* node->operand_count of them */
    void *result;                /* does not overlap an operand, but may be operand 0 where the kernel says in_place */
    void *const *results;        /* all results of an operation with several; results[0] is result */
    void *workspace;             /* fxi_host_kernel.workspace bytes, 64-byte aligned */
    fxi_pool *pool;
    const void *state;           /* what prepare made, NULL without */
    uint32_t packed;             /* a bit per operand that is not extended, but packed as in a tensor */
    bool *failed;                /* set when memory ran out, or with another error in err */
    fx_error *err;
} fxi_host_call;

/* A kernel that needs generated code of its own (a matrix product) makes it in prepare, once per program: the state is then
 * read by any number of runs at once. */
typedef struct fxi_host_kernel {
    void (*run)(const fxi_host_call *call);
    int64_t (*workspace)(const fx_node *node); /* NULL: none is needed; -1: too large */
    void *(*prepare)(const fx_node *node, const fxi_target *target, fx_error *err); /* NULL: no state; NULL result: failed */
    void (*release)(void *state);                                                   /* with prepare; NULL-safe */
    /* with prepare, or NULL: its generated code, made in parallel with that of other steps before the first run */
    bool (*compile)(void *state, const fxi_target *target, fx_error *err);
    int64_t (*state_workspace)(const void *state); /* with prepare, instead of workspace */
    bool in_place; /* the result, of operand 0's shape, may take over its memory */
    /* A bit per operand of 2- or 4-bit integers that it takes packed too, if nobody else reads it; NULL: none. */
    uint32_t (*takes_packed)(const fx_node *node);
} fxi_host_kernel;

extern const fxi_host_kernel fxi_kernel_dynamic_slice, fxi_kernel_dynamic_update_slice, fxi_kernel_gather, fxi_kernel_scatter;

/* The kernel of an operation, NULL when it is generated instead. */
const fxi_host_kernel *fxi_host_kernel_of(fx_op op);

extern const fxi_host_kernel fxi_kernel_custom_call; /* kernel_custom.c */
extern const fxi_host_kernel fxi_kernel_cumulative; /* kernel_cumulative.c */
extern const fxi_host_kernel fxi_kernel_sort;       /* kernel_sort.c */
extern const fxi_host_kernel fxi_kernel_top_k;      /* kernel_top_k.c */
extern const fxi_host_kernel fxi_kernel_fft;        /* kernel_fft.c */
extern const fxi_host_kernel fxi_kernel_linalg;     /* kernel_linalg.c */
extern const fxi_host_kernel fxi_kernel_convolution; /* kernel_convolution.c */
extern const fxi_host_kernel fxi_kernel_barrier;     /* kernel_barrier.c */
extern const fxi_host_kernel fxi_kernel_permute;     /* kernel_permute.c: zeros */
extern const fxi_host_kernel fxi_kernel_reduce_window, fxi_kernel_select_and_scatter;

/* ---- composites (composite_kernels.c) ---- */

/* What this backend runs itself. A table ends with a row without a name. */
typedef struct fxi_composite_kernel {
    const char *name;
    /* Whether it takes a node of that name: by dtypes, shapes and settings, which passes do not change. */
    bool (*accepts)(const fx_node *node);
    const fxi_host_kernel *kernel;
} fxi_composite_kernel;
extern const fxi_composite_kernel fxi_composite_kernels[];

extern const fxi_host_kernel fxi_kernel_attention;      /* kernel_attention.c */
extern const fxi_host_kernel fxi_kernel_attention_grad; /* kernel_attention_grad.c */

/* The row of that name, NULL: there is none. */
const fxi_composite_kernel *fxi_composite_named(const fxi_composite_kernel *table, const char *name);
/* The kernel of a composite, NULL: its decomposition is to be run. */
const fxi_host_kernel *fxi_composite_kernel_of(const fxi_composite_kernel *table, const fx_node *node);

bool fxi_quantized_accepts(const fx_node *node); /* kernel_quantized.c: fx.quantized_dense */
extern const fxi_host_kernel fxi_kernel_quantized;

#endif
