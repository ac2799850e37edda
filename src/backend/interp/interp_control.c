/* SPDX-License-Identifier: Apache-2.0 */
/* While, if and scan in the interpreter: closures are run through fxi_interp_run_body with lists of tensors:
 * first what the operation hands over, then the captures, which are operands in the order of the closures. */
#include "interp_internal.h"
#include <string.h>

static void free_tensors(fx_tensor **list, size_t n) {
    for (size_t i = 0; i < n; i++) {
        fx_tensor_free(list[i]);
        list[i] = NULL;
    }
}

static void copy_data(const fx_tensor *from, fx_tensor *to) {
    if (from->bytes) memcpy(to->data, from->data, (size_t)from->bytes);
}

/* The states of a loop and the inputs of its closures. */
typedef struct loop {
    const fxi_interp_call *call;
    size_t states;
    fx_tensor **state;  /* referenced */
    fx_tensor **next;   /* outputs of the body */
    fx_tensor **inputs; /* room for those of any closure */
} loop;

static bool open_loop(loop *l, const fxi_interp_call *call, size_t states, size_t outputs, fx_error *err) {
    *l = (loop){.call = call, .states = states};
    l->state = fxi_alloc_zeroed(states, sizeof(fx_tensor *));
    l->next = fxi_alloc_zeroed(outputs, sizeof(fx_tensor *));
    l->inputs = fxi_alloc_zeroed(call->node->operand_count, sizeof(fx_tensor *));
    if (!l->state || !l->next || !l->inputs) return fxi_fail_memory(err, "interp: loop");
    for (size_t i = 0; i < states; i++) l->state[i] = fx_tensor_ref(call->operands[i]);
    return true;
}

static void close_loop(loop *l) {
    if (l->state) free_tensors(l->state, l->states);
    fxi_free(l->state);
    fxi_free(l->next);
    fxi_free(l->inputs);
}

/* The states and then the captures of a closure, which are the operands from `first` on. */
static void fill_inputs(loop *l, size_t body, size_t first) {
    size_t n = fxi_node_bodies(l->call->node).v[body]->parameters.count;
    for (size_t i = 0; i < n; i++)
        l->inputs[i] = i < l->states ? l->state[i] : l->call->operands[first + i - l->states];
}

static void take_states(loop *l) {
    free_tensors(l->state, l->states);
    for (size_t i = 0; i < l->states; i++) {
        l->state[i] = l->next[i];
        l->next[i] = NULL;
    }
}

static bool test_holds(loop *l, bool *holds, fx_error *err) {
    fx_tensor *value = NULL;
    fill_inputs(l, 0, l->states);
    FX_TRY(fxi_interp_run_body(l->call, 0, l->inputs, &value, err));
    *holds = *(const uint8_t *)value->data != 0;
    fx_tensor_free(value);
    return true;
}

static bool run_while(loop *l, fx_error *err) {
    const fx_graph *test = fxi_node_bodies(l->call->node).v[0];
    for (bool holds;;) {
        FX_TRY(test_holds(l, &holds, err));
        if (!holds) return true;
        fill_inputs(l, 1, test->parameters.count);
        FX_TRY(fxi_interp_run_body(l->call, 1, l->inputs, l->next, err));
        take_states(l);
    }
}

bool fxi_interp_while(const fxi_interp_call *call, fx_error *err) {
    loop l;
    size_t states = fxi_node_states(call->node);
    bool ok = open_loop(&l, call, states, states, err) && run_while(&l, err);
    for (size_t i = 0; ok && i < states; i++) copy_data(l.state[i], call->results[i]);
    close_loop(&l);
    return ok;
}

/* An index out of range chooses the last branch, as StableHLO's case does; true chooses branch 0. */
static size_t choose_branch(const fx_tensor *index, size_t branches) {
    if (index->shape.dtype == FX_BOOL) return *(const uint8_t *)index->data ? 0 : branches - 1;
    int32_t i = *(const int32_t *)index->data;
    return i < 0 || (size_t)i >= branches ? branches - 1 : (size_t)i;
}

static bool run_branch(const fxi_interp_call *call, size_t branch, size_t first, fx_error *err) {
    size_t results = fxi_node_results(call->node);
    fx_tensor **outputs = fxi_alloc_zeroed(results, sizeof(fx_tensor *));
    bool ok = outputs ? fxi_interp_run_body(call, branch, call->operands + first, outputs, err)
                      : fxi_fail_memory(err, "interp: if");
    for (size_t i = 0; ok && i < results; i++) copy_data(outputs[i], call->results[i]);
    if (ok) free_tensors(outputs, results);
    fxi_free(outputs);
    return ok;
}

bool fxi_interp_if(const fxi_interp_call *call, fx_error *err) {
    fxi_graphs bodies = fxi_node_bodies(call->node);
    size_t branch = choose_branch(call->operands[0], bodies.n), first = 1;
    for (size_t i = 0; i < branch; i++) first += bodies.v[i]->parameters.count;
    return run_branch(call, branch, first, err);
}

/* Inputs and what the decomposition captured come first among the operands. */
bool fxi_interp_composite(const fxi_interp_call *call, fx_error *err) {
    return run_branch(call, 0, 0, err);
}

/* ---- scan ---- */

/* Moves `count` elements between tensors that may be packed. */
static void move_elements(const fx_tensor *from, int64_t at, fx_tensor *to, int64_t to_at, int64_t count) {
    int bits = fx_dtype_bits(from->shape.dtype);
    if (bits >= 8) {
        int64_t bytes = bits / 8;
        if (count)
            memcpy((char *)to->data + to_at * bytes, (const char *)from->data + at * bytes,
                   (size_t)(count * bytes));
        return;
    }
    for (int64_t i = 0; i < count; i++)
        fxi_element_store(to->shape.dtype, to->data, to_at + i,
                          fxi_element_load(from->shape.dtype, from->data, at + i));
}

/* Slice number `round` of each input, as new tensors behind the states. */
static bool take_slices(loop *l, size_t inputs, int64_t round, fx_error *err) {
    const fx_graph *body = fxi_node_bodies(l->call->node).v[0];
    for (size_t i = l->states; i < l->states + inputs; i++) {
        const fx_shape *shape = &body->parameters.data[i]->shape;
        l->inputs[i] = fxi_tensor_new_from(NULL, shape, err);
        if (!l->inputs[i]) return false;
        if (l->inputs[i]->bytes) memset(l->inputs[i]->data, 0, (size_t)l->inputs[i]->bytes);
        int64_t size = fx_shape_size(shape);
        move_elements(l->call->operands[i], round * size, l->inputs[i], 0, size);
    }
    return true;
}

static bool run_round(loop *l, size_t inputs, int64_t round, fx_error *err) {
    const fx_graph *body = fxi_node_bodies(l->call->node).v[0];
    for (size_t i = 0; i < l->states; i++) l->inputs[i] = l->state[i];
    for (size_t i = l->states + inputs; i < body->parameters.count; i++) l->inputs[i] = l->call->operands[i];
    bool ok = take_slices(l, inputs, round, err) && fxi_interp_run_body(l->call, 0, l->inputs, l->next, err);
    free_tensors(l->inputs + l->states, inputs);
    if (!ok) return false;
    take_states(l);
    for (size_t i = l->states; i < body->output_count; i++) {
        int64_t size = fx_shape_size(&body->outputs[i]->shape);
        move_elements(l->next[i], 0, l->call->results[i], round * size, size);
    }
    free_tensors(l->next + l->states, body->output_count - l->states);
    return true;
}

static bool run_scan(loop *l, fx_error *err) {
    const fx_node *node = l->call->node;
    int64_t length = fxi_node_int(node, FXI_ATTR_LENGTH);
    size_t inputs = (size_t)fxi_node_int(node, FXI_ATTR_INPUTS);
    bool backwards = fxi_node_int(node, FXI_ATTR_BACKWARDS) != 0;
    for (int64_t k = 0; k < length; k++) FX_TRY(run_round(l, inputs, backwards ? length - 1 - k : k, err));
    return true;
}

bool fxi_interp_scan(const fxi_interp_call *call, fx_error *err) {
    loop l;
    size_t states = fxi_node_states(call->node);
    bool ok =
        open_loop(&l, call, states, fxi_node_bodies(call->node).v[0]->output_count, err) && run_scan(&l, err);
    for (size_t i = 0; ok && i < states; i++) copy_data(l.state[i], call->results[i]);
    close_loop(&l);
    return ok;
}
