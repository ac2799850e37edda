/* SPDX-License-Identifier: Apache-2.0 */
/* Where a program runs: on the client's first device, as replicas on the first ones, or, if it has shardings,
 * on all devices of its mesh, where the plugin cuts it into partitions. Arguments and results of the last
 * have layouts; a result that lies as an argument does shares its layout, so that a step's results are known
 * at a glance as the next one's arguments. */
#include "pjrt_internal.h"
#include "ops/ops.h"

enum { NEAR = 64 };

static bool too_few(const fxi_pjrt_program *p, const fx_node *shard, int64_t wanted, fx_error *err) {
    return fxi_fail_at(err, FX_ERROR_UNSUPPORTED, shard ? shard->file : NULL, shard ? shard->line : 0,
                       "pjrt: the program needs device %lld, counted from 0; the plugin has %zu%s",
                       (long long)wanted, p->client->device_count,
                       p->client->direct ? " (\"pjrt?cpu_device_count=N\" asks for more)" : "");
}

static bool list_devices(fxi_pjrt_program *p, const fxi_shardings *s, size_t count, fx_error *err) {
    p->devices = fxi_alloc_zeroed(count, sizeof *p->devices);
    p->ids = fxi_alloc_zeroed(count, sizeof *p->ids);
    if (!p->devices || !p->ids) return fxi_fail_memory(err, "pjrt: compile");
    for (size_t i = 0; i < count; i++) {
        int64_t device = s->device_count ? s->devices[i] : (int64_t)i;
        if (device >= (int64_t)p->client->device_count)
            return too_few(p, s->device_count ? s->meshes.data[0] : NULL, device, err);
        p->devices[i] = (size_t)device;
        p->ids[i] = p->client->ids[device];
    }
    p->device_count = count;
    return true;
}

static bool lay_inputs(fxi_pjrt_program *p, const fxi_shardings *s, fx_error *err) {
    for (size_t i = 0; i < p->n_in; i++) {
        p->inputs[i] = fxi_pjrt_layout_new(s, s->inputs[i], &p->graph->parameters.data[i]->shape, err);
        FX_TRY(p->inputs[i] != NULL);
    }
    return true;
}

/* The layout, or an equal one among some inputs near the place of the output. */
static fxi_pjrt_layout *shared(const fxi_pjrt_program *p, size_t o, fxi_pjrt_layout *layout) {
    for (size_t k = 0; k < p->n_in && k < NEAR; k++) {
        fxi_pjrt_layout *other = p->inputs[(o + k) % p->n_in];
        if (!fxi_pjrt_layout_equal(other, layout)) continue;
        fxi_pjrt_layout_free(layout);
        return fxi_pjrt_layout_ref(other);
    }
    return layout;
}

static bool lay_outputs(fxi_pjrt_program *p, const fxi_shardings *s, fx_error *err) {
    for (size_t o = 0; o < p->n_out + p->n_logged; o++) {
        const fx_node *n = p->results[o];
        fxi_pjrt_layout *layout = fxi_pjrt_layout_new(s, n->op == FX_OP_SHARD ? n : NULL, &n->shape, err);
        if (!layout) return false;
        p->outputs[o] = shared(p, o, layout);
    }
    return true;
}

static bool lay_all(fxi_pjrt_program *p, const fxi_shardings *s, fx_error *err) {
    if (s->device_count == 0) return true;
    p->inputs = fxi_alloc_zeroed(p->n_in + 1, sizeof *p->inputs);
    p->outputs = fxi_alloc_zeroed(p->n_out + p->n_logged, sizeof *p->outputs);
    if (!p->inputs || !p->outputs) return fxi_fail_memory(err, "pjrt: compile");
    return lay_inputs(p, s, err) && lay_outputs(p, s, err);
}

/* What the plugin would say late or not at all. The recursion is bounded by how deep closures nest. */
static bool check_collectives(const fx_graph *graph, int replicas, fx_error *err) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const fx_node *n = graph->nodes.data[i];
        FX_TRY(fxi_collective_check(n, "pjrt", replicas, err));
        fxi_graphs bodies = fxi_node_bodies(n);
        for (size_t k = 0; k < bodies.n; k++) FX_TRY(check_collectives(bodies.v[k], replicas, err));
    }
    return true;
}

bool fxi_pjrt_spread_program(fxi_pjrt_program *p, int replicas, fx_error *err) {
    fxi_shardings s;
    FX_TRY(fxi_shardings_find(p->graph, &s, err));
    bool cut = s.device_count > 0;
    bool ok = !cut || replicas == 1 ||
              fxi_fail(err, FX_ERROR_UNSUPPORTED,
                       "pjrt: a program with shardings runs on all devices of its mesh, not as replicas");
    ok = ok && (cut || check_collectives(p->graph, replicas, err));
    ok = ok && list_devices(p, &s, cut ? s.device_count : (size_t)replicas, err) && lay_all(p, &s, err);
    p->spread = (fxi_pjrt_spread){.replicas = replicas,
                                  .partitions = cut ? (int)s.device_count : 1,
                                  .ids = p->ids,
                                  .spmd = cut && s.device_count > 1,
                                  .shardy = cut};
    fxi_shardings_free(&s);
    return ok;
}

static void free_layouts(fxi_pjrt_layout **list, size_t n) {
    for (size_t i = 0; list && i < n; i++) fxi_pjrt_layout_free(list[i]);
    fxi_free(list);
}

void fxi_pjrt_spread_free(fxi_pjrt_program *p) {
    free_layouts(p->inputs, p->n_in);
    free_layouts(p->outputs, p->n_out + p->n_logged);
    fxi_free(p->devices);
    fxi_free(p->ids);
}
