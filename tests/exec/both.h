/* SPDX-License-Identifier: Apache-2.0 */
/* For tests that run on every backend: BOTH(test) makes a row per backend, whose name is the test's state.
 * Also the checks that all tests of exec make. Includes what cmocka wants before it. */
#ifndef BOTH_H
#define BOTH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fluxion.h>
#include <string.h>

#if FLUXION_CPU
#define BOTH(test) {#test " (interp)", test, NULL, NULL, "interp"}, {#test " (cpu)", test, NULL, NULL, "cpu"}
#else
#define BOTH(test) {#test " (interp)", test, NULL, NULL, "interp"}
#endif

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The backend a test was asked to use; `name` is its state. */
static inline fx_backend *open_named(void **state) {
    return fx_backend_open(*state, FX_MUST);
}

#define assert_text(tensor, text) assert_string_equal(fx_tensor_text(tensor).s, (text))

/* The call failed with this code and said so in a message that holds `part`. */
#define assert_failed(err, expected, part)                                                                   \
    do {                                                                                                     \
        assert_int_equal((err).code, (expected));                                                            \
        if (!strstr((err).message, (part)))                                                                  \
            fail_msg("\"%s\" does not contain \"%s\"", (err).message, (part));                               \
    } while (0)

#endif
