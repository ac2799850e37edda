/* SPDX-License-Identifier: Apache-2.0 */
/* Shape rule of cumulative operations: the operand's shape, for the dtypes that the kind of combination
 * takes. Which they are is asked of the row of an elementwise operation that takes the same. */
#include "shape_rules.h"

static const fx_op scan_models[FXI_SCAN_KINDS] = {
    [FXI_SCAN_SUM] = FX_OP_SUB, [FXI_SCAN_PRODUCT] = FX_OP_SUB, [FXI_SCAN_MAX] = FX_OP_REM,
    [FXI_SCAN_MIN] = FX_OP_REM, [FXI_SCAN_LOGSUMEXP] = FX_OP_ERF,
};

bool shape_cumulative(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    int64_t kind = int_of(args, FXI_ATTR_SCAN), backwards = int_of(args, FXI_ATTR_BACKWARDS);
    if (kind < 0 || kind >= FXI_SCAN_KINDS)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "there is no kind %lld", (long long)kind);
    if (backwards != 0 && backwards != 1)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "backwards is %lld; it is 0 or 1", (long long)backwards);
    FX_TRY(fxi_rule_check_dtype(args, fxi_op_info_of(scan_models[kind])->dtypes, x->dtype, err));
    *result = *x;
    return check_axis(args, int_of(args, FXI_ATTR_AXIS), x, err);
}
