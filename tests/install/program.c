/* SPDX-License-Identifier: Apache-2.0 */
/* A program outside the tree: built against the installed headers and either library, it runs one small graph. It is C11
 * with strict warnings in all four builds, so that the installed headers are clean for users too. */
#include <fluxion.h>
#include <stdio.h>
#include <string.h>

static fx_node *distance(fx_node *a, fx_node *b) {
    return fx_sqrt(fx_reduce_all_sum(fx_square(fx_sub(a, b))));
}

int main(void) {
    fx_backend *backend = fx_backend_open(NULL, FX_MUST);
    fx_exec *exec = fx_exec_new(backend, distance, FX_MUST);
    fx_tensor *result = fx_call1(exec, FX_MUST, FX_VEC(double, 1.0, 2.0), FX_VEC(double, 4.0, 6.0));
    fx_text text = fx_tensor_text(result);
    printf("%s %s %s\n", fx_version(), fx_backend_name(backend), text.s);
    fx_tensor_free(result);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return strcmp(text.s, "float64(5)") == 0 ? 0 : 1;
}
