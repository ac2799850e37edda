/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients against differences: whether what fx_vjp says of a function agrees with how its values change.
 * For tests of custom gradients and of functions near places where they are not smooth. */
#ifndef FLUXION_CHECK_H
#define FLUXION_CHECK_H

#include <fluxion/exec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fx_check_options {
    size_t size;      /* sizeof(fx_check_options), or 0 */
    double step;      /* an element x moves by step max(1, |x|) to both sides; 0: by the narrowest dtype of
                          the inputs that move and of the outputs: 2^-10 of float64, 2^-5 of float32, 1/4 of
                          the halves */
    double tolerance; /* largest difference, relative to max(1, |gradient|, |difference|); 0: 1e-6 of float64,
                          1e-2 of float32, 0.2 of the halves */
    int64_t elements; /* most elements tried of an input, evenly spread; 0: 1000 */
} fx_check_options;

/* The element at which gradient and difference are farthest apart. */
typedef struct fx_check_report {
    size_t size;       /* sizeof(fx_check_report), set by the caller */
    size_t input;      /* which input */
    int64_t element;   /* in row-major order */
    bool imaginary;    /* of a complex input: its imaginary part */
    double gradient;   /* what fx_vjp says */
    double difference; /* what the values say */
    double error;      /* between them, as `tolerance` counts it; infinite where one is NaN alone */
    int64_t compared;  /* how many numbers were compared */
} fx_check_report;

/* Compares for each float or complex input (others stay as they are) and each of its elements the gradient of
 * the sum of w out, w a fixed positive weight for each element of a float output and of the real part of a
 * complex one (1 for a function with one scalar output), with central differences of two step sizes,
 * extrapolated. function, n_in, n_out, user as in fx_exec_new_fn; inputs[] has n_in tensors, which are only
 * read. The work is four runs for each number compared. report: NULL, or filled when the comparison was made.
 * False: a NULL, a tensor without contents, no float or complex output or input, whatever building and
 * running report, no memory, or FX_ERROR_GRADIENT, naming the worst element, when it is beyond the tolerance.
 * A gradient and a difference that are both NaN agree. Elements of inputs that are infinite or NaN are
 * skipped, having no neighbours to compare with; beside them, elements of outputs that are infinite or NaN
 * weigh 0, and an element that moves no other ones is skipped where its gradient is NaN. `compared` tells how
 * many are left, which may be 0. Any thread. */
FX_API bool fx_check_gradient(fx_backend *backend, fx_fn function, size_t n_in, size_t n_out, void *user,
                              fx_tensor *const *inputs, const fx_check_options *options,
                              fx_check_report *report, fx_error *err);

#ifdef __cplusplus
}
#endif

#endif
