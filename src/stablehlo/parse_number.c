/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in text. A decimal number of at most 19 digits and a small power of ten is one exact division or
 * product of doubles (W. D. Clinger, "How to read floating point numbers accurately", 1990): almost all
 * are. The others go to the JSON library, which rounds correctly and asks no locale. */
#include "stablehlo/parse_internal.h"
#include <string.h>
#include <yyjson.h>

enum { MOST_DIGITS = 19, MOST_EXACT_POWER = 22, LONGEST = 1100, MOST_EXPONENT = 100000 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

size_t fxi_mlir_number_length(const char *at, const char *end, bool *is_float) {
    const char *begin = at;
    *is_float = false;
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end || !is_digit(*at)) return 0;
    if (*at == '0' && end - at > 2 && at[1] == 'x' && hex_value(at[2]) >= 0) {
        for (at += 2; at < end && hex_value(*at) >= 0;) at++;
        return (size_t)(at - begin);
    }
    while (at < end && is_digit(*at)) at++;
    if (at < end && *at == '.') {
        *is_float = true;
        for (at++; at < end && is_digit(*at);) at++;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        const char *digits = at + 1;
        if (digits < end && (*digits == '-' || *digits == '+')) digits++;
        if (digits < end && is_digit(*digits)) {
            *is_float = true;
            for (at = digits; at < end && is_digit(*at);) at++;
        }
    }
    return (size_t)(at - begin);
}

bool fxi_mlir_number_bits(fxi_hlo_span text, uint64_t *bits, bool *negative, bool *hex) {
    const char *at = text.at, *end = at + text.length;
    *negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    *hex = end - at > 2 && at[1] == 'x';
    if (*hex) at += 2;
    *bits = 0;
    for (; at < end; at++) {
        if (*hex ? *bits >> 60 != 0 : *bits > (UINT64_MAX - 9) / 10) {
            uint64_t product;
            if (*hex || __builtin_mul_overflow(*bits, 10u, &product) ||
                __builtin_add_overflow(product, (uint64_t)(*at - '0'), bits))
                return false;
            continue;
        }
        *bits = *hex ? *bits << 4 | (uint64_t)hex_value(*at) : *bits * 10 + (uint64_t)(*at - '0');
    }
    return true;
}

/* The digits before and after the point as one integer, and the power of ten that it is to be multiplied
 * with. False: more digits than fit. */
static bool split(const char *at, const char *end, uint64_t *digits, int *power) {
    int n = 0;
    *digits = 0;
    *power = 0;
    bool after_point = false;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            after_point = true;
            continue;
        }
        n += n > 0 || *at != '0';
        if (n > MOST_DIGITS || *power < -MOST_EXPONENT) return false;
        *digits = *digits * 10 + (uint64_t)(*at - '0');
        *power -= after_point;
    }
    if (at == end) return true;
    bool negative = at[1] == '-';
    int exponent = 0;
    for (at += 1 + (at[1] == '-' || at[1] == '+'); at < end; at++)
        if (exponent < MOST_EXPONENT) exponent = exponent * 10 + (*at - '0');
    *power += negative ? -exponent : exponent;
    return true;
}

/* What JSON wants: no plus, digits on both sides of a point, no zeros before. */
static bool read_slowly(const char *at, const char *end, double *value) {
    char buffer[LONGEST + 8];
    if (end - at > LONGEST) return false;
    size_t n = 0;
    while (end - at > 1 && *at == '0' && is_digit(at[1])) at++;
    for (; at < end; at++) {
        buffer[n++] = *at;
        if (*at == '.' && (at + 1 == end || !is_digit(at[1]))) buffer[n++] = '0';
    }
    buffer[n] = 0;
    yyjson_val read;
    if (!yyjson_read_number(buffer, &read, 0, NULL, NULL)) return false;
    *value = yyjson_is_real(&read) ? yyjson_get_real(&read) : (double)yyjson_get_uint(&read);
    return true;
}

bool fxi_mlir_number_double(fxi_hlo_span text, double *value) {
    static const double powers[MOST_EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = text.at, *end = at + text.length;
    bool negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    uint64_t digits;
    int power;
    if (split(at, end, &digits, &power) && digits <= (uint64_t)1 << 53 && power >= -MOST_EXACT_POWER &&
        power <= MOST_EXACT_POWER)
        *value = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    else if (!read_slowly(at, end, value))
        return false;
    if (negative) *value = -*value;
    return true;
}
