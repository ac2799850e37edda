/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the rounds of a scan (scan_rule.h). The adjoint of a captured value is summed over the rounds.
 * Its summands are found by walking down through additions; where one is a product of two values that
 * differ from round to round, both are stacked and one product outside, which contracts the axis of the
 * rounds too, replaces one product a round and the traffic of an accumulator as large as the captured
 * value. That is done while the adjoints that have to be stacked for it are not larger than that traffic.
 * A sum along axes of what is stacked anyway (a bias) goes the same way. What remains is accumulated in
 * the reverse scan. The adjoint of a slice that is a product of such a row with a captured value waits for
 * all rows too. */
#include "ops/batch.h"
#include "scan_rule.h"

/* Linear, the same in all rounds, of one operand: may be done after the sum. */
static bool is_link(const fx_node *n) {
    switch (n->op) {
    case FX_OP_NEG:
    case FX_OP_CONJ:
    case FX_OP_RESHAPE:
    case FX_OP_TRANSPOSE:
    case FX_OP_REVERSE:
    case FX_OP_BROADCAST_IN_DIM: return true;
    case FX_OP_CONVERT: return fxi_grad_carries(n->operands[0]->shape.dtype);
    default: return false;
    }
}

static bool add_term(fxi_scan *s, size_t parameter, fx_node *root) {
    fx_node *core = root;
    while (is_link(core)) core = core->operands[0];
    if (FXI_PUSH(&s->terms, ((fxi_scan_term){parameter, root, core, false}))) return true;
    fxi_build_refuse(s->v->b, FX_ERROR_MEMORY, "out of memory");
    return false;
}

/* The summands of one adjoint; the list of terms is the stack of the walk. */
static bool list_terms(fxi_scan *s, size_t parameter) {
    size_t at = s->terms.count;
    if (!add_term(s, parameter, s->found[parameter])) return false;
    while (at < s->terms.count) {
        fx_node *root = s->terms.data[at].root;
        if (root->op != FX_OP_ADD) {
            at++;
            continue;
        }
        s->terms.data[at] = s->terms.data[--s->terms.count];
        if (!add_term(s, parameter, root->operands[0]) || !add_term(s, parameter, root->operands[1]))
            return false;
    }
    return true;
}

/* ---- which are made outside ---- */

/* Slices, and adjoints of stacked results, have their stacks: the operands of the scan. */
static bool has_stack(const fxi_scan *s, const fx_node *x) {
    if (x->op != FX_OP_PARAMETER) return false;
    for (size_t i = s->states; i < s->outputs; i++)
        if (s->incoming[i] == x) return true;
    size_t index = (size_t)fxi_node_int(x, FXI_ATTR_INDEX);
    return index >= s->states && index < s->states + s->inputs;
}

static bool is_adjoint(const fxi_scan *s, const fx_node *x) {
    return s->depends[x->id] & FXI_SCAN_ADJOINT;
}

static int64_t new_bytes(const fxi_scan *s, const fx_node *x) {
    return is_adjoint(s, x) && !s->row[x->id] && !has_stack(s, x) ? fx_shape_bytes(&x->shape) : 0;
}

static void stack(fxi_scan *s, const fx_node *x) {
    if (has_stack(s, x)) return;
    (is_adjoint(s, x) ? s->row : s->kept)[x->id] = true;
}

static void try_product(fxi_scan *s, fxi_scan_term *term) {
    const fx_node *core = term->core;
    if (core->op != FX_OP_DOT_GENERAL) return;
    const fx_node *x = core->operands[0], *y = core->operands[1];
    if (!s->depends[x->id] || !s->depends[y->id]) return;
    if (x->shape.rank >= FX_MAX_RANK || y->shape.rank >= FX_MAX_RANK) return;
    if (new_bytes(s, x) + new_bytes(s, y) > 2 * fx_shape_bytes(&core->shape)) return;
    stack(s, x);
    stack(s, y);
    term->outside = true;
}

static void try_reduction(const fxi_scan *s, fxi_scan_term *term) {
    const fx_node *core = term->core;
    if (core->op == FX_OP_REDUCE && fxi_node_int(core, FXI_ATTR_KIND) == FXI_SUM)
        term->outside = s->row[core->operands[0]->id] ||
                        (s->depends[core->operands[0]->id] && has_stack(s, core->operands[0]));
}

/* The adjoint of a slice that is a product of a stacked row with what is the same in every round is one
 * product of all rows. NULL: it is something else. */
static fx_node *late_row(const fxi_scan *s, size_t parameter) {
    fx_node *core = s->found[parameter];
    while (core && is_link(core)) core = core->operands[0];
    if (!core || core->op != FX_OP_DOT_GENERAL) return NULL;
    fx_node *x = core->operands[0], *y = core->operands[1];
    if (s->row[x->id] && !s->depends[y->id]) return x;
    return s->row[y->id] && !s->depends[x->id] ? y : NULL;
}

bool fxi_scan_find_sums(fxi_scan *s) {
    s->row = fxi_scan_room(s, s->pair->nodes.count, sizeof *s->row);
    s->kept = fxi_scan_room(s, s->pair->nodes.count, sizeof *s->kept);
    s->late = fxi_scan_room(s, s->parameters, sizeof *s->late);
    if (!s->row || !s->kept || !s->late) return false;
    for (size_t i = s->states + s->inputs; i < s->parameters; i++)
        if (s->found[i] && !list_terms(s, i)) return false;
    for (size_t i = 0; i < s->terms.count; i++) try_product(s, &s->terms.data[i]);
    for (size_t i = 0; i < s->terms.count; i++)
        if (!s->terms.data[i].outside) try_reduction(s, &s->terms.data[i]);
    for (size_t i = s->states; i < s->states + s->inputs; i++) s->late[i] = late_row(s, i) != NULL;
    return true;
}

/* ---- making them ---- */

static fx_node *product(const fxi_scan *s, const fx_node *core) {
    static const fxi_attr_id ids[] = {FXI_ATTR_LHS_BATCH, FXI_ATTR_RHS_BATCH, FXI_ATTR_LHS_CONTRACT,
                                      FXI_ATTR_RHS_CONTRACT};
    fxi_axes_room room[4];
    fxi_attr attrs[4];
    for (int i = 0; i < 4; i++) attrs[i] = fxi_batch_axes(core, ids[i], i >= 2, &room[i]);
    fx_node *const operands[] = {s->stack[core->operands[0]->id], s->stack[core->operands[1]->id]};
    return fxi_build_like(s->v->b, core, operands, attrs, 4, NULL);
}

static fx_node *reduction(const fxi_scan *s, const fx_node *core) {
    fxi_axes_room room;
    const fxi_attr axes = fxi_batch_axes(core, FXI_ATTR_AXES, true, &room);
    return fxi_build_like(s->v->b, core, &s->stack[core->operands[0]->id], &axes, 1, NULL);
}

/* Links are few; each is found from the root again, since nodes know their operands only. */
fx_node *fxi_scan_sum(const fxi_scan *s, const fxi_scan_term *term) {
    const fx_node *done = term->core;
    fx_node *made = done->op == FX_OP_REDUCE ? reduction(s, done) : product(s, done);
    while (done != term->root) {
        const fx_node *link = term->root;
        while (link->operands[0] != done) link = link->operands[0];
        made = fxi_inline_node(s->v->b, link, &made);
        done = link;
    }
    return made;
}

/* What the root is made of down to the row and to captured values. */
static void want_late(const fxi_scan *s, const fx_node *row, bool *wanted) {
    for (size_t id = s->pair->nodes.count; id-- > 0;) {
        const fx_node *n = s->pair->nodes.data[id];
        for (uint32_t i = 0; wanted[id] && n != row && i < n->operand_count; i++)
            wanted[n->operands[i]->id] = true;
    }
    wanted[row->id] = false;
}

fx_node *fxi_scan_late(fxi_scan *s, size_t parameter) {
    size_t count = s->pair->nodes.count;
    const fx_node *row = late_row(s, parameter), *root = s->found[parameter];
    fxi_batch batch = {s->v->b, s->length, fxi_scan_room(s, count, sizeof(fxi_batched))};
    bool *wanted = fxi_scan_room(s, count, sizeof *wanted);
    if (!batch.values || !wanted) return s->v->b->stop;
    wanted[root->id] = true;
    want_late(s, row, wanted);
    for (size_t i = s->states + s->inputs; i < s->parameters; i++)
        batch.values[s->pair->parameters.data[i]->id] = (fxi_batched){s->n->operands[i], false};
    batch.values[row->id] = (fxi_batched){s->stack[row->id], true};
    if (!fxi_batch_inline_some(&batch, s->pair, wanted)) return s->v->b->stop;
    return fxi_batch_spread(&batch, batch.values[root->id]);
}
