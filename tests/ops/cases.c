/* SPDX-License-Identifier: Apache-2.0 */
/* See cases.h: cases.def expanded into two tables, and the graph of a case. */
#include "ops/cases.h"
#include <stdlib.h>

#define FAMILY(name)
#define CASE(op, family, rule, bound, build)
#define CASE1(op, family, rule, bound) static void build1_##family##_##op(const case_args *a) { a->out[0] = fx_##op(a->in[0]); }
#define CASE2(op, family, rule, bound) static void build2_##family##_##op(const case_args *a) { a->out[0] = fx_##op(a->in[0], a->in[1]); }
#define CASE3(op, family, rule, bound) \
    static void build3_##family##_##op(const case_args *a) { a->out[0] = fx_##op(a->in[0], a->in[1], a->in[2]); }
#include "ops/cases.def"

#define FAMILY(name) #name,
#define CASE(op, family, rule, bound, build)
#define CASE1(op, family, rule, bound)
#define CASE2(op, family, rule, bound)
#define CASE3(op, family, rule, bound)
const char *const case_families[] = {
#include "ops/cases.def"
    NULL};

#define FAMILY(name)
#define CASE(op, family, rule, bound, build) {#op, #family, {GOLDEN_##rule, bound}, build},
#define CASE1(op, family, rule, bound) CASE(op, family, rule, bound, build1_##family##_##op)
#define CASE2(op, family, rule, bound) CASE(op, family, rule, bound, build2_##family##_##op)
#define CASE3(op, family, rule, bound) CASE(op, family, rule, bound, build3_##family##_##op)
const case_row case_rows[] = {
#include "ops/cases.def"
    {NULL, NULL, {GOLDEN_EXACT, 0}, NULL}};

const case_row *case_row_of(const char *family, const golden_case *c) {
    for (const case_row *row = case_rows; row->op; row++)
        if (strcmp(row->op, c->op) == 0 && strcmp(row->family, family) == 0) return row;
    fail_msg("%s.txt:%d: no row of cases.def for %s", family, c->line, c->op);
    return NULL;
}

void case_graph(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const case_call *call = user;
    const golden_case *c = call->c;
    fx_node *constants[GOLDEN_TENSORS];
    (void)n_in, (void)n_out;
    for (size_t i = 0; call->constants && i < c->operand_count; i++) constants[i] = fx_constant(graph, c->operands[i]);
    const case_args args = {c, graph, call->constants ? constants : in, c->operand_count, out};
    call->row->build(&args);
}

size_t case_families_as_tests(struct CMUnitTest tests[CASE_MOST_FAMILIES], CMUnitTestFunction run) {
    const char *only = getenv("FLUXION_FAMILY");
    size_t n = 0;
    for (const char *const *f = case_families; *f; f++) {
        if (only && strcmp(only, *f) != 0) continue;
        assert_true(n < CASE_MOST_FAMILIES);
        tests[n++] = (struct CMUnitTest){*f, run, NULL, NULL, (void *)(uintptr_t)*f};
    }
    return n;
}
