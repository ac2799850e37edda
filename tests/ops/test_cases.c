/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* Every golden case on every backend, with its operands as parameters and as constants: the value must be the wanted one
 * within the tolerance of its row in cases.def. Each family is a test; FLUXION_FAMILY=name runs that one alone. */
#include "ops/cases.h"
#include <stdio.h>
#include <stdlib.h>

static const struct way {
    const char *backend;
    bool constants;
} ways[] = {{"interp", false},
            {"interp", true},
#if FLUXION_CPU
            {"cpu", false},
            {"cpu", true},
#endif
};

typedef struct run_state {
    const char *family;
    const struct way *way;
    fx_backend *backend;
    size_t failed;
} run_state;

enum { SHOWN = 20 };

static void report(run_state *s, const golden_case *c, const char *what) {
    if (s->failed++ < SHOWN)
        print_error("%s.txt:%d: %s on %s%s: %s\n", c->file, c->line, c->op, s->way->backend,
                    s->way->constants ? ", constants" : "", what);
}

static void run_case(run_state *s, const golden_case *c) {
    case_call call = {case_row_of(s->family, c), c, s->way->constants};
    size_t n_in = call.constants ? 0 : c->operand_count;
    fx_error err = {.code = FX_OK};
    fx_arg args[GOLDEN_TENSORS];
    fx_tensor *out[GOLDEN_TENSORS] = {NULL};
    for (size_t i = 0; i < n_in; i++) args[i] = FX_ARG(c->operands[i]);
    fx_exec *exec = fx_exec_new_fn(s->backend, case_graph, n_in, c->result_count, &call, FX_MUST);
    if (!fx_exec_call(exec, args, n_in, out, c->result_count, &err)) {
        report(s, c, err.message);
    } else {
        golden_difference difference;
        for (size_t i = 0; i < c->result_count; i++)
            if (!golden_equal(c, out[i], c->results[i], call.row->tolerance, &difference)) report(s, c, difference.text);
    }
    for (size_t i = 0; i < c->result_count; i++) fx_tensor_free(out[i]);
    fx_exec_free(exec);
}

static void run_family(void **state) {
    run_state s = {.family = *state};
    golden_file file = golden_read(s.family);
    if (file.count == 0) fail_msg("%s.txt has no cases", s.family);
    for (size_t w = 0; w < COUNT_OF(ways); w++) {
        s.way = &ways[w];
        s.backend = fx_backend_open(s.way->backend, FX_MUST);
        for (size_t i = 0; i < file.count; i++) run_case(&s, &file.cases[i]);
        fx_backend_close(s.backend);
    }
    print_message("%s: %zu cases\n", s.family, file.count);
    golden_free(&file);
    if (s.failed) fail_msg("%zu differences in %s", s.failed, s.family);
}

/* A row that no line uses is a mistake in one of the two. */
static void rows_have_cases(void **state) {
    (void)state;
    enum { MOST = 4096 };
    static bool used[MOST];
    for (const char *const *f = case_families; *f; f++) {
        golden_file file = golden_read(*f);
        for (size_t i = 0; i < file.count; i++) used[case_row_of(*f, &file.cases[i]) - case_rows] = true;
        golden_free(&file);
    }
    for (size_t i = 0; case_rows[i].op; i++)
        if (!used[i]) fail_msg("%s.txt has no case of %s", case_rows[i].family, case_rows[i].op);
}

int main(void) {
    struct CMUnitTest tests[CASE_MOST_FAMILIES + 1];
    size_t n = case_families_as_tests(tests, run_family);
    if (!getenv("FLUXION_FAMILY")) tests[n++] = (struct CMUnitTest)cmocka_unit_test(rows_have_cases);
    if (n == 0) return 1;
    return _cmocka_run_group_tests("ops.cases", tests, n, NULL, NULL);
}
