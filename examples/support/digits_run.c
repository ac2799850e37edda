/* SPDX-License-Identifier: Apache-2.0 */
/* A step of training is one call: it gives the loss, and the map then holds new weights, moments and random
 * state, which were written where the old ones lay. Images are moved about by a pixel while learning. */
#include "digits_run.h"
#include "arguments.h"
#include "curve.h"
#include "digits.h"
#include "progress.h"
#include "stop.h"

enum { BATCH = 64, BATCHES = DIGITS_TRAIN / BATCH, SHOWN = 40 };

/* A map to begin with, or the one of a file. */
static fx_params *first_state(fx_backend *backend, const digits_network *network, const arguments *a) {
    if (a->load) return fx_safetensors_load(a->load, FX_MUST);
    fx_params *state = fx_params_new(FX_MUST);
    fx_params_exec *init = fx_params_exec_new(backend, network->init, 0, 0, NULL, FX_MUST);
    fx_params_set(state, "random", fx_random_state_tensor(a->seed, FX_MUST), FX_MUST);
    fx_params_exec_call(init, state, NULL, 0, NULL, 0, FX_MUST);
    fx_params_exec_free(init);
    return state;
}

static int steps_made(const fx_params *state) {
    return (int)fx_tensor_get_int(fx_params_get(state, "optimizer/0", FX_MUST), 0);
}

/* Writes the map where --save says, or after Ctrl-C beside the program's output. False: it could not. */
static bool save_state(const fx_params *state, const digits_network *network, const arguments *a) {
    fx_error err;
    fx_text path = a->save ? fx_name("%s", a->save) : fx_name("%s.safetensors", network->name);
    if (!a->save && !stop_asked()) return true;
    bool ok = fx_safetensors_save(state, path.s, &err);
    if (ok)
        fprintf(stderr, "saved after %d steps; --load %s goes on\n", steps_made(state), path.s);
    else
        fprintf(stderr, "%s\n", err.message);
    return ok;
}

/* Steps until the end or Ctrl-C; the losses into a curve. */
static void train(fx_params_exec *step, fx_params *state, digits *d, int steps, curve *losses) {
    progress bar = progress_begin("steps", steps);
    for (int i = steps_made(state); i < steps && !stop_asked(); i++) {
        float images[BATCH][DIGITS_PIXELS];
        int first = i % BATCHES * BATCH;
        if (first == 0) digits_shuffle(d);
        digits_moved(d, first, BATCH, images);
        fx_tensor *loss = fx_params_call1(step, state, FX_MUST, FX_HOST(&images[0][0], BATCH, DIGITS_PIXELS),
                                          FX_HOST(&d->labels[first], BATCH));
        char note[32];
        curve_add(losses, fx_tensor_get(loss, 0));
        snprintf(note, sizeof note, "loss %.3f", fx_tensor_get(loss, 0));
        progress_show(&bar, i + 1, note);
        fx_tensor_free(loss);
    }
    progress_end(&bar);
}

/* Prints the share of n images from number `first` on that are read right: to the percent, since a compiler
 * that sums in another order ends with a few digits more or fewer; the number itself goes to stderr. */
static void show_accuracy(const char *what, fx_params_exec *judge, fx_params *state, digits *d, int first,
                          int n) {
    fx_tensor *right = fx_params_call1(judge, state, FX_MUST, FX_HOST(&d->images[first][0], n, DIGITS_PIXELS),
                                       FX_HOST(&d->labels[first], n));
    double count = fx_tensor_get(right, 0);
    printf("%-9s %.0f %% of %d digits\n", what, 100 * count / n, n);
    fprintf(stderr, "%s: %.0f of %d right\n", what, count, n);
    fx_tensor_free(right);
}

static void show_losses(const curve *losses) {
    if (losses->n == 0) return;
    printf("loss      %.1f to %.1f\n", curve_mean(losses, 0, SHOWN), curve_mean(losses, SHOWN - 1, SHOWN));
    fputs("loss: ", stderr);
    curve_print_to(losses, SHOWN, stderr);
    fputc('\n', stderr);
}

int digits_run(const digits_network *network, int argc, char **argv) {
    static digits d;
    arguments a = {.seed = 1, .epochs = network->epochs, .data = "examples/data/digits.txt"};
    if (!arguments_read(&a, argc, argv) || !digits_read(&d, a.data, a.seed)) return 1;
    int steps = a.epochs * BATCHES;
    curve losses = {NULL, 0, 0};
    stop_watch();

    fx_backend *backend = fx_backend_open(NULL, FX_MUST);
    fx_params_exec *step = fx_params_exec_new(backend, network->step, 2, 1, &steps, FX_MUST);
    fx_params_exec *judge = fx_params_exec_new(backend, network->judge, 2, 1, NULL, FX_MUST);
    fx_params *state = first_state(backend, network, &a);

    train(step, state, &d, steps, &losses);
    show_losses(&losses);
    show_accuracy("learned", judge, state, &d, 0, DIGITS_TRAIN);
    show_accuracy("held out", judge, state, &d, DIGITS_TRAIN, DIGITS_TEST);
    bool ok = save_state(state, network, &a);
    if (a.svg && !curve_write_svg(&losses, a.svg, network->name)) ok = false;

    curve_free(&losses);
    fx_params_free(state);
    fx_params_exec_free(step);
    fx_params_exec_free(judge);
    fx_backend_close(backend);
    return ok ? 0 : 1;
}
