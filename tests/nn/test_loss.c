/* SPDX-License-Identifier: Apache-2.0 */
/* What losses refuse, and their shapes; their values and derivatives are golden cases of the family loss. */
#include "support/graph_helpers.h"
#include <fluxion/loss.h>
#include <math.h>

#define P(dtype, ...) parameter(g, FX_SHAPE(dtype, __VA_ARGS__))
#define OPTIONS(...) (&(fx_loss_options){__VA_ARGS__})

static void test_operands(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_loss_mean_squared_error: int32 has no loss; convert to a float dtype first",
                   fx_loss_mean_squared_error(P(FX_S32, 3), P(FX_S32, 3), NULL));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_loss_mean_squared_error: dtypes float32 and float64 differ; convert one of them with "
                   "fx_convert",
                   fx_loss_mean_squared_error(P(FX_F64, 3), P(FX_F32, 3), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_loss_mean_absolute_error: labels (float32)[3] do not go with predictions (float32)[3, "
                   "1]: the dimensions must be equal",
                   fx_loss_mean_absolute_error(P(FX_F32, 3), P(FX_F32, 3, 1), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_loss_categorical_cross_entropy_logits: the predictions (float32) have no last axis",
                   fx_loss_categorical_cross_entropy_logits(parameter(g, FX_SHAPE(FX_F32)),
                                                            parameter(g, FX_SHAPE(FX_F32)), NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_loss_hinge: labels is NULL",
                   fx_loss_hinge(NULL, P(FX_F32, 3), NULL));
    assert_null(fx_loss_hinge(NULL, NULL, NULL));
}

static void test_classes(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_loss_sparse_categorical_cross_entropy_logits: the labels are float32; numbers of "
                   "classes are integers",
                   fx_loss_sparse_categorical_cross_entropy_logits(P(FX_F32, 3), P(FX_F32, 3, 4), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_loss_sparse_categorical_cross_entropy_logits: labels (int32)[3, 4] do not go with "
                   "predictions (float32)[3, 4]: they have the same dimensions without the last one, or with "
                   "1 there",
                   fx_loss_sparse_categorical_cross_entropy_logits(P(FX_S32, 3, 4), P(FX_F32, 3, 4), NULL));
}

static void test_options(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_loss_huber: delta is 0; it must be a number above 0",
                   fx_loss_huber(P(FX_F32, 3), P(FX_F32, 3), 0, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_loss_huber: delta is inf; it must be a number above 0",
                   fx_loss_huber(P(FX_F32, 3), P(FX_F32, 3), (double)INFINITY, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_loss_adaptive_power: middle is -1; it must be a number above 0",
                   fx_loss_adaptive_power(P(FX_F32, 3), P(FX_F32, 3), 2, 1, -1, 1, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_loss_hinge: there is no reduction 4",
                   fx_loss_hinge(P(FX_F32, 3), P(FX_F32, 3), OPTIONS(.reduction = (fx_loss_reduction)4)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT,
                   "fx_loss_binary_cross_entropy: the label smoothing is 1; it must be in [0, 1)",
                   fx_loss_binary_cross_entropy(P(FX_F32, 3), P(FX_F32, 3), OPTIONS(.label_smoothing = 1)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_loss_hinge: options.size is 4; it must be 40 or 0",
                   fx_loss_hinge(P(FX_F32, 3), P(FX_F32, 3), OPTIONS(.size = 4)));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_loss_hinge: axis 0 of the mask [3] is 3, that of x [2, 3] is 2; the first axes are aligned, "
        "each of the same dimension or 1",
        fx_loss_hinge(P(FX_F32, 2, 3), P(FX_F32, 2, 3), OPTIONS(.mask = P(FX_BOOL, 3))));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_loss_hinge: the weights are float64 and the predictions float32",
                   fx_loss_hinge(P(FX_F32, 3), P(FX_F32, 3), OPTIONS(.weights = P(FX_F64, 3))));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_loss_kl_divergence: the axes of the weights [2, 3] are 2, those of losses [2] only 1",
        fx_loss_kl_divergence(P(FX_F32, 2, 3), P(FX_F32, 2, 3), OPTIONS(.weights = P(FX_F32, 2, 3))));
}

static void test_triplets(void **state) {
    (void)state;
#define TRIPLET(...) fx_loss_triplet(P(FX_S32, 3), P(FX_F32, 3, 4), &(fx_triplet_options){__VA_ARGS__}, NULL)
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_loss_triplet: the embeddings (float32)[2, 3, 4] must have rank 2",
                   fx_loss_triplet(P(FX_S32, 2, 3), P(FX_F32, 2, 3, 4), NULL, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_loss_triplet: there is no mining 3",
                   TRIPLET(.mining = (fx_triplet_mining)3));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_loss_triplet: there is no distance -1",
                   TRIPLET(.distance = (fx_triplet_distance)-1));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_loss_triplet: the margin is nan; it must be finite",
                   TRIPLET(.margin = (double)NAN));
}

static void test_ctc(void **state) {
    (void)state;
#define CTC(labels, logits, ...) fx_loss_ctc(labels, logits, &(fx_ctc_options){__VA_ARGS__}, NULL)
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_loss_ctc: labels (int32)[3] do not go with logits (float32)[3, 4]: they are [N, L] and "
        "[N, frames, C]",
        CTC(P(FX_S32, 3), P(FX_F32, 3, 4), .blank = 0));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_loss_ctc: the labels are float32; numbers of classes are integers",
                   CTC(P(FX_F32, 3, 2), P(FX_F32, 3, 4, 5), .blank = 0));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_loss_ctc: the blank is 5; there are 5 classes",
                   CTC(P(FX_S32, 3, 2), P(FX_F32, 3, 4, 5), .blank = 5));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_loss_ctc: the label counts are (int32)[2]; they must be integers [3]",
                   CTC(P(FX_S32, 3, 2), P(FX_F32, 3, 4, 5), .label_counts = P(FX_S32, 2)));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_loss_ctc: the frame counts are (float32)[3]; they must be integers [3]",
                   CTC(P(FX_S32, 3, 2), P(FX_F32, 3, 4, 5), .frame_counts = P(FX_F32, 3)));
}

static void test_shapes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = P(FX_BF16, 2, 3, 4), *classes = P(FX_U8, 2, 3, 1);
    assert_node(fx_loss_mean_squared_error(x, x, NULL), "convert", "(bfloat16)");
    assert_node(fx_loss_mean_squared_error(x, x, OPTIONS(.reduction = FX_LOSS_NONE)), "convert",
                "(bfloat16)[2, 3, 4]");
    assert_node(
        fx_loss_sparse_categorical_cross_entropy_logits(classes, x, OPTIONS(.reduction = FX_LOSS_NONE)),
        "convert", "(bfloat16)[2, 3]");
    assert_no_error(g);
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operands), cmocka_unit_test(test_classes), cmocka_unit_test(test_options),
        cmocka_unit_test(test_triplets), cmocka_unit_test(test_ctc),     cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
