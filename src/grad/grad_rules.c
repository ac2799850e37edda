/* SPDX-License-Identifier: Apache-2.0 */
/* The table of rules, from the column `gradient` of ops.def. A word without a rule does not compile; the
 * rules themselves lie in partials_*.c and rule_<family>.c. */
#include "grad_internal.h"

#define FX_OP(id, text, operands, class, work, dtypes, same, shape, gradient, hlo, meaning)                  \
    extern const fxi_grad_rule fxi_gradrule_##gradient;
#include "graph/ops.def"
#undef FX_OP

static const fxi_grad_rule *const rules[FX_OP_COUNT] = {
#define FX_OP(id, text, operands, class, work, dtypes, same, shape, gradient, hlo, meaning)                  \
    [FX_OP_##id] = &fxi_gradrule_##gradient,
#include "graph/ops.def"
#undef FX_OP
};

/* Piecewise constant functions and those of integers or bool. */
const fxi_grad_rule fxi_gradrule_zero = {.zero = true};
/* Leaves: no operand, nothing to do. */
const fxi_grad_rule fxi_gradrule_none = {.zero = true};
const fxi_grad_rule fxi_gradrule_refuse_bits = {.refusal =
                                                    "the bits of a value are not a smooth function of it"};
/* RESULT nodes share the places of their operand's results; the walk handles them. */
const fxi_grad_rule fxi_gradrule_result = {.zero = false};

const fxi_grad_rule *fxi_grad_rule_of(fx_op op) {
    static const fxi_grad_rule unknown = {.refusal = "it is no operation"};
    return op > FX_OP_INERT && op < FX_OP_COUNT ? rules[op] : &unknown;
}
