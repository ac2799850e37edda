/* SPDX-License-Identifier: Apache-2.0 */
/* What src/stablehlo shows to the other folders: the text of a finished graph, for backends that compile
 * StableHLO. Programs that read text use <fluxion/stablehlo.h>. */
#ifndef FXI_STABLEHLO_H
#define FXI_STABLEHLO_H

#include "graph/graph.h"
#include <fluxion/stablehlo.h>

typedef struct fxi_stablehlo_options {
    const char *name;       /* begins messages: a public function or a backend; NULL: "stablehlo" */
    bool no_locations;      /* else each operation says the place of the user's call: loc("model.c":12:0) */
    bool inline_composites; /* else a composite is a stablehlo.composite with a function of its own */
    const bool *donated;    /* per parameter, those that may be overwritten: tf.aliasing_output names the
                               first output of the same shape that no other parameter has. NULL: none */
} fxi_stablehlo_options;

/* Adds the module to a growing text: one public function @main with the graph's parameters and outputs in
 * their order, and private ones for composites and for operations that StableHLO does not have. Generic form
 * but for module, func.func and return. False: an operation that cannot be said (a custom_call), or no
 * memory; the error has the node's place where there is one. options NULL: the zero ones. */
bool fxi_stablehlo_text(const fx_graph *graph, const fxi_stablehlo_options *options, fxi_text *text,
                        fx_error *err);
/* The same with the public options, handed to a callback; messages begin with `name`. */
bool fxi_stablehlo_hand_out(const char *name, const fx_graph *graph, const fx_stablehlo_options *options,
                            fx_write_fn write, void *user, fx_error *err);

/* ---- modules that were read (module.c, module_call.c) ---- */
/* One more reference; fx_module_free drops one. */
fx_module *fxi_module_ref(const fx_module *module);
/* As fx_module_call, but out[] receives for each check what is and what should be: n_out is twice their
 * number. */
bool fxi_module_call_checks(const fx_module *module, size_t function, fx_graph *graph, fx_node *const *in,
                            size_t n_in, fx_node **out, size_t n_out, fx_error *err);

#endif
