/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a generated graph: where operands come from, and one function per kind of operation for shapes
 * and attributes.
 *
 * * Looseness. Which of two NaN operands gives its bits to a result is not defined, so no node may look at
 * the bits of a computed NaN: bitcast, copysign and the total order read only nodes whose bits are defined
 * (parameters, constants, moves of them). Sums, products of many and contractions mostly get operands on
 * which every order of evaluation is exact (small integers, signs), since fusing may change the order in
 * which a kernel walks its operand. */
#include "support/random_maker.h"
#include <string.h>


/* ---- making a node ---- */

static bool has_nan(fx_dtype dtype) {
    return fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype);
}

static bool keeps_bits(const fx_node *n) {
    switch (n->op) {
    case FX_OP_NEG:
    case FX_OP_ABS: return !fx_dtype_is_complex(n->operands[0]->shape.dtype);
    case FX_OP_SELECT:
    case FX_OP_REAL:
    case FX_OP_IMAG:
    case FX_OP_COMPLEX: return true;
    case FX_OP_CONVERT: return n->shape.dtype == n->operands[0]->shape.dtype;
    default: return fxi_op_info_of(n->op)->op_class == FXI_CLASS_MOVE;
    }
}

fx_node *maker_node(maker *m, fx_op op, fx_node *const *operands, size_t count, const fxi_attr *attrs,
                    size_t attr_count, const fx_shape *shape) {
    fx_node *n = fxi_node_make(&(fxi_node_spec){.graph = m->graph,
                                                .op = op,
                                                .operands = operands,
                                                .operand_count = count,
                                                .attrs = attrs,
                                                .attr_count = attr_count,
                                                .shape = shape});
    fx_graph_error(m->graph,
                   m->graph->error.code ? FX_MUST : NULL); /* a fault of the generator ends the test */
    bool loose = !keeps_bits(n) && count > 0;
    for (size_t i = 0; i < count; i++) loose |= m->loose[operands[i]->id];
    m->loose[n->id] = loose && has_nan(n->shape.dtype);
    return n;
}

/* ---- operands ---- */


static fx_node *find_node(maker *m, const fx_shape *shape, bool tight, bool any_dtype) {
    fx_node *found = NULL;
    for (size_t i = m->graph->nodes.count; i-- > 0;) {
        fx_node *n = m->graph->nodes.data[i];
        bool same = any_dtype ? fx_shape_equal_dims(&n->shape, shape) : fx_shape_equal(&n->shape, shape);
        if (!same || (tight && m->loose[n->id]) ||
            (m->reserved[n->id] && (m->strict || random_chance(&m->r, 70))))
            continue;
        found = n;
        if (random_chance(&m->r, 50)) break; /* mostly a late one */
    }
    return found;
}

static fx_node *constant(maker *m, const fx_shape *shape) {
    fxi_attr value = {.id = FXI_ATTR_VALUE};
    value.u.tensor =
        random_tensor(&m->r, shape, random_chance(&m->r, 70) ? RANDOM_SMALL_INTEGERS : RANDOM_SPECIAL);
    fx_node *n = maker_node(m, FX_OP_CONSTANT, NULL, 0, &value, 1, shape);
    fx_tensor_free(value.u.tensor);
    return n;
}

fx_node *maker_broadcast(maker *m, fx_node *x, const fx_shape *shape, const int64_t *axes) {
    fxi_attr attr = fxi_attr_ints(FXI_ATTR_AXES, axes, (size_t)x->shape.rank);
    return maker_node(m, FX_OP_BROADCAST_IN_DIM, &x, 1, &attr, 1, shape);
}

/* From some of the axes in increasing order, some of them of size 1. */
static fx_node *broadcast_operand(maker *m, const fx_shape *shape, bool tight) {
    fx_shape small = {.dtype = shape->dtype};
    int64_t axes[FX_MAX_RANK];
    for (int axis = 0; axis < shape->rank; axis++) {
        if (random_chance(&m->r, 50)) continue;
        axes[small.rank] = axis;
        small.dims[small.rank++] = random_chance(&m->r, 25) ? 1 : shape->dims[axis];
    }
    return maker_broadcast(m, maker_operand(m, &small, tight), shape, axes);
}

static fx_node *transpose_operand(maker *m, const fx_shape *shape, bool tight) {
    fx_shape from = *shape;
    int64_t permutation[FX_MAX_RANK];
    for (int i = 0; i < shape->rank; i++) permutation[i] = i;
    for (int i = shape->rank - 1; i > 0; i--) {
        int j = random_below(&m->r, i + 1);
        int64_t swap = permutation[i];
        permutation[i] = permutation[j];
        permutation[j] = swap;
    }
    for (int i = 0; i < shape->rank; i++) from.dims[permutation[i]] = shape->dims[i];
    fx_node *x = maker_operand(m, &from, tight);
    fxi_attr attr = fxi_attr_ints(FXI_ATTR_PERMUTATION, permutation, (size_t)shape->rank);
    return maker_node(m, FX_OP_TRANSPOSE, &x, 1, &attr, 1, NULL);
}

static void insert_dim(fx_shape *s, int at, int64_t dim) {
    memmove(&s->dims[at + 1], &s->dims[at], (size_t)(s->rank - at) * sizeof s->dims[0]);
    s->dims[at] = dim;
    s->rank++;
}

static void remove_dim(fx_shape *s, int at) {
    s->rank--;
    memmove(&s->dims[at], &s->dims[at + 1], (size_t)(s->rank - at) * sizeof s->dims[0]);
    s->dims[s->rank] = 0;
}

/* Another shape with as many elements: axes merged, split, inserted, exchanged. */
static fx_shape reshaped(maker *m, const fx_shape *shape) {
    fx_shape s = *shape;
    for (int step = random_below(&m->r, 4); step >= 0; step--) {
        int axis = random_below(&m->r, s.rank), what = random_below(&m->r, 4);
        if (what == 0 && s.rank > 1 && axis + 1 < s.rank) {
            s.dims[axis] *= s.dims[axis + 1];
            remove_dim(&s, axis + 1);
        } else if (what == 1 && s.rank > 0 && s.rank < 6) {
            for (int64_t factor = 2 + random_below(&m->r, 4); factor > 1; factor--)
                if (s.dims[axis] > factor && s.dims[axis] % factor == 0) {
                    s.dims[axis] /= factor;
                    insert_dim(&s, axis, factor);
                    break;
                }
        } else if (what == 2 && s.rank < 6) {
            insert_dim(&s, axis, 1);
        } else if (s.rank > 0 && s.dims[axis] == 1) {
            remove_dim(&s, axis);
        }
    }
    return s;
}

static fx_node *reshape_operand(maker *m, const fx_shape *shape, bool tight) {
    fx_shape from = reshaped(m, shape);
    fx_node *x = maker_operand(m, &from, tight);
    return maker_node(m, FX_OP_RESHAPE, &x, 1, NULL, 0, shape);
}

static fx_node *slice_operand(maker *m, const fx_shape *shape, bool tight) {
    fx_shape from = *shape;
    int64_t starts[FX_MAX_RANK], limits[FX_MAX_RANK], strides[FX_MAX_RANK];
    int64_t room = m->limit;
    for (int i = 0; i < shape->rank; i++) {
        bool cut = random_chance(&m->r, 50) && room > 1;
        starts[i] = cut ? random_below(&m->r, 4) : 0;
        strides[i] = cut ? 1 + random_below(&m->r, 3) : 1;
        limits[i] = starts[i] + (shape->dims[i] ? (shape->dims[i] - 1) * strides[i] + 1 : 0);
        from.dims[i] = limits[i] + (cut ? random_below(&m->r, 3) : 0);
        room /= cut ? 4 : 1;
    }
    fx_node *x = maker_operand(m, &from, tight);
    size_t rank = (size_t)shape->rank;
    fxi_attr attrs[3] = {fxi_attr_ints(FXI_ATTR_STARTS, starts, rank),
                         fxi_attr_ints(FXI_ATTR_LIMITS, limits, rank),
                         fxi_attr_ints(FXI_ATTR_STRIDES, strides, rank)};
    return maker_node(m, FX_OP_SLICE, &x, 1, attrs, 3, NULL);
}

static fx_node *reverse_operand(maker *m, const fx_shape *shape, bool tight) {
    int64_t axes[FX_MAX_RANK];
    size_t n = 0;
    for (int i = 0; i < shape->rank; i++)
        if (random_chance(&m->r, 60)) axes[n++] = i;
    fx_node *x = maker_operand(m, shape, tight);
    fxi_attr attr = fxi_attr_ints(FXI_ATTR_AXES, axes, n);
    return maker_node(m, FX_OP_REVERSE, &x, 1, &attr, 1, NULL);
}

/* The shape as two or three pieces along an axis; rank at least 1. */
static fx_node *concatenate_operands(maker *m, const fx_shape *shape, bool tight) {
    int axis = random_below(&m->r, shape->rank), parts = 1 + random_below(&m->r, 4);
    fx_node *x[4];
    int64_t left = shape->dims[axis];
    for (int i = 0; i < parts; i++) {
        fx_shape part = *shape;
        part.dims[axis] = i == parts - 1 ? left : random_below(&m->r, (int)(left < 1000 ? left : 1000) + 1);
        left -= part.dims[axis];
        x[i] = i < 2 ? reverse_operand(m, &part, tight) : maker_operand(m, &part, tight); /* something to fuse */
    }
    fxi_attr attr = fxi_attr_int(FXI_ATTR_AXIS, axis);
    return maker_node(m, FX_OP_CONCATENATE, x, (size_t)parts, &attr, 1, NULL);
}

static fx_node *iota(maker *m, const fx_shape *shape) {
    fxi_attr attr = fxi_attr_int(FXI_ATTR_AXIS, random_below(&m->r, shape->rank));
    return maker_node(m, FX_OP_IOTA, NULL, 0, &attr, 1, shape);
}

static fx_node *convert(maker *m, fx_node *x, fx_dtype dtype) {
    fxi_attr attr = fxi_attr_dtype(dtype);
    return maker_node(m, FX_OP_CONVERT, &x, 1, &attr, 1, NULL);
}

static fx_node *new_operand(maker *m, const fx_shape *shape, bool tight) {
    bool iotas = fxi_op_info_of(FX_OP_IOTA)->dtypes >> shape->dtype & 1;
    fx_node *other;
    switch (random_below(&m->r, 12)) {
    case 0: return fx_shape_size(shape) <= 64 ? constant(m, shape) : fx_parameter(m->graph, shape);
    case 1:
    case 2: return broadcast_operand(m, shape, tight);
    case 3: return transpose_operand(m, shape, tight);
    case 4: return reshape_operand(m, shape, tight);
    case 5: return slice_operand(m, shape, tight);
    case 6: return reverse_operand(m, shape, tight);
    case 7: return shape->rank > 0 ? concatenate_operands(m, shape, tight) : fx_parameter(m->graph, shape);
    case 8: return shape->rank > 0 && iotas ? iota(m, shape) : fx_parameter(m->graph, shape);
    case 9:
        other = tight ? NULL : find_node(m, shape, false, true);
        return other ? convert(m, other, shape->dtype) : fx_parameter(m->graph, shape);
    default: return fx_parameter(m->graph, shape);
    }
}

fx_node *maker_operand(maker *m, const fx_shape *shape, bool tight) {
    fx_node *n = random_chance(&m->r, 65) ? find_node(m, shape, tight, false) : NULL;
    if (n) return n;
    if (m->depth >= 3 || fx_shape_size(shape) > 8 * m->limit) return fx_parameter(m->graph, shape);
    m->depth++;
    n = new_operand(m, shape, tight);
    m->depth--;
    return n;
}

/* A shape for a new node: that of another node, or a new one. */
fx_shape maker_any_shape(maker *m, fx_dtype dtype, int least_rank) {
    size_t count = m->graph->nodes.count;
    for (int tries = 3; count > 0 && tries > 0 && random_chance(&m->r, 80); tries--) {
        fx_shape shape = m->graph->nodes.data[random_below(&m->r, (int)count)]->shape;
        shape.dtype = dtype;
        if (shape.rank >= least_rank && shape.rank <= 6 && !(m->strict && fx_shape_size(&shape) == 0))
            return shape;
    }
    fx_shape shape = maker_shape(m, dtype, least_rank);
    while (m->strict && fx_shape_size(&shape) == 0) shape = maker_shape(m, dtype, least_rank);
    return shape;
}

fx_node *maker_splat(maker *m, const fx_shape *shape, int64_t value) {
    fxi_attr attr = {.id = FXI_ATTR_VALUE};
    attr.u.tensor = fx_tensor_scalar_int(shape->dtype, value, FX_MUST);
    fx_shape scalar = fxi_shape_scalar(shape->dtype);
    fx_node *n = maker_node(m, FX_OP_CONSTANT, NULL, 0, &attr, 1, &scalar);
    fx_tensor_free(attr.u.tensor);
    return maker_broadcast(m, n, shape, NULL);
}

fx_node *maker_exact_values(maker *m, const fx_shape *shape, bool signs) {
    if (!has_nan(shape->dtype)) return maker_operand(m, shape, false);
    fx_shape real = *shape;
    real.dtype = fx_dtype_real(shape->dtype);
    fx_node *x = maker_operand(m, &real, false);
    if (signs) {
        x = maker_node(m, FX_OP_SIGN, &x, 1, NULL, 0, NULL);
    } else {
        x = maker_node(m, FX_OP_ROUND, &x, 1, NULL, 0, NULL);
        fx_node *clamped[3] = {maker_splat(m, &real, -4), x, maker_splat(m, &real, 4)};
        x = maker_node(m, FX_OP_CLAMP, clamped, 3, NULL, 0, NULL);
    }
    return real.dtype == shape->dtype ? x : convert(m, x, shape->dtype);
}

/* Mostly such values. */
fx_node *maker_exact_operand(maker *m, const fx_shape *shape, bool signs) {
    if (random_chance(&m->r, 20)) return maker_operand(m, shape, false);
    return maker_exact_values(m, shape, signs);
}

/* ---- operations ---- */

static size_t map_attrs(maker *m, const graph_cell *cell, fxi_attr *attrs) {
    switch (cell->op) {
    case FX_OP_PHILOX: attrs[0] = fxi_attr_dtype(random_chance(&m->r, 70) ? FX_U32 : FX_U64); return 1;
    case FX_OP_CONVERT: attrs[0] = fxi_attr_dtype((fx_dtype)cell->variant); return 1;
    case FX_OP_COMPARE:
        attrs[0] = fxi_attr_int(FXI_ATTR_DIRECTION, cell->variant % FXI_DIRECTIONS);
        attrs[1] = fxi_attr_int(FXI_ATTR_TOTAL_ORDER, cell->variant / FXI_DIRECTIONS);
        return 2;
    case FX_OP_REDUCE_PRECISION:
        attrs[0] = fxi_attr_int(FXI_ATTR_EXPONENT, 1 + random_below(&m->r, 12));
        attrs[1] = fxi_attr_int(FXI_ATTR_MANTISSA, random_below(&m->r, random_chance(&m->r, 70) ? 24 : 54));
        return 2;
    default: return 0;
    }
}

/* Draws what a cell leaves open. */
static graph_cell settle_cell(maker *m, const graph_cell *cell) {
    graph_cell settled = *cell;
    bool complex = fx_dtype_is_complex(cell->dtype), total = fx_dtype_is_float(cell->dtype);
    if (cell->op == FX_OP_COMPARE)
        settled.variant = random_below(&m->r, complex ? 2 : total ? 2 * FXI_DIRECTIONS : FXI_DIRECTIONS);
    if (cell->op == FX_OP_CONVERT) do
            settled.variant = random_below(&m->r, FX_DTYPE_LIMIT);
        while (!fx_dtype_is_valid((fx_dtype)settled.variant));
    return settled;
}

/* `given`, when there is one, is operand number `place`. */
static fx_node *map_node(maker *m, const graph_cell *open, const fx_shape *shape, fx_node *given, int place) {
    const graph_cell settled = settle_cell(m, open), *cell = &settled;
    int count = fxi_op_info_of(cell->op)->operands;
    fx_node *x[FXI_MAP_OPERANDS];
    fxi_attr attrs[2];
    for (int k = 0; k < count; k++) {
        fx_shape wanted = *shape;
        wanted.dtype = cell->op == FX_OP_SELECT && k == 0 ? FX_BOOL : cell->dtype;
        bool tight = (cell->op == FX_OP_COPYSIGN && k == 1) ||
                     (cell->op == FX_OP_COMPARE && cell->variant >= FXI_DIRECTIONS);
        x[k] = given && k == place ? given : maker_operand(m, &wanted, tight);
    }
    return maker_node(m, cell->op, x, (size_t)count, attrs, map_attrs(m, cell, attrs), NULL);
}

static bool can_bitcast(fx_dtype from, fx_dtype to) {
    if (from == to) return true;
    return from != FX_BOOL && to != FX_BOOL && fx_dtype_is_complex(from) == fx_dtype_is_complex(to);
}

static fx_node *bitcast_node(maker *m, fx_dtype dtype) {
    fx_dtype to = FX_INVALID_DTYPE;
    while (!fx_dtype_is_valid(to) || !can_bitcast(dtype, to))
        to = (fx_dtype)random_below(&m->r, FX_DTYPE_LIMIT);
    fx_shape shape = maker_any_shape(m, dtype, 0);
    if (fx_dtype_bits(to) > fx_dtype_bits(dtype)) {
        if (fx_shape_size(&shape) > m->limit / 4) shape = maker_shape(m, dtype, 0);
        if (shape.rank > 5) shape.rank = 5;
        shape.dims[shape.rank++] = fx_dtype_bits(to) / fx_dtype_bits(dtype);
    }
    fx_node *x = maker_operand(m, &shape, has_nan(dtype));
    fxi_attr attr = fxi_attr_dtype(to);
    return maker_node(m, FX_OP_BITCAST, &x, 1, &attr, 1, NULL);
}

static fx_node *reduce_node(maker *m, const graph_cell *cell) {
    fx_shape shape = maker_any_shape(m, cell->dtype, 0);
    bool ordered = cell->variant == FXI_SUM || cell->variant == FXI_PRODUCT;
    fx_node *x = ordered ? maker_exact_operand(m, &shape, cell->variant == FXI_PRODUCT)
                         : maker_operand(m, &shape, false);
    int64_t axes[FX_MAX_RANK];
    size_t n = 0;
    for (int i = 0; i < shape.rank; i++)
        if (random_chance(&m->r, 55)) axes[n++] = i;
    fxi_attr attrs[2] = {fxi_attr_int(FXI_ATTR_KIND, cell->variant), fxi_attr_ints(FXI_ATTR_AXES, axes, n)};
    return maker_node(m, FX_OP_REDUCE, &x, 1, attrs, 2, NULL);
}

static fx_node *arg_reduce_node(maker *m, const graph_cell *cell) {
    fx_shape shape = maker_any_shape(m, cell->dtype, 1);
    int axis = random_below(&m->r, shape.rank);
    if (shape.dims[axis] == 0) shape.dims[axis] = 1 + random_below(&m->r, 40);
    fx_dtype to = FX_INVALID_DTYPE; /* wide enough for the indices */
    while (!fx_dtype_is_integer(to) ||
           (fx_dtype_bits(to) < 62 && INT64_C(1) << (fx_dtype_bits(to) - 1) < shape.dims[axis]))
        to = (fx_dtype)random_below(&m->r, FX_DTYPE_LIMIT);
    fx_node *x = maker_operand(m, &shape, false);
    fxi_attr attrs[3] = {fxi_attr_int(FXI_ATTR_KIND, cell->variant), fxi_attr_int(FXI_ATTR_AXIS, axis),
                         fxi_attr_dtype(to)};
    return maker_node(m, FX_OP_ARG_REDUCE, &x, 1, attrs, 3, NULL);
}

/* An operand of a product: batch, contracted and free axes in any order; fills their places. */
static fx_node *dot_operand(maker *m, fx_dtype dtype, const fx_shape *batch, const fx_shape *contract,
                            int free_axes, int64_t *batch_at, int64_t *contract_at) {
    fx_shape shape = {.dtype = dtype, .rank = batch->rank + contract->rank + free_axes};
    int order[12];
    for (int i = 0; i < shape.rank; i++) order[i] = i;
    for (int i = shape.rank - 1; i > 0; i--) {
        int j = random_below(&m->r, i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    int64_t left = m->limit / (fx_shape_size(batch) + 1) / (fx_shape_size(contract) + 1) + 2;
    for (int i = 0; i < shape.rank; i++) {
        int64_t dim = i < batch->rank                    ? batch->dims[i]
                      : i < batch->rank + contract->rank ? contract->dims[i - batch->rank]
                                                         : maker_size(m, left);
        shape.dims[order[i]] = dim;
        if (i < batch->rank)
            batch_at[i] = order[i];
        else if (i < batch->rank + contract->rank)
            contract_at[i - batch->rank] = order[i];
        else
            left /= dim > 1 ? dim : 1;
    }
    return maker_exact_operand(m, &shape, false);
}

static bool widens(fx_dtype from, fx_dtype to) {
    if (!fx_dtype_is_valid(to) || to == FX_F8E5M2 || to == FX_F8E4M3FN) return false;
    bool family = (fx_dtype_is_integer(from) && fx_dtype_is_integer(to)) ||
                  (fx_dtype_is_float(from) && fx_dtype_is_float(to)) ||
                  (fx_dtype_is_complex(from) && fx_dtype_is_complex(to));
    return from == to || (family && fx_dtype_bits(to) > fx_dtype_bits(from));
}

static fx_shape few_axes(maker *m, int most, int64_t limit) {
    fx_shape s = {.dtype = FX_F32, .rank = random_below(&m->r, most + 1)};
    for (int i = 0; i < s.rank; i++) {
        s.dims[i] = maker_size(m, limit);
        limit /= s.dims[i] > 1 ? s.dims[i] : 1;
    }
    return s;
}

static fx_node *dot_node(maker *m, fx_dtype dtype) {
    int64_t at[4][4];
    fx_shape batch = few_axes(m, 2, 6), contract = few_axes(m, 2, m->limit / 8);
    fx_node *x[2];
    for (int side = 0; side < 2; side++)
        x[side] = dot_operand(m, dtype, &batch, &contract, random_below(&m->r, 3), at[side], at[2 + side]);
    fx_dtype to = dtype;
    if (random_chance(&m->r, 40)) do
            to = (fx_dtype)random_below(&m->r, FX_DTYPE_LIMIT);
        while (!widens(dtype, to));
    fxi_attr attrs[5] = {fxi_attr_ints(FXI_ATTR_LHS_BATCH, at[0], (size_t)batch.rank),
                         fxi_attr_ints(FXI_ATTR_RHS_BATCH, at[1], (size_t)batch.rank),
                         fxi_attr_ints(FXI_ATTR_LHS_CONTRACT, at[2], (size_t)contract.rank),
                         fxi_attr_ints(FXI_ATTR_RHS_CONTRACT, at[3], (size_t)contract.rank),
                         fxi_attr_dtype(to)};
    return maker_node(m, FX_OP_DOT_GENERAL, x, 2, attrs, 5, NULL);
}

fx_node *maker_add_cell(maker *m, const graph_cell *cell) {
    bool rank1 = cell->op == FX_OP_IOTA || cell->op == FX_OP_CONCATENATE;
    if (cell->op == FX_OP_BITCAST) return bitcast_node(m, cell->dtype);
    if (cell->op == FX_OP_REDUCE) return reduce_node(m, cell);
    if (cell->op == FX_OP_ARG_REDUCE) return arg_reduce_node(m, cell);
    if (cell->op == FX_OP_DOT_GENERAL) return dot_node(m, cell->dtype);
    fx_shape shape = maker_any_shape(m, cell->dtype, rank1);
    switch (cell->op) {
    case FX_OP_PARAMETER: return fx_parameter(m->graph, &shape);
    case FX_OP_CONSTANT: return constant(m, &shape);
    case FX_OP_IOTA: return iota(m, &shape);
    case FX_OP_BROADCAST_IN_DIM: return broadcast_operand(m, &shape, false);
    case FX_OP_RESHAPE: return reshape_operand(m, &shape, false);
    case FX_OP_TRANSPOSE: return transpose_operand(m, &shape, false);
    case FX_OP_SLICE: return slice_operand(m, &shape, false);
    case FX_OP_REVERSE: return reverse_operand(m, &shape, false);
    case FX_OP_CONCATENATE: return concatenate_operands(m, &shape, false);
    default: return map_node(m, cell, &shape, NULL, 0);
    }
}

fx_node *maker_add_consumer(maker *m, fx_node *node) {
    static const fx_op on_bool[] = {FX_OP_NOT, FX_OP_AND, FX_OP_XOR, FX_OP_OR, FX_OP_CONVERT};
    static const fx_op on_integer[] = {FX_OP_NEG, FX_OP_ADD, FX_OP_MUL, FX_OP_XOR,
                                       FX_OP_MAX, FX_OP_SUB, FX_OP_ABS, FX_OP_CONVERT};
    static const fx_op on_float[] = {FX_OP_NEG, FX_OP_ABS, FX_OP_ADD,  FX_OP_MUL,
                                     FX_OP_SUB, FX_OP_MAX, FX_OP_TANH, FX_OP_CONVERT};
    static const fx_op on_complex[] = {FX_OP_NEG, FX_OP_ADD, FX_OP_SUB, FX_OP_CONJ, FX_OP_REAL, FX_OP_IMAG};
    fx_dtype dtype = node->shape.dtype;
    graph_cell cell = {.op = FX_OP_CONVERT, .dtype = dtype};
    if (dtype == FX_BOOL)
        cell.op = on_bool[random_below(&m->r, 5)];
    else if (fx_dtype_is_integer(dtype))
        cell.op = on_integer[random_below(&m->r, 8)];
    else if (fx_dtype_is_complex(dtype))
        cell.op = on_complex[random_below(&m->r, 6)];
    else if (fx_dtype_bits(dtype) >= 16)
        cell.op = on_float[random_below(&m->r, m->exact ? 6 : 8)];
    return map_node(m, &cell, &node->shape, node, 0);
}
