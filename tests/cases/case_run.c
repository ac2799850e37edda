/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one case. The program is first built in a graph of its own: that shows whether it builds, at which
 * stage it is refused and how many results it has, before any backend is asked. Then an executable builds
 * it again, compiles and runs it. */
#include "cases.h"

#include <string.h>

/* What the executable's graph function needs. */
struct job {
    const struct test_case *test;
    const struct tree *program;
    struct arena *arena;
    struct message error;
};

/* Binds the inputs' names to parameters and evaluates. NULL with a message when the program itself is
 * wrong. */
static struct value *build(struct job *job, fx_graph *graph, fx_node *const *parameters, struct eval *eval) {
    const struct test_case *test = job->test;
    *eval = (struct eval){.arena = job->arena, .graph = graph};
    for (size_t i = 0; i < test->n_inputs; i++) {
        struct binding *binding = arena_alloc(job->arena, 1, sizeof *binding);
        struct value *value = binding ? case_value_node(eval, parameters[i]) : NULL;
        if (!value) return case_eval_fail(eval, "no memory");
        *binding = (struct binding){test->inputs[i].name, value, eval->env};
        eval->env = binding;
    }
    return case_eval(eval, job->program);
}

/* The executable's graph function. */
static void build_in_exec(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    struct job *job = user;
    struct eval eval;
    struct value *results = n_in == job->test->n_inputs ? build(job, body, in, &eval) : NULL;
    if (!results || results->u.list.n != n_out) {
        message_set(&job->error, "built differently inside the executable: %.400s", eval.error.s);
        return;
    }
    for (size_t i = 0; i < n_out; i++) out[i] = results->u.list.v[i]->u.node;
}

/* ---- names that the library lacks ---- */

/* Whether a statement or a lambda anywhere gives something this name. */
static bool is_bound(const struct tree *tree, const char *name) {
    for (; tree; tree = tree->next) {
        for (const struct tree_name *n = tree->names; n; n = n->next) {
            if (strcmp(n->text, name) == 0) return true;
        }
        if (is_bound(tree->first, name)) return true;
    }
    return false;
}

static bool has_word(const char *words, const char *word) {
    size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += n) {
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0)) return true;
    }
    return false;
}

static bool is_input(const struct test_case *test, const char *name) {
    for (size_t i = 0; i < test->n_inputs; i++) {
        if (strcmp(test->inputs[i].name, name) == 0) return true;
    }
    return false;
}

static void collect_missing(const struct job *job, const struct tree *tree, struct message *names) {
    for (; tree; tree = tree->next) {
        if (tree->kind == TREE_CALL && !case_op_find(tree->text) && !is_bound(job->program, tree->text) &&
            !is_input(job->test, tree->text) && !has_word(names->s, tree->text)) {
            struct message longer;
            message_set(&longer, "%s%s%s", names->s, names->s[0] ? " " : "", tree->text);
            *names = longer;
        }
        collect_missing(job, tree->first, names);
    }
}

/* ---- stages ---- */

/* An error that says that the program is not acceptable, and not that something broke. */
static bool is_refusal(fx_error_code code) {
    return code >= FX_ERROR_ARGUMENT && code <= FX_ERROR_GRAPH;
}

/* Builds in a graph of its own. *n is the number of results; *refused says that the builders refused the
 * program, with the reason in `why`. False: the runner's fault or the program's, unsupported if eval says
 * so. */
static bool try_build(struct job *job, size_t *n, bool *refused, struct eval *eval, struct message *why) {
    const struct test_case *test = job->test;
    fx_error err = {FX_OK, 0, NULL, ""};
    fx_graph *graph = fx_graph_new(&err);
    fx_node **parameters = arena_alloc(job->arena, test->n_inputs + 1, sizeof *parameters);
    struct value *results = NULL;
    *eval = (struct eval){.arena = job->arena};
    if (graph && parameters) {
        for (size_t i = 0; i < test->n_inputs; i++)
            parameters[i] = fx_parameter(graph, &test->inputs[i].shape);
        results = build(job, graph, parameters, eval);
    } else {
        message_set(&eval->error, "no memory");
    }
    if (results) {
        fx_nodes outputs = case_arg_nodes(eval, results);
        *n = outputs.n;
        *refused = !fx_graph_finish(graph, outputs, &err);
        if (*refused) message_set(why, "%s: %s", fx_error_name(err.code), err.message);
        if (*refused && !is_refusal(err.code)) {
            results = NULL;
            eval->error = *why;
        }
    }
    fx_graph_free(graph);
    return results != NULL;
}

/* Calls the executable and compares. */
static enum verdict call(struct job *job, fx_exec *exec, size_t n_out, struct message *why) {
    const struct test_case *test = job->test;
    fx_arg *args = arena_alloc(job->arena, test->n_inputs + 1, sizeof *args);
    fx_tensor **out = arena_alloc(job->arena, n_out + 1, sizeof *out);
    fx_error err = {FX_OK, 0, NULL, ""};
    if (!args || !out) {
        message_set(why, "no memory");
        return VERDICT_FAILED;
    }
    for (size_t i = 0; i < test->n_inputs; i++) {
        args[i].kind = FX_ARG_TENSOR;
        args[i].u.t = test->inputs[i].tensor;
    }
    bool ran = fx_exec_call(exec, args, test->n_inputs, out, n_out, &err);
    bool good = ran;
    if (!ran)
        message_set(why, "%s: %s%s%.200s", fx_error_name(err.code), err.message, job->error.s[0] ? "; " : "",
                    job->error.s);
    if (test->error_stage == STAGE_EXEC) {
        good = !ran && is_refusal(err.code);
        if (ran) message_set(why, "ran, but should be refused");
    }
    for (size_t i = 0; i < n_out && ran; i++) {
        if (good && test->error_stage == STAGE_NONE) good = case_compare(test, i, out[i], why);
        fx_tensor_free(out[i]);
    }
    if (!ran && err.code == FX_ERROR_UNSUPPORTED) return VERDICT_UNSUPPORTED;
    return good ? VERDICT_PASSED : VERDICT_FAILED;
}

static enum verdict run_built(struct job *job, fx_backend *backend, size_t n_out, struct message *why) {
    const struct test_case *test = job->test;
    fx_error err = {FX_OK, 0, NULL, ""};
    if (test->error_stage == STAGE_BUILD) {
        message_set(why, "built, but should be refused");
        return VERDICT_FAILED;
    }
    if (n_out == 0) {
        message_set(why, "gave no result");
        return VERDICT_FAILED;
    }
    if (test->error_stage == STAGE_NONE && n_out != test->n_outputs) {
        message_set(why, "gave %zu results, wanted %zu", n_out, test->n_outputs);
        return VERDICT_FAILED;
    }
    fx_exec *exec = fx_exec_new_fn(backend, build_in_exec, test->n_inputs, n_out, job, &err);
    if (!exec) {
        message_set(why, "%s", err.message);
        return VERDICT_FAILED;
    }
    enum verdict verdict = call(job, exec, n_out, why);
    fx_exec_free(exec);
    return verdict;
}

enum verdict case_run(const struct test_case *test, struct arena *arena, fx_backend *backend,
                      struct message *why) {
    struct job job = {.test = test, .arena = arena};
    why->s[0] = 0;
    job.program = case_parse(test->program, arena, why);
    if (!job.program) return VERDICT_FAILED;
    collect_missing(&job, job.program, why);
    if (why->s[0]) return VERDICT_UNSUPPORTED;
    struct eval eval;
    size_t n_out = 0;
    bool refused = false;
    if (!try_build(&job, &n_out, &refused, &eval, why)) {
        *why = eval.error;
        return eval.unsupported ? VERDICT_UNSUPPORTED : VERDICT_FAILED;
    }
    if (refused) return test->error_stage == STAGE_BUILD ? VERDICT_PASSED : VERDICT_FAILED;
    return run_built(&job, backend, n_out, why);
}
