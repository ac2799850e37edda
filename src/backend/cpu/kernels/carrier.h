/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of any dtype as one of four wide ones ("carriers"), in blocks: what a kernel computes in when
 * the width of memory does not matter to its speed, so that it need not exist for every dtype. Floats are
 * carried in double, integers and bool in 64 bits, complex numbers as pairs of doubles; every value is
 * exact in its carrier. Storing rounds once, or wraps. */
#ifndef FXI_CARRIER_H
#define FXI_CARRIER_H

#include "kernels.h"

typedef enum fxi_carrier {
    FXI_CARRY_F64,
    FXI_CARRY_S64,
    FXI_CARRY_U64,
    FXI_CARRY_C128,
    FXI_CARRIERS
} fxi_carrier;

typedef struct fxi_carrier_info {
    fxi_carrier carrier;
    void (*load)(const void *elements, int64_t count, void *carried);
    void (*store)(void *elements, int64_t count, const void *carried);
} fxi_carrier_info;

/* The row of a dtype that arithmetic takes (bool, integers, floats, complex); NULL for float8. */
const fxi_carrier_info *fxi_carrier_of(fx_dtype dtype);

#endif
