/* SPDX-License-Identifier: Apache-2.0 */
/* Placement of blocks in the order of the steps: no two that live at the same time overlap, and a chain in
 * which everything is given back needs no more than lives at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "backend/cpu/plan/memory.h"

enum { COUNT = 600, STEPS = 200 };

static void test_no_overlap(void **state) {
    (void)state;
    static fxi_block blocks[COUNT];
    uint64_t random = 7;
    for (int round = 0; round < 20; round++) {
        int64_t total = 0;
        for (int i = 0; i < COUNT; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            int first = (int)(random >> 33) % STEPS, length = (int)((random >> 20) % 40);
            int64_t bytes = 64 * (int64_t)((random >> 50) % 9); /* 0 too */
            blocks[i] = (fxi_block){.value = i, .first = first, .last = first + length, .bytes = bytes};
        }
        assert_true(fxi_place_by_steps(blocks, COUNT, &total));
        for (int i = 0; i < COUNT; i++) {
            const fxi_block *a = &blocks[i];
            assert_true(a->offset >= 0 && a->offset % 64 == 0 && a->offset + a->bytes <= total);
            for (int k = 0; k < i; k++) {
                const fxi_block *b = &blocks[k];
                bool together = a->bytes > 0 && b->bytes > 0 && a->first <= b->last && b->first <= a->last;
                bool overlap = a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
                assert_false(together && overlap);
            }
        }
    }
}

/* Forward values live until the gradient passes them: as many as there are, and one more for the adjoint. */
static void test_chain(void **state) {
    (void)state;
    static fxi_block blocks[2 * COUNT];
    int64_t total = 0;
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = (fxi_block){.value = i, .first = i, .last = 2 * COUNT - 1 - i, .bytes = 64};
        blocks[COUNT + i] =
            (fxi_block){.value = COUNT + i, .first = COUNT + i, .last = COUNT + i + 1, .bytes = 64};
    }
    assert_true(fxi_place_by_steps(blocks, 2 * COUNT, &total));
    assert_in_range(total, 64 * COUNT, 64 * (COUNT + 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_overlap), cmocka_unit_test(test_chain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
