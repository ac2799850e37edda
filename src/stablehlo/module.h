/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a module: what module.c works out when a text was read, and module_call.c uses. */
#ifndef FXI_STABLEHLO_MODULE_H
#define FXI_STABLEHLO_MODULE_H

#include "stablehlo/import.h"

typedef struct fxi_module_port { /* an input or output */
    const char *name, *sharding; /* sharding: NULL: none */
    const fxi_hlo_type *type;
    int64_t alias; /* of an input: the output that may have its memory; -1: none */
} fxi_module_port;

typedef struct fxi_module_ports {
    fxi_module_port *v;
    size_t n;
} fxi_module_ports;

typedef struct fxi_module_function {
    const fxi_hlo_function *tree;
    const char *name;
    fxi_module_ports inputs, outputs;
    size_t checks; /* with those of inlined functions */
    enum { FXI_UNCOUNTED, FXI_COUNTING, FXI_COUNTED } state;
} fxi_module_function;

struct fx_module {
    atomic_int references;
    fxi_hlo_module *tree;
    fxi_module_function *functions; /* as many as the tree has, in its arena */
};

#endif
