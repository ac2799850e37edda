/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest-neighbour classification of 1,797 handwritten digits, leaving one out: each image takes the label of the most similar
 * other one. The graph computes squared distances of a batch of images to all, as |q|^2 + |x|^2 - 2 q x', with each image's
 * distance to itself put out of reach, and the three nearest by taking the smallest three times.
 *
 * usage: digits_knn [FILE]   FILE: examples/data/digits.txt unless given */
#include <fluxion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IMAGES = 1797, PIXELS = 64, SIDE = 8, BATCH = 100, NEIGHBOURS = 3, DIGITS = 10, SHOWN = 4 };

#ifndef DIGITS_FILE
#define DIGITS_FILE "examples/data/digits.txt"
#endif

typedef struct digits {
    float pixels[IMAGES][PIXELS];
    int label[IMAGES];
} digits;

/* ---- the graph ---- */

/* in: images [N, 64], first image of the batch (int32 scalar), batch [B, 64]; out: [B, 3] int32, nearest first. */
static void nearest(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *images = in[0], *first = in[1], *batch = in[2];
    int64_t n = fx_node_dim(images, 0), b = fx_node_dim(batch, 0);
    fx_node *images_squared = fx_reshape(fx_reduce_sum(fx_square(images), FX_AXES(1)), FX_DIMS(1, n));
    fx_node *batch_squared = fx_reduce_and_keep(fx_square(batch), fx_reduce_sum, FX_AXES(1));
    fx_node *products = fx_matmul(batch, fx_transpose(images, 0, 1));
    fx_node *distance = fx_sub(fx_add(batch_squared, images_squared), fx_mul_scalar(products, 2));

    fx_shape index_shape = FX_SHAPE(FX_S32, b, n);
    fx_node *column = fx_iota(g, &index_shape, 1);
    fx_node *itself = fx_add(fx_iota(g, &index_shape, 0), first);
    fx_node *far_away = fx_scalar(g, FX_F32, 1e30);
    distance = fx_where(fx_equal(column, itself), far_away, distance);

    fx_node *found[NEIGHBOURS];
    for (int k = 0; k < NEIGHBOURS; k++) {
        found[k] = fx_arg_min(distance, 1);
        distance = fx_where(fx_equal(column, fx_reshape(found[k], FX_DIMS(b, 1))), far_away, distance);
    }
    out[0] = fx_stack((fx_nodes){found, NEIGHBOURS}, 1);
    (void)n_in, (void)n_out, (void)user;
}

/* ---- data ---- */

static int pixel_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'g' ? c - 'a' + 10 : -1;
}

static bool parse_line(const char *line, digits *d, int i) {
    if (line[0] < '0' || line[0] > '9' || line[1] != ' ') return false;
    d->label[i] = line[0] - '0';
    for (int k = 0; k < PIXELS; k++) {
        int value = pixel_value(line[2 + k]);
        if (value < 0) return false;
        d->pixels[i][k] = (float)value;
    }
    return true;
}

static bool read_digits(const char *path, digits *d) {
    FILE *file = fopen(path, "r");
    char line[256];
    int count = 0;
    if (!file) return false;
    while (count < IMAGES && fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        if (!parse_line(line, d, count)) break;
        count++;
    }
    fclose(file);
    return count == IMAGES;
}

/* ---- what is shown ---- */

static void show_progress(int done) {
    enum { WIDTH = 40 };
    if (!isatty(STDERR_FILENO)) return;
    int filled = done * WIDTH / IMAGES;
    fprintf(stderr, "\r[%.*s%.*s] %4d/%d", filled, "########################################", WIDTH - filled,
            "........................................", done, IMAGES);
    if (done == IMAGES) fputc('\n', stderr);
}

static void show_confusion(int confusion[DIGITS][DIGITS]) {
    printf("\nConfusion matrix (rows: written, columns: recognized)\n     ");
    for (int k = 0; k < DIGITS; k++) printf("%5d", k);
    printf("\n");
    for (int i = 0; i < DIGITS; i++) {
        printf("%5d", i);
        for (int k = 0; k < DIGITS; k++) {
            if (confusion[i][k])
                printf("%5d", confusion[i][k]);
            else
                printf("%5s", ".");
        }
        printf("\n");
    }
}

static void show_row(const float *pixels, int row) {
    static const char shades[] = " .:-=+*#%@";
    for (int x = 0; x < SIDE; x++) {
        char c = shades[(int)pixels[row * SIDE + x] * 9 / 16];
        putchar(c);
        putchar(c);
    }
}

/* An image and its three nearest neighbours side by side. */
static void show_neighbours(const digits *d, int image, const int32_t *neighbours) {
    printf("\nImage %d, a %d; nearest:", image, d->label[image]);
    for (int k = 0; k < NEIGHBOURS; k++)
        printf(" image %d, a %d%s", neighbours[k], d->label[neighbours[k]], k + 1 < NEIGHBOURS ? ";" : "\n");
    for (int row = 0; row < SIDE; row++) {
        printf("    ");
        show_row(d->pixels[image], row);
        for (int k = 0; k < NEIGHBOURS; k++) {
            printf("  |  ");
            show_row(d->pixels[neighbours[k]], row);
        }
        printf("\n");
    }
}

/* ---- the run ---- */

static void find_neighbours(fx_backend *backend, const digits *d, int32_t found[IMAGES][NEIGHBOURS]) {
    fx_exec *exec = fx_exec_new_fn(backend, nearest, 3, 1, NULL, FX_MUST);
    fx_tensor *images = fx_tensor_from(FX_HOST(&d->pixels[0][0], IMAGES, PIXELS), FX_MUST);
    for (int first = 0; first < IMAGES; first += BATCH) {
        int count = IMAGES - first < BATCH ? IMAGES - first : BATCH;
        fx_tensor *near =
            fx_call1(exec, FX_MUST, images, first, FX_HOST(&d->pixels[first][0], count, PIXELS));
        memcpy(found[first], fx_tensor_data(near), (size_t)count * sizeof found[0]);
        fx_tensor_free(near);
        show_progress(first + count);
    }
    fx_tensor_free(images);
    fx_exec_free(exec);
}

int main(int argc, char **argv) {
    static digits d;
    static int32_t found[IMAGES][NEIGHBOURS];
    static int confusion[DIGITS][DIGITS];
    const char *path = argc > 1 ? argv[1] : DIGITS_FILE;
    if (!read_digits(path, &d)) {
        fprintf(stderr, "%s: cannot read %d digits from %s\n", argv[0], IMAGES, path);
        return 1;
    }
    fx_backend *backend = fx_backend_open(NULL, FX_MUST);
    find_neighbours(backend, &d, found);
    fx_backend_close(backend);

    int right = 0, shown = 0;
    for (int i = 0; i < IMAGES; i++) {
        int guess = d.label[found[i][0]];
        confusion[d.label[i]][guess]++;
        right += guess == d.label[i];
    }
    printf("Leave-one-out accuracy of the nearest neighbour: %d of %d (%.2f %%)\n", right, IMAGES,
           100.0 * right / IMAGES);
    show_confusion(confusion);
    printf("\nTwo that are recognized:\n");
    for (int i = 0; i < SHOWN / 2; i++) show_neighbours(&d, i * 7, found[i * 7]);
    printf("\nTwo that are not:\n");
    for (int i = 0; i < IMAGES && shown < SHOWN / 2; i++)
        if (d.label[found[i][0]] != d.label[i]) {
            show_neighbours(&d, i, found[i]);
            shown++;
        }
    return 0;
}
