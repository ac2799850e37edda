/* SPDX-License-Identifier: Apache-2.0 */
/* The program around a network that reads digits: arguments, batches, progress, Ctrl-C, accuracy, files. */
#ifndef SUPPORT_DIGITS_RUN_H
#define SUPPORT_DIGITS_RUN_H

#include <fluxion.h>

/* A network as graph functions of a map of named tensors, in which everything lives that lasts from step to
 * step. The map begins with the state of the random numbers as "random"; init adds an optimizer's state as
 * "optimizer/0" and so on, which begins with the number of steps made. */
typedef struct digits_network {
    const char *name;
    int epochs;        /* unless --epochs says otherwise */
    fx_params_fn init; /* adds weights and moments to the map */
    fx_params_fn
        step; /* in: images [N, 64], labels [N]; out: the loss. user: how many steps there are, int */
    fx_params_fn judge; /* in: images, labels; out: how many are read right, an integer */
} digits_network;

/* Trains, prints, saves; gives what main is to return. */
int digits_run(const digits_network *network, int argc, char **argv);

#endif
