/* SPDX-License-Identifier: Apache-2.0 */
/* Exact counts for fixed programs: kernels, steps, bytes of workspace, and allocations of a call once
 * everything is warm. They hold on any machine, because the instruction set is fixed, and stand in
 * limits.csv: a change that makes a program better or worse edits that file knowingly. A failure prints the
 * whole file as it would be now. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/allocations.h"
#include <fluxion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the programs ---- */

typedef void build_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user);

#define BUILD(name)                                                                                          \
    static void name(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)body, (void)n_in, (void)n_out, (void)user

BUILD(scalar_add) {
    UNUSED;
    out[0] = fx_add(in[0], in[1]);
}

/* tanh(1.5 x + 0.25) * logistic(x) + sqrt(|x|) */
BUILD(chain) {
    UNUSED;
    fx_node *x = in[0], *t = fx_tanh(fx_add_scalar(fx_mul_scalar(x, 1.5), 0.25));
    out[0] = fx_add(fx_mul(t, fx_logistic(x)), fx_sqrt(fx_abs(x)));
}

BUILD(euclid) {
    UNUSED;
    out[0] = fx_sqrt(fx_reduce_all_sum(fx_square(fx_sub(in[0], in[1]))));
}

BUILD(row_sums) {
    UNUSED;
    out[0] = fx_reduce_sum(in[0], FX_AXES(1));
}

BUILD(column_sums) {
    UNUSED;
    out[0] = fx_reduce_sum(in[0], FX_AXES(0));
}

BUILD(softmax) {
    UNUSED;
    fx_node *e = fx_exp(fx_sub(in[0], fx_reduce_and_keep(in[0], fx_reduce_max, FX_AXES(1))));
    out[0] = fx_div(e, fx_reduce_and_keep(e, fx_reduce_sum, FX_AXES(1)));
}

/* Log-softmax, variance, logsumexp, layer and root-mean-square norm, and cross-entropy with labels as a mask, of
 * the same rows. */
BUILD(log_softmax) {
    UNUSED;
    out[0] = fx_log_softmax(in[0], FX_AXES(1));
}

BUILD(variance) {
    UNUSED;
    out[0] = fx_reduce_variance(in[0], FX_AXES(1));
}

BUILD(logsumexp) {
    UNUSED;
    out[0] = fx_logsumexp(in[0], FX_AXES(1));
}

BUILD(layer_norm) {
    UNUSED;
    fx_node *distance = fx_sub(in[0], fx_reduce_and_keep(in[0], fx_reduce_mean, FX_AXES(1)));
    fx_node *variance = fx_reduce_and_keep(fx_square(distance), fx_reduce_mean, FX_AXES(1));
    fx_node *unit = fx_mul(distance, fx_rsqrt(fx_add_scalar(variance, 1e-5)));
    out[0] = fx_add(fx_mul(unit, in[1]), in[2]);
}

/* With what its gradient needs. */
BUILD(layer_norm_parts) {
    UNUSED;
    out[1] = fx_reduce_and_keep(in[0], fx_reduce_mean, FX_AXES(1));
    fx_node *distance = fx_sub(in[0], out[1]);
    fx_node *variance = fx_reduce_and_keep(fx_square(distance), fx_reduce_mean, FX_AXES(1));
    out[2] = fx_rsqrt(fx_add_scalar(variance, 1e-5));
    out[0] = fx_add(fx_mul(fx_mul(distance, out[2]), in[1]), in[2]);
}

BUILD(rms_norm) {
    UNUSED;
    fx_node *square = fx_reduce_and_keep(fx_square(in[0]), fx_reduce_mean, FX_AXES(1));
    out[0] = fx_mul(fx_mul(in[0], fx_rsqrt(fx_add_scalar(square, 1e-6))), in[1]);
}

BUILD(cross_entropy) {
    UNUSED;
    out[0] = fx_neg(fx_reduce_sum(fx_mul(fx_log_softmax(in[0], FX_AXES(1)), in[1]), FX_AXES(1)));
}

/* Twelve layers without products, h = t / (1 + sum of squares of t's row) with t = tanh(h + w_i): their
 * kernels are shared. */
BUILD(twelve_layers) {
    UNUSED;
    fx_node *h = in[0];
    for (int i = 1; i <= 12; i++) {
        fx_node *t = fx_tanh(fx_add(h, in[i]));
        h = fx_div(t, fx_add_scalar(fx_reduce_and_keep(fx_square(t), fx_reduce_sum, FX_AXES(1)), 1));
    }
    out[0] = h;
}

BUILD(twelve_dense_layers) {
    UNUSED;
    fx_node *h = in[0];
    for (int i = 1; i <= 12; i++) h = fx_tanh(fx_matmul(h, in[i]));
    out[0] = h;
}

/* 2,500 times sin(0.5 x + 0.25) - y: 10,000 operations. */
BUILD(long_chain) {
    UNUSED;
    fx_node *x = in[0];
    for (int i = 0; i < 2500; i++) x = fx_sub(fx_sin(fx_add_scalar(fx_mul_scalar(x, 0.5), 0.25)), in[1]);
    out[0] = x;
}

/* Too many arguments for the stack. */
BUILD(sum_of_many) {
    UNUSED;
    out[0] = in[0];
    for (size_t i = 1; i < n_in; i++) out[0] = fx_add(out[0], in[i]);
}

/* An optimizer's step: three outputs of one pass over four inputs. */
BUILD(optimizer) {
    UNUSED;
    fx_node *w = in[0], *g = in[1];
    out[1] = fx_add(fx_mul_scalar(in[2], 0.9), fx_mul_scalar(g, 0.1));
    out[2] = fx_add(fx_mul_scalar(in[3], 0.999), fx_mul_scalar(fx_square(g), 0.001));
    out[0] = fx_sub(w, fx_div(fx_mul_scalar(out[1], 0.01), fx_add_scalar(fx_sqrt(out[2]), 1e-8)));
}

typedef struct program {
    const char *name;
    build_fn *build;
    size_t n_in, n_out;
    fx_shape first, others; /* of input 0 and of the rest */
} program;

static fx_shape shape2(int64_t a, int64_t b) {
    return fx_shape_make(FX_F32, (int64_t[]){a, b}, 2);
}
static fx_shape shape1(int64_t a) {
    return fx_shape_make(FX_F32, &a, 1);
}

static size_t list_programs(program *p) {
    const fx_shape scalar = fx_shape_make(FX_F32, NULL, 0);
    const program all[] = {
        {"scalar_add", scalar_add, 2, 1, scalar, scalar},
        {"chain_1e5", chain, 1, 1, shape1(100000), scalar},
        {"euclid_1000", euclid, 2, 1, shape1(1000), shape1(1000)},
        {"euclid_1e6", euclid, 2, 1, shape1(1000000), shape1(1000000)},
        {"row_sums_1000x300", row_sums, 1, 1, shape2(1000, 300), scalar},
        {"column_sums_1000x300", column_sums, 1, 1, shape2(1000, 300), scalar},
        {"softmax_64x1000", softmax, 1, 1, shape2(64, 1000), scalar},
        {"log_softmax_64x1000", log_softmax, 1, 1, shape2(64, 1000), scalar},
        {"variance_64x1000", variance, 1, 1, shape2(64, 1000), scalar},
        {"logsumexp_64x1000", logsumexp, 1, 1, shape2(64, 1000), scalar},
        {"layer_norm_64x1000", layer_norm, 3, 1, shape2(64, 1000), shape2(1, 1000)},
        {"layer_norm_parts_64x1000", layer_norm_parts, 3, 3, shape2(64, 1000), shape2(1, 1000)},
        {"rms_norm_64x1000", rms_norm, 2, 1, shape2(64, 1000), shape2(1, 1000)},
        {"cross_entropy_64x1000", cross_entropy, 2, 1, shape2(64, 1000), shape2(64, 1000)},
        {"twelve_layers_32x64", twelve_layers, 13, 1, shape2(32, 64), shape2(32, 64)},
        {"twelve_dense_layers_32x64", twelve_dense_layers, 13, 1, shape2(32, 64), shape2(64, 64)},
        {"twenty_inputs", sum_of_many, 20, 1, shape1(100), shape1(100)},
        {"long_chain_1000", long_chain, 2, 1, shape1(1000), shape1(1000)},
        {"optimizer_1e5", optimizer, 4, 3, shape1(100000), shape1(100000)},
    };
    memcpy(p, all, sizeof all);
    return sizeof all / sizeof all[0];
}

/* ---- measuring ---- */

enum { MOST_PROGRAMS = 32, MOST_INPUTS = 20, WARM = 3 };

typedef struct counts {
    long long kernels, steps, workspace, allocations;
} counts;

static int64_t count_allocations(fx_exec *exec, const program *p, const fx_arg *args) {
    int64_t made = 0;
    for (int i = 0; i <= WARM; i++) {
        fx_tensor *out[3];
        int64_t before = allocations_made();
        assert_true(fx_exec_call(exec, args, p->n_in, out, p->n_out, FX_MUST));
        made = allocations_made() - before;
        for (size_t k = 0; k < p->n_out; k++) fx_tensor_free(out[k]);
    }
    return made;
}

static counts measure(fx_backend *backend, const program *p) {
    fx_exec *exec = fx_exec_new_fn(backend, p->build, p->n_in, p->n_out, NULL, FX_MUST);
    fx_shape shapes[MOST_INPUTS];
    fx_tensor *inputs[MOST_INPUTS];
    fx_arg args[MOST_INPUTS];
    for (size_t i = 0; i < p->n_in; i++) {
        shapes[i] = i ? p->others : p->first;
        inputs[i] = fx_tensor_new(&shapes[i], FX_MUST);
        args[i] = FX_ARG(inputs[i]);
    }
    fx_program *compiled = fx_exec_program(exec, shapes, p->n_in, FX_MUST);
    fx_memory memory = {.size = sizeof memory};
    assert_true(fx_program_memory(compiled, &memory));
    counts c = {memory.kernels, memory.steps, memory.workspace, count_allocations(exec, p, args)};
    for (size_t i = 0; i < p->n_in; i++) fx_tensor_free(inputs[i]);
    fx_program_free(compiled);
    fx_exec_free(exec);
    return c;
}

/* ---- the file ---- */

static const char header[] = "program,kernels,steps,workspace,allocations";

static bool read_limit(const char *name, counts *c) {
    FILE *file = fopen(FX_TEST_DIR "/perf/limits.csv", "r");
    char line[256], found[64];
    bool known = false;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        counts read;
        int fields = sscanf(line, "%63[^,],%lld,%lld,%lld,%lld", found, &read.kernels, &read.steps,
                            &read.workspace, &read.allocations);
        if (fields != 5 || strcmp(found, name) != 0) continue;
        assert_false(known); /* named twice */
        *c = read;
        known = true;
    }
    fclose(file);
    return known;
}

static size_t count_rows(void) {
    FILE *file = fopen(FX_TEST_DIR "/perf/limits.csv", "r");
    char line[256];
    size_t rows = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    line[strcspn(line, "\r\n")] = 0;
    assert_string_equal(line, header);
    while (fgets(line, sizeof line, file)) rows += line[0] != '\n';
    fclose(file);
    return rows;
}

static void programs_keep_their_counts(void **state) {
    (void)state;
    program programs[MOST_PROGRAMS];
    counts now[MOST_PROGRAMS];
    size_t n = list_programs(programs);
    bool equal = count_rows() == n;
    fx_backend *backend = fx_backend_open("cpu?threads=2&isa=avx2", FX_MUST);
    for (size_t i = 0; i < n; i++) {
        counts want = {0};
        now[i] = measure(backend, &programs[i]);
        equal &= read_limit(programs[i].name, &want) && memcmp(&now[i], &want, sizeof want) == 0;
    }
    fx_backend_close(backend);
    if (equal) return;
    print_message("limits.csv would now be:\n%s\n", header);
    for (size_t i = 0; i < n; i++)
        print_message("%s,%lld,%lld,%lld,%lld\n", programs[i].name, now[i].kernels, now[i].steps,
                      now[i].workspace, now[i].allocations);
    fail_msg("counts differ from tests/perf/limits.csv");
}

/* Whatever the file says: a warm call asks for its outputs and for nothing else. */
static void calls_allocate_outputs_only(void **state) {
    (void)state;
    program programs[MOST_PROGRAMS];
    size_t n = list_programs(programs);
    for (size_t i = 0; i < n; i++) {
        counts limit = {0};
        assert_true(read_limit(programs[i].name, &limit));
        assert_true(limit.allocations <= (long long)programs[i].n_out + (programs[i].n_in > 16));
    }
}

int main(void) {
    if (!allocations_install()) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_keep_their_counts),
        cmocka_unit_test(calls_allocate_outputs_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
