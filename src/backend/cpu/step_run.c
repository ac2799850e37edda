/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one step of a program: cuts a kernel's iteration space into its fixed tasks, hands them to the
 * pool, and in each task walks cache blocks. */
#include "program.h"
#include "kernels/kernels.h"
#include <string.h>

typedef struct kernel_run {
    const fxi_step *step;
    char *const *table;
} kernel_run;

static int64_t pieces(int64_t whole, int64_t piece) {
    return whole <= piece ? 1 : fxi_size_ceil_div(whole, piece);
}

/* The part of the iteration space that task number `task` covers. */
static fxi_range task_range(const fxi_step *s, int64_t task) {
    const fxi_tiling *t = &s->tiling;
    int64_t inner_pieces = pieces(t->inner, t->task_inner), reduce_pieces = pieces(t->reduce, t->task_reduce);
    int64_t i = task % inner_pieces, rest = task / inner_pieces;
    int64_t r = rest % reduce_pieces, o = rest / reduce_pieces;
    fxi_range range = {.outer_first = o * t->task_outer,
                       .inner_first = i * t->task_inner,
                       .reduce_first = r * t->task_reduce};
    range.outer_last = fxi_size_min(range.outer_first + t->task_outer, t->outer);
    range.inner_last = fxi_size_min(range.inner_first + t->task_inner, t->inner);
    range.reduce_last = fxi_size_min(range.reduce_first + t->task_reduce, t->reduce);
    range.part = s->kernel.head.form == FXI_FORM_ROW ? r * inner_pieces + i : r;
    return range;
}

/* Blocks of columns outermost: what is read along the rows then stays in few pages while the rows go by. */
static void run_blocks(const kernel_run *run, const fxi_range *task) {
    const fxi_tiling *t = &run->step->tiling;
    fxi_range block = *task;
    for (block.inner_first = task->inner_first; block.inner_first < task->inner_last;
         block.inner_first = block.inner_last) {
        block.inner_last = fxi_size_min(block.inner_first + t->block_inner, task->inner_last);
        for (block.outer_first = task->outer_first; block.outer_first < task->outer_last;
             block.outer_first = block.outer_last) {
            int64_t run_end = (block.outer_first / t->run_outer + 1) * t->run_outer;
            block.outer_last =
                fxi_size_min(fxi_size_min(block.outer_first + t->block_outer, run_end), task->outer_last);
            run->step->run(run->table, run->step->params, &block);
        }
    }
}

static void run_task(void *context, int64_t task) {
    const kernel_run *run = context;
    fxi_range range = task_range(run->step, task);
    if (run->step->tiling.block_outer)
        run_blocks(run, &range);
    else
        run->step->run(run->table, run->step->params, &range);
}

/* ---- debug=ranges: no byte may be written by two tasks ---- */

static int64_t store_offset(const fxi_step *s, int store, int64_t outer, int64_t inner, int64_t part) {
    const fxi_kernel_head *h = &s->kernel.head;
    const fxi_layout l = fxi_kernel_layout(h);
    const int64_t *a = s->params + l.accesses + s->kernel.stores[store].access * l.access_size;
    int64_t offset = a[0] + inner * a[l.access_size - 1] + (h->partial ? part * s->params[l.part_stride] : 0);
    for (int k = h->outer_loops - 1; k >= 0; k--) {
        offset += outer % s->params[l.extents + k] * a[1 + k];
        outer /= s->params[l.extents + k];
    }
    return offset;
}

static bool mark_task(const fxi_step *s, int store, int64_t task, unsigned char *seen, int64_t size,
                      int64_t element) {
    fxi_range r = task_range(s, task);
    bool row = s->kernel.accesses[s->kernel.stores[store].access].inner == FXI_STRIDE_ZERO;
    int64_t first = row ? 0 : r.inner_first, last = row ? 1 : r.inner_last;
    for (int64_t o = r.outer_first; o < r.outer_last; o++)
        for (int64_t i = first; i < last; i++) {
            int64_t at = store_offset(s, store, o, i, r.part) / element;
            if (at < 0 || at >= size || seen[at]) return false;
            seen[at] = 1;
        }
    return true;
}

static bool check_store(const fxi_cpu_program *p, const fxi_step *s, int store, fx_error *err) {
    int value = store == 0 ? s->written : s->buffers.data[store - 1];
    const fxi_value_info *v = &p->plan.values.data[value];
    int64_t element = fxi_memory_bytes((fx_dtype)s->kernel.accesses[s->kernel.stores[store].access].dtype);
    unsigned char *seen = fxi_alloc_zeroed((size_t)(v->bytes / element) + 1, 1);
    if (!seen) return fxi_fail_memory(err, "range check");
    bool ok = true;
    for (int64_t task = 0; task < s->tiling.tasks && ok; task++)
        ok = mark_task(s, store, task, seen, v->bytes / element, element);
    fxi_free(seen);
    return ok ||
           fxi_fail_at(err, FX_ERROR_INTERNAL, s->node->file, s->node->line,
                       "%s: two parallel tasks write the same element", fxi_op_info_of(s->node->op)->text);
}

static bool check_ranges(const fxi_cpu_program *p, const fxi_step *s, fx_error *err) {
    for (int store = 0; store < s->kernel.head.stores; store++) FX_TRY(check_store(p, s, store, err));
    return true;
}

/* ---- the other kinds ---- */

static bool run_kernel(const fxi_cpu_program *p, const fxi_step *s, char *const *table, fx_error *err) {
    if (p->state->check_ranges) FX_TRY(check_ranges(p, s, err));
    kernel_run run = {s, table};
    fxi_pool_run(p->state->pool, s->tiling.tasks, run_task, &run);
    return true;
}

static char *address(const fxi_cpu_program *p, const fxi_step *s, size_t k, char *const *table) {
    return table[p->slot_of_value[s->buffers.data[k]]];
}

/* Elements [first, last) of a product, in the order of its memory, by a kernel whose inner loop divides a
 * row or, where rows are of one element, is several. */
static void run_stretch(const kernel_run *run, int64_t first, int64_t last) {
    int64_t inner = run->step->tiling.inner;
    while (first < last) {
        fxi_range range = {.outer_first = first / inner, .inner_first = first % inner, .reduce_last = 1};
        int64_t whole = range.inner_first == 0 ? (last - first) / inner : 0;
        range.outer_last = range.outer_first + fxi_size_max(whole, 1);
        range.inner_last = whole ? inner : fxi_size_min(inner, range.inner_first + last - first);
        first += (range.outer_last - range.outer_first) * (range.inner_last - range.inner_first);
        run->step->run(run->table, run->step->params, &range);
    }
}

static void run_rectangle(const kernel_run *run, int64_t columns, const fxi_gemm_rect *rect) {
    if (rect->width == columns) {
        run_stretch(run, rect->row * columns, (rect->row + rect->rows) * columns);
    } else if (run->step->tiling.inner == columns) {
        const fxi_range range = {.outer_first = rect->row,
                                 .outer_last = rect->row + rect->rows,
                                 .inner_first = rect->column,
                                 .inner_last = rect->column + rect->width,
                                 .reduce_last = 1};
        run->step->run(run->table, run->step->params, &range);
    } else {
        for (int64_t row = rect->row; row < rect->row + rect->rows; row++) {
            int64_t first = row * columns + rect->column;
            run_stretch(run, first, first + rect->width);
        }
    }
}

/* The epilogues of a product, one after another, on a rectangle of it. */
static void run_epilogues(const void *context, const fxi_gemm_rect *rect) {
    const kernel_run *product = context;
    for (size_t i = 0; i < product->step->epilogues.count; i++) {
        const kernel_run run = {&product->step->epilogues.data[i], product->table};
        run_rectangle(&run, product->step->gemm.n, rect);
    }
}

static void run_gemm(const fxi_cpu_program *p, const fxi_step *s, char *const *table) {
    char *a = address(p, s, 0, table), *b = address(p, s, 1, table);
    void *workspace = s->workspace >= 0 ? address(p, s, 3, table) : NULL;
    const kernel_run run = {s, table};
    const fxi_gemm_epilogue epilogue = {run_epilogues, &run};
    fxi_gemm_run_through(s->product, p->state->pool, a ? a + s->operand_offset[0] : NULL,
                         b ? b + s->operand_offset[1] : NULL, address(p, s, 2, table), workspace,
                         s->epilogues.count ? &epilogue : NULL);
}

/* Between dtypes of which one is packed: through the packed form, since that is what the bits mean. */
static bool run_bitcast(const fxi_cpu_program *p, const fxi_step *s, char *const *table, fx_error *err) {
    const fx_shape *to = &s->node->shape, *from = &s->node->operands[0]->shape;
    size_t bytes = (size_t)fx_shape_bytes(from);
    char *source = address(p, s, 0, table), *target = address(p, s, 1, table);
    void *packed = fxi_pages_take(p->state->pages, bytes + 1);
    if (!packed) return fxi_fail_memory(err, "bitcast");
    if (fxi_dtype_is_packed(from->dtype))
        fxi_pack(from->dtype, source, fx_shape_size(from), packed);
    else
        memcpy(packed, source, bytes);
    if (fxi_dtype_is_packed(to->dtype))
        fxi_unpack(to->dtype, packed, fx_shape_size(to), target);
    else
        memcpy(target, packed, bytes);
    fxi_pages_give(p->state->pages, packed);
    return true;
}

enum { FEW_BUFFERS = 16 };

/* Addresses of all buffers of a step, in `few` when they fit there. */
static char **list_addresses(const fxi_cpu_program *p, const fxi_step *s, char *const *table, char **few) {
    size_t n = s->buffers.count;
    char **list = n <= FEW_BUFFERS ? few : fxi_alloc_zeroed(n, sizeof *list);
    for (size_t i = 0; list && i < n; i++) list[i] = address(p, s, i, table);
    return list;
}

static bool run_whole(const fxi_cpu_program *p, const fxi_step *s, char *const *table,
                      const fxi_run_args *args, fx_error *err) {
    char *few[FEW_BUFFERS], **list = list_addresses(p, s, table, few);
    if (!list) return fxi_fail_memory(err, fxi_op_info_of(s->node->op)->text);
    bool ok = true;
    char **results = list + s->reads, *workspace = s->workspace >= 0 ? list[s->buffers.count - 1] : NULL;
    if (s->kind == FXI_STEP_CONTROL) {
        ok = fxi_control_run(s->control, list, results, workspace, args, err);
    } else {
        bool failed = false;
        fx_error error = {.code = FX_OK};
        const fxi_host_call call = {.node = s->node,
                                    .operands = (const void *const *)(void *)list,
                                    .result = results[0],
                                    .results = (void *const *)(void *)results,
                                    .workspace = workspace,
                                    .pool = p->state->pool,
                                    .state = s->state,
                                    .packed = s->packed,
                                    .failed = &failed,
                                    .err = &error};
        s->host->run(&call);
        if (failed)
            ok = error.code ? fxi_fail_copy(err, &error)
                            : fxi_fail_memory(err, fxi_op_info_of(s->node->op)->text);
    }
    if (list != few) fxi_free(list);
    return ok;
}

static void run_copy(const fxi_cpu_program *p, const fxi_step *s, char *const *table) {
    int64_t bytes = fx_shape_size(&s->node->shape) * fxi_memory_bytes(s->node->shape.dtype);
    if (bytes) memcpy(address(p, s, 1, table), address(p, s, 0, table), (size_t)bytes);
}

bool fxi_step_run(const fxi_cpu_program *p, const fxi_step *s, char *const *table, const fxi_run_args *args,
                  fx_error *err) {
    int64_t size = fx_shape_size(&s->node->shape);
    switch (s->kind) {
    case FXI_STEP_KERNEL: return run_kernel(p, s, table, err);
    case FXI_STEP_GEMM: run_gemm(p, s, table); return true;
    case FXI_STEP_BITCAST: return run_bitcast(p, s, table, err);
    case FXI_STEP_HOST:
    case FXI_STEP_CONTROL: return run_whole(p, s, table, args, err);
    case FXI_STEP_UNPACK:
        fxi_unpack(s->node->shape.dtype, args->inputs[fxi_node_int(s->node, FXI_ATTR_INDEX)]->data, size,
                   address(p, s, 1, table));
        return true;
    case FXI_STEP_PACK:
        fxi_pack(s->node->shape.dtype, address(p, s, 0, table), size, address(p, s, 1, table));
        return true;
    default: run_copy(p, s, table); return true;
    }
}
