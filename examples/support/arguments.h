/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments that the training examples have in common. */
#ifndef SUPPORT_ARGUMENTS_H
#define SUPPORT_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct arguments {
    uint64_t seed;    /* --seed N */
    int epochs;       /* --epochs N */
    const char *data; /* --data FILE */
    const char *svg;  /* --svg FILE: the loss curve; NULL: none */
    const char
        *save; /* --save FILE: where all that lasts from step to step goes; NULL: nowhere, unless stopped */
    const char *load; /* --load FILE: go on from what was saved; NULL: from the beginning */
} arguments;

/* What is given on the command line replaces what *a holds. False, with the usage on stderr, for --help and for
 * anything else that is not understood. */
bool arguments_read(arguments *a, int argc, char **argv);

#endif
