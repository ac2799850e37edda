/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates the rows of ops.def with their dtypes and builds one small loop for each: load the operands,
 * emit the operation, store the result. */
#include "element_cases.h"

#include <stdio.h>
#include <string.h>

typedef struct case_list {
    element_case *cases;
    size_t count;
} case_list;

static void add(case_list *list, fx_op op, fx_dtype from, fx_dtype to, uint8_t word, uint8_t word2) {
    if (list->count < ELEMENT_CASES_LIMIT)
        list->cases[list->count++] = (element_case){op, from, to, word, word2, fxi_op_info_of(op)->operands};
}

static void add_compare(case_list *list, fx_dtype from) {
    bool is_float = fx_dtype_is_float(from);
    uint8_t directions = fx_dtype_is_complex(from) ? FXI_NE + 1 : FXI_DIRECTIONS;
    for (uint8_t total = 0; total <= is_float; total++)
        for (uint8_t direction = 0; direction < directions; direction++)
            add(list, FX_OP_COMPARE, from, FX_BOOL, direction, total);
}

static void add_reduce_precision(case_list *list, fx_dtype from) {
    static const uint8_t formats[][2] = {{5, 10}, {8, 7}, {4, 3}, {5, 2}, {8, 23}, {11, 20}, {1, 1}, {3, 30}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        add(list, FX_OP_REDUCE_PRECISION, from, from, formats[i][0], formats[i][1]);
}

static void add_operation(case_list *list, fx_op op, fx_dtype from) {
    switch (op) {
    case FX_OP_COMPARE: add_compare(list, from); break;
    case FX_OP_REDUCE_PRECISION: add_reduce_precision(list, from); break;
    case FX_OP_IS_FINITE: add(list, op, from, FX_BOOL, 0, 0); break;
    case FX_OP_ABS:
    case FX_OP_REAL:
    case FX_OP_IMAG: add(list, op, from, fx_dtype_real(from), 0, 0); break;
    case FX_OP_COMPLEX:
        if (from == FX_F32 || from == FX_F64) add(list, op, from, from == FX_F32 ? FX_C64 : FX_C128, 0, 0);
        break;
    case FX_OP_CONVERT:
        for (int to = 1; to < FX_DTYPE_LIMIT; to++)
            if (fx_dtype_is_valid((fx_dtype)to)) add(list, op, from, (fx_dtype)to, 0, 0);
        break;
    default: add(list, op, from, from, 0, 0); break;
    }
}

size_t element_cases(element_case *cases) {
    case_list list = {cases, 0};
    for (int op = FX_OP_ABS; op <= FX_OP_CLAMP; op++) {
        uint32_t dtypes = op == FX_OP_SELECT ? UINT32_MAX : fxi_op_info_of((fx_op)op)->dtypes;
        for (int from = 1; from < FX_DTYPE_LIMIT; from++)
            if (fx_dtype_is_valid((fx_dtype)from) && (dtypes >> from & 1))
                add_operation(&list, (fx_op)op, (fx_dtype)from);
    }
    return list.count;
}

fx_dtype element_case_operand(const element_case *c, int operand) {
    return c->op == FX_OP_SELECT && operand == 0 ? FX_BOOL : c->from;
}

void element_case_name(const element_case *c, char name[96]) {
    int n = snprintf(name, 96, "%s_%s", fxi_op_info_of(c->op)->text, fx_dtype_name(c->from));
    size_t used = n < 0 ? 0 : (size_t)n;
    if (c->op == FX_OP_CONVERT)
        (void)snprintf(name + used, 96 - used, "_to_%s", fx_dtype_name(c->to));
    else if (c->op == FX_OP_COMPARE)
        (void)snprintf(name + used, 96 - used, "_%s%s", fxi_direction_name((fxi_direction)c->word),
                       c->word2 ? "_total" : "");
    else if (c->op == FX_OP_REDUCE_PRECISION)
        (void)snprintf(name + used, 96 - used, "_e%um%u", (unsigned)c->word, (unsigned)c->word2);
}

void element_case_node(const element_case *c, case_node *n) {
    memset(n, 0, sizeof *n);
    n->node.op = c->op;
    n->node.shape.dtype = c->to;
    n->node.operand_count = (uint32_t)c->operands;
    n->node.operands = n->pointers;
    n->node.attrs = n->attrs;
    for (int i = 0; i < 3; i++) {
        n->operands[i].shape.dtype = element_case_operand(c, i);
        n->pointers[i] = &n->operands[i];
    }
    if (c->op == FX_OP_COMPARE || c->op == FX_OP_REDUCE_PRECISION) {
        bool compare = c->op == FX_OP_COMPARE;
        n->attrs[0] = fxi_attr_int(compare ? FXI_ATTR_DIRECTION : FXI_ATTR_EXPONENT, c->word);
        n->attrs[1] = fxi_attr_int(compare ? FXI_ATTR_TOTAL_ORDER : FXI_ATTR_MANTISSA, c->word2);
        n->node.attr_count = 2;
    } else if (c->op == FX_OP_CONVERT) {
        n->attrs[0] = fxi_attr_dtype(c->to);
        n->node.attr_count = 1;
    }
}

static bool has_wide_parts(fx_dtype dtype) {
    return fx_dtype_bits(fx_dtype_real(dtype)) == 64;
}

unsigned element_case_lanes(const element_case *c) {
    return has_wide_parts(c->from) || has_wide_parts(c->to) ? 8 : 16;
}

/* ---- building ---- */

fxi_emit element_emit_begin(const fxi_target *target) {
    fxi_emit e = {.context = LLVMContextCreate(), .target = target, .lanes = 1};
    e.module = LLVMModuleCreateWithNameInContext("cases", e.context);
    e.builder = LLVMCreateBuilderInContext(e.context);
    return e;
}

void element_emit_end(fxi_emit *e) {
    LLVMDisposeBuilder(e->builder);
    LLVMDisposeModule(e->module);
    LLVMContextDispose(e->context);
}

void element_function_begin(fxi_emit *e, const char *name) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0), i64 = LLVMInt64TypeInContext(e->context);
    LLVMTypeRef parameters[5] = {pointer, pointer, pointer, pointer, i64};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), parameters, 5, false);
    e->function = LLVMAddFunction(e->module, name, type);
    LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, e->function, ""));
}

static LLVMValueRef address_of(fxi_emit *e, unsigned parameter, LLVMValueRef index, fx_dtype dtype) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    LLVMValueRef step = LLVMConstInt(i64, element_form_bytes(dtype) * e->lanes, false);
    LLVMValueRef bytes = LLVMBuildMul(e->builder, index, step, "");
    return LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context), LLVMGetParam(e->function, parameter),
                         &bytes, 1, "");
}

static void build_body(fxi_emit *e, const element_case *c, LLVMValueRef index) {
    case_node node;
    element_case_node(c, &node);
    fxi_element element = fxi_element_of(&node.node);
    fxi_value operands[3] = {{NULL, NULL}};
    for (int i = 0; i < c->operands; i++) {
        fx_dtype dtype = element_case_operand(c, i);
        operands[i] = fxi_emit_load(e, dtype, address_of(e, (unsigned)i + 1, index, dtype), NULL, NULL);
    }
    fxi_value result = fxi_emit_element(e, &element, operands);
    fxi_emit_store(e, c->to, address_of(e, 0, index, c->to), result, NULL, NULL);
}

void element_case_build(fxi_emit *e, const element_case *c, const char *name) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    element_function_begin(e, name);
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(e->context, e->function, "");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(e->context, e->function, "");
    LLVMBuildBr(e->builder, loop);
    LLVMPositionBuilderAtEnd(e->builder, loop);
    LLVMValueRef index = LLVMBuildPhi(e->builder, i64, "");
    build_body(e, c, index);
    LLVMValueRef next = LLVMBuildAdd(e->builder, index, LLVMConstInt(i64, 1, false), "");
    LLVMAddIncoming(index, (LLVMValueRef[]){LLVMConstInt(i64, 0, false), next},
                    (LLVMBasicBlockRef[]){entry, loop}, 2);
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntULT, next, LLVMGetParam(e->function, 4), "");
    LLVMBuildCondBr(e->builder, more, loop, done);
    LLVMPositionBuilderAtEnd(e->builder, done);
    LLVMBuildRetVoid(e->builder);
}

/* ---- memory form ---- */

size_t element_form_bytes(fx_dtype dtype) {
    int bits = fx_dtype_bits(dtype);
    return bits < 8 ? 1 : (size_t)bits / 8;
}

fxi_scalar element_form_load(fx_dtype dtype, const void *buffer, size_t index) {
    if (fx_dtype_bits(dtype) >= 8) return fxi_element_load(dtype, buffer, (int64_t)index);
    fx_dtype byte = fx_dtype_is_signed(dtype) ? FX_S8 : FX_U8; /* packed dtypes lie extended, one byte each */
    return fxi_element_load(byte, buffer, (int64_t)index);
}

void element_form_store(fx_dtype dtype, void *buffer, size_t index, fxi_scalar value) {
    if (fx_dtype_bits(dtype) >= 8) {
        fxi_element_store(dtype, buffer, (int64_t)index, value);
        return;
    }
    unsigned char packed[1] = {0};
    fxi_element_store(dtype, packed, 0, value);
    fxi_unpack(dtype, packed, 1, (unsigned char *)buffer + index);
}
