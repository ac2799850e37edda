/* SPDX-License-Identifier: Apache-2.0 */
/* How operations of a tree become nodes of a graph.
 *
 * A table row says the name of an operation and its rule. A rule gets the nodes of the operands and gives
 * those of the results; import.c does everything that is the same for all: it finds the rule, checks the
 * counts that the row states, compares the shapes of what was built with the types that were written, and
 * gives every failure, the graph's own build errors too, the place of the operation in the text.
 *
 * Values are lists of nodes: a tensor is one, a tuple those of its parts in their order, a token none. So
 * calls, loops, branches and barriers carry tuples and tokens without knowing of them. */
#ifndef FXI_STABLEHLO_IMPORT_H
#define FXI_STABLEHLO_IMPORT_H

#include "ops/ops.h"
#include "stablehlo/tree.h"
#include <fluxion/stablehlo.h>

/* What one check of a program compares. */
typedef struct fxi_hlo_check {
    fx_check about;
    fx_node *actual, *expected;
} fxi_hlo_check;

typedef struct fxi_hlo_frame {
    const fxi_hlo_function *function;
    const struct fxi_hlo_frame *outer;
    int depth; /* from 1 */
} fxi_hlo_frame;

typedef struct fxi_hlo_import {
    const fxi_hlo_module *module;
    const struct fxi_hlo_frame *frame; /* the function being inlined, and those around it */
    fx_graph *graph;     /* that receives nodes now: a closure's body inside regions */
    fx_node **values;    /* of tensors, by fxi_hlo_value.id of the function; a region sees enclosing ones */
    fx_node ***tuples;   /* of values that are tuples, likewise; in `arena` */
    fxi_arena *arena;    /* scratch memory, freed when the import ends */
    FXI_VEC(fxi_hlo_check) checks;
    int regions;         /* closures around the operation */
    int depth;           /* regions around it, of functions and others */
    uint64_t built;      /* operations so far, those of inlined functions each time, and nodes */
    fx_error *err;       /* never NULL; its code is FX_OK until something failed */
} fxi_hlo_import;

/* Calls nest at most so deep, and they and all other regions together. So many operations and nodes are built
 * at most: inlining doubles a program with each level of functions that call the next one twice. A region
 * that combines elements has so many nodes at most, since it is built again for each step of a reduction, and
 * reductions may stand in such regions. */
enum {
    FXI_HLO_MOST_CALLS = 128,
    FXI_HLO_MOST_DEPTH = FXI_HLO_MOST_CALLS + FXI_MAX_NESTING,
    FXI_HLO_MOST_BUILT = 1 << 22,
    FXI_HLO_MOST_COMBINING = 1 << 12
};

/* One operation. in: the nodes of its operands; out: room for the nodes of its results, NULL until set.
 * False after a failure was recorded (fxi_hlo_wrong, fxi_hlo_unsupported).
 * Builders may be called without looking at what they say, and every out[] must be set then: the inert node
 * is an error that the caller reports. Nodes are stamped with the line of the operation by the caller. */
typedef bool (*fxi_hlo_rule)(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out);

enum { FXI_HLO_ANY = -1 }; /* number */
typedef struct fxi_hlo_row {
    const char *name;                /* "stablehlo.add"; of a custom call, the target "check.expect_eq" */
    int operands, results, regions;  /* as written, or FXI_HLO_ANY */
    fxi_hlo_rule rule;
} fxi_hlo_row;
/* Rows, sorted by name (strcmp). Each file that has rules has one table, which tables.def lists. */
typedef struct fxi_hlo_table {
    const fxi_hlo_row *rows;
    size_t n;
    bool any_type; /* operands and results may be tuples and tokens; else all are checked to be tensors */
} fxi_hlo_table;
/* const fxi_hlo_table fxi_hlo_moves = FXI_HLO_TABLE(rows); */
#define FXI_HLO_TABLE(array) {.rows = (array), .n = sizeof(array) / sizeof *(array)}
#define FXI_HLO_TABLE_OF_ANY(array) {.rows = (array), .n = sizeof(array) / sizeof *(array), .any_type = true}
#define FXI_HLO_OPERATIONS(table) extern const fxi_hlo_table fxi_hlo_##table;
#define FXI_HLO_TARGETS(table) extern const fxi_hlo_table fxi_hlo_##table;
#include "stablehlo/tables.def"
#undef FXI_HLO_OPERATIONS
#undef FXI_HLO_TARGETS

/* ---- failing: each records the first failure at a place of the text and gives false ---- */
/* The text asks for something that contradicts itself or the language. */
bool fxi_hlo_wrong(fxi_hlo_import *im, fxi_hlo_place place, const char *format, ...) FXI_PRINTF(3, 4);
/* FX_ERROR_UNSUPPORTED: right, but nothing that a graph has. */
bool fxi_hlo_unsupported(fxi_hlo_import *im, fxi_hlo_place place, const char *format, ...) FXI_PRINTF(3, 4);
bool fxi_hlo_no_memory(fxi_hlo_import *im);

/* ---- values ---- */
/* The number of nodes of a type: 1 of a tensor, 0 of a token, of a tuple those of its parts. */
size_t fxi_hlo_type_nodes(const fxi_hlo_type *type);
/* The same of some values. */
size_t fxi_hlo_value_nodes(fxi_hlo_value *const *values, size_t n_values);
/* Whether a type is one that nodes can have: no dynamic dimension, no unknown element type. Else unsupported,
 * at the place. */
bool fxi_hlo_type_check(fxi_hlo_import *im, const fxi_hlo_type *type, fxi_hlo_place place);
/* The shape that result `number` was written with: of a tensor. */
const fx_shape *fxi_hlo_result_shape(const fxi_hlo_op *op, size_t number);
/* The row of an operation's name ("mhlo.add" being "stablehlo.add") or a custom call's target, checked
 * against what is written; NULL after failing. */
const fxi_hlo_row *fxi_hlo_find_operation(fxi_hlo_import *im, const fxi_hlo_op *op);
const fxi_hlo_row *fxi_hlo_find_target(fxi_hlo_import *im, const fxi_hlo_op *op, fxi_hlo_span target);
/* Builds an operation by the rule of another name, a dialect's and the operation's ("chlo", "erf"), on these
 * operands. */
bool fxi_hlo_as_operation(fxi_hlo_import *im, const fxi_hlo_op *op, const char *dialect, fxi_hlo_span name,
                          fx_node *const *in, fx_node **out);

/* ---- regions ---- */
/* Builds the operations of a region into im->graph, its arguments being in[] (one node per tensor), and gives
 * the nodes of what its terminator names, n_out of them. */
bool fxi_hlo_region_import(fxi_hlo_import *im, const fxi_hlo_region *region, fx_node *const *in, size_t n_in,
                           fx_node **out, size_t n_out);
/* A region as a closure (fx_fn): user points to one of these. */
typedef struct fxi_hlo_closure {
    fxi_hlo_import *im;
    const fxi_hlo_region *region;
    bool any_size; /* it is built once: FXI_HLO_MOST_COMBINING does not count */
} fxi_hlo_closure;
void fxi_hlo_closure_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *closure);
/* What a region of two scalars computes, its operands in either order: one operation on both arguments, also
 * in a wider type with conversions around it; or just one of them. */
typedef enum fxi_hlo_combine {
    FXI_HLO_COMBINE_SUM, /* the first seven are the fxi_reduce_kind of the same number */
    FXI_HLO_COMBINE_PRODUCT,
    FXI_HLO_COMBINE_MAX,
    FXI_HLO_COMBINE_MIN,
    FXI_HLO_COMBINE_AND,
    FXI_HLO_COMBINE_OR,
    FXI_HLO_COMBINE_XOR,
    FXI_HLO_COMBINE_FIRST,
    FXI_HLO_COMBINE_SECOND,
    FXI_HLO_COMBINE_OTHER
} fxi_hlo_combine;
fxi_hlo_combine fxi_hlo_region_combine(const fxi_hlo_region *region);
/* The operation of a region that gives a value; NULL: an argument, or a value from around it. */
const fxi_hlo_op *fxi_hlo_region_source(const fxi_hlo_region *region, const fxi_hlo_value *value);

/* ---- attributes: false after failing at the attribute's place, or the operation's if there is none ---- */
/* Integers of any form: a list, a dense array of any rank (in row-major order, a splat repeated), i1 as 0 and
 * 1. They live as long as the import. */
bool fxi_hlo_attr_ints(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, fx_dims *ints);
/* The same, checked to be n of them; n times `fill` where the attribute is missing. */
bool fxi_hlo_attr_ints_or(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, size_t n, int64_t fill,
                          fx_dims *ints);
/* The same of an attribute at hand, or of one named in a dictionary attribute; missing: none. */
bool fxi_hlo_read_ints(fxi_hlo_import *im, const fxi_hlo_attr *attr, fx_dims *ints);
bool fxi_hlo_entry_ints(fxi_hlo_import *im, const fxi_hlo_attr *dict, const char *name, fx_dims *ints);
/* One integer (or bool, or a dense scalar of such). */
bool fxi_hlo_attr_int(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, int64_t *value);
bool fxi_hlo_attr_int_or(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, int64_t fallback,
                         int64_t *value);
bool fxi_hlo_entry_int_or(fxi_hlo_import *im, const fxi_hlo_attr *dict, const char *name, int64_t fallback,
                          int64_t *value);
bool fxi_hlo_attr_bool_or(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, bool fallback,
                          bool *value);
/* A number, written as a float or an integer. */
bool fxi_hlo_attr_float_or(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, double fallback,
                           double *value);
/* One of n words, as its number; `fallback` where the attribute is missing, an error when that is below 0. */
bool fxi_hlo_attr_word(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, const char *const *words,
                       size_t n, int fallback, int *number);
/* The attribute, of that kind; NULL after failing. */
const fxi_hlo_attr *fxi_hlo_attr_of(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name,
                                    fxi_hlo_attr_kind kind);

/* ---- functions (import_call.c, import_check.c) ---- */
/* Whether an operation is a check, as import sees it: one inside a region is refused. */
bool fxi_hlo_is_check(const fxi_hlo_op *op);
/* What a check says of how to compare. */
bool fxi_hlo_read_check(fxi_hlo_import *im, const fxi_hlo_op *op, fx_check *check);
/* Inlines a function into im->graph: in[] and out[] are the nodes of its arguments and results. `place` is
 * that of the call. */
bool fxi_hlo_call(fxi_hlo_import *im, const fxi_hlo_function *callee, fxi_hlo_place place, fx_node *const *in,
                  size_t n_in, fx_node **out, size_t n_out);

#endif
