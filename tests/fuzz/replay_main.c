/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one fuzz target without a fuzzer: over every file of its corpus folders (the arguments that are folders), and over
 * a fixed number of mutated copies of each, made from a fixed seed, so that the normal tests replay what fuzzing found
 * and a failure repeats. An empty input and short random ones come first. The last line counts what ran. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MUTATIONS = 1000, RANDOM_INPUTS = 2000, RANDOM_LENGTH = 300, EDITS = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A copy in a block of exactly that size, so that a sanitizer sees every read past the end. */
static void run_copy(const uint8_t *data, size_t size) {
    uint8_t *copy = calloc(size > 0 ? size : 1, 1);
    if (copy == NULL) abort();
    if (size > 0) memcpy(copy, data, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_random(uint64_t *state) {
    uint8_t data[RANDOM_LENGTH];
    for (int i = 0; i < RANDOM_INPUTS; i++) {
        size_t size = (size_t)(next_random(state) % RANDOM_LENGTH);
        for (size_t k = 0; k < size; k++) data[k] = (uint8_t)next_random(state);
        run_copy(data, size);
    }
}

/* Up to EDITS bytes changed (random, extreme, or off by one), and in one of four cases the end cut off. */
static void run_mutations(const uint8_t *data, size_t size, uint64_t *state) {
    static const uint8_t extremes[] = {0, 1, 0x7f, 0x80, 0xff};
    uint8_t *copy = malloc(size);
    if (copy == NULL) abort();
    for (int i = 0; i < MUTATIONS; i++) {
        memcpy(copy, data, size);
        for (uint64_t edits = 1 + next_random(state) % EDITS; edits > 0; edits--) {
            uint8_t *at = copy + next_random(state) % size;
            uint64_t r = next_random(state);
            if (r % 3 == 0) *at = (uint8_t)(r >> 8);
            else if (r % 3 == 1) *at = extremes[(r >> 8) % sizeof extremes];
            else *at = (uint8_t)(*at + ((r >> 8) % 2 ? 1 : 255));
        }
        run_copy(copy, next_random(state) % 4 == 0 ? (size_t)(next_random(state) % size) : size);
    }
    free(copy);
}

static int run_file(const char *path, uint64_t *state) {
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return 0;
    size_t size = 0, capacity = 1 << 16, got;
    uint8_t *data = malloc(capacity);
    if (data == NULL) abort();
    while ((got = fread(data + size, 1, capacity - size, stream)) > 0) {
        size += got;
        if (size < capacity) continue;
        uint8_t *bigger = realloc(data, capacity *= 2);
        if (bigger == NULL) abort();
        data = bigger;
    }
    fclose(stream);
    run_copy(data, size);
    if (size > 0) run_mutations(data, size, state);
    free(data);
    return 1;
}

int main(int argc, char **argv) {
    uint64_t state = 1;
    run_copy(NULL, 0);
    run_random(&state);
    int files = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (folder == NULL) {
            fprintf(stderr, "%s: no such folder\n", argv[i]);
            return 1;
        }
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            char path[4096];
            if (entry->d_name[0] == '.') continue;
            if (snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name) < (int)sizeof path) {
                files += run_file(path, &state);
            }
        }
        closedir(folder);
    }
    printf("%d files of the corpus, %d mutations of each, %d random inputs\n", files, MUTATIONS, RANDOM_INPUTS);
    return 0;
}
