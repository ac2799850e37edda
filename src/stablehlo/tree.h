/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax tree of an MLIR module of StableHLO: what parse_*.c make of text and import_*.c read.
 *
 * One form for both syntaxes: whatever the pretty form of an operation says (dims = [0], across dimensions,
 * applies stablehlo.add, ...) is put under the generic form's attribute names and regions, so that import
 * knows only the generic one. Names are resolved: operands point at values. Everything lives in one arena.
 * Texts are spans into the source, which the tree keeps a copy of, or into the arena. */
#ifndef FXI_STABLEHLO_TREE_H
#define FXI_STABLEHLO_TREE_H

#include "tensor/tensor.h"

enum { FXI_HLO_MOST_NESTING = 1000 }; /* regions, attributes and types within one another */

typedef struct fxi_hlo_place {
    uint32_t line, column; /* from 1, columns in bytes; 0: no place in the text */
    size_t offset;         /* into the source */
} fxi_hlo_place;
typedef struct fxi_hlo_span {
    const char *at; /* not terminated */
    size_t length;
} fxi_hlo_span;

/* ---- types: those of a tree are one pointer when they are equal, but for encodings that nobody reads
 * ---- */
typedef enum fxi_hlo_type_kind {
    FXI_HLO_TENSOR, /* static or dynamic */
    FXI_HLO_TUPLE,
    FXI_HLO_TOKEN,
    FXI_HLO_FUNCTION,
    FXI_HLO_NONE,
    FXI_HLO_SCALAR, /* i64, f32, index (as S64) outside tensors */
    FXI_HLO_OTHER   /* !quant..., unranked tensors, element types that are not ours: the text says which */
} fxi_hlo_type_kind;
typedef struct fxi_hlo_type {
    fxi_hlo_type_kind kind;
    fx_shape shape; /* TENSOR (valid unless dynamic), SCALAR: rank 0 */
    bool dynamic;   /* a `?` among the dimensions (0 in shape): import refuses it, naming the place */
    const struct fxi_hlo_type *const *parts; /* TUPLE; FUNCTION: inputs */
    size_t n_parts;
    const struct fxi_hlo_type *const *results; /* FUNCTION */
    size_t n_results;
    fxi_hlo_span text; /* as written at its first place */
} fxi_hlo_type;

/* ---- attributes ---- */
typedef enum fxi_hlo_attr_kind {
    FXI_HLO_ATTR_INT,
    FXI_HLO_ATTR_FLOAT,
    FXI_HLO_ATTR_BOOL,
    FXI_HLO_ATTR_STRING,
    FXI_HLO_ATTR_UNIT,
    FXI_HLO_ATTR_SYMBOL, /* @name; nested @a::@b: the last */
    FXI_HLO_ATTR_WORD,   /* #stablehlo<comparison_type FLOAT>: the word FLOAT; bare words of pretty forms */
    FXI_HLO_ATTR_LIST,   /* [a, b] */
    FXI_HLO_ATTR_DICT,   /* {a = 1}; #stablehlo.scatter<a = 1, ...>, .gather, .dot, .channel_handle, ... */
    FXI_HLO_ATTR_INTS,   /* array<i64: ...>, array<i1: ...> (0 and 1), dimension lists of pretty forms */
    FXI_HLO_ATTR_DENSE,  /* dense<...> : tensor<...>; also array<f32: ...>, whose type is a tensor's */
    FXI_HLO_ATTR_CONV,   /* #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]> */
    FXI_HLO_ATTR_TYPE,
    FXI_HLO_ATTR_OPAQUE /* #other.x<...>, affine_map<...>, loc(...): skipped, the text as written */
} fxi_hlo_attr_kind;

struct fxi_hlo_attr;
typedef struct fxi_hlo_entry {
    fxi_hlo_span name;
    const struct fxi_hlo_attr *value;
} fxi_hlo_entry;
typedef struct fxi_hlo_dict {
    const fxi_hlo_entry *v; /* in the order written, no name twice */
    size_t n;
} fxi_hlo_dict;
/* Dimension numbers of a convolution: for each of input, kernel, output the axes by meaning, as attributes
 * INPUT_LAYOUT, KERNEL_LAYOUT and OUTPUT_LAYOUT want them: (batch, feature, spatial...), kernel (output
 * feature, input feature, spatial...). */
typedef struct fxi_hlo_conv {
    int64_t input[FX_MAX_RANK], kernel[FX_MAX_RANK], output[FX_MAX_RANK];
    int rank;
} fxi_hlo_conv;

typedef struct fxi_hlo_attr {
    fxi_hlo_attr_kind kind;
    fxi_hlo_place place;
    const fxi_hlo_type *type; /* of INT, FLOAT, DENSE; NULL: none was written */
    fxi_hlo_span text;        /* STRING (escapes undone), SYMBOL, WORD, OPAQUE; what stands between the < >
                               * of a DENSE */
    union {
        int64_t i;    /* INT (64 unsigned bits as the same bits), BOOL */
        double f;     /* FLOAT */
        fx_dims ints; /* INTS */
        struct {
            const struct fxi_hlo_attr *const *v;
            size_t n;
        } list;
        fxi_hlo_dict dict;
        const fxi_hlo_conv *conv; /* CONV */
        const fxi_hlo_type *of; /* TYPE */
    } u;
} fxi_hlo_attr;

/* ---- operations ---- */
struct fxi_hlo_op;
typedef struct fxi_hlo_value {
    const fxi_hlo_type *type;
    uint32_t id;           /* dense numbering in the function: import keeps an array of nodes by it */
    fxi_hlo_span name;     /* %x, without the sign; results of `%x:2` share it */
    fxi_hlo_span location; /* of an argument: what stands in its loc(...), see fxi_hlo_location_name */
    fxi_hlo_place place;
} fxi_hlo_value;

typedef struct fxi_hlo_region { /* one block: more are refused */
    fxi_hlo_value *const *arguments;
    size_t n_arguments;
    struct fxi_hlo_op *const *ops; /* the last is the terminator; 0 ops: the region is empty */
    size_t n_ops;
} fxi_hlo_region;

typedef struct fxi_hlo_op {
    fxi_hlo_span name; /* "stablehlo.add", "func.call", "func.return", "check.expect_eq"; all as written */
    fxi_hlo_place place;
    fxi_hlo_value *const *operands;
    size_t n_operands;
    fxi_hlo_value *const *results;
    size_t n_results;
    fxi_hlo_region *const *regions;
    size_t n_regions;
    fxi_hlo_dict attrs;    /* <{...}> and {...} together */
    fxi_hlo_span location; /* as of a value */
} fxi_hlo_op;

typedef struct fxi_hlo_function {
    fxi_hlo_span name;
    fxi_hlo_place place;
    bool is_private, is_declaration /* no body */;
    fxi_hlo_region *body;               /* of a declaration: arguments only */
    const fxi_hlo_dict *argument_attrs; /* one per argument */
    const fxi_hlo_type *const *results;
    const fxi_hlo_dict *result_attrs;
    size_t n_results;
    uint32_t n_values;  /* of all regions: ids are below it */
    size_t number;      /* among the functions of the module */
    fxi_hlo_dict attrs; /* without its name, type and visibility */
} fxi_hlo_function;

typedef struct fxi_hlo_module {
    fxi_arena arena;
    const char *source; /* terminated, but may hold zeros */
    size_t source_length;
    const char *file; /* for messages */
    fxi_hlo_span name;
    fxi_hlo_dict attrs;
    fxi_hlo_function *const *functions; /* no name twice */
    size_t n_functions;
    const fxi_hlo_op *const *others; /* sdy.mesh and what else stands at module level */
    size_t n_others;
    fxi_map functions_by_name; /* of fxi_hlo_function */
    fxi_map locations_by_name; /* #loc1 = loc(...): entries whose text is what stands in the brackets */
} fxi_hlo_module;

/* The whole text, one module (`module {...}` or bare functions); `file` is its name in messages, NULL
 * "stablehlo". NULL with FX_ERROR_FILE, "file:line:col: what", the line itself and a caret under the place;
 * FX_ERROR_MEMORY. Nesting beyond FXI_HLO_MOST_NESTING is an error; every count and size is checked. Any
 * thread. */
fxi_hlo_module *fxi_hlo_parse(const char *text, size_t length, const char *file, fx_error *err);
void fxi_hlo_free(fxi_hlo_module *module); /* NULL-safe */

/* Fails with FX_ERROR_FILE at a place: "file:line:col: message\n  line\n  ^". Returns false. */
bool fxi_hlo_fail(const fxi_hlo_module *module, fxi_hlo_place place, fx_error *err, const char *format, ...)
    FXI_PRINTF(4, 5);
/* The same with FX_ERROR_UNSUPPORTED: legal text that import does not take. */
bool fxi_hlo_refuse(const fxi_hlo_module *module, fxi_hlo_place place, fx_error *err,
                    const char *format, ...) FXI_PRINTF(4, 5);
/* A place by its offset: for messages about the inside of an attribute's text. */
fxi_hlo_place fxi_hlo_place_at(const fxi_hlo_module *module, size_t offset);

/* ---- looking things up ---- */
const fxi_hlo_attr *fxi_hlo_find(const fxi_hlo_dict *dict, const char *name); /* NULL: none */
/* NULL: none */
const fxi_hlo_function *fxi_hlo_find_function(const fxi_hlo_module *module, fxi_hlo_span name);
bool fxi_hlo_span_is(fxi_hlo_span span, const char *text);
bool fxi_hlo_span_equal(fxi_hlo_span a, fxi_hlo_span b);
/* "%.*s" of a span in a message: FXI_HLO_TEXT(span) are the two arguments; long ones are cut. */
#define FXI_HLO_TEXT(span) (int)((span).length < 100 ? (span).length : 100), (span).at
bool fxi_hlo_type_equal(const fxi_hlo_type *a, const fxi_hlo_type *b);
/* The name a location gives: the string of "x" or "x"(...), through the module's aliases; empty: none, or
 * the place in a file. */
fxi_hlo_span fxi_hlo_location_name(const fxi_hlo_module *module, fxi_hlo_span location);

/* ---- constants (parse_dense.c) ---- */
/* Elements of a DENSE as a new tensor of the type of the attribute (splat, nested lists, hex; no strings;
 * i1 hex both ways; complex pairs; hex bit patterns; empty). A splat of more than FXI_HLO_MOST_SPLAT bytes
 * is refused with FX_ERROR_MEMORY: ask fxi_hlo_dense_splat first. */
enum { FXI_HLO_MOST_SPLAT = 1 << 26 };
fx_tensor *fxi_hlo_dense(const fxi_hlo_module *module, const fxi_hlo_attr *attr, fx_error *err);
/* Whether all elements are one number written once; then *scalar, if asked for, is a new tensor of rank 0. */
bool fxi_hlo_dense_is_splat(const fxi_hlo_attr *attr);
fx_tensor *fxi_hlo_dense_splat(const fxi_hlo_module *module, const fxi_hlo_attr *attr, fx_error *err);
/* INTS, LIST of INT or BOOL, or DENSE of integers or bools (any rank; a splat repeated) as int64s in
 * row-major order, in `arena`. At most 2^20 of them. */
bool fxi_hlo_ints(const fxi_hlo_module *module, const fxi_hlo_attr *attr, fxi_arena *arena, fx_dims *ints,
                  fx_error *err);
#endif
