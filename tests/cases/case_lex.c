/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of a program. The language is the expression part of Python that the files use: names (with dots,
 * for packages), numbers with their sign (there is no arithmetic), quoted strings without escapes, and
 * eight marks. */
#include "cases.h"

#include <ctype.h>
#include <string.h>

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static size_t name_end(const char *s, size_t at) {
    while (is_name_char(s[at]) || (s[at] == '.' && is_name_char(s[at + 1]))) at++;
    return at;
}

/* Past sign, digits, fraction and exponent; the value is checked by whoever converts it. */
static size_t number_end(const char *s, size_t at) {
    if (s[at] == '-' || s[at] == '+') at++;
    while (isalnum((unsigned char)s[at]) || s[at] == '.' ||
           ((s[at] == '-' || s[at] == '+') && (s[at - 1] == 'e' || s[at - 1] == 'E'))) {
        at++;
    }
    return at;
}

static bool lex_string(const char *s, size_t *at, struct token *token, struct message *why) {
    char quote = s[*at];
    size_t start = *at + 1, end = start;
    while (s[end] && s[end] != quote && s[end] != '\\') end++;
    if (s[end] != quote) {
        message_set(why, "at %zu: the string does not end, or has an escape", *at);
        return false;
    }
    *token = (struct token){TOKEN_STRING, start, end - start, 0};
    *at = end + 1;
    return true;
}

bool case_lex(const char *program, size_t *at, struct token *token, struct message *why) {
    while (isspace((unsigned char)program[*at])) ++*at;
    size_t start = *at;
    char c = program[start];
    if (!c) {
        *token = (struct token){TOKEN_END, start, 0, 0};
        return true;
    }
    if (c == '"' || c == '\'') return lex_string(program, at, token, why);
    if (isalpha((unsigned char)c) || c == '_') {
        *at = name_end(program, start);
        *token = (struct token){TOKEN_NAME, start, *at - start, 0};
        return true;
    }
    if (isdigit((unsigned char)c) || ((c == '-' || c == '+' || c == '.') && program[start + 1])) {
        *at = number_end(program, start);
        *token = (struct token){TOKEN_NUMBER, start, *at - start, 0};
        return true;
    }
    if (strchr("()[],;:=", c)) {
        *token = (struct token){TOKEN_MARK, start, 1, c};
        ++*at;
        return true;
    }
    message_set(why, "at %zu: '%c' (0x%02x) has no meaning here", start, isprint((unsigned char)c) ? c : '?',
                (unsigned)(unsigned char)c);
    return false;
}
