/* SPDX-License-Identifier: Apache-2.0 */
/* Memory planning: every value that is neither an input, a constant nor an output gets a fixed offset in
 * one workspace. Values live from the step that first writes them to the last that touches them; larger
 * ones are placed first, each at the lowest offset free during its life. A value may take over the memory
 * of an operand that dies in the step that writes it when that step reads the operand only at the index it
 * writes, or is a library kernel that updates its first operand. */
#include "memory.h"
#include <stdlib.h>
#include <string.h>

static bool is_leaf(const fxi_value_info *v) {
    return v->node && v->first < 0;
}

static bool in_workspace(const fxi_plan *plan, int value) {
    const fxi_value_info *v = &plan->values.data[value];
    return v->output < 0 && !is_leaf(v) && v->last >= 0;
}

static void touch(fxi_value_info *v, int step, bool writes) {
    if (writes && v->first < 0) v->first = step;
    if (v->last < step) v->last = step;
}

static void find_lives(fxi_plan *plan) {
    for (size_t i = 0; i < plan->steps.count; i++) {
        fxi_step *s = &plan->steps.data[i];
        for (size_t k = 0; k < s->buffers.count; k++) {
            int value = s->buffers.data[k];
            touch(&plan->values.data[value], (int)i, fxi_step_writes(s, k));
        }
    }
    for (size_t i = 0; i < plan->graph->nodes.count; i++) /* logged values are read after the last step */
        if (plan->graph->nodes.data[i]->labels) plan->values.data[i].last = (int)plan->steps.count;
}

typedef fxi_block block;

/* Largest first; ties by number, so that plans are the same everywhere. */
static int by_size(const void *a, const void *b) {
    const block *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->value < y->value ? -1 : 1;
}

/* The block (by value) whose memory the result of a part of a step may take over, -1: none. */
static int heir_of(const fxi_plan *plan, const fxi_step *s, int step, const int *owner) {
    const fxi_value_info *to = &plan->values.data[s->written];
    if (!s->in_place || to->first != step || !in_workspace(plan, s->written)) return -1;
    for (size_t k = 0; k < s->buffers.count && k < 64; k++) {
        int from = s->buffers.data[k];
        const fxi_value_info *v = &plan->values.data[from];
        if (from == s->written || !(s->in_place >> k & 1) || !in_workspace(plan, from)) continue;
        if (v->last == step && fxi_size_lines(v->bytes) == fxi_size_lines(to->bytes) && owner[from] >= 0)
            return owner[from];
    }
    return -1;
}

/* The part of a step that writes a value as its result, NULL: none. */
static const fxi_step *part_that_writes(fxi_step *s, int value) {
    for (size_t i = 0; i < fxi_step_parts(s); i++)
        if (fxi_step_part(s, i)->written == value) return fxi_step_part(s, i);
    return NULL;
}

/* Groups values that share memory in place; each group is one block. */
static bool make_blocks(const fxi_plan *plan, bool reuse, int *owner, block *blocks, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < plan->values.count; i++) owner[i] = -1;
    for (size_t i = 0; i < plan->steps.count; i++) {
        fxi_step *s = &plan->steps.data[i];
        for (size_t k = 0; k < s->buffers.count; k++) {
            int value = s->buffers.data[k];
            if (!fxi_step_writes(s, k) || !in_workspace(plan, value) || owner[value] >= 0) continue;
            const fxi_value_info *v = &plan->values.data[value];
            const fxi_step *part = reuse ? part_that_writes(s, value) : NULL;
            int heir = part ? heir_of(plan, part, (int)i, owner) : -1;
            if (heir >= 0 && v->last >= blocks[heir].last) {
                blocks[heir].last = v->last;
                owner[value] = heir;
            } else {
                int end = reuse ? v->last : (int)plan->steps.count;
                blocks[*count] = (block){.value = value,
                                         .first = reuse ? v->first : 0,
                                         .last = end,
                                         .bytes = fxi_size_lines(v->bytes)};
                owner[value] = (int)(*count)++;
            }
        }
    }
    return true;
}

static int by_offset(const void *a, const void *b) {
    const block *const *x = a, *const *y = b;
    return (*x)->offset < (*y)->offset ? -1 : (*x)->offset > (*y)->offset;
}

/* Lowest gap among the placed blocks that live at the same time. */
static int64_t find_offset(const block *b, block *const *placed, size_t count, const block **scratch) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (placed[i]->first <= b->last && b->first <= placed[i]->last) scratch[n++] = placed[i];
    qsort(scratch, n, sizeof *scratch, by_offset);
    int64_t offset = 0;
    for (size_t i = 0; i < n; i++) {
        if (offset + b->bytes <= scratch[i]->offset) break;
        int64_t end = scratch[i]->offset + scratch[i]->bytes;
        if (end > offset) offset = end;
    }
    return offset;
}

static void place_blocks(block **order, size_t count, const block **scratch, int64_t *total) {
    for (size_t i = 0; i < count; i++) {
        order[i]->offset = find_offset(order[i], order, i, scratch);
        if (order[i]->offset + order[i]->bytes > *total) *total = order[i]->offset + order[i]->bytes;
    }
}

static int by_size_pointer(const void *a, const void *b) {
    return by_size(*(const block *const *)a, *(const block *const *)b);
}

/* More blocks than this are placed in the order of the steps. */
enum { MANY_BLOCKS = 4096 };

bool fxi_plan_memory(fxi_plan *plan, bool reuse, fx_error *err) {
    size_t n = plan->values.count, count = 0;
    find_lives(plan);
    int *owner = fxi_alloc_zeroed(n + 1, sizeof *owner);
    block *blocks = fxi_alloc_zeroed(n + 1, sizeof *blocks);
    block **order = fxi_alloc_zeroed(n + 1, sizeof *order);
    const block **scratch = fxi_alloc_zeroed(n + 1, sizeof *scratch);
    bool ok = owner && blocks && order && scratch;
    if (ok) {
        make_blocks(plan, reuse, owner, blocks, &count);
        for (size_t i = 0; i < count; i++) order[i] = &blocks[i];
        plan->workspace = 0;
        if (count > MANY_BLOCKS) {
            ok = fxi_place_by_steps(blocks, count, &plan->workspace);
        } else {
            qsort(order, count, sizeof *order, by_size_pointer);
            place_blocks(order, count, scratch, &plan->workspace);
        }
        for (size_t i = 0; i < n; i++)
            if (owner[i] >= 0) plan->values.data[i].offset = blocks[owner[i]].offset;
    }
    fxi_free(owner);
    fxi_free(blocks);
    fxi_free(order);
    fxi_free(scratch);
    return ok || fxi_fail_memory(err, "memory plan");
}
