/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a program, by recursive descent with a limited depth:
 *   program    statement { ";" statement } [ ";" ]          the last one is the only "return"
 *   statement  name { "," name } "=" expression  |  "return" expression { "," expression }
 *   expression "lambda" [ name { "," name } ] ":" expression  |  primary { "[" expression "]" }
 *   primary    number | string | name [ "(" arguments ")" ] | "[" expressions "]" | "(" expression ")"
 *   argument   [ name "=" ] expression */
#include "cases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *program;
    size_t at; /* behind `now` */
    struct token now;
    struct arena *arena;
    struct message *why;
    int depth;
};

static bool is_mark(const struct parser *p, char mark) {
    return p->now.kind == TOKEN_MARK && p->now.mark == mark;
}

static bool is_word(const struct parser *p, const char *word) {
    return p->now.kind == TOKEN_NAME && p->now.n == strlen(word) &&
           memcmp(p->program + p->now.at, word, p->now.n) == 0;
}

static bool advance(struct parser *p) {
    return case_lex(p->program, &p->at, &p->now, p->why);
}

static bool fail(const struct parser *p, const char *wanted) {
    if (p->now.kind == TOKEN_END) {
        message_set(p->why, "at %zu: the program ends, wanted %s", p->now.at, wanted);
    } else {
        message_set(p->why, "at %zu: '%.*s', wanted %s", p->now.at, (int)(p->now.n > 40 ? 40 : p->now.n),
                    p->program + p->now.at, wanted);
    }
    return false;
}

static bool take_mark(struct parser *p, char mark) {
    char wanted[4] = {'\'', mark, '\'', 0};
    return is_mark(p, mark) ? advance(p) : fail(p, wanted);
}

static struct tree *new_tree(struct parser *p, enum tree_kind kind) {
    struct tree *tree = arena_alloc(p->arena, 1, sizeof *tree);
    if (!tree) {
        message_set(p->why, "no memory");
        return NULL;
    }
    tree->kind = kind;
    tree->at = p->now.at;
    return tree;
}

static const char *take_text(struct parser *p) {
    const char *text = arena_text(p->arena, p->program + p->now.at, p->now.n);
    if (!text) message_set(p->why, "no memory");
    return text && advance(p) ? text : NULL;
}

/* name { "," name }, possibly none, up to the given mark, which is taken. */
static bool parse_names(struct parser *p, char end, struct tree_name **names) {
    while (!is_mark(p, end)) {
        if (p->now.kind != TOKEN_NAME) return fail(p, "a name");
        struct tree_name *name = arena_alloc(p->arena, 1, sizeof *name);
        if (!name || !(name->text = take_text(p))) return false;
        *names = name;
        names = &name->next;
        if (is_mark(p, end)) break;
        if (!take_mark(p, ',')) return false;
    }
    return take_mark(p, end);
}

static struct tree *parse_expression(struct parser *p);

/* One argument; a name is a keyword when "=" follows it. */
static struct tree *parse_argument(struct parser *p) {
    size_t behind = p->at;
    struct token next;
    if (p->now.kind != TOKEN_NAME) return parse_expression(p);
    if (!case_lex(p->program, &behind, &next, p->why)) return NULL;
    if (next.kind != TOKEN_MARK || next.mark != '=') return parse_expression(p);
    const char *keyword = take_text(p);
    if (!keyword || !advance(p)) return NULL;
    struct tree *argument = parse_expression(p);
    if (argument) argument->keyword = keyword;
    return argument;
}

/* Expressions with commas between, up to the given mark, which is taken. */
static bool parse_items(struct parser *p, char end, struct tree **items) {
    while (!is_mark(p, end)) {
        struct tree *item = end == ')' ? parse_argument(p) : parse_expression(p);
        if (!item) return false;
        *items = item;
        items = &item->next;
        if (is_mark(p, end)) break;
        if (!take_mark(p, ',')) return false;
    }
    return take_mark(p, end);
}

static struct tree *parse_number(struct parser *p) {
    struct tree *tree = new_tree(p, TREE_NUMBER);
    const char *text = tree ? take_text(p) : NULL;
    if (!text) return NULL;
    char *end;
    errno = 0;
    long long whole = strtoll(text, &end, 10);
    if (*end == 0 && errno == 0) {
        tree->number = (struct number){true, whole, (double)whole};
        return tree;
    }
    double value = strtod(text, &end);
    if (*end != 0) {
        message_set(p->why, "at %zu: '%.40s' is no number", tree->at, text);
        return NULL;
    }
    tree->number = (struct number){false, 0, value};
    return tree;
}

static struct tree *parse_primary(struct parser *p) {
    if (p->now.kind == TOKEN_NUMBER) return parse_number(p);
    if (is_mark(p, '(')) {
        if (!advance(p)) return NULL;
        struct tree *inner = parse_expression(p);
        return inner && take_mark(p, ')') ? inner : NULL;
    }
    if (is_mark(p, '[')) {
        struct tree *list = new_tree(p, TREE_LIST);
        return list && advance(p) && parse_items(p, ']', &list->first) ? list : NULL;
    }
    if (p->now.kind != TOKEN_NAME && p->now.kind != TOKEN_STRING) {
        fail(p, "an expression");
        return NULL;
    }
    struct tree *tree = new_tree(p, p->now.kind == TOKEN_STRING ? TREE_STRING : TREE_NAME);
    if (!tree || !(tree->text = take_text(p))) return NULL;
    if (tree->kind == TREE_STRING || !is_mark(p, '(')) return tree;
    tree->kind = TREE_CALL;
    return advance(p) && parse_items(p, ')', &tree->first) ? tree : NULL;
}

static struct tree *parse_postfix(struct parser *p) {
    struct tree *tree = parse_primary(p);
    for (int n = 0; tree && is_mark(p, '['); n++) {
        if (n == CASE_MAX_DEPTH) {
            message_set(p->why, "at %zu: more than %d indices in a row", p->now.at, CASE_MAX_DEPTH);
            return NULL;
        }
        struct tree *index = new_tree(p, TREE_INDEX);
        if (!index || !advance(p)) return NULL;
        index->first = tree;
        tree->next = parse_expression(p);
        tree = tree->next && take_mark(p, ']') ? index : NULL;
    }
    return tree;
}

static struct tree *parse_lambda(struct parser *p) {
    struct tree *tree = new_tree(p, TREE_LAMBDA);
    if (!tree || !advance(p) || !parse_names(p, ':', &tree->names)) return NULL;
    tree->first = parse_expression(p);
    return tree->first ? tree : NULL;
}

static struct tree *parse_expression(struct parser *p) {
    if (p->depth == CASE_MAX_DEPTH) {
        message_set(p->why, "at %zu: expressions are nested more than %d deep", p->now.at, CASE_MAX_DEPTH);
        return NULL;
    }
    p->depth++;
    struct tree *tree = is_word(p, "lambda") ? parse_lambda(p) : parse_postfix(p);
    p->depth--;
    return tree;
}

static struct tree *parse_return(struct parser *p) {
    struct tree *tree = new_tree(p, TREE_RETURN);
    if (!tree || !advance(p)) return NULL;
    struct tree **last = &tree->first;
    for (;;) {
        *last = parse_expression(p);
        if (!*last) return NULL;
        last = &(*last)->next;
        if (!is_mark(p, ',')) return tree;
        if (!advance(p)) return NULL;
    }
}

static struct tree *parse_statement(struct parser *p) {
    if (is_word(p, "return")) return parse_return(p);
    struct tree *tree = new_tree(p, TREE_ASSIGN);
    if (!tree || !parse_names(p, '=', &tree->names)) return NULL;
    if (!tree->names) {
        message_set(p->why, "at %zu: nothing on the left of '='", tree->at);
        return NULL;
    }
    tree->first = parse_expression(p);
    return tree->first ? tree : NULL;
}

struct tree *case_parse(const char *program, struct arena *arena, struct message *why) {
    struct parser p = {.program = program, .arena = arena, .why = why};
    if (strlen(program) > CASE_MAX_PROGRAM) {
        message_set(why, "the program has more than %d bytes", CASE_MAX_PROGRAM);
        return NULL;
    }
    struct tree *first = NULL, **last = &first;
    if (!advance(&p)) return NULL;
    for (;;) {
        struct tree *statement = parse_statement(&p);
        if (!statement) return NULL;
        *last = statement;
        last = &statement->next;
        if (is_mark(&p, ';') && !advance(&p)) return NULL;
        if (statement->kind == TREE_RETURN) break;
    }
    if (p.now.kind != TOKEN_END) {
        fail(&p, "the end after return");
        return NULL;
    }
    return first;
}
