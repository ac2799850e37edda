/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that check themselves: what is and what should be are kept in a list of the import, in the order
 * of the text, for whoever runs the program to compare. As operations (check.expect_eq), also with the
 * expected value as an attribute (check.expect_eq_const), and as custom calls.
 *
 * Inside a loop or a branch a check has no one value, so there it is unsupported. */
#include "stablehlo/import.h"

/* What the language says when the text does not. */
static const double TOLERANCE = 1e-3;
enum { ULPS = 3 };

/* Which of the names in the table below an operation or the target of a custom call has. */
static bool find_kind(const fxi_hlo_op *op, fx_check_kind *kind);

bool fxi_hlo_is_check(const fxi_hlo_op *op) {
    fx_check_kind kind;
    return find_kind(op, &kind);
}

bool fxi_hlo_read_check(fxi_hlo_import *im, const fxi_hlo_op *op, fx_check *check) {
    *check = (fx_check){.line = (int)op->place.line};
    if (!find_kind(op, &check->kind)) return fxi_hlo_wrong(im, op->place, "no check");
    if (check->kind == FX_CHECK_ALMOST_EQ)
        return fxi_hlo_attr_float_or(im, op, "tolerance", TOLERANCE, &check->tolerance);
    if (check->kind == FX_CHECK_EQ) return true;
    return fxi_hlo_attr_int_or(im, op, "min_ulp_difference", 0, &check->min_ulp) &&
           fxi_hlo_attr_int_or(im, op, "max_ulp_difference", ULPS, &check->max_ulp);
}

static bool add_check(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *actual, fx_node *expected) {
    fxi_hlo_check check = {.actual = actual, .expected = expected};
    if (im->regions > 0) return fxi_hlo_unsupported(im, op->place, "a check inside a region");
    if (!fx_shape_equal(&actual->shape, &expected->shape))
        return fxi_hlo_wrong(im, op->place, "the check compares %s with %s",
                             fx_shape_to_text(&actual->shape).s, fx_shape_to_text(&expected->shape).s);
    FX_TRY(fxi_hlo_read_check(im, op, &check.about));
    return FXI_PUSH(&im->checks, check) || fxi_hlo_no_memory(im);
}

static bool rule_pair(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)out;
    return add_check(im, op, in[0], in[1]);
}

static bool rule_const(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)out;
    const fxi_hlo_attr *value = fxi_hlo_attr_of(im, op, "value", FXI_HLO_ATTR_DENSE);
    if (!value) return false;
    fx_tensor *tensor = fxi_hlo_dense(im->module, value, im->err);
    if (!tensor) return false;
    fx_node *expected = fx_constant(im->graph, tensor);
    fx_tensor_free(tensor);
    return add_check(im, op, in[0], expected);
}

static const fxi_hlo_row rows[] = {
    {"check.expect_almost_eq", 2, 0, 0, rule_pair},
    {"check.expect_almost_eq_const", 1, 0, 0, rule_const},
    {"check.expect_close", 2, 0, 0, rule_pair},
    {"check.expect_close_const", 1, 0, 0, rule_const},
    {"check.expect_eq", 2, 0, 0, rule_pair},
    {"check.expect_eq_const", 1, 0, 0, rule_const},
};
static const fx_check_kind kinds[] = {FX_CHECK_ALMOST_EQ, FX_CHECK_ALMOST_EQ, FX_CHECK_CLOSE,
                                      FX_CHECK_CLOSE,     FX_CHECK_EQ,        FX_CHECK_EQ};
const fxi_hlo_table fxi_hlo_checks = FXI_HLO_TABLE(rows);

static bool find_kind(const fxi_hlo_op *op, fx_check_kind *kind) {
    const fxi_hlo_attr *target = fxi_hlo_find(&op->attrs, "call_target_name");
    fxi_hlo_span name = target ? target->text : op->name;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fxi_hlo_span_is(name, rows[i].name)) {
            *kind = kinds[i];
            return true;
        }
    return false;
}
