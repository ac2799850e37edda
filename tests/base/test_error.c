/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: filling, cutting, handing on, names, FX_MUST in a child process; and the version. */
#define _POSIX_C_SOURCE 200809L
#include "faulty.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void fills(void **state)
{
    (void)state;
    fx_error err = {0};
    assert_false(fxi_fail(&err, FX_ERROR_SHAPE, "fx_add: axis %d has %d and %d", 1, 3, 4));
    assert_int_equal(err.code, FX_ERROR_SHAPE);
    assert_string_equal(err.message, "fx_add: axis 1 has 3 and 4");
    assert_null(err.file);
    assert_int_equal(err.line, 0);
    static const char file[] = "model.c";
    assert_false(fxi_fail_at(&err, FX_ERROR_AXIS, file, 42, "%s", "two\nlines\t\x7F"));
    assert_int_equal(err.code, FX_ERROR_AXIS);
    assert_ptr_equal(err.file, file);
    assert_int_equal(err.line, 42);
    assert_string_equal(err.message, "two lines  ");
    assert_false(fxi_fail(NULL, FX_ERROR_SHAPE, "%s", "nobody asks"));
    assert_false(fxi_fail_at(NULL, FX_ERROR_SHAPE, file, 1, "%s", "nobody asks"));
}

static void may_read_what_it_fills(void **state)
{
    (void)state;
    fx_error err = {0};
    fxi_fail(&err, FX_ERROR_DTYPE, "inner");
    fxi_fail(&err, err.code, "outer: %s", err.message);
    assert_string_equal(err.message, "outer: inner");
}

static void cuts_long_messages(void **state)
{
    (void)state;
    enum { ROOM = sizeof(((fx_error *)0)->message) };
    char text[2 * ROOM];
    fx_error err = {0};
    for (size_t length = ROOM - 3; length < ROOM + 3; length++) {
        memset(text, 'x', length);
        text[length] = '\0';
        fxi_fail(&err, FX_ERROR_GRAPH, "%s", text);
        assert_int_equal(strlen(err.message), length < ROOM ? length : ROOM - 1);
        bool cut = strcmp(err.message + strlen(err.message) - 3, "...") == 0;
        assert_int_equal(cut, length >= ROOM);
    }
    for (size_t shift = 0; shift < 4; shift++) { /* the euro sign has three bytes */
        memset(text, 'x', shift);
        for (size_t i = shift; i + 3 < sizeof text; i += 3)
            memcpy(text + i, "\xE2\x82\xAC", 4);
        fxi_fail(&err, FX_ERROR_GRAPH, "%s", text);
        size_t length = strlen(err.message);
        assert_in_range(length, ROOM - 3, ROOM - 1);
        assert_string_equal(err.message + length - 3, "...");
        assert_int_equal((length - 3 - shift) % 3, 0);
    }
}

static void hands_on(void **state)
{
    (void)state;
    static const char file[] = "model.c";
    fx_error from = {0}, to = {0};
    fxi_fail_at(&from, FX_ERROR_ATTRIBUTE, file, 7, "stride 0");
    assert_false(fxi_fail_copy(&to, &from));
    assert_memory_equal(&to, &from, sizeof to);
    assert_false(fxi_fail_copy(&to, &to));
    assert_string_equal(to.message, "stride 0");
    assert_false(fxi_fail_copy(NULL, &from));
    assert_false(fxi_fail_copy(&to, NULL));
    assert_int_equal(to.code, FX_ERROR_INTERNAL);
    assert_false(fxi_fail_memory(&to, "graph"));
    assert_int_equal(to.code, FX_ERROR_MEMORY);
    assert_string_equal(to.message, "graph: out of memory");
}

static void works_without_memory(void **state)
{
    (void)state;
    fx_error err = {0};
    faulty_fail_after(0);
    fxi_fail(&err, FX_ERROR_MEMORY, "%s", "nothing left");
    faulty_fail_after(-1);
    assert_string_equal(err.message, "nothing left");
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(fx_error_name(FX_OK), "ok");
    assert_string_equal(fx_error_name(FX_ERROR_ARGUMENT), "argument");
    assert_string_equal(fx_error_name(FX_ERROR_SHAPE), "shape");
    assert_string_equal(fx_error_name(FX_ERROR_INTERNAL), "internal");
    assert_string_equal(fx_error_name((fx_error_code)(FX_ERROR_FILE + 1)), "unknown");
    assert_string_equal(fx_error_name((fx_error_code)-1), "unknown");
    for (int a = 0; a <= FX_ERROR_FILE; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(fx_error_name((fx_error_code)a), fx_error_name((fx_error_code)b));
    char version[64];
    snprintf(version, sizeof version, "%d.%d.%d", FX_VERSION_MAJOR, FX_VERSION_MINOR, FX_VERSION_PATCH);
    assert_string_equal(fx_version(), version);
}

/* Runs `fail` in a child; what it prints to stderr goes to `text`. True if the child died of SIGABRT. */
static bool aborts(void (*failure)(void), char *text, size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        failure();
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(ends[0], text + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = '\0';
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void fail_with_place(void)
{
    fxi_fail_at(FX_MUST, FX_ERROR_SHAPE, "model.c", 42, "fx_add: no");
}

static void fail_handed_on(void)
{
    fx_error from = {0};
    fxi_fail(&from, FX_ERROR_DTYPE, "fx_dot: bool");
    fxi_fail_copy(FX_MUST, &from);
}

static void must_prints_and_aborts(void **state)
{
    (void)state;
    char text[1024];
    assert_true(aborts(fail_with_place, text, sizeof text));
    assert_non_null(strstr(text, "fluxion: shape error: fx_add: no   at model.c:42\n"));
    assert_true(aborts(fail_handed_on, text, sizeof text));
    assert_non_null(strstr(text, "fluxion: dtype error: fx_dot: bool\n"));
}

int main(void)
{
    faulty_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills),    cmocka_unit_test(may_read_what_it_fills),
        cmocka_unit_test(cuts_long_messages),
        cmocka_unit_test(hands_on), cmocka_unit_test(works_without_memory),   cmocka_unit_test(names),
        cmocka_unit_test(must_prints_and_aborts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
