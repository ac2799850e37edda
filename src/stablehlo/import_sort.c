/* SPDX-License-Identifier: Apache-2.0 */
/* sort. Its comparator is a region; the library sorts by keys, which is many times faster, and by closures.
 * A comparator is recognised as an order by keys when it says of the operands k1, k2, ... (x the first
 * element, y the second)
 *
 *     x1 < y1  or  x1 = y1 and (x2 < y2  or  x2 = y2 and ...)
 *
 * with > throughout for descending. Each side of a comparison must be a key itself or, as JAX writes floats,
 * select(k is NaN, NaN, select(k = 0, 0, k)), in any order of the two selects.
 *
 * Where the orders are equal: the library's has NaN last and takes zeros as equal. A comparison by value
 * (FLOAT) orders all but NaN in that way and says nothing of NaN; TOTALORDER of the canonical form above does
 * so for NaN too when ascending. TOTALORDER of bare floats tells -0 from 0 and the signs of NaN, descending
 * TOTALORDER has NaN first: these stay closures, as does any comparator that is not recognised. */
#include "stablehlo/import.h"
#include <fluxion/sorting.h>
#include <math.h>

/* Regions are searched value by value, so only short ones are looked at. */
enum { MOST_OPERATIONS = 200 };

enum { MOST_KEYS = 16 };
typedef struct order {
    const fxi_hlo_module *module;
    const fxi_hlo_region *region;
    size_t keys[MOST_KEYS], n_keys; /* operands by importance */
    bool ascending;
} order;

/* One side of a comparison: an argument of the region, and what was done to it. */
typedef struct side {
    size_t argument;
    bool one_nan, one_zero; /* all NaN are the positive one; both zeros are one */
} side;

static const fxi_hlo_op *source_of(const order *o, const fxi_hlo_value *value, const char *name) {
    const fxi_hlo_op *op = fxi_hlo_region_source(o->region, value);
    return op && fxi_hlo_span_is(op->name, name) ? op : NULL;
}

static bool says(const fxi_hlo_op *op, const char *attribute, const char *word) {
    const fxi_hlo_attr *attr = fxi_hlo_find(&op->attrs, attribute);
    return attr && fxi_hlo_span_is(attr->text, word);
}

/* compare(x, y, direction). */
static const fxi_hlo_op *compare_of(const order *o, const fxi_hlo_value *value, const char *direction) {
    const fxi_hlo_op *op = source_of(o, value, "stablehlo.compare");
    return op && op->n_operands == 2 && says(op, "comparison_direction", direction) ? op : NULL;
}

/* A float constant of the region as its value; false: it is none. */
static bool constant_of(const order *o, const fxi_hlo_value *value, double *number) {
    const fxi_hlo_op *op = source_of(o, value, "stablehlo.constant");
    const fxi_hlo_attr *attr = op ? fxi_hlo_find(&op->attrs, "value") : NULL;
    if (!attr || attr->kind != FXI_HLO_ATTR_DENSE || attr->type->shape.rank != 0) return false;
    fx_tensor *tensor = fxi_hlo_dense(o->module, attr, NULL);
    bool is_float = tensor && fx_dtype_is_float(fx_tensor_dtype(tensor));
    if (is_float) *number = fx_tensor_get(tensor, 0);
    fx_tensor_free(tensor);
    return is_float;
}

/* select(about is NaN, NaN, rest) or select(about = 0, 0, rest): which of the two it does; false: neither. */
static bool canonical_select(const order *o, const fxi_hlo_op *select, side *s, const fxi_hlo_value **about) {
    double number, compared;
    if (select->n_operands != 3 || !constant_of(o, select->operands[1], &number)) return false;
    const fxi_hlo_op *ne = compare_of(o, select->operands[0], "NE");
    const fxi_hlo_op *eq = compare_of(o, select->operands[0], "EQ");
    const fxi_hlo_op *test = ne ? ne : eq;
    if (!test || says(test, "compare_type", "TOTALORDER")) return false;
    *about = test->operands[0];
    if (ne && test->operands[1] == *about && isnan(number) && !signbit(number))
        s->one_nan = true;
    else if (eq && number == 0 && constant_of(o, test->operands[1], &compared) && compared == 0)
        s->one_zero = true;
    else
        return false;
    return true;
}

static bool read_side(const order *o, const fxi_hlo_value *value, side *s) {
    const fxi_hlo_value *about[2] = {NULL, NULL};
    *s = (side){0};
    for (int i = 0; i < 2; i++) {
        const fxi_hlo_op *select = source_of(o, value, "stablehlo.select");
        if (!select) break;
        if (!canonical_select(o, select, s, &about[i])) return false;
        if (i == 0 && about[0] == select->operands[2]) about[0] = NULL; /* asks the value it keeps */
        value = select->operands[2];
    }
    for (size_t i = 0; i < o->region->n_arguments; i++)
        if (o->region->arguments[i] == value) {
            s->argument = i;
            return (!about[0] || about[0] == value) && (!about[1] || about[1] == value);
        }
    return false;
}

/* A comparison of one key of both elements, and its operand; *crossed: y's side is written first. */
static bool read_comparison(const order *o, const fxi_hlo_op *compare, size_t *key, side *s, bool *crossed) {
    side left, right;
    if (!read_side(o, compare->operands[0], &left) || !read_side(o, compare->operands[1], &right) ||
        left.one_nan != right.one_nan || left.one_zero != right.one_zero || left.argument == right.argument ||
        left.argument / 2 != right.argument / 2)
        return false;
    *crossed = left.argument > right.argument;
    *key = left.argument / 2;
    *s = left;
    return true;
}

/* "x comes first" by one key; the direction must be that of the keys before. */
static bool add_key(order *o, const fxi_hlo_op *compare) {
    bool less = says(compare, "comparison_direction", "LT"), crossed;
    size_t key;
    side s;
    if (!read_comparison(o, compare, &key, &s, &crossed) || o->n_keys == MOST_KEYS) return false;
    bool ascending = less != crossed;
    fx_dtype dtype = o->region->arguments[s.argument]->type->shape.dtype;
    bool total = fx_dtype_is_float(dtype) && says(compare, "compare_type", "TOTALORDER");
    if ((total && !(s.one_nan && s.one_zero && ascending)) || (o->n_keys > 0 && ascending != o->ascending) ||
        fx_dtype_is_complex(dtype) || (fx_dtype_is_float(dtype) && fx_dtype_bits(dtype) < 16))
        return false;
    for (size_t i = 0; i < o->n_keys; i++)
        if (o->keys[i] == key) return false;
    o->ascending = ascending;
    o->keys[o->n_keys++] = key;
    return true;
}

static const fxi_hlo_op *order_of(const order *o, const fxi_hlo_value *value) {
    const fxi_hlo_op *less = compare_of(o, value, "LT");
    return less ? less : compare_of(o, value, "GT");
}

/* and(x = y, rest) by the key added last: the rest; NULL: something else. */
static const fxi_hlo_value *rest_of(const order *o, const fxi_hlo_value *value) {
    const fxi_hlo_op *both = source_of(o, value, "stablehlo.and");
    for (size_t i = 0; both && both->n_operands == 2 && i < 2; i++) {
        const fxi_hlo_op *equal = compare_of(o, both->operands[i], "EQ");
        size_t key;
        side s;
        bool crossed;
        if (equal && read_comparison(o, equal, &key, &s, &crossed) && key == o->keys[o->n_keys - 1] &&
            (!says(equal, "compare_type", "TOTALORDER") || (s.one_nan && s.one_zero) ||
             !fx_dtype_is_float(o->region->arguments[s.argument]->type->shape.dtype)))
            return both->operands[1 - i];
    }
    return NULL;
}

/* or(x < y, and(x = y, rest)): adds the key and gives the rest; NULL: something else. */
static const fxi_hlo_value *next_key(order *o, const fxi_hlo_value *value) {
    const fxi_hlo_op *either = source_of(o, value, "stablehlo.or");
    for (size_t i = 0; either && either->n_operands == 2 && i < 2; i++) {
        const fxi_hlo_op *first = order_of(o, either->operands[i]);
        if (!first || !add_key(o, first)) continue;
        const fxi_hlo_value *rest = rest_of(o, either->operands[1 - i]);
        if (rest) return rest;
        o->n_keys--;
    }
    return NULL;
}

static bool read_order(order *o) {
    const fxi_hlo_op *last = o->region->n_ops ? o->region->ops[o->region->n_ops - 1] : NULL;
    if (!last || last->n_operands != 1 || o->region->n_ops > MOST_OPERATIONS) return false;
    const fxi_hlo_value *value = last->operands[0];
    while (value) {
        const fxi_hlo_op *only = order_of(o, value);
        if (only) return add_key(o, only);
        value = next_key(o, value);
    }
    return false;
}

/* The keys in front, as fx_sort_many wants them, and the results back in their places. */
static bool sort_by_keys(fxi_hlo_import *im, const fxi_hlo_op *op, const order *o, int axis,
                         fx_node *const *in, fx_node **out) {
    size_t n = op->n_operands, filled = 0;
    size_t *places = fxi_arena_alloc(im->arena, n, sizeof *places);
    bool *is_key = fxi_arena_alloc(im->arena, n, sizeof *is_key);
    fx_node **sorted = fxi_arena_alloc(im->arena, 2 * n, sizeof *sorted);
    if (!places || !is_key || !sorted) return fxi_hlo_no_memory(im);
    for (size_t i = 0; i < o->n_keys; i++) is_key[places[filled++] = o->keys[i]] = true;
    for (size_t i = 0; i < n; i++)
        if (!is_key[i]) places[filled++] = i;
    for (size_t i = 0; i < n; i++) sorted[n + i] = in[places[i]];
    fx_sort_many((fx_nodes){sorted + n, n}, o->n_keys, axis, o->ascending, sorted);
    for (size_t i = 0; i < n; i++) out[places[i]] = sorted[i];
    return true;
}

static bool rule_sort(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    order o = {.module = im->module, .region = op->regions[0]};
    int64_t axis;
    FX_TRY(fxi_hlo_attr_int_or(im, op, "dimension", -1, &axis));
    if (op->n_operands == 0 || op->n_results != op->n_operands ||
        o.region->n_arguments != 2 * op->n_operands || axis < -FX_MAX_RANK || axis > FX_MAX_RANK)
        return fxi_hlo_wrong(im, op->place, "%zu operands, %zu results and %zu arguments along axis %lld",
                             op->n_operands, op->n_results, o.region->n_arguments, (long long)axis);
    if (read_order(&o)) return sort_by_keys(im, op, &o, (int)axis, in, out);
    fxi_hlo_closure closure = {.im = im, .region = o.region};
    fx_sort_func(fxi_hlo_closure_fn, &closure, (int)axis, (fx_nodes){in, op->n_operands}, out);
    return im->err->code == FX_OK;
}

static const fxi_hlo_row rows[] = {{"stablehlo.sort", FXI_HLO_ANY, FXI_HLO_ANY, 1, rule_sort}};
const fxi_hlo_table fxi_hlo_sorting = FXI_HLO_TABLE(rows);
