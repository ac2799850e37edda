/* SPDX-License-Identifier: Apache-2.0 */
/* What layers share (params.c): the checks of parameters that a caller may leave out. Each refuses under the
 * layer's name, naming the parameter. */
#ifndef FXI_NN_INTERNAL_H
#define FXI_NN_INTERNAL_H

#include "ops/ops.h"
#include <fluxion/nn.h>

/* Begins with those of the operands that are not NULL; the first must be there. At most 8. */
bool fxi_nn_begin(fxi_build *b, const char *name, fx_node *const *operands, size_t count);
/* A parameter is of x's dtype, or of float32 beside a half type. NULL passes, here and below. */
bool fxi_nn_dtype(const fxi_build *b, const fx_node *x, const fx_node *parameter, const char *what);
/* The same, and its axes are x's last ones, each of x's dimension or 1. */
bool fxi_nn_trailing(const fxi_build *b, const fx_node *x, const fx_node *parameter, const char *what);
/* The same, and it has these dimensions. */
bool fxi_nn_exactly(const fxi_build *b, const fx_node *x, const fx_node *parameter, fx_dims dims,
                    const char *what);
bool fxi_nn_epsilon(const fxi_build *b, double epsilon);
/* A wide parameter over the last axes of a result of those dimensions; one of a single axis along `axis`. */
fx_node *fxi_nn_spread(const fxi_build *b, fx_node *parameter, const fx_shape *dims);
fx_node *fxi_nn_along(const fxi_build *b, fx_node *parameter, const fx_shape *dims, int64_t axis);

#endif
