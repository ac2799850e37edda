/* SPDX-License-Identifier: Apache-2.0 */
/* fluxion-ulp: measures the error of the vector math.
 *
 * fluxion-ulp [NAME] [--bits 32|64] [--step N] [--points N] [--isa avx2|avx512] [--time]
 *
 * f32 functions of one operand run over every N-th of all 2^32 bit patterns (default 7; 1 is exhaustive)
 * against the C library in double; everything else over pseudo-random points (all exponents, the
 * function's own range, and points crowding around its hard spot) against long double. Prints the largest
 * error in ulp, where it is, and the stated bound; ends with status 1 if one is exceeded. --time adds
 * nanoseconds per element on one thread, from and to the cache. */
#include "tests/backend/cpu/math_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 4096, LANES = 16 };

typedef struct options {
    const char *name, *isa;
    unsigned bits; /* 0 for both */
    uint64_t step, points;
    bool time;
} options;

/* Buffers of one run and the worst point so far. */
typedef struct sweep {
    const math_case *c;
    math_loop *loop;
    uint64_t state;
    double worst, at_a, at_b, got, want;
    _Alignas(64) union { float f32[BLOCK]; double f64[BLOCK]; uint32_t u32[BLOCK]; } a, b, out;
} sweep;

static void note(sweep *s, double error, double a, double b, double got, double want) {
    if (!(error > s->worst)) return;
    s->worst = error;
    s->at_a = a, s->at_b = b, s->got = got, s->want = want;
}

static void check32(sweep *s) {
    s->loop(&s->a, &s->b, &s->out, BLOCK);
    for (int i = 0; i < BLOCK; i++) {
        double a = (double)s->a.f32[i], b = (double)s->b.f32[i];
        double want = s->c->wide1 ? s->c->wide1(a) : s->c->wide2(a, b);
        float got = s->out.f32[i];
        note(s, math_ulp32(got, want, math_smallest(s->c, a)), a, b, (double)got, want);
    }
}

static void check64(sweep *s) {
    s->loop(&s->a, &s->b, &s->out, BLOCK);
    for (int i = 0; i < BLOCK; i++) {
        double a = s->a.f64[i], b = s->b.f64[i], got = s->out.f64[i];
        long double want = s->c->wider1 ? s->c->wider1(a) : s->c->wider2(a, b);
        note(s, math_ulp64(got, want, math_smallest(s->c, a)), a, b, got, (double)want);
    }
}

static void sweep_all32(sweep *s, uint64_t step) {
    uint64_t pattern = 0;
    while (pattern <= UINT32_MAX) {
        for (int i = 0; i < BLOCK; i++, pattern += step) s->a.u32[i] = (uint32_t)pattern;
        check32(s);
    }
}

static void sweep_points(sweep *s, unsigned bits, uint64_t points) {
    for (uint64_t done = 0; done < points; done += BLOCK) {
        for (int i = 0; i < BLOCK; i++) {
            double a, b;
            math_point(s->c, bits, &s->state, &a, &b);
            if (bits == 32) s->a.f32[i] = (float)a, s->b.f32[i] = (float)b;
            else s->a.f64[i] = a, s->b.f64[i] = b;
        }
        if (bits == 32) check32(s);
        else check64(s);
    }
}

/* Best of several runs over one block, in ns per element. */
static double time_loop(sweep *s, unsigned bits) {
    enum { RUNS = 60, REPEAT = 20 };
    double best = INFINITY;
    double low = fmax(s->c->low, -30), high = fmin(s->c->high, 30);
    for (int i = 0; i < BLOCK; i++) {
        double x = low + (high - low) * (i * 1171 % BLOCK + 0.5) / BLOCK;
        if (bits == 32) s->a.f32[i] = s->b.f32[BLOCK - 1 - i] = (float)x;
        else s->a.f64[i] = s->b.f64[BLOCK - 1 - i] = x;
    }
    for (int run = 0; run < RUNS; run++) {
        struct timespec t0, t1;
        clock_gettime(CLOCK_MONOTONIC, &t0);
        for (int k = 0; k < REPEAT; k++) s->loop(&s->a, &s->b, &s->out, BLOCK);
        clock_gettime(CLOCK_MONOTONIC, &t1);
        double ns = (double)(t1.tv_sec - t0.tv_sec) * 1e9 + (double)(t1.tv_nsec - t0.tv_nsec);
        best = fmin(best, ns / ((double)REPEAT * BLOCK));
    }
    return best;
}

/* False if the function misses its bound or does not compile. */
static bool measure(const math_case *c, unsigned bits, const fxi_target *target, const options *o) {
    static sweep s;
    fx_error err = {0};
    s = (sweep){.c = c, .state = 1};
    fxi_code *code = math_loop_compile(c->fn, bits, bits == 32 ? LANES : LANES / 2, target, &s.loop, &err);
    if (!code) return fprintf(stderr, "%s: %s\n", c->name, err.message), false;
    double ns = o->time ? time_loop(&s, bits) : 0;
    if (bits == 32 && c->wide1 && o->step) sweep_all32(&s, o->step);
    else sweep_points(&s, bits, o->points);
    fxi_code_free(code);
    double bound = fxi_math_bound(c->fn, bits);
    printf("%-10s f%u  max %7.3f ulp (bound %4.1f) at %a", c->name, bits, s.worst, bound, s.at_a);
    if (c->wide2) printf(", %a", s.at_b);
    printf(" = %.9g: got %a, want %a", s.at_a, s.got, s.want);
    if (o->time) printf("  %.3f ns", ns);
    printf(s.worst <= bound ? "\n" : "  TOO MUCH\n");
    fflush(stdout);
    return s.worst <= bound;
}

static bool parse(int count, char **arguments, options *o) {
    for (int i = 1; i < count; i++) {
        const char *word = arguments[i];
        const char *value = i + 1 < count ? arguments[i + 1] : NULL;
        if (strcmp(word, "--time") == 0) o->time = true;
        else if (word[0] != '-') o->name = word;
        else if (!value) return false;
        else if (strcmp(word, "--bits") == 0) o->bits = (unsigned)strtoul(value, NULL, 10), i++;
        else if (strcmp(word, "--step") == 0) o->step = strtoull(value, NULL, 10), i++;
        else if (strcmp(word, "--points") == 0) o->points = strtoull(value, NULL, 10), i++;
        else if (strcmp(word, "--isa") == 0) o->isa = value, i++;
        else return false;
    }
    return true;
}

int main(int count, char **arguments) {
    options o = {.step = 7, .points = 10000000};
    if (!parse(count, arguments, &o)) {
        fprintf(stderr, "usage: fluxion-ulp [NAME] [--bits 32|64] [--step N] [--points N] [--isa NAME]"
                        " [--time]\n");
        return 2;
    }
    fx_error err = {0};
    const fxi_target *target = fxi_target_find(o.isa, &err);
    if (!target) return fprintf(stderr, "%s\n", err.message), 2;
    bool good = true;
    for (int fn = 0; fn < FXI_MATH_COUNT; fn++) {
        const math_case *c = &math_cases[fn];
        if (!c->name || (o.name && strcmp(o.name, c->name) != 0)) continue;
        for (unsigned bits = 32; bits <= 64; bits += 32)
            if (!o.bits || o.bits == bits) good = measure(c, bits, target, &o) && good;
    }
    return good ? 0 : 1;
}
