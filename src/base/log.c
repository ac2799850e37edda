/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines go to the caller's function or nowhere. Lines are formatted on the stack and cut to its size:
 * logging must work when memory has run out, and nothing that is logged needs more. */
#include "base.h"

#include <stdio.h>
#include <string.h>

static struct {
    fx_log_fn write;
    void *user;
} log_sink;

void fx_set_log(fx_log_fn log, void *user)
{
    log_sink.write = log;
    log_sink.user = user;
}

void fxi_log(fx_log_level level, const char *format, ...)
{
    if (log_sink.write == NULL)
        return;
    char line[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length < 0)
        return;
    if ((size_t)length >= sizeof line)
        memcpy(line + sizeof line - sizeof "...", "...", sizeof "...");
    log_sink.write(level, line, log_sink.user);
}
