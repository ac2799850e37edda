/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of Philox 4x32-10 (ops/element_random.c is its meaning): a word's block by products of 32-bit
 * numbers in 64 bits, then one of its four words, or two of them. Every operation is exact, so every
 * device gives the same words. Blocks hold words of their own only when the words are numbered one by one
 * from 0 on; then each is made once and the words are laid out in order. */
#include "lower_family.h"

enum { ROUNDS = 10, WORDS = 4 };

static fx_node *word64(const fx_node *like, uint64_t value) {
    return fx_scalar_int(like->graph, FX_U64, (int64_t)value);
}

static fx_node *low_half(fx_node *x) { return fx_and(x, word64(x, UINT32_MAX)); }

static fx_node *high_half(fx_node *x) { return fx_bitwise_shift_right_logical_scalar(x, 32); }

/* Keys and words are kept in 64 bits, their upper halves zero. */
static void one_round(fx_node **c, fx_node **key) {
    fx_node *p0 = fx_mul(c[0], word64(c[0], 0xD2511F53)), *p1 = fx_mul(c[2], word64(c[2], 0xCD9E8D57));
    fx_node *made[WORDS] = {fx_xor(fx_xor(high_half(p1), c[1]), key[0]), low_half(p1),
                            fx_xor(fx_xor(high_half(p0), c[3]), key[1]), low_half(p0)};
    for (int i = 0; i < WORDS; i++) c[i] = made[i];
    key[0] = low_half(fx_add(key[0], word64(key[0], 0x9E3779B9)));
    key[1] = low_half(fx_add(key[1], word64(key[1], 0xBB67AE85)));
}

/* The words of block `number` behind the counter. */
static void make_block(fx_node *key, fx_node *low, fx_node *high, fx_node *number, fx_node **words) {
    fx_node *at = fx_add(low, number), *carry = fx_convert(fx_less(at, low), FX_U64);
    fx_node *above = fx_add(high, carry), *keys[2] = {low_half(key), high_half(key)};
    words[0] = low_half(at);
    words[1] = high_half(at);
    words[2] = low_half(above);
    words[3] = high_half(above);
    for (int r = 0; r < ROUNDS; r++) one_round(words, keys);
}

static fx_node *join(fx_node *low, fx_node *high) {
    return fx_or(low, fx_bitwise_shift_left_scalar(high, 32));
}

/* ---- any words ---- */

static fx_node *bit_of(fx_node *number, int bit) {
    return fx_not(fx_is_zero(fx_and(number, word64(number, UINT64_C(1) << bit))));
}

static fx_node *scattered_words(fx_node *const *operands, bool wide) {
    fx_node *number = operands[3], *w[WORDS];
    fx_node *block = fx_bitwise_shift_right_logical_scalar(number, wide ? 1 : 2);
    make_block(operands[0], operands[1], operands[2], block, w);
    if (wide) return fx_select(bit_of(number, 0), join(w[2], w[3]), join(w[0], w[1]));
    fx_node *is_odd = bit_of(number, 0);
    fx_node *first = fx_select(is_odd, w[1], w[0]), *second = fx_select(is_odd, w[3], w[2]);
    return fx_convert(fx_select(bit_of(number, 1), second, first), FX_U32);
}

/* ---- words in order ---- */

/* The scalar that a node repeats; NULL when it does not. */
static fx_node *scalar_of(fx_node *x) {
    while (x->op == FX_OP_BROADCAST_IN_DIM || x->op == FX_OP_RESHAPE) x = x->operands[0];
    return fx_shape_size(&x->shape) == 1 ? fx_reshape(x, (fx_dims){NULL, 0}) : NULL;
}

/* Whether element i in row-major order is i. */
static bool counts(const fx_node *x) {
    while (x->op == FX_OP_RESHAPE) x = x->operands[0];
    if (x->op != FX_OP_IOTA) return false;
    int axis = (int)fxi_node_int(x, FXI_ATTR_AXIS);
    return fx_shape_size(&x->shape) == x->shape.dims[axis];
}

static fx_node *words_in_order(fx_node *const *state, const fx_shape *shape, bool wide) {
    int64_t count = fx_shape_size(shape), width = wide ? WORDS / 2 : WORDS;
    int64_t blocks = count / width + (count % width != 0);
    const fx_shape numbers = {.dtype = FX_U64, .rank = 1, .dims = {blocks}};
    fx_node *w[WORDS];
    make_block(state[0], state[1], state[2], fx_iota(state[0]->graph, &numbers, 0), w);
    fx_node *narrow[WORDS] = {wide ? join(w[0], w[1]) : fx_convert(w[0], FX_U32),
                              wide ? join(w[2], w[3]) : fx_convert(w[1], FX_U32), NULL, NULL};
    for (int i = 2; i < width; i++) narrow[i] = fx_convert(w[i], FX_U32);
    fx_node *all = fx_stack((fx_nodes){narrow, (size_t)width}, 1);
    all = fx_reshape(all, (fx_dims){(const int64_t[]){blocks * width}, 1});
    return fx_reshape(fx_slice_axis(all, 0, 0, count, 1), (fx_dims){shape->dims, (size_t)shape->rank});
}

bool fxi_lower_philox(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    (void)b;
    bool wide = node->shape.dtype == FX_U64, ordered = fx_shape_size(&node->shape) > 1 && counts(operands[3]);
    fx_node *state[3];
    for (int i = 0; ordered && i < 3; i++) ordered = (state[i] = scalar_of(operands[i])) != NULL;
    return fxi_lower_give(results, ordered ? words_in_order(state, &node->shape, wide)
                                           : scattered_words(operands, wide));
}
