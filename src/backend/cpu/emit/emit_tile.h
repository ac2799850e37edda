/* SPDX-License-Identifier: Apache-2.0 */
/* Transposed tiles of lanes x lanes elements. */
#ifndef FXI_EMIT_TILE_H
#define FXI_EMIT_TILE_H

#include "emit.h"

/* <lanes x element>, an integer of the element's width; masked-off lanes are zero and not touched in
 * memory; mask NULL: all. */
LLVMValueRef fxi_emit_masked_load(fxi_emit *e, LLVMTypeRef element, LLVMValueRef address, LLVMValueRef mask);
/* Vectors c of lanes r become vectors r of lanes c, in place; lanes is a power of two. */
void fxi_emit_transpose(fxi_emit *e, LLVMValueRef *vectors);

#endif
