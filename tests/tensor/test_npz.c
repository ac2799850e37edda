/* SPDX-License-Identifier: Apache-2.0 */
/* Archives of NumPy: those that it writes, our own read back and compared with what NumPy was shown to read,
 * hostile ones (edge cases F11 and F12), failures of streams and memory. */
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
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define GOLDEN(name) FX_TEST_DIR "/tensor/data/" name

/* ---- the archives of tests/golden/npy_files.py ---- */

static const char *const names[] = {"bool",      "int8",       "int16",  "int32",   "int64",   "uint8",
                                    "uint16",    "uint32",     "uint64", "float16", "float32", "float64",
                                    "complex64", "complex128", "scalar", "empty",   "vector",  "rank8"};
enum { NAMES = sizeof names / sizeof *names };

/* The single files hold the same arrays; `long` is [100, 100] of 3 i - 5. */
static fx_params *golden_map(bool with_long) {
    fx_params *p = fx_params_new(FX_MUST);
    for (int i = 0; i < NAMES; i++)
        fx_params_set(p, names[i],
                      fx_npy_load(fx_name(GOLDEN("npy_%s.npy"), names[i]).s, FX_INVALID_DTYPE, FX_MUST),
                      FX_MUST);
    if (!with_long) return p;
    const int64_t dims[] = {100, 100};
    fx_shape shape = fx_shape_make(FX_S64, dims, 2);
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    for (int i = 0; i < 10000; i++) ((int64_t *)fx_tensor_mutable_data(t))[i] = 3 * i - 5;
    fx_params_set(p, "long", t, FX_MUST);
    return p;
}

static void assert_same(const fx_params *found, const fx_params *wanted) {
    assert_int_equal(fx_params_count(found), fx_params_count(wanted));
    for (size_t i = 0; i < fx_params_count(wanted); i++) {
        assert_string_equal(fx_params_name(found, i), fx_params_name(wanted, i));
        if (!fx_tensor_equal(fx_params_tensor(found, i), fx_params_tensor(wanted, i)))
            fail_msg("%s", fx_params_name(wanted, i));
    }
}

static void reads_theirs(void **state) {
    (void)state;
    fx_params *few = golden_map(false), *all = golden_map(true);
    fx_params *stored = fx_npz_load(GOLDEN("npz_stored.npz"), FX_INVALID_DTYPE, FX_MUST);
    assert_same(stored, few);
    fx_params *deflated = fx_npz_load(GOLDEN("npz_deflated.npz"), FX_INVALID_DTYPE, FX_MUST);
    assert_same(deflated, all);
    fx_params *stream = fx_npz_load(GOLDEN("npz_stream.npz"), FX_INVALID_DTYPE, FX_MUST);
    assert_string_equal(fx_tensor_text(fx_params_get(stream, "a", FX_MUST)).s, "[3]int32{0, 1, 2}");
    assert_string_equal(fx_tensor_text(fx_params_get(stream, "b", FX_MUST)).s, "float32(2)");
    fx_params_free(stream);
    fx_params_free(deflated);
    fx_params_free(stored);
    fx_params_free(few);
    fx_params_free(all);
}

/* npz_ours*.npz are what npy_files.py reads and finds right. */
static void writes_ours(void **state) {
    (void)state;
    fx_params *all = golden_map(true);
    for (int deflated = 0; deflated < 2; deflated++) {
        const char *committed = deflated ? GOLDEN("npz_ours_deflated.npz") : GOLDEN("npz_ours.npz");
        const char *path = files_path("ours.npz");
        if (getenv("FLUXION_WRITE_GOLDEN")) assert_true(fx_npz_save(all, committed, deflated, FX_MUST));
        assert_true(fx_npz_save(all, path, deflated, FX_MUST));
        size_t n, m;
        unsigned char *a = files_read(path, &n), *b = files_read(committed, &m);
        assert_int_equal(n, m);
        assert_memory_equal(a, b, n);
        free(a);
        free(b);
        fx_params *back = fx_npz_load(path, FX_INVALID_DTYPE, FX_MUST);
        assert_same(back, all);
        fx_params_free(back);
        unlink(path);
    }
    fx_params_free(all);
}

static void looks_inside(void **state) {
    (void)state;
    size_t size;
    unsigned char *data = files_read(GOLDEN("npz_stored.npz"), &size);
    fx_npz *file = fx_npz_open_memory(data, size, FX_MUST);
    assert_int_equal(fx_npz_count(file), NAMES);
    assert_string_equal(fx_npz_name(file, 0), "bool");
    assert_int_equal(fx_npz_find(file, "rank8"), NAMES - 1);
    assert_int_equal(fx_npz_find(file, "rank8.npy"), -1);
    assert_null(fx_npz_name(file, NAMES));
    fx_error err = {0};
    assert_null(fx_npz_read(file, NAMES, FX_BF16, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fx_npz_read(NULL, 0, FX_BF16, &err));
    fx_npz_close(file);
    assert_int_equal(fx_npz_count(NULL), 0);
    assert_int_equal(fx_npz_find(NULL, "a"), -1);
    assert_null(fx_npz_name(NULL, 0));
    fx_npz_close(NULL);
    for (size_t n = 0; n < size; n++) { /* every cut is damage */
        err.code = FX_OK;
        assert_null(fx_npz_open_memory(data, n, &err));
        assert_int_equal(err.code, FX_ERROR_FILE);
    }
    free(data);
}

static void *read_twice(void *file) {
    for (int k = 0; k < 20; k++)
        for (size_t i = 0; i < fx_npz_count(file); i++)
            fx_tensor_free(fx_npz_read(file, i, FX_INVALID_DTYPE, FX_MUST));
    return NULL;
}

static void threads(void **state) {
    (void)state;
    fx_npz *file = fx_npz_open(GOLDEN("npz_deflated.npz"), FX_MUST);
    pthread_t t[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&t[i], NULL, read_twice, file), 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    fx_npz_close(file);
}

/* ---- hostile archives: our own with bytes changed ---- */

typedef struct taken {
    unsigned char data[4000];
    size_t size, limit;
} taken;

static bool take(void *user, const char *bytes, size_t n) {
    taken *t = user;
    if (t->size + n > t->limit || t->size + n > sizeof t->data) return false;
    memcpy(t->data + t->size, bytes, n);
    t->size += n;
    return true;
}

static fx_params *two_arrays(void) {
    fx_params *p = fx_params_new(FX_MUST);
    const int64_t n = 300;
    fx_shape shape = fx_shape_make(FX_S32, &n, 1);
    fx_params_set(p, "ab", fx_tensor_new(&shape, FX_MUST), FX_MUST);
    fx_params_set(p, "cd", fx_tensor_scalar(FX_F64, 2, FX_MUST), FX_MUST);
    return p;
}

static taken written(bool deflated) {
    taken t = {.size = 0, .limit = sizeof t.data};
    fx_params *p = two_arrays();
    assert_true(fx_npz_write(p, deflated, take, &t, FX_MUST));
    fx_params_free(p);
    return t;
}

/* Where the entry of the directory of that name begins. */
static unsigned char *entry_of(taken *t, const char *name) {
    for (size_t i = 0; i + 46 + strlen(name) < t->size; i++)
        if (memcmp(t->data + i, "PK\x01\x02", 4) == 0 && memcmp(t->data + i + 46, name, strlen(name)) == 0)
            return t->data + i;
    fail_msg("no entry %s", name);
    return NULL;
}

static void expect_damage(const taken *t, const char *says) {
    fx_error err = {0};
    fx_npz *file = fx_npz_open_memory(t->data, t->size, &err);
    bool read = file != NULL;
    for (size_t i = 0; read && i < fx_npz_count(file); i++) {
        fx_tensor *tensor = fx_npz_read(file, i, FX_INVALID_DTYPE, &err);
        read = tensor != NULL;
        fx_tensor_free(tensor);
    }
    fx_npz_close(file);
    if (read) fail_msg("was read: %s", says);
    assert_int_equal(err.code, FX_ERROR_FILE);
    if (!strstr(err.message, says)) fail_msg("%s instead of %s", err.message, says);
}

enum { FLAGS = 8, METHOD = 10, SUM = 16, PACKED = 20, WHOLE = 24, PLACE = 42, NAME = 46 };

static void hostile(void **state) {
    (void)state;
    for (int deflated = 0; deflated < 2; deflated++) {
        taken t = written(deflated);
        entry_of(&t, "ab")[SUM] ^= 1;
        expect_damage(&t, "sum of its bits");
        t = written(deflated);
        memcpy(entry_of(&t, "ab") + NAME, "cd", 2); /* F12: two members of one name */
        expect_damage(&t, "\"cd\": occurs twice");
        t = written(deflated);
        entry_of(&t, "ab")[FLAGS] |= 1;
        expect_damage(&t, "encrypted");
        t = written(deflated);
        entry_of(&t, "ab")[METHOD] = 12;
        expect_damage(&t, "packed in a way");
        t = written(deflated);
        entry_of(&t, "ab")[NAME + 1] = 0;
        expect_damage(&t, "character 0");
        t = written(deflated);
        entry_of(&t, "ab")[NAME] = 0xff;
        expect_damage(&t, "not UTF-8");
        t = written(deflated);
        memcpy(entry_of(&t, "ab") + WHOLE, "\xff\xff\xff\x7f", 4); /* a bomb: 2 GiB */
        expect_damage(&t, deflated ? "its sizes cannot be" : "the archive");
        t = written(deflated);
        memset(entry_of(&t, "cd") + PLACE, 0, 4); /* both at the first member's place */
        expect_damage(&t, "\"cd\": ");
        t = written(deflated);
        memcpy(entry_of(&t, "cd") + PLACE, "\xff\xff\xff\x7f", 4);
        expect_damage(&t, "the archive");
    }
    taken t = written(true);
    unsigned char *entry = entry_of(&t, "ab");
    entry[WHOLE]++; /* one byte more than there is */
    expect_damage(&t, "elements have 1200 bytes, but 1201");
    entry[WHOLE] = (unsigned char)(entry[WHOLE] - 2);
    expect_damage(&t, "elements have 1200 bytes, but 1199");
    t = written(true);
    t.data[60] ^= 0xff; /* inside the deflated bytes */
    expect_damage(&t, "\"ab\": ");
}

/* Many members that tell of the same bytes. */
static void shared_bytes(void **state) {
    (void)state;
    fx_params *p = fx_params_new(FX_MUST);
    for (int i = 0; i < 6; i++) {
        const int64_t n = 30;
        fx_shape shape = fx_shape_make(FX_S64, &n, 1);
        fx_params_set(p, fx_name("m%d", i).s, fx_tensor_new(&shape, FX_MUST), FX_MUST);
    }
    taken t = {.size = 0, .limit = sizeof t.data};
    assert_true(fx_npz_write(p, false, take, &t, FX_MUST));
    fx_params_free(p);
    unsigned char *directory = entry_of(&t, "m0");
    size_t length = (size_t)(t.data + t.size - directory);
    size_t one = (size_t)(directory - t.data) / 6; /* of the members' space */
    for (int i = 1; i < 6; i++) memset(directory + i * 52 + PLACE, 0, 4);
    memmove(t.data + one, directory, length); /* the others' bytes taken out */
    t.size = one + length;
    unsigned char *end = t.data + t.size - 22;
    end[16] = (unsigned char)one, end[17] = (unsigned char)(one >> 8);
    expect_damage(&t, "shares bytes");
}

/* Folders are left out, other members have to be arrays, no name becomes a path. */
static void members(void **state) {
    (void)state;
    taken t = written(false);
    memcpy(entry_of(&t, "ab") + NAME, "../x/z", 6); /* six bytes: ab.npy */
    fx_npz *file = fx_npz_open_memory(t.data, t.size, FX_MUST);
    assert_string_equal(fx_npz_name(file, 0), "../x/z");
    fx_tensor *read = fx_npz_read(file, 0, FX_INVALID_DTYPE, FX_MUST);
    assert_int_equal(fx_tensor_size(read), 300);
    fx_tensor_free(read);
    fx_npz_close(file);
    memcpy(entry_of(&t, "../x/z") + NAME, "abcde/", 6);
    file = fx_npz_open_memory(t.data, t.size, FX_MUST);
    assert_int_equal(fx_npz_count(file), 1);
    assert_string_equal(fx_npz_name(file, 0), "cd");
    fx_npz_close(file);
    t = written(false);
    unsigned char *magic = t.data;
    while (memcmp(magic, "\x93NUMPY", 6) != 0) magic++;
    magic[0] = 'x';
    expect_damage(&t, "\"ab\": no array of NumPy");
}

/* ---- failures ---- */

static void arguments(void **state) {
    (void)state;
    fx_error err = {0};
    fx_params *p = two_arrays();
    assert_null(fx_npz_load(NULL, FX_BF16, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fx_npz_open(NULL, &err));
    assert_null(fx_npz_open_memory(NULL, 1, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_false(fx_npz_save(NULL, files_path("x.npz"), false, &err));
    assert_false(fx_npz_save(p, NULL, false, &err));
    assert_false(fx_npz_write(NULL, false, take, NULL, &err));
    assert_false(fx_npz_write(p, false, NULL, NULL, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fx_npz_load(files_path("none.npz"), FX_BF16, &err));
    assert_int_equal(err.code, FX_ERROR_FILE);
    assert_true(strncmp(err.message, "fx_npz_load: /tmp", 17) == 0);
    assert_null(fx_npz_load(GOLDEN("npy_bool.npy"), FX_BF16, &err));
    assert_int_equal(err.code, FX_ERROR_FILE);
    for (int deflated = 0; deflated < 2; deflated++) {
        taken all = written(deflated);
        for (size_t limit = 0; limit < all.size; limit += 7) {
            taken t = {.size = 0, .limit = limit};
            assert_false(fx_npz_write(p, deflated, take, &t, &err));
            assert_int_equal(err.code, FX_ERROR_FILE);
        }
    }
    char name[4093];
    memset(name, 'n', 4092);
    name[4092] = 0;
    fx_params_set(p, name, fx_tensor_scalar(FX_F64, 2, FX_MUST), FX_MUST);
    assert_false(fx_npz_save(p, files_path("x.npz"), false, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    name[4091] = 0;
    fx_params_remove(p, fx_params_name(p, 2));
    fx_params_set(p, name, fx_tensor_scalar(FX_F64, 2, FX_MUST), FX_MUST);
    assert_true(fx_npz_save(p, files_path("x.npz"), false, FX_MUST));
    fx_params *back = fx_npz_load(files_path("x.npz"), FX_INVALID_DTYPE, FX_MUST);
    assert_same(back, p);
    unlink(files_path("x.npz"));
    fx_params_free(back);
    fx_params_free(p);
}

static void empty(void **state) {
    (void)state;
    fx_params *p = fx_params_new(FX_MUST);
    assert_true(fx_npz_save(p, files_path("empty.npz"), true, FX_MUST));
    fx_params *back = fx_npz_load(files_path("empty.npz"), FX_INVALID_DTYPE, FX_MUST);
    assert_int_equal(fx_params_count(back), 0);
    unlink(files_path("empty.npz"));
    fx_params_free(back);
    fx_params_free(p);
}

/* More members than the plain form of the directory counts. */
static void many_members(void **state) {
    (void)state;
    enum { MANY = 66000 };
    fx_params *p = fx_params_new(FX_MUST);
    for (int i = 0; i < MANY; i++)
        fx_params_set(p, fx_name("%d", i).s, fx_tensor_scalar_int(FX_S32, i, FX_MUST), FX_MUST);
    assert_true(fx_npz_save(p, files_path("many.npz"), false, FX_MUST));
    fx_params *back = fx_npz_load(files_path("many.npz"), FX_INVALID_DTYPE, FX_MUST);
    assert_same(back, p);
    unlink(files_path("many.npz"));
    fx_params_free(back);
    fx_params_free(p);
}

static bool without_memory(int64_t n, const fx_params *p, bool on, fx_error *err) {
    allocations_fail(n, on);
    bool ok = fx_npz_save(p, files_path("memory.npz"), true, err);
    fx_params *back = ok ? fx_npz_load(files_path("memory.npz"), FX_INVALID_DTYPE, err) : NULL;
    allocations_fail(-1, false);
    fx_params_free(back);
    return back != NULL;
}

static void no_memory(void **state) {
    (void)state;
    fx_params *p = two_arrays();
    int64_t before = allocations_live();
    for (int on = 0; on < 2; on++)
        for (int64_t n = 0;; n++) {
            fx_error err = {0};
            bool ok = without_memory(n, p, on, &err);
            assert_int_equal(allocations_live(), before);
            if (ok) break;
            if (err.code != FX_ERROR_MEMORY) fail_msg("request %lld: %s", (long long)n, err.message);
            assert_true(n < 1000);
        }
    unlink(files_path("memory.npz"));
    fx_params_free(p);
}

int main(void) {
    if (!allocations_install()) return 1;
    if (!files_open("npz")) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_theirs), cmocka_unit_test(writes_ours), cmocka_unit_test(looks_inside),
        cmocka_unit_test(threads),      cmocka_unit_test(hostile),     cmocka_unit_test(shared_bytes),
        cmocka_unit_test(members),      cmocka_unit_test(arguments),   cmocka_unit_test(empty),
        cmocka_unit_test(many_members), cmocka_unit_test(no_memory),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + !files_close();
}
