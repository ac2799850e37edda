/* SPDX-License-Identifier: Apache-2.0 */
/* Batcher's merge exchange (Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M) on whole rows: a
 * comparator is a vector minimum and a maximum, which is enough because equal keys are the same. The
 * network for n rows has about n (log2 n)^2 / 4 comparators and does not depend on the keys. */
#include "sort_network.h"
#include "carrier.h"
#include <string.h>

/* Comparators (i, i + d) for all i below `end` whose bit p is that of r: runs of p of them. */
#define NETWORK(width, type, lanes)                                                                          \
    FXI_CLONES static void exchange##width(type *rows, int64_t end, int64_t p, int64_t r, int64_t d) {       \
        for (int64_t run = r; run < end; run += 2 * p)                                                       \
            for (int64_t i = run; i < fxi_size_min(run + p, end); i++) {                                     \
                type *a = rows + i * lanes, *b = a + d * lanes;                                              \
                type low[lanes], high[lanes];                                                                \
                for (int k = 0; k < lanes; k++) {                                                            \
                    low[k] = a[k] < b[k] ? a[k] : b[k];                                                      \
                    high[k] = a[k] < b[k] ? b[k] : a[k];                                                     \
                }                                                                                            \
                memcpy(a, low, sizeof low);                                                                  \
                memcpy(b, high, sizeof high);                                                                \
            }                                                                                                \
    }                                                                                                        \
    void fxi_network_sort##width(type *rows, int64_t n) {                                                    \
        int64_t top = 1;                                                                                     \
        while (top * 2 < n) top *= 2;                                                                        \
        for (int64_t p = top; p > 0 && n > 1; p /= 2) {                                                      \
            int64_t r = 0, d = p;                                                                            \
            for (int64_t q = top;; q /= 2) {                                                                 \
                exchange##width(rows, n - d, p, r, d);                                                       \
                if (q == p) break;                                                                           \
                d = q - p;                                                                                   \
                r = p;                                                                                       \
            }                                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    FXI_CLONES static void find_in##width(const type *rows, int64_t n, type a, type b, type *found) {        \
        for (int64_t i = 0; i < n; i++)                                                                      \
            for (int k = 0; k < lanes; k++)                                                                  \
                found[k] |= rows[i * lanes + k] == a || rows[i * lanes + k] == b;                            \
    }                                                                                                        \
    uint32_t fxi_network_find##width(const type *rows, int64_t n, type a, type b) {                          \
        type found[lanes] = {0};                                                                             \
        uint32_t bits = 0;                                                                                   \
        find_in##width(rows, n, a, b, found);                                                                \
        for (int k = 0; k < lanes; k++) bits |= (found[k] ? UINT32_C(1) : 0) << k;                           \
        return bits;                                                                                         \
    }                                                                                                        \
    FXI_CLONES static void gather##width(const type *lines, int64_t n, type *rows) {                         \
        for (int64_t i = 0; i < n; i++)                                                                      \
            for (int k = 0; k < lanes; k++) rows[i * lanes + k] = lines[k * n + i];                          \
    }                                                                                                        \
    FXI_CLONES static void scatter##width(const type *rows, int64_t n, type *lines) {                        \
        for (int k = 0; k < lanes; k++)                                                                      \
            for (int64_t i = 0; i < n; i++) lines[k * n + i] = rows[i * lanes + k];                          \
    }                                                                                                        \
    void fxi_network_gather##width(const type *lines, int64_t n, type *rows) {                               \
        gather##width(lines, n, rows);                                                                       \
    }                                                                                                        \
    void fxi_network_scatter##width(const type *rows, int64_t n, type *lines) {                              \
        scatter##width(rows, n, lines);                                                                      \
    }
NETWORK(32, uint32_t, FXI_LANES32)
NETWORK(64, uint64_t, FXI_LANES64)
