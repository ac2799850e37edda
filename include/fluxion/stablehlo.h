/* SPDX-License-Identifier: Apache-2.0 */
/* StableHLO text: programs that JAX, PyTorch/XLA, GoMLX and others export, read and run.
 *
 * A module is the text of some functions, parsed and checked for syntax. One of its functions becomes nodes
 * of a graph (fx_module_call) or an executable (fx_exec_new_module). Messages name the place: file, line and
 * column.
 *
 * Threads. A module never changes after it was read: any number of threads may use one. */
#ifndef FLUXION_STABLEHLO_H
#define FLUXION_STABLEHLO_H

#include <fluxion/exec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fx_module fx_module;

/* How a program that checks itself compares what is with what should be (check.expect_* in the text). */
typedef enum fx_check_kind {
    FX_CHECK_EQ = 0,       /* integers and bool bitwise; floats by value, NaN being NaN, -0 being 0 */
    FX_CHECK_CLOSE = 1,    /* at least min_ulp and at most max_ulp steps of the element type apart */
    FX_CHECK_ALMOST_EQ = 2 /* at most `tolerance` apart */
} fx_check_kind;

typedef struct fx_check {
    fx_check_kind kind;
    double tolerance;         /* of FX_CHECK_ALMOST_EQ */
    int64_t min_ulp, max_ulp; /* of FX_CHECK_CLOSE */
    int line;                 /* of the text */
} fx_check;

#ifdef __cplusplus
}
#endif
#endif
