/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by a comparator: a stable merge sort of indices in which all comparisons of a level are made
 * many at once.
 *
 * A level merges neighbouring runs of `width` indices. The place of an element of the first run follows
 * from its rank, the number of elements of the second run that must come before it, which a binary search
 * finds: `lanes` searches go on side by side, and each step of theirs is one call of the comparator,
 * compiled for vectors (lift.c). Searches are shared among tasks. Then one pass over the ranks merges.
 * Whatever the comparator answers, ranks are made to rise and lie inside the run, so that the result is
 * always a permutation and nothing outside is touched. */
#include "program.h"
#include <string.h>

enum { LANES = 1024, MOST_TASKS = 16 };

typedef struct sort_by {
    const fxi_control *c;
    char *const *operands;
    char *const *results;
    const fxi_run_args *args;
    size_t sorted;                  /* operands */
    int64_t along, inner, count;    /* of a line: elements and their distance; elements altogether */
    int64_t *from, *to, *ranks;     /* [lines][along]: indices into a line; ranks at the places of `from` */
    char *slots;                    /* working memory of tasks */
    int64_t slot, width, tasks;
    bool failed[MOST_TASKS];
} sort_by;

/* The working memory of a task. Searches of one group: place of the element, and where its rank can still
 * be. */
typedef struct group {
    /* left, right: the elements to be compared, from the start of the operands */
    int64_t *place, *low, *high, *left, *right;
    char **inputs;
    char *answers;
    char *inner;
    int64_t n;
} group;

static int64_t rounded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/* ---- compilation ---- */

static size_t sorted_operands(const fx_node *n) {
    return fxi_node_bodies(n).v[0]->parameters.count - n->operand_count;
}

bool fxi_sort_by_compile(fxi_control *c, fxi_cpu_state *state, fx_error *err) {
    const fx_graph *body = fxi_node_bodies(c->node).v[0];
    int64_t count = fx_shape_size(&c->node->shape);
    fx_error lift_error = {.code = FX_OK};
    c->lanes = count / 2 < LANES ? count / 2 + 1 : LANES;
    c->lifted = fxi_lift(body, 2 * sorted_operands(c->node), c->lanes, &lift_error);
    if (lift_error.code != FX_OK) return fxi_fail_copy(err, &lift_error);
    if (!c->lifted) c->lanes = 1;
    c->bodies = fxi_alloc_zeroed(1, sizeof *c->bodies);
    if (!c->bodies) return fxi_fail_memory(err, "program");
    c->bodies[0] = fxi_program_compile(state, c->lifted ? c->lifted : body, true, err);
    if (!c->bodies[0]) return false;
    c->body_count = 1;
    c->inner = fxi_program_inner_bytes(c->bodies[0]);
    return true;
}

static int64_t slot_bytes(const fxi_control *c) {
    int64_t bytes = 5 * rounded(c->lanes * 8) +
                    rounded((int64_t)c->bodies[0]->plan.graph->parameters.count * (int64_t)sizeof(char *));
    for (size_t i = 0; i < 2 * sorted_operands(c->node); i++)
        bytes += rounded(c->lanes * fxi_memory_bytes(c->node->operands[i / 2]->shape.dtype));
    return bytes + rounded(c->lanes) + rounded(c->inner);
}

static int64_t task_count(const fxi_control *c) {
    int64_t tasks = fx_shape_size(&c->node->shape) / (4 * LANES);
    return tasks < 1 ? 1 : fxi_size_min(tasks, MOST_TASKS);
}

int64_t fxi_sort_by_workspace(const fxi_control *c) {
    return 3 * rounded(fx_shape_size(&c->node->shape) * 8) + task_count(c) * slot_bytes(c);
}

/* ---- one group of searches ---- */

static group open_group(const sort_by *s, int64_t task) {
    char *at = s->slots + task * s->slot;
    group g = {0};
    int64_t **lists[] = {&g.place, &g.low, &g.high, &g.left, &g.right};
    for (int i = 0; i < 5; i++, at += rounded(s->c->lanes * 8)) *lists[i] = (int64_t *)(void *)at;
    size_t parameters = s->c->bodies[0]->plan.graph->parameters.count;
    g.inputs = (char **)(void *)at;
    at += rounded((int64_t)(parameters * sizeof(char *)));
    for (size_t i = 0; i < parameters; i++) {
        if (i >= 2 * s->sorted) {
            g.inputs[i] = s->operands[i - s->sorted];
            continue;
        }
        g.inputs[i] = at;
        at += rounded(s->c->lanes * fxi_memory_bytes(s->c->node->operands[i / 2]->shape.dtype));
    }
    g.answers = at;
    g.inner = at + rounded(s->c->lanes);
    return g;
}

#define GATHER(bytes, type)                                                                                  \
    case bytes:                                                                                              \
        for (int64_t i = 0; i < n; i++) ((type *)(void *)to)[i] = ((const type *)(const void *)from)[at[i]]; \
        break;

static void gather(const char *from, const int64_t *at, int64_t n, int64_t bytes, char *to) {
    switch (bytes) {
        GATHER(1, uint8_t)
        GATHER(2, uint16_t)
        GATHER(4, uint32_t)
        GATHER(8, uint64_t)
    default:
        for (int64_t i = 0; i < n; i++) memcpy(to + i * bytes, from + at[i] * bytes, (size_t)bytes);
    }
}

/* Answers whether the elements `left` must come before the elements `right`. Lanes beyond n repeat the
 * first. */
static bool compare(const sort_by *s, group *g, fx_error *err) {
    for (int64_t i = g->n; i < s->c->lanes; i++) {
        g->left[i] = g->left[0];
        g->right[i] = g->right[0];
    }
    for (size_t k = 0; k < s->sorted; k++) {
        int64_t bytes = fxi_memory_bytes(s->c->node->operands[k]->shape.dtype);
        gather(s->operands[k], g->left, s->c->lanes, bytes, g->inputs[2 * k]);
        gather(s->operands[k], g->right, s->c->lanes, bytes, g->inputs[2 * k + 1]);
    }
    return fxi_program_run_inner(s->c->bodies[0], g->inputs, &g->answers, g->inner, s->args, err);
}

/* Start of the line that a place belongs to, in elements of the operands. */
static int64_t line_start(const sort_by *s, int64_t place) {
    if (s->count == s->along) return 0;
    int64_t line = place / s->along;
    return line / s->inner * s->inner * s->along + line % s->inner;
}

static int64_t element_at(const sort_by *s, int64_t place) {
    return line_start(s, place) + s->from[place] * s->inner;
}

static bool search(const sort_by *s, group *g, fx_error *err) {
    for (bool going = true; going;) {
        going = false;
        for (int64_t i = 0; i < g->n; i++) {
            bool open = g->low[i] < g->high[i];
            g->right[i] = element_at(s, g->place[i]);
            g->left[i] = open ? element_at(s, g->low[i] + (g->high[i] - g->low[i]) / 2) : g->right[i];
            going |= open;
        }
        if (!going) break;
        FX_TRY(compare(s, g, err));
        for (int64_t i = 0; i < g->n; i++) {
            int64_t middle = g->low[i] + (g->high[i] - g->low[i]) / 2;
            if (g->low[i] >= g->high[i]) continue;
            if (g->answers[i]) g->low[i] = middle + 1;
            else g->high[i] = middle;
        }
    }
    for (int64_t i = 0; i < g->n; i++) s->ranks[g->place[i]] = g->low[i];
    g->n = 0;
    return true;
}

/* Where the second run begins and ends that a place of a first run is merged with; false: the place is of
 * none. */
static bool second_run(const sort_by *s, int64_t place, int64_t *begin, int64_t *end) {
    int64_t in_line = place % s->along, run = in_line / s->width, start = place - in_line;
    *begin = start + fxi_size_min((run + 1) * s->width, s->along);
    *end = start + fxi_size_min((run + 2) * s->width, s->along);
    return run % 2 == 0;
}

static bool search_range(const sort_by *s, int64_t task, fx_error *err) {
    int64_t first = s->count / s->tasks * task,
            last = task + 1 == s->tasks ? s->count : s->count / s->tasks * (task + 1);
    group g = open_group(s, task);
    for (int64_t place = first; place < last; place++) {
        int64_t begin, end;
        if (!second_run(s, place, &begin, &end)) continue;
        g.place[g.n] = place;
        g.low[g.n] = begin;
        g.high[g.n++] = end;
        if (g.n == s->c->lanes) FX_TRY(search(s, &g, err));
    }
    return search(s, &g, err);
}

static void search_task(void *context, int64_t task) {
    sort_by *s = context;
    fx_error err = {.code = FX_OK};
    s->failed[task] = !search_range(s, task, &err);
}

/* ---- merging ---- */

/* The two runs that begin at `place`; gives where they end. ranks are places in the second run. */
static int64_t merge(const sort_by *s, int64_t place) {
    int64_t next, end, out = place;
    second_run(s, place, &next, &end);
    for (int64_t a = place, middle = next; a < middle; a++) {
        while (next < s->ranks[a]) s->to[out++] = s->from[next++];
        s->to[out++] = s->from[a];
    }
    while (next < end) s->to[out++] = s->from[next++];
    return end;
}

static bool sort_indices(sort_by *s, fx_error *err) {
    for (int64_t i = 0; i < s->count; i++) s->from[i] = i % s->along;
    for (s->width = 1; s->width < s->along; s->width *= 2) {
        fxi_pool_run(s->c->bodies[0]->state->pool, s->tasks, search_task, s);
        for (int64_t task = 0; task < s->tasks; task++)
            if (s->failed[task]) return fxi_fail_memory(err, "sort_by");
        for (int64_t place = 0; place < s->count;) place = merge(s, place);
        int64_t *old = s->from;
        s->from = s->to;
        s->to = old;
    }
    return true;
}

static void give_results(const sort_by *s) {
    for (size_t k = 0; k < s->sorted; k++) {
        int64_t bytes = fxi_memory_bytes(s->c->node->operands[k]->shape.dtype);
        for (int64_t place = 0; place < s->count; place++) {
            int64_t to = line_start(s, place) + place % s->along * s->inner;
            memcpy(s->results[k] + to * bytes, s->operands[k] + element_at(s, place) * bytes, (size_t)bytes);
        }
    }
}

bool fxi_sort_by_run(const fxi_control *c, char *const *operands, char *const *results, char *workspace,
                     const fxi_run_args *args, fx_error *err) {
    const fx_shape *shape = &c->node->shape;
    int64_t axis = fxi_node_int(c->node, FXI_ATTR_AXIS), part = rounded(fx_shape_size(shape) * 8);
    sort_by s = {.c = c,
                 .operands = operands,
                 .results = results,
                 .args = args,
                 .sorted = sorted_operands(c->node),
                 .inner = 1};
    s.along = shape->dims[axis];
    s.count = fx_shape_size(shape);
    if (s.count == 0) return true;
    for (int i = (int)axis + 1; i < shape->rank; i++) s.inner *= shape->dims[i];
    s.from = (int64_t *)(void *)workspace;
    s.to = (int64_t *)(void *)(workspace + part);
    s.ranks = (int64_t *)(void *)(workspace + 2 * part);
    s.slots = workspace + 3 * part;
    s.slot = slot_bytes(c);
    s.tasks = task_count(c);
    FX_TRY(sort_indices(&s, err));
    give_results(&s);
    return true;
}
