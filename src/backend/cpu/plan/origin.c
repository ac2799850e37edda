/* SPDX-License-Identifier: Apache-2.0 */
/* Which composites a step holds. Nodes remember the composite they were inlined from; a step holds one when
 * the clusters that it computes have all of its operations (moves are index maps and count for nothing).
 * Asked only when a program's text is wanted, so it costs a program nothing: graph and clusters live as
 * long. */
#include "step.h"
#include <string.h>

static bool is_operation(const fx_node *n) {
    fxi_class op_class = fxi_op_info_of(n->op)->op_class;
    return op_class != FXI_CLASS_LEAF && op_class != FXI_CLASS_MOVE && op_class != FXI_CLASS_RESULT;
}

static void mark(const fxi_fusion *f, const fxi_step *step, bool *computed) {
    if (step->cluster < 0) return;
    const fxi_cluster *c = f->clusters.data[step->cluster];
    computed[c->root->id] = true;
    for (size_t i = 0; i < c->entries.count; i++) {
        const fxi_entry *e = &f->entries.data[c->entries.data[i]];
        if (e->state == FXI_ENTRY_COMPUTE || e->state == FXI_ENTRY_CORE) computed[e->node->id] = true;
    }
}

/* All operations of the composite that node n is of are computed. */
static bool is_whole(const fxi_plan *plan, const fx_node *n, const bool *computed) {
    for (size_t i = 0; i < plan->graph->nodes.count; i++) {
        const fx_node *other = plan->graph->nodes.data[i];
        if (other->composite_number == n->composite_number && plan->fusion.live[i] && is_operation(other) &&
            !computed[i])
            return false;
    }
    return true;
}

static bool was_named(const fx_graph *g, size_t before, const char *name, const bool *named) {
    for (size_t i = 0; i < before; i++)
        if (named[i] && strcmp(g->nodes.data[i]->composite, name) == 0) return true;
    return false;
}

void fxi_plan_add_origin(const fxi_plan *plan, const fxi_step *step, fxi_text *text) {
    const fx_graph *g = plan->graph;
    bool *computed = fxi_alloc_zeroed(2 * g->nodes.count + 1, sizeof *computed);
    if (!computed) return;
    bool *named = computed + g->nodes.count, first = true;
    mark(&plan->fusion, step, computed);
    for (size_t i = 0; i < step->epilogues.count; i++)
        mark(&plan->fusion, &step->epilogues.data[i], computed);
    for (size_t i = 0; i < g->nodes.count; i++) {
        const fx_node *n = g->nodes.data[i];
        if (!computed[i] || !n->composite || !is_operation(n)) continue;
        if (was_named(g, i, n->composite, named) || !is_whole(plan, n, computed)) continue;
        named[i] = true;
        fxi_text_add(text, "%s%s", first ? " [" : " ", n->composite);
        first = false;
    }
    if (!first) fxi_text_add(text, "]");
    fxi_free(computed);
}
