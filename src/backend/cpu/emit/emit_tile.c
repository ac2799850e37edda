/* SPDX-License-Identifier: Apache-2.0 */
/* Transposition in registers by perfect shuffles: interleaving vector i with vector i + n/2, log2 n times,
 * moves the index of the vector into the index of the lane bit by bit. Two shuffle patterns serve all
 * steps, so a 16 x 16 tile is 64 two-source permutes with two constants. */
#include "emit_tile.h"

LLVMValueRef fxi_emit_masked_load(fxi_emit *e, LLVMTypeRef element, LLVMValueRef address, LLVMValueRef mask) {
    static const char name[] = "llvm.masked.load";
    LLVMTypeRef vector = LLVMVectorType(element, e->lanes),
                types[2] = {vector, LLVMPointerTypeInContext(e->context, 0)};
    if (!mask) {
        LLVMValueRef load = LLVMBuildLoad2(e->builder, vector, address, "");
        LLVMSetAlignment(load, 1);
        return load;
    }
    unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, types, 2);
    LLVMValueRef args[4] = {address, LLVMConstInt(LLVMInt32TypeInContext(e->context), 1, 0), mask,
                            LLVMConstNull(vector)};
    return LLVMBuildCall2(e->builder, LLVMIntrinsicGetType(e->context, id, types, 2), f, args, 4, "");
}

static LLVMValueRef interleave(fxi_emit *e, LLVMValueRef a, LLVMValueRef b, unsigned half) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef order[64];
    for (unsigned i = 0; i < e->lanes; i++) {
        unsigned lane = half * (e->lanes / 2) + i / 2;
        order[i] = LLVMConstInt(i32, i % 2 ? lane + e->lanes : lane, 0);
    }
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(order, e->lanes), "");
}

void fxi_emit_transpose(fxi_emit *e, LLVMValueRef *vectors) {
    LLVMValueRef next[64];
    unsigned n = e->lanes;
    for (unsigned step = 1; step < n; step *= 2) {
        for (unsigned i = 0; i < n / 2; i++) {
            next[2 * i] = interleave(e, vectors[i], vectors[i + n / 2], 0);
            next[2 * i + 1] = interleave(e, vectors[i], vectors[i + n / 2], 1);
        }
        for (unsigned i = 0; i < n; i++) vectors[i] = next[i];
    }
}
