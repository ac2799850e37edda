/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting: a comparator that has the order of the library, NaN last in both directions and zeros equal, key
 * by key; complex keys are two, the real part first. */
#include "stablehlo/write.h"

/* Whether a is before b by one key, and whether neither is. */
typedef struct order {
    fxi_write_operand before, equal;
} order;

static fxi_write_operand both(fxi_writer *w, fxi_write_operand a, fxi_write_operand b) {
    return fxi_write_two(w, "stablehlo.and", a, b);
}
static fxi_write_operand either(fxi_writer *w, fxi_write_operand a, fxi_write_operand b) {
    return fxi_write_two(w, "stablehlo.or", a, b);
}

/*   before = a < b | a == a & nan(b)        equal = a == b | nan(a) & nan(b)
 * The second is written when another key asks for it. */
static order write_order(fxi_writer *w, fxi_write_operand a, fxi_write_operand b, bool descending,
                         bool last) {
    bool has_nan = fx_dtype_is_float(a.shape.dtype);
    order o = {.before = fxi_write_compare(w, descending ? FXI_GT : FXI_LT, a, b)};
    if (!last) o.equal = fxi_write_compare(w, FXI_EQ, a, b);
    if (!has_nan) return o;
    fxi_write_operand number = fxi_write_compare(w, FXI_EQ, a, a);
    fxi_write_operand nan = fxi_write_compare(w, FXI_NE, b, b);
    o.before = either(w, o.before, both(w, number, nan));
    if (last) return o;
    fxi_write_operand nan_too = fxi_write_compare(w, FXI_NE, a, a);
    o.equal = either(w, o.equal, both(w, nan_too, nan));
    return o;
}

/* Before by the first key, or equal by it and before by the second. */
static order join_orders(fxi_writer *w, order first, order second, bool last) {
    order o = {.before = both(w, first.equal, second.before)};
    o.before = either(w, first.before, o.before);
    if (!last) o.equal = both(w, first.equal, second.equal);
    return o;
}

static order write_key(fxi_writer *w, fxi_write_operand a, fxi_write_operand b, bool descending, bool last) {
    if (!fx_dtype_is_complex(a.shape.dtype)) return write_order(w, a, b, descending, last);
    static const char *const parts[] = {"stablehlo.real", "stablehlo.imag"};
    const fx_shape real = fxi_shape_scalar(fx_dtype_real(a.shape.dtype));
    order o[2];
    for (int i = 0; i < 2; i++) {
        fxi_write_operand x = fxi_write_one(w, parts[i], &a, 1, &real);
        fxi_write_operand y = fxi_write_one(w, parts[i], &b, 1, &real);
        o[i] = write_order(w, x, y, descending, i == 1 && last);
    }
    return join_orders(w, o[0], o[1], last);
}

/* The scalars of two elements of each operand, side by side; memory for fxi_free. */
static fx_shape *list_scalars(fxi_writer *w, const fx_node *n, size_t sorted, const fx_shape ***shapes,
                              fxi_write_operand **arguments) {
    fx_shape *scalars = fxi_alloc_zeroed(sorted, sizeof *scalars);
    *shapes = fxi_alloc_zeroed(2 * sorted, sizeof **shapes);
    *arguments = fxi_alloc_zeroed(2 * sorted, sizeof **arguments);
    if (!scalars || !*shapes || !*arguments) fxi_write_no_memory(w);
    for (size_t i = 0; !w->failed && i < 2 * sorted; i++) {
        scalars[i / 2] = fxi_shape_scalar(n->operands[i / 2]->shape.dtype);
        (*shapes)[i] = &scalars[i / 2];
    }
    return scalars;
}

static void write_comparator(fxi_writer *w, const fx_node *n) {
    const fx_shape **shapes;
    fxi_write_operand *a;
    fx_shape *scalars = list_scalars(w, n, n->operand_count, &shapes, &a);
    const fx_node *node = w->node;
    if (!w->failed) {
        fx_dims orders = fxi_node_ints(n, FXI_ATTR_ORDERS);
        fxi_write_region_begin(w, true, shapes, 2 * (size_t)n->operand_count, a);
        w->node = NULL;
        order o = write_key(w, a[0], a[1], orders.v[0] != 0, orders.n == 1);
        for (size_t i = 1; i < orders.n; i++) {
            bool last = i + 1 == orders.n;
            o = join_orders(w, o, write_key(w, a[2 * i], a[2 * i + 1], orders.v[i] != 0, last), last);
        }
        fxi_write_region_end(w, &o.before, 1);
    }
    w->node = node;
    fxi_free(scalars);
    fxi_free((void *)shapes);
    fxi_free(a);
}

static void attr_sort(fxi_writer *w, const fx_node *n) {
    fxi_write_attr(w, "dimension", "%lld : i64", (long long)fxi_node_int(n, FXI_ATTR_AXIS));
    fxi_write_attr(w, "is_stable", "true");
}

void fxi_write_sort(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_write_operand *in = fxi_write_operands(w, s, n);
    const fx_shape **out = fxi_write_results(w, n);
    if (in && out) {
        attr_sort(w, n);
        s->values[n->id] = fxi_write_begin(w, "stablehlo.sort", in, n->operand_count, n->operand_count);
        write_comparator(w, n);
        fxi_write_regions_end(w);
        fxi_write_end(w, in, n->operand_count, out, n->operand_count);
    }
    fxi_free(in);
    fxi_free((void *)out);
}

/* A closure that captured nothing: others are lowered (lower_sort.c). */
void fxi_write_sort_by(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    const fx_graph *body = fxi_node_bodies(n).v[0];
    size_t sorted = body->parameters.count - n->operand_count;
    fxi_write_operand *in = fxi_write_operands(w, s, n);
    const fx_shape **out = fxi_write_results(w, n);
    if (in && out) {
        attr_sort(w, n);
        s->values[n->id] = fxi_write_begin(w, "stablehlo.sort", in, sorted, sorted);
        fxi_write_closure(w, true, body, 2 * sorted, in + sorted);
        fxi_write_regions_end(w);
        fxi_write_end(w, in, sorted, out, sorted);
    }
    fxi_free(in);
    fxi_free((void *)out);
}

/* Of integers only: floats are lowered, since CHLO's order is the total one. */
void fxi_write_top_k(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_write_attr(w, "k", "%lld : i64", (long long)fxi_node_int(n, FXI_ATTR_K));
    fxi_write_node(w, s, n, "chlo.top_k");
}
