/* SPDX-License-Identifier: Apache-2.0 */
/* Binds the arguments of a call to the parameters of an operation's signature, and turns bound values into
 * C arguments. What is wrong here is a fault of the program (or of the row), not a violation that the
 * library is asked about; an option that the signature lacks is counted as unsupported, "name(option)". */
#include "cases.h"

#include <limits.h>
#include <string.h>

/* One word of a signature. */
struct parameter {
    char type;
    const char *name;
    size_t n;
    bool optional, rest;
};

static const char *next_parameter(const char *signature, struct parameter *p) {
    while (*signature == ' ') signature++;
    if (!*signature) return NULL;
    p->type = signature[0];
    p->name = signature + 2;
    p->n = strcspn(p->name, " ?*");
    p->optional = p->name[p->n] == '?';
    p->rest = p->name[p->n] == '*';
    return p->name + p->n + (p->optional || p->rest);
}

static const char *const kind_names[] = {
    [VALUE_NONE] = "None",       [VALUE_BOOL] = "a bool",     [VALUE_NUMBER] = "a number",
    [VALUE_STRING] = "a string", [VALUE_DTYPE] = "a dtype",   [VALUE_NODE] = "a tensor",
    [VALUE_LIST] = "a list",     [VALUE_LAMBDA] = "a lambda", [VALUE_RANGE] = "a range"};

static bool is_list_of(const struct value *value, enum value_kind kind, bool whole) {
    if (value->kind != VALUE_LIST) return false;
    for (size_t i = 0; i < value->u.list.n; i++) {
        const struct value *item = value->u.list.v[i];
        if (item->kind != kind || (whole && !item->u.number.is_int)) return false;
    }
    return true;
}

static bool has_type(const struct value *value, char type) {
    bool whole = value->kind == VALUE_NUMBER && value->u.number.is_int;
    switch (type) {
    case 'n': return value->kind == VALUE_NODE;
    case 'l': return is_list_of(value, VALUE_NODE, false);
    case 'i': return whole;
    case 'f': return value->kind == VALUE_NUMBER;
    case 'd': return value->kind == VALUE_DTYPE;
    case 's': return value->kind == VALUE_STRING;
    case 'b': return value->kind == VALUE_BOOL;
    case 'a': return whole || is_list_of(value, VALUE_NUMBER, true);
    case 'L': return value->kind == VALUE_LAMBDA;
    default: return true;
    }
}

static const char *type_name(char type) {
    switch (type) {
    case 'n': return "a tensor";
    case 'l': return "a list of tensors";
    case 'i': return "an integer";
    case 'f': return "a number";
    case 'd': return "a dtype";
    case 's': return "a string";
    case 'b': return "True or False";
    case 'a': return "a list of integers";
    default: return "a lambda";
    }
}

/* Position of a parameter by name; -1. */
static int find_parameter(const char *signature, const char *name) {
    struct parameter p;
    for (int i = 0; (signature = next_parameter(signature, &p)); i++) {
        if (!p.rest && strlen(name) == p.n && memcmp(name, p.name, p.n) == 0) return i;
    }
    return -1;
}

/* Spreads the given values over args[] by position and keyword. A last parameter with "*" collects what is
 * left. */
static bool spread(struct eval *eval, const struct op *op, const struct tree *call,
                   struct value *const *given, struct value **args) {
    struct parameter p;
    int count = 0, rest = -1, position = 0;
    for (const char *s = op->signature; (s = next_parameter(s, &p)); count++) {
        if (p.rest) rest = count;
    }
    size_t i = 0, n = 0;
    for (const struct tree *t = call->first; t; t = t->next) n++;
    if (rest >= 0) {
        args[rest] = case_value_new(eval, VALUE_LIST);
        struct value **items = args[rest] ? arena_alloc(eval->arena, n + 1, sizeof *items) : NULL;
        if (!items) return case_eval_fail(eval, "no memory") != NULL;
        args[rest]->u.list.v = items;
    }
    for (const struct tree *t = call->first; t; t = t->next, i++) {
        int at = t->keyword ? find_parameter(op->signature, t->keyword) : position++;
        if (t->keyword && at < 0) {
            case_eval_fail(eval, "%s(%.100s)", op->name, t->keyword);
            eval->unsupported = true;
            return false;
        }
        if (!t->keyword && rest >= 0 && at >= rest) {
            args[rest]->u.list.v[args[rest]->u.list.n++] = given[i];
            continue;
        }
        if (at >= count || args[at]) {
            return case_eval_fail(eval, "at %zu: %s has too many arguments", call->at, op->name) != NULL;
        }
        args[at] = given[i];
    }
    return true;
}

bool case_bind(struct eval *eval, const struct op *op, const struct tree *call, struct value *const *given,
               struct value **args) {
    if (!spread(eval, op, call, given, args)) return false;
    struct parameter p;
    int i = 0;
    for (const char *s = op->signature; (s = next_parameter(s, &p)); i++) {
        if (p.rest) continue;
        if (args[i] && args[i]->kind == VALUE_NONE && p.optional) args[i] = NULL;
        if (!args[i] && p.optional) continue;
        if (!args[i]) {
            return case_eval_fail(eval, "at %zu: %s lacks its argument '%.*s'", call->at, op->name, (int)p.n,
                                  p.name) != NULL;
        }
        if (!has_type(args[i], p.type)) {
            return case_eval_fail(eval, "at %zu: %s: '%.*s' is %s, wanted %s", call->at, op->name, (int)p.n,
                                  p.name, kind_names[args[i]->kind], type_name(p.type)) != NULL;
        }
    }
    return true;
}

fx_node *case_arg_node(const struct value *value) {
    return value ? value->u.node : NULL;
}

static int clamp_int(int64_t value) { /* the builders refuse both ends */
    return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}

int case_arg_int(const struct value *value, int otherwise) {
    return value ? clamp_int(value->u.number.i) : otherwise;
}

fx_axes case_arg_axes(struct eval *eval, const struct value *value) {
    size_t n = !value ? 0 : value->kind == VALUE_LIST ? value->u.list.n : 1;
    int *axes = arena_alloc(eval->arena, n + 1, sizeof *axes);
    if (!axes) return (fx_axes){NULL, 0};
    for (size_t i = 0; i < n; i++) {
        axes[i] = clamp_int(value->kind == VALUE_LIST ? value->u.list.v[i]->u.number.i : value->u.number.i);
    }
    return (fx_axes){axes, n};
}

fx_dims case_arg_dims(struct eval *eval, const struct value *value) {
    size_t n = !value ? 0 : value->kind == VALUE_LIST ? value->u.list.n : 1;
    int64_t *dims = arena_alloc(eval->arena, n + 1, sizeof *dims);
    if (!dims) return (fx_dims){NULL, 0};
    for (size_t i = 0; i < n; i++) {
        dims[i] = value->kind == VALUE_LIST ? value->u.list.v[i]->u.number.i : value->u.number.i;
    }
    return (fx_dims){dims, n};
}

fx_nodes case_arg_nodes(struct eval *eval, const struct value *value) {
    size_t n = value ? value->u.list.n : 0;
    fx_node **nodes = arena_alloc(eval->arena, n + 1, sizeof *nodes);
    if (!nodes) return (fx_nodes){NULL, 0};
    for (size_t i = 0; i < n; i++) nodes[i] = value->u.list.v[i]->u.node;
    return (fx_nodes){nodes, n};
}

fx_shape case_arg_shape(struct eval *eval, const struct value *dtype, const struct value *dims) {
    fx_dims d = case_arg_dims(eval, dims);
    return fx_shape_make(dtype->u.dtype, d.v, d.n);
}
