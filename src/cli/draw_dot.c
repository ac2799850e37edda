/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings for Graphviz, and how drawings read a graph: from the lines of its text that are not indented,
 * "%3 = add %1 %2 axes=[0] : (float32)[2, 3]  file:line". */
#include "drawing.h"
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static long read_id(const char **at) {
    char *end;
    long id = strtol(*at + 1, &end, 10); /* behind % */
    *at = end;
    return id;
}

static void push_operand(cli_box *box, long id) {
    long *longer = realloc(box->operands, (box->n_operands + 1) * sizeof *longer);
    if (!longer) exit(cli_fail("out of memory"));
    box->operands = longer;
    box->operands[box->n_operands++] = id;
}

/* The operation and what follows " : ", without the place. */
static char *label_of(const char *op, size_t op_length, const char *line, const char *end) {
    const char *type = NULL;
    for (const char *c = line; c + 3 < end; c++)
        if (strncmp(c, " : ", 3) == 0) type = c + 3;
    size_t length = 0;
    while (type && type + length < end && strncmp(type + length, "  ", 2) != 0) length++;
    char *label = cli_alloc(op_length + length + 2, 1);
    memcpy(label, op, op_length);
    label[op_length] = '\n';
    if (type) memcpy(label + op_length + 1, type, length);
    return label;
}

static void read_line(cli_box *box, const char *line, const char *end) {
    const char *at = line;
    box->id = read_id(&at);
    at += 3; /* " = " */
    const char *op = at;
    at += strcspn(at, " \n");
    box->label = label_of(op, (size_t)(at - op), line, end);
    while (at + 1 < end && at[0] == ' ' && at[1] == '%') {
        at++;
        push_operand(box, read_id(&at));
    }
}

bool cli_read_drawing(const char *graph, cli_drawing *drawing) {
    size_t n = 0;
    for (const char *c = graph; *c; c++) n += *c == '%' && (c == graph || c[-1] == '\n');
    if (n > CLI_MOST_DRAWN)
        return cli_fail("%zu nodes are too many for a drawing; at most %d are drawn", n, CLI_MOST_DRAWN) ==
               CLI_OK;
    *drawing = (cli_drawing){cli_alloc(n, sizeof *drawing->boxes), 0};
    for (const char *line = graph; *line;) {
        const char *end = line + strcspn(line, "\n");
        if (*line == '%') read_line(&drawing->boxes[drawing->n++], line, end);
        line = *end ? end + 1 : end;
    }
    return true;
}

void cli_free_drawing(cli_drawing *drawing) {
    for (size_t i = 0; i < drawing->n; i++) {
        free(drawing->boxes[i].label);
        free(drawing->boxes[i].operands);
    }
    free(drawing->boxes);
}

size_t cli_find_box(const cli_drawing *drawing, long id) {
    size_t low = 0, high = drawing->n; /* ids grow */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (drawing->boxes[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < drawing->n && drawing->boxes[low].id == id ? low : drawing->n;
}

/* ---- writing ---- */

static void print_quoted(const char *text, FILE *stream) {
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', stream);
        if (*text == '\n')
            fputs("\\n", stream);
        else
            fputc(*text, stream);
    }
}

bool cli_draw_dot(const char *graph, FILE *stream) {
    cli_drawing d;
    if (!cli_read_drawing(graph, &d)) return false;
    fputs("digraph fluxion {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n", stream);
    for (size_t i = 0; i < d.n; i++) {
        fprintf(stream, "  n%ld [label=\"", d.boxes[i].id);
        print_quoted(d.boxes[i].label, stream);
        fprintf(stream, "\"];\n");
        for (size_t k = 0; k < d.boxes[i].n_operands; k++)
            fprintf(stream, "  n%ld -> n%ld;\n", d.boxes[i].operands[k], d.boxes[i].id);
    }
    fputs("}\n", stream);
    cli_free_drawing(&d);
    return true;
}
