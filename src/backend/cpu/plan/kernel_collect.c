/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses as linear functions of the loops, and instructions in dependency order, from the entries of a
 * cluster. */
#include "kernel_build.h"
#include <string.h>

/* ---- accesses ---- */

fxi_affine fxi_affine_row(const fxi_index_map *map, int row) {
    fxi_affine a = {.base = map->offset[row]};
    memcpy(a.coef, map->coef[row], sizeof a.coef);
    return a;
}

fxi_affine fxi_affine_linear(const fxi_index_map *map, const fx_shape *shape) {
    fxi_index_map linear;
    fxi_map_linearize(map, shape, &linear);
    return fxi_affine_row(&linear, 0);
}

int fxi_builder_access(fxi_builder *b, const fxi_access_info *info) {
    for (size_t i = 0; i < b->accesses.count; i++) {
        const fxi_access_info *a = &b->accesses.data[i];
        if (!info->store && !a->store && a->value == info->value && a->dtype == info->dtype &&
            a->before_core == info->before_core && memcmp(&a->at, &info->at, sizeof a->at) == 0)
            return (int)i;
    }
    return FXI_PUSH(&b->accesses, *info) ? (int)b->accesses.count - 1 : -1;
}

/* ---- instructions, in dependency order ---- */

const fxi_entry *fxi_builder_entry(const fxi_builder *b, int e) {
    return &b->plan->fusion.entries.data[e];
}

/* Position of an entry (behind moves) in its cluster's list: index of the tables below. */
static int local(const fxi_builder *b, int e) {
    return fxi_builder_entry(b, fxi_fusion_resolve(&b->plan->fusion, e))->local;
}

static int add_constant(fxi_builder *b, const fx_tensor *tensor) {
    for (size_t i = 0; i < b->constants.count; i++)
        if (b->constants.data[i] == tensor) return (int)i;
    return FXI_PUSH(&b->constants, tensor) ? (int)b->constants.count - 1 : -1;
}

bool fxi_builder_leaf(fxi_builder *b, const fxi_entry *e, fxi_instr *out) {
    const fx_node *n = e->node;
    const fxi_index_map *map = b->cluster->nest.maps.data[e->map];
    out->dtype = (uint8_t)e->dtype;
    if (e->state == FXI_ENTRY_LOAD && n->op == FX_OP_CONSTANT && fx_shape_size(&n->shape) == 1 &&
        e->dtype == n->shape.dtype) {
        int constant = add_constant(b, fxi_node_attr(n, FXI_ATTR_VALUE)->u.tensor);
        out->kind = FXI_INSTR_CONSTANT;
        out->access = (uint16_t)constant;
        return constant >= 0;
    }
    fxi_access_info info;
    memset(&info, 0, sizeof info);
    info.dtype = e->dtype;
    info.before_core = e->before_core && !b->cluster->rows;
    info.value = e->state == FXI_ENTRY_INDEX ? -1 : (int)n->id;
    if (e->state == FXI_ENTRY_INDEX) {
        int axis = (int)fxi_node_int(n, FXI_ATTR_AXIS);
        info.at = fxi_affine_row(map, axis);
        out->kind = FXI_INSTR_INDEX;
    } else {
        info.at = fxi_affine_linear(map, &n->shape);
        out->kind = FXI_INSTR_LOAD;
    }
    int access = fxi_builder_access(b, &info);
    out->access = (uint16_t)access;
    return access >= 0;
}

/* The position along the reduced axis, as a value of its own. */
static bool add_position(fxi_builder *b, const fxi_entry *core) {
    fxi_access_info info;
    memset(&info, 0, sizeof info);
    info.at = fxi_affine_row(b->cluster->nest.maps.data[fxi_builder_entry(b, core->args[0])->map],
                             (int)fxi_node_int(core->node, FXI_ATTR_AXIS));
    info.value = -1;
    info.dtype = FX_S64;
    info.before_core = true;
    int access = fxi_builder_access(b, &info);
    fxi_instr position;
    memset(&position, 0, sizeof position);
    position.kind = FXI_INSTR_INDEX;
    position.dtype = FX_S64;
    position.access = (uint16_t)access;
    b->reduce_index = (int)b->instrs.count;
    return access >= 0 && FXI_PUSH(&b->instrs, position);
}

bool fxi_builder_core(fxi_builder *b, const fxi_entry *core) {
    const fx_node *n = core->node;
    b->arg = n->op == FX_OP_ARG_REDUCE;
    b->kind = (fxi_reduce_kind)fxi_node_int(n, FXI_ATTR_KIND);
    b->reduce_dtype = n->operands[0]->shape.dtype;
    return !b->arg || add_position(b, core);
}

static bool make_instr(fxi_builder *b, int e, const int *instr_of, fxi_instr *out) {
    const fxi_entry *entry = fxi_builder_entry(b, e);
    memset(out, 0, sizeof *out);
    out->epilogue = b->cluster->core >= 0 && !entry->before_core && !b->cluster->rows;
    if (entry->state == FXI_ENTRY_LOAD || entry->state == FXI_ENTRY_INDEX)
        return fxi_builder_leaf(b, entry, out);
    out->dtype = (uint8_t)entry->node->shape.dtype;
    if (entry->state == FXI_ENTRY_CORE && b->cluster->rows) {
        out->kind = FXI_INSTR_RESULT;
        out->args[0] = (uint16_t)instr_of[local(b, entry->args[0])];
        out->element.from = out->element.to = out->dtype;
        out->element.word = (uint8_t)fxi_node_int(entry->node, FXI_ATTR_KIND);
        return true;
    }
    if (entry->state == FXI_ENTRY_CORE) {
        if (b->partials < 0) b->reduce_value = instr_of[local(b, entry->args[0])];
        if (!fxi_builder_core(b, entry)) return false;
        out->kind = b->arg ? FXI_INSTR_INDEX_RESULT : FXI_INSTR_RESULT;
        return true;
    }
    out->kind = FXI_INSTR_ELEMENT;
    out->element = fxi_element_of(entry->node);
    for (uint32_t i = 0; i < entry->node->operand_count; i++)
        out->args[i] = (uint16_t)instr_of[local(b, entry->args[i])];
    return true;
}

/* Loads of the same thing twice (through different moves) become one instruction. */
static int find_leaf(const fxi_builder *b, const fxi_instr *instr) {
    if (instr->kind == FXI_INSTR_ELEMENT || instr->kind == FXI_INSTR_RESULT ||
        instr->kind == FXI_INSTR_INDEX_RESULT)
        return -1;
    for (size_t i = 0; i < b->instrs.count; i++)
        if (memcmp(&b->instrs.data[i], instr, sizeof *instr) == 0) return (int)i;
    return -1;
}

static bool add_instr(fxi_builder *b, int e, int *instr_of) {
    fxi_instr instr;
    if (!make_instr(b, e, instr_of, &instr)) return false;
    int same = find_leaf(b, &instr);
    instr_of[local(b, e)] = same >= 0 ? same : (int)b->instrs.count;
    return same >= 0 || FXI_PUSH(&b->instrs, instr);
}

/* Entries that need no other ones here: the core too, when its partial results are at hand. */
static bool is_leaf(const fxi_builder *b, int e) {
    fxi_entry_state state = fxi_builder_entry(b, e)->state;
    return state == FXI_ENTRY_LOAD || state == FXI_ENTRY_INDEX ||
           (state == FXI_ENTRY_CORE && b->partials >= 0);
}

/* Post-order over entries with an explicit stack: clusters are small, but their depth is the user's. */
bool fxi_builder_collect(fxi_builder *b, int root, int *instr_of, int *last) {
    FXI_VEC(int) stack = {0};
    bool ok = FXI_PUSH(&stack, fxi_fusion_resolve(&b->plan->fusion, root));
    while (ok && stack.count > 0) {
        int e = stack.data[stack.count - 1];
        size_t before = stack.count;
        if (instr_of[local(b, e)] < 0)
            for (int i = FXI_MAP_OPERANDS - 1; i >= 0 && ok; i--) {
                int arg = fxi_builder_entry(b, e)->args[i];
                if (arg >= 0 && !is_leaf(b, e) && instr_of[local(b, arg)] < 0)
                    ok = FXI_PUSH(&stack, fxi_fusion_resolve(&b->plan->fusion, arg));
            }
        if (!ok || stack.count > before) continue;
        if (instr_of[local(b, e)] < 0) ok = add_instr(b, e, instr_of);
        stack.count--;
    }
    fxi_free(stack.data);
    *last = ok ? instr_of[local(b, root)] : -1;
    return ok;
}

/* ---- values that are only moved ---- */

/* The integer dtype of the same width for floats that live in memory in another form than in registers. */
static fx_dtype bits_of(fx_dtype dtype) {
    if (fx_dtype_is_half(dtype)) return FX_U16;
    return dtype == FX_F8E5M2 || dtype == FX_F8E4M3FN ? FX_U8 : dtype;
}

static bool is_select(const fxi_instr *instr) {
    return instr->kind == FXI_INSTR_ELEMENT && instr->element.op == FX_OP_SELECT;
}

/* Marks what is an operation's operand or result; selections pass that on between their values. */
static void mark_computed(const fxi_builder *b, bool *computed) {
    size_t n = b->instrs.count;
    const fxi_instr *instrs = b->instrs.data;
    for (size_t i = 0; i < n; i++) {
        if (is_select(&instrs[i])) continue;
        computed[i] = instrs[i].kind != FXI_INSTR_LOAD && instrs[i].kind != FXI_INSTR_CONSTANT;
        for (int k = 0; instrs[i].kind == FXI_INSTR_ELEMENT && k < FXI_MAP_OPERANDS; k++)
            if (k < fxi_op_info_of((fx_op)instrs[i].element.op)->operands) computed[instrs[i].args[k]] = true;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = n; i-- > 0;) {
            if (!is_select(&instrs[i])) continue;
            bool *all[] = {&computed[i], &computed[instrs[i].args[1]], &computed[instrs[i].args[2]]};
            bool any = *all[0] || *all[1] || *all[2], every = *all[0] && *all[1] && *all[2];
            changed |= any && !every;
            for (int k = 0; k < 3; k++) *all[k] = any;
        }
    }
}

bool fxi_builder_move_bits(fxi_builder *b, int stored) {
    bool *computed = fxi_alloc_zeroed(b->instrs.count + 1, sizeof *computed);
    if (!computed) return false;
    mark_computed(b, computed);
    for (size_t i = 0; i < b->instrs.count; i++) {
        fxi_instr *instr = &b->instrs.data[i];
        fx_dtype bits = bits_of((fx_dtype)instr->dtype);
        if (computed[i] || bits == (fx_dtype)instr->dtype) continue;
        instr->dtype = (uint8_t)bits;
        if (instr->kind == FXI_INSTR_LOAD) b->accesses.data[instr->access].dtype = bits;
        if (is_select(instr)) instr->element.from = instr->element.to = (uint8_t)bits;
        if ((int)i == stored) b->accesses.data[b->stores.data[0].access].dtype = bits;
    }
    fxi_free(computed);
    return true;
}
