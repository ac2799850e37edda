/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution's axes: read from the node, then without those that only have one place, with neighbours
 * merged where the kernel does not look across them (so that a 1x1 convolution is one long axis of pixels),
 * and ordered. */
#include "conv.h"

/* Of a group, up to which lanes beat a micro-kernel that uses few of its own. */
enum { MOST_CHANNELS = 8, MOST_REPEATS = 8 };

static void dense_strides(const fx_shape *shape, int64_t *strides) {
    int64_t stride = 1;
    for (int i = shape->rank - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= shape->dims[i] > 0 ? shape->dims[i] : 1;
    }
}

typedef struct layouts {
    fx_dims input, kernel, output;
    int64_t x[FX_MAX_RANK], w[FX_MAX_RANK], y[FX_MAX_RANK];
} layouts;

static void read_axis(fxi_conv *c, const fx_node *node, const layouts *l, int i) {
    int64_t xa = l->input.v[i + 2], wa = l->kernel.v[i + 2], ya = l->output.v[i + 2];
    c->axis[c->rank++] = (fxi_conv_axis){.in = node->operands[0]->shape.dims[xa],
                                         .out = node->shape.dims[ya],
                                         .kernel = node->operands[1]->shape.dims[wa],
                                         .stride = fxi_node_ints(node, FXI_ATTR_STRIDES).v[i],
                                         .dilation = fxi_node_ints(node, FXI_ATTR_KERNEL_DILATION).v[i],
                                         .low = fxi_node_ints(node, FXI_ATTR_LOW).v[i],
                                         .spread = fxi_node_ints(node, FXI_ATTR_INPUT_DILATION).v[i],
                                         .x = l->x[xa],
                                         .w = l->w[wa],
                                         .y = l->y[ya],
                                         .reversed = fxi_node_ints(node, FXI_ATTR_REVERSED).v[i] != 0};
}

/* Small groups become lanes, one for each feature; then there is one group, whose features are those of
 * all. */
static void join_groups(fxi_conv *c) {
    c->repeat = c->features;
    if (c->groups == 1 || c->channels > MOST_CHANNELS || c->features > MOST_REPEATS || c->planes > 1) return;
    c->lanewise = true;
    c->features *= c->groups;
    c->groups = 1;
}

void fxi_conv_read(fxi_conv *c, const fx_node *node) {
    const fx_shape *x = &node->operands[0]->shape, *kernel = &node->operands[1]->shape;
    layouts l = {fxi_node_ints(node, FXI_ATTR_INPUT_LAYOUT),
                 fxi_node_ints(node, FXI_ATTR_KERNEL_LAYOUT),
                 fxi_node_ints(node, FXI_ATTR_OUTPUT_LAYOUT),
                 {0},
                 {0},
                 {0}};
    dense_strides(x, l.x), dense_strides(kernel, l.w), dense_strides(&node->shape, l.y);
    int64_t batch_groups = fxi_node_int(node, FXI_ATTR_BATCH_GROUPS), batch = node->shape.dims[l.output.v[0]];
    c->groups = batch_groups * fxi_node_int(node, FXI_ATTR_FEATURE_GROUPS);
    c->channels = kernel->dims[l.kernel.v[1]];
    c->features = kernel->dims[l.kernel.v[0]] / c->groups;
    c->x_channel = l.x[l.input.v[1]];
    c->w_channel = l.w[l.kernel.v[1]];
    c->w_feature = l.w[l.kernel.v[0]];
    c->y_feature = l.y[l.output.v[1]];
    c->x_group = batch_groups > 1 ? batch * l.x[l.input.v[0]] : c->channels * c->x_channel;
    c->w_group = c->features * c->w_feature;
    c->y_group = c->features * c->y_feature;
    c->axis[c->rank++] = (fxi_conv_axis){.in = batch,
                                         .out = batch,
                                         .kernel = 1,
                                         .stride = 1,
                                         .dilation = 1,
                                         .spread = 1,
                                         .x = l.x[l.input.v[0]],
                                         .y = l.y[l.output.v[0]]};
    for (int i = 0; i < node->shape.rank - 2; i++) read_axis(c, node, &l, i);
    join_groups(c);
}

/* Result o = remainder + j spread meets tap k where o + k dilation - low is a multiple of the spread: every
 * step-th tap from some first one on, at element j + t step dilation / spread + ... of the input. */
static void take_axis(fxi_conv *c, fxi_conv_axis *a, int64_t remainder) {
    int64_t step = a->spread / fxi_conv_gcd(a->dilation, a->spread), first = 0, at;
    while (first < step && (remainder + first * a->dilation - a->low) % a->spread != 0) first++;
    at = remainder + first * a->dilation - a->low;
    int64_t taps = first < step && first < a->kernel ? (a->kernel - 1 - first) / step + 1 : 0;
    c->w_start += (a->reversed ? a->kernel - 1 - first - (taps - 1) * step : first) * a->w;
    c->y_start += remainder * a->y;
    a->out = remainder < a->out ? (a->out - 1 - remainder) / a->spread + 1 : 0;
    a->y *= a->spread;
    a->w *= step;
    a->kernel = taps;
    a->dilation = step * a->dilation / a->spread;
    a->low = taps > 0 ? -(at / a->spread) : 0;
    a->spread = 1;
}

void fxi_conv_take_phase(fxi_conv *c, const int64_t *remainders) {
    c->is_phase = true;
    for (int i = 1; i < c->rank; i++)
        if (fxi_conv_has_phases(&c->axis[i])) take_axis(c, &c->axis[i], remainders[i - 1]);
}

bool fxi_conv_locate(const fxi_conv_axis *axis, int64_t at, int64_t *offset) {
    at -= axis->low;
    if (at < 0 || at % axis->spread != 0 || at / axis->spread >= axis->in) return false;
    *offset += at / axis->spread * axis->x;
    return true;
}

int64_t fxi_conv_tap(const fxi_conv *c, int64_t tap) {
    int64_t offset = 0;
    for (int i = c->rank - 1; i >= 0; i--) {
        const fxi_conv_axis *a = &c->axis[i];
        int64_t at = tap % a->kernel;
        tap /= a->kernel;
        offset += (a->reversed ? a->kernel - 1 - at : at) * a->w;
    }
    return offset;
}

/* ---- dropping, merging ---- */

static void remove_axis(fxi_conv *c, int axis) {
    for (int i = axis; i + 1 < c->rank; i++) c->axis[i] = c->axis[i + 1];
    c->rank--;
}

static bool is_single(const fxi_conv_axis *a) {
    return a->in == 1 && a->out == 1 && a->kernel == 1 && a->low == 0;
}

/* The result's places are the input's. */
static bool is_plain(const fxi_conv_axis *a) {
    return a->kernel == 1 && a->stride == 1 && a->low == 0 && a->spread == 1 && a->in == a->out;
}

static bool merge_one(fxi_conv *c) {
    for (int i = 0; i < c->rank; i++)
        for (int j = 0; j < c->rank; j++) {
            fxi_conv_axis *outer = &c->axis[i], *inner = &c->axis[j];
            if (i == j || !is_plain(outer) || !is_plain(inner)) continue;
            if (outer->x != inner->x * inner->in || outer->y != inner->y * inner->out) continue;
            inner->in = inner->out = inner->in * outer->in;
            remove_axis(c, i);
            return true;
        }
    return false;
}

/* ---- ordering ---- */

static void move_to(fxi_conv *c, int axis, int place) {
    fxi_conv_axis moved = c->axis[axis];
    for (int i = axis; i < place; i++) c->axis[i] = c->axis[i + 1];
    c->axis[place] = moved;
}

/* The last axis that fills at least half of each tile, else the one that fills most. */
static int find_tile_axis(const fxi_conv *c, int64_t most) {
    int best = c->rank - 1;
    int64_t best_rows = 0;
    for (int i = c->rank - 1; i >= 0; i--) {
        int64_t rows = c->axis[i].out / fxi_size_ceil_div(c->axis[i].out, most);
        if (2 * rows >= most) return i;
        if (rows <= best_rows) continue;
        best_rows = rows;
        best = i;
    }
    return best;
}

/* The last of the others across which the kernel looks: a strip of several of its rows shares input. */
static int find_row_axis(const fxi_conv *c) {
    for (int i = c->rank - 2; i >= 0; i--)
        if (c->axis[i].kernel > 1) return i;
    return c->rank - 2;
}

void fxi_conv_order(fxi_conv *c, int64_t most) {
    const fxi_conv_axis single = {.in = 1, .out = 1, .kernel = 1, .stride = 1, .dilation = 1, .spread = 1};
    for (int i = c->rank - 1; i >= 0; i--)
        if (is_single(&c->axis[i])) remove_axis(c, i);
    while (merge_one(c)) continue;
    if (c->rank > 0) move_to(c, find_tile_axis(c, most), c->rank - 1);
    for (; c->rank < 2; c->rank++) {
        if (c->rank == 1) c->axis[1] = c->axis[0];
        c->axis[0] = single;
    }
    move_to(c, find_row_axis(c), c->rank - 2);
}
