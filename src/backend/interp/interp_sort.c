/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting: for each line along the axis a merge sort of indices that asks, for two of them, whether the
 * second element goes before the first. Merging takes the first unless it must not, so equal elements keep
 * their order. */
#include "interp_internal.h"
#include <math.h>
#include <string.h>

/* One line: operands and where it lies in them; before: whether element b must come before element a. */
typedef struct line {
    const fxi_interp_call *call;
    int64_t start, stride;
    bool (*before)(struct line *l, int64_t b, int64_t a);
    size_t sorted;      /* operands that are sorted; by a comparator: */
    fx_tensor **inputs; /* the comparator's, of which those with elements belong to the line */
    bool failed;
    fx_error *err;
} line;

/* ---- the built-in order ---- */

/* -1, 0 or 1; NaN comes after everything and is equal to NaN, in either direction. */
static int order_floats(double a, double b, bool descending) {
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    int order = (a > b) - (a < b);
    return descending ? -order : order;
}

static int order_elements(fx_dtype dtype, fxi_scalar a, fxi_scalar b, bool descending) {
    if (fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype)) {
        int real = order_floats(a.re, b.re, descending);
        return real || !fx_dtype_is_complex(dtype) ? real : order_floats(a.im, b.im, descending);
    }
    int order = fx_dtype_is_signed(dtype) ? (a.i > b.i) - (a.i < b.i)
                                          : ((uint64_t)a.i > (uint64_t)b.i) - ((uint64_t)a.i < (uint64_t)b.i);
    return descending ? -order : order;
}

static fxi_scalar element(const line *l, size_t operand, int64_t i) {
    const fx_tensor *x = l->call->operands[operand];
    return fxi_element_load(x->shape.dtype, x->data, l->start + i * l->stride);
}

static bool before_by_keys(line *l, int64_t b, int64_t a) {
    fx_dims orders = fxi_node_ints(l->call->node, FXI_ATTR_ORDERS);
    for (size_t key = 0; key < orders.n; key++) {
        fx_dtype dtype = l->call->operands[key]->shape.dtype;
        int order = order_elements(dtype, element(l, key, b), element(l, key, a), orders.v[key] != 0);
        if (order) return order < 0;
    }
    return false;
}

/* Largest first and NaN before everything, or smallest first and NaN last. */
static bool before_by_rank(line *l, int64_t b, int64_t a) {
    fx_dtype dtype = l->call->operands[0]->shape.dtype;
    int order = order_elements(dtype, element(l, 0, b), element(l, 0, a), false);
    return fxi_node_int(l->call->node, FXI_ATTR_SMALLEST) ? order < 0 : order > 0;
}

/* ---- the order of a comparator ---- */

static bool before_by_body(line *l, int64_t b, int64_t a) {
    fx_tensor *answer = NULL;
    if (l->failed) return false;
    for (size_t k = 0; k < l->sorted; k++) {
        fx_dtype dtype = l->inputs[2 * k]->shape.dtype;
        fxi_element_store(dtype, l->inputs[2 * k]->data, 0, element(l, k, b));
        fxi_element_store(dtype, l->inputs[2 * k + 1]->data, 0, element(l, k, a));
    }
    l->failed = !fxi_interp_run_body(l->call, 0, l->inputs, &answer, l->err);
    bool before = !l->failed && *(const uint8_t *)answer->data != 0;
    fx_tensor_free(answer);
    return before;
}

/* Scalars for two elements of each sorted operand, then the captures. */
static bool make_inputs(line *l, size_t count) {
    l->inputs = fxi_alloc_zeroed(count, sizeof(fx_tensor *));
    if (!l->inputs) return fxi_fail_memory(l->err, "interp: sort");
    for (size_t i = 0; i < count; i++) {
        bool element = i < 2 * l->sorted;
        fx_shape shape = fxi_shape_scalar(l->call->operands[element ? i / 2 : 0]->shape.dtype);
        l->inputs[i] = element ? fxi_tensor_new_from(NULL, &shape, l->err)
                               : fx_tensor_ref(l->call->operands[i - l->sorted]);
        if (!l->inputs[i]) return false;
        if (element) memset(l->inputs[i]->data, 0, (size_t)l->inputs[i]->bytes);
    }
    return true;
}

/* ---- merge sort ---- */

static void merge(line *l, const int64_t *from, int64_t *to, int64_t first, int64_t middle, int64_t end) {
    int64_t a = first, b = middle;
    for (int64_t i = first; i < end; i++) {
        bool second = a == middle || (b < end && l->before(l, from[b], from[a]));
        to[i] = second ? from[b++] : from[a++];
    }
}

/* Sorts the indices of a line; gives the array that holds them. */
static int64_t *sort_indices(line *l, int64_t count, int64_t *indices, int64_t *spare) {
    for (int64_t i = 0; i < count; i++) indices[i] = i;
    for (int64_t width = 1; width < count; width *= 2) {
        for (int64_t first = 0; first < count; first += 2 * width) {
            int64_t middle = fxi_size_min(first + width, count);
            merge(l, indices, spare, first, middle, fxi_size_min(middle + width, count));
        }
        int64_t *other = indices;
        indices = spare;
        spare = other;
    }
    return indices;
}

/* What becomes of a sorted line. */
typedef void (*use_fn)(const line *l, int64_t number, const int64_t *sorted);

static bool sort_lines(line *l, int64_t axis, use_fn use, fx_error *err) {
    const fx_shape *shape = &l->call->operands[0]->shape;
    int64_t count = fx_shape_size(shape), along = shape->dims[axis];
    if (count == 0) return true;
    l->stride = 1;
    for (int i = (int)axis + 1; i < shape->rank; i++) l->stride *= shape->dims[i];
    int64_t *memory = fxi_alloc_zeroed((size_t)along, 2 * sizeof *memory);
    if (!memory) return fxi_fail_memory(err, "interp: sort");
    for (int64_t i = 0; i < count / along && !l->failed; i++) {
        l->start = i / l->stride * l->stride * along + i % l->stride;
        use(l, i, sort_indices(l, along, memory, memory + along));
    }
    fxi_free(memory);
    return !l->failed;
}

static void give_all(const line *l, int64_t number, const int64_t *sorted) {
    (void)number;
    const fx_shape *shape = &l->call->node->shape;
    int64_t along = shape->dims[fxi_node_int(l->call->node, FXI_ATTR_AXIS)];
    for (size_t k = 0; k < l->sorted; k++) {
        fx_tensor *result = l->call->results[k];
        for (int64_t i = 0; i < along; i++)
            fxi_element_store(result->shape.dtype, result->data, l->start + i * l->stride,
                              element(l, k, sorted[i]));
    }
}

static void give_first(const line *l, int64_t number, const int64_t *sorted) {
    fx_tensor *values = l->call->results[0], *indices = l->call->results[1];
    int64_t k = fxi_node_int(l->call->node, FXI_ATTR_K);
    for (int64_t i = 0; i < k; i++) {
        fxi_element_store(values->shape.dtype, values->data, number * k + i, element(l, 0, sorted[i]));
        fxi_element_store(indices->shape.dtype, indices->data, number * k + i, (fxi_scalar){.i = sorted[i]});
    }
}

bool fxi_interp_sort(const fxi_interp_call *call, fx_error *err) {
    line l = {.call = call, .before = before_by_keys, .sorted = call->node->operand_count};
    return sort_lines(&l, fxi_node_int(call->node, FXI_ATTR_AXIS), give_all, err);
}

bool fxi_interp_sort_by(const fxi_interp_call *call, fx_error *err) {
    size_t inputs = fxi_node_bodies(call->node).v[0]->parameters.count;
    line l = {.call = call, .before = before_by_body, .err = err};
    l.sorted = inputs - call->node->operand_count;
    bool ok =
        make_inputs(&l, inputs) && sort_lines(&l, fxi_node_int(call->node, FXI_ATTR_AXIS), give_all, err);
    for (size_t i = 0; l.inputs && i < inputs; i++) fx_tensor_free(l.inputs[i]);
    fxi_free(l.inputs);
    return ok;
}

bool fxi_interp_top_k(const fxi_interp_call *call, fx_error *err) {
    line l = {.call = call, .before = before_by_rank};
    return sort_lines(&l, call->operands[0]->shape.rank - 1, give_first, err);
}
