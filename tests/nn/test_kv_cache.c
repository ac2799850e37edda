/* SPDX-License-Identifier: Apache-2.0 */
/* Caches against a simulation that writes row after row; decoding with a cache against attention over the
 * whole sequence; places that were never written hold NaN throughout. */
#include "support/derivatives.h"
#include "support/run_graph.h"
#include <math.h>
#include <string.h>

static const char *const backends[] = {"interp",
#if FLUXION_CPU
                                       "cpu"
#endif
};
enum { BACKENDS = sizeof backends / sizeof *backends };

static void run(const char *backend, fx_fn fn, const void *user, fx_tensor *const *in, size_t n_in,
                fx_tensor **out, size_t n_out) {
    fx_error err = {.code = FX_OK};
    fx_arg args[8];
    fx_backend *b = fx_backend_open(backend, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(b, fn, n_in, n_out, (void *)user, FX_MUST);
    for (size_t i = 0; i < n_in; i++) args[i] = FX_ARG(in[i]);
    if (!fx_exec_call(exec, args, n_in, out, n_out, &err)) fail_msg("%s", err.message);
    fx_exec_free(exec);
    fx_backend_close(b);
}

/* ---- simulation: one head, rows of one element, which is the row's number ---- */

enum { LENGTH = 7, BATCH = 2 };

typedef struct cache_case {
    fx_kv_cache_options o;
    int64_t rows; /* of an update */
    bool shared;  /* one position for all examples */
} cache_case;

/* in: cache, rows, position. out: the cache, the mask */
static void update_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    const cache_case *c = user;
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_nn_kv_cache_update(in[0], in[1], in[2], &c->o);
    out[1] = fx_nn_kv_cache_mask(in[2], c->rows, LENGTH, &c->o);
}

static int64_t place_of(const cache_case *c, int64_t p) {
    int64_t n = LENGTH - c->o.sinks;
    return p < LENGTH ? p : (p - c->o.sinks) % n + c->o.sinks;
}

/* held: the row at each place, -1: none */
static void simulate(const cache_case *c, int64_t position, int64_t *held) {
    for (int64_t i = 0; i < c->rows; i++)
        if (position + i >= 0) held[place_of(c, position + i)] = position + i;
}

static bool is_seen(const cache_case *c, int64_t row, int64_t query) {
    if (row < 0 || row > query) return false;
    return !c->o.window || row > query - c->o.window || row < c->o.sinks;
}

static fx_shape shape_of(const cache_case *c, int64_t length) {
    return c->o.layout == FX_ATTENTION_BHSD ? FX_SHAPE(FX_F32, BATCH, 1, length, 1)
                                            : FX_SHAPE(FX_F32, BATCH, length, 1, 1);
}

static void check_step(const cache_case *c, const char *backend, const int64_t *positions, fx_tensor **cache,
                       int64_t held[BATCH][LENGTH]) {
    const fx_shape rows = shape_of(c, c->rows);
    fx_tensor *in[3] = {*cache, fx_tensor_new(&rows, FX_MUST),
                        c->shared ? fx_tensor_scalar_int(FX_S32, positions[0], FX_MUST)
                                  : fx_tensor_from(FX_HOST(positions, BATCH), FX_MUST)},
              *out[2];
    for (int64_t b = 0; b < BATCH; b++) {
        for (int64_t i = 0; i < c->rows; i++)
            ((float *)fx_tensor_mutable_data(in[1]))[b * c->rows + i] = (float)(positions[b] + i);
        simulate(c, positions[b], held[b]);
    }
    run(backend, update_fn, c, in, 3, out, 2);
    for (int64_t b = 0; b < BATCH; b++)
        for (int64_t s = 0; s < LENGTH; s++) {
            double got = fx_tensor_get(out[0], b * LENGTH + s);
            assert_true(held[b][s] < 0 ? isnan(got) : got == (double)held[b][s]);
            for (int64_t i = 0; i < c->rows; i++) {
                int64_t example = c->shared ? 0 : b;
                bool seen = fx_tensor_get(out[1], (example * c->rows + i) * LENGTH + s) != 0;
                assert_int_equal(seen, is_seen(c, held[b][s], positions[b] + i));
            }
        }
    for (int i = 0; i < 3; i++) fx_tensor_free(in[i]);
    *cache = out[0];
    fx_tensor_free(out[1]);
}

static void check_stream(const cache_case *c, const char *backend) {
    const fx_shape shape = shape_of(c, LENGTH);
    fx_tensor *cache = fx_tensor_new(&shape, FX_MUST);
    int64_t held[BATCH][LENGTH], positions[BATCH] = {0, c->shared ? 0 : -3};
    for (int64_t i = 0; i < BATCH * LENGTH; i++) {
        ((float *)fx_tensor_mutable_data(cache))[i] = (float)NAN;
        held[i / LENGTH][i % LENGTH] = -1;
    }
    for (int step = 0; step < 9; step++) {
        check_step(c, backend, positions, &cache, held);
        for (int b = 0; b < BATCH; b++) positions[b] += c->rows;
    }
    fx_tensor_free(cache);
}

static void test_streams(void **state) {
    static const int64_t sinks[] = {0, 2, 6}, rows[] = {1, 3, 9};
    (void)state;
    for (int i = 0; i < 2 * 3 * 3 * 2 * 2; i++) {
        const cache_case c = {.o = {.layout = i % 2 ? FX_ATTENTION_BSHD : FX_ATTENTION_BHSD,
                                    .sinks = sinks[i / 2 % 3],
                                    .window = i / 18 % 2 ? 3 : 0},
                              .rows = rows[i / 6 % 3],
                              .shared = i / 36};
        for (int b = 0; b < BACKENDS; b++) check_stream(&c, backends[b]);
    }
}

/* ---- decoding ---- */

enum { STEPS = 9, HEADS = 4, GROUPS = 2, DIM = 3 };

/* Caches grow from 2 places, doubling, and hold NaN at first. in: queries, keys, values of the whole
 * sequence. out: attention of all at once, and step by step. */
static void decode_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    fx_node *cache[2], *rows[STEPS];
    int64_t length = 2;
    (void)n_in, (void)n_out, (void)user;
    out[0] = fx_nn_attention(in[0], in[1], in[2], &(fx_attention_options){.causal = true}, NULL, NULL);
    for (int k = 0; k < 2; k++)
        cache[k] = fx_fill_scalar(body, &FX_SHAPE(FX_F64, 2, GROUPS, 2, DIM), (double)NAN);
    for (int t = 0; t < STEPS; t++) {
        fx_node *position = fx_scalar_int(body, FX_S32, t);
        for (; length <= t; length *= 2)
            for (int k = 0; k < 2; k++) cache[k] = fx_nn_kv_cache_grow(cache[k], 2 * length, NULL);
        for (int k = 0; k < 2; k++)
            cache[k] =
                fx_nn_kv_cache_update(cache[k], fx_slice_axis(in[1 + k], 2, t, t + 1, 1), position, NULL);
        const fx_attention_options o = {.mask = fx_nn_kv_cache_mask(position, 1, length, NULL)};
        rows[t] = fx_nn_attention(fx_slice_axis(in[0], 2, t, t + 1, 1), cache[0], cache[1], &o, NULL, NULL);
    }
    out[1] = fx_concatenate((fx_nodes){rows, STEPS}, 2);
}

/* The same as a scan over the steps, with caches of full length; in two heads' groups; with a window. */
static void step_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    const fx_kv_cache_options *c = user;
    (void)body, (void)n_in, (void)n_out;
    for (int k = 0; k < 2; k++) out[k] = fx_nn_kv_cache_update(in[k], in[3 + k + 1], in[2], c);
    out[2] = fx_add_scalar_int(in[2], 1);
    fx_attention_options o = {.mask = fx_nn_kv_cache_mask(in[2], 1, fx_node_dim(in[0], 2), c)};
    out[3] = fx_nn_attention(in[3], out[0], out[1], &o, NULL, NULL);
}

static void scan_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    const fx_kv_cache_options *c = user;
    const fx_attention_options o = {.causal = true, .window = c->window};
    fx_node *states[3], *slices[3], *found[4];
    (void)n_in, (void)n_out;
    out[0] = fx_nn_attention(in[0], in[1], in[2], &o, NULL, NULL);
    int64_t length = c->window ? c->window : STEPS;
    for (int k = 0; k < 2; k++)
        states[k] = fx_fill_scalar(body, &FX_SHAPE(FX_F64, 2, GROUPS, length, DIM), (double)NAN);
    states[2] = fx_scalar_int(body, FX_S32, 0);
    for (int k = 0; k < 3; k++) /* [step, batch, heads, 1, dim] */
        slices[k] = fx_expand_axes(fx_moveaxis(in[k], 2, 0), FX_AXES(3));
    fx_scan((fx_nodes){states, 3}, (fx_nodes){slices, 3}, STEPS, 1, step_fn, (void *)c, found);
    out[1] = fx_moveaxis(fx_squeeze(found[3], FX_AXES(3)), 0, 2);
}

static void check_decoding(fx_fn fn, const void *user) {
    fx_tensor *in[3] = {RANDOM_F64(1, -1, 1, 2, HEADS, STEPS, DIM),
                        RANDOM_F64(2, -1, 1, 2, GROUPS, STEPS, DIM),
                        RANDOM_F64(3, -1, 1, 2, GROUPS, STEPS, DIM)},
              *out[2];
    for (int b = 0; b < BACKENDS; b++) {
        run(backends[b], fn, user, in, 3, out, 2);
        assert_true(fx_shape_equal(fx_tensor_shape(out[0]), fx_tensor_shape(out[1])));
        for (int64_t i = 0; i < fx_tensor_size(out[0]); i++)
            assert_true(fabs(fx_tensor_get(out[0], i) - fx_tensor_get(out[1], i)) <= 1e-13);
        fx_tensor_free(out[0]), fx_tensor_free(out[1]);
    }
    derivative_case d = {.name = "decoding",
                         .fn = fn,
                         .user = (void *)user,
                         .n_in = 3,
                         .n_out = 2,
                         .order = 1,
                         .in = {in[0], in[1], in[2]}};
    check_derivatives(&d);
}

static void test_decoding(void **state) {
    (void)state;
    check_decoding(decode_fn, NULL);
    check_decoding(scan_fn, &(fx_kv_cache_options){0});
    check_decoding(scan_fn, &(fx_kv_cache_options){.window = 4});
}

#if FLUXION_CPU
/* A donated cache is written where it is. */
static void test_in_place(void **state) {
    (void)state;
    for (int rows = 1; rows < 4; rows += 2) {
        const cache_case c = {.rows = rows, .shared = true};
        const fx_shape shape = shape_of(&c, LENGTH), part = shape_of(&c, rows);
        fx_tensor *cache = fx_tensor_new(&shape, FX_MUST), *new_rows = fx_tensor_new(&part, FX_MUST), *out[2];
        const void *memory = fx_tensor_data(cache);
        fx_backend *b = fx_backend_open("cpu", FX_MUST);
        fx_exec *exec = fx_exec_new_fn(b, update_fn, 3, 2, (void *)&c, FX_MUST);
        const fx_arg args[] = {fx_donate(cache), FX_ARG(new_rows), FX_ARG(2)};
        assert_true(fx_exec_call(exec, args, 3, out, 2, FX_MUST));
        assert_ptr_equal(fx_tensor_data(out[0]), memory);
        for (int i = 0; i < 2; i++) fx_tensor_free(out[i]);
        fx_tensor_free(cache), fx_tensor_free(new_rows);
        fx_exec_free(exec);
        fx_backend_close(b);
    }
}
#endif

/* ---- far along, beyond what int32 counts ---- */

static void check_far(int64_t position, const fx_kv_cache_options *o, const char *wanted) {
    fx_graph *g = new_graph();
    assert_value(g, fx_nn_kv_cache_mask(fx_scalar_int(g, FX_S64, position), 2, 5, o), wanted);
}

static void test_far(void **state) {
    (void)state;
    const int64_t far = 5 * (INT64_C(1) << 40); /* the place of a multiple of 5 is 0 */
    check_far(far, NULL,
              "[1][1][2][5]bool{{{{true, false, true, true, true}, {true, true, true, true, true}}}}");
    check_far(far, &(fx_kv_cache_options){.window = 2},
              "[1][1][2][5]bool{{{{true, false, false, false, true}, {true, true, false, false, false}}}}");
    check_far(4 * (INT64_C(1) << 40) + 1,
              &(fx_kv_cache_options){.window = 2, .sinks = 1}, /* and of this one 1 */
              "[1][1][2][5]bool{{{{true, true, false, false, true}, {true, true, true, false, false}}}}");
    check_far(-far, NULL,
              "[1][1][2][5]bool{{{{false, false, false, false, false}, {false, false, false, false, "
              "false}}}}");
}

/* ---- refusals and shapes ---- */

#define P(...) parameter(g, FX_SHAPE(__VA_ARGS__))
#define CACHE P(FX_F32, 2, 3, 8, 4)
#define ROWS P(FX_F32, 2, 3, 1, 4)

static void test_refusals(void **state) {
    (void)state;
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_nn_kv_cache_update: rows (float32)[2, 1, 3, 4] do not go into a cache (float32)[2, 3, 8, 4] "
        "along axis 2",
        fx_nn_kv_cache_update(CACHE, P(FX_F32, 2, 1, 3, 4), P(FX_S32), NULL));
    ASSERT_REFUSED(
        FX_ERROR_ARGUMENT,
        "fx_nn_kv_cache_update: the position is (float32); it must be an integer, or one per example",
        fx_nn_kv_cache_update(CACHE, ROWS, P(FX_F32), NULL));
    ASSERT_REFUSED(
        FX_ERROR_ARGUMENT,
        "fx_nn_kv_cache_update: the position is (int32)[3]; it must be an integer, or one per example",
        fx_nn_kv_cache_update(CACHE, ROWS, P(FX_S32, 3), NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_kv_cache_update: the sinks are negative or fill the cache",
                   fx_nn_kv_cache_update(CACHE, ROWS, P(FX_S32), &(fx_kv_cache_options){.sinks = 8}));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_kv_cache_mask: the window is negative",
                   fx_nn_kv_cache_mask(P(FX_S32), 1, 8, &(fx_kv_cache_options){.window = -1}));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_kv_cache_mask: -1 queries and 8 places; at most 2^29 - 1 are taken",
                   fx_nn_kv_cache_mask(P(FX_S32), -1, 8, NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_nn_kv_cache_grow: (float32)[2, 3, 8, 4] does not grow to length 7 along axis 2",
                   fx_nn_kv_cache_grow(CACHE, 7, NULL));
    fx_graph *g = new_graph();
    const fx_node *mask = fx_nn_kv_cache_mask(P(FX_S64, 5), 0, 8, NULL);
    assert_string_equal(fx_shape_to_text(fx_node_shape(mask)).s, "(bool)[5, 1, 0, 8]");
    fx_node *none = P(FX_F32, 2, 3, 0, 4);
    assert_ptr_equal(fx_nn_kv_cache_update(none, ROWS, P(FX_S32), NULL), none);
    assert_no_error(g);
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_decoding),
#if FLUXION_CPU
        cmocka_unit_test(test_in_place),
#endif
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_refusals)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
