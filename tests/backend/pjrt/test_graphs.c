/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* Generated graphs of operations that are exact in any order, every node an output: both plugins must give the interpreter's
 * bits. Subnormal numbers, which XLA takes for zero, are taken out of the inputs; a graph in which they come up nevertheless
 * is compared up to there. FLUXION_GRAPHS=n runs n graphs. */
#include "pjrt_tests.h"
#include "backend/interp/interp.h"
#include "backend/pjrt/pjrt.h"
#include "support/compare.h"
#include "support/random_graph.h"
#include <math.h>

enum { FIRST = 52000, GRAPHS = 24 };

/* Of float32: float64 too, since it may be converted. */
static bool is_subnormal(fx_dtype dtype, double x) {
    double least = fx_dtype_real(dtype) == FX_F16 || fx_dtype_bits(dtype) < 16 ? 0 : 0x1p-125;
    return x != 0 && fabs(x) < least;
}

static bool has_subnormals(fx_tensor *x, bool flush) {
    fx_dtype dtype = x->shape.dtype;
    bool any = false;
    for (int64_t i = 0; i < fx_shape_size(&x->shape); i++) {
        fxi_scalar v = fxi_element_load(dtype, x->data, i);
        if (fx_dtype_is_integer(dtype) || dtype == FX_BOOL) return false;
        if (!is_subnormal(dtype, v.re) && !is_subnormal(dtype, v.im)) continue;
        any = true;
        if (flush) fxi_element_store(dtype, x->data, i, (fxi_scalar){0});
    }
    return any;
}

static void run_on(const fxi_backend_ops *ops, const fxi_open_args *open, const random_graph *g, fx_tensor **out) {
    fx_error err = {.code = FX_OK};
    void *state = ops->open(open, &err), *program = state ? ops->compile(state, g->graph, &err) : NULL;
    const fxi_run_args args = {.inputs = g->inputs, .outputs = out};
    if (!program || !ops->run(program, &args, &err))
        fail_msg("graph %llu on %s: %s", (unsigned long long)g->number, ops->name, err.message);
    ops->program_free(program);
    ops->close(state);
}

static bool same_values(const random_graph *g, fx_tensor **got, fx_tensor **want) {
    compare_report report;
    for (size_t i = 0; i < g->graph->output_count; i++) {
        if (has_subnormals(want[i], false)) return true;
        if (fx_tensor_data(got[i]) && compare_bits(got[i], want[i], &report)) continue;
        print_error("graph %llu, %%%lld %s: %s\n", (unsigned long long)g->number, (long long)g->graph->outputs[i]->id,
                    fx_node_op(g->graph->outputs[i]), report.text);
        return false;
    }
    return true;
}

/* Every node an output but for packed integers, on whose copies the older plugin ends the process. */
static random_graph with_outputs(const random_graph *source) {
    fx_node **outputs = test_calloc(source->graph->nodes.count, sizeof *outputs);
    random_cut cut = {.outputs = outputs};
    for (size_t i = 0; i < source->graph->nodes.count; i++) {
        fx_node *n = source->graph->nodes.data[i];
        if (n->op != FX_OP_PARAMETER && fx_dtype_bits(n->shape.dtype) >= 8) outputs[cut.count++] = n;
    }
    random_graph g = random_graph_cut(source, &cut);
    g.number = source->number;
    test_free(outputs);
    return g;
}

static void exact_graphs(void **state) {
    const char *more = getenv("FLUXION_GRAPHS");
    uint64_t count = more ? strtoull(more, NULL, 10) : GRAPHS;
    const fxi_config quiet = {"logs", "quiet"};
    int failed = 0;
    for (uint64_t i = FIRST; i < FIRST + count && failed < 5; i++) {
        random_graph source = random_graph_make(i, &(random_options){.exact = true, .elements = 200});
        random_graph g = with_outputs(&source);
        size_t n = g.graph->output_count;
        fx_tensor **want = test_calloc(n, sizeof *want), **got = test_calloc(n, sizeof *got);
        for (size_t k = 0; k < g.graph->parameters.count; k++) (void)has_subnormals(g.inputs[k], true);
        run_on(&fxi_interp_backend, &(fxi_open_args){0}, &g, want);
        run_on(&fxi_pjrt_backend, &(fxi_open_args){.path = pjrt_plugin(plugin_of(state)), .config = &quiet, .count = 1}, &g, got);
        failed += !same_values(&g, got, want);
        for (size_t k = 0; k < n; k++) {
            fx_tensor_free(want[k]);
            fx_tensor_free(got[k]);
        }
        test_free(want);
        test_free(got);
        random_graph_free(&g);
        random_graph_free(&source);
    }
    assert_int_equal(failed, 0);
}

int main(void) {
    if (!pjrt_begin()) return PJRT_SKIPPED;
    const struct CMUnitTest tests[] = {BOTH_PLUGINS(exact_graphs)};
    return cmocka_run_group_tests_name("backend.pjrt.graphs", tests, NULL, NULL);
}
