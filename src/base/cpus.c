/* SPDX-License-Identifier: Apache-2.0 */
/* How many CPUs this process may really use: those of its affinity mask, and no more than the CPU quota
 * of its control group or of any group above it. A container usually limits by quota and still shows all
 * CPUs of the host; as many threads as the host has would then be stopped for most of each period. Both
 * hierarchies are read: v2 has `cpu.max` ("200000 100000" or "max 100000"), v1 has `cpu.cfs_quota_us`
 * (-1: none) and `cpu.cfs_period_us`. A group path that is not visible from inside a container is climbed
 * until its ancestors are. Files are read by system calls, because stdio would allocate behind the
 * caller's allocator. */
#if defined(__linux__)
#define _GNU_SOURCE
#else
#define _POSIX_C_SOURCE 200809L
#endif
#include "base_internal.h"
#include "pool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#endif

enum { LONGEST_PATH = 4096, LARGEST_MASK = 1 << 18 };

/* Reads the start of a small file as text; false if there is none. */
static bool read_text(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    size_t length = 0;
    while (length + 1 < size) {
        ssize_t got = read(file, text + length, size - 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    text[length] = '\0';
    close(file);
    return length > 0;
}

/* Reads `folder/name`. */
static bool read_entry(const char *folder, const char *name, char *text, size_t size)
{
    char path[LONGEST_PATH];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path && read_text(path, text, size);
}

/* quota / period in whole CPUs, 0 for none. */
static unsigned cpus_of(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    long long cpus = quota / period;
    return cpus < 1 ? 1 : cpus > UINT_MAX ? UINT_MAX : (unsigned)cpus;
}

static unsigned quota_v1(const char *folder)
{
    char quota[64], period[64];
    if (!read_entry(folder, "cpu.cfs_quota_us", quota, sizeof quota) ||
        !read_entry(folder, "cpu.cfs_period_us", period, sizeof period))
        return 0;
    return cpus_of(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

static unsigned quota_v2(const char *folder)
{
    char text[128];
    char *end;
    if (!read_entry(folder, "cpu.max", text, sizeof text))
        return 0;
    long long quota = strtoll(text, &end, 10); /* "max" gives 0 */
    return cpus_of(quota, strtoll(end, NULL, 10));
}

static unsigned smaller_limit(unsigned a, unsigned b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The smallest quota of a group and the groups above it, up to the top of the hierarchy. */
static unsigned quota_of_group(const char *top, const char *group, size_t group_length,
                               unsigned (*quota)(const char *))
{
    char folder[LONGEST_PATH];
    int written = snprintf(folder, sizeof folder, "%s%.*s", top, (int)group_length, group);
    if (written < 0 || (size_t)written >= sizeof folder)
        return quota(top);
    unsigned limit = 0;
    for (size_t top_length = strlen(top), length = (size_t)written + 1; length-- > top_length;)
        if (length == top_length || folder[length] == '/' || folder[length] == '\0') {
            folder[length] = '\0';
            limit = smaller_limit(limit, quota(folder));
        }
    return limit;
}

/* Whether a comma-separated list of controllers names `cpu`. */
static bool lists_cpu(const char *list, size_t length)
{
    for (const char *end = list + length; list < end;) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        size_t word = (size_t)((comma != NULL ? comma : end) - list);
        if (word == 3 && memcmp(list, "cpu", 3) == 0)
            return true;
        list += word + 1;
    }
    return false;
}

/* One line "number:controllers:/group"; the v2 hierarchy has no controllers there. */
static unsigned quota_of_line(const char *line, size_t length, const char *mount)
{
    const char *first = memchr(line, ':', length);
    const char *second = first != NULL ? memchr(first + 1, ':', length - (size_t)(first + 1 - line)) : NULL;
    if (second == NULL)
        return 0;
    const char *group = second + 1;
    size_t group_length = length - (size_t)(group - line), names = (size_t)(second - first) - 1;
    if (group_length > LONGEST_PATH)
        return 0;
    if (group_length == 1 && *group == '/')
        group_length = 0;
    if (names == 0)
        return quota_of_group(mount, group, group_length, quota_v2);
    char top[LONGEST_PATH];
    int written = snprintf(top, sizeof top, "%s/cpu", mount);
    if (!lists_cpu(first + 1, names) || written < 0 || (size_t)written >= sizeof top)
        return 0;
    return quota_of_group(top, group, group_length, quota_v1);
}

unsigned fxi_cpus_by_quota(const char *membership, const char *mount)
{
    unsigned limit = 0;
    while (*membership != '\0') {
        size_t length = strcspn(membership, "\n");
        limit = smaller_limit(limit, quota_of_line(membership, length, mount));
        membership += length + (membership[length] == '\n');
    }
    return limit;
}

static unsigned cpus_online(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : (unsigned)online;
}

#if defined(__linux__)
/* The kernel refuses a mask that is smaller than its own, so the mask grows until it is taken. */
static unsigned cpus_by_affinity(void)
{
    for (size_t cpus = 1024; cpus <= LARGEST_MASK; cpus *= 4) {
        size_t bytes = CPU_ALLOC_SIZE(cpus);
        cpu_set_t *set = fxi_alloc_zeroed(1, bytes);
        if (set == NULL)
            break;
        int status = sched_getaffinity(0, bytes, set);
        int count = status == 0 ? CPU_COUNT_S(bytes, set) : 0;
        fxi_free(set);
        if (count > 0)
            return (unsigned)count;
    }
    return cpus_online();
}
#else
static unsigned cpus_by_affinity(void)
{
    return cpus_online();
}
#endif

unsigned fxi_usable_cpus(void)
{
    char membership[4096];
    unsigned cpus = cpus_by_affinity();
    if (!read_text("/proc/self/cgroup", membership, sizeof membership))
        return cpus;
    return smaller_limit(cpus, fxi_cpus_by_quota(membership, "/sys/fs/cgroup"));
}
