/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* Every golden case as StableHLO: the graph of a case is written, the text is read, and what was read runs on the
 * interpreter. The value must be the wanted one within the tolerance of the case's row and what lowerings add: functions
 * that StableHLO lacks are made of others that round each, bessel_i0e to 6 units in the last place; half types round to
 * float32 before they round to their dtype; a factorisation is done by rotations or reflections of whole matrices, whose
 * errors add up over more steps. FLUXION_FAMILY=name runs one family alone. */
#include "ops/cases.h"
#include "stablehlo/stablehlo.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct run_state {
    const char *family;
    fx_backend *backend;
    size_t failed;
} run_state;

enum { SHOWN = 20 };

static void report(run_state *s, const golden_case *c, const char *what) {
    if (s->failed++ < SHOWN) print_error("%s.txt:%d: %s: %s\n", c->file, c->line, c->op, what);
}

/* The text of a case's graph. */
static bool write_case(const case_call *call, fxi_text *text, fx_error *err) {
    const golden_case *c = call->c;
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_node *in[GOLDEN_TENSORS], *out[GOLDEN_TENSORS] = {NULL};
    for (size_t i = 0; i < c->operand_count; i++) in[i] = fx_parameter(g, &c->operands[i]->shape);
    case_graph(g, in, c->operand_count, out, c->result_count, (void *)(uintptr_t)call);
    bool ok = fx_graph_finish(g, (fx_nodes){out, c->result_count}, err) && fxi_stablehlo_text(g, NULL, text, err);
    fx_graph_free(g);
    return ok;
}

static bool run_text(run_state *s, const golden_case *c, const fxi_text *text, fx_tensor **out, fx_error *err) {
    fx_arg args[GOLDEN_TENSORS];
    for (size_t i = 0; i < c->operand_count; i++) args[i] = FX_ARG(c->operands[i]);
    fx_module *module = fx_module_parse(text->data, text->length, c->op, err);
    fx_exec *exec = module ? fx_exec_new_module(s->backend, module, (size_t)fx_module_find(module, "main"), err) : NULL;
    bool ok = exec && fx_exec_call(exec, args, c->operand_count, out, c->result_count, err);
    fx_exec_free(exec);
    fx_module_free(module);
    return ok;
}

static golden_tolerance tolerance_of(const case_row *row) {
    golden_tolerance t = row->tolerance;
    if (t.rule == GOLDEN_ULP) t.bound += 5;
    if (t.rule == GOLDEN_NORM) t.bound *= 8;
    return t;
}

/* The case without a bound of its own. */
static golden_case without_bound(const golden_case *c) {
    golden_case loose = *c;
    loose.attr_count = 0;
    for (size_t i = 0; i < c->attr_count; i++)
        if (strcmp(c->attrs[i].key, "ulps") != 0) loose.attrs[loose.attr_count++] = c->attrs[i];
    return loose;
}

static void run_case(run_state *s, const golden_case *c) {
    const case_call call = {case_row_of(s->family, c), c, false};
    fx_error err = {.code = FX_OK};
    fx_tensor *out[GOLDEN_TENSORS] = {NULL};
    fxi_text text = {0};
    golden_difference difference;
    const golden_case loose = without_bound(c);
    if (!write_case(&call, &text, &err) || !run_text(s, c, &text, out, &err)) report(s, c, err.message);
    for (size_t i = 0; err.code == FX_OK && i < c->result_count; i++)
        if (!golden_equal(&loose, out[i], c->results[i], tolerance_of(call.row), &difference))
            report(s, c, difference.text);
    for (size_t i = 0; i < c->result_count; i++) fx_tensor_free(out[i]);
    fxi_text_free(&text);
}

static void run_family(void **state) {
    run_state s = {.family = *state, .backend = fx_backend_open("interp", FX_MUST)};
    golden_file file = golden_read(s.family);
    for (size_t i = 0; i < file.count; i++) run_case(&s, &file.cases[i]);
    print_message("%s: %zu cases\n", s.family, file.count);
    golden_free(&file);
    fx_backend_close(s.backend);
    if (s.failed) fail_msg("%zu differences in %s", s.failed, s.family);
}

int main(void) {
    struct CMUnitTest tests[CASE_MOST_FAMILIES];
    size_t n = case_families_as_tests(tests, run_family);
    return _cmocka_run_group_tests("cases as text", tests, n, NULL, NULL);
}
