/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the kernels of attention: operands, results and workspace lie between inaccessible pages, at either
 * end, and the results are the same bits each time, also of a second run; what a program plans grows with the
 * sequence, not with its square. */
#include "backend/cpu/kernels/attention_bounds.h"
#include "backend/cpu/kernels/kernels.h"
#include "exec/both.h"
#include "support/guarded.h"
#include <fluxion/attention.h>
#include <fluxion/grad.h>
#include <fluxion/sugar.h>

/* ---- between guards ---- */

typedef struct setting {
    const char *isa;
    unsigned threads;
    guarded_side side;
} setting;

enum { MOST_OPERANDS = BOUNDED_INPUTS + 3 };

/* One run of a composite's kernel: operands hold the test's values, then what the plain sizes say. */
typedef struct kernel_run {
    const fx_node *node;
    fx_tensor *operand[MOST_OPERANDS];
    guarded memory[MOST_OPERANDS], result[BOUNDED_MOST_RESULTS];
} kernel_run;

static const fx_node *find(const fx_graph *graph, const char *name) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const fx_node *n = graph->nodes.data[i];
        if (n->op == FX_OP_COMPOSITE && strcmp(fxi_node_attr(n, FXI_ATTR_NAME)->u.text, name) == 0) return n;
    }
    return NULL;
}

/* The composite of a problem, its gradient too, in a graph with a parameter for each input and the adjoint. */
static fx_graph *build(const bounded_problem *p, const bounded_data *d, const fx_tensor *adjoint) {
    fx_graph *graph = fx_graph_new(FX_MUST);
    fx_node *in[BOUNDED_INPUTS + 1], *found[3];
    size_t n = 0;
    for (int i = 0; i < BOUNDED_INPUTS; i++)
        if (d->input[i]) in[n++] = fx_parameter(graph, &d->input[i]->shape);
    fx_node *given = fx_parameter(graph, &adjoint->shape), *output = bounded_build(p, in, true);
    fx_vjp(FX_NODES(output), FX_NODES(given), (fx_nodes){in, 3}, found);
    return graph;
}

static int64_t memory_bytes(const fx_shape *s) {
    return fx_shape_size(s) * fxi_memory_bytes(s->dtype);
}

static void run_kernel(kernel_run *r, const setting *s) {
    const char *name = fxi_node_attr(r->node, FXI_ATTR_NAME)->u.text;
    const fxi_host_kernel *kernel = fxi_composite_kernel_of(fxi_composite_kernels, r->node);
    if (!kernel) fail_msg("%s is refused", name);
    fxi_pool *pool = fxi_pool_new(s->threads, NULL, NULL, FX_MUST);
    void *state = kernel->prepare(r->node, fxi_target_find(s->isa, FX_MUST), FX_MUST);
    assert_true(kernel->compile(state, fxi_target_find(s->isa, FX_MUST), FX_MUST));
    const void *operands[MOST_OPERANDS];
    void *results[BOUNDED_MOST_RESULTS];
    for (uint32_t i = 0; i < r->node->operand_count; i++) {
        r->memory[i] = guarded_new((size_t)memory_bytes(&r->operand[i]->shape), s->side);
        operands[i] = memcpy(r->memory[i].data, r->operand[i]->data, (size_t)r->operand[i]->bytes);
    }
    for (size_t i = 0; i < fxi_node_results(r->node); i++) {
        r->result[i] = guarded_new((size_t)memory_bytes(fxi_node_result_shape(r->node, i)), s->side);
        results[i] = r->result[i].data;
    }
    guarded workspace = guarded_new((size_t)fxi_size_lines(kernel->state_workspace(state)), s->side);
    bool failed = false;
    const fxi_host_call call = {.node = r->node,
                                .operands = operands,
                                .result = results[0],
                                .results = results,
                                .workspace = workspace.data,
                                .pool = pool,
                                .state = state,
                                .failed = &failed};
    for (int repeat = 0; repeat < 2; repeat++) kernel->run(&call);
    assert_false(failed);
    guarded_free(&workspace);
    for (uint32_t i = 0; i < r->node->operand_count; i++) guarded_free(&r->memory[i]);
    kernel->release(state);
    fxi_pool_free(pool);
}

static void free_results(kernel_run *r) {
    for (size_t i = 0; i < fxi_node_results(r->node); i++) guarded_free(&r->result[i]);
}

static void check_same(const bounded_problem *p, const kernel_run *a, const kernel_run *b, const setting *s) {
    for (size_t i = 0; i < fxi_node_results(a->node); i++) {
        size_t bytes = (size_t)memory_bytes(fxi_node_result_shape(a->node, i));
        if (memcmp(a->result[i].data, b->result[i].data, bytes))
            fail_msg("%s: result %zu differs on %s", p->text, i, s->isa);
    }
}

static bool has_avx512(void) {
    fx_error err;
    return fxi_target_find("avx512", &err) != NULL;
}

/* The results stay in `first`. */
static void check_kernel(const bounded_problem *p, kernel_run *first) {
    static const setting settings[] = {{"avx2", 1, GUARDED_START},
                                       {"avx2", 2, GUARDED_END},
                                       {"avx512", 1, GUARDED_START},
                                       {"avx512", 3, GUARDED_END}};
    for (size_t i = 0; i < (has_avx512() ? 4 : 2); i++) {
        kernel_run *r = first, other = *first;
        if (i > 0) r = &other;
        run_kernel(r, &settings[i]);
        if (i == 0) continue;
        check_same(p, first, r, &settings[i]);
        free_results(r);
    }
}

static void check_problem(const bounded_problem *p) {
    bounded_data d;
    bounded_make_data(p, 9, &d);
    fx_tensor *adjoint = bounded_make_adjoint(p, 10), *made[2];
    fx_graph *graph = build(p, &d, adjoint);
    kernel_run forward = {.node = find(graph, "fx.attention")},
               gradient = {.node = find(graph, "fx.attention_grad")};
    size_t n = 0;
    for (int i = 0; i < BOUNDED_INPUTS; i++) {
        if (!d.input[i]) continue;
        const fx_shape *s = &forward.node->operands[n]->shape;
        assert_true(fx_shape_size(s) == fx_shape_size(&d.input[i]->shape)); /* of rank 4 now */
        forward.operand[n] = gradient.operand[n] = d.input[i];
        n++;
    }
    check_kernel(p, &forward);
    for (int i = 0; i < 2; i++) {
        made[i] = fx_tensor_new(fxi_node_result_shape(forward.node, (size_t)i), FX_MUST);
        memcpy(made[i]->data, forward.result[i].data, (size_t)made[i]->bytes);
        gradient.operand[n++] = made[i];
    }
    free_results(&forward);
    gradient.operand[n] = adjoint;
    check_kernel(p, &gradient);
    free_results(&gradient);
    fx_tensor_free(made[0]), fx_tensor_free(made[1]), fx_tensor_free(adjoint);
    fx_graph_free(graph);
    bounded_free_data(&d);
}

static void test_guards(void **state) {
    (void)state;
    for (size_t i = 0; i < bounded_problem_count; i++) check_problem(&bounded_problems[i]);
}

/* ---- what is planned ---- */

static void causal(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const fx_attention_options o = {.size = sizeof o, .causal = true};
    (void)g, (void)n_in, (void)user;
    fx_node *output = fx_nn_attention(in[0], in[1], in[2], &o, NULL, NULL);
    out[0] = output;
    if (n_out == 3) fx_gradient(fx_reduce_all_sum(fx_square(output)), (fx_nodes){in, 3}, out);
}

static int64_t workspace_of(fx_backend *backend, int64_t length, size_t n_out) {
    fx_exec *exec = fx_exec_new_fn(backend, causal, 3, n_out, NULL, FX_MUST);
    const fx_shape shape = FX_SHAPE(FX_F32, 1, 1, length, 64), shapes[] = {shape, shape, shape};
    fx_program *program = fx_exec_program(exec, shapes, 3, FX_MUST);
    fx_memory memory = {.size = sizeof memory};
    assert_true(fx_program_memory(program, &memory));
    fx_program_free(program);
    fx_exec_free(exec);
    return memory.workspace;
}

static void test_planned(void **state) {
    (void)state;
    fx_backend *backend = fx_backend_open("cpu", FX_MUST);
    for (size_t n_out = 1; n_out <= 3; n_out += 2) {
        int64_t first = workspace_of(backend, 8192, n_out), second = workspace_of(backend, 16384, n_out);
        assert_true(first < (int64_t)8192 * 8192 * 4 / 4);
        assert_true(second <= 2 * first);
    }
    assert_true(fx_backend_supports(backend, "fx.attention"));
    assert_true(fx_backend_supports(backend, "fx.attention_grad"));
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
