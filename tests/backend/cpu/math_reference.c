/* SPDX-License-Identifier: Apache-2.0 */
/* References and the loop around one function. f32 is checked against the C library in double, f64 against
 * it in long double (64-bit significand: its own error is below 2^-10 ulp of a double). What the C library
 * lacks is computed here in long double by series that converge everywhere they are used. */
#include "math_reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

static long double logistic_wide(long double x) { return 1 / (1 + expl(-x)); }
static long double rsqrt_wide(long double x) { return 1 / sqrtl(x); }
static double logistic_double(double x) { return 1 / (1 + exp(-x)); }
static double rsqrt_double(double x) { return 1 / sqrt(x); }

/* Newton on the C library's erf or, from 1/2 on, its erfc against the exact 1 - x. */
static long double erf_inv_wide(long double x) {
    if (x < 0) return -erf_inv_wide(-x);
    if (!(x < 1)) return x == 1 ? (long double)INFINITY : (long double)NAN;
    long double y = x < 0.75L ? x : sqrtl(-logl((1 - x) * (1 + x)));
    for (int i = 0; i < 60; i++) {
        long double error = x < 0.5L ? erfl(y) - x : (1 - x) - erfcl(y);
        long double u = error * expl(y * y) * 0.886226925452758013649083741670572591L;
        long double next = y - u / (1 + y * u);
        if (next == y) break;
        y = next;
    }
    return y;
}
static double erf_inv_double(double x) { return (double)erf_inv_wide(x); }

/* Recurrence up to 40, then the asymptotic series; reflection below 0. NaN at the poles, as for us. */
static long double digamma_wide(long double x) {
    static const long double pi = 3.14159265358979323846264338327950288L;
    if (x <= 0 && floorl(x) == x) return (long double)NAN;
    if (x < 0) {
        long double rest = x - roundl(x);
        return digamma_wide(1 - x) - pi * cosl(pi * rest) / sinl(pi * rest);
    }
    long double sum = 0;
    for (; x < 40; x += 1) sum -= 1 / x;
    long double z = 1 / (x * x);
    long double series = 1 / 240.0L - z * (1 / 132.0L);
    series = z * (1 / 12.0L - z * (1 / 120.0L - z * (1 / 252.0L - z * series)));
    return sum + (logl(x) - 1 / (2 * x) - series);
}
static double digamma_double(double x) { return (double)digamma_wide(x); }

/* e^-x I_n(x): the power series up to 60 (all terms positive), Hankel's asymptotic series beyond. */
static long double bessel_wide(long double x, int order) {
    if (signbit(x)) return order ? -bessel_wide(-x, order) : bessel_wide(-x, order);
    if (x != x) return x;
    if (x < 60) {
        long double z = x * x / 4, term = order ? x / 2 : 1, sum = 0;
        for (int k = 1; term > sum * 0x1p-80L || k < 3; k++) {
            sum += term;
            term *= z / ((long double)k * (long double)(k + order));
            if (term == 0) break;
        }
        return sum * expl(-x);
    }
    long double mu = 4.0L * (long double)(order * order), term = 1, sum = 0;
    for (int k = 1; k < 40 && fabsl(term) > 0x1p-80L; k++) {
        sum += term;
        long double odd = (long double)(2 * k - 1);
        term *= -(mu - odd * odd) / ((long double)k * 8 * x);
    }
    return sum / sqrtl(2 * 3.14159265358979323846264338327950288L * x);
}
static long double bessel_i0e_wide(long double x) { return bessel_wide(x, 0); }
static long double bessel_i1e_wide(long double x) { return bessel_wide(x, 1); }
static double bessel_i0e_double(double x) { return (double)bessel_i0e_wide(x); }
static double bessel_i1e_double(double x) { return (double)bessel_i1e_wide(x); }

#define UNARY(ID, f, low, high, focus) \
    [FXI_MATH_##ID] = {FXI_MATH_##ID, #f, f, NULL, f##l, NULL, low, high, focus, {0, 0}}
#define OWN(ID, f, low, high, focus) \
    [FXI_MATH_##ID] = {FXI_MATH_##ID, #f, f##_double, NULL, f##_wide, NULL, low, high, focus, {0, 0}}
#define BINARY(ID, f, name, low, high, focus) \
    [FXI_MATH_##ID] = {FXI_MATH_##ID, name, NULL, f, NULL, f##l, low, high, focus, {0, 0}}

const math_case math_cases[FXI_MATH_COUNT] = {
    UNARY(EXP, exp, -745, 710, 0),
    UNARY(EXPM1, expm1, -40, 710, 0),
    UNARY(EXP2, exp2, -1075, 1024, 0),
    UNARY(LOG, log, 0, 4, 1),
    UNARY(LOG1P, log1p, -1, 4, 0),
    UNARY(LOG2, log2, 0, 4, 1),
    UNARY(LOG10, log10, 0, 4, 1),
    UNARY(TANH, tanh, -20, 20, 0),
    UNARY(SIN, sin, -100, 100, 1.5707963267948966),
    UNARY(COS, cos, -100, 100, 1.5707963267948966),
    UNARY(TAN, tan, -100, 100, 1.5707963267948966),
    UNARY(ASIN, asin, -1, 1, 0.5),
    UNARY(ACOS, acos, -1, 1, 0.5),
    UNARY(ATAN, atan, -4, 4, 1),
    UNARY(SINH, sinh, -711, 711, 0),
    UNARY(COSH, cosh, -711, 711, 0),
    UNARY(ASINH, asinh, -10, 10, 0),
    UNARY(ACOSH, acosh, 1, 10, 1),
    UNARY(ATANH, atanh, -1, 1, 0),
    UNARY(CBRT, cbrt, -10, 10, 1),
    UNARY(ERF, erf, -6, 6, 0),
    UNARY(ERFC, erfc, -6, 28, 0),
    [FXI_MATH_LGAMMA] = {FXI_MATH_LGAMMA, "lgamma", lgamma, NULL, lgammal, NULL, -10, 20, 1, {32, 0}},
    [FXI_MATH_DIGAMMA] = {FXI_MATH_DIGAMMA, "digamma", digamma_double, NULL, digamma_wide, NULL, -10, 20,
                          1.46, {32, 0.25}},
    OWN(BESSEL_I0E, bessel_i0e, -20, 20, 8),
    OWN(BESSEL_I1E, bessel_i1e, -20, 20, 0),
    OWN(ERF_INV, erf_inv, -1, 1, 1),
    BINARY(POW, pow, "pow", 0, 10, 1),
    BINARY(ATAN2, atan2, "atan2", -4, 4, 0),
    BINARY(HYPOT, hypot, "hypot", -4, 4, 0),
    BINARY(REM, fmod, "rem", -1000, 1000, 0),
    OWN(LOGISTIC, logistic, -745, 40, 0),
    OWN(RSQRT, rsqrt, 0, 1e3, 1),
};

static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double from_bits(uint64_t pattern, unsigned bits) {
    uint32_t low = (uint32_t)pattern;
    double wide;
    float narrow;
    memcpy(&wide, &pattern, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return bits == 32 ? (double)narrow : wide;
}

static double random_operand(const math_case *c, unsigned bits, uint64_t *state) {
    uint64_t r = next_random(state);
    double unit = (double)(next_random(state) >> 11) * 0x1p-53;
    double value = c->focus + ldexp(unit - 0.5, -(int)(r / 3 % 60));
    if (r % 3 == 0) value = from_bits(next_random(state), bits);
    if (r % 3 == 1) value = c->low + (c->high - c->low) * unit;
    return bits == 32 ? (double)(float)value : value;
}

void math_point(const math_case *c, unsigned bits, uint64_t *state, double *a, double *b) {
    *a = random_operand(c, bits, state);
    *b = random_operand(c, bits, state);
    if (c->fn != FXI_MATH_POW || next_random(state) % 2) return;
    double unit = (double)(next_random(state) >> 11) * 0x1p-53;
    *b = (bits == 32 ? 290 * unit - 155 : 2150 * unit - 1100) / log2(fabs(*a));
    if (bits == 32) *b = (double)(float)*b;
}

double math_ulp32(float got, double want, double smallest) {
    if (isnan(want) || isnan((double)got)) return isnan(want) && isnan((double)got) ? 0 : (double)INFINITY;
    if (isinf(want) && isinf(got)) return (want > 0) == (got > 0) ? 0 : (double)INFINITY;
    double value = isinf(got) ? copysign(0x1p128, (double)got) : (double)got;
    if (isinf(want)) return (double)INFINITY;
    if (isinf(got) && fabs(want) >= 0x1.ffffffp127 && (want > 0) == (got > 0)) return 0;
    double size = fmax(fabs(want), smallest);
    int exponent = size == 0 ? -149 : ilogb(size) - 23;
    if (exponent < -149) exponent = -149;
    if (exponent > 104) exponent = 104;
    return fabs(value - want) * ldexp(1, -exponent);
}

double math_ulp64(double got, long double want, double smallest) {
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : (double)INFINITY;
    if (isinf(want) && isinf(got)) return (want > 0) == (got > 0) ? 0 : (double)INFINITY;
    long double value = isinf(got) ? copysignl(0x1p1024L, got) : (long double)got;
    if (isinf(want)) return (double)INFINITY;
    if (isinf(got) && fabsl(want) >= 0x1.fffffffffffff8p1023L && (want > 0) == (got > 0)) return 0;
    long double size = fmaxl(fabsl(want), smallest);
    int exponent = size == 0 ? -1074 : ilogbl(size) - 52;
    if (exponent < -1074) exponent = -1074;
    if (exponent > 971) exponent = 971;
    return (double)(fabsl(value - want) * ldexpl(1, -exponent));
}

static LLVMValueRef load(fxi_emit *e, LLVMTypeRef type, LLVMTypeRef scalar, unsigned parameter,
                         LLVMValueRef index) {
    LLVMValueRef base = LLVMGetParam(e->function, parameter);
    LLVMValueRef address = LLVMBuildGEP2(e->builder, scalar, base, &index, 1, "");
    return LLVMBuildLoad2(e->builder, type, address, "");
}

/* do { out[i..] = fn(a[i..], b[i..]); i += lanes } while (i < n) */
static void emit_loop(fxi_emit *e, fxi_math fn, unsigned bits) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    LLVMTypeRef f32 = LLVMFloatTypeInContext(e->context), f64 = LLVMDoubleTypeInContext(e->context);
    LLVMTypeRef scalar = bits == 32 ? f32 : f64;
    LLVMTypeRef type = fxi_emit_vector_of(e, scalar);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(e->context, e->function, "entry");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->context, e->function, "body");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(e->context, e->function, "done");
    LLVMPositionBuilderAtEnd(e->builder, entry);
    LLVMBuildBr(e->builder, body);
    LLVMPositionBuilderAtEnd(e->builder, body);
    LLVMValueRef index = LLVMBuildPhi(e->builder, i64, "");
    LLVMValueRef a = load(e, type, scalar, 0, index);
    LLVMValueRef b = math_cases[fn].wide2 ? load(e, type, scalar, 1, index) : NULL;
    LLVMValueRef result = fxi_emit_math(e, fn, bits, a, b);
    LLVMValueRef out = LLVMBuildGEP2(e->builder, scalar, LLVMGetParam(e->function, 2), &index, 1, "");
    LLVMBuildStore(e->builder, result, out);
    LLVMValueRef next = LLVMBuildAdd(e->builder, index, LLVMConstInt(i64, e->lanes, 0), "");
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, next, LLVMGetParam(e->function, 3), "");
    LLVMValueRef zero = LLVMConstInt(i64, 0, 0);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    LLVMBuildCondBr(e->builder, more, body, done);
    LLVMAddIncoming(index, &zero, &entry, 1);
    LLVMAddIncoming(index, &next, &last, 1);
    LLVMPositionBuilderAtEnd(e->builder, done);
    LLVMBuildRetVoid(e->builder);
}

fxi_code *math_loop_compile(fxi_math fn, unsigned bits, unsigned lanes, const fxi_target *target,
                            math_loop **loop, fx_error *err) {
    LLVMContextRef context = LLVMContextCreate();
    fxi_emit e = {.context = context, .target = target, .lanes = lanes};
    e.module = LLVMModuleCreateWithNameInContext("math", context);
    e.builder = LLVMCreateBuilderInContext(context);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef parameters[] = {pointer, pointer, pointer, LLVMInt64TypeInContext(context)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), parameters, 4, 0);
    e.function = LLVMAddFunction(e.module, "math_loop", type);
    emit_loop(&e, fn, bits);
    fxi_code *code = fxi_jit_compile(e.module, target, false, err);
    void *symbol = code ? fxi_code_symbol(code, "math_loop") : NULL;
    memcpy(loop, &symbol, sizeof symbol);
    LLVMDisposeBuilder(e.builder);
    LLVMDisposeModule(e.module);
    LLVMContextDispose(context);
    return code;
}
