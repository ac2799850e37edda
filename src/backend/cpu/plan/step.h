/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a program before they are compiled: what the planner's files hand to each other and to
 * program.c. */
#ifndef FXI_STEP_H
#define FXI_STEP_H

#include "../gemm/gemm.h"
#include "../kernels/kernels.h"
#include "fuse.h"
#include "kernel.h"

/* Values are numbered: node ids, then temporaries. */
typedef struct fxi_value_info {
    const fx_node *node; /* NULL for a temporary */
    fx_dtype dtype;      /* element form in memory: 2- and 4-bit integers take a byte each */
    int64_t bytes;       /* unpacked, padded by the planner */
    int first, last;     /* steps between which it lives; first -1: before the program (inputs, constants) */
    int64_t offset;      /* in the workspace, -1: not there */
    int output;          /* number of the graph output that is its memory, -1: none */
    bool packed;         /* an input or constant that stays as it is in its tensor */
    /* While planning: clusters that load a node; the last steps that write and that read the value, -1: none;
     * of what the step of a matrix product writes: that step, else -1, and whether element by element as the
     * product lies (epilogue.c). */
    int readers, written, read, product;
    bool aligned;
} fxi_value_info;

typedef enum fxi_step_kind {
    FXI_STEP_KERNEL,
    FXI_STEP_GEMM,
    FXI_STEP_BITCAST,
    FXI_STEP_UNPACK,
    FXI_STEP_PACK,
    FXI_STEP_COPY,
    FXI_STEP_HOST,
    FXI_STEP_CONTROL,
    FXI_STEP_NOTHING /* moved elsewhere; only while planning */
} fxi_step_kind;

/* How the work of a kernel is cut into calls: tasks run anywhere, blocks inside a task keep the cache
 * warm. All zero-based and fixed by the shapes, so that results do not depend on the thread count. */
typedef struct fxi_tiling {
    int64_t outer, inner, reduce;                /* whole extents */
    int64_t task_outer, task_inner, task_reduce; /* extents of one task */
    int64_t block_outer, block_inner;            /* extents of one call; 0: the whole task */
    int64_t run_outer; /* with blocks: none crosses a multiple of this outer index */
    int64_t tasks;
} fxi_tiling;

typedef struct fxi_step {
    fxi_step_kind kind;
    const fx_node *node;  /* whose place messages name */
    int cluster;          /* that it computes, or helps to; -1: none */
    /* values: of a kernel by slot; of a GEMM its operands, its result, its workspace, then what its epilogues
     * touch besides; else reads, then the written one last */
    FXI_VEC(int) buffers;
    int written;          /* the value this step writes; HOST and CONTROL: the first of several */
    uint32_t also;        /* of a kernel: the first buffers, which are written besides */
    uint32_t reads;       /* HOST and CONTROL: number of buffers that are read; the others are written */
    fxi_kernel kernel;    /* arrays inside key */
    void *key;
    size_t key_bytes;
    int64_t *params;
    int param_count;
    fxi_tiling tiling;
    /* By slot: every read of it happens before its memory is written, index by index or as a library kernel
     * promises for its first operand, so that memory may be shared. */
    uint64_t in_place;
    fxi_gemm_shape gemm;
    int64_t operand_offset[2]; /* of a GEMM: bytes from the start of each operand's memory */
    fxi_code *code;            /* program.c */
    fxi_kernel_fn run;
    fxi_gemm *product;
    FXI_VEC(struct fxi_step) epilogues; /* of a GEMM: kernels that run on its finished rectangles, in order */
    int workspace;            /* temporary value that a GEMM, library kernel or closure works in, -1: none */
    struct fxi_control *control; /* program.c */
    const fxi_host_kernel *host; /* of a HOST */
    uint32_t packed;             /* of a HOST: operands that are packed */
    void *state;                 /* of a library kernel that prepares one */
    void (*release)(void *state);
} fxi_step;

/* What a plan is made for; kept by the backend as long as its programs. */
typedef struct fxi_plan_options {
    const fxi_target *target;
    const fxi_composite_kernel *composites; /* those that have kernels */
    bool unfused;                           /* fuse nothing, and let no two values share memory */
} fxi_plan_options;

typedef struct fxi_plan {
    const fx_graph *graph;
    const fxi_plan_options *options;
    fxi_fusion fusion;
    FXI_VEC(fxi_value_info) values;
    FXI_VEC(fxi_step) steps;
    FXI_VEC(const fx_node *) results; /* live RESULT nodes, by operand and number */
    int cluster;       /* at hand, -1: none */
    int64_t workspace; /* bytes */
    bool inner;        /* of a closure: inputs and outputs are in memory form, at any address */
    size_t states;     /* of a loop's body: the first outputs, which may share memory (fxi_plan_shared) */
} fxi_plan;

/* What a closure is compiled for; none for a whole program. */
typedef struct fxi_inner {
    size_t states; /* leading outputs that a loop carries to its next round, which only reads them */
} fxi_inner;
/* Everything but memory (fxi_plan_memory), for which the workspaces of closures must be known. */
bool fxi_plan_make(fxi_plan *plan, const fx_graph *graph, const fxi_plan_options *options,
                   const fxi_inner *inner, fx_error *err);
/* The output before it whose memory output k of a body is, k itself when it has its own. A value that is
 * several states is one; a value that is a state and a stacked result (the first one) is written once, and
 * the state is read from the stack. Whoever runs the body gives both the same address. */
size_t fxi_plan_shared(const fx_graph *body, size_t states, size_t k);
/* The state that stacked result k of a body is as the round found it, if the state is to be written into the
 * stack's next row a round before, so that nothing is left to be done for that result; else `states`. */
size_t fxi_plan_awaited(const fx_graph *body, size_t states, size_t k);
void fxi_plan_free(fxi_plan *plan);
void fxi_step_free(fxi_step *step); /* what it owns */

int fxi_plan_add_value(fxi_plan *plan, fx_dtype dtype,
                       int64_t elements); /* a temporary; -1: no memory or too large */
fxi_step *fxi_plan_add_step(fxi_plan *plan, fxi_step_kind kind, const fx_node *node); /* NULL: no memory */

/* kernel_plan.c: one or two kernels (partial sums, then their combination) for a cluster. */
bool fxi_plan_kernel(fxi_plan *plan, const fxi_cluster *cluster, fx_error *err);
/* Marks what makes clusters of rows not suit their kernel's form: what they write besides, then their
 * reductions. False: there was something. */
bool fxi_plan_check_rows(fxi_plan *plan, bool *apart);
/* The elements a load entry sees, along the wanted loops in order, written densely into a temporary. */
bool fxi_plan_dense_copy(fxi_plan *plan, const fxi_cluster *cluster, int entry, const bool *wanted,
                         int temporary, fx_error *err);
/* dot_plan.c */
bool fxi_plan_dot(fxi_plan *plan, const fxi_cluster *cluster, const fxi_target *target, fx_error *err);
/* What a step consists of: its epilogues, or itself. */
static inline size_t fxi_step_parts(const fxi_step *s) {
    return s->epilogues.count ? s->epilogues.count : 1;
}
static inline fxi_step *fxi_step_part(fxi_step *s, size_t i) {
    return s->epilogues.count ? &s->epilogues.data[i] : s;
}
/* Whether a kernel among the epilogues writes a value. */
static inline bool fxi_epilogues_write(const fxi_step *s, int value) {
    for (size_t i = 0; i < s->epilogues.count; i++) {
        const fxi_step *e = &s->epilogues.data[i];
        if (e->written == value) return true;
        for (size_t k = 0; k < e->also; k++)
            if (e->buffers.data[k] == value) return true;
    }
    return false;
}
/* Whether the step writes its buffer number k (its workspace included). */
static inline bool fxi_step_writes(const fxi_step *s, size_t k) {
    if (s->kind == FXI_STEP_HOST || s->kind == FXI_STEP_CONTROL) return k >= s->reads;
    if (s->epilogues.count > 0 && fxi_epilogues_write(s, s->buffers.data[k])) return true;
    return k < s->also || s->buffers.data[k] == s->written || s->buffers.data[k] == s->workspace;
}
/* memory.c: offsets of all values that are neither inputs, constants nor outputs. reuse false: no two
 * share memory. */
bool fxi_plan_memory(fxi_plan *plan, bool reuse, fx_error *err);

/* origin.c: the names of the composites of which a step computes everything, for the program's text. */
void fxi_plan_add_origin(const fxi_plan *plan, const fxi_step *step, fxi_text *text);

#endif
