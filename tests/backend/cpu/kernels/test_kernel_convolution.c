/* SPDX-License-Identifier: Apache-2.0 */
/* The convolution kernel as a program runs it (prepare, workspace, run, release) on random geometries:
 * operands, result and workspace lie against inaccessible pages, in turn at their end and at their start,
 * what is not written is NaN. Results of small integers equal the interpreter's exactly; results of
 * fractions have the same bits for one, two and three threads and with AVX2 and AVX-512. */
#include "support/graph_helpers.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/interp/interp.h"
#include "support/guarded.h"
#include <fluxion/convolution.h>
#include <math.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { SPATIAL = 3 };
typedef struct geometry {
    fx_dtype dtype, result;
    size_t spatial;
    int64_t batch, channels, features, groups, batch_groups; /* channels and features of a group */
    int64_t in[SPATIAL], kernel[SPATIAL], strides[SPATIAL], dilations[SPATIAL], spread[SPATIAL],
        reversed[SPATIAL];
    fx_pad_axis pads[SPATIAL];
    int layouts[3][SPATIAL + 2];
} geometry;

static uint64_t seed;

static int64_t draw(int64_t least, int64_t most) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return least + (int64_t)((seed >> 33) % (uint64_t)(most - least + 1));
}

/* ---- geometries ---- */

static void draw_layout(const geometry *g, int *layout, bool is_kernel) {
    int rank = (int)g->spatial + 2, first = (int)draw(0, 2);
    for (int i = 0; i < rank; i++) layout[i] = i;
    if (first == 0) { /* channels last */
        layout[0] = is_kernel ? rank - 1 : 0;
        layout[1] = is_kernel ? rank - 2 : rank - 1;
        for (int i = 2; i < rank; i++) layout[i] = is_kernel ? i - 2 : i - 1;
    }
    for (int i = rank - 1; first == 2 && i > 0; i--) {
        int other = (int)draw(0, i), kept = layout[i];
        layout[i] = layout[other];
        layout[other] = kept;
    }
}

static void draw_axis(geometry *g, size_t i, int64_t most) {
    g->in[i] = draw(1, most);
    g->kernel[i] = draw(1, 4);
    g->strides[i] = draw(0, 1) ? 1 : draw(1, 3);
    g->dilations[i] = draw(0, 2) ? 1 : draw(1, 3);
    g->spread[i] = draw(0, 2) ? 1 : draw(1, 3);
    g->reversed[i] = draw(0, 3) == 0;
    int64_t under = (g->kernel[i] - 1) * g->dilations[i];
    g->pads[i] = (fx_pad_axis){draw(0, under), draw(0, under), 0};
    int64_t padded = (g->in[i] - 1) * g->spread[i] + 1 + g->pads[i].start + g->pads[i].end;
    if (padded <= under) g->pads[i].start += under + 1 - padded;
}

static geometry draw_geometry(size_t number) {
    static const fx_dtype dtypes[][2] = {{FX_F32, FX_F32},   {FX_F32, FX_F32}, {FX_F64, FX_F64},
                                         {FX_BF16, FX_BF16}, {FX_F16, FX_F32}, {FX_C64, FX_C64},
                                         {FX_S8, FX_S32},    {FX_S32, FX_S32}, {FX_C64, FX_C128},
                                         {FX_U8, FX_U8},     {FX_S64, FX_S64}, {FX_S4, FX_S8}};
    geometry g = {.dtype = dtypes[number % COUNT_OF(dtypes)][0],
                  .result = dtypes[number % COUNT_OF(dtypes)][1]};
    g.spatial = (size_t)draw(0, SPATIAL);
    g.groups = draw(0, 2) ? 1 : draw(2, 5),
    g.batch_groups = g.groups == 1 && draw(0, 4) == 0 ? draw(2, 3) : 1;
    g.batch = draw(1, 4);
    g.channels = draw(0, 2) ? draw(1, 5) : draw(1, 70);
    if (draw(0, 3) == 0) g.channels = 1;
    g.features = draw(0, 2) ? draw(1, 5) : draw(1, 70);
    if (draw(0, 9) == 0) g.groups = 40, g.batch_groups = 1, g.channels = 1, g.features = draw(1, 3);
    for (size_t i = 0; i < g.spatial; i++) draw_axis(&g, i, g.spatial == 1 ? 90 : g.spatial == 2 ? 20 : 6);
    for (int i = 0; i < 3; i++) draw_layout(&g, g.layouts[i], i == 1);
    return g;
}

/* A kernel nearly as large as the input, as in the gradient of a small one: its patches are filled in parts. */
static geometry draw_large(size_t number) {
    static const fx_dtype dtypes[] = {FX_F32, FX_F64, FX_F32, FX_C64, FX_F32, FX_BF16};
    geometry g = {.dtype = dtypes[number % COUNT_OF(dtypes)], .spatial = 2, .batch_groups = 1};
    g.result = g.dtype;
    g.batch = draw(36, 44);
    g.groups = draw(0, 2) ? 1 : 2;
    g.channels = draw(8, 9);
    g.features = draw(3, 6);
    for (size_t i = 0; i < g.spatial; i++) {
        g.strides[i] = g.spread[i] = 1;
        g.kernel[i] = draw(14, 17);
        g.dilations[i] = draw(0, 2) ? 1 : 2;
        g.in[i] = (g.kernel[i] - 1) * g.dilations[i] + draw(1, 3);
        g.pads[i] = (fx_pad_axis){draw(0, 1), draw(-1, 1), 0};
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) g.layouts[i][k] = k == 0 ? 0 : k == 1 ? 3 : k - 1;
    g.layouts[1][0] = 3, g.layouts[1][1] = 2, g.layouts[1][2] = 0, g.layouts[1][3] = 1;
    return g;
}

static fx_shape shape_of(const geometry *g, fx_dtype dtype, const int *layout, int64_t first, int64_t second,
                         const int64_t *spatial) {
    fx_shape shape = {.dtype = dtype, .rank = (int)g->spatial + 2};
    shape.dims[layout[0]] = first;
    shape.dims[layout[1]] = second;
    for (size_t i = 0; i < g->spatial; i++) shape.dims[layout[i + 2]] = spatial[i];
    return shape;
}

static fx_node *node_of(const geometry *g, fx_graph *graph) {
    const int *const *l = (const int *const[]){g->layouts[0], g->layouts[1], g->layouts[2]};
    size_t n = g->spatial;
    fx_shape x = shape_of(g, g->dtype, l[0], g->batch * g->batch_groups, g->channels * g->groups, g->in);
    fx_shape kernel =
        shape_of(g, g->dtype, l[1], g->features * g->groups * g->batch_groups, g->channels, g->kernel);
    const fx_conv_general_options o = {.axes = {l[0][0],
                                                l[0][1],
                                                {l[0] + 2, n},
                                                l[1][1],
                                                l[1][0],
                                                {l[1] + 2, n},
                                                l[2][0],
                                                l[2][1],
                                                {l[2] + 2, n}},
                                       .strides = {g->strides, n},
                                       .paddings = {g->pads, n},
                                       .input_dilations = {g->spread, n},
                                       .kernel_dilations = {g->dilations, n},
                                       .reversed = {g->reversed, n},
                                       .channel_groups = g->groups,
                                       .batch_groups = g->batch_groups,
                                       .dtype = g->result};
    fx_node *a = fx_parameter(graph, &x), *b = fx_parameter(graph, &kernel);
    fx_node *node = fx_conv_general(a, b, &o);
    assert_no_error(graph);
    return node;
}

/* ---- operands ---- */

/* In the compiler's form of memory: 2- and 4-bit integers are bytes. */
static fx_dtype memory_dtype(fx_dtype dtype) {
    return fx_dtype_bits(dtype) >= 8 ? dtype : fx_dtype_is_signed(dtype) ? FX_S8 : FX_U8;
}

static guarded operand_of(const fx_shape *shape, bool whole, guarded_side side, fx_tensor **copy) {
    int64_t count = fx_shape_size(shape), bytes = fxi_memory_bytes(shape->dtype);
    guarded block = guarded_new((size_t)(count * bytes), side);
    *copy = fx_tensor_new(shape, FX_MUST);
    memset((*copy)->data, 0, (size_t)(*copy)->bytes);
    for (int64_t i = 0; i < count; i++) {
        fxi_scalar v = {.i = draw(-3, 3)};
        if (!fx_dtype_is_signed(shape->dtype) && fx_dtype_is_integer(shape->dtype)) v.i += 3;
        v = fxi_scalar_convert(v, FX_S64, shape->dtype);
        if (!whole) v.re += (double)draw(0, 1000) / 1024;
        if (fx_dtype_is_complex(shape->dtype)) v.im = (double)draw(-3, 3);
        fxi_element_store(shape->dtype, (*copy)->data, i, v);
        fxi_element_store(memory_dtype(shape->dtype), block.data, i, v);
    }
    return block;
}

static fx_tensor *interpret(fx_graph *graph, fx_node *node, fx_tensor *const *in) {
    fx_error err = {.code = FX_OK};
    fx_tensor *result = NULL;
    if (!fx_graph_finish(graph, FX_NODES(node), &err)) fail_msg("%s", err.message);
    void *state = fxi_interp_backend.open(&(fxi_open_args){0}, &err);
    void *program = fxi_interp_backend.compile(state, graph, &err);
    const fxi_run_args args = {.inputs = in, .outputs = &result};
    if (!program || !fxi_interp_backend.run(program, &args, &err)) fail_msg("%s", err.message);
    fxi_interp_backend.program_free(program);
    fxi_interp_backend.close(state);
    return result;
}

/* ---- runs ---- */

typedef struct setting {
    const char *isa;
    unsigned threads;
    guarded_side side;
} setting;

static guarded run_kernel(const fx_node *node, const guarded *operands, const setting *s) {
    const fxi_host_kernel *kernel = fxi_host_kernel_of(FX_OP_CONVOLUTION);
    fx_error err = {.code = FX_OK};
    const fxi_target *target = fxi_target_find(s->isa, &err);
    fxi_pool *pool = fxi_pool_new(s->threads, NULL, NULL, &err);
    void *state = target ? kernel->prepare(node, target, &err) : NULL;
    if (!state || !pool) fail_msg("%s", err.message);
    int64_t room = (kernel->state_workspace(state) + 63) / 64 * 64;
    guarded workspace = guarded_new((size_t)room, s->side);
    guarded result =
        guarded_new((size_t)(fx_shape_size(&node->shape) * fxi_memory_bytes(node->shape.dtype)), s->side);
    fxi_host_call call = {.node = node,
                          .operands = (const void *const[]){operands[0].data, operands[1].data},
                          .result = result.data,
                          .workspace = workspace.data,
                          .pool = pool,
                          .state = state};
    for (int repeat = 0; repeat < 2; repeat++) kernel->run(&call); /* the state is read only */
    guarded_free(&workspace);
    kernel->release(state);
    fxi_pool_free(pool);
    return result;
}

static bool has_avx512(void) {
    fx_error err;
    return fxi_target_find("avx512", &err) != NULL;
}

/* Each sum has at most n terms of magnitude below 4 * 4 (twice that in a component of complex numbers), so it is
 * off by less than 32 n * n roundings of the dtype it is made in, and by half a unit of the result's. */
static void assert_near(size_t number, const geometry *g, const fx_tensor *want, const char *got) {
    double n = (double)g->channels,
           half = fx_dtype_is_half(g->result) ? (g->result == FX_BF16 ? 0x1p-9 : 0x1p-11) : 0;
    bool wide = g->result == FX_F64 || g->result == FX_C128;
    for (size_t i = 0; i < g->spatial; i++) n *= (double)g->kernel[i];
    for (int64_t i = 0; i < fx_shape_size(&want->shape); i++) {
        fxi_scalar a = fxi_element_load(g->result, want->data, i), b = fxi_element_load(g->result, got, i);
        double bound = 32 * n * n * (wide ? 0x1p-52 : 0x1p-23) + 2 * half * fabs(a.re);
        if (!(fabs(a.re - b.re) <= bound && fabs(a.im - b.im) <= bound))
            fail_msg("geometry %zu, element %lld: %.17g instead of %.17g", number, (long long)i, b.re, a.re);
    }
}

static void assert_values(size_t number, const fx_tensor *want, const char *got) {
    fx_dtype dtype = want->shape.dtype;
    for (int64_t i = 0; i < fx_shape_size(&want->shape); i++) {
        fxi_scalar a = fxi_element_load(dtype, want->data, i),
                   b = fxi_element_load(memory_dtype(dtype), got, i);
        if (fx_dtype_is_integer(dtype) ? a.i != b.i : a.re != b.re || a.im != b.im)
            fail_msg("geometry %zu, %s, element %lld: %g instead of %g", number,
                     fx_shape_to_text(&want->shape).s, (long long)i, b.re, a.re);
    }
}

static void check_geometry(geometry g, size_t number, bool whole) {
    static const setting settings[] = {{"avx2", 1, GUARDED_END},
                                       {"avx512", 2, GUARDED_START},
                                       {"avx512", 1, GUARDED_END},
                                       {"avx2", 3, GUARDED_START},
                                       {"avx512", 3, GUARDED_END}};
    fx_graph *graph = new_graph();
    fx_node *node = node_of(&g, graph);
    fx_tensor *in[2];
    guarded operands[2];
    for (int k = 0; k < 2; k++)
        operands[k] = operand_of(&node->operands[k]->shape, whole,
                                 k == (int)(number % 2) ? GUARDED_START : GUARDED_END, &in[k]);
    guarded first = run_kernel(node, operands, &settings[0]);
    fx_tensor *want = interpret(graph, node, in);
    if (whole || fx_dtype_is_integer(g.result))
        assert_values(number, want, first.data);
    else
        assert_near(number, &g, want, first.data);
    fx_tensor_free(want);
    size_t bytes = (size_t)(fx_shape_size(&node->shape) * fxi_memory_bytes(node->shape.dtype));
    for (size_t i = 1; i < COUNT_OF(settings); i++) {
        if (strcmp(settings[i].isa, "avx512") == 0 && !has_avx512()) continue;
        guarded other = run_kernel(node, operands, &settings[i]);
        if (memcmp(first.data, other.data, bytes) != 0)
            fail_msg("geometry %zu: %s with %u threads differs", number, settings[i].isa,
                     settings[i].threads);
        guarded_free(&other);
    }
    guarded_free(&first);
    for (int k = 0; k < 2; k++) {
        guarded_free(&operands[k]);
        fx_tensor_free(in[k]);
    }
    fx_graph_free(graph);
}

static void test_whole_numbers(void **state) {
    (void)state;
    seed = 1;
    for (size_t i = 0; i < 160; i++) check_geometry(draw_geometry(i), i, true);
}

static void test_fractions(void **state) {
    (void)state;
    seed = 2;
    for (size_t i = 0; i < 80; i++) check_geometry(draw_geometry(i), i, false);
}

static void test_large_kernels(void **state) {
    (void)state;
    seed = 3;
    for (size_t i = 0; i < 12; i++) check_geometry(draw_large(i), i, i % 2 == 0);
}

static void test_release_takes_null(void **state) {
    (void)state;
    fxi_host_kernel_of(FX_OP_CONVOLUTION)->release(NULL);
}

/* Sizes that no machine has are refused while the program is prepared. */
static void test_too_large(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const int64_t side = INT64_C(1) << 29;
    fx_node *x = fx_parameter(g, &FX_SHAPE(FX_S8, 1, side, 1)),
            *w = fx_parameter(g, &FX_SHAPE(FX_S8, side, 1, side));
    fx_node *node = fx_convolve(x, w, &(fx_conv_options){.dtype = FX_S32});
    fx_error err = {.code = FX_OK};
    assert_no_error(g);
    assert_null(fxi_host_kernel_of(FX_OP_CONVOLUTION)->prepare(node, fxi_target_find("avx2", FX_MUST), &err));
    assert_int_equal(err.code, FX_ERROR_MEMORY);
    assert_string_equal(err.message, "convolution: sizes beyond 63 bits");
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole_numbers), cmocka_unit_test(test_fractions),
                                       cmocka_unit_test(test_large_kernels),
                                       cmocka_unit_test(test_release_takes_null),
                                       cmocka_unit_test(test_too_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
