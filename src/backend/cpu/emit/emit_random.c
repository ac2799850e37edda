/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a Philox 4x32-10 stream (ops/element_random.c says what they are).
 *
 * A lane holds one block; its four 32-bit words are the low halves of 64-bit lanes, whose upper halves are
 * never looked at: a widening product of two such words is then a single instruction, without the shuffles
 * that vectors of 32-bit words need. Lanes of any order compute a block each and keep one word of it; lanes
 * in order share blocks (fxi_emit_philox_run), a quarter of the work. */
#include "emit_ops.h"

enum { ROUNDS = 10 };

typedef struct block {
    fxi_ir w[4];
} block;

static fxi_ir i64(const fxi_emit *e, uint64_t value) {
    return fxi_emit_int(e, 64, value);
}
static fxi_ir low_half(const fxi_emit *e, fxi_ir x) {
    return ir_and(e, x, i64(e, UINT32_MAX));
}
static fxi_ir high_half(const fxi_emit *e, fxi_ir x) {
    return ir_lshr(e, x, i64(e, 32));
}

/* Products of the low halves, in full. */
static fxi_ir widening(const fxi_emit *e, fxi_ir x, uint64_t factor) {
    return ir_mul(e, low_half(e, x), i64(e, factor));
}

static block one_round(const fxi_emit *e, block c, fxi_ir k0, fxi_ir k1) {
    fxi_ir p0 = widening(e, c.w[0], 0xD2511F53), p1 = widening(e, c.w[2], 0xCD9E8D57);
    return (block){{ir_xor(e, ir_xor(e, high_half(e, p1), c.w[1]), k0), p1,
                    ir_xor(e, ir_xor(e, high_half(e, p0), c.w[3]), k1), p0}};
}

/* Block low + number of the stream; the upper halves of the words are of no meaning. */
static block philox(const fxi_emit *e, const fxi_value *operands, fxi_ir number) {
    fxi_ir at = ir_add(e, operands[1].re, number);
    fxi_ir carry = ir_cast(e, LLVMZExt, ir_icmp(e, LLVMIntULT, at, number), ir_int_type(e, 64));
    fxi_ir high = ir_add(e, operands[2].re, carry), k0 = operands[0].re, k1 = high_half(e, k0);
    block c = {{at, high_half(e, at), high, high_half(e, high)}};
    for (int r = 0; r < ROUNDS; r++) {
        c = one_round(e, c, k0, k1);
        k0 = ir_add(e, k0, i64(e, 0x9E3779B9));
        k1 = ir_add(e, k1, i64(e, 0xBB67AE85));
    }
    return c;
}

/* Two words as one of 64 bits. */
static fxi_ir join(const fxi_emit *e, fxi_ir low, fxi_ir high) {
    return ir_or(e, low_half(e, low), ir_shl(e, high, i64(e, 32)));
}

fxi_value fxi_emit_philox(fxi_emit *e, const fxi_element *element, const fxi_value *operands) {
    bool wide = element->to == FX_U64;
    fxi_ir word = operands[3].re;
    block c = philox(e, operands, ir_lshr(e, word, i64(e, wide ? 1 : 2)));
    fxi_ir odd = ir_icmp(e, LLVMIntNE, ir_and(e, word, i64(e, 1)), i64(e, 0));
    if (wide) return ir_one(ir_select(e, odd, join(e, c.w[2], c.w[3]), join(e, c.w[0], c.w[1])));
    fxi_ir upper = ir_icmp(e, LLVMIntNE, ir_and(e, word, i64(e, 2)), i64(e, 0));
    fxi_ir made = ir_select(e, upper, ir_select(e, odd, c.w[3], c.w[2]), ir_select(e, odd, c.w[1], c.w[0]));
    return ir_one(ir_cast(e, LLVMTrunc, made, ir_int_type(e, 32)));
}

/* ---- runs ---- */

/* Lanes first, first + step, ... of the concatenation of two vectors. */
static fxi_ir pick(const fxi_emit *e, fxi_ir a, fxi_ir b, const unsigned *lanes, unsigned count) {
    LLVMTypeRef type = LLVMInt32TypeInContext(e->context);
    LLVMValueRef mask[64];
    for (unsigned i = 0; i < count; i++) mask[i] = LLVMConstInt(type, lanes[i], 0);
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(mask, count), "");
}

/* Pairs of words 0, 1 and 2, 3 of each lane's block, alternating: lane 2 i of the whole is the first pair of
 * block i. Part `part` of it, `count` lanes. */
static fxi_ir interleave(const fxi_emit *e, fxi_ir first, fxi_ir second, unsigned part, unsigned count) {
    unsigned lanes[64];
    for (unsigned i = 0; i < count; i++) {
        unsigned at = part * count + i;
        lanes[i] = at / 2 + (at % 2 ? e->lanes : 0);
    }
    return pick(e, first, second, lanes, count);
}

unsigned fxi_emit_philox_group(const fxi_element *element) {
    return element->to == FX_U64 ? 2 : 4;
}

void fxi_emit_philox_run(fxi_emit *e, const fxi_element *element, const fxi_value *operands, fxi_ir first,
                         fxi_value *results) {
    bool wide = element->to == FX_U64;
    unsigned group = fxi_emit_philox_group(element), count = wide ? e->lanes : e->lanes / 2;
    LLVMValueRef one = LLVMConstInt(LLVMInt64TypeInContext(e->context), 1, 0);
    LLVMValueRef at = LLVMBuildLShr(e->builder, first,
                                    LLVMConstInt(LLVMInt64TypeInContext(e->context), wide ? 1 : 2, 0), "");
    block c = philox(e, operands, fxi_emit_iota(e, FX_U64, at, one).re);
    fxi_ir pairs[2] = {join(e, c.w[0], c.w[1]), join(e, c.w[2], c.w[3])};
    for (unsigned u = 0; u < group; u++) {
        fxi_ir made = interleave(e, pairs[0], pairs[1], u, count);
        results[u] = ir_one(wide ? made : ir_cast(e, LLVMBitCast, made, ir_int_type(e, 32)));
    }
}
