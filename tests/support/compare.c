/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison within stated bounds (compare.h).
 *
 *   exact operations        equal bits (any NaN is any NaN)
 *   real functions          their bound, and half an ulp for the rounding of the reference
 *   complex functions       a few ulp of the larger part; what C leaves open about infinite parts stays open
 *   Fourier transforms      4 (log2 n + 2) u S
 *   float sums, products,   with k terms, unit roundoff u of the accumulator, sum of magnitudes S:
 *   contractions            2 min(k, CHAIN) u S, for no order sums more than CHAIN terms one after the
 *                           other; nothing at all when every order is exact; elements whose magnitudes
 *                           overflow are left out, since there the order decides */
#include "support/compare.h"
#include "backend/interp/interp.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHAIN 1100.0

/* ---- formats ---- */

static int mantissa_of(fx_dtype dtype) {
    switch (fx_dtype_real(dtype)) {
    case FX_F64: return 52;
    case FX_F32: return 23;
    case FX_F16: return 10;
    default: return 7;
    }
}

static double largest_of(fx_dtype dtype) {
    switch (fx_dtype_real(dtype)) {
    case FX_F64: return 0x1.fffffffffffffp1023;
    case FX_F32: return 0x1.fffffep127;
    case FX_F16: return 65504.0;
    default: return 0x1.fep127;
    }
}

/* One unit in the last place at a number of that size. */
static double ulp_at(fx_dtype dtype, double value) {
    int lowest = fx_dtype_real(dtype) == FX_F64 ? -1022 : fx_dtype_real(dtype) == FX_F16 ? -14 : -126;
    value = fmin(fabs(value), largest_of(dtype));
    int exponent = value > 0 ? ilogb(value) : lowest;
    return ldexp(1.0, (exponent < lowest ? lowest : exponent) - mantissa_of(dtype));
}

/* |got - want| <= tolerance; one of them may have overflowed where the other nearly did. */
static bool near(fx_dtype dtype, double got, double want, double tolerance) {
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want);
    if (got == want) return true;
    if (isinf(got) && isinf(want)) return false;
    double edge = largest_of(dtype);
    if (isinf(got))
        return signbit(got) == signbit(want) && fabs(want) + tolerance >= edge - ulp_at(dtype, edge);
    if (isinf(want))
        return signbit(got) == signbit(want) && fabs(got) + tolerance >= edge - ulp_at(dtype, edge);
    return fabs(got - want) <= tolerance;
}

static bool is_float(fx_dtype dtype) {
    return fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype);
}

/* ---- reports ---- */

static bool differ(compare_report *report, fx_dtype dtype, int64_t index, fxi_scalar got, fxi_scalar want,
                   const char *why) {
    report->equal = false;
    report->index = index;
    if (is_float(dtype))
        snprintf(report->text, sizeof report->text, "element %lld: got %.17g%+.17gi, want %.17g%+.17gi (%s)",
                 (long long)index, got.re, got.im, want.re, want.im, why);
    else
        snprintf(report->text, sizeof report->text, "element %lld: got %lld, want %lld (%s)",
                 (long long)index, (long long)got.i, (long long)want.i, why);
    return false;
}

static bool alike(compare_report *report) {
    *report = (compare_report){.equal = true};
    return true;
}

/* ---- bits ---- */

static bool same_part(double got, double want) {
    return (isnan(got) && isnan(want)) || (got == want && signbit(got) == signbit(want));
}

static bool same_element(fx_dtype dtype, fxi_scalar got, fxi_scalar want) {
    return is_float(dtype) ? same_part(got.re, want.re) && same_part(got.im, want.im) : got.i == want.i;
}

bool compare_bits(const fx_tensor *got, const fx_tensor *want, compare_report *report) {
    if (!fx_shape_equal(&got->shape, &want->shape)) {
        snprintf(report->text, sizeof report->text, "shapes differ");
        return report->equal = false;
    }
    if (fx_tensor_equal(got, want)) return alike(report);
    fx_dtype dtype = got->shape.dtype;
    for (int64_t i = 0, n = fx_shape_size(&got->shape); i < n; i++) {
        fxi_scalar a = fxi_element_load(dtype, got->data, i), b = fxi_element_load(dtype, want->data, i);
        if (!same_element(dtype, a, b)) return differ(report, dtype, i, a, b, "bits");
    }
    return alike(report);
}

/* ---- elementwise functions ---- */

/* What the rounding of operands and steps does to a complex result, in ulp: the exponent of a power is a
 * product, 1 / (1 + w) and the angle have poles. */
static double growth_of(fx_op op, const fxi_scalar *x, fxi_scalar want) {
    double size = hypot(want.re, want.im);
    switch (op) {
    case FX_OP_POW: return 4.0 * hypot(x[1].re, x[1].im) * (fabs(log(hypot(x[0].re, x[0].im))) + 3.2);
    case FX_OP_LOGISTIC: return 4.0 * size;
    case FX_OP_ATAN2: return 8.0 + exp(2.0 * fabs(want.im));
    default: return 0.0;
    }
}

static bool is_finite(fxi_scalar z) {
    return isfinite(z.re) && isfinite(z.im);
}

/* The angle of complex numbers is defined up to a turn where its argument lies on the cut. */
static bool same_angle(fxi_scalar got, fxi_scalar want, double tolerance) {
    double pi = acos(-1.0), difference = fabs(got.re - want.re);
    return fabs(got.im - want.im) <= tolerance &&
           (difference <= tolerance || fabs(difference - pi) <= tolerance ||
            fabs(difference - 2 * pi) <= tolerance);
}

/* C leaves open which of the other values a part takes once an operand is infinite or NaN; infinities and
 * numbers of a part are fixed, their signs not always. */
static bool special_part(fx_dtype dtype, double got, double want, double tolerance) {
    if (isnan(want)) return true;
    if (isinf(want)) return !isfinite(got);
    return isnan(got) || near(dtype, copysign(got, want), want, tolerance);
}

static bool complex_agrees(fx_op op, fx_dtype dtype, const fxi_scalar *x, int operands, fxi_scalar got,
                           fxi_scalar want) {
    bool product = op == FX_OP_MUL || op == FX_OP_STRONG_MUL;
    bool special =
        !is_finite(x[0]) || (operands > 1 && !is_finite(x[1])) || !is_finite(want) || !is_finite(got);
    double growth = growth_of(op, x, want), size = fmax(fabs(want.re), fabs(want.im));
    if (product) size = hypot(x[0].re, x[0].im) * hypot(x[1].re, x[1].im);
    double steps = dtype == FX_C64 ? 2.0 + growth * 0x1p-26 : 7.0 + growth;
    double tolerance = steps * ulp_at(dtype, size);
    if (growth > 0x1p50 || size >= largest_of(dtype) / 4) return true; /* nothing is left of the phase */
    if (special)
        return special_part(dtype, got.re, want.re, tolerance) &&
               special_part(dtype, got.im, want.im, tolerance);
    if (op == FX_OP_ATAN2) return same_angle(got, want, tolerance + 0x1p-50);
    return fabs(got.re - want.re) <= tolerance && fabs(got.im - want.im) <= tolerance;
}

/* Operations whose complex form is one rounding per part. */
static bool complex_is_exact(fx_op op) {
    switch (op) {
    case FX_OP_NEG:
    case FX_OP_REAL:
    case FX_OP_IMAG:
    case FX_OP_CONJ:
    case FX_OP_CONVERT:
    case FX_OP_ADD:
    case FX_OP_SUB:
    case FX_OP_COMPARE:
    case FX_OP_SELECT: return true;
    default: return false;
    }
}

static bool is_math(const fx_node *node, compare_bound_fn bound) {
    return fx_dtype_is_float(node->operands[0]->shape.dtype) && bound(node->op, 32, 1).ulps >= 0;
}

/* The rounding of the reference adds half an ulp; halves are the rounded float32 results. */
static bool real_agrees(const fx_node *node, double x, double got, double want, compare_bound_fn bound) {
    fx_dtype dtype = node->operands[0]->shape.dtype;
    compare_bound b = bound(node->op, dtype == FX_F64 ? 64 : 32, x);
    double ulps = fx_dtype_is_half(dtype) ? 1.0 : b.ulps + 0.5;
    if (got == 0 && want == 0) return false; /* the sign of zero is fixed */
    return near(dtype, got, want, ulps * ulp_at(dtype, fmax(fabs(want), b.smallest)));
}

static bool compare_map(const fx_node *node, fx_tensor *const *operands, const fx_tensor *got,
                        const fx_tensor *want, compare_bound_fn bound, compare_report *report) {
    fx_dtype from = node->operands[0]->shape.dtype, to = node->shape.dtype;
    bool complex = fx_dtype_is_complex(from) && !complex_is_exact(node->op);
    if (!complex && !is_math(node, bound)) return compare_bits(got, want, report);
    for (int64_t i = 0, n = fx_shape_size(&node->shape); i < n; i++) {
        fxi_scalar x[3], a = fxi_element_load(to, got->data, i), b = fxi_element_load(to, want->data, i);
        if (same_element(to, a, b)) continue;
        for (uint32_t k = 0; k < node->operand_count; k++)
            x[k] = fxi_element_load(operands[k]->shape.dtype, operands[k]->data, i);
        bool agrees = complex ? complex_agrees(node->op, from, x, (int)node->operand_count, a, b)
                              : real_agrees(node, x[0].re, a.re, b.re, bound);
        char why[120];
        snprintf(why, sizeof why, "of %.17g%+.17gi", x[0].re, x[0].im);
        if (node->operand_count > 1)
            snprintf(why, sizeof why, "of %.12g%+.12gi, %.12g%+.12gi", x[0].re, x[0].im, x[1].re, x[1].im);
        if (!agrees) return differ(report, to, i, a, b, why);
    }
    return alike(report);
}

/* ---- sums, products, contractions of floats ---- */

static bool is_ordered(const fx_node *node) {
    if (node->op == FX_OP_DOT_GENERAL) return is_float(node->operands[0]->shape.dtype);
    if (node->op != FX_OP_REDUCE) return false;
    int64_t kind = fxi_node_int(node, FXI_ATTR_KIND);
    return is_float(node->operands[0]->shape.dtype) && (kind == FXI_SUM || kind == FXI_PRODUCT);
}

static bool is_product(const fx_node *node) {
    return node->op == FX_OP_REDUCE && fxi_node_int(node, FXI_ATTR_KIND) == FXI_PRODUCT;
}

/* float64 magnitudes of the elements, or of their logarithms to base 2 for a product; what is not finite
 * counts as 0. */
static fx_tensor *magnitudes(const fx_tensor *x, bool logarithms) {
    fx_shape shape = x->shape;
    shape.dtype = FX_F64;
    fx_tensor *out = fx_tensor_new(&shape, FX_MUST);
    for (int64_t i = 0, n = fx_shape_size(&shape); i < n; i++) {
        fxi_scalar v = fxi_element_load(x->shape.dtype, x->data, i);
        double size = fabs(v.re) + fabs(v.im);
        if (logarithms) size = fabs(log2(size));
        ((double *)out->data)[i] = isfinite(size) ? size : 0;
    }
    return out;
}

/* The node's own combination of the magnitudes, as a sum, in float64. */
static fx_tensor *sum_magnitudes(const fx_node *node, fx_tensor *const *operands) {
    fx_graph *graph = fx_graph_new(FX_MUST);
    fx_node *x[2];
    fx_tensor *in[2] = {NULL, NULL}, *out = NULL;
    fxi_attr attrs[5];
    memcpy(attrs, node->attrs, node->attr_count * sizeof *attrs);
    for (uint32_t k = 0; k < node->attr_count; k++) {
        if (attrs[k].id == FXI_ATTR_KIND) attrs[k].u.i = FXI_SUM;
        if (attrs[k].id == FXI_ATTR_DTYPE) attrs[k].u.dtype = FX_F64;
    }
    for (uint32_t k = 0; k < node->operand_count; k++) {
        in[k] = magnitudes(operands[k], is_product(node));
        x[k] = fx_parameter(graph, &in[k]->shape);
    }
    fx_node *sum = fxi_node_new(graph, node->op, x, node->operand_count, attrs, node->attr_count);
    fx_graph_finish(graph, (fx_nodes){&sum, 1}, FX_MUST);
    void *program = fxi_interp_backend.compile(NULL, graph, FX_MUST);
    fxi_interp_backend.run(program, &(fxi_run_args){.inputs = in, .outputs = &out}, FX_MUST);
    fxi_interp_backend.program_free(program);
    fx_graph_free(graph);
    fx_tensor_free(in[0]);
    fx_tensor_free(in[1]);
    return out;
}

static bool has_only(const fx_tensor *x, bool powers) {
    for (int64_t i = 0, n = fx_shape_size(&x->shape); i < n; i++) {
        fxi_scalar v = fxi_element_load(x->shape.dtype, x->data, i);
        int exponent;
        bool fits = powers ? v.re == 0 || fabs(frexp(v.re, &exponent)) == 0.5
                           : v.re == nearbyint(v.re) && v.im == nearbyint(v.im);
        if (is_finite(v) && !fits) return false;
    }
    return true;
}

static bool is_complex_with_infinities(const fx_tensor *x) {
    if (!fx_dtype_is_complex(x->shape.dtype)) return false;
    for (int64_t i = 0, n = fx_shape_size(&x->shape); i < n; i++)
        if (!is_finite(fxi_element_load(x->shape.dtype, x->data, i))) return true;
    return false;
}

static bool sums_stay_exact(const fx_node *node, fx_tensor *const *operands, const fx_tensor *sums) {
    bool powers = is_product(node), wide = fx_dtype_real(operands[0]->shape.dtype) == FX_F64;
    double limit = powers ? 100 : wide ? 0x1p52 : 0x1p23;
    for (uint32_t k = 0; k < node->operand_count; k++) {
        if (!has_only(operands[k], powers) ||
            (node->op == FX_OP_DOT_GENERAL && is_complex_with_infinities(operands[k])))
            return false;
    }
    if (powers && fx_dtype_is_complex(node->shape.dtype)) return false; /* the signs of zeros */
    for (int64_t i = 0, n = fx_shape_size(&sums->shape); i < n; i++)
        if (((const double *)sums->data)[i] > limit) return false;
    return true;
}

bool compare_is_exact_in_any_order(const fx_node *node, fx_tensor *const *operands) {
    if (!is_ordered(node)) return true;
    fx_tensor *sums = sum_magnitudes(node, operands);
    bool exact = sums_stay_exact(node, operands, sums);
    fx_tensor_free(sums);
    return exact;
}

static double terms_of(const fx_node *node) {
    double terms = 1;
    const fx_shape *shape = &node->operands[0]->shape;
    fx_dims axes = fxi_node_ints(node, node->op == FX_OP_REDUCE ? FXI_ATTR_AXES : FXI_ATTR_LHS_CONTRACT);
    for (size_t i = 0; i < axes.n; i++) terms *= (double)shape->dims[axes.v[i]];
    return terms < CHAIN ? terms + 2 : CHAIN;
}

static bool ordered_agrees(const fx_node *node, fxi_scalar got, fxi_scalar want, double sum, bool special,
                           double terms) {
    fx_dtype to = node->shape.dtype, from = node->operands[0]->shape.dtype;
    bool wide = fx_dtype_real(to) == FX_F64 || fx_dtype_real(from) == FX_F64;
    double u = wide ? 0x1p-53 : 0x1p-24, edge = wide ? 1000 : 120;
    if (is_product(node)) {
        if (sum > edge || (special && (!is_finite(want) || !is_finite(got))))
            return sum > edge || (!is_finite(want) && !is_finite(got));
        sum = hypot(want.re, want.im);
        if (fx_dtype_is_complex(to)) terms *= 2;
    }
    if (sum > ldexp(1.0, wide ? 1020 : 124) || sum > largest_of(to) / 2) return true;
    if (special && (!is_finite(want) || !is_finite(got))) return !is_finite(want) && !is_finite(got);
    double tolerance = 2 * terms * u * sum + ulp_at(to, fmax(fabs(want.re), fabs(want.im)));
    return near(to, got.re, want.re, tolerance) && near(to, got.im, want.im, tolerance);
}

static bool compare_ordered(const fx_node *node, fx_tensor *const *operands, const fx_tensor *got,
                            const fx_tensor *want, compare_report *report) {
    fx_tensor *sums = sum_magnitudes(node, operands);
    bool exact = sums_stay_exact(node, operands, sums), special = false, ok = true;
    for (uint32_t k = 0; k < node->operand_count; k++) special |= is_complex_with_infinities(operands[k]);
    fx_dtype dtype = node->shape.dtype;
    for (int64_t i = 0, n = fx_shape_size(&node->shape); ok && i < n; i++) {
        fxi_scalar a = fxi_element_load(dtype, got->data, i), b = fxi_element_load(dtype, want->data, i);
        if (same_element(dtype, a, b)) continue;
        double sum = ((const double *)sums->data)[i];
        char why[60];
        snprintf(why, sizeof why, "%s, sum of magnitudes %.6g", exact ? "exact" : "within a bound", sum);
        if (exact || !ordered_agrees(node, a, b, sum, special, terms_of(node)))
            ok = differ(report, dtype, i, a, b, why);
    }
    fx_tensor_free(sums);
    return ok ? alike(report) : false;
}

/* ---- transforms ---- */

/* Of n elements with the sum of magnitudes S over all lines: log2(n) + 2 additions and rotations of partial
 * sums, each at most S, err by 4 u S at most; what is not finite spreads over its line. */
static bool compare_fft(const fx_node *node, fx_tensor *const *operands, const fx_tensor *got,
                        const fx_tensor *want, compare_report *report) {
    fx_dtype dtype = node->shape.dtype;
    fx_tensor *sizes = magnitudes(operands[0], false);
    double sum = 0, n = 1;
    fx_dims lengths = fxi_node_ints(node, FXI_ATTR_LENGTHS);
    for (int64_t i = 0, size = fx_shape_size(&sizes->shape); i < size; i++) sum += ((double *)sizes->data)[i];
    for (size_t i = 0; i < lengths.n; i++) n *= (double)(lengths.v[i] > 1 ? lengths.v[i] : 1);
    fx_tensor_free(sizes);
    double tolerance = 4 * (log2(n) + 2) * sum * (fx_dtype_real(dtype) == FX_F64 ? 0x1p-53 : 0x1p-24);
    for (int64_t i = 0, size = fx_shape_size(&node->shape); i < size; i++) {
        fxi_scalar a = fxi_element_load(dtype, got->data, i), b = fxi_element_load(dtype, want->data, i);
        bool finite = is_finite(a) && is_finite(b);
        if (finite && !(fabs(a.re - b.re) <= tolerance && fabs(a.im - b.im) <= tolerance))
            return differ(report, dtype, i, a, b, "transform");
    }
    return alike(report);
}

/* ---- */

bool compare_node(const fx_node *node, fx_tensor *const *operands, const fx_tensor *got,
                  const fx_tensor *want, compare_bound_fn bound, compare_report *report) {
    if (!fx_shape_equal(&got->shape, &want->shape)) return compare_bits(got, want, report);
    if (fxi_op_is_map(node->op)) return compare_map(node, operands, got, want, bound, report);
    if (is_ordered(node)) return compare_ordered(node, operands, got, want, report);
    if (node->op == FX_OP_FFT) return compare_fft(node, operands, got, want, report);
    return compare_bits(got, want, report);
}
