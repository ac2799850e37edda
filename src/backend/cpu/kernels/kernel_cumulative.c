/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums, products, extremes and logsumexps along an axis.
 * The operand is [outer, along, inner]. Where outer and inner alone do not give enough tasks, the axis is cut
 * into chunks of a size fixed by the shape: a first pass finds each chunk's total, a serial pass combines the
 * totals of the chunks before each chunk, and the last pass repeats every chunk's own scan and combines it
 * with that offset. Totals and scans are the same chains, so a running sum of positive numbers never
 * decreases. All values are carried wide (carrier.h), so sums of float32 are nearly correctly rounded. A
 * single line is summed in groups of eight, which breaks the chain of additions into one per group. logsumexp
 * carries pairs (m, s) for m + log s. */
#include "carrier.h"
#include <math.h>
#include <string.h>

enum {
    BUFFER = 1024,
    COLUMNS = 256,
    ENOUGH_TASKS = 16,
    CHUNK = 16384,
    GROUP = 8,
    WIDE = 16 /* bytes of a carrier at most */
};

/* Scans `rows` rows of `columns` in place from carry on, which ends as the last row. */
typedef void (*scan_fn)(void *rows_void, int64_t rows, int64_t columns, int64_t step, void *carry_void);
/* to = offset combined with to, row by row. */
typedef void (*offset_fn)(void *rows_void, int64_t rows, int64_t columns, const void *offset_void);

/* ---- the combinations ---- */

typedef struct pair {
    double re, im;
} pair;

static inline double add_f64(double a, double b) {
    return a + b;
}
static inline double mul_f64(double a, double b) {
    return a * b;
}
static inline uint64_t add_u64(uint64_t a, uint64_t b) {
    return a + b;
}
static inline uint64_t mul_u64(uint64_t a, uint64_t b) {
    return a * b;
}
static inline int64_t max_s64(int64_t a, int64_t b) {
    return a > b ? a : b;
}
static inline int64_t min_s64(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static inline uint64_t max_u64(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}
static inline uint64_t min_u64(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}
/* A NaN wins, -0 < +0. */
static inline double max_f64(double a, double b) {
    double larger = a > b || a != a ? a : b;
    return a == b && signbit(b) ? a : larger;
}
static inline double min_f64(double a, double b) {
    double smaller = a < b || a != a ? a : b;
    return a == b && signbit(a) ? a : smaller;
}
static inline pair add_c128(pair a, pair b) {
    return (pair){a.re + b.re, a.im + b.im};
}
static inline pair mul_c128(pair a, pair b) {
    return (pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static pair logsumexp(pair a, pair b) {
    if (a.re != a.re || a.re == b.re) return (pair){a.re, a.im + b.im};
    if (b.re != b.re || b.re > a.re) return (pair){b.re, b.im + a.im * exp(a.re - b.re)};
    return (pair){a.re, a.im + b.im * exp(b.re - a.re)};
}

/* ---- scans ---- */

#define SCAN_ROWS(clones, name, wide)                                                                        \
    clones static void scan_##name(void *rows_void, int64_t rows, int64_t columns, int64_t step,             \
                                   void *carry_void) {                                                       \
        wide *row = rows_void, *carry = carry_void;                                                          \
        for (int64_t r = 0; r < rows; r++, row += step)                                                      \
            for (int64_t c = 0; c < columns; c++) row[c] = carry[c] = name(carry[c], row[c]);                \
    }
#define OFFSET_ROWS(clones, name, wide)                                                                      \
    clones static void offset_##name(void *rows_void, int64_t rows, int64_t columns,                         \
                                     const void *offset_void) {                                              \
        wide *row = rows_void;                                                                               \
        const wide *offset = offset_void;                                                                    \
        for (int64_t r = 0; r < rows; r++, row += columns)                                                   \
            for (int64_t c = 0; c < columns; c++) row[c] = name(offset[c], row[c]);                          \
    }
#define SCAN_FOR(clones, name, wide) SCAN_ROWS(clones, name, wide) OFFSET_ROWS(clones, name, wide)
#define SCAN(name, wide) SCAN_FOR(FXI_CLONES, name, wide)

/* One line: the scan of a group does not wait for the carry. The step is a constant where this is called. */
#define SCAN_LINE(name, wide)                                                                                \
    static inline __attribute__((always_inline)) void groups_##name(wide *row, int64_t groups, int step,     \
                                                                    wide *carry, bool keep) {                \
        wide total = *carry, local[GROUP];                                                                   \
        for (int64_t g = 0; g < groups; g++, row += GROUP * step) {                                          \
            local[0] = row[0];                                                                               \
            for (int k = 1; k < GROUP; k++) local[k] = name(local[k - 1], row[k * step]);                    \
            for (int k = 0; keep && k < GROUP; k++) row[k * step] = name(total, local[k]);                   \
            total = name(total, local[GROUP - 1]);                                                           \
        }                                                                                                    \
        *carry = total;                                                                                      \
    }                                                                                                        \
    /* keep: store what is running; without, only the carry is wanted. */                                    \
    static inline __attribute__((always_inline)) void walk_line_##name(                                      \
        void *rows_void, int64_t rows, int64_t columns, int64_t step, void *carry_void, bool keep) {         \
        wide *row = rows_void, *carry = carry_void;                                                          \
        if (columns != 1) {                                                                                  \
            scan_##name(rows_void, rows, columns, step, carry_void);                                         \
            return;                                                                                          \
        }                                                                                                    \
        if (step > 0)                                                                                        \
            groups_##name(row, rows / GROUP, 1, carry, keep);                                                \
        else                                                                                                 \
            groups_##name(row, rows / GROUP, -1, carry, keep);                                               \
        row += rows / GROUP * GROUP * step;                                                                  \
        for (int64_t r = rows % GROUP; r > 0; r--, row += step) {                                            \
            *carry = name(*carry, *row);                                                                     \
            if (keep) *row = *carry;                                                                         \
        }                                                                                                    \
    }                                                                                                        \
    static void scan_line_##name(void *rows_void, int64_t rows, int64_t columns, int64_t step,               \
                                 void *carry_void) {                                                         \
        walk_line_##name(rows_void, rows, columns, step, carry_void, true);                                  \
    }                                                                                                        \
    /* What scan_line leaves in the carry. */                                                                \
    static void total_line_##name(void *rows_void, int64_t rows, int64_t columns, int64_t step,              \
                                  void *carry_void) {                                                        \
        walk_line_##name(rows_void, rows, columns, step, carry_void, false);                                 \
    }

SCAN(add_f64, double)
SCAN(mul_f64, double)
SCAN(max_f64, double)
SCAN(min_f64, double)
SCAN(add_u64, uint64_t)
SCAN(mul_u64, uint64_t)
SCAN(max_s64, int64_t)
SCAN(min_s64, int64_t)
SCAN(max_u64, uint64_t)
SCAN(min_u64, uint64_t)
SCAN(add_c128, pair)
SCAN_FOR(, mul_c128,
         pair) /* gcc makes fmaddsub of complex products where there is one, contraction off or not */
SCAN(logsumexp, pair)
SCAN_LINE(add_f64, double)
SCAN_LINE(mul_f64, double)
SCAN_LINE(add_u64, uint64_t)
SCAN_LINE(max_f64, double)
SCAN_LINE(min_f64, double)
SCAN_LINE(max_s64, int64_t)
SCAN_LINE(min_s64, int64_t)
SCAN_LINE(max_u64, uint64_t)
SCAN_LINE(min_u64, uint64_t)

/* ---- the plan ---- */

typedef struct scan {
    scan_fn scan, total;
    offset_fn offset;
    const fxi_carrier_info *form;
    bool is_log, backwards;
    int64_t wide, bytes; /* of a carried value, of an element */
    int64_t outer, along, inner;
    int64_t chunk, chunks;     /* rows of a chunk, but for the last one */
    int64_t columns, blocks;   /* columns of a block, but for the last one */
    unsigned char start[WIDE]; /* neutral value */
    const char *x;
    char *result, *totals; /* [outer][chunks][inner] of carried values */
    bool totals_only;
} scan;

typedef struct combination {
    scan_fn scan, total; /* total: the carry alone is wanted */
    offset_fn offset;
    int64_t wide;
} combination;

#define ROWS(name, wide)                                                                                     \
    { scan_##name, scan_##name, offset_##name, (int64_t)sizeof(wide) }
#define LINES(name, wide)                                                                                    \
    { scan_line_##name, total_line_##name, offset_##name, (int64_t)sizeof(wide) }
static const combination table[FXI_SCAN_KINDS][FXI_CARRIERS] = {
    [FXI_SCAN_SUM] = {[FXI_CARRY_F64] = LINES(add_f64, double),
                      [FXI_CARRY_S64] = LINES(add_u64, int64_t),
                      [FXI_CARRY_U64] = LINES(add_u64, int64_t),
                      [FXI_CARRY_C128] = ROWS(add_c128, pair)},
    [FXI_SCAN_PRODUCT] = {[FXI_CARRY_F64] = LINES(mul_f64, double),
                          [FXI_CARRY_S64] = ROWS(mul_u64, int64_t),
                          [FXI_CARRY_U64] = ROWS(mul_u64, int64_t),
                          [FXI_CARRY_C128] = ROWS(mul_c128, pair)},
    [FXI_SCAN_MAX] = {[FXI_CARRY_F64] = LINES(max_f64, double),
                      [FXI_CARRY_S64] = LINES(max_s64, int64_t),
                      [FXI_CARRY_U64] = LINES(max_u64, int64_t)},
    [FXI_SCAN_MIN] = {[FXI_CARRY_F64] = LINES(min_f64, double),
                      [FXI_CARRY_S64] = LINES(min_s64, int64_t),
                      [FXI_CARRY_U64] = LINES(min_u64, int64_t)},
    [FXI_SCAN_LOGSUMEXP] = {[FXI_CARRY_F64] = ROWS(logsumexp, pair)},
};

static void set_start(scan *s, fxi_scan_kind kind) {
    double re = kind == FXI_SCAN_PRODUCT                             ? 1
                : kind == FXI_SCAN_MAX || kind == FXI_SCAN_LOGSUMEXP ? -INFINITY
                : kind == FXI_SCAN_MIN                               ? INFINITY
                                                                     : 0;
    int64_t i = kind == FXI_SCAN_PRODUCT ? 1
                : kind == FXI_SCAN_MAX   ? INT64_MIN
                : kind == FXI_SCAN_MIN   ? INT64_MAX
                                         : 0;
    if (s->form->carrier == FXI_CARRY_U64 && kind == FXI_SCAN_MAX) i = 0;
    if (s->form->carrier == FXI_CARRY_U64 && kind == FXI_SCAN_MIN) i = -1;
    bool integer = s->form->carrier == FXI_CARRY_S64 || s->form->carrier == FXI_CARRY_U64;
    memset(s->start, 0, sizeof s->start);
    memcpy(s->start, integer ? (const void *)&i : (const void *)&re, sizeof re);
}

static void plan_cuts(scan *s, const fx_node *node) {
    const fx_shape *shape = &node->shape;
    int64_t axis = fxi_node_int(node, FXI_ATTR_AXIS);
    s->outer = s->inner = 1;
    s->along = shape->dims[axis];
    for (int i = 0; i < shape->rank; i++)
        if (i != axis) *(i < axis ? &s->outer : &s->inner) *= shape->dims[i];
    s->columns = fxi_size_min(s->inner, COLUMNS);
    s->blocks = s->inner ? fxi_size_ceil_div(s->inner, s->columns) : 0;
    s->chunk = s->along;
    if (s->columns && s->outer * s->blocks < ENOUGH_TASKS)
        s->chunk = fxi_size_min(s->along, CHUNK / s->columns);
    s->chunks = s->chunk ? fxi_size_ceil_div(s->along, s->chunk) : 0;
}

/* ---- runs ---- */

static void load_block(const scan *s, const char *from, int64_t count, void *buffer) {
    s->form->load(from, count, buffer);
    if (!s->is_log) return;
    double *plain = buffer;
    pair *pairs = buffer;
    for (int64_t i = count; i-- > 0;) pairs[i] = (pair){plain[i], 1};
}

static void store_block(const scan *s, char *to, int64_t count, void *buffer) {
    if (s->is_log) {
        double *plain = buffer;
        const pair *pairs = buffer;
        for (int64_t i = 0; i < count; i++) plain[i] = pairs[i].re + log(pairs[i].im);
    }
    s->form->store(to, count, buffer);
}

/* Rows [first, first + rows) of the axis in as many buffers as they need, in the direction of the scan. */
static void scan_rows(const scan *s, int64_t o, int64_t column, int64_t columns, int64_t first, int64_t rows,
                      char *carry, const char *offset) {
    double buffer[BUFFER * 2];
    int64_t most = columns == s->inner ? BUFFER / columns : 1;
    for (int64_t done = 0; done < rows;) {
        int64_t n = fxi_size_min(most, rows - done);
        int64_t row = s->backwards ? first + rows - done - n : first + done;
        int64_t at = ((o * s->along + row) * s->inner + column) * s->bytes;
        load_block(s, s->x + at, n * columns, buffer);
        char *start = (char *)buffer + (s->backwards ? (n - 1) * columns * s->wide : 0);
        (s->totals_only ? s->total : s->scan)(start, n, columns, s->backwards ? -columns : columns, carry);
        if (offset) s->offset(buffer, n, columns, offset);
        if (!s->totals_only) store_block(s, s->result + at, n * columns, buffer);
        done += n;
    }
}

static void scan_task(void *context, int64_t task) {
    const scan *s = context;
    int64_t block = task % s->blocks, chunk = task / s->blocks % s->chunks, o = task / s->blocks / s->chunks;
    int64_t column = block * s->columns, columns = fxi_size_min(s->columns, s->inner - column);
    int64_t first = (s->backwards ? s->chunks - 1 - chunk : chunk) * s->chunk;
    double carry_memory[COLUMNS * 2];
    char *carry = (char *)carry_memory;
    for (int64_t c = 0; c < columns; c++) memcpy(carry + c * s->wide, s->start, (size_t)s->wide);
    char *total = s->totals ? s->totals + ((o * s->chunks + chunk) * s->inner + column) * s->wide : NULL;
    scan_rows(s, o, column, columns, first, fxi_size_min(s->chunk, s->along - first), carry,
              s->totals_only || chunk == 0 ? NULL : total);
    if (s->totals_only) memcpy(total, carry, (size_t)(columns * s->wide));
}

/* Each chunk's total becomes the combination of those before it. */
static void combine_totals(const scan *s) {
    for (int64_t o = 0; o < s->outer; o++) {
        char *totals = s->totals + o * s->chunks * s->inner * s->wide;
        for (int64_t c = 0; c < s->inner; c++) {
            double carry[2], here[2];
            memcpy(carry, s->start, sizeof carry);
            for (int64_t k = 0; k < s->chunks; k++) {
                char *at = totals + (k * s->inner + c) * s->wide;
                memcpy(here, at, (size_t)s->wide);
                memcpy(at, carry, (size_t)s->wide);
                s->scan(here, 1, 1, 1, carry);
            }
        }
    }
}

static void run_cumulative(const fxi_host_call *call) {
    const fx_node *node = call->node;
    fxi_scan_kind kind = (fxi_scan_kind)fxi_node_int(node, FXI_ATTR_SCAN);
    scan s = {.form = fxi_carrier_of(node->shape.dtype), .x = call->operands[0], .result = call->result};
    if (!s.form || fx_shape_size(&node->shape) == 0) return;
    const combination *c = &table[kind][s.form->carrier];
    s.scan = c->scan;
    s.total = c->total;
    s.offset = c->offset;
    s.wide = c->wide;
    s.bytes = fxi_memory_bytes(node->shape.dtype);
    s.is_log = kind == FXI_SCAN_LOGSUMEXP;
    s.backwards = fxi_node_int(node, FXI_ATTR_BACKWARDS) != 0;
    set_start(&s, kind);
    plan_cuts(&s, node);
    int64_t tasks = s.outer * s.chunks * s.blocks;
    if (s.chunks > 1) {
        s.totals = call->workspace;
        s.totals_only = true;
        fxi_pool_run(call->pool, tasks, scan_task, &s);
        combine_totals(&s);
        s.totals_only = false;
    }
    fxi_pool_run(call->pool, tasks, scan_task, &s);
}

static int64_t cumulative_workspace(const fx_node *node) {
    scan s = {0};
    if (fx_shape_size(&node->shape) == 0) return 0;
    plan_cuts(&s, node);
    return s.chunks > 1 ? s.outer * s.chunks * s.inner * WIDE : 0;
}

const fxi_host_kernel fxi_kernel_cumulative = {.run = run_cumulative, .workspace = cumulative_workspace};
