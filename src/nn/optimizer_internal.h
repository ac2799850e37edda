/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of optimizers share: the options with their defaults, the slots that a parameter's state
 * has, and the rule of each kind. A rule sees one parameter in wide nodes; optimizer.c does what all of them
 * have in common. */
#ifndef FXI_OPTIMIZER_INTERNAL_H
#define FXI_OPTIMIZER_INTERNAL_H

#include "ops/ops.h"
#include <fluxion/optimizer.h>

enum { FXI_MOST_SLOTS = 6 }; /* of a rule and what is kept besides */

typedef struct fxi_slot {
    const char *name;
    fx_shape shape;
} fxi_slot;

/* Scalars of a step in one wide dtype. */
typedef struct fxi_optimizer_scalars {
    fx_node *rate, *t;          /* learning rate, number of the update from 1 */
    fx_node *grow, *shrink; /* 1 / (1 - beta1^t), 1 / sqrt(1 - beta2^t) */
} fxi_optimizer_scalars;

/* One parameter in a step. */
typedef struct fxi_update {
    const fxi_build *b;
    const fx_optimizer *o; /* resolved */
    const fxi_optimizer_scalars *scalars;
    bool decays;       /* LAMB looks at it */
    fx_node *p, *g;    /* wide */
    fx_node *const *s; /* its slots, those of the rule first */
    fx_node **next;    /* and what becomes of them */
} fxi_update;

typedef struct fxi_optimizer_rule {
    const char *name;
    double rate, beta1, beta2, epsilon, weight_decay; /* defaults */
    bool takes_momentum, takes_centered;
    enum { FXI_DECAY_GRADIENT, FXI_DECAY_BESIDES, FXI_DECAY_WITHIN } decay;
    /* Appends the slots for a parameter of that wide shape. */
    size_t (*slots)(const fx_optimizer *o, const fx_shape *p, fxi_slot *slots);
    /* Writes u->next and gives what is to be taken off, rate times. */
    fx_node *(*direction)(const fxi_update *u);
    /* Writes the part of u->next that direction left, after the new parameter was made: what reads a slot as
     * it was must run before the kernel that writes over it. NULL: nothing is left. */
    void (*advance)(const fxi_update *u);
} fxi_optimizer_rule;

/* The options with their defaults, and the rule. why: the message without a name before it, as below. */
bool fxi_optimizer_resolve(const fx_optimizer *given, fx_optimizer *o, const fxi_optimizer_rule **rule,
                           fx_error *why);
/* In which dtype a parameter is updated, and whether a dtype is that of a parameter. */
fx_dtype fxi_optimizer_wide(fx_dtype dtype);
bool fxi_optimizer_takes(fx_dtype dtype);
/* What is kept for a parameter of that shape: the rule's slots, then "master", then "sum". */
size_t fxi_optimizer_slots(const fx_optimizer *o, const fxi_optimizer_rule *rule, const fx_shape *p,
                           fxi_slot *slots);
/* Refuses with that message; and false, after refusing, unless all are floats. */
fx_node *fxi_optimizer_refuse(const fxi_build *b, const fx_error *why);
bool fxi_optimizer_check(const fxi_build *b, fx_nodes parameters);

/* NULL for a number that is no kind. */
const fxi_optimizer_rule *fxi_optimizer_rule_of(fx_optimizer_kind kind);

#endif
