/* SPDX-License-Identifier: Apache-2.0 */
/* The backend of fake_backend.h: state is the test's hooks, a program is the graph and the hooks. */
#include "fake_backend.h"
#include <errno.h>
#include <time.h>

bool meeting_join(meeting *m, int expected, int seconds) {
    struct timespec end;
    timespec_get(&end, TIME_UTC);
    end.tv_sec += seconds;
    pthread_mutex_lock(&m->mutex);
    m->there++;
    pthread_cond_broadcast(&m->changed);
    int rc = 0;
    while (m->there < expected && rc != ETIMEDOUT) rc = pthread_cond_timedwait(&m->changed, &m->mutex, &end);
    bool met = m->there >= expected;
    pthread_mutex_unlock(&m->mutex);
    return met;
}

int meeting_count(meeting *m) {
    pthread_mutex_lock(&m->mutex);
    int there = m->there;
    pthread_mutex_unlock(&m->mutex);
    return there;
}

typedef struct fake_program {
    fake_hooks *hooks;
    const fx_graph *graph;
} fake_program;

static void fake_close(void *state) {
    atomic_store(&((fake_hooks *)state)->open, false);
}

static void *fake_compile(void *state, const fx_graph *graph, fx_error *err) {
    fake_hooks *hooks = state;
    if (hooks->compile && !hooks->compile(hooks->user, graph, err)) return NULL;
    fake_program *p = fxi_alloc_zeroed(1, sizeof *p);
    if (!p) {
        fxi_fail_memory(err, "fake");
        return NULL;
    }
    *p = (fake_program){hooks, graph};
    atomic_fetch_add(&hooks->programs, 1);
    return p;
}

static void fake_program_free(void *program) {
    fake_program *p = program;
    atomic_fetch_sub(&p->hooks->programs, 1);
    fxi_free(p);
}

static bool fake_run(void *program, const fxi_run_args *args, fx_error *err) {
    fake_program *p = program;
    if (p->hooks->run) FX_TRY(p->hooks->run(p->hooks->user, args, err));
    for (size_t i = 0; i < p->graph->output_count; i++) {
        args->outputs[i] = fx_tensor_new(&p->graph->outputs[i]->shape, err);
        if (args->outputs[i]) continue;
        while (i-- > 0) {
            fx_tensor_free(args->outputs[i]);
            args->outputs[i] = NULL;
        }
        return false;
    }
    return true;
}

static void fake_memory(const void *program, fx_memory *memory) {
    (void)program;
    memory->steps = 42;
}

static void fake_text(const void *program, fxi_text *text) {
    (void)program;
    fxi_text_add(text, "fake program");
}

static const fxi_backend_ops fake_ops = {
    .name = "fake",
    .close = fake_close,
    .compile = fake_compile,
    .program_free = fake_program_free,
    .run = fake_run,
    .program_memory = fake_memory,
    .program_text = fake_text,
};

fx_backend *fake_backend_open(fake_hooks *hooks) {
    fx_backend *backend = fxi_alloc_zeroed(1, sizeof *backend);
    if (!backend) return NULL;
    atomic_init(&backend->references, 1);
    backend->ops = &fake_ops;
    backend->state = hooks;
    atomic_store(&hooks->open, true);
    return backend;
}
