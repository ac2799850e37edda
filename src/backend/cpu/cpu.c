/* SPDX-License-Identifier: Apache-2.0 */
/* The cpu backend's entry points: options, state, and the table of functions. */
#include "program.h"
#include <stdlib.h>
#include <string.h>

typedef struct options {
    unsigned threads;
    const char *isa;
    size_t pages;
    bool check_ranges, poison, unfused, cold;
} options;

static bool read_number(const fxi_config *c, unsigned long long limit, unsigned long long *value,
                        fx_error *err) {
    char *end;
    *value = strtoull(c->value, &end, 10);
    if (c->value[0] >= '0' && c->value[0] <= '9' && *end == 0 && *value <= limit) return true;
    return fxi_fail(err, FX_ERROR_ARGUMENT,
                    "fx_backend_open: cpu: option %s=%s: a number from 0 to %llu is wanted", c->key, c->value,
                    limit);
}

static bool read_word(const fxi_config *c, const char *word, bool *value, fx_error *err) {
    *value = strcmp(c->value, word) == 0;
    return *value ||
           fxi_fail(err, FX_ERROR_ARGUMENT, "fx_backend_open: cpu: option %s=%s: the only value is %s",
                    c->key, c->value, word);
}

static bool read_debug(const fxi_config *c, options *o, fx_error *err) {
    if (strcmp(c->value, "poison") == 0) return o->poison = true;
    o->check_ranges = strcmp(c->value, "ranges") == 0;
    return o->check_ranges ||
           fxi_fail(err, FX_ERROR_ARGUMENT,
                    "fx_backend_open: cpu: option debug=%s: ranges or poison is wanted", c->value);
}

static bool read_option(const fxi_config *c, options *o, fx_error *err) {
    unsigned long long n = 0;
    if (strcmp(c->key, "threads") == 0) {
        FX_TRY(read_number(c, 4096, &n, err));
        o->threads = (unsigned)n;
        return true;
    }
    if (strcmp(c->key, "pages") == 0) {
        FX_TRY(read_number(c, UINT64_C(1) << 46, &n, err));
        o->pages = (size_t)n;
        return true;
    }
    if (strcmp(c->key, "isa") == 0) {
        o->isa = c->value;
        return true;
    }
    if (strcmp(c->key, "debug") == 0) return read_debug(c, o, err);
    if (strcmp(c->key, "fusion") == 0) return read_word(c, "off", &o->unfused, err);
    if (strcmp(c->key, "kernels") == 0) return read_word(c, "cold", &o->cold, err);
    return fxi_fail(
        err, FX_ERROR_ARGUMENT,
        "fx_backend_open: cpu: unknown option %s; known are threads, isa, pages, debug, fusion, kernels",
        c->key);
}

static void cpu_close(void *state) {
    fxi_cpu_state *s = state;
    fxi_pool_free(s->pool);
    fxi_pages_close(s->pages);
    fxi_free(s);
}

static void *cpu_open(const fxi_open_args *args, fx_error *err) {
    options o = {.pages = (size_t)1 << 30};
    for (size_t i = 0; i < args->count; i++)
        if (!read_option(&args->config[i], &o, err)) return NULL;
    const fxi_target *target = fxi_target_find(o.isa, err);
    if (!target) return NULL;
    fxi_cpu_state *s = fxi_alloc_zeroed(1, sizeof *s);
    if (!s) {
        fxi_fail_memory(err, "cpu backend");
        return NULL;
    }
    if (o.cold) fxi_kernel_cache_clear();
    *s = (fxi_cpu_state){
        .plan = {.target = target, .composites = fxi_composite_kernels, .unfused = o.unfused},
        .check_ranges = o.check_ranges,
        .poison = o.poison};
    s->pool = fxi_pool_new(o.threads, args->parallel_for, args->user, err);
    s->pages = s->pool ? fxi_pages_new(o.pages, err) : NULL;
    if (s->pages) return s;
    fxi_pool_free(s->pool);
    fxi_free(s);
    return NULL;
}

static void *cpu_compile(void *state, const fx_graph *graph, fx_error *err) {
    return fxi_program_compile(state, graph, NULL, err);
}
static void cpu_program_free(void *program) {
    fxi_program_free(program);
}
static bool cpu_run(void *program, const fxi_run_args *args, fx_error *err) {
    return fxi_program_run(program, args, err);
}
static void cpu_memory(const void *program, fx_memory *memory) {
    *memory = ((const fxi_cpu_program *)program)->memory;
}
/* Composites that need no kernel of their own: fusion makes one of their decomposition, rows or a matrix
 * product with what follows it. */
static const char *const fused_composites[] = {"fx.dense",    "fx.qkv_projection", "fx.softmax",
                                               "fx.layer_norm", "fx.rms_norm",       "fx.gelu"};

static bool cpu_supports(const void *state, const char *composite) {
    const fxi_plan_options *plan = &((const fxi_cpu_state *)state)->plan;
    for (size_t i = 0; !plan->unfused && i < sizeof fused_composites / sizeof *fused_composites; i++)
        if (strcmp(fused_composites[i], composite) == 0) return true;
    return fxi_composite_named(plan->composites, composite) != NULL;
}
static bool cpu_runs(const void *state, const fx_node *composite) {
    return fxi_composite_kernel_of(((const fxi_cpu_state *)state)->plan.composites, composite) != NULL;
}
static void cpu_text(const void *program, fxi_text *text) {
    fxi_program_add_text(program, text);
}

const fxi_backend_ops fxi_cpu_backend = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .compile = cpu_compile,
    .program_free = cpu_program_free,
    .run = cpu_run,
    .program_memory = cpu_memory,
    .program_text = cpu_text,
    .supports = cpu_supports,
    .runs = cpu_runs,
};
