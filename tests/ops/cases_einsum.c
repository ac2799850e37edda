/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of einsum and of products with axes. */
#include "ops/cases.h"

/* A case's words cannot hold spaces: '_' stands for one. */
void case_einsum(const case_args *a) {
    char equation[100];
    snprintf(equation, sizeof equation, "%s", golden_word(a->c, "eq", ""));
    for (char *c = equation; *c; c++)
        if (*c == '_') *c = ' ';
    a->out[0] = fx_einsum(equation, (fx_nodes){a->in, a->n_in});
}

static fx_axis_pairs pairs_of(const golden_list *list, fx_axis_pair *room) {
    for (size_t i = 0; i < list->n / 2; i++)
        room[i] = (fx_axis_pair){list->axes[2 * i], list->axes[2 * i + 1]};
    return (fx_axis_pairs){room, list->n / 2};
}

void case_einsum_axes(const case_args *a) {
    fx_axis_pair contract[FX_MAX_RANK], batch[FX_MAX_RANK];
    const golden_list c = golden_ints(a->c, "contract"), b = golden_ints(a->c, "batch");
    a->out[0] = fx_einsum_axes(a->in[0], a->in[1], pairs_of(&c, contract), pairs_of(&b, batch));
}

void case_tensordot(const case_args *a) {
    const golden_list x = golden_ints(a->c, "x"), y = golden_ints(a->c, "y");
    a->out[0] = fx_tensordot(a->in[0], a->in[1], GOLDEN_AXES(x), GOLDEN_AXES(y));
}

void case_tensordot_count(const case_args *a) {
    a->out[0] = fx_tensordot_count(a->in[0], a->in[1], (int)golden_int(a->c, "count", 0));
}
