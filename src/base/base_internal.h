/* SPDX-License-Identifier: Apache-2.0 */
/* What only the files of src/base share: marking memory for AddressSanitizer, sleeping on a word, and the
 * pieces of fxi_usable_cpus that tests feed with texts of their own. */
#ifndef FXI_BASE_INTERNAL_H
#define FXI_BASE_INTERNAL_H

#include "base.h"

#include <stdatomic.h>

#if defined(__SANITIZE_ADDRESS__)
#define FXI_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FXI_ASAN 1
#endif
#endif

/* Memory that belongs to a block but is not handed out: touching it is a fault that AddressSanitizer then
 * reports. */
#ifdef FXI_ASAN
#include <sanitizer/asan_interface.h>
#define FXI_POISON(memory, bytes) __asan_poison_memory_region((memory), (bytes))
#define FXI_UNPOISON(memory, bytes) __asan_unpoison_memory_region((memory), (bytes))
#define FXI_RED_ZONE ((size_t)16)
#else
#define FXI_POISON(memory, bytes) ((void)(memory), (void)(bytes))
#define FXI_UNPOISON(memory, bytes) ((void)(memory), (void)(bytes))
#define FXI_RED_ZONE ((size_t)0)
#endif

/* Blocks that are worth huge pages. */
#define FXI_LARGE_BLOCK ((size_t)4 << 20)
#define FXI_HUGE_PAGE ((size_t)2 << 20)
/* alloc.c. Asks for huge pages in a block that starts at a multiple of them: a wish, refused where they
 * are off. */
void fxi_wish_huge_pages(void *block, size_t bytes);

/* futex.c. fxi_futex_wait returns at once unless *word is `expected`; it may also return for no reason. */
void fxi_futex_wait(_Atomic uint32_t *word, uint32_t expected);
void fxi_futex_wake(_Atomic uint32_t *word, int threads);

/* cpus.c. CPUs that a cgroup quota allows, rounded down but at least 1; 0: no limit. `membership` is the
 * text of /proc/self/cgroup and `mount` the folder that holds the hierarchies, normally /sys/fs/cgroup. */
unsigned fxi_cpus_by_quota(const char *membership, const char *mount);

#endif
