/* SPDX-License-Identifier: Apache-2.0 */
/* The block formats of GGML as graphs: bytes [..., blocks, bytes of a block] become float32. Integers are put
 * together from fields of bits by shifts along an axis of their own, which become loops, not copies; each
 * value is then the product of scale and integer (minus a minimum), rounded as written here, which is the
 * order that kernels keep. Layouts: Q4_0, Q8_0 and IQ4_NL hold 32 values under one half-precision scale d;
 * the K formats hold 256 in groups of 16 or 32, whose scales (and minima) are small integers times d (and
 * dmin). */
#include "quantize_internal.h"
#include <ctype.h>
#include <fluxion/indexing.h>
#include <fluxion/sugar.h>

const float fxi_nf4_levels[16] = {-1.0f,
                                  -0.6961928009986877f,
                                  -0.5250730514526367f,
                                  -0.39491748809814453f,
                                  -0.28444138169288635f,
                                  -0.18477343022823334f,
                                  -0.09105003625154495f,
                                  0.0f,
                                  0.07958029955625534f,
                                  0.16093020141124725f,
                                  0.24611230194568634f,
                                  0.33791524171829224f,
                                  0.44070982933044434f,
                                  0.5626170039176941f,
                                  0.7229568362236023f,
                                  1.0f};
const int8_t fxi_iq4_nl_levels[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                      1,    13,   25,  38,  53,  69,  89,  113};

/* ---- bytes ---- */

/* Blocks being taken apart: bytes is uint8 [R, B, bytes of a block]. */
typedef struct blocks {
    fx_node *bytes;
    int64_t rows, count;
} blocks;

/* Bytes [at, at + n) of each block: [R, B, n]. */
static fx_node *part(const blocks *b, int64_t at, int64_t n) {
    return fx_slice_axis(b->bytes, -1, at, at + n, 1);
}

static fx_node *mask(fx_node *x, int64_t bits) {
    return fx_bitwise_and(x, fx_scalar_int(x->graph, x->shape.dtype, (INT64_C(1) << bits) - 1));
}

static fx_node *up(fx_node *x, int64_t n) {
    return fx_bitwise_shift_left_scalar(x, n);
}

static fx_node *down(fx_node *x, int64_t n) {
    return fx_bitwise_shift_right_logical_scalar(x, n);
}

/* The number of half precision at `at`: float32 [R, B, 1]. */
static fx_node *half(const blocks *b, int64_t at) {
    fx_node *low = fx_convert(part(b, at, 1), FX_U16), *high = fx_convert(part(b, at + 1, 1), FX_U16);
    return fx_convert(fx_bitcast(fx_bitwise_or(low, up(high, 8)), FX_F16), FX_F32);
}

static fx_node *floats(fx_node *x) {
    return fx_convert(x, FX_F32);
}

/* n bytes at `at`, in runs, each once per field of that many bits, the lowest first: [R, B, n * fields]. */
typedef struct fielded {
    int64_t at, n, run, fields, bits;
} fielded;

static fx_node *fields(const blocks *b, fielded f) {
    int64_t runs = f.n / f.run;
    const fx_shape one_each = {.dtype = FX_U8, .rank = 5, .dims = {1, 1, 1, f.fields, 1}};
    fx_node *shifts = fx_mul_scalar_int(fx_iota(b->bytes->graph, &one_each, 3), f.bits);
    fx_node *apart = fx_reshape(part(b, f.at, f.n), FX_DIMS(b->rows, b->count, runs, 1, f.run));
    fx_node *found = mask(fx_bitwise_shift_right_logical(apart, shifts), f.bits);
    return fx_reshape(found, FX_DIMS(b->rows, b->count, f.n * f.fields));
}

/* 256 values [R, B, 256] times scales [R, B, groups], less minima if there are. */
static fx_node *scaled(const blocks *b, int64_t groups, fx_node *values, fx_node *scales, fx_node *minima) {
    int64_t n = 256 / groups;
    fx_node *x = fx_reshape(values, FX_DIMS(b->rows, b->count, groups, n));
    x = fx_mul(x, fx_reshape(scales, FX_DIMS(b->rows, b->count, groups, 1)));
    if (minima) x = fx_sub(x, fx_reshape(minima, FX_DIMS(b->rows, b->count, groups, 1)));
    return fx_reshape(x, FX_DIMS(b->rows, b->count, groups * n));
}

/* ---- 32 values ---- */

static fx_node *make_q4_0(const blocks *b) {
    fx_node *q = fields(b, (fielded){2, 16, 16, 2, 4});
    return fx_mul(fx_sub_scalar(floats(q), 8), half(b, 0));
}

static fx_node *make_q8_0(const blocks *b) {
    return fx_mul(floats(fx_bitcast(part(b, 2, 32), FX_S8)), half(b, 0));
}

static fx_node *make_iq4_nl(const blocks *b) {
    fx_node *levels = fx_constant_host(
        b->bytes->graph, (fx_host){fxi_iq4_nl_levels, FX_S8, (const int64_t[]){16}, 1});
    fx_node *q = fx_convert(fields(b, (fielded){2, 16, 16, 2, 4}), FX_S32);
    return fx_mul(floats(fx_take(levels, q, 0)), half(b, 0));
}

/* ---- 256 values ---- */

/* 16 bytes of scale (low half) and minimum, 64 bytes of 2 bits, d, dmin. */
static fx_node *make_q2_k(const blocks *b) {
    fx_node *pairs = part(b, 0, 16);
    fx_node *scales = fx_mul(half(b, 80), floats(mask(pairs, 4)));
    fx_node *minima = fx_mul(half(b, 82), floats(down(pairs, 4)));
    return scaled(b, 16, floats(fields(b, (fielded){16, 64, 32, 4, 2})), scales, minima);
}

/* 32 bytes of third bits, which mean 4 more, 64 bytes of 2 bits, 16 scales of 6 bits, d. The low 4 bits of
 * the scales lie in 8 bytes, the upper 2 in 4. */
static fx_node *make_q3_k(const blocks *b) {
    fx_node *low = fields(b, (fielded){96, 8, 8, 2, 4}), *high = fields(b, (fielded){104, 4, 4, 4, 2});
    fx_node *scales = fx_sub_scalar(floats(fx_bitwise_or(low, up(high, 4))), 32);
    fx_node *q = fx_bitwise_or(fields(b, (fielded){32, 64, 32, 4, 2}),
                               up(fields(b, (fielded){0, 32, 32, 8, 1}), 2));
    return scaled(b, 16, fx_sub_scalar(floats(q), 4), fx_mul(half(b, 108), scales), NULL);
}

/* The 8 scales and 8 minima of 6 bits in 12 bytes: the first 4 of each in the low 6 bits of 4 bytes, the
 * others with 4 bits in the last 4 bytes and 2 bits above the first ones. */
static void six_bits(const blocks *b, int64_t at, fx_node *found[2]) {
    fx_node *rest = part(b, at + 8, 4);
    for (int i = 0; i < 2; i++) {
        fx_node *first = part(b, at + 4 * i, 4), *low = i ? down(rest, 4) : mask(rest, 4);
        fx_node *second = fx_bitwise_or(low, up(down(first, 6), 4));
        found[i] = floats(fx_concatenate(FX_NODES(mask(first, 6), second), -1));
    }
}

/* d, dmin, 12 bytes of scales and minima, and 4 bits of q in the last 128 bytes; Q5_K has a fifth bit in 32
 * bytes before. */
static fx_node *make_q4_or_q5(const blocks *b, bool fifth) {
    fx_node *s[2], *q = fields(b, (fielded){fifth ? 48 : 16, 128, 32, 2, 4});
    six_bits(b, 4, s);
    if (fifth) q = fx_bitwise_or(q, up(fields(b, (fielded){16, 32, 32, 8, 1}), 4));
    return scaled(b, 8, floats(q), fx_mul(half(b, 0), s[0]), fx_mul(half(b, 2), s[1]));
}

static fx_node *make_q4_k(const blocks *b) {
    return make_q4_or_q5(b, false);
}
static fx_node *make_q5_k(const blocks *b) {
    return make_q4_or_q5(b, true);
}

/* 128 bytes of 4 bits, 64 bytes of 2 bits above them, 16 scales of 8 bits, d. */
static fx_node *make_q6_k(const blocks *b) {
    fx_node *q = fx_bitwise_or(fields(b, (fielded){0, 128, 64, 2, 4}),
                               up(fields(b, (fielded){128, 64, 32, 4, 2}), 4));
    fx_node *scales = floats(fx_bitcast(part(b, 192, 16), FX_S8));
    return scaled(b, 16, fx_sub_scalar(floats(q), 32), fx_mul(half(b, 208), scales), NULL);
}

/* ---- the types ---- */

typedef struct block_type {
    fx_ggml_type type;
    const char *name;
    int bytes, values;
    fx_node *(*make)(const blocks *b); /* float32 [R, B, values] */
} block_type;

static const block_type types[] = {
    {FX_GGML_Q4_0, "q4_0", 18, 32, make_q4_0},     {FX_GGML_Q8_0, "q8_0", 34, 32, make_q8_0},
    {FX_GGML_Q2_K, "q2_k", 84, 256, make_q2_k},    {FX_GGML_Q3_K, "q3_k", 110, 256, make_q3_k},
    {FX_GGML_Q4_K, "q4_k", 144, 256, make_q4_k},   {FX_GGML_Q5_K, "q5_k", 176, 256, make_q5_k},
    {FX_GGML_Q6_K, "q6_k", 210, 256, make_q6_k},   {FX_GGML_IQ4_NL, "iq4_nl", 18, 32, make_iq4_nl},
};
enum { TYPES = sizeof types / sizeof *types };

static const block_type *find(fx_ggml_type type) {
    for (int i = 0; i < TYPES; i++)
        if (types[i].type == type) return &types[i];
    return NULL;
}

fx_node *fxi_dequantize_blocks(fx_node *rows, fx_ggml_type type) {
    const block_type *t = find(type);
    if (rows->op == FX_OP_INERT) return rows;
    fx_shape shape = rows->shape;
    int last = shape.rank - 1;
    blocks b = {.rows = 1, .count = shape.dims[last] / t->bytes};
    fxi_build build = {.name = "fx_dequantize", .graph = rows->graph, .stop = &rows->graph->inert};
    for (int i = 0; i < last; i++)
        if (!fxi_size_mul(b.rows, shape.dims[i], &b.rows))
            return fxi_build_refuse(&build, FX_ERROR_MEMORY, "%s is too large", fx_shape_to_text(&shape).s);
    b.bytes = fx_reshape(rows, FX_DIMS(b.rows, b.count, t->bytes));
    shape.dims[last] = b.count * t->values;
    return fx_reshape(t->make(&b), (fx_dims){shape.dims, (size_t)shape.rank});
}

int64_t fx_ggml_block_bytes(fx_ggml_type type) {
    const block_type *t = find(type);
    return t ? t->bytes : 0;
}

int64_t fx_ggml_block_values(fx_ggml_type type) {
    const block_type *t = find(type);
    return t ? t->values : 0;
}

const char *fx_ggml_type_name(fx_ggml_type type) {
    const block_type *t = find(type);
    return t ? t->name : NULL;
}

static bool is_name(const char *given, const char *name) {
    while (*name && tolower((unsigned char)*given) == *name) given++, name++;
    return !*given && !*name;
}

fx_ggml_type fx_ggml_type_parse(const char *name) {
    for (int i = 0; name && i < TYPES; i++)
        if (is_name(name, types[i].name)) return types[i].type;
    return FX_GGML_NONE;
}
