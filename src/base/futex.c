/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeping until a word changes. On Linux this is the futex system call on private memory; elsewhere a
 * waiter naps and looks again, which is slower but keeps the same promise: a change of the word is
 * noticed, with or without a wake. */
#if defined(__linux__)
#define _GNU_SOURCE
#else
#define _POSIX_C_SOURCE 200809L
#endif
#include "base_internal.h"

#include <errno.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void fxi_futex_wait(_Atomic uint32_t *word, uint32_t expected)
{
    int saved = errno;
    syscall(SYS_futex, (void *)word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
    errno = saved;
}

void fxi_futex_wake(_Atomic uint32_t *word, int threads)
{
    int saved = errno;
    syscall(SYS_futex, (void *)word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
    errno = saved;
}

#else
#include <time.h>

void fxi_futex_wait(_Atomic uint32_t *word, uint32_t expected)
{
    int saved = errno;
    if (atomic_load(word) == expected)
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    errno = saved;
}

void fxi_futex_wake(_Atomic uint32_t *word, int threads)
{
    (void)word;
    (void)threads;
}

#endif
