/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting on lines of every length that has a way of its own: the result is compared with what the interpreter gives, whose
 * order is checked here against the definition, and is the same for any number of threads. */
#include "exec/both.h"
#include "tensor/tensor.h"
#include <math.h>
#include <string.h>

typedef struct job {
    int axis;
    bool ascending;
} job;

static void build_sort(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const job *j = user;
    (void)g, (void)n_in, (void)n_out;
    out[0] = fx_sort(in[0], j->axis, j->ascending);
}

static uint64_t draw(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/* Numbers with many repetitions, zeros of both signs and, in floats, NaN and infinities. */
static fx_tensor *random_of(const fx_shape *shape, uint64_t *seed) {
    static const double odd[] = {-0.0, 0.0, NAN, INFINITY, -INFINITY};
    fx_tensor *t = fx_tensor_new(shape, FX_MUST);
    memset(t->data, 0, (size_t)t->bytes);
    bool wide = draw(seed) % 2;
    for (int64_t i = 0; i < fx_shape_size(shape); i++) {
        int64_t d = (int64_t)draw(seed) - (1 << 30), e = (int64_t)draw(seed);
        fxi_scalar v = {.i = wide ? d * (e + 1) : d % 7};
        v.re = d % 5 == 0 ? odd[e % 5] : (double)v.i / 64;
        v.im = d % 3 == 0 ? odd[e % 4] : (double)(e % 5);
        fxi_element_store(shape->dtype, t->data, i, v);
    }
    return t;
}

static fx_tensor *run(const char *config, fx_fn fn, void *user, fx_tensor *x) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, fn, 1, 1, user, FX_MUST);
    fx_arg arg = FX_ARG(x);
    fx_tensor *out = fx_exec_call1(exec, &arg, 1, FX_MUST);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return out;
}

/* Exactly the operand's elements in another order: bytes of all elements, summed after mixing. */
static uint64_t fingerprint(const fx_tensor *t) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < fx_shape_size(&t->shape); i++) {
        fxi_scalar v = fxi_element_load(t->shape.dtype, t->data, i);
        sum += fxi_hash_bytes(&v.re, sizeof v.re, fxi_hash_bytes(&v.im, sizeof v.im, fxi_hash_u64((uint64_t)v.i, 1)));
    }
    return sum;
}

static const fx_dtype dtypes[] = {FX_F32, FX_S32, FX_F64, FX_BF16, FX_F16, FX_S64, FX_U64, FX_U32, FX_S16, FX_U16,
                                  FX_S8,  FX_U8,  FX_BOOL, FX_S4,  FX_U4,  FX_S2,  FX_U2,  FX_C64, FX_C128};
static const struct {
    int rank;
    int64_t dims[3];
    int axis;
} shapes[] = {{1, {1}, 0},           {1, {0}, 0},         {2, {0, 3}, 1},     {2, {3, 0}, 1},      {1, {2}, 0},
              {1, {24}, 0},          {1, {25}, 0},        {2, {7, 100}, 1},   {2, {100, 7}, 0},    {3, {3, 33, 5}, 1},
              {1, {4095}, 0},        {1, {4096}, 0},      {2, {20, 5000}, 1}, {2, {3, 40000}, 1},  {2, {40000, 3}, 0},
              {2, {50, 3}, 1},       {2, {40, 100}, 0},   {3, {3, 20, 40}, 1}, {2, {17, 512}, 1},   {2, {17, 513}, 1},
              {3, {7, 1, 9}, 1},     {1, {140000}, 0}};

static void same_everywhere(void **state) {
    (void)state;
    static const char *const configs[] = {"cpu?threads=1", "cpu?threads=2", "cpu?threads=3"};
    uint64_t seed = 3;
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (size_t d = 0; d < COUNT_OF(dtypes); d++) {
            fx_shape shape = {.dtype = dtypes[d], .rank = shapes[s].rank};
            memcpy(shape.dims, shapes[s].dims, sizeof shapes[s].dims);
            if (fx_shape_size(&shape) > 30000 && d > 3) continue;
            job j = {shapes[s].axis, draw(&seed) % 2 == 0};
            fx_tensor *x = random_of(&shape, &seed), *want = run("interp", build_sort, &j, x);
            assert_true(fingerprint(x) == fingerprint(want));
            for (size_t c = 0; c < COUNT_OF(configs) && FLUXION_CPU; c++) {
                fx_tensor *got = run(configs[c], build_sort, &j, x);
                if (!fx_tensor_equal(got, want)) fail_msg("%s, %s", fx_shape_to_text(&shape).s, configs[c]);
                fx_tensor_free(got);
            }
            fx_tensor_free(want);
            fx_tensor_free(x);
        }
}

/* ---- several operands and results ---- */

#define BUILD(name) static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)out, (void)n_out, (void)user
BUILD(one_key) { UNUSED; fx_sort_many((fx_nodes){in, n_in}, 1, 0, true, out); }
BUILD(two_keys) { UNUSED; fx_sort_many((fx_nodes){in, n_in}, 2, -1, false, out); }
BUILD(indices) { UNUSED; out[0] = fx_argsort_dtype(in[0], 0, false, FX_S64); out[1] = fx_sort_by_key(in[0], in[1], 0, false); }
BUILD(top_5) { UNUSED; out[0] = fx_top_k(in[0], 5, -1, &out[1]); }
BUILD(top_700) { UNUSED; out[0] = fx_top_k(in[0], 700, -1, &out[1]); }
BUILD(bottom_90) { UNUSED; out[0] = fx_bottom_k_dtype(in[0], 90, 0, FX_S64, &out[1]); }
BUILD(top_half) { UNUSED; out[0] = fx_top_k(in[0], fx_node_dim(in[0], 0) / 2, 0, &out[1]); }

BUILD(less_abs) { UNUSED; out[0] = fx_less(fx_abs(in[0]), fx_abs(in[1])); }
BUILD(by_abs) { UNUSED; fx_sort_func(less_abs, NULL, 0, (fx_nodes){in, n_in}, out); }
BUILD(by_abs_in_rows) { UNUSED; fx_sort_func(less_abs, NULL, 1, (fx_nodes){in, n_in}, out); }

static const struct {
    const char *name;
    fx_fn build;
    fx_dtype dtypes[2];
    int rank;
    int64_t dims[2];
} many[] = {{"packed records", one_key, {FX_F32, FX_U8}, 1, {40000}},
            {"packed records, lines", one_key, {FX_BF16, FX_C128}, 2, {300, 50}},
            {"pairs", one_key, {FX_F64, FX_S32}, 1, {40000}},
            {"pairs of complex", one_key, {FX_C128, FX_BF16}, 2, {5000, 3}},
            {"two packed keys", two_keys, {FX_S8, FX_F32}, 2, {2, 35000}},
            {"two packed keys, lines", two_keys, {FX_BOOL, FX_C64}, 2, {50, 300}},
            {"narrow and wide key", two_keys, {FX_S4, FX_S64}, 1, {40000}},
            {"wide and narrow key", two_keys, {FX_U64, FX_F16}, 2, {50, 300}},
            {"indices", indices, {FX_F32, FX_S16}, 2, {5000, 7}},
            {"few of many", top_5, {FX_F32, FX_U8}, 1, {300000}},
            {"few of many lines", top_5, {FX_S16, FX_U8}, 2, {900, 77}},
            {"few of many, wide", top_5, {FX_F64, FX_U8}, 2, {3, 140000}},
            {"some of many", top_700, {FX_F32, FX_U8}, 2, {2, 140000}},
            {"some of many lines", top_700, {FX_S64, FX_U8}, 2, {40, 3000}},
            {"all", top_700, {FX_S64, FX_U8}, 2, {40, 700}},
            {"smallest", bottom_90, {FX_F16, FX_U8}, 2, {2000, 20}},
            {"half", top_half, {FX_F32, FX_U8}, 1, {50000}},
            {"comparator", by_abs, {FX_S64, FX_C128}, 1, {9000}},
            {"comparator, lines", by_abs, {FX_S16, FX_S4}, 2, {130, 40}},
            {"comparator, rows", by_abs_in_rows, {FX_S4, FX_F64}, 2, {30, 210}},
            {"half, wide", top_half, {FX_U64, FX_U8}, 1, {50000}}};

static void run_many(const char *config, fx_fn build, fx_tensor *const *in, fx_tensor **out) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, build, 2, 2, NULL, FX_MUST);
    const fx_arg args[] = {FX_ARG(in[0]), FX_ARG(in[1])};
    fx_exec_call(exec, args, 2, out, 2, FX_MUST);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void several_results(void **state) {
    (void)state;
    static const char *const configs[] = {"cpu?threads=1", "cpu?threads=2", "cpu?threads=3"};
    uint64_t seed = 5;
    for (size_t i = 0; i < COUNT_OF(many); i++) {
        fx_tensor *in[2], *want[2], *got[2];
        for (int k = 0; k < 2; k++) {
            fx_shape shape = fx_shape_make(many[i].dtypes[k], many[i].dims, (size_t)many[i].rank);
            in[k] = random_of(&shape, &seed);
        }
        run_many("interp", many[i].build, in, want);
        for (size_t c = 0; c < COUNT_OF(configs) && FLUXION_CPU; c++) {
            run_many(configs[c], many[i].build, in, got);
            for (int k = 0; k < 2; k++) {
                if (!fx_tensor_equal(got[k], want[k])) fail_msg("%s, result %d, %s", many[i].name, k, configs[c]);
                fx_tensor_free(got[k]);
            }
        }
        for (int k = 0; k < 2; k++) {
            fx_tensor_free(in[k]);
            fx_tensor_free(want[k]);
        }
    }
}

/* ---- comparators that contradict themselves ---- */

BUILD(always) { UNUSED; out[0] = fx_fill_scalar(g, &(fx_shape){.dtype = FX_BOOL}, 1); }
/* Something like a random answer: a bit of the product. */
BUILD(erratic) {
    UNUSED;
    fx_node *mixed = fx_mul_scalar_int(fx_add(fx_mul_scalar_int(in[0], 40503), in[1]), INT64_C(1640531527));
    out[0] = fx_less_scalar_int(mixed, 0);
}
BUILD(sort_always) { UNUSED; fx_sort_func(always, NULL, 0, (fx_nodes){in, n_in}, out); }
BUILD(sort_erratic) { UNUSED; fx_sort_func(erratic, NULL, 0, (fx_nodes){in, n_in}, out); }

static void nothing_is_lost(void **state) {
    static const fx_fn builds[] = {sort_always, sort_erratic};
    uint64_t seed = 7;
    for (size_t i = 0; i < COUNT_OF(builds); i++) {
        fx_tensor *in[2], *out[2];
        in[0] = random_of(&FX_SHAPE(FX_S32, 777, 3), &seed);
        in[1] = random_of(&FX_SHAPE(FX_F16, 777, 3), &seed);
        run_many(*state, builds[i], in, out);
        for (int k = 0; k < 2; k++) {
            assert_true(fingerprint(out[k]) == fingerprint(in[k]));
            fx_tensor_free(in[k]);
            fx_tensor_free(out[k]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_everywhere), cmocka_unit_test(several_results), BOTH(nothing_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
