/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenations and pads are written in parts: what produces them is fused into the parts, nested ones and
 * slices of them cost no memory, and a pad's value goes only where it shows. Each case says how many steps
 * its program has and how much workspace, and its result is the interpreter's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/compare.h"
#include <fluxion.h>

enum { ROWS = 60, COLUMNS = 400, MATRIX_BYTES = ROWS * COLUMNS * 4 };

typedef fx_node *(*builder)(fx_node *x, fx_node *y);
#define BUILD(name, expression)                                                                              \
    static fx_node *name(fx_node *x, fx_node *y) {                                                           \
        (void)y;                                                                                             \
        return expression;                                                                                   \
    }
#define SEVEN(x) fx_scalar(fx_node_graph(x), FX_F32, 7)
#define JOIN(axis, ...) fx_concatenate(FX_NODES(__VA_ARGS__), axis)
#define PAD(x, ...) fx_pad(x, SEVEN(x), (fx_pads){(fx_pad_axis[]){__VA_ARGS__}, 2})
#define NO                                                                                                   \
    { 0, 0, 0 }

BUILD(fused, JOIN(0, fx_neg(x), fx_add(x, y), fx_exp(y)))
BUILD(nested, JOIN(0, JOIN(1, x, fx_neg(y)), JOIN(1, JOIN(1, y), fx_neg(x))))
BUILD(nested_thrice, JOIN(1, JOIN(0, JOIN(1, x, y), JOIN(1, y, x)), JOIN(0, x, x)))
BUILD(sliced, fx_slice_axis(JOIN(0, fx_neg(x), y), 0, ROWS / 2, 2 * ROWS, 3))
BUILD(padded_join, PAD(JOIN(0, fx_neg(x), y), {3, 5, 0}, NO))
BUILD(padded_columns, PAD(JOIN(1, x, fx_neg(y)), {1, 0, 0}, {8, 2, 0}))
BUILD(joined_pads, JOIN(0, PAD(x, {2, 0, 0}, NO), PAD(fx_neg(y), {0, 3, 0}, NO)))
BUILD(pad_of_pad, PAD(PAD(fx_neg(x), {1, 2, 0}, NO), {3, 0, 0}, {4, 4, 0}))
BUILD(spread_around, PAD(PAD(fx_neg(x), {1, 2, 0}, NO), {3, 0, 1}, NO))
BUILD(spread_inside, JOIN(0, PAD(fx_neg(x), {1, 2, 2}, {0, 0, 1}), PAD(y, NO, {COLUMNS, -1, 0})))
BUILD(cropped, PAD(JOIN(0, x, y), {-70, 10, 0}, NO))
BUILD(narrow, PAD(fx_slice_axis(x, 1, 0, 4, 1), {2, 2, 0}, {1, 1, 0}))
BUILD(all_padding, PAD(x, {-ROWS, 3, 0}, NO))

static fx_node *shared(fx_node *x, fx_node *y) {
    fx_node *both = JOIN(0, x, y);
    return JOIN(0, both, fx_neg(both));
}

static const struct {
    const char *name;
    builder build;
    int steps;
    int64_t workspace;
} cases[] = {
    {"fused", fused, 3, 0},
    {"nested", nested, 4, 0},
    {"nested_thrice", nested_thrice, 6, 0},
    {"sliced", sliced, 2, 0},
    {"padded_join", padded_join, 4, 0},
    {"padded_columns", padded_columns, 5, 0},
    {"joined_pads", joined_pads, 4, 0},
    {"pad_of_pad", pad_of_pad, 6, 0},
    {"spread_around", spread_around, 5, (ROWS + 3) * COLUMNS * 4},
    {"spread_inside", spread_inside, 4, 0},
    {"cropped", cropped, 2, 0},
    {"narrow", narrow, 2, 0},
    {"all_padding", all_padding, 1, 0},
    {"shared", shared, 4, 2 * MATRIX_BYTES},
};

static void build_case(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)g, (void)n_in, (void)n_out;
    out[0] = (*(const builder *)user)(in[0], in[1]);
}

static int count_steps(const char *text) {
    int steps = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) steps++;
    return steps - 1; /* the last line is about workspace */
}

static fx_tensor *run_on(const char *name, builder *build, fx_tensor *const *in) {
    fx_backend *backend = fx_backend_open(name, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, build_case, 2, 1, build, FX_MUST);
    fx_tensor *out = NULL;
    assert_true(fx_call(exec, &out, 1, FX_MUST, in[0], in[1]));
    fx_exec_free(exec);
    fx_backend_close(backend);
    return out;
}

static void check_program(size_t i, builder *build, const fx_shape *shape) {
    const fx_shape both[] = {*shape, *shape};
    fx_backend *backend = fx_backend_open("cpu", FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, build_case, 2, 1, build, FX_MUST);
    fx_program *program = fx_exec_program(exec, both, 2, FX_MUST);
    fx_memory memory = {.size = sizeof memory};
    char text[8192];
    assert_true(fx_program_memory(program, &memory));
    assert_true(fx_program_text(program, text, sizeof text) < sizeof text);
    if (count_steps(text) != cases[i].steps || memory.workspace != cases[i].workspace)
        fail_msg("%s has %d steps, not %d, and %d bytes, not %d:\n%s", cases[i].name, count_steps(text),
                 cases[i].steps, (int)memory.workspace, (int)cases[i].workspace, text);
    fx_program_free(program);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void parts(void **state) {
    (void)state;
    const fx_shape shape = FX_SHAPE(FX_F32, ROWS, COLUMNS);
    fx_tensor *in[2] = {fx_tensor_new(&shape, FX_MUST), fx_tensor_new(&shape, FX_MUST)};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < ROWS * COLUMNS; i++) ((float *)in[k]->data)[i] = (float)(k ? i % 3 : i);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        builder build = cases[i].build;
        check_program(i, &build, &shape);
        fx_tensor *want = run_on("interp", &build, in),
                  *got[2] = {run_on("cpu", &build, in), run_on("cpu?fusion=off", &build, in)};
        for (int k = 0; k < 2; k++) {
            compare_report report;
            if (i > 0 && !compare_bits(got[k], want, &report)) /* the first has a function */
                fail_msg("%s: %s", cases[i].name, report.text);
            fx_tensor_free(got[k]);
        }
        fx_tensor_free(want);
    }
    for (int k = 0; k < 2; k++) fx_tensor_free(in[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
