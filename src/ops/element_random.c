/* SPDX-License-Identifier: Apache-2.0 */
/* Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC11): a block of
 * four words is a keyed bijection of a 128-bit counter. Word i of a stream lies in block counter + i / 4; a
 * word of 64 bits is made of two, the lower first. */
#include "element_internal.h"

enum { ROUNDS = 10 };

typedef struct block {
    uint32_t w[4];
} block;

static block one_round(block c, uint32_t k0, uint32_t k1) {
    uint64_t p0 = UINT64_C(0xD2511F53) * c.w[0], p1 = UINT64_C(0xCD9E8D57) * c.w[2];
    return (block){{(uint32_t)(p1 >> 32) ^ c.w[1] ^ k0, (uint32_t)(p1 & UINT32_MAX),
                    (uint32_t)(p0 >> 32) ^ c.w[3] ^ k1, (uint32_t)(p0 & UINT32_MAX)}};
}

static block philox(uint64_t key, uint64_t low, uint64_t high) {
    block c = {{(uint32_t)(low & UINT32_MAX), (uint32_t)(low >> 32), (uint32_t)(high & UINT32_MAX),
                (uint32_t)(high >> 32)}};
    uint32_t k0 = (uint32_t)(key & UINT32_MAX), k1 = (uint32_t)(key >> 32);
    for (int r = 0; r < ROUNDS; r++) {
        c = one_round(c, k0, k1);
        k0 += UINT32_C(0x9E3779B9); /* fractions of the golden ratio and of sqrt(3) */
        k1 += UINT32_C(0xBB67AE85);
    }
    return c;
}

fxi_scalar fxi_element_philox(const fx_node *node, const fxi_scalar *operands) {
    uint64_t low = (uint64_t)operands[1].i, high = (uint64_t)operands[2].i, word = (uint64_t)operands[3].i;
    bool wide = node->shape.dtype == FX_U64;
    uint64_t number = wide ? word >> 1 : word >> 2, at = low + number;
    const block made = philox((uint64_t)operands[0].i, at, high + (at < low));
    const uint32_t *w = made.w;
    uint64_t bits = wide ? w[2 * (word & 1)] | (uint64_t)w[2 * (word & 1) + 1] << 32 : w[word & 3];
    return (fxi_scalar){.i = (int64_t)bits};
}
