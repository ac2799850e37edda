/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, allocation and logging: what every other header builds on.
 *
 * Errors. A function that can fail takes `fx_error *err` as its last fixed argument. The struct belongs to
 * the caller; the library only writes it, and only on failure. NULL means "I do not want to know why";
 * FX_MUST means "print the message and abort", the one way this library ever ends a process. The function
 * then returns NULL or false. Threads. The process-wide defaults of this header may be set once, before
 * any other call of the library; everything else in it may be called from any thread. */
#ifndef FLUXION_BASE_H
#define FLUXION_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define FX_API
#else
#define FX_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define FX_VERSION_MAJOR 0
#define FX_VERSION_MINOR 1
#define FX_VERSION_PATCH 0
#define FX_ABI 0 /* number in the SONAME; grows when a binary built against an older header would break */

/* C11's `true` is an int; these are the bool values, for FX_ARG and other generic choices. */
#define FX_TRUE ((bool)1)
#define FX_FALSE ((bool)0)

/* Why something failed. Numbers never change; new codes are added at the end. */
typedef enum fx_error_code {
    FX_OK = 0,                /* no error */
    FX_ERROR_ARGUMENT = 1,    /* a NULL, an enum out of range, a wrong number of arguments or outputs */
    FX_ERROR_SHAPE = 2,       /* ranks or dimensions that do not fit */
    FX_ERROR_DTYPE = 3,       /* an element type that the operation does not take */
    FX_ERROR_AXIS = 4,        /* an axis out of range or named twice */
    FX_ERROR_ATTRIBUTE = 5,   /* any other attribute out of its range */
    FX_ERROR_GRAPH = 6,       /* a node of another graph, a finished graph, a missing output */
    FX_ERROR_MEMORY = 7,      /* an allocation failed or a size does not fit into 63 bits */
    FX_ERROR_UNSUPPORTED = 8, /* this backend cannot do that */
    FX_ERROR_BACKEND = 9,     /* the backend or something below it failed */
    FX_ERROR_INTERNAL = 10,   /* a fault of this library */
    FX_ERROR_NAN = 11,        /* a value that is not a number, where that was asked to be an error */
    FX_ERROR_GRADIENT = 12,   /* fx_check_gradient found a derivative that the values do not have */
    FX_ERROR_FILE = 13        /* a file that cannot be read or written, or is not what it should be */
} fx_error_code;

/* Filled on failure; lives wherever the caller puts it. A zeroed struct says FX_OK. */
typedef struct fx_error {
    fx_error_code code; /* FX_OK if nothing failed since the caller cleared it */
    int line;           /* line of the user's call that caused it, or 0 */
    const char *file;   /* file of that call (valid for the life of the process), or NULL */
    char message[496];  /* one line, "operation: what it got, what it wanted", always terminated; where a
                           text was read, two more lines with its line and a mark below the place */
} fx_error;

/* Never read or written: a function that is given its address prints the error to stderr and calls
 * abort(). */
extern FX_API fx_error fx_must;
#define FX_MUST (&fx_must)

/* Name of a code in lower case, e.g. "shape"; "unknown" for a number that is none. Static storage. Any
 * thread. */
FX_API const char *fx_error_name(fx_error_code code);

/* Version of the library that is running, e.g. "0.1.0". Static storage. Any thread. */
FX_API const char *fx_version(void);

/* A caller's allocator. `alloc` and `resize` give memory aligned to 16 bytes or NULL; `resize` and
 * `release` take what one of them gave (never NULL). All three may be called from any thread at once.
 * LLVM's own allocations do not pass through here. */
typedef struct fx_allocator {
    size_t size;                                              /* sizeof(fx_allocator) */
    void *(*alloc)(size_t bytes, void *user);                 /* bytes > 0 */
    void *(*resize)(void *block, size_t bytes, void *user);   /* as realloc, bytes > 0 */
    void (*release)(void *block, void *user);
    void *user;                                               /* handed to each call */
} fx_allocator;

/* Replaces malloc for all of the library's own allocations. Call it at most once, before anything else of
 * the library; the struct is copied. False (and no change) when a pointer in it is NULL or its size is
 * wrong. Not thread-safe. */
FX_API bool fx_set_allocator(const fx_allocator *allocator);

typedef enum fx_log_level {
    FX_LOG_ERROR = 0,
    FX_LOG_WARNING = 1,
    FX_LOG_INFO = 2,
    FX_LOG_DEBUG = 3
} fx_log_level;

/* Receives one line without a newline; called from any thread, maybe several at once. */
typedef void (*fx_log_fn)(fx_log_level level, const char *line, void *user);

/* Sets where log lines go; NULL (the default) drops them. Call it before anything else of the library. Not
 * thread-safe. */
FX_API void fx_set_log(fx_log_fn log, void *user);

/* Takes n bytes of something that is written piece by piece; false: it cannot, and no more come. */
typedef bool (*fx_write_fn)(void *user, const char *bytes, size_t n);

/* A span of axes: negative ones count from the end. FX_AXES(0, -1) makes one for the length of the
 * expression. */
typedef struct fx_axes {
    const int *v;
    size_t n;
} fx_axes;

/* A span of dimensions or other 64-bit sizes. FX_DIMS(2, 3) makes one. */
typedef struct fx_dims {
    const int64_t *v;
    size_t n;
} fx_dims;

#ifdef __cplusplus
}
#endif
#endif
