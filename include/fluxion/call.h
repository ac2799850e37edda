/* SPDX-License-Identifier: Apache-2.0 */
/* Sugar for calls: values and calls in one expression, in C11 and in C++17. Everything here is made of the
 * functions of exec.h and tensor.h; a binding needs none of it. The spans and values made by these
 * macros are not to be stored: in C++ they end with the full expression, in C with the enclosing block. The
 * dimensions given to FX_HOST are believed: the memory must hold so many numbers.
 *
 *   FX_VEC(double, 1, 2)            an fx_vec: C values; FX_VEC(float, 0.5f) with the suffix, or -Wconversion
 *                                   warns
 *   FX_HOST(m, 2, 3)                an fx_host: a nested array, row-major; m is an array of up to three
 *                                   dimensions, or a pointer to the first number
 *   FX_ARG(x)                       an fx_arg: of every C integer, bool, float, double, their complex types,
 *                                   fx_vec, fx_host, fx_tensor *, fx_arg (from fx_donate)
 *   fx_exec_new(backend, f, err)    an executable, chosen by the type of the graph function f: 0 to 6 nodes
 *                                   -> node
 *   fx_exec_new_outputs(backend, f, n_out, err)     the same for f: 0 to 6 nodes, fx_node **out -> void
 *   fx_call1(exec, err, x...)                       one output, returned; up to 16 arguments x
 *   fx_call2(exec, &second, err, x...)              two outputs: the first returned
 *   fx_call3(exec, &second, &third, err, x...)      three
 *   fx_call(exec, out, n_out, err, x...)            any number, into out[]; true when it worked
 *
 * An error of a call has the place of the call, unless it is known more exactly: the place of the
 * operation that could not be built. FX_NO_CALL_SITES leaves the places out.
 */
#ifndef FLUXION_CALL_H
#define FLUXION_CALL_H

#include <fluxion/exec.h>
#include <fluxion/sugar.h>

#ifdef FX_NO_CALL_SITES
#define FX_PLACE_ NULL, 0
#else
#define FX_PLACE_ __FILE__, __LINE__
#endif

/* What the short forms of the calls become: several outputs in several variables. All are NULL on failure. */
static inline fx_tensor *fx_call1_at_(const char *file, int line, fx_exec *exec, const fx_arg *args, size_t n,
                                      fx_error *err) {
    fx_tensor *out = NULL;
    return fx_exec_call_at(exec, args, n, &out, 1, file, line, err) ? out : NULL;
}
static inline fx_tensor *fx_call2_at_(const char *file, int line, fx_exec *exec, fx_tensor **second,
                                      const fx_arg *args, size_t n, fx_error *err) {
    fx_tensor *out[2] = {NULL, NULL};
    fx_exec_call_at(exec, args, n, second ? out : NULL, 2, file, line, err);
    if (second) *second = out[1];
    return out[0];
}
static inline fx_tensor *fx_call3_at_(const char *file, int line, fx_exec *exec, fx_tensor **second,
                                      fx_tensor **third, const fx_arg *args, size_t n, fx_error *err) {
    fx_tensor *out[3] = {NULL, NULL, NULL};
    fx_exec_call_at(exec, args, n, second && third ? out : NULL, 3, file, line, err);
    if (second) *second = out[1];
    if (third) *third = out[2];
    return out[0];
}
static inline bool fx_call_at_(const char *file, int line, fx_exec *exec, fx_tensor **out, size_t n_out,
                               const fx_arg *args, size_t n, fx_error *err) {
    return fx_exec_call_at(exec, args, n, out, n_out, file, line, err);
}

#ifndef __cplusplus /* ---------------------------------------------------------------- C11 */

#include <string.h>

/* What a wrong type meets: the compiler's message names the struct or the function, and so the remedy. */
struct FX_VEC_takes_a_type_of_numbers {
    int unused;
};
struct FX_HOST_takes_an_array_or_a_pointer_to_its_first_number {
    int unused;
};

#define FX_DTYPE_OF(T)                                                                                       \
    _Generic((T *)0,                                                                                         \
        bool *: FX_BOOL,                                                                                     \
        signed char *: FX_S8,                                                                                \
        char *: FX_S8,                                                                                       \
        short *: FX_S16,                                                                                     \
        int *: FX_S32,                                                                                       \
        long *: FX_S64,                                                                                      \
        long long *: FX_S64,                                                                                 \
        unsigned char *: FX_U8,                                                                              \
        unsigned short *: FX_U16,                                                                            \
        unsigned *: FX_U32,                                                                                  \
        unsigned long *: FX_U64,                                                                             \
        unsigned long long *: FX_U64,                                                                        \
        float *: FX_F32,                                                                                     \
        double *: FX_F64,                                                                                    \
        float _Complex *: FX_C64,                                                                            \
        double _Complex *: FX_C128,                                                                          \
        default: (struct FX_VEC_takes_a_type_of_numbers){0})
/* The dtype of what p points at, or else `other`. */
#define FX_POINTED_(p, other)                                                                                \
    _Generic((p),                                                                                            \
        bool *: FX_BOOL,                                                                                     \
        const bool *: FX_BOOL,                                                                               \
        signed char *: FX_S8,                                                                                \
        const signed char *: FX_S8,                                                                          \
        char *: FX_S8,                                                                                       \
        const char *: FX_S8,                                                                                 \
        short *: FX_S16,                                                                                     \
        const short *: FX_S16,                                                                               \
        int *: FX_S32,                                                                                       \
        const int *: FX_S32,                                                                                 \
        long *: FX_S64,                                                                                      \
        const long *: FX_S64,                                                                                \
        long long *: FX_S64,                                                                                 \
        const long long *: FX_S64,                                                                           \
        unsigned char *: FX_U8,                                                                              \
        const unsigned char *: FX_U8,                                                                        \
        unsigned short *: FX_U16,                                                                            \
        const unsigned short *: FX_U16,                                                                      \
        unsigned *: FX_U32,                                                                                  \
        const unsigned *: FX_U32,                                                                            \
        unsigned long *: FX_U64,                                                                             \
        const unsigned long *: FX_U64,                                                                       \
        unsigned long long *: FX_U64,                                                                        \
        const unsigned long long *: FX_U64,                                                                  \
        float *: FX_F32,                                                                                     \
        const float *: FX_F32,                                                                               \
        double *: FX_F64,                                                                                    \
        const double *: FX_F64,                                                                              \
        float _Complex *: FX_C64,                                                                            \
        const float _Complex *: FX_C64,                                                                      \
        double _Complex *: FX_C128,                                                                          \
        const double _Complex *: FX_C128,                                                                    \
        default: other)
/* One dimension of an array off. What has none becomes a char, so that the expression is valid for every
 * type. */
#define FX_INSIDE_(p)                                                                                        \
    (*_Generic((p),                                                                                          \
         void *: (char *)0,                                                                                  \
         const void *: (char *)0,                                                                            \
         bool: (char *)0,                                                                                    \
         signed char: (char *)0,                                                                             \
         char: (char *)0,                                                                                    \
         short: (char *)0,                                                                                   \
         int: (char *)0,                                                                                     \
         long: (char *)0,                                                                                    \
         long long: (char *)0,                                                                               \
         unsigned char: (char *)0,                                                                           \
         unsigned short: (char *)0,                                                                          \
         unsigned: (char *)0,                                                                                \
         unsigned long: (char *)0,                                                                           \
         unsigned long long: (char *)0,                                                                      \
         float: (char *)0,                                                                                   \
         double: (char *)0,                                                                                  \
         float _Complex: (char *)0,                                                                          \
         double _Complex: (char *)0,                                                                         \
         default: (p)))
/* `then` for an array, which a comma turns into a pointer; not for a pointer, whose target is somewhere
 * else. */
#define FX_IF_ARRAY_(e, then)                                                                                \
    __builtin_choose_expr(!__builtin_types_compatible_p(__typeof__(e), __typeof__(((void)0, (e)))), then,    \
                          FX_NO_HOST_)
#define FX_NO_HOST_ ((struct FX_HOST_takes_an_array_or_a_pointer_to_its_first_number){0})
#define FX_DTYPE_AT(p) FX_POINTED_((p), FX_IF_ARRAY_(FX_INSIDE_(p), FX_DTYPE_IN_(FX_INSIDE_(p))))
#define FX_DTYPE_IN_(e)                                                                                      \
    FX_POINTED_(e, FX_IF_ARRAY_(FX_INSIDE_(e), FX_POINTED_(FX_INSIDE_(e), FX_NO_HOST_)))

#define FX_VEC(T, ...)                                                                                       \
    ((fx_vec){(const T[]){__VA_ARGS__}, sizeof((const T[]){__VA_ARGS__}) / sizeof(T), FX_DTYPE_OF(T)})
#define FX_HOST(...)                                                                                         \
    ((fx_host){.dtype = FX_DTYPE_AT(FX_FIRST_(__VA_ARGS__, )),                                               \
               .data = FX_FIRST_(__VA_ARGS__, ),                                                             \
               .dims = FX_ROW_(__VA_ARGS__),                                                                 \
               .rank = FX_ROW_LENGTH_(__VA_ARGS__)})

static inline fx_arg fx_arg_int(fx_dtype dtype, int64_t v) {
    fx_arg a = {FX_ARG_SCALAR, dtype, {0}};
    a.u.i = v;
    return a;
}
static inline fx_arg fx_arg_bool(bool v) { return fx_arg_int(FX_BOOL, v); }
static inline fx_arg fx_arg_s8(signed char v) { return fx_arg_int(FX_S8, v); }
static inline fx_arg fx_arg_s16(short v) { return fx_arg_int(FX_S16, v); }
static inline fx_arg fx_arg_u8(unsigned char v) { return fx_arg_int(FX_U8, v); }
static inline fx_arg fx_arg_u16(unsigned short v) { return fx_arg_int(FX_U16, v); }
static inline fx_arg fx_arg_s32(int v) { return fx_arg_int(FX_S32, v); }
static inline fx_arg fx_arg_s64(long long v) { return fx_arg_int(FX_S64, v); }
static inline fx_arg fx_arg_u32(unsigned v) { return fx_arg_int(FX_U32, (int64_t)v); }
static inline fx_arg fx_arg_u64(unsigned long long v) { return fx_arg_int(FX_U64, (int64_t)v); }
static inline fx_arg fx_arg_f32(float v) { fx_arg a = {FX_ARG_SCALAR, FX_F32, {0}}; a.u.f32 = v; return a; }
static inline fx_arg fx_arg_f64(double v) { fx_arg a = {FX_ARG_SCALAR, FX_F64, {0}}; a.u.f64 = v; return a; }
static inline fx_arg fx_arg_c64(float _Complex v) {
    fx_arg a = {FX_ARG_SCALAR, FX_C64, {0}};
    memcpy(a.u.c64, &v, sizeof v);
    return a;
}
static inline fx_arg fx_arg_c128(double _Complex v) {
    fx_arg a = {FX_ARG_SCALAR, FX_C128, {0}};
    memcpy(a.u.c128, &v, sizeof v);
    return a;
}
static inline fx_arg fx_arg_vec(fx_vec v) { fx_arg a = {FX_ARG_VEC, v.dtype, {0}}; a.u.vec = v; return a; }
static inline fx_arg fx_arg_host(fx_host v) {
    fx_arg a = {FX_ARG_HOST, v.dtype, {0}};
    a.u.host = v;
    return a;
}
static inline fx_arg fx_arg_tensor(const fx_tensor *t) {
    fx_arg a = {FX_ARG_TENSOR, FX_INVALID_DTYPE, {0}};
    a.u.t = (fx_tensor *)(uintptr_t)t;
    return a;
}
static inline fx_arg fx_arg_self(fx_arg a) { return a; }
/* Never defined: a wrong argument makes the compiler name the function or the type of its parameter. */
struct an_argument_is_a_number_or_FX_VEC_or_FX_HOST_or_a_tensor {
    int unused;
};
fx_arg an_argument_is_a_number_or_FX_VEC_or_FX_HOST_or_a_tensor(
    struct an_argument_is_a_number_or_FX_VEC_or_FX_HOST_or_a_tensor x);
#define FX_ARG(x)                                                                                            \
    _Generic((x),                                                                                            \
        bool: fx_arg_bool,                                                                                   \
        signed char: fx_arg_s8,                                                                              \
        char: fx_arg_s8,                                                                                     \
        short: fx_arg_s16,                                                                                   \
        int: fx_arg_s32,                                                                                     \
        long: fx_arg_s64,                                                                                    \
        long long: fx_arg_s64,                                                                               \
        unsigned char: fx_arg_u8,                                                                            \
        unsigned short: fx_arg_u16,                                                                          \
        unsigned: fx_arg_u32,                                                                                \
        unsigned long: fx_arg_u64,                                                                           \
        unsigned long long: fx_arg_u64,                                                                      \
        float: fx_arg_f32,                                                                                   \
        double: fx_arg_f64,                                                                                  \
        float _Complex: fx_arg_c64,                                                                          \
        double _Complex: fx_arg_c128,                                                                        \
        fx_vec: fx_arg_vec,                                                                                  \
        fx_host: fx_arg_host,                                                                                \
        fx_tensor *: fx_arg_tensor,                                                                          \
        const fx_tensor *: fx_arg_tensor,                                                                    \
        fx_arg: fx_arg_self,                                                                                 \
        default: an_argument_is_a_number_or_FX_VEC_or_FX_HOST_or_a_tensor)(x)

/* The error is the first of "...", so that a call without arguments is legal C11. FX_ARGS_ gives "array,
 * count, error". */
#define FX_A1_(a) FX_ARG(a)
#define FX_A2_(a, ...) FX_ARG(a), FX_A1_(__VA_ARGS__)
#define FX_A3_(a, ...) FX_ARG(a), FX_A2_(__VA_ARGS__)
#define FX_A4_(a, ...) FX_ARG(a), FX_A3_(__VA_ARGS__)
#define FX_A5_(a, ...) FX_ARG(a), FX_A4_(__VA_ARGS__)
#define FX_A6_(a, ...) FX_ARG(a), FX_A5_(__VA_ARGS__)
#define FX_A7_(a, ...) FX_ARG(a), FX_A6_(__VA_ARGS__)
#define FX_A8_(a, ...) FX_ARG(a), FX_A7_(__VA_ARGS__)
#define FX_A9_(a, ...) FX_ARG(a), FX_A8_(__VA_ARGS__)
#define FX_A10_(a, ...) FX_ARG(a), FX_A9_(__VA_ARGS__)
#define FX_A11_(a, ...) FX_ARG(a), FX_A10_(__VA_ARGS__)
#define FX_A12_(a, ...) FX_ARG(a), FX_A11_(__VA_ARGS__)
#define FX_A13_(a, ...) FX_ARG(a), FX_A12_(__VA_ARGS__)
#define FX_A14_(a, ...) FX_ARG(a), FX_A13_(__VA_ARGS__)
#define FX_A15_(a, ...) FX_ARG(a), FX_A14_(__VA_ARGS__)
#define FX_A16_(a, ...) FX_ARG(a), FX_A15_(__VA_ARGS__)
#define FX_E0_(e) NULL, 0, (e)
#define FX_E1_(e, ...) (const fx_arg[]){FX_A1_(__VA_ARGS__)}, 1, (e)
#define FX_E2_(e, ...) (const fx_arg[]){FX_A2_(__VA_ARGS__)}, 2, (e)
#define FX_E3_(e, ...) (const fx_arg[]){FX_A3_(__VA_ARGS__)}, 3, (e)
#define FX_E4_(e, ...) (const fx_arg[]){FX_A4_(__VA_ARGS__)}, 4, (e)
#define FX_E5_(e, ...) (const fx_arg[]){FX_A5_(__VA_ARGS__)}, 5, (e)
#define FX_E6_(e, ...) (const fx_arg[]){FX_A6_(__VA_ARGS__)}, 6, (e)
#define FX_E7_(e, ...) (const fx_arg[]){FX_A7_(__VA_ARGS__)}, 7, (e)
#define FX_E8_(e, ...) (const fx_arg[]){FX_A8_(__VA_ARGS__)}, 8, (e)
#define FX_E9_(e, ...) (const fx_arg[]){FX_A9_(__VA_ARGS__)}, 9, (e)
#define FX_E10_(e, ...) (const fx_arg[]){FX_A10_(__VA_ARGS__)}, 10, (e)
#define FX_E11_(e, ...) (const fx_arg[]){FX_A11_(__VA_ARGS__)}, 11, (e)
#define FX_E12_(e, ...) (const fx_arg[]){FX_A12_(__VA_ARGS__)}, 12, (e)
#define FX_E13_(e, ...) (const fx_arg[]){FX_A13_(__VA_ARGS__)}, 13, (e)
#define FX_E14_(e, ...) (const fx_arg[]){FX_A14_(__VA_ARGS__)}, 14, (e)
#define FX_E15_(e, ...) (const fx_arg[]){FX_A15_(__VA_ARGS__)}, 15, (e)
#define FX_E16_(e, ...) (const fx_arg[]){FX_A16_(__VA_ARGS__)}, 16, (e)
#define FX_E17_(...) a_call_has_at_most_16_arguments_else_use_fx_exec_call
#define FX_PICK21_(e, a, b, c, d, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, name, ...) name
#define FX_ARGS_(...)                                                                                        \
    FX_PICK21_(__VA_ARGS__, FX_E17_, FX_E17_, FX_E17_, FX_E17_, FX_E16_, FX_E15_, FX_E14_, FX_E13_, FX_E12_, \
               FX_E11_, FX_E10_, FX_E9_, FX_E8_, FX_E7_, FX_E6_, FX_E5_, FX_E4_, FX_E3_, FX_E2_, FX_E1_,     \
               FX_E0_, 0)                                                                                    \
    (__VA_ARGS__)

#define fx_call1(exec, ...) fx_call1_at_(FX_PLACE_, (exec), FX_ARGS_(__VA_ARGS__))
#define fx_call2(exec, second, ...) fx_call2_at_(FX_PLACE_, (exec), (second), FX_ARGS_(__VA_ARGS__))
#define fx_call3(exec, second, third, ...)                                                                   \
    fx_call3_at_(FX_PLACE_, (exec), (second), (third), FX_ARGS_(__VA_ARGS__))
#define fx_call(exec, out, n_out, ...) fx_call_at_(FX_PLACE_, (exec), (out), (n_out), FX_ARGS_(__VA_ARGS__))

/* Never defined, as above. */
struct a_graph_function_takes_up_to_6_fx_node_pointers_and_returns_one {
    int unused;
};
fx_exec *a_graph_function_takes_up_to_6_fx_node_pointers_and_returns_one(
    fx_backend *backend, struct a_graph_function_takes_up_to_6_fx_node_pointers_and_returns_one f,
    fx_error *err);
struct a_graph_function_takes_up_to_6_fx_node_pointers_and_fx_node_pointer_out {
    int unused;
};
fx_exec *a_graph_function_takes_up_to_6_fx_node_pointers_and_fx_node_pointer_out(
    fx_backend *backend, struct a_graph_function_takes_up_to_6_fx_node_pointers_and_fx_node_pointer_out f,
    size_t n_out, fx_error *err);
#define fx_exec_new(backend, f, err)                                                                         \
    _Generic((f),                                                                                            \
        fx_fn0: fx_exec_new0,                                                                                \
        fx_fn1: fx_exec_new1,                                                                                \
        fx_fn2: fx_exec_new2,                                                                                \
        fx_fn3: fx_exec_new3,                                                                                \
        fx_fn4: fx_exec_new4,                                                                                \
        fx_fn5: fx_exec_new5,                                                                                \
        fx_fn6: fx_exec_new6,                                                                                \
        default: a_graph_function_takes_up_to_6_fx_node_pointers_and_returns_one)((backend), (f), (err))
#define fx_exec_new_outputs(backend, f, n_out, err)                                                          \
    _Generic((f),                                                                                            \
        fx_outputs_fn0: fx_exec_new_outputs0,                                                                \
        fx_outputs_fn1: fx_exec_new_outputs1,                                                                \
        fx_outputs_fn2: fx_exec_new_outputs2,                                                                \
        fx_outputs_fn3: fx_exec_new_outputs3,                                                                \
        fx_outputs_fn4: fx_exec_new_outputs4,                                                                \
        fx_outputs_fn5: fx_exec_new_outputs5,                                                                \
        fx_outputs_fn6: fx_exec_new_outputs6,                                                                \
        default: a_graph_function_takes_up_to_6_fx_node_pointers_and_fx_node_pointer_out)(                   \
        (backend), (f), (n_out), (err))

#else /* ---------------------------------------------------------------------------- C++17 */

#include <complex>
#include <initializer_list>
#include <type_traits>

template <class T> constexpr fx_dtype fx_dtype_of() {
    static_assert((std::is_arithmetic<T>::value && !std::is_same<T, long double>::value) ||
                      std::is_same<T, std::complex<float>>::value ||
                      std::is_same<T, std::complex<double>>::value,
                  "no dtype for this C++ type: FX_VEC and FX_HOST take numbers");
    if (std::is_same<T, bool>::value) return FX_BOOL;
    if (std::is_same<T, std::complex<float>>::value) return FX_C64;
    if (std::is_same<T, std::complex<double>>::value) return FX_C128;
    if (std::is_floating_point<T>::value) return sizeof(T) == 4 ? FX_F32 : FX_F64;
    if (std::is_signed<T>::value)
        return sizeof(T) == 1 ? FX_S8 : sizeof(T) == 2 ? FX_S16 : sizeof(T) == 4 ? FX_S32 : FX_S64;
    return sizeof(T) == 1 ? FX_U8 : sizeof(T) == 2 ? FX_U16 : sizeof(T) == 4 ? FX_U32 : FX_U64;
}
template <class T> struct fx_vec_cxx {
    std::initializer_list<T> list;
    operator fx_vec() const { return fx_vec{list.begin(), list.size(), fx_dtype_of<T>()}; }
};
#define FX_VEC(T, ...) (fx_vec_cxx<T>{{__VA_ARGS__}})
template <class T, size_t N> struct fx_host_cxx {
    const T *p;
    fx_dims_cxx<N> dims;
    operator fx_host() const {
        return fx_host{p, fx_dtype_of<typename std::remove_all_extents<T>::type>(), dims.v, N};
    }
};
template <class T, class... D> inline fx_host_cxx<T, sizeof...(D)> fx_host_of(const T *p, D... dims) {
    return {p, fx_dims_of(dims...)};
}
#define FX_HOST(...) (fx_host_of(__VA_ARGS__))

template <class T> inline typename std::enable_if<std::is_arithmetic<T>::value, fx_arg>::type fx_to_arg(T v) {
    fx_arg a{};
    a.kind = FX_ARG_SCALAR;
    a.dtype = fx_dtype_of<T>();
    if (a.dtype == FX_F64) a.u.f64 = static_cast<double>(v);
    else if (a.dtype == FX_F32) a.u.f32 = static_cast<float>(v);
    else a.u.i = static_cast<int64_t>(v);
    return a;
}
inline fx_arg fx_to_arg(std::complex<float> v) {
    fx_arg a{};
    a.kind = FX_ARG_SCALAR, a.dtype = FX_C64, a.u.c64[0] = v.real(), a.u.c64[1] = v.imag();
    return a;
}
inline fx_arg fx_to_arg(std::complex<double> v) {
    fx_arg a{};
    a.kind = FX_ARG_SCALAR, a.dtype = FX_C128, a.u.c128[0] = v.real(), a.u.c128[1] = v.imag();
    return a;
}
inline fx_arg fx_to_arg(const fx_tensor *t) {
    fx_arg a{};
    a.kind = FX_ARG_TENSOR;
    a.u.t = const_cast<fx_tensor *>(t);
    return a;
}
inline fx_arg fx_to_arg(const fx_arg &a) { return a; }
inline fx_arg fx_to_arg(const fx_vec &v) {
    fx_arg a{};
    a.kind = FX_ARG_VEC;
    a.dtype = v.dtype;
    a.u.vec = v;
    return a;
}
inline fx_arg fx_to_arg(const fx_host &v) {
    fx_arg a{};
    a.kind = FX_ARG_HOST;
    a.dtype = v.dtype;
    a.u.host = v;
    return a;
}
template <class T> inline fx_arg fx_to_arg(const fx_vec_cxx<T> &v) {
    return fx_to_arg(static_cast<fx_vec>(v));
}
template <class T, size_t N> inline fx_arg fx_to_arg(const fx_host_cxx<T, N> &v) {
    return fx_to_arg(static_cast<fx_host>(v));
}
template <class T> inline auto fx_arg_of(const T &x, int) -> decltype(fx_to_arg(x)) { return fx_to_arg(x); }
template <class T> inline fx_arg fx_arg_of(const T &, long) {
    static_assert(sizeof(T) == 0, "an argument is a number, FX_VEC, FX_HOST or a tensor");
    return fx_arg{};
}
#define FX_ARG(x) fx_arg_of((x), 0)

/* The error of a call, with the place where the conversion was written. */
struct fx_error_at {
    fx_error *err;
    const char *file;
    int line;
#ifdef FX_NO_CALL_SITES
    fx_error_at(fx_error *e) : err(e), file(nullptr), line(0) {}
#else
    fx_error_at(fx_error *e, const char *f = __builtin_FILE(), int l = __builtin_LINE())
        : err(e), file(f), line(l) {}
#endif
};
template <class... A> inline fx_tensor *fx_call1(fx_exec *exec, fx_error_at at, const A &...a) {
    const fx_arg args[] = {fx_arg_of(a, 0)..., fx_arg{}};
    return fx_call1_at_(at.file, at.line, exec, args, sizeof...(A), at.err);
}
template <class... A>
inline fx_tensor *fx_call2(fx_exec *exec, fx_tensor **second, fx_error_at at, const A &...a) {
    const fx_arg args[] = {fx_arg_of(a, 0)..., fx_arg{}};
    return fx_call2_at_(at.file, at.line, exec, second, args, sizeof...(A), at.err);
}
template <class... A>
inline fx_tensor *fx_call3(fx_exec *exec, fx_tensor **second, fx_tensor **third, fx_error_at at,
                           const A &...a) {
    const fx_arg args[] = {fx_arg_of(a, 0)..., fx_arg{}};
    return fx_call3_at_(at.file, at.line, exec, second, third, args, sizeof...(A), at.err);
}
template <class... A>
inline bool fx_call(fx_exec *exec, fx_tensor **out, size_t n_out, fx_error_at at, const A &...a) {
    const fx_arg args[] = {fx_arg_of(a, 0)..., fx_arg{}};
    return fx_call_at_(at.file, at.line, exec, out, n_out, args, sizeof...(A), at.err);
}

inline fx_exec *fx_exec_new(fx_backend *b, fx_fn0 f, fx_error *err) { return fx_exec_new0(b, f, err); }
inline fx_exec *fx_exec_new(fx_backend *b, fx_fn1 f, fx_error *err) { return fx_exec_new1(b, f, err); }
inline fx_exec *fx_exec_new(fx_backend *b, fx_fn2 f, fx_error *err) { return fx_exec_new2(b, f, err); }
inline fx_exec *fx_exec_new(fx_backend *b, fx_fn3 f, fx_error *err) { return fx_exec_new3(b, f, err); }
inline fx_exec *fx_exec_new(fx_backend *b, fx_fn4 f, fx_error *err) { return fx_exec_new4(b, f, err); }
inline fx_exec *fx_exec_new(fx_backend *b, fx_fn5 f, fx_error *err) { return fx_exec_new5(b, f, err); }
inline fx_exec *fx_exec_new(fx_backend *b, fx_fn6 f, fx_error *err) { return fx_exec_new6(b, f, err); }
template <class F> inline fx_exec *fx_exec_new(fx_backend *, F, fx_error *) {
    static_assert(sizeof(F) == 0, "a graph function takes up to 6 fx_node * and returns one");
    return nullptr;
}
inline fx_exec *fx_exec_new_outputs(fx_backend *b, fx_outputs_fn0 f, size_t n_out, fx_error *err) {
    return fx_exec_new_outputs0(b, f, n_out, err);
}
inline fx_exec *fx_exec_new_outputs(fx_backend *b, fx_outputs_fn1 f, size_t n_out, fx_error *err) {
    return fx_exec_new_outputs1(b, f, n_out, err);
}
inline fx_exec *fx_exec_new_outputs(fx_backend *b, fx_outputs_fn2 f, size_t n_out, fx_error *err) {
    return fx_exec_new_outputs2(b, f, n_out, err);
}
inline fx_exec *fx_exec_new_outputs(fx_backend *b, fx_outputs_fn3 f, size_t n_out, fx_error *err) {
    return fx_exec_new_outputs3(b, f, n_out, err);
}
inline fx_exec *fx_exec_new_outputs(fx_backend *b, fx_outputs_fn4 f, size_t n_out, fx_error *err) {
    return fx_exec_new_outputs4(b, f, n_out, err);
}
inline fx_exec *fx_exec_new_outputs(fx_backend *b, fx_outputs_fn5 f, size_t n_out, fx_error *err) {
    return fx_exec_new_outputs5(b, f, n_out, err);
}
inline fx_exec *fx_exec_new_outputs(fx_backend *b, fx_outputs_fn6 f, size_t n_out, fx_error *err) {
    return fx_exec_new_outputs6(b, f, n_out, err);
}
template <class F> inline fx_exec *fx_exec_new_outputs(fx_backend *, F, size_t, fx_error *) {
    static_assert(sizeof(F) == 0, "a graph function takes up to 6 fx_node * and fx_node **out");
    return nullptr;
}

#endif
#endif
