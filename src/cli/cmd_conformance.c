/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that check themselves. Files are run by several threads, each with the next file that nobody
 * has; what a file has to say is collected and printed in the order of the files. A file is split at lines
 * `// -----`; each part is parsed alone, with the lines before it left empty, so that messages tell the
 * file's lines. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "cli.h"
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct counts {
    long passed, failed, skipped;
} counts;

/* What running one file gave. */
typedef struct outcome {
    char *text;
    size_t length;
    counts n;
    bool done;
} outcome;

typedef struct work {
    const char **files;
    size_t n, next, printed;
    outcome *outcomes;
    fx_backend *backend;
    bool verbose;
    pthread_mutex_t mutex;
} work;

/* One part of a file while it runs. */
typedef struct part {
    const work *work;
    const char *file;
    FILE *out;
    counts *n;
    const char *text;
} part;

/* ---- one function ---- */

static void report_check(const part *p, const char *verdict, const char *function, const fx_check *check,
                         const fx_tensor *got, const fx_tensor *wanted, const cli_difference *d) {
    const fx_shape *shape = fx_tensor_shape(got);
    fprintf(p->out, "%s: %s:%d: @%s: ", verdict, p->file, check->line, function);
    if (!d->comparable) {
        fprintf(p->out, "shape %s, should be %s\n", fx_shape_to_text(shape).s,
                fx_shape_to_text(fx_tensor_shape(wanted)).s);
        return;
    }
    cli_print_index(p->out, shape, d->index);
    fprintf(p->out, " is %s", cli_element_text(got, d->index).s);
    fprintf(p->out, ", should be %s (worst of the tensor: %.6g ulp)\n", cli_element_text(wanted, d->index).s,
            d->ulp);
}

/* The results of a function while they are compared, a pair for each check. */
typedef struct results {
    const fx_module *module;
    size_t function, n;
    fx_tensor **out, **exact; /* exact: in float64, computed when first asked for; NULL */
    bool asked;
} results;

static bool is_nearer(const part *p, results *r, size_t i, const fx_check *check) {
    if (!r->asked)
        r->exact = cli_exact_checks(p->text, fx_module_function_name(r->module, r->function), 2 * r->n);
    r->asked = true;
    return r->exact && cli_is_nearer(r->out[2 * i], r->out[2 * i + 1], r->exact[2 * i], check);
}

/* Whether a pair agrees, or is nearer to the value in float64 than what is expected. */
static bool compare_pair(const part *p, results *r, size_t i) {
    fx_check check;
    fx_error err = {.code = FX_OK};
    const char *name = fx_module_function_name(r->module, r->function);
    fx_tensor *got = r->out[2 * i], *wanted = r->out[2 * i + 1];
    if (!fx_module_check(r->module, r->function, i, &check) || !fx_tensor_fetch(got, &err) ||
        !fx_tensor_fetch(wanted, &err)) {
        fprintf(p->out, "failed: %s: @%s: %s\n", p->file, name,
                err.code ? err.message : "a check that is not understood");
        return false;
    }
    cli_difference d = cli_compare(got, wanted, &check);
    if (d.comparable && d.index < 0) return true;
    bool nearer = d.comparable && is_nearer(p, r, i, &check);
    report_check(p, nearer ? "nearer than expected" : "failed", name, &check, got, wanted, &d);
    return nearer;
}

static bool compare_all(const part *p, results *r) {
    bool ok = true;
    for (size_t i = 0; i < r->n; i++) ok = compare_pair(p, r, i) && ok;
    cli_free_tensors(r->exact, 2 * r->n);
    return ok;
}

/* Counts a failure that has a reason: what cannot be said in nodes is skipped. Messages of the reader begin
 * with the file's name themselves. */
static void count_error(const part *p, const char *function, const fx_error *err) {
    bool skipped = err->code == FX_ERROR_UNSUPPORTED;
    ++*(skipped ? &p->n->skipped : &p->n->failed);
    if (skipped && !p->work->verbose) return;
    fprintf(p->out, "%s: ", skipped ? "skipped" : "failed");
    if (strncmp(err->message, p->file, strlen(p->file)) != 0) fprintf(p->out, "%s: ", p->file);
    if (function) fprintf(p->out, "@%s: ", function);
    fprintf(p->out, "%.*s\n", (int)strcspn(err->message, "\n"), err->message);
}

/* Room for the pairs; NULL: a failure, which is counted. */
static fx_tensor **new_pairs(const part *p, const char *function, size_t n) {
    fx_tensor **out = n <= FX_MOST_CHECKS ? calloc(2 * n + 1, sizeof *out) : NULL;
    if (out) return out;
    p->n->failed++;
    fprintf(p->out, "failed: %s: @%s: ", p->file, function);
    if (n > FX_MOST_CHECKS)
        fprintf(p->out, "more than %d checks\n", FX_MOST_CHECKS);
    else
        fputs("out of memory\n", p->out);
    return NULL;
}

static void run_function(const part *p, const fx_module *module, size_t function) {
    size_t n = fx_module_check_count(module, function);
    const char *name = fx_module_function_name(module, function);
    fx_error err = {.code = FX_OK};
    fx_tensor **out = new_pairs(p, name, n);
    if (!out) return;
    results r = {.module = module, .function = function, .n = n, .out = out};
    fx_exec *exec = fx_exec_new_checks(p->work->backend, module, function, &err);
    if (!exec || !fx_exec_call(exec, NULL, 0, out, 2 * n, &err)) {
        count_error(p, name, &err);
    } else if (compare_all(p, &r)) {
        p->n->passed++;
        if (p->work->verbose) fprintf(p->out, "passed: %s: @%s\n", p->file, name);
    } else {
        p->n->failed++;
    }
    cli_free_tensors(out, 2 * n);
    fx_exec_free(exec);
}

/* ---- one file ---- */

static void skip_part(const part *p, const char *name, const char *why) {
    p->n->skipped++;
    if (p->work->verbose) fprintf(p->out, "skipped: %s%s%s: %s\n", p->file, *name ? ": @" : "", name, why);
}

static void run_module(const part *p, const fx_module *module) {
    bool any = false;
    for (size_t f = 0; f < fx_module_function_count(module); f++) {
        const char *name = fx_module_function_name(module, f);
        if (!fx_module_function_is_public(module, f) || fx_module_check_count(module, f) == 0) continue;
        any = true;
        if (fx_module_input_count(module, f) > 0)
            skip_part(p, name, "it takes inputs");
        else
            run_function(p, module, f);
    }
    if (!any) skip_part(p, "", "it checks nothing");
}

/* Whether the text says anything but comments. */
static bool says_something(const char *text) {
    while (*text) {
        text += strspn(text, " \t\r\n");
        if (*text && strncmp(text, "//", 2) != 0) return true;
        text += strcspn(text, "\n");
    }
    return false;
}

static void run_part(part *p, const char *text, size_t length) {
    p->text = text;
    fx_error err = {.code = FX_OK};
    if (!says_something(text)) return;
    fx_module *module = fx_module_parse(text, length, p->file, &err);
    if (module)
        run_module(p, module);
    else
        count_error(p, NULL, &err);
    fx_module_free(module);
}

static char *next_part(char *text) {
    for (char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
        if (strncmp(line, "// -----", 8) == 0) return line;
    return NULL;
}

/* Everything before a part is blanked out but for the ends of lines. */
static void run_parts(part *p, char *text) {
    for (char *begin = text; begin;) {
        char *end = next_part(begin), kept = end ? *end : 0;
        if (end) *end = 0;
        run_part(p, text, strlen(text));
        for (char *c = begin; *c; c++)
            if (*c != '\n') *c = ' ';
        if (!end) return;
        *end = kept;
        begin = end + strcspn(end, "\n");
        for (char *c = end; c < begin; c++) *c = ' ';
    }
}

static void run_file(const work *w, const char *file, outcome *o) {
    size_t size;
    part p = {w, file, open_memstream(&o->text, &o->length), &o->n, NULL};
    if (!p.out) exit(cli_fail("out of memory"));
    char *text = cli_read_file(file, &size);
    if (text)
        run_parts(&p, text);
    else
        o->n.failed++;
    free(text);
    fclose(p.out);
}

/* ---- all files ---- */

/* With the mutex held: prints what is done, up to the first file that is not. */
static void print_done(work *w) {
    while (w->printed < w->n && w->outcomes[w->printed].done) {
        outcome *o = &w->outcomes[w->printed++];
        fwrite(o->text, 1, o->length, stdout);
        free(o->text);
    }
}

static void *work_on(void *user) {
    work *w = user;
    pthread_mutex_lock(&w->mutex);
    while (w->next < w->n) {
        size_t i = w->next++;
        pthread_mutex_unlock(&w->mutex);
        run_file(w, w->files[i], &w->outcomes[i]);
        pthread_mutex_lock(&w->mutex);
        w->outcomes[i].done = true;
        print_done(w);
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

static counts run_all(work *w, long jobs) {
    pthread_t threads[64];
    long started = 0;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 8 << 20);
    while (started < jobs - 1 && started < 64 && (size_t)started + 1 < w->n &&
           pthread_create(&threads[started], &attributes, work_on, w) == 0)
        started++;
    work_on(w);
    for (long i = 0; i < started; i++) pthread_join(threads[i], NULL);
    pthread_attr_destroy(&attributes);
    counts all = {0, 0, 0};
    for (size_t i = 0; i < w->n; i++) {
        all.passed += w->outcomes[i].n.passed;
        all.failed += w->outcomes[i].n.failed;
        all.skipped += w->outcomes[i].n.skipped;
    }
    return all;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void push(cli_list *list, const char *path) {
    const char **longer = realloc(list->v, (list->n + 1) * sizeof *longer);
    if (!longer) exit(cli_fail("out of memory"));
    list->v = longer;
    list->v[list->n++] = path;
}

/* The .mlir files of a folder, sorted, or the file itself. */
static bool add_files(cli_list *files, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        push(files, cli_join(path, "", ""));
        return true;
    }
    DIR *folder = opendir(path);
    size_t first = files->n;
    if (!folder) return cli_fail("%s: cannot be opened", path) == CLI_OK;
    for (struct dirent *e; (e = readdir(folder)) != NULL;)
        if (cli_format_of(e->d_name) == CLI_MLIR) push(files, cli_join(path, "/", e->d_name));
    closedir(folder);
    if (files->n > first) qsort(files->v + first, files->n - first, sizeof *files->v, by_name);
    return files->n > first || cli_fail("%s: no .mlir file is in it", path) == CLI_OK;
}

static int run_files(const cli_settings *settings, const cli_list *files) {
    work w = {.files = files->v, .n = files->n, .verbose = settings->verbose};
    w.backend = cli_open_backend(settings, settings->backend);
    if (!w.backend) return CLI_FAILED;
    w.outcomes = cli_alloc(files->n, sizeof *w.outcomes);
    pthread_mutex_init(&w.mutex, NULL);
    cli_settings all = {.threads = settings->jobs};
    counts n = run_all(&w, cli_threads(&all));
    printf("%ld passed, %ld failed, %ld skipped\n", n.passed, n.failed, n.skipped);
    pthread_mutex_destroy(&w.mutex);
    free(w.outcomes);
    fx_backend_close(w.backend);
    return n.failed > 0 ? CLI_FAILED : CLI_OK;
}

int cli_conformance(const cli_settings *settings) {
    cli_list files = {NULL, 0};
    bool ok = true;
    for (size_t i = 0; ok && i < settings->files.n; i++) ok = add_files(&files, settings->files.v[i]);
    int status = ok ? run_files(settings, &files) : CLI_FAILED;
    for (size_t i = 0; i < files.n; i++) free((void *)(uintptr_t)files.v[i]);
    free(files.v);
    return status;
}
