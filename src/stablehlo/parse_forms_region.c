/* SPDX-License-Identifier: Apache-2.0 */
/* Pretty forms that are no list of items, because they have regions:
 *     while(%i = %a, %j = %b) : T, U attributes {...} cond {...} do {...}
 *     reduce(%a init: %b), (%c init: %d) applies stablehlo.add across dimensions = [0] {...} : (T, U) -> V
 *     reduce(%a init: %b) across dimensions = [0] {...} : (T, U) -> V reducer(%x: T, %y: T) {...} */
#include "stablehlo/parse_pretty.h"
#include <string.h>

/* ---- while ---- */

static bool resume_while(fxi_hlo_parser *p) {
    fxi_hlo_frame *top = fxi_mlir_top(p);
    if (p->regions.count - top->first_region == 1)
        return fxi_mlir_expect_word(p, "do") && fxi_mlir_open_region(p, top->arguments);
    fxi_hlo_frame frame = fxi_mlir_pop_frame(p);
    fxi_hlo_op *op = frame.op;
    const fxi_hlo_type **types = fxi_mlir_new(p, op->n_operands, sizeof *types);
    if (!types) return false;
    for (size_t i = 0; i < op->n_operands; i++) types[i] = op->operands[i]->type;
    return fxi_mlir_take_regions(p, frame.first_region, op) &&
           fxi_mlir_bind_results(p, frame.names, types, op->n_operands, op) &&
           fxi_mlir_finish_operation(p, op);
}

/* %i = %a: the argument onto p->names, of the operand's type. */
static bool read_assignment(fxi_hlo_parser *p) {
    fxi_hlo_named named = {.place = fxi_mlir_here(p), .n = 1};
    FX_TRY(fxi_mlir_read_value_name(p, &named.name) && fxi_mlir_expect(p, "=") && fxi_mlir_read_operand(p));
    named.type = p->operands.data[p->operands.count - 1]->type;
    return FXI_PUSH(&p->names, named) || fxi_mlir_no_memory(p);
}

/* The types of the operands are written again. */
static bool check_types(fxi_hlo_parser *p, const fxi_hlo_op *op) {
    if (op->n_operands > 0) FX_TRY(fxi_mlir_expect(p, ":"));
    for (size_t i = 0; i < op->n_operands; i++) {
        if (i > 0) FX_TRY(fxi_mlir_expect(p, ","));
        fxi_hlo_place place = fxi_mlir_here(p);
        const fxi_hlo_type *type = fxi_mlir_read_type(p);
        if (!type) return false;
        if (!fxi_hlo_type_equal(type, op->operands[i]->type))
            return fxi_mlir_error_at(p, place, "operand %zu is of type %.*s", i,
                                     FXI_HLO_TEXT(op->operands[i]->type->text));
    }
    return true;
}

static bool read_attributes_after_word(fxi_hlo_parser *p, fxi_hlo_op *op) {
    size_t first = p->entries.count;
    if (!fxi_mlir_eat_word(p, "attributes")) return true;
    if (fxi_mlir_peek(p) != '{') return fxi_mlir_expected(p, "'{'");
    return fxi_mlir_read_attr_dict(p) && fxi_mlir_take_attrs(p, first, op);
}

bool fxi_mlir_read_while(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    size_t first = p->operands.count, first_name = p->names.count;
    fxi_hlo_frame frame = {.op = op, .names = names, .resume = resume_while};
    FX_TRY(fxi_mlir_expect(p, "("));
    for (bool more = fxi_mlir_peek(p) != ')'; more; more = fxi_mlir_eat(p, ",")) FX_TRY(read_assignment(p));
    FX_TRY(fxi_mlir_expect(p, ")") && fxi_mlir_take_operands(p, first, op));
    FX_TRY(fxi_mlir_take_names(p, first_name, &frame.arguments) && check_types(p, op));
    return read_attributes_after_word(p, op) && fxi_mlir_expect_word(p, "cond") &&
           fxi_mlir_push_frame(p, frame) && fxi_mlir_open_region(p, frame.arguments);
}

/* ---- reduce ---- */

/* Pairs of what is reduced and where it begins: all the former, then all the latter. */
static bool read_pairs(fxi_hlo_parser *p, fxi_hlo_op *op) {
    size_t first = p->operands.count;
    do {
        FX_TRY(fxi_mlir_expect(p, "(") && fxi_mlir_read_operand(p) && fxi_mlir_expect_word(p, "init"));
        FX_TRY(fxi_mlir_expect(p, ":") && fxi_mlir_read_operand(p) && fxi_mlir_expect(p, ")"));
    } while (fxi_mlir_eat(p, ","));
    size_t n = p->operands.count - first;
    fxi_hlo_value **ordered = fxi_mlir_new(p, n, sizeof *ordered);
    if (!ordered) return false;
    for (size_t i = 0; i < n; i++) ordered[i % 2 * (n / 2) + i / 2] = p->operands.data[first + i];
    p->operands.count = first;
    op->operands = ordered;
    op->n_operands = n;
    return true;
}

static bool read_dimensions(fxi_hlo_parser *p, fxi_hlo_op *op) {
    size_t first = p->entries.count;
    return fxi_mlir_expect_word(p, "across") && fxi_mlir_expect_word(p, "dimensions") &&
           fxi_mlir_expect(p, "=") && fxi_mlir_add_entry(p, "dimensions", fxi_mlir_read_ints(p, false)) &&
           fxi_mlir_read_attr_dict(p) && fxi_mlir_take_attrs(p, first, op);
}

/* A tensor of rank 0 of these elements. */
static const fxi_hlo_type *scalar_of(fxi_hlo_parser *p, const fxi_hlo_type *tensor) {
    const fxi_hlo_type type = {
        .kind = tensor->kind, .text = tensor->text, .shape = fxi_shape_scalar(tensor->shape.dtype)};
    return fxi_mlir_unique_type(p, &type);
}

static fxi_hlo_op *made_op(fxi_hlo_parser *p, fxi_hlo_span name, fxi_hlo_place place,
                           fxi_hlo_value *const *operands, size_t n) {
    fxi_hlo_op *op = fxi_mlir_new(p, 1, sizeof *op);
    if (op) *op = (fxi_hlo_op){.name = name, .place = place, .operands = operands, .n_operands = n};
    return op;
}

/* The region that `applies name` stands for: the operation of both arguments, and the return of its
 * result. */
static fxi_hlo_region *made_region(fxi_hlo_parser *p, const fxi_hlo_op *op, fxi_hlo_span name) {
    static const fxi_hlo_span give_back = {"stablehlo.return", 16};
    const fxi_hlo_type *type = scalar_of(p, op->operands[0]->type);
    if (!type) return NULL;
    const fxi_hlo_named named[2] = {{.place = op->place, .type = type}, {.place = op->place, .type = type}};
    fxi_hlo_region *region = fxi_mlir_new(p, 1, sizeof *region);
    fxi_hlo_op **ops = fxi_mlir_new(p, 2, sizeof *ops);
    if (!region || !ops || !fxi_mlir_bind_arguments(p, (fxi_hlo_nameds){named, 2}, region)) return NULL;
    ops[0] = made_op(p, name, op->place, region->arguments, 2);
    if (!ops[0] || !fxi_mlir_bind_results(p, (fxi_hlo_nameds){0}, &type, 1, ops[0])) return NULL;
    ops[1] = made_op(p, give_back, op->place, ops[0]->results, 1);
    region->ops = ops;
    region->n_ops = 2;
    return ops[1] ? region : NULL;
}

static bool is_combination(fxi_hlo_span name) {
    static const char *const names[] = {"add", "and", "maximum", "minimum", "multiply", "or", "xor"};
    const char *dot = memchr(name.at, '.', name.length);
    fxi_hlo_span word = {dot ? dot + 1 : name.at, dot ? (size_t)(name.at + name.length - dot - 1) : 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fxi_hlo_span_is(word, names[i])) return true;
    return false;
}

static bool read_applied(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    fxi_hlo_place place = fxi_mlir_here(p);
    fxi_hlo_span name;
    if (fxi_mlir_peek(p) == '"')
        FX_TRY(fxi_mlir_read_string(p, &name));
    else
        FX_TRY(fxi_mlir_read_word(p, "the name of an operation", &name));
    if (!is_combination(name))
        return fxi_mlir_error_at(p, place, "no commutative operation of two operands");
    if (op->n_operands != 2) return fxi_mlir_error_at(p, place, "one operation for several operands");
    fxi_hlo_region **regions = fxi_mlir_new(p, 1, sizeof *regions);
    if (!regions || !read_dimensions(p, op) || !fxi_mlir_read_signature(p, op, names)) return false;
    op->regions = regions;
    op->n_regions = 1;
    return (regions[0] = made_region(p, op, name)) != NULL && fxi_mlir_finish_operation(p, op);
}

static bool resume_reduce(fxi_hlo_parser *p) {
    fxi_hlo_frame frame = fxi_mlir_pop_frame(p);
    fxi_hlo_op *op = frame.op;
    FX_TRY(fxi_mlir_take_regions(p, frame.first_region, op));
    const fxi_hlo_type *type = frame.arguments.v[frame.arguments.n].type; /* behind the arguments */
    return fxi_mlir_bind_results(p, frame.names, type->results, type->n_results, op) &&
           fxi_mlir_finish_operation(p, op);
}

/* (%x: T, %y: T) (%z: U, %w: U): first those of the values, then those of the accumulators; the type of the
 * whole operation is kept behind them. */
static bool read_reducer_arguments(fxi_hlo_parser *p, const fxi_hlo_type *type, fxi_hlo_nameds *arguments) {
    size_t first = p->names.count;
    while (fxi_mlir_eat(p, "("))
        FX_TRY(fxi_mlir_read_argument(p) && fxi_mlir_expect(p, ",") && fxi_mlir_read_argument(p) &&
               fxi_mlir_expect(p, ")"));
    size_t n = p->names.count - first;
    fxi_hlo_named *ordered = fxi_mlir_new(p, n + 1, sizeof *ordered);
    if (!ordered) return false;
    for (size_t i = 0; i < n; i++) ordered[i % 2 * (n / 2) + i / 2] = p->names.data[first + i];
    ordered[n].type = type;
    p->names.count = first;
    *arguments = (fxi_hlo_nameds){ordered, n};
    return true;
}

bool fxi_mlir_read_reduce(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    FX_TRY(read_pairs(p, op));
    if (fxi_mlir_eat_word(p, "applies")) return read_applied(p, op, names);
    FX_TRY(read_dimensions(p, op) && fxi_mlir_expect(p, ":"));
    fxi_hlo_place place = fxi_mlir_here(p);
    const fxi_hlo_type *type = fxi_mlir_read_type(p);
    if (!type) return false;
    if (type->kind != FXI_HLO_FUNCTION) return fxi_mlir_error_at(p, place, "expected a function type");
    FX_TRY(fxi_mlir_check_operands(p, op, type->parts, type->n_parts, place));
    fxi_hlo_frame frame = {.op = op, .names = names, .resume = resume_reduce};
    FX_TRY(fxi_mlir_expect_word(p, "reducer") && read_reducer_arguments(p, type, &frame.arguments));
    return fxi_mlir_push_frame(p, frame) && fxi_mlir_open_region(p, frame.arguments);
}

/* ---- scan: chlo.scan (%a) inits (%b) dimension=0 attributes {...} {...} : (T, U) -> (V, U) ---- */

static bool add_segments(fxi_hlo_parser *p, const char *name, size_t first, size_t second) {
    const int64_t sizes[2] = {(int64_t)first, (int64_t)second};
    fxi_hlo_attr *attr = fxi_mlir_new_attr(p, FXI_HLO_ATTR_INTS, fxi_mlir_here(p));
    if (!attr) return false;
    attr->u.ints = (fx_dims){fxi_mlir_keep(p, sizes, 2, sizeof *sizes), 2};
    return attr->u.ints.v && fxi_mlir_add_entry(p, name, attr);
}

static bool resume_scan(fxi_hlo_parser *p) {
    fxi_hlo_frame frame = fxi_mlir_pop_frame(p);
    fxi_hlo_op *op = frame.op;
    const fxi_hlo_attr *segments = fxi_hlo_find(&op->attrs, "operandSegmentSizes");
    size_t first = p->entries.count, carries = (size_t)segments->u.ints.v[1];
    FX_TRY(fxi_mlir_take_regions(p, frame.first_region, op) && fxi_mlir_read_signature(p, op, frame.names));
    if (op->n_results < carries) return fxi_mlir_error_at(p, op->place, "fewer results than inits");
    return add_segments(p, "resultSegmentSizes", op->n_results - carries, carries) &&
           fxi_mlir_take_attrs(p, first, op) && fxi_mlir_finish_operation(p, op);
}

bool fxi_mlir_read_scan(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    static const fxi_hlo_span int_kind = {"int", 3}, dimension = {"dimension", 9};
    size_t first = p->operands.count, first_entry = p->entries.count;
    fxi_hlo_frame frame = {.op = op, .names = names, .resume = resume_scan};
    FX_TRY(fxi_mlir_expect(p, "(") && fxi_mlir_read_operands(p) && fxi_mlir_expect(p, ")"));
    size_t inputs = p->operands.count - first;
    FX_TRY(fxi_mlir_expect_word(p, "inits") && fxi_mlir_expect(p, "(") && fxi_mlir_read_operands(p));
    FX_TRY(fxi_mlir_expect(p, ")") && fxi_mlir_take_operands(p, first, op));
    FX_TRY(fxi_mlir_expect_word(p, "dimension") && fxi_mlir_expect(p, "=") &&
           fxi_mlir_read_kind(p, int_kind, dimension));
    if (fxi_mlir_eat_word(p, "attributes")) FX_TRY(fxi_mlir_read_attr_dict(p));
    FX_TRY(add_segments(p, "operandSegmentSizes", inputs, op->n_operands - inputs) &&
           fxi_mlir_take_attrs(p, first_entry, op));
    return fxi_mlir_push_frame(p, frame) && fxi_mlir_open_region(p, (fxi_hlo_nameds){0});
}

/* ---- regions in brackets, as a composite has them ---- */

static bool resume_regions(fxi_hlo_parser *p) {
    if (fxi_mlir_eat(p, ",")) return fxi_mlir_open_region(p, (fxi_hlo_nameds){0});
    FX_TRY(fxi_mlir_expect(p, ")"));
    fxi_hlo_frame frame = fxi_mlir_pop_frame(p);
    size_t first = p->entries.count;
    return fxi_mlir_take_regions(p, frame.first_region, frame.op) && fxi_mlir_read_attr_dict(p) &&
           fxi_mlir_take_attrs(p, first, frame.op) && fxi_mlir_read_signature(p, frame.op, frame.names) &&
           fxi_mlir_finish_operation(p, frame.op);
}

bool fxi_mlir_read_regions(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    fxi_hlo_frame frame = {.op = op, .names = names, .resume = resume_regions};
    return fxi_mlir_expect(p, "(") && fxi_mlir_push_frame(p, frame) &&
           fxi_mlir_open_region(p, (fxi_hlo_nameds){0});
}
