/* SPDX-License-Identifier: Apache-2.0 */
/* Equality, hash and lookup of a node's attributes, each one table of functions indexed by the attribute's
 * kind in attrs.def, so that a new attribute needs no line here. Tensors count by shape and bits: two NaN
 * constants with the same bits are equal, +0 and -0 are not. */
#include "graph/graph.h"
#include <assert.h>
#include <string.h>

const fxi_attr *fxi_node_attr(const fx_node *node, fxi_attr_id id) {
    static const fxi_attr none;
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (node->attrs[i].id == id) return &node->attrs[i];
    assert(node->attr_count == UINT32_MAX); /* not reached: the caller asks for what attrs.def lists */
    return &none;
}

/* ---- equality ---- */

static bool equal_int(const fxi_attr *a, const fxi_attr *b) {
    return a->u.i == b->u.i;
}
static bool equal_dtype(const fxi_attr *a, const fxi_attr *b) {
    return a->u.dtype == b->u.dtype;
}

static bool equal_ints(const fxi_attr *a, const fxi_attr *b) {
    size_t n = a->u.ints.n;
    return n == b->u.ints.n && (n == 0 || memcmp(a->u.ints.v, b->u.ints.v, n * sizeof *a->u.ints.v) == 0);
}

static bool equal_tensor(const fxi_attr *a, const fxi_attr *b) {
    return a->u.tensor == b->u.tensor || fx_tensor_equal(a->u.tensor, b->u.tensor);
}

/* Closures are equal when they are the same graph: comparing their nodes would find little more. */
static bool equal_graphs(const fxi_attr *a, const fxi_attr *b) {
    size_t n = a->u.graphs.n;
    return n == b->u.graphs.n &&
           (n == 0 || memcmp(a->u.graphs.v, b->u.graphs.v, n * sizeof(fx_graph *)) == 0);
}

static bool equal_custom(const fxi_attr *a, const fxi_attr *b) { return a->u.custom == b->u.custom; }

static bool equal_text(const fxi_attr *a, const fxi_attr *b) { return strcmp(a->u.text, b->u.text) == 0; }

typedef bool (*equal_fn)(const fxi_attr *a, const fxi_attr *b);
static const equal_fn equals[] = {
    [FXI_KIND_OF_INT] = equal_int,       [FXI_KIND_OF_INTS] = equal_ints,
    [FXI_KIND_OF_WORD] = equal_int,      [FXI_KIND_OF_DTYPE] = equal_dtype,
    [FXI_KIND_OF_TENSOR] = equal_tensor, [FXI_KIND_OF_GRAPHS] = equal_graphs,
    [FXI_KIND_OF_CUSTOM] = equal_custom, [FXI_KIND_OF_TEXT] = equal_text,
};

bool fxi_attrs_equal(const fx_node *a, const fx_node *b) {
    if (a->attr_count != b->attr_count) return false;
    for (uint32_t i = 0; i < a->attr_count; i++) {
        const fxi_attr *x = &a->attrs[i], *y = &b->attrs[i];
        if (x->id != y->id || !equals[fxi_attr_kind_of(x->id)](x, y)) return false;
    }
    return true;
}

/* ---- hash: equal attributes have equal hashes ---- */

static uint64_t hash_int(const fxi_attr *a, uint64_t seed) {
    return fxi_hash_u64((uint64_t)a->u.i, seed);
}

static uint64_t hash_dtype(const fxi_attr *a, uint64_t seed) {
    return fxi_hash_u64((uint64_t)a->u.dtype, seed);
}

static uint64_t hash_ints(const fxi_attr *a, uint64_t seed) {
    seed = fxi_hash_u64(a->u.ints.n, seed);
    for (size_t i = 0; i < a->u.ints.n; i++) seed = fxi_hash_u64((uint64_t)a->u.ints.v[i], seed);
    return seed;
}

/* The last byte of a packed tensor may hold bits that are no element; equality ignores them, so does this. */
static uint64_t hash_tensor(const fxi_attr *a, uint64_t seed) {
    const fx_tensor *tensor = a->u.tensor;
    const fx_shape *shape = &tensor->shape;
    seed = fxi_hash_u64((uint64_t)shape->dtype, seed);
    for (int i = 0; i < shape->rank; i++) seed = fxi_hash_u64((uint64_t)shape->dims[i], seed);
    if (tensor->bytes == 0) return seed;
    int64_t used = fx_shape_size(shape) % 8 * fx_dtype_bits(shape->dtype) % 8;
    int64_t whole = used ? tensor->bytes - 1 : tensor->bytes;
    seed = fxi_hash_bytes(tensor->data, (size_t)whole, seed);
    if (!used) return seed;
    return fxi_hash_u64(((const uint8_t *)tensor->data)[whole] & ((1u << used) - 1), seed);
}

static uint64_t hash_graphs(const fxi_attr *a, uint64_t seed) {
    for (size_t i = 0; i < a->u.graphs.n; i++) seed = fxi_hash_u64(a->u.graphs.v[i]->nodes.count, seed);
    return seed;
}

static uint64_t hash_custom(const fxi_attr *a, uint64_t seed) {
    return fxi_hash_u64((uint64_t)(uintptr_t)a->u.custom, seed);
}

static uint64_t hash_text(const fxi_attr *a, uint64_t seed) {
    return fxi_hash_bytes(a->u.text, strlen(a->u.text), seed);
}

typedef uint64_t (*hash_fn)(const fxi_attr *attr, uint64_t seed);
static const hash_fn hashes[] = {
    [FXI_KIND_OF_INT] = hash_int,     [FXI_KIND_OF_INTS] = hash_ints,     [FXI_KIND_OF_WORD] = hash_int,
    [FXI_KIND_OF_DTYPE] = hash_dtype, [FXI_KIND_OF_TENSOR] = hash_tensor, [FXI_KIND_OF_GRAPHS] = hash_graphs,
    [FXI_KIND_OF_CUSTOM] = hash_custom, [FXI_KIND_OF_TEXT] = hash_text,
};

uint64_t fxi_attrs_hash(const fx_node *node) {
    uint64_t hash = fxi_hash_u64(node->attr_count, (uint64_t)node->op);
    for (uint32_t i = 0; i < node->attr_count; i++) {
        const fxi_attr *attr = &node->attrs[i];
        hash = hashes[fxi_attr_kind_of(attr->id)](attr, fxi_hash_u64((uint64_t)attr->id, hash));
    }
    return hash;
}
