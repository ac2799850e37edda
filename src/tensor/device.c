/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors whose elements a backend left on its device. They are fetched when somebody first reads them, under
 * a lock of their own, so that any number of threads may read; from then on `data` stands and reading costs
 * one load. The device data stays as well, since the next call of that backend takes it as it is. Only who
 * has the tensor alone (a writer, a call that it is donated to) parts the two, after which it is an ordinary
 * tensor. */
#include "tensor/tensor.h"
#include <string.h>

bool fxi_device_data_init(fxi_device_data *device, const fxi_device_ops *ops, fx_error *err) {
    if (pthread_mutex_init(&device->mutex, NULL) != 0) return fxi_fail_memory(err, "tensor");
    device->ops = ops;
    atomic_init(&device->here, false);
    atomic_init(&device->lent, false);
    return true;
}

void fxi_device_data_close(fxi_device_data *device) {
    pthread_mutex_destroy(&device->mutex);
}

fx_tensor *fxi_tensor_on_device(const fx_shape *shape, fxi_device_data *device, fx_error *err) {
    fx_tensor *tensor = fxi_tensor_over(shape, NULL, NULL, NULL, false, err);
    if (tensor) tensor->device = device;
    return tensor;
}

/* ---- fetching ---- */

static void release_own(void *data, void *user) {
    (void)user;
    fxi_free_aligned(data);
}

/* Under the lock, by the first that comes. */
static bool bring(fx_tensor *tensor, fx_error *err) {
    fxi_device_data *device = tensor->device;
    if (atomic_load(&device->here)) return true;
    fxi_host_view view = {.data = NULL};
    FX_TRY(device->ops->fetch(device, &tensor->shape, &view, err));
    tensor->data = view.data;
    tensor->release = view.own ? release_own : NULL;
    atomic_store_explicit(&device->here, true, memory_order_release);
    return true;
}

bool fx_tensor_fetch(const fx_tensor *tensor, fx_error *err) {
    if (!fx_tensor_is_valid(tensor))
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_tensor_fetch: the tensor %s",
                        tensor ? "was donated and has no contents" : "is NULL");
    if (fxi_tensor_is_here(tensor)) return true;
    fx_tensor *filled = (fx_tensor *)(uintptr_t)tensor; /* what it stands for does not change */
    fx_error error; /* delivered after unlocking, as FX_MUST does not come back; written on failure only */
    pthread_mutex_lock(&filled->device->mutex);
    bool ok = bring(filled, &error);
    pthread_mutex_unlock(&filled->device->mutex);
    return ok || fxi_fail_copy(err, &error);
}

/* ---- for an only user ---- */

static void release_with_device(void *data, void *user) {
    (void)data;
    fxi_device_data *device = user;
    device->ops->release(device);
}

/* The device may still read its memory, so that writing needs a copy. */
static bool copy_away(fx_tensor *tensor, fx_error *err) {
    void *copy = fxi_alloc_data(tensor->bytes > 0 ? (size_t)tensor->bytes : 1);
    if (!copy) return fxi_fail_memory(err, "tensor");
    memcpy(copy, tensor->data, (size_t)tensor->bytes);
    tensor->device->ops->release(tensor->device);
    tensor->data = copy;
    tensor->release = release_own;
    return true;
}

bool fxi_tensor_settle(fx_tensor *tensor, fx_error *err) {
    fxi_device_data *device = tensor->device;
    if (!device) return true;
    FX_TRY(fx_tensor_fetch(tensor, err));
    if (tensor->release) { /* a copy already */
        device->ops->release(device);
    } else if (atomic_load(&device->lent)) {
        FX_TRY(copy_away(tensor, err));
    } else {
        tensor->release = release_with_device;
        tensor->user = device;
    }
    tensor->device = NULL;
    return true;
}

void fxi_tensor_drop(fx_tensor *tensor) {
    if (tensor->release) tensor->release(tensor->data, tensor->user);
    if (tensor->device) tensor->device->ops->release(tensor->device);
    tensor->data = NULL;
    tensor->release = NULL;
    tensor->device = NULL;
}

/* ---- where they lie ---- */

static bool read_part(const fx_tensor *tensor, size_t number, fxi_device_part *part) {
    if (!fx_tensor_is_valid(tensor) || !tensor->device) return false;
    const fxi_device_ops *ops = tensor->device->ops;
    *part = (fxi_device_part){.device = 0};
    return ops->part ? ops->part(tensor->device, number, part) : number == 0;
}

size_t fx_tensor_part_count(const fx_tensor *tensor) {
    fxi_device_part part;
    size_t n = 0;
    while (read_part(tensor, n, &part)) n++;
    return n;
}

bool fx_tensor_part_at(const fx_tensor *tensor, size_t number, fx_tensor_part *part) {
    fxi_device_part found;
    if (!part || !read_part(tensor, number, &found)) return false;
    *part = (fx_tensor_part){.device = found.device, .shape = found.shape ? *found.shape : tensor->shape};
    for (int i = 0; found.starts && i < tensor->shape.rank; i++) part->starts[i] = found.starts[i];
    return true;
}
