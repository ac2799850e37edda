/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores, constants, iota and reductions in registers: every dtype, every number of active lanes
 * under a mask, dense and strided, with guard bytes around what may be written and unreadable pages around
 * what may be read. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif
#include "backend/cpu/jit/jit.h"
#include "element_cases.h"
#include "ops/ops.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#define LANES 16
#define STRIDE 3
typedef void (*move_function)(void *out, const void *in, const void *b, const void *c, int64_t count);

typedef enum variant {
    DENSE,
    MASKED,
    STRIDED,
    STRIDED_MASKED,
    EVEN,
    EVEN_MASKED,
    BACKWARDS,
    BACKWARDS_MASKED,
    SPLAT,
    CONSTANT,
    IOTA,
    VARIANTS
} variant;
static const char *const variant_names[VARIANTS] = {
    "dense",     "masked",           "strided", "strided_masked", "even", "even_masked",
    "backwards", "backwards_masked", "splat",   "constant",       "iota"};
static const int64_t strides[VARIANTS] = {1, 1, STRIDE, STRIDE, 2, 2, -1, -1, 0, 0, 0};

static bool is_masked(variant v) {
    return v < SPLAT && v % 2 == 1;
}

/* ---- building: one vector per function, the count of active lanes in the last parameter ---- */

static LLVMValueRef active_lanes(fxi_emit *e) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    LLVMValueRef lanes[LANES];
    for (unsigned i = 0; i < LANES; i++) lanes[i] = LLVMConstInt(i64, i, false);
    LLVMValueRef count = fxi_emit_splat(e, LLVMGetParam(e->function, 4));
    return LLVMBuildICmp(e->builder, LLVMIntULT, LLVMConstVector(lanes, LANES), count, "");
}

static const unsigned char constant_bytes[16] = {0x01, 0x42, 0xc1, 0x3f, 0x02, 0x40, 0xc3, 0xbf,
                                                 0x7f, 0x81, 0x45, 0xc0, 0x12, 0x34, 0x41, 0x40};

static fxi_value loaded(fxi_emit *e, fx_dtype dtype, variant v, LLVMValueRef mask, LLVMValueRef stride) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    switch (v) {
    case SPLAT: return fxi_emit_load_splat(e, dtype, LLVMGetParam(e->function, 1));
    case CONSTANT: return fxi_emit_constant(e, dtype, constant_bytes);
    case IOTA: return fxi_emit_iota(e, dtype, LLVMGetParam(e->function, 4), LLVMConstInt(i64, 1, false));
    default: return fxi_emit_load(e, dtype, LLVMGetParam(e->function, 1), mask, stride);
    }
}

static void move_name(fx_dtype dtype, variant v, char name[64]) {
    (void)snprintf(name, 64, "%s_%s", fx_dtype_name(dtype), variant_names[v]);
}

static void build_move(fxi_emit *e, fx_dtype dtype, variant v) {
    char name[64];
    move_name(dtype, v, name);
    element_function_begin(e, name);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    LLVMValueRef mask = is_masked(v) ? active_lanes(e) : NULL;
    LLVMValueRef stride = v >= STRIDED && v < SPLAT ? LLVMConstInt(i64, (uint64_t)strides[v], true) : NULL;
    fxi_value value = loaded(e, dtype, v, mask, stride);
    fxi_emit_store(e, dtype, LLVMGetParam(e->function, 0), value, mask, stride);
    LLVMBuildRetVoid(e->builder);
}

static bool applies(fx_dtype dtype, variant v) {
    return v != IOTA || dtype != FX_BOOL;
}

/* ---- memory between unreadable pages ---- */

typedef struct guarded {
    unsigned char *base, *end;
    size_t page;
} guarded;

static guarded guarded_new(void) {
    guarded g = {.page = (size_t)sysconf(_SC_PAGESIZE)};
    void *memory = mmap(NULL, 3 * g.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    g.base = (unsigned char *)memory + g.page;
    g.end = g.base + g.page;
    assert_int_equal(mprotect(memory, g.page, PROT_NONE), 0);
    assert_int_equal(mprotect(g.end, g.page, PROT_NONE), 0);
    return g;
}

static void guarded_free(guarded *g) {
    assert_int_equal(munmap(g->base - g->page, 3 * g->page), 0);
}

/* Values of every byte pattern that is a valid element: bool is 0 or 1, packed integers are extended. */
static void fill_elements(fx_dtype dtype, unsigned char *at, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fxi_scalar v = {
            .i = (int64_t)((i * 37 + 11) % 251) - 100, .re = (double)(i * 5) - 31.0, .im = 1.5 - (double)i};
        if (dtype == FX_BOOL) v.i = (int64_t)(i % 3 == 0);
        element_form_store(dtype, at, i, v);
    }
}

/* Moves `active` elements with the given stride and checks that exactly they arrive. */
static void check_move(move_function move, fx_dtype dtype, size_t active, int64_t step) {
    guarded in = guarded_new(), out = guarded_new();
    size_t stride = (size_t)(step < 0 ? -step : step);
    size_t size = element_form_bytes(dtype), span = ((active - 1) * stride + 1) * size;
    fill_elements(dtype, in.end - span, (active - 1) * stride + 1);
    memset(out.base, 0xa5, out.page);
    if (step > 0) {
        move(out.end - span, in.end - span, NULL, NULL, (int64_t)active);
    } else { /* from the last to the first, which begins the page */
        memcpy(in.base, in.end - span, span);
        move(out.end - size, in.base + span - size, NULL, NULL, (int64_t)active);
        memcpy(in.end - span, in.base, span);
    }
    for (size_t i = 0; i < span; i++) {
        bool moved = i / size % stride == 0;
        assert_int_equal(*(out.end - span + i), moved ? *(in.end - span + i) : 0xa5);
    }
    for (unsigned char *p = out.base; p < out.end - span; p++) assert_int_equal(*p, 0xa5);
    guarded_free(&in);
    guarded_free(&out);
}

static void check_splat(move_function move, fx_dtype dtype, const void *element) {
    unsigned char out[LANES * 16];
    size_t size = element_form_bytes(dtype);
    move(out, element, NULL, NULL, LANES);
    for (size_t i = 0; i < LANES; i++) assert_memory_equal(out + i * size, element, size);
}

/* The constant's pattern as the register form would give it back: bool as 0 or 1, packed integers from the
 * low bits. */
static void check_constant(move_function move, fx_dtype dtype) {
    unsigned char element[16] = {0};
    memcpy(element, constant_bytes, element_form_bytes(dtype));
    if (fx_dtype_bits(dtype) < 8) fxi_unpack(dtype, constant_bytes, 1, element);
    unsigned char out[LANES * 16];
    move(out, NULL, NULL, NULL, LANES);
    for (size_t i = 0; i < LANES; i++)
        assert_memory_equal(out + i * element_form_bytes(dtype), element, element_form_bytes(dtype));
}

static void check_iota(move_function move, fx_dtype dtype) {
    unsigned char out[LANES * 16], want[16];
    static const int64_t bases[] = {0, 5, 250, -3, 65530, 16777210, (int64_t)1 << 40};
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
        move(out, NULL, NULL, NULL, bases[b]);
        for (size_t i = 0; i < LANES; i++) {
            fxi_scalar v = {.i = bases[b] + (int64_t)i};
            memset(want, 0, sizeof want);
            element_form_store(dtype, want, 0, fxi_scalar_convert(v, FX_S64, dtype));
            assert_memory_equal(out + i * element_form_bytes(dtype), want, element_form_bytes(dtype));
        }
    }
}

static void check_variant(move_function move, fx_dtype dtype, variant v) {
    unsigned char element[16];
    fill_elements(dtype, element, 1);
    switch (v) {
    case SPLAT: check_splat(move, dtype, element); break;
    case CONSTANT: check_constant(move, dtype); break;
    case IOTA: check_iota(move, dtype); break;
    default:
        for (size_t active = is_masked(v) ? 1 : LANES; active <= LANES; active++)
            check_move(move, dtype, active, strides[v]);
        break;
    }
}

static void *symbol_of(const fxi_code *code, const char *name) {
    void *symbol = fxi_code_symbol(code, name);
    if (symbol == NULL) fail_msg("%s: no code", name);
    return symbol;
}

static fxi_code *compile(fxi_emit *e) {
    fx_error err = {0};
    fxi_code *code = fxi_jit_compile(e->module, e->target, false, &err);
    element_emit_end(e);
    if (code == NULL) fail_msg("%s", err.message);
    return code;
}

static void moves_on(const fxi_target *target) {
    fxi_emit e = element_emit_begin(target);
    e.lanes = LANES;
    for (int d = 1; d < FX_DTYPE_LIMIT; d++)
        for (int v = 0; v < VARIANTS && fx_dtype_is_valid((fx_dtype)d); v++)
            build_move(&e, (fx_dtype)d, (variant)v);
    fxi_code *code = compile(&e);
    for (int d = 1; d < FX_DTYPE_LIMIT; d++) {
        for (int v = 0; v < VARIANTS && fx_dtype_is_valid((fx_dtype)d); v++) {
            char name[64];
            move_name((fx_dtype)d, (variant)v, name);
            void *symbol = symbol_of(code, name);
            move_function move;
            memcpy(&move, &symbol, sizeof move);
            if (applies((fx_dtype)d, (variant)v)) check_variant(move, (fx_dtype)d, (variant)v);
        }
    }
    fxi_code_free(code);
}

/* ---- reductions: one vector combined with another, then its lanes, then the neutral element ---- */

static bool reduces(fxi_reduce_kind kind, fx_dtype dtype) {
    bool small = dtype == FX_F8E4M3FN || dtype == FX_F8E5M2;
    if (!fx_dtype_is_valid(dtype) || small) return false;
    if (kind >= FXI_AND) return dtype == FX_BOOL || fx_dtype_is_integer(dtype);
    return kind <= FXI_PRODUCT || !fx_dtype_is_complex(dtype);
}

static void reduce_name(fxi_reduce_kind kind, fx_dtype dtype, char name[64]) {
    (void)snprintf(name, 64, "reduce_%d_%s", (int)kind, fx_dtype_name(dtype));
}

static void build_reduce(fxi_emit *e, fxi_reduce_kind kind, fx_dtype dtype) {
    char name[64];
    reduce_name(kind, dtype, name);
    element_function_begin(e, name);
    fxi_value a = fxi_emit_load(e, dtype, LLVMGetParam(e->function, 1), NULL, NULL);
    fxi_value b = fxi_emit_load(e, dtype, LLVMGetParam(e->function, 2), NULL, NULL);
    fxi_value sum = fxi_emit_reduce_step(e, kind, dtype, fxi_emit_reduce_neutral(e, kind, dtype), a);
    sum = fxi_emit_reduce_lanes(e, kind, dtype, fxi_emit_reduce_step(e, kind, dtype, sum, b));
    e->lanes = 1;
    fxi_emit_store(e, dtype, LLVMGetParam(e->function, 0), fxi_emit_round(e, dtype, sum), NULL, NULL);
    e->lanes = LANES;
    LLVMBuildRetVoid(e->builder);
}

/* The same tree in scalars: 16 pairs, then 8 + 8, 4 + 4, 2 + 2, 1 + 1; the scalars of floats are rounded to
 * f32 or f64 after each step, as registers are. */
static fxi_scalar tree_of(fxi_reduce_kind kind, fx_dtype dtype, const void *a, const void *b) {
    fxi_scalar lanes[LANES];
    fx_dtype held = fx_dtype_is_half(dtype) ? FX_F32 : dtype;
    unsigned char element[16];
    for (size_t i = 0; i < LANES; i++)
        lanes[i] =
            fxi_reduce_combine(kind, dtype, element_form_load(dtype, a, i), element_form_load(dtype, b, i));
    for (size_t half = LANES / 2; half > 0; half /= 2) {
        for (size_t i = 0; i < 2 * half; i++) {
            element_form_store(held, element, 0, lanes[i]);
            lanes[i] = element_form_load(held, element, 0);
        }
        for (size_t i = 0; i < half; i++)
            lanes[i] = fxi_reduce_combine(kind, dtype, lanes[i], lanes[i + half]);
    }
    return lanes[0];
}

static void check_reduce(move_function reduce, fxi_reduce_kind kind, fx_dtype dtype) {
    unsigned char a[LANES * 16], b[LANES * 16], got[16], want[16] = {0};
    for (size_t i = 0; i < LANES; i++) {
        fxi_scalar v = {.i = (int64_t)(i * 29 % 17) - 5,
                        .re = 1.0 + (double)(i % 5) * 0.25,
                        .im = (double)(i % 3) * 0.5 - 0.5};
        fxi_scalar w = {
            .i = (int64_t)(i * 7 % 13) - 3, .re = i == 3 ? -0.0 : 0.75 - (double)(i % 7) * 0.125, .im = 0.25};
        if (dtype == FX_BOOL) v.i = i == 5, w.i = i != 9;
        element_form_store(dtype, a, i, v);
        element_form_store(dtype, b, i, w);
    }
    for (int round = 0; round < 2; round++) { /* the second time with a NaN in the way */
        reduce(got, a, b, NULL, 0);
        element_form_store(dtype, want, 0, tree_of(kind, dtype, a, b));
        fxi_scalar g = element_form_load(dtype, got, 0), w = element_form_load(dtype, want, 0);
        if (!(isnan(g.re) && isnan(w.re))) assert_memory_equal(got, want, element_form_bytes(dtype));
        element_form_store(dtype, a, 6, (fxi_scalar){.i = 1, .re = (double)NAN});
    }
}

static void reductions_on(const fxi_target *target) {
    fxi_emit e = element_emit_begin(target);
    e.lanes = LANES;
    for (int kind = 0; kind < FXI_REDUCE_KINDS; kind++)
        for (int d = 1; d < FX_DTYPE_LIMIT; d++)
            if (reduces((fxi_reduce_kind)kind, (fx_dtype)d))
                build_reduce(&e, (fxi_reduce_kind)kind, (fx_dtype)d);
    fxi_code *code = compile(&e);
    for (int kind = 0; kind < FXI_REDUCE_KINDS; kind++) {
        for (int d = 1; d < FX_DTYPE_LIMIT; d++) {
            if (!reduces((fxi_reduce_kind)kind, (fx_dtype)d)) continue;
            char name[64];
            reduce_name((fxi_reduce_kind)kind, (fx_dtype)d, name);
            void *symbol = symbol_of(code, name);
            move_function reduce;
            memcpy(&reduce, &symbol, sizeof reduce);
            check_reduce(reduce, (fxi_reduce_kind)kind, (fx_dtype)d);
        }
    }
    fxi_code_free(code);
}

static void on_each_isa(void (*check)(const fxi_target *)) {
    fx_error err = {0};
    const fxi_target *narrow = fxi_target_find("avx2", &err), *wide = fxi_target_find("avx512", &err);
    assert_non_null(narrow);
    check(narrow);
    if (wide != NULL)
        check(wide);
    else
        print_message("[  NOTE    ] %s\n", err.message);
}

static void moves(void **state) {
    (void)state;
    on_each_isa(moves_on);
}

static void reductions(void **state) {
    (void)state;
    on_each_isa(reductions_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves),
        cmocka_unit_test(reductions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
