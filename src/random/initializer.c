/* SPDX-License-Identifier: Apache-2.0 */
/* First values of weights. Normal values keep within two deviations by fx_random_truncated_normal, and
 * what is cut off there is made up for by dividing by the deviation of what is left. Orthogonal ones: the
 * Q of a normal matrix is uniform when R has a positive diagonal, so columns take the signs of R's. */
#include "random_internal.h"
#include <fluxion/indexing.h>
#include <fluxion/initializer.h>
#include <fluxion/linalg.h>
#include <math.h>

/* Standard deviation of a normal value within +-2. */
#define TRUNCATED_DEVIATION 0.87962566103423978

/* ---- constants ---- */

static fx_node *constant(const char *name, fx_node *state, const fx_shape *shape, fx_node **new_state,
                         fx_node *(*fill)(fx_graph *, const fx_shape *)) {
    fxi_random r;
    if (!fxi_random_begin(&r, name, &state, 1, shape, new_state)) return r.b.stop;
    if (new_state) *new_state = state;
    return fill(r.b.graph, shape);
}

fx_node *fx_init_zeros(fx_node *state, const fx_shape *shape, fx_node **new_state) {
    return constant("fx_init_zeros", state, shape, new_state, fx_zeros);
}

fx_node *fx_init_ones(fx_node *state, const fx_shape *shape, fx_node **new_state) {
    return constant("fx_init_ones", state, shape, new_state, fx_ones);
}

/* ---- with a given deviation ---- */

/* Values times a number, which halves multiply in float32: one rounding. */
static fx_node *scaled(fx_node *x, double factor, fx_dtype dtype) {
    return fx_convert(fx_mul(x, fx_scalar(x->graph, x->shape.dtype, factor)), dtype);
}

static fx_node *spread_values(const fxi_random *r, double deviation, fx_spread spread, const fx_shape *shape,
                              fx_node **new_state) {
    fx_shape wide = *shape;
    if (fx_dtype_is_half(wide.dtype)) wide.dtype = FX_F32;
    double edge = sqrt(3) * deviation;
    if (spread == FX_SPREAD_UNIFORM && deviation > 0)
        return fx_random_uniform_range(r->state, -edge, edge, shape, new_state);
    if (spread == FX_SPREAD_TRUNCATED)
        return scaled(fx_random_truncated_normal(r->state, -2, 2, &wide, new_state),
                      deviation / TRUNCATED_DEVIATION, shape->dtype);
    return scaled(fx_random_normal(r->state, &wide, new_state), deviation, shape->dtype);
}

static bool begin(fxi_random *r, const char *name, fx_node *state, double amount, const char *what,
                  const fx_shape *shape, fx_node **new_state) {
    if (!fxi_random_begin(r, name, &state, 1, shape, new_state)) return false;
    if (!fxi_random_takes_floats(r, shape)) return false;
    if (amount >= 0 && isfinite(amount)) return true;
    fxi_build_refuse(&r->b, FX_ERROR_ARGUMENT, "the %s is %g", what, amount);
    return false;
}

fx_node *fx_init_normal(fx_node *state, double deviation, const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    if (!begin(&r, "fx_init_normal", state, deviation, "deviation", shape, new_state)) return r.b.stop;
    return spread_values(&r, deviation, FX_SPREAD_NORMAL, shape, new_state);
}

fx_node *fx_init_truncated_normal(fx_node *state, double deviation, const fx_shape *shape,
                                  fx_node **new_state) {
    fxi_random r;
    if (!begin(&r, "fx_init_truncated_normal", state, deviation, "deviation", shape, new_state))
        return r.b.stop;
    return spread_values(&r, deviation, FX_SPREAD_TRUNCATED, shape, new_state);
}

fx_node *fx_init_uniform(fx_node *state, double lo, double hi, const fx_shape *shape, fx_node **new_state) {
    return fxi_random_range("fx_init_uniform", state, lo, hi, shape, new_state);
}

/* ---- with a variance that follows from the shape ---- */

static double fan_of(const fx_shape *shape, fx_fan fan) {
    double window = 1, in = (double)shape->dims[shape->rank - 2], out = (double)shape->dims[shape->rank - 1];
    for (int i = 0; i < shape->rank - 2; i++) window *= (double)shape->dims[i];
    return window * (fan == FX_FAN_IN ? in : fan == FX_FAN_OUT ? out : (in + out) / 2);
}

static fx_node *variance_scaling(const char *name, fx_node *state, double scale, fx_fan fan, fx_spread spread,
                                 const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    if (!begin(&r, name, state, scale, "scale", shape, new_state)) return r.b.stop;
    if ((unsigned)fan > FX_FAN_AVERAGE || (unsigned)spread > FX_SPREAD_UNIFORM) {
        return fxi_build_refuse(&r.b, FX_ERROR_ARGUMENT, "there is no fan %d or no spread %d", (int)fan,
                                (int)spread);
    }
    if (shape->rank < 2 || fx_shape_size(shape) == 0) return fx_init_zeros(state, shape, new_state);
    return spread_values(&r, sqrt(scale / fan_of(shape, fan)), spread, shape, new_state);
}

fx_node *fx_init_variance_scaling(fx_node *state, double scale, fx_fan fan, fx_spread spread,
                                  const fx_shape *shape, fx_node **new_state) {
    return variance_scaling("fx_init_variance_scaling", state, scale, fan, spread, shape, new_state);
}

#define SCALED(name, scale, fan, spread)                                                                     \
    fx_node *fx_init_##name(fx_node *state, const fx_shape *shape, fx_node **new_state) {                    \
        return variance_scaling("fx_init_" #name, state, scale, fan, spread, shape, new_state);              \
    }
SCALED(glorot_uniform, 1, FX_FAN_AVERAGE, FX_SPREAD_UNIFORM)
SCALED(glorot_normal, 1, FX_FAN_AVERAGE, FX_SPREAD_NORMAL)
SCALED(he_uniform, 2, FX_FAN_IN, FX_SPREAD_UNIFORM)
SCALED(he_normal, 2, FX_FAN_IN, FX_SPREAD_NORMAL)
SCALED(lecun_uniform, 1, FX_FAN_IN, FX_SPREAD_UNIFORM)
SCALED(lecun_normal, 1, FX_FAN_IN, FX_SPREAD_NORMAL)

/* ---- orthogonal ---- */

/* Q of a tall normal matrix, its columns with the signs of R's diagonal. */
static fx_node *orthonormal(fx_node *normal) {
    const fx_axes first = {(const int[]){0}, 1};
    fx_node *factors[2];
    fx_qr(normal, false, factors);
    return fx_mul(factors[0],
                  fx_expand_axes(fx_sign_plus_or_minus(fx_diagonal_of(factors[1], 0, 0, 1)), first));
}

fx_node *fx_init_orthogonal(fx_node *state, double gain, const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    if (!fxi_random_begin(&r, "fx_init_orthogonal", &state, 1, shape, new_state)) return r.b.stop;
    if (!fxi_random_takes_floats(&r, shape)) return r.b.stop;
    if (shape->rank < 2)
        return fxi_build_refuse(&r.b, FX_ERROR_SHAPE, "the shape %s has fewer than two axes",
                                fx_shape_to_text(shape).s);
    if (!isfinite(gain)) return fxi_build_refuse(&r.b, FX_ERROR_ARGUMENT, "the gain is %g", gain);
    if (fx_shape_size(shape) == 0) return fx_init_zeros(state, shape, new_state);
    int64_t columns = shape->dims[shape->rank - 1], rows = fx_shape_size(shape) / columns;
    bool wide = rows < columns;
    const int64_t dims[2] = {wide ? columns : rows, wide ? rows : columns};
    fx_shape tall = fx_shape_make(shape->dtype == FX_F64 ? FX_F64 : FX_F32, dims, 2);
    fx_node *made = orthonormal(fx_random_normal(state, &tall, new_state));
    if (wide) made = fx_transpose(made, 0, 1);
    return fx_reshape_with_shape(scaled(made, gain, shape->dtype), shape);
}
