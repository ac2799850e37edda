/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the pjrt backend share: a row per plugin, checks, functions. */
#ifndef PJRT_TESTS_H
#define PJRT_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/pjrt_plugins.h"
#include <stdlib.h>
#include <string.h>

/* A test for each plugin, whose digit is the test's state; a digit of 2 or 3 is one with debug=copies. */
#define BOTH_PLUGINS(test)                                                                                   \
    {#test " (old)", test, NULL, NULL, "0"}, {                                                               \
#test " (new)", test, NULL, NULL, "1"                                                                \
    }
#define EACH_WAY(test)                                                                                       \
    BOTH_PLUGINS(test), {#test " (old, copies)", test, NULL, NULL, "2"}, {                                   \
#test " (new, copies)", test, NULL, NULL, "3"                                                        \
    }

#define assert_text(tensor, text) assert_string_equal(fx_tensor_text(tensor).s, (text))
/* It failed with this code and said so in a message that holds `part`. */
#define assert_failed(err, expected, part)                                                                   \
    do {                                                                                                     \
        if (!strstr((err).message, (part)))                                                                  \
            fail_msg("\"%s\" does not contain \"%s\"", (err).message, (part));                               \
        assert_int_equal((err).code, (expected));                                                            \
    } while (0)

static inline int plugin_of(void **state) {
    return (*(const char *)*state - '0') % PJRT_PLUGINS;
}
static inline bool copies(void **state) {
    return *(const char *)*state >= '2';
}
static inline fx_backend *open_plugin(void **state) {
    return pjrt_open(plugin_of(state), copies(state) ? "&debug=copies" : "");
}

static inline fx_tensor *vector(size_t n, float first) {
    fx_tensor *t = fx_tensor_new(&FX_SHAPE(FX_F32, (int64_t)n), FX_MUST);
    float *data = fx_tensor_mutable_data(t);
    for (size_t i = 0; i < n; i++) data[i] = first + (float)i;
    return t;
}

#endif
