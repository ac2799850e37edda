/* SPDX-License-Identifier: Apache-2.0 */
/* The process-wide cache of compiled kernels: equal kernels of any program, backend or thread are compiled
 * once.
 *
 * One lock guards a hash map from (target, key bytes) to entries and a list of them by last use. It is never
 * held while code is generated: whoever asks first puts in an entry without code and compiles; others with
 * the same key wait on one condition variable and share the outcome, an error included. Errors are not kept,
 * so that a later call tries again. Bounded by bytes and count: the least recently used kernels that nobody
 * else refers to go first. Kernels in use by programs are not dropped, since that would free nothing. */
#include "jit_internal.h"

#include <pthread.h>
#include <string.h>

#define BYTES_LIMIT ((size_t)64 << 20)
#define COUNT_LIMIT 4096u /* a kernel is three memory maps; Linux allows 65,530 to a process */
#define LANES 16u         /* logical lanes of f32 on every ISA */

/* A compilation under way; lives on the stack of the thread that does it. */
typedef struct attempt {
    fx_error error;
    bool failed;
} attempt;

typedef struct entry {
    struct entry *older, *newer; /* list by last use; `older` also chains entries to be freed */
    uint64_t hash;
    const fxi_target *target;
    fxi_code *code;   /* NULL while it is being compiled */
    attempt *attempt; /* NULL once there is code */
    unsigned waiting; /* threads that wait for it: it must stay */
    size_t key_bytes;
    unsigned char key[];
} entry;

typedef struct lookup {
    const fxi_target *target;
    const void *key;
    size_t key_bytes;
} lookup;

static struct kernel_cache {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* an attempt ended, or the last waiter has seen it */
    fxi_map map;
    entry *oldest, *newest;
    fxi_kernel_stats stats;
} kernel_cache = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* ---- the list, the map and the bounds; all under the lock ---- */

static void list_remove(entry *e) {
    if (e->older != NULL)
        e->older->newer = e->newer;
    else
        kernel_cache.oldest = e->newer;
    if (e->newer != NULL)
        e->newer->older = e->older;
    else
        kernel_cache.newest = e->older;
}

static void list_append(entry *e) {
    e->older = kernel_cache.newest;
    e->newer = NULL;
    if (kernel_cache.newest != NULL)
        kernel_cache.newest->newer = e;
    else
        kernel_cache.oldest = e;
    kernel_cache.newest = e;
}

static bool equal(const void *value, const void *key) {
    const entry *e = value;
    const lookup *l = key;
    return e->target == l->target && e->key_bytes == l->key_bytes &&
           memcmp(e->key, l->key, l->key_bytes) == 0;
}

static size_t entry_bytes(const entry *e) {
    return sizeof *e + e->key_bytes + fxi_code_bytes(e->code);
}

static void forget(entry *e) {
    fxi_map_remove(&kernel_cache.map, e->hash, e);
    list_remove(e);
    if (e->code == NULL) return;
    kernel_cache.stats.bytes -= entry_bytes(e);
    kernel_cache.stats.count--;
}

/* Takes out unused entries, oldest first, until the cache is within the bounds; gives back their chain. */
static entry *evict(size_t bytes_limit, size_t count_limit) {
    entry *dropped = NULL;
    for (entry *e = kernel_cache.oldest, *next; e != NULL; e = next) {
        if (kernel_cache.stats.bytes <= bytes_limit && kernel_cache.stats.count <= count_limit) break;
        next = e->newer;
        if (e->code == NULL || e->waiting > 0 || fxi_code_is_shared(e->code)) continue;
        forget(e);
        kernel_cache.stats.evicted++;
        e->older = dropped;
        dropped = e;
    }
    return dropped;
}

static void free_chain(entry *e) {
    while (e != NULL) {
        entry *next = e->older;
        fxi_code_free(e->code);
        fxi_free(e);
        e = next;
    }
}

static entry *insert(const lookup *l, uint64_t hash, attempt *a) {
    if (l->key_bytes > SIZE_MAX - sizeof(entry)) return NULL;
    entry *e = fxi_alloc(sizeof *e + l->key_bytes);
    if (e == NULL) return NULL;
    *e = (entry){.hash = hash, .target = l->target, .attempt = a, .key_bytes = l->key_bytes};
    memcpy(e->key, l->key, l->key_bytes);
    if (!fxi_map_put(&kernel_cache.map, hash, e)) {
        fxi_free(e);
        return NULL;
    }
    list_append(e);
    return e;
}

/* ---- compiling ---- */

static fxi_code *build_and_compile(fxi_emit *e, fxi_kernel_build build, const void *description,
                                   fx_error *err) {
    if (!fxi_jit_describe(e->module, e->target, err) || !build(e, description, err)) return NULL;
    return fxi_jit_compile(e->module, e->target, false, err);
}

static fxi_code *compile(const fxi_target *target, fxi_kernel_build build, const void *description,
                         fx_error *err) {
    if (!fxi_jit_reserve(0, err)) return NULL;
    LLVMContextRef context = LLVMContextCreate();
#ifdef NDEBUG
    LLVMContextSetDiscardValueNames(context, 1); /* names only help whoever reads a dump */
#endif
    fxi_emit e = {.context = context, .target = target, .lanes = LANES};
    e.module = LLVMModuleCreateWithNameInContext("kernel", context);
    e.builder = LLVMCreateBuilderInContext(context);
    fxi_code *code = build_and_compile(&e, build, description, err);
    LLVMDisposeBuilder(e.builder);
    LLVMDisposeModule(e.module);
    LLVMContextDispose(context);
    return code;
}

/* ---- the three ways a call can end; each is entered with the lock held and releases it ---- */

static fxi_code *take_hit(entry *e) {
    fxi_code *code = fxi_code_ref(e->code);
    kernel_cache.stats.hits++;
    list_remove(e);
    list_append(e);
    pthread_mutex_unlock(&kernel_cache.lock);
    return code;
}

static fxi_code *wait_for(entry *e, fx_error *err) {
    const attempt *a = e->attempt;
    e->waiting++;
    while (e->code == NULL && !a->failed) pthread_cond_wait(&kernel_cache.changed, &kernel_cache.lock);
    e->waiting--;
    if (e->code != NULL) return take_hit(e);
    fx_error copy = a->error; /* `a` is gone once the last waiter has left the lock */
    pthread_cond_broadcast(&kernel_cache.changed);
    pthread_mutex_unlock(&kernel_cache.lock);
    fxi_fail_copy(err, &copy);
    return NULL;
}

static void publish_failure(entry *e, attempt *a) {
    if (a->error.code == FX_OK)
        fxi_fail(&a->error, FX_ERROR_INTERNAL, "kernel cache: a builder failed silently");
    a->failed = true;
    forget(e);
    pthread_cond_broadcast(&kernel_cache.changed);
    while (e->waiting > 0) pthread_cond_wait(&kernel_cache.changed, &kernel_cache.lock);
    pthread_mutex_unlock(&kernel_cache.lock);
    fxi_free(e);
}

static void publish_code(entry *e, fxi_code *code) {
    e->code = fxi_code_ref(code);
    e->attempt = NULL;
    kernel_cache.stats.compiled++;
    kernel_cache.stats.count++;
    kernel_cache.stats.bytes += entry_bytes(e);
    entry *dropped = evict(BYTES_LIMIT, COUNT_LIMIT);
    pthread_cond_broadcast(&kernel_cache.changed);
    pthread_mutex_unlock(&kernel_cache.lock);
    free_chain(dropped);
}

fxi_code *fxi_kernel_get(const fxi_target *target, const void *key, size_t key_bytes, fxi_kernel_build build,
                         const void *description, fx_error *err) {
    if (target == NULL || key == NULL || build == NULL) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "kernel cache: target, key or build is NULL");
        return NULL;
    }
    attempt mine = {.failed = false};
    lookup l = {target, key, key_bytes};
    uint64_t hash = fxi_hash_bytes(key, key_bytes, (uint64_t)(uintptr_t)target);
    pthread_mutex_lock(&kernel_cache.lock);
    entry *e = fxi_map_find(&kernel_cache.map, hash, &l, equal);
    if (e != NULL) return e->code != NULL ? take_hit(e) : wait_for(e, err);
    e = insert(&l, hash, &mine);
    pthread_mutex_unlock(&kernel_cache.lock);
    if (e == NULL) {
        fxi_fail_memory(err, "kernel cache");
        return NULL;
    }
    fxi_code *code = compile(target, build, description, &mine.error);
    pthread_mutex_lock(&kernel_cache.lock);
    if (code != NULL) {
        publish_code(e, code);
        return code;
    }
    publish_failure(e, &mine);
    fxi_fail_copy(err, &mine.error);
    return NULL;
}

fxi_kernel_stats fxi_kernel_cache_stats(void) {
    pthread_mutex_lock(&kernel_cache.lock);
    fxi_kernel_stats stats = kernel_cache.stats;
    pthread_mutex_unlock(&kernel_cache.lock);
    return stats;
}

void fxi_kernel_cache_clear(void) {
    pthread_mutex_lock(&kernel_cache.lock);
    entry *dropped = evict(0, 0);
    if (kernel_cache.map.count == 0) fxi_map_free(&kernel_cache.map);
    pthread_mutex_unlock(&kernel_cache.lock);
    free_chain(dropped);
    fxi_jit_drop_machines();
}
