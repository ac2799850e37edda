/* SPDX-License-Identifier: Apache-2.0 */
/* Fluxion: computation graphs in C, compiled for the shapes at hand.
 *
 *   static fx_node *distance(fx_node *a, fx_node *b) {             a graph function: builds, computes nothing
 *       return fx_sqrt(fx_reduce_all_sum(fx_square(fx_sub(a, b))));
 *   }
 *
 *   fx_backend *backend = fx_backend_open(NULL, FX_MUST);          where programs run
 *   fx_exec *exec = fx_exec_new(backend, distance, FX_MUST);       function + programs, by input shapes
 *   fx_tensor *d = fx_call1(exec, FX_MUST, FX_VEC(double, 1, 2), FX_VEC(double, 4, 6));
 *   puts(fx_tensor_text(d).s);                                     float64(5)
 *   fx_tensor_free(d), fx_exec_free(exec), fx_backend_close(backend);
 *
 * The headers, in the order of reading:
 *   base.h     errors, allocator, log          graph.h    graphs, nodes, places of calls
 *   dtype.h    element types                   ops.h      the operations
 *   shape.h    dtype + dimensions              backend.h  where programs run, compiled programs
 *   tensor.h   arrays of values                exec.h     executables and calls
 *   grad.h     derivatives                     call.h, sugar.h: short forms
 * Families of operations, when they are needed:
 *   indexing.h, indices.h                        pads, slices, gather, scatter, moves; positions, counting
 *   softmax.h, masked.h, statistics.h            softmax, masked reductions, norms, similarities
 *   activation.h, einsum.h, barrier.h            activations; einsum and products; barriers
 *   window.h, pool.h, convolution.h, sorting.h   running sums, windows; convolution; sort, top_k, search
 *   fft.h, linalg.h, control.h                   transforms; linear algebra; while, if, scan
 *   vmap.h, combine.h, custom.h                  batches; reductions by closures; C functions
 *   mesh.h, collective.h                         many devices: shardings; exchanges written out
 *   random.h, initializer.h                      random numbers; first values of weights
 * Networks:
 *   nn.h, attention.h, quantize.h                layers; attention, positions, caches; quantized weights
 *   loss.h, optimizer.h, schedule.h              losses; optimizers; learning rates
 *   params.h, safetensors.h, npy.h               named parameters and training steps; files of them
 * Programs of others:
 *   stablehlo.h                                  StableHLO text read and run
 * Derivatives, further:
 *   checkpoint.h, lint.h, check.h                less memory; what may be NaN; gradients against differences
 */
#ifndef FLUXION_H
#define FLUXION_H

#include <fluxion/base.h>
#include <fluxion/dtype.h>
#include <fluxion/shape.h>
#include <fluxion/tensor.h>
#include <fluxion/graph.h>
#include <fluxion/ops.h>
#include <fluxion/window.h>
#include <fluxion/pool.h>
#include <fluxion/indexing.h>
#include <fluxion/sorting.h>
#include <fluxion/fft.h>
#include <fluxion/linalg.h>
#include <fluxion/convolution.h>
#include <fluxion/softmax.h>
#include <fluxion/masked.h>
#include <fluxion/statistics.h>
#include <fluxion/activation.h>
#include <fluxion/indices.h>
#include <fluxion/barrier.h>
#include <fluxion/control.h>
#include <fluxion/vmap.h>
#include <fluxion/grad.h>
#include <fluxion/checkpoint.h>
#include <fluxion/lint.h>
#include <fluxion/random.h>
#include <fluxion/initializer.h>
#include <fluxion/custom.h>
#include <fluxion/collective.h>
#include <fluxion/mesh.h>
#include <fluxion/combine.h>
#include <fluxion/einsum.h>
#include <fluxion/attention.h>
#include <fluxion/loss.h>
#include <fluxion/quantize.h>
#include <fluxion/nn.h>
#include <fluxion/optimizer.h>
#include <fluxion/schedule.h>
#include <fluxion/backend.h>
#include <fluxion/exec.h>
#include <fluxion/check.h>
#include <fluxion/sugar.h>
#include <fluxion/call.h>
#include <fluxion/params.h>
#include <fluxion/npy.h>
#include <fluxion/safetensors.h>
#include <fluxion/stablehlo.h>
#include <fluxion/at.h> /* last: from here on builders remember the place of their call */

#endif
