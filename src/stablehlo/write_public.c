/* SPDX-License-Identifier: Apache-2.0 */
/* fx_stablehlo_write: the public options, and the text handed to a callback in pieces. */
#include "ops/ops.h"
#include "stablehlo/stablehlo.h"

#include <fluxion/stablehlo.h>

enum { PIECE = 1 << 16 };

static bool hand_out(const char *name, const fxi_text *text, fx_write_fn write, void *user, fx_error *err) {
    for (size_t at = 0; at < text->length; at += PIECE) {
        size_t n = text->length - at < PIECE ? text->length - at : PIECE;
        if (!write(user, text->data + at, n))
            return fxi_fail(err, FX_ERROR_FILE, "%s: the text could not be written", name);
    }
    return true;
}

bool fxi_stablehlo_hand_out(const char *name, const fx_graph *graph, const fx_stablehlo_options *options,
                            fx_write_fn write, void *user, fx_error *err) {
    fx_stablehlo_options wanted;
    fxi_build_options(&wanted, sizeof wanted, options);
    const fxi_stablehlo_options inner = {
        .name = name, .no_locations = wanted.no_locations, .inline_composites = wanted.inline_composites};
    fxi_text text = {0};
    bool ok = fxi_stablehlo_text(graph, &inner, &text, err) && hand_out(name, &text, write, user, err);
    fxi_text_free(&text);
    return ok;
}

bool fx_stablehlo_write(const fx_graph *graph, const fx_stablehlo_options *options, fx_write_fn write,
                        void *user, fx_error *err) {
    static const char name[] = "fx_stablehlo_write";
    if (!graph || !write)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: %s is NULL", name, graph ? "write" : "the graph");
    if (graph->error.code != FX_OK) return fxi_fail_copy(err, &graph->error);
    if (!graph->finished) return fxi_fail(err, FX_ERROR_GRAPH, "%s: the graph is not finished", name);
    return fxi_stablehlo_hand_out(name, graph, options, write, user, err);
}
