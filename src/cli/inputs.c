/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of a function: files in their order, files with a name or number, archives by the names of their
 * members; what is then missing is made of zeros or random numbers, or listed in a message. Random
 * elements are drawn from a table of values, converted once each, so that every dtype is made alike. */
#include "cli.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct wanted {
    const fx_module *module;
    size_t function, n;
    fx_tensor **tensors;
} wanted;

static const fx_shape *shape_of(const wanted *w, size_t i) {
    return fx_module_input_shape(w->module, w->function, i);
}

static const char *name_of(const wanted *w, size_t i) {
    return fx_module_input_name(w->module, w->function, i);
}

void cli_free_tensors(fx_tensor **tensors, size_t n) {
    for (size_t i = 0; tensors && i < n; i++) fx_tensor_free(tensors[i]);
    free(tensors);
}

/* ---- which input is meant ---- */

static bool is_called(const char *whole, const char *name, size_t length) {
    return strlen(whole) == length && strncmp(whole, name, length) == 0;
}

/* Whether the whole ends in ['name'], as JAX calls the members of dictionaries. */
static bool is_member(const char *whole, const char *name, size_t length) {
    size_t n = strlen(whole);
    if (n < length + 4 || strcmp(whole + n - 2, "']") != 0) return false;
    const char *begin = whole + n - length - 4;
    return strncmp(begin, "['", 2) == 0 && strncmp(begin + 2, name, length) == 0;
}

/* By its name, the name of a member that no other has, its number, or NumPy's arr_N; n: none. */
static size_t find_input(const wanted *w, const char *name, size_t length) {
    size_t member = w->n, members = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (is_called(name_of(w, i), name, length)) return i;
        if (is_member(name_of(w, i), name, length)) member = i, members++;
    }
    if (members == 1) return member;
    if (length > 4 && strncmp(name, "arr_", 4) == 0) name += 4, length -= 4;
    size_t number = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)name[i]) || number > w->n) return w->n;
        number = number * 10 + (size_t)(name[i] - '0');
    }
    return length > 0 && number < w->n ? number : w->n;
}

/* Whether all have the names that a program without others gives them. */
static bool is_nameless(const wanted *w) {
    bool names = false;
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(name_of(w, i), fx_name("arg%zu", i).s) != 0) names = true;
    return !names;
}

/* A line for each, or for each that is missing. */
static void print_inputs(const wanted *w, bool missing) {
    for (size_t i = 0; i < w->n; i++) {
        if (missing && w->tensors[i]) continue;
        fprintf(stderr, "  %zu  %s  %s\n", i, name_of(w, i), fx_shape_to_text(shape_of(w, i)).s);
    }
}

static bool fail_name(const wanted *w, const char *file, const char *name, size_t length) {
    if (w->n == 0)
        return cli_fail("%s: no input is called %.*s; the function takes none", file, (int)length, name) ==
               CLI_OK;
    cli_fail("%s: no input is called %.*s; %s", file, (int)length, name,
             is_nameless(w) ? "the program names none (JAX: as_text(debug_info=True)). They are:"
                            : "they are:");
    print_inputs(w, false);
    return false;
}

static bool is_file(const char *path) {
    FILE *stream = fopen(path, "rb");
    return stream && fclose(stream) == 0;
}

static size_t first_missing(const wanted *w) {
    size_t i = 0;
    while (i < w->n && w->tensors[i]) i++;
    return i;
}

/* Takes over the tensor. */
static bool set_input(const wanted *w, size_t i, fx_tensor *tensor, const char *file) {
    const fx_shape *shape = shape_of(w, i);
    bool again = w->tensors[i] != NULL;
    if (!again && fx_shape_equal(shape, fx_tensor_shape(tensor))) {
        w->tensors[i] = tensor;
        return true;
    }
    if (again)
        cli_fail("%s: input %zu, %s, is given twice", file, i, name_of(w, i));
    else
        cli_fail("%s: it is %s, input %zu, %s, is %s", file, fx_shape_to_text(fx_tensor_shape(tensor)).s, i,
                 name_of(w, i), fx_shape_to_text(shape).s);
    fx_tensor_free(tensor);
    return false;
}

/* ---- files ---- */

static bool set_archive(const wanted *w, const char *file, const fx_params *map) {
    for (size_t k = 0; k < fx_params_count(map); k++) {
        const char *name = fx_params_name(map, k);
        size_t i = find_input(w, name, strlen(name));
        if (i == w->n) return fail_name(w, file, name, strlen(name));
        if (!set_input(w, i, fx_tensor_ref(fx_params_tensor(map, k)), file)) return false;
    }
    return true;
}

/* "FILE", "NAME=FILE" or "N=FILE". */
static bool read_input(const wanted *w, const char *word) {
    const char *equals = strchr(word, '='), *file = word;
    size_t i = equals ? find_input(w, word, (size_t)(equals - word)) : w->n;
    bool named = i < w->n;
    if (named)
        file = equals + 1;
    else if (equals && cli_format_of(equals + 1) != CLI_NONE && !is_file(word))
        return fail_name(w, word, word, (size_t)(equals - word));
    bool archive = cli_format_of(file) == CLI_NPZ || cli_format_of(file) == CLI_SAFETENSORS;
    if (!named && !archive) i = first_missing(w);
    if (!named && !archive && i == w->n)
        return cli_fail("%s: the function takes %zu inputs, no more", file, w->n) == CLI_OK;
    const fx_shape *shape = i < w->n ? shape_of(w, i) : NULL;
    fx_params *map = cli_read_tensors(file, shape ? shape->dtype : FX_BF16);
    if (!map) return false;
    bool ok = fx_params_count(map) == 1 && i < w->n
                  ? set_input(w, i, fx_tensor_ref(fx_params_tensor(map, 0)), file)
                  : set_archive(w, file, map);
    fx_params_free(map);
    return ok;
}

/* ---- made ones ---- */

enum { TABLE = 4096 }; /* values that random elements are drawn from */

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Floats from -1 to 1, integers from 0 to 9, which are indices of most things. */
static bool make_table(fx_dtype real, size_t bytes, char *table, uint64_t *state) {
    for (size_t i = 0; i < TABLE; i++) {
        double unit = (double)(next_random(state) >> 11) * 0x1p-53;
        double value = fx_dtype_is_float(real) ? 2 * unit - 1
                       : real == FX_BOOL       ? unit < 0.5
                                               : (int)(10 * unit);
        fx_tensor *one = fx_tensor_scalar(real, value, NULL);
        if (!one) return false;
        memcpy(table + i * bytes, fx_tensor_data(one), bytes);
        fx_tensor_free(one);
    }
    return true;
}

static fx_tensor *make_random(const fx_shape *shape, uint64_t *state, fx_error *err) {
    fx_dtype real = fx_dtype_real(shape->dtype);
    size_t bytes = fx_dtype_bits(real) < 8 ? 1 : (size_t)fx_dtype_bits(real) / 8;
    fx_tensor *tensor = fx_tensor_new(shape, err);
    char *data = fx_tensor_mutable_data(tensor), *table = cli_alloc(TABLE, bytes);
    int64_t n = fx_shape_bytes(shape) / (int64_t)bytes;
    if (!tensor || !make_table(real, bytes, table, state))
        n = 0;
    else if (fx_dtype_bits(real) < 8) /* packed: all bits are values */
        for (size_t i = 0; i < TABLE; i++) table[i] = (char)next_random(state);
    for (int64_t i = 0; i < n; i++)
        memcpy(data + (size_t)i * bytes, table + next_random(state) % TABLE * bytes, bytes);
    free(table);
    return tensor;
}

static bool make_missing(const wanted *w, bool zeros, uint64_t seed) {
    for (size_t i = 0; i < w->n; i++) {
        fx_error err = {.code = FX_OK};
        uint64_t state = seed * 0x10001 + i;
        if (w->tensors[i]) continue;
        const fx_shape *shape = shape_of(w, i);
        w->tensors[i] = zeros ? fx_tensor_new(shape, &err) : make_random(shape, &state, &err);
        if (!w->tensors[i]) return cli_fail("input %zu: %s", i, err.message) == CLI_OK;
    }
    return true;
}

static bool list_missing(const wanted *w) {
    if (first_missing(w) == w->n) return true;
    cli_fail("inputs are missing; give --input NAME=FILE, --random SEED or --zeros:");
    print_inputs(w, true);
    return false;
}

fx_tensor **cli_make_inputs(const cli_settings *settings, const fx_module *module, size_t function,
                            bool fill) {
    wanted w = {module, function, fx_module_input_count(module, function), NULL};
    if (!cli_has_shapes(module, function)) return NULL;
    w.tensors = cli_alloc(w.n, sizeof *w.tensors);
    bool ok = true;
    for (size_t i = 0; ok && i < settings->inputs.n; i++) ok = read_input(&w, settings->inputs.v[i]);
    if (ok && (settings->zeros || settings->random >= 0 || fill))
        ok = make_missing(&w, settings->zeros, settings->random >= 0 ? (uint64_t)settings->random : 1);
    if (ok && list_missing(&w)) return w.tensors;
    cli_free_tensors(w.tensors, w.n);
    return NULL;
}

fx_arg *cli_make_args(fx_tensor *const *tensors, size_t n) {
    fx_arg *args = cli_alloc(n, sizeof *args);
    for (size_t i = 0; i < n; i++) args[i] = (fx_arg){.kind = FX_ARG_TENSOR, .u.t = tensors[i]};
    return args;
}

bool cli_call(fx_exec *exec, const fx_arg *args, size_t n, fx_tensor **out, size_t n_out, fx_error *err) {
    bool ok = fx_exec_call(exec, args, n, out, n_out, err);
    for (size_t i = 0; ok && i < n_out; i++) ok = fx_tensor_fetch(out[i], err);
    return ok;
}
