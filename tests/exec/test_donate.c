/* SPDX-License-Identifier: Apache-2.0 */
/* Donation: the result is written into the donated memory where the backend can, the tensor is empty
 * afterwards, and misuse is refused without harm. What is not promised (that memory is reused) is tested on
 * cpu only, for the programs where it must. */
#include "fake_backend.h"
#include "both.h"
#include <stdlib.h>

static fx_node *scaled(fx_node *x) {
    return fx_add_scalar(fx_mul_scalar(x, 2), 1);
}
static fx_node *sum2(fx_node *x, fx_node *y) {
    return fx_add(x, y);
}

static fx_tensor *counting(int64_t n) {
    fx_tensor *t = fx_tensor_new(&FX_SHAPE(FX_F32, n), FX_MUST);
    float *data = fx_tensor_mutable_data(t);
    for (int64_t i = 0; i < n; i++) data[i] = (float)(i % 1000);
    return t;
}

static void assert_scaled(const fx_tensor *t, int64_t n) {
    assert_int_equal(fx_tensor_size(t), n);
    const float *data = fx_tensor_data(t);
    for (int64_t i = 0; i < n; i++) assert_true(data[i] == (float)(i % 1000 * 2 + 1));
}

static void assert_empty(fx_tensor *t) {
    assert_false(fx_tensor_is_valid(t));
    assert_null(fx_tensor_data(t));
    assert_null(fx_tensor_mutable_data(t));
    assert_true(fx_tensor_get(t, 0) != fx_tensor_get(t, 0));
    assert_int_equal(fx_tensor_rank(t), 1); /* the shape stays */
}

static bool is_cpu(void **state) {
    return strcmp(*state, "cpu") == 0;
}

/* ---- memory ---- */

static void memory_is_reused(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, scaled, FX_MUST);
    static const int64_t sizes[] = {1, 7, 64, 1000, 100003};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        fx_tensor *x = counting(sizes[i]);
        const void *memory = fx_tensor_data(x);
        fx_tensor *y = fx_call1(exec, FX_MUST, fx_donate(x));
        assert_scaled(y, sizes[i]);
        if (is_cpu(state)) assert_ptr_equal(fx_tensor_data(y), memory);
        assert_empty(x);
        fx_tensor_free(x);
        assert_scaled(y, sizes[i]); /* freeing the empty tensor does not touch what it gave */
        fx_tensor_free(y);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void result_is_donated_again(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, scaled, FX_MUST);
    fx_tensor *x = fx_call1(exec, FX_MUST, 0.0);
    const void *memory = fx_tensor_data(x);
    for (int i = 0; i < 10; i++) {
        fx_tensor *y = fx_call1(exec, FX_MUST, fx_donate(x));
        if (is_cpu(state)) assert_ptr_equal(fx_tensor_data(y), memory);
        fx_tensor_free(x);
        x = y;
    }
    assert_text(x, "float64(2047)");
    fx_tensor_free(x);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* Either operand may be given, or both; results are the same. */
static void one_of_two(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, sum2, FX_MUST);
    for (int which = 1; which <= 3; which++) {
        fx_tensor *x = fx_tensor_from(FX_HOST(((float[]){1, 2}), 2), FX_MUST);
        fx_tensor *y = fx_tensor_from(FX_HOST(((float[]){10, 20}), 2), FX_MUST);
        const void *mx = fx_tensor_data(x), *my = fx_tensor_data(y);
        fx_tensor *z = fx_call1(exec, FX_MUST, which & 1 ? fx_donate(x) : FX_ARG(x),
                                which & 2 ? fx_donate(y) : FX_ARG(y));
        assert_text(z, "[2]float32{11, 22}");
        const void *mz = fx_tensor_data(z);
        if (is_cpu(state)) assert_true((which & 1 && mz == mx) || (which & 2 && mz == my));
        if (which & 1)
            assert_empty(x);
        else
            assert_text(x, "[2]float32{1, 2}");
        if (which & 2)
            assert_empty(y);
        else
            assert_text(y, "[2]float32{10, 20}");
        fx_tensor_free(x);
        fx_tensor_free(y);
        fx_tensor_free(z);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* Programs that read the input elsewhere than where they write, later, or twice: in place would be wrong
 * (N04). */
static void tricky(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_node *x = in[0];
    out[0] = fx_add(x, fx_reverse(x, FX_AXES(0)));
    out[1] = fx_sub(x, fx_broadcast_to_dims(fx_reshape(fx_reduce_all_sum(x), FX_DIMS(1)), FX_DIMS(4)));
    out[2] = x;
    out[3] = fx_concatenate(FX_NODES(fx_slice_axis(x, 0, 1, 4, 1), fx_slice_axis(x, 0, 0, 1, 1)), 0);
    out[4] = fx_neg(x);
}

static void never_read_after_written(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new_fn(backend, tricky, 1, 5, NULL, FX_MUST);
    fx_tensor *x = fx_tensor_from(FX_HOST(((float[]){1, 2, 4, 8}), 4), FX_MUST), *out[5];
    static const char *const want[] = {"[4]float32{9, 6, 6, 9}", "[4]float32{-14, -13, -11, -7}",
                                       "[4]float32{1, 2, 4, 8}", "[4]float32{2, 4, 8, 1}",
                                       "[4]float32{-1, -2, -4, -8}"};
    assert_true(fx_call(exec, out, 5, FX_MUST, fx_donate(x)));
    for (int i = 0; i < 5; i++) {
        assert_text(out[i], want[i]);
        for (int j = 0; j < i; j++) assert_ptr_not_equal(fx_tensor_data(out[i]), fx_tensor_data(out[j]));
    }
    for (int i = 0; i < 5; i++) fx_tensor_free(out[i]);
    assert_empty(x);
    fx_tensor_free(x);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static fx_node *wider(fx_node *x) {
    return fx_convert(x, FX_F64);
}
static fx_node *narrower(fx_node *x) {
    return fx_convert(x, FX_S8);
}
static fx_node *flags(fx_node *x) {
    return fx_greater(x, fx_zeros_like(x));
}
static fx_node *total(fx_node *x) {
    return fx_reduce_all_sum(x);
}
static fx_node *itself(fx_node *x) {
    return x;
}

static void other_sizes(void **state) {
    fx_backend *backend = open_named(state);
    fx_fn1 const functions[] = {wider, narrower, flags, total, itself};
    static const char *const want[] = {"[3]float64{1, 2, 3}", "[3]int8{1, 2, 3}", "[3]bool{true, true, true}",
                                       "float32(6)", "[3]float32{1, 2, 3}"};
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        fx_exec *exec = fx_exec_new(backend, functions[i], FX_MUST);
        fx_tensor *x = fx_tensor_from(FX_HOST(((float[]){1, 2, 3}), 3), FX_MUST);
        fx_tensor *y = fx_call1(exec, FX_MUST, fx_donate(x));
        assert_text(y, want[i]);
        assert_empty(x);
        fx_tensor_free(x);
        fx_tensor_free(y);
        fx_exec_free(exec);
    }
    fx_backend_close(backend);
}

/* ---- other owners ---- */

static int releases;
static void count_release(void *data, void *user) {
    free(data);
    releases += *(int *)user;
}

static void wrapped_memory(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, scaled, FX_MUST), *sum = fx_exec_new(backend, total, FX_MUST);
    int one = 1;
    for (int reusable = 0; reusable < 2; reusable++) {
        float *data = malloc(3 * sizeof *data);
        for (int i = 0; i < 3; i++) data[i] = (float)i;
        fx_tensor *x = fx_tensor_wrap(&FX_SHAPE(FX_F32, 3), data, count_release, &one, FX_MUST);
        releases = 0;
        fx_tensor *y = fx_call1(reusable ? exec : sum, FX_MUST, fx_donate(x));
        assert_text(y, reusable ? "[3]float32{1, 3, 5}" : "float32(3)");
        assert_empty(x);
        if (!reusable) assert_int_equal(releases, 1); /* of no use, so it goes at once */
        fx_tensor_free(x);
        fx_tensor_free(y);
        assert_int_equal(releases, 1); /* never twice */
    }
    fx_exec_free(exec);
    fx_exec_free(sum);
    fx_backend_close(backend);
}

/* A copy is a copy: donating the original leaves it alone, and the other way round (T02). */
static void copies_stay(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, scaled, FX_MUST), *same = fx_exec_new(backend, itself, FX_MUST);
    fx_tensor *x = fx_tensor_from(FX_HOST(((float[]){0, 1}), 2), FX_MUST), *c = fx_call1(same, FX_MUST, x);
    fx_tensor *held = fx_tensor_ref(x);
    fx_tensor *y = fx_call1(exec, FX_MUST, fx_donate(x));
    assert_text(y, "[2]float32{1, 3}");
    assert_text(c, "[2]float32{0, 1}");
    assert_empty(held); /* another reference to the same tensor sees that it is gone */
    fx_tensor_free(held);
    fx_tensor_free(x);
    fx_tensor_free(y);
    fx_tensor_free(c);
    fx_exec_free(exec);
    fx_exec_free(same);
    fx_backend_close(backend);
}

/* ---- misuse ---- */

static void refused_and_unharmed(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, sum2, FX_MUST);
    fx_tensor *x = fx_tensor_from(FX_HOST(((float[]){1, 2}), 2), FX_MUST);
    fx_error err = {0};
    assert_null(fx_call1(exec, &err, fx_donate(x), fx_donate(x)));
    assert_failed(err, FX_ERROR_ARGUMENT, "donated argument 1 is also another argument");
    assert_null(fx_call1(exec, &err, fx_donate(x), x));
    assert_failed(err, FX_ERROR_ARGUMENT, "argument 1 is being donated");
    assert_null(fx_call1(exec, &err, x, fx_donate(x)));
    assert_failed(err, FX_ERROR_ARGUMENT, "donated argument 1 is also another argument");
    assert_null(fx_call1(exec, &err, fx_donate(x), (fx_tensor *)NULL));
    assert_failed(err, FX_ERROR_ARGUMENT, "argument 1 is NULL");
    assert_null(fx_call1(exec, &err, fx_donate(x)));
    assert_failed(err, FX_ERROR_ARGUMENT, "takes 2 arguments");
    assert_text(x, "[2]float32{1, 2}"); /* nothing of that touched it */
    fx_tensor *y = fx_call1(exec, FX_MUST, x, x);
    assert_text(y, "[2]float32{2, 4}");
    fx_tensor_free(y);
    y = fx_call1(exec, FX_MUST, fx_donate(x), FX_VEC(float, 1, 1));
    assert_text(y, "[2]float32{2, 3}");
    assert_empty(x);
    fx_tensor_free(y);
    for (int i = 0; i < 2; i++) {
        assert_null(fx_call1(exec, &err, i ? fx_donate(x) : FX_ARG(x), FX_VEC(float, 1, 1)));
        assert_failed(err, FX_ERROR_ARGUMENT, "argument 0 was donated to an earlier call");
    }
    fx_tensor_free(x);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* Once the arguments were found to be good the contents are gone, whatever fails afterwards. */
static void gone_when_the_call_fails(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, sum2, FX_MUST);
    fx_tensor *x = fx_tensor_from(FX_HOST(((float[]){1, 2}), 2), FX_MUST);
    fx_error err = {0};
    assert_null(fx_call1(exec, &err, fx_donate(x), FX_VEC(float, 1, 2, 3)));
    assert_failed(err, FX_ERROR_SHAPE, "fx_add");
    assert_empty(x);
    fx_tensor_free(x);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static bool fail_run(void *user, const fxi_run_args *args, fx_error *err) {
    (void)user;
    assert_true(args->donated && args->donated[0]);
    return fxi_fail(err, FX_ERROR_BACKEND, "the run failed");
}

static void gone_when_the_run_fails(void **state) {
    (void)state;
    fake_hooks hooks = {.run = fail_run};
    fx_backend *backend = fake_backend_open(&hooks);
    fx_exec *exec = fx_exec_new(backend, scaled, FX_MUST);
    fx_tensor *x = fx_tensor_from(FX_HOST(((float[]){1, 2}), 2), FX_MUST);
    fx_error err = {0};
    assert_null(fx_call1(exec, &err, fx_donate(x)));
    assert_failed(err, FX_ERROR_BACKEND, "the run failed");
    assert_empty(x);
    fx_tensor_free(x);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- in use by another call: that call is held in the middle of its run ---- */

typedef struct held_call {
    fx_exec *exec;
    fx_arg arg;
    meeting inside, leave;
    bool ok;
} held_call;

static bool hold(void *user, const fxi_run_args *args, fx_error *err) {
    (void)args;
    held_call *h = user;
    meeting_join(&h->inside, 2, 20);
    return meeting_join(&h->leave, 2, 20) || fxi_fail(err, FX_ERROR_BACKEND, "never let go");
}

static void *make_call(void *context) {
    held_call *h = context;
    fx_tensor *t = fx_exec_call1(h->exec, &h->arg, 1, NULL);
    h->ok = t != NULL;
    fx_tensor_free(t);
    return NULL;
}

static void refused_while_in_use(void **state) {
    (void)state;
    for (int donated = 0; donated < 2; donated++) {
        held_call h = {.inside = MEETING, .leave = MEETING};
        fake_hooks hooks = {.run = hold, .user = &h}, free_hooks = {.run = NULL};
        fx_backend *holding = fake_backend_open(&hooks), *other = fake_backend_open(&free_hooks);
        h.exec = fx_exec_new(holding, scaled, FX_MUST);
        fx_exec *exec = fx_exec_new(other, scaled, FX_MUST);
        fx_tensor *x = fx_tensor_from(FX_HOST(((float[]){1, 2}), 2), FX_MUST);
        h.arg = donated ? fx_donate(x) : FX_ARG(x);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, make_call, &h), 0);
        assert_true(meeting_join(&h.inside, 2, 20));
        fx_error err = {0};
        assert_null(fx_call1(exec, &err, fx_donate(x)));
        assert_failed(err, FX_ERROR_ARGUMENT, "in use by another call");
        fx_tensor *t = fx_call1(exec, &err, x); /* reading together is fine */
        if (donated) assert_failed(err, FX_ERROR_ARGUMENT, "is being donated");
        assert_int_equal(t != NULL, !donated);
        fx_tensor_free(t);
        meeting_join(&h.leave, 2, 20);
        pthread_join(thread, NULL);
        assert_true(h.ok);
        assert_int_equal(fx_tensor_is_valid(x), !donated);
        if (!donated) {
            t = fx_call1(exec, FX_MUST, fx_donate(x)); /* free again */
            fx_tensor_free(t);
        }
        assert_empty(x);
        fx_tensor_free(x);
        fx_exec_free(exec);
        fx_exec_free(h.exec);
        fx_backend_close(holding);
        fx_backend_close(other);
    }
}

/* Many threads want to give away the same tensor: exactly one call gets it. */
typedef struct rivals {
    fx_exec *exec;
    fx_tensor *x;
    meeting start;
    atomic_int won;
} rivals;

static void *give_away(void *context) {
    rivals *r = context;
    meeting_join(&r->start, 4, 20);
    fx_tensor *t = fx_call1(r->exec, NULL, fx_donate(r->x));
    if (t) atomic_fetch_add(&r->won, 1);
    fx_tensor_free(t);
    return NULL;
}

static void one_of_many_wins(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, scaled, FX_MUST);
    for (int round = 0; round < 50; round++) {
        rivals r = {.exec = exec, .x = counting(10), .start = MEETING};
        pthread_t threads[4];
        for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, give_away, &r), 0);
        for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
        assert_int_equal(atomic_load(&r.won), 1);
        assert_empty(r.x);
        fx_tensor_free(r.x);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(memory_is_reused),
        BOTH(result_is_donated_again),
        BOTH(one_of_two),
        BOTH(never_read_after_written),
        BOTH(other_sizes),
        BOTH(wrapped_memory),
        BOTH(copies_stay),
        BOTH(refused_and_unharmed),
        BOTH(gone_when_the_call_fails),
        cmocka_unit_test(gone_when_the_run_fails),
        cmocka_unit_test(refused_while_in_use),
        BOTH(one_of_many_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
