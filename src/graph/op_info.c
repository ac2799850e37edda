/* SPDX-License-Identifier: Apache-2.0 */
/* ops.def and attrs.def as data that code can look up. Each column is a bare word to which a macro here
 * gives its meaning; an unknown word does not compile. The attributes of an operation come from the second
 * list of attrs.def, whose rows of one operation stand together: they are counted and located once per
 * operation by walking the list, which has some thirty rows. */
#include "graph/graph.h"

#define BIT(dtype) (UINT32_C(1) << (dtype))
#define DTYPES_B BIT(FX_BOOL)
#define DTYPES_SIGNED (BIT(FX_S2) | BIT(FX_S4) | BIT(FX_S8) | BIT(FX_S16) | BIT(FX_S32) | BIT(FX_S64))
#define DTYPES_UNSIGNED (BIT(FX_U2) | BIT(FX_U4) | BIT(FX_U8) | BIT(FX_U16) | BIT(FX_U32) | BIT(FX_U64))
#define DTYPES_I (DTYPES_SIGNED | DTYPES_UNSIGNED)
#define DTYPES_F (BIT(FX_F16) | BIT(FX_BF16) | BIT(FX_F32) | BIT(FX_F64))
#define DTYPES_C (BIT(FX_C64) | BIT(FX_C128))
#define DTYPES_N (DTYPES_I | DTYPES_F)
#define DTYPES_NC (DTYPES_N | DTYPES_C)
#define DTYPES_NB (DTYPES_N | DTYPES_B)
#define DTYPES_NCB (DTYPES_NC | DTYPES_B)
#define DTYPES_FC (DTYPES_F | DTYPES_C)
#define DTYPES_IB (DTYPES_I | DTYPES_B)
#define DTYPES_ANY (DTYPES_NCB | BIT(FX_F8E5M2) | BIT(FX_F8E4M3FN))

#define OPERANDS_0 0
#define OPERANDS_1 1
#define OPERANDS_2 2
#define OPERANDS_3 3
#define OPERANDS_4 4
#define OPERANDS_MANY FXI_MANY

enum { ALL = 1 << 30 }; /* leading operands of equal dtype */

static const fxi_op_info infos[FX_OP_COUNT] = {
    [FX_OP_INERT] = {.text = "inert", .hlo = "", .meaning = "takes the place of a node after an error"},
#define FX_OP(id, text_, operands_, class_, work_, dtypes_, same_, shape, gradient, hlo_, meaning_)          \
    [FX_OP_##id] = {.text = text_,                                                                           \
                    .hlo = hlo_,                                                                             \
                    .meaning = meaning_,                                                                     \
                    .operands = OPERANDS_##operands_,                                                        \
                    .op_class = FXI_CLASS_##class_,                                                          \
                    .work = FXI_WORK_##work_,                                                                \
                    .dtypes = DTYPES_##dtypes_,                                                              \
                    .same = same_},
#include "graph/ops.def"
#undef FX_OP
};

const fxi_op_info *fxi_op_info_of(fx_op op) {
    return (unsigned)op < FX_OP_COUNT ? &infos[op] : &infos[FX_OP_INERT];
}

/* ---- attributes ---- */

typedef struct attr_info {
    const char *text;
    fxi_attr_kind kind;
} attr_info;

static const attr_info attr_infos[FXI_ATTR_COUNT] = {
#define FX_ATTR(id, text_, kind_) [FXI_ATTR_##id] = {.text = text_, .kind = FXI_KIND_OF_##kind_},
#define FX_OP_ATTR(op, attr)
#include "graph/attrs.def"
#undef FX_ATTR
#undef FX_OP_ATTR
};

#define FX_ATTR(id, text, kind)
#define FX_OP_ATTR(op, attr) FX_OP_##op,
static const fx_op attr_owners[] = {
#include "graph/attrs.def"
};
#undef FX_OP_ATTR
#define FX_OP_ATTR(op, attr) FXI_ATTR_##attr,
static const fxi_attr_id attr_ids[] = {
#include "graph/attrs.def"
};
#undef FX_ATTR
#undef FX_OP_ATTR
enum { ATTR_ROWS = sizeof attr_ids / sizeof attr_ids[0] };

const char *fxi_attr_text(fxi_attr_id id) {
    return (unsigned)id < FXI_ATTR_COUNT ? attr_infos[id].text : "unknown";
}

fxi_attr_kind fxi_attr_kind_of(fxi_attr_id id) {
    return (unsigned)id < FXI_ATTR_COUNT ? attr_infos[id].kind : FXI_KIND_OF_INT;
}

const fxi_attr_id *fxi_op_attrs(fx_op op, size_t *count) {
    size_t first = 0, n = 0;
    while (first < ATTR_ROWS && attr_owners[first] != op) first++;
    while (first + n < ATTR_ROWS && attr_owners[first + n] == op) n++;
    *count = n;
    return attr_ids + (n ? first : 0);
}

static const char *const reduce_kind_names[FXI_REDUCE_KINDS] = {
    [FXI_SUM] = "sum", [FXI_PRODUCT] = "product", [FXI_MAX] = "max", [FXI_MIN] = "min",
    [FXI_AND] = "and", [FXI_OR] = "or",           [FXI_XOR] = "xor",
};

const char *fxi_reduce_kind_name(fxi_reduce_kind kind) {
    return (unsigned)kind < FXI_REDUCE_KINDS ? reduce_kind_names[kind] : "unknown";
}

const char *fxi_scatter_kind_name(fxi_scatter_kind kind) {
    return kind == FXI_SCATTER_UPDATE ? "update" : fxi_reduce_kind_name((fxi_reduce_kind)kind);
}

static const char *const direction_names[FXI_DIRECTIONS] = {
    [FXI_EQ] = "eq", [FXI_NE] = "ne", [FXI_LT] = "lt", [FXI_LE] = "le", [FXI_GT] = "gt", [FXI_GE] = "ge",
};

const char *fxi_direction_name(fxi_direction direction) {
    return (unsigned)direction < FXI_DIRECTIONS ? direction_names[direction] : "unknown";
}

static const char *const scan_kind_names[FXI_SCAN_KINDS] = {
    [FXI_SCAN_SUM] = "sum", [FXI_SCAN_PRODUCT] = "product",       [FXI_SCAN_MAX] = "max",
    [FXI_SCAN_MIN] = "min", [FXI_SCAN_LOGSUMEXP] = "logsumexp",
};

const char *fxi_scan_kind_name(fxi_scan_kind kind) {
    return (unsigned)kind < FXI_SCAN_KINDS ? scan_kind_names[kind] : "unknown";
}

static const char *const fft_kind_names[FXI_FFT_KINDS] = {
    [FXI_FFT_FORWARD] = "fft",
    [FXI_FFT_INVERSE] = "ifft",
    [FXI_FFT_REAL] = "rfft",
    [FXI_FFT_INVERSE_REAL] = "irfft",
};

const char *fxi_fft_kind_name(fxi_fft_kind kind) {
    return (unsigned)kind < FXI_FFT_KINDS ? fft_kind_names[kind] : "unknown";
}

static const char *const transpose_names[FXI_TRANSPOSES] = {
    [FXI_TRANSPOSE_NONE] = "no", [FXI_TRANSPOSE_PLAIN] = "transpose", [FXI_TRANSPOSE_ADJOINT] = "adjoint",
};

const char *fxi_transpose_name(fxi_transpose transpose) {
    return (unsigned)transpose < FXI_TRANSPOSES ? transpose_names[transpose] : "unknown";
}
