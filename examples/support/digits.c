/* SPDX-License-Identifier: Apache-2.0 */
/* Reading is by hand: a digit, a space, and 64 pixels as 0 .. 9, a .. g. The generator is SplitMix64 (G. Steele et
 * al.), so that a seed means the same images on every machine. */
#include "digits.h"
#include <stdio.h>
#include <string.h>

static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static int below(uint64_t *state, int n) {
    return (int)(next_random(state) % (uint64_t)n);
}

static bool parse_line(const char *line, digits *d, int i) {
    if (line[0] < '0' || line[0] > '9' || line[1] != ' ') return false;
    d->labels[i] = line[0] - '0';
    for (int k = 0; k < DIGITS_PIXELS; k++) {
        char c = line[2 + k];
        int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'g' ? c - 'a' + 10 : -1;
        if (value < 0) return false;
        d->images[i][k] = (float)value / 16;
    }
    return true;
}

static void swap_images(digits *d, int i, int k) {
    float image[DIGITS_PIXELS];
    int32_t label = d->labels[i];
    memcpy(image, d->images[i], sizeof image);
    memmove(d->images[i], d->images[k], sizeof image);
    memcpy(d->images[k], image, sizeof image);
    d->labels[i] = d->labels[k];
    d->labels[k] = label;
}

static void shuffle(digits *d, int n) {
    for (int i = n - 1; i > 0; i--) swap_images(d, i, below(&d->random, i + 1));
}

bool digits_read(digits *d, const char *path, uint64_t seed) {
    FILE *file = fopen(path, "r");
    char line[256];
    int count = 0;
    while (file && count < DIGITS_COUNT && fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        if (!parse_line(line, d, count)) break;
        count++;
    }
    if (file) fclose(file);
    if (count < DIGITS_COUNT) {
        fprintf(stderr, "cannot read %d digits from %s; run this in the folder that holds it\n", DIGITS_COUNT,
                path);
        return false;
    }
    d->random = seed;
    shuffle(d, DIGITS_COUNT);
    return true;
}

void digits_shuffle(digits *d) {
    shuffle(d, DIGITS_TRAIN);
}

void digits_moved(digits *d, int first, int n, float (*images)[DIGITS_PIXELS]) {
    for (int i = 0; i < n; i++) {
        int right = below(&d->random, 3) - 1, down = below(&d->random, 3) - 1;
        for (int k = 0; k < DIGITS_PIXELS; k++) {
            int x = k % DIGITS_SIDE - right, y = k / DIGITS_SIDE - down;
            bool inside = x >= 0 && x < DIGITS_SIDE && y >= 0 && y < DIGITS_SIDE;
            images[i][k] = inside ? d->images[first + i][y * DIGITS_SIDE + x] : 0;
        }
    }
}
