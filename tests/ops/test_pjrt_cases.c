/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* Golden cases on a PJRT plugin: some of every family, spread over operations, dtypes and attribute words, many in one
 * program, since a program takes tens of milliseconds to compile. XLA takes subnormal numbers for zero, and some of its
 * functions are less exact than ours; the table below says which. FLUXION_ALL_CASES=1 runs every case, FLUXION_FAMILY=name one family,
 * FLUXION_PLUGIN=0 the older plugin, FLUXION_BATCH=1 one case in a program. */
#include "ops/cases.h"
#include "support/pjrt_plugins.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 40, MOST_IN_BATCH = 32, OF_A_KIND = 1, OF_A_FAMILY = 32, OPERANDS = MOST_IN_BATCH * GOLDEN_TENSORS };

/* What XLA's CPU plugins give of a row, the older one included, where that is not within the row's own bound. Division by a
 * constant is a product with its reciprocal there, and sums of products may round once. No rule: not compared. */
typedef enum allowed { BY_ULP = GOLDEN_ULP, BY_NORM = GOLDEN_NORM, NOT_COMPARED } allowed;
static const struct allowance {
    const char *op;
    allowed rule;
    double bound;
} allowances[] = {
    {"exp", BY_ULP, 4},
    {"log1p", BY_ULP, 150},
    {"log10", BY_ULP, 3},
    {"cbrt", BY_ULP, 80},
    {"atan", BY_ULP, 3},
    {"sinh", BY_ULP, 4},
    {"cosh", BY_ULP, 4},
    {"tanh", BY_ULP, 5},
    {"acosh", BY_ULP, 3},
    {"atanh", BY_ULP, 150},
    {"erf", BY_ULP, 3},
    {"erfc", BY_ULP, 10},
    {"erf_inv", BY_ULP, 4000},
    {"lgamma", BY_NORM, 64},
    {"digamma", BY_NORM, 128},
    {"bessel_i0e", BY_ULP, 8},
    {"pow", BY_ULP, 8},
    {"mean_pool", BY_ULP, 2},
    {"dequantize", BY_ULP, 2},
    {"eigh", BY_NORM, 48}, /* lowered: of a matrix that is shifted by its norm */
    {"activate", BY_NORM, 64},
    {"vjp", BY_NORM, 100},
    {"nn_batch_norm_training", NOT_COMPARED, 0}, /* of equal values, whose variance is rounding */
    {"histogram", NOT_COMPARED, 0},              /* a value on a bin's edge */
    {NULL, BY_ULP, 0}};

typedef struct run_state {
    const char *family;
    fx_backend *backend;
    size_t run, failed;
} run_state;

typedef struct batch {
    const golden_case *cases[MOST_IN_BATCH];
    size_t count, n_in, n_out;
} batch;

static void report(run_state *s, const golden_case *c, const char *what) {
    if (s->failed++ < SHOWN) print_error("%s.txt:%d: %s: %s\n", c->file, c->line, c->op, what);
}

static void batch_graph(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const batch *b = user;
    (void)n_in, (void)n_out;
    for (size_t i = 0; i < b->count; i++) {
        const golden_case *c = b->cases[i];
        case_call call = {case_row_of(c->file, c), c, false};
        case_graph(graph, in, c->operand_count, out, c->result_count, &call);
        in += c->operand_count;
        out += c->result_count;
    }
}

/* ---- comparison ---- */

static bool is_subnormal(fx_dtype dtype, double x) {
    fx_dtype real = fx_dtype_real(dtype);
    if (real != FX_F32 && real != FX_F64 && real != FX_BF16) return false;
    return x != 0 && fabs(x) <= (real == FX_F64 ? 0x1p-1022 : 0x1p-126); /* the smallest normal number as well */
}

static bool has_subnormal(const fx_tensor *x, int64_t i) {
    if (!fx_dtype_is_float(fx_dtype_real(x->shape.dtype))) return false;
    fxi_scalar v = fxi_element_load(x->shape.dtype, x->data, i);
    return is_subnormal(x->shape.dtype, v.re) || is_subnormal(x->shape.dtype, v.im);
}

/* Elements that are subnormal, or of which an operand is, become the wanted ones. */
static void forgive_subnormals(const golden_case *c, fx_tensor *got, const fx_tensor *want) {
    if (!fx_shape_equal(&got->shape, &want->shape)) return;
    int64_t n = fx_shape_size(&want->shape), size = fx_dtype_bits(want->shape.dtype) / 8;
    for (int64_t i = 0; i < n && size > 0; i++) {
        bool forgiven = has_subnormal(want, i);
        for (size_t k = 0; k < c->operand_count; k++)
            forgiven |= fx_shape_size(&c->operands[k]->shape) == n && has_subnormal(c->operands[k], i);
        if (forgiven) memcpy((char *)fx_tensor_mutable_data(got) + i * size, (const char *)fx_tensor_data(want) + i * size, (size_t)size);
    }
}

/* Where equal elements of a window lie in three dimensions, XLA chooses another one than the first. */
static bool is_compared(golden_case *c, golden_tolerance *t) {
    if (strcmp(c->file, "gradient_windows") == 0 && golden_ints(c, "window").n > 2) return false;
    for (const struct allowance *a = allowances; a->op; a++) {
        if (strcmp(a->op, c->op) != 0) continue;
        if (a->rule == NOT_COMPARED) return false;
        *t = (golden_tolerance){(golden_rule)a->rule, a->bound};
        for (size_t k = 0; k < c->attr_count; k++) /* the case's own bound is that of our backends */
            if (strcmp(c->attrs[k].key, "ulps") == 0) c->attrs[k].key = "";
    }
    return true;
}

static void compare(run_state *s, const golden_case *given, fx_tensor **out) {
    golden_case other = *given, *c = &other;
    golden_tolerance tolerance = case_row_of(s->family, c)->tolerance;
    golden_difference difference;
    s->run++;
    if (!is_compared(c, &tolerance)) return;
    for (size_t i = 0; i < c->result_count; i++) {
        fx_tensor *got = fx_tensor_copy_from(&out[i]->shape, fx_tensor_data(out[i]), FX_MUST);
        forgive_subnormals(c, got, c->results[i]);
        if (!golden_equal(c, got, c->results[i], tolerance, &difference)) report(s, c, difference.text);
        fx_tensor_free(got);
    }
}

/* ---- programs ---- */

static void run_batch(run_state *s, batch *b) {
    static fx_arg args[OPERANDS];
    static fx_tensor *out[OPERANDS];
    fx_error err = {.code = FX_OK};
    size_t n_in = 0, n_out = 0;
    for (size_t i = 0; i < b->count; i++) {
        for (size_t k = 0; k < b->cases[i]->operand_count; k++) args[n_in++] = FX_ARG(b->cases[i]->operands[k]);
        n_out += b->cases[i]->result_count;
    }
    memset(out, 0, sizeof out);
    fx_exec *exec = fx_exec_new_fn(s->backend, batch_graph, n_in, n_out, b, FX_MUST);
    bool ok = fx_exec_call(exec, args, n_in, out, n_out, &err);
    if (!ok && b->count == 1) report(s, b->cases[0], err.message);
    size_t next = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (ok) compare(s, b->cases[i], out + next);
        next += b->cases[i]->result_count;
    }
    for (size_t i = 0; i < n_out; i++) fx_tensor_free(out[i]);
    fx_exec_free(exec);
    for (size_t i = 0; !ok && b->count > 1 && i < b->count; i++) run_batch(s, &(batch){.cases = {b->cases[i]}, .count = 1});
}

/* How many of the cases before are of the same kind: operation, dtypes, attributes that are words. */
static bool is_wanted(const golden_file *file, size_t number) {
    const golden_case *c = &file->cases[number];
    int seen = 0;
    for (size_t i = 0; i < number && seen < OF_A_KIND; i++) {
        const golden_case *o = &file->cases[i];
        bool same = strcmp(o->op, c->op) == 0 && o->operand_count == c->operand_count && o->attr_count == c->attr_count;
        for (size_t k = 0; same && k < c->operand_count; k++) same = o->operands[k]->shape.dtype == c->operands[k]->shape.dtype;
        for (size_t k = 0; same && k < c->attr_count; k++)
            same = strcmp(o->attrs[k].key, c->attrs[k].key) == 0 &&
                   (strspn(c->attrs[k].value, "0123456789,.-") > 0 || strcmp(o->attrs[k].value, c->attrs[k].value) == 0);
        seen += same;
    }
    return seen < OF_A_KIND;
}

/* Of those that are wanted, evenly spread, so many as a test may take. */
static size_t stride_of(const golden_file *file) {
    size_t wanted = 0;
    for (size_t i = 0; i < file->count; i++) wanted += is_wanted(file, i);
    return (wanted + OF_A_FAMILY - 1) / OF_A_FAMILY;
}

static void run_family(void **state) {
    run_state s = {.family = *state};
    const char *all = getenv("FLUXION_ALL_CASES"), *size = getenv("FLUXION_BATCH"), *plugin = getenv("FLUXION_PLUGIN");
    size_t batch_size = size && atoi(size) > 0 && atoi(size) < MOST_IN_BATCH ? (size_t)atoi(size) : MOST_IN_BATCH;
    golden_file file = golden_read(s.family);
    s.backend = pjrt_open(plugin ? atoi(plugin) & 1 : 1, "");
    batch b = {.count = 0};
    size_t stride = all ? 1 : stride_of(&file), number = 0;
    for (size_t i = 0; i < file.count; i++) {
        if (!all && (!is_wanted(&file, i) || number++ % stride != 0)) continue;
        b.cases[b.count++] = &file.cases[i];
        if (b.count < batch_size) continue;
        run_batch(&s, &b);
        b.count = 0;
    }
    if (b.count) run_batch(&s, &b);
    fx_backend_close(s.backend);
    print_message("%s: %zu of %zu cases\n", s.family, s.run, file.count);
    golden_free(&file);
    if (s.failed) fail_msg("%zu differences in %s", s.failed, s.family);
}

int main(void) {
    struct CMUnitTest tests[CASE_MOST_FAMILIES];
    if (!pjrt_begin()) return PJRT_SKIPPED;
    size_t n = case_families_as_tests(tests, run_family);
    return n == 0 ? 1 : _cmocka_run_group_tests("ops.pjrt_cases", tests, n, NULL, NULL);
}
