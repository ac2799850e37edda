/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled programs by input shapes: a hash map and a list in order of use, O(1) per call, the oldest evicted beyond the limit.
 * Whoever asks first for a set of shapes compiles it outside the lock; others with the same shapes wait for that one. */
#include "exec.h"
#include <string.h>

enum { DEFAULT_LIMIT = 32 };

bool fxi_cache_open(fxi_exec_cache *cache, fx_error *err) {
    if (pthread_mutex_init(&cache->mutex, NULL) != 0) return fxi_fail_memory(err, "fx_exec_new");
    if (pthread_cond_init(&cache->changed, NULL) == 0) return true;
    pthread_mutex_destroy(&cache->mutex);
    return fxi_fail_memory(err, "fx_exec_new");
}

typedef struct shape_key {
    const fx_shape *const *shapes;
    size_t count;
} shape_key;

static uint64_t hash_shapes(const fx_shape *const *shapes, size_t n) {
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++) {
        const fx_shape *s = shapes[i];
        hash = fxi_hash_u64(((uint64_t)s->dtype << 8) | (uint64_t)s->rank, hash);
        for (int k = 0; k < s->rank; k++) hash = fxi_hash_u64((uint64_t)s->dims[k], hash);
    }
    return hash;
}

static bool equal_shapes(const void *value, const void *key) {
    const fxi_cache_entry *entry = value;
    const shape_key *wanted = key;
    if (entry->count != wanted->count) return false;
    for (size_t i = 0; i < entry->count; i++)
        if (!fx_shape_equal(&entry->shapes[i], wanted->shapes[i])) return false;
    return true;
}

/* ---- the list; all under the mutex ---- */

static void unlink_entry(fxi_exec_cache *c, fxi_cache_entry *e) {
    if (e->newer) e->newer->older = e->older;
    else c->newest = e->older;
    if (e->older) e->older->newer = e->newer;
    else c->oldest = e->newer;
    e->newer = e->older = NULL;
}

static void link_newest(fxi_exec_cache *c, fxi_cache_entry *e) {
    e->older = c->newest;
    e->newer = NULL;
    if (c->newest) c->newest->newer = e;
    c->newest = e;
    if (!c->oldest) c->oldest = e;
}

static void destroy_entry(fxi_cache_entry *e) {
    fx_program_free(e->program);
    fxi_free(e->shapes);
    fxi_free(e);
}

static void drop_entry(fxi_cache_entry *e) {
    if (--e->references == 0) destroy_entry(e);
}

static void evict(fxi_exec_cache *c, fxi_cache_entry *e) {
    if (!e->cached) return;
    e->cached = false;
    unlink_entry(c, e);
    fxi_map_remove(&c->map, e->hash, e);
    c->held--;
    drop_entry(e);
}

static void trim(fx_exec *exec, const fxi_cache_entry *keep) {
    fxi_exec_cache *c = &exec->cache;
    int limit = exec->options.cache_limit ? exec->options.cache_limit : DEFAULT_LIMIT;
    fxi_cache_entry *e = c->oldest;
    while (e && c->held > limit) {
        fxi_cache_entry *newer = e->newer;
        if (e != keep && e->phase != FXI_COMPILING) evict(c, e);
        e = newer;
    }
}

void fxi_cache_close(fxi_exec_cache *c) {
    while (c->oldest) evict(c, c->oldest);
    fxi_map_free(&c->map);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->mutex);
}

/* ---- finding ---- */

static fxi_cache_entry *new_entry(fxi_exec_cache *c, const fx_shape *const *shapes, size_t n, uint64_t hash) {
    fxi_cache_entry *e = fxi_alloc_zeroed(1, sizeof *e);
    fx_shape *copy = fxi_alloc_zeroed(n + 1, sizeof *copy);
    if (!e || !copy || !fxi_map_put(&c->map, hash, e)) {
        fxi_free(e);
        fxi_free(copy);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) copy[i] = *shapes[i];
    *e = (fxi_cache_entry){.hash = hash, .shapes = copy, .count = n, .phase = FXI_COMPILING, .references = 2, .cached = true};
    link_newest(c, e);
    c->held++;
    return e;
}

/* Compiles outside the lock, then wakes the waiters. A failure is told to them and forgotten: the next call tries again. */
static void compile_entry(fx_exec *exec, fxi_cache_entry *e) {
    fxi_exec_cache *c = &exec->cache;
    pthread_mutex_unlock(&c->mutex);
    fx_error error = {.code = FX_OK};
    fx_program *program = fxi_exec_build(exec, e->shapes, e->count, &error);
    pthread_mutex_lock(&c->mutex);
    e->program = program;
    e->error = error;
    e->phase = program ? FXI_READY : FXI_FAILED;
    if (program) c->compiled++;
    else evict(c, e);
    trim(exec, e);
    pthread_cond_broadcast(&c->changed);
}

fx_program *fxi_exec_find(fx_exec *exec, const fx_shape *const *shapes, size_t n, fx_error *err) {
    fxi_exec_cache *c = &exec->cache;
    uint64_t hash = hash_shapes(shapes, n);
    shape_key key = {shapes, n};
    if (!atomic_load_explicit(&exec->called, memory_order_relaxed)) atomic_store(&exec->called, true);
    pthread_mutex_lock(&c->mutex);
    fxi_cache_entry *e = fxi_map_find(&c->map, hash, &key, equal_shapes);
    if (e) {
        e->references++;
        c->hits++;
        if (c->newest != e) {
            unlink_entry(c, e);
            link_newest(c, e);
        }
        while (e->phase == FXI_COMPILING) pthread_cond_wait(&c->changed, &c->mutex);
    } else {
        e = new_entry(c, shapes, n, hash);
        if (e) compile_entry(exec, e);
    }
    fx_program *program = e && e->phase == FXI_READY ? fx_program_ref(e->program) : NULL;
    fx_error error = {.code = FX_OK};
    if (e && !program) error = e->error;
    bool memory = !e;
    if (e) drop_entry(e);
    pthread_mutex_unlock(&c->mutex);
    if (memory) fxi_fail_memory(err, "fx_exec_call");
    else if (!program) fxi_fail_copy(err, &error);
    return program;
}

bool fx_exec_statistics(const fx_exec *exec, fx_exec_stats *stats) {
    if (!exec || !stats) return false;
    fxi_exec_cache *c = (fxi_exec_cache *)(uintptr_t)&exec->cache;
    pthread_mutex_lock(&c->mutex);
    fx_exec_stats s = {.size = stats->size, .compiled = c->compiled, .cached = c->held, .hits = c->hits};
    pthread_mutex_unlock(&c->mutex);
    size_t size = stats->size && stats->size < sizeof s ? stats->size : sizeof s;
    memcpy(stats, &s, size);
    return true;
}
