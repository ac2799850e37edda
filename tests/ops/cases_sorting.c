/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of sorting. */
#include "ops/cases.h"
#include <fluxion/sorting.h>

static bool is_ascending(const case_args *a) { return golden_int(a->c, "ascending", 1) != 0; }
static int axis_of(const case_args *a) { return (int)golden_int(a->c, "axis", 0); }

void case_sort(const case_args *a) {
    a->out[0] = fx_sort(a->in[0], axis_of(a), is_ascending(a));
}

void case_quantile(const case_args *a) {
    a->out[0] = fx_quantile(a->in[0], golden_real(a->c, "q", 0), axis_of(a));
}

void case_median(const case_args *a) { a->out[0] = fx_median(a->in[0], axis_of(a)); }

void case_searchsorted(const case_args *a) {
    a->out[0] = fx_searchsorted(a->in[0], a->in[1], golden_int(a->c, "right", 0) != 0);
}

void case_unique(const case_args *a) {
    a->out[0] = fx_unique(a->in[0], golden_int(a->c, "size", 0), a->n_in > 1 ? a->in[1] : NULL, &a->out[1]);
}

void case_argsort(const case_args *a) {
    fx_dtype dtype = golden_dtype(a->c, "dtype", FX_INVALID_DTYPE);
    a->out[0] = dtype == FX_INVALID_DTYPE ? fx_argsort(a->in[0], axis_of(a), is_ascending(a))
                                          : fx_argsort_dtype(a->in[0], axis_of(a), is_ascending(a), dtype);
}

void case_sort_by_key(const case_args *a) {
    a->out[0] = fx_sort_by_key(a->in[0], a->in[1], axis_of(a), is_ascending(a));
}

void case_sort_many(const case_args *a) {
    fx_sort_many((fx_nodes){a->in, a->n_in}, (size_t)golden_int(a->c, "num_keys", 1), axis_of(a), is_ascending(a), a->out);
}

void case_top_k(const case_args *a) {
    fx_dtype dtype = golden_dtype(a->c, "dtype", FX_S32);
    int64_t k = golden_int(a->c, "k", 1);
    a->out[0] = dtype == FX_S32 ? fx_top_k(a->in[0], k, axis_of(a), &a->out[1])
                                : fx_top_k_dtype(a->in[0], k, axis_of(a), dtype, &a->out[1]);
}

void case_bottom_k(const case_args *a) {
    a->out[0] = fx_bottom_k(a->in[0], golden_int(a->c, "k", 1), axis_of(a), &a->out[1]);
}

void case_top_k_mask(const case_args *a) { a->out[0] = fx_top_k_mask(a->in[0], golden_int(a->c, "k", 1), axis_of(a)); }

/* ---- comparators; in: x0, x1 of operand x, y0, y1 of operand y ---- */

#define COMPARATOR(name)                                                                                     \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)n_out, (void)user

COMPARATOR(by_abs) { UNUSED; out[0] = fx_less(fx_abs(in[0]), fx_abs(in[1])); }
COMPARATOR(by_descending) { UNUSED; out[0] = fx_greater(in[0], in[1]); }
COMPARATOR(by_sum) {
    UNUSED;
    fx_dtype dtype = fx_node_dtype(in[0]) == FX_S8 ? FX_S32 : fx_node_dtype(in[0]);
    out[0] = fx_less(fx_add(fx_convert(in[0], dtype), fx_convert(in[2], dtype)), fx_add(fx_convert(in[1], dtype), fx_convert(in[3], dtype)));
}
COMPARATOR(by_second) {
    UNUSED;
    out[0] = fx_or(fx_less(in[2], in[3]), fx_and(fx_equal(in[2], in[3]), fx_greater(in[0], in[1])));
}
COMPARATOR(by_captured) {
    UNUSED;
    out[0] = fx_less(fx_abs(fx_sub(in[0], user)), fx_abs(fx_sub(in[1], user)));
}
COMPARATOR(by_nothing) { UNUSED; out[0] = fx_fill_scalar(g, &(fx_shape){.dtype = FX_BOOL}, 0); }
/* Arrays inside: it cannot be made to compare many pairs at once. */
COMPARATOR(by_arrays) {
    UNUSED;
    const int64_t three = 3;
    out[0] = fx_less(fx_reduce_all_max(fx_broadcast_to_dims(in[0], (fx_dims){&three, 1})), in[1]);
}

void case_sort_func(const case_args *a) {
    static const struct {
        const char *kind;
        fx_fn comparator;
    } kinds[] = {{"abs", by_abs}, {"descending", by_descending}, {"sum", by_sum}, {"second", by_second},
                 {"captured", by_captured}, {"never", by_nothing}, {"arrays", by_arrays}};
    const char *kind = golden_word(a->c, "kind", "");
    fx_node *two = fx_scalar(a->graph, fx_node_dtype(a->in[0]), 2);
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            fx_sort_func(kinds[i].comparator, two, axis_of(a), (fx_nodes){a->in, a->n_in}, a->out);
}
