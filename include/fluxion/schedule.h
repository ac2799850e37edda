/* SPDX-License-Identifier: Apache-2.0 */
/* Learning rates that change with the step: functions of a step node, for fx_optimizer_step, as nodes that
 * can be multiplied, chosen and combined like any others. The rules at the head of ops.h hold here.
 *
 * A step is a scalar, an integer or a float, that counts the steps made before this one: 0 at first, as the
 * first state of an optimizer does. Negative steps count as 0. Rates are computed in float64 and given as a
 * float32 scalar, float64 when the step is float64. Numbers must be finite, and counts of steps above 0. */
#ifndef FLUXION_SCHEDULE_H
#define FLUXION_SCHEDULE_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* rate at every step. */
FX_API fx_node *fx_schedule_constant(fx_node *step, double rate);
/* From `first` at step 0 straight to `last` at `steps`, and `last` from then on. */
FX_API fx_node *fx_schedule_linear(fx_node *step, double first, double last, double steps);
/* From `first` at step 0 to `last` at `steps` as (first - last) (1 - step / steps)^power + last, and `last`
 * from then on. power > 0; 1: fx_schedule_linear. */
FX_API fx_node *fx_schedule_polynomial(fx_node *step, double first, double last, double steps, double power);
/* rate factor^(step / every): multiplied by `factor` in every so many steps, little by little. factor > 0. */
FX_API fx_node *fx_schedule_exponential(fx_node *step, double rate, double factor, double every);
/* rate factor^floor(step / every): multiplied by `factor` after every so many steps, all at once.
 * factor >= 0. */
FX_API fx_node *fx_schedule_step(fx_node *step, double rate, double factor, double every);
/* rates.v[i] from step boundaries.v[i - 1] on, rates.v[0] before; boundaries increase and are one fewer. */
FX_API fx_node *fx_schedule_piecewise(fx_node *step, const double *rates, const double *boundaries,
                                      size_t n_rates);
/* rate sqrt(warm_up / max(step, warm_up)) after a linear warm-up from 0: rate step / warm_up. The schedule of
 * the first transformer, with its peak at warm_up. */
FX_API fx_node *fx_schedule_inverse_sqrt(fx_node *step, double rate, double warm_up);

typedef struct fx_cosine_options {
    size_t size;     /* sizeof(fx_cosine_options), or 0 */
    double minimum;  /* reached at the end of each period; 0 */
    double warm_up;  /* steps of a straight rise from 0 before the first period; 0: none */
    int64_t cycles;  /* periods; after the last the rate stays at the minimum. 0: 1; below 0: without end */
    double stretch;  /* each period has the length of the one before times this; above 0, 0: 1 */
    double shrink;   /* and begins at the rate of the one before times this; above 0, 0: 1 */
} fx_cosine_options;
/* Half a cosine from rate to the minimum in `period` steps, warm-up apart: minimum + (rate - minimum) (1 +
 * cos(pi part)) / 2, where part goes from 0 to 1 in each period. NULL options: all defaults. I. Loshchilov,
 * F. Hutter, SGDR. */
FX_API fx_node *fx_schedule_cosine(fx_node *step, double rate, double period,
                                   const fx_cosine_options *options);

typedef struct fx_one_cycle_options {
    size_t size;        /* sizeof(fx_one_cycle_options), or 0 */
    double rise;        /* share of the steps in which the rate rises, in (0, 1); 0: 0.3 */
    double first_share; /* the first rate is the peak times this; 0: 1 / 25 */
    double last_share;  /* the last is the first times this; 0: 1e-4 */
    bool linear;        /* straight lines instead of cosines */
} fx_one_cycle_options;
/* Up to `peak` at step rise steps - 1, and down to the last rate at step steps - 1, where it stays. steps >
 * 1. NULL options: all defaults. L. Smith, N. Topin. */
FX_API fx_node *fx_schedule_one_cycle(fx_node *step, double peak, double steps,
                                      const fx_one_cycle_options *options);

/* Any rate (a float scalar) times min((step + 1) / steps, 1): a straight rise in the first steps, whose first
 * rate is not 0. */
FX_API fx_node *fx_schedule_warm_up(fx_node *step, fx_node *rate, double steps);

#ifdef __cplusplus
}
#endif

#endif
