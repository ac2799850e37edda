/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool. A region is opened by one store to `state`, worked on by whoever joins, and closed by
 * the caller once no task is left; then the caller waits only for those who joined. A worker that wakes
 * too late finds the region closed, so no region ever waits for a sleeping thread. `state` is one word:
 *
 *     epoch (12 bits) | seats left (10) | joined (10)
 *
 * A worker joins by taking a seat (compare and swap); there are at most count - 1 seats. Open means seats
 * > 0. Only the holder of `busy` opens and closes. The region's description (task, context, count) is
 * written while nobody is joined and read only by those who joined, so plain members are enough. The
 * epoch tells a worker that it has seen a region; if it wraps around, a worker misses one region, which
 * costs time and never correctness.
 *
 * Waiting: spin for about 0.3 ms, then sleep in a futex. Waking a thread costs 15 to 100 us, an open
 * region that a spinning worker sees 0.2 us. With more threads than CPUs a spinning thread would take the
 * place of a working one, so nobody spins then. `sleepers` and `caller_sleeps` spare the system call when
 * nobody sleeps; as with any such flag, the sleeper sets it before its last look at the state and the
 * waker reads it after changing the state, all of it sequentially consistent.
 *
 * After a fork the workers are gone and the words may hold anything. `owner` finds that out: it lies in a
 * page that the kernel wipes in the child (a load, where asking getpid costs 160 ns), or holds the
 * process id where it cannot. */
#if defined(__linux__)
#define _GNU_SOURCE
#else
#define _POSIX_C_SOURCE 200809L
#endif
#include "pool.h"
#include "base_internal.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/prctl.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define JOINED_ONE UINT32_C(1)
#define JOINED_MASK UINT32_C(0x3FF)
#define SEAT_ONE UINT32_C(0x400)
#define SEATS_MASK UINT32_C(0xFFC00)
#define EPOCH_ONE UINT32_C(0x100000)
#define EPOCH_MASK UINT32_C(0xFFF00000)
#define NO_EPOCH UINT32_C(1) /* no state has this under EPOCH_MASK */

enum { MOST_THREADS = 1024, LINE = 64, SPIN_NS = 300000, SPINS_PER_LOOK = 64, OWNER_BYTES = 4096 };

struct fxi_pool {
    /* set once */
    fxi_parallel_for external;
    void *user;
    pthread_t *handles;      /* threads - 1 */
    _Atomic int32_t *owner;  /* see own_id */
    _Atomic int32_t owner_here;
    bool owner_is_wiped;     /* owner lies in a page of its own that a fork empties */
    unsigned threads;
    unsigned spins;          /* pauses before sleeping */
    /* changed only by the holder of busy */
    _Alignas(LINE) _Atomic uint32_t busy;
    _Atomic uint32_t caller_sleeps;
    _Atomic int32_t caller_cpu; /* where the last region was opened; a hint */
    unsigned workers;        /* running now */
    bool started;            /* in this process */
    /* what a worker polls, and what it reads when it joins */
    _Alignas(LINE) _Atomic uint32_t state;
    fxi_task task;
    void *context;
    int64_t count;
    _Alignas(LINE) _Atomic int64_t next; /* first task not claimed */
    _Alignas(LINE) _Atomic uint32_t sleepers;
    _Atomic uint32_t stopping;
    _Atomic int32_t worker_cpu; /* where a worker last joined; a hint */
};

/* ---- floating-point mode ---- */
#if defined(__x86_64__)
enum { MODE_DEFAULT = 0x1F80, MODE_STICKY = 0x3F };

static unsigned enter_mode(void)
{
    unsigned old = _mm_getcsr();
    if ((old & ~(unsigned)MODE_STICKY) != MODE_DEFAULT)
        _mm_setcsr(MODE_DEFAULT);
    return old;
}

static void leave_mode(unsigned old)
{
    if (_mm_getcsr() != old)
        _mm_setcsr(old);
}

static void pause_cpu(void)
{
    _mm_pause();
}
#else
static unsigned enter_mode(void)
{
    return 0;
}

static void leave_mode(unsigned old)
{
    (void)old;
}

static void pause_cpu(void)
{
#if defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}
#endif

/* -1 where it is not known. */
static int32_t current_cpu(void)
{
#if defined(__linux__)
    return (int32_t)sched_getcpu();
#else
    return -1;
#endif
}

/* One step of a wait. The scheduler may have put a woken worker on the CPU of the very thread that it
 * waits for, or that waits for it; only then does spinning hold both up, and the place is offered every
 * few microseconds. Offering it always would lose it to unrelated work for a whole time slice. */
static void spin_once(unsigned step, _Atomic int32_t *cpu_of_other)
{
    if (step % SPINS_PER_LOOK == SPINS_PER_LOOK - 1) {
        int32_t cpu = current_cpu();
        if (cpu >= 0 && cpu == atomic_load_explicit(cpu_of_other, memory_order_relaxed))
            sched_yield();
    }
    pause_cpu();
}

/* ---- workers ---- */

/* Sleeps until the epoch is another one than `seen` or the pool stops. */
static void sleep_until_epoch(fxi_pool *pool, uint32_t seen)
{
    atomic_fetch_add(&pool->sleepers, 1);
    for (;;) {
        uint32_t state = atomic_load(&pool->state);
        if ((state & EPOCH_MASK) != seen || atomic_load(&pool->stopping) != 0)
            break;
        fxi_futex_wait(&pool->state, state);
    }
    atomic_fetch_sub(&pool->sleepers, 1);
}

static void wait_for_epoch(fxi_pool *pool, uint32_t seen)
{
    for (unsigned i = 0; i < pool->spins; i++) {
        if ((atomic_load_explicit(&pool->state, memory_order_relaxed) & EPOCH_MASK) != seen)
            return;
        spin_once(i, &pool->caller_cpu);
    }
    sleep_until_epoch(pool, seen);
}

/* Takes a seat if there is one; *seen becomes the epoch that was looked at. */
static bool join_region(fxi_pool *pool, uint32_t *seen)
{
    uint32_t state = atomic_load_explicit(&pool->state, memory_order_relaxed);
    while ((state & SEATS_MASK) != 0)
        if (atomic_compare_exchange_weak_explicit(&pool->state, &state, state - SEAT_ONE + JOINED_ONE,
                                                  memory_order_acquire, memory_order_relaxed)) {
            *seen = state & EPOCH_MASK;
            return true;
        }
    *seen = state & EPOCH_MASK;
    return false;
}

static void leave_region(fxi_pool *pool)
{
    uint32_t state = atomic_fetch_sub(&pool->state, JOINED_ONE) - JOINED_ONE;
    if ((state & (JOINED_MASK | SEATS_MASK)) != 0 || atomic_load(&pool->caller_sleeps) == 0)
        return;
    atomic_store(&pool->caller_sleeps, 0);
    fxi_futex_wake(&pool->caller_sleeps, 1);
}

static void claim_tasks(fxi_pool *pool, fxi_task task, void *context, int64_t count)
{
    int64_t i;
    while ((i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed)) < count)
        task(context, i);
}

static void *worker_main(void *argument)
{
    fxi_pool *pool = argument;
    uint32_t seen = NO_EPOCH;
#if defined(__linux__)
    prctl(PR_SET_NAME, "fluxion", 0, 0, 0);
#endif
    for (;;) {
        wait_for_epoch(pool, seen);
        if (atomic_load(&pool->stopping) != 0)
            return NULL;
        if (join_region(pool, &seen)) {
            atomic_store_explicit(&pool->worker_cpu, current_cpu(), memory_order_relaxed);
            (void)enter_mode();
            claim_tasks(pool, pool->task, pool->context, pool->count);
            leave_region(pool);
        }
    }
}

/* Signals are for the program's own threads. As many workers as the system gives; none is fine. */
static void start_workers(fxi_pool *pool)
{
    sigset_t all, old;
    sigfillset(&all);
    pool->started = true;
    if (pthread_sigmask(SIG_SETMASK, &all, &old) != 0)
        return;
    while (pool->workers + 1 < pool->threads &&
           pthread_create(&pool->handles[pool->workers], NULL, worker_main, pool) == 0)
        pool->workers++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- who owns the pool ---- */

/* What *owner holds in this process while all is well; its negative while the pool is being taken over. */
static int32_t own_id(const fxi_pool *pool)
{
    return pool->owner_is_wiped ? 1 : (int32_t)getpid();
}

static void place_owner(fxi_pool *pool)
{
    pool->owner = &pool->owner_here;
#if defined(__linux__) && defined(MADV_WIPEONFORK)
    void *page = mmap(NULL, OWNER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, OWNER_BYTES, MADV_WIPEONFORK) == 0) {
        pool->owner = page;
        pool->owner_is_wiped = true;
    } else if (page != MAP_FAILED) {
        munmap(page, OWNER_BYTES);
    }
#endif
    atomic_store(pool->owner, own_id(pool));
}

static void release_owner(fxi_pool *pool)
{
#if defined(__linux__)
    if (pool->owner_is_wiped)
        munmap((void *)pool->owner, OWNER_BYTES);
#else
    (void)pool;
#endif
}

/* Makes the pool new again in the child of a fork. One thread does it; false for the others, which then
 * run inline. */
static bool take_over(fxi_pool *pool, int32_t stale, int32_t own)
{
    if (stale == -own || !atomic_compare_exchange_strong(pool->owner, &stale, -own))
        return false;
    pool->workers = 0;
    pool->started = false;
    atomic_store(&pool->sleepers, 0);
    atomic_store(&pool->caller_sleeps, 0);
    atomic_store(&pool->state, 0);
    atomic_store(&pool->busy, 0);
    atomic_store(pool->owner, own);
    return true;
}

/* ---- regions ---- */

/* True: the caller now holds `busy`. False: somebody else does. */
static bool enter_pool(fxi_pool *pool)
{
    int32_t own = own_id(pool);
    int32_t owner = atomic_load_explicit(pool->owner, memory_order_acquire);
    if (owner != own && !take_over(pool, owner, own))
        return false;
    uint32_t idle = 0;
    return atomic_load_explicit(&pool->busy, memory_order_relaxed) == 0 &&
           atomic_compare_exchange_strong_explicit(&pool->busy, &idle, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

static void leave_pool(fxi_pool *pool)
{
    atomic_store_explicit(&pool->busy, 0, memory_order_release);
}

static void open_region(fxi_pool *pool, int64_t count, fxi_task task, void *context)
{
    uint32_t seats = count - 1 < (int64_t)pool->workers ? (uint32_t)(count - 1) : pool->workers;
    uint32_t epoch = (atomic_load_explicit(&pool->state, memory_order_relaxed) & EPOCH_MASK) + EPOCH_ONE;
    pool->task = task;
    pool->context = context;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->caller_cpu, current_cpu(), memory_order_relaxed);
    atomic_store(&pool->state, epoch | seats * SEAT_ONE);
    uint32_t asleep = atomic_load(&pool->sleepers);
    uint32_t awake = pool->workers > asleep ? pool->workers - asleep : 0;
    if (asleep > 0 && seats > awake)
        fxi_futex_wake(&pool->state, (int)(seats - awake));
}

/* No more seats, then waits until all who joined have left. */
static void close_region(fxi_pool *pool)
{
    uint32_t state = atomic_fetch_and_explicit(&pool->state, ~SEATS_MASK, memory_order_acquire) & ~SEATS_MASK;
    for (unsigned i = 0; (state & JOINED_MASK) != 0 && i < pool->spins; i++) {
        spin_once(i, &pool->worker_cpu);
        state = atomic_load_explicit(&pool->state, memory_order_acquire);
    }
    if ((state & JOINED_MASK) == 0)
        return;
    for (;;) { /* a late worker of the last region may clear the flag: set it again each time */
        atomic_store(&pool->caller_sleeps, 1);
        if ((atomic_load(&pool->state) & JOINED_MASK) == 0)
            break;
        fxi_futex_wait(&pool->caller_sleeps, 1);
    }
    atomic_store(&pool->caller_sleeps, 0);
}

typedef struct guarded {
    fxi_task task;
    void *context;
} guarded;

/* One task on a thread that is not ours. */
static void run_guarded(void *context, int64_t i)
{
    const guarded *call = context;
    unsigned mode = enter_mode();
    call->task(call->context, i);
    leave_mode(mode);
}

static void run_inline(int64_t count, fxi_task task, void *context)
{
    for (int64_t i = 0; i < count; i++)
        task(context, i);
}

static void run_region(fxi_pool *pool, int64_t count, fxi_task task, void *context)
{
    if (pool->external != NULL) {
        guarded call = {task, context};
        pool->external(pool->user, count, run_guarded, &call);
        return;
    }
    if (!pool->started)
        start_workers(pool);
    if (pool->workers == 0) {
        run_inline(count, task, context);
        return;
    }
    open_region(pool, count, task, context);
    claim_tasks(pool, task, context, count);
    close_region(pool);
}

void fxi_pool_run(fxi_pool *pool, int64_t count, fxi_task task, void *context)
{
    if (task == NULL || count <= 0)
        return;
    unsigned mode = enter_mode();
    if (count == 1 || pool == NULL || (pool->threads == 1 && pool->external == NULL) || !enter_pool(pool)) {
        run_inline(count, task, context);
    } else {
        run_region(pool, count, task, context);
        leave_pool(pool);
    }
    leave_mode(mode);
}

/* ---- life ---- */

/* How many pauses take SPIN_NS: a pause is 40 to 140 cycles, depending on the processor. The shortest of
 * three measurements, because an interruption only ever makes one longer. */
static unsigned measure_spins(void)
{
    enum { PAUSES = 100 };
    int64_t best = INT64_MAX;
    for (int round = 0; round < 3; round++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int i = 0; i < PAUSES; i++)
            pause_cpu();
        clock_gettime(CLOCK_MONOTONIC, &end);
        int64_t taken = (int64_t)(end.tv_sec - start.tv_sec) * 1000000000 + (end.tv_nsec - start.tv_nsec);
        best = taken < best ? taken : best;
    }
    int64_t spins = (int64_t)SPIN_NS * PAUSES / (best > 0 ? best : 1);
    return spins < 1000 ? 1000 : spins > 100000 ? 100000 : (unsigned)spins;
}

fxi_pool *fxi_pool_new(unsigned threads, fxi_parallel_for external, void *user, fx_error *err)
{
    unsigned usable = fxi_usable_cpus();
    if (threads > MOST_THREADS) {
        fxi_fail(err, FX_ERROR_ATTRIBUTE, "thread pool: %u threads, at most %d are allowed", threads,
                 MOST_THREADS);
        return NULL;
    }
    if (threads == 0)
        threads = usable < MOST_THREADS ? usable : MOST_THREADS;
    fxi_pool *pool = fxi_alloc_aligned(sizeof *pool, LINE);
    pthread_t *handles = fxi_alloc_zeroed(threads, sizeof *handles);
    if (pool == NULL || handles == NULL) {
        fxi_free(handles);
        fxi_free_aligned(pool);
        fxi_fail_memory(err, "thread pool");
        return NULL;
    }
    *pool = (fxi_pool){.external = external, .user = user, .handles = handles, .threads = threads};
    place_owner(pool);
    pool->spins = external == NULL && threads > 1 && threads <= usable ? measure_spins() : 0;
    return pool;
}

void fxi_pool_free(fxi_pool *pool)
{
    if (pool == NULL)
        return;
    if (atomic_load(pool->owner) == own_id(pool)) { /* else the workers were another process's */
        atomic_store(&pool->stopping, 1);
        atomic_fetch_add(&pool->state, EPOCH_ONE);
        fxi_futex_wake(&pool->state, MOST_THREADS);
        for (unsigned i = 0; i < pool->workers; i++)
            pthread_join(pool->handles[i], NULL);
    }
    release_owner(pool);
    fxi_free(pool->handles);
    fxi_free_aligned(pool);
}

unsigned fxi_pool_threads(const fxi_pool *pool)
{
    return pool != NULL ? pool->threads : 1;
}
