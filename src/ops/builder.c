/* SPDX-License-Identifier: Apache-2.0 */
/* What all builders share: the first checks, messages under the name of the function the user called,
 * normalised axes, and elementwise nodes with the broadcasts they need made explicit. The graph knows no
 * implicit broadcasting, so every later layer sees operands of equal dimensions. */
#include "ops/ops.h"
#include <string.h>

bool fxi_build_begin_leaf(fxi_build *b, const char *name, fx_graph *graph) {
    *b = (fxi_build){name, graph, graph ? &graph->inert : NULL};
    if (!graph) return false;
    return fxi_operands_check(&(fxi_node_spec){.name = name}, graph);
}

bool fxi_build_begin(fxi_build *b, const char *name, fx_node *const *operands, size_t count) {
    return fxi_build_begin_roles(b, name, operands, count, (fxi_roles){NULL, 0});
}

bool fxi_build_begin_roles(fxi_build *b, const char *name, fx_node *const *operands, size_t count,
                           fxi_roles roles) {
    fx_graph *graph = fxi_graph_of(operands, count);
    *b = (fxi_build){name, graph, graph ? &graph->inert : NULL};
    if (!graph) return false;
    const fxi_node_spec spec = {.name = name, .operands = operands, .operand_count = count, .roles = roles};
    return fxi_operands_check(&spec, graph);
}

fx_node *fxi_build_refuse(const fxi_build *b, fx_error_code code, const char *format, ...) {
    char message[sizeof b->graph->error.message];
    fxi_text text = fxi_text_fixed(message, sizeof message);
    va_list list;
    va_start(list, format);
    fxi_text_add_list(&text, format, list);
    va_end(list);
    fxi_build_fail(b->graph, code, "%s: %s", b->name, message);
    return b->stop;
}

fx_node *fxi_build_node(const fxi_build *b, fx_op op, fx_node *const *operands, size_t count,
                        const fxi_attr *attrs, size_t attr_count, const fx_shape *shape) {
    return fxi_node_make(&(fxi_node_spec){.name = b->name,
                                          .graph = b->graph,
                                          .op = op,
                                          .operands = operands,
                                          .operand_count = count,
                                          .attrs = attrs,
                                          .attr_count = attr_count,
                                          .shape = shape});
}

fx_node *fxi_build_like(const fxi_build *b, const fx_node *n, fx_node *const *operands, const fxi_attr *attrs,
                        size_t attr_count, const fx_shape *shape) {
    fxi_attr list[FXI_MOST_ATTRS];
    if (n->attr_count > FXI_MOST_ATTRS) return fxi_build_refuse(b, FX_ERROR_INTERNAL, "too many attributes");
    for (uint32_t i = 0; i < n->attr_count; i++) {
        list[i] = n->attrs[i];
        for (size_t k = 0; k < attr_count; k++)
            if (attrs[k].id == list[i].id) list[i] = attrs[k];
    }
    return fxi_build_node(b, n->op, operands, n->operand_count, list, n->attr_count, shape);
}

void fxi_build_options(void *to, size_t bytes, const void *from) {
    size_t given = 0;
    memset(to, 0, bytes);
    if (from) memcpy(&given, from, sizeof given);
    if (from) memcpy(to, from, given && given < bytes ? given : bytes);
}

bool fxi_build_options_exact(const fxi_build *b, void *to, size_t bytes, const void *from) {
    size_t given = 0;
    fxi_build_options(to, bytes, from);
    if (from) memcpy(&given, from, sizeof given);
    if (given == 0 || given == bytes) return true;
    fxi_build_refuse(b, FX_ERROR_ARGUMENT, "options.size is %zu; it must be %zu or 0", given, bytes);
    return false;
}

static bool check_dtypes(const fxi_build *b, fx_op op, const fx_shape *const *shapes, size_t count) {
    const fxi_shape_args args = {.name = b->name, .op = op, .operands = shapes, .operand_count = count};
    fx_error err = {.code = FX_OK};
    if (fxi_dtypes_check(&args, &err)) return true;
    fxi_build_fail(b->graph, err.code, "%s", err.message);
    return false;
}

bool fxi_build_takes(const fxi_build *b, const fx_node *x, fx_op model) {
    const fx_shape *shape = &x->shape;
    return check_dtypes(b, model, &shape, 1);
}

/* ---- axes ---- */

bool fxi_build_axis(const fxi_build *b, const fx_node *x, int64_t axis, int64_t *normalized) {
    *normalized = fxi_axis_normalize(axis, x->shape.rank);
    if (*normalized >= 0) return true;
    fxi_build_refuse(b, FX_ERROR_AXIS, "axis %lld is out of range for %s (rank %d)", (long long)axis,
                     fx_shape_to_text(&x->shape).s, x->shape.rank);
    return false;
}

bool fxi_build_axes(const fxi_build *b, const fx_node *x, fx_axes axes, fxi_axis_list *list) {
    uint32_t seen = 0;
    list->n = 0;
    if (axes.n && !axes.v) {
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the axes are NULL");
        return false;
    }
    for (size_t i = 0; i < axes.n; i++) {
        int64_t axis;
        if (!fxi_build_axis(b, x, axes.v[i], &axis)) return false;
        if (seen >> axis & 1) {
            fxi_build_refuse(b, FX_ERROR_AXIS, "axis %lld of %s is named twice", (long long)axis,
                             fx_shape_to_text(&x->shape).s);
            return false;
        }
        seen |= UINT32_C(1) << axis;
        list->v[list->n++] = axis;
    }
    return true;
}

bool fxi_build_reduced_axes(const fxi_build *b, const fx_node *x, fx_axes axes, fxi_axis_list *list) {
    if (!fxi_build_axes(b, x, axes, list)) return false;
    uint32_t named = 0;
    for (size_t i = 0; i < list->n; i++) named |= UINT32_C(1) << list->v[i];
    bool all = list->n == 0;
    list->n = 0;
    for (int i = 0; i < x->shape.rank; i++)
        if (all || named >> i & 1) list->v[list->n++] = i;
    return true;
}

/* ---- broadcasting ---- */

fx_node *fxi_build_broadcast(const fxi_build *b, fx_node *x, const fx_shape *dims, fx_dims axes) {
    bool changes = !fx_shape_equal_dims(&x->shape, dims);
    for (size_t i = 0; i < axes.n; i++) changes |= axes.v[i] != (int64_t)i;
    if (!changes) return x;
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_AXES, axes.v, axes.n);
    return fxi_build_node(b, FX_OP_BROADCAST_IN_DIM, &x, 1, &attr, 1, dims);
}

/* Elementwise: a scalar to anything, else equal ranks. */
static fx_node *broadcast_element(const fxi_build *b, fx_node *x, const fx_shape *dims) {
    static const int64_t all[FX_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    fx_node *wide = fxi_build_broadcast(b, x, dims, (fx_dims){all, (size_t)x->shape.rank});
    if (wide != x) wide->hidden = true;
    return wide;
}

static bool broadcast_all(const fxi_build *b, const fx_shape *const *shapes, size_t count, fx_shape *dims) {
    fx_error err = {.code = FX_OK};
    *dims = *shapes[0];
    for (size_t i = 1; i < count; i++) {
        const fx_shape so_far = *dims;
        if (fxi_shape_broadcast(b->name, &so_far, shapes[i], dims, &err)) continue;
        fxi_build_fail(b->graph, err.code, "%s", err.message);
        return false;
    }
    return true;
}

fx_node *fxi_build_map(const char *name, fx_op op, fx_node *const *operands, size_t count,
                       const fxi_attr *attrs, size_t attr_count) {
    fxi_build b;
    if (!fxi_build_begin(&b, name, operands, count)) return b.stop;
    const fx_shape *shapes[FXI_MAP_OPERANDS];
    fx_node *ready[FXI_MAP_OPERANDS];
    for (size_t i = 0; i < count; i++) shapes[i] = &operands[i]->shape;
    fx_shape dims;
    if (!check_dtypes(&b, op, shapes, count) || !broadcast_all(&b, shapes, count, &dims)) return b.stop;
    for (size_t i = 0; i < count; i++) ready[i] = broadcast_element(&b, operands[i], &dims);
    return fxi_build_node(&b, op, ready, count, attrs, attr_count, NULL);
}

fx_node *fxi_build_compare(const char *name, fx_node *x, fx_node *y, fxi_direction direction,
                           bool total_order) {
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_DIRECTION, direction),
                              fxi_attr_int(FXI_ATTR_TOTAL_ORDER, total_order)};
    return fxi_build_map(name, FX_OP_COMPARE, (fx_node *const[]){x, y}, 2, attrs, 2);
}
