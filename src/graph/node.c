/* SPDX-License-Identifier: Apache-2.0 */
/* The one way to append a node: find the graph, check everything, copy operands and attributes into the
 * graph's arena. Appending costs the checks and one bump allocation, whatever the size of the graph.
 *
 * Which graph. Operands may come from several graphs when closures are built: the node goes into the
 * innermost one of them, and from there into the closure that is being built inside it, if any; that is the
 * only place where code can run that uses captured nodes alone. */
#include "graph/graph.h"
#include <string.h>

/* ---- the graph of a new node ---- */

/* Whether `outer` is `inner` or encloses it. */
static bool encloses(const fx_graph *outer, const fx_graph *inner) {
    while (inner && inner != outer) inner = inner->parent;
    return inner != NULL;
}

bool fxi_node_is_visible(const fx_node *operand, const fx_graph *graph) {
    return encloses(operand->graph, graph);
}

fx_graph *fxi_graph_of(fx_node *const *operands, size_t count) {
    fx_graph *graph = NULL;
    for (size_t i = 0; operands && i < count; i++) {
        if (!operands[i]) continue;
        fx_graph *other = operands[i]->graph;
        if (!graph || (other != graph && encloses(graph, other))) graph = other;
    }
    while (graph && graph->body) graph = graph->body;
    return graph;
}

/* ---- failures ---- */

fx_node *fxi_build_fail(fx_graph *graph, fx_error_code code, const char *format, ...) {
    if (!graph) return NULL;
    if (graph->error.code != FX_OK) return &graph->inert;
    char message[sizeof graph->error.message];
    fxi_text text = fxi_text_fixed(message, sizeof message);
    va_list list;
    va_start(list, format);
    fxi_text_add_list(&text, format, list);
    va_end(list);
    fxi_fail(&graph->error, code, "%s", message);
    graph->error_stamped = false;
    return &graph->inert;
}

/* Moves a failure of a checking function into the graph. */
static fx_node *fail_with(fx_graph *graph, const fx_error *err) {
    return fxi_build_fail(graph, err->code, "%s", err->message);
}

#define NAME_FORMAT "%s%s"
#define NAME_OF(spec)                                                                                        \
    (spec)->name ? "" : "fx_", (spec)->name ? (spec)->name : fxi_op_info_of((spec)->op)->text

/* ---- checks before the tables are asked ---- */

/* The error of an inert operand is pending in its graph; where that is another one, here too. */
static bool has_inert(const fxi_node_spec *spec, fx_graph *graph) {
    for (size_t i = 0; i < spec->operand_count; i++) {
        const fx_node *x = spec->operands[i];
        if (!x || x->op != FX_OP_INERT) continue;
        if (!fxi_node_is_visible(x, graph))
            fxi_build_fail(graph, FX_ERROR_GRAPH, NAME_FORMAT ": operand %zu belongs to another graph",
                           NAME_OF(spec), i);
        return true;
    }
    return false;
}

/* An operand as messages call it. */
typedef struct operand_text {
    char s[40];
} operand_text;
static operand_text text_of_operand(const fxi_node_spec *spec, size_t i) {
    operand_text made;
    fxi_text text = fxi_text_fixed(made.s, sizeof made.s);
    if (i < spec->roles.n)
        fxi_text_add(&text, "%s", spec->roles.v[i]);
    else
        fxi_text_add(&text, "operand %zu", i);
    return made;
}

bool fxi_operands_check(const fxi_node_spec *spec, fx_graph *graph) {
    if (has_inert(spec, graph)) return false;
    if (graph->finished) {
        fxi_build_fail(graph, FX_ERROR_GRAPH, NAME_FORMAT ": the graph is finished", NAME_OF(spec));
        return false;
    }
    for (size_t i = 0; i < spec->operand_count; i++) {
        const fx_node *x = spec->operands[i];
        if (!x) {
            fxi_build_fail(graph, FX_ERROR_ARGUMENT, NAME_FORMAT ": %s is NULL", NAME_OF(spec),
                           text_of_operand(spec, i).s);
            return false;
        }
        if (!fxi_node_is_visible(x, graph)) {
            fxi_build_fail(graph, FX_ERROR_GRAPH, NAME_FORMAT ": %s, %%%lld = %s, belongs to another graph",
                           NAME_OF(spec), text_of_operand(spec, i).s, (long long)x->id,
                           fxi_op_info_of(x->op)->text);
            return false;
        }
    }
    return true;
}

/* ---- the node itself ---- */

/* Number of operands whose shapes are listed without an allocation. */
#define FEW 8

static bool infer_shape(const fxi_node_spec *spec, fx_shape *shape, fxi_shapes *more, fx_error *err) {
    const fx_shape *few[FEW], **shapes = few;
    if (spec->operand_count > FEW) {
        shapes = fxi_alloc_zeroed(spec->operand_count, sizeof(fx_shape *));
        if (!shapes) return fxi_fail_memory(err, "graph");
    }
    for (size_t i = 0; i < spec->operand_count; i++) shapes[i] = &spec->operands[i]->shape;
    const fxi_shape_args args = {spec->name,  spec->op,         shapes, spec->operand_count,
                                 spec->attrs, spec->attr_count, more};
    if (spec->shape) *shape = *spec->shape;
    bool ok = fxi_shape_infer(&args, shape, err);
    if (shapes != few) fxi_free(shapes);
    return ok;
}

/* Lists are copied into the arena, which frees them with the graph; tensors and closures are referenced last,
 * by the caller. */
static bool copy_list(fxi_arena *arena, fxi_attr *attr) {
    fxi_attr_kind kind = fxi_attr_kind_of(attr->id);
    if (kind == FXI_KIND_OF_INTS) {
        size_t n = attr->u.ints.n;
        attr->u.ints.v = fxi_arena_copy(arena, attr->u.ints.v, n * sizeof *attr->u.ints.v);
        return attr->u.ints.v != NULL;
    }
    if (kind == FXI_KIND_OF_TEXT) {
        attr->u.text = fxi_arena_copy(arena, attr->u.text, strlen(attr->u.text) + 1);
        return attr->u.text != NULL;
    }
    if (kind == FXI_KIND_OF_GRAPHS) {
        size_t n = attr->u.graphs.n;
        attr->u.graphs.v = fxi_arena_copy(arena, attr->u.graphs.v, n * sizeof *attr->u.graphs.v);
        return attr->u.graphs.v != NULL;
    }
    return true;
}

static fxi_attr *copy_attrs(fxi_arena *arena, const fxi_attr *attrs, size_t count) {
    fxi_attr *copy = fxi_arena_copy(arena, attrs, count * sizeof *attrs);
    for (size_t i = 0; copy && i < count; i++)
        if (!copy_list(arena, &copy[i])) return NULL;
    return copy;
}

static void reference_attrs(const fxi_attr *attrs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fxi_attr_kind kind = fxi_attr_kind_of(attrs[i].id);
        if (kind == FXI_KIND_OF_TENSOR) fx_tensor_ref(attrs[i].u.tensor);
        if (kind != FXI_KIND_OF_GRAPHS) continue;
        for (size_t k = 0; k < attrs[i].u.graphs.n; k++) fxi_graph_ref(attrs[i].u.graphs.v[k]);
    }
}

/* The operands as nodes of this graph: a closure reads those of enclosing graphs through parameters. */
static fx_node **copy_operands(const fxi_node_spec *spec, fx_graph *graph) {
    fx_node **operands = fxi_arena_alloc(&graph->arena, spec->operand_count, sizeof(fx_node *));
    for (size_t i = 0; operands && i < spec->operand_count; i++) {
        operands[i] = fxi_graph_capture(graph, spec->operands[i]);
        if (!operands[i]) return NULL;
    }
    return operands;
}

static fx_node *append(const fxi_node_spec *spec, fx_graph *graph, const fx_shape *shape,
                       const fxi_shapes *more) {
    fx_node **operands = copy_operands(spec, graph);
    fx_node *node = operands ? fxi_arena_alloc(&graph->arena, 1, sizeof *node) : NULL;
    fx_shape *rest = fxi_arena_copy(&graph->arena, more->data, more->count * sizeof *rest);
    fxi_attr *attrs = copy_attrs(&graph->arena, spec->attrs, spec->attr_count);
    if (!node || !rest || !attrs || !FXI_PUSH(&graph->nodes, node))
        return fxi_build_fail(graph, FX_ERROR_MEMORY, NAME_FORMAT ": out of memory", NAME_OF(spec));
    reference_attrs(attrs, spec->attr_count);
    *node = (fx_node){.graph = graph,
                      .operands = operands,
                      .attrs = attrs,
                      .id = (int64_t)graph->nodes.count - 1,
                      .op = spec->op,
                      .operand_count = (uint32_t)spec->operand_count,
                      .attr_count = (uint32_t)spec->attr_count,
                      .shape = *shape,
                      .more = rest,
                      .more_count = (uint32_t)more->count};
    return node;
}

static fx_node *make_checked(const fxi_node_spec *spec, fx_graph *graph) {
    fx_shape shape = {.dtype = FX_INVALID_DTYPE};
    fx_error err = {.code = FX_OK};
    fxi_shapes more = {0};
    fx_node *node;
    if (infer_shape(spec, &shape, &more, &err)) {
        for (int i = shape.rank; i < FX_MAX_RANK; i++) shape.dims[i] = 0;
        node = append(spec, graph, &shape, &more);
    } else {
        node = fail_with(graph, &err);
    }
    fxi_free(more.data);
    return node;
}

fx_node *fxi_node_make(const fxi_node_spec *spec) {
    fx_graph *graph = spec->graph ? spec->graph : fxi_graph_of(spec->operands, spec->operand_count);
    if (!graph) return NULL;
    if (spec->operand_count > 0 && !spec->operands)
        return fxi_build_fail(graph, FX_ERROR_ARGUMENT, NAME_FORMAT ": the operands are NULL", NAME_OF(spec));
    if (!fxi_operands_check(spec, graph)) return &graph->inert;
    if (spec->operand_count > UINT32_MAX)
        return fxi_build_fail(graph, FX_ERROR_ARGUMENT, NAME_FORMAT ": too many operands", NAME_OF(spec));
    return make_checked(spec, graph);
}

fx_node *fxi_node_result(fx_node *node, size_t number) {
    if (!node || node->op == FX_OP_INERT || number == 0) return node;
    if (number > node->more_count)
        return fxi_build_fail(node->graph, FX_ERROR_INTERNAL, "fx_%s: there is no result %zu",
                              fxi_op_info_of(node->op)->text, number);
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_RESULT, (int64_t)number);
    return fxi_node_make(&(fxi_node_spec){.graph = node->graph,
                                          .op = FX_OP_RESULT,
                                          .operands = &node,
                                          .operand_count = 1,
                                          .attrs = &attr,
                                          .attr_count = 1,
                                          .shape = &node->more[number - 1]});
}

fx_node *fxi_node_new(fx_graph *graph, fx_op op, fx_node *const *operands, size_t operand_count,
                      const fxi_attr *attrs, size_t attr_count) {
    return fxi_node_make(&(fxi_node_spec){.graph = graph,
                                          .op = op,
                                          .operands = operands,
                                          .operand_count = operand_count,
                                          .attrs = attrs,
                                          .attr_count = attr_count});
}

fx_node *fxi_leaf_new(fx_graph *graph, fx_op op, const fx_shape *shape, const fxi_attr *attrs,
                      size_t attr_count) {
    return fxi_node_make(
        &(fxi_node_spec){.graph = graph, .op = op, .attrs = attrs, .attr_count = attr_count, .shape = shape});
}

/* ---- what is known about a node ---- */

static const fx_shape no_shape;

fx_graph *fx_node_graph(const fx_node *node) {
    return node ? node->graph : NULL;
}
const fx_shape *fx_node_shape(const fx_node *node) {
    return node ? &node->shape : &no_shape;
}
fx_dtype fx_node_dtype(const fx_node *node) {
    return fx_node_shape(node)->dtype;
}
int fx_node_rank(const fx_node *node) {
    return fx_node_shape(node)->rank;
}
int64_t fx_node_dim(const fx_node *node, int axis) {
    return fx_shape_dim(fx_node_shape(node), axis);
}
const char *fx_node_op(const fx_node *node) {
    return fxi_op_info_of(node ? node->op : FX_OP_INERT)->text;
}
const char *fx_node_file(const fx_node *node) {
    return node ? node->file : NULL;
}
int fx_node_line(const fx_node *node) {
    return node && node->file ? node->line : 0;
}

bool fxi_node_add_label(fx_node *node, const char *text) {
    fxi_arena *arena = &node->graph->arena;
    fxi_label *label = fxi_arena_alloc(arena, 1, sizeof *label);
    char *copy = fxi_arena_copy(arena, text, strlen(text) + 1);
    if (!label || !copy) return false;
    *label = (fxi_label){.text = copy};
    fxi_label **end = &node->labels;
    while (*end) end = &(*end)->next;
    *end = label;
    return true;
}

bool fxi_node_add_labels(fx_node *node, const fx_node *from) {
    for (const fxi_label *label = from->labels; label; label = label->next)
        if (!fxi_node_add_label(node, label->text)) return false;
    return true;
}

fx_node *fx_log_node(fx_node *node, const char *label) {
    if (!node || node->op == FX_OP_INERT) return node;
    fx_graph *graph = node->graph;
    if (!label) return fxi_build_fail(graph, FX_ERROR_ARGUMENT, "fx_log_node: the label is NULL");
    if (graph->finished) return fxi_build_fail(graph, FX_ERROR_GRAPH, "fx_log_node: the graph is finished");
    if (!fxi_node_add_label(node, label))
        return fxi_build_fail(graph, FX_ERROR_MEMORY, "fx_log_node: out of memory");
    return node;
}
