/* SPDX-License-Identifier: Apache-2.0 */
/* Which values of a round the reverse scan gets (scan_rule.h). A value is stacked when it is dear (a
 * product, a reduction, a transcendental function) or when what it is made of is not at hand; else it is
 * computed again, since arithmetic costs less than memory. Needs are pushed down first: of an operation
 * with one varying operand that is no larger than the result (a broadcast, 1 - y) the operand is asked for
 * instead, so values that differ by cheap steps share one stack; and so are the operands of elementwise
 * functions that the body itself does not need (derivatives), which one of the two scans computes in any
 * case. Where slices of a value that together are at least half of it are asked for, all of it is stacked. */
#include "scan_rule.h"

static bool is_cheap(const fx_node *n) {
    const fxi_op_info *info = fxi_op_info_of(n->op);
    if (info->op_class == FXI_CLASS_MAP) return info->work <= FXI_WORK_PLAIN;
    return info->op_class == FXI_CLASS_MOVE || n->op == FX_OP_CONSTANT || n->op == FX_OP_IOTA;
}

static bool is_primal(const fxi_scan *s, const fx_node *n) {
    return !(s->depends[n->id] & FXI_SCAN_ADJOINT);
}

bool fxi_scan_mark(fxi_scan *s) {
    size_t count = s->pair->nodes.count;
    s->depends = fxi_scan_room(s, count, 1);
    if (!s->depends) return false;
    for (size_t i = 0; i < s->pair->parameters.count; i++) {
        size_t id = (size_t)s->pair->parameters.data[i]->id;
        if (i >= s->parameters)
            s->depends[id] = FXI_SCAN_ADJOINT;
        else if (i < s->states + s->inputs)
            s->depends[id] = FXI_SCAN_VARYING;
    }
    for (size_t id = 0; id < count; id++) {
        const fx_node *n = s->pair->nodes.data[id];
        for (uint32_t i = 0; i < n->operand_count; i++) s->depends[id] |= s->depends[n->operands[i]->id];
    }
    return true;
}

/* ---- what is asked for ---- */

/* The one varying operand in which a cheap node is no larger than its operand; NULL: there is none. */
static const fx_node *narrow_operand(const fxi_scan *s, const fx_node *n) {
    const fx_node *varying = NULL;
    if (!is_cheap(n)) return NULL;
    for (uint32_t i = 0; i < n->operand_count; i++) {
        const fx_node *x = n->operands[i];
        if (!(s->depends[x->id] & FXI_SCAN_VARYING) || x == varying) continue;
        if (varying) return NULL;
        varying = x;
    }
    return varying && fx_shape_bytes(&varying->shape) <= fx_shape_bytes(&n->shape) ? varying : NULL;
}

static void need_roots(const fxi_scan *s, bool *need) {
    for (size_t i = 0; i < s->states + s->inputs; i++)
        if (s->found[i] && !s->late[i]) need[s->found[i]->id] = true;
    for (size_t i = 0; i < s->terms.count; i++)
        if (!s->terms.data[i].outside) need[s->terms.data[i].root->id] = true;
    for (size_t id = 0; id < s->pair->nodes.count; id++)
        if (s->row[id]) need[id] = true;
}

static void need_operands(const fx_node *n, bool *need) {
    for (uint32_t i = 0; i < n->operand_count; i++) need[n->operands[i]->id] = true;
}

/* Whether what the node is made of is asked for instead of it. */
static bool is_pushed(const fxi_scan *s, const fx_node *n) {
    if (!s->depends[n->id]) return false;
    bool derivative = (size_t)n->id >= s->body_end && fxi_op_is_map(n->op);
    return derivative || narrow_operand(s, n);
}

/* sliced: by id, the bytes of slices of a value that are asked for. */
static void push_needs(const fxi_scan *s, bool *need, int64_t *sliced) {
    for (size_t id = s->pair->nodes.count; id-- > 0;) {
        const fx_node *n = s->pair->nodes.data[id];
        bool halved = sliced[id] > 0 && sliced[id] >= fx_shape_bytes(&n->shape) / 2;
        need[id] |= halved && is_primal(s, n);
        if (!need[id] || s->how[id] == FXI_SCAN_STACKED) continue;
        if (n->op == FX_OP_SLICE && is_primal(s, n)) sliced[n->operands[0]->id] += fx_shape_bytes(&n->shape);
        if (!is_primal(s, n)) {
            need_operands(n, need);
        } else if (is_pushed(s, n)) {
            need_operands(n, need);
            s->how[id] = FXI_SCAN_AGAIN;
        }
    }
}

/* ---- what is at hand ---- */

static fxi_scan_how of_parameter(const fxi_scan *s, const fx_node *n, bool need) {
    size_t index = (size_t)fxi_node_int(n, FXI_ATTR_INDEX);
    if (index >= s->states) return FXI_SCAN_GIVEN;
    return need ? FXI_SCAN_STACKED : FXI_SCAN_NOT_AT_HAND;
}

static fxi_scan_how decide(const fxi_scan *s, const fx_node *n, bool need) {
    if (n->op == FX_OP_PARAMETER) return of_parameter(s, n, need);
    bool again = is_cheap(n);
    for (uint32_t i = 0; i < n->operand_count; i++)
        again = again && s->how[n->operands[i]->id] != FXI_SCAN_NOT_AT_HAND;
    if (again) return FXI_SCAN_AGAIN;
    if (!s->depends[n->id]) return FXI_SCAN_BEFORE;
    return need ? FXI_SCAN_STACKED : FXI_SCAN_NOT_AT_HAND;
}

/* From the outputs down to what is given, what the reverse scan reads. */
static void mark_used(const fxi_scan *s) {
    need_roots(s, s->used);
    for (size_t id = s->pair->nodes.count; id-- > 0;) {
        const fx_node *n = s->pair->nodes.data[id];
        if (s->used[id] && (!is_primal(s, n) || s->how[id] == FXI_SCAN_AGAIN)) need_operands(n, s->used);
    }
}

bool fxi_scan_split(fxi_scan *s) {
    size_t count = s->pair->nodes.count;
    bool *need = fxi_scan_room(s, count, sizeof *need);
    int64_t *sliced = fxi_scan_room(s, count, sizeof *sliced);
    s->how = fxi_scan_room(s, count, 1);
    s->used = fxi_scan_room(s, count, sizeof *s->used);
    if (!need || !sliced || !s->how || !s->used) return false;
    need_roots(s, need);
    for (size_t id = 0; id < count; id++)
        if (s->kept[id]) s->how[id] = FXI_SCAN_STACKED;
    push_needs(s, need, sliced);
    for (size_t id = 0; id < count; id++) {
        const fx_node *n = s->pair->nodes.data[id];
        if (is_primal(s, n) && s->how[id] == FXI_SCAN_NOT_AT_HAND)
            s->how[id] = (unsigned char)decide(s, n, need[id]);
    }
    mark_used(s);
    return true;
}
