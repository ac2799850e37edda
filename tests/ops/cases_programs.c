/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that JAX exported (tests/golden/programs), called as graph functions. */
#include "ops/cases.h"
#include <fluxion/stablehlo.h>

void case_program(const case_args *a) {
    char path[1024];
    fx_error err = {.code = FX_OK};
    snprintf(path, sizeof path, "%s/golden/programs/%s.mlir", FX_TEST_DIR, golden_word(a->c, "file", ""));
    fx_module *module = fx_module_read(path, &err);
    if (!module) fail_msg("%s", err.message);
    ptrdiff_t function = fx_module_find(module, NULL);
    if (function < 0) fail_msg("%s has no main", path);
    size_t n_out = fx_module_output_count(module, (size_t)function);
    if (!fx_module_call(module, (size_t)function, a->graph, a->in, a->n_in, a->out, n_out, &err))
        fail_msg("%s", err.message);
    fx_module_free(module);
}
