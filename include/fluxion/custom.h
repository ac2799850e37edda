/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of the user's own, written in C: opaque to the library, which hands over tensors and takes
 * tensors back. */
#ifndef FLUXION_CUSTOM_H
#define FLUXION_CUSTOM_H

#include <fluxion/graph.h>
#include <fluxion/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A user's operation. The struct, and what it points to, must live as long as any graph or program that
 * uses it. */
typedef struct fx_custom {
    size_t size;      /* sizeof(fx_custom), or 0: the members up to user */
    const char *name; /* in messages and dumps */
    /* Writes every element of the outputs, whose dtypes and shapes are those given to fx_custom_call, from
     * the inputs, which must not be written; no tensor may be kept. Packed dtypes (below 8 bits) come and
     * go packed. It must depend on the inputs alone, since calls may be left out, repeated or shared, and
     * be callable from any number of threads at once. False: failed; err (never NULL) then holds what the
     * caller of the program gets, and if it holds nothing, a message with the name. */
    bool (*run)(const fx_tensor *const *inputs, size_t n_inputs, fx_tensor *const *outputs, size_t n_outputs,
                void *user, fx_error *err);
    void *user; /* handed to run, vjp and jvp */
    /* Derivatives, or NULL: to ask for one is an error then. They are closures (graph.h) that build nodes, in
     * the graph where derivatives are made, and are run whenever one is.
     *
     * vjp, reverse mode: in[] holds the inputs, the outputs, and for each output its adjoint (zeros where
     * none arrived, and for integers and bool). out[i], of input i's dtype and shape: the adjoint of input i;
     * left NULL: zero. Those of integer and bool inputs are not read. */
    fx_fn vjp;
    /* jvp, forward mode: in[] holds the inputs, the outputs, and for each input its tangent (zeros likewise).
     * out[i], of output i's dtype and shape: its tangent; left NULL: zero. */
    fx_fn jvp;
} fx_custom;

/* Calls the operation on any number of operands (at least one, any dtypes and shapes). result_shapes:
 * n_results >= 1 valid shapes, copied; whoever calls knows what they are for these operands. results as in
 * control.h. Runs on the cpu and interp backends. */
FX_API fx_node *fx_custom_call(const fx_custom *custom, fx_nodes operands, const fx_shape *result_shapes,
                               size_t n_results, fx_node **results);

#ifdef __cplusplus
}
#endif
#endif
