/* SPDX-License-Identifier: Apache-2.0 */
/* What src/ops shows to the other folders: the one scalar meaning of each elementwise operation, used by
 * the interpreter and by exact constant folding. */
#ifndef FXI_OPS_H
#define FXI_OPS_H

#include "graph/graph.h"
#include <fluxion/ops.h>

/* ---- what builders are made of (builder.c), for composites of every folder ---- A builder begins with
 * fxi_build_begin and returns b.stop when that says no; messages begin with b.name, the public function the
 * user called. Composites check everything that can go wrong first, under their own name. */
typedef struct fxi_build {
    const char *name;
    fx_graph *graph; /* where new nodes go */
    fx_node
        *stop; /* what to return after a failure: the graph's inert node, or NULL when no graph is known */
} fxi_build;
bool fxi_build_begin(fxi_build *b, const char *name, fx_node *const *operands, size_t count);
/* The same for operands of different roles, which messages then name ("the weight", "indices"). */
bool fxi_build_begin_roles(fxi_build *b, const char *name, fx_node *const *operands, size_t count,
                           fxi_roles roles);
/* The same for builders that have a graph and no operands. */
bool fxi_build_begin_leaf(fxi_build *b, const char *name, fx_graph *graph);
/* Records "name: ..." and gives b->stop. */
fx_node *fxi_build_refuse(const fxi_build *b, fx_error_code code, const char *format, ...) FXI_PRINTF(3, 4);
/* A node under b's name; shape as in fxi_node_spec. */
fx_node *fxi_build_node(const fxi_build *b, fx_op op, fx_node *const *operands, size_t count,
                        const fxi_attr *attrs, size_t attr_count, const fx_shape *shape);
/* A node like n under b's name, with as many other operands, and attributes that replace those of the same
 * id. shape matters to the operations whose shape is given (fxi_node_spec). */
enum { FXI_MOST_ATTRS = 16 }; /* of a node */
fx_node *fxi_build_like(const fxi_build *b, const fx_node *n, fx_node *const *operands, const fxi_attr *attrs,
                        size_t attr_count, const fx_shape *shape);
/* What the caller's header knew of an options struct, which begins with its size; the rest is zero. */
void fxi_build_options(void *to, size_t bytes, const void *from);
/* The same of a struct that has had one form only: false, after refusing, for any size but that and 0. */
bool fxi_build_options_exact(const fxi_build *b, void *to, size_t bytes, const void *from);
/* A MAP node with the broadcasts that its operands need, begin included. At most
 * FXI_MAP_OPERANDS operands. */
fx_node *fxi_build_map(const char *name, fx_op op, fx_node *const *operands, size_t count,
                       const fxi_attr *attrs, size_t attr_count);
fx_node *fxi_build_compare(const char *name, fx_node *x, fx_node *y, fxi_direction direction,
                           bool total_order);
/* A scalar constant of that dtype under b's name, refused unless the dtype holds the number: integers and
 * bool exactly, floats after rounding, which must not make it infinite or NaN. */
fx_node *fxi_build_number(const fxi_build *b, fx_dtype dtype, double value);
/* fx_scalar of a number that needs no check, for nobody but the composite: hidden. */
fx_node *fxi_build_scalar(fx_graph *graph, fx_dtype dtype, double value);
fx_node *fxi_build_integer(const fxi_build *b, fx_dtype dtype, int64_t value);
/* False, after refusing, unless the dtype of x is one that `model` takes as operand 0. */
bool fxi_build_takes(const fxi_build *b, const fx_node *x, fx_op model);
/* x with its axis i as axis axes[i] of a result with these dimensions; x itself when nothing changes. */
fx_node *fxi_build_broadcast(const fxi_build *b, fx_node *x, const fx_shape *dims, fx_dims axes);
/* Normalised axes; the two functions refuse and return false when one is out of range or named twice. */
typedef struct fxi_axis_list {
    int64_t v[FX_MAX_RANK];
    size_t n;
} fxi_axis_list;
bool fxi_build_axis(const fxi_build *b, const fx_node *x, int64_t axis, int64_t *normalized);
bool fxi_build_axes(const fxi_build *b, const fx_node *x, fx_axes axes, fxi_axis_list *list);
/* The axes of a reduction: increasing, and all of them when none is named. */
bool fxi_build_reduced_axes(const fxi_build *b, const fx_node *x, fx_axes axes, fxi_axis_list *list);

/* ---- and what composites over rows are made of (composite.c) ---- */

/* As fxi_build_takes, but integers and bool are refused as having no `what`, with the advice to convert. */
bool fxi_build_floats(const fxi_build *b, const fx_node *x, const char *what, fx_op model);
/* False, after refusing, unless the dtypes are equal. */
bool fxi_build_same(const fxi_build *b, const fx_node *x, const fx_node *y);
/* Half types as float32, others as they are. */
fx_node *fxi_build_wide(fx_node *x);
/* Whether m, called `what`, can be broadcast over x, called `whose`, from the first axes on: each of its
 * dimensions is 1 or that of x; if not, refuses, saying which is neither. */
bool fxi_build_leading(const fxi_build *b, const char *what, const fx_shape *m, const char *whose,
                       const fx_shape *x);
/* A bool mask over x's dimensions, which begin with its own; refuses any other. */
fx_node *fxi_build_mask(const fxi_build *b, const fx_node *x, fx_node *mask);
/* What a caller's reducer made of x, with the list's axes at size 1; refuses a result of other dimensions. */
fx_node *fxi_build_keep(const fxi_build *b, const fx_node *x, fx_node *reduced, const fxi_axis_list *list);
/* A reduction over a list's axes, which stay with size 1; and one that removes them. */
fx_node *fxi_build_kept(const fxi_axis_list *list, fx_reducer reducer, fx_node *x);
fx_node *fxi_build_over(const fxi_axis_list *list, fx_reducer reducer, fx_node *x);
/* Runs a CUSTOM_CALL's function (custom.c); a failure carries the node's place. */
bool fxi_custom_run(const fx_node *node, const fx_tensor *const *inputs, fx_tensor *const *outputs,
                    fx_error *err);
/* A composite (named_composite.c) of `inputs`: the results of forward under a name, with numbers that the
 * name says the meaning of. backward, the derivative in reverse mode, or NULL: in[] holds the inputs, the
 * results and an adjoint for each result; out[i] is the adjoint of input i, NULL: zero. */
typedef struct fxi_composite {
    const char *name;
    const int64_t *settings;
    size_t n_settings;
    fx_fn forward, backward;
    void *user; /* handed to both */
} fxi_composite;
fx_node *fxi_build_composite(const fxi_build *b, const fxi_composite *c, fx_nodes inputs, size_t n_results);
/* A double among the settings: its bits. */
int64_t fxi_bits_of_double(double value);
double fxi_double_of_bits(int64_t bits);
/* The settings of fx.attention and fx.attention_grad, by place (nn/attention_internal.h). */
typedef enum fxi_attention_setting {
    FXI_ATTENTION_LAYOUT,     /* fx_attention_layout */
    FXI_ATTENTION_SCALE,      /* bits; never the 0 of an option */
    FXI_ATTENTION_CAUSAL,     /* 0 or 1 */
    FXI_ATTENTION_HAS_OFFSET, /* 0: number of keys - number of queries, valid ones where lengths are given */
    FXI_ATTENTION_OFFSET,     /* any value: to be added with care */
    FXI_ATTENTION_WINDOW,     /* 0: none; else key > query + offset - window, causal or not */
    FXI_ATTENTION_SOFTCAP,    /* bits; 0: none */
    FXI_ATTENTION_GIVEN,      /* bits 1 bias, 2 mask, 4 query lengths, 8 key lengths */
    FXI_ATTENTION_WANTS,      /* of the gradient, bits 1 the bias's, 2 the mask's */
    FXI_ATTENTION_SETTINGS
} fxi_attention_setting;
/* The number of rounds of a loop of n states that counts an integer from one constant to another; -1: it is
 * no such loop, or the counter would overflow (loop_count.c). */
int64_t fxi_loop_count(const fx_graph *condition, const fx_graph *body, fx_node *const *states, size_t n);
/* A scan without states over `inputs`, whose stacked results number n_results (control_flow.c). */
fx_node *fxi_build_scan(const char *name, fx_nodes inputs, int64_t length, size_t n_results, fx_fn body,
                        void *user);
/* collective.c, for backends that have one device, number 0: false, with the node's place, when a collective
 * needs others; true for any other node. What passes the check gives x, or zeros where the second says so. */
bool fxi_collective_check_alone(const fx_node *node, const char *backend, fx_error *err);
bool fxi_collective_is_zero_alone(const fx_node *node);
/* The same check for a program that runs as so many replicas of one partition each. */
bool fxi_collective_check(const fx_node *node, const char *backend, int64_t replicas, fx_error *err);
/* Whether it works within each replica, among its partitions. */
bool fxi_collective_of_partitions(const fx_node *node);
/* Writes the results of a node with n of them into results (NULL: nowhere) and gives the first. To be
 * called right after the node was made, so that fx_at gives all of them its place. */
fx_node *fxi_build_results(fx_node *first, fx_node **results, size_t n);

/* inline.c: a node like n of another graph on other operands, with n's place; RESULT nodes too. */
fx_node *fxi_inline_node(const fxi_build *b, const fx_node *n, fx_node *const *operands);
/* The nodes of a closure as nodes of b's graph. values: by id, given for its parameters at least; receives
 * the others, as far as `wanted` (by id; NULL: all) asks. False after refusing. */
/* Adds to the wanted nodes what they depend on. */
void fxi_inline_mark(const fx_graph *body, bool *wanted);
bool fxi_inline(const fxi_build *b, const fx_graph *body, const bool *wanted, fx_node **values);
/* A closure built in b's graph on its inputs; captured values are what was captured. */
bool fxi_inline_closure(const fxi_build *b, const fx_graph *body, fx_node *const *inputs, fx_node **outputs);

/* linear_algebra.c: false, after refusing, unless a is a matrix or batch of such of a dtype that
 * factorisations take. */
bool fxi_build_matrix(const fxi_build *b, const fx_node *a, bool square);
/* linear_composite.c: rows of x [..., n, m] in the order of a permutation [..., n], integers. */
fx_node *fxi_build_permute_rows(const fxi_build *b, fx_node *x, fx_node *permutation);
/* linear_algebra.c: the identity in every matrix of square a's shape. */
fx_node *fxi_build_identity(const fx_node *a);

/* Computes one element of a MAP node: operands as loaded by fxi_element_load in their dtypes, result ready
 * for fxi_element_store in the node's dtype (which does the one rounding of half types and float32). `node`
 * gives op, dtypes and attributes. */
fxi_scalar fxi_map_element(const fx_node *node, const fxi_scalar *operands);

/* One step of a reduction of that kind in dtype, and its neutral element. Sums of halves and float32 are
 * carried in the scalar's double. */
fxi_scalar fxi_reduce_combine(fxi_reduce_kind kind, fx_dtype dtype, fxi_scalar a, fxi_scalar b);
fxi_scalar fxi_reduce_neutral(fxi_reduce_kind kind, fx_dtype dtype);

#endif
