/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: elements on a device, as device data of a tensor.
 *
 * Reading. On the CPU a buffer's memory is ordinary memory: the tensor waits until it is ready and shows it
 * as it is, which takes a microsecond where a copy by the plugin hops to another thread and takes twenty.
 * Else, and for packed types, whose form on a device is the plugin's matter, the plugin copies; it deals in
 * bytes of one packed element each.
 *
 * Sending. A copy leaves the caller's memory free at once. Borrowed memory is read in place on the CPU where
 * it is aligned to 64 bytes, so whoever borrows waits for the work; elsewhere the transfer is waited for
 * here. */
#include "pjrt_internal.h"
#include <string.h>

enum { ALIGNED = 64 }; /* what XLA's CPU client asks of memory that it does not copy */

void fxi_pjrt_buffer_destroy(const PJRT_Api *api, PJRT_Buffer *buffer) {
    if (!buffer) return;
    FXI_PJRT_ARGS(PJRT_Buffer_Destroy, args);
    args.buffer = buffer;
    FXI_PJRT_DROP(api, PJRT_Buffer_Destroy, &args);
}

/* ---- reading ---- */

static bool await_ready(const fxi_pjrt_value *v, PJRT_Buffer *buffer, fx_error *err) {
    FXI_PJRT_ARGS(PJRT_Buffer_ReadyEvent, args);
    args.buffer = buffer;
    FX_TRY(FXI_PJRT_CALL(v->client->api, PJRT_Buffer_ReadyEvent, &args, err));
    return fxi_pjrt_await(v->client->api, args.event, "fx_tensor_fetch", err);
}

/* NULL when that fails; of an empty buffer anything else. */
static void *address_of(fxi_pjrt_value *v, PJRT_Buffer *buffer, fx_error *err) {
    if (!await_ready(v, buffer, err)) return NULL;
    FXI_PJRT_ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, args);
    args.buffer = buffer;
    if (!FXI_PJRT_CALL(v->client->api, PJRT_Buffer_OpaqueDeviceMemoryDataPointer, &args, err)) return NULL;
    return args.device_memory_ptr ? args.device_memory_ptr : v;
}

static bool read_in_place(fxi_pjrt_value *v, fxi_host_view *view, fx_error *err) {
    view->data = address_of(v, v->buffers[0], err);
    return view->data != NULL;
}

/* The plugin copies row-major whatever the layout on the device. */
static bool copy_to_host(const fxi_pjrt_value *v, PJRT_Buffer *buffer, const fx_shape *shape, void *to,
                         size_t bytes, fx_error *err) {
    int64_t minor_to_major[FX_MAX_RANK];
    for (int i = 0; i < shape->rank; i++) minor_to_major[i] = shape->rank - 1 - i;
    PJRT_Buffer_MemoryLayout layout = {.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
                                       .type = PJRT_Buffer_MemoryLayout_Type_Tiled};
    layout.tiled = (PJRT_Buffer_MemoryLayout_Tiled){.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE,
                                                    .minor_to_major = minor_to_major,
                                                    .minor_to_major_size = (size_t)shape->rank};
    FXI_PJRT_ARGS(PJRT_Buffer_ToHostBuffer, args);
    args.src = buffer;
    args.host_layout = &layout;
    args.dst = to;
    args.dst_size = bytes;
    FX_TRY(FXI_PJRT_CALL(v->client->api, PJRT_Buffer_ToHostBuffer, &args, err));
    return fxi_pjrt_await(v->client->api, args.event, "fx_tensor_fetch", err);
}

static bool read_packed(const fxi_pjrt_value *v, const fx_shape *shape, void *to, fx_error *err) {
    size_t count = (size_t)fx_shape_size(shape);
    void *bytes = fxi_alloc(count);
    if (!bytes) return fxi_fail_memory(err, "fx_tensor_fetch");
    bool ok = copy_to_host(v, v->buffers[0], shape, bytes, count, err);
    if (ok) fxi_pack(shape->dtype, bytes, (int64_t)count, to);
    fxi_free(bytes);
    return ok;
}

static bool read_by_copy(fxi_pjrt_value *v, const fx_shape *shape, fxi_host_view *view, fx_error *err) {
    size_t bytes = (size_t)fx_shape_bytes(shape);
    void *to = fxi_alloc_data(bytes > 0 ? bytes : 1);
    if (!to) return fxi_fail_memory(err, "fx_tensor_fetch");
    bool ok = true;
    if (bytes == 0)
        ok = await_ready(v, v->buffers[0], err);
    else if (fxi_dtype_is_packed(shape->dtype))
        ok = read_packed(v, shape, to, err);
    else
        ok = copy_to_host(v, v->buffers[0], shape, to, bytes, err);
    if (ok)
        *view = (fxi_host_view){.data = to, .own = true};
    else
        fxi_free_aligned(to);
    return ok;
}

/* One device's part put into its place; room has space for one. */
static bool read_part(fxi_pjrt_value *v, size_t d, const fx_shape *shape, void *to, void *room,
                      fx_error *err) {
    const fxi_pjrt_layout *l = v->layout;
    void *part = v->client->direct ? address_of(v, v->buffers[d], err) : room;
    FX_TRY(part != NULL);
    if (part == room)
        FX_TRY(copy_to_host(v, v->buffers[d], &l->part, room, (size_t)fx_shape_bytes(&l->part), err));
    fxi_pjrt_part_copy(shape, &l->part, fxi_pjrt_layout_starts(l, d), to, part, true);
    return true;
}

/* The whole of a tensor that lies in parts; each part is read once, wherever it lies. */
static bool read_parts(fxi_pjrt_value *v, const fx_shape *shape, fxi_host_view *view, fx_error *err) {
    size_t bytes = (size_t)fx_shape_bytes(shape);
    void *to = fxi_alloc_data(bytes > 0 ? bytes : 1), *room = fxi_alloc_data(bytes > 0 ? bytes : 1);
    bool ok = (to && room) || fxi_fail_memory(err, "fx_tensor_fetch");
    for (size_t d = 0; ok && bytes > 0 && d < v->count; d++)
        ok = fxi_pjrt_layout_repeats(v->layout, d) || read_part(v, d, shape, to, room, err);
    fxi_free_aligned(room);
    if (ok)
        *view = (fxi_host_view){.data = to, .own = true};
    else
        fxi_free_aligned(to);
    return ok;
}

static bool fetch(fxi_device_data *data, const fx_shape *shape, fxi_host_view *view, fx_error *err) {
    fxi_pjrt_value *v = (fxi_pjrt_value *)data;
    if (v->layout && !v->layout->whole) return read_parts(v, shape, view, err);
    if (v->client->direct && !fxi_dtype_is_packed(shape->dtype)) return read_in_place(v, view, err);
    return read_by_copy(v, shape, view, err);
}

static void release(fxi_device_data *data) {
    fxi_pjrt_value *v = (fxi_pjrt_value *)data;
    for (size_t i = 0; i < v->count; i++) fxi_pjrt_buffer_destroy(v->client->api, v->buffers[i]);
    fxi_device_data_close(&v->head);
    fxi_pjrt_layout_free(v->layout);
    fxi_pjrt_client_free(v->client);
    fxi_free(v);
}

static bool part_of(const fxi_device_data *data, size_t number, fxi_device_part *part) {
    const fxi_pjrt_value *v = (const fxi_pjrt_value *)data;
    if (number >= v->count) return false;
    const fxi_pjrt_layout *l = v->layout;
    *part = (fxi_device_part){.device = l ? l->devices[number] : (int64_t)v->device,
                              .shape = l ? &l->part : NULL,
                              .starts = l ? fxi_pjrt_layout_starts(l, number) : NULL};
    return true;
}

static const fxi_device_ops device_ops = {.fetch = fetch, .release = release, .part = part_of};

fxi_pjrt_value *fxi_pjrt_value_of(const fx_tensor *tensor, const fxi_pjrt_client *client) {
    fxi_pjrt_value *v = (fxi_pjrt_value *)tensor->device;
    return v && v->head.ops == &device_ops && v->client == client ? v : NULL;
}

static fxi_pjrt_value *new_value(fxi_pjrt_client *client, fxi_pjrt_layout *layout,
                                 PJRT_Buffer *const *buffers, fx_error *err) {
    size_t count = layout ? layout->count : 1;
    fxi_pjrt_value *v = fxi_alloc(sizeof *v + count * sizeof v->buffers[0]);
    if (!v) {
        fxi_fail_memory(err, "pjrt");
        return NULL;
    }
    if (!fxi_device_data_init(&v->head, &device_ops, err)) {
        fxi_free(v);
        return NULL;
    }
    v->client = fxi_pjrt_client_ref(client);
    v->layout = fxi_pjrt_layout_ref(layout);
    v->device = 0;
    v->count = count;
    memcpy(v->buffers, buffers, count * sizeof v->buffers[0]);
    return v;
}

fx_tensor *fxi_pjrt_value_tensor(fxi_pjrt_client *client, const fx_shape *shape, fxi_pjrt_layout *layout,
                                 size_t device, PJRT_Buffer *const *buffers, fx_error *err) {
    fxi_pjrt_value *v = new_value(client, layout, buffers, err);
    if (!v) {
        for (size_t i = 0; i < (layout ? layout->count : 1); i++)
            fxi_pjrt_buffer_destroy(client->api, buffers[i]);
        return NULL;
    }
    v->device = device;
    fx_tensor *tensor = fxi_tensor_on_device(shape, &v->head, err);
    if (!tensor) release(&v->head);
    return tensor;
}

/* ---- sending ---- */

static PJRT_HostBufferSemantics semantics_of(const fxi_pjrt_client *client, fxi_pjrt_sending sending) {
    if (sending == FXI_PJRT_COPY) return PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    if (client->direct) return PJRT_HostBufferSemantics_kImmutableZeroCopy;
    return PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
}

static PJRT_Buffer *send_bytes(const fxi_pjrt_client *client, size_t device, const fx_shape *shape,
                               const void *data, PJRT_HostBufferSemantics semantics, fx_error *err) {
    FXI_PJRT_ARGS(PJRT_Client_BufferFromHostBuffer, args);
    args.client = client->client;
    args.data = data ? data : shape;            /* of an empty one: anything but NULL */
    args.type = (PJRT_Buffer_Type)shape->dtype; /* dtypes have PJRT's numbers */
    args.dims = shape->dims;
    args.num_dims = (size_t)shape->rank;
    args.host_buffer_semantics = semantics;
    args.device = client->devices[device];
    if (!FXI_PJRT_CALL(client->api, PJRT_Client_BufferFromHostBuffer, &args, err)) return NULL;
    if (semantics != PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes)
        fxi_pjrt_event_destroy(client->api, args.done_with_host_buffer);
    else if (!fxi_pjrt_await(client->api, args.done_with_host_buffer, "sending an argument", err)) {
        fxi_pjrt_buffer_destroy(client->api, args.buffer);
        return NULL;
    }
    return args.buffer;
}

PJRT_Buffer *fxi_pjrt_buffer_send(const fxi_pjrt_client *client, size_t device, const fx_tensor *tensor,
                                  fxi_pjrt_sending sending, fx_error *err) {
    const fx_shape *shape = &tensor->shape;
    if (!fxi_dtype_is_packed(shape->dtype)) {
        bool aligned = (uintptr_t)tensor->data % ALIGNED == 0;
        if (client->direct && !aligned) sending = FXI_PJRT_COPY;
        return send_bytes(client, device, shape, tensor->data, semantics_of(client, sending), err);
    }
    size_t count = (size_t)fx_shape_size(shape);
    void *bytes = fxi_alloc(count);
    if (!bytes) {
        fxi_fail_memory(err, "pjrt");
        return NULL;
    }
    fxi_unpack(shape->dtype, tensor->data, (int64_t)count, bytes);
    PJRT_Buffer *buffer =
        send_bytes(client, device, shape, bytes, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, err);
    fxi_free(bytes);
    return buffer;
}

PJRT_Buffer *fxi_pjrt_buffer_send_part(const fxi_pjrt_client *client, const fxi_pjrt_layout *layout,
                                       size_t device, const fx_tensor *tensor, fxi_pjrt_sending sending,
                                       fx_error *err) {
    const int64_t *starts = fxi_pjrt_layout_starts(layout, device);
    const size_t number = (size_t)layout->devices[device];
    fx_tensor part = {.shape = layout->part, .bytes = fx_shape_bytes(&layout->part)};
    int64_t first;
    if (part.bytes == 0 || fxi_pjrt_part_is_run(&tensor->shape, &part.shape, &first, starts)) {
        part.data = part.bytes ? (char *)tensor->data + first : NULL;
        return fxi_pjrt_buffer_send(client, number, &part, sending, err);
    }
    part.data = fxi_alloc_data((size_t)part.bytes);
    if (!part.data) {
        fxi_fail_memory(err, "pjrt");
        return NULL;
    }
    fxi_pjrt_part_copy(&tensor->shape, &part.shape, starts, tensor->data, part.data, false);
    PJRT_Buffer *buffer = fxi_pjrt_buffer_send(client, number, &part, FXI_PJRT_COPY, err);
    fxi_free_aligned(part.data);
    return buffer;
}
