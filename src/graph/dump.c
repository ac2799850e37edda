/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs as text, one line per node: number, operation, operands, attributes, shape, place; the nodes of a
 * closure follow the node that has it, indented. Attributes print by their kind in attrs.def. */
#include "graph/graph.h"
#include <string.h>

static const char *kind_word(int64_t value) {
    return fxi_reduce_kind_name((fxi_reduce_kind)value);
}
static const char *combine_word(int64_t value) {
    return fxi_scatter_kind_name((fxi_scatter_kind)value);
}
static const char *direction_word(int64_t value) {
    return fxi_direction_name((fxi_direction)value);
}

static const char *scan_word(int64_t value) {
    return fxi_scan_kind_name((fxi_scan_kind)value);
}

static const char *transform_word(int64_t value) {
    return fxi_fft_kind_name((fxi_fft_kind)value);
}

static const char *transpose_word(int64_t value) {
    return fxi_transpose_name((fxi_transpose)value);
}

typedef const char *(*word_fn)(int64_t value);
static const word_fn words[FXI_ATTR_COUNT] = {
    [FXI_ATTR_KIND] = kind_word,
    [FXI_ATTR_DIRECTION] = direction_word,
    [FXI_ATTR_SCAN] = scan_word,
    [FXI_ATTR_COMBINE] = combine_word,
    [FXI_ATTR_TRANSFORM] = transform_word,
    [FXI_ATTR_TRANSPOSED] = transpose_word,
};

static void add_ints(fxi_text *text, fx_dims ints) {
    fxi_text_add(text, "[");
    for (size_t i = 0; ints.v && i < ints.n; i++)
        fxi_text_add(text, "%s%lld", i ? ", " : "", (long long)ints.v[i]);
    fxi_text_add(text, "]");
}

static void add_graphs(fxi_text *text, fxi_graphs graphs) {
    fxi_text_add(text, "[");
    for (size_t i = 0; graphs.v && i < graphs.n; i++)
        fxi_text_add(text, "%s%zu nodes", i ? ", " : "", graphs.v[i]->nodes.count);
    fxi_text_add(text, "]");
}

static void add_attr(fxi_text *text, const fxi_attr *attr) {
    fxi_text_add(text, " %s=", fxi_attr_text(attr->id));
    switch (fxi_attr_kind_of(attr->id)) {
    case FXI_KIND_OF_INT: fxi_text_add(text, "%lld", (long long)attr->u.i); break;
    case FXI_KIND_OF_INTS: add_ints(text, attr->u.ints); break;
    case FXI_KIND_OF_WORD: fxi_text_add(text, "%s", words[attr->id](attr->u.i)); break;
    case FXI_KIND_OF_DTYPE: fxi_text_add(text, "%s", fx_dtype_name(attr->u.dtype)); break;
    case FXI_KIND_OF_TENSOR: fxi_text_add(text, "%s", fx_tensor_text(attr->u.tensor).s); break;
    case FXI_KIND_OF_GRAPHS: add_graphs(text, attr->u.graphs); break;
    case FXI_KIND_OF_CUSTOM: fxi_text_add(text, "%s", attr->u.custom->name); break;
    case FXI_KIND_OF_TEXT: fxi_text_add(text, "%s", attr->u.text); break;
    }
}

void fxi_node_add_text(fxi_text *text, const fx_node *node) {
    fxi_text_add(text, "%%%lld = %s", (long long)node->id, fxi_op_info_of(node->op)->text);
    for (uint32_t i = 0; i < node->operand_count; i++)
        fxi_text_add(text, " %%%lld", node->operands[i] ? (long long)node->operands[i]->id : -1LL);
    for (uint32_t i = 0; i < node->attr_count; i++) add_attr(text, &node->attrs[i]);
    fxi_text_add(text, " : ");
    fxi_shape_add_text(text, &node->shape);
    for (uint32_t i = 0; i < node->more_count; i++) {
        fxi_text_add(text, ", ");
        fxi_shape_add_text(text, &node->more[i]);
    }
    if (node->file) fxi_text_add(text, "  %s:%d", node->file, node->line);
}

/* Recursion ends because closures nest FXI_MAX_NESTING deep at most. */
static void add_graph(fxi_text *text, const fx_graph *graph, int depth) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const fx_node *node = graph->nodes.data[i];
        fxi_text_add(text, "%*s", 2 * depth, "");
        fxi_node_add_text(text, node);
        fxi_text_add(text, "\n");
        fxi_graphs bodies = fxi_node_bodies(node);
        for (size_t k = 0; k < bodies.n; k++) {
            fxi_text_add(text, "%*sbody %zu:\n", 2 * depth + 2, "", k);
            add_graph(text, bodies.v[k], depth + 2);
            fxi_text_add(text, "%*soutputs", 2 * depth + 4, "");
            for (size_t o = 0; o < bodies.v[k]->output_count; o++)
                fxi_text_add(text, " %%%lld", (long long)bodies.v[k]->outputs[o]->id);
            fxi_text_add(text, "\n");
        }
    }
}

size_t fx_graph_text(const fx_graph *graph, char *buffer, size_t size) {
    fxi_text text = fxi_text_fixed(buffer, buffer ? size : 0);
    fxi_text_add(&text, "%s", "");
    if (graph) add_graph(&text, graph, 0);
    return text.length;
}
