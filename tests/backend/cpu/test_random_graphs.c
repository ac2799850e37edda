/* SPDX-License-Identifier: Apache-2.0 */
/* Interpreter against cpu on generated graphs (check_graph.h says how), the quick part: the first few
 * hundred. Prints nothing unless a graph fails or an operation with a dtype was not met. FX_RANDOM_FIRST and
 * FX_RANDOM_COUNT choose other graphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check_graph.h"

enum { GRAPHS = 280 }; /* beyond 260 some are of the loose kind */

static uint64_t number_from(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static void interpreter_and_cpu_agree(void **state) {
    (void)state;
    static check_counts counts;
    uint64_t first = number_from("FX_RANDOM_FIRST", 0), count = number_from("FX_RANDOM_COUNT", GRAPHS);
    assert_int_equal(check_range(first, count, NULL, &counts), 0);
    if (count >= GRAPHS) assert_int_equal(check_counts_report(&counts, false), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(interpreter_and_cpu_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
