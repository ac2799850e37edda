/* SPDX-License-Identifier: Apache-2.0 */
/* The external functions that generated code may call, by name. Anything else is an error of the loader, so
 * that no kernel depends on what happens to be in the process; nothing is ever looked up with dlsym.
 *
 * The first group is what LLVM's code generator inserts by itself (copies, fills, frem); a function of this
 * library that kernels call gets a row of its own. Rows are sorted by name for the binary search; a test
 * checks that. */
#include "jit_internal.h"

#include <math.h>
#include <string.h>

typedef void (*function)(void);

static const struct symbol {
    const char *name;
    function address;
} symbols[] = {
    {"fmod", (function)(double (*)(double, double))fmod},
    {"fmodf", (function)(float (*)(float, float))fmodf},
    {"memcpy", (function)memcpy},
    {"memmove", (function)memmove},
    {"memset", (function)memset},
};

void *fxi_jit_external(const char *name) {
    size_t low = 0, high = sizeof symbols / sizeof *symbols;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, symbols[middle].name);
        if (order == 0) {
            void *address; /* ISO C has no conversion from function to object pointers; POSIX gives them one
                              form */
            memcpy(&address, &symbols[middle].address, sizeof address);
            return address;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
