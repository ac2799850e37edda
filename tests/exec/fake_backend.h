/* SPDX-License-Identifier: Apache-2.0 */
/* A backend that computes nothing: its compile and run call what the test gives, so that a test can hold
 * them, count them and fail them at will. Outputs are zeros. */
#ifndef FAKE_BACKEND_H
#define FAKE_BACKEND_H

#include "backend/backend.h"
#include <pthread.h>

/* Threads that wait until a number of them is there; gives up after some seconds, so that a test fails
 * instead of hanging. */
typedef struct meeting {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int there;
} meeting;
#define MEETING {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0}
/* Arrives and waits for `expected` arrivals, at most `seconds`; whether they came. */
bool meeting_join(meeting *m, int expected, int seconds);
int meeting_count(meeting *m);

typedef struct fake_hooks {
    bool (*compile)(void *user, const fx_graph *graph, fx_error *err); /* NULL: succeeds */
    bool (*run)(void *user, const fxi_run_args *args, fx_error *err);  /* NULL: succeeds */
    void *user;
    atomic_int programs; /* alive now */
    atomic_bool open;
} fake_hooks;

fx_backend *fake_backend_open(fake_hooks *hooks);

#endif
