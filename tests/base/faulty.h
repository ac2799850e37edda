/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator for tests: counts what is out, and fails from a chosen call on. Set it before anything
 * else. */
#ifndef TEST_FAULTY_H
#define TEST_FAULTY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "base/base.h"

void faulty_install(void);
void faulty_fail_after(long calls); /* so many more calls succeed, all later ones fail; negative: none */
long faulty_blocks(void);           /* blocks out now */
long faulty_calls(void);            /* alloc and resize calls so far */

#endif
