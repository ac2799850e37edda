/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on both backends: every signature, every form of argument, every number of outputs, and every way to
 * call wrongly. */
#include "both.h"
#include <complex.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- signatures ---- */

static fx_node *constant_seven(fx_graph *g) {
    return fx_scalar(g, FX_F64, 7);
}
static fx_node *twice(fx_node *a) {
    return fx_add(a, a);
}
/* Digits show which argument came where. */
static fx_node *digits2(fx_node *a, fx_node *b) {
    return fx_add(fx_mul_scalar(a, 10), b);
}
static fx_node *digits3(fx_node *a, fx_node *b, fx_node *c) {
    return digits2(digits2(a, b), c);
}
static fx_node *digits4(fx_node *a, fx_node *b, fx_node *c, fx_node *d) {
    return digits2(digits3(a, b, c), d);
}
static fx_node *digits5(fx_node *a, fx_node *b, fx_node *c, fx_node *d, fx_node *e) {
    return digits2(digits4(a, b, c, d), e);
}
static fx_node *digits6(fx_node *a, fx_node *b, fx_node *c, fx_node *d, fx_node *e, fx_node *f) {
    return digits2(digits5(a, b, c, d, e), f);
}

static void takes(fx_tensor *got, const char *want) {
    assert_non_null(got);
    assert_text(got, want);
    fx_tensor_free(got);
}

static void every_signature(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *e[7] = {
        fx_exec_new(backend, constant_seven, FX_MUST), fx_exec_new(backend, twice, FX_MUST),
        fx_exec_new(backend, digits2, FX_MUST),        fx_exec_new(backend, digits3, FX_MUST),
        fx_exec_new(backend, digits4, FX_MUST),        fx_exec_new(backend, digits5, FX_MUST),
        fx_exec_new(backend, digits6, FX_MUST),
    };
    takes(fx_call1(e[0], FX_MUST), "float64(7)");
    takes(fx_call1(e[1], FX_MUST, 4.0), "float64(8)");
    takes(fx_call1(e[2], FX_MUST, 1.0, 2.0), "float64(12)");
    takes(fx_call1(e[3], FX_MUST, 1.0, 2.0, 3.0), "float64(123)");
    takes(fx_call1(e[4], FX_MUST, 1.0, 2.0, 3.0, 4.0), "float64(1234)");
    takes(fx_call1(e[5], FX_MUST, 1.0, 2.0, 3.0, 4.0, 5.0), "float64(12345)");
    takes(fx_call1(e[6], FX_MUST, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0), "float64(123456)");
    for (size_t i = 0; i < COUNT_OF(e); i++) fx_exec_free(e[i]);
    fx_backend_close(backend);
}

/* out[i] = sum of the inputs + i * *user */
static void sums(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *sum = fx_scalar(body, FX_F64, 0);
    for (size_t i = 0; i < n_in; i++) sum = fx_add(sum, in[i]);
    for (size_t i = 0; i < n_out; i++) out[i] = fx_add_scalar(sum, (double)i * *(double *)user);
}

static void general_form(void **state) {
    fx_backend *backend = open_named(state);
    double step = 100;
    for (size_t n_in = 0; n_in <= 40; n_in += n_in < 10 ? 1 : 15) {
        for (size_t n_out = 1; n_out <= 20; n_out += n_out < 4 ? 1 : 8) {
            fx_exec *exec = fx_exec_new_fn(backend, sums, n_in, n_out, &step, FX_MUST);
            fx_arg args[40];
            double want = 0;
            for (size_t i = 0; i < n_in; i++) {
                args[i] = FX_ARG((double)(i + 1));
                want += (double)(i + 1);
            }
            fx_tensor *out[20];
            assert_true(fx_exec_call(exec, args, n_in, out, n_out, FX_MUST));
            for (size_t i = 0; i < n_out; i++) {
                assert_true(fx_tensor_get(out[i], 0) == want + 100 * (double)i);
                fx_tensor_free(out[i]);
            }
            fx_exec_free(exec);
        }
    }
    fx_backend_close(backend);
}

static void several_outputs(void **state) {
    fx_backend *backend = open_named(state);
    double step = 1;
    fx_exec *two = fx_exec_new_fn(backend, sums, 1, 2, &step, FX_MUST);
    fx_exec *three = fx_exec_new_fn(backend, sums, 1, 3, &step, FX_MUST);
    fx_exec *four = fx_exec_new_fn(backend, sums, 16, 4, &step, FX_MUST);
    fx_tensor *second, *third, *out[4];
    takes(fx_call2(two, &second, FX_MUST, 5.0), "float64(5)");
    takes(second, "float64(6)");
    takes(fx_call3(three, &second, &third, FX_MUST, 5.0), "float64(5)");
    takes(second, "float64(6)");
    takes(third, "float64(7)");
    assert_true(fx_call(four, out, 4, FX_MUST, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0,
                        13.0, 14.0, 15.0, 16.0));
    takes(out[0], "float64(136)");
    takes(out[1], "float64(137)");
    takes(out[2], "float64(138)");
    takes(out[3], "float64(139)");
    fx_exec_free(two);
    fx_exec_free(three);
    fx_exec_free(four);
    fx_backend_close(backend);
}

static void outputs0(fx_graph *g, fx_node **out) {
    out[0] = fx_scalar(g, FX_F64, 1);
    out[1] = fx_scalar(g, FX_F64, 2);
}
static void outputs1(fx_node *a, fx_node **out) {
    out[0] = a;
    out[1] = fx_neg(a);
}
static void outputs2(fx_node *a, fx_node *b, fx_node **out) {
    outputs1(digits2(a, b), out);
}
static void outputs3(fx_node *a, fx_node *b, fx_node *c, fx_node **out) {
    outputs1(digits3(a, b, c), out);
}
static void outputs4(fx_node *a, fx_node *b, fx_node *c, fx_node *d, fx_node **out) {
    outputs1(digits4(a, b, c, d), out);
}
static void outputs5(fx_node *a, fx_node *b, fx_node *c, fx_node *d, fx_node *e, fx_node **out) {
    outputs1(digits5(a, b, c, d, e), out);
}
static void outputs6(fx_node *a, fx_node *b, fx_node *c, fx_node *d, fx_node *e, fx_node *f, fx_node **out) {
    outputs1(digits6(a, b, c, d, e, f), out);
}

static void every_signature_with_outputs(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *e[7] = {
        fx_exec_new_outputs(backend, outputs0, 2, FX_MUST),
        fx_exec_new_outputs(backend, outputs1, 2, FX_MUST),
        fx_exec_new_outputs(backend, outputs2, 2, FX_MUST),
        fx_exec_new_outputs(backend, outputs3, 2, FX_MUST),
        fx_exec_new_outputs(backend, outputs4, 2, FX_MUST),
        fx_exec_new_outputs(backend, outputs5, 2, FX_MUST),
        fx_exec_new_outputs(backend, outputs6, 2, FX_MUST),
    };
    fx_arg args[6];
    for (int i = 0; i < 6; i++) args[i] = FX_ARG((double)i + 1);
    static const double want[7][2] = {{1, 2},        {1, -1},         {12, -12},        {123, -123},
                                      {1234, -1234}, {12345, -12345}, {123456, -123456}};
    for (size_t i = 0; i < COUNT_OF(e); i++) {
        fx_tensor *out[2];
        assert_true(fx_exec_call(e[i], args, i, out, 2, FX_MUST));
        for (int k = 0; k < 2; k++) {
            assert_true(fx_tensor_get(out[k], 0) == want[i][k]);
            fx_tensor_free(out[k]);
        }
        fx_exec_free(e[i]);
    }
    fx_error err = {0};
    assert_null(fx_exec_new_outputs(backend, outputs1, 0, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "at least one output");
    assert_null(fx_exec_new_outputs(backend, (fx_outputs_fn1)NULL, 1, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "the function is NULL");
    fx_exec *three = fx_exec_new_outputs(backend, outputs1, 3, FX_MUST); /* which it does not fill */
    fx_tensor *out[3];
    assert_false(fx_call(three, out, 3, &err, 1.0));
    assert_failed(err, FX_ERROR_GRAPH, "output 2 is NULL");
    fx_exec_free(three);
    fx_backend_close(backend);
}

static fx_node *add_misfits(fx_node *a, fx_node *b) {
    return fx_add(a, b);
}

/* Of the call, unless the error lies in the graph function. */
static void errors_have_a_place(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, add_misfits, FX_MUST);
    fx_error err = {0};
    fx_tensor *second = NULL, *out[2];
    assert_null(fx_call1(exec, &err, 1.0));
    assert_failed(err, FX_ERROR_ARGUMENT, "takes 2 arguments, got 1");
    assert_string_equal(err.file, __FILE__);
    assert_int_equal(err.line, __LINE__ - 3);
    assert_null(fx_call2(exec, &second, &err, 1.0, 2.0));
    assert_int_equal(err.line, __LINE__ - 1);
    assert_null(fx_call3(exec, &second, NULL, &err, 1.0, 2.0));
    assert_failed(err, FX_ERROR_ARGUMENT, "out is NULL");
    assert_int_equal(err.line, __LINE__ - 2);
    assert_false(fx_call(exec, out, 2, &err, 1.0, 2.0));
    assert_int_equal(err.line, __LINE__ - 1);
    assert_null(fx_call1(exec, &err, FX_HOST(&err.line, 2, -1), 1.0));
    assert_failed(err, FX_ERROR_SHAPE, "argument 0 has -1 for dimension 1");
    assert_int_equal(err.line, __LINE__ - 2);
    assert_null(fx_call1(exec, &err, FX_VEC(float, 1, 2), FX_VEC(float, 1, 2, 3)));
    assert_failed(err, FX_ERROR_SHAPE, "fx_add");
    assert_true(err.line < __LINE__ - 20);
    assert_false(fx_exec_call_at(exec, NULL, 0, out, 1, NULL, 12, &err));
    assert_null(err.file);
    assert_int_equal(err.line, 0);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* Outputs that are an input, a constant or another output are still tensors of their own. */
static void repeats(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)n_in, (void)n_out, (void)user;
    out[0] = in[0];
    out[1] = in[0];
    out[2] = out[3] = fx_neg(in[0]);
    out[4] = fx_scalar(body, FX_F32, 3);
    out[5] = out[4];
}

static void outputs_never_alias(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new_fn(backend, repeats, 1, 6, NULL, FX_MUST);
    fx_tensor *x = fx_tensor_from(FX_HOST(((float[]){1, 2, 3}), 3), FX_MUST), *out[6];
    assert_true(fx_call(exec, out, 6, FX_MUST, x));
    static const char *const want[] = {
        "[3]float32{1, 2, 3}",    "[3]float32{1, 2, 3}", "[3]float32{-1, -2, -3}",
        "[3]float32{-1, -2, -3}", "float32(3)",          "float32(3)"};
    for (int i = 0; i < 6; i++) {
        assert_text(out[i], want[i]);
        assert_ptr_not_equal(fx_tensor_data(out[i]), fx_tensor_data(x));
        for (int j = 0; j < i; j++) assert_ptr_not_equal(fx_tensor_data(out[i]), fx_tensor_data(out[j]));
        assert_non_null(fx_tensor_mutable_data(out[i]));
    }
    *(float *)fx_tensor_mutable_data(out[0]) = 99; /* an output is the caller's to change */
    *(float *)fx_tensor_mutable_data(out[4]) = 99;
    fx_tensor *again[6];
    assert_true(fx_call(exec, again, 6, FX_MUST, x));
    for (int i = 0; i < 6; i++) {
        assert_text(again[i], want[i]);
        fx_tensor_free(again[i]);
        fx_tensor_free(out[i]);
    }
    fx_tensor_free(x);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- forms of arguments ---- */

static fx_node *same(fx_node *x) {
    return x;
}

static void scalars_of_each_type(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, same, FX_MUST);
    takes(fx_call1(exec, FX_MUST, FX_TRUE), "bool(true)");
    takes(fx_call1(exec, FX_MUST, FX_FALSE), "bool(false)");
    takes(fx_call1(exec, FX_MUST, (signed char)-5), "int8(-5)");
    takes(fx_call1(exec, FX_MUST, (unsigned char)200), "uint8(200)");
    takes(fx_call1(exec, FX_MUST, (short)-300), "int16(-300)");
    takes(fx_call1(exec, FX_MUST, (unsigned short)60000), "uint16(60000)");
    takes(fx_call1(exec, FX_MUST, -7), "int32(-7)");
    takes(fx_call1(exec, FX_MUST, 4000000000u), "uint32(4000000000)");
    takes(fx_call1(exec, FX_MUST, -5000000000l), "int64(-5000000000)");
    takes(fx_call1(exec, FX_MUST, -5000000001ll), "int64(-5000000001)");
    takes(fx_call1(exec, FX_MUST, 18446744073709551615ul), "uint64(18446744073709551615)");
    takes(fx_call1(exec, FX_MUST, 18446744073709551614ull), "uint64(18446744073709551614)");
    takes(fx_call1(exec, FX_MUST, 1.5f), "float32(1.5)");
    takes(fx_call1(exec, FX_MUST, 0.1), "float64(0.1)");
    fx_tensor *c = fx_call1(exec, FX_MUST, (float _Complex)(1.5f + 2.0f * _Complex_I));
    assert_int_equal(fx_tensor_dtype(c), FX_C64);
    assert_memory_equal(fx_tensor_data(c), ((float[]){1.5f, 2}), 8);
    fx_tensor_free(c);
    c = fx_call1(exec, FX_MUST, (double _Complex)(-1.0 - 2.5 * _Complex_I));
    assert_int_equal(fx_tensor_dtype(c), FX_C128);
    assert_memory_equal(fx_tensor_data(c), ((double[]){-1, -2.5}), 16);
    fx_tensor_free(c);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* dtypes without a C type are made by hand. */
static void scalars_of_each_dtype(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, same, FX_MUST);
    static const fx_dtype floats[] = {FX_F16, FX_BF16, FX_F8E5M2, FX_F8E4M3FN};
    for (size_t i = 0; i < COUNT_OF(floats); i++) {
        fx_arg arg = {.kind = FX_ARG_SCALAR, .dtype = floats[i], .u = {.f64 = -1.5}};
        fx_tensor *t = fx_exec_call1(exec, &arg, 1, FX_MUST);
        assert_int_equal(fx_tensor_dtype(t), floats[i]);
        assert_true(fx_tensor_get(t, 0) == -1.5);
        fx_tensor_free(t);
    }
    static const struct {
        fx_dtype dtype;
        int64_t given, want;
    } integers[] = {{FX_S4, -3, -3},  {FX_U4, 14, 14},     {FX_S2, -2, -2}, {FX_U2, 3, 3},
                    {FX_S8, 300, 44}, {FX_U16, -1, 65535}, {FX_BOOL, 2, 1}, {FX_U4, 17, 1}};
    for (size_t i = 0; i < COUNT_OF(integers); i++) {
        fx_arg arg = {.kind = FX_ARG_SCALAR, .dtype = integers[i].dtype, .u = {.i = integers[i].given}};
        fx_tensor *t = fx_exec_call1(exec, &arg, 1, FX_MUST);
        assert_int_equal(fx_tensor_dtype(t), integers[i].dtype);
        assert_int_equal(fx_tensor_get_int(t, 0), integers[i].want);
        fx_tensor_free(t);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void vectors_and_arrays(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    float nested[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const int64_t longs[2][1][2] = {{{1, 2}}, {{3, 4}}};
    takes(fx_call1(exec, FX_MUST, FX_VEC(double, 1.0, 2.0)), "[2]float64{2, 4}");
    takes(fx_call1(exec, FX_MUST, FX_VEC(int, 1, 2, 3)), "[3]int32{2, 4, 6}");
    takes(fx_call1(exec, FX_MUST, FX_VEC(unsigned char, 100)), "[1]uint8{200}");
    takes(fx_call1(exec, FX_MUST, FX_HOST(&nested[0][0], 2, 3)), "[2][3]float32{{2, 4, 6}, {8, 10, 12}}");
    takes(fx_call1(exec, FX_MUST, FX_HOST(nested[1], 3)), "[3]float32{8, 10, 12}");
    takes(fx_call1(exec, FX_MUST, FX_HOST(&longs[0][0][0], 2, 1, 2)), "[2][1][2]int64{{{2, 4}}, {{6, 8}}}");
    takes(fx_call1(exec, FX_MUST, FX_HOST(&nested[0][1], )), "float32(4)");
    fx_tensor *empty = fx_call1(exec, FX_MUST, ((fx_vec){NULL, 0, FX_F32}));
    assert_int_equal(fx_tensor_size(empty), 0);
    fx_tensor_free(empty);
    fx_tensor *t = fx_tensor_from(FX_HOST(&nested[0][0], 2, 3), FX_MUST);
    const fx_tensor *read_only = t;
    takes(fx_call1(exec, FX_MUST, t), "[2][3]float32{{2, 4, 6}, {8, 10, 12}}");
    takes(fx_call1(exec, FX_MUST, read_only), "[2][3]float32{{2, 4, 6}, {8, 10, 12}}");
    assert_text(t, "[2][3]float32{{1, 2, 3}, {4, 5, 6}}");
    fx_exec *add = fx_exec_new(backend, digits2, FX_MUST);
    takes(fx_call1(add, FX_MUST, t, t), "[2][3]float32{{11, 22, 33}, {44, 55, 66}}");
    takes(fx_call1(add, FX_MUST, t, 1.0f), "[2][3]float32{{11, 21, 31}, {41, 51, 61}}");
    fx_tensor_free(t);
    fx_exec_free(add);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void packed_tensors(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    const unsigned char bytes[] = {0x21, 0xF3, 0x02}; /* 1, 2, 3, -1, 2 */
    fx_tensor *t = fx_tensor_copy_from(&FX_SHAPE(FX_S4, 5), bytes, FX_MUST);
    takes(fx_call1(exec, FX_MUST, t), "[5]int4{2, 4, 6, -2, 4}");
    fx_tensor_free(t);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* Wrapped memory has no padding: the byte after it must not be touched, whatever the size and the distance
 * to alignment. */
static fx_node *sum_and_square(fx_node *x) {
    return fx_add(fx_square(x), fx_reduce_all_sum(x));
}

static void inputs_are_not_overrun(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, sum_and_square, FX_MUST);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    for (int n = 1; n <= 70; n += n < 20 ? 1 : 7) {
        float *data = (float *)(void *)(memory + page) - n, sum = (float)(n * (n + 1) / 2);
        for (int i = 0; i < n; i++) data[i] = (float)(i + 1);
        fx_tensor *y = fx_call1(exec, FX_MUST, FX_HOST(data, n));
        for (int i = 0; i < n; i++)
            assert_true(fx_tensor_get(y, i) == (double)((float)((i + 1) * (i + 1)) + sum));
        fx_tensor_free(y);
    }
    munmap(memory, 2 * page);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- wrong calls ---- */

static void wrong_counts(void **state) {
    fx_backend *backend = open_named(state);
    double step = 1;
    fx_exec *one = fx_exec_new(backend, twice, FX_MUST),
            *two = fx_exec_new_fn(backend, sums, 1, 2, &step, FX_MUST);
    fx_error err = {0};
    assert_null(fx_call1(one, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "takes 1 arguments, got 0");
    err.code = FX_OK;
    assert_null(fx_call1(one, &err, 1.0, 2.0));
    assert_failed(err, FX_ERROR_ARGUMENT, "takes 1 arguments, got 2");
    err.code = FX_OK;
    assert_null(fx_call1(two, &err, 1.0));
    assert_failed(err, FX_ERROR_ARGUMENT, "has 2 outputs, 1 are asked for");
    fx_tensor *out[3] = {(fx_tensor *)&step, (fx_tensor *)&step, (fx_tensor *)&step};
    err.code = FX_OK;
    assert_null(fx_call3(two, &out[0], &out[1], &err, 1.0));
    assert_failed(err, FX_ERROR_ARGUMENT, "has 2 outputs, 3 are asked for");
    assert_null(out[0]);
    assert_null(out[1]);
    assert_false(fx_call(two, out, 0, NULL, 1.0));
    fx_exec_stats stats = {.size = sizeof stats};
    assert_true(fx_exec_statistics(one, &stats));
    assert_int_equal(stats.compiled, 0); /* nothing was built for them */
    fx_exec_free(one);
    fx_exec_free(two);
    fx_backend_close(backend);
}

static void null_pointers(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    double step = 1;
    fx_exec *two = fx_exec_new_fn(backend, sums, 1, 2, &step, FX_MUST);
    fx_exec *three = fx_exec_new_fn(backend, sums, 1, 3, &step, FX_MUST);
    fx_error err = {0};
    fx_tensor *out = NULL;
    const fx_arg arg = FX_ARG(1.0);
    assert_false(fx_exec_call(NULL, &arg, 1, &out, 1, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "exec is NULL");
    assert_false(fx_exec_call(exec, NULL, 1, &out, 1, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "args is NULL");
    assert_false(fx_exec_call(exec, &arg, 1, NULL, 1, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "out is NULL");
    assert_null(fx_call1(exec, &err, (fx_tensor *)NULL));
    assert_failed(err, FX_ERROR_ARGUMENT, "argument 0 is NULL");
    assert_null(fx_call1(exec, &err, fx_donate(NULL)));
    assert_failed(err, FX_ERROR_ARGUMENT, "argument 0 is NULL");
    assert_null(fx_call2(two, NULL, &err, 1.0));
    assert_failed(err, FX_ERROR_ARGUMENT, "out is NULL");
    out = (fx_tensor *)&step;
    assert_null(fx_call3(three, &out, NULL, &err, 1.0));
    assert_failed(err, FX_ERROR_ARGUMENT, "out is NULL");
    assert_null(out);
    assert_null(fx_call3(three, NULL, &out, &err, 1.0));
    assert_failed(err, FX_ERROR_ARGUMENT, "out is NULL");
    assert_null(fx_call1(NULL, NULL, 1.0)); /* a NULL error is no error */
    fx_exec_free(exec);
    fx_exec_free(two);
    fx_exec_free(three);
    fx_backend_close(backend);
}

static void bad_arguments(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    const float data[1] = {0};
    const int64_t minus[1] = {-1}, many[17] = {0}, huge[3] = {INT64_MAX / 2, INT64_MAX / 2, 2}, two[1] = {2};
    const struct {
        fx_arg arg;
        fx_error_code code;
        const char *part;
    } cases[] = {
        {{.kind = (fx_arg_kind)77}, FX_ERROR_ARGUMENT, "no known kind"},
        {{.kind = FX_ARG_SCALAR, .dtype = FX_INVALID_DTYPE}, FX_ERROR_DTYPE, "no known dtype"},
        {{.kind = FX_ARG_SCALAR, .dtype = (fx_dtype)99}, FX_ERROR_DTYPE, "no known dtype"},
        {{.kind = FX_ARG_VEC, .u = {.vec = {NULL, 3, FX_F32}}}, FX_ERROR_ARGUMENT, "is NULL"},
        {{.kind = FX_ARG_VEC, .u = {.vec = {data, SIZE_MAX, FX_F32}}},
         FX_ERROR_SHAPE,
         "argument 0 has -1 for dimension 0"},
        {{.kind = FX_ARG_VEC, .u = {.vec = {data, 1, FX_INVALID_DTYPE}}},
         FX_ERROR_ARGUMENT,
         "no valid dtype"},
        {{.kind = FX_ARG_HOST, .u = {.host = {NULL, FX_F32, two, 1}}}, FX_ERROR_ARGUMENT, "is NULL"},
        {{.kind = FX_ARG_HOST, .u = {.host = {data, FX_F32, NULL, 1}}},
         FX_ERROR_ARGUMENT,
         "dimensions were NULL"},
        {{.kind = FX_ARG_HOST, .u = {.host = {data, FX_F32, minus, 1}}},
         FX_ERROR_SHAPE,
         "-1 for dimension 0"},
        {{.kind = FX_ARG_HOST, .u = {.host = {data, FX_F32, many, 17}}}, FX_ERROR_SHAPE, "17 dimensions"},
        {{.kind = FX_ARG_HOST, .u = {.host = {data, FX_F32, huge, 3}}}, FX_ERROR_MEMORY, "63 bits"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        fx_error err = {0};
        assert_null(fx_exec_call1(exec, &cases[i].arg, 1, &err));
        assert_failed(err, cases[i].code, cases[i].part);
        assert_failed(err, cases[i].code, "argument 0");
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- errors of the graph function ---- */

static int line_of_error;
static fx_node *mismatch(fx_node *a, fx_node *b) {
    line_of_error = __LINE__ + 1;
    return fx_exp(fx_add(fx_neg(a), b));
}
static fx_node *nothing(fx_node *a) {
    (void)a;
    return NULL;
}
static void no_output(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = in[0];
}

static void errors_name_the_place(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, mismatch, FX_MUST);
    for (int i = 0; i < 2; i++) { /* a failure is not kept: the second call says the same */
        fx_error err = {0};
        assert_null(fx_call1(exec, &err, FX_VEC(float, 1, 2), FX_VEC(float, 1, 2, 3)));
        assert_failed(err, FX_ERROR_SHAPE, "fx_add");
        assert_non_null(err.file);
        assert_non_null(strstr(err.file, "test_call.c"));
        assert_int_equal(err.line, line_of_error);
    }
    assert_null(fx_call1(exec, NULL, FX_VEC(float, 1, 2), FX_VEC(float, 1, 2, 3)));
    takes(fx_call1(exec, FX_MUST, 1.0, 1.0), "float64(1)"); /* and other shapes still work */
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void missing_outputs(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, nothing, FX_MUST);
    fx_exec *two = fx_exec_new_fn(backend, no_output, 1, 2, NULL, FX_MUST);
    fx_error err = {0};
    assert_null(fx_call1(exec, &err, 1.0));
    assert_failed(err, FX_ERROR_GRAPH, "output 0 is NULL");
    fx_tensor *out[2];
    assert_false(fx_call(two, out, 2, &err, 1.0));
    assert_failed(err, FX_ERROR_GRAPH, "output 1 is NULL");
    assert_null(out[0]);
    assert_null(out[1]);
    fx_exec_free(exec);
    fx_exec_free(two);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(every_signature),        BOTH(general_form),
        BOTH(several_outputs),        BOTH(every_signature_with_outputs),
        BOTH(errors_have_a_place),    BOTH(outputs_never_alias),
        BOTH(scalars_of_each_type),   BOTH(vectors_and_arrays),
        BOTH(scalars_of_each_dtype),  BOTH(packed_tensors),
        BOTH(inputs_are_not_overrun), BOTH(wrong_counts),
        BOTH(null_pointers),          BOTH(bad_arguments),
        BOTH(errors_name_the_place),  BOTH(missing_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
