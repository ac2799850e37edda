/* SPDX-License-Identifier: Apache-2.0 */
/* A call: arguments become buffers on each device of the program, one Execute starts them all, and its
 * results become tensors without waiting. What goes wrong on a device shows when a result is read or used.
 *
 * A tensor that this client made goes in as it is. Others are sent: small ones, and those that the call
 * donates, are copied, so that the call need not wait; a large one is read where it is (on the CPU), and then
 * the call waits for the devices, because its owner may change it afterwards. */
#include "pjrt_internal.h"
#include <string.h>

enum {
    SMALL = 48,              /* pointers of a call that needs no allocation for them */
    MOST_COPIED = 64 * 1024, /* bytes; copying that takes about what a small program takes */
};

/* All lists of a call: [device][number]. */
typedef struct launch {
    const fxi_pjrt_program *program;
    const fxi_pjrt_variant *variant;
    const fxi_run_args *args;
    size_t n_results;                               /* outputs, and values to log */
    PJRT_Buffer **arguments, **results, **gathered; /* the last: of one result, per device */
    PJRT_Buffer ***argument_lists, ***result_lists; /* a row each */
    PJRT_Event **events;
    bool borrows; /* devices read memory that is not theirs */
} launch;

/* ---- arguments ---- */

static bool is_donated(const launch *l, size_t i) {
    return l->args->donated && l->args->donated[i];
}

/* Argument i of a device: replicas have their own. */
static fx_tensor *argument_at(const launch *l, size_t d, size_t i) {
    const fxi_pjrt_program *p = l->program;
    return l->args->inputs[(p->spread.replicas > 1 ? d * p->n_in : 0) + i];
}

/* Its value when it lies where the program wants it; NULL: it does not. */
static fxi_pjrt_value *value_at(const launch *l, size_t d, size_t i) {
    const fxi_pjrt_program *p = l->program;
    fxi_pjrt_value *v = fxi_pjrt_value_of(argument_at(l, d, i), p->client);
    if (!v) return NULL;
    if (p->inputs) return v->layout && fxi_pjrt_layout_equal(v->layout, p->inputs[i]) ? v : NULL;
    return !v->layout && v->device == p->devices[d] ? v : NULL;
}

static PJRT_Buffer *buffer_of(const fxi_pjrt_value *v, size_t d) {
    return v->buffers[v->layout ? d : 0];
}

static bool send_argument(launch *l, size_t d, size_t i, fx_error *err) {
    const fxi_pjrt_program *p = l->program;
    const fx_tensor *tensor = argument_at(l, d, i);
    bool copied = is_donated(l, i) || tensor->bytes <= MOST_COPIED;
    fxi_pjrt_sending sending = copied ? FXI_PJRT_COPY : FXI_PJRT_BORROW;
    FX_TRY(fx_tensor_fetch(tensor, err));
    if (!copied) l->borrows = true;
    const fxi_pjrt_layout *layout = p->inputs ? p->inputs[i] : NULL;
    PJRT_Buffer **buffer = &l->arguments[d * p->n_in + i];
    *buffer = layout && !layout->whole ? fxi_pjrt_buffer_send_part(p->client, layout, d, tensor, sending, err)
                                       : fxi_pjrt_buffer_send(p->client, p->devices[d], tensor, sending, err);
    return *buffer != NULL;
}

static bool find_arguments(launch *l, fx_error *err) {
    const fxi_pjrt_program *p = l->program;
    for (size_t d = 0; d < p->device_count; d++)
        for (size_t i = 0; i < p->n_in; i++) {
            fxi_pjrt_value *v = value_at(l, d, i);
            if (v)
                l->arguments[d * p->n_in + i] = buffer_of(v, d);
            else
                FX_TRY(send_argument(l, d, i, err));
        }
    return true;
}

/* Buffers that were made for the call. Work that still needs one keeps it. */
static void drop_sent(const launch *l) {
    const fxi_pjrt_program *p = l->program;
    for (size_t d = 0; d < p->device_count; d++)
        for (size_t i = 0; i < p->n_in; i++)
            if (!value_at(l, d, i)) fxi_pjrt_buffer_destroy(p->client->api, l->arguments[d * p->n_in + i]);
}

/* Whoever wants to write into a tensor that the devices may still read has to copy it. */
static void mark_lent(const launch *l) {
    const fxi_pjrt_program *p = l->program;
    for (size_t d = 0; d < (p->inputs ? 1 : p->device_count); d++)
        for (size_t i = 0; i < p->n_in; i++) {
            fxi_pjrt_value *v = value_at(l, d, i);
            if (v) atomic_store_explicit(&v->head.lent, true, memory_order_relaxed);
        }
}

static bool is_taken(const launch *l, PJRT_Buffer *buffer) {
    FXI_PJRT_ARGS(PJRT_Buffer_IsDeleted, args);
    args.buffer = buffer;
    return FXI_PJRT_CALL(l->program->client->api, PJRT_Buffer_IsDeleted, &args, NULL) && args.is_deleted;
}

/* A call that failed may have taken what it was given. The device data goes with its tensor. */
static void drop_taken(const launch *l) {
    const fxi_pjrt_program *p = l->program;
    for (size_t d = 0; d < (p->inputs ? 1 : p->device_count); d++)
        for (size_t i = 0; i < p->n_in; i++) {
            fxi_pjrt_value *v = is_donated(l, i) ? value_at(l, d, i) : NULL;
            if (!v || !is_taken(l, buffer_of(v, d))) continue;
            for (size_t k = d; k < (p->inputs ? p->device_count : d + 1); k++)
                l->arguments[k * p->n_in + i] = NULL;
            fxi_tensor_drop(argument_at(l, d, i));
        }
}

/* ---- execution ---- */

static void drop_results(const launch *l) {
    const fxi_pjrt_program *p = l->program;
    for (size_t i = 0; i < p->device_count * l->n_results; i++) {
        fxi_pjrt_buffer_destroy(p->client->api, l->results[i]);
        l->results[i] = NULL;
    }
}

static bool await_devices(const launch *l, fx_error *err) {
    bool ok = true;
    for (size_t d = 0; d < l->program->device_count; d++)
        ok = fxi_pjrt_await(l->program->client->api, l->events[d], "Execute", ok ? err : NULL) && ok;
    return ok;
}

static bool start(const fxi_pjrt_program *p, PJRT_LoadedExecutable_Execute_Args *args, fx_error *err) {
    return FXI_PJRT_CALL(p->client->api, PJRT_LoadedExecutable_Execute, args, err);
}

/* One at a time: devices that got two programs in different orders would wait for each other in exchanges. */
static bool start_all(const fxi_pjrt_program *p, PJRT_LoadedExecutable_Execute_Args *args, fx_error *err) {
    fx_error error = {.code = FX_OK}; /* delivered after unlocking, as FX_MUST does not come back */
    pthread_mutex_lock(&p->client->launching);
    const bool ok = start(p, args, &error);
    pthread_mutex_unlock(&p->client->launching);
    return ok || fxi_fail_copy(err, &error);
}

static bool execute(launch *l, fx_error *err) {
    const fxi_pjrt_program *p = l->program;
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE,
                                   .non_donatable_input_indices = l->variant->kept,
                                   .num_non_donatable_input_indices = l->variant->kept_count};
    FXI_PJRT_ARGS(PJRT_LoadedExecutable_Execute, args);
    args.executable = l->variant->executable;
    args.options = &options;
    args.argument_lists = (PJRT_Buffer *const *const *)l->argument_lists;
    args.num_devices = p->device_count;
    args.num_args = p->n_in;
    args.output_lists = l->result_lists;
    args.device_complete_events = l->borrows ? l->events : NULL;
    if (!(p->device_count > 1 ? start_all(p, &args, err) : start(p, &args, err))) {
        drop_taken(l);
        return false;
    }
    if (!l->borrows) {
        mark_lent(l);
        return true;
    }
    if (await_devices(l, err)) return true;
    drop_results(l);
    return false;
}

/* ---- results ---- */

/* The tensor of one result, of replica r where there are any; takes its buffers over. */
static fx_tensor *result_tensor(launch *l, size_t r, size_t o, fx_error *err) {
    const fxi_pjrt_program *p = l->program;
    fxi_pjrt_layout *layout = p->outputs ? p->outputs[o] : NULL;
    for (size_t d = 0; d < (layout ? p->device_count : 1); d++) {
        PJRT_Buffer **buffer = &l->results[(r + d) * l->n_results + o];
        l->gathered[d] = *buffer;
        *buffer = NULL;
    }
    return fxi_pjrt_value_tensor(p->client, &p->results[o]->shape, layout, p->devices[r], l->gathered, err);
}

static size_t output_count(const launch *l) {
    return l->program->n_out * (size_t)l->program->spread.replicas;
}

static bool take_outputs(launch *l, fx_error *err) {
    fx_tensor **outputs = l->args->outputs;
    size_t n = l->program->n_out;
    for (size_t o = 0; o < output_count(l); o++) {
        outputs[o] = result_tensor(l, o / n, o % n, err);
        if (!outputs[o]) return false;
    }
    return true;
}

/* In the order of the nodes. */
static bool log_values(launch *l, size_t r, fx_error *err) {
    const fxi_run_args *args = l->args;
    for (size_t o = l->program->n_out; o < l->n_results; o++) {
        const fx_node *n = l->program->results[o];
        fx_tensor *value = result_tensor(l, r, o, err);
        bool ok = value && fx_tensor_fetch(value, err);
        for (const fxi_label *label = n->labels; ok && label; label = label->next)
            args->log(label->text, value, n->file, n->line, args->log_user);
        fx_tensor_free(value);
        if (!ok) return false;
    }
    return true;
}

static bool take_results(launch *l, fx_error *err) {
    bool ok = take_outputs(l, err);
    for (size_t r = 0; ok && r < (size_t)l->program->spread.replicas; r++) ok = log_values(l, r, err);
    if (ok) return true;
    drop_results(l);
    for (size_t o = 0; o < output_count(l); o++) {
        fx_tensor_free(l->args->outputs[o]);
        l->args->outputs[o] = NULL;
    }
    return false;
}

/* ---- the call ---- */

static bool launch_all(launch *l, fx_error *err) {
    bool ok = find_arguments(l, err) && execute(l, err);
    drop_sent(l);
    return ok && take_results(l, err);
}

/* Pointers that the lists of a call need. */
static size_t pointers_of(const launch *l) {
    return l->program->device_count * (l->program->n_in + l->n_results + 4);
}

static void cut_lists(launch *l, void **room) {
    const fxi_pjrt_program *p = l->program;
    size_t devices = p->device_count;
    memset(room, 0, pointers_of(l) * sizeof *room);
    l->arguments = (PJRT_Buffer **)room;
    l->results = l->arguments + devices * p->n_in;
    l->gathered = l->results + devices * l->n_results;
    l->argument_lists = (PJRT_Buffer ***)(void *)(l->gathered + devices);
    l->result_lists = l->argument_lists + devices;
    l->events = (PJRT_Event **)(void *)(l->result_lists + devices);
    for (size_t d = 0; d < devices; d++) {
        l->argument_lists[d] = l->arguments + d * p->n_in;
        l->result_lists[d] = l->results + d * l->n_results;
    }
}

bool fxi_pjrt_run(void *program, const fxi_run_args *args, fx_error *err) {
    fxi_pjrt_program *p = program;
    bool logs = args->log && p->n_logged > 0;
    launch l = {.program = p, .args = args, .n_results = p->n_out + (logs ? p->n_logged : 0)};
    l.variant = fxi_pjrt_variant_for(p, args->donated, logs, err);
    if (!l.variant) return false;
    void *small[SMALL], **room = small;
    if (pointers_of(&l) > SMALL) room = fxi_alloc_zeroed(pointers_of(&l), sizeof *room);
    if (!room) return fxi_fail_memory(err, "fx_call");
    cut_lists(&l, room);
    bool ok = launch_all(&l, err);
    if (room != small) fxi_free(room);
    return ok;
}
