/* SPDX-License-Identifier: Apache-2.0 */
/* Import with memory running out at every third request: it must say so, whatever a rule makes of nodes that
 * could not be built. */
#include "self_check.h"
#include "support/allocations.h"
#include <stdio.h>

enum { MOST_OUTPUTS = 16, STEP = 3 };

/* False: the function was built before request n came. */
static bool fails_at(const fx_module *module, size_t function, int64_t n) {
    fx_error err = {.code = FX_OK};
    fx_graph *graph = fx_graph_new(&err);
    fx_node *out[MOST_OUTPUTS] = {NULL};
    assert_non_null(graph);
    allocations_fail(n, true);
    bool ok =
        fx_module_call(module, function, graph, NULL, 0, out, fx_module_output_count(module, function), &err);
    bool failed = allocations_failed();
    allocations_fail(-1, false);
    if (!ok && err.code != FX_ERROR_MEMORY)
        fail_msg("@%s, request %lld: %s", fx_module_function_name(module, function), (long long)n,
                 err.message);
    fx_graph_free(graph);
    return failed || !ok;
}

static void run_file(const char *name) {
    char path[500];
    fx_error err = {.code = FX_OK};
    snprintf(path, sizeof path, FX_TEST_DIR "/stablehlo/import/%s.mlir", name);
    fx_module *module = fx_module_read(path, &err);
    if (!module) fail_msg("%s", err.message);
    for (size_t i = 0; i < fx_module_function_count(module); i++) {
        if (!fx_module_function_is_public(module, i) || fx_module_input_count(module, i) > 0) continue;
        assert_true(fx_module_output_count(module, i) <= MOST_OUTPUTS);
        for (int64_t n = 0; fails_at(module, i, n); n += STEP)
            ;
    }
    fx_module_free(module);
}

static void says_that_memory_is_out(void **state) {
    (void)state;
    static const char *const names[] = {"chlo",     "collectives", "contractions", "custom",  "elementwise",
                                        "indexing", "lapack",      "moves",        "special", "windows"};
    for (size_t i = 0; i < COUNT_OF(names); i++) run_file(names[i]);
}

int main(void) {
    if (!allocations_install()) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_that_memory_is_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
