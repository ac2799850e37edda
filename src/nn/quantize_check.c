/* SPDX-License-Identifier: Apache-2.0 */
/* What a quantization must be to fit its weights; every violation has a message with what was given and what
 * is wanted. */
#include "quantize_internal.h"
#include <string.h>

fx_quantization fxi_quantization_copy(const fx_quantization *q) {
    fx_quantization own = {0};
    size_t size = q->size && q->size < sizeof own ? q->size : sizeof own;
    memcpy(&own, q, size);
    return own;
}

size_t fxi_quantization_nodes(const fx_quantization *q, fx_node **in) {
    size_t n = 0;
    if (!q) return 0;
    const fx_quantization own = fxi_quantization_copy(q);
    if (own.scale) in[n++] = own.scale;
    if (own.zero_point) in[n++] = own.zero_point;
    return n;
}

static bool refuse(const fxi_build *b, fx_error_code code, const char *what, const char *got,
                   const char *wanted) {
    fxi_build_refuse(b, code, "%s: got %s, %s wanted", what, got, wanted);
    return false;
}

static const char *dtype_of(const fx_node *x) {
    return fx_dtype_name(x->shape.dtype);
}

/* ---- linear and NF4 ---- */

static bool check_blocks(const fxi_build *b, fxi_quantized_form *f) {
    fx_quantization *q = &f->q;
    if (q->block_axis < -2 || q->block_axis > 1) {
        fxi_build_refuse(b, FX_ERROR_AXIS, "block_axis %d: 0 or 1 is wanted", q->block_axis);
        return false;
    }
    if (q->block_axis < 0) q->block_axis += 2;
    if (q->block_size < 0) {
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "block_size %lld is negative", (long long)q->block_size);
        return false;
    }
    int64_t along = q->block_axis ? f->outputs : f->inputs;
    if (q->block_size == 0 || q->block_size > along) q->block_size = along;
    if (q->block_size == 0) q->block_size = 1; /* of nothing */
    return true;
}

/* scale or zero_point: one float32 per block. */
static bool check_per_block(const fxi_build *b, const fxi_quantized_form *f, const fx_node *x,
                            const char *what) {
    int axis = f->q.block_axis;
    fx_shape wanted = {.dtype = FX_F32, .rank = 2, .dims = {f->inputs, f->outputs}};
    wanted.dims[axis] = fxi_size_ceil_div(wanted.dims[axis], f->q.block_size);
    if (fx_shape_equal(&x->shape, &wanted)) return true;
    return refuse(b, x->shape.dtype == FX_F32 ? FX_ERROR_SHAPE : FX_ERROR_DTYPE, what,
                  fx_shape_to_text(&x->shape).s, fx_shape_to_text(&wanted).s);
}

static bool check_scaled(const fxi_build *b, const fx_node *w, fxi_quantized_form *f) {
    bool nf4 = f->q.scheme == FX_QUANTIZATION_NF4;
    f->inputs = w->shape.dims[0];
    f->outputs = w->shape.dims[1];
    if (nf4 && w->shape.dtype != FX_U4 && w->shape.dtype != FX_S4)
        return refuse(b, FX_ERROR_DTYPE, "NF4 weights", dtype_of(w), "uint4 or int4");
    if (!fx_dtype_is_integer(w->shape.dtype))
        return refuse(b, FX_ERROR_DTYPE, "linear weights", dtype_of(w), "integers");
    if (!f->q.scale) return refuse(b, FX_ERROR_ARGUMENT, "scale", "none", "a node");
    if (nf4 && f->q.zero_point) return refuse(b, FX_ERROR_ARGUMENT, "zero_point of NF4", "a node", "none");
    return check_blocks(b, f) && check_per_block(b, f, f->q.scale, "scale") &&
           (!f->q.zero_point || check_per_block(b, f, f->q.zero_point, "zero_point"));
}

/* ---- GGML ---- */

static bool check_ggml(const fxi_build *b, const fx_node *w, fxi_quantized_form *f) {
    int64_t bytes = fx_ggml_block_bytes(f->q.ggml_type), row = w->shape.dims[1], values;
    if (bytes == 0) {
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "there is no GGML type %d", (int)f->q.ggml_type);
        return false;
    }
    if (w->shape.dtype != FX_U8) return refuse(b, FX_ERROR_DTYPE, "GGML weights", dtype_of(w), "uint8");
    if (f->q.scale || f->q.zero_point)
        return refuse(b, FX_ERROR_ARGUMENT, "scale and zero_point of GGML", "a node",
                      "none (blocks hold their own)");
    if (row % bytes != 0) {
        fxi_build_refuse(b, FX_ERROR_SHAPE, "rows of %lld bytes are no whole blocks of %s, which have %lld",
                         (long long)row, fx_ggml_type_name(f->q.ggml_type), (long long)bytes);
        return false;
    }
    if (!fxi_size_mul(row / bytes, fx_ggml_block_values(f->q.ggml_type), &values))
        return refuse(b, FX_ERROR_MEMORY, "GGML weights", fx_shape_to_text(&w->shape).s, "a smaller matrix");
    f->by_rows = true;
    f->outputs = w->shape.dims[0];
    f->inputs = values;
    return true;
}

bool fxi_quantization_check(const fxi_build *b, const fx_node *weights, const fx_quantization *q,
                            fxi_quantized_form *form) {
    if (!q) return refuse(b, FX_ERROR_ARGUMENT, "quantization", "NULL", "a description");
    *form = (fxi_quantized_form){.q = fxi_quantization_copy(q)};
    if ((unsigned)form->q.scheme > FX_QUANTIZATION_GGML) {
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "there is no quantization scheme %d", (int)form->q.scheme);
        return false;
    }
    if (weights->shape.rank != 2)
        return refuse(b, FX_ERROR_SHAPE, "weights", fx_shape_to_text(&weights->shape).s, "a matrix");
    if (form->q.scheme == FX_QUANTIZATION_GGML) return check_ggml(b, weights, form);
    return check_scaled(b, weights, form);
}
