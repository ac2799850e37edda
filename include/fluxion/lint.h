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
    const char *op;    /* "sqrt"; static storage, as the next */
    const char *where; /* "x = 0": operands in the order x, y, z */
    const char *file;  /* of the call that made it, as fx_node_file; NULL: unknown */
    int line;
} fx_lint;

/* Fills list[] with at most `capacity` of them, in the order of the nodes, those of closures after the node
 * that runs them, and gives their number, which may be larger; 0 for NULL, and for nodes of different
 * graphs. What is known of operands counts: sqrt(cosh(x)), log(x * x + 1), x / 2 are not listed. Overflow is
 * not looked for. Where a select or another zero adjoint keeps such a derivative out, strong zeros (grad.h)
 * make it harmless. Reads the graph and adds nothing; the graph may be finished. */
FX_API size_t fx_gradient_lint(fx_nodes outputs, fx_nodes wrt, fx_lint *list, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
