/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel asks of the FFT library: a plan for one length, and many transforms with it.
 * fft_lines.inc implements this over pocketfft, once per instruction set; no C++ exception passes this
 * boundary. */
#ifndef FXI_FFT_LINES_H
#define FXI_FFT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fxi_fft_form {
    int64_t n;     /* length of the real or complex line, at least 1 */
    bool wide;     /* float64 and complex128 instead of float32 and complex64 */
    bool from_real, to_real; /* one side is real; the other one then has n / 2 + 1 elements */
    bool inverse;
} fxi_fft_form;

/* Lines of two arrays [outer, elements, inner]: line number l begins at l / inner * elements * inner + l %
 * inner. The arrays may be one and the same where both sides have equally many elements of one dtype. */
typedef struct fxi_fft_lines {
    const void *from;
    void *to;
    int64_t inner;
    int64_t first, last; /* numbers of the lines to transform */
    double scale;        /* of the results */
} fxi_fft_lines;

typedef struct fxi_fft_library {
    void *(*plan)(const fxi_fft_form *form); /* NULL: out of memory */
    void (*release)(void *plan);             /* NULL-safe */
    bool (*run)(const void *plan, const fxi_fft_lines *lines); /* any number at once; false: out of memory */
    int lanes; /* float32 lines that are transformed together; half as many of float64 */
} fxi_fft_library;

extern const fxi_fft_library fxi_fft_avx2, fxi_fft_avx512;

#ifdef __cplusplus
}
#endif
#endif
