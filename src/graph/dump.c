/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs as text, one line per node: number, operation, operands, attributes, shape, place. An operand of
 * an enclosing graph has one ^ per level before its number. Attributes print by their kind in attrs.def. */
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

typedef const char *(*word_fn)(int64_t value);
static const word_fn words[FXI_ATTR_COUNT] = {
    [FXI_ATTR_KIND] = kind_word,
    [FXI_ATTR_DIRECTION] = direction_word,
    [FXI_ATTR_SCAN] = scan_word,
    [FXI_ATTR_COMBINE] = combine_word,
    [FXI_ATTR_TRANSFORM] = transform_word,
};

static void add_ints(fxi_text *text, fx_dims ints) {
    fxi_text_add(text, "[");
    for (size_t i = 0; ints.v && i < ints.n; i++)
        fxi_text_add(text, "%s%lld", i ? ", " : "", (long long)ints.v[i]);
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
    }
}

static void add_operand(fxi_text *text, const fx_node *node, const fx_node *operand) {
    fxi_text_add(text, " ");
    for (const fx_graph *g = node->graph; g && operand && g != operand->graph; g = g->parent)
        fxi_text_add(text, "^");
    fxi_text_add(text, "%%%lld", operand ? (long long)operand->id : -1LL);
}

void fxi_node_add_text(fxi_text *text, const fx_node *node) {
    fxi_text_add(text, "%%%lld = %s", (long long)node->id, fxi_op_info_of(node->op)->text);
    for (uint32_t i = 0; i < node->operand_count; i++) add_operand(text, node, node->operands[i]);
    for (uint32_t i = 0; i < node->attr_count; i++) add_attr(text, &node->attrs[i]);
    fxi_text_add(text, " : ");
    fxi_shape_add_text(text, &node->shape);
    if (node->file) fxi_text_add(text, "  %s:%d", node->file, node->line);
}

size_t fx_graph_text(const fx_graph *graph, char *buffer, size_t size) {
    fxi_text text = fxi_text_fixed(buffer, buffer ? size : 0);
    fxi_text_add(&text, "%s", "");
    for (size_t i = 0; graph && i < graph->nodes.count; i++) {
        fxi_node_add_text(&text, graph->nodes.data[i]);
        fxi_text_add(&text, "\n");
    }
    return text.length;
}
