/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions against the results of JAX (tests/golden/convolution.py), on every backend and in every
 * dtype: the numbers are small, so that floats are exact and integers right after wrapping. */
#include "exec/both.h"
#include <fluxion/convolution.h>
#include "graph/graph.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 20000, LISTS = 14 };
typedef struct list {
    int64_t v[MOST];
    size_t n;
} list;

static void read_list(FILE *f, list *l) {
    long long value;
    size_t n;
    assert_int_equal(fscanf(f, "%zu", &n), 1);
    assert_true(n <= MOST);
    l->n = n;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(fscanf(f, "%lld", &value), 1);
        l->v[i] = value;
    }
}

/* ---- a case: the lists of tests/golden/convolution.py, in its order ---- */

typedef struct golden {
    char op[16];
    list lists[LISTS];
    size_t count; /* of lists, the data of x and the kernel being the last two */
    list result_dims, result;
} golden;

static bool read_case(FILE *f, golden *c) {
    if (fscanf(f, "%15s", c->op) != 1) return false;
    c->count = strcmp(c->op, "conv") == 0 ? 14 : 9;
    for (size_t i = 0; i < c->count; i++) read_list(f, &c->lists[i]);
    read_list(f, &c->result_dims);
    read_list(f, &c->result);
    return true;
}

typedef struct job {
    const golden *c;
    fx_dtype result;
} job;

static fx_axes ints_of(const list *l, int *room) {
    for (size_t i = 0; i < l->n; i++) room[i] = (int)l->v[i];
    return (fx_axes){room, l->n};
}

static fx_dims dims_of(const list *l) {
    return (fx_dims){l->v, l->n};
}

static fx_pads pads_of(const list *low, const list *high, fx_pad_axis *room) {
    for (size_t i = 0; i < low->n; i++) room[i] = (fx_pad_axis){low->v[i], high->v[i], 0};
    return (fx_pads){room, low->n};
}

static fx_axes tail(const int *layout, size_t rank) {
    return (fx_axes){layout + 2, rank - 2};
}

static fx_node *conv_node(const job *j, fx_node *x, fx_node *kernel) {
    const list *l = j->c->lists;
    int input[16], k[16], output[16];
    fx_pad_axis pads[16];
    size_t rank = l[2].n;
    ints_of(&l[2], input), ints_of(&l[3], k), ints_of(&l[4], output);
    const fx_conv_general_options o = {.size = sizeof o,
                                       .axes = {.input_batch = input[0],
                                                .input_channels = input[1],
                                                .input_spatial = tail(input, rank),
                                                .kernel_output_channels = k[0],
                                                .kernel_input_channels = k[1],
                                                .kernel_spatial = tail(k, rank),
                                                .output_batch = output[0],
                                                .output_channels = output[1],
                                                .output_spatial = tail(output, rank)},
                                       .strides = dims_of(&l[5]),
                                       .paddings = pads_of(&l[6], &l[7], pads),
                                       .input_dilations = dims_of(&l[8]),
                                       .kernel_dilations = dims_of(&l[9]),
                                       .reversed = dims_of(&l[10]),
                                       .channel_groups = l[11].v[0],
                                       .batch_groups = l[11].v[1],
                                       .dtype = j->result};
    return fx_conv_general(x, kernel, &o);
}

static fx_node *transpose_node(const job *j, fx_node *x, fx_node *kernel) {
    const list *l = j->c->lists;
    int strides[16], dilations[16];
    fx_pad_axis pads[16];
    fx_conv_transpose_options o = {.channels_first = l[2].v[0] != 0,
                                   .transpose_kernel = l[2].v[1] != 0,
                                   .pad_same = l[2].v[2] == 1,
                                   .strides = ints_of(&l[3], strides),
                                   .dilations = ints_of(&l[6], dilations),
                                   .dtype = j->result};
    if (l[2].v[2] == 2) o.paddings = pads_of(&l[4], &l[5], pads);
    return fx_conv_transpose(x, kernel, &o);
}

static void build(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const job *j = user;
    (void)g, (void)n_in, (void)n_out;
    out[0] = j->c->op[0] == 'c' ? conv_node(j, in[0], in[1]) : transpose_node(j, in[0], in[1]);
}

/* ---- running ---- */

/* Complex elements are (1 + 2i) times the number where `complex` says so. */
static fx_tensor *tensor_of(fx_dtype dtype, const list *dims, const list *data, bool complex) {
    fx_shape shape = fx_shape_make(dtype, dims->v, dims->n);
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    assert_int_equal((size_t)fx_shape_size(&shape), data->n);
    memset(t->data, 0, (size_t)t->bytes);
    for (size_t i = 0; i < data->n; i++) {
        fxi_scalar value = {.i = data->v[i]};
        value = fxi_scalar_convert(value, FX_S64, dtype);
        if (complex) value.im = 2 * value.re;
        fxi_element_store(dtype, t->data, (int64_t)i, value);
    }
    return t;
}

static fx_tensor *run(fx_backend *backend, fx_fn fn, void *user, fx_tensor *const *in) {
    fx_exec *exec = fx_exec_new_fn(backend, fn, 2, 1, user, FX_MUST);
    const fx_arg args[2] = {FX_ARG(in[0]), FX_ARG(in[1])};
    fx_tensor *out = fx_exec_call1(exec, args, 2, FX_MUST);
    fx_exec_free(exec);
    return out;
}

static const struct {
    fx_dtype operand, result;
} dtypes[] = {
    {FX_F32, 0},      {FX_S32, 0}, {FX_F64, 0},      {FX_BF16, FX_F32}, {FX_S8, FX_S32},  {FX_C64, 0},
    {FX_F16, FX_F32}, {FX_S64, 0}, {FX_S8, 0},       {FX_S16, 0},       {FX_C128, 0},     {FX_S4, 0},
    {FX_S4, FX_S8},   {FX_F32, 0}, {FX_F16, FX_F64}, {FX_C64, FX_C128}, {FX_F32, FX_F64}, {FX_S16, FX_S64},
    {FX_U8, 0},       {FX_U32, 0}, {FX_U64, 0},
};

static void check_case(fx_backend *backend, const golden *c, size_t number, size_t dtype) {
    fx_dtype from = dtypes[dtype].operand, to = dtypes[dtype].result ? dtypes[dtype].result : from;
    bool complex = fx_dtype_is_complex(from);
    job j = {c, dtypes[dtype].result};
    const list *x = &c->lists[c->count - 2], *kernel = &c->lists[c->count - 1];
    fx_tensor *in[2] = {tensor_of(from, &c->lists[0], x, complex),
                        tensor_of(from, &c->lists[1], kernel, false)};
    fx_tensor *want = tensor_of(to, &c->result_dims, &c->result, complex), *got = run(backend, build, &j, in);
    if (!fx_tensor_equal(got, want))
        fail_msg("case %zu, %s, %s: %s instead of %s", number + 1, c->op, fx_dtype_name(from),
                 fx_tensor_text(got).s, fx_tensor_text(want).s);
    fx_tensor_free(in[0]);
    fx_tensor_free(in[1]);
    fx_tensor_free(want);
    fx_tensor_free(got);
}

static void golden_values(void **state) {
    fx_backend *backend = open_named(state);
    FILE *f = fopen(FX_TEST_DIR "/golden/convolution.txt", "r");
    assert_non_null(f);
    static golden c;
    size_t cases = 0;
    for (; read_case(f, &c); cases++) {
        check_case(backend, &c, cases, cases % (sizeof dtypes / sizeof dtypes[0]));
        if (dtypes[cases % (sizeof dtypes / sizeof dtypes[0])].operand != FX_F32)
            check_case(backend, &c, cases, 0);
    }
    assert_true(cases >= 300);
    fclose(f);
    fx_backend_close(backend);
}

/* ---- larger ones among other operations, in workspace that is used again ---- */

static void block(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    fx_node *x = fx_add(in[0], in[0]), *zero = fx_scalar(g, fx_node_dtype(x), 0);
    fx_node *y = fx_max(fx_convolve(x, in[1], &(fx_conv_options){.pad_same = true}), zero);
    y = fx_convolve(y, in[1], &(fx_conv_options){.strides = FX_AXES(2), .pad_same = true});
    fx_node *first = fx_transpose_all_axes(y, FX_AXES(0, 3, 1, 2)),
            *turned = fx_transpose_all_axes(in[1], FX_AXES(3, 2, 0, 1));
    const fx_conv_options columns = {.channels_first = true, .dilations = FX_AXES(2), .pad_same = true};
    out[0] = fx_sub(fx_convolve(first, turned, &columns), fx_mul_scalar(first, 3));
}

static fx_tensor *random_of(fx_dtype dtype, const int64_t *dims, uint64_t *seed) {
    fx_shape shape = fx_shape_make(dtype, dims, 4);
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    for (int64_t i = 0; i < fx_shape_size(&shape); i++) {
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        fxi_scalar v = {.i = (int64_t)(*seed >> 33) % 3 - 1};
        fxi_element_store(dtype, t->data, i, fxi_scalar_convert(v, FX_S64, dtype));
    }
    return t;
}

static void threads_and_interpreter(void **state) {
    (void)state;
    static const char *const configs[] = {"interp", "cpu?threads=1", "cpu?threads=2", "cpu?threads=3",
                                          "cpu?threads=2&isa=avx2&debug=poison"};
    static const fx_dtype kinds[] = {FX_F32, FX_F64, FX_S8};
    uint64_t seed = 3;
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        fx_tensor *in[2] = {random_of(kinds[k], (int64_t[]){3, 19, 22, 20}, &seed),
                            random_of(kinds[k], (int64_t[]){3, 3, 20, 20}, &seed)};
        fx_tensor *want = NULL;
        for (size_t b = 0; b < (FLUXION_CPU ? COUNT_OF(configs) : 1); b++) {
            fx_backend *backend = fx_backend_open(configs[b], FX_MUST);
            fx_tensor *got = run(backend, block, NULL, in);
            fx_backend_close(backend);
            if (b > 0 && !fx_tensor_equal(got, want))
                fail_msg("%s differs on %s", fx_dtype_name(kinds[k]), configs[b]);
            if (b > 0)
                fx_tensor_free(got);
            else
                want = got;
        }
        fx_tensor_free(want);
        fx_tensor_free(in[0]);
        fx_tensor_free(in[1]);
    }
}

/* ---- zeros between the elements of a dilated operand are factors like others ---- */

static void dilated(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    fx_node *y = fx_convolve(in[0], in[1], &(fx_conv_options){.input_dilations = FX_AXES(2)});
    out[0] = fx_reshape(y, FX_DIMS(-1));
}

static void check_dilated(fx_backend *backend, fx_dtype dtype, double first, const char *wanted) {
    const double x[] = {1, 2, 3}, kernel[] = {first, 1};
    fx_shape shapes[] = {fx_shape_make(dtype, (int64_t[]){1, 3, 1}, 3),
                         fx_shape_make(dtype, (int64_t[]){2, 1, 1}, 3)};
    fx_tensor *in[2] = {fx_tensor_new(&shapes[0], FX_MUST), fx_tensor_new(&shapes[1], FX_MUST)};
    for (int64_t i = 0; i < 3; i++) fxi_element_store(dtype, in[0]->data, i, (fxi_scalar){.re = x[i]});
    for (int64_t i = 0; i < 2; i++) fxi_element_store(dtype, in[1]->data, i, (fxi_scalar){.re = kernel[i]});
    fx_tensor *y = run(backend, dilated, NULL, in);
    assert_text(y, wanted);
    fx_tensor_free(y);
    fx_tensor_free(in[0]);
    fx_tensor_free(in[1]);
}

static void zeros_between(void **state) {
    fx_backend *backend = open_named(state);
    check_dilated(backend, FX_F32, 4, "[4]float32{4, 2, 8, 3}");
    check_dilated(backend, FX_F32, INFINITY, "[4]float32{Inf, NaN, Inf, NaN}");
    check_dilated(backend, FX_F64, -INFINITY, "[4]float64{-Inf, NaN, -Inf, NaN}");
    check_dilated(backend, FX_BF16, NAN, "[4]bfloat16{NaN, NaN, NaN, NaN}");
    check_dilated(backend, FX_F16, INFINITY, "[4]float16{Inf, NaN, Inf, NaN}");
    check_dilated(backend, FX_BF16, 0x1p125, "[4]bfloat16{4.25e+37, 2, 8.5e+37, 3}");
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(golden_values), BOTH(zeros_between),
                                       cmocka_unit_test(threads_and_interpreter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
