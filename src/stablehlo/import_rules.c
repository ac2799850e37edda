/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules of several tables share. Operands that must be numbers while importing (the shapes of the
 * dynamic_ operations) are read off the nodes: exporters make them of constants by a few moves, which are
 * followed here to a fixed depth. */
#include "stablehlo/import_rules.h"
#include <fluxion/sorting.h>
#include <fluxion/vmap.h>

bool fxi_hlo_axes_of(fxi_hlo_import *im, const fxi_hlo_op *op, fx_dims ints, int rank, fxi_hlo_axes *axes) {
    axes->n = 0;
    if (ints.n > FX_MAX_RANK) return fxi_hlo_wrong(im, op->place, "more than %d axes", FX_MAX_RANK);
    for (size_t i = 0; i < ints.n; i++) {
        if (ints.v[i] < 0 || ints.v[i] >= rank)
            return fxi_hlo_wrong(im, op->place, "axis %lld is not among the %d there are",
                                 (long long)ints.v[i], rank);
        axes->v[axes->n++] = (int)ints.v[i];
    }
    return true;
}

bool fxi_hlo_attr_axes(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, int rank,
                       fxi_hlo_axes *axes) {
    fx_dims ints;
    return fxi_hlo_attr_ints(im, op, name, &ints) && fxi_hlo_axes_of(im, op, ints, rank, axes);
}

bool fxi_hlo_attr_axis(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, int rank, int *axis) {
    int64_t value;
    fxi_hlo_axes axes = {{0}, 0};
    if (!fxi_hlo_attr_int(im, op, name, &value) ||
        !fxi_hlo_axes_of(im, op, (fx_dims){&value, 1}, rank, &axes))
        return false;
    *axis = axes.v[0];
    return true;
}

bool fxi_hlo_entry_axes(fxi_hlo_import *im, const fxi_hlo_op *op, const fxi_hlo_attr *dict, const char *name,
                        int rank, fxi_hlo_axes *axes) {
    fx_dims ints;
    return fxi_hlo_entry_ints(im, dict, name, &ints) && fxi_hlo_axes_of(im, op, ints, rank, axes);
}

const fxi_hlo_attr *fxi_hlo_attr_dict(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name) {
    return fxi_hlo_attr_of(im, op, name, FXI_HLO_ATTR_DICT);
}

bool fxi_hlo_check_least(fxi_hlo_import *im, const fxi_hlo_op *op, const char *what, fx_dims numbers,
                         int64_t least) {
    for (size_t i = 0; i < numbers.n; i++)
        if (numbers.v[i] < least)
            return fxi_hlo_wrong(im, op->place, "%lld among the %s, which are at least %lld",
                                 (long long)numbers.v[i], what, (long long)least);
    return true;
}

bool fxi_hlo_check_same(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, size_t first) {
    for (size_t i = first + 1; i < op->n_operands; i++) {
        const fx_shape *a = fx_node_shape(in[first]), *b = fx_node_shape(in[i]);
        if (!fx_shape_equal_dims(a, b))
            return fxi_hlo_wrong(im, op->place, "operands of shapes %s and %s", fx_shape_to_text(a).s,
                                 fx_shape_to_text(b).s);
    }
    return true;
}

bool fxi_hlo_attr_pads(fxi_hlo_import *im, const fxi_hlo_op *op, size_t n, fx_pad_axis *pads) {
    fx_dims ints;
    if (n > FX_MAX_RANK) return fxi_hlo_wrong(im, op->place, "more than %d axes", FX_MAX_RANK);
    if (!fxi_hlo_attr_ints_or(im, op, "padding", 2 * n, 0, &ints)) return false;
    for (size_t i = 0; i < n; i++) pads[i] = (fx_pad_axis){.start = ints.v[2 * i], .end = ints.v[2 * i + 1]};
    return true;
}

/* ---- operands that are known ---- */

enum { MOST_KNOWN = 4096, MOST_DEPTH = 16 };

typedef struct known {
    fxi_hlo_import *im;
    int64_t *v; /* NULL: out of memory */
    int64_t n;
} known;

static bool find_known(fxi_hlo_import *im, const fx_node *node, int depth, known *k);

static bool known_constant(const fx_node *node, known *k) {
    const fx_tensor *tensor = fxi_node_attr(node, FXI_ATTR_VALUE)->u.tensor;
    for (int64_t i = 0; i < k->n; i++) k->v[i] = fx_tensor_get_int(tensor, i);
    return true;
}

static bool known_concatenation(fxi_hlo_import *im, const fx_node *node, int depth, known *k) {
    int64_t filled = 0;
    if (node->shape.rank != 1) return false;
    for (uint32_t i = 0; i < node->operand_count; i++) {
        known part;
        if (!find_known(im, node->operands[i], depth + 1, &part)) return false;
        for (int64_t j = 0; j < part.n && filled < k->n; j++) k->v[filled++] = part.v[j];
    }
    return filled == k->n;
}

static int64_t arithmetic(fx_op op, int64_t x, int64_t y) {
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    return (int64_t)(op == FX_OP_ADD ? a + b : op == FX_OP_SUB ? a - b : a * b);
}

static bool known_arithmetic(fxi_hlo_import *im, const fx_node *node, int depth, known *k) {
    known x, y;
    if (!find_known(im, node->operands[0], depth + 1, &x) ||
        !find_known(im, node->operands[1], depth + 1, &y))
        return false;
    for (int64_t i = 0; i < k->n; i++) k->v[i] = arithmetic(node->op, x.v[i], y.v[i]);
    return x.n == k->n && y.n == k->n;
}

/* Of one element, repeated, or as many as the node has. */
static bool known_copy(fxi_hlo_import *im, const fx_node *node, int depth, known *k) {
    known x;
    if (node->op == FX_OP_BROADCAST_IN_DIM && node->operands[0]->shape.rank > 1) return false;
    if (!find_known(im, node->operands[0], depth + 1, &x) || (x.n != 1 && x.n != k->n)) return false;
    for (int64_t i = 0; i < k->n; i++) k->v[i] = x.v[x.n == 1 ? 0 : i];
    return true;
}

static bool find_known(fxi_hlo_import *im, const fx_node *node, int depth, known *k) {
    *k = (known){.im = im, .n = fx_shape_size(fx_node_shape(node))};
    if (depth > MOST_DEPTH || k->n < 0 || k->n > MOST_KNOWN ||
        (!fx_dtype_is_integer(node->shape.dtype) && node->shape.dtype != FX_BOOL))
        return false;
    k->v = fxi_arena_alloc(im->arena, (size_t)k->n, sizeof *k->v);
    if (!k->v) return fxi_hlo_no_memory(im);
    switch (node->op) {
    case FX_OP_CONSTANT: return known_constant(node, k);
    case FX_OP_CONCATENATE: return known_concatenation(im, node, depth, k);
    case FX_OP_ADD:
    case FX_OP_SUB:
    case FX_OP_MUL: return known_arithmetic(im, node, depth, k);
    case FX_OP_CONVERT:
    case FX_OP_RESHAPE:
    case FX_OP_BROADCAST_IN_DIM: return known_copy(im, node, depth, k);
    default: return false;
    }
}

bool fxi_hlo_known_ints(fxi_hlo_import *im, const fxi_hlo_op *op, const fx_node *node, fx_dims *ints) {
    known k;
    if (!find_known(im, node, 0, &k))
        return fxi_hlo_unsupported(im, op->place,
                                   "%.*s with an operand that is computed when the program runs",
                                   FXI_HLO_TEXT(op->name));
    *ints = (fx_dims){k.v, (size_t)k.n};
    return true;
}

bool fxi_hlo_is_all(const fx_node *node, double number) {
    for (int depth = 0; depth < MOST_DEPTH; depth++) {
        if (node->op == FX_OP_CONSTANT) {
            const fx_tensor *tensor = fxi_node_attr(node, FXI_ATTR_VALUE)->u.tensor;
            return fx_tensor_size(tensor) == 1 && !fx_dtype_is_complex(node->shape.dtype) &&
                   fx_tensor_get(tensor, 0) == number;
        }
        if (node->op != FX_OP_BROADCAST_IN_DIM && node->op != FX_OP_RESHAPE && node->op != FX_OP_CONVERT)
            return false;
        node = node->operands[0];
    }
    return false;
}

/* ---- compositions ---- */

/* The region's closure takes scalars: it is batched over the elements in a row. */
bool fxi_hlo_region_map(fxi_hlo_import *im, const fxi_hlo_region *region, fx_node *const *in, size_t n_in,
                        fx_node **out, size_t n_out) {
    fx_shape shape = *fx_node_shape(in[0]);
    if (shape.rank == 0) return fxi_hlo_region_import(im, region, in, n_in, out, n_out);
    fx_node **rows = fxi_arena_alloc(im->arena, n_in, sizeof *rows);
    if (!rows) return fxi_hlo_no_memory(im);
    const int64_t all = fx_shape_size(&shape);
    for (size_t i = 0; i < n_in; i++) rows[i] = fx_reshape(in[i], (fx_dims){&all, 1});
    fxi_hlo_closure closure = {.im = im, .region = region};
    fx_vmap((fx_nodes){rows, n_in}, NULL, fxi_hlo_closure_fn, &closure, n_out, NULL, out);
    if (im->err->code != FX_OK) return false;
    for (size_t i = 0; i < n_out; i++) out[i] = fx_reshape_with_shape(out[i], &shape);
    return true;
}

fx_node *fxi_hlo_as(fx_node *x, fx_dtype dtype) {
    return fx_node_dtype(x) == dtype ? x : fx_convert(x, dtype);
}

fx_node *fxi_hlo_fill(fx_node *scalar, const fx_shape *dims) {
    return fx_broadcast_in_dim(scalar, (fx_dims){dims->dims, (size_t)dims->rank}, (fx_axes){NULL, 0});
}

static fx_node *first_of(fx_node *x, fx_node *y) {
    (void)y;
    return x;
}
static fx_node *second_of(fx_node *x, fx_node *y) {
    (void)x;
    return y;
}

fx_node *fxi_hlo_combine_two(fxi_hlo_combine kind, fx_node *x, fx_node *y) {
    static fx_node *(*const of[])(fx_node *, fx_node *) = {fx_add, fx_mul, fx_max,   fx_min,   fx_and,
                                                           fx_or,  fx_xor, first_of, second_of};
    return kind < FXI_HLO_COMBINE_OTHER ? of[kind](x, y) : NULL;
}

fx_dtype fxi_hlo_integer(bool is_signed, int bits) {
    static const fx_dtype of[2][6] = {{FX_U2, FX_U4, FX_U8, FX_U16, FX_U32, FX_U64},
                                      {FX_S2, FX_S4, FX_S8, FX_S16, FX_S32, FX_S64}};
    for (int i = 0; i < 6; i++)
        if (fx_dtype_bits(of[is_signed][i]) == bits) return of[is_signed][i];
    return FX_INVALID_DTYPE;
}

/* Integers in the total order of the floats that have these bits, and back: of negative ones all bits but the
 * sign are turned over. */
static fx_node *turn_negative(fx_node *bits) {
    fx_dtype dtype = fx_node_dtype(bits);
    int width = fx_dtype_bits(dtype);
    int64_t rest = width > 0 ? INT64_MAX >> (64 - width) : 0; /* an inert node has no width */
    fx_node *sign = fx_bitwise_shift_right_arithmetic_scalar(bits, width - 1);
    return fx_bitwise_xor(bits, fx_bitwise_and(sign, fx_scalar_int(fx_node_graph(bits), dtype, rest)));
}

fx_node *fxi_hlo_top_k(fx_node *x, int64_t k, fx_dtype places, fx_node **indices) {
    fx_dtype dtype = fx_node_dtype(x);
    if (!fx_dtype_is_float(dtype)) return fx_top_k_dtype(x, k, -1, places, indices);
    fx_node *key = turn_negative(fx_bitcast(x, fxi_hlo_integer(true, fx_dtype_bits(dtype))));
    return fx_bitcast(turn_negative(fx_top_k_dtype(key, k, -1, places, indices)), dtype);
}
