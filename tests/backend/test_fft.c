/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms too large for golden data: the cpu backend against the interpreter's sums, the same bits for any
 * number of threads and either instruction set and wherever a line lies, and long lines undone by their inverse. */
#include "exec/both.h"
#include "support/guarded.h"
#include <fluxion/fft.h>
#include <math.h>

#if FLUXION_CPU
typedef fx_node *(*builder)(fx_node *x, fx_axes axes, fx_dims lengths);
typedef struct request {
    builder build;
    fx_axes axes;
} request;

static void build_request(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out;
    const request *r = user;
    out[0] = r->build(in[0], r->axes, FX_DIMS());
}

static fx_tensor *run_on(const char *config, builder build, fx_axes axes, fx_tensor *x) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    request r = {build, axes};
    fx_exec *exec = fx_exec_new_fn(backend, build_request, 1, 1, &r, FX_MUST);
    fx_tensor *out = fx_call1(exec, FX_MUST, x);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return out;
}

static fx_tensor *noise(const fx_shape *shape) {
    fx_tensor *x = fx_tensor_new(shape, FX_MUST);
    uint64_t seed = 99;
    for (int64_t i = 0; i < fx_tensor_size(x); i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        double re = (double)(seed >> 40) / (1 << 23) - 1, im = (double)(seed >> 16 & 0xffffff) / (1 << 23) - 1;
        fxi_element_store(shape->dtype, x->data, i, (fxi_scalar){.re = re, .im = im});
    }
    return x;
}

/* Largest distance in units of eps times the root mean square of the wanted values. */
static double error_of(const fx_tensor *got, const fx_tensor *want) {
    fx_dtype dtype = want->shape.dtype;
    double worst = 0, square = 0, eps = fx_dtype_real(dtype) == FX_F32 ? 0x1p-24 : 0x1p-53;
    int64_t size = fx_tensor_size(want);
    for (int64_t i = 0; i < size; i++) {
        fxi_scalar a = fxi_element_load(dtype, got->data, i), b = fxi_element_load(dtype, want->data, i);
        double d = hypot(a.re - b.re, a.im - b.im);
        if (!(d <= worst)) worst = d;
        square += b.re * b.re + b.im * b.im;
    }
    return worst / (eps * sqrt(square / (double)size));
}

static const struct row {
    builder build;
    fx_shape shape;
    int axes[3];
    size_t axis_count;
    double length; /* product of the lengths */
} rows[] = {
    {fx_fftn, {FX_C64, 2, {67, 1024}}, {1}, 1, 1024},
    {fx_ifftn, {FX_C128, 2, {37, 600}}, {1}, 1, 600},
    {fx_rfftn, {FX_F32, 2, {50, 1000}}, {1}, 1, 1000},
    {fx_rfftn, {FX_F64, 2, {50, 1001}}, {1}, 1, 1001},
    {fx_irfftn, {FX_C64, 2, {50, 501}}, {1}, 1, 1000},
    {fx_irfftn, {FX_C128, 3, {3, 60, 81}}, {1, 2}, 2, 9600},
    {fx_fftn, {FX_C64, 3, {40, 3, 100}}, {0}, 1, 40},
    {fx_fftn, {FX_C128, 3, {9, 128, 19}}, {1}, 1, 128},
    {fx_fftn, {FX_C64, 3, {16, 33, 65}}, {0, 1, 2}, 3, 34320},
    {fx_rfftn, {FX_F32, 3, {17, 64, 40}}, {0, 1, 2}, 3, 43520},
    {fx_fftn, {FX_C64, 2, {35, 1031}}, {1}, 1, 1031}, /* a prime: Bluestein's way */
    {fx_rfftn, {FX_F32, 2, {21, 1033}}, {1}, 1, 1033},
    {fx_irfftn, {FX_C128, 2, {18, 516}}, {1}, 1, 1030},
    {fx_fftn, {FX_C64, 1, {2048}}, {0}, 1, 2048},
};

static void cpu_agrees_with_interp(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const fx_axes axes = {rows[i].axes, rows[i].axis_count};
        fx_tensor *x = noise(&rows[i].shape);
        fx_tensor *want = run_on("interp", rows[i].build, axes, x), *got = run_on("cpu?threads=1", rows[i].build, axes, x);
        double error = error_of(got, want), bound = 8 * log2(rows[i].length);
        if (!(error <= bound)) fail_msg("%s: error %g of %g", fx_shape_to_text(&rows[i].shape).s, error, bound);
        static const char *const ways[] = {"cpu?threads=2", "cpu?threads=3", "cpu?threads=1&isa=avx2"};
        for (size_t w = 0; w < COUNT_OF(ways); w++) {
            fx_tensor *other = run_on(ways[w], rows[i].build, axes, x);
            if (!fx_tensor_equal(got, other)) fail_msg("%s on %s", fx_shape_to_text(&rows[i].shape).s, ways[w]);
            fx_tensor_free(other);
        }
        fx_tensor_free(want), fx_tensor_free(got), fx_tensor_free(x);
    }
}

/* The same line first, in the middle, alone: the same bits. */
static void place_does_not_matter(void **state) {
    (void)state;
    enum { LINES = 35, N = 45 };
    fx_tensor *x = noise(&FX_SHAPE(FX_C64, LINES, N));
    for (int64_t l = 1; l < LINES; l++) memcpy((float *)x->data + l * 2 * N, x->data, 2 * N * sizeof(float));
    fx_tensor *one = fx_tensor_copy_from(&FX_SHAPE(FX_C64, 1, N), x->data, FX_MUST);
    for (int64_t lines = 1; lines <= LINES; lines++) {
        fx_tensor *some = fx_tensor_copy_from(&FX_SHAPE(FX_C64, lines, N), x->data, FX_MUST);
        fx_tensor *out = run_on("cpu", fx_fftn, FX_AXES(1), some), *alone = run_on("cpu", fx_fftn, FX_AXES(1), one);
        for (int64_t l = 0; l < lines; l++)
            assert_memory_equal((float *)out->data + l * 2 * N, alone->data, 2 * N * sizeof(float));
        fx_tensor_free(some), fx_tensor_free(out), fx_tensor_free(alone);
    }
    fx_tensor_free(x), fx_tensor_free(one);
}

/* Long lines, of powers of two and primes, come back from their inverse. */
static void long_lines(void **state) {
    (void)state;
    static const int64_t lengths[] = {INT64_C(1) << 18, 100000, 65537, 99991};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        fx_tensor *x = noise(&FX_SHAPE(FX_C64, 2, lengths[i]));
        fx_tensor *there = run_on("cpu", fx_fftn, FX_AXES(1), x), *back = run_on("cpu", fx_ifftn, FX_AXES(1), there);
        assert_true(error_of(back, x) < 16 * log2((double)lengths[i]));
        fx_tensor_free(x), fx_tensor_free(there), fx_tensor_free(back);
    }
}

/* Nothing outside of the operand is read. */
static void stays_inside(void **state) {
    (void)state;
    for (int64_t lines = 1; lines < 20; lines += 3)
        for (int64_t n = 1; n < 20; n += 2)
            for (int side = 0; side < 2; side++) {
                fx_tensor *inside = guarded_tensor(&FX_SHAPE(FX_F32, lines, n), NULL, side ? GUARDED_END : GUARDED_START);
                fx_tensor *half = guarded_tensor(&FX_SHAPE(FX_C64, lines, n), NULL, side ? GUARDED_END : GUARDED_START);
                fx_tensor_free(run_on("cpu?threads=1", fx_rfftn, FX_AXES(1), inside));
                fx_tensor_free(run_on("cpu?threads=1", fx_rfftn, FX_AXES(0), inside));
                fx_tensor_free(run_on("cpu?threads=1", fx_fftn, FX_AXES(), half));
                if (n > 1) fx_tensor_free(run_on("cpu?threads=1", fx_irfftn, FX_AXES(1), half));
                fx_tensor_free(inside), fx_tensor_free(half);
            }
}
#endif

/* A length that no memory holds is an error, not a crash. */
static void transform(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_fft(in[0], FX_DIMS());
}

static void too_long(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new_fn(backend, transform, 1, 1, NULL, FX_MUST);
    fx_error err = {.code = FX_OK};
    fx_program *program = fx_exec_program(exec, &FX_SHAPE(FX_C64, INT64_C(1) << 55), 1, &err);
    if (!program) assert_failed(err, FX_ERROR_MEMORY, "");
    fx_program_free(program);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(too_long),
#if FLUXION_CPU
        cmocka_unit_test(cpu_agrees_with_interp), cmocka_unit_test(place_does_not_matter), cmocka_unit_test(long_lines),
        cmocka_unit_test(stays_inside),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
