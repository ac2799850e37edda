/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions and scans with closures on every backend: against the plain reductions for sums and extremes, and, with
 * combinations that are associative but not commutative (matrix products, composition of affine maps, the last element),
 * against loops in C; every length from 0 to 20 and some long ones. */
#include "exec/both.h"
#include "graph/graph.h"
#include <fluxion/combine.h>
#include <stdlib.h>

#define CLOSURE(name)                                                                                        \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)out, (void)n_out, (void)user

static fx_tensor *call(fx_backend *backend, fx_fn fn, void *user, fx_tensor *const *in, size_t n) {
    fx_exec *exec = fx_exec_new_fn(backend, fn, n, 1, user, FX_MUST);
    fx_arg args[3];
    for (size_t i = 0; i < n; i++) args[i] = FX_ARG(in[i]);
    fx_tensor *t = fx_exec_call1(exec, args, n, FX_MUST);
    fx_exec_free(exec);
    return t;
}

static fx_tensor *numbers(const fx_shape *shape) {
    fx_tensor *t = fx_tensor_new(shape, FX_MUST);
    for (int64_t i = 0; i < fx_shape_size(shape); i++)
        fxi_element_store(shape->dtype, t->data, i, fxi_scalar_convert((fxi_scalar){.i = (i * 37 + 11) % 19 - 9}, FX_S64, shape->dtype));
    return t;
}

/* ---- fx_reduce_with ---- */

/* The map x -> a x + b as a pair; first one, then the other. Exact in int32, which wraps. */
CLOSURE(compose) {
    UNUSED;
    out[0] = fx_mul(in[0], in[2]);
    out[1] = fx_add(fx_mul(in[1], in[2]), in[3]);
}
CLOSURE(composed) {
    UNUSED;
    fx_node *one = fx_scalar_int(g, FX_S32, 1), *three = fx_scalar_int(g, FX_S32, 3), *results[2];
    fx_reduce_with(FX_NODES(in[0], in[1]), FX_NODES(one, three), FX_AXES(1), compose, NULL, results);
    out[0] = fx_stack(FX_NODES(results[0], results[1]), 0);
}

static void test_order(void **state) {
    fx_backend *backend = open_named(state);
    for (int64_t n = 0; n <= 1000; n = n < 20 ? n + 1 : n * 7) {
        const fx_shape shape = FX_SHAPE(FX_S32, 3, n, 2);
        fx_tensor *in[2] = {numbers(&shape), numbers(&shape)};
        for (int64_t i = 0; i < 6 * n; i++) ((int32_t *)in[1]->data)[i] += (int32_t)i;
        fx_tensor *got = call(backend, composed, NULL, in, 2);
        for (int64_t k = 0; k < 6; k++) {
            uint32_t a = 1, b = 3;
            for (int64_t j = 0; j < n; j++) {
                int64_t at = (k / 2 * n + j) * 2 + k % 2;
                uint32_t c = ((uint32_t *)in[0]->data)[at], d = ((uint32_t *)in[1]->data)[at];
                a *= c;
                b = b * c + d;
            }
            assert_int_equal(((uint32_t *)got->data)[k], a);
            assert_int_equal(((uint32_t *)got->data)[6 + k], b);
        }
        fx_tensor_free(in[0]), fx_tensor_free(in[1]), fx_tensor_free(got);
    }
    fx_backend_close(backend);
}

/* A captured scale makes no difference to a maximum of scaled numbers; all axes at once. */
CLOSURE(scaled_max) { UNUSED; out[0] = fx_max(in[0], fx_mul(in[1], user)); }
CLOSURE(largest) {
    UNUSED;
    fx_node *lowest = fx_scalar(g, FX_F64, -100);
    out[0] = fx_sub(fx_reduce_with(FX_NODES(in[0]), FX_NODES(lowest), FX_AXES(), scaled_max, fx_scalar(g, FX_F64, 1), NULL),
                    fx_reduce_all_max(in[0]));
}

static void test_all_axes(void **state) {
    fx_backend *backend = open_named(state);
    const fx_shape shape = FX_SHAPE(FX_F64, 4, 5, 3);
    fx_tensor *x = numbers(&shape), *got = call(backend, largest, NULL, &x, 1);
    assert_text(got, "float64(0)");
    fx_tensor_free(x), fx_tensor_free(got);
    fx_backend_close(backend);
}

/* ---- windows ---- */

CLOSURE(sum) { UNUSED; out[0] = fx_add(in[0], in[1]); }
CLOSURE(last) { UNUSED; out[0] = in[1]; }
typedef struct windows {
    fx_window_options options;
    bool by_kind;
} windows;
CLOSURE(window_sum) {
    UNUSED;
    const windows *w = user;
    fx_node *zero = fx_scalar(g, FX_F32, 0);
    out[0] = w->by_kind ? fx_reduce_window(in[0], FX_WINDOW_SUM, &w->options)
                        : fx_reduce_window_with(FX_NODES(in[0]), FX_NODES(zero), &w->options, sum, NULL, NULL);
}
CLOSURE(window_last) {
    UNUSED;
    static const fx_pad_axis pads[] = {{0, 2, 0}};
    fx_node *zero = fx_scalar(g, FX_F32, 77);
    out[0] = fx_reduce_window_with(FX_NODES(in[0]), FX_NODES(zero), &(fx_window_options){.window = FX_DIMS(3), .strides = FX_DIMS(1), .paddings = {pads, 1}}, last, NULL, NULL);
}

static void test_windows(void **state) {
    const int64_t w[] = {2, 3}, s[] = {1, 2}, d[] = {2, 1}, base[] = {1, 3};
    const fx_pad_axis pads[] = {{1, 0, 0}, {0, 2, 0}};
    windows ways[] = {{{.window = {w, 2}}, false},
                      {{.window = {w, 2}, .strides = {s, 2}, .window_dilations = {d, 2}}, false},
                      {{.window = {w, 2}, .strides = {s, 2}, .paddings = {pads, 2}}, false},
                      {{.window = {w, 2}, .strides = {s, 2}, .base_dilations = {base, 2}}, false}};
    fx_backend *backend = open_named(state);
    const fx_shape shape = FX_SHAPE(FX_F32, 6, 7);
    fx_tensor *x = numbers(&shape);
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        fx_tensor *got = call(backend, window_sum, &ways[i], &x, 1);
        ways[i].by_kind = true;
        fx_tensor *want = call(backend, window_sum, &ways[i], &x, 1);
        assert_true(fx_tensor_equal(got, want));
        fx_tensor_free(got), fx_tensor_free(want);
    }
    fx_tensor_free(x);
    x = fx_tensor_from(FX_HOST(((float[]){1, 2, 3, 4}), 4), FX_MUST);
    fx_tensor *got = call(backend, window_last, NULL, &x, 1);
    assert_text(got, "[4]float32{3, 4, 77, 77}");
    fx_tensor_free(x), fx_tensor_free(got);
    fx_backend_close(backend);
}

/* ---- scans ---- */

CLOSURE(matrix_product) { UNUSED; out[0] = fx_matmul(in[0], in[1]); }
CLOSURE(products) { UNUSED; out[0] = fx_associative_scan(FX_NODES(in[0]), 0, false, matrix_product, NULL, NULL); }
CLOSURE(products_back) { UNUSED; out[0] = fx_associative_scan(FX_NODES(in[0]), 0, true, matrix_product, NULL, NULL); }
CLOSURE(sums) { UNUSED; out[0] = fx_sub(fx_associative_scan(FX_NODES(in[0]), -1, false, sum, NULL, NULL), fx_cum_sum(in[0], -1)); }

static void multiply(const uint32_t *a, const uint32_t *b, uint32_t *c) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) c[2 * i + j] = a[2 * i] * b[j] + a[2 * i + 1] * b[2 + j];
}

static void check_products(fx_backend *backend, int64_t n, bool backwards) {
    const fx_shape shape = FX_SHAPE(FX_U32, n, 2, 2);
    fx_tensor *x = numbers(&shape), *got = call(backend, backwards ? products_back : products, NULL, &x, 1);
    const uint32_t *data = x->data;
    uint32_t so_far[4] = {1, 0, 0, 1}, next[4];
    for (int64_t k = 0; k < n; k++) {
        int64_t i = backwards ? n - 1 - k : k;
        multiply(so_far, data + 4 * i, next);
        memcpy(so_far, next, sizeof next);
        assert_memory_equal((const uint32_t *)got->data + 4 * i, so_far, sizeof so_far);
    }
    fx_tensor_free(x), fx_tensor_free(got);
}

static void test_scans(void **state) {
    fx_backend *backend = open_named(state);
    for (int64_t n = 0; n <= 300; n = n < 20 ? n + 1 : n * 5)
        for (int backwards = 0; backwards < 2; backwards++) check_products(backend, n, backwards != 0);
    const fx_shape shape = FX_SHAPE(FX_F64, 3, 9);
    fx_tensor *x = numbers(&shape), *got = call(backend, sums, NULL, &x, 1);
    for (int64_t i = 0; i < 27; i++) assert_true(fx_tensor_get(got, i) == 0);
    fx_tensor_free(x), fx_tensor_free(got);
    fx_backend_close(backend);
}

/* ---- what is refused ---- */

CLOSURE(widened) { UNUSED; out[0] = fx_convert(in[0], FX_F64); }

static void refused(int which, const char *message) {
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_error err = {.code = FX_OK};
    const fx_shape shape = FX_SHAPE(FX_F32, 3), other = FX_SHAPE(FX_F32, 4);
    fx_node *x = fx_parameter(g, &shape), *y = fx_parameter(g, &other), *zero = fx_scalar(g, FX_F32, 0);
    fx_node *wide = fx_scalar(g, FX_F64, 0);
    switch (which) {
    case 0: fx_reduce_with(FX_NODES(x, y), FX_NODES(zero, zero), FX_AXES(), compose, NULL, NULL); break;
    case 1: fx_reduce_with(FX_NODES(x), FX_NODES(zero, zero), FX_AXES(), sum, NULL, NULL); break;
    case 2: fx_reduce_with(FX_NODES(x), FX_NODES(wide), FX_AXES(), sum, NULL, NULL); break;
    case 3: fx_reduce_with(FX_NODES(x), FX_NODES(zero), FX_AXES(1), sum, NULL, NULL); break;
    case 4: fx_reduce_with(FX_NODES(x), FX_NODES(zero), FX_AXES(0), widened, NULL, NULL); break;
    case 5: fx_reduce_with(FX_NODES(x), FX_NODES(zero), FX_AXES(0), NULL, NULL, NULL); break;
    case 8: fx_reduce_with(FX_NODES(x), (fx_nodes){NULL, 1}, FX_AXES(0), sum, NULL, NULL); break;
    case 9: fx_reduce_with(FX_NODES(x), FX_NODES((fx_node *)NULL), FX_AXES(0), sum, NULL, NULL); break;
    case 10: fx_reduce_window_with(FX_NODES(x), (fx_nodes){NULL, 1}, NULL, sum, NULL, NULL); break;
    case 6: fx_associative_scan(FX_NODES(x), 1, false, sum, NULL, NULL); break;
    default: fx_reduce_window_with(FX_NODES(x), FX_NODES(zero), &(fx_window_options){.window = FX_DIMS(5)}, sum, NULL, NULL);
    }
    assert_true(fx_graph_error(g, &err));
    if (!strstr(err.message, message)) fail_msg("%s does not contain %s", err.message, message);
    fx_graph_free(g);
}

static void test_refused(void **state) {
    (void)state;
    refused(0, "fx_reduce_with: the operands differ in their dimensions");
    refused(1, "fx_reduce_with: there must be one initial value per operand");
    refused(2, "fx_reduce_with: an initial value is not a scalar of its operand's dtype");
    refused(3, "fx_reduce_with: axis 1 is out of range");
    refused(4, "fx_reduce_with: the closure gives another dtype or shape than it takes");
    refused(5, "fx_reduce_with: the closure is NULL");
    refused(6, "fx_associative_scan: axis 1 is out of range");
    refused(7, "window");
    refused(8, "fx_reduce_with: the initial values are NULL");
    refused(9, "fx_reduce_with: the initial values are NULL");
    refused(10, "fx_reduce_window_with: the initial values are NULL");
    assert_null(fx_reduce_with((fx_nodes){NULL, 0}, (fx_nodes){NULL, 0}, FX_AXES(), sum, NULL, NULL));
    assert_null(fx_associative_scan((fx_nodes){NULL, 0}, 0, false, sum, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(test_order), BOTH(test_all_axes), BOTH(test_windows), BOTH(test_scans),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
