/* SPDX-License-Identifier: Apache-2.0 */
/* See golden.h. A line is cut at its spaces in place; a word with '[' before its ':' is a tensor, one with '=' in it an
 * attribute, "=" alone begins the results. Numbers go through strtod and are stored as the library stores elements, which
 * rounds once; the scripts that write the files make sure that this gives the value they mean. */
#include "support/golden.h"
#include "support/graph_helpers.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BAD(c, ...)                                             \
    do {                                                        \
        print_error("%s:%d: ", (c)->file, (c)->line);           \
        fail_msg(__VA_ARGS__);                                  \
    } while (0)

/* ---- one tensor: dtype[dims]:values ---- */

static double read_real(const golden_case *c, const char **p) {
    char *end;
    double v = strtod(*p, &end);
    if (end == *p) BAD(c, "no number at \"%.20s\"", *p);
    *p = end;
    return v;
}

/* One number of the dtype, "re|im" of a complex one. */
static fxi_scalar read_element(const golden_case *c, fx_dtype dtype, const char **p) {
    fxi_scalar v = {0};
    if (fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype)) {
        v.re = read_real(c, p);
        if (fx_dtype_is_complex(dtype)) {
            if (**p != '|') BAD(c, "a complex number is re|im, not \"%.20s\"", *p);
            ++*p;
            v.im = read_real(c, p);
        }
        return v;
    }
    char *end;
    errno = 0;
    v.i = **p == '-' ? (int64_t)strtoll(*p, &end, 10) : (int64_t)strtoull(*p, &end, 10);
    if (end == *p || errno) BAD(c, "no integer at \"%.20s\"", *p);
    *p = end;
    return v;
}

/* "value" or "value*count", separated by commas, into all elements. */
static void read_elements(const golden_case *c, fx_tensor *t, const char *p) {
    int64_t size = fx_shape_size(&t->shape), i = 0;
    if (t->bytes) memset(t->data, 0, (size_t)t->bytes);
    while (i < size) {
        fxi_scalar v = read_element(c, t->shape.dtype, &p);
        int64_t count = 1;
        if (*p == '*') {
            char *end;
            count = strtoll(p + 1, &end, 10);
            p = end;
        }
        if (count < 1 || count > size - i) BAD(c, "more values than %s has", fx_shape_to_text(&t->shape).s);
        for (; count > 0; count--) fxi_element_store(t->shape.dtype, t->data, i++, v);
        if (i < size && *p++ != ',') BAD(c, "fewer values than %s has", fx_shape_to_text(&t->shape).s);
    }
    if (*p) BAD(c, "\"%.20s\" after the last value", p);
}

static fx_tensor *read_tensor(const golden_case *c, char *word) {
    char *bracket = strchr(word, '['), *end = bracket + 1;
    int64_t dims[FX_MAX_RANK];
    size_t rank = 0;
    *bracket = 0;
    fx_dtype dtype = fx_dtype_parse(word);
    if (!fx_dtype_is_valid(dtype)) BAD(c, "no dtype: \"%s\"", word);
    while (*end && *end != ']' && rank < FX_MAX_RANK) {
        dims[rank++] = strtoll(end, &end, 10);
        if (*end == ',') end++;
    }
    if (end[0] != ']' || end[1] != ':') BAD(c, "dimensions are followed by \"]:\"");
    fx_shape shape = fx_shape_make(dtype, dims, rank);
    fx_tensor *t = fx_tensor_new(&shape, NULL);
    if (!t) BAD(c, "no tensor of %s", fx_shape_to_text(&shape).s);
    read_elements(c, t, end + 2);
    return t;
}

/* ---- a line ---- */

static bool is_tensor(const char *word) {
    size_t name = strcspn(word, "[=");
    return word[name] == '[';
}

static void add_word(golden_case *c, char *word, bool *after) {
    if (strcmp(word, "=") == 0) {
        *after = true;
    } else if (is_tensor(word)) {
        size_t *count = *after ? &c->result_count : &c->operand_count;
        if (*count == GOLDEN_TENSORS) BAD(c, "too many tensors");
        (*after ? c->results : c->operands)[(*count)++] = read_tensor(c, word);
    } else {
        char *equals = strchr(word, '=');
        if (!equals || equals == word || *after || c->attr_count == GOLDEN_ATTRS) BAD(c, "what is \"%.40s\"?", word);
        *equals = 0;
        c->attrs[c->attr_count].key = word;
        c->attrs[c->attr_count++].value = equals + 1;
    }
}

static void parse_line(golden_case *c) {
    bool after = false;
    char *rest = NULL;
    c->op = strtok_r(c->text, " \n", &rest);
    for (char *word; (word = strtok_r(NULL, " \n", &rest));) add_word(c, word, &after);
    if (c->result_count == 0) BAD(c, "%s: a case has results", c->op);
}

golden_file golden_read(const char *family) {
    golden_file file = {.name = family};
    char path[1000], *line = NULL;
    size_t size = 0, room = 0;
    int number = 0;
    snprintf(path, sizeof path, "%s/golden/%s.txt", FX_TEST_DIR, family);
    FILE *stream = fopen(path, "r");
    if (!stream) fail_msg("%s: %s", path, strerror(errno));
    while (getline(&line, &size, stream) > 0) {
        number++;
        if (line[0] == '#' || line[0] == '\n') continue;
        if (file.count == room) {
            room = room ? 2 * room : 64;
            file.cases = realloc(file.cases, room * sizeof *file.cases);
            assert_non_null(file.cases);
        }
        golden_case *c = &file.cases[file.count++];
        *c = (golden_case){.file = family, .line = number, .text = line};
        parse_line(c);
        line = NULL; /* the case keeps it */
        size = 0;
    }
    free(line);
    fclose(stream);
    return file;
}

void golden_free(golden_file *file) {
    for (size_t i = 0; i < file->count; i++) {
        golden_case *c = &file->cases[i];
        for (size_t k = 0; k < c->operand_count; k++) fx_tensor_free(c->operands[k]);
        for (size_t k = 0; k < c->result_count; k++) fx_tensor_free(c->results[k]);
        free(c->text);
    }
    free(file->cases);
    *file = (golden_file){0};
}

/* ---- attributes ---- */

static const char *find(const golden_case *c, const char *key) {
    for (size_t i = 0; i < c->attr_count; i++)
        if (strcmp(c->attrs[i].key, key) == 0) return c->attrs[i].value;
    return NULL;
}

bool golden_has(const golden_case *c, const char *key) { return find(c, key) != NULL; }

golden_list golden_ints(const golden_case *c, const char *key) {
    golden_list list = {.n = 0};
    const char *p = find(c, key);
    while (p && *p) {
        char *end;
        if (list.n == GOLDEN_LIST) BAD(c, "%s: too many numbers", key);
        list.v[list.n] = strtoll(p, &end, 10);
        list.axes[list.n] = (int)list.v[list.n];
        list.n++;
        if (end == p || (*end && *end != ',')) BAD(c, "%s: no list of integers", key);
        p = *end ? end + 1 : end;
    }
    return list;
}

int64_t golden_int(const golden_case *c, const char *key, int64_t otherwise) {
    if (!find(c, key)) return otherwise;
    golden_list list = golden_ints(c, key);
    if (list.n != 1) BAD(c, "%s is one integer", key);
    return list.v[0];
}

double golden_real(const golden_case *c, const char *key, double otherwise) {
    const char *p = find(c, key);
    return p ? read_real(c, &p) : otherwise;
}

const char *golden_word(const golden_case *c, const char *key, const char *otherwise) {
    const char *p = find(c, key);
    return p ? p : otherwise;
}

fx_dtype golden_dtype(const golden_case *c, const char *key, fx_dtype otherwise) {
    const char *p = find(c, key);
    if (!p) return otherwise;
    fx_dtype dtype = fx_dtype_parse(p);
    if (!fx_dtype_is_valid(dtype)) BAD(c, "no dtype: \"%s\"", p);
    return dtype;
}

/* ---- comparison ---- */

typedef struct float_format {
    int digits, lowest; /* of the significand; exponent of the smallest subnormal number */
} float_format;

static float_format format_of(fx_dtype dtype) {
    switch (fx_dtype_real(dtype)) {
    case FX_F16: return (float_format){11, -24};
    case FX_BF16: return (float_format){8, -133};
    case FX_F32: return (float_format){24, -149};
    case FX_F8E5M2: return (float_format){3, -16};
    case FX_F8E4M3FN: return (float_format){4, -9};
    default: return (float_format){53, -1074};
    }
}

/* The distance to the next number of the dtype at this magnitude. */
static double ulp_at(fx_dtype dtype, double magnitude) {
    float_format f = format_of(dtype);
    int exponent = f.lowest;
    if (magnitude > 0 && isfinite(magnitude)) {
        frexp(magnitude, &exponent);
        exponent -= f.digits;
    }
    return ldexp(1, exponent < f.lowest ? f.lowest : exponent);
}

static double magnitude_of(fxi_scalar v) { return hypot(v.re, v.im); }

static double largest_of(const fx_tensor *t) {
    double largest = 0;
    for (int64_t i = 0; i < fx_shape_size(&t->shape); i++) {
        double m = magnitude_of(fxi_element_load(t->shape.dtype, t->data, i));
        if (isfinite(m)) largest = fmax(largest, m);
    }
    return largest;
}

/* Equal as numbers with equal signs, or both NaN. */
static bool same_part(double a, double b) {
    return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : a == b && signbit(a) == signbit(b);
}

/* Signs of zero count only where the rule is EXACT; a part that is infinite or NaN must be so in both. */
static bool near(fxi_scalar a, fxi_scalar b, bool exact, double limit) {
    if (a.i != b.i) return false;
    if (same_part(a.re, b.re) && same_part(a.im, b.im)) return true;
    if (exact) return false;
    double re = isfinite(a.re) && isfinite(b.re) ? a.re - b.re : same_part(a.re, b.re) ? 0 : INFINITY;
    double im = isfinite(a.im) && isfinite(b.im) ? a.im - b.im : same_part(a.im, b.im) ? 0 : INFINITY;
    return hypot(re, im) <= limit;
}

static void describe(golden_difference *d, int64_t i, const fx_tensor *want, fxi_scalar a, fxi_scalar b) {
    const fx_shape_text text = fx_shape_to_text(&want->shape);
    const char *shape = text.s;
    fx_dtype dtype = want->shape.dtype;
    if (!fx_dtype_is_float(dtype) && !fx_dtype_is_complex(dtype))
        snprintf(d->text, sizeof d->text, "element %lld of %s: %lld instead of %lld", (long long)i, shape, (long long)a.i,
                 (long long)b.i);
    else
        snprintf(d->text, sizeof d->text, "element %lld of %s: %.17g|%.17g instead of %.17g|%.17g", (long long)i, shape, a.re,
                 a.im, b.re, b.im);
}

bool golden_equal(const golden_case *c, const fx_tensor *got, const fx_tensor *want, golden_tolerance tolerance,
                  golden_difference *difference) {
    fx_dtype dtype = want->shape.dtype;
    if (!fx_shape_equal(&got->shape, &want->shape)) {
        snprintf(difference->text, sizeof difference->text, "%s instead of %s", fx_shape_to_text(&got->shape).s,
                 fx_shape_to_text(&want->shape).s);
        return false;
    }
    bool discrete = !fx_dtype_is_float(dtype) && !fx_dtype_is_complex(dtype);
    double bound = fmin(tolerance.bound, golden_real(c, "ulps", tolerance.bound));
    double norm = tolerance.rule == GOLDEN_NORM ? golden_real(c, "scale", largest_of(want)) : 0;
    for (int64_t i = 0; i < fx_shape_size(&want->shape); i++) {
        fxi_scalar a = fxi_element_load(dtype, got->data, i), b = fxi_element_load(dtype, want->data, i);
        double limit = tolerance.rule == GOLDEN_NORM ? bound * ulp_at(dtype, norm) : (bound + 0.5) * ulp_at(dtype, magnitude_of(b));
        if (near(a, b, discrete || tolerance.rule == GOLDEN_EXACT, limit)) continue;
        describe(difference, i, want, a, b);
        return false;
    }
    return true;
}
