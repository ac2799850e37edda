/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of Fourier transforms: shapes, and what they refuse. Values are golden cases (tests/golden/fft.py). */
#include "support/graph_helpers.h"
#include <fluxion/fft.h>

static void shapes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *c = parameter(g, FX_SHAPE(FX_C64, 3, 4, 5)), *r = parameter(g, FX_SHAPE(FX_F64, 3, 4, 5));
    assert_node(fx_fft(c, FX_DIMS()), "fft", "(complex64)[3, 4, 5]");
    assert_node(fx_ifft(c, FX_DIMS(4, 5)), "fft", "(complex64)[3, 4, 5]");
    assert_node(fx_inverse_fft(c, FX_DIMS(7)), "fft", "(complex64)[3, 4, 7]");
    assert_node(fx_rfft(r, FX_DIMS()), "fft", "(complex128)[3, 4, 3]");
    assert_node(fx_real_fft(r, FX_DIMS(6)), "fft", "(complex128)[3, 4, 4]");
    assert_node(fx_irfft(c, FX_DIMS()), "fft", "(float32)[3, 4, 8]");
    assert_node(fx_inverse_real_fft(c, FX_DIMS(2, 9)), "fft", "(float32)[3, 2, 9]");
    assert_node(fx_fftn(c, FX_AXES(), FX_DIMS()), "fft", "(complex64)[3, 4, 5]");
    assert_node(fx_rfftn(r, FX_AXES(0), FX_DIMS()), "transpose", "(complex128)[2, 4, 5]");
    assert_node(fx_irfftn(c, FX_AXES(2, 0), FX_DIMS(3, 6)), "transpose", "(float32)[6, 4, 3]");
    assert_node(fx_fft(parameter(g, FX_SHAPE(FX_C128, 2, 0)), FX_DIMS()), "fft", "(complex128)[2, 0]");
    assert_node(fx_rfft(parameter(g, FX_SHAPE(FX_F32, 0)), FX_DIMS()), "fft", "(complex64)[0]");
    assert_node(fx_irfft(parameter(g, FX_SHAPE(FX_C64, 0)), FX_DIMS()), "fft", "(float32)[0]");
    assert_node(fx_fftfreq(g, 5, 1, FX_F16), "convert", "(float16)[5]");
    assert_no_error(g);
    fx_graph_free(g);
}

static void refusals(void **state) {
    (void)state;
    const fx_shape c = FX_SHAPE(FX_C64, 3, 4), r = FX_SHAPE(FX_F32, 3, 4), half = FX_SHAPE(FX_F16, 4);
    const fx_shape scalar = FX_SHAPE(FX_C64), one = FX_SHAPE(FX_C64, 3, 1);
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_fft: the operand is float32; it must be complex64 or complex128 (fx_convert converts)",
                   fx_fft(parameter(g, r), FX_DIMS()));
    const fx_shape long_axis = FX_SHAPE(FX_C64, 0, INT64_MAX / 2 + 1);
    ASSERT_REFUSED(FX_ERROR_MEMORY, "fx_irfft: the real side of axis 1 does not fit into 63 bits",
                   fx_irfft(parameter(g, long_axis), FX_DIMS()));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_rfft: the operand is float16; it must be float32 or float64 (fx_convert converts)",
                   fx_rfft(parameter(g, half), FX_DIMS()));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_rfftn: the operand is complex64; it must be float32 or float64 (fx_convert converts)",
                   fx_rfftn(parameter(g, c), FX_AXES(0), FX_DIMS()));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_fft: 1 axes to transform of (complex64), which has rank 0",
                   fx_fft(parameter(g, scalar), FX_DIMS()));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_fftn: 0 axes to transform of (complex64), which has rank 0",
                   fx_fftn(parameter(g, scalar), FX_AXES(), FX_DIMS()));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_ifft: 3 axes to transform of (complex64)[3, 4], which has rank 2",
                   fx_ifft(parameter(g, c), FX_DIMS(1, 2, 3)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_fftn: axis 0 of (complex64)[3, 4] is named twice",
                   fx_fftn(parameter(g, c), FX_AXES(0, -2), FX_DIMS()));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_ifftn: axis 2 is out of range for (complex64)[3, 4] (rank 2)",
                   fx_ifftn(parameter(g, c), FX_AXES(2), FX_DIMS()));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_ifftn: 1 lengths for 2 axes",
                   fx_ifftn(parameter(g, c), FX_AXES(0, 1), FX_DIMS(4)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_fft: length -1 is negative", fx_fft(parameter(g, c), FX_DIMS(-1)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_fft: the lengths are NULL",
                   fx_fft(parameter(g, c), (fx_dims){NULL, 1}));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_fftn: the axes are NULL",
                   fx_fftn(parameter(g, c), (fx_axes){NULL, 1}, FX_DIMS()));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_irfft: axis 1 of (complex64)[3, 1] has one element, which does not tell the length of the "
                   "real side; name the lengths",
                   fx_irfft(parameter(g, one), FX_DIMS()));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_fftshift: axis 2 is out of range for (complex64)[3, 4] (rank 2)",
                   fx_fftshift(parameter(g, c), FX_AXES(2)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_ifftshift: axis 1 of (complex64)[3, 4] is named twice",
                   fx_ifftshift(parameter(g, c), FX_AXES(1, 1)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_fftfreq: n is 0; it must be positive", fx_fftfreq(g, 0, 1, FX_F32));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_rfftfreq: the dtype is int32; it must be a float",
                   fx_rfftfreq(g, 4, 1, FX_S32));
    assert_null(fx_fft(NULL, FX_DIMS()));
}

/* What no builder makes, but a reader of graphs could. */
static void rule_refusals(void **state) {
    (void)state;
    static const struct {
        int64_t kind;
        fx_shape x;
        int64_t length;
        const char *message;
    } rows[] = {
        {FXI_FFT_KINDS, {FX_C64, 1, {4}}, 4, "fft: there is no kind 4"},
        {FXI_FFT_FORWARD, {FX_F32, 1, {4}}, 4,
         "fft: the operand is float32; it must be complex64 or complex128 (fx_convert converts)"},
        {FXI_FFT_FORWARD, {FX_C64, 0, {0}}, 4, "fft: 1 axes to transform of (complex64), which has rank 0"},
        {FXI_FFT_INVERSE, {FX_C64, 2, {3, 4}}, 5, "fft: length 5 needs 5 elements along axis 1; [3, 4] has 4"},
        {FXI_FFT_INVERSE_REAL, {FX_C64, 1, {4}}, 8, "fft: length 8 needs 5 elements along axis 0; [4] has 4"},
        {FXI_FFT_INVERSE_REAL, {FX_C64, 1, {0}}, -1, "fft: length -1 needs -1 elements along axis 0; [0] has 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const fx_shape *x = &rows[i].x;
        const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_TRANSFORM, rows[i].kind),
                                  fxi_attr_ints(FXI_ATTR_LENGTHS, &rows[i].length, 1)};
        const fxi_shape_args args = {
            .name = "fft", .op = FX_OP_FFT, .operands = &x, .operand_count = 1, .attrs = attrs, .attr_count = 2};
        fx_shape result;
        fx_error err = {.code = FX_OK};
        assert_false(fxi_shape_infer(&args, &result, &err));
        assert_string_equal(err.message, rows[i].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes), cmocka_unit_test(refusals),
                                       cmocka_unit_test(rule_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
