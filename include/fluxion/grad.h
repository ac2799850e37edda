/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives. They are nodes like any others, made beside the nodes they differentiate, so they can be
 * differentiated again, to any order. The rules at the head of ops.h hold here too; results as in
 * control.h: all are written to results[0], results[1], ... (NULL when only the first is wanted), the first
 * is also returned, and after an error they are inert or NULL.
 *
 * What is differentiated by (`wrt`) may be any nodes, not only parameters: the derivative is by something
 * added to the node. Where one of them depends on another, what it passes on counts for that one too. They,
 * the outputs and what is given besides may lie in the graph being built or in graphs that
 * enclose it; derivatives are made in the innermost. Integers and bool carry no derivatives: to ask for one
 * is an error that names the node. A node on which nothing depends gets zeros. An operation that has no
 * derivative, on the way from wrt to the outputs, is an error that names the node and why.
 *
 * At awkward places: abs, relu, hypot, atan2 and norms have derivative 0 at 0, and so has pow(x, y) by y
 * where x is 0 or negative; conversions between floats and fx_reduce_precision pass; clamp passes at its
 * bounds; equal elements share the derivative of max and min; a zero adjoint times an infinite or NaN
 * derivative is zero in elementwise, select, gather and reduce operations, so fx_where(x > 0, sqrt(x), 0)
 * has finite gradients. Products, running ones too, are right with any number of zeros; sorts and
 * selections are differentiated as the permutation they took; of updates that replace one element the last
 * has the derivative, and updates that are dropped have none.
 *
 * Complex: for a real loss L of z = x + iy the gradient is dL/dx + i dL/dy, the direction of steepest
 * ascent: z - rate * gradient descends. */
#ifndef FLUXION_GRAD_H
#define FLUXION_GRAD_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gradients of a loss, a scalar of a float dtype, by each node of wrt: nodes of their dtypes and shapes.
 * Reverse mode: costs a small multiple of the loss, however many there are. */
FX_API fx_node *fx_gradient(fx_node *loss, fx_nodes wrt, fx_node **results);

/* Vector-Jacobian products, reverse mode: for each node of wrt the sum over outputs of adjoint times the
 * derivative of the output by it, of its dtype and shape. One adjoint per output, of its dtype and shape, or
 * NULL for zero. Outputs of integers or bool take NULL only. */
FX_API fx_node *fx_vjp(fx_nodes outputs, fx_nodes adjoints, fx_nodes wrt, fx_node **results);

/* Jacobian-vector products, forward mode: for each output the sum over wrt of the derivative by it times its
 * tangent, of the output's dtype and shape (zeros for integers and bool). One tangent per node of wrt, of its
 * dtype and shape, or NULL for zero. Costs a small multiple of the outputs, however many there are, and
 * keeps nothing for later. */
FX_API fx_node *fx_jvp(fx_nodes outputs, fx_nodes wrt, fx_nodes tangents, fx_node **results);

/* x, of any dtype, counting as a constant: derivatives do not pass through it. Costs nothing. */
FX_API fx_node *fx_stop_gradient(fx_node *x);

/* A function with a derivative of its own. forward gives n_results >= 1 nodes from the inputs, of any
 * dtypes and shapes; results as in control.h. backward gives the adjoints of the inputs: in[] holds the
 * inputs, the results and, for each result, its adjoint (zeros where none arrived, and for integers and
 * bool); out[i] is the adjoint of input i, of its dtype and shape, or left NULL: zero. Both are closures
 * (graph.h) and get `user`. They may capture; to differentiate by what forward captured is an error, since
 * backward does not know it. Second derivatives are those of backward. Forward mode (fx_jvp, and
 * fx_jacobian where it takes columns) transposes backward and is right only if that is linear in the
 * adjoints: of a backward that clips or normalizes them it gives something else. */
FX_API fx_node *fx_custom_gradient(fx_nodes inputs, fx_fn forward, fx_fn backward, void *user,
                                   size_t n_results, fx_node **results);

/* The value of a loss and its gradients by the inputs of the function that gives it: a closure (graph.h) of
 * one output, a scalar of a float dtype. It may capture; what it captures counts as constant, also where it
 * depends on an input. Gives the loss and writes gradients[0], gradients[1], ..., one per input, NULL for
 * those of integers or bool; inert or NULL after an error. */
FX_API fx_node *fx_value_and_gradient(fx_fn loss, void *user, fx_nodes inputs, fx_node **gradients);

/* All derivatives of the elements of output by the elements of each node of wrt: results of that node's
 * dtype and of the dimensions of output followed by those of the node. Made by one batch (vmap.h) of
 * vector-Jacobian products, one per element of output, or where wrt has fewer elements of Jacobian-vector
 * products, one per element of wrt. A complex output needs `holomorphic`: the promise that it is a complex
 * function of each node of wrt, all complex, with one complex derivative. A real output by a complex node
 * gives gradients, as fx_gradient does. */
FX_API fx_node *fx_jacobian(fx_node *output, fx_nodes wrt, bool holomorphic, fx_node **results);

/* All second derivatives of a loss, a scalar of a float dtype, by pairs of nodes of wrt, of float dtypes:
 * results[i * wrt.n + k], of the dimensions of node i followed by those of node k and of node i's dtype, is
 * the derivative by node k of the gradient by node i. Forward over reverse mode, a batch of one
 * Jacobian-vector product per element of wrt. */
FX_API fx_node *fx_hessian(fx_node *loss, fx_nodes wrt, fx_node **results);

#ifdef __cplusplus
}
#endif

#endif
