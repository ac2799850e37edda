/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of an executable's function as StableHLO text. It is built anew and not compiled: the text is
 * that of the function, not what a backend made of it, so composites are still there. */
#include "exec.h"
#include "passes/passes.h"
#include "stablehlo/stablehlo.h"

#include <fluxion/stablehlo.h>

/* Whether this thread is inside the executable's own function, whose lock it would wait for. */
static bool is_building(fx_exec *exec) {
    pthread_mutex_lock(&exec->cache.mutex);
    bool own = fxi_cache_is_builder(&exec->cache);
    pthread_mutex_unlock(&exec->cache.mutex);
    return own;
}

bool fx_exec_stablehlo(fx_exec *exec, const fx_shape *shapes, size_t n, const fx_stablehlo_options *options,
                       fx_write_fn write, void *user, fx_error *err) {
    static const char name[] = "fx_exec_stablehlo";
    if (!write) return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: write is NULL", name);
    FX_TRY(fxi_exec_check_shapes(name, exec, shapes, n, err));
    if (is_building(exec))
        return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: the graph function asks for its own text", name);
    fx_graph *graph = fxi_exec_graph(exec, shapes, err);
    fx_graph *simple = graph ? fxi_passes_run(graph, err) : NULL;
    fx_graph_free(graph);
    bool ok = simple && fxi_stablehlo_hand_out(name, simple, options, write, user, err);
    fx_graph_free(simple);
    return ok;
}
