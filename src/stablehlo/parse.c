/* SPDX-License-Identifier: Apache-2.0 */
/* From text to tree. */
#include "stablehlo/tree.h"

fxi_hlo_module *fxi_hlo_parse(const char *text, size_t length, const char *file, fx_error *err) {
    fxi_hlo_module *module = fxi_alloc_zeroed(1, sizeof *module);
    if (!module) {
        fxi_fail_memory(err, "fx_module_parse");
        return NULL;
    }
    module->file = file ? file : "stablehlo";
    module->source = fxi_arena_copy(&module->arena, text, length);
    module->source_length = module->source ? length : 0;
    fxi_hlo_refuse(module, (fxi_hlo_place){.line = 1, .column = 1}, err, "the text is not read");
    fxi_hlo_free(module);
    return NULL;
}
