/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter on small graphs: every kind of node, packed dtypes, NaN bits, empty axes, outputs that are
 * inputs, log labels, the caller's rounding mode, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/interp/interp.h"
#include <fenv.h>
#include <math.h>

#define INF ((double)INFINITY)
#define NOT_A_NUMBER ((double)NAN)
#define MOST 8 /* inputs and outputs of a test's graph */

/* ---- running a graph ---- */

typedef struct fixture {
    fx_graph *graph;
    fx_node *outputs[MOST];
    size_t output_count;
    fx_tensor *inputs[MOST];
    size_t input_count;
    fx_tensor *results[MOST];
    fxi_node_log log;
    void *log_user;
} fixture;

static fixture begin(void) {
    fixture f = {.graph = fx_graph_new(NULL)};
    assert_non_null(f.graph);
    return f;
}

/* A parameter fed with that tensor, of which the fixture takes the reference. */
static fx_node *feed(fixture *f, fx_tensor *tensor) {
    assert_non_null(tensor);
    f->inputs[f->input_count++] = tensor;
    return fx_parameter(f->graph, fx_tensor_shape(tensor));
}

static void output(fixture *f, fx_node *node) {
    assert_non_null(node);
    f->outputs[f->output_count++] = node;
}

static void run_program(fixture *f, void *state) {
    fx_error err = {0};
    void *program = fxi_interp_backend.compile(state, f->graph, &err);
    if (!program) fail_msg("compile: %s", err.message);
    fxi_run_args args = {.inputs = f->inputs, .outputs = f->results, .log = f->log, .log_user = f->log_user};
    bool ok = fxi_interp_backend.run(program, &args, &err);
    fxi_interp_backend.program_free(program);
    if (!ok) fail_msg("run: %s", err.message);
}

static void run(fixture *f) {
    fx_error err = {0};
    if (!fx_graph_finish(f->graph, (fx_nodes){f->outputs, f->output_count}, &err))
        fail_msg("build: %s", err.message);
    void *state = fxi_interp_backend.open(&(fxi_open_args){0}, &err);
    assert_non_null(state);
    run_program(f, state);
    fxi_interp_backend.close(state);
}

static void end(fixture *f) {
    for (size_t i = 0; i < f->input_count; i++) fx_tensor_free(f->inputs[i]);
    for (size_t i = 0; i < f->output_count; i++) fx_tensor_free(f->results[i]);
    fx_graph_free(f->graph);
}

/* ---- values ---- */

#define DIMS(...) (const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)

static fx_tensor *tensor(fx_dtype dtype, const int64_t *dims, size_t rank, const void *data) {
    fx_shape shape = fx_shape_make(dtype, dims, rank);
    return data ? fx_tensor_copy_from(&shape, data, NULL) : fx_tensor_new(&shape, NULL);
}

/* Elements 0, 1, 2, ... as far as the dtype holds them, else wrapped. */
static fx_tensor *counting(fx_dtype dtype, const int64_t *dims, size_t rank) {
    fx_tensor *t = tensor(dtype, dims, rank, NULL);
    for (int64_t i = 0; i < fx_tensor_size(t); i++)
        fxi_element_store(dtype, t->data, i, fxi_scalar_convert((fxi_scalar){.i = i}, FX_S64, dtype));
    return t;
}

static fx_node *node1(fx_op op, fx_node *x, const fxi_attr *attrs, size_t attr_count) {
    return fxi_node_new(NULL, op, &x, 1, attrs, attr_count);
}

static fx_node *node2(fx_op op, fx_node *x, fx_node *y) {
    fx_node *const operands[] = {x, y};
    return fxi_node_new(NULL, op, operands, 2, NULL, 0);
}

static fx_node *with_ints(fx_op op, fx_node *x, fxi_attr_id id, const int64_t *v, size_t n) {
    fxi_attr attr = fxi_attr_ints(id, v, n);
    return node1(op, x, &attr, 1);
}

static fx_node *with_dims(fx_op op, fx_node *x, fx_dims dims, const fxi_attr *attrs, size_t attr_count) {
    fx_shape shape = fx_shape_make(fx_node_dtype(x), dims.v, dims.n);
    fxi_node_spec spec = {.op = op, .operands = &x, .operand_count = 1, .shape = &shape};
    spec.attrs = attrs;
    spec.attr_count = attr_count;
    return fxi_node_make(&spec);
}

static fx_node *broadcast(fx_node *x, const int64_t *dims, size_t rank, const int64_t *axes, size_t n) {
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_AXES, axes, n);
    return with_dims(FX_OP_BROADCAST_IN_DIM, x, (fx_dims){dims, rank}, &attr, 1);
}

static fx_node *reshape(fx_node *x, const int64_t *dims, size_t rank) {
    return with_dims(FX_OP_RESHAPE, x, (fx_dims){dims, rank}, NULL, 0);
}

static fx_node *reduce(fx_node *x, fxi_reduce_kind kind, const int64_t *axes, size_t n) {
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_KIND, kind), fxi_attr_ints(FXI_ATTR_AXES, axes, n)};
    return node1(FX_OP_REDUCE, x, attrs, 2);
}

static fx_node *arg_reduce(fx_node *x, fxi_reduce_kind kind, int64_t axis, fx_dtype dtype) {
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_KIND, kind), fxi_attr_int(FXI_ATTR_AXIS, axis),
                              fxi_attr_dtype(dtype)};
    return node1(FX_OP_ARG_REDUCE, x, attrs, 3);
}

static void expect(const fx_tensor *t, const char *text) { assert_string_equal(fx_tensor_text(t).s, text); }

/* ---- moves ---- */

static const fx_dtype move_types[] = {FX_BOOL, FX_S2,  FX_U4,   FX_S8,    FX_U16,
                                      FX_F32,  FX_C64, FX_C128, FX_F8E5M2};
#define MOVE_TYPES (sizeof move_types / sizeof *move_types)

/* Compares element (i, j) of a matrix with the element of x that it should be. */
static void expect_element(const fx_tensor *t, int64_t at, const fx_tensor *x, int64_t source) {
    assert_true(fx_tensor_get(t, at) == fx_tensor_get(x, source));
}

static void moves_in_every_dtype(void **state) {
    (void)state;
    for (size_t d = 0; d < MOVE_TYPES; d++) {
        fixture f = begin();
        fx_node *x = feed(&f, counting(move_types[d], DIMS(3, 5)));
        output(&f, with_ints(FX_OP_TRANSPOSE, x, FXI_ATTR_PERMUTATION, DIMS(1, 0)));
        output(&f, with_ints(FX_OP_REVERSE, x, FXI_ATTR_AXES, DIMS(0, 1)));
        const fxi_attr slice[] = {fxi_attr_ints(FXI_ATTR_STARTS, DIMS(1, 0)),
                                  fxi_attr_ints(FXI_ATTR_LIMITS, DIMS(3, 5)),
                                  fxi_attr_ints(FXI_ATTR_STRIDES, DIMS(1, 2))};
        output(&f, node1(FX_OP_SLICE, x, slice, 3));
        fx_node *const pair[] = {x, x};
        fxi_attr axis = fxi_attr_int(FXI_ATTR_AXIS, 1);
        output(&f, fxi_node_new(NULL, FX_OP_CONCATENATE, pair, 2, &axis, 1));
        output(&f, reshape(x, DIMS(5, 3)));
        output(&f, broadcast(x, DIMS(2, 3, 5), DIMS(1, 2)));
        run(&f);
        const fx_tensor *in = f.inputs[0];
        for (int64_t i = 0; i < 15; i++) {
            expect_element(f.results[0], i, in, i % 3 * 5 + i / 3);
            expect_element(f.results[1], i, in, 14 - i);
            expect_element(f.results[3], i / 5 * 10 + i % 5, in, i);
            expect_element(f.results[3], i / 5 * 10 + i % 5 + 5, in, i);
            expect_element(f.results[4], i, in, i);
            expect_element(f.results[5], i + 15, in, i);
        }
        for (int64_t i = 0; i < 6; i++) expect_element(f.results[2], i, in, (i / 3 + 1) * 5 + i % 3 * 2);
        end(&f);
    }
}

/* S15 */
static void unit_axes_repeat(void **state) {
    (void)state;
    fixture f = begin();
    fx_node *x = feed(&f, counting(FX_S32, DIMS(13, 1)));
    output(&f, broadcast(x, DIMS(1, 1, 13, 13), DIMS(2, 3)));
    output(&f, broadcast(feed(&f, counting(FX_F32, NULL, 0)), DIMS(2, 0), NULL, 0));
    run(&f);
    for (int64_t i = 0; i < 169; i++) assert_int_equal(fx_tensor_get_int(f.results[0], i), i / 13);
    expect(f.results[1], "[2][0]float32{{}, {}}");
    end(&f);
}

/* V17: moves, selection, negation and magnitude keep the bits of every NaN. */
static void nan_bits_survive(void **state) {
    (void)state;
    uint16_t codes[254];
    for (unsigned i = 0; i < 127; i++) {
        codes[i] = (uint16_t)(0x7f81 + i);
        codes[i + 127] = (uint16_t)(0xff81 + i);
    }
    bool yes[254];
    for (int i = 0; i < 254; i++) yes[i] = true;
    fixture f = begin();
    fx_node *x = feed(&f, tensor(FX_BF16, DIMS(254), codes)), *p = feed(&f, tensor(FX_BOOL, DIMS(254), yes));
    fx_node *const operands[] = {p, x, x};
    output(&f, with_ints(FX_OP_REVERSE, x, FXI_ATTR_AXES, DIMS(0)));
    output(&f, fxi_node_new(NULL, FX_OP_SELECT, operands, 3, NULL, 0));
    output(&f, node1(FX_OP_NEG, x, NULL, 0));
    output(&f, node1(FX_OP_ABS, x, NULL, 0));
    run(&f);
    const uint16_t *reversed = fx_tensor_data(f.results[0]), *selected = fx_tensor_data(f.results[1]);
    const uint16_t *negated = fx_tensor_data(f.results[2]), *magnitude = fx_tensor_data(f.results[3]);
    for (int i = 0; i < 254; i++) {
        assert_int_equal(reversed[253 - i], codes[i]);
        assert_int_equal(selected[i], codes[i]);
        assert_int_equal(negated[i], codes[i] ^ 0x8000);
        assert_int_equal(magnitude[i], codes[i] & 0x7fff);
    }
    end(&f);
}

static void bitcasts_keep_the_bits(void **state) {
    (void)state;
    fixture f = begin();
    fx_node *x = feed(&f, tensor(FX_U32, DIMS(1), (const uint32_t[]){0x3f800000}));
    fxi_attr to = fxi_attr_dtype(FX_F32);
    output(&f, node1(FX_OP_BITCAST, x, &to, 1));
    to.u.dtype = FX_U4;
    output(&f, node1(FX_OP_BITCAST, x, &to, 1));
    run(&f);
    expect(f.results[0], "[1]float32{1}");
    expect(f.results[1], "[1][8]uint4{{0, 0, 0, 0, 0, 8, 15, 3}}");
    end(&f);
}

static void iota_counts_along_its_axis(void **state) {
    (void)state;
    fixture f = begin();
    fx_shape ints = fx_shape_make(FX_S2, DIMS(2, 5)), floats = fx_shape_make(FX_BF16, DIMS(3, 2));
    fxi_attr axis = fxi_attr_int(FXI_ATTR_AXIS, 1);
    output(&f, fxi_leaf_new(f.graph, FX_OP_IOTA, &ints, &axis, 1));
    axis.u.i = 0;
    output(&f, fxi_leaf_new(f.graph, FX_OP_IOTA, &floats, &axis, 1));
    run(&f);
    expect(f.results[0], "[2][5]int2{{0, 1, -2, -1, 0}, {0, 1, -2, -1, 0}}");
    expect(f.results[1], "[3][2]bfloat16{{0, 0}, {1, 1}, {2, 2}}");
    end(&f);
}

/* ---- elementwise ---- */

/* V15: the value of an element does not depend on its place. */
static void conversion_at_every_length(void **state) {
    (void)state;
    const float values[] = {1.48259f,  1.79334f, -1.76206f, 0.0971f,   -1.09999f,
                            -3.12108f, 2.93178f, -0.07595f, -1.12773f, -8.64211f};
    const int expected[] = {1, 1, 0, 0, 0, 0, 2, 0, 0, 0};
    float repeated[40];
    for (int i = 0; i < 40; i++) repeated[i] = values[i % 10];
    for (int64_t n = 1; n <= 40; n++) {
        fixture f = begin();
        fxi_attr to = fxi_attr_dtype(FX_U16);
        output(&f, node1(FX_OP_CONVERT, feed(&f, tensor(FX_F32, &n, 1, repeated)), &to, 1));
        run(&f);
        for (int64_t i = 0; i < n; i++)
            assert_int_equal(fx_tensor_get_int(f.results[0], i), expected[i % 10]);
        end(&f);
    }
}

static void packed_arithmetic_wraps(void **state) {
    (void)state;
    fixture f = begin();
    fx_node *x = feed(&f, counting(FX_S4, DIMS(9)));
    output(&f, node2(FX_OP_ADD, x, x));
    output(&f, node2(FX_OP_DIV, x, node2(FX_OP_SUB, x, x)));
    run(&f);
    char text[100];
    fx_tensor_format(f.results[0], text, sizeof text, &(fx_format_options){.full = true});
    assert_string_equal(text, "[9]int4{0, 2, 4, 6, -8, -6, -4, -2, 0}");
    for (int64_t i = 0; i < 9; i++) assert_int_equal(fx_tensor_get_int(f.results[1], i), -1);
    assert_int_equal(((const uint8_t *)fx_tensor_data(f.results[0]))[4] >> 4, 0); /* unused bits */
    end(&f);
}

/* ---- reductions ---- */

static void reductions_over_chosen_axes(void **state) {
    (void)state;
    fixture f = begin();
    fx_node *x = feed(&f, counting(FX_S32, DIMS(2, 3, 4)));
    output(&f, reduce(x, FXI_SUM, DIMS(1)));
    output(&f, reduce(x, FXI_MAX, DIMS(0, 2)));
    output(&f, reduce(x, FXI_MIN, DIMS(0, 1, 2)));
    output(&f, reduce(x, FXI_XOR, DIMS(2)));
    output(&f, reduce(x, FXI_SUM, NULL, 0));
    run(&f);
    expect(f.results[0], "[2][4]int32{{12, 15, 18, 21}, {48, 51, 54, 57}}");
    expect(f.results[1], "[3]int32{15, 19, 23}");
    expect(f.results[2], "int32(0)");
    expect(f.results[3], "[2][3]int32{{0, 0, 0}, {0, 0, 0}}");
    assert_true(fx_tensor_equal(f.results[4], f.inputs[0]));
    end(&f);
}

static void empty_reductions_are_neutral(void **state) {
    (void)state;
    fixture f = begin();
    fx_node *x = feed(&f, tensor(FX_F32, DIMS(0, 2), NULL)), *i = feed(&f, tensor(FX_S8, DIMS(0), NULL));
    output(&f, reduce(x, FXI_SUM, DIMS(0)));
    output(&f, reduce(x, FXI_MAX, DIMS(0)));
    output(&f, reduce(x, FXI_PRODUCT, DIMS(0, 1)));
    output(&f, reduce(i, FXI_MIN, DIMS(0)));
    output(&f, reduce(i, FXI_AND, DIMS(0)));
    output(&f, reduce(x, FXI_MIN, DIMS(1)));
    run(&f);
    expect(f.results[0], "[2]float32{0, 0}");
    expect(f.results[1], "[2]float32{-Inf, -Inf}");
    expect(f.results[2], "float32(1)");
    expect(f.results[3], "int8(127)");
    expect(f.results[4], "int8(-1)");
    expect(f.results[5], "[0]float32{}");
    end(&f);
}

static void sums_are_rounded_once(void **state) {
    (void)state;
    fixture f = begin();
    fx_node *ones = broadcast(feed(&f, fx_tensor_scalar(FX_F16, 1, NULL)), DIMS(5000), NULL, 0);
    fx_node *tenths = broadcast(feed(&f, fx_tensor_scalar(FX_F32, 0.1, NULL)), DIMS(1000000), NULL, 0);
    output(&f, reduce(ones, FXI_SUM, DIMS(0)));
    output(&f, reduce(tenths, FXI_SUM, DIMS(0)));
    run(&f);
    assert_true(fx_tensor_get(f.results[0], 0) == 5000); /* float16 alone would stop at 2048 */
    assert_true(fx_tensor_get(f.results[1], 0) == (double)(float)(1e6 * (double)0.1f));
    end(&f);
}

/* V05, V06: one rule at every length; the first NaN, else the first of equals. */
static void arg_reduce_finds_the_first(void **state) {
    (void)state;
    for (int64_t n = 1; n <= 33; n++) {
        float nans[33], values[33] = {1, NAN, 3};
        for (int i = 0; i < 33; i++) nans[i] = NAN;
        fixture f = begin();
        fx_node *x = feed(&f, tensor(FX_F32, &n, 1, nans)), *y = feed(&f, tensor(FX_F32, &n, 1, values));
        output(&f, arg_reduce(x, FXI_MAX, 0, FX_S32));
        output(&f, arg_reduce(x, FXI_MIN, 0, FX_S64));
        output(&f, arg_reduce(y, FXI_MAX, 0, FX_S32));
        output(&f, arg_reduce(y, FXI_MIN, 0, FX_S32));
        run(&f);
        assert_int_equal(fx_tensor_get_int(f.results[0], 0), 0);
        assert_int_equal(fx_tensor_get_int(f.results[1], 0), 0);
        assert_int_equal(fx_tensor_get_int(f.results[2], 0), n == 1 ? 0 : 1);
        assert_int_equal(fx_tensor_get_int(f.results[3], 0), n == 1 ? 0 : 1);
        assert_int_equal(fx_tensor_dtype(f.results[1]), FX_S64);
        end(&f);
    }
    fixture f = begin();
    fx_node *x = feed(&f, tensor(FX_S32, DIMS(2, 3), (const int32_t[]){5, 7, 7, -1, -4, -4}));
    output(&f, arg_reduce(x, FXI_MAX, 1, FX_S32));
    output(&f, arg_reduce(x, FXI_MIN, 0, FX_S32));
    output(&f, arg_reduce(feed(&f, tensor(FX_U8, DIMS(2), "\x7f\x80")), FXI_MAX, 0, FX_S32));
    run(&f);
    expect(f.results[0], "[2]int32{1, 0}");
    expect(f.results[1], "[3]int32{1, 1, 1}");
    expect(f.results[2], "int32(1)");
    end(&f);
}

static void max_agrees_with_arg_max(void **state) {
    (void)state;
    const float rows[5][4] = {
        {3, NAN, 1, 5}, {NAN, 1, 2, 0}, {1, 2, NAN, 0}, {INFINITY, NAN, -INFINITY, 0}, {-1, -2, NAN, -3}};
    const int expected[] = {1, 0, 2, 1, 2};
    const fx_dtype dtypes[] = {FX_F32, FX_F16, FX_BF16};
    for (int d = 0; d < 3; d++) {
        fixture f = begin();
        fxi_attr to = fxi_attr_dtype(dtypes[d]);
        fx_node *x = node1(FX_OP_CONVERT, feed(&f, tensor(FX_F32, DIMS(5, 4), rows)), &to, 1);
        output(&f, reduce(x, FXI_MAX, DIMS(1)));
        output(&f, reduce(x, FXI_MIN, DIMS(1)));
        output(&f, arg_reduce(x, FXI_MAX, 1, FX_S32));
        output(&f, arg_reduce(x, FXI_MIN, 1, FX_S32));
        run(&f);
        for (int64_t i = 0; i < 5; i++) {
            assert_true(isnan(fx_tensor_get(f.results[0], i)) && isnan(fx_tensor_get(f.results[1], i)));
            assert_int_equal(fx_tensor_get_int(f.results[2], i), expected[i]);
            assert_int_equal(fx_tensor_get_int(f.results[3], i), expected[i]);
        }
        end(&f);
    }
}

/* ---- dot_general ---- */

typedef struct dot_axes {
    fx_dims lhs_batch, rhs_batch, lhs_contract, rhs_contract;
} dot_axes;

static fx_node *dot(fx_node *x, fx_node *y, dot_axes axes, fx_dtype dtype) {
    fx_node *const operands[] = {x, y};
    const fxi_attr attrs[] = {fxi_attr_ints(FXI_ATTR_LHS_BATCH, axes.lhs_batch.v, axes.lhs_batch.n),
                              fxi_attr_ints(FXI_ATTR_RHS_BATCH, axes.rhs_batch.v, axes.rhs_batch.n),
                              fxi_attr_ints(FXI_ATTR_LHS_CONTRACT, axes.lhs_contract.v, axes.lhs_contract.n),
                              fxi_attr_ints(FXI_ATTR_RHS_CONTRACT, axes.rhs_contract.v, axes.rhs_contract.n),
                              fxi_attr_dtype(dtype)};
    return fxi_node_new(NULL, FX_OP_DOT_GENERAL, operands, 2, attrs, 5);
}

static dot_axes matmul(void) {
    static const int64_t zero = 0, one = 1;
    return (dot_axes){.lhs_contract = {&one, 1}, .rhs_contract = {&zero, 1}};
}

static void matrix_products(void **state) {
    (void)state;
    fixture f = begin();
    fx_node *x = feed(&f, counting(FX_F32, DIMS(2, 3))), *y = feed(&f, counting(FX_F32, DIMS(3, 2)));
    fx_node *small = feed(&f, tensor(FX_S8, DIMS(1, 2), "\x64\x64"));
    fx_node *z = feed(&f, tensor(FX_C64, DIMS(1, 1), (const float[]){1, 2}));
    output(&f, dot(x, y, matmul(), FX_F32));
    output(&f,
           dot(small, with_ints(FX_OP_TRANSPOSE, small, FXI_ATTR_PERMUTATION, DIMS(1, 0)), matmul(), FX_S32));
    output(&f, dot(z, z, matmul(), FX_C64));
    output(&f, dot(x, y, (dot_axes){{0}, {0}, {0}, {0}}, FX_F32));
    run(&f);
    expect(f.results[0], "[2][2]float32{{10, 13}, {28, 40}}");
    expect(f.results[1], "[1][1]int32{{20000}}");
    expect(f.results[2], "[1][1]complex64{{(-3+4i)}}");
    for (int64_t i = 0; i < 36; i++) assert_true(fx_tensor_get(f.results[3], i) == (double)(i / 6 * (i % 6)));
    end(&f);
}

static void batches_and_several_axes(void **state) {
    (void)state;
    static const int64_t lhs_batch = 1, rhs_batch = 0, lhs_contract[] = {0, 3}, rhs_contract[] = {2, 1};
    fixture f = begin();
    fx_node *x = feed(&f, counting(FX_F64, DIMS(2, 3, 4, 5))),
            *y = feed(&f, counting(FX_F64, DIMS(3, 5, 2, 6)));
    output(&f, dot(x, y, (dot_axes){{&lhs_batch, 1}, {&rhs_batch, 1}, {lhs_contract, 2}, {rhs_contract, 2}},
                   FX_F64));
    run(&f);
    for (int64_t b = 0; b < 3; b++)
        for (int64_t i = 0; i < 4; i++)
            for (int64_t j = 0; j < 6; j++) {
                double sum = 0;
                for (int64_t k = 0; k < 2; k++)
                    for (int64_t l = 0; l < 5; l++)
                        sum +=
                            (double)(((k * 3 + b) * 4 + i) * 5 + l) * (double)(((b * 5 + l) * 2 + k) * 6 + j);
                assert_true(fx_tensor_get(f.results[0], (b * 4 + i) * 6 + j) == sum);
            }
    end(&f);
}

/* S09 */
static void contraction_of_length_zero(void **state) {
    (void)state;
    fixture f = begin();
    fx_node *x = feed(&f, tensor(FX_F32, DIMS(10, 0), NULL)), *v = feed(&f, tensor(FX_F32, DIMS(0), NULL));
    fx_node *y = feed(&f, tensor(FX_F32, DIMS(0, 4), NULL));
    output(&f, dot(x, v, matmul(), FX_F32));
    output(&f, dot(x, y, matmul(), FX_F32));
    run(&f);
    assert_int_equal(fx_tensor_size(f.results[0]), 10);
    assert_int_equal(fx_tensor_size(f.results[1]), 40);
    for (int64_t i = 0; i < 40; i++)
        assert_true(fx_tensor_get(f.results[1], i) == 0 && fx_tensor_get(f.results[0], i % 10) == 0);
    end(&f);
}

/* ---- outputs, logs, environment ---- */

static void outputs_are_the_callers_own(void **state) {
    (void)state;
    fixture f = begin();
    fx_node *x = feed(&f, counting(FX_S32, DIMS(3)));
    fx_node *sum = node2(FX_OP_ADD, x, x);
    fxi_attr value = {.id = FXI_ATTR_VALUE};
    value.u.tensor = counting(FX_S32, DIMS(2));
    output(&f, x);
    output(&f, sum);
    output(&f, sum);
    output(&f, fxi_leaf_new(f.graph, FX_OP_CONSTANT, fx_tensor_shape(value.u.tensor), &value, 1));
    run(&f);
    assert_true(fx_tensor_equal(f.results[0], f.inputs[0]));
    assert_true(fx_tensor_equal(f.results[1], f.results[2]));
    assert_true(fx_tensor_equal(f.results[3], value.u.tensor));
    for (size_t i = 0; i < 4; i++) {
        assert_non_null(fx_tensor_mutable_data(f.results[i]));
        for (size_t j = 0; j < i; j++) assert_ptr_not_equal(f.results[i]->data, f.results[j]->data);
    }
    assert_ptr_not_equal(f.results[0]->data, f.inputs[0]->data);
    assert_ptr_not_equal(f.results[3]->data, value.u.tensor->data);
    fx_tensor_free(value.u.tensor);
    end(&f);
}

typedef struct log_lines {
    char text[200];
} log_lines;

static void append_log(const char *label, const fx_tensor *value, const char *file, int line, void *user) {
    (void)file;
    (void)line;
    log_lines *log = user;
    size_t length = strlen(log->text);
    snprintf(log->text + length, sizeof log->text - length, "%s=%s ", label, fx_tensor_text(value).s);
}

static void labelled_nodes_are_logged(void **state) {
    (void)state;
    log_lines log = {{0}};
    fixture f = begin();
    f.log = append_log;
    f.log_user = &log;
    fx_node *x = fx_log_node(feed(&f, fx_tensor_scalar(FX_S32, 3, NULL)), "x");
    fx_node *twice = fx_log_node(node2(FX_OP_ADD, x, x), "twice");
    fx_log_node(node2(FX_OP_MUL, twice, x), "unused"); /* no output depends on it */
    output(&f, node2(FX_OP_ADD, twice, x));
    run(&f);
    assert_string_equal(log.text, "x=int32(3) twice=int32(6) unused=int32(18) ");
    expect(f.results[0], "int32(9)");
    end(&f);
}

/* N02 */
static void rounding_mode_of_the_caller_does_not_matter(void **state) {
    (void)state;
    fixture f = begin();
    fx_node *x = feed(&f, fx_tensor_scalar(FX_F64, 1, NULL)),
            *y = feed(&f, fx_tensor_scalar(FX_F64, 3, NULL));
    output(&f, node2(FX_OP_DIV, y, node2(FX_OP_DIV, x, y)));
    output(&f, node2(FX_OP_DIV, x, y));
    assert_int_equal(fesetround(FE_UPWARD), 0);
    run(&f);
    int mode = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(mode, FE_UPWARD);
    volatile double one = 1, three = 3;
    assert_true(fx_tensor_get(f.results[1], 0) == one / three);
    end(&f);
}

static void memory_and_text(void **state) {
    (void)state;
    fixture f = begin();
    fx_node *x = feed(&f, counting(FX_F32, DIMS(100)));
    fx_node *y = node2(FX_OP_ADD, node2(FX_OP_ADD, x, x), x);
    node2(FX_OP_MUL, x, x); /* not needed */
    output(&f, reduce(y, FXI_SUM, DIMS(0)));
    fx_error err = {0};
    assert_true(fx_graph_finish(f.graph, (fx_nodes){f.outputs, 1}, &err));
    void *state_of = fxi_interp_backend.open(&(fxi_open_args){0}, &err);
    void *program = fxi_interp_backend.compile(state_of, f.graph, &err);
    fx_memory memory = {.size = sizeof memory};
    fxi_interp_backend.program_memory(program, &memory);
    assert_int_equal(memory.parameters, 400);
    assert_int_equal(memory.outputs, 4);
    assert_int_equal(memory.workspace, 800);
    assert_int_equal(memory.steps, 4);
    fxi_text text = {0};
    fxi_interp_backend.program_text(program, &text);
    assert_non_null(strstr(text.data, "reduce"));
    assert_null(strstr(text.data, "mul"));
    fxi_text_free(&text);
    fxi_interp_backend.program_free(program);
    fxi_interp_backend.close(state_of);
    fx_graph_free(f.graph);
    fx_tensor_free(f.inputs[0]);
}

static void unknown_options_are_refused(void **state) {
    (void)state;
    fx_error err = {0};
    fxi_config config = {"threads", "2"};
    assert_null(fxi_interp_backend.open(&(fxi_open_args){.config = &config, .count = 1}, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_non_null(strstr(err.message, "threads"));
}

/* Values are freed after their last use and no walk recurses: a chain of 100,000 nodes. */
static void long_chains(void **state) {
    (void)state;
    fixture f = begin();
    fx_node *x = feed(&f, fx_tensor_scalar(FX_F64, 1, NULL)), *y = x;
    for (int i = 0; i < 100000; i++) y = node2(FX_OP_ADD, y, x);
    output(&f, y);
    run(&f);
    assert_true(fx_tensor_get(f.results[0], 0) == 100001);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_in_every_dtype),
        cmocka_unit_test(unit_axes_repeat),
        cmocka_unit_test(nan_bits_survive),
        cmocka_unit_test(bitcasts_keep_the_bits),
        cmocka_unit_test(iota_counts_along_its_axis),
        cmocka_unit_test(conversion_at_every_length),
        cmocka_unit_test(packed_arithmetic_wraps),
        cmocka_unit_test(reductions_over_chosen_axes),
        cmocka_unit_test(empty_reductions_are_neutral),
        cmocka_unit_test(sums_are_rounded_once),
        cmocka_unit_test(arg_reduce_finds_the_first),
        cmocka_unit_test(max_agrees_with_arg_max),
        cmocka_unit_test(matrix_products),
        cmocka_unit_test(batches_and_several_axes),
        cmocka_unit_test(contraction_of_length_zero),
        cmocka_unit_test(outputs_are_the_callers_own),
        cmocka_unit_test(labelled_nodes_are_logged),
        cmocka_unit_test(rounding_mode_of_the_caller_does_not_matter),
        cmocka_unit_test(memory_and_text),
        cmocka_unit_test(unknown_options_are_refused),
        cmocka_unit_test(long_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
