/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of shape rules share: messages, attributes by id, and the checks of axes that most rules
 * make. A rule is a function shape_<word of the shape column>; those that are not in shape_rules.c are
 * declared at the end, where its table finds them. */
#ifndef FXI_SHAPE_RULES_H
#define FXI_SHAPE_RULES_H

#include "graph/graph.h"

/* Fails with "<name of the function>: ..."; gives false. */
bool fxi_rule_fail(const fxi_shape_args *args, fx_error *err, fx_error_code code, const char *format, ...)
    FXI_PRINTF(4, 5);
#define fail fxi_rule_fail

static inline fx_shape_text dims_of(const fx_shape *shape) {
    return fxi_dims_text(shape->dims, (size_t)shape->rank);
}

static inline const fxi_attr *attr_of(const fxi_shape_args *args, fxi_attr_id id) {
    static const fxi_attr none;
    for (size_t i = 0; i < args->attr_count; i++)
        if (args->attrs[i].id == id) return &args->attrs[i];
    return &none; /* not reached: check_attributes comes first */
}

static inline int64_t int_of(const fxi_shape_args *args, fxi_attr_id id) {
    return attr_of(args, id)->u.i;
}
static inline fx_dims ints_of(const fxi_shape_args *args, fxi_attr_id id) {
    return attr_of(args, id)->u.ints;
}

static inline bool check_axis(const fxi_shape_args *args, int64_t axis, const fx_shape *x, fx_error *err) {
    if (axis >= 0 && axis < x->rank) return true;
    return fail(args, err, FX_ERROR_AXIS, "axis %lld is out of range for %s (rank %d)", (long long)axis,
                fx_shape_to_text(x).s, x->rank);
}

/* In range and different from each other; adds them to the set *seen. */
static inline bool check_axes(const fxi_shape_args *args, fx_dims axes, const fx_shape *x, uint32_t *seen,
                              fx_error *err) {
    for (size_t i = 0; i < axes.n; i++) {
        FX_TRY(check_axis(args, axes.v[i], x, err));
        uint32_t bit = UINT32_C(1) << axes.v[i];
        if (*seen & bit)
            return fail(args, err, FX_ERROR_AXIS, "axis %lld is named twice", (long long)axes.v[i]);
        *seen |= bit;
    }
    return true;
}

static inline bool check_length(const fxi_shape_args *args, fx_dims list, fxi_attr_id id, const fx_shape *x,
                                fx_error *err) {
    if (list.n == (size_t)x->rank) return true;
    return fail(args, err, FX_ERROR_ATTRIBUTE, "%zu %s for %s, which has rank %d", list.n, fxi_attr_text(id),
                fx_shape_to_text(x).s, x->rank);
}

/* What a kind of reduction takes. */
bool fxi_rule_check_kind(const fxi_shape_args *args, fx_dtype dtype, fx_error *err);
/* Fails when dtype is not in the set, with the words that all rules use. */
bool fxi_rule_check_dtype(const fxi_shape_args *args, uint32_t set, fx_dtype dtype, fx_error *err);
/* Whether `to` is from, or a wider dtype of its kind to accumulate in. */
bool fxi_rule_is_accumulator(fx_dtype from, fx_dtype to);

/* Whether every index below `count` is a value of the dtype. */
bool fxi_rule_index_fits(int64_t count, fx_dtype dtype);
/* Tells the shape of a further result; the first is what the rule leaves in *result. */
bool fxi_rule_add_result(const fxi_shape_args *args, const fx_shape *shape, fx_error *err);

/* shape_rules_custom.c */
bool shape_composite(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_custom_call(const fxi_shape_args *args, fx_shape *result, fx_error *err);
/* shape_rules_control.c */
bool shape_result(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_while(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_if(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_scan(const fxi_shape_args *args, fx_shape *result, fx_error *err);
/* shape_rules_window.c */
bool shape_cumulative(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_reduce_window(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_select_scatter(const fxi_shape_args *args, fx_shape *result, fx_error *err);
/* shape_rules_conv.c */
bool shape_convolution(const fxi_shape_args *args, fx_shape *result, fx_error *err);
/* shape_rules_index.c */
bool shape_pad(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_dyn_slice(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_dyn_update(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_barrier(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_gather(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_scatter(const fxi_shape_args *args, fx_shape *result, fx_error *err);
/* shape_rules_sort.c */
bool shape_sort(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_sort_by(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_top_k(const fxi_shape_args *args, fx_shape *result, fx_error *err);
/* shape_rules_fft.c */
bool shape_fft(const fxi_shape_args *args, fx_shape *result, fx_error *err);
/* shape_rules_linalg.c */
bool shape_cholesky(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_tri_solve(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_lu(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_qr(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_eigh(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_svd(const fxi_shape_args *args, fx_shape *result, fx_error *err);
/* shape_rules_collective.c */
bool shape_all_reduce(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_all_gather(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_reduce_scatter(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_all_to_all(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_permute(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_collective_broadcast(const fxi_shape_args *args, fx_shape *result, fx_error *err);
/* shape_rules_sharding.c */
bool shape_shard(const fxi_shape_args *args, fx_shape *result, fx_error *err);
bool shape_device_id(const fxi_shape_args *args, fx_shape *result, fx_error *err);

#endif
