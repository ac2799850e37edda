/* SPDX-License-Identifier: Apache-2.0 */
/* Places of calls: fx_at stamps nodes with the file and line of the call that made them.
 *
 * File names are kept in one table of the process, because an error outlives the graph it came from. The
 * table is static memory, locked, and bounded: a program has a few hundred source files, each name stored
 * once. When it is full, later names are simply unknown (NULL). Stamping a chain of nodes from one file
 * finds the name on the node before, without the lock. */
#include "graph/graph.h"
#include <pthread.h>
#include <string.h>

#define SLOTS 4096 /* power of two, at most half of them used */
#define CHARACTERS 262144

static struct {
    pthread_mutex_t lock;
    uint32_t count;        /* names */
    uint32_t used;         /* characters, terminators included */
    uint32_t slots[SLOTS]; /* 1 + offset into text; 0: empty */
    char text[CHARACTERS];
} file_names = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *find_or_add(const char *file, size_t length) {
    uint32_t slot = (uint32_t)(fxi_hash_bytes(file, length, 0) % SLOTS);
    for (; file_names.slots[slot]; slot = (slot + 1) % SLOTS) {
        const char *known = file_names.text + file_names.slots[slot] - 1;
        if (strcmp(known, file) == 0) return known;
    }
    if (file_names.count >= SLOTS / 2 || length >= CHARACTERS - file_names.used) return NULL;
    char *added = file_names.text + file_names.used;
    memcpy(added, file, length + 1);
    file_names.slots[slot] = file_names.used + 1;
    file_names.used += (uint32_t)length + 1;
    file_names.count++;
    return added;
}

const char *fxi_intern_file(const char *file) {
    if (!file) return NULL;
    size_t length = strlen(file);
    pthread_mutex_lock(&file_names.lock);
    const char *name = find_or_add(file, length);
    pthread_mutex_unlock(&file_names.lock);
    return name;
}

/* The nodes of the graph that fx_at has not seen, up to and including number `last`. */
static void stamp_nodes(fx_graph *graph, int64_t last, const char *name, int line) {
    for (int64_t i = graph->unstamped; i <= last; i++) {
        fx_node *node = graph->nodes.data[i];
        if (node->file) continue;
        node->file = name;
        node->line = line;
    }
    graph->unstamped = last + 1;
}

/* The builder of a node with several results makes the nodes of the further ones right after it. */
static int64_t last_result(const fx_node *node) {
    const fx_graph *graph = node->graph;
    int64_t last = node->id;
    while (last + 1 < (int64_t)graph->nodes.count && graph->nodes.data[last + 1]->op == FX_OP_RESULT) last++;
    return last;
}

fx_node *fx_at(fx_node *node, const char *file, int line) {
    if (!node || !file) return node;
    fx_graph *graph = node->graph;
    bool is_inert = node->op == FX_OP_INERT;
    int64_t last = is_inert ? (int64_t)graph->nodes.count - 1 : last_result(node);
    bool pending = graph->error.code != FX_OK && !graph->error_stamped;
    if (last < graph->unstamped && !pending) return node;
    const char *before = graph->unstamped > 0 ? graph->nodes.data[graph->unstamped - 1]->file : NULL;
    const char *name = before && strcmp(before, file) == 0 ? before : fxi_intern_file(file);
    if (last >= graph->unstamped) stamp_nodes(graph, last, name, line);
    if (pending) {
        graph->error.file = name;
        graph->error.line = name ? line : 0;
        graph->error_stamped = true;
    }
    return node;
}
