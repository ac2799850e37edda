/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* Interpreter against cpu on 10,000 generated graphs (check_graph.h says how); the counts per operation and
 * dtype are printed, and a zero fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check_graph.h"

static void interpreter_and_cpu_agree(void **state) {
    (void)state;
    static check_counts counts;
    assert_int_equal(check_range(0, 10000, NULL, &counts), 0);
    assert_int_equal(check_counts_report(&counts, true), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(interpreter_and_cpu_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
