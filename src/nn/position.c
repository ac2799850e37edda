/* SPDX-License-Identifier: Apache-2.0 */
/* Positions of rows: numbers, rotations, learned rows. What belongs to a row is [sequence, n] or [batch,
 * sequence, n] and meets x with its axes in their places and 1 elsewhere. Frequencies are computed in double
 * and rounded once; angles are products in float32 or float64, never in a half type, which cannot tell
 * positions above a few hundred apart. */
#include "ops/ops.h"
#include <fluxion/attention.h>
#include <fluxion/indexing.h>
#include <math.h>

fx_node *fx_nn_sequential_positions(fx_graph *graph, fx_node *start, int64_t length) {
    fxi_build b;
    bool ok = start ? fxi_build_begin(&b, "fx_nn_sequential_positions", &start, 1)
                    : fxi_build_begin_leaf(&b, "fx_nn_sequential_positions", graph);
    if (!ok) return b.stop;
    if (length < 0) return fxi_build_refuse(&b, FX_ERROR_SHAPE, "the length is negative");
    fx_shape shape = {.dtype = start ? start->shape.dtype : FX_S32, .rank = 1, .dims = {length}};
    if (!fx_dtype_is_integer(shape.dtype) || (start && start->shape.rank > 1))
        return fxi_build_refuse(&b, FX_ERROR_ARGUMENT,
                                "the start is %s; it must be an integer or [batch] of them",
                                fx_shape_to_text(&start->shape).s);
    if (start && start->shape.rank == 1) {
        shape = (fx_shape){.dtype = shape.dtype, .rank = 2, .dims = {1, length}};
        start = fx_reshape(start, (fx_dims){(const int64_t[]){start->shape.dims[0], 1}, 2});
    }
    fx_node *steps = fx_iota(b.graph, &shape, shape.rank - 1);
    return start ? fx_add(steps, start) : steps;
}

/* ---- rows of x ---- */

typedef struct rows {
    fxi_build b;
    fx_node *x;
    int64_t sequence;     /* axis of x */
    int64_t first, pairs; /* what is rotated */
    bool interleaved;
} rows;

static bool begin(rows *r, const char *name, fx_node *x, fx_node *const *others, fxi_roles roles, size_t n,
                  int sequence_axis) {
    fx_node *all[3] = {x};
    *r = (rows){.x = x};
    for (size_t i = 0; i < n; i++) all[i + 1] = others[i];
    if (!fxi_build_begin_roles(&r->b, name, all, n + 1, roles)) return false;
    if (!fxi_build_floats(&r->b, x, "positions", FX_OP_ERF)) return false;
    if (!fxi_build_axis(&r->b, x, sequence_axis, &r->sequence)) return false;
    if (r->sequence < x->shape.rank - 1) return true;
    fxi_build_refuse(&r->b, FX_ERROR_AXIS, "axis %lld is the last of %s", (long long)r->sequence,
                     fx_shape_to_text(&x->shape).s);
    return false;
}

static bool fits(int64_t own, int64_t dim) {
    return own == 1 || own == dim;
}

/* Whether something lies along the rows: [sequence] or [batch, sequence], with `more` axes behind. */
static bool check_rows(const rows *r, const char *what, const fx_node *n, int more) {
    const fx_shape *s = &n->shape, *x = &r->x->shape;
    int rank = s->rank - more;
    bool ok = rank == 1 || (rank == 2 && r->sequence > 0 && fits(s->dims[0], x->dims[0]));
    if (ok && fits(s->dims[rank - 1], x->dims[r->sequence])) return true;
    fxi_build_refuse(&r->b, FX_ERROR_SHAPE, "%s %s do not go with %s, whose rows are along axis %lld", what,
                     fx_shape_to_text(s).s, fx_shape_to_text(x).s, (long long)r->sequence);
    return false;
}

/* [sequence, n] or [batch, sequence, n] as an operand beside x. */
static fx_node *beside(const rows *r, fx_node *n) {
    const fx_shape *s = &n->shape;
    int64_t dims[FX_MAX_RANK];
    int rank = r->x->shape.rank;
    for (int i = 0; i < rank; i++) dims[i] = 1;
    dims[rank - 1] = s->dims[s->rank - 1];
    dims[r->sequence] = s->dims[s->rank - 2];
    if (s->rank == 3) dims[0] = s->dims[0];
    return fx_reshape(n, (fx_dims){dims, (size_t)rank});
}

/* ---- rotations ---- */

static fx_node *part(fx_node *x, int64_t start, int64_t limit, int64_t stride) {
    return fx_slice_axis(x, x->shape.rank - 1, start, limit, stride);
}

/* Both elements of all pairs, joined again. */
static fx_node *join(const rows *r, fx_node *a, fx_node *b) {
    fx_node *const both[] = {a, b};
    int rank = a->shape.rank;
    int64_t dims[FX_MAX_RANK];
    if (!r->interleaved) return fx_concatenate((fx_nodes){both, 2}, rank - 1);
    for (int i = 0; i < rank; i++) dims[i] = a->shape.dims[i] * (i == rank - 1 ? 2 : 1);
    return fx_reshape(fx_stack((fx_nodes){both, 2}, rank), (fx_dims){dims, (size_t)rank});
}

static fx_node *rotate(const rows *r, fx_node *cosines, fx_node *sines) {
    int64_t end = r->first + 2 * r->pairs, dim = r->x->shape.dims[r->x->shape.rank - 1];
    fx_node *x = fxi_build_wide(part(r->x, r->first, end, 1));
    fx_node *cosine = beside(r, fxi_build_wide(cosines)), *sine = beside(r, fxi_build_wide(sines));
    fx_node *a = r->interleaved ? part(x, 0, 2 * r->pairs, 2) : part(x, 0, r->pairs, 1);
    fx_node *b = r->interleaved ? part(x, 1, 2 * r->pairs, 2) : part(x, r->pairs, 2 * r->pairs, 1);
    fx_node *first = fx_sub(fx_mul(a, cosine), fx_mul(b, sine));
    fx_node *turned = join(r, first, fx_add(fx_mul(a, sine), fx_mul(b, cosine)));
    turned = fx_convert(turned, r->x->shape.dtype);
    fx_node *parts[3];
    size_t n = 0;
    if (r->first > 0) parts[n++] = part(r->x, 0, r->first, 1);
    parts[n++] = turned;
    if (end < dim) parts[n++] = part(r->x, end, dim, 1);
    return n > 1 ? fx_concatenate((fx_nodes){parts, n}, r->x->shape.rank - 1) : turned;
}

/* The rotated part: `pairs` of them, or by the options. */
static bool take_range(rows *r, const fx_rope_options *o, int64_t pairs) {
    int64_t dim = r->x->shape.dims[r->x->shape.rank - 1];
    bool ok = o->first >= 0 && o->first <= dim;
    int64_t count = o->count ? o->count : ok ? dim - o->first : 0;
    if (pairs >= 0) count = pairs > INT64_MAX / 2 ? INT64_MAX : 2 * pairs;
    ok = ok && count >= 0 && count <= dim - o->first;
    if (!ok || count % 2)
        fxi_build_refuse(&r->b, FX_ERROR_ARGUMENT,
                         ok ? "%lld elements from %lld on are no pairs"
                            : "%lld elements from %lld on do not lie in %s",
                         (long long)count, (long long)o->first, fx_shape_to_text(&r->x->shape).s);
    else if (o->interleaved && r->x->shape.rank == FX_MAX_RANK)
        fxi_build_refuse(&r->b, FX_ERROR_SHAPE, "interleaved pairs take at most %d axes", FX_MAX_RANK - 1);
    r->first = o->first;
    r->pairs = count / 2;
    r->interleaved = o->interleaved;
    return ok && count % 2 == 0 && !(o->interleaved && r->x->shape.rank == FX_MAX_RANK);
}

static bool check_factors(const rows *r, const fx_rope_options *o) {
    const double all[] = {o->base_frequency, o->linear_scaling, o->frequency_divisor};
    static const char *const names[] = {"the base frequency", "the linear scaling", "the frequency divisor"};
    for (int i = 0; i < 3; i++)
        if (!(all[i] >= 0) || isinf(all[i])) {
            fxi_build_refuse(&r->b, FX_ERROR_ARGUMENT, "%s is negative or not finite", names[i]);
            return false;
        }
    return true;
}

/* base^(-2i / divisor) for each pair, of that dtype. */
static fx_node *frequencies(const rows *r, const fx_rope_options *o, fx_dtype dtype) {
    const fx_shape shape = {.dtype = FX_F64, .rank = 1, .dims = {r->pairs}};
    fx_tensor *t = fx_tensor_new(&shape, NULL);
    if (!t) return fxi_build_refuse(&r->b, FX_ERROR_MEMORY, "out of memory");
    double *v = fx_tensor_mutable_data(t), base = o->base_frequency > 0 ? o->base_frequency : 10000;
    double divisor = o->frequency_divisor > 0 ? o->frequency_divisor : 2 * (double)r->pairs;
    for (int64_t i = 0; i < r->pairs; i++) v[i] = pow(base, -2 * (double)i / divisor);
    fx_node *made = fx_convert(fx_constant(r->b.graph, t), dtype);
    fx_tensor_free(t);
    return made;
}

/* [sequence, pairs] or [batch, sequence, pairs] */
static fx_node *angles(const rows *r, fx_node *positions, const fx_rope_options *o) {
    fx_dtype dtype = r->x->shape.dtype == FX_F64 ? FX_F64 : FX_F32;
    int rank = positions->shape.rank + 1;
    int64_t column[3], row[3] = {1, 1, 1};
    for (int i = 0; i < rank; i++) column[i] = i < rank - 1 ? positions->shape.dims[i] : 1;
    row[rank - 1] = r->pairs;
    fx_node *p = fx_reshape(fx_convert(positions, dtype), (fx_dims){column, (size_t)rank});
    if (o->linear_scaling > 0) p = fx_div_scalar(p, o->linear_scaling);
    return fx_mul(p, fx_reshape(frequencies(r, o, dtype), (fx_dims){row, (size_t)rank}));
}

fx_node *fx_nn_rope(fx_node *x, fx_node *positions, int sequence_axis, const fx_rope_options *options) {
    rows r;
    fx_rope_options o;
    fxi_build_options(&o, sizeof o, options);
    if (!begin(&r, "fx_nn_rope", x, &positions, FXI_ROLES("x", "positions"), 1, sequence_axis))
        return r.b.stop;
    if (!take_range(&r, &o, -1) || !check_factors(&r, &o)) return r.b.stop;
    fx_dtype dtype = positions->shape.dtype;
    if (!fx_dtype_is_integer(dtype) && !fx_dtype_is_float(dtype))
        return fxi_build_refuse(&r.b, FX_ERROR_DTYPE, "positions are %s; they must be numbers",
                                fx_dtype_name(dtype));
    if (!check_rows(&r, "positions", positions, 0)) return r.b.stop;
    fx_node *angle = angles(&r, positions, &o);
    return rotate(&r, fx_cos(angle), fx_sin(angle));
}

fx_node *fx_nn_rope_cos_sin(fx_node *x, fx_node *cosines, fx_node *sines, int sequence_axis,
                            const fx_rope_options *options) {
    rows r;
    fx_rope_options o;
    fx_node *const both[] = {cosines, sines};
    fxi_build_options(&o, sizeof o, options);
    if (!begin(&r, "fx_nn_rope_cos_sin", x, both, FXI_ROLES("x", "cosines", "sines"), 2, sequence_axis))
        return r.b.stop;
    for (int i = 0; i < 2; i++) {
        fx_dtype dtype = both[i]->shape.dtype;
        if (dtype != x->shape.dtype && !(dtype == FX_F32 && fx_dtype_is_half(x->shape.dtype))) {
            fxi_build_same(&r.b, x, both[i]);
            return r.b.stop;
        }
        if (!check_rows(&r, i ? "sines" : "cosines", both[i], 1)) return r.b.stop;
    }
    if (!fx_shape_equal_dims(&cosines->shape, &sines->shape))
        return fxi_build_refuse(&r.b, FX_ERROR_SHAPE, "cosines %s and sines %s differ",
                                fx_shape_to_text(&cosines->shape).s, fx_shape_to_text(&sines->shape).s);
    if (!take_range(&r, &o, cosines->shape.dims[cosines->shape.rank - 1])) return r.b.stop;
    return rotate(&r, cosines, sines);
}

/* ---- learned rows ---- */

fx_node *fx_nn_learned_positions(fx_node *x, fx_node *table, fx_node *positions, int sequence_axis) {
    rows r;
    fx_node *const both[] = {table, positions};
    if (!begin(&r, "fx_nn_learned_positions", x, both, FXI_ROLES("x", "the table", "positions"),
               positions ? 2 : 1, sequence_axis))
        return r.b.stop;
    int64_t length = x->shape.dims[r.sequence], dim = x->shape.dims[x->shape.rank - 1];
    if (!fxi_build_same(&r.b, x, table)) return r.b.stop;
    if (table->shape.rank != 2 || table->shape.dims[1] != dim || table->shape.dims[0] == 0)
        return fxi_build_refuse(&r.b, FX_ERROR_SHAPE, "the table is %s; it must be [length, %lld]",
                                fx_shape_to_text(&table->shape).s, (long long)dim);
    if (!positions) positions = fx_nn_sequential_positions(r.b.graph, NULL, length);
    if (!fx_dtype_is_integer(positions->shape.dtype))
        return fxi_build_refuse(&r.b, FX_ERROR_DTYPE, "positions are %s; they must be integers",
                                fx_dtype_name(positions->shape.dtype));
    if (!check_rows(&r, "positions", positions, 0)) return r.b.stop;
    fx_node *index = fx_insert_axes(positions, (fx_axes){(const int[]){-1}, 1});
    return fx_add(x, beside(&r, fx_gather(table, index)));
}
