/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates a program's tree: names, lists, lambdas and calls of operations, each of which appends nodes
 * to the graph.
 *
 * A program is evaluated twice for a case (once to see whether it builds, once inside the executable), so
 * nothing of it is kept in the tree. Lambdas close over the bindings there were, which are an immutable
 * list. Depth and number of evaluated expressions are limited, so that a lambda that calls itself is an
 * error. */
#include "cases.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct value *case_eval_fail(struct eval *eval, const char *format, ...) {
    if (eval->error.s[0]) return NULL;
    va_list args;
    va_start(args, format);
    vsnprintf(eval->error.s, sizeof eval->error.s, format, args);
    va_end(args);
    return NULL;
}

struct value *case_value_new(struct eval *eval, enum value_kind kind) {
    struct value *value = arena_alloc(eval->arena, 1, sizeof *value);
    if (!value) return case_eval_fail(eval, "no memory");
    value->kind = kind;
    return value;
}

/* The limit keeps a program from asking a backend for all of the machine's memory. */
struct value *case_value_node(struct eval *eval, fx_node *node) {
    int64_t size = fx_shape_is_valid(fx_node_shape(node)) ? fx_shape_size(fx_node_shape(node)) : 0;
    if (size > CASE_MAX_ELEMENTS)
        return case_eval_fail(eval, "a tensor has more than %d elements", CASE_MAX_ELEMENTS);
    struct value *value = case_value_new(eval, VALUE_NODE);
    if (value) value->u.node = node;
    return value;
}

static struct value *new_list(struct eval *eval, size_t n) {
    if (n > CASE_MAX_VALUES) return case_eval_fail(eval, "more than %d values in a list", CASE_MAX_VALUES);
    struct value *list = case_value_new(eval, VALUE_LIST);
    if (!list) return NULL;
    list->u.list.v = arena_alloc(eval->arena, n + 1, sizeof *list->u.list.v);
    if (!list->u.list.v) return case_eval_fail(eval, "no memory");
    list->u.list.n = n;
    return list;
}

struct value *case_value_nodes(struct eval *eval, fx_node *const *nodes, size_t n) {
    struct value *list = new_list(eval, n);
    for (size_t i = 0; list && i < n; i++) {
        list->u.list.v[i] = case_value_node(eval, nodes[i]);
        if (!list->u.list.v[i]) return NULL;
    }
    return list;
}

static bool bind(struct eval *eval, const char *name, struct value *value) {
    struct binding *binding = arena_alloc(eval->arena, 1, sizeof *binding);
    if (!binding) {
        case_eval_fail(eval, "no memory");
        return false;
    }
    *binding = (struct binding){name, value, eval->env};
    eval->env = binding;
    return true;
}

static struct value *find(const struct eval *eval, const char *name) {
    for (const struct binding *b = eval->env; b; b = b->outer) {
        if (strcmp(b->name, name) == 0) return b->value;
    }
    return NULL;
}

static struct value *eval_tree(struct eval *eval, const struct tree *tree);

/* A variable, one of Python's constants, or a dtype by its full name. */
static struct value *eval_name(struct eval *eval, const struct tree *tree) {
    struct value *bound = find(eval, tree->text);
    if (bound) return bound;
    if (strcmp(tree->text, "None") == 0) return case_value_new(eval, VALUE_NONE);
    if (strcmp(tree->text, "True") == 0 || strcmp(tree->text, "False") == 0) {
        struct value *value = case_value_new(eval, VALUE_BOOL);
        if (value) value->u.b = tree->text[0] == 'T';
        return value;
    }
    fx_dtype dtype = fx_dtype_parse(tree->text);
    if (dtype == FX_INVALID_DTYPE || strcmp(fx_dtype_name(dtype), tree->text) != 0) {
        return case_eval_fail(eval, "at %zu: '%.60s' is not defined", tree->at, tree->text);
    }
    struct value *value = case_value_new(eval, VALUE_DTYPE);
    if (value) value->u.dtype = dtype;
    return value;
}

/* The values of linked trees, in a list. */
static struct value *eval_items(struct eval *eval, const struct tree *first) {
    size_t n = 0;
    for (const struct tree *t = first; t; t = t->next) n++;
    struct value *list = new_list(eval, n);
    size_t i = 0;
    for (const struct tree *t = first; list && t; t = t->next, i++) {
        list->u.list.v[i] = eval_tree(eval, t);
        if (!list->u.list.v[i]) return NULL;
    }
    return list;
}

struct value *case_eval_lambda(struct eval *eval, const struct value *lambda, struct value *const *args,
                               size_t n) {
    struct binding *outside = eval->env;
    const struct tree *tree = lambda->u.lambda.tree;
    size_t i = 0;
    eval->env = lambda->u.lambda.env;
    const struct tree_name *name = tree->names;
    for (; name && i < n; name = name->next, i++) {
        if (!bind(eval, name->text, args[i])) return NULL;
    }
    struct value *result =
        name || i < n ? case_eval_fail(eval, "at %zu: the lambda does not take %zu values", tree->at, n)
                      : eval_tree(eval, tree->first);
    eval->env = outside;
    return result;
}

static struct value *eval_call(struct eval *eval, const struct tree *tree) {
    struct value *given = eval_items(eval, tree->first);
    if (!given) return NULL;
    const struct value *callee = find(eval, tree->text);
    if (callee) {
        if (callee->kind != VALUE_LAMBDA)
            return case_eval_fail(eval, "at %zu: '%.60s' is no function", tree->at, tree->text);
        return case_eval_lambda(eval, callee, given->u.list.v, given->u.list.n);
    }
    const struct op *op = case_op_find(tree->text);
    if (!op) {
        case_eval_fail(eval, "%.200s", tree->text);
        eval->unsupported = true;
        return NULL;
    }
    struct value *args[CASE_MAX_ARGS] = {NULL};
    return case_bind(eval, op, tree, given->u.list.v, args) ? op->apply(eval, op, args) : NULL;
}

static struct value *eval_index(struct eval *eval, const struct tree *tree) {
    struct value *of = eval_tree(eval, tree->first);
    struct value *by = of ? eval_tree(eval, tree->first->next) : NULL;
    if (!by) return NULL;
    if (of->kind != VALUE_LIST || by->kind != VALUE_NUMBER || !by->u.number.is_int) {
        return case_eval_fail(eval, "at %zu: an index needs a list and an integer", tree->at);
    }
    int64_t i = by->u.number.i, n = (int64_t)of->u.list.n;
    if (i < -n || i >= n)
        return case_eval_fail(eval, "at %zu: index %lld of a list of %lld", tree->at, (long long)i,
                              (long long)n);
    return of->u.list.v[i < 0 ? i + n : i];
}

static struct value *eval_leaf(struct eval *eval, const struct tree *tree) {
    enum value_kind kind = tree->kind == TREE_NUMBER   ? VALUE_NUMBER
                           : tree->kind == TREE_STRING ? VALUE_STRING
                                                       : VALUE_LAMBDA;
    struct value *value = case_value_new(eval, kind);
    if (!value) return NULL;
    if (kind == VALUE_NUMBER) value->u.number = tree->number;
    if (kind == VALUE_STRING) value->u.s = tree->text;
    if (kind == VALUE_LAMBDA) {
        value->u.lambda.tree = tree;
        value->u.lambda.env = eval->env;
    }
    return value;
}

static struct value *eval_tree(struct eval *eval, const struct tree *tree) {
    if (++eval->steps > CASE_MAX_STEPS)
        return case_eval_fail(eval, "more than %d expressions evaluated", CASE_MAX_STEPS);
    /* The parser limits each tree's depth; this limits lambdas that call lambdas. */
    if (eval->depth == 4 * CASE_MAX_DEPTH) return case_eval_fail(eval, "calls are nested too deep");
    eval->depth++;
    struct value *value;
    switch (tree->kind) {
    case TREE_NAME: value = eval_name(eval, tree); break;
    case TREE_LIST: value = eval_items(eval, tree->first); break;
    case TREE_CALL: value = eval_call(eval, tree); break;
    case TREE_INDEX: value = eval_index(eval, tree); break;
    default: value = eval_leaf(eval, tree); break;
    }
    eval->depth--;
    return value;
}

static bool assign(struct eval *eval, const struct tree *statement) {
    struct value *value = eval_tree(eval, statement->first);
    if (!value) return false;
    if (!statement->names->next) return bind(eval, statement->names->text, value);
    size_t i = 0, n = value->kind == VALUE_LIST ? value->u.list.n : 1;
    const struct tree_name *name = statement->names;
    for (; name && value->kind == VALUE_LIST && i < n; name = name->next, i++) {
        if (!bind(eval, name->text, value->u.list.v[i])) return false;
    }
    if (name || i < n) {
        case_eval_fail(eval, "at %zu: %zu values do not match the names on the left", statement->at, n);
        return false;
    }
    return true;
}

/* Appends a result, or the items of a list of results, to flat[]. A list is at most as deep as the program
 * has statements (CASE_MAX_PROGRAM bytes of them); a step is counted for each, so that lists of empty
 * lists end too. */
static bool splice(struct eval *eval, const struct value *value, struct value *flat) {
    if (++eval->steps > CASE_MAX_STEPS) {
        case_eval_fail(eval, "more than %d results, empty lists included", CASE_MAX_STEPS);
        return false;
    }
    if (value->kind == VALUE_LIST) {
        for (size_t i = 0; i < value->u.list.n; i++) {
            if (!splice(eval, value->u.list.v[i], flat)) return false;
        }
        return true;
    }
    if (value->kind != VALUE_NODE || flat->u.list.n == CASE_MAX_VALUES) {
        case_eval_fail(eval, value->kind == VALUE_NODE ? "too many results" : "a result is no tensor");
        return false;
    }
    struct value *copy = case_value_node(eval, value->u.node);
    if (copy) flat->u.list.v[flat->u.list.n++] = copy;
    return copy != NULL;
}

struct value *case_eval(struct eval *eval, const struct tree *program) {
    for (; program->kind == TREE_ASSIGN; program = program->next) {
        if (!assign(eval, program)) return NULL;
    }
    struct value *results = eval_items(eval, program->first);
    struct value *flat = results ? new_list(eval, CASE_MAX_VALUES) : NULL;
    if (!flat) return NULL;
    flat->u.list.n = 0;
    return splice(eval, results, flat) ? flat : NULL;
}
