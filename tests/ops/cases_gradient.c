/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of the golden cases of gradients, which are vector-Jacobian products: the last operand is the adjoint of the
 * program's result, the results are the derivatives by the operands before it that have any. */
#include "ops/cases.h"
#include <fluxion.h>
#include <math.h>

/* ---- closures ---- */

static void affine(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_mul(in[0], in[2]);
    out[1] = fx_add(fx_mul(in[2], in[1]), in[3]);
}

static void times(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_mul(in[0], in[1]);
}

/* (1 + a) (1 + b) - 1 */
static void grown(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_add(fx_add(in[0], in[1]), fx_mul(in[0], in[1]));
}

static fx_node *scan_affine(fx_node *x, fx_node *y) {
    fx_node *results[2];
    fx_associative_scan(FX_NODES(x, y), 0, false, affine, NULL, results);
    return results[1];
}

/* ---- programs of several steps ---- */

static fx_node *squared(fx_node *x) {
    return fx_mul(x, x);
}

static fx_node *index_at(fx_node *indices, int64_t i) {
    return fx_squeeze(fx_slice_axis(indices, 0, i, i + 1, 1), FX_AXES(0));
}

static fx_node *part_2_3(fx_node *x, fx_node *at) {
    return squared(fx_dynamic_slice(x, FX_NODES(index_at(at, 0), index_at(at, 1)), FX_DIMS(2, 3)));
}

static fx_node *put_2_3(fx_node *x, fx_node *part, fx_node *at) {
    return squared(fx_dynamic_update_slice(x, part, FX_NODES(index_at(at, 0), index_at(at, 1))));
}

static fx_node *padded(fx_node *x, fx_node *value, fx_pad_axis first, fx_pad_axis second) {
    const fx_pad_axis pads[] = {first, second};
    return squared(fx_pad(x, value, (fx_pads){pads, 2}));
}

static fx_node *standardized(fx_node *x) {
    fx_node *mean = fx_reduce_and_keep(x, fx_reduce_mean, FX_AXES(1)),
            *variance = fx_reduce_and_keep(x, fx_reduce_variance, FX_AXES(1));
    return fx_div(fx_sub(x, mean), fx_sqrt(fx_add_scalar(variance, 1e-3)));
}

static fx_node *attention(fx_node *q, fx_node *k, fx_node *v) {
    return fx_matmul(fx_softmax(fx_div_scalar(fx_matmul(q, fx_transpose(k, 0, 1)), 2), FX_AXES(1)), v);
}

static fx_node *sorted_with(fx_node *x, fx_node *y) {
    fx_node *results[2];
    fx_sort_many(FX_NODES(fx_floor(x), y), 2, 0, true, results);
    return squared(results[1]);
}

static fx_node *ranked_sum(fx_node *x) {
    fx_node *rank = fx_iota(fx_node_graph(x), fx_node_shape(x), 0);
    return fx_reduce_all_sum(fx_mul(fx_sort(x, 0, true), rank));
}

static fx_node *reduced_with(fx_node *x) {
    fx_node *zero = fx_scalar_zero(fx_node_graph(x), fx_node_dtype(x));
    return fx_reduce_with(FX_NODES(x), FX_NODES(zero), FX_AXES(1), grown, NULL, NULL);
}

static fx_node *power_spectrum(fx_node *x) {
    fx_node *spectrum = fx_rfft(x, FX_DIMS());
    return fx_real(fx_mul(spectrum, fx_conj(spectrum)));
}

static fx_node *convolved(fx_node *x, fx_node *y) {
    return fx_irfft(fx_mul(fx_rfft(x, FX_DIMS(8)), fx_rfft(y, FX_DIMS(8))), FX_DIMS(8));
}

static fx_node *spread_sum(fx_node *x, fx_node *y) {
    fx_node *column = fx_expand_axes(x, FX_AXES(1)), *row = fx_expand_axes(y, FX_AXES(0));
    return fx_add(column, fx_mul(row, column));
}

/* ---- loops ---- */

/* x as what a closure captures: of a constant it would take a copy, by which there is no derivative. */
static fx_node *captured(fx_node *x) {
    return fx_optimization_barrier(x);
}

/* States h and s of a cell with gates i, f, g, o side by side; user: w and u. */
static void cell(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node **weights = user, *gates[4];
    (void)body, (void)n_in, (void)n_out;
    fx_split(fx_add(fx_matmul(in[2], weights[0]), fx_matmul(in[0], weights[1])), -1, 4, gates);
    out[1] = fx_add(fx_mul(fx_logistic(gates[1]), in[1]), fx_mul(fx_logistic(gates[0]), fx_tanh(gates[2])));
    out[0] = fx_mul(fx_logistic(gates[3]), fx_tanh(out[1]));
    out[2] = out[0];
}

static fx_node *recurrent(fx_node *xs, fx_node *w, fx_node *u, bool backwards) {
    fx_node *weights[] = {captured(w), captured(u)}, *results[3];
    fx_node *zero = fx_zeros(fx_node_graph(xs), &FX_SHAPE(FX_F64, fx_node_dim(xs, 1), fx_node_dim(u, 0)));
    (backwards ? fx_scan_reverse : fx_scan)(FX_NODES(zero, zero), FX_NODES(xs), fx_node_dim(xs, 0), 1, cell,
                                            weights, results);
    return fx_add(results[2], fx_expand_left_to_rank(results[1], 3));
}

static void descend(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *loss = fx_reduce_all_sum(fx_mul(fx_sin(fx_mul(in[1], user)), in[1]));
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_sub(in[1], fx_mul_scalar(fx_gradient(loss, FX_NODES(in[1]), NULL), 0.1));
}

static void scaled(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *const *values = user;
    (void)body, (void)in, (void)n_in, (void)n_out;
    out[0] = fx_mul(values[0], values[1]);
}

static void waved(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *const *values = user;
    (void)body, (void)in, (void)n_in, (void)n_out;
    out[0] = fx_mul(fx_sin(values[0]), values[2]);
}

static void branching(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *values[] = {in[0], in[1], user};
    (void)n_in, (void)n_out;
    fx_if(fx_less(fx_reduce_all_sum(in[0]), fx_scalar(body, FX_F64, 1)), scaled, waved, 1, values, out);
}

/* ---- the table: x, y and z are the first operands ---- */

typedef struct program {
    const char *name;
    fx_node *(*make)(fx_node *x, fx_node *y, fx_node *z);
} program;

#define PROGRAM(name, expression)                                                                            \
    static fx_node *program_##name(fx_node *x, fx_node *y, fx_node *z) {                                     \
        (void)x, (void)y, (void)z;                                                                           \
        return expression;                                                                                   \
    }
#include "ops/gradient_programs.def"
#undef PROGRAM

#define PROGRAM(name, expression) {#name, program_##name},
static const program programs[] = {
#include "ops/gradient_programs.def"
};
#undef PROGRAM

static const program *program_of(const golden_case *c) {
    const char *name = golden_word(c, "program", "");
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (strcmp(programs[i].name, name) == 0) return &programs[i];
    fail_msg("%s:%d: there is no program %s", c->file, c->line, name);
    return NULL;
}

void case_vjp(const case_args *a) {
    fx_node *by[GOLDEN_TENSORS], *adjoint = a->in[a->n_in - 1];
    size_t operands = a->n_in - 1, n = 0;
    for (size_t i = 0; i < operands; i++)
        if (fx_dtype_is_float(fx_node_dtype(a->in[i])) || fx_dtype_is_complex(fx_node_dtype(a->in[i])))
            by[n++] = a->in[i];
    fx_node *result = program_of(a->c)->make(a->in[0], operands > 1 ? a->in[1] : NULL, operands > 2 ? a->in[2] : NULL);
    fx_vjp(FX_NODES(result), FX_NODES(adjoint), (fx_nodes){by, n}, a->out);
}
