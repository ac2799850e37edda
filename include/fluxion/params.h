/* SPDX-License-Identifier: Apache-2.0 */
/* Named parameters: an ordered map from names to tensors and, inside graph functions, to nodes. With it a
 * training step is a function (state, batch) -> (state, metrics), where the state holds whatever lives from
 * step to step: weights, the optimizer's moments, the random state, the number of the step.
 *
 *   static void init(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *u) {
 *       fx_node *random = fx_params_node(p, "random");
 *       fx_params_set_node(p, "model/weight", fx_random_normal(random, &FX_SHAPE(FX_F32, 2, 1), &random));
 *       fx_params_set_node(p, "random", random);
 *   }
 *   static void step(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *u) {
 *       fx_node *error = fx_sub(fx_matmul(in[0], fx_params_node(p, "model/weight")), in[1]);
 *       out[0] = fx_reduce_all_mean(fx_square(error));
 *       fx_nodes weights = fx_params_nodes(p, "model/"), d = fx_params_gradient(out[0], p, "model/");
 *       fx_node *next[1];                                            or an optimizer over the lists
 *       for (size_t i = 0; i < weights.n; i++) next[i] = fx_sub(weights.v[i], fx_mul_scalar(d.v[i], 0.1));
 *       fx_params_set_nodes(p, "model/", (fx_nodes){next, weights.n});
 *   }
 *
 *   fx_params *state = fx_params_new(FX_MUST);
 *   fx_params_set(state, "random", fx_random_state_tensor(7, FX_MUST), FX_MUST);
 *   fx_params_exec *create = fx_params_exec_new(backend, init, 0, 0, NULL, FX_MUST);
 *   fx_params_call(create, state, NULL, 0, FX_MUST);                 the map has weights now
 *   fx_params_exec *train = fx_params_exec_new(backend, step, 2, 1, NULL, FX_MUST);
 *   fx_tensor *loss = fx_params_call1(train, state, FX_MUST, x, y);  the map has new weights now
 *
 * A name is UTF-8 of 1 to 4095 bytes; slashes group names, and functions that take a prefix mean the entries
 * whose names begin with it ("" means all), in the map's order: that in which they were added.
 *
 * Ownership. A map of tensors holds a reference to each. What a map gives (names, tensors, spans of nodes)
 * is the map's and is valid until the entry is replaced or removed or the map freed.
 * Threads. A map is read by any number of threads at once or changed by one. An fx_params_exec may be called
 * from any number of threads, on one map at a time where its function changes entries; where it changes none
 * the map is only read, and may be shared.
 * Errors leave the map as it was, with one exception that fx_params_exec_call names. */
#ifndef FLUXION_PARAMS_H
#define FLUXION_PARAMS_H

#include <fluxion/call.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fx_params fx_params;

/* ---- the map ---- */

/* An empty map of tensors. NULL: no memory. Free it with fx_params_free. */
FX_API fx_params *fx_params_new(fx_error *err);
/* Drops the map and its references. NULL-safe. */
FX_API void fx_params_free(fx_params *params);
/* Another map of the entries whose names begin with prefix (NULL: ""), sharing their tensors, and with the
 * same metadata. A snapshot costs no copies: tensors that are shared are not donated (fx_params_exec_call).
 * NULL: params is NULL or a map of nodes, or no memory. */
FX_API fx_params *fx_params_copy(const fx_params *params, const char *prefix, fx_error *err);
/* Number of entries; 0 for NULL. */
FX_API size_t fx_params_count(const fx_params *params);
/* Name of entry i; NULL when there is none. */
FX_API const char *fx_params_name(const fx_params *params, size_t i);
/* Number of the entry of that name; -1: none, or a NULL. */
FX_API int64_t fx_params_find(const fx_params *params, const char *name);
/* Tensor of entry i, borrowed; NULL when there is none, and in a map of nodes. */
FX_API fx_tensor *fx_params_tensor(const fx_params *params, size_t i);
/* Tensor of that name, borrowed. NULL: no such name, a NULL, or a map of nodes. */
FX_API fx_tensor *fx_params_get(const fx_params *params, const char *name, fx_error *err);
/* Replaces the tensor of that name, or adds it as the last entry. Takes over the caller's reference, also
 * when it fails, so that what another function made can be passed on as it is. False: a NULL, a name that is
 * none, a tensor without contents, a map of nodes, or no memory. */
FX_API bool fx_params_set(fx_params *params, const char *name, fx_tensor *tensor, fx_error *err);
/* Removes the entry of that name; later ones move up. False: there is none, or a NULL. Both kinds of maps. */
FX_API bool fx_params_remove(fx_params *params, const char *name);
/* A name by printf's rules, e.g. fx_name("layer%d/weight", i).s; it is cut to the empty text, which no
 * function takes as a name, when it would be longer than 255 bytes. */
FX_API fx_text fx_name(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* Metadata: text beside the entries, saved with them (safetensors.h). Sets the value of a key, or with NULL
 * removes it. Both are UTF-8 and copied. False: NULL params or key, other bytes, or no memory. */
FX_API bool fx_params_set_metadata(fx_params *params, const char *key, const char *value, fx_error *err);
/* Value of a key; NULL: there is none. */
FX_API const char *fx_params_metadata(const fx_params *params, const char *key);
/* Key number i in the order they were set; NULL: there are no more. */
FX_API const char *fx_params_metadata_key(const fx_params *params, size_t i);

/* ---- inside graph functions ----
 * Here a map holds the nodes of one graph. Violations are kept in the graph, as builders keep them. On a map
 * of tensors these functions do nothing and give NULL or an empty span. */

/* The graph; NULL for a map of tensors and for NULL. */
FX_API fx_graph *fx_params_graph(const fx_params *params);
/* The node of that name. One that is not there is an error and gives the inert node; fx_params_find asks. */
FX_API fx_node *fx_params_node(const fx_params *params, const char *name);
/* Replaces the node of that name, or adds it as the last entry. Any shape. Gives back the node. */
FX_API fx_node *fx_params_set_node(fx_params *params, const char *name, fx_node *node);
/* All nodes whose names begin with prefix: a list that stays as it is when entries are replaced, valid as
 * long as the map. Empty when there are none. */
FX_API fx_nodes fx_params_nodes(fx_params *params, const char *prefix);
/* Replaces all nodes whose names begin with prefix, in their order; another number of them is an error.
 * Where there are none yet, adds entries called prefix + "0", prefix + "1", ... Gives back the first. */
FX_API fx_node *fx_params_set_nodes(fx_params *params, const char *prefix, fx_nodes nodes);
/* Gradients of a loss (fx_gradient) by all nodes of fx_params_nodes(params, prefix), in their order, valid as
 * long as the map. Empty after an error and for an empty map. Errors, which name the entry or the prefix: an
 * entry that is neither float nor complex, a prefix that no entry begins with though there are entries. */
FX_API fx_nodes fx_params_gradient(fx_node *loss, fx_params *params, const char *prefix);

/* ---- executables ---- */

/* A graph function of a map: builds n_out nodes from n_in nodes and from the nodes of `state`, and leaves in
 * `state` what the map is to hold after the call: entries may be replaced, added and removed. The map is the
 * library's and lasts as long as the call of this function. The function depends on nothing but its
 * arguments, their shapes and what `user` points at, since it runs once more than it is compiled; which
 * entries it replaces, adds and removes not even on shapes. It is called by one thread at a time and may call
 * other executables, but not its own nor one whose function calls its own. */
typedef void (*fx_params_fn)(fx_params *state, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                             void *user);
typedef struct fx_params_exec fx_params_exec;

/* An executable of a graph function with up to 2^20 inputs and outputs beside the map; n_out may be 0.
 * Nothing is built before the first call. It keeps programs by names and shapes of the entries and by the
 * inputs' shapes. NULL: a NULL, counts beyond, or no memory. Free it with fx_params_exec_free. */
FX_API fx_params_exec *fx_params_exec_new(fx_backend *backend, fx_params_fn function, size_t n_in,
                                          size_t n_out, void *user, fx_error *err);
/* Frees it; no call may be running. NULL-safe. */
FX_API void fx_params_exec_free(fx_params_exec *exec);
/* Sets options as fx_exec_configure does (cache_limit counts for each set of names alone). Before the first
 * call only. */
FX_API bool fx_params_exec_configure(fx_params_exec *exec, const fx_exec_options *options, fx_error *err);
/* Runs the function on the map and n further arguments: n_out results into out[] as fx_exec_call gives them,
 * and the map then holds what the function left in it. Entries that it leaves alone stay what they are.
 * Those that it replaces are donated, so that they are updated where they lie, unless somebody else holds a
 * reference to their tensor, which then keeps its value. Donated arguments are as in fx_exec_call.
 * On failure out[] is all NULL and the map is as it was, after wrong arguments, after whatever building and
 * compiling report, and after FX_ERROR_NAN. Only when the run itself fails (no memory for the results) may
 * replaced entries have lost their contents (fx_tensor_is_valid); names and other entries stay. */
FX_API bool fx_params_exec_call(fx_params_exec *exec, fx_params *params, const fx_arg *args, size_t n,
                                fx_tensor **out, size_t n_out, fx_error *err);
/* The same for a call at a known place, as fx_exec_call_at. */
FX_API bool fx_params_exec_call_at(fx_params_exec *exec, fx_params *params, const fx_arg *args, size_t n,
                                   fx_tensor **out, size_t n_out, const char *file, int line, fx_error *err);
/* The compiled program for this map and inputs of these shapes (n of them), compiled now if need be, for its
 * text and its memory; drop it with fx_program_free. */
FX_API fx_program *fx_params_exec_program(fx_params_exec *exec, const fx_params *params,
                                          const fx_shape *shapes, size_t n, fx_error *err);

#ifdef __cplusplus
}
#endif

/* Short forms, as fx_call and fx_call1 (call.h): up to 16 arguments.
 *   fx_params_call(exec, params, out, n_out, err, x...)   any number of results
 *   fx_params_call1(exec, params, err, x...)              one, returned; NULL on failure */
static inline bool fx_params_call_at_(const char *file, int line, fx_params_exec *exec, fx_params *params,
                                      fx_tensor **out, size_t n_out, const fx_arg *args, size_t n,
                                      fx_error *err) {
    return fx_params_exec_call_at(exec, params, args, n, out, n_out, file, line, err);
}
static inline fx_tensor *fx_params_call1_at_(const char *file, int line, fx_params_exec *exec,
                                             fx_params *params, const fx_arg *args, size_t n, fx_error *err) {
    fx_tensor *out = NULL;
    return fx_params_exec_call_at(exec, params, args, n, &out, 1, file, line, err) ? out : NULL;
}
#ifndef __cplusplus
#define fx_params_call(exec, params, out, n_out, ...)                                                        \
    fx_params_call_at_(FX_PLACE_, (exec), (params), (out), (n_out), FX_ARGS_(__VA_ARGS__))
#define fx_params_call1(exec, params, ...)                                                                   \
    fx_params_call1_at_(FX_PLACE_, (exec), (params), FX_ARGS_(__VA_ARGS__))
#else
template <class... A>
inline bool fx_params_call(fx_params_exec *exec, fx_params *params, fx_tensor **out, size_t n_out,
                           fx_error_at at, const A &...a) {
    const fx_arg args[] = {fx_arg_of(a, 0)..., fx_arg{}};
    return fx_params_call_at_(at.file, at.line, exec, params, out, n_out, args, sizeof...(A), at.err);
}
template <class... A>
inline fx_tensor *fx_params_call1(fx_params_exec *exec, fx_params *params, fx_error_at at, const A &...a) {
    const fx_arg args[] = {fx_arg_of(a, 0)..., fx_arg{}};
    return fx_params_call1_at_(at.file, at.line, exec, params, args, sizeof...(A), at.err);
}
#endif
#endif
