/* SPDX-License-Identifier: Apache-2.0 */
/* fluxion check: a function on two backends, output by output: the largest difference in steps of the element
 * type (ulp), and where. Sums that cancel have many steps of error beside few of their terms, so an element
 * that is far off in its own steps is also measured in those of the largest of its tensor. */
#include "cli.h"
#include <stdlib.h>

enum { DEFAULT_ULP = 64 };

static fx_tensor **results(const cli_settings *settings, const char *config, const fx_module *module,
                           size_t function, fx_tensor **in, size_t n) {
    fx_error err = {.code = FX_OK};
    fx_backend *backend = cli_open_backend(settings, config);
    if (!backend) return NULL;
    fx_tensor **out = cli_alloc(n, sizeof *out);
    fx_exec *exec = fx_exec_new_module(backend, module, function, &err);
    size_t n_in = fx_module_input_count(module, function);
    fx_arg *args = cli_make_args(in, n_in);
    bool ok = exec && cli_call(exec, args, n_in, out, n, &err);
    if (!ok) cli_fail("%s: %s", fx_backend_name(backend), err.message);
    free(args);
    fx_exec_free(exec);
    fx_backend_close(backend);
    if (ok) return out;
    cli_free_tensors(out, n);
    return NULL;
}

/* What decided: steps of an element's own size alone, or those of the largest with them. */
static void print_verdict(const fx_tensor *a, const fx_tensor *b, const cli_difference *d, bool ok,
                          long ulp) {
    fx_dtype real = fx_dtype_real(fx_tensor_dtype(a));
    if (!fx_dtype_is_float(real)) {
        printf("DIFFERS, by at most %.6g", d->ulp);
        return;
    }
    printf("%s, at most %.6g ulp", ok ? "agrees" : "DIFFERS", d->ulp);
    if (d->index >= 0) printf(" and %.6g of the largest element's", cli_most_steps(a, b));
    printf(" (bound %ld)", ulp);
}

static bool compare_output(const char *name, const fx_tensor *a, const fx_tensor *b, long ulp) {
    const fx_check steps = {.kind = FX_CHECK_CLOSE, .max_ulp = ulp};
    const fx_check beside = {.kind = FX_CHECK_ALMOST_EQ, .tolerance = cli_step(b) * (double)ulp};
    cli_difference d = cli_compare(a, b, &steps);
    if (!d.comparable) {
        printf("%s: %s and %s\n", name, fx_shape_to_text(fx_tensor_shape(a)).s,
               fx_shape_to_text(fx_tensor_shape(b)).s);
        return false;
    }
    bool ok = d.index < 0;
    int64_t at = d.worst;
    if (!ok && beside.tolerance > 0) {
        cli_difference rest = cli_compare(a, b, &beside);
        ok = rest.index < 0;
        if (!ok) at = rest.index;
    }
    printf("%s: %s, ", name, fx_shape_to_text(fx_tensor_shape(a)).s);
    if (d.worst < 0) {
        printf("equal\n");
        return true;
    }
    print_verdict(a, b, &d, ok, ulp);
    printf("; %s ", ok ? "most at" : "first at");
    cli_print_index(stdout, fx_tensor_shape(a), at);
    printf(": %s", cli_element_text(a, at).s);
    printf(" and %s\n", cli_element_text(b, at).s);
    return ok;
}

static int compare_backends(const cli_settings *settings, const fx_module *module, size_t function) {
    size_t n = fx_module_output_count(module, function), n_in = fx_module_input_count(module, function);
    fx_tensor **in = cli_make_inputs(settings, module, function, true);
    fx_tensor **a = in ? results(settings, settings->backend, module, function, in, n) : NULL;
    fx_tensor **b = a ? results(settings, settings->against, module, function, in, n) : NULL;
    int status = b ? CLI_OK : CLI_FAILED;
    for (size_t i = 0; b && i < n; i++)
        if (!compare_output(fx_module_output_name(module, function, i), a[i], b[i],
                            settings->ulp >= 0 ? settings->ulp : DEFAULT_ULP))
            status = CLI_FAILED;
    cli_free_tensors(b, n);
    cli_free_tensors(a, n);
    cli_free_tensors(in, n_in);
    return status;
}

int cli_check(const cli_settings *settings) {
    const char *file = settings->files.v[0];
    if (!settings->against) return cli_usage("check: --against is missing");
    fx_module *module = cli_read_module(file);
    ptrdiff_t function = module ? cli_find_function(module, file, settings->function) : -1;
    int status = function < 0 ? CLI_FAILED : compare_backends(settings, module, (size_t)function);
    fx_module_free(module);
    return status;
}
