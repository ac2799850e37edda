/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines: dropped by default, delivered with level and user pointer, cut to the line buffer. */
#include "faulty.h"

#include <string.h>

typedef struct received {
    int lines;
    fx_log_level level;
    char text[4096];
} received;

static void receive(fx_log_level level, const char *line, void *user)
{
    received *into = user;
    into->lines++;
    into->level = level;
    strncpy(into->text, line, sizeof into->text - 1);
}

static void delivers(void **state)
{
    (void)state;
    received got = {0};
    fxi_log(FX_LOG_ERROR, "%s", "nobody listens");
    fx_set_log(receive, &got);
    assert_int_equal(got.lines, 0);
    fxi_log(FX_LOG_INFO, "%d kernels", 3);
    assert_int_equal(got.lines, 1);
    assert_int_equal(got.level, FX_LOG_INFO);
    assert_string_equal(got.text, "3 kernels");
    fx_set_log(NULL, NULL);
    fxi_log(FX_LOG_INFO, "%d kernels", 4);
    assert_int_equal(got.lines, 1);
}

static void cuts(void **state)
{
    (void)state;
    received got = {0};
    char text[3000];
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    fx_set_log(receive, &got);
    fxi_log(FX_LOG_DEBUG, "%s", text);
    fx_set_log(NULL, NULL);
    size_t length = strlen(got.text);
    assert_in_range(length, 100, sizeof text - 2);
    assert_string_equal(got.text + length - 3, "...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(delivers), cmocka_unit_test(cuts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
