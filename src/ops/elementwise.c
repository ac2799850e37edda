/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of elementwise operations. Those that need nothing but their operands, and roundings, are made
 * from the lists at the end of ops.def, so a new one needs no line here; the others, and the same operation
 * under a narrower dtype or a fixed attribute, follow by hand. Composites are in elementwise_composite.c. */
#include "ops/ops.h"

#define BUILD_1(function, text, op)                                                                          \
    fx_node *function(fx_node *x) {                                                                          \
        return fxi_build_map(text, op, &x, 1, NULL, 0);                                                      \
    }
#define BUILD_2(function, text, op)                                                                          \
    fx_node *function(fx_node *x, fx_node *y) {                                                              \
        return fxi_build_map(text, op, (fx_node *const[]){x, y}, 2, NULL, 0);                                \
    }
#define FX_OP(...)
#define FX_BUILDER(operands, function, id) BUILD_##operands(fx_##function, "fx_" #function, FX_OP_##id)
#include "graph/ops.def"
#undef FX_OP

fx_node *fx_sigmoid(fx_node *x) {
    return fxi_build_map("fx_sigmoid", FX_OP_LOGISTIC, &x, 1, NULL, 0);
}
fx_node *fx_bit_count(fx_node *x) {
    return fxi_build_map("fx_bit_count", FX_OP_POPCOUNT, &x, 1, NULL, 0);
}

fx_node *fx_identity(fx_node *x) {
    fxi_build b;
    return fxi_build_begin(&b, "fx_identity", &x, 1) ? x : b.stop;
}

/* ---- operations that leave some dtypes alone ---- */

static fx_node *build_unless(const char *name, fx_op op, fx_node *x, bool (*is_fixed)(fx_dtype)) {
    fxi_build b;
    if (!fxi_build_begin(&b, name, &x, 1)) return b.stop;
    if (is_fixed(x->shape.dtype) && fxi_op_info_of(FX_OP_ABS)->dtypes >> x->shape.dtype & 1) return x;
    return fxi_build_node(&b, op, &x, 1, NULL, 0, NULL);
}

#define FX_OP(...)
#define FX_ROUNDER(function, id)                                                                             \
    fx_node *fx_##function(fx_node *x) {                                                                     \
        return build_unless("fx_" #function, FX_OP_##id, x, fx_dtype_is_integer);                            \
    }
#include "graph/ops.def"
#undef FX_OP

fx_node *fx_real(fx_node *x) {
    return build_unless("fx_real", FX_OP_REAL, x, fx_dtype_is_float);
}
fx_node *fx_conj(fx_node *x) {
    return build_unless("fx_conj", FX_OP_CONJ, x, fx_dtype_is_float);
}

/* ---- logic and bits: one primitive each for bool and integers ---- */

static bool is_bool(fx_dtype dtype) {
    return dtype == FX_BOOL;
}

static fx_node *build_logic(const char *name, fx_op op, fx_node *const *operands, size_t count,
                            bool (*accepts)(fx_dtype), const char *wanted) {
    fxi_build b;
    if (!fxi_build_begin(&b, name, operands, count)) return b.stop;
    for (size_t i = 0; i < count; i++) {
        fx_dtype dtype = operands[i]->shape.dtype;
        if (!accepts(dtype))
            return fxi_build_refuse(&b, FX_ERROR_DTYPE,
                                    "%s is not accepted; it takes %s dtypes (fx_convert converts)",
                                    fx_dtype_name(dtype), wanted);
    }
    return fxi_build_map(name, op, operands, count, NULL, 0);
}

#define LOGIC_1(function, op, accepts, wanted)                                                               \
    fx_node *function(fx_node *x) {                                                                          \
        return build_logic(#function, op, &x, 1, accepts, wanted);                                           \
    }
#define LOGIC_2(function, op, accepts, wanted)                                                               \
    fx_node *function(fx_node *x, fx_node *y) {                                                              \
        return build_logic(#function, op, (fx_node *const[]){x, y}, 2, accepts, wanted);                     \
    }
LOGIC_1(fx_logical_not, FX_OP_NOT, is_bool, "bool")
LOGIC_2(fx_logical_and, FX_OP_AND, is_bool, "bool")
LOGIC_2(fx_logical_or, FX_OP_OR, is_bool, "bool")
LOGIC_2(fx_logical_xor, FX_OP_XOR, is_bool, "bool")
LOGIC_1(fx_bitwise_not, FX_OP_NOT, fx_dtype_is_integer, "integer")
LOGIC_2(fx_bitwise_and, FX_OP_AND, fx_dtype_is_integer, "integer")
LOGIC_2(fx_bitwise_or, FX_OP_OR, fx_dtype_is_integer, "integer")
LOGIC_2(fx_bitwise_xor, FX_OP_XOR, fx_dtype_is_integer, "integer")

/* ---- comparisons ---- */

#define COMPARE(function, direction, total)                                                                  \
    fx_node *function(fx_node *x, fx_node *y) {                                                              \
        return fxi_build_compare(#function, x, y, direction, total);                                         \
    }
COMPARE(fx_equal, FXI_EQ, false)
COMPARE(fx_not_equal, FXI_NE, false)
COMPARE(fx_less, FXI_LT, false)
COMPARE(fx_less_or_equal, FXI_LE, false)
COMPARE(fx_greater, FXI_GT, false)
COMPARE(fx_greater_or_equal, FXI_GE, false)
COMPARE(fx_equal_total_order, FXI_EQ, true)
COMPARE(fx_not_equal_total_order, FXI_NE, true)
COMPARE(fx_less_total_order, FXI_LT, true)
COMPARE(fx_less_or_equal_total_order, FXI_LE, true)
COMPARE(fx_greater_total_order, FXI_GT, true)
COMPARE(fx_greater_or_equal_total_order, FXI_GE, true)

/* ---- three operands ---- */

fx_node *fx_clamp(fx_node *low, fx_node *x, fx_node *high) {
    return fxi_build_map("fx_clamp", FX_OP_CLAMP, (fx_node *const[]){low, x, high}, 3, NULL, 0);
}

fx_node *fx_clip(fx_node *x, fx_node *low, fx_node *high) {
    return fxi_build_map("fx_clip", FX_OP_CLAMP, (fx_node *const[]){low, x, high}, 3, NULL, 0);
}

fx_node *fx_clip_scalar(fx_node *x, double low, double high) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_clip_scalar", &x, 1) || !fxi_build_takes(&b, x, FX_OP_CLAMP)) return b.stop;
    fx_node *lowest = fxi_build_number(&b, x->shape.dtype, low);
    fx_node *highest = fxi_build_number(&b, x->shape.dtype, high);
    return fxi_build_map(b.name, FX_OP_CLAMP, (fx_node *const[]){lowest, x, highest}, 3, NULL, 0);
}

fx_node *fx_select(fx_node *condition, fx_node *on_true, fx_node *on_false) {
    return fxi_build_map("fx_select", FX_OP_SELECT, (fx_node *const[]){condition, on_true, on_false}, 3, NULL,
                         0);
}

/* Branches equal or scalar; the dimensions of the result. */
static bool branch_dims(const fxi_build *b, const fx_shape *condition, const fx_shape *t, const fx_shape *f,
                        fx_shape *dims) {
    if (t->rank && f->rank && !fx_shape_equal_dims(t, f)) {
        fxi_build_refuse(
            b, FX_ERROR_SHAPE, "the branches have shapes %s and %s; they must be equal or a scalar",
            fxi_dims_text(t->dims, (size_t)t->rank).s, fxi_dims_text(f->dims, (size_t)f->rank).s);
        return false;
    }
    *dims = t->rank ? *t : *f;
    if (dims->rank == 0) *dims = *condition;
    for (int i = 0; i < condition->rank; i++) {
        if (i < dims->rank && condition->dims[i] == dims->dims[i]) continue;
        fxi_build_refuse(
            b, FX_ERROR_SHAPE,
            "the condition has shape %s; it must be a scalar, or have the first dimensions of %s",
            fxi_dims_text(condition->dims, (size_t)condition->rank).s,
            fxi_dims_text(dims->dims, (size_t)dims->rank).s);
        return false;
    }
    return true;
}

fx_node *fx_where(fx_node *condition, fx_node *on_true, fx_node *on_false) {
    fx_node *operands[] = {condition, on_true, on_false};
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_where", operands, 3)) return b.stop;
    fx_shape dims;
    if (!fxi_build_takes(&b, condition, FX_OP_SELECT)) return b.stop;
    if (!branch_dims(&b, &condition->shape, &on_true->shape, &on_false->shape, &dims)) return b.stop;
    static const int64_t first[FX_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    operands[0] = fxi_build_broadcast(&b, condition, &dims, (fx_dims){first, (size_t)condition->shape.rank});
    return fxi_build_map(b.name, FX_OP_SELECT, operands, 3, NULL, 0);
}
