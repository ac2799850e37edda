/* SPDX-License-Identifier: Apache-2.0 */
/* StableHLO text: programs that JAX, PyTorch/XLA, GoMLX and others export, read and run.
 *
 * A module is the text of some functions, parsed and checked for syntax. One of its functions becomes nodes
 * of a graph (fx_module_call) or an executable (fx_exec_new_module). Messages name the place: file, line and
 * column.
 *
 * Threads. A module never changes after it was read: any number of threads may use one. */
#ifndef FLUXION_STABLEHLO_H
#define FLUXION_STABLEHLO_H

#include <fluxion/exec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A parsed program: functions, numbered from 0 in the order of the text. */
typedef struct fx_module fx_module;

/* Parses a text: one `module { ... }` or functions alone, in the pretty or the generic syntax of MLIR, with
 * operations of the dialects stablehlo (also called mhlo), chlo, func and check. What is not known is skipped
 * where it means nothing for one device (locations, sdy.mesh, attributes of other dialects), and refused when
 * a function that holds it is called. `text` need not be terminated and is copied; `name` begins messages
 * ("name:line:column: what"), NULL: "stablehlo". NULL: a NULL text, something that is no such text
 * (FX_ERROR_FILE, with the line and a mark below it), nesting beyond 1000, or no memory. Free it with
 * fx_module_free. */
FX_API fx_module *fx_module_parse(const char *text, size_t length, const char *name, fx_error *err);
/* The same of a file, whose path begins messages. NULL also when it cannot be read. */
FX_API fx_module *fx_module_read(const char *path, fx_error *err);
/* Frees it; executables made of it go on. NULL-safe. */
FX_API void fx_module_free(fx_module *module);

/* Number of functions; 0 for NULL. */
FX_API size_t fx_module_function_count(const fx_module *module);
/* Name of a function, without the @, valid as long as the module; NULL when there is none of that number. */
FX_API const char *fx_module_function_name(const fx_module *module, size_t function);
/* Whether a function is not marked private. False when there is none. */
FX_API bool fx_module_function_is_public(const fx_module *module, size_t function);
/* Number of the function of that name. NULL: the one that a program begins with, "main" or, without such,
 * the only public one. -1: none. */
FX_API ptrdiff_t fx_module_find(const fx_module *module, const char *name);

/* Number of tensors that a function takes; an argument that is a tuple counts with all its tensors, a token
 * with none. 0 when there is no such function. */
FX_API size_t fx_module_input_count(const fx_module *module, size_t function);
/* Number of tensors that a function gives, likewise. */
FX_API size_t fx_module_output_count(const fx_module *module, size_t function);
/* Shape of an input, valid as long as the module; NULL when there is none, or when the text leaves a
 * dimension open (`?`), which fx_module_call refuses. */
FX_API const fx_shape *fx_module_input_shape(const fx_module *module, size_t function, size_t input);
/* Shape of an output, likewise. */
FX_API const fx_shape *fx_module_output_shape(const fx_module *module, size_t function, size_t output);
/* What the text calls an input: the name of its location (loc("x")), else that of the argument (%x), "arg0"
 * where that is a bare number. Valid as long as the module; NULL when there is no such input. */
FX_API const char *fx_module_input_name(const fx_module *module, size_t function, size_t input);
/* The same of an output: what jax.result_info says, else "out0". */
FX_API const char *fx_module_output_name(const fx_module *module, size_t function, size_t output);
/* The output that may be written into the memory of an input (tf.aliasing_output); -1: none. */
FX_API ptrdiff_t fx_module_input_alias(const fx_module *module, size_t function, size_t input);
/* How an input is split over devices, the attribute sdy.sharding or mhlo.sharding as it is written; NULL:
 * nothing is said. Nodes do not have it: what fx_module_call builds is whole on one device, unless the caller
 * marks it (mesh.h). */
FX_API const char *fx_module_input_sharding(const fx_module *module, size_t function, size_t input);

/* Builds the nodes of a function in `graph`, in which in[] must be visible; functions that it calls are
 * inlined. The nodes carry the lines of the text as their places. out[] receives the results.
 *
 * They are differentiated as any others (grad.h), in forward mode all of them. In reverse mode so are loops
 * that count from a constant to a constant, as exporters write scans, maps and loops of a fixed number of
 * rounds (fx_while says which exactly). A loop that ends by what it computed is refused: let the exporter
 * write the gradient into the program.
 *
 * False, with out[] NULL and the error kept in the graph as a builder's would be: a NULL, no such function,
 * other counts or shapes than its own, an operation or type that no node can stand for
 * (FX_ERROR_UNSUPPORTED: dynamic dimensions, quantized types, sdy.manual_computation, a custom_call to an
 * unknown target, a function that calls itself or is called over 128 deep, more than 2^22 operations and
 * nodes with those of inlined functions, a region of over 2^12 nodes that combines elements), an operation
 * whose result is not of the type that is written, no memory. */
FX_API bool fx_module_call(const fx_module *module, size_t function, fx_graph *graph, fx_node *const *in,
                           size_t n_in, fx_node **out, size_t n_out, fx_error *err);
/* An executable of one function, which holds on to the module. It takes tensors of the shapes that the
 * function is written for. NULL: a NULL, no such function, one without outputs, or no memory; whether the
 * function can be built shows when it is compiled or first called. */
FX_API fx_exec *fx_exec_new_module(fx_backend *backend, const fx_module *module, size_t function,
                                   fx_error *err);

/* How a program that checks itself compares what is with what should be (check.expect_* in the text). */
typedef enum fx_check_kind {
    FX_CHECK_EQ = 0,       /* integers and bool bitwise; floats by value, NaN being NaN, -0 being 0 */
    FX_CHECK_CLOSE = 1,    /* at least min_ulp and at most max_ulp steps of the element type apart */
    FX_CHECK_ALMOST_EQ = 2 /* at most `tolerance` apart */
} fx_check_kind;

typedef struct fx_check {
    fx_check_kind kind;
    double tolerance;         /* of FX_CHECK_ALMOST_EQ */
    int64_t min_ulp, max_ulp; /* of FX_CHECK_CLOSE */
    int line;                 /* of the text */
} fx_check;

enum { FX_MOST_CHECKS = 1 << 20 }; /* that an executable compares */

/* Number of checks that a run of a function makes, those of the functions that it calls included; SIZE_MAX
 * when there are as many or more. */
FX_API size_t fx_module_check_count(const fx_module *module, size_t function);
/* Describes a check, in the order of the run. False when there is none, or when what the text says of it is
 * wrong. */
FX_API bool fx_module_check(const fx_module *module, size_t function, size_t check, fx_check *out);
/* An executable whose outputs are not those of the function but, for each check, what is and then what should
 * be: twice fx_module_check_count tensors. Comparing them is the caller's. NULL as for fx_exec_new_module,
 * and when there is no check or more than FX_MOST_CHECKS (FX_ERROR_UNSUPPORTED). */
FX_API fx_exec *fx_exec_new_checks(fx_backend *backend, const fx_module *module, size_t function,
                                   fx_error *err);

/* ---- writing ---- */

typedef struct fx_stablehlo_options {
    size_t size;            /* sizeof(fx_stablehlo_options), or 0 */
    bool no_locations;      /* else operations say where they were made: loc("model.c":12:0) */
    bool inline_composites; /* else fused operations (fx.softmax, fx.attention, ...) are written as
                               stablehlo.composite, with a function that says what they mean */
} fx_stablehlo_options;

/* Writes a finished graph as a StableHLO module that XLA's plugins and fx_module_parse read: a public
 * function @main, whose arguments and results are the graph's parameters and outputs in their order, and
 * private ones for composites and for operations that StableHLO does not have, which become others that mean
 * the same. Half types are rounded by reduce_precision after every operation. Operations have the generic
 * form. Not written, since a graph does not have them: names of inputs and results, which of them share
 * memory, the shardings of a module that was read. Labels of fx_log_node are not written either.
 *
 * options NULL: the zero ones. False: a NULL, a graph that is not finished, a custom call
 * (FX_ERROR_UNSUPPORTED with its place: a C function has no name outside the process), no memory, or write
 * gave false (FX_ERROR_FILE). The callback is called from this thread, after the whole text was made. */
FX_API bool fx_stablehlo_write(const fx_graph *graph, const fx_stablehlo_options *options, fx_write_fn write,
                               void *user, fx_error *err);
/* The same of the graph that an executable builds for n input shapes, simplified but not compiled: its
 * function is run once. False also for shapes that the function does not take, or an error in it. */
FX_API bool fx_exec_stablehlo(fx_exec *exec, const fx_shape *shapes, size_t n,
                              const fx_stablehlo_options *options, fx_write_fn write, void *user,
                              fx_error *err);

#ifdef __cplusplus
}
#endif
#endif
