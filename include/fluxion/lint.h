/* SPDX-License-Identifier: Apache-2.0 */
/* A look at what may go wrong with a gradient, before anything runs. */
#ifndef FLUXION_LINT_H
#define FLUXION_LINT_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A node on the way from wrt to the outputs whose derivative is infinite or NaN for some values. */
typedef struct fx_lint {
    const fx_node *node;
    const char *op;     /* "sqrt"; static storage, as the next */
    const char *where;  /* "x = 0": operands in the order x, y, z */
    const char *file;   /* of the call that made it, as fx_node_file; NULL: unknown */
    int line;
    bool shielded; /* every way on passes a select, whose zero adjoint keeps the derivative from being used
                      where the select takes its other operand: strong zeros (grad.h) */
} fx_lint;

/* Fills list[] with at most `capacity` of them, in the order of the nodes, and gives their number, which may
 * be larger; 0 for NULL or invalid arguments. What is known of operands counts: sqrt(exp(x)), log(x * x + 1),
 * x / 2 are not listed. Nodes inside closures are not looked at; the operation that runs them is listed if
 * it itself qualifies. Reads the graph, adds nothing; the graph may be finished. */
FX_API size_t fx_gradient_lint(fx_nodes outputs, fx_nodes wrt, fx_lint *list, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
