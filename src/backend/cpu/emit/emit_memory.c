/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and constants: between memory form and register form.
 *
 * Dense accesses are whole vectors. Masked dense ones use the machine's masked moves where it has them; AVX2
 * has none for 8 and 16 bits, and LLVM would emit a branch per lane inline, so those, and all masked strided
 * accesses, call a shared function that loops over the lanes of the mask. Strided accesses without a mask
 * are one scalar move per lane, which is no slower than the machine's gathers and touches the same bytes.
 * Loads whose stride is known to be 2 or -1 are whole vectors, shuffled. */
#include "emit_ops.h"

#include <stdio.h>
#include <string.h>

static unsigned component_bytes(fx_dtype dtype) {
    return (unsigned)fxi_memory_bytes(fx_dtype_real(dtype));
}

static bool is_encoded(fx_dtype dtype) {
    return fx_dtype_is_float(dtype) && dtype != FX_F32 && dtype != FX_F64;
}

/* ---- register form from and to vectors of memory components ---- */

static fxi_ir from_memory(fxi_emit *e, fx_dtype dtype, fxi_ir memory) {
    if (dtype == FX_BOOL) return ir_icmp(e, LLVMIntNE, memory, LLVMConstNull(LLVMTypeOf(memory)));
    return is_encoded(dtype) ? fxi_emit_decode_small(e, dtype, memory) : memory;
}

static fxi_ir to_memory(fxi_emit *e, fx_dtype dtype, fxi_ir value) {
    if (dtype == FX_BOOL) return ir_resize(e, value, 8, false);
    return is_encoded(dtype) ? fxi_emit_encode_small(e, dtype, value) : value;
}

/* Integer or float type of a component in memory; small floats are their bits. */
static LLVMTypeRef component_type(const fxi_emit *e, fx_dtype dtype) {
    if (is_encoded(dtype)) return LLVMIntTypeInContext(e->context, component_bytes(dtype) * 8);
    return fxi_emit_memory_type(e, dtype);
}

/* ---- shuffles ---- */

static fxi_ir shuffle(fxi_emit *e, fxi_ir a, fxi_ir b, unsigned count,
                      unsigned (*lane)(unsigned i, unsigned lanes)) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef indices[512];
    for (unsigned i = 0; i < count && i < 512; i++) indices[i] = LLVMConstInt(i32, lane(i, e->lanes), false);
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(indices, count), "");
}

static unsigned lane_even(unsigned i, unsigned lanes) {
    (void)lanes;
    return 2 * i;
}
static unsigned lane_odd(unsigned i, unsigned lanes) {
    (void)lanes;
    return 2 * i + 1;
}
static unsigned lane_twice(unsigned i, unsigned lanes) {
    (void)lanes;
    return i / 2;
}
static unsigned lane_interleaved(unsigned i, unsigned lanes) {
    return i / 2 + (i % 2) * lanes;
}
static unsigned lane_backwards(unsigned i, unsigned lanes) {
    return lanes - 1 - i;
}
/* Even elements of two vectors, of which the second begins with the last element of the first. */
static unsigned lane_even_overlapping(unsigned i, unsigned lanes) {
    return 2 * i < lanes ? 2 * i : 2 * i + 1;
}

/* ---- dense accesses ---- */

static LLVMValueRef masked_intrinsic(fxi_emit *e, const char *name, LLVMTypeRef vector, LLVMTypeRef *type) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef overloads[2] = {vector, LLVMPointerTypeInContext(e->context, 0)};
    *type = LLVMIntrinsicGetType(e->context, id, overloads, 2);
    return LLVMGetIntrinsicDeclaration(e->module, id, overloads, 2);
}

static fxi_ir load_vector(fxi_emit *e, LLVMTypeRef vector, unsigned bytes, LLVMValueRef address,
                          LLVMValueRef mask) {
    if (mask == NULL) {
        fxi_ir value = LLVMBuildLoad2(e->builder, vector, address, "");
        LLVMSetAlignment(value, bytes);
        return value;
    }
    LLVMTypeRef type;
    LLVMValueRef function = masked_intrinsic(e, "llvm.masked.load", vector, &type);
    LLVMValueRef align = LLVMConstInt(LLVMInt32TypeInContext(e->context), bytes, false);
    return LLVMBuildCall2(e->builder, type, function,
                          (LLVMValueRef[]){address, align, mask, LLVMConstNull(vector)}, 4, "");
}

static void store_vector(fxi_emit *e, fxi_ir value, unsigned bytes, LLVMValueRef address, LLVMValueRef mask) {
    if (mask == NULL) {
        LLVMSetAlignment(LLVMBuildStore(e->builder, value, address), bytes);
        return;
    }
    LLVMTypeRef type;
    LLVMValueRef function = masked_intrinsic(e, "llvm.masked.store", LLVMTypeOf(value), &type);
    LLVMValueRef align = LLVMConstInt(LLVMInt32TypeInContext(e->context), bytes, false);
    (void)LLVMBuildCall2(e->builder, type, function, (LLVMValueRef[]){value, address, align, mask}, 4, "");
}

/* ---- masked accesses lane by lane: shared functions (address, stride in bytes, mask bits[, value]) ---- */

static LLVMValueRef byte_offset(fxi_emit *e, LLVMValueRef address, LLVMValueRef bytes) {
    return LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context), address, &bytes, 1, "");
}

static void lanes_body(fxi_emit *e, const void *context) {
    LLVMTypeRef component = *(const LLVMTypeRef *)context, vector = fxi_emit_vector_of(e, component);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    bool stores = LLVMCountParams(e->function) == 4;
    LLVMValueRef address = LLVMGetParam(e->function, 0), stride = LLVMGetParam(e->function, 1);
    LLVMValueRef mask = LLVMGetParam(e->function, 2);
    fxi_ir lanes = LLVMBuildAlloca(e->builder, vector, "");
    LLVMSetAlignment(
        LLVMBuildStore(e->builder, stores ? LLVMGetParam(e->function, 3) : LLVMConstNull(vector), lanes), 1);
    LLVMBasicBlockRef active = LLVMAppendBasicBlockInContext(e->context, e->function, "");
    LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(e->context, e->function, "");
    fxi_lane_loop loop = fxi_emit_lane_loop(e, LLVMConstInt(i64, e->lanes, false));
    LLVMValueRef bit = ir_and(e, ir_lshr(e, mask, loop.index), LLVMConstInt(i64, 1, false));
    LLVMBuildCondBr(e->builder, ir_icmp(e, LLVMIntNE, bit, LLVMConstInt(i64, 0, false)), active, next);
    LLVMPositionBuilderAtEnd(e->builder, active);
    LLVMValueRef memory = byte_offset(e, address, ir_mul(e, loop.index, stride));
    LLVMValueRef lane = LLVMBuildGEP2(e->builder, component, lanes, &loop.index, 1, "");
    LLVMValueRef value = LLVMBuildLoad2(e->builder, component, stores ? lane : memory, "");
    LLVMSetAlignment(value, 1);
    LLVMSetAlignment(LLVMBuildStore(e->builder, value, stores ? memory : lane), 1);
    LLVMBuildBr(e->builder, next);
    LLVMPositionBuilderAtEnd(e->builder, next);
    fxi_emit_lane_loop_end(e, &loop);
    if (stores) {
        LLVMBuildRetVoid(e->builder);
        return;
    }
    fxi_ir result = LLVMBuildLoad2(e->builder, vector, lanes, "");
    LLVMSetAlignment(result, 1);
    LLVMBuildRet(e->builder, result);
}

/* value: what to store, or NULL to load. */
static fxi_ir lanes_call(fxi_emit *e, LLVMTypeRef component, LLVMValueRef address, LLVMValueRef stride,
                         LLVMValueRef mask, fxi_ir value) {
    char name[48], *type_name = LLVMPrintTypeToString(component);
    (void)snprintf(name, sizeof name, "fx.%s.%s.%u", value != NULL ? "scatter" : "gather", type_name,
                   e->lanes);
    LLVMDisposeMessage(type_name);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context), vector = fxi_emit_vector_of(e, component);
    LLVMTypeRef parameters[] = {LLVMPointerTypeInContext(e->context, 0), i64, i64, vector};
    unsigned count = value != NULL ? 4 : 3;
    LLVMTypeRef result = value != NULL ? LLVMVoidTypeInContext(e->context) : vector;
    fxi_shared f = fxi_emit_shared(e, name, result, parameters, count, lanes_body, &component);
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, mask, LLVMIntTypeInContext(e->context, e->lanes), "");
    bits = LLVMBuildZExtOrBitCast(e->builder, bits, i64, "");
    return fxi_emit_shared_call(e, f, (LLVMValueRef[]){address, stride, bits, value}, count);
}

/* ---- strided accesses without a mask ---- */

static fxi_ir gather(fxi_emit *e, LLVMTypeRef component, LLVMValueRef address, LLVMValueRef stride) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    fxi_ir result = LLVMGetUndef(fxi_emit_vector_of(e, component));
    for (unsigned i = 0; i < e->lanes; i++) {
        LLVMValueRef value = LLVMBuildLoad2(e->builder, component, address, "");
        LLVMSetAlignment(value, 1);
        result = LLVMBuildInsertElement(e->builder, result, value, LLVMConstInt(i32, i, false), "");
        address = byte_offset(e, address, stride);
    }
    return result;
}

static void scatter(fxi_emit *e, fxi_ir value, LLVMValueRef address, LLVMValueRef stride) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    for (unsigned i = 0; i < e->lanes; i++) {
        LLVMValueRef lane = LLVMBuildExtractElement(e->builder, value, LLVMConstInt(i32, i, false), "");
        LLVMSetAlignment(LLVMBuildStore(e->builder, lane, address), 1);
        address = byte_offset(e, address, stride);
    }
}

/* ---- one component of any access ---- */

typedef struct access {
    LLVMTypeRef component;
    unsigned bytes; /* of a component */
    LLVMValueRef address;
    LLVMValueRef stride; /* in bytes; NULL: dense */
    LLVMValueRef mask;
    int64_t step; /* the stride in real elements where it is a constant, else 0 */
} access;

static LLVMValueRef const_i64(const fxi_emit *e, uint64_t value) {
    return LLVMConstInt(LLVMInt64TypeInContext(e->context), value, false);
}

/* Dense masked accesses that the machine does not have. */
static bool lacks_masked_move(const fxi_emit *e, unsigned bytes) {
    return bytes < 4 && !e->target->avx512;
}

/* Every second lane of a mask's lanes, each given twice. */
static LLVMValueRef even_mask(fxi_emit *e, LLVMValueRef mask) {
    LLVMTypeRef bit = LLVMIntTypeInContext(e->context, 1);
    LLVMValueRef even[512];
    for (unsigned i = 0; i < 2 * e->lanes && i < 512; i++) even[i] = LLVMConstInt(bit, i % 2 == 0, false);
    return ir_and(e, shuffle(e, mask, mask, 2 * e->lanes, lane_twice), LLVMConstVector(even, 2 * e->lanes));
}

/* Nothing after the last element is touched. */
static fxi_ir load_even(fxi_emit *e, const access *a) {
    if (a->mask != NULL) {
        LLVMTypeRef pairs = LLVMVectorType(a->component, 2 * e->lanes);
        fxi_ir both = load_vector(e, pairs, a->bytes, a->address, even_mask(e, a->mask));
        return shuffle(e, both, both, e->lanes, lane_even);
    }
    LLVMTypeRef vector = fxi_emit_vector_of(e, a->component);
    LLVMValueRef second = byte_offset(e, a->address, const_i64(e, (uint64_t)(e->lanes - 1) * a->bytes));
    fxi_ir low = load_vector(e, vector, a->bytes, a->address, NULL);
    return shuffle(e, low, load_vector(e, vector, a->bytes, second, NULL), e->lanes, lane_even_overlapping);
}

static fxi_ir load_backwards(fxi_emit *e, const access *a) {
    LLVMValueRef back = const_i64(e, UINT64_C(0) - (uint64_t)(e->lanes - 1) * a->bytes);
    LLVMValueRef mask = a->mask ? shuffle(e, a->mask, a->mask, e->lanes, lane_backwards) : NULL;
    fxi_ir value =
        load_vector(e, fxi_emit_vector_of(e, a->component), a->bytes, byte_offset(e, a->address, back), mask);
    return shuffle(e, value, value, e->lanes, lane_backwards);
}

static fxi_ir load_component(fxi_emit *e, const access *a) {
    LLVMTypeRef vector = fxi_emit_vector_of(e, a->component);
    if ((a->step == 2 || a->step == -1) && (a->mask == NULL || !lacks_masked_move(e, a->bytes)))
        return a->step == 2 ? load_even(e, a) : load_backwards(e, a);
    if (a->mask == NULL && a->stride != NULL && e->lanes > 1)
        return gather(e, a->component, a->address, a->stride);
    if (a->mask != NULL && (a->stride != NULL || lacks_masked_move(e, a->bytes)))
        return lanes_call(e, a->component, a->address, a->stride ? a->stride : const_i64(e, a->bytes),
                          a->mask, NULL);
    return load_vector(e, vector, a->bytes, a->address, a->mask);
}

static void store_component(fxi_emit *e, const access *a, fxi_ir value) {
    if (a->mask == NULL && a->stride != NULL && e->lanes > 1)
        scatter(e, value, a->address, a->stride);
    else if (a->mask != NULL && (a->stride != NULL || lacks_masked_move(e, a->bytes)))
        (void)lanes_call(e, a->component, a->address, a->stride ? a->stride : const_i64(e, a->bytes), a->mask,
                         value);
    else
        store_vector(e, value, a->bytes, a->address, a->mask);
}

static access access_of(fxi_emit *e, fx_dtype dtype, LLVMValueRef address, LLVMValueRef mask,
                        LLVMValueRef stride) {
    access a = {
        component_type(e, dtype), component_bytes(dtype), address, NULL, e->lanes == 1 ? NULL : mask, 0};
    bool complex = fx_dtype_is_complex(dtype);
    unsigned element = a.bytes * (complex ? 2 : 1);
    if (stride != NULL && LLVMIsAConstantInt(stride) && !complex && e->lanes > 1)
        a.step = LLVMConstIntGetSExtValue(stride);
    if (stride != NULL) a.stride = ir_mul(e, stride, const_i64(e, element));
    return a;
}

/* ---- complex: interleaved parts ---- */

static fxi_value load_complex_dense(fxi_emit *e, const access *a) {
    LLVMTypeRef pairs = LLVMVectorType(a->component, 2 * e->lanes);
    LLVMValueRef mask = a->mask != NULL ? shuffle(e, a->mask, a->mask, 2 * e->lanes, lane_twice) : NULL;
    fxi_ir both = load_vector(e, pairs, a->bytes, a->address, mask);
    return (fxi_value){shuffle(e, both, both, e->lanes, lane_even),
                       shuffle(e, both, both, e->lanes, lane_odd)};
}

static void store_complex_dense(fxi_emit *e, const access *a, fxi_value value) {
    LLVMValueRef mask = a->mask != NULL ? shuffle(e, a->mask, a->mask, 2 * e->lanes, lane_twice) : NULL;
    store_vector(e, shuffle(e, value.re, value.im, 2 * e->lanes, lane_interleaved), a->bytes, a->address,
                 mask);
}

/* ---- the interface ---- */

fxi_value fxi_emit_load(fxi_emit *e, fx_dtype dtype, LLVMValueRef address, LLVMValueRef mask,
                        LLVMValueRef stride_elements) {
    access a = access_of(e, dtype, address, mask, stride_elements);
    if (!fx_dtype_is_complex(dtype)) return ir_one(from_memory(e, dtype, load_component(e, &a)));
    if (a.stride == NULL && e->lanes > 1) return load_complex_dense(e, &a);
    fxi_value value = {load_component(e, &a), NULL};
    a.address = byte_offset(e, address, const_i64(e, a.bytes));
    value.im = load_component(e, &a);
    return value;
}

void fxi_emit_store(fxi_emit *e, fx_dtype dtype, LLVMValueRef address, fxi_value value, LLVMValueRef mask,
                    LLVMValueRef stride_elements) {
    access a = access_of(e, dtype, address, mask, stride_elements);
    if (!fx_dtype_is_complex(dtype)) {
        store_component(e, &a, to_memory(e, dtype, value.re));
        return;
    }
    if (a.stride == NULL && e->lanes > 1) {
        store_complex_dense(e, &a, value);
        return;
    }
    store_component(e, &a, value.re);
    a.address = byte_offset(e, address, const_i64(e, a.bytes));
    store_component(e, &a, value.im);
}

fxi_value fxi_emit_load_splat(fxi_emit *e, fx_dtype dtype, LLVMValueRef address) {
    unsigned lanes = e->lanes;
    e->lanes = 1;
    fxi_value value = fxi_emit_load(e, dtype, address, NULL, NULL);
    e->lanes = lanes;
    value.re = fxi_emit_splat(e, value.re);
    if (value.im != NULL) value.im = fxi_emit_splat(e, value.im);
    return value;
}

/* ---- iota ---- */

static fxi_ir lane_numbers(fxi_emit *e, unsigned bits) {
    LLVMTypeRef scalar = LLVMIntTypeInContext(e->context, bits);
    LLVMValueRef lanes[512];
    for (unsigned i = 0; i < e->lanes && i < 512; i++) lanes[i] = LLVMConstInt(scalar, i, false);
    return e->lanes == 1 ? lanes[0] : LLVMConstVector(lanes, e->lanes);
}

/* base and step as scalars of another integer width, in every lane */
static fxi_ir iota_integer(fxi_emit *e, unsigned bits, LLVMValueRef base, LLVMValueRef step) {
    LLVMTypeRef scalar = LLVMIntTypeInContext(e->context, bits);
    base = LLVMBuildIntCast2(e->builder, base, scalar, true, "");
    step = LLVMBuildIntCast2(e->builder, step, scalar, true, "");
    return ir_add(e, fxi_emit_splat(e, base), ir_mul(e, lane_numbers(e, bits), fxi_emit_splat(e, step)));
}

/* An index is far below 2^53, so in f64 it is exact and the one rounding is that to the dtype. */
static fxi_ir iota_double(fxi_emit *e, LLVMValueRef base, LLVMValueRef step) {
    LLVMTypeRef real = LLVMDoubleTypeInContext(e->context);
    fxi_ir numbers = ir_cast(e, LLVMSIToFP, lane_numbers(e, 64), ir_float_type(e, 64));
    base = fxi_emit_splat(e, LLVMBuildSIToFP(e->builder, base, real, ""));
    step = fxi_emit_splat(e, LLVMBuildSIToFP(e->builder, step, real, ""));
    return ir_fadd(e, base, ir_fmul(e, numbers, step));
}

fxi_value fxi_emit_iota(fxi_emit *e, fx_dtype dtype, LLVMValueRef base, LLVMValueRef step) {
    if (fx_dtype_is_integer(dtype))
        return ir_one(fxi_emit_wrap(e, dtype, iota_integer(e, ir_int_bits(dtype), base, step)));
    if (dtype == FX_BOOL) return fxi_emit_convert(e, FX_S64, dtype, ir_one(iota_integer(e, 64, base, step)));
    return fxi_emit_convert(e, FX_F64, dtype, ir_one(iota_double(e, base, step)));
}

/* ---- constants ---- */

static fxi_ir constant_component(fxi_emit *e, fx_dtype dtype, const unsigned char *memory) {
    unsigned bytes = component_bytes(dtype), bits = bytes * 8;
    uint64_t pattern = 0;
    memcpy(&pattern, memory, bytes); /* little endian, like every machine this backend runs on */
    int width = fx_dtype_bits(fx_dtype_real(dtype));
    fxi_ir integer = fxi_emit_int(e, bits, width < 8 ? pattern & ((1u << width) - 1) : pattern);
    if (dtype == FX_F32 || dtype == FX_F64 || fx_dtype_is_complex(dtype))
        return ir_from_bits(e, bits, integer);
    return from_memory(e, dtype, fxi_emit_wrap(e, dtype, integer));
}

fxi_value fxi_emit_constant(fxi_emit *e, fx_dtype dtype, const void *element) {
    const unsigned char *memory = element;
    fxi_value value = {constant_component(e, dtype, memory), NULL};
    if (fx_dtype_is_complex(dtype)) value.im = constant_component(e, dtype, memory + component_bytes(dtype));
    return value;
}
