/* SPDX-License-Identifier: Apache-2.0 */
/* Shape rules of the operations that run closures, and of their further results. Operands come in groups:
 * what the operation itself reads, then what each closure captured, in the order of the closures. A closure
 * has one parameter for each thing it is given and then one for each capture, so the groups' sizes follow
 * from the numbers of parameters. */
#include "shape_rules.h"

/* An operand number after the last one looked at, while parameters are compared with operands. */
typedef struct passing {
    const fxi_shape_args *args;
    size_t operand;
} passing;

static bool fail_passed(const fxi_shape_args *args, size_t body, size_t i, const fx_shape *wanted,
                        const fx_shape *got, fx_error *err) {
    return fail(args, err, FX_ERROR_SHAPE, "closure %zu takes %s as input %zu but is given %s", body,
                fx_shape_to_text(wanted).s, i, fx_shape_to_text(got).s);
}

/* Parameters from `first` on are captures: the next operands are passed to them. */
static bool pass_captures(passing *p, size_t body, size_t first, fx_error *err) {
    const fx_graph *g = attr_of(p->args, FXI_ATTR_BODIES)->u.graphs.v[body];
    if (g->parameters.count < first)
        return fail(p->args, err, FX_ERROR_INTERNAL, "closure %zu has %zu parameters, less than %zu", body,
                    g->parameters.count, first);
    for (size_t i = first; i < g->parameters.count; i++) {
        if (p->operand >= p->args->operand_count)
            return fail(p->args, err, FX_ERROR_INTERNAL, "closure %zu captured more than it is given", body);
        const fx_shape *given = p->args->operands[p->operand++];
        if (!fx_shape_equal(&g->parameters.data[i]->shape, given))
            return fail_passed(p->args, body, i, &g->parameters.data[i]->shape, given, err);
    }
    return true;
}

static bool all_passed(const passing *p, fx_error *err) {
    if (p->operand == p->args->operand_count) return true;
    return fail(p->args, err, FX_ERROR_INTERNAL, "%zu operands instead of %zu", p->args->operand_count,
                p->operand);
}

static bool check_bodies(const fxi_shape_args *args, size_t least, size_t most, fx_error *err) {
    fxi_graphs bodies = attr_of(args, FXI_ATTR_BODIES)->u.graphs;
    if (bodies.n < least || bodies.n > most)
        return fail(args, err, FX_ERROR_ARGUMENT, "%zu closures instead of %zu", bodies.n, least);
    for (size_t i = 0; i < bodies.n; i++)
        if (!bodies.v[i] || !bodies.v[i]->finished)
            return fail(args, err, FX_ERROR_INTERNAL, "closure %zu is not finished", i);
    return true;
}

/* Adds the shape as result number *n. */
static bool give(const fxi_shape_args *args, const fx_shape *shape, size_t *n, fx_shape *result,
                 fx_error *err) {
    if ((*n)++ > 0) return fxi_rule_add_result(args, shape, err);
    *result = *shape;
    return true;
}

static bool check_carried(const fxi_shape_args *args, size_t body, size_t i, const fx_shape *wanted,
                          const fx_graph *g, fx_error *err) {
    const fx_shape *got = &g->outputs[i]->shape, *in = &g->parameters.data[i]->shape;
    if (!fx_shape_equal(wanted, in)) return fail_passed(args, body, i, in, wanted, err);
    if (fx_shape_equal(wanted, got)) return true;
    return fail(args, err, FX_ERROR_SHAPE, "the body gives %s as state %zu, which is %s",
                fx_shape_to_text(got).s, i, fx_shape_to_text(wanted).s);
}

bool shape_result(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    (void)result; /* given */
    int64_t number = int_of(args, FXI_ATTR_RESULT);
    return number >= 1 || fail(args, err, FX_ERROR_INTERNAL, "there is no result %lld", (long long)number);
}

bool shape_while(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    FX_TRY(check_bodies(args, 2, 2, err));
    const fx_graph *test = attr_of(args, FXI_ATTR_BODIES)->u.graphs.v[0];
    const fx_graph *body = attr_of(args, FXI_ATTR_BODIES)->u.graphs.v[1];
    size_t states = body->output_count, given = 0;
    if (states == 0) return fail(args, err, FX_ERROR_ARGUMENT, "there is no state");
    if (test->output_count != 1 || test->outputs[0]->shape.dtype != FX_BOOL ||
        test->outputs[0]->shape.rank != 0)
        return fail(args, err, FX_ERROR_SHAPE, "the condition gives %s instead of (bool)",
                    test->output_count ? fx_shape_to_text(&test->outputs[0]->shape).s : "nothing");
    passing p = {args, states};
    FX_TRY(pass_captures(&p, 0, states, err));
    FX_TRY(pass_captures(&p, 1, states, err));
    FX_TRY(all_passed(&p, err));
    for (size_t i = 0; i < states; i++) {
        const fx_shape *state = args->operands[i];
        if (!fx_shape_equal(state, &test->parameters.data[i]->shape))
            return fail_passed(args, 0, i, &test->parameters.data[i]->shape, state, err);
        FX_TRY(check_carried(args, 1, i, state, body, err));
        FX_TRY(give(args, state, &given, result, err));
    }
    return true;
}

/* Branches agree in the shapes of all their results. */
static bool check_branch(const fxi_shape_args *args, size_t k, fx_error *err) {
    fxi_graphs bodies = attr_of(args, FXI_ATTR_BODIES)->u.graphs;
    const fx_graph *first = bodies.v[0], *g = bodies.v[k];
    if (g->output_count != first->output_count)
        return fail(args, err, FX_ERROR_ARGUMENT, "branch 0 gives %zu results, branch %zu gives %zu",
                    first->output_count, k, g->output_count);
    for (size_t i = 0; i < g->output_count; i++)
        if (!fx_shape_equal(&g->outputs[i]->shape, &first->outputs[i]->shape))
            return fail(args, err, FX_ERROR_SHAPE, "result %zu is %s in branch 0 and %s in branch %zu", i,
                        fx_shape_to_text(&first->outputs[i]->shape).s,
                        fx_shape_to_text(&g->outputs[i]->shape).s, k);
    return true;
}

bool shape_if(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    FX_TRY(check_bodies(args, 1, SIZE_MAX, err));
    if (args->operand_count == 0) return fail(args, err, FX_ERROR_INTERNAL, "there is no index");
    const fx_shape *index = args->operands[0];
    if (index->rank != 0 || (index->dtype != FX_BOOL && index->dtype != FX_S32))
        return fail(args, err, FX_ERROR_SHAPE, "the index is %s instead of a scalar",
                    fx_shape_to_text(index).s);
    fxi_graphs bodies = attr_of(args, FXI_ATTR_BODIES)->u.graphs;
    passing p = {args, 1};
    for (size_t k = 0; k < bodies.n; k++) {
        FX_TRY(check_branch(args, k, err));
        FX_TRY(pass_captures(&p, k, 0, err));
    }
    if (bodies.v[0]->output_count == 0)
        return fail(args, err, FX_ERROR_ARGUMENT, "the branches give no result");
    size_t given = 0;
    for (size_t i = 0; i < bodies.v[0]->output_count; i++)
        FX_TRY(give(args, &bodies.v[0]->outputs[i]->shape, &given, result, err));
    return all_passed(&p, err);
}

/* What the body sees of an input: the slice without the leading axis. */
static bool check_slice(const fxi_shape_args *args, size_t operand, int64_t length, const fx_shape *slice,
                        fx_error *err) {
    const fx_shape *x = args->operands[operand];
    if (x->rank == 0 || x->dims[0] != length)
        return fail(args, err, FX_ERROR_SHAPE, "input %s has no leading axis of length %lld",
                    fx_shape_to_text(x).s, (long long)length);
    fx_shape wanted = fx_shape_make(x->dtype, x->dims + 1, (size_t)x->rank - 1);
    return fx_shape_equal(&wanted, slice) || fail_passed(args, 0, operand, slice, &wanted, err);
}

static bool give_stacked(const fxi_shape_args *args, const fx_shape *row, int64_t length, size_t *given,
                         fx_shape *result, fx_error *err) {
    if (row->rank + 1 > FX_MAX_RANK)
        return fail(args, err, FX_ERROR_SHAPE, "stacked results of rank %d exceed the limit %d",
                    row->rank + 1, FX_MAX_RANK);
    fx_shape stacked = {.dtype = row->dtype, .rank = row->rank + 1, .dims = {length}};
    for (int axis = 0; axis < row->rank; axis++) stacked.dims[axis + 1] = row->dims[axis];
    return give(args, &stacked, given, result, err);
}

bool shape_scan(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    FX_TRY(check_bodies(args, 1, 1, err));
    const fx_graph *body = attr_of(args, FXI_ATTR_BODIES)->u.graphs.v[0];
    int64_t length = int_of(args, FXI_ATTR_LENGTH), states = int_of(args, FXI_ATTR_STATES);
    int64_t inputs = int_of(args, FXI_ATTR_INPUTS);
    size_t operand = 0, given = 0;
    if (body->output_count == 0)
        return fail(args, err, FX_ERROR_ARGUMENT, "there is neither a state nor a result");
    if (length < 0) return fail(args, err, FX_ERROR_ATTRIBUTE, "the length is %lld", (long long)length);
    if (states < 0 || inputs < 0 || (uint64_t)states > body->output_count ||
        args->operand_count != body->parameters.count || (uint64_t)(states + inputs) > args->operand_count)
        return fail(args, err, FX_ERROR_INTERNAL,
                    "%zu operands, %lld states and %lld inputs do not fit the body", args->operand_count,
                    (long long)states, (long long)inputs);
    for (; operand < (size_t)states; operand++) {
        FX_TRY(check_carried(args, 0, operand, args->operands[operand], body, err));
        FX_TRY(give(args, args->operands[operand], &given, result, err));
    }
    for (int64_t i = 0; i < inputs; i++, operand++)
        FX_TRY(check_slice(args, operand, length, &body->parameters.data[operand]->shape, err));
    passing p = {args, operand};
    FX_TRY(pass_captures(&p, 0, operand, err));
    for (size_t i = (size_t)states; i < body->output_count; i++)
        FX_TRY(give_stacked(args, &body->outputs[i]->shape, length, &given, result, err));
    return all_passed(&p, err);
}

/* What the backward closure is given after the inputs, the outputs and their adjoints, is as the outputs;
 * it gives an adjoint for each input. */
static bool check_backward(const fxi_shape_args *args, size_t inputs, fx_error *err) {
    fxi_graphs bodies = attr_of(args, FXI_ATTR_BODIES)->u.graphs;
    const fx_graph *forward = bodies.v[0], *g = bodies.v[1];
    size_t outputs = forward->output_count, given = inputs + 2 * outputs;
    if (g->parameters.count < given || g->output_count != inputs)
        return fail(args, err, FX_ERROR_INTERNAL, "the backward closure has %zu inputs and %zu outputs",
                    g->parameters.count, g->output_count);
    for (size_t i = 0; i < given; i++) {
        const fx_shape *shape =
            i < inputs ? args->operands[i] : &forward->outputs[(i - inputs) % outputs]->shape;
        if (!fx_shape_equal(&g->parameters.data[i]->shape, shape))
            return fail_passed(args, 1, i, &g->parameters.data[i]->shape, shape, err);
    }
    for (size_t i = 0; i < inputs; i++)
        if (!fx_shape_equal(&g->outputs[i]->shape, args->operands[i]))
            return fail(args, err, FX_ERROR_SHAPE, "the adjoint of input %zu is %s instead of %s", i,
                        fx_shape_to_text(&g->outputs[i]->shape).s, fx_shape_to_text(args->operands[i]).s);
    return true;
}

bool shape_composite(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    FX_TRY(check_bodies(args, 1, 2, err));
    fxi_graphs bodies = attr_of(args, FXI_ATTR_BODIES)->u.graphs;
    const fx_graph *forward = bodies.v[0];
    int64_t inputs = int_of(args, FXI_ATTR_INPUTS);
    size_t given = 0;
    if (forward->output_count == 0) return fail(args, err, FX_ERROR_ARGUMENT, "there is no result");
    if (inputs < 0 || (uint64_t)inputs > args->operand_count)
        return fail(args, err, FX_ERROR_INTERNAL, "%zu operands, %lld inputs", args->operand_count,
                    (long long)inputs);
    passing p = {args, 0};
    FX_TRY(pass_captures(&p, 0, 0, err));
    if (bodies.n == 2)
        FX_TRY(check_backward(args, (size_t)inputs, err) &&
               pass_captures(&p, 1, (size_t)inputs + 2 * forward->output_count, err));
    for (size_t i = 0; i < forward->output_count; i++)
        FX_TRY(give(args, &forward->outputs[i]->shape, &given, result, err));
    return all_passed(&p, err);
}
