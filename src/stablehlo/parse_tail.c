/* SPDX-License-Identifier: Apache-2.0 */
/* Types at the end of pretty forms. What is left out is made up for: each operand's type is compared with
 * what the form says that it is, and results get theirs. */
#include "stablehlo/parse_pretty.h"

/* Types with commas between: onto p->type_items from *first on. */
static bool read_types(fxi_hlo_parser *p, size_t *first) {
    *first = p->type_items.count;
    do {
        const fxi_hlo_type *type = fxi_mlir_read_type(p);
        if (!type || !FXI_PUSH(&p->type_items, type)) return type && fxi_mlir_no_memory(p);
    } while (fxi_mlir_eat(p, ","));
    return true;
}

static bool check_each(fxi_hlo_parser *p, const fxi_hlo_op *op, const fxi_hlo_type *type, size_t from,
                       fxi_hlo_place place) {
    for (size_t i = from; i < op->n_operands; i++)
        if (!fxi_hlo_type_equal(op->operands[i]->type, type))
            return fxi_mlir_error_at(p, place, "operand %zu is of type %.*s, not %.*s", i,
                                     FXI_HLO_TEXT(op->operands[i]->type->text), FXI_HLO_TEXT(type->text));
    return true;
}

static bool bind_one(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names, const fxi_hlo_type *type) {
    return fxi_mlir_bind_results(p, names, &type, 1, op);
}

static bool by_function(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names, const fxi_hlo_type *type,
                        fxi_hlo_place place) {
    return fxi_mlir_check_operands(p, op, type->parts, type->n_parts, place) &&
           fxi_mlir_bind_results(p, names, type->results, type->n_results, op);
}

/* A type that is no function's: false and NULL when it was one and all is done. */
static bool read_short(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names, const fxi_hlo_type **type,
                       fxi_hlo_place *place) {
    FX_TRY(fxi_mlir_expect(p, ":"));
    *place = fxi_mlir_here(p);
    *type = fxi_mlir_read_type(p);
    if (!*type) return false;
    if ((*type)->kind != FXI_HLO_FUNCTION) return true;
    bool ok = by_function(p, op, names, *type, *place);
    *type = NULL;
    return ok;
}

static bool read_same(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    const fxi_hlo_type *type;
    fxi_hlo_place place;
    FX_TRY(read_short(p, op, names, &type, &place));
    return !type || (check_each(p, op, type, 0, place) && bind_one(p, op, names, type));
}

static bool read_select(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    const fxi_hlo_type *type;
    fxi_hlo_place place;
    FX_TRY(read_short(p, op, names, &type, &place));
    if (!type) return true;
    if (op->n_operands != 3) return fxi_mlir_error_at(p, op->place, "%zu operands, not 3", op->n_operands);
    if (!fxi_hlo_type_equal(op->operands[0]->type, type))
        return fxi_mlir_error_at(p, place, "operand 0 is of type %.*s",
                                 FXI_HLO_TEXT(op->operands[0]->type->text));
    FX_TRY(fxi_mlir_expect(p, ","));
    place = fxi_mlir_here(p);
    if (!(type = fxi_mlir_read_type(p))) return false;
    return check_each(p, op, type, 1, place) && bind_one(p, op, names, type);
}

static bool read_complex(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    const fxi_hlo_type *type;
    fxi_hlo_place place;
    FX_TRY(read_short(p, op, names, &type, &place));
    if (!type) return true;
    if (type->kind != FXI_HLO_TENSOR || !fx_dtype_is_complex(type->shape.dtype))
        return fxi_mlir_error_at(p, place, "expected a complex tensor");
    fxi_hlo_type real = *type;
    real.shape.dtype = fx_dtype_real(type->shape.dtype);
    return check_each(p, op, &real, 0, place) && bind_one(p, op, names, type);
}

static bool read_tuple(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    FX_TRY(fxi_mlir_expect(p, ":"));
    fxi_hlo_place place = fxi_mlir_here(p);
    const fxi_hlo_type *type = fxi_mlir_read_type(p);
    if (!type) return false;
    if (type->kind != FXI_HLO_TUPLE) return fxi_mlir_error_at(p, place, "expected a tuple");
    return fxi_mlir_check_operands(p, op, type->parts, type->n_parts, place) && bind_one(p, op, names, type);
}

/* : T, U of the operands, of the results, or of both. */
static bool read_list(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names, bool operands, bool results) {
    size_t first = p->type_items.count;
    fxi_hlo_place place = fxi_mlir_here(p);
    if (!operands || op->n_operands > 0) FX_TRY(fxi_mlir_expect(p, ":") && read_types(p, &first));
    size_t n = p->type_items.count - first;
    const fxi_hlo_type *const *types = FXI_FROM(p->type_items, first);
    if (n == 0) types = &p->i64; /* not read */
    bool ok = (!operands || fxi_mlir_check_operands(p, op, types, n, place)) &&
              fxi_mlir_bind_results(p, names, types, results ? n : 0, op);
    p->type_items.count = first;
    return ok;
}

static bool read_operand_type(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    FX_TRY(fxi_mlir_expect(p, ":"));
    fxi_hlo_place place = fxi_mlir_here(p);
    const fxi_hlo_type *type = fxi_mlir_read_type(p);
    return type && check_each(p, op, type, 0, place) && fxi_mlir_bind_results(p, names, NULL, 0, op);
}

static bool read_results_after_arrow(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    size_t first;
    bool several = fxi_mlir_eat(p, "(");
    FX_TRY(read_types(p, &first));
    bool ok =
        (!several || fxi_mlir_expect(p, ")")) &&
        fxi_mlir_bind_results(p, names, FXI_FROM(p->type_items, first), p->type_items.count - first, op);
    p->type_items.count = first;
    return ok;
}

static bool read_arrow(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    FX_TRY(fxi_mlir_expect(p, ":"));
    fxi_hlo_place place = fxi_mlir_here(p);
    if (*p->at == '(') { /* a function type */
        const fxi_hlo_type *type = fxi_mlir_read_type(p);
        return type && by_function(p, op, names, type, place);
    }
    size_t first;
    FX_TRY(read_types(p, &first));
    bool ok =
        fxi_mlir_check_operands(p, op, FXI_FROM(p->type_items, first), p->type_items.count - first, place);
    p->type_items.count = first;
    return ok && fxi_mlir_expect(p, "->") && read_results_after_arrow(p, op, names);
}

/* The one form whose dictionary stands between the colon and the types. */
static bool read_close(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    size_t first_entry = p->entries.count, first;
    FX_TRY(fxi_mlir_expect(p, ":") && fxi_mlir_read_attr_dict(p) && fxi_mlir_take_attrs(p, first_entry, op));
    fxi_hlo_place place = fxi_mlir_here(p);
    FX_TRY(read_types(p, &first));
    bool ok =
        fxi_mlir_check_operands(p, op, FXI_FROM(p->type_items, first), p->type_items.count - first, place);
    p->type_items.count = first;
    return ok && fxi_mlir_bind_results(p, names, NULL, 0, op);
}

static bool read_of_value(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    const fxi_hlo_attr *value = fxi_hlo_find(&op->attrs, "value");
    if (!value || !value->type)
        return fxi_mlir_error_at(p, value ? value->place : op->place, "expected a constant, dense<...>");
    return bind_one(p, op, names, value->type);
}

bool fxi_mlir_read_tail(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names, fxi_hlo_tail tail) {
    switch (tail) {
    case FXI_HLO_TAIL_NONE: return fxi_mlir_bind_results(p, names, NULL, 0, op);
    case FXI_HLO_TAIL_VALUE: return read_of_value(p, op, names);
    case FXI_HLO_TAIL_FUNCTION:
    case FXI_HLO_TAIL_REGIONS: return fxi_mlir_read_signature(p, op, names);
    case FXI_HLO_TAIL_SAME: return read_same(p, op, names);
    case FXI_HLO_TAIL_RESULTS: return read_list(p, op, names, false, true);
    case FXI_HLO_TAIL_OPERANDS: return read_list(p, op, names, true, false);
    case FXI_HLO_TAIL_OPERAND: return read_operand_type(p, op, names);
    case FXI_HLO_TAIL_PAIRS: return read_list(p, op, names, true, true);
    case FXI_HLO_TAIL_SELECT: return read_select(p, op, names);
    case FXI_HLO_TAIL_COMPLEX: return read_complex(p, op, names);
    case FXI_HLO_TAIL_TUPLE: return read_tuple(p, op, names);
    case FXI_HLO_TAIL_ARROW: return read_arrow(p, op, names);
    case FXI_HLO_TAIL_CLOSE: return read_close(p, op, names);
    }
    return false;
}
