/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest whole program: a graph function, an executable, one call. Prints "Distance: float64(5)". */
#include <fluxion.h>

static fx_node *euclidean_distance(fx_node *a, fx_node *b) {
    return fx_sqrt(fx_reduce_all_sum(fx_square(fx_sub(a, b))));
}

int main(void) {
    fx_backend *backend = fx_backend_open(NULL, FX_MUST);
    fx_exec *exec = fx_exec_new(backend, euclidean_distance, FX_MUST);
    fx_tensor *d = fx_call1(exec, FX_MUST, FX_VEC(double, 1.0, 2.0), FX_VEC(double, 4.0, 6.0));
    printf("Distance: %s\n", fx_tensor_text(d).s);
    fx_tensor_free(d);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return 0;
}
