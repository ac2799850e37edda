/* SPDX-License-Identifier: Apache-2.0 */
/* Targets, compilation of hand-made modules, externals, and the kernel cache with several threads. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* pthread_barrier_t */
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "backend/cpu/jit/jit_internal.h"
#include "jit_modules.h"
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*add_function)(const float *, const float *, float *, int64_t);
typedef double (*call_function)(double, double);
typedef int64_t (*count_function)(void);

/* The address as a function pointer of the given type; ISO C has no cast for it. */
#define FUNCTION(type, code, name) (*(type *)(void *[]){fxi_code_symbol(code, name)})

static const fxi_target *best(void) {
    fx_error err = {0};
    const fxi_target *target = fxi_target_find(NULL, &err);
    if (target == NULL) fail_msg("%s", err.message);
    return target;
}

static void test_targets(void **state) {
    (void)state;
    fx_error err = {0};
    assert_null(fxi_target_find("sse9", &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fxi_target_find("sse9", NULL));
    const fxi_target *narrow = fxi_target_find("avx2", &err);
    assert_non_null(narrow);
    assert_false(narrow->avx512);
    assert_int_equal(narrow->vector_bytes, 32);
    assert_ptr_equal(best(), best());
    const fxi_target *wide = fxi_target_find("avx512", &err);
    if (wide == NULL)
        assert_int_equal(err.code, FX_ERROR_UNSUPPORTED);
    else
        assert_true(wide->avx512);
    if (best()->avx512) assert_ptr_equal(wide, best());
}

static void check_add(const fxi_target *target, bool quick, bool ramp) {
    fx_error err = {0};
    fxi_code *code = compile_built(target, quick, build_add, ramp ? "" : NULL, &err);
    if (code == NULL) fail_msg("%s", err.message);
    float a[49], b[49], c[49] = {0};
    for (int i = 0; i < 49; i++) a[i] = (float)i, b[i] = (float)(i * i);
    FUNCTION(add_function, code, "add")(a + 1, b + 1, c, 48);
    for (int i = 0; i < 48; i++) assert_true(c[i] == a[i + 1] + b[i + 1] + (ramp ? (float)(i % 16) : 0));
    assert_true(c[48] == 0);
    assert_null(fxi_code_symbol(code, "sub"));
    assert_null(fxi_code_symbol(code, NULL));
    assert_true(fxi_code_bytes(code) >= 4096);
    fxi_code_free(fxi_code_ref(code));
    assert_non_null(fxi_code_symbol(code, "add"));
    fxi_code_free(code);
}

static void test_add(void **state) {
    (void)state;
    const char *const names[] = {NULL, "avx2", "avx512"};
    for (int i = 0; i < 3; i++) {
        const fxi_target *target = fxi_target_find(names[i], NULL);
        if (target == NULL) continue; /* a machine without AVX-512 */
        for (int form = 0; form < 4; form++) check_add(target, (form & 1) != 0, (form & 2) != 0);
    }
}

static void test_external(void **state) {
    (void)state;
    fx_error err = {0};
    fxi_code *code = compile_built(best(), false, build_call, "fmod", &err);
    if (code == NULL) fail_msg("%s", err.message);
    assert_true(FUNCTION(call_function, code, "call")(7.5, 2) == fmod(7.5, 2));
    assert_null(fxi_code_symbol(code, "fmod"));
    fxi_code_free(code);
    assert_null(compile_built(best(), false, build_call, "system", &err));
    assert_int_equal(err.code, FX_ERROR_BACKEND);
    assert_non_null(strstr(err.message, "system"));
}

static void test_external_table(void **state) {
    (void)state;
    const char *const names[] = {"memcpy", "memmove", "memset", "fmod", "fmodf"};
    for (size_t i = 0; i < 5; i++) assert_non_null(fxi_jit_external(names[i]));
    assert_null(fxi_jit_external(""));
    assert_null(fxi_jit_external("zzz"));
    assert_null(fxi_jit_external("memcp"));
}

static void test_globals(void **state) {
    (void)state;
    fx_error err = {0};
    for (int quick = 0; quick < 2; quick++) {
        fxi_code *code = compile_built(best(), quick != 0, build_counter, NULL, &err);
        if (code == NULL) fail_msg("%s", err.message);
        assert_int_equal(FUNCTION(count_function, code, "next")(), 42);
        assert_int_equal(FUNCTION(count_function, code, "twice")(), 48);
        fxi_code_free(code);
    }
}

/* Code is never writable, data never executable. */
static void test_protection(void **state) {
    (void)state;
    fxi_code *code = compile_built(best(), false, build_counter, NULL, NULL);
    assert_non_null(code);
    uintptr_t function = (uintptr_t)fxi_code_symbol(code, "next");
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    char line[512], modes[5];
    unsigned long low, high;
    unsigned found = 0;
    while (fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx %4s", &low, &high, modes) != 3) continue;
        assert_false(modes[1] == 'w' && modes[2] == 'x');
        if (low > function || function >= high) continue;
        assert_string_equal(modes, "r-xp");
        found++;
    }
    fclose(maps);
    assert_int_equal(found, 1);
    fxi_code_free(code);
}

/* What LLVM reports while it generates code comes back as an error instead of being printed. */
static void test_diagnostic(void **state) {
    (void)state;
    fx_error err = {0};
    fxi_emit e = begin_module(best());
    assert_true(build_call(&e, "fmod", &err));
    LLVMAttributeRef refuse = LLVMCreateStringAttribute(e.context, "dontcall-error", 14, "not this one", 12);
    LLVMAddAttributeAtIndex(LLVMGetNamedFunction(e.module, "fmod"),
                            (LLVMAttributeIndex)LLVMAttributeFunctionIndex, refuse);
    assert_null(fxi_jit_compile(e.module, best(), false, &err));
    assert_int_equal(err.code, FX_ERROR_BACKEND);
    assert_non_null(strstr(err.message, "not this one"));
    end_module(&e);
}

static void test_reserve(void **state) {
    (void)state;
    fx_error err = {0};
    assert_true(fxi_jit_reserve(0, &err));
    assert_true(fxi_jit_reserve(1000, &err));
    assert_false(fxi_jit_reserve(SIZE_MAX, &err));
    assert_int_equal(err.code, FX_ERROR_MEMORY);
}

static void test_arguments(void **state) {
    (void)state;
    fx_error err = {0};
    assert_null(fxi_jit_compile(NULL, best(), false, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    fxi_emit e = begin_module(best());
    assert_null(fxi_jit_compile(e.module, NULL, false, &err));
    end_module(&e);
    assert_null(fxi_elf_load(NULL, 1, &err));
    assert_null(fxi_kernel_get(NULL, "k", 1, build_add, NULL, &err));
    assert_null(fxi_kernel_get(best(), NULL, 1, build_add, NULL, &err));
    assert_null(fxi_kernel_get(best(), "k", 1, NULL, NULL, &err));
    fxi_code_free(NULL);
    assert_null(fxi_code_ref(NULL));
    assert_int_equal(fxi_code_bytes(NULL), 0);
}

static void test_types(void **state) {
    (void)state;
    fxi_emit e = begin_module(best());
    LLVMTypeRef i1 = LLVMInt1TypeInContext(e.context), i8 = LLVMInt8TypeInContext(e.context);
    LLVMTypeRef i16 = LLVMInt16TypeInContext(e.context), f32 = LLVMFloatTypeInContext(e.context);
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e.context);
    static const fx_dtype dtypes[] = {FX_BOOL, FX_S4, FX_BF16, FX_F8E5M2, FX_C64, FX_C128};
    const LLVMTypeRef scalar[] = {i1, i8, f32, f32, f32, f64}, memory[] = {i8, i8, i16, i8, f32, f64};
    for (size_t i = 0; i < 6; i++) {
        assert_ptr_equal(fxi_emit_scalar_type(&e, dtypes[i]), scalar[i]);
        assert_ptr_equal(fxi_emit_memory_type(&e, dtypes[i]), memory[i]);
    }
    for (int i = 0; i < FX_DTYPE_LIMIT + 2; i++)
        assert_true((fxi_emit_memory_type(&e, (fx_dtype)i) != NULL) == fx_dtype_is_valid((fx_dtype)i));
    assert_ptr_equal(fxi_emit_vector_of(&e, f32), LLVMVectorType(f32, 16));
    assert_true(LLVMIsConstant(fxi_emit_f32(&e, 1.5)));
    assert_ptr_equal(LLVMTypeOf(fxi_emit_int(&e, 8, 0x1FF)), LLVMVectorType(i8, 16));
    assert_ptr_equal(fxi_emit_int(&e, 8, 0x1FF), LLVMConstAllOnes(LLVMVectorType(i8, 16)));
    e.lanes = 1;
    assert_ptr_equal(LLVMTypeOf(fxi_emit_f64(&e, 1.5)), f64);
    assert_ptr_equal(fxi_emit_vector_of(&e, f32), f32);
    assert_null(fxi_emit_intrinsic(&e, "llvm.no.such.thing", f32, NULL, 0));
    end_module(&e);
}

/* ---- the cache ---- */

static bool build_refusal(fxi_emit *e, const void *description, fx_error *err) {
    (void)e;
    return fxi_fail(err, FX_ERROR_UNSUPPORTED, "%s", (const char *)description);
}

static void test_cache(void **state) {
    (void)state;
    fx_error err = {0};
    fxi_kernel_cache_clear();
    fxi_kernel_stats before = fxi_kernel_cache_stats();
    assert_int_equal(before.count, 0);
    fxi_code *first = fxi_kernel_get(best(), "a", 1, build_add, NULL, &err);
    fxi_code *again = fxi_kernel_get(best(), "a", 1, build_add, NULL, &err);
    fxi_code *other = fxi_kernel_get(best(), "a\0", 2, build_add, "", &err);
    fxi_code *narrow = fxi_kernel_get(fxi_target_find("avx2", NULL), "a", 1, build_add, NULL, &err);
    assert_non_null(first);
    assert_ptr_equal(first, again);
    assert_ptr_not_equal(first, other);
    assert_ptr_not_equal(first, narrow);
    assert_null(fxi_kernel_get(best(), "no", 2, build_refusal, "because", &err));
    assert_string_equal(err.message, "because");
    fxi_kernel_stats after = fxi_kernel_cache_stats();
    assert_int_equal(after.compiled - before.compiled, 3);
    assert_int_equal(after.hits - before.hits, 1);
    assert_int_equal(after.count, 3);
    assert_true(after.bytes > 3 * 4096);
    fxi_code_free(other);
    fxi_kernel_cache_clear(); /* drops only what nobody uses */
    assert_int_equal(fxi_kernel_cache_stats().count, 2);
    fxi_code_free(first);
    fxi_code_free(again);
    fxi_code_free(narrow);
    fxi_kernel_cache_clear();
    assert_int_equal(fxi_kernel_cache_stats().count, 0);
    assert_int_equal(fxi_kernel_cache_stats().bytes, 0);
}

enum { THREADS = 8, KEYS = 3 };

typedef struct crowd {
    pthread_barrier_t start;
    atomic_uint builds;
    bool fails;
} crowd;

typedef struct worker {
    pthread_t thread;
    crowd *crowd;
    fxi_code *code[KEYS];
    fx_error error[KEYS];
} worker;

static bool build_counted(fxi_emit *e, const void *description, fx_error *err) {
    crowd *c = *(crowd *const *)description;
    atomic_fetch_add(&c->builds, 1);
    /* Long enough for the others to find the entry and wait for it. */
    for (int i = 0; i < 50; i++) {
        char name[32];
        snprintf(name, sizeof name, "filler%d", i);
        begin_function(e, name, LLVMVoidTypeInContext(e->context), NULL, 0);
        LLVMBuildRetVoid(e->builder);
    }
    if (c->fails) return fxi_fail(err, FX_ERROR_UNSUPPORTED, "refused");
    return build_add(e, NULL, err);
}

static void *work(void *argument) {
    worker *w = argument;
    pthread_barrier_wait(&w->crowd->start);
    for (int k = 0; k < KEYS; k++) {
        int key = k + 100;
        w->code[k] = fxi_kernel_get(best(), &key, sizeof key, build_counted, &w->crowd, &w->error[k]);
    }
    return NULL;
}

static void run_crowd(crowd *c, worker *workers) {
    fxi_kernel_cache_clear();
    pthread_barrier_init(&c->start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        workers[i].crowd = c;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&c->start);
}

static void test_cache_threads(void **state) {
    (void)state;
    static crowd c;
    static worker workers[THREADS];
    run_crowd(&c, workers);
    assert_int_equal(atomic_load(&c.builds), KEYS);
    for (int k = 0; k < KEYS; k++)
        for (int i = 0; i < THREADS; i++) {
            assert_non_null(workers[i].code[k]);
            assert_ptr_equal(workers[i].code[k], workers[0].code[k]);
        }
    for (int k = 0; k < KEYS; k++)
        for (int i = 0; i < THREADS; i++) fxi_code_free(workers[i].code[k]);
    fxi_kernel_cache_clear();
    assert_int_equal(fxi_kernel_cache_stats().count, 0);
}

static void test_cache_threads_failing(void **state) {
    (void)state;
    static crowd c = {.fails = true};
    static worker workers[THREADS];
    run_crowd(&c, workers);
    for (int k = 0; k < KEYS; k++)
        for (int i = 0; i < THREADS; i++) {
            assert_null(workers[i].code[k]);
            assert_string_equal(workers[i].error[k].message, "refused");
        }
    assert_int_equal(fxi_kernel_cache_stats().count, 0);
}

/* Entries beyond the count limit push out the oldest unused ones, never those in use. */
static void test_cache_eviction(void **state) {
    (void)state;
    enum { MORE = 4200 };
    fx_error err = {0};
    fxi_kernel_cache_clear();
    fxi_kernel_stats before = fxi_kernel_cache_stats();
    fxi_code *held = fxi_kernel_get(best(), "held", 4, build_call, "fmod", &err);
    assert_non_null(held);
    for (int i = 0; i < MORE; i++) {
        fxi_code *code = fxi_kernel_get(best(), &i, sizeof i, build_call, "fmod", &err);
        if (code == NULL) fail_msg("%s", err.message);
        fxi_code_free(code);
    }
    fxi_kernel_stats after = fxi_kernel_cache_stats();
    assert_true(after.count <= 4096);
    assert_true(after.bytes <= (size_t)64 << 20);
    assert_int_equal(after.evicted - before.evicted, MORE + 1 - after.count);
    fxi_code *again = fxi_kernel_get(best(), "held", 4, build_call, "fmod", &err);
    assert_ptr_equal(again, held);
    fxi_code_free(again);
    fxi_code_free(held);
    fxi_kernel_cache_clear();
}

/* ---- allocation failures ---- */

static atomic_long allowed = LONG_MAX; /* allocations of the library until one fails */

static void *limited_alloc(size_t bytes, void *user) {
    (void)user;
    return atomic_fetch_sub(&allowed, 1) > 0 ? malloc(bytes) : NULL;
}

static void *limited_resize(void *block, size_t bytes, void *user) {
    (void)user;
    return atomic_fetch_sub(&allowed, 1) > 0 ? realloc(block, bytes) : NULL;
}

static void plain_release(void *block, void *user) {
    (void)user;
    free(block);
}

static void test_allocation_failures(void **state) {
    (void)state;
    fxi_kernel_cache_clear();
    fxi_code *code = NULL;
    long n = 0;
    for (; code == NULL; n++) {
        fx_error err = {0};
        assert_true(n < 100);
        atomic_store(&allowed, n);
        code = fxi_kernel_get(best(), "tight", 5, build_counter, NULL, &err);
        atomic_store(&allowed, LONG_MAX);
        if (code == NULL) assert_int_equal(err.code, FX_ERROR_MEMORY);
        assert_int_equal(fxi_kernel_cache_stats().count, code != NULL);
    }
    assert_true(n > 4); /* entry, map, sections, symbols, code */
    fxi_code_free(code);
    fxi_kernel_cache_clear();
}

int main(void) {
    const fx_allocator limited = {sizeof limited, limited_alloc, limited_resize, plain_release, NULL};
    if (!fx_set_allocator(&limited)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets),        cmocka_unit_test(test_add),
        cmocka_unit_test(test_external),       cmocka_unit_test(test_external_table),
        cmocka_unit_test(test_globals),        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_protection),     cmocka_unit_test(test_diagnostic),
        cmocka_unit_test(test_reserve),        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_types),          cmocka_unit_test(test_cache),
        cmocka_unit_test(test_cache_threads),  cmocka_unit_test(test_cache_threads_failing),
        cmocka_unit_test(test_cache_eviction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
