/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of segments, indices as values, growing and shifting. */
#include "ops/cases.h"

static int64_t number(const case_args *a, const char *key) {
    return golden_int(a->c, key, 0);
}

static int axis_of(const case_args *a) {
    return (int)number(a, "axis");
}

/* ---- moves ---- */

static fx_shift_direction direction_of(const case_args *a) {
    return number(a, "left") ? FX_SHIFT_LEFT : FX_SHIFT_RIGHT;
}

void case_shift_with_value(const case_args *a) {
    a->out[0] = fx_shift_with_value(a->in[0], axis_of(a), direction_of(a), number(a, "n"), a->in[1]);
}
void case_shift_left(const case_args *a) {
    a->out[0] = fx_shift_left(a->in[0], number(a, "n"), golden_real(a->c, "fill", 0));
}
void case_shift_right(const case_args *a) {
    a->out[0] = fx_shift_right(a->in[0], number(a, "n"), golden_real(a->c, "fill", 0));
}
void case_grow_left(const case_args *a) {
    a->out[0] = fx_grow_left(a->in[0], axis_of(a), number(a, "n"), golden_real(a->c, "fill", 0));
}
void case_grow_right(const case_args *a) {
    a->out[0] = fx_grow_right(a->in[0], axis_of(a), number(a, "n"), golden_real(a->c, "fill", 0));
}
/* ---- masks of matrices ---- */

#define TRIANGLE(op)                                                                                         \
    void case_##op(const case_args *a) {                                                                     \
        a->out[0] = fx_##op(a->in[0], number(a, "k"));                                                       \
    }
TRIANGLE(take_lower_triangular)
TRIANGLE(take_upper_triangular)

void case_diagonal_with_value(const case_args *a) {
    a->out[0] = fx_diagonal_with_value(a->in[0], number(a, "dim"));
}
/* ---- segments, one hot, take, put ---- */

#define SEGMENT(op)                                                                                          \
    void indices_##op(const case_args *a) {                                                                  \
        a->out[0] = fx_##op(a->in[0], a->in[1], number(a, "segments"));                                      \
    }
SEGMENT(segment_sum)
SEGMENT(segment_prod)
SEGMENT(segment_max)
SEGMENT(segment_min)
SEGMENT(segment_mean)
SEGMENT(segment_softmax)

static fx_ragged2d ragged_of(const case_args *a) {
    return fx_make_ragged2d(number(a, "rows"), a->in[0], a->in[1]);
}

void case_ragged2d_sum(const case_args *a) {
    a->out[0] = fx_ragged2d_reduce_sum_cols(ragged_of(a));
}
void case_ragged2d_max(const case_args *a) {
    a->out[0] = fx_ragged2d_reduce_max_cols(ragged_of(a));
}
void case_ragged2d_min(const case_args *a) {
    a->out[0] = fx_ragged2d_reduce_min_cols(ragged_of(a));
}
void case_ragged2d_softmax(const case_args *a) {
    a->out[0] = fx_ragged2d_softmax(ragged_of(a)).flat;
}
void case_put(const case_args *a) {
    static const char *const kinds[] = {"sum", "mul", "max", "min", "update"}; /* as fx_scatter_kind */
    const char *kind = golden_word(a->c, "kind", "sum");
    int k = 0;
    while (k < 4 && strcmp(kinds[k], kind) != 0) k++;
    a->out[0] = fx_put(a->in[0], a->in[1], a->in[2], axis_of(a), (fx_scatter_kind)k);
}

/* ---- indices as values, parts, counting ---- */

void case_indices_for_shape(const case_args *a) {
    const golden_list dims = golden_ints(a->c, "dims");
    a->out[0] = fx_indices_for_shape(a->graph, GOLDEN_DIMS(dims));
}
void case_unravel_index(const case_args *a) {
    const golden_list dims = golden_ints(a->c, "dims");
    a->out[0] = fx_unravel_index(a->in[0], GOLDEN_DIMS(dims));
}
void case_ravel_index(const case_args *a) {
    const golden_list dims = golden_ints(a->c, "dims");
    a->out[0] = fx_ravel_index(a->in[0], GOLDEN_DIMS(dims));
}
void case_part_at(const case_args *a) {
    const golden_list index = golden_ints(a->c, "index");
    a->out[0] = fx_part_at(a->in[0], GOLDEN_DIMS(index));
}
void case_update_at(const case_args *a) {
    const golden_list index = golden_ints(a->c, "index");
    a->out[0] = fx_update_at(a->in[0], GOLDEN_DIMS(index), a->in[1]);
}
void case_bincount(const case_args *a) {
    a->out[0] = fx_bincount(a->in[0], number(a, "length"));
}
void case_bincount_weighted(const case_args *a) {
    a->out[0] = fx_bincount_weighted(a->in[0], a->in[1], number(a, "length"));
}
void case_histogram(const case_args *a) {
    a->out[0] =
        fx_histogram(a->in[0], number(a, "bins"), golden_real(a->c, "low", 0), golden_real(a->c, "high", 0));
}

/* ---- barriers ---- */

void case_optimization_barriers(const case_args *a) {
    fx_optimization_barriers((fx_nodes){a->in, a->n_in}, a->out);
}
void case_scheduling_barrier(const case_args *a) {
    a->out[0] = fx_scheduling_barrier(a->in[0], (fx_nodes){a->in + 1, a->n_in - 1});
}
