/* SPDX-License-Identifier: Apache-2.0 */
/* fluxion-bench [REGEX] [--threads N] [--rounds N] [--budget SECONDS] [--dump] [--list]
 *                 [--backend CONFIG] [--agree CONFIG] [--scale FACTOR]
 *
 * Prints NAME,fluxion,threads,median_us,min_us per case, and compile/NAME,... for graph building and compilation with a cold
 * kernel cache in a warm process. Inputs are tensors that exist before the clock starts; nothing is kept between calls.
 * --backend runs on another backend than cpu (its compilations are timed with whatever it keeps); --agree compares the results
 * with those of a second one instead of taking times; --scale multiplies the inputs (a loop may blow differences up).
 * The method is that of the peers' script: three calls to warm up, then repetitions for a fixed budget, short cases batched. */
#define _GNU_SOURCE
#include "bench.h"
#include <regex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct options {
    const char *pattern;
    int threads, rounds;
    double budget, scale;
    bool dump, list;
    const char *backend; /* NULL: cpu with so many threads */
    fx_backend *other;   /* to agree with; NULL: times are taken */
} options;

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* Normal values by the sum of uniforms: only their range matters to the times. */
static double random_value(uint64_t *state) {
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (double)(*state >> 40) * 0x1p-24;
    }
    return sum;
}

static uint16_t to_bf16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

/* int32 operands are indices, from 0 to below - 1. Cases of many inputs have weights, which are small. */
static void fill(fx_tensor *t, uint64_t seed, int64_t below, double scale) {
    void *data = fx_tensor_mutable_data(t);
    uint64_t state = seed * 77 + 1;
    int64_t packed = fx_dtype_bits(fx_tensor_dtype(t)) < 8 ? 2 : 1; /* elements of a byte */
    for (int64_t i = 0, n = fx_tensor_size(t) / packed; i < n; i++) {
        double v = scale * random_value(&state);
        switch (fx_tensor_dtype(t)) {
        case FX_F32: ((float *)data)[i] = (float)v; break;
        case FX_F64: ((double *)data)[i] = v; break;
        case FX_BF16: ((uint16_t *)data)[i] = to_bf16((float)v); break;
        case FX_U64: ((uint64_t *)data)[i] = state; break;
        case FX_S32: ((int32_t *)data)[i] = (int32_t)(state % (uint64_t)below); break;
        default: ((int8_t *)data)[i] = (int8_t)(v * 40); break;
        }
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void call_once(const fxb_case *c, fx_exec *exec, const fx_arg *args) {
    fx_tensor *out[FXB_MAX_OUTPUTS];
    fx_exec_call(exec, args, c->n_in, out, c->n_out, FX_MUST);
    for (size_t i = 0; i < c->n_out; i++) fx_tensor_free(out[i]);
}

static void time_runs(const fxb_case *c, fx_exec *exec, const fx_arg *args, const options *o) {
    for (int i = 0; i < 3; i++) call_once(c, exec, args);
    double start = now_us();
    call_once(c, exec, args);
    double once = now_us() - start;
    int inner = once > 50 ? 1 : once < 0.05 ? 1000 : (int)(50 / once);
    double fit = o->budget * 1e6 / (once * inner);
    int repetitions = fit < 5 ? 5 : fit > 400 ? 400 : (int)fit;
    double times[400];
    for (int r = 0; r < repetitions; r++) {
        start = now_us();
        for (int i = 0; i < inner; i++) call_once(c, exec, args);
        times[r] = (now_us() - start) / inner;
    }
    qsort(times, (size_t)repetitions, sizeof *times, by_value);
    printf("%s,fluxion,%d,%.2f,%.2f\n", c->name, o->threads, times[repetitions / 2], times[0]);
}

static fx_exec *new_exec(const fxb_case *c, fx_backend *backend) {
    return fx_exec_new_fn(backend, c->build, c->n_in, c->n_out, NULL, FX_MUST);
}

static void time_compile(const fxb_case *c, const fx_shape *shapes, const options *o) {
    double times[5];
    for (int i = 0; i < 5; i++) {
        char config[64];
        snprintf(config, sizeof config, "cpu?threads=%d&kernels=cold", o->threads);
        fx_backend *backend = fx_backend_open(o->backend ? o->backend : config, FX_MUST);
        fx_exec *exec = new_exec(c, backend);
        double start = now_us();
        fx_exec_compile(exec, shapes, c->n_in, FX_MUST);
        times[i] = now_us() - start;
        fx_exec_free(exec);
        fx_backend_close(backend);
    }
    qsort(times, 5, sizeof *times, by_value);
    printf("compile/%s,fluxion,%d,%.2f,%.2f\n", c->name, o->threads, times[2], times[0]);
}

static void dump(const fxb_case *c, const fx_shape *shapes, fx_exec *exec) {
    static char text[1 << 20];
    fx_program *program = fx_exec_program(exec, shapes, c->n_in, FX_MUST);
    fx_program_text(program, text, sizeof text);
    printf("%s\n%s", c->name, text);
    fx_program_free(program);
}

static void time_case(const fxb_case *c, const fx_shape *shapes, fx_exec *exec, const fx_arg *args,
                      const options *o) {
    time_compile(c, shapes, o);
    time_runs(c, exec, args, o);
}

static void agree(const fxb_case *c, const fx_arg *args, fx_exec *exec, const options *o) {
    fx_exec *other = new_exec(c, o->other);
    fxb_agree(c, args, exec, other);
    fx_exec_free(other);
}

static void run_case(const fxb_case *c, fx_backend *backend, const options *o) {
    if (o->list) {
        printf("%s\n", c->name);
        return;
    }
    fx_arg args[FXB_MAX_INPUTS];
    fx_tensor *inputs[FXB_MAX_INPUTS];
    fx_shape shapes[FXB_MAX_INPUTS];
    memcpy(shapes, c->in, sizeof c->in);
    if (c->shapes) c->shapes(shapes);
    for (size_t i = 0; i < c->n_in; i++) {
        inputs[i] = fx_tensor_new(&shapes[i], FX_MUST);
        fill(inputs[i], i, c->param, o->scale * (c->shapes ? 0.05 : 1));
        args[i] = (fx_arg){.kind = FX_ARG_TENSOR, .u = {.t = inputs[i]}};
    }
    fx_exec *exec = new_exec(c, backend);
    if (o->other)
        agree(c, args, exec, o);
    else if (o->dump)
        dump(c, shapes, exec);
    else
        time_case(c, shapes, exec, args, o);
    fx_exec_free(exec);
    for (size_t i = 0; i < c->n_in; i++) fx_tensor_free(inputs[i]);
    fflush(stdout);
}

static void run_cases(const fxb_case *cases, size_t n, const regex_t *regex, fx_backend *backend, const options *o) {
    for (size_t i = 0; i < n; i++)
        if (regexec(regex, cases[i].name, 0, NULL, 0) == 0) run_case(&cases[i], backend, o);
}

static bool parse(int argc, char **argv, options *o) {
    for (int i = 1; i < argc; i++) {
        bool value = i + 1 < argc;
        if (strcmp(argv[i], "--threads") == 0 && value)
            o->threads = atoi(argv[++i]);
        else if (strcmp(argv[i], "--rounds") == 0 && value)
            o->rounds = atoi(argv[++i]);
        else if (strcmp(argv[i], "--budget") == 0 && value)
            o->budget = atof(argv[++i]);
        else if (strcmp(argv[i], "--scale") == 0 && value)
            o->scale = atof(argv[++i]);
        else if (strcmp(argv[i], "--dump") == 0)
            o->dump = true;
        else if (strcmp(argv[i], "--list") == 0)
            o->list = true;
        else if (strcmp(argv[i], "--backend") == 0 && value)
            o->backend = argv[++i];
        else if (strcmp(argv[i], "--agree") == 0 && value)
            o->other = fx_backend_open(argv[++i], FX_MUST);
        else if (argv[i][0] != '-')
            o->pattern = argv[i];
        else
            return false;
    }
    return o->threads > 0 && o->rounds > 0 && o->budget > 0;
}

/* As many CPUs as threads, as the peers do. */
static void pin(int threads) {
    cpu_set_t have, want;
    if (sched_getaffinity(0, sizeof have, &have) != 0) return;
    CPU_ZERO(&want);
    for (size_t cpu = 0, n = 0; cpu < CPU_SETSIZE && n < (size_t)threads; cpu++)
        if (CPU_ISSET(cpu, &have)) {
            CPU_SET(cpu, &want);
            n++;
        }
    sched_setaffinity(0, sizeof want, &want);
}

int main(int argc, char **argv) {
    options o = {.pattern = ".", .threads = 2, .rounds = 1, .budget = 0.6, .scale = 1};
    regex_t regex;
    if (!parse(argc, argv, &o) || regcomp(&regex, o.pattern, REG_EXTENDED | REG_NOSUB) != 0) {
        fprintf(stderr, "usage: %s [REGEX] [--threads N] [--rounds N] [--budget SECONDS] [--dump] [--list]\n"
                        "       [--backend CONFIG] [--agree CONFIG] [--scale FACTOR]\n",
                argv[0]);
        return 2;
    }
    pin(o.threads);
    char config[64];
    snprintf(config, sizeof config, "cpu?threads=%d", o.threads);
    fx_backend *backend = fx_backend_open(o.backend ? o.backend : config, FX_MUST);
    for (int round = 0; round < o.rounds; round++) {
        run_cases(fxb_cases, fxb_case_count, &regex, backend, &o);
        run_cases(fxb_training_cases, fxb_training_case_count, &regex, backend, &o);
    }
    fx_backend_close(o.other);
    fx_backend_close(backend);
    regfree(&regex);
    return 0;
}
