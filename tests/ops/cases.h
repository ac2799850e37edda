/* SPDX-License-Identifier: Apache-2.0 */
/* The golden cases of every family: cases.def as data. A row of it says how a case's operation word becomes nodes; the
 * cases themselves are lines of tests/golden/<family>.txt. */
#ifndef CASES_H
#define CASES_H

#include "exec/both.h"
#include "support/golden.h"

/* What a row's builder gets: the case with its attributes, its operands as nodes, and room for its results. */
typedef struct case_args {
    const golden_case *c;
    fx_graph *graph;
    fx_node *const *in;
    size_t n_in;
    fx_node **out;
} case_args;
typedef void (*case_builder)(const case_args *a);

typedef struct case_row {
    const char *op, *family;
    golden_tolerance tolerance;
    case_builder build;
} case_row;

extern const char *const case_families[]; /* ends with NULL */
extern const case_row case_rows[];        /* ends with a row without op */

/* The row of a case; fails the test when there is none. */
const case_row *case_row_of(const char *family, const golden_case *c);
/* A graph function: `user` is a case_call. With constants the operands are built in, and there are no parameters. */
typedef struct case_call {
    const case_row *row;
    const golden_case *c;
    bool constants;
} case_call;
void case_graph(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user);

/* A test per family, of the one that FLUXION_FAMILY names alone where it is set; gives their number. `run` finds
 * the family's name in *state. */
enum { CASE_MOST_FAMILIES = 64 };
size_t case_families_as_tests(struct CMUnitTest tests[CASE_MOST_FAMILIES], CMUnitTestFunction run);

/* The builders that cases.def names, in cases_<family>.c. */
#define FAMILY(name)
#define CASE(op, family, rule, bound, build) void build(const case_args *a);
#define CASE1(op, family, rule, bound)
#define CASE2(op, family, rule, bound)
#define CASE3(op, family, rule, bound)
#include "ops/cases.def"

#endif
