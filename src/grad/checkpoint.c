/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints: barriers with a mark, and the twins that reverse mode makes of what lies behind them.
 *
 * A node is computed again when an operand is a checkpoint or is itself computed again, unless it is a mark.
 * Its twin has the twins of its operands; the twin of a checkpoint is a barrier that passes the kept value
 * on only after the adjoint that asked first has been computed. That barrier is what keeps the twins from
 * being merged with the originals or computed early. Twins that no rule reads are dead and go. */
#include "grad_internal.h"
#include <fluxion/checkpoint.h>
#include <fluxion/grad.h>

static fx_node *mark(const char *name, fx_node *x, fxi_barrier_mark kind) {
    fxi_build b;
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_MARK, kind);
    if (!fxi_build_begin(&b, name, &x, 1)) return b.stop;
    return fxi_build_node(&b, FX_OP_BARRIER, &x, 1, &attr, 1, NULL);
}

fx_node *fx_checkpoint(fx_node *x) {
    return mark("fx_checkpoint", x, FXI_MARK_CHECKPOINT);
}
fx_node *fx_stop_checkpoint(fx_node *x) {
    return mark("fx_stop_checkpoint", x, FXI_MARK_KEPT);
}

fx_node *fx_stop_gradient(fx_node *x) {
    return mark("fx_stop_gradient", x, FXI_MARK_STOPPED);
}

/* ---- which nodes ---- */

static fxi_barrier_mark mark_of(const fx_node *n) {
    return n->op == FX_OP_BARRIER ? (fxi_barrier_mark)fxi_node_int(n, FXI_ATTR_MARK) : FXI_MARK_NONE;
}

static bool is_again(const fxi_grad_level *level, const fx_node *n) {
    bool any = false;
    for (uint32_t i = 0; i < n->operand_count && !any; i++)
        any = level->again[n->operands[i]->id] || mark_of(n->operands[i]) == FXI_MARK_CHECKPOINT;
    return any && (mark_of(n) == FXI_MARK_NONE || mark_of(n) == FXI_MARK_STOPPED);
}

bool fxi_twins_begin(fxi_grad_level *level) {
    size_t n = level->count, first = 0;
    while (first < n && mark_of(level->graph->nodes.data[first]) != FXI_MARK_CHECKPOINT) first++;
    if (first == n) return true;
    level->again = fxi_alloc_zeroed(n + 1, sizeof *level->again);
    level->twin = fxi_alloc_zeroed(n + 1, sizeof *level->twin);
    if (!level->again || !level->twin) return false;
    for (size_t id = first; id < n; id++) level->again[id] = is_again(level, level->graph->nodes.data[id]);
    return true;
}

/* ---- twins ---- */

static fx_node *twin_of_operand(fxi_grad_walk *w, fxi_grad_level *level, fx_node *operand, fx_node *trigger) {
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_MARK, FXI_MARK_NONE);
    fx_node **twin = &level->twin[operand->id];
    if (!*twin && mark_of(operand) == FXI_MARK_CHECKPOINT)
        *twin =
            fxi_build_node(&w->build, FX_OP_BARRIER, (fx_node *const[]){operand, trigger}, 2, &attr, 1, NULL);
    return *twin ? *twin : operand;
}

static fx_node *make_twin(fxi_grad_walk *w, fxi_grad_level *level, fx_node *n, fx_node *trigger) {
    fx_node **operands = fxi_alloc_zeroed(n->operand_count + 1u, sizeof *operands);
    if (!operands) return fxi_build_refuse(&w->build, FX_ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < n->operand_count; i++)
        operands[i] = twin_of_operand(w, level, n->operands[i], trigger);
    fx_node *made = fxi_inline_node(&w->build, n, operands);
    fxi_free(operands);
    return made;
}

/* Pushes the operands whose twins are wanted first; false: out of memory. */
static bool push_operands(fxi_grad_walk *w, const fxi_grad_level *level, const fx_node *n) {
    for (uint32_t i = 0; i < n->operand_count; i++) {
        const fx_node *operand = n->operands[i];
        if (level->again[operand->id] && !level->twin[operand->id] && !FXI_PUSH(&w->stack, operand->id))
            return false;
    }
    return true;
}

fx_node *fxi_twin_of(fxi_grad_walk *w, fxi_grad_level *level, fx_node *n, fx_node *trigger) {
    if (!level->again || !level->again[n->id]) return n;
    w->stack.count = 0;
    bool ok = level->twin[n->id] || FXI_PUSH(&w->stack, n->id);
    while (ok && w->stack.count > 0 && !fxi_grad_failed(w)) {
        size_t height = w->stack.count;
        fx_node *top = level->graph->nodes.data[w->stack.data[height - 1]];
        ok = push_operands(w, level, top);
        if (!ok || w->stack.count > height) continue;
        size_t since = w->build.graph->nodes.count;
        if (!level->twin[top->id]) level->twin[top->id] = make_twin(w, level, top, trigger);
        fxi_grad_stamp(w, since, top);
        w->stack.count--;
    }
    if (!ok) return fxi_build_refuse(&w->build, FX_ERROR_MEMORY, "out of memory");
    return level->twin[n->id] ? level->twin[n->id] : w->build.stop;
}

/* ---- derivatives of barriers: those of their first operand pass ---- */

static void vjp_barrier(const fxi_vjp *v) {
    v->out[0] = v->adjoints[0];
}
static void jvp_barrier(const fxi_jvp *j) {
    j->out[0] = j->tangents[0];
}
const fxi_grad_rule fxi_gradrule_barrier = {.vjp = vjp_barrier, .jvp = jvp_barrier};
