/* SPDX-License-Identifier: Apache-2.0 */
/* A call of attention, checked, and brought to the one form that everything behind it knows: sizes in a
 * struct, bias and mask of rank 4, lengths int32 [batch]. All that can go wrong is found here. */
#include "attention_internal.h"
#include <fluxion/indexing.h>
#include <math.h>

/* Positions, and differences of them and of lengths, are int32 and must not overflow. */
#define MOST_POSITIONS (INT64_C(1) << 30)

static bool refuse(const fxi_build *b, fx_error_code code, const char *what, const fx_node *x) {
    fxi_build_refuse(b, code, "%s %s", what, fx_shape_to_text(&x->shape).s);
    return false;
}

static bool begin(fxi_build *b, const char *name, fx_node *q, fx_node *k, fx_node *v,
                  const fx_attention_options *o) {
    fx_node *const options[] = {o->mask, o->bias, o->query_lengths, o->key_lengths, o->random_state};
    fx_node *all[8] = {q, k, v};
    size_t n = 3;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i]) all[n++] = options[i];
    return fxi_build_begin_roles(b, name, all, n, FXI_ROLES("query", "key", "value"));
}

/* ---- queries, keys, values ---- */

static bool check_ranks(const fxi_build *b, const fx_node *q, const fx_node *k, const fx_node *v) {
    const fx_node *const all[] = {q, k, v};
    static const char *const names[] = {"the queries are", "the keys are", "the values are"};
    if (!fxi_build_floats(b, q, "attention", FX_OP_ERF)) return false;
    for (int i = 0; i < 3; i++) {
        if (all[i]->shape.dtype != q->shape.dtype) {
            fxi_build_refuse(b, FX_ERROR_DTYPE,
                             "%s %s beside queries of %s; convert one of them with fx_convert", names[i],
                             fx_dtype_name(all[i]->shape.dtype), fx_dtype_name(q->shape.dtype));
            return false;
        }
        if (all[i]->shape.rank == 4) continue;
        fxi_build_refuse(b, FX_ERROR_SHAPE, "%s %s; they must have 4 axes", names[i],
                         fx_shape_to_text(&all[i]->shape).s);
        return false;
    }
    return true;
}

static void read_sizes(fxi_attention *a) {
    const int64_t *q = a->q->shape.dims, *k = a->k->shape.dims;
    int heads = a->layout == FX_ATTENTION_BHSD ? 1 : 2, sequence = 3 - heads;
    a->batch = q[0];
    a->heads = q[heads];
    a->queries = q[sequence];
    a->dim = q[3];
    a->key_heads = k[heads];
    a->keys = k[sequence];
    a->value_dim = a->v->shape.dims[3];
}

static bool check_sizes(const fxi_build *b, const fxi_attention *a) {
    const int64_t *q = a->q->shape.dims, *k = a->k->shape.dims, *v = a->v->shape.dims;
    if (k[0] != q[0] || v[0] != q[0] || k[3] != q[3] || v[1] != k[1] || v[2] != k[2]) {
        fxi_build_refuse(
            b, FX_ERROR_SHAPE,
            "queries %s, keys %s and values %s: the batch of all, the last dimension of queries and "
            "keys, heads and length of keys and values must be equal",
            fx_shape_to_text(&a->q->shape).s, fx_shape_to_text(&a->k->shape).s,
            fx_shape_to_text(&a->v->shape).s);
        return false;
    }
    bool divides = a->key_heads > 0 ? a->heads % a->key_heads == 0 : a->heads == 0;
    if (divides && a->queries < MOST_POSITIONS && a->keys < MOST_POSITIONS) return true;
    if (divides)
        fxi_build_refuse(b, FX_ERROR_SHAPE, "%lld queries and %lld keys; at most 2^30 - 1 are taken",
                         (long long)a->queries, (long long)a->keys);
    else
        fxi_build_refuse(b, FX_ERROR_SHAPE, "%lld heads are no multiple of the %lld of keys and values",
                         (long long)a->heads, (long long)a->key_heads);
    return false;
}

/* ---- options ---- */

static bool is_added(const fxi_attention *a, fx_dtype dtype) {
    return dtype == a->q->shape.dtype || (dtype == FX_F32 && fx_dtype_is_half(a->q->shape.dtype));
}

/* A term of the scores with its missing axes, of which those in front are the axes `missing` and before. */
static bool take_term(const fxi_build *b, const fxi_attention *a, const char *what, fx_node *x, int third,
                      fx_node **taken) {
    const int64_t whole[4] = {a->batch, a->heads, a->queries, a->keys};
    int64_t dims[4] = {1, 1, 1, 1};
    int rank = x->shape.rank;
    bool fits = rank >= 2 && rank <= 4;
    for (int i = 0; fits && i < rank; i++) {
        int at = i >= rank - 2 ? 4 - rank + i : rank == 4 ? i : third;
        dims[at] = x->shape.dims[i];
        fits = dims[at] == 1 || dims[at] == whole[at];
    }
    *taken = x;
    if (fits) {
        *taken = fx_reshape(x, (fx_dims){dims, 4});
        return true;
    }
    fxi_build_refuse(b, FX_ERROR_SHAPE,
                     "the %s %s does not go with scores [batch %lld, heads %lld, queries %lld, keys %lld]",
                     what, fx_shape_to_text(&x->shape).s, (long long)whole[0], (long long)whole[1],
                     (long long)whole[2], (long long)whole[3]);
    return false;
}

bool fxi_attention_take_terms(const fxi_build *b, fxi_attention *a, const fx_attention_options *o) {
    if (o->mask && o->mask->shape.dtype != FX_BOOL && !is_added(a, o->mask->shape.dtype))
        return refuse(b, FX_ERROR_DTYPE, "the mask must be bool or of the queries' dtype, not", o->mask);
    if (o->bias && !is_added(a, o->bias->shape.dtype))
        return refuse(b, FX_ERROR_DTYPE, "the bias must be of the queries' dtype, not", o->bias);
    if (o->mask && !take_term(b, a, "mask", o->mask, 0, &a->mask)) return false;
    return !o->bias || take_term(b, a, "bias", o->bias, 1, &a->bias);
}

static bool check_lengths(const fxi_build *b, const fxi_attention *a, const fx_node *lengths) {
    if (!lengths) return true;
    const fx_shape *s = &lengths->shape;
    if (!fx_dtype_is_integer(s->dtype))
        return refuse(b, FX_ERROR_DTYPE, "lengths must be integers, not", lengths);
    if (s->rank == 0 || (s->rank == 1 && s->dims[0] == a->batch)) return true;
    fxi_build_refuse(b, FX_ERROR_SHAPE, "lengths %s for a batch of %lld", fx_shape_to_text(s).s,
                     (long long)a->batch);
    return false;
}

/* int32 [batch]; wider integers are brought to 0 .. most first. */
static fx_node *take_lengths(const fxi_attention *a, fx_node *lengths, int64_t most) {
    if (!lengths) return NULL;
    fx_dtype dtype = lengths->shape.dtype;
    if (fx_dtype_bits(dtype) >= 32 && dtype != FX_S32) lengths = fx_min_scalar_int(lengths, most);
    if (dtype == FX_S64) lengths = fx_max_scalar_int(lengths, 0);
    return fx_broadcast_to_dims(fx_convert(lengths, FX_S32), (fx_dims){&a->batch, 1});
}

static bool check_numbers(const fxi_build *b, const fx_attention_options *o) {
    const char *wrong = NULL;
    if (o->layout != FX_ATTENTION_BHSD && o->layout != FX_ATTENTION_BSHD) wrong = "there is no such layout";
    if (!isfinite(o->scale)) wrong = "the scale is not finite";
    if (!isfinite(o->softcap) || o->softcap < 0) wrong = "the softcap is negative or not finite";
    if (o->window < 0) wrong = "the window is negative";
    if (o->dropout_rate > 0 && !o->random_state) wrong = "dropout needs a random state";
    if (!(o->dropout_rate >= 0 && o->dropout_rate <= 1)) wrong = "the rate of dropout is not in 0 to 1";
    if (wrong) fxi_build_refuse(b, FX_ERROR_ARGUMENT, "%s", wrong);
    return !wrong;
}

static void take_numbers(fxi_attention *a, const fx_attention_options *o) {
    a->scale = o->scale != 0 ? o->scale : a->dim > 0 ? 1 / sqrt((double)a->dim) : 1;
    a->softcap = o->softcap;
    a->causal = o->causal;
    a->window = o->window;
    a->has_offset = o->has_causal_offset;
    a->offset = o->has_causal_offset ? o->causal_offset : 0;
}

static bool check_state(const fxi_build *b, const fx_node *state) {
    if (!state || (state->shape.dtype == FX_U64 && state->shape.rank == 1 && state->shape.dims[0] == 3))
        return true;
    return refuse(b, FX_ERROR_SHAPE, "a random state is (uint64)[3], not", state);
}

bool fxi_attention_begin(fxi_build *b, const char *name, fxi_attention *a, fx_node *q, fx_node *k, fx_node *v,
                         const fx_attention_options *o) {
    *a = (fxi_attention){.name = name, .layout = o->layout, .q = q, .k = k, .v = v};
    if (!begin(b, name, q, k, v, o) || !check_numbers(b, o) || !check_ranks(b, q, k, v)) return false;
    if (!check_state(b, o->random_state)) return false;
    read_sizes(a);
    if (!check_sizes(b, a)) return false;
    if (!check_lengths(b, a, o->query_lengths) || !check_lengths(b, a, o->key_lengths)) return false;
    if (!fxi_attention_take_terms(b, a, o)) return false;
    take_numbers(a, o);
    a->query_lengths = take_lengths(a, o->query_lengths, a->queries);
    a->key_lengths = take_lengths(a, o->key_lengths, a->keys);
    return true;
}
