/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of elementwise operations: which node they make, which broadcasts they insert, what they refuse
 * and in which words, what they give back unchanged. */
#include "support/graph_helpers.h"
#include <fluxion/indexing.h>
#include <fluxion/ops.h>
#include <math.h>

static fx_node *p(fx_graph *g, fx_dtype dtype, int64_t n) {
    return parameter(g, FX_SHAPE(dtype, n));
}

/* ---- every plain builder ---- */

typedef fx_node *(*one_fn)(fx_node *);
typedef fx_node *(*two_fn)(fx_node *, fx_node *);
typedef struct plain {
    const char *name;
    fx_op op;
    int operands;
    one_fn one;
    two_fn two;
} plain;

#define ROW_1(function, id) {#function, id, 1, function, NULL},
#define ROW_2(function, id) {#function, id, 2, NULL, function},
#define FX_OP(...)
#define FX_BUILDER(operands, function, id) ROW_##operands(fx_##function, FX_OP_##id)
static const plain plains[] = {
#include "graph/ops.def"
};
#undef FX_OP

static fx_node *apply(const plain *row, fx_node *x) {
    return row->one ? row->one(x) : row->two(x, x);
}

static void test_plain_builders(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof plains / sizeof plains[0]; i++) {
        const plain *row = &plains[i];
        const fxi_op_info *info = fxi_op_info_of(row->op);
        assert_string_equal(row->name + 3, info->text);
        assert_int_equal(row->operands, info->operands);
        for (int d = 1; d < FX_DTYPE_LIMIT; d++) {
            if (!fx_dtype_is_valid((fx_dtype)d)) continue;
            fx_graph *g = new_graph();
            const fx_node *node = apply(row, p(g, (fx_dtype)d, 3));
            bool accepts = info->dtypes >> d & 1;
            if (row->op == FX_OP_COMPLEX) accepts = d == FX_F32 || d == FX_F64;
            assert_int_equal(node->op, accepts ? row->op : FX_OP_INERT);
            if (accepts)
                assert_int_equal(fx_graph_node_count(g), 2);
            else
                assert_memory_equal(g->error.message, row->name, strlen(row->name));
            fx_graph_free(g);
        }
        assert_null(apply(row, NULL));
    }
}

/* ---- broadcasting ---- */

static void test_broadcasts_are_nodes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32, 2, 3)), *scalar = parameter(g, FX_SHAPE(FX_F32));
    fx_node *sum = fx_add(x, scalar);
    assert_node(sum, "add", "(float32)[2, 3]");
    assert_ptr_equal(sum->operands[0], x);
    assert_node(sum->operands[1], "broadcast_in_dim", "(float32)[2, 3]");
    assert_ptr_equal(sum->operands[1]->operands[0], scalar);
    assert_int_equal(fxi_node_ints(sum->operands[1], FXI_ATTR_AXES).n, 0);
    fx_node *row = parameter(g, FX_SHAPE(FX_F32, 1, 3)), *column = parameter(g, FX_SHAPE(FX_F32, 2, 1));
    fx_node *outer = fx_mul(row, column);
    assert_node(outer, "mul", "(float32)[2, 3]");
    assert_node(outer->operands[0], "broadcast_in_dim", "(float32)[2, 3]");
    assert_int_equal(fxi_node_ints(outer->operands[1], FXI_ATTR_AXES).v[1], 1);
    fx_node *empty = parameter(g, FX_SHAPE(FX_F32, 0, 3));
    assert_node(fx_max(row, empty), "max", "(float32)[0, 3]");
    assert_node(fx_max(scalar, scalar), "max", "(float32)");
    assert_node(fx_clamp(scalar, x, column), "clamp", "(float32)[2, 3]");
    fx_graph_free(g);
}

static void test_shape_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_add: shapes [2, 3] and [2, 4] do not broadcast: axis 1 has 3 and 4",
                   fx_add(parameter(g, FX_SHAPE(FX_F32, 2, 3)), parameter(g, FX_SHAPE(FX_F32, 2, 4))));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_less: shapes [2, 3] and [3] do not broadcast: their ranks are 2 and 1 (fx_insert_axes adds axes)",
        fx_less(parameter(g, FX_SHAPE(FX_F32, 2, 3)), p(g, FX_F32, 3)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_sub: shapes [0] and [2] do not broadcast: axis 0 has 0 and 2",
                   fx_sub(p(g, FX_F32, 0), p(g, FX_F32, 2)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_clip: shapes [4] and [3] do not broadcast: axis 0 has 4 and 3",
                   fx_clip(p(g, FX_F32, 3), p(g, FX_F32, 4), p(g, FX_F32, 1)));
}

/* ---- dtypes ---- */

static void test_dtype_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_add: dtypes float32 and int32 differ; convert one of them with fx_convert",
                   fx_add(p(g, FX_F32, 2), p(g, FX_S32, 2)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_sqrt: int64 is not accepted; it takes float, complex dtypes (fx_convert converts)",
                   fx_sqrt(p(g, FX_S64, 2)));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_neg: bool is not accepted; it takes integer, float, complex dtypes (fx_convert converts)",
        fx_neg(p(g, FX_BOOL, 2)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_logical_and: int8 is not accepted; it takes bool dtypes (fx_convert converts)",
                   fx_logical_and(p(g, FX_S8, 2), p(g, FX_S8, 2)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_bitwise_not: bool is not accepted; it takes integer dtypes (fx_convert converts)",
                   fx_bitwise_not(p(g, FX_BOOL, 2)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_less: complex64 has no order; compare parts (fx_real) or magnitudes (fx_abs)",
                   fx_less(p(g, FX_C64, 2), p(g, FX_C64, 2)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_less_total_order: int8 is not accepted; the total order is one of float dtypes",
                   fx_less_total_order(p(g, FX_S8, 2), p(g, FX_S8, 2)));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_complex: bfloat16 is not accepted; the parts are float32 or float64",
                   fx_complex(p(g, FX_BF16, 2), p(g, FX_BF16, 2)));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_square: bool is not accepted; it takes integer, float, complex dtypes (fx_convert converts)",
        fx_square(p(g, FX_BOOL, 2)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_round: int32 is not accepted; it takes float dtypes (fx_convert converts)",
                   fx_round(p(g, FX_S32, 2)));
}

/* A composite speaks under its own name, whichever inner operation would have objected. */
static void test_names_of_composites(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_mod: complex64 is not accepted; it takes integer, float dtypes (fx_convert converts)",
                   fx_mod(p(g, FX_C64, 2), p(g, FX_C64, 2)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_floor_div: shapes [2] and [3] do not broadcast: axis 0 has 2 and 3",
                   fx_floor_div(p(g, FX_F32, 2), p(g, FX_F32, 3)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_softplus: int32 is not accepted; it takes float dtypes (fx_convert converts)",
                   fx_softplus(p(g, FX_S32, 2)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_log_add_exp: dtypes float32 and float64 differ; convert one of them with fx_convert",
                   fx_log_add_exp(p(g, FX_F32, 2), p(g, FX_F64, 2)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_is_nan: int8 is not accepted; it takes float, complex dtypes (fx_convert converts)",
                   fx_is_nan(p(g, FX_S8, 2)));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_is_positive: complex64 is not accepted; it takes integer, float dtypes (fx_convert converts)",
        fx_is_positive(p(g, FX_C64, 2)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_add: operand 0 is NULL", fx_add(NULL, p(g, FX_F32, 2)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_log_add_exp: operand 1 is NULL",
                   fx_log_add_exp(p(g, FX_F32, 2), NULL));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_bitwise_shift_left: float32 is not accepted; it takes integer dtypes (fx_convert converts)",
        fx_bitwise_shift_left(p(g, FX_S8, 2), p(g, FX_F32, 2)));
}

/* ---- numbers as operands ---- */

#define INF ((double)INFINITY)

/* Every builder that takes a number, in one form. */
typedef fx_node *(*with_double)(fx_node *, double);
typedef fx_node *(*with_int)(fx_node *, int64_t);
static fx_node *clip_low(fx_node *x, double value) { return fx_clip_scalar(x, value, 1); }
static fx_node *clip_high(fx_node *x, double value) { return fx_clip_scalar(x, 0, value); }
static fx_node *fill(fx_node *x, double value) { return fx_fill_scalar(x->graph, &x->shape, value); }
static fx_node *grow_left(fx_node *x, double value) { return fx_grow_left(x, 0, 1, value); }
static fx_node *grow_right(fx_node *x, double value) { return fx_grow_right(x, 0, 0, value); }
static fx_node *shift(fx_node *x, double value) { return fx_shift_with_scalar(x, 0, FX_SHIFT_LEFT, 0, value); }
static fx_node *shift_left(fx_node *x, double value) { return fx_shift_left(x, 1, value); }
static fx_node *shift_right(fx_node *x, double value) { return fx_shift_right(x, 1, value); }

#define BOTH(word) {"fx_" #word "_scalar", fx_##word##_scalar, fx_##word##_scalar_int}
static const struct {
    const char *name;
    with_double of_double;
    with_int of_int;
} number_builders[] = {
    BOTH(add),  BOTH(sub),           BOTH(mul),     BOTH(div),   BOTH(pow),       BOTH(max),
    BOTH(min),  BOTH(mod),           BOTH(equal),   BOTH(not_equal), BOTH(less),  BOTH(less_or_equal),
    BOTH(greater), BOTH(greater_or_equal),
    {"fx_clip_scalar", clip_low, NULL},
    {"fx_clip_scalar", clip_high, NULL},
    {"fx_fill_scalar", fill, NULL},
    {"fx_grow_left", grow_left, NULL},
    {"fx_grow_right", grow_right, NULL},
    {"fx_shift_with_scalar", shift, NULL},
    {"fx_shift_left", shift_left, NULL},
    {"fx_shift_right", shift_right, NULL},
};

static void expect_number(fx_graph *g, const fx_node *node, const char *name, fx_dtype dtype, bool holds,
                          const char *value) {
    char wanted[128];
    (void)snprintf(wanted, sizeof wanted, "%s: %s cannot hold %s:", name, fx_dtype_name(dtype), value);
    if (holds)
        assert_int_equal(g->error.code, FX_OK);
    else {
        assert_string_equal(fx_node_op(node), "inert");
        assert_int_equal(g->error.code, FX_ERROR_ATTRIBUTE);
        assert_memory_equal(g->error.message, wanted, strlen(wanted));
    }
    fx_graph_free(g);
}

static void test_numbers_that_fit(void **state) {
    (void)state;
    static const struct {
        fx_dtype dtype;
        double value;
        const char *text;
        bool holds;
    } rows[] = {
        {FX_S32, 0.5, "0.5", false},
        {FX_S32, -0.0, "-0", true},
        {FX_S32, 2147483647, "2147483647", true},
        {FX_S32, 2147483648, "2147483648", false},
        {FX_S32, -2147483648, "-2147483648", true},
        {FX_S32, -2147483649, "-2147483649", false},
        {FX_S32, NAN, "nan", false},
        {FX_S32, INF, "inf", false},
        {FX_S2, 1, "1", true},
        {FX_S2, 2, "2", false},
        {FX_S2, -2, "-2", true},
        {FX_S4, 8, "8", false},
        {FX_U2, 3, "3", true},
        {FX_U2, 4, "4", false},
        {FX_U4, -1, "-1", false},
        {FX_U8, 255, "255", true},
        {FX_U8, 256, "256", false},
        {FX_U8, -INF, "-inf", false},
        {FX_S64, 0x1p63, "9.22337203685478e+18", false},
        {FX_S64, -0x1p63, "-9.22337203685478e+18", true},
        {FX_U64, 0x1p64, "1.84467440737096e+19", false},
        {FX_U64, 0x1.fffffffffffffp63, "", true},
        {FX_F16, 65519, "65519", true}, /* rounds down to 65504 */
        {FX_F16, 65520, "65520", false},
        {FX_F16, INF, "", true},
        {FX_F16, NAN, "", true},
        {FX_F16, 1e-30, "", true}, /* 0 is the number next to it */
        {FX_BF16, 3.4e38, "3.4e+38", false},
        {FX_F32, -3.5e38, "-3.5e+38", false},
        {FX_F32, 0.1, "", true},
        {FX_F64, 1.7e308, "", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t k = 0; k < sizeof number_builders / sizeof number_builders[0]; k++) {
            fx_graph *g = new_graph();
            const fx_node *node = number_builders[k].of_double(p(g, rows[i].dtype, 3), rows[i].value);
            expect_number(g, node, number_builders[k].name, rows[i].dtype, rows[i].holds, rows[i].text);
        }
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_max_scalar: bool cannot hold 2: only 0 and 1",
                   fx_max_scalar(p(g, FX_BOOL, 2), 2));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_mul_scalar: complex64 cannot hold 1e+39: its largest number is smaller",
                   fx_mul_scalar(p(g, FX_C64, 2), 1e39));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_fill_scalar: float8_e4m3fn cannot hold inf: its largest number is smaller",
                   fill(p(g, FX_F8E4M3FN, 2), INF));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_mul_scalar: int32 cannot hold 0.5: whole numbers in its range only",
                   fx_mul_scalar(p(g, FX_S32, 2), 0.5));
}

static void test_integers_that_fit(void **state) {
    (void)state;
    static const struct {
        fx_dtype dtype;
        int64_t value;
        bool holds;
    } rows[] = {
        {FX_S8, 127, true},         {FX_S8, 128, false},       {FX_S8, -128, true},     {FX_S8, -129, false},
        {FX_U8, -1, false},         {FX_U8, 255, true},        {FX_U8, 256, false},     {FX_U64, INT64_MAX, true},
        {FX_U64, -1, false},        {FX_S64, INT64_MIN, true}, {FX_U4, 15, true},       {FX_U4, 16, false},
        {FX_S2, -2, true},          {FX_S2, 2, false},         {FX_S32, INT32_MIN, true},
        {FX_S32, (int64_t)INT32_MAX + 1, false},               {FX_F16, 65519, true},   {FX_F16, 65520, false},
        {FX_F32, INT64_MAX, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t k = 0; k < sizeof number_builders / sizeof number_builders[0]; k++) {
            if (!number_builders[k].of_int) continue;
            fx_graph *g = new_graph();
            const fx_node *node = number_builders[k].of_int(p(g, rows[i].dtype, 3), rows[i].value);
            char name[64], value[32];
            (void)snprintf(name, sizeof name, "%s_int", number_builders[k].name);
            (void)snprintf(value, sizeof value, "%lld", (long long)rows[i].value);
            expect_number(g, node, name, rows[i].dtype, rows[i].holds, value);
        }
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_equal_scalar_int: bool cannot hold -1: only 0 and 1",
                   fx_equal_scalar_int(p(g, FX_BOOL, 2), -1));
}

/* The message and the call's place travel together. */
static void test_error_with_place(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = p(g, FX_F32, 2), *y = p(g, FX_F32, 3);
    fx_node *bad = fx_at(fx_mul(fx_at(fx_add(x, y), "model.c", 42), x), "model.c", 43);
    fx_error err = {.code = FX_OK};
    assert_false(fx_graph_finish(g, FX_NODES(bad), &err));
    assert_string_equal(err.message, "fx_add: shapes [2] and [3] do not broadcast: axis 0 has 2 and 3");
    assert_string_equal(err.file, "model.c");
    assert_int_equal(err.line, 42);
    fx_graph_free(g);
}

/* ---- results that are the operand ---- */

#define FX_OP(...)
#define FX_ROUNDER(function, id) {"fx_" #function, FX_OP_##id, 1, fx_##function, NULL},
static const plain rounders[] = {
#include "graph/ops.def"
};
#undef FX_OP

static void test_rounders(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rounders / sizeof rounders[0]; i++) {
        fx_graph *g = new_graph();
        fx_node *integer = p(g, FX_S4, 2), *half = p(g, FX_F16, 2);
        assert_ptr_equal(rounders[i].one(integer), integer);
        assert_int_equal(rounders[i].one(half)->op, rounders[i].op);
        assert_int_equal(rounders[i].one(p(g, FX_BOOL, 2))->op, FX_OP_INERT);
        assert_memory_equal(g->error.message, rounders[i].name, strlen(rounders[i].name));
        assert_null(rounders[i].one(NULL));
        fx_graph_free(g);
    }
}

static void test_unchanged(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *i = p(g, FX_S32, 2), *f = p(g, FX_F32, 2), *c = p(g, FX_C64, 2);
    size_t before = fx_graph_node_count(g);
    assert_ptr_equal(fx_real(f), f);
    assert_ptr_equal(fx_conj(f), f);
    assert_ptr_equal(fx_identity(f), f);
    assert_ptr_equal(fx_convert(f, FX_F32), f);
    assert_ptr_equal(fx_bitcast(f, FX_F32), f);
    assert_ptr_equal(fx_nan_to_num(i, 1, 2, 3), i);
    assert_int_equal(fx_graph_node_count(g), before);
    assert_node(fx_real(c), "real", "(float32)[2]");
    assert_node(fx_conj(c), "conj", "(complex64)[2]");
    fx_graph_free(g);
}

/* ---- where ---- */

static void test_where(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32, 2, 3)), *scalar = parameter(g, FX_SHAPE(FX_F32));
    fx_node *rows = p(g, FX_BOOL, 2), *flag = parameter(g, FX_SHAPE(FX_BOOL));
    const fx_node *by_rows = fx_where(rows, x, scalar);
    assert_node(by_rows, "select", "(float32)[2, 3]");
    assert_node(by_rows->operands[0], "broadcast_in_dim", "(bool)[2, 3]");
    assert_int_equal(fxi_node_ints(by_rows->operands[0], FXI_ATTR_AXES).v[0], 0);
    assert_node(fx_where(flag, scalar, x), "select", "(float32)[2, 3]");
    assert_node(fx_where(rows, scalar, scalar), "select", "(float32)[2]");
    assert_node(fx_where(flag, scalar, scalar), "select", "(float32)");
    assert_no_error(g);
    fx_graph_free(g);
}

static void test_where_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_where: the branches have shapes [2] and [1]; they must be equal or a scalar",
                   fx_where(p(g, FX_BOOL, 2), p(g, FX_F32, 2), p(g, FX_F32, 1)));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_where: the condition has shape [3]; it must be a scalar, or have the first dimensions of [2, 3]",
        fx_where(p(g, FX_BOOL, 3), parameter(g, FX_SHAPE(FX_F32, 2, 3)),
                 parameter(g, FX_SHAPE(FX_F32, 2, 3))));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_where: dtypes float32 and int32 differ; convert one of them with fx_convert",
                   fx_where(p(g, FX_BOOL, 2), p(g, FX_F32, 2), p(g, FX_S32, 2)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_where: int32 is not accepted; it takes bool dtypes (fx_convert converts)",
                   fx_where(p(g, FX_S32, 2), p(g, FX_F32, 2), p(g, FX_F32, 2)));
}

/* ---- conversion ---- */

static void test_conversion_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_convert: there is no dtype 99",
                   fx_convert(p(g, FX_F32, 2), (fx_dtype)99));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_bitcast: bool and uint8 share no representation",
                   fx_bitcast(p(g, FX_BOOL, 2), FX_U8));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_bitcast: complex64 and float64 share no representation",
                   fx_bitcast(p(g, FX_C64, 2), FX_F64));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_bitcast: (uint8)[3] to uint16: the last axis must have 2 elements",
                   fx_bitcast(p(g, FX_U8, 3), FX_U16));
    ASSERT_REFUSED(
        FX_ERROR_ATTRIBUTE,
        "fx_reduce_precision: 5 exponent bits and -1 mantissa bits: they must be in 1..64 and 0..64",
        fx_reduce_precision(p(g, FX_F32, 2), 5, -1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_builders),      cmocka_unit_test(test_broadcasts_are_nodes),
        cmocka_unit_test(test_shape_errors),        cmocka_unit_test(test_dtype_errors),
        cmocka_unit_test(test_names_of_composites), cmocka_unit_test(test_numbers_that_fit),
        cmocka_unit_test(test_integers_that_fit),
        cmocka_unit_test(test_error_with_place),
        cmocka_unit_test(test_unchanged),           cmocka_unit_test(test_where),
        cmocka_unit_test(test_where_errors),        cmocka_unit_test(test_conversion_errors),
        cmocka_unit_test(test_rounders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
