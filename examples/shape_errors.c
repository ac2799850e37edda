/* SPDX-License-Identifier: Apache-2.0 */
/* What the library says to five typical mistakes. Building code needs no checks of its own: the first mistake is kept and
 * returned by the call, with the line of the operation that made it. */
#include <fluxion.h>
#include <string.h>

static fx_node *rows_do_not_match(fx_node *x, fx_node *bias) {
    return fx_add(x, bias);
}

static fx_node *mixes_dtypes(fx_node *x, fx_node *count) {
    return fx_div(fx_reduce_all_sum(x), count);
}

static fx_node *axis_too_large(fx_node *x) {
    fx_node *centered = fx_sub(x, fx_reduce_and_keep(x, fx_reduce_mean, FX_AXES(1)));
    return fx_reduce_max(fx_square(centered), FX_AXES(2));
}

static fx_node *inner_dimensions_differ(fx_node *x, fx_node *w) {
    return fx_matmul(x, w);
}

static fx_node *mean_of_integers(fx_node *x) {
    return fx_reduce_mean(x, FX_AXES());
}

static void report(const char *title, const fx_tensor *result, const fx_error *error) {
    const char *slash = error->file ? strrchr(error->file, '/') : NULL;
    printf("%s\n", title);
    if (result)
        printf("    no error?\n");
    else
        printf("    %s:%d: %s\n",
               slash         ? slash + 1
               : error->file ? error->file
                             : "?",
               error->line, error->message);
}

int main(void) {
    fx_backend *backend = fx_backend_open(NULL, FX_MUST);
    const float x[2][3] = {{1, 2, 3}, {4, 5, 6}}, bias[4] = {0}, w[2][2] = {{1, 0}, {0, 1}};
    const int counts[3] = {1, 2, 3};
    fx_error error = {FX_OK, 0, NULL, ""};

    fx_exec *exec = fx_exec_new(backend, rows_do_not_match, FX_MUST);
    report("A bias of the wrong length:",
           fx_call1(exec, &error, FX_HOST(&x[0][0], 2, 3), FX_HOST(bias, 1, 4)), &error);
    fx_exec_free(exec);

    exec = fx_exec_new(backend, mixes_dtypes, FX_MUST);
    report("A float divided by an int:", fx_call1(exec, &error, FX_HOST(&x[0][0], 2, 3), 6), &error);
    fx_exec_free(exec);

    exec = fx_exec_new(backend, axis_too_large, FX_MUST);
    report("An axis that is not there:", fx_call1(exec, &error, FX_HOST(&x[0][0], 2, 3)), &error);
    fx_exec_free(exec);

    exec = fx_exec_new(backend, inner_dimensions_differ, FX_MUST);
    report("A matrix product that does not fit:",
           fx_call1(exec, &error, FX_HOST(&x[0][0], 2, 3), FX_HOST(&w[0][0], 2, 2)), &error);
    fx_exec_free(exec);

    exec = fx_exec_new(backend, mean_of_integers, FX_MUST);
    report("The mean of integers:", fx_call1(exec, &error, FX_HOST(counts, 3)), &error);
    fx_exec_free(exec);

    fx_backend_close(backend);
    return 0;
}
