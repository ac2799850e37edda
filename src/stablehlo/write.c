/* SPDX-License-Identifier: Apache-2.0 */
/* A finished graph as a StableHLO module. Functions are written one after the other: main first, then those
 * that were called, in the order of their first call, until none is left; so functions that call functions
 * need no recursion. Graphs are lowered when their turn comes (lower.h). Regions are written where they
 * stand; they nest at most FXI_MAX_NESTING deep, and so does the recursion. */
#include "stablehlo/write.h"
#include "stablehlo/lower.h"

/* ---- operations of a graph ---- */

/* A further result has the number of its operation. */
static void name_result(fxi_write_scope *s, const fx_node *n) {
    fxi_write_value v = s->values[n->operands[0]->id];
    s->values[n->id] = (fxi_write_value){v.number, fxi_node_int(n, FXI_ATTR_RESULT)};
}

static void write_call(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    int64_t function = fxi_write_function_of(w, n);
    if (w->failed) return;
    fxi_write_attr(w, "callee", "@f%lld", (long long)function);
    fxi_write_node(w, s, n, "func.call");
}

static void write_nodes(fxi_writer *w, fxi_write_scope *s) {
    for (size_t i = 0; i < s->graph->nodes.count && !w->failed; i++) {
        const fx_node *n = s->graph->nodes.data[i];
        w->node = n;
        fxi_write_fn emitter = fxi_write_emitter(n->op);
        if (n->op == FX_OP_PARAMETER) continue;
        if (n->op == FX_OP_RESULT)
            name_result(s, n);
        else if (fxi_lowering_of(n))
            write_call(w, s, n);
        else if (emitter)
            emitter(w, s, n);
        else
            fxi_write_refuse(w, "StableHLO has no %s", fxi_op_info_of(n->op)->text);
    }
    w->node = NULL;
}

static bool open_scope(fxi_writer *w, fxi_write_scope *s, const fx_graph *graph) {
    *s = (fxi_write_scope){.graph = graph};
    s->values = fxi_alloc_zeroed(graph->nodes.count + 1, sizeof *s->values);
    if (!s->values) fxi_write_no_memory(w);
    return s->values != NULL;
}

/* What a scope's outputs are called; memory for fxi_free. */
static fxi_write_operand *list_outputs(fxi_writer *w, const fxi_write_scope *s) {
    fxi_write_operand *list = fxi_alloc_zeroed(s->graph->output_count + 1, sizeof *list);
    if (!list) fxi_write_no_memory(w);
    for (size_t i = 0; list && i < s->graph->output_count; i++)
        list[i] = fxi_write_operand_of(s, s->graph->outputs[i]);
    return list;
}

/* ---- closures ---- */

/* The closure lowered; the writer keeps it, since functions may refer to its nodes. */
static const fx_graph *lower(fxi_writer *w, const fx_graph *graph) {
    fx_graph *made = fxi_lower_graph(w->name, graph, w->options->inline_composites, w->err);
    if (!made) {
        w->failed = true;
        return NULL;
    }
    if (FXI_PUSH(&w->graphs, made)) return made;
    fx_graph_free(made);
    fxi_write_no_memory(w);
    return NULL;
}

static void write_body(fxi_writer *w, bool first, fxi_write_scope *s, size_t arguments,
                       const fxi_write_operand *captures) {
    const fx_graph *g = s->graph;
    const fx_shape **shapes = fxi_alloc_zeroed(arguments + 1, sizeof *shapes);
    fxi_write_operand *names = fxi_alloc_zeroed(arguments + 1, sizeof *names);
    const fx_node *node = w->node;
    if (!shapes || !names) fxi_write_no_memory(w);
    for (size_t i = 0; !w->failed && i < arguments; i++) shapes[i] = &g->parameters.data[i]->shape;
    if (!w->failed) fxi_write_region_begin(w, first, shapes, arguments, names);
    for (size_t i = 0; !w->failed && i < g->parameters.count; i++)
        s->values[g->parameters.data[i]->id] = i < arguments ? names[i].value : captures[i - arguments].value;
    if (!w->failed) write_nodes(w, s);
    fxi_write_operand *outputs = w->failed ? NULL : list_outputs(w, s);
    if (outputs) fxi_write_region_end(w, outputs, g->output_count);
    w->node = node;
    fxi_free(outputs);
    fxi_free(names);
    fxi_free((void *)shapes);
}

void fxi_write_closure(fxi_writer *w, bool first, const fx_graph *body, size_t arguments,
                       const fxi_write_operand *captures) {
    fxi_write_scope s;
    const fx_graph *lowered = w->failed ? NULL : lower(w, body);
    if (!lowered || !open_scope(w, &s, lowered)) return;
    write_body(w, first, &s, arguments, captures);
    fxi_free(s.values);
}

/* ---- functions ---- */

/* For each parameter the output that takes its memory, or -1: the first of its shape that is not taken. */
static bool find_aliases(fxi_writer *w, const fx_graph *g, int64_t *aliases) {
    bool *taken = fxi_alloc_zeroed(g->output_count + 1, sizeof *taken);
    if (!taken) fxi_write_no_memory(w);
    for (size_t i = 0; taken && i < g->parameters.count; i++) {
        aliases[i] = -1;
        bool donated = w->options->donated && w->options->donated[i];
        for (size_t k = 0; donated && aliases[i] < 0 && k < g->output_count; k++)
            if (!taken[k] && fx_shape_equal(&g->outputs[k]->shape, &g->parameters.data[i]->shape) &&
                fxi_write_lies_alike(w, i, k)) {
                taken[k] = true;
                aliases[i] = (int64_t)k;
            }
    }
    fxi_free(taken);
    return taken != NULL;
}

/* Arguments and results of main say how they lie on the mesh, if there is one. */
static const fxi_shardings *shardings_of(const fxi_writer *w, const int64_t *aliases) {
    return aliases && w->shardings.device_count > 0 ? &w->shardings : NULL;
}

static void write_argument_attrs(fxi_writer *w, const fx_node *p, const int64_t *aliases) {
    size_t i = (size_t)fxi_node_int(p, FXI_ATTR_INDEX);
    const fxi_shardings *shardings = shardings_of(w, aliases);
    bool aliased = aliases && aliases[i] >= 0;
    if (aliased) fxi_text_add(w->text, " {tf.aliasing_output = %lld : i32", (long long)aliases[i]);
    if (shardings) {
        fxi_text_add(w->text, "%ssdy.sharding = ", aliased ? ", " : " {");
        fxi_write_sharding(w, w->text, shardings->inputs[i], p->shape.rank, true);
    }
    if (aliased || shardings) fxi_text_add(w->text, "}");
}

/* aliases: of main; NULL: another function. */
static void write_signature(fxi_writer *w, fxi_write_scope *s, const int64_t *aliases) {
    const fx_graph *g = s->graph;
    for (size_t i = 0; i < g->parameters.count; i++) {
        const fx_node *p = g->parameters.data[i];
        s->values[p->id] = (fxi_write_value){w->next++, -1};
        fxi_text_add(w->text, "%s%%%lld: ", i ? ", " : "", (long long)s->values[p->id].number);
        fxi_write_type(w->text, &p->shape);
        write_argument_attrs(w, p, aliases);
    }
    fxi_text_add(w->text, ")");
    for (size_t i = 0; i < g->output_count; i++) {
        fxi_text_add(w->text, i ? ", " : " -> (");
        fxi_write_type(w->text, &g->outputs[i]->shape);
        const fxi_shardings *shardings = shardings_of(w, aliases);
        if (!shardings) continue;
        fxi_text_add(w->text, " {sdy.sharding = ");
        fxi_write_sharding(w, w->text, shardings->outputs[i], g->outputs[i]->shape.rank, true);
        fxi_text_add(w->text, "}");
    }
    fxi_text_add(w->text, g->output_count ? ") {\n" : " {\n");
}

static void write_return(fxi_writer *w, const fxi_write_scope *s) {
    fxi_write_operand *outputs = list_outputs(w, s);
    if (!outputs) return;
    fxi_write_begin(w, "func.return", outputs, s->graph->output_count, 0);
    fxi_write_end(w, outputs, s->graph->output_count, NULL, 0);
    fxi_free(outputs);
}

/* `graph` is lowered already. */
static void write_function(fxi_writer *w, const fx_graph *graph, const int64_t *aliases) {
    fxi_write_scope s;
    if (!open_scope(w, &s, graph)) return;
    w->next = 0;
    w->depth = 2;
    write_signature(w, &s, aliases);
    write_nodes(w, &s);
    if (!w->failed) write_return(w, &s);
    fxi_text_add(w->text, "  }\n");
    fxi_free(s.values);
}

static void write_main(fxi_writer *w, const fx_graph *graph) {
    int64_t *aliases = fxi_alloc_zeroed(graph->parameters.count + 1, sizeof *aliases);
    if (!aliases) fxi_write_no_memory(w);
    const fx_graph *lowered = w->failed || !find_aliases(w, graph, aliases) ? NULL : lower(w, graph);
    fxi_text_add(w->text, "  func.func public @main(");
    if (lowered) write_function(w, lowered, aliases);
    fxi_free(aliases);
}

static void write_functions(fxi_writer *w) {
    for (size_t i = 0; i < w->functions.count && !w->failed; i++) {
        const fx_graph *lowered = lower(w, w->functions.data[i].graph);
        fxi_text_add(w->text, "  func.func private @f%zu(", i);
        if (lowered) write_function(w, lowered, NULL);
    }
}

/* Whether two nodes call one function: the operations, their attributes (closures by identity) and the shapes
 * of what they are given. */
static bool calls_same(const fx_node *a, const fx_node *b) {
    if (a->op != b->op || a->operand_count != b->operand_count || !fxi_attrs_equal(a, b)) return false;
    for (uint32_t i = 0; i < a->operand_count; i++)
        if (!fx_shape_equal(&a->operands[i]->shape, &b->operands[i]->shape)) return false;
    return true;
}

/* A composite's first closure has the operands' shapes: inputs and what it captured. */
static fx_graph *make_function(fxi_writer *w, const fx_node *n) {
    if (n->op == FX_OP_COMPOSITE) return fxi_graph_ref(fxi_node_bodies(n).v[0]);
    return fxi_lower_function(w->name, n, w->err);
}

int64_t fxi_write_function_of(fxi_writer *w, const fx_node *n) {
    uint64_t hash = fxi_hash_u64((uint64_t)n->op, fxi_attrs_hash(n));
    for (size_t i = 0; i < w->functions.count; i++)
        if (w->functions.data[i].hash == hash && calls_same(w->functions.data[i].node, n)) return (int64_t)i;
    fx_graph *made = make_function(w, n);
    w->failed |= !made;
    if (!made) return -1;
    const fxi_write_function function = {.node = n, .graph = made, .hash = hash};
    if (FXI_PUSH(&w->functions, function)) return (int64_t)w->functions.count - 1;
    fx_graph_free(made);
    fxi_write_no_memory(w);
    return -1;
}

/* ---- the module ---- */

static bool finish(fxi_writer *w) {
    if (w->text->failed || w->attrs.failed) fxi_write_no_memory(w);
    for (size_t i = 0; i < w->functions.count; i++) fx_graph_free(w->functions.data[i].graph);
    for (size_t i = 0; i < w->graphs.count; i++) fx_graph_free(w->graphs.data[i]);
    fxi_free(w->functions.data);
    fxi_free(w->graphs.data);
    fxi_text_free(&w->attrs);
    fxi_shardings_free(&w->shardings);
    return !w->failed;
}

bool fxi_stablehlo_text(const fx_graph *graph, const fxi_stablehlo_options *options, fxi_text *text,
                        fx_error *err) {
    static const fxi_stablehlo_options defaults = {0};
    if (!options) options = &defaults;
    fxi_writer w = {
        .name = options->name ? options->name : "stablehlo", .options = options, .text = text, .err = err};
    FX_TRY(fxi_shardings_find(graph, &w.shardings, err));
    fxi_text_add(text, "module @fluxion {\n");
    fxi_write_meshes(&w);
    write_main(&w, graph);
    if (!w.failed) write_functions(&w);
    fxi_text_add(text, "}\n");
    return finish(&w);
}
