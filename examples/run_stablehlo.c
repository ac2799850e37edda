/* SPDX-License-Identifier: Apache-2.0 */
/* A program that somebody else wrote: StableHLO text, as jax.jit(f).lower(...).as_text() gives it. It is run
 * as it is; then its function is part of a graph of our own, which asks for its gradient; then a mistake
 * in it is found with its place. */
#include <fluxion.h>
#include <string.h>

static const char text[] =
    "module @jit_distance {\n"
    "  func.func public @main(%a: tensor<2xf64>, %b: tensor<2xf64>)"
    " -> (tensor<f64> {jax.result_info = \"distance\"}) {\n"
    "    %0 = call @norm(%a, %b) : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>\n"
    "    return %0 : tensor<f64>\n"
    "  }\n"
    "  func.func private @norm(%a: tensor<2xf64>, %b: tensor<2xf64>) -> tensor<f64> {\n"
    "    %0 = stablehlo.subtract %a, %b : tensor<2xf64>\n"
    "    %1 = stablehlo.multiply %0, %0 : tensor<2xf64>\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f64>\n"
    "    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] :"
    " (tensor<2xf64>, tensor<f64>) -> tensor<f64>\n"
    "    %3 = stablehlo.sqrt %2 : tensor<f64>\n"
    "    return %3 : tensor<f64>\n"
    "  }\n"
    "}\n";

/* The gradient of the module's function by its first input. */
static void slope(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const fx_module *module = user;
    fx_node *distance;
    (void)n_out;
    if (fx_module_call(module, 0, graph, in, n_in, &distance, 1, NULL))
        fx_gradient(distance, FX_NODES(in[0]), out);
}

static void print_call(const char *what, fx_exec *exec) {
    fx_tensor *t = fx_call1(exec, FX_MUST, FX_VEC(double, 1.0, 2.0), FX_VEC(double, 1.0, 6.0));
    printf("%s: %s\n", what, fx_tensor_text(t).s);
    fx_tensor_free(t);
    fx_exec_free(exec);
}

/* sqrt of a vector is no scalar, whatever is written. */
static void show_mistake(fx_backend *backend) {
    char wrong[sizeof text];
    memcpy(wrong, text, sizeof text);
    char *operand = strstr(wrong, "sqrt %2") + strlen("sqrt %");
    *operand = '1';
    fx_error err = {.code = FX_OK};
    fx_module *module = fx_module_parse(wrong, strlen(wrong), "wrong.mlir", &err);
    fx_exec *exec = module ? fx_exec_new_module(backend, module, 0, &err) : NULL;
    if (!exec || !fx_exec_compile(exec, (fx_shape[]){FX_SHAPE(FX_F64, 2), FX_SHAPE(FX_F64, 2)}, 2, &err))
        printf("%s\n", err.message);
    fx_exec_free(exec);
    fx_module_free(module);
}

int main(void) {
    fx_backend *backend = fx_backend_open(NULL, FX_MUST);
    fx_module *module = fx_module_parse(text, strlen(text), "distance.mlir", FX_MUST);
    for (size_t i = 0; i < fx_module_input_count(module, 0); i++)
        printf("@%s takes %s %s\n", fx_module_function_name(module, 0), fx_module_input_name(module, 0, i),
               fx_shape_to_text(fx_module_input_shape(module, 0, i)).s);
    print_call(fx_module_output_name(module, 0, 0), fx_exec_new_module(backend, module, 0, FX_MUST));
    print_call("slope", fx_exec_new_fn(backend, slope, 2, 1, module, FX_MUST));
    show_mistake(backend);
    fx_module_free(module);
    fx_backend_close(backend);
    return 0;
}
