/* SPDX-License-Identifier: Apache-2.0 */
/* Optimizers as pure functions of lists of nodes: parameters, gradients and state give new parameters and new
 * state, so a training step is an ordinary graph function (parameters, state, batch) -> (parameters, state,
 * loss). Donate parameters and state (fx_donate) and the update is written over them. The rules at the head
 * of ops.h hold here; results as in control.h: all are written to the caller's arrays, the first is also
 * returned, and after an error they are inert.
 *
 *   const fx_optimizer adam = {.kind = FX_OPTIMIZER_ADAM};
 *   fx_gradient(loss, parameters, gradients);
 *   fx_optimizer_step(&adam, parameters, (fx_nodes){gradients, n}, state, rate, new_parameters, new_state);
 *
 * Parameters are floats, each of its own dtype and shape; a gradient has the parameter's shape, and its dtype
 * or, for float16 and bfloat16, float32. Updates are computed, and all moments kept, in float32 (float64 for
 * float64), whatever the dtype of the parameter, which is rounded once at the end. Updates below half a unit
 * of a half type are lost there unless `master` keeps a float32 copy.
 *
 * State is a list of tensors: the number of steps made, an int64 scalar, and then for each parameter in turn
 * what its kind keeps, of the shapes that fx_optimizer_state_shapes gives, all zero at first but for
 * master copies. */
#ifndef FLUXION_OPTIMIZER_H
#define FLUXION_OPTIMIZER_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The update of a parameter p by its gradient g at step t = 1, 2, ... with learning rate r; d is what is
 * taken off r times. What is kept is in brackets, and the defaults of the options behind it. */
typedef enum fx_optimizer_kind {
    /* d = g; with momentum b = momentum b + g [b] and d = b, or g + momentum b for Nesterov's. rate 0.01 */
    FX_OPTIMIZER_SGD = 0,
    /* m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2 [m, v]; d = (m / (1 - beta1^t)) / (sqrt(v /
       (1 - beta2^t)) + epsilon). rate 0.001, beta1 0.9, beta2 0.999, epsilon 1e-8. D. Kingma, J. Ba */
    FX_OPTIMIZER_ADAM = 1,
    /* Adam with decoupled weight decay, 0.01 unless given. I. Loshchilov, F. Hutter */
    FX_OPTIMIZER_ADAMW = 2,
    /* m as Adam, v = max(beta2 v, |g| + epsilon) [m, v]; d = m / ((1 - beta1^t) v). rate 0.002, else as
       Adam */
    FX_OPTIMIZER_ADAMAX = 3,
    /* v = beta2 v + (1 - beta2) g^2 [v]; d = g / (sqrt(v) + epsilon); centred: a = beta2 a + (1 - beta2) g
     * [a] and v - a^2 for v; with momentum as SGD, of this d [b]. rate 0.01, beta2 0.99, epsilon 1e-8 */
    FX_OPTIMIZER_RMSPROP = 4,
    /* Second moments v with beta2 = 1 - t^-decay_exponent of g^2 + epsilon; of parameters whose last two
     * axes have at least min_factored elements only their means over the last axis, R [row], and over the
     * one before, C [column], as v = R C / mean(R). u = g / sqrt(v), scaled down to a root mean square of at
     * most clip_threshold; with beta1 > 0 m = beta1 m + (1 - beta1) u [m] instead; d = u times the root mean
     * square of p, at least 1e-3, unless `absolute`. rate 0.01, beta1 0, epsilon 1e-30.
     * N. Shazeer, M. Stern */
    FX_OPTIMIZER_ADAFACTOR = 5,
    /* d = sign(beta1 m + (1 - beta1) g), then m = beta2 m + (1 - beta2) g [m]. rate 0.0001, beta1 0.9, beta2
       0.99. X. Chen et al. */
    FX_OPTIMIZER_LION = 6,
    /* a = d of Adam plus weight_decay p; d = a |p| / |a| with the norms over all of p, d = a where one of
     * them is 0. rate 0.001, epsilon 1e-6, else as Adam. Y. You et al. */
    FX_OPTIMIZER_LAMB = 7
} fx_optimizer_kind;

/* What an optimizer does. In each number 0 means its default, and a number below 0 means 0. */
typedef struct fx_optimizer {
    size_t size; /* sizeof(fx_optimizer), or 0 */
    fx_optimizer_kind kind;
    double learning_rate; /* where fx_optimizer_step gets none */
    double momentum;      /* SGD and RMSProp; in [0, 1), 0 */
    bool nesterov;        /* SGD with momentum: look ahead */
    bool centered;        /* RMSProp */
    double beta1, beta2;  /* in [0, 1) */
    double epsilon;
    double weight_decay;     /* adds weight_decay p to the gradient (SGD, Adam, Adamax, RMSProp), or takes
                                rate weight_decay p off the parameter besides (AdamW, Adafactor, Lion), or as
                                LAMB says; 0, but 0.01 for AdamW */
    const bool *decays;      /* for each parameter, whether it decays; NULL: those of rank 2 and more, which
                                leaves out biases and gains. Read by fx_optimizer_step only */
    bool master;             /* keep a float32 copy of float16 and bfloat16 parameters [master], which is
                                what is updated */
    int64_t accumulate;      /* sum the gradients of so many steps [sum] and update with their mean in the
                                last of them, the others leaving the parameters alone; t counts updates.
                                0: 1 */
    double decay_exponent;   /* Adafactor: 0.8 */
    double clip_threshold;   /* Adafactor: 1 */
    int64_t min_factored;    /* Adafactor: 128 */
    bool absolute;           /* Adafactor: do not multiply by the size of the parameter */
} fx_optimizer;

/* Name of a kind: "adamw"; NULL for a number that is none. Static storage. Any thread. */
FX_API const char *fx_optimizer_name(fx_optimizer_kind kind);
/* The kind of a name, as fx_optimizer_name gives them; false, *kind untouched, when there is none. */
FX_API bool fx_optimizer_parse(const char *name, fx_optimizer_kind *kind);

/* Number of tensors of the state for n parameters of these shapes; 0 when the options are wrong or a shape is
 * not that of a parameter, and err says so. */
FX_API size_t fx_optimizer_state_count(const fx_optimizer *optimizer, const fx_shape *parameters, size_t n,
                                       fx_error *err);
/* Their shapes into state[0 .. fx_optimizer_state_count() - 1]. */
FX_API bool fx_optimizer_state_shapes(const fx_optimizer *optimizer, const fx_shape *parameters, size_t n,
                                      fx_shape *state, fx_error *err);
/* What tensor number i of the state is: "step", "momentum", "m", "v", "mean", "row", "column", "master" or
 * "sum", and which parameter it belongs to (parameter may be NULL; untouched for "step"). NULL when there is
 * none, or as fx_optimizer_state_count. Static storage. */
FX_API const char *fx_optimizer_state_name(const fx_optimizer *optimizer, const fx_shape *parameters,
                                           size_t n, size_t i, size_t *parameter);
/* The state before the first step as tensors, into state[0 .. fx_optimizer_state_count() - 1]; the caller
 * frees them. False, with all of state[] NULL, for wrong options, parameters that are NULL or donated away,
 * or no memory. */
FX_API bool fx_optimizer_init(const fx_optimizer *optimizer, const fx_tensor *const *parameters, size_t n,
                              fx_tensor **state, fx_error *err);
/* The same as nodes; gives the first. At least one parameter. */
FX_API fx_node *fx_optimizer_init_nodes(const fx_optimizer *optimizer, fx_nodes parameters, fx_node **state);

/* One step. learning_rate: a float scalar (schedule.h makes them of state.v[0]), NULL: the optimizer's
 * number. Writes as many new parameters and states as there are old ones, of their dtypes and shapes, and
 * gives the first parameter. At least one parameter. Errors: options out of range, gradients or states that
 * do not go with the parameters. */
FX_API fx_node *fx_optimizer_step(const fx_optimizer *optimizer, fx_nodes parameters, fx_nodes gradients,
                                  fx_nodes state, fx_node *learning_rate, fx_node **new_parameters,
                                  fx_node **new_state);

/* ---- on lists of gradients and parameters: floats; results are of the dtypes and shapes of the operands and
 * may be written over the list that was given; at least one node ---- */

/* Each element brought into [-limit, limit]; NaN stays. limit > 0. */
FX_API fx_node *fx_gradients_clip(fx_nodes gradients, double limit, fx_node **results);
/* The root of the sum of the squares of all elements of all nodes, summed in float32: a float32 scalar,
 * float64 where one of the nodes is. */
FX_API fx_node *fx_gradients_norm(fx_nodes gradients);
/* All of them times limit / norm where fx_gradients_norm exceeds the limit, else as they are. Writes results
 * and gives the norm before. An infinite norm makes finite elements 0 and infinite ones NaN, a NaN all NaN.
 * limit > 0. */
FX_API fx_node *fx_gradients_clip_norm(fx_nodes gradients, double limit, fx_node **results);
/* Moving averages of values, decay average + (1 - decay) value each, in the dtype of the average, which is
 * the value's or float32 for float16 and bfloat16. step: a scalar that counts the averagings made so far,
 * NULL: none. With it the decay is at most (1 + step) / (10 + step), so that the start is forgotten soon.
 * decay in [0, 1]. */
FX_API fx_node *fx_moving_averages(fx_nodes averages, fx_nodes values, double decay, fx_node *step,
                                   fx_node **results);

#ifdef __cplusplus
}
#endif

#endif
