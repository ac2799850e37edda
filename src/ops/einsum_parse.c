/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the equation of an einsum. Terms are first collected as letters, as they stand; when all are known
 * the letters get numbers in the order of ASCII, in which the axes of a result that is not written follow,
 * and the ellipsis gets as many as the longest one needs. Messages name the place, counted from 0. */
#include "ops/einsum_internal.h"
#include <string.h>

typedef struct raw_term {
    size_t at; /* place of its first character */
    int n;
    int ellipsis; /* letters before "..."; -1: none */
    char letters[FX_MAX_RANK];
    size_t places[FX_MAX_RANK];
} raw_term;

typedef struct parser {
    fxi_einsum *e;
    size_t at;
    raw_term terms[FXI_EINSUM_OPERANDS];
    size_t count;
    raw_term output;
    bool has_output;
    int ellipsis;          /* axes of the longest one */
    uint8_t label_of[128]; /* of a letter */
    int letters;           /* different ones */
} parser;

FXI_PRINTF(3, 4) static bool refuse(const parser *p, size_t at, const char *format, ...) {
    char message[200];
    fxi_text text = fxi_text_fixed(message, sizeof message);
    va_list list;
    va_start(list, format);
    fxi_text_add_list(&text, format, list);
    va_end(list);
    fxi_build_refuse(&p->e->b, FX_ERROR_ATTRIBUTE, "\"%.200s\" at %zu: %s", p->e->equation, at, message);
    return false;
}

/* ---- characters ---- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool add_letter(parser *p, raw_term *t, char c) {
    if (t->n == FX_MAX_RANK) return refuse(p, p->at, "more than %d letters in a term", FX_MAX_RANK);
    t->places[t->n] = p->at;
    t->letters[t->n++] = c;
    p->at++;
    return true;
}

static bool add_ellipsis(parser *p, raw_term *t) {
    if (strncmp(p->e->equation + p->at, "...", 3) != 0)
        return refuse(p, p->at, "a '.' that is not part of \"...\"");
    if (t->ellipsis >= 0) return refuse(p, p->at, "a second \"...\" in a term");
    t->ellipsis = t->n;
    p->at += 3;
    return true;
}

/* A term, up to the comma, the arrow or the end, where p->at then is. */
static bool read_term(parser *p, raw_term *t) {
    *t = (raw_term){.at = p->at, .ellipsis = -1};
    for (;;) {
        char c = p->e->equation[p->at];
        if (c == ' ')
            p->at++;
        else if (is_letter(c) ? !add_letter(p, t, c) : c == '.' ? !add_ellipsis(p, t) : false)
            return false;
        else if (!is_letter(c) && c != '.')
            return true;
    }
}

static bool read_terms(parser *p) {
    const char *equation = p->e->equation;
    for (;;) {
        raw_term t;
        if (!read_term(p, &t)) return false;
        if (p->count == p->e->count)
            return refuse(p, t.at, "more terms than the %zu operand%s", p->e->count,
                          p->e->count == 1 ? "" : "s");
        p->terms[p->count++] = t;
        if (equation[p->at] != ',') break;
        p->at++;
    }
    if (p->count < p->e->count)
        return refuse(p, p->at, "%zu term%s for %zu operands", p->count, p->count == 1 ? "" : "s",
                      p->e->count);
    if (equation[p->at] == '-' && equation[p->at + 1] == '>') {
        p->at += 2;
        p->has_output = true;
        if (!read_term(p, &p->output)) return false;
    }
    if (equation[p->at] == '\0') return true;
    return refuse(p, p->at, "'%c' is unexpected", equation[p->at]);
}

/* ---- labels ---- */

/* How many axes the ellipsis of an operand stands for. */
static bool count_axes(parser *p, size_t i) {
    const raw_term *t = &p->terms[i];
    const fx_shape *shape = &p->e->terms[i].node->shape;
    if (t->n > shape->rank || (t->ellipsis < 0 && t->n < shape->rank))
        return refuse(p, t->at, "%d letter%s for operand %zu, %s", t->n, t->n == 1 ? "" : "s", i,
                      fx_shape_to_text(shape).s);
    if (shape->rank - t->n > p->ellipsis) p->ellipsis = shape->rank - t->n;
    return true;
}

static bool number_letters(parser *p) {
    bool seen[128] = {false};
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < p->terms[i].n; k++) seen[(int)p->terms[i].letters[k]] = true;
    for (int c = 0; c < 128; c++) {
        if (!seen[c]) continue;
        p->e->letters[p->letters] = (char)c;
        p->label_of[c] = (uint8_t)p->letters++;
    }
    if (p->letters + p->ellipsis > FXI_EINSUM_LABELS)
        return refuse(p, 0, "more than %d different axes", FXI_EINSUM_LABELS);
    for (int i = 0; i < p->ellipsis; i++) p->e->letters[p->letters + i] = '.';
    for (int i = 0; i < FXI_EINSUM_LABELS; i++) p->e->dims[i] = -1;
    return true;
}

/* Puts the labels of a term down; the ellipsis has `axes` of them, the last of those there are. */
static void spell(const parser *p, const raw_term *t, int axes, fxi_einsum_term *term) {
    term->rank = 0;
    for (int i = 0; i <= t->n; i++) {
        for (int k = 0; i == t->ellipsis && k < axes; k++)
            term->labels[term->rank++] = (uint8_t)(p->letters + p->ellipsis - axes + k);
        if (i < t->n) term->labels[term->rank++] = p->label_of[(int)t->letters[i]];
    }
}

/* Dimensions of letters are equal, those of the ellipsis broadcast. */
static bool take_dims(parser *p, size_t i) {
    const raw_term *t = &p->terms[i];
    fxi_einsum_term *term = &p->e->terms[i];
    const fx_shape *shape = &term->node->shape;
    spell(p, t, shape->rank - t->n, term);
    for (int axis = 0; axis < term->rank; axis++) {
        int label = term->labels[axis];
        int64_t dim = shape->dims[axis], *known = &p->e->dims[label];
        bool is_letter = label < p->letters;
        p->e->used[label]++;
        if (*known < 0 || (!is_letter && *known == 1)) *known = dim;
        if (*known == dim || (!is_letter && dim == 1)) continue;
        if (is_letter)
            return refuse(p, t->at, "%c is %lld in operand %zu, %s, but %lld before", p->e->letters[label],
                          (long long)dim, i, fx_shape_to_text(shape).s, (long long)*known);
        return refuse(p, t->at, "axis %d of operand %zu, %s, does not broadcast to %lld", axis, i,
                      fx_shape_to_text(shape).s, (long long)*known);
    }
    return true;
}

/* ---- the result ---- */

static bool check_output(parser *p) {
    uint64_t seen = 0;
    if (p->ellipsis > 0 && p->output.ellipsis < 0)
        return refuse(p, p->output.at, "operands have axes for \"...\", which the result lacks");
    for (int i = 0; i < p->output.n; i++) {
        char c = p->output.letters[i];
        uint64_t bit = UINT64_C(1) << p->label_of[(int)c];
        if (p->e->letters[p->label_of[(int)c]] != c)
            return refuse(p, p->output.places[i], "%c is in no operand", c);
        if (seen & bit) return refuse(p, p->output.places[i], "%c stands twice in the result", c);
        seen |= bit;
    }
    if (p->output.n + p->ellipsis <= FX_MAX_RANK) return true;
    return refuse(p, p->output.at, "the result has %d axes, more than %d", p->output.n + p->ellipsis,
                  FX_MAX_RANK);
}

/* The result that is not written: the ellipsis, then the letters that occur once. */
static bool imply_output(parser *p) {
    p->output = (raw_term){.at = p->at};
    for (int label = 0; label < p->letters; label++) {
        if (p->e->used[label] != 1) continue;
        if (p->output.n == FX_MAX_RANK)
            return refuse(p, p->at, "the result has more than %d axes", FX_MAX_RANK);
        p->output.letters[p->output.n++] = p->e->letters[label];
    }
    return true;
}

bool fxi_einsum_parse(fxi_einsum *e, fx_nodes operands) {
    parser p = {.e = e};
    e->count = operands.n;
    for (size_t i = 0; i < operands.n; i++) e->terms[i].node = operands.v[i];
    if (!read_terms(&p)) return false;
    for (size_t i = 0; i < p.count; i++)
        if (!count_axes(&p, i)) return false;
    if (!number_letters(&p)) return false;
    for (size_t i = 0; i < p.count; i++)
        if (!take_dims(&p, i)) return false;
    if (!p.has_output && !imply_output(&p)) return false;
    if (!check_output(&p)) return false;
    spell(&p, &p.output, p.ellipsis, &e->output);
    return true;
}
