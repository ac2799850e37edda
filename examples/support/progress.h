/* SPDX-License-Identifier: Apache-2.0 */
/* How far a run has come, on stderr: on a terminal a bar with the rate and the time left, drawn over itself a
 * few times a second; elsewhere, in a file or a pipe, a plain line for each tenth. */
#ifndef SUPPORT_PROGRESS_H
#define SUPPORT_PROGRESS_H

#include <stdbool.h>

typedef struct progress {
    const char *unit; /* of what is counted: "steps" */
    long total;
    bool is_terminal;
    double begun, shown; /* seconds of a clock that only goes forward */
    long tenth;          /* the last one that was written */
} progress;

progress progress_begin(const char *unit, long total);
/* `note` stands at the end of the line, e.g. "loss 0.123"; NULL: nothing. */
void progress_show(progress *p, long done, const char *note);
/* Ends the line of the bar. */
void progress_end(progress *p);

#endif
