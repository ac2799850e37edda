/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of Fourier transforms. */
#include "ops/cases.h"
#include <fluxion/fft.h>

#define LAST(word)                                                                                           \
    void case_##word(const case_args *a) {                                                                   \
        golden_list lengths = golden_ints(a->c, "lengths");                                                  \
        a->out[0] = fx_##word(a->in[0], GOLDEN_DIMS(lengths));                                               \
    }
#define AXES(word)                                                                                           \
    void case_##word(const case_args *a) {                                                                   \
        golden_list axes = golden_ints(a->c, "axes"), lengths = golden_ints(a->c, "lengths");                \
        a->out[0] = fx_##word(a->in[0], GOLDEN_AXES(axes), GOLDEN_DIMS(lengths));                            \
    }
#define SHIFT(word)                                                                                          \
    void case_##word(const case_args *a) {                                                                   \
        golden_list axes = golden_ints(a->c, "axes");                                                        \
        a->out[0] = fx_##word(a->in[0], GOLDEN_AXES(axes));                                                  \
    }
#define FREQUENCIES(word)                                                                                    \
    void case_##word(const case_args *a) {                                                                   \
        a->out[0] = fx_##word(a->graph, golden_int(a->c, "n", 0), golden_real(a->c, "spacing", 1),           \
                              golden_dtype(a->c, "dtype", FX_F64));                                          \
    }
LAST(fft)
LAST(ifft)
LAST(rfft)
LAST(irfft)
AXES(fftn)
AXES(ifftn)
AXES(rfftn)
AXES(irfftn)
SHIFT(fftshift)
SHIFT(ifftshift)
FREQUENCIES(fftfreq)
FREQUENCIES(rfftfreq)
