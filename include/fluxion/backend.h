/* SPDX-License-Identifier: Apache-2.0 */
/* Backends: where programs run. Any number of threads may use one backend at once. */
#ifndef FLUXION_BACKEND_H
#define FLUXION_BACKEND_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fx_backend fx_backend;
typedef struct fx_program fx_program;

/* Opens a backend by one config string, "NAME?key=value&key=value"; NULL: the environment's FLUXION_BACKEND,
 * or else "cpu" (or "interp" where the cpu backend was not built or the machine lacks AVX2 and FMA).
 * Threads of the plugins of pjrt do not survive a fork: a child must not use what was opened before it.
 *   interp                 plain loops, the reference
 *   cpu?threads=N          0 or absent: the usable CPUs
 *      &isa=avx2|avx512    never more than the machine has
 *      &pages=BYTES        warm output memory kept while unused (default 1 GiB)
 *      &debug=ranges       check that the write ranges of parallel tasks are disjoint
 *      &debug=poison       fill memory that holds no value with 0xFF
 *      &fusion=off         every node a kernel, no memory shared (to compare with)
 *      &kernels=cold       forget compiled kernels that nobody uses (to time compilation)
 *   pjrt:PATH              XLA or another compiler: a plugin of the PJRT C API, loaded with dlopen and never
 *                          unloaded. "pjrt:NAME" takes the first installed one with NAME in its path, "pjrt"
 *                          what FLUXION_PJRT_PLUGIN says or else the first. Looked for in
 *                          ~/.local/share, /usr/local/lib and /usr/lib, there in fluxion/pjrt; in the Python
 *                          packages jax_plugins, xla_plugins, libtpu and *pjrt* of $VIRTUAL_ENV,
 *                          $CONDA_PREFIX, $PYTHONPATH, the user and the system; and where
 *                          scripts/get-pjrt-cpu puts plugins
 *      ?logs=quiet         sets TF_CPP_MIN_LOG_LEVEL=3, process-wide, before the plugin is loaded
 *      &xla_NAME=VALUE     a debug option of XLA, for each compilation
 *      &debug=copies       elements are always copied from the device (to compare with)
 *      &KEY=VALUE          any other: a create option of the plugin, true, false, an integer, a float, a list
 *                          "1,2" or "1,", else a string, perhaps in double quotes. cpu_device_count is from
 *                          1 to 4096, 1 where it is not given
 *                          Calls return before the device is done where the plugin works that way; see
 *                          fx_tensor_fetch. Results stay on the device until they are read.
 * NULL result: an unknown name, key or value, a key given twice, or no memory. Close it with
 * fx_backend_close. */
FX_API fx_backend *fx_backend_open(const char *config, fx_error *err);

/* A caller's own parallel-for: runs task(context, i) once for each i in [0, count), on any threads, and
 * returns when all are done. */
typedef void (*fx_parallel_for)(void *user, int64_t count, void (*task)(void *context, int64_t i),
                                void *context);
/* The same with the caller's threads instead of a pool of our own; a plugin of pjrt keeps to its own. */
FX_API fx_backend *fx_backend_open_with(const char *config, fx_parallel_for parallel_for, void *user,
                                        fx_error *err);

/* Drops the caller's hold. Executables and tensors keep alive what they need. NULL-safe. */
FX_API void fx_backend_close(fx_backend *backend);
/* "cpu", "interp", "pjrt"; valid as long as the backend. */
FX_API const char *fx_backend_name(const fx_backend *backend);
/* One line about it: for pjrt the platform, its version, the number of devices, the version of the plugin's
 * interface and its path; else its name. As snprintf. */
FX_API size_t fx_backend_describe(const fx_backend *backend, char *buffer, size_t size);
/* Config strings that fx_backend_open takes here, one a line, each line ended: the backends that were built,
 * and for pjrt each plugin that was found, which opening may still refuse. As snprintf. */
FX_API size_t fx_backend_list(char *buffer, size_t size);
/* Whether a composite of that name (e.g. "fx.dense") runs fused here: by a kernel of its own, or because the
 * compiler makes one kernel of its decomposition where dtypes and shapes allow that. Else the decomposition
 * runs operation by operation. The text of a program says which kernels hold which composites. */
FX_API bool fx_backend_supports(const fx_backend *backend, const char *composite);

/* Exact bytes of one call of a program. */
typedef struct fx_memory {
    size_t size;        /* sizeof(fx_memory), set by the caller; 0 means the struct as first published */
    int64_t parameters; /* inputs */
    int64_t outputs;    /* results */
    int64_t constants;  /* held by the program */
    int64_t workspace;  /* planned temporary memory of each concurrent call */
    int64_t code;       /* machine code */
    int64_t steps;      /* entries of the step table */
    int64_t kernels;    /* distinct generated kernels */
} fx_memory;

/* One more reference to a compiled program (from fx_exec_program); gives back its argument. NULL-safe. Any
 * thread. */
FX_API fx_program *fx_program_ref(fx_program *program);
/* Drops one reference; NULL-safe. */
FX_API void fx_program_free(fx_program *program);
/* Fills `memory`; false for NULL. With pjrt, workspace and code are what the plugin says of the program once
 * it compiled it (0 before), steps and kernels are not known. */
FX_API bool fx_program_memory(const fx_program *program, fx_memory *memory);
/* The compiled form as text: one line per step with its kernel, shapes, offsets and the user's places. As
 * snprintf. With pjrt: the StableHLO text. */
FX_API size_t fx_program_text(const fx_program *program, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
