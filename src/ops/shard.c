/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of shardings and device numbers. The names that a caller gives become numbers of mesh axes here,
 * where messages can still name them; whether these fit together is for the shape rule to say. */
#include <fluxion/mesh.h>
#include "ops/ops.h"
#include <string.h>

static size_t axes_of(const fx_mesh *mesh) {
    size_t n = 0;
    while (n < FX_MESH_AXES && mesh->names[n]) n++;
    return n;
}

/* Number of the axis with a name, from 1 on; 0: there is none. */
static int64_t axis_named(const fx_mesh *mesh, const char *name, size_t length) {
    for (size_t i = 0; i < axes_of(mesh); i++)
        if (strlen(mesh->names[i]) == length && memcmp(mesh->names[i], name, length) == 0)
            return (int64_t)i + 1;
    return 0;
}

/* One dimension's axes as the digits of a number. */
static bool read_axes(const fxi_build *b, const fx_mesh *mesh, const char *axes, int64_t *number) {
    bool open = false;
    int64_t digits = 0, power = 1;
    for (const char *at = axes && *axes ? axes : NULL; at;) {
        size_t length = strcspn(at, ",");
        open = length == 1 && *at == '?' && !at[length];
        int64_t digit = open ? 0 : axis_named(mesh, at, length);
        if (!open && (digit == 0 || power > INT64_C(10000000))) {
            fxi_build_refuse(b, FX_ERROR_ATTRIBUTE,
                             digit ? "\"%.*s\" names more axes than a mesh has"
                                   : "the mesh has no axis \"%.*s\"",
                             length < 40 ? (int)length : 40, at);
            return false;
        }
        if (!open) digits = 10 * digits + digit, power *= 10;
        at = at[length] ? at + length + 1 : NULL; /* behind the last comma an axis follows too */
    }
    *number = open ? FXI_SHARDING_OPEN * power + digits : digits;
    return true;
}

enum { NAMES_SIZE = FX_MESH_AXES * (FXI_MESH_NAME + 1) };

/* "data,model"; false: a name is too long. */
static bool join_names(const fx_mesh *mesh, char text[NAMES_SIZE]) {
    fxi_text all = fxi_text_fixed(text, NAMES_SIZE);
    for (size_t i = 0; i < axes_of(mesh); i++) {
        if (strlen(mesh->names[i]) > FXI_MESH_NAME) return false;
        fxi_text_add(&all, "%s%s", i ? "," : "", mesh->names[i]);
    }
    return true;
}

int64_t fx_mesh_size(const fx_mesh *mesh) {
    char names[NAMES_SIZE] = "";
    if (!mesh || !join_names(mesh, names)) return 0;
    return fxi_mesh_devices(names, (fx_dims){mesh->sizes, axes_of(mesh)}, mesh->devices);
}

static fxi_attr names_attr(const fx_mesh *mesh, char text[NAMES_SIZE]) {
    join_names(mesh, text);
    fxi_attr attr = {.id = FXI_ATTR_MESH_AXES};
    attr.u.text = text;
    return attr;
}

static bool check_mesh(const fxi_build *b, const fx_sharding *sharding) {
    const fx_mesh *mesh = sharding ? sharding->mesh : NULL;
    if (!mesh) {
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the %s is NULL", sharding ? "mesh" : "sharding");
        return false;
    }
    for (size_t i = 0; i < axes_of(mesh); i++) {
        if (strlen(mesh->names[i]) <= FXI_MESH_NAME) continue;
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "a mesh axis has a name of %zu characters; at most %d",
                         strlen(mesh->names[i]), FXI_MESH_NAME);
        return false;
    }
    if (mesh->devices.n > 0 && !mesh->devices.v) {
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the mesh's %zu devices are NULL", mesh->devices.n);
        return false;
    }
    return true;
}

fx_node *fx_shard(fx_node *x, const fx_sharding *sharding) {
    fxi_build b;
    char names[NAMES_SIZE] = "";
    int64_t cuts[FX_MAX_RANK];
    if (!fxi_build_begin(&b, "fx_shard", &x, 1) || !check_mesh(&b, sharding)) return b.stop;
    const fx_mesh *mesh = sharding->mesh;
    for (int i = 0; i < FX_MAX_RANK; i++) {
        int64_t cut;
        if (!read_axes(&b, mesh, sharding->axes[i], &cut)) return b.stop;
        if (i < x->shape.rank)
            cuts[i] = cut;
        else if (cut != 0)
            return fxi_build_refuse(&b, FX_ERROR_SHAPE, "the sharding cuts dimension %d of %s", i,
                                    fx_shape_to_text(&x->shape).s);
    }
    fxi_attr devices = {.id = FXI_ATTR_MESH_DEVICES};
    devices.u.ints = mesh->devices;
    const fxi_attr attrs[] = {names_attr(mesh, names),
                              fxi_attr_ints(FXI_ATTR_MESH_SIZES, mesh->sizes, axes_of(mesh)), devices,
                              fxi_attr_ints(FXI_ATTR_SHARDING, cuts, (size_t)x->shape.rank)};
    return fxi_build_node(&b, FX_OP_SHARD, &x, 1, attrs, 4, NULL);
}

fx_node *fx_replica_id(fx_graph *graph) {
    fxi_build b;
    if (!fxi_build_begin_leaf(&b, "fx_replica_id", graph)) return b.stop;
    return fxi_build_node(&b, FX_OP_REPLICA_ID, NULL, 0, NULL, 0, NULL);
}

fx_node *fx_partition_id(fx_graph *graph) {
    fxi_build b;
    if (!fxi_build_begin_leaf(&b, "fx_partition_id", graph)) return b.stop;
    return fxi_build_node(&b, FX_OP_PARTITION_ID, NULL, 0, NULL, 0, NULL);
}
