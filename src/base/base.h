/* SPDX-License-Identifier: Apache-2.0 */
/* What src/base shows to the other folders: allocation, error filling, arenas, growing arrays, hashing
 * and text. Every allocation here can fail and says so by NULL or false; nobody above calls malloc, free
 * or printf. */
#ifndef FXI_BASE_H
#define FXI_BASE_H

#include <fluxion/base.h>
#include <stdarg.h>

/* Loops over arrays are compiled for several processors and chosen when the library is loaded; the
 * sanitizers run before that can work. Not for products of complex numbers: gcc fuses them into vfmaddsub. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&                \
    !defined(__clang__)
#define FXI_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FXI_CLONES
#endif

/* ---- allocation (alloc.c): through the caller's allocator when one was set ---- */
/* uninitialised, 16-byte aligned; 0 bytes give a unique block */
void *fxi_alloc(size_t bytes);
void *fxi_alloc_zeroed(size_t count, size_t size); /* NULL on overflow */
/* As realloc of count*size bytes; a NULL block is allowed; keeps the block on failure. */
void *fxi_resize(void *block, size_t count, size_t size);
void fxi_free(void *block); /* NULL-safe */
/* Alignment: a power of two >= 16. Released by fxi_free_aligned. */
void *fxi_alloc_aligned(size_t bytes, size_t alignment);
void fxi_free_aligned(void *block);
/* For the elements of a tensor: 64-byte aligned; from 4 MiB on 2 MiB-aligned and on huge pages where the
 * system has them, which are read up to 1.8 times as fast as small ones (measured). Released by
 * fxi_free_aligned. */
void *fxi_alloc_data(size_t bytes);
char *fxi_copy_string(const char *text);             /* NULL for NULL or no memory */

/* ---- checked 64-bit sizes: false on overflow or a negative operand ---- */
bool fxi_size_mul(int64_t a, int64_t b, int64_t *product);
bool fxi_size_add(int64_t a, int64_t b, int64_t *sum);
/* Quotient rounded up, of a >= 0 and b > 0. */
static inline int64_t fxi_size_ceil_div(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}
/* The next multiple of a cache line, 64 bytes, of bytes that leave room for one. */
static inline int64_t fxi_size_lines(int64_t bytes) {
    return (bytes + 63) / 64 * 64;
}
static inline int64_t fxi_size_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static inline int64_t fxi_size_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* ---- errors (error.c) ---- */
#define FXI_PRINTF(f, a) __attribute__((format(printf, f, a)))
/* Writes the error (printing and aborting for FX_MUST, nothing for NULL) and returns false, so that
 * callers write `return fxi_fail(err, FX_ERROR_SHAPE, "...", ...);`. Messages that do not fit end in
 * "...". */
bool fxi_fail(fx_error *err, fx_error_code code, const char *format, ...) FXI_PRINTF(3, 4);
/* The same with the place of the user's call. */
bool fxi_fail_at(fx_error *err, fx_error_code code, const char *file, int line, const char *format, ...)
    FXI_PRINTF(5, 6);
bool fxi_fail_memory(fx_error *err, const char *what);  /* FX_ERROR_MEMORY, "what: out of memory" */
bool fxi_fail_copy(fx_error *err, const fx_error *from); /* hands an error on, place included */

void fxi_log(fx_log_level level, const char *format, ...) FXI_PRINTF(2, 3); /* log.c */

/* Forwards a failure: for functions that return bool and have nothing to release. */
#define FX_TRY(expression) do { if (!(expression)) return false; } while (0)

/* ---- arena (arena.c): bump allocation, freed as a whole; blocks never move; not thread-safe ---- */
typedef struct fxi_arena {
    struct fxi_arena_block *last; /* newest block; zero-initialise the struct */
    size_t bytes;                 /* handed out so far */
} fxi_arena;
/* Zeroed, 16-byte aligned; NULL on failure or overflow; count 0 gives a valid pointer. */
void *fxi_arena_alloc(fxi_arena *arena, size_t count, size_t size);
void *fxi_arena_copy(fxi_arena *arena, const void *data, size_t bytes);
void fxi_arena_free(fxi_arena *arena); /* iterative; leaves the struct zeroed */

/* ---- growing arrays (grow.c): FXI_VEC(T) v = {0}; if (!FXI_PUSH(&v, item)) fail; fxi_free(v.data) ---- */
#define FXI_VEC(T) struct { T *data; size_t count, capacity; }
/* At least doubles; keeps data on failure. */
bool fxi_grow(void **data, size_t *capacity, size_t needed, size_t element_size);
#define FXI_RESERVE(v, needed) fxi_grow((void **)&(v)->data, &(v)->capacity, (needed), sizeof *(v)->data)
#define FXI_PUSH(v, item) (FXI_RESERVE((v), (v)->count + 1) && ((v)->data[(v)->count++] = (item), true))

/* ---- hashing and hash map (map.c) ---- */
/* Well mixed, stable across runs and machines. */
uint64_t fxi_hash_bytes(const void *data, size_t bytes, uint64_t seed);
uint64_t fxi_hash_u64(uint64_t value, uint64_t seed);
/* Open addressing from a 64-bit hash to a pointer; equality is the caller's. Zero-initialise; not
 * thread-safe. */
typedef struct fxi_map {
    struct fxi_map_slot *slots;
    size_t count, capacity;
} fxi_map;
typedef bool (*fxi_map_equal)(const void *value, const void *key);
/* NULL if absent; without a function, values are compared by identity. */
void *fxi_map_find(const fxi_map *map, uint64_t hash, const void *key, fxi_map_equal equal);
bool fxi_map_put(fxi_map *map, uint64_t hash, void *value); /* value non-NULL, not yet in; false: no memory */
bool fxi_map_remove(fxi_map *map, uint64_t hash, const void *value); /* by identity; false if absent */
void fxi_map_free(fxi_map *map);                              /* the values are the caller's */

/* ---- text (strbuf.c): builds text either in a growing block or in a caller's fixed buffer ---- */
typedef struct fxi_text {
    char *data;      /* always terminated once anything was added (if capacity > 0) */
    size_t length;   /* bytes the whole text has, also those that did not fit a fixed buffer */
    size_t capacity;
    bool fixed;      /* data is the caller's; what does not fit is counted and dropped */
    bool failed;     /* an allocation failed; the text is incomplete */
} fxi_text;
fxi_text fxi_text_fixed(char *buffer, size_t size);
void fxi_text_add(fxi_text *text, const char *format, ...) FXI_PRINTF(2, 3);
void fxi_text_add_list(fxi_text *text, const char *format, va_list args);
void fxi_text_add_bytes(fxi_text *text, const char *bytes, size_t count);
void fxi_text_free(fxi_text *text); /* a fixed one is left alone */

/* ---- small floats (half.c): bit patterns; narrowing rounds once to nearest even from the wide value
 * given ---- */
float fxi_f16_to_f32(uint16_t bits);
float fxi_bf16_to_f32(uint16_t bits);
float fxi_f8e4m3fn_to_f32(uint8_t bits);
float fxi_f8e5m2_to_f32(uint8_t bits);
uint16_t fxi_f16_from_f64(double value);   /* exact for f32 inputs too: f32 -> f64 is exact */
uint16_t fxi_bf16_from_f64(double value);  /* NaN stays NaN (quiet), overflow to Inf, subnormals kept */
uint8_t fxi_f8e4m3fn_from_f64(double value); /* no Inf: overflow and Inf give NaN */
uint8_t fxi_f8e5m2_from_f64(double value);

#endif
