/* SPDX-License-Identifier: Apache-2.0 */
/* Updates in the memory of an operand that dies, and states of loops that stay where they are: values as the
 * interpreter has them for any number of threads, without fusion and without reuse, inputs unchanged unless they are donated,
 * and, on cpu, that the memory is indeed reused. Elements are small integers, so that every sum is exact. */
#include "exec/both.h"
#include <fluxion/control.h>
#include <fluxion/indexing.h>

enum { ROWS = 300, COLUMNS = 64, ROUNDS = 7, ARRAY_BYTES = ROWS * COLUMNS * 4 };

#define BUILD(name)                                                                                          \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)out, (void)n_out, (void)user

static fx_node *zero(fx_node *x) { return fx_scalar_int(fx_node_graph(x), FX_S32, 0); }
static fx_node *put(fx_node *x, fx_node *row, fx_node *update) {
    return fx_dynamic_update_slice(x, update, FX_NODES(fx_convert(row, FX_S32), zero(x)));
}
static fx_node *get(fx_node *x, fx_node *row) {
    return fx_dynamic_slice(x, FX_NODES(fx_convert(row, FX_S32), zero(x)), FX_DIMS(1, COLUMNS));
}
static fx_node *add(fx_node *x, fx_node *row, fx_node *update) {
    return fx_scatter_sum(x, fx_reshape(fx_convert(row, FX_S32), FX_DIMS(1, 1)), update);
}

/* ---- programs of x [ROWS, COLUMNS], a row number and an update [1, COLUMNS] ---- */

BUILD(of_parameter) { UNUSED; out[0] = put(in[0], in[1], in[2]); }
BUILD(scatter_parameter) { UNUSED; out[0] = add(in[0], in[1], in[2]); }
BUILD(parameter_read_before) { UNUSED; out[0] = put(in[0], in[1], fx_neg(get(in[0], fx_add(in[1], in[1])))); }
BUILD(parameter_read_after) {
    UNUSED;
    fx_node *updated = add(in[0], in[1], in[2]);
    out[0] = put(updated, in[1], get(in[0], in[1]));
}
BUILD(with_itself) { UNUSED; out[0] = fx_neg(fx_dynamic_update_slice(in[0], in[0], FX_NODES(in[1], in[1]))); }
BUILD(sum_with_itself) {
    UNUSED;
    fx_node *sum = fx_add(in[0], in[0]);
    out[0] = fx_neg(fx_dynamic_update_slice(sum, sum, FX_NODES(in[1], in[1])));
}
BUILD(scatter_itself) {
    UNUSED;
    fx_node *sum = fx_add(in[0], in[0]), *rows = fx_reverse(fx_iota(g, &FX_SHAPE(FX_S32, ROWS, 1), 0), FX_AXES(0));
    out[0] = fx_scatter_sum(sum, rows, sum);
}
BUILD(chain) {
    UNUSED;
    fx_node *sum = fx_add(in[0], in[0]);
    for (int i = 0; i < 4; i++) sum = i % 2 ? add(sum, in[1], in[2]) : put(sum, fx_add_scalar(in[1], i), in[2]);
    out[0] = fx_neg(sum);
}
BUILD(chain_of_halves) {
    UNUSED;
    fx_node *sum = fx_convert(fx_add(in[0], in[0]), FX_F16), *update = fx_convert(in[2], FX_F16);
    out[0] = fx_convert(fx_neg(add(put(add(sum, in[1], update), zero(sum), update), in[1], update)), FX_F32);
}
BUILD(chain_of_nibbles) {
    UNUSED;
    fx_node *sum = fx_convert(in[0], FX_S4), *update = fx_convert(in[2], FX_S4);
    out[0] = fx_convert(fx_neg(put(add(sum, in[1], update), zero(sum), update)), FX_F32);
}
BUILD(chain_read_twice) {
    UNUSED;
    fx_node *sum = fx_add(in[0], in[0]), *updated = put(sum, in[1], in[2]);
    out[0] = fx_sub(add(updated, in[1], in[2]), fx_mul(updated, sum));
}

/* ---- loops: states are x and the update ---- */

BUILD(one_row) { UNUSED; out[0] = put(in[1], in[0], fx_add_scalar(get(in[1], in[0]), 1)); }
BUILD(loop_of_rows) { UNUSED; fx_for(ROUNDS, FX_NODES(in[0]), one_row, NULL, out); }
BUILD(scatter_row) { UNUSED; out[0] = add(in[1], in[0], user); }
BUILD(loop_of_scatters) { UNUSED; fx_for(ROUNDS, FX_NODES(in[0]), scatter_row, in[2], out); }
BUILD(exchange) {
    UNUSED;
    out[0] = fx_neg(in[2]);
    out[1] = put(in[1], in[0], get(in[2], in[0]));
}
BUILD(loop_of_exchanges) {
    UNUSED;
    fx_node *both[2];
    fx_for(ROUNDS, FX_NODES(in[0], fx_mul_scalar(in[0], 3)), exchange, NULL, both);
    out[0] = fx_sub(both[0], both[1]);
}
BUILD(old_and_new) {
    UNUSED;
    out[0] = put(in[1], in[0], get(in[2], in[0]));
    out[1] = in[1];
}
BUILD(loop_with_old) {
    UNUSED;
    fx_node *both[2];
    fx_for(ROUNDS, FX_NODES(in[0], in[0]), old_and_new, NULL, both);
    out[0] = fx_sub(fx_mul_scalar(both[0], 3), both[1]);
}
BUILD(old_read_last) {
    UNUSED;
    fx_node *updated = put(in[1], in[0], user);
    out[0] = fx_sub(updated, in[1]);
}
BUILD(loop_reads_last) { UNUSED; fx_for(ROUNDS, FX_NODES(in[0]), old_read_last, in[2], out); }
BUILD(doubled_in_place) { UNUSED; out[0] = fx_sub(fx_mul_scalar(in[1], 2), in[1]); }
BUILD(loop_of_maps) { UNUSED; fx_for(ROUNDS, FX_NODES(in[0]), doubled_in_place, NULL, out); }
BUILD(stacking) {
    UNUSED;
    out[0] = put(in[0], in[1], fx_add_scalar(get(in[0], in[1]), 1));
    out[1] = out[0];
}
BUILD(stacking_old) {
    UNUSED;
    out[0] = put(in[0], in[1], fx_add_scalar(get(in[0], in[1]), 1));
    out[1] = in[0];
}
static void scanned(fx_graph *g, fx_node *const *in, fx_node **out, fx_fn body) {
    fx_node *rounds = fx_iota(g, &FX_SHAPE(FX_S32, ROUNDS), 0), *both[2];
    fx_scan(FX_NODES(in[0]), FX_NODES(rounds), ROUNDS, 1, body, NULL, both);
    out[0] = fx_concatenate(FX_NODES(fx_expand_axes(both[0], FX_AXES(0)), both[1]), 0);
}
BUILD(scan_of_new) { UNUSED; scanned(g, in, out, stacking); }
BUILD(scan_of_old) { UNUSED; scanned(g, in, out, stacking_old); }
BUILD(few_rounds) { UNUSED; out[0] = fx_less(in[1], fx_scalar_int(g, FX_S32, ROUNDS)); }
BUILD(nested_round) {
    UNUSED;
    fx_node *inner[1];
    fx_for(3, FX_NODES(in[0]), one_row, NULL, inner);
    out[0] = put(inner[0], in[1], user);
    out[1] = fx_add_scalar(in[1], 1);
}
BUILD(nested_loops) {
    UNUSED;
    fx_node *both[2];
    fx_while(FX_NODES(in[0], zero(in[0])), few_rounds, nested_round, in[2], both);
    out[0] = both[0];
}
BUILD(never) { UNUSED; out[0] = fx_less(in[1], fx_scalar_int(g, FX_S32, -1)); }
BUILD(no_rounds) {
    UNUSED;
    fx_node *both[2];
    fx_while(FX_NODES(in[0], zero(in[0])), never, nested_round, in[2], both);
    out[0] = both[0];
}

/* donated: x's memory must become the result's, on cpu. workspace: bytes at most, on cpu; -1: any. */
static const struct {
    const char *name;
    fx_fn fn;
    bool donated;
    int64_t workspace;
} cases[] = {
    {"of_parameter", of_parameter, true, 4096},
    {"scatter_parameter", scatter_parameter, true, 4096},
    {"parameter_read_before", parameter_read_before, true, 4096},
    {"parameter_read_after", parameter_read_after, false, -1},
    {"with_itself", with_itself, false, -1},
    {"sum_with_itself", sum_with_itself, false, -1},
    {"scatter_itself", scatter_itself, false, -1},
    {"chain", chain, false, ARRAY_BYTES + 4096},
    {"chain_of_halves", chain_of_halves, false, ARRAY_BYTES / 2 + ARRAY_BYTES + 4096},
    {"chain_of_nibbles", chain_of_nibbles, false, ARRAY_BYTES / 4 + 4096},
    {"chain_read_twice", chain_read_twice, false, -1},
    {"loop_of_rows", loop_of_rows, false, 4096},
    {"loop_of_scatters", loop_of_scatters, false, 4096},
    {"loop_of_exchanges", loop_of_exchanges, false, -1},
    {"loop_with_old", loop_with_old, false, -1},
    {"loop_reads_last", loop_reads_last, false, -1},
    {"loop_of_maps", loop_of_maps, false, 4096},
    {"scan_of_new", scan_of_new, false, -1},
    {"scan_of_old", scan_of_old, false, -1},
    {"nested_loops", nested_loops, false, -1},
    {"no_rounds", no_rounds, false, -1},
};

/* ---- running ---- */

typedef struct inputs {
    fx_tensor *v[3];
} inputs;

static inputs make_inputs(void) {
    inputs in = {{fx_tensor_new(&FX_SHAPE(FX_F32, ROWS, COLUMNS), FX_MUST),
                  fx_tensor_scalar_int(FX_S32, 5, FX_MUST),
                  fx_tensor_new(&FX_SHAPE(FX_F32, 1, COLUMNS), FX_MUST)}};
    float *x = fx_tensor_mutable_data(in.v[0]), *update = fx_tensor_mutable_data(in.v[2]);
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = (float)(i % 11 - 5);
    for (int i = 0; i < COLUMNS; i++) update[i] = (float)(i % 3 - 1);
    return in;
}

static void free_inputs(inputs *in) {
    for (int k = 0; k < 3; k++) fx_tensor_free(in->v[k]);
}

static fx_tensor *run_on(const char *name, fx_fn fn, inputs *in, bool donate) {
    fx_backend *backend = fx_backend_open(name, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, fn, 3, 1, NULL, FX_MUST);
    const fx_arg args[] = {donate ? fx_donate(in->v[0]) : FX_ARG(in->v[0]), FX_ARG(in->v[1]), FX_ARG(in->v[2])};
    fx_tensor *out = fx_exec_call1(exec, args, 3, FX_MUST);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return out;
}

static void assert_same(const char *name, const char *backend, const fx_tensor *got, const fx_tensor *want) {
    int64_t n = fx_tensor_size(want);
    const float *a = fx_tensor_data(got), *b = fx_tensor_data(want);
    assert_int_equal(fx_tensor_size(got), n);
    for (int64_t i = 0; i < n; i++)
        if (a[i] != b[i]) fail_msg("%s on %s: element %d is %g, not %g", name, backend, (int)i, a[i], b[i]);
}

#if FLUXION_CPU
static const char *const backends[] = {"cpu", "cpu?threads=1", "cpu?threads=2", "cpu?threads=3",
                                       "cpu?fusion=off", "cpu?debug=poison"};
#else
static const char *const backends[] = {"interp"};
#endif

static void values(void **state) {
    (void)state;
    inputs in = make_inputs(), again = make_inputs();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        fx_tensor *want = run_on("interp", cases[i].fn, &in, false);
        for (size_t b = 0; b < COUNT_OF(backends); b++)
            for (int donate = 0; donate < 2; donate++) {
                inputs given = make_inputs();
                fx_tensor *got = run_on(backends[b], cases[i].fn, &given, donate);
                assert_same(cases[i].name, backends[b], got, want);
                if (!donate) assert_same(cases[i].name, "input", given.v[0], again.v[0]);
                fx_tensor_free(got);
                free_inputs(&given);
            }
        fx_tensor_free(want);
    }
    free_inputs(&in);
    free_inputs(&again);
}

#if FLUXION_CPU
static void memory(void **state) {
    (void)state;
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, ROWS, COLUMNS), FX_SHAPE(FX_S32), FX_SHAPE(FX_F32, 1, COLUMNS)};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        fx_backend *backend = fx_backend_open("cpu", FX_MUST);
        fx_exec *exec = fx_exec_new_fn(backend, cases[i].fn, 3, 1, NULL, FX_MUST);
        fx_program *program = fx_exec_program(exec, shapes, 3, FX_MUST);
        fx_memory used = {.size = sizeof used};
        assert_true(fx_program_memory(program, &used));
        if (cases[i].workspace >= 0 && used.workspace > cases[i].workspace)
            fail_msg("%s has a workspace of %d bytes", cases[i].name, (int)used.workspace);
        fx_program_free(program);
        fx_exec_free(exec);
        fx_backend_close(backend);
        inputs given = make_inputs();
        const void *before = fx_tensor_data(given.v[0]);
        fx_tensor *got = run_on("cpu", cases[i].fn, &given, true);
        if ((fx_tensor_data(got) == before) != cases[i].donated)
            fail_msg("%s: the donated memory is%s the result's", cases[i].name, cases[i].donated ? " not" : "");
        fx_tensor_free(got);
        free_inputs(&given);
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
#if FLUXION_CPU
        cmocka_unit_test(memory),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
