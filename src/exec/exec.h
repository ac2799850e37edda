/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of an executable: what exec.c, exec_cache.c and call.c share.
 *
 * Locks. `build` is held while the user's function runs, so that it runs on one thread at a time; the
 * cache's mutex is held for a few pointer moves only and is taken inside `build`, never the other way round.
 * Compilation holds neither. */
#ifndef FXI_EXEC_H
#define FXI_EXEC_H

#include "backend/backend.h"
#include <fluxion/call.h>
#include <pthread.h>

typedef enum fxi_entry_phase { FXI_COMPILING, FXI_READY, FXI_FAILED } fxi_entry_phase;

/* One set of input shapes. Owned by the cache and by whoever waits for it. */
typedef struct fxi_cache_entry {
    uint64_t hash;
    fx_shape *shapes;
    size_t count;
    fxi_entry_phase phase;
    int references;                        /* guarded by the cache's mutex */
    bool cached;                           /* still in the map and the list */
    fx_program *program;                   /* READY */
    fx_error error;                        /* FAILED */
    struct fxi_cache_entry *newer, *older; /* in order of use; of a dead entry, older is the next dead one */
} fxi_cache_entry;

typedef struct fxi_exec_cache {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* an entry left COMPILING, or a call ended */
    fxi_map map;
    fxi_cache_entry *newest, *oldest;
    fxi_cache_entry
        *dead; /* nobody's any more; destroyed by whoever holds the mutex next, after releasing it */
    int64_t compiled, hits, held;
    int running;       /* calls in flight, for max_concurrent */
    bool building;     /* the user's function runs now, */
    pthread_t builder; /* on this thread */
} fxi_exec_cache;

typedef union fxi_function {
    fx_fn0 f0;
    fx_fn1 f1;
    fx_fn2 f2;
    fx_fn3 f3;
    fx_fn4 f4;
    fx_fn5 f5;
    fx_fn6 f6;
    fx_outputs_fn0 o0;
    fx_outputs_fn1 o1;
    fx_outputs_fn2 o2;
    fx_outputs_fn3 o3;
    fx_outputs_fn4 o4;
    fx_outputs_fn5 o5;
    fx_outputs_fn6 o6;
    fx_fn general;
} fxi_function;

/* The form of a function: what follows 0 .. 6 nodes, or the general one. */
typedef enum fxi_form { FXI_FORM_RESULT, FXI_FORM_OUTPUTS, FXI_FORM_GENERAL } fxi_form;

typedef struct fxi_signature {
    fxi_function function;
    fxi_form form;
    size_t n_in, n_out;
    void *user;
} fxi_signature;

struct fx_exec {
    fx_backend *backend; /* referenced */
    fxi_signature signature;
    void (*release)(void *user); /* of signature.user, when the executable is freed; NULL: the caller's */
    fx_exec_options options;
    atomic_bool called; /* options are fixed from then on */
    pthread_mutex_t build;
    fxi_exec_cache cache;
};

/* The program for these shapes (signature.n_in of them), one reference: found, waited for, or built now.
 * NULL on failure. */
fx_program *fxi_exec_find(fx_exec *exec, const fx_shape *const *shapes, fx_error *err);
/* Whether this thread runs the executable's function now. Under the cache's mutex. */
static inline bool fxi_cache_is_builder(const fxi_exec_cache *cache) {
    return cache->building && pthread_equal(cache->builder, pthread_self());
}
bool fxi_cache_open(fxi_exec_cache *cache, fx_error *err);
void fxi_cache_close(fxi_exec_cache *cache);
/* fx_exec_call, but a donated tensor loses its contents only to a call that succeeds, or whose run itself
 * took its memory and failed. The arguments were checked: counts, no NULL. */
bool fxi_exec_call_late(fx_exec *exec, const fx_arg *args, fx_tensor **out, fx_error *err);
/* The shape an argument has for the call, which numbers it so in messages. */
bool fxi_arg_shape(const fx_arg *arg, size_t number, fx_shape *shape, fx_error *err);
/* Hands an error on, with the place of a call where it has none. False. */
bool fxi_fail_from(fx_error *err, fx_error *from, const char *file, int line);
/* A caller's options, checked. */
bool fxi_exec_options_read(fx_exec_options *wanted, const fx_exec_options *options, fx_error *err);
/* A caller's shapes, as many as the function takes. */
bool fxi_exec_check_shapes(const char *name, const fx_exec *exec, const fx_shape *shapes, size_t n,
                           fx_error *err);
/* Runs the function for one set of shapes: its graph, finished, as the builders made it. */
fx_graph *fxi_exec_graph(fx_exec *exec, const fx_shape *shapes, fx_error *err);
/* Builds and compiles for one set of shapes; not cached. */
fx_program *fxi_exec_build(fx_exec *exec, const fx_shape *shapes, fx_error *err);

/* True when no output has a NaN; else false, with the first node that made one in err and the outputs freed
 * (nan_trace.c). */
bool fxi_nan_trace(const fx_program *program, const fxi_run_args *run, size_t n_in, size_t n_out,
                   fx_error *err);

/* backends.c: the only file that names backends. */
/* The interpreter, whose meaning of a graph all others share. */
const fxi_backend_ops *fxi_backend_reference(void);
fx_backend *fxi_backend_ref(fx_backend *backend);

#endif
