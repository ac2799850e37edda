/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of optimizers: several steps in one graph, from the initial state; lists of gradients;
 * schedules, whose operand is a vector of steps. */
#include "ops/cases.h"
#include <fluxion/optimizer.h>
#include <fluxion/schedule.h>

enum { MOST_PARAMETERS = 4, MOST_STATES = 32 };

static double real(const case_args *a, const char *key, double otherwise) { return golden_real(a->c, key, otherwise); }

/* An attribute that the case has, with 0 as a number below 0, which means 0. */
static double option(const case_args *a, const char *key) {
    double value = real(a, key, 0);
    return golden_has(a->c, key) && value == 0 ? -1 : value;
}

static fx_optimizer optimizer_of(const case_args *a, bool *decays) {
    fx_optimizer o = {.size = sizeof o,
                      .learning_rate = option(a, "rate"),
                      .momentum = option(a, "momentum"),
                      .nesterov = golden_int(a->c, "nesterov", 0) != 0,
                      .centered = golden_int(a->c, "centered", 0) != 0,
                      .beta1 = option(a, "beta1"),
                      .beta2 = option(a, "beta2"),
                      .epsilon = option(a, "epsilon"),
                      /* the scripts say when something decays at all */
                      .weight_decay = golden_has(a->c, "decay") ? option(a, "decay") : 0,
                      .master = golden_int(a->c, "master", 0) != 0,
                      .accumulate = golden_int(a->c, "accumulate", 0),
                      .decay_exponent = option(a, "exponent"),
                      .clip_threshold = option(a, "threshold"),
                      .min_factored = golden_int(a->c, "min_factored", 0),
                      .absolute = golden_int(a->c, "absolute", 0) != 0};
    if (!fx_optimizer_parse(golden_word(a->c, "kind", ""), &o.kind)) fail_msg("%s:%d: no kind", a->c->file, a->c->line);
    const golden_list list = golden_ints(a->c, "decays");
    for (size_t i = 0; i < list.n; i++) decays[i] = list.v[i] != 0;
    if (list.n) o.decays = decays;
    return o;
}

void case_optimizer_step(const case_args *a) {
    bool decays[GOLDEN_LIST];
    const fx_optimizer o = optimizer_of(a, decays);
    size_t n = (size_t)golden_int(a->c, "parameters", 1), steps = a->n_in / n - 1;
    fx_node *p[MOST_PARAMETERS], *state[MOST_STATES];
    fx_shape shapes[MOST_PARAMETERS];
    for (size_t i = 0; i < n; i++) p[i] = a->in[i], shapes[i] = *fx_node_shape(p[i]);
    size_t n_state = fx_optimizer_state_count(&o, shapes, n, FX_MUST);
    fx_optimizer_init_nodes(&o, (fx_nodes){p, n}, state);
    for (size_t t = 0; t < steps; t++) {
        fx_nodes gradients = {a->in + n * (t + 1), n};
        fx_optimizer_step(&o, (fx_nodes){p, n}, gradients, (fx_nodes){state, n_state}, NULL, p, state);
        for (size_t i = 0; i < n; i++) a->out[t * n + i] = p[i];
    }
}

void case_clip(const case_args *a) { fx_gradients_clip((fx_nodes){a->in, a->n_in}, real(a, "limit", 0), a->out); }

void case_clip_norm(const case_args *a) {
    a->out[0] = fx_gradients_clip_norm((fx_nodes){a->in, a->n_in}, real(a, "limit", 0), a->out + 1);
}

void case_gradients_norm(const case_args *a) { a->out[0] = fx_gradients_norm((fx_nodes){a->in, a->n_in}); }

void case_moving_averages(const case_args *a) {
    size_t n = a->n_in / 2;
    fx_node *step = a->n_in % 2 ? a->in[a->n_in - 1] : NULL;
    fx_moving_averages((fx_nodes){a->in, n}, (fx_nodes){a->in + n, n}, real(a, "decay", 0), step, a->out);
}

/* ---- schedules ---- */

typedef fx_node *(*schedule_fn)(const case_args *a, fx_node *step);

static void schedule_of(const case_args *a, schedule_fn schedule) {
    fx_node *rates[64];
    size_t n = (size_t)fx_node_dim(a->in[0], 0);
    for (size_t i = 0; i < n; i++) {
        fx_node *step = fx_slice_axis(a->in[0], 0, (int64_t)i, (int64_t)i + 1, 1);
        rates[i] = schedule(a, fx_reshape(step, FX_DIMS()));
    }
    a->out[0] = fx_stack((fx_nodes){rates, n}, 0);
}

#define SCHEDULE(name, ...)                                                                                            \
    static fx_node *name##_schedule(const case_args *a, fx_node *step) {                                               \
        (void)a;                                                                                                       \
        return fx_schedule_##name(step, __VA_ARGS__);                                                                  \
    }                                                                                                                  \
    void case_schedule_##name(const case_args *a) { schedule_of(a, name##_schedule); }
#define REAL(key) real(a, key, 0)

static const double piecewise_rates[] = {0.5, 0.25, 0.125}, piecewise_boundaries[] = {3, 15};

SCHEDULE(constant, REAL("rate"))
SCHEDULE(linear, REAL("first"), REAL("last"), REAL("length"))
SCHEDULE(polynomial, REAL("first"), REAL("last"), REAL("length"), REAL("power"))
SCHEDULE(exponential, REAL("rate"), REAL("factor"), REAL("every"))
SCHEDULE(step, REAL("rate"), REAL("factor"), REAL("every"))
SCHEDULE(piecewise, piecewise_rates, piecewise_boundaries, 3)
SCHEDULE(inverse_sqrt, REAL("rate"), REAL("warm_up"))
SCHEDULE(warm_up, fx_scalar(a->graph, fx_node_dtype(step) == FX_F64 ? FX_F64 : FX_F32, REAL("rate")), REAL("length"))

static fx_node *cosine_schedule(const case_args *a, fx_node *step) {
    const fx_cosine_options o = {.minimum = REAL("minimum"),
                                 .warm_up = REAL("warm_up"),
                                 .cycles = golden_int(a->c, "cycles", 0),
                                 .stretch = REAL("stretch"),
                                 .shrink = REAL("shrink")};
    return fx_schedule_cosine(step, REAL("rate"), REAL("period"), &o);
}
void case_schedule_cosine(const case_args *a) { schedule_of(a, cosine_schedule); }

static fx_node *one_cycle_schedule(const case_args *a, fx_node *step) {
    const fx_one_cycle_options o = {.rise = REAL("rise"),
                                    .first_share = REAL("first_share"),
                                    .last_share = REAL("last_share"),
                                    .linear = golden_int(a->c, "linear", 0) != 0};
    return fx_schedule_one_cycle(step, REAL("peak"), REAL("length"), &o);
}
void case_schedule_one_cycle(const case_args *a) { schedule_of(a, one_cycle_schedule); }
