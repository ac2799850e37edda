/* SPDX-License-Identifier: Apache-2.0 */
/* Loops, branches, barriers and tuples. Regions become closures, which may use any value around them; what
 * they use is captured by the graph. Tuples and tokens exist in the text alone (import.h). */
#include "stablehlo/import.h"
#include <fluxion/barrier.h>
#include <fluxion/control.h>
#include <string.h>

static bool fine(const fxi_hlo_import *im) {
    return im->err->code == FX_OK;
}

/* ---- while: the condition is region 0, the body region 1 ----
 *
 * Exporters carry through a loop whatever it reads. A value that the body gives back as it came is no state
 * of the graph's loop: both regions capture it, so that it is not moved in each round and work on it can
 * leave the loop. */

typedef struct loop {
    fxi_hlo_import *im;
    const fxi_hlo_op *op;
    fx_node *const *in; /* nodes of all values that the text carries */
    bool *fixed;        /* of each: whether it stays as it is */
    size_t n;
    fx_node **all; /* room for n */
} loop;

/* Which values stay; at least one is left to carry. */
static size_t find_fixed(loop *l) {
    const fxi_hlo_region *body = l->op->regions[1];
    const fxi_hlo_op *last = body->n_ops ? body->ops[body->n_ops - 1] : NULL;
    size_t at = 0, carried = l->n;
    if (!last || last->n_operands != l->op->n_operands || body->n_arguments != l->op->n_operands)
        return carried;
    for (size_t i = 0; i < last->n_operands; i++) {
        size_t n = fxi_hlo_type_nodes(l->op->operands[i]->type);
        bool fixed = last->operands[i] == body->arguments[i] && carried > n;
        for (size_t j = 0; j < n; j++) l->fixed[at++] = fixed;
        if (fixed) carried -= n;
    }
    return carried;
}

/* The nodes of all values of a region, of which in[] are those that are carried. */
static void merge(const loop *l, fx_node *const *in) {
    for (size_t i = 0; i < l->n; i++) l->all[i] = l->fixed[i] ? l->in[i] : *in++;
}

static void loop_condition(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                           void *user) {
    const loop *l = user;
    fxi_hlo_closure closure = {l->im, l->op->regions[0], true};
    (void)n_in;
    merge(l, in);
    fxi_hlo_closure_fn(graph, l->all, l->n, out, n_out, &closure);
}

static void loop_body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    const loop *l = user;
    fxi_hlo_closure closure = {l->im, l->op->regions[1], true};
    (void)n_in, (void)n_out;
    merge(l, in);
    fxi_hlo_closure_fn(graph, l->all, l->n, l->all, l->n, &closure);
    for (size_t i = 0; i < l->n; i++)
        if (!l->fixed[i]) *out++ = l->all[i];
}

static bool rule_while(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    const size_t n = fxi_hlo_value_nodes(op->operands, op->n_operands);
    if (n != fxi_hlo_value_nodes(op->results, op->n_results))
        return fxi_hlo_wrong(im, op->place, "a loop gives back as many values as it takes");
    if (n == 0) return fxi_hlo_unsupported(im, op->place, "a loop without tensors");
    loop l = {.im = im, .op = op, .in = in, .n = n};
    l.fixed = fxi_arena_alloc(im->arena, n, sizeof *l.fixed);
    l.all = fxi_arena_alloc(im->arena, n, sizeof *l.all);
    fx_node **states = fxi_arena_alloc(im->arena, n, sizeof *states);
    if (!l.fixed || !l.all || !states) return fxi_hlo_no_memory(im);
    const size_t carried = find_fixed(&l);
    for (size_t i = 0, k = 0; i < n; i++)
        if (!l.fixed[i]) states[k++] = in[i];
    fx_while((fx_nodes){states, carried}, loop_condition, loop_body, &l, states);
    for (size_t i = 0, k = 0; i < n; i++) out[i] = l.fixed[i] ? in[i] : states[k++];
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
    size_t n = fxi_hlo_value_nodes(op->results, op->n_results);
    FX_TRY(check_choice(im, op));
    if (n > 0) fx_if(in[0], next_branch, next_branch, n, &b, out);
    return fine(im);
}

static bool rule_case(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    branches b = {im, op, 0};
    size_t n = fxi_hlo_value_nodes(op->results, op->n_results);
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
    size_t n = fxi_hlo_value_nodes(op->operands, op->n_operands);
    if (n != fxi_hlo_value_nodes(op->results, op->n_results))
        return fxi_hlo_wrong(im, op->place, "a barrier gives back as many values as it takes");
    if (n > 0) fx_optimization_barriers((fx_nodes){in, n}, out);
    return true;
}

static bool rule_tuple(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    size_t n = fxi_hlo_value_nodes(op->operands, op->n_operands);
    if (n != fxi_hlo_value_nodes(op->results, op->n_results))
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
