/* SPDX-License-Identifier: Apache-2.0 */
/* The loop around a small closure as one function: states in phis, captures loaded once, slices and
 * stacked rows loaded and stored round by round.
 *
 *   void fx_loop(char *const *operands, char *const *results, int64_t length)
 *
 * The key of the kernel cache holds the loop and its closures node by node, constants included; two loops
 * with equal closures share their code, whatever a scan's length. */
#include "../emit/emit_ops.h"
#include "tiny.h"
#include <string.h>

/* ---- key ---- */

static void add_number(fxi_text *key, int64_t v) { fxi_text_add_bytes(key, (const char *)&v, sizeof v); }

static void add_shape(fxi_text *key, const fx_shape *shape) {
    add_number(key, (int64_t)shape->dtype);
    add_number(key, shape->rank);
    for (int i = 0; i < shape->rank; i++) add_number(key, shape->dims[i]);
}

static void add_attr(fxi_text *key, const fxi_attr *a) {
    switch (fxi_attr_kind_of(a->id)) {
    case FXI_KIND_OF_INT:
    case FXI_KIND_OF_WORD: add_number(key, a->u.i); break;
    case FXI_KIND_OF_DTYPE: add_number(key, (int64_t)a->u.dtype); break;
    case FXI_KIND_OF_TENSOR: fxi_text_add_bytes(key, a->u.tensor->data, (size_t)a->u.tensor->bytes); break;
    case FXI_KIND_OF_INTS:
        add_number(key, (int64_t)a->u.ints.n);
        for (size_t i = 0; i < a->u.ints.n; i++) add_number(key, a->u.ints.v[i]);
        break;
    case FXI_KIND_OF_CUSTOM:
    case FXI_KIND_OF_TEXT:
    case FXI_KIND_OF_GRAPHS: break; /* none in a closure that fits */
    }
}

static void add_graph(fxi_text *key, const fx_graph *g) {
    add_number(key, (int64_t)g->nodes.count);
    for (size_t i = 0; i < g->nodes.count; i++) {
        const fx_node *n = g->nodes.data[i];
        add_number(key, (int64_t)n->op);
        add_shape(key, &n->shape);
        for (uint32_t k = 0; k < n->operand_count; k++) add_number(key, n->operands[k]->id);
        add_number(key, -1);
        for (uint32_t k = 0; k < n->attr_count; k++) add_attr(key, &n->attrs[k]);
    }
    add_number(key, (int64_t)g->output_count);
    for (size_t i = 0; i < g->output_count; i++) add_number(key, g->outputs[i]->id);
}

static size_t slice_count(const fx_node *loop) {
    return loop->op == FX_OP_SCAN ? (size_t)fxi_node_int(loop, FXI_ATTR_INPUTS) : 0;
}

static bool is_backwards(const fx_node *loop) {
    return loop->op == FX_OP_SCAN && fxi_node_int(loop, FXI_ATTR_BACKWARDS) != 0;
}

static void add_loop(fxi_text *key, const fx_node *loop) {
    fxi_graphs bodies = fxi_node_bodies(loop);
    fxi_text_add(key, "loop of small tensors:");
    add_number(key, (int64_t)loop->op);
    add_number(key, (int64_t)fxi_node_states(loop));
    add_number(key, (int64_t)slice_count(loop));
    add_number(key, is_backwards(loop));
    for (size_t i = 0; i < bodies.n; i++) add_graph(key, bodies.v[i]);
}

/* ---- the function ---- */

typedef struct tiny_loop {
    fxi_emit *e;
    const fx_node *loop;
    const fx_graph *test, *body; /* test: of a while */
    fxi_value *test_values, *values;
    size_t states, slices;
    LLVMTypeRef i64, ptr;
    LLVMValueRef operands, results, length, round;
    LLVMBasicBlockRef header, inside, exit;
} tiny_loop;

static LLVMValueRef pointer_at(const tiny_loop *t, LLVMValueRef list, size_t i) {
    LLVMValueRef at = LLVMConstInt(t->i64, i, false);
    LLVMValueRef address = LLVMBuildGEP2(t->e->builder, t->ptr, list, &at, 1, "");
    return LLVMBuildLoad2(t->e->builder, t->ptr, address, "");
}

/* Lanes that hold elements; NULL: all do. */
static LLVMValueRef lane_mask(const tiny_loop *t, const fx_shape *shape) {
    unsigned lanes = fxi_tiny_lanes(shape);
    int64_t size = fx_shape_size(shape);
    LLVMValueRef bits[FXI_TINY_ELEMENTS];
    if (lanes == size) return NULL;
    for (unsigned i = 0; i < lanes; i++)
        bits[i] = LLVMConstInt(LLVMInt1TypeInContext(t->e->context), i < size, false);
    return LLVMConstVector(bits, lanes);
}

static fxi_value load(const tiny_loop *t, const fx_shape *shape, LLVMValueRef address) {
    t->e->lanes = fxi_tiny_lanes(shape);
    return fxi_emit_load(t->e, shape->dtype, address, lane_mask(t, shape), NULL);
}

static void store(const tiny_loop *t, const fx_shape *shape, LLVMValueRef address, fxi_value value) {
    t->e->lanes = fxi_tiny_lanes(shape);
    fxi_emit_store(t->e, shape->dtype, address, value, lane_mask(t, shape), NULL);
}

/* Parameters from `first` on are the operands from `operand` on, the same in every round. */
static void load_captures(const tiny_loop *t, const fx_graph *g, size_t first, size_t given,
                          fxi_value *values) {
    for (size_t i = first; i < g->parameters.count; i++) {
        const fx_node *p = g->parameters.data[i];
        values[p->id] = load(t, &p->shape, pointer_at(t, t->operands, given + i - first));
    }
}

/* Address of this round's row in an array of rows. */
static LLVMValueRef row_at(const tiny_loop *t, LLVMValueRef array, const fx_shape *row) {
    int64_t bytes = fx_shape_size(row) * fxi_memory_bytes(row->dtype);
    LLVMValueRef offset =
        LLVMBuildMul(t->e->builder, t->round, LLVMConstInt(t->i64, (uint64_t)bytes, false), "");
    return LLVMBuildGEP2(t->e->builder, LLVMInt8TypeInContext(t->e->context), array, &offset, 1, "");
}

static LLVMValueRef phi_of(const tiny_loop *t, LLVMValueRef start, LLVMBasicBlockRef from) {
    if (!start) return NULL;
    LLVMValueRef phi = LLVMBuildPhi(t->e->builder, LLVMTypeOf(start), "");
    LLVMAddIncoming(phi, &start, &from, 1);
    return phi;
}

static void close_phi(LLVMValueRef phi, LLVMValueRef next, LLVMBasicBlockRef from) {
    if (phi) LLVMAddIncoming(phi, &next, &from, 1);
}

static void start_function(tiny_loop *t) {
    LLVMContextRef c = t->e->context;
    t->i64 = LLVMInt64TypeInContext(c);
    t->ptr = LLVMPointerTypeInContext(c, 0);
    LLVMTypeRef args[3] = {t->ptr, t->ptr, t->i64};
    t->e->function =
        LLVMAddFunction(t->e->module, "fx_loop", LLVMFunctionType(LLVMVoidTypeInContext(c), args, 3, 0));
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(c, t->e->function, "entry");
    t->header = LLVMAppendBasicBlockInContext(c, t->e->function, "header");
    t->inside = LLVMAppendBasicBlockInContext(c, t->e->function, "inside");
    t->exit = LLVMAppendBasicBlockInContext(c, t->e->function, "exit");
    LLVMPositionBuilderAtEnd(t->e->builder, entry);
    t->operands = LLVMGetParam(t->e->function, 0);
    t->results = LLVMGetParam(t->e->function, 1);
    t->length = LLVMGetParam(t->e->function, 2);
    size_t given = t->states + t->slices, tested = t->test ? t->test->parameters.count - t->states : 0;
    if (t->test) load_captures(t, t->test, t->states, t->states, t->test_values);
    load_captures(t, t->body, given, given + tested, t->values);
}

/* In the header: whether another round follows. */
static LLVMValueRef goes_on(tiny_loop *t, LLVMValueRef count) {
    if (!t->test) return LLVMBuildICmp(t->e->builder, LLVMIntSLT, count, t->length, "");
    for (size_t i = 0; i < t->states; i++)
        t->test_values[t->test->parameters.data[i]->id] = t->values[t->body->parameters.data[i]->id];
    fxi_emit_tiny(t->e, t->test, t->test_values);
    return t->test_values[t->test->outputs[0]->id].re;
}

static void emit_round(tiny_loop *t, LLVMValueRef count) {
    LLVMValueRef one = LLVMConstInt(t->i64, 1, false);
    t->round = count;
    if (is_backwards(t->loop))
        t->round = LLVMBuildSub(t->e->builder, LLVMBuildSub(t->e->builder, t->length, one, ""), count, "");
    for (size_t i = t->states; i < t->states + t->slices; i++) {
        const fx_node *p = t->body->parameters.data[i];
        t->values[p->id] = load(t, &p->shape, row_at(t, pointer_at(t, t->operands, i), &p->shape));
    }
    fxi_emit_tiny(t->e, t->body, t->values);
    for (size_t i = t->states; i < t->body->output_count; i++) {
        const fx_node *n = t->body->outputs[i];
        store(t, &n->shape, row_at(t, pointer_at(t, t->results, i), &n->shape), t->values[n->id]);
    }
}

static void emit_loop(tiny_loop *t, fxi_value *phis) {
    LLVMBuilderRef b = t->e->builder;
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(b);
    LLVMValueRef zero = LLVMConstInt(t->i64, 0, false), one = LLVMConstInt(t->i64, 1, false);
    for (size_t i = 0; i < t->states; i++)
        phis[i] = load(t, &t->body->parameters.data[i]->shape, pointer_at(t, t->operands, i));
    LLVMBuildBr(b, t->header);
    LLVMPositionBuilderAtEnd(b, t->header);
    LLVMValueRef count = phi_of(t, zero, entry);
    for (size_t i = 0; i < t->states; i++) {
        phis[i] = (fxi_value){phi_of(t, phis[i].re, entry), phi_of(t, phis[i].im, entry)};
        t->values[t->body->parameters.data[i]->id] = phis[i];
    }
    LLVMBuildCondBr(b, goes_on(t, count), t->inside, t->exit);
    LLVMPositionBuilderAtEnd(b, t->inside);
    emit_round(t, count);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(b);
    close_phi(count, LLVMBuildAdd(b, count, one, ""), last);
    for (size_t i = 0; i < t->states; i++) {
        close_phi(phis[i].re, t->values[t->body->outputs[i]->id].re, last);
        close_phi(phis[i].im, t->values[t->body->outputs[i]->id].im, last);
    }
    LLVMBuildBr(b, t->header);
    LLVMPositionBuilderAtEnd(b, t->exit);
    for (size_t i = 0; i < t->states; i++)
        store(t, &t->body->parameters.data[i]->shape, pointer_at(t, t->results, i), phis[i]);
    LLVMBuildRetVoid(b);
}

static bool build_loop(fxi_emit *e, const void *description, fx_error *err) {
    const fx_node *loop = description;
    fxi_graphs bodies = fxi_node_bodies(loop);
    tiny_loop t = {.e = e, .loop = loop, .states = fxi_node_states(loop), .slices = slice_count(loop)};
    t.test = loop->op == FX_OP_WHILE ? bodies.v[0] : NULL;
    t.body = bodies.v[bodies.n - 1];
    fxi_arena arena = {0};
    t.values = fxi_arena_alloc(&arena, t.body->nodes.count, sizeof *t.values);
    t.test_values = fxi_arena_alloc(&arena, t.test ? t.test->nodes.count : 0, sizeof *t.values);
    fxi_value *phis = fxi_arena_alloc(&arena, t.states, sizeof *phis);
    bool ok = t.values && t.test_values && phis;
    if (ok) {
        start_function(&t);
        emit_loop(&t, phis);
    }
    fxi_arena_free(&arena);
    return ok || fxi_fail_memory(err, "loop");
}

fxi_code *fxi_tiny_compile(const fx_node *loop, const fxi_target *target, fxi_tiny_fn *run, fx_error *err) {
    fxi_text key = {0};
    add_loop(&key, loop);
    fxi_code *code = NULL;
    if (key.failed)
        fxi_fail_memory(err, "loop");
    else
        code = fxi_kernel_get(target, key.data, key.length, build_loop, loop, err);
    fxi_text_free(&key);
    if (!code) return NULL;
    void *symbol = fxi_code_symbol(code, "fx_loop");
    memcpy(run, &symbol, sizeof symbol);
    return code;
}
