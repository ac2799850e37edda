/* SPDX-License-Identifier: Apache-2.0 */
/* The order of an einsum's products. The cost of a product is the number of multiplications, the size of all
 * its labels. For few operands all orders are weighed by dynamic programming over subsets, as for chains of
 * joins: the cheapest way to a subset is the cheapest split of it, and what a subset keeps does not depend on
 * the way. For more, the pair whose result is smallest compared with its operands is next. */
#include "ops/einsum_internal.h"
#include <math.h>

double fxi_einsum_size(const fxi_einsum *e, uint64_t set) {
    double size = 1;
    for (int i = 0; i < FXI_EINSUM_LABELS; i++)
        if (set >> i & 1) size *= (double)e->dims[i];
    return size;
}

/* ---- all orders ---- */

enum { SUBSETS = 1 << FXI_EINSUM_EXACT };

typedef struct subsets {
    uint64_t sets[SUBSETS]; /* labels that are left of the terms of a subset */
    double costs[SUBSETS];
    int halves[SUBSETS];  /* one part of the cheapest split; 0 for single terms */
    int numbers[SUBSETS]; /* of the term that a subset became */
} subsets;

static void fill_sets(const fxi_einsum *e, subsets *s, int all) {
    for (int m = 1; m <= all; m++) {
        uint64_t in = 0, out = e->output.set;
        for (size_t i = 0; i < e->count; i++) {
            if (m >> i & 1)
                in |= e->terms[i].set;
            else
                out |= e->terms[i].set;
        }
        s->sets[m] = in & out;
        s->halves[m] = 0;
        s->costs[m] = 0;
    }
}

static void weigh_splits(const fxi_einsum *e, subsets *s, int m) {
    int first = m & -m; /* in one half, so that each split is seen once */
    if (m == first) return;
    for (int half = (m - 1) & m; half > 0; half = (half - 1) & m) {
        int rest = m & ~half;
        if (!(half & first)) continue;
        double cost = s->costs[half] + s->costs[rest] + fxi_einsum_size(e, s->sets[half] | s->sets[rest]);
        if (fxi_einsum_rank(s->sets[m]) > FX_MAX_RANK) cost = (double)INFINITY; /* no node can hold it */
        if (s->halves[m] && cost >= s->costs[m]) continue;
        s->costs[m] = cost;
        s->halves[m] = half;
    }
}

static void order_all(const fxi_einsum *e, fxi_einsum_step *steps) {
    subsets s;
    bool needed[SUBSETS] = {false};
    int all = (1 << e->count) - 1, next = (int)e->count;
    fill_sets(e, &s, all);
    for (int m = 1; m <= all; m++) weigh_splits(e, &s, m);
    needed[all] = true;
    for (int m = all; m > 0; m--)
        if (needed[m] && s.halves[m]) needed[s.halves[m]] = needed[m & ~s.halves[m]] = true;
    for (int m = 1, term = 0; m <= all; m++) { /* parts are smaller numbers than the whole */
        if (!(m & (m - 1))) s.numbers[m] = term++;
        if (!needed[m] || !s.halves[m]) continue;
        s.numbers[m] = next++;
        *steps++ = (fxi_einsum_step){s.numbers[s.halves[m]], s.numbers[m & ~s.halves[m]], s.sets[m]};
    }
}

/* ---- greedily ---- */

typedef struct pool {
    uint64_t sets[FXI_EINSUM_OPERANDS];
    int numbers[FXI_EINSUM_OPERANDS];
    size_t n;
} pool;

/* What is left of a product of two: labels of the result or of other terms. */
static uint64_t left_of(const fxi_einsum *e, const pool *p, size_t a, size_t b) {
    uint64_t wanted = e->output.set;
    for (size_t i = 0; i < p->n; i++)
        if (i != a && i != b) wanted |= p->sets[i];
    return (p->sets[a] | p->sets[b]) & wanted;
}

static void best_pair(const fxi_einsum *e, const pool *p, size_t *best_a, size_t *best_b) {
    double best = 0, best_cost = 0;
    *best_a = 0;
    *best_b = 0;
    for (size_t a = 0; a < p->n; a++) {
        for (size_t b = a + 1; b < p->n; b++) {
            double growth = fxi_einsum_size(e, left_of(e, p, a, b)) - fxi_einsum_size(e, p->sets[a]) -
                            fxi_einsum_size(e, p->sets[b]);
            double cost = fxi_einsum_size(e, p->sets[a] | p->sets[b]);
            if (fxi_einsum_rank(left_of(e, p, a, b)) > FX_MAX_RANK) growth = (double)INFINITY;
            if (*best_b && (growth > best || (growth >= best && cost >= best_cost))) continue;
            best = growth;
            best_cost = cost;
            *best_a = a;
            *best_b = b;
        }
    }
}

static void order_greedily(const fxi_einsum *e, fxi_einsum_step *steps) {
    pool p = {.n = e->count};
    for (size_t i = 0; i < e->count; i++) {
        p.sets[i] = e->terms[i].set;
        p.numbers[i] = (int)i;
    }
    for (int next = (int)e->count; p.n > 1; next++) {
        size_t a, b;
        best_pair(e, &p, &a, &b);
        uint64_t keep = left_of(e, &p, a, b);
        *steps++ = (fxi_einsum_step){p.numbers[a], p.numbers[b], keep};
        p.sets[a] = keep;
        p.numbers[a] = next;
        p.n--;
        for (size_t i = b; i < p.n; i++) {
            p.sets[i] = p.sets[i + 1];
            p.numbers[i] = p.numbers[i + 1];
        }
    }
}

void fxi_einsum_order(const fxi_einsum *e, fxi_einsum_step *steps) {
    if (e->count <= FXI_EINSUM_EXACT)
        order_all(e, steps);
    else
        order_greedily(e, steps);
}
