/* SPDX-License-Identifier: Apache-2.0 */
/* Functions: calls are inlined, each with values of its own, since a graph has no functions. A function that
 * calls itself, however far around, would never end and is refused; so is deep nesting, and the number of
 * operations is counted over all inlined bodies (import.h). Composites are what their decomposition says.
 * A custom call is looked up by its target in tables of its own. */
#include "stablehlo/import.h"

/* ---- inlining ---- */

static bool import_body(fxi_hlo_import *im, const fxi_hlo_function *callee, fx_node *const *in, size_t n_in,
                        fx_node **out, size_t n_out) {
    size_t n = callee->n_values ? callee->n_values : 1;
    im->values = fxi_alloc_zeroed(n, sizeof *im->values);
    im->tuples = fxi_alloc_zeroed(n, sizeof *im->tuples);
    bool ok = im->values && im->tuples ? fxi_hlo_region_import(im, callee->body, in, n_in, out, n_out)
                                       : fxi_hlo_no_memory(im);
    fxi_free(im->values);
    fxi_free(im->tuples);
    return ok;
}

static bool check_callee(fxi_hlo_import *im, const fxi_hlo_function *callee, fxi_hlo_place place) {
    if (callee->is_declaration)
        return fxi_hlo_unsupported(im, place, "the function @%.*s without a body",
                                   FXI_HLO_TEXT(callee->name));
    if (im->frame && im->frame->depth >= FXI_HLO_MOST_CALLS)
        return fxi_hlo_unsupported(im, place, "functions that call one another more than %d deep",
                                   FXI_HLO_MOST_CALLS);
    for (const fxi_hlo_frame *f = im->frame; f; f = f->outer)
        if (f->function == callee)
            return fxi_hlo_unsupported(im, place, "the function @%.*s, which calls itself",
                                       FXI_HLO_TEXT(callee->name));
    return true;
}

bool fxi_hlo_call(fxi_hlo_import *im, const fxi_hlo_function *callee, fxi_hlo_place place, fx_node *const *in,
                  size_t n_in, fx_node **out, size_t n_out) {
    FX_TRY(check_callee(im, callee, place));
    fx_node **const values = im->values, ***const tuples = im->tuples;
    const fxi_hlo_frame *outer = im->frame;
    const fxi_hlo_frame frame = {callee, outer, outer ? outer->depth + 1 : 1};
    im->frame = &frame;
    bool ok = import_body(im, callee, in, n_in, out, n_out);
    im->frame = outer;
    im->values = values;
    im->tuples = tuples;
    return ok;
}

static bool call_symbol(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, fx_node *const *in,
                        fx_node **out) {
    const fxi_hlo_attr *symbol = fxi_hlo_attr_of(im, op, name, FXI_HLO_ATTR_SYMBOL);
    if (!symbol) return false;
    const fxi_hlo_function *callee = fxi_hlo_find_function(im->module, symbol->text);
    if (!callee)
        return fxi_hlo_wrong(im, symbol->place, "there is no function @%.*s", FXI_HLO_TEXT(symbol->text));
    return fxi_hlo_call(im, callee, op->place, in, fxi_hlo_value_nodes(op->operands, op->n_operands), out,
                        fxi_hlo_value_nodes(op->results, op->n_results));
}

static bool rule_call(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    return call_symbol(im, op, "callee", in, out);
}

static bool rule_composite(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    return call_symbol(im, op, "decomposition", in, out);
}

/* ---- custom calls ---- */

static bool rule_custom_call(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    const fxi_hlo_attr *target = fxi_hlo_find(&op->attrs, "call_target_name");
    if (!target || (target->kind != FXI_HLO_ATTR_STRING && target->kind != FXI_HLO_ATTR_SYMBOL))
        return fxi_hlo_wrong(im, op->place, "a custom_call without a target");
    const fxi_hlo_row *row = fxi_hlo_find_target(im, op, target->text);
    return row && row->rule(im, op, in, out);
}

static const fxi_hlo_row rows[] = {
    {"call", FXI_HLO_ANY, FXI_HLO_ANY, 0, rule_call},
    {"func.call", FXI_HLO_ANY, FXI_HLO_ANY, 0, rule_call},
    {"stablehlo.composite", FXI_HLO_ANY, FXI_HLO_ANY, FXI_HLO_ANY, rule_composite},
    {"stablehlo.custom_call", FXI_HLO_ANY, FXI_HLO_ANY, 0, rule_custom_call},
};
const fxi_hlo_table fxi_hlo_calls = FXI_HLO_TABLE_OF_ANY(rows);
