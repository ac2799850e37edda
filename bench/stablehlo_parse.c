/* SPDX-License-Identifier: Apache-2.0 */
/* fluxion-stablehlo_parse FILE...: how fast texts of StableHLO are read. All files are in memory before the
 * first is timed; of several rounds the fastest counts. The second line is the same with every constant made
 * into a tensor. */
#include "stablehlo/tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 7 };

typedef struct text {
    char *data;
    size_t length;
} text;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static text read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    text t = {.length = (size_t)ftell(file)};
    rewind(file);
    t.data = malloc(t.length + 1);
    if (!t.data || fread(t.data, 1, t.length, file) != t.length) exit(1);
    fclose(file);
    return t;
}

static void read_constants(const fxi_hlo_module *module, const fxi_hlo_region *region) {
    for (size_t i = 0; i < region->n_ops; i++) {
        const fxi_hlo_attr *value = fxi_hlo_find(&region->ops[i]->attrs, "value");
        if (value && value->kind == FXI_HLO_ATTR_DENSE) fx_tensor_free(fxi_hlo_dense(module, value, NULL));
    }
}

static void read_text(text t, const char *path, bool constants) {
    fx_error err = {0};
    fxi_hlo_module *module = fxi_hlo_parse(t.data, t.length, path, &err);
    if (!module) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    for (size_t i = 0; constants && i < module->n_functions; i++)
        read_constants(module, module->functions[i]->body);
    fxi_hlo_free(module);
}

int main(int argc, char **argv) {
    text *texts = malloc((size_t)argc * sizeof *texts);
    size_t bytes = 0;
    if (!texts || argc < 2) return 1;
    for (int i = 1; i < argc; i++) {
        texts[i] = read_file(argv[i]);
        bytes += texts[i].length;
    }
    for (int constants = 0; constants < 2; constants++) {
        double best = 1e30;
        for (int round = 0; round < ROUNDS; round++) {
            double begin = now();
            for (int i = 1; i < argc; i++) read_text(texts[i], argv[i], constants);
            double time = now() - begin;
            if (time < best) best = time;
        }
        printf("%s%d files, %.2f MB, %.2f ms, %.0f MB/s\n", constants ? "with constants: " : "", argc - 1,
               (double)bytes * 1e-6, best * 1e3, (double)bytes * 1e-6 / best);
    }
    return 0;
}
