/* SPDX-License-Identifier: Apache-2.0 */
/* Many devices, the automatic way: a program is written as for one device, some of its values are marked
 * with how they are to be spread over a mesh of devices, and the backend makes of it a program for all of
 * them, exchanges included. Values, errors and results are those of the program without marks, up to the
 * order of sums.
 *
 *     static const fx_mesh mesh = {.names = {"data", "model"}, .sizes = {4, 2}};       eight devices
 *     x = fx_shard(x, FX_SHARDING(&mesh, "data"));             // rows over 4, copied over the 2 of "model"
 *     w = fx_shard(w, FX_SHARDING(&mesh, NULL, "model"));      // columns over 2
 *
 * interp and cpu leave marks out, at no cost. A pjrt backend with enough devices runs the program on all
 * devices of the mesh; with fewer it refuses the program, naming the first that is missing, so a mesh is made
 * for the devices at hand (fx_backend_describe tells their number; a mesh of one device is fine). What a
 * parameter is marked with first is how the argument is laid out; what an output is marked with, how the
 * result is; those that are not marked are whole on every device. The way with exchanges written out is in
 * collective.h. */
#ifndef FLUXION_MESH_H
#define FLUXION_MESH_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FX_MESH_AXES 8 /* most axes of a mesh */

/* Devices as an array of up to eight axes, each with a name: a letter or _, then letters, digits and any of
 * _ - . up to 31 in all. The first NULL ends the names. A plain value without memory of its own. */
typedef struct fx_mesh {
    const char *names[FX_MESH_AXES];
    int64_t sizes[FX_MESH_AXES]; /* one per name, from 1 on; at most 65536 devices in all */
    fx_dims devices; /* the backend's numbers of them, in row-major order of the axes; none: 0, 1, 2 ... */
} fx_mesh;

/* How a tensor lies on a mesh. Per dimension the mesh axes over which it is cut, the outermost first,
 * separated by commas: "data" or "data,model". NULL or "": not cut. "?" at the end, or alone: the backend may
 * cut it further. Dimensions after the last one given are not cut. Over axes that are not named the tensor is
 * copied. */
typedef struct fx_sharding {
    const fx_mesh *mesh;
    const char *axes[FX_MAX_RANK];
} fx_sharding;

/* A const fx_sharding * for the length of the enclosing block, in C++ of the full expression. */
#ifndef __cplusplus
#define FX_SHARDING(mesh, ...) (&(const fx_sharding){(mesh), {__VA_ARGS__}})
#else
#define FX_SHARDING(mesh, ...) fx_sharding_of_({(mesh), {__VA_ARGS__}})
extern "C++" {
static inline const fx_sharding *fx_sharding_of_(const fx_sharding &sharding) {
    return &sharding;
}
}
#endif

/* Number of devices of a mesh; 0 for NULL, for one that is not valid (names, sizes, devices: what fx_shard
 * refuses) and when there is no memory to check a list of devices. */
FX_API int64_t fx_mesh_size(const fx_mesh *mesh);

/* x, marked with how it lies on a mesh: the value is x. Its derivative is marked alike, and so is a batch
 * of it, whose own axis is left to the backend. Any dtype of whole bytes. Errors: an axis that the mesh has
 * not, or that is named twice; more dimensions than x has; a dimension that the axes do not cut into equal
 * parts. The meshes of one program have the same devices. */
FX_API fx_node *fx_shard(fx_node *x, const fx_sharding *sharding);

/* The number of this device among those that run the program as replicas (exec.h): 0 on a single device, as
 * well as in a program that the backend spreads over a mesh. A uint32 scalar. */
FX_API fx_node *fx_replica_id(fx_graph *graph);
/* The number of this device's partition: 0, since a program runs as one partition per replica. One that is
 * spread over a mesh is cut by the backend, which may refuse this number (XLA does). A uint32 scalar. */
FX_API fx_node *fx_partition_id(fx_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
