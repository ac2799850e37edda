/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products by name of axis, and the products that other libraries have names for. What ops.h says of
 * dtypes, axes, errors and results holds here: all take numbers and complex numbers of one dtype, and
 * products of float16 and bfloat16 are summed in float32 and rounded once at the end.
 *
 *     fx_einsum("bij,bjk->bik", FX_NODES(x, y))       products of matrices
 *     fx_einsum("ii->i", FX_NODES(x))                 a diagonal
 *     fx_einsum("...ij,...jk,kl", FX_NODES(x, y, z))  chains; axes before the last two broadcast */
#ifndef FLUXION_EINSUM_H
#define FLUXION_EINSUM_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Einstein summation, as in NumPy. The equation has a term per operand, separated by commas, and may have
 * "->" and the term of the result; spaces do not matter. In a term a letter (a-z, A-Z) names an axis, and one
 * "..." stands for the axes that the letters leave, maybe none. Axes of one letter have one dimension and run
 * together, also within an operand (its diagonal); those that the result lacks are summed. The axes of "..."
 * are matched from the right and broadcast: missing or 1 repeats. Without "->" the result has those axes and
 * then, in the order of ASCII, the letters that occur once. With "->" it must have "..." if an operand has
 * axes for it, and no letter twice.
 * The order of the products is that of fewest multiplications for up to 8 operands, else greedily that of the
 * smallest results. At most 64 operands, and 16 axes in any product. */
FX_API fx_node *fx_einsum(const char *equation, fx_nodes operands);

/* Two axes that run together. */
typedef struct fx_axis_pair {
    int lhs, rhs;
} fx_axis_pair;
typedef struct fx_axis_pairs {
    const fx_axis_pair *v;
    size_t n;
} fx_axis_pairs;
/* fx_dot_general with its axes in pairs: those in `contract` are summed, those in `batch` come first in the
 * result, then the others of lhs, then those of rhs. No pairs: the outer product. */
FX_API fx_node *fx_einsum_axes(fx_node *lhs, fx_node *rhs, fx_axis_pairs contract, fx_axis_pairs batch);

/* Sum of products over axes of x paired with axes of y; what is left of x comes first, then that of y. */
FX_API fx_node *fx_tensordot(fx_node *x, fx_node *y, fx_axes x_axes, fx_axes y_axes);
/* fx_tensordot of the last `count` axes of x with the first of y. */
FX_API fx_node *fx_tensordot_count(fx_node *x, fx_node *y, int count);
/* Products of each element of x with each of y, both taken as vectors: [size of x, size of y]. */
FX_API fx_node *fx_outer(fx_node *x, fx_node *y);
/* Kronecker product: each element of x times all of y, in x's place; the lower rank is extended with axes of
 * size 1 on the left. */
FX_API fx_node *fx_kron(fx_node *x, fx_node *y);
/* Sum of conj(x) y over all elements, both taken as vectors of one size. */
FX_API fx_node *fx_vdot(fx_node *x, fx_node *y);
/* Sum of products along the last axes of x and y; what is left of x comes first. A scalar multiplies. */
FX_API fx_node *fx_inner(fx_node *x, fx_node *y);

#ifdef __cplusplus
}
#endif
#endif
