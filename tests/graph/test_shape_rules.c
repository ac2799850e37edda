/* SPDX-License-Identifier: Apache-2.0 */
/* Shape rules asked directly, as verify and the passes do: results, and messages for what only they see.
 * The messages that builders produce are tested beside the builders. */
#include "support/graph_helpers.h"

typedef struct question {
    fx_op op;
    fx_shape operands[3];
    size_t operand_count;
    fxi_attr attrs[5];
    size_t attr_count;
    fx_shape given;
} question;

static bool ask(const question *q, fx_shape *result, fx_error *err) {
    const fx_shape *operands[3] = {&q->operands[0], &q->operands[1], &q->operands[2]};
    const fxi_shape_args args = {.op = q->op,
                                 .operands = operands,
                                 .operand_count = q->operand_count,
                                 .attrs = q->attrs,
                                 .attr_count = q->attr_count};
    *result = q->given;
    return fxi_shape_infer(&args, result, err);
}

static void assert_gives(question q, const char *wanted) {
    fx_shape result;
    fx_error err = {.code = FX_OK};
    if (!ask(&q, &result, &err)) fail_msg("%s", err.message);
    assert_string_equal(fx_shape_to_text(&result).s, wanted);
}

static void assert_says(question q, fx_error_code code, const char *message) {
    fx_shape result;
    fx_error err = {.code = FX_OK};
    assert_false(ask(&q, &result, &err));
    assert_string_equal(err.message, message);
    assert_int_equal(err.code, code);
    assert_false(ask(&q, &result, NULL));
}

#define INTS(id, ...)                                                                                        \
    fxi_attr_ints(FXI_ATTR_##id, (const int64_t[]){__VA_ARGS__},                                             \
                  sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define NO_INTS(id) fxi_attr_ints(FXI_ATTR_##id, NULL, 0)
#define INT(id, value) fxi_attr_int(FXI_ATTR_##id, value)

static question one(fx_op op, fx_shape x) {
    return (question){.op = op, .operands = {x}, .operand_count = 1};
}

static question with(question q, size_t n, const fxi_attr *attrs) {
    q.attr_count = n;
    memcpy(q.attrs, attrs, n * sizeof *attrs);
    return q;
}
#define WITH(q, ...)                                                                                         \
    with(q, sizeof((const fxi_attr[]){__VA_ARGS__}) / sizeof(fxi_attr), (const fxi_attr[]){__VA_ARGS__})

static question two(fx_op op, fx_shape x, fx_shape y) {
    return (question){.op = op, .operands = {x, y}, .operand_count = 2};
}

static void test_elementwise(void **state) {
    (void)state;
    assert_gives(one(FX_OP_ABS, FX_SHAPE(FX_C64, 2)), "(float32)[2]");
    assert_gives(one(FX_OP_IMAG, FX_SHAPE(FX_C128)), "(float64)");
    assert_gives(one(FX_OP_SIGN, FX_SHAPE(FX_C64, 2)), "(complex64)[2]");
    assert_gives(one(FX_OP_IS_FINITE, FX_SHAPE(FX_F16, 0)), "(bool)[0]");
    assert_gives(WITH(one(FX_OP_CONVERT, FX_SHAPE(FX_F8E5M2, 3)), fxi_attr_dtype(FX_S2)), "(int2)[3]");
    assert_gives(two(FX_OP_COMPLEX, FX_SHAPE(FX_F64, 2), FX_SHAPE(FX_F64, 2)), "(complex128)[2]");
    const question select = {
        .op = FX_OP_SELECT,
        .operands = {FX_SHAPE(FX_BOOL, 2), FX_SHAPE(FX_F8E4M3FN, 2), FX_SHAPE(FX_F8E4M3FN, 2)},
        .operand_count = 3};
    assert_gives(select, "(float8_e4m3fn)[2]");
    assert_says(two(FX_OP_MUL, FX_SHAPE(FX_F32, 2, 3), FX_SHAPE(FX_F32, 2, 1)), FX_ERROR_SHAPE,
                "fx_mul: shapes [2, 3] and [2, 1] do not broadcast: axis 1 has 3 and 1");
    assert_says(WITH(one(FX_OP_REDUCE_PRECISION, FX_SHAPE(FX_F32)), INT(EXPONENT, 0), INT(MANTISSA, 3)),
                FX_ERROR_ATTRIBUTE,
                "fx_reduce_precision: 0 exponent bits and 3 mantissa bits: they must be in 1..64 and 0..64");
    assert_says(
        WITH(two(FX_OP_COMPARE, FX_SHAPE(FX_F32), FX_SHAPE(FX_F32)), INT(DIRECTION, 6), INT(TOTAL_ORDER, 0)),
        FX_ERROR_ATTRIBUTE, "fx_compare: direction 6, total order 0: no such comparison");
    assert_says(WITH(one(FX_OP_CONVERT, FX_SHAPE(FX_F32)), fxi_attr_dtype((fx_dtype)99)), FX_ERROR_ATTRIBUTE,
                "fx_convert: dtype is not a dtype");
}

static void test_bitcast(void **state) {
    (void)state;
    assert_gives(WITH(one(FX_OP_BITCAST, FX_SHAPE(FX_F32, 2)), fxi_attr_dtype(FX_U32)), "(uint32)[2]");
    assert_gives(WITH(one(FX_OP_BITCAST, FX_SHAPE(FX_F32, 2)), fxi_attr_dtype(FX_U4)), "(uint4)[2, 8]");
    assert_gives(WITH(one(FX_OP_BITCAST, FX_SHAPE(FX_S2, 3, 4)), fxi_attr_dtype(FX_U8)), "(uint8)[3]");
    assert_gives(WITH(one(FX_OP_BITCAST, FX_SHAPE(FX_C64, 2)), fxi_attr_dtype(FX_C64)), "(complex64)[2]");
    assert_gives(WITH(one(FX_OP_BITCAST, FX_SHAPE(FX_C128, 5)), fxi_attr_dtype(FX_C64)), "(complex64)[5, 2]");
}

static void test_moves(void **state) {
    (void)state;
    question q = WITH(one(FX_OP_BROADCAST_IN_DIM, FX_SHAPE(FX_F32, 2, 1)), INTS(AXES, 2, 0));
    q.given = FX_SHAPE(FX_INVALID_DTYPE);
    q.given = (fx_shape){.rank = 3, .dims = {7, 4, 2}};
    assert_gives(q, "(float32)[7, 4, 2]");
    q.given.dims[2] = 3;
    assert_says(
        q, FX_ERROR_SHAPE,
        "fx_broadcast_in_dim: [2, 1] does not broadcast to [7, 4, 3]: axis 0 has 2, axis 2 of the result 3");
    q.given.dims[1] = -1;
    assert_says(q, FX_ERROR_SHAPE, "fx_broadcast_in_dim: the shape has -1 for dimension 1");
    q = one(FX_OP_RESHAPE, FX_SHAPE(FX_S8, 2, 3));
    q.given = FX_SHAPE(FX_F64, 6);
    assert_gives(q, "(int8)[6]");
    q.given = FX_SHAPE(FX_F64, 5);
    assert_says(q, FX_ERROR_SHAPE, "fx_reshape: [2, 3] has 6 elements, [5] has 5");
    assert_gives(WITH(one(FX_OP_TRANSPOSE, FX_SHAPE(FX_S8, 2, 3, 4)), INTS(PERMUTATION, 2, 0, 1)),
                 "(int8)[4, 2, 3]");
    assert_says(WITH(one(FX_OP_TRANSPOSE, FX_SHAPE(FX_S8, 2, 3)), INTS(PERMUTATION, 0, 0)), FX_ERROR_AXIS,
                "fx_transpose: axis 0 is named twice");
    assert_says(WITH(one(FX_OP_TRANSPOSE, FX_SHAPE(FX_S8, 2, 3)), INTS(PERMUTATION, 0)), FX_ERROR_ATTRIBUTE,
                "fx_transpose: 1 permutation for (int8)[2, 3], which has rank 2");
    assert_says(WITH(one(FX_OP_REVERSE, FX_SHAPE(FX_S8, 2, 3)), INTS(AXES, -1)), FX_ERROR_AXIS,
                "fx_reverse: axis -1 is out of range for (int8)[2, 3] (rank 2)");
    assert_gives(WITH(one(FX_OP_SLICE, FX_SHAPE(FX_S8, 10, 3)), INTS(STARTS, 1, 3), INTS(LIMITS, 10, 3),
                      INTS(STRIDES, 4, INT64_MAX)),
                 "(int8)[3, 0]");
}

static void test_concatenate(void **state) {
    (void)state;
    question q = WITH(two(FX_OP_CONCATENATE, FX_SHAPE(FX_F32, 2, 3), FX_SHAPE(FX_F32, 0, 3)), INT(AXIS, 0));
    assert_gives(q, "(float32)[2, 3]");
    q.operands[1] = FX_SHAPE(FX_F32, 2, 4);
    assert_says(q, FX_ERROR_SHAPE,
                "fx_concatenate: operands 0 and 1 have [2, 3] and [2, 4]: they may differ only along axis 0");
    q.operands[1] = FX_SHAPE(FX_F32, 2);
    assert_says(q, FX_ERROR_SHAPE,
                "fx_concatenate: operands 0 and 1 have [2, 3] and [2]: they may differ only along axis 0");
    q.operand_count = 0;
    assert_says(q, FX_ERROR_ARGUMENT, "fx_concatenate: needs at least one operand");
    q = WITH(two(FX_OP_CONCATENATE, FX_SHAPE(FX_S8, INT64_MAX), FX_SHAPE(FX_S8, 1)), INT(AXIS, 0));
    assert_says(q, FX_ERROR_MEMORY, "fx_concatenate: axis 0 does not fit into 63 bits");
}

static void test_reduce(void **state) {
    (void)state;
    const fx_shape x = FX_SHAPE(FX_S8, 2, 3, 4), mask = FX_SHAPE(FX_BOOL, 2);
    assert_gives(WITH(one(FX_OP_REDUCE, x), INT(KIND, FXI_XOR), INTS(AXES, 1)), "(int8)[2, 4]");
    assert_gives(WITH(one(FX_OP_REDUCE, x), INT(KIND, FXI_SUM), NO_INTS(AXES)), "(int8)[2, 3, 4]");
    assert_gives(WITH(one(FX_OP_REDUCE, mask), INT(KIND, FXI_MAX), INTS(AXES, 0)), "(bool)");
    assert_says(
        WITH(one(FX_OP_REDUCE, mask), INT(KIND, FXI_SUM), INTS(AXES, 0)), FX_ERROR_DTYPE,
        "fx_reduce: bool is not accepted; it takes integer, float, complex dtypes (fx_convert converts)");
    assert_gives(WITH(one(FX_OP_ARG_REDUCE, x), INT(KIND, FXI_MAX), INT(AXIS, 1), fxi_attr_dtype(FX_U2)),
                 "(uint2)[2, 4]");
    assert_says(WITH(one(FX_OP_ARG_REDUCE, x), INT(KIND, FXI_MAX), INT(AXIS, 2), fxi_attr_dtype(FX_S2)),
                FX_ERROR_DTYPE,
                "fx_arg_reduce: the indices of axis 2 of (int8)[2, 3, 4] do not fit into int2");
    assert_says(WITH(one(FX_OP_ARG_REDUCE, x), INT(KIND, FXI_SUM), INT(AXIS, 2), fxi_attr_dtype(FX_S32)),
                FX_ERROR_ATTRIBUTE, "fx_arg_reduce: kind sum is neither max nor min");
}

static void test_dot_general(void **state) {
    (void)state;
    const fx_shape x = FX_SHAPE(FX_S8, 5, 2, 3), y = FX_SHAPE(FX_S8, 3, 4, 5);
    const question q = WITH(two(FX_OP_DOT_GENERAL, x, y), INTS(LHS_BATCH, 0), INTS(RHS_BATCH, 2),
                            INTS(LHS_CONTRACT, 2), INTS(RHS_CONTRACT, 0), fxi_attr_dtype(FX_S32));
    assert_gives(q, "(int32)[5, 2, 4]");
    question wrong = q;
    wrong.attrs[4] = fxi_attr_dtype(FX_F32);
    assert_says(wrong, FX_ERROR_DTYPE,
                "fx_dot_general: int8 operands give int8 or a wider dtype of its kind, not float32");
    const fx_shape wide = FX_SHAPE(FX_F32, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    assert_says(
        WITH(two(FX_OP_DOT_GENERAL, wide, wide), NO_INTS(LHS_BATCH), NO_INTS(RHS_BATCH),
             NO_INTS(LHS_CONTRACT), NO_INTS(RHS_CONTRACT), fxi_attr_dtype(FX_F32)),
        FX_ERROR_SHAPE,
        "fx_dot_general: [1, 1, 1, 1, 1, 1, 1, 1, 1] and [1, 1, 1, 1, 1, 1, 1, 1, 1]: the result has more "
        "than 16 axes");
    const fx_shape long_x = FX_SHAPE(FX_S8, INT64_MAX);
    assert_says(WITH(two(FX_OP_DOT_GENERAL, long_x, long_x), NO_INTS(LHS_BATCH), NO_INTS(RHS_BATCH),
                     NO_INTS(LHS_CONTRACT), NO_INTS(RHS_CONTRACT), fxi_attr_dtype(FX_S8)),
                FX_ERROR_MEMORY,
                "fx_dot_general: the result (int8)[9223372036854775807, 9223372036854775807] does not fit "
                "into 63 bits");
}

static void test_leaves(void **state) {
    (void)state;
    question q = WITH(((question){.op = FX_OP_IOTA, .given = FX_SHAPE(FX_C64, 2, 3)}), INT(AXIS, 1));
    assert_gives(q, "(complex64)[2, 3]");
    q.given.dtype = FX_BOOL;
    assert_says(
        q, FX_ERROR_DTYPE,
        "fx_iota: bool is not accepted; it takes integer, float, complex dtypes (fx_convert converts)");
    q = WITH(((question){.op = FX_OP_PARAMETER, .given = FX_SHAPE(FX_F32)}), INT(INDEX, -1));
    assert_says(q, FX_ERROR_ATTRIBUTE, "fx_parameter: index is negative");
    q = WITH(((question){.op = FX_OP_CONSTANT}), {.id = FXI_ATTR_VALUE});
    assert_says(q, FX_ERROR_ATTRIBUTE, "fx_constant: value is NULL");
}

static void test_broadcast(void **state) {
    (void)state;
    fx_shape result = FX_SHAPE(FX_BOOL);
    const fx_shape column = FX_SHAPE(FX_F32, 2, 1), row = FX_SHAPE(FX_F32, 1, 0), scalar = FX_SHAPE(FX_F32);
    assert_true(fxi_shape_broadcast("fx_test", &column, &row, &result, NULL));
    assert_string_equal(fx_shape_to_text(&result).s, "(bool)[2, 0]");
    assert_true(fxi_shape_broadcast("fx_test", &scalar, &row, &result, NULL));
    assert_string_equal(fx_shape_to_text(&result).s, "(bool)[1, 0]");
    assert_true(fxi_shape_broadcast("fx_test", &column, &scalar, &result, NULL));
    assert_string_equal(fx_shape_to_text(&result).s, "(bool)[2, 1]");
    const fx_shape vector = FX_SHAPE(FX_F32, 2);
    fx_error err = {.code = FX_OK};
    assert_false(fxi_shape_broadcast("fx_test", &column, &vector, &result, &err));
    assert_string_equal(err.message,
                        "fx_test: shapes [2, 1] and [2] do not broadcast: their ranks are 2 and 1 "
                        "(fx_insert_axes adds axes)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elementwise), cmocka_unit_test(test_bitcast),
        cmocka_unit_test(test_moves),       cmocka_unit_test(test_concatenate),
        cmocka_unit_test(test_reduce),      cmocka_unit_test(test_dot_general),
        cmocka_unit_test(test_leaves),      cmocka_unit_test(test_broadcast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
