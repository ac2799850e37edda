/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmark cases: a name, a graph function, and the shapes of its inputs; the runner makes the inputs and takes the times. */
#ifndef FXB_BENCH_H
#define FXB_BENCH_H

#include <fluxion.h>

enum { FXB_MAX_INPUTS = 128, FXB_MAX_OUTPUTS = 128, FXB_MAX_LISTED = 6 };

typedef struct fxb_case {
    const char *name;
    fx_fn build; /* general form: n_in inputs, one output unless n_out says more */
    size_t n_in, n_out;
    fx_shape in[FXB_MAX_LISTED];
    int64_t param; /* handed to build as user; int32 inputs are indices below it */
    void (*shapes)(fx_shape *in); /* of cases with more inputs than `in` can list; NULL: `in` */
} fxb_case;

extern const fxb_case fxb_cases[], fxb_training_cases[];
extern const size_t fxb_case_count, fxb_training_case_count;

/* One step of an LSTM (cases.c); states h and s, gates i, f, g, o side by side; user: w and u. */
void fxb_lstm_step(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user);

/* One case on two backends (agree.c): prints how far apart the results are; false when one failed or integers differ. */
bool fxb_agree(const fxb_case *c, const fx_arg *args, fx_exec *ours, fx_exec *theirs);

#endif
