/* SPDX-License-Identifier: Apache-2.0 */
/* Lowerings of elementwise operations against the operations themselves, on numbers of every kind: each within the bound
 * that its file states. */
#include "stablehlo/lowered.h"
#include "support/golden.h"
#include <fluxion/random.h>

typedef struct bound {
    fx_op op;
    double ulps; /* 0: the same bits */
} bound;

static const bound bounds[] = {
    {FX_OP_EXP2, 2},     {FX_OP_LOG2, 2},       {FX_OP_LOG10, 2},      {FX_OP_SINH, 3.5},     {FX_OP_COSH, 3},
    {FX_OP_TRUNC, 0},    {FX_OP_COPYSIGN, 0},   {FX_OP_HYPOT, 1.5},    {FX_OP_STRONG_MUL, 0}, {FX_OP_STRONG_DIV, 0},
    {FX_OP_ABS, 0},      {FX_OP_SIGN, 0},       {FX_OP_REAL, 0},       {FX_OP_CONJ, 0},       {FX_OP_IMAG, 0},
    {FX_OP_POW, 0},      {FX_OP_BESSEL_I0E, 8}, {FX_OP_SIN, 3},        {FX_OP_COS, 3},        {FX_OP_CONVERT, 0},
    {FX_OP_RSQRT, 1},    {FX_OP_ASIN, 0.5},     {FX_OP_ACOS, 0.5},     {FX_OP_ATAN, 0.5},     {FX_OP_ASINH, 0.5},
    {FX_OP_ACOSH, 0.5},  {FX_OP_ATANH, 0.5},
    /* of halves and packed integers alone */
    {FX_OP_NEG, 0},      {FX_OP_NOT, 0},        {FX_OP_POPCOUNT, 0},   {FX_OP_CLZ, 0},        {FX_OP_ADD, 0},
    {FX_OP_SUB, 0},      {FX_OP_MUL, 0},        {FX_OP_DIV, 0},        {FX_OP_REM, 0},        {FX_OP_MAX, 0},
    {FX_OP_MIN, 0},      {FX_OP_AND, 0},        {FX_OP_OR, 0},         {FX_OP_XOR, 0},        {FX_OP_SHIFT_LEFT, 0},
    {FX_OP_CLAMP, 0},    {FX_OP_SQRT, 0},       {FX_OP_EXP, 1},        {FX_OP_TANH, 1},       {FX_OP_SHIFT_RIGHT_LOGICAL, 0},
    {FX_OP_ERFC, 1},     {FX_OP_ATAN2, 1},      {FX_OP_SHIFT_RIGHT_ARITHMETIC, 0},
};

enum { ELEMENTS = 300, ROUNDS = 4 };

/* Subnormal operands and results are nobody's business: XLA takes them as zero. */
static void flush(fx_tensor *x) {
    fx_dtype dtype = x->shape.dtype, real = fx_dtype_real(dtype);
    if (!fx_dtype_is_float(real)) return;
    double least = real == FX_F64 ? 0x1p-1022 : real == FX_F16 ? 0 : 0x1p-126;
    for (int64_t i = 0; i < fx_shape_size(&x->shape); i++) {
        fxi_scalar v = fxi_element_load(dtype, x->data, i);
        if (v.re > -least && v.re < least) v.re *= 0;
        if (v.im > -least && v.im < least) v.im *= 0;
        fxi_element_store(dtype, x->data, i, v);
    }
}

static void compare_one(const bound *row, fx_dtype dtype, uint64_t seed) {
    random_state random = {seed};
    fx_graph *graph = new_graph();
    const fx_shape shape = {.dtype = dtype, .rank = 2, .dims = {3, ELEMENTS / 3}};
    fx_tensor *inputs[3], *want[1] = {NULL}, *got[1] = {NULL};
    fx_node *operands[3];
    size_t count = (size_t)fxi_op_info_of(row->op)->operands;
    for (size_t i = 0; i < count; i++) {
        inputs[i] = random_tensor(&random, &shape, (random_style)(seed % RANDOM_STYLES));
        flush(inputs[i]);
        operands[i] = parameter(graph, shape);
    }
    const fxi_attr to = fxi_attr_dtype(seed % 2 ? FX_BOOL : FX_BF16);
    fx_node *made = fxi_node_new(graph, row->op, operands, count, &to, row->op == FX_OP_CONVERT);
    assert_no_error(graph);
    bool lowers = fxi_lowering_of(made) != NULL;
    assert_true(fx_graph_finish(graph, FX_NODES(made), NULL));
    if (lowers) {
        const golden_case none = {.file = ""};
        golden_difference difference;
        const golden_tolerance tolerance = {row->ulps > 0 ? GOLDEN_ULP : GOLDEN_EXACT, fx_dtype_is_half(dtype) ? 0.5 : row->ulps};
        run_both(graph, inputs, want, got);
        flush(want[0]);
        flush(got[0]);
        if (!golden_equal(&none, got[0], want[0], tolerance, &difference))
            fail_msg("%s of %s: %s", fxi_op_info_of(row->op)->text, fx_dtype_name(dtype), difference.text);
        fx_tensor_free(want[0]);
        fx_tensor_free(got[0]);
    }
    for (size_t i = 0; i < count; i++) fx_tensor_free(inputs[i]);
    fx_graph_free(graph);
}

static void lowered_as_meant(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (fx_dtype dtype = FX_BOOL; dtype < FX_DTYPE_LIMIT; dtype++) {
            if (!(fxi_op_info_of(bounds[i].op)->dtypes >> dtype & 1)) continue;
            for (uint64_t seed = 0; seed < ROUNDS * RANDOM_STYLES; seed++) {
                bool is_moderate = seed % RANDOM_STYLES < RANDOM_SPECIAL;
                if (is_moderate || !fx_dtype_is_complex(dtype) || bounds[i].ulps == 0) compare_one(&bounds[i], dtype, seed);
            }
        }
}

/* What the signs of zeros say: the sides of branch cuts. */
static void sides_of_cuts(void **state) {
    (void)state;
    const fx_op ops[] = {FX_OP_SQRT, FX_OP_RSQRT, FX_OP_ASIN, FX_OP_ACOS, FX_OP_ATAN, FX_OP_ASINH, FX_OP_ACOSH, FX_OP_ATANH,
                         FX_OP_SIN, FX_OP_COS, FX_OP_SINH, FX_OP_COSH};
    const double parts[] = {0.0, -0.0, 0.5, -0.5, 2, -2};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        fx_graph *graph = new_graph();
        fx_tensor *input = fx_tensor_new(&FX_SHAPE(FX_C128, 36), FX_MUST);
        for (int k = 0; k < 36; k++) fxi_element_store(FX_C128, input->data, k, (fxi_scalar){.re = parts[k / 6], .im = parts[k % 6]});
        fx_node *z = parameter(graph, FX_SHAPE(FX_C128, 36)), *w = fxi_node_new(graph, ops[i], &z, 1, NULL, 0);
        fx_node *quarter = fx_atan2(fx_real(w), fx_imag(w)), *turned = fx_atan2(fx_imag(w), fx_real(w));
        compare_lowered(graph, FX_NODES(w, quarter, turned), &input, (golden_tolerance){GOLDEN_NORM, 8});
    }
}

/* Words in order and out of order, narrow and wide, at a counter that carries. */
static void words_are_equal(void **state) {
    (void)state;
    const fx_dtype dtypes[] = {FX_U32, FX_U64, FX_F32, FX_F64, FX_U8, FX_S16, FX_BF16};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        for (int64_t n = 1; n < 12; n += 5) {
            fx_graph *graph = new_graph();
            fx_node *key = parameter(graph, FX_SHAPE(FX_U64, 3)), *after, *made;
            const fx_shape shape = {.dtype = dtypes[i], .rank = 2, .dims = {n, 3}};
            made = fx_dtype_is_float(dtypes[i]) ? fx_random_uniform(key, &shape, &after)
                                                : fx_random_bits(key, &shape, &after);
            fx_node *turned = fx_reduce_all_sum(fx_convert(fx_transpose(made, 0, 1), FX_F64));
            assert_no_error(graph);
            assert_true(fx_graph_finish(graph, FX_NODES(made, turned), NULL));
            const uint64_t words[3] = {UINT64_C(0x0123456789abcdef), UINT64_MAX - 1, UINT64_MAX};
            fx_tensor *input = fx_tensor_copy_from(&FX_SHAPE(FX_U64, 3), words, FX_MUST), *want[2] = {NULL}, *got[2] = {NULL};
            run_both(graph, &input, want, got);
            for (int k = 0; k < 2; k++) {
                assert_memory_equal(want[k]->data, got[k]->data, (size_t)want[k]->bytes);
                fx_tensor_free(want[k]);
                fx_tensor_free(got[k]);
            }
            fx_tensor_free(input);
            fx_graph_free(graph);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lowered_as_meant), cmocka_unit_test(sides_of_cuts),
                                       cmocka_unit_test(words_are_equal)};
    return cmocka_run_group_tests_name("stablehlo.lower_element", tests, NULL, NULL);
}
