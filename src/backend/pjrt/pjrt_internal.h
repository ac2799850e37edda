/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the PJRT backend share. All of it is written for a program on any number of devices:
 * arguments and results are lists per device; programs of one device are the case of one list.
 *
 * Who keeps whom alive: tensors and programs hold a reference to the client, and so does the backend; a
 * plugin is never unloaded. Every object that the API hands out (errors and events too) is destroyed by
 * whoever asked for it, on every path. */
#ifndef FXI_PJRT_INTERNAL_H
#define FXI_PJRT_INTERNAL_H

#include "pjrt.h"
#include <pjrt_c_api.h>

/* Arguments of an API function, zeroed but for the size by which the plugin knows our version of them. */
#define FXI_PJRT_ARGS(function, name) function##_Args name = {.struct_size = function##_Args_STRUCT_SIZE}
/* Calls one; false with the plugin's error. */
#define FXI_PJRT_CALL(api, function, args, err) fxi_pjrt_accept(api, (api)->function(args), #function, err)
/* The same where nobody can do anything about an error. */
#define FXI_PJRT_DROP(api, function, args) (void)fxi_pjrt_accept(api, (api)->function(args), #function, NULL)
/* Whether a plugin, perhaps an older one, has a function. */
#define FXI_PJRT_HAS(api, function)                                                                          \
    ((api)->struct_size >= offsetof(PJRT_Api, function) + sizeof(api)->function && (api)->function)

/* ---- errors (errors.c) ---- */
/* True for NULL; else destroys the error and fails with its message, as what `function` said. */
bool fxi_pjrt_accept(const PJRT_Api *api, PJRT_Error *error, const char *function, fx_error *err);
/* Waits for an event and destroys it; false with its error. */
bool fxi_pjrt_await(const PJRT_Api *api, PJRT_Event *event, const char *what, fx_error *err);
void fxi_pjrt_event_destroy(const PJRT_Api *api, PJRT_Event *event); /* NULL-safe */

/* ---- plugins (plugin.c, plugin_search.c) ---- */
typedef struct fxi_pjrt_plugin {
    const PJRT_Api *api;
    char *path;
    struct fxi_pjrt_plugin *next;
} fxi_pjrt_plugin;
/* Loads a plugin, or finds it loaded; it stays for the life of the process. `quiet` silences its log when it
 * is loaded by this. */
const fxi_pjrt_plugin *fxi_pjrt_plugin_load(const char *path, bool quiet, fx_error *err);
/* Paths of plugins that are installed here, in the order in which they are to be tried; `name` NULL: all,
 * else those with it in their path below the folder that was searched. */
typedef FXI_VEC(char *) fxi_pjrt_paths;
bool fxi_pjrt_search(const char *name, fxi_pjrt_paths *paths, fx_error *err);
void fxi_pjrt_paths_free(fxi_pjrt_paths *paths);

/* ---- options (options.c) ---- */
enum { FXI_PJRT_MOST_OPTIONS = 16, FXI_PJRT_MOST_NUMBERS = 64 };
#define FXI_PJRT_DEVICE_COUNT "cpu_device_count" /* the create option that is known here */
/* The config string's options, sorted by whom they are for. */
typedef struct fxi_pjrt_options {
    bool quiet;  /* logs=quiet */
    bool copies; /* debug=copies: device memory is never read where it is */
    PJRT_NamedValue create[FXI_PJRT_MOST_OPTIONS + 1]; /* of the client */
    size_t create_count;
    int64_t numbers[FXI_PJRT_MOST_NUMBERS]; /* elements of lists among them */
    size_t number_count;
    fxi_text overrides; /* xla_...: entries of the compile options, encoded */
} fxi_pjrt_options;
/* The texts stay those of `args`. */
bool fxi_pjrt_options_read(const fxi_open_args *args, fxi_pjrt_options *options, fx_error *err);
void fxi_pjrt_options_free(fxi_pjrt_options *options);

/* How a program is spread over devices. */
typedef struct fxi_pjrt_spread {
    int replicas, partitions;
    const int *ids;    /* device ids [partition][replica] */
    bool spmd, shardy; /* the plugin partitions the program, by sdy attributes */
} fxi_pjrt_spread;
/* Appends an entry: one of XLA's debug options. */
void fxi_pjrt_add_override(fxi_text *out, const fxi_config *config);
/* Appends the CompileOptionsProto; what cannot be allocated marks the text as failed. */
void fxi_pjrt_compile_options(const fxi_pjrt_spread *spread, const fxi_text *overrides, fxi_text *out);

/* ---- clients (client.c) ---- */
typedef struct fxi_pjrt_client {
    atomic_int references; /* of the backend, programs and tensors */
    const fxi_pjrt_plugin *plugin;
    const PJRT_Api *api;
    PJRT_Client *client;
    PJRT_Device *const *devices; /* those that this process may use */
    int *ids;                    /* their ids */
    size_t device_count;
    char *platform; /* "cpu", "cuda", "tpu" */
    char *version;
    bool direct;        /* device memory can be read where it is */
    pthread_mutex_t launching; /* of programs on several devices: all of these see them in one order */
    fxi_text overrides; /* of each compilation */
} fxi_pjrt_client;
fxi_pjrt_client *fxi_pjrt_client_new(const fxi_pjrt_plugin *plugin, fxi_pjrt_options *options, fx_error *err);
fxi_pjrt_client *fxi_pjrt_client_ref(fxi_pjrt_client *client);
void fxi_pjrt_client_free(fxi_pjrt_client *client); /* drops one reference */

/* ---- layouts (layout.c) ---- */
/* Which part of a tensor is on which of a program's devices. */
typedef struct fxi_pjrt_layout {
    atomic_int references; /* of programs and values */
    size_t count;          /* of devices */
    fx_shape part;         /* on each of them */
    bool whole;            /* the part is the tensor */
    int64_t *devices;      /* numbers among the client's devices */
    int64_t *starts;       /* [device][axis]: where its part begins */
} fxi_pjrt_layout;
/* As a SHARD node says (NULL: whole on every device), in one block. */
fxi_pjrt_layout *fxi_pjrt_layout_new(const fxi_shardings *shardings, const fx_node *shard,
                                     const fx_shape *shape, fx_error *err);
fxi_pjrt_layout *fxi_pjrt_layout_ref(fxi_pjrt_layout *layout); /* NULL-safe, as the next */
void fxi_pjrt_layout_free(fxi_pjrt_layout *layout);            /* drops one reference */
bool fxi_pjrt_layout_equal(const fxi_pjrt_layout *a, const fxi_pjrt_layout *b);
const int64_t *fxi_pjrt_layout_starts(const fxi_pjrt_layout *layout, size_t device);
/* Whether a device before has the same part. */
bool fxi_pjrt_layout_repeats(const fxi_pjrt_layout *layout, size_t device);
/* Whether a part is one run of the whole's bytes, and where it begins. */
bool fxi_pjrt_part_is_run(const fx_shape *whole, const fx_shape *part, int64_t *first,
                          const int64_t *starts);
/* Copies a part out of the whole, or into it. */
void fxi_pjrt_part_copy(const fx_shape *whole, const fx_shape *part, const int64_t *starts, void *whole_data,
                        void *part_data, bool to_whole);

/* ---- buffers (buffer.c) ---- */
/* The device data of a tensor: one buffer with all of it, or one per device that holds a part. */
typedef struct fxi_pjrt_value {
    fxi_device_data head;
    fxi_pjrt_client *client; /* referenced */
    fxi_pjrt_layout *layout; /* referenced; NULL: all is on one device, */
    size_t device;           /* this one of the client's */
    size_t count;
    PJRT_Buffer *buffers[];
} fxi_pjrt_value;
/* The value of a tensor on this client; NULL: it has none there. */
fxi_pjrt_value *fxi_pjrt_value_of(const fx_tensor *tensor, const fxi_pjrt_client *client);
/* A tensor over buffers, one per device of the layout, or (NULL) the one on `device`. It takes them over
 * whether or not that succeeds. */
fx_tensor *fxi_pjrt_value_tensor(fxi_pjrt_client *client, const fx_shape *shape, fxi_pjrt_layout *layout,
                                 size_t device, PJRT_Buffer *const *buffers, fx_error *err);
/* How the elements of a tensor get to a device. */
typedef enum fxi_pjrt_sending {
    FXI_PJRT_COPY,  /* the memory is free when the function returns */
    FXI_PJRT_BORROW /* it may be read until the work that takes the buffer is done */
} fxi_pjrt_sending;
/* A new buffer with the elements of a tensor that is here. */
PJRT_Buffer *fxi_pjrt_buffer_send(const fxi_pjrt_client *client, size_t device, const fx_tensor *tensor,
                                  fxi_pjrt_sending sending, fx_error *err);
/* The same of the part that a layout gives to one of its devices. */
PJRT_Buffer *fxi_pjrt_buffer_send_part(const fxi_pjrt_client *client, const fxi_pjrt_layout *layout,
                                       size_t device, const fx_tensor *tensor, fxi_pjrt_sending sending,
                                       fx_error *err);
void fxi_pjrt_buffer_destroy(const PJRT_Api *api, PJRT_Buffer *buffer); /* NULL-safe */

/* ---- programs (compile.c, execute.c) ---- */
/* A compiled form of a program. Which inputs it may overwrite is a matter of compilation, and so is whether
 * it gives the values of logged nodes. */
typedef struct fxi_pjrt_variant {
    atomic_bool ready; /* the rest stands; set under the program's mutex */
    PJRT_LoadedExecutable *executable;
    bool logs;     /* its results are followed by the values of logged nodes */
    bool *donated; /* per input; NULL: none */
    int64_t *kept; /* the inputs that are not donated, where some are */
    size_t kept_count;
} fxi_pjrt_variant;
enum { FXI_PJRT_MOST_DONATING = 3 };
typedef struct fxi_pjrt_program {
    fxi_pjrt_client *client; /* referenced */
    const fx_graph *graph;
    size_t n_in, n_out, n_logged;
    fx_node **results; /* the n_out outputs, then the nodes with labels */
    size_t device_count;
    size_t *devices; /* by number among the client's; owned, as the next */
    int *ids;        /* of the devices, for the spread */
    fxi_pjrt_spread spread;
    /* Of a program that is spread over a mesh; else NULL: a device's arguments and results are whole, and
     * replicas have their own. */
    fxi_pjrt_layout **inputs, **outputs; /* the latter of all results */
    pthread_mutex_t mutex;                             /* of making a variant */
    fxi_pjrt_variant plain, logging;                   /* donating nothing */
    fxi_pjrt_variant donating[FXI_PJRT_MOST_DONATING]; /* filled from the first on */
} fxi_pjrt_program;
void *fxi_pjrt_compile(void *state, const fx_graph *graph, fx_error *err);
void *fxi_pjrt_compile_replicas(void *state, const fx_graph *graph, int replicas, fx_error *err);
/* spread.c: where the program runs and how its arguments lie, by its shardings or as replicas; the end of it.
 */
bool fxi_pjrt_spread_program(fxi_pjrt_program *program, int replicas, fx_error *err);
void fxi_pjrt_spread_free(fxi_pjrt_program *program);
void fxi_pjrt_program_free(void *program);
/* The variant for a call that donates these (NULL: none) and perhaps logs, compiled now if need be. It may
 * leave alone what is donated. */
const fxi_pjrt_variant *fxi_pjrt_variant_for(fxi_pjrt_program *program, const bool *donated, bool logs,
                                             fx_error *err);
bool fxi_pjrt_prepare(void *program, fx_error *err);
void fxi_pjrt_program_memory(const void *program, fx_memory *memory);
void fxi_pjrt_program_text(const void *program, fxi_text *text);
bool fxi_pjrt_run(void *program, const fxi_run_args *args, fx_error *err);

#endif
