/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes of a loop's body are computed before the loop (hoist.c moves them).
 *
 * What depends on captures alone is the same in every round; what depends on slices of stacked inputs too is
 * known for all rounds at once. Nodes are looked at from the outputs backwards: one that stays in the body
 * asks for its operands there, and one that is asked for moves, with all it is made of, if that pays:
 *   - the same in every round: when the rounds save some microseconds, and its elements are no more than
 *     those it reads, or costly ones (moves and broadcasts always stay: inside they cost nothing);
 *   - of slices: products with so few rows that each reads the whole other operand for little work, for which
 *     all rounds together are one product (an eighth to a third of the time; from 16 rows on the machine is
 *     busy in every round, and the detour through memory costs what is saved); and what is computed from such
 *     a one by division or a function;
 *   - of products that stay, the transpose of a matrix that is the same in every round, where they sum along
 *     its last axis (a step's adjoint does): with more than a few rows it would be packed anew in every
 *     round, which took 6 % of the time for 64 x 64 elements and a fifth to a third for larger ones;
 *     likewise moves that an inner loop or branch reads, for which they are done in every round;
 *   - a result that is stacked: always, since its memory is there anyway and the round saves a store.
 * Memory: what moves for all rounds may take four times what the loop reads and writes, and a mebibyte. So
 * the peak grows by a constant factor whatever the sizes, four being the gates of an LSTM, and a scan that
 * was written to keep large intermediate values from living all at once still does that. */
#include "ops/batch.h"
#include "hoist.h"

#define LEAST_SAVED 16384.0  /* element operations, some 5 us */
#define UNKNOWN_ROUNDS 16    /* of a while */
#define LEAST_PRODUCT 4096.0 /* multiply-adds a round: below, a round's other costs prevail */
#define MOST_ROWS 8
#define MEMORY_FACTOR 4
#define MEMORY_SLACK ((int64_t)1 << 20)
#define MOST_CONES 256 /* looked at, each in time proportional to the body */

typedef struct finder {
    fxi_hoist *h;
    double *chain;   /* operations to compute it once, operands included; shared ones count twice */
    int64_t *source; /* elements of the largest array it is computed from */
    bool *heavy;     /* computed from a product that may move */
    int *users;
    bool *cone;
    int64_t memory; /* still to be had, bytes */
    int cones;
} finder;

static const fx_node *node_at(const finder *f, size_t i) { return f->h->body->nodes.data[i]; }

static bool is_leaf(const fx_node *n) { return fxi_op_info_of(n->op)->op_class == FXI_CLASS_LEAF; }

/* An index map inside a kernel. */
static bool is_free(const fx_node *n) {
    return fxi_op_info_of(n->op)->op_class == FXI_CLASS_MOVE && n->op != FX_OP_CONCATENATE &&
           n->op != FX_OP_BITCAST;
}

/* ---- costs ---- */

static double multiply_adds(const fx_node *n) {
    fx_dims axes = fxi_node_ints(n, FXI_ATTR_LHS_CONTRACT);
    double work = (double)fx_shape_size(&n->shape);
    for (size_t i = 0; i < axes.n; i++) work *= (double)n->operands[0]->shape.dims[axes.v[i]];
    return work;
}

static double weight(const fx_node *n) {
    static const double weights[] = {
        [FXI_WORK_EXACT] = 1, [FXI_WORK_PLAIN] = 1, [FXI_WORK_DIVIDE] = 6, [FXI_WORK_FUNCTION] = 16};
    return weights[fxi_op_info_of(n->op)->work];
}

static double own_work(const fx_node *n) {
    double size = (double)fx_shape_size(&n->shape), read = 0;
    if (is_leaf(n) || is_free(n) || n->op == FX_OP_RESULT) return 0;
    if (n->op == FX_OP_DOT_GENERAL) return multiply_adds(n);
    if (fxi_op_is_map(n->op)) return size * weight(n);
    for (uint32_t k = 0; k < n->operand_count; k++) read += (double)fx_shape_size(&n->operands[k]->shape);
    return fxi_op_info_of(n->op)->op_class == FXI_CLASS_REDUCE ? read : 16 * (read + size);
}

/* A bound for the memory of all results; INT64_MAX when it exceeds 63 bits. */
static int64_t bytes_of(const fx_node *n, int64_t times) {
    int64_t total = 0, bytes;
    for (size_t i = 0; i < fxi_node_results(n); i++)
        if (!fxi_size_mul(fx_shape_bytes(fxi_node_result_shape(n, i)), times, &bytes) ||
            !fxi_size_add(total, bytes, &total))
            return INT64_MAX;
    return total;
}

/* ---- dependence ---- */

/* Logged nodes are reported round by round; a user's function, a barrier and what several devices do together
 * stay where they were put. */
static bool is_held(const fx_node *n) {
    return n->labels || n->op == FX_OP_CUSTOM_CALL || n->op == FX_OP_BARRIER ||
           fxi_op_info_of(n->op)->op_class == FXI_CLASS_COLLECTIVE;
}

static bool has_effects(const fx_graph *g) {
    for (size_t i = 0; i < g->nodes.count; i++) {
        const fx_node *n = g->nodes.data[i];
        fxi_graphs bodies = fxi_node_bodies(n);
        if (is_held(n)) return true;
        for (size_t k = 0; k < bodies.n; k++) /* FXI_MAX_NESTING deep at most */
            if (has_effects(bodies.v[k])) return true;
    }
    return false;
}

static fxi_depends parameter_depends(const fxi_hoist *h, size_t index) {
    const fx_graph *carrier = h->loop->op == FX_OP_WHILE ? fxi_node_bodies(h->loop).v[1] : h->body;
    if (index < h->states) /* handed on as it is, it is the same in every round */
        return carrier->outputs[index] == carrier->parameters.data[index] ? FXI_DEPENDS_NOT
                                                                          : FXI_DEPENDS_STATE;
    return index < h->states + h->inputs ? FXI_DEPENDS_SLICE : FXI_DEPENDS_NOT;
}

/* A loop that may have no round at all computes nothing before it that could run for ever. */
static bool may_move(const fxi_hoist *h, const fx_node *n) {
    fxi_graphs bodies = fxi_node_bodies(n);
    if (is_held(n)) return false;
    if (bodies.n > 0 && h->rounds < 0) return false;
    for (size_t k = 0; k < bodies.n; k++)
        if (has_effects(bodies.v[k])) return false;
    return true;
}

static bool may_batch(const fxi_hoist *h, const fx_node *n) {
    if (n->op == FX_OP_COMPOSITE) return false; /* the backend has a kernel for this one, as it is */
    bool batched[FX_MAX_RANK + 3] = {false};
    if (n->operand_count > FX_MAX_RANK + 3 || n->op == FX_OP_CONVOLUTION) return false;
    for (uint32_t k = 0; k < n->operand_count; k++)
        batched[k] = h->depends[n->operands[k]->id] == FXI_DEPENDS_SLICE;
    return fxi_batch_is_whole(n, batched);
}

static fxi_depends node_depends(const fxi_hoist *h, const fx_node *n) {
    if (n->op == FX_OP_PARAMETER) return parameter_depends(h, (size_t)fxi_node_int(n, FXI_ATTR_INDEX));
    unsigned char most = FXI_DEPENDS_NOT;
    for (uint32_t k = 0; k < n->operand_count; k++)
        if (h->depends[n->operands[k]->id] > most) most = h->depends[n->operands[k]->id];
    if (!may_move(h, n) || (most == FXI_DEPENDS_SLICE && !may_batch(h, n))) return FXI_DEPENDS_STATE;
    return (fxi_depends)most;
}

/* ---- what pays ---- */

static int64_t free_size(const fx_node *x, fx_dims batch, fx_dims contract) {
    int64_t size = 1;
    for (int i = 0; i < x->shape.rank; i++)
        if (!fxi_dims_has(batch, i) && !fxi_dims_has(contract, i)) size *= x->shape.dims[i];
    return size;
}

/* Rows with which each element of the operand that is no slice meets; INT64_MAX when both are. */
static int64_t rows_of(const fxi_hoist *h, const fx_node *n) {
    if (h->depends[n->operands[1]->id] == FXI_DEPENDS_NOT)
        return free_size(n->operands[0], fxi_node_ints(n, FXI_ATTR_LHS_BATCH),
                         fxi_node_ints(n, FXI_ATTR_LHS_CONTRACT));
    if (h->depends[n->operands[0]->id] == FXI_DEPENDS_NOT)
        return free_size(n->operands[1], fxi_node_ints(n, FXI_ATTR_RHS_BATCH),
                         fxi_node_ints(n, FXI_ATTR_RHS_CONTRACT));
    return INT64_MAX;
}

static bool is_heavy(const fxi_hoist *h, const fx_node *n) {
    return n->op == FX_OP_DOT_GENERAL && h->depends[n->id] == FXI_DEPENDS_SLICE &&
           own_work(n) >= LEAST_PRODUCT && rows_of(h, n) <= MOST_ROWS;
}

static bool is_stacked_output(const fxi_hoist *h, const fx_node *n) {
    if (h->loop->op != FX_OP_SCAN) return false;
    for (size_t i = h->states; i < h->body->output_count; i++)
        if (h->body->outputs[i] == n) return true;
    return false;
}

static bool pays_for_all(const finder *f, const fx_node *n) {
    if (is_free(n)) return false;
    double rounds = (double)(f->h->rounds < 0 ? UNKNOWN_ROUNDS : f->h->rounds);
    if (f->chain[n->id] * (rounds - 1) < LEAST_SAVED) return false;
    int64_t size = fx_shape_size(&n->shape);
    return !fxi_op_is_map(n->op) || size <= f->source[n->id] || f->chain[n->id] > 4 * (double)size;
}

static bool pays_by_slices(const finder *f, const fx_node *n) {
    if (n->op == FX_OP_RESULT) n = n->operands[0];
    return is_heavy(f->h, n) || (fxi_op_is_map(n->op) && f->heavy[n->id] && weight(n) > 1);
}

/* Marks what n is made of and does not move yet; gives the memory that it takes. A chain of elementwise
 * operations takes none but for its end. */
static int64_t measure_cone(finder *f, const fx_node *n, bool stacked) {
    int64_t total = stacked ? 0 : bytes_of(n, f->h->depends[n->id] == FXI_DEPENDS_SLICE ? f->h->rounds : 1);
    for (int64_t i = 0; i < n->id; i++) f->cone[i] = false;
    f->cone[n->id] = true;
    for (int64_t i = n->id; i >= 0; i--) {
        const fx_node *x = node_at(f, (size_t)i);
        if (!f->cone[i]) continue;
        for (uint32_t k = 0; k < x->operand_count; k++)
            f->cone[x->operands[k]->id] |= !f->h->moved[x->operands[k]->id];
        bool fused = fxi_op_is_map(x->op) && f->users[i] < 2;
        if (x == n || is_leaf(x) || is_free(x) || x->op == FX_OP_RESULT || fused) continue;
        int64_t bytes = bytes_of(x, f->h->depends[i] == FXI_DEPENDS_SLICE ? f->h->rounds : 1);
        if (!fxi_size_add(total, bytes, &total)) total = INT64_MAX;
    }
    return total;
}

/* Moves a node with all it is made of, unless that takes too much. */
static bool move_cone(finder *f, const fx_node *n, bool stacked) {
    fxi_hoist *h = f->h;
    if (f->cones++ >= MOST_CONES) return false;
    int64_t bytes = measure_cone(f, n, stacked);
    if (bytes > f->memory) return false;
    f->memory -= bytes;
    for (int64_t i = 0; i <= n->id; i++) h->moved[i] |= f->cone[i];
    return h->any = true;
}

static bool moves(finder *f, const fx_node *n) {
    fxi_hoist *h = f->h;
    if (h->moved[n->id]) return true;
    bool stacked = is_stacked_output(h, n);
    if (h->depends[n->id] == FXI_DEPENDS_STATE || (is_leaf(n) && !stacked)) return false;
    bool pays = h->depends[n->id] == FXI_DEPENDS_NOT ? pays_for_all(f, n) : pays_by_slices(f, n);
    return (pays || stacked) && move_cone(f, n, stacked);
}

/* ---- moves that are done in every round ---- */

/* Whether a product is one that would read its right operand in place, but for the order of its axes. */
static bool may_be_direct(const fxi_hoist *h, const fx_node *n) {
    if (n->op != FX_OP_DOT_GENERAL || fxi_node_ints(n, FXI_ATTR_RHS_BATCH).n > 0) return false;
    const fx_node *w = n->operands[1];
    fx_dtype dtype = w->shape.dtype;
    bool direct = dtype == FX_F32 || dtype == FX_F64 || dtype == FX_S32 || dtype == FX_S64;
    return direct && n->shape.dtype == dtype && h->depends[w->id] == FXI_DEPENDS_NOT && w->shape.rank > 1 &&
           fxi_node_ints(n, FXI_ATTR_RHS_CONTRACT).n == 1 && own_work(n) >= LEAST_PRODUCT &&
           rows_of(h, n) > MOST_ROWS;
}

bool fxi_hoist_turns(const fxi_hoist *h, const fx_node *n) {
    return may_be_direct(h, n) && h->turned[n->operands[1]->id] &&
           fxi_node_ints(n, FXI_ATTR_RHS_CONTRACT).v[0] == n->operands[1]->shape.rank - 1;
}

/* A move becomes a value of its own before the loop. */
static void make_solid(finder *f, const fx_node *n) {
    fxi_hoist *h = f->h;
    if (!is_free(n) || h->depends[n->id] != FXI_DEPENDS_NOT || h->solid[n->id]) return;
    h->solid[n->id] = move_cone(f, n, false);
}

static void settle_operands(finder *f, const fx_node *n) {
    const fx_node *w = n->operand_count > 1 ? n->operands[1] : NULL;
    if (w && w->op == FX_OP_TRANSPOSE && may_be_direct(f->h, n)) {
        int64_t axis = fxi_node_ints(n, FXI_ATTR_RHS_CONTRACT).v[0];
        if (fxi_node_ints(w, FXI_ATTR_PERMUTATION).v[axis] == w->shape.rank - 1) make_solid(f, w);
    }
    if (fxi_op_info_of(n->op)->op_class != FXI_CLASS_CONTROL) return;
    double rounds = (double)(f->h->rounds < 0 ? UNKNOWN_ROUNDS : f->h->rounds);
    for (uint32_t k = 0; k < n->operand_count; k++)
        if ((double)fx_shape_size(&n->operands[k]->shape) * (rounds - 1) >= LEAST_SAVED / 4)
            make_solid(f, n->operands[k]);
}

/* Decides for a product that stays; what is transposed must be there before the loop. */
static bool turns(finder *f, const fx_node *n) {
    fxi_hoist *h = f->h;
    if (!may_be_direct(h, n)) return false;
    const fx_node *w = n->operands[1];
    if (fxi_node_ints(n, FXI_ATTR_RHS_CONTRACT).v[0] != w->shape.rank - 1) return false;
    if (h->turned[w->id]) return true;
    if (w->op != FX_OP_PARAMETER && !(moves(f, w) && fxi_hoist_is_read(h, w))) return false;
    int64_t bytes = fx_shape_bytes(&w->shape);
    if (bytes > f->memory) return false;
    f->memory -= bytes;
    h->turned[w->id] = true;
    return h->any = true;
}

/* ---- the two walks ---- */

/* A node with several results stays with one that is held. */
static void mark_held(const finder *f, bool *held) {
    for (size_t i = 0; i < f->h->body->nodes.count; i++) {
        const fx_node *n = node_at(f, i);
        if (n->op == FX_OP_RESULT && is_held(n)) held[n->operands[0]->id] = true;
    }
}

static void describe(finder *f) {
    fxi_hoist *h = f->h;
    mark_held(f, f->cone); /* which is not in use yet */
    for (size_t i = 0; i < h->body->nodes.count; i++) {
        const fx_node *n = node_at(f, i);
        h->depends[i] = (unsigned char)(f->cone[i] ? FXI_DEPENDS_STATE : node_depends(h, n));
        f->chain[i] = own_work(n);
        f->heavy[i] = is_heavy(h, n);
        for (uint32_t k = 0; k < n->operand_count; k++) {
            int64_t x = n->operands[k]->id;
            f->chain[i] += f->chain[x];
            f->heavy[i] |= f->heavy[x];
            f->source[i] = fxi_size_max(f->source[i], f->source[x]);
            f->users[x]++;
        }
        if (n->op == FX_OP_PARAMETER || !(fxi_op_is_map(n->op) || is_leaf(n) || is_free(n)))
            f->source[i] = fx_shape_size(&n->shape);
    }
}

bool fxi_hoist_is_read(const fxi_hoist *h, const fx_node *n) {
    return h->moved[n->id] && !is_leaf(n) && (!is_free(n) || h->solid[n->id]);
}

bool fxi_hoist_is_output(const fxi_hoist *h, size_t output) {
    return h->loop->op == FX_OP_SCAN && output >= h->states && h->moved[h->body->outputs[output]->id];
}

/* What is read of a node with several results that moved is where that is, whether it pays or not. */
static void follow_results(const fxi_hoist *h) {
    for (size_t i = 0; i < h->body->nodes.count; i++) {
        const fx_node *n = h->body->nodes.data[i];
        if (n->op == FX_OP_RESULT && h->moved[n->operands[0]->id]) h->moved[i] = true;
    }
}

static void choose(finder *f) {
    fxi_hoist *h = f->h;
    const fx_graph *g = h->body;
    for (size_t i = 0; i < g->output_count; i++) {
        moves(f, g->outputs[i]);
        h->kept[g->outputs[i]->id] |= !fxi_hoist_is_output(h, i);
    }
    for (size_t i = g->nodes.count; i-- > 0;) {
        const fx_node *n = node_at(f, i);
        if (!h->kept[i] || (moves(f, n) && fxi_hoist_is_read(h, n))) continue;
        settle_operands(f, n);
        uint32_t count = turns(f, n) ? 1 : n->operand_count;
        for (uint32_t k = 0; k < count; k++) h->kept[n->operands[k]->id] = true;
    }
    follow_results(h);
}

static int64_t memory_of(const fx_node *loop) {
    int64_t total = bytes_of(loop, 1);
    for (uint32_t k = 0; k < loop->operand_count; k++)
        if (!fxi_size_add(total, fx_shape_bytes(&loop->operands[k]->shape), &total)) return INT64_MAX;
    int64_t memory;
    return fxi_size_mul(total, MEMORY_FACTOR, &memory) && fxi_size_add(memory, MEMORY_SLACK, &memory) ? memory
                                                                                                  : INT64_MAX;
}

bool fxi_hoist_find(fxi_hoist *h, const fx_node *loop, size_t closure) {
    bool scan = loop->op == FX_OP_SCAN;
    *h = (fxi_hoist){.loop = loop, .body = fxi_node_bodies(loop).v[closure], .states = fxi_node_states(loop)};
    h->inputs = scan ? (size_t)fxi_node_int(loop, FXI_ATTR_INPUTS) : 0;
    h->rounds = scan ? fxi_node_int(loop, FXI_ATTR_LENGTH) : -1;
    size_t n = h->body->nodes.count + 1;
    finder f = {.h = h, .memory = memory_of(loop)};
    h->depends = fxi_alloc_zeroed(n, sizeof *h->depends);
    h->moved = fxi_alloc_zeroed(n, sizeof *h->moved);
    h->kept = fxi_alloc_zeroed(n, sizeof *h->kept);
    h->solid = fxi_alloc_zeroed(n, sizeof *h->solid);
    h->turned = fxi_alloc_zeroed(n, sizeof *h->turned);
    f.chain = fxi_alloc_zeroed(n, sizeof *f.chain);
    f.source = fxi_alloc_zeroed(n, sizeof *f.source);
    f.heavy = fxi_alloc_zeroed(n, sizeof *f.heavy);
    f.users = fxi_alloc_zeroed(n, sizeof *f.users);
    f.cone = fxi_alloc_zeroed(n, sizeof *f.cone);
    bool ok = h->depends && h->moved && h->kept && h->solid && h->turned && f.chain && f.source && f.heavy &&
              f.users && f.cone;
    if (ok && (h->rounds < 0 || h->rounds > 1)) {
        describe(&f);
        choose(&f);
    }
    fxi_free(f.chain);
    fxi_free(f.source);
    fxi_free(f.heavy);
    fxi_free(f.users);
    fxi_free(f.cone);
    return ok;
}

void fxi_hoist_free(fxi_hoist *h) {
    fxi_free(h->depends);
    fxi_free(h->moved);
    fxi_free(h->kept);
    fxi_free(h->solid);
    fxi_free(h->turned);
}
