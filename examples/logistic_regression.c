/* SPDX-License-Identifier: Apache-2.0 */
/* Logistic regression by gradient descent: two clouds of points in the plane, and the line between them.
 *
 * A training step is a pure function (parameters, data) -> (new parameters, loss). Its gradient is built with
 * the graph, compiled with it, and the parameters are donated: each step writes them where they lie.
 *
 * usage: logistic_regression */
#include <fluxion.h>

enum { POINTS = 1000, STEPS = 200, SHOWN = 40 };

/* ---- the data: normal clouds around (-1, -1) and (1, 1), labels 0 and 1 ---- */

static void make_data(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    const fx_shape each = FX_SHAPE(FX_F32, POINTS);
    fx_node *label =
        fx_convert(fx_less(fx_iota(graph, &each, 0), fx_scalar(graph, FX_F32, POINTS / 2)), FX_F32);
    fx_node *centre = fx_sub_scalar(fx_mul_scalar(label, 2), 1);
    fx_node *noise = fx_random_normal(in[0], &FX_SHAPE(FX_F32, POINTS, 2), NULL);
    out[0] = fx_add(noise, fx_reshape(centre, FX_DIMS(POINTS, 1)));
    out[1] = label;
    (void)n_in, (void)n_out, (void)user;
}

/* ---- the model ---- */

/* mean of log(1 + e^z) - y z, z = x w + b: minus the log-likelihood of the labels */
static fx_node *loss_of(fx_node *w, fx_node *b, fx_node *x, fx_node *y) {
    fx_node *z = fx_add(fx_matmul(x, w), b);
    return fx_reduce_all_mean(fx_sub(fx_softplus(z), fx_mul(y, z)));
}

/* in: w [2], b, x [N, 2], y [N]; out: w and b after one step, the loss before it, the share of right
 * answers */
static void step(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *w = in[0], *b = in[1], *x = in[2], *y = in[3], *d[2];
    fx_node *loss = loss_of(w, b, x, y);
    fx_gradient(loss, FX_NODES(w, b), d);
    out[0] = fx_sub(w, fx_mul_scalar(d[0], 0.5));
    out[1] = fx_sub(b, fx_mul_scalar(d[1], 0.5));
    out[2] = loss;
    fx_node *guess = fx_greater(fx_add(fx_matmul(x, w), b), fx_scalar(graph, FX_F32, 0));
    out[3] =
        fx_reduce_all_mean(fx_convert(fx_equal(guess, fx_greater(y, fx_scalar(graph, FX_F32, 0.5))), FX_F32));
    (void)n_in, (void)n_out, (void)user;
}

int main(void) {
    fx_backend *backend = fx_backend_open(NULL, FX_MUST);
    fx_exec *data = fx_exec_new_fn(backend, make_data, 1, 2, NULL, FX_MUST);
    fx_exec *train = fx_exec_new_fn(backend, step, 4, 4, NULL, FX_MUST);
    fx_tensor *xy[2], *state = fx_random_state_tensor(7, FX_MUST);
    xy[0] = fx_call2(data, &xy[1], FX_MUST, state);

    fx_tensor *w = fx_tensor_from(FX_HOST(((float[]){0, 0}), 2), FX_MUST),
              *b = fx_tensor_scalar(FX_F32, 0, FX_MUST);
    for (int i = 0; i <= STEPS; i++) {
        fx_tensor *out[4];
        const fx_arg args[] = {fx_donate(w), fx_donate(b), FX_ARG(xy[0]), FX_ARG(xy[1])};
        fx_exec_call(train, args, 4, out, 4, FX_MUST);
        if (i % SHOWN == 0)
            printf("step %3d  loss %.3f  right %.1f %%\n", i, fx_tensor_get(out[2], 0),
                   100 * fx_tensor_get(out[3], 0));
        fx_tensor_free(w);
        fx_tensor_free(b);
        w = out[0], b = out[1];
        fx_tensor_free(out[2]);
        fx_tensor_free(out[3]);
    }
    printf("the line: %.2f x + %.2f y + %.2f = 0\n", fx_tensor_get(w, 0), fx_tensor_get(w, 1),
           fx_tensor_get(b, 0));

    fx_tensor *tensors[] = {w, b, xy[0], xy[1], state};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) fx_tensor_free(tensors[i]);
    fx_exec_free(data);
    fx_exec_free(train);
    fx_backend_close(backend);
    return 0;
}
