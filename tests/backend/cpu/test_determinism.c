/* SPDX-License-Identifier: Apache-2.0 */
/* The same bits for 1, 2, 3 and 8 threads, alone and beside another running program: generated graphs large
 * enough for tasks, chunks and partial results, and reductions and contractions around the sizes where their
 * plans change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/cpu/cpu.h"
#include "check_graph.h"
#include <pthread.h>
#include <stdatomic.h>

enum { COUNTS = 4, MOST_OUTPUTS = 64 };
static const char *const thread_counts[COUNTS] = {"1", "2", "3", "8"};

/* ---- the other program ---- */

typedef struct company {
    void *state;
    random_graph graph;
    _Atomic bool stop;
    _Atomic int runs;
    pthread_t thread;
} company;

static void *keep_running(void *context) {
    company *c = context;
    void *program = fxi_cpu_backend.compile(c->state, c->graph.graph, FX_MUST);
    while (!c->stop) {
        fx_tensor *out[MOST_OUTPUTS] = {NULL};
        fxi_cpu_backend.run(program, &(fxi_run_args){.inputs = c->graph.inputs, .outputs = out}, FX_MUST);
        check_free(out, c->graph.graph->output_count);
        c->runs++;
    }
    fxi_cpu_backend.program_free(program);
    return NULL;
}

static void start_company(company *c, void *state) {
    *c = (company){.state = state, .graph = random_graph_make(30999, &(random_options){.elements = 20000})};
    assert_int_equal(pthread_create(&c->thread, NULL, keep_running, c), 0);
    while (c->runs == 0) continue; /* it is running now */
}

static void end_company(company *c) {
    c->stop = true;
    pthread_join(c->thread, NULL);
    random_graph_free(&c->graph);
}

/* ---- the comparison ---- */

typedef struct backends {
    void *states[COUNTS];
} backends;

static bool same_bits(const random_graph *g, fx_tensor **got, fx_tensor **want, const char *threads,
                      const char *how) {
    for (size_t i = 0; i < g->graph->output_count; i++) {
        if (fx_tensor_equal(got[i], want[i])) continue;
        print_error("graph %llu, output %zu differs with %s threads %s\n", (unsigned long long)g->number, i,
                    threads, how);
        return false;
    }
    return true;
}

static int check_all_counts(const backends *b, const random_graph *g, fx_tensor **want, const char *how) {
    int failed = 0;
    for (int i = 0; i < COUNTS; i++) {
        fx_tensor *got[MOST_OUTPUTS] = {NULL};
        check_run(&fxi_cpu_backend, b->states[i], g->graph, g->inputs, got, FX_MUST);
        failed += !same_bits(g, got, want, thread_counts[i], how);
        check_free(got, g->graph->output_count);
    }
    return failed;
}

static int check_one(const backends *b, const random_graph *g, bool beside) {
    fx_tensor *want[MOST_OUTPUTS] = {NULL};
    assert_true(g->graph->output_count <= MOST_OUTPUTS);
    check_run(&fxi_cpu_backend, b->states[0], g->graph, g->inputs, want, FX_MUST);
    int failed = beside ? 0 : check_all_counts(b, g, want, "alone");
    for (int i = 1; beside && i < COUNTS; i += 2) { /* one that shares the pool with 2 and with 8 threads */
        company other;
        start_company(&other, b->states[i]);
        failed += check_all_counts(b, g, want, "beside another program");
        end_company(&other);
    }
    check_free(want, g->graph->output_count);
    return failed;
}

/* ---- graphs ---- */

static random_graph one_parameter(const int64_t *dims, size_t rank, fx_dtype dtype, fx_node **x) {
    random_graph g = {.graph = fx_graph_new(FX_MUST)};
    fx_shape shape = fx_shape_make(dtype, dims, rank);
    *x = fx_parameter(g.graph, &shape);
    g.inputs = fxi_alloc_zeroed(1, sizeof *g.inputs);
    random_state r = {11};
    g.inputs[0] = random_tensor(&r, &shape, RANDOM_PLAIN);
    return g;
}

/* Sums of rows, of columns and of everything, and x times its transpose. */
static random_graph reductions(int64_t rows, int64_t columns, fx_dtype dtype) {
    static const int64_t axes[2] = {0, 1};
    fx_node *x, *out[4];
    random_graph g = one_parameter((const int64_t[]){rows, columns}, 2, dtype, &x);
    for (int i = 0; i < 3; i++) {
        fxi_attr attrs[2] = {fxi_attr_int(FXI_ATTR_KIND, FXI_SUM),
                             fxi_attr_ints(FXI_ATTR_AXES, axes + (i == 1), i == 2 ? 2 : 1)};
        out[i] = fxi_node_new(NULL, FX_OP_REDUCE, &x, 1, attrs, 2);
    }
    bool rows_fit = rows < columns;
    fxi_attr dot[5] = {fxi_attr_ints(FXI_ATTR_LHS_BATCH, NULL, 0), fxi_attr_ints(FXI_ATTR_RHS_BATCH, NULL, 0),
                       fxi_attr_ints(FXI_ATTR_LHS_CONTRACT, axes + rows_fit, 1),
                       fxi_attr_ints(FXI_ATTR_RHS_CONTRACT, axes + rows_fit, 1), fxi_attr_dtype(dtype)};
    out[3] = fxi_node_new(NULL, FX_OP_DOT_GENERAL, (fx_node *[]){x, x}, 2, dot, 5);
    fx_graph_finish(g.graph, (fx_nodes){out, 4}, FX_MUST);
    return g;
}

static int check_graphs(const backends *b, bool beside) {
    static const int64_t sizes[][2] = {{1, 100003}, {100003, 1}, {700, 1030},
                                       {65, 33000}, {40000, 37}, {512, 512}};
    static const fx_dtype dtypes[] = {FX_F32, FX_F64, FX_BF16};
    int failed = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        random_graph g = reductions(sizes[i][0], sizes[i][1], dtypes[i % 3]);
        failed += check_one(b, &g, beside);
        random_graph_free(&g);
    }
    for (uint64_t i = 30000; i < 30030; i++) {
        random_graph g = random_graph_make(i, &(random_options){.elements = i % 2 ? 300000 : 30000});
        failed += check_one(b, &g, beside);
        random_graph_free(&g);
    }
    return failed;
}

static backends open_backends(void) {
    backends b;
    for (int i = 0; i < COUNTS; i++)
        b.states[i] = check_open(&fxi_cpu_backend, "threads", thread_counts[i], NULL, NULL);
    return b;
}

static void close_backends(backends *b) {
    for (int i = 0; i < COUNTS; i++) fxi_cpu_backend.close(b->states[i]);
}

static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    backends b = open_backends();
    assert_int_equal(check_graphs(&b, false), 0);
    close_backends(&b);
}

static void bits_do_not_depend_on_other_programs(void **state) {
    (void)state;
    backends b = open_backends();
    assert_int_equal(check_graphs(&b, true), 0);
    close_backends(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(bits_do_not_depend_on_other_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
