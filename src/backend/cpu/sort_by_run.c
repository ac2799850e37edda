/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by a comparator: a stable merge sort of indices in which all comparisons of a level are made
 * many at once.
 *
 * A level merges neighbouring runs of `width` indices, in segments of equal length of what comes out. Where
 * a segment begins in both runs a binary search finds ("merge path"); then its elements are merged one by
 * one. `lanes` segments are searched, and merged, side by side: a step of all of them is one call of the
 * comparator, compiled for vectors (lift.c). Segments are shared among tasks. Whatever the comparator
 * answers, the places where segments begin are made to rise in both runs, so that the result is always a
 * permutation and nothing outside is touched. */
#include "program.h"
#include <string.h>

enum { LANES = 1024, MOST_TASKS = 16, SHORTEST = 16, LONGEST = 4096 /* segments, powers of two */ };

typedef struct sort_by {
    const fxi_control *c;
    char *const *operands;
    char *const *results;
    const fxi_run_args *args;
    size_t sorted;                  /* operands */
    int64_t along, inner, count;    /* of a line: elements and their distance; elements altogether */
    int64_t *from, *to;             /* [lines][along]: indices into a line */
    int64_t *splits;                /* by segment: elements of the first run that come before it */
    char *slots;                    /* working memory of tasks */
    int64_t slot, width, tasks;
    int64_t longest, length;   /* of segments: at any level, at this one */
    int64_t in_line, segments; /* segments of a line, of all lines */
    bool failed[MOST_TASKS];
} sort_by;

/* The working memory of a task: what goes on in each lane. Searches find a in [a, a_end] for the segment
 * `place`, with b the end of what both runs give together and b_end the start of the first; merges put
 * [a, a_end) and [b, b_end) to `place` on. */
typedef struct group {
    int64_t *place, *a, *a_end, *b, *b_end;
    int64_t *left, *right; /* the elements to be compared, from the start of the operands */
    char **inputs;
    char *answers;
    char *inner;
    int64_t n;
} group;
enum { LISTS = 7 };

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
    c->bodies[0] = fxi_program_compile(state, c->lifted ? c->lifted : body, &(fxi_inner){0}, err);
    if (!c->bodies[0]) return false;
    c->body_count = 1;
    c->inner = fxi_program_inner_bytes(c->bodies[0]);
    return true;
}

static int64_t slot_bytes(const fxi_control *c) {
    int64_t bytes = LISTS * fxi_size_lines(c->lanes * 8) +
                    fxi_size_lines((int64_t)c->bodies[0]->plan.graph->parameters.count * (int64_t)sizeof(char *));
    for (size_t i = 0; i < 2 * sorted_operands(c->node); i++)
        bytes += fxi_size_lines(c->lanes * fxi_memory_bytes(c->node->operands[i / 2]->shape.dtype));
    return bytes + fxi_size_lines(c->lanes) + fxi_size_lines(c->inner);
}

static int64_t task_count(const fxi_control *c) {
    int64_t tasks = fx_shape_size(&c->node->shape) / (4 * LANES);
    return tasks < 1 ? 1 : fxi_size_min(tasks, MOST_TASKS);
}

int64_t fxi_sort_by_workspace(const fxi_control *c) {
    return 3 * fxi_size_lines(fx_shape_size(&c->node->shape) * 8) + task_count(c) * slot_bytes(c);
}

/* ---- one call of the comparator ---- */

static group open_group(const sort_by *s, int64_t task) {
    char *at = s->slots + task * s->slot;
    group g = {0};
    int64_t **lists[LISTS] = {&g.place, &g.a, &g.a_end, &g.b, &g.b_end, &g.left, &g.right};
    for (int i = 0; i < LISTS; i++, at += fxi_size_lines(s->c->lanes * 8)) *lists[i] = (int64_t *)(void *)at;
    size_t parameters = s->c->bodies[0]->plan.graph->parameters.count;
    g.inputs = (char **)(void *)at;
    at += fxi_size_lines((int64_t)(parameters * sizeof(char *)));
    for (size_t i = 0; i < parameters; i++) {
        if (i >= 2 * s->sorted) {
            g.inputs[i] = s->operands[i - s->sorted];
            continue;
        }
        g.inputs[i] = at;
        at += fxi_size_lines(s->c->lanes * fxi_memory_bytes(s->c->node->operands[i / 2]->shape.dtype));
    }
    g.answers = at;
    g.inner = at + fxi_size_lines(s->c->lanes);
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

/* ---- where segments begin ---- */

/* The pair of runs to which a segment belongs. */
typedef struct runs {
    int64_t first, second, end; /* places: of the first run, of the second, behind it */
    int64_t before;             /* elements that come out before the segment */
} runs;

static runs runs_of(const sort_by *s, int64_t segment) {
    int64_t line = segment / s->in_line * s->along, at = segment % s->in_line * s->length;
    int64_t first = at / (2 * s->width) * 2 * s->width;
    return (runs){line + first, line + fxi_size_min(first + s->width, s->along),
                  line + fxi_size_min(first + 2 * s->width, s->along), at - first};
}

/* Of the first `before` elements that come out, how many are of the first run: the smallest i for which
 * element i of it comes after the element before - 1 - i of the second. */
static bool search(const sort_by *s, group *g, fx_error *err) {
    for (bool going = true; going;) {
        going = false;
        for (int64_t i = 0; i < g->n; i++) {
            bool open = g->a[i] < g->a_end[i];
            int64_t middle = g->a[i] + (g->a_end[i] - g->a[i]) / 2;
            g->right[i] = element_at(s, g->b_end[i] + (open ? middle : 0));
            g->left[i] = open ? element_at(s, g->b[i] - 1 - middle) : g->right[i];
            going |= open;
        }
        if (!going) break;
        FX_TRY(compare(s, g, err));
        for (int64_t i = 0; i < g->n; i++) {
            int64_t middle = g->a[i] + (g->a_end[i] - g->a[i]) / 2;
            if (g->a[i] >= g->a_end[i]) continue;
            if (g->answers[i]) g->a_end[i] = middle;
            else g->a[i] = middle + 1;
        }
    }
    for (int64_t i = 0; i < g->n; i++) s->splits[g->place[i]] = g->a[i];
    g->n = 0;
    return true;
}

static void add_search(group *g, const runs *r, int64_t segment) {
    g->place[g->n] = segment;
    g->a[g->n] = fxi_size_max(0, r->before - (r->end - r->second));
    g->a_end[g->n] = fxi_size_min(r->before, r->second - r->first);
    g->b[g->n] = r->second + r->before;
    g->b_end[g->n++] = r->first;
}

/* Splits rise, and by no more than what comes out between them. */
static void straighten(const sort_by *s) {
    for (int64_t i = 1; i < s->segments; i++) {
        if (runs_of(s, i).before == 0) continue;
        int64_t last = s->splits[i - 1];
        s->splits[i] = fxi_size_max(last, fxi_size_min(s->splits[i], last + s->length));
    }
}

/* ---- merging ---- */

static bool merge(const sort_by *s, group *g, fx_error *err) {
    for (bool going = true; going;) {
        going = false;
        for (int64_t i = 0; i < g->n; i++) {
            bool open = g->a[i] < g->a_end[i] && g->b[i] < g->b_end[i];
            g->left[i] = open ? element_at(s, g->b[i]) : 0;
            g->right[i] = open ? element_at(s, g->a[i]) : 0;
            going |= open;
        }
        if (!going) break;
        FX_TRY(compare(s, g, err));
        for (int64_t i = 0; i < g->n; i++) {
            if (g->a[i] >= g->a_end[i] || g->b[i] >= g->b_end[i]) continue;
            s->to[g->place[i]++] = s->from[g->answers[i] ? g->b[i]++ : g->a[i]++];
        }
    }
    for (int64_t i = 0; i < g->n; i++) {
        while (g->a[i] < g->a_end[i]) s->to[g->place[i]++] = s->from[g->a[i]++];
        while (g->b[i] < g->b_end[i]) s->to[g->place[i]++] = s->from[g->b[i]++];
    }
    g->n = 0;
    return true;
}

static void add_merge(const sort_by *s, group *g, const runs *r, int64_t segment) {
    int64_t after = fxi_size_min(r->before + s->length, r->end - r->first);
    bool is_last = r->first + after == r->end;
    int64_t split = s->splits[segment], next = is_last ? r->second - r->first : s->splits[segment + 1];
    g->place[g->n] = r->first + r->before;
    g->a[g->n] = r->first + split;
    g->a_end[g->n] = r->first + next;
    g->b[g->n] = r->second + r->before - split;
    g->b_end[g->n++] = r->second + after - next;
}

/* ---- a level ---- */

static bool run_range(const sort_by *s, int64_t task, bool merging, fx_error *err) {
    int64_t each = s->segments / s->tasks, more = s->segments % s->tasks;
    int64_t first = task * each + fxi_size_min(task, more), last = first + each + (task < more);
    group g = open_group(s, task);
    for (int64_t segment = first; segment < last; segment++) {
        runs r = runs_of(s, segment);
        if (merging) add_merge(s, &g, &r, segment);
        else add_search(&g, &r, segment);
        if (g.n == s->c->lanes) FX_TRY(merging ? merge(s, &g, err) : search(s, &g, err));
    }
    return merging ? merge(s, &g, err) : search(s, &g, err);
}

static void search_task(void *context, int64_t task) {
    sort_by *s = context;
    fx_error err = {.code = FX_OK};
    s->failed[task] = !run_range(s, task, false, &err);
}

static void merge_task(void *context, int64_t task) {
    sort_by *s = context;
    fx_error err = {.code = FX_OK};
    s->failed[task] = !run_range(s, task, true, &err);
}

static bool run_tasks(sort_by *s, fxi_task task, fx_error *err) {
    fxi_pool_run(s->c->bodies[0]->state->pool, s->tasks, task, s);
    for (int64_t i = 0; i < s->tasks; i++)
        if (s->failed[i]) return fxi_fail_memory(err, "sort_by");
    return true;
}

static bool sort_indices(sort_by *s, fx_error *err) {
    for (int64_t i = 0; i < s->count; i++) s->from[i] = i % s->along;
    for (s->width = 1; s->width < s->along; s->width *= 2) {
        s->length = fxi_size_min(s->longest, 2 * s->width);
        s->in_line = fxi_size_ceil_div(s->along, s->length);
        s->segments = s->count / s->along * s->in_line;
        FX_TRY(run_tasks(s, search_task, err));
        straighten(s);
        FX_TRY(run_tasks(s, merge_task, err));
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
    int64_t axis = fxi_node_int(c->node, FXI_ATTR_AXIS), part = fxi_size_lines(fx_shape_size(shape) * 8);
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
    s.splits = (int64_t *)(void *)(workspace + 2 * part);
    s.slots = workspace + 3 * part;
    s.slot = slot_bytes(c);
    s.tasks = task_count(c);
    s.longest = SHORTEST;
    while (s.longest < LONGEST && s.longest * 2 * LANES * s.tasks <= s.count) s.longest *= 2;
    FX_TRY(sort_indices(&s, err));
    give_results(&s);
    return true;
}
