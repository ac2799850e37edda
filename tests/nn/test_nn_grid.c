/* tier: full */
/* SPDX-License-Identifier: Apache-2.0 */
/* Fused against decomposed: values and gradients of every activation, alone and behind a product, and of
 * softmax and the norms, in every float dtype, on cpu with fusion against cpu without and the interpreter,
 * which run the decomposition operation by operation. */
#include "exec/both.h"
#include "support/random_graph.h"
#include <float.h>
#include <math.h>

enum { ROWS = 7, IN = 19, OUT = 34, MOST = 16 };

typedef struct grid_case {
    fx_dtype dtype;
    fx_activation activation;
    void (*build)(const struct grid_case *c, fx_graph *g, fx_node *const *in, fx_node **out);
    fx_shape shapes[MOST];
    size_t n_in, n_out;
    const char *name;
} grid_case;

static void run_build(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const grid_case *c = user;
    (void)n_in, (void)n_out;
    c->build(c, g, in, out);
}

/* The value of y, and its vector-Jacobian product with u by everything in wrt. */
static size_t value_and_vjp(fx_node *y, fx_node *u, fx_nodes wrt, fx_node **out) {
    out[0] = y;
    fx_vjp((fx_nodes){&y, 1}, (fx_nodes){&u, 1}, wrt, out + 1);
    return 1 + wrt.n;
}

/* ---- programs ---- */

static bool is_gated(const grid_case *c) {
    return c->activation == FX_ACTIVATION_SWI_GLU || c->activation == FX_ACTIVATION_GLU;
}

/* x, weight, the weight transposed, bias, adjoint: both layouts, with and without bias. */
static void build_dense(const grid_case *c, fx_graph *g, fx_node *const *in, fx_node **out) {
    (void)g;
    for (int first = 0; first < 2; first++) {
        fx_node *x = in[0], *w = in[1 + first], *b = in[3];
        fx_dense_layout layout = first ? FX_DENSE_OUTPUTS_INPUT : FX_DENSE_INPUT_OUTPUTS;
        out += value_and_vjp(fx_nn_dense(x, w, b, layout, c->activation), in[4], FX_NODES(x, w, b), out);
        out += value_and_vjp(fx_nn_dense(x, w, NULL, layout, c->activation), in[4], FX_NODES(x, w), out);
    }
}

static void build_activation(const grid_case *c, fx_graph *g, fx_node *const *in, fx_node **out) {
    (void)g;
    value_and_vjp(fx_activate(in[0], c->activation), in[1], FX_NODES(in[0]), out);
}

static void build_softmax(const grid_case *c, fx_graph *g, fx_node *const *in, fx_node **out) {
    (void)c;
    fx_node *mask = fx_greater(in[0], fx_scalar(g, c->dtype, -1));
    out += value_and_vjp(fx_softmax(in[0], FX_AXES(-1)), in[1], FX_NODES(in[0]), out);
    out += value_and_vjp(fx_softmax(in[0], FX_AXES(0)), in[1], FX_NODES(in[0]), out);
    value_and_vjp(fx_masked_softmax(in[0], mask, FX_AXES(-1)), in[1], FX_NODES(in[0]), out);
}

/* x, gamma, beta, adjoint */
static void build_norms(const grid_case *c, fx_graph *g, fx_node *const *in, fx_node **out) {
    fx_node *x = in[0], *gamma = in[1], *beta = in[2], *u = in[3];
    fx_node *mask = fx_greater(x, fx_scalar(g, c->dtype, -1));
    out += value_and_vjp(fx_nn_layer_norm(x, FX_AXES(-1), 1e-5, gamma, beta, NULL), u,
                         FX_NODES(x, gamma, beta), out);
    out += value_and_vjp(fx_nn_layer_norm(x, FX_AXES(), 1e-5, NULL, beta, mask), u, FX_NODES(x, beta), out);
    out += value_and_vjp(fx_nn_rms_norm(x, FX_AXES(-1), 1e-5, gamma), u, FX_NODES(x, gamma), out);
    value_and_vjp(fx_nn_rms_norm(x, FX_AXES(0), 1e-5, NULL), u, FX_NODES(x), out);
}

/* x, weight [IN, 34 = 10 + 2 * 12], biases 10, 12, 12, adjoint of all three beside one another */
static void build_qkv(const grid_case *c, fx_graph *g, fx_node *const *in, fx_node **out) {
    fx_node *k, *v, *q = fx_nn_qkv_projection(in[0], in[1], in[2], in[3], in[4], 10, 12, &k, &v);
    (void)c, (void)g;
    value_and_vjp(fx_concatenate(FX_NODES(q, k, v), -1), in[5], FX_NODES(in[0], in[1], in[2], in[3], in[4]),
                  out);
}

/* ---- the comparison ---- */

static void run(const char *config, const grid_case *c, fx_tensor *const *in, fx_tensor **out) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, run_build, c->n_in, c->n_out, (void *)(uintptr_t)c, FX_MUST);
    fx_arg args[MOST];
    for (size_t i = 0; i < c->n_in; i++) args[i] = fx_arg_tensor(in[i]);
    fx_exec_call(exec, args, c->n_in, out, c->n_out, FX_MUST);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* A half type may round to the neighbour; float32 inside it, and the other dtypes, sum up to 34 products in
 * another order and pass a dozen roundings, relative to the largest element. */
static void compare(const grid_case *c, const char *config, size_t number, const fx_tensor *got,
                    const fx_tensor *want) {
    double compute = c->dtype == FX_F64 ? DBL_EPSILON : FLT_EPSILON, largest = 0;
    double unit = c->dtype == FX_BF16 ? 0x1p-7 : c->dtype == FX_F16 ? 0x1p-10 : 0;
    int64_t size = fx_tensor_size(want);
    for (int64_t i = 0; i < size; i++) largest = fmax(largest, fabs(fx_tensor_get(want, i)));
    assert_true(isfinite(largest));
    for (int64_t i = 0; i < size; i++) {
        double a = fx_tensor_get(got, i), b = fx_tensor_get(want, i);
        double bound = unit * fmax(fabs(b), 0x1p-14) + 64 * compute * largest;
        if (!(fabs(a - b) <= bound))
            fail_msg("%s %s %s, result %zu of %s at %lld: %.17g, not %.17g", c->name, fx_dtype_name(c->dtype),
                     fx_activation_name(c->activation), number, config, (long long)i, a, b);
    }
}

/* Without the compiler there is nothing fused: the interpreter must then run all of it. */
static void check(grid_case *c, fx_tensor *const *in) {
#if FLUXION_CPU
    static const char *const main_one = "cpu", *const others[] = {"cpu?fusion=off", "interp"};
#else
    static const char *const main_one = "interp", *const others[] = {"interp"};
#endif
    fx_tensor *fused[MOST], *plain[MOST];
    run(main_one, c, in, fused);
    for (size_t k = 0; k < COUNT_OF(others); k++) {
        run(others[k], c, in, plain);
        for (size_t i = 0; i < c->n_out; i++) {
            compare(c, others[k], i, fused[i], plain[i]);
            fx_tensor_free(plain[i]);
        }
    }
    for (size_t i = 0; i < c->n_out; i++) fx_tensor_free(fused[i]);
}

/* Uniform within -2 and 2, rounded to the dtype. */
static fx_tensor *draw(const fx_shape *shape, uint64_t seed) {
    random_state r = {seed};
    fx_tensor *made = fx_tensor_new(shape, FX_MUST);
    for (int64_t i = 0; i < fx_tensor_size(made); i++) {
        double value = (double)(random_bits(&r) >> 11) * 0x1p-51 - 2;
        fxi_element_store(shape->dtype, fx_tensor_mutable_data(made), i, (fxi_scalar){.re = value});
    }
    return made;
}

static void check_all(grid_case c, const fx_shape *shapes, size_t n_in) {
    fx_tensor *in[MOST];
    c.n_in = n_in;
    for (size_t i = 0; i < n_in; i++) in[i] = draw(&shapes[i], 100 + i);
    check(&c, in);
    for (size_t i = 0; i < n_in; i++) fx_tensor_free(in[i]);
}

static const fx_dtype dtypes[] = {FX_F16, FX_BF16, FX_F32, FX_F64};

static void test_dense(void **state) {
    (void)state;
    for (int a = FX_ACTIVATION_NONE; a <= FX_ACTIVATION_GLU; a++)
        for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
            fx_dtype d = dtypes[i];
            grid_case c = {d, (fx_activation)a, build_dense, .n_out = 14, .name = "dense"};
            const fx_shape shapes[] = {FX_SHAPE(d, ROWS, IN), FX_SHAPE(d, IN, OUT), FX_SHAPE(d, OUT, IN),
                                       FX_SHAPE(d, OUT), FX_SHAPE(d, ROWS, is_gated(&c) ? OUT / 2 : OUT)};
            check_all(c, shapes, 5);
        }
}

static void test_activations(void **state) {
    (void)state;
    for (int a = FX_ACTIVATION_RELU; a <= FX_ACTIVATION_GLU; a++)
        for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
            grid_case c = {dtypes[i], (fx_activation)a, build_activation, .n_out = 2, .name = "activation"};
            const fx_shape shapes[] = {FX_SHAPE(dtypes[i], ROWS, OUT),
                                       FX_SHAPE(dtypes[i], ROWS, is_gated(&c) ? OUT / 2 : OUT)};
            check_all(c, shapes, 2);
        }
}

static void test_rows(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
        fx_dtype d = dtypes[i];
        const fx_shape pair[] = {FX_SHAPE(d, ROWS, OUT), FX_SHAPE(d, ROWS, OUT)};
        check_all((grid_case){d, FX_ACTIVATION_NONE, build_softmax, .n_out = 6, .name = "softmax"}, pair, 2);
        const fx_shape norm[] = {FX_SHAPE(d, ROWS, OUT), FX_SHAPE(d, OUT), FX_SHAPE(d, OUT),
                                 FX_SHAPE(d, ROWS, OUT)};
        check_all((grid_case){d, FX_ACTIVATION_NONE, build_norms, .n_out = 12, .name = "norm"}, norm, 4);
        const fx_shape qkv[] = {FX_SHAPE(d, ROWS, IN), FX_SHAPE(d, IN, OUT), FX_SHAPE(d, 10),
                                FX_SHAPE(d, 12),       FX_SHAPE(d, 12),      FX_SHAPE(d, ROWS, OUT)};
        check_all((grid_case){d, FX_ACTIVATION_NONE, build_qkv, .n_out = 6, .name = "qkv"}, qkv, 6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_activations),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
