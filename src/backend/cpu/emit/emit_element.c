/* SPDX-License-Identifier: Apache-2.0 */
/* From an elementwise operation to its emitter, and the one rounding of half types.
 *
 * A row has one emitter per kind of operand 0 (operand 1 for select), or for floats the name of the LLVM
 * intrinsic that is all there is to do; kinds that the operation's row in ops.def does not admit stay NULL.
 * Operations that ops.def calls exact give numbers of the half grid whenever their operands are, so they need
 * no rounding; nor does the remainder, which is a loop but exact too. */
#include "emit_ops.h"

#include <assert.h>

typedef struct emit_row {
    fxi_emit_op boolean, integer, real, complex;
    const char *intrinsic; /* for floats, in the place of `real` */
} emit_row;

static fxi_value emit_select(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)element;
    fxi_value result = ir_one(ir_select(e, x[0].re, x[1].re, x[2].re));
    if (x[1].im != NULL) result.im = ir_select(e, x[0].re, x[1].im, x[2].im);
    return result;
}

static fxi_value emit_convert(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    return fxi_emit_convert(e, (fx_dtype)element->from, (fx_dtype)element->to, x[0]);
}

#define MATH_REAL {NULL, NULL, fxi_emit_float_math, NULL, NULL}
#define MATH_BOTH {NULL, NULL, fxi_emit_float_math, fxi_emit_complex_function, NULL}

static const emit_row rows[FX_OP_COUNT] = {
    [FX_OP_ABS] = {NULL, fxi_emit_int_abs, NULL, fxi_emit_complex_function, "llvm.fabs"},
    [FX_OP_NEG] = {NULL, fxi_emit_int_neg, fxi_emit_float_neg, fxi_emit_complex_neg, NULL},
    [FX_OP_SIGN] = {NULL, fxi_emit_int_sign, fxi_emit_float_sign, fxi_emit_complex_function, NULL},
    [FX_OP_CEIL] = {.intrinsic = "llvm.ceil"},
    [FX_OP_FLOOR] = {.intrinsic = "llvm.floor"},
    [FX_OP_ROUND] = {.intrinsic = "llvm.roundeven"},
    [FX_OP_ROUND_AWAY] = {NULL, NULL, fxi_emit_float_round_away, NULL, NULL},
    [FX_OP_TRUNC] = {.intrinsic = "llvm.trunc"},
    [FX_OP_EXP] = MATH_BOTH,
    [FX_OP_EXPM1] = MATH_BOTH,
    [FX_OP_EXP2] = MATH_REAL,
    [FX_OP_LOG] = MATH_BOTH,
    [FX_OP_LOG1P] = MATH_BOTH,
    [FX_OP_LOG2] = MATH_REAL,
    [FX_OP_LOG10] = MATH_REAL,
    [FX_OP_SQRT] = {NULL, NULL, NULL, fxi_emit_complex_function, "llvm.sqrt"},
    [FX_OP_RSQRT] = MATH_BOTH,
    [FX_OP_CBRT] = MATH_REAL,
    [FX_OP_SIN] = MATH_BOTH,
    [FX_OP_COS] = MATH_BOTH,
    [FX_OP_TAN] = MATH_BOTH,
    [FX_OP_ASIN] = MATH_BOTH,
    [FX_OP_ACOS] = MATH_BOTH,
    [FX_OP_ATAN] = MATH_BOTH,
    [FX_OP_SINH] = MATH_BOTH,
    [FX_OP_COSH] = MATH_BOTH,
    [FX_OP_TANH] = MATH_BOTH,
    [FX_OP_ASINH] = MATH_BOTH,
    [FX_OP_ACOSH] = MATH_BOTH,
    [FX_OP_ATANH] = MATH_BOTH,
    [FX_OP_LOGISTIC] = MATH_BOTH,
    [FX_OP_ERF] = MATH_REAL,
    [FX_OP_ERFC] = MATH_REAL,
    [FX_OP_ERF_INV] = MATH_REAL,
    [FX_OP_LGAMMA] = MATH_REAL,
    [FX_OP_DIGAMMA] = MATH_REAL,
    [FX_OP_BESSEL_I0E] = MATH_REAL,
    [FX_OP_BESSEL_I1E] = MATH_REAL,
    [FX_OP_NOT] = {fxi_emit_bool_not, fxi_emit_int_not, NULL, NULL, NULL},
    [FX_OP_POPCOUNT] = {NULL, fxi_emit_int_popcount, NULL, NULL, NULL},
    [FX_OP_CLZ] = {NULL, fxi_emit_int_clz, NULL, NULL, NULL},
    [FX_OP_IS_FINITE] = {NULL, NULL, fxi_emit_float_is_finite, NULL, NULL},
    [FX_OP_REAL] = {NULL, NULL, fxi_emit_float_identity, fxi_emit_complex_real, NULL},
    [FX_OP_IMAG] = {NULL, NULL, fxi_emit_float_imag, fxi_emit_complex_imag, NULL},
    [FX_OP_CONJ] = {NULL, NULL, fxi_emit_float_identity, fxi_emit_complex_conj, NULL},
    [FX_OP_REDUCE_PRECISION] = {NULL, NULL, fxi_emit_float_reduce_precision, NULL, NULL},
    [FX_OP_CONVERT] = {emit_convert, emit_convert, emit_convert, emit_convert, NULL},
    [FX_OP_ADD] = {fxi_emit_int_or, fxi_emit_int_add, fxi_emit_float_add, fxi_emit_complex_add, NULL},
    [FX_OP_SUB] = {NULL, fxi_emit_int_sub, fxi_emit_float_sub, fxi_emit_complex_sub, NULL},
    [FX_OP_MUL] = {fxi_emit_int_and, fxi_emit_int_mul, fxi_emit_float_mul, fxi_emit_complex_mul, NULL},
    [FX_OP_DIV] = {NULL, fxi_emit_int_div, fxi_emit_float_div, fxi_emit_complex_function, NULL},
    [FX_OP_REM] = {NULL, fxi_emit_int_rem, fxi_emit_float_math, NULL, NULL},
    [FX_OP_POW] = {NULL, fxi_emit_int_pow, fxi_emit_float_math, fxi_emit_complex_function, NULL},
    [FX_OP_MAX] = {fxi_emit_int_or, fxi_emit_int_max, fxi_emit_float_max_op, NULL, NULL},
    [FX_OP_MIN] = {fxi_emit_int_and, fxi_emit_int_min, fxi_emit_float_min_op, NULL, NULL},
    [FX_OP_ATAN2] = MATH_BOTH,
    [FX_OP_HYPOT] = MATH_REAL,
    [FX_OP_COPYSIGN] = {NULL, NULL, fxi_emit_float_copysign, NULL, NULL},
    [FX_OP_NEXTAFTER] = {NULL, NULL, fxi_emit_float_nextafter, NULL, NULL},
    [FX_OP_COMPLEX] = {NULL, NULL, fxi_emit_float_complex, NULL, NULL},
    [FX_OP_AND] = {fxi_emit_int_and, fxi_emit_int_and, NULL, NULL, NULL},
    [FX_OP_OR] = {fxi_emit_int_or, fxi_emit_int_or, NULL, NULL, NULL},
    [FX_OP_XOR] = {fxi_emit_int_xor, fxi_emit_int_xor, NULL, NULL, NULL},
    [FX_OP_SHIFT_LEFT] = {NULL, fxi_emit_int_shift_left, NULL, NULL, NULL},
    [FX_OP_SHIFT_RIGHT_ARITHMETIC] = {NULL, fxi_emit_int_shift_right_arithmetic, NULL, NULL, NULL},
    [FX_OP_SHIFT_RIGHT_LOGICAL] = {NULL, fxi_emit_int_shift_right_logical, NULL, NULL, NULL},
    [FX_OP_COMPARE] = {fxi_emit_bool_compare, fxi_emit_int_compare, fxi_emit_float_compare,
                       fxi_emit_complex_compare, NULL},
    [FX_OP_STRONG_MUL] = {NULL, NULL, fxi_emit_float_strong_mul, fxi_emit_complex_strong_mul, NULL},
    [FX_OP_STRONG_DIV] = {NULL, NULL, fxi_emit_float_strong_div, fxi_emit_complex_strong_div, NULL},
    [FX_OP_SELECT] = {emit_select, emit_select, emit_select, emit_select, NULL},
    [FX_OP_CLAMP] = {fxi_emit_bool_clamp, fxi_emit_int_clamp, fxi_emit_float_clamp, NULL, NULL},
    [FX_OP_PHILOX] = {NULL, fxi_emit_philox, NULL, NULL, NULL},
};

static fxi_emit_op emitter_of(const emit_row *row, fx_dtype dtype) {
    if (dtype == FX_BOOL) return row->boolean;
    if (fx_dtype_is_complex(dtype)) return row->complex;
    return fx_dtype_is_float(dtype) ? row->real : row->integer;
}

fxi_element fxi_element_of(const fx_node *node) {
    fxi_element element = {0};
    element.op = (uint16_t)node->op;
    element.from = (uint8_t)node->operands[node->op == FX_OP_SELECT ? 1 : 0]->shape.dtype;
    element.to = (uint8_t)node->shape.dtype;
    if (node->op == FX_OP_COMPARE) {
        element.word = (uint8_t)fxi_node_int(node, FXI_ATTR_DIRECTION);
        element.word2 = (uint8_t)fxi_node_int(node, FXI_ATTR_TOTAL_ORDER);
    } else if (node->op == FX_OP_REDUCE_PRECISION) {
        element.word = (uint8_t)fxi_node_int(node, FXI_ATTR_EXPONENT);
        element.word2 = (uint8_t)fxi_node_int(node, FXI_ATTR_MANTISSA);
    }
    return element;
}

static fxi_value emit_unrounded(fxi_emit *e, const fxi_element *element, const fxi_value *operands) {
    const emit_row *row = &rows[element->op < FX_OP_COUNT ? element->op : 0];
    fx_dtype from = (fx_dtype)element->from;
    if (row->intrinsic != NULL && fx_dtype_is_float(from))
        return ir_one(ir_call1(e, row->intrinsic, operands[0].re));
    fxi_emit_op emit = emitter_of(row, from);
    assert(emit != NULL); /* verify lets no other dtype through */
    if (emit != NULL) return emit(e, element, operands);
    return ir_one(LLVMGetPoison(fxi_emit_vector_of(e, fxi_emit_scalar_type(e, (fx_dtype)element->to))));
}

fxi_value fxi_emit_element(fxi_emit *e, const fxi_element *element, const fxi_value *operands) {
    fxi_value result = emit_unrounded(e, element, operands);
    bool exact = fxi_op_info_of((fx_op)element->op)->work == FXI_WORK_EXACT;
    return exact || element->op == FX_OP_REM ? result : fxi_emit_round(e, (fx_dtype)element->to, result);
}
