/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C as a question: the loop looks after each step whether it was pressed, saves and ends. Pressed a second
 * time it ends the program at once. */
#ifndef SUPPORT_STOP_H
#define SUPPORT_STOP_H

#include <stdbool.h>

/* From now on the first Ctrl-C (SIGINT), or SIGTERM, only asks. */
void stop_watch(void);
/* Whether it was pressed since. */
bool stop_asked(void);

#endif
