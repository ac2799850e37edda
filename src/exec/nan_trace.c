/* SPDX-License-Identifier: Apache-2.0 */
/* Where a NaN came from. Generated code fuses nodes and cannot tell; so a call whose outputs have a NaN is
 * computed once more by the interpreter, node by node, on the same (rewritten) graph, whose nodes know the
 * places of the user's calls. */
#include "exec.h"

static bool fetch_all(fx_tensor *const *tensors, size_t n, fx_error *err) {
    for (size_t i = 0; i < n; i++) FX_TRY(fx_tensor_fetch(tensors[i], err));
    return true;
}

static bool has_nan(fx_tensor *const *outputs, size_t n, size_t *which) {
    for (size_t i = 0; i < n; i++)
        if (fxi_tensor_find_nan(outputs[i]) >= 0) {
            *which = i;
            return true;
        }
    return false;
}

static void free_outputs(fx_tensor **outputs, size_t n) {
    for (size_t i = 0; i < n; i++) {
        fx_tensor_free(outputs[i]);
        outputs[i] = NULL;
    }
}

/* Runs the program's graph on the interpreter; it fails at the node that is looked for. */
static bool run_again(const fx_program *program, fxi_run_args *run, fx_error *err) {
    const fxi_backend_ops *interp = fxi_backend_reference();
    void *state = interp->open(&(fxi_open_args){.count = 0}, err);
    void *compiled = state ? interp->compile(state, program->graph, err) : NULL;
    bool ok = compiled && interp->run(compiled, run, err);
    interp->program_free(compiled);
    if (state) interp->close(state);
    return ok;
}

bool fxi_nan_trace(const fx_program *program, const fxi_run_args *run, size_t n_in, size_t n_out,
                   fx_error *err) {
    size_t which;
    if (!fetch_all(run->outputs, n_out, err) || !fetch_all(run->inputs, n_in, err)) {
        free_outputs(run->outputs, n_out);
        return false;
    }
    if (!has_nan(run->outputs, n_out, &which)) return true;
    free_outputs(run->outputs, n_out);
    fxi_run_args again = {.inputs = run->inputs, .outputs = run->outputs, .trace_nan = true};
    if (!run_again(program, &again, err)) return false;
    free_outputs(run->outputs, n_out);
    return fxi_fail(err, FX_ERROR_NAN, "fx_call: output %zu has a NaN that came with an input", which);
}
