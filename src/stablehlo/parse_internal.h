/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the parser share.
 *
 * There is no separate lexer: MLIR's tokens depend on where they stand (`2x3xf32` is a list of dimensions
 * in a type, `e5m10` a word, `0x10` a number), so each function scans the bytes it wants at p->at. The text
 * ends in a zero and holds no other, so scanning needs no other end. All functions return false or NULL
 * after having recorded why in p->err; the first failure ends everything. Nothing recurses on nesting:
 * types, attributes and regions have stacks of their own here. */
#ifndef FXI_STABLEHLO_PARSE_INTERNAL_H
#define FXI_STABLEHLO_PARSE_INTERNAL_H

#include "stablehlo/tree.h"

/* A name of values: %x is one value, %x:3 are three. */
typedef struct fxi_hlo_binding {
    fxi_hlo_span name;
    uint64_t hash;
    fxi_hlo_value *const *values;
    size_t n;
} fxi_hlo_binding;

/* A name before `=`, or an argument of a region before the region is open. */
typedef struct fxi_hlo_named {
    fxi_hlo_span name, location;
    fxi_hlo_place place;
    const fxi_hlo_type *type; /* NULL for results, whose types come later */
    size_t n;                 /* of %x:n */
} fxi_hlo_named;
typedef struct fxi_hlo_nameds {
    const fxi_hlo_named *v;
    size_t n;
} fxi_hlo_nameds;

typedef struct fxi_hlo_parser fxi_hlo_parser;
struct fxi_hlo_form;

/* An operation that has regions, while one of them is being read. */
typedef struct fxi_hlo_frame {
    fxi_hlo_op *op;                  /* NULL: the module, or a function */
    fxi_hlo_function *function;      /* of a function's body */
    fxi_hlo_nameds names;            /* of the operation's results */
    const struct fxi_hlo_form *form; /* of a pretty form */
    fxi_hlo_nameds arguments;        /* of while: those of the second region too */
    fxi_hlo_region *region;          /* that is open; NULL: the module */
    size_t first_op, first_binding, first_region;
    /* reads what follows the closing brace: opens another region, or finishes the operation and leaves */
    bool (*resume)(fxi_hlo_parser *p);
} fxi_hlo_frame;

typedef struct fxi_hlo_type_level {
    enum { FXI_HLO_LEVEL_TUPLE, FXI_HLO_LEVEL_INPUTS, FXI_HLO_LEVEL_RESULTS, FXI_HLO_LEVEL_RESULT } kind;
    const char *begin;
    size_t first;                      /* of its items */
    const fxi_hlo_type *const *inputs; /* of a function type whose results are being read */
    size_t n_inputs;
} fxi_hlo_type_level;

typedef struct fxi_hlo_attr_level {
    fxi_hlo_attr *attr; /* LIST or DICT */
    size_t first;       /* of its entries */
    char close;
    fxi_hlo_span name; /* of the entry whose value is read; empty in lists */
} fxi_hlo_attr_level;

struct fxi_hlo_parser {
    fxi_hlo_module *module;
    fx_error *err;
    const char *at;
    /* lines counted so far: place_of counts on from there */
    const char *counted, *line_begin;
    uint32_t line;
    fxi_map types, unique;              /* simple types by their text; all by what they are */
    fxi_map attr_aliases, type_aliases; /* fxi_hlo_entry, fxi_hlo_named */
    const fxi_hlo_type *i64, *i32;
    uint32_t next_id;
    fxi_map bindings_by_name;
    FXI_VEC(fxi_hlo_binding *) bindings; /* in scope, innermost last */
    FXI_VEC(fxi_hlo_frame) frames;
    /* stacks of what is being collected */
    FXI_VEC(fxi_hlo_op *) ops;
    FXI_VEC(fxi_hlo_region *) regions;
    FXI_VEC(fxi_hlo_value *) operands;
    FXI_VEC(fxi_hlo_named) names;
    FXI_VEC(fxi_hlo_entry) entries;
    FXI_VEC(const fxi_hlo_type *) type_items;
    FXI_VEC(fxi_hlo_type_level) type_levels;
    FXI_VEC(fxi_hlo_attr_level) attr_levels;
    FXI_VEC(int64_t) ints;
    FXI_VEC(fxi_hlo_function *) functions;
    FXI_VEC(const fxi_hlo_op *) others;
    bool module_is_open, module_is_done; /* `module` was read; its closing brace was */
    bool module_is_generic;
};

/* Items of a growing array from an index on; where there are none there is no pointer to add to. */
#define FXI_FROM(v, index) ((v).data ? (v).data + (index) : NULL)

/* ---- scanning (parse_scan.c) ---- */
/* What words are made of. */
static inline bool fxi_mlir_is_word_byte(char c) {
    char lower = (char)(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}
void fxi_mlir_skip_comment(fxi_hlo_parser *p);
/* The next byte that is no space and in no comment; 0 at the end. */
static inline char fxi_mlir_peek(fxi_hlo_parser *p) {
    for (;;) {
        while (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t') p->at++;
        if (*p->at != '/' || p->at[1] != '/') return *p->at;
        fxi_mlir_skip_comment(p);
    }
}
fxi_hlo_place fxi_mlir_place_of(fxi_hlo_parser *p, const char *at);
fxi_hlo_place fxi_mlir_here(fxi_hlo_parser *p);                                   /* of what comes next */
bool fxi_mlir_error(fxi_hlo_parser *p, const char *format, ...) FXI_PRINTF(2, 3); /* at what comes next */
bool fxi_mlir_error_at(fxi_hlo_parser *p, fxi_hlo_place place, const char *format, ...) FXI_PRINTF(3, 4);
bool fxi_mlir_expected(fxi_hlo_parser *p, const char *what); /* "expected WHAT, found ..." */
bool fxi_mlir_no_memory(fxi_hlo_parser *p);
/* Zeroed, in the module's arena; NULL was recorded. */
void *fxi_mlir_new(fxi_hlo_parser *p, size_t count, size_t size);
void *fxi_mlir_keep(fxi_hlo_parser *p, const void *items, size_t count, size_t size);
bool fxi_mlir_eat(fxi_hlo_parser *p, const char *sign); /* no error: whether it was there */
bool fxi_mlir_expect(fxi_hlo_parser *p, const char *sign);
bool fxi_mlir_eat_word(fxi_hlo_parser *p, const char *word);
bool fxi_mlir_expect_word(fxi_hlo_parser *p, const char *word);
bool fxi_mlir_next_is_word(fxi_hlo_parser *p, const char *word);
fxi_hlo_span fxi_mlir_word(fxi_hlo_parser *p); /* letters, digits, _ $ . ; empty: none, no error */
bool fxi_mlir_read_word(fxi_hlo_parser *p, const char *what, fxi_hlo_span *word);
bool fxi_mlir_read_int(fxi_hlo_parser *p, int64_t *value);
bool fxi_mlir_read_string(fxi_hlo_parser *p, fxi_hlo_span *text);
bool fxi_mlir_read_symbol(fxi_hlo_parser *p, fxi_hlo_span *name);
/* From a bracket to its partner, both in *text. */
bool fxi_mlir_skip_balanced(fxi_hlo_parser *p, fxi_hlo_span *text);
bool fxi_mlir_skip_location(fxi_hlo_parser *p, fxi_hlo_span *location); /* if there is one; NULL allowed */

/* ---- numbers (parse_number.c) ---- */
/* Bytes of the number that begins at `at`: digits, sign, fraction, exponent, or 0x and digits; 0: none. */
size_t fxi_mlir_number_length(const char *at, const char *end, bool *is_float);
/* Decimal or hexadecimal; 64 unsigned bits, *negative apart. False: it does not fit. */
bool fxi_mlir_number_bits(fxi_hlo_span text, uint64_t *bits, bool *negative, bool *hex);
/* Rounded once to a double. False: too long or too large. */
bool fxi_mlir_number_double(fxi_hlo_span text, double *value);

/* ---- types (parse_type.c) ---- */
const fxi_hlo_type *fxi_mlir_read_type(fxi_hlo_parser *p);
bool fxi_mlir_define_type(fxi_hlo_parser *p); /* !name = type */
const fxi_hlo_type *fxi_mlir_scalar_type(fxi_hlo_parser *p, fx_dtype dtype);
const fxi_hlo_type *fxi_mlir_unique_type(fxi_hlo_parser *p,
                                         const fxi_hlo_type *type); /* a copy that stays */

/* ---- attributes (parse_attr.c, parse_attr_leaf.c) ---- */
const fxi_hlo_attr *fxi_mlir_read_attr(fxi_hlo_parser *p);
bool fxi_mlir_define_attr(fxi_hlo_parser *p); /* #name = attribute */
const fxi_hlo_attr *fxi_mlir_find_alias(const fxi_hlo_parser *p, fxi_hlo_span name);
/* {...} if there is one: its entries onto p->entries. */
bool fxi_mlir_read_attr_dict(fxi_hlo_parser *p);
bool fxi_mlir_add_entry(fxi_hlo_parser *p, const char *name, const fxi_hlo_attr *value);
/* The entries from `first` on as a dictionary, taken off p->entries; no name may stand twice. */
bool fxi_mlir_take_dict(fxi_hlo_parser *p, size_t first, fxi_hlo_dict *dict);
fxi_hlo_attr *fxi_mlir_new_attr(fxi_hlo_parser *p, fxi_hlo_attr_kind kind, fxi_hlo_place place);
/* What is neither a list nor a dictionary. A dialect's `<a = 1, ...>` opens one: then *open is set. */
fxi_hlo_attr *fxi_mlir_read_leaf(fxi_hlo_parser *p, bool *open);
/* [1, 2], [true, false], or lists of two, [[1, 2], [3, 4]]: INTS */
fxi_hlo_attr *fxi_mlir_read_ints(fxi_hlo_parser *p, bool pairs);
fxi_hlo_attr *fxi_mlir_read_conv(fxi_hlo_parser *p); /* [b, 0, f]x[0, i, o]->[b, 0, f] */
bool fxi_mlir_skip_attr_value(fxi_hlo_parser *p,
                              fxi_hlo_span *text); /* up to a comma or a closing bracket */

/* ---- constants (parse_dense.c) ---- */
/* Whether the content of a DENSE fits its type, without making a tensor. */
bool fxi_mlir_check_dense(const fxi_hlo_module *module, const fxi_hlo_attr *attr, fx_error *err);

/* ---- values (parse_value.c) ---- */
bool fxi_mlir_read_value_name(fxi_hlo_parser *p, fxi_hlo_span *name);
bool fxi_mlir_read_operand(fxi_hlo_parser *p);  /* onto p->operands */
bool fxi_mlir_read_operands(fxi_hlo_parser *p); /* none or several, with commas between */
/* The operands from `first` on belong to the operation and leave p->operands. */
bool fxi_mlir_take_operands(fxi_hlo_parser *p, size_t first, fxi_hlo_op *op);
/* Makes values of names, in scope from now on; types in order, as many as the names stand for. */
bool fxi_mlir_bind_results(fxi_hlo_parser *p, fxi_hlo_nameds names, const fxi_hlo_type *const *types,
                           size_t n, fxi_hlo_op *op);
bool fxi_mlir_bind_arguments(fxi_hlo_parser *p, fxi_hlo_nameds names, fxi_hlo_region *region);
void fxi_mlir_close_scope(fxi_hlo_parser *p, size_t first_binding);
/* (%a: T loc(..), %b: T), with or without the brackets' attributes. */
bool fxi_mlir_read_argument(fxi_hlo_parser *p); /* %a: T onto p->names */
bool fxi_mlir_take_names(fxi_hlo_parser *p, size_t first, fxi_hlo_nameds *names);

/* ---- operations (parse_op.c) ---- */
bool fxi_mlir_read_operation(fxi_hlo_parser *p);
/* Attributes from p->entries (first_entry on) are added to those that the operation has. */
bool fxi_mlir_take_attrs(fxi_hlo_parser *p, size_t first_entry, fxi_hlo_op *op);
/* `(T, U) -> V` for the operands and results; checks the operands' types and binds the results. */
bool fxi_mlir_read_signature(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names);
bool fxi_mlir_check_operands(fxi_hlo_parser *p, const fxi_hlo_op *op, const fxi_hlo_type *const *types,
                             size_t n, fxi_hlo_place place);
/* A location if there is one, and the operation joins its region. */
bool fxi_mlir_finish_operation(fxi_hlo_parser *p, fxi_hlo_op *op);
/* Reads `{` and makes the region that of the frame, which is the newest one. */
bool fxi_mlir_open_region(fxi_hlo_parser *p, fxi_hlo_nameds arguments);
bool fxi_mlir_push_frame(fxi_hlo_parser *p, fxi_hlo_frame frame);
static inline fxi_hlo_frame *fxi_mlir_top(fxi_hlo_parser *p) {
    return &p->frames.data[p->frames.count - 1];
}
fxi_hlo_frame fxi_mlir_pop_frame(fxi_hlo_parser *p); /* with its regions given to its operation */

bool fxi_mlir_close_region(fxi_hlo_parser *p);
bool fxi_mlir_take_regions(fxi_hlo_parser *p, size_t first, fxi_hlo_op *op);
/* After the name (parse_pretty.c). */
bool fxi_mlir_read_pretty(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names);

/* ---- functions and the module (parse_function.c, parse.c) ---- */
bool fxi_mlir_read_function(fxi_hlo_parser *p, fxi_hlo_place place);
/* A func.func in the generic form becomes a function. */
bool fxi_mlir_function_of_op(fxi_hlo_parser *p, fxi_hlo_op *op);
bool fxi_mlir_add_function(fxi_hlo_parser *p, fxi_hlo_function *function);
bool fxi_mlir_read_module(fxi_hlo_parser *p, fxi_hlo_place place);
bool fxi_mlir_read_generic_module(fxi_hlo_parser *p, fxi_hlo_place place);
#endif
