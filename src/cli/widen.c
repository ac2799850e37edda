/* SPDX-License-Identifier: Apache-2.0 */
/* What a program gives in float64: its text with every narrower float type replaced, and its constants,
 * rounded to their own type first, written as bits of float64. So a result that is not within bounds of what
 * a file expects can be told from one that is only better. Operations on bits, and those that mean a type's
 * own numbers, have no such text. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "cli.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    fx_dtype dtype;
} narrow[] = {{"bf16", FX_BF16}, {"f16", FX_F16}, {"f32", FX_F32}};
enum { NARROW = sizeof narrow / sizeof *narrow };

/* Row of the narrow type that stands here before a >; NARROW: none. */
static size_t narrow_at(const char *at) {
    for (size_t i = 0; i < NARROW; i++) {
        size_t length = strlen(narrow[i].name);
        if (strncmp(at, narrow[i].name, length) == 0 && at[length] == '>') return i;
    }
    return NARROW;
}

/* The element type behind a constant: "> : tensor<2x3xf32>"; NARROW: another. */
static size_t type_behind(const char *end) {
    if (strncmp(end, "> : tensor<", 11) != 0) return NARROW;
    for (const char *c = end + 11; *c && *c != '>'; c++)
        if (c[-1] == 'x' || c[-1] == '<') {
            size_t i = narrow_at(c);
            if (i < NARROW) return i;
        }
    return NARROW;
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- constants ---- */

/* Bytes in hex, low ones first, so many to an element. */
static void widen_blob(const char *at, const char *end, fx_dtype dtype, FILE *out) {
    int bytes = fx_dtype_bits(dtype) / 8;
    while (at + 2 * bytes <= end) {
        uint64_t bits = 0;
        for (int i = 0; i < bytes; i++, at += 2) {
            char pair[3] = {at[0], at[1], 0};
            bits |= strtoull(pair, NULL, 16) << (8 * i);
        }
        bits = bits_of(cli_float_of(dtype, bits));
        for (int i = 0; i < 8; i++) fprintf(out, "%02X", (unsigned)(bits >> (8 * i) & 0xFF));
    }
}

static double rounded(fx_dtype dtype, double value) {
    fx_tensor *one = fx_tensor_scalar(dtype, value, NULL);
    value = fx_tensor_get(one, 0);
    fx_tensor_free(one);
    return value;
}

/* Numbers, and what stands between them. */
static void widen_list(const char *at, const char *end, fx_dtype dtype, FILE *out) {
    while (at < end) {
        char *behind;
        bool hex = strncmp(at, "0x", 2) == 0;
        if (!strchr("+-0123456789", *at)) {
            fputc(*at++, out);
            continue;
        }
        double value =
            hex ? cli_float_of(dtype, strtoull(at, &behind, 16)) : rounded(dtype, strtod(at, &behind));
        fprintf(out, "0x%016llX", (unsigned long long)bits_of(value));
        at = behind > at ? behind : at + 1;
    }
}

/* The constant that begins behind "dense<"; gives its end. */
static const char *widen_constant(const char *at, FILE *out) {
    bool blob = *at == '"';
    const char *end = blob ? strchr(at + 1, '"') : strchr(at, '>');
    if (!end) return at;
    end += blob;
    size_t type = type_behind(end);
    if (type == NARROW)
        fwrite(at, 1, (size_t)(end - at), out);
    else if (blob && strncmp(at, "\"0x", 3) == 0) {
        fputs("\"0x", out);
        widen_blob(at + 3, end - 1, narrow[type].dtype, out);
        fputc('"', out);
    } else
        widen_list(at, end, narrow[type].dtype, out);
    return end;
}

/* ---- the program ---- */

static char *widen(const char *text) {
    static const char *const own[] = {"bitcast_convert", "reduce_precision", "next_after", "rng"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strstr(text, own[i])) return NULL;
    char *wide = NULL;
    size_t length;
    FILE *out = open_memstream(&wide, &length);
    if (!out) return NULL;
    for (const char *at = text; *at;) {
        size_t type = at > text && (at[-1] == 'x' || at[-1] == '<') ? narrow_at(at) : NARROW;
        if (type < NARROW) {
            fputs("f64", out);
            at += strlen(narrow[type].name);
        } else if (strncmp(at, "dense<", 6) == 0) {
            fputs("dense<", out);
            at = widen_constant(at + 6, out);
        } else
            fputc(*at++, out);
    }
    fclose(out);
    return wide;
}

fx_tensor **cli_exact_checks(const char *text, const char *function, size_t n) {
    char *wide = widen(text);
    fx_module *module = wide ? fx_module_parse(wide, strlen(wide), NULL, NULL) : NULL;
    ptrdiff_t f = fx_module_find(module, function);
    fx_backend *backend = f >= 0 ? fx_backend_open("interp", NULL) : NULL;
    fx_exec *exec = backend ? fx_exec_new_checks(backend, module, (size_t)f, NULL) : NULL;
    fx_tensor **out = cli_alloc(n, sizeof *out);
    bool ok = exec && fx_exec_call(exec, NULL, 0, out, n, NULL);
    fx_exec_free(exec);
    fx_backend_close(backend);
    fx_module_free(module);
    free(wide);
    if (ok) return out;
    cli_free_tensors(out, n);
    return NULL;
}
