/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of 2 and 4 bits have no arithmetic on most plugins, and some end the process when such arrays are
 * only moved. So all that is done with them is done with bytes: operands become 8 bits wide and results
 * narrow again, where what does not fit wraps. Only parameters, constants, conversions, and what carries
 * values through regions and calls have packed dtypes in the text. */
#include "stablehlo/lower.h"

static fx_dtype packed_of(const fx_node *n) {
    for (uint32_t i = 0; i < n->operand_count; i++)
        if (fxi_dtype_is_packed(n->operands[i]->shape.dtype)) return n->operands[i]->shape.dtype;
    return fxi_dtype_is_packed(n->shape.dtype) ? n->shape.dtype : FX_INVALID_DTYPE;
}

static fx_dtype unsigned_of(fx_dtype packed) {
    return fx_dtype_bits(packed) == 4 ? FX_U4 : FX_U2;
}

static fx_dtype signed_of(fx_dtype packed) {
    return fx_dtype_bits(packed) == 4 ? FX_S4 : FX_S2;
}

static fx_dtype byte_of(fx_dtype packed) {
    return fx_dtype_is_signed(packed) ? FX_S8 : FX_U8;
}

static fx_node *filled(const fxi_build *b, const fx_shape *shape, fx_dtype dtype, int64_t value) {
    return fxi_build_broadcast(b, fxi_build_integer(b, dtype, value), shape, (fx_dims){NULL, 0});
}

/* ---- operations to which the bits above matter ---- */

/* A sign is shifted in whatever the dtype says. */
static fx_node *shift_signed(const fxi_build *b, const fx_node *n, fx_node *const *operands) {
    fx_node *in[2] = {fx_convert(fx_convert(operands[0], signed_of(n->shape.dtype)), FX_S8),
                      fx_convert(fx_convert(operands[1], unsigned_of(n->shape.dtype)), FX_S8)};
    return fx_convert(fxi_build_node(b, n->op, in, 2, NULL, 0, NULL), n->shape.dtype);
}

/* On values without a sign: then the bits above are zeros. */
static fx_node *count_bits(const fxi_build *b, const fx_node *n, fx_node *const *operands) {
    fx_dtype packed = n->shape.dtype;
    fx_node *in[2];
    for (uint32_t i = 0; i < n->operand_count; i++)
        in[i] = fx_convert(fx_convert(operands[i], unsigned_of(packed)), FX_U8);
    fx_node *made = fxi_build_node(b, n->op, in, n->operand_count, NULL, 0, NULL);
    if (n->op == FX_OP_CLZ)
        made = fx_sub(made, filled(b, &made->shape, made->shape.dtype, 8 - fx_dtype_bits(packed)));
    return fx_convert(made, packed);
}

/* Of no elements is chosen the end of the byte's range, which would wrap to something else. */
static fx_node *into_range(const fxi_build *b, const fx_node *n, fx_node *made) {
    if (n->op != FX_OP_REDUCE && n->op != FX_OP_REDUCE_WINDOW) return made;
    int64_t kind = fxi_node_int(n, FXI_ATTR_KIND);
    fx_dtype bytes = made->shape.dtype;
    if (kind == FXI_MAX) return fx_max(made, fxi_build_integer(b, bytes, fxi_dtype_lowest(n->shape.dtype).i));
    return kind == FXI_MIN ? fx_min(made, fxi_build_integer(b, bytes, fxi_dtype_highest(n->shape.dtype).i))
                           : made;
}

/* ---- bits as another dtype ---- */

static fx_node *reshape(const fxi_build *b, fx_node *x, int64_t rows, int64_t columns) {
    const int64_t dims[] = {rows, columns};
    const fx_shape shape = fx_shape_make(x->shape.dtype, dims, columns > 0 ? 2 : 1);
    return fxi_build_node(b, FX_OP_RESHAPE, &x, 1, NULL, 0, &shape);
}

static fx_node *bits_as(const fxi_build *b, fx_node *x, fx_dtype to) {
    const fxi_attr attr = fxi_attr_dtype(to);
    return fxi_build_node(b, FX_OP_BITCAST, &x, 1, &attr, 1, NULL);
}

/* Numbers made of `n` pieces of so many bits, low ones first: [rows, n] to [rows]. */
static fx_node *join_pieces(const fxi_build *b, fx_node *x, int64_t rows, int64_t n, int bits) {
    fx_node *sum = NULL;
    for (int64_t i = 0; i < n; i++) {
        const int64_t starts[] = {0, i}, limits[] = {rows, i + 1}, strides[] = {1, 1};
        const fxi_attr attrs[] = {fxi_attr_ints(FXI_ATTR_STARTS, starts, 2),
                                  fxi_attr_ints(FXI_ATTR_LIMITS, limits, 2),
                                  fxi_attr_ints(FXI_ATTR_STRIDES, strides, 2)};
        fx_node *piece = fxi_build_node(b, FX_OP_SLICE, &x, 1, attrs, 3, NULL);
        piece = fx_bitwise_shift_left(piece, fxi_build_integer(b, FX_U8, i * bits));
        sum = sum ? fx_or(sum, piece) : piece;
    }
    return reshape(b, sum, rows, 0);
}

/* The other way, [rows] to [rows, n]; what is above a piece's bits stays there. */
static fx_node *split_pieces(const fxi_build *b, fx_node *x, int64_t rows, int64_t n, int bits) {
    fx_node *pieces[4];
    for (int64_t i = 0; i < n; i++) {
        pieces[i] = fx_bitwise_shift_right_logical(x, fxi_build_integer(b, FX_U8, i * bits));
        pieces[i] = reshape(b, pieces[i], rows, 1);
    }
    const fxi_attr axis = fxi_attr_int(FXI_ATTR_AXIS, 1);
    return fxi_build_node(b, FX_OP_CONCATENATE, pieces, (size_t)n, &axis, 1, NULL);
}

/* Between packed elements and bytes with zeros above. */
static fx_node *open_bytes(fx_node *x) {
    return fx_convert(fx_convert(x, unsigned_of(x->shape.dtype)), FX_U8);
}
static fx_node *close_bytes(fx_node *x, fx_dtype to) {
    return fx_convert(fx_convert(x, unsigned_of(to)), to);
}

/* Pieces become bytes (or packed numbers), bytes the wide value. */
static fx_node *to_wider(const fxi_build *b, const fx_node *n, fx_node *x, int from, int to) {
    int64_t bytes = to > 8 ? to / 8 : 1, rows = fx_shape_size(&n->shape) * bytes,
            each = (to < 8 ? to : 8) / from;
    x = join_pieces(b, reshape(b, open_bytes(x), rows, each), rows, each, from);
    if (to < 8) return close_bytes(x, n->shape.dtype);
    return bits_as(b, to > 8 ? reshape(b, x, rows / bytes, bytes) : x, n->shape.dtype);
}

static fx_node *to_narrower(const fxi_build *b, const fx_node *n, fx_node *x, int from, int to) {
    int64_t rows = fx_shape_size(&x->shape) * (from > 8 ? from / 8 : 1), each = (from < 8 ? from : 8) / to;
    x = from < 8 ? open_bytes(x) : bits_as(b, x, FX_U8);
    x = split_pieces(b, reshape(b, x, rows, 0), rows, each, to);
    return close_bytes(x, n->shape.dtype);
}

static fx_node *bitcast(const fxi_build *b, const fx_node *n, fx_node *x) {
    int from = fx_dtype_bits(x->shape.dtype), to = fx_dtype_bits(n->shape.dtype);
    if (from == to) return fx_convert(x, n->shape.dtype);
    x = from < to ? to_wider(b, n, x, from, to) : to_narrower(b, n, x, from, to);
    return fxi_build_node(b, FX_OP_RESHAPE, &x, 1, NULL, 0, &n->shape);
}

/* ---- the rest: as bytes ---- */

/* The bytes of an operand. Those of products have the sign of the result's, which holds the operands'
 * values. */
static fx_dtype byte_for(const fx_node *n, fx_dtype packed) {
    fx_dtype result = n->shape.dtype;
    if (fxi_op_info_of(n->op)->op_class != FXI_CLASS_CONTRACT || fx_dtype_bits(result) > 8)
        return byte_of(packed);
    return byte_of(result);
}

static bool build_bytes(const fxi_build *b, const fx_node *n, fx_node *const *operands, fx_node **results) {
    fx_dtype packed = packed_of(n);
    fx_shape shape = n->shape; /* of the operations whose shape is given */
    fx_node **in = fxi_alloc_zeroed(n->operand_count + 1u, sizeof *in);
    if (!in) return fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory"), false;
    if (fxi_dtype_is_packed(shape.dtype)) shape.dtype = byte_of(shape.dtype);
    for (uint32_t i = 0; i < n->operand_count; i++) {
        fx_dtype dtype = operands[i]->shape.dtype;
        in[i] = fxi_dtype_is_packed(dtype) ? fx_convert(operands[i], byte_for(n, dtype)) : operands[i];
    }
    fxi_attr attr = fxi_attr_dtype(byte_of(packed));
    size_t replaced = 0;
    for (uint32_t i = 0; i < n->attr_count; i++)
        if (n->attrs[i].id == FXI_ATTR_DTYPE && fxi_dtype_is_packed(n->attrs[i].u.dtype)) {
            attr = fxi_attr_dtype(byte_of(n->attrs[i].u.dtype));
            replaced = 1;
        }
    fx_node *made = fxi_build_like(b, n, in, &attr, replaced, &shape);
    fxi_free(in);
    if (!made || made->op == FX_OP_INERT) return false;
    made = into_range(b, n, made);
    for (size_t i = 0; i < fxi_node_results(n); i++)
        results[i] = fx_convert(fxi_node_result(made, i), fxi_node_result_shape(n, i)->dtype);
    return true;
}

static bool lower_packed(const fxi_build *b, const fx_node *n, fx_node *const *operands, fx_node **results) {
    fx_node *made = NULL;
    if (n->op == FX_OP_SHIFT_RIGHT_ARITHMETIC)
        made = shift_signed(b, n, operands);
    else if (n->op == FX_OP_SHIFT_RIGHT_LOGICAL || n->op == FX_OP_POPCOUNT || n->op == FX_OP_CLZ)
        made = count_bits(b, n, operands);
    else if (n->op == FX_OP_BITCAST)
        made = bitcast(b, n, operands[0]);
    if (!made) return build_bytes(b, n, operands, results);
    results[0] = made;
    return made->op != FX_OP_INERT;
}

static const fxi_lowering packed_integers = {lower_packed, NULL, false};

/* What may have packed operands and results in the text. */
static bool carries(const fx_node *n) {
    const fxi_op_info *info = fxi_op_info_of(n->op);
    return n->op == FX_OP_PARAMETER || n->op == FX_OP_CONSTANT || n->op == FX_OP_CONVERT ||
           info->op_class == FXI_CLASS_CONTROL || info->op_class == FXI_CLASS_RESULT ||
           n->op == FX_OP_CUSTOM_CALL || n->op == FX_OP_BARRIER;
}

const fxi_lowering *fxi_lowering_packed(const fx_node *n) {
    return packed_of(n) != FX_INVALID_DTYPE && !carries(n) ? &packed_integers : NULL;
}
