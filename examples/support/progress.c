/* SPDX-License-Identifier: Apache-2.0 */
/* The time left is what the steps so far took on average, for the steps that are left. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30 };
#define REDRAW 0.1 /* seconds */

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

progress progress_begin(const char *unit, long total) {
    return (progress){
        .unit = unit, .total = total, .is_terminal = isatty(STDERR_FILENO) != 0, .begun = seconds()};
}

static void draw_bar(const progress *p, long done, double taken, const char *note) {
    int filled = (int)(done * BAR / p->total);
    double rate = taken > 0 ? (double)done / taken : 0, left = done > 0 ? taken / (double)done : 0;
    left *= (double)(p->total - done);
    fprintf(stderr, "\r[%.*s%.*s] %3ld %%  %.0f %s/s  %.0f s left  %s\033[K", filled,
            "##############################", BAR - filled, "..............................",
            done * 100 / p->total, rate, p->unit, left, note ? note : "");
    fflush(stderr);
}

void progress_show(progress *p, long done, const char *note) {
    double now = seconds(), taken = now - p->begun;
    if (p->total <= 0) return;
    if (p->is_terminal) {
        if (done < p->total && now - p->shown < REDRAW) return;
        draw_bar(p, done, taken, note);
        p->shown = now;
    } else if (done * 10 / p->total > p->tenth) {
        p->tenth = done * 10 / p->total;
        fprintf(stderr, "%ld of %ld %s, %.1f s%s%s\n", done, p->total, p->unit, taken, note ? ", " : "",
                note ? note : "");
    }
}

void progress_end(progress *p) {
    if (p->is_terminal && p->shown > 0) fputc('\n', stderr);
}
