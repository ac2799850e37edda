/* SPDX-License-Identifier: Apache-2.0 */
/* What the products under other names refuse. Values are golden cases of the family einsum. */
#include "support/graph_helpers.h"
#include <fluxion/einsum.h>
#include <fluxion/ops.h>
#include <stdio.h>

static fx_node *tensordot(fx_node *x, fx_node *y) {
    return fx_tensordot(x, y, FX_AXES(0), FX_AXES(0));
}
static fx_node *tensordot_count(fx_node *x, fx_node *y) {
    return fx_tensordot_count(x, y, 1);
}
static fx_node *einsum_axes(fx_node *x, fx_node *y) {
    return fx_einsum_axes(x, y, (fx_axis_pairs){NULL, 0}, (fx_axis_pairs){NULL, 0});
}

static const struct row {
    const char *name;
    fx_node *(*apply)(fx_node *, fx_node *);
} rows[] = {
    {"fx_tensordot", tensordot},
    {"fx_tensordot_count", tensordot_count},
    {"fx_einsum_axes", einsum_axes},
    {"fx_outer", fx_outer},
    {"fx_kron", fx_kron},
    {"fx_vdot", fx_vdot},
    {"fx_inner", fx_inner},
};

static void test_dtypes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s: dtypes int8 and uint8 differ; convert one of them with fx_convert",
                 rows[i].name);
        ASSERT_REFUSED(FX_ERROR_DTYPE, text,
                       rows[i].apply(parameter(g, FX_SHAPE(FX_S8, 2)), parameter(g, FX_SHAPE(FX_U8, 2))));
        snprintf(text, sizeof text,
                 "%s: bool is not accepted; it takes integer, float, complex dtypes (fx_convert converts)",
                 rows[i].name);
        ASSERT_REFUSED(FX_ERROR_DTYPE, text,
                       rows[i].apply(parameter(g, FX_SHAPE(FX_BOOL, 2)), parameter(g, FX_SHAPE(FX_BOOL, 2))));
        snprintf(text, sizeof text, "%s: operand 1 is NULL", rows[i].name);
        ASSERT_REFUSED(FX_ERROR_ARGUMENT, text, rows[i].apply(parameter(g, FX_SHAPE(FX_F32, 2)), NULL));
    }
}

#define PAIRS(...)                                                                                           \
    ((fx_axis_pairs){(const fx_axis_pair[]){__VA_ARGS__},                                                    \
                     sizeof((fx_axis_pair[]){__VA_ARGS__}) / sizeof(fx_axis_pair)})
#define NONE ((fx_axis_pairs){NULL, 0})
#define F32(...) parameter(g, FX_SHAPE(FX_F32, __VA_ARGS__))

static void test_einsum_axes(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_einsum_axes: axis 1 of lhs, (float32)[2, 2], is named twice",
                   fx_einsum_axes(F32(2, 2), F32(2, 2), PAIRS({1, 0}), PAIRS({-1, 1})));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_einsum_axes: axis 0 of rhs, (float32)[2, 2], is named twice",
                   fx_einsum_axes(F32(2, 2), F32(2, 2), PAIRS({1, 0}, {0, 0}), NONE));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_einsum_axes: axis 2 is out of range for (float32)[2, 2] (rank 2)",
                   fx_einsum_axes(F32(2, 2), F32(2, 2), PAIRS({2, 0}), NONE));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_einsum_axes: axes 1 of (float32)[2, 3] and 0 of (float32)[4] are paired, but have 3 and 4",
        fx_einsum_axes(F32(2, 3), F32(4), NONE, PAIRS({1, 0})));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_einsum_axes: the pairs are NULL",
                   fx_einsum_axes(F32(2), F32(2), (fx_axis_pairs){NULL, 1}, NONE));
}

static void test_tensordot(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_tensordot: 1 axes of x and 2 of y make no pairs",
                   fx_tensordot(F32(2, 3), F32(3, 2), FX_AXES(0), FX_AXES(0, 1)));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_tensordot: axes 0 of (float32)[2, 3] and 0 of (float32)[3, 2] are paired, but have 2 and 3",
        fx_tensordot(F32(2, 3), F32(3, 2), FX_AXES(0), FX_AXES(0)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_tensordot: axis 1 of lhs, (float32)[2, 2], is named twice",
                   fx_tensordot(F32(2, 2), F32(2, 2), FX_AXES(1, -1), FX_AXES(0, 1)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_tensordot: the axes are NULL",
                   fx_tensordot(F32(2), F32(2), (fx_axes){NULL, 1}, (fx_axes){NULL, 1}));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_tensordot_count: 3 axes of (float32)[2, 3] and (float32)[2, 3, 4]",
                   fx_tensordot_count(F32(2, 3), F32(2, 3, 4), 3));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_tensordot_count: -1 axes of (float32)[2] and (float32)[2]",
                   fx_tensordot_count(F32(2), F32(2), -1));
}

static void test_vectors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_vdot: (float32)[2, 3] and (float32)[5] differ in size",
                   fx_vdot(F32(2, 3), F32(5)));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_inner: axes 1 of (float32)[2, 3] and 0 of (float32)[2] are paired, but have 3 and 2",
                   fx_inner(F32(2, 3), F32(2)));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_kron: (float32)[1, 1, 1, 1, 1, 1, 1, 1, 1] and (float32)[2]: the rank must not be above 8",
        fx_kron(F32(1, 1, 1, 1, 1, 1, 1, 1, 1), F32(2)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dtypes),
        cmocka_unit_test(test_einsum_axes),
        cmocka_unit_test(test_tensordot),
        cmocka_unit_test(test_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
