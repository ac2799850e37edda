/* SPDX-License-Identifier: Apache-2.0 */
/* Philox against the published vectors of Random123 (kat_vectors), and how words follow each other. */
#include "support/graph_helpers.h"
#include "ops/ops.h"

static uint64_t word(fx_dtype dtype, uint64_t key, uint64_t low, uint64_t high, uint64_t number) {
    const fx_node node = {.op = FX_OP_PHILOX, .shape = {.dtype = dtype}};
    const fxi_scalar operands[] = {
        {.i = (int64_t)key}, {.i = (int64_t)low}, {.i = (int64_t)high}, {.i = (int64_t)number}};
    return (uint64_t)fxi_map_element(&node, operands).i;
}

static void test_vectors(void **state) {
    (void)state;
    static const struct {
        uint64_t key, low, high;
        uint32_t w[4];
    } rows[] = {{0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                {UINT64_MAX, UINT64_MAX, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                {UINT64_C(0x299f31d0a4093822),
                 UINT64_C(0x85a308d3243f6a88),
                 UINT64_C(0x0370734413198a2e),
                 {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (uint64_t k = 0; k < 4; k++) {
            assert_int_equal(word(FX_U32, rows[i].key, rows[i].low, rows[i].high, k), rows[i].w[k]);
            if (k % 2 == 0)
                assert_int_equal(word(FX_U64, rows[i].key, rows[i].low, rows[i].high, k / 2),
                                 rows[i].w[k] | (uint64_t)rows[i].w[k + 1] << 32);
        }
}

/* Word 4 begins the next block, and the counter carries into its upper half. */
static void test_counter(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 4; k++) {
        assert_int_equal(word(FX_U32, 7, 5, 3, 4 + k), word(FX_U32, 7, 6, 3, k));
        assert_int_equal(word(FX_U32, 7, UINT64_MAX, 3, 4 + k), word(FX_U32, 7, 0, 4, k));
        assert_int_equal(word(FX_U64, 7, UINT64_MAX - 1, UINT64_MAX, 4 + k), word(FX_U64, 7, 0, 0, k));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors), cmocka_unit_test(test_counter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
