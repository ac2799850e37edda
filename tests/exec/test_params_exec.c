/* SPDX-License-Identifier: Apache-2.0 */
/* Training steps over maps of parameters: creation, updates, donation, names that change, errors that leave
 * the map as it was, threads. */
#include "fake_backend.h"
#include "both.h"
#include <pthread.h>

static void init(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *random = fx_params_node(p, "random");
    fx_params_set_node(p, "model/weight", fx_random_normal(random, &FX_SHAPE(FX_F32, 3), &random));
    fx_params_set_node(p, "model/bias", fx_scalar(fx_params_graph(p), FX_F32, 0));
    fx_params_set_node(p, "random", random);
    (void)in, (void)n_in, (void)out, (void)n_out, (void)user;
}

/* One step of gradient descent on (x w + b - y)^2. */
static void step(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *w = fx_params_node(p, "model/weight"), *b = fx_params_node(p, "model/bias"), *next[2];
    fx_node *error = fx_sub(fx_add(fx_matmul(in[0], w), b), in[1]);
    out[0] = fx_reduce_all_mean(fx_square(error));
    fx_nodes weights = fx_params_nodes(p, "model/"), d = fx_params_gradient(out[0], p, "model/");
    for (size_t i = 0; i < d.n; i++) next[i] = fx_sub(weights.v[i], fx_mul_scalar(d.v[i], 0.1));
    fx_params_set_nodes(p, "model/", (fx_nodes){next, d.n});
    (void)n_in, (void)n_out, (void)user;
}

static void predict(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    out[0] = fx_add(fx_matmul(in[0], fx_params_node(p, "model/weight")), fx_params_node(p, "model/bias"));
    (void)n_in, (void)n_out, (void)user;
}

static const float points[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
#define X FX_HOST(points, 4, 3)
#define Y FX_VEC(float, 1, -2, 3, 2.5f)

static fx_params *new_state(fx_backend *backend) {
    fx_params *state = fx_params_new(FX_MUST);
    fx_params_set(state, "random", fx_random_state_tensor(7, FX_MUST), FX_MUST);
    fx_params_exec *create = fx_params_exec_new(backend, init, 0, 0, NULL, FX_MUST);
    assert_true(fx_params_call(create, state, NULL, 0, FX_MUST));
    fx_params_exec_free(create);
    return state;
}

static double one_step(fx_params_exec *train, fx_params *state) {
    fx_tensor *loss = fx_params_call1(train, state, FX_MUST, X, Y);
    double value = fx_tensor_get(loss, 0);
    fx_tensor_free(loss);
    return value;
}

static void trains(void **state) {
    fx_backend *backend = open_named(state);
    fx_params *p = new_state(backend);
    assert_int_equal(fx_params_count(p), 3);
    assert_string_equal(fx_params_name(p, 0), "random");
    assert_string_equal(fx_params_name(p, 1), "model/weight");
    assert_true(fx_tensor_get_int(fx_params_get(p, "random", FX_MUST), 1) > 0); /* was drawn from */
    fx_tensor *random = fx_tensor_ref(fx_params_get(p, "random", FX_MUST));
    fx_params_exec *train = fx_params_exec_new(backend, step, 2, 1, NULL, FX_MUST);
    double first = one_step(train, p), last = 0;
    for (int i = 0; i < 300; i++) last = one_step(train, p);
    assert_true(first > 1 && last < 0.07); /* the least squares solution leaves 1/64 */
    assert_ptr_equal(fx_params_get(p, "random", FX_MUST), random); /* was left alone */
    fx_params_exec *use = fx_params_exec_new(backend, predict, 1, 1, NULL, FX_MUST);
    fx_tensor *w = fx_params_get(p, "model/weight", FX_MUST);
    fx_tensor *y = fx_params_call1(use, p, FX_MUST, X);
    assert_true(fx_tensor_get(y, 1) < -1.5);
    assert_ptr_equal(fx_params_get(p, "model/weight", FX_MUST), w);
    assert_true(fx_tensor_is_valid(w)); /* what is only read is not donated */
    fx_tensor_free(y);
    fx_tensor_free(random);
    fx_params_exec_free(use);
    fx_params_exec_free(train);
    fx_params_free(p);
    fx_backend_close(backend);
}

/* The same steps by hand, bit for bit. */
static void step_fn(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    fx_node *error = fx_sub(fx_add(fx_matmul(in[2], in[0]), in[1]), in[3]), *d[2];
    fx_gradient(fx_reduce_all_mean(fx_square(error)), FX_NODES(in[0], in[1]), d);
    for (int i = 0; i < 2; i++) out[i] = fx_sub(in[i], fx_mul_scalar(d[i], 0.1));
    (void)graph, (void)n_in, (void)n_out, (void)user;
}

static void equals_plain_calls(void **state) {
    fx_backend *backend = open_named(state);
    fx_params *p = new_state(backend);
    fx_params_exec *train = fx_params_exec_new(backend, step, 2, 1, NULL, FX_MUST);
    fx_exec *plain = fx_exec_new_fn(backend, step_fn, 4, 2, NULL, FX_MUST);
    for (int i = 0; i < 5; i++) {
        fx_tensor *wb[2] = {NULL, NULL};
        fx_tensor *w = fx_params_get(p, "model/weight", FX_MUST),
                  *b = fx_params_get(p, "model/bias", FX_MUST);
        fx_call(plain, wb, 2, FX_MUST, w, b, X, Y);
        one_step(train, p);
        assert_true(fx_tensor_equal(wb[0], fx_params_get(p, "model/weight", FX_MUST)));
        assert_true(fx_tensor_equal(wb[1], fx_params_get(p, "model/bias", FX_MUST)));
        fx_tensor_free(wb[0]);
        fx_tensor_free(wb[1]);
    }
    fx_exec_free(plain);
    fx_params_exec_free(train);
    fx_params_free(p);
    fx_backend_close(backend);
}

/* ---- donation ---- */

static void grow(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    for (size_t i = 0; i < fx_params_count(p); i++) {
        const char *name = fx_params_name(p, i);
        fx_params_set_node(p, name, fx_add_scalar(fx_params_node(p, name), 1));
    }
    (void)in, (void)n_in, (void)out, (void)n_out, (void)user;
}

static void updates_in_place(void **state) {
    enum { ENTRIES = 200 }; /* more than any mask has bits */
    fx_backend *backend = open_named(state);
    fx_params_exec *exec = fx_params_exec_new(backend, grow, 0, 0, NULL, FX_MUST);
    fx_params *p = fx_params_new(FX_MUST);
    for (int i = 0; i < ENTRIES; i++)
        fx_params_set(p, fx_name("p%d", i).s, fx_tensor_new(&FX_SHAPE(FX_F32, 1000), FX_MUST), FX_MUST);
    fx_tensor *held = fx_tensor_ref(fx_params_tensor(p, 3)); /* somebody else wants its value */
    const void *memory[ENTRIES];
    for (int i = 0; i < ENTRIES; i++) memory[i] = fx_tensor_data(fx_params_tensor(p, (size_t)i));
    assert_true(fx_params_call(exec, p, NULL, 0, FX_MUST));
    for (int i = 0; i < ENTRIES; i++) {
        const fx_tensor *t = fx_params_tensor(p, (size_t)i);
        assert_true(fx_tensor_get(t, 999) == 1);
        if (strcmp(*state, "cpu") == 0) assert_int_equal(fx_tensor_data(t) == memory[i], i != 3);
    }
    assert_true(fx_tensor_is_valid(held) && fx_tensor_get(held, 0) == 0);
    fx_tensor_free(held);
    fx_params *snapshot = fx_params_copy(p, NULL, FX_MUST);
    assert_true(fx_params_call(exec, p, NULL, 0, FX_MUST));
    for (size_t i = 0; i < ENTRIES; i++) {
        assert_true(fx_tensor_get(fx_params_tensor(snapshot, i), 0) == 1);
        assert_true(fx_tensor_get(fx_params_tensor(p, i), 0) == 2);
    }
    fx_params_free(snapshot);
    fx_params_free(p);
    fx_params_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- names that change ---- */

static void rename_all(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    fx_node *a = fx_params_node(p, "a"), *b = fx_params_node(p, "b");
    fx_params_remove(p, "a");
    fx_params_set_node(p, "sum", fx_add(a, b));
    fx_params_set_node(p, "b", a); /* a parameter of another name */
    fx_params_set_nodes(p, "list/", FX_NODES(a, b));
    out[0] = b;
    (void)in, (void)n_in, (void)n_out, (void)user;
}

static void assert_value(const fx_params *p, size_t i, const char *name, double value) {
    assert_string_equal(fx_params_name(p, i), name);
    assert_true(fx_tensor_get(fx_params_tensor(p, i), 0) == value);
}

static void names_change(void **state) {
    fx_backend *backend = open_named(state);
    fx_params_exec *exec = fx_params_exec_new(backend, rename_all, 0, 1, NULL, FX_MUST);
    fx_params *p = fx_params_new(FX_MUST);
    fx_params_set_metadata(p, "k", "v", FX_MUST);
    fx_params_set(p, "a", fx_tensor_scalar(FX_F32, 1, FX_MUST), FX_MUST);
    fx_params_set(p, "other", fx_tensor_scalar(FX_F32, 5, FX_MUST), FX_MUST);
    fx_params_set(p, "b", fx_tensor_scalar(FX_F32, 2, FX_MUST), FX_MUST);
    fx_tensor *out = fx_params_call1(exec, p, FX_MUST);
    assert_true(fx_tensor_get(out, 0) == 2);
    fx_tensor_free(out);
    assert_int_equal(fx_params_count(p), 5);
    assert_value(p, 0, "other", 5);
    assert_value(p, 1, "b", 1);
    assert_value(p, 2, "sum", 3);
    assert_value(p, 3, "list/0", 1);
    assert_value(p, 4, "list/1", 2);
    assert_int_equal(fx_params_find(p, "sum"), 2);
    assert_string_equal(fx_params_metadata(p, "k"), "v");
    fx_error err = {0};
    assert_null(fx_params_call1(exec, p, &err)); /* there is no "a" now */
    assert_failed(err, FX_ERROR_ARGUMENT, "there is no \"a\"");
    assert_non_null(err.file);
    assert_int_equal(fx_params_count(p), 5);
    fx_params_free(p);
    fx_params_exec_free(exec);
    fx_backend_close(backend);
}

static void leave(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    while (fx_params_count(p) > 0) fx_params_remove(p, fx_params_name(p, 0));
    (void)in, (void)n_in, (void)out, (void)n_out, (void)user;
}

static void many_sets_of_names(void **state) {
    fx_backend *backend = open_named(state);
    fx_params_exec *exec = fx_params_exec_new(backend, grow, 0, 0, NULL, FX_MUST);
    fx_params_exec *clear = fx_params_exec_new(backend, leave, 0, 0, NULL, FX_MUST);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 12; i++) {
            fx_params *p = fx_params_new(FX_MUST);
            for (int k = 0; k < 2; k++)
                fx_params_set(p, fx_name("%d", i + k).s, fx_tensor_scalar(FX_F32, k, FX_MUST), FX_MUST);
            assert_true(fx_params_call(exec, p, NULL, 0, FX_MUST));
            assert_true(fx_tensor_get(fx_params_tensor(p, 1), 0) == 2);
            assert_true(fx_params_call(clear, p, NULL, 0, FX_MUST)); /* nothing to compute */
            assert_int_equal(fx_params_count(p), 0);
            assert_true(fx_params_call(clear, p, NULL, 0, FX_MUST)); /* nothing at all */
            fx_params_free(p);
        }
    fx_params_exec_free(clear);
    fx_params_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- errors ---- */

static fx_params *two(void) {
    fx_params *p = fx_params_new(FX_MUST);
    fx_params_set(p, "model/weight", fx_tensor_from(FX_HOST(((float[]){1, 2, 3}), 3), FX_MUST), FX_MUST);
    fx_params_set(p, "model/bias", fx_tensor_scalar(FX_F32, 4, FX_MUST), FX_MUST);
    return p;
}

static void assert_two(const fx_params *p) {
    assert_int_equal(fx_params_count(p), 2);
    assert_text(fx_params_get(p, "model/weight", FX_MUST), "[3]float32{1, 2, 3}");
    assert_text(fx_params_get(p, "model/bias", FX_MUST), "float32(4)");
}

static void errors_leave_the_map(void **state) {
    fx_backend *backend = open_named(state);
    fx_params_exec *train = fx_params_exec_new(backend, step, 2, 1, NULL, FX_MUST);
    fx_params *p = two();
    fx_error err = {0};
    fx_tensor *out[2];
    assert_null(fx_params_call1(train, p, &err, X, FX_VEC(float, 1, 2, 3))); /* found in the first run */
    assert_failed(err, FX_ERROR_SHAPE, "fx_sub");
    assert_two(p);
    fx_params *fresh = two();
    one_step(train, fresh);
    fx_params_free(fresh);
    assert_null(fx_params_call1(train, p, &err, X, FX_VEC(float, 1, 2, 3))); /* found in a later one */
    assert_failed(err, FX_ERROR_SHAPE, "fx_sub");
    assert_two(p);
    assert_null(fx_params_call1(train, p, &err, X));
    assert_failed(err, FX_ERROR_ARGUMENT, "takes 2 arguments");
    assert_false(fx_params_call(train, p, out, 2, &err, X, Y));
    assert_failed(err, FX_ERROR_ARGUMENT, "has 1 outputs");
    assert_null(out[0]);
    assert_null(fx_params_call1(train, p, &err, X, (fx_tensor *)NULL));
    assert_failed(err, FX_ERROR_ARGUMENT, "argument 1 is NULL");
    assert_int_equal(err.line, __LINE__ - 2);
    fx_tensor *w = fx_params_get(p, "model/weight", FX_MUST); /* it would be donated and read */
    assert_null(fx_params_call1(train, p, &err, w, Y));
    assert_two(p);
    assert_null(fx_params_call1(train, NULL, &err, X, Y));
    assert_null(fx_params_call1(NULL, p, &err, X, Y));
    assert_false(fx_params_call(train, p, NULL, 1, &err, X, Y));
    assert_two(p);
    fx_params_free(p);
    fx_params_exec_free(train);
    assert_null(fx_params_exec_new(NULL, step, 0, 0, NULL, &err));
    assert_null(fx_params_exec_new(backend, NULL, 0, 0, NULL, &err));
    assert_null(fx_params_exec_new(backend, step, SIZE_MAX, 0, NULL, &err));
    fx_params_exec_free(NULL);
    fx_backend_close(backend);
}

/* Each kind of misuse inside a graph function; user: which. */
static void misuse(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_graph *other = NULL;
    out[0] = in[0];
    switch (*(const int *)user) {
    case 0: fx_params_node(p, NULL); break;
    case 1: fx_params_set_node(p, "", in[0]); break;
    case 2: fx_params_set_node(p, "x", NULL); break;
    case 3: fx_params_set_nodes(p, "model/", FX_NODES(in[0])); break;
    case 4: fx_params_gradient(in[0], p, "model/"); break; /* not a scalar */
    case 5: out[0] = NULL; break;
    case 6: fx_params_set_nodes(p, "new/", FX_NODES(in[0], NULL)); break;
    case 7: fx_params_gradient(NULL, p, "model/"); break;
    case 8:
        other = fx_graph_new(FX_MUST);
        fx_params_set_node(p, "x", fx_scalar(other, FX_F32, 1));
        fx_graph_free(other);
        break;
    case 9: fx_params_set(p, "x", fx_tensor_scalar(FX_F32, 1, FX_MUST), NULL), fx_params_node(p, "x"); break;
    default: break;
    }
    (void)n_in, (void)n_out;
}

static void misuse_is_an_error(void **state) {
    fx_backend *backend = open_named(state);
    fx_params *p = two();
    for (int kind = 0; kind <= 10; kind++) {
        fx_params_exec *exec = fx_params_exec_new(backend, misuse, 1, 1, &kind, FX_MUST);
        fx_error err = {0};
        fx_tensor *out = fx_params_call1(exec, p, &err, FX_VEC(float, 1, 2));
        if ((out != NULL) != (kind == 10)) fail_msg("kind %d: %s", kind, err.message);
        assert_int_equal(err.code != FX_OK, kind != 10);
        assert_two(p);
        fx_tensor_free(out);
        fx_params_exec_free(exec);
    }
    fx_error err = {0}; /* functions for nodes on a map of tensors */
    assert_null(fx_params_graph(p));
    assert_null((fx_params_node)(p, "model/bias"));
    assert_null((fx_params_set_node)(p, "model/bias", NULL));
    assert_null((fx_params_set_nodes)(p, "model/", FX_NODES(NULL)));
    assert_int_equal(fx_params_nodes(p, "").n, 0);
    assert_int_equal(fx_params_nodes(NULL, "").n, 0);
    assert_int_equal(fx_params_gradient(NULL, p, "").n, 0);
    assert_null(fx_params_graph(NULL));
    assert_int_equal(err.code, FX_OK);
    fx_params_free(p);
    fx_backend_close(backend);
}

/* Gradients by entries that are not there or cannot be; user: the prefix. */
static void gradient_by(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    fx_node *loss = fx_reduce_all_sum(in[0]);
    fx_nodes d = fx_params_gradient(loss, p, user);
    out[0] = d.n ? d.v[0] : loss;
    (void)n_in, (void)n_out;
}

static void gradients_name_entries(void **state) {
    fx_backend *backend = open_named(state);
    static const struct {
        const char *prefix, *message;
    } cases[] = {
        {"modle/",
         "fx_params_gradient: no entry begins with \"modle/\"; there are 3, the first is \"random\""},
        {"model/w", NULL},
        {"",
         "fx_params_gradient: \"random\" is (uint64)[3]: only floats and complex numbers have derivatives"},
        {NULL,
         "fx_params_gradient: \"random\" is (uint64)[3]: only floats and complex numbers have derivatives"},
        {"rand",
         "fx_params_gradient: \"random\" is (uint64)[3]: only floats and complex numbers have derivatives"},
    };
    fx_params *p = new_state(backend), *empty = fx_params_new(FX_MUST);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fx_params_exec *exec =
            fx_params_exec_new(backend, gradient_by, 1, 1, (void *)cases[i].prefix, FX_MUST);
        fx_error err = {.code = FX_OK};
        fx_tensor *out = fx_params_call1(exec, p, &err, FX_VEC(float, 1, 2));
        assert_int_equal(out == NULL, cases[i].message != NULL);
        if (cases[i].message) assert_string_equal(err.message, cases[i].message);
        fx_tensor_free(out);
        out = fx_params_call1(exec, empty, FX_MUST, FX_VEC(float, 1, 2));
        assert_true(fx_tensor_get(out, 0) == 3);
        fx_tensor_free(out);
        fx_params_exec_free(exec);
    }
    fx_params_free(p);
    fx_params_free(empty);
    fx_backend_close(backend);
}

static void make_nan(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *w = fx_params_node(p, "model/weight");
    fx_params_set_node(p, "model/weight", fx_log(fx_sub(w, in[0])));
    (void)n_in, (void)out, (void)n_out, (void)user;
}

static void nan_leaves_the_map(void **state) {
    fx_backend *backend = open_named(state);
    fx_params_exec *exec = fx_params_exec_new(backend, make_nan, 1, 0, NULL, FX_MUST);
    assert_true(fx_params_exec_configure(exec, &(fx_exec_options){.trace_nan = true}, FX_MUST));
    fx_params *p = two();
    fx_error err = {0};
    assert_false(fx_params_call(exec, p, NULL, 0, &err, 2.0f));
    assert_failed(err, FX_ERROR_NAN, "log");
    assert_two(p);
    assert_false(fx_params_exec_configure(exec, &(fx_exec_options){.size = 0}, &err));
    assert_false(fx_params_exec_configure(exec, NULL, &err));
    assert_false(fx_params_exec_configure(NULL, &(fx_exec_options){.size = 0}, &err));
    fx_params_free(p);
    fx_params_exec_free(exec);
    fx_backend_close(backend);
}

static bool fail_run(void *user, const fxi_run_args *args, fx_error *err) {
    assert_true(args->donated[0]);
    if (*(bool *)user) { /* the backend took the memory over and lost it */
        args->inputs[0]->release(args->inputs[0]->data, args->inputs[0]->user);
        args->inputs[0]->data = NULL;
        args->inputs[0]->release = NULL;
    }
    return fxi_fail(err, FX_ERROR_BACKEND, "the run failed");
}

static void failed_runs(void **state) {
    (void)state;
    bool take = false;
    fake_hooks hooks = {.run = fail_run, .user = &take};
    fx_backend *backend = fake_backend_open(&hooks);
    fx_params_exec *exec = fx_params_exec_new(backend, grow, 0, 0, NULL, FX_MUST);
    fx_params *p = two();
    fx_error err = {0};
    assert_false(fx_params_call(exec, p, NULL, 0, &err));
    assert_failed(err, FX_ERROR_BACKEND, "the run failed");
    assert_two(p); /* nothing was taken, nothing is lost */
    take = true;
    assert_false(fx_params_call(exec, p, NULL, 0, &err));
    assert_false(fx_tensor_is_valid(fx_params_get(p, "model/weight", FX_MUST)));
    assert_text(fx_params_get(p, "model/bias", FX_MUST), "float32(4)");
    assert_false(fx_params_call(exec, p, NULL, 0, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "\"model/weight\" lost its contents");
    fx_params_free(p);
    fx_params_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- the function itself ---- */

typedef struct own {
    fx_params_exec *exec;
    fx_params *params;
    fx_error err;
} own;

static void call_itself(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    own *self = user;
    assert_null(fx_params_call1(self->exec, self->params, &self->err));
    out[0] = fx_scalar(fx_params_graph(p), FX_F32, 1);
    (void)in, (void)n_in, (void)n_out;
}

static void does_not_wait_for_itself(void **state) {
    fx_backend *backend = open_named(state);
    own self = {.params = two()};
    self.exec = fx_params_exec_new(backend, call_itself, 0, 1, &self, FX_MUST);
    fx_tensor *one = fx_params_call1(self.exec, self.params, FX_MUST);
    assert_true(fx_tensor_get(one, 0) == 1);
    assert_failed(self.err, FX_ERROR_ARGUMENT, "calls its");
    fx_tensor_free(one);
    fx_params_exec_free(self.exec);
    self.exec = fx_params_exec_new(backend, call_itself, 0, 1, &self, FX_MUST);
    fx_params *others = fx_params_new(FX_MUST); /* and with other names than it asks for inside */
    self.err = (fx_error){0};
    one = fx_params_call1(self.exec, others, FX_MUST);
    assert_failed(self.err, FX_ERROR_ARGUMENT, "calls its");
    fx_tensor_free(one);
    fx_params_free(others);
    fx_params_exec_free(self.exec);
    fx_params_free(self.params);
    fx_backend_close(backend);
}

static void by_shape(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    if (fx_node_dim(in[0], 0) == 2) fx_params_set_node(p, "more", in[0]);
    (void)n_in, (void)out, (void)n_out, (void)user;
}

static void keeps_to_its_plan(void **state) {
    fx_backend *backend = open_named(state);
    fx_params_exec *exec = fx_params_exec_new(backend, by_shape, 1, 0, NULL, FX_MUST);
    fx_params *p = two(), *q = two();
    assert_true(fx_params_call(exec, p, NULL, 0, FX_MUST, FX_VEC(float, 1, 2)));
    assert_int_equal(fx_params_count(p), 3);
    fx_error err = {0};
    assert_false(fx_params_call(exec, q, NULL, 0, &err, FX_VEC(float, 1, 2, 3)));
    assert_failed(err, FX_ERROR_GRAPH, "other entries");
    assert_two(q);
    fx_params_free(p);
    fx_params_free(q);
    fx_params_exec_free(exec);
    fx_backend_close(backend);
}

static void programs(void **state) {
    fx_backend *backend = open_named(state);
    fx_params_exec *train = fx_params_exec_new(backend, step, 2, 1, NULL, FX_MUST);
    fx_params *p = two();
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 4, 3), FX_SHAPE(FX_F32, 4)};
    fx_program *program = fx_params_exec_program(train, p, shapes, 2, FX_MUST);
    assert_true(fx_program_text(program, NULL, 0) > 0);
    fx_program_free(program);
    fx_error err = {0};
    assert_null(fx_params_exec_program(train, p, shapes, 1, &err));
    assert_null(fx_params_exec_program(train, NULL, shapes, 2, &err));
    assert_null(fx_params_exec_program(NULL, p, shapes, 2, &err));
    assert_null(fx_params_exec_program(train, p, NULL, 2, &err));
    const fx_shape bad[] = {FX_SHAPE(FX_F32, -4), FX_SHAPE(FX_F32, 4)};
    assert_null(fx_params_exec_program(train, p, bad, 2, &err));
    assert_failed(err, FX_ERROR_SHAPE, "shape 0");
    assert_two(p);
    fx_params_free(p);
    fx_params_exec_free(train);
    fx_backend_close(backend);
}

/* ---- threads: each its own map on one executable, and all read one map ---- */

typedef struct worker {
    pthread_t thread;
    fx_params_exec *train, *use;
    const fx_params *shared;
    fx_params *own;
    bool ok;
} worker;

static void *work(void *context) {
    worker *w = context;
    w->own = two();
    w->ok = true;
    for (int i = 0; i < 20; i++) {
        fx_tensor *loss = fx_params_call1(w->train, w->own, FX_MUST, X, Y);
        fx_tensor *y = fx_params_call1(w->use, (fx_params *)(uintptr_t)w->shared, FX_MUST, X);
        w->ok &= fx_tensor_get(y, 3) == 10;
        fx_tensor_free(loss);
        fx_tensor_free(y);
    }
    return NULL;
}

static void threads(void **state) {
    enum { WORKERS = 6 };
    fx_backend *backend = open_named(state);
    fx_params *shared = two();
    fx_params_exec *train = fx_params_exec_new(backend, step, 2, 1, NULL, FX_MUST);
    fx_params_exec *use = fx_params_exec_new(backend, predict, 1, 1, NULL, FX_MUST);
    worker workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (worker){.train = train, .use = use, .shared = shared};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_true(workers[i].ok);
        for (size_t k = 0; k < 2; k++)
            assert_true(
                fx_tensor_equal(fx_params_tensor(workers[i].own, k), fx_params_tensor(workers[0].own, k)));
    }
    for (int i = 0; i < WORKERS; i++) fx_params_free(workers[i].own);
    assert_two(shared);
    fx_params_free(shared);
    fx_params_exec_free(use);
    fx_params_exec_free(train);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(trains),
        BOTH(equals_plain_calls),
        BOTH(updates_in_place),
        BOTH(names_change),
        BOTH(many_sets_of_names),
        BOTH(errors_leave_the_map),
        BOTH(misuse_is_an_error),
        BOTH(gradients_name_entries),
        BOTH(nan_leaves_the_map),
        cmocka_unit_test(failed_runs),
        BOTH(does_not_wait_for_itself),
        BOTH(keeps_to_its_plan),
        BOTH(programs),
        BOTH(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
