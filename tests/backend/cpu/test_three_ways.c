/* SPDX-License-Identifier: Apache-2.0 */
/* The gate for changes of planner and fusion: generated graphs of exact operations run three ways
 * (interpreter; cpu without reuse and fusion; cpu as planned, dead workspace and fresh outputs filled with
 * 0xFF) and give the same bits. The planned program also runs with every input, every output and the
 * workspace between inaccessible pages. Outputs so large that they bypass the cache have a test of their
 * own, since no generated graph is that large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/cpu.h"
#include "backend/interp/interp.h"
#include "check_graph.h"
#include "support/guarded.h"

enum { MOST_OUTPUTS = 64 };

typedef struct ways {
    void *interp, *unfused, *planned;
} ways;

static ways open_ways(void) {
    ways w = {.interp = check_open(&fxi_interp_backend, NULL, NULL, NULL, NULL)};
    w.unfused = check_open(&fxi_cpu_backend, "fusion", "off", NULL, NULL);
    w.planned = check_open(&fxi_cpu_backend, "debug", "poison", "debug", "ranges");
    return w;
}

static void close_ways(ways *w) {
    fxi_interp_backend.close(w->interp);
    fxi_cpu_backend.close(w->unfused);
    fxi_cpu_backend.close(w->planned);
}

static void print_graph(const random_graph *g, const char *what, size_t output,
                        const compare_report *report) {
    size_t size = fx_graph_text(g->graph, NULL, 0) + 1;
    char *text = malloc(size);
    fx_graph_text(g->graph, text, size);
    print_error("graph %llu, %s, output %zu = %%%lld: %s\n%s", (unsigned long long)g->number, what, output,
                (long long)g->graph->outputs[output]->id, report->text, text);
    free(text);
}

static bool same_outputs(const random_graph *g, const char *what, fx_tensor **got, fx_tensor **want) {
    for (size_t i = 0; i < g->graph->output_count; i++) {
        compare_report report;
        if (compare_bits(got[i], want[i], &report)) continue;
        print_graph(g, what, i, &report);
        return false;
    }
    return true;
}

/* ---- guarded ---- */

static char *slot_address(const fxi_slot *slot, fx_tensor **inputs, fx_tensor **outputs, char *workspace) {
    switch (slot->kind) {
    case FXI_SLOT_CONSTANT: return slot->constant;
    case FXI_SLOT_INPUT: return inputs[slot->number]->data;
    case FXI_SLOT_OUTPUT: return outputs[slot->number]->data;
    default: return workspace + slot->offset;
    }
}

/* What fxi_program_run does, on memory of our own. */
static bool run_guarded(const fxi_cpu_program *p, const random_graph *g, guarded_side side,
                        fx_tensor **outputs) {
    size_t inputs = g->graph->parameters.count;
    fx_tensor **in = calloc(inputs + 1, sizeof *in);
    char **table = calloc(p->slots.count + 1, sizeof *table);
    guarded workspace = guarded_new((size_t)p->plan.workspace, side);
    for (size_t i = 0; i < inputs; i++) in[i] = guarded_tensor(&g->inputs[i]->shape, g->inputs[i], side);
    for (size_t i = 0; i < g->graph->output_count; i++)
        outputs[i] = guarded_tensor(&g->graph->outputs[i]->shape, NULL, side);
    for (size_t i = 0; i < p->slots.count; i++)
        table[i] = slot_address(&p->slots.data[i], in, outputs, workspace.data);
    fxi_run_args args = {.inputs = in, .outputs = outputs};
    fx_error err = {.code = FX_OK};
    bool ok = true;
    for (size_t i = 0; i < p->plan.steps.count && ok; i++)
        ok = fxi_step_run(p, &p->plan.steps.data[i], table, &args, &err);
    guarded_free(&workspace);
    check_free(in, inputs);
    free(in);
    free(table);
    return ok;
}

static bool check_guarded(const random_graph *g, void *state, fx_tensor **want) {
    fx_tensor *got[MOST_OUTPUTS] = {NULL};
    void *program = fxi_cpu_backend.compile(state, g->graph, FX_MUST);
    bool ok = true;
    for (int side = GUARDED_START; side <= GUARDED_END && ok; side++) {
        ok = run_guarded(program, g, (guarded_side)side, got) &&
             same_outputs(g, side == GUARDED_END ? "guarded at the end" : "guarded at the start", got, want);
        check_free(got, g->graph->output_count);
    }
    fxi_cpu_backend.program_free(program);
    return ok;
}

/* ---- tests ---- */

static bool check_three(const ways *w, const random_graph *g) {
    fx_tensor *a[MOST_OUTPUTS] = {NULL}, *b[MOST_OUTPUTS] = {NULL}, *c[MOST_OUTPUTS] = {NULL};
    size_t n = g->graph->output_count;
    assert_true(n <= MOST_OUTPUTS);
    check_run(&fxi_interp_backend, w->interp, g->graph, g->inputs, a, FX_MUST);
    check_run(&fxi_cpu_backend, w->unfused, g->graph, g->inputs, b, FX_MUST);
    check_run(&fxi_cpu_backend, w->planned, g->graph, g->inputs, c, FX_MUST);
    bool ok = same_outputs(g, "unfused against interp", b, a) &&
              same_outputs(g, "planned against unfused", c, b) && check_guarded(g, w->planned, c);
    check_free(a, n);
    check_free(b, n);
    check_free(c, n);
    return ok;
}

static void three_ways_give_the_same_bits(void **state) {
    (void)state;
    ways w = open_ways();
    int failed = 0;
    for (uint64_t i = 20000; i < 20120 && failed < 3; i++) {
        random_graph g = random_graph_make(i, &(random_options){.exact = true});
        failed += !check_three(&w, &g);
        random_graph_free(&g);
    }
    close_ways(&w);
    assert_int_equal(failed, 0);
}

/* All operations, in guarded memory; what they compute is the business of the other tests. */
static void kernels_stay_inside_their_memory(void **state) {
    (void)state;
    void *planned = check_open(&fxi_cpu_backend, NULL, NULL, NULL, NULL);
    int failed = 0;
    for (uint64_t i = 21000; i < 21120 && failed < 3; i++) {
        fx_tensor *want[MOST_OUTPUTS] = {NULL};
        random_graph g = random_graph_make(i, NULL);
        assert_true(g.graph->output_count <= MOST_OUTPUTS);
        check_run(&fxi_cpu_backend, planned, g.graph, g.inputs, want, FX_MUST);
        failed += !check_guarded(&g, planned, want);
        check_free(want, g.graph->output_count);
        random_graph_free(&g);
    }
    fxi_cpu_backend.close(planned);
    assert_int_equal(failed, 0);
}

static random_graph large_graph(int64_t rows, int64_t columns) {
    random_graph g = {.graph = fx_graph_new(FX_MUST)};
    fx_shape shape = fx_shape_make(FX_F32, (const int64_t[]){rows, columns}, 2);
    fx_node *x = fx_parameter(g.graph, &shape);
    fx_node *twice = fxi_node_new(NULL, FX_OP_ADD, (fx_node *[]){x, x}, 2, NULL, 0);
    fxi_attr swap = fxi_attr_ints(FXI_ATTR_PERMUTATION, (const int64_t[]){1, 0}, 2);
    fx_node *turned = fxi_node_new(NULL, FX_OP_TRANSPOSE, &twice, 1, &swap, 1);
    fx_graph_finish(g.graph, (fx_nodes){(fx_node *[]){twice, turned}, 2}, FX_MUST);
    g.inputs = fxi_alloc_zeroed(1, sizeof *g.inputs);
    random_state r = {7};
    g.inputs[0] = random_tensor(&r, &shape, RANDOM_PLAIN);
    return g;
}

static void large_outputs_pass_the_cache_by(void **state) {
    (void)state;
    ways w = open_ways();
    random_graph even = large_graph(2112, 2048), odd = large_graph(2111, 2049);
    assert_true(check_three(&w, &even));
    assert_true(check_three(&w, &odd));
    random_graph_free(&even);
    random_graph_free(&odd);
    close_ways(&w);
}

/* Sums over nothing and products over an empty axis: no operand has an element that could be read. */
static random_graph empty_graph(void) {
    random_graph g = {.graph = fx_graph_new(FX_MUST)};
    fx_shape shape = fx_shape_make(FX_F32, (const int64_t[]){4, 0, 3}, 3);
    fx_node *x = fx_parameter(g.graph, &shape), *out[4];
    static const int64_t axes[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++) {
        fxi_attr attrs[2] = {fxi_attr_int(FXI_ATTR_KIND, i),
                             fxi_attr_ints(FXI_ATTR_AXES, axes + i % 2, 3 - (size_t)i % 2 * 2)};
        out[i] = fxi_node_new(NULL, FX_OP_REDUCE, &x, 1, attrs, 2);
    }
    fxi_attr dot[5] = {fxi_attr_ints(FXI_ATTR_LHS_BATCH, axes, 1), fxi_attr_ints(FXI_ATTR_RHS_BATCH, axes, 1),
                       fxi_attr_ints(FXI_ATTR_LHS_CONTRACT, axes + 1, 1),
                       fxi_attr_ints(FXI_ATTR_RHS_CONTRACT, axes + 1, 1), fxi_attr_dtype(FX_F32)};
    out[3] = fxi_node_new(NULL, FX_OP_DOT_GENERAL, (fx_node *[]){x, x}, 2, dot, 5);
    fx_graph_finish(g.graph, (fx_nodes){out, 4}, FX_MUST);
    g.inputs = fxi_alloc_zeroed(1, sizeof *g.inputs);
    g.inputs[0] = fx_tensor_new(&shape, FX_MUST);
    return g;
}

static void empty_axes_are_not_read(void **state) {
    (void)state;
    ways w = open_ways();
    random_graph g = empty_graph();
    assert_true(check_three(&w, &g));
    random_graph_free(&g);
    close_ways(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_ways_give_the_same_bits),
        cmocka_unit_test(kernels_stay_inside_their_memory),
        cmocka_unit_test(empty_axes_are_not_read),
        cmocka_unit_test(large_outputs_pass_the_cache_by),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
