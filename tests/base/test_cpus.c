/* SPDX-License-Identifier: Apache-2.0 */
/* Usable CPUs: quotas of both cgroup hierarchies, from files made here, and the affinity mask (edge case
 * T07). */
#define _GNU_SOURCE
#include "faulty.h"

#include "base/base_internal.h"
#include "base/pool.h"

#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char mount[64];

static int make_mount(void **state)
{
    (void)state;
    snprintf(mount, sizeof mount, "%s", "/tmp/fluxion-cpus-XXXXXX");
    return mkdtemp(mount) == NULL;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

static int remove_mount(void **state)
{
    (void)state;
    return nftw(mount, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes `content` to a file below the mount, making the folders on the way. */
static void put(const char *name, const char *content)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", mount, name);
    for (char *slash = path + strlen(mount) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void reads_v2(void **state)
{
    (void)state;
    assert_int_equal(fxi_cpus_by_quota("0::/\n", mount), 0);
    put("pod/box/cpu.max", "max 100000\n");
    assert_int_equal(fxi_cpus_by_quota("0::/pod/box\n", mount), 0);
    put("pod/box/cpu.max", "400000 100000\n");
    assert_int_equal(fxi_cpus_by_quota("0::/pod/box\n", mount), 4);
    put("pod/cpu.max", "250000 100000\n"); /* the group above is narrower; 2.5 rounds down */
    assert_int_equal(fxi_cpus_by_quota("0::/pod/box", mount), 2);
    put("cpu.max", "50000 100000\n");
    assert_int_equal(fxi_cpus_by_quota("0::/pod/box\n", mount), 1); /* at least one */
    assert_int_equal(fxi_cpus_by_quota("0::/not/visible/here\n", mount), 1); /* climbs to the mount */
    put("cpu.max", "300000 100000\n");
    assert_int_equal(fxi_cpus_by_quota("0::/\n", mount), 3);
}

static void reads_v1(void **state)
{
    (void)state;
    static const char lines[] = "12:cpuset:/\n5:cpu,cpuacct:/job\n3:memory:/job\n";
    assert_int_equal(fxi_cpus_by_quota(lines, mount), 0);
    put("cpu/job/cpu.cfs_quota_us", "-1\n");
    put("cpu/job/cpu.cfs_period_us", "100000\n");
    assert_int_equal(fxi_cpus_by_quota(lines, mount), 0);
    put("cpu/job/cpu.cfs_quota_us", "350000\n");
    assert_int_equal(fxi_cpus_by_quota(lines, mount), 3);
    assert_int_equal(fxi_cpus_by_quota("5:cpuacct,cpu:/job\n", mount), 3);
    assert_int_equal(fxi_cpus_by_quota("5:cpuacct,cpuset:/job\n", mount), 0);
    put("cpu/cpu.cfs_quota_us", "200000\n");
    put("cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(fxi_cpus_by_quota(lines, mount), 2);
    put("unified/x", "");
    assert_int_equal(fxi_cpus_by_quota("5:cpu:/job\n0::/unified\n", mount), 2);
}

static void survives_odd_texts(void **state)
{
    (void)state;
    put("cpu.max", "\n");
    put("a/cpu.max", "100000");
    put("b/cpu.max", "-5 100000");
    put("c/cpu.max", "99999999999999999999 0");
    char longest[9000] = "0::/";
    memset(longest + 4, 'd', sizeof longest - 5);
    const char *texts[] = {"", "\n\n",
                           ":", "::", "x", "0:", "0::", "0::/a", "0::/b", "0::/c", "1:,:/", longest};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(fxi_cpus_by_quota(texts[i], mount), 0);
}

static void *count_on_one(void *result)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return NULL;
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all)) {
            CPU_SET(cpu, &one);
            break;
        }
    if (sched_setaffinity(0, sizeof one, &one) == 0)
        *(unsigned *)result = fxi_usable_cpus();
    return NULL;
}

static void obeys_affinity(void **state)
{
    (void)state;
    cpu_set_t all;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_in_range(fxi_usable_cpus(), 1, CPU_COUNT(&all));
    unsigned counted = 0;
    pthread_t thread; /* narrows only its own mask */
    assert_int_equal(pthread_create(&thread, NULL, count_on_one, &counted), 0);
    pthread_join(thread, NULL);
    assert_int_equal(counted, 1);
    faulty_fail_after(0);
    unsigned without_memory = fxi_usable_cpus();
    faulty_fail_after(-1);
    assert_true(without_memory >= 1);
    assert_int_equal(faulty_blocks(), 0);
}

int main(void)
{
    faulty_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_v2, make_mount, remove_mount),
        cmocka_unit_test_setup_teardown(reads_v1, make_mount, remove_mount),
        cmocka_unit_test_setup_teardown(survives_odd_texts, make_mount, remove_mount),
        cmocka_unit_test(obeys_affinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
