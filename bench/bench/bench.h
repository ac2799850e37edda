/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmark cases: a name, a graph function, and the shapes of its inputs; the runner makes the inputs and takes the times. */
#ifndef FXB_BENCH_H
#define FXB_BENCH_H

#include <fluxion.h>

enum { FXB_MAX_INPUTS = 6, FXB_MAX_OUTPUTS = 4 };

typedef struct fxb_case {
    const char *name;
    fx_fn build; /* general form: n_in inputs, one output unless n_out says more */
    size_t n_in, n_out;
    fx_shape in[FXB_MAX_INPUTS];
    int64_t param; /* handed to build as user; int32 inputs are indices below it */
} fxb_case;

extern const fxb_case fxb_cases[];
extern const size_t fxb_case_count;

#endif
