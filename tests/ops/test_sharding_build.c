/* SPDX-License-Identifier: Apache-2.0 */
/* Shardings as nodes: what they carry, the message of each precondition, derivatives and batches. That they
 * change nothing on one device is in tests/backend/test_sharding.c. */
#include "support/graph_helpers.h"
#include <fluxion.h>

#define X(...) parameter(g, FX_SHAPE(__VA_ARGS__))

static const int64_t backwards[] = {3, 2, 1, 0};
static const fx_mesh mesh = {.names = {"data", "model"}, .sizes = {4, 2}},
                     four = {.names = {"x"}, .sizes = {4}, .devices = {backwards, 4}};

static void assert_cuts(const fx_node *n, fx_dims cuts) {
    const fx_dims got = fxi_node_ints(n, FXI_ATTR_SHARDING);
    assert_int_equal(got.n, cuts.n);
    for (size_t i = 0; i < got.n; i++) assert_int_equal(got.v[i], cuts.v[i]);
}

static void test_nodes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = X(FX_F32, 16, 6, 1), *n = fx_shard(x, FX_SHARDING(&mesh, "data", "model"));
    assert_node(n, "shard", "(float32)[16, 6, 1]");
    assert_cuts(n, FX_DIMS(1, 2, 0));
    assert_int_equal(fxi_node_ints(n, FXI_ATTR_MESH_SIZES).v[0], 4);
    assert_int_equal(fxi_node_ints(n, FXI_ATTR_MESH_DEVICES).n, 0);
    assert_string_equal(fxi_node_attr(n, FXI_ATTR_MESH_AXES)->u.text, "data,model");
    assert_cuts(fx_shard(x, FX_SHARDING(&mesh, "model,data")), FX_DIMS(21, 0, 0));
    assert_cuts(fx_shard(x, FX_SHARDING(&mesh, "data,?", "?", "")), FX_DIMS(91, 9, 0));
    assert_cuts(fx_shard(x, FX_SHARDING(&mesh, NULL)), FX_DIMS(0, 0, 0));
    assert_cuts(fx_shard(X(FX_BOOL), FX_SHARDING(&mesh, NULL)), FX_DIMS());
    assert_cuts(fx_shard(X(FX_C64, 0), FX_SHARDING(&mesh, "data")), FX_DIMS(1));
    n = fx_shard(x, FX_SHARDING(&four, "x"));
    assert_int_equal(fxi_node_ints(n, FXI_ATTR_MESH_DEVICES).v[1], 2);
    assert_no_error(g);
    assert_true(fx_graph_finish(g, FX_NODES(n), FX_MUST));
    assert_true(fxi_verify(g, FX_MUST));
    fx_graph_free(g);
}

static void test_read_back(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const fx_node *n = fx_shard(X(FX_F32, 16, 6), FX_SHARDING(&mesh, "model,data,?", "?"));
    fxi_cut cut = fxi_shard_cut(n, 0);
    assert_true(cut.open);
    assert_int_equal(cut.count, 2);
    assert_int_equal(cut.axes[0], 1);
    assert_int_equal(cut.axes[1], 0);
    cut = fxi_shard_cut(n, 1);
    assert_true(cut.open && cut.count == 0);
    assert_int_equal(fxi_shard_axis_name(n, 1).length, 5);
    assert_memory_equal(fxi_shard_axis_name(n, 1).at, "model", 5);
    assert_memory_equal(fxi_shard_axis_name(n, 0).at, "data,", 5);
    fx_graph_free(g);
}

static void test_sizes(void **state) {
    (void)state;
    assert_int_equal(fx_mesh_size(&mesh), 8);
    assert_int_equal(fx_mesh_size(&four), 4);
    assert_int_equal(fx_mesh_size(NULL), 0);
    assert_int_equal(fx_mesh_size(&(fx_mesh){.sizes = {2}}), 0);
    assert_int_equal(fx_mesh_size(&(fx_mesh){.names = {"x"}, .sizes = {0}}), 0);
    assert_int_equal(fx_mesh_size(&(fx_mesh){.names = {"x", "y"}, .sizes = {65536, 2}}), 0);
    assert_int_equal(fx_mesh_size(&(fx_mesh){.names = {"x", "y"}, .sizes = {INT64_MAX, INT64_MAX}}), 0);
    const fx_dims same = FX_DIMS(0, 0), three = FX_DIMS(0, 1, 2);
    assert_int_equal(fx_mesh_size(&(fx_mesh){.names = {"x"}, .sizes = {2}, .devices = same}), 0);
    assert_int_equal(fx_mesh_size(&(fx_mesh){.names = {"x"}, .sizes = {2}, .devices = three}), 0);
    assert_int_equal(fx_mesh_size(&(fx_mesh){.names = {"x"}, .sizes = {3}, .devices = three}), 3);
    assert_int_equal(fx_mesh_size(&(fx_mesh){.names = {"x"}, .sizes = {2}, .devices = {NULL, 2}}), 0);
    assert_int_equal(fx_mesh_size(&(fx_mesh){.names = {"a", "a"}, .sizes = {2, 2}}), 0);
    assert_int_equal(fx_mesh_size(&(fx_mesh){.names = {"2x"}, .sizes = {2}}), 0);
    assert_int_equal(fx_mesh_size(&(fx_mesh){.names = {"abcdefghijklmnopqrstuvwxyzabcdef"}, .sizes = {1}}), 0);
}

#define REFUSED(code, message, x, ...)                                                                       \
    ASSERT_REFUSED(FX_ERROR_##code, "fx_shard: " message, fx_shard(x, &(fx_sharding){__VA_ARGS__}))
#define MESH(...)                                                                                            \
    &(fx_mesh){__VA_ARGS__}, {                                                                               \
        NULL                                                                                                 \
    }

static void test_refusals(void **state) {
    (void)state;
    const int64_t twice[] = {0, 1, 2, 1}, negative[] = {0, -1, 2, 3};
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_shard: the sharding is NULL", fx_shard(X(FX_F32), NULL));
    assert_null(fx_shard(NULL, FX_SHARDING(&mesh, NULL)));
    REFUSED(ARGUMENT, "the mesh is NULL", X(FX_F32), NULL, {NULL});
    REFUSED(ATTRIBUTE, "the mesh has no axis \"rows\"", X(FX_F32, 4), &mesh, {"rows"});
    REFUSED(ATTRIBUTE, "the mesh has no axis \"\"", X(FX_F32, 4), &mesh, {"data,,model"});
    REFUSED(ATTRIBUTE, "the mesh has no axis \"\"", X(FX_F32, 4), &mesh, {"data,"});
    REFUSED(ATTRIBUTE, "the mesh has no axis \"\"", X(FX_F32, 4), &mesh, {","});
    REFUSED(ARGUMENT, "the mesh's 2 devices are NULL", X(FX_F32),
            MESH(.names = {"x"}, .sizes = {2}, .devices = {NULL, 2}));
    REFUSED(ATTRIBUTE, "the mesh has no axis \"?\"", X(FX_F32, 4), &mesh, {"?,data"});
    REFUSED(ATTRIBUTE, "mesh axis \"data\" is used twice", X(FX_F32, 16), &mesh, {"data,data"});
    REFUSED(ATTRIBUTE, "mesh axis \"data\" is used twice", X(FX_F32, 4, 4), &mesh, {"data", "data"});
    REFUSED(ATTRIBUTE, "\"x\" names more axes than a mesh has", X(FX_F32, 4), &four, {"x,x,x,x,x,x,x,x,x"});
    REFUSED(SHAPE, "the sharding cuts dimension 1 of (float32)[8]", X(FX_F32, 8), &mesh, {"data", "model"});
    REFUSED(SHAPE, "dimension 0 of (float32)[6, 2] cannot be cut into 4 equal parts", X(FX_F32, 6, 2), &mesh,
            {"data"});
    REFUSED(SHAPE, "dimension 1 of (float32)[4, 4] cannot be cut into 8 equal parts", X(FX_F32, 4, 4), &mesh,
            {NULL, "data,model"});
    REFUSED(DTYPE, "int4 has several elements in a byte and is not cut", X(FX_S4, 8), &mesh, {"data"});
    REFUSED(ATTRIBUTE, "a mesh of 0 axes; it has 1 to 8", X(FX_F32, 8), MESH(.sizes = {2}));
    REFUSED(ATTRIBUTE, "axis 1 of the mesh has size 0", X(FX_F32), MESH(.names = {"x", "y"}, .sizes = {2}));
    REFUSED(ATTRIBUTE, "the mesh has more than 65536 devices", X(FX_F32),
            MESH(.names = {"x", "y"}, .sizes = {INT64_MAX, INT64_MAX}));
    REFUSED(ATTRIBUTE, "the mesh has two axes \"x\"", X(FX_F32),
            MESH(.names = {"x", "y", "x"}, .sizes = {1, 1, 1}));
    REFUSED(ATTRIBUTE, "a mesh of 1 sizes and more names", X(FX_F32), MESH(.names = {"x,y"}, .sizes = {1}));
    REFUSED(ATTRIBUTE,
            "\"2x\" is no name of a mesh axis: a letter or _, then letters, digits, _ - . up to 31 in all",
            X(FX_F32), MESH(.names = {"2x"}, .sizes = {1}));
    REFUSED(ATTRIBUTE, "a mesh axis has a name of 32 characters; at most 31", X(FX_F32),
            MESH(.names = {"abcdefghijklmnopqrstuvwxyzabcdef"}, .sizes = {1}));
    REFUSED(ATTRIBUTE, "4 devices listed for a mesh of 2", X(FX_F32),
            MESH(.names = {"x"}, .sizes = {2}, .devices = {backwards, 4}));
    REFUSED(ATTRIBUTE, "the mesh has device 1 twice", X(FX_F32),
            MESH(.names = {"x"}, .sizes = {4}, .devices = {twice, 4}));
    REFUSED(ATTRIBUTE, "there is no device -1", X(FX_F32),
            MESH(.names = {"x"}, .sizes = {4}, .devices = {negative, 4}));
}

static void test_derivatives(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = X(FX_F32, 8, 2), *y = fx_mul(fx_shard(x, FX_SHARDING(&mesh, "data", "model")), x);
    fx_node *d = fx_vjp(FX_NODES(fx_shard(x, FX_SHARDING(&mesh, "data"))), FX_NODES(y), FX_NODES(x), NULL);
    assert_node(d, "shard", "(float32)[8, 2]");
    assert_cuts(d, FX_DIMS(1, 0));
    d = fx_jvp(FX_NODES(fx_shard(x, FX_SHARDING(&mesh, NULL, "model"))), FX_NODES(x), FX_NODES(y), NULL);
    assert_node(d, "shard", "(float32)[8, 2]");
    assert_cuts(d, FX_DIMS(0, 2));
    assert_no_error(g);
    fx_graph_free(g);
}

static void example(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_shard(in[0], FX_SHARDING(&mesh, "data", "model,?"));
}

static void test_batches(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *n = fx_vmap(FX_NODES(X(FX_F32, 3, 8, 2)), (const int[]){0}, example, NULL, 1, NULL, NULL);
    assert_node(n, "shard", "(float32)[3, 8, 2]");
    assert_cuts(n, FX_DIMS(9, 1, 92));
    fx_graph_free(g);
}

static void test_device_numbers(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    assert_node(fx_replica_id(g), "replica_id", "(uint32)");
    assert_node(fx_partition_id(g), "partition_id", "(uint32)");
    assert_null(fx_replica_id(NULL));
    assert_no_error(g);
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes),          cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_derivatives),    cmocka_unit_test(test_batches),
        cmocka_unit_test(test_device_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
