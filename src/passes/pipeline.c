/* SPDX-License-Identifier: Apache-2.0 */
/* The list of passes, in the order in which they run on every graph before a backend sees it. Each reads a
 * finished graph and makes a new one. Builds with assertions verify the graph after each pass. When the
 * environment variable FLUXION_DUMP holds a pass's letter, the graph after it goes to the log callback, one
 * node a line. */
#include "hoist.h"
#include "merge_scans.h"
#include <stdlib.h>
#include <string.h>

/* *made: the new graph, or NULL when there is nothing to do, which only a later pass may say. */
typedef struct pass {
    char letter;
    const char *name;
    bool (*run)(const fx_graph *graph, fx_graph **made, fx_error *err);
} pass;

/* Rules, exact folding and sharing of equal nodes in one walk. */
static bool simplify(const fx_graph *graph, fx_graph **made, fx_error *err) {
    *made = fxi_simplify(graph, NULL, err);
    return *made != NULL;
}

/* Leaves out the nodes that simplifying made unneeded. */
static bool prune(const fx_graph *graph, fx_graph **made, fx_error *err) {
    bool dead = false;
    *made = NULL;
    FX_TRY(fxi_has_dead_nodes(graph, &dead, err));
    if (dead) *made = fxi_prune(graph, err);
    return *made || !dead;
}

/* Work of loops that every round would repeat, then what that made unneeded. */
static bool hoist(const fx_graph *graph, fx_graph **made, fx_error *err) {
    fx_graph *moved = NULL;
    *made = NULL;
    if (!fxi_hoist_graph(graph, &moved, err)) return false;
    bool ok = !moved || prune(moved, made, err);
    if (ok && !*made)
        *made = moved;
    else
        fx_graph_free(moved);
    return ok;
}

static const pass passes[] = {
    {'m', "merge_scans", fxi_merge_scans},
    {'s', "simplify", simplify},
    {'p', "prune", prune},
    {'h', "hoist", hoist},
};

static void dump(const fx_graph *graph, const pass *after) {
    const char *letters = getenv("FLUXION_DUMP");
    if (!letters || !strchr(letters, after->letter)) return;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        char line[512];
        fxi_text text = fxi_text_fixed(line, sizeof line);
        fxi_node_add_text(&text, graph->nodes.data[i]);
        fxi_log(FX_LOG_DEBUG, "after %s: %s", after->name, line);
    }
}

static bool check(const fx_graph *graph, fx_error *err) {
#ifdef NDEBUG
    (void)graph, (void)err;
    return true;
#else
    return fxi_verify(graph, err);
#endif
}

fx_graph *fxi_passes_run(const fx_graph *graph, fx_error *err) {
    fx_graph *owned = NULL;
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        fx_graph *made = NULL;
        bool ok = passes[i].run(owned ? owned : graph, &made, err) && (!made || check(made, err));
        if (!ok || made) {
            fx_graph_free(owned);
            owned = made;
        }
        if (!ok) {
            fx_graph_free(made);
            return NULL;
        }
        if (owned) dump(owned, &passes[i]);
    }
    return owned;
}
