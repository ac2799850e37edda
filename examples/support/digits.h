/* SPDX-License-Identifier: Apache-2.0 */
/* The handwritten digits of examples/data, shuffled by a seed and parted: two thirds to learn from, one third,
 * never learned from, to judge by. */
#ifndef SUPPORT_DIGITS_H
#define SUPPORT_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

enum { DIGITS_COUNT = 1797, DIGITS_TRAIN = 1198, DIGITS_TEST = DIGITS_COUNT - DIGITS_TRAIN, DIGITS_SIDE = 8 };
enum { DIGITS_PIXELS = DIGITS_SIDE * DIGITS_SIDE, DIGITS_CLASSES = 10 };

typedef struct digits {
    float images[DIGITS_COUNT][DIGITS_PIXELS]; /* 0 .. 1; the first DIGITS_TRAIN are to learn from */
    int32_t labels[DIGITS_COUNT];
    uint64_t random; /* what shuffles them */
} digits;

/* Reads the file and shuffles. False, with a line on stderr, when it cannot be read. */
bool digits_read(digits *d, const char *path, uint64_t seed);
/* The images to learn from in a new order. */
void digits_shuffle(digits *d);
/* Copies n images from number `first` on, each moved by up to one pixel in both directions at random: more
 * digits to learn from than there are. */
void digits_moved(digits *d, int first, int n, float (*images)[DIGITS_PIXELS]);

#endif
