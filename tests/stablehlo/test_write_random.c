/* SPDX-License-Identifier: Apache-2.0 */
/* Random graphs of exact operations through text and back: the same bits. They mix all operations and dtypes that are
 * exact, so that lowerings, constants and names meet in every order. */
#include "exec/both.h"
#include <stdlib.h>
#include "support/random_graph.h"
#include "backend/interp/interp.h"
#include "stablehlo/stablehlo.h"

enum { GRAPHS = 2000 };

static fx_tensor **run_graph_itself(const random_graph *g) {
    fx_tensor **out = calloc(g->graph->output_count, sizeof *out);
    void *state = fxi_interp_backend.open(&(fxi_open_args){0}, FX_MUST);
    void *program = fxi_interp_backend.compile(state, g->graph, FX_MUST);
    assert_true(fxi_interp_backend.run(program, &(fxi_run_args){.inputs = g->inputs, .outputs = out}, FX_MUST));
    fxi_interp_backend.program_free(program);
    fxi_interp_backend.close(state);
    return out;
}

/* What is not the same, NULL: nothing. */
static const char *check(fx_backend *backend, const random_graph *g, fx_error *err) {
    size_t n_in = g->graph->parameters.count, n_out = g->graph->output_count;
    fxi_text text = {0};
    if (!fxi_stablehlo_text(g->graph, NULL, &text, err)) return err->message;
    fx_module *module = fx_module_parse(text.data, text.length, NULL, err);
    fx_exec *exec = module ? fx_exec_new_module(backend, module, 0, err) : NULL;
    fx_arg *args = calloc(n_in + 1, sizeof *args);
    fx_tensor **want = run_graph_itself(g), **got = calloc(n_out, sizeof *got);
    for (size_t i = 0; i < n_in; i++) args[i] = FX_ARG(g->inputs[i]);
    const char *wrong = NULL;
    if (!exec || !fx_exec_call(exec, args, n_in, got, n_out, err)) wrong = err->message;
    for (size_t i = 0; i < n_out; i++) {
        if (!wrong && !fx_tensor_equal(got[i], want[i])) wrong = "other bits";
        fx_tensor_free(got[i]);
        fx_tensor_free(want[i]);
    }
    free(args);
    free(want);
    free(got);
    fx_exec_free(exec);
    fx_module_free(module);
    fxi_text_free(&text);
    return wrong;
}

static void test_random(void **state) {
    (void)state;
    fx_backend *backend = fx_backend_open("interp", FX_MUST);
    size_t failed = 0;
    for (uint64_t number = 0; number < GRAPHS; number++) {
        random_graph g = random_graph_make(number, &(random_options){.elements = 60, .exact = true});
        fx_error err = {.code = FX_OK};
        const char *wrong = check(backend, &g, &err);
        if (wrong && failed++ < 10) print_error("graph %llu: %s\n", (unsigned long long)number, wrong);
        random_graph_free(&g);
    }
    fx_backend_close(backend);
    if (failed) fail_msg("%zu of %d graphs", failed, GRAPHS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
