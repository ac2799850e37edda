/* SPDX-License-Identifier: Apache-2.0 */
/* Composites as library kernels: a composite of two results whose kernel computes something else than its
 * decomposition, so that results tell who ran. The kernel takes float32 alone. Checked: alone, between fused
 * operations, with one result unused, inside a loop, under a name that nobody knows, in the program's text. */
#include "backend/cpu/program.h"
#include "exec/both.h"
#include "ops/ops.h"
#include <fluxion/control.h>

#define CLOSURE(name)                                                                                        \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)out, (void)n_out, (void)user

/* ---- the kernel: 100 x and 1000 y + setting; the decomposition: x + y and x - y ---- */

static bool accepts_f32(const fx_node *node) {
    return node->operand_count == 2 && node->shape.dtype == FX_F32;
}

static int64_t scratch(const fx_node *node) {
    return fx_shape_bytes(&node->shape);
}

static void run_fake(const fxi_host_call *call) {
    const float *x = call->operands[0], *y = call->operands[1];
    float *first = call->results[0], *second = call->results[1], *work = call->workspace;
    int64_t setting = fxi_node_ints(call->node, FXI_ATTR_SETTINGS).v[0];
    int64_t n = fx_shape_size(&call->node->shape);
    for (int64_t i = 0; i < n; i++) work[i] = 1000 * y[i];
    for (int64_t i = 0; i < n; i++) first[i] = 100 * x[i];
    for (int64_t i = 0; i < n; i++) second[i] = work[i] + (float)setting;
}

static const fxi_host_kernel fake = {.run = run_fake, .workspace = scratch};
static const fxi_composite_kernel table[] = {{"test.fake", accepts_f32, &fake}, {NULL, NULL, NULL}};

CLOSURE(decomposition) {
    UNUSED;
    out[0] = fx_add(in[0], in[1]);
    out[1] = fx_sub(in[0], in[1]);
}

static fx_node *build(const char *name, fx_node *x, fx_node *y, fx_node **second) {
    fxi_build b;
    fx_node *operands[] = {x, y};
    if (!fxi_build_begin(&b, "fake", operands, 2)) return b.stop;
    const int64_t settings[] = {7};
    const fxi_composite c = {
        .name = name, .settings = settings, .n_settings = 1, .forward = decomposition};
    fx_node *first = fxi_build_composite(&b, &c, (fx_nodes){operands, 2}, 2);
    *second = fxi_node_result(first, 1);
    return first;
}

CLOSURE(alone) {
    UNUSED;
    out[0] = build("test.fake", in[0], in[1], &out[1]);
}
CLOSURE(stranger) {
    UNUSED;
    out[0] = build("test.stranger", in[0], in[1], &out[1]);
}
CLOSURE(between) {
    UNUSED;
    fx_node *second, *first = build("test.fake", fx_neg(in[0]), fx_add(in[1], in[1]), &second);
    out[0] = fx_add(first, second);
    out[1] = fx_square(first);
}
CLOSURE(first_only) {
    UNUSED;
    fx_node *second, *first = build("test.fake", in[0], in[1], &second);
    out[0] = out[1] = first;
}
CLOSURE(step) { alone(g, in + 1, 2, out, 2, user); (void)n_in, (void)n_out; }
CLOSURE(in_loop) {
    UNUSED;
    fx_for(2, FX_NODES(in[0], in[1]), step, NULL, out);
}

/* ---- runs ---- */

static void check(const char *config, fx_fn fn, fx_dtype dtype, const char *first, const char *second,
                  bool named) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    if (config[0] == 'c') ((fxi_cpu_state *)backend->state)->plan.composites = table;
    assert_int_equal(fx_backend_supports(backend, "test.fake"), config[0] == 'c');
    assert_false(fx_backend_supports(backend, "test.stranger"));
    fx_exec *exec = fx_exec_new_fn(backend, fn, 2, 2, NULL, FX_MUST);
    fx_tensor *in[2] = {fx_tensor_from(FX_HOST(((float[]){1, 2}), 2), FX_MUST),
                        fx_tensor_from(FX_HOST(((float[]){3, 5}), 2), FX_MUST)};
    fx_tensor *wide[2] = {fx_tensor_from(FX_HOST(((double[]){1, 2}), 2), FX_MUST),
                          fx_tensor_from(FX_HOST(((double[]){3, 5}), 2), FX_MUST)};
    fx_tensor *const *use = dtype == FX_F32 ? in : wide;
    fx_tensor *out[2] = {NULL};
    assert_true(fx_exec_call(exec, (const fx_arg[]){FX_ARG(use[0]), FX_ARG(use[1])}, 2, out, 2, FX_MUST));
    assert_text(out[0], first);
    assert_text(out[1], second);
    const fx_shape shapes[] = {*fx_tensor_shape(use[0]), *fx_tensor_shape(use[1])};
    fx_program *program = fx_exec_program(exec, shapes, 2, FX_MUST);
    char text[4000];
    fx_program_text(program, text, sizeof text);
    assert_int_equal(strstr(text, "library test.fake") != NULL, named);
    fx_program_free(program);
    for (int i = 0; i < 2; i++) fx_tensor_free(in[i]), fx_tensor_free(wide[i]), fx_tensor_free(out[i]);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void test_kernel_runs(void **state) {
    (void)state;
    static const char *const configs[] = {"cpu", "cpu?debug=poison", "cpu?fusion=off", "cpu?threads=1"};
    for (size_t i = 0; i < COUNT_OF(configs); i++) {
        check(configs[i], alone, FX_F32, "[2]float32{100, 200}", "[2]float32{3007, 5007}", true);
        check(configs[i], between, FX_F32, "[2]float32{5907, 9807}", "[2]float32{10000, 40000}", true);
        check(configs[i], first_only, FX_F32, "[2]float32{100, 200}", "[2]float32{100, 200}", true);
        check(configs[i], in_loop, FX_F32, "[2]float32{10000, 20000}", "[2]float32{3007007, 5007007}", true);
    }
}

static void test_decomposition_runs(void **state) {
    (void)state;
    check("cpu", alone, FX_F64, "[2]float64{4, 7}", "[2]float64{-2, -3}", false);
    check("cpu", stranger, FX_F32, "[2]float32{4, 7}", "[2]float32{-2, -3}", false);
    check("interp", alone, FX_F32, "[2]float32{4, 7}", "[2]float32{-2, -3}", false);
    check("interp", in_loop, FX_F32, "[2]float32{2, 4}", "[2]float32{6, 10}", false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel_runs),
        cmocka_unit_test(test_decomposition_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
