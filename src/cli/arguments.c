/* SPDX-License-Identifier: Apache-2.0 */
/* Options: one table says of each what it takes, where that goes and what it means; commands name those that
 * they have. --name VALUE and --name=VALUE are the same, -- ends options, and a word that is no option's name
 * is answered by the nearest one, by the number of letters to change. */
#include "cli.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_kind { FLAG, TEXT, NUMBER, LIST } option_kind;

typedef struct option {
    const char *name, *value; /* the word for its value in help */
    option_kind kind;
    size_t offset; /* in the settings */
    const char *help;
} option;

#define AT(member) offsetof(cli_settings, member)
static const option options[] = {
    {"function", "NAME", TEXT, AT(function), "the function; default: main, or the only public one"},
    {"input", "[NAME=]FILE", LIST, AT(inputs),
     "an input: .npy, or an archive .npz, .safetensors; - reads one"},
    {"random", "SEED", NUMBER, AT(random), "make the inputs that are not given of small random numbers"},
    {"zeros", NULL, FLAG, AT(zeros), "make the inputs that are not given of zeros"},
    {"output", "FILE", TEXT, AT(output),
     "where results go: a folder (made), or FILE.npy, .npz, .safetensors; - is .npy"},
    {"backend", "CONFIG", TEXT, AT(backend),
     "cpu, interp, pjrt:PATH, with options ?key=value&...; see backends"},
    {"against", "CONFIG", TEXT, AT(against), "the backend to compare with"},
    {"threads", "N", NUMBER, AT(threads), "threads of the cpu backend; default: all processors"},
    {"repeat", "N", NUMBER, AT(repeat), "run N times and print the times alone"},
    {"ulp", "N", NUMBER, AT(ulp), "bound of differences in steps of the element type; default 64"},
    {"jobs", "N", NUMBER, AT(jobs), "files at once; default: as many as processors"},
    {"verbose", NULL, FLAG, AT(verbose), "name what passed and what was skipped too"},
    {"dot", NULL, FLAG, AT(dot), "a drawing for Graphviz"},
    {"svg", NULL, FLAG, AT(svg), "a drawing"},
    {"program", NULL, FLAG, AT(program), "the steps that it is compiled to"},
    {"memory", NULL, FLAG, AT(memory), "the bytes that a call takes"},
    {"name", "NAME", TEXT, AT(name), "the tensor that a .npy file is to hold, or is called"},
    {"dtype", "DTYPE", TEXT, AT(dtype), "of raw elements in files of NumPy, e.g. bfloat16"},
    {"to", "FORMAT", TEXT, AT(to), "npy, npz, safetensors or mlir, where the name does not say it"},
    {"deflate", NULL, FLAG, AT(deflate), "pack what an .npz file holds"},
    {"help", NULL, FLAG, AT(help), "this text"},
};
enum { OPTIONS = sizeof options / sizeof *options };

static bool has_option(const cli_command *command, const char *name) {
    char word[40];
    snprintf(word, sizeof word, " %s ", name);
    return strstr(command->options, word) != NULL;
}

void cli_print_options(const cli_command *command, FILE *stream) {
    for (size_t i = 0; i < OPTIONS; i++) {
        const option *o = &options[i];
        if (!has_option(command, o->name)) continue;
        char word[64];
        snprintf(word, sizeof word, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        fprintf(stream, "  %-20s %s\n", word, o->help);
    }
}

/* ---- the nearest name ---- */

enum { LONGEST_WORD = 30 };

/* Letters to insert, remove or replace (Levenshtein's distance). */
static size_t distance(const char *a, const char *b) {
    size_t row[LONGEST_WORD + 1], n = strlen(b);
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t corner = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            size_t best = corner + (a[i] != b[j]);
            corner = row[j + 1];
            if (corner + 1 < best) best = corner + 1;
            if (row[j] + 1 < best) best = row[j] + 1;
            row[j + 1] = best;
        }
    }
    return row[n];
}

const char *cli_nearest(const char *word, const char *const *names, size_t n) {
    const char *near = NULL;
    size_t least = 3; /* more letters are another word */
    if (strlen(word) > LONGEST_WORD) return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t d = distance(word, names[i]);
        if (d >= least || d >= strlen(names[i])) continue;
        least = d;
        near = names[i];
    }
    return near;
}

static bool fail_option(const cli_command *command, const char *word) {
    const char *names[OPTIONS];
    size_t n = 0;
    for (size_t i = 0; i < OPTIONS; i++)
        if (has_option(command, options[i].name)) names[n++] = options[i].name;
    const char *near = cli_nearest(word + strspn(word, "-"), names, n);
    cli_usage("%s: unknown option '%s'%s%s%s", command->name, word, near ? ": did you mean '--" : "",
              near ? near : "", near ? "'?" : "");
    return false;
}

/* ---- reading ---- */

static void push(cli_list *list, const char *word) {
    const char **longer = realloc(list->v, (list->n + 1) * sizeof *longer);
    if (!longer) exit(cli_fail("out of memory"));
    list->v = longer;
    list->v[list->n++] = word;
}

static bool read_number(const option *o, const char *text, long *number) {
    char *end;
    errno = 0;
    *number = strtol(text, &end, 10);
    bool zero = strcmp(o->name, "random") == 0 || strcmp(o->name, "ulp") == 0; /* which may be */
    if (errno == 0 && *text && !*end && *number >= (zero ? 0 : 1) && *number <= INT_MAX) return true;
    cli_usage("--%s: '%s' is no number from %d to %d", o->name, text, zero ? 0 : 1, INT_MAX);
    return false;
}

static bool set_option(const option *o, const char *value, cli_settings *settings) {
    void *slot = (char *)settings + o->offset;
    switch (o->kind) {
    case FLAG: *(bool *)slot = true; return true;
    case TEXT:
        if (*(const char **)slot) return cli_usage("--%s is given twice", o->name) == CLI_OK;
        *(const char **)slot = value;
        return true;
    case LIST: push(slot, value); return true;
    case NUMBER: return read_number(o, value, slot);
    }
    return false;
}

/* Takes the option in words[*i] and its value, which may be the next word. */
static bool take_option(const cli_command *command, int n, char **words, int *i, cli_settings *settings) {
    const char *word = words[*i], *equals = strchr(word, '=');
    if (strcmp(word, "-h") == 0) return settings->help = true;
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    for (size_t k = 0; k < OPTIONS; k++) {
        const option *o = &options[k];
        if (length < 3 || strlen(o->name) != length - 2 || strncmp(word + 2, o->name, length - 2) != 0 ||
            !has_option(command, o->name))
            continue;
        if (o->kind == FLAG && equals) return cli_usage("--%s takes no value", o->name) == CLI_OK;
        if (o->kind != FLAG && !equals && *i + 1 == n)
            return cli_usage("--%s: %s is missing", o->name, o->value) == CLI_OK;
        return set_option(o, o->kind == FLAG ? NULL : equals ? equals + 1 : words[++*i], settings);
    }
    return fail_option(command, word);
}

bool cli_parse(const cli_command *command, int n, char **words, cli_settings *settings) {
    bool ended = false;
    for (int i = 0; i < n; i++) {
        if (!ended && strcmp(words[i], "--") == 0)
            ended = true;
        else if (ended || words[i][0] != '-' || !words[i][1])
            push(&settings->files, words[i]);
        else if (!take_option(command, n, words, &i, settings))
            return false;
    }
    if (settings->zeros && settings->random >= 0)
        return cli_usage("%s: --random and --zeros exclude each other", command->name) == CLI_OK;
    size_t files = settings->files.n;
    if (settings->help || (files >= command->least && files <= command->most)) return true;
    if (files < command->least)
        cli_usage("%s: a file is missing", command->name);
    else
        cli_usage("%s: '%s' is too much", command->name, settings->files.v[command->most]);
    return false;
}

void cli_free_settings(cli_settings *settings) {
    free(settings->files.v);
    free(settings->inputs.v);
}
