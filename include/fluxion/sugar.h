/* SPDX-License-Identifier: Apache-2.0 */
/* Short forms for the spans that builders take, spelt alike in C11 and C++17:
 *
 *     fx_reduce_sum(x, FX_AXES(0, -1))         fx_reshape(x, FX_DIMS(2, -1))
 *     fx_concatenate(FX_NODES(a, b), 0)        fx_parameter(graph, &FX_SHAPE(FX_F32, 2, 3))
 *
 * An empty list is allowed everywhere. In C the memory lives to the end of the enclosing block; in C++ to the end of
 * the full expression, so there a span must not be stored. Values are converted as an initializer converts them. */
#ifndef FLUXION_SUGAR_H
#define FLUXION_SUGAR_H

#include <fluxion/graph.h>

#ifndef __cplusplus

/* The first element only lets the list be empty. */
#define FX_LIST_(T, first, ...) ((const T[]){first, __VA_ARGS__} + 1)
#define FX_COUNT_(T, first, ...) (sizeof((const T[]){first, __VA_ARGS__}) / sizeof(T) - 1)

/* An fx_axes; negative axes count from the end. */
#define FX_AXES(...) ((fx_axes){FX_LIST_(int, 0, __VA_ARGS__), FX_COUNT_(int, 0, __VA_ARGS__)})
/* An fx_dims: dimensions, or other 64-bit sizes. */
#define FX_DIMS(...) ((fx_dims){FX_LIST_(int64_t, 0, __VA_ARGS__), FX_COUNT_(int64_t, 0, __VA_ARGS__)})
/* An fx_nodes. */
#define FX_NODES(...)                                                                                        \
    ((fx_nodes){(fx_node *const[]){NULL, __VA_ARGS__} + 1,                                                   \
                sizeof((fx_node *const[]){NULL, __VA_ARGS__}) / sizeof(fx_node *) - 1})
/* An fx_shape, as fx_shape_make gives it; its address may be taken. No dimensions: a scalar. */
#define FX_SHAPE(...) (*(const fx_shape[]){FX_SHAPE_(__VA_ARGS__, )})
#define FX_SHAPE_(dtype, ...)                                                                                \
    fx_shape_make((dtype), (const int64_t[]){0, __VA_ARGS__} + 1,                                            \
                  sizeof((const int64_t[]){0, __VA_ARGS__}) / sizeof(int64_t) - 1)

#else

#include <initializer_list>

struct fx_axes_cxx {
    std::initializer_list<int> list;
    operator fx_axes() const { return fx_axes{list.begin(), list.size()}; }
};
struct fx_dims_cxx {
    std::initializer_list<int64_t> list;
    operator fx_dims() const { return fx_dims{list.begin(), list.size()}; }
};
struct fx_nodes_cxx {
    std::initializer_list<fx_node *> list;
    operator fx_nodes() const { return fx_nodes{list.begin(), list.size()}; }
};
struct fx_shape_cxx : fx_shape {
    fx_shape_cxx(fx_dtype type, std::initializer_list<int64_t> list)
        : fx_shape(fx_shape_make(type, list.begin(), list.size())) {}
    const fx_shape *operator&() const { return this; }
};
template <class... D> inline fx_shape_cxx fx_shape_of(fx_dtype type, D... dims) {
    return fx_shape_cxx(type, {static_cast<int64_t>(dims)...});
}
#define FX_AXES(...) (fx_axes_cxx{{__VA_ARGS__}})
#define FX_DIMS(...) (fx_dims_cxx{{__VA_ARGS__}})
#define FX_NODES(...) (fx_nodes_cxx{{__VA_ARGS__}})
#define FX_SHAPE(...) (fx_shape_of(__VA_ARGS__))

#endif
#endif
