/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the config string, and those of compilation as the plugin wants them.
 *
 * A key that begins with xla_ is one of XLA's debug options and goes into each compilation; logs and debug
 * are ours; all others are create options of the client, whose names and types are the plugin's matter. The
 * form of a value says its type: true or false, an integer, a list of integers with a comma in it ("0," has
 * one), a number with a point or exponent; anything else, and what stands in double quotes, is a string.
 *
 * Compile options are a protobuf message; the few fields that we set are written by hand: a field is its
 * number and wire type, then a varint or a length and bytes. */
#include "pjrt_internal.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static bool read_integer(const char *text, char **end, int64_t *value) {
    errno = 0;
    long long number = strtoll(text, end, 10);
    *value = number;
    return *end != text && errno == 0 && *text > ' ';
}

static bool read_float(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && strchr("+-.0123456789", *text);
}

static bool read_list(fxi_pjrt_options *options, const char *text, PJRT_NamedValue *value) {
    size_t first = options->number_count, count = first;
    if (!strchr(text, ',')) return false;
    while (*text) {
        char *end;
        if (count == FXI_PJRT_MOST_NUMBERS) return false;
        if (!read_integer(text, &end, &options->numbers[count])) return false;
        count++;
        if (*end && *end != ',') return false;
        text = end + (*end == ',');
    }
    value->type = PJRT_NamedValue_kInt64List;
    value->int64_array_value = options->numbers + first;
    value->value_size = count - first;
    options->number_count = count;
    return true;
}

static PJRT_NamedValue named(const char *key) {
    return (PJRT_NamedValue){
        .struct_size = PJRT_NamedValue_STRUCT_SIZE, .name = key, .name_size = strlen(key), .value_size = 1};
}

static PJRT_NamedValue create_option(fxi_pjrt_options *options, const fxi_config *config) {
    PJRT_NamedValue value = named(config->key);
    const char *text = config->value;
    size_t length = strlen(text);
    double number;
    char *end;
    if (read_list(options, text, &value)) return value;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        value.type = PJRT_NamedValue_kBool;
        value.bool_value = *text == 't';
    } else if (read_integer(text, &end, &value.int64_value) && !*end) {
        value.type = PJRT_NamedValue_kInt64;
    } else if (read_float(text, &number)) {
        value.type = PJRT_NamedValue_kFloat;
        value.float_value = (float)number;
    } else {
        bool quoted = length >= 2 && text[0] == '"' && text[length - 1] == '"';
        value.type = PJRT_NamedValue_kString;
        value.string_value = text + quoted;
        value.value_size = length - 2 * (size_t)quoted;
    }
    return value;
}

/* ---- protobuf ---- */

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };

static void add_varint(fxi_text *out, uint64_t value) {
    do {
        char byte = (char)(unsigned char)((value & 127) | (value > 127 ? 128 : 0));
        fxi_text_add_bytes(out, &byte, 1);
        value >>= 7;
    } while (value > 0);
}

static void add_number(fxi_text *out, unsigned field, uint64_t value) {
    add_varint(out, field << 3 | VARINT);
    add_varint(out, value);
}

static void add_bytes(fxi_text *out, unsigned field, const char *bytes, size_t count) {
    add_varint(out, field << 3 | BYTES);
    add_varint(out, count);
    fxi_text_add_bytes(out, bytes, count);
}

/* A message inside another one, which is freed. */
static void add_message(fxi_text *out, unsigned field, fxi_text *message) {
    add_bytes(out, field, message->data, message->length);
    out->failed |= message->failed;
    fxi_text_free(message);
}

/* OptionOverrideProto: 1 string, 2 bool, 3 int64, 4 double. */
static void add_override_value(fxi_text *out, const char *text) {
    int64_t integer;
    double number;
    char *end;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        add_number(out, 2, *text == 't');
    } else if (read_integer(text, &end, &integer) && !*end) {
        add_number(out, 3, (uint64_t)integer);
    } else if (read_float(text, &number)) {
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        add_varint(out, 4 << 3 | FIXED64);
        for (int i = 0; i < 8; i++) {
            char byte = (char)(unsigned char)(bits >> (8 * i));
            fxi_text_add_bytes(out, &byte, 1);
        }
    } else {
        add_bytes(out, 1, text, strlen(text));
    }
}

/* CompileOptionsProto.env_option_overrides = 7, a map: entries {1 key, 2 value}. */
void fxi_pjrt_add_override(fxi_text *out, const fxi_config *config) {
    fxi_text value = {0}, entry = {0};
    add_override_value(&value, config->value);
    add_bytes(&entry, 1, config->key, strlen(config->key));
    add_message(&entry, 2, &value);
    add_message(out, 7, &entry);
}

/* DeviceAssignmentProto: 1 replica_count, 2 computation_count, 3 per computation {1 packed device ids}. */
static fxi_text device_assignment(const fxi_pjrt_spread *spread) {
    fxi_text out = {0};
    add_number(&out, 1, (uint64_t)spread->replicas);
    add_number(&out, 2, (uint64_t)spread->partitions);
    for (int p = 0; p < spread->partitions; p++) {
        fxi_text ids = {0}, computation = {0};
        for (int r = 0; r < spread->replicas; r++)
            add_varint(&ids, (uint64_t)spread->ids[p * spread->replicas + r]);
        add_message(&computation, 1, &ids);
        add_message(&out, 3, &computation);
    }
    return out;
}

/* CompileOptionsProto.executable_build_options = 3, ExecutableBuildOptionsProto: 4 num_replicas, 5
 * num_partitions, 6 use_spmd_partitioning, 9 device_assignment, 19 use_shardy_partitioner. */
void fxi_pjrt_compile_options(const fxi_pjrt_spread *spread, const fxi_text *overrides, fxi_text *out) {
    fxi_text build = {0}, assignment = device_assignment(spread);
    add_number(&build, 4, (uint64_t)spread->replicas);
    add_number(&build, 5, (uint64_t)spread->partitions);
    if (spread->spmd) add_number(&build, 6, 1);
    add_message(&build, 9, &assignment);
    if (spread->shardy) add_number(&build, 19, 1);
    add_message(out, 3, &build);
    fxi_text_add_bytes(out, overrides->data, overrides->length);
}

/* ---- the config string ---- */

static bool read_own(fxi_pjrt_options *options, const fxi_config *config, fx_error *err) {
    bool logs = strcmp(config->key, "logs") == 0;
    if (strcmp(config->value, logs ? "quiet" : "copies") != 0)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_backend_open: pjrt's option %s is \"%s\", not \"%s\"",
                        config->key, logs ? "quiet" : "copies", config->value);
    *(logs ? &options->quiet : &options->copies) = true;
    return true;
}

/* XLA throws on the count of another type and on one that it has no memory for, which ends the process, so a
 * value that is out of the question stays here. */
static bool check_device_count(const fxi_config *config, const PJRT_NamedValue *value, fx_error *err) {
    enum { MOST_DEVICES = 4096 };
    if (strcmp(config->key, FXI_PJRT_DEVICE_COUNT) != 0) return true;
    const int64_t count = value->type == PJRT_NamedValue_kInt64 ? value->int64_value : 0;
    if (count >= 1 && count <= MOST_DEVICES) return true;
    return fxi_fail(err, FX_ERROR_ARGUMENT,
                    "fx_backend_open: pjrt's option %s is an integer from 1 to %d, not \"%s\"", config->key,
                    MOST_DEVICES, config->value);
}

static bool read_create_option(fxi_pjrt_options *options, const fxi_config *config, fx_error *err) {
    const PJRT_NamedValue value = create_option(options, config);
    options->create[options->create_count++] = value;
    return check_device_count(config, &value, err);
}

bool fxi_pjrt_options_read(const fxi_open_args *args, fxi_pjrt_options *options, fx_error *err) {
    if (args->count > FXI_PJRT_MOST_OPTIONS)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_backend_open: more than %d options",
                        FXI_PJRT_MOST_OPTIONS);
    for (size_t i = 0; i < args->count; i++) {
        const fxi_config *config = &args->config[i];
        if (strcmp(config->key, "logs") == 0 || strcmp(config->key, "debug") == 0)
            FX_TRY(read_own(options, config, err));
        else if (fxi_text_begins(config->key, "xla_"))
            fxi_pjrt_add_override(&options->overrides, config);
        else
            FX_TRY(read_create_option(options, config, err));
    }
    return !options->overrides.failed || fxi_fail_memory(err, "fx_backend_open");
}

void fxi_pjrt_options_free(fxi_pjrt_options *options) {
    fxi_text_free(&options->overrides);
}
