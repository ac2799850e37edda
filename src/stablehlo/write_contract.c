/* SPDX-License-Identifier: Apache-2.0 */
/* Products, convolutions, transforms and what StableHLO has of linear algebra. Precision is asked for as
 * HIGHEST: a float32 product is one of float32 on every device, as it is on a processor. */
#include "stablehlo/write.h"

static void attr_precision(fxi_writer *w) {
    fxi_write_attr(w, "precision_config", "[#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]");
}

static void add_axes(fxi_writer *w, const char *name, fx_dims axes, const char *after) {
    fxi_text_add(&w->attrs, "%s = ", name);
    fxi_write_list(&w->attrs, axes);
    fxi_text_add(&w->attrs, "%s", after);
}

void fxi_write_dot_general(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_write_attr(w, "dot_dimension_numbers", "#stablehlo.dot<");
    add_axes(w, "lhs_batching_dimensions", fxi_node_ints(n, FXI_ATTR_LHS_BATCH), ", ");
    add_axes(w, "rhs_batching_dimensions", fxi_node_ints(n, FXI_ATTR_RHS_BATCH), ", ");
    add_axes(w, "lhs_contracting_dimensions", fxi_node_ints(n, FXI_ATTR_LHS_CONTRACT), ", ");
    add_axes(w, "rhs_contracting_dimensions", fxi_node_ints(n, FXI_ATTR_RHS_CONTRACT), ">");
    attr_precision(w);
    fxi_write_node(w, s, n, "stablehlo.dot_general");
}

/* "[b, 0, 1, f]": what each axis is, by a layout that lists the axes of the two letters and of the spatial
 * dimensions. */
static void add_layout(fxi_writer *w, fx_dims layout, char first, char second) {
    fxi_text_add(&w->attrs, "[");
    for (size_t axis = 0; axis < layout.n; axis++) {
        size_t role = 0;
        while (role < layout.n && layout.v[role] != (int64_t)axis) role++;
        if (axis) fxi_text_add(&w->attrs, ", ");
        if (role < 2)
            fxi_text_add(&w->attrs, "%c", role == 0 ? first : second);
        else
            fxi_text_add(&w->attrs, "%zu", role - 2);
    }
    fxi_text_add(&w->attrs, "]");
}

void fxi_write_convolution(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_write_attr_ints(w, "window_strides", fxi_node_ints(n, FXI_ATTR_STRIDES));
    fxi_write_attr_padding(w, "padding", fxi_node_ints(n, FXI_ATTR_LOW), fxi_node_ints(n, FXI_ATTR_HIGH));
    fxi_write_attr_ints(w, "lhs_dilation", fxi_node_ints(n, FXI_ATTR_INPUT_DILATION));
    fxi_write_attr_ints(w, "rhs_dilation", fxi_node_ints(n, FXI_ATTR_KERNEL_DILATION));
    fxi_write_attr_bools(w, "window_reversal", fxi_node_ints(n, FXI_ATTR_REVERSED));
    fxi_write_attr(w, "dimension_numbers", "#stablehlo.conv<");
    add_layout(w, fxi_node_ints(n, FXI_ATTR_INPUT_LAYOUT), 'b', 'f');
    fxi_text_add(&w->attrs, "x");
    add_layout(w, fxi_node_ints(n, FXI_ATTR_KERNEL_LAYOUT), 'o', 'i');
    fxi_text_add(&w->attrs, "->");
    add_layout(w, fxi_node_ints(n, FXI_ATTR_OUTPUT_LAYOUT), 'b', 'f');
    fxi_text_add(&w->attrs, ">");
    fxi_write_attr(w, "feature_group_count", "%lld : i64",
                   (long long)fxi_node_int(n, FXI_ATTR_FEATURE_GROUPS));
    fxi_write_attr(w, "batch_group_count", "%lld : i64", (long long)fxi_node_int(n, FXI_ATTR_BATCH_GROUPS));
    attr_precision(w);
    fxi_write_node(w, s, n, "stablehlo.convolution");
}

void fxi_write_fft(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    static const char *const words[FXI_FFT_KINDS] = {[FXI_FFT_FORWARD] = "FFT",
                                                     [FXI_FFT_INVERSE] = "IFFT",
                                                     [FXI_FFT_REAL] = "RFFT",
                                                     [FXI_FFT_INVERSE_REAL] = "IRFFT"};
    fxi_write_attr_word(w, "fft_type", "fft_type", words[fxi_node_int(n, FXI_ATTR_TRANSFORM)]);
    fxi_write_attr_ints(w, "fft_length", fxi_node_ints(n, FXI_ATTR_LENGTHS));
    fxi_write_node(w, s, n, "stablehlo.fft");
}

static void attr_flag(fxi_writer *w, const char *name, const fx_node *n, fxi_attr_id id) {
    fxi_write_attr(w, name, fxi_node_int(n, id) ? "true" : "false");
}

void fxi_write_cholesky(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    attr_flag(w, "lower", n, FXI_ATTR_LOWER);
    fxi_write_node(w, s, n, "stablehlo.cholesky");
}

void fxi_write_triangular_solve(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    static const char *const words[FXI_TRANSPOSES] = {[FXI_TRANSPOSE_NONE] = "NO_TRANSPOSE",
                                                      [FXI_TRANSPOSE_PLAIN] = "TRANSPOSE",
                                                      [FXI_TRANSPOSE_ADJOINT] = "ADJOINT"};
    attr_flag(w, "left_side", n, FXI_ATTR_LEFT);
    attr_flag(w, "lower", n, FXI_ATTR_LOWER);
    attr_flag(w, "unit_diagonal", n, FXI_ATTR_UNIT);
    fxi_write_attr_word(w, "transpose_a", "transpose", words[fxi_node_int(n, FXI_ATTR_TRANSPOSED)]);
    fxi_write_node(w, s, n, "stablehlo.triangular_solve");
}
