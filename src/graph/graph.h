/* SPDX-License-Identifier: Apache-2.0 */
/* What src/graph shows to the other folders: nodes, graphs, attributes, the op table and the one way to
 * append a node. */
#ifndef FXI_GRAPH_H
#define FXI_GRAPH_H

#include "tensor/tensor.h"
#include <fluxion/custom.h>
#include <fluxion/graph.h>
#include <fluxion/mesh.h>
#include <stdatomic.h>

typedef enum fx_op {
    FX_OP_INERT = 0, /* stands for a node that a build error prevented; never in a finished graph */
#define FX_OP(id, text, operands, class, work, dtypes, same, shape, gradient, hlo, meaning) FX_OP_##id,
#include "graph/ops.def"
#undef FX_OP
    FX_OP_COUNT
} fx_op;

typedef enum fxi_class {
    FXI_CLASS_LEAF,
    FXI_CLASS_MAP,
    FXI_CLASS_MOVE,
    FXI_CLASS_REDUCE,
    FXI_CLASS_CONTRACT,
    FXI_CLASS_WINDOW,
    FXI_CLASS_INDEX,
    FXI_CLASS_SPECIAL,
    FXI_CLASS_CONTROL,
    FXI_CLASS_RESULT,
    FXI_CLASS_COLLECTIVE
} fxi_class;
typedef enum fxi_work {
    FXI_WORK_NONE,
    FXI_WORK_EXACT,
    FXI_WORK_PLAIN,
    FXI_WORK_DIVIDE,
    FXI_WORK_FUNCTION
} fxi_work;
typedef enum fxi_reduce_kind {
    FXI_SUM,
    FXI_PRODUCT,
    FXI_MAX,
    FXI_MIN,
    FXI_AND,
    FXI_OR,
    FXI_XOR,
    FXI_REDUCE_KINDS
} fxi_reduce_kind;
typedef enum fxi_scan_kind {
    FXI_SCAN_SUM,
    FXI_SCAN_PRODUCT,
    FXI_SCAN_MAX,
    FXI_SCAN_MIN,
    FXI_SCAN_LOGSUMEXP,
    FXI_SCAN_KINDS
} fxi_scan_kind;
typedef enum fxi_scatter_kind {
    FXI_SCATTER_SUM,
    FXI_SCATTER_PRODUCT,
    FXI_SCATTER_MAX,
    FXI_SCATTER_MIN,
    FXI_SCATTER_UPDATE, /* the last in row-major order of the updates stays */
    FXI_SCATTER_KINDS
} fxi_scatter_kind; /* the first four are the fxi_reduce_kind of the same number */
typedef enum fxi_fft_kind {
    FXI_FFT_FORWARD,
    FXI_FFT_INVERSE,
    FXI_FFT_REAL,         /* of real operands, the last axis up to its middle */
    FXI_FFT_INVERSE_REAL, /* undoes it */
    FXI_FFT_KINDS
} fxi_fft_kind;
typedef enum fxi_transpose { /* of a triangular matrix */
    FXI_TRANSPOSE_NONE,
    FXI_TRANSPOSE_PLAIN,
    FXI_TRANSPOSE_ADJOINT,
    FXI_TRANSPOSES
} fxi_transpose;
typedef enum fxi_barrier_mark { /* what a barrier says to reverse mode (src/grad/checkpoint.c) */
    FXI_MARK_NONE,
    FXI_MARK_CHECKPOINT, /* what depends on it is computed again */
    FXI_MARK_KEPT,       /* no longer */
    FXI_MARK_STOPPED     /* derivatives do not pass; without meaning for a backend */
} fxi_barrier_mark;
typedef enum fxi_direction { FXI_EQ, FXI_NE, FXI_LT, FXI_LE, FXI_GT, FXI_GE, FXI_DIRECTIONS } fxi_direction;

#define FXI_MANY (-1)
typedef struct fxi_op_info {
    const char *text; /* "add" */
    const char *hlo;  /* "add"; "" when there is none */
    const char *meaning;
    int operands; /* or FXI_MANY */
    fxi_class op_class;
    fxi_work work;
    uint32_t dtypes; /* bit set 1 << fx_dtype of what operand 0 may be */
    int same;        /* leading operands with equal dtypes */
} fxi_op_info;
const fxi_op_info *fxi_op_info_of(fx_op op); /* never NULL */
static inline bool fxi_op_is_map(fx_op op) {
    return op >= FX_OP_ABS && op <= FX_OP_PHILOX;
}
/* Most operands of a MAP operation. */
enum { FXI_MAP_OPERANDS = 4 };

/* ---- attributes ---- */
typedef enum fxi_attr_id {
#define FX_ATTR(id, text, kind) FXI_ATTR_##id,
#define FX_OP_ATTR(op, attr)
#include "graph/attrs.def"
#undef FX_ATTR
#undef FX_OP_ATTR
    FXI_ATTR_COUNT
} fxi_attr_id;

/* Finished closures, each referenced by the node that has them. */
typedef struct fxi_graphs {
    fx_graph *const *v; /* in a node, memory of its graph */
    size_t n;
} fxi_graphs;

typedef struct fxi_attr {
    fxi_attr_id id;
    union {
        int64_t i;         /* INT, WORD */
        fx_dtype dtype;    /* DTYPE */
        fx_dims ints;      /* INTS; in a node, memory of its graph */
        fx_tensor *tensor; /* TENSOR; a node holds a reference */
        fxi_graphs graphs; /* GRAPHS */
        const fx_custom *custom; /* CUSTOM */
        const char *text;        /* TEXT; in a node, memory of its graph */
    } u;
} fxi_attr;

static inline fxi_attr fxi_attr_int(fxi_attr_id id, int64_t i) {
    fxi_attr a = {.id = id};
    a.u.i = i;
    return a;
}
static inline fxi_attr fxi_attr_ints(fxi_attr_id id, const int64_t *v, size_t n) {
    fxi_attr a = {.id = id};
    a.u.ints = (fx_dims){v, n};
    return a;
}
static inline fxi_attr fxi_attr_graphs(fxi_attr_id id, fx_graph *const *v, size_t n) {
    fxi_attr a = {.id = id};
    a.u.graphs = (fxi_graphs){v, n};
    return a;
}
static inline fxi_attr fxi_attr_dtype(fx_dtype dtype) {
    fxi_attr a = {.id = FXI_ATTR_DTYPE};
    a.u.dtype = dtype;
    return a;
}
bool fxi_attrs_equal(const fx_node *a, const fx_node *b); /* NaN constants by bits */
uint64_t fxi_attrs_hash(const fx_node *node);

/* ---- nodes and graphs ---- */
typedef struct fxi_label {
    const char *text;
    struct fxi_label *next;
} fxi_label;

struct fx_node {
    fx_graph *graph;
    fx_node *const *operands;
    const fxi_attr *attrs;
    const char *file;      /* interned; NULL: not stamped */
    fxi_label *labels;     /* of fx_log_node, in the order of its calls; NULL: none */
    int64_t id;            /* position in graph->nodes: operands of the same graph come before */
    fx_op op;
    uint32_t operand_count, attr_count;
    int line;
    fx_shape shape;       /* of the result, of the first one when there are several */
    const fx_shape *more; /* of the further results, which are reached through RESULT nodes */
    uint32_t more_count;
    bool hidden; /* only the library has it: nothing will ever be differentiated by it */
    bool lowered; /* src/stablehlo: to be written as it is */
    /* Of what a composite was inlined to: its name (interned) and which of them it was; NULL and 0: none. */
    const char *composite;
    uint32_t composite_number;
};

/* A node of an enclosing graph and the parameter through which the closure reads it. */
typedef struct fxi_capture {
    fx_node *outer, *inner;
} fxi_capture;

/* A growing list of nodes. */
typedef FXI_VEC(fx_node *) fxi_nodes;

/* Closures nest at most so deep: what walks them may recurse. */
#define FXI_MAX_NESTING 64

struct fx_graph {
    atomic_int references; /* the owner's, and one for each node and graph that holds it as a closure */
    fx_graph *parent;      /* enclosing graph while a closure's body is being built; else NULL */
    int depth;             /* number of enclosing graphs */
    fxi_arena arena;  /* nodes, operand lists, attributes, labels */
    FXI_VEC(fx_node *) nodes;
    FXI_VEC(fx_node *) parameters;
    fx_node **outputs; /* after finish */
    size_t output_count;
    int64_t unstamped; /* first node that fx_at has not seen */
    fx_graph *body; /* the closure being built inside this graph now; NULL: none */
    FXI_VEC(fx_graph *) bodies; /* every closure built in this graph, referenced: its nodes live on as long */
    FXI_VEC(fxi_capture *) captures; /* in the order of their parameters, which follow the closure's own */
    FXI_VEC(fxi_capture *) copies;   /* constants and iotas of enclosing graphs and their copies here */
    fxi_map captured;                /* both by outer node */
    fx_node inert;  /* what builders return after a violation */
    fx_error error; /* the first violation; code FX_OK: none */
    bool error_stamped;
    bool finished;
};

/* Adds a copy of a label after those the node has; false: no memory. */
bool fxi_node_add_label(fx_node *node, const char *text);
/* The same for all labels of another node. */
bool fxi_node_add_labels(fx_node *node, const fx_node *from);
/* Attribute of a node; the node must carry it (asserted). */
const fxi_attr *fxi_node_attr(const fx_node *node, fxi_attr_id id);
static inline int64_t fxi_node_int(const fx_node *node, fxi_attr_id id) {
    return fxi_node_attr(node, id)->u.i;
}
static inline fx_dims fxi_node_ints(const fx_node *node, fxi_attr_id id) {
    return fxi_node_attr(node, id)->u.ints;
}
/* The closures of a node, none for an operation without. */
static inline fxi_graphs fxi_node_bodies(const fx_node *node) {
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (node->attrs[i].id == FXI_ATTR_BODIES) return node->attrs[i].u.graphs;
    return (fxi_graphs){NULL, 0};
}
/* How many states a loop carries, the first operands of a WHILE or SCAN; 0 for anything else. */
static inline size_t fxi_node_states(const fx_node *node) {
    if (node->op == FX_OP_WHILE) return fxi_node_bodies(node).v[1]->output_count;
    return node->op == FX_OP_SCAN ? (size_t)fxi_node_int(node, FXI_ATTR_STATES) : 0;
}
/* Whether an axis is in a list of axes. */
static inline bool fxi_dims_has(fx_dims axes, int64_t axis) {
    for (size_t i = 0; i < axes.n; i++)
        if (axes.v[i] == axis) return true;
    return false;
}
/* Shape of result `number`, 0 being the node's own. */
static inline const fx_shape *fxi_node_result_shape(const fx_node *node, size_t number) {
    return number == 0 ? &node->shape : &node->more[number - 1];
}
static inline size_t fxi_node_results(const fx_node *node) {
    return 1 + (size_t)node->more_count;
}
/* One copy of each text (of a file's or a composite's name), process-wide and bounded; NULL when full or out
 * of memory. */
const char *fxi_intern_file(const char *file);

/* Appends a node after checking everything its row and shape rule say; operands and attrs are copied. On a
 * violation, or when an operand is inert, the graph's inert node; NULL only when no operand and no graph is
 * known. `graph` is needed for leaves (else NULL: the innermost graph among the operands that is being
 * built). */
fx_node *fxi_node_new(fx_graph *graph, fx_op op, fx_node *const *operands, size_t operand_count,
                      const fxi_attr *attrs, size_t attr_count);
/* The same with all there is to say: the name of the public function that messages begin with (NULL:
 * fx_<text of the op>), and the result's shape for the ops whose operands and attributes do not tell it:
 * PARAMETER, IOTA, RESULT, RESHAPE and BROADCAST_IN_DIM (the last two look at its dimensions only). */
typedef struct fxi_roles { /* what messages call operands; those that have no role are numbered */
    const char *const *v;
    size_t n;
} fxi_roles;
#define FXI_ROLES(...)                                                                                       \
    ((fxi_roles){(const char *const[]){__VA_ARGS__},                                                         \
                 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)})
typedef struct fxi_node_spec {
    const char *name;
    fx_graph *graph;
    fx_op op;
    fx_node *const *operands;
    size_t operand_count;
    const fxi_attr *attrs;
    size_t attr_count;
    const fx_shape *shape;
    fxi_roles roles; /* of the operands; none: they are numbered */
} fxi_node_spec;
fx_node *fxi_node_make(const fxi_node_spec *spec);
/* The checks that come before those of the tables: no operand is inert (false without an error), NULL or of
 * a graph that is neither `graph` nor encloses it, and graph is not finished. */
bool fxi_operands_check(const fxi_node_spec *spec, fx_graph *graph);
/* Further result `number` (from 1 on) of a node with several, as a node; result 0 is the node itself. */
fx_node *fxi_node_result(fx_node *node, size_t number);
/* Whether `operand` may be used in `graph`: a node of it or of a graph that encloses it. */
bool fxi_node_is_visible(const fx_node *operand, const fx_graph *graph);
/* A leaf of given shape (parameter, constant, iota). */
fx_node *fxi_leaf_new(fx_graph *graph, fx_op op, const fx_shape *shape, const fxi_attr *attrs,
                      size_t attr_count);
/* Builds a closure of `parent`: a body graph with one parameter per shape, run through fn and finished. A
 * finished body is closed: nodes of enclosing graphs that it uses became parameters of their own, after the
 * given ones, and body->captures lists them with the nodes of parent to pass there (constants and iotas are
 * copied instead). parent holds a reference as long as it lives. NULL, with the error in parent, when
 * building it failed. `name` begins the messages. */
fx_graph *fxi_closure_build(fx_graph *parent, const char *name, fx_fn fn, void *user,
                            const fx_shape *in_shapes, size_t n_in, size_t n_out);
/* The node of `graph` that stands for `outer`, a node of a graph that encloses it: `outer` itself when it is
 * of graph, else a parameter. NULL: no memory. */
fx_node *fxi_graph_capture(fx_graph *graph, fx_node *outer);
/* What stands in `graph` for `outer`, a node of a graph right around it; NULL: it is not used there. */
const fx_node *fxi_graph_captured(const fx_graph *graph, const fx_node *outer);
/* One more reference; fx_graph_free drops one. */
fx_graph *fxi_graph_ref(fx_graph *graph);
/* Records the graph's first error and gives its inert node (NULL graph: NULL). The message begins with the
 * user-visible name, e.g. "fx_add: ...". */
fx_node *fxi_build_fail(fx_graph *graph, fx_error_code code, const char *format, ...) FXI_PRINTF(3, 4);
/* The graph on which a builder given these operands acts; NULL when all are NULL. */
fx_graph *fxi_graph_of(fx_node *const *operands, size_t count);

/* ---- shape rules (shape_rules.c): also used by verify ---- */
typedef FXI_VEC(fx_shape) fxi_shapes;
typedef struct fxi_shape_args {
    const char *name; /* begins messages; NULL: fx_<text of the op> */
    fx_op op;
    const fx_shape *const *operands;
    size_t operand_count;
    const fxi_attr *attrs;
    size_t attr_count;
    fxi_shapes *more; /* receives the shapes of further results; NULL: nobody wants them */
} fxi_shape_args;
/* Checks number and dtypes of operands, the attributes, and the row's shape rule. *result is read first by
 * the ops whose shape is given (see fxi_node_spec). */
bool fxi_shape_infer(const fxi_shape_args *args, fx_shape *result, fx_error *err);
/* The part that looks at dtypes only: what operand 0 may be, and which operands must agree. */
bool fxi_dtypes_check(const fxi_shape_args *args, fx_error *err);
/* Dimensions that two operands broadcast to: equal ranks with dims equal or 1, or one a scalar; 0 against 1
 * gives 0. */
bool fxi_shape_broadcast(const char *name, const fx_shape *a, const fx_shape *b, fx_shape *result,
                         fx_error *err);
fx_shape_text fxi_dims_text(const int64_t *dims, size_t n); /* "[2, 3]" */

/* ---- shardings (shape_rules_sharding.c) ---- */

/* Of one number of the attribute SHARDING: the axes of the mesh that cut a dimension, the outermost first;
 * open: the backend may add others. */
enum { FXI_SHARDING_OPEN = 9, FXI_MESH_NAME = 31, FXI_MESH_DEVICES = 65536 };
typedef struct fxi_cut {
    int axes[FX_MESH_AXES], count;
    bool open;
} fxi_cut;
fxi_cut fxi_shard_cut(const fx_node *shard, int dimension);
/* Number of devices of a mesh, names as the attribute has them; 0: it is not valid, or no memory. */
int64_t fxi_mesh_devices(const char *names, fx_dims sizes, fx_dims devices);
/* Name of a mesh axis: `length` characters, not terminated. */
typedef struct fxi_mesh_name {
    const char *at;
    size_t length;
} fxi_mesh_name;
fxi_mesh_name fxi_shard_axis_name(const fx_node *shard, int axis);

/* ... of a program, closures included (sharding.c). */
typedef struct fxi_shardings {
    FXI_VEC(const fx_node *) meshes; /* a node of each mesh */
    const fx_node **inputs, **outputs; /* how they lie: a SHARD node; NULL: whole on every device */
    int64_t *devices; /* that all meshes have, increasing: number i runs partition i */
    size_t device_count; /* 0: the program has no shardings */
} fxi_shardings;
/* False, with nothing to free: meshes of different devices, no memory. */
bool fxi_shardings_find(const fx_graph *graph, fxi_shardings *shardings, fx_error *err);
void fxi_shardings_free(fxi_shardings *shardings);
/* Number of the node's mesh in the list. */
size_t fxi_shardings_mesh(const fxi_shardings *shardings, const fx_node *shard);
/* The partition that a device runs. */
size_t fxi_shardings_partition(const fxi_shardings *shardings, int64_t device);
/* Number of devices of a node's mesh, and the one at a place in row-major order. */
size_t fxi_shard_devices(const fx_node *shard);
int64_t fxi_shard_device(const fx_node *shard, size_t place);
/* The part of the node's value on the device at that place: its shape, and where it begins. */
void fxi_shard_part(const fx_node *shard, size_t place, fx_shape *part, int64_t starts[FX_MAX_RANK]);

/* Recomputes every node of a graph against the tables: operand counts and order, dtypes, attributes,
 * shapes, captures. */
bool fxi_verify(const fx_graph *graph, fx_error *err);

/* ---- text (dump.c) ---- */
void fxi_node_add_text(fxi_text *text, const fx_node *node);
const char *fxi_reduce_kind_name(fxi_reduce_kind kind);  /* "sum", ... */
const char *fxi_scatter_kind_name(fxi_scatter_kind kind);
const char *fxi_direction_name(fxi_direction direction); /* "lt", ... */
const char *fxi_scan_kind_name(fxi_scan_kind kind);      /* "sum", ... */
const char *fxi_fft_kind_name(fxi_fft_kind kind);        /* "fft", ... */
const char *fxi_transpose_name(fxi_transpose transpose); /* "no", ... */

/* ---- the two attribute tables as data (op_info.c) ---- */
typedef enum fxi_attr_kind {
    FXI_KIND_OF_INT,
    FXI_KIND_OF_INTS,
    FXI_KIND_OF_WORD,
    FXI_KIND_OF_DTYPE,
    FXI_KIND_OF_TENSOR,
    FXI_KIND_OF_GRAPHS,
    FXI_KIND_OF_CUSTOM,
    FXI_KIND_OF_TEXT
} fxi_attr_kind;
const char *fxi_attr_text(fxi_attr_id id);
fxi_attr_kind fxi_attr_kind_of(fxi_attr_id id);
/* Attributes an op carries, in the order of a node's list; fills *count. */
const fxi_attr_id *fxi_op_attrs(fx_op op, size_t *count);

#endif
