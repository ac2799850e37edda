/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any bytes are a program whose functions become graphs, or errors with their reason.
 * What becomes a graph gives as many nodes as the program says, of the shapes that it says, and is written
 * and read again. Start from the corpora of programs (corpus/stablehlo, corpus/stablehlo_module). */
#include "base/base.h"
#include <fluxion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 64, MOST_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition) {
    if (!condition) __builtin_trap();
}

static bool add_text(void *user, const char *bytes, size_t n) {
    fxi_text_add_bytes(user, bytes, n);
    return !((fxi_text *)user)->failed;
}

static void write_and_read(fx_graph *graph) {
    fx_error err = {0};
    fxi_text text = {0};
    if (fx_stablehlo_write(graph, NULL, add_text, &text, &err)) {
        fx_module *module = fx_module_parse(text.data, text.length, "again", &err);
        check(module != NULL && fx_module_find(module, NULL) >= 0);
        fx_module_free(module);
    } else {
        check(err.code != FX_OK);
    }
    fxi_text_free(&text);
}

static void build(const fx_module *module, size_t function) {
    fx_error err = {0};
    fx_node *in[MOST_VALUES], *out[MOST_VALUES] = {NULL};
    size_t n_in = fx_module_input_count(module, function), n_out = fx_module_output_count(module, function);
    if (n_in > MOST_VALUES || n_out > MOST_VALUES) return;
    fx_graph *graph = fx_graph_new(FX_MUST);
    bool ok = true;
    for (size_t i = 0; ok && i < n_in; i++) {
        const fx_shape *shape = fx_module_input_shape(module, function, i);
        ok = shape && fx_shape_bytes(shape) <= MOST_BYTES;
        if (ok) in[i] = fx_parameter(graph, shape);
    }
    if (ok) {
        ok = fx_module_call(module, function, graph, in, n_in, out, n_out, &err);
        check(ok == (err.code == FX_OK));
        for (size_t i = 0; ok && i < n_out; i++)
            check(fx_shape_equal(fx_node_shape(out[i]), fx_module_output_shape(module, function, i)));
        if (ok && n_out > 0 && fx_graph_finish(graph, (fx_nodes){out, n_out}, &err)) write_and_read(graph);
    }
    fx_graph_free(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fx_error err = {0};
    fx_module *module = fx_module_parse((const char *)data, size, "fuzz", &err);
    check((module == NULL) == (err.code != FX_OK));
    for (size_t i = 0; i < fx_module_function_count(module) && i < 8; i++) {
        check(fx_module_function_name(module, i) != NULL);
        build(module, i);
    }
    fx_module_free(module);
    return 0;
}
