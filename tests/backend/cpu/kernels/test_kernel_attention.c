/* SPDX-License-Identifier: Apache-2.0 */
/* Attention as one kernel against plain loops in double (attention_bounds.h), within its bound,
 * for options, dtypes and awkward sizes; the plain form on the interpreter is held to the same bounds. Bits do
 * not depend on threads or the instruction set; memory is guarded; no step holds all scores. */
#include "exec/both.h"
#include "backend/cpu/kernels/attention_bounds.h"
#include "support/compare.h"
#include "support/guarded.h"
#include <fluxion/attention.h>
#include <fluxion/grad.h>
#include <stdlib.h>

/* ---- runs ---- */

/* What runs: the output, or the adjoints of the inputs that are floats for an adjoint of the output, which is
 * one more input. */
typedef struct call {
    const bounded_problem *p;
    bounded_data d;
    fx_tensor *adjoint;                /* NULL: the output */
    int results[BOUNDED_MOST_RESULTS]; /* numbers of inputs */
    size_t count;
} call;

static void build(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const call *c = user;
    (void)g, (void)n_in, (void)n_out;
    fx_node *output = bounded_build(c->p, in, true), *wanted[BOUNDED_MOST_RESULTS];
    out[0] = output;
    if (!c->adjoint) return;
    for (size_t i = 0, n = 0; i < BOUNDED_MOST_RESULTS; i++) {
        if (!c->d.input[i]) continue;
        for (size_t k = 0; k < c->count; k++)
            if (c->results[k] == (int)i) wanted[k] = in[n];
        n++;
    }
    fx_vjp(FX_NODES(output), FX_NODES(in[c->d.count]), (fx_nodes){wanted, c->count}, out);
}

static void make_call(const bounded_problem *p, bool gradient, call *c) {
    *c = (call){.p = p, .count = 1};
    bounded_make_data(p, 7, &c->d);
    if (!gradient) return;
    c->adjoint = bounded_make_adjoint(p, 8);
    c->count = 0;
    for (int i = 0; i < BOUNDED_MOST_RESULTS; i++)
        if (c->d.input[i] && c->d.input[i]->shape.dtype != FX_BOOL) c->results[c->count++] = i;
}

static void free_call(call *c) {
    bounded_free_data(&c->d);
    fx_tensor_free(c->adjoint);
}

static void check_text(const call *c, fx_exec *exec, const fx_shape *shapes, size_t n) {
    const char *name = c->adjoint ? "library fx.attention_grad" : "library fx.attention";
    fx_program *program = fx_exec_program(exec, shapes, n, FX_MUST);
    char text[8000];
    fx_program_text(program, text, sizeof text);
    if (!strstr(text, name)) fail_msg("%s: no kernel:\n%s", c->p->text, text);
    fx_program_free(program);
}

static void run(const char *config, call *c, fx_tensor **out) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    size_t n = 0, n_in = c->d.count + (c->adjoint != NULL);
    fx_exec *exec = fx_exec_new_fn(backend, build, n_in, c->count, c, FX_MUST);
    fx_arg args[BOUNDED_INPUTS + 1];
    fx_shape shapes[BOUNDED_INPUTS + 1];
    for (int i = 0; i <= BOUNDED_INPUTS; i++) {
        fx_tensor *t = i < BOUNDED_INPUTS ? c->d.input[i] : c->adjoint;
        if (!t) continue;
        shapes[n] = t->shape;
        args[n++] = FX_ARG(t);
    }
    assert_true(fx_exec_call(exec, args, n, out, c->count, FX_MUST));
    if (config[0] == 'c' && fx_shape_size(&out[0]->shape) > 0) check_text(c, exec, shapes, n);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void check_values(const call *c, const char *config, const bounded_result *want,
                         fx_tensor *const *got) {
    for (size_t i = 0; i < c->count; i++) {
        const bounded_result *w = &want[c->adjoint ? c->results[i] : 0];
        int64_t at = bounded_compare(w, got[i]);
        if (at >= 0)
            fail_msg("%s on %s: element %lld of result %zu is %.9g, not %.9g within %g", c->p->text, config,
                     (long long)at, i, fx_tensor_get(got[i], at), w->value[at], w->bound[at]);
    }
}

static void free_results(const call *c, fx_tensor **out) {
    for (size_t i = 0; i < c->count; i++) fx_tensor_free(out[i]);
}

static void check(const bounded_problem *p, bool gradient, bool plainly) {
    call c;
    bounded_result want[BOUNDED_MOST_RESULTS] = {{NULL, NULL, 0}};
    fx_tensor *plain[BOUNDED_MOST_RESULTS] = {NULL}, *got[BOUNDED_MOST_RESULTS] = {NULL};
    make_call(p, gradient, &c);
    if (gradient)
        bounded_gradient(p, &c.d, c.adjoint, want);
    else
        bounded_attention(p, &c.d, want);
    if (plainly) run("interp", &c, plain);
    run("cpu?threads=2", &c, got);
    if (plainly) check_values(&c, "interp", want, plain);
    check_values(&c, "cpu", want, got);
    static const char *const configs[] = {"cpu?threads=1", "cpu?threads=3&debug=poison", "cpu?isa=avx2"};
    for (size_t i = 0; i < COUNT_OF(configs); i++) {
        fx_tensor *other[BOUNDED_MOST_RESULTS] = {NULL};
        run(configs[i], &c, other);
        for (size_t k = 0; k < c.count; k++) {
            compare_report report;
            if (!compare_bits(other[k], got[k], &report))
                fail_msg("%s on %s: result %zu: %s", p->text, configs[i], k, report.text);
        }
        free_results(&c, other);
    }
    free_results(&c, plain);
    free_results(&c, got);
    for (int i = 0; i < BOUNDED_MOST_RESULTS; i++) free(want[i].value), free(want[i].bound);
    free_call(&c);
}

static void test_values(void **state) {
    (void)state;
    for (size_t i = 0; i < bounded_problem_count; i++) check(&bounded_problems[i], false, true);
}

static void test_gradients(void **state) {
    (void)state;
    for (size_t i = 0; i < bounded_problem_count; i++) check(&bounded_problems[i], true, true);
}

static void test_drawn(void **state) {
    (void)state;
    for (unsigned n = 0; n < 60; n++) {
        bounded_problem p;
        bounded_draw(n, &p);
        check(&p, n % 2, false);
        bounded_draw(BOUNDED_ONE_QUERY + n, &p);
        check(&p, n % 4 == 0, false);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
