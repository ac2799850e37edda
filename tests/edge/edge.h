/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of inputs at which libraries of this kind go wrong: small tensors of given values, graph
 * functions run on them, and the check that an elementwise function gives the same right elements however
 * it is asked: on parameters and on constants, at vector lengths around every number of lanes, alone and
 * inside a larger fused graph. The state of a test is the backend's name, as BOTH of exec/both.h makes it. */
#ifndef EDGE_H
#define EDGE_H

#include "exec/both.h"
#include "tensor/tensor.h"

/* A graph function of up to EDGE_OPERANDS operands. */
typedef fx_node *(*edge_fn)(fx_node *const *in);
enum { EDGE_OPERANDS = 4 };

/* Vectors of a dtype: of reals, of integers or bool, and of pairs (re, im). */
fx_tensor *edge_reals(fx_dtype dtype, const double *values, int64_t n);
fx_tensor *edge_ints(fx_dtype dtype, const int64_t *values, int64_t n);
fx_tensor *edge_pairs(fx_dtype dtype, const double *values, int64_t n);
#define EDGE_REALS(dtype, ...) edge_reals(dtype, EDGE_LIST_(double, __VA_ARGS__))
#define EDGE_INTS(dtype, ...) edge_ints(dtype, EDGE_LIST_(int64_t, __VA_ARGS__))
#define EDGE_PAIRS(dtype, ...)                                                                               \
    edge_pairs(dtype, (const double[]){__VA_ARGS__},                                                         \
               sizeof((const double[]){__VA_ARGS__}) / sizeof(double) / 2)
#define EDGE_LIST_(type, ...) (const type[]){__VA_ARGS__}, sizeof((const type[]){__VA_ARGS__}) / sizeof(type)
float edge_float_of(uint32_t bits);

/* Equal dtypes, dimensions and elements: bits, but for NaN, or within so many ulp of the wanted element.
 * Fails with the first element that is not right. */
void edge_assert(const fx_tensor *got, const fx_tensor *want, double ulps, const char *what);

/* The value of a function of parameters, or of constants; does not free the operands. */
fx_tensor *edge_run(void **state, edge_fn fn, fx_tensor *const *in, size_t n_in);
fx_tensor *edge_run_constants(void **state, edge_fn fn, fx_tensor *const *in, size_t n_in);
/* Both give this text (of fx_tensor_text); frees the operands. */
void edge_check_text(void **state, edge_fn fn, fx_tensor *const *in, size_t n_in, const char *want);
#define EDGE_TEXT(state, fn, want, ...)                                                                      \
    edge_check_text(state, fn, (fx_tensor *const[]){__VA_ARGS__},                                            \
                    sizeof((fx_tensor *const[]){__VA_ARGS__}) / sizeof(fx_tensor *), want)

/* An elementwise function: element i of `want` belongs to elements i of the operands, vectors all. */
typedef struct edge_map {
    const char *name;
    edge_fn fn;
    fx_tensor *want;
    double ulps;
    fx_tensor *in[EDGE_OPERANDS]; /* as many as are not NULL */
} edge_map;
/* Checks it in every way; frees its tensors. */
void edge_check_map(void **state, const edge_map *map);

#endif
