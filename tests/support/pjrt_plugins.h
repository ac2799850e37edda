/* SPDX-License-Identifier: Apache-2.0 */
/* The two PJRT plugins that tests run on, an old and a new one, as the fixture pjrt.plugins found them. A
 * test program without them ends with the status that ctest reports as skipped. */
#ifndef PJRT_PLUGINS_H
#define PJRT_PLUGINS_H

#include <fluxion.h>

enum { PJRT_PLUGINS = 2, PJRT_SKIPPED = 77 };

/* Path of plugin 0 (older) or 1; NULL: they are not here. */
const char *pjrt_plugin(int which);
/* "pjrt:PATH?logs=quiet" and more options, each with its "&"; a string that the next call overwrites. */
const char *pjrt_config(int which, const char *more);
/* Opens it or fails the test. */
fx_backend *pjrt_open(int which, const char *more);
/* Begins a main: false, with a notice, when the program is to end with PJRT_SKIPPED. */
bool pjrt_begin(void);

#endif
