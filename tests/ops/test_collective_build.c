/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of collectives: shapes for groups of any size, what the nodes carry, and the message of each
 * precondition. Values on one device are in tests/backend/test_collective.c. */
#include "support/graph_helpers.h"
#include <fluxion/collective.h>
#include <stdio.h>

#define X(...) parameter(g, FX_SHAPE(__VA_ARGS__))
#define GROUPS(...) (&(fx_device_groups){__VA_ARGS__})

static void test_nodes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const fx_device_groups pairs = {.devices = FX_DIMS(0, 2, 3, 1), .size = 2};
    fx_node *x = X(FX_F32, 2, 6), *n = fx_all_reduce_one(x, FX_COLLECTIVE_PRODUCT, &pairs);
    assert_node(n, "all_reduce", "(float32)[2, 6]");
    assert_int_equal(fxi_node_int(n, FXI_ATTR_KIND), FXI_PRODUCT);
    assert_int_equal(fxi_node_ints(n, FXI_ATTR_GROUPS).n, 4);
    assert_int_equal(fxi_node_ints(n, FXI_ATTR_GROUPS).v[2], 3);
    assert_int_equal(fxi_node_int(n, FXI_ATTR_GROUP_SIZE), 2);
    assert_int_equal(fxi_node_int(n, FXI_ATTR_CHANNEL), 0);
    n = fx_all_gather(x, -1, &pairs);
    assert_node(n, "all_gather", "(float32)[2, 12]");
    assert_int_equal(fxi_node_int(n, FXI_ATTR_AXIS), 1);
    assert_int_equal(fxi_node_int(n, FXI_ATTR_TAKING_PART), 2);
    assert_node(fx_all_gather(x, 0, GROUPS(.taking_part = 5)), "all_gather", "(float32)[10, 6]");
    assert_node(fx_all_gather(x, 0, GROUPS(.devices = FX_DIMS(0, 1), .channel = 1, .taking_part = 6)),
                "all_gather", "(float32)[12, 6]"); /* of two replicas with three partitions each */
    assert_node(fx_reduce_scatter(x, FX_COLLECTIVE_SUM, 1, &pairs), "reduce_scatter", "(float32)[2, 3]");
    assert_node(fx_reduce_scatter(x, FX_COLLECTIVE_MAX, -1, GROUPS(.devices = FX_DIMS(2, 0, 1))),
                "reduce_scatter", "(float32)[2, 2]");
    assert_node(fx_all_to_all(x, 1, 0, &pairs), "all_to_all", "(float32)[4, 3]");
    assert_node(fx_all_to_all(x, 0, 0, &pairs), "all_to_all", "(float32)[2, 6]");
    n = fx_collective_permute(x, FX_DIMS(0, 1, 1, 2, 7, 0), 3);
    assert_node(n, "collective_permute", "(float32)[2, 6]");
    assert_int_equal(fxi_node_ints(n, FXI_ATTR_PAIRS).v[4], 7);
    assert_int_equal(fxi_node_int(n, FXI_ATTR_CHANNEL), 3);
    assert_node(fx_collective_permute(x, FX_DIMS(), 0), "collective_permute", "(float32)[2, 6]");
    assert_node(fx_collective_broadcast(x, GROUPS(.devices = FX_DIMS(9, 4, -1, 5, 0, 8), .size = 3)),
                "collective_broadcast", "(float32)[2, 6]");
    assert_node(
        fx_all_reduce_one(X(FX_S8, 0), FX_COLLECTIVE_AND, GROUPS(.devices = FX_DIMS(0, 1, 2, -1), .size = 2)),
        "all_reduce", "(int8)[0]");
    assert_node(
        fx_all_gather(X(FX_F8E5M2, 3), 0, GROUPS(.devices = FX_DIMS(0), .channel = 1, .global_ids = true)),
        "all_gather", "(float8_e5m2)[3]");
    assert_no_error(g);
    fx_graph_free(g);
}

static void test_several(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *results[2] = {NULL, NULL};
    fx_node *first = fx_all_reduce(FX_NODES(X(FX_F32, 2), X(FX_S32)), FX_COLLECTIVE_SUM, NULL, results);
    assert_ptr_equal(first, results[0]);
    assert_node(results[0], "all_reduce", "(float32)[2]");
    assert_node(results[1], "all_reduce", "(int32)");
    assert_no_error(g);
    fx_graph_free(g);
    g = new_graph(); /* the second is refused: neither is left */
    fx_all_reduce(FX_NODES(X(FX_S32), X(FX_F32, 2)), FX_COLLECTIVE_OR, NULL, results);
    assert_string_equal(fx_node_op(results[0]), "inert");
    assert_string_equal(fx_node_op(results[1]), "inert");
    assert_error(
        g, FX_ERROR_DTYPE,
        "fx_all_reduce: float32 is not accepted; it takes bool, integer dtypes (fx_convert converts)");
    fx_graph_free(g);
}

static void test_messages_of_several(void **state) {
    (void)state;
    fx_node *results[2] = {NULL, NULL};
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_all_reduce: operand 1 is NULL",
                   fx_all_reduce(FX_NODES(X(FX_F32), NULL), FX_COLLECTIVE_SUM, NULL, results));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_all_reduce: the list of results is NULL",
                   fx_all_reduce(FX_NODES(X(FX_F32)), FX_COLLECTIVE_SUM, NULL, NULL));
    assert_null(fx_all_reduce((fx_nodes){NULL, 2}, FX_COLLECTIVE_SUM, NULL, results));
    assert_null(fx_all_reduce((fx_nodes){NULL, 0}, FX_COLLECTIVE_SUM, NULL, results));
}

static void test_null(void **state) {
    (void)state;
    assert_null(fx_all_reduce_one(NULL, FX_COLLECTIVE_SUM, NULL));
    assert_null(fx_all_gather(NULL, 0, NULL));
    assert_null(fx_reduce_scatter(NULL, FX_COLLECTIVE_SUM, 0, NULL));
    assert_null(fx_all_to_all(NULL, 0, 0, NULL));
    assert_null(fx_collective_permute(NULL, FX_DIMS(), 0));
    assert_null(fx_collective_broadcast(NULL, NULL));
}

static void test_messages_of_operands(void **state) {
    (void)state;
    const fx_device_groups two = {.devices = FX_DIMS(0, 1)};
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_all_reduce_one: there is no kind 6",
                   fx_all_reduce_one(X(FX_F32), 6, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_reduce_scatter: there is no kind -1",
                   fx_reduce_scatter(X(FX_F32, 2), (fx_collective_kind)-1, 0, &two));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_all_reduce_one: complex64 is not accepted; it takes bool, integer, float dtypes "
                   "(fx_convert converts)",
                   fx_all_reduce_one(X(FX_C64), FX_COLLECTIVE_MAX, NULL));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_reduce_scatter: bool is not accepted; it takes integer, float, complex dtypes "
                   "(fx_convert converts)",
                   fx_reduce_scatter(X(FX_BOOL, 2), FX_COLLECTIVE_SUM, 0, &two));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_all_gather: axis 1 is out of range for (float32)[2] (rank 1)",
                   fx_all_gather(X(FX_F32, 2), 1, &two));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_reduce_scatter: axis -2 is out of range for (float32)[2] (rank 1)",
                   fx_reduce_scatter(X(FX_F32, 2), FX_COLLECTIVE_SUM, -2, &two));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_all_to_all: axis 0 is out of range for (float32) (rank 0)",
                   fx_all_to_all(X(FX_F32), 0, 0, &two));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_all_to_all: axis 3 is out of range for (float32)[2] (rank 1)",
                   fx_all_to_all(X(FX_F32, 2), 0, 3, &two));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_reduce_scatter: axis 0 of (float32)[3] cannot be cut into 2 equal parts",
                   fx_reduce_scatter(X(FX_F32, 3), FX_COLLECTIVE_SUM, 0, &two));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_all_to_all: axis 1 of (float32)[2, 3] cannot be cut into 2 equal parts",
                   fx_all_to_all(X(FX_F32, 2, 3), 1, 0, &two));
    ASSERT_REFUSED(FX_ERROR_MEMORY, "fx_all_gather: axis 0 does not fit into 63 bits",
                   fx_all_gather(X(FX_S8, INT64_MAX / 2, 0), 0, GROUPS(.taking_part = 4)));
}

/* What each message of a list is, and the lists for which all_gather says it. */
static void test_messages_of_groups(void **state) {
    (void)state;
    const struct {
        fx_device_groups groups;
        const char *message;
    } rows[] = {
        {{.devices = {(const int64_t[]){0, 1, 2}, 3}, .size = 2}, "3 devices in groups of 2"},
        {{.devices = {(const int64_t[]){0, 1}, 2}, .size = -1}, "2 devices in groups of -1"},
        {{.size = -3}, "0 devices in groups of -3"},
        {{.devices = {(const int64_t[]){0, -2}, 2}}, "there is no device -2"},
        {{.devices = {(const int64_t[]){0, -1}, 2}}, "there is no device -1"},
        {{.devices = {(const int64_t[]){1, 0, 2, 1}, 4}, .size = 2}, "device 1 is named twice"},
        {{.devices = {(const int64_t[]){0, 3, 1}, 3}}, "device 2 is in no group, but 3 is"},
        {{.devices = {(const int64_t[]){1}, 1}}, "device 0 is in no group, but 1 is"},
        {{.devices = {(const int64_t[]){0}, 1}, .channel = -1}, "channel -1 is negative"},
        {{.devices = {(const int64_t[]){0}, 1}, .global_ids = true}, "global device numbers need a channel"},
        {{.size = 0}, "the shape depends on how many devices take part: name them, or set taking_part"},
        {{.taking_part = -2}, "-2 devices take part"},
        {{.devices = {(const int64_t[]){0, 1}, 2}, .taking_part = 4}, "4 devices take part in groups of 2"},
        {{.devices = {(const int64_t[]){0, 1}, 2}, .channel = 1, .taking_part = 3},
         "3 devices take part in groups of 2"},
        {{.devices = {(const int64_t[]){0, 1}, 2}, .channel = 1, .global_ids = true, .taking_part = 4},
         "4 devices take part in groups of 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char message[200];
        snprintf(message, sizeof message, "fx_all_gather: %s", rows[i].message);
        ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, message, fx_all_gather(X(FX_F32, 2), 0, &rows[i].groups));
    }
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_all_gather: groups is NULL",
                   fx_all_gather(X(FX_F32, 2), 0, GROUPS(.devices = {NULL, 2})));
}

static void test_messages_of_others(void **state) {
    (void)state;
    const fx_device_groups hollow = {.devices = FX_DIMS(0, 1, -1, 2), .size = 2};
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_all_reduce_one: group 1 begins with no device",
                   fx_all_reduce_one(X(FX_F32), FX_COLLECTIVE_SUM, &hollow));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_collective_broadcast: group 1 begins with no device",
                   fx_collective_broadcast(X(FX_F32), &hollow));
    ASSERT_REFUSED(
        FX_ERROR_ATTRIBUTE, "fx_all_reduce_one: device 1 is in no group, but 2 is",
        fx_all_reduce_one(X(FX_F32), FX_COLLECTIVE_SUM, GROUPS(.devices = FX_DIMS(0, -1, 2, -1), .size = 2)));
    ASSERT_REFUSED(
        FX_ERROR_ATTRIBUTE, "fx_all_to_all: 3 devices take part in groups of 1",
        fx_all_to_all(X(FX_F32, 3), 0, 0, GROUPS(.devices = FX_DIMS(0), .channel = 1, .taking_part = 3)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_collective_broadcast: there is no device -4",
                   fx_collective_broadcast(X(FX_F32), GROUPS(.devices = FX_DIMS(3, -4))));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_collective_broadcast: device 3 is named twice",
                   fx_collective_broadcast(X(FX_F32), GROUPS(.devices = FX_DIMS(3, 3))));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_collective_permute: 3 numbers are no pairs of source and target",
                   fx_collective_permute(X(FX_F32), FX_DIMS(0, 1, 2), 0));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_collective_permute: source 1 is named twice",
                   fx_collective_permute(X(FX_F32), FX_DIMS(1, 0, 1, 2), 0));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_collective_permute: target 2 is named twice",
                   fx_collective_permute(X(FX_F32), FX_DIMS(0, 2, 1, 2), 0));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_collective_permute: there is no target -1",
                   fx_collective_permute(X(FX_F32), FX_DIMS(0, -1), 0));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_collective_permute: channel -5 is negative",
                   fx_collective_permute(X(FX_F32), FX_DIMS(), -5));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_collective_permute: pairs is NULL",
                   fx_collective_permute(X(FX_F32), ((fx_dims){NULL, 4}), 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_messages_of_several),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_messages_of_operands),
        cmocka_unit_test(test_messages_of_groups),
        cmocka_unit_test(test_messages_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
