/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the tool share. It sees the library as everybody does: public headers alone. It
 * prints, and takes its memory from malloc; a command returns the status that the process ends with. */
#ifndef CLI_H
#define CLI_H

#include <fluxion.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#if defined(__GNUC__)
#define CLI_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define CLI_PRINTF(f, a)
#endif

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* ---- the command line (arguments.c) ---- */

typedef struct cli_list {
    const char **v;
    size_t n;
} cli_list;

/* What options say; each command uses some. */
typedef struct cli_settings {
    cli_list files, inputs;
    const char *function, *output, *backend, *against, *name, *dtype, *to;
    long threads, repeat, jobs; /* 0: not given */
    long ulp, random;           /* bound, seed; -1: not given */
    bool zeros, verbose, dot, svg, program, memory, deflate, help;
} cli_settings;

typedef struct cli_command {
    const char *name, *arguments, *summary, *more;
    const char *options; /* names, each between spaces */
    int (*run)(const cli_settings *settings);
    size_t least, most; /* files */
} cli_command;
extern const cli_command cli_commands[];
extern const size_t cli_command_count;

/* Reads what follows the command's name. False: a message was printed. */
bool cli_parse(const cli_command *command, int n, char **words, cli_settings *settings);
void cli_free_settings(cli_settings *settings);
void cli_print_options(const cli_command *command, FILE *stream);
/* The one of n names that is nearest to a word; NULL: none is near. */
const char *cli_nearest(const char *word, const char *const *names, size_t n);

/* ---- messages, main.c: "fluxion: ..." to stderr ---- */
int cli_fail(const char *format, ...) CLI_PRINTF(1, 2);  /* gives CLI_FAILED */
int cli_fail_error(const fx_error *err);                 /* the same with what the library says */
int cli_usage(const char *format, ...) CLI_PRINTF(1, 2); /* gives CLI_USAGE: the caller names the help */
const char *cli_reason(const fx_error *err);             /* without the function's name */
/* Memory that can end ends the process with a message. */
void *cli_alloc(size_t count, size_t size);
char *cli_join(const char *a, const char *b, const char *c);

/* ---- backends (cmd_backends.c) ---- */
/* The one of the settings (config NULL: --backend) with its threads; NULL: a message was printed. */
fx_backend *cli_open_backend(const cli_settings *settings, const char *config);
/* Threads that the settings ask for, else all processors. */
long cli_threads(const cli_settings *settings);

/* ---- files (files.c) ---- */

typedef enum cli_format { CLI_NONE, CLI_NPY, CLI_NPZ, CLI_SAFETENSORS, CLI_MLIR } cli_format;
/* By the end of the name, or of the word alone. */
cli_format cli_format_of(const char *path);
bool cli_is_standard(const char *path); /* "-" */
/* All of a file, or of standard input for "-". NULL: a message was printed. Ends in a 0. */
char *cli_read_file(const char *path, size_t *size);
/* The tensors of a file as a map; that of a .npy file is called by the file's name. What "-" gives is told
 * by its first bytes. NULL: a message was printed. */
fx_params *cli_read_tensors(const char *path, fx_dtype raw);
/* Writes a map to a file (by its name or the format), to standard output for "-", or with `folder` each
 * tensor to a .npy file in there. False: a message was printed. */
bool cli_write_tensors(const fx_params *tensors, const char *path, cli_format format, bool deflate);
bool cli_write_folder(const fx_params *tensors, const char *path);
/* "name_N"; the name is freed. */
char *cli_add_number(char *name, size_t number);
/* For the functions of the library that write piece by piece: a FILE. */
bool cli_write_stream(void *stream, const char *bytes, size_t n);

/* ---- programs (programs.c) ---- */
/* NULL: a message was printed. */
fx_module *cli_read_module(const char *path);
/* Number of the function that is asked for (NULL: the main one); -1: a message was printed. */
ptrdiff_t cli_find_function(const fx_module *module, const char *path, const char *name);
/* Its graph, finished, to be freed; NULL: a message was printed. */
fx_graph *cli_build_graph(const fx_module *module, size_t function);
/* Whether every input is of one shape; false: a message was printed. */
bool cli_has_shapes(const fx_module *module, size_t function);

/* ---- inputs of a function (inputs.c) ---- */
/* A tensor for each input, to be freed by cli_free_tensors; NULL: a message was printed, that lists what is
 * wanted where something is missing. fill: those that are not given are made, as if --random 1 were said. */
fx_tensor **cli_make_inputs(const cli_settings *settings, const fx_module *module, size_t function,
                            bool fill);
void cli_free_tensors(fx_tensor **tensors, size_t n);
/* Arguments of calls, to be freed. */
fx_arg *cli_make_args(fx_tensor *const *tensors, size_t n);
/* Runs it once and waits for the results; out[] is to be freed by the caller. */
bool cli_call(fx_exec *exec, const fx_arg *args, size_t n, fx_tensor **out, size_t n_out, fx_error *err);

/* ---- comparing (compare.c) ---- */
typedef struct cli_difference {
    int64_t index;   /* first element out of bounds; -1: none */
    int64_t worst;   /* element with the most ulp; -1: all equal */
    double ulp;      /* there, infinite for NaN against a number and the like */
    bool comparable; /* same shapes */
} cli_difference;
/* Compares by the rules of a check; `got` and `wanted` may be on a device. */
cli_difference cli_compare(const fx_tensor *got, const fx_tensor *wanted, const fx_check *check);
/* Distance of neighbours at the largest finite element; 0 for what is no float. */
double cli_step(const fx_tensor *tensor);
/* The largest difference in steps of b's largest element; infinite for NaN against a number and the like. */
double cli_most_steps(const fx_tensor *a, const fx_tensor *b);
/* Whether every element out of bounds is at least as near to the exact one (of a float64 type) as the wanted
 * one, which is near it as well. */
bool cli_is_nearer(const fx_tensor *got, const fx_tensor *wanted, const fx_tensor *exact,
                   const fx_check *check);
/* Value of the bits of a float dtype. */
double cli_float_of(fx_dtype dtype, uint64_t bits);
/* The n results of fx_exec_new_checks for a program in float64 (widen.c), to be freed by cli_free_tensors;
 * NULL: there are none. */
fx_tensor **cli_exact_checks(const char *text, const char *function, size_t n);
/* "[1, 2]" and the text of that element. */
void cli_print_index(FILE *stream, const fx_shape *shape, int64_t index);
fx_text cli_element_text(const fx_tensor *tensor, int64_t index);

/* ---- pictures of a graph's text (draw_dot.c, draw_svg.c) ---- */
bool cli_draw_dot(const char *graph, FILE *stream);
bool cli_draw_svg(const char *graph, FILE *stream);

/* ---- commands ---- */
int cli_run(const cli_settings *settings);
int cli_show(const cli_settings *settings);
int cli_check(const cli_settings *settings);
int cli_conformance(const cli_settings *settings);
int cli_convert(const cli_settings *settings);
int cli_backends(const cli_settings *settings);

#endif
