/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the safetensors format: those of Python's package, our own byte by byte, hostile ones (edge cases
 * F01 to F07), failures of the disk and of memory, which leave the old file and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/allocations.h"
#include "support/files.h"
#include "tensor/safetensors.h"
#include <fluxion.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int files_in_folder(void) {
    int n = 0;
    DIR *d = opendir(files_folder());
    for (struct dirent *e; (e = readdir(d)) != NULL;) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void assert_same_bytes(const char *path, const char *other) {
    size_t n, m;
    unsigned char *a = files_read(path, &n), *b = files_read(other, &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
}

/* ---- what tests/golden/safetensors_files.py describes ---- */

static const fx_dtype dtypes[] = {FX_BOOL, FX_U8,  FX_S8,  FX_F8E5M2, FX_F8E4M3FN, FX_S16, FX_U16, FX_F16,
                                  FX_BF16, FX_S32, FX_U32, FX_F32,    FX_C64,      FX_F64, FX_S64, FX_U64};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };
static const char metadata_text[] = "quotes \" \\ / and\nlines, \u00e9 \u20ac \U0001f600";
static const char strange_name[] = "name \u00e9 \u20ac \" \\";

static fx_tensor *golden_tensor(int number, fx_dtype dtype, const int64_t *dims, size_t rank) {
    fx_shape shape = fx_shape_make(dtype, dims, rank);
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    unsigned char *data = fx_tensor_mutable_data(t);
    for (int64_t i = 0; i < t->bytes; i++)
        data[i] = (unsigned char)((7 * i + 13 * number) % (dtype == FX_BOOL ? 2 : 251));
    return t;
}

static fx_params *golden_map(void) {
    static const int64_t two_three[] = {2, 3}, holes[] = {2, 0, 3}, five[] = {5}, none[] = {0};
    fx_params *p = fx_params_new(FX_MUST);
    for (int i = 0; i < DTYPES; i++)
        fx_params_set(p, fx_name("group/%s", fx_dtype_name(dtypes[i])).s,
                      golden_tensor(i, dtypes[i], two_three, 2), FX_MUST);
    fx_params_set(p, "scalar", golden_tensor(20, FX_F32, NULL, 0), FX_MUST);
    fx_params_set(p, "empty", golden_tensor(0, FX_F64, holes, 3), FX_MUST);
    fx_params_set(p, "empty too", golden_tensor(0, FX_F32, none, 1), FX_MUST);
    fx_params_set(p, strange_name, golden_tensor(21, FX_U8, five, 1), FX_MUST);
    fx_params_set_metadata(p, "text", metadata_text, FX_MUST);
    return p;
}

static void assert_golden(const fx_params *found) {
    fx_params *wanted = golden_map();
    assert_int_equal(fx_params_count(found), fx_params_count(wanted));
    for (size_t i = 0; i < fx_params_count(wanted); i++) {
        fx_tensor *t = fx_params_get(found, fx_params_name(wanted, i), FX_MUST);
        if (!fx_tensor_equal(t, fx_params_tensor(wanted, i))) fail_msg("%s", fx_params_name(wanted, i));
        assert_int_equal((uintptr_t)fx_tensor_data(t) % 64, 0);
    }
    assert_string_equal(fx_params_metadata(found, "text"), metadata_text);
    assert_null(fx_params_metadata_key(found, 1));
    fx_params_free(wanted);
}

static void reads_theirs(void **state) {
    (void)state;
    fx_params *p = fx_safetensors_load(FX_TEST_DIR "/tensor/data/theirs.safetensors", FX_MUST);
    assert_golden(p);
    fx_params_free(p);
    p = fx_safetensors_load(FX_TEST_DIR "/tensor/data/empty.safetensors", FX_MUST);
    assert_int_equal(fx_params_count(p), 0);
    fx_params_free(p);
}

/* ours.safetensors is what safetensors_files.py reads and finds right. */
static void writes_ours(void **state) {
    (void)state;
    fx_params *p = golden_map();
    const char *path = files_path("ours.safetensors");
    assert_true(fx_safetensors_save(p, path, FX_MUST));
    if (getenv("FLUXION_WRITE_GOLDEN"))
        assert_true(fx_safetensors_save(p, FX_TEST_DIR "/tensor/data/ours.safetensors", FX_MUST));
    assert_same_bytes(path, FX_TEST_DIR "/tensor/data/ours.safetensors");
    fx_params *back = fx_safetensors_load(path, FX_MUST);
    assert_golden(back);
    for (size_t i = 0; i < fx_params_count(p); i++) /* in the map's order */
        assert_string_equal(fx_params_name(back, i), fx_params_name(p, i));
    assert_true(fx_safetensors_save(back, path, FX_MUST));
    assert_same_bytes(path, FX_TEST_DIR "/tensor/data/ours.safetensors");
    fx_params_free(back);
    fx_params_free(p);
}

static void looks_inside(void **state) {
    (void)state;
    size_t size;
    unsigned char *data = files_read(FX_TEST_DIR "/tensor/data/ours.safetensors", &size);
    fx_safetensors *file = fx_safetensors_open_memory(data, size, FX_MUST);
    assert_int_equal(fx_safetensors_count(file), DTYPES + 4);
    assert_string_equal(fx_safetensors_name(file, 0), "group/bool");
    int64_t at = fx_safetensors_find(file, "empty");
    assert_int_equal(at, DTYPES + 1);
    assert_string_equal(fx_shape_to_text(fx_safetensors_shape(file, (size_t)at)).s, "(float64)[2, 0, 3]");
    assert_string_equal(fx_safetensors_metadata_key(file, 0), "text");
    assert_null(fx_safetensors_metadata_key(file, 1));
    assert_null(fx_safetensors_metadata(file, "other"));
    fx_tensor *t = fx_safetensors_read(file, (size_t)at, FX_MUST);
    assert_int_equal(fx_tensor_size(t), 0);
    fx_tensor_free(t);
    fx_error err = {0};
    assert_null(fx_safetensors_read(file, 1000, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fx_safetensors_read(NULL, 0, &err));
    assert_null(fx_safetensors_name(file, 1000));
    assert_null(fx_safetensors_shape(file, 1000));
    assert_int_equal(fx_safetensors_find(file, "none"), -1);
    fx_safetensors_close(file);
    assert_int_equal(fx_safetensors_count(NULL), 0);
    assert_int_equal(fx_safetensors_find(NULL, "a"), -1);
    assert_null(fx_safetensors_name(NULL, 0));
    assert_null(fx_safetensors_shape(NULL, 0));
    assert_null(fx_safetensors_metadata(NULL, "a"));
    assert_null(fx_safetensors_metadata_key(NULL, 0));
    fx_safetensors_close(NULL);
    for (size_t n = 0; n < size; n++) { /* every cut is damage */
        err.code = FX_OK;
        assert_null(fx_safetensors_open_memory(data, n, &err));
        assert_int_equal(err.code, FX_ERROR_FILE);
    }
    free(data);
}

/* ---- hostile files: a header and so many zero bytes ---- */

static fx_params *load_from(const char *header, size_t header_bytes, size_t data_bytes, fx_error *err) {
    unsigned char *data = calloc(8 + header_bytes + data_bytes, 1);
    for (int i = 0; i < 8; i++) data[i] = (unsigned char)((uint64_t)header_bytes >> (8 * i));
    memcpy(data + 8, header, header_bytes);
    const char *path = files_path("hostile.safetensors");
    files_write(path, data, 8 + header_bytes + data_bytes);
    free(data);
    return fx_safetensors_load(path, err);
}

#define ENTRY(shape, begin, end)                                                                             \
    "{\"dtype\":\"F32\",\"shape\":[" #shape "],\"data_offsets\":[" #begin "," #end "]}"

typedef struct hostile {
    const char *header;
    size_t data;
    const char *says; /* NULL: it is good */
} hostile;

static const hostile hostile_files[] = {
    /* F01, F02 */
    {"{\"t\":{\"dtype\":\"F32\",\"shape\":[1000,1000],\"data_offsets\":[0,4]}}", 4, "different sizes"},
    {"{\"weight\":{\"dtype\":\"F64\",\"shape\":[4],\"data_offsets\":[0,16]}}", 16, "different sizes"},
    /* F03 */
    {"{\"t\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[]}}", 4, "two numbers"},
    {"{\"t\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4]}}", 4, "two numbers"},
    {"{\"t\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,4]}}", 4, "two numbers"},
    {"{\"t\":" ENTRY(1, 4, 0) "}", 4, "in order"},
    {"{\"t\":" ENTRY(-1, 0, 4) "}", 4, "a dimension"},
    {"{\"t\":" ENTRY(1.0, 0, 4) "}", 4, "a dimension"},
    {"{\"t\":" ENTRY(9223372036854775808, 0, 4) "}", 4, "a dimension"},
    {"{\"t\":" ENTRY(99999999999999999999999, 0, 4) "}", 4, "a dimension"},
    {"{\"t\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,0]}}", 0,
     "different sizes"},
    {"{\"t\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]}}", 4,
     "different sizes"},
    {"{\"t\":{\"dtype\":\"F32\",\"shape\":[0,4611686018427387904],\"data_offsets\":[0,0]}}", 0, NULL},
    {"{\"t\":" ENTRY(1, 0, 4) ",\"u\":" ENTRY(1, 0, 4) "}", 4, "overlaps"},
    {"{\"t\":" ENTRY(2, 0, 8) ",\"u\":" ENTRY(1, 4, 8) "}", 8, "overlaps"},
    {"{\"t\":" ENTRY(1, 0, 4) ",\"u\":" ENTRY(1, 8, 12) "}", 12, "gap"},
    {"{\"t\":" ENTRY(1, 4, 8) "}", 8, "gap"},
    {"{\"t\":" ENTRY(1, 0, 4) "}", 5, "the file has 5"},
    {"{\"t\":" ENTRY(1, 0, 4) "}", 3, "the file has 3"},
    {"{}", 1, "the file has 1"},
    {"{\"t\":" ENTRY(1, 9223372036854775803, 9223372036854775807) "}", 4, "gap"},
    {"{\"t\":" ENTRY(1, 4, 8) ",\"u\":" ENTRY(1, 0, 4) "}", 8, NULL},
    /* F06 */
    {"{\"e\":" ENTRY(
         0, 0, 0) ",\"f\":{\"dtype\":\"F32\",\"shape\":[2,0,3],\"data_offsets\":[0,0]},\"s\":" ENTRY(, 0,
                                                                                                     4) "}",
     4, NULL},
    {"{\"s\":" ENTRY(, 0, 4) ",\"e\":" ENTRY(0, 4, 4) "}", 4, NULL},
    {"{\"t\":" ENTRY(1, 0, 0) "}", 0, "different sizes"},
    /* F07 */
    {"{\"__metadata__\":{},\"s\":" ENTRY(, 0, 4) "}", 4, NULL},
    {"{\"s\":" ENTRY(, 0, 4) ",\"__metadata__\":{\"a\\\"\":\"\\u20ac\\n\"}}  \n", 4, NULL},
    {"{\"__metadata__\":{\"a\":1}}", 0, "text by text"},
    {"{\"__metadata__\":[]}", 0, "is no object"},
    {"{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}", 0, "twice"},
    {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "twice"},
    {"{\"__metadata__\":{\"a\":\"\\u0000\"}}", 0, "characters 0"},
    /* names and members */
    {"{\"t\":" ENTRY(1, 0, 4) ",\"t\":" ENTRY(1, 4, 8) "}", 8, "twice"},
    {"{\"\":" ENTRY(1, 0, 4) "}", 4, "name is empty"},
    {"{\"a\\u0000b\":" ENTRY(1, 0, 4) "}", 4, "character 0"},
    {"{\"\xff\":" ENTRY(1, 0, 4) "}", 4, "at byte"},
    {"{\"\xed\xa0\x80\":" ENTRY(1, 0, 4) "}", 4, "at byte"},
    {"{\"\\ud800\":" ENTRY(1, 0, 4) "}", 4, "at byte"},
    {"{\"t\":{\"dtype\":\"F32\",\"shape\":[1]}}", 0, "missing"},
    {"{\"t\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
     "member occurs twice"},
    {"{\"t\":{\"dtype\":\"F31\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "F31"},
    {"{\"t\":{\"dtype\":\"F6_E2M3\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "unknown"},
    {"{\"t\":{\"dtype\":7,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "no text"},
    {"{\"t\":{\"dtype\":\"F32\",\"shape\":1,\"data_offsets\":[0,4]}}", 4, "no list"},
    {"{\"t\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":4}}", 4, "two numbers"},
    {"{\"t\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[\"0\",\"4\"]}}", 4, "two numbers"},
    {"{\"t\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}", 4,
     NULL},
    {"{\"t\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}", 4,
     "16 dimensions"},
    {"{\"t\":{\"more\":{\"x\":[]},\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, NULL},
    {"{\"t\":null}", 0, "no object"},
    /* JSON */
    {"", 0, "begin with {"},
    {" {}", 0, "begin with {"},
    {"[]", 0, "begin with {"},
    {"{", 0, "at byte"},
    {"{} {}", 0, "at byte"},
    {"{\"t\":" ENTRY(01, 0, 4) "}", 4, "at byte"},
    {"{\"t\":" ENTRY(1, 0, 4) ",}", 4, "at byte"},
    {"{'t':1}", 0, "at byte"},
    {"{/**/}", 0, "at byte"},
    {"{\"t\":NaN}", 0, "at byte"},
    {"{}      ", 0, NULL},
};

/* A message begins with the function that was called and the file's path, and names no other function. */
static void assert_says(const fx_error *err, const char *function, const char *path) {
    char begin[400];
    snprintf(begin, sizeof begin, path ? "%s: %s: " : "%s: ", function, path);
    if (strncmp(err->message, begin, strlen(begin)) != 0) fail_msg("%s instead of %s", err->message, begin);
    if (strstr(err->message + strlen(begin), "fx_safetensors")) fail_msg("%s", err->message);
}

static void hostile_headers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof hostile_files / sizeof *hostile_files; i++) {
        const hostile *h = &hostile_files[i];
        fx_error err = {0};
        fx_params *p = load_from(h->header, strlen(h->header), h->data, &err);
        if ((p != NULL) != (h->says == NULL)) fail_msg("%s: %s", h->header, p ? "was read" : err.message);
        if (!p && (err.code != FX_ERROR_FILE || !strstr(err.message, h->says)))
            fail_msg("%s: %d: %s", h->header, (int)err.code, err.message);
        if (!p) assert_says(&err, "fx_safetensors_load", files_path("hostile.safetensors"));
        fx_params_free(p);
    }
}

static void hostile_lengths(void **state) {
    (void)state;
    static const uint64_t lengths[] = {UINT64_C(1) << 63, UINT64_MAX, 1000, 3, 100000001, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        unsigned char data[10] = {[8] = '{', [9] = '}'};
        memcpy(data, &lengths[i], 8);
        files_write(files_path("length.safetensors"), data, sizeof data);
        fx_error err = {0};
        assert_null(fx_safetensors_load(files_path("length.safetensors"), &err));
        assert_int_equal(err.code, FX_ERROR_FILE);
        assert_says(&err, "fx_safetensors_load", files_path("length.safetensors"));
        assert_null(strstr(err.message, "are allowed")); /* the file ends before that matters */
        assert_null(fx_safetensors_open(files_path("length.safetensors"), &err));
        assert_says(&err, "fx_safetensors_open", files_path("length.safetensors"));
        assert_null(fx_safetensors_open_memory(data, sizeof data, &err));
        assert_says(&err, "fx_safetensors_open_memory", NULL);
    }
    fx_error err = {0};
    assert_null(fx_safetensors_open_memory(NULL, 0, &err));
    assert_int_equal(err.code, FX_ERROR_FILE);
    assert_null(fx_safetensors_open_memory(NULL, 1, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    unlink(files_path("length.safetensors"));
}

/* Nesting as deep as the text allows, open ends and closed ones. */
static void deep_headers(void **state) {
    (void)state;
    enum { DEPTH = 1000000 };
    static const char head[] = "{\"t\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"x\":";
    char *text = malloc(sizeof head + 2 * DEPTH + 8);
    fx_error err = {0};
    memset(text, '[', 2 * DEPTH);
    memcpy(text, "{\"t\":", 5);
    assert_null(load_from(text, 2 * DEPTH, 0, &err));
    assert_int_equal(err.code, FX_ERROR_FILE);
    size_t n = sizeof head - 1;
    memcpy(text, head, n);
    memset(text + n, '[', DEPTH);
    memset(text + n + DEPTH, ']', DEPTH);
    memcpy(text + n + 2 * DEPTH, "}}", 2);
    fx_params *p = load_from(text, n + 2 * DEPTH + 2, 1, FX_MUST);
    assert_int_equal(fx_params_count(p), 1);
    fx_params_free(p);
    free(text);
    unlink(files_path("hostile.safetensors"));
}

static void bools(void **state) {
    (void)state;
    fx_params *p = fx_params_new(FX_MUST);
    const int64_t three = 3;
    fx_shape shape = fx_shape_make(FX_BOOL, &three, 1);
    const unsigned char good[] = {0, 1, 1}, bad[] = {0, 1, 2};
    fx_params_set(p, "b", fx_tensor_copy_from(&shape, good, FX_MUST), FX_MUST);
    const char *path = files_path("bool.safetensors");
    assert_true(fx_safetensors_save(p, path, FX_MUST));
    fx_params *back = fx_safetensors_load(path, FX_MUST);
    assert_true(fx_tensor_equal(fx_params_get(back, "b", FX_MUST), fx_params_get(p, "b", FX_MUST)));
    fx_params_free(back);
    size_t size;
    unsigned char *data = files_read(path, &size);
    memcpy(data + size - 3, bad, 3);
    files_write(path, data, size);
    free(data);
    fx_error err = {0};
    assert_null(fx_safetensors_load(path, &err));
    assert_int_equal(err.code, FX_ERROR_FILE);
    assert_says(&err, "fx_safetensors_load", path);
    fx_safetensors *file = fx_safetensors_open(path, FX_MUST);
    assert_null(fx_safetensors_read(file, 0, &err));
    assert_says(&err, "fx_safetensors_read", path);
    assert_null(fx_safetensors_read(file, 1, &err));
    assert_says(&err, "fx_safetensors_read", path);
    fx_safetensors_close(file);
    unlink(path);
    fx_params_free(p);
}

/* F05: the longest header that is written is read back, one of eight bytes more is refused. */
static void longest_header(void **state) {
    (void)state;
    static const char around[] = "{\"__metadata__\":{\"k\":\"\"}}";
    size_t n = FXI_MOST_HEADER - (sizeof around - 1);
    char *text = malloc(n + 9);
    memset(text, 'x', n + 8);
    text[n] = 0;
    fx_params *p = fx_params_new(FX_MUST);
    assert_true(fx_params_set_metadata(p, "k", text, FX_MUST));
    const char *path = files_path("long.safetensors");
    assert_true(fx_safetensors_save(p, path, FX_MUST));
    fx_safetensors *file = fx_safetensors_open(path, FX_MUST);
    assert_int_equal(strlen(fx_safetensors_metadata(file, "k")), n);
    fx_safetensors_close(file);
    text[n] = 'x', text[n + 1] = 0;
    assert_true(fx_params_set_metadata(p, "k", text, FX_MUST));
    fx_error err = {0};
    assert_false(fx_safetensors_save(p, path, &err));
    assert_int_equal(err.code, FX_ERROR_FILE);
    assert_non_null(strstr(err.message, "100000000"));
    unlink(path);
    fx_params_free(p);
    free(text);
}

/* ---- failures ---- */

static fx_params *one_value(double value) {
    fx_params *p = fx_params_new(FX_MUST);
    const int64_t dims[] = {300, 300};
    fx_shape shape = fx_shape_make(FX_F64, dims, 2);
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    for (int i = 0; i < 90000; i++) ((double *)fx_tensor_mutable_data(t))[i] = value;
    fx_params_set(p, "value", t, FX_MUST);
    fx_params_set_metadata(p, "k", "v", FX_MUST);
    return p;
}

static void assert_holds(const char *path, double value) {
    fx_params *p = fx_safetensors_load(path, FX_MUST);
    assert_true(fx_tensor_get(fx_params_get(p, "value", FX_MUST), 89999) == value);
    fx_params_free(p);
}

static void refused(void **state) {
    (void)state;
    fx_params *p = one_value(1);
    fx_error err = {0};
    assert_false(fx_safetensors_save(NULL, "x", &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_false(fx_safetensors_save(p, NULL, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fx_safetensors_load(NULL, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    static const fx_dtype missing[] = {FX_C128, FX_S4, FX_U4, FX_S2, FX_U2};
    for (int i = 0; i < 5; i++) {
        fx_params_set(p, "value", fx_tensor_scalar(missing[i], 1, FX_MUST), FX_MUST);
        assert_false(fx_safetensors_save(p, files_path("refused.safetensors"), &err));
        assert_int_equal(err.code, FX_ERROR_DTYPE);
        assert_non_null(strstr(err.message, fx_dtype_name(missing[i])));
        assert_non_null(strstr(err.message, i == 0 ? "fx_real" : "fx_bitcast"));
        assert_says(&err, "fx_safetensors_save", files_path("refused.safetensors"));
    }
    fx_params_set(p, "value", fx_tensor_scalar(FX_F32, 1, FX_MUST), FX_MUST);
    fx_params_set(p, "__metadata__", fx_tensor_scalar(FX_F32, 1, FX_MUST), FX_MUST);
    assert_false(fx_safetensors_save(p, files_path("refused.safetensors"), &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_int_equal(files_in_folder(), 0);
    fx_params_free(p);
}

/* Paths where nothing can be put, or read. */
static void paths(void **state) {
    (void)state;
    fx_params *p = one_value(1);
    static const char *const bad[] = {"none/x.safetensors", "",          ".",
                                      "/dev/full",          "/dev/null", "/proc/x.safetensors"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fx_error err = {0};
        assert_false(fx_safetensors_save(p, bad[i], &err));
        assert_int_equal(err.code, FX_ERROR_FILE);
        assert_says(&err, "fx_safetensors_save", bad[i]);
        assert_null(fx_safetensors_load(bad[i], &err));
        assert_int_equal(err.code, FX_ERROR_FILE);
        assert_says(&err, "fx_safetensors_load", bad[i]);
    }
    struct stat status;
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_int_equal(files_in_folder(), 0);
    fx_params_free(p);
}

static void replaces_as_a_whole(void **state) {
    (void)state;
    const char *path = files_path("model.safetensors");
    fx_params *one = one_value(1), *two = one_value(2);
    assert_true(fx_safetensors_save(one, path, FX_MUST));
    assert_int_equal(chmod(path, 0640), 0);
    FILE *reader = fopen(path, "rb"); /* still sees the old one */
    assert_true(fx_safetensors_save(two, path, FX_MUST));
    assert_holds(path, 2);
    double value = 0;
    fseek(reader, -8, SEEK_END);
    assert_int_equal(fread(&value, 8, 1, reader), 1);
    assert_true(value == 1);
    fclose(reader);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(files_in_folder(), 1);
    fx_params_free(one);
    fx_params_free(two);
}

/* No room: on a device that is full, and beyond the limit of the process, part of the way. */
static void full_disk(void **state) {
    (void)state;
    const char *path = files_path("model.safetensors");
    fx_params *p = one_value(3);
    fx_error err = {0};
    int device = open("/dev/full", O_WRONLY);
    assert_true(device >= 0);
    assert_false(fxi_safetensors_write(device, p, &err));
    assert_int_equal(err.code, FX_ERROR_FILE);
    assert_non_null(strstr(err.message, "No space"));
    close(device);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (rlim_t limit = 0; limit < 720000; limit += 100000) {
        small = (struct rlimit){limit, old.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        bool ok = fx_safetensors_save(p, path, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_false(ok);
        assert_int_equal(err.code, FX_ERROR_FILE);
        assert_holds(path, 2);
        assert_int_equal(files_in_folder(), 1);
    }
    fx_params_free(p);
}

static void no_memory(void **state) {
    (void)state;
    const char *path = files_path("model.safetensors");
    fx_params *p = one_value(4);
    for (int saving = 1; saving >= 0; saving--)
        for (int64_t n = 0;; n++) {
            int64_t live = allocations_live();
            fx_error err = {0};
            fx_params *loaded = NULL;
            allocations_fail(n, false);
            bool ok = saving ? fx_safetensors_save(p, path, &err)
                             : (loaded = fx_safetensors_load(path, &err)) != NULL;
            bool failed = allocations_failed();
            allocations_fail(-1, false);
            fx_params_free(loaded);
            assert_int_equal(allocations_live(), live);
            assert_int_equal(ok ? FX_ERROR_MEMORY : err.code, FX_ERROR_MEMORY);
            assert_true(ok || failed);
            assert_holds(path, saving && !ok ? 2 : 4);
            assert_int_equal(files_in_folder(), 1);
            if (!failed) break;
            if (ok && saving) { /* it was made up for: the folder is not given to the disk */
                fx_params *two = one_value(2);
                assert_true(fx_safetensors_save(two, path, FX_MUST));
                fx_params_free(two);
            }
            assert_true(n < 1000);
        }
    fx_params_free(p);
}

static void becomes_shorter(void **state) {
    (void)state;
    const char *path = files_path("model.safetensors");
    fx_safetensors *file = fx_safetensors_open(path, FX_MUST);
    assert_int_equal(truncate(path, 4000), 0);
    fx_error err = {0};
    assert_null(fx_safetensors_read(file, 0, &err));
    assert_int_equal(err.code, FX_ERROR_FILE);
    assert_non_null(strstr(err.message, "shorter"));
    fx_safetensors_close(file);
    unlink(path);
}

static fx_node *pack(fx_node *x) {
    return fx_bitcast(fx_reshape(x, FX_DIMS(3, 2)), FX_U8);
}
static fx_node *unpack(fx_node *x) {
    return fx_reshape(fx_bitcast(x, FX_U4), FX_DIMS(2, 3));
}

/* What the message about packed integers advises. */
static void packed(void **state) {
    (void)state;
    const unsigned char bytes[] = {0x21, 0x43, 0x65};
    const char *path = files_path("packed.safetensors");
    fx_tensor *q = fx_tensor_copy_from(&FX_SHAPE(FX_U4, 2, 3), bytes, FX_MUST);
    fx_backend *backend = fx_backend_open("interp", FX_MUST);
    fx_exec *to = fx_exec_new(backend, pack, FX_MUST), *from = fx_exec_new(backend, unpack, FX_MUST);
    fx_params *p = fx_params_new(FX_MUST);
    fx_params_set(p, "q", fx_call1(to, FX_MUST, q), FX_MUST);
    assert_true(fx_safetensors_save(p, path, FX_MUST));
    fx_params *loaded = fx_safetensors_load(path, FX_MUST);
    assert_int_equal(fx_tensor_dtype(fx_params_get(loaded, "q", FX_MUST)), FX_U8);
    fx_tensor *back = fx_call1(from, FX_MUST, fx_params_get(loaded, "q", FX_MUST));
    assert_true(fx_tensor_equal(back, q));
    fx_tensor_free(back);
    fx_tensor_free(q);
    fx_params_free(p);
    fx_params_free(loaded);
    fx_exec_free(to);
    fx_exec_free(from);
    fx_backend_close(backend);
    unlink(path);
}

static void lists(void **state) {
    (void)state;
    const char *path = files_path("list.safetensors");
    fx_tensor *tensors[] = {fx_tensor_scalar(FX_F32, 1, FX_MUST), fx_tensor_scalar(FX_S8, 2, FX_MUST)};
    const char *const names[] = {"a", "b"}, *const twice[] = {"a", "a"};
    assert_true(fx_safetensors_save_list(names, tensors, 2, path, FX_MUST));
    fx_params *p = fx_safetensors_load(path, FX_MUST);
    assert_string_equal(fx_params_name(p, 1), "b");
    assert_int_equal(fx_tensor_get_int(fx_params_tensor(p, 1), 0), 2);
    fx_params_free(p);
    fx_error err = {0};
    assert_false(fx_safetensors_save_list(twice, tensors, 2, path, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_says(&err, "fx_safetensors_save_list", path);
    assert_false(fx_safetensors_save_list(names, tensors, 2, "none/x.safetensors", &err));
    assert_says(&err, "fx_safetensors_save_list", "none/x.safetensors");
    assert_false(fx_safetensors_save_list(NULL, tensors, 2, path, &err));
    assert_false(fx_safetensors_save_list(names, NULL, 2, path, &err));
    assert_true(fx_safetensors_save_list(NULL, NULL, 0, path, FX_MUST));
    unlink(path);
    fx_tensor_free(tensors[0]);
    fx_tensor_free(tensors[1]);
}

static void *read_often(void *context) {
    const fx_safetensors *file = context;
    for (int round = 0; round < 50; round++)
        for (size_t i = 0; i < fx_safetensors_count(file); i++)
            fx_tensor_free(fx_safetensors_read(file, i, FX_MUST));
    return NULL;
}

static void threads(void **state) {
    (void)state;
    fx_safetensors *file = fx_safetensors_open(FX_TEST_DIR "/tensor/data/ours.safetensors", FX_MUST);
    pthread_t workers[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&workers[i], NULL, read_often, file), 0);
    for (int i = 0; i < 4; i++) pthread_join(workers[i], NULL);
    fx_safetensors_close(file);
}

static int open_folder(void **state) {
    (void)state;
    return files_open("safetensors") ? 0 : -1;
}

static int close_folder(void **state) {
    (void)state;
    return files_close() ? 0 : -1; /* fails when a test left something */
}

static int clean(void **state) {
    (void)state;
    unlink(files_path("ours.safetensors"));
    unlink(files_path("hostile.safetensors"));
    return 0;
}

int main(void) {
    if (!allocations_install()) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_theirs),
        cmocka_unit_test_teardown(writes_ours, clean),
        cmocka_unit_test(looks_inside),
        cmocka_unit_test_teardown(hostile_headers, clean),
        cmocka_unit_test(hostile_lengths),
        cmocka_unit_test(deep_headers),
        cmocka_unit_test(bools),
        cmocka_unit_test(longest_header),
        cmocka_unit_test(refused),
        cmocka_unit_test(paths),
        cmocka_unit_test(replaces_as_a_whole), /* leaves model.safetensors to the next ones */
        cmocka_unit_test(full_disk),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(becomes_shorter),
        cmocka_unit_test(lists),
        cmocka_unit_test(packed),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
