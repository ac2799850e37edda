/* SPDX-License-Identifier: Apache-2.0 */
/* The two tables as data: every row complete, ranges as the enum promises, attributes in order. */
#include "support/graph_helpers.h"

static void test_rows(void **state) {
    (void)state;
    for (int op = 1; op < FX_OP_COUNT; op++) {
        const fxi_op_info *info = fxi_op_info_of((fx_op)op);
        assert_true(info->text && info->text[0] && info->hlo && info->meaning && info->meaning[0]);
        assert_true(info->dtypes != 0);
        assert_true(info->operands == FXI_MANY || (info->operands >= 0 && info->operands <= FXI_MAP_OPERANDS));
        assert_true(info->operands == FXI_MANY || info->same <= info->operands);
        assert_int_equal(info->op_class == FXI_CLASS_MAP, fxi_op_is_map((fx_op)op));
        assert_int_equal(info->op_class == FXI_CLASS_MAP, info->work != FXI_WORK_NONE);
        assert_int_equal(info->op_class == FXI_CLASS_LEAF, info->operands == 0);
        for (int other = op + 1; other < FX_OP_COUNT; other++)
            assert_string_not_equal(info->text, fxi_op_info_of((fx_op)other)->text);
    }
    assert_string_equal(fxi_op_info_of(FX_OP_ADD)->text, "add");
    assert_string_equal(fxi_op_info_of((fx_op)-1)->text, "inert");
    assert_string_equal(fxi_op_info_of(FX_OP_COUNT)->text, "inert");
}

/* MAP rows are ordered by their number of operands. */
static void test_map_order(void **state) {
    (void)state;
    for (int op = FX_OP_ABS; op < FX_OP_PHILOX; op++)
        assert_true(fxi_op_info_of((fx_op)op)->operands <= fxi_op_info_of((fx_op)(op + 1))->operands);
    assert_false(fxi_op_is_map(FX_OP_IOTA));
    assert_false(fxi_op_is_map(FX_OP_BITCAST));
}

static void test_dtypes(void **state) {
    (void)state;
    uint32_t sqrt_takes = fxi_op_info_of(FX_OP_SQRT)->dtypes;
    assert_true(sqrt_takes >> FX_BF16 & 1);
    assert_true(sqrt_takes >> FX_C128 & 1);
    assert_false(sqrt_takes >> FX_S32 & 1);
    assert_false(sqrt_takes >> FX_F8E5M2 & 1);
    uint32_t any = fxi_op_info_of(FX_OP_RESHAPE)->dtypes;
    for (int d = 0; d < FX_DTYPE_LIMIT; d++) assert_int_equal(any >> d & 1, fx_dtype_is_valid((fx_dtype)d));
}

static void test_attributes(void **state) {
    (void)state;
    size_t count;
    const fxi_attr_id *ids = fxi_op_attrs(FX_OP_SLICE, &count);
    assert_int_equal(count, 3);
    assert_int_equal(ids[0], FXI_ATTR_STARTS);
    assert_int_equal(ids[2], FXI_ATTR_STRIDES);
    assert_non_null(fxi_op_attrs(FX_OP_ADD, &count));
    assert_int_equal(count, 0);
    assert_string_equal(fxi_attr_text(FXI_ATTR_LHS_BATCH), "lhs_batch");
    assert_string_equal(fxi_attr_text(FXI_ATTR_COUNT), "unknown");
    assert_int_equal(fxi_attr_kind_of(FXI_ATTR_VALUE), FXI_KIND_OF_TENSOR);
    assert_int_equal(fxi_attr_kind_of(FXI_ATTR_KIND), FXI_KIND_OF_WORD);
    assert_string_equal(fxi_reduce_kind_name(FXI_PRODUCT), "product");
    assert_string_equal(fxi_reduce_kind_name(FXI_REDUCE_KINDS), "unknown");
    assert_string_equal(fxi_direction_name(FXI_GE), "ge");
    assert_string_equal(fxi_direction_name((fxi_direction)-1), "unknown");
}

/* Rows of one operation stand together, else lookup would miss some. */
static void test_attribute_rows_are_contiguous(void **state) {
    (void)state;
    static const fx_op owners[] = {
#define FX_ATTR(id, text, kind)
#define FX_OP_ATTR(op, attr) FX_OP_##op,
#include "graph/attrs.def"
#undef FX_ATTR
#undef FX_OP_ATTR
    };
    size_t rows = sizeof owners / sizeof owners[0], found = 0;
    for (int op = 1; op < FX_OP_COUNT; op++) {
        size_t count;
        fxi_op_attrs((fx_op)op, &count);
        found += count;
    }
    assert_int_equal(found, rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_map_order),
        cmocka_unit_test(test_dtypes),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_attribute_rows_are_contiguous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
