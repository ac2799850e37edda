/* SPDX-License-Identifier: Apache-2.0 */
/* What is the same for every operation that is imported: its rule is found, its operands' nodes are gathered,
 * the rule builds, and what was built is compared with the types that were written, stamped with the line and
 * kept as the values of the results. The first failure of any kind is kept with its place.
 *
 * Regions and calls recurse through the builders of closures, which nest 64 deep at most (FXI_MAX_NESTING),
 * and through inlined functions, FXI_HLO_MOST_CALLS at most. */
#include "stablehlo/import.h"
#include <string.h>

/* ---- failing ---- */

/* A graph's own error becomes one with the place of an operation. */
static bool check_graph(fxi_hlo_import *im, fxi_hlo_place place) {
    if (im->err->code != FX_OK) return false;
    fx_error built = {.code = FX_OK};
    if (!fx_graph_error(im->graph, &built)) return true;
    fxi_hlo_fail(im->module, place, im->err, "%s", built.message);
    im->err->code = built.code;
    return false;
}

/* What a rule finds wrong may follow from a node that could not be made: then that is the failure. */
static bool fail(fxi_hlo_import *im, fx_error_code code, fxi_hlo_place place, const char *format,
                 va_list args) {
    if (!check_graph(im, place)) return false;
    char what[sizeof im->err->message];
    fxi_text text = fxi_text_fixed(what, sizeof what);
    fxi_text_add_list(&text, format, args);
    fxi_hlo_fail(im->module, place, im->err, "%s", what);
    im->err->code = code;
    return false;
}

bool fxi_hlo_wrong(fxi_hlo_import *im, fxi_hlo_place place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail(im, FX_ERROR_FILE, place, format, args);
    va_end(args);
    return false;
}

bool fxi_hlo_unsupported(fxi_hlo_import *im, fxi_hlo_place place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail(im, FX_ERROR_UNSUPPORTED, place, format, args);
    va_end(args);
    return false;
}

bool fxi_hlo_no_memory(fxi_hlo_import *im) {
    return im->err->code == FX_OK ? fxi_fail_memory(im->err, "fx_module_call") : false;
}

/* ---- tables ---- */

#define FXI_HLO_OPERATIONS(table) &fxi_hlo_##table,
#define FXI_HLO_TARGETS(table)
static const fxi_hlo_table *const operation_tables[] = {
#include "stablehlo/tables.def"
};
#undef FXI_HLO_OPERATIONS
#undef FXI_HLO_TARGETS
#define FXI_HLO_OPERATIONS(table)
#define FXI_HLO_TARGETS(table) &fxi_hlo_##table,
static const fxi_hlo_table *const target_tables[] = {
#include "stablehlo/tables.def"
};
#undef FXI_HLO_OPERATIONS
#undef FXI_HLO_TARGETS

static int compare_name(fxi_hlo_span name, const char *row) {
    int order = strncmp(name.at, row, name.length);
    return order != 0 ? order : row[name.length] != '\0' ? -1 : 0;
}

static const fxi_hlo_row *find_row(const fxi_hlo_table *table, fxi_hlo_span name) {
    size_t low = 0, high = table->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare_name(name, table->rows[middle].name);
        if (order == 0) return &table->rows[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static const fxi_hlo_row *find_in(const fxi_hlo_table *const *tables, size_t n, fxi_hlo_span name,
                                  bool *any_type) {
    const fxi_hlo_row *row = NULL;
    for (size_t i = 0; !row && i < n; i++) {
        row = find_row(tables[i], name);
        *any_type = tables[i]->any_type;
    }
    return row;
}

/* "mhlo.add" as "stablehlo.add", in the caller's room; others as they are. */
enum { ROOM = 64 };
static fxi_hlo_span modern_name(fxi_hlo_span name, char *room) {
    static const char before[] = "mhlo.", now[] = "stablehlo.";
    const size_t old = sizeof before - 1, prefix = sizeof now - 1;
    if (name.length <= old || name.length - old > ROOM - prefix || memcmp(name.at, before, old) != 0)
        return name;
    memcpy(room, now, prefix);
    memcpy(room + prefix, name.at + old, name.length - old);
    return (fxi_hlo_span){room, prefix + name.length - old};
}

static bool check_count(fxi_hlo_import *im, const fxi_hlo_op *op, const char *what, int wanted, size_t got) {
    if (wanted == FXI_HLO_ANY || (size_t)wanted == got) return true;
    return fxi_hlo_wrong(im, op->place, "%.*s has %zu %s instead of %d", FXI_HLO_TEXT(op->name), got, what,
                         wanted);
}

static bool check_tensors(fxi_hlo_import *im, const fxi_hlo_op *op, fxi_hlo_value *const *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (values[i]->type->kind != FXI_HLO_TENSOR)
            return fxi_hlo_wrong(im, op->place, "%.*s takes and gives tensors, not %.*s",
                                 FXI_HLO_TEXT(op->name), FXI_HLO_TEXT(values[i]->type->text));
    return true;
}

static bool check_row(fxi_hlo_import *im, const fxi_hlo_op *op, const fxi_hlo_row *row, bool any_type) {
    return check_count(im, op, "operands", row->operands, op->n_operands) &&
           check_count(im, op, "results", row->results, op->n_results) &&
           check_count(im, op, "regions", row->regions, op->n_regions) &&
           (any_type || (check_tensors(im, op, op->operands, op->n_operands) &&
                         check_tensors(im, op, op->results, op->n_results)));
}

const fxi_hlo_row *fxi_hlo_find_operation(fxi_hlo_import *im, const fxi_hlo_op *op) {
    char room[ROOM];
    bool any_type = false;
    const fxi_hlo_row *row = find_in(operation_tables, sizeof operation_tables / sizeof *operation_tables,
                                     modern_name(op->name, room), &any_type);
    if (!row)
        fxi_hlo_unsupported(im, op->place, "the operation %.*s is not supported", FXI_HLO_TEXT(op->name));
    return row && check_row(im, op, row, any_type) ? row : NULL;
}

/* JAX's xla_ffi_python_cpu_callback and its kin. */
static bool is_python(fxi_hlo_span target) {
    static const char end[] = "_callback", part[] = "python_";
    const size_t n = sizeof part - 1, rest = sizeof end - 1;
    bool found = false;
    for (size_t i = 0; i + n <= target.length && !found; i++) found = memcmp(target.at + i, part, n) == 0;
    return found && target.length >= rest && memcmp(target.at + target.length - rest, end, rest) == 0;
}

const fxi_hlo_row *fxi_hlo_find_target(fxi_hlo_import *im, const fxi_hlo_op *op, fxi_hlo_span target) {
    bool any_type = false;
    const fxi_hlo_row *row =
        find_in(target_tables, sizeof target_tables / sizeof *target_tables, target, &any_type);
    if (!row)
        fxi_hlo_unsupported(im, op->place, "custom_call @%.*s is not supported%s", FXI_HLO_TEXT(target),
                            is_python(target) ? ": it calls back into Python" : "");
    return row && check_row(im, op, row, any_type) ? row : NULL;
}

bool fxi_hlo_as_operation(fxi_hlo_import *im, const fxi_hlo_op *op, const char *dialect, fxi_hlo_span name,
                          fx_node *const *in, fx_node **out) {
    char whole[ROOM];
    fxi_text text = fxi_text_fixed(whole, sizeof whole);
    fxi_text_add(&text, "%s.%.*s", dialect, FXI_HLO_TEXT(name));
    fxi_hlo_op renamed = *op;
    renamed.name = (fxi_hlo_span){whole, strlen(whole)};
    const fxi_hlo_row *row = fxi_hlo_find_operation(im, &renamed);
    return row && row->rule(im, &renamed, in, out);
}

/* ---- values ---- */

size_t fxi_hlo_type_nodes(const fxi_hlo_type *type) {
    size_t n = type->kind == FXI_HLO_TENSOR;
    for (size_t i = 0; type->kind == FXI_HLO_TUPLE && i < type->n_parts; i++)
        n += fxi_hlo_type_nodes(type->parts[i]);
    return n;
}

size_t fxi_hlo_value_nodes(fxi_hlo_value *const *values, size_t n_values) {
    size_t n = 0;
    for (size_t i = 0; i < n_values; i++) n += fxi_hlo_type_nodes(values[i]->type);
    return n;
}

bool fxi_hlo_type_check(fxi_hlo_import *im, const fxi_hlo_type *type, fxi_hlo_place place) {
    switch (type->kind) {
    case FXI_HLO_TENSOR:
        if (type->dynamic)
            return fxi_hlo_unsupported(im, place, "a dynamic shape, %.*s", FXI_HLO_TEXT(type->text));
        return true;
    case FXI_HLO_TUPLE:
        for (size_t i = 0; i < type->n_parts; i++) FX_TRY(fxi_hlo_type_check(im, type->parts[i], place));
        return true;
    case FXI_HLO_TOKEN: return true;
    default: return fxi_hlo_unsupported(im, place, "a value of type %.*s", FXI_HLO_TEXT(type->text));
    }
}

const fx_shape *fxi_hlo_result_shape(const fxi_hlo_op *op, size_t number) {
    return &op->results[number]->type->shape;
}

/* The shapes of nodes against a type's; *next moves on. */
static bool check_shapes(fxi_hlo_import *im, const fxi_hlo_type *type, fx_node *const *nodes, size_t *next,
                         fxi_hlo_place place) {
    if (type->kind == FXI_HLO_TUPLE) {
        for (size_t i = 0; i < type->n_parts; i++)
            FX_TRY(check_shapes(im, type->parts[i], nodes, next, place));
        return true;
    }
    if (type->kind != FXI_HLO_TENSOR) return true;
    const fx_node *node = nodes[(*next)++];
    if (fx_shape_equal(&node->shape, &type->shape)) return true;
    return fxi_hlo_wrong(im, place, "the type is written as %s, but this is %s",
                          fx_shape_to_text(&type->shape).s, fx_shape_to_text(&node->shape).s);
}

/* Checks the nodes of a value against its type and keeps them under its number. */
static bool keep_value(fxi_hlo_import *im, const fxi_hlo_value *value, fx_node *const *nodes,
                       fxi_hlo_place place) {
    size_t n = 0;
    FX_TRY(check_shapes(im, value->type, nodes, &n, place));
    if (value->type->kind == FXI_HLO_TENSOR) {
        im->values[value->id] = nodes[0];
        return true;
    }
    fx_node **kept = fxi_arena_copy(im->arena, nodes, n * sizeof *nodes);
    im->tuples[value->id] = kept;
    return kept || fxi_hlo_no_memory(im);
}

/* A list of nodes for a list of values: short ones need no memory. */
enum { SHORT = 8 };
typedef struct node_list {
    fx_node *few[SHORT];
    fx_node **v;
    size_t n;
} node_list;

static bool open_list(fxi_hlo_import *im, node_list *list, size_t n) {
    *list = (node_list){.n = n};
    list->v = n > SHORT ? fxi_alloc_zeroed(n, sizeof *list->v) : list->few;
    return list->v || fxi_hlo_no_memory(im);
}

static void close_list(node_list *list) {
    if (list->v != list->few) fxi_free(list->v);
}

static bool gather_values(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node **nodes) {
    for (size_t i = 0; i < op->n_operands; i++) {
        const fxi_hlo_value *value = op->operands[i];
        size_t n = fxi_hlo_type_nodes(value->type);
        bool is_tensor = value->type->kind == FXI_HLO_TENSOR;
        fx_node **from = is_tensor ? &im->values[value->id] : im->tuples[value->id];
        if (n > 0 && (!from || !from[0]))
            return fxi_hlo_wrong(im, op->place, "%%%.*s is used before it has a value",
                                  FXI_HLO_TEXT(value->name));
        if (n > 0) memcpy(nodes, from, n * sizeof *nodes);
        nodes += n;
    }
    return true;
}

/* ---- one operation ---- */

static const fxi_hlo_row *begin_operation(fxi_hlo_import *im, const fxi_hlo_op *op) {
    if (++im->built > FXI_HLO_MOST_BUILT) {
        fxi_hlo_unsupported(im, op->place,
                            "more than %d operations and nodes, with those of inlined functions",
                            FXI_HLO_MOST_BUILT);
        return NULL;
    }
    for (size_t i = 0; i < op->n_results; i++)
        if (!fxi_hlo_type_check(im, op->results[i]->type, op->place)) return NULL;
    return fxi_hlo_find_operation(im, op);
}

/* Stamps everything that the operation built. */
static void stamp(const fxi_hlo_import *im, fxi_hlo_place place) {
    size_t n = im->graph->nodes.count;
    if (n > 0) fx_at(im->graph->nodes.data[n - 1], im->module->file, (int)place.line);
}

static bool keep_results(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node **out) {
    FX_TRY(check_graph(im, op->place));
    stamp(im, op->place);
    for (size_t i = 0; i < op->n_results; i++) {
        size_t n = fxi_hlo_type_nodes(op->results[i]->type);
        for (size_t j = 0; j < n; j++)
            if (!out[j]) return fxi_hlo_wrong(im, op->place, "there is no value for a result");
        FX_TRY(keep_value(im, op->results[i], out, op->place));
        out += n;
    }
    return true;
}

static bool import_operation(fxi_hlo_import *im, const fxi_hlo_op *op) {
    const fxi_hlo_row *row = begin_operation(im, op);
    node_list in, out;
    if (!row) return false;
    FX_TRY(open_list(im, &in, fxi_hlo_value_nodes(op->operands, op->n_operands)));
    bool ok = open_list(im, &out, fxi_hlo_value_nodes(op->results, op->n_results));
    if (ok) {
        const size_t before = im->graph->nodes.count;
        ok = gather_values(im, op, in.v) && row->rule(im, op, in.v, out.v) && keep_results(im, op, out.v);
        im->built += im->graph->nodes.count - before;
        close_list(&out);
    }
    close_list(&in);
    if (!ok && im->err->code == FX_OK) /* a rule that fails says why, or the graph does */
        return check_graph(im, op->place) ? fxi_hlo_no_memory(im) : false;
    return ok;
}

/* ---- regions ---- */

static bool is_terminator(const fxi_hlo_op *op) {
    static const char *const names[] = {"stablehlo.return", "func.return", "return", "mhlo.return",
                                        "chlo.return"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fxi_hlo_span_is(op->name, names[i])) return true;
    return false;
}

static bool bind_arguments(fxi_hlo_import *im, const fxi_hlo_region *region, fx_node *const *in, size_t n_in,
                           fxi_hlo_place place) {
    size_t n = fxi_hlo_value_nodes(region->arguments, region->n_arguments);
    if (n != n_in) return fxi_hlo_wrong(im, place, "the region has %zu arguments instead of %zu", n, n_in);
    for (size_t i = 0; i < region->n_arguments; i++) {
        const fxi_hlo_value *argument = region->arguments[i];
        FX_TRY(fxi_hlo_type_check(im, argument->type, argument->place));
        FX_TRY(keep_value(im, argument, in, argument->place));
        in += fxi_hlo_type_nodes(argument->type);
    }
    return true;
}

static bool import_region(fxi_hlo_import *im, const fxi_hlo_region *region, fx_node *const *in, size_t n_in,
                          fx_node **out, size_t n_out) {
    const fxi_hlo_op *last = region->ops[region->n_ops - 1];
    FX_TRY(check_graph(im, region->ops[0]->place)); /* of a closure, that it has all its parameters */
    FX_TRY(bind_arguments(im, region, in, n_in, region->ops[0]->place));
    for (size_t i = 0; i + 1 < region->n_ops; i++) FX_TRY(import_operation(im, region->ops[i]));
    if (!is_terminator(last))
        return fxi_hlo_wrong(im, last->place, "the region ends in %.*s instead of a return",
                             FXI_HLO_TEXT(last->name));
    size_t n = fxi_hlo_value_nodes(last->operands, last->n_operands);
    if (n != n_out) return fxi_hlo_wrong(im, last->place, "%zu values instead of %zu", n, n_out);
    return gather_values(im, last, out);
}

bool fxi_hlo_region_import(fxi_hlo_import *im, const fxi_hlo_region *region, fx_node *const *in, size_t n_in,
                           fx_node **out, size_t n_out) {
    if (region->n_ops == 0)
        return fxi_hlo_wrong(im, (fxi_hlo_place){0, 0, 0}, "a region without a terminator");
    if (im->depth >= FXI_HLO_MOST_DEPTH)
        return fxi_hlo_unsupported(im, region->ops[0]->place, "regions and functions nested over %d deep",
                                   FXI_HLO_MOST_DEPTH);
    im->depth++;
    bool ok = import_region(im, region, in, n_in, out, n_out);
    im->depth--;
    return ok;
}

void fxi_hlo_closure_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *closure) {
    const fxi_hlo_closure *c = closure;
    fxi_hlo_import *im = c->im;
    fx_graph *outside = im->graph;
    im->graph = body;
    im->regions++;
    bool ok = fxi_hlo_region_import(im, c->region, in, n_in, out, n_out);
    if (ok && !c->any_size && body->nodes.count > FXI_HLO_MOST_COMBINING)
        ok = fxi_hlo_unsupported(im, c->region->ops[0]->place, "a region of %zu nodes that combines elements",
                                 body->nodes.count);
    im->regions--;
    im->graph = outside;
    if (!ok) fxi_build_fail(body, im->err->code, "%s", im->err->message);
}
