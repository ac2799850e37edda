/* SPDX-License-Identifier: Apache-2.0 */
/* The generator's frame (random_graph.h): the table of cells, the shapes, one graph from its number, and
 * cutting a graph down. Which node serves as an operand and how each operation gets its attributes is in
 * random_node.c. */
#include "support/random_maker.h"
#include <string.h>

/* ---- cells ---- */

static bool kind_takes(int kind, fx_dtype dtype) {
    fx_op model = kind <= FXI_PRODUCT ? FX_OP_SUB : kind <= FXI_MIN ? FX_OP_MAX : FX_OP_AND;
    return fxi_op_info_of(model)->dtypes >> dtype & 1;
}

/* Every elementwise operation, and those others that random_node.c has a function for. */
static bool is_known(fx_op op) {
    switch (op) {
    case FX_OP_PARAMETER:
    case FX_OP_CONSTANT:
    case FX_OP_IOTA:
    case FX_OP_BITCAST:
    case FX_OP_BROADCAST_IN_DIM:
    case FX_OP_RESHAPE:
    case FX_OP_TRANSPOSE:
    case FX_OP_SLICE:
    case FX_OP_REVERSE:
    case FX_OP_CONCATENATE:
    case FX_OP_REDUCE:
    case FX_OP_ARG_REDUCE:
    case FX_OP_DOT_GENERAL: return true;
    default: return fxi_op_is_map(op);
    }
}

/* What a row of ops.def leaves to the shape rules. */
static bool cell_exists(fx_op op, int variant, fx_dtype dtype) {
    if (!is_known(op)) return false;
    switch (op) {
    case FX_OP_COMPLEX: return dtype == FX_F32 || dtype == FX_F64;
    case FX_OP_PHILOX: return dtype == FX_U64;
    case FX_OP_REDUCE: return kind_takes(variant, dtype);
    case FX_OP_ARG_REDUCE: return variant == FXI_MAX || variant == FXI_MIN;
    default: return true;
    }
}

static int variants_of(fx_op op) {
    return op == FX_OP_REDUCE || op == FX_OP_ARG_REDUCE ? FXI_REDUCE_KINDS : 1;
}

static uint32_t dtypes_of(fx_op op) {
    return fxi_op_info_of(op == FX_OP_SELECT ? FX_OP_PARAMETER : op)->dtypes;
}

size_t graph_cells(graph_cell *cells) {
    size_t n = 0;
    for (fx_op op = (fx_op)1; op < FX_OP_COUNT; op++)
        for (int variant = 0; variant < variants_of(op); variant++)
            for (int dtype = 1; dtype < FX_DTYPE_LIMIT; dtype++)
                if (fx_dtype_is_valid((fx_dtype)dtype) && (dtypes_of(op) >> dtype & 1) &&
                    cell_exists(op, variant, (fx_dtype)dtype) && n < GRAPH_CELLS_LIMIT)
                    cells[n++] = (graph_cell){op, variant, (fx_dtype)dtype};
    return n;
}

/* ---- cells of library kernels ---- */

static const struct {
    fx_op op;
    int variants;
} library[] = {
    {FX_OP_SORT, 1},
    {FX_OP_TOP_K, 2},
    {FX_OP_CUMULATIVE, 4},
    {FX_OP_PAD, 1},
    {FX_OP_DYNAMIC_SLICE, 1},
    {FX_OP_DYNAMIC_UPDATE_SLICE, 1},
    {FX_OP_GATHER, 1},
    {FX_OP_SCATTER, FXI_SCATTER_KINDS},
    {FX_OP_CONVOLUTION, 1},
    {FX_OP_REDUCE_WINDOW, FXI_REDUCE_KINDS},
    {FX_OP_FFT, FXI_FFT_KINDS},
    {FX_OP_SELECT_AND_SCATTER, 2},
};

static bool scatter_takes(int kind, fx_dtype dtype) {
    static const fx_op models[FXI_SCATTER_KINDS] = {FX_OP_ADD, FX_OP_MUL, FX_OP_MAX, FX_OP_MIN,
                                                    FX_OP_PARAMETER};
    return fxi_op_info_of(models[kind])->dtypes >> dtype & 1;
}

static bool library_cell_exists(fx_op op, int variant, fx_dtype dtype) {
    switch (op) {
    case FX_OP_SORT: return fxi_op_info_of(FX_OP_COMPARE)->dtypes >> dtype & 1;
    case FX_OP_CUMULATIVE: return kind_takes(variant, dtype); /* the first kinds are a reduction's */
    case FX_OP_REDUCE_WINDOW: /* the sign of a complex product's zero depends on the order of its factors */
        return kind_takes(variant, dtype) && !(variant == FXI_PRODUCT && fx_dtype_is_complex(dtype));
    case FX_OP_SCATTER: return scatter_takes(variant, dtype);
    case FX_OP_FFT:
        return variant == FXI_FFT_REAL ? dtype == FX_F32 || dtype == FX_F64 : fx_dtype_is_complex(dtype);
    default: return true;
    }
}

size_t graph_library_cells(graph_cell *cells) {
    size_t n = 0;
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        for (int variant = 0; variant < library[i].variants; variant++)
            for (int dtype = 1; dtype < FX_DTYPE_LIMIT; dtype++)
                if (fx_dtype_is_valid((fx_dtype)dtype) &&
                    (fxi_op_info_of(library[i].op)->dtypes >> dtype & 1) &&
                    library_cell_exists(library[i].op, variant, (fx_dtype)dtype) && n < GRAPH_CELLS_LIMIT)
                    cells[n++] = (graph_cell){library[i].op, variant, (fx_dtype)dtype};
    return n;
}

/* ---- which are exact ---- */

static bool is_exact_library(const graph_cell *c) {
    bool is_max_or_min = c->variant == FXI_MAX || c->variant == FXI_MIN;
    switch (c->op) {
    case FX_OP_CUMULATIVE:
    case FX_OP_REDUCE_WINDOW: return is_max_or_min;
    case FX_OP_SCATTER: return is_max_or_min || c->variant == FXI_SCATTER_UPDATE;
    case FX_OP_SELECT_AND_SCATTER:
    case FX_OP_CONVOLUTION:
    case FX_OP_FFT: return false;
    default: return true;
    }
}

static bool is_library(fx_op op) {
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        if (library[i].op == op) return true;
    return false;
}

static bool is_exact(const graph_cell *c) {
    bool complex = fx_dtype_is_complex(c->dtype);
    if (!complex && !fx_dtype_is_float(c->dtype)) return true;
    if (is_library(c->op)) return is_exact_library(c);
    switch (c->op) {
    case FX_OP_NEG:
    case FX_OP_REAL:
    case FX_OP_IMAG:
    case FX_OP_CONJ:
    case FX_OP_CONVERT:
    case FX_OP_ADD:
    case FX_OP_SUB:
    case FX_OP_COMPARE:
    case FX_OP_SELECT:
    case FX_OP_ARG_REDUCE: return true;
    case FX_OP_SQRT: return !complex;
    case FX_OP_POW:
    case FX_OP_ATAN2:
    case FX_OP_HYPOT:
    case FX_OP_DOT_GENERAL: return false;
    case FX_OP_REDUCE: return c->variant == FXI_MAX || c->variant == FXI_MIN;
    default: break;
    }
    return fxi_op_is_map(c->op) ? !complex && (c->op < FX_OP_EXP || c->op > FX_OP_BESSEL_I1E) : true;
}

static size_t keep_exact(graph_cell *cells, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (is_exact(&cells[i])) cells[kept++] = cells[i];
    return kept;
}

fx_dtype graph_cell_dtype(const fx_node *node) {
    if (node->operand_count == 0) return node->shape.dtype;
    return node->operands[node->op == FX_OP_SELECT ? 1 : 0]->shape.dtype;
}

static void shuffle(graph_cell *cells, size_t n) {
    random_state r = {12345};
    for (size_t i = n - 1; i > 0; i--) {
        size_t j = (size_t)random_below(&r, (int)i + 1);
        graph_cell swap = cells[i];
        cells[i] = cells[j];
        cells[j] = swap;
    }
}

/* ---- shapes ---- */

/* Around every width at which vectors, unrolling, chunks and tasks begin or end. */
static const int64_t sizes[] = {2,    3,    4,    5,    7,     8,     9,     15,    16,    17,    23,
                                31,   32,   33,   47,   63,    64,    65,    100,   127,   128,   129,
                                255,  256,  257,  300,  511,   512,   513,   700,   1023,  1024,  1025,
                                2047, 2049, 4097, 8193, 16384, 16385, 32768, 32769, 33000, 70000, 262145};

int64_t maker_size(maker *m, int64_t limit) {
    if (random_chance(&m->r, m->strict ? 2 : 6)) return 0;
    if (limit < 2 || random_chance(&m->r, 12)) return 1;
    int n = 0;
    while (n < (int)(sizeof sizes / sizeof *sizes) && sizes[n] <= limit) n++;
    return sizes[random_chance(&m->r, 50) ? random_below(&m->r, n) : random_below(&m->r, n < 8 ? n : 8)];
}

fx_shape maker_shape(maker *m, fx_dtype dtype, int least_rank) {
    fx_shape shape = {.dtype = dtype, .rank = least_rank + random_below(&m->r, 6 - least_rank)};
    int64_t left = random_chance(&m->r, 20) ? m->limit : m->limit / 8 + 1;
    int first = random_below(&m->r, shape.rank);
    for (int i = 0; i < shape.rank; i++) {
        int axis = (first + i) % shape.rank;
        shape.dims[axis] = maker_size(m, left);
        left /= shape.dims[axis] > 0 ? shape.dims[axis] : 1;
    }
    return shape;
}

/* ---- a graph ---- */

enum { STRICT = 260 }; /* the first graphs, which a quick test takes */

static int64_t limit_of(uint64_t number, const random_options *options) {
    if (options->elements) return options->elements;
    if (number % 499 == 498) return 600000;
    return number % 37 == 36 ? 40000 : number % 5 == 4 ? 3000 : 600;
}

/* Nodes nobody reads become outputs, and now and then one that is read. */
static size_t choose_outputs(maker *m, fx_node **outputs) {
    size_t count = 0;
    bool read[MAKER_NODES] = {false};
    const fx_graph *g = m->graph;
    for (size_t i = 0; i < g->nodes.count; i++)
        for (uint32_t k = 0; k < g->nodes.data[i]->operand_count; k++)
            read[g->nodes.data[i]->operands[k]->id] = true;
    for (size_t i = 0; i < g->nodes.count; i++) {
        fx_node *n = g->nodes.data[i];
        bool leaf = n->op == FX_OP_PARAMETER || n->op == FX_OP_CONSTANT;
        if (!read[i] ? !leaf || random_chance(&m->r, 20)
                     : random_chance(&m->r, m->reserved[i] ? m->strict ? 0 : 3 : 8))
            outputs[count++] = n;
        if (count && random_chance(&m->r, 2)) outputs[count++] = outputs[0]; /* the same one twice */
    }
    if (count == 0) outputs[count++] = g->nodes.data[g->nodes.count - 1];
    return count;
}

static random_style choose_style(maker *m) {
    int at = random_below(&m->r, 100);
    return at < 45 ? RANDOM_PLAIN : at < 70 ? RANDOM_SMALL_INTEGERS : at < 85 ? RANDOM_SPECIAL : RANDOM_WIDE;
}

static void make_inputs(maker *m, random_graph *out) {
    size_t n = m->graph->parameters.count;
    out->inputs = fxi_alloc_zeroed(n + 1, sizeof *out->inputs);
    if (!out->inputs) fxi_fail_memory(FX_MUST, "random_graph");
    for (size_t i = 0; i < n; i++)
        out->inputs[i] = random_tensor(&m->r, &m->graph->parameters.data[i]->shape, choose_style(m));
}

/* The next library kernel, with something that reads its result. */
static void add_library(maker *m, uint64_t number, bool exact) {
    graph_cell cells[GRAPH_CELLS_LIMIT];
    size_t n = graph_library_cells(cells);
    shuffle(cells, n);
    if (exact) n = keep_exact(cells, n);
    fx_node *node = maker_add_library_cell(m, &cells[number / 2 % n]);
    maker_add_consumer(m, node);
}

random_graph random_graph_make(uint64_t number, const random_options *options) {
    static const random_options none = {0};
    if (!options) options = &none;
    graph_cell cells[GRAPH_CELLS_LIMIT];
    size_t n = graph_cells(cells), must = options->must     ? (size_t)options->must
                                          : number < STRICT ? MAKER_MUST
                                                            : MAKER_MUST - 1;
    shuffle(cells, n);
    if (options->exact) n = keep_exact(cells, n);
    maker m = {.r = {number * UINT64_C(0x9e3779b97f4a7c15) + 1}, .graph = fx_graph_new(FX_MUST)};
    m.limit = limit_of(number, options);
    m.exact = options->exact;
    m.strict = number < STRICT || number % 4 != 3;
    for (size_t i = 0; i < must; i++) {
        fx_node *node = maker_add_cell(&m, &cells[(number * must + i) % n]);
        m.reserved[node->id] = m.strict || random_chance(&m.r, 70);
        node = maker_add_consumer(&m, node);
        for (int k = random_chance(&m.r, 3) ? 40 : 0; k > 0; k--) node = maker_add_consumer(&m, node);
    }
    if (number % 5 == 2) maker_add_rows(&m);
    if (number % 2 && !options->no_library) add_library(&m, number, options->exact);
    fx_node *outputs[2 * MAKER_NODES];
    size_t count = choose_outputs(&m, outputs);
    fx_graph_finish(m.graph, (fx_nodes){outputs, count}, FX_MUST);
    random_graph out = {.number = number, .graph = m.graph};
    make_inputs(&m, &out);
    return out;
}

void random_graph_free(random_graph *g) {
    for (size_t i = 0; g->graph && i < g->graph->parameters.count; i++) fx_tensor_free(g->inputs[i]);
    fxi_free(g->inputs);
    fx_graph_free(g->graph);
    *g = (random_graph){0};
}

/* ---- cutting ---- */

/* A further result of a node that becomes a parameter becomes one too. */
static bool replaced(const bool *as_parameter, const fx_node *node) {
    if (as_parameter && node->op == FX_OP_RESULT && as_parameter[node->operands[0]->id]) return true;
    return as_parameter && as_parameter[node->id];
}

static void find_live(const fx_graph *g, const random_cut *cut, bool *live) {
    for (size_t i = 0; i < cut->count; i++) live[cut->outputs[i]->id] = true;
    for (size_t i = g->nodes.count; i-- > 0;) {
        const fx_node *n = g->nodes.data[i];
        for (uint32_t k = 0; live[i] && !replaced(cut->as_parameter, n) && k < n->operand_count; k++)
            live[n->operands[k]->id] = true;
    }
}

static fx_node *copy_node(const random_graph *g, const random_cut *cut, const fx_node *node,
                          fx_node *const *map, random_graph *out) {
    bool parameter = node->op == FX_OP_PARAMETER;
    fx_node *operands[16];
    if (parameter || replaced(cut->as_parameter, node)) {
        fx_tensor *value = parameter ? g->inputs[fxi_node_int(node, FXI_ATTR_INDEX)] : cut->values[node->id];
        out->inputs[out->graph->parameters.count] = fx_tensor_ref(value);
        return fx_parameter(out->graph, &node->shape);
    }
    for (uint32_t k = 0; k < node->operand_count; k++) operands[k] = map[node->operands[k]->id];
    if (node->op == FX_OP_RESULT)
        return fxi_node_result(operands[0], (size_t)fxi_node_int(node, FXI_ATTR_RESULT));
    return fxi_node_make(&(fxi_node_spec){.graph = out->graph,
                                          .op = node->op,
                                          .operands = operands,
                                          .operand_count = node->operand_count,
                                          .attrs = node->attrs,
                                          .attr_count = node->attr_count,
                                          .shape = &node->shape});
}

random_graph random_graph_cut(const random_graph *g, const random_cut *cut) {
    size_t n = g->graph->nodes.count;
    random_graph out = {.number = g->number, .graph = fx_graph_new(FX_MUST)};
    out.inputs = fxi_alloc_zeroed(n + 1, sizeof *out.inputs);
    fx_node **map = fxi_alloc_zeroed(n + 1, sizeof *map),
            **list = fxi_alloc_zeroed(cut->count + 1, sizeof *list);
    bool *live = fxi_alloc_zeroed(n + 1, sizeof *live);
    if (!out.inputs || !map || !live || !list) fxi_fail_memory(FX_MUST, "random_graph");
    find_live(g->graph, cut, live);
    for (size_t i = 0; i < n; i++)
        if (live[i]) map[i] = copy_node(g, cut, g->graph->nodes.data[i], map, &out);
    for (size_t i = 0; i < cut->count; i++) list[i] = map[cut->outputs[i]->id];
    fx_graph_finish(out.graph, (fx_nodes){list, cut->count}, FX_MUST);
    fxi_free(map);
    fxi_free(list);
    fxi_free(live);
    return out;
}

random_graph random_graph_whole(const random_graph *g) {
    random_graph out =
        random_graph_cut(g, &(random_cut){.outputs = g->graph->nodes.data, .count = g->graph->nodes.count});
    return out;
}
