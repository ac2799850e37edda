/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures show means over parts of the curve, since single steps of training jump about. */
#include "curve.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool curve_add(curve *c, double value) {
    if (c->n == c->room) {
        size_t room = c->room ? 2 * c->room : 256;
        double *v = realloc(c->v, room * sizeof *v);
        if (!v) return false;
        c->v = v;
        c->room = room;
    }
    c->v[c->n++] = value;
    return true;
}

void curve_free(curve *c) {
    free(c->v);
    *c = (curve){NULL, 0, 0};
}

double curve_mean(const curve *c, size_t i, size_t parts) {
    size_t from = i * c->n / parts, to = (i + 1) * c->n / parts;
    double sum = 0;
    if (to == from) to = from + 1;
    for (size_t k = from; k < to && k < c->n; k++) sum += c->v[k];
    return sum / (double)(to - from);
}

/* Smallest and largest mean of the parts; both are different numbers. */
static void find_range(const curve *c, size_t parts, double *low, double *high) {
    *low = *high = curve_mean(c, 0, parts);
    for (size_t i = 1; i < parts; i++) {
        *low = fmin(*low, curve_mean(c, i, parts));
        *high = fmax(*high, curve_mean(c, i, parts));
    }
    if (!(*high > *low)) *high = *low + 1;
}

void curve_print_to(const curve *c, int width, FILE *stream) {
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    size_t parts = (size_t)width < c->n ? (size_t)width : c->n;
    double low, high;
    if (parts == 0) return;
    find_range(c, parts, &low, &high);
    for (size_t i = 0; i < parts; i++) {
        double share = (curve_mean(c, i, parts) - low) / (high - low);
        fputs(isfinite(share) ? blocks[(int)(share * 7 + 0.5)] : "?", stream);
    }
}

void curve_print(const curve *c, int width) {
    curve_print_to(c, width, stdout);
}

enum { WIDTH = 640, HEIGHT = 360, MARGIN = 50, POINTS = 200 };

static void draw(FILE *file, const curve *c, const char *title) {
    size_t parts = POINTS < c->n ? POINTS : c->n;
    double low, high;
    find_range(c, parts, &low, &high);
    bool by_logarithm = low > 0;
    double bottom = by_logarithm ? log(low) : low, top = by_logarithm ? log(high) : high;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"%d\" y=\"25\" font-size=\"16\">%s</text>\n",
            WIDTH, HEIGHT, MARGIN, title);
    fprintf(file, "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"gray\"/>\n", MARGIN, MARGIN,
            HEIGHT - MARGIN, WIDTH - MARGIN);
    fprintf(file, "<text x=\"4\" y=\"%d\">%.3g</text>\n<text x=\"4\" y=\"%d\">%.3g</text>\n", MARGIN + 4,
            high, HEIGHT - MARGIN + 4, low);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%zu steps</text>\n", WIDTH - MARGIN,
            HEIGHT - MARGIN + 20, c->n);
    fprintf(file, "<polyline fill=\"none\" stroke=\"steelblue\" stroke-width=\"2\" points=\"");
    for (size_t i = 0; i < parts; i++) {
        double mean = curve_mean(c, i, parts),
               y = ((by_logarithm ? log(mean) : mean) - bottom) / (top - bottom);
        double x = parts > 1 ? (double)i / (double)(parts - 1) : 0;
        if (isfinite(y))
            fprintf(file, "%.1f,%.1f ", MARGIN + x * (WIDTH - 2 * MARGIN),
                    HEIGHT - MARGIN - y * (HEIGHT - 2 * MARGIN));
    }
    fprintf(file, "\"/>\n</svg>\n");
}

bool curve_write_svg(const curve *c, const char *path, const char *title) {
    FILE *file = c->n ? fopen(path, "w") : NULL;
    if (file) draw(file, c, title);
    bool ok = file && !ferror(file);
    if (file && fclose(file) != 0) ok = false;
    if (!ok) fprintf(stderr, "cannot write %s: %s\n", path, c->n ? strerror(errno) : "the curve is empty");
    return ok;
}
