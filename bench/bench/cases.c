/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmark cases whose operations exist: the same functions on the same shapes and dtypes as the peers' script. */
#include "bench.h"

#define CASE(name)                                                                                           \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)n_out, (void)user

CASE(scalar_add) {
    UNUSED;
    out[0] = fx_add(in[0], in[1]);
}
CASE(euclid) {
    UNUSED;
    out[0] = fx_sqrt(fx_reduce_all_sum(fx_square(fx_sub(in[0], in[1]))));
}

/* tanh(1.5 x + 0.25) sigmoid(x) + sqrt(|x|) */
CASE(chain) {
    UNUSED;
    fx_node *x = in[0];
    fx_node *t = fx_tanh(fx_add_scalar(fx_mul_scalar(x, 1.5), 0.25));
    out[0] = fx_add(fx_mul(t, fx_logistic(x)), fx_sqrt(fx_abs(x)));
}

CASE(sum_all) {
    UNUSED;
    out[0] = fx_reduce_all_sum(in[0]);
}
CASE(sum_rows) {
    UNUSED;
    out[0] = fx_reduce_sum(in[0], FX_AXES(1));
}
CASE(sum_columns) {
    UNUSED;
    out[0] = fx_reduce_sum(in[0], FX_AXES(0));
}
CASE(matmul) {
    UNUSED;
    out[0] = fx_matmul(in[0], in[1]);
}
CASE(matmul_tn) {
    UNUSED;
    out[0] = fx_matmul(fx_transpose(in[0], 0, 1), in[1]);
}

CASE(matmul_s8) {
    UNUSED;
    out[0] = fx_dot_general_dtype(in[0], FX_AXES(1), FX_AXES(), in[1], FX_AXES(0), FX_AXES(), FX_S32);
}

CASE(conv3x3) {
    UNUSED;
    out[0] = fx_convolve(in[0], in[1], &(fx_conv_options){.pad_same = true});
}

CASE(transpose_add) {
    UNUSED;
    out[0] = fx_add_scalar(fx_transpose(in[0], 0, 1), 1.0);
}
CASE(nchw_nhwc) {
    UNUSED;
    out[0] = fx_mul_scalar(fx_transpose_all_axes(in[0], FX_AXES(0, 2, 3, 1)), 2.0);
}

/* x + r[None, :] * c[:, None] */
CASE(broadcast_add) {
    UNUSED;
    fx_node *row = fx_reshape(in[1], FX_DIMS(1, -1)), *column = fx_reshape(in[2], FX_DIMS(-1, 1));
    out[0] = fx_add(in[0], fx_mul(row, column));
}

/* concatenate(a, b)[1::2] with 3 zeros before and 5 after */
CASE(concat_pad_slice) {
    UNUSED;
    fx_node *both = fx_concatenate(FX_NODES(in[0], in[1]), 0);
    fx_node *odd = fx_slice(both, FX_DIMS(1), FX_DIMS(10000000), FX_DIMS(2));
    const fx_pad_axis pads[] = {{3, 5, 0}};
    out[0] = fx_pad(odd, fx_scalar(g, FX_F32, 0), (fx_pads){pads, 1});
}

CASE(variance) {
    UNUSED;
    out[0] = fx_reduce_variance(in[0], FX_AXES(1));
}
CASE(softmax) {
    UNUSED;
    out[0] = fx_softmax(in[0], FX_AXES(-1));
}
/* (x - mean) rsqrt(variance + 1e-5) gain + bias along the last axis */
CASE(layer_norm) {
    UNUSED;
    fx_node *distance = fx_sub(in[0], fx_reduce_and_keep(in[0], fx_reduce_mean, FX_AXES(-1)));
    fx_node *variance = fx_reduce_and_keep(fx_square(distance), fx_reduce_mean, FX_AXES(-1));
    fx_node *gain = fx_reshape(in[1], FX_DIMS(1, -1)), *bias = fx_reshape(in[2], FX_DIMS(1, -1));
    fx_node *unit = fx_mul(distance, fx_rsqrt(fx_add_scalar(variance, 1e-5)));
    out[0] = fx_add(fx_mul(unit, gain), bias);
}
CASE(cumsum) {
    UNUSED;
    out[0] = fx_cum_sum(in[0], 0);
}
/* t[i] and t.at[i].add(u) along the first axis */
CASE(gather) {
    UNUSED;
    out[0] = fx_gather(in[0], fx_expand_axes(in[1], FX_AXES(-1)));
}
CASE(scatter_add) {
    UNUSED;
    out[0] = fx_scatter_sum(in[0], fx_expand_axes(in[1], FX_AXES(-1)), in[2]);
}
CASE(sort) {
    UNUSED;
    out[0] = fx_sort(in[0], -1, true);
}
CASE(top_100) {
    UNUSED;
    out[0] = fx_top_k(in[0], 100, -1, &out[1]);
}
CASE(top_8) {
    UNUSED;
    out[0] = fx_top_k(in[0], 8, -1, &out[1]);
}
CASE(argmax) {
    UNUSED;
    out[0] = fx_arg_max(in[0], -1);
}

CASE(fft) {
    UNUSED;
    out[0] = fx_fft(in[0], FX_DIMS());
}

/* ---- random numbers; the generator's state is an input ---- */

CASE(random_normal) {
    UNUSED;
    out[0] = fx_random_normal(in[0], &FX_SHAPE(FX_F32, 10000000), NULL);
}
CASE(random_uniform) {
    UNUSED;
    out[0] = fx_random_uniform(in[0], &FX_SHAPE(FX_F32, 10000000), NULL);
}

/* ---- quantized weights ---- */

#define QUANTIZED(type)                                                                                      \
    CASE(quantized_##type) {                                                                                 \
        UNUSED;                                                                                              \
        const fx_quantization q = {.scheme = FX_QUANTIZATION_GGML,                                           \
                                   .ggml_type = fx_ggml_type_parse(#type)};                                  \
        out[0] = fx_nn_quantized_dense(in[0], in[1], &q, NULL, FX_ACTIVATION_NONE);                          \
    }
QUANTIZED(q4_0)
QUANTIZED(q8_0)
QUANTIZED(q4_k)
QUANTIZED(q6_k)
CASE(quantized_linear) {
    UNUSED;
    const fx_quantization q = {.scale = in[2], .block_axis = 1, .block_size = 128};
    out[0] = fx_nn_quantized_dense(in[0], in[1], &q, NULL, FX_ACTIVATION_NONE);
}
/* What a memory can give: every byte is read once and hardly used. */
CASE(read_all) {
    UNUSED;
    out[0] = fx_reduce_all_max(in[0]);
}

/* ---- control flow ---- */

/* x = x b / |x| */
CASE(normalized_step) {
    UNUSED;
    fx_node *norm = fx_sqrt(fx_reduce_all_sum(fx_square(in[1])));
    out[0] = fx_div(fx_matmul(in[1], user), norm);
}
CASE(while_small) {
    UNUSED;
    out[0] = fx_for(1000, FX_NODES(in[0]), normalized_step, in[1], NULL);
}

void fxb_lstm_step(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    UNUSED;
    fx_node **weights = user, *gates[4];
    fx_split(fx_add(fx_matmul(in[2], weights[0]), fx_matmul(in[0], weights[1])), -1, 4, gates);
    out[1] = fx_add(fx_mul(fx_logistic(gates[1]), in[1]), fx_mul(fx_logistic(gates[0]), fx_tanh(gates[2])));
    out[0] = fx_mul(fx_logistic(gates[3]), fx_tanh(out[1]));
    out[2] = out[0];
}
CASE(scan_lstm) {
    UNUSED;
    const fx_shape shape = {.dtype = FX_F32, .rank = 2, .dims = {32, 64}};
    fx_node *zero = fx_zeros(g, &shape), *weights[2] = {in[0], in[1]}, *results[3];
    fx_scan(FX_NODES(zero, zero), FX_NODES(in[2]), 128, 1, fxb_lstm_step, weights, results);
    out[0] = results[2];
}

CASE(maxpool) {
    UNUSED;
    static const fx_pad_axis same[] = {{0, 1, 0}}; /* what "SAME" comes to in JAX */
    const fx_pool_options o = {.window = FX_DIMS(3), .strides = FX_DIMS(2), .paddings = {same, 1}};
    out[0] = fx_max_pool(in[0], &o);
}
CASE(maxpool_nchw) {
    UNUSED;
    static const fx_pad_axis same[] = {{0, 1, 0}};
    const fx_pool_options o = {
        .window = FX_DIMS(3), .strides = FX_DIMS(2), .paddings = {same, 1}, .channels_first = true};
    out[0] = fx_max_pool(in[0], &o);
}

#define F32 FX_F32
#define V(t, a)                                                                                              \
    {                                                                                                        \
        t, 1, {                                                                                              \
            a                                                                                                \
        }                                                                                                    \
    }
#define M(t, a, b)                                                                                           \
    {                                                                                                        \
        t, 2, {                                                                                              \
            a, b                                                                                             \
        }                                                                                                    \
    }
#define T3(t, a, b, c)                                                                                       \
    {                                                                                                        \
        t, 3, {                                                                                              \
            a, b, c                                                                                          \
        }                                                                                                    \
    }
#define S(t) {t, 0, {0}}

const fxb_case fxb_cases[] = {
    {"a_scalar_add", scalar_add, 2, 1, {S(F32), S(F32)}, 0, NULL},
    {"a_euclid2_f64", euclid, 2, 1, {V(FX_F64, 2), V(FX_F64, 2)}, 0, NULL},
    {"b_chain_1000", chain, 1, 1, {V(F32, 1000)}, 0, NULL},
    {"b_chain_100000", chain, 1, 1, {V(F32, 100000)}, 0, NULL},
    {"b_chain_10000000", chain, 1, 1, {V(F32, 10000000)}, 0, NULL},
    {"c_sum_1e7", sum_all, 1, 1, {V(F32, 10000000)}, 0, NULL},
    {"c_rowsum_4096", sum_rows, 1, 1, {M(F32, 4096, 4096)}, 0, NULL},
    {"c_colsum_4096", sum_columns, 1, 1, {M(F32, 4096, 4096)}, 0, NULL},
    {"c_softmax_1024x1024", softmax, 1, 1, {M(F32, 1024, 1024)}, 0, NULL},
    {"c_softmax_64x50257", softmax, 1, 1, {M(F32, 64, 50257)}, 0, NULL},
    {"c_layernorm_1024x768", layer_norm, 3, 1, {M(F32, 1024, 768), V(F32, 768), V(F32, 768)}, 0, NULL},
    {"d_mm_f32_64", matmul, 2, 1, {M(F32, 64, 64), M(F32, 64, 64)}, 0, NULL},
    {"d_mm_f32_256", matmul, 2, 1, {M(F32, 256, 256), M(F32, 256, 256)}, 0, NULL},
    {"d_mm_f32_1024", matmul, 2, 1, {M(F32, 1024, 1024), M(F32, 1024, 1024)}, 0, NULL},
    {"d_mm_f32_2048", matmul, 2, 1, {M(F32, 2048, 2048), M(F32, 2048, 2048)}, 0, NULL},
    {"d_mm_f64_1024", matmul, 2, 1, {M(FX_F64, 1024, 1024), M(FX_F64, 1024, 1024)}, 0, NULL},
    {"d_bmm_96x128x64x128", matmul, 2, 1, {T3(F32, 96, 128, 64), T3(F32, 96, 64, 128)}, 0, NULL},
    {"d_mm_bf16_1024", matmul, 2, 1, {M(FX_BF16, 1024, 1024), M(FX_BF16, 1024, 1024)}, 0, NULL},
    {"h_conv3x3_8x56x56x64", conv3x3, 2, 1, {{F32, 4, {8, 56, 56, 64}}, {F32, 4, {3, 3, 64, 64}}}, 0, NULL},
    {"j_cumsum_1e7", cumsum, 1, 1, {V(F32, 10000000)}, 0, NULL},
    {"j_gather_1e6x64", gather, 2, 1, {M(F32, 50000, 64), V(FX_S32, 1000000)}, 50000, NULL},
    {"j_normal_1e7", random_normal, 1, 1, {V(FX_U64, 3)}, 0, NULL},
    {"j_uniform_1e7", random_uniform, 1, 1, {V(FX_U64, 3)}, 0, NULL},
    {"j_scatteradd_1e6x64", scatter_add, 3, 1, {M(F32, 50000, 64), V(FX_S32, 1000000), M(F32, 1000000, 64)}, 50000, NULL},
    {"j_sort_1e6", sort, 1, 1, {V(F32, 1000000)}, 0, NULL},
    {"l_topk_1e6_100", top_100, 1, 2, {V(F32, 1000000)}, 0, NULL},
    {"l_topk_256x32000_8", top_8, 1, 2, {M(F32, 256, 32000)}, 0, NULL},
    {"l_argmax_1024x8192", argmax, 1, 1, {M(F32, 1024, 8192)}, 0, NULL},
    {"m_fft_512x1024", fft, 1, 1, {M(FX_C64, 512, 1024)}, 0, NULL},
    {"o_while_1000_3x3_f64", while_small, 2, 1, {M(FX_F64, 3, 3), M(FX_F64, 3, 3)}, 0, NULL},
    {"o_scan_lstm_128x32x64", scan_lstm, 3, 1, {M(F32, 64, 256), M(F32, 64, 256), T3(F32, 128, 32, 64)}, 0, NULL},
    {"n_maxpool_8x112x112x64", maxpool, 1, 1, {{F32, 4, {8, 112, 112, 64}}}, 0, NULL},
    {"n_maxpool_nchw_8x64x112x112", maxpool_nchw, 1, 1, {{F32, 4, {8, 64, 112, 112}}}, 0, NULL},
    {"p_matvec_4096", matmul, 2, 1, {M(F32, 4096, 4096), V(F32, 4096)}, 0, NULL},
    {"p_vecmat_4096", matmul, 2, 1, {V(F32, 4096), M(F32, 4096, 4096)}, 0, NULL},
    {"p_mm_8x4096x4096", matmul, 2, 1, {M(F32, 8, 4096), M(F32, 4096, 4096)}, 0, NULL},
    {"p_mm_tn_1024", matmul_tn, 2, 1, {M(F32, 1024, 1024), M(F32, 1024, 1024)}, 0, NULL},
    {"p_mm_997x1013x1009", matmul, 2, 1, {M(F32, 997, 1009), M(F32, 1009, 1013)}, 0, NULL},
    {"p_mm_s8_1024", matmul_s8, 2, 1, {M(FX_S8, 1024, 1024), M(FX_S8, 1024, 1024)}, 0, NULL},
    {"t_read_9437184", read_all, 1, 1, {V(FX_U8, 9437184)}, 0, NULL},
    {"t_read_17825792", read_all, 1, 1, {V(FX_U8, 17825792)}, 0, NULL},
    {"t_qmatvec_q4_0_4096", quantized_q4_0, 2, 1, {M(F32, 1, 4096), M(FX_U8, 4096, 2304)}, 0, NULL},
    {"t_qmatvec_q8_0_4096", quantized_q8_0, 2, 1, {M(F32, 1, 4096), M(FX_U8, 4096, 4352)}, 0, NULL},
    {"t_qmatvec_q4_k_4096", quantized_q4_k, 2, 1, {M(F32, 1, 4096), M(FX_U8, 4096, 2304)}, 0, NULL},
    {"t_qmatvec_q6_k_4096", quantized_q6_k, 2, 1, {M(F32, 1, 4096), M(FX_U8, 4096, 3360)}, 0, NULL},
    {"t_qmatvec_s8_4096", quantized_linear, 3, 1, {M(F32, 1, 4096), M(FX_S8, 4096, 4096), M(F32, 4096, 32)}, 0, NULL},
    {"t_qmatvec_s4_4096", quantized_linear, 3, 1, {M(F32, 1, 4096), M(FX_S4, 4096, 4096), M(F32, 4096, 32)}, 0, NULL},
    {"t_qmm_q4_0_8x4096", quantized_q4_0, 2, 1, {M(F32, 8, 4096), M(FX_U8, 4096, 2304)}, 0, NULL},
    {"t_qmm_q4_0_256x4096", quantized_q4_0, 2, 1, {M(F32, 256, 4096), M(FX_U8, 4096, 2304)}, 0, NULL},
    {"t_mm_256x4096", matmul, 2, 1, {M(F32, 256, 4096), M(F32, 4096, 4096)}, 0, NULL},
    {"r_transpose_4096", transpose_add, 1, 1, {M(F32, 4096, 4096)}, 0, NULL},
    {"r_nchw_nhwc_8x64x112x112", nchw_nhwc, 1, 1, {{F32, 4, {8, 64, 112, 112}}}, 0, NULL},
    {"r_broadcast_add_4096", broadcast_add, 3, 1, {M(F32, 4096, 4096), V(F32, 4096), V(F32, 4096)}, 0, NULL},
    {"r_concat_pad_slice_1e7", concat_pad_slice, 2, 1, {V(F32, 5000000), V(F32, 5000000)}, 0, NULL},
    {"r_var_4096", variance, 1, 1, {M(F32, 4096, 4096)}, 0, NULL},
};
const size_t fxb_case_count = sizeof fxb_cases / sizeof fxb_cases[0];
