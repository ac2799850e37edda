/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients against differences. A function of any outputs becomes a loss by fixed weights, which are the
 * adjoints of one reverse pass and the factors of sums made here in double; each element of each input then
 * moves by h and h / 2 to both sides, and Richardson's extrapolation of the two central differences leaves an
 * error of h^4. Inputs are copied once and changed in place, so the programs are compiled once. Beside inputs
 * that are infinite or NaN, such elements of outputs get the weight 0: no difference tells of them. */
#include "exec.h"
#include <float.h>
#include <fluxion/check.h>
#include <fluxion/grad.h>
#include <math.h>
#include <string.h>

static const char name[] = "fx_check_gradient";

typedef struct check {
    fx_fn function;
    void *user;
    size_t n_in, n_out, n_wrt, n_smooth; /* and how many of them carry derivatives */
    fx_tensor **in;                      /* n_in copies, then the weights of the smooth outputs */
    fx_tensor **out;                     /* n_out: of the last run */
    fx_tensor **gradients;               /* n_wrt */
    fx_node **room;                      /* for the lists of vjp_fn */
    fx_exec *value, *vjp;
    fx_check_options options;
    fx_check_report worst;
    bool has_gaps; /* some element of an input is not finite */
} check;

static bool is_smooth(fx_dtype dtype) {
    return fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype);
}

/* ---- programs ---- */

static size_t keep_smooth(fx_node *const *nodes, size_t n, fx_node **kept) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (nodes[i] && is_smooth(fx_node_dtype(nodes[i]))) kept[count++] = nodes[i];
    return count;
}

/* Inputs, then weights -> gradients. */
static void vjp_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const check *c = user;
    fx_node **values = c->room, **smooth = values + c->n_out, **wrt = smooth + c->n_out;
    c->function(body, in, c->n_in, values, c->n_out, c->user);
    const fx_nodes outputs = {smooth, keep_smooth(values, c->n_out, smooth)};
    const fx_nodes weights = {in + c->n_in, n_in - c->n_in}, inputs = {wrt, keep_smooth(in, c->n_in, wrt)};
    if (inputs.n == n_out) fx_vjp(outputs, weights, inputs, out);
}

static bool run(fx_exec *exec, fx_tensor *const *in, size_t n_in, fx_tensor **out, size_t n_out,
                fx_error *err) {
    fx_arg *args = fxi_alloc_zeroed(n_in + 1, sizeof *args);
    if (!args) return fxi_fail_memory(err, name);
    for (size_t i = 0; i < n_in; i++) args[i] = (fx_arg){.kind = FX_ARG_TENSOR, .u = {.t = in[i]}};
    bool ok = fx_exec_call(exec, args, n_in, out, n_out, err);
    fxi_free(args);
    return ok;
}

static void drop(fx_tensor **tensors, size_t n) {
    for (size_t i = 0; tensors && i < n; i++) {
        fx_tensor_free(tensors[i]);
        tensors[i] = NULL;
    }
}

static bool is_finite_at(const fx_tensor *tensor, int64_t i) {
    fxi_scalar x = fxi_element_load(fx_tensor_dtype(tensor), fx_tensor_data(tensor), i);
    return isfinite(x.re) && (!fx_dtype_is_complex(fx_tensor_dtype(tensor)) || isfinite(x.im));
}

static bool is_finite(const fx_tensor *tensor) {
    int64_t n = is_smooth(fx_tensor_dtype(tensor)) ? fx_tensor_size(tensor) : 0, i = 0;
    while (i < n && is_finite_at(tensor, i)) i++;
    return i == n;
}

/* ---- the loss ---- Weights 1 <= w < 1.5, 1 for the first element: 1 + the fraction of i times the golden
 * ratio, over 2. Rounded to the dtype, as the reverse pass sees them. */

static fx_tensor *weights_like(const fx_tensor *out, bool has_gaps, fx_error *err) {
    fx_tensor *w = fx_tensor_new(fx_tensor_shape(out), err);
    for (int64_t i = 0; w && i < fx_tensor_size(w); i++) {
        double turn = (double)i * 0.61803398874989484820;
        if (has_gaps && !is_finite_at(out, i)) continue;
        fxi_element_store(fx_tensor_dtype(w), fx_tensor_mutable_data(w), i,
                          (fxi_scalar){.re = 1 + (turn - floor(turn)) / 2});
    }
    return w;
}

static double real_part(const fx_tensor *tensor, int64_t i) {
    return fxi_element_load(fx_tensor_dtype(tensor), fx_tensor_data(tensor), i).re;
}

static bool loss(check *c, double *sum, fx_error *err) {
    size_t smooth = 0;
    *sum = 0;
    if (!run(c->value, c->in, c->n_in, c->out, c->n_out, err)) return false;
    for (size_t k = 0; k < c->n_out; k++) {
        if (!is_smooth(fx_tensor_dtype(c->out[k]))) continue;
        const fx_tensor *w = c->in[c->n_in + smooth++];
        for (int64_t i = 0; i < fx_tensor_size(w); i++)
            if (real_part(w, i) > 0) *sum += real_part(w, i) * real_part(c->out[k], i);
    }
    drop(c->out, c->n_out);
    return true;
}

/* ---- one element ---- */

typedef struct place {
    fx_tensor *input;
    int64_t element;
    bool imaginary;
} place;

static double *part_of(fxi_scalar *scalar, bool imaginary) {
    return imaginary ? &scalar->im : &scalar->re;
}

/* The loss with the element moved by h; *moved is by how much it did, after rounding. */
static bool loss_at(check *c, const place *p, double h, double *moved, double *value, fx_error *err) {
    fx_dtype dtype = fx_tensor_dtype(p->input);
    void *data = fx_tensor_mutable_data(p->input);
    const fxi_scalar before = fxi_element_load(dtype, data, p->element);
    fxi_scalar after = before;
    *part_of(&after, p->imaginary) += h;
    fxi_element_store(dtype, data, p->element, after);
    after = fxi_element_load(dtype, data, p->element);
    *moved = *part_of(&after, p->imaginary);
    bool ok = loss(c, value, err);
    fxi_element_store(dtype, data, p->element, before);
    return ok;
}

static bool central(check *c, const place *p, double h, double *slope, fx_error *err) {
    double high, low, above, below;
    FX_TRY(loss_at(c, p, h, &high, &above, err));
    FX_TRY(loss_at(c, p, -h, &low, &below, err));
    *slope = (above - below) / (high - low);
    return true;
}

static void compare(check *c, size_t input, const place *p, double gradient, double difference) {
    double scale = fmax(1, fmax(fabs(gradient), fabs(difference)));
    double error = fabs(gradient - difference) / scale;
    if (isnan(gradient) && isnan(difference)) error = 0;
    /* It moves nothing but what has no weight: 0 times the derivative of something infinite or NaN. */
    if (c->has_gaps && difference == 0 && isnan(gradient)) return;
    if (gradient == difference) error = 0; /* infinities */
    if (isnan(error)) error = (double)INFINITY;
    bool first = c->worst.compared++ == 0;
    if (!first && error <= c->worst.error) return;
    c->worst.input = input;
    c->worst.element = p->element;
    c->worst.imaginary = p->imaginary;
    c->worst.gradient = gradient;
    c->worst.difference = difference;
    c->worst.error = error;
}

static bool check_part(check *c, size_t input, const fx_tensor *gradient, const place *p, fx_error *err) {
    fx_dtype dtype = fx_tensor_dtype(p->input);
    fxi_scalar x = fxi_element_load(dtype, fx_tensor_data(p->input), p->element);
    fxi_scalar g = fxi_element_load(dtype, fx_tensor_data(gradient), p->element);
    double h = c->options.step * fmax(1, fabs(*part_of(&x, p->imaginary))), wide, narrow;
    FX_TRY(central(c, p, h, &wide, err));
    FX_TRY(central(c, p, h / 2, &narrow, err));
    compare(c, input, p, *part_of(&g, p->imaginary), narrow + (narrow - wide) / 3);
    return true;
}

static bool check_input(check *c, size_t input, const fx_tensor *gradient, fx_error *err) {
    int64_t size = fx_tensor_size(c->in[input]);
    int64_t count = size < c->options.elements ? size : c->options.elements;
    int parts = fx_dtype_is_complex(fx_tensor_dtype(c->in[input])) ? 2 : 1;
    for (int64_t i = 0; i < count; i++) {
        /* i size / count without the product, which could overflow */
        int64_t element = i * (size / count) + i * (size % count) / count;
        if (!is_finite_at(c->in[input], element)) continue;
        for (int part = 0; part < parts; part++)
            FX_TRY(check_part(c, input, gradient, &(place){c->in[input], element, part == 1}, err));
    }
    return true;
}

/* ---- all of it ---- */

static bool check_arguments(const check *c, const fx_backend *backend, fx_tensor *const *inputs,
                            fx_error *err) {
    if (!backend || !c->function || (c->n_in && !inputs))
        return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: %s", name,
                        !backend      ? "the backend is NULL"
                        : c->function ? "the inputs are NULL"
                                      : "the function is NULL");
    for (size_t i = 0; i < c->n_in; i++)
        if (!inputs[i] || !fx_tensor_is_valid(inputs[i]))
            return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: input %zu %s", name, i,
                            inputs[i] ? "has no contents" : "is NULL");
    double step = c->options.step, tolerance = c->options.tolerance;
    if (step >= 0 && tolerance >= 0 && c->options.elements >= 0) return true;
    return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: an option is negative", name);
}

/* Copies of the inputs, the outputs' weights, and defaults by the narrowest dtype among them. */
static bool prepare(check *c, fx_tensor *const *inputs, fx_error *err) {
    int narrowest = 64;
    size_t n = 0;
    for (size_t i = 0; i < c->n_in; i++) {
        c->in[i] = fx_tensor_copy_from(fx_tensor_shape(inputs[i]), fx_tensor_data(inputs[i]), err);
        if (!c->in[i]) return false;
        c->n_wrt += is_smooth(fx_tensor_dtype(inputs[i]));
        c->has_gaps |= !is_finite(inputs[i]);
    }
    FX_TRY(run(c->value, c->in, c->n_in, c->out, c->n_out, err));
    for (size_t k = 0; k < c->n_out; k++) {
        if (!is_smooth(fx_tensor_dtype(c->out[k]))) continue;
        fx_tensor *w = c->in[c->n_in + n++] = weights_like(c->out[k], c->has_gaps, err);
        if (!w) return false;
    }
    c->n_smooth = n;
    drop(c->out, c->n_out);
    if (c->n_wrt == 0 || n == 0)
        return fxi_fail(err, FX_ERROR_DTYPE, "%s: no %s is float or complex", name, n ? "input" : "output");
    for (size_t i = 0; i < c->n_in + n; i++) {
        fx_dtype dtype = fx_tensor_dtype(c->in[i]);
        int bits = fx_dtype_is_complex(dtype) ? fx_dtype_bits(dtype) / 2 : fx_dtype_bits(dtype);
        if (is_smooth(dtype) && bits < narrowest) narrowest = bits;
    }
    fx_check_options *o = &c->options;
    if (o->step == 0) o->step = narrowest == 64 ? 0x1p-10 : narrowest == 32 ? 0x1p-5 : 0.25;
    if (o->tolerance == 0) o->tolerance = narrowest == 64 ? 1e-6 : narrowest == 32 ? 1e-2 : 0.2;
    if (o->elements == 0) o->elements = 1000;
    return true;
}

static bool check_all(check *c, fx_backend *backend, fx_tensor *const *inputs, fx_error *err) {
    size_t k = 0;
    c->value = fx_exec_new_fn(backend, c->function, c->n_in, c->n_out, c->user, err);
    if (!c->value || !prepare(c, inputs, err)) return false;
    c->vjp = fx_exec_new_fn(backend, vjp_fn, c->n_in + c->n_smooth, c->n_wrt, c, err);
    if (!c->vjp || !run(c->vjp, c->in, c->n_in + c->n_smooth, c->gradients, c->n_wrt, err)) return false;
    for (size_t i = 0; i < c->n_in; i++)
        if (is_smooth(fx_tensor_dtype(c->in[i]))) FX_TRY(check_input(c, i, c->gradients[k++], err));
    return true;
}

/* Copies as much of the report as the caller's struct holds. */
static void give_report(const check *c, fx_check_report *report) {
    if (!report) return;
    size_t size = report->size && report->size < sizeof *report ? report->size : sizeof *report;
    fx_check_report worst = c->worst;
    worst.size = report->size;
    memcpy(report, &worst, size);
}

static bool judge(const check *c, fx_error *err) {
    const fx_check_report *w = &c->worst;
    if (w->error <= c->options.tolerance) return true;
    return fxi_fail(err, FX_ERROR_GRADIENT,
                    "%s: input %zu, element %lld%s: the gradient is %.9g, differences give %.9g", name,
                    w->input, (long long)w->element, w->imaginary ? ", imaginary part" : "", w->gradient,
                    w->difference);
}

bool fx_check_gradient(fx_backend *backend, fx_fn function, size_t n_in, size_t n_out, void *user,
                       fx_tensor *const *inputs, const fx_check_options *options, fx_check_report *report,
                       fx_error *err) {
    check c = {.function = function, .user = user, .n_in = n_in, .n_out = n_out};
    if (options)
        memcpy(&c.options, options,
               options->size && options->size < sizeof *options ? options->size : sizeof *options);
    FX_TRY(check_arguments(&c, backend, inputs, err));
    size_t most = (size_t)1 << 20; /* as fx_exec_new_fn, which then refuses */
    if (n_in > most || n_out > most)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: %zu inputs and %zu outputs", name, n_in, n_out);
    c.in = fxi_alloc_zeroed(n_in + n_out + 1, sizeof *c.in);
    c.out = fxi_alloc_zeroed(n_out + 1, sizeof *c.out);
    c.gradients = fxi_alloc_zeroed(n_in + 1, sizeof *c.gradients);
    c.room = fxi_alloc_zeroed(n_in + 2 * n_out + 1, sizeof *c.room);
    bool ok = (c.in && c.out && c.gradients && c.room) || fxi_fail_memory(err, name);
    ok = ok && check_all(&c, backend, inputs, err);
    if (ok) give_report(&c, report);
    ok = ok && judge(&c, err);
    if (c.in) drop(c.in, n_in + n_out);
    if (c.out) drop(c.out, n_out);
    if (c.gradients) drop(c.gradients, n_in);
    fxi_free(c.in);
    fxi_free(c.out);
    fxi_free(c.gradients);
    fxi_free(c.room);
    fx_exec_free(c.value);
    fx_exec_free(c.vjp);
    return ok;
}
