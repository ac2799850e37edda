/* SPDX-License-Identifier: Apache-2.0 */
/* Products with quantized weights, and rows of quantized tables.
 *
 * The composite fx.quantized_dense is the bare product, in float32; bias, activation and conversions of half
 * types are ordinary nodes around it, which fuse with one another.
 *   inputs    x float32 [M, I]; the weights; those present of scale, zero_point
 *   settings  [0] fx_quantization_scheme  [1] fx_ggml_type  [2] block axis  [3] block size, at least 1
 *             [4] flags: 1 scale, 2 zero_point  [5] transposed
 *   result    float32 [M, O]: x W, where W [I, O] is what fx_dequantize makes of the weights: as it is for
 *             linear and NF4, turned for GGML (whose rows are outputs), and turned once more if transposed.
 * The decomposition rounds each weight as fx_dequantize does and sums in float32; a kernel may sum in any
 * fixed order, so that an element differs by at most about I epsilon / 2 times the sum of |x w|.
 * The derivative by x is the transposed product; those by scale and zero_point need the product's derivative
 * by the weights, which has the size of W. */
#include "quantize_internal.h"
#include <fluxion/indexing.h>

enum { FLAG_SCALE = 1, FLAG_ZERO = 2 };

/* ---- dequantization ---- */

/* x of blocks along an axis as one value per element: each value as often as its block is long. */
static fx_node *spread(fx_node *x, const fxi_quantized_form *f) {
    int axis = f->q.block_axis;
    int64_t along = axis ? f->outputs : f->inputs, across = axis ? f->inputs : f->outputs;
    int64_t blocks = fxi_size_ceil_div(along, f->q.block_size), whole = blocks * f->q.block_size;
    const int64_t columns[3] = {across, blocks, f->q.block_size}, rows[3] = {blocks, f->q.block_size, across};
    const int to_columns[2] = {0, 1}, to_rows[2] = {0, 2};
    fx_node *wide = fx_broadcast_in_dim(x, (fx_dims){axis ? columns : rows, 3},
                                        (fx_axes){axis ? to_columns : to_rows, 2});
    const int64_t merged[2] = {axis ? across : whole, axis ? whole : across};
    return fx_slice_axis(fx_reshape(wide, (fx_dims){merged, 2}), axis, 0, along, 1);
}

/* The integers of linear, the levels of NF4. */
static fx_node *steps_of(fx_node *weights, const fxi_quantized_form *f) {
    if (f->q.scheme == FX_QUANTIZATION_LINEAR) return fx_convert(weights, FX_F32);
    const int64_t count = 16;
    fx_node *levels = fx_constant_host(weights->graph, (fx_host){fxi_nf4_levels, FX_F32, &count, 1});
    fx_node *q = fx_convert(weights, FX_S32);
    return fx_take(levels, fx_bitwise_and(q, fx_scalar_int(q->graph, FX_S32, 15)), 0);
}

fx_node *fxi_dequantize(fx_node *weights, const fxi_quantized_form *f) {
    if (f->by_rows) return fxi_dequantize_blocks(weights, f->q.ggml_type);
    fx_node *w = fx_mul(steps_of(weights, f), spread(f->q.scale, f));
    return f->q.zero_point ? fx_add(w, spread(f->q.zero_point, f)) : w;
}

fx_node *fx_dequantize(fx_node *weights, const fx_quantization *quantization) {
    fxi_build b;
    fx_node *in[3] = {weights};
    size_t n = 1 + fxi_quantization_nodes(quantization, in + 1);
    fxi_quantized_form f;
    if (!fxi_build_begin_roles(&b, "fx_dequantize", in, n, FXI_ROLES("weights"))) return b.stop;
    if (!fxi_quantization_check(&b, weights, quantization, &f)) return b.stop;
    return fxi_dequantize(weights, &f);
}

/* ---- the composite ---- */

typedef struct product {
    fxi_quantized_form f;
    bool transposed;
} product;

/* The inputs of the composite in a closure's own nodes. */
static fxi_quantized_form form_of(const product *p, fx_node *const *in) {
    fxi_quantized_form f = p->f;
    size_t next = 2;
    if (f.q.scale) f.q.scale = in[next++];
    if (f.q.zero_point) f.q.zero_point = in[next];
    return f;
}

/* x W, or x W^T, W [K, N] given as [N, K] where it lies by rows. */
static void multiply(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    const product *p = user;
    const fxi_quantized_form f = form_of(p, in);
    const int last[1] = {1}, of_weights[1] = {f.by_rows != p->transposed};
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_dot_general(in[0], (fx_axes){last, 1}, (fx_axes){NULL, 0}, fxi_dequantize(in[1], &f),
                            (fx_axes){of_weights, 1}, (fx_axes){NULL, 0});
}

static fx_node *make(const fxi_build *b, const product *p, fx_node *x, fx_node *weights, fx_fn backward) {
    const fx_quantization *q = &p->f.q;
    const int64_t settings[] = {q->scheme,
                                q->ggml_type,
                                q->block_axis,
                                q->block_size,
                                (q->scale ? FLAG_SCALE : 0) | (q->zero_point ? FLAG_ZERO : 0),
                                p->transposed};
    fx_node *in[4] = {x, weights};
    size_t n = 2 + fxi_quantization_nodes(q, in + 2);
    const fxi_composite composite = {.name = "fx.quantized_dense",
                                     .settings = settings,
                                     .n_settings = sizeof settings / sizeof *settings,
                                     .forward = multiply,
                                     .backward = backward,
                                     .user = (void *)(uintptr_t)p};
    return fxi_build_composite(b, &composite, (fx_nodes){in, n}, 1);
}

/* The sum over blocks of what belongs to each element: [K, N] to the shape of the scales. */
static fx_node *gather_blocks(fx_node *x, const fxi_quantized_form *f) {
    int axis = f->q.block_axis;
    int64_t along = axis ? f->outputs : f->inputs, across = axis ? f->inputs : f->outputs;
    int64_t blocks = fxi_size_ceil_div(along, f->q.block_size);
    fx_node *padded = fx_grow_right(x, axis, blocks * f->q.block_size - along, 0);
    const int64_t columns[3] = {across, blocks, f->q.block_size}, rows[3] = {blocks, f->q.block_size, across};
    const int summed[1] = {axis ? 2 : 1};
    return fx_reduce_sum(fx_reshape(padded, (fx_dims){axis ? columns : rows, 3}), (fx_axes){summed, 1});
}

/* Of y = x W: the adjoints of x, scale and zero_point. The product inside has the derivatives of its
 * decomposition. */
static void pull_back(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    const product *p = user;
    product back = {form_of(p, in), !p->transposed};
    const fxi_quantized_form *f = &back.f;
    fx_node *x = in[0], *adjoint = in[n_in - 1];
    fxi_build b;
    (void)n_out;
    if (!fxi_build_begin_leaf(&b, "fx_nn_quantized_dense", body)) return;
    out[0] = make(&b, &back, adjoint, in[1], NULL);
    if (f->by_rows) return;
    const int rows[1] = {0};
    fx_node *left = p->transposed ? adjoint : x, *right = p->transposed ? x : adjoint;
    fx_node *by_weight = fx_dot_general(left, (fx_axes){rows, 1}, (fx_axes){NULL, 0}, right,
                                        (fx_axes){rows, 1}, (fx_axes){NULL, 0});
    out[2] = gather_blocks(fx_mul(by_weight, steps_of(in[1], f)), f);
    if (f->q.zero_point) out[3] = gather_blocks(by_weight, f);
}

/* ---- layers ---- */

static bool check_dense(const fxi_build *b, const fx_node *x, const fxi_quantized_form *f,
                        const fx_node *bias) {
    const fx_shape *s = &x->shape;
    bool ok = false;
    if (s->dtype != FX_F32 && !fx_dtype_is_half(s->dtype))
        fxi_build_refuse(b, FX_ERROR_DTYPE, "x is %s: float32, float16 or bfloat16 is wanted (fx_convert)",
                         fx_dtype_name(s->dtype));
    else if (s->rank < 1 || s->dims[s->rank - 1] != f->inputs)
        fxi_build_refuse(b, FX_ERROR_SHAPE, "x %s: its last axis must be as long as the %lld rows of W",
                         fx_shape_to_text(s).s, (long long)f->inputs);
    else if (bias && (bias->shape.rank != 1 || bias->shape.dims[0] != f->outputs))
        fxi_build_refuse(b, FX_ERROR_SHAPE, "bias %s: a vector of %lld is wanted",
                         fx_shape_to_text(&bias->shape).s, (long long)f->outputs);
    else if (bias && bias->shape.dtype != s->dtype && bias->shape.dtype != FX_F32)
        fxi_build_refuse(b, FX_ERROR_DTYPE, "bias is %s: x's %s or float32 is wanted",
                         fx_dtype_name(bias->shape.dtype), fx_dtype_name(s->dtype));
    else
        ok = true;
    return ok;
}

fx_node *fx_nn_quantized_dense(fx_node *x, fx_node *weights, const fx_quantization *quantization,
                               fx_node *bias, fx_activation activation) {
    fxi_build b;
    fx_node *in[5] = {x, weights, bias};
    size_t n = bias ? 3 : 2;
    n += fxi_quantization_nodes(quantization, in + n);
    product p = {0};
    if (!fxi_build_begin_roles(&b, "fx_nn_quantized_dense", in, n, FXI_ROLES("x", "weights"))) return b.stop;
    if (!fxi_quantization_check(&b, weights, quantization, &p.f)) return b.stop;
    if (!check_dense(&b, x, &p.f, bias)) return b.stop;
    if (!fx_activation_name(activation))
        return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "there is no activation %d", (int)activation);
    fx_shape shape = x->shape;
    int last = shape.rank - 1;
    int64_t rows[2] = {1, p.f.inputs};
    for (int i = 0; i < last; i++)
        if (!fxi_size_mul(rows[0], shape.dims[i], &rows[0]))
            return fxi_build_refuse(&b, FX_ERROR_MEMORY, "x %s is too large", fx_shape_to_text(&shape).s);
    fx_node *y = make(&b, &p, fx_reshape(fxi_build_wide(x), (fx_dims){rows, 2}), weights, pull_back);
    shape.dims[last] = p.f.outputs;
    y = fx_reshape(y, (fx_dims){shape.dims, (size_t)shape.rank});
    if (bias) y = fx_add(y, fx_expand_left_to_rank(fxi_build_wide(bias), y->shape.rank));
    return fx_convert(fx_activate(y, activation), x->shape.dtype);
}

/* ---- tables ---- */

static fx_node *rows_of(const char *name, fx_node *table, fx_node *indices,
                        const fx_quantization *quantization, bool columns) {
    fxi_build b;
    fx_node *in[4] = {table, indices};
    size_t n = 2 + fxi_quantization_nodes(quantization, in + 2);
    fxi_quantized_form f;
    if (!fxi_build_begin_roles(&b, name, in, n, FXI_ROLES("the table", "indices"))) return b.stop;
    if (!fxi_quantization_check(&b, table, quantization, &f)) return b.stop;
    const fx_shape *s = &indices->shape;
    if (!f.by_rows) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the table must be of a GGML type");
    if (!fx_dtype_is_integer(s->dtype))
        return fxi_build_refuse(&b, FX_ERROR_DTYPE, "indices are %s: integers are wanted",
                                fx_dtype_name(s->dtype));
    if (columns && (s->rank < 1 || s->dims[s->rank - 1] != 1))
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "indices %s: the last axis must have size 1",
                                fx_shape_to_text(s).s);
    const int last[1] = {-1};
    fx_node *at = columns ? indices : fx_expand_axes(indices, (fx_axes){last, 1});
    return fxi_dequantize_blocks(fx_gather(table, at), f.q.ggml_type);
}

fx_node *fx_nn_quantized_gather(fx_node *table, fx_node *indices, const fx_quantization *quantization) {
    return rows_of("fx_nn_quantized_gather", table, indices, quantization, true);
}

fx_node *fx_nn_quantized_embedding(fx_node *table, fx_node *indices, const fx_quantization *quantization) {
    return rows_of("fx_nn_quantized_embedding", table, indices, quantization, false);
}
