/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors on a device: results stay there, go back in without a copy, are fetched when they are read, written
 * or given to another backend, and outlive what made them; donation reuses their memory. */
#include "pjrt_tests.h"
#include "tensor/tensor.h"

static fx_node *twice(fx_node *x) {
    return fx_add(x, x);
}
static fx_node *multiply_add(fx_node *a, fx_node *b) {
    return fx_add(fx_mul(a, b), a);
}
static void forward(fx_node *a, fx_node *b, fx_node **out) {
    out[0] = b;
    out[1] = a;
    out[2] = a;
}

static const char *const dtypes[] = {"bool", "s8",     "s16",      "s32", "s64", "u8",   "u16",
                                     "u32",  "u64",    "f16",      "f32", "f64", "bf16", "c64",
                                     "c128", "f8e5m2", "f8e4m3fn", "s4",  "u4",  "s2",   "u2"};

/* ---- residence ---- */

static void results_stay_until_they_are_read(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    fx_tensor *host = vector(1000, 1), *a = fx_call1(exec, FX_MUST, host), *b = fx_call1(exec, FX_MUST, a);
    assert_true(a->device && !fxi_tensor_is_here(a) && !a->data);
    assert_false(fxi_tensor_is_here(b));
    assert_true(fx_tensor_is_valid(b));
    assert_true(fx_tensor_get(b, 999) == 4000);
    assert_true(fxi_tensor_is_here(b) && !fxi_tensor_is_here(a));
    assert_ptr_equal(fx_tensor_data(b), fx_tensor_data(b));
    fx_tensor *c = fx_call1(exec, FX_MUST, b); /* that it was read changes nothing */
    assert_true(fx_tensor_get_int(c, 0) == 8);
    assert_true(b->device != NULL);
    fx_tensor_free(host);
    fx_tensor_free(a);
    fx_tensor_free(b);
    fx_tensor_free(c);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* Small arguments are copied, large ones borrowed where they are aligned; both kinds may change after the
 * call. */
static void arguments_may_change_after_the_call(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    static const size_t sizes[] = {1, 5, 1000, 16384, 16385, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t offset = 0; offset < 2; offset++) {
            fx_tensor *room = vector(sizes[i] + offset, 1);
            float *data = (float *)fx_tensor_mutable_data(room) + offset;
            fx_tensor *view = fx_tensor_wrap(&FX_SHAPE(FX_F32, (int64_t)sizes[i]), data, NULL, NULL, FX_MUST);
            fx_tensor *result = fx_call1(exec, FX_MUST, view);
            float last = data[sizes[i] - 1];
            memset(data, 0xff, sizes[i] * sizeof *data);
            assert_true(fx_tensor_get(result, (int64_t)sizes[i] - 1) == 2 * last);
            fx_tensor_free(result);
            fx_tensor_free(view);
            fx_tensor_free(room);
        }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void whoever_made_it_may_be_gone(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    fx_tensor *a = fx_call1(exec, FX_MUST, 1.5), *b = fx_call1(exec, FX_MUST, a);
    fx_exec_free(exec);
    fx_backend_close(backend);
    assert_text(b, "float64(6)");
    fx_tensor_free(b);
    assert_text(a, "float64(3)");
    fx_tensor_free(a);
}

/* Everything is let go while the device still works. */
static fx_node *four_products(fx_node *x) {
    for (int i = 0; i < 4; i++) x = fx_mul(fx_matmul(x, x), fx_scalar(fx_node_graph(x), FX_F32, 0.01));
    return x;
}
static void let_go_at_once(void **state) {
    for (int round = 0; round < 2; round++) {
        fx_backend *backend = open_plugin(state);
        fx_exec *exec = fx_exec_new(backend, four_products, FX_MUST);
        fx_tensor *x = fx_tensor_new(&FX_SHAPE(FX_F32, 300, 300), FX_MUST);
        fx_tensor *y = fx_call1(exec, FX_MUST, x), *z = fx_call1(exec, FX_MUST, y);
        fx_tensor *w = fx_exec_call1(exec, (fx_arg[]){fx_donate(z)}, 1, FX_MUST);
        fx_tensor_free(x);
        fx_tensor_free(y);
        fx_tensor_free(z);
        if (round % 2) fx_tensor_free(w);
        fx_exec_free(exec);
        fx_backend_close(backend);
        if (round % 2 == 0) fx_tensor_free(w);
    }
}

/* Inputs that are results, twice, need buffers of their own. */
static void forwarded_inputs(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new_outputs(backend, forward, 3, FX_MUST);
    fx_tensor *a = vector(40000, 1), *b = vector(3, 7), *out[3];
    assert_true(fx_exec_call(exec, (const fx_arg[]){FX_ARG(a), FX_ARG(b)}, 2, out, 3, FX_MUST));
    memset(fx_tensor_mutable_data(a), 0, 40000 * sizeof(float));
    assert_text(out[0], "[3]float32{7, 8, 9}");
    ((float *)fx_tensor_mutable_data(out[1]))[5] = -1;
    assert_true(fx_tensor_get(out[1], 5) == -1 && fx_tensor_get(out[2], 5) == 6);
    for (int i = 0; i < 3; i++) fx_tensor_free(out[i]);
    fx_tensor_free(a);
    fx_tensor_free(b);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- element types ---- */

static void every_dtype_comes_back(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new_outputs(backend, forward, 3, FX_MUST);
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        fx_dtype dtype = fx_dtype_parse(dtypes[i]);
        fx_tensor *a = fx_tensor_new(&FX_SHAPE(dtype, 3, 5, 7), FX_MUST), *out[3];
        unsigned char *bytes = fx_tensor_mutable_data(a);
        for (int64_t k = 0; k < a->bytes; k++)
            bytes[k] = (unsigned char)(dtype == FX_BOOL ? k % 3 == 0 : k % 61); /* finite in every float */
        fx_tensor *b = fx_tensor_scalar(dtype, 1, FX_MUST);
        assert_true(fx_exec_call(exec, (const fx_arg[]){FX_ARG(a), FX_ARG(b)}, 2, out, 3, FX_MUST));
        assert_true(fx_tensor_equal(out[1], a) && fx_tensor_equal(out[0], b));
        fx_tensor *again[3]; /* from the device */
        assert_true(
            fx_exec_call(exec, (const fx_arg[]){FX_ARG(out[1]), FX_ARG(out[0])}, 2, again, 3, FX_MUST));
        assert_true(fx_tensor_equal(again[2], a));
        for (int k = 0; k < 3; k++) fx_tensor_free(out[k]), fx_tensor_free(again[k]);
        fx_tensor_free(a);
        fx_tensor_free(b);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void empty_and_scalar(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    fx_tensor *none = fx_tensor_new(&FX_SHAPE(FX_F32, 0, 3), FX_MUST),
              *result = fx_call1(exec, FX_MUST, none);
    assert_text(result, "[0][3]float32{}");
    assert_non_null(fx_tensor_data(result));
    assert_non_null(fx_tensor_mutable_data(result));
    fx_tensor_free(result);
    result = fx_call1(exec, FX_MUST, (fx_vec){.dtype = FX_F32});
    assert_text(result, "[0]float32{}");
    fx_tensor_free(result);
    const int32_t matrix[2][2] = {{1, 2}, {3, 4}};
    result = fx_call1(exec, FX_MUST, FX_HOST(&matrix[0][0], 2, 2));
    assert_text(result, "[2][2]int32{{2, 4}, {6, 8}}");
    fx_tensor_free(result);
    fx_tensor_free(none);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- writing ---- */

static void a_written_result_leaves_the_device(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    fx_tensor *a = fx_call1(exec, FX_MUST, FX_VEC(float, 1, 2)), *b = fx_call1(exec, FX_MUST, a);
    float *data = fx_tensor_mutable_data(a); /* b may still be being computed from it */
    assert_null(a->device);
    data[0] = 100;
    assert_text(b, "[2]float32{4, 8}");
    fx_tensor *c = fx_call1(exec, FX_MUST, a);
    assert_text(c, "[2]float32{200, 8}");
    ((float *)fx_tensor_mutable_data(c))[1] = 1; /* nobody else uses it: no copy */
    assert_text(c, "[2]float32{200, 1}");
    fx_tensor_free(a);
    fx_tensor_free(b);
    fx_tensor_free(c);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- donation ---- */

static void donated_memory_is_reused(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, multiply_add, FX_MUST);
    fx_tensor *host = vector(100000, 1), *a = fx_call1(exec, FX_MUST, host, host);
    const void *memory = copies(state) ? NULL : fx_tensor_data(a);
    fx_tensor *b = fx_call1(exec, FX_MUST, fx_donate(a), host);
    assert_false(fx_tensor_is_valid(a));
    assert_null(fx_tensor_data(a));
    assert_text(a, "[100000]float32<donated>");
    if (memory) assert_ptr_equal(fx_tensor_data(b), memory);
    assert_true(fx_tensor_get(b, 0) == 4 && fx_tensor_get(b, 2) == 48);
    fx_tensor *c = fx_call1(exec, FX_MUST, b, b); /* not donated: b stays as it is */
    assert_true(fx_tensor_get(c, 0) == 20 && fx_tensor_get(b, 0) == 4);
    fx_tensor *d = fx_call1(exec, FX_MUST, c, fx_donate(b));
    assert_true(fx_tensor_get(d, 0) == 100 && !fx_tensor_is_valid(b) && fx_tensor_get(c, 0) == 20);
    fx_tensor_free(a);
    fx_tensor_free(b);
    fx_tensor_free(c);
    fx_tensor_free(d);
    fx_tensor_free(host);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void a_donated_host_tensor(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, multiply_add, FX_MUST);
    fx_tensor *a = vector(100000, 1), *b = vector(100000, 2);
    fx_tensor *c = fx_call1(exec, FX_MUST, fx_donate(a), fx_donate(b));
    assert_true(!fx_tensor_is_valid(a) && !fx_tensor_is_valid(b));
    assert_true(fx_tensor_get(c, 1) == 8);
    fx_tensor_free(a);
    fx_tensor_free(b);
    fx_tensor_free(c);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void donated_twice(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, multiply_add, FX_MUST);
    fx_error err = {.code = FX_OK};
    fx_tensor *a = fx_call1(exec, FX_MUST, 2.0, 3.0);
    assert_null(fx_call1(exec, &err, fx_donate(a), fx_donate(a)));
    assert_failed(err, FX_ERROR_ARGUMENT, "donated argument 1 is also another argument");
    assert_null(fx_call1(exec, &err, fx_donate(a), a));
    assert_failed(err, FX_ERROR_ARGUMENT, "being donated");
    assert_text(a, "float64(8)"); /* refused calls take nothing */
    fx_tensor_free(fx_call1(exec, FX_MUST, fx_donate(a), 1.0));
    assert_null(fx_call1(exec, &err, a, 1.0));
    assert_failed(err, FX_ERROR_ARGUMENT, "donated to an earlier call");
    assert_false(fx_tensor_fetch(a, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "was donated");
    assert_false(fx_tensor_fetch(NULL, &err));
    fx_tensor_free(a);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* More sets of donated arguments than variants are kept. */
static fx_node *sum4(fx_node *a, fx_node *b, fx_node *c, fx_node *d) {
    return fx_add(fx_add(a, b), fx_sub(c, d));
}
static void every_set_of_donations(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, sum4, FX_MUST);
    for (int round = 0; round < 2; round++)
        for (int set = 0; set < 16; set++) {
            fx_tensor *in[4];
            fx_arg args[4];
            for (int i = 0; i < 4; i++) {
                in[i] = fx_tensor_scalar(FX_F32, i + 1 + set, FX_MUST);
                args[i] = set & 1 << i ? fx_donate(in[i]) : FX_ARG(in[i]);
            }
            fx_tensor *sum = fx_exec_call1(exec, args, 4, FX_MUST);
            assert_true(fx_tensor_get(sum, 0) == 2 + 2 * set);
            for (int i = 0; i < 4; i++) {
                assert_int_equal(fx_tensor_is_valid(in[i]), !(set & 1 << i));
                fx_tensor_free(in[i]);
            }
            fx_tensor_free(sum);
        }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- several backends ---- */

static void through_all_backends(void **state) {
    fx_backend *backends[4] = {open_plugin(state), fx_backend_open("interp", FX_MUST),
                               pjrt_open(1 - plugin_of(state), ""), NULL};
    backends[3] = fx_backend_open(FLUXION_CPU ? "cpu" : "interp", FX_MUST);
    fx_tensor *value = vector(50000, 1);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 4; i++) {
            fx_exec *exec = fx_exec_new(backends[i], twice, FX_MUST);
            fx_tensor *next =
                fx_exec_call1(exec, (fx_arg[]){round ? fx_donate(value) : FX_ARG(value)}, 1, FX_MUST);
            fx_tensor_free(value);
            value = next;
            fx_exec_free(exec);
        }
    assert_true(fx_tensor_get(value, 0) == 256 && fx_tensor_get(value, 49999) == 256 * 50000.0);
    fx_tensor_free(value);
    for (int i = 0; i < 4; i++) fx_backend_close(backends[i]);
}

/* What reads a tensor by itself fetches it. */
static fx_node *with_constant(fx_node *x, void *user) {
    return fx_mul(x, fx_constant(fx_node_graph(x), user));
}
static void uses_with_constant(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                               void *user) {
    (void)g, (void)n_in, (void)n_out;
    out[0] = with_constant(in[0], user);
}
static void readers_fetch(void **state) {
    fx_backend *backend = open_plugin(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    fx_tensor *a = fx_call1(exec, FX_MUST, FX_VEC(float, 1, 2)),
              *b = fx_call1(exec, FX_MUST, FX_VEC(float, 1, 2));
    fx_exec *other = fx_exec_new_fn(backend, uses_with_constant, 1, 1, a, FX_MUST);
    fx_tensor *c = fx_exec_call1(other, (fx_arg[]){FX_ARG(b)}, 1, FX_MUST);
    assert_text(c, "[2]float32{4, 16}");
    fx_tensor_free(b);
    b = fx_call1(exec, FX_MUST, FX_VEC(float, 1, 2));
    assert_true(fx_tensor_equal(a, b));
    fx_tensor_free(a);
    fx_tensor_free(b);
    fx_tensor_free(c);
    fx_exec_free(other);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

int main(void) {
    if (!pjrt_begin()) return PJRT_SKIPPED;
    const struct CMUnitTest tests[] = {
        EACH_WAY(results_stay_until_they_are_read),
        EACH_WAY(arguments_may_change_after_the_call),
        EACH_WAY(whoever_made_it_may_be_gone),
        EACH_WAY(let_go_at_once),
        EACH_WAY(forwarded_inputs),
        EACH_WAY(every_dtype_comes_back),
        EACH_WAY(empty_and_scalar),
        EACH_WAY(a_written_result_leaves_the_device),
        EACH_WAY(donated_memory_is_reused),
        EACH_WAY(a_donated_host_tensor),
        BOTH_PLUGINS(donated_twice),
        BOTH_PLUGINS(every_set_of_donations),
        BOTH_PLUGINS(through_all_backends),
        EACH_WAY(readers_fetch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
