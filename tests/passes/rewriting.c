/* SPDX-License-Identifier: Apache-2.0 */
/* See rewriting.h. Parameters take their elements from a list of special numbers, each at its own offset, so
 * that with 11 elements many pairs of special numbers meet; graphs are run several times with the lists
 * shifted. */
#include "rewriting.h"
#include "backend/interp/interp.h"
#include <float.h>
#include <math.h>
#include <string.h>

fx_graph *graph_of(pair_fn build, const fx_shape *shape) {
    fx_graph *graph = fx_graph_new(FX_MUST);
    fx_node *x = fx_parameter(graph, shape), *y = fx_parameter(graph, shape);
    fx_node *out = build(x, y);
    assert_true(fx_graph_finish(graph, FX_NODES(out), FX_MUST));
    return graph;
}

const char *text_of(const fx_graph *graph) {
    static char text[4096];
    char whole[4096], *at = whole;
    assert_true(fx_graph_text(graph, whole, sizeof whole) < sizeof whole);
    text[0] = 0;
    for (char *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = 0;
        if (strstr(at, "= parameter")) continue;
        strcat(strcat(text, at), "\n");
    }
    return text;
}

size_t rule_of(const char *name) {
    for (size_t i = 0; i < fxi_rules_count(); i++)
        if (strcmp(fxi_rules_name(i), name) == 0) return i;
    fail_msg("no rule is called %s", name);
    return 0;
}

/* ---- running ---- */

static fx_tensor *special_tensor(const fx_shape *shape, int shift) {
    static const double numbers[] = {
        0.0, -0.0, 1,   -1,  (double)INFINITY, -(double)INFINITY, (double)NAN, 0.1, FLT_MAX, FLT_MIN, 1e-40,
        3.5, -2,   127, -128};
    fx_tensor *t = fx_tensor_new(shape, FX_MUST);
    for (int64_t i = 0, n = fx_shape_size(shape); i < n; i++) {
        double a = numbers[(size_t)(i + shift) % COUNT_OF(numbers)],
               b = numbers[(size_t)(i * 3 + shift) % COUNT_OF(numbers)];
        fxi_scalar value = {.i = isfinite(a) && fabs(a) < 1e18 ? (int64_t)a : 7, .re = a, .im = b};
        if (shape->dtype == FX_BOOL) value.i = (i + shift) % 2;
        fxi_element_store(shape->dtype, t->data, i, value);
    }
    return t;
}

static fx_tensor *run_graph(const fx_graph *graph, int shift) {
    fx_tensor *inputs[2], *output = NULL;
    for (size_t i = 0; i < 2; i++)
        inputs[i] = special_tensor(&graph->parameters.data[i]->shape, shift * (int)(i + 1));
    void *program = fxi_interp_backend.compile(NULL, graph, FX_MUST);
    assert_true(
        fxi_interp_backend.run(program, &(fxi_run_args){.inputs = inputs, .outputs = &output}, FX_MUST));
    fxi_interp_backend.program_free(program);
    for (size_t i = 0; i < 2; i++) fx_tensor_free(inputs[i]);
    return output;
}

static bool same_number(double a, double b) {
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

void assert_same_meaning(const fx_graph *a, const fx_graph *b) {
    for (int shift = 0; shift < 15; shift++) {
        fx_tensor *x = run_graph(a, shift), *y = run_graph(b, shift);
        assert_true(fx_shape_equal(&x->shape, &y->shape));
        for (int64_t i = 0, n = fx_tensor_size(x); i < n; i++) {
            fxi_scalar u = fxi_element_load(x->shape.dtype, x->data, i),
                       v = fxi_element_load(y->shape.dtype, y->data, i);
            if (u.i != v.i || !same_number(u.re, v.re) || !same_number(u.im, v.im))
                fail_msg("element %d, shift %d: %s became %s", (int)i, shift, fx_tensor_text(x).s,
                         fx_tensor_text(y).s);
        }
        fx_tensor_free(x);
        fx_tensor_free(y);
    }
}

/* ---- what tests ask ---- */

void assert_becomes(pair_fn build, const fx_shape *shape, const char *rule, const char *want) {
    uint64_t fired[64] = {0}, total = 0;
    assert_true(fxi_rules_count() <= COUNT_OF(fired));
    fx_graph *before = graph_of(build, shape), *simple = fxi_simplify(before, fired, FX_MUST);
    fx_graph *after = fxi_prune(simple, FX_MUST);
    assert_true(fxi_verify(after, FX_MUST));
    assert_string_equal(text_of(after), want);
    for (size_t i = 0; i < fxi_rules_count(); i++) total += fired[i];
    if (rule)
        assert_true(fired[rule_of(rule)] > 0);
    else
        assert_int_equal(total, 0);
    assert_same_meaning(before, after);
    fx_graph_free(before);
    fx_graph_free(simple);
    fx_graph_free(after);
}

void assert_stays(pair_fn build, const fx_shape *shape) {
    fx_graph *before = graph_of(build, shape);
    char text[4096];
    strcpy(text, text_of(before));
    fx_graph_free(before);
    assert_becomes(build, shape, NULL, text);
}
