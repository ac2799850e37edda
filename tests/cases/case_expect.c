/* SPDX-License-Identifier: Apache-2.0 */
/* The committed lists. A folder holds unsupported.txt (the library lacks an operation), failing.txt (known
 * faults) and convention.txt (the library's documented answer is another one). A line is "id: reason"; "#"
 * begins a comment. A case must end as its list says: what is in no list passes, and a case that passes
 * must leave its list, so that they only shrink. */
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum list { LIST_UNSUPPORTED = 0, LIST_FAILING, LIST_CONVENTION, LIST_COUNT };

static const char *const list_names[LIST_COUNT] = {"unsupported.txt", "failing.txt", "convention.txt"};

struct entry {
    struct entry *next;
    enum list list;
    bool seen;
    char id[];
};

struct expectations {
    struct entry *entries;
    size_t complaints;
};

static struct entry *find_entry(const struct expectations *expected, const char *id) {
    for (struct entry *e = expected->entries; e; e = e->next) {
        if (strcmp(e->id, id) == 0) return e;
    }
    return NULL;
}

/* Adds the id of a line; blank lines and comments have none. */
static bool add_line(struct expectations *expected, enum list list, const char *line, struct message *why) {
    size_t blank = strspn(line, " \t\r\n"), n = strcspn(line, ":\r\n");
    if (line[blank] == 0 || line[blank] == '#') return true;
    if (blank > 0 || line[n] != ':' || strspn(line + n + 1, " \t\r\n") == strlen(line + n + 1)) {
        message_set(why, "%s: '%.100s' is no 'id: reason'", list_names[list], line);
        return false;
    }
    struct entry *entry = calloc(1, sizeof *entry + n + 1);
    if (!entry) {
        message_set(why, "no memory");
        return false;
    }
    memcpy(entry->id, line, n);
    entry->list = list;
    if (find_entry(expected, entry->id)) {
        message_set(why, "%s: '%.200s' is listed twice", list_names[list], entry->id);
        free(entry);
        return false;
    }
    entry->next = expected->entries;
    expected->entries = entry;
    return true;
}

static bool read_list(struct expectations *expected, const char *folder, enum list list,
                      struct message *why) {
    char path[4096], line[1024];
    int n = snprintf(path, sizeof path, "%s/%s", folder, list_names[list]);
    FILE *file = n > 0 && (size_t)n < sizeof path ? fopen(path, "r") : NULL;
    if (!file) {
        message_set(why, "%.300s/%s: cannot be read", folder, list_names[list]);
        return false;
    }
    bool good = true;
    while (good && fgets(line, sizeof line, file)) good = add_line(expected, list, line, why);
    fclose(file);
    return good;
}

struct expectations *expectations_open(const char *folder, struct message *why) {
    struct expectations *expected = calloc(1, sizeof *expected);
    if (!expected) message_set(why, "no memory");
    for (int list = 0; expected && list < LIST_COUNT; list++) {
        if (!read_list(expected, folder, (enum list)list, why)) {
            expectations_free(expected);
            return NULL;
        }
    }
    return expected;
}

bool expectations_is_convention(const struct expectations *expected, const char *id) {
    const struct entry *entry = find_entry(expected, id);
    return entry && entry->list == LIST_CONVENTION;
}

void expectations_check(struct expectations *expected, const char *id, enum verdict verdict,
                        const char *why) {
    struct entry *entry = find_entry(expected, id);
    if (entry) entry->seen = true;
    if (verdict == VERDICT_PASSED && entry) {
        printf("LIST %s: passes now, remove it from %s\n", id, list_names[entry->list]);
    } else if (verdict == VERDICT_UNSUPPORTED && (!entry || entry->list != LIST_UNSUPPORTED)) {
        printf("LIST %s: is unsupported (%s) and not in unsupported.txt\n", id, why);
    } else if (verdict == VERDICT_FAILED && (!entry || entry->list == LIST_UNSUPPORTED)) {
        printf("LIST %s: fails and is neither in failing.txt nor in convention.txt%s\n", id,
               entry ? "; remove it from unsupported.txt" : "");
    } else {
        return;
    }
    expected->complaints++;
}

size_t expectations_finish(struct expectations *expected) {
    for (const struct entry *e = expected->entries; e; e = e->next) {
        if (e->seen) continue;
        printf("LIST %s: is in %s, but no such case was run\n", e->id, list_names[e->list]);
        expected->complaints++;
    }
    return expected->complaints;
}

void expectations_free(struct expectations *expected) {
    while (expected && expected->entries) {
        struct entry *next = expected->entries->next;
        free(expected->entries);
        expected->entries = next;
    }
    free(expected);
}
