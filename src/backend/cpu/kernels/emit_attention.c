/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels between the two products of attention (attention.h): scores of a panel, one vector of rows,
 * over the keys of a block. A lane is a row.
 *
 * Forward, two loops: the first finds the largest score, the second takes exponentials and sums. Scores are
 * finished twice where that is a multiplication, else stored in between. A lane whose scores were all -Inf
 * counts its largest as 0, so that its exponentials are 0 and not NaN; a NaN is never the largest and comes
 * out through the sum. Gradient, one loop: exp(score - logsumexp), and the adjoints from it.
 *
 * Scores that a row does not see are -Inf from then on, and their coefficients -0 (attention.h). */
#include "../emit/emit_math_internal.h"
#include "../gemm/emit_gemm.h"
#include "attention.h"

enum { STRIDE, FIRST_KEY, END_KEY, PLANE, TERM, SCALE, CAP, CAP_INVERSE, OTHER, RAW }; /* fxi_attn_block */

typedef struct rows {
    fxi_math_code m;
    const fxi_attn_rows *form;
    bool bounded, stored; /* stored: finished scores are kept between the loops */
    LLVMValueRef scale, cap, cap_inverse, first, end, stride;
} rows;

/* What a loop has at one key. */
typedef struct key {
    LLVMValueRef scores, bias, mask; /* addresses */
    LLVMValueRef capped;             /* tanh of the score, where there is a cap */
    LLVMValueRef unseen;             /* or NULL */
} key;

static LLVMValueRef load(rows *r, LLVMTypeRef type, LLVMValueRef at) {
    LLVMValueRef value = LLVMBuildLoad2(r->m.e->builder, type, at, "");
    LLVMSetAlignment(value, r->m.bits / 8);
    return value;
}

static void store(rows *r, LLVMValueRef value, LLVMValueRef at) {
    LLVMSetAlignment(LLVMBuildStore(r->m.e->builder, value, at), r->m.bits / 8);
}

static LLVMValueRef plane_at(const rows *r, int64_t plane) {
    fxi_emit *e = r->m.e;
    LLVMValueRef bytes = LLVMBuildMul(e->builder, fxi_gemm_ir_field(e, PLANE), fxi_gemm_ir_i64(e, plane), "");
    return fxi_gemm_ir_at(e, fxi_gemm_ir_argument(e, 1), bytes);
}

static LLVMValueRef load_plane(rows *r, int64_t plane) {
    return load(r, r->m.type, plane_at(r, plane));
}

/* A number of the argument block in all lanes. */
static LLVMValueRef load_number(rows *r, unsigned field) {
    fxi_emit *e = r->m.e;
    LLVMTypeRef narrow = LLVMFloatTypeInContext(e->context), wide = LLVMDoubleTypeInContext(e->context);
    LLVMTypeRef scalar = r->m.bits == 32 ? narrow : wide;
    LLVMValueRef at = fxi_gemm_ir_at_const(e, LLVMGetLastParam(e->function), (int64_t)field * 8);
    return fxi_emit_splat(e, LLVMBuildLoad2(e->builder, scalar, at, ""));
}

static void load_invariants(rows *r) {
    r->stride = fxi_gemm_ir_field(r->m.e, STRIDE);
    r->scale = load_number(r, SCALE);
    if (r->form->softcap) {
        r->cap = load_number(r, CAP);
        r->cap_inverse = load_number(r, CAP_INVERSE);
    }
    if (!r->bounded) return;
    r->first = load(r, r->m.itype, plane_at(r, FXI_ATTN_FIRST));
    r->end = load(r, r->m.itype, plane_at(r, FXI_ATTN_END));
}

/* Lanes in which key `index` is not seen. */
static LLVMValueRef find_unseen(rows *r, key *k, LLVMValueRef index) {
    fxi_emit *e = r->m.e;
    LLVMValueRef unseen = NULL;
    if (r->bounded) {
        LLVMTypeRef scalar = LLVMIntTypeInContext(e->context, r->m.bits);
        LLVMValueRef number = LLVMBuildTruncOrBitCast(e->builder, index, scalar, "");
        LLVMValueRef all = fxi_emit_splat(e, number);
        LLVMValueRef before = icmp(&r->m, LLVMIntSLT, all, r->first);
        unseen = ior(&r->m, before, icmp(&r->m, LLVMIntSGE, all, r->end));
    }
    if (!r->form->masked) return unseen;
    LLVMValueRef mask = load(r, r->m.type, k->mask);
    LLVMValueRef off = fcmp(&r->m, LLVMRealOEQ, mask, real(&r->m, 0));
    return unseen ? ior(&r->m, unseen, off) : off;
}

/* The finished score: the order of operations is that of the plain form. */
static LLVMValueRef finish_score(rows *r, key *k, LLVMValueRef index) {
    fxi_math_code *m = &r->m;
    LLVMValueRef x = mul(m, load(r, m->type, k->scores), r->scale);
    if (r->form->softcap) {
        x = mul(m, x, r->cap_inverse);
        k->capped = fxi_emit_math(m->e, FXI_MATH_TANH, m->bits, x, NULL);
        x = mul(m, k->capped, r->cap);
    }
    if (r->form->bias) x = add(m, x, load(r, m->type, k->bias));
    if (r->form->added) x = add(m, x, load(r, m->type, k->mask));
    k->unseen = find_unseen(r, k, index);
    return k->unseen ? pick(m, k->unseen, real(m, -INFINITY), x) : x;
}

static LLVMValueRef exponential(rows *r, LLVMValueRef x) {
    return fxi_emit_math(r->m.e, FXI_MATH_EXP, r->m.bits, x, NULL);
}

static bool marks(const rows *r) {
    return r->bounded || r->form->masked;
}

/* ---- a loop over keys ---- */

typedef struct loop {
    fxi_gemm_loop l;
    LLVMValueRef scores, terms; /* of the key */
} loop;

static loop begin_keys(rows *r, key *k) {
    fxi_emit *e = r->m.e;
    LLVMValueRef first = fxi_gemm_ir_field(e, FIRST_KEY);
    LLVMValueRef skip = LLVMBuildMul(e->builder, first, r->stride, "");
    LLVMValueRef scores = fxi_gemm_ir_at(e, fxi_gemm_ir_argument(e, 0), skip);
    LLVMValueRef terms = fxi_gemm_ir_at(e, fxi_gemm_ir_argument(e, 2), skip);
    loop l = {.l = fxi_gemm_ir_begin(e, first, fxi_gemm_ir_field(e, END_KEY))};
    k->scores = l.scores = fxi_gemm_ir_phi(e, &l.l, scores);
    k->bias = l.terms = fxi_gemm_ir_phi(e, &l.l, terms);
    k->mask = fxi_gemm_ir_at(e, l.terms, fxi_gemm_ir_field(e, TERM));
    return l;
}

static void end_keys(rows *r, loop *l) {
    fxi_emit *e = r->m.e;
    fxi_gemm_ir_next(e, l->scores, fxi_gemm_ir_at(e, l->scores, r->stride));
    fxi_gemm_ir_next(e, l->terms, fxi_gemm_ir_at(e, l->terms, r->stride));
    fxi_gemm_ir_end(e, &l->l, 1);
}

/* ---- forward ---- */

static LLVMValueRef emit_largest(rows *r, LLVMValueRef before) {
    key k = {.scores = NULL};
    loop l = begin_keys(r, &k);
    LLVMValueRef most = fxi_gemm_ir_phi(r->m.e, &l.l, before);
    LLVMValueRef x = finish_score(r, &k, l.l.index);
    if (r->stored) store(r, x, k.scores);
    LLVMValueRef larger = fcmp(&r->m, LLVMRealOGT, x, most);
    fxi_gemm_ir_next(r->m.e, most, pick(&r->m, larger, x, most));
    end_keys(r, &l);
    return most;
}

static LLVMValueRef emit_exponentials(rows *r, LLVMValueRef from) {
    fxi_math_code *m = &r->m;
    key k = {.scores = NULL};
    loop l = begin_keys(r, &k);
    LLVMValueRef sum = fxi_gemm_ir_phi(m->e, &l.l, real(m, 0));
    LLVMValueRef x = r->stored ? load(r, m->type, k.scores) : finish_score(r, &k, l.l.index);
    LLVMValueRef p = exponential(r, sub(m, x, from));
    if (marks(r)) {
        LLVMValueRef unseen = fcmp(m, LLVMRealOEQ, x, real(m, -INFINITY));
        p = pick(m, unseen, real(m, -0.0), p);
    }
    store(r, p, k.scores);
    fxi_gemm_ir_next(m->e, sum, add(m, sum, p));
    end_keys(r, &l);
    return sum;
}

static void emit_forward(rows *r) {
    fxi_math_code *m = &r->m;
    LLVMValueRef before = load_plane(r, FXI_ATTN_MOST), most = emit_largest(r, before);
    LLVMValueRef none = fcmp(m, LLVMRealOEQ, most, real(m, -INFINITY));
    LLVMValueRef from = pick(m, none, real(m, 0), most);
    LLVMValueRef sum = emit_exponentials(r, from);
    LLVMValueRef scale = exponential(r, sub(m, before, from));
    LLVMValueRef earlier = mul(m, load_plane(r, FXI_ATTN_SUM), scale);
    LLVMValueRef total = add(m, earlier, sum);
    store(r, total, plane_at(r, FXI_ATTN_SUM));
    store(r, most, plane_at(r, FXI_ATTN_MOST));
    store(r, scale, plane_at(r, FXI_ATTN_SCALE));
}

/* ---- gradient ---- */

/* The derivative of cap tanh(s / cap) by s is 1 - tanh^2. */
static LLVMValueRef adjoint_of_product(rows *r, const key *k, LLVMValueRef adjoint) {
    fxi_math_code *m = &r->m;
    adjoint = mul(m, adjoint, r->scale);
    if (!r->form->softcap) return adjoint;
    LLVMValueRef square = mul(m, k->capped, k->capped);
    return mul(m, adjoint, sub(m, real(m, 1), square));
}

static void emit_gradient(rows *r) {
    fxi_math_code *m = &r->m;
    fxi_emit *e = m->e;
    LLVMValueRef total = load_plane(r, FXI_ATTN_MOST), mean = load_plane(r, FXI_ATTN_SUM);
    key k = {.scores = NULL};
    loop l = begin_keys(r, &k);
    LLVMValueRef at = fxi_gemm_ir_at(e, k.scores, fxi_gemm_ir_field(e, OTHER));
    LLVMValueRef p = exponential(r, sub(m, finish_score(r, &k, l.l.index), total));
    LLVMValueRef adjoint = mul(m, p, sub(m, load(r, m->type, at), mean));
    LLVMValueRef ds = adjoint_of_product(r, &k, adjoint);
    if (k.unseen) {
        p = pick(m, k.unseen, real(m, -0.0), p);
        ds = pick(m, k.unseen, real(m, 0), ds);
        adjoint = pick(m, k.unseen, real(m, 0), adjoint);
    }
    store(r, p, k.scores);
    store(r, ds, at);
    if (r->form->raw) store(r, adjoint, fxi_gemm_ir_at(e, k.scores, fxi_gemm_ir_field(e, RAW)));
    end_keys(r, &l);
}

static void emit_function(fxi_emit *e, const fxi_attn_rows *form, bool bounded) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMTypeRef parameters[4] = {pointer, pointer, pointer, pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), parameters, 4, 0);
    e->function = LLVMAddFunction(e->module, bounded ? "bounded" : "free", type);
    LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, e->function, "entry"));
    rows r = {.form = form, .bounded = bounded};
    r.m = fxi_math_begin(e, form->compute == FX_F64 ? 64 : 32);
    r.stored = form->softcap || form->bias || form->added || form->masked;
    load_invariants(&r);
    if (form->gradient)
        emit_gradient(&r);
    else
        emit_forward(&r);
    LLVMBuildRetVoid(e->builder);
}

bool fxi_attn_emit(fxi_emit *e, const void *description, fx_error *err) {
    const fxi_attn_rows *form = description;
    (void)err;
    e->lanes = (unsigned)fxi_attn_lanes((fx_dtype)form->compute);
    emit_function(e, form, false);
    if (form->bounded) emit_function(e, form, true);
    return true;
}
