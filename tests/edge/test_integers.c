/* SPDX-License-Identifier: Apache-2.0 */
/* Integer arithmetic without an answer in mathematics: the smallest number by -1 and division by zero, for
 * every integer dtype and all pairs of awkward numbers; comparisons of several integers that boolean
 * rewriting could spoil; a cipher's rounds in loops. Division is wanted as the head of ops.h says. */
#include "edge/edge.h"
#include <fluxion/control.h>

static fx_node *divided(fx_node *const *in) {
    return fx_div(in[0], in[1]);
}
static fx_node *rest(fx_node *const *in) {
    return fx_rem(in[0], in[1]);
}
static fx_node *floored(fx_node *const *in) {
    return fx_floor_div(in[0], in[1]);
}
static fx_node *modulus(fx_node *const *in) {
    return fx_mod(in[0], in[1]);
}

/* The value of an integer of so many bits, whatever was computed in 64. */
static int64_t wrapped(int64_t x, int bits, bool is_signed) {
    if (bits == 64) return x;
    uint64_t mask = (UINT64_C(1) << bits) - 1, low = (uint64_t)x & mask;
    return is_signed && low >> (bits - 1) ? (int64_t)(low | ~mask) : (int64_t)low;
}

typedef struct quotients {
    int64_t div, rem, floor_div, mod;
} quotients;

static quotients of_signed(int64_t x, int64_t y) {
    if (y == 0) return (quotients){-1, x, -1, x};
    if (y == -1) return (quotients){(int64_t)(0 - (uint64_t)x), 0, (int64_t)(0 - (uint64_t)x), 0};
    int64_t q = x / y, r = x % y;
    bool down = r != 0 && (r < 0) != (y < 0);
    return (quotients){q, r, q - down, down ? r + y : r};
}

static quotients of_unsigned(uint64_t x, uint64_t y) {
    if (y == 0) return (quotients){-1, (int64_t)x, -1, (int64_t)x};
    int64_t q = (int64_t)(x / y), r = (int64_t)(x % y);
    return (quotients){q, r, q, r};
}

enum { NUMBERS = 9, PAIRS = NUMBERS * NUMBERS };

static void check_division(void **state, fx_dtype dtype) {
    int bits = fx_dtype_bits(dtype);
    bool is_signed = fx_dtype_is_signed(dtype);
    int64_t least = is_signed ? INT64_MIN >> (64 - bits) : 0,
            most = is_signed ? ~least : wrapped(-1, bits, false);
    const int64_t numbers[NUMBERS] = {0, 1, 2, -1, -2, 100, most, least, least + 1};
    int64_t x[PAIRS], y[PAIRS], want[4][PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        x[i] = wrapped(numbers[i / NUMBERS], bits, is_signed);
        y[i] = wrapped(numbers[i % NUMBERS], bits, is_signed);
        quotients q = is_signed ? of_signed(x[i], y[i]) : of_unsigned((uint64_t)x[i], (uint64_t)y[i]);
        const int64_t all[4] = {q.div, q.rem, q.floor_div, q.mod};
        for (int k = 0; k < 4; k++) want[k][i] = wrapped(all[k], bits, is_signed);
    }
    static const edge_fn functions[4] = {divided, rest, floored, modulus};
    static const char *const names[4] = {"div", "rem", "floor_div", "mod"};
    for (int k = 0; k < 4; k++)
        edge_check_map(state, &(edge_map){names[k],
                                          functions[k],
                                          edge_ints(dtype, want[k], PAIRS),
                                          0,
                                          {edge_ints(dtype, x, PAIRS), edge_ints(dtype, y, PAIRS)}});
}

static void division_has_an_answer(void **state) {
    static const fx_dtype dtypes[] = {FX_S2, FX_S4, FX_S8, FX_S16, FX_S32, FX_S64,
                                      FX_U2, FX_U4, FX_U8, FX_U16, FX_U32, FX_U64};
    for (size_t i = 0; i < COUNT_OF(dtypes); i++) check_division(state, dtypes[i]);
}

/* A divisor that is known while compiling is a different path: multiplication, shifts. */
static fx_node *by_known(fx_node *const *in) {
    fx_node *x = in[0];
    return fx_stack(FX_NODES(fx_div_scalar_int(x, -1), fx_div_scalar_int(x, 0), fx_mod_scalar_int(x, 0),
                             fx_mod_scalar_int(x, -1),
                             fx_floor_div(x, fx_scalar_int(fx_node_graph(x), FX_S32, -1)),
                             fx_floor_div(x, fx_scalar_int(fx_node_graph(x), FX_S32, 0)),
                             fx_rem(x, fx_scalar_int(fx_node_graph(x), FX_S32, -1))),
                    0);
}

static void known_divisors(void **state) {
    EDGE_TEXT(state, by_known,
              "[7][3]int32{{-2147483648, -5, 0}, {-1, -1, -1}, {-2147483648, 5, 0}, {0, 0, 0}, {-2147483648, "
              "-5, 0}, "
              "{-1, -1, -1}, {0, 0, 0}}",
              EDGE_INTS(FX_S32, INT32_MIN, 5, 0));
}

/* ---- comparisons ---- */

/* (x0, x1) <= (y0, y1) as pairs in the order of a dictionary. */
static fx_node *pair_not_above(fx_node *const *in) {
    return fx_or(fx_less(in[0], in[2]), fx_and(fx_equal(in[0], in[2]), fx_less_or_equal(in[1], in[3])));
}

static void pairs_in_order(void **state) {
    static const fx_dtype dtypes[] = {FX_S8, FX_S32, FX_S64};
    int64_t v[4][81], want[81];
    for (int i = 0; i < 81; i++) {
        for (int k = 0, rest_of = i; k < 4; k++, rest_of /= 3) v[k][i] = rest_of % 3 - 1;
        want[i] = v[0][i] < v[2][i] || (v[0][i] == v[2][i] && v[1][i] <= v[3][i]);
    }
    for (size_t d = 0; d < COUNT_OF(dtypes); d++)
        edge_check_map(state, &(edge_map){"pairs in order",
                                          pair_not_above,
                                          edge_ints(FX_BOOL, want, 81),
                                          0,
                                          {edge_ints(dtypes[d], v[0], 81), edge_ints(dtypes[d], v[1], 81),
                                           edge_ints(dtypes[d], v[2], 81), edge_ints(dtypes[d], v[3], 81)}});
}

static fx_node *rows_equal(fx_node *const *in) {
    fx_node *row = fx_expand_axes(in[0], FX_AXES(0));
    fx_node *twice = fx_concatenate(FX_NODES(row, row), 0);
    return fx_logical_all(fx_equal(fx_broadcast_to_dims(row, FX_DIMS(2, 12)), twice), FX_AXES(1));
}

static void narrow_comparisons_are_reduced(void **state) {
    static const fx_dtype dtypes[] = {FX_S8, FX_U8, FX_S16, FX_S32, FX_S64, FX_BOOL, FX_S4, FX_U2};
    for (size_t d = 0; d < COUNT_OF(dtypes); d++)
        EDGE_TEXT(state, rows_equal, "[2]bool{true, true}",
                  EDGE_INTS(dtypes[d], 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0));
}

/* ---- Threefry-2x32 of 20 rounds in while loops ---- */

static fx_node *element(fx_node *x, fx_node *at) {
    return fx_take(x, at, 0);
}
static fx_node *turned_left(fx_node *x, fx_node *n) {
    fx_node *other = fx_sub(fx_scalar_int(fx_node_graph(x), FX_U32, 32), n);
    return fx_or(fx_bitwise_shift_left(x, n), fx_bitwise_shift_right_logical(x, other));
}

typedef struct cipher {
    fx_node *keys, *rotations;
} cipher;

static void goes_on(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_less_scalar_int(in[0], 20);
}

static void one_round(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)n_in, (void)n_out;
    const cipher *c = user;
    fx_node *done = fx_add_scalar_int(in[0], 1);
    fx_node *x0 = fx_add(in[1], in[2]);
    fx_node *x1 =
        fx_xor(turned_left(in[2], element(c->rotations, fx_rem(in[0], fx_scalar_int(g, FX_S32, 8)))), x0);
    fx_node *group = fx_div_scalar_int(done, 4); /* a key is added after every fourth round */
    fx_node *adds = fx_equal_scalar_int(fx_rem(done, fx_scalar_int(g, FX_S32, 4)), 0);
    fx_node *first = element(c->keys, fx_rem(group, fx_scalar_int(g, FX_S32, 3)));
    fx_node *second = element(c->keys, fx_rem(fx_add_scalar_int(group, 1), fx_scalar_int(g, FX_S32, 3)));
    out[0] = done;
    out[1] = fx_where(adds, fx_add(x0, first), x0);
    out[2] = fx_where(adds, fx_add(x1, fx_add(second, fx_convert(group, FX_U32))), x1);
}

/* in[0]: key and counter, two numbers each. */
static fx_node *threefry(fx_node *const *in) {
    static const uint32_t rotations[] = {13, 15, 26, 6, 17, 29, 16, 24};
    fx_graph *g = fx_node_graph(in[0]);
    fx_node *k[4], *results[3];
    for (int i = 0; i < 4; i++) k[i] = fx_reshape(fx_slice_axis(in[0], 0, i, i + 1, 1), FX_DIMS());
    fx_node *parity = fx_xor(fx_xor(k[0], k[1]), fx_scalar_int(g, FX_U32, 0x1BD11BDA));
    cipher c = {.keys = fx_stack(FX_NODES(k[0], k[1], parity), 0),
                .rotations = fx_constant_host(g, FX_HOST(rotations, 8))};
    fx_while(FX_NODES(fx_scalar_int(g, FX_S32, 0), fx_add(k[2], k[0]), fx_add(k[3], k[1])), goes_on,
             one_round, &c, results);
    return fx_stack(FX_NODES(results[1], results[2]), 0);
}

/* Known answers of the published cipher. */
static void ciphers_in_loops(void **state) {
    static const struct {
        int64_t in[4];
        uint32_t want[2];
    } rows[] = {{{0, 0, 0, 0}, {0x6b200159, 0x99ba4efe}},
                {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0x1cb996fc, 0xbb002be7}},
                {{0x13198a2e, 0x03707344, 0x243f6a88, 0x85a308d3}, {0xc4923a9c, 0x483df7a0}}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        fx_tensor *in = edge_ints(FX_U32, rows[i].in, 4),
                  *want = EDGE_INTS(FX_U32, rows[i].want[0], rows[i].want[1]);
        fx_tensor *ran = edge_run(state, threefry, &in, 1),
                  *folded = edge_run_constants(state, threefry, &in, 1);
        edge_assert(ran, want, 0, "threefry of a parameter");
        edge_assert(folded, want, 0, "threefry of a constant");
        fx_tensor_free(ran);
        fx_tensor_free(folded);
        fx_tensor_free(want);
        fx_tensor_free(in);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(division_has_an_answer),         BOTH(known_divisors),   BOTH(pairs_in_order),
        BOTH(narrow_comparisons_are_reduced), BOTH(ciphers_in_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
