/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the interpreter share: the signature of a node's evaluation and the walk over an index
 * space. */
#ifndef FXI_INTERP_INTERNAL_H
#define FXI_INTERP_INTERNAL_H

#include "backend/backend.h"

/* Writes every element of `result` (allocated, packed dtypes zeroed) from the operands, which are never
 * modified. False with the error when memory runs out. */
typedef bool (*fxi_interp_fn)(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                              fx_error *err);

/* Evaluation of a node with several results or with closures: every result is allocated, packed dtypes zeroed. */
typedef struct fxi_interp_call {
    const fx_node *node;
    fx_tensor *const *operands;
    fx_tensor **results;           /* fxi_node_results(node) of them */
    struct fxi_interp_run *run;    /* for fxi_interp_run_body */
} fxi_interp_call;
typedef bool (*fxi_interp_many_fn)(const fxi_interp_call *call, fx_error *err);
/* Runs closure `body` of the call's node. Inputs: one per parameter; outputs: NULL on entry, new tensors, the
 * caller's, afterwards (still NULL after a failure). */
bool fxi_interp_run_body(const fxi_interp_call *call, size_t body, fx_tensor *const *inputs, fx_tensor **outputs,
                         fx_error *err);

bool fxi_interp_while(const fxi_interp_call *call, fx_error *err);
bool fxi_interp_composite(const fxi_interp_call *call, fx_error *err);
bool fxi_interp_if(const fxi_interp_call *call, fx_error *err);
bool fxi_interp_custom_call(const fxi_interp_call *call, fx_error *err);
bool fxi_interp_scan(const fxi_interp_call *call, fx_error *err);
bool fxi_interp_sort(const fxi_interp_call *call, fx_error *err);
bool fxi_interp_sort_by(const fxi_interp_call *call, fx_error *err);
bool fxi_interp_top_k(const fxi_interp_call *call, fx_error *err);
bool fxi_interp_linalg_many(const fxi_interp_call *call, fx_error *err);

/* interp_nan.c: false, with an error that names the node, when it made a NaN of operands without. */
bool fxi_interp_check_nan(const fx_node *node, fx_tensor *const *values, fx_tensor *const *more,
                          fx_error *err);
bool fxi_interp_map(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_iota(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_same_bytes(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_view(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_concatenate(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                            fx_error *err);
bool fxi_interp_reduce(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_arg_reduce(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_dot_general(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                            fx_error *err);

bool fxi_interp_convolution(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                            fx_error *err);

bool fxi_interp_cumulative(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                           fx_error *err);
bool fxi_interp_reduce_window(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_select_and_scatter(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_pad(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_dynamic_slice(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                              fx_error *err);
bool fxi_interp_dynamic_update_slice(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                                     fx_error *err);
bool fxi_interp_barrier(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_collective(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_device_id(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
/* ---- replicas (interp_replicas.c, interp_exchange.c) ---- */

/* One of several runs of a program at the same time, each on a thread of its own. */
typedef struct fxi_interp_replica {
    struct fxi_interp_team *team;
    size_t number;
} fxi_interp_replica;
typedef struct fxi_interp_team_args {
    const void *program; /* of the interpreter */
    size_t replicas, n_in, n_out;
    const fxi_run_args *args; /* inputs and outputs of all replicas, one after the other */
} fxi_interp_team_args;
/* Runs them all; on failure all outputs are NULL, and the error is that of the replica that failed first. */
bool fxi_interp_run_team(const fxi_interp_team_args *args, fx_error *err);
/* Runs a program as a replica, or (NULL) alone. */
bool fxi_interp_run_replica(const void *program, const fxi_run_args *args, fxi_interp_replica *replica,
                            fx_error *err);
/* Whether a node's value depends on the replica, or on other replicas. */
bool fxi_interp_is_of_replicas(const fx_node *node);
/* Evaluates such a node: waits until all replicas are there. */
bool fxi_interp_exchange(fxi_interp_replica *replica, const fx_node *node, fx_tensor *const *operands,
                         fx_tensor *result, fx_error *err);
/* One replica's result of what all have. */
void fxi_interp_exchange_values(const fx_node *node, size_t replicas, size_t number,
                                fx_tensor *const *operands, fx_tensor *result);
/* Around calls of the log callback, which replicas make one at a time. */
void fxi_interp_log_begin(fxi_interp_replica *replica);
void fxi_interp_log_end(fxi_interp_replica *replica);
bool fxi_interp_gather(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_scatter(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_fft(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);
bool fxi_interp_linalg(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err);

/* ---- sums of products (interp_dot.c) ---- */

/* Elements of x as doubles (two of a complex one) or int64, followed by some zeros; NULL: out of memory. */
void *fxi_interp_widen(const fx_tensor *x, int64_t zeros);
const void *fxi_interp_element(const void *values, int64_t offset, fx_dtype carrier);
/* sum of x[x_at[k]] * y[y_at[k]], of widened elements. */
typedef struct fxi_interp_terms {
    const void *x, *y;
    const int64_t *x_at, *y_at;
    int64_t n;
} fxi_interp_terms;
typedef fxi_scalar (*fxi_interp_sum)(const fxi_interp_terms *terms);
/* The sum for operands of a dtype, and the dtype whose form its results have. */
fxi_interp_sum fxi_interp_sum_of(fx_dtype dtype, fx_dtype *carrier);

/* Walks an index space in row-major order and keeps the element offset that belongs to the index. After
 * the last element it is back at the first. Zero-initialise and add axes from the outermost on. */
typedef struct fxi_interp_cursor {
    int rank;
    int64_t offset;
    int64_t dims[FX_MAX_RANK], strides[FX_MAX_RANK], index[FX_MAX_RANK];
} fxi_interp_cursor;

static inline void fxi_interp_add_axis(fxi_interp_cursor *cursor, int64_t dim, int64_t stride) {
    cursor->dims[cursor->rank] = dim;
    cursor->strides[cursor->rank++] = stride;
}

static inline void fxi_interp_advance(fxi_interp_cursor *cursor) {
    for (int axis = cursor->rank - 1; axis >= 0; axis--) {
        cursor->offset += cursor->strides[axis];
        if (++cursor->index[axis] < cursor->dims[axis]) return;
        cursor->offset -= cursor->strides[axis] * cursor->dims[axis];
        cursor->index[axis] = 0;
    }
}

/* Elements of the space. Without a 0 among them, axes of an existing tensor have a product that fits. */
static inline int64_t fxi_interp_size(const fxi_interp_cursor *cursor) {
    int64_t size = 1;
    for (int axis = 0; axis < cursor->rank; axis++)
        if (cursor->dims[axis] == 0) return 0;
    for (int axis = 0; axis < cursor->rank; axis++) size *= cursor->dims[axis];
    return size;
}

#endif
