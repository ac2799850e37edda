/* SPDX-License-Identifier: Apache-2.0 */
/* Floats to quantized tensors and back through fx_dequantize: within the bounds that the header states, for
 * normal values, zeros, constants, extremes and one large value among small ones. */
#include "exec/both.h"
#include "tensor/tensor.h"
#include <fluxion/quantize.h>
#include <math.h>

enum { ROWS = 6, COLUMNS = 1024 };

static uint64_t seed = 5;
static double uniform(void) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(seed >> 40) * 0x1p-24;
}
static double normal(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += uniform();
    return sum;
}

/* ---- there and back ---- */

static void build(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const fx_quantize_options *o = user;
    const fx_quantization q = {.scheme = o->scheme,
                               .scale = n_in > 1 ? in[1] : NULL,
                               .zero_point = n_in > 2 ? in[2] : NULL,
                               .block_axis = o->block_axis,
                               .block_size = o->block_size,
                               .ggml_type = o->ggml_type};
    (void)g, (void)n_out;
    out[0] = fx_dequantize(in[0], &q);
}

static fx_tensor *there_and_back(const fx_tensor *x, fx_quantize_options *o) {
    fx_quantized q;
    fx_backend *backend = fx_backend_open("interp", FX_MUST);
    fx_quantize_tensor(x, o, &q, FX_MUST);
    size_t n = q.zero_point ? 3 : q.scale ? 2 : 1;
    fx_exec *exec = fx_exec_new_fn(backend, build, n, 1, o, FX_MUST);
    fx_tensor *given[3] = {q.weights, q.scale, q.zero_point};
    fx_arg args[3];
    for (size_t i = 0; i < n; i++) args[i] = FX_ARG(given[i]);
    fx_tensor *out = fx_exec_call1(exec, args, n, FX_MUST);
    fx_exec_free(exec);
    fx_backend_close(backend);
    fx_quantized_free(&q);
    assert_null(q.weights);
    return out;
}

typedef double (*maker)(int64_t i);
static double make_normal(int64_t i) {
    (void)i;
    return normal();
}
static double make_zero(int64_t i) {
    (void)i;
    return 0;
}
static double make_negative(int64_t i) {
    (void)i;
    return -2.5;
}
static double make_positive(int64_t i) {
    (void)i;
    return 3.75;
}
static double make_outlier(int64_t i) {
    return i % 97 == 5 ? (i % 2 ? 50 : -50) : uniform() - 0.5;
}
static double make_shifted(int64_t i) {
    (void)i;
    return 3 + uniform();
}
static double make_tiny(int64_t i) {
    (void)i;
    return 1e-3 * normal();
}
static const maker makers[] = {make_normal,   make_zero,    make_negative, make_positive,
                               make_outlier, make_shifted, make_tiny};

static fx_tensor *values_of(fx_dtype dtype, maker make) {
    fx_shape shape = {.dtype = dtype, .rank = 2, .dims = {ROWS, COLUMNS}};
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        fxi_element_store(dtype, t->data, i, (fxi_scalar){.re = make(i)});
    return t;
}

/* ---- bounds on each value ---- */

/* What the block of element i spans. */
typedef struct extent {
    double low, high, largest;
} extent;

static extent extent_of(const fx_tensor *x, const fx_quantize_options *o, int64_t i) {
    int64_t size = o->ggml_type ? fx_ggml_block_values(o->ggml_type) : o->block_size;
    int64_t row = i / COLUMNS, column = i % COLUMNS;
    extent e = {INFINITY, -INFINITY, 0};
    bool along = o->ggml_type || o->block_axis == 1;
    int64_t at = (along ? column : row) / size * size, end = along ? COLUMNS : ROWS;
    for (int64_t k = at; k < at + size && k < end; k++) {
        double v = fx_tensor_get(x, along ? row * COLUMNS + k : k * COLUMNS + column);
        e.low = fmin(e.low, v);
        e.high = fmax(e.high, v);
        e.largest = fmax(e.largest, fabs(v));
    }
    return e;
}

static double bound_of(const fx_quantize_options *o, extent e) {
    if (o->ggml_type == FX_GGML_Q8_0) return 0.51 * e.largest / 127 + 0x1p-24 * 127;
    if (o->ggml_type == FX_GGML_Q4_0) return 1.01 * e.largest / 8 + 0x1p-24 * 8;
    if (o->scheme == FX_QUANTIZATION_NF4) return 0.1525 * e.largest;
    double steps = o->dtype == FX_S4 || o->dtype == FX_U4 ? 15 : 255;
    double rounding = 4 * e.largest * 0x1p-23;
    if (o->asymmetric) return 0.5 * (e.high - e.low) / steps + rounding;
    return 0.5 * e.largest / floor(steps / 2) + rounding;
}

static void each_value(void **state) {
    (void)state;
    fx_quantize_options rows[] = {
        {.scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q8_0},
        {.scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q4_0},
        {.scheme = FX_QUANTIZATION_NF4, .block_axis = 1, .block_size = 64},
        {.scheme = FX_QUANTIZATION_NF4, .block_axis = 0, .block_size = 4},
        {.dtype = FX_S8, .block_axis = 1, .block_size = 100},
        {.dtype = FX_S4, .block_axis = -1, .block_size = 32},
        {.dtype = FX_S8, .asymmetric = true, .block_axis = 1, .block_size = 128},
        {.dtype = FX_U8, .asymmetric = true, .block_axis = 0, .block_size = 4},
        {.dtype = FX_S4, .asymmetric = true, .block_axis = 0, .block_size = 6},
        {.dtype = FX_U4, .asymmetric = true, .block_axis = 1, .block_size = 7},
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++)
        for (size_t m = 0; m < COUNT_OF(makers); m++) {
            fx_tensor *x = values_of(FX_F32, makers[m]), *y = there_and_back(x, &rows[r]);
            if (rows[r].block_axis == -1) rows[r].block_axis = 1;
            for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
                double off = fabs(fx_tensor_get(x, i) - fx_tensor_get(y, i));
                if (!(off <= bound_of(&rows[r], extent_of(x, &rows[r], i))))
                    fail_msg("row %d, values %d: element %d of %g comes back as %g", (int)r, (int)m, (int)i,
                             fx_tensor_get(x, i), fx_tensor_get(y, i));
            }
            fx_tensor_free(x);
            fx_tensor_free(y);
        }
}

/* ---- bounds on the mean ---- */

static double relative_error(const fx_tensor *x, const fx_tensor *y) {
    double error = 0, size = 0;
    for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
        double v = fx_tensor_get(x, i), off = v - fx_tensor_get(y, i);
        error += off * off;
        size += v * v;
    }
    return size > 0 ? sqrt(error / size) : sqrt(error);
}

/* Normal and tiny values as the header says; others are easier, but for outliers, which leave little for the
 * rest of their block. */
static void mean_error(void **state) {
    (void)state;
    static const struct {
        fx_ggml_type type;
        double bound;
    } rows[] = {{FX_GGML_IQ4_NL, 0.08}, {FX_GGML_Q2_K, 0.28},   {FX_GGML_Q3_K, 0.15},
                {FX_GGML_Q4_K, 0.075},  {FX_GGML_Q5_K, 0.038}, {FX_GGML_Q6_K, 0.02}};
    for (size_t r = 0; r < COUNT_OF(rows); r++)
        for (size_t m = 0; m < COUNT_OF(makers); m++) {
            fx_quantize_options o = {.scheme = FX_QUANTIZATION_GGML, .ggml_type = rows[r].type};
            fx_tensor *x = values_of(FX_F32, makers[m]), *y = there_and_back(x, &o);
            double error = relative_error(x, y);
            double bound = makers[m] == make_outlier ? fmax(rows[r].bound, 0.07) : rows[r].bound;
            if (!(error <= bound)) fail_msg("%s, values %d: %g", fx_ggml_type_name(rows[r].type), (int)m, error);
            fx_tensor_free(x);
            fx_tensor_free(y);
        }
}

/* ---- dtypes, extremes, refusals ---- */

static void same_of_all_dtypes(void **state) {
    (void)state;
    static const fx_dtype dtypes[] = {FX_F16, FX_BF16, FX_F64};
    fx_quantize_options o = {.scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q4_K};
    for (size_t d = 0; d < COUNT_OF(dtypes); d++) {
        fx_tensor *x = values_of(dtypes[d], make_normal), *wide = values_of(FX_F32, make_zero);
        for (int64_t i = 0; i < ROWS * COLUMNS; i++) ((float *)wide->data)[i] = (float)fx_tensor_get(x, i);
        fx_quantized a, b;
        fx_quantize_tensor(x, &o, &a, FX_MUST);
        fx_quantize_tensor(wide, &o, &b, FX_MUST);
        assert_true(fx_tensor_equal(a.weights, b.weights));
        fx_quantized_free(&a);
        fx_quantized_free(&b);
        fx_tensor_free(x);
        fx_tensor_free(wide);
    }
}

static double make_huge(int64_t i) {
    return i % 3 ? 3e38 : -3e38;
}
static double make_least(int64_t i) {
    return i % 3 ? 1e-44 : -1e-42;
}

/* Nothing becomes NaN or infinite: scales saturate, or vanish. */
static void extremes(void **state) {
    (void)state;
    static const fx_ggml_type types[] = {FX_GGML_NONE, FX_GGML_Q4_0, FX_GGML_Q8_0, FX_GGML_IQ4_NL, FX_GGML_Q2_K,
                                         FX_GGML_Q3_K, FX_GGML_Q4_K, FX_GGML_Q5_K, FX_GGML_Q6_K};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int m = 0; m < 2; m++) {
            fx_quantize_options o = {.scheme = types[t] ? FX_QUANTIZATION_GGML : FX_QUANTIZATION_LINEAR,
                                     .ggml_type = types[t]};
            fx_tensor *x = values_of(FX_F32, m ? make_huge : make_least), *y = there_and_back(x, &o);
            for (int64_t i = 0; i < ROWS * COLUMNS; i++) assert_true(isfinite(fx_tensor_get(y, i)));
            fx_tensor_free(x);
            fx_tensor_free(y);
        }
}

/* Ties go to even, and what lies outside ends at the ends. */
static void ties(void **state) {
    (void)state;
    const float values[] = {127, 0.5f, 1.5f, 2.5f, -0.5f, -2.5f};
    const fx_shape shape = {.dtype = FX_F32, .rank = 2, .dims = {1, 6}};
    fx_tensor *x = fx_tensor_copy_from(&shape, values, FX_MUST);
    fx_quantized q;
    fx_quantize_tensor(x, &(fx_quantize_options){.block_axis = 1}, &q, FX_MUST);
    assert_text(q.weights, "[1][6]int8{{127, 0, 2, 2, 0, -2}}");
    assert_text(q.scale, "[1][1]float32{{1}}");
    fx_quantized_free(&q);
    fx_quantize_tensor(x, &(fx_quantize_options){.dtype = FX_U4, .block_axis = 1, .block_size = 5}, &q, FX_MUST);
    assert_text(q.weights, "[1][6]uint4{{15, 0, 0, 0, 0, 0}}");
    fx_quantized_free(&q);
    fx_tensor_free(x);
}

#define REFUSED(why, part, x, ...)                                                                           \
    do {                                                                                                     \
        fx_error err = {.code = FX_OK};                                                                      \
        fx_quantized q_;                                                                                     \
        assert_false(fx_quantize_tensor(x, &(fx_quantize_options){__VA_ARGS__}, &q_, &err));                 \
        assert_failed(err, why, part);                                                                       \
        assert_null(q_.weights);                                                                             \
    } while (0)

static void refusals(void **state) {
    (void)state;
    fx_tensor *x = values_of(FX_F32, make_normal), *ints = values_of(FX_S32, make_zero);
    const fx_shape line = {.dtype = FX_F32, .rank = 1, .dims = {8}};
    fx_tensor *vector = fx_tensor_new(&line, FX_MUST), *bad = values_of(FX_F64, make_zero);
    ((double *)bad->data)[COLUMNS + 2] = 1e39;
    REFUSED(FX_ERROR_ARGUMENT, "values, options or out is NULL", NULL, .block_axis = 1);
    REFUSED(FX_ERROR_ARGUMENT, "there is no quantization scheme 3", x, .scheme = (fx_quantization_scheme)3);
    REFUSED(FX_ERROR_DTYPE, "values are int32: float16, bfloat16, float32 or float64 is wanted", ints, .size = 0);
    REFUSED(FX_ERROR_SHAPE, "values (float32)[8]: a matrix is wanted", vector, .size = 0);
    REFUSED(FX_ERROR_ARGUMENT, "value [1, 2] is not finite as float32", bad, .size = 0);
    REFUSED(FX_ERROR_DTYPE, "dtype int16: int4, uint4, int8 or uint8 is wanted", x, .dtype = FX_S16);
    REFUSED(FX_ERROR_AXIS, "block_axis 2: 0 or 1 is wanted", x, .block_axis = 2);
    REFUSED(FX_ERROR_ATTRIBUTE, "block_size -1 is negative", x, .block_size = -1);
    REFUSED(FX_ERROR_ARGUMENT, "there is no GGML type 9", x, .scheme = FX_QUANTIZATION_GGML,
            .ggml_type = (fx_ggml_type)9);
    const fx_shape odd = {.dtype = FX_F32, .rank = 2, .dims = {2, 40}};
    fx_tensor *ragged = fx_tensor_new(&odd, FX_MUST);
    REFUSED(FX_ERROR_SHAPE, "rows of 40 values are no whole blocks of q4_0, which have 32", ragged,
            .scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q4_0);
    fx_quantized_free(NULL);
    fx_tensor_free(ragged);
    fx_tensor_free(bad);
    fx_tensor_free(vector);
    fx_tensor_free(ints);
    fx_tensor_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_value),         cmocka_unit_test(mean_error),
                                       cmocka_unit_test(same_of_all_dtypes), cmocka_unit_test(extremes),
                                       cmocka_unit_test(ties),               cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
