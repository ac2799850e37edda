/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of constants: the texts of dense attributes as tensors. */
#include "stablehlo/tree.h"

fx_tensor *fxi_hlo_dense(const fxi_hlo_module *module, const fxi_hlo_attr *attr, fx_error *err) {
    fxi_hlo_refuse(module, attr->place, err, "a constant");
    return NULL;
}
bool fxi_hlo_dense_is_splat(const fxi_hlo_attr *attr) {
    return attr->kind == FXI_HLO_ATTR_DENSE && attr->text.length > 0 && *attr->text.at != '[';
}
fx_tensor *fxi_hlo_dense_splat(const fxi_hlo_module *module, const fxi_hlo_attr *attr, fx_error *err) {
    return fxi_hlo_dense(module, attr, err);
}
bool fxi_hlo_ints(const fxi_hlo_module *module, const fxi_hlo_attr *attr, fxi_arena *arena, fx_dims *ints,
                  fx_error *err) {
    (void)arena;
    if (attr->kind != FXI_HLO_ATTR_INTS) 
        return fxi_hlo_refuse(module, attr->place, err, "no list of integers");
    *ints = attr->u.ints;
    return true;
}
