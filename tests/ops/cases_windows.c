/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of windows, pools and interpolation. */
#include "ops/cases.h"

/* "low" and "high", one number an axis, as paddings. */
static fx_pads pads_of(const golden_case *c, fx_pad_axis *pads) {
    golden_list low = golden_ints(c, "low"), high = golden_ints(c, "high");
    for (size_t i = 0; i < low.n; i++) pads[i] = (fx_pad_axis){low.v[i], high.v[i], 0};
    return (fx_pads){pads, low.n};
}

static fx_window_kind kind_of(const golden_case *c) {
    static const char *const words[] = {"sum", "product", "max", "min", "and", "or", "xor"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcmp(words[i], golden_word(c, "kind", "")) == 0) return (fx_window_kind)i;
    fail_msg("%s:%d: no kind", c->file, c->line);
    return FX_WINDOW_SUM;
}

void case_reduce_window(const case_args *a) {
    golden_list window = golden_ints(a->c, "window"), strides = golden_ints(a->c, "strides"),
                base = golden_ints(a->c, "base"), dilation = golden_ints(a->c, "dilation");
    fx_pad_axis pads[GOLDEN_LIST];
    const fx_window_options options = {.window = GOLDEN_DIMS(window),
                                       .strides = GOLDEN_DIMS(strides),
                                       .base_dilations = GOLDEN_DIMS(base),
                                       .window_dilations = GOLDEN_DIMS(dilation),
                                       .paddings = pads_of(a->c, pads)};
    a->out[0] = a->n_in == 1 ? fx_reduce_window(a->in[0], kind_of(a->c), &options)
                             : fx_select_and_scatter(a->in[0], a->in[1], kind_of(a->c), &options);
}

typedef struct pool_lists {
    golden_list window, strides;
    fx_pad_axis pads[GOLDEN_LIST];
} pool_lists;

static fx_pool_options pool_options(const golden_case *c, pool_lists *l) {
    l->window = golden_ints(c, "window");
    l->strides = golden_ints(c, "strides");
    return (fx_pool_options){.window = GOLDEN_DIMS(l->window),
                             .strides = GOLDEN_DIMS(l->strides),
                             .paddings = pads_of(c, l->pads),
                             .pad_same = golden_int(c, "same", 0),
                             .channels_first = golden_int(c, "first", 0),
                             .full_shape = golden_int(c, "full", 0)};
}

#define POOL(word)                                                                                           \
    void case_##word##_pool(const case_args *a) {                                                            \
        pool_lists l;                                                                                        \
        const fx_pool_options options = pool_options(a->c, &l);                                              \
        a->out[0] = fx_##word##_pool(a->in[0], &options);                                                    \
    }
POOL(max)
POOL(min)
POOL(sum)
POOL(mean)
POOL(concat)

void case_lp_pool(const case_args *a) {
    pool_lists l;
    const fx_pool_options options = pool_options(a->c, &l);
    a->out[0] = fx_lp_pool(a->in[0], golden_real(a->c, "p", 2), &options);
}

void case_adaptive_mean_pool(const case_args *a) {
    golden_list sizes = golden_ints(a->c, "sizes");
    a->out[0] = fx_adaptive_mean_pool(a->in[0], GOLDEN_DIMS(sizes), golden_int(a->c, "first", 0));
}
void case_adaptive_max_pool(const case_args *a) {
    golden_list sizes = golden_ints(a->c, "sizes");
    a->out[0] = fx_adaptive_max_pool(a->in[0], GOLDEN_DIMS(sizes), golden_int(a->c, "first", 0));
}

void case_interpolate(const case_args *a) {
    golden_list sizes = golden_ints(a->c, "sizes");
    const fx_interpolate_options options = {.nearest = golden_int(a->c, "nearest", 0),
                                            .align_corners = golden_int(a->c, "align", 0),
                                            .half_pixel_centers = (int)golden_int(a->c, "half", 0)};
    a->out[0] = fx_interpolate(a->in[0], GOLDEN_DIMS(sizes), &options);
}
