/* SPDX-License-Identifier: Apache-2.0 */
/* Programs on several devices of the plugins: sharded ones against the interpreter, which leaves shardings
 * out, where arguments and results lie, what passes from call to call. */
#include "pjrt_tests.h"
#include <math.h>
#include <pthread.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const int64_t backwards[] = {3, 2, 1, 0}, upper[] = {2, 3};
static const fx_mesh square = {.names = {"data", "model"}, .sizes = {2, 2}},
                     line = {.names = {"x"}, .sizes = {4}, .devices = {backwards, 4}},
                     two = {.names = {"x"}, .sizes = {2}, .devices = {upper, 2}},
                     wide = {.names = {"x"}, .sizes = {8}};

static fx_backend *open_devices(void **state) {
    return pjrt_open(plugin_of(state),
                     copies(state) ? "&cpu_device_count=4&debug=copies" : "&cpu_device_count=4");
}

static fx_tensor *matrix(int64_t rows, int64_t columns) {
    fx_tensor *t = fx_tensor_new(&FX_SHAPE(FX_F32, rows, columns), FX_MUST);
    float *data = fx_tensor_mutable_data(t);
    for (int64_t i = 0; i < rows * columns; i++) data[i] = (float)(i % 7) - 3 + (float)i / 16;
    return t;
}

/* ---- sharded programs ---- */

static fx_node *by_batch(fx_node *x) {
    return fx_shard(fx_square(fx_shard(x, FX_SHARDING(&square, "data"))), FX_SHARDING(&square, "data"));
}
static fx_node *by_columns(fx_node *x) {
    return fx_shard(fx_neg(fx_shard(x, FX_SHARDING(&square, NULL, "model,data"))),
                    FX_SHARDING(&square, "model", "data"));
}
static fx_node *resharded(fx_node *x) {
    return fx_shard(fx_transpose(fx_shard(x, FX_SHARDING(&line, "x")), 0, 1),
                    FX_SHARDING(&square, "model,data"));
}
static fx_node *resharded_3d(fx_node *x) {
    return fx_shard(fx_shard(x, FX_SHARDING(&square, "data", NULL, "model")),
                    FX_SHARDING(&line, NULL, NULL, "x"));
}
static fx_node *multiplied(fx_node *x) {
    fx_node *w = fx_shard(fx_transpose(x, 0, 1), FX_SHARDING(&square, NULL, "model"));
    return fx_shard(fx_matmul(fx_shard(x, FX_SHARDING(&square, "data", "?")), w),
                    FX_SHARDING(&square, "data", "model"));
}
static fx_node *slope(fx_node *x) {
    fx_node *y = fx_tanh(fx_shard(fx_matmul(x, fx_transpose(x, 0, 1)), FX_SHARDING(&line, NULL, "x")));
    return fx_gradient(fx_reduce_all_sum(y), FX_NODES(fx_shard(x, FX_SHARDING(&line, "x"))), NULL);
}
static fx_node *slope_of_marked(fx_node *x) {
    fx_node *m = fx_shard(x, FX_SHARDING(&line, "x"));
    return fx_gradient(fx_reduce_all_sum(fx_exp(fx_matmul(m, fx_transpose(m, 0, 1)))), FX_NODES(x), NULL);
}
static fx_node *on_two(fx_node *x) {
    return fx_shard(fx_reduce_sum(fx_shard(x, FX_SHARDING(&two, "x")), FX_AXES(0)), FX_SHARDING(&two, "x"));
}
static fx_node *unmarked(fx_node *x) {
    return fx_reduce_sum(fx_shard(fx_exp(x), FX_SHARDING(&line, "x")), FX_AXES(1));
}
static void round_of(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_shard(fx_tanh(fx_mul_scalar(in[1], 0.5)), FX_SHARDING(&line, "x"));
}
static fx_node *in_loop(fx_node *x) {
    return fx_for(3, FX_NODES(x), round_of, NULL, NULL);
}

static fx_tensor *run1(fx_backend *backend, fx_fn1 fn, fx_tensor *x, fx_error *err) {
    fx_exec *exec = fx_exec_new(backend, fn, FX_MUST);
    fx_tensor *out = fx_call1(exec, err, x);
    fx_exec_free(exec);
    return out;
}

/* Sums in another order: within some roundings of the largest value. */
static void assert_near(const fx_tensor *got, const fx_tensor *want, const char *what) {
    double most = 0;
    assert_true(fx_shape_equal(fx_tensor_shape(got), fx_tensor_shape(want)));
    for (int64_t i = 0; i < fx_tensor_size(want); i++) most = fmax(most, fabs(fx_tensor_get(want, i)));
    for (int64_t i = 0; i < fx_tensor_size(want); i++) {
        const double a = fx_tensor_get(got, i), b = fx_tensor_get(want, i);
        if (!(fabs(a - b) <= 1e-5 * most))
            fail_msg("%s: element %lld is %g, not %g", what, (long long)i, a, b);
    }
}

static void same_values(void **state) {
    static const struct {
        const char *name;
        fx_fn1 fn;
    } rows[] = {{"by batch", by_batch},     {"by columns", by_columns},
                {"resharded", resharded},   {"multiplied", multiplied},
                {"slope", slope},           {"slope of marked", slope_of_marked},
                {"on two devices", on_two}, {"unmarked ends", unmarked},
                {"in a loop", in_loop}};
    fx_backend *devices = open_devices(state), *interp = fx_backend_open("interp", FX_MUST);
    fx_tensor *x = matrix(8, 4);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        fx_tensor *got = run1(devices, rows[i].fn, x, FX_MUST), *want = run1(interp, rows[i].fn, x, FX_MUST);
        assert_near(got, want, rows[i].name);
        fx_tensor_free(got);
        fx_tensor_free(want);
    }
    fx_tensor_free(x);
    fx_backend_close(interp);
    fx_backend_close(devices);
}

static void every_dtype(void **state) {
    static const fx_dtype dtypes[] = {FX_BOOL, FX_S8,  FX_U16, FX_S64, FX_F16,
                                      FX_BF16, FX_F64, FX_C64, FX_C128};
    fx_backend *backend = open_devices(state);
    for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
        fx_tensor *x = fx_tensor_new(&FX_SHAPE(dtypes[i], 4, 2, 4), FX_MUST);
        memset(fx_tensor_mutable_data(x), 1, (size_t)fx_shape_bytes(fx_tensor_shape(x)) / 2);
        fx_tensor *y = run1(backend, resharded_3d, x, FX_MUST);
        assert_true(fx_tensor_equal(x, y));
        fx_tensor_free(x);
        fx_tensor_free(y);
    }
    fx_backend_close(backend);
}

/* ---- where they lie ---- */

static void places(void **state) {
    fx_backend *backend = open_devices(state);
    fx_tensor *x = matrix(8, 4), *y = run1(backend, by_columns, x, FX_MUST);
    fx_tensor_part part;
    assert_int_equal(fx_tensor_part_count(x), 0);
    assert_int_equal(fx_tensor_part_count(y), 4);
    for (size_t d = 0; d < 4; d++) { /* device 2 i + k has coordinates data i, model k */
        assert_true(fx_tensor_part_at(y, d, &part));
        assert_int_equal(part.device, d);
        assert_string_equal(fx_shape_to_text(&part.shape).s, "(float32)[4, 2]");
        assert_int_equal(part.starts[0], d % 2 * 4);
        assert_int_equal(part.starts[1], d / 2 * 2);
    }
    assert_false(fx_tensor_part_at(y, 4, &part));
    fx_tensor *z = run1(backend, on_two, x, FX_MUST);
    assert_int_equal(fx_tensor_part_count(z), 2);
    assert_true(fx_tensor_part_at(z, 1, &part));
    assert_int_equal(part.device, 3);
    assert_int_equal(part.starts[0], 2);
    fx_tensor *w = run1(backend, unmarked, x, FX_MUST);
    assert_int_equal(fx_tensor_part_count(w), 4);
    assert_true(fx_tensor_part_at(w, 3, &part));
    assert_true(fx_shape_equal(&part.shape, fx_tensor_shape(w)));
    fx_tensor_free(w);
    fx_tensor_free(z);
    fx_tensor_free(y);
    fx_tensor_free(x);
    fx_backend_close(backend);
}

/* A result that lies as the argument does goes back in; one that lies otherwise is laid anew; one that is
 * donated is gone. */
static void from_call_to_call(void **state) {
    fx_backend *backend = open_devices(state);
    fx_exec *step = fx_exec_new(backend, by_batch, FX_MUST),
            *other = fx_exec_new(backend, resharded, FX_MUST);
    fx_tensor *x = matrix(4, 4), *y = fx_call1(step, FX_MUST, x), *z = fx_call1(step, FX_MUST, y);
    fx_tensor *turned = fx_call1(other, FX_MUST, y), *given = fx_call1(step, FX_MUST, fx_donate(y));
    assert_false(fx_tensor_is_valid(y));
    assert_true(fx_tensor_equal(z, given));
    fx_tensor *again = fx_call1(step, FX_MUST, turned);
    for (int64_t i = 0; i < 16; i++) {
        double v = fx_tensor_get(x, i), v2 = fx_tensor_get(turned, i % 4 * 4 + i / 4);
        assert_true(v2 == (double)((float)v * (float)v));
        assert_true(fx_tensor_get(z, i) == (double)((float)v2 * (float)v2));
        assert_true(fx_tensor_get(again, i % 4 * 4 + i / 4) == fx_tensor_get(z, i));
    }
    for (int i = 0; i < 5; i++) { /* a value that stays in place */
        fx_tensor *next = fx_call1(step, FX_MUST, fx_donate(given));
        fx_tensor_free(given);
        given = next;
    }
    assert_int_equal(fx_tensor_part_count(given), 4);
    fx_tensor *const all[] = {x, y, z, turned, given, again};
    for (size_t i = 0; i < COUNT_OF(all); i++) fx_tensor_free(all[i]);
    fx_exec_free(step);
    fx_exec_free(other);
    fx_backend_close(backend);
}

/* ---- named parameters ---- */

static void descend(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)n_in, (void)n_out, (void)user;
    fx_node *w = fx_shard(fx_params_node(p, "w"), FX_SHARDING(&line, "x"));
    fx_node *x = fx_shard(in[0], FX_SHARDING(&line, NULL, "x"));
    out[0] = fx_reduce_all_sum(fx_square(fx_matmul(x, w)));
    fx_node *slope = fx_gradient(out[0], FX_NODES(w), NULL);
    fx_params_set_node(p, "w", fx_shard(fx_sub(w, fx_mul_scalar(slope, 0.01)), FX_SHARDING(&line, "x")));
}

static fx_params *train(fx_backend *backend) {
    fx_params *p = fx_params_new(FX_MUST);
    fx_tensor *w = matrix(8, 2), *x = matrix(4, 8);
    fx_params_set(p, "w", w, FX_MUST);
    fx_params_exec *exec = fx_params_exec_new(backend, descend, 1, 1, NULL, FX_MUST);
    for (int i = 0; i < 4; i++) fx_tensor_free(fx_params_call1(exec, p, FX_MUST, x));
    fx_params_exec_free(exec);
    fx_tensor_free(x);
    return p;
}

static void parameters_stay_cut(void **state) {
    fx_backend *devices = open_devices(state), *interp = fx_backend_open("interp", FX_MUST);
    fx_params *got = train(devices), *want = train(interp);
    assert_int_equal(fx_tensor_part_count(fx_params_get(got, "w", FX_MUST)), 4);
    assert_near(fx_params_get(got, "w", FX_MUST), fx_params_get(want, "w", FX_MUST), "w");
    fx_params_free(got);
    fx_params_free(want);
    fx_backend_close(interp);
    fx_backend_close(devices);
}

/* ---- threads ---- */

typedef struct worker {
    fx_exec *exec;
    fx_tensor *x;
    double sum;
} worker;

static void *work(void *argument) {
    worker *w = argument;
    for (int i = 0; i < 60; i++) {
        fx_tensor *y = fx_call1(w->exec, FX_MUST, w->x);
        w->sum += fx_tensor_get(y, i % 16);
        fx_tensor_free(y);
    }
    return NULL;
}

/* Two programs with exchanges at the same time on the same devices. */
static void from_two_threads(void **state) {
    fx_backend *backend = open_devices(state);
    fx_tensor *x = matrix(8, 4);
    worker w[2] = {{fx_exec_new(backend, multiplied, FX_MUST), x, 0},
                   {fx_exec_new(backend, resharded, FX_MUST), x, 0}};
    worker alone[2] = {w[0], w[1]};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) work(&alone[i]);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, work, &w[i]), 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++) {
        assert_true(w[i].sum == alone[i].sum);
        fx_exec_free(w[i].exec);
    }
    fx_tensor_free(x);
    fx_backend_close(backend);
}

/* ---- what is refused ---- */

static fx_node *on_eight(fx_node *x) {
    return fx_shard(x, FX_SHARDING(&wide, "x"));
}
static fx_node *on_two_and_four(fx_node *x) {
    return fx_shard(fx_neg(fx_shard(x, FX_SHARDING(&two, "x"))), FX_SHARDING(&line, "x"));
}

static void refused(void **state) {
    fx_error err = {.code = FX_OK};
    fx_backend *backend = open_devices(state);
    fx_tensor *x = matrix(8, 4), *uneven = matrix(6, 4);
    assert_null(run1(backend, on_eight, x, &err));
    assert_failed(err, FX_ERROR_UNSUPPORTED,
                  "pjrt: the program needs device 4, counted from 0; the plugin has 4");
    assert_null(run1(backend, resharded, uneven, &err));
    assert_failed(err, FX_ERROR_SHAPE, "dimension 0 of (float32)[6, 4] cannot be cut into 4 equal parts");
    assert_null(run1(backend, on_two_and_four, x, &err));
    assert_failed(err, FX_ERROR_UNSUPPORTED, "the meshes of a program have the same devices");
    fx_exec *exec = fx_exec_new(backend, by_batch, FX_MUST);
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.replicas = 2}, FX_MUST));
    fx_tensor *out[2];
    const fx_arg args[] = {FX_ARG(x), FX_ARG(x)};
    assert_false(fx_exec_call_replicas(exec, args, 2, out, 2, &err));
    assert_failed(err, FX_ERROR_UNSUPPORTED, "runs on all devices of its mesh, not as replicas");
    fx_exec_free(exec);
    fx_tensor_free(x);
    fx_tensor_free(uneven);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {EACH_WAY(same_values),
                                       EACH_WAY(every_dtype),
                                       EACH_WAY(places),
                                       EACH_WAY(from_call_to_call),
                                       BOTH_PLUGINS(parameters_stay_cut),
                                       BOTH_PLUGINS(from_two_threads),
                                       BOTH_PLUGINS(refused)};
    return pjrt_begin() ? cmocka_run_group_tests(tests, NULL, NULL) : PJRT_SKIPPED;
}
