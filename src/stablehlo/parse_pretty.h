/* SPDX-License-Identifier: Apache-2.0 */
/* Pretty forms of operations: one row each, so that what an operation looks like is read off the table.
 *
 * A form is a list of items apart by one blank, in the order in which they stand in the text:
 *     $              an operand                    $*    several with commas between, or none
 *     $+             several, each with a comma after it
 *     , ( ) [ ] { }  the sign itself
 *     ?,             a comma that may be absent, and with it all that follows
 *     word=kind:attr the word, '=', and a value of that kind, which becomes the attribute `attr`
 *     kind:attr      the value alone
 *     kind           a value that becomes several attributes, whose names the kind knows
 *     attrs          an attribute dictionary, beside the one that ends every form
 * The tail says how the types are written that follow the attribute dictionary. */
#ifndef FXI_STABLEHLO_PARSE_PRETTY_H
#define FXI_STABLEHLO_PARSE_PRETTY_H

#include "stablehlo/parse_internal.h"

typedef enum fxi_hlo_tail {
    FXI_HLO_TAIL_NONE,     /* no types and no results */
    FXI_HLO_TAIL_VALUE,    /* none: the result has the type of the attribute `value` */
    FXI_HLO_TAIL_FUNCTION, /* : (T, U) -> V */
    FXI_HLO_TAIL_SAME,     /* : T, of all operands and the result; or as FUNCTION */
    FXI_HLO_TAIL_RESULTS,  /* : T, U, of the results */
    FXI_HLO_TAIL_OPERANDS, /* : T, U, of the operands; no results; nothing when there are none */
    FXI_HLO_TAIL_OPERAND,  /* : T, of all operands; no results */
    FXI_HLO_TAIL_PAIRS,    /* : T, U, of operands and results alike; nothing when there are none */
    FXI_HLO_TAIL_SELECT,   /* : T, U: the predicate's, and all others'; or as FUNCTION */
    FXI_HLO_TAIL_COMPLEX,  /* : T, of the result; the operands have its real one; or as FUNCTION */
    FXI_HLO_TAIL_TUPLE,    /* : tuple<T, U>, whose parts are the operands' */
    FXI_HLO_TAIL_ARROW,    /* : T, U -> V or : (T, U) -> (V, W) */
    FXI_HLO_TAIL_CLOSE,    /* : {attributes} T, U, of the operands; no results */
    FXI_HLO_TAIL_REGIONS   /* as FUNCTION; regions in brackets may stand before the dictionary */
} fxi_hlo_tail;

typedef bool (*fxi_hlo_reader)(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names);
typedef struct fxi_hlo_form {
    const char *name;
    const char *items;
    fxi_hlo_tail tail;
    fxi_hlo_reader read; /* of forms that are no list of items; else NULL */
} fxi_hlo_form;
/* Sorted by name. */
extern const fxi_hlo_form fxi_mlir_forms[];
extern const size_t fxi_mlir_n_forms;

bool fxi_mlir_read_tail(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names, fxi_hlo_tail tail);
/* A value of a kind: its attributes onto p->entries. */
bool fxi_mlir_read_kind(fxi_hlo_parser *p, fxi_hlo_span kind, fxi_hlo_span attr);

bool fxi_mlir_read_while(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names);
bool fxi_mlir_read_reduce(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names);
bool fxi_mlir_read_scan(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names);
bool fxi_mlir_read_computation(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names);
bool fxi_mlir_read_constant(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names);
bool fxi_mlir_read_regions(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names);
/* An operation of another dialect: operands, a type if there is one, the rest as text. */
bool fxi_mlir_read_unknown(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names);
#endif
