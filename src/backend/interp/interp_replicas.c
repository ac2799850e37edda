/* SPDX-License-Identifier: Apache-2.0 */
/* Replicas: one program run several times side by side, a thread each. At a collective every replica shows
 * its operand and waits until all have come; then each computes its own result from all operands, and waits
 * again before it lets its operand go. Who fails or ends while others wait wakes them with the reason, so
 * nobody waits for ever; replicas that come to different collectives have diverged, which is an error too. */
#include "interp_internal.h"
#include "ops/ops.h"
#include <pthread.h>

typedef struct fxi_interp_team {
    size_t replicas;
    pthread_mutex_t mutex, log;
    pthread_cond_t changed;
    size_t arrived, ended; /* at the meeting that is on; for good */
    uint64_t meeting;      /* number of the meeting */
    bool failed;
    fx_error error;        /* the first one */
    const fx_node **nodes; /* per replica: where it waits; NULL: it does not */
    fx_tensor **operands;  /* per replica: what it shows */
} team;

/* ---- meetings ---- */

/* Under the mutex. */
static void fail_team(team *t, const fx_error *error) {
    if (!t->failed) t->error = *error;
    t->failed = true;
    pthread_cond_broadcast(&t->changed);
}

static void fail_diverged(team *t, const fx_node *node) {
    fx_error error = {.code = FX_OK};
    fxi_fail_at(&error, FX_ERROR_ARGUMENT, node->file, node->line,
                "interp: not all replicas come to this %s: they took different ways through the program",
                fxi_op_info_of(node->op)->text);
    fail_team(t, &error);
}

static bool all_at(const team *t, const fx_node *node) {
    for (size_t i = 0; i < t->replicas; i++)
        if (t->nodes[i] != node) return false;
    return true;
}

/* operand: what the replica shows; NULL: what it showed, which others may be reading. False when the team has
 * failed. */
static bool meet(const fxi_interp_replica *r, const fx_node *node, fx_tensor *operand) {
    team *t = r->team;
    pthread_mutex_lock(&t->mutex);
    t->nodes[r->number] = node;
    if (operand) t->operands[r->number] = operand;
    const uint64_t meeting = t->meeting;
    if (++t->arrived == t->replicas) {
        t->arrived = 0;
        t->meeting++;
        if (!all_at(t, node)) fail_diverged(t, node);
        pthread_cond_broadcast(&t->changed);
    } else if (t->ended > 0 && !t->failed) {
        fail_diverged(t, node);
    }
    while (t->meeting == meeting && !t->failed) pthread_cond_wait(&t->changed, &t->mutex);
    const bool ok = !t->failed;
    t->nodes[r->number] = NULL;
    pthread_mutex_unlock(&t->mutex);
    return ok;
}

static void end(const fxi_interp_replica *r, const fx_error *error) {
    team *t = r->team;
    pthread_mutex_lock(&t->mutex);
    t->ended++;
    if (error)
        fail_team(t, error);
    else if (t->arrived > 0 && !t->failed)
        for (size_t i = 0; i < t->replicas && !t->failed; i++)
            if (t->nodes[i]) fail_diverged(t, t->nodes[i]);
    pthread_mutex_unlock(&t->mutex);
}

bool fxi_interp_is_of_replicas(const fx_node *node) {
    if (node->op == FX_OP_REPLICA_ID) return true;
    return fxi_op_info_of(node->op)->op_class == FXI_CLASS_COLLECTIVE && node->op != FX_OP_SHARD &&
           !fxi_collective_of_partitions(node);
}

bool fxi_interp_exchange(fxi_interp_replica *r, const fx_node *node, fx_tensor *const *operands,
                         fx_tensor *result, fx_error *err) {
    static const char elsewhere[] = "interp: another replica failed";
    if (node->op == FX_OP_REPLICA_ID) {
        fxi_element_store(FX_U32, result->data, 0, (fxi_scalar){.i = (int64_t)r->number});
        return true;
    }
    if (!meet(r, node, operands[0])) return fxi_fail(err, FX_ERROR_BACKEND, elsewhere);
    fxi_interp_exchange_values(node, r->team->replicas, r->number, r->team->operands, result);
    return meet(r, node, NULL) || fxi_fail(err, FX_ERROR_BACKEND, elsewhere);
}

void fxi_interp_log_begin(fxi_interp_replica *r) {
    pthread_mutex_lock(&r->team->log);
}
void fxi_interp_log_end(fxi_interp_replica *r) {
    pthread_mutex_unlock(&r->team->log);
}

/* ---- threads ---- */

typedef struct member {
    fxi_interp_replica replica;
    const fxi_interp_team_args *of;
    pthread_t thread;
    bool started;
} member;

static void *run_member(void *argument) {
    member *m = argument;
    const fxi_interp_team_args *of = m->of;
    fxi_run_args args = *of->args;
    fx_error error = {.code = FX_OK};
    args.inputs += m->replica.number * of->n_in;
    args.outputs += m->replica.number * of->n_out;
    bool ok = fxi_interp_run_replica(of->program, &args, &m->replica, &error);
    end(&m->replica, ok ? NULL : &error);
    return NULL;
}

static bool open_team(team *t, size_t replicas, fx_error *err) {
    *t = (team){.replicas = replicas};
    t->nodes = fxi_alloc_zeroed(replicas, sizeof *t->nodes);
    t->operands = fxi_alloc_zeroed(replicas, sizeof *t->operands);
    bool lists = t->nodes && t->operands, mutex = lists && pthread_mutex_init(&t->mutex, NULL) == 0;
    bool log = mutex && pthread_mutex_init(&t->log, NULL) == 0;
    if (log && pthread_cond_init(&t->changed, NULL) == 0) return true;
    if (log) pthread_mutex_destroy(&t->log);
    if (mutex) pthread_mutex_destroy(&t->mutex);
    fxi_free((void *)t->nodes);
    fxi_free(t->operands);
    return fxi_fail_memory(err, "interp: run");
}

static void close_team(team *t) {
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->log);
    pthread_mutex_destroy(&t->mutex);
    fxi_free((void *)t->nodes);
    fxi_free(t->operands);
}

/* The first replica is the caller's thread. */
static void run_members(team *t, member *members, const fxi_interp_team_args *args) {
    for (size_t i = 0; i < t->replicas; i++) members[i] = (member){.replica = {t, i}, .of = args};
    for (size_t i = 1; i < t->replicas; i++) {
        members[i].started = pthread_create(&members[i].thread, NULL, run_member, &members[i]) == 0;
        if (members[i].started) continue;
        fx_error error = {.code = FX_OK};
        fxi_fail(&error, FX_ERROR_MEMORY, "interp: no thread for replica %zu", i);
        end(&members[i].replica, &error);
    }
    run_member(&members[0]);
    for (size_t i = 1; i < t->replicas; i++)
        if (members[i].started) pthread_join(members[i].thread, NULL);
}

bool fxi_interp_run_team(const fxi_interp_team_args *args, fx_error *err) {
    team t;
    member *members = fxi_alloc_zeroed(args->replicas, sizeof *members);
    if (!members) return fxi_fail_memory(err, "interp: run");
    bool opened = open_team(&t, args->replicas, err);
    if (opened) run_members(&t, members, args);
    fxi_free(members);
    if (!opened) return false;
    for (size_t i = 0; t.failed && i < args->replicas * args->n_out; i++) {
        fx_tensor_free(args->args->outputs[i]);
        args->args->outputs[i] = NULL;
    }
    if (t.failed) fxi_fail_copy(err, &t.error);
    close_team(&t);
    return !t.failed;
}
