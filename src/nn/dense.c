/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a bias and an activation. The decomposition is one contraction, whatever the rank of x (the
 * planner sees a matrix product), accumulated in float32 for half types, and elementwise operations on its
 * result, which the cpu compiler runs on finished tiles of the product. */
#include "nn_internal.h"

/* ---- dense ---- */

typedef struct dense {
    const char *name;
    fx_dense_layout layout;
    fx_activation activation;
    bool has_bias;
} dense;

static fx_node *product(fx_node *x, fx_node *weight, int weight_axis) {
    static const int last = -1;
    fx_dtype dtype = fx_dtype_is_half(x->shape.dtype) ? FX_F32 : x->shape.dtype;
    const fx_axes none = {NULL, 0};
    return fx_dot_general_dtype(x, (fx_axes){&last, 1}, none, weight, (fx_axes){&weight_axis, 1}, none,
                                dtype);
}

/* in: x, weight, bias where there is one. */
static void dense_body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    const dense *d = user;
    fxi_build b;
    (void)n_in, (void)n_out;
    if (!fxi_build_begin_leaf(&b, d->name, graph)) return;
    fx_node *y = product(in[0], in[1], d->layout == FX_DENSE_INPUT_OUTPUTS ? 0 : -1);
    if (d->has_bias) y = fx_add(y, fxi_nn_spread(&b, in[2], &y->shape));
    if (d->activation != FX_ACTIVATION_NONE) y = fx_activate(y, d->activation);
    out[0] = fx_convert(y, in[0]->shape.dtype);
}

/* The output axes of a weight. */
static fx_dims outputs_of(const fx_node *weight, fx_dense_layout layout) {
    return (fx_dims){weight->shape.dims + (layout == FX_DENSE_INPUT_OUTPUTS), (size_t)weight->shape.rank - 1};
}

static bool check_product(const fxi_build *b, const fx_node *x, const fx_node *weight,
                          fx_dense_layout layout) {
    if (!fxi_build_takes(b, x, FX_OP_DOT_GENERAL) || !fxi_build_same(b, x, weight)) return false;
    if (x->shape.rank == 0 || weight->shape.rank == 0) {
        fxi_build_refuse(b, FX_ERROR_SHAPE, "x and the weight must not be scalars; they are %s and %s",
                         fx_shape_to_text(&x->shape).s, fx_shape_to_text(&weight->shape).s);
        return false;
    }
    int axis = layout == FX_DENSE_INPUT_OUTPUTS ? 0 : weight->shape.rank - 1;
    int64_t wanted = weight->shape.dims[axis], given = x->shape.dims[x->shape.rank - 1];
    if (wanted == given) return true;
    fxi_build_refuse(
        b, FX_ERROR_SHAPE,
        "the last axis of x %s is %lld, but the weight %s takes %lld inputs (axis %d, its layout is "
        "[%s]); they must be equal",
        fxi_dims_text(x->shape.dims, (size_t)x->shape.rank).s, (long long)given,
        fxi_dims_text(weight->shape.dims, (size_t)weight->shape.rank).s, (long long)wanted, axis,
        layout == FX_DENSE_INPUT_OUTPUTS ? "input, outputs..." : "outputs..., input");
    return false;
}

static bool halves(fx_activation activation) {
    return activation == FX_ACTIVATION_SWI_GLU || activation == FX_ACTIVATION_GLU;
}

static bool check_activation(const fxi_build *b, const fx_node *x, fx_dims outputs,
                             fx_activation activation) {
    if (activation == FX_ACTIVATION_NONE) return true;
    if (!fx_activation_name(activation)) {
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "there is no activation %d", (int)activation);
        return false;
    }
    if (activation == FX_ACTIVATION_RELU) return fxi_build_takes(b, x, FX_OP_REM);
    if (!fxi_build_floats(b, x, "activation", FX_OP_ERF)) return false;
    if (!halves(activation) || (outputs.n && outputs.v[outputs.n - 1] % 2 == 0)) return true;
    fxi_build_refuse(b, FX_ERROR_SHAPE, "%s wants two halves of the last output axis; the outputs are %s",
                     fx_activation_name(activation), fxi_dims_text(outputs.v, outputs.n).s);
    return false;
}

fx_node *fx_nn_dense(fx_node *x, fx_node *weight, fx_node *bias, fx_dense_layout layout,
                     fx_activation activation) {
    fxi_build b;
    fx_node *const operands[] = {x, weight, bias};
    if (!fxi_build_begin_roles(&b, "fx_nn_dense", operands, bias ? 3 : 2,
                               FXI_ROLES("x", "the weight", "the bias")))
        return b.stop;
    if (layout != FX_DENSE_INPUT_OUTPUTS && layout != FX_DENSE_OUTPUTS_INPUT)
        return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "there is no layout %d", (int)layout);
    if (!check_product(&b, x, weight, layout)) return b.stop;
    fx_dims outputs = outputs_of(weight, layout);
    if (!fxi_nn_exactly(&b, x, bias, outputs, "bias") || !check_activation(&b, x, outputs, activation))
        return b.stop;
    dense d = {b.name, layout, activation, bias != NULL};
    const int64_t settings[] = {layout, activation};
    const fxi_composite composite = {
        .name = "fx.dense", .settings = settings, .n_settings = 2, .forward = dense_body, .user = &d};
    return fxi_build_composite(&b, &composite, (fx_nodes){operands, bias ? 3 : 2}, 1);
}

/* ---- queries, keys and values ---- */

typedef struct qkv {
    const char *name;
    bool has_bias[3];
    int64_t dim[3];
} qkv;

/* in: x, weight, the biases that there are. */
static void qkv_body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    const qkv *p = user;
    fxi_build b;
    (void)n_in;
    if (!fxi_build_begin_leaf(&b, p->name, graph)) return;
    fx_node *y = product(in[0], in[1], 0);
    int64_t from = 0;
    for (size_t i = 0, next = 2; i < n_out; from += p->dim[i++]) {
        fx_node *part = fx_slice_axis(y, -1, from, from + p->dim[i], 1);
        if (p->has_bias[i]) part = fx_add(part, fxi_nn_spread(&b, in[next++], &part->shape));
        out[i] = fx_convert(part, in[0]->shape.dtype);
    }
}

static bool check_qkv(const fxi_build *b, const fx_node *x, const fx_node *weight, fx_node *const *biases,
                      const int64_t *dims) {
    static const char *const names[] = {"query bias", "key bias", "value bias"};
    int64_t both, columns;
    if (!check_product(b, x, weight, FX_DENSE_INPUT_OUTPUTS)) return false;
    bool fits = dims[0] >= 0 && dims[1] >= 0 && fxi_size_mul(dims[1], 2, &both) &&
                fxi_size_add(dims[0], both, &columns) && weight->shape.rank == 2 &&
                weight->shape.dims[1] == columns;
    if (!fits)
        fxi_build_refuse(b, FX_ERROR_SHAPE, "the weight is %s; it must be [in, %lld + 2 * %lld]",
                         fxi_dims_text(weight->shape.dims, (size_t)weight->shape.rank).s, (long long)dims[0],
                         (long long)dims[1]);
    for (size_t i = 0; fits && i < 3; i++)
        fits = fxi_nn_exactly(b, x, biases[i], (fx_dims){&dims[i], 1}, names[i]);
    return fits;
}

fx_node *fx_nn_qkv_projection(fx_node *x, fx_node *weight, fx_node *query_bias, fx_node *key_bias,
                              fx_node *value_bias, int64_t query_dim, int64_t key_dim, fx_node **keys,
                              fx_node **values) {
    fxi_build b;
    fx_node *inputs[5] = {x, weight}, *const biases[] = {query_bias, key_bias, value_bias};
    qkv p = {.name = "fx_nn_qkv_projection", .dim = {query_dim, key_dim, key_dim}};
    size_t n = 2;
    for (size_t i = 0; i < 3; i++) {
        p.has_bias[i] = biases[i] != NULL;
        if (biases[i]) inputs[n++] = biases[i];
    }
    fx_node *results[3] = {NULL, NULL, NULL}, *made;
    const int64_t settings[] = {query_dim, key_dim, p.has_bias[0] + 2 * p.has_bias[1] + 4 * p.has_bias[2]};
    const fxi_composite composite = {
        .name = "fx.qkv_projection", .settings = settings, .n_settings = 3, .forward = qkv_body, .user = &p};
    if (!fxi_build_begin_roles(&b, p.name, inputs, n, FXI_ROLES("x", "the weight")) ||
        !check_qkv(&b, x, weight, biases, p.dim))
        made = b.stop;
    else
        made = fxi_build_composite(&b, &composite, (fx_nodes){inputs, n}, 3);
    made = fxi_build_results(made, results, 3);
    if (keys) *keys = results[1];
    if (values) *values = results[2];
    return made;
}
