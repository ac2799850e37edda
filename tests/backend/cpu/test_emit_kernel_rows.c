/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that do a row after another in several sweeps: softmax, norms and their relatives over the last
 * axes are one step, and give the bits of the program that fuses nothing, whatever the dtype, the length of
 * the row, the instruction set and the number of threads. Operands lie between inaccessible pages. Rows that
 * are too long, too short or not dense in memory are left to several kernels, with the same bits. */
#include "exec/both.h"
#include "support/guarded.h"
#include "support/random_graph.h"
#include <stdio.h>
#include <stdlib.h>

typedef fx_node *row_fn(fx_node *x);

static fx_node *keep(fx_node *x, fx_reducer reducer) {
    return fx_reduce_and_keep(x, reducer, FX_AXES(-1));
}

/* ---- the programs ---- */

static fx_node *softmax(fx_node *x) { return fx_softmax(x, FX_AXES(-1)); }
static fx_node *log_softmax(fx_node *x) { return fx_log_softmax(x, FX_AXES(-1)); }
static fx_node *logsumexp(fx_node *x) { return fx_logsumexp(x, FX_AXES(-1)); }
static fx_node *variance(fx_node *x) { return fx_reduce_variance(x, FX_AXES(-1)); }
static fx_node *skewness(fx_node *x) { return fx_reduce_skewness(x, FX_AXES(-1)); }
static fx_node *l2_normalize(fx_node *x) { return fx_l2_normalize(x, FX_AXES(-1)); }
static fx_node *share(fx_node *x) { return fx_div(x, keep(fx_abs(x), fx_reduce_sum)); }
static fx_node *layer_norm(fx_node *x) {
    fx_node *gain = fx_slice_axis(x, 0, 0, 1, 1), *bias = fx_slice_axis(x, 0, 1, 2, 1);
    fx_node *distance = fx_sub(x, keep(x, fx_reduce_mean));
    fx_node *variance = fx_add_scalar(keep(fx_square(distance), fx_reduce_mean), 1e-5);
    return fx_add(fx_mul(fx_mul(distance, fx_rsqrt(variance)), gain), bias);
}
static fx_node *rms_norm(fx_node *x) {
    return fx_mul(x, fx_rsqrt(fx_add_scalar(keep(fx_square(x), fx_reduce_mean), 1e-6)));
}
/* Minus the logarithm of the probability of class `row modulo columns`. */
static fx_node *cross_entropy(fx_node *x) {
    fx_graph *g = fx_node_graph(x);
    fx_shape shape = *fx_node_shape(x);
    shape.dtype = FX_S32;
    fx_node *label = fx_rem(fx_iota(g, &shape, 0), fx_scalar(g, FX_S32, (double)shape.dims[1]));
    fx_node *chosen = fx_equal(fx_iota(g, &shape, 1), label);
    fx_node *nothing = fx_scalar_zero(g, fx_node_shape(x)->dtype);
    return fx_neg(fx_reduce_sum(fx_select(chosen, log_softmax(x), nothing), FX_AXES(-1)));
}
/* Much code in a sweep: accumulation is a loop of its own. */
static fx_node *heavy(fx_node *x) {
    fx_node *y = x;
    for (int i = 0; i < 6; i++) y = fx_mul(fx_add_scalar(fx_sin(y), 0.5), x);
    return fx_sub(y, keep(y, fx_reduce_mean));
}
/* Several sums in a sweep, one of values that are not along the row, kinds and dtypes mixed. */
static fx_node *mixed(fx_node *x) {
    fx_dtype dtype = fx_node_shape(x)->dtype;
    fx_node *positive = fx_greater(x, fx_scalar_zero(fx_node_graph(x), dtype));
    fx_node *counts = keep(fx_convert(positive, FX_S64), fx_reduce_sum);
    fx_node *whole = keep(fx_convert(x, FX_F64), fx_reduce_sum), *largest = keep(x, fx_reduce_max);
    fx_node *sum = fx_convert(fx_add(whole, fx_convert(counts, FX_F64)), dtype);
    return fx_sub(fx_mul(fx_exp(fx_sub(x, largest)), sum), keep(fx_abs(x), fx_reduce_sum));
}
/* A softmax with dropout: random words along the row. */
static fx_node *dropout(fx_node *x) {
    fx_node *state = fx_random_state(fx_node_graph(x), 5), *next;
    fx_node *drawn = fx_random_uniform(state, fx_node_shape(x), &next);
    fx_node *kept = fx_less(drawn, fx_scalar(fx_node_graph(x), fx_node_shape(x)->dtype, 0.75));
    return fx_select(kept, softmax(x), fx_scalar_zero(fx_node_graph(x), fx_node_shape(x)->dtype));
}
/* A buffer of complex numbers and one of truth values. */
static fx_node *by_complex(fx_node *x) {
    fx_node *z = fx_exp(fx_complex(fx_sin(x), fx_cos(x)));
    fx_node *any = fx_less(fx_tan(x), fx_exp(x));
    fx_node *unit = fx_div(z, keep(z, fx_reduce_sum));
    fx_node *some = keep(fx_convert(any, fx_node_shape(x)->dtype), fx_reduce_sum);
    return fx_select(any, fx_abs(unit), fx_sub(x, some));
}

typedef struct row_case {
    const char *name;
    row_fn *build;
    fx_dtype dtype;
} row_case;

static const row_case cases[] = {
    {"softmax", softmax, FX_F32},
    {"softmax", softmax, FX_F64},
    {"softmax", softmax, FX_F16},
    {"softmax", softmax, FX_BF16},
    {"log_softmax", log_softmax, FX_F32},
    {"log_softmax", log_softmax, FX_BF16},
    {"logsumexp", logsumexp, FX_F32},
    {"logsumexp", logsumexp, FX_F64},
    {"variance", variance, FX_F32},
    {"variance", variance, FX_F64},
    {"variance", variance, FX_F16},
    {"skewness", skewness, FX_F32},
    {"l2_normalize", l2_normalize, FX_F32},
    {"share", share, FX_F32},
    {"share", share, FX_S32},
    {"share", share, FX_BF16},
    {"layer_norm", layer_norm, FX_F32},
    {"layer_norm", layer_norm, FX_F64},
    {"layer_norm", layer_norm, FX_F16},
    {"layer_norm", layer_norm, FX_BF16},
    {"rms_norm", rms_norm, FX_F32},
    {"cross_entropy", cross_entropy, FX_F32},
    {"heavy", heavy, FX_F32},
    {"mixed", mixed, FX_F32},
    {"dropout", dropout, FX_F32},
    {"dropout", dropout, FX_F64},
    {"by_complex", by_complex, FX_F32},
};

static void build(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const row_case *c = user;
    (void)g, (void)n_in, (void)n_out;
    out[0] = c->build(in[0]);
}

/* ---- running ---- */

static fx_tensor *operand(fx_dtype dtype, int64_t rows, int64_t columns) {
    random_state r = {(uint64_t)(7 + columns)};
    fx_shape shape = fx_shape_make(dtype, (int64_t[]){rows, columns}, 2);
    fx_tensor *t = random_tensor(&r, &shape, RANDOM_PLAIN);
    fx_tensor *enclosed = guarded_tensor(&shape, t, GUARDED_END);
    fx_tensor_free(t);
    return enclosed;
}

static fx_tensor *run(const row_case *c, const char *config, fx_tensor *x, char *text, size_t size) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, build, 1, 1, (void *)(uintptr_t)c, FX_MUST);
    fx_tensor *out;
    assert_true(fx_exec_call(exec, (fx_arg[]){FX_ARG(x)}, 1, &out, 1, FX_MUST));
    if (text) {
        fx_program *program = fx_exec_program(exec, fx_tensor_shape(x), 1, FX_MUST);
        fx_program_text(program, text, size);
        fx_program_free(program);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
    return out;
}

/* Planned programs give the bits of the one that fuses nothing; the text of one of them. */
static void compare(const row_case *c, int64_t rows, int64_t columns, char *text, size_t size) {
    static const char *const configs[] = {"cpu?threads=2&debug=ranges", "cpu?threads=1&isa=avx2",
                                          "cpu?threads=3"};
    fx_tensor *x = operand(c->dtype, rows, columns), *want = run(c, "cpu?fusion=off", x, NULL, 0);
    for (size_t i = 0; i < COUNT_OF(configs); i++) {
        fx_tensor *got = run(c, configs[i], x, text, size);
        if (!fx_tensor_equal(got, want))
            fail_msg("%s of %s, [%d, %d], %s: other bits\n%s", c->name, fx_dtype_name(c->dtype), (int)rows,
                     (int)columns, configs[i], text);
        fx_tensor_free(got);
    }
    fx_tensor_free(want);
    fx_tensor_free(x);
}

static int count_steps(const char *text) {
    int steps = 0;
    for (; (text = strchr(text, '\n')) != NULL; text++) steps++;
    return steps - 1; /* the last line is the sum */
}

/* ---- tests ---- */

static void rows_are_one_step(void **state) {
    static const int64_t columns[] = {4, 5, 16, 63, 128, 700, 1024, 2111};
    char text[8192];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t k = i % 2; k < COUNT_OF(columns); k += 2) {
            compare(&cases[i], columns[k] < 100 ? 37 : 300, columns[k], text, sizeof text);
            if (!strstr(text, "kernel rows") || count_steps(text) != 1)
                fail_msg("%s of %s: not one step\n%s", cases[i].name, fx_dtype_name(cases[i].dtype), text);
        }
}

static void other_lengths_take_several(void **state) {
    static const int64_t columns[] = {1, 2, 3, 16385, 20000};
    char text[8192];
    (void)state;
    for (size_t k = 0; k < COUNT_OF(columns); k++) {
        compare(&(row_case){"softmax", softmax, FX_F32}, 3, columns[k], text, sizeof text);
        assert_null(strstr(text, "kernel rows"));
        compare(&(row_case){"layer_norm", layer_norm, FX_F64}, 3, columns[k], text, sizeof text);
        assert_null(strstr(text, "kernel rows"));
    }
    compare(&(row_case){"softmax", softmax, FX_F32}, 3, 16384, text, sizeof text);
    assert_non_null(strstr(text, "kernel rows")); /* the buffer just fits */
    assert_non_null(strstr(text, "buffers=1"));
    compare(&(row_case){"softmax", softmax, FX_F64}, 3, 16384, text, sizeof text);
    assert_non_null(strstr(text, "buffers=0")); /* it does not: exp is computed twice */
}

static fx_node *softmax_of_columns(fx_node *x) { return fx_softmax(x, FX_AXES(0)); }
static fx_node *softmax_of_transposed(fx_node *x) { return fx_softmax(fx_transpose(x, 0, 1), FX_AXES(-1)); }
static fx_node *reversed(fx_node *x) { return share(fx_reverse(x, FX_AXES(1))); }

static void strided_rows_take_several(void **state) {
    static const row_case several[] = {{"columns", softmax_of_columns, FX_F32},
                                       {"transposed", softmax_of_transposed, FX_F32},
                                       {"reversed", reversed, FX_S32}};
    char text[8192];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(several); i++) {
        compare(&several[i], 50, 70, text, sizeof text);
        assert_null(strstr(text, "kernel rows"));
    }
}

/* Rows of two axes, rows inside a slice, all of a tensor as one row, nothing along the row but its sum. */
static fx_node *two_axes(fx_node *x) {
    fx_node *y = fx_reshape(x, FX_DIMS(4, -1, 5));
    return fx_sub(y, fx_reduce_and_keep(y, fx_reduce_mean, FX_AXES(1, 2)));
}
static fx_node *sliced(fx_node *x) { return softmax(fx_slice_axis(x, 1, 3, 60, 1)); }
static fx_node *all_at_once(fx_node *x) { return fx_div(x, fx_reduce_all_sum(fx_abs(x))); }
static fx_node *spread(fx_node *x) {
    fx_node *sum = keep(x, fx_reduce_sum);
    fx_node *ones = fx_sub(x, x);
    return fx_add(fx_sub(sum, keep(x, fx_reduce_max)), ones);
}
/* More reductions than one kernel takes. */
static fx_node *long_chain(fx_node *x) {
    for (int i = 0; i < 11; i++) x = fx_div(fx_tanh(x), fx_add_scalar(keep(fx_square(x), fx_reduce_sum), 1));
    return x;
}

static void shapes_and_chains(void **state) {
    static const struct {
        row_case c;
        int steps;
    } several[] = {{{"two_axes", two_axes, FX_F32}, 1},
                   {{"sliced", sliced, FX_BF16}, 1},
                   {{"all_at_once", all_at_once, FX_F32}, 1},
                   {{"spread", spread, FX_F64}, 1},
                   {{"long_chain", long_chain, FX_F32}, 5}};
    char text[8192];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(several); i++) {
        compare(&several[i].c, 40, 70, text, sizeof text);
        if (!strstr(text, "kernel rows") || count_steps(text) > several[i].steps)
            fail_msg("%s: more than %d steps\n%s", several[i].c.name, several[i].steps, text);
    }
}

/* ---- several outputs ---- */

/* A layer norm with what its gradient needs: 1 / deviation, unit; the mean is the caller's as well. */
static void norm_and_more(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[3] = keep(in[0], fx_reduce_mean);
    fx_node *distance = fx_sub(in[0], out[3]);
    out[1] = fx_rsqrt(fx_add_scalar(keep(fx_square(distance), fx_reduce_mean), 1e-5));
    out[2] = fx_mul(distance, out[1]);
    out[0] = fx_add_scalar(fx_mul_scalar(out[2], 3), 0.5);
}

/* Softmax, the sum and the largest of its row; the terms go to a product, too. */
static void softmax_and_more(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                             void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[1] = fx_reduce_max(in[0], FX_AXES(-1));
    fx_node *terms = fx_exp(fx_sub(in[0], fx_expand_axes(out[1], FX_AXES(-1))));
    out[2] = keep(terms, fx_reduce_sum);
    out[0] = fx_div(terms, out[2]);
    out[3] = fx_matmul(terms, fx_transpose(in[0], 0, 1));
}

/* What is read by a product or a library kernel that a kernel waits for cannot be written by that one. */
static void in_turn(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[3] = keep(in[0], fx_reduce_max);
    fx_node *distance = fx_sub(in[0], out[3]);
    out[1] = fx_matmul(fx_transpose(distance, 0, 1), distance);
    out[2] = fx_reduce_sum(distance, FX_AXES(0));
    fx_node *terms = fx_add(fx_mul(distance, fx_reduce_all_sum(out[1])), fx_sort(distance, -1, true));
    out[0] = fx_sub(terms, keep(fx_exp(distance), fx_reduce_sum));
}

typedef void several_fn(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user);
enum { OUTPUTS = 4 };

static void run_several(several_fn *function, const char *config, fx_tensor *x, fx_tensor **out, char *text,
                        size_t size) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, function, 1, OUTPUTS, NULL, FX_MUST);
    fx_program *program = fx_exec_program(exec, fx_tensor_shape(x), 1, FX_MUST);
    fx_program_text(program, text, size);
    fx_program_free(program);
    assert_true(fx_exec_call(exec, (fx_arg[]){FX_ARG(x)}, 1, out, OUTPUTS, FX_MUST));
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void several_outputs_of_one_step(void **state) {
    static const struct {
        several_fn *function;
        int steps;
    } several[] = {{norm_and_more, 1}, {softmax_and_more, 2}, {in_turn, 9}};
    static const char *const configs[] = {"cpu?threads=2&debug=ranges", "cpu?threads=1&debug=poison",
                                          "cpu?threads=3&isa=avx2"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(several); i++) {
        fx_tensor *x = operand(FX_F32, 90, 333), *want[OUTPUTS], *got[OUTPUTS];
        char text[8192];
        run_several(several[i].function, "cpu?fusion=off", x, want, text, sizeof text);
        for (size_t k = 0; k < COUNT_OF(configs); k++) {
            run_several(several[i].function, configs[k], x, got, text, sizeof text);
            for (int o = 0; o < OUTPUTS; o++) {
                if (!fx_tensor_equal(got[o], want[o]))
                    fail_msg("%s: output %d differs\n%s", configs[k], o, text);
                fx_tensor_free(got[o]);
            }
        }
        if (!strstr(text, "kernel rows") || count_steps(text) > several[i].steps)
            fail_msg("program %d: more than %d steps\n%s", (int)i, several[i].steps, text);
        for (int o = 0; o < OUTPUTS; o++) fx_tensor_free(want[o]);
        fx_tensor_free(x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_one_step),
        cmocka_unit_test(other_lengths_take_several),
        cmocka_unit_test(strided_rows_take_several),
        cmocka_unit_test(shapes_and_chains),
        cmocka_unit_test(several_outputs_of_one_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
