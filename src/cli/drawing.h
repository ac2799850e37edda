/* SPDX-License-Identifier: Apache-2.0 */
/* A graph's text as nodes and arrows, for the drawings. */
#ifndef CLI_DRAWING_H
#define CLI_DRAWING_H

#include "cli.h"

/* Larger graphs are no drawing that anybody looks at. */
enum { CLI_MOST_DRAWN = 2000 };

typedef struct cli_box {
    long id;        /* as the text numbers it */
    char *label;    /* the operation, its shape */
    long *operands; /* ids */
    size_t n_operands;
} cli_box;

typedef struct cli_drawing {
    cli_box *boxes; /* operands come before what uses them */
    size_t n;
} cli_drawing;

/* Of the outermost graph; what lies in closures is left out. False: a message was printed. */
bool cli_read_drawing(const char *graph, cli_drawing *drawing);
void cli_free_drawing(cli_drawing *drawing);
/* Box of an id; n: there is none. */
size_t cli_find_box(const cli_drawing *drawing, long id);

#endif
