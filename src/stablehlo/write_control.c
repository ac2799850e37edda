/* SPDX-License-Identifier: Apache-2.0 */
/* Operations with closures. Regions use what a closure captured by its outer name: those are the parameters
 * after its own (a rewritten closure has no list of captures). A scan is lowered to a
 * loop before (lower_scan.c). */
#include "stablehlo/write.h"

void fxi_write_while(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_graphs bodies = fxi_node_bodies(n);
    size_t states = fxi_node_states(n), captured = bodies.v[0]->parameters.count - states;
    fxi_write_operand *in = fxi_write_operands(w, s, n);
    const fx_shape **out = fxi_write_results(w, n);
    if (in && out) {
        s->values[n->id] = fxi_write_begin(w, "stablehlo.while", in, states, states);
        fxi_write_closure(w, true, bodies.v[0], states, in + states);
        fxi_write_closure(w, false, bodies.v[1], states, in + states + captured);
        fxi_write_regions_end(w);
        fxi_write_end(w, in, states, out, states);
    }
    fxi_free(in);
    fxi_free((void *)out);
}

/* case wants an i32. */
static fxi_write_operand write_index(fxi_writer *w, fxi_write_operand index) {
    fx_shape shape = index.shape;
    if (shape.dtype == FX_BOOL || shape.dtype == FX_S32) return index;
    shape.dtype = FX_S32;
    return fxi_write_one(w, "stablehlo.convert", &index, 1, &shape);
}

/* Branch 0 of a bool is that of true. */
void fxi_write_if(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_graphs bodies = fxi_node_bodies(n);
    bool is_bool = n->operands[0]->shape.dtype == FX_BOOL;
    fxi_write_operand *in = fxi_write_operands(w, s, n);
    const fx_shape **out = fxi_write_results(w, n);
    size_t next = 1;
    if (in && out) {
        fxi_write_operand index = write_index(w, in[0]);
        s->values[n->id] =
            fxi_write_begin(w, is_bool ? "stablehlo.if" : "stablehlo.case", &index, 1, fxi_node_results(n));
        for (size_t i = 0; i < bodies.n; next += bodies.v[i++]->parameters.count)
            fxi_write_closure(w, i == 0, bodies.v[i], 0, in + next);
        fxi_write_regions_end(w);
        fxi_write_end(w, &index, 1, out, fxi_node_results(n));
    }
    fxi_free(in);
    fxi_free((void *)out);
}

/* ---- composites ---- */

static void attr_text(fxi_writer *w, const char *name, const char *value) {
    fxi_write_attr(w, name, "\"");
    fxi_write_quoted(&w->attrs, value);
    fxi_text_add(&w->attrs, "\"");
}

/* Its operands are what its decomposition takes; those that its derivative captured are not written. */
void fxi_write_composite(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fx_dims settings = fxi_node_ints(n, FXI_ATTR_SETTINGS);
    size_t given = fxi_node_bodies(n).v[0]->parameters.count;
    int64_t function = fxi_write_function_of(w, n);
    fxi_write_operand *in = fxi_write_operands(w, s, n);
    const fx_shape **out = fxi_write_results(w, n);
    if (in && out && function >= 0) {
        attr_text(w, "name", fxi_node_attr(n, FXI_ATTR_NAME)->u.text);
        fxi_write_attr(w, "composite_attributes", "{settings = array<i64");
        for (size_t i = 0; i < settings.n; i++)
            fxi_text_add(&w->attrs, "%s%lld", i ? ", " : ": ", (long long)settings.v[i]);
        fxi_text_add(&w->attrs, ">}");
        fxi_write_attr(w, "decomposition", "@f%lld", (long long)function);
        fxi_write_attr(w, "version", "0 : i32");
        s->values[n->id] = fxi_write_begin(w, "stablehlo.composite", in, given, fxi_node_results(n));
        fxi_write_end(w, in, given, out, fxi_node_results(n));
    }
    fxi_free(in);
    fxi_free((void *)out);
}

/* ---- barriers ---- */

/* All operands pass; the first is the result. */
void fxi_write_barrier(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_write_operand *in = fxi_write_operands(w, s, n);
    const fx_shape **out = fxi_alloc_zeroed(n->operand_count, sizeof *out);
    if (!out) fxi_write_no_memory(w);
    for (uint32_t i = 0; out && i < n->operand_count; i++) out[i] = &n->operands[i]->shape;
    if (in && out) {
        s->values[n->id] =
            fxi_write_begin(w, "stablehlo.optimization_barrier", in, n->operand_count, n->operand_count);
        fxi_write_end(w, in, n->operand_count, out, n->operand_count);
    }
    fxi_free(in);
    fxi_free((void *)out);
}

void fxi_write_custom_call(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    (void)s;
    (void)n;
    fxi_write_refuse(w, "a custom call is a C function of this process, which StableHLO cannot name");
}
