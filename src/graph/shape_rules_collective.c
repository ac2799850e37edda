/* SPDX-License-Identifier: Apache-2.0 */
/* Shape rules of collectives: groups of devices are disjoint and complete, pairs have every source and every
 * target once, axes can be cut as the number of devices asks. A list of devices is sorted to be checked, so
 * that long ones take no quadratic time. */
#include "shape_rules.h"
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
    int64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* What a list of devices may be: shorter groups filled up with -1, some devices left out. */
typedef struct list_rules {
    const char *what; /* "device", ... */
    bool padded, sparse;
} list_rules;

static bool check_sorted(const fxi_shape_args *args, const int64_t *list, size_t n, const list_rules *rules,
                         fx_error *err) {
    size_t first = 0;
    while (rules->padded && first < n && list[first] == -1) first++;
    if (first < n && list[first] < 0)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "there is no %s %lld", rules->what,
                    (long long)list[first]);
    for (size_t i = first; i < n; i++) {
        if (i > first && list[i] == list[i - 1])
            return fail(args, err, FX_ERROR_ATTRIBUTE, "%s %lld is named twice", rules->what,
                        (long long)list[i]);
        if (!rules->sparse && list[i] != (int64_t)(i - first))
            return fail(args, err, FX_ERROR_ATTRIBUTE, "%s %zu is in no group, but %lld is", rules->what,
                        i - first, (long long)list[i]);
    }
    return true;
}

/* Every step-th number of a list. */
static bool check_list(const fxi_shape_args *args, const int64_t *list, size_t n, size_t step,
                       const list_rules *rules, fx_error *err) {
    if (n == 0) return true;
    int64_t *sorted = fxi_alloc_zeroed(n, sizeof *sorted);
    if (!sorted) return fxi_fail_memory(err, "groups of devices");
    for (size_t i = 0; i < n; i++) sorted[i] = list[i * step];
    qsort(sorted, n, sizeof *sorted, by_value);
    bool fine = check_sorted(args, sorted, n, rules, err);
    fxi_free(sorted);
    return fine;
}

static bool check_channel(const fxi_shape_args *args, fx_error *err) {
    int64_t channel = int_of(args, FXI_ATTR_CHANNEL);
    return channel >= 0 ||
           fail(args, err, FX_ERROR_ATTRIBUTE, "channel %lld is negative", (long long)channel);
}

static bool check_groups(const fxi_shape_args *args, const list_rules *rules, fx_error *err) {
    fx_dims groups = ints_of(args, FXI_ATTR_GROUPS);
    int64_t size = int_of(args, FXI_ATTR_GROUP_SIZE);
    FX_TRY(check_channel(args, err));
    if (size < 0 || (groups.n > 0 && (size == 0 || (int64_t)groups.n % size != 0)))
        return fail(args, err, FX_ERROR_ATTRIBUTE, "%zu devices in groups of %lld", groups.n,
                    (long long)size);
    for (size_t i = 0; i < groups.n; i += (size_t)size)
        if (rules->padded && groups.v[i] == -1)
            return fail(args, err, FX_ERROR_ATTRIBUTE, "group %zu begins with no device", i / (size_t)size);
    return check_list(args, groups.v, groups.n, 1, rules, err);
}

/* Groups of equal sizes, or padded ones. */
static bool check_numbered(const fxi_shape_args *args, bool padded, fx_error *err) {
    const list_rules rules = {.what = "device", .padded = padded};
    int64_t global = int_of(args, FXI_ATTR_GLOBAL_IDS);
    if (global != 0 && global != 1)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "global_ids is %lld; it is 0 or 1", (long long)global);
    FX_TRY(check_groups(args, &rules, err));
    return !global || int_of(args, FXI_ATTR_CHANNEL) > 0 ||
           fail(args, err, FX_ERROR_ATTRIBUTE, "global device numbers need a channel");
}

/* The number of devices that a group joins: its members, times partitions where these join too. */
static bool check_taking_part(const fxi_shape_args *args, bool partitions_join, int64_t *number,
                              fx_error *err) {
    int64_t size = int_of(args, FXI_ATTR_GROUP_SIZE);
    *number = int_of(args, FXI_ATTR_TAKING_PART);
    if (*number == 0 && size == 0)
        return fail(args, err, FX_ERROR_ATTRIBUTE,
                    "the shape depends on how many devices take part: name them, or set taking_part");
    if (*number < 1)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "%lld devices take part", (long long)*number);
    if (ints_of(args, FXI_ATTR_GROUPS).n == 0 || *number == size) return true;
    if (partitions_join && *number % size == 0) return true;
    return fail(args, err, FX_ERROR_ATTRIBUTE, "%lld devices take part in groups of %lld",
                (long long)*number, (long long)size);
}

static bool check_joined(const fxi_shape_args *args, int64_t *number, fx_error *err) {
    bool join = int_of(args, FXI_ATTR_CHANNEL) > 0 && int_of(args, FXI_ATTR_GLOBAL_IDS) == 0;
    return check_numbered(args, false, err) && check_taking_part(args, join, number, err);
}

static bool lengthen(const fxi_shape_args *args, fx_shape *x, int64_t axis, int64_t times, fx_error *err) {
    if (fxi_size_mul(x->dims[axis], times, &x->dims[axis])) return true;
    return fail(args, err, FX_ERROR_MEMORY, "axis %lld does not fit into 63 bits", (long long)axis);
}

static bool shorten(const fxi_shape_args *args, fx_shape *x, int64_t axis, int64_t parts, fx_error *err) {
    if (x->dims[axis] % parts != 0)
        return fail(args, err, FX_ERROR_SHAPE, "axis %lld of %s cannot be cut into %lld equal parts",
                    (long long)axis, fx_shape_to_text(x).s, (long long)parts);
    x->dims[axis] /= parts;
    return true;
}

bool shape_all_reduce(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    *result = *args->operands[0];
    return fxi_rule_check_kind(args, result->dtype, err) && check_numbered(args, true, err);
}

bool shape_all_gather(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    int64_t axis = int_of(args, FXI_ATTR_AXIS), number;
    *result = *args->operands[0];
    return check_axis(args, axis, result, err) && check_joined(args, &number, err) &&
           lengthen(args, result, axis, number, err);
}

bool shape_reduce_scatter(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    int64_t axis = int_of(args, FXI_ATTR_AXIS), number;
    *result = *args->operands[0];
    return fxi_rule_check_kind(args, result->dtype, err) && check_axis(args, axis, result, err) &&
           check_joined(args, &number, err) && shorten(args, result, axis, number, err);
}

bool shape_all_to_all(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const list_rules rules = {.what = "device"};
    int64_t from = int_of(args, FXI_ATTR_SPLIT_AXIS), to = int_of(args, FXI_ATTR_CONCAT_AXIS), number;
    *result = *args->operands[0];
    return check_axis(args, from, result, err) && check_axis(args, to, result, err) &&
           check_groups(args, &rules, err) && check_taking_part(args, false, &number, err) &&
           shorten(args, result, from, number, err) && lengthen(args, result, to, number, err);
}

bool shape_permute(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const list_rules sources = {.what = "source", .sparse = true},
                     targets = {.what = "target", .sparse = true};
    fx_dims pairs = ints_of(args, FXI_ATTR_PAIRS);
    *result = *args->operands[0];
    if (pairs.n % 2 != 0)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "%zu numbers are no pairs of source and target", pairs.n);
    return check_channel(args, err) && check_list(args, pairs.v, pairs.n / 2, 2, &sources, err) &&
           (pairs.n == 0 || check_list(args, pairs.v + 1, pairs.n / 2, 2, &targets, err));
}

bool shape_collective_broadcast(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const list_rules rules = {.what = "device", .padded = true, .sparse = true};
    *result = *args->operands[0];
    return check_groups(args, &rules, err);
}
