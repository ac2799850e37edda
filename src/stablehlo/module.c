/* SPDX-License-Identifier: Apache-2.0 */
/* Modules as the public sees them: a tree, and for each function what callers ask before they run it, worked
 * out once when the text was read, so that a module never changes afterwards.
 *
 * Inputs and outputs are nodes: of an argument that is a tuple the parts, of a token none. */
#include "stablehlo/module.h"
#include "stablehlo/stablehlo.h"
#include <string.h>

/* ---- what is known of each function ---- */

typedef fxi_module_port port;
typedef fxi_module_ports ports;
typedef fxi_module_function function;

static const char *copy_span(fxi_arena *arena, fxi_hlo_span span) {
    char *copy = fxi_arena_alloc(arena, span.length + 1, 1);
    if (copy) memcpy(copy, span.at, span.length);
    return copy;
}

static const char *numbered(fxi_arena *arena, const char *stem, size_t number) {
    char name[32];
    fxi_text text = fxi_text_fixed(name, sizeof name);
    fxi_text_add(&text, "%s%zu", stem, number);
    return copy_span(arena, (fxi_hlo_span){name, strlen(name)});
}

static bool is_number(fxi_hlo_span span) {
    for (size_t i = 0; i < span.length; i++)
        if (span.at[i] < '0' || span.at[i] > '9') return false;
    return true;
}

/* What its location calls it, else its name in the text unless that is a bare number. */
static const char *input_name(fxi_hlo_module *tree, const fxi_hlo_value *argument, size_t number) {
    fxi_hlo_span name = fxi_hlo_location_name(tree, argument->location);
    if (name.length == 0) name = argument->name;
    return is_number(name) ? numbered(&tree->arena, "arg", number) : copy_span(&tree->arena, name);
}

static const char *output_name(fxi_hlo_module *tree, const fxi_hlo_dict *attrs, size_t number) {
    const fxi_hlo_attr *info = attrs ? fxi_hlo_find(attrs, "jax.result_info") : NULL;
    if (info && info->kind == FXI_HLO_ATTR_STRING && info->text.length > 0)
        return copy_span(&tree->arena, info->text);
    return numbered(&tree->arena, "out", number);
}

/* The leaves of a type that nodes stand for, each a copy of `model`. */
static void add_leaves(ports *list, const fxi_hlo_type *type, const port *model) {
    for (size_t i = 0; type->kind == FXI_HLO_TUPLE && i < type->n_parts; i++)
        add_leaves(list, type->parts[i], model);
    if (type->kind != FXI_HLO_TENSOR) return;
    list->v[list->n] = *model;
    list->v[list->n++].type = type;
}

static bool describe_inputs(fxi_hlo_module *tree, function *f) {
    const fxi_hlo_region *body = f->tree->body;
    size_t n = 0;
    for (size_t i = 0; i < body->n_arguments; i++) n += fxi_hlo_type_nodes(body->arguments[i]->type);
    f->inputs.v = fxi_arena_alloc(&tree->arena, n, sizeof(port));
    if (!f->inputs.v) return false;
    for (size_t i = 0; i < body->n_arguments; i++) {
        const fxi_hlo_value *argument = body->arguments[i];
        const fxi_hlo_dict *attrs = &f->tree->argument_attrs[i];
        const fxi_hlo_attr *alias = fxi_hlo_find(attrs, "tf.aliasing_output");
        const fxi_hlo_attr *sharding = fxi_hlo_find(attrs, "sdy.sharding");
        if (!sharding) sharding = fxi_hlo_find(attrs, "mhlo.sharding");
        port p = {.name = input_name(tree, argument, i), .alias = -1};
        if (alias && alias->kind == FXI_HLO_ATTR_INT) p.alias = alias->u.i;
        if (sharding) p.sharding = copy_span(&tree->arena, sharding->text);
        if (!p.name || (sharding && !p.sharding)) return false;
        add_leaves(&f->inputs, argument->type, &p);
    }
    return true;
}

static bool describe_outputs(fxi_hlo_module *tree, function *f) {
    size_t n = 0;
    for (size_t i = 0; i < f->tree->n_results; i++) n += fxi_hlo_type_nodes(f->tree->results[i]);
    f->outputs.v = fxi_arena_alloc(&tree->arena, n, sizeof(port));
    if (!f->outputs.v) return false;
    for (size_t i = 0; i < f->tree->n_results; i++) {
        const fxi_hlo_dict *attrs = f->tree->result_attrs ? &f->tree->result_attrs[i] : NULL;
        const port p = {.name = output_name(tree, attrs, i), .alias = -1};
        if (!p.name) return false;
        add_leaves(&f->outputs, f->tree->results[i], &p);
    }
    return true;
}

static bool describe(fx_module *module) {
    fxi_hlo_module *tree = module->tree;
    module->functions = fxi_arena_alloc(&tree->arena, tree->n_functions, sizeof(function));
    if (!module->functions) return false;
    for (size_t i = 0; i < tree->n_functions; i++) {
        function *f = &module->functions[i];
        f->tree = tree->functions[i];
        f->name = copy_span(&tree->arena, f->tree->name);
        if (!f->name || !describe_inputs(tree, f) || !describe_outputs(tree, f)) return false;
    }
    return true;
}

static ptrdiff_t function_number(const fx_module *module, fxi_hlo_span name) {
    const fxi_hlo_function *f = fxi_hlo_find_function(module->tree, name);
    return f ? (ptrdiff_t)f->number : -1;
}

/* ---- counting checks: a walk over the calls with a stack of its own, each function once ---- */

static fxi_module_function *find_callee(const fx_module *module, const fxi_hlo_op *op) {
    const fxi_hlo_attr *symbol = fxi_hlo_find(&op->attrs, "callee");
    if (!symbol) symbol = fxi_hlo_find(&op->attrs, "decomposition");
    if (!symbol || symbol->kind != FXI_HLO_ATTR_SYMBOL) return NULL;
    ptrdiff_t number = function_number(module, symbol->text);
    return number < 0 ? NULL : &module->functions[number];
}

/* What one operation adds; SIZE_MAX stands for too many to count. */
static size_t checks_of(const fx_module *module, const fxi_hlo_op *op) {
    if (fxi_hlo_is_check(op)) return 1;
    const function *callee = find_callee(module, op);
    return callee ? callee->checks : 0;
}

typedef struct cursor {
    function *f;
    size_t op; /* the next one */
} cursor;
typedef FXI_VEC(cursor) cursors;

/* Goes on in the innermost function until it calls one that is unseen, which is pushed, or ends. */
static bool count_some(const fx_module *module, cursors *stack) {
    cursor *c = &stack->data[stack->count - 1];
    const fxi_hlo_region *body = c->f->tree->body;
    while (c->op < body->n_ops) {
        function *callee = find_callee(module, body->ops[c->op]);
        if (callee && callee->state == FXI_UNCOUNTED) {
            callee->state = FXI_COUNTING;
            return FXI_PUSH(stack, ((cursor){callee, 0}));
        }
        size_t more = checks_of(module, body->ops[c->op++]);
        c->f->checks = more > SIZE_MAX - c->f->checks ? SIZE_MAX : c->f->checks + more;
    }
    c->f->state = FXI_COUNTED;
    stack->count--;
    return true;
}

static bool count_checks(fx_module *module) {
    cursors stack = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < module->tree->n_functions; i++) {
        function *f = &module->functions[i];
        if (f->state != FXI_UNCOUNTED) continue;
        f->state = FXI_COUNTING;
        ok = FXI_PUSH(&stack, ((cursor){f, 0}));
        while (ok && stack.count > 0) ok = count_some(module, &stack);
    }
    fxi_free(stack.data);
    return ok;
}

/* Check number `check` of a function: down the calls, each of which knows how many are in it. */
static const fxi_hlo_op *find_check(const fx_module *module, const function *f, size_t check) {
    for (int depth = 0; f && depth <= FXI_HLO_MOST_CALLS; depth++) {
        const fxi_hlo_region *body = f->tree->body;
        size_t i = 0, n = 0;
        for (; i < body->n_ops; i++, check -= n)
            if ((n = checks_of(module, body->ops[i])) > check) break;
        if (i == body->n_ops) return NULL;
        if (fxi_hlo_is_check(body->ops[i])) return body->ops[i];
        f = find_callee(module, body->ops[i]);
    }
    return NULL;
}

/* ---- reading and freeing ---- */

static fx_module *open_module(fxi_hlo_module *tree, fx_error *err) {
    fx_module *module = fxi_alloc_zeroed(1, sizeof *module);
    if (module) {
        atomic_init(&module->references, 1);
        module->tree = tree;
        if (describe(module) && count_checks(module)) return module;
    }
    fxi_fail_memory(err, "fx_module_parse");
    fxi_hlo_free(tree);
    fxi_free(module);
    return NULL;
}

fx_module *fx_module_parse(const char *text, size_t length, const char *name, fx_error *err) {
    if (!text) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_module_parse: the text is NULL");
        return NULL;
    }
    fxi_hlo_module *tree = fxi_hlo_parse(text, length, name, err);
    return tree ? open_module(tree, err) : NULL;
}

fx_module *fxi_module_ref(const fx_module *module) {
    fx_module *same = (fx_module *)(uintptr_t)module; /* the count is all that changes */
    atomic_fetch_add_explicit(&same->references, 1, memory_order_relaxed);
    return same;
}

void fx_module_free(fx_module *module) {
    if (!module || atomic_fetch_sub_explicit(&module->references, 1, memory_order_acq_rel) != 1) return;
    fxi_hlo_free(module->tree);
    fxi_free(module);
}

/* ---- looking ---- */

static const function *get_function(const fx_module *module, size_t number) {
    return module && number < module->tree->n_functions ? &module->functions[number] : NULL;
}

static const port *get_port(const ports *list, size_t number) {
    return number < list->n ? &list->v[number] : NULL;
}

static const port *get_input(const fx_module *module, size_t number, size_t input) {
    const function *f = get_function(module, number);
    return f ? get_port(&f->inputs, input) : NULL;
}

static const port *get_output(const fx_module *module, size_t number, size_t output) {
    const function *f = get_function(module, number);
    return f ? get_port(&f->outputs, output) : NULL;
}

static const fx_shape *port_shape(const port *p) {
    return p && !p->type->dynamic ? &p->type->shape : NULL;
}

size_t fx_module_function_count(const fx_module *module) { return module ? module->tree->n_functions : 0; }

const char *fx_module_function_name(const fx_module *module, size_t number) {
    const function *f = get_function(module, number);
    return f ? f->name : NULL;
}

bool fx_module_function_is_public(const fx_module *module, size_t number) {
    const function *f = get_function(module, number);
    return f && !f->tree->is_private;
}

ptrdiff_t fx_module_find(const fx_module *module, const char *name) {
    if (!module) return -1;
    const char *wanted = name ? name : "main";
    ptrdiff_t found = function_number(module, (fxi_hlo_span){wanted, strlen(wanted)});
    if (found >= 0 || name) return found;
    for (size_t i = 0; i < module->tree->n_functions; i++) {
        if (module->tree->functions[i]->is_private) continue;
        if (found >= 0) return -1; /* which of them? */
        found = (ptrdiff_t)i;
    }
    return found;
}

size_t fx_module_input_count(const fx_module *module, size_t number) {
    const function *f = get_function(module, number);
    return f ? f->inputs.n : 0;
}

size_t fx_module_output_count(const fx_module *module, size_t number) {
    const function *f = get_function(module, number);
    return f ? f->outputs.n : 0;
}

const fx_shape *fx_module_input_shape(const fx_module *module, size_t number, size_t input) {
    return port_shape(get_input(module, number, input));
}

const fx_shape *fx_module_output_shape(const fx_module *module, size_t number, size_t output) {
    return port_shape(get_output(module, number, output));
}

const char *fx_module_input_name(const fx_module *module, size_t number, size_t input) {
    const port *p = get_input(module, number, input);
    return p ? p->name : NULL;
}

const char *fx_module_output_name(const fx_module *module, size_t number, size_t output) {
    const port *p = get_output(module, number, output);
    return p ? p->name : NULL;
}

ptrdiff_t fx_module_input_alias(const fx_module *module, size_t number, size_t input) {
    const port *p = get_input(module, number, input);
    size_t outputs = fx_module_output_count(module, number);
    return p && p->alias >= 0 && (uint64_t)p->alias < outputs ? (ptrdiff_t)p->alias : -1;
}

const char *fx_module_input_sharding(const fx_module *module, size_t number, size_t input) {
    const port *p = get_input(module, number, input);
    return p ? p->sharding : NULL;
}

size_t fx_module_check_count(const fx_module *module, size_t number) {
    const function *f = get_function(module, number);
    return f ? f->checks : 0;
}

bool fx_module_check(const fx_module *module, size_t number, size_t check, fx_check *out) {
    const function *f = get_function(module, number);
    const fxi_hlo_op *op = f && out ? find_check(module, f, check) : NULL;
    if (!op) return false;
    fx_error ignored = {.code = FX_OK};
    fxi_arena scratch = {0};
    fxi_hlo_import im = {.module = module->tree, .arena = &scratch, .err = &ignored};
    bool ok = fxi_hlo_read_check(&im, op, out);
    fxi_arena_free(&scratch);
    return ok;
}
