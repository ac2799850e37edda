/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of attention: which nodes are taken, strides, how rows are cut, which generated kernels are needed,
 * how much workspace. Everything here looks at shapes, dtypes and settings alone. */
#include "attention.h"
#include "ops/ops.h"

#include <math.h>
#include <string.h>

static int64_t setting(const fx_node *node, fxi_attention_setting which) {
    return fxi_node_ints(node, FXI_ATTR_SETTINGS).v[which];
}

/* ---- which nodes ---- */

static bool is_gradient(const fx_node *node) {
    return strcmp(fxi_node_attr(node, FXI_ATTR_NAME)->u.text, "fx.attention_grad") == 0;
}

static uint32_t count_inputs(const fx_node *node) {
    return 3 + (uint32_t)__builtin_popcountll((uint64_t)setting(node, FXI_ATTENTION_GIVEN));
}

static bool is_taken(fx_dtype dtype) {
    return dtype == FX_F32 || dtype == FX_F64 || dtype == FX_F16 || dtype == FX_BF16;
}

/* Terms are floats that the compute type holds, or bool. */
static bool takes_terms(const fx_node *node) {
    int64_t given = setting(node, FXI_ATTENTION_GIVEN);
    fx_dtype dtype = node->operands[0]->shape.dtype;
    for (uint32_t i = 3; i < 3 + (uint32_t)((given & 1) + (given >> 1 & 1)); i++) {
        const fx_shape *s = &node->operands[i]->shape;
        bool fits = s->dtype == dtype || s->dtype == FX_BOOL || (s->dtype == FX_F32 && dtype != FX_F64);
        if (s->rank != 4 || !fits) return false;
    }
    return true;
}

static bool takes_sizes(const fx_node *node) {
    const fx_shape *q = &node->operands[0]->shape, *v = &node->operands[2]->shape;
    if (node->shape.rank != 4) return false; /* an operand has a batch of fx_vmap, so the results have it */
    int64_t limit = INT64_C(1) << 40; /* bytes, and what is made of them, then stay far below 2^63 */
    bool fits = fx_shape_bytes(q) < limit && fx_shape_bytes(&node->operands[1]->shape) < limit &&
                fx_shape_bytes(v) < limit && fx_shape_bytes(&node->shape) < limit;
    return fits && q->dims[3] > 0 && q->dims[3] <= FXI_ATTN_MOST_DIM && v->dims[3] > 0 &&
           v->dims[3] <= FXI_ATTN_MOST_DIM;
}

bool fxi_attn_accepts(const fx_node *node) {
    if (fxi_node_ints(node, FXI_ATTR_SETTINGS).n != FXI_ATTENTION_SETTINGS) return false;
    bool gradient = is_gradient(node);
    if (node->operand_count != count_inputs(node) + (gradient ? 3 : 0)) return false;
    return is_taken(node->operands[0]->shape.dtype) && takes_sizes(node) && takes_terms(node);
}

/* ---- sizes and strides ---- */

static fxi_attn_rows_of rows_of(const fx_shape *s, bool heads_first) {
    int64_t row = s->dims[3], first = s->dims[2] * row;
    fxi_attn_rows_of r = {.batch = s->dims[1] * first};
    r.head = heads_first ? first : row;
    r.row = heads_first ? row : first;
    return r;
}

static void read_sizes(fxi_attn *a, const fx_node *node) {
    const fx_shape *q = &node->operands[0]->shape, *k = &node->operands[1]->shape;
    const fx_shape *v = &node->operands[2]->shape;
    bool heads_first = setting(node, FXI_ATTENTION_LAYOUT) == 0;
    int heads = heads_first ? 1 : 2;
    a->dtype = q->dtype;
    a->compute = q->dtype == FX_F64 ? FX_F64 : FX_F32;
    a->in_bytes = fxi_memory_bytes(a->dtype);
    a->bytes = fxi_memory_bytes(a->compute);
    a->batch = q->dims[0];
    a->heads = q->dims[heads];
    a->queries = q->dims[3 - heads];
    a->dim = q->dims[3];
    a->key_heads = k->dims[heads];
    a->keys = k->dims[3 - heads];
    a->value_dim = v->dims[3];
    a->group = a->key_heads > 0 ? a->heads / a->key_heads : 1;
    a->q = rows_of(q, heads_first);
    a->k = rows_of(k, heads_first);
    a->v = rows_of(v, heads_first);
    fx_shape o = *q;
    o.dims[3] = a->value_dim;
    a->o = rows_of(&o, heads_first);
}

static fxi_attn_term read_term(const fx_node *node, int operand) {
    const fx_shape *s = &node->operands[operand]->shape;
    fxi_attn_term t = {.operand = operand, .dtype = s->dtype, .bytes = fxi_memory_bytes(s->dtype)};
    int64_t *const strides[] = {&t.batch, &t.head, &t.row, &t.key};
    int64_t stride = 1;
    for (int i = 3; i >= 0; i--) {
        *strides[i] = s->dims[i] == 1 ? 0 : stride;
        stride *= s->dims[i];
    }
    return t;
}

/* Which of the results from the fourth on are read: the adjoints of bias and mask come whether somebody wants
 * them or not, and a mask of floats is mostly a constant. */
static uint64_t read_results(const fx_node *node) {
    const fx_graph *g = node->graph;
    uint64_t read = 0;
    for (size_t i = (size_t)node->id + 1; i < g->nodes.count; i++) {
        const fx_node *n = g->nodes.data[i];
        if (n->op == FX_OP_RESULT && n->operands[0] == node)
            read |= UINT64_C(1) << fxi_node_int(n, FXI_ATTR_RESULT);
    }
    return read >> 3;
}

static void read_wants(fxi_attn *a, const fx_node *node) {
    int64_t wants = setting(node, FXI_ATTENTION_WANTS);
    if (wants == 0) return;
    uint64_t read = read_results(node);
    a->mask_result = wants & 1 ? 4 : 3;
    a->wants_bias = (wants & 1) && (read & 1);
    a->wants_mask = (wants & 2) && (read >> (a->mask_result - 3) & 1);
}

static void read_options(fxi_attn *a, const fx_node *node) {
    int64_t given = setting(node, FXI_ATTENTION_GIVEN);
    int next = 3;
    a->causal = setting(node, FXI_ATTENTION_CAUSAL) != 0;
    a->has_offset = setting(node, FXI_ATTENTION_HAS_OFFSET) != 0;
    a->offset = setting(node, FXI_ATTENTION_OFFSET);
    a->window = setting(node, FXI_ATTENTION_WINDOW);
    a->bias.operand = a->mask.operand = -1;
    if (given & 1) a->bias = read_term(node, next++);
    if (given & 2) a->mask = read_term(node, next++);
    read_wants(a, node);
    a->query_lengths = given & 4 ? next++ : -1;
    a->key_lengths = given & 8 ? next++ : -1;
    a->given = next;
}

static int64_t number_bits(const fxi_attn *a, double value) {
    if (a->compute == FX_F64) return fxi_bits_of_double(value);
    float narrow = (float)value;
    int32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

/* ---- cuts ---- */

/* Few queries: the heads of a group share panels, which are narrower where that does. Chunks are smaller
 * where there are few units. */
static void cut(fxi_attn *a, const fxi_target *target) {
    enum { WANTED_TASKS = 64 };
    fxi_gemm_tile_size size = fxi_gemm_tile_of(a->compute, target->avx512);
    a->lanes = size.lanes;
    a->panel = size.vectors * size.lanes;
    a->tile = size.rows > 8 ? 8 : size.rows;
    a->wide_dim = fxi_attn_round(a->dim, a->lanes);
    a->wide_value = fxi_attn_round(a->value_dim, a->lanes);
    a->dense_keys = a->dtype == a->compute && a->dim == a->wide_dim && a->k.row == a->dim;
    a->dense_values = a->dtype == a->compute && a->value_dim == a->wide_value && a->v.row == a->value_dim;
    a->merged = a->queries < a->panel ? a->group : 1;
    a->rows = a->merged * a->queries;
    int64_t least = fxi_size_max(a->lanes, fxi_attn_lanes(a->compute));
    if (a->rows <= least) a->panel = least;
    a->panel_rows = fxi_attn_round(a->panel, a->tile);
    a->units = a->batch * (a->heads / a->merged);
    a->chunks = fxi_size_ceil_div(a->rows, FXI_ATTN_ROWS);
    int64_t most = fxi_size_ceil_div(a->rows, a->panel);
    if (a->units > 0 && a->units * a->chunks < WANTED_TASKS)
        a->chunks = fxi_size_min(most, fxi_size_ceil_div(WANTED_TASKS, a->units));
    int64_t each = a->chunks > 0 ? fxi_attn_round(fxi_size_ceil_div(a->rows, a->chunks), a->panel) : 1;
    a->chunk_rows = each;
    a->chunks = fxi_size_ceil_div(a->rows, each);
    a->tasks = a->units * a->chunks;
}

static void lay_out_block(fxi_attn *a, const fx_node *node) {
    double cap = fxi_double_of_bits(setting(node, FXI_ATTENTION_SOFTCAP));
    a->block.stride = a->panel * a->bytes;
    a->block.plane = a->panel * a->bytes;
    a->room = fxi_size_min(FXI_ATTN_KEYS, a->keys) + FXI_ATTN_SLACK;
    a->block.term = a->room * a->panel * a->bytes;
    a->block.other = a->block.term;
    a->block.raw = 2 * a->block.term;
    a->block.scale = number_bits(a, fxi_double_of_bits(setting(node, FXI_ATTENTION_SCALE)));
    a->block.cap = number_bits(a, cap);
    a->block.cap_inverse = number_bits(a, cap > 0 ? 1 / cap : 0);
}

/* ---- kernels ---- */

static bool keep_code(fxi_attn *a, fxi_code *code, fx_error *err) {
    if (!code) return false;
    if (a->code_count < FXI_ATTN_CODES) {
        a->codes[a->code_count++] = code;
        return true;
    }
    fxi_code_free(code);
    return fxi_fail(err, FX_ERROR_INTERNAL, "attention: too many kernels");
}

static bool get_micro(fxi_attn *a, const fxi_target *target, fxi_gemm_kind kind, int vectors,
                      fxi_gemm_micro_fn *micro, fx_error *err) {
    fxi_gemm_kernel kernel = {.kind = (uint8_t)kind, .from = (uint8_t)a->compute, .to = (uint8_t)a->compute};
    kernel.rows = (uint8_t)a->tile;
    kernel.vectors = (uint8_t)vectors;
    void *function = NULL;
    fxi_code *code = fxi_gemm_code_get(target, &kernel, &function, err);
    FX_TRY(keep_code(a, code, err));
    *micro = (fxi_gemm_micro_fn)(uintptr_t)function;
    return true;
}

/* Micro-kernels of two vectors and of one for results of that many columns. */
static void need(const fxi_attn *a, int64_t wide, bool *needed) {
    needed[0] |= wide / a->lanes % 2 != 0;
    needed[1] |= wide > a->lanes;
}

static bool get_micros(fxi_attn *a, const fxi_target *target, fx_error *err) {
    bool gradient = a->form.gradient;
    bool rows[2] = {false}, units[2] = {false};
    need(a, a->panel, rows);
    need(a, gradient ? a->wide_dim : a->wide_value, units);
    if (gradient) need(a, a->wide_dim, rows);
    if (gradient) need(a, a->wide_value, rows);
    for (int i = 0; i < 2; i++) {
        FX_TRY(!rows[i] || get_micro(a, target, FXI_GEMM_MICRO_ROWS, i + 1, &a->by_rows[i], err));
        FX_TRY(!units[i] || get_micro(a, target, FXI_GEMM_MICRO_UNIT, i + 1, &a->by_units[i], err));
    }
    return true;
}

static bool get_move(fxi_attn *a, const fxi_target *target, const fxi_gemm_move_dtypes *dtypes, int64_t outer,
                     int64_t inner, fxi_gemm_move_fn *move, fx_error *err) {
    const fxi_gemm_kernel kernel = fxi_gemm_move_kernel(target, dtypes, outer, inner, true);
    void *function = NULL;
    fxi_code *code = fxi_gemm_code_get(target, &kernel, &function, err);
    FX_TRY(keep_code(a, code, err));
    *move = (fxi_gemm_move_fn)(uintptr_t)function;
    return true;
}

static bool get_term(fxi_attn *a, const fxi_target *target, fxi_attn_term *t, fx_error *err) {
    const fxi_gemm_move_dtypes dtypes = {t->dtype, a->compute};
    if (t->operand < 0 || t->dtype == FX_BOOL) return true;
    if (a->line) return get_move(a, target, &dtypes, 0, t->key, &t->move, err);
    return get_move(a, target, &dtypes, t->key, t->row, &t->move, err);
}

/* The move that is only a copy needs no code of its own. */
static void copy_rows(const void *src, void *dst, const fxi_gemm_move *args) {
    for (int64_t i = 0; i < args->outer; i++)
        memcpy((char *)dst + i * args->dst_outer, (const char *)src + i * args->src_outer,
               (size_t)(args->inner * args->dst_inner));
}

static bool get_moves(fxi_attn *a, const fxi_target *target, fx_error *err) {
    const fxi_gemm_move_dtypes in = {a->dtype, a->compute}, out = {a->compute, a->dtype};
    FX_TRY(a->line || get_move(a, target, &in, 1, a->q.row, &a->turn, err));
    FX_TRY(!a->form.gradient || get_move(a, target, &in, 1, a->o.row, &a->turn_output, err));
    a->widen = a->narrow = copy_rows;
    bool copies = a->dtype == a->compute;
    FX_TRY(copies || get_move(a, target, &in, a->q.row, 1, &a->widen, err));
    FX_TRY(copies || get_move(a, target, &out, a->q.row, 1, &a->narrow, err));
    return get_term(a, target, &a->bias, err) && get_term(a, target, &a->mask, err);
}

static bool get_few(fxi_attn *a, const fxi_target *target, fxi_gemm_kind kind, fxi_gemm_narrow_fn *few,
                    fx_error *err) {
    fxi_gemm_kernel kernel = {.kind = (uint8_t)kind, .from = (uint8_t)a->dtype, .to = (uint8_t)a->compute};
    kernel.rows = (uint8_t)a->rows;
    void *function = NULL;
    fxi_code *code = fxi_gemm_code_get(target, &kernel, &function, err);
    FX_TRY(keep_code(a, code, err));
    *few = (fxi_gemm_narrow_fn)(uintptr_t)function;
    return true;
}

static bool get_narrow(fxi_attn *a, const fxi_target *target, fx_error *err) {
    return get_few(a, target, FXI_GEMM_DOT, &a->dot, err) &&
           get_few(a, target, FXI_GEMM_STREAM, &a->stream, err);
}

static bool get_rows(fxi_attn *a, const fxi_target *target, fx_error *err) {
    fxi_code *code = fxi_kernel_get(target, &a->form, sizeof a->form, fxi_attn_emit, &a->form, err);
    FX_TRY(keep_code(a, code, err));
    void *whole = fxi_code_symbol(code, "free"), *bounded = fxi_code_symbol(code, "bounded");
    a->rows_free = (fxi_attn_rows_fn)(uintptr_t)whole;
    a->rows_bounded = (fxi_attn_rows_fn)(uintptr_t)bounded;
    bool found = whole && (bounded || !a->form.bounded);
    return found || fxi_fail(err, FX_ERROR_INTERNAL, "attention: a kernel has no entry");
}

bool fxi_attn_compile(void *state, const fxi_target *target, fx_error *err) {
    fxi_attn *a = state;
    if (a->tasks == 0) return true;
    bool products = a->line ? get_narrow(a, target, err) : get_micros(a, target, err);
    return products && get_moves(a, target, err) && get_rows(a, target, err);
}

static void choose_form(fxi_attn *a, const fx_node *node, bool gradient) {
    bool masked = a->mask.operand >= 0 && a->mask.dtype == FX_BOOL;
    fxi_attn_rows *form = &a->form;
    memcpy(form->tag, "attn", sizeof form->tag);
    form->compute = (uint8_t)a->compute;
    form->gradient = gradient;
    form->softcap = fxi_double_of_bits(setting(node, FXI_ATTENTION_SOFTCAP)) > 0;
    form->bias = a->bias.operand >= 0;
    form->masked = masked;
    form->added = a->mask.operand >= 0 && !masked;
    form->raw = gradient && (a->wants_bias || a->wants_mask);
    form->bounded = a->line || a->causal || a->window > 0 || a->query_lengths >= 0 || a->key_lengths >= 0;
}

void fxi_attn_cut_slots(fxi_attn *a, int64_t parts, size_t slot_bytes) {
    a->slot_bytes = (slot_bytes + 63) / 64 * 64;
    a->slots = fxi_size_min(parts, FXI_ATTN_SLOTS);
    while (a->slots > FXI_ATTN_FEW_SLOTS && (size_t)a->slots * a->slot_bytes > FXI_ATTN_SLOTS_BYTES)
        a->slots--;
    a->workspace = FXI_ATTN_SLOTS * sizeof(int) + (size_t)a->slots * a->slot_bytes;
}

void fxi_attn_free(fxi_attn *a) {
    for (int i = 0; a && i < a->code_count; i++) fxi_code_free(a->codes[i]);
    fxi_free(a);
}

void fxi_attn_release(void *state) {
    fxi_attn_free(state);
}

int64_t fxi_attn_workspace(const void *state) {
    return (int64_t)((const fxi_attn *)state)->workspace;
}

fxi_attn *fxi_attn_plan(const fx_node *node, bool gradient, const fxi_target *target, fx_error *err) {
    fxi_attn *a = fxi_alloc_zeroed(1, sizeof *a);
    if (!a) {
        fxi_fail_memory(err, "attention");
        return NULL;
    }
    read_sizes(a, node);
    read_options(a, node);
    cut(a, target);
    a->line = !gradient && a->queries == 1 && a->rows <= FXI_ATTN_LINE_ROWS;
    lay_out_block(a, node);
    choose_form(a, node, gradient);
    return a;
}
