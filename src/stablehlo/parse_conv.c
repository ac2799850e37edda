/* SPDX-License-Identifier: Apache-2.0 */
/* Dimension numbers of convolutions: [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], or `raw` and each axis by
 * name. Both become the axes by meaning: first the two letters, then the spatial axes in their order. */
#include "stablehlo/parse_internal.h"
#include <string.h>

/* The letters of the first and second axis: batch and feature, output and input feature. */
static const char letters[3][3] = {"bf", "oi", "bf"};

static int64_t *axes_of(fxi_hlo_conv *conv, int which) {
    return which == 0 ? conv->input : which == 1 ? conv->kernel : conv->output;
}

/* One letter or number at position `axis`. */
static bool read_axis(fxi_hlo_parser *p, const char *letter, int64_t *axes, int axis) {
    fxi_hlo_place place = fxi_mlir_here(p);
    int64_t meaning;
    if (*p->at >= '0' && *p->at <= '9') {
        FX_TRY(fxi_mlir_read_int(p, &meaning));
        if (meaning > FX_MAX_RANK - 3) return fxi_mlir_error_at(p, place, "more than %d axes", FX_MAX_RANK);
        meaning += 2;
    } else {
        fxi_hlo_span word = fxi_mlir_word(p);
        const char *found = word.length == 1 ? strchr(letter, *word.at) : NULL;
        if (!found || !*found)
            return fxi_mlir_error_at(p, place, "expected '%c', '%c' or a number", letter[0], letter[1]);
        meaning = found - letter;
    }
    if (axes[meaning] >= 0) return fxi_mlir_error_at(p, place, "an axis stands twice");
    axes[meaning] = axis;
    return true;
}

static bool read_axes(fxi_hlo_parser *p, fxi_hlo_conv *conv, int which) {
    int64_t *axes = axes_of(conv, which);
    int n = 0;
    fxi_hlo_place place = fxi_mlir_here(p);
    FX_TRY(fxi_mlir_expect(p, "["));
    do {
        if (n == FX_MAX_RANK) return fxi_mlir_error(p, "more than %d axes", FX_MAX_RANK);
        FX_TRY(read_axis(p, letters[which], axes, n++));
    } while (fxi_mlir_eat(p, ","));
    FX_TRY(fxi_mlir_expect(p, "]"));
    for (int i = 0; i < n; i++)
        if (axes[i] < 0) return fxi_mlir_error_at(p, place, "an axis is missing");
    if (which > 0 && n != conv->rank)
        return fxi_mlir_error_at(p, place, "%d axes, but %d before", n, conv->rank);
    if (n < 2) return fxi_mlir_error_at(p, place, "fewer than two axes");
    conv->rank = n;
    return true;
}

/* ---- raw ---- */

static bool read_raw_axes(fxi_hlo_parser *p, fxi_hlo_conv *conv, int64_t *axes) {
    fxi_hlo_place place = fxi_mlir_here(p);
    const fxi_hlo_attr *ints = fxi_mlir_read_ints(p, false);
    if (!ints) return false;
    if (ints->u.ints.n > FX_MAX_RANK - 2)
        return fxi_mlir_error_at(p, place, "more than %d axes", FX_MAX_RANK);
    int rank = (int)ints->u.ints.n + 2;
    if (conv->rank > 0 && conv->rank != rank) return fxi_mlir_error_at(p, place, "another number of axes");
    conv->rank = rank;
    for (int i = 2; i < rank; i++) axes[i] = ints->u.ints.v[i - 2];
    return true;
}

static bool read_raw_field(fxi_hlo_parser *p, fxi_hlo_conv *conv) {
    static const char *const names[3][3] = {
        {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"},
        {"kernel_output_feature_dimension", "kernel_input_feature_dimension", "kernel_spatial_dimensions"},
        {"output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions"}};
    for (int i = 0; i < 9; i++) {
        if (!fxi_mlir_eat_word(p, names[i / 3][i % 3])) continue;
        int64_t *axes = axes_of(conv, i / 3);
        FX_TRY(fxi_mlir_expect(p, "="));
        return i % 3 == 2 ? read_raw_axes(p, conv, axes) : fxi_mlir_read_int(p, &axes[i % 3]);
    }
    return fxi_mlir_expected(p, "a field of #stablehlo.conv<raw ...>");
}

/* Every position once. */
static bool is_permutation(const int64_t *axes, int n) {
    uint32_t seen = 0;
    for (int i = 0; i < n; i++)
        if (axes[i] >= 0 && axes[i] < n) seen |= UINT32_C(1) << axes[i];
    return n >= 2 && seen == (UINT32_C(1) << n) - 1;
}

static bool read_raw(fxi_hlo_parser *p, fxi_hlo_conv *conv, fxi_hlo_place place) {
    do FX_TRY(read_raw_field(p, conv));
    while (fxi_mlir_eat(p, ","));
    for (int i = 0; i < 3; i++)
        if (!is_permutation(axes_of(conv, i), conv->rank))
            return fxi_mlir_error_at(p, place, "the axes are not each of 0 to %d once", conv->rank - 1);
    return true;
}

fxi_hlo_attr *fxi_mlir_read_conv(fxi_hlo_parser *p) {
    fxi_hlo_attr *attr = fxi_mlir_new_attr(p, FXI_HLO_ATTR_CONV, fxi_mlir_here(p));
    fxi_hlo_conv *conv = fxi_mlir_new(p, 1, sizeof *conv);
    if (!attr || !conv) return NULL;
    attr->u.conv = conv;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < FX_MAX_RANK; k++) axes_of(conv, i)[k] = -1;
    if (fxi_mlir_eat_word(p, "raw")) return read_raw(p, conv, attr->place) ? attr : NULL;
    bool ok = read_axes(p, conv, 0) && fxi_mlir_expect(p, "x") && read_axes(p, conv, 1) &&
              fxi_mlir_expect(p, "->") && read_axes(p, conv, 2);
    return ok ? attr : NULL;
}
