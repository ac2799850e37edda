/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules of several tables share: axes out of attributes, operands that must be known while
 * importing, and small compositions. A failure is recorded at the operation's place. */
#ifndef FXI_STABLEHLO_IMPORT_RULES_H
#define FXI_STABLEHLO_IMPORT_RULES_H

#include "stablehlo/import.h"
#include <fluxion/indexing.h>

/* Axes as builders take them; none is negative. */
typedef struct fxi_hlo_axes {
    int v[FX_MAX_RANK];
    size_t n;
} fxi_hlo_axes;
static inline fx_axes fxi_hlo_span_of(const fxi_hlo_axes *axes) {
    return (fx_axes){axes->v, axes->n};
}
/* Axes of an array of that rank; refused when one is out of range, or there are too many. */
bool fxi_hlo_axes_of(fxi_hlo_import *im, const fxi_hlo_op *op, fx_dims ints, int rank, fxi_hlo_axes *axes);
bool fxi_hlo_attr_axes(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, int rank,
                       fxi_hlo_axes *axes);
bool fxi_hlo_attr_axis(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, int rank, int *axis);
bool fxi_hlo_entry_axes(fxi_hlo_import *im, const fxi_hlo_op *op, const fxi_hlo_attr *dict, const char *name,
                        int rank, fxi_hlo_axes *axes);
/* An attribute that holds a dictionary (#stablehlo.gather<...>). NULL after failing. */
const fxi_hlo_attr *fxi_hlo_attr_dict(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name);

/* Refuses unless all numbers are >= `least`. */
bool fxi_hlo_check_least(fxi_hlo_import *im, const fxi_hlo_op *op, const char *what, fx_dims numbers,
                         int64_t least);
/* Refuses operands of different dimensions, from operand `first` on. */
bool fxi_hlo_check_same(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, size_t first);
/* Pairs (low, high) of an attribute `padding`, one for each of n axes, 0 where it is missing; pads has room
 * for FX_MAX_RANK. */
bool fxi_hlo_attr_pads(fxi_hlo_import *im, const fxi_hlo_op *op, size_t n, fx_pad_axis *pads);

/* The integers of an operand that is known while importing: a constant, or what is made of constants by
 * moves, conversions and arithmetic of integers. They live as long as the import. Unsupported otherwise. */
bool fxi_hlo_known_ints(fxi_hlo_import *im, const fxi_hlo_op *op, const fx_node *node, fx_dims *ints);
/* Whether every element is known to be this number: constants and what repeats them. */
bool fxi_hlo_is_all(const fx_node *node, double number);

/* Applies a region of scalars to arrays of equal dimensions, element by element. */
bool fxi_hlo_region_map(fxi_hlo_import *im, const fxi_hlo_region *region, fx_node *const *in, size_t n_in,
                        fx_node **out, size_t n_out);
/* x converted, or x itself. */
fx_node *fxi_hlo_as(fx_node *x, fx_dtype dtype);
/* A scalar repeated to the dimensions of a shape. */
fx_node *fxi_hlo_fill(fx_node *scalar, const fx_shape *dims);
/* One of the combinations of two values that have a name; NULL for FXI_HLO_COMBINE_OTHER. */
fx_node *fxi_hlo_combine_two(fxi_hlo_combine kind, fx_node *x, fx_node *y);
/* The integer dtype of so many bits; FX_INVALID_DTYPE when there is none. */
fx_dtype fxi_hlo_integer(bool is_signed, int bits);
/* chlo.top_k: the k largest along the last axis, and where they are. Floats are in their total order, -NaN
 * last and -0 below +0, where fx_top_k takes any NaN first and zeros for equal. */
fx_node *fxi_hlo_top_k(fx_node *x, int64_t k, fx_dtype places, fx_node **indices);

/* rule_NAME of an operation that is a builder of one operand, or of two of equal dimensions. */
#define FXI_HLO_UNARY_RULE(name, builder)                                                                    \
    static bool rule_##name(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {   \
        (void)im, (void)op;                                                                                  \
        out[0] = builder(in[0]);                                                                             \
        return true;                                                                                         \
    }
#define FXI_HLO_BINARY_RULE(name, builder)                                                                   \
    static bool rule_##name(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {   \
        if (!fxi_hlo_check_same(im, op, in, 0)) return false;                                                \
        out[0] = builder(in[0], in[1]);                                                                      \
        return true;                                                                                         \
    }

#endif
