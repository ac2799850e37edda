/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of generated graphs (check_graph.h). */
#define _POSIX_C_SOURCE 200809L
#include "check_graph.h"
#include "backend/cpu/cpu.h"
#include "backend/interp/interp.h"
#include "math_reference.h"
#include "passes/passes.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- running ---- */

void *check_open(const fxi_backend_ops *backend, const char *key, const char *value, const char *key2,
                 const char *value2) {
    const fxi_config options[2] = {{key, value}, {key2, value2}};
    size_t count = key2 ? 2 : key ? 1 : 0;
    return backend->open(&(fxi_open_args){.config = options, .count = count}, FX_MUST);
}

check_backends check_backends_open(void) {
    check_backends b = {.interp = check_open(&fxi_interp_backend, NULL, NULL, NULL, NULL)};
    b.fused = check_open(&fxi_cpu_backend, "debug", "ranges", "debug", "poison");
    b.unfused = check_open(&fxi_cpu_backend, "debug", "ranges", "fusion", "off");
    return b;
}

void check_backends_close(check_backends *b) {
    fxi_interp_backend.close(b->interp);
    fxi_cpu_backend.close(b->fused);
    fxi_cpu_backend.close(b->unfused);
}

bool check_run(const fxi_backend_ops *backend, void *state, const fx_graph *graph, fx_tensor *const *inputs,
               fx_tensor **outputs, fx_error *err) {
    void *program = backend->compile(state, graph, err);
    if (!program) return false;
    memset(outputs, 0, graph->output_count * sizeof *outputs);
    bool ok = backend->run(program, &(fxi_run_args){.inputs = inputs, .outputs = outputs}, err);
    backend->program_free(program);
    return ok;
}

void check_free(fx_tensor **tensors, size_t n) {
    for (size_t i = 0; i < n; i++) {
        fx_tensor_free(tensors[i]);
        tensors[i] = NULL;
    }
}

/* ---- one graph ---- */

typedef struct check {
    const check_backends *b;
    const random_graph *g;
    size_t nodes, outputs;
    fx_tensor **values; /* per node, from cpu?fusion=off */
    bool *ordered;      /* per node: depends on the order of a sum */
    char *message;
} check;

static bool fail(check *c, const char *what, const fx_node *node, const char *text) {
    char line[1000] = "";
    if (node) {
        fxi_text t = fxi_text_fixed(line, sizeof line);
        fxi_node_add_text(&t, node);
    }
    snprintf(c->message, 400, "%s: %.150s: %.200s", what, line, text);
    return false;
}

/* The whole graph with every node an output. */
static bool compute_values(check *c) {
    random_graph all = random_graph_whole(c->g);
    fx_error err = {.code = FX_OK};
    bool ok = check_run(&fxi_cpu_backend, c->b->unfused, all.graph, all.inputs, c->values, &err);
    random_graph_free(&all);
    return ok || fail(c, "unfused", NULL, err.message);
}

static bool find_math(fx_op op, fxi_math *function) {
    switch (op) {
#define X(id, operands)                                                                                      \
    case FX_OP_##id: *function = FXI_MATH_##id; return true;
        FXI_MATH_FUNCTIONS(X)
#undef X
    default: return false;
    }
}

static compare_bound bound_of(fx_op op, unsigned bits, double x) {
    fxi_math function;
    if (!find_math(op, &function)) return (compare_bound){-1, 0};
    return (compare_bound){fxi_math_bound(function, bits),
                           bits == 64 ? math_smallest(&math_cases[function], x) : 0};
}

/* The interpreter on one node and given operands. */
static fx_tensor *interpret(const check *c, const fx_node *node, fx_tensor *const *operands) {
    fx_graph *one = fx_graph_new(FX_MUST);
    fx_node *x[16];
    fx_tensor *out = NULL;
    for (uint32_t k = 0; k < node->operand_count; k++) x[k] = fx_parameter(one, &node->operands[k]->shape);
    fx_node *n = fxi_node_make(&(fxi_node_spec){.graph = one,
                                                .op = node->op,
                                                .operands = x,
                                                .operand_count = node->operand_count,
                                                .attrs = node->attrs,
                                                .attr_count = node->attr_count,
                                                .shape = &node->shape});
    fx_graph_finish(one, (fx_nodes){&n, 1}, FX_MUST);
    check_run(&fxi_interp_backend, c->b->interp, one, operands, &out, FX_MUST);
    fx_graph_free(one);
    return out;
}

/* A further result is checked as what the interpreter makes of its node's operands. */
static bool check_further(check *c, const fx_node *node) {
    const fx_node *whole = node->operands[0];
    fx_tensor *operands[16];
    fx_graph *one = fx_graph_new(FX_MUST);
    fx_node *x[16];
    fx_tensor *want = NULL;
    for (uint32_t k = 0; k < whole->operand_count; k++) {
        operands[k] = c->values[whole->operands[k]->id];
        x[k] = fx_parameter(one, &whole->operands[k]->shape);
    }
    fx_node *n = fxi_node_new(one, whole->op, x, whole->operand_count, whole->attrs, whole->attr_count);
    n = fxi_node_result(n, (size_t)fxi_node_int(node, FXI_ATTR_RESULT));
    fx_graph_finish(one, (fx_nodes){&n, 1}, FX_MUST);
    check_run(&fxi_interp_backend, c->b->interp, one, operands, &want, FX_MUST);
    fx_graph_free(one);
    compare_report report;
    bool same = compare_bits(c->values[node->id], want, &report);
    fx_tensor_free(want);
    c->ordered[node->id] = c->ordered[whole->id];
    return same || fail(c, "unfused against interp", whole, report.text);
}

static bool check_node(check *c, const fx_node *node) {
    fx_tensor *operands[16];
    if (node->op == FX_OP_RESULT) return check_further(c, node);
    for (uint32_t k = 0; k < node->operand_count; k++) operands[k] = c->values[node->operands[k]->id];
    bool ordered = false;
    for (uint32_t k = 0; k < node->operand_count; k++) ordered |= c->ordered[node->operands[k]->id];
    c->ordered[node->id] = ordered || !compare_is_exact_in_any_order(node, operands);
    if (node->op == FX_OP_PARAMETER) {
        compare_report report;
        bool same =
            compare_bits(c->values[node->id], c->g->inputs[fxi_node_int(node, FXI_ATTR_INDEX)], &report);
        return same || fail(c, "unfused against interp", node, report.text);
    }
    compare_report report;
    fx_tensor *want = interpret(c, node, operands);
    bool ok = compare_node(node, operands, c->values[node->id], want, bound_of, &report);
    fx_tensor_free(want);
    return ok || fail(c, "unfused against interp", node, report.text);
}

/* An output of the fused program against the unfused value. */
static bool check_output(check *c, const char *what, const fx_node *node, const fx_tensor *got) {
    compare_report report;
    if (compare_bits(got, c->values[node->id], &report)) return true;
    fx_tensor *operands[16];
    bool below = false;
    for (uint32_t k = 0; k < node->operand_count; k++) {
        operands[k] = c->values[node->operands[k]->id];
        below |= c->ordered[node->operands[k]->id];
    }
    if (below) return true;
    if (!c->ordered[node->id]) return fail(c, what, node, report.text);
    fx_tensor *want = interpret(c, node, operands);
    bool ok = compare_node(node, operands, got, want, bound_of, &report);
    fx_tensor_free(want);
    return ok || fail(c, what, node, report.text);
}

static void count_nodes(const fxi_fusion *f, check_counts *counts) {
    const fx_graph *g = f->graph;
    bool *shares = calloc(g->nodes.count + 1, 1);
    for (size_t i = 0; i < f->clusters.count; i++) {
        const fxi_cluster *c = f->clusters.data[i];
        int computed = 0;
        for (size_t k = 0; k < c->entries.count; k++) {
            const fxi_entry *e = &f->entries.data[c->entries.data[k]];
            computed += e->state != FXI_ENTRY_LOAD && e->node != c->root;
        }
        if (computed) shares[c->root->id] = true;
    }
    for (size_t i = 0; i < g->nodes.count; i++) {
        const fx_node *n = g->nodes.data[i];
        if (!f->live[i]) continue;
        counts->nodes[n->op][graph_cell_dtype(n)][0]++; /* in compute_values */
        if (!f->in_memory[i] || shares[i]) counts->nodes[n->op][graph_cell_dtype(n)][1]++;
    }
    free(shares);
}

/* The planned program, plain or after the passes. */
static bool check_fused(check *c, const char *what, const fx_graph *graph, check_counts *counts) {
    fx_tensor **got = calloc(c->outputs + 1, sizeof *got);
    fx_error err = {.code = FX_OK};
    void *program = fxi_cpu_backend.compile(c->b->fused, graph, &err);
    bool ok = program &&
              fxi_cpu_backend.run(program, &(fxi_run_args){.inputs = c->g->inputs, .outputs = got}, &err);
    if (!ok) fail(c, what, NULL, err.message);
    if (ok && counts) count_nodes(&((fxi_cpu_program *)program)->plan.fusion, counts);
    for (size_t i = 0; i < c->outputs && ok; i++) ok = check_output(c, what, c->g->graph->outputs[i], got[i]);
    check_free(got, c->outputs);
    free(got);
    fxi_cpu_backend.program_free(program);
    return ok;
}

/* A pass may turn a power into a product, which is the better of two results within the bound. */
static bool has_power(const fx_graph *g) {
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.data[i]->op == FX_OP_POW) return true;
    return false;
}

static bool check_passes(check *c) {
    if (c->g->number % 2 || has_power(c->g->graph)) return true;
    fx_error err = {.code = FX_OK};
    fx_graph *graph = fxi_passes_run(c->g->graph, &err);
    if (!graph) return fail(c, "passes", NULL, err.message);
    bool ok = fxi_verify(graph, &err) || fail(c, "passes", NULL, err.message);
    ok = ok && check_fused(c, "fused after passes", graph, NULL);
    fx_graph_free(graph);
    return ok;
}

/* ---- as the body of a loop over small tensors ---- */

/* A scan of one round whose body is the graph: what it stacks are the outputs. */
static fx_graph *loop_of(const fx_graph *body) {
    fx_graph *g = fx_graph_new(FX_MUST);
    size_t n = body->parameters.count, outputs = body->output_count;
    fx_node **operands = calloc(n + 1, sizeof *operands), **results = calloc(outputs + 1, sizeof *results);
    for (size_t i = 0; i < n; i++) operands[i] = fx_parameter(g, &body->parameters.data[i]->shape);
    fx_graph *bodies[1] = {(fx_graph *)(uintptr_t)body};
    const fxi_attr attrs[] = {fxi_attr_graphs(FXI_ATTR_BODIES, bodies, 1), fxi_attr_int(FXI_ATTR_STATES, 0),
                              fxi_attr_int(FXI_ATTR_INPUTS, 0), fxi_attr_int(FXI_ATTR_LENGTH, 1),
                              fxi_attr_int(FXI_ATTR_BACKWARDS, 0)};
    results[0] = fxi_node_make(&(fxi_node_spec){.graph = g, .op = FX_OP_SCAN, .operands = operands,
                                                .operand_count = n, .attrs = attrs, .attr_count = 5});
    for (size_t i = 1; i < outputs; i++) results[i] = fxi_node_result(results[0], i);
    fx_graph_finish(g, (fx_nodes){results, outputs}, FX_MUST);
    free(operands);
    free(results);
    return g;
}

/* Without the leading axis of the stack. */
static fx_tensor *only_row(const fx_tensor *stacked) {
    fx_shape shape = fx_shape_make(stacked->shape.dtype, stacked->shape.dims + 1, (size_t)stacked->shape.rank - 1);
    return fx_tensor_copy_from(&shape, stacked->data, FX_MUST);
}

static bool check_native(check *c, check_counts *counts) {
    fx_graph *loop = loop_of(c->g->graph);
    bool ok = true;
    if (fxi_tiny_fits(loop->outputs[0])) {
        fx_error err = {.code = FX_OK};
        fx_tensor **got = calloc(c->outputs, sizeof *got);
        ok = check_run(&fxi_cpu_backend, c->b->fused, loop, c->g->inputs, got, &err) || fail(c, "native loop", NULL, err.message);
        for (size_t i = 0; i < c->outputs && ok; i++) {
            fx_tensor *row = only_row(got[i]);
            ok = check_output(c, "native loop", c->g->graph->outputs[i], row);
            fx_tensor_free(row);
        }
        check_free(got, c->outputs);
        free(got);
        if (counts) counts->native++;
    }
    fx_graph_free(loop);
    return ok;
}

bool check_graph(const check_backends *b, const random_graph *g, check_counts *counts, char message[400]) {
    check c = {.b = b,
               .g = g,
               .nodes = g->graph->nodes.count,
               .outputs = g->graph->output_count,
               .message = message};
    c.values = calloc(c.nodes + 1, sizeof *c.values);
    c.ordered = calloc(c.nodes + 1, sizeof *c.ordered);
    bool ok = compute_values(&c);
    for (size_t i = 0; i < c.nodes && ok; i++) ok = check_node(&c, g->graph->nodes.data[i]);
    ok = ok && check_fused(&c, "fused against unfused", g->graph, counts) && check_passes(&c);
    ok = ok && (g->graph->output_count == 0 || check_native(&c, counts));
    check_free(c.values, c.nodes);
    free(c.values);
    free(c.ordered);
    return ok;
}

/* ---- shrinking ---- */

typedef struct shrink {
    const check_backends *b;
    random_graph smallest; /* what fails */
    char message[400];
} shrink;

/* Takes the candidate when it fails too. */
static bool take_if_failing(shrink *s, random_graph candidate) {
    char message[400];
    if (check_graph(s->b, &candidate, NULL, message)) {
        random_graph_free(&candidate);
        return false;
    }
    random_graph_free(&s->smallest);
    s->smallest = candidate;
    memcpy(s->message, message, sizeof message);
    return true;
}

static void shrink_outputs(shrink *s) {
    for (size_t i = 0; i < s->smallest.graph->output_count; i++)
        if (take_if_failing(
                s, random_graph_cut(&s->smallest,
                                    &(random_cut){.outputs = &s->smallest.graph->outputs[i], .count = 1})))
            return;
}

/* One more node becomes a parameter, with the interpreter's value; false when none can. */
static bool shrink_node(shrink *s) {
    const fx_graph *g = s->smallest.graph;
    size_t nodes = g->nodes.count;
    fx_tensor **values = calloc(nodes + 1, sizeof *values);
    bool *as_parameter = calloc(nodes + 1, 1), done = false;
    random_graph all = random_graph_whole(&s->smallest);
    check_run(&fxi_interp_backend, s->b->interp, all.graph, all.inputs, values, FX_MUST);
    random_graph_free(&all);
    for (size_t i = nodes; i-- > 0 && !done;) {
        if (g->nodes.data[i]->op == FX_OP_PARAMETER) continue;
        as_parameter[i] = true;
        done = take_if_failing(s, random_graph_cut(&s->smallest, &(random_cut){g->outputs, g->output_count,
                                                                               as_parameter, values}));
        as_parameter[i] = false;
    }
    check_free(values, nodes);
    free(values);
    free(as_parameter);
    return done;
}

static void print_graph(const random_graph *g, const char *message) {
    size_t size = fx_graph_text(g->graph, NULL, 0) + 1;
    char *text = malloc(size);
    fx_graph_text(g->graph, text, size);
    fprintf(stderr, "graph %llu: %s\n%s", (unsigned long long)g->number, message, text);
    for (size_t i = 0; i < g->graph->output_count; i++)
        fprintf(stderr, "output %%%lld\n", (long long)g->graph->outputs[i]->id);
    for (size_t i = 0; i < g->graph->parameters.count; i++)
        fprintf(stderr, "input %zu = %s\n", i, fx_tensor_text(g->inputs[i]).s);
    free(text);
}

bool check_and_report(const check_backends *b, const random_graph *g, check_counts *counts) {
    shrink s = {.b = b};
    if (check_graph(b, g, counts, s.message)) return true;
    fprintf(stderr, "graph %llu fails: %s\n", (unsigned long long)g->number, s.message);
    s.smallest =
        random_graph_cut(g, &(random_cut){.outputs = g->graph->outputs, .count = g->graph->output_count});
    shrink_outputs(&s);
    while (shrink_node(&s)) continue;
    print_graph(&s.smallest, s.message);
    random_graph_free(&s.smallest);
    return false;
}

/* ---- many graphs ---- */

enum { FAILURES = 4, WORKERS = 8 };

typedef struct range {
    const random_options *options;
    check_backends b;
    _Atomic uint64_t next;
    uint64_t end;
    _Atomic int failed;
    pthread_mutex_t lock; /* of counts, and of printing */
    check_counts *counts;
} range;

static void add_counts(range *r, const check_counts *more) {
    int64_t *to = &r->counts->nodes[0][0][0];
    const int64_t *from = &more->nodes[0][0][0];
    pthread_mutex_lock(&r->lock);
    for (size_t i = 0; i < sizeof *more / sizeof *from; i++) to[i] += from[i];
    pthread_mutex_unlock(&r->lock);
}

/* A crash in generated code must say which graph it was. */
static _Thread_local uint64_t current;

static void report_crash(int signal_number) {
    char text[80];
    int n =
        snprintf(text, sizeof text, "signal %d in graph %llu\n", signal_number, (unsigned long long)current);
    if (write(STDERR_FILENO, text, (size_t)n) < 0) _exit(4);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void catch_crashes(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], report_crash);
}

static void *check_some(void *context) {
    range *r = context;
    check_counts *counts = calloc(1, sizeof *counts);
    for (uint64_t i; (i = r->next++) < r->end && r->failed < FAILURES;) {
        char message[400];
        current = i;
        random_graph g = random_graph_make(i, r->options);
        if (!check_graph(&r->b, &g, counts, message)) {
            r->failed++;
            pthread_mutex_lock(&r->lock);
            check_and_report(&r->b, &g, NULL);
            pthread_mutex_unlock(&r->lock);
        }
        random_graph_free(&g);
    }
    add_counts(r, counts);
    free(counts);
    return NULL;
}

int check_range(uint64_t first, uint64_t count, const random_options *options, check_counts *counts) {
    range r = {.options = options,
               .b = check_backends_open(),
               .next = first,
               .end = first + count,
               .counts = counts};
    pthread_t threads[WORKERS];
    unsigned workers = fxi_usable_cpus() < WORKERS ? fxi_usable_cpus() : WORKERS, started = 0;
    pthread_mutex_init(&r.lock, NULL);
    catch_crashes();
    while (started + 1 < workers && pthread_create(&threads[started], NULL, check_some, &r) == 0) started++;
    check_some(&r);
    for (unsigned i = 0; i < started; i++) pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&r.lock);
    check_backends_close(&r.b);
    return r.failed;
}

/* ---- coverage ---- */

/* Operations that run as library kernels, whatever the dtype. */
static int report_library(const check_counts *counts, bool print) {
    static graph_cell cells[GRAPH_CELLS_LIMIT];
    size_t n = graph_library_cells(cells);
    int zeros = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && cells[i].op == cells[i - 1].op) continue;
        int64_t all = 0;
        for (int dtype = 0; dtype < FX_DTYPE_LIMIT; dtype++) all += counts->nodes[cells[i].op][dtype][0];
        zeros += all == 0;
        if (print || all == 0)
            printf("%-24s %6lld%s\n", fxi_op_info_of(cells[i].op)->text, (long long)all, all ? "" : "  <- none");
    }
    return zeros;
}

/* Never in a kernel with others: inputs, constants, contractions, bitcasts. */
static bool can_fuse(fx_op op) {
    return op != FX_OP_PARAMETER && op != FX_OP_CONSTANT && op != FX_OP_DOT_GENERAL && op != FX_OP_BITCAST;
}

int check_counts_report(const check_counts *counts, bool print) {
    static graph_cell cells[GRAPH_CELLS_LIMIT];
    size_t n = graph_cells(cells);
    int zeros = report_library(counts, print);
    for (size_t i = 0; i < n; i++) {
        bool first = true; /* one line per op and dtype, whatever the variants */
        for (size_t k = 0; k < i && first; k++)
            first = cells[k].op != cells[i].op || cells[k].dtype != cells[i].dtype;
        if (!first) continue;
        const int64_t *c = counts->nodes[cells[i].op][cells[i].dtype];
        bool zero = c[0] == 0 || (can_fuse(cells[i].op) && c[1] == 0);
        zeros += zero;
        if (print || zero)
            printf("%-24s %-14s alone %6lld  fused %6lld%s\n", fxi_op_info_of(cells[i].op)->text,
                   fx_dtype_name(cells[i].dtype), (long long)c[0], (long long)c[1], zero ? "  <- none" : "");
    }
    return zeros;
}
