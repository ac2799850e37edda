/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: values as the interpreter has them, text and memory, logged nodes, options of compilation, and
 * what cannot be compiled or run. */
#include "pjrt_tests.h"
#include "tensor/tensor.h"
#include <fenv.h>

static fx_node *euclidean(fx_node *a, fx_node *b) {
    return fx_sqrt(fx_reduce_all_sum(fx_square(fx_sub(a, b))));
}
static fx_node *twice(fx_node *x) {
    return fx_add(x, x);
}
static fx_node *nothing(fx_graph *g) {
    return fx_scalar(g, FX_S32, 42);
}

static void a_distance(void **state) {
    fx_backend *backends[2] = {open_plugin(state), fx_backend_open("interp", FX_MUST)};
    for (int i = 0; i < 2; i++) {
        fx_exec *exec = fx_exec_new(backends[i], euclidean, FX_MUST);
        fx_tensor *d = fx_call1(exec, FX_MUST, FX_VEC(double, 1, 2, 3), FX_VEC(double, 1, 5, 7));
        assert_text(d, "float64(5)");
        fx_tensor_free(d);
        d = fx_call1(exec, FX_MUST, FX_VEC(float, 0), FX_VEC(float, 2)); /* other shapes, another program */
        assert_text(d, "float32(2)");
        fx_tensor_free(d);
        fx_exec_free(exec);
        fx_backend_close(backends[i]);
    }
}

static void without_inputs(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, nothing, FX_MUST);
    fx_tensor *r = fx_exec_call1(exec, NULL, 0, FX_MUST);
    assert_text(r, "int32(42)");
    fx_tensor_free(r);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* XLA computes with denormals flushed; the caller's thread is not left so. */
static void the_float_environment_stays(void **state) {
    volatile double tiny = 0x1p-1074;
    const int modes[] = {FE_TONEAREST, FE_UPWARD};
    for (int i = 0; i < 2; i++) {
        fesetround(modes[i]);
        fx_backend *backend = open_plugin(state);
        fx_exec *exec = fx_exec_new(backend, euclidean, FX_MUST);
        fx_tensor *d = fx_call1(exec, FX_MUST, FX_VEC(double, 3), FX_VEC(double, 7));
        assert_text(d, "float64(4)");
        fx_tensor_free(d);
        fx_exec_free(exec);
        fx_backend_close(backend);
        assert_int_equal(fegetround(), modes[i]);
        assert_true(tiny * 2 == 0x1p-1073);
        fesetround(FE_TONEAREST);
    }
}

/* More arguments and results than a call has room for on the stack. */
enum { MANY = 70 };
static void rotate(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)user;
    for (size_t i = 0; i < n_out; i++) out[i] = fx_add(in[(i + 1) % n_in], in[i]);
}
static void many_arguments(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new_fn(backend, rotate, MANY, MANY, NULL, FX_MUST);
    fx_tensor *values[MANY], *out[MANY];
    fx_arg args[MANY];
    for (int i = 0; i < MANY; i++) values[i] = fx_tensor_scalar(FX_F32, i, FX_MUST);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++)
            args[i] = i % 2 && round == 2 ? fx_donate(values[i]) : FX_ARG(values[i]);
        assert_true(fx_exec_call(exec, args, MANY, out, MANY, FX_MUST));
        for (int i = 0; i < MANY; i++) {
            fx_tensor_free(values[i]);
            values[i] = out[i];
        }
    }
    assert_true(fx_tensor_get(values[0], 0) == 0 + 3 * 1 + 3 * 2 + 3);
    for (int i = 0; i < MANY; i++) fx_tensor_free(values[i]);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- closures ---- */

/* Branches and a loop that capture values of several shapes, each its own. */
typedef struct captured {
    fx_node *matrix, *vector, *scale, *limit;
} captured;
static void sum_of_matrix(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    (void)g, (void)in, (void)n_in, (void)n_out;
    const captured *c = user;
    out[0] = fx_mul(fx_reduce_all_sum(c->matrix), c->scale);
}
static void sum_of_vector(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    (void)g, (void)in, (void)n_in, (void)n_out;
    const captured *c = user;
    out[0] = fx_reduce_all_sum(c->vector);
}
static void below_limit(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    (void)g, (void)n_in, (void)n_out;
    out[0] = fx_less(in[0], ((const captured *)user)->limit);
}
static void grow(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out;
    const captured *c = user;
    out[0] = fx_add(fx_mul(in[0], c->scale), fx_reduce_all_sum(c->vector));
}
static void chooses_and_loops(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                              void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    captured c = {.matrix = in[0], .vector = in[1], .scale = in[2], .limit = in[3]};
    fx_node *first = fx_less(in[2], in[3]);
    fx_if(first, sum_of_matrix, sum_of_vector, 1, &c, &out[0]);
    fx_if(fx_logical_not(first), sum_of_matrix, sum_of_vector, 1, &c, &out[1]);
    fx_while(FX_NODES(in[2]), below_limit, grow, &c, &out[2]);
}
static void closures_capture(void **state) {
    fx_backend *backends[2] = {open_plugin(state), fx_backend_open("interp", FX_MUST)};
    for (int i = 0; i < 2; i++) {
        fx_exec *exec = fx_exec_new_fn(backends[i], chooses_and_loops, 4, 3, NULL, FX_MUST);
        const float matrix[2][2] = {{1, 2}, {3, 4}};
        const fx_arg args[] = {FX_ARG(FX_HOST(&matrix[0][0], 2, 2)), FX_ARG(FX_VEC(float, 1, 2, 3)),
                               FX_ARG(2.0f), FX_ARG(50.0f)};
        fx_tensor *out[3];
        assert_true(fx_exec_call(exec, args, 4, out, 3, FX_MUST));
        assert_text(out[0], "float32(20)");
        assert_text(out[1], "float32(6)");
        assert_text(out[2], "float32(58)");
        for (int k = 0; k < 3; k++) fx_tensor_free(out[k]);
        fx_exec_free(exec);
        fx_backend_close(backends[i]);
    }
}

/* A comparison with a reduction in it, of every float. */
static void less_by_maximum(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    const int64_t three = 3;
    fx_node *many = fx_broadcast_to_dims(in[0], (fx_dims){&three, 1});
    out[0] = fx_less(fx_reduce_all_max(many), in[1]);
}
static fx_node *sorted(fx_node *x) {
    return fx_sort_func(less_by_maximum, NULL, 0, FX_NODES(x), NULL);
}
static void comparisons_reduce(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, sorted, FX_MUST);
    static const fx_dtype dtypes[] = {FX_F16, FX_BF16, FX_F32, FX_F64};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        fx_tensor *x = fx_tensor_new(&FX_SHAPE(dtypes[i], 3), FX_MUST);
        fxi_element_store(dtypes[i], fx_tensor_mutable_data(x), 0, (fxi_scalar){.re = 5});
        fxi_element_store(dtypes[i], fx_tensor_mutable_data(x), 1, (fxi_scalar){.re = -2});
        fx_tensor *y = fx_exec_call1(exec, (fx_arg[]){FX_ARG(x)}, 1, FX_MUST);
        assert_true(fx_tensor_get(y, 0) == -2 && fx_tensor_get(y, 1) == 0 && fx_tensor_get(y, 2) == 5);
        fx_tensor_free(x);
        fx_tensor_free(y);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- what programs tell ---- */

static void text_and_memory(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, euclidean, FX_MUST);
    const fx_shape shapes[2] = {FX_SHAPE(FX_F64, 3), FX_SHAPE(FX_F64, 3)};
    assert_true(fx_exec_compile(exec, shapes, 2, FX_MUST));
    fx_program *program = fx_exec_program(exec, shapes, 2, FX_MUST);
    char text[8000];
    assert_true(fx_program_text(program, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, "func.func public @main("));
    assert_non_null(strstr(text, "stablehlo.sqrt"));
    fx_memory memory = {.size = sizeof memory};
    assert_true(fx_program_memory(program, &memory));
    assert_true(memory.parameters == 48 && memory.outputs == 8);
    if (plugin_of(state) == 1) assert_true(memory.code >= 0 && memory.workspace >= 0);
    fx_program_free(program);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- logged nodes ---- */

static fx_node *logged(fx_node *x) {
    fx_node *y = fx_add(x, x);
    fx_log_node(y, "twice");
    fx_log_node(y, "again");
    fx_node *z = fx_mul(y, y);
    fx_log_node(z, "square");
    return fx_add(z, x);
}
static void note(const char *label, const fx_tensor *value, const char *file, int line, void *user) {
    (void)file, (void)line;
    char *text = user;
    strcat(strcat(strcat(text, label), fx_tensor_text(value).s), " ");
}
static void logs(void **state) {
    fx_backend *backend = open_plugin(state);
    char text[500] = "";
    for (int with = 0; with < 2; with++) {
        fx_exec *exec = fx_exec_new(backend, logged, FX_MUST);
        if (with)
            assert_true(fx_exec_configure(exec, &(fx_exec_options){.log = note, .log_user = text}, FX_MUST));
        fx_tensor *x = fx_tensor_scalar(FX_F32, 3, FX_MUST),
                  *r = fx_exec_call1(exec, (fx_arg[]){fx_donate(x)}, 1, FX_MUST);
        assert_text(r, "float32(39)");
        assert_false(fx_tensor_is_valid(x));
        assert_string_equal(text, with ? "twicefloat32(6) againfloat32(6) squarefloat32(36) " : "");
        fx_tensor_free(x);
        fx_tensor_free(r);
        fx_exec_free(exec);
    }
    fx_backend_close(backend);
}

static fx_node *logarithm(fx_node *x) {
    return fx_add(fx_log(x), x);
}
static void nan_is_traced(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, logarithm, FX_MUST);
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.trace_nan = true}, FX_MUST));
    fx_error err = {.code = FX_OK};
    fx_exec *two = fx_exec_new(backend, twice, FX_MUST);
    fx_tensor *x = fx_call1(two, FX_MUST, 1.0f), *y = fx_call1(two, FX_MUST, -1.0f);
    fx_tensor *r = fx_call1(exec, FX_MUST, x);
    assert_true(fx_tensor_get(r, 0) > 2.69);
    assert_null(fx_call1(exec, &err, y));
    assert_failed(err, FX_ERROR_NAN, "log");
    fx_tensor_free(x);
    fx_tensor_free(y);
    fx_tensor_free(r);
    fx_exec_free(two);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- what goes wrong ---- */

static void options_of_compilation(void **state) {
    fx_error err = {.code = FX_OK};
    fx_backend *backend =
        pjrt_open(plugin_of(state), "&xla_backend_optimization_level=0&xla_cpu_enable_fast_math=false");
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    fx_tensor *r = fx_call1(exec, FX_MUST, 4);
    assert_text(r, "int32(8)");
    fx_tensor_free(r);
    fx_exec_free(exec);
    fx_backend_close(backend);
    backend = pjrt_open(plugin_of(state), "&xla_no_such_option=1.5");
    exec = fx_exec_new(backend, twice, FX_MUST);
    const fx_shape shape = FX_SHAPE(FX_F32);
    assert_false(fx_exec_compile(exec, &shape, 1, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "xla_no_such_option");
    assert_null(fx_call1(exec, &err, 1.0f));
    assert_failed(err, FX_ERROR_ARGUMENT, "xla_no_such_option");
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void wrong_arguments(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, euclidean, FX_MUST);
    fx_error err = {.code = FX_OK};
    assert_null(fx_call1(exec, &err, 1.0));
    assert_failed(err, FX_ERROR_ARGUMENT, "takes 2 arguments, got 1");
    assert_null(fx_call1(exec, &err, FX_VEC(double, 1, 2), FX_VEC(double, 1, 2, 3)));
    assert_failed(err, FX_ERROR_SHAPE, "");
    /* Equal bytes, other types: refused by the graph or compiled anew, never read as what they are not. */
    assert_null(fx_call1(exec, &err, FX_VEC(double, 1, 2), FX_VEC(int64_t, 1, 2)));
    assert_failed(err, FX_ERROR_DTYPE, "");
    fx_tensor *f = fx_call1(exec, FX_MUST, FX_VEC(double, 3), FX_VEC(double, 1));
    fx_tensor *i = fx_call1(exec, &err, FX_VEC(int64_t, 3), FX_VEC(int64_t, 1));
    assert_text(f, "float64(2)");
    assert_null(i); /* no square root of integers */
    fx_tensor_free(f);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static bool fill(const fx_tensor *const *in, size_t n_in, fx_tensor *const *out, size_t n_out, void *user,
                 fx_error *err) {
    (void)in, (void)n_in, (void)out, (void)n_out, (void)user, (void)err;
    return true;
}
static fx_node *calls_c(fx_node *x) {
    static const fx_custom custom = {.name = "mine", .run = fill};
    fx_node *out = NULL;
    return fx_custom_call(&custom, FX_NODES(x), fx_node_shape(x), 1, &out);
}
static void a_program_it_cannot_have(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, calls_c, FX_MUST);
    fx_error err = {.code = FX_OK};
    assert_null(fx_call1(exec, &err, 1.0f));
    assert_failed(err, FX_ERROR_UNSUPPORTED, "custom");
    assert_int_equal(err.line > 0, 1);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* The address sanitizer is to refuse as an allocator does; its own name and form. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}

static fx_node *eight_terabytes(fx_node *x) {
    return fx_add(fx_iota(fx_node_graph(x), &FX_SHAPE(FX_F32, INT64_C(2000000000000)), 0), x);
}
static void no_memory(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, eight_terabytes, FX_MUST);
    fx_error err = {.code = FX_OK};
    fx_tensor *r = fx_call1(exec, &err, 1.0f);
    bool ok = r && fx_tensor_fetch(r, &err);
    fx_tensor_free(r);
    assert_false(ok);
    assert_failed(err, FX_ERROR_MEMORY, "ut of memory");
    fx_exec_free(exec);
    fx_backend_close(backend);
}

int main(void) {
    if (!pjrt_begin()) return PJRT_SKIPPED;
    const struct CMUnitTest tests[] = {
        BOTH_PLUGINS(a_distance),
        BOTH_PLUGINS(without_inputs),
        BOTH_PLUGINS(the_float_environment_stays),
        EACH_WAY(many_arguments),
        BOTH_PLUGINS(closures_capture),
        BOTH_PLUGINS(comparisons_reduce),
        BOTH_PLUGINS(text_and_memory),
        EACH_WAY(logs),
        BOTH_PLUGINS(nan_is_traced),
        BOTH_PLUGINS(options_of_compilation),
        BOTH_PLUGINS(wrong_arguments),
        BOTH_PLUGINS(a_program_it_cannot_have),
        EACH_WAY(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
