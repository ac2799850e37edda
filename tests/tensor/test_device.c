/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors on a device, which is here an array and two counters: fetching once from many threads, failures
 * that are tried again, what an only user makes of one, and that everything is given back once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tensor/tensor.h"
#include <fluxion.h>
#include <math.h>
#include <string.h>

enum { N = 6, THREADS = 4 };

typedef struct fake {
    fxi_device_data head;
    float memory[N];
    bool own;     /* a fetch gives a copy */
    int failures; /* fetches that still fail */
    int *fetched, *released;
} fake;

static bool fetch(fxi_device_data *data, const fx_shape *shape, fxi_host_view *view, fx_error *err) {
    fake *f = (fake *)data;
    if (f->failures > 0) {
        f->failures--;
        return fxi_fail(err, FX_ERROR_BACKEND, "the device is away");
    }
    ++*f->fetched;
    *view = (fxi_host_view){.data = f->memory};
    if (!f->own) return true;
    *view = (fxi_host_view){.data = fxi_alloc_data(sizeof f->memory), .own = true};
    if (view->data) memcpy(view->data, f->memory, (size_t)fx_shape_bytes(shape));
    return view->data != NULL;
}

static void release(fxi_device_data *data) {
    fake *f = (fake *)data;
    ++*f->released;
    fxi_device_data_close(&f->head);
    fxi_free(f);
}

static const fxi_device_ops fake_ops = {.fetch = fetch, .release = release};

/* 1, 2, ... N. */
static fx_tensor *on_fake(int counts[2], bool own, int failures) {
    fake *f = fxi_alloc_zeroed(1, sizeof *f);
    assert_non_null(f);
    assert_true(fxi_device_data_init(&f->head, &fake_ops, FX_MUST));
    for (int i = 0; i < N; i++) f->memory[i] = (float)(i + 1);
    f->own = own;
    f->failures = failures;
    counts[0] = counts[1] = 0;
    f->fetched = &counts[0];
    f->released = &counts[1];
    return fxi_tensor_on_device(&FX_SHAPE(FX_F32, N), &f->head, FX_MUST);
}

static void unread(void **state) {
    (void)state;
    int counts[2];
    fx_tensor *t = on_fake(counts, false, 0);
    assert_true(fx_tensor_is_valid(t) && !fxi_tensor_is_here(t) && !fxi_tensor_is_gone(t));
    fx_tensor_free(t);
    assert_true(counts[0] == 0 && counts[1] == 1);
}

static void readers(void **state) {
    (void)state;
    for (int own = 0; own < 2; own++) {
        int counts[2];
        fx_tensor *t = on_fake(counts, own != 0, 0);
        assert_true(fx_tensor_get(t, 2) == 3 && fx_tensor_get_int(t, 5) == 6);
        assert_string_equal(fx_tensor_text(t).s, "[6]float32{1, 2, 3, 4, 5, 6}");
        fx_tensor *same = fx_tensor_copy_from(&FX_SHAPE(FX_F32, N), fx_tensor_data(t), FX_MUST);
        assert_true(fx_tensor_equal(t, same));
        assert_true(fxi_tensor_find_nan(t) == -1);
        assert_true(t->device && counts[0] == 1 && counts[1] == 0);
        fx_tensor_free(same);
        fx_tensor_free(t);
        assert_int_equal(counts[1], 1);
    }
}

static void failures_are_told_and_tried_again(void **state) {
    (void)state;
    int counts[2];
    fx_tensor *t = on_fake(counts, false, 5);
    fx_error err = {.code = FX_OK};
    assert_false(fx_tensor_fetch(t, &err));
    assert_string_equal(err.message, "the device is away");
    assert_null(fx_tensor_data(t));
    assert_null(fx_tensor_mutable_data(t));
    assert_string_equal(fx_tensor_text(t).s, "[6]float32<lost>");
    assert_true(isnan(fx_tensor_get(t, 0)));
    assert_true(fx_tensor_fetch(t, &err));
    assert_true(fx_tensor_get(t, 0) == 1);
    fx_tensor_free(t);
    assert_true(counts[0] == 1 && counts[1] == 1);
}

/* What an only user gets: the device's memory, a copy that there is, or one that is made because the device
 * may still read. */
static void writers(void **state) {
    (void)state;
    for (int way = 0; way < 3; way++) {
        int counts[2];
        fx_tensor *t = on_fake(counts, way == 1, 0);
        const void *before = fx_tensor_data(t);
        if (way == 2) atomic_store(&t->device->lent, true);
        float *data = fx_tensor_mutable_data(t);
        assert_true(data && !t->device);
        assert_int_equal(data == before, way != 2);
        assert_int_equal(counts[1], way != 0);
        data[0] = 9;
        assert_string_equal(fx_tensor_text(t).s, "[6]float32{9, 2, 3, 4, 5, 6}");
        assert_ptr_equal(fx_tensor_mutable_data(t), data);
        fx_tensor_free(t);
        assert_int_equal(counts[1], 1);
    }
}

static fx_node *twice(fx_node *x) {
    return fx_add(x, x);
}

/* A backend without devices gets its argument here, and may take over what is donated. */
static void arguments_of_calls(void **state) {
    fx_backend *backend = fx_backend_open(*state, FX_MUST);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    for (int donated = 0; donated < 2; donated++) {
        int counts[2];
        fx_tensor *t = on_fake(counts, false, 1);
        fx_error err = {.code = FX_OK};
        fx_arg arg = donated ? fx_donate(t) : FX_ARG(t);
        assert_null(fx_exec_call1(exec, &arg, 1, &err));
        assert_string_equal(err.message, "the device is away");
        assert_true(fx_tensor_is_valid(t)); /* the call never began */
        fx_tensor *r = fx_exec_call1(exec, &arg, 1, FX_MUST);
        assert_string_equal(fx_tensor_text(r).s, "[6]float32{2, 4, 6, 8, 10, 12}");
        assert_int_equal(fx_tensor_is_valid(t), !donated);
        fx_tensor_free(t);
        fx_tensor_free(r);
        assert_true(counts[0] == 1 && counts[1] == 1);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void *read_it(void *tensor) {
    return fx_tensor_get(tensor, N - 1) == N ? tensor : NULL;
}

static void threads_fetch_once(void **state) {
    (void)state;
    for (int round = 0; round < 50; round++) {
        int counts[2];
        fx_tensor *t = on_fake(counts, round % 2 != 0, 0);
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, read_it, t), 0);
        for (int i = 0; i < THREADS; i++) {
            void *seen;
            pthread_join(threads[i], &seen);
            assert_ptr_equal(seen, t);
        }
        fx_tensor_free(t);
        assert_true(counts[0] == 1 && counts[1] == 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unread),
        cmocka_unit_test(readers),
        cmocka_unit_test(failures_are_told_and_tried_again),
        cmocka_unit_test(writers),
        {"arguments_of_calls (interp)", arguments_of_calls, NULL, NULL, "interp"},
#if FLUXION_CPU
        {"arguments_of_calls (cpu)", arguments_of_calls, NULL, NULL, "cpu"},
#endif
        cmocka_unit_test(threads_fetch_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
