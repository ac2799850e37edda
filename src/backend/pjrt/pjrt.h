/* SPDX-License-Identifier: Apache-2.0 */
/* The PJRT backend: programs as StableHLO text, compiled and run by a plugin, a shared library that speaks
 * OpenXLA's PJRT C API (XLA for CPU, GPU and TPU). "pjrt:PATH" names the plugin, "pjrt:NAME" and "pjrt" look
 * for one. */
#ifndef FXI_PJRT_H
#define FXI_PJRT_H

#include "backend/backend.h"

extern const fxi_backend_ops fxi_pjrt_backend;

#endif
