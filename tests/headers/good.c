/* SPDX-License-Identifier: Apache-2.0 */
/* The short forms with everything they take, C11 and C++17 alike. Compiled with every warning that a careful user may
 * have on, as errors, and run: the values of the spans are checked. */
#include <fluxion.h>
#include <stdio.h>
#include <string.h>

#define EMPTY
#define PAIR 2, 3
#define PARENTHESES (4)

static int failures;
#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            printf("line %d: %s\n", __LINE__, #condition);                                                   \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)

static bool are(fx_dims dims, size_t n, int64_t first, int64_t last) {
    return dims.n == n && (n == 0 || (dims.v[0] == first && dims.v[n - 1] == last));
}

static bool is_host(fx_host host, fx_dtype dtype, size_t rank, int64_t last) {
    return host.dtype == dtype && host.rank == rank && (rank == 0 || host.dims[rank - 1] == last);
}

static bool is_vec(fx_vec vec, fx_dtype dtype, size_t n) {
    return vec.dtype == dtype && vec.n == n;
}

enum { FIVE = 5 };

static void dims(void) {
    size_t n = 7;
    unsigned char small = 3;
    bool flag = true;
    int minus = -1;
    CHECK(are(FX_DIMS(), 0, 0, 0));
    CHECK(are(FX_DIMS(EMPTY), 0, 0, 0));
    CHECK(are(FX_DIMS(n), 1, 7, 7));
    CHECK(are(FX_DIMS((n)), 1, 7, 7));
    CHECK(are(FX_DIMS((n) + 1), 1, 8, 8));
    CHECK(are(FX_DIMS(PARENTHESES), 1, 4, 4));
    CHECK(are(FX_DIMS(PAIR), 2, 2, 3));
    CHECK(are(FX_DIMS(n, minus), 2, 7, -1));
    CHECK(are(FX_DIMS(minus, n << 1), 2, -1, 14));
    CHECK(are(FX_DIMS(small, flag, FIVE, -1), 4, 3, -1));
    CHECK(are(FX_DIMS(flag ? n : 0, sizeof(double)), 2, 7, 8));
    CHECK(are(FX_DIMS(INT64_MAX, 1U, 2L, 3ULL), 4, INT64_MAX, 3));
    CHECK(are(FX_DIMS(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, n), 17, 1, 7));
    CHECK(are(FX_DIMS(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, n),
              24, 1, 7));
    CHECK(FX_SHAPE(FX_F32).rank == 0);
    CHECK(FX_SHAPE(FX_F32, n, small).dims[1] == 3);
    CHECK(fx_shape_size(&FX_SHAPE(FX_F32, n, fx_shape_size(&FX_SHAPE(FX_F32, n)))) == 49);
    CHECK(fx_shape_make(FX_F32, NULL, 0).dtype == FX_F32);
}

static void hosts(void) {
    size_t n = 2;
    float v[3] = {0}, m[2][3] = {{0}}, cube[2][3][4] = {{{0}}}, four[1][2][3][4] = {{{{0}}}};
    const double fixed[2][3] = {{0}};
    const int *pointer = NULL;
    bool flags[2][2] = {{false}};
    double number = 0;
    CHECK(is_host(FX_HOST(v, 3), FX_F32, 1, 3));
    CHECK(is_host(FX_HOST(m, n, 3), FX_F32, 2, 3));
    CHECK(is_host(FX_HOST(&m[0][0], 2, 3), FX_F32, 2, 3));
    CHECK(is_host(FX_HOST(m[1], 3), FX_F32, 1, 3));
    CHECK(is_host(FX_HOST(cube, 2, 3, 4), FX_F32, 3, 4));
    CHECK(is_host(FX_HOST(four[0], 2, 3, 4), FX_F32, 3, 4));
    CHECK(is_host(FX_HOST(fixed, 2, 3), FX_F64, 2, 3));
    CHECK(is_host(FX_HOST(pointer, 0), FX_S32, 1, 0));
    CHECK(is_host(FX_HOST(flags, 2, 2), FX_BOOL, 2, 2));
    CHECK(is_host(FX_HOST(&number), FX_F64, 0, 0));
    CHECK(is_vec(FX_VEC(float, 0.5f, 1.5f), FX_F32, 2));
}

static fx_node *sum(fx_node *a, fx_node *b) {
    return fx_add(a, b);
}
static void powers(fx_node *x, fx_node **out) {
    out[0] = x;
    out[1] = fx_mul(x, x);
    out[2] = fx_mul(out[1], x);
}
static void numbers(fx_graph *graph, fx_node **out) {
    out[0] = fx_scalar(graph, FX_F32, 1);
    out[1] = fx_scalar(graph, FX_F32, 2);
}

static void calls(void) {
    const double m[2][2] = {{1, 2}, {3, 4}};
    fx_error err;
    memset(&err, 0, sizeof err);
    fx_backend *backend = fx_backend_open("interp", FX_MUST);
    fx_exec *exec = fx_exec_new(backend, sum, FX_MUST);
    fx_tensor *t = fx_call1(exec, &err, FX_HOST(m, 2, 2), 1.0), *second = NULL, *third = NULL,
              *nothing = NULL, *out[2];
    CHECK(strcmp(fx_tensor_text(t).s, "[2][2]float64{{2, 3}, {4, 5}}") == 0);
    fx_tensor_free(t);
    CHECK(!fx_call1(exec, NULL, 1.0));
    int line = __LINE__ + 1;
    CHECK(!fx_call1(exec, &err, 1.0, nothing));
    CHECK(err.code == FX_ERROR_ARGUMENT && err.line == line && strcmp(err.file, __FILE__) == 0);
    fx_exec_free(exec);
    exec = fx_exec_new_outputs(backend, powers, 3, FX_MUST);
    t = fx_call3(exec, &second, &third, FX_MUST, 2.0f);
    CHECK(strcmp(fx_tensor_text(t).s, "float32(2)") == 0 &&
          strcmp(fx_tensor_text(third).s, "float32(8)") == 0);
    fx_tensor_free(t);
    fx_tensor_free(second);
    fx_tensor_free(third);
    fx_exec_free(exec);
    exec = fx_exec_new_outputs(backend, numbers, 2, FX_MUST);
    CHECK(fx_call(exec, out, 2, FX_MUST));
    fx_tensor_free(out[0]);
    fx_tensor_free(out[1]);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void double_all(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    for (size_t i = 0; i < fx_params_count(p); i++)
        fx_params_set_node(p, fx_params_name(p, i), fx_mul_scalar(fx_params_nodes(p, "").v[i], 2));
    if (n_out) out[0] = fx_add(fx_params_node(p, fx_name("w%d", 0).s), in[0]);
    (void)n_in, (void)user;
}

static void params(void) {
    fx_error err;
    fx_backend *backend = fx_backend_open("interp", FX_MUST);
    fx_params *p = fx_params_new(FX_MUST);
    const float w[2] = {1, 2};
    fx_params_set(p, "w0", fx_tensor_from(FX_HOST(w, 2), FX_MUST), FX_MUST);
    fx_params_exec *one = fx_params_exec_new(backend, double_all, 1, 1, NULL, FX_MUST);
    fx_params_exec *none = fx_params_exec_new(backend, double_all, 0, 0, NULL, FX_MUST);
    CHECK(fx_params_call(none, p, NULL, 0, FX_MUST));
    fx_tensor *t = fx_params_call1(one, p, FX_MUST, FX_VEC(float, 1, 2)), *nothing = NULL;
    CHECK(strcmp(fx_tensor_text(t).s, "[2]float32{5, 10}") == 0);
    fx_tensor_free(t);
    int line = __LINE__ + 1;
    CHECK(!fx_params_call1(one, p, &err, nothing));
    CHECK(err.code == FX_ERROR_ARGUMENT && err.line == line && strcmp(err.file, __FILE__) == 0);
    fx_params_exec_free(one);
    fx_params_exec_free(none);
    fx_params_free(p);
    fx_backend_close(backend);
}

int main(void) {
    dims();
    hosts();
    calls();
    params();
    return failures ? 1 : 0;
}
