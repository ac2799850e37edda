/* SPDX-License-Identifier: Apache-2.0 */
/* fluxion run: a function of a program, once with its results printed or written, or many times with the
 * times printed. A run ends when its results are here, wherever they were computed. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "cli.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* One function with all that a run takes. */
typedef struct running {
    const cli_settings *settings;
    const char *file;
    fx_module *module;
    fx_backend *backend;
    fx_exec *exec;
    size_t function, n_in, n_out;
    fx_tensor **in, **out;
    fx_arg *args;
} running;

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void free_results(running *r) {
    for (size_t i = 0; i < r->n_out; i++) {
        fx_tensor_free(r->out[i]);
        r->out[i] = NULL;
    }
}

static bool call(running *r) {
    fx_error err = {.code = FX_OK};
    if (cli_call(r->exec, r->args, r->n_in, r->out, r->n_out, &err)) return true;
    return cli_fail_error(&err) == CLI_OK;
}

/* ---- results ---- */

/* The results by their names; one without is outN, and a name that is taken gets its number: name_N. */
static fx_params *name_results(const running *r) {
    fx_error err = {.code = FX_OK};
    fx_params *map = fx_params_new(&err);
    bool ok = map != NULL;
    for (size_t i = 0; ok && i < r->n_out; i++) {
        const char *given = fx_module_output_name(r->module, r->function, i);
        char *name = cli_join(*given ? given : fx_name("out%zu", i).s, "", "");
        while (fx_params_find(map, name) >= 0) name = cli_add_number(name, i);
        ok = fx_params_set(map, name, fx_tensor_ref(r->out[i]), &err);
        free(name);
    }
    if (ok) return map;
    cli_fail_error(&err);
    fx_params_free(map);
    return NULL;
}

static cli_format output_format(const char *path) {
    return cli_is_standard(path) ? CLI_NPY : cli_format_of(path);
}

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A folder that is to be made has no dot in its name, or ends in a slash: another ending is a mistake. */
static bool is_output(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    cli_format format = output_format(path);
    return is_folder(path) || (format == CLI_NONE ? !strchr(name, '.') : format != CLI_MLIR);
}

static bool write_results(const running *r) {
    const char *path = r->settings->output;
    cli_format format = output_format(path);
    bool folder = format == CLI_NONE || is_folder(path);
    if (!folder && format == CLI_NPY && r->n_out != 1)
        return cli_fail("%s: a .npy file holds one tensor, here are %zu: --output FOLDER or FILE.npz", path,
                        r->n_out) == CLI_OK;
    fx_params *map = name_results(r);
    bool ok = map && (folder ? cli_write_folder(map, path) : cli_write_tensors(map, path, format, false));
    fx_params_free(map);
    return ok;
}

static bool print_results(const running *r) {
    const fx_format_options options = {.size = sizeof options};
    for (size_t i = 0; i < r->n_out; i++) {
        printf("%s = ", fx_module_output_name(r->module, r->function, i));
        if (!fx_tensor_print(r->out[i], stdout, &options))
            return cli_fail("the results cannot be printed") == CLI_OK;
    }
    return true;
}

/* ---- times ---- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool compile(running *r) {
    fx_error err = {.code = FX_OK};
    fx_shape *shapes = cli_alloc(r->n_in, sizeof *shapes);
    for (size_t i = 0; i < r->n_in; i++) shapes[i] = *fx_tensor_shape(r->in[i]);
    bool ok = fx_exec_compile(r->exec, shapes, r->n_in, &err);
    free(shapes);
    return ok || cli_fail_error(&err) == CLI_OK;
}

static bool time_runs(running *r) {
    long n = r->settings->repeat, threads = cli_threads(r->settings);
    double begin = now_us(), *times = cli_alloc((size_t)n, sizeof *times);
    bool ok = compile(r);
    double compiled = now_us() - begin;
    ok = ok && call(r); /* pages and caches get warm */
    for (long i = 0; ok && i < n; i++) {
        free_results(r);
        begin = now_us();
        ok = call(r);
        times[i] = now_us() - begin;
    }
    if (ok) {
        qsort(times, (size_t)n, sizeof *times, by_value);
        double median = (times[(n - 1) / 2] + times[n / 2]) / 2;
        printf("run,%s,%ld,%.3f,%.3f\n", r->file, threads, median, times[0]);
        printf("compile,%s,%ld,%.3f,%.3f\n", r->file, threads, compiled, compiled);
    }
    free(times);
    return ok && (!r->settings->output || write_results(r));
}

static bool run_once(running *r) {
    return call(r) && (r->settings->output ? write_results(r) : print_results(r));
}

static bool prepare(running *r) {
    fx_error err = {.code = FX_OK};
    r->module = cli_read_module(r->file);
    ptrdiff_t function = r->module ? cli_find_function(r->module, r->file, r->settings->function) : -1;
    if (function < 0) return false;
    r->function = (size_t)function;
    r->n_in = fx_module_input_count(r->module, r->function);
    r->n_out = fx_module_output_count(r->module, r->function);
    r->out = cli_alloc(r->n_out, sizeof *r->out);
    r->in = cli_make_inputs(r->settings, r->module, r->function, false);
    r->backend = r->in ? cli_open_backend(r->settings, r->settings->backend) : NULL;
    if (!r->backend) return false;
    r->args = cli_make_args(r->in, r->n_in);
    r->exec = fx_exec_new_module(r->backend, r->module, r->function, &err);
    return r->exec || cli_fail_error(&err) == CLI_OK;
}

int cli_run(const cli_settings *settings) {
    running r = {.settings = settings, .file = settings->files.v[0]};
    if (settings->output && !is_output(settings->output))
        return cli_usage("run: the format of '%s' is not known; --output FOLDER, or FILE.npy, .npz, "
                         ".safetensors",
                         settings->output);
    bool ok = prepare(&r) && (settings->repeat > 0 ? time_runs(&r) : run_once(&r));
    cli_free_tensors(r.out, r.n_out);
    cli_free_tensors(r.in, r.n_in);
    free(r.args);
    fx_exec_free(r.exec);
    fx_backend_close(r.backend);
    fx_module_free(r.module);
    return ok ? CLI_OK : CLI_FAILED;
}
