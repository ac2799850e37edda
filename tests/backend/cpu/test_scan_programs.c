/* SPDX-License-Identifier: Apache-2.0 */
/* Scans as programs of the cpu backend: what a round still does, read off the program's text, and values against
 * the interpreter's, the same for every number of threads, without fusion and with dead memory poisoned. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FX_NO_CALL_SITES
#include <fluxion.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define CLOSURE(name)                                                                                        \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)out, (void)n_out, (void)user

enum { MOST = 12 };

typedef struct scan_case {
    fx_fn fn;
    size_t n, n_out;
    fx_shape shapes[MOST];
} scan_case;

/* ---- running ---- */

static fx_tensor *numbers(const fx_shape *shape, size_t seed) {
    fx_tensor *t = fx_tensor_new(shape, FX_MUST);
    float *v = fx_tensor_mutable_data(t);
    for (int64_t i = 0, n = fx_tensor_size(t); i < n; i++)
        v[i] = (float)((i * 37 + (int64_t)seed * 11) % 101 - 50) / 128;
    return t;
}

static void run(const scan_case *c, const char *config, fx_tensor **out) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, c->fn, c->n, c->n_out, NULL, FX_MUST);
    fx_tensor *in[MOST];
    fx_arg args[MOST];
    for (size_t i = 0; i < c->n; i++) {
        in[i] = numbers(&c->shapes[i], i);
        args[i] = FX_ARG(in[i]);
    }
    assert_true(fx_exec_call(exec, args, c->n, out, c->n_out, FX_MUST));
    for (size_t i = 0; i < c->n; i++) fx_tensor_free(in[i]);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* Every operation of these graphs keeps numbers below 4 and has at most some hundred terms in a sum: errors of
 * a few hundred roundings. */
static void assert_close(const fx_tensor *got, const fx_tensor *want, size_t output) {
    const float *x = fx_tensor_data(got), *y = fx_tensor_data(want);
    for (int64_t i = 0, n = fx_tensor_size(want); i < n; i++)
        if (!(fabsf(x[i] - y[i]) <= 1e-4f * (1 + fabsf(y[i]))))
            fail_msg("output %zu, element %lld: %g instead of %g", output, (long long)i, (double)x[i], (double)y[i]);
}

static void check_values(const scan_case *c) {
    static const char *const configs[] = {"cpu?threads=1", "cpu?threads=3", "cpu?debug=poison", "cpu?debug=ranges"};
    fx_tensor *want[MOST], *first[MOST], *got[MOST];
    run(c, "interp", want);
    run(c, "cpu?threads=2", first);
    for (size_t i = 0; i < c->n_out; i++) assert_close(first[i], want[i], i);
    for (size_t k = 0; k < COUNT_OF(configs); k++) {
        run(c, configs[k], got);
        for (size_t i = 0; i < c->n_out; i++) {
            if (!fx_tensor_equal(got[i], first[i])) fail_msg("output %zu differs with %s", i, configs[k]);
            fx_tensor_free(got[i]);
        }
    }
    run(c, "cpu?fusion=off", got);
    for (size_t i = 0; i < c->n_out; i++) {
        assert_close(got[i], want[i], i);
        fx_tensor_free(got[i]);
        fx_tensor_free(want[i]);
        fx_tensor_free(first[i]);
    }
}

static char *text_of(const scan_case *c) {
    enum { SIZE = 1 << 16 };
    fx_backend *backend = fx_backend_open("cpu", FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, c->fn, c->n, c->n_out, NULL, FX_MUST);
    fx_program *program = fx_exec_program(exec, c->shapes, c->n, FX_MUST);
    char *text = malloc(SIZE);
    assert_non_null(text);
    assert_true(fx_program_text(program, text, SIZE) < SIZE);
    fx_program_free(program);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return text;
}

/* Steps of that kind outside of loops and in them. */
static void assert_steps(const scan_case *c, const char *kind, int outside, int inside) {
    char *text = text_of(c), *rest = text;
    int seen[2] = {0, 0};
    for (char *line = text; line && *line; line = rest) {
        rest = strchr(line, '\n');
        if (rest) *rest++ = 0;
        size_t indent = strspn(line, " ");
        const char *word = strchr(line + indent, ' ');
        if (word && strncmp(word + 1, kind, strlen(kind)) == 0) seen[indent > 3]++;
    }
    free(text);
    if (seen[0] != outside || seen[1] != inside)
        fail_msg("%s: %d outside and %d inside instead of %d and %d", kind, seen[0], seen[1], outside, inside);
}

static void assert_line(const scan_case *c, const char *part) {
    char *text = text_of(c);
    if (!strstr(text, part)) fail_msg("no \"%s\" in\n%s", part, text);
    free(text);
}

/* ---- states that are stacked, or given twice ---- */

CLOSURE(step) {
    UNUSED;
    fx_node **w = user;
    out[0] = fx_tanh(fx_add(fx_matmul(in[1], w[0]), fx_matmul(in[0], w[1])));
    for (size_t i = 1; i < n_out; i++) out[i] = out[0];
}
CLOSURE(stacked) {
    UNUSED;
    fx_node *w[2] = {in[0], in[1]};
    fx_scan(FX_NODES(in[2]), FX_NODES(in[3]), 7, n_out - 1, step, w, out);
}
CLOSURE(stacked_reverse) {
    UNUSED;
    fx_node *w[2] = {in[0], in[1]};
    fx_scan_reverse(FX_NODES(in[2]), FX_NODES(in[3]), 7, n_out - 1, step, w, out);
}
CLOSURE(stacked_never) {
    UNUSED;
    fx_node *w[2] = {in[0], in[1]};
    fx_scan(FX_NODES(in[2]), FX_NODES(in[3]), 0, n_out - 1, step, w, out);
}

#define RNN(fn, n_out, rounds, rows, from, to)                                                               \
    {fn, 4, n_out, {FX_SHAPE(FX_F32, from, to), FX_SHAPE(FX_F32, to, to), FX_SHAPE(FX_F32, rows, to),        \
                    FX_SHAPE(FX_F32, rounds, rows, from)}}

static void state_and_stack_are_one(void **state) {
    (void)state;
    const scan_case cases[] = {RNN(stacked, 2, 7, 5, 40, 33), RNN(stacked_reverse, 2, 7, 5, 40, 33),
                               RNN(stacked, 2, 7, 20, 24, 24), RNN(stacked_never, 2, 0, 5, 40, 33)};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_steps(&cases[i], "copy", 0, 0);
        check_values(&cases[i]);
    }
    const scan_case twice = RNN(stacked, 3, 7, 5, 40, 33); /* two stacks are two */
    assert_steps(&twice, "copy", 0, 1);
    check_values(&twice);
}

CLOSURE(twin_step) {
    UNUSED;
    fx_node *sum = fx_add(in[0], fx_matmul(in[1], user));
    out[0] = out[1] = fx_sin(sum);
    out[2] = in[0]; /* handed from state to state: a copy */
    out[3] = out[0];
    out[4] = in[2]; /* the state as it was */
}
CLOSURE(twins) {
    UNUSED;
    fx_scan(FX_NODES(in[0], in[1], in[1]), FX_NODES(), 5, 2, twin_step, in[2], out);
}

static void states_that_are_equal(void **state) {
    (void)state;
    const scan_case c = {twins, 3, 5, {FX_SHAPE(FX_F32, 9, 9), FX_SHAPE(FX_F32, 9, 9), FX_SHAPE(FX_F32, 9, 9)}};
    assert_steps(&c, "copy", 0, 2);
    check_values(&c);
}

/* States stacked as a round finds them; one of them as it leaves them too. */
CLOSURE(found_step) {
    UNUSED;
    out[0] = fx_sin(fx_add(fx_matmul(in[0], user), in[2]));
    out[1] = fx_sub(in[0], in[1]);
    out[2] = in[0];
    out[3] = in[1];
    out[4] = out[1];
}
CLOSURE(found) {
    UNUSED;
    fx_scan(FX_NODES(in[0], in[1]), FX_NODES(in[3]), fx_node_shape(in[3])->dims[0], n_out - 2, found_step, in[2], out);
}
CLOSURE(found_reverse) {
    UNUSED;
    fx_scan_reverse(FX_NODES(in[0], in[1]), FX_NODES(in[3]), fx_node_shape(in[3])->dims[0], n_out - 2, found_step, in[2],
                    out);
}

static void states_as_they_are_found(void **state) {
    (void)state;
    static const int64_t rounds[] = {0, 1, 2, 6};
    const fx_shape square = FX_SHAPE(FX_F32, 9, 9);
    for (size_t i = 0; i < COUNT_OF(rounds); i++)
        for (int reverse = 0; reverse < 2; reverse++) {
            const scan_case c = {reverse ? found_reverse : found, 4, 5,
                                 {square, square, square, FX_SHAPE(FX_F32, rounds[i], 9, 9)}};
            assert_steps(&c, "copy", 0, 1); /* of state 1, which has its row as it leaves a round */
            check_values(&c);
        }
}

/* A while: states only. */
CLOSURE(while_condition) { UNUSED; out[0] = fx_less(in[2], fx_scalar(g, FX_F32, 5)); }
CLOSURE(while_body) {
    UNUSED;
    out[0] = out[1] = fx_cos(fx_add(fx_matmul(in[0], user), in[1]));
    out[2] = fx_add_scalar(in[2], 1);
}
CLOSURE(while_twins) {
    UNUSED;
    fx_while(FX_NODES(in[0], in[1], in[2]), while_condition, while_body, in[3], out);
}

static void equal_states_of_a_while(void **state) {
    (void)state;
    const fx_shape square = FX_SHAPE(FX_F32, 9, 9);
    const scan_case c = {while_twins, 4, 3, {square, square, FX_SHAPE(FX_F32), square}};
    assert_steps(&c, "copy", 0, 0);
    check_values(&c);
}

/* ---- products before the loop ---- */

CLOSURE(adjoint_step) {
    UNUSED;
    out[0] = fx_sin(fx_matmul(in[0], fx_transpose(user, 0, 1)));
}
CLOSURE(adjoint) { UNUSED; out[0] = fx_scan(FX_NODES(in[0]), FX_NODES(), 5, 0, adjoint_step, in[1], NULL); }

static void weights_are_not_packed_in_rounds(void **state) {
    (void)state;
    const scan_case c = {adjoint, 2, 1, {FX_SHAPE(FX_F32, 12, 70), FX_SHAPE(FX_F32, 70, 70)}};
    assert_line(&c, "gemm float32 m=12 n=70 k=70 unpacked");
    assert_line(&c, "+ epilogue { sin }");
    assert_steps(&c, "kernel", 1, 0);
    check_values(&c);
}

static void product_of_all_slices(void **state) {
    (void)state;
    const scan_case c = RNN(stacked, 2, 7, 5, 40, 33);
    assert_steps(&c, "gemm", 1, 1);
    assert_line(&c, "gemm float32 m=35 n=33 k=40");
    const scan_case full = RNN(stacked, 2, 7, 20, 24, 24);
    assert_steps(&full, "gemm", 0, 2);
}

/* The gates of an LSTM: kernels of a body are cut into as many tasks as two or four threads share evenly. */
CLOSURE(lstm_step) {
    UNUSED;
    fx_node **w = user, *gates[4];
    fx_split(fx_add(fx_matmul(in[2], w[0]), fx_matmul(in[0], w[1])), -1, 4, gates);
    out[1] = fx_add(fx_mul(fx_logistic(gates[1]), in[1]), fx_mul(fx_logistic(gates[0]), fx_tanh(gates[2])));
    out[0] = fx_mul(fx_logistic(gates[3]), fx_tanh(out[1]));
    out[2] = out[0];
}
CLOSURE(lstm) {
    UNUSED;
    fx_node *w[2] = {in[0], in[1]};
    fx_scan(FX_NODES(in[2], in[2]), FX_NODES(in[3]), 5, 1, lstm_step, w, out);
}

static void tasks_are_shared_evenly(void **state) {
    (void)state;
    const scan_case c = {lstm, 4, 3, {FX_SHAPE(FX_F32, 64, 256), FX_SHAPE(FX_F32, 64, 256), FX_SHAPE(FX_F32, 32, 64),
                                      FX_SHAPE(FX_F32, 5, 32, 64)}};
    assert_line(&c, "tasks=4");
    assert_line(&c, "tasks=2");
    assert_steps(&c, "copy", 0, 0);
    check_values(&c);
}

/* ---- a recurrent layer and its gradient, as reverse mode makes it ---- */

/* h = tanh(x w + h u); stacked as they leave and as they enter. */
CLOSURE(layer_step) {
    UNUSED;
    step(g, in, n_in, out, 1, user);
    out[1] = out[0];
    out[2] = in[0];
}
/* d = (dh + dy) (1 - h^2), stacked; dh = d u^T */
CLOSURE(layer_back) {
    UNUSED;
    fx_node *slope = fx_sub(fx_scalar(g, FX_F32, 1), fx_square(in[1]));
    out[1] = fx_mul(fx_add(in[0], in[2]), slope);
    out[0] = fx_matmul(out[1], fx_transpose(user, 0, 1));
}
/* in: w, u, h, xs, dys. The weights' gradients are one product each, over rounds and rows. */
CLOSURE(layer_and_gradient) {
    UNUSED;
    fx_node *w[2] = {in[0], in[1]}, *forward[3], *back[2];
    fx_scan(FX_NODES(in[2]), FX_NODES(in[3]), 6, 2, layer_step, w, forward);
    fx_node *zero = fx_zeros(g, fx_node_shape(in[2]));
    fx_scan_reverse(FX_NODES(zero), FX_NODES(forward[1], in[4]), 6, 1, layer_back, in[1], back);
    const fx_axes outer = FX_AXES(0, 1), none = FX_AXES();
    out[0] = fx_dot_general(in[3], outer, none, back[1], outer, none);
    out[1] = fx_dot_general(forward[2], outer, none, back[1], outer, none);
    out[2] = fx_matmul(back[1], fx_transpose(in[0], 0, 1));
    out[3] = back[0];
    out[4] = forward[1];
}
/* The same with sums of products carried, and the gradient of each slice in its round. */
CLOSURE(layer_back_carried) {
    UNUSED;
    fx_node **w = user, *result[2];
    layer_back(g, (fx_node *const[]){in[0], in[3], in[4]}, 3, result, 2, w[1]);
    out[0] = result[0];
    out[1] = fx_add(in[1], fx_matmul(fx_transpose(in[5], 0, 1), result[1]));
    out[2] = fx_add(in[2], fx_matmul(fx_transpose(in[6], 0, 1), result[1]));
    out[3] = fx_matmul(result[1], fx_transpose(w[0], 0, 1));
}
CLOSURE(layer_and_carried_gradient) {
    UNUSED;
    fx_node *w[2] = {in[0], in[1]}, *forward[3], *back[4];
    fx_scan(FX_NODES(in[2]), FX_NODES(in[3]), 6, 2, layer_step, w, forward);
    fx_node *zeros[3];
    for (int i = 0; i < 3; i++) zeros[i] = fx_zeros(g, fx_node_shape(in[i == 0 ? 2 : i - 1]));
    fx_scan_reverse((fx_nodes){zeros, 3}, FX_NODES(forward[1], in[4], in[3], forward[2]), 6, 1, layer_back_carried, w,
                    back);
    out[0] = back[1];
    out[1] = back[2];
    out[2] = back[3];
    out[3] = back[0];
    out[4] = forward[1];
}

static void forward_and_back(void **state) {
    (void)state;
    const scan_case stacked_sums = {layer_and_gradient, 5, 5,
                                    {FX_SHAPE(FX_F32, 40, 24), FX_SHAPE(FX_F32, 24, 24), FX_SHAPE(FX_F32, 5, 24),
                                     FX_SHAPE(FX_F32, 6, 5, 40), FX_SHAPE(FX_F32, 6, 5, 24)}};
    assert_steps(&stacked_sums, "gemm", 4, 2);
    assert_line(&stacked_sums, "gemm float32 m=40 n=24 k=30"); /* stacks are read where they lie: no copies */
    assert_line(&stacked_sums, "gemm float32 m=24 n=24 k=30");
    assert_steps(&stacked_sums, "copy", 0, 1); /* of the state that is stacked as found and as left */
    assert_steps(&stacked_sums, "kernel", 1, 1);
    check_values(&stacked_sums);
    scan_case carried = stacked_sums;
    carried.fn = layer_and_carried_gradient;
    assert_steps(&carried, "gemm", 1, 5);
    assert_steps(&carried, "kernel", 3, 1);
    check_values(&carried);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_and_stack_are_one),
        cmocka_unit_test(states_that_are_equal),
        cmocka_unit_test(states_as_they_are_found),
        cmocka_unit_test(equal_states_of_a_while),
        cmocka_unit_test(product_of_all_slices),
        cmocka_unit_test(weights_are_not_packed_in_rounds),
        cmocka_unit_test(tasks_are_shared_evenly),
        cmocka_unit_test(forward_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
