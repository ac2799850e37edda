/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* Everything repeated with the n-th allocation failing, for every n until it passes, once with that one
 * alone and once with all after it failing too. A failure must be FX_ERROR_MEMORY, give no result and leave
 * no block behind. It may also go unnoticed, where a lack of memory is made up for (a cache that is not
 * filled); then the result must be right. LLVM's own allocations are outside of this. Compiled kernels are
 * forgotten before each run, so that each compiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/allocations.h"
#if FLUXION_CPU
#include "backend/cpu/jit/jit.h"
#endif
#include <fluxion.h>
#include <stdlib.h>
#include <string.h>

/* A scenario: false with an error, or true with the right result. Whatever it makes it frees. */
typedef bool (*scenario)(const char *backend, fx_error *err);

/* The process-wide cache of kernels is the one thing that rightly outlives a scenario. */
static void forget_kernels(void) {
#if FLUXION_CPU
    fxi_kernel_cache_clear();
#endif
}

static void fail_everywhere(scenario run, const char *backend, bool on) {
    forget_kernels();
    int64_t before = allocations_live(), failures = 0;
    for (int64_t n = 0;; n++) {
        fx_error err = {.code = FX_OK};
        allocations_fail(n, on);
        bool ok = run(backend, &err);
        bool failed = allocations_failed();
        allocations_fail(-1, false);
        forget_kernels();
        if (allocations_live() != before)
            fail_msg("request %lld%s: %lld blocks leaked", (long long)n, on ? " and all after it" : "",
                     (long long)(allocations_live() - before));
        if (!ok && err.code != FX_ERROR_MEMORY)
            fail_msg("request %lld%s: code %d: %s", (long long)n, on ? " and all after it" : "",
                     (int)err.code, err.message);
        if (!ok && !failed) fail_msg("request %lld: failed without a reason", (long long)n);
        failures += !ok;
        if (!failed) break;
        assert_true(n < 100000);
    }
    assert_true(failures > 0);
}

/* ---- building and printing ---- */

static bool build_and_print(const char *backend, fx_error *err) {
    (void)backend;
    fx_graph *g = fx_graph_new(err);
    if (!g) return false;
    fx_node *x = fx_parameter(g, &FX_SHAPE(FX_F32, 3, 4)), *y = fx_parameter(g, &FX_SHAPE(FX_F32, 4, 3));
    fx_node *table = fx_constant_host(g, FX_HOST(((float[]){1, 2, 3, 4}), 1, 4));
    fx_node *z = fx_log_node(fx_add(fx_mul_scalar(fx_sin(x), 3), table), "z");
    fx_node *many[12];
    for (int i = 0; i < 12; i++) many[i] = fx_transpose(y, 0, 1);
    fx_node *out = fx_concatenate((fx_nodes){many, 12}, 0);
    bool ok = fx_graph_finish(g, FX_NODES(z, out, fx_matmul(x, y)), err);
    if (ok) {
        size_t length = fx_graph_text(g, NULL, 0);
        char small[64];
        ok = length > 100 && fx_graph_text(g, small, sizeof small) == length;
        if (!ok) err->code = FX_ERROR_INTERNAL;
    }
    fx_graph_free(g);
    return ok;
}

/* Composites go on with the inert node of a call that failed. */
static bool build_composites(const char *backend, fx_error *err) {
    (void)backend;
    fx_graph *g = fx_graph_new(err);
    if (!g) return false;
    fx_node *x = fx_parameter(g, &FX_SHAPE(FX_BF16, 3, 3)), *v = fx_parameter(g, &FX_SHAPE(FX_F32, 6));
    fx_node *ids = fx_parameter(g, &FX_SHAPE(FX_S32, 6)), *mask = fx_parameter(g, &FX_SHAPE(FX_BOOL, 3));
    fx_node *both[2];
    fx_optimization_barriers(FX_NODES(v, ids), both);
    const fx_nodes results =
        FX_NODES(fx_einsum("ii,ij,kj->ik", FX_NODES(x, x, x)), fx_masked_log_softmax(x, mask, FX_AXES(0)),
                 fx_masked_reduce_and_keep(x, mask, fx_masked_reduce_mean, FX_AXES(1)),
                 fx_logsumexp(x, FX_AXES()), fx_reduce_skewness(x, FX_AXES(1)),
                 fx_cross_cosine_similarity(x, x, 1, 0), fx_gelu(x), fx_histogram(both[0], 4, 0, 1),
                 fx_segment_softmax(v, both[1], 2), fx_segment_mean(v, ids, 2),
                 fx_unravel_index(ids, FX_DIMS(2, 3)), fx_put(v, ids, v, 0, FX_SCATTER_SUM),
                 fx_update_at(x, FX_DIMS(1), fx_part_at(x, FX_DIMS(0))), fx_kron(v, v),
                 fx_indices_for_shape(g, FX_DIMS(2, 3)));
    bool ok = fx_graph_finish(g, results, err);
    fx_graph_free(g);
    return ok;
}

static void by_larger(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_greater(in[0], fx_mul(in[1], user));
}

/* Rules that go on with the inert node of a call that failed; the scalar is captured by a comparator. */
static fx_node *reordered(fx_node *x, fx_node *scalar) {
    fx_node *sorted;
    fx_sort_func(by_larger, scalar, 0, FX_NODES(x), &sorted);
    return fx_add(fx_mul(sorted, fx_sort(x, 0, true)), fx_cum_prod(x, 0));
}

static bool build_gradients(const char *backend, fx_error *err) {
    (void)backend;
    fx_graph *g = fx_graph_new(err);
    if (!g) return false;
    fx_node *x = fx_parameter(g, &FX_SHAPE(FX_F32, 4)), *m = fx_parameter(g, &FX_SHAPE(FX_F32, 4, 4));
    fx_node *ids = fx_parameter(g, &FX_SHAPE(FX_S32, 4)), *one = fx_scalar_one(g, FX_F32), *d[2];
    fx_node *rows = fx_add(
        fx_matmul(fx_gather(m, fx_expand_axes(ids, FX_AXES(1))), x),
        fx_reduce_product(fx_pad(m, one, (fx_pads){(const fx_pad_axis[]){{1, -1, 0}}, 1}), FX_AXES(0)));
    fx_node *sums =
        fx_add(fx_cum_logsumexp(rows, 0), fx_add(fx_cum_max(rows, 0), fx_segment_prod(x, ids, 4)));
    fx_node *picked = fx_add(fx_segment_max(rows, ids, 4), fx_put_along_axis(x, ids, rows, 0));
    fx_node *all =
        fx_concatenate(FX_NODES(sums, picked, reordered(x, fx_reduce_max(rows, FX_AXES(0))),
                                fx_top_k(rows, 2, 0, NULL), fx_irfft(fx_rfft(x, FX_DIMS()), FX_DIMS())),
                       0);
    fx_gradient(fx_reduce_all_sum(fx_mul(all, all)), FX_NODES(x, m), d);
    bool ok = fx_graph_finish(g, FX_NODES(d[0], d[1]), err);
    fx_graph_free(g);
    return ok;
}

/* Attention with all its parts, plain and as composites. */
static bool build_attention(const char *backend, fx_error *err) {
    (void)backend;
    fx_graph *g = fx_graph_new(err);
    if (!g) return false;
    const fx_rope_options rope = {.interleaved = true};
    fx_node *x = fx_parameter(g, &FX_SHAPE(FX_F32, 2, 3, 8)), *d[2];
    fx_node *cache = fx_parameter(g, &FX_SHAPE(FX_F32, 2, 2, 5, 4));
    fx_node *mask = fx_parameter(g, &FX_SHAPE(FX_BOOL, 2, 3));
    fx_multi_head_results r;
    fx_multi_head_options o = {.heads = 2, .query_mask = mask, .query_key_norm = true, .norm_epsilon = 1e-6};
    o.rope = &rope;
    o.query.weight = fx_parameter(g, &FX_SHAPE(FX_F32, 8, 2, 4));
    o.attention = (fx_attention_options){.window = 4, .bias = fx_parameter(g, &FX_SHAPE(FX_F32, 3, 5))};
    o.key_cache = o.value_cache = cache;
    o.cache_position = fx_scalar_int(g, FX_S32, 1);
    fx_node *y = fx_nn_multi_head_attention(x, NULL, NULL, &o, &r);
    o.attention.dropout_rate = 0.5;
    o.attention.random_state = fx_random_state(g, 1);
    y = fx_add(y, fx_nn_multi_head_attention(x, NULL, NULL, &o, &r));
    fx_gradient(fx_reduce_all_sum(y), FX_NODES(x, o.attention.bias), d);
    bool ok = fx_graph_finish(g, FX_NODES(d[0], d[1], r.key_cache), err);
    fx_graph_free(g);
    return ok;
}

/* Sums of squares of what windows, a convolution with groups and factors of m make. */
static fx_node *windows_of(fx_node *x) {
    const fx_window_options dilated = {.window = FX_DIMS(1, 2, 3, 1),
                                       .window_dilations = FX_DIMS(1, 2, 1, 1)};
    fx_node *kernel = fx_reduce_window(x, FX_WINDOW_MAX, &(fx_window_options){.window = FX_DIMS(1, 2, 2, 1)});
    fx_node *y = fx_convolve(x, fx_reshape(kernel, FX_DIMS(2, 2, 1, 2)),
                             &(fx_conv_options){.strides = FX_AXES(2), .channel_groups = 2});
    fx_node *both = fx_add(fx_reduce_all_sum(fx_mul(y, y)),
                           fx_reduce_all_sum(fx_reduce_window(x, FX_WINDOW_MAX, &dilated)));
    return fx_add(both, fx_reduce_all_sum(fx_reduce_window(x, FX_WINDOW_PRODUCT, &dilated)));
}

static fx_node *factors_of(fx_node *m) {
    fx_node *svd[3], *eigh[2], *qr[2];
    fx_svd(m, false, svd);
    fx_eigh(m, true, eigh);
    fx_qr(m, false, qr);
    fx_node *sum = fx_add(fx_matmul(svd[0], svd[2]), fx_matmul(eigh[1], fx_cholesky(m, false)));
    sum = fx_add(fx_add(sum, fx_lu(m, NULL)), fx_add(fx_matmul(qr[0], fx_pinv(m, -1)), qr[1]));
    fx_node *parts = fx_add(fx_solve(m, m), fx_mul(sum, sum));
    return fx_add(fx_reduce_all_sum(parts), fx_mul(fx_det(m), fx_convert(fx_reduce_all_sum(eigh[0]), FX_C64)));
}

static bool build_matrix_gradients(const char *backend, fx_error *err) {
    (void)backend;
    fx_graph *g = fx_graph_new(err);
    if (!g) return false;
    fx_node *x = fx_parameter(g, &FX_SHAPE(FX_F32, 1, 4, 4, 2)),
            *m = fx_parameter(g, &FX_SHAPE(FX_C64, 3, 3)), *d[2];
    fx_node *loss = fx_add(windows_of(x), fx_real(factors_of(m)));
    fx_gradient(loss, FX_NODES(x, m), d);
    fx_node *tangent = fx_jvp(FX_NODES(loss), FX_NODES(x, m), FX_NODES(x, m), NULL);
    bool ok = fx_graph_finish(g, FX_NODES(d[0], d[1], tangent), err);
    fx_graph_free(g);
    return ok;
}

/* ---- derivatives of control flow ---- */

static void times_captured(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                           void *user) {
    fx_node *const *s_and_w = user;
    (void)body, (void)in, (void)n_in, (void)n_out;
    out[0] = fx_mul(s_and_w[0], s_and_w[1]);
}

static void as_it_is(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)in, (void)n_in, (void)n_out;
    out[0] = *(fx_node *const *)user;
}

static void branching_round(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user) {
    fx_node *s_and_w[] = {in[0], user};
    (void)n_in, (void)n_out;
    fx_if(fx_less(in[0], fx_scalar(body, FX_F64, 100)), times_captured, as_it_is, 1, s_and_w, out);
    out[1] = fx_mul(fx_exp(in[0]), in[1]);
}

static void below_ten(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)n_in, (void)n_out, (void)user;
    out[0] = fx_less(in[0], fx_scalar(body, FX_F64, 10));
}

static void twice(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_add(in[0], in[0]);
}

static void squared(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_mul(in[0], in[0]);
}

static void hundred(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_mul_scalar(in[2], 100);
}

static void own_square(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)body, (void)n_out, (void)user;
    fx_custom_gradient((fx_nodes){in, n_in}, squared, hundred, NULL, 1, out);
}

/* w^3, 8 w by doubling, w^2 whose gradient is said to be 100, and nothing of the rows. */
static void control_loss(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                         void *user) {
    fx_node *w = in[0], *results[2], *zeros = fx_zeros(body, &FX_SHAPE(FX_F64, 3));
    (void)n_in, (void)n_out, (void)user;
    fx_scan(FX_NODES(fx_scalar_one(body, FX_F64)), FX_NODES(zeros), 3, 1, branching_round, w, results);
    fx_node *doubled = fx_while_bounded(5, FX_NODES(w), below_ten, twice, NULL, NULL);
    fx_node *one_w = fx_reshape(w, FX_DIMS(1));
    fx_node *own = fx_reshape(fx_vmap(FX_NODES(one_w), NULL, own_square, NULL, 1, NULL, NULL), FX_DIMS());
    fx_node *sum = fx_add(fx_add(results[0], doubled), fx_add(own, fx_stop_gradient(w)));
    out[0] = fx_add(sum, fx_reduce_all_sum(results[1]));
}

/* At 2: the gradient 12 + 8 + 100, and the second derivative of w^3. */
static fx_node *control_derivatives(fx_node *w) {
    fx_node *d, *loss;
    fx_value_and_gradient(control_loss, NULL, FX_NODES(w), &d);
    control_loss(fx_node_graph(w), &w, 1, &loss, 1, NULL);
    return fx_add(d, fx_hessian(loss, FX_NODES(w), NULL));
}

static bool control_gradients(const char *config, fx_error *err) {
    fx_backend *backend = fx_backend_open(config, err);
    fx_exec *exec = backend ? fx_exec_new(backend, control_derivatives, err) : NULL;
    const fx_arg w = {.kind = FX_ARG_SCALAR, .dtype = FX_F64, .u.f64 = 2};
    fx_tensor *result = exec ? fx_exec_call1(exec, &w, 1, err) : NULL;
    if (result && fx_tensor_get(result, 0) != 132) err->code = FX_ERROR_INTERNAL;
    bool ok = result && err->code == FX_OK;
    fx_tensor_free(result);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return ok;
}

static bool tensors(const char *backend, fx_error *err) {
    (void)backend;
    fx_tensor *a = fx_tensor_from(FX_HOST(((double[]){1, 2, 3, 4}), 2, 2), err);
    fx_tensor *b = a ? fx_tensor_scalar(FX_F16, 1.5, err) : NULL;
    fx_tensor *c =
        b ? fx_tensor_copy_strided(fx_tensor_shape(a), fx_tensor_data(a), (int64_t[]){8, 16}, err) : NULL;
    double given[2] = {5, 6};
    fx_tensor *d = c ? fx_tensor_wrap(&FX_SHAPE(FX_F64, 2), given, NULL, NULL, err) : NULL;
    if (d && strcmp(fx_tensor_text(c).s, "[2][2]float64{{1, 3}, {2, 4}}") != 0) err->code = FX_ERROR_INTERNAL;
    fx_tensor_free(a);
    fx_tensor_free(b);
    fx_tensor_free(c);
    fx_tensor_free(d);
    return d && err->code == FX_OK;
}

/* ---- executables ---- */

static void network(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)n_in, (void)n_out, (void)user;
    fx_node *x = in[0], *w = in[1];
    fx_node *h =
        fx_tanh(fx_add(fx_matmul(x, w), fx_constant_host(body, FX_HOST(((float[]){0, 0, 0}), 1, 3))));
    fx_node *shift = fx_reduce_and_keep(h, fx_reduce_max, FX_AXES(1));
    fx_node *e = fx_exp(fx_sub(h, shift));
    out[0] = fx_div(e, fx_reduce_and_keep(e, fx_reduce_sum, FX_AXES(1)));
    out[1] = fx_log_node(fx_reduce_all_sum(fx_neg(fx_neg(fx_mul_scalar(h, 1)))), "sum");
    out[2] = fx_concatenate(FX_NODES(x, fx_reverse(x, FX_AXES(0))), 1);
}

static void ignore(const char *label, const fx_tensor *value, const char *file, int line, void *user) {
    (void)label, (void)value, (void)file, (void)line, (void)user;
}

static bool check_results(fx_tensor **out) {
    return strcmp(fx_tensor_text(out[1]).s, "float32(0)") == 0 &&
           strcmp(fx_tensor_text(out[2]).s, "[1][4]float32{{0, 0, 0, 0}}") == 0;
}

static bool call_network(fx_exec *exec, fx_error *err) {
    fx_tensor *out[3], *w = fx_tensor_new(&FX_SHAPE(FX_F32, 2, 3), err);
    bool ok = w && fx_call(exec, out, 3, err, FX_HOST(((float[]){0, 0}), 1, 2), w);
    if (ok && !check_results(out)) err->code = FX_ERROR_INTERNAL;
    for (int i = 0; w && i < 3; i++) fx_tensor_free(out[i]);
    fx_tensor_free(w);
    return ok && err->code == FX_OK;
}

static bool open_compile_call(const char *config, fx_error *err) {
    fx_backend *backend = fx_backend_open(config, err);
    fx_exec *exec = backend ? fx_exec_new_fn(backend, network, 2, 3, NULL, err) : NULL;
    bool ok = exec && fx_exec_configure(exec, &(fx_exec_options){.log = ignore}, err);
    ok = ok && call_network(exec, err) && call_network(exec, err);
    fx_program *program = NULL;
    if (ok)
        program = fx_exec_program(exec, (fx_shape[]){FX_SHAPE(FX_F32, 1, 2), FX_SHAPE(FX_F32, 2, 3)}, 2, err);
    if (program && fx_program_text(program, NULL, 0) < 10) err->code = FX_ERROR_INTERNAL;
    fx_exec_free(exec);
    fx_program_free(program);
    fx_backend_close(backend);
    return program && err->code == FX_OK;
}

/* A failure must not spoil the executable: the same one works when there is memory again. */
static bool recovers(const char *config, fx_error *err) {
    fx_backend *backend = fx_backend_open(config, err);
    fx_exec *exec = backend ? fx_exec_new_fn(backend, network, 2, 3, NULL, err) : NULL;
    bool ok = exec && call_network(exec, err);
    if (exec && !ok && err->code == FX_ERROR_MEMORY) {
        fx_error second = {.code = FX_OK};
        allocations_fail(-1, false);
        if (!call_network(exec, &second))
            *err = (fx_error){.code = FX_ERROR_INTERNAL, .message = "did not recover"};
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
    return ok;
}

/* ---- calls of many arguments, and donation ---- */

static void sum_all(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)body, (void)n_out, (void)user;
    out[0] = in[0];
    for (size_t i = 1; i < n_in; i++) out[0] = fx_add(out[0], in[i]);
}

static bool many_and_donated(const char *config, fx_error *err) {
    fx_backend *backend = fx_backend_open(config, err);
    fx_exec *exec = backend ? fx_exec_new_fn(backend, sum_all, 12, 1, NULL, err) : NULL;
    fx_tensor *x = exec ? fx_tensor_from(FX_HOST(((float[]){1, 2}), 2), err) : NULL, *y = NULL;
    if (x) {
        fx_arg args[12] = {fx_donate(x)};
        for (int i = 1; i < 12; i++) args[i] = FX_ARG((float)i);
        y = fx_exec_call1(exec, args, 12, err);
    }
    if (y && strcmp(fx_tensor_text(y).s, "[2]float32{67, 68}") != 0) err->code = FX_ERROR_INTERNAL;
    fx_tensor_free(x);
    fx_tensor_free(y);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return y && err->code == FX_OK;
}

/* ---- library kernels that take memory while they run ---- */

static void transform(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_irfft(fx_rfft(in[0], FX_DIMS(2, 61)), FX_DIMS(2, 61));
}

static bool fourier(const char *config, fx_error *err) {
    fx_backend *backend = fx_backend_open(config, err);
    fx_exec *exec = backend ? fx_exec_new_fn(backend, transform, 1, 1, NULL, err) : NULL;
    fx_tensor *x = exec ? fx_tensor_new(&FX_SHAPE(FX_F32, 2, 61), err) : NULL;
    if (x) memset(fx_tensor_mutable_data(x), 0, 2 * 61 * sizeof(float));
    fx_tensor *y = x ? fx_call1(exec, err, x) : NULL;
    for (int64_t i = 0; y && i < 2 * 61; i++)
        if (fx_tensor_get(y, i) != 0) err->code = FX_ERROR_INTERNAL;
    fx_tensor_free(x);
    fx_tensor_free(y);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return y && err->code == FX_OK;
}

/* ---- library kernels that own generated code ---- */

static void convolutions(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                         void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_convolve(fx_convolve(in[0], in[1], NULL), in[2], &(fx_conv_options){.channel_groups = 3});
}

static bool convolution(const char *config, fx_error *err) {
    fx_backend *backend = fx_backend_open(config, err);
    fx_exec *exec = backend ? fx_exec_new_fn(backend, convolutions, 3, 1, NULL, err) : NULL;
    fx_tensor *x = exec ? fx_tensor_from(FX_HOST(((float[]){1, 2, 3}), 1, 3, 1), err) : NULL;
    fx_tensor *w = x ? fx_tensor_from(FX_HOST(((float[]){1, 2, 3, 4, 5, 6}), 2, 1, 3), err) : NULL;
    fx_tensor *lanes = w ? fx_tensor_from(FX_HOST(((float[]){1, 1, 1, 1, 1, 2}), 2, 1, 3), err) : NULL;
    fx_tensor *y = lanes ? fx_call1(exec, err, x, w, lanes) : NULL;
    if (y && strcmp(fx_tensor_text(y).s, "[1][1][3]float32{{{23, 31, 63}}}") != 0)
        err->code = FX_ERROR_INTERNAL;
    fx_tensor_free(x);
    fx_tensor_free(w);
    fx_tensor_free(lanes);
    fx_tensor_free(y);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return y && err->code == FX_OK;
}

static void attend(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_node *x = in[0];
    fx_node *bias = fx_zeros(fx_node_graph(x), &FX_SHAPE(FX_F32, 2, 2));
    const fx_attention_options o = {.size = sizeof o, .causal = true, .bias = bias};
    out[0] = fx_nn_attention(x, x, x, &o, NULL, NULL);
    fx_gradient(fx_reduce_all_sum(out[0]), FX_NODES(x), out);
}

static bool attention(const char *config, fx_error *err) {
    fx_backend *backend = fx_backend_open(config, err);
    fx_exec *exec = backend ? fx_exec_new_fn(backend, attend, 1, 1, NULL, err) : NULL;
    fx_tensor *x = exec ? fx_tensor_from(FX_HOST(((float[]){0, 0, 0, 0}), 1, 1, 2, 2), err) : NULL;
    fx_tensor *y = x ? fx_call1(exec, err, x) : NULL;
    if (y && strcmp(fx_tensor_text(y).s, "[1][1][2][2]float32{{{{1.5, 1.5}, {0.5, 0.5}}}}") != 0)
        err->code = FX_ERROR_INTERNAL;
    fx_tensor_free(x);
    fx_tensor_free(y);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return y && err->code == FX_OK;
}

static void factor(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_node *f[3], *q[2], *e[2];
    fx_svd(in[0], false, f);
    fx_qr(fx_cholesky(in[0], true), true, q);
    fx_eigh(in[0], true, e);
    out[0] = fx_add(fx_solve(in[0], fx_matmul(q[0], q[1])), fx_mul(f[0], fx_matmul(f[2], e[1])));
}

static bool algebra(const char *config, fx_error *err) {
    fx_backend *backend = fx_backend_open(config, err);
    fx_exec *exec = backend ? fx_exec_new_fn(backend, factor, 1, 1, NULL, err) : NULL;
    fx_tensor *x = exec ? fx_tensor_from(FX_HOST(((float[]){4, 0, 0, 4}), 2, 2), err) : NULL;
    fx_tensor *y = x ? fx_call1(exec, err, x) : NULL;
    if (y && !(fx_tensor_get(y, 0) == fx_tensor_get(y, 0))) err->code = FX_ERROR_INTERNAL;
    fx_tensor_free(x);
    fx_tensor_free(y);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return y && err->code == FX_OK;
}

/* ---- several results, and a comparator ---- */

static void nearer(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_less(fx_abs(fx_sub(in[0], user)), fx_abs(fx_sub(in[1], user)));
}

static void sort_all(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_node *two[2], *index;
    fx_node *middle = fx_median(in[0], 0), *pair[] = {fx_sort(in[0], 0, false), fx_argsort(in[0], 0, true)};
    fx_sort_func(nearer, middle, 0, (fx_nodes){pair, 2}, two);
    out[0] = fx_add(two[0], fx_convert(two[1], FX_F32));
    out[1] = fx_top_k(out[0], 2, 0, &index);
    out[2] = index;
}

static bool sorting(const char *config, fx_error *err) {
    fx_backend *backend = fx_backend_open(config, err);
    fx_exec *exec = backend ? fx_exec_new_fn(backend, sort_all, 1, 3, NULL, err) : NULL;
    fx_tensor *out[3], *x = exec ? fx_tensor_from(FX_HOST(((float[]){30, 10, 20}), 3), err) : NULL;
    bool ok = x && fx_call(exec, out, 3, err, x);
    if (ok && strcmp(fx_tensor_text(out[2]).s, "[2]int32{1, 0}") != 0) err->code = FX_ERROR_INTERNAL;
    for (int i = 0; ok && i < 3; i++) fx_tensor_free(out[i]);
    fx_tensor_free(x);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return ok && err->code == FX_OK;
}

/* ---- gradients ---- */

static void curve(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_mul(fx_digamma(in[0]), fx_log_add_exp(in[0], in[1]));
    out[1] = fx_abs(fx_complex(in[0], fx_clamp(in[0], in[1], fx_pow(in[0], in[1]))));
}

static bool gradients(const char *config, fx_error *err) {
    fx_backend *backend = fx_backend_open(config, err);
    fx_tensor *in[2] = {fx_tensor_scalar(FX_F64, 1.5, err), fx_tensor_scalar(FX_F64, 0.75, err)};
    fx_check_report report = {.size = sizeof report};
    bool ok = backend && in[0] && in[1] &&
              fx_check_gradient(backend, curve, 2, 2, NULL, in, NULL, &report, err);
    fx_tensor_free(in[0]);
    fx_tensor_free(in[1]);
    fx_backend_close(backend);
    return ok;
}

/* ---- loops: a product of slices, work of every round and a result leave; states lie in the stacks ---- */

static void add_up(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out;
    fx_node *const *seen = user;
    out[0] = fx_add(fx_add(in[0], fx_matmul(in[1], seen[0])), fx_tanh(seen[1]));
    out[1] = out[0];
    out[2] = fx_neg(in[1]);
}

static void add_rounds(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_node *seen[2] = {in[0], in[1]};
    fx_scan(FX_NODES(in[1]), FX_NODES(in[2]), 20, 2, add_up, seen, out);
}

static fx_tensor *filled(const fx_shape *shape, float value, fx_error *err) {
    fx_tensor *t = fx_tensor_new(shape, err);
    for (int64_t i = 0; t && i < fx_tensor_size(t); i++) ((float *)fx_tensor_mutable_data(t))[i] = value;
    return t;
}

static bool loops(const char *config, fx_error *err) {
    fx_backend *backend = fx_backend_open(config, err);
    fx_exec *exec = backend ? fx_exec_new_fn(backend, add_rounds, 3, 3, NULL, err) : NULL;
    fx_tensor *out[3], *w = exec ? filled(&FX_SHAPE(FX_F32, 64, 32), 0.5F, err) : NULL;
    fx_tensor *v = w ? filled(&FX_SHAPE(FX_F32, 2, 32), 0, err) : NULL;
    fx_tensor *x = v ? filled(&FX_SHAPE(FX_F32, 20, 2, 64), 0.25F, err) : NULL;
    bool ok = x && fx_call(exec, out, 3, err, w, v, x);
    if (ok && (fx_tensor_get(out[0], 63) != 160 || fx_tensor_get(out[1], 64) != 16 ||
               fx_tensor_get(out[2], 7) != -0.25))
        err->code = FX_ERROR_INTERNAL;
    for (int i = 0; ok && i < 3; i++) fx_tensor_free(out[i]);
    fx_tensor_free(w);
    fx_tensor_free(v);
    fx_tensor_free(x);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return ok && err->code == FX_OK;
}

/* ---- quantized weights: made on the host, few rows and many, packed and not, derivatives by all ---- */

static void quantized_layers(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                             void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    const fx_quantization blocks = {.scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q4_K};
    const fx_quantization linear = {.scale = in[3], .zero_point = in[4], .block_axis = 1};
    out[0] = fx_nn_quantized_dense(in[0], in[1], &blocks, NULL, FX_ACTIVATION_RELU);
    out[1] = fx_nn_quantized_dense(fx_slice_axis(in[0], 0, 0, 3, 1), in[2], &linear, NULL, FX_ACTIVATION_NONE);
    fx_node *loss = fx_add(fx_reduce_all_sum(out[0]), fx_reduce_all_sum(out[1]));
    fx_gradient(loss, FX_NODES(in[0], in[3], in[4]), out + 2);
}

static bool quantized(const char *config, fx_error *err) {
    const fx_quantize_options options[2] = {{.scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q4_K},
                                            {.dtype = FX_S4, .asymmetric = true, .block_axis = 1}};
    fx_quantized q[2] = {{NULL, NULL, NULL}, {NULL, NULL, NULL}};
    fx_backend *backend = fx_backend_open(config, err);
    fx_exec *exec = backend ? fx_exec_new_fn(backend, quantized_layers, 5, 5, NULL, err) : NULL;
    fx_tensor *out[5], *x = exec ? filled(&FX_SHAPE(FX_F32, 12, 256), 0.5F, err) : NULL;
    fx_tensor *w = x ? filled(&FX_SHAPE(FX_F32, 256, 256), 0.25F, err) : NULL;
    bool ok = w && fx_quantize_tensor(w, &options[0], &q[0], err) && fx_quantize_tensor(w, &options[1], &q[1], err);
    ok = ok && fx_call(exec, out, 5, err, x, q[0].weights, q[1].weights, q[1].scale, q[1].zero_point);
    if (ok && fx_tensor_get(out[1], 7) != 32) err->code = FX_ERROR_INTERNAL;
    for (int i = 0; ok && i < 5; i++) fx_tensor_free(out[i]);
    for (int i = 0; i < 2; i++) fx_quantized_free(&q[i]);
    fx_tensor_free(x);
    fx_tensor_free(w);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return ok && err->code == FX_OK;
}

/* ---- the list ---- */

/* Losses, and a step of every optimizer with all that a parameter can keep. */
static void build_losses(fx_graph *g, fx_node *x, fx_node *classes, fx_node **losses) {
    fx_node *frames = fx_expand_axes(x, FX_AXES(0)), *labels = fx_expand_axes(classes, FX_AXES(0));
    const fx_loss_options options = {.weights = fx_scalar_one(g, FX_F32), .label_smoothing = 0.1};
    losses[0] = fx_loss_huber(x, fx_exp(x), 1, &options);
    losses[1] = fx_loss_binary_cross_entropy(fx_equal(x, x), x, &options);
    losses[2] = fx_loss_sparse_categorical_cross_entropy_logits(classes, x, &options);
    losses[3] = fx_loss_kl_divergence_logits(x, x, &options);
    losses[4] = fx_loss_triplet(classes, x, NULL, NULL);
    losses[5] = fx_loss_ctc(labels, frames, NULL, NULL);
    losses[6] = fx_loss_adaptive_power(x, fx_sin(x), 2, 1, 1, 1, NULL);
}

static bool build_training(const char *backend, fx_error *err) {
    (void)backend;
    enum { LOSSES = 7, KINDS = FX_OPTIMIZER_LAMB + 1, MOST = 8 };
    fx_graph *g = fx_graph_new(err);
    if (!g) return false;
    fx_node *x = fx_parameter(g, &FX_SHAPE(FX_F32, 3, 4)), *p = fx_parameter(g, &FX_SHAPE(FX_BF16, 3, 4));
    fx_node *classes = fx_parameter(g, &FX_SHAPE(FX_S32, 3)), *out[LOSSES + KINDS], *d, *state[MOST];
    build_losses(g, fx_add(x, fx_convert(p, FX_F32)), classes, out);
    fx_gradient(out[2], FX_NODES(p), &d);
    fx_gradients_clip_norm(FX_NODES(d), 1, &d);
    for (int kind = 0; kind < KINDS; kind++) {
        const fx_optimizer o = {
            .kind = (fx_optimizer_kind)kind, .master = true, .accumulate = 2, .min_factored = 2};
        size_t n = fx_optimizer_state_count(&o, fx_node_shape(p), 1, NULL);
        if (!fx_optimizer_init_nodes(&o, FX_NODES(p), state) || n == 0) continue; /* the graph keeps the error */
        fx_node *rate = fx_schedule_cosine(state[0], 1, 10, NULL);
        out[LOSSES + kind] = fx_optimizer_step(&o, FX_NODES(p), FX_NODES(d), (fx_nodes){state, n}, rate,
                                               &out[LOSSES + kind], state);
    }
    bool ok = fx_graph_finish(g, (fx_nodes){out, LOSSES + KINDS}, err);
    fx_graph_free(g);
    const fx_optimizer adam = {.kind = FX_OPTIMIZER_ADAM, .master = true};
    fx_tensor *t = ok ? fx_tensor_scalar(FX_BF16, 1, err) : NULL, *tensors[4] = {NULL};
    ok = t && fx_optimizer_init(&adam, (const fx_tensor *const *)&t, 1, tensors, err);
    for (int i = 0; i < 4; i++) fx_tensor_free(tensors[i]);
    fx_tensor_free(t);
    return ok;
}

typedef struct row {
    scenario run;
    const char *backend;
} row;

static void fails_cleanly(void **state) {
    const row *r = *state;
    fx_error err = {.code = FX_OK};
    if (!r->run(r->backend, &err))
        fail_msg("with all memory: %s", err.message); /* also fills what is filled once */
    fail_everywhere(r->run, r->backend, false);
    fail_everywhere(r->run, r->backend, true);
}

#define CPU "cpu?threads=2"
/* ---- programs as text ---- */

static const char module_text[] =
    "module @m {\n"
    "func.func public @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {\n"
    "  %n = stablehlo.constant dense<2> : tensor<i32>\n"
    "  %z = stablehlo.constant dense<[0.5, 0.25, 0.0]> : tensor<3xf32>\n"
    "  %0 = \"stablehlo.sort\"(%x) <{dimension = 0 : i64}> ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %1 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %1 : tensor<i1>\n"
    "  }) : (tensor<3xf32>) -> tensor<3xf32>\n"
    "  %2:2 = stablehlo.while(%i = %n, %s = %0) : tensor<i32>, tensor<3xf32>\n"
    "   cond {\n"
    "    %c = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %3 = stablehlo.compare GT, %i, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %3 : tensor<i1>\n"
    "  } do {\n"
    "    %c = stablehlo.constant dense<-1> : tensor<i32>\n"
    "    %3 = func.call @plus(%s, %z) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>\n"
    "    %4 = stablehlo.add %i, %c : tensor<i32>\n"
    "    stablehlo.return %4, %3 : tensor<i32>, tensor<3xf32>\n"
    "  }\n"
    "  %5 = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %6 = stablehlo.reduce(%2#1 init: %5) applies stablehlo.add across dimensions = [0] :"
    " (tensor<3xf32>, tensor<f32>) -> tensor<f32>\n"
    "  return %2#1, %6 : tensor<3xf32>, tensor<f32>\n"
    "}\n"
    "func.func private @plus(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {\n"
    "  %0 = stablehlo.add %x, %y : tensor<3xf32>\n"
    "  return %0 : tensor<3xf32>\n"
    "}\n"
    "}\n";

static bool modules(const char *config, fx_error *err) {
    fx_backend *backend = fx_backend_open(config, err);
    fx_module *module = backend ? fx_module_parse(module_text, sizeof module_text - 1, "m.mlir", err) : NULL;
    fx_exec *exec = module ? fx_exec_new_module(backend, module, 0, err) : NULL;
    fx_tensor *out[2], *x = exec ? fx_tensor_from(FX_HOST(((float[]){3, 1, 2}), 3), err) : NULL;
    bool ok = x && fx_call(exec, out, 2, err, x);
    if (ok && strcmp(fx_tensor_text(out[0]).s, "[3]float32{2, 2.5, 3}") != 0) err->code = FX_ERROR_INTERNAL;
    for (int i = 0; ok && i < 2; i++) fx_tensor_free(out[i]);
    fx_tensor_free(x);
    fx_exec_free(exec);
    fx_module_free(module);
    fx_backend_close(backend);
    return ok && err->code == FX_OK;
}

static row rows[] = {
    {build_and_print, NULL},      {build_composites, NULL}, {build_gradients, NULL}, {build_training, NULL}, {build_attention, NULL}, {build_matrix_gradients, NULL},
    {tensors, NULL}, {open_compile_call, "interp"}, {recovers, "interp"},
    {many_and_donated, "interp"}, {fourier, "interp"}, {convolution, "interp"}, {algebra, "interp"},
    {sorting, "interp"}, {modules, "interp"}, {attention, "interp"}, {gradients, "interp"}, {loops, "interp"}, {control_gradients, "interp"},
    {quantized, "interp"},
#if FLUXION_CPU
    {open_compile_call, CPU},     {recovers, CPU}, {many_and_donated, CPU}, {fourier, CPU}, {convolution, CPU},
    {algebra, CPU}, {sorting, CPU}, {modules, CPU}, {attention, CPU}, {gradients, CPU}, {loops, CPU},
    {quantized, CPU},
#endif
};
static const char *const names[] = {
    "build and print",
    "build composites",
    "build gradients",
    "build training",
    "build attention",
    "build gradients of windows and matrices",
    "tensors",
    "open, compile, call (interp)",
    "recover (interp)",
    "many arguments, donated (interp)",
    "Fourier transforms (interp)",
    "convolutions (interp)",
    "linear algebra (interp)",
    "sorting (interp)",
    "modules (interp)",
    "attention (interp)",
    "gradients (interp)",
    "loops (interp)",
    "gradients of control flow (interp)",
    "quantized weights (interp)",
#if FLUXION_CPU
    "open, compile, call (cpu)",
    "recover (cpu)",
    "many arguments, donated (cpu)",
    "Fourier transforms (cpu)",
    "convolutions (cpu)",
    "linear algebra (cpu)",
    "sorting (cpu)",
    "modules (cpu)",
    "attention (cpu)",
    "gradients (cpu)",
    "loops (cpu)",
    "quantized weights (cpu)",
#endif
};

int main(void) {
    if (!allocations_install()) return 1;
    struct CMUnitTest tests[sizeof rows / sizeof rows[0]];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        tests[i] = (struct CMUnitTest){names[i], fails_cleanly, NULL, NULL, &rows[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
