/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of scans and counted loops: states, slices, stacked results and captured values in both modes. */
#include "support/derivatives.h"
#include "support/run_graph.h"

/* s' = s c + x, t' = t (given on), rows s' x and s. */
static void recurrence_body(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user) {
    fx_node *c = user;
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_add(fx_mul(in[0], c), in[2]);
    out[1] = in[1];
    out[2] = fx_mul(out[0], in[2]);
    out[3] = fx_mul(in[0], in[1]);
}

typedef struct scan_options {
    int64_t length;
    bool backwards;
} scan_options;

static void recurrence_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    const scan_options *o = user;
    (void)body, (void)n_in, (void)n_out;
    (o->backwards ? fx_scan_reverse : fx_scan)(FX_NODES(in[0], in[1]), FX_NODES(in[3]), o->length, 2,
                                               recurrence_body, in[2], out);
}

static void test_recurrences(void **state) {
    (void)state;
    static const scan_options options[] = {{3, false}, {3, true}, {1, false}, {0, false}, {0, true}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        scan_options o = options[i];
        check_derivatives(&(derivative_case){.name = "recurrence",
                                             .fn = recurrence_fn,
                                             .user = &o,
                                             .n_in = 4,
                                             .n_out = 4,
                                             .in = {RANDOM_F64(1, -1, 1, 2), RANDOM_F64(2, -1, 1, 2),
                                                    RANDOM_F64(3, -1, 1, 2),
                                                    RANDOM_F64(4, -1, 1, o.length, 2)}});
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recurrences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
