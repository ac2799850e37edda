/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of one row of a patch: each lane is a feature with a kernel of its own, and a
 * result is the sum over the taps of patch times kernel, lane by lane. Four pixels share each vector of the
 * kernel. Lanes are summed in whole vectors, patch and kernel having room for them; what lies beyond the
 * last feature is not stored. */
#include "carrier.h"
#include "conv.h"

#include <string.h>

enum { PIXELS = 4 };

#define LANES(name, element)                                                                                 \
    typedef element vector_##name __attribute__((vector_size(64), aligned(sizeof(element)), may_alias));     \
    FXI_CLONES static void lanes_##name(const char *patch, const char *kernel, char *y,                      \
                                        const fxi_conv_lanes *args) {                                        \
        const fxi_conv_lanes a = *args;                                                                      \
        int64_t taps = a.plan->taps * a.plan->channels;                                                      \
        int64_t row = a.plan->panel_width * (int64_t)sizeof(element);                                        \
        int64_t end = a.count * (int64_t)sizeof(element);                                                    \
        for (int64_t pixel = 0; pixel < a.pixels; pixel += PIXELS) {                                         \
            int64_t n = a.pixels - pixel < PIXELS ? a.pixels - pixel : PIXELS;                               \
            int64_t p1 = n > 1 ? a.step : 0, p2 = n > 2 ? 2 * a.step : 0, p3 = n > 3 ? 3 * a.step : 0;       \
            for (int64_t at = 0; at < end; at += 64) {                                                       \
                vector_##name sum[PIXELS] = {{0}, {0}, {0}, {0}};                                            \
                for (int64_t t = 0; t < taps; t++) {                                                         \
                    const char *from = patch + pixel * a.step + a.taps[t] + at;                              \
                    vector_##name w = *(const vector_##name *)(kernel + t * row + at);                       \
                    sum[0] += *(const vector_##name *)from * w;                                              \
                    sum[1] += *(const vector_##name *)(from + p1) * w;                                       \
                    sum[2] += *(const vector_##name *)(from + p2) * w;                                       \
                    sum[3] += *(const vector_##name *)(from + p3) * w;                                       \
                }                                                                                            \
                char *to = y + pixel * a.y_step + at;                                                        \
                if (end - at < 64 || n < PIXELS) {                                                           \
                    size_t bytes = (size_t)(end - at < 64 ? end - at : 64);                                  \
                    for (int64_t i = 0; i < n; i++) memcpy(to + i * a.y_step, &sum[i], bytes);               \
                    continue;                                                                                \
                }                                                                                            \
                *(vector_##name *)to = sum[0];                                                               \
                *(vector_##name *)(to + a.y_step) = sum[1];                                                  \
                *(vector_##name *)(to + 2 * a.y_step) = sum[2];                                              \
                *(vector_##name *)(to + 3 * a.y_step) = sum[3];                                              \
            }                                                                                                \
        }                                                                                                    \
    }

LANES(f32, float)
LANES(f64, double)
LANES(s32, uint32_t)
LANES(s64, uint64_t)

fxi_conv_lanes_fn fxi_conv_lanes_of(fx_dtype compute) {
    static const fxi_conv_lanes_fn table[FX_DTYPE_LIMIT] = {
        [FX_F32] = lanes_f32, [FX_F64] = lanes_f64, [FX_S32] = lanes_s32, [FX_S64] = lanes_s64};
    return table[compute];
}
