/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the writer share. write.c writes functions and regions; write_op.c one operation in
 * generic form, piece by piece; write_table.c says which emitter writes which operation; emitters are in the
 * file of their family.
 *
 * Values are numbered through a function, its regions included, so names are unique wherever MLIR looks, and
 * a region names what it captures of enclosing graphs by the name that it has there. An emitter that writes
 * an operation of several results gives the node the name of the first; RESULT nodes are names and no text.
 *
 * Failures: memory for text is lost silently and noticed at the end (fxi_text); anything else sets `failed`,
 * with the error, and stops the walk. */
#ifndef FXI_WRITE_H
#define FXI_WRITE_H

#include "ops/ops.h"
#include "stablehlo/stablehlo.h"

/* A name: %number, or %number#result of an operation with several results (result < 0: with one). */
typedef struct fxi_write_value {
    int64_t number;
    int64_t result;
} fxi_write_value;

/* An operand: what its name is and its shape, which types are written from. */
typedef struct fxi_write_operand {
    fxi_write_value value;
    fx_shape shape;
} fxi_write_operand;

/* The graph that is being written: main, a function or a region. */
typedef struct fxi_write_scope {
    const fx_graph *graph;
    fxi_write_value *values; /* by node id */
} fxi_write_scope;

/* A function of the module beside main. */
typedef struct fxi_write_function {
    const fx_node *node; /* the first that calls it: a composite, or a node that is lowered to a function */
    fx_graph *graph;     /* owned; as it will be written */
    uint64_t hash;
} fxi_write_function;

typedef struct fxi_writer {
    const char *name; /* begins messages */
    const fxi_stablehlo_options *options;
    fxi_text *text;
    fx_error *err;
    bool failed;
    fxi_text attrs;      /* of the operation that is to be written next */
    int64_t next;        /* number of the next value of this function */
    int depth;           /* of indentation */
    const fx_node *node; /* whose place operations get; NULL: none */
    FXI_VEC(fxi_write_function) functions;
    fxi_shardings shardings; /* of the whole program */
    FXI_VEC(fx_graph *) graphs; /* that lowering made, freed at the end: functions hold nodes of them */
} fxi_writer;

/* Writes the operations of a node and names its results. */
typedef void (*fxi_write_fn)(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
/* write_table.c: NULL for an operation that is always lowered. */
fxi_write_fn fxi_write_emitter(fx_op op);

/* ---- pieces (write_op.c) ---- */
/* Records FX_ERROR_UNSUPPORTED "name: text" with the place of w->node. */
void fxi_write_refuse(fxi_writer *w, const char *format, ...) FXI_PRINTF(2, 3);
void fxi_write_no_memory(fxi_writer *w);
void fxi_write_type(fxi_text *text, const fx_shape *shape); /* tensor<2x3xf32> */
/* Attributes of the operation that is begun next, in the order of the calls. */
void fxi_write_attr(fxi_writer *w, const char *name, const char *format, ...) FXI_PRINTF(3, 4);
void fxi_write_attr_ints(fxi_writer *w, const char *name, fx_dims v);  /* array<i64: 1, 2> */
void fxi_write_attr_bools(fxi_writer *w, const char *name, fx_dims v); /* array<i1: true, false> */
/* #stablehlo<kind word> */
void fxi_write_attr_word(fxi_writer *w, const char *name, const char *kind, const char *word);
/* rows x columns integers: dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>. */
void fxi_write_attr_table(fxi_writer *w, const char *name, const int64_t *v, size_t rows, size_t columns);
/* Rows of low and high padding. */
void fxi_write_attr_padding(fxi_writer *w, const char *name, fx_dims low, fx_dims high);
/* "[1, 2]", added to the attributes by who writes an attribute in parts. */
void fxi_write_list(fxi_text *text, fx_dims v);
/* Text as it may stand between quotes. */
void fxi_write_quoted(fxi_text *text, const char *value);

/* An operation: begin writes `%5:2 = "name"(%1, %2) <{attributes}>`, end ` : (types) -> (types) loc(...)`.
 * Between them come its regions, begun and ended each. begin gives the first result: of several, result 0. */
fxi_write_value fxi_write_begin(fxi_writer *w, const char *name, const fxi_write_operand *in, size_t n_in,
                                size_t n_out);
void fxi_write_end(fxi_writer *w, const fxi_write_operand *in, size_t n_in, const fx_shape *const *out,
                   size_t n_out);
/* A region; its arguments get names, written to `arguments`. Its operations follow. */
void fxi_write_region_begin(fxi_writer *w, bool first, const fx_shape *const *shapes, size_t n,
                            fxi_write_operand *arguments);
/* Its terminator and its end. After the last region: fxi_write_regions_end, then fxi_write_end. */
void fxi_write_region_end(fxi_writer *w, const fxi_write_operand *results, size_t n);
void fxi_write_regions_end(fxi_writer *w);
/* An operation without regions and with one result, all at once. */
fxi_write_operand fxi_write_one(fxi_writer *w, const char *name, const fxi_write_operand *in, size_t n_in,
                                const fx_shape *out);
/* The same of two operands, the result having the shape of the first. */
fxi_write_operand fxi_write_two(fxi_writer *w, const char *name, fxi_write_operand a, fxi_write_operand b);
fxi_write_operand fxi_write_compare(fxi_writer *w, fxi_direction direction, fxi_write_operand a,
                                    fxi_write_operand b);

/* ---- nodes ---- */
fxi_write_operand fxi_write_operand_of(const fxi_write_scope *s, const fx_node *n);
/* All operands of a node, in memory that fxi_free takes; NULL after a failure. */
fxi_write_operand *fxi_write_operands(fxi_writer *w, const fxi_write_scope *s, const fx_node *n);
/* The shapes of a node's results, likewise. */
const fx_shape **fxi_write_results(fxi_writer *w, const fx_node *n);
/* A node that is one operation of the same operands and results, attributes written before. */
void fxi_write_node(fxi_writer *w, fxi_write_scope *s, const fx_node *n, const char *name);
/* The StableHLO or CHLO name of an operation by its row, into a buffer. */
enum { FXI_WRITE_NAME = 64 };
void fxi_write_name(fx_op op, char name[FXI_WRITE_NAME]);

/* ---- constants (write_constant.c) ---- */
void fxi_write_elements(fxi_text *text, const fx_tensor *t); /* dense<...> : type */
/* A scalar constant of its own. */
fxi_write_operand fxi_write_scalar(fxi_writer *w, fx_dtype dtype, fxi_scalar value);

/* ---- regions and functions (write.c; kinds: write_reduce.c) ---- */
/* A closure as a region: the first parameters are its arguments, the others are named by `captures`, the
 * operands that the node passes for them. */
void fxi_write_closure(fxi_writer *w, bool first, const fx_graph *body, size_t arguments,
                       const fxi_write_operand *captures);
/* The region of two scalars that combines them by kind. */
void fxi_write_kind_region(fxi_writer *w, fxi_reduce_kind kind, fx_dtype dtype);
/* The number of a node's private function, @f<number>, which will be written. -1 after a failure. */
int64_t fxi_write_function_of(fxi_writer *w, const fx_node *n);

/* ---- emitters, by file ---- */
/* write_elementwise.c */
void fxi_write_map(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_compare_attrs(fxi_writer *w, fxi_direction direction, fx_dtype dtype, bool total_order);
void fxi_write_node_compare(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_reduce_precision(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
/* write_constant.c */
void fxi_write_constant(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_iota(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
/* write_move.c */
void fxi_write_broadcast(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_transpose(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_slice(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_reverse(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_concatenate(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_pad(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_dynamic_slice(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
/* write_index.c */
void fxi_write_gather(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_scatter(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
/* write_reduce.c */
void fxi_write_reduce(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_reduce_window(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_select_and_scatter(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
/* write_contract.c */
void fxi_write_dot_general(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_convolution(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_fft(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_cholesky(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_triangular_solve(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
/* write_control.c */
void fxi_write_while(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_if(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_composite(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_barrier(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_custom_call(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
/* write_sort.c */
void fxi_write_sort(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_sort_by(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_top_k(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
/* write_collective.c */
void fxi_write_all_reduce(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_reduce_scatter(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_all_gather(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_all_to_all(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_permute(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
void fxi_write_collective_broadcast(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
/* write_sharding.c */
void fxi_write_shard(fxi_writer *w, fxi_write_scope *s, const fx_node *n);
/* The meshes, as operations of the module. */
void fxi_write_meshes(fxi_writer *w);
/* #sdy.sharding<@mesh0, [{"x"}, {}]>; NULL: of a value that is whole on every device. closed: no dimension is
 * left open, as whoever runs the program must know where arguments and results lie. */
void fxi_write_sharding(const fxi_writer *w, fxi_text *text, const fx_node *shard, int rank, bool closed);
/* Whether an argument and a result have equal parts on every device. */
bool fxi_write_lies_alike(const fxi_writer *w, size_t input, size_t output);

#endif
