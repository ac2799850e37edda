/* SPDX-License-Identifier: Apache-2.0 */
/* The ELF loader on damaged objects: real ones from the code generator, cut at every length and with every
 * byte changed in several ways, and single fields set to extreme values. Each must load or give an error; run
 * under a sanitizer to see reads outside the bytes, which are given in a block of exactly their size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "backend/cpu/jit/jit_internal.h"
#include "jit_modules.h"
#include <elf.h>
#include <string.h>

typedef struct image {
    unsigned char *bytes;
    size_t size;
} image;

static image make(fxi_kernel_build build, const void *description) {
    fx_error err = {0};
    const fxi_target *target = fxi_target_find(NULL, &err);
    if (target == NULL) fail_msg("%s", err.message);
    fxi_emit e = begin_module(target);
    assert_true(build(&e, description, &err));
    LLVMMemoryBufferRef object = fxi_jit_object(e.module, target, false, &err);
    if (object == NULL) fail_msg("%s", err.message);
    image copy = {fxi_alloc(LLVMGetBufferSize(object)), LLVMGetBufferSize(object)};
    assert_non_null(copy.bytes);
    memcpy(copy.bytes, LLVMGetBufferStart(object), copy.size);
    LLVMDisposeMemoryBuffer(object);
    end_module(&e);
    return copy;
}

/* Loads bytes that may be anything; true if they did load. A failure must say why. */
static bool try_load(const unsigned char *bytes, size_t size) {
    fx_error err = {0};
    fxi_code *code = fxi_elf_load(bytes, size, &err);
    if (code == NULL) {
        assert_int_not_equal(err.code, FX_OK);
        assert_int_not_equal(err.message[0], '\0');
        return false;
    }
    assert_int_equal(err.code, FX_OK);
    fxi_code_free(code);
    return true;
}

static void for_each_image(void (*check)(image)) {
    const struct {
        fxi_kernel_build build;
        const char *description;
    } rows[] = {{build_add, ""}, {build_call, "fmod"}, {build_counter, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        image whole = make(rows[i].build, rows[i].description);
        assert_true(try_load(whole.bytes, whole.size));
        check(whole);
        fxi_free(whole.bytes);
    }
}

/* LLVM writes the section headers last, so every cut loses some of them. */
static void check_cuts(image whole) {
    for (size_t size = 0; size < whole.size; size++) {
        unsigned char *part = fxi_alloc(size);
        assert_non_null(part);
        memcpy(part, whole.bytes, size);
        assert_false(try_load(part, size));
        fxi_free(part);
    }
}

static void test_cuts(void **state) {
    (void)state;
    for_each_image(check_cuts);
}

static void check_bytes(image whole) {
    static const unsigned char masks[] = {0x01, 0x80, 0xFF, 0x7F, 0x10};
    size_t refused = 0;
    for (size_t at = 0; at < whole.size; at++)
        for (size_t m = 0; m < sizeof masks; m++) {
            whole.bytes[at] ^= masks[m];
            refused += !try_load(whole.bytes, whole.size);
            whole.bytes[at] ^= masks[m];
        }
    assert_true(refused > 200); /* headers and tables are full of fields that must be checked */
    assert_true(try_load(whole.bytes, whole.size));
}

static void test_bytes(void **state) {
    (void)state;
    for_each_image(check_bytes);
}

/* Every aligned 8- and 4-byte field set to sizes and offsets at the edges. */
static void check_fields(image whole) {
    static const uint64_t extremes[] = {
        0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, INT64_MAX, UINT64_MAX - 7, UINT64_MAX, 1 << 28};
    for (size_t width = 4; width <= 8; width += 4)
        for (size_t at = 0; at + width <= whole.size; at += width)
            for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
                unsigned char kept[8];
                memcpy(kept, whole.bytes + at, width);
                memcpy(whole.bytes + at, &extremes[i], width);
                try_load(whole.bytes, whole.size);
                memcpy(whole.bytes + at, kept, width);
            }
}

static void test_fields(void **state) {
    (void)state;
    for_each_image(check_fields);
}

static void test_unaligned(void **state) {
    (void)state;
    image whole = make(build_counter, NULL);
    unsigned char *shifted = fxi_alloc(whole.size + 1);
    assert_non_null(shifted);
    memcpy(shifted + 1, whole.bytes, whole.size);
    assert_true(try_load(shifted + 1, whole.size));
    fxi_free(shifted);
    fxi_free(whole.bytes);
}

static void test_other_files(void **state) {
    (void)state;
    image whole = make(build_counter, NULL);
    Elf64_Ehdr header;
    memcpy(&header, whole.bytes, sizeof header);
    Elf64_Ehdr other = header;
    other.e_machine = EM_AARCH64;
    memcpy(whole.bytes, &other, sizeof other);
    assert_false(try_load(whole.bytes, whole.size));
    other = header;
    other.e_type = ET_DYN;
    memcpy(whole.bytes, &other, sizeof other);
    assert_false(try_load(whole.bytes, whole.size));
    other = header;
    other.e_shstrndx = header.e_shnum;
    memcpy(whole.bytes, &other, sizeof other);
    assert_false(try_load(whole.bytes, whole.size));
    assert_false(try_load((const unsigned char *)"", 0));
    fxi_free(whole.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts),      cmocka_unit_test(test_bytes),       cmocka_unit_test(test_fields),
        cmocka_unit_test(test_unaligned), cmocka_unit_test(test_other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
