/* SPDX-License-Identifier: Apache-2.0 */
/* Every elementwise operation with every dtype it takes, as cases that tests turn into compiled functions
 * and compare with the scalar meaning in ops/element.c. */
#ifndef ELEMENT_CASES_H
#define ELEMENT_CASES_H

#include "backend/cpu/emit/emit_element.h"
#include "graph/graph.h"

#define ELEMENT_CASES_LIMIT 2048

typedef struct element_case {
    fx_op op;
    fx_dtype from, to;
    uint8_t word, word2; /* as in fxi_element */
    int operands;
} element_case;

/* A node with just the members that fxi_map_element and fxi_element_of look at. */
typedef struct case_node {
    fx_node node, operands[3];
    fx_node *pointers[3];
    fxi_attr attrs[2];
} case_node;

/* Fills `cases` (room for ELEMENT_CASES_LIMIT) and gives their number. */
size_t element_cases(element_case *cases);
fx_dtype element_case_operand(const element_case *c, int operand);
/* "add_float32", "convert_int8_to_float16", "compare_float32_lt_total", ... */
void element_case_name(const element_case *c, char name[96]);
void element_case_node(const element_case *c, case_node *node);
/* Logical lanes used for the case: 16, or 8 where an operand or the result has 64-bit parts. */
unsigned element_case_lanes(const element_case *c);
/* Adds the function `name` to e's module: void(out, a, b, c, int64_t vectors), each pointer to vectors *
 * e->lanes elements in memory form. */
void element_case_build(fxi_emit *e, const element_case *c, const char *name);

/* An empty module for `target` in a fresh context. */
fxi_emit element_emit_begin(const fxi_target *target);
void element_emit_end(fxi_emit *e);
/* Starts void name(ptr, ptr, ptr, ptr, i64) and leaves the builder in its entry block. */
void element_function_begin(fxi_emit *e, const char *name);

/* Bytes of one element in memory form, and access to elements in that form. */
size_t element_form_bytes(fx_dtype dtype);
fxi_scalar element_form_load(fx_dtype dtype, const void *buffer, size_t index);
void element_form_store(fx_dtype dtype, void *buffer, size_t index, fxi_scalar value);

#endif
