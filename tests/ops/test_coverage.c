/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* Operations and what exists for each: a table, made from the op table, the golden cases and both backends, that must equal
 * docs/coverage.md. FLUXION_WRITE_COVERAGE=FILE writes it. A hole, said by "missing", fails unless coverage_reasons.def says
 * why. Facets that no part of the library builds yet say "not built yet"; once a facet is built for some operation, the number
 * of such entries in it may only shrink.
 *
 * What counts: interpreter and cpu run the operation's first golden case to the wanted value, an operation without golden
 * cases being run by the test that its reason names; written is what has an emitter or a lowering, read what has a name there
 * and a rule for it; golden is whether a case's graph, or a closure in it, has the operation. */
#include "ops/cases.h"
#include "graph/graph.h"
#include "grad/grad_internal.h"
#include "stablehlo/import.h"
#include "stablehlo/lower.h"
#include "stablehlo/write.h"
#include <stdio.h>
#include <stdlib.h>

typedef enum facet { SHAPE, INTERP, CPU, GRADIENT, WRITE, READ, GOLDEN, FACETS } facet;
static const char *const facet_names[] = {"shape rule", "interp", "cpu", "gradient", "StableHLO write", "StableHLO read", "golden cases"};

static const char yes[] = "yes", none[] = "no name", missing[] = "missing", waiting[] = "not built yet", declared[] = "see below";

typedef struct row {
    const char *name, *gradient;
    const golden_case *first; /* golden case with this operation */
    const char *family;
    const char *status[FACETS], *reason[FACETS];
} row;

static row rows[FX_OP_COUNT] = {
    {"INERT", "none", NULL, NULL, {NULL}, {NULL}},
#define FX_OP(id, text, operands, class, work, dtypes, same, shape, gradient, hlo, meaning) \
    {#id, #gradient, NULL, NULL, {NULL}, {NULL}},
#include "graph/ops.def"
#undef FX_OP
};

/* ---- golden cases ---- */

static void note_ops(const fx_graph *graph, const char *family, const golden_case *c) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        row *r = &rows[graph->nodes.data[i]->op];
        if (r->first) continue;
        r->first = c;
        r->family = family;
    }
    for (size_t i = 0; i < graph->bodies.count; i++) note_ops(graph->bodies.data[i], family, c);
}

static void scan_case(const char *family, const golden_case *c) {
    fx_graph *graph = fx_graph_new(FX_MUST);
    fx_node *in[GOLDEN_TENSORS], *out[GOLDEN_TENSORS] = {NULL};
    for (size_t i = 0; i < c->operand_count; i++) in[i] = fx_parameter(graph, fx_tensor_shape(c->operands[i]));
    case_call call = {case_row_of(family, c), c, false};
    case_graph(graph, in, c->operand_count, out, c->result_count, &call);
    fx_graph_error(graph, graph->error.code ? FX_MUST : NULL);
    note_ops(graph, family, c);
    fx_graph_free(graph);
}

/* ---- facets ---- */

static bool runs_on(const char *name, const row *r) {
    case_call call = {case_row_of(r->family, r->first), r->first, false};
    const golden_case *c = r->first;
    fx_arg args[GOLDEN_TENSORS];
    fx_tensor *out[GOLDEN_TENSORS] = {NULL};
    golden_difference difference;
    fx_backend *backend = fx_backend_open(name, FX_MUST);
    for (size_t i = 0; i < c->operand_count; i++) args[i] = FX_ARG(c->operands[i]);
    fx_exec *exec = fx_exec_new_fn(backend, case_graph, c->operand_count, c->result_count, &call, FX_MUST);
    bool right = fx_exec_call(exec, args, c->operand_count, out, c->result_count, NULL);
    for (size_t i = 0; i < c->result_count; i++) {
        right = right && golden_equal(c, out[i], c->results[i], call.row->tolerance, &difference);
        fx_tensor_free(out[i]);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
    return right;
}

static const char *gradient_status(const row *r) {
    const fxi_grad_rule *rule = fxi_grad_rule_of((fx_op)(r - rows));
    if (rule->zero || rule->refusal) return rule->zero || !strstr(rule->refusal, "not written") ? r->gradient : waiting;
    return yes;
}

static const char *write_status(fx_op op) {
    if (op == FX_OP_PARAMETER || op == FX_OP_RESULT) return yes; /* names of values */
    return fxi_write_emitter(op) || fxi_lowering_row(op)->build ? yes : missing;
}

#define FXI_HLO_OPERATIONS(table) &fxi_hlo_##table,
#define FXI_HLO_TARGETS(table)
static const fxi_hlo_table *const hlo_tables[] = {
#include "stablehlo/tables.def"
};
#undef FXI_HLO_OPERATIONS
#undef FXI_HLO_TARGETS

static const char *read_status(fx_op op) {
    const char *hlo = fxi_op_info_of(op)->hlo;
    char name[100];
    if (op == FX_OP_PARAMETER) return yes; /* an argument of a function */
    if (!*hlo) return none;
    snprintf(name, sizeof name, "%s%s", strchr(hlo, '.') ? "" : "stablehlo.", hlo);
    for (size_t t = 0; t < COUNT_OF(hlo_tables); t++)
        for (size_t i = 0; i < hlo_tables[t]->n; i++)
            if (strcmp(hlo_tables[t]->rows[i].name, name) == 0) return yes;
    return missing;
}

static void fill_facets(row *r) {
    bool tested = r->first || r->reason[GOLDEN];
    r->status[SHAPE] = yes; /* a row without its rule does not compile */
    r->status[INTERP] = (r->first ? runs_on("interp", r) : tested) ? yes : missing;
    r->status[CPU] = (r->first && FLUXION_CPU ? runs_on("cpu", r) : tested) ? yes : missing;
    r->status[GRADIENT] = gradient_status(r);
    r->status[WRITE] = write_status((fx_op)(r - rows));
    r->status[READ] = read_status((fx_op)(r - rows));
    r->status[GOLDEN] = r->first ? yes : missing;
    for (int f = 0; f < FACETS; f++)
        if (r->reason[f] && r->status[f] == missing) r->status[f] = declared;
}

static void read_reasons(void) {
#define REASON(op, facet, text) rows[FX_OP_##op].reason[facet] = text;
#include "ops/coverage_reasons.def"
}

/* ---- the table as text ---- */

enum { TEXT = 1 << 17 };
static char made[TEXT], committed[TEXT];

static int count_of(int f, const char *status) {
    int n = 0;
    for (int op = 1; op < FX_OP_COUNT; op++) n += rows[op].status[f] == status;
    return n;
}

static void add(size_t *at, const char *format, const char *text) {
    int n = snprintf(made + *at, TEXT - *at, format, text);
    assert_true(n >= 0 && *at + (size_t)n < TEXT);
    *at += (size_t)n;
}

static void add_totals(size_t *at) {
    char line[100];
    add(at, "%s", "\n## Totals\n\n| facet | not built yet |\n|---|---|\n");
    for (int f = 0; f < FACETS; f++) {
        snprintf(line, sizeof line, "| %s | %d |\n", facet_names[f], count_of(f, waiting));
        add(at, "%s", line);
    }
}

static void make_text(void) {
    size_t at = 0;
    add(&at, "%s", "# Operations and what exists for each\n\nWritten by `FLUXION_WRITE_COVERAGE=docs/coverage.md "
                   "build/release/tests/ops/test_ops_coverage`, which otherwise compares.\nA gradient `none`, `zero` or `refuse` needs "
                   "no rule.\n\n| operation |");
    for (int f = 0; f < FACETS; f++) add(&at, " %s |", facet_names[f]);
    add(&at, "%s", "\n|---|---|---|---|---|---|---|---|\n");
    for (int op = 1; op < FX_OP_COUNT; op++) {
        add(&at, "| %s |", fxi_op_info_of((fx_op)op)->text);
        for (int f = 0; f < FACETS; f++) add(&at, " %s |", rows[op].status[f]);
        add(&at, "%s", "\n");
    }
    add(&at, "%s", "\n## Reasons\n\n");
    for (int op = 1; op < FX_OP_COUNT; op++)
        for (int f = 0; f < FACETS; f++) {
            if (!rows[op].reason[f]) continue;
            add(&at, "- %s, ", fxi_op_info_of((fx_op)op)->text);
            add(&at, "%s: ", facet_names[f]);
            add(&at, "%s\n", rows[op].reason[f]);
        }
    add_totals(&at);
}

/* ---- tests ---- */

static golden_file files[64];

static int prepare(void **state) {
    (void)state;
    read_reasons();
    for (size_t i = 0; case_families[i] && i < COUNT_OF(files); i++) {
        files[i] = golden_read(case_families[i]);
        for (size_t k = 0; k < files[i].count; k++) scan_case(case_families[i], &files[i].cases[k]);
    }
    for (int op = 1; op < FX_OP_COUNT; op++) fill_facets(&rows[op]);
    make_text();
    FILE *stream = fopen(FX_TEST_DIR "/../docs/coverage.md", "r");
    size_t n = stream ? fread(committed, 1, TEXT - 1, stream) : 0;
    committed[n] = 0;
    if (stream) fclose(stream);
    return 0;
}

static int clean_up(void **state) {
    (void)state;
    for (size_t i = 0; case_families[i] && i < COUNT_OF(files); i++) golden_free(&files[i]);
    return 0;
}

static void holes_have_reasons(void **state) {
    (void)state;
    int holes = 0;
    for (int op = 1; op < FX_OP_COUNT; op++)
        for (int f = 0; f < FACETS; f++) {
            if (rows[op].status[f] == missing && ++holes)
                print_error("%s has no %s; see tests/golden/README.md\n", rows[op].name, facet_names[f]);
            if (rows[op].reason[f] && rows[op].status[f] != declared && ++holes)
                print_error("%s, %s: the reason in coverage_reasons.def has become untrue\n", rows[op].name, facet_names[f]);
        }
    assert_int_equal(holes, 0);
}

/* The committed number of a facet's entries "not built yet"; -1 when the file does not say. */
static int committed_count(int f) {
    char line[100];
    const char *totals = strstr(committed, "## Totals");
    snprintf(line, sizeof line, "| %s | ", facet_names[f]);
    const char *at = totals ? strstr(totals, line) : NULL;
    return at ? atoi(at + strlen(line)) : -1;
}

/* While a facet is built for no operation at all, new operations lack it too. */
static void what_is_built_stays(void **state) {
    (void)state;
    for (int f = 0; f < FACETS; f++) {
        int before = committed_count(f), now = count_of(f, waiting);
        if (before >= 0 && now > before && count_of(f, yes) > 0)
            fail_msg("%s: %d operations are not built yet, %d before", facet_names[f], now, before);
    }
}

static void table_is_committed(void **state) {
    (void)state;
    const char *path = getenv("FLUXION_WRITE_COVERAGE");
    if (path) {
        FILE *stream = fopen(path, "w");
        assert_non_null(stream);
        assert_true(fputs(made, stream) >= 0);
        assert_int_equal(fclose(stream), 0);
        return;
    }
    size_t same = 0, line = 1;
    while (made[same] && made[same] == committed[same]) line += made[same++] == '\n';
    if (made[same] || committed[same])
        fail_msg("docs/coverage.md, line %zu is not as found now (\"%.60s\"); write it with FLUXION_WRITE_COVERAGE", line, made + same);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(holes_have_reasons), cmocka_unit_test(what_is_built_stays),
                                       cmocka_unit_test(table_is_committed)};
    return cmocka_run_group_tests(tests, prepare, clean_up);
}
