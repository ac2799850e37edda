/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings in layers: a node lies one layer below the lowest of its operands, so that all arrows point down.
 * Within a layer nodes are sorted by the mean place of their operands, twice, the usual remedy for crossing
 * arrows (Sugiyama's barycentres). Boxes are as wide as their text. */
#include "drawing.h"
#include <stdlib.h>
#include <string.h>

enum { LETTER = 7, LINE = 14, MARGIN = 8, GAP_X = 16, GAP_Y = 40, HEIGHT = 2 * LINE + MARGIN };

typedef struct place {
    size_t box, layer;
    double wish; /* mean middle of the operands */
    long x, width;
} place;

static long width_of(const char *label) {
    size_t first = strcspn(label, "\n"), second = strlen(label) - first;
    return (long)(first > second ? first : second) * LETTER + 2 * MARGIN;
}

static void choose_layers(const cli_drawing *d, place *places) {
    for (size_t i = 0; i < d->n; i++) {
        const cli_box *box = &d->boxes[i];
        places[i] = (place){.box = i, .width = width_of(box->label)};
        for (size_t k = 0; k < box->n_operands; k++) {
            size_t o = cli_find_box(d, box->operands[k]);
            if (o < i && places[o].layer >= places[i].layer) places[i].layer = places[o].layer + 1;
        }
    }
}

static int by_layer_and_wish(const void *a, const void *b) {
    const place *p = *(place *const *)a, *q = *(place *const *)b;
    if (p->layer != q->layer) return p->layer < q->layer ? -1 : 1;
    if (p->wish < q->wish || p->wish > q->wish) return p->wish < q->wish ? -1 : 1;
    return p->box < q->box ? -1 : p->box > q->box;
}

/* Lays layers out from left to right; gives the widest. */
static long lay_out(const cli_drawing *d, place *places, place **order) {
    long x = 0, widest = 0;
    qsort(order, d->n, sizeof *order, by_layer_and_wish);
    for (size_t i = 0; i < d->n; i++) {
        if (i == 0 || order[i]->layer != order[i - 1]->layer) x = GAP_X;
        order[i]->x = x;
        x += order[i]->width + GAP_X;
        if (x > widest) widest = x;
    }
    for (size_t i = 0; i < d->n; i++) {
        const cli_box *box = &d->boxes[i];
        double sum = 0;
        size_t n = 0;
        for (size_t k = 0; k < box->n_operands; k++) {
            size_t o = cli_find_box(d, box->operands[k]);
            if (o < d->n) sum += (double)places[o].x + (double)places[o].width / 2, n++;
        }
        places[i].wish = n > 0 ? sum / (double)n : (double)places[i].x;
    }
    return widest;
}

static void print_escaped(const char *text, size_t n, FILE *stream) {
    for (size_t i = 0; i < n; i++) switch (text[i]) {
        case '<': fputs("&lt;", stream); break;
        case '>': fputs("&gt;", stream); break;
        case '&': fputs("&amp;", stream); break;
        default: fputc(text[i], stream);
        }
}

static long top_of(const place *p) {
    return (long)p->layer * (HEIGHT + GAP_Y) + GAP_X;
}

static void print_box(const cli_box *box, const place *p, FILE *stream) {
    size_t first = strcspn(box->label, "\n");
    long middle = p->x + p->width / 2, top = top_of(p);
    fprintf(stream,
            "<rect x=\"%ld\" y=\"%ld\" width=\"%ld\" height=\"%d\" rx=\"3\"/>\n<text x=\"%ld\" y=\"%ld\">",
            p->x, top, p->width, HEIGHT, middle, top + LINE);
    print_escaped(box->label, first, stream);
    fprintf(stream, "</text>\n<text x=\"%ld\" y=\"%ld\">", middle, top + 2 * LINE);
    if (box->label[first]) print_escaped(box->label + first + 1, strlen(box->label + first + 1), stream);
    fputs("</text>\n", stream);
}

static void print_arrows(const cli_drawing *d, const place *places, size_t i, FILE *stream) {
    const cli_box *box = &d->boxes[i];
    for (size_t k = 0; k < box->n_operands; k++) {
        size_t o = cli_find_box(d, box->operands[k]);
        if (o == d->n) continue;
        fprintf(stream, "<line x1=\"%ld\" y1=\"%ld\" x2=\"%ld\" y2=\"%ld\"/>\n",
                places[o].x + places[o].width / 2, top_of(&places[o]) + HEIGHT,
                places[i].x + places[i].width / 2, top_of(&places[i]));
    }
}

bool cli_draw_svg(const char *graph, FILE *stream) {
    cli_drawing d;
    if (!cli_read_drawing(graph, &d)) return false;
    place *places = cli_alloc(d.n, sizeof *places), **order = cli_alloc(d.n, sizeof *order);
    choose_layers(&d, places);
    for (size_t i = 0; i < d.n; i++) order[i] = &places[i];
    long width = 0, bottom = 0;
    for (int round = 0; round < 3; round++) width = lay_out(&d, places, order);
    for (size_t i = 0; i < d.n; i++)
        if (top_of(&places[i]) > bottom) bottom = top_of(&places[i]);
    fprintf(
        stream,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%ld\" height=\"%ld\" font-family=\"monospace\" "
        "font-size=\"11\" text-anchor=\"middle\">\n"
        "<style>rect{fill:#f4f6fa;stroke:#456} line{stroke:#89a;marker-end:url(#a)}</style>\n"
        "<defs><marker id=\"a\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\">"
        "<path d=\"M0 0L8 4L0 8z\" fill=\"#89a\"/></marker></defs>\n",
        width, bottom + HEIGHT + GAP_X);
    for (size_t i = 0; i < d.n; i++) print_arrows(&d, places, i, stream);
    for (size_t i = 0; i < d.n; i++) print_box(&d.boxes[i], &places[i], stream);
    fputs("</svg>\n", stream);
    free(order);
    free(places);
    cli_free_drawing(&d);
    return true;
}
