/* SPDX-License-Identifier: Apache-2.0 */
/* Files of tensors, by the end of their names. Standard input is read whole, and what it is
 * told by its first bytes; standard output takes the formats that are written in one go. */
#include "cli.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *ending;
    cli_format format;
} endings[] = {{"npy", CLI_NPY}, {"npz", CLI_NPZ}, {"safetensors", CLI_SAFETENSORS}, {"mlir", CLI_MLIR}};

cli_format cli_format_of(const char *path) {
    const char *dot = strrchr(path, '.');
    const char *ending = dot ? dot + 1 : path;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strcmp(ending, endings[i].ending) == 0) return endings[i].format;
    return CLI_NONE;
}

bool cli_is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

char *cli_read_file(const char *path, size_t *size) {
    FILE *stream = cli_is_standard(path) ? stdin : fopen(path, "rb");
    size_t room = 1 << 16, got;
    char *data = stream ? cli_alloc(room, 1) : NULL;
    *size = 0;
    while (data && (got = fread(data + *size, 1, room - *size, stream)) > 0) {
        *size += got;
        if (*size < room) continue;
        char *longer = realloc(data, 2 * room + 1);
        if (!longer) exit(cli_fail("%s: out of memory", path));
        data = longer;
        room *= 2;
    }
    if (!data || ferror(stream)) {
        cli_fail("%s: %s", path, strerror(errno));
        free(data);
        data = NULL;
    }
    if (data) data[*size] = 0;
    if (stream && stream != stdin) fclose(stream);
    return data;
}

/* ---- reading tensors ---- */

/* A map of one tensor, which is taken over; NULL as it. */
static fx_params *map_of(const char *name, fx_tensor *tensor, fx_error *err) {
    fx_params *map = tensor ? fx_params_new(err) : NULL;
    if (map && fx_params_set(map, name, tensor, err)) return map;
    fx_params_free(map);
    return NULL;
}

/* The file's name without folders and ending. */
static fx_params *read_npy(const char *path, fx_dtype raw, fx_error *err) {
    const char *slash = strrchr(path, '/');
    char *name = cli_join(slash ? slash + 1 : path, "", "");
    size_t length = strlen(name);
    if (length > 4) name[length - 4] = 0;
    fx_params *map = map_of(name, fx_npy_load(path, raw, err), err);
    free(name);
    return map;
}

static fx_params *read_npz_memory(const char *data, size_t size, fx_dtype raw, fx_error *err) {
    fx_npz *file = fx_npz_open_memory(data, size, err);
    fx_params *map = file ? fx_params_new(err) : NULL;
    bool ok = map != NULL;
    for (size_t i = 0; ok && i < fx_npz_count(file); i++) {
        fx_tensor *tensor = fx_npz_read(file, i, raw, err);
        ok = tensor && fx_params_set(map, fx_npz_name(file, i), tensor, err);
    }
    fx_npz_close(file);
    if (ok) return map;
    fx_params_free(map);
    return NULL;
}

static fx_params *read_safetensors_memory(const char *data, size_t size, fx_error *err) {
    fx_safetensors *file = fx_safetensors_open_memory(data, size, err);
    fx_params *map = file ? fx_params_new(err) : NULL;
    bool ok = map != NULL;
    for (size_t i = 0; ok && i < fx_safetensors_count(file); i++) {
        fx_tensor *tensor = fx_safetensors_read(file, i, err);
        ok = tensor && fx_params_set(map, fx_safetensors_name(file, i), tensor, err);
    }
    fx_safetensors_close(file);
    if (ok) return map;
    fx_params_free(map);
    return NULL;
}

static fx_params *read_standard(fx_dtype raw, fx_error *err) {
    size_t size;
    char *data = cli_read_file("-", &size);
    if (!data) exit(CLI_FAILED);
    fx_params *map;
    if (size > 6 && memcmp(data, "\x93NUMPY", 6) == 0)
        map = map_of("stdin", fx_npy_read(data, size, raw, err), err);
    else if (size > 2 && memcmp(data, "PK", 2) == 0)
        map = read_npz_memory(data, size, raw, err);
    else
        map = read_safetensors_memory(data, size, err);
    free(data);
    return map;
}

fx_params *cli_read_tensors(const char *path, fx_dtype raw) {
    fx_error err = {.code = FX_OK};
    fx_params *map = NULL;
    cli_format format = cli_format_of(path);
    if (cli_is_standard(path))
        map = read_standard(raw, &err);
    else if (format == CLI_NPY)
        map = read_npy(path, raw, &err);
    else if (format == CLI_NPZ)
        map = fx_npz_load(path, raw, &err);
    else if (format == CLI_SAFETENSORS)
        map = fx_safetensors_load(path, &err);
    else
        snprintf(err.message, sizeof err.message, "%s: the name ends in none of .npy, .npz, .safetensors",
                 path);
    if (!map && cli_is_standard(path))
        cli_fail("-: %s", cli_reason(&err));
    else if (!map)
        cli_fail_error(&err);
    return map;
}

/* ---- writing tensors ---- */

bool cli_write_stream(void *stream, const char *bytes, size_t n) {
    return fwrite(bytes, 1, n, stream) == n;
}

static bool write_npy(const fx_params *tensors, const char *path, fx_error *err) {
    if (fx_params_count(tensors) != 1) {
        snprintf(err->message, sizeof err->message,
                 "%s: a .npy file holds one tensor, here are %zu; --name one", path,
                 fx_params_count(tensors));
        return false;
    }
    const fx_tensor *tensor = fx_params_tensor(tensors, 0);
    return cli_is_standard(path) ? fx_npy_write(tensor, cli_write_stream, stdout, err)
                                 : fx_npy_save(tensor, path, err);
}

static bool write_npz(const fx_params *tensors, const char *path, bool deflate, fx_error *err) {
    return cli_is_standard(path) ? fx_npz_write(tensors, deflate, cli_write_stream, stdout, err)
                                 : fx_npz_save(tensors, path, deflate, err);
}

bool cli_write_tensors(const fx_params *tensors, const char *path, cli_format format, bool deflate) {
    fx_error err = {.code = FX_OK};
    bool ok = false;
    if (format == CLI_NPY)
        ok = write_npy(tensors, path, &err);
    else if (format == CLI_NPZ)
        ok = write_npz(tensors, path, deflate, &err);
    else if (format == CLI_SAFETENSORS && !cli_is_standard(path))
        ok = fx_safetensors_save(tensors, path, &err);
    else
        snprintf(err.message, sizeof err.message, "%s: %s", path,
                 format == CLI_SAFETENSORS ? "a .safetensors file cannot go to standard output"
                                           : "the format is none of npy, npz, safetensors");
    if (!ok) cli_fail_error(&err);
    return ok;
}

char *cli_add_number(char *name, size_t number) {
    char *longer = cli_join(name, "_", fx_name("%zu", number).s);
    free(name);
    return longer;
}

/* A name that is one in a folder, whatever it was, and short enough for a file system. */
static char *file_name(const char *name) {
    enum { LONGEST_NAME = 200 };
    char *file = cli_join(name, "", "");
    if (strlen(file) > LONGEST_NAME) file[LONGEST_NAME] = 0;
    for (char *c = file; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-+[]", *c)) *c = '_';
    return file;
}

static bool is_among(const char *name, char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static bool write_to_folder(const fx_tensor *tensor, const char *folder, const char *name) {
    fx_error err = {.code = FX_OK};
    char *begin = cli_join(folder, "/", name), *path = cli_join(begin, ".npy", "");
    bool ok = fx_npy_save(tensor, path, &err);
    free(begin);
    free(path);
    return ok || cli_fail_error(&err) == CLI_OK;
}

bool cli_write_folder(const fx_params *tensors, const char *path) {
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return cli_fail("%s: %s", path, strerror(errno)) == CLI_OK;
    size_t n = fx_params_count(tensors), done = 0;
    char **names = cli_alloc(n, sizeof *names);
    bool ok = true;
    for (; ok && done < n; done++) {
        names[done] = file_name(fx_params_name(tensors, done));
        while (is_among(names[done], names, done)) names[done] = cli_add_number(names[done], done);
        ok = write_to_folder(fx_params_tensor(tensors, done), path, names[done]);
    }
    while (done > 0) free(names[--done]);
    free(names);
    return ok;
}
