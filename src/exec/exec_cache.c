/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled programs by input shapes: a hash map and a list in order of use, O(1) per call, the least
 * recently used evicted beyond the limit. Whoever asks first for a set of shapes compiles it outside the
 * lock; others with the same shapes wait for that one. An entry that leaves the cache lives on with whoever
 * waits for it; what nobody holds any more is destroyed outside the lock, since freeing a program unmaps its
 * code. A failure is told to those who waited and then forgotten. */
#include "exec.h"
#include <string.h>

enum { DEFAULT_LIMIT = 32 };

bool fxi_cache_open(fxi_exec_cache *cache, fx_error *err) {
    if (pthread_mutex_init(&cache->mutex, NULL) != 0) return fxi_fail_memory(err, "fx_exec_new");
    if (pthread_cond_init(&cache->changed, NULL) == 0) return true;
    pthread_mutex_destroy(&cache->mutex);
    return fxi_fail_memory(err, "fx_exec_new");
}

/* ---- shapes as a key ---- */

typedef struct shape_key {
    const fx_shape *const *shapes;
    size_t count;
    uint64_t hash;
} shape_key;

static shape_key make_key(const fx_shape *const *shapes, size_t n) {
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++) {
        const fx_shape *s = shapes[i];
        hash = fxi_hash_u64(((uint64_t)s->dtype << 8) | (uint64_t)s->rank, hash);
        for (int k = 0; k < s->rank; k++) hash = fxi_hash_u64((uint64_t)s->dims[k], hash);
    }
    return (shape_key){shapes, n, hash};
}

static bool equal_shapes(const void *value, const void *key) {
    const fxi_cache_entry *entry = value;
    const shape_key *wanted = key;
    if (entry->count != wanted->count) return false;
    for (size_t i = 0; i < entry->count; i++)
        if (!fx_shape_equal(&entry->shapes[i], wanted->shapes[i])) return false;
    return true;
}

/* ---- entries and the list; all under the mutex ---- */

static void unlink_entry(fxi_exec_cache *c, fxi_cache_entry *e) {
    if (e->newer)
        e->newer->older = e->older;
    else
        c->newest = e->older;
    if (e->older)
        e->older->newer = e->newer;
    else
        c->oldest = e->newer;
    e->newer = e->older = NULL;
}

static void link_newest(fxi_exec_cache *c, fxi_cache_entry *e) {
    e->older = c->newest;
    e->newer = NULL;
    if (c->newest) c->newest->newer = e;
    c->newest = e;
    if (!c->oldest) c->oldest = e;
}

static void drop_entry(fxi_exec_cache *c, fxi_cache_entry *e) {
    if (--e->references > 0) return;
    e->older = c->dead;
    c->dead = e;
}

static void evict(fxi_exec_cache *c, fxi_cache_entry *e) {
    e->cached = false;
    unlink_entry(c, e);
    fxi_map_remove(&c->map, e->hash, e);
    c->held--;
    drop_entry(c, e);
}

/* Entries that are being compiled, one per thread at most, are passed over: their threads trim again when
 * they are done. */
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

/* Unlocks the mutex and then destroys what was dropped under it. */
static void unlock_and_sweep(fxi_exec_cache *c) {
    fxi_cache_entry *dead = c->dead;
    c->dead = NULL;
    pthread_mutex_unlock(&c->mutex);
    while (dead) {
        fxi_cache_entry *next = dead->older;
        fx_program_free(dead->program);
        fxi_free(dead->shapes);
        fxi_free(dead);
        dead = next;
    }
}

void fxi_cache_close(fxi_exec_cache *c) {
    pthread_mutex_lock(&c->mutex);
    while (c->oldest) evict(c, c->oldest);
    unlock_and_sweep(c);
    fxi_map_free(&c->map);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->mutex);
}

/* ---- finding ---- */

static fxi_cache_entry *new_entry(fxi_exec_cache *c, const shape_key *key) {
    fxi_cache_entry *e = fxi_alloc_zeroed(1, sizeof *e);
    fx_shape *copy = fxi_alloc_zeroed(key->count, sizeof *copy);
    if (!e || !copy || !fxi_map_put(&c->map, key->hash, e)) {
        fxi_free(e);
        fxi_free(copy);
        return NULL;
    }
    for (size_t i = 0; i < key->count; i++) copy[i] = *key->shapes[i];
    e->hash = key->hash;
    e->shapes = copy;
    e->count = key->count;
    e->phase = FXI_COMPILING;
    e->references = 2; /* the cache's and the finder's */
    e->cached = true;
    link_newest(c, e);
    c->held++;
    return e;
}

/* Compiles outside the lock, then wakes the waiters. */
static void compile_entry(fx_exec *exec, fxi_cache_entry *e) {
    fxi_exec_cache *c = &exec->cache;
    pthread_mutex_unlock(&c->mutex);
    fx_error error = {.code = FX_OK};
    fx_program *program = fxi_exec_build(exec, e->shapes, &error);
    pthread_mutex_lock(&c->mutex);
    e->program = program;
    e->phase = program ? FXI_READY : FXI_FAILED;
    if (program) {
        c->compiled++;
    } else {
        e->error = error;
        evict(c, e);
    }
    trim(exec, e);
    pthread_cond_broadcast(&c->changed);
}

/* A known entry becomes the newest, and is awaited if another thread compiles it. */
static void use_entry(fxi_exec_cache *c, fxi_cache_entry *e) {
    e->references++;
    c->hits++;
    if (c->newest != e) {
        unlink_entry(c, e);
        link_newest(c, e);
    }
    while (e->phase == FXI_COMPILING) pthread_cond_wait(&c->changed, &c->mutex);
}

/* The entry for a key, no longer COMPILING, one reference; NULL with an error. Under the mutex. */
static fxi_cache_entry *find_entry(fx_exec *exec, const shape_key *key, fx_error *error) {
    fxi_exec_cache *c = &exec->cache;
    if (fxi_cache_is_builder(c)) {
        fxi_fail(error, FX_ERROR_ARGUMENT, "fx_exec_call: the graph function calls its own executable");
        return NULL;
    }
    fxi_cache_entry *e = fxi_map_find(&c->map, key->hash, key, equal_shapes);
    if (e) {
        use_entry(c, e);
        return e;
    }
    e = new_entry(c, key);
    if (e)
        compile_entry(exec, e);
    else
        fxi_fail_memory(error, "fx_exec_call");
    return e;
}

fx_program *fxi_exec_find(fx_exec *exec, const fx_shape *const *shapes, fx_error *err) {
    fxi_exec_cache *c = &exec->cache;
    shape_key key = make_key(shapes, exec->signature.n_in);
    if (!atomic_load_explicit(&exec->called, memory_order_relaxed)) atomic_store(&exec->called, true);
    fx_error
        error; /* delivered after unlocking, because FX_MUST does not come back; written only on failure */
    fx_program *program = NULL;
    pthread_mutex_lock(&c->mutex);
    fxi_cache_entry *e = find_entry(exec, &key, &error);
    if (e && e->phase == FXI_READY)
        program = fx_program_ref(e->program);
    else if (e)
        error = e->error;
    if (e) drop_entry(c, e);
    unlock_and_sweep(c);
    if (!program) fxi_fail_copy(err, &error);
    return program;
}

bool fx_exec_statistics(const fx_exec *exec, fx_exec_stats *stats) {
    if (!exec || !stats) return false;
    fxi_exec_cache *c =
        (fxi_exec_cache *)(uintptr_t)&exec->cache; /* the lock changes, the executable does not */
    pthread_mutex_lock(&c->mutex);
    fx_exec_stats s = {.size = stats->size, .compiled = c->compiled, .cached = c->held, .hits = c->hits};
    pthread_mutex_unlock(&c->mutex);
    size_t size = stats->size && stats->size < sizeof s ? stats->size : sizeof s;
    memcpy(stats, &s, size);
    return true;
}
