/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests on generated graphs share: programs of a graph, the checks of one graph, coverage,
 * shrinking.
 *
 * * The check of one graph. Let V be the values of all its nodes from cpu?fusion=off. (1) Each V[n] is
 * compared with what the interpreter makes of V[operands of n], within the bound of n's operation: identical
 * inputs, so that bounds mean something after any number of nodes. (2) The fused program's outputs are
 * bitwise V's outputs. That is asked of every output except those behind a float sum, product or contraction
 * whose value depends on the order of evaluation, for fusing may change the order in which it walks its
 * operands: such a node, when it is an output itself, is compared within its bound. (3) The same for the
 * graph after fxi_passes_run, of every other graph. (4) The same for a loop that has the graph as its body,
 * where that is small enough to be compiled whole. */
#ifndef CHECK_GRAPH_H
#define CHECK_GRAPH_H

#include "backend/cpu/program.h"
#include "support/compare.h"
#include "support/random_graph.h"

/* Nodes met, by op and dtype: [0] as a kernel of their own, [1] sharing a kernel with others. */
typedef struct check_counts {
    int64_t nodes[FX_OP_COUNT][FX_DTYPE_LIMIT][2];
    int64_t native; /* graphs that also ran as the body of a loop over small tensors */
} check_counts;

typedef struct check_backends {
    void *interp, *fused, *unfused; /* states */
} check_backends;

void *check_open(const fxi_backend_ops *backend, const char *key, const char *value, const char *key2,
                 const char *value2);
check_backends check_backends_open(void);
void check_backends_close(check_backends *b);

/* Runs a program of graph on `state`; outputs filled, NULL inputs allowed for none. False with the error. */
bool check_run(const fxi_backend_ops *backend, void *state, const fx_graph *graph, fx_tensor *const *inputs,
               fx_tensor **outputs, fx_error *err);
void check_free(fx_tensor **tensors, size_t n);

/* False with a message; counts may be NULL. */
bool check_graph(const check_backends *b, const random_graph *g, check_counts *counts, char message[400]);
/* Checks it and, when that fails, shrinks the graph and prints the smallest one that fails. */
bool check_and_report(const check_backends *b, const random_graph *g, check_counts *counts);

/* Checks graphs first .. first + count - 1 on as many threads as there are CPUs, all on the same backends;
 * stops after some failures and gives their number. */
int check_range(uint64_t first, uint64_t count, const random_options *options, check_counts *counts);

/* Prints the number of nodes per operation and dtype; gives how many combinations that ops.def allows have a
 * zero. */
int check_counts_report(const check_counts *counts, bool print);

#endif
