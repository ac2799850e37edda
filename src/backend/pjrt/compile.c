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

/* The graph with the values of logged nodes among its outputs, for as long as the text is made. */
static bool make_text(const fxi_pjrt_program *p, const bool *donated, bool logs, fxi_text *text,
                      fx_error *err) {
    const fxi_stablehlo_options options = {.name = "pjrt", .donated = donated};
    fx_graph graph = *p->graph;
    atomic_init(&graph.references, 1);
    graph.outputs = p->results;
    graph.output_count = p->n_out + (logs ? p->n_logged : 0);
    return fxi_stablehlo_text(&graph, &options, text, err);
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
static bool check_outputs(const fxi_pjrt_program *p, const fxi_pjrt_variant *v, fx_error *err) {
    const PJRT_Api *api = p->client->api;
    PJRT_Executable *executable = executable_of(api, v->executable, err);
    if (!executable) return false;
    FXI_PJRT_ARGS(PJRT_Executable_NumOutputs, args);
    args.executable = executable;
    bool ok = FXI_PJRT_CALL(api, PJRT_Executable_NumOutputs, &args, err);
    destroy_executable(api, executable);
    size_t wanted = p->n_out + (v->logs ? p->n_logged : 0);
    if (!ok || args.num_outputs == wanted) return ok;
    return fxi_fail(err, FX_ERROR_INTERNAL, "pjrt: the compiled program has %zu results instead of %zu",
                    args.num_outputs, wanted);
}

/* ---- variants ---- */

static void free_variant(const PJRT_Api *api, fxi_pjrt_variant *v) {
    destroy_loaded(api, v->executable);
    fxi_free(v->donated);
    fxi_free(v->kept);
    v->executable = NULL;
    v->donated = NULL;
    v->kept = NULL;
    v->kept_count = 0;
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

/* Under the mutex. */
static bool make_variant(const fxi_pjrt_program *p, const bool *donated, fxi_pjrt_variant *v, fx_error *err) {
    if (atomic_load(&v->ready)) return true;
    fxi_text text = {0};
    bool ok = note_donations(p, donated, v, err) && make_text(p, donated, v->logs, &text, err) &&
              compile_text(p, &text, &v->executable, err) && check_outputs(p, v, err);
    fxi_text_free(&text);
    if (ok)
        atomic_store_explicit(&v->ready, true, memory_order_release);
    else
        free_variant(p->client->api, v);
    return ok;
}

/* The variant that donates these, or where it is to be made; NULL: there is no room for it. */
static fxi_pjrt_variant *donating(fxi_pjrt_program *p, const bool *donated) {
    for (size_t i = 0; i < FXI_PJRT_MOST_DONATING; i++) {
        fxi_pjrt_variant *v = &p->donating[i];
        if (!atomic_load_explicit(&v->ready, memory_order_acquire)) return v;
        if (memcmp(v->donated, donated, p->n_in * sizeof *donated) == 0) return v;
    }
    return NULL;
}

const fxi_pjrt_variant *fxi_pjrt_variant_for(fxi_pjrt_program *p, const bool *donated, bool logs,
                                             fx_error *err) {
    fxi_pjrt_variant *v = logs ? &p->logging : donated ? donating(p, donated) : NULL;
    if (!v) v = &p->plain;
    if (atomic_load_explicit(&v->ready, memory_order_acquire)) return v;
    fx_error error = {.code = FX_OK}; /* delivered after unlocking, as FX_MUST does not come back */
    pthread_mutex_lock(&p->mutex);
    if (v != &p->plain && v != &p->logging) { /* another thread may have filled that place */
        v = donating(p, donated);
        if (!v) v = &p->plain;
    }
    bool inputs = v != &p->plain && v != &p->logging;
    bool ok = make_variant(p, inputs ? donated : NULL, v, &error);
    pthread_mutex_unlock(&p->mutex);
    if (ok) return v;
    fxi_fail_copy(err, &error);
    return NULL;
}

/* The variant that there is; NULL: nothing was compiled. */
static const fxi_pjrt_variant *any_variant(const fxi_pjrt_program *p) {
    const fxi_pjrt_variant *const list[] = {&p->plain, &p->donating[0], &p->logging};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (atomic_load_explicit(&list[i]->ready, memory_order_acquire)) return list[i];
    return NULL;
}

bool fxi_pjrt_prepare(void *program, fx_error *err) {
    return any_variant(program) || fxi_pjrt_variant_for(program, NULL, false, err);
}

/* ---- life cycle ---- */

static bool list_results(fxi_pjrt_program *p, fx_error *err) {
    const fx_graph *g = p->graph;
    for (size_t i = 0; i < g->nodes.count; i++) p->n_logged += g->nodes.data[i]->labels != NULL;
    p->results = fxi_alloc_zeroed(p->n_out + p->n_logged, sizeof *p->results);
    if (!p->results) return fxi_fail_memory(err, "pjrt: compile");
    memcpy(p->results, g->outputs, p->n_out * sizeof *p->results);
    size_t count = p->n_out;
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.data[i]->labels) p->results[count++] = g->nodes.data[i];
    return true;
}

static fxi_pjrt_program *new_program(fxi_pjrt_client *client, const fx_graph *graph, fx_error *err) {
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
    p->logging.logs = true;
    return p;
}

void *fxi_pjrt_compile_replicas(void *state, const fx_graph *graph, int replicas, fx_error *err) {
    fxi_pjrt_program *p = new_program(state, graph, err);
    if (!p) return NULL;
    fxi_text text = {0}; /* what cannot be said is found here, before any call */
    bool ok = list_results(p, err) && fxi_pjrt_spread_program(p, replicas, err) &&
              make_text(p, NULL, true, &text, err);
    fxi_text_free(&text);
    if (ok) return p;
    fxi_pjrt_program_free(p);
    return NULL;
}

void *fxi_pjrt_compile(void *state, const fx_graph *graph, fx_error *err) {
    return fxi_pjrt_compile_replicas(state, graph, 1, err);
}

void fxi_pjrt_program_free(void *program) {
    fxi_pjrt_program *p = program;
    if (!p) return;
    free_variant(p->client->api, &p->plain);
    free_variant(p->client->api, &p->logging);
    for (size_t i = 0; i < FXI_PJRT_MOST_DONATING; i++) free_variant(p->client->api, &p->donating[i]);
    pthread_mutex_destroy(&p->mutex);
    fxi_pjrt_spread_free(p);
    fxi_pjrt_client_free(p->client);
    fxi_free(p->results);
    fxi_free(p);
}

/* ---- queries ---- */

static void add_compiled_memory(const fxi_pjrt_program *p, fx_memory *memory) {
    const PJRT_Api *api = p->client->api;
    const fxi_pjrt_variant *v = any_variant(p);
    if (!v || !FXI_PJRT_HAS(api, PJRT_Executable_GetCompiledMemoryStats)) return;
    PJRT_Executable *executable = executable_of(api, v->executable, NULL);
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
    if (make_text(p, NULL, false, &whole, NULL)) fxi_text_add_bytes(text, whole.data, whole.length);
    fxi_text_free(&whole);
}
