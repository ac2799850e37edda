/* SPDX-License-Identifier: Apache-2.0 */
/* fluxion-bench --agree BACKEND: every case on two backends from the same graph, and how far apart the results are.
 *
 * The measure is the largest difference of two elements against the largest magnitude of that output, in units of the dtype's
 * rounding (2^-24 for float32): sums of n terms in another order differ by about sqrt(n) of them. Integers must be equal. */
#include "bench.h"
#include <float.h>
#include <math.h>

static double epsilon_of(fx_dtype dtype) {
    switch (dtype) {
    case FX_F64: case FX_C128: return DBL_EPSILON / 2;
    case FX_F32: case FX_C64: return FLT_EPSILON / 2;
    case FX_F16: return 0x1p-11;
    case FX_BF16: return 0x1p-8;
    default: return 0;
    }
}

typedef struct apart {
    double difference, magnitude;
    int64_t unlike; /* NaN or infinite on one side only, and integers that differ */
} apart;

static apart compare(const fx_tensor *a, const fx_tensor *b, double epsilon) {
    apart d = {0, 0, 0};
    for (int64_t i = 0, n = fx_tensor_size(a); i < n; i++) {
        double x = fx_tensor_get(a, i), y = fx_tensor_get(b, i);
        if (isfinite(x) && isfinite(y) && epsilon > 0) {
            d.difference = fmax(d.difference, fabs(x - y));
            d.magnitude = fmax(d.magnitude, fabs(y));
        } else if (x != y && !(isnan(x) && isnan(y))) {
            d.unlike++;
        }
    }
    return d;
}

bool fxb_agree(const fxb_case *c, const fx_arg *args, fx_exec *ours, fx_exec *theirs) {
    fx_tensor *a[FXB_MAX_OUTPUTS], *b[FXB_MAX_OUTPUTS];
    fx_error err = {.code = FX_OK};
    if (!fx_exec_call(ours, args, c->n_in, a, c->n_out, &err)) {
        printf("agree,%s,failed here,%s\n", c->name, err.message);
        return false;
    }
    bool ran = fx_exec_call(theirs, args, c->n_in, b, c->n_out, &err);
    if (!ran) printf("agree,%s,failed there,%s\n", c->name, err.message);
    double worst = 0;
    int64_t unlike = 0;
    for (size_t i = 0; ran && i < c->n_out; i++) {
        double epsilon = epsilon_of(fx_tensor_dtype(a[i]));
        apart d = compare(a[i], b[i], epsilon);
        if (d.magnitude > 0) worst = fmax(worst, d.difference / d.magnitude / epsilon);
        unlike += d.unlike;
    }
    if (ran) printf("agree,%s,%.1f roundings,%lld unlike\n", c->name, worst, (long long)unlike);
    for (size_t i = 0; i < c->n_out; i++) {
        fx_tensor_free(a[i]);
        if (ran) fx_tensor_free(b[i]);
    }
    return ran && unlike == 0;
}
