/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of an array along an axis, how many of them a task takes, and moving their elements by sorted
 * indices. */
#ifndef FXI_SORT_LINE_H
#define FXI_SORT_LINE_H

#include "kernels.h"
#include "sort_radix.h"

typedef struct fxi_lines {
    /* elements of a line, stride between them, lines; count is 0 when there are no elements */
    int64_t along, inner, count;
} fxi_lines;
fxi_lines fxi_lines_of(const fx_shape *shape, int64_t axis);
/* Where a line begins, in elements. */
static inline int64_t fxi_line_start(const fxi_lines *lines, int64_t line) {
    return line / lines->inner * lines->along * lines->inner + line % lines->inner;
}
/* Lines are cut into this many tasks; depends on the shape alone. */
int64_t fxi_line_tasks(const fxi_lines *lines);
static inline int64_t fxi_task_start(const fxi_lines *lines, int64_t tasks, int64_t task) {
    int64_t each = lines->count / tasks, more = lines->count % tasks;
    return task * each + (task < more ? task : more);
}

/* Bytes of a part of the workspace. */
static inline int64_t fxi_slot_round(int64_t bytes) { return (bytes + 63) & ~INT64_C(63); }

/* Elements of `bytes` bytes: to[i] = from[index of record i] for i in [start, start + count); stride in
 * elements. Records are of a kind that has an index. */
typedef struct fxi_permutation {
    fxi_record record;
    const void *records;
    const void *from;
    void *to;
    int64_t bytes, stride;
} fxi_permutation;
void fxi_permute(const fxi_permutation *permutation, int64_t start, int64_t count);

#endif
