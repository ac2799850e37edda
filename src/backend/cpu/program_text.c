/* SPDX-License-Identifier: Apache-2.0 */
/* The compiled form of a program as text: one line per step. */
#include "program.h"

static const char *const form_names[] = {"", "map", "row", "column", "rows"};

/* The reductions of a ROWS, by the sweep that accumulates them. */
static void add_sweeps(const fxi_kernel *k, fxi_text *t) {
    for (int i = 0; i < k->head.instrs; i++) {
        const fxi_instr *n = &k->instrs[i];
        if (n->kind == FXI_INSTR_RESULT)
            fxi_text_add(t, " %s@%d", fxi_reduce_kind_name((fxi_reduce_kind)n->element.word), n->level - 1);
    }
    fxi_text_add(t, " sweeps=%d buffers=%d", k->head.sweeps, k->head.row_buffers);
}

static void add_operations(const fxi_kernel *k, fxi_text *t) {
    fxi_text_add(t, " {");
    for (int i = 0; i < k->head.instrs; i++) {
        const fxi_instr *n = &k->instrs[i];
        if (n->kind == FXI_INSTR_ELEMENT) fxi_text_add(t, " %s", fxi_op_info_of((fx_op)n->element.op)->text);
    }
    fxi_text_add(t, " }");
}

static void add_kernel(const fxi_cpu_program *p, const fxi_step *s, fxi_text *t) {
    const fxi_kernel_head *h = &s->kernel.head;
    fxi_text_add(t, "kernel %s", form_names[h->form]);
    if (h->partial) fxi_text_add(t, " partial");
    if (h->stream) fxi_text_add(t, " stream");
    bool reduces = h->form == FXI_FORM_ROW || h->form == FXI_FORM_COLUMN;
    if (h->form == FXI_FORM_ROWS) add_sweeps(&s->kernel, t);
    if (reduces)
        fxi_text_add(t, " %s%s", h->reduce_arg ? "arg_" : "",
                     fxi_reduce_kind_name((fxi_reduce_kind)h->reduce_kind));
    if (h->rows) fxi_text_add(t, " rows=%d", h->rows);
    fxi_text_add(t, " lanes=%dx%d%s ops=%d outer=%lld inner=%lld", h->lanes, h->unroll,
                 h->exact ? "" : " masked", h->instrs, (long long)s->tiling.outer,
                 (long long)s->tiling.inner);
    if (reduces) fxi_text_add(t, " reduce=%lld", (long long)s->tiling.reduce);
    fxi_text_add(t, " tasks=%lld code=%p", (long long)s->tiling.tasks, (void *)s->code);
    add_operations(&s->kernel, t);
    (void)p;
}

/* Kernels that run on finished rectangles: their operations. */
static void add_epilogues(const fxi_step *s, fxi_text *t) {
    for (size_t i = 0; i < s->epilogues.count; i++) {
        const fxi_kernel *k = &s->epilogues.data[i].kernel;
        fxi_text_add(t, " + epilogue");
        add_operations(k, t);
    }
}

static void add_place(const fxi_cpu_program *p, int value, fxi_text *t) {
    const fxi_value_info *v = &p->plan.values.data[value];
    if (v->output >= 0)
        fxi_text_add(t, " output%d", v->output);
    else if (v->offset >= 0)
        fxi_text_add(t, " ws+%lld", (long long)v->offset);
    else if (v->node && v->node->op == FX_OP_PARAMETER)
        fxi_text_add(t, " input%lld", (long long)fxi_node_int(v->node, FXI_ATTR_INDEX));
    else
        fxi_text_add(t, " constant");
}

static void add_steps(const fxi_cpu_program *p, fxi_text *t, int depth);

static const char *name_of(const fx_node *n) {
    if (n->op == FX_OP_COMPOSITE) return fxi_node_attr(n, FXI_ATTR_NAME)->u.text;
    return fxi_op_info_of(n->op)->text;
}

/* The closures of a step, indented under it; they nest FXI_MAX_NESTING deep at most. */
static void add_bodies(const fxi_control *c, fxi_text *t, int depth) {
    for (size_t k = 0; k < c->body_count; k++) {
        fxi_text_add(t, "%*sclosure %zu\n", 4 * depth, "", k);
        add_steps(c->bodies[k], t, depth);
    }
}

static void add_steps(const fxi_cpu_program *p, fxi_text *t, int depth) {
    static const char *const kinds[] = {"kernel", "gemm", "bitcast", "unpack",
                                        "pack",   "copy", "library", "control"};
    for (size_t i = 0; i < p->plan.steps.count; i++) {
        const fxi_step *s = &p->plan.steps.data[i];
        fxi_text_add(t, "%*s%3zu ", 4 * depth, "", i);
        if (s->kind == FXI_STEP_KERNEL)
            add_kernel(p, s, t);
        else if (s->kind == FXI_STEP_GEMM) {
            fxi_text_add(t, "gemm %s m=%lld n=%lld k=%lld %s", fx_dtype_name(s->gemm.dtype),
                         (long long)s->gemm.m, (long long)s->gemm.n, (long long)s->gemm.k,
                         fxi_gemm_text(s->product));
            add_epilogues(s, t);
        } else
            fxi_text_add(t, "%s %s%s", kinds[s->kind], name_of(s->node),
                         s->control && s->control->code ? " native" : "");
        fxi_plan_add_origin(&p->plan, s, t);
        fxi_text_add(t, " :");
        for (size_t k = 0; k < s->buffers.count; k++)
            if (!fxi_step_writes(s, k))
                add_place(p, s->buffers.data[k], t);
        fxi_text_add(t, " ->");
        add_place(p, s->written, t);
        for (size_t k = 0; k < s->also; k++) add_place(p, s->buffers.data[k], t);
        for (size_t k = 3; k < s->buffers.count && s->epilogues.count > 0; k++)
            if (fxi_epilogues_write(s, s->buffers.data[k])) add_place(p, s->buffers.data[k], t);
        fxi_text_add(t, " ");
        fxi_shape_add_text(t, &s->node->shape);
        if (s->node->file) fxi_text_add(t, "  %s:%d", s->node->file, s->node->line);
        fxi_text_add(t, "\n");
        if (s->control) add_bodies(s->control, t, depth + 1);
    }
}

void fxi_program_add_text(const fxi_cpu_program *p, fxi_text *t) {
    add_steps(p, t, 0);
    fxi_text_add(t, "workspace %lld bytes, %lld kernels\n", (long long)p->memory.workspace,
                 (long long)p->memory.kernels);
}
