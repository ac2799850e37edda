/* SPDX-License-Identifier: Apache-2.0 */
/* Windows on every backend: values worked out by hand, special values, and agreement of cpu with the
 * interpreter over random geometries, every kind and dtype, with the same bits for any number of threads. */
#include "exec/both.h"
#include "support/graph_helpers.h"
#include "tensor/tensor.h"
#include <fluxion/window.h>
#include <math.h>

#define PADS(...)                                                                                            \
    ((fx_pads){(const fx_pad_axis[]){__VA_ARGS__},                                                           \
               sizeof((fx_pad_axis[]){__VA_ARGS__}) / sizeof(fx_pad_axis)})

typedef struct request {
    fx_window_kind kind;
    bool scatters;
    fx_window_options options;
} request;

static void build_request(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    (void)g, (void)n_in, (void)n_out;
    const request *r = user;
    out[0] = r->scatters ? fx_select_and_scatter(in[0], in[1], r->kind, &r->options)
                         : fx_reduce_window(in[0], r->kind, &r->options);
}

static fx_tensor *run_on(const char *backend_name, request *r, fx_tensor *x, fx_tensor *source) {
    fx_backend *backend = fx_backend_open(backend_name, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, build_request, source ? 2 : 1, 1, r, FX_MUST);
    fx_tensor *out = source ? fx_call1(exec, FX_MUST, x, source) : fx_call1(exec, FX_MUST, x);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return out;
}

static fx_tensor *floats(const float *v, int64_t n) {
    return fx_tensor_copy_from(&FX_SHAPE(FX_F32, n), v, FX_MUST);
}

static void check(void **state, request r, fx_tensor *x, const char *text) {
    fx_tensor *out = run_on(*state, &r, x, NULL);
    assert_text(out, text);
    fx_tensor_free(out);
    fx_tensor_free(x);
}

static void small_values(void **state) {
    static const float v[] = {1, 5, 3, 4, 2};
    const fx_window_options pairs = {.window = FX_DIMS(2), .strides = FX_DIMS(1)};
    check(state, (request){.kind = FX_WINDOW_SUM, .options = pairs}, floats(v, 5), "[4]float32{6, 8, 7, 6}");
    check(state, (request){.kind = FX_WINDOW_PRODUCT, .options = pairs}, floats(v, 5),
          "[4]float32{5, 15, 12, 8}");
    check(state, (request){.kind = FX_WINDOW_MAX, .options = pairs}, floats(v, 5), "[4]float32{5, 5, 4, 4}");
    check(state, (request){.kind = FX_WINDOW_MIN, .options = pairs}, floats(v, 5), "[4]float32{1, 3, 3, 2}");
    const fx_window_options padded = {.window = FX_DIMS(2), .paddings = PADS({3, 0, 0})};
    check(state, (request){.kind = FX_WINDOW_MAX, .options = padded}, floats(v, 5),
          "[4]float32{-Inf, 1, 5, 4}");
    const fx_window_options cropped = {
        .window = FX_DIMS(2), .strides = FX_DIMS(1), .paddings = PADS({-2, 0, 0})};
    check(state, (request){.kind = FX_WINDOW_SUM, .options = cropped}, floats(v, 5), "[2]float32{7, 6}");
    const fx_window_options dilated = {
        .window = FX_DIMS(2), .strides = FX_DIMS(1), .window_dilations = FX_DIMS(3)};
    check(state, (request){.kind = FX_WINDOW_SUM, .options = dilated}, floats(v, 5), "[2]float32{5, 7}");
    const fx_window_options spread = {
        .window = FX_DIMS(3), .strides = FX_DIMS(2), .base_dilations = FX_DIMS(2)};
    check(state, (request){.kind = FX_WINDOW_SUM, .options = spread}, floats(v, 5), "[4]float32{6, 8, 7, 6}");
    check(state, (request){.kind = FX_WINDOW_SUM, .options = {.window = FX_DIMS(5)}}, floats(v, 5),
          "[1]float32{15}");
    check(state, (request){.kind = FX_WINDOW_SUM}, floats(v, 5), "[5]float32{1, 5, 3, 4, 2}");
    check(state,
          (request){.kind = FX_WINDOW_MIN, .options = {.window = FX_DIMS(1), .paddings = PADS({2, 0, 0})}},
          floats(NULL, 0), "[2]float32{Inf, Inf}");
}

static void special_values(void **state) {
    const float v[] = {1, NAN, 3, -0.0f, 0.0f, -0.0f, -0.0f};
    const fx_window_options pairs = {.window = FX_DIMS(2), .strides = FX_DIMS(1)};
    check(state, (request){.kind = FX_WINDOW_MAX, .options = pairs}, floats(v, 7),
          "[6]float32{NaN, NaN, 3, 0, 0, -0}");
    check(state, (request){.kind = FX_WINDOW_MIN, .options = pairs}, floats(v, 7),
          "[6]float32{NaN, NaN, -0, -0, -0, -0}");
    check(state, (request){.kind = FX_WINDOW_SUM, .options = pairs}, floats(v, 7),
          "[6]float32{NaN, NaN, 3, 0, 0, 0}");
}

static void selections(void **state) {
    static const float v[] = {2, 7, 7, 1, NAN, 9}, s[] = {1, 10, 100, 1000, 10000};
    request r = {
        .kind = FX_WINDOW_MAX, .scatters = true, .options = {.window = FX_DIMS(2), .strides = FX_DIMS(1)}};
    fx_tensor *x = floats(v, 6), *source = floats(s, 5), *out = run_on(*state, &r, x, source);
    assert_text(out, "[6]float32{0, 11, 100, 0, 11000, 0}");
    fx_tensor_free(out);
    r.kind = FX_WINDOW_MIN;
    out = run_on(*state, &r, x, source);
    assert_text(out, "[6]float32{1, 10, 0, 100, 11000, 0}");
    fx_tensor_free(out), fx_tensor_free(x), fx_tensor_free(source);
}

/* ---- agreement ---- */

#if FLUXION_CPU
static const fx_dtype dtypes[] = {FX_F32,  FX_S2,  FX_S4,  FX_S8,   FX_S16, FX_S32, FX_S64,
                                  FX_U2,   FX_U4,  FX_U8,  FX_U16,  FX_U32, FX_U64, FX_F16,
                                  FX_BF16, FX_F64, FX_C64, FX_C128, FX_BOOL};

static uint64_t seed = 1;
static int64_t below(int64_t n) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (int64_t)(seed >> 33) % n;
}

static fx_tensor *filled(const fx_shape *shape) {
    fx_tensor *x = fx_tensor_new(shape, FX_MUST);
    if (x->bytes) memset(x->data, 0, (size_t)x->bytes);
    for (int64_t i = 0; i < fx_tensor_size(x); i++) {
        double v = below(40)  ? (double)(below(1 << 20) - (1 << 19)) / (1 << 18)
                   : below(3) ? 0
                   : below(8) ? -0.0
                              : NAN;
        fxi_element_store(shape->dtype, x->data, i,
                          (fxi_scalar){.i = below(2000) - 1000, .re = v, .im = v / 3 + 1});
    }
    return x;
}

static bool accepts(fx_window_kind kind, fx_dtype dtype) {
    if (kind <= FX_WINDOW_PRODUCT) return dtype != FX_BOOL;
    if (kind <= FX_WINDOW_MIN) return !fx_dtype_is_complex(dtype);
    return dtype == FX_BOOL || fx_dtype_is_integer(dtype);
}

static double tolerance(fx_dtype dtype) {
    fx_dtype real = fx_dtype_real(dtype);
    return real == FX_F64 ? 1e-12 : real == FX_F32 ? 4e-6 : real == FX_F16 ? 1.1e-3 : 8e-3;
}

static void compare(const fx_tensor *got, const fx_tensor *want, double scale, const char *what) {
    fx_dtype dtype = want->shape.dtype;
    assert_true(fx_shape_equal_dims(&got->shape, &want->shape));
    for (int64_t i = 0; i < fx_tensor_size(want); i++) {
        fxi_scalar a = fxi_element_load(dtype, got->data, i), b = fxi_element_load(dtype, want->data, i);
        double limit = scale * tolerance(dtype) * (1 + fabs(b.re) + fabs(b.im));
        bool same = a.i == b.i && (isnan(b.re) ? isnan(a.re) : a.re == b.re || fabs(a.re - b.re) <= limit) &&
                    (isnan(b.im) ? isnan(a.im) : a.im == b.im || fabs(a.im - b.im) <= limit);
        if (!same)
            fail_msg("%s of %s: element %lld: %lld %g %g for %lld %g %g", what,
                     fx_shape_to_text(&want->shape).s, (long long)i, (long long)a.i, a.re, a.im,
                     (long long)b.i, b.re, b.im);
    }
}

typedef struct geometry {
    int64_t window[FX_MAX_RANK], strides[FX_MAX_RANK], base[FX_MAX_RANK], dilation[FX_MAX_RANK],
        low[FX_MAX_RANK], high[FX_MAX_RANK];
    fx_pad_axis pads[FX_MAX_RANK];
    fx_window_options options;
    char text[400];
} geometry;

static void set_options(geometry *g, size_t rank) {
    for (size_t i = 0; i < rank; i++) g->pads[i] = (fx_pad_axis){g->low[i], g->high[i], 0};
    g->options = (fx_window_options){.window = {g->window, rank},
                                     .strides = {g->strides, rank},
                                     .base_dilations = {g->base, rank},
                                     .window_dilations = {g->dilation, rank},
                                     .paddings = {g->pads, rank}};
}

static void describe(geometry *g, int rank) {
    size_t n = 0;
    for (int i = 0; i < rank; i++)
        n += (size_t)snprintf(g->text + n, sizeof g->text - n, "[w%d s%d b%d d%d %d %d]", (int)g->window[i],
                              (int)g->strides[i], (int)g->base[i], (int)g->dilation[i], (int)g->low[i],
                              (int)g->high[i]);
}

/* A shape and windows that fit into it. */
static fx_shape random_geometry(geometry *g, bool dilated, int64_t largest) {
    fx_shape shape = {.rank = (int)(1 + below(4))};
    for (int i = 0; i < shape.rank; i++) {
        int64_t dim = shape.dims[i] = 1 + below(shape.rank == 1 ? 400 : shape.rank == 2 ? 40 : 10);
        bool plain = below(3) == 0;
        g->base[i] = dilated && !plain && below(4) == 0 ? 1 + below(3) : 1;
        g->dilation[i] = dilated && !plain && below(4) == 0 ? 1 + below(3) : 1;
        g->window[i] = plain ? 1 : 1 + below(below(2) ? 4 : largest);
        g->strides[i] = plain ? 1 : 1 + below(below(4) ? 3 : 9);
        g->low[i] = plain ? 0 : below(3) ? 0 : below(6) - 2;
        g->high[i] = plain ? 0 : below(3) ? 0 : below(6) - 2;
        int64_t missing =
            (g->window[i] - 1) * g->dilation[i] + 1 - ((dim - 1) * g->base[i] + 1 + g->low[i] + g->high[i]);
        if (missing > 0) g->high[i] += missing;
    }
    set_options(g, (size_t)shape.rank);
    describe(g, shape.rank);
    return shape;
}

static void agree(request *r, fx_tensor *x, fx_tensor *source, double scale, const char *what) {
    fx_tensor *want = run_on("interp", r, x, source), *one = run_on("cpu?threads=1", r, x, source);
    fx_tensor *three = run_on("cpu?threads=3", r, x, source);
    compare(one, want, scale, what);
    assert_int_equal(one->bytes, three->bytes);
    if (one->bytes) assert_memory_equal(one->data, three->data, (size_t)one->bytes);
    fx_tensor_free(want), fx_tensor_free(one), fx_tensor_free(three);
}

static void random_windows(void **state) {
    (void)state;
    for (int n = 0; n < 600; n++) {
        geometry g;
        request r = {.kind = (fx_window_kind)below(7)};
        fx_shape shape = random_geometry(&g, true, 60);
        shape.dtype = dtypes[below(COUNT_OF(dtypes))];
        if (!accepts(r.kind, shape.dtype)) shape.dtype = r.kind <= FX_WINDOW_MIN ? FX_F32 : FX_S16;
        r.options = g.options;
        fx_tensor *x = filled(&shape);
        agree(&r, x, NULL, r.kind == FX_WINDOW_PRODUCT ? 20 : 1, g.text);
        fx_tensor_free(x);
    }
}

static void random_selections(void **state) {
    (void)state;
    for (int n = 0; n < 300; n++) {
        geometry g;
        request r = {.kind = below(2) ? FX_WINDOW_MAX : FX_WINDOW_MIN};
        fx_shape shape = random_geometry(&g, false, 12);
        shape.dtype = dtypes[below(COUNT_OF(dtypes))];
        if (fx_dtype_is_complex(shape.dtype) || shape.dtype == FX_BOOL) shape.dtype = FX_F32;
        r.options = g.options;
        fx_tensor *x = filled(&shape), *windows = run_on("interp", &r, x, NULL);
        fx_tensor *source = filled(&windows->shape);
        r.scatters = true;
        agree(&r, x, source, 1, g.text);
        fx_tensor_free(x), fx_tensor_free(windows), fx_tensor_free(source);
    }
}

/* Sizes at which work is cut into tasks, blocks and tiles. */
static void larger(void **state) {
    (void)state;
    static const struct {
        fx_shape shape;
        int64_t window[4], strides[4];
        fx_pad_axis pads[4];
    } cases[] = {
        {{FX_F32, 4, {2, 40, 40, 64}}, {1, 3, 3, 1}, {1, 2, 2, 1}, {{0}, {0, 1, 0}, {0, 1, 0}}},
        {{FX_F32, 4, {2, 16, 40, 40}}, {1, 1, 3, 3}, {1, 1, 2, 2}, {{0}, {0}, {1, 0, 0}, {1, 0, 0}}},
        {{FX_F16, 4, {1, 30, 30, 20}}, {1, 8, 8, 1}, {1, 1, 1, 1}, {{0}, {3, 4, 0}, {3, 4, 0}}},
        {{FX_F32, 2, {40000, 1}}, {200, 1}, {1, 1}, {{199, 0, 0}}},
        {{FX_F64, 2, {3000, 40}}, {100, 1}, {7, 1}, {{0}}},
        {{FX_F32, 2, {1, 9000}}, {1, 9000}, {1, 1}, {{0}, {8999, 0, 0}}},
        {{FX_F32, 2, {64, 3000}}, {32, 1}, {32, 1}, {{0}}},
        {{FX_S8, 3, {5, 3000, 3}}, {1, 64, 1}, {1, 64, 1}, {{0}}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int kind = FX_WINDOW_SUM; kind <= FX_WINDOW_MAX; kind += 2) {
            size_t rank = (size_t)cases[i].shape.rank;
            request r = {.kind = (fx_window_kind)kind,
                         .options = {.window = {cases[i].window, rank},
                                     .strides = {cases[i].strides, rank},
                                     .paddings = {cases[i].pads, rank}}};
            fx_tensor *x = filled(&cases[i].shape);
            agree(&r, x, NULL, 30, fx_shape_to_text(&cases[i].shape).s);
            fx_tensor_free(x);
        }
}
#endif

static void refusals(void **state) {
    (void)state;
#define WINDOW(...)                                                                                          \
    fx_reduce_window(parameter(g, FX_SHAPE(FX_F32, 5)), FX_WINDOW_MAX, &(fx_window_options){__VA_ARGS__})
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_reduce_window: 2 window sizes for (float32)[5], which has rank 1",
                   WINDOW(.window = FX_DIMS(1, 1)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_reduce_window: 2 strides for (float32)[5], which has rank 1",
                   WINDOW(.strides = FX_DIMS(1, 1)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_reduce_window: 2 base dilations for (float32)[5], which has rank 1",
                   WINDOW(.base_dilations = FX_DIMS(1, 1)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_reduce_window: 2 window dilations for (float32)[5], which has rank 1",
                   WINDOW(.window_dilations = FX_DIMS(1, 1)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_reduce_window: 2 paddings for (float32)[5], which has rank 1",
                   WINDOW(.paddings = PADS({1, 0, 0}, {1, 0, 0})));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_reduce_window: interior padding 1 of axis 0; base_dilations is meant for that",
                   WINDOW(.paddings = PADS({0, 0, 1})));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_reduce_window: window 0 of axis 0; it must be at least 1",
                   WINDOW(.window = FX_DIMS(0)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_reduce_window: strides 0 of axis 0; it must be at least 1",
                   WINDOW(.strides = FX_DIMS(0)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_reduce_window: base_dilation 0 of axis 0; it must be at least 1",
                   WINDOW(.base_dilations = FX_DIMS(0)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_reduce_window: window_dilation 0 of axis 0; it must be at least 1",
                   WINDOW(.window_dilations = FX_DIMS(0)));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_reduce_window: a window of 6 places does not fit into axis 0 of (float32)[5], which "
                   "has 5 with its paddings",
                   WINDOW(.window = FX_DIMS(6)));
    ASSERT_REFUSED(FX_ERROR_MEMORY, "fx_reduce_window: the windows of axis 0 do not fit into 63 bits",
                   WINDOW(.paddings = PADS({INT64_MAX, 0, 0})));
    ASSERT_REFUSED(FX_ERROR_MEMORY, "fx_reduce_window: the windows of axis 0 do not fit into 63 bits",
                   WINDOW(.window = FX_DIMS(2), .window_dilations = FX_DIMS(INT64_MAX)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_reduce_window: there is no kind 7",
                   fx_reduce_window(parameter(g, FX_SHAPE(FX_F32, 5)), (fx_window_kind)7, NULL));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_reduce_window: float32 is not accepted; it takes bool, integer dtypes (fx_convert converts)",
        fx_reduce_window(parameter(g, FX_SHAPE(FX_F32, 5)), FX_WINDOW_AND, NULL));
#define SELECT(dtype, n, kind, ...)                                                                          \
    fx_select_and_scatter(parameter(g, FX_SHAPE(FX_F32, 5)), parameter(g, FX_SHAPE(dtype, n)), kind,         \
                          &(fx_window_options){__VA_ARGS__})
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_select_and_scatter: kind 0 is neither max nor min",
                   SELECT(FX_F32, 5, FX_WINDOW_SUM, 0));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_select_and_scatter: the source is [4]; there are [5] windows",
                   SELECT(FX_F32, 4, FX_WINDOW_MAX, 0));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_select_and_scatter: windows that select cannot be dilated",
                   SELECT(FX_F32, 3, FX_WINDOW_MAX, .window_dilations = FX_DIMS(2)));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_select_and_scatter: dtypes float32 and int32 differ; convert one of them with fx_convert",
        SELECT(FX_S32, 5, FX_WINDOW_MAX, 0));
    assert_null(fx_reduce_window(NULL, FX_WINDOW_SUM, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(small_values),
        BOTH(special_values),
        BOTH(selections),
#if FLUXION_CPU
        cmocka_unit_test(random_windows),
        cmocka_unit_test(random_selections),
        cmocka_unit_test(larger),
#endif
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
