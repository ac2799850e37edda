/* SPDX-License-Identifier: Apache-2.0 */
/* fluxion-cases: runs files of cases and counts. The last line of its output is always "N passed, N
 * failed, N skipped". */
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: fluxion-cases FILE.json... [--backend B] [--category C] [--id ID] [--verbose] "
    "[--list-unsupported]\n"
    "                     [--expect FOLDER]\n"
    "       fluxion-cases --format | --ops\n"
    "Runs each case of the files. Status 0: none failed; 1: some did; 2: a file or an option is wrong.\n"
    "  --backend B         as fx_backend_open takes it (interp, cpu, cpu?threads=1, ...)\n"
    "  --category C        only cases of that category; --id ID: only that case\n"
    "  --verbose           a line for every case\n"
    "  --list-unsupported  lines for unsupported.txt\n"
    "  --expect FOLDER     compare with unsupported.txt, failing.txt, convention.txt there; status 1: they "
    "differ\n"
    "  --format            the format of the files; --ops: the operations that programs can use\n";

static const char format[] =
    "A file is a JSON array of cases, objects with these members:\n"
    "  id, category   strings; id is unique\n"
    "  program        statements with ';' between: 'name = expr', 'a, b = expr' (several values), last "
    "'return expr, ...'\n"
    "  inputs         [{name, dtype, shape, data}]   data: flat, row-major\n"
    "  outputs        [{dtype, shape, data}]         in the order of the results; data null: only dtype and "
    "shape count\n"
    "  tol, rtol      numbers, absent 0: |got - want| <= tol + rtol |want| for each element\n"
    "  error          instead of outputs, {stage}: 'build' or 'exec', when the program must be refused\n"
    "  convention     true: a difference is a matter of convention and is counted as skipped\n"
    "Numbers: NaN, Infinity and -Infinity are strings, a complex number is [re, im], bool is true or false.\n"
    "Expressions: names of inputs and variables, dtypes by name, numbers, 'strings', True, False, None, "
    "[lists], list[index],\n"
    "'lambda a, b: expr', and calls op(value, keyword=value). A result that is a list becomes several "
    "results.\n";

struct options {
    const char *backend, *category, *id, *expect;
    bool verbose, list_unsupported;
};

/* A name with counts: a category, or an operation that is missing. */
struct row {
    char *name;
    size_t passed, failed, skipped;
};

struct table {
    struct row *rows;
    size_t n;
};

struct report {
    struct options options;
    struct table categories, missing;
    size_t passed, failed, skipped;
    struct expectations *expected;
};

static struct row *find_row(struct table *table, const char *name, size_t n) {
    for (size_t i = 0; i < table->n; i++) {
        if (strncmp(table->rows[i].name, name, n) == 0 && table->rows[i].name[n] == 0) return &table->rows[i];
    }
    struct row *more = realloc(table->rows, (table->n + 1) * sizeof *more);
    if (!more) return NULL;
    table->rows = more;
    char *copy = calloc(1, n + 1);
    if (!copy) return NULL;
    memcpy(copy, name, n);
    table->rows[table->n] = (struct row){.name = copy};
    return &table->rows[table->n++];
}

static void free_table(struct table *table) {
    for (size_t i = 0; i < table->n; i++) free(table->rows[i].name);
    free(table->rows);
}

static int by_skipped(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    return x->skipped != y->skipped ? (x->skipped < y->skipped ? 1 : -1) : strcmp(x->name, y->name);
}

static void count_missing(struct report *report, const char *names) {
    while (*names) {
        size_t n = strcspn(names, " ");
        struct row *row = n > 0 ? find_row(&report->missing, names, n) : NULL;
        if (row) row->skipped++;
        names += n + (names[n] == ' ');
    }
}

/* Counts one verdict and prints what the options ask for. */
static void count_case(struct report *report, const struct test_case *test, enum verdict verdict,
                       const char *why) {
    struct row *row = find_row(&report->categories, test->category, strlen(test->category)), none = {0};
    struct row *counts = row ? row : &none;
    bool convention =
        verdict == VERDICT_FAILED &&
        (test->convention || (report->expected && expectations_is_convention(report->expected, test->id)));
    if (report->expected) expectations_check(report->expected, test->id, verdict, why);
    if (verdict == VERDICT_PASSED) {
        report->passed++, counts->passed++;
        if (report->options.verbose) printf("pass %s\n", test->id);
    } else if (verdict == VERDICT_FAILED && !convention) {
        report->failed++, counts->failed++;
        printf("FAIL %s: %s\n", test->id, why);
    } else {
        report->skipped++, counts->skipped++;
        if (report->options.verbose)
            printf("skip %s: %s%s\n", test->id, convention ? "by convention: " : "not in the library: ", why);
        if (report->options.list_unsupported && !convention) printf("%s: %s\n", test->id, why);
        if (!convention) count_missing(report, why);
    }
}

static void run_file(struct report *report, const struct case_file *file, fx_backend *backend) {
    const struct options *options = &report->options;
    for (size_t i = 0; i < file->count; i++) {
        struct arena arena = {NULL};
        struct test_case test;
        struct message why = {""};
        bool good = case_file_read(file, i, &arena, &test, &why);
        bool wanted = (!options->category || strcmp(options->category, test.category) == 0) &&
                      (!options->id || strcmp(options->id, test.id) == 0);
        if (wanted) {
            enum verdict verdict = good ? case_run(&test, &arena, backend, &why) : VERDICT_FAILED;
            count_case(report, &test, verdict, why.s);
        }
        test_case_clear(&test);
        arena_free(&arena);
    }
}

static void print_report(struct report *report) {
    printf("\n%-24s %8s %8s %8s\n", "category", "passed", "failed", "skipped");
    for (size_t i = 0; i < report->categories.n; i++) {
        const struct row *row = &report->categories.rows[i];
        printf("%-24s %8zu %8zu %8zu\n", row->name, row->passed, row->failed, row->skipped);
    }
    if (report->missing.n > 0) {
        qsort(report->missing.rows, report->missing.n, sizeof *report->missing.rows, by_skipped);
        printf("\nnot in the library (cases):");
        for (size_t i = 0; i < report->missing.n; i++) {
            printf("%s%s (%zu)", i % 6 == 0 ? "\n  " : ", ", report->missing.rows[i].name,
                   report->missing.rows[i].skipped);
        }
        printf("\n");
    }
}

static int run_files(struct report *report, char *const *paths, size_t n) {
    fx_error err = {FX_OK, 0, NULL, ""};
    struct message why = {""};
    int status = 0;
    if (report->options.expect && !(report->expected = expectations_open(report->options.expect, &why))) {
        fprintf(stderr, "fluxion-cases: %s\n", why.s);
        return 2;
    }
    fx_backend *backend = fx_backend_open(report->options.backend, &err);
    if (!backend) {
        fprintf(stderr, "fluxion-cases: %s\n", err.message);
        return 2;
    }
    for (size_t i = 0; i < n; i++) {
        struct case_file file;
        if (!case_file_open(&file, paths[i], &why)) {
            fprintf(stderr, "fluxion-cases: %s\n", why.s);
            status = 2;
            continue;
        }
        run_file(report, &file, backend);
        case_file_close(&file);
    }
    fx_backend_close(backend);
    print_report(report);
    size_t wrong = report->expected ? expectations_finish(report->expected) : report->failed;
    printf("%zu passed, %zu failed, %zu skipped\n", report->passed, report->failed, report->skipped);
    return status != 0 ? status : wrong > 0;
}

static void print_ops(void) {
    const struct op *op;
    for (size_t i = 0; (op = case_op_at(i)); i++) printf("%s(%s)\n", op->name, op->signature);
}

/* Where the value of an option goes; NULL: it has none. */
static const char **option_value(struct options *options, const char *name) {
    if (strcmp(name, "--backend") == 0) return &options->backend;
    if (strcmp(name, "--category") == 0) return &options->category;
    if (strcmp(name, "--id") == 0) return &options->id;
    if (strcmp(name, "--expect") == 0) return &options->expect;
    return NULL;
}

/* Sorts the paths to the front of argv; their number, or -1. */
static int parse_options(struct options *options, int argc, char **argv) {
    int n = 0;
    for (int i = 1; i < argc; i++) {
        const char **value = option_value(options, argv[i]);
        if (value && i + 1 < argc)
            *value = argv[++i];
        else if (!value && strcmp(argv[i], "--verbose") == 0)
            options->verbose = true;
        else if (!value && strcmp(argv[i], "--list-unsupported") == 0)
            options->list_unsupported = true;
        else if (argv[i][0] != '-')
            argv[n++] = argv[i];
        else
            return -1;
    }
    return n;
}

int main(int argc, char **argv) {
    struct report report = {.passed = 0};
    if (argc == 2 && strcmp(argv[1], "--format") == 0) return fputs(format, stdout) < 0;
    if (argc == 2 && strcmp(argv[1], "--ops") == 0) {
        print_ops();
        return 0;
    }
    int n = parse_options(&report.options, argc, argv);
    if (n <= 0) {
        fputs(usage, stderr);
        return 2;
    }
    int status = run_files(&report, argv, (size_t)n);
    expectations_free(report.expected);
    free_table(&report.categories);
    free_table(&report.missing);
    return status;
}
