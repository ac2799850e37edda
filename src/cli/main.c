/* SPDX-License-Identifier: Apache-2.0 */
/* The tool `fluxion`: a table of commands, help made of it, and the end of the process. */
#include "cli.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define INPUTS " input random zeros"
const cli_command cli_commands[] = {
    {"run", "FILE.mlir", "runs a function of a StableHLO program",
     "Inputs come in order, by name (NAME=FILE, N=FILE) or from an archive whose members are called as the\n"
     "inputs, their numbers or arr_N. Without --output the values are printed. In a folder, results are\n"
     "NAME.npy, with _ for what file names should not hold, at most 200 bytes, and _N with the result's\n"
     "number where the name is taken. With --repeat, nothing is printed but\n"
     "  run,FILE,THREADS,MEDIAN_US,MIN_US\n  compile,FILE,THREADS,US,US\n",
     " function output backend threads repeat help" INPUTS " ", cli_run, 1, 1},
    {"show", "FILE", "shows a program, what it is compiled to, or the tensors of a file",
     "Without an option: the graph as text, one node a line.\n",
     " function dot svg program memory backend threads dtype help ", cli_show, 1, 1},
    {"check", "FILE.mlir --against BACKEND", "compares the results of two backends",
     "Inputs that are not given are random. Status 1: an element of a float differs by more than the bound "
     "both\n"
     "in steps of its own size and in steps of the largest of its tensor, or another element differs at "
     "all.\n",
     " function against backend threads ulp help" INPUTS " ", cli_check, 1, 1},
    {"conformance", "FILE|FOLDER...", "runs programs that check themselves",
     "Files are split at lines `// -----`; every public function with checks and without inputs is run. "
     "What\n"
     "no node can stand for is skipped. Results out of bounds that are nearer to the value in float64 than "
     "the\n"
     "expected ones, which are near it too, pass and are listed. The last line counts: N passed, N failed, N "
     "skipped.\n",
     " backend threads jobs verbose help ", cli_conformance, 1, SIZE_MAX},
    {"convert", "IN OUT", "converts between .npy, .npz and .safetensors, and rewrites .mlir",
     "A .npy file holds one tensor: --name chooses it, or names it. - is standard input, or output for\n"
     "--to npy, npz and mlir (not safetensors). A .mlir file is read and written again, in the generic "
     "form.\n",
     " name dtype to deflate function help ", cli_convert, 2, 2},
    {"backends", "", "lists the backends that work here",
     "FLUXION_PJRT_PLUGIN names a plugin of the PJRT interface; installed ones are found.\n", " help ",
     cli_backends, 0, 0},
};
const size_t cli_command_count = sizeof cli_commands / sizeof *cli_commands;

/* ---- messages ---- */

static void say(const char *format, va_list list) {
    fputs("fluxion: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
}

int cli_fail(const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
    return CLI_FAILED;
}

/* Users of a tool did not call that function. */
const char *cli_reason(const fx_error *err) {
    const char *reason = err->message, *colon = strstr(reason, ": ");
    return strncmp(reason, "fx_", 3) == 0 && colon ? colon + 2 : reason;
}

/* What can be done about it with this tool. */
static const char *advice(const char *reason) {
    if (strstr(reason, "a dynamic shape")) return "; export with fixed shapes";
    return strstr(reason, "raw bytes: ") ? ", with --dtype" : "";
}

int cli_fail_error(const fx_error *err) {
    const char *reason = cli_reason(err), *more = advice(reason);
    int line = (int)strcspn(reason, "\n"); /* lines of the text may follow */
    if (!err->file || !err->line || strstr(reason, err->file))
        return cli_fail("%.*s%s%s", line, reason, more, reason + line);
    return cli_fail("%s:%d: %.*s%s%s", err->file, err->line, line, reason, more, reason + line);
}

int cli_usage(const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
    return CLI_USAGE;
}

void *cli_alloc(size_t count, size_t size) {
    void *block = calloc(count + 1, size);
    if (!block) exit(cli_fail("out of memory"));
    return block;
}

char *cli_join(const char *a, const char *b, const char *c) {
    size_t room = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = cli_alloc(room, 1);
    snprintf(text, room, "%s%s%s", a, b, c);
    return text;
}

/* ---- help ---- */

static int print_help(FILE *stream) {
    fprintf(stream, "usage: fluxion COMMAND [OPTION]... [FILE]...\n\n");
    for (size_t i = 0; i < cli_command_count; i++)
        fprintf(stream, "  %-12s %s\n", cli_commands[i].name, cli_commands[i].summary);
    fprintf(stream, "\n  fluxion help COMMAND   its arguments and options (also: fluxion COMMAND --help)\n"
                    "  fluxion --version\n\n"
                    "Status: 0 done, 1 something failed or differs, 2 wrong arguments.\n");
    return CLI_OK;
}

static int print_command_help(const cli_command *command) {
    printf("usage: fluxion %s%s%s [OPTION]...\n%s.\n\n%s\n", command->name, *command->arguments ? " " : "",
           command->arguments, command->summary, command->more);
    cli_print_options(command, stdout);
    return CLI_OK;
}

static const cli_command *find_command(const char *name) {
    const char *names[16];
    for (size_t i = 0; i < cli_command_count; i++) {
        names[i] = cli_commands[i].name;
        if (strcmp(name, names[i]) == 0) return &cli_commands[i];
    }
    const char *near = cli_nearest(name, names, cli_command_count);
    cli_usage("unknown command '%s'%s%s%s", name, near ? ": did you mean '" : "", near ? near : "",
              near ? "'?" : "");
    fputs("Try 'fluxion help'.\n", stderr);
    return NULL;
}

static int help(int argc, char **argv) {
    if (argc < 3) return print_help(stdout);
    const cli_command *command = find_command(argv[2]);
    return command ? print_command_help(command) : CLI_USAGE;
}

static int run_command(const cli_command *command, int n, char **words) {
    cli_settings settings = {.random = -1, .ulp = -1};
    int status = CLI_USAGE;
    if (cli_parse(command, n, words, &settings))
        status = settings.help ? print_command_help(command) : command->run(&settings);
    cli_free_settings(&settings);
    if (status == CLI_USAGE) fprintf(stderr, "Try 'fluxion help %s'.\n", command->name);
    return status;
}

static bool is_one_of(const char *word, const char *a, const char *b) {
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (is_one_of(argv[1], "--version", "-V"))
        return printf("fluxion %s\n", fx_version()) > 0 ? CLI_OK : CLI_FAILED;
    if (is_one_of(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0) return help(argc, argv);
    const cli_command *command = find_command(argv[1]);
    return command ? run_command(command, argc - 2, argv + 2) : CLI_USAGE;
}

int main(int argc, char **argv) {
    int status = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) return cli_fail("standard output: %s", strerror(errno));
    return status;
}
