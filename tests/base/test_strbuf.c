/* SPDX-License-Identifier: Apache-2.0 */
/* Text building: growing and fixed, at every buffer size around the end, and without memory. */
#include "faulty.h"

#include <stdio.h>
#include <string.h>

static void grows(void **state)
{
    (void)state;
    fxi_text text = {0};
    char expected[20000] = "";
    size_t length = 0;
    for (int i = 0; i < 2000; i++) {
        fxi_text_add(&text, "%d,%s", i, i % 3 == 0 ? "x" : "");
        length += (size_t)snprintf(expected + length, sizeof expected - length, "%d,%s", i,
                                   i % 3 == 0 ? "x" : "");
        assert_int_equal(text.length, length);
    }
    assert_false(text.failed);
    assert_string_equal(text.data, expected);
    fxi_text_add_bytes(&text, "ab\0c", 4);
    assert_int_equal(text.length, length + 4);
    assert_memory_equal(text.data + length, "ab\0c", 5);
    fxi_text_free(&text);
    assert_null(text.data);
    assert_int_equal(faulty_blocks(), 0);
}

static void terminates_when_nothing_is_added(void **state)
{
    (void)state;
    fxi_text text = {0};
    fxi_text_add(&text, "%s", "");
    assert_non_null(text.data);
    assert_string_equal(text.data, "");
    fxi_text_free(&text);
    fxi_text_add_bytes(&text, NULL, 0);
    assert_string_equal(text.data, "");
    fxi_text_free(&text);
    fxi_text_free(NULL);
    fxi_text_add(NULL, "%d", 1);
    fxi_text_add_bytes(NULL, "x", 1);
}

static void counts_what_does_not_fit(void **state)
{
    (void)state;
    static const char whole[] = "f32[2, 3] tail";
    for (size_t size = 0; size <= 20; size++) {
        char buffer[24];
        memset(buffer, '#', sizeof buffer);
        fxi_text text = fxi_text_fixed(buffer, size);
        fxi_text_add(&text, "f32[%d", 2);
        fxi_text_add_bytes(&text, ", 3]", 4);
        fxi_text_add(&text, " %s", "tail");
        assert_int_equal(text.length, strlen(whole));
        assert_false(text.failed);
        size_t kept = size == 0 ? 0 : size - 1 < strlen(whole) ? size - 1 : strlen(whole);
        assert_memory_equal(buffer, whole, kept);
        if (size > 0)
            assert_int_equal(buffer[kept], '\0');
        for (size_t i = size; i < sizeof buffer; i++)
            assert_int_equal(buffer[i], '#');
        fxi_text_free(&text);
    }
    fxi_text none = fxi_text_fixed(NULL, 10);
    fxi_text_add(&none, "%s", "abc");
    fxi_text_add_bytes(&none, "abc", 3);
    assert_int_equal(none.length, 6);
}

static void stays_terminated_without_memory(void **state)
{
    (void)state;
    fxi_text text = {0};
    faulty_fail_after(0);
    fxi_text_add(&text, "%d", 1);
    assert_true(text.failed);
    assert_null(text.data);
    faulty_fail_after(-1);
    fxi_text_free(&text);

    fxi_text_add(&text, "%s", "start");
    faulty_fail_after(0);
    fxi_text_add(&text, "%0100d", 1);
    fxi_text_add(&text, "%s", "!");
    fxi_text_add_bytes(&text, "!", 1);
    faulty_fail_after(-1);
    assert_true(text.failed);
    assert_string_equal(text.data, "start");
    assert_int_equal(text.length, 5);
    fxi_text_free(&text);
    fxi_text_add_bytes(&text, "x", SIZE_MAX);
    assert_true(text.failed);
    fxi_text_free(&text);
    assert_int_equal(faulty_blocks(), 0);
}

int main(void)
{
    faulty_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows),
        cmocka_unit_test(terminates_when_nothing_is_added),
        cmocka_unit_test(counts_what_does_not_fit),
        cmocka_unit_test(stays_terminated_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
