/* SPDX-License-Identifier: Apache-2.0 */
/* Fusion: which nodes get memory of their own and which are computed inside the loops of their consumers.
 *
 * A cluster is one future kernel: a nest of loops, and entries, each a node seen through one index map.
 * Nodes are visited from the outputs backwards, when all their consumers are known. A node either joins
 * the clusters that read it (its entries are expanded into entries of its operands) or is materialised:
 * the entries become loads and the node becomes the root of a new cluster. A cluster may hold one
 * reduction, its core; what was entered before the core runs after it (the epilogue). A cluster of rows
 * (fuse_rows.c) holds several over the same loops, or one whose result is used along the loops it sums. */
#ifndef FXI_FUSE_H
#define FXI_FUSE_H

#include "index_map.h"

/* Operations computed in one cluster at most: bounds compile time and live vectors, and cuts long chains
 * into equal pieces. */
#define FXI_CLUSTER_OPS 96
/* Reductions in one cluster of rows at most: cuts long chains into equal pieces, too. */
#define FXI_ROW_CORES 4
/* Shortest row: shorter ones are summed across by a reduction's own kernel, which is another order. */
#define FXI_ROW_LEAST 4
/* Longest row, and how many rows there must be when they are longer than a chunk (kernel.h): a row is the
 * work of one thread, and a second-level cache should hold what is read and written along it. */
#define FXI_ROW_MOST (1 << 17)
#define FXI_LONG_ROWS 16

typedef enum fxi_entry_state {
    FXI_ENTRY_PENDING, /* its node was not visited yet */
    FXI_ENTRY_LOAD,    /* read from the memory of its node */
    FXI_ENTRY_ALIAS,   /* the same value as args[0] */
    FXI_ENTRY_COMPUTE, /* a MAP operation on args */
    FXI_ENTRY_INDEX,   /* iota */
    FXI_ENTRY_CORE     /* the reduction of args[0] */
} fxi_entry_state;

typedef struct fxi_entry {
    const fx_node *node;
    fx_dtype dtype;   /* as which it is read: of the node, or another of the same width behind a bitcast */
    int cluster, map; /* map: number in the cluster's nest */
    int local;        /* position in the cluster's list */
    int next;         /* next pending entry of the same node, -1: none */
    fxi_entry_state state;
    bool before_core; /* evaluated inside the reduction loops; means nothing in a cluster of rows */
    bool repeated;    /* each element is wanted many times (a broadcast lies between) */
    int args[FXI_MAP_OPERANDS]; /* entries */
} fxi_entry;

/* KERNEL is generated; DOT a matrix product; BITCAST between packed dtypes; HOST a library kernel
 * (kernels/kernels.h); CONTROL runs programs of its own (program.h). */
typedef enum fxi_cluster_kind {
    FXI_CLUSTER_KERNEL,
    FXI_CLUSTER_DOT,
    FXI_CLUSTER_BITCAST,
    FXI_CLUSTER_HOST,
    FXI_CLUSTER_CONTROL
} fxi_cluster_kind;

/* Groups of the loops of a DOT, which lie in this order; a reshape in front of an operand may split loops. */
typedef enum fxi_dot_group { FXI_DOT_BATCH, FXI_DOT_M, FXI_DOT_N, FXI_DOT_K } fxi_dot_group;

/* Groups of the loops of a cluster of rows. */
typedef enum fxi_row_group { FXI_OUTER_LOOP, FXI_ROW_LOOP } fxi_row_group;

/* A value that a cluster of rows writes besides that of its root. */
typedef struct fxi_also {
    const fx_node *node;
    int entry, store_map;
} fxi_also;
/* Of one cluster at most. */
#define FXI_ROW_ALSO 4

typedef struct fxi_cluster {
    fxi_cluster_kind kind;
    const fx_node *root; /* the node it writes */
    int part;            /* number when it writes one part of a concatenation or pad, else -1 */
    fxi_nest nest;
    int store_map;                     /* where in the root the value goes */
    int value;                         /* entry that is stored; of a DOT: the left operand */
    int value2;                        /* of a DOT: the right operand */
    int core;                          /* entry of the (first) reduction, -1: none */
    int cores;                         /* reductions */
    FXI_VEC(fxi_also) also;
    bool rows;                         /* of rows: loops of group FXI_ROW_LOOP go along a row */
    int ops;                           /* MAP entries */
    FXI_VEC(int) entries;
} fxi_cluster;

/* Where a concatenation or pad whose one reader is another lies in the memory of that one (or of a further
 * one around it): element i of an axis at offset + step * i of the root's. */
typedef struct fxi_place {
    const fx_node *root;
    int64_t offset[FX_MAX_RANK], step[FX_MAX_RANK];
} fxi_place;

typedef struct fxi_fusion {
    const fx_graph *graph;
    FXI_VEC(fxi_entry) entries;
    FXI_VEC(fxi_cluster *) clusters; /* in the order they must not run: reversed by root */
    bool *live, *forced, *in_memory; /* by node id */
    int *pending;                    /* by node id: first entry, -1: none */
    int *cost;                       /* by node id: operations to recompute it from memory, saturated */
    int *uses;                       /* by node id: how often it is an operand */
    int *placed;                     /* by node id: its place, -1: has memory of its own, or none */
    FXI_VEC(fxi_place) places;
    /* by node id: elements of the rows whose sums, or the like, it is made of; negative: it is made of them
     * and differs along the row; 0: of none */
    int64_t *row;
    int *reader; /* by node id: last cluster that reads it whole or as other bits, or -1 */
    /* by node id: reductions that no cluster of rows may hold, values that none may write besides its root */
    const bool *apart;
    bool whole;                      /* fuse nothing: every node in memory (for tests) */
} fxi_fusion;

bool fxi_fuse(fxi_fusion *fusion, const fx_graph *graph, bool unfused, const bool *apart, fx_error *err);
void fxi_fusion_free(fxi_fusion *fusion);
/* The entry behind moves, which are the same value. */
int fxi_fusion_resolve(const fxi_fusion *fusion, int entry);
/* What computing an element of a MAP operation costs, in units of an addition. */
int fxi_fusion_weight(fx_op op);

/* ---- between fuse.c and fuse_rows.c ---- */

/* The entry of a node seen through a map in the cluster of another entry, -1: no memory. */
int fxi_fusion_request(fxi_fusion *f, int from, const fx_node *node, const fxi_index_map *map,
                       bool before_core, bool repeated);
bool fxi_fusion_is_reduced(const fx_node *n, int axis);
/* Fills `row` of a live node whose operands are done. */
void fxi_rows_measure(fxi_fusion *f, const fx_node *n);
/* Are all pending entries of the node one value per row of a cluster that is, or can become, one of rows? */
bool fxi_rows_take(const fxi_fusion *f, const fx_node *n);
/* The first pending entry of a node that needs memory in the cluster which can compute it for itself and
 * write it besides, before everybody else who reads it runs; -1: there is none. */
int fxi_rows_share(const fxi_fusion *f, const fx_node *n);
/* Has the cluster of the entry write it, densely; the node's other entries become aliases of this one, or
 * loads in other clusters. */
bool fxi_rows_write(fxi_fusion *f, int entry);
/* Makes the reduction, which fxi_rows_take has accepted, a core; its other entries become aliases. */
bool fxi_rows_expand(fxi_fusion *f, int entry);

/* ---- between fuse.c and fuse_parts.c ---- */

/* A new, empty cluster; -1: no memory. */
int fxi_fuse_new_cluster(fxi_fusion *f, fxi_cluster_kind kind, const fx_node *root, int part);
/* The entry of a node seen through a map in a cluster: an existing one or a new, pending one; -1: no
 * memory. */
int fxi_fuse_request(fxi_fusion *f, int cluster, const fx_node *node, int map, bool before_core,
                     bool repeated);
/* Clusters that write a concatenation or pad. False: no memory. */
bool fxi_fuse_parts(fxi_fusion *f, const fx_node *n);

#endif
