/* SPDX-License-Identifier: Apache-2.0 */
/* Executables: a graph function together with its compiled programs, one per set of input shapes.
 *
 * Threads. Every function here may be called from any number of threads at once, also on one executable:
 * calls run concurrently, each with its own workspace; the same shapes are compiled once, different shapes
 * at the same time. A thread that calls needs 256 KB of stack on the cpu backend, since it may compile. */
#ifndef FLUXION_EXEC_H
#define FLUXION_EXEC_H

#include <fluxion/backend.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fx_exec fx_exec;

/* Graph functions: (graph) -> node, or 1 to 6 nodes -> node. */
typedef fx_node *(*fx_fn0)(fx_graph *);
typedef fx_node *(*fx_fn1)(fx_node *);
typedef fx_node *(*fx_fn2)(fx_node *, fx_node *);
typedef fx_node *(*fx_fn3)(fx_node *, fx_node *, fx_node *);
typedef fx_node *(*fx_fn4)(fx_node *, fx_node *, fx_node *, fx_node *);
typedef fx_node *(*fx_fn5)(fx_node *, fx_node *, fx_node *, fx_node *, fx_node *);
typedef fx_node *(*fx_fn6)(fx_node *, fx_node *, fx_node *, fx_node *, fx_node *, fx_node *);

/* An executable of a graph function; the short form fx_exec_new(backend, function, err) chooses by the
 * function's type. Nothing is built before the first call. NULL: a NULL backend or function, or no memory.
 * Free with fx_exec_free. */
FX_API fx_exec *fx_exec_new0(fx_backend *backend, fx_fn0 function, fx_error *err);
/* The same of a function of one node. */
FX_API fx_exec *fx_exec_new1(fx_backend *backend, fx_fn1 function, fx_error *err);
/* The same of a function of two nodes. */
FX_API fx_exec *fx_exec_new2(fx_backend *backend, fx_fn2 function, fx_error *err);
/* The same of a function of three nodes. */
FX_API fx_exec *fx_exec_new3(fx_backend *backend, fx_fn3 function, fx_error *err);
/* The same of a function of four nodes. */
FX_API fx_exec *fx_exec_new4(fx_backend *backend, fx_fn4 function, fx_error *err);
/* The same of a function of five nodes. */
FX_API fx_exec *fx_exec_new5(fx_backend *backend, fx_fn5 function, fx_error *err);
/* The same of a function of six nodes. */
FX_API fx_exec *fx_exec_new6(fx_backend *backend, fx_fn6 function, fx_error *err);
/* Graph functions of several results: (graph, out) or (1 to 6 nodes, out), filling out[0 .. n_out - 1]. */
typedef void (*fx_outputs_fn0)(fx_graph *, fx_node **out);
typedef void (*fx_outputs_fn1)(fx_node *, fx_node **out);
typedef void (*fx_outputs_fn2)(fx_node *, fx_node *, fx_node **out);
typedef void (*fx_outputs_fn3)(fx_node *, fx_node *, fx_node *, fx_node **out);
typedef void (*fx_outputs_fn4)(fx_node *, fx_node *, fx_node *, fx_node *, fx_node **out);
typedef void (*fx_outputs_fn5)(fx_node *, fx_node *, fx_node *, fx_node *, fx_node *, fx_node **out);
typedef void (*fx_outputs_fn6)(fx_node *, fx_node *, fx_node *, fx_node *, fx_node *, fx_node *,
                               fx_node **out);

/* An executable with 1 to 2^20 outputs of a function that fills `out`, an array of n_out NULLs; the short
 * form fx_exec_new_outputs(backend, function, n_out, err) chooses by the function's type. Otherwise as
 * fx_exec_new0; one left NULL is an error of the call. */
FX_API fx_exec *fx_exec_new_outputs0(fx_backend *backend, fx_outputs_fn0 function, size_t n_out,
                                     fx_error *err);
/* The same of a function of one node. */
FX_API fx_exec *fx_exec_new_outputs1(fx_backend *backend, fx_outputs_fn1 function, size_t n_out,
                                     fx_error *err);
/* The same of a function of two nodes. */
FX_API fx_exec *fx_exec_new_outputs2(fx_backend *backend, fx_outputs_fn2 function, size_t n_out,
                                     fx_error *err);
/* The same of a function of three nodes. */
FX_API fx_exec *fx_exec_new_outputs3(fx_backend *backend, fx_outputs_fn3 function, size_t n_out,
                                     fx_error *err);
/* The same of a function of four nodes. */
FX_API fx_exec *fx_exec_new_outputs4(fx_backend *backend, fx_outputs_fn4 function, size_t n_out,
                                     fx_error *err);
/* The same of a function of five nodes. */
FX_API fx_exec *fx_exec_new_outputs5(fx_backend *backend, fx_outputs_fn5 function, size_t n_out,
                                     fx_error *err);
/* The same of a function of six nodes. */
FX_API fx_exec *fx_exec_new_outputs6(fx_backend *backend, fx_outputs_fn6 function, size_t n_out,
                                     fx_error *err);
/* The general form: up to 2^20 inputs, 1 to 2^20 outputs, and a pointer handed to the function. A graph
 * function may be called from any thread, but for one executable by one thread at a time. It may call other
 * executables, but not its own nor one whose function calls its own. */
FX_API fx_exec *fx_exec_new_fn(fx_backend *backend, fx_fn function, size_t n_in, size_t n_out, void *user,
                               fx_error *err);

/* Receives the value of a node marked with fx_log_node, in each run; the tensor is valid during the
 * callback, which must not keep a reference. Called from the thread that runs the call, which counts for
 * max_concurrent until the callback returns. */
typedef void (*fx_node_log_fn)(const char *label, const fx_tensor *value, const char *file, int line,
                               void *user);

typedef struct fx_exec_options {
    size_t size;        /* sizeof(fx_exec_options), or 0 */
    int max_concurrent; /* most calls that run at once, others wait; 0: no limit */
    int cache_limit;    /* most compiled programs kept, the least recently used goes first; 0: 32 */
    fx_node_log_fn log; /* NULL: marked nodes cost nothing */
    void *log_user;
    bool trace_nan; /* a call with a NaN in an output fails with FX_ERROR_NAN, naming the first node, of the
                       function or of a gradient, that made one of operands without NaN, and its place. Such
                       a call is computed once more by the interpreter; donated inputs are left alone */
    int replicas; /* how many times the program runs side by side, each on a device of its own with arguments
                     of its own, exchanging values by the operations of collective.h; fx_replica_id (mesh.h)
                     tells them apart. 0 or 1: once. With more, fx_exec_call_replicas calls it. A program with
                     shardings runs on all devices of its mesh anyway and takes none. interp runs as many as
                     memory allows, each on a thread; pjrt has a device for each; cpu has one. Not together
                     with trace_nan */
} fx_exec_options;

/* Sets options; before the first call or compilation only. False: a NULL, a negative number, or it is too
 * late. */
FX_API bool fx_exec_configure(fx_exec *exec, const fx_exec_options *options, fx_error *err);

/* Frees it; no call may be running. Tensors it returned stay valid. NULL-safe. */
FX_API void fx_exec_free(fx_exec *exec);

typedef enum fx_arg_kind {
    FX_ARG_SCALAR = 0,
    FX_ARG_VEC = 1,
    FX_ARG_HOST = 2,
    FX_ARG_TENSOR = 3,
    FX_ARG_DONATED = 4
} fx_arg_kind;

/* One argument of a call: a C scalar, a C vector, a nested array, or a tensor; made by FX_ARG(x) in C and by
 * fx_to_arg in C++. Everything but tensors is read during the call only. */
typedef struct fx_arg {
    fx_arg_kind kind;
    fx_dtype dtype; /* of a scalar: any */
    union {
        double f64; /* and every float below 32 bits, rounded to it */
        float f32;
        int64_t i; /* every integer dtype, wrapped to it, and bool: not 0 */
        float c64[2];
        double c128[2];
        fx_tensor *t;
        fx_vec vec;
        fx_host host;
    } u;
} fx_arg;

/* Runs the function on `n` arguments; n_out outputs into out[], each a new tensor that the caller frees. On
 * failure all out[] are NULL. Errors: a wrong number of arguments or outputs, a NULL or donated-away tensor,
 * whatever building and compiling the graph report, no memory. A donated argument (fx_donate) loses its
 * contents to the call once all arguments were found to be good, also when the call fails later; a call that
 * is refused for its arguments leaves them all as they were. */
FX_API bool fx_exec_call(fx_exec *exec, const fx_arg *args, size_t n, fx_tensor **out, size_t n_out,
                         fx_error *err);
/* The same for a call at a known place, as the macros of call.h know it: an error without a place of its own
 * gets this one. file is copied; NULL: no place. */
FX_API bool fx_exec_call_at(fx_exec *exec, const fx_arg *args, size_t n, fx_tensor **out, size_t n_out,
                            const char *file, int line, fx_error *err);
/* fx_exec_call of all replicas at once. Arguments and outputs are those of replica 0, then of replica 1, and
 * so on: n is replicas times the function's number of inputs, n_out of its outputs. Argument i has the same
 * shape for all replicas. A tensor may be an argument of several replicas, unless it is donated. Without
 * replicas in the options it is fx_exec_call. */
FX_API bool fx_exec_call_replicas(fx_exec *exec, const fx_arg *args, size_t n, fx_tensor **out, size_t n_out,
                                  fx_error *err);
/* fx_exec_call for functions with one output, which it returns. */
FX_API fx_tensor *fx_exec_call1(fx_exec *exec, const fx_arg *args, size_t n, fx_error *err);

/* An argument that gives its memory to the call: the result may be written into it, and the tensor has no
 * contents afterwards (fx_tensor_is_valid is false). The call takes the contents, not the caller's reference:
 * the caller still frees the tensor, before or after its results, and whoever else holds a reference to it
 * finds it without contents too. Refused, at the call, for a tensor passed twice or in use by another call.
 * Do not write to or read from the memory of a donated tensor after the call. */
FX_API fx_arg fx_donate(fx_tensor *tensor);

/* Compiles for these input shapes ahead of time, so that the first call does not wait. */
FX_API bool fx_exec_compile(fx_exec *exec, const fx_shape *shapes, size_t n, fx_error *err);
/* The compiled program for these shapes, compiled now if need be; drop it with fx_program_free. */
FX_API fx_program *fx_exec_program(fx_exec *exec, const fx_shape *shapes, size_t n, fx_error *err);

typedef struct fx_exec_stats {
    size_t size;      /* sizeof(fx_exec_stats), set by the caller */
    int64_t compiled; /* programs compiled so far */
    int64_t cached;   /* programs held now */
    int64_t hits;     /* calls that found their program */
} fx_exec_stats;
/* Fills `stats`; false for NULL. */
FX_API bool fx_exec_statistics(const fx_exec *exec, fx_exec_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
