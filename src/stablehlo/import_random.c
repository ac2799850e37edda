/* SPDX-License-Identifier: Apache-2.0 */
/* rng_bit_generator, bit for bit as XLA has it.
 *
 * PHILOX (and DEFAULT) is Philox 4x32-10 as the library's own states use it: uint64[3] {key, counter low and
 * high}. A state of uint64[2] {key, counter} stands for {key, counter, key}, and of the advanced one the
 * first two are given back.
 *
 * THREE_FRY (Salmon et al. 2011) has the state uint64[2] {key, counter}. 64-bit elements in row-major order
 * are the pairs of counter, counter + 1, ..., low word first. For others the array is halved along its first
 * axis of even size (else along its longest, rounded up): element i of the halved array has a pair, the words
 * of which are elements 2 i and 2 i + 1 along that axis. */
#include "stablehlo/import_random.h"
#include <fluxion/random.h>

/* ---- ThreeFry ---- */

static fx_node *rotate(fx_node *x, int bits) {
    return fx_or(fx_bitwise_shift_left_scalar(x, bits), fx_bitwise_shift_right_logical_scalar(x, 32 - bits));
}

void fxi_hlo_threefry(fx_node *const key[2], fx_node *x[2]) {
    static const int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    enum { PARITY = 0x1BD11BDA };
    fx_node *parity = fx_scalar_int(fx_node_graph(key[0]), FX_U32, PARITY);
    fx_node *const keys[] = {key[0], key[1], fx_xor(fx_xor(key[0], key[1]), parity)};
    x[0] = fx_add(x[0], keys[0]);
    x[1] = fx_add(x[1], keys[1]);
    for (int group = 0; group < 5; group++) {
        for (int i = 0; i < 4; i++) {
            x[0] = fx_add(x[0], x[1]);
            x[1] = fx_xor(x[0], rotate(x[1], rotations[group % 2][i]));
        }
        x[0] = fx_add(x[0], keys[(group + 1) % 3]);
        x[1] = fx_add_scalar_int(fx_add(x[1], keys[(group + 2) % 3]), group + 1);
    }
}

static fx_node *state_word(fx_node *state, int64_t i) {
    return fx_reshape(fx_slice_axis(state, 0, i, i + 1, 1), (fx_dims){NULL, 0});
}

static void split_words(fx_node *x, fx_node *words[2]) {
    words[0] = fx_convert(x, FX_U32);
    words[1] = fx_convert(fx_bitwise_shift_right_logical_scalar(x, 32), FX_U32);
}

/* Pairs of words for an array of these dimensions, element number n having that of counter + n. */
static void make_pairs(fx_node *key, fx_node *counter, const fx_shape *dims, fx_node *pair[2]) {
    fx_shape shape = *dims;
    shape.dtype = FX_U64;
    fx_node *keys[2];
    split_words(fx_add(fx_iota_full(fx_node_graph(key), &shape), counter), pair);
    split_words(key, keys);
    fxi_hlo_threefry(keys, pair);
}

static int halved_axis(const fx_shape *shape) {
    int longest = 0;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dims[i] % 2 == 0) return i;
        if (shape->dims[i] > shape->dims[longest]) longest = i;
    }
    return longest;
}

/* Words of an array, one each; *count receives the number of pairs. */
static fx_node *words_by_pairs(fx_node *key, fx_node *counter, const fx_shape *shape, int64_t *count) {
    fx_shape half = *shape, whole = *shape;
    if (half.rank == 0) half = whole = fx_shape_make(FX_U32, (const int64_t[]){1}, 1);
    int axis = halved_axis(&half);
    half.dims[axis] = half.dims[axis] / 2 + half.dims[axis] % 2;
    *count = fx_shape_size(&half);
    fx_node *pair[2];
    make_pairs(key, counter, &half, pair);
    fx_node *both = fx_stack((fx_nodes){pair, 2}, axis + 1);
    fx_shape even = whole;
    even.dims[axis] = 2 * half.dims[axis];
    both = fx_reshape_with_shape(both, &even);
    if (even.dims[axis] != whole.dims[axis]) both = fx_slice_axis(both, axis, 0, whole.dims[axis], 1);
    return fx_reshape_with_shape(both, shape);
}

static fx_node *from_pairs(fx_node *const pair[2]) {
    fx_node *high = fx_bitwise_shift_left_scalar(fx_convert(pair[1], FX_U64), 32);
    return fx_or(fx_convert(pair[0], FX_U64), high);
}

static bool threefry(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *state, fx_node **out) {
    const fx_shape *shape = fxi_hlo_result_shape(op, 1);
    fx_dtype bits = fxi_hlo_integer(false, fx_dtype_bits(shape->dtype));
    if (fx_node_dim(state, 0) != 2) return fxi_hlo_wrong(im, op->place, "a ThreeFry state is tensor<2xui64>");
    if (shape->rank == FX_MAX_RANK)
        return fxi_hlo_unsupported(im, op->place, "ThreeFry numbers of rank %d", shape->rank);
    fx_node *key = state_word(state, 0), *counter = state_word(state, 1), *pair[2];
    int64_t count = fx_shape_size(shape);
    if (bits == FX_U64) {
        make_pairs(key, counter, shape, pair);
        out[1] = from_pairs(pair);
    } else {
        out[1] = fxi_hlo_as(words_by_pairs(key, counter, shape, &count), bits);
    }
    out[1] = bits == shape->dtype ? out[1] : fx_bitcast(out[1], shape->dtype);
    fx_node *moved = fx_add_scalar_int(counter, count);
    out[0] = fx_stack((fx_nodes){(fx_node *const[]){key, moved}, 2}, 0);
    return true;
}

/* ---- Philox ---- */

static bool philox(fx_node *state, const fx_shape *shape, fx_node **out) {
    bool is_short = fx_node_dim(state, 0) == 2;
    if (is_short)
        state = fx_concatenate((fx_nodes){(fx_node *const[]){state, fx_slice_axis(state, 0, 0, 1, 1)}, 2}, 0);
    out[1] = fx_random_bits(state, shape, &out[0]);
    if (is_short) out[0] = fx_slice_axis(out[0], 0, 0, 2, 1);
    return true;
}

static bool rule_rng_bit_generator(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                   fx_node **out) {
    static const char *const algorithms[] = {"DEFAULT", "PHILOX", "THREE_FRY"};
    int algorithm;
    const fx_shape *state = fx_node_shape(in[0]), *shape = fxi_hlo_result_shape(op, 1);
    if (!fxi_hlo_attr_word(im, op, "rng_algorithm", algorithms, 3, 0, &algorithm)) return false;
    if (state->dtype != FX_U64 || state->rank != 1 || state->dims[0] < 2 || state->dims[0] > 3)
        return fxi_hlo_wrong(im, op->place, "a state of %s instead of two or three ui64",
                             fx_shape_to_text(state).s);
    if (fxi_dtype_is_packed(shape->dtype) || fx_dtype_is_complex(shape->dtype))
        return fxi_hlo_unsupported(im, op->place, "random bits of %s", fx_dtype_name(shape->dtype));
    return algorithm == 2 ? threefry(im, op, in[0], out) : philox(in[0], shape, out);
}

/* Its numbers would depend on what else has run. */
static bool rule_rng(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)in, (void)out;
    return fxi_hlo_unsupported(im, op->place,
                               "rng, whose numbers come from a hidden state: rng_bit_generator has it as "
                               "an operand");
}

static const fxi_hlo_row rows[] = {
    {"stablehlo.rng", FXI_HLO_ANY, FXI_HLO_ANY, 0, rule_rng},
    {"stablehlo.rng_bit_generator", 1, 2, 0, rule_rng_bit_generator},
};
const fxi_hlo_table fxi_hlo_random = FXI_HLO_TABLE(rows);
