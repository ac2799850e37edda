/* SPDX-License-Identifier: Apache-2.0 */
/* Loops, branches and scans in the cpu backend. Closures are compiled as programs of their own and run
 * inside the step: no allocation, no table but their own. The first round reads the operands where they lie
 * and writes the states to the step's results. There a state stays that the body may write over the one that
 * it reads (program.c finds these as it finds donated inputs): an update of a few elements then costs no
 * copy. The others go back and forth between the results and a bank; a state that is stacked too, as a round
 * leaves or as it finds it, is written into the stack and read from there. A loop over small tensors is one
 * function instead (tiny/). Slices and stacked rows are addresses inside the whole arrays. */
#include "program.h"
#include <string.h>

/* ---- compilation ---- */

static int64_t memory_size(const fx_shape *shape) {
    return fx_shape_size(shape) * fxi_memory_bytes(shape->dtype);
}

static bool compile_bodies(fxi_control *c, fxi_cpu_state *state, fx_error *err) {
    fxi_graphs bodies = fxi_node_bodies(c->node);
    c->bodies = fxi_alloc_zeroed(bodies.n, sizeof *c->bodies);
    if (!c->bodies) return fxi_fail_memory(err, "program");
    for (; c->body_count < bodies.n; c->body_count++) {
        const fxi_inner inner = {c->body_count + 1 == bodies.n ? fxi_node_states(c->node) : 0};
        fxi_cpu_program *p = fxi_program_compile(state, bodies.v[c->body_count], &inner, err);
        if (!p) return false;
        c->bodies[c->body_count] = p;
        if (fxi_program_inner_bytes(p) > c->inner) c->inner = fxi_program_inner_bytes(p);
    }
    return true;
}

/* Which memory the states share, by the plan of the body, the last closure. */
static bool share_states(fxi_control *c, fx_error *err) {
    fxi_graphs bodies = fxi_node_bodies(c->node);
    const fx_graph *body = bodies.v[bodies.n - 1];
    size_t states = fxi_node_states(c->node);
    c->shared = fxi_alloc_zeroed(states + 1, sizeof *c->shared);
    c->ahead = fxi_alloc_zeroed(states + 1, sizeof *c->ahead);
    if (!c->shared || !c->ahead) return fxi_fail_memory(err, "program");
    for (size_t i = 0; i < states; i++) {
        size_t earlier = fxi_plan_shared(body, states, i);
        c->shared[i] = earlier == i ? -1 : (int)earlier;
        c->ahead[i] = -1;
    }
    for (size_t k = states; states && k < body->output_count; k++) {
        size_t i = fxi_plan_shared(body, states, k);
        if (i != k) c->shared[i] = (int)k;
        size_t awaited = fxi_plan_awaited(body, states, k);
        if (awaited != states) c->ahead[awaited] = (int)k;
    }
    return true;
}

/* States that the body, the last closure, may write over what it reads; nothing else is in their memory. */
static void find_staying(fxi_control *c) {
    const fxi_cpu_program *body = c->bodies[c->body_count - 1];
    size_t states = fxi_node_states(c->node);
    for (size_t i = 0; i < states && i < 64 && !body->state->plan.unfused; i++)
        if (c->shared[i] < 0 && c->ahead[i] < 0 && fxi_donors_have(&body->donors[i], (int64_t)i))
            c->staying |= UINT64_C(1) << i;
    for (size_t i = 0; i < states; i++)
        if (c->shared[i] >= 0 && c->shared[i] < 64) c->staying &= ~(UINT64_C(1) << c->shared[i]);
}

static bool stays(const fxi_control *c, size_t state) {
    return state < 64 && (c->staying >> state & 1) != 0;
}

/* Room for the states' addresses, the inputs of any closure and the outputs of one, and the condition's
 * value. */
static bool measure(fxi_control *c, fx_error *err) {
    int64_t pointers = (int64_t)fxi_node_states(c->node), most = 0;
    find_staying(c);
    for (size_t i = 0; i < c->body_count; i++) {
        const fx_graph *g = c->bodies[i]->plan.graph;
        int64_t n = (int64_t)(g->parameters.count + g->output_count);
        if (n > most) most = n;
    }
    c->pointers = fxi_size_lines((pointers + most) * (int64_t)sizeof(char *)) + 64;
    int64_t bank = 0;
    for (size_t i = 0; i < fxi_node_states(c->node); i++)
        if (!stays(c, i) &&
            !fxi_size_add(bank, fxi_size_lines(memory_size(&c->node->operands[i]->shape)), &bank))
            return fxi_fail_memory(err, "program");
    c->state_bank = bank;
    int64_t total = c->pointers + c->inner;
    return fxi_size_add(total, bank, &total) || fxi_fail_memory(err, "program");
}

fxi_control *fxi_control_compile(fxi_cpu_state *state, const fx_node *node, fx_error *err) {
    fxi_control *c = fxi_alloc_zeroed(1, sizeof *c);
    if (!c) {
        fxi_fail_memory(err, "program");
        return NULL;
    }
    c->node = node;
    if (node->op == FX_OP_SORT_BY) {
        if (fxi_sort_by_compile(c, state, err)) return c;
    } else if (!state->plan.unfused && fxi_tiny_fits(node)) {
        c->code = fxi_tiny_compile(node, state->plan.target, &c->run, err);
        if (c->code) return c;
    } else if (compile_bodies(c, state, err) && share_states(c, err) && measure(c, err)) return c;
    fxi_control_free(c);
    return NULL;
}

void fxi_control_free(fxi_control *c) {
    if (!c) return;
    for (size_t i = 0; i < c->body_count; i++) fxi_program_free(c->bodies[i]);
    fxi_free(c->bodies);
    fxi_free(c->shared);
    fxi_free(c->ahead);
    fxi_code_free(c->code);
    fx_graph_free(c->lifted);
    fxi_free(c);
}

int64_t fxi_control_workspace(const fxi_control *c) {
    if (c->lanes) return fxi_sort_by_workspace(c);
    return c->code ? 64 : c->pointers + c->state_bank + c->inner;
}

/* ---- a run ---- */

typedef struct control_run {
    const fxi_control *c;
    char *const *operands;
    char *const *results;
    const fxi_run_args *args;
    size_t states;
    char **state;    /* where each state is now */
    char **inputs;   /* of the closure at hand */
    char *flag;      /* a condition's value */
    char *bank;      /* of states that do not stay */
    char *workspace; /* of the closures */
} control_run;

static control_run start(const fxi_control *c, char *const *operands, char *const *results, char *workspace,
                         const fxi_run_args *args) {
    control_run r = {
        .c = c, .operands = operands, .results = results, .args = args, .states = fxi_node_states(c->node)};
    r.state = (char **)(void *)workspace;
    r.inputs = r.state + r.states;
    r.flag = workspace + c->pointers - 64;
    r.bank = workspace + c->pointers;
    r.workspace = r.bank + c->state_bank;
    for (size_t i = 0; i < r.states; i++) r.state[i] = operands[i];
    return r;
}

static bool run_body(const control_run *r, size_t body, char *const *inputs, char *const *outputs,
                     fx_error *err) {
    return fxi_program_run_inner(r->c->bodies[body], inputs, outputs, r->workspace, r->args, err);
}

static size_t parameters_of(const control_run *r, size_t body) {
    return r->c->bodies[body]->plan.graph->parameters.count;
}

static char *row_of(const control_run *r, size_t output, int64_t round) {
    return r->results[output] + round * memory_size(&r->c->bodies[0]->plan.graph->outputs[output]->shape);
}

/* Where the states are written: to the results, to the bank when they lie there and may not stay, or where
 * stacked results have theirs. next: the round of a scan that reads them, -1 when none does. */
static void place_states(const control_run *r, char **outputs, int64_t next) {
    char *at = r->bank;
    for (size_t i = 0; i < r->states; i++) {
        bool moves = !stays(r->c, i);
        outputs[i] = moves && r->state[i] == r->results[i] ? at : r->results[i];
        if (r->c->shared[i] >= 0)
            outputs[i] = outputs[r->c->shared[i]];
        else if (r->c->ahead[i] >= 0 && next >= 0)
            outputs[i] = row_of(r, (size_t)r->c->ahead[i], next);
        if (moves) at += fxi_size_lines(memory_size(&r->c->node->operands[i]->shape));
    }
}

static void take_states(control_run *r, char *const *outputs) {
    for (size_t i = 0; i < r->states; i++) r->state[i] = outputs[i];
}

static void give_states(const control_run *r) {
    for (size_t i = 0; i < r->states; i++) {
        int64_t bytes = memory_size(&r->c->node->operands[i]->shape);
        if (bytes && r->state[i] != r->results[i]) memcpy(r->results[i], r->state[i], (size_t)bytes);
    }
}

/* States, then the captures, which are the operands from `first` on. */
static char **fill_inputs(const control_run *r, size_t body, size_t first) {
    size_t n = parameters_of(r, body);
    for (size_t i = 0; i < r->states; i++) r->inputs[i] = r->state[i];
    for (size_t i = r->states; i < n; i++) r->inputs[i] = r->operands[first + i - r->states];
    return r->inputs + n;
}

static bool run_while(control_run *r, fx_error *err) {
    for (;;) {
        fill_inputs(r, 0, r->states);
        FX_TRY(run_body(r, 0, r->inputs, &r->flag, err));
        if (!*r->flag) return true;
        char **outputs = fill_inputs(r, 1, parameters_of(r, 0));
        place_states(r, outputs, -1);
        FX_TRY(run_body(r, 1, r->inputs, outputs, err));
        take_states(r, outputs);
    }
}

/* An index out of range chooses the last branch; true is branch 0. */
static size_t choose_branch(const control_run *r) {
    size_t branches = r->c->body_count;
    if (r->c->node->operands[0]->shape.dtype == FX_BOOL) return *r->operands[0] ? 0 : branches - 1;
    int32_t i;
    memcpy(&i, r->operands[0], sizeof i);
    return i < 0 || (size_t)i >= branches ? branches - 1 : (size_t)i;
}

static bool run_if(control_run *r, fx_error *err) {
    size_t branch = choose_branch(r), first = 1;
    for (size_t i = 0; i < branch; i++) first += parameters_of(r, i);
    return run_body(r, branch, r->operands + first, r->results, err);
}

/* ---- scan ---- */

static int64_t parameter_bytes(const control_run *r, size_t i) {
    return memory_size(&r->c->bodies[0]->plan.graph->parameters.data[i]->shape);
}

/* States that are stacked as a round finds them lie in its row already: the first ones are copied there, and
 * each round writes to the next round's row. */
static void await_states(control_run *r, int64_t round) {
    for (size_t i = 0; i < r->states; i++) {
        int64_t bytes = memory_size(&r->c->node->operands[i]->shape);
        if (r->c->ahead[i] < 0) continue;
        r->state[i] = row_of(r, (size_t)r->c->ahead[i], round);
        if (bytes) memcpy(r->state[i], r->operands[i], (size_t)bytes);
    }
}

/* next: the round after it, -1 for none. */
static bool run_round(control_run *r, size_t inputs, int64_t round, int64_t next, fx_error *err) {
    const fx_graph *g = r->c->bodies[0]->plan.graph;
    char **outputs = r->inputs + g->parameters.count;
    for (size_t i = 0; i < r->states; i++) r->inputs[i] = r->state[i];
    for (size_t i = r->states; i < r->states + inputs; i++)
        r->inputs[i] = r->operands[i] + round * parameter_bytes(r, i);
    for (size_t i = r->states; i < g->output_count; i++) outputs[i] = row_of(r, i, round);
    place_states(r, outputs, next);
    FX_TRY(run_body(r, 0, r->inputs, outputs, err));
    take_states(r, outputs);
    return true;
}

static bool run_scan(control_run *r, fx_error *err) {
    const fx_node *n = r->c->node;
    size_t inputs = (size_t)fxi_node_int(n, FXI_ATTR_INPUTS);
    int64_t length = fxi_node_int(n, FXI_ATTR_LENGTH);
    bool backwards = fxi_node_int(n, FXI_ATTR_BACKWARDS) != 0;
    int64_t first = backwards ? length - 1 : 0, by = backwards ? -1 : 1;
    for (size_t i = r->states + inputs; i < n->operand_count; i++) r->inputs[i] = r->operands[i];
    if (length > 0) await_states(r, first);
    for (int64_t k = 0; k < length; k++) {
        int64_t round = first + by * k;
        FX_TRY(run_round(r, inputs, round, k + 1 < length ? round + by : -1, err));
    }
    return true;
}

bool fxi_control_run(const fxi_control *c, char *const *operands, char *const *results, char *workspace,
                     const fxi_run_args *args, fx_error *err) {
    if (c->code) {
        c->run(operands, results, c->node->op == FX_OP_SCAN ? fxi_node_int(c->node, FXI_ATTR_LENGTH) : 0);
        return true;
    }
    if (c->lanes) return fxi_sort_by_run(c, operands, results, workspace, args, err);
    control_run r = start(c, operands, results, workspace, args);
    if (c->node->op == FX_OP_IF) return run_if(&r, err);
    FX_TRY(c->node->op == FX_OP_WHILE ? run_while(&r, err) : run_scan(&r, err));
    give_states(&r);
    return true;
}
