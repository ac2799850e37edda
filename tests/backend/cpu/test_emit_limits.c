/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* Code size of every elementwise operation for three processors, against committed limits: what catches LLVM
 * taking a vector apart into scalars or calling a library. The objects are only generated, so any x86-64
 * machine can run this.
 *
 * emit_limits.csv has a row per function: name, then bytes allowed for haswell, skylake-avx512 and znver4. A
 * case's own function is one loop of load, operation and store; shared functions have rows of their own.
 * After a deliberate change run with FLUXION_WRITE_LIMITS=<file> to write a new table, a fifth above what
 * was measured. */
#include "backend/cpu/jit/jit_internal.h"
#include "element_cases.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define CPUS 3
#define ROWS_LIMIT 4096
static const fxi_target cpus[CPUS] = {
    {"haswell", "", false, false, 32},
    {"skylake-avx512", "-prefer-256-bit", true, false, 64},
    {"znver4", "", true, true, 64},
};

typedef struct row {
    char name[80];
    unsigned long bytes[CPUS];
} row;

typedef struct table {
    row rows[ROWS_LIMIT];
    size_t count;
} table;

static int by_name(const void *a, const void *b) {
    return strcmp(((const row *)a)->name, ((const row *)b)->name);
}

/* The row of that name, new if there is none; the tables are small enough to search from the end. */
static row *row_of(table *t, const char *name) {
    for (size_t i = t->count; i > 0; i--)
        if (strcmp(t->rows[i - 1].name, name) == 0) return &t->rows[i - 1];
    assert_in_range(t->count, 0, ROWS_LIMIT - 1);
    assert_in_range(strlen(name), 1, sizeof t->rows->name - 1);
    row *r = &t->rows[t->count++];
    memset(r, 0, sizeof *r);
    strcpy(r->name, name);
    return r;
}

/* ---- symbols of an object file ---- */

static size_t note_symbol(table *t, int cpu, const Elf64_Sym *symbol, const char *name) {
    if (name[0] == '\0') return 0;
    if (symbol->st_shndx == SHN_UNDEF) {
        if (fxi_jit_external(name) != NULL) return 0;
        print_error("%s: undefined symbol %s\n", cpus[cpu].cpu, name);
        return 1;
    }
    if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
        row_of(t, name)->bytes[cpu] = (unsigned long)symbol->st_size;
    return 0;
}

/* Our own object file: its layout is trusted. */
static size_t note_symbols(table *t, int cpu, const char *object) {
    Elf64_Ehdr header;
    memcpy(&header, object, sizeof header);
    size_t strange = 0;
    for (unsigned s = 0; s < header.e_shnum; s++) {
        Elf64_Shdr section, strings;
        memcpy(&section, object + header.e_shoff + s * sizeof section, sizeof section);
        if (section.sh_type != SHT_SYMTAB) continue;
        memcpy(&strings, object + header.e_shoff + section.sh_link * sizeof strings, sizeof strings);
        for (size_t i = 0; i < section.sh_size / sizeof(Elf64_Sym); i++) {
            Elf64_Sym symbol;
            memcpy(&symbol, object + section.sh_offset + i * sizeof symbol, sizeof symbol);
            strange += note_symbol(t, cpu, &symbol, object + strings.sh_offset + symbol.st_name);
        }
    }
    return strange;
}

static size_t measure(table *t, int cpu) {
    static element_case cases[ELEMENT_CASES_LIMIT];
    size_t count = element_cases(cases);
    fxi_emit e = element_emit_begin(&cpus[cpu]);
    for (size_t i = 0; i < count; i++) {
        char name[96];
        element_case_name(&cases[i], name);
        e.lanes = element_case_lanes(&cases[i]);
        element_case_build(&e, &cases[i], name);
    }
    fx_error err = {0};
    LLVMMemoryBufferRef object = fxi_jit_object(e.module, &cpus[cpu], false, &err);
    if (object == NULL) fail_msg("%s", err.message);
    size_t strange = note_symbols(t, cpu, LLVMGetBufferStart(object));
    LLVMDisposeMemoryBuffer(object);
    element_emit_end(&e);
    return strange;
}

/* ---- the committed table ---- */

static void write_limits(const char *path, table *t) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    qsort(t->rows, t->count, sizeof *t->rows, by_name);
    for (size_t i = 0; i < t->count; i++) {
        fprintf(file, "%s", t->rows[i].name);
        for (int cpu = 0; cpu < CPUS; cpu++)
            fprintf(file, ",%lu", (t->rows[i].bytes[cpu] * 6 / 5 + 15) / 16 * 16);
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

static void read_limits(table *t) {
    FILE *file = fopen(FX_TEST_DIR "/backend/cpu/emit_limits.csv", "r");
    assert_non_null(file);
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        char name[80];
        unsigned long b[CPUS];
        assert_int_equal(sscanf(line, "%79[^,],%lu,%lu,%lu", name, &b[0], &b[1], &b[2]), 1 + CPUS);
        memcpy(row_of(t, name)->bytes, b, sizeof b);
    }
    assert_int_equal(fclose(file), 0);
}

static size_t compare(const row *measured, const row *allowed) {
    size_t wrong = 0;
    for (int cpu = 0; cpu < CPUS; cpu++) {
        if (measured->bytes[cpu] <= allowed->bytes[cpu]) continue;
        print_error("%s on %s: %lu bytes of code, allowed %lu\n", measured->name, cpus[cpu].cpu,
                    measured->bytes[cpu], allowed->bytes[cpu]);
        wrong++;
    }
    return wrong;
}

static table found, limits;

static void code_sizes(void **state) {
    (void)state;
    size_t wrong = 0;
    for (int cpu = 0; cpu < CPUS; cpu++) wrong += measure(&found, cpu);
    const char *path = getenv("FLUXION_WRITE_LIMITS");
    if (path != NULL) write_limits(path, &found);
    read_limits(&limits);
    for (size_t i = 0; i < found.count; i++)
        wrong += compare(&found.rows[i], row_of(&limits, found.rows[i].name));
    if (wrong > 0) print_error("new operations need rows: the head of test_emit_limits.c says how\n");
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(code_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
