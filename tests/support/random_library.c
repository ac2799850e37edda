/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a generated graph that run as library kernels: sorting, scans, windows, padding, places that are
 * computed, convolution, transforms. Where a kernel sums or multiplies floats its operands are such that every
 * order is exact, so that the bits can be compared; only transforms are compared within a bound. */
#include "support/random_maker.h"

/* ---- parts ---- */

static bool is_float(fx_dtype dtype) {
    return fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype);
}

/* An operand to be combined by a kind of reduction. */
static fx_node *combined_operand(maker *m, const fx_shape *shape, int kind) {
    bool rounds = is_float(shape->dtype) && (kind == FXI_SUM || kind == FXI_PRODUCT);
    return rounds ? maker_exact_values(m, shape, kind == FXI_PRODUCT) : maker_operand(m, shape, false);
}

static fx_dtype index_dtype(maker *m) {
    static const fx_dtype dtypes[] = {FX_S32, FX_S64, FX_S32, FX_U8, FX_S16, FX_U64};
    return dtypes[random_below(&m->r, 6)];
}

/* With every axis of at least one element, and not many elements. */
static fx_shape full_shape(maker *m, fx_dtype dtype, int least_rank) {
    fx_shape shape = maker_any_shape(m, dtype, least_rank);
    if (fx_shape_size(&shape) > 20000 || shape.rank > 4) {
        shape = (fx_shape){.dtype = dtype, .rank = least_rank + 1, .dims = {0}};
        for (int i = 0; i < shape.rank; i++) shape.dims[i] = 1 + random_below(&m->r, 12);
    }
    for (int i = 0; i < shape.rank; i++)
        if (shape.dims[i] == 0) shape.dims[i] = 1 + random_below(&m->r, 5);
    return shape;
}

static int64_t between(maker *m, int64_t low, int64_t high) {
    return low + random_below(&m->r, (int)(high - low + 1));
}

/* Further results are nodes too, of which some are read. */
static void add_results(maker *m, fx_node *node) {
    for (uint32_t i = 1; i <= node->more_count; i++) {
        fx_node *result = fxi_node_result(node, i);
        m->loose[result->id] = is_float(result->shape.dtype);
        if (random_chance(&m->r, 50)) maker_add_consumer(m, result);
    }
}

/* ---- lines ---- */

static fx_node *sort_node(maker *m, const graph_cell *cell) {
    fx_shape shape = maker_any_shape(m, cell->dtype, 1);
    int64_t orders[3];
    fx_node *x[3];
    int n = 1 + random_below(&m->r, 3), keys = 1;
    for (int i = 0; i < n; i++) {
        bool is_key;
        if (i > 0) do
                shape.dtype = (fx_dtype)random_below(&m->r, FX_DTYPE_LIMIT);
            while (!fx_dtype_is_valid(shape.dtype));
        is_key = fxi_op_info_of(FX_OP_COMPARE)->dtypes >> shape.dtype & 1;
        if (i > 0 && keys == i && is_key && random_chance(&m->r, 40)) keys++;
        orders[i] = random_below(&m->r, 2);
        x[i] = maker_operand(m, &shape, false);
    }
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_AXIS, random_below(&m->r, shape.rank)),
                              fxi_attr_ints(FXI_ATTR_ORDERS, orders, (size_t)keys)};
    fx_node *sorted = maker_node(m, FX_OP_SORT, x, (size_t)n, attrs, 2, NULL);
    add_results(m, sorted);
    return sorted;
}

static fx_node *top_k_node(maker *m, const graph_cell *cell) {
    fx_shape shape = maker_any_shape(m, cell->dtype, 1);
    int64_t *last = &shape.dims[shape.rank - 1];
    if (*last == 0) *last = 1 + random_below(&m->r, 9);
    fx_node *x = maker_operand(m, &shape, false);
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_K, between(m, 1, *last < 70 ? *last : 70)),
                              fxi_attr_int(FXI_ATTR_SMALLEST, cell->variant),
                              fxi_attr_dtype(random_chance(&m->r, 50) ? FX_S32 : FX_S64)};
    fx_node *largest = maker_node(m, FX_OP_TOP_K, &x, 1, attrs, 3, NULL);
    add_results(m, largest);
    return largest;
}

static fx_node *cumulative_node(maker *m, const graph_cell *cell) {
    fx_shape shape = maker_any_shape(m, cell->dtype, 1);
    int axis = random_below(&m->r, shape.rank);
    if (is_float(cell->dtype) && shape.dims[axis] > 60)
        shape.dims[axis] = 60; /* sums stay exact in float16 */
    fx_node *x = combined_operand(m, &shape, cell->variant);
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_SCAN, cell->variant), fxi_attr_int(FXI_ATTR_AXIS, axis),
                              fxi_attr_int(FXI_ATTR_BACKWARDS, random_below(&m->r, 2))};
    return maker_node(m, FX_OP_CUMULATIVE, &x, 1, attrs, 3, NULL);
}

static fx_node *fft_node(maker *m, const graph_cell *cell) {
    fx_shape shape = full_shape(m, cell->dtype, 1);
    int64_t lengths[2];
    int n = 1 + random_below(&m->r, shape.rank < 2 ? 1 : 2);
    for (int i = 0; i < n; i++) lengths[i] = shape.dims[shape.rank - n + i];
    if (cell->variant == FXI_FFT_INVERSE_REAL) {
        int64_t half = lengths[n - 1];
        lengths[n - 1] = half == 1 ? 1 : 2 * half - 1 - random_below(&m->r, 2);
    }
    fx_node *x = maker_exact_values(m, &shape, false);
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_TRANSFORM, cell->variant),
                              fxi_attr_ints(FXI_ATTR_LENGTHS, lengths, (size_t)n)};
    return maker_node(m, FX_OP_FFT, &x, 1, attrs, 2, NULL);
}

/* ---- padding and windows ---- */

static fx_node *pad_node(maker *m, const graph_cell *cell) {
    fx_shape shape = maker_any_shape(m, cell->dtype, 0), scalar = fxi_shape_scalar(cell->dtype);
    int64_t low[FX_MAX_RANK], high[FX_MAX_RANK], interior[FX_MAX_RANK];
    bool large = fx_shape_size(&shape) > 2000;
    for (int i = 0; i < shape.rank; i++) {
        low[i] = between(m, -2, large ? 1 : 3);
        high[i] = between(m, -2, large ? 1 : 3);
        interior[i] = !large && random_chance(&m->r, 30) ? random_below(&m->r, 3) : 0;
        int64_t dim = shape.dims[i] ? shape.dims[i] + (shape.dims[i] - 1) * interior[i] : 0;
        if (dim + low[i] + high[i] < 0) low[i] = high[i] = 0;
    }
    fx_node *const x[] = {maker_operand(m, &shape, false), maker_operand(m, &scalar, false)};
    size_t rank = (size_t)shape.rank;
    const fxi_attr attrs[] = {fxi_attr_ints(FXI_ATTR_LOW, low, rank),
                              fxi_attr_ints(FXI_ATTR_HIGH, high, rank),
                              fxi_attr_ints(FXI_ATTR_INTERIOR, interior, rank)};
    return maker_node(m, FX_OP_PAD, x, 2, attrs, 3, NULL);
}

typedef struct windows {
    int64_t size[FX_MAX_RANK], strides[FX_MAX_RANK], base[FX_MAX_RANK], dilation[FX_MAX_RANK];
    int64_t low[FX_MAX_RANK], high[FX_MAX_RANK];
} windows;

static windows draw_windows(maker *m, const fx_shape *shape, bool dilated) {
    windows w = {0};
    for (int i = 0; i < shape->rank; i++) {
        bool alone = random_chance(&m->r, 40);
        w.size[i] = alone ? 1 : between(m, 1, 4);
        w.strides[i] = random_chance(&m->r, 50) ? 1 : between(m, 1, 3);
        w.base[i] = dilated && random_chance(&m->r, 20) ? 2 : 1;
        w.dilation[i] = dilated && random_chance(&m->r, 20) ? 2 : 1;
        w.low[i] = alone ? 0 : between(m, dilated ? -1 : 0, 2);
        w.high[i] = alone ? 0 : between(m, dilated ? -1 : 0, 2);
    }
    return w;
}

static fx_node *reduce_window_node(maker *m, const graph_cell *cell) {
    fx_shape shape = full_shape(m, cell->dtype, 1);
    fx_node *x = combined_operand(m, &shape, cell->variant);
    windows w = draw_windows(m, &shape, true);
    size_t rank = (size_t)shape.rank;
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_KIND, cell->variant),
                              fxi_attr_ints(FXI_ATTR_WINDOW, w.size, rank),
                              fxi_attr_ints(FXI_ATTR_STRIDES, w.strides, rank),
                              fxi_attr_ints(FXI_ATTR_BASE_DILATION, w.base, rank),
                              fxi_attr_ints(FXI_ATTR_WINDOW_DILATION, w.dilation, rank),
                              fxi_attr_ints(FXI_ATTR_LOW, w.low, rank),
                              fxi_attr_ints(FXI_ATTR_HIGH, w.high, rank)};
    return maker_node(m, FX_OP_REDUCE_WINDOW, &x, 1, attrs, 7, NULL);
}

static fx_node *select_and_scatter_node(maker *m, const graph_cell *cell) {
    fx_shape shape = full_shape(m, cell->dtype, 1), source = shape;
    windows w = draw_windows(m, &shape, false);
    for (int i = 0; i < shape.rank; i++) {
        int64_t padded = shape.dims[i] + w.low[i] + w.high[i];
        source.dims[i] = padded < w.size[i] ? 0 : (padded - w.size[i]) / w.strides[i] + 1;
    }
    fx_node *const x[] = {maker_operand(m, &shape, false), combined_operand(m, &source, FXI_SUM)};
    size_t rank = (size_t)shape.rank;
    const fxi_attr attrs[] = {
        fxi_attr_int(FXI_ATTR_KIND, cell->variant ? FXI_MIN : FXI_MAX),
        fxi_attr_ints(FXI_ATTR_WINDOW, w.size, rank), fxi_attr_ints(FXI_ATTR_STRIDES, w.strides, rank),
        fxi_attr_ints(FXI_ATTR_LOW, w.low, rank), fxi_attr_ints(FXI_ATTR_HIGH, w.high, rank)};
    return maker_node(m, FX_OP_SELECT_AND_SCATTER, x, 2, attrs, 5, NULL);
}

/* ---- places that are computed ---- */

static void draw_starts(maker *m, int rank, fx_node **starts) {
    fx_shape scalar = fxi_shape_scalar(index_dtype(m));
    for (int i = 0; i < rank; i++) starts[i] = maker_operand(m, &scalar, false);
}

static fx_node *dynamic_slice_node(maker *m, const graph_cell *cell) {
    fx_shape shape = maker_any_shape(m, cell->dtype, 0);
    int64_t sizes[FX_MAX_RANK];
    fx_node *x[FX_MAX_RANK + 1];
    for (int i = 0; i < shape.rank; i++)
        sizes[i] = random_chance(&m->r, 30) ? shape.dims[i] : between(m, 0, shape.dims[i]);
    x[0] = maker_operand(m, &shape, false);
    draw_starts(m, shape.rank, x + 1);
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_SIZES, sizes, (size_t)shape.rank);
    return maker_node(m, FX_OP_DYNAMIC_SLICE, x, (size_t)shape.rank + 1, &attr, 1, NULL);
}

static fx_node *dynamic_update_node(maker *m, const graph_cell *cell) {
    fx_shape shape = maker_any_shape(m, cell->dtype, 0), update = shape;
    fx_node *x[FX_MAX_RANK + 2];
    for (int i = 0; i < shape.rank; i++)
        if (random_chance(&m->r, 70)) update.dims[i] = between(m, 0, shape.dims[i]);
    x[0] = maker_operand(m, &shape, false);
    x[1] = maker_operand(m, &update, false);
    draw_starts(m, shape.rank, x + 2);
    return maker_node(m, FX_OP_DYNAMIC_UPDATE_SLICE, x, (size_t)shape.rank + 2, NULL, 0, NULL);
}

/* How windows of x lie in an array: which axes of x an index names and which of them a window lacks, the shape
 * of the indices, and where the window's axes are among those of the array. */
typedef struct places {
    fx_shape x, indices, array;
    int64_t map[2], dropped[2], sizes[FX_MAX_RANK], window[FX_MAX_RANK];
    size_t maps, drops, windows;
    int index_axis;
} places;

static void draw_map(maker *m, places *p) {
    p->maps = 1 + (size_t)random_below(&m->r, p->x.rank > 1 ? 2 : 1);
    p->map[0] = random_below(&m->r, p->x.rank);
    p->map[1] = (p->map[0] + 1) % p->x.rank;
    for (int axis = 0; axis < p->x.rank; axis++) {
        bool mapped = p->map[0] == axis || (p->maps > 1 && p->map[1] == axis);
        bool dropped = mapped && random_chance(&m->r, 60);
        p->sizes[axis] = dropped || random_chance(&m->r, 30) ? 1 : between(m, 1, p->x.dims[axis]);
        if (!mapped && random_chance(&m->r, 60)) p->sizes[axis] = p->x.dims[axis];
        if (dropped) p->dropped[p->drops++] = axis;
    }
}

static void draw_indices(maker *m, places *p) {
    bool has_axis = p->maps > 1 || random_chance(&m->r, 50);
    p->indices = (fx_shape){.dtype = index_dtype(m), .rank = random_below(&m->r, 3)};
    for (int i = 0; i < p->indices.rank; i++) p->indices.dims[i] = between(m, 0, 9);
    p->index_axis = p->indices.rank;
    if (!has_axis) return;
    p->index_axis = random_below(&m->r, p->indices.rank + 1);
    for (int i = p->indices.rank; i > p->index_axis; i--) p->indices.dims[i] = p->indices.dims[i - 1];
    p->indices.dims[p->index_axis] = (int64_t)p->maps;
    p->indices.rank++;
}

/* The window's axes at any places of the array, in order. */
static void draw_array(maker *m, places *p) {
    int batch = p->indices.rank - (p->index_axis < p->indices.rank), kept = p->x.rank - (int)p->drops;
    int of_x = 0, of_indices = 0, left = kept;
    p->array = (fx_shape){.dtype = p->x.dtype, .rank = batch + kept};
    for (int i = 0; i < p->array.rank; i++) {
        bool window = random_below(&m->r, p->array.rank - i) < left;
        if (window) {
            while (p->drops && (p->dropped[0] == of_x || (p->drops > 1 && p->dropped[1] == of_x))) of_x++;
            p->window[p->windows++] = i;
            p->array.dims[i] = p->sizes[of_x++];
            left--;
        } else {
            of_indices += of_indices == p->index_axis;
            p->array.dims[i] = p->indices.dims[of_indices++];
        }
    }
}

static places draw_places(maker *m, fx_dtype dtype) {
    places p = {.x = full_shape(m, dtype, 1)};
    draw_map(m, &p);
    draw_indices(m, &p);
    draw_array(m, &p);
    return p;
}

static size_t place_attrs(const places *p, fxi_attr *attrs) {
    attrs[0] = fxi_attr_ints(FXI_ATTR_WINDOW_AXES, p->window, p->windows);
    attrs[1] = fxi_attr_ints(FXI_ATTR_DROPPED_AXES, p->dropped, p->drops);
    attrs[2] = fxi_attr_ints(FXI_ATTR_OPERAND_BATCH, NULL, 0);
    attrs[3] = fxi_attr_ints(FXI_ATTR_INDICES_BATCH, NULL, 0);
    attrs[4] = fxi_attr_ints(FXI_ATTR_INDEX_MAP, p->map, p->maps);
    attrs[5] = fxi_attr_int(FXI_ATTR_INDEX_AXIS, p->index_axis);
    return 6;
}

static fx_node *gather_node(maker *m, const graph_cell *cell) {
    places p = draw_places(m, cell->dtype);
    fxi_attr attrs[7] = {fxi_attr_ints(FXI_ATTR_SIZES, p.sizes, (size_t)p.x.rank)};
    size_t n = 1 + place_attrs(&p, attrs + 1);
    fx_node *const x[] = {maker_operand(m, &p.x, false), maker_operand(m, &p.indices, false)};
    return maker_node(m, FX_OP_GATHER, x, 2, attrs, n, NULL);
}

static fx_node *scatter_node(maker *m, const graph_cell *cell) {
    places p = draw_places(m, cell->dtype);
    fxi_attr attrs[7] = {fxi_attr_int(FXI_ATTR_COMBINE, cell->variant)};
    size_t n = 1 + place_attrs(&p, attrs + 1);
    fx_node *const x[] = {combined_operand(m, &p.x, cell->variant), maker_operand(m, &p.indices, false),
                          combined_operand(m, &p.array, cell->variant)};
    return maker_node(m, FX_OP_SCATTER, x, 3, attrs, n, NULL);
}

/* ---- convolution ---- */

typedef struct convolution {
    fx_shape x, kernel;
    int64_t layouts[3][4], strides[2], low[2], high[2], base[2], dilation[2], reversed[2];
    int64_t groups, batch_groups;
} convolution;

static void draw_layout(maker *m, int rank, int64_t *layout) {
    for (int i = 0; i < rank; i++) layout[i] = i;
    for (int i = rank - 1; i > 0; i--) {
        int j = random_below(&m->r, i + 1);
        int64_t swap = layout[i];
        layout[i] = layout[j];
        layout[j] = swap;
    }
}

static void draw_spatial(maker *m, convolution *c, int axis) {
    c->strides[axis] = between(m, 1, 2);
    c->low[axis] = between(m, -1, 2);
    c->high[axis] = between(m, -1, 2);
    c->base[axis] = random_chance(&m->r, 25) ? 2 : 1;
    c->dilation[axis] = random_chance(&m->r, 25) ? 2 : 1;
    c->reversed[axis] = random_chance(&m->r, 25);
    c->x.dims[c->layouts[0][axis + 2]] = between(m, 2, 19);
    c->kernel.dims[c->layouts[1][axis + 2]] = between(m, 1, 4);
}

static convolution draw_convolution(maker *m, fx_dtype dtype) {
    int spatial = random_below(&m->r, 3);
    convolution c = {.groups = 1, .batch_groups = 1};
    c.x = c.kernel = (fx_shape){.dtype = dtype, .rank = spatial + 2};
    for (int i = 0; i < 3; i++) draw_layout(m, spatial + 2, c.layouts[i]);
    int kind = random_below(&m->r, 4);
    if (kind == 0) c.groups = 2;
    if (kind == 1) c.batch_groups = 2;
    int64_t in = between(m, 1, 5);
    c.x.dims[c.layouts[0][0]] = c.batch_groups * between(m, 1, 3);
    c.x.dims[c.layouts[0][1]] = c.groups * in;
    c.kernel.dims[c.layouts[1][0]] = c.groups * c.batch_groups * between(m, 1, 9);
    c.kernel.dims[c.layouts[1][1]] = in;
    for (int i = 0; i < spatial; i++) draw_spatial(m, &c, i);
    return c;
}

static fx_node *convolution_node(maker *m, const graph_cell *cell) {
    convolution c = draw_convolution(m, cell->dtype);
    size_t rank = (size_t)c.x.rank, n = rank - 2;
    fx_node *const x[] = {combined_operand(m, &c.x, FXI_SUM), combined_operand(m, &c.kernel, FXI_SUM)};
    const fxi_attr attrs[] = {fxi_attr_ints(FXI_ATTR_INPUT_LAYOUT, c.layouts[0], rank),
                              fxi_attr_ints(FXI_ATTR_KERNEL_LAYOUT, c.layouts[1], rank),
                              fxi_attr_ints(FXI_ATTR_OUTPUT_LAYOUT, c.layouts[2], rank),
                              fxi_attr_ints(FXI_ATTR_STRIDES, c.strides, n),
                              fxi_attr_ints(FXI_ATTR_LOW, c.low, n),
                              fxi_attr_ints(FXI_ATTR_HIGH, c.high, n),
                              fxi_attr_ints(FXI_ATTR_INPUT_DILATION, c.base, n),
                              fxi_attr_ints(FXI_ATTR_KERNEL_DILATION, c.dilation, n),
                              fxi_attr_ints(FXI_ATTR_REVERSED, c.reversed, n),
                              fxi_attr_int(FXI_ATTR_FEATURE_GROUPS, c.groups),
                              fxi_attr_int(FXI_ATTR_BATCH_GROUPS, c.batch_groups),
                              fxi_attr_dtype(cell->dtype)};
    return maker_node(m, FX_OP_CONVOLUTION, x, 2, attrs, 12, NULL);
}

/* ---- */

typedef fx_node *(*add_fn)(maker *m, const graph_cell *cell);
static const add_fn functions[FX_OP_COUNT] = {
    [FX_OP_SORT] = sort_node,
    [FX_OP_TOP_K] = top_k_node,
    [FX_OP_CUMULATIVE] = cumulative_node,
    [FX_OP_FFT] = fft_node,
    [FX_OP_PAD] = pad_node,
    [FX_OP_REDUCE_WINDOW] = reduce_window_node,
    [FX_OP_SELECT_AND_SCATTER] = select_and_scatter_node,
    [FX_OP_DYNAMIC_SLICE] = dynamic_slice_node,
    [FX_OP_DYNAMIC_UPDATE_SLICE] = dynamic_update_node,
    [FX_OP_GATHER] = gather_node,
    [FX_OP_SCATTER] = scatter_node,
    [FX_OP_CONVOLUTION] = convolution_node,
};

fx_node *maker_add_library_cell(maker *m, const graph_cell *cell) {
    return functions[cell->op](m, cell);
}
