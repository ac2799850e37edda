/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of matrices: a node's attributes and shapes as calls of fxi_linalg. A few matrices are worked on
 * one after the other, each with the whole pool; many are tasks of their own. */
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
    int64_t m, n, count; /* of the first operand's matrices */
    bool failed;  /* written by any task, atomically */
} batch;

/* Part number i of a tensor whose leading axes count `count` parts. */
static size_t offset_of(const batch *b, const fx_shape *s, int64_t i) {
    return (size_t)(i * (fx_shape_bytes(s) / b->count));
}

static const void *operand_at(const batch *b, size_t k, int64_t i) {
    return (const char *)b->operands[k] + offset_of(b, &b->node->operands[k]->shape, i);
}

static void *result_at(const batch *b, size_t k, int64_t i) {
    return (char *)b->results[k] + offset_of(b, fxi_node_result_shape(b->node, k), i);
}

static bool run_cholesky(const batch *b, int64_t i) {
    return b->functions->cholesky(b->pool, b->n, fxi_node_int(b->node, FXI_ATTR_LOWER) != 0,
                                  operand_at(b, 0, i), result_at(b, 0, i));
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
                                          result_at(b, 0, i));
}

static bool run_lu(const batch *b, int64_t i) {
    return b->functions->lu(b->pool, b->m, b->n, operand_at(b, 0, i), result_at(b, 0, i), result_at(b, 1, i),
                            result_at(b, 2, i));
}

static bool run_qr(const batch *b, int64_t i) {
    return b->functions->qr(b->pool, b->m, b->n, fxi_node_int(b->node, FXI_ATTR_FULL) != 0,
                            operand_at(b, 0, i), result_at(b, 0, i), result_at(b, 1, i));
}

static bool run_eigh(const batch *b, int64_t i) {
    return b->functions->eigh(b->pool, b->n, fxi_node_int(b->node, FXI_ATTR_LOWER) != 0, operand_at(b, 0, i),
                              result_at(b, 0, i), result_at(b, 1, i));
}

static bool run_svd(const batch *b, int64_t i) {
    return b->functions->svd(b->pool, b->m, b->n, fxi_node_int(b->node, FXI_ATTR_FULL) != 0,
                             operand_at(b, 0, i), result_at(b, 0, i), result_at(b, 1, i), result_at(b, 2, i));
}

typedef bool (*matrix_fn)(const batch *b, int64_t i);
static const matrix_fn functions[FX_OP_COUNT] = {
    [FX_OP_CHOLESKY] = run_cholesky, [FX_OP_TRIANGULAR_SOLVE] = run_triangular_solve,
    [FX_OP_LU] = run_lu,             [FX_OP_QR] = run_qr,
    [FX_OP_EIGH] = run_eigh,         [FX_OP_SVD] = run_svd,
};

static void matrix_task(void *context, int64_t i) {
    batch *b = context;
    if (!functions[b->node->op](b, i)) __atomic_store_n(&b->failed, true, __ATOMIC_RELAXED);
}

static bool is_empty(const fx_node *node) {
    for (size_t i = 0; i < fxi_node_results(node); i++)
        if (fx_shape_size(fxi_node_result_shape(node, i)) > 0) return false;
    return true;
}

bool fxi_linalg_run(const fx_node *node, fxi_pool *pool, const void *const *operands, void *const *results) {
    const fx_shape *a = &node->operands[0]->shape;
    if (is_empty(node)) return true; /* else the number of matrices does not overflow */
    batch b = {.node = node, .functions = fxi_linalg_of(a->dtype), .operands = operands, .results = results};
    b.m = a->dims[a->rank - 2];
    b.n = a->dims[a->rank - 1];
    b.count = 1;
    for (int i = 0; i + 2 < a->rank; i++) b.count *= a->dims[i];
    if (b.count >= MANY && pool) {
        fxi_pool_run(pool, b.count, matrix_task, &b);
    } else {
        b.pool = pool;
        for (int64_t i = 0; i < b.count && !b.failed; i++) matrix_task(&b, i);
    }
    return !b.failed;
}
