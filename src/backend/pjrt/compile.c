/* SPDX-License-Identifier: Apache-2.0 */
/* Programs. The graph becomes StableHLO text, which the plugin compiles; afterwards its number of results is
 * compared with ours.
 *
 * Which inputs a call gives away is known only when it is made, but it is part of the text: an input that
 * may be overwritten carries tf.aliasing_output, and such a program copies the input first when it is not
 * given away. So a program is compiled at its first call, for the inputs that this one donates, and again
 * for others that come: a training step, which donates its parameters always, is compiled once. The last of
 * the variants is kept for calls that donate nothing, which serves any call. */
#include "pjrt_internal.h"
#include "stablehlo/stablehlo.h"
#include <string.h>

/* ---- one compilation ---- */

static bool make_text(const fxi_pjrt_program *p, const bool *donated, fxi_text *text, fx_error *err) {
    fxi_stablehlo_options options = {.donated = donated};
    FX_TRY(fxi_stablehlo_text(p->graph, &options, text, err));
    return !text->failed || fxi_fail_memory(err, "pjrt: compile");
}

static bool compile_text(const fxi_pjrt_program *p, const fxi_text *text, PJRT_LoadedExecutable **executable,
                         fx_error *err) {
    static const char format[] = "mlir";
    fxi_text encoded = {0};
    fxi_pjrt_compile_options(&p->spread, &p->client->overrides, &encoded);
    if (encoded.failed) {
        fxi_text_free(&encoded);
        return fxi_fail_memory(err, "pjrt: compile");
    }
    PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE,
                            .code = text->data,
                            .code_size = text->length,
                            .format = format,
                            .format_size = sizeof format - 1};
    FXI_PJRT_ARGS(PJRT_Client_Compile, args);
    args.client = p->client->client;
    args.program = &program;
    args.compile_options = encoded.data;
    args.compile_options_size = encoded.length;
    bool ok = FXI_PJRT_CALL(p->client->api, PJRT_Client_Compile, &args, err);
    fxi_text_free(&encoded);
    *executable = args.executable;
    return ok;
}

static void destroy_loaded(const PJRT_Api *api, PJRT_LoadedExecutable *executable) {
    if (!executable) return;
    FXI_PJRT_ARGS(PJRT_LoadedExecutable_Destroy, args);
    args.executable = executable;
    FXI_PJRT_DROP(api, PJRT_LoadedExecutable_Destroy, &args);
}

/* The unloaded form, which answers questions; to be destroyed. */
static PJRT_Executable *executable_of(const PJRT_Api *api, PJRT_LoadedExecutable *loaded, fx_error *err) {
    FXI_PJRT_ARGS(PJRT_LoadedExecutable_GetExecutable, args);
    args.loaded_executable = loaded;
    return FXI_PJRT_CALL(api, PJRT_LoadedExecutable_GetExecutable, &args, err) ? args.executable : NULL;
}

static void destroy_executable(const PJRT_Api *api, PJRT_Executable *executable) {
    FXI_PJRT_ARGS(PJRT_Executable_Destroy, args);
    args.executable = executable;
    FXI_PJRT_DROP(api, PJRT_Executable_Destroy, &args);
}

/* The plugin writes as many handles as it has results into our list, so the numbers must agree. */
static bool check_outputs(const fxi_pjrt_program *p, PJRT_LoadedExecutable *loaded, fx_error *err) {
    const PJRT_Api *api = p->client->api;
    PJRT_Executable *executable = executable_of(api, loaded, err);
    if (!executable) return false;
    FXI_PJRT_ARGS(PJRT_Executable_NumOutputs, args);
    args.executable = executable;
    bool ok = FXI_PJRT_CALL(api, PJRT_Executable_NumOutputs, &args, err);
    destroy_executable(api, executable);
    if (!ok || args.num_outputs == p->n_out) return ok;
    return fxi_fail(err, FX_ERROR_INTERNAL, "pjrt: the compiled program has %zu results instead of %zu",
                    args.num_outputs, p->n_out);
}

/* ---- variants ---- */

static void free_variant(const PJRT_Api *api, fxi_pjrt_variant *v) {
    destroy_loaded(api, v->executable);
    fxi_free(v->donated);
    fxi_free(v->kept);
    *v = (fxi_pjrt_variant){0};
}

static bool note_donations(const fxi_pjrt_program *p, const bool *donated, fxi_pjrt_variant *v,
                           fx_error *err) {
    if (!donated) return true;
    v->donated = fxi_alloc_zeroed(p->n_in, sizeof *v->donated);
    v->kept = fxi_alloc_zeroed(p->n_in, sizeof *v->kept);
    if (!v->donated || !v->kept) return fxi_fail_memory(err, "pjrt: compile");
    memcpy(v->donated, donated, p->n_in * sizeof *donated);
    for (size_t i = 0; i < p->n_in; i++)
        if (!donated[i]) v->kept[v->kept_count++] = (int64_t)i;
    return true;
}

static bool make_variant(const fxi_pjrt_program *p, const bool *donated, fxi_pjrt_variant *v, fx_error *err) {
    fxi_text text = {0};
    bool ok = note_donations(p, donated, v, err) && make_text(p, donated, &text, err) &&
              compile_text(p, &text, &v->executable, err) && check_outputs(p, v->executable, err);
    fxi_text_free(&text);
    if (!ok) free_variant(p->client->api, v);
    return ok;
}

static const fxi_pjrt_variant *find_variant(const fxi_pjrt_program *p, const bool *donated) {
    size_t count = atomic_load_explicit(&p->variant_count, memory_order_acquire);
    for (size_t i = 0; i < count; i++) {
        const fxi_pjrt_variant *v = &p->variants[i];
        if (!v->donated != !donated) continue;
        if (!donated || memcmp(v->donated, donated, p->n_in * sizeof *donated) == 0) return v;
    }
    return NULL;
}

/* Under the mutex. */
static const fxi_pjrt_variant *add_variant(fxi_pjrt_program *p, const bool *donated, fx_error *err) {
    size_t count = atomic_load(&p->variant_count);
    if (donated && count + !find_variant(p, NULL) >= FXI_PJRT_MOST_VARIANTS) donated = NULL;
    const fxi_pjrt_variant *found = find_variant(p, donated);
    if (found) return found;
    fxi_pjrt_variant *v = &p->variants[count];
    if (!make_variant(p, donated, v, err)) return NULL;
    atomic_store_explicit(&p->variant_count, count + 1, memory_order_release);
    return v;
}

const fxi_pjrt_variant *fxi_pjrt_variant_for(fxi_pjrt_program *p, const bool *donated, fx_error *err) {
    const fxi_pjrt_variant *v = find_variant(p, donated);
    if (v) return v;
    fx_error error = {.code = FX_OK}; /* delivered after unlocking, as FX_MUST does not come back */
    pthread_mutex_lock(&p->mutex);
    v = add_variant(p, donated, &error);
    pthread_mutex_unlock(&p->mutex);
    if (!v) fxi_fail_copy(err, &error);
    return v;
}

bool fxi_pjrt_prepare(void *program, fx_error *err) {
    fxi_pjrt_program *p = program;
    return atomic_load(&p->variant_count) > 0 || fxi_pjrt_variant_for(p, NULL, err) != NULL;
}

/* ---- life cycle ---- */

void *fxi_pjrt_compile(void *state, const fx_graph *graph, fx_error *err) {
    fxi_pjrt_client *client = state;
    fxi_pjrt_program *p = fxi_alloc_zeroed(1, sizeof *p);
    if (!p || pthread_mutex_init(&p->mutex, NULL) != 0) {
        fxi_free(p);
        fxi_fail_memory(err, "pjrt: compile");
        return NULL;
    }
    p->client = fxi_pjrt_client_ref(client);
    p->graph = graph;
    p->n_in = graph->parameters.count;
    p->n_out = graph->output_count;
    p->device_count = 1;
    p->spread = (fxi_pjrt_spread){.replicas = 1, .partitions = 1, .ids = client->ids};
    atomic_init(&p->variant_count, 0);
    fxi_text text = {0};
    bool ok = make_text(p, NULL, &text, err); /* what cannot be said is found here, before any call */
    fxi_text_free(&text);
    if (ok) return p;
    fxi_pjrt_program_free(p);
    return NULL;
}

void fxi_pjrt_program_free(void *program) {
    fxi_pjrt_program *p = program;
    if (!p) return;
    size_t count = atomic_load(&p->variant_count);
    for (size_t i = 0; i < count; i++) free_variant(p->client->api, &p->variants[i]);
    pthread_mutex_destroy(&p->mutex);
    fxi_pjrt_client_free(p->client);
    fxi_free(p);
}

/* ---- queries ---- */

static void add_compiled_memory(const fxi_pjrt_program *p, fx_memory *memory) {
    const PJRT_Api *api = p->client->api;
    if (atomic_load(&p->variant_count) == 0 || !FXI_PJRT_HAS(api, PJRT_Executable_GetCompiledMemoryStats))
        return;
    PJRT_Executable *executable = executable_of(api, p->variants[0].executable, NULL);
    if (!executable) return;
    FXI_PJRT_ARGS(PJRT_Executable_GetCompiledMemoryStats, args);
    args.executable = executable;
    if (FXI_PJRT_CALL(api, PJRT_Executable_GetCompiledMemoryStats, &args, NULL)) {
        memory->workspace = args.temp_size_in_bytes;
        memory->code = args.generated_code_size_in_bytes;
    }
    destroy_executable(api, executable);
}

void fxi_pjrt_program_memory(const void *program, fx_memory *memory) {
    const fxi_pjrt_program *p = program;
    for (size_t i = 0; i < p->n_in; i++)
        memory->parameters += fx_shape_bytes(&p->graph->parameters.data[i]->shape);
    for (size_t i = 0; i < p->n_out; i++) memory->outputs += fx_shape_bytes(&p->graph->outputs[i]->shape);
    for (size_t i = 0; i < p->graph->nodes.count; i++)
        if (p->graph->nodes.data[i]->op == FX_OP_CONSTANT)
            memory->constants += fx_shape_bytes(&p->graph->nodes.data[i]->shape);
    add_compiled_memory(p, memory);
}

void fxi_pjrt_program_text(const void *program, fxi_text *text) {
    const fxi_pjrt_program *p = program;
    fxi_text whole = {0};
    if (make_text(p, NULL, &whole, NULL)) fxi_text_add_bytes(text, whole.data, whole.length);
    fxi_text_free(&whole);
}
