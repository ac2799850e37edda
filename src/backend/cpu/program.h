/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled program: the plan's steps with machine code, constants in their unpacked form, and the table
 * through which kernels find their buffers. */
#ifndef FXI_PROGRAM_H
#define FXI_PROGRAM_H

#include "base/pages.h"
#include "cpu.h"
#include "plan/step.h"
#include "tiny/tiny.h"

typedef struct fxi_cpu_state {
    fxi_plan_options plan;
    fxi_pool *pool;
    fxi_pages *pages;
    bool check_ranges; /* debug=ranges */
    bool poison;       /* debug=poison */
} fxi_cpu_state;

/* How one entry of the table is found at a call. */
typedef enum fxi_slot_kind {
    FXI_SLOT_CONSTANT,
    FXI_SLOT_INPUT,
    FXI_SLOT_OUTPUT,
    FXI_SLOT_WORKSPACE
} fxi_slot_kind;
typedef struct fxi_slot {
    fxi_slot_kind kind;
    int number;     /* of the input or output */
    int64_t offset; /* in the workspace */
    void *constant;
} fxi_slot;

/* Parameters whose memory an output may take over when they are donated: numbers, in the order of trying. */
enum { FXI_MOST_DONORS = 6 };
typedef struct fxi_donors {
    int count;
    int number[FXI_MOST_DONORS];
} fxi_donors;
static inline bool fxi_donors_have(const fxi_donors *donors, int64_t number) {
    for (int i = 0; i < donors->count; i++)
        if (donors->number[i] == number) return true;
    return false;
}

typedef struct fxi_cpu_program {
    fxi_cpu_state *state;
    fxi_plan plan;
    FXI_VEC(fxi_slot) slots;   /* by table position */
    int *slot_of_value;        /* -1: not used by any step */
    FXI_VEC(void *) constants; /* unpacked copies, owned */
    fxi_donors *donors;        /* by output */
    fx_memory memory;
} fxi_cpu_program;

/* Compiles a graph; inner: of a closure, to be run by fxi_program_run_inner only, else NULL. */
fxi_cpu_program *fxi_program_compile(fxi_cpu_state *state, const fx_graph *graph, const fxi_inner *inner,
                                     fx_error *err);
void fxi_program_free(fxi_cpu_program *program);
bool fxi_program_run(fxi_cpu_program *program, const fxi_run_args *args, fx_error *err);
/* Inside another program's step: parameters and outputs at given addresses, in memory form, which do not
 * overlap but for outputs that share memory; workspace: fxi_program_inner_bytes, 64-byte aligned. Of args
 * only the log is used. */
bool fxi_program_run_inner(fxi_cpu_program *program, char *const *inputs, char *const *outputs,
                           char *workspace, const fxi_run_args *args, fx_error *err);
int64_t fxi_program_inner_bytes(const fxi_cpu_program *program);
void fxi_program_add_text(const fxi_cpu_program *program, fxi_text *text); /* program_text.c */

/* step_run.c: runs one step; table holds the address of every slot. */
bool fxi_step_run(const fxi_cpu_program *program, const fxi_step *step, char *const *table,
                  const fxi_run_args *args, fx_error *err);

/* ---- control_run.c: loops, branches and scans, whose closures are programs of their own ---- */
typedef struct fxi_control {
    const fx_node *node;
    fxi_cpu_program **bodies;
    size_t body_count;
    int64_t pointers;   /* room for addresses, in bytes, at the start of the workspace */
    int64_t state_bank; /* bytes of a second copy of the states that need one */
    int64_t inner;      /* bytes of the closures' workspace */
    uint64_t staying;   /* by state: never moves once written; of the first 64 */
    int *shared;        /* by state: the stacked result or earlier state whose memory it is, or -1 */
    int *ahead;         /* the stacked result into whose next row it is written, or -1 */
    fxi_code *code;     /* of a loop over small tensors, compiled whole: there are no bodies then */
    fxi_tiny_fn run;
    int64_t lanes;      /* SORT_BY: pairs that the closure compares at once; else 0 */
    fx_graph *lifted;   /* SORT_BY: what was compiled in place of the closure; NULL: the closure itself */
} fxi_control;

/* Compiles the closures; the recursion ends because they nest FXI_MAX_NESTING deep at most. */
fxi_control *fxi_control_compile(fxi_cpu_state *state, const fx_node *node, fx_error *err);
void fxi_control_free(fxi_control *control);
int64_t fxi_control_workspace(const fxi_control *control); /* bytes */
bool fxi_control_run(const fxi_control *control, char *const *operands, char *const *results, char *workspace,
                     const fxi_run_args *args, fx_error *err);

/* ---- lift.c ---- */
/* A finished graph like body, whose first `lifted` parameters and only output, scalars, are vectors of
 * `lanes` elements, each of which it computes as body computes one. NULL without an error when body does
 * more than combine scalars. */
fx_graph *fxi_lift(const fx_graph *body, size_t lifted, int64_t lanes, fx_error *err);

/* ---- sort_by_run.c: the CONTROL step that sorts by a comparator; control_run.c hands it over ---- */
bool fxi_sort_by_compile(fxi_control *control, fxi_cpu_state *state, fx_error *err);
int64_t fxi_sort_by_workspace(const fxi_control *control);
bool fxi_sort_by_run(const fxi_control *control, char *const *operands, char *const *results, char *workspace,
                     const fxi_run_args *args, fx_error *err);

#endif
