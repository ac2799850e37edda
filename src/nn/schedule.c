/* SPDX-License-Identifier: Apache-2.0 */
/* Learning rates as functions of the step. Everything is a scalar in float64 until the last conversion: a
 * step beyond 2^24 is exact, and a handful of scalar operations costs nothing beside the step it is for.
 * Numbers of the caller are folded in C where the step is not involved. */
#include "ops/ops.h"
#include <fluxion/schedule.h>
#include <math.h>

typedef struct schedule {
    fxi_build b;
    fx_node *step;  /* float64, at least 0 */
    fx_dtype dtype; /* of the result */
} schedule;

static fx_node *number(const schedule *s, double value) {
    return fx_scalar(s->b.graph, FX_F64, value);
}

static bool begin(schedule *s, const char *name, fx_node *step) {
    if (!fxi_build_begin(&s->b, name, &step, 1)) return false;
    fx_dtype dtype = step->shape.dtype;
    bool is_number = fx_dtype_is_integer(dtype) || (fx_dtype_is_float(dtype) && fx_dtype_bits(dtype) >= 16);
    if (step->shape.rank != 0 || !is_number) {
        fxi_build_refuse(&s->b, FX_ERROR_SHAPE, "the step is %s; it must be a scalar that counts",
                         fx_shape_to_text(&step->shape).s);
        return false;
    }
    s->dtype = dtype == FX_F64 ? FX_F64 : FX_F32;
    s->step = fx_max(fx_convert(step, FX_F64), number(s, 0));
    return true;
}

static fx_node *end(const schedule *s, fx_node *rate) {
    return fx_convert(rate, s->dtype);
}

static bool check(const schedule *s, const char *what, double value, bool fits, const char *wanted) {
    if (fits && isfinite(value)) return true;
    fxi_build_refuse(&s->b, FX_ERROR_ARGUMENT, "%s is %g; it must be %s", what, value, wanted);
    return false;
}

static bool check_finite(const schedule *s, const char *what, double value) {
    return check(s, what, value, true, "finite");
}

static bool check_above(const schedule *s, const char *what, double value, double bound) {
    return check(s, what, value, value > bound, bound == 0 ? "above 0" : "above 1");
}

/* step / steps, at most 1. */
static fx_node *part_of(const schedule *s, fx_node *step, double steps) {
    return fx_min(fx_div(step, number(s, steps)), number(s, 1));
}

/* first (1 - part) + last part, exact at both ends. */
static fx_node *blend(const schedule *s, double first, double last, fx_node *part) {
    return fx_add(fx_mul(fx_one_minus(part), number(s, first)), fx_mul(part, number(s, last)));
}

/* (1 - cos(pi part)) / 2, from 0 to 1. */
static fx_node *cosine(const schedule *s, fx_node *part) {
    fx_node *angle = fx_mul(part, number(s, 3.14159265358979323846));
    return fx_mul(fx_one_minus(fx_cos(angle)), number(s, 0.5));
}

/* ---- lines and powers ---- */

fx_node *fx_schedule_constant(fx_node *step, double rate) {
    schedule s;
    if (!begin(&s, "fx_schedule_constant", step) || !check_finite(&s, "rate", rate)) return s.b.stop;
    return end(&s, number(&s, rate));
}

fx_node *fx_schedule_linear(fx_node *step, double first, double last, double steps) {
    schedule s;
    if (!begin(&s, "fx_schedule_linear", step) || !check_finite(&s, "first", first) ||
        !check_finite(&s, "last", last) || !check_above(&s, "steps", steps, 0))
        return s.b.stop;
    return end(&s, blend(&s, first, last, part_of(&s, s.step, steps)));
}

fx_node *fx_schedule_polynomial(fx_node *step, double first, double last, double steps, double power) {
    schedule s;
    if (!begin(&s, "fx_schedule_polynomial", step) || !check_finite(&s, "first", first) ||
        !check_finite(&s, "last", last) || !check_above(&s, "steps", steps, 0) ||
        !check_above(&s, "power", power, 0))
        return s.b.stop;
    fx_node *left = fx_pow(fx_one_minus(part_of(&s, s.step, steps)), number(&s, power));
    return end(&s, blend(&s, first, last, fx_one_minus(left)));
}

fx_node *fx_schedule_exponential(fx_node *step, double rate, double factor, double every) {
    schedule s;
    if (!begin(&s, "fx_schedule_exponential", step) || !check_finite(&s, "rate", rate) ||
        !check_above(&s, "factor", factor, 0) || !check_above(&s, "every", every, 0))
        return s.b.stop;
    fx_node *power = fx_pow(number(&s, factor), fx_div(s.step, number(&s, every)));
    return end(&s, fx_mul(power, number(&s, rate)));
}

fx_node *fx_schedule_step(fx_node *step, double rate, double factor, double every) {
    schedule s;
    if (!begin(&s, "fx_schedule_step", step) || !check_finite(&s, "rate", rate) ||
        !check(&s, "factor", factor, factor >= 0, "0 or more") || !check_above(&s, "every", every, 0))
        return s.b.stop;
    fx_node *power = fx_pow(number(&s, factor), fx_floor(fx_div(s.step, number(&s, every))));
    return end(&s, fx_mul(power, number(&s, rate)));
}

fx_node *fx_schedule_piecewise(fx_node *step, const double *rates, const double *boundaries, size_t n_rates) {
    schedule s;
    if (!begin(&s, "fx_schedule_piecewise", step)) return s.b.stop;
    if (n_rates == 0 || !rates || (n_rates > 1 && !boundaries))
        return fxi_build_refuse(&s.b, FX_ERROR_ARGUMENT, "there are no rates, or no boundaries");
    for (size_t i = 0; i < n_rates; i++)
        if (!check_finite(&s, "a rate", rates[i])) return s.b.stop;
    for (size_t i = 1; i + 1 < n_rates; i++)
        if (!(boundaries[i] > boundaries[i - 1]))
            return fxi_build_refuse(&s.b, FX_ERROR_ARGUMENT,
                                    "boundary %zu, %g, is not above the one before, %g", i, boundaries[i],
                                    boundaries[i - 1]);
    fx_node *rate = number(&s, rates[0]);
    for (size_t i = 1; i < n_rates; i++)
        rate =
            fx_select(fx_greater_or_equal(s.step, number(&s, boundaries[i - 1])), number(&s, rates[i]), rate);
    return end(&s, rate);
}

fx_node *fx_schedule_inverse_sqrt(fx_node *step, double rate, double warm_up) {
    schedule s;
    if (!begin(&s, "fx_schedule_inverse_sqrt", step) || !check_finite(&s, "rate", rate) ||
        !check_above(&s, "warm_up", warm_up, 0))
        return s.b.stop;
    fx_node *peak = number(&s, warm_up), *rise = part_of(&s, s.step, warm_up);
    fx_node *fall = fx_sqrt(fx_div(peak, fx_max(s.step, peak)));
    return end(&s, fx_mul(fx_mul(rise, fall), number(&s, rate)));
}

fx_node *fx_schedule_warm_up(fx_node *step, fx_node *rate, double steps) {
    schedule s;
    fxi_build both;
    if (!begin(&s, "fx_schedule_warm_up", step) || !check_above(&s, "steps", steps, 0)) return s.b.stop;
    if (!fxi_build_begin_roles(&both, s.b.name, (fx_node *const[]){step, rate}, 2,
                               FXI_ROLES("the step", "the rate")))
        return both.stop;
    if (rate->shape.rank != 0 || !fx_dtype_is_float(rate->shape.dtype))
        return fxi_build_refuse(&both, FX_ERROR_SHAPE, "the rate is %s; it must be a float scalar",
                                fx_shape_to_text(&rate->shape).s);
    fx_node *part = part_of(&s, fx_one_plus(s.step), steps);
    return fx_convert(fx_mul(fx_convert(rate, FX_F64), part), rate->shape.dtype);
}

/* ---- cosines ---- */

/* Where a step after the warm-up lies: part of its period from 0 to 1, and the number of the period. */
typedef struct place {
    fx_node *part, *cycle;
} place;

/* Period k begins at period (q^k - 1) / (q - 1) with q the stretch. The k that comes from a logarithm may be
 * one off where a period begins; it is set right by looking at the beginnings themselves. */
static fx_node *beginning(const schedule *s, fx_node *k, double period, double q) {
    fx_node *power = fx_pow(number(s, q), k);
    return fx_mul(fx_minus_one(power), number(s, period / (q - 1)));
}

static place find_stretched(const schedule *s, fx_node *step, double period, double q) {
    fx_node *zero = number(s, 0), *one = number(s, 1);
    fx_node *argument = fx_add(fx_mul(step, number(s, (q - 1) / period)), one);
    /* below 1 the periods have a last end, at which the argument is 0: what lies beyond has no period */
    fx_node *inside = fx_max(argument, number(s, 1e-12));
    fx_node *k = fx_max(fx_floor(fx_mul(fx_log(inside), number(s, 1 / log(q)))), zero);
    fx_node *next = fx_one_plus(k);
    k = fx_select(fx_greater_or_equal(step, beginning(s, next, period, q)), next, k);
    k = fx_select(fx_less(step, beginning(s, k, period, q)), fx_minus_one(k), k);
    fx_node *from = beginning(s, k, period, q), *to = beginning(s, fx_one_plus(k), period, q);
    return (place){fx_min(fx_div(fx_sub(step, from), fx_sub(to, from)), one), k};
}

static place find_place(const schedule *s, fx_node *step, double period, const fx_cosine_options *o) {
    if (o->cycles == 1) return (place){part_of(s, step, period), number(s, 0)};
    if (o->stretch != 1) return find_stretched(s, step, period, o->stretch);
    fx_node *periods = fx_div(step, number(s, period)), *k = fx_floor(periods);
    return (place){fx_sub(periods, k), k};
}

static bool check_cosine(const schedule *s, double rate, double period, fx_cosine_options *o) {
    if (o->cycles == 0) o->cycles = 1;
    if (o->stretch == 0) o->stretch = 1;
    if (o->shrink == 0) o->shrink = 1;
    return check_finite(s, "rate", rate) && check_above(s, "period", period, 0) &&
           check_finite(s, "minimum", o->minimum) &&
           check(s, "warm_up", o->warm_up, o->warm_up >= 0, "0 or more") &&
           check_above(s, "stretch", o->stretch, 0) && check_above(s, "shrink", o->shrink, 0);
}

fx_node *fx_schedule_cosine(fx_node *step, double rate, double period, const fx_cosine_options *options) {
    schedule s;
    fx_cosine_options o;
    if (!begin(&s, "fx_schedule_cosine", step) || !fxi_build_options_exact(&s.b, &o, sizeof o, options) ||
        !check_cosine(&s, rate, period, &o))
        return s.b.stop;
    fx_node *after = fx_max(fx_sub(s.step, number(&s, o.warm_up)), number(&s, 0));
    fx_node *least = number(&s, o.minimum), *top = number(&s, rate);
    place p = find_place(&s, after, period, &o);
    if (o.shrink != 1) top = fx_mul(top, fx_pow(number(&s, o.shrink), p.cycle));
    fx_node *left = fx_one_minus(cosine(&s, p.part));
    fx_node *result = fx_add(least, fx_mul(fx_sub(top, least), left));
    if (o.cycles > 1) {
        fx_node *is_over = fx_greater_or_equal(p.cycle, number(&s, (double)o.cycles));
        result = fx_select(is_over, least, result);
    }
    if (o.warm_up > 0) {
        fx_node *rise = fx_mul(s.step, number(&s, rate / o.warm_up));
        result = fx_select(fx_less(s.step, number(&s, o.warm_up)), rise, result);
    }
    return end(&s, result);
}

static bool check_one_cycle(const schedule *s, double peak, double steps, fx_one_cycle_options *o) {
    if (o->rise == 0) o->rise = 0.3;
    if (o->first_share == 0) o->first_share = 1.0 / 25;
    if (o->last_share == 0) o->last_share = 1e-4;
    return check_finite(s, "peak", peak) && check_above(s, "steps", steps, 1) &&
           check(s, "rise", o->rise, o->rise > 0 && o->rise < 1, "in (0, 1)") &&
           check_above(s, "first_share", o->first_share, 0) && check_above(s, "last_share", o->last_share, 0);
}

fx_node *fx_schedule_one_cycle(fx_node *step, double peak, double steps,
                               const fx_one_cycle_options *options) {
    schedule s;
    fx_one_cycle_options o;
    if (!begin(&s, "fx_schedule_one_cycle", step) || !fxi_build_options_exact(&s.b, &o, sizeof o, options) ||
        !check_one_cycle(&s, peak, steps, &o))
        return s.b.stop;
    double first = peak * o.first_share,
           turn = o.rise * steps - 1; /* below 0: no rise, the peak comes first */
    fx_node *turn_node = number(&s, turn), *zero = number(&s, 0);
    fx_node *up = turn > 0 ? part_of(&s, s.step, turn) : number(&s, 1);
    fx_node *down = part_of(&s, fx_max(fx_sub(s.step, turn_node), zero), steps - 1 - turn);
    if (!o.linear) up = cosine(&s, up), down = cosine(&s, down);
    fx_node *rising = blend(&s, first, peak, up), *falling = blend(&s, peak, first * o.last_share, down);
    return end(&s, fx_select(fx_less(s.step, turn_node), rising, falling));
}
