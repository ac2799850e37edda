/* SPDX-License-Identifier: Apache-2.0 */
/* What lowerings are written with. They call the public builders, which broadcast scalars; an error in one of
 * them stays in the graph, and the nodes after it are inert. */
#ifndef FXI_LOWER_BUILD_H
#define FXI_LOWER_BUILD_H

#include "stablehlo/lower.h"
#include <fluxion/shape.h>

/* The end of a lowering of one result. */
static inline bool fxi_lower_give(fx_node **results, fx_node *made) {
    results[0] = made;
    return made && made->op != FX_OP_INERT;
}
/* A node that is to be written as it is, though others of its kind are lowered. */
static inline fx_node *fxi_lower_as_it_is(fx_node *made) {
    if (made && made->op != FX_OP_INERT) made->lowered = true;
    return made;
}
/* A scalar of like's dtype. */
static inline fx_node *fxi_lower_number(const fx_node *like, double value) {
    return fxi_build_scalar(like->graph, like->shape.dtype, value);
}
static inline fx_node *fxi_lower_integer(const fx_node *like, int64_t value) {
    return fx_scalar_int(like->graph, like->shape.dtype, value);
}
/* Sign and exponent of a float's bits. */
typedef struct fxi_float_layout {
    fx_dtype word, number; /* unsigned and signed integers of its width */
    int bits, mantissa, bias;
} fxi_float_layout;
fxi_float_layout fxi_lower_layout(fx_dtype dtype);
/* 2^n for whole n of a float dtype, as long as it is a normal number. */
fx_node *fxi_lower_power_of_two(fx_node *n);
/* x = m 2^e of a positive normal x, m in [sqrt(1/2), sqrt(2)); e in x's dtype. */
fx_node *fxi_lower_split(fx_node *x, fx_node **exponent);

#endif
