/* SPDX-License-Identifier: Apache-2.0 */
/* Generated graphs in both modes: derivatives of every operation in every dtype and shape that the generator
 * knows are built and run, and Re<u, jvp t> = Re<vjp u, t> where all numbers are finite and none is a half;
 * of the graph and of its vector-Jacobian product. Some are compiled and run on the cpu backend too. Operations without derivatives must say so, and nothing else may be refused. */
#include "backend/interp/interp.h"
#if FLUXION_CPU
#include "backend/cpu/cpu.h"
#endif
#include "passes/passes.h"
#include "support/graph_helpers.h"
#include "support/random_graph.h"
#include <fluxion/grad.h>
#include <fluxion/ops.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 64,
    COMPILED = 50 /* every so many graphs run on the cpu backend */
};

typedef struct lists {
    fx_graph *graph;
    fx_node *x[MOST], *y[MOST], *t[MOST], *u[MOST], *jvp[MOST], *vjp[MOST];
    size_t n, m; /* of x, t, vjp; of y, u, jvp */
    bool has_half;
} lists;

static bool is_smooth(const fx_node *n) {
    fx_dtype dtype = fx_node_dtype(n);
    return (fx_dtype_is_float(dtype) && fx_dtype_bits(dtype) > 8) || fx_dtype_is_complex(dtype);
}

static bool is_narrow(const fx_node *n) {
    return fx_dtype_is_float(n->shape.dtype) && fx_dtype_bits(n->shape.dtype) < 32;
}

/* A constant like n, of small numbers. */
static fx_node *random_like(random_state *r, const fx_node *n) {
    fx_tensor *value = random_tensor(r, &n->shape, RANDOM_PLAIN);
    fx_node *constant = fx_constant(n->graph, value);
    fx_tensor_free(value);
    return constant;
}

/* The generated graph once more, unfinished. */
static void copy_graph(const random_graph *g, lists *l) {
    const fx_graph *from = g->graph;
    fx_node **map = calloc(from->nodes.count + 1, sizeof *map);
    for (size_t i = 0; i < from->nodes.count; i++) {
        const fx_node *n = from->nodes.data[i];
        fx_node *operands[MOST];
        for (uint32_t k = 0; k < n->operand_count; k++) operands[k] = map[n->operands[k]->id];
        l->has_half |= is_narrow(n);
        if (n->op == FX_OP_RESULT)
            map[i] = fxi_node_result(operands[0], (size_t)fxi_node_int(n, FXI_ATTR_RESULT));
        else if (n->op == FX_OP_PARAMETER)
            map[i] = fx_parameter(l->graph, &n->shape);
        else
            map[i] = fxi_node_make(&(fxi_node_spec){.graph = l->graph,
                                                    .op = n->op,
                                                    .operands = operands,
                                                    .operand_count = n->operand_count,
                                                    .attrs = n->attrs,
                                                    .attr_count = n->attr_count,
                                                    .shape = &n->shape});
        if (n->op == FX_OP_PARAMETER && is_smooth(n) && l->n < MOST / 2) l->x[l->n++] = map[i];
    }
    for (size_t i = 0; i < from->output_count && l->m < MOST / 2; i++) {
        fx_node *output = map[from->outputs[i]->id];
        if (is_smooth(output)) l->y[l->m++] = output;
    }
    free(map);
}

/* Part by part: Re(conj(a) b), and the sum of magnitudes. */
static double product(const fx_tensor *a, const fx_tensor *b, double *scale) {
    double sum = 0;
    for (int64_t i = 0; i < fx_tensor_size(a); i++) {
        fxi_scalar x = fxi_element_load(fx_tensor_dtype(a), fx_tensor_data(a), i);
        fxi_scalar y = fxi_element_load(fx_tensor_dtype(b), fx_tensor_data(b), i);
        sum += x.re * y.re + x.im * y.im;
        *scale += fabs(x.re * y.re) + fabs(x.im * y.im);
    }
    return sum;
}

/* A finished graph on ordinary numbers: infinities and tiny numbers would only hide differences. */
static void run(const fxi_backend_ops *backend, const fx_graph *graph, uint64_t number, fx_tensor **out) {
    fx_error err = {.code = FX_OK};
    fx_tensor *in[MOST];
    random_state r = {number + 1000};
    size_t n = graph->parameters.count;
    assert_true(n <= MOST);
    for (size_t i = 0; i < n; i++) in[i] = random_tensor(&r, &graph->parameters.data[i]->shape, RANDOM_PLAIN);
    void *state = backend->open(&(fxi_open_args){0}, &err);
    void *program = state ? backend->compile(state, graph, &err) : NULL;
    const fxi_run_args args = {.inputs = in, .outputs = out};
    if (!program || !backend->run(program, &args, &err))
        fail_msg("graph %llu: %s", (unsigned long long)number, err.message);
    for (size_t i = 0; i < n; i++) fx_tensor_free(in[i]);
    backend->program_free(program);
    backend->close(state);
}

/* Whether the sums of both modes were compared: of u, jvp for each of the m outputs, then t, vjp for each of
 * the n inputs. */
static bool compare_on(const fxi_backend_ops *backend, const fx_graph *graph, uint64_t number,
                       const lists *l) {
    fx_tensor *out[4 * MOST] = {NULL};
    double left = 0, right = 0, scale = 0;
    run(backend, graph, number, out);
    for (size_t i = 0; i < l->m; i++) left += product(out[2 * i], out[2 * i + 1], &scale);
    for (size_t i = l->m; i < l->m + l->n; i++) right += product(out[2 * i], out[2 * i + 1], &scale);
    for (size_t i = 0; i < 2 * (l->m + l->n); i++) fx_tensor_free(out[i]);
    if (l->has_half || !isfinite(scale)) return false;
    if (fabs(left - right) > 1e-4 * (1 + scale))
        fail_msg("graph %llu: <u, jvp t> = %.9g, <vjp u, t> = %.9g", (unsigned long long)number, left, right);
    return scale > 0;
}

static bool compare(uint64_t number, const lists *l) {
    fx_error err = {.code = FX_OK};
    fx_node *all[4 * MOST];
    size_t n = 0;
    for (size_t i = 0; i < l->m; i++) all[n++] = l->u[i], all[n++] = l->jvp[i];
    for (size_t i = 0; i < l->n; i++) all[n++] = l->t[i], all[n++] = l->vjp[i];
    if (!fx_graph_finish(l->graph, (fx_nodes){all, n}, &err) || !fxi_verify(l->graph, &err))
        fail_msg("graph %llu: %s", (unsigned long long)number, err.message);
    bool compared = compare_on(&fxi_interp_backend, l->graph, number, l);
#if FLUXION_CPU
    if (number % COMPILED == 0) {
        fx_graph *simple = fxi_passes_run(l->graph, FX_MUST);
        compare_on(&fxi_cpu_backend, simple, number, l);
        fx_graph_free(simple);
    }
#endif
    return compared;
}

/* The function (x, u) -> vjp u in the place of x -> y. */
static void differentiate(lists *l, random_state *r) {
    size_t m = l->m;
    for (size_t i = 0; i < m; i++) l->u[i] = random_like(r, l->y[i]);
    fx_vjp((fx_nodes){l->y, m}, (fx_nodes){l->u, m}, (fx_nodes){l->x, l->n}, l->y + m);
    memmove(l->y, l->y + m, l->n * sizeof *l->y);
    l->m = l->n;
    for (size_t i = 0; i < m; i++) l->x[l->n++] = l->u[i];
}

static bool check_graph(uint64_t number, int order, bool *refused) {
    fx_error err = {.code = FX_OK};
    random_graph g = random_graph_make(number, &(random_options){.elements = 40});
    random_state r = {number};
    lists l = {.graph = fx_graph_new(FX_MUST)};
    bool compared = false;
    copy_graph(&g, &l);
    if (l.n && l.m) {
        if (order == 2) differentiate(&l, &r);
        *refused = fx_graph_error(l.graph, &err);
    }
    if (l.n && l.m && !*refused) {
        for (size_t i = 0; i < l.n; i++) l.t[i] = random_like(&r, l.x[i]);
        for (size_t i = 0; i < l.m; i++) l.u[i] = random_like(&r, l.y[i]);
        fx_jvp((fx_nodes){l.y, l.m}, (fx_nodes){l.x, l.n}, (fx_nodes){l.t, l.n}, l.jvp);
        fx_vjp((fx_nodes){l.y, l.m}, (fx_nodes){l.u, l.m}, (fx_nodes){l.x, l.n}, l.vjp);
        *refused = fx_graph_error(l.graph, &err);
        compared = !*refused && compare(number, &l);
    }
    if (*refused && err.code != FX_ERROR_UNSUPPORTED)
        fail_msg("graph %llu: %s", (unsigned long long)number, err.message);
    fx_graph_free(l.graph);
    random_graph_free(&g);
    return compared;
}

static void check_graphs(int order, uint64_t graphs) {
    uint64_t compared = 0, refusals = 0;
    for (uint64_t i = 0; i < graphs; i++) {
        bool refused = false;
        compared += check_graph(i, order, &refused);
        refusals += refused;
    }
    assert_true(compared > graphs / 8);
    assert_true(refusals < graphs / 8);
}

static void test_first_order(void **state) {
    (void)state;
    check_graphs(1, 2000);
}
static void test_second_order(void **state) {
    (void)state;
    check_graphs(2, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_order),
                                       cmocka_unit_test(test_second_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
