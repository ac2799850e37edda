/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors from numbers: of a JSON array (flat, row-major, complex as [re, im]) or of a program's constant.
 * Floats are rounded to the dtype by the library; an integer that does not fit its dtype is an error,
 * since it would hide a mistake in the file. */
#include "cases.h"

#include <json-c/json.h>
#include <math.h>
#include <string.h>

/* Whether it is an integer value of that dtype. A number above 2^63 has a negative i and a positive f. */
static bool fits(struct number number, fx_dtype dtype) {
    int bits = fx_dtype_bits(dtype);
    bool huge = number.i < 0 && number.f > 0;
    if (!number.is_int) return false;
    if (dtype == FX_BOOL) return number.i == 0 || number.i == 1;
    if (fx_dtype_is_unsigned(dtype)) {
        return bits == 64 ? huge || number.i >= 0 : !huge && number.i >= 0 && number.i < (INT64_C(1) << bits);
    }
    int64_t half = bits == 64 ? 0 : INT64_C(1) << (bits - 1);
    return !huge && (bits == 64 || (number.i >= -half && number.i < half));
}

/* The low `bits` bits at element `index` of an array of such elements. */
static void store_bits(void *data, int64_t index, uint64_t value, int bits) {
    unsigned char *bytes = data;
    if (bits < 8) {
        int64_t per = 8 / bits;
        unsigned shift = (unsigned)(index % per * bits), mask = (1U << bits) - 1;
        unsigned old = bytes[index / per] & ~(mask << shift);
        bytes[index / per] = (unsigned char)(old | (((unsigned)value & mask) << shift));
        return;
    }
    uint8_t v8 = (uint8_t)value;
    uint16_t v16 = (uint16_t)value;
    uint32_t v32 = (uint32_t)value;
    const void *from = bits == 8    ? (const void *)&v8
                       : bits == 16 ? (const void *)&v16
                       : bits == 32 ? (const void *)&v32
                                    : (const void *)&value;
    memcpy(bytes + index * (bits / 8), from, (size_t)bits / 8);
}

static bool store_float(fx_dtype dtype, void *data, int64_t index, double value) {
    if (dtype == FX_F64) {
        memcpy((double *)data + index, &value, sizeof value);
        return true;
    }
    if (dtype == FX_F32) {
        float rounded = (float)value;
        memcpy((float *)data + index, &rounded, sizeof rounded);
        return true;
    }
    fx_tensor *scalar = fx_tensor_scalar(dtype, value, NULL); /* its own bits: half types and float8 */
    if (!scalar) return false;
    size_t bytes = (size_t)fx_dtype_bits(dtype) / 8;
    memcpy((char *)data + (size_t)index * bytes, fx_tensor_data(scalar), bytes);
    fx_tensor_free(scalar);
    return true;
}

bool case_tensor_store(fx_tensor *tensor, int64_t index, struct number number) {
    fx_dtype dtype = fx_dtype_real(fx_tensor_dtype(tensor));
    void *data = fx_tensor_mutable_data(tensor);
    if (fx_dtype_is_float(dtype)) return store_float(dtype, data, index, number.f);
    if (!fits(number, dtype)) return false;
    store_bits(data, index, (uint64_t)number.i, fx_dtype_bits(dtype));
    return true;
}

/* A JSON number, a boolean, or one of the three strings for what JSON has no numbers for. */
static bool read_number(const struct json_object *value, struct number *number) {
    const char *text;
    switch (json_object_get_type(value)) {
    case json_type_boolean:
        *number = (struct number){true, json_object_get_boolean(value), json_object_get_boolean(value)};
        return true;
    case json_type_int: {
        int64_t i = json_object_get_int64(value);
        uint64_t u = i > 0 ? json_object_get_uint64(value) : 0; /* i is cut at its largest value */
        *number = u > INT64_MAX ? (struct number){true, (int64_t)u, (double)u}
                                : (struct number){true, i, (double)i};
        return true;
    }
    case json_type_double: {
        double f = json_object_get_double(value);
        bool whole = fabs(f) < 0x1p53 && f == floor(f);
        *number = (struct number){whole, whole ? (int64_t)f : 0, f};
        return true;
    }
    case json_type_string:
        text = json_object_get_string((struct json_object *)(uintptr_t)value);
        number->is_int = false;
        number->f = strcmp(text, "NaN") == 0        ? (double)NAN
                    : strcmp(text, "Infinity") == 0 ? (double)INFINITY
                                                    : -(double)INFINITY;
        return strcmp(text, "NaN") == 0 || strcmp(text, "Infinity") == 0 || strcmp(text, "-Infinity") == 0;
    default: return false;
    }
}

static bool store_element(fx_tensor *tensor, int64_t index, const struct json_object *value) {
    struct number number[2];
    if (!fx_dtype_is_complex(fx_tensor_dtype(tensor))) {
        return read_number(value, number) && case_tensor_store(tensor, index, *number);
    }
    if (json_object_get_type(value) != json_type_array || json_object_array_length(value) != 2) return false;
    for (size_t part = 0; part < 2; part++) {
        if (!read_number(json_object_array_get_idx(value, part), &number[part])) return false;
    }
    return case_tensor_store(tensor, 2 * index, number[0]) &&
           case_tensor_store(tensor, 2 * index + 1, number[1]);
}

fx_tensor *case_tensor_read(const fx_shape *shape, const struct json_object *data, struct message *why) {
    fx_error err = {FX_OK, 0, NULL, ""};
    int64_t size = fx_shape_size(shape);
    if (json_object_get_type(data) != json_type_array || size < 0 ||
        json_object_array_length(data) != (size_t)size) {
        message_set(why, "data is no array of the %lld numbers of %s", (long long)size,
                    fx_shape_to_text(shape).s);
        return NULL;
    }
    fx_tensor *tensor = fx_tensor_new(shape, &err);
    if (!tensor) message_set(why, "%s", err.message);
    for (int64_t i = 0; tensor && i < size; i++) {
        if (!store_element(tensor, i, json_object_array_get_idx(data, (size_t)i))) {
            message_set(why, "element %lld of the data is no %s", (long long)i, fx_dtype_name(shape->dtype));
            fx_tensor_free(tensor);
            return NULL;
        }
    }
    return tensor;
}
