/* SPDX-License-Identifier: Apache-2.0 */
/* Shape rules of shardings and device numbers, and what a sharding says when it is read back.
 *
 * A mesh is a list of names, of sizes and of devices. A sharding is one number per dimension, whose decimal
 * digits are the mesh axes that cut it: 21 is the second axis outside the first, a 9 in front leaves the
 * dimension open. So it is a list of integers like every other attribute, and can be read in a dump. */
#include "shape_rules.h"
#include <stdlib.h>
#include <string.h>

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(const char *name, size_t length) {
    if (length == 0 || length > FXI_MESH_NAME || !is_letter(name[0])) return false;
    for (size_t i = 1; i < length; i++)
        if (!is_letter(name[i]) && !(name[i] >= '0' && name[i] <= '9') && name[i] != '-' && name[i] != '.')
            return false;
    return true;
}

/* ---- the mesh ---- */

/* Name number `axis` of a list; false: there are fewer. */
static bool name_of(const char *names, size_t axis, const char **name, size_t *length) {
    while (axis > 0) {
        names = strchr(names, ',');
        if (!names) return false;
        names++, axis--;
    }
    *name = names;
    *length = strcspn(names, ",");
    return true;
}

static bool check_names(const fxi_shape_args *args, const char *names, size_t n, fx_error *err) {
    const char *at, *other;
    size_t length, other_length;
    for (size_t i = 0; i < n; i++) {
        if (!name_of(names, i, &at, &length))
            return fail(args, err, FX_ERROR_ATTRIBUTE, "a mesh of %zu sizes and fewer names", n);
        if (!is_name(at, length))
            return fail(args, err, FX_ERROR_ATTRIBUTE,
                        "\"%.*s\" is no name of a mesh axis: a letter or _, then letters, digits, _ - . up "
                        "to %d in all",
                        length < 40 ? (int)length : 40, at, FXI_MESH_NAME);
        for (size_t k = 0; k < i; k++)
            if (name_of(names, k, &other, &other_length) && other_length == length &&
                memcmp(at, other, length) == 0)
                return fail(args, err, FX_ERROR_ATTRIBUTE, "the mesh has two axes \"%.*s\"", (int)length, at);
    }
    if (name_of(names, n, &at, &length))
        return fail(args, err, FX_ERROR_ATTRIBUTE, "a mesh of %zu sizes and more names", n);
    return true;
}

static bool check_sizes(const fxi_shape_args *args, fx_dims sizes, int64_t *devices, fx_error *err) {
    if (sizes.n == 0 || sizes.n > FX_MESH_AXES)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "a mesh of %zu axes; it has 1 to %d", sizes.n,
                    FX_MESH_AXES);
    *devices = 1;
    for (size_t i = 0; i < sizes.n; i++) {
        if (sizes.v[i] < 1)
            return fail(args, err, FX_ERROR_ATTRIBUTE, "axis %zu of the mesh has size %lld", i,
                        (long long)sizes.v[i]);
        if (sizes.v[i] > FXI_MESH_DEVICES / *devices)
            return fail(args, err, FX_ERROR_ATTRIBUTE, "the mesh has more than %d devices", FXI_MESH_DEVICES);
        *devices *= sizes.v[i];
    }
    return true;
}

static int by_value(const void *a, const void *b) {
    int64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static bool check_devices(const fxi_shape_args *args, fx_dims devices, int64_t wanted, fx_error *err) {
    if (devices.n == 0) return true;
    if (devices.n != (size_t)wanted)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "%zu devices listed for a mesh of %lld", devices.n,
                    (long long)wanted);
    int64_t *sorted = fxi_alloc_zeroed(devices.n, sizeof *sorted);
    if (!sorted) return fxi_fail_memory(err, "mesh");
    memcpy(sorted, devices.v, devices.n * sizeof *sorted);
    qsort(sorted, devices.n, sizeof *sorted, by_value);
    size_t twice = 1;
    while (twice < devices.n && sorted[twice] != sorted[twice - 1]) twice++;
    const int64_t first = sorted[0], same = twice < devices.n ? sorted[twice] : 0;
    fxi_free(sorted);
    if (first < 0) return fail(args, err, FX_ERROR_ATTRIBUTE, "there is no device %lld", (long long)first);
    if (twice < devices.n)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "the mesh has device %lld twice", (long long)same);
    return true;
}

int64_t fxi_mesh_devices(const char *names, fx_dims sizes, fx_dims devices) {
    const fxi_shape_args args = {.op = FX_OP_SHARD};
    fx_error why = {.code = FX_OK};
    int64_t count = 0;
    bool ok = check_sizes(&args, sizes, &count, &why) && check_names(&args, names, sizes.n, &why) &&
              (devices.n == 0 || devices.v) && check_devices(&args, devices, count, &why);
    return ok ? count : 0;
}

/* ---- the sharding ---- */

/* The digits of a number from the front; false: a 0 among them, a 9 inside, or a negative number. */
static bool read_cut(int64_t number, fxi_cut *cut) {
    *cut = (fxi_cut){.count = 0};
    int64_t power = 1;
    if (number < 0) return false;
    while (number / power >= 10) power *= 10;
    for (bool first = true; number > 0 && power > 0; power /= 10, first = false) {
        int64_t digit = number / power % 10;
        if (digit == FXI_SHARDING_OPEN && first) {
            cut->open = true;
        } else {
            if (digit < 1 || digit > FX_MESH_AXES || cut->count == FX_MESH_AXES) return false;
            cut->axes[cut->count++] = (int)digit - 1;
        }
    }
    return true;
}

static bool fail_twice(const fxi_shape_args *args, int axis, fx_error *err) {
    const char *name = "";
    size_t length = 0;
    name_of(attr_of(args, FXI_ATTR_MESH_AXES)->u.text, (size_t)axis, &name, &length);
    return fail(args, err, FX_ERROR_ATTRIBUTE, "mesh axis \"%.*s\" is used twice", (int)length, name);
}

static bool check_cut(const fxi_shape_args *args, int64_t number, size_t dimension, uint32_t *used,
                      fx_error *err) {
    const fx_dims sizes = ints_of(args, FXI_ATTR_MESH_SIZES);
    const fx_shape *x = args->operands[0];
    fxi_cut cut;
    if (!read_cut(number, &cut))
        return fail(args, err, FX_ERROR_ATTRIBUTE, "%lld cuts no dimension", (long long)number);
    int64_t parts = 1;
    for (int i = 0; i < cut.count; i++) {
        if (cut.axes[i] >= (int)sizes.n)
            return fail(args, err, FX_ERROR_ATTRIBUTE, "the mesh has no axis %d", cut.axes[i]);
        if (*used >> cut.axes[i] & 1) return fail_twice(args, cut.axes[i], err);
        *used |= UINT32_C(1) << cut.axes[i];
        parts *= sizes.v[cut.axes[i]];
    }
    if (x->dims[dimension] % parts == 0) return true;
    return fail(args, err, FX_ERROR_SHAPE, "dimension %zu of %s cannot be cut into %lld equal parts",
                dimension, fx_shape_to_text(x).s, (long long)parts);
}

bool shape_shard(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_dims sizes = ints_of(args, FXI_ATTR_MESH_SIZES), cuts = ints_of(args, FXI_ATTR_SHARDING);
    int64_t devices = 0;
    *result = *args->operands[0];
    if (fxi_dtype_is_packed(result->dtype))
        return fail(args, err, FX_ERROR_DTYPE, "%s has several elements in a byte and is not cut",
                    fx_dtype_name(result->dtype));
    FX_TRY(check_sizes(args, sizes, &devices, err));
    FX_TRY(check_names(args, attr_of(args, FXI_ATTR_MESH_AXES)->u.text, sizes.n, err));
    FX_TRY(check_devices(args, ints_of(args, FXI_ATTR_MESH_DEVICES), devices, err));
    FX_TRY(check_length(args, cuts, FXI_ATTR_SHARDING, result, err));
    uint32_t used = 0;
    for (size_t i = 0; i < cuts.n; i++) FX_TRY(check_cut(args, cuts.v[i], i, &used, err));
    return true;
}

bool shape_device_id(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    (void)args, (void)err;
    *result = fxi_shape_scalar(FX_U32);
    return true;
}

/* ---- read back, of a node that has passed the rule ---- */

fxi_cut fxi_shard_cut(const fx_node *shard, int dimension) {
    fxi_cut cut;
    read_cut(fxi_node_ints(shard, FXI_ATTR_SHARDING).v[dimension], &cut);
    return cut;
}

fxi_mesh_name fxi_shard_axis_name(const fx_node *shard, int axis) {
    fxi_mesh_name name = {NULL, 0};
    name_of(fxi_node_attr(shard, FXI_ATTR_MESH_AXES)->u.text, (size_t)axis, &name.at, &name.length);
    return name;
}
