/* SPDX-License-Identifier: Apache-2.0 */
/* A step: each parameter goes through its rule. Weight decay, the learning rate, master copies and
 * accumulation are here, so that a rule is a formula alone. Accumulation selects between new and old values
 * by a scalar instead of branching: the kernel stays one pass over what it reads, and writes in place. */
#include "optimizer_internal.h"
#include <fluxion/barrier.h>
#include <math.h>

typedef struct step {
    fxi_build b;
    fx_optimizer o;
    const fxi_optimizer_rule *rule;
    fx_nodes parameters, gradients, state;
    fx_node *rate;                    /* as given; NULL: the number */
    fx_node *count, *is_update;       /* steps with this one; whether it updates, NULL: always */
    fxi_optimizer_scalars scalars[2]; /* of float32 and float64, made when they are needed */
} step;

/* 1 - beta^t, by expm1, which keeps the digits of 1 - beta. */
static fx_node *unbias(const step *s, fx_node *t, double beta) {
    fx_dtype dtype = t->shape.dtype;
    if (beta == 0) return fx_scalar_one(s->b.graph, dtype);
    return fx_neg(fx_expm1(fx_mul(t, fxi_build_number(&s->b, dtype, log(beta)))));
}

/* The scalars stand behind barriers: fused into every update they would be computed again by each, and the
 * 64-bit count would halve its vectors. */
static const fxi_optimizer_scalars *scalars_of(step *s, fx_dtype wide) {
    fxi_optimizer_scalars *v = &s->scalars[wide == FX_F64];
    if (v->rate) return v;
    fx_node *count = s->count, *one = fx_scalar_one(s->b.graph, wide);
    if (s->o.accumulate > 1) count = fx_div_scalar_int(count, s->o.accumulate);
    v->rate = s->rate ? fx_optimization_barrier(fx_convert(s->rate, wide))
                      : fxi_build_number(&s->b, wide, s->o.learning_rate);
    v->t = fx_convert(count, wide);
    v->grow = fx_optimization_barrier(fx_div(one, unbias(s, v->t, s->o.beta1)));
    v->shrink = fx_optimization_barrier(fx_div(one, fx_sqrt(unbias(s, v->t, s->o.beta2))));
    return v;
}

/* How many there are comes first: with the states of another optimizer every shape is another too. */
static bool check_state_count(const step *s) {
    fxi_slot slots[FXI_MOST_SLOTS];
    size_t count = 1;
    for (size_t i = 0; i < s->parameters.n; i++)
        count += fxi_optimizer_slots(&s->o, s->rule, &s->parameters.v[i]->shape, slots);
    if (count == s->state.n) return true;
    fxi_build_refuse(&s->b, FX_ERROR_ARGUMENT, "there are %zu states; %s keeps %zu for these parameters",
                     s->state.n, s->rule->name, count);
    return false;
}

static bool check_state(const step *s) {
    fxi_slot slots[FXI_MOST_SLOTS] = {{"step", {.dtype = FX_S64}}};
    if (!check_state_count(s)) return false;
    for (size_t i = 0, place = 0, n = 1;; i++) {
        for (size_t k = 0; k < n; k++, place++) {
            const fx_shape *given = &s->state.v[place]->shape;
            if (fx_shape_equal(given, &slots[k].shape)) continue;
            fxi_build_refuse(&s->b, FX_ERROR_SHAPE, "state %zu, %s, is %s instead of %s", place,
                             slots[k].name, fx_shape_to_text(given).s, fx_shape_to_text(&slots[k].shape).s);
            return false;
        }
        if (i == s->parameters.n) return true;
        n = fxi_optimizer_slots(&s->o, s->rule, &s->parameters.v[i]->shape, slots);
    }
}

static bool check_gradients(const step *s) {
    if (s->gradients.n != s->parameters.n) {
        fxi_build_refuse(&s->b, FX_ERROR_ARGUMENT, "there are %zu gradients for %zu parameters",
                         s->gradients.n, s->parameters.n);
        return false;
    }
    for (size_t i = 0; i < s->parameters.n; i++) {
        const fx_shape *p = &s->parameters.v[i]->shape, *g = &s->gradients.v[i]->shape;
        bool fits = g->dtype == p->dtype || g->dtype == fxi_optimizer_wide(p->dtype);
        if (fits && fx_shape_equal_dims(p, g)) continue;
        fxi_build_refuse(&s->b, FX_ERROR_SHAPE, "gradient %zu is %s, its parameter %s", i,
                         fx_shape_to_text(g).s, fx_shape_to_text(p).s);
        return false;
    }
    return true;
}

static bool check_rate(const step *s) {
    if (!s->rate || (s->rate->shape.rank == 0 && fxi_optimizer_takes(s->rate->shape.dtype))) return true;
    fxi_build_refuse(&s->b, FX_ERROR_SHAPE, "the learning rate is %s; it must be a float scalar",
                     fx_shape_to_text(&s->rate->shape).s);
    return false;
}

/* Nodes of the lists are named by their list. */
static bool has_all(const fxi_build *b, const fx_nodes *lists) {
    static const char *const names[] = {"parameter", "gradient", "state"};
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; lists[i].v && k < lists[i].n; k++) {
            if (lists[i].v[k]) continue;
            fxi_build_refuse(b, FX_ERROR_ARGUMENT, "%s %zu is NULL", names[i], k);
            return false;
        }
    return true;
}

/* All operands in one list, for the checks that every builder makes. */
static bool begin_step(step *s, const char *name) {
    const fx_nodes lists[] = {s->parameters, s->gradients, s->state, {&s->rate, s->rate != NULL}};
    fx_node *first = NULL;
    size_t count = 0;
    for (size_t i = 0; !first && s->parameters.v && i < s->parameters.n; i++) first = s->parameters.v[i];
    for (int i = 0; i < 4; i++)
        if (lists[i].v) count += lists[i].n;
    if (!fxi_build_begin(&s->b, name, &first, 1) || !has_all(&s->b, lists)) return false;
    fx_node **all = fxi_alloc_zeroed(count + 1, sizeof *all);
    if (!all) {
        fxi_build_refuse(&s->b, FX_ERROR_MEMORY, "out of memory");
        return false;
    }
    for (size_t i = 0, at = 0; i < 4; i++)
        for (size_t k = 0; lists[i].v && k < lists[i].n; k++) all[at++] = lists[i].v[k];
    bool ok = fxi_build_begin(&s->b, name, all, count);
    fxi_free(all);
    for (int i = 0; ok && i < 3; i++) {
        if (lists[i].v || lists[i].n == 0) continue;
        fxi_build_refuse(&s->b, FX_ERROR_ARGUMENT, "a list is NULL");
        ok = false;
    }
    return ok;
}

static bool decays(const step *s, size_t i) {
    if (s->o.weight_decay == 0) return false;
    return s->o.decays ? s->o.decays[i] : s->parameters.v[i]->shape.rank >= 2;
}

/* What a step without an update leaves as it was. */
static fx_node *keep_unless_update(const step *s, fx_node *next, fx_node *old) {
    return s->is_update ? fx_select(s->is_update, next, old) : next;
}

/* p after the update, wide; u->next receives the slots of the rule. */
static fx_node *apply_rule(const step *s, fxi_update *u) {
    fx_node *rate = u->scalars->rate, *p = u->p;
    fx_node *decay = fxi_build_number(&s->b, p->shape.dtype, s->o.weight_decay);
    if (u->decays && s->rule->decay == FXI_DECAY_GRADIENT) u->g = fx_add(u->g, fx_mul(p, decay));
    fx_node *direction = s->rule->direction(u);
    if (u->decays && s->rule->decay == FXI_DECAY_BESIDES) p = fx_mul(p, fx_one_minus(fx_mul(rate, decay)));
    return fx_sub(p, fx_mul(direction, rate));
}

/* Writes the new parameter and gives how many slots it has; slots and next begin at its first. */
static size_t step_parameter(step *s, size_t i, fx_node *const *given, fx_node **next, fx_node **parameter) {
    fx_node *p = s->parameters.v[i], *old[FXI_MOST_SLOTS], *sum = NULL;
    fxi_slot slots[FXI_MOST_SLOTS];
    size_t n = fxi_optimizer_slots(&s->o, s->rule, &p->shape, slots), of_rule = n;
    bool has_master = s->o.master && fx_dtype_is_half(p->shape.dtype);
    for (size_t k = 0; k < n; k++) old[k] = next[k] = given[k];
    fxi_update u = {.b = &s->b,
                    .o = &s->o,
                    .scalars = scalars_of(s, fxi_optimizer_wide(p->shape.dtype)),
                    .s = old,
                    .next = next,
                    .decays = decays(s, i),
                    .g = fxi_build_wide(s->gradients.v[i])};
    if (s->o.accumulate > 1) {
        sum = fx_add(old[--of_rule], u.g);
        fx_node *share = fxi_build_number(&s->b, sum->shape.dtype, 1 / (double)s->o.accumulate);
        u.g = fx_mul(sum, share);
    }
    if (has_master) of_rule--;
    u.p = has_master ? old[of_rule] : fxi_build_wide(p);
    fx_node *updated = keep_unless_update(s, apply_rule(s, &u), u.p);
    if (s->rule->advance) s->rule->advance(&u);
    for (size_t k = 0; k < of_rule; k++) next[k] = keep_unless_update(s, next[k], old[k]);
    if (has_master) next[of_rule] = updated;
    if (sum) next[n - 1] = fx_select(s->is_update, fx_scalar_zero(s->b.graph, sum->shape.dtype), sum);
    *parameter = fx_convert(updated, p->shape.dtype);
    return n;
}

static void step_all(step *s, fx_node **new_parameters, fx_node **new_state) {
    s->count = fx_add_scalar_int(s->state.v[0], 1);
    if (s->o.accumulate > 1) {
        fx_node *rest = fx_rem(s->count, fx_scalar_int(s->b.graph, FX_S64, s->o.accumulate));
        s->is_update = fx_equal_scalar_int(rest, 0);
    }
    size_t at = 1;
    for (size_t i = 0; i < s->parameters.n; i++)
        at += step_parameter(s, i, s->state.v + at, new_state + at, &new_parameters[i]);
    new_state[0] = s->count;
}

static bool check_step(step *s, const fx_optimizer *optimizer, bool has_room) {
    fx_error why = {.code = FX_OK};
    if (!fxi_optimizer_resolve(optimizer, &s->o, &s->rule, &why))
        fxi_optimizer_refuse(&s->b, &why);
    else if (!has_room)
        fxi_build_refuse(&s->b, FX_ERROR_ARGUMENT, "a list is NULL");
    else
        return fxi_optimizer_check(&s->b, s->parameters) && check_gradients(s) && check_state(s) &&
               check_rate(s);
    return false;
}

fx_node *fx_optimizer_step(const fx_optimizer *optimizer, fx_nodes parameters, fx_nodes gradients,
                           fx_nodes state, fx_node *learning_rate, fx_node **new_parameters,
                           fx_node **new_state) {
    step s = {.parameters = parameters, .gradients = gradients, .state = state, .rate = learning_rate};
    if (begin_step(&s, "fx_optimizer_step") && check_step(&s, optimizer, new_parameters && new_state)) {
        step_all(&s, new_parameters, new_state);
        return new_parameters[0];
    }
    for (size_t i = 0; new_parameters && i < parameters.n; i++) new_parameters[i] = s.b.stop;
    for (size_t i = 0; new_state && i < state.n; i++) new_state[i] = s.b.stop;
    return s.b.stop;
}
