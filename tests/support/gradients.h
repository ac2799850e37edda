/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of derivative rules share: graph functions in a line, tables of derivative cases, and exact
 * gradients at awkward places on every backend. */
#ifndef GRADIENTS_H
#define GRADIENTS_H

#include "support/derivatives.h"
#include "support/run_graph.h"

/* A graph function of x = in[0], y = in[1], z = in[2] (as many as there are) with one output. */
#define GRAPH_FN(name, expression)                                                                           \
    static void name(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,           \
                     void *user) {                                                                           \
        (void)body, (void)n_out, (void)user;                                                                 \
        fx_node *x = in[0], *y = n_in > 1 ? in[1] : NULL, *z = n_in > 2 ? in[2] : NULL;                      \
        (void)x, (void)y, (void)z;                                                                           \
        out[0] = (expression);                                                                               \
    }

/* A row of a table for CHECK_ROWS: what follows the function are the tensors. */
#define ROW(function, ...)                                                                                   \
    {                                                                                                        \
        .name = #function, .fn = function, .n_out = 1, .in = {__VA_ARGS__},                                  \
        .n_in = sizeof((fx_tensor *const[]){__VA_ARGS__}) / sizeof(fx_tensor *)                              \
    }
#define CHECK_ROWS(...)                                                                                      \
    do {                                                                                                     \
        const derivative_case cases_[] = {__VA_ARGS__};                                                      \
        for (size_t i_ = 0; i_ < sizeof cases_ / sizeof cases_[0]; i_++) check_derivatives(&cases_[i_]);     \
    } while (0)

/* Of complex numbers, both parts between low and high. */
#define RANDOM_C128(seed, low, high, ...)                                                                    \
    random_values(                                                                                           \
        FX_C128,                                                                                             \
        (fx_dims){(const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)}, \
        low, high, seed)
/* A tensor of given values: FLOATS(FX_SHAPE(FX_F64, 2), 1, 2). */
#define FLOATS(shape, ...)                                                                                   \
    given_values(&shape, (const double[]){__VA_ARGS__},                                                      \
                 sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
fx_tensor *given_values(const fx_shape *shape, const double *values, size_t n);

/* The gradients of the sum of out[0] by each input of floats or complex numbers are `wanted`, printed in full
 * with "; " between, on every backend. The inputs are freed. */
void assert_gradients(const char *name, fx_fn fn, fx_tensor *const *in, size_t n_in, const char *wanted);
#define GRADIENTS(function, wanted, ...)                                                                     \
    assert_gradients(#function, function, (fx_tensor *const[]){__VA_ARGS__},                                 \
                     sizeof((fx_tensor *const[]){__VA_ARGS__}) / sizeof(fx_tensor *), wanted)

/* The gradient of fn, whose inputs become parameters of these shapes, is refused because a node of that
 * operation has none, and why. */
void assert_no_gradient(fx_fn fn, const fx_shape *shapes, size_t n, const char *op, const char *why);

/* vjp in that dtype, of inputs rounded to it, against float64's: equal to within tolerance times the largest
 * value. The inputs are float64 and freed. */
void check_vjp_in(fx_dtype dtype, const derivative_case *c, double tolerance);

#endif
