/* SPDX-License-Identifier: Apache-2.0 */
/* Attention with its projections against the same written with plain builders, for each option; its
 * derivatives; decoding with caches against the whole sequence; what it refuses. */
#include "support/derivatives.h"
#include "support/graph_helpers.h"
#include <math.h>

static const char *const backends[] = {"interp",
#if FLUXION_CPU
                                       "cpu"
#endif
};
enum {
    BACKENDS = sizeof backends / sizeof *backends,
    BATCH = 2,
    LENGTH = 6,
    IN = 5,
    HEADS = 4,
    GROUPS = 2,
    DIM = 4,
    OUT = 3
};

/* in: x [2, 6, 5], other [2, 6, 5], then weights of queries, keys, values and output with their biases, as
 * [in, heads, dim], and the scales of the norms. */
enum { X, OTHER, WQ, BQ, WK, BK, WV, BV, WO, BO, NQ, NK, INPUTS };

static void make_inputs(fx_tensor **in) {
    in[X] = RANDOM_F64(1, -1, 1, BATCH, LENGTH, IN);
    in[OTHER] = RANDOM_F64(2, -1, 1, BATCH, LENGTH, IN);
    in[WQ] = RANDOM_F64(3, -1, 1, IN, HEADS, DIM);
    in[BQ] = RANDOM_F64(4, -1, 1, HEADS, DIM);
    in[WK] = RANDOM_F64(5, -1, 1, IN, GROUPS, DIM);
    in[BK] = RANDOM_F64(6, -1, 1, GROUPS, DIM);
    in[WV] = RANDOM_F64(7, -1, 1, IN, GROUPS, DIM);
    in[BV] = RANDOM_F64(8, -1, 1, GROUPS, DIM);
    in[WO] = RANDOM_F64(9, -1, 1, HEADS * DIM, OUT);
    in[BO] = RANDOM_F64(10, -1, 1, OUT);
    in[NQ] = RANDOM_F64(11, -1, 1, DIM);
    in[NK] = RANDOM_F64(12, -1, 1, DIM);
}

static fx_multi_head_options all_weights(fx_node *const *in) {
    return (fx_multi_head_options){.heads = HEADS,
                                   .key_heads = GROUPS,
                                   .query = {in[WQ], in[BQ]},
                                   .key = {in[WK], in[BK]},
                                   .value = {in[WV], in[BV]},
                                   .output = {in[WO], in[BO]}};
}

static fx_node *linear(fx_node *x, fx_node *weight, fx_node *bias) {
    fx_node *y = fx_einsum("bsi,ihd->bshd", FX_NODES(x, weight));
    return fx_add(y, fx_insert_axes(bias, FX_AXES(0, 0)));
}

static fx_node *project_out(fx_node *y, fx_node *const *in) {
    y = fx_matmul(fx_reshape(y, FX_DIMS(BATCH, LENGTH, HEADS * DIM)), in[WO]);
    return fx_add(y, fx_insert_axes(in[BO], FX_AXES(0, 0)));
}

static fx_node *flat(fx_node *x) {
    return fx_reshape(x, FX_DIMS(IN, -1));
}

/* Both ways of one option; user: its number. */
static void compare_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    const int which = *(const int *)user;
    fx_multi_head_options o = all_weights(in);
    fx_attention_options a = {.layout = FX_ATTENTION_BSHD};
    fx_node *x = in[X], *key = NULL, *value = NULL, *y = in[OTHER];
    fx_node *q = linear(x, in[WQ], in[BQ]), *k = linear(x, in[WK], in[BK]), *v = linear(x, in[WV], in[BV]);
    const fx_rope_options rope = {.count = 2};
    fx_node *positions = fx_nn_sequential_positions(body, NULL, LENGTH);
    fx_node *there =
        fx_less(fx_iota(body, &FX_SHAPE(FX_S32, BATCH, LENGTH), 1), fx_scalar_int(body, FX_S32, 4));
    fx_node *added = fx_slice_axis(fx_transpose(y, 1, 2), 1, 0, 1, 1); /* [2, 1, 6] */
    (void)n_in, (void)n_out;
    switch (which) {
    case 0: break;
    case 1: /* keys and values of another sequence, values of a third */
        key = y;
        value = fx_reverse(y, FX_AXES(1));
        k = linear(key, in[WK], in[BK]), v = linear(value, in[WV], in[BV]);
        break;
    case 2: /* transposed weights */
        o.weights = FX_DENSE_OUTPUTS_INPUT;
        o.query.weight = fx_moveaxis(in[WQ], 0, -1), o.key.weight = fx_moveaxis(in[WK], 0, -1);
        o.value.weight = fx_moveaxis(in[WV], 0, -1), o.output.weight = fx_transpose(in[WO], 0, 1);
        break;
    case 3: /* one weight */
        o.query_key_value = fx_concatenate(FX_NODES(flat(in[WQ]), flat(in[WK]), flat(in[WV])), 1);
        o.query = (fx_projection){NULL, fx_reshape(in[BQ], FX_DIMS(-1))};
        o.key = (fx_projection){NULL, fx_reshape(in[BK], FX_DIMS(-1))};
        o.value = (fx_projection){NULL, fx_reshape(in[BV], FX_DIMS(-1))};
        break;
    case 4: /* projected already, matrices as weights of the rest */
        x = fx_reshape(q, FX_DIMS(BATCH, LENGTH, HEADS * DIM));
        key = in[X], value = in[X];
        o.query = (fx_projection){NULL, NULL};
        o.key = (fx_projection){flat(in[WK]), fx_reshape(in[BK], FX_DIMS(-1))};
        break;
    case 5: /* norms */
        o.query_key_norm = true, o.norm_epsilon = 1e-3, o.norm_offset = true;
        o.query_norm = in[NQ], o.key_norm = in[NK];
        q = fx_nn_rms_norm(q, FX_AXES(-1), 1e-3, fx_add_scalar(in[NQ], 1));
        k = fx_nn_rms_norm(k, FX_AXES(-1), 1e-3, fx_add_scalar(in[NK], 1));
        break;
    case 6: /* rotations, window, soft cap, scale */
        o.rope = &rope;
        q = fx_nn_rope(q, positions, 1, &rope), k = fx_nn_rope(k, positions, 1, &rope);
        o.attention = (fx_attention_options){.causal = true, .window = 3, .softcap = 2, .scale = 0.4};
        a.causal = true, a.window = 3, a.softcap = 2, a.scale = 0.4;
        break;
    case 7: /* masks of queries and keys, a mask of floats and a bias */
        o.key_mask = there, o.query_mask = fx_not(fx_reverse(there, FX_AXES(1)));
        o.attention.mask = added, o.attention.bias = fx_squeeze(fx_slice_axis(added, 0, 0, 1, 1), FX_AXES(0));
        a.bias = fx_add(fx_insert_axes(added, FX_AXES(1)), fx_insert_axes(o.attention.bias, FX_AXES(0, 0)));
        a.mask = fx_and(fx_insert_axes(there, FX_AXES(1, 1)), fx_insert_axes(o.query_mask, FX_AXES(1, -1)));
        break;
    case 8: /* a bool mask and lengths; several inner axes */
        x = fx_reshape(x, FX_DIMS(BATCH, 2, LENGTH / 2, IN));
        o.key_mask = fx_reshape(there, FX_DIMS(BATCH, 2, LENGTH / 2));
        o.attention.mask = fx_lower_triangular(body, LENGTH);
        o.attention.key_lengths = a.key_lengths = fx_scalar_int(body, FX_S32, 3);
        a.causal = true, a.has_causal_offset = true;
        break;
    default: /* positions of examples */
        o.rope = &rope;
        o.query_positions =
            fx_nn_sequential_positions(body, fx_iota_full(body, &FX_SHAPE(FX_S32, BATCH)), LENGTH);
        o.key_positions = fx_add_scalar_int(o.query_positions, 3);
        q = fx_nn_rope(q, o.query_positions, 1, &rope), k = fx_nn_rope(k, o.key_positions, 1, &rope);
        break;
    }
    out[0] = fx_nn_multi_head_attention(x, key, value, &o, NULL);
    out[1] = project_out(fx_nn_attention(q, k, v, &a, NULL, NULL), in);
    if (which == 8) out[1] = fx_reshape(out[1], FX_DIMS(BATCH, 2, LENGTH / 2, OUT));
}

static void run(const char *backend, fx_fn fn, void *user, fx_tensor *const *in, fx_tensor **out,
                size_t n_out) {
    fx_error err = {.code = FX_OK};
    fx_arg args[INPUTS];
    fx_backend *b = fx_backend_open(backend, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(b, fn, INPUTS, n_out, user, FX_MUST);
    for (size_t i = 0; i < INPUTS; i++) args[i] = FX_ARG(in[i]);
    if (!fx_exec_call(exec, args, INPUTS, out, n_out, &err)) fail_msg("%s", err.message);
    fx_exec_free(exec);
    fx_backend_close(b);
}

static void assert_near(int which, fx_tensor *x, fx_tensor *y) {
    assert_true(fx_shape_equal(fx_tensor_shape(x), fx_tensor_shape(y)));
    for (int64_t i = 0; i < fx_tensor_size(x); i++)
        if (!(fabs(fx_tensor_get(x, i) - fx_tensor_get(y, i)) <= 1e-12))
            fail_msg("option %d at %d: %.17g and %.17g", which, (int)i, fx_tensor_get(x, i),
                     fx_tensor_get(y, i));
}

static void test_options(void **state) {
    (void)state;
    fx_tensor *in[INPUTS], *out[2];
    make_inputs(in);
    for (int b = 0; b < BACKENDS; b++)
        for (int which = 0; which < 10; which++) {
            run(backends[b], compare_fn, &which, in, out, 2);
            assert_near(which, out[0], out[1]);
            fx_tensor_free(out[0]), fx_tensor_free(out[1]);
        }
    for (int i = 0; i < INPUTS; i++) fx_tensor_free(in[i]);
}

static void first_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    fx_node *both[2];
    compare_fn(body, in, n_in, both, 2, user);
    (void)n_out;
    out[0] = both[0];
}

static void test_derivatives(void **state) {
    (void)state;
    for (int which = 0; which < 10; which++) {
        derivative_case d = {
            .name = "multi head", .fn = first_fn, .user = &which, .n_in = INPUTS, .n_out = 1};
        d.order = which == 0 || which == 5 ? 2 : 1;
        make_inputs(d.in);
        check_derivatives(&d);
    }
}

/* ---- caches: prefill of two rows, then one by one; user: the cache's options ---- */

static void cache_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    const fx_kv_cache_options *cache = user;
    const fx_rope_options rope = {.interleaved = true};
    fx_multi_head_options o = all_weights(in);
    fx_multi_head_results r;
    fx_node *rows[LENGTH];
    size_t n = 0;
    bool heads_first = cache->layout == FX_ATTENTION_BHSD;
    fx_shape shape = heads_first ? FX_SHAPE(FX_F64, BATCH, GROUPS, LENGTH + 2, DIM)
                                 : FX_SHAPE(FX_F64, BATCH, LENGTH + 2, GROUPS, DIM);
    (void)n_in, (void)n_out;
    o.rope = &rope;
    o.attention = (fx_attention_options){.causal = true, .window = cache->window};
    out[0] = fx_nn_multi_head_attention(in[X], NULL, NULL, &o, NULL);
    o.cache = cache;
    o.key_cache = o.value_cache = fx_fill_scalar(body, &shape, (double)NAN);
    for (int64_t t = 0; t < LENGTH; t = t ? t + 1 : 2) {
        o.cache_position = fx_scalar_int(body, FX_S32, t);
        rows[n++] =
            fx_nn_multi_head_attention(fx_slice_axis(in[X], 1, t, t ? t + 1 : 2, 1), NULL, NULL, &o, &r);
        o.key_cache = r.key_cache, o.value_cache = r.value_cache;
    }
    out[1] = fx_concatenate((fx_nodes){rows, n}, 1);
}

static void test_caches(void **state) {
    (void)state;
    fx_tensor *in[INPUTS], *out[2];
    make_inputs(in);
    for (int i = 0; i < 4 * BACKENDS; i++) {
        fx_kv_cache_options o = {.layout = i % 2 ? FX_ATTENTION_BSHD : FX_ATTENTION_BHSD,
                                 .window = i / 2 % 2 ? 2 : 0};
        run(backends[i / 4], cache_fn, &o, in, out, 2);
        assert_near(i, out[0], out[1]);
        fx_tensor_free(out[0]), fx_tensor_free(out[1]);
    }
    for (int i = 0; i < INPUTS; i++) fx_tensor_free(in[i]);
}

/* ---- coefficients, dropout ---- */

static void wants_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    fx_multi_head_options o = all_weights(in);
    fx_multi_head_results r;
    (void)n_in, (void)n_out, (void)user;
    o.want_coefficients = true;
    o.attention.random_state = fx_random_state(body, 3);
    fx_nn_multi_head_attention(in[X], NULL, NULL, &o, &r);
    out[0] = fx_reduce_sum(r.coefficients, FX_AXES(-1));
    out[1] = fx_ones(body, &FX_SHAPE(FX_F64, BATCH, HEADS, LENGTH));
    o.attention.dropout_rate = 1;
    out[2] = fx_nn_multi_head_attention(in[X], NULL, NULL, &o, &r);
    out[3] = fx_broadcast_in_dim(in[BO], FX_DIMS(BATCH, LENGTH, OUT), FX_AXES(2));
    o.attention.dropout_rate = 0.5;
    fx_nn_multi_head_attention(in[X], NULL, NULL, &o, &r);
    out[4] = fx_convert(fx_equal(r.new_state, o.attention.random_state), FX_F64);
    out[5] = fx_constant_host(body, FX_HOST(((const double[]){1, 0, 1}), 3));
}

static void test_results(void **state) {
    (void)state;
    fx_tensor *in[INPUTS], *out[6];
    make_inputs(in);
    for (int b = 0; b < BACKENDS; b++) {
        run(backends[b], wants_fn, NULL, in, out, 6);
        for (int i = 0; i < 6; i += 2) assert_near(i, out[i], out[i + 1]);
        for (int i = 0; i < 6; i++) fx_tensor_free(out[i]);
    }
    for (int i = 0; i < INPUTS; i++) fx_tensor_free(in[i]);
}

/* ---- refusals ---- */

#define P(...) parameter(g, FX_SHAPE(__VA_ARGS__))
#define REFUSED(code, message, ...)                                                                          \
    ASSERT_REFUSED(code, "fx_nn_multi_head_attention: " message,                                             \
                   fx_nn_multi_head_attention(P(FX_F32, 2, 6, 8), NULL, NULL,                                \
                                              &(fx_multi_head_options){__VA_ARGS__}, NULL))

static void test_refusals(void **state) {
    (void)state;
    REFUSED(FX_ERROR_ARGUMENT, "the heads must be at least 1 and a multiple of the key heads", .heads = 0);
    REFUSED(FX_ERROR_ARGUMENT, "the heads must be at least 1 and a multiple of the key heads", .heads = 4,
            .key_heads = 3);
    REFUSED(FX_ERROR_SHAPE, "the query's 8 elements do not split into 3 heads", .heads = 3);
    REFUSED(FX_ERROR_SHAPE, "the weight (float32)[7, 8] of the key does not take 8 inputs", .heads = 2,
            .key.weight = P(FX_F32, 7, 8));
    REFUSED(FX_ERROR_SHAPE, "the bias is [6]; it must be [8]", .heads = 2,
            .value = {P(FX_F32, 8, 8), P(FX_F32, 6)});
    REFUSED(FX_ERROR_ARGUMENT, "a bias without a weight", .heads = 2, .query.bias = P(FX_F32, 8));
    REFUSED(FX_ERROR_SHAPE, "the weight (float32)[9, 8] of the output does not take 8 inputs", .heads = 2,
            .output.weight = P(FX_F32, 9, 8));
    REFUSED(FX_ERROR_ARGUMENT,
            "query_key_value is for attention to the query itself, without the weights that it stands for",
            .heads = 2, .query_key_value = P(FX_F32, 8, 24), .query.weight = P(FX_F32, 8, 8));
    REFUSED(FX_ERROR_SHAPE, "the query_key_value's 25 elements do not split into 6 heads", .heads = 2,
            .query_key_value = P(FX_F32, 8, 25));
    REFUSED(FX_ERROR_SHAPE, "the key mask (bool)[2, 5] does not go with (float32)[2, 6, 8]", .heads = 2,
            .key_mask = P(FX_BOOL, 2, 5));
    REFUSED(FX_ERROR_SHAPE,
            "the mask (bool)[5, 6] does not go with scores [batch 2, heads 2, queries 6, keys 6]", .heads = 2,
            .attention.mask = P(FX_BOOL, 5, 6));
    REFUSED(FX_ERROR_ARGUMENT, "caches come as two, with a position", .heads = 2,
            .key_cache = P(FX_F32, 2, 2, 9, 4));
    REFUSED(FX_ERROR_SHAPE, "the cache (float32)[2, 3, 9, 4] does not hold 2 heads of 4 elements", .heads = 2,
            .key_cache = P(FX_F32, 2, 2, 9, 4), .value_cache = P(FX_F32, 2, 3, 9, 4),
            .cache_position = P(FX_S32));
    REFUSED(FX_ERROR_ARGUMENT, "the softcap is negative or not finite", .heads = 2, .attention.softcap = -1);
    REFUSED(FX_ERROR_SHAPE, "the norm is [3]; it must be [4]", .heads = 2, .query_norm = P(FX_F32, 3));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_nn_multi_head_attention: the key is (float32)[3, 6, 8]; it must be [batch 2, inner..., dim]",
        fx_nn_multi_head_attention(P(FX_F32, 2, 6, 8), P(FX_F32, 3, 6, 8), NULL,
                                   &(fx_multi_head_options){.heads = 2}, NULL));
    assert_null(fx_nn_multi_head_attention(NULL, NULL, NULL, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_options), cmocka_unit_test(test_derivatives),
                                       cmocka_unit_test(test_caches), cmocka_unit_test(test_results),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
