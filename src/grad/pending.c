/* SPDX-License-Identifier: Apache-2.0 */
/* Words of the gradient column whose rules are not written. Shrinks until the file goes. */
#include "grad_internal.h"

#define PENDING(word) const fxi_grad_rule fxi_gradrule_##word = {.refusal = "its rule is not written yet"};
PENDING(dynamic_slice)
PENDING(dynamic_update_slice)
PENDING(gather)
PENDING(scatter)
PENDING(sort)
PENDING(fft)
PENDING(while)
PENDING(if)
PENDING(scan)
PENDING(sort_by)
PENDING(top_k)
PENDING(custom_call)
