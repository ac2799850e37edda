/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of rewriting: builds a graph of two parameters, simplifies it, shows both as text without
 * parameters and places, and runs both on the interpreter to see that they mean the same. Includes what
 * cmocka wants before it. */
#ifndef REWRITING_H
#define REWRITING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FX_NO_CALL_SITES
#include "passes/rewrite.h"
#include <fluxion.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef fx_node *(*pair_fn)(fx_node *x, fx_node *y);

/* A finished graph of two parameters of this shape. */
fx_graph *graph_of(pair_fn build, const fx_shape *shape);
/* The graph's text without its parameters, in static memory: "%2 = neg %0 : (float32)[2]\n...". */
const char *text_of(const fx_graph *graph);
/* Number of the rule with that name; fails the test when there is none. */
size_t rule_of(const char *name);

/* Simplifying turns what build makes into `want` (as text_of), through that rule (NULL: through none), and
 * the result has the same value for parameters that hold zeros of both signs, infinities, NaN, and extreme
 * and ordinary numbers. */
void assert_becomes(pair_fn build, const fx_shape *shape, const char *rule, const char *want);
/* Simplifying leaves it as it is. */
void assert_stays(pair_fn build, const fx_shape *shape);
/* The outputs of both graphs agree on such parameters: the same bits, or NaN in both. */
void assert_same_meaning(const fx_graph *a, const fx_graph *b);

#endif
