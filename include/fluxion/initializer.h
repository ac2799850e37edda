/* SPDX-License-Identifier: Apache-2.0 */
/* First values of weights: draws (random.h) whose spread follows from the shape. All of those without
 * further arguments have one type, so that a layer can be given one.
 *
 * Fans. The inputs and outputs that a weight connects: of [in, out] its dimensions; of more axes, [window
 * axes..., in, out], those two times the product of the window axes. Weights of fewer than two axes, which
 * are biases and gains, have none: initializers that use fans give zeros for them and leave the state
 * alone. */
#ifndef FLUXION_INITIALIZER_H
#define FLUXION_INITIALIZER_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An initializer: values of a shape, and the state after them (new_state NULL: not wanted). */
typedef fx_node *fx_initializer(fx_node *state, const fx_shape *shape, fx_node **new_state);

/* Zeros, any dtype; the state stays as it is. */
FX_API fx_node *fx_init_zeros(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* Ones, any dtype; the state stays as it is. */
FX_API fx_node *fx_init_ones(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* Normal with mean 0 and a standard deviation >= 0. Floats. */
FX_API fx_node *fx_init_normal(fx_node *state, double deviation, const fx_shape *shape, fx_node **new_state);
/* Uniform in [lo, hi). Floats. */
FX_API fx_node *fx_init_uniform(fx_node *state, double lo, double hi, const fx_shape *shape,
                                fx_node **new_state);
/* deviation times a normal value within +-2, scaled so that `deviation`, >= 0, is what the result has.
 * Floats. */
FX_API fx_node *fx_init_truncated_normal(fx_node *state, double deviation, const fx_shape *shape,
                                         fx_node **new_state);

/* Which fan a variance is divided by. */
typedef enum fx_fan { FX_FAN_IN, FX_FAN_OUT, FX_FAN_AVERAGE } fx_fan;
/* How values with a variance are distributed: normal, normal within +-2 deviations, uniform about 0. */
typedef enum fx_spread { FX_SPREAD_NORMAL, FX_SPREAD_TRUNCATED, FX_SPREAD_UNIFORM } fx_spread;
/* Values with mean 0 and variance scale / fan, scale >= 0: what the following functions are made of.
 * Floats. */
FX_API fx_node *fx_init_variance_scaling(fx_node *state, double scale, fx_fan fan, fx_spread spread,
                                         const fx_shape *shape, fx_node **new_state);

/* Glorot and Bengio (2010), also named after Xavier: variance 1 / average fan, uniform within
 * +-sqrt(6 / (in + out)). Floats. */
FX_API fx_node *fx_init_glorot_uniform(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* The same variance, normal. Floats. */
FX_API fx_node *fx_init_glorot_normal(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* He et al. (2015), for relu: variance 2 / fan in, uniform within +-sqrt(6 / in). Floats. */
FX_API fx_node *fx_init_he_uniform(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* The same variance, normal. Floats. */
FX_API fx_node *fx_init_he_normal(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* LeCun et al. (1998): variance 1 / fan in, uniform within +-sqrt(3 / in). Floats. */
FX_API fx_node *fx_init_lecun_uniform(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* The same variance, normal. Floats. */
FX_API fx_node *fx_init_lecun_normal(fx_node *state, const fx_shape *shape, fx_node **new_state);

/* gain times a matrix [product of the leading axes, last axis] with orthonormal columns, or rows where it
 * has fewer rows than columns, uniform among them (Saxe et al. 2014; signs as Mezzadri 2007 has them).
 * Floats of at least two axes; halves are computed in float32. */
FX_API fx_node *fx_init_orthogonal(fx_node *state, double gain, const fx_shape *shape, fx_node **new_state);

#ifdef __cplusplus
}
#endif

#endif
