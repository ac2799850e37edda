/* SPDX-License-Identifier: Apache-2.0 */
/* Reading files of golden cases, one case a line: an operation, attributes, operands, "=" and results, as
 * tests/golden/README.md says; and comparing a value with a wanted one under a rule. A malformed line fails the test with
 * its file and number. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include "tensor/tensor.h"

enum { GOLDEN_ATTRS = 32, GOLDEN_TENSORS = 32, GOLDEN_LIST = 64 };

typedef struct golden_case {
    const char *file; /* "elementwise.txt" */
    int line;
    char *text; /* the line cut into words, owned; the names below point into it */
    const char *op;
    struct {
        const char *key, *value;
    } attrs[GOLDEN_ATTRS];
    size_t attr_count, operand_count, result_count;
    fx_tensor *operands[GOLDEN_TENSORS], *results[GOLDEN_TENSORS];
} golden_case;

typedef struct golden_file {
    const char *name;
    golden_case *cases;
    size_t count;
} golden_file;

/* All cases of tests/golden/<family>.txt. */
golden_file golden_read(const char *family);
void golden_free(golden_file *file);

/* ---- attributes of a case ---- */

typedef struct golden_list {
    int64_t v[GOLDEN_LIST];
    int axes[GOLDEN_LIST]; /* the same numbers */
    size_t n;
} golden_list;
bool golden_has(const golden_case *c, const char *key);
/* Empty when the case has no such attribute. */
golden_list golden_ints(const golden_case *c, const char *key);
int64_t golden_int(const golden_case *c, const char *key, int64_t otherwise);
double golden_real(const golden_case *c, const char *key, double otherwise);
const char *golden_word(const golden_case *c, const char *key, const char *otherwise);
fx_dtype golden_dtype(const golden_case *c, const char *key, fx_dtype otherwise);
#define GOLDEN_DIMS(list) ((fx_dims){(list).v, (list).n})
#define GOLDEN_AXES(list) ((fx_axes){(list).axes, (list).n})

/* ---- comparison ---- */

/* How far a value may be from the wanted one; any NaN equals any NaN. Of a complex value it is the distance in the plane.
 *   EXACT  the same bits
 *   ULP    `bound` + 1/2 units in the last place of the wanted value, which is itself rounded
 *   NORM   `bound` units in the last place of the largest finite magnitude among the wanted values, or of the
 *          case's attribute "scale" when it has one
 * A case may have a smaller bound than its row, in its attribute "ulps". */
typedef enum golden_rule { GOLDEN_EXACT, GOLDEN_ULP, GOLDEN_NORM } golden_rule;
typedef struct golden_tolerance {
    golden_rule rule;
    double bound;
} golden_tolerance;
typedef struct golden_difference {
    char text[1000];
} golden_difference;
bool golden_equal(const golden_case *c, const fx_tensor *got, const fx_tensor *want, golden_tolerance tolerance,
                  golden_difference *difference);

#endif
