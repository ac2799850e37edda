/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives on backends that have one device: x comes back to the bit for every operation, dtype and way of
 * naming the only group, alone, inside a fused graph, in a loop and in a batch; a permute that sends nothing
 * gives zeros; programs for more devices are refused when they are compiled. */
#include "exec/both.h"
#include "support/graph_helpers.h"
#include "tensor/tensor.h"
#include <fluxion/collective.h>
#include <stdio.h>

static const int64_t only[] = {0}, shorter[] = {0, -1}, self[] = {0, 0}, both[] = {0, 1}, away[] = {0, 1};
static const fx_device_groups all = {.taking_part = 1}, listed = {.devices = {only, 1}},
                              joined = {.devices = {only, 1}, .channel = 3},
                              global = {.devices = {only, 1}, .channel = 1, .global_ids = true},
                              padded = {.devices = {shorter, 2}}, two = {.devices = {both, 2}},
                              partitions = {.devices = {only, 1}, .channel = 1, .taking_part = 2},
                              unlisted = {.taking_part = 4};

typedef enum op { REDUCE, GATHER, SCATTER, TO_ALL, PERMUTE, BROADCAST, OPS } op;

/* The operation, along axis 0 where it has one. */
static fx_node *build(op which, fx_node *x, const fx_device_groups *groups) {
    switch (which) {
    case REDUCE: return fx_all_reduce_one(x, FX_COLLECTIVE_SUM, groups);
    case GATHER: return fx_all_gather(x, 0, groups);
    case SCATTER: return fx_reduce_scatter(x, FX_COLLECTIVE_SUM, 0, groups);
    case TO_ALL: return fx_all_to_all(x, 0, -1, groups);
    case PERMUTE: return fx_collective_permute(x, (fx_dims){self, 2}, groups ? groups->channel : 0);
    default: return fx_collective_broadcast(x, groups);
    }
}

typedef fx_node *(*body)(fx_node *x, const void *with);
typedef struct request {
    body build;
    const void *with;
} request;

static void build_request(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    (void)g, (void)n_in, (void)n_out;
    const request *r = user;
    out[0] = r->build(in[0], r->with);
}

static fx_tensor *run(const char *backend_name, const request *r, fx_tensor *x, fx_error *err) {
    fx_backend *backend = fx_backend_open(backend_name, FX_MUST);
    request copy = *r;
    fx_exec *exec = fx_exec_new_fn(backend, build_request, 1, 1, &copy, FX_MUST);
    fx_tensor *out = fx_call1(exec, err, x);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return out;
}

static fx_tensor *counted(const fx_shape *shape) {
    fx_tensor *x = fx_tensor_new(shape, FX_MUST);
    if (x->bytes) memset(x->data, 0, (size_t)x->bytes);
    for (int64_t i = 0; i < fx_tensor_size(x); i++)
        fxi_element_store(shape->dtype, x->data, i,
                          (fxi_scalar){.i = 1 + i % 3, .re = 1 + (double)i, .im = -2});
    return x;
}

static void assert_same(const fx_tensor *got, const fx_tensor *want, const char *what) {
    if (!fx_shape_equal(&got->shape, &want->shape) ||
        (want->bytes && memcmp(got->data, want->data, (size_t)want->bytes) != 0))
        fail_msg("%s of %s gives %s", what, fx_tensor_text(want).s, fx_tensor_text(got).s);
}

/* ---- every operation, dtype and way of naming device 0 ---- */

typedef struct choice {
    op which;
    const fx_device_groups *groups;
} choice;

static fx_node *chosen(fx_node *x, const void *with) {
    const choice *c = with;
    return build(c->which, x, c->groups);
}

static void check_identity(const char *backend, const choice *c, const fx_shape *shape) {
    fx_tensor *x = counted(shape), *out = run(backend, &(request){chosen, c}, x, FX_MUST);
    char what[20];
    snprintf(what, sizeof what, "operation %d", (int)c->which);
    assert_same(out, x, what);
    fx_tensor_free(out);
    fx_tensor_free(x);
}

static void gives_x(void **state) {
    const fx_device_groups *const ways[] = {&all, &listed, &joined, &global};
    static const fx_dtype dtypes[] = {FX_BOOL, FX_S4, FX_U8, FX_S32, FX_F8E5M2, FX_BF16, FX_F32, FX_C128};
    for (int o = 0; o < OPS; o++) {
        for (size_t i = 0; i < COUNT_OF(ways); i++)
            check_identity(*state, &(choice){(op)o, ways[i]}, &FX_SHAPE(FX_F32, 3, 5));
        for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
            bool sums = o == REDUCE || o == SCATTER;
            if (sums && (dtypes[i] == FX_BOOL || dtypes[i] == FX_F8E5M2)) continue;
            check_identity(*state, &(choice){(op)o, &listed}, &FX_SHAPE(dtypes[i], 2, 3));
        }
        check_identity(*state, &(choice){(op)o, &listed}, &FX_SHAPE(FX_F32, 0, 4));
        check_identity(*state, &(choice){(op)o, &listed}, &FX_SHAPE(FX_F32, 1));
    }
    check_identity(*state, &(choice){REDUCE, NULL}, &FX_SHAPE(FX_F32));
    check_identity(*state, &(choice){BROADCAST, NULL}, &FX_SHAPE(FX_F32));
    check_identity(*state, &(choice){REDUCE, &padded}, &FX_SHAPE(FX_S16, 7));
    check_identity(*state, &(choice){BROADCAST, &padded}, &FX_SHAPE(FX_S16, 7));
}

static fx_node *every_kind(fx_node *x, const void *with) {
    (void)with;
    for (int kind = FX_COLLECTIVE_SUM; kind <= FX_COLLECTIVE_OR; kind++)
        x = fx_reduce_scatter(fx_all_reduce_one(x, (fx_collective_kind)kind, NULL), (fx_collective_kind)kind,
                              -1, &all);
    return x;
}

static void kinds_do_not_matter(void **state) {
    fx_tensor *x = counted(&FX_SHAPE(FX_S32, 2, 3)),
              *out = run(*state, &(request){every_kind, NULL}, x, FX_MUST);
    assert_same(out, x, "all kinds");
    fx_tensor_free(out);
    fx_tensor_free(x);
}

/* ---- nothing is sent ---- */

static fx_node *nothing(fx_node *x, const void *with) {
    fx_node *none = fx_collective_permute(x, FX_DIMS(), 0);
    if (with) none = fx_log_node(none, "none");
    return with ? fx_add(fx_neg(none), x) : none;
}

static void permute_without_pairs(void **state) {
    static const fx_dtype dtypes[] = {FX_BOOL, FX_U4, FX_S64, FX_F16, FX_F32, FX_C64};
    for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
        fx_tensor *x = counted(&FX_SHAPE(dtypes[i], 3, 3)),
                  *out = run(*state, &(request){nothing, NULL}, x, FX_MUST);
        for (int64_t k = 0; k < out->bytes; k++) assert_int_equal(((const char *)out->data)[k], 0);
        fx_tensor_free(out);
        fx_tensor_free(x);
    }
    fx_tensor *x = counted(&FX_SHAPE(FX_F32, 2)), *out = run(*state, &(request){nothing, x}, x, FX_MUST);
    assert_text(out, "[2]float32{1, 2}");
    fx_tensor_free(out);
    fx_tensor_free(x);
}

/* ---- inside larger graphs ---- */

static fx_node *build_or_not(op which, fx_node *x, const fx_device_groups *groups, const void *without) {
    return without ? x : build(which, x, groups);
}

/* With `without` the same graph of moves alone. */
static fx_node *among_others(fx_node *x, const void *without) {
    fx_node *y = build_or_not(GATHER, fx_neg(x), &listed, without);
    y = build_or_not(REDUCE, fx_reverse(y, FX_AXES(0)), NULL, without);
    y = build_or_not(TO_ALL, fx_transpose(y, 0, 1), &listed, without);
    y = build_or_not(SCATTER, fx_reshape(y, FX_DIMS(3, 2, 2)), &listed, without);
    y = fx_slice(y, FX_DIMS(1, 0, 0), FX_DIMS(3, 2, 2), FX_DIMS());
    return fx_neg(build_or_not(PERMUTE, build_or_not(BROADCAST, y, NULL, without), NULL, without));
}

static fx_memory memory_of(const char *backend_name, const void *without) {
    fx_backend *backend = fx_backend_open(backend_name, FX_MUST);
    request r = {among_others, without};
    fx_exec *exec = fx_exec_new_fn(backend, build_request, 1, 1, &r, FX_MUST);
    fx_program *program = fx_exec_program(exec, &FX_SHAPE(FX_F32, 2, 6), 1, FX_MUST);
    fx_memory memory = {.size = sizeof memory};
    assert_true(fx_program_memory(program, &memory));
    fx_program_free(program);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return memory;
}

static void stays_fused(void **state) {
    fx_tensor *x = counted(&FX_SHAPE(FX_F32, 2, 6)),
              *out = run(*state, &(request){among_others, NULL}, x, FX_MUST);
    assert_text(out, "[2][2][2]float32{{{9, 3}, {10, 4}}, {{11, 5}, {12, 6}}}");
    fx_tensor_free(out);
    fx_tensor_free(x);
    if (strcmp(*state, "cpu") != 0) return; /* the interpreter makes every node's value */
    const fx_memory with = memory_of("cpu", NULL), without = memory_of("cpu", state);
    assert_int_equal(with.steps, without.steps);
    assert_int_equal(with.workspace, without.workspace);
    assert_int_equal(with.steps, 1);
}

static void round_of(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_add(build(REDUCE, in[1], &listed), build(BROADCAST, in[1], NULL));
}

static fx_node *in_loop(fx_node *x, const void *with) {
    (void)with;
    return fx_for(3, FX_NODES(x), round_of, NULL, NULL);
}

static void example_of(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_neg(in[0]);
    for (int o = 0; o < OPS; o++) out[0] = build((op)o, out[0], &listed);
    out[0] = fx_all_gather(out[0], -1, &all);
}

static fx_node *in_batch(fx_node *x, const void *with) {
    (void)with;
    return fx_vmap(FX_NODES(x), (const int[]){1}, example_of, NULL, 1, NULL, NULL);
}

static void loops_and_batches(void **state) {
    fx_tensor *x = counted(&FX_SHAPE(FX_F32, 2, 2)),
              *out = run(*state, &(request){in_loop, NULL}, x, FX_MUST);
    assert_text(out, "[2][2]float32{{8, 16}, {24, 32}}");
    fx_tensor_free(out);
    out = run(*state, &(request){in_batch, NULL}, x, FX_MUST);
    assert_text(out, "[2][2]float32{{-1, -3}, {-2, -4}}");
    fx_tensor_free(out);
    fx_tensor_free(x);
}

/* A batch puts its axis before those that the operations name. */
static void batch_raises_axes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *n = fx_vmap(FX_NODES(parameter(g, FX_SHAPE(FX_F32, 2, 4))), (const int[]){1}, example_of, NULL,
                         1, NULL, NULL);
    assert_no_error(g);
    assert_int_equal(n->op, FX_OP_ALL_GATHER);
    assert_int_equal(fxi_node_int(n, FXI_ATTR_AXIS), 1);
    for (; n->op != FX_OP_ALL_TO_ALL; n = n->operands[0]) assert_true(n->operand_count == 1);
    assert_int_equal(fxi_node_int(n, FXI_ATTR_SPLIT_AXIS), 1);
    assert_int_equal(fxi_node_int(n, FXI_ATTR_CONCAT_AXIS), 1);
    fx_graph_free(g);
}

/* ---- more devices than there are ---- */

static fx_node *sent_away(fx_node *x, const void *with) {
    (void)with;
    return fx_neg(fx_collective_permute(x, (fx_dims){away, 2}, 0));
}

static void too_many(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = build(REDUCE, in[1], &two);
}

static fx_node *too_many_in_loop(fx_node *x, const void *with) {
    (void)with;
    return fx_for(3, FX_NODES(x), too_many, NULL, NULL);
}

static void refused(void **state, const request *r, const char *message) {
    char text[200];
    fx_error err = {.code = FX_OK};
    fx_tensor *x = counted(&FX_SHAPE(FX_F32, 4));
    assert_null(run(*state, r, x, &err));
    snprintf(text, sizeof text, "%s: %s", (const char *)*state, message);
    assert_failed(err, FX_ERROR_UNSUPPORTED, text);
    fx_tensor_free(x);
}

static void other_devices_are_refused(void **state) {
    static const struct {
        choice choice;
        const char *message;
    } rows[] = {
        {{REDUCE, &two}, "all_reduce names device 1; this backend has one device, number 0"},
        {{GATHER, &two}, "all_gather names device 1; this backend has one device, number 0"},
        {{SCATTER, &two}, "reduce_scatter names device 1; this backend has one device, number 0"},
        {{TO_ALL, &two}, "all_to_all names device 1; this backend has one device, number 0"},
        {{BROADCAST, &two}, "collective_broadcast names device 1; this backend has one device, number 0"},
        {{GATHER, &unlisted}, "all_gather is of 4 devices; this backend has one"},
        {{SCATTER, &partitions}, "reduce_scatter is of 2 devices; this backend has one"},
        {{TO_ALL, &unlisted}, "all_to_all is of 4 devices; this backend has one"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        refused(state, &(request){chosen, &rows[i].choice}, rows[i].message);
    refused(state, &(request){sent_away, NULL},
            "collective_permute names device 1; this backend has one device, number 0");
    refused(state, &(request){too_many_in_loop, NULL},
            "all_reduce names device 1; this backend has one device, number 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(gives_x),
        BOTH(kinds_do_not_matter),
        BOTH(permute_without_pairs),
        BOTH(stays_fused),
        BOTH(loops_and_batches),
        cmocka_unit_test(batch_raises_axes),
        BOTH(other_devices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
