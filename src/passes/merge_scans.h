/* SPDX-License-Identifier: Apache-2.0 */
/* Merging of scans of the same states and operands (merge_scans.c). */
#ifndef FXI_MERGE_SCANS_H
#define FXI_MERGE_SCANS_H

#include "rewrite.h"

/* *made: a new graph, or NULL when there is nothing to merge. Closures are left as they are. False: no
 * memory. */
bool fxi_merge_scans(const fx_graph *graph, fx_graph **made, fx_error *err);

#endif
