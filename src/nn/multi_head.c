/* SPDX-License-Identifier: Apache-2.0 */
/* Attention with its projections, made of dense, norm, rotation, cache and attention. Queries, keys and
 * values are [batch, sequence, heads, dim] between the parts; a cache decides the layout of attention itself,
 * so that it is not moved. */
#include "attention_internal.h"
#include "nn_internal.h"
#include <fluxion/indexing.h>
#include <math.h>

typedef struct multi_head {
    fxi_build b;
    fx_multi_head_options o;
    fx_kv_cache_options cache;
    fx_node *x[3]; /* query, key, value; from project() on [batch, sequence, heads, dim] */
    fx_shape query;
    int64_t key_heads;
    int64_t dims[3]; /* of a head */
    int64_t queries, keys, batch;
} multi_head;

static const char *const names[] = {"query", "key", "value"};

static bool refuse(const multi_head *m, fx_error_code code, const char *message) {
    fxi_build_refuse(&m->b, code, "%s", message);
    return false;
}

/* ---- checks ---- */

/* All operands that there are. */
static bool begin(multi_head *m) {
    const fx_multi_head_options *o = &m->o;
    const fx_attention_options *a = &o->attention;
    fx_node *const given[] = {
        m->x[1],        m->x[2],         o->query.weight,  o->query.bias,      o->key.weight,
        o->key.bias,    o->value.weight, o->value.bias,    o->query_key_value, o->output.weight,
        o->output.bias, o->query_norm,   o->key_norm,      o->query_positions, o->key_positions,
        o->query_mask,  o->key_mask,     o->key_cache,     o->value_cache,     o->cache_position,
        a->mask,        a->bias,         a->query_lengths, a->key_lengths,     a->random_state};
    fx_node *all[1 + sizeof given / sizeof *given] = {m->x[0]};
    size_t n = 1;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i]) all[n++] = given[i];
    return fxi_build_begin_roles(&m->b, "fx_nn_multi_head_attention", all, n, FXI_ROLES("query"));
}

static bool check_inputs(multi_head *m) {
    for (int i = 0; i < 3; i++) {
        const fx_node *x = m->x[i];
        if (!fxi_build_floats(&m->b, x, "attention", FX_OP_ERF) || !fxi_build_same(&m->b, m->x[0], x))
            return false;
        if (x->shape.rank >= 3 && x->shape.dims[0] == m->x[0]->shape.dims[0]) continue;
        fxi_build_refuse(&m->b, FX_ERROR_SHAPE, "the %s is %s; it must be [batch %lld, inner..., dim]",
                         names[i], fx_shape_to_text(&x->shape).s, (long long)m->x[0]->shape.dims[0]);
        return false;
    }
    return true;
}

/* Size of a weight's output axes; -1 where they overflow, which no weight's do. */
static int64_t outputs(const fx_node *weight, fx_dense_layout layout) {
    int64_t size = 1;
    for (int i = 0; i < weight->shape.rank - 1; i++)
        if (!fxi_size_mul(size, weight->shape.dims[i + (layout == FX_DENSE_INPUT_OUTPUTS)], &size)) return -1;
    return size;
}

static bool check_projection(const multi_head *m, const char *what, int64_t in, fx_projection p) {
    fx_dense_layout layout = m->o.weights;
    if (!p.weight) return !p.bias || refuse(m, FX_ERROR_ARGUMENT, "a bias without a weight");
    const fx_shape *w = &p.weight->shape;
    if (!fxi_build_same(&m->b, m->x[0], p.weight)) return false;
    if (w->rank < 2 || w->dims[layout == FX_DENSE_INPUT_OUTPUTS ? 0 : w->rank - 1] != in) {
        fxi_build_refuse(&m->b, FX_ERROR_SHAPE, "the weight %s of the %s does not take %lld inputs",
                         fx_shape_to_text(w).s, what, (long long)in);
        return false;
    }
    const fx_dims own = {w->dims + (layout == FX_DENSE_INPUT_OUTPUTS), (size_t)w->rank - 1};
    return fxi_nn_exactly(&m->b, m->x[0], p.bias, own, "bias");
}

/* A width splits into heads. */
static bool check_width(const multi_head *m, const char *what, int64_t width, int64_t heads, int64_t *dim) {
    *dim = width / heads;
    if (width % heads == 0) return true;
    fxi_build_refuse(&m->b, FX_ERROR_SHAPE, "the %s's %lld elements do not split into %lld heads", what,
                     (long long)width, (long long)heads);
    return false;
}

static int64_t last_dim(const fx_node *x) {
    return x->shape.dims[x->shape.rank - 1];
}

static bool check_separate(multi_head *m) {
    const fx_projection all[] = {m->o.query, m->o.key, m->o.value};
    for (int i = 0; i < 3; i++) {
        if (!check_projection(m, names[i], last_dim(m->x[i]), all[i])) return false;
        int64_t width = all[i].weight ? outputs(all[i].weight, m->o.weights) : last_dim(m->x[i]);
        if (!check_width(m, names[i], width, i ? m->key_heads : m->o.heads, &m->dims[i])) return false;
    }
    return true;
}

/* One weight for all three: the dimension of a head. */
static bool check_joint(multi_head *m, bool is_self) {
    const fx_multi_head_options *o = &m->o;
    const fx_shape *w = &o->query_key_value->shape;
    if (!is_self || o->query.weight || o->key.weight || o->value.weight)
        return refuse(m, FX_ERROR_ARGUMENT,
                      "query_key_value is for attention to the query itself, without the "
                      "weights that it stands for");
    if (w->rank != 2) return refuse(m, FX_ERROR_SHAPE, "query_key_value is not a matrix");
    if (w->dims[0] != last_dim(m->x[0]) || !fxi_build_same(&m->b, m->x[0], o->query_key_value))
        return refuse(m, FX_ERROR_SHAPE, "query_key_value does not take the query's inputs");
    if (!check_width(m, "query_key_value", w->dims[1], o->heads + 2 * m->key_heads, &m->dims[0]))
        return false;
    m->dims[1] = m->dims[2] = m->dims[0];
    const fx_projection all[] = {o->query, o->key, o->value};
    for (int i = 0; i < 3; i++) {
        const int64_t width = (i ? m->key_heads : o->heads) * m->dims[0];
        if (!fxi_nn_exactly(&m->b, m->x[0], all[i].bias, (fx_dims){&width, 1}, "bias")) return false;
    }
    return true;
}

static bool check_mask(const multi_head *m, const char *what, const fx_node *mask, const fx_node *x) {
    if (!mask) return true;
    bool fits = mask->shape.dtype == FX_BOOL && mask->shape.rank == x->shape.rank - 1;
    for (int i = 0; fits && i < mask->shape.rank; i++) fits = mask->shape.dims[i] == x->shape.dims[i];
    if (fits) return true;
    fxi_build_refuse(&m->b, FX_ERROR_SHAPE, "the %s mask %s does not go with %s", what,
                     fx_shape_to_text(&mask->shape).s, fx_shape_to_text(&x->shape).s);
    return false;
}

static bool has_cache(const multi_head *m) {
    return m->o.key_cache || m->o.value_cache || m->o.cache_position;
}

static bool check_cache(const multi_head *m) {
    const fx_multi_head_options *o = &m->o;
    const fx_attention_options *a = &o->attention;
    fx_node *const caches[] = {o->key_cache, o->value_cache};
    if (!has_cache(m)) return true;
    if (!o->key_cache || !o->value_cache || !o->cache_position)
        return refuse(m, FX_ERROR_ARGUMENT, "caches come as two, with a position");
    if (o->key_mask || a->query_lengths || a->key_lengths || a->has_causal_offset)
        return refuse(m, FX_ERROR_ARGUMENT,
                      "a cache does not go with lengths, a key mask or a causal offset");
    for (int i = 0; i < 2; i++) {
        const fx_shape *s = &caches[i]->shape;
        int sequence = m->cache.layout == FX_ATTENTION_BSHD ? 1 : 2;
        if (s->rank == 4 && s->dtype == m->x[0]->shape.dtype && s->dims[0] == m->batch &&
            s->dims[3] == m->dims[1 + i] && s->dims[3 - sequence] == m->key_heads &&
            s->dims[sequence] == o->key_cache->shape.dims[sequence])
            continue;
        fxi_build_refuse(&m->b, FX_ERROR_SHAPE, "the cache %s does not hold %lld heads of %lld elements",
                         fx_shape_to_text(s).s, (long long)m->key_heads, (long long)m->dims[1 + i]);
        return false;
    }
    return true;
}

static int64_t sequence(const fx_node *x) {
    int64_t length = 1;
    for (int i = 1; i < x->shape.rank - 1; i++) length *= x->shape.dims[i];
    return length;
}

/* The sizes of attention, and with them the terms of its scores. */
static bool take_terms(multi_head *m) {
    fx_attention_options *o = &m->o.attention;
    fxi_attention sizes = {.q = m->x[0], .batch = m->batch, .heads = m->o.heads, .queries = m->queries};
    sizes.keys =
        has_cache(m) ? m->o.key_cache->shape.dims[m->cache.layout == FX_ATTENTION_BSHD ? 1 : 2] : m->keys;
    if (!fxi_attention_take_terms(&m->b, &sizes, o)) return false;
    o->mask = sizes.mask;
    o->bias = sizes.bias;
    return true;
}

static bool check(multi_head *m, bool is_self) {
    const fx_multi_head_options *o = &m->o;
    if (o->heads < 1 || o->key_heads < 0 || o->heads % m->key_heads)
        return refuse(m, FX_ERROR_ARGUMENT, "the heads must be at least 1 and a multiple of the key heads");
    if (!check_inputs(m)) return false;
    m->query = m->x[0]->shape;
    m->batch = m->query.dims[0];
    m->queries = sequence(m->x[0]);
    m->keys = sequence(m->x[1]);
    if (!(o->query_key_value ? check_joint(m, is_self) : check_separate(m))) return false;
    if (!check_projection(m, "output", o->heads * m->dims[2], o->output)) return false;
    if (o->query_key_norm && !fxi_nn_epsilon(&m->b, o->norm_epsilon)) return false;
    fx_node *const norms[] = {o->query_norm, o->key_norm};
    for (int i = 0; i < 2; i++)
        if (!fxi_nn_exactly(&m->b, m->x[0], norms[i], (fx_dims){&m->dims[i], 1}, "norm")) return false;
    if (!check_mask(m, "query", o->query_mask, m->x[0]) || !check_mask(m, "key", o->key_mask, m->x[1]))
        return false;
    return check_cache(m) && take_terms(m);
}

/* ---- projections ---- */

/* [batch, sequence, heads, dim] */
static fx_node *split(const multi_head *m, int i, fx_node *made) {
    const int64_t dims[] = {m->batch, i ? m->keys : m->queries, i ? m->key_heads : m->o.heads, m->dims[i]};
    return fx_reshape(made, (fx_dims){dims, 4});
}

/* [batch, sequence, dim] */
static fx_node *flattened(fx_node *x) {
    const int64_t dims[] = {x->shape.dims[0], sequence(x), last_dim(x)};
    return fx_reshape(x, (fx_dims){dims, 3});
}

static void project(multi_head *m) {
    const fx_projection all[] = {m->o.query, m->o.key, m->o.value};
    for (int i = 0; i < 3; i++) {
        fx_node *x = flattened(m->x[i]);
        if (all[i].weight) x = fx_nn_dense(x, all[i].weight, all[i].bias, m->o.weights, FX_ACTIVATION_NONE);
        m->x[i] = split(m, i, x);
    }
}

static void project_joint(multi_head *m) {
    const fx_multi_head_options *o = &m->o;
    fx_node *made[3];
    made[0] = fx_nn_qkv_projection(flattened(m->x[0]), o->query_key_value, o->query.bias, o->key.bias,
                                   o->value.bias, o->heads * m->dims[0], m->key_heads * m->dims[0], &made[1],
                                   &made[2]);
    for (int i = 0; i < 3; i++) m->x[i] = split(m, i, made[i]);
}

/* ---- between ---- */

static fx_node *normed(const multi_head *m, fx_node *x, fx_node *gamma) {
    if (gamma && m->o.norm_offset) gamma = fx_add_scalar(gamma, 1);
    return fx_nn_rms_norm(x, (fx_axes){(const int[]){3}, 1}, m->o.norm_epsilon, gamma);
}

static void rotate(multi_head *m) {
    fx_node *given[] = {m->o.query_positions, m->o.key_positions};
    for (int i = 0; i < 2; i++) {
        int64_t length = m->x[i]->shape.dims[1];
        if (!given[i]) given[i] = fx_nn_sequential_positions(m->b.graph, m->o.cache_position, length);
        m->x[i] = fx_nn_rope(m->x[i], given[i], 1, m->o.rope);
    }
}

/* A mask of queries or keys along its axis of [batch, heads, queries, keys]. */
static fx_node *along(fx_node *mask, int axis) {
    int64_t dims[] = {mask->shape.dims[0], 1, 1, 1};
    for (int i = 1; i < mask->shape.rank; i++) dims[axis] *= mask->shape.dims[i];
    return fx_reshape(mask, (fx_dims){dims, 4});
}

static void add_mask(fx_attention_options *a, fx_node *mask) {
    if (mask) a->mask = a->mask ? fx_and(a->mask, mask) : mask;
}

/* A mask of floats joins the bias, so that the place of the mask is free for what is left out. */
static void free_mask(fx_attention_options *a) {
    if (!a->mask || a->mask->shape.dtype == FX_BOOL) return;
    fx_node *bias = a->bias, *mask = a->mask;
    if (bias && bias->shape.dtype != mask->shape.dtype) {
        bias = fxi_build_wide(bias);
        mask = fxi_build_wide(mask);
    }
    a->bias = bias ? fx_add(bias, mask) : mask;
    a->mask = NULL;
}

/* ---- attention ---- */

/* Writes keys and values into the caches, which take their place; what is seen of them is a mask. */
static void use_cache(multi_head *m, fx_attention_options *a, fx_multi_head_results *r) {
    fx_node *const caches[] = {m->o.key_cache, m->o.value_cache};
    bool heads_first = m->cache.layout == FX_ATTENTION_BHSD;
    for (int i = 0; i < 2; i++) {
        fx_node *rows = heads_first ? fx_transpose(m->x[1 + i], 1, 2) : m->x[1 + i];
        m->x[1 + i] = fx_nn_kv_cache_update(caches[i], rows, m->o.cache_position, &m->cache);
    }
    r->key_cache = m->x[1];
    r->value_cache = m->x[2];
    if (heads_first) m->x[0] = fx_transpose(m->x[0], 1, 2);
    a->layout = m->cache.layout;
    m->cache.window = a->window;
    add_mask(a, fx_nn_kv_cache_mask(m->o.cache_position, m->queries, m->x[1]->shape.dims[heads_first ? 2 : 1],
                                    &m->cache));
    a->causal = false;
    a->window = 0;
}

static fx_node *attend(multi_head *m, fx_multi_head_results *r) {
    fx_attention_options a = m->o.attention;
    a.layout = FX_ATTENTION_BSHD;
    if (m->o.query_mask || m->o.key_mask || has_cache(m)) free_mask(&a);
    add_mask(&a, m->o.query_mask ? along(m->o.query_mask, 2) : NULL);
    add_mask(&a, m->o.key_mask ? along(m->o.key_mask, 3) : NULL);
    if (has_cache(m)) use_cache(m, &a, r);
    fx_node *output = fxi_attention_call(m->b.name, m->x[0], m->x[1], m->x[2], &a,
                                         m->o.want_coefficients ? &r->coefficients : NULL, &r->new_state);
    if (output->op == FX_OP_INERT || a.layout == FX_ATTENTION_BHSD) return output;
    if (r->coefficients) r->coefficients = fx_transpose(r->coefficients, 1, 2);
    return output;
}

static fx_node *finish(multi_head *m, fx_node *output) {
    fx_shape merged = m->query;
    if (has_cache(m) && m->cache.layout == FX_ATTENTION_BHSD) output = fx_transpose(output, 1, 2);
    merged.dims[merged.rank - 1] = m->o.heads * m->dims[2];
    output = fx_reshape_with_shape(output, &merged);
    if (!m->o.output.weight) return output;
    return fx_nn_dense(output, m->o.output.weight, m->o.output.bias, m->o.weights, FX_ACTIVATION_NONE);
}

static fx_node *build(multi_head *m, fx_multi_head_results *r) {
    if (m->o.query_key_value)
        project_joint(m);
    else
        project(m);
    if (m->o.query_key_norm) {
        m->x[0] = normed(m, m->x[0], m->o.query_norm);
        m->x[1] = normed(m, m->x[1], m->o.key_norm);
    }
    if (m->o.rope) rotate(m);
    for (int i = 0; i < 3; i++)
        if (m->x[i]->op == FX_OP_INERT) return m->b.stop;
    fx_node *output = attend(m, r);
    return output->op == FX_OP_INERT ? m->b.stop : finish(m, output);
}

fx_node *fx_nn_multi_head_attention(fx_node *query, fx_node *key, fx_node *value,
                                    const fx_multi_head_options *options, fx_multi_head_results *results) {
    multi_head m = {.x = {query, key ? key : query, value ? value : key ? key : query}};
    fx_multi_head_results r = {NULL, NULL, NULL, NULL};
    fxi_build_options(&m.o, sizeof m.o, options);
    fxi_build_options(&m.cache, sizeof m.cache, m.o.cache);
    m.key_heads = m.o.key_heads ? m.o.key_heads : m.o.heads;
    bool is_self = m.x[1] == query && m.x[2] == query;
    fx_node *made = begin(&m) && check(&m, is_self) ? build(&m, &r) : m.b.stop;
    if (results) *results = r;
    return made;
}
