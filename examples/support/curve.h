/* SPDX-License-Identifier: Apache-2.0 */
/* A curve that grows while a program runs, such as the loss of each step, and two pictures of it: a line of
 * text, and an SVG file. */
#ifndef SUPPORT_CURVE_H
#define SUPPORT_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct curve {
    double *v; /* owned */
    size_t n, room;
} curve;

/* Appends a value. False: no memory. */
bool curve_add(curve *c, double value);
void curve_free(curve *c);
/* Mean of part i of `parts` equal ones, in which the curve is cut. */
double curve_mean(const curve *c, size_t i, size_t parts);
/* Prints the curve in `width` characters, each the mean of its part, from the smallest to the largest. */
void curve_print(const curve *c, int width);
/* The same to a stream. */
void curve_print_to(const curve *c, int width, FILE *stream);
/* Draws it over the steps, the height by the logarithm where all values are above 0. False, with a line on
 * stderr, when the file cannot be written. */
bool curve_write_svg(const curve *c, const char *path, const char *title);

#endif
