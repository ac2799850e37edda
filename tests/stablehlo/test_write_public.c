/* SPDX-License-Identifier: Apache-2.0 */
/* fx_stablehlo_write and fx_exec_stablehlo: pieces, options, what they refuse, and that what they write runs. */
#include "exec/both.h"
#include <stdlib.h>

typedef struct sink {
    char *data;
    size_t length, calls, limit; /* pieces that are taken */
} sink;

static bool take(void *user, const char *bytes, size_t n) {
    sink *s = user;
    if (s->calls++ == s->limit) return false;
    s->data = realloc(s->data, s->length + n + 1);
    memcpy(s->data + s->length, bytes, n);
    s->length += n;
    s->data[s->length] = 0;
    return true;
}

static fx_node *function(fx_node *x, fx_node *y) { return fx_softmax(fx_add(x, fx_relu(y)), FX_AXES(-1)); }

static const fx_shape shapes[] = {{.dtype = FX_F32, .rank = 2, .dims = {2, 3}},
                                  {.dtype = FX_F32, .rank = 2, .dims = {2, 3}}};

static void test_exec(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, function, FX_MUST);
    for (int i = 0; i < 4; i++) {
        sink s = {.limit = 100};
        const fx_stablehlo_options options = {.no_locations = i & 1, .inline_composites = i > 1};
        assert_true(fx_exec_stablehlo(exec, shapes, 2, &options, take, &s, FX_MUST));
        assert_true(!strstr(s.data, "loc(") == options.no_locations);
        assert_true(!strstr(s.data, "stablehlo.composite") == options.inline_composites);
        fx_module *module = fx_module_parse(s.data, s.length, NULL, FX_MUST);
        fx_exec *again = fx_exec_new_module(backend, module, (size_t)fx_module_find(module, "main"), FX_MUST);
        fx_tensor *a = fx_call1(exec, FX_MUST, FX_HOST(((float[]){1, 2, 3, 4, 5, 6}), 2, 3),
                                FX_HOST(((float[]){-1, 0, 1, 2, 3, -4}), 2, 3));
        fx_tensor *b = fx_call1(again, FX_MUST, FX_HOST(((float[]){1, 2, 3, 4, 5, 6}), 2, 3),
                                FX_HOST(((float[]){-1, 0, 1, 2, 3, -4}), 2, 3));
        assert_true(fx_tensor_equal(a, b));
        fx_tensor_free(a);
        fx_tensor_free(b);
        fx_exec_free(again);
        fx_module_free(module);
        free(s.data);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* Text beyond one piece arrives whole; a sink that gives up is an error. */
static void test_pieces(void **state) {
    (void)state;
    const fx_shape shape = {.dtype = FX_S32, .rank = 1, .dims = {40000}};
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    int32_t *values = fx_tensor_mutable_data(t);
    for (int i = 0; i < 40000; i++) values[i] = i;
    assert_true(fx_graph_finish(g, FX_NODES(fx_constant(g, t)), FX_MUST));
    sink s = {.limit = 100}, short_one = {.limit = 1};
    assert_true(fx_stablehlo_write(g, NULL, take, &s, FX_MUST));
    assert_int_equal(s.calls, (s.length + 65535) / 65536);
    assert_int_equal(strlen(s.data), s.length);
    assert_non_null(strstr(s.data, "dense<\"0x000000000100000002000000"));
    fx_error err = {.code = FX_OK};
    assert_false(fx_stablehlo_write(g, NULL, take, &short_one, &err));
    assert_failed(err, FX_ERROR_FILE, "fx_stablehlo_write: the text could not be written");
    free(s.data);
    free(short_one.data);
    fx_tensor_free(t);
    fx_graph_free(g);
}

static bool no_run(const fx_tensor *const *in, size_t n_in, fx_tensor *const *out, size_t n_out, void *user,
                   fx_error *err) {
    (void)in, (void)n_in, (void)out, (void)n_out, (void)user, (void)err;
    return false;
}

static void test_refusals(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, function, FX_MUST);
    fx_error err = {.code = FX_OK};
    sink s = {.limit = 100};
    assert_false(fx_exec_stablehlo(NULL, shapes, 2, NULL, take, &s, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "fx_exec_stablehlo: exec is NULL");
    assert_false(fx_exec_stablehlo(exec, shapes, 2, NULL, NULL, &s, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "fx_exec_stablehlo: write is NULL");
    assert_false(fx_exec_stablehlo(exec, shapes, 1, NULL, take, &s, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "fx_exec_stablehlo: the function takes 2 arguments, got 1 shapes");
    assert_false(fx_stablehlo_write(NULL, NULL, take, &s, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "fx_stablehlo_write: the graph is NULL");
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_node *x = fx_parameter(g, &shapes[0]);
    assert_false(fx_stablehlo_write(g, NULL, take, &s, &err));
    assert_failed(err, FX_ERROR_GRAPH, "fx_stablehlo_write: the graph is not finished");
    const fx_custom custom = {.name = "mine", .run = no_run};
    fx_node *y = fx_at((fx_custom_call)(&custom, FX_NODES(x), &shapes[0], 1, NULL), "model.c", 7);
    assert_true(fx_graph_finish(g, FX_NODES(y), FX_MUST));
    assert_false(fx_stablehlo_write(g, NULL, take, &s, &err));
    assert_failed(err, FX_ERROR_UNSUPPORTED, "fx_stablehlo_write: ");
    assert_string_equal(err.file, "model.c");
    assert_int_equal(err.line, 7);
    assert_int_equal(s.length, 0);
    fx_graph_free(g);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(test_exec), cmocka_unit_test(test_pieces),
                                       {"test_refusals", test_refusals, NULL, NULL, "interp"}};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
