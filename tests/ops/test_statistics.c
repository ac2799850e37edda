/* SPDX-License-Identifier: Apache-2.0 */
/* What deviations, norms and similarities refuse; their values are golden cases of the family rows. */
#include "support/graph_helpers.h"
#include <fluxion/ops.h>
#include <fluxion/statistics.h>
#include <stdio.h>

static fx_node *normalize(fx_node *x, fx_axes axes) {
    return fx_l2_normalize_with_epsilon(x, 1, axes);
}

static const struct row {
    const char *name, *what;
    fx_node *(*apply)(fx_node *, fx_axes);
} rows[] = {
    {"fx_reduce_std", "deviation", fx_reduce_std},
    {"fx_reduce_skewness", "skewness", fx_reduce_skewness},
    {"fx_skewness", "skewness", fx_skewness},
    {"fx_reduce_variance", "variance", fx_variance},
    {"fx_l1_norm", "norm", fx_l1_norm},
    {"fx_l2_norm_square", "norm", fx_l2_norm_square},
    {"fx_l2_norm", "norm", fx_l2_norm},
    {"fx_l2_normalize", "norm", fx_l2_normalize},
    {"fx_l2_normalize_with_epsilon", "norm", normalize},
};

static void test_rows(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s: int16 has no %s; convert to a float dtype first", rows[i].name,
                 rows[i].what);
        ASSERT_REFUSED(FX_ERROR_DTYPE, text, rows[i].apply(parameter(g, FX_SHAPE(FX_S16, 3)), FX_AXES(0)));
        snprintf(text, sizeof text, "%s: axis -3 is out of range for (float32)[2, 3] (rank 2)", rows[i].name);
        ASSERT_REFUSED(FX_ERROR_AXIS, text, rows[i].apply(parameter(g, FX_SHAPE(FX_F32, 2, 3)), FX_AXES(-3)));
        assert_null(rows[i].apply(NULL, FX_AXES()));
    }
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_reduce_all_std: bool has no deviation; convert to a float dtype first",
                   fx_reduce_all_std(parameter(g, FX_SHAPE(FX_BOOL, 3))));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_reduce_all_skewness: uint2 has no skewness; convert to a float dtype first",
                   fx_reduce_all_skewness(parameter(g, FX_SHAPE(FX_U2, 3))));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_l2_normalize_with_epsilon: float32 cannot hold 1e+300: its largest number is smaller",
                   fx_l2_normalize_with_epsilon(parameter(g, FX_SHAPE(FX_F32, 3)), 1e300, FX_AXES()));
}

static void test_shapes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_C64, 2, 3));
    assert_node(fx_l2_norm(x, FX_AXES(1)), "select", "(float32)[2, 1]");
    assert_node(fx_l2_norm(x, FX_AXES()), "select", "(float32)");
    assert_no_error(g);
    fx_graph_free(g);
}

static void test_similarities(void **state) {
    (void)state;
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_cosine_similarity: dtypes float32 and float64 differ; convert one of them with fx_convert",
        fx_cosine_similarity(parameter(g, FX_SHAPE(FX_F32, 3)), parameter(g, FX_SHAPE(FX_F64, 3)), 0));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE, "fx_cosine_similarity: int32 has no similarity; convert to a float dtype first",
        fx_cosine_similarity(parameter(g, FX_SHAPE(FX_S32, 3)), parameter(g, FX_SHAPE(FX_S32, 3)), 0));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE, "fx_cosine_similarity: the shapes (float32)[3] and (float32)[1] differ",
        fx_cosine_similarity(parameter(g, FX_SHAPE(FX_F32, 3)), parameter(g, FX_SHAPE(FX_F32, 1)), 0));
    ASSERT_REFUSED(
        FX_ERROR_AXIS, "fx_cosine_similarity: axis 1 is out of range for (float32)[3] (rank 1)",
        fx_cosine_similarity(parameter(g, FX_SHAPE(FX_F32, 3)), parameter(g, FX_SHAPE(FX_F32, 3)), 1));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_cross_cosine_similarity: (float32)[2, 3] and (float32)[2, 4] must agree but for the "
                   "cross axis 0, and "
                   "the contracted one, 1, must be another",
                   fx_cross_cosine_similarity(parameter(g, FX_SHAPE(FX_F32, 2, 3)),
                                              parameter(g, FX_SHAPE(FX_F32, 2, 4)), 1, 0));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_cross_cosine_similarity: (float32)[3, 3] and (float32)[3, 3] must agree but for the "
                   "cross axis 1, and "
                   "the contracted one, 1, must be another",
                   fx_cross_cosine_similarity(parameter(g, FX_SHAPE(FX_F32, 3, 3)),
                                              parameter(g, FX_SHAPE(FX_F32, 3, 3)), 1, -1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_similarities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
