/* SPDX-License-Identifier: Apache-2.0 */
/* The case runner: one JSON file of small programs with their inputs and results, run through the public
 * API.
 *
 * A case goes file -> struct test_case (case_json.c, case_tensor.c) -> tree of the program (case_lex.c,
 * case_parse.c) -> nodes (case_eval.c finds the row of case_ops.c and binds its arguments) -> executable
 * -> comparison (case_run.c, case_compare.c) -> verdict, which cases_main.c counts and case_expect.c holds
 * against the lists. Everything that belongs to one case lives in one arena. The files are foreign input:
 * sizes and depths have the limits below, and what is beyond them is an error with a message. */
#ifndef TESTS_CASES_H
#define TESTS_CASES_H

#include <fluxion/exec.h>
#include <fluxion/ops.h>

enum {
    CASE_MAX_FILE = 1 << 28,     /* bytes of a file */
    CASE_MAX_PROGRAM = 1 << 16,  /* bytes of a program */
    CASE_MAX_DEPTH = 64,         /* nesting of a program's expressions, and of lambdas calling lambdas */
    CASE_MAX_STEPS = 1 << 18,    /* expressions evaluated in one program */
    CASE_MAX_ELEMENTS = 1 << 24, /* of one tensor */
    CASE_MAX_VALUES = 1 << 12,   /* inputs, outputs, items of a list, parts of a split */
    CASE_MAX_ARGS = 24           /* parameters of an operation */
};

/* ---- case_arena.c: memory of one case ---- */

struct arena {
    struct arena_block *blocks;
};

/* Zeroed and aligned; NULL when there is no memory. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);
char *arena_text(struct arena *arena, const char *start, size_t n);
void arena_free(struct arena *arena);

/* A message of the runner itself, cut where it does not fit. */
struct message {
    char s[600];
};
void message_set(struct message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- case_json.c, case_tensor.c: cases of a file ---- */

enum case_stage { STAGE_NONE = 0, STAGE_BUILD, STAGE_EXEC };

struct case_tensor {
    const char *name; /* of an input */
    fx_shape shape;
    fx_tensor *tensor; /* NULL: an output of which only the shape is stated */
};

struct test_case {
    const char *id;
    const char *category;
    const char *program;
    struct case_tensor *inputs, *outputs;
    size_t n_inputs, n_outputs;
    double tol, rtol;
    enum case_stage error_stage; /* STAGE_NONE: has outputs */
    bool convention;
};

struct json_object;

struct case_file {
    struct json_object *root;
    size_t count;
};

bool case_file_open(struct case_file *file, const char *path, struct message *why);
void case_file_close(struct case_file *file);
/* Case number `index`; its strings live as long as the file. Free the tensors with test_case_clear, also
 * after a failure, in which only the id may be known. */
bool case_file_read(const struct case_file *file, size_t index, struct arena *arena, struct test_case *test,
                    struct message *why);
void test_case_clear(struct test_case *test);

/* A number of a file or a program. */
struct number {
    bool is_int;
    int64_t i; /* when is_int; of uint64 its 64 bits */
    double f;  /* always */
};
/* Stores a number as element `index`; a complex tensor has two numbers an element, real first. False when
 * an integer does not fit the dtype. */
bool case_tensor_store(fx_tensor *tensor, int64_t index, struct number number);
/* The tensor of a JSON value (an array of fx_shape_size numbers). */
fx_tensor *case_tensor_read(const fx_shape *shape, const struct json_object *data, struct message *why);

/* ---- case_lex.c, case_parse.c: programs ---- */

enum token_kind {
    TOKEN_END = 0,
    TOKEN_NAME,   /* letters, digits, underscores, dots inside */
    TOKEN_NUMBER, /* with its sign */
    TOKEN_STRING, /* without its quotes */
    TOKEN_MARK    /* one of ( ) [ ] , ; : = */
};

struct token {
    enum token_kind kind;
    size_t at, n; /* place in the program */
    char mark;
};

/* The token at or after *at, which moves behind it. */
bool case_lex(const char *program, size_t *at, struct token *token, struct message *why);

enum tree_kind {
    TREE_NUMBER,
    TREE_STRING,
    TREE_NAME,
    TREE_LIST,   /* first: the items */
    TREE_CALL,   /* text: whom; first: the arguments, with keyword where named */
    TREE_INDEX,  /* first: of what, and by what */
    TREE_LAMBDA, /* names: parameters; first: the body */
    TREE_ASSIGN, /* names: targets; first: the value */
    TREE_RETURN  /* first: the results */
};

struct tree_name {
    const char *text;
    struct tree_name *next;
};

struct tree {
    enum tree_kind kind;
    size_t at; /* place in the program */
    const char *text;
    const char *keyword;
    struct number number;
    struct tree_name *names;
    struct tree *first; /* children, linked by next */
    struct tree *next;
};

/* The statements, linked by next; the last one is the only return. */
struct tree *case_parse(const char *program, struct arena *arena, struct message *why);

/* ---- case_eval.c: values and evaluation ---- */

enum value_kind {
    VALUE_NONE = 0,
    VALUE_BOOL,
    VALUE_NUMBER,
    VALUE_STRING,
    VALUE_DTYPE,
    VALUE_NODE,
    VALUE_LIST,
    VALUE_LAMBDA,
    VALUE_RANGE
};

/* One axis of a slice; has_end false: to the end. */
struct axis_range {
    int64_t start, end, stride;
    bool has_end, is_element, spacer;
};

struct value {
    enum value_kind kind;
    union {
        bool b;
        struct number number;
        const char *s;
        fx_dtype dtype;
        fx_node *node;
        struct {
            struct value **v;
            size_t n;
        } list;
        struct {
            const struct tree *tree;
            struct binding *env;
        } lambda;
        struct axis_range range;
    } u;
};

struct binding {
    const char *name;
    struct value *value;
    struct binding *outer;
};

struct eval {
    struct arena *arena;
    fx_graph *graph;
    struct binding *env;
    struct message error;
    bool unsupported; /* the error is something that the library lacks; its name is the message */
    int depth;
    int steps;
};

/* Runs a program in `graph`, whose parameters are bound to the inputs' names, and gives its results,
 * spliced into one list of nodes. NULL: see eval->error; violations that the builders find are kept in the
 * graph instead. */
struct value *case_eval(struct eval *eval, const struct tree *program);
/* A lambda's result for these values. */
struct value *case_eval_lambda(struct eval *eval, const struct value *lambda, struct value *const *args,
                               size_t n);
/* NULL, with eval->error set (the first one stays). */
struct value *case_eval_fail(struct eval *eval, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
struct value *case_value_new(struct eval *eval, enum value_kind kind);
struct value *case_value_node(struct eval *eval, fx_node *node);
struct value *case_value_nodes(struct eval *eval, fx_node *const *nodes, size_t n);

/* ---- case_bind.c, case_ops*.c: operations ---- */

struct op;
typedef struct value *op_fn(struct eval *eval, const struct op *op, struct value *const *args);

/* One operation: the name programs use, its parameters, what calls the builder, and the builder. A
 * signature has one word a parameter, "type:name" with "?" when it may be absent or None (its argument is
 * then NULL):
 *   n node     l list of nodes   i integer   f number   d dtype   s string   b bool
 *   a list of integers, or one   L lambda    v anything
 * A last word with "*" at its end takes all positional arguments that are left, as a list. */
struct op {
    const char *name;
    const char *signature;
    op_fn *apply;
    union {
        fx_node *(*unary)(fx_node *);
        fx_node *(*binary)(fx_node *, fx_node *);
        fx_node *(*ternary)(fx_node *, fx_node *, fx_node *);
        fx_node *(*shift)(fx_node *, int64_t);
        fx_node *(*axes)(fx_node *, fx_axes);
        fx_node *(*dims)(fx_node *, fx_dims);
        fx_node *(*shaped)(fx_graph *, const fx_shape *);
        fx_node *(*axis)(fx_node *, int, fx_dtype);
        fx_node *(*list)(fx_nodes, int);
        fx_node *(*dtype)(fx_node *, fx_dtype);
        fx_node *(*segment)(fx_node *, fx_node *, int64_t);
        fx_node *(*along)(fx_node *, fx_node *, int);
        fx_node *(*running)(fx_node *, int);
        fx_node *(*masked)(fx_node *, fx_node *, fx_axes);
        fx_node *(*square)(fx_graph *, int64_t);
        struct {
            fx_node *(*real)(fx_node *, double);
            fx_node *(*whole)(fx_node *, int64_t);
        } number;
    } call;
};

/* Rows of the other files. */
struct op_table {
    const struct op *v;
    size_t n;
};
extern const struct op_table case_ops_index;
extern const struct op_table case_ops_sort;
extern const struct op_table case_ops_control;
extern const struct op_table case_ops_window;
extern const struct op_table case_ops_fft;
extern const struct op_table case_ops_composite;
extern const struct op_table case_ops_einsum;
extern const struct op_table case_ops_conv;
extern const struct op_table case_ops_attention;
extern const struct op_table case_ops_grad;
extern const struct op_table case_ops_random;
extern const struct op_table case_ops_quant;
extern const struct op_table case_ops_nn;
/* NULL: the library has no such operation, or no row here names it. */
const struct op *case_op_find(const char *name);
/* Row number `index`; NULL past the end. */
const struct op *case_op_at(size_t index);
/* Arguments in the order of the signature, checked against it. */
bool case_bind(struct eval *eval, const struct op *op, const struct tree *call, struct value *const *given,
               struct value **args);

/* Arguments as C values; the spans live in the arena. Absent ones: none, and the default. */
fx_axes case_arg_axes(struct eval *eval, const struct value *value);
fx_dims case_arg_dims(struct eval *eval, const struct value *value);
fx_nodes case_arg_nodes(struct eval *eval, const struct value *value);
fx_shape case_arg_shape(struct eval *eval, const struct value *dtype, const struct value *dims);
int case_arg_int(const struct value *value, int otherwise);
fx_node *case_arg_node(const struct value *value);

/* What every row of a reduction has for `apply`. */
op_fn case_op_reduce;
/* Rows that need code of their own: case_ops_special.c. */
op_fn case_op_const, case_op_infinity, case_op_fill_scalar, case_op_iota, case_op_slice, case_op_axis_range,
    case_op_axis_elem, case_op_backend_slice, case_op_slice_axis, case_op_split, case_op_dot_general,
    case_op_dot_product, case_op_clip_scalar, case_op_nan_to_num, case_op_reduce_precision,
    case_op_broadcast_in_dim, case_op_expand_and_broadcast, case_op_broadcast_to_shape,
    case_op_reduce_and_keep, case_op_transpose, case_op_expand_left;

/* ---- case_run.c, case_compare.c, case_expect.c ---- */

enum verdict { VERDICT_PASSED = 0, VERDICT_FAILED, VERDICT_UNSUPPORTED };

/* True when equal within the case's tolerance; else says where and how not. */
bool case_compare(const struct test_case *test, size_t output, const fx_tensor *got, struct message *why);
/* Runs one case. The message says why it did not pass; of an unsupported one it is the names that the
 * library lacks, separated by spaces. */
enum verdict case_run(const struct test_case *test, struct arena *arena, fx_backend *backend,
                      struct message *why);

/* Committed lists of ids: what is unsupported, what fails, what differs by convention. */
struct expectations;
struct expectations *expectations_open(const char *folder, struct message *why);
/* Prints a complaint and counts it when a case does not end as the lists say. */
void expectations_check(struct expectations *expected, const char *id, enum verdict verdict, const char *why);
/* True when the id stands in the list of conventions. */
bool expectations_is_convention(const struct expectations *expected, const char *id);
/* Complaints so far, after complaining about ids that no case has. */
size_t expectations_finish(struct expectations *expected);
void expectations_free(struct expectations *expected);

#endif
