/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of losses: operands are labels, predictions, and mask and weights where an attribute says
 * so; of a derivative also the adjoint of the losses, which are then not reduced unless an attribute says how. */
#include "ops/cases.h"
#include <fluxion/loss.h>

static fx_loss_reduction reduction_of(const golden_case *c, const char *otherwise) {
    const char *word = golden_word(c, "reduction", otherwise);
    return strcmp(word, "sum") == 0        ? FX_LOSS_SUM
           : strcmp(word, "none") == 0     ? FX_LOSS_NONE
           : strcmp(word, "weighted") == 0 ? FX_LOSS_WEIGHTED_MEAN
                                           : FX_LOSS_MEAN;
}

static fx_loss_options options_of(const case_args *a, const char *reduction, size_t *next) {
    fx_loss_options o = {.size = sizeof o, .reduction = reduction_of(a->c, reduction)};
    *next = 2;
    if (golden_has(a->c, "mask")) o.mask = a->in[(*next)++];
    if (golden_has(a->c, "weights")) o.weights = a->in[(*next)++];
    o.label_smoothing = golden_real(a->c, "smoothing", 0);
    return o;
}

typedef fx_node *(*loss_fn)(const case_args *a, const fx_loss_options *o);

static void value_of(const case_args *a, loss_fn loss) {
    size_t next;
    const fx_loss_options o = options_of(a, "mean", &next);
    a->out[0] = loss(a, &o);
}

static void vjp_of(const case_args *a, loss_fn loss) {
    size_t next;
    const fx_loss_options o = options_of(a, "none", &next);
    fx_vjp(FX_NODES(loss(a, &o)), FX_NODES(a->in[next]), FX_NODES(a->in[1]), a->out);
}

#define LOSS(op, ...)                                                                                        \
    static fx_node *loss_##op(const case_args *a, const fx_loss_options *o) {                                \
        return fx_loss_##op(a->in[0], a->in[1], __VA_ARGS__ o);                                              \
    }                                                                                                        \
    void case_loss_##op(const case_args *a) { value_of(a, loss_##op); }                                      \
    void case_vjp_loss_##op(const case_args *a) { vjp_of(a, loss_##op); }
#define REAL(key) golden_real(a->c, key, 0)

LOSS(mean_squared_error, )
LOSS(mean_absolute_error, )
LOSS(hinge, )
LOSS(huber, REAL("delta"), )
LOSS(adaptive_power, REAL("near"), REAL("far"), REAL("middle"), REAL("sharpness"), )
LOSS(binary_cross_entropy, )
LOSS(binary_cross_entropy_logits, )
LOSS(categorical_cross_entropy, )
LOSS(categorical_cross_entropy_logits, )
LOSS(sparse_categorical_cross_entropy_logits, )
LOSS(kl_divergence, )
LOSS(kl_divergence_logits, )
LOSS(euclidean_distance_square, )
LOSS(euclidean_distance, )
LOSS(cosine_distance, )

static fx_node *loss_triplet(const case_args *a, const fx_loss_options *o) {
    const char *mining = golden_word(a->c, "mining", ""), *metric = golden_word(a->c, "metric", "");
    const fx_triplet_options t = {
        .mining = strcmp(mining, "all") == 0    ? FX_TRIPLET_ALL
                  : strcmp(mining, "hard") == 0 ? FX_TRIPLET_HARD
                                                : FX_TRIPLET_SEMI_HARD,
        .distance = strcmp(metric, "square") == 0   ? FX_TRIPLET_L2_SQUARE
                    : strcmp(metric, "cosine") == 0 ? FX_TRIPLET_COSINE
                                                    : FX_TRIPLET_L2,
        .margin = REAL("margin"),
    };
    return fx_loss_triplet(a->in[0], a->in[1], &t, o);
}
void case_loss_triplet(const case_args *a) { value_of(a, loss_triplet); }

static fx_node *loss_ctc(const case_args *a, const fx_loss_options *o) {
    size_t next = 2;
    fx_ctc_options ctc = {.size = sizeof ctc, .blank = golden_int(a->c, "blank", 0)};
    if (golden_int(a->c, "counts", 0)) ctc.label_counts = a->in[next++];
    if (golden_int(a->c, "frames", 0)) ctc.frame_counts = a->in[next];
    return fx_loss_ctc(a->in[0], a->in[1], &ctc, o);
}
void case_loss_ctc(const case_args *a) { value_of(a, loss_ctc); }

/* The adjoint is the last operand. */
void case_vjp_loss_ctc(const case_args *a) {
    const fx_loss_options none = {.reduction = FX_LOSS_NONE};
    fx_vjp(FX_NODES(loss_ctc(a, &none)), FX_NODES(a->in[a->n_in - 1]), FX_NODES(a->in[1]), a->out);
}
