/* SPDX-License-Identifier: Apache-2.0 */
/* Composites with names: which backend runs them fused, which kernels of a program hold them, and that
 * batches, loops, checkpoints and second derivatives of them are those of their formulas. */
#include "exec/both.h"
#include <math.h>

static const char *const names[] = {"fx.dense",      "fx.qkv_projection", "fx.softmax",
                                    "fx.layer_norm", "fx.rms_norm",       "fx.gelu"};

static void test_supports(void **state) {
    (void)state;
    fx_backend *interp = fx_backend_open("interp", FX_MUST);
    for (size_t i = 0; i < COUNT_OF(names); i++) assert_false(fx_backend_supports(interp, names[i]));
    fx_backend_close(interp);
#if FLUXION_CPU
    fx_backend *cpu = fx_backend_open("cpu", FX_MUST), *plain = fx_backend_open("cpu?fusion=off", FX_MUST);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_true(fx_backend_supports(cpu, names[i]));
        assert_false(fx_backend_supports(plain, names[i]));
    }
    fx_backend_close(cpu);
    fx_backend_close(plain);
#endif
}

/* ---- graph functions ---- */

static fx_node *softmax_of(fx_node *x) { return fx_softmax(x, FX_AXES(-1)); }
static fx_node *layer_of(fx_node *x) { return fx_nn_layer_norm(x, FX_AXES(-1), 1e-5, NULL, NULL, NULL); }
static fx_node *gelu_of(fx_node *x) { return fx_gelu(x); }

#if FLUXION_CPU
/* ---- the program's text ---- */

static fx_node *masked_of(fx_node *x) {
    return fx_masked_softmax(x, fx_greater(x, fx_zeros_like(x)), FX_AXES(-1));
}
static fx_node *rms_of(fx_node *x) { return fx_nn_rms_norm(x, FX_AXES(-1), 1e-5, NULL); }
static fx_node *tanh_gelu_of(fx_node *x) { return fx_gelu_approximate(x); }
static fx_node *dense_of(fx_node *x) {
    fx_node *weight = fx_slice_axis(x, -2, 0, 64, 1);
    return fx_nn_dense(x, weight, NULL, FX_DENSE_INPUT_OUTPUTS, FX_ACTIVATION_NONE);
}
static fx_node *dense_gelu_of(fx_node *x) {
    fx_node *weight = fx_slice_axis(x, -2, 0, 64, 1);
    fx_node *bias = fx_reshape(fx_slice_axis(x, 0, 0, 1, 1), FX_DIMS(-1));
    return fx_nn_dense(x, weight, bias, FX_DENSE_OUTPUTS_INPUT, FX_ACTIVATION_GELU);
}
static fx_node *product_gelu_of(fx_node *x) { return fx_gelu(fx_matmul(x, fx_slice_axis(x, 0, 0, 64, 1))); }
static fx_node *qkv_of(fx_node *x) {
    fx_node *k, *v, *weight = fx_slice_axis(x, 0, 0, 64, 1);
    fx_node *q = fx_nn_qkv_projection(x, weight, NULL, NULL, NULL, 32, 16, &k, &v);
    return fx_add(q, fx_concatenate(FX_NODES(v, k), -1));
}
static fx_node *both_of(fx_node *x) { return softmax_of(gelu_of(x)); }
static fx_node *apart_of(fx_node *x) { return fx_matmul(fx_gelu(x), fx_transpose(fx_gelu(x), -1, -2)); }
static fx_node *gradient_of(fx_node *x) {
    fx_node *found;
    return fx_gradient(fx_reduce_all_sum(fx_square(softmax_of(x))), FX_NODES(x), &found);
}
static fx_node *plain_of(fx_node *x) { return fx_exp(x); }

static size_t count(const char *text, const char *part) {
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) n++;
    return n;
}

static void program_text(const char *config, fx_node *(*fn)(fx_node *), char *text, size_t size) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new(backend, fn, FX_MUST);
    const fx_shape shape = FX_SHAPE(FX_F32, 128, 64);
    fx_program *program = fx_exec_program(exec, &shape, 1, FX_MUST);
    assert_true(fx_program_text(program, text, size) < size);
    fx_program_free(program);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void test_text(void **state) {
    static const struct {
        fx_node *(*fn)(fx_node *);
        const char *part;
    } rows[] = {{softmax_of, " [fx.softmax] "},   {masked_of, " [fx.softmax] "},
                {layer_of, " [fx.layer_norm] "},  {rms_of, " [fx.rms_norm] "},
                {gelu_of, " [fx.gelu] "},         {tanh_gelu_of, " [fx.gelu] "},
                {dense_of, " [fx.dense] "},       {dense_gelu_of, " [fx.dense] "},
                {product_gelu_of, " [fx.gelu] "}, {qkv_of, " [fx.qkv_projection] "},
                {both_of, " [fx.gelu fx.softmax] "},
                {apart_of, " [fx.gelu] "},        {gradient_of, " [fx.softmax] "}};
    char text[20000];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        program_text("cpu", rows[i].fn, text, sizeof text);
        if (count(text, rows[i].part) != 1) fail_msg("not once \"%s\" in\n%s", rows[i].part, text);
    }
    program_text("cpu", plain_of, text, sizeof text);
    assert_null(strstr(text, "[fx."));
    program_text("cpu?fusion=off", softmax_of, text, sizeof text);
    assert_null(strstr(text, "[fx."));
}
#endif

/* ---- batches, loops, checkpoints, second derivatives ---- */

/* The same without a name. */
static fx_node *plain_softmax(fx_node *x) {
    fx_node *e = fx_exp(fx_sub(x, fx_stop_gradient(fx_reduce_and_keep(x, fx_reduce_max, FX_AXES(-1)))));
    return fx_div(e, fx_reduce_and_keep(e, fx_reduce_sum, FX_AXES(-1)));
}
static fx_node *plain_norm(fx_node *x) {
    fx_node *d = fx_sub(x, fx_reduce_and_keep(x, fx_reduce_mean, FX_AXES(-1)));
    fx_node *variance = fx_reduce_and_keep(fx_square(d), fx_reduce_mean, FX_AXES(-1));
    return fx_mul(d, fx_rsqrt(fx_add_scalar(variance, 1e-5)));
}
static fx_node *plain_gelu(fx_node *x) {
    return fx_mul(fx_mul_scalar(x, 0.5), fx_add_scalar(fx_erf(fx_mul_scalar(x, sqrt(0.5))), 1));
}

typedef fx_node *(*unary)(fx_node *);
static const unary pairs[][2] = {{softmax_of, plain_softmax}, {layer_of, plain_norm}, {gelu_of, plain_gelu}};

/* A number per use of f, in float64: what must not depend on whether f has a name. */
typedef struct use {
    unary f;
    fx_node *(*of)(unary f, fx_node *x);
} use;

static fx_node *weighed(fx_node *y) {
    const fx_shape *shape = fx_node_shape(y);
    return fx_reduce_all_sum(fx_mul(y, fx_sin(fx_iota(fx_node_graph(y), shape, fx_node_rank(y) - 1))));
}

static void one_of(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_out;
    out[0] = (*(const unary *)user)(in[n_in - 1]); /* a loop gives its round first */
}

static fx_node *once(unary f, fx_node *x) { return weighed(f(x)); }
static fx_node *in_batch(unary f, fx_node *x) {
    return weighed(fx_vmap(FX_NODES(x), NULL, one_of, &f, 1, NULL, NULL));
}
static fx_node *in_batch_of_columns(unary f, fx_node *x) {
    return weighed(fx_vmap(FX_NODES(x), (const int[]){1}, one_of, &f, 1, (const int[]){-1}, NULL));
}
static fx_node *in_loop(unary f, fx_node *x) { return weighed(fx_for(3, FX_NODES(x), one_of, &f, NULL)); }
static fx_node *behind_checkpoint(unary f, fx_node *x) {
    return weighed(fx_stop_checkpoint(f(fx_mul(f(fx_checkpoint(x)), x))));
}
static fx_node *first_derivative(unary f, fx_node *x) {
    fx_node *found;
    fx_gradient(weighed(f(x)), FX_NODES(x), &found);
    return weighed(fx_square(found));
}
static fx_node *forward_derivative(unary f, fx_node *x) {
    fx_node *y = f(x), *found;
    return weighed(fx_jvp(FX_NODES(y), FX_NODES(x), FX_NODES(fx_cos(x)), &found));
}

static void value_and_gradient(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                               void *user) {
    const use *u = user;
    (void)g, (void)n_in, (void)n_out;
    out[0] = u->of(u->f, in[0]);
    fx_gradient(out[0], FX_NODES(in[0]), &out[1]);
}

enum { ROWS = 5, COLUMNS = 8 };

static void run(fx_backend *backend, use u, const fx_tensor *x, double *values) {
    fx_tensor *out[2];
    fx_arg arg = FX_ARG(x);
    fx_exec *exec = fx_exec_new_fn(backend, value_and_gradient, 1, 2, &u, FX_MUST);
    fx_exec_call(exec, &arg, 1, out, 2, FX_MUST);
    values[0] = fx_tensor_get(out[0], 0);
    for (int i = 0; i < ROWS * COLUMNS; i++) values[1 + i] = fx_tensor_get(out[1], i);
    fx_tensor_free(out[0]);
    fx_tensor_free(out[1]);
    fx_exec_free(exec);
}

static void test_uses(void **state) {
    static fx_node *(*const uses[])(unary, fx_node *) = {
        once,              in_batch,         in_batch_of_columns, in_loop,
        behind_checkpoint, first_derivative, forward_derivative};
    double data[ROWS * COLUMNS], named[1 + ROWS * COLUMNS], plain[1 + ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) data[i] = sin(7.0 * i);
    fx_tensor *x = fx_tensor_from(FX_HOST(data, ROWS, COLUMNS), FX_MUST);
    fx_backend *backend = open_named(state);
    for (size_t k = 0; k < COUNT_OF(pairs); k++)
        for (size_t i = 0; i < COUNT_OF(uses); i++) {
            run(backend, (use){pairs[k][0], uses[i]}, x, named);
            run(backend, (use){pairs[k][1], uses[i]}, x, plain);
            for (int at = 0; at <= ROWS * COLUMNS; at++)
                if (!(fabs(named[at] - plain[at]) <= 1e-11 * (1 + fabs(plain[at]))))
                    fail_msg("function %zu, use %zu, number %d: %.17g, not %.17g", k, i, at, named[at],
                             plain[at]);
        }
    fx_tensor_free(x);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_supports),
#if FLUXION_CPU
        cmocka_unit_test(test_text),
#endif
        BOTH(test_uses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
