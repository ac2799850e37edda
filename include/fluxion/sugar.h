/* SPDX-License-Identifier: Apache-2.0 */
/* Short forms for the spans that builders take, spelt alike in C11 and C++17:
 *
 *     fx_reduce_sum(x, FX_AXES(0, -1))         fx_reshape(x, FX_DIMS(2, -1))
 *     fx_concatenate(FX_NODES(a, b), 0)        fx_parameter(graph, &FX_SHAPE(FX_F32, 2, 3))
 *
 * An empty list is allowed everywhere. Dimensions and sizes may be of any integer type, axes are ints. In
 * C the memory lives to the end of the enclosing block; in C++ to the end of the full expression, so there
 * a span must not be stored. */
#ifndef FLUXION_SUGAR_H
#define FLUXION_SUGAR_H

#include <fluxion/graph.h>

#ifndef __cplusplus

/* Whether the expansion of the arguments has a comma outside parentheses: 1 or 0. */
#define FX_THIRD_(a, b, c, ...) c
#define FX_HAS_COMMA_(...) FX_THIRD_(__VA_ARGS__, 1, 0, )
#define FX_COMMA_(...) ,
/* Any integer as int64_t without a warning; the operator refuses everything else. */
#define FX_INT64_(a) (int64_t)(0 | (a))
/* The same for the last of a list, which is missing from an empty one. FX_COMMA_ before it and () behind
 * make a comma of nothing, and FX_COMMA_ alone makes one of what begins with a parenthesis. */
#define FX_LAST_(a) FX_LAST_OF_(FX_HAS_COMMA_(FX_COMMA_ a), FX_HAS_COMMA_(FX_COMMA_ a ()), a)
#define FX_LAST_OF_(parenthesis, comma, a) FX_LAST_IF_(parenthesis, comma, a)
#define FX_LAST_IF_(parenthesis, comma, a) FX_LAST_##parenthesis##comma##_(a)
#define FX_LAST_00_(a) FX_INT64_(a)
#define FX_LAST_11_(a) FX_INT64_(a)
#define FX_LAST_01_(a)
/* The arguments after the first, each as int64_t; at most 24. */
#define FX_I0_(first)
#define FX_I1_(first, a) FX_LAST_(a)
#define FX_I2_(first, a, ...) FX_INT64_(a), FX_I1_(first, __VA_ARGS__)
#define FX_I3_(first, a, ...) FX_INT64_(a), FX_I2_(first, __VA_ARGS__)
#define FX_I4_(first, a, ...) FX_INT64_(a), FX_I3_(first, __VA_ARGS__)
#define FX_I5_(first, a, ...) FX_INT64_(a), FX_I4_(first, __VA_ARGS__)
#define FX_I6_(first, a, ...) FX_INT64_(a), FX_I5_(first, __VA_ARGS__)
#define FX_I7_(first, a, ...) FX_INT64_(a), FX_I6_(first, __VA_ARGS__)
#define FX_I8_(first, a, ...) FX_INT64_(a), FX_I7_(first, __VA_ARGS__)
#define FX_I9_(first, a, ...) FX_INT64_(a), FX_I8_(first, __VA_ARGS__)
#define FX_I10_(first, a, ...) FX_INT64_(a), FX_I9_(first, __VA_ARGS__)
#define FX_I11_(first, a, ...) FX_INT64_(a), FX_I10_(first, __VA_ARGS__)
#define FX_I12_(first, a, ...) FX_INT64_(a), FX_I11_(first, __VA_ARGS__)
#define FX_I13_(first, a, ...) FX_INT64_(a), FX_I12_(first, __VA_ARGS__)
#define FX_I14_(first, a, ...) FX_INT64_(a), FX_I13_(first, __VA_ARGS__)
#define FX_I15_(first, a, ...) FX_INT64_(a), FX_I14_(first, __VA_ARGS__)
#define FX_I16_(first, a, ...) FX_INT64_(a), FX_I15_(first, __VA_ARGS__)
#define FX_I17_(first, a, ...) FX_INT64_(a), FX_I16_(first, __VA_ARGS__)
#define FX_I18_(first, a, ...) FX_INT64_(a), FX_I17_(first, __VA_ARGS__)
#define FX_I19_(first, a, ...) FX_INT64_(a), FX_I18_(first, __VA_ARGS__)
#define FX_I20_(first, a, ...) FX_INT64_(a), FX_I19_(first, __VA_ARGS__)
#define FX_I21_(first, a, ...) FX_INT64_(a), FX_I20_(first, __VA_ARGS__)
#define FX_I22_(first, a, ...) FX_INT64_(a), FX_I21_(first, __VA_ARGS__)
#define FX_I23_(first, a, ...) FX_INT64_(a), FX_I22_(first, __VA_ARGS__)
#define FX_I24_(first, a, ...) FX_INT64_(a), FX_I23_(first, __VA_ARGS__)
#define FX_AT25_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, \
    a20, a21, a22, a23, a24, name, ...) name
#define FX_INT64S_(...) FX_AT25_(__VA_ARGS__, FX_I24_, FX_I23_, FX_I22_, FX_I21_, FX_I20_, FX_I19_, FX_I18_, \
    FX_I17_, FX_I16_, FX_I15_, FX_I14_, FX_I13_, FX_I12_, FX_I11_, FX_I10_, FX_I9_, FX_I8_, FX_I7_, FX_I6_, \
    FX_I5_, FX_I4_, FX_I3_, FX_I2_, FX_I1_, FX_I0_, )(__VA_ARGS__)
/* A row of int64_t and its length; the 0 before it lets it be empty. */
#define FX_ROW_(...) ((const int64_t[]){0, FX_INT64S_(__VA_ARGS__)} + 1)
#define FX_ROW_LENGTH_(...) (sizeof((const int64_t[]){0, FX_INT64S_(__VA_ARGS__)}) / sizeof(int64_t) - 1)
#define FX_FIRST_(a, ...) (a)

/* An fx_axes; negative axes count from the end. */
#define FX_AXES(...)                                                                                         \
    ((fx_axes){(const int[]){0, __VA_ARGS__} + 1, sizeof((const int[]){0, __VA_ARGS__}) / sizeof(int) - 1})
/* An fx_dims: dimensions, or other sizes, of any integer type. */
#define FX_DIMS(...) ((fx_dims){FX_ROW_(0, __VA_ARGS__), FX_ROW_LENGTH_(0, __VA_ARGS__)})
/* An fx_nodes. */
#define FX_NODES(...)                                                                                        \
    ((fx_nodes){(fx_node *const[]){NULL, __VA_ARGS__} + 1,                                                   \
                sizeof((fx_node *const[]){NULL, __VA_ARGS__}) / sizeof(fx_node *) - 1})
/* An fx_shape, as fx_shape_make gives it; its address may be taken. No dimensions: a scalar. */
#define FX_SHAPE(...)                                                                                        \
    (*(const fx_shape[]){                                                                                    \
        fx_shape_make(FX_FIRST_(__VA_ARGS__, ), FX_ROW_(__VA_ARGS__), FX_ROW_LENGTH_(__VA_ARGS__))})

#else

#include <initializer_list>
#include <type_traits>

struct fx_axes_cxx {
    std::initializer_list<int> list;
    operator fx_axes() const { return fx_axes{list.begin(), list.size()}; }
};
template <size_t N> struct fx_dims_cxx {
    int64_t v[N + 1];
    operator fx_dims() const { return fx_dims{v, N}; }
};
template <class T> constexpr int64_t fx_dim_of(T value) {
    static_assert(std::is_integral<T>::value || std::is_enum<T>::value, "dimensions and sizes are integers");
    return static_cast<int64_t>(value);
}
template <class... D> constexpr fx_dims_cxx<sizeof...(D)> fx_dims_of(D... dims) {
    return {{fx_dim_of(dims)..., 0}};
}
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
    return fx_shape_cxx(type, {fx_dim_of(dims)...});
}
#define FX_AXES(...) (fx_axes_cxx{{__VA_ARGS__}})
#define FX_DIMS(...) (fx_dims_of(__VA_ARGS__))
#define FX_NODES(...) (fx_nodes_cxx{{__VA_ARGS__}})
#define FX_SHAPE(...) (fx_shape_of(__VA_ARGS__))

#endif
#endif
