/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* Calls on maps of parameters with the n-th allocation failing, for every n until they pass, once with that
 * one alone and once with all after it failing too: an error, no leak, and the map as it was, but for values
 * that a run had begun to replace. */
#include "both.h"
#include "support/allocations.h"

/* Replaces, adds and removes. */
static void change(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *w = fx_params_node(p, "model/w"), *random = fx_params_node(p, "random"), *next[2];
    fx_node *noise = fx_random_normal(random, &FX_SHAPE(FX_F32, 40), &random);
    out[0] =
        fx_reduce_all_sum(fx_square(fx_add(fx_mul(w, in[0]), fx_mul(noise, fx_params_node(p, "model/b")))));
    fx_nodes weights = fx_params_nodes(p, "model/"), d = fx_params_gradient(out[0], p, "model/");
    for (size_t i = 0; i < d.n; i++) next[i] = fx_sub(weights.v[i], fx_mul_scalar(d.v[i], 0.001));
    fx_params_set_nodes(p, "model/", (fx_nodes){next, d.n});
    if (fx_params_find(p, "old") >= 0) fx_params_set_nodes(p, "moments/", d);
    fx_params_remove(p, "old");
    fx_params_set_node(p, "random", random);
    (void)n_in, (void)n_out, (void)user;
}

/* Puts a tensor in that was just made, or could not be. */
static bool put(fx_params *p, const char *name, fx_tensor *made, fx_error *err) {
    return made && fx_params_set(p, name, made, err);
}

static fx_params *new_map(fx_error *err) {
    fx_params *p = fx_params_new(err);
    if (p && put(p, "model/w", fx_tensor_new(&FX_SHAPE(FX_F32, 40), err), err) &&
        put(p, "old", fx_tensor_scalar(FX_S32, 3, err), err) &&
        put(p, "model/b", fx_tensor_scalar(FX_F32, 2, err), err) &&
        put(p, "random", fx_random_state_tensor(1, err), err) && fx_params_set_metadata(p, "k", "v", err))
        return p;
    fx_params_free(p);
    return NULL;
}

/* What a failed call leaves: all names, and values that are the old ones or gone. */
static void assert_untouched(const fx_params *p, bool first) {
    assert_int_equal(fx_params_count(p), first ? 4 : 5);
    assert_int_equal(fx_params_find(p, "old") >= 0, first);
    for (size_t i = 0; i < fx_params_count(p); i++) {
        const fx_tensor *t = fx_params_tensor(p, i);
        bool is_old = strcmp(fx_params_name(p, i), "old") == 0;
        assert_true(fx_tensor_is_valid(t) || !is_old);
        if (is_old) assert_int_equal(fx_tensor_get_int(t, 0), 3);
    }
}

static bool two_calls(fx_params_exec *exec, fx_params *p, fx_error *err) {
    for (int call = 0; call < 2; call++) {
        fx_tensor *loss = fx_params_call1(exec, p, err, 0.5f);
        if (!loss) {
            assert_untouched(p, call == 0);
            return false;
        }
        fx_tensor_free(loss);
    }
    fx_params *copy = fx_params_copy(p, "moments/", err);
    bool ok = copy && fx_params_count(copy) == 2 && fx_params_count(p) == 5;
    if (copy && !ok) fail_msg("%zu entries", fx_params_count(p));
    fx_params_free(copy);
    return ok;
}

static bool run(const char *config, fx_error *err) {
    fx_backend *backend = fx_backend_open(config, err);
    fx_params_exec *exec = backend ? fx_params_exec_new(backend, change, 1, 1, NULL, err) : NULL;
    fx_params *p = exec ? new_map(err) : NULL;
    bool ok = p && two_calls(exec, p, err);
    fx_params_free(p);
    fx_params_exec_free(exec);
    fx_backend_close(backend);
    return ok;
}

static void fails_cleanly(void **state) {
    assert_true(run(*state, FX_MUST)); /* fills what is filled once: compiled kernels */
    for (int on = 0; on < 2; on++) {
        int64_t failures = 0;
        for (int64_t n = 0;; n++) {
            int64_t before = allocations_live();
            fx_error err = {.code = FX_OK};
            allocations_fail(n, on);
            bool ok = run(*state, &err);
            bool failed = allocations_failed();
            allocations_fail(-1, false);
            assert_int_equal(allocations_live(), before);
            if (!ok && err.code != FX_ERROR_MEMORY) fail_msg("request %lld: %s", (long long)n, err.message);
            assert_true(ok || failed);
            failures += !ok;
            if (!failed) break;
            assert_true(n < 100000);
        }
        assert_true(failures > 50);
    }
}

int main(void) {
    if (!allocations_install()) return 1;
    const struct CMUnitTest tests[] = {BOTH(fails_cleanly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
