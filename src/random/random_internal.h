/* SPDX-License-Identifier: Apache-2.0 */
/* What the distributions are made of (bits.c): words of a stream and the advance of its counter. */
#ifndef FXI_RANDOM_INTERNAL_H
#define FXI_RANDOM_INTERNAL_H

#include "ops/ops.h"
#include <fluxion/random.h>

typedef struct fxi_random {
    fxi_build b;
    fx_node *state, *key, *low, *high; /* key and counter, uint64 scalars */
} fxi_random;

/* Begins a function: checks state, shape and new_state's place. False after refusing; *new_state is then the
 * inert node. */
bool fxi_random_begin(fxi_random *r, const char *name, fx_node *state, const fx_shape *shape,
                      fx_node **new_state);
/* Words of 32 or 64 bits with the dimensions of a shape: those of a draw that begins at the state's
 * counter. */
fx_node *fxi_random_words(const fxi_random *r, const fx_shape *dims, fx_dtype word);
/* The state after a draw of so many words of that kind. */
fx_node *fxi_random_advance(const fxi_random *r, int64_t words, fx_dtype word);
/* A draw: its words, and the state after it. */
fx_node *fxi_random_draw(const fxi_random *r, const fx_shape *dims, fx_dtype word, fx_node **new_state);
/* The top p bits of a word, times 2^-p, in float32 or float64: words of 64 bits give float64. */
fx_node *fxi_random_unit(fx_node *words, int p);

#endif
