/* SPDX-License-Identifier: Apache-2.0 */
/* Generated graphs, rewritten and as they were built, run on the interpreter with the same inputs: the same
 * bits come out, NaN for NaN. Each graph also keeps its parameters and outputs, passes verification and does
 * not grow, slices aside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/compare.h"
#include "support/random_graph.h"
#include "backend/interp/interp.h"
#include "passes/rewrite.h"

enum { GRAPHS = 3000 };

static void run_graph(const fx_graph *graph, fx_tensor **inputs, fx_tensor **outputs) {
    void *program = fxi_interp_backend.compile(NULL, graph, FX_MUST);
    assert_true(
        fxi_interp_backend.run(program, &(fxi_run_args){.inputs = inputs, .outputs = outputs}, FX_MUST));
    fxi_interp_backend.program_free(program);
}

static void compare_outputs(uint64_t number, size_t count, fx_tensor **got, fx_tensor **want) {
    for (size_t i = 0; i < count; i++) {
        compare_report report;
        if (!compare_bits(got[i], want[i], &report))
            fail_msg("graph %llu, output %zu: %s", (unsigned long long)number, i, report.text);
        fx_tensor_free(got[i]);
        fx_tensor_free(want[i]);
    }
}

static size_t nodes_but_slices(const fx_graph *graph) {
    size_t count = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) count += graph->nodes.data[i]->op != FX_OP_SLICE;
    return count;
}

static void check_graph(uint64_t number, uint64_t *fired) {
    random_graph g = random_graph_make(number, &(random_options){.elements = 200});
    fx_graph *simple = fxi_simplify(g.graph, fired, FX_MUST), *pruned = fxi_prune(simple, FX_MUST);
    assert_true(fxi_verify(simple, FX_MUST));
    assert_true(fxi_verify(pruned, FX_MUST));
    assert_true(nodes_but_slices(pruned) <= nodes_but_slices(g.graph));
    assert_int_equal(pruned->parameters.count, g.graph->parameters.count);
    size_t count = g.graph->output_count;
    assert_int_equal(pruned->output_count, count);
    fx_tensor **outputs = fxi_alloc_zeroed(2 * count, sizeof *outputs);
    assert_non_null(outputs);
    run_graph(g.graph, g.inputs, outputs);
    run_graph(pruned, g.inputs, outputs + count);
    compare_outputs(number, count, outputs + count, outputs);
    fxi_free(outputs);
    fx_graph_free(simple);
    fx_graph_free(pruned);
    random_graph_free(&g);
}

static void rewriting_changes_no_bit(void **state) {
    (void)state;
    uint64_t fired[64] = {0}, rules = 0;
    assert_true(fxi_rules_count() <= sizeof fired / sizeof fired[0]);
    for (uint64_t number = 0; number < GRAPHS; number++) check_graph(number, fired);
    for (size_t i = 0; i < fxi_rules_count(); i++) rules += fired[i] > 0;
    assert_true(rules >= 3); /* the graphs do give the rules something to do */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rewriting_changes_no_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
