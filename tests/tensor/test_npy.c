/* SPDX-License-Identifier: Apache-2.0 */
/* Files of NumPy: those that it writes (tests/golden/npy_files.py), our own read back, hostile ones (edge cases
 * F11 to F20), failures of the disk and of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/allocations.h"
#include "support/files.h"
#include "tensor/npy.h"
#include <fluxion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *golden(const char *name) {
    static char path[400];
    snprintf(path, sizeof path, FX_TEST_DIR "/tensor/data/%s", name);
    return path;
}

/* ---- the values of tests/golden/npy_files.py ---- */

static bool is_raw(fx_dtype dtype) {
    return fx_dtype_bits(dtype) < 8 || dtype == FX_BF16 || dtype == FX_F8E4M3FN || dtype == FX_F8E5M2;
}

static double value_at(fx_dtype dtype, int64_t i) {
    if (dtype == FX_BOOL) return i % 3 == 1;
    if (is_raw(dtype)) return (double)(i % 4 - (fx_dtype_is_signed(dtype) ? 2 : 0));
    return (double)(i * 3 - (fx_dtype_is_unsigned(dtype) ? 0 : 5));
}

static fx_tensor *made(fx_dtype dtype, const int64_t *dims, size_t rank) {
    fx_shape shape = fx_shape_make(dtype, dims, rank);
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    for (int64_t i = 0; i < fx_tensor_size(t); i++) {
        double re = value_at(dtype, i), im = fx_dtype_is_complex(dtype) ? (double)i : 0;
        fxi_element_store(dtype, t->data, i, (fxi_scalar){(int64_t)re, re, im});
    }
    return t;
}

static const int64_t two_three[] = {2, 3}, three_three[] = {3, 3}, long_dims[] = {100, 100},
                     vector_dims[] = {184}, empty_dims[] = {2, 0, 3}, dims8[] = {1, 2, 1, 3, 1, 2, 1, 1},
                     cube[] = {2, 3, 4}, wide_dims[] = {3, 5};

typedef struct golden_case {
    const char *name;
    fx_dtype dtype;
    const int64_t *dims;
    size_t rank;
} golden_case;

static const golden_case plain[] = {
    {"bool", FX_BOOL, two_three, 2},     {"int8", FX_S8, two_three, 2},
    {"int16", FX_S16, two_three, 2},     {"int32", FX_S32, two_three, 2},
    {"int64", FX_S64, two_three, 2},     {"uint8", FX_U8, two_three, 2},
    {"uint16", FX_U16, two_three, 2},    {"uint32", FX_U32, two_three, 2},
    {"uint64", FX_U64, two_three, 2},    {"float16", FX_F16, two_three, 2},
    {"float32", FX_F32, two_three, 2},   {"float64", FX_F64, two_three, 2},
    {"complex64", FX_C64, two_three, 2}, {"complex128", FX_C128, two_three, 2},
    {"scalar", FX_F32, NULL, 0},         {"empty", FX_F64, empty_dims, 3},
    {"vector", FX_F64, vector_dims, 1},  {"rank8", FX_S32, dims8, 8},
};
enum { PLAIN = sizeof plain / sizeof *plain };

static const golden_case others[] = {
    {"bfloat16", FX_BF16, three_three, 2},
    {"float8_e4m3fn", FX_F8E4M3FN, three_three, 2},
    {"float8_e5m2", FX_F8E5M2, three_three, 2},
    {"int4", FX_S4, three_three, 2},
    {"uint4", FX_U4, three_three, 2},
    {"int2", FX_S2, three_three, 2},
    {"uint2", FX_U2, three_three, 2},
    {"big_int16", FX_S16, two_three, 2},
    {"big_float32", FX_F32, two_three, 2},
    {"big_complex128", FX_C128, two_three, 2},
    {"fortran", FX_S32, cube, 3},
    {"big_fortran", FX_F64, wide_dims, 2},
    {"version2", FX_S32, two_three, 2},
    {"version3", FX_S32, two_three, 2},
};
enum { OTHERS = sizeof others / sizeof *others };

static fx_tensor *made_for(const golden_case *c) {
    return made(c->dtype, c->dims, c->rank);
}

static void check_golden(const golden_case *c) {
    fx_tensor *wanted = made_for(c);
    fx_tensor *found =
        fx_npy_load(golden(fx_name("npy_%s.npy", c->name).s), is_raw(c->dtype) ? c->dtype : FX_S8, FX_MUST);
    if (!fx_tensor_equal(found, wanted))
        fail_msg("%s: %s instead of %s", c->name, fx_tensor_text(found).s, fx_tensor_text(wanted).s);
    assert_int_equal((uintptr_t)fx_tensor_data(found) % 64, 0);
    const char *path = files_path("back.npy");
    assert_true(fx_npy_save(found, path, FX_MUST));
    fx_tensor *back = fx_npy_load(path, c->dtype, FX_MUST);
    assert_true(fx_tensor_equal(back, wanted));
    fx_error err = {0};
    fx_tensor *untold = fx_npy_load(path, FX_INVALID_DTYPE, &err);
    assert_true((untold == NULL) == is_raw(c->dtype));
    if (!untold) assert_non_null(strstr(err.message, "say whether"));
    fx_tensor_free(untold);
    fx_tensor_free(back);
    fx_tensor_free(found);
    fx_tensor_free(wanted);
    unlink(path);
}

static void reads_theirs(void **state) {
    (void)state;
    for (int i = 0; i < PLAIN; i++) check_golden(&plain[i]);
    for (int i = 0; i < OTHERS; i++) check_golden(&others[i]);
}

static void refuses_theirs(void **state) {
    (void)state;
    static const struct {
        const char *name, *says;
        fx_dtype raw;
    } cases[] = {
        {"structure", "structures", FX_BF16},
        {"objects", "objects of Python", FX_BF16},
        {"text", "text", FX_BF16},
        {"dates", "dates", FX_BF16},
        {"long_double", "unknown", FX_BF16},
        {"bfloat16", "say whether they are bfloat16", FX_INVALID_DTYPE},
        {"bfloat16", "cannot be int4", FX_S4},
        {"int4", "cannot be bfloat16", FX_BF16},
        {"int4", "an element is no uint2", FX_U2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fx_error err = {0};
        fx_tensor *t = fx_npy_load(golden(fx_name("npy_%s.npy", cases[i].name).s), cases[i].raw, &err);
        assert_null(t);
        assert_int_equal(err.code, FX_ERROR_FILE);
        assert_true(strncmp(err.message, "fx_npy_load: ", 13) == 0);
        if (!strstr(err.message, cases[i].says)) fail_msg("%s: %s", cases[i].name, err.message);
    }
}

/* ---- headers ---- */

static size_t file_of(unsigned char *to, const char *header, int version, size_t data) {
    size_t length = strlen(header);
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (unsigned char)version, to[7] = 0;
    to[8] = (unsigned char)length, to[9] = (unsigned char)(length >> 8);
    size_t lead = version == 1 ? 10 : 12;
    if (version != 1) to[10] = to[11] = 0;
    memcpy(to + lead, header, length);
    memset(to + lead + length, 0, data);
    return lead + length + data;
}

typedef struct header_case {
    const char *header;
    size_t data;
    const char *says; /* NULL: it is good */
} header_case;

#define REST "'fortran_order': False, 'shape': (2,), }"
static const header_case headers[] = {
    /* F14, F15: order of keys, spaces, no newline, missing and extra keys */
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 8, NULL},
    {"{u'descr': u'<f4', u\"fortran_order\": False, u'shape': (2L,), }\n", 8, NULL}, /* Python 2 */
    {"{u 'descr': '<f4', " REST, 8, "a string"},
    {"{ 'shape':(2,) ,'descr' :\"<f4\",'fortran_order':True}", 8, NULL},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2), }", 8, "comma behind the only"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (np.int64(1), np.int64(2)), }", 8, "a dimension"},
    {"{'descr': '<f4', 'fortran_order': False}", 8, "lacks"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}", 8, "'more'"},
    {"{'descr': '<f4', 'descr': '<f4', " REST, 8, "'descr'"},
    {"{}", 0, "lacks"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4, NULL},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }", 0, NULL},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,1), }", 8, NULL},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 1L,), }", 8, NULL},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)}", 8, NULL},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)}", 8,
     "16 dimensions"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 8, "a dimension"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (02,), }", 8, "a dimension"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,), }", 8, "a comma or )"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,), }", 8, "below 2^63"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,), }", 8, "2^63 bytes"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 8, "2^63 bytes"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 9223372036854775807), }", 0, NULL},
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (0, 9223372036854775807), }", 0, NULL},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': [2], }", 8, "( before"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': 2, }", 8, "( before"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (,), }", 8, "a dimension"},
    {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,), }", 8, "True or False"},
    /* sizes */
    {"{'descr': '<f4', " REST, 7, "have 8 bytes, but 7"},
    {"{'descr': '<f4', " REST, 9, "have 8 bytes, but 9"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 1000), }", 8, "but 8 are there"},
    /* dtypes */
    {"{'descr': 'f4', " REST, 8, NULL},
    {"{'descr': '=f4', " REST, 8, NULL},
    {"{'descr': '|f4', " REST, 8, NULL},
    {"{'descr': 'float32', " REST, 8, NULL},
    {"{'descr': '?', " REST, 2, NULL},
    {"{'descr': 'bfloat16', " REST, 4, NULL},
    {"{'descr': 'float8_e4m3fn', " REST, 2, NULL},
    {"{'descr': '<i8', " REST, 16, NULL},
    {"{'descr': 'f32', " REST, 8, "unknown"},
    {"{'descr': '<>f4', " REST, 8, "unknown"},
    {"{'descr': '', " REST, 8, "unknown"},
    {"{'descr': '<', " REST, 8, "unknown"},
    {"{'descr': '<V4', " REST, 8, "raw bytes"},
    {"{'descr': '<c32', " REST, 64, "unknown"},
    {"{'descr': [('a', '<f4')], " REST, 8, "structures"},
    {"{'descr': ('<f4', (2,)), " REST, 8, "structures"},
    {"{'descr': 4, " REST, 8, "a string"},
    {"{'descr': '<f4\\x00', " REST, 8, "without escapes"},
    {"{'descr': '<f4", 8, "end of a string"},
    {"{'descr': '<f4aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', " REST, 8,
     "short string"},
    /* the literal */
    {"", 0, "{ was expected"},
    {"{'descr': '<f4', " REST " x", 8, "the end"},
    {"{'descr': '<f4', " REST "}", 8, "the end"},
    {"{'descr': '<f4' " REST, 8, "a comma or }"},
    {"{'descr' '<f4', " REST, 8, ": was expected"},
    {"{descr: '<f4', " REST, 8, "a string"},
    {"dict(descr='<f4')", 8, "{ was expected"},
    {"{'descr': __import__('os'), " REST, 8, "a string"},
    {"{{{{{{{{{{{{{{{{", 8, "a string"},
    {"{'descr': '<f4',, " REST, 8, "a string"},
};

static void parses_headers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        for (int version = 1; version <= 3; version++) {
            const header_case *h = &headers[i];
            unsigned char data[1000];
            size_t size = file_of(data, h->header, version, h->data);
            fx_error err = {0};
            fx_tensor *t = fx_npy_read(data, size, FX_INVALID_DTYPE, &err);
            if ((t != NULL) != (h->says == NULL)) fail_msg("%s: %s", h->header, t ? "was read" : err.message);
            if (!t && (err.code != FX_ERROR_FILE || !strstr(err.message, h->says)))
                fail_msg("%s: %s", h->header, err.message);
            if (!t) assert_true(strncmp(err.message, "fx_npy_read: ", 13) == 0);
            fx_tensor_free(t);
        }
}

static void refuses_cuts(void **state) {
    (void)state;
    unsigned char data[200], *copy;
    size_t size = file_of(data, headers[0].header, 1, 8);
    for (size_t n = 0; n < size; n++) {
        copy = malloc(n + 1); /* so that a sanitizer sees reads behind it */
        memcpy(copy, data, n);
        fx_error err = {0};
        assert_null(fx_npy_read(copy, n, FX_INVALID_DTYPE, &err));
        assert_int_equal(err.code, FX_ERROR_FILE);
        free(copy);
    }
    static const struct {
        int at, byte;
        const char *says;
    } changes[] = {{0, 'x', "no array"},  {5, 'x', "no array"},  {6, 0, "version 0.0"},
                   {6, 4, "version 4.0"}, {7, 1, "version 1.1"}, {9, 1, "a header of"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        unsigned char byte = data[changes[i].at];
        fx_error err = {0};
        data[changes[i].at] = (unsigned char)changes[i].byte;
        assert_null(fx_npy_read(data, size, FX_INVALID_DTYPE, &err));
        if (!strstr(err.message, changes[i].says)) fail_msg("%s", err.message);
        data[changes[i].at] = byte;
    }
    file_of(data, headers[0].header, 2, 8); /* a header of nearly 4 GiB */
    data[11] = 0xff;
    fx_error err = {0};
    assert_null(fx_npy_read(data, size + 2, FX_INVALID_DTYPE, &err));
    assert_non_null(strstr(err.message, "a header of 4278"));
}

static void refuses_bools(void **state) {
    (void)state;
    unsigned char data[200];
    size_t size = file_of(data, "{'descr': '|b1', " REST, 1, 2);
    data[size - 1] = 2;
    fx_error err = {0};
    assert_null(fx_npy_read(data, size, FX_INVALID_DTYPE, &err));
    assert_non_null(strstr(err.message, "neither 0 nor 1"));
}

/* F20 */
static void reads_raw(void **state) {
    (void)state;
    unsigned char data[200];
    size_t size = file_of(data, "{'descr': '<V2', 'fortran_order': False, 'shape': (4,), }", 1, 8);
    memcpy(data + size - 8, "\x00\x00\x80\x3f\x00\x40\x40\x40", 8);
    fx_tensor *t = fx_npy_read(data, size, FX_BF16, FX_MUST);
    for (int i = 0; i < 4; i++) assert_true(fx_tensor_get(t, i) == i);
    fx_tensor_free(t);
    size = file_of(data, "{'descr': '>V2', 'fortran_order': False, 'shape': (1,), }", 1, 2);
    memcpy(data + size - 2, "\x40\x40", 2);
    data[size - 1] = 0x00;
    t = fx_npy_read(data, size, FX_BF16, FX_MUST);
    assert_true(fx_tensor_get(t, 0) == 2);
    fx_tensor_free(t);
    size = file_of(data, "{'descr': '<V1', 'fortran_order': True, 'shape': (2, 2), }", 1, 4);
    memcpy(data + size - 4, "\x01\xfe\x07\xf8", 4);
    t = fx_npy_read(data, size, FX_S4, FX_MUST);
    assert_string_equal(fx_tensor_text(t).s, "[2][2]int4{{1, 7}, {-2, -8}}");
    fx_tensor_free(t);
}

/* What NumPy reads: the header is as it writes it, the data begin at a multiple of 64. */
static void writes_headers(void **state) {
    (void)state;
    static const struct {
        fx_dtype dtype;
        const int64_t *dims;
        size_t rank;
        const char *begins;
    } cases[] = {
        {FX_F64, vector_dims, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (184,), } "},
        {FX_BOOL, two_three, 2, "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 3), } "},
        {FX_U8, NULL, 0, "{'descr': '|u1', 'fortran_order': False, 'shape': (), } "},
        {FX_BF16, two_three, 2, "{'descr': '<V2', 'fortran_order': False, 'shape': (2, 3), } "},
        {FX_S4, empty_dims, 3, "{'descr': '<V1', 'fortran_order': False, 'shape': (2, 0, 3), } "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fx_shape shape = fx_shape_make(cases[i].dtype, cases[i].dims, cases[i].rank);
        fxi_text text = {NULL, 0, 0, false, false};
        fxi_npy_header_add(&text, &shape);
        assert_int_equal(text.length % 64, 0);
        assert_memory_equal(text.data, "\x93NUMPY\x01\x00", 8);
        assert_int_equal((unsigned char)text.data[8] + 256 * (unsigned char)text.data[9], text.length - 10);
        assert_int_equal(text.data[text.length - 1], '\n');
        if (strncmp(text.data + 10, cases[i].begins, strlen(cases[i].begins)) != 0)
            fail_msg("%s", text.data + 10);
        fxi_text_free(&text);
    }
    int64_t most[FX_MAX_RANK];
    for (int i = 0; i < FX_MAX_RANK; i++) most[i] = INT64_MAX;
    most[0] = 0;
    fx_shape shape = fx_shape_make(FX_C128, most, FX_MAX_RANK);
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    assert_true(fx_npy_save(t, files_path("most.npy"), FX_MUST));
    fx_tensor *back = fx_npy_load(files_path("most.npy"), FX_INVALID_DTYPE, FX_MUST);
    assert_true(fx_tensor_equal(t, back));
    unlink(files_path("most.npy"));
    fx_tensor_free(t);
    fx_tensor_free(back);
}

/* ---- arguments and failures ---- */

typedef struct taken {
    unsigned char *data;
    size_t size, limit; /* refuses what goes beyond */
} taken;

static bool take(void *user, const char *bytes, size_t n) {
    taken *t = user;
    if (t->size + n > t->limit) return false;
    memcpy(t->data + t->size, bytes, n);
    t->size += n;
    return true;
}

static void arguments(void **state) {
    (void)state;
    fx_error err = {0};
    fx_tensor *t = made(FX_F32, two_three, 2);
    assert_null(fx_npy_load(NULL, FX_BF16, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fx_npy_read(NULL, 1, FX_BF16, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fx_npy_read(NULL, 0, FX_BF16, &err));
    assert_int_equal(err.code, FX_ERROR_FILE);
    assert_false(fx_npy_save(NULL, files_path("x.npy"), &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_false(fx_npy_save(t, NULL, &err));
    assert_false(fx_npy_write(t, NULL, NULL, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fx_npy_load(files_path("none.npy"), FX_BF16, &err));
    assert_int_equal(err.code, FX_ERROR_FILE);
    assert_null(fx_npy_load(files_folder(), FX_BF16, &err));
    assert_non_null(strstr(err.message, "not a plain file"));
    assert_false(fx_npy_save(t, files_path("none/x.npy"), &err));
    assert_int_equal(err.code, FX_ERROR_FILE);
    unsigned char data[1000];
    for (size_t limit = 0; limit < 152; limit += 19) { /* a stream that ends */
        taken to = {data, 0, limit};
        assert_false(fx_npy_write(t, take, &to, &err));
        assert_int_equal(err.code, FX_ERROR_FILE);
    }
    taken to = {data, 0, sizeof data};
    assert_true(fx_npy_write(t, take, &to, FX_MUST));
    fx_tensor *back = fx_npy_read(data, to.size, FX_INVALID_DTYPE, FX_MUST);
    assert_true(fx_tensor_equal(t, back));
    fx_tensor_free(back);
    fx_tensor_free(t);
}

/* Longer than the piece that packed elements are unpacked in. */
static void long_packed(void **state) {
    (void)state;
    static const int64_t dims[] = {9001};
    fx_tensor *t = made(FX_S2, dims, 1);
    assert_true(fx_npy_save(t, files_path("packed.npy"), FX_MUST));
    fx_tensor *back = fx_npy_load(files_path("packed.npy"), FX_S2, FX_MUST);
    assert_true(fx_tensor_equal(t, back));
    unlink(files_path("packed.npy"));
    fx_tensor_free(back);
    fx_tensor_free(t);
}

static bool without_memory(int64_t n, fx_tensor *t, fx_error *err) {
    unsigned char *data = malloc(100000);
    taken to = {data, 0, 100000};
    allocations_fail(n, true);
    bool ok = fx_npy_save(t, files_path("memory.npy"), err) && fx_npy_write(t, take, &to, err);
    fx_tensor *a = ok ? fx_npy_load(files_path("memory.npy"), FX_S4, err) : NULL;
    fx_tensor *b = a ? fx_npy_read(data, to.size, FX_S4, err) : NULL;
    fx_tensor *c = b ? fx_npy_load(golden("npy_fortran.npy"), FX_INVALID_DTYPE, err) : NULL;
    allocations_fail(-1, false);
    fx_tensor_free(a);
    fx_tensor_free(b);
    fx_tensor_free(c);
    free(data);
    return c != NULL;
}

static void no_memory(void **state) {
    (void)state;
    fx_tensor *t = made(FX_S4, long_dims, 2);
    int64_t before = allocations_live();
    for (int64_t n = 0;; n++) {
        fx_error err = {0};
        bool ok = without_memory(n, t, &err);
        assert_int_equal(allocations_live(), before);
        if (ok) break;
        if (err.code != FX_ERROR_MEMORY) fail_msg("request %lld: %s", (long long)n, err.message);
        assert_true(n < 100);
    }
    unlink(files_path("memory.npy"));
    fx_tensor_free(t);
}

int main(void) {
    if (!allocations_install()) return 1;
    if (!files_open("npy")) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_theirs),   cmocka_unit_test(refuses_theirs), cmocka_unit_test(parses_headers),
        cmocka_unit_test(refuses_cuts),   cmocka_unit_test(refuses_bools),  cmocka_unit_test(reads_raw),
        cmocka_unit_test(writes_headers), cmocka_unit_test(arguments),      cmocka_unit_test(long_packed),
        cmocka_unit_test(no_memory),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + !files_close();
}
