/* SPDX-License-Identifier: Apache-2.0 */
/* States and bits: key and counter as scalars, words by the elementwise operation philox of key, counter
 * and the number of the word, so that they fuse with what is made of them. */
#include "random_internal.h"
#include <fluxion/indexing.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

enum { STATE_WORDS = 3, BLOCK_WORDS = 4 };

/* ---- states ---- */

fx_tensor *fx_random_state_tensor(uint64_t seed, fx_error *err) {
    const uint64_t words[STATE_WORDS] = {seed, 0, 0};
    const int64_t dims[1] = {STATE_WORDS};
    const fx_shape shape = fx_shape_make(FX_U64, dims, 1);
    return fx_tensor_copy_from(&shape, words, err);
}

fx_node *fx_random_state(fx_graph *graph, uint64_t seed) {
    fxi_build b;
    if (!fxi_build_begin_leaf(&b, "fx_random_state", graph)) return b.stop;
    fx_tensor *state = fx_random_state_tensor(seed, NULL);
    if (!state) return fxi_build_refuse(&b, FX_ERROR_MEMORY, "out of memory");
    fx_node *made = fx_constant(graph, state);
    fx_tensor_free(state);
    return made;
}

bool fx_random_seed(uint64_t *seed, fx_error *err) {
    if (!seed) return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_random_seed: seed is NULL");
    size_t have = 0;
    while (have < sizeof *seed) {
        ssize_t got = getrandom((char *)seed + have, sizeof *seed - have, 0);
        if (got < 0 && errno != EINTR)
            return fxi_fail(err, FX_ERROR_BACKEND, "fx_random_seed: the system gives no random bytes: %s",
                            strerror(errno));
        if (got > 0) have += (size_t)got;
    }
    return true;
}

static fx_node *state_word(fx_node *state, int64_t i) {
    return fx_reshape(fx_slice_axis(state, 0, i, i + 1, 1), (fx_dims){NULL, 0});
}

bool fxi_random_begin(fxi_random *r, const char *name, fx_node *const *operands, size_t count,
                      const fx_shape *shape, fx_node **new_state) {
    bool ok = fxi_build_begin_roles(&r->b, name, operands, count, FXI_ROLES("the random state"));
    if (new_state) *new_state = r->b.stop;
    if (!ok) return false;
    fx_node *state = operands[0];
    if (state->shape.dtype != FX_U64 || state->shape.rank != 1 || state->shape.dims[0] != STATE_WORDS) {
        fxi_build_refuse(&r->b, FX_ERROR_SHAPE, "the state is %s instead of (uint64)[3]",
                         fx_shape_to_text(&state->shape).s);
        return false;
    }
    if (!fx_shape_is_valid(shape)) {
        const fxi_shape_fault fault = fxi_shape_fault_of(shape);
        fxi_build_refuse(&r->b, fault.code, "the shape %s", fault.text);
        return false;
    }
    r->state = state;
    r->elements = NULL;
    r->key = state_word(state, 0);
    r->low = state_word(state, 1);
    r->high = state_word(state, 2);
    return true;
}

bool fxi_random_fits(const fxi_random *r, const char *what, const fx_node *parameter, const fx_shape *shape) {
    const fx_shape *p = &parameter->shape;
    bool fits = p->rank == 0 || p->rank == shape->rank;
    for (int i = 0; fits && i < p->rank; i++) fits = p->dims[i] == shape->dims[i] || p->dims[i] == 1;
    if (!fits)
        fxi_build_refuse(&r->b, FX_ERROR_SHAPE, "%s, %s, does not broadcast to the shape %s", what,
                         fx_shape_to_text(p).s, fx_shape_to_text(shape).s);
    return fits;
}

static bool is_real_float(fx_dtype dtype) {
    return dtype == FX_F64 || dtype == FX_F32 || fx_dtype_is_half(dtype);
}

bool fxi_random_takes_floats(const fxi_random *r, const fx_shape *shape) {
    if (is_real_float(shape->dtype)) return true;
    fxi_build_refuse(&r->b, FX_ERROR_DTYPE, "%s is not accepted; float16, bfloat16, float32 and float64 are",
                     fx_dtype_name(shape->dtype));
    return false;
}

bool fxi_random_takes_numbers(const fxi_random *r, const fx_shape *shape) {
    if (is_real_float(shape->dtype) || fx_dtype_is_integer(shape->dtype)) return true;
    fxi_build_refuse(&r->b, FX_ERROR_DTYPE,
                     "%s is not accepted; integers, float16, bfloat16, float32 and float64 are",
                     fx_dtype_name(shape->dtype));
    return false;
}

bool fxi_random_limit(const fxi_random *r, const char *what, const fx_node *limit, const fx_shape *shape) {
    if (limit->shape.dtype == shape->dtype) return fxi_random_fits(r, what, limit, shape);
    fxi_build_refuse(&r->b, FX_ERROR_DTYPE, "%s is %s instead of %s", what, fx_dtype_name(limit->shape.dtype),
                     fx_dtype_name(shape->dtype));
    return false;
}

double fxi_random_rounded(fx_dtype dtype, double value) {
    unsigned char element[16] = {0};
    fxi_element_store(dtype, element, 0, (fxi_scalar){.re = value});
    return fxi_element_load(dtype, element, 0).re;
}

fx_node *fxi_random_parameter(const fxi_random *r, const char *what, fx_node *parameter,
                              const fx_shape *shape) {
    fx_dtype dtype = parameter->shape.dtype;
    if (!fxi_random_fits(r, what, parameter, shape)) return NULL;
    if (fx_dtype_is_integer(dtype) || is_real_float(dtype)) return fx_convert(parameter, FX_F64);
    fxi_build_refuse(&r->b, FX_ERROR_DTYPE, "%s is %s instead of a number", what, fx_dtype_name(dtype));
    return NULL;
}

/* ---- words ---- */

fx_node *fxi_random_words(const fxi_random *r, const fx_shape *dims, fx_dtype word) {
    fx_shape shape = *dims;
    shape.dtype = FX_U64;
    fx_node *elements = r->elements ? r->elements : fx_iota_full(r->b.graph, &shape);
    fx_node *operands[FXI_MAP_OPERANDS] = {r->key, r->low, r->high, elements};
    const fxi_attr attr = fxi_attr_dtype(word);
    return fxi_build_map(r->b.name, FX_OP_PHILOX, operands, FXI_MAP_OPERANDS, &attr, 1);
}

/* Blocks that so many words begin. */
static int64_t blocks_of(int64_t words, fx_dtype word) {
    int64_t per_block = word == FX_U64 ? BLOCK_WORDS / 2 : BLOCK_WORDS;
    return words / per_block + (words % per_block != 0);
}

fxi_random fxi_random_after(const fxi_random *r, int64_t words, fx_dtype word) {
    fxi_random after = *r;
    after.low = fx_add(r->low, fx_scalar_int(r->b.graph, FX_U64, blocks_of(words, word)));
    after.high = fx_add(r->high, fx_convert(fx_less(after.low, r->low), FX_U64));
    return after;
}

fx_node *fxi_random_state_of(const fxi_random *r) {
    return fx_stack((fx_nodes){(fx_node *const[]){r->key, r->low, r->high}, STATE_WORDS}, 0);
}

fx_node *fxi_random_advance(const fxi_random *r, int64_t words, fx_dtype word) {
    const fxi_random after = fxi_random_after(r, words, word);
    return words == 0 ? r->state : fxi_random_state_of(&after);
}

fx_node *fxi_random_draw(const fxi_random *r, const fx_shape *dims, fx_dtype word, fx_node **new_state) {
    fx_node *made = fxi_random_words(r, dims, word);
    if (new_state) *new_state = fxi_random_advance(r, fx_shape_size(dims), word);
    return made;
}

fx_node *fx_random_split(fx_node *state, int64_t n, fx_node **new_state) {
    fxi_random r;
    const int64_t dims[2] = {n, STATE_WORDS};
    const fx_shape shape = fx_shape_make(FX_U64, dims, 2);
    if (!fxi_random_begin(&r, "fx_random_split", &state, 1, &shape, new_state)) return r.b.stop;
    if (n < 1) return fxi_build_refuse(&r.b, FX_ERROR_ARGUMENT, "%lld states are asked for", (long long)n);
    return fxi_random_draw(&r, &shape, FX_U64, new_state);
}

/* ---- bits ---- */

fx_node *fx_random_bits(fx_node *state, const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    if (!fxi_random_begin(&r, "fx_random_bits", &state, 1, shape, new_state)) return r.b.stop;
    fx_dtype dtype = shape->dtype;
    int bits = fx_dtype_bits(dtype);
    if (dtype == FX_BOOL || fx_dtype_is_complex(dtype))
        return fxi_build_refuse(&r.b, FX_ERROR_DTYPE, "%s is not accepted; integers and floats are",
                                fx_dtype_name(dtype));
    fx_node *words = fxi_random_draw(&r, shape, bits == 64 ? FX_U64 : FX_U32, new_state);
    if (fx_dtype_is_integer(dtype)) return fx_convert(words, dtype);
    return fx_bitcast(bits < 32 ? fx_convert(words, bits == 16 ? FX_U16 : FX_U8) : words, dtype);
}

fx_node *fxi_random_unit(fx_node *words, int p) {
    fx_dtype word = words->shape.dtype;
    bool wide = word == FX_U64;
    fx_graph *g = words->graph;
    fx_node *top = fx_bitwise_shift_right_logical(words, fx_scalar_int(g, word, (wide ? 64 : 32) - p));
    fx_node *value = fx_convert(fx_convert(top, wide ? FX_S64 : FX_S32), wide ? FX_F64 : FX_F32);
    double unit = 1;
    for (int i = 0; i < p; i++) unit /= 2;
    return fx_mul(value, fx_scalar(g, value->shape.dtype, unit));
}

fx_node *fxi_random_inner(fx_node *words) {
    bool wide = words->shape.dtype == FX_U64;
    fx_graph *g = words->graph;
    fx_node *top = wide ? fx_bitwise_shift_right_logical(words, fx_scalar_int(g, FX_U64, 12)) : words;
    fx_node *value = fx_convert(fx_convert(top, FX_S64), FX_F64);
    return fx_mul(fx_add(value, fx_scalar(g, FX_F64, 0.5)), fx_scalar(g, FX_F64, wide ? 0x1p-52 : 0x1p-32));
}
