/* SPDX-License-Identifier: Apache-2.0 */
/* What a call through the pjrt backend costs beyond the plugin: the same program on the same plugin, once by
 * fx_exec_call1 and once by a bare loop over the C API, in turns. A row per kind of argument: results of
 * earlier calls, which are on the device, and arrays of the caller.
 *
 *     fluxion-pjrt_overhead PLUGIN.so [ROUNDS]
 *
 * prints `case,fluxion ns,bare ns,ratio` with the smallest times of all rounds. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <fluxion.h>
#include <pjrt_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 400, LENGTH = 8 };

static fx_node *multiply_add(fx_node *a, fx_node *b) {
    return fx_add(fx_mul(a, b), a);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- the bare loop ---- */

typedef struct bare {
    const PJRT_Api *api;
    PJRT_Client *client;
    PJRT_Device *device;
    PJRT_LoadedExecutable *executable;
    PJRT_Buffer *arguments[2];
} bare;

#define ARGS(function, name) function##_Args name = {.struct_size = function##_Args_STRUCT_SIZE}

static void must(const bare *b, PJRT_Error *error) {
    if (!error) return;
    ARGS(PJRT_Error_Message, m);
    m.error = error;
    b->api->PJRT_Error_Message(&m);
    fprintf(stderr, "%.*s\n", (int)m.message_size, m.message);
    exit(1);
}

static PJRT_Buffer *bare_send(const bare *b, const double *data) {
    ARGS(PJRT_Client_BufferFromHostBuffer, args);
    const int64_t dims[] = {LENGTH};
    args.client = b->client;
    args.data = data;
    args.type = PJRT_Buffer_Type_F64;
    args.dims = dims;
    args.num_dims = 1;
    args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    args.device = b->device;
    must(b, b->api->PJRT_Client_BufferFromHostBuffer(&args));
    ARGS(PJRT_Event_Destroy, event);
    event.event = args.done_with_host_buffer;
    must(b, b->api->PJRT_Event_Destroy(&event));
    return args.buffer;
}

static void bare_destroy(const bare *b, PJRT_Buffer *buffer) {
    ARGS(PJRT_Buffer_Destroy, args);
    args.buffer = buffer;
    must(b, b->api->PJRT_Buffer_Destroy(&args));
}

static double bare_read(const bare *b, PJRT_Buffer *buffer) {
    ARGS(PJRT_Buffer_ReadyEvent, ready);
    ready.buffer = buffer;
    must(b, b->api->PJRT_Buffer_ReadyEvent(&ready));
    ARGS(PJRT_Event_Await, await);
    await.event = ready.event;
    must(b, b->api->PJRT_Event_Await(&await));
    ARGS(PJRT_Event_Destroy, event);
    event.event = ready.event;
    must(b, b->api->PJRT_Event_Destroy(&event));
    ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, pointer);
    pointer.buffer = buffer;
    must(b, b->api->PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&pointer));
    return *(const double *)pointer.device_memory_ptr;
}

static double bare_call(const bare *b, PJRT_Buffer *const *arguments) {
    PJRT_Buffer *result = NULL, **results = &result;
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
    ARGS(PJRT_LoadedExecutable_Execute, args);
    args.executable = b->executable;
    args.options = &options;
    args.argument_lists = &arguments;
    args.num_devices = 1;
    args.num_args = 2;
    args.output_lists = &results;
    must(b, b->api->PJRT_LoadedExecutable_Execute(&args));
    double value = bare_read(b, result);
    bare_destroy(b, result);
    return value;
}

static void bare_open(bare *b, const char *plugin, char *text, size_t length) {
    void *library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL),
         *symbol = library ? dlsym(library, "GetPjrtApi") : NULL;
    const PJRT_Api *(*get)(void);
    memcpy(&get, &symbol, sizeof get);
    if (!get) exit(2);
    b->api = get();
    const PJRT_NamedValue one = {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                                 .name = "cpu_device_count",
                                 .name_size = 16,
                                 .type = PJRT_NamedValue_kInt64,
                                 .int64_value = 1,
                                 .value_size = 1};
    ARGS(PJRT_Client_Create, create);
    create.create_options = &one;
    create.num_options = 1;
    must(b, b->api->PJRT_Client_Create(&create));
    b->client = create.client;
    ARGS(PJRT_Client_AddressableDevices, devices);
    devices.client = b->client;
    must(b, b->api->PJRT_Client_AddressableDevices(&devices));
    b->device = devices.addressable_devices[0];
    PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE,
                            .code = text,
                            .code_size = length,
                            .format = "mlir",
                            .format_size = 4};
    ARGS(PJRT_Client_Compile, compile);
    compile.client = b->client;
    compile.program = &program;
    compile.compile_options = "\x1a\x04\x20\x01\x28\x01"; /* one replica, one partition */
    compile.compile_options_size = 6;
    must(b, b->api->PJRT_Client_Compile(&compile));
    b->executable = compile.executable;
}

/* ---- in turns ---- */

typedef struct both {
    bare bare;
    fx_exec *exec;
    fx_tensor *resident[2];
    double host[2][LENGTH];
    double sum; /* so that results are read */
} both;

static void fluxion_resident(both *t) {
    fx_tensor *r = fx_call1(t->exec, FX_MUST, t->resident[0], t->resident[1]);
    t->sum += *(const double *)fx_tensor_data(r);
    fx_tensor_free(r);
}
static void bare_resident(both *t) {
    t->sum += bare_call(&t->bare, t->bare.arguments);
}

static void fluxion_host(both *t) {
    const fx_vec a = {t->host[0], LENGTH, FX_F64}, b = {t->host[1], LENGTH, FX_F64};
    fx_tensor *r = fx_call1(t->exec, FX_MUST, a, b);
    t->sum += *(const double *)fx_tensor_data(r);
    fx_tensor_free(r);
}
static void bare_host(both *t) {
    PJRT_Buffer *arguments[2] = {bare_send(&t->bare, t->host[0]), bare_send(&t->bare, t->host[1])};
    t->sum += bare_call(&t->bare, arguments);
    bare_destroy(&t->bare, arguments[0]);
    bare_destroy(&t->bare, arguments[1]);
}

static double time_calls(void (*call)(both *), both *t) {
    double start = now();
    for (int i = 0; i < CALLS; i++) call(t);
    return (now() - start) / CALLS;
}

static void compare(const char *name, void (*ours)(both *), void (*theirs)(both *), both *t, int rounds) {
    double best[2] = {1e300, 1e300};
    for (int i = 0; i < rounds; i++) {
        double a = time_calls(ours, t), b = time_calls(theirs, t);
        if (a < best[0]) best[0] = a;
        if (b < best[1]) best[1] = b;
    }
    printf("%s,%.0f,%.0f,%.2f\n", name, best[0], best[1], best[0] / best[1]);
}

int main(int count, char **arguments) {
    if (count < 2) return 2;
    char config[2000], text[10000];
    snprintf(config, sizeof config, "pjrt:%s?logs=quiet", arguments[1]);
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    both t = {.exec = fx_exec_new(backend, multiply_add, FX_MUST)};
    for (int i = 0; i < LENGTH; i++) t.host[0][i] = t.host[1][i] = i + 1;
    const fx_shape shapes[2] = {FX_SHAPE(FX_F64, LENGTH), FX_SHAPE(FX_F64, LENGTH)};
    fx_program *program = fx_exec_program(t.exec, shapes, 2, FX_MUST);
    bare_open(&t.bare, arguments[1], text, fx_program_text(program, text, sizeof text));
    fx_program_free(program);
    for (int i = 0; i < 2; i++) {
        const fx_vec v = {t.host[0], LENGTH, FX_F64};
        t.resident[i] = fx_call1(t.exec, FX_MUST, v, v);
        t.bare.arguments[i] = bare_send(&t.bare, t.host[i]);
    }
    int rounds = count > 2 ? atoi(arguments[2]) : 50;
    compare("on the device", fluxion_resident, bare_resident, &t, rounds);
    compare("of the caller", fluxion_host, bare_host, &t, rounds);
    return t.sum == 0;
}
