/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter backend: plain loops over every node, the meaning that other backends are compared with.
 * It takes no options, uses the caller's thread only and runs on any machine. */
#ifndef FXI_INTERP_H
#define FXI_INTERP_H

#include "backend/backend.h"

extern const fxi_backend_ops fxi_interp_backend;

#endif
