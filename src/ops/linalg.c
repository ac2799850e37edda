/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of matrices: a node's attributes and shapes as calls of fxi_linalg. A few matrices are worked on one after the
 * other, each with the whole pool; many are tasks of their own. */
#include "linalg.h"

/* From this many matrices on they are tasks. */
enum { MANY = 4 };

const fxi_linalg *fxi_linalg_of(fx_dtype dtype) {
    switch (dtype) {
    case FX_F32: return &fxi_linalg_f32;
    case FX_F64: return &fxi_linalg_f64;
    case FX_C64: return &fxi_linalg_c64;
    case FX_C128: return &fxi_linalg_c128;
    default: return NULL;
    }
}

typedef struct batch {
    const fx_node *node;
    const fxi_linalg *functions;
    fxi_pool *pool; /* for the inside of a matrix */
    const void *const *operands;
    void *const *results;
    int64_t m, n; /* of the first operand's matrices */
    bool failed;  /* written by any task, atomically */
} batch;

/* Matrix number i of operand or result k, whose matrices have this many elements of a dtype. */
static const void *operand_at(const batch *b, size_t k, int64_t i) {
    const fx_shape *s = &b->node->operands[k]->shape;
    int64_t elements = s->dims[s->rank - 2] * s->dims[s->rank - 1];
    return (const char *)b->operands[k] + i * elements * (fx_dtype_bits(s->dtype) / 8);
}

static void *result_at(const batch *b, size_t k, int64_t i, int64_t elements, fx_dtype dtype) {
    return (char *)b->results[k] + i * elements * (fx_dtype_bits(dtype) / 8);
}

static bool run_cholesky(const batch *b, int64_t i) {
    void *out = result_at(b, 0, i, b->n * b->n, b->node->shape.dtype);
    return b->functions->cholesky(b->pool, b->n, fxi_node_int(b->node, FXI_ATTR_LOWER) != 0, operand_at(b, 0, i), out);
}

static bool run_triangular_solve(const batch *b, int64_t i) {
    const fx_node *node = b->node;
    const fx_shape *x = &node->shape;
    const fxi_triangular how = {.left = fxi_node_int(node, FXI_ATTR_LEFT) != 0,
                                .lower = fxi_node_int(node, FXI_ATTR_LOWER) != 0,
                                .unit = fxi_node_int(node, FXI_ATTR_UNIT) != 0,
                                .transpose = (fxi_transpose)fxi_node_int(node, FXI_ATTR_TRANSPOSED)};
    int64_t m = x->dims[how.left ? x->rank - 1 : x->rank - 2];
    return b->functions->triangular_solve(b->pool, how, b->n, m, operand_at(b, 0, i), operand_at(b, 1, i),
                                          result_at(b, 0, i, b->n * m, x->dtype));
}

typedef bool (*matrix_fn)(const batch *b, int64_t i);
static matrix_fn function_of(fx_op op) {
    switch (op) {
    case FX_OP_CHOLESKY: return run_cholesky;
    case FX_OP_TRIANGULAR_SOLVE: return run_triangular_solve;
    default: return NULL;
    }
}

static void matrix_task(void *context, int64_t i) {
    batch *b = context;
    if (!function_of(b->node->op)(b, i)) __atomic_store_n(&b->failed, true, __ATOMIC_RELAXED);
}

bool fxi_linalg_run(const fx_node *node, fxi_pool *pool, const void *const *operands, void *const *results) {
    const fx_shape *a = &node->operands[0]->shape;
    if (fx_shape_size(&node->shape) == 0) return true; /* else the number of matrices does not overflow */
    batch b = {.node = node, .functions = fxi_linalg_of(a->dtype), .operands = operands, .results = results};
    b.m = a->dims[a->rank - 2];
    b.n = a->dims[a->rank - 1];
    int64_t count = 1;
    for (int i = 0; i + 2 < a->rank; i++) count *= a->dims[i];
    if (count >= MANY && pool) {
        fxi_pool_run(pool, count, matrix_task, &b);
    } else {
        b.pool = pool;
        for (int64_t i = 0; i < count && !b.failed; i++) matrix_task(&b, i);
    }
    return !b.failed;
}
