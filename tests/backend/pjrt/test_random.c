/* SPDX-License-Identifier: Apache-2.0 */
/* Random words, uniform values and integers have the same bits on the interpreter, the compiler and both plugins: in order and
 * turned, narrow and wide, with a counter that carries, and after others. */
#include "pjrt_tests.h"
#include "tensor/tensor.h"

enum { RESULTS = 14 };

static void draws(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)graph, (void)n_in, (void)n_out, (void)user;
    fx_node *state = in[0];
    static const fx_dtype words[] = {FX_U32, FX_U64, FX_U8, FX_S16};
    static const fx_dtype floats[] = {FX_F32, FX_F64, FX_BF16, FX_F16};
    size_t n = 0;
    for (size_t i = 0; i < 4; i++) {
        const fx_shape bits = {.dtype = words[i], .rank = 2, .dims = {7, 5}}, values = {.dtype = floats[i], .rank = 1, .dims = {33}};
        out[n++] = fx_random_bits(state, &bits, &state);
        out[n++] = fx_random_uniform(state, &values, &state);
    }
    fx_node *turned = fx_transpose(fx_random_bits(state, &FX_SHAPE(FX_U64, 6, 4), &state), 0, 1);
    out[n++] = fx_xor(turned, fx_scalar_int(graph, FX_U64, 5));
    out[n++] = fx_random_uniform_range(state, -2.5, 7.25, &FX_SHAPE(FX_F32, 50), &state);
    out[n++] = fx_random_int(state, -3, 1000003, &FX_SHAPE(FX_S32, 50), &state);
    out[n++] = fx_random_int(state, 0, 7, &FX_SHAPE(FX_U8, 50), &state);
    out[n++] = fx_random_permutation(state, &FX_SHAPE(FX_S32, 40), &state);
    out[n++] = state;
}

static void run_draws(fx_backend *backend, const fx_tensor *state, fx_tensor **out) {
    fx_arg arg = FX_ARG((fx_tensor *)(uintptr_t)state);
    fx_error err = {.code = FX_OK};
    fx_exec *exec = fx_exec_new_fn(backend, draws, 1, RESULTS, NULL, FX_MUST);
    for (int i = 0; i < RESULTS; i++) out[i] = NULL;
    if (!fx_exec_call(exec, &arg, 1, out, RESULTS, &err)) fail_msg("%s", err.message);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void same_bits(void **state) {
    const uint64_t words[][3] = {{42, 0, 0}, {UINT64_C(0x0123456789abcdef), UINT64_MAX - 3, UINT64_MAX}};
    for (int k = 0; k < 2; k++) {
        fx_tensor *key = fx_tensor_copy_from(&FX_SHAPE(FX_U64, 3), words[k], FX_MUST), *want[RESULTS], *got[RESULTS];
        run_draws(fx_backend_open("interp", FX_MUST), key, want);
        for (int other = 0; other < 2; other++) {
            bool native = other == 1;
#if !FLUXION_CPU
            if (native) continue;
#endif
            run_draws(native ? fx_backend_open("cpu", FX_MUST) : open_plugin(state), key, got);
            for (int i = 0; i < RESULTS; i++) {
                int64_t size = fx_shape_size(fx_tensor_shape(want[i]));
                size_t bytes = (size_t)(size * fx_dtype_bits(fx_tensor_shape(want[i])->dtype) / 8);
                if (memcmp(fx_tensor_data(want[i]), fx_tensor_data(got[i]), bytes) != 0)
                    fail_msg("draw %d on %s: %s instead of %s", i, native ? "cpu" : "pjrt", fx_tensor_text(got[i]).s,
                             fx_tensor_text(want[i]).s);
                fx_tensor_free(got[i]);
            }
        }
        for (int i = 0; i < RESULTS; i++) fx_tensor_free(want[i]);
        fx_tensor_free(key);
    }
}

int main(void) {
    if (!pjrt_begin()) return PJRT_SKIPPED;
    const struct CMUnitTest tests[] = {BOTH_PLUGINS(same_bits)};
    return cmocka_run_group_tests_name("backend.pjrt.random", tests, NULL, NULL);
}
