/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction of trigonometric arguments: |x| = q pi/2 + r + r_lo with |r| <= pi/4, for every finite x.
 *
 * Up to LIMIT it is Cody and Waite's: three parts of pi/2, the first product exact under fma, the second
 * as an error-free pair. Beyond, where the rounded quotient no longer suffices, it is Payne and Hanek's:
 * 192 bits of 2/pi, cut out where the exponent of x says, times the significand of x in 128-bit integers,
 * which leaves 64 good bits however close x is to a multiple of pi/2. That path is a scalar function,
 * called in a loop for the lanes that need it and reached by a branch only when there is one. */
#include "emit_math_internal.h"

#define LIMIT32 0x1p16
#define LIMIT64 0x1p29

#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define PIO2_A32 0x1.921fb6p+0
#define PIO2_B32 (-0x1.777a5cp-25)
#define PIO2_C32 (-0x1.ee59dap-50)
#define PIO2_A64 0x1.921fb54442d18p+0
#define PIO2_B64 0x1.1a62633145c07p-54
#define PIO2_C64 (-0x1.f1976b7ed8fbcp-110)

/* The bits of 2/pi after the binary point, behind one word of zeros for arguments below 2^54. */
static const uint64_t TWO_OVER_PI_BITS[] = {
    0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};
enum { WORDS = sizeof TWO_OVER_PI_BITS / sizeof *TWO_OVER_PI_BITS };

/* ---- scalar: {i64 quadrant, double hi, double lo} of a double in [2^16, infinity) ---- */

typedef struct scalar_code {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i64, i128, f64;
} scalar_code;

static LLVMValueRef word(const scalar_code *s, uint64_t value) { return LLVMConstInt(s->i64, value, 0); }

static LLVMValueRef wide(const scalar_code *s, uint64_t value) { return LLVMConstInt(s->i128, value, 0); }

static LLVMValueRef table_of_bits(const scalar_code *s) {
    LLVMValueRef table = LLVMGetNamedGlobal(s->module, "fx.math.two_over_pi");
    if (table) return table;
    LLVMValueRef words[WORDS];
    for (unsigned i = 0; i < WORDS; i++) words[i] = word(s, TWO_OVER_PI_BITS[i]);
    table = LLVMAddGlobal(s->module, LLVMArrayType2(s->i64, WORDS), "fx.math.two_over_pi");
    LLVMSetInitializer(table, LLVMConstArray2(s->i64, words, WORDS));
    LLVMSetGlobalConstant(table, 1);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    LLVMSetAlignment(table, 8);
    return table;
}

/* 64 bits of 2/pi from bit `place` of the table on, `index` words later. */
static LLVMValueRef bits_at(const scalar_code *s, LLVMValueRef table, LLVMValueRef place, unsigned index) {
    LLVMValueRef first = LLVMBuildLShr(s->b, place, word(s, 6), "");
    LLVMValueRef at[2], parts[2];
    for (unsigned i = 0; i < 2; i++) {
        at[i] = LLVMBuildAdd(s->b, first, word(s, index + i), "");
        parts[i] = LLVMBuildLoad2(s->b, s->i64, LLVMBuildGEP2(s->b, s->i64, table, &at[i], 1, ""), "");
    }
    LLVMValueRef shift = LLVMBuildAnd(s->b, place, word(s, 63), "");
    LLVMValueRef high = LLVMBuildShl(s->b, parts[0], shift, "");
    LLVMValueRef rest = LLVMBuildSub(s->b, word(s, 63), shift, "");
    LLVMValueRef low = LLVMBuildLShr(s->b, parts[1], word(s, 1), ""); /* two steps: no shift by 64 */
    low = LLVMBuildLShr(s->b, low, rest, "");
    return LLVMBuildOr(s->b, high, low, "");
}

static LLVMValueRef product(const scalar_code *s, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef x = LLVMBuildZExt(s->b, a, s->i128, "");
    LLVMValueRef y = LLVMBuildZExt(s->b, b, s->i128, "");
    return LLVMBuildMul(s->b, x, y, "");
}

/* x 2/pi modulo 4 in units of 2^-126: x = M 2^E, and bits of 2/pi above weight 4 / 2^E only add multiples
 * of 4. */
static LLVMValueRef turns(const scalar_code *s, LLVMValueRef x) {
    LLVMValueRef bits = LLVMBuildBitCast(s->b, x, s->i64, "");
    LLVMValueRef exponent = LLVMBuildLShr(s->b, bits, word(s, 52), "");
    LLVMValueRef fraction = LLVMBuildAnd(s->b, bits, word(s, (UINT64_C(1) << 52) - 1), "");
    LLVMValueRef significand = LLVMBuildOr(s->b, fraction, word(s, UINT64_C(1) << 52), "");
    LLVMValueRef place = LLVMBuildSub(s->b, exponent, word(s, 1075 + 2 - 64), "");
    LLVMValueRef table = table_of_bits(s);
    LLVMValueRef top = LLVMBuildMul(s->b, significand, bits_at(s, table, place, 0), "");
    LLVMValueRef top_wide = LLVMBuildShl(s->b, LLVMBuildZExt(s->b, top, s->i128, ""), wide(s, 64), "");
    LLVMValueRef middle = product(s, significand, bits_at(s, table, place, 1));
    LLVMValueRef low = product(s, significand, bits_at(s, table, place, 2));
    LLVMValueRef sum = LLVMBuildAdd(s->b, top_wide, middle, "");
    return LLVMBuildAdd(s->b, sum, LLVMBuildLShr(s->b, low, wide(s, 64), ""), "");
}

static LLVMValueRef call_intrinsic(const scalar_code *s, const char *name, LLVMValueRef *arguments,
                                   unsigned count) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef type = LLVMTypeOf(arguments[0]);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(s->module, id, &type, 1);
    LLVMTypeRef signature = LLVMIntrinsicGetType(s->context, id, &type, 1);
    return LLVMBuildCall2(s->b, signature, function, arguments, count, "");
}

/* The signed fraction (units of 2^-128 of pi/2) times pi/2 as a pair of doubles: its leading 53 and next
 * 64 bits. */
static void to_radians(const scalar_code *s, LLVMValueRef fraction, LLVMValueRef parts[2]) {
    LLVMValueRef is_negative = LLVMBuildICmp(s->b, LLVMIntSLT, fraction, wide(s, 0), "");
    LLVMValueRef opposite = LLVMBuildNeg(s->b, fraction, "");
    LLVMValueRef size = LLVMBuildSelect(s->b, is_negative, opposite, fraction, "");
    size = LLVMBuildOr(s->b, size, wide(s, 1), ""); /* never 0, whatever comes in */
    LLVMValueRef count[] = {size, LLVMConstInt(LLVMInt1TypeInContext(s->context), 1, 0)};
    LLVMValueRef zeros = call_intrinsic(s, "llvm.ctlz", count, 2);
    LLVMValueRef normal = LLVMBuildShl(s->b, size, zeros, "");
    LLVMValueRef head_bits = LLVMBuildTrunc(s->b, LLVMBuildLShr(s->b, normal, wide(s, 75), ""), s->i64, "");
    LLVMValueRef tail_bits = LLVMBuildTrunc(s->b, LLVMBuildLShr(s->b, normal, wide(s, 12), ""), s->i64, "");
    tail_bits = LLVMBuildAnd(s->b, tail_bits, word(s, INT64_MAX), ""); /* 63 bits, so that it is positive */

    LLVMValueRef zeros64 = LLVMBuildTrunc(s->b, zeros, s->i64, "");
    LLVMValueRef scale_bits = LLVMBuildSub(s->b, word(s, 1023 - 53), zeros64, "");
    scale_bits = LLVMBuildShl(s->b, scale_bits, word(s, 52), "");
    LLVMValueRef scale = LLVMBuildBitCast(s->b, scale_bits, s->f64, "");
    LLVMValueRef minus = LLVMBuildFNeg(s->b, scale, "");
    scale = LLVMBuildSelect(s->b, is_negative, minus, scale, "");
    LLVMValueRef head = LLVMBuildFMul(s->b, LLVMBuildSIToFP(s->b, head_bits, s->f64, ""), scale, "");
    LLVMValueRef tail_scale = LLVMBuildFMul(s->b, scale, LLVMConstReal(s->f64, 0x1p-63), "");
    LLVMValueRef tail = LLVMBuildFMul(s->b, LLVMBuildSIToFP(s->b, tail_bits, s->f64, ""), tail_scale, "");

    LLVMValueRef pio2 = LLVMConstReal(s->f64, PIO2_A64);
    LLVMValueRef hi = LLVMBuildFMul(s->b, head, pio2, "");
    LLVMValueRef exact[] = {head, pio2, LLVMBuildFNeg(s->b, hi, "")};
    LLVMValueRef lo = call_intrinsic(s, "llvm.fma", exact, 3);
    LLVMValueRef second[] = {head, LLVMConstReal(s->f64, PIO2_B64), lo};
    lo = call_intrinsic(s, "llvm.fma", second, 3);
    LLVMValueRef third[] = {tail, pio2, lo};
    lo = call_intrinsic(s, "llvm.fma", third, 3);
    parts[0] = LLVMBuildFAdd(s->b, hi, lo, "");
    parts[1] = LLVMBuildFSub(s->b, lo, LLVMBuildFSub(s->b, parts[0], hi, ""), "");
}

static LLVMValueRef define_huge(fxi_emit *e, const char *name, LLVMTypeRef type, LLVMTypeRef result) {
    scalar_code s = {.context = e->context, .module = e->module, .b = e->builder};
    s.i64 = LLVMInt64TypeInContext(e->context);
    s.i128 = LLVMIntTypeInContext(e->context, 128);
    s.f64 = LLVMDoubleTypeInContext(e->context);
    LLVMValueRef function = LLVMAddFunction(e->module, name, type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMBasicBlockRef caller = LLVMGetInsertBlock(e->builder);
    LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, function, "entry"));
    LLVMValueRef all = turns(&s, LLVMGetParam(function, 0));
    LLVMValueRef half = LLVMBuildShl(s.b, wide(&s, 1), wide(&s, 125), "");
    LLVMValueRef nearest = LLVMBuildLShr(s.b, LLVMBuildAdd(s.b, all, half, ""), wide(&s, 126), "");
    LLVMValueRef parts[2];
    to_radians(&s, LLVMBuildShl(s.b, all, wide(&s, 2), ""), parts);
    LLVMValueRef value = LLVMGetPoison(result);
    value = LLVMBuildInsertValue(s.b, value, LLVMBuildTrunc(s.b, nearest, s.i64, ""), 0, "");
    value = LLVMBuildInsertValue(s.b, value, parts[0], 1, "");
    value = LLVMBuildInsertValue(s.b, value, parts[1], 2, "");
    LLVMBuildRet(s.b, value);
    LLVMPositionBuilderAtEnd(e->builder, caller);
    return function;
}

static LLVMValueRef call_huge(fxi_emit *e, LLVMValueRef x) {
    static const char name[] = "fx.math.reduce_huge";
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->context);
    LLVMTypeRef members[] = {LLVMInt64TypeInContext(e->context), f64, f64};
    LLVMTypeRef result = LLVMStructTypeInContext(e->context, members, 3, 0);
    LLVMTypeRef type = LLVMFunctionType(result, &f64, 1, 0);
    LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
    if (!function) function = define_huge(e, name, type, result);
    return LLVMBuildCall2(e->builder, type, function, &x, 1, "");
}

/* ---- vectors ---- */

/* Memory of the slow path: x and the three results, lane by lane. */
typedef struct lane_arrays {
    LLVMValueRef x, q, r, lo;
} lane_arrays;

static LLVMValueRef lane(fxi_math_code *m, LLVMValueRef array, LLVMTypeRef element, LLVMValueRef index) {
    return LLVMBuildGEP2(m->e->builder, element, array, &index, 1, "");
}

/* One lane: wide reduction, results narrowed to the width of the arithmetic. */
static void reduce_lane(fxi_math_code *m, const lane_arrays *arrays, LLVMValueRef x, LLVMValueRef index) {
    LLVMBuilderRef b = m->e->builder;
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(m->e->context), f32 = LLVMFloatTypeInContext(m->e->context);
    LLVMTypeRef real_type = m->bits == 32 ? f32 : f64;
    LLVMTypeRef int_type = LLVMIntTypeInContext(m->e->context, m->bits);
    LLVMValueRef reduced = call_huge(m->e, m->bits == 32 ? LLVMBuildFPExt(b, x, f64, "") : x);
    LLVMValueRef q = LLVMBuildExtractValue(b, reduced, 0, "");
    LLVMValueRef r = LLVMBuildExtractValue(b, reduced, 1, "");
    LLVMValueRef lo = LLVMBuildExtractValue(b, reduced, 2, "");
    if (m->bits == 32) {
        LLVMValueRef wide_r = r;
        q = LLVMBuildTrunc(b, q, int_type, "");
        r = LLVMBuildFPTrunc(b, wide_r, f32, "");
        LLVMValueRef back = LLVMBuildFPExt(b, r, f64, "");
        lo = LLVMBuildFPTrunc(b, LLVMBuildFSub(b, wide_r, back, ""), f32, "");
    }
    LLVMBuildStore(b, q, lane(m, arrays->q, int_type, index));
    LLVMBuildStore(b, r, lane(m, arrays->r, real_type, index));
    LLVMBuildStore(b, lo, lane(m, arrays->lo, real_type, index));
}

/* for (i = 0; i < lanes; i++) if (!(x[i] < limit)) reduce_lane(i); ends in block `done`. */
static void loop_over_lanes(fxi_math_code *m, const lane_arrays *arrays, double limit,
                            LLVMBasicBlockRef done) {
    LLVMBuilderRef b = m->e->builder;
    LLVMContextRef context = m->e->context;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
    LLVMTypeRef f32 = LLVMFloatTypeInContext(context), f64 = LLVMDoubleTypeInContext(context);
    LLVMTypeRef real_type = m->bits == 32 ? f32 : f64;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(context, m->e->function, "lane");
    LLVMBasicBlockRef work = LLVMAppendBasicBlockInContext(context, m->e->function, "huge");
    LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(context, m->e->function, "next");
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    LLVMValueRef index = LLVMBuildPhi(b, i64, "");
    LLVMValueRef x = LLVMBuildLoad2(b, real_type, lane(m, arrays->x, real_type, index), "");
    LLVMValueRef is_low = LLVMBuildFCmp(b, LLVMRealOLT, x, LLVMConstReal(real_type, limit), "");
    LLVMBuildCondBr(b, is_low, next, work);
    LLVMPositionBuilderAtEnd(b, work);
    reduce_lane(m, arrays, x, index);
    LLVMBuildBr(b, next);
    LLVMPositionBuilderAtEnd(b, next);
    LLVMValueRef following = LLVMBuildAdd(b, index, LLVMConstInt(i64, 1, 0), "");
    LLVMValueRef more = LLVMBuildICmp(b, LLVMIntULT, following, LLVMConstInt(i64, m->e->lanes, 0), "");
    LLVMBuildCondBr(b, more, head, done);
    LLVMValueRef zero = LLVMConstInt(i64, 0, 0);
    LLVMAddIncoming(index, &zero, &before, 1);
    LLVMAddIncoming(index, &following, &next, 1);
}

/* The builder stands in block "slow"; gives the results for all lanes, in block "done". */
static fxi_math_reduced reduce_slowly(fxi_math_code *m, fxi_vec x, const fxi_math_reduced *fast,
                                      const lane_arrays *arrays, double limit) {
    LLVMBuilderRef b = m->e->builder;
    LLVMBuildStore(b, x, arrays->x);
    LLVMBuildStore(b, fast->n, arrays->q);
    LLVMBuildStore(b, fast->r, arrays->r);
    LLVMBuildStore(b, fast->r_lo, arrays->lo);
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(m->e->context, m->e->function, "done");
    loop_over_lanes(m, arrays, limit, done);
    LLVMPositionBuilderAtEnd(b, done);
    fxi_math_reduced p = {.n = LLVMBuildLoad2(b, m->itype, arrays->q, "")};
    fxi_vec r = LLVMBuildLoad2(b, m->type, arrays->r, "");
    p.r_lo = LLVMBuildLoad2(b, m->type, arrays->lo, "");
    p.r = pick(m, fcmp(m, LLVMRealOLT, x, fxi_math_infinity(m)), r, fxi_math_nan(m));
    return p;
}

static fxi_math_reduced reduce_fast(fxi_math_code *m, fxi_vec x) {
    fxi_math_reduced p = {0};
    fxi_vec n = fxi_math_round(m, x, real(m, TWO_OVER_PI), &p.n);
    fxi_vec first = fxi_math_fma(m, n, real2(m, -PIO2_A32, -PIO2_A64), x);
    fxi_pair second = fxi_math_two_prod(m, n, real2(m, PIO2_B32, PIO2_B64));
    fxi_vec r = sub(m, first, second.hi);
    fxi_vec lo = sub(m, sub(m, first, r), second.hi);
    lo = sub(m, lo, second.lo);
    lo = fxi_math_fma(m, n, real2(m, -PIO2_C32, -PIO2_C64), lo);
    fxi_pair sum = fxi_math_fast_two_sum(m, r, lo);
    p.r = sum.hi, p.r_lo = sum.lo;
    return p;
}

fxi_math_reduced fxi_math_trig_reduce(fxi_math_code *m, fxi_vec x) {
    LLVMBuilderRef b = m->e->builder;
    double limit = m->bits == 32 ? LIMIT32 : LIMIT64;
    lane_arrays arrays = {.x = LLVMBuildAlloca(b, m->type, ""), .q = LLVMBuildAlloca(b, m->itype, "")};
    arrays.r = LLVMBuildAlloca(b, m->type, "");
    arrays.lo = LLVMBuildAlloca(b, m->type, "");
    fxi_math_reduced fast = reduce_fast(m, x);
    LLVMValueRef any = fxi_math_any(m, fcmp(m, LLVMRealOGE, x, real(m, limit)));
    LLVMBasicBlockRef start = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef slow = LLVMAppendBasicBlockInContext(m->e->context, m->e->function, "slow");
    LLVMBasicBlockRef join = LLVMAppendBasicBlockInContext(m->e->context, m->e->function, "join");
    LLVMBuildCondBr(b, any, slow, join);
    LLVMPositionBuilderAtEnd(b, slow);
    fxi_math_reduced rare = reduce_slowly(m, x, &fast, &arrays, limit);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, join);
    LLVMPositionBuilderAtEnd(b, join);
    fxi_math_reduced p = {.n = LLVMBuildPhi(b, m->itype, ""), .r = LLVMBuildPhi(b, m->type, "")};
    p.r_lo = LLVMBuildPhi(b, m->type, "");
    LLVMBasicBlockRef blocks[] = {start, end};
    LLVMValueRef n[] = {fast.n, rare.n}, r[] = {fast.r, rare.r}, lo[] = {fast.r_lo, rare.r_lo};
    LLVMAddIncoming(p.n, n, blocks, 2);
    LLVMAddIncoming(p.r, r, blocks, 2);
    LLVMAddIncoming(p.r_lo, lo, blocks, 2);
    return p;
}
