/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels on the finished rectangles of a product: that they run there is read off the program's text, and their
 * results are the bits of a program without fusion, for every number of threads, on AVX2 and with dead memory
 * poisoned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FX_NO_CALL_SITES
#include <fluxion.h>

#include "check_graph.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define GRAPH(name)                                                                                          \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)out, (void)n_out, (void)user

enum { MOST = 6, SIZE = 1 << 16 };

typedef struct program_case {
    const char *name;
    fx_fn fn;
    const char *part; /* of the text */
    int kernels;      /* steps of their own */
    size_t n, n_out;
    fx_shape in[MOST];
} program_case;

/* ---- running ---- */

/* Any real dtype from float32, by a program of its own. */
static void converted(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out;
    out[0] = fx_convert(in[0], *(const fx_dtype *)user);
}

static fx_tensor *numbers(const fx_shape *shape, size_t seed) {
    fx_dtype dtype = shape->dtype;
    fx_shape plain = *shape;
    plain.dtype = FX_F32;
    fx_tensor *t = fx_tensor_new(&plain, FX_MUST), *result;
    float *v = fx_tensor_mutable_data(t);
    for (int64_t i = 0, n = fx_tensor_size(t); i < n; i++)
        v[i] = (float)((i * 37 + (int64_t)seed * 11) % 101 - 50) / 32;
    fx_backend *backend = fx_backend_open("interp", FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, converted, 1, 1, &dtype, FX_MUST);
    const fx_arg arg = FX_ARG(t);
    assert_true(fx_exec_call(exec, &arg, 1, &result, 1, FX_MUST));
    fx_exec_free(exec);
    fx_backend_close(backend);
    fx_tensor_free(t);
    return result;
}

static void run(const program_case *c, const char *config, fx_tensor **out) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, c->fn, c->n, c->n_out, NULL, FX_MUST);
    fx_tensor *in[MOST];
    fx_arg args[MOST];
    for (size_t i = 0; i < c->n; i++) {
        in[i] = numbers(&c->in[i], i);
        args[i] = FX_ARG(in[i]);
    }
    assert_true(fx_exec_call(exec, args, c->n, out, c->n_out, FX_MUST));
    for (size_t i = 0; i < c->n; i++) fx_tensor_free(in[i]);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void compare(const program_case *c, const char *config, fx_tensor *const *want) {
    fx_tensor *got[MOST];
    run(c, config, got);
    for (size_t i = 0; i < c->n_out; i++) {
        if (!fx_tensor_equal(got[i], want[i])) fail_msg("%s: output %zu differs with %s", c->name, i, config);
        fx_tensor_free(got[i]);
    }
}

static void free_all(const program_case *c, fx_tensor **tensors) {
    for (size_t i = 0; i < c->n_out; i++) fx_tensor_free(tensors[i]);
}

static void check_values(const program_case *c) {
    static const char *const configs[] = {"cpu?threads=1", "cpu?threads=2", "cpu?threads=5", "cpu?debug=poison",
                                          "cpu?debug=ranges"};
    fx_tensor *want[MOST];
    run(c, "cpu?fusion=off", want);
    for (size_t k = 0; k < COUNT_OF(configs); k++) compare(c, configs[k], want);
    free_all(c, want);
    run(c, "cpu?fusion=off&isa=avx2", want);
    compare(c, "cpu?isa=avx2", want);
    free_all(c, want);
}

static void check_text(const program_case *c) {
    static char text[SIZE];
    fx_backend *backend = fx_backend_open("cpu", FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, c->fn, c->n, c->n_out, NULL, FX_MUST);
    fx_program *program = fx_exec_program(exec, c->in, c->n, FX_MUST);
    assert_true(fx_program_text(program, text, SIZE) < SIZE);
    int kernels = 0;
    for (const char *at = text; (at = strstr(at, " kernel ")) != NULL; at++) kernels++;
    if (c->part ? !strstr(text, c->part) : strstr(text, "epilogue") != NULL)
        fail_msg("%s: expected %s in\n%s", c->name, c->part ? c->part : "no epilogue", text);
    if (kernels != c->kernels) fail_msg("%s: %d kernels instead of %d in\n%s", c->name, kernels, c->kernels, text);
    fx_program_free(program);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void check_cases(const program_case *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        check_text(&cases[i]);
        check_values(&cases[i]);
    }
}

/* ---- graphs ---- */

static fx_node *biased(fx_node *const *in) {
    fx_node *y = fx_matmul(in[0], in[1]);
    return fx_add(y, fx_expand_left_to_rank(in[2], fx_node_rank(y)));
}
GRAPH(gelu) { UNUSED; out[0] = fx_gelu_approximate(biased(in)); }
GRAPH(relu) { UNUSED; out[0] = fx_relu(biased(in)); }
GRAPH(bias) { UNUSED; out[0] = biased(in); }
GRAPH(residual) { UNUSED; out[0] = fx_add(biased(in), in[3]); }
GRAPH(scaled_rows) { UNUSED; out[0] = fx_mul(fx_matmul(in[0], in[1]), in[2]); }
GRAPH(narrowed) { UNUSED; out[0] = fx_convert(fx_tanh(fx_matmul(in[0], in[1])), FX_BF16); }
/* Wanted before and after: written as well. */
GRAPH(kept) {
    UNUSED;
    out[1] = fx_matmul(in[0], in[1]);
    out[0] = fx_relu(fx_add(out[1], fx_expand_left_to_rank(in[2], 2)));
}
GRAPH(kept_alone) { UNUSED; out[1] = fx_matmul(in[0], in[1]); out[0] = fx_relu(out[1]); }
/* One kernel reads what another made. */
GRAPH(chain) {
    UNUSED;
    fx_node *y = fx_mul(fx_matmul(in[0], in[1]), in[5]);
    out[0] = fx_add(fx_mul_scalar(in[2], 0.9), fx_mul_scalar(y, 0.1));
    out[1] = fx_add(fx_mul_scalar(in[3], 0.99), fx_mul_scalar(fx_square(y), 0.01));
    out[2] = fx_sub(fx_mul(in[4], in[5]), fx_div(out[0], fx_add_scalar(fx_sqrt(fx_abs(out[1])), 1e-3)));
}
/* tokens x (heads * 24) to heads x tokens x 24 */
GRAPH(heads) {
    UNUSED;
    fx_node *y = fx_reshape(biased(in), FX_DIMS(19, 4, 24));
    out[0] = fx_mul_scalar(fx_transpose_all_axes(y, FX_AXES(1, 0, 2)), 0.5);
}
GRAPH(gate) { UNUSED; out[0] = fx_mul(fx_matmul(in[0], in[1]), fx_logistic(fx_matmul(in[0], in[2]))); }
/* What the kernel reads besides is sorted after the product: the product waits. */
GRAPH(waits) {
    UNUSED;
    fx_node *y = fx_matmul(in[0], in[1]);
    out[0] = fx_add(y, fx_sort(in[2], 1, true));
}
/* The product is sorted before the kernel: the kernel goes first. */
GRAPH(goes_first) {
    UNUSED;
    fx_node *y = fx_matmul(in[0], in[1]);
    out[0] = fx_sort(y, 1, true);
    out[1] = fx_exp(fx_mul(y, in[2]));
}
/* Between both: what the kernel reads is made of the product. */
GRAPH(comes_late) {
    UNUSED;
    fx_node *y = fx_matmul(in[0], in[1]);
    out[0] = fx_add(y, fx_sort(y, 1, true));
}
/* The operand of the product, which nobody wants afterwards, is read by the kernel too. */
GRAPH(twice_operand) {
    UNUSED;
    fx_node *x = fx_sin(in[0]);
    out[0] = fx_sin(fx_add(fx_matmul(x, in[1]), x));
}
GRAPH(with_transpose) {
    UNUSED;
    fx_node *y = fx_matmul(in[0], in[1]);
    out[0] = fx_add(y, fx_transpose(y, 0, 1));
}
GRAPH(reversed) { UNUSED; out[0] = fx_exp(fx_reverse(fx_matmul(in[0], in[1]), FX_AXES(1))); }
GRAPH(part_of_all) {
    UNUSED;
    out[0] = fx_concatenate(FX_NODES(fx_exp(fx_matmul(in[0], in[1])), in[2], fx_tanh(fx_matmul(in[0], in[3]))), 0);
}

#define M(dtype, rows, columns) {dtype, 2, {rows, columns}}
#define V(dtype, n) {dtype, 1, {n}}
#define DENSE(dtype, m, k, n) {M(dtype, m, k), M(dtype, k, n), V(dtype, n)}

/* ---- tests ---- */

static void activations(void **state) {
    (void)state;
    const program_case cases[] = {
        {"gelu", gelu, "+ epilogue { add mul mul add mul logistic mul }", 0, 3, 1, DENSE(FX_F32, 70, 48, 130)},
        {"packed", gelu, "+ epilogue { add", 0, 3, 1, DENSE(FX_F32, 150, 1100, 300)},
        {"large", gelu, "+ epilogue { add", 0, 3, 1, DENSE(FX_F32, 640, 300, 1024)},
        {"relu", relu, "+ epilogue { add compare select }", 0, 3, 1, DENSE(FX_F32, 33, 20, 47)},
        {"f64", gelu, "+ epilogue { add", 0, 3, 1, DENSE(FX_F64, 31, 40, 50)},
        {"whole numbers", bias, "+ epilogue { add }", 0, 3, 1, DENSE(FX_S32, 31, 40, 50)},
        {"narrow whole numbers", bias, "+ epilogue { add }", 0, 3, 1, DENSE(FX_S8, 31, 40, 50)},
        {"complex", bias, "+ epilogue { add }", 0, 3, 1, DENSE(FX_C64, 21, 18, 40)},
        {"no sum", relu, "+ epilogue { add", 0, 3, 1, DENSE(FX_F32, 21, 0, 40)},
        {"one term", relu, "+ epilogue { add", 0, 3, 1, DENSE(FX_F32, 21, 1, 40)},
        {"scaled", scaled_rows, "+ epilogue { mul }", 0, 3, 1,
         {M(FX_F32, 50, 30), M(FX_F32, 30, 70), M(FX_F32, 50, 1)}},
    };
    check_cases(cases, COUNT_OF(cases));
}

static void halves_round_after_every_operation(void **state) {
    (void)state;
    const program_case cases[] = {
        {"bf16", gelu, "+ epilogue { add", 0, 3, 1, DENSE(FX_BF16, 70, 48, 130)},
        {"f16", gelu, "+ epilogue { add", 0, 3, 1, DENSE(FX_F16, 45, 1030, 64)},
        {"f32 to bf16", narrowed, "+ epilogue { tanh convert }", 0, 2, 1, {M(FX_F32, 40, 60), M(FX_F32, 60, 52)}},
    };
    check_cases(cases, COUNT_OF(cases));
}

static void other_operands(void **state) {
    (void)state;
    const fx_shape square = M(FX_F32, 40, 40);
    const program_case cases[] = {
        {"residual", residual, "+ epilogue { add add }", 0, 4, 1,
         {M(FX_F32, 70, 48), M(FX_F32, 48, 130), V(FX_F32, 130), M(FX_F32, 70, 130)}},
        {"large residual", residual, "+ epilogue { add add }", 0, 4, 1,
         {M(FX_F32, 520, 40), M(FX_F32, 40, 700), V(FX_F32, 700), M(FX_F32, 520, 700)}},
        {"gate", gate, "+ epilogue { logistic mul }", 0, 3, 1, {square, square, square}},
        {"operand", twice_operand, "+ epilogue { add sin }", 1, 2, 1, {square, square}},
        {"waits", waits, "+ epilogue { add }", 0, 3, 1, {square, square, square}},
        {"transpose", with_transpose, NULL, 1, 2, 1, {square, square}},
        {"reversed", reversed, NULL, 1, 2, 1, {square, square}},
        {"late", comes_late, NULL, 1, 2, 1, {square, square}},
    };
    check_cases(cases, COUNT_OF(cases));
}

/* The pad is filled as a whole before the kernel writes over it: the kernel must not run before that. */
static fx_node *pad_with_seven(fx_node *x, fx_pad_axis rows, fx_pad_axis columns) {
    const fx_pad_axis pads[] = {rows, columns};
    return fx_pad(x, fx_scalar(fx_node_graph(x), fx_node_dtype(x), 7), (fx_pads){pads, 2});
}

GRAPH(padded) {
    UNUSED;
    out[0] = pad_with_seven(fx_sub(in[0], fx_matmul(in[0], in[1])), (fx_pad_axis){1, 0, 0}, (fx_pad_axis){1, 2, 0});
}

GRAPH(padded_product) {
    UNUSED;
    out[0] = pad_with_seven(fx_matmul(in[0], in[1]), (fx_pad_axis){0, 1, 0}, (fx_pad_axis){0, 0, 0});
}

GRAPH(spread_product) {
    UNUSED;
    out[0] = pad_with_seven(fx_tanh(fx_matmul(in[0], in[1])), (fx_pad_axis){1, 1, 1}, (fx_pad_axis){0, 0, 0});
}

GRAPH(pads_in_a_row) {
    UNUSED;
    fx_node *x = fx_matmul(in[0], in[1]);
    fx_node *a = pad_with_seven(fx_exp(x), (fx_pad_axis){1, 1, 0}, (fx_pad_axis){1, 1, 0});
    fx_node *b = pad_with_seven(fx_neg(x), (fx_pad_axis){2, 0, 0}, (fx_pad_axis){0, 2, 0});
    out[0] = fx_concatenate((fx_nodes){(fx_node *const[]){a, b}, 2}, 1);
}

static void pads(void **state) {
    (void)state;
    const fx_shape small = M(FX_F64, 8, 8), square = M(FX_F32, 40, 40), complex = M(FX_C64, 16, 16);
    const program_case cases[] = {
        {"padded", padded, "+ epilogue { sub }", 1, 2, 1, {small, small}},
        {"padded floats", padded, "+ epilogue { sub }", 2, 2, 1, {square, square}},
        {"padded complex", padded, "+ epilogue { sub }", 1, 2, 1, {complex, complex}},
        {"padded product", padded_product, "+ epilogue {", 1, 2, 1, {square, square}},
        {"spread", spread_product, "+ epilogue { tanh }", 1, 2, 1, {square, square}},
        {"in a row", pads_in_a_row, "+ epilogue {", 5, 2, 1, {square, square}},
    };
    check_cases(cases, COUNT_OF(cases));
}

static void several_results(void **state) {
    (void)state;
    const fx_shape square = M(FX_F32, 40, 40), large = M(FX_F32, 700, 700);
    const program_case cases[] = {
        {"kept", kept, "+ epilogue { add compare select }", 0, 3, 2, {square, square, V(FX_F32, 40)}},
        {"kept, one loop", kept_alone, NULL, 1, 2, 2, {square, square}},
        {"chain", chain, " } + epilogue {", 0, 6, 3, {square, square, square, square, square, M(FX_F32, 40, 1)}},
        {"large chain", chain, NULL, 3, 6, 3, {large, large, large, large, large, M(FX_F32, 700, 1)}},
        {"first", goes_first, "+ epilogue { mul exp }", 0, 3, 2, {square, square, M(FX_F32, 40, 1)}},
        {"parts", part_of_all, "+ epilogue { tanh }", 1, 4, 1, {square, square, square, square}},
    };
    check_cases(cases, COUNT_OF(cases));
}

static void shapes(void **state) {
    (void)state;
    const program_case cases[] = {
        {"a row", relu, "+ epilogue { add", 0, 3, 1, DENSE(FX_F32, 1, 300, 200)},
        {"long row", relu, "+ epilogue { add", 0, 3, 1, DENSE(FX_F32, 1, 2000, 3000)},
        {"few rows", gelu, "+ epilogue { add", 0, 3, 1, DENSE(FX_F32, 5, 700, 900)},
        {"few rows of bf16", gelu, "+ epilogue { add", 0, 3, 1, DENSE(FX_BF16, 3, 300, 200)},
        {"a column", relu, "+ epilogue { add", 0, 3, 1, DENSE(FX_F32, 900, 700, 1)},
        {"few columns", relu, NULL, 1, 3, 1, DENSE(FX_F32, 900, 70, 3)}, /* calls for three elements each */
        {"batches", gelu, "+ epilogue { add", 0, 3, 1, {{FX_F32, 3, {7, 20, 30}}, {FX_F32, 3, {7, 30, 40}}, V(FX_F32, 40)}},
        {"large batches", gelu, "+ epilogue { add", 0, 3, 1,
         {{FX_F32, 3, {2, 200, 200}}, {FX_F32, 3, {2, 200, 260}}, V(FX_F32, 260)}},
        {"batches of rows", gelu, "+ epilogue { add", 0, 3, 1,
         {{FX_F32, 3, {5, 1, 64}}, {FX_F32, 3, {5, 64, 80}}, V(FX_F32, 80)}},
        {"batch of the left", gelu, "+ epilogue { add", 0, 3, 1,
         {{FX_F32, 3, {4, 30, 64}}, {FX_F32, 2, {64, 80}}, V(FX_F32, 80)}},
        {"heads", heads, "+ epilogue { add mul }", 0, 3, 1, DENSE(FX_F32, 19, 32, 96)},
    };
    check_cases(cases, COUNT_OF(cases));
}

/* Kernels that run inside products, of a generated graph; 0 without compiling it when there are no products. */
static size_t count_epilogues(const check_backends *b, const fx_graph *graph) {
    size_t products = 0, kernels = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) products += graph->nodes.data[i]->op == FX_OP_DOT_GENERAL;
    if (products == 0) return 0;
    fxi_cpu_program *p = fxi_cpu_backend.compile(b->fused, graph, FX_MUST);
    for (size_t i = 0; i < p->plan.steps.count; i++) kernels += p->plan.steps.data[i].epilogues.count;
    fxi_cpu_backend.program_free(p);
    return kernels;
}

/* Fused and unfused, they give the same bits, and every node the interpreter's value. */
static void generated_graphs(void **state) {
    (void)state;
    check_backends b = check_backends_open();
    int found = 0, failed = 0;
    for (uint64_t i = 30000; i < 30600 && failed < 3; i++) {
        random_graph g = random_graph_make(i, &(random_options){.no_library = true});
        if (count_epilogues(&b, g.graph) > 0) {
            found++;
            failed += !check_and_report(&b, &g, NULL);
        }
        random_graph_free(&g);
    }
    check_backends_close(&b);
    assert_int_equal(failed, 0);
    assert_true(found >= 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations),     cmocka_unit_test(halves_round_after_every_operation),
        cmocka_unit_test(other_operands),  cmocka_unit_test(pads), cmocka_unit_test(several_results),
        cmocka_unit_test(shapes),          cmocka_unit_test(generated_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
