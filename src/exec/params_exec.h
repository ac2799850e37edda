/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of maps in calls share. */
#ifndef FXI_PARAMS_EXEC_H
#define FXI_PARAMS_EXEC_H

#include "exec.h"

/* What a graph function does to a map with certain names, found by running it once (params_plan.c). */
typedef struct fxi_params_plan {
    fx_params_exec *owner;
    fxi_names before, after; /* names without values */
    int64_t *source;         /* by entry after: the entry before whose value stays; -1: the next output */
    bool *replaced;          /* by entry before: a new value takes its place under its name */
    bool same_names;         /* before and after */
    size_t n_outputs;        /* results of the function and replaced or new entries */
    fx_exec *exec;  /* (inputs, entries before) -> (results, entries with new values); NULL: no outputs */
    int references; /* guarded by the owner's mutex */
    struct fxi_params_plan *next;
} fxi_params_plan;

struct fx_params_exec {
    fx_backend *backend; /* referenced */
    fx_params_fn function;
    size_t n_in, n_out;
    void *user;
    fx_exec_options options;
    pthread_mutex_t build;  /* held while the user's function runs */
    pthread_mutex_t mutex;  /* held for moments; guards what follows */
    bool building;          /* the user's function runs now, */
    pthread_t builder;      /* on this thread */
    bool called;            /* options are fixed from then on */
    fxi_params_plan *plans; /* the last used first, at most FXI_MOST_PLANS, each with a reference */
};
enum { FXI_MOST_PLANS = 8 };

/* The plan for the names of a map, with a reference. `shapes` are those of the inputs, then of the entries.
 * NULL on failure. */
fxi_params_plan *fxi_params_plan_get(fx_params_exec *exec, const fx_params *params, const fx_shape *shapes,
                                     fx_error *err);
/* Drops a reference. */
void fxi_params_plan_free(fxi_params_plan *plan);

/* A map for a graph function: entries of those names with these nodes. NULL: no memory. */
fx_params *fxi_params_of_nodes(fx_graph *graph, const fxi_names *names, fx_node *const *nodes);

#endif
