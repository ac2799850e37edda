/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin in front of a real one, PROXY_PLUGIN in the environment: it counts the objects that are alive and
 * makes the n-th call fail that may. So tests see that whatever a plugin hands out is destroyed on every
 * path. Injected errors are the real plugin's own: what it says to arguments of size 0. */
#include <pjrt_c_api.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
EXPORT const PJRT_Api *GetPjrtApi(void);
EXPORT void proxy_fail_at(long number); /* 0: never */
EXPORT long proxy_alive(void);
EXPORT int proxy_failed(void);

static const PJRT_Api *real;
static atomic_long alive, until_failure;
static atomic_int failed;

void proxy_fail_at(long number) {
    atomic_store(&failed, 0);
    atomic_store(&until_failure, number);
}
long proxy_alive(void) {
    return atomic_load(&alive);
}
int proxy_failed(void) {
    return atomic_load(&failed);
}

static PJRT_Error *seen(PJRT_Error *error) {
    if (error) atomic_fetch_add(&alive, 1);
    return error;
}

static PJRT_Error *injected(void) {
    if (atomic_load(&until_failure) == 0 || atomic_fetch_sub(&until_failure, 1) != 1) return NULL;
    atomic_store(&failed, 1);
    PJRT_Client_PlatformName_Args args = {.struct_size = 0};
    return seen(real->PJRT_Client_PlatformName(&args));
}

/* Objects that a call made or destroyed, when it went well. */
#define WRAP(function, made)                                                                                 \
    static PJRT_Error *proxy_##function(function##_Args *args) {                                             \
        PJRT_Error *error = injected();                                                                      \
        if (!error) error = seen(real->function(args));                                                      \
        if (!error) atomic_fetch_add(&alive, (long)(made));                                                  \
        return error;                                                                                        \
    }
#define WRAP_DESTROY(function, object)                                                                       \
    static PJRT_Error *proxy_##function(function##_Args *args) {                                             \
        if (args->object) atomic_fetch_sub(&alive, 1);                                                       \
        return seen(real->function(args));                                                                   \
    }

static void proxy_PJRT_Error_Destroy(PJRT_Error_Destroy_Args *args) {
    if (args->error) atomic_fetch_sub(&alive, 1);
    real->PJRT_Error_Destroy(args);
}
WRAP(PJRT_Client_Create, 1)
WRAP(PJRT_Client_PlatformName, 0)
WRAP(PJRT_Client_PlatformVersion, 0)
WRAP(PJRT_Client_AddressableDevices, 0)
WRAP(PJRT_Device_GetDescription, 0)
WRAP(PJRT_DeviceDescription_Id, 0)
WRAP(PJRT_Client_Compile, 1)
WRAP(PJRT_LoadedExecutable_GetExecutable, 1)
WRAP(PJRT_Executable_NumOutputs, 0)
WRAP(PJRT_Executable_GetCompiledMemoryStats, 0)
WRAP(PJRT_Client_BufferFromHostBuffer, 2)
WRAP(PJRT_Buffer_ReadyEvent, 1)
WRAP(PJRT_Buffer_ToHostBuffer, 1)
WRAP(PJRT_Buffer_IsDeleted, 0)
WRAP(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, 0)
WRAP_DESTROY(PJRT_Client_Destroy, client)
WRAP_DESTROY(PJRT_LoadedExecutable_Destroy, executable)
WRAP_DESTROY(PJRT_Executable_Destroy, executable)
WRAP_DESTROY(PJRT_Buffer_Destroy, buffer)
WRAP_DESTROY(PJRT_Event_Destroy, event)

/* An error of waiting comes when the work is over, as the real ones do. */
static PJRT_Error *proxy_PJRT_Event_Await(PJRT_Event_Await_Args *args) {
    PJRT_Error *error = seen(real->PJRT_Event_Await(args));
    return error ? error : injected();
}

/* How many results a device has is known to the caller's lists alone: a terminated copy is not there, so they
 * are counted by what the call filled. */
static PJRT_Error *proxy_PJRT_LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args *args) {
    PJRT_Error *error = injected();
    if (!error) error = seen(real->PJRT_LoadedExecutable_Execute(args));
    if (error) return error;
    PJRT_LoadedExecutable_GetExecutable_Args get = {.struct_size =
                                                        PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE,
                                                    .loaded_executable = args->executable};
    if (real->PJRT_LoadedExecutable_GetExecutable(&get)) abort();
    PJRT_Executable_NumOutputs_Args count = {.struct_size = PJRT_Executable_NumOutputs_Args_STRUCT_SIZE,
                                             .executable = get.executable};
    if (real->PJRT_Executable_NumOutputs(&count)) abort();
    PJRT_Executable_Destroy_Args destroy = {.struct_size = PJRT_Executable_Destroy_Args_STRUCT_SIZE,
                                            .executable = get.executable};
    if (real->PJRT_Executable_Destroy(&destroy)) abort();
    size_t events = args->device_complete_events ? args->num_devices : 0;
    atomic_fetch_add(&alive, (long)(args->num_devices * count.num_outputs + events));
    return NULL;
}

const PJRT_Api *GetPjrtApi(void) {
    static PJRT_Api api;
    const char *path = getenv("PROXY_PLUGIN");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = library ? dlsym(library, "GetPjrtApi") : NULL;
    const PJRT_Api *(*get)(void);
    memcpy(&get, &symbol, sizeof get);
    if (!symbol) return NULL;
    real = get();
    memcpy(&api, real, real->struct_size < sizeof api ? real->struct_size : sizeof api);
    if (api.struct_size > sizeof api) api.struct_size = sizeof api;
#define SET(function) api.function = proxy_##function
    SET(PJRT_Error_Destroy);
    SET(PJRT_Client_Create);
    SET(PJRT_Client_PlatformName);
    SET(PJRT_Client_PlatformVersion);
    SET(PJRT_Client_AddressableDevices);
    SET(PJRT_Device_GetDescription);
    SET(PJRT_DeviceDescription_Id);
    SET(PJRT_Client_Compile);
    SET(PJRT_LoadedExecutable_GetExecutable);
    SET(PJRT_Executable_NumOutputs);
    SET(PJRT_Executable_GetCompiledMemoryStats);
    SET(PJRT_Client_BufferFromHostBuffer);
    SET(PJRT_Buffer_ReadyEvent);
    SET(PJRT_Buffer_ToHostBuffer);
    SET(PJRT_Buffer_IsDeleted);
    SET(PJRT_Buffer_OpaqueDeviceMemoryDataPointer);
    SET(PJRT_Event_Await);
    SET(PJRT_Client_Destroy);
    SET(PJRT_LoadedExecutable_Destroy);
    SET(PJRT_Executable_Destroy);
    SET(PJRT_Buffer_Destroy);
    SET(PJRT_Event_Destroy);
    SET(PJRT_LoadedExecutable_Execute);
    return &api;
}
