/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the optimizers, one function each and a row with its defaults. A direction is a formula of
 * wide nodes of one parameter; all of its elementwise part, and what optimizer.c adds, becomes one kernel
 * that reads parameter, gradient and slots once and writes them over themselves. Bias corrections are
 * scalars, computed once per step. */
#include "optimizer_internal.h"

static fx_node *number(const fxi_update *u, double value) {
    return fxi_build_number(u->b, u->p->shape.dtype, value);
}

/* beta old + (1 - beta) new */
static fx_node *mix(const fxi_update *u, double beta, fx_node *old, fx_node *new) {
    return fx_add(fx_mul(old, number(u, beta)), fx_mul(new, number(u, 1 - beta)));
}

static size_t same_slots(const fx_shape *p, fxi_slot *slots, const char *first, const char *second) {
    slots[0] = (fxi_slot){first, *p};
    if (second) slots[1] = (fxi_slot){second, *p};
    return second ? 2 : 1;
}

/* ---- SGD ---- */

static size_t slots_sgd(const fx_optimizer *o, const fx_shape *p, fxi_slot *slots) {
    return o->momentum > 0 ? same_slots(p, slots, "momentum", NULL) : 0;
}

static fx_node *direction_sgd(const fxi_update *u) {
    if (u->o->momentum == 0) return u->g;
    fx_node *momentum = number(u, u->o->momentum);
    u->next[0] = fx_add(fx_mul(u->s[0], momentum), u->g);
    return u->o->nesterov ? fx_add(u->g, fx_mul(u->next[0], momentum)) : u->next[0];
}

/* ---- Adam and its relatives ---- */

static size_t slots_adam(const fx_optimizer *o, const fx_shape *p, fxi_slot *slots) {
    (void)o;
    return same_slots(p, slots, "m", "v");
}

static fx_node *direction_adam(const fxi_update *u) {
    fx_node *m = mix(u, u->o->beta1, u->s[0], u->g), *v = mix(u, u->o->beta2, u->s[1], fx_square(u->g));
    u->next[0] = m, u->next[1] = v;
    fx_node *root = fx_add(fx_mul(fx_sqrt(v), u->scalars->shrink), number(u, u->o->epsilon));
    return fx_div(fx_mul(m, u->scalars->grow), root);
}

static fx_node *direction_adamax(const fxi_update *u) {
    fx_node *m = mix(u, u->o->beta1, u->s[0], u->g);
    fx_node *size = fx_add(fx_abs(u->g), number(u, u->o->epsilon));
    u->next[0] = m, u->next[1] = fx_max(fx_mul(u->s[1], number(u, u->o->beta2)), size);
    return fx_div(fx_mul(m, u->scalars->grow), u->next[1]);
}

static fx_node *norm_of(fx_node *x) {
    return fx_sqrt(fx_reduce_all_sum(fx_square(x)));
}

static fx_node *direction_lamb(const fxi_update *u) {
    fx_node *a = direction_adam(u), *zero = number(u, 0), *one = number(u, 1);
    if (u->decays) a = fx_add(a, fx_mul(u->p, number(u, u->o->weight_decay)));
    fx_node *size = norm_of(u->p), *step = norm_of(a);
    fx_node *is_zero = fx_or(fx_equal(size, zero), fx_equal(step, zero));
    return fx_mul(a, fx_select(is_zero, one, fx_div(size, fx_select(is_zero, one, step))));
}

/* ---- RMSProp: v, then mean where centred, then momentum where there is any ---- */

static size_t slots_rmsprop(const fx_optimizer *o, const fx_shape *p, fxi_slot *slots) {
    size_t n = same_slots(p, slots, "v", o->centered ? "mean" : NULL);
    return o->momentum > 0 ? n + same_slots(p, slots + n, "momentum", NULL) : n;
}

static fx_node *direction_rmsprop(const fxi_update *u) {
    size_t n = 0;
    fx_node *v = u->next[n] = mix(u, u->o->beta2, u->s[n], fx_square(u->g));
    n++;
    if (u->o->centered) {
        u->next[n] = mix(u, u->o->beta2, u->s[n], u->g);
        v = fx_max(fx_sub(v, fx_square(u->next[n++])), number(u, 0)); /* rounding may make it negative */
    }
    fx_node *d = fx_div(u->g, fx_add(fx_sqrt(v), number(u, u->o->epsilon)));
    if (u->o->momentum == 0) return d;
    return u->next[n] = fx_add(fx_mul(u->s[n], number(u, u->o->momentum)), d);
}

/* ---- Adafactor: row and column, or v; then m ---- */

static bool is_factored(const fx_optimizer *o, const fx_shape *p) {
    return p->rank >= 2 && p->dims[p->rank - 1] >= o->min_factored && p->dims[p->rank - 2] >= o->min_factored;
}

static size_t slots_adafactor(const fx_optimizer *o, const fx_shape *p, fxi_slot *slots) {
    size_t n = 1;
    slots[0] = (fxi_slot){"v", *p};
    if (is_factored(o, p)) {
        fx_shape without = *p;
        without.rank--;
        slots[0] = (fxi_slot){"row", without};
        without.dims[without.rank - 1] = p->dims[p->rank - 1];
        slots[1] = (fxi_slot){"column", without};
        n = 2;
    }
    return o->beta1 > 0 ? n + same_slots(p, slots + n, "m", NULL) : n;
}

static fx_node *mean_kept(fx_node *x, int axis) {
    return fx_reduce_and_keep(x, fx_reduce_mean, (fx_axes){&axis, 1});
}

static fx_node *drop_axis(fx_node *x, int axis) {
    return fx_squeeze(x, (fx_axes){&axis, 1});
}

static fx_node *insert_axis(fx_node *x, int axis) {
    return fx_expand_axes(x, (fx_axes){&axis, 1});
}

/* keep old + (1 - keep) new */
static fx_node *mix_by(fx_node *keep, fx_node *old, fx_node *new) {
    return fx_add(fx_mul(old, keep), fx_mul(new, fx_one_minus(keep)));
}

/* g / sqrt(v) with v = R C / mean(R), from R [..., n] and C [..., m]. */
static fx_node *factored(const fxi_update *u, fx_node *keep, fx_node *square) {
    int rank = u->p->shape.rank;
    fx_node *row = mix_by(keep, u->s[0], drop_axis(mean_kept(square, -1), -1));
    fx_node *column = mix_by(keep, u->s[1], drop_axis(mean_kept(square, -2), -2));
    u->next[0] = row, u->next[1] = column;
    fx_node *share = fx_div(row, mean_kept(row, -1));
    fx_node *scaled = fx_mul(u->g, insert_axis(fx_rsqrt(share), rank - 1));
    return fx_mul(scaled, insert_axis(fx_rsqrt(column), rank - 2));
}

static fx_node *root_mean_square(fx_node *x) {
    return fx_sqrt(fx_reduce_all_mean(fx_square(x)));
}

static fx_node *direction_adafactor(const fxi_update *u) {
    const fx_optimizer *o = u->o;
    fx_node *one = number(u, 1), *keep = fx_one_minus(fx_pow(u->scalars->t, number(u, -o->decay_exponent)));
    fx_node *square = fx_add(fx_square(u->g), number(u, o->epsilon)), *d;
    size_t n = is_factored(o, &u->p->shape) ? 2 : 1;
    if (n == 2) {
        d = factored(u, keep, square);
    } else {
        u->next[0] = mix_by(keep, u->s[0], square);
        d = fx_mul(u->g, fx_rsqrt(u->next[0]));
    }
    d = fx_div(d, fx_max(one, fx_div(root_mean_square(d), number(u, o->clip_threshold))));
    if (o->beta1 > 0) d = u->next[n] = mix(u, o->beta1, u->s[n], d);
    return o->absolute ? d : fx_mul(d, fx_max(root_mean_square(u->p), number(u, 1e-3)));
}

/* ---- Lion ---- */

static size_t slots_lion(const fx_optimizer *o, const fx_shape *p, fxi_slot *slots) {
    (void)o;
    return same_slots(p, slots, "m", NULL);
}

static fx_node *direction_lion(const fxi_update *u) {
    return fx_sign(mix(u, u->o->beta1, u->s[0], u->g));
}

static void advance_lion(const fxi_update *u) {
    u->next[0] = mix(u, u->o->beta2, u->s[0], u->g);
}

/* ---- the table ---- */

static const fxi_optimizer_rule rules[] = {
    [FX_OPTIMIZER_SGD] =
        {.name = "sgd", .rate = 0.01, .takes_momentum = true, .slots = slots_sgd, .direction = direction_sgd},
    [FX_OPTIMIZER_ADAM] = {.name = "adam",
                           .rate = 1e-3,
                           .beta1 = 0.9,
                           .beta2 = 0.999,
                           .epsilon = 1e-8,
                           .slots = slots_adam,
                           .direction = direction_adam},
    [FX_OPTIMIZER_ADAMW] = {.name = "adamw",
                            .rate = 1e-3,
                            .beta1 = 0.9,
                            .beta2 = 0.999,
                            .epsilon = 1e-8,
                            .weight_decay = 0.01,
                            .decay = FXI_DECAY_BESIDES,
                            .slots = slots_adam,
                            .direction = direction_adam},
    [FX_OPTIMIZER_ADAMAX] = {.name = "adamax",
                             .rate = 2e-3,
                             .beta1 = 0.9,
                             .beta2 = 0.999,
                             .epsilon = 1e-8,
                             .slots = slots_adam,
                             .direction = direction_adamax},
    [FX_OPTIMIZER_RMSPROP] = {.name = "rmsprop",
                              .rate = 0.01,
                              .beta2 = 0.99,
                              .epsilon = 1e-8,
                              .takes_momentum = true,
                              .takes_centered = true,
                              .slots = slots_rmsprop,
                              .direction = direction_rmsprop},
    [FX_OPTIMIZER_ADAFACTOR] = {.name = "adafactor",
                                .rate = 0.01,
                                .epsilon = 1e-30,
                                .decay = FXI_DECAY_BESIDES,
                                .slots = slots_adafactor,
                                .direction = direction_adafactor},
    [FX_OPTIMIZER_LION] = {.name = "lion",
                           .rate = 1e-4,
                           .beta1 = 0.9,
                           .beta2 = 0.99,
                           .decay = FXI_DECAY_BESIDES,
                           .slots = slots_lion,
                           .direction = direction_lion,
                           .advance = advance_lion},
    [FX_OPTIMIZER_LAMB] = {.name = "lamb",
                           .rate = 1e-3,
                           .beta1 = 0.9,
                           .beta2 = 0.999,
                           .epsilon = 1e-6,
                           .decay = FXI_DECAY_WITHIN,
                           .slots = slots_adam,
                           .direction = direction_lamb},
};

const fxi_optimizer_rule *fxi_optimizer_rule_of(fx_optimizer_kind kind) {
    return (unsigned)kind < sizeof rules / sizeof *rules ? &rules[kind] : NULL;
}
