/* SPDX-License-Identifier: Apache-2.0 */
/* Clients: a plugin at work, with its devices. A client lives as long as its backend, its programs and its
 * tensors, since using one of them after the client is gone would crash in the plugin.
 *
 * XLA's CPU client makes four devices, each with threads, unless it is told how many, so it is asked for one.
 * Only such plugins know that option; one that refuses it is asked again without. */
#include "pjrt_internal.h"
#include <string.h>

static const char count_option[] = FXI_PJRT_DEVICE_COUNT;

static bool create_with(const PJRT_Api *api, const fxi_pjrt_options *options, size_t count,
                        PJRT_Client **client, fx_error *err) {
    FXI_PJRT_ARGS(PJRT_Client_Create, args);
    args.create_options = options->create;
    args.num_options = count;
    FX_TRY(FXI_PJRT_CALL(api, PJRT_Client_Create, &args, err));
    *client = args.client;
    return true;
}

static bool names_count(const fxi_pjrt_options *options) {
    for (size_t i = 0; i < options->create_count; i++)
        if (strcmp(options->create[i].name, count_option) == 0) return true;
    return false;
}

static bool create(const PJRT_Api *api, fxi_pjrt_options *options, PJRT_Client **client, fx_error *err) {
    size_t count = options->create_count;
    if (names_count(options)) return create_with(api, options, count, client, err);
    options->create[count] = (PJRT_NamedValue){.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                                               .name = count_option,
                                               .name_size = sizeof count_option - 1,
                                               .type = PJRT_NamedValue_kInt64,
                                               .int64_value = 1,
                                               .value_size = 1};
    fx_error error = {.code = FX_OK};
    if (create_with(api, options, count + 1, client, &error)) return true;
    if (error.code != FX_ERROR_ARGUMENT) return fxi_fail_copy(err, &error);
    return create_with(api, options, count, client, err);
}

static char *copy_text(const char *text, size_t size) {
    char *copy = fxi_alloc(size + 1);
    if (!copy) return NULL;
    memcpy(copy, text, size);
    copy[size] = 0;
    return copy;
}

static bool read_platform(fxi_pjrt_client *c, fx_error *err) {
    FXI_PJRT_ARGS(PJRT_Client_PlatformName, name);
    FXI_PJRT_ARGS(PJRT_Client_PlatformVersion, version);
    name.client = version.client = c->client;
    FX_TRY(FXI_PJRT_CALL(c->api, PJRT_Client_PlatformName, &name, err));
    FX_TRY(FXI_PJRT_CALL(c->api, PJRT_Client_PlatformVersion, &version, err));
    c->platform = copy_text(name.platform_name, name.platform_name_size);
    c->version = copy_text(version.platform_version, version.platform_version_size);
    return (c->platform && c->version) || fxi_fail_memory(err, "fx_backend_open");
}

static bool read_id(const fxi_pjrt_client *c, PJRT_Device *device, int *id, fx_error *err) {
    FXI_PJRT_ARGS(PJRT_Device_GetDescription, description);
    FXI_PJRT_ARGS(PJRT_DeviceDescription_Id, args);
    description.device = device;
    FX_TRY(FXI_PJRT_CALL(c->api, PJRT_Device_GetDescription, &description, err));
    args.device_description = description.device_description;
    FX_TRY(FXI_PJRT_CALL(c->api, PJRT_DeviceDescription_Id, &args, err));
    *id = args.id;
    return true;
}

static bool read_devices(fxi_pjrt_client *c, fx_error *err) {
    FXI_PJRT_ARGS(PJRT_Client_AddressableDevices, args);
    args.client = c->client;
    FX_TRY(FXI_PJRT_CALL(c->api, PJRT_Client_AddressableDevices, &args, err));
    if (args.num_addressable_devices == 0)
        return fxi_fail(err, FX_ERROR_BACKEND, "pjrt: %s has no devices here", c->plugin->path);
    c->devices = args.addressable_devices;
    c->device_count = args.num_addressable_devices;
    c->ids = fxi_alloc_zeroed(c->device_count, sizeof *c->ids);
    if (!c->ids) return fxi_fail_memory(err, "fx_backend_open");
    for (size_t i = 0; i < c->device_count; i++) FX_TRY(read_id(c, c->devices[i], &c->ids[i], err));
    return true;
}

static void destroy(fxi_pjrt_client *c) {
    if (c->client) {
        FXI_PJRT_ARGS(PJRT_Client_Destroy, args);
        args.client = c->client;
        FXI_PJRT_DROP(c->api, PJRT_Client_Destroy, &args);
    }
    pthread_mutex_destroy(&c->launching);
    fxi_text_free(&c->overrides);
    fxi_free(c->platform);
    fxi_free(c->version);
    fxi_free(c->ids);
    fxi_free(c);
}

/* What XLA does otherwise unless it is told: maxima that lose NaN, and halves that stay wide where they fuse.
 * The user's own options follow, so that they win. */
static bool has_xla(const fxi_pjrt_client *c) {
    static const char *const platforms[] = {"cpu", "cuda", "rocm"};
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
        if (strcmp(c->platform, platforms[i]) == 0) return true;
    return false;
}

static void set_overrides(fxi_pjrt_client *c, fxi_pjrt_options *options) {
    static const fxi_config exact[] = {{"xla_cpu_enable_fast_min_max", "false"},
                                       {"xla_allow_excess_precision", "false"}};
    for (size_t i = 0; has_xla(c) && i < sizeof exact / sizeof *exact; i++)
        fxi_pjrt_add_override(&c->overrides, &exact[i]);
    fxi_text_add_bytes(&c->overrides, options->overrides.data, options->overrides.length);
}

fxi_pjrt_client *fxi_pjrt_client_new(const fxi_pjrt_plugin *plugin, fxi_pjrt_options *options,
                                     fx_error *err) {
    fxi_pjrt_client *c = fxi_alloc_zeroed(1, sizeof *c);
    if (!c || pthread_mutex_init(&c->launching, NULL) != 0) {
        fxi_free(c);
        fxi_fail_memory(err, "fx_backend_open");
        return NULL;
    }
    atomic_init(&c->references, 1);
    c->plugin = plugin;
    c->api = plugin->api;
    if (!create(c->api, options, &c->client, err) || !read_platform(c, err) || !read_devices(c, err)) {
        destroy(c);
        return NULL;
    }
    c->direct = strcmp(c->platform, "cpu") == 0 && !options->copies &&
                FXI_PJRT_HAS(c->api, PJRT_Buffer_OpaqueDeviceMemoryDataPointer);
    set_overrides(c, options);
    if (!c->overrides.failed) return c;
    fxi_fail_memory(err, "fx_backend_open");
    destroy(c);
    return NULL;
}

fxi_pjrt_client *fxi_pjrt_client_ref(fxi_pjrt_client *client) {
    atomic_fetch_add_explicit(&client->references, 1, memory_order_relaxed);
    return client;
}

void fxi_pjrt_client_free(fxi_pjrt_client *client) {
    if (atomic_fetch_sub_explicit(&client->references, 1, memory_order_acq_rel) == 1) destroy(client);
}
