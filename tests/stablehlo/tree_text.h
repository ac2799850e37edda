/* SPDX-License-Identifier: Apache-2.0 */
/* A syntax tree as text in which two programs that say the same are equal: values numbered as they appear,
 * attributes sorted, lists of integers in one form, constants by their bytes. */
#ifndef TREE_TEXT_H
#define TREE_TEXT_H

#include "stablehlo/tree.h"

/* To be freed by fxi_text_free. */
fxi_text tree_text(const fxi_hlo_module *module);
/* Of one attribute alone. */
fxi_text tree_attr_text(const fxi_hlo_module *module, const fxi_hlo_attr *attr);

#endif
