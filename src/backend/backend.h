/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between exec and the backends: one struct of functions, written once per backend. Backends
 * know nothing of exec; exec knows the backends only through this and through exec/backends.c, which names
 * them.
 *
 * Life cycle: open -> compile (any number, concurrently) -> run (any number, concurrently) -> free -> close.
 * A program keeps what it needs of its backend alive through the backend's reference count. */
#ifndef FXI_BACKEND_H
#define FXI_BACKEND_H

#include "base/pool.h"
#include "graph/graph.h"
#include <fluxion/backend.h>

/* One "key=value" of the config string; a backend marks those it knows by returning true from `option`. */
typedef struct fxi_config {
    const char *key, *value; /* terminated, valid during open */
} fxi_config;

typedef struct fxi_open_args {
    const char *path; /* what follows "NAME:"; NULL: nothing does */
    const fxi_config *config;
    size_t count;
    fxi_parallel_for parallel_for; /* NULL: own threads */
    void *user;
} fxi_open_args;

/* The log callback of an executable, as handed through a run. */
typedef void (*fxi_node_log)(const char *label, const fx_tensor *value, const char *file, int line,
                             void *user);

typedef struct fxi_run_args {
    fx_tensor *const *inputs; /* one per parameter; shapes already checked */
    const bool *donated;      /* per input: its memory may be reused; NULL: none */
    fx_tensor **outputs;      /* one per graph output, filled on success; NULL on entry */
    fxi_node_log log;         /* may be NULL */
    void *log_user;
    bool trace_nan; /* interp: fail at the first node that makes a NaN of operands without (FX_ERROR_NAN) */
} fxi_run_args;

typedef struct fxi_backend_ops {
    const char *name;
    /* Makes the backend's own state; unknown keys are errors naming the key. */
    void *(*open)(const fxi_open_args *args, fx_error *err);
    void (*close)(void *state); /* no program of it is alive */
    /* Compiles a finished, verified graph, which the caller keeps alive as long as the program. Thread-safe.
     */
    void *(*compile)(void *state, const fx_graph *graph, fx_error *err);
    void (*program_free)(void *program);
    /* On failure all outputs are NULL again. Thread-safe, also for one program. */
    bool (*run)(void *program, const fxi_run_args *args, fx_error *err);
    void (*program_memory)(const void *program, fx_memory *memory);
    void (*program_text)(const void *program, fxi_text *text);
    /* Whether it runs composites of that name fused, by kernels of its own or by fusing what they are inlined
     * to. NULL: none. */
    bool (*supports)(const void *state, const char *composite);
    /* Whether it has a kernel for this one: dtypes, shapes and settings decide. All others are inlined before
     * compile sees the graph. NULL: none. */
    bool (*runs)(const void *state, const fx_node *composite);
    /* What it is and runs on, one line; NULL: its name says it all. */
    void (*describe)(const void *state, fxi_text *text);
    /* Config strings of what can be opened beyond the name alone, one a line, each ended by a newline. NULL:
     * none. */
    void (*list)(fxi_text *text);
    /* Compiles what is left to do before the first run. NULL: nothing is. */
    bool (*prepare)(void *program, fx_error *err);
    bool takes_path;    /* "NAME:PATH" */
    bool reads_devices; /* run takes tensors with device data; for others they are fetched before */
    /* The same for a program that runs so many times side by side (run's inputs and outputs are lists per
     * replica, one after the other), exchanging values by collectives. NULL: one at a time. */
    void *(*compile_replicas)(void *state, const fx_graph *graph, int replicas, fx_error *err);
    bool shards; /* spreads programs over devices as their shardings say; for others these are left out */
} fxi_backend_ops;

struct fx_backend {
    atomic_int references;
    const fxi_backend_ops *ops;
    void *state;
};

struct fx_program {
    atomic_int references;
    fx_backend *backend; /* referenced */
    fx_graph *graph;     /* owned */
    void *compiled;      /* the backend's */
};

#endif
