/* SPDX-License-Identifier: Apache-2.0 */
/* The small floats exhaustively: every bit pattern of float16, bfloat16 and the float8 types through each exact operation of
 * one operand, and f32 and f64 values on and beside the midpoints between neighbours through the narrowing conversions,
 * where rounding twice would show. */
#include "backend/cpu/emit/emit_math.h"
#include "backend/cpu/jit/jit.h"
#include "element_cases.h"
#include "ops/ops.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define CHUNK 4096
typedef void (*case_function)(void *out, const void *a, const void *b, const void *c, int64_t vectors);

static bool is_small(fx_dtype dtype) {
    return fx_dtype_is_float(dtype) && fx_dtype_bits(dtype) <= 16;
}

static bool is_function(fx_op op) {
    switch (op) {
#define X(id, operands) case FX_OP_##id:
        FXI_MATH_FUNCTIONS(X)
#undef X
        return true;
    default: return false;
    }
}

static bool is_covered(const element_case *c) {
    bool narrows = c->op == FX_OP_CONVERT && is_small(c->to) && (c->from == FX_F32 || c->from == FX_F64);
    return narrows || (c->operands == 1 && is_small(c->from) && !is_function(c->op));
}

/* ---- inputs: number `i` of a series; false at its end ---- */

static bool small_pattern(fx_dtype dtype, size_t i, void *element) {
    uint16_t bits = (uint16_t)i;
    memcpy(element, &bits, element_form_bytes(dtype)); /* the low byte is the whole of a float8 */
    return i < (size_t)1 << fx_dtype_bits(dtype);
}

/* The low bits put the number on, beside and far from the midpoints of each narrower grid. */
static bool float_pattern(size_t i, void *element) {
    static const uint32_t low[] = {0,      1,      0x0fff, 0x1000,  0x1001,  0x3000,  0x7fff,
                                   0x8000, 0x8001, 0xffff, 0xfffff, 0x80000, 0x80001, 0x180000};
    const size_t count = sizeof low / sizeof *low;
    uint32_t bits = (uint32_t)(i / count * 5) << 16 ^ low[i % count];
    memcpy(element, &bits, sizeof bits);
    return i / count * 5 < 65536;
}

/* The same numbers as doubles, exact and a hair to either side: the hair is lost in f32. */
static bool double_pattern(size_t i, void *element) {
    float single;
    bool more = float_pattern(i / 3, &single);
    double value = (double)single * (1.0 + (double)((int)(i % 3) - 1) * 0x1p-45);
    memcpy(element, &value, sizeof value);
    return more;
}

static bool pattern(fx_dtype dtype, size_t i, void *element) {
    if (is_small(dtype)) return small_pattern(dtype, i, element);
    return dtype == FX_F32 ? float_pattern(i, element) : double_pattern(i, element);
}

/* ---- comparison ---- */

/* bfloat16 and float8 NaN must keep their bits where only the sign may change. */
static bool keeps_nan_bits(const element_case *c) {
    bool moves = c->op == FX_OP_NEG || c->op == FX_OP_ABS || c->op == FX_OP_REAL || c->op == FX_OP_CONJ;
    return moves && c->from == FX_BF16 && c->to == FX_BF16;
}

static bool nan_bits_agree(const element_case *c, const void *in, const void *out) {
    uint16_t x, y;
    memcpy(&x, in, sizeof x);
    memcpy(&y, out, sizeof y);
    uint16_t want = c->op == FX_OP_NEG ? x ^ 0x8000 : c->op == FX_OP_ABS ? x & 0x7fff : x;
    return y == want;
}

static bool agrees(const element_case *c, const fx_node *node, const unsigned char *in,
                   const unsigned char *out) {
    fxi_scalar x = element_form_load(c->from, in, 0), got = element_form_load(c->to, out, 0);
    if (isnan(x.re) && keeps_nan_bits(c)) return nan_bits_agree(c, in, out);
    unsigned char want[16] = {0};
    element_form_store(c->to, want, 0, fxi_map_element(node, &x));
    fxi_scalar w = element_form_load(c->to, want, 0);
    if (isnan(got.re) && isnan(w.re)) return true;
    return memcmp(out, want, element_form_bytes(c->to)) == 0;
}

static size_t check_case(const element_case *c, const char *name, case_function function) {
    static _Alignas(64) unsigned char in[CHUNK * 8], out[CHUNK * 16];
    case_node node;
    element_case_node(c, &node);
    size_t from = element_form_bytes(c->from), to = element_form_bytes(c->to), wrong = 0;
    bool more = true;
    for (size_t start = 0; more; start += CHUNK) {
        for (size_t i = 0; i < CHUNK; i++) more = pattern(c->from, start + i, in + i * from);
        function(out, in, NULL, NULL, CHUNK / element_case_lanes(c));
        for (size_t i = 0; i < CHUNK; i++) {
            if (agrees(c, &node.node, in + i * from, out + i * to) || wrong++ >= 3) continue;
            fxi_scalar x = element_form_load(c->from, in, i), got = element_form_load(c->to, out, i);
            print_error("%s: %a gives %a (%lld)\n", name, x.re, got.re, (long long)got.i);
        }
    }
    return wrong;
}

static size_t check_all(const fxi_target *target) {
    static element_case cases[ELEMENT_CASES_LIMIT];
    size_t count = element_cases(cases), wrong = 0, covered = 0;
    fxi_emit e = element_emit_begin(target);
    for (size_t i = 0; i < count; i++) {
        char name[96];
        element_case_name(&cases[i], name);
        e.lanes = element_case_lanes(&cases[i]);
        if (is_covered(&cases[i])) element_case_build(&e, &cases[i], name);
    }
    fx_error err = {0};
    fxi_code *code = fxi_jit_compile(e.module, target, false, &err);
    element_emit_end(&e);
    if (code == NULL) fail_msg("%s", err.message);
    for (size_t i = 0; i < count; i++) {
        char name[96];
        element_case_name(&cases[i], name);
        if (!is_covered(&cases[i])) continue;
        void *symbol = fxi_code_symbol(code, name);
        assert_non_null(symbol);
        case_function function;
        memcpy(&function, &symbol, sizeof function);
        wrong += check_case(&cases[i], name, function);
        covered++;
    }
    assert_in_range(covered, 100, count);
    fxi_code_free(code);
    return wrong;
}

static void small_floats_avx2(void **state) {
    (void)state;
    fx_error err = {0};
    const fxi_target *target = fxi_target_find("avx2", &err);
    assert_non_null(target);
    assert_int_equal(check_all(target), 0);
}

static void small_floats_avx512(void **state) {
    (void)state;
    fx_error err = {0};
    const fxi_target *target = fxi_target_find("avx512", &err);
    if (target == NULL) {
        print_message("[  NOTE    ] %s\n", err.message);
        skip();
    }
    assert_int_equal(check_all(target), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_floats_avx2),
        cmocka_unit_test(small_floats_avx512),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
