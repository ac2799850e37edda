/* SPDX-License-Identifier: Apache-2.0 */
/* fx_custom_call, and the call of a user's function that both backends make. */
#include "ops/ops.h"
#include <fluxion/custom.h>

static fx_node *refuse(const fxi_build *b, const char *what) {
    return fxi_build_refuse(b, FX_ERROR_ARGUMENT, "%s", what);
}

static bool list_shapes(const fx_shape *shapes, size_t n, fxi_attr *attr, int64_t **list) {
    *list = fxi_alloc_zeroed(n, (FX_MAX_RANK + 2) * sizeof(int64_t));
    size_t count = 0;
    for (size_t i = 0; *list && i < n; i++) {
        int rank = shapes[i].rank < 0 || shapes[i].rank > FX_MAX_RANK ? 0 : shapes[i].rank;
        (*list)[count++] = (int64_t)shapes[i].dtype;
        (*list)[count++] = rank;
        for (int k = 0; k < rank; k++) (*list)[count++] = shapes[i].dims[k];
    }
    *attr = fxi_attr_ints(FXI_ATTR_RESULT_SHAPES, *list, count);
    return *list != NULL;
}

static fx_node *make(const fxi_build *b, const fx_custom *custom, fx_nodes operands, const fx_shape *shapes,
                     size_t n) {
    if (!custom || !custom->run || !custom->name)
        return refuse(b, "the operation, its name or its function is NULL");
    if (!shapes || n == 0 || n > UINT32_MAX)
        return refuse(b, n ? "the results' shapes are NULL" : "there is no result");
    for (size_t i = 0; i < n; i++)
        if (!fx_shape_is_valid(&shapes[i])) {
            const fxi_shape_fault fault = fxi_shape_fault_of(&shapes[i]);
            return fxi_build_refuse(b, fault.code, "the shape of result %zu %s", i, fault.text);
        }
    fxi_attr attrs[2] = {{.id = FXI_ATTR_CUSTOM}};
    int64_t *list;
    attrs[0].u.custom = custom;
    fx_node *made = list_shapes(shapes, n, &attrs[1], &list)
                        ? fxi_build_node(b, FX_OP_CUSTOM_CALL, operands.v, operands.n, attrs, 2, NULL)
                        : fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    fxi_free(list);
    return made;
}

fx_node *fx_custom_call(const fx_custom *custom, fx_nodes operands, const fx_shape *result_shapes,
                        size_t n_results, fx_node **results) {
    fxi_build b;
    bool ok = fxi_build_begin(&b, "fx_custom_call", operands.v, operands.v ? operands.n : 0);
    fx_node *made = ok ? make(&b, custom, operands, result_shapes, n_results) : b.stop;
    return fxi_build_results(made, results, n_results);
}

bool fxi_custom_run(const fx_node *node, const fx_tensor *const *inputs, fx_tensor *const *outputs,
                    fx_error *err) {
    const fx_custom *custom = fxi_node_attr(node, FXI_ATTR_CUSTOM)->u.custom;
    fx_error error = {.code = FX_OK};
    if (custom->run(inputs, node->operand_count, outputs, fxi_node_results(node), custom->user, &error))
        return true;
    if (error.code == FX_OK)
        return fxi_fail_at(err, FX_ERROR_BACKEND, node->file, node->line, "%s failed", custom->name);
    if (!error.file) {
        error.file = node->file;
        error.line = node->line;
    }
    return fxi_fail_copy(err, &error);
}
