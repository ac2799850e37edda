/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes that the compiler must refuse in words that name the remedy. Each is one CASE; the comment behind it holds
 * what the message of a C compiler must contain, then that of a C++ compiler. */
#include <fluxion.h>

fx_node *f(fx_node *a);
int no_graph_function(int a);
void fills(fx_node *a, fx_node **out);
fx_node *seven(fx_node *, fx_node *, fx_node *, fx_node *, fx_node *, fx_node *, fx_node *);

void use(fx_backend *b, fx_exec *e, fx_error *err, void *p, double d, double *array) {
    (void)b, (void)e, (void)err, (void)p, (void)d, (void)array;
#if CASE == 1 /* an_argument_is_a_number_or_FX_VEC_or_FX_HOST_or_a_tensor | number, FX_VEC, FX_HOST or a tensor */
    fx_call1(e, err, array);
#elif CASE == 2 /* an_argument_is_a_number_or_FX_VEC_or_FX_HOST_or_a_tensor | number, FX_VEC, FX_HOST or a tensor */
    fx_call1(e, err, 1.0, "text");
#elif CASE == 3 /* an_argument_is_a_number_or_FX_VEC_or_FX_HOST_or_a_tensor | number, FX_VEC, FX_HOST or a tensor */
    fx_node *node = 0;
    fx_call1(e, err, node);
#elif CASE == 4 /* a_graph_function_takes_up_to_6_fx_node_pointers | a graph function takes up to 6 fx_node */
    fx_exec_new(b, no_graph_function, err);
#elif CASE == 5 /* a_graph_function_takes_up_to_6_fx_node_pointers | a graph function takes up to 6 fx_node */
    fx_exec_new(b, seven, err);
#elif CASE == 6 /* a_graph_function_takes_up_to_6_fx_node_pointers_and_returns_one | up to 6 fx_node * and returns */
    fx_exec_new(b, fills, err);
#elif CASE == 7 /* a_graph_function_takes_up_to_6_fx_node_pointers_and_fx_node_pointer_out | and fx_node **out */
    fx_exec_new_outputs(b, f, 2, err);
#elif CASE == 8 /* FX_HOST_takes_an_array_or_a_pointer_to_its_first_number | numbers */
    char *words[2] = {0, 0};
    fx_call1(e, err, FX_HOST(words, 2));
#elif CASE == 9 /* FX_HOST_takes_an_array_or_a_pointer_to_its_first_number | numbers */
    fx_call1(e, err, FX_HOST(p, 2));
#elif CASE == 10 /* FX_HOST_takes_an_array_or_a_pointer_to_its_first_number | fx_host_of */
    fx_call1(e, err, FX_HOST(d, 2));
#elif CASE == 15 /* FX_HOST_takes_an_array_or_a_pointer_to_its_first_number | numbers */
    float *rows[2] = {0, 0};
    fx_call1(e, err, FX_HOST(rows, 2, 3));
#elif CASE == 16 /* FX_HOST_takes_an_array_or_a_pointer_to_its_first_number | numbers */
    float *rows[2][3] = {{0}, {0}};
    fx_call1(e, err, FX_HOST(rows, 2, 3));
#elif CASE == 11 /* FX_VEC_takes_a_type_of_numbers | numbers */
    fx_call1(e, err, FX_VEC(long double, 1, 2));
#elif CASE == 12 /* invalid operands to binary | dimensions and sizes are integers */
    fx_dims dims = FX_DIMS(2.5);
    (void)dims;
#elif CASE == 13 /* invalid operands to binary | dimensions and sizes are integers */
    fx_dims dims = FX_DIMS(2, array);
    (void)dims;
#elif CASE == 14 /* a_call_has_at_most_16_arguments_else_use_fx_exec_call | */
    fx_call1(e, err, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
#endif
}
