/* SPDX-License-Identifier: Apache-2.0 */
/* Column reductions large enough for accumulators in memory (rows= in the program's text), of every kind and
 * all kinds of dtypes: parts of the columns against the interpreter, bit for bit, on numbers whose sums and
 * products are exact; the operand between inaccessible pages; with 1, 2 and 3 threads on numbers whose sums
 * are not exact. Numbers of rows below, between and beyond the chunks that partial results come from, columns
 * that fill no last vector. */
#include "exec/both.h"
#include "support/guarded.h"
#include "support/random_graph.h"
#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 40, MOST_WINDOWS = 3 };

typedef fx_node *reduce_fn(fx_node *x);

static fx_node *sum(fx_node *x) { return fx_reduce_sum(x, FX_AXES(0)); }
static fx_node *product(fx_node *x) { return fx_reduce_product(x, FX_AXES(0)); }
static fx_node *largest(fx_node *x) { return fx_reduce_max(x, FX_AXES(0)); }
static fx_node *smallest(fx_node *x) { return fx_reduce_min(x, FX_AXES(0)); }
static fx_node *all_of(fx_node *x) { return fx_reduce_and(x, FX_AXES(0)); }
static fx_node *any_of(fx_node *x) { return fx_reduce_or(x, FX_AXES(0)); }
static fx_node *odd_of(fx_node *x) { return fx_reduce_xor(x, FX_AXES(0)); }
static fx_node *bits_and(fx_node *x) { return fx_reduce_bitwise_and(x, FX_AXES(0)); }
static fx_node *bits_or(fx_node *x) { return fx_reduce_bitwise_or(x, FX_AXES(0)); }
static fx_node *bits_xor(fx_node *x) { return fx_reduce_bitwise_xor(x, FX_AXES(0)); }
static fx_node *first_largest(fx_node *x) { return fx_arg_max(x, 0); }
static fx_node *first_smallest(fx_node *x) { return fx_arg_min_dtype(x, 0, FX_U16); }
/* Operands that vary by row, by column and not at all, and an epilogue that reads by column. */
static fx_node *fused(fx_node *x) {
    fx_node *row = fx_slice_axis(x, 0, 1, 2, 1), *column = fx_slice_axis(x, 1, 2, 3, 1);
    fx_node *y = fx_mul(fx_square(fx_sub(x, row)), column);
    return fx_sub(fx_sqrt(fx_abs(sum(fx_add_scalar(y, 3)))), fx_squeeze(row, FX_AXES(0)));
}
/* Two reduction loops that are not one, and one loop around them. */
static fx_node *apart(fx_node *x) {
    int64_t rows = fx_node_shape(x)->dims[0], columns = fx_node_shape(x)->dims[1];
    return fx_reduce_sum(fx_reshape(x, FX_DIMS(rows / 21, 3, 7, columns)), FX_AXES(0, 2));
}
/* Much work per element: fewer rows at a time. */
static fx_node *heavy(fx_node *x) {
    for (int i = 0; i < 12; i++) x = fx_mul(fx_abs(fx_neg(x)), fx_sign(x));
    return sum(x);
}

typedef struct column_case {
    const char *name;
    reduce_fn *reduce;
    fx_dtype dtype;
    int64_t rows;
    const char *text;
} column_case;

static const column_case cases[] = {
    {"sum", sum, FX_F32, 1043, "partial sum rows=8"},
    {"sum", sum, FX_F32, 17, "column sum rows=8"},
    {"sum", sum, FX_F64, 300, "rows=8"},
    {"sum", sum, FX_F16, 1043, "rows=8"},
    {"sum", sum, FX_BF16, 300, "rows=8"},
    {"sum", sum, FX_C64, 1043, "rows=8"},
    {"sum", sum, FX_C128, 300, "rows=8"},
    {"sum", sum, FX_S8, 1043, "rows=8"},
    {"sum", sum, FX_U16, 17, "rows=8"},
    {"sum", sum, FX_S64, 1043, "rows=8"},
    {"sum", sum, FX_S4, 300, "rows=8"},
    {"product", product, FX_F32, 300, "product rows=8"},
    {"product", product, FX_C64, 300, "product rows=8"},
    {"product", product, FX_S32, 1043, "product rows=8"},
    {"max", largest, FX_F32, 1043, "max rows=8"},
    {"max", largest, FX_BF16, 17, "max rows=8"},
    {"max", largest, FX_U64, 300, "max rows=8"},
    {"min", smallest, FX_F64, 1043, "min rows=8"},
    {"min", smallest, FX_U4, 300, "min rows=8"},
    {"and", all_of, FX_BOOL, 1043, "rows=8"},
    {"or", any_of, FX_BOOL, 17, "rows=8"},
    {"xor", odd_of, FX_BOOL, 300, "rows=8"},
    {"bitwise and", bits_and, FX_U8, 300, "rows=8"},
    {"bitwise or", bits_or, FX_S32, 17, "rows=8"},
    {"bitwise xor", bits_xor, FX_U16, 1043, "rows=8"},
    {"arg max", first_largest, FX_F32, 300, "arg_max rows=8"},
    {"arg min", first_smallest, FX_S16, 1043, "arg_min rows=8"},
    {"fused", fused, FX_F32, 1043, "rows=8"},
    {"apart", apart, FX_F32, 1050, "rows=8"},
    {"heavy", heavy, FX_F32, 300, "rows=2"},
};

/* At least 4 MiB in the compiler's memory form, where a packed element takes a byte. */
static fx_shape shape_of(const column_case *c) {
    int bits = fx_dtype_bits(c->dtype);
    int64_t bytes = bits < 8 ? 1 : bits / 8, columns = ((INT64_C(4) << 20) / (c->rows * bytes) / 8 + 2) * 8;
    return fx_shape_make(c->dtype, (int64_t[]){c->rows, bits < 8 ? columns : columns + 3}, 2);
}

static int64_t number(random_state *r, const column_case *c) {
    if (c->reduce == product) return random_below(r, 2) ? 1 : -1;
    if (c->reduce == all_of) return random_below(r, 400) != 0;
    if (c->reduce == any_of) return random_below(r, 20) == 0;
    if (c->reduce == bits_and || c->reduce == bits_or) return (int64_t)(random_bits(r) & random_bits(r) & random_bits(r));
    return random_below(r, 7) - 3;
}

/* Small whole numbers; complex ones have a real and an imaginary part of them. */
static fx_tensor *operand(const column_case *c, const fx_shape *shape) {
    fx_tensor *t = fx_tensor_new(shape, FX_MUST);
    random_state r = {7};
    fx_dtype real = fx_dtype_real(c->dtype);
    bool complex = real != c->dtype;
    int64_t count = fx_shape_size(shape) * (complex ? 2 : 1);
    for (int64_t i = 0; i < count; i++) {
        int64_t n = number(&r, c);
        if (complex && c->reduce == product && i % 2 == 1) n = 0; /* stays of size one */
        fxi_element_store(real, t->data, i, fxi_scalar_convert((fxi_scalar){.i = n}, FX_S64, real));
    }
    fx_tensor *enclosed = guarded_tensor(shape, t, GUARDED_END);
    fx_tensor_free(t);
    return enclosed;
}

/* ---- the comparison ---- */

static void build_whole(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const column_case *c = user;
    (void)g, (void)n_in, (void)n_out;
    out[0] = c->reduce(in[0]);
}

typedef struct windows {
    const column_case *c;
    int64_t first[MOST_WINDOWS];
} windows;

/* The reduction of some columns, and those of the result. `fused` takes a factor from column 2 of its operand, which is put in
 * front of the window's third place. */
static void build_windows(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const windows *w = user;
    (void)g, (void)n_in;
    for (size_t i = 0; i < n_out; i += 2) {
        int64_t first = w->first[i / 2], last = first + WINDOW;
        fx_node *head = fx_slice_axis(in[0], 1, 0, 3, 1), *part = fx_slice_axis(in[0], 1, first, last, 1);
        fx_node *reduced = w->c->reduce(fx_concatenate(FX_NODES(head, part), 1));
        int axis = (int)fx_node_shape(reduced)->rank - 1;
        out[i] = fx_slice_axis(reduced, axis, 3, 3 + WINDOW, 1);
        out[i + 1] = fx_slice_axis(in[1], axis, first, last, 1);
    }
}

static void compare(const column_case *c, fx_tensor *x, fx_tensor *whole) {
    int64_t columns = fx_tensor_shape(x)->dims[1];
    windows w = {c, {0, columns > 4200 ? 4096 - WINDOW / 2 : columns / 2, columns - WINDOW}};
    fx_backend *interp = fx_backend_open("interp", FX_MUST);
    fx_exec *exec = fx_exec_new_fn(interp, build_windows, 2, 2 * MOST_WINDOWS, &w, FX_MUST);
    fx_tensor *out[2 * MOST_WINDOWS];
    assert_true(fx_exec_call(exec, (fx_arg[]){FX_ARG(x), FX_ARG(whole)}, 2, out, 2 * MOST_WINDOWS, FX_MUST));
    for (int i = 0; i < 2 * MOST_WINDOWS; i += 2)
        if (!fx_tensor_equal(out[i], out[i + 1]))
            fail_msg("%s of %s, %d rows, from column %d on", c->name, fx_dtype_name(c->dtype), (int)c->rows,
                     (int)w.first[i / 2]);
    for (int i = 0; i < 2 * MOST_WINDOWS; i++) fx_tensor_free(out[i]);
    fx_exec_free(exec);
    fx_backend_close(interp);
}

static void assert_form(fx_exec *exec, const column_case *c, const fx_shape *shape) {
    char text[8192];
    fx_program *program = fx_exec_program(exec, shape, 1, FX_MUST);
    fx_program_text(program, text, sizeof text);
    if (!strstr(text, c->text)) fail_msg("%s of %s: no \"%s\" in\n%s", c->name, fx_dtype_name(c->dtype), c->text, text);
    fx_program_free(program);
}

static void columns_agree_with_interp(void **state) {
    (void)state;
    fx_backend *cpu = fx_backend_open("cpu?threads=2&debug=ranges", FX_MUST);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        fx_shape shape = shape_of(&cases[i]);
        fx_tensor *x = operand(&cases[i], &shape), *out;
        fx_exec *exec = fx_exec_new_fn(cpu, build_whole, 1, 1, (void *)&cases[i], FX_MUST);
        assert_form(exec, &cases[i], &shape);
        assert_true(fx_exec_call(exec, (fx_arg[]){FX_ARG(x)}, 1, &out, 1, FX_MUST));
        compare(&cases[i], x, out);
        fx_tensor_free(out);
        fx_tensor_free(x);
        fx_exec_free(exec);
    }
    fx_backend_close(cpu);
}

/* ---- threads ---- */

static fx_tensor *with_threads(const column_case *c, fx_tensor *x, int threads) {
    char config[32];
    snprintf(config, sizeof config, "cpu?threads=%d", threads);
    fx_backend *cpu = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(cpu, build_whole, 1, 1, (void *)c, FX_MUST);
    fx_tensor *out;
    assert_true(fx_exec_call(exec, (fx_arg[]){FX_ARG(x)}, 1, &out, 1, FX_MUST));
    fx_exec_free(exec);
    fx_backend_close(cpu);
    return out;
}

static void bits_do_not_depend_on_threads(void **state) {
    static const column_case several[] = {{"sum", sum, FX_F32, 1043, ""},
                                          {"product", product, FX_C64, 300, ""},
                                          {"fused", fused, FX_F64, 1043, ""},
                                          {"apart", apart, FX_BF16, 1050, ""},
                                          {"arg max", first_largest, FX_F32, 1043, ""}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(several); i++) {
        fx_shape shape = shape_of(&several[i]);
        random_state r = {9};
        fx_tensor *x = random_tensor(&r, &shape, RANDOM_PLAIN), *one = with_threads(&several[i], x, 1);
        for (int threads = 2; threads <= 3; threads++) {
            fx_tensor *more = with_threads(&several[i], x, threads);
            assert_true(fx_tensor_equal(one, more));
            fx_tensor_free(more);
        }
        fx_tensor_free(one);
        fx_tensor_free(x);
    }
}

/* What a near cache holds, and what is no wider than the registers' block, is summed in registers. */
static void small_ones_stay_in_registers(void **state) {
    static const int64_t dims[][2] = {{1000, 300}, {100000, 16}, {15, 100000}};
    (void)state;
    fx_backend *cpu = fx_backend_open("cpu", FX_MUST);
    fx_exec *exec = fx_exec_new(cpu, sum, FX_MUST);
    for (size_t i = 0; i < COUNT_OF(dims); i++) {
        char text[8192];
        fx_shape shape = fx_shape_make(FX_F32, dims[i], 2);
        fx_program *program = fx_exec_program(exec, &shape, 1, FX_MUST);
        fx_program_text(program, text, sizeof text);
        assert_non_null(strstr(text, "kernel column"));
        assert_null(strstr(text, "rows="));
        fx_program_free(program);
    }
    fx_exec_free(exec);
    fx_backend_close(cpu);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_agree_with_interp),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(small_ones_stay_in_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
