/* SPDX-License-Identifier: Apache-2.0 */
/* How the gradient of attention is cut into tasks, and what workspace that takes. */
#include "attention_grad.h"

/* Tasks wanted, and parts of the adjoints of queries at most. */
enum { WANTED_TASKS = 16, MOST_PARTS = 8 };

static bool shares(const fxi_attn_term *x, bool wanted, int64_t stride, int64_t extent) {
    return wanted && x->operand >= 0 && stride == 0 && extent > 1;
}

/* What shares an element of an adjoint of bias or mask is one task's work. */
static void cut(fxi_attn *a) {
    const fxi_attn_term *b = &a->bias, *m = &a->mask;
    bool batches =
        shares(b, a->wants_bias, b->batch, a->batch) || shares(m, a->wants_mask, m->batch, a->batch);
    bool heads = shares(b, a->wants_bias, b->head, a->heads) || shares(m, a->wants_mask, m->head, a->heads);
    bool keys = shares(b, a->wants_bias, b->key, a->keys) || shares(m, a->wants_mask, m->key, a->keys);
    a->batch_cuts = batches ? 1 : a->batch;
    a->head_cuts = heads ? 1 : a->key_heads;
    a->block_count = fxi_size_ceil_div(a->keys, FXI_ATTN_KEYS);
    int64_t others = a->batch_cuts * a->head_cuts;
    a->tasks = 0;
    if (others == 0 || a->block_count == 0 || a->queries == 0) return;
    a->key_cuts = keys ? 1 : fxi_size_ceil_div(WANTED_TASKS, others);
    a->key_cuts = fxi_size_min(fxi_size_min(a->key_cuts, MOST_PARTS), a->block_count);
    a->parts = a->key_cuts > 1 || a->dtype != a->compute;
    a->tasks = others * a->key_cuts;
}

static size_t lay_out(const fxi_attn *a, fxi_attn_work *w, char *slot) {
    size_t end = 0;
    int64_t keys = a->room, dim = a->wide_dim * a->bytes;
    int64_t value = a->wide_value * a->bytes, turned = fxi_attn_round(fxi_size_max(a->dim, a->value_dim), 8);
    bool terms = a->bias.operand >= 0 || a->mask.operand >= 0, raw = a->wants_bias || a->wants_mask;
    w->turned = slot + fxi_attn_place(&end, turned * a->panel * a->bytes);
    w->scores = slot + fxi_attn_place(&end, (raw ? 3 : 2) * a->block.term);
    w->terms = slot + fxi_attn_place(&end, terms ? 2 * a->block.term : 0);
    w->state = slot + fxi_attn_place(&end, FXI_ATTN_PLANES * a->block.plane);
    w->key_rows = slot + fxi_attn_place(&end, (a->dense_keys ? a->tile : keys) * dim);
    w->value_rows = slot + fxi_attn_place(&end, (a->dtype == a->compute ? a->tile : keys) * value);
    w->query_rows = slot + fxi_attn_place(&end, a->panel * dim);
    w->adjoint_rows = slot + fxi_attn_place(&end, a->panel * value);
    w->dk = slot + fxi_attn_place(&end, keys * dim);
    w->dv = slot + fxi_attn_place(&end, keys * value);
    w->sums = slot + fxi_attn_place(&end, a->panel_rows * dim);
    return end;
}

void fxi_attn_work_begin(fxi_attn_work *w, const fxi_attn_grad *g, char *slot) {
    w->g = g;
    w->t.a = g->a;
    w->t.call = g->call;
    lay_out(g->a, w, slot);
}

static size_t term_bytes(const fxi_attn *a, const fx_node *node, const fxi_attn_term *x, bool wanted) {
    if (!wanted || x->dtype == a->compute) return 0;
    return (size_t)(fx_shape_size(&node->operands[x->operand]->shape) * a->bytes);
}

void *fxi_attn_grad_prepare(const fx_node *node, const fxi_target *target, fx_error *err) {
    fxi_attn *a = fxi_attn_plan(node, true, target, err);
    fxi_attn_work w;
    char place = 0;
    if (!a) return NULL;
    cut(a);
    if (a->tasks == 0) return a;
    fxi_attn_cut_slots(a, a->tasks, lay_out(a, &w, &place));
    a->means_bytes = (size_t)fxi_size_lines(a->batch * a->heads * a->queries * a->bytes);
    if (a->parts)
        a->parts_bytes = (size_t)fxi_size_lines(a->key_cuts * fx_shape_size(&node->shape) * a->bytes);
    a->bias_bytes = term_bytes(a, node, &a->bias, a->wants_bias);
    a->mask_bytes = term_bytes(a, node, &a->mask, a->wants_mask);
    a->workspace += a->means_bytes + a->parts_bytes + a->bias_bytes + a->mask_bytes;
    return a;
}
