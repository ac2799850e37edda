/* SPDX-License-Identifier: Apache-2.0 */
/* The registry: the only file that names backends. Parses the config string, chooses the default, counts
 * references, and serves the queries of programs. A backend is one row of the table below; the rows stand in
 * the order in which they are tried when nobody named one, up to the interpreter, which always works. */
#include "exec.h"
#include "backend/interp/interp.h"
#if FLUXION_CPU
#include "backend/cpu/cpu.h"
#endif
#if FLUXION_PJRT
#include "backend/pjrt/pjrt.h"
#endif
#include <stdlib.h>
#include <string.h>

static const fxi_backend_ops *const backends[] = {
#if FLUXION_CPU
    &fxi_cpu_backend,
#endif
    &fxi_interp_backend,
#if FLUXION_PJRT
    &fxi_pjrt_backend,
#endif
};
const fxi_backend_ops *fxi_backend_reference(void) {
    return &fxi_interp_backend;
}

enum { BACKENDS = sizeof backends / sizeof backends[0], MAX_OPTIONS = 16 };

/* "name:path?key=value&key=value" cut in place. */
static bool parse_config(char *text, fxi_config *options, fxi_open_args *args, fx_error *err) {
    char *at = strchr(text, '?'), *colon = strchr(text, ':');
    size_t *count = &args->count;
    *count = 0;
    if (colon && (!at || colon < at)) {
        *colon = 0;
        args->path = colon + 1;
    }
    while (at) {
        *at++ = 0;
        char *equals = strchr(at, '='), *next = strchr(at, '&');
        if (!equals || equals == at || (next && equals > next))
            return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_backend_open: \"%s\" is no key=value", at);
        if (*count == MAX_OPTIONS)
            return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_backend_open: more than %d options", MAX_OPTIONS);
        *equals = 0;
        for (size_t i = 0; i < *count; i++)
            if (strcmp(options[i].key, at) == 0)
                return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_backend_open: option %s is given twice", at);
        options[(*count)++] = (fxi_config){at, equals + 1};
        at = next;
    }
    return true;
}

static const fxi_backend_ops *find_backend(const char *name, fx_error *err) {
    for (size_t i = 0; i < BACKENDS; i++)
        if (strcmp(backends[i]->name, name) == 0) return backends[i];
    fxi_fail(err, FX_ERROR_ARGUMENT, "fx_backend_open: unknown backend \"%s\"; known are %sinterp%s", name,
             FLUXION_CPU ? "cpu, " : "", FLUXION_PJRT ? ", pjrt" : "");
    return NULL;
}

static const fxi_backend_ops *choose_backend(const char *name, const fxi_open_args *args, fx_error *err) {
    const fxi_backend_ops *ops = find_backend(name, err);
    if (!ops || !args->path || ops->takes_path) return ops;
    fxi_fail(err, FX_ERROR_ARGUMENT, "fx_backend_open: backend %s takes no path, got \"%s\"", name,
             args->path);
    return NULL;
}

static fx_backend *open_backend(const fxi_backend_ops *ops, const fxi_open_args *args, fx_error *err) {
    fx_backend *backend = fxi_alloc_zeroed(1, sizeof *backend);
    if (!backend) {
        fxi_fail_memory(err, "fx_backend_open");
        return NULL;
    }
    backend->ops = ops;
    atomic_init(&backend->references, 1);
    backend->state = ops->open(args, err);
    if (backend->state) return backend;
    fxi_free(backend);
    return NULL;
}

/* The fastest backend that works on this machine. Lack of memory says nothing about the machine, so it is an
 * error. */
static fx_backend *open_default(const fxi_open_args *args, fx_error *err) {
    fx_error error = {.code = FX_OK};
    for (size_t i = 0; i < BACKENDS && error.code != FX_ERROR_MEMORY; i++) {
        fx_backend *backend = open_backend(backends[i], args, &error);
        if (backend) return backend;
        if (backends[i] == &fxi_interp_backend) break;
        fxi_log(FX_LOG_WARNING, "backend %s is not to be had: %s", backends[i]->name, error.message);
    }
    fxi_fail_copy(err, &error);
    return NULL;
}

fx_backend *fx_backend_open_with(const char *config, fx_parallel_for parallel_for, void *user,
                                 fx_error *err) {
    fxi_config options[MAX_OPTIONS];
    fxi_open_args args = {.config = options, .parallel_for = parallel_for, .user = user};
    if (!config) config = getenv("FLUXION_BACKEND");
    if (!config || !*config) return open_default(&args, err);
    char *text = fxi_copy_string(config);
    if (!text) {
        fxi_fail_memory(err, "fx_backend_open");
        return NULL;
    }
    fx_backend *backend = NULL;
    if (parse_config(text, options, &args, err)) {
        const fxi_backend_ops *ops = choose_backend(text, &args, err);
        if (ops) backend = open_backend(ops, &args, err);
    }
    fxi_free(text);
    return backend;
}

fx_backend *fx_backend_open(const char *config, fx_error *err) {
    return fx_backend_open_with(config, NULL, NULL, err);
}

fx_backend *fxi_backend_ref(fx_backend *backend) {
    atomic_fetch_add(&backend->references, 1);
    return backend;
}

void fx_backend_close(fx_backend *backend) {
    if (!backend || atomic_fetch_sub(&backend->references, 1) != 1) return;
    backend->ops->close(backend->state);
    fxi_free(backend);
}

const char *fx_backend_name(const fx_backend *backend) {
    return backend ? backend->ops->name : "";
}

bool fx_backend_supports(const fx_backend *backend, const char *composite) {
    return backend && composite && backend->ops->supports &&
           backend->ops->supports(backend->state, composite);
}

size_t fx_backend_describe(const fx_backend *backend, char *buffer, size_t size) {
    fxi_text text = fxi_text_fixed(buffer, size);
    if (backend && backend->ops->describe)
        backend->ops->describe(backend->state, &text);
    else
        fxi_text_add(&text, "%s", fx_backend_name(backend));
    return text.length;
}

size_t fx_backend_list(char *buffer, size_t size) {
    fxi_text text = fxi_text_fixed(buffer, size);
    for (size_t i = 0; i < BACKENDS; i++) {
        if (!backends[i]->takes_path) fxi_text_add(&text, "%s\n", backends[i]->name);
        if (backends[i]->list) backends[i]->list(&text);
    }
    return text.length;
}

/* ---- programs ---- */

fx_program *fx_program_ref(fx_program *program) {
    if (program) atomic_fetch_add(&program->references, 1);
    return program;
}

void fx_program_free(fx_program *program) {
    if (!program || atomic_fetch_sub(&program->references, 1) != 1) return;
    program->backend->ops->program_free(program->compiled);
    fx_graph_free(program->graph);
    fx_backend_close(program->backend);
    fxi_free(program);
}

bool fx_program_memory(const fx_program *program, fx_memory *memory) {
    if (!program || !memory) return false;
    fx_memory m = {.size = 0};
    program->backend->ops->program_memory(program->compiled, &m);
    m.size = memory->size;
    memcpy(memory, &m, memory->size && memory->size < sizeof m ? memory->size : sizeof m);
    return true;
}

size_t fx_program_text(const fx_program *program, char *buffer, size_t size) {
    fxi_text text = fxi_text_fixed(buffer, size);
    if (program)
        program->backend->ops->program_text(program->compiled, &text);
    else if (buffer && size)
        buffer[0] = 0;
    return text.length;
}
