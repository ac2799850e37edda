/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that check themselves (check.expect_* in their text), run on a backend, and programs that must be
 * refused. */
#ifndef SELF_CHECK_H
#define SELF_CHECK_H

#include "exec/both.h"

/* Runs every function without inputs of tests/stablehlo/import/<name>.mlir and compares all of its checks:
 * eq by value (NaN equals NaN, -0 equals 0), close within 3 units of the element type, almost_eq within the
 * tolerance that is written. At least `functions` of them must have run. */
void check_file(void **state, const char *name, size_t functions);

/* The body of a function @main without inputs (its last line returns), and what its refusal says. */
typedef struct refusal {
    const char *body, *part;
    fx_error_code code;
} refusal;
void check_refusals(void **state, const refusal *refusals, size_t n);

#endif
