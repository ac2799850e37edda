/* SPDX-License-Identifier: Apache-2.0 */
/* Products with packed weights: every type, bias, activation and dtype of x, few rows and many, ragged blocks
 * and rows, on guarded memory; values and derivatives by x, scale, zero point and bias. The cpu's kernels are
 * held to the interpreter, which runs the decomposition, and that to the product of the dequantized weights
 * in double. Bits do not depend on threads, the instruction set or the other rows of x. What the weights become
 * is a golden family (quantize). */
#include "exec/both.h"
#include "support/compare.h"
#include "support/guarded.h"
#include "tensor/tensor.h"
#include <fluxion/quantize.h>
#include <math.h>
#include <stdlib.h>

enum { IN = 5, X = 0, W = 1, BIAS = 2, SCALE = 3, ZERO = 4 };

typedef struct problem {
    fx_quantization_scheme scheme;
    fx_ggml_type type;
    fx_dtype weights; /* of linear and NF4 */
    int block_axis;
    int64_t block_size;
    bool zero, bias;
    int64_t m, k, n;
    fx_dtype dtype; /* of x */
    fx_activation activation;
} problem;

/* ---- data ---- */

static uint64_t seed = 1;
static uint64_t draw(void) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return seed >> 33;
}

static fx_tensor *floats(const fx_shape *shape, double size) {
    fx_tensor *t = fx_tensor_new(shape, FX_MUST);
    for (int64_t i = 0; i < fx_shape_size(shape); i++)
        fxi_element_store(shape->dtype, t->data, i,
                          (fxi_scalar){.re = size * ((double)(draw() % 20001) / 10000 - 1)});
    return t;
}

/* Any bytes are weights, but the numbers of half precision among them must be of some sensible size. */
static void set_halves(fx_tensor *t, fx_ggml_type type) {
    static const struct {
        fx_ggml_type type;
        int at[2];
    } places[] = {{FX_GGML_Q2_K, {80, 82}}, {FX_GGML_Q3_K, {108, 108}}, {FX_GGML_Q4_K, {0, 2}},
                  {FX_GGML_Q5_K, {0, 2}},   {FX_GGML_Q6_K, {208, 208}}};
    int at[2] = {0, 0};
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (places[i].type == type) memcpy(at, places[i].at, sizeof at);
    uint8_t *data = t->data;
    for (int64_t b = 0; b < t->bytes; b += fx_ggml_block_bytes(type))
        for (int i = 0; i < 2; i++) data[b + at[i] + 1] = (uint8_t)((data[b + at[i] + 1] & 0x83) | 0x20);
}

static fx_shape shape2(fx_dtype dtype, int64_t a, int64_t b) {
    return (fx_shape){.dtype = dtype, .rank = 2, .dims = {a, b}};
}

static fx_tensor *random_weights(const problem *p) {
    bool ggml = p->scheme == FX_QUANTIZATION_GGML;
    fx_shape shape = shape2(p->weights, p->k, p->n);
    if (ggml)
        shape = shape2(FX_U8, p->n, p->k / fx_ggml_block_values(p->type) * fx_ggml_block_bytes(p->type));
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    for (int64_t i = 0; i < t->bytes; i++) ((uint8_t *)t->data)[i] = (uint8_t)draw();
    if (ggml) set_halves(t, p->type);
    return t;
}

static void fill(const problem *p, fx_tensor **in) {
    fx_shape x = shape2(p->dtype, p->m, p->k), s = shape2(FX_F32, p->k, p->n);
    fx_shape bias = {.dtype = p->dtype, .rank = 1, .dims = {p->n}};
    int64_t size = p->block_size ? p->block_size : s.dims[p->block_axis];
    s.dims[p->block_axis] = (s.dims[p->block_axis] + size - 1) / size;
    in[X] = floats(&x, 1);
    in[W] = random_weights(p);
    in[BIAS] = floats(&bias, 1);
    in[SCALE] = floats(&s, 0.1);
    in[ZERO] = floats(&s, 0.5);
}

static void clear(fx_tensor **in) {
    for (int i = 0; i < IN; i++) fx_tensor_free(in[i]);
}

/* ---- graphs ---- */

static fx_quantization quantization(const problem *p, fx_node *const *in) {
    bool ggml = p->scheme == FX_QUANTIZATION_GGML;
    return (fx_quantization){.scheme = p->scheme,
                             .ggml_type = p->type,
                             .scale = ggml ? NULL : in[SCALE],
                             .zero_point = p->zero ? in[ZERO] : NULL,
                             .block_axis = p->block_axis,
                             .block_size = p->block_size};
}

static void build_dense(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const problem *p = user;
    const fx_quantization q = quantization(p, in);
    (void)g, (void)n_in, (void)n_out;
    out[0] = fx_nn_quantized_dense(in[X], in[W], &q, p->bias ? in[BIAS] : NULL, p->activation);
}

static void build_weights(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const problem *p = user;
    const fx_quantization q = quantization(p, in);
    (void)g, (void)n_in, (void)n_out;
    fx_node *w = fx_dequantize(in[W], &q);
    out[0] = p->scheme == FX_QUANTIZATION_GGML ? fx_transpose(w, 0, 1) : w;
}

/* Derivatives of a sum with weights between -1 and 1, by x, bias, scale and zero point, and the sum's tangent
 * for tangents 1 / n of x's n elements; plain: of the product that is meant. */
static void build_gradients(fx_graph *g, fx_node *const *in, fx_node **out, const problem *p, bool plain) {
    fx_node *y[2], *wrt[4] = {in[X], in[BIAS], in[SCALE], in[ZERO]};
    build_dense(g, in, IN, y, 1, (void *)(uintptr_t)p);
    if (plain) {
        build_weights(g, in, IN, y + 1, 1, (void *)(uintptr_t)p);
        y[0] = fx_matmul(fx_convert(in[X], FX_F32), y[1]);
        if (p->bias) y[0] = fx_add(y[0], fx_expand_left_to_rank(fx_convert(in[BIAS], FX_F32), 2));
        y[0] = fx_convert(fx_activate(y[0], p->activation), p->dtype);
    }
    const fx_shape shape = {.dtype = FX_F32, .rank = 2, .dims = {p->m, p->n}};
    fx_node *u = fx_sin(fx_iota_full(g, &shape));
    fx_node *loss = fx_reduce_all_sum(fx_mul(fx_convert(y[0], FX_F32), u));
    fx_node *tangent = fx_fill_scalar(g, &in[X]->shape, 1 / (double)(p->m * p->k));
    fx_gradient(loss, (fx_nodes){wrt, 4}, out);
    fx_jvp(FX_NODES(loss), FX_NODES(in[X]), FX_NODES(tangent), out + 4);
}

static void build_own(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)n_in, (void)n_out;
    build_gradients(g, in, out, user, false);
}
static void build_plain(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)n_in, (void)n_out;
    build_gradients(g, in, out, user, true);
}

static void run(const char *config, fx_fn fn, const problem *p, fx_tensor *const *in, fx_tensor **out,
                size_t n_out) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, fn, IN, n_out, (void *)(uintptr_t)p, FX_MUST);
    fx_arg args[IN];
    for (int i = 0; i < IN; i++) args[i] = FX_ARG(in[i]);
    fx_exec_call(exec, args, IN, out, n_out, FX_MUST);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static double at(const fx_tensor *t, int64_t i) {
    return fxi_element_load(t->shape.dtype, t->data, i).re;
}

/* ---- values ---- */

/* How far two sums of k products may lie apart, each product and each of k additions being rounded once, at
 * the element of row i and column j; and the exact sum. */
static double spread(const problem *p, fx_tensor *const *in, const fx_tensor *w, int64_t i, int64_t j,
                     double *exact) {
    double sum = p->bias ? at(in[BIAS], j) : 0, size = fabs(sum);
    for (int64_t k = 0; k < p->k; k++) {
        double term = at(in[X], i * p->k + k) * at(w, k * p->n + j);
        sum += term;
        size += fabs(term);
    }
    *exact = sum;
    return 2 * (double)(p->k + 2) * size * 0x1p-24;
}

static double epsilon_of(fx_dtype dtype) {
    return dtype == FX_F32 ? 0x1p-23 : dtype == FX_F16 ? 0x1p-10 : 0x1p-7;
}

/* Activations stretch differences by less than 2 and are right to 8 units in the last place. */
static void check_values(const problem *p, fx_tensor *const *in, const fx_tensor *w, const fx_tensor *got,
                         const fx_tensor *want, const char *config) {
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            double exact, a = at(got, i * p->n + j), b = at(want, i * p->n + j);
            double bound = spread(p, in, w, i, j, &exact);
            double reach = 2 * bound + 8 * 0x1p-23 * (fabs(exact) + 1) + epsilon_of(p->dtype) * fabs(b);
            bool off = p->activation == FX_ACTIVATION_NONE &&
                       !(fabs(a - exact) <= bound + epsilon_of(p->dtype) * fabs(exact));
            if (off || !(fabs(a - b) <= reach))
                fail_msg("%s, scheme %d type %d %s, m %d k %d n %d block %d of axis %d: [%d, %d] is %g, not %g",
                         config, (int)p->scheme, (int)p->type, fx_dtype_name(p->weights), (int)p->m, (int)p->k,
                         (int)p->n, (int)p->block_size, p->block_axis, (int)i, (int)j, a, b);
        }
}

static const char *const configs[] = {
#if FLUXION_CPU
    "cpu?threads=1", "cpu?threads=3", "cpu?isa=avx2",
#else
    "interp",
#endif
};

static void check_problem(const problem *p) {
    fx_tensor *in[IN], *w, *want, *got[COUNT_OF(configs)];
    fill(p, in);
    run("interp", build_weights, p, in, &w, 1);
    run("interp", build_dense, p, in, &want, 1);
    for (size_t c = 0; c < COUNT_OF(configs); c++) {
        fx_tensor *held[IN];
        for (int i = 0; i < IN; i++)
            held[i] = guarded_tensor(&in[i]->shape, in[i], c % 2 ? GUARDED_START : GUARDED_END);
        run(configs[c], build_dense, p, held, &got[c], 1);
        clear(held);
        check_values(p, in, w, got[c], want, configs[c]);
        compare_report report;
        if (!compare_bits(got[c], got[0], &report)) fail_msg("%s: %s", configs[c], report.text);
    }
    for (size_t c = 0; c < COUNT_OF(configs); c++) fx_tensor_free(got[c]);
    clear(in);
    fx_tensor_free(w);
    fx_tensor_free(want);
}

#define GGML(t) .scheme = FX_QUANTIZATION_GGML, .type = FX_GGML_##t
static const problem types[] = {
    {GGML(Q4_0), .k = 96},
    {GGML(Q8_0), .k = 320},
    {GGML(IQ4_NL), .k = 64},
    {GGML(Q2_K), .k = 256},
    {GGML(Q3_K), .k = 512},
    {GGML(Q4_K), .k = 256},
    {GGML(Q5_K), .k = 256},
    {GGML(Q6_K), .k = 512},
    {FX_QUANTIZATION_LINEAR, .weights = FX_S8, .block_axis = 1, .block_size = 32, .k = 50},
    {FX_QUANTIZATION_LINEAR, .weights = FX_S8, .block_axis = 1, .block_size = 3, .zero = true, .k = 50},
    {FX_QUANTIZATION_LINEAR, .weights = FX_U8, .block_axis = 1, .zero = true, .k = 50},
    {FX_QUANTIZATION_LINEAR, .weights = FX_U8, .block_axis = 0, .block_size = 7, .zero = true, .k = 50},
    {FX_QUANTIZATION_LINEAR, .weights = FX_S4, .block_axis = 1, .block_size = 16, .k = 600},
    {FX_QUANTIZATION_LINEAR, .weights = FX_S4, .block_axis = 0, .block_size = 32, .zero = true, .k = 50},
    {FX_QUANTIZATION_LINEAR, .weights = FX_U4, .block_axis = 1, .block_size = 20, .zero = true, .k = 50},
    {FX_QUANTIZATION_LINEAR, .weights = FX_S2, .block_axis = 1, .block_size = 64, .k = 30},
    {FX_QUANTIZATION_LINEAR, .weights = FX_S16, .block_axis = 1, .block_size = 64, .k = 30},
    {FX_QUANTIZATION_NF4, .weights = FX_U4, .block_axis = 1, .block_size = 64, .k = 50},
    {FX_QUANTIZATION_NF4, .weights = FX_S4, .block_axis = 0, .block_size = 13, .k = 50},
};

static void sizes(void **state) {
    (void)state;
    static const struct {
        int64_t m, n;
    } rows[] = {{1, 70}, {1, 1}, {2, 33}, {3, 5}, {4, 64}, {7, 31}, {8, 130}, {9, 2}, {9, 33}, {40, 70}, {0, 4}};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t s = 0; s < COUNT_OF(rows); s++) {
            problem p = types[t];
            p.dtype = FX_F32;
            p.m = rows[s].m;
            p.n = rows[s].n;
            check_problem(&p);
        }
}

static void layers(void **state) {
    (void)state;
    static const fx_dtype dtypes[] = {FX_F32, FX_F16, FX_BF16};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int a = 0; a < FX_ACTIVATION_SWI_GLU; a++) {
            problem p = types[t];
            p.dtype = dtypes[(t + (size_t)a) % 3];
            p.activation = (fx_activation)a;
            p.bias = a % 2 == 0;
            p.m = a % 4 == 3 ? 12 : 2;
            p.n = 10;
            check_problem(&p);
        }
}

/* More rows than one chunk of a sum over rows, more columns than a task. */
static void large(void **state) {
    (void)state;
    problem p = {FX_QUANTIZATION_LINEAR, .weights = FX_S8, .block_axis = 1, .block_size = 128, .dtype = FX_F32,
                 .m = 2, .k = 1100, .n = 1090};
    check_problem(&p);
    p = (problem){GGML(Q8_0), .dtype = FX_F32, .m = 1, .k = 4096, .n = 67};
    check_problem(&p);
    p = (problem){GGML(Q5_K), .dtype = FX_F32, .m = 37, .k = 2304, .n = 67};
    check_problem(&p);
}

/* Weights built in, and a loop over stacked ones, where kernels see no packed tensor, give the same bits. */
typedef struct built_in {
    const problem *p;
    fx_tensor *const *in;
} built_in;

static void build_built_in(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const built_in *b = user;
    fx_node *nodes[IN] = {in[0]};
    (void)n_in;
    for (int i = 1; i < IN; i++) nodes[i] = fx_constant(g, b->in[i]);
    build_dense(g, nodes, IN, out, n_out, (void *)(uintptr_t)b->p);
}

static void step(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    build_dense(g, in, n_in, out, n_out, user);
}
static void build_loop(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const built_in *b = user;
    fx_node *stacked[IN], *y = NULL;
    (void)g, (void)n_in, (void)n_out;
    for (int i = 0; i < IN; i++) stacked[i] = fx_insert_axes(in[i], FX_AXES(0));
    fx_scan((fx_nodes){NULL, 0}, (fx_nodes){stacked, IN}, 1, 1, step, (void *)(uintptr_t)b->p, &y);
    out[0] = fx_squeeze(y, FX_AXES(0));
}

/* Row after row of x by fx_vmap: results of one row do not depend on the others. */
static void build_row(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *given[IN], *y = NULL;
    memcpy(given, in, n_in * sizeof *in);
    given[X] = fx_insert_axes(in[X], FX_AXES(0));
    build_dense(g, given, n_in, &y, n_out, user);
    out[0] = fx_squeeze(y, FX_AXES(0));
}
static void build_vmap(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    static const int axes[IN] = {0, FX_NOT_BATCHED, FX_NOT_BATCHED, FX_NOT_BATCHED, FX_NOT_BATCHED};
    const built_in *b = user;
    (void)g, (void)n_out;
    out[0] = fx_vmap((fx_nodes){in, n_in}, axes, build_row, (void *)(uintptr_t)b->p, 1, NULL, NULL);
}

static fx_tensor *run_built_in(const char *config, fx_fn fn, const built_in *b, size_t n) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, fn, n, 1, (void *)(uintptr_t)b, FX_MUST);
    fx_arg args[IN];
    for (size_t i = 0; i < n; i++) args[i] = FX_ARG(b->in[i]);
    fx_tensor *out = fx_exec_call1(exec, args, n, FX_MUST);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return out;
}

/* Batches of one input, of two examples, by fx_vmap and by two calls. */
typedef struct batch_of {
    const problem *p;
    int which;
} batch_of;

static void build_batch(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const batch_of *b = user;
    fx_node *x[IN], *each[2];
    int axes[IN];
    (void)n_out;
    for (int i = 0; i < IN; i++) x[i] = in[i], axes[i] = FX_NOT_BATCHED;
    fx_node *pair[2] = {in[b->which], fx_reverse(in[b->which], FX_AXES(0))};
    x[b->which] = fx_stack(FX_NODES(pair[0], pair[1]), 0);
    axes[b->which] = 0;
    out[0] = fx_vmap((fx_nodes){x, n_in}, axes, build_dense, (void *)(uintptr_t)b->p, 1, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        x[b->which] = pair[i];
        build_dense(g, x, n_in, &each[i], 1, (void *)(uintptr_t)b->p);
    }
    out[1] = fx_stack(FX_NODES(each[0], each[1]), 0);
}

/* Within the rounding of sums of k products in another order. */
static void batches(void **state) {
    for (size_t t = 0; t < COUNT_OF(types) * IN; t++) {
        problem p = types[t / IN];
        const batch_of b = {&p, (int)(t % IN)};
        fx_tensor *in[IN], *got[2];
        double largest = 1;
        p.dtype = FX_F32;
        p.m = 3;
        p.n = 34;
        fill(&p, in);
        run(*state, build_batch, (const problem *)(const void *)&b, in, got, 2);
        int64_t n = fx_tensor_size(got[1]);
        for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(fx_tensor_get(got[1], i)));
        for (int64_t i = 0; i < n; i++)
            if (!(fabs(fx_tensor_get(got[0], i) - fx_tensor_get(got[1], i)) <=
                  (double)p.k * 0x1p-23 * largest))
                fail_msg("row %d, input %d at %d", (int)t / IN, b.which, (int)i);
        for (int i = 0; i < 2; i++) fx_tensor_free(got[i]);
        clear(in);
    }
}

static void elsewhere(void **state) {
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        problem p = types[t];
        fx_tensor *in[IN], *want, *got[3];
        p.dtype = FX_F32;
        p.m = 3;
        p.n = 34;
        fill(&p, in);
        const built_in b = {&p, in};
        run(*state, build_dense, &p, in, &want, 1);
        got[0] = run_built_in(*state, build_built_in, &b, 1);
        got[1] = run_built_in(*state, build_loop, &b, IN);
        got[2] = run_built_in(*state, build_vmap, &b, IN);
        for (int i = 0; i < 3; i++) {
            compare_report report;
            if (!compare_bits(got[i], want, &report)) fail_msg("row %d, way %d: %s", (int)t, i, report.text);
            fx_tensor_free(got[i]);
        }
        fx_tensor_free(want);
        clear(in);
    }
}

/* ---- derivatives ---- */

/* How far derivatives may lie apart. Sums of k, m and n terms, whose sizes add up to at most: of x, a row of W;
 * of a bias, the rows of x; of scales, what x times q is in a block. Before that the activation's slope is
 * taken at a place that is off by as much as the product, and changes by less than that. */
typedef struct reach {
    double place, of[5];
} reach;

static reach find_reach(const problem *p, fx_tensor *const *in, const fx_tensor *w) {
    reach r = {.place = 0};
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            double exact;
            r.place = fmax(r.place, spread(p, in, w, i, j, &exact));
        }
    for (int64_t k = 0; k < p->k; k++) {
        double sum = 0;
        for (int64_t j = 0; j < p->n; j++) sum += fabs(at(w, k * p->n + j));
        r.of[0] = fmax(r.of[0], sum);
    }
    int64_t longest = p->block_axis ? p->n : p->k, block = p->block_size ? p->block_size : longest;
    r.of[1] = (double)p->m;
    r.of[4] = r.of[0]; /* a mean of m k such terms */
    r.of[3] = (double)(p->m * block);
    r.of[2] = r.of[3] * (p->scheme == FX_QUANTIZATION_NF4 ? 1 : 0x1p15);
    if (p->weights == FX_S8 || p->weights == FX_U8) r.of[2] = r.of[3] * 256;
    if (p->weights == FX_S4 || p->weights == FX_U4 || p->weights == FX_S2) r.of[2] = r.of[3] * 16;
    return r;
}

static void check_near(const fx_tensor *got, const fx_tensor *want, const problem *p, const reach *r, int number) {
    double eps = (double)(p->k + p->m + p->n + 16) * 0x1p-23 + r->place;
    assert_true(fx_shape_equal(&got->shape, &want->shape));
    for (int64_t i = 0; i < fx_shape_size(&want->shape); i++)
        if (!(fabs(at(got, i) - at(want, i)) <= eps * r->of[number]))
            fail_msg("scheme %d type %d: derivative %d, element %d is %g, not %g", (int)p->scheme, (int)p->type,
                     number, (int)i, at(got, i), at(want, i));
}

static void derivatives(void **state) {
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int64_t m = 1; m < 24; m += 11) {
            problem p = types[t];
            fx_tensor *in[IN], *w, *got[5], *want[5];
            p.dtype = FX_F32;
            p.bias = true;
            p.activation = t % 2 ? FX_ACTIVATION_TANH : FX_ACTIVATION_NONE;
            p.m = m;
            p.n = 42;
            fill(&p, in);
            run("interp", build_weights, &p, in, &w, 1);
            const reach r = find_reach(&p, in, w);
            run("interp", build_plain, &p, in, want, 5);
            run(*state, build_own, &p, in, got, 5);
            for (int i = 0; i < 5; i++) check_near(got[i], want[i], &p, &r, i);
            clear(in);
            fx_tensor_free(w);
            for (int i = 0; i < 5; i++) fx_tensor_free(got[i]), fx_tensor_free(want[i]);
        }
}

/* ---- memory ---- */

/* No matrix of float32 appears, whatever the number of rows. */
static void stays_packed(void **state) {
    (void)state;
#if FLUXION_CPU
    static const int64_t rows[] = {1, 8, 64};
    fx_backend *backend = fx_backend_open("cpu", FX_MUST);
    assert_true(fx_backend_supports(backend, "fx.quantized_dense"));
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            problem p = types[t];
            p.dtype = FX_F32;
            p.m = rows[i];
            p.k = 4096;
            p.n = 4096;
            if (p.weights == FX_S16) continue;
            fx_tensor *in[IN];
            fill(&p, in);
            fx_exec *exec = fx_exec_new_fn(backend, build_dense, IN, 1, &p, FX_MUST);
            fx_shape shapes[IN];
            for (int k = 0; k < IN; k++) shapes[k] = in[k]->shape;
            fx_program *program = fx_exec_program(exec, shapes, IN, FX_MUST);
            fx_memory memory = {.size = sizeof memory};
            fx_program_memory(program, &memory);
            bool unpacked = p.weights == FX_S2; /* bytes in every kernel */
            int64_t most = (INT64_C(12) << 20) + (unpacked ? p.k * p.n : 0);
            if (memory.workspace > most) fail_msg("type %d: %lld bytes", (int)t, (long long)memory.workspace);
            fx_program_free(program);
            fx_exec_free(exec);
            clear(in);
        }
    fx_backend_close(backend);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes),  cmocka_unit_test(layers),
                                       cmocka_unit_test(large),  BOTH(elsewhere), BOTH(batches),
                                       BOTH(derivatives),
                                       cmocka_unit_test(stays_packed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
