/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a result with what its case states: dtype and shape exactly, each element (each part of a
 * complex one) within tol + rtol |want|. NaN matches NaN, an infinity only itself, -0 equals 0. The wanted
 * numbers were rounded to the dtype when they were read, so a tolerance of 0 means equality of values. */
#include "cases.h"

#include <math.h>
#include <string.h>

/* Element number `index`, of a complex tensor in parts. */
static struct number load(const fx_tensor *tensor, int64_t index) {
    const void *data = fx_tensor_data(tensor);
    fx_dtype dtype = fx_tensor_dtype(tensor);
    struct number number = {false, 0, 0};
    if (dtype == FX_C64) {
        float part;
        memcpy(&part, (const float *)data + index, sizeof part);
        number.f = (double)part;
    } else if (dtype == FX_C128) {
        memcpy(&number.f, (const double *)data + index, sizeof number.f);
    } else if (dtype == FX_U64) {
        uint64_t bits;
        memcpy(&bits, (const uint64_t *)data + index, sizeof bits);
        number = (struct number){true, (int64_t)bits, (double)bits};
    } else if (fx_dtype_is_float(dtype)) {
        number.f = fx_tensor_get(tensor, index);
    } else {
        int64_t i = fx_tensor_get_int(tensor, index);
        number = (struct number){true, i, (double)i};
    }
    return number;
}

static bool is_close(struct number got, struct number want, double tol, double rtol) {
    if (want.is_int && got.i == want.i) return true;
    if (want.is_int && tol == 0 && rtol == 0) return false;
    if (isnan(want.f) || isnan(got.f)) return isnan(want.f) && isnan(got.f);
    if (isinf(want.f) || isinf(got.f)) return got.f == want.f;
    return fabs(got.f - want.f) <= tol + rtol * fabs(want.f);
}

/* Every digit that tells it from its neighbours. */
static void number_text(struct message *text, struct number number) {
    if (number.is_int && number.i < 0 && number.f > 0) {
        message_set(text, "%llu", (unsigned long long)(uint64_t)number.i);
    } else if (number.is_int) {
        message_set(text, "%lld", (long long)number.i);
    } else {
        message_set(text, "%.17g", number.f);
    }
}

bool case_compare(const struct test_case *test, size_t output, const fx_tensor *got, struct message *why) {
    const struct case_tensor *want = &test->outputs[output];
    const fx_shape *shape = fx_tensor_shape(got);
    if (!fx_shape_equal(shape, &want->shape)) {
        message_set(why, "output %zu: got %s, wanted %s", output, fx_shape_to_text(shape).s,
                    fx_shape_to_text(&want->shape).s);
        return false;
    }
    if (!want->tensor) return true;
    int64_t parts = fx_dtype_is_complex(shape->dtype) ? 2 : 1, n = fx_tensor_size(got) * parts, wrong = 0,
            first = 0;
    for (int64_t i = 0; i < n; i++) {
        if (is_close(load(got, i), load(want->tensor, i), test->tol, test->rtol)) continue;
        if (wrong++ == 0) first = i;
    }
    if (wrong == 0) return true;
    struct message texts[2];
    number_text(&texts[0], load(got, first));
    number_text(&texts[1], load(want->tensor, first));
    message_set(why,
                "output %zu: %lld of %lld differ, first [%lld]: got %.40s, wanted %.40s (tol %g, rtol %g)",
                output, (long long)wrong, (long long)n, (long long)first, texts[0].s, texts[1].s, test->tol,
                test->rtol);
    return false;
}
