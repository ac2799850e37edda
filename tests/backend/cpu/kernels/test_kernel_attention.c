/* SPDX-License-Identifier: Apache-2.0 */
/* Attention as one kernel against plain loops in double (attention_bounds.h), within its bound,
 * for options, dtypes and awkward sizes; the plain form on the interpreter is held to the same bounds. Bits do
 * not depend on threads or the instruction set; memory is guarded; no step holds all scores. */
#include "exec/both.h"
#include "backend/cpu/kernels/attention_bounds.h"
#include "support/compare.h"
#include "support/guarded.h"
#include <fluxion/attention.h>
#include <stdlib.h>

#define SIZES(b, h, g, s, t, d, e)                                                                           \
    .batch = b, .heads = h, .key_heads = g, .queries = s, .keys = t, .dim = d, .value_dim = e

static const bounded_problem problems[] = {
    {"one", FX_F32, SIZES(1, 1, 1, 1, 1, 1, 1)},
    {"plain", FX_F32, SIZES(2, 2, 2, 17, 17, 8, 8)},
    {"no keys", FX_F32, SIZES(1, 2, 2, 5, 0, 8, 8)},
    {"no queries", FX_F32, SIZES(1, 2, 2, 0, 5, 8, 8)},
    {"no batch", FX_F32, SIZES(0, 2, 2, 5, 5, 8, 8)},
    {"64", FX_F32, SIZES(1, 2, 1, 64, 64, 64, 64), .causal = true},
    {"65", FX_F32, SIZES(1, 2, 2, 65, 65, 40, 40), .causal = true},
    {"129", FX_F32, SIZES(1, 3, 1, 129, 129, 64, 64), .causal = true},
    {"300 keys", FX_F32, SIZES(1, 1, 1, 33, 300, 16, 24)},
    {"more queries than keys", FX_F32, SIZES(1, 2, 2, 40, 9, 8, 8), .causal = true},
    {"wide heads", FX_F32, SIZES(1, 1, 1, 34, 135, 256, 128), .causal = true},
    {"values of another dim", FX_F32, SIZES(2, 2, 1, 19, 21, 40, 72)},
    {"sequence first", FX_F32, true, SIZES(2, 4, 2, 37, 133, 16, 16), .causal = true},
    {"sequence first, dim 1", FX_F32, true, SIZES(2, 3, 1, 18, 20, 1, 1)},
    {"one query, a group", FX_F32, SIZES(2, 8, 2, 1, 200, 64, 64), .causal = true},
    {"three queries, a group", FX_F32, true, SIZES(2, 6, 2, 3, 150, 32, 32), .causal = true},
    {"offset", FX_F32, SIZES(1, 2, 2, 20, 30, 8, 8), .causal = true, .has_offset = true, .offset = 3},
    {"offset before all", FX_F32, SIZES(1, 1, 1, 20, 30, 8, 8), .causal = true, .has_offset = true, .offset = -5},
    {"far offset", FX_F32, SIZES(1, 1, 1, 5, 6, 8, 8), .causal = true, .has_offset = true, .offset = INT64_MAX},
    {"far below", FX_F32, SIZES(1, 1, 1, 5, 6, 8, 8), .causal = true, .has_offset = true, .offset = INT64_MIN},
    {"window", FX_F32, SIZES(1, 2, 2, 150, 280, 16, 16), .causal = true, .window = 7},
    {"long window", FX_F32, SIZES(1, 2, 1, 150, 280, 16, 16), .causal = true, .window = 140},
    {"window alone", FX_F32, SIZES(1, 2, 2, 30, 30, 16, 16), .window = 5},
    {"endless window", FX_F32, SIZES(1, 1, 1, 30, 30, 16, 16), .window = INT64_MAX},
    {"softcap", FX_F32, SIZES(1, 2, 2, 33, 50, 16, 16), .softcap = 1.5},
    {"softcap, causal", FX_F32, SIZES(1, 2, 2, 33, 50, 16, 16), .softcap = 20, .causal = true},
    {"bias", FX_F32, SIZES(2, 2, 1, 33, 140, 8, 8), .bias = TERM_WHOLE},
    {"shared bias", FX_F32, SIZES(2, 2, 1, 33, 140, 8, 8), .bias = TERM_SHARED, .causal = true},
    {"bias by key", FX_F32, SIZES(2, 2, 1, 33, 14, 8, 8), .bias = TERM_KEYS_ONLY},
    {"bias by row", FX_F32, SIZES(2, 2, 1, 33, 14, 8, 8), .bias = TERM_ROWS_ONLY},
    {"mask", FX_F32, SIZES(2, 2, 2, 33, 140, 8, 8), .mask = TERM_WHOLE},
    {"shared mask", FX_F32, SIZES(2, 2, 1, 33, 40, 8, 8), .mask = TERM_SHARED, .causal = true},
    {"mask by key", FX_F32, SIZES(2, 2, 1, 33, 40, 8, 8), .mask = TERM_KEYS_ONLY},
    {"mask by row", FX_F32, SIZES(2, 2, 1, 33, 40, 8, 8), .mask = TERM_ROWS_ONLY},
    {"added mask", FX_F32, SIZES(2, 2, 1, 33, 40, 8, 8), .mask = TERM_WHOLE, .added = true},
    {"added mask and bias", FX_F32, SIZES(2, 4, 2, 9, 40, 8, 8), .mask = TERM_SHARED, .added = true,
     .bias = TERM_WHOLE},
    {"lengths", FX_F32, SIZES(5, 2, 2, 33, 40, 8, 8), .lengths = true},
    {"lengths, causal", FX_F32, SIZES(5, 2, 1, 33, 140, 8, 8), .lengths = true, .causal = true},
    {"everything", FX_F32, true, SIZES(3, 4, 2, 33, 140, 24, 16), .lengths = true, .causal = true,
     .window = 50, .softcap = 3, .bias = TERM_SHARED, .mask = TERM_WHOLE},
    {"everything, sums", FX_F32, SIZES(3, 4, 2, 33, 140, 24, 16), .lengths = true, .causal = true,
     .window = 50, .softcap = 3, .bias = TERM_WHOLE, .mask = TERM_WHOLE, .added = true},
    {"NaN behind", FX_F32, SIZES(1, 2, 2, 40, 40, 16, 16), .causal = true, .nans = true},
    {"NaN seen", FX_F32, SIZES(1, 2, 2, 40, 40, 16, 16), .nans = true},
    {"NaN beyond lengths", FX_F32, true, SIZES(4, 2, 1, 20, 140, 20, 16), .lengths = true, .nans = true},
    {"NaN, mask", FX_F32, SIZES(2, 2, 2, 33, 140, 8, 8), .mask = TERM_WHOLE, .nans = true},
    {"f64", FX_F64, SIZES(2, 2, 1, 35, 140, 12, 20), .causal = true},
    {"f64, everything", FX_F64, true, SIZES(3, 4, 2, 33, 140, 24, 16), .lengths = true, .causal = true,
     .window = 50, .softcap = 3, .bias = TERM_SHARED, .mask = TERM_WHOLE, .nans = true},
    {"f16", FX_F16, SIZES(2, 2, 1, 35, 140, 12, 20), .causal = true},
    {"f16, everything", FX_F16, true, SIZES(3, 4, 2, 33, 140, 24, 16), .lengths = true, .causal = true,
     .window = 50, .softcap = 3, .bias = TERM_SHARED, .mask = TERM_WHOLE, .nans = true},
    {"bf16", FX_BF16, SIZES(2, 2, 1, 35, 140, 64, 64), .causal = true},
    {"bf16, sums", FX_BF16, SIZES(2, 4, 2, 3, 140, 24, 16), .bias = TERM_WHOLE, .mask = TERM_WHOLE, .added = true},
};

/* ---- runs ---- */

static void build(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out;
    out[0] = bounded_build(user, in, true);
}

static fx_tensor *run(const char *config, const bounded_problem *p, const bounded_data *d,
                      bool expects_kernel) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, build, d->count, 1, (void *)(uintptr_t)p, FX_MUST);
    fx_arg args[ATTENTION_INPUTS];
    fx_shape shapes[ATTENTION_INPUTS];
    size_t n = 0;
    for (int i = 0; i < ATTENTION_INPUTS; i++) {
        if (!d->input[i]) continue;
        shapes[n] = d->input[i]->shape;
        args[n++] = FX_ARG(d->input[i]);
    }
    fx_tensor *out = NULL;
    assert_true(fx_exec_call(exec, args, n, &out, 1, FX_MUST));
    if (expects_kernel && fx_shape_size(&out->shape) > 0) {
        fx_program *program = fx_exec_program(exec, shapes, n, FX_MUST);
        char text[4000];
        fx_program_text(program, text, sizeof text);
        if (!strstr(text, "library fx.attention")) fail_msg("%s: no kernel:\n%s", p->text, text);
        fx_program_free(program);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
    return out;
}

static void check_value(const bounded_problem *p, const char *config, const bounded_result *want,
                        const fx_tensor *got) {
    int64_t at = bounded_compare(want, got);
    if (at >= 0)
        fail_msg("%s on %s: element %lld is %.9g, not %.9g within %g", p->text, config, (long long)at,
                 fx_tensor_get(got, at), want->value[at], want->bound[at]);
}

static void check(const bounded_problem *p) {
    bounded_data d;
    bounded_result want;
    bounded_make_data(p, 7, &d);
    bounded_attention(p, &d, &want);
    fx_tensor *plain = run("interp", p, &d, false), *got = run("cpu?threads=2", p, &d, true);
    check_value(p, "interp", &want, plain);
    check_value(p, "cpu", &want, got);
    static const char *const configs[] = {"cpu?threads=1", "cpu?threads=3&debug=poison", "cpu?isa=avx2"};
    for (size_t i = 0; i < COUNT_OF(configs); i++) {
        fx_tensor *other = run(configs[i], p, &d, true);
        compare_report report;
        if (!compare_bits(other, got, &report)) fail_msg("%s on %s: %s", p->text, configs[i], report.text);
        fx_tensor_free(other);
    }
    fx_tensor_free(plain), fx_tensor_free(got);
    free(want.value), free(want.bound);
    bounded_free_data(&d);
}

static void test_values(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(problems); i++) check(&problems[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
