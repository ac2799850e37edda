/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise operations of integers and bool.
 *
 * Packed dtypes live in bytes, sign- or zero-extended from their width; each operation that can leave that
 * range wraps its result back. x86 has no vector division: 8 and 16 bits divide exactly in f32 and 32 bits
 * in f64 (a quotient that is no integer is at least 1/|x| away from one, relatively, far more than the
 * rounding error), and 64 bits lane by lane in a shared function. */
#include "emit_ops.h"

#include <stdio.h>

/* The value of a packed dtype with all bits above its width cleared. */
static fxi_ir low_bits(fxi_emit *e, fx_dtype dtype, fxi_ir value) {
    int bits = fx_dtype_bits(dtype);
    return bits >= 8 ? value : ir_and(e, value, fxi_emit_int(e, 8, (1u << bits) - 1));
}

/* The value extended from the top bit of its width, whatever the dtype's signedness. */
static fxi_ir sign_extended(fxi_emit *e, fx_dtype dtype, fxi_ir value) {
    int bits = fx_dtype_bits(dtype);
    if (bits >= 8) return value;
    fxi_ir top = fxi_emit_int(e, 8, 1u << (bits - 1));
    return ir_sub(e, ir_xor(e, low_bits(e, dtype, value), top), top);
}

fxi_ir fxi_emit_wrap(fxi_emit *e, fx_dtype dtype, fxi_ir value) {
    if (!fx_dtype_is_integer(dtype) || fx_dtype_bits(dtype) >= 8) return value;
    return fx_dtype_is_signed(dtype) ? sign_extended(e, dtype, value) : low_bits(e, dtype, value);
}

static fxi_ir constant(const fxi_emit *e, fx_dtype dtype, int64_t value) {
    return fxi_emit_int(e, ir_int_bits(dtype), (uint64_t)value);
}

static fxi_value wrapped(fxi_emit *e, const fxi_element *element, fxi_ir value) {
    return ir_one(fxi_emit_wrap(e, (fx_dtype)element->to, value));
}

/* ---- bool ---- */

fxi_value fxi_emit_bool_not(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)element;
    return ir_one(ir_not(e, x[0].re));
}

fxi_value fxi_emit_bool_compare(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    fxi_ir a = x[0].re, b = x[1].re;
    switch ((fxi_direction)element->word) {
    case FXI_EQ: return ir_one(ir_not(e, ir_xor(e, a, b)));
    case FXI_NE: return ir_one(ir_xor(e, a, b));
    case FXI_LT: return ir_one(ir_and(e, ir_not(e, a), b));
    case FXI_LE: return ir_one(ir_or(e, ir_not(e, a), b));
    case FXI_GT: return ir_one(ir_and(e, a, ir_not(e, b)));
    default: return ir_one(ir_or(e, a, ir_not(e, b)));
    }
}

fxi_value fxi_emit_bool_clamp(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)element;
    return ir_one(ir_and(e, ir_or(e, x[1].re, x[0].re), x[2].re));
}

/* ---- one operand ---- */

fxi_value fxi_emit_int_identity(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)e, (void)element;
    return x[0];
}

fxi_value fxi_emit_int_abs(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    if (!fx_dtype_is_signed((fx_dtype)element->to)) return x[0];
    return wrapped(e, element, ir_call2(e, "llvm.smax", x[0].re, ir_neg(e, x[0].re)));
}

fxi_value fxi_emit_int_neg(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    return wrapped(e, element, ir_neg(e, x[0].re));
}

fxi_value fxi_emit_int_sign(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    fx_dtype dtype = (fx_dtype)element->to;
    fxi_ir one = constant(e, dtype, 1);
    if (!fx_dtype_is_signed(dtype)) return ir_one(ir_call2(e, "llvm.umin", x[0].re, one));
    return ir_one(ir_call2(e, "llvm.smax", ir_call2(e, "llvm.smin", x[0].re, one), constant(e, dtype, -1)));
}

fxi_value fxi_emit_int_not(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    return wrapped(e, element, ir_not(e, x[0].re));
}

fxi_value fxi_emit_int_popcount(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    return wrapped(e, element, ir_call1(e, "llvm.ctpop", low_bits(e, (fx_dtype)element->to, x[0].re)));
}

fxi_value fxi_emit_int_clz(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    fx_dtype dtype = (fx_dtype)element->to;
    fxi_ir bits = low_bits(e, dtype, x[0].re);
    fxi_ir zero_is_defined = LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, false);
    fxi_ir count = fxi_emit_intrinsic(e, "llvm.ctlz", LLVMTypeOf(bits), (fxi_ir[]){bits, zero_is_defined}, 2);
    return wrapped(e, element,
                   ir_sub(e, count, constant(e, dtype, (int64_t)ir_int_bits(dtype) - fx_dtype_bits(dtype))));
}

/* ---- two operands ---- */

#define WRAPPING(name, build)                                                                                \
    fxi_value fxi_emit_int_##name(fxi_emit *e, const fxi_element *element, const fxi_value *x) {             \
        return wrapped(e, element, build(e, x[0].re, x[1].re));                                              \
    }
WRAPPING(add, ir_add)
WRAPPING(sub, ir_sub)
WRAPPING(mul, ir_mul)
#undef WRAPPING

/* These keep the register form by themselves; they serve bool too. */
#define BITWISE(name, build)                                                                                 \
    fxi_value fxi_emit_int_##name(fxi_emit *e, const fxi_element *element, const fxi_value *x) {             \
        (void)element;                                                                                       \
        return ir_one(build(e, x[0].re, x[1].re));                                                           \
    }
BITWISE(and, ir_and)
BITWISE(or, ir_or)
BITWISE(xor, ir_xor)
#undef BITWISE

static fxi_ir extreme(fxi_emit *e, fx_dtype dtype, bool larger, fxi_ir a, fxi_ir b) {
    static const char *const names[2][2] = {{"llvm.umin", "llvm.umax"}, {"llvm.smin", "llvm.smax"}};
    return ir_call2(e, names[fx_dtype_is_signed(dtype)][larger], a, b);
}

fxi_value fxi_emit_int_max(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    return ir_one(extreme(e, (fx_dtype)element->to, true, x[0].re, x[1].re));
}

fxi_value fxi_emit_int_min(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    return ir_one(extreme(e, (fx_dtype)element->to, false, x[0].re, x[1].re));
}

fxi_value fxi_emit_int_clamp(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    fx_dtype dtype = (fx_dtype)element->to;
    return ir_one(extreme(e, dtype, false, extreme(e, dtype, true, x[1].re, x[0].re), x[2].re));
}

fxi_value fxi_emit_int_compare(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    static const LLVMIntPredicate predicates[2][FXI_DIRECTIONS] = {
        {LLVMIntEQ, LLVMIntNE, LLVMIntULT, LLVMIntULE, LLVMIntUGT, LLVMIntUGE},
        {LLVMIntEQ, LLVMIntNE, LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE},
    };
    bool is_signed = fx_dtype_is_signed((fx_dtype)element->from);
    return ir_one(ir_icmp(e, predicates[is_signed][element->word], x[0].re, x[1].re));
}

/* ---- shifts: an amount is read as unsigned, so a negative one is too long ---- */

static fxi_ir short_enough(fxi_emit *e, fx_dtype dtype, fxi_ir amount) {
    return ir_icmp(e, LLVMIntULT, amount, constant(e, dtype, fx_dtype_bits(dtype)));
}

fxi_value fxi_emit_int_shift_left(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    fx_dtype dtype = (fx_dtype)element->to;
    fxi_ir shifted = ir_shl(e, x[0].re, x[1].re);
    return wrapped(e, element, ir_select(e, short_enough(e, dtype, x[1].re), shifted, constant(e, dtype, 0)));
}

fxi_value fxi_emit_int_shift_right_logical(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    fx_dtype dtype = (fx_dtype)element->to;
    fxi_ir shifted = ir_lshr(e, low_bits(e, dtype, x[0].re), x[1].re);
    return wrapped(e, element, ir_select(e, short_enough(e, dtype, x[1].re), shifted, constant(e, dtype, 0)));
}

fxi_value fxi_emit_int_shift_right_arithmetic(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    fx_dtype dtype = (fx_dtype)element->to;
    fxi_ir amount = ir_call2(e, "llvm.umin", x[1].re, constant(e, dtype, fx_dtype_bits(dtype) - 1));
    return wrapped(e, element, ir_ashr(e, sign_extended(e, dtype, x[0].re), amount));
}

/* ---- division ---- */

/* The two divisors whose quotient the hardware does not give: x / 0 = -1, x / -1 = -x (the smallest integer
 * wraps). */
static fxi_ir guarded_quotient(fxi_emit *e, fx_dtype dtype, fxi_ir a, fxi_ir b, fxi_ir quotient) {
    fxi_ir zero = LLVMConstNull(LLVMTypeOf(b)), ones = LLVMConstAllOnes(LLVMTypeOf(b));
    if (fx_dtype_is_signed(dtype))
        quotient = ir_select(e, ir_icmp(e, LLVMIntEQ, b, ones), ir_neg(e, a), quotient);
    return ir_select(e, ir_icmp(e, LLVMIntEQ, b, zero), ones, quotient);
}

static fxi_ir divide_through_float(fxi_emit *e, fx_dtype dtype, fxi_ir a, fxi_ir b) {
    unsigned bits = ir_int_bits(dtype);
    bool is_signed = fx_dtype_is_signed(dtype);
    LLVMOpcode to_float = is_signed ? LLVMSIToFP : LLVMUIToFP, to_int = is_signed ? LLVMFPToSI : LLVMFPToUI;
    LLVMTypeRef type = ir_float_type(e, bits == 32 ? 64 : 32);
    if (bits < 32) { /* exact in i32, and cheaper than unsigned conversions */
        fxi_ir wide = ir_fdiv(e, ir_cast(e, LLVMSIToFP, ir_resize(e, a, 32, is_signed), type),
                              ir_cast(e, LLVMSIToFP, ir_resize(e, b, 32, is_signed), type));
        fxi_ir quotient = ir_resize(e, ir_cast(e, LLVMFPToSI, wide, ir_int_type(e, 32)), bits, true);
        return ir_select(e, ir_icmp(e, LLVMIntEQ, b, constant(e, dtype, 0)), constant(e, dtype, -1),
                         quotient);
    }
    fxi_ir real = ir_fdiv(e, ir_cast(e, to_float, a, type), ir_cast(e, to_float, b, type));
    return guarded_quotient(e, dtype, a, b, ir_cast(e, to_int, real, ir_int_type(e, 32)));
}

static fxi_ir divide_scalar(fxi_emit *e, fx_dtype dtype, fxi_ir a, fxi_ir b) {
    LLVMTypeRef type = LLVMTypeOf(a);
    bool is_signed = fx_dtype_is_signed(dtype);
    fxi_ir special = ir_icmp(e, LLVMIntEQ, b, LLVMConstNull(type));
    if (is_signed) special = ir_or(e, special, ir_icmp(e, LLVMIntEQ, b, LLVMConstAllOnes(type)));
    fxi_ir safe = ir_select(e, special, LLVMConstInt(type, 1, false), b);
    fxi_ir quotient =
        is_signed ? LLVMBuildSDiv(e->builder, a, safe, "") : LLVMBuildUDiv(e->builder, a, safe, "");
    return guarded_quotient(e, dtype, a, b, quotient);
}

static fxi_ir stack_slot(fxi_emit *e, LLVMTypeRef type) {
    fxi_ir slot = LLVMBuildAlloca(e->builder, type, "");
    LLVMSetAlignment(slot, 64);
    return slot;
}

static void stack_store(fxi_emit *e, fxi_ir slot, fxi_ir value) {
    LLVMSetAlignment(LLVMBuildStore(e->builder, value, slot), 8);
}

static fxi_ir stack_load(fxi_emit *e, LLVMTypeRef type, fxi_ir slot) {
    fxi_ir value = LLVMBuildLoad2(e->builder, type, slot, "");
    LLVMSetAlignment(value, 8);
    return value;
}

static void divide_lanes_body(fxi_emit *e, const void *context) {
    fx_dtype dtype = *(const fx_dtype *)context;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context), type = ir_int_type(e, 64);
    fxi_ir a = LLVMGetParam(e->function, 0), b = LLVMGetParam(e->function, 1);
    if (e->lanes == 1) {
        LLVMBuildRet(e->builder, divide_scalar(e, dtype, a, b));
        return;
    }
    fxi_ir slot_a = stack_slot(e, type), slot_b = stack_slot(e, type);
    stack_store(e, slot_a, a);
    stack_store(e, slot_b, b);
    fxi_lane_loop loop = fxi_emit_lane_loop(e, LLVMConstInt(i64, e->lanes, false));
    fxi_ir at_a = LLVMBuildGEP2(e->builder, i64, slot_a, &loop.index, 1, "");
    fxi_ir at_b = LLVMBuildGEP2(e->builder, i64, slot_b, &loop.index, 1, "");
    stack_store(e, at_a, divide_scalar(e, dtype, stack_load(e, i64, at_a), stack_load(e, i64, at_b)));
    fxi_emit_lane_loop_end(e, &loop);
    LLVMBuildRet(e->builder, stack_load(e, type, slot_a));
}

static fxi_ir quotient(fxi_emit *e, fx_dtype dtype, fxi_ir a, fxi_ir b) {
    if (ir_int_bits(dtype) < 64) return divide_through_float(e, dtype, a, b);
    char name[48];
    (void)snprintf(name, sizeof name, "fx.divide.%s.%u", fx_dtype_name(dtype), e->lanes);
    LLVMTypeRef type = ir_int_type(e, 64);
    fxi_shared f = fxi_emit_shared(e, name, type, (LLVMTypeRef[]){type, type}, 2, divide_lanes_body, &dtype);
    return fxi_emit_shared_call(e, f, (fxi_ir[]){a, b}, 2);
}

fxi_value fxi_emit_int_div(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    return wrapped(e, element, quotient(e, (fx_dtype)element->to, x[0].re, x[1].re));
}

/* x - q y gives the wanted remainders also for the special quotients: x rem 0 = x, MIN rem -1 = 0. */
fxi_value fxi_emit_int_rem(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    fxi_ir q = quotient(e, (fx_dtype)element->to, x[0].re, x[1].re);
    return wrapped(e, element, ir_sub(e, x[0].re, ir_mul(e, q, x[1].re)));
}

/* ---- power ---- */

/* Number of loop steps: significant bits of the largest exponent (a negative one of a signed dtype counts
 * all bits). */
static fxi_ir exponent_bits(fxi_emit *e, unsigned bits, fxi_ir exponents) {
    LLVMTypeRef scalar = LLVMIntTypeInContext(e->context, bits);
    fxi_ir any = e->lanes == 1 ? exponents : ir_call1(e, "llvm.vector.reduce.or", exponents);
    fxi_ir defined = LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, false);
    fxi_ir zeros = fxi_emit_intrinsic(e, "llvm.ctlz", scalar, (fxi_ir[]){any, defined}, 2);
    return LLVMBuildZExtOrBitCast(e->builder, ir_sub(e, LLVMConstInt(scalar, bits, false), zeros),
                                  LLVMInt64TypeInContext(e->context), "");
}

/* Negative exponents: 1 / x^n truncates to 0 unless |x| is 1. */
static fxi_ir negative_power(fxi_emit *e, fxi_ir base, fxi_ir exponent, fxi_ir power) {
    fxi_ir zero = LLVMConstNull(LLVMTypeOf(base)), ones = LLVMConstAllOnes(LLVMTypeOf(base)),
           one = ir_neg(e, ones);
    fxi_ir odd = ir_icmp(e, LLVMIntNE, ir_and(e, exponent, one), zero);
    fxi_ir of_minus_one = ir_select(e, odd, ones, one);
    fxi_ir value = ir_select(e, ir_icmp(e, LLVMIntEQ, base, ones), of_minus_one, zero);
    value = ir_select(e, ir_icmp(e, LLVMIntEQ, base, one), one, value);
    return ir_select(e, ir_icmp(e, LLVMIntSLT, exponent, zero), value, power);
}

static void pow_body(fxi_emit *e, const void *context) {
    fx_dtype dtype = *(const fx_dtype *)context;
    unsigned bits = ir_int_bits(dtype);
    LLVMTypeRef type = ir_int_type(e, bits);
    fxi_ir x = LLVMGetParam(e->function, 0), y = LLVMGetParam(e->function, 1), one = fxi_emit_int(e, bits, 1);
    fxi_ir power = stack_slot(e, type), square = stack_slot(e, type), rest = stack_slot(e, type);
    stack_store(e, power, one);
    stack_store(e, square, x);
    stack_store(e, rest, y);
    fxi_lane_loop loop = fxi_emit_lane_loop(e, exponent_bits(e, bits, y));
    fxi_ir n = stack_load(e, type, rest), s = stack_load(e, type, square), p = stack_load(e, type, power);
    fxi_ir odd = ir_icmp(e, LLVMIntNE, ir_and(e, n, one), fxi_emit_int(e, bits, 0));
    stack_store(e, power, ir_select(e, odd, ir_mul(e, p, s), p));
    stack_store(e, square, ir_mul(e, s, s));
    stack_store(e, rest, ir_lshr(e, n, one));
    fxi_emit_lane_loop_end(e, &loop);
    p = stack_load(e, type, power);
    LLVMBuildRet(e->builder, fx_dtype_is_signed(dtype) ? negative_power(e, x, y, p) : p);
}

fxi_value fxi_emit_int_pow(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    fx_dtype dtype = (fx_dtype)element->to;
    char name[48];
    (void)snprintf(name, sizeof name, "fx.pow.%s.%u", fx_dtype_name(dtype), e->lanes);
    LLVMTypeRef type = ir_int_type(e, ir_int_bits(dtype));
    fxi_shared f = fxi_emit_shared(e, name, type, (LLVMTypeRef[]){type, type}, 2, pow_body, &dtype);
    return wrapped(e, element, fxi_emit_shared_call(e, f, (fxi_ir[]){x[0].re, x[1].re}, 2));
}
