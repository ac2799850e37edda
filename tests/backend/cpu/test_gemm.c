/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* Matrix products against naive loops: every dtype, layouts of both operands, sizes around the tiles,
 * batches.
 *
 * Floats must lie within 2 k eps sum |a||b| of the exact value, integers be equal after wrapping. All
 * operands, the result and the workspace lie against inaccessible pages, in turn at their end and at their
 * start; what a stride does not reach is NaN (all bits set), so that reading it shows. The checker itself is
 * tried on a planted error. */
#include "backend/cpu/gemm/gemm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#define ARENA ((size_t)96 << 20)
#define PAGE ((size_t)4096)

enum { ARENA_A, ARENA_B, ARENA_C, ARENA_WORKSPACE, ARENA_KEPT, ARENAS };
static char *arenas[ARENAS]; /* ARENA bytes each, inaccessible pages on both sides */

/* How the elements of an operand lie; the first two are what kernels read in place. */
typedef enum layout {
    ROW_MAJOR,
    COLUMN_MAJOR,
    PADDED_ROWS,
    PADDED_COLUMNS,
    STRIDED,
    SAME_ROWS,
    SAME_COLUMNS,
    REVERSED,
    LAYOUTS
} layout;

typedef struct problem {
    fx_dtype dtype, result;
    int64_t m, n, k;
    layout a, b;
    int batch_rank;
    int64_t batch[2];
    bool same_a, same_b; /* one operand for the whole batch */
} problem;

#define PRODUCT(from, to, rows, columns, sum, left, right)                                                   \
    {.dtype = (from), .result = (to), .m = (rows), .n = (columns), .k = (sum), .a = (left), .b = (right)}

/* An operand placed in its arena. */
typedef struct operand {
    int64_t row, column, batch[2]; /* element strides */
    char *at;                      /* element (0, 0) */
} operand;

static int open_arenas(void **state) {
    (void)state;
    for (int i = 0; i < ARENAS; i++) {
        char *base =
            mmap(NULL, ARENA + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED || mprotect(base + PAGE, ARENA, PROT_READ | PROT_WRITE) != 0) return -1;
        arenas[i] = base + PAGE;
    }
    return 0;
}

static int close_arenas(void **state) {
    (void)state;
    for (int i = 0; i < ARENAS; i++) munmap(arenas[i] - PAGE, ARENA + 2 * PAGE);
    return 0;
}

static size_t bytes_of(fx_dtype dtype) {
    int bits = fx_dtype_bits(dtype);
    return (size_t)(bits < 8 ? 8 : bits) / 8;
}

/* `bytes` at one end of an arena, all bits set. */
static char *place(int arena, size_t bytes, bool at_end, size_t alignment) {
    assert_true(bytes <= ARENA);
    size_t offset = at_end ? (ARENA - bytes) / alignment * alignment : 0;
    memset(arenas[arena] + offset, 0xFF, bytes);
    return arenas[arena] + offset;
}

/* ---- elements ---- */

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void put(fx_dtype dtype, char *at, uint64_t *seed) {
    uint64_t bits = next_random(seed);
    double value = (double)(int64_t)(bits >> 12 & 0xFFFF) / 32768.0 - 1.0,
           other = (double)(bits >> 40 & 0xFFFF) / 65536.0;
    float f[2] = {(float)value, (float)other};
    double d[2] = {value, other};
    uint16_t half = dtype == FX_F16 ? fxi_f16_from_f64(value) : fxi_bf16_from_f64(value);
    switch (dtype) {
    case FX_F32: memcpy(at, f, 4); break;
    case FX_C64: memcpy(at, f, 8); break;
    case FX_F64: memcpy(at, d, 8); break;
    case FX_C128: memcpy(at, d, 16); break;
    case FX_F16:
    case FX_BF16: memcpy(at, &half, 2); break;
    case FX_S4: *(int8_t *)at = (int8_t)((int)(bits & 15) - 8); break;
    case FX_S2: *(int8_t *)at = (int8_t)((int)(bits & 3) - 2); break;
    case FX_U4: *at = (char)(bits & 15); break;
    case FX_U2: *at = (char)(bits & 3); break;
    default: memcpy(at, &bits, bytes_of(dtype)); break;
    }
}

static double get_float(fx_dtype dtype, const char *at, int part) {
    float f[2] = {0, 0};
    double d[2] = {0, 0};
    uint16_t half;
    switch (dtype) {
    case FX_F16: memcpy(&half, at, 2); return part == 0 ? (double)fxi_f16_to_f32(half) : 0;
    case FX_BF16: memcpy(&half, at, 2); return part == 0 ? (double)fxi_bf16_to_f32(half) : 0;
    case FX_F32: memcpy(f, at, 4); return (double)f[part];
    case FX_C64: memcpy(f, at, 8); return (double)f[part];
    case FX_F64: memcpy(d, at, 8); return d[part];
    default: memcpy(d, at, 16); return d[part];
    }
}

static uint64_t get_int(fx_dtype dtype, const char *at) {
    uint64_t bits = 0;
    memcpy(&bits, at, bytes_of(dtype));
    unsigned unused = 64 - 8 * (unsigned)bytes_of(dtype);
    return fx_dtype_is_signed(dtype) ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

static uint64_t wrap(fx_dtype dtype, uint64_t value) {
    unsigned unused = 64 - (unsigned)fx_dtype_bits(dtype);
    return fx_dtype_is_signed(dtype) ? (uint64_t)((int64_t)(value << unused) >> unused)
                                     : value << unused >> unused;
}

/* ---- building a problem ---- */

static operand build(int arena, const problem *p, layout how, int64_t rows, int64_t columns, bool same,
                     bool at_end) {
    operand o = {0};
    switch (how) {
    case ROW_MAJOR: o.row = columns, o.column = 1; break;
    case COLUMN_MAJOR: o.row = 1, o.column = rows; break;
    case PADDED_ROWS: o.row = columns + 3, o.column = 1; break;
    case PADDED_COLUMNS: o.row = 1, o.column = rows + 5; break;
    case STRIDED: o.row = 2 * columns + 1, o.column = 2; break;
    case SAME_ROWS: o.row = 0, o.column = 1; break;
    case SAME_COLUMNS: o.row = 1, o.column = 0; break;
    default: o.row = -columns, o.column = -1; break;
    }
    int64_t span = (rows - 1) * llabs(o.row) + (columns - 1) * llabs(o.column) + 1, items = 1;
    if (rows == 0 || columns == 0) span = 0;
    for (int i = p->batch_rank - 1; i >= 0; i--) {
        o.batch[i] = same ? 0 : span * items;
        if (!same) items *= p->batch[i];
    }
    size_t size = bytes_of(p->dtype);
    o.at = place(arena, (size_t)(span * items) * size, at_end, size);
    uint64_t seed = (uint64_t)(rows * 131 + columns * 7 + arena) * 0x9E3779B97F4A7C15u + 1;
    if (o.row < 0) o.at += (span - 1) * (int64_t)size;
    for (int64_t b = 0; b < items; b++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                put(p->dtype, o.at + (b * span + i * o.row + j * o.column) * (int64_t)size, &seed);
    return o;
}

static fxi_gemm_shape shape_of(const problem *p, const operand *a, const operand *b) {
    fxi_gemm_shape s = {.dtype = p->dtype,
                        .result = p->result,
                        .m = p->m,
                        .n = p->n,
                        .k = p->k,
                        .a_row = a->row,
                        .a_col = a->column,
                        .b_row = b->row,
                        .b_col = b->column,
                        .batch_rank = p->batch_rank};
    for (int i = 0; i < p->batch_rank; i++) {
        s.batch[i] = p->batch[i];
        s.a_batch[i] = a->batch[i];
        s.b_batch[i] = b->batch[i];
    }
    return s;
}

/* ---- the check ---- */

static double epsilon_of(fx_dtype dtype) {
    dtype = fx_dtype_real(dtype);
    return dtype == FX_F64 ? 0x1p-53 : dtype == FX_F32 ? 0x1p-24 : dtype == FX_F16 ? 0x1p-11 : 0x1p-8;
}

static bool float_is_right(const problem *p, const char *a, int64_t a_step, const char *b, int64_t b_step,
                           const char *c) {
    long double re = 0, im = 0, size = 0;
    for (int64_t i = 0; i < p->k; i++, a += a_step, b += b_step) {
        double ar = get_float(p->dtype, a, 0), br = get_float(p->dtype, b, 0), ai = 0, bi = 0;
        if (fx_dtype_is_complex(p->dtype)) ai = get_float(p->dtype, a, 1), bi = get_float(p->dtype, b, 1);
        re += (long double)ar * br - (long double)ai * bi;
        im += (long double)ar * bi + (long double)ai * br;
        size += (fabsl(ar) + fabsl(ai)) * (fabsl(br) + fabsl(bi));
    }
    double inner = epsilon_of(fx_dtype_is_half(p->result) ? FX_F32 : p->result);
    double bound = 2 * (double)p->k * inner * (double)size;
    if (fx_dtype_is_half(p->result)) bound += epsilon_of(p->result) * 1.01 * fabs((double)re) + 0x1p-24;
    double got = get_float(p->result, c, 0);
    bool right = isnan((double)re) ? isnan(got) : fabs(got - (double)re) <= bound;
    if (fx_dtype_is_complex(p->result))
        right = right && fabs(get_float(p->result, c, 1) - (double)im) <= bound;
    return right;
}

static bool element_is_right(const problem *p, const char *a, int64_t a_step, const char *b, int64_t b_step,
                             const char *c) {
    if (!fx_dtype_is_integer(p->dtype)) return float_is_right(p, a, a_step, b, b_step, c);
    uint64_t sum = 0;
    for (int64_t i = 0; i < p->k; i++, a += a_step, b += b_step)
        sum += get_int(p->dtype, a) * get_int(p->dtype, b);
    return get_int(p->result, c) == wrap(p->result, sum);
}

/* Every `stride`-th element of the result (a prime, or 1 for all of them). */
static bool result_is_right(const problem *p, const operand *a, const operand *b, const char *c,
                            int64_t stride) {
    int64_t size = (int64_t)bytes_of(p->dtype), outer = p->batch_rank > 0 ? p->batch[0] : 1;
    int64_t inner = p->batch_rank > 1 ? p->batch[1] : 1, count = outer * inner * p->m * p->n;
    for (int64_t at = 0; at < count; at += stride) {
        int64_t j = at % p->n, i = at / p->n % p->m, item = at / p->n / p->m;
        int64_t x = item / inner, y = item % inner;
        const char *left = a->at + (x * a->batch[0] + y * a->batch[1] + i * a->row) * size;
        const char *right = b->at + (x * b->batch[0] + y * b->batch[1] + j * b->column) * size;
        if (!element_is_right(p, left, a->column * size, right, b->row * size,
                              c + at * (int64_t)bytes_of(p->result)))
            return false;
    }
    return true;
}

static size_t result_bytes(const problem *p) {
    int64_t count = p->m * p->n;
    for (int i = 0; i < p->batch_rank; i++) count *= p->batch[i];
    return (size_t)count * bytes_of(p->result);
}

static void fail_problem(const problem *p, const char *what, const char *text) {
    fail_msg("%s: %s -> %s %lldx%lldx%lld layouts %d %d batch %d (%s)", what, fx_dtype_name(p->dtype),
             fx_dtype_name(p->result), (long long)p->m, (long long)p->n, (long long)p->k, (int)p->a,
             (int)p->b, p->batch_rank, text);
}

/* An epilogue that turns over the bits of what it is called for: they are right in the end, turned back, if each
 * element was finished once and not touched afterwards. */
typedef struct turning {
    char *c;
    int64_t n, bytes, grain;
} turning;

static void turn_over(const void *context, const fxi_gemm_rect *rect) {
    const turning *t = context;
    if (rect->column % t->grain != 0 || rect->width % t->grain != 0) return;
    for (int64_t i = rect->row; i < rect->row + rect->rows; i++)
        for (int64_t k = 0; k < rect->width * t->bytes; k++)
            t->c[(i * t->n + rect->column) * t->bytes + k] ^= (char)0xff;
}

/* Makes, runs and checks; leaves the result in its arena and gives its address. */
static char *run(const problem *p, const char *isa, fxi_pool *pool, bool at_end, int64_t stride) {
    fx_error err = {0};
    operand a = build(ARENA_A, p, p->a, p->m, p->k, p->same_a, at_end);
    operand b = build(ARENA_B, p, p->b, p->k, p->n, p->same_b, at_end);
    char *c = place(ARENA_C, result_bytes(p), at_end, bytes_of(p->result));
    fxi_gemm_shape shape = shape_of(p, &a, &b);
    fxi_gemm *gemm = fxi_gemm_new(&shape, fxi_target_find(isa, &err), &err);
    if (gemm == NULL) fail_problem(p, err.message, "no plan");
    char *workspace = place(ARENA_WORKSPACE, fxi_gemm_workspace(gemm), at_end, 64);
    const turning turned = {c, p->n, (int64_t)bytes_of(p->result), fxi_gemm_grain(gemm)};
    const fxi_gemm_epilogue epilogue = {turn_over, &turned};
    fxi_gemm_run_through(gemm, pool, a.at, b.at, c, workspace, at_end ? &epilogue : NULL);
    for (size_t i = 0; at_end && i < result_bytes(p); i++) c[i] ^= (char)0xff;
    if (stride > 0 && !result_is_right(p, &a, &b, c, stride))
        fail_problem(p, "wrong result", fxi_gemm_text(gemm));
    fxi_gemm_free(gemm);
    return c;
}

static fxi_pool *make_pool(unsigned threads) {
    fxi_pool *pool = fxi_pool_new(threads, NULL, NULL, NULL);
    assert_non_null(pool);
    return pool;
}

/* ---- tests ---- */

static void test_edge_sizes(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 9, 13, 14, 15, 16, 17, 28, 31, 32, 33, 65};
    enum { N = sizeof sizes / sizeof *sizes };
    fxi_pool *pool = make_pool(1);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            for (size_t l = 0; l < N; l++) {
                problem p = {FX_F32,
                             FX_F32,
                             sizes[i],
                             sizes[j],
                             sizes[l],
                             .a = (layout)((i + j) % 2),
                             .b = (layout)((j + l) % 3 == 0)};
                run(&p, NULL, pool, (i + j + l) % 2 == 0, 1);
            }
    fxi_pool_free(pool);
}

static void test_zero_sizes(void **state) {
    (void)state;
    fxi_pool *pool = make_pool(2);
    for (int bits = 0; bits < 8; bits++) {
        problem p = PRODUCT(FX_F64, FX_F64, bits & 1 ? 3 : 0, bits & 2 ? 5 : 0, bits & 4 ? 20 : 0, ROW_MAJOR,
                            ROW_MAJOR);
        char *c = run(&p, NULL, pool, true, 1);
        static const char zeros[3 * 5 * 8];
        if (p.k == 0) assert_memory_equal(c, zeros, result_bytes(&p));
    }
    problem none = {FX_F32, FX_F32, 4, 4, 4, .batch_rank = 1, .batch = {0}};
    run(&none, NULL, pool, true, 1);
    fxi_pool_free(pool);
}

static const fx_dtype pairs[][2] = {
    {FX_F32, FX_F32}, {FX_F64, FX_F64}, {FX_F16, FX_F16}, {FX_BF16, FX_BF16}, {FX_BF16, FX_F32},
    {FX_F16, FX_F64}, {FX_F32, FX_F64}, {FX_C64, FX_C64}, {FX_C128, FX_C128}, {FX_C64, FX_C128},
    {FX_S8, FX_S8},   {FX_S8, FX_S32},  {FX_U8, FX_U8},   {FX_U8, FX_U32},    {FX_U8, FX_S32},
    {FX_S16, FX_S16}, {FX_U16, FX_U64}, {FX_S32, FX_S32}, {FX_U32, FX_U32},   {FX_S32, FX_S64},
    {FX_S64, FX_S64}, {FX_U64, FX_U64}, {FX_S4, FX_S4},   {FX_U4, FX_U4},     {FX_S2, FX_S2},
    {FX_U2, FX_S32},
};
#define PAIRS (sizeof pairs / sizeof *pairs)

static void test_dtypes_and_layouts(void **state) {
    (void)state;
    static const int64_t shapes[][3] = {{30, 50, 37}, {3, 41, 70}, {45, 2, 100}, {1, 1, 40}, {17, 65, 1}};
    fxi_pool *pool = make_pool(1);
    for (size_t d = 0; d < PAIRS; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int a = 0; a < LAYOUTS; a++)
                for (int b = 0; b < LAYOUTS; b++) {
                    if ((s > 0 || d > 1) && (a * 3 + b + (int)d) % 4 != 0) continue;
                    const int64_t *size = shapes[s];
                    problem p =
                        PRODUCT(pairs[d][0], pairs[d][1], size[0], size[1], size[2], (layout)a, (layout)b);
                    run(&p, NULL, pool, (a + b) % 2 == 0, 1);
                }
    fxi_pool_free(pool);
}

static void test_batches(void **state) {
    (void)state;
    fxi_pool *pool = make_pool(2);
    static const int64_t shapes[][3] = {{5, 70, 20}, {40, 33, 18}, {1, 64, 64}, {20, 1, 33}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int i = 0; i < 16; i++) {
            problem p = {i & 4 ? FX_BF16 : FX_F32,
                         i & 4 ? FX_BF16 : FX_F32,
                         shapes[s][0],
                         shapes[s][1],
                         shapes[s][2],
                         i & 8 ? COLUMN_MAJOR : ROW_MAJOR,
                         i & 8 ? ROW_MAJOR : COLUMN_MAJOR,
                         .batch_rank = 2,
                         .batch = {s == 0 ? 1 : 7, 11},
                         .same_a = (i & 1) != 0,
                         .same_b = (i & 2) != 0};
            run(&p, NULL, pool, i % 3 == 0, 1);
        }
    fxi_pool_free(pool);
}

/* Sizes beyond one block of the sum or of C, strides that are powers of two, long dots: checked on a sample.
 */
static const problem large[] = {
    PRODUCT(FX_F32, FX_F32, 300, 210, 1500, ROW_MAJOR, COLUMN_MAJOR),
    PRODUCT(FX_F32, FX_F32, 250, 330, 1100, COLUMN_MAJOR, ROW_MAJOR),
    PRODUCT(FX_F64, FX_F64, 300, 512, 512, ROW_MAJOR, ROW_MAJOR),
    PRODUCT(FX_F32, FX_F32, 2100, 70, 40, STRIDED, STRIDED),
    PRODUCT(FX_BF16, FX_BF16, 70, 2500, 1100, ROW_MAJOR, ROW_MAJOR),
    PRODUCT(FX_C64, FX_C64, 90, 100, 1030, COLUMN_MAJOR, ROW_MAJOR),
    PRODUCT(FX_F32, FX_F32, 1, 3000, 2000, ROW_MAJOR, ROW_MAJOR),
    PRODUCT(FX_F32, FX_F32, 3000, 1, 2000, ROW_MAJOR, ROW_MAJOR),
    PRODUCT(FX_F32, FX_F32, 1, 1, 300001, ROW_MAJOR, ROW_MAJOR),
    PRODUCT(FX_BF16, FX_BF16, 5, 3000, 900, ROW_MAJOR, ROW_MAJOR),
    PRODUCT(FX_F32, FX_F32, 4000, 3, 300, COLUMN_MAJOR, ROW_MAJOR),
    PRODUCT(FX_S8, FX_S32, 200, 300, 1100, ROW_MAJOR, COLUMN_MAJOR),
    PRODUCT(FX_F32, FX_F32, 20, 2000, 1100, ROW_MAJOR, ROW_MAJOR),
    PRODUCT(FX_F32, FX_F32, 256, 256, 256, ROW_MAJOR, ROW_MAJOR),
    PRODUCT(FX_F64, FX_F64, 8, 9000, 64, ROW_MAJOR, ROW_MAJOR),
    PRODUCT(FX_U64, FX_U64, 2, 100, 40000, ROW_MAJOR, COLUMN_MAJOR),
    /* sums so long that the small operand is packed in spans: one row, rows, transposed rows, for columns */
    PRODUCT(FX_S8, FX_S32, 1, 1, 8500003, ROW_MAJOR, ROW_MAJOR),
    PRODUCT(FX_BF16, FX_F32, 3, 4, 2900001, ROW_MAJOR, COLUMN_MAJOR),
    PRODUCT(FX_S16, FX_S16, 2, 3, 1100000, COLUMN_MAJOR, COLUMN_MAJOR),
    PRODUCT(FX_S8, FX_S8, 5, 20, 1700001, ROW_MAJOR, ROW_MAJOR),
};
#define LARGE (sizeof large / sizeof *large)

static void test_threads_give_equal_bits(void **state) {
    (void)state;
    for (size_t i = 0; i < LARGE; i++)
        for (unsigned threads = 1; threads <= 3; threads++) {
            fxi_pool *pool = make_pool(threads);
            char *c = run(&large[i], NULL, pool, threads % 2 == 0, threads == 1 ? 97 : 0);
            size_t bytes = result_bytes(&large[i]);
            if (threads == 1) memcpy(arenas[ARENA_KEPT], c, bytes);
            if (memcmp(arenas[ARENA_KEPT], c, bytes) != 0)
                fail_problem(&large[i], "bits depend on threads", "");
            fxi_pool_free(pool);
        }
}

/* Where the machine has both instruction sets. */
static void test_isas_give_equal_bits(void **state) {
    (void)state;
    fxi_pool *pool = make_pool(1);
    bool wide = fxi_target_find("avx512", NULL) != NULL;
    for (size_t i = 0; i < PAIRS + LARGE; i++) {
        problem p;
        if (i < LARGE)
            p = large[i];
        else
            p = (problem)PRODUCT(pairs[i - LARGE][0], pairs[i - LARGE][1], 7 + (int64_t)(i % 2) * 20, 43, 50,
                                 (layout)(i % 3), (layout)(i % 2));
        char *c = run(&p, "avx2", pool, i % 2 == 0, i < LARGE ? 97 : 1);
        size_t bytes = result_bytes(&p);
        memcpy(arenas[ARENA_KEPT], c, bytes);
        if (wide) c = run(&p, "avx512", pool, i % 2 == 0, 0);
        if (memcmp(arenas[ARENA_KEPT], c, bytes) != 0) fail_problem(&p, "bits depend on the ISA", "");
    }
    fxi_pool_free(pool);
}

/* A NaN or an infinity in one row of A and one column of B shows there and nowhere else. */
static void test_special_values(void **state) {
    (void)state;
    fx_error err = {0};
    enum { M = 29, N = 37, K = 21 };
    static float a[M * K], b[K * N], c[M * N], workspace[1 << 16];
    for (int i = 0; i < M * K; i++) a[i] = 1;
    for (int i = 0; i < K * N; i++) b[i] = 1;
    a[7 * K + 20] = NAN;
    b[20 * N + 36] = INFINITY;
    fxi_gemm_shape shape = {FX_F32, FX_F32, M, N, K, .a_row = K, .a_col = 1, .b_row = N, .b_col = 1};
    fxi_gemm *gemm = fxi_gemm_new(&shape, fxi_target_find(NULL, &err), &err);
    assert_non_null(gemm);
    assert_true(fxi_gemm_workspace(gemm) <= sizeof workspace);
    fxi_pool *pool = make_pool(1);
    fxi_gemm_run(gemm, pool, a, b, c, workspace);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float got = c[i * N + j];
            if (i == 7)
                assert_true(isnan(got));
            else if (j == 36)
                assert_true(isinf(got));
            else
                assert_true(got == (float)K);
        }
    fxi_pool_free(pool);
    fxi_gemm_free(gemm);
}

static void test_refusals(void **state) {
    (void)state;
    const fxi_target *target = fxi_target_find(NULL, NULL);
    fxi_gemm_shape good = {FX_F32, FX_F32, 4, 4, 4, .a_row = 4, .a_col = 1, .b_row = 4, .b_col = 1}, bad;
    fx_error err = {0};
    assert_null(fxi_gemm_new(NULL, target, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fxi_gemm_new(&good, NULL, &err));
    static const fx_dtype wrong[][2] = {{FX_BOOL, FX_BOOL}, {FX_F32, FX_F16},       {FX_F32, FX_S32},
                                        {FX_S32, FX_S8},    {FX_F8E5M2, FX_F8E5M2}, {FX_F32, FX_C64}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bad = good;
        bad.dtype = wrong[i][0];
        bad.result = wrong[i][1];
        assert_null(fxi_gemm_new(&bad, target, &err));
        assert_int_equal(err.code, FX_ERROR_DTYPE);
    }
    bad = good;
    bad.m = bad.n = (int64_t)1 << 40;
    assert_null(fxi_gemm_new(&bad, target, &err));
    assert_int_equal(err.code, FX_ERROR_MEMORY);
    bad = good;
    bad.k = -1;
    assert_null(fxi_gemm_new(&bad, target, &err));
    bad = good;
    bad.batch_rank = FXI_GEMM_BATCH_RANK + 1;
    assert_null(fxi_gemm_new(&bad, target, &err));
    assert_null(fxi_gemm_new(&bad, target, NULL));
    fxi_gemm_free(NULL);
    assert_int_equal(fxi_gemm_workspace(NULL), 0);
}

/* The check must reject what lies just outside its bound. */
static void test_planted_errors_are_found(void **state) {
    (void)state;
    fxi_pool *pool = make_pool(1);
    for (int i = 0; i < 3; i++) {
        problem p = PRODUCT(pairs[i * 5][0], pairs[i * 5][1], 20, 40, 30, ROW_MAJOR, ROW_MAJOR);
        char *c = run(&p, NULL, pool, true, 1);
        operand a = build(ARENA_A, &p, p.a, p.m, p.k, false, true),
                b = build(ARENA_B, &p, p.b, p.k, p.n, false, true);
        assert_true(result_is_right(&p, &a, &b, c, 1));
        size_t size = bytes_of(p.result);
        char *byte = c + result_bytes(&p) - (size > 1 ? 2 : 1); /* a weighty one of the last element */
        *byte = (char)(*byte ^ 0x10);
        assert_false(result_is_right(&p, &a, &b, c, 1));
    }
    fxi_pool_free(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge_sizes),
        cmocka_unit_test(test_zero_sizes),
        cmocka_unit_test(test_dtypes_and_layouts),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_threads_give_equal_bits),
        cmocka_unit_test(test_isas_give_equal_bits),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_planted_errors_are_found),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
