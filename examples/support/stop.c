/* SPDX-License-Identifier: Apache-2.0 */
/* The handler only sets a flag, and is taken away by the signal itself (SA_RESETHAND). */
#define _POSIX_C_SOURCE 200809L
#include "stop.h"
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t asked;

static void on_signal(int number) {
    (void)number;
    asked = 1;
}

void stop_watch(void) {
    struct sigaction action = {.sa_handler = on_signal};
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool stop_asked(void) {
    return asked != 0;
}
