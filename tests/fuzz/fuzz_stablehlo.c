/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any bytes are a program whose tree holds together, or an error. That is: values are
 * numbered below their function's count and defined before they are used, names are found again, and
 * constants are read or refused. Start from the corpus (corpus/stablehlo). */
#include "stablehlo/tree.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition) {
    if (!condition) __builtin_trap();
}

/* Attributes still to be looked at: a stack, since they may nest deeper than calls should. */
typedef struct visit {
    const fxi_hlo_module *module;
    FXI_VEC(const fxi_hlo_attr *) attrs;
    FXI_VEC(const fxi_hlo_region *) regions;
    unsigned char *defined;
    uint32_t n_values;
} visit;

static void push_dict(visit *v, const fxi_hlo_dict *dict) {
    for (size_t i = 0; i < dict->n; i++) {
        check(dict->v[i].value != NULL && (i > 100 || dict->v[i].name.at != NULL));
        if (!FXI_PUSH(&v->attrs, dict->v[i].value)) abort();
    }
}

static void read_constant(const visit *v, const fxi_hlo_attr *attr) {
    fx_error err = {0};
    fx_tensor *one = fxi_hlo_dense_splat(v->module, attr, &err);
    check((one == NULL) == (err.code != FX_OK));
    check(one == NULL || fxi_hlo_dense_is_splat(attr));
    fx_tensor_free(one);
    if (attr->type->kind == FXI_HLO_TENSOR && fx_shape_bytes(&attr->type->shape) > 1 << 16) return;
    err.code = FX_OK;
    fx_tensor *tensor = fxi_hlo_dense(v->module, attr, &err);
    check((tensor == NULL) == (err.code != FX_OK));
    check(tensor == NULL || fx_shape_equal(&tensor->shape, &attr->type->shape));
    fx_tensor_free(tensor);
}

static void visit_attr(visit *v, const fxi_hlo_attr *attr) {
    fxi_arena arena = {0};
    fx_dims ints;
    check(attr->place.offset <= v->module->source_length && attr->kind <= FXI_HLO_ATTR_OPAQUE);
    if (attr->kind == FXI_HLO_ATTR_DICT) push_dict(v, &attr->u.dict);
    for (size_t i = 0; attr->kind == FXI_HLO_ATTR_LIST && i < attr->u.list.n; i++)
        if (!FXI_PUSH(&v->attrs, attr->u.list.v[i])) abort();
    if (attr->kind == FXI_HLO_ATTR_DENSE) read_constant(v, attr);
    fxi_hlo_ints(v->module, attr, &arena, &ints, NULL);
    fxi_arena_free(&arena);
}

static void visit_attrs(visit *v) {
    while (v->attrs.count > 0) visit_attr(v, v->attrs.data[--v->attrs.count]);
}

static void define(visit *v, fxi_hlo_value *const *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        check(values[i]->id < v->n_values && values[i]->type != NULL && !v->defined[values[i]->id]);
        v->defined[values[i]->id] = 1;
        fxi_hlo_location_name(v->module, values[i]->location);
    }
}

/* Results count as defined when their operation is met, before its regions are. */
static void visit_op(visit *v, const fxi_hlo_op *op) {
    for (size_t i = 0; i < op->n_operands; i++)
        check(op->operands[i]->id < v->n_values && v->defined[op->operands[i]->id]);
    define(v, op->results, op->n_results);
    push_dict(v, &op->attrs);
    visit_attrs(v);
    for (size_t i = 0; i < op->n_regions; i++)
        if (!FXI_PUSH(&v->regions, op->regions[i])) abort();
}

static void visit_function(visit *v, const fxi_hlo_function *function) {
    v->n_values = function->n_values;
    v->defined = calloc(v->n_values + 1, 1);
    if (!v->defined || !FXI_PUSH(&v->regions, function->body)) abort();
    check(fxi_hlo_find_function(v->module, function->name) == function);
    check(function->is_declaration == (function->body->n_ops == 0));
    push_dict(v, &function->attrs);
    for (size_t i = 0; i < function->body->n_arguments; i++) push_dict(v, &function->argument_attrs[i]);
    for (size_t i = 0; i < function->n_results; i++) push_dict(v, &function->result_attrs[i]);
    visit_attrs(v);
    while (v->regions.count > 0) {
        const fxi_hlo_region *region = v->regions.data[--v->regions.count];
        check(region->n_ops > 0 || function->is_declaration);
        define(v, region->arguments, region->n_arguments);
        for (size_t i = 0; i < region->n_ops; i++) visit_op(v, region->ops[i]);
    }
    free(v->defined);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fx_error err = {0};
    fxi_hlo_module *module = fxi_hlo_parse((const char *)data, size, "fuzz", &err);
    check((module == NULL) == (err.code != FX_OK));
    check(module != NULL || (err.code == FX_ERROR_FILE && strncmp(err.message, "fuzz:", 5) == 0));
    if (!module) return 0;
    visit v = {.module = module};
    push_dict(&v, &module->attrs);
    visit_attrs(&v);
    for (size_t i = 0; i < module->n_functions; i++) visit_function(&v, module->functions[i]);
    fxi_free(v.attrs.data);
    fxi_free(v.regions.data);
    fxi_hlo_free(module);
    return 0;
}
