/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of named tensors: order, replacing, removing, ownership, snapshots, metadata, names, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tensor/tensor.h"
#include <stdio.h>

static fx_tensor *number(double value) {
    return fx_tensor_scalar(FX_F64, value, FX_MUST);
}

static fx_params *three(void) {
    fx_params *p = fx_params_new(FX_MUST);
    assert_true(fx_params_set(p, "b", number(1), FX_MUST));
    assert_true(fx_params_set(p, "a/x", number(2), FX_MUST));
    assert_true(fx_params_set(p, "a/y", number(3), FX_MUST));
    return p;
}

static void keeps_the_order(void **state) {
    (void)state;
    fx_params *p = three();
    assert_int_equal(fx_params_count(p), 3);
    assert_string_equal(fx_params_name(p, 0), "b");
    assert_string_equal(fx_params_name(p, 2), "a/y");
    assert_null(fx_params_name(p, 3));
    assert_int_equal(fx_params_find(p, "a/x"), 1);
    assert_int_equal(fx_params_find(p, "a"), -1);
    assert_true(fx_tensor_get(fx_params_tensor(p, 1), 0) == 2);
    assert_null(fx_params_tensor(p, 3));
    assert_true(fx_params_set(p, "b", number(7), FX_MUST)); /* stays where it was */
    assert_int_equal(fx_params_find(p, "b"), 0);
    assert_true(fx_tensor_get(fx_params_get(p, "b", FX_MUST), 0) == 7);
    assert_true(fx_params_remove(p, "b"));
    assert_false(fx_params_remove(p, "b"));
    assert_int_equal(fx_params_find(p, "a/y"), 1);
    assert_true(fx_params_set(p, "b", number(8), FX_MUST)); /* comes back as the last */
    assert_int_equal(fx_params_find(p, "b"), 2);
    fx_params_free(p);
}

/* Against a plain list, over many changes. */
static void like_a_list(void **state) {
    (void)state;
    enum { NAMES = 60, ROUNDS = 3000 };
    int order[NAMES], count = 0;
    double values[NAMES];
    fx_params *p = fx_params_new(FX_MUST);
    uint64_t random = 1;
    for (int round = 0; round < ROUNDS; round++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int name = (int)(random >> 33) % NAMES, at = 0;
        while (at < count && order[at] != name) at++;
        if (random >> 32 & 1) {
            if (at == count) order[count++] = name;
            values[name] = round;
            assert_true(fx_params_set(p, fx_name("p%d", name).s, number(round), FX_MUST));
        } else {
            assert_int_equal(fx_params_remove(p, fx_name("p%d", name).s), at < count);
            if (at == count) continue;
            memmove(&order[at], &order[at + 1], (size_t)(--count - at) * sizeof *order);
        }
        assert_int_equal(fx_params_count(p), count);
        for (int i = 0; i < count; i++) {
            const char *text = fx_name("p%d", order[i]).s;
            assert_string_equal(fx_params_name(p, (size_t)i), text);
            assert_int_equal(fx_params_find(p, text), i);
            assert_true(fx_tensor_get(fx_params_tensor(p, (size_t)i), 0) == values[order[i]]);
        }
    }
    fx_params_free(p);
}

static void owns_its_tensors(void **state) {
    (void)state;
    fx_params *p = three();
    fx_tensor *mine = fx_tensor_ref(fx_params_get(p, "b", FX_MUST));
    assert_int_equal(atomic_load(&mine->references), 2);
    fx_params *copy = fx_params_copy(p, NULL, FX_MUST);
    assert_int_equal(atomic_load(&mine->references), 3);
    assert_true(fx_params_set(p, "b", fx_tensor_ref(mine), FX_MUST)); /* itself again */
    assert_int_equal(atomic_load(&mine->references), 3);
    fx_params_free(p);
    assert_ptr_equal(fx_params_get(copy, "b", FX_MUST), mine);
    fx_params_free(copy);
    assert_int_equal(atomic_load(&mine->references), 1);
    fx_error err = {0};
    assert_false(fx_params_set(NULL, "b", fx_tensor_ref(mine), &err)); /* taken over on failure too */
    assert_int_equal(atomic_load(&mine->references), 1);
    fx_tensor_free(mine);
}

static void copies_a_group(void **state) {
    (void)state;
    fx_params *p = three();
    assert_true(fx_params_set_metadata(p, "step", "3", FX_MUST));
    fx_params *copy = fx_params_copy(p, "a/", FX_MUST);
    assert_int_equal(fx_params_count(copy), 2);
    assert_string_equal(fx_params_name(copy, 0), "a/x");
    assert_string_equal(fx_params_metadata(copy, "step"), "3");
    assert_true(fx_params_set(copy, "a/x", number(9), FX_MUST));
    assert_true(fx_tensor_get(fx_params_get(p, "a/x", FX_MUST), 0) == 2);
    fx_params_free(copy);
    fx_params_free(p);
}

static void metadata(void **state) {
    (void)state;
    fx_params *p = fx_params_new(FX_MUST);
    assert_null(fx_params_metadata(p, "a"));
    assert_true(fx_params_set_metadata(p, "a", "1", FX_MUST));
    assert_true(fx_params_set_metadata(p, "", "empty", FX_MUST));
    assert_true(fx_params_set_metadata(p, "a", "", FX_MUST));
    assert_string_equal(fx_params_metadata(p, "a"), "");
    assert_string_equal(fx_params_metadata_key(p, 1), "");
    assert_null(fx_params_metadata_key(p, 2));
    assert_true(fx_params_set_metadata(p, "a", NULL, FX_MUST));
    assert_true(fx_params_set_metadata(p, "a", NULL, FX_MUST));
    assert_null(fx_params_metadata(p, "a"));
    assert_string_equal(fx_params_metadata_key(p, 0), "");
    assert_int_equal(fx_params_count(p), 0);
    fx_error err = {0};
    assert_false(fx_params_set_metadata(p, "\xff", "1", &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_false(fx_params_set_metadata(p, "k", "\xed\xa0\x80", &err));
    assert_null(fx_params_metadata(p, "k"));
    fx_params_free(p);
}

static void names(void **state) {
    (void)state;
    assert_string_equal(fx_name("layer%d/%s", 3, "w").s, "layer3/w");
    assert_int_equal(strlen(fx_name("%255s", "x").s), 255);
    assert_string_equal(fx_name("%256s", "x").s, ""); /* never a part of a name */
    assert_string_equal(fx_name(NULL).s, "");
    static const struct {
        const char *bytes;
        bool valid;
    } cases[] = {{"a", true},
                 {"\xc3\xa9", true},
                 {"\xe2\x82\xac", true},
                 {"\xf0\x9f\x98\x80", true},
                 {"\xf4\x8f\xbf\xbf", true},
                 {"\xed\x9f\xbf", true},
                 {"\xee\x80\x80", true},
                 {"\x80", false},
                 {"\xc0\x80", false},
                 {"\xc1\xbf", false},
                 {"\xe0\x9f\xbf", false},
                 {"\xed\xa0\x80", false},
                 {"\xf0\x8f\xbf\xbf", false},
                 {"\xf4\x90\x80\x80", false},
                 {"\xf5\x80\x80\x80", false},
                 {"\xe2\x82", false},
                 {"\xe2\x82(", false},
                 {"\xc3", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(fxi_utf8_is_valid(cases[i].bytes, strlen(cases[i].bytes)), cases[i].valid);
}

static void refused(void **state) {
    (void)state;
    fx_params *p = three();
    fx_error err = {0};
    char longer[5000];
    memset(longer, 'x', sizeof longer);
    longer[4096] = 0;
    static const char *const bad[] = {NULL, "", "\xff"};
    for (int i = 0; i < 4; i++) {
        err.code = FX_OK;
        assert_false(fx_params_set(p, i < 3 ? bad[i] : longer, number(1), &err));
        assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    }
    longer[4095] = 0;
    assert_true(fx_params_set(p, longer, number(1), FX_MUST));
    assert_true(fx_params_remove(p, longer));
    assert_false(fx_params_set(p, "b", NULL, &err));
    assert_null(fx_params_get(p, "c", &err));
    assert_non_null(strstr(err.message, "\"c\""));
    assert_null(fx_params_get(p, NULL, &err));
    assert_null(fx_params_get(NULL, "b", &err));
    assert_null(fx_params_copy(NULL, NULL, &err));
    assert_int_equal(fx_params_count(p), 3);
    assert_int_equal(fx_params_count(NULL), 0);
    assert_int_equal(fx_params_find(NULL, "a"), -1);
    assert_null(fx_params_name(NULL, 0));
    assert_null(fx_params_tensor(NULL, 0));
    assert_false(fx_params_remove(NULL, "b"));
    assert_false(fx_params_set_metadata(NULL, "k", "v", &err));
    assert_false(fx_params_set_metadata(p, NULL, "v", &err));
    assert_null(fx_params_metadata(NULL, "k"));
    assert_null(fx_params_metadata_key(NULL, 0));
    fx_params_free(NULL);
    fx_params_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_order), cmocka_unit_test(like_a_list), cmocka_unit_test(owns_its_tensors),
        cmocka_unit_test(copies_a_group),  cmocka_unit_test(metadata),    cmocka_unit_test(names),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
