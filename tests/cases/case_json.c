/* SPDX-License-Identifier: Apache-2.0 */
/* The file: an array of cases, parsed by json-c (strictly, with a depth limit), checked field by field. */
#include "cases.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_DEPTH = 16 };

/* The whole file, terminated; *n is its length without trailing white space. */
static char *read_file(const char *path, size_t *n, struct message *why) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, room = 0, got = 1;
    while (file && got > 0) {
        if (size == room) {
            room = room ? 2 * room : 1 << 16;
            char *more = room <= 2 * (size_t)CASE_MAX_FILE ? realloc(text, room + 1) : NULL;
            if (!more) break;
            text = more;
        }
        got = fread(text + size, 1, room - size, file);
        size += got;
    }
    if (!file || ferror(file) || got > 0 || size > CASE_MAX_FILE) {
        message_set(why, "%s: %s", path, file && got > 0 ? "too large" : "cannot be read");
        free(text);
        text = NULL;
    }
    if (file) fclose(file);
    if (!text) return NULL;
    while (size > 0 && strchr(" \t\r\n", text[size - 1])) size--;
    text[size] = 0;
    *n = size;
    return text;
}

bool case_file_open(struct case_file *file, const char *path, struct message *why) {
    size_t n = 0;
    char *text = read_file(path, &n, why);
    if (!text) return false;
    struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH);
    file->root = NULL;
    if (!tokener) {
        message_set(why, "%s: no memory", path);
    } else {
        json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
        file->root = json_tokener_parse_ex(tokener, text, (int)n);
        enum json_tokener_error error = json_tokener_get_error(tokener);
        size_t end = json_tokener_get_parse_end(tokener);
        if (error != json_tokener_success || end != n ||
            json_object_get_type(file->root) != json_type_array) {
            const char *what = error == json_tokener_continue  ? "the text ends too early"
                               : error != json_tokener_success ? json_tokener_error_desc(error)
                               : end != n                      ? "more text follows"
                                                               : "no array of cases";
            message_set(why, "%s: byte %zu: %s", path, end, what);
            case_file_close(file);
        }
    }
    if (tokener) json_tokener_free(tokener);
    free(text);
    if (file->root) file->count = json_object_array_length(file->root);
    return file->root != NULL;
}

void case_file_close(struct case_file *file) {
    json_object_put(file->root);
    file->root = NULL;
    file->count = 0;
}

static const struct json_object *member(const struct json_object *object, const char *key) {
    struct json_object *value = NULL;
    return json_object_object_get_ex(object, key, &value) ? value : NULL;
}

/* A member that must be a string; NULL with a message. */
static const char *member_text(const struct json_object *object, const char *key, struct message *why) {
    const struct json_object *value = member(object, key);
    if (json_object_get_type(value) == json_type_string)
        return json_object_get_string((struct json_object *)(uintptr_t)value);
    message_set(why, "'%s' is missing or no string", key);
    return NULL;
}

static bool member_number(const struct json_object *object, const char *key, double *number,
                          struct message *why) {
    const struct json_object *value = member(object, key);
    json_type type = json_object_get_type(value);
    *number = value ? json_object_get_double(value) : 0;
    if (!value || ((type == json_type_int || type == json_type_double) && *number >= 0)) return true;
    message_set(why, "'%s' is no number from 0 up", key);
    return false;
}

static bool read_shape(const struct json_object *object, fx_shape *shape, struct message *why) {
    const char *dtype = member_text(object, "dtype", why);
    const struct json_object *dims = member(object, "shape");
    if (!dtype) return false;
    size_t rank =
        json_object_get_type(dims) == json_type_array ? json_object_array_length(dims) : FX_MAX_RANK + 1;
    if (rank > FX_MAX_RANK) {
        message_set(why, "'shape' is no array of up to %d dimensions", FX_MAX_RANK);
        return false;
    }
    int64_t v[FX_MAX_RANK] = {0};
    for (size_t i = 0; i < rank; i++) {
        const struct json_object *dim = json_object_array_get_idx(dims, i);
        v[i] = json_object_get_type(dim) == json_type_int ? json_object_get_int64(dim) : -1;
    }
    *shape = fx_shape_make(fx_dtype_parse(dtype), v, rank);
    if (fx_dtype_parse(dtype) == FX_INVALID_DTYPE) {
        message_set(why, "dtype '%.40s' is unknown", dtype);
        return false;
    }
    int64_t size = fx_shape_is_valid(shape) ? fx_shape_size(shape) : -1;
    if (size >= 0 && size <= CASE_MAX_ELEMENTS) return true;
    message_set(why, "a dimension is no integer from 0 up, or there are more than %d elements",
                CASE_MAX_ELEMENTS);
    return false;
}

static bool read_tensor(const struct json_object *object, bool is_input, struct case_tensor *tensor,
                        struct message *why) {
    struct json_object *data = NULL;
    if (json_object_get_type(object) != json_type_object) {
        message_set(why, "a tensor is no object");
        return false;
    }
    if (is_input && !(tensor->name = member_text(object, "name", why))) return false;
    if (!read_shape(object, &tensor->shape, why)) return false;
    bool present = json_object_object_get_ex(object, "data", &data);
    if (present && !data && !is_input) return true; /* null: only the shape is stated */
    tensor->tensor = case_tensor_read(&tensor->shape, data, why);
    return tensor->tensor != NULL;
}

static bool read_tensors(const struct json_object *object, const char *key, struct arena *arena,
                         struct case_tensor **tensors, size_t *n, struct message *why) {
    const struct json_object *array = member(object, key);
    size_t count = json_object_get_type(array) == json_type_array ? json_object_array_length(array)
                                                                  : CASE_MAX_VALUES + 1;
    if (count > CASE_MAX_VALUES) {
        message_set(why, "'%s' is no array of up to %d tensors", key, CASE_MAX_VALUES);
        return false;
    }
    *tensors = arena_alloc(arena, count + 1, sizeof **tensors);
    if (!*tensors) {
        message_set(why, "no memory");
        return false;
    }
    *n = count;
    for (size_t i = 0; i < count; i++) {
        struct message inner = {""};
        if (!read_tensor(json_object_array_get_idx(array, i), key[0] == 'i', &(*tensors)[i], &inner)) {
            message_set(why, "%s %zu: %.400s", key, i, inner.s);
            return false;
        }
    }
    return true;
}

static bool read_error(const struct json_object *object, struct test_case *test, struct message *why) {
    const struct json_object *error = member(object, "error");
    if (!error) return true;
    const char *stage =
        json_object_get_type(error) == json_type_object ? member_text(error, "stage", why) : NULL;
    if (stage && strcmp(stage, "build") == 0) test->error_stage = STAGE_BUILD;
    if (stage && strcmp(stage, "exec") == 0) test->error_stage = STAGE_EXEC;
    if (test->error_stage != STAGE_NONE) return true;
    message_set(why, "'error' has no stage 'build' or 'exec'");
    return false;
}

bool case_file_read(const struct case_file *file, size_t index, struct arena *arena, struct test_case *test,
                    struct message *why) {
    const struct json_object *object = json_object_array_get_idx(file->root, index);
    *test = (struct test_case){.id = "?", .category = "?"};
    if (json_object_get_type(object) != json_type_object) {
        message_set(why, "case %zu is no object", index);
        return false;
    }
    const char *id = member_text(object, "id", why),
               *category = id ? member_text(object, "category", why) : NULL;
    if (id) test->id = id;
    if (category) test->category = category;
    if (!category || !(test->program = member_text(object, "program", why))) return false;
    test->convention = json_object_get_boolean(member(object, "convention"));
    return member_number(object, "tol", &test->tol, why) && member_number(object, "rtol", &test->rtol, why) &&
           read_error(object, test, why) &&
           read_tensors(object, "inputs", arena, &test->inputs, &test->n_inputs, why) &&
           (test->error_stage != STAGE_NONE ||
            read_tensors(object, "outputs", arena, &test->outputs, &test->n_outputs, why));
}

void test_case_clear(struct test_case *test) {
    for (size_t i = 0; i < test->n_inputs; i++) fx_tensor_free(test->inputs[i].tensor);
    for (size_t i = 0; i < test->n_outputs; i++) fx_tensor_free(test->outputs[i].tensor);
    test->n_inputs = test->n_outputs = 0;
}
