/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of convolutions. Where the input is dilated, as in transposed convolutions and the gradients of
 * strided ones, most products are with the zeros between its elements. The results then fall into phases, by
 * their places modulo the dilation: each meets some of the kernel's taps, evenly spaced, and elements of the
 * input alone, and is a convolution of its own without dilation, whose results lie that far apart.
 *
 * A zero times an infinity or NaN is NaN, and such products count: kernels that hold one take all of them. */
#include "conv.h"

#include <string.h>

enum { MOST_PHASES = 16 };

typedef struct phases {
    fxi_conv *whole, *phase[MOST_PHASES];
    int count;     /* 0: the whole is run */
    bool has_zero; /* some phase has no taps: its results are zeros */
} phases;

static void release(void *state) {
    phases *p = state;
    if (p == NULL) return;
    for (int i = 0; i < p->count; i++) fxi_conv_free(p->phase[i]);
    fxi_conv_free(p->whole);
    fxi_free(p);
}

/* The number of phases, and along each axis; 1 where there is nothing to gain or there are too many. */
static int64_t count_phases(const fx_node *node, int64_t *along) {
    fxi_conv c = {0};
    int64_t count = 1;
    fxi_conv_read(&c, node);
    for (int i = 1; i < c.rank; i++) {
        const fxi_conv_axis *a = &c.axis[i];
        along[i - 1] = fxi_conv_has_phases(a) ? fxi_size_min(a->spread, a->out) : 1;
        if (!fxi_size_mul(count, along[i - 1], &count) || count > MOST_PHASES) return 1;
    }
    return count;
}

static bool plan_phases(phases *p, const fx_node *node, const fxi_target *target, fx_error *err) {
    int64_t along[FX_MAX_RANK] = {0}, count = count_phases(node, along);
    for (int64_t number = 0; count > 1 && number < count; number++) {
        int64_t remainders[FX_MAX_RANK], rest = number;
        for (int i = node->shape.rank - 3; i >= 0; i--) {
            remainders[i] = rest % along[i];
            rest /= along[i];
        }
        fxi_conv *phase = fxi_conv_new(node, target, remainders, err);
        if (phase == NULL) return false;
        p->phase[p->count++] = phase;
        p->has_zero |= phase->zero;
    }
    return true;
}

static void *prepare(const fx_node *node, const fxi_target *target, fx_error *err) {
    phases *p = fxi_alloc_zeroed(1, sizeof *p);
    if (p == NULL) {
        fxi_fail_memory(err, "convolution");
        return NULL;
    }
    p->whole = fxi_conv_new(node, target, NULL, err);
    if (p->whole != NULL && (p->whole->zero || plan_phases(p, node, target, err))) return p;
    release(p);
    return NULL;
}

static int64_t workspace(const void *state) {
    const phases *p = state;
    int64_t most = fxi_conv_workspace(p->whole);
    for (int i = 0; i < p->count; i++) most = fxi_size_max(most, fxi_conv_workspace(p->phase[i]));
    return most;
}

/* ---- infinities and NaN have all bits of the exponent ---- */

#define ANY_SPECIAL(bits, mask)                                                                              \
    static bool any_special_##bits(const void *values, int64_t count) {                                      \
        const uint##bits##_t *v = values;                                                                    \
        uint##bits##_t any = 0;                                                                              \
        for (int64_t i = 0; i < count; i++) any |= (uint##bits##_t)((v[i] & (mask)) == (mask));              \
        return any != 0;                                                                                     \
    }
ANY_SPECIAL(16, UINT16_C(0x7C00))
ANY_SPECIAL(32, UINT32_C(0x7F800000))
ANY_SPECIAL(64, UINT64_C(0x7FF0000000000000))

static bool has_special(const fx_node *node, const void *values) {
    int64_t count = fx_shape_size(&node->shape);
    switch (node->shape.dtype) {
    case FX_F16:
    case FX_BF16: return any_special_16(values, count); /* of bfloat16, some numbers too */
    case FX_F32: return any_special_32(values, count);
    case FX_F64: return any_special_64(values, count);
    case FX_C64: return any_special_32(values, 2 * count);
    case FX_C128: return any_special_64(values, 2 * count);
    default: return false;
    }
}

static void run(const fxi_host_call *call) {
    const phases *p = call->state;
    const fxi_conv *c = p->whole;
    bool in_phases = p->count > 0 && !has_special(call->node->operands[1], call->operands[1]);
    if (c->zero || (in_phases && p->has_zero))
        memset(call->result, 0, (size_t)(fx_shape_size(&call->node->shape) * c->out_bytes));
    if (!in_phases) fxi_conv_run(c, call);
    for (int i = 0; in_phases && i < p->count; i++) fxi_conv_run(p->phase[i], call);
}

const fxi_host_kernel fxi_kernel_convolution = {
    .run = run, .prepare = prepare, .release = release, .state_workspace = workspace};
