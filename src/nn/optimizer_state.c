/* SPDX-License-Identifier: Apache-2.0 */
/* Options of optimizers, with their defaults and checks, and the state: which tensors it has and what they
 * are before the first step. The layout is that of one walk: the count of steps, and then for each parameter
 * the slots of its rule, its master copy and its sum of gradients. */
#include "optimizer_internal.h"
#include <math.h>
#include <string.h>

const char *fx_optimizer_name(fx_optimizer_kind kind) {
    const fxi_optimizer_rule *rule = fxi_optimizer_rule_of(kind);
    return rule ? rule->name : NULL;
}

bool fx_optimizer_parse(const char *name, fx_optimizer_kind *kind) {
    if (!name || !kind) return false;
    for (int i = 0; fx_optimizer_name((fx_optimizer_kind)i); i++) {
        if (strcmp(name, fx_optimizer_name((fx_optimizer_kind)i)) != 0) continue;
        *kind = (fx_optimizer_kind)i;
        return true;
    }
    return false;
}

/* ---- options ---- */

static double pick(double given, double otherwise) {
    return given == 0 ? otherwise : given < 0 ? 0 : given;
}

static bool in_unit(double value) {
    return value >= 0 && value < 1;
}

static bool is_amount(double value) {
    return value >= 0 && isfinite(value);
}

/* Numbers in the place of 0 and of what is below. */
static void set_defaults(fx_optimizer *o, const fxi_optimizer_rule *rule) {
    o->learning_rate = pick(o->learning_rate, rule->rate);
    o->momentum = pick(o->momentum, 0);
    o->beta1 = pick(o->beta1, rule->beta1);
    o->beta2 = pick(o->beta2, rule->beta2);
    o->epsilon = pick(o->epsilon, rule->epsilon);
    o->weight_decay = pick(o->weight_decay, rule->weight_decay);
    o->decay_exponent = pick(o->decay_exponent, 0.8);
    o->clip_threshold = pick(o->clip_threshold, 1);
    if (o->min_factored == 0) o->min_factored = 128;
    if (o->accumulate == 0) o->accumulate = 1;
}

/* Two plain tables: an option that is out of range, one that the kind does not take. */
static bool check_ranges(const fx_optimizer *o, fx_error *why) {
    const struct {
        const char *name;
        double value;
        bool in_unit;
    } numbers[] = {{"momentum", o->momentum, true},
                   {"beta1", o->beta1, true},
                   {"beta2", o->beta2, true},
                   {"learning_rate", o->learning_rate, false},
                   {"epsilon", o->epsilon, false},
                   {"weight_decay", o->weight_decay, false},
                   {"decay_exponent", o->decay_exponent, false}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].in_unit ? in_unit(numbers[i].value) : is_amount(numbers[i].value)) continue;
        return fxi_fail(why, FX_ERROR_ARGUMENT, "%s is %g; it must be %s", numbers[i].name, numbers[i].value,
                        numbers[i].in_unit ? "in [0, 1)" : "finite");
    }
    if (!(o->clip_threshold > 0))
        return fxi_fail(why, FX_ERROR_ARGUMENT, "clip_threshold is %g; it must be above 0",
                        o->clip_threshold);
    if (o->accumulate < 1)
        return fxi_fail(why, FX_ERROR_ARGUMENT, "accumulate is %lld; it must not be negative",
                        (long long)o->accumulate);
    return o->min_factored > 0 ||
           fxi_fail(why, FX_ERROR_ARGUMENT, "min_factored is %lld; it must not be negative",
                    (long long)o->min_factored);
}

static bool check_taken(const fx_optimizer *o, const fxi_optimizer_rule *rule, fx_error *why) {
    if (o->momentum > 0 && !rule->takes_momentum)
        return fxi_fail(why, FX_ERROR_ARGUMENT, "%s takes no momentum", rule->name);
    if (o->centered && !rule->takes_centered)
        return fxi_fail(why, FX_ERROR_ARGUMENT, "%s cannot be centered", rule->name);
    if (o->nesterov && (o->kind != FX_OPTIMIZER_SGD || o->momentum == 0))
        return fxi_fail(why, FX_ERROR_ARGUMENT, "nesterov is for sgd with momentum");
    return true;
}

bool fxi_optimizer_resolve(const fx_optimizer *given, fx_optimizer *o, const fxi_optimizer_rule **rule,
                           fx_error *why) {
    if (!given) return fxi_fail(why, FX_ERROR_ARGUMENT, "the optimizer is NULL");
    *o = *given;
    if (o->size != 0 && o->size != sizeof *o)
        return fxi_fail(why, FX_ERROR_ARGUMENT, "optimizer.size is %zu; it must be %zu or 0", o->size,
                        sizeof *o);
    *rule = fxi_optimizer_rule_of(o->kind);
    if (!*rule) return fxi_fail(why, FX_ERROR_ARGUMENT, "there is no optimizer %d", (int)o->kind);
    set_defaults(o, *rule);
    return check_ranges(o, why) && check_taken(o, *rule, why);
}

/* ---- the state ---- */

fx_dtype fxi_optimizer_wide(fx_dtype dtype) {
    return dtype == FX_F64 ? FX_F64 : FX_F32;
}

bool fxi_optimizer_takes(fx_dtype dtype) {
    return fx_dtype_is_half(dtype) || dtype == FX_F32 || dtype == FX_F64;
}

size_t fxi_optimizer_slots(const fx_optimizer *o, const fxi_optimizer_rule *rule, const fx_shape *p,
                           fxi_slot *slots) {
    fx_shape wide = *p;
    wide.dtype = fxi_optimizer_wide(p->dtype);
    size_t n = rule->slots(o, &wide, slots);
    if (o->master && fx_dtype_is_half(p->dtype)) slots[n++] = (fxi_slot){"master", wide};
    if (o->accumulate > 1) slots[n++] = (fxi_slot){"sum", wide};
    return n;
}

static bool refuse_parameter(size_t i, const fx_shape *shape, fx_error *why) {
    return fxi_fail(why, FX_ERROR_DTYPE, "parameter %zu is %s; parameters are floats", i,
                    fx_shape_to_text(shape).s);
}

static bool check_shapes(const fx_shape *parameters, size_t n, fx_error *why) {
    if (n && !parameters) return fxi_fail(why, FX_ERROR_ARGUMENT, "the parameters are NULL");
    for (size_t i = 0; i < n; i++)
        if (!fx_shape_is_valid(&parameters[i]) || !fxi_optimizer_takes(parameters[i].dtype))
            return refuse_parameter(i, &parameters[i], why);
    return true;
}

/* Visits the state in order: its first tensor, then the slots. Stops at `last` and gives how many it saw. */
static size_t walk_state(const fx_optimizer *given, const fx_shape *parameters, size_t n, size_t last,
                         fxi_slot *found, size_t *parameter, fx_shape *shapes, fx_error *why) {
    fx_optimizer o;
    const fxi_optimizer_rule *rule;
    if (!fxi_optimizer_resolve(given, &o, &rule, why) || !check_shapes(parameters, n, why)) return 0;
    fxi_slot slots[FXI_MOST_SLOTS] = {{"step", {.dtype = FX_S64}}};
    size_t count = 0, more = 1;
    for (size_t i = 0;; i++) {
        for (size_t k = 0; k < more; k++, count++) {
            if (shapes) shapes[count] = slots[k].shape;
            if (count != last) continue;
            *found = slots[k];
            *parameter = i - 1;
            return count + 1;
        }
        if (i == n) return count;
        more = fxi_optimizer_slots(&o, rule, &parameters[i], slots);
    }
}

static bool named(const char *name, const fx_error *why, fx_error *err) {
    return fxi_fail(err, why->code, "%s: %s", name, why->message);
}

size_t fx_optimizer_state_count(const fx_optimizer *optimizer, const fx_shape *parameters, size_t n,
                                fx_error *err) {
    fx_error why = {.code = FX_OK};
    size_t count = walk_state(optimizer, parameters, n, SIZE_MAX, NULL, NULL, NULL, &why);
    if (count == 0) named("fx_optimizer_state_count", &why, err);
    return count;
}

bool fx_optimizer_state_shapes(const fx_optimizer *optimizer, const fx_shape *parameters, size_t n,
                               fx_shape *state, fx_error *err) {
    static const char name[] = "fx_optimizer_state_shapes";
    fx_error why = {.code = FX_OK};
    if (!state) return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: state is NULL", name);
    return walk_state(optimizer, parameters, n, SIZE_MAX, NULL, NULL, state, &why) > 0 ||
           named(name, &why, err);
}

const char *fx_optimizer_state_name(const fx_optimizer *optimizer, const fx_shape *parameters, size_t n,
                                    size_t i, size_t *parameter) {
    fx_error why = {.code = FX_OK};
    fxi_slot slot = {.name = NULL};
    size_t owner = 0;
    if (i == SIZE_MAX || walk_state(optimizer, parameters, n, i, &slot, &owner, NULL, &why) != i + 1)
        return NULL;
    if (parameter && i > 0) *parameter = owner;
    return slot.name;
}

/* ---- the state before the first step ---- */

static fx_tensor *wide_copy(const fx_tensor *tensor, const fx_shape *shape, fx_error *err) {
    fx_tensor *copy = fx_tensor_new(shape, err);
    float *to = copy ? fx_tensor_mutable_data(copy) : NULL;
    for (int64_t i = 0, n = fx_tensor_size(copy); to && i < n; i++) to[i] = (float)fx_tensor_get(tensor, i);
    return copy;
}

static bool is_master(const char *name) {
    return strcmp(name, "master") == 0;
}

/* A list of the caller's tensors that can be parameters, and how many tensors their state has. */
static bool count_tensors(const fx_optimizer *o, const fxi_optimizer_rule *rule,
                          const fx_tensor *const *parameters, size_t n, size_t *count, fx_error *why) {
    fxi_slot slots[FXI_MOST_SLOTS];
    *count = 1;
    for (size_t i = 0; i < n; i++) {
        if (!parameters[i] || !fx_tensor_is_valid(parameters[i]))
            return fxi_fail(why, FX_ERROR_ARGUMENT, "parameter %zu is %s", i,
                            parameters[i] ? "donated away" : "NULL");
        const fx_shape *shape = fx_tensor_shape(parameters[i]);
        if (!fxi_optimizer_takes(shape->dtype)) return refuse_parameter(i, shape, why);
        *count += fxi_optimizer_slots(o, rule, shape, slots);
    }
    return true;
}

static bool fill_state(const fx_optimizer *o, const fxi_optimizer_rule *rule,
                       const fx_tensor *const *parameters, size_t n, fx_tensor **state, fx_error *err) {
    fxi_slot slots[FXI_MOST_SLOTS];
    FX_TRY(*state++ = fx_tensor_scalar_int(FX_S64, 0, err));
    for (size_t i = 0; i < n; i++) {
        size_t more = fxi_optimizer_slots(o, rule, fx_tensor_shape(parameters[i]), slots);
        for (size_t k = 0; k < more; k++)
            FX_TRY(*state++ = is_master(slots[k].name) ? wide_copy(parameters[i], &slots[k].shape, err)
                                                       : fx_tensor_new(&slots[k].shape, err));
    }
    return true;
}

bool fx_optimizer_init(const fx_optimizer *optimizer, const fx_tensor *const *parameters, size_t n,
                       fx_tensor **state, fx_error *err) {
    static const char name[] = "fx_optimizer_init";
    fx_optimizer o;
    const fxi_optimizer_rule *rule;
    fx_error why = {.code = FX_OK};
    size_t count;
    if (!state || (n && !parameters)) return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: a list is NULL", name);
    if (!fxi_optimizer_resolve(optimizer, &o, &rule, &why) ||
        !count_tensors(&o, rule, parameters, n, &count, &why))
        return named(name, &why, err);
    for (size_t i = 0; i < count; i++) state[i] = NULL;
    if (fill_state(&o, rule, parameters, n, state, err)) return true;
    for (size_t i = 0; i < count; i++) {
        fx_tensor_free(state[i]);
        state[i] = NULL;
    }
    return false;
}

fx_node *fxi_optimizer_refuse(const fxi_build *b, const fx_error *why) {
    return fxi_build_refuse(b, why->code, "%s", why->message);
}

bool fxi_optimizer_check(const fxi_build *b, fx_nodes parameters) {
    for (size_t i = 0; i < parameters.n; i++) {
        fx_error why = {.code = FX_OK};
        if (fxi_optimizer_takes(parameters.v[i]->shape.dtype)) continue;
        refuse_parameter(i, &parameters.v[i]->shape, &why);
        fxi_optimizer_refuse(b, &why);
        return false;
    }
    return true;
}

fx_node *fx_optimizer_init_nodes(const fx_optimizer *optimizer, fx_nodes parameters, fx_node **state) {
    fxi_build b;
    fx_optimizer o;
    const fxi_optimizer_rule *rule;
    fx_error why = {.code = FX_OK};
    if (!fxi_build_begin(&b, "fx_optimizer_init_nodes", parameters.v, parameters.v ? parameters.n : 0))
        return b.stop;
    if (!fxi_optimizer_resolve(optimizer, &o, &rule, &why)) return fxi_optimizer_refuse(&b, &why);
    if (!state) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "state is NULL");
    if (!fxi_optimizer_check(&b, parameters)) return b.stop;
    size_t count = 0;
    state[count++] = fx_scalar_zero(b.graph, FX_S64);
    for (size_t i = 0; i < parameters.n; i++) {
        fxi_slot slots[FXI_MOST_SLOTS];
        size_t n = fxi_optimizer_slots(&o, rule, &parameters.v[i]->shape, slots);
        for (size_t k = 0; k < n; k++)
            state[count++] = is_master(slots[k].name) ? fx_convert(parameters.v[i], FX_F32)
                                                      : fx_zeros(b.graph, &slots[k].shape);
    }
    return state[0];
}
