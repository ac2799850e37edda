/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of losses share: the checks at the beginning, the logarithm of a probability, and what mask,
 * weights and reduction make of the single losses. A loss function is begin, a formula in wide nodes, end. */
#ifndef FXI_LOSS_INTERNAL_H
#define FXI_LOSS_INTERNAL_H

#include "ops/ops.h"
#include <fluxion/loss.h>

typedef struct fxi_loss {
    fxi_build b;
    fx_loss_options options;
    fx_node *labels, *predictions; /* half types as float32 */
    fx_dtype dtype;                /* of the predictions, and of the result */
} fxi_loss;

typedef enum fxi_loss_labels {
    FXI_LOSS_LIKE,  /* of the predictions' dtype and shape */
    FXI_LOSS_FLAGS, /* or bool or integers, converted */
    FXI_LOSS_CLASSES, /* integers, of the predictions' shape without the last axis, or with 1 there: they come
                         out without */
    FXI_LOSS_SEQUENCES /* integers, whose shape the caller checks */
} fxi_loss_labels;

/* False, after refusing, when something does not fit; then b.stop is what to return. */
bool fxi_loss_begin(fxi_loss *l, const char *name, fx_node *labels, fx_node *predictions,
                    const fx_loss_options *options, fxi_loss_labels kind);
/* The same for losses along the last axis, which must exist. */
bool fxi_loss_begin_rows(fxi_loss *l, const char *name, fx_node *labels, fx_node *predictions,
                         const fx_loss_options *options, fxi_loss_labels kind);
/* The result, from one loss per element or row; `counts`: a bool of their shape, NULL for all, what counts
 * besides the mask. */
fx_node *fxi_loss_end(const fxi_loss *l, fx_node *losses, fx_node *counts);

/* A number in the wide dtype. */
fx_node *fxi_loss_number(const fxi_loss *l, double value);
/* log p of a probability, which below the smallest normal number of the predictions' dtype goes on as its
 * tangent. */
fx_node *fxi_loss_log(const fxi_loss *l, fx_node *p);
/* The root, 0 with derivative 0 at 0. */
fx_node *fxi_loss_root(const fxi_loss *l, fx_node *square);
/* Sum over the last axis, which disappears. */
fx_node *fxi_loss_row_sum(fx_node *x);

#endif
