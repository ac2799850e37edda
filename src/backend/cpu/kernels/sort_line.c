/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and their permutations; one loop per width of elements and kind of record. */
#include "sort_line.h"

enum { MOST_TASKS = 64, TASK = 1 << 14 };

fxi_lines fxi_lines_of(const fx_shape *shape, int64_t axis) {
    fxi_lines lines = {.along = shape->dims[axis], .inner = 1, .count = 1};
    if (fx_shape_size(shape) == 0) return (fxi_lines){.along = 0, .inner = 1, .count = 0};
    for (int i = 0; i < shape->rank; i++) {
        if (i > axis) lines.inner *= shape->dims[i];
        if (i != axis) lines.count *= shape->dims[i];
    }
    return lines;
}

int64_t fxi_line_tasks(const fxi_lines *lines) {
    int64_t a_task = lines->along < TASK ? TASK / (lines->along + 1) + 1 : 1; /* lines worth one */
    int64_t tasks = (lines->count + a_task - 1) / a_task;
    return tasks < MOST_TASKS ? tasks : MOST_TASKS;
}

typedef struct pair {
    uint64_t a, b;
} pair;

#define PERMUTE(name, type, index_type, INDEX)                                                               \
    static void name(const fxi_permutation *p, int64_t start, int64_t count) {                               \
        const index_type *records = p->records;                                                              \
        const type *from = p->from;                                                                          \
        type *to = p->to;                                                                                    \
        for (int64_t i = start; i < start + count; i++)                                                      \
            to[i * p->stride] = from[(int64_t)INDEX(records[i]) * p->stride];                                \
    }
#define LOW_HALF(record) ((uint32_t)(record))
#define PAIR_INDEX(record) ((record).index)
#define WIDTH(bytes, type)                                                                                   \
    PERMUTE(permute##bytes, type, uint64_t, LOW_HALF)                                                        \
    PERMUTE(permute##bytes##_pair, type, fxi_key_pair, PAIR_INDEX)
WIDTH(1, uint8_t)
WIDTH(2, uint16_t)
WIDTH(4, uint32_t)
WIDTH(8, uint64_t)
WIDTH(16, pair)

void fxi_permute(const fxi_permutation *p, int64_t start, int64_t count) {
    typedef void (*permute_fn)(const fxi_permutation *permutation, int64_t start, int64_t count);
    static const permute_fn table[5][2] = {{permute1, permute1_pair},
                                           {permute2, permute2_pair},
                                           {permute4, permute4_pair},
                                           {permute8, permute8_pair},
                                           {permute16, permute16_pair}};
    int width = p->bytes == 1 ? 0 : p->bytes == 2 ? 1 : p->bytes == 4 ? 2 : p->bytes == 8 ? 3 : 4;
    table[width][p->record == FXI_RECORD_PAIR](p, start, count);
}
