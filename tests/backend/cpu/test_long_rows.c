/* SPDX-License-Identifier: Apache-2.0 */
/* Rows longer than a chunk of FXI_ROW_CHUNK elements: one kernel does them, chunk by chunk, with the bits of
 * the operations run one by one, whose reductions are cut into the same chunks. */
#include "backend/cpu/plan/fuse.h"
#include "backend/cpu/plan/kernel.h"
#include "exec/both.h"
#include "support/random_graph.h"

static fx_node *softmax_of(fx_node *x) { return fx_softmax(x, FX_AXES(-1)); }
static fx_node *norm_of(fx_node *x) { return fx_nn_layer_norm(x, FX_AXES(-1), 1e-5, NULL, NULL, NULL); }
static fx_node *rms_of(fx_node *x) { return fx_nn_rms_norm(x, FX_AXES(-1), 1e-5, NULL); }
static fx_node *range_of(fx_node *x) { /* several reductions of one sweep, of which one is a product */
    fx_node *most = fx_reduce_and_keep(x, fx_reduce_max, FX_AXES(-1));
    fx_node *least = fx_reduce_and_keep(x, fx_reduce_min, FX_AXES(-1));
    fx_node *near_one = fx_add_scalar(fx_mul_scalar(x, 1e-4), 1);
    fx_node *product = fx_reduce_and_keep(near_one, fx_reduce_product, FX_AXES(-1));
    return fx_div(fx_sub(x, least), fx_add(fx_sub(most, least), product));
}
static fx_node *xent_gradient_of(fx_node *x) {
    fx_node *found, *picked = fx_slice_axis(fx_log_softmax(x, FX_AXES(-1)), -1, 7, 8, 1);
    fx_gradient(fx_reduce_all_sum(picked), FX_NODES(x), &found);
    return found;
}

static fx_tensor *draw(fx_dtype dtype, int64_t rows, int64_t row) {
    const fx_shape shape = FX_SHAPE(dtype, rows, row);
    random_state r = {(uint64_t)(rows * row)};
    fx_tensor *made = fx_tensor_new(&shape, FX_MUST);
    for (int64_t i = 0; i < rows * row; i++) {
        double value = (double)(random_bits(&r) >> 11) * 0x1p-51 - 2;
        fxi_element_store(dtype, fx_tensor_mutable_data(made), i, (fxi_scalar){.re = value});
    }
    return made;
}

/* The result; `text`: what the program is made of. */
static fx_tensor *run(const char *config, fx_node *(*fn)(fx_node *), fx_tensor *x, char *text, size_t size) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new(backend, fn, FX_MUST);
    fx_tensor *y = fx_call1(exec, FX_MUST, x);
    fx_program *program = fx_exec_program(exec, fx_tensor_shape(x), 1, FX_MUST);
    fx_program_text(program, text, size);
    fx_program_free(program);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return y;
}

static void check(fx_node *(*fn)(fx_node *), fx_dtype dtype, int64_t rows, int64_t row) {
    char fused[4000], plain[40000];
    fx_tensor *x = draw(dtype, rows, row);
    fx_tensor *a = run("cpu", fn, x, fused, sizeof fused);
    fx_tensor *b = run("cpu?fusion=off", fn, x, plain, sizeof plain);
    if (!fx_tensor_equal(a, b))
        fail_msg("%s[%d][%d]: other bits\n%s", fx_dtype_name(dtype), (int)rows, (int)row, fused);
    bool one = row <= FXI_ROW_MOST && (row <= FXI_ROW_CHUNK || rows >= FXI_LONG_ROWS);
    if ((strstr(fused, "kernel rows") != NULL) != one)
        fail_msg("%s[%d][%d]\n%s", fx_dtype_name(dtype), (int)rows, (int)row, fused);
    fx_tensor_free(x);
    fx_tensor_free(a);
    fx_tensor_free(b);
}

static void test_bits(void **state) {
    static const int64_t lengths[] = {FXI_ROW_CHUNK,     FXI_ROW_CHUNK + 1, 2 * FXI_ROW_CHUNK,
                                      3 * FXI_ROW_CHUNK - 5};
    static const fx_dtype dtypes[] = {FX_F32, FX_F64, FX_BF16};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        for (size_t k = 0; k < COUNT_OF(dtypes); k++) {
            check(softmax_of, dtypes[k], 16, lengths[i]);
            check(norm_of, dtypes[k], 16, lengths[i]);
        }
    check(rms_of, FX_F32, 17, 50257);
    check(range_of, FX_F32, 16, 50257);
    check(range_of, FX_F64, 16, 20000);
    check(xent_gradient_of, FX_F32, 16, 32000);
    check(softmax_of, FX_F32, 16, FXI_ROW_MOST);
}

/* Rows too few or too long for one kernel. */
static void test_limits(void **state) {
    (void)state;
    check(softmax_of, FX_F32, FXI_LONG_ROWS - 1, FXI_ROW_CHUNK + 1);
    check(softmax_of, FX_F32, FXI_LONG_ROWS, FXI_ROW_MOST + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
