/* SPDX-License-Identifier: Apache-2.0 */
/* Loops, branches, barriers and tuples. Regions become closures, which may use any value around them; what
 * they use is captured by the graph. Tuples and tokens exist in the text alone (import.h). */
#include "stablehlo/import.h"
#include <fluxion/barrier.h>
#include <fluxion/control.h>
#include <string.h>

static size_t count_nodes(fxi_hlo_value *const *values, size_t n_values) {
    size_t n = 0;
    for (size_t i = 0; i < n_values; i++) n += fxi_hlo_type_nodes(values[i]->type);
    return n;
}

static bool fine(const fxi_hlo_import *im) {
    return im->err->code == FX_OK;
}

/* ---- while: the condition is region 0, the body region 1 ---- */

typedef struct loop {
    fxi_hlo_closure condition, body;
} loop;

static void loop_condition(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                           void *user) {
    loop *l = user;
    fxi_hlo_closure_fn(graph, in, n_in, out, n_out, &l->condition);
}

static void loop_body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    loop *l = user;
    fxi_hlo_closure_fn(graph, in, n_in, out, n_out, &l->body);
}

static bool rule_while(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    loop l = {{im, op->regions[0], true}, {im, op->regions[1], true}};
    size_t n = count_nodes(op->operands, op->n_operands);
    if (n != count_nodes(op->results, op->n_results))
        return fxi_hlo_wrong(im, op->place, "a loop gives back as many values as it takes");
    if (n == 0) return fxi_hlo_unsupported(im, op->place, "a loop without tensors");
    fx_while((fx_nodes){in, n}, loop_condition, loop_body, &l, out);
    return fine(im);
}

/* ---- if, case: builders run the branches' closures in their order, once each ---- */

typedef struct branches {
    fxi_hlo_import *im;
    const fxi_hlo_op *op;
    size_t next;
} branches;

static void next_branch(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    branches *b = user;
    fxi_hlo_closure closure = {b->im, b->op->regions[b->next++], true};
    fxi_hlo_closure_fn(graph, in, n_in, out, n_out, &closure);
}

static bool check_choice(fxi_hlo_import *im, const fxi_hlo_op *op) {
    if (op->operands[0]->type->kind == FXI_HLO_TENSOR) return true;
    return fxi_hlo_wrong(im, op->place, "the choice is no tensor");
}

static bool rule_if(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    branches b = {im, op, 0};
    size_t n = count_nodes(op->results, op->n_results);
    FX_TRY(check_choice(im, op));
    if (n > 0) fx_if(in[0], next_branch, next_branch, n, &b, out);
    return fine(im);
}

static bool rule_case(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    branches b = {im, op, 0};
    size_t n = count_nodes(op->results, op->n_results);
    FX_TRY(check_choice(im, op));
    if (op->n_regions == 0) return fxi_hlo_wrong(im, op->place, "a case without branches");
    if (n == 0) return true;
    fx_fn *functions = fxi_arena_alloc(im->arena, op->n_regions, sizeof *functions);
    if (!functions) return fxi_hlo_no_memory(im);
    for (size_t i = 0; i < op->n_regions; i++) functions[i] = next_branch;
    fx_switch(in[0], functions, op->n_regions, n, &b, out);
    return fine(im);
}

/* ---- barriers, tuples, tokens ---- */

static bool rule_barrier(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    size_t n = count_nodes(op->operands, op->n_operands);
    if (n != count_nodes(op->results, op->n_results))
        return fxi_hlo_wrong(im, op->place, "a barrier gives back as many values as it takes");
    if (n > 0) fx_optimization_barriers((fx_nodes){in, n}, out);
    return true;
}

static bool rule_tuple(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    size_t n = count_nodes(op->operands, op->n_operands);
    if (n != count_nodes(op->results, op->n_results))
        return fxi_hlo_wrong(im, op->place, "a tuple of another type than its parts");
    if (n > 0) memcpy(out, in, n * sizeof *in);
    return true;
}

static bool rule_get_tuple_element(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                   fx_node **out) {
    const fxi_hlo_type *type = op->operands[0]->type;
    int64_t index;
    FX_TRY(fxi_hlo_attr_int(im, op, "index", &index));
    if (type->kind != FXI_HLO_TUPLE || index < 0 || (uint64_t)index >= type->n_parts)
        return fxi_hlo_wrong(im, op->place, "there is no element %lld", (long long)index);
    for (int64_t i = 0; i < index; i++) in += fxi_hlo_type_nodes(type->parts[i]);
    size_t n = fxi_hlo_type_nodes(type->parts[index]);
    if (n != fxi_hlo_type_nodes(op->results[0]->type))
        return fxi_hlo_wrong(im, op->place, "an element of another type");
    if (n > 0) memcpy(out, in, n * sizeof *in);
    return true;
}

/* Tokens order effects, and there are none. */
static bool rule_token(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)im, (void)op, (void)in, (void)out;
    return true;
}

static const fxi_hlo_row rows[] = {
    {"stablehlo.after_all", FXI_HLO_ANY, 1, 0, rule_token},
    {"stablehlo.case", 1, FXI_HLO_ANY, FXI_HLO_ANY, rule_case},
    {"stablehlo.create_token", 0, 1, 0, rule_token},
    {"stablehlo.get_tuple_element", 1, 1, 0, rule_get_tuple_element},
    {"stablehlo.if", 1, FXI_HLO_ANY, 2, rule_if},
    {"stablehlo.optimization_barrier", FXI_HLO_ANY, FXI_HLO_ANY, 0, rule_barrier},
    {"stablehlo.tuple", FXI_HLO_ANY, 1, 0, rule_tuple},
    {"stablehlo.while", FXI_HLO_ANY, FXI_HLO_ANY, 2, rule_while},
};
const fxi_hlo_table fxi_hlo_control = FXI_HLO_TABLE_OF_ANY(rows);
