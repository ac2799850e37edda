/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* Loops over small tensors, which are compiled whole: generated graphs of small tensors as bodies (check_graph.h),
 * and what shows in the program's text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check_graph.h"
#include <fluxion.h>

enum { GRAPHS = 240 };

static void generated_bodies(void **state) {
    (void)state;
    static check_counts counts;
    const random_options options = {.elements = 24, .no_library = true};
    assert_int_equal(check_range(0, GRAPHS, &options, &counts), 0);
    assert_true(counts.native > GRAPHS / 4);
}

static void step(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out;
    out[0] = fx_div(fx_matmul(in[1], user), fx_sqrt(fx_reduce_all_sum(fx_square(in[1]))));
}

static void loop(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_for(7, FX_NODES(in[0]), step, in[1], NULL);
}

/* Small matrices: one native step. Larger ones: closures of steps. */
static void text_shows_it(void **state) {
    (void)state;
    for (int64_t n = 3; n <= 30; n += 27) {
        const fx_shape shape = FX_SHAPE(FX_F64, n, n), both[] = {shape, shape};
        fx_backend *backend = fx_backend_open("cpu", FX_MUST);
        fx_exec *exec = fx_exec_new_fn(backend, loop, 2, 1, NULL, FX_MUST);
        fx_program *program = fx_exec_program(exec, both, 2, FX_MUST);
        char text[4096];
        fx_program_text(program, text, sizeof text);
        assert_non_null(strstr(text, n == 3 ? "control scan native" : "closure 0"));
        fx_program_free(program);
        fx_exec_free(exec);
        fx_backend_close(backend);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(generated_bodies), cmocka_unit_test(text_shows_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
