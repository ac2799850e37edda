// SPDX-License-Identifier: Apache-2.0
// lstm_scan_gradient, written by programs.py
module @jit_lstm_scan_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x2x3xf32>, %arg1: tensor<3x16xf32>, %arg2: tensor<4x16xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3x16xf32> {jax.result_info = "result[1][0]"}, tensor<4x16xf32> {jax.result_info = "result[1][1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %14:19 = stablehlo.while(%iterArg = %arg0, %iterArg_21 = %arg1, %iterArg_22 = %arg2, %iterArg_23 = %c, %iterArg_24 = %0, %iterArg_25 = %0, %iterArg_26 = %1, %iterArg_27 = %2, %iterArg_28 = %3, %iterArg_29 = %4, %iterArg_30 = %5, %iterArg_31 = %6, %iterArg_32 = %7, %iterArg_33 = %8, %iterArg_34 = %9, %iterArg_35 = %10, %iterArg_36 = %11, %iterArg_37 = %12, %iterArg_38 = %13) : tensor<6x2x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>, tensor<i64>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>
    cond {
      %c_39 = stablehlo.constant dense<6> : tensor<i64>
      %26 = stablehlo.compare LT, %iterArg_23, %c_39, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %26 : tensor<i1>
    } do {
      %26 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_23) : (tensor<6x2x3xf32>, tensor<i64>) -> tensor<2x3xf32>
      %27 = stablehlo.dot_general %26, %iterArg_21, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<3x16xf32>) -> tensor<2x16xf32>
      %28 = stablehlo.dot_general %iterArg_24, %iterArg_22, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<4x16xf32>) -> tensor<2x16xf32>
      %29 = stablehlo.add %27, %28 : tensor<2x16xf32>
      %30 = stablehlo.slice %29 [0:2, 0:4] : (tensor<2x16xf32>) -> tensor<2x4xf32>
      %31 = stablehlo.slice %29 [0:2, 4:8] : (tensor<2x16xf32>) -> tensor<2x4xf32>
      %32 = stablehlo.slice %29 [0:2, 8:12] : (tensor<2x16xf32>) -> tensor<2x4xf32>
      %33 = stablehlo.slice %29 [0:2, 12:16] : (tensor<2x16xf32>) -> tensor<2x4xf32>
      %34 = stablehlo.negate %31 : tensor<2x4xf32>
      %35 = stablehlo.exponential %34 : tensor<2x4xf32>
      %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %36 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %37 = stablehlo.add %36, %35 : tensor<2x4xf32>
      %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %38 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %39 = stablehlo.divide %38, %37 : tensor<2x4xf32>
      %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %40 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %41 = stablehlo.subtract %40, %39 : tensor<2x4xf32>
      %42 = stablehlo.multiply %39, %41 : tensor<2x4xf32>
      %43 = stablehlo.multiply %39, %iterArg_25 : tensor<2x4xf32>
      %44 = stablehlo.negate %30 : tensor<2x4xf32>
      %45 = stablehlo.exponential %44 : tensor<2x4xf32>
      %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %46 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %47 = stablehlo.add %46, %45 : tensor<2x4xf32>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %48 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %49 = stablehlo.divide %48, %47 : tensor<2x4xf32>
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %50 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %51 = stablehlo.subtract %50, %49 : tensor<2x4xf32>
      %52 = stablehlo.multiply %49, %51 : tensor<2x4xf32>
      %53 = stablehlo.tanh %32 : tensor<2x4xf32>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %54 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %55 = stablehlo.add %54, %53 : tensor<2x4xf32>
      %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %56 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %57 = stablehlo.subtract %56, %53 : tensor<2x4xf32>
      %58 = stablehlo.multiply %55, %57 : tensor<2x4xf32>
      %59 = stablehlo.multiply %49, %53 : tensor<2x4xf32>
      %60 = stablehlo.add %43, %59 : tensor<2x4xf32>
      %61 = stablehlo.negate %33 : tensor<2x4xf32>
      %62 = stablehlo.exponential %61 : tensor<2x4xf32>
      %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %63 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %64 = stablehlo.add %63, %62 : tensor<2x4xf32>
      %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %65 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %66 = stablehlo.divide %65, %64 : tensor<2x4xf32>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %67 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %68 = stablehlo.subtract %67, %66 : tensor<2x4xf32>
      %69 = stablehlo.multiply %66, %68 : tensor<2x4xf32>
      %70 = stablehlo.tanh %60 : tensor<2x4xf32>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %71 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %72 = stablehlo.add %71, %70 : tensor<2x4xf32>
      %cst_51 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %73 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %74 = stablehlo.subtract %73, %70 : tensor<2x4xf32>
      %75 = stablehlo.multiply %72, %74 : tensor<2x4xf32>
      %76 = stablehlo.multiply %66, %70 : tensor<2x4xf32>
      %77 = func.call @dynamic_update_index_in_dim(%iterArg_26, %76, %iterArg_23) : (tensor<6x2x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<6x2x4xf32>
      %78 = func.call @dynamic_update_index_in_dim(%iterArg_27, %iterArg_24, %iterArg_23) : (tensor<6x2x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<6x2x4xf32>
      %79 = func.call @dynamic_update_index_in_dim(%iterArg_28, %42, %iterArg_23) : (tensor<6x2x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<6x2x4xf32>
      %80 = func.call @dynamic_update_index_in_dim(%iterArg_29, %iterArg_25, %iterArg_23) : (tensor<6x2x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<6x2x4xf32>
      %81 = func.call @dynamic_update_index_in_dim(%iterArg_30, %39, %iterArg_23) : (tensor<6x2x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<6x2x4xf32>
      %82 = func.call @dynamic_update_index_in_dim(%iterArg_31, %52, %iterArg_23) : (tensor<6x2x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<6x2x4xf32>
      %83 = func.call @dynamic_update_index_in_dim(%iterArg_32, %58, %iterArg_23) : (tensor<6x2x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<6x2x4xf32>
      %84 = func.call @dynamic_update_index_in_dim(%iterArg_33, %53, %iterArg_23) : (tensor<6x2x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<6x2x4xf32>
      %85 = func.call @dynamic_update_index_in_dim(%iterArg_34, %49, %iterArg_23) : (tensor<6x2x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<6x2x4xf32>
      %86 = func.call @dynamic_update_index_in_dim(%iterArg_35, %69, %iterArg_23) : (tensor<6x2x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<6x2x4xf32>
      %87 = func.call @dynamic_update_index_in_dim(%iterArg_36, %75, %iterArg_23) : (tensor<6x2x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<6x2x4xf32>
      %88 = func.call @dynamic_update_index_in_dim(%iterArg_37, %70, %iterArg_23) : (tensor<6x2x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<6x2x4xf32>
      %89 = func.call @dynamic_update_index_in_dim(%iterArg_38, %66, %iterArg_23) : (tensor<6x2x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<6x2x4xf32>
      %c_52 = stablehlo.constant dense<1> : tensor<i64>
      %90 = stablehlo.add %iterArg_23, %c_52 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_21, %iterArg_22, %90, %76, %60, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89 : tensor<6x2x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>, tensor<i64>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>
    }
    %15 = stablehlo.multiply %14#6, %14#6 : tensor<6x2x4xf32>
    %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %17 = stablehlo.multiply %16, %14#6 : tensor<6x2x4xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%15 init: %cst_14) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %20 = stablehlo.multiply %19, %17 : tensor<6x2x4xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %c_20 = stablehlo.constant dense<0> : tensor<i64>
    %25:20 = stablehlo.while(%iterArg = %20, %iterArg_21 = %arg0, %iterArg_22 = %14#7, %iterArg_23 = %14#8, %iterArg_24 = %14#9, %iterArg_25 = %14#10, %iterArg_26 = %14#11, %iterArg_27 = %14#12, %iterArg_28 = %14#13, %iterArg_29 = %14#14, %iterArg_30 = %14#15, %iterArg_31 = %14#16, %iterArg_32 = %14#17, %iterArg_33 = %14#18, %iterArg_34 = %arg2, %iterArg_35 = %c_20, %iterArg_36 = %23, %iterArg_37 = %24, %iterArg_38 = %21, %iterArg_39 = %22) : tensor<6x2x4xf32>, tensor<6x2x3xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<4x16xf32>, tensor<i64>, tensor<3x16xf32>, tensor<4x16xf32>, tensor<2x4xf32>, tensor<2x4xf32>
    cond {
      %c_40 = stablehlo.constant dense<6> : tensor<i64>
      %26 = stablehlo.compare LT, %iterArg_35, %c_40, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %26 : tensor<i1>
    } do {
      %c_40 = stablehlo.constant dense<6> : tensor<i64>
      %26 = stablehlo.subtract %c_40, %iterArg_35 : tensor<i64>
      %c_41 = stablehlo.constant dense<1> : tensor<i64>
      %27 = stablehlo.subtract %26, %c_41 : tensor<i64>
      %28 = func.call @dynamic_index_in_dim_0(%iterArg, %27) : (tensor<6x2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
      %29 = func.call @dynamic_index_in_dim(%iterArg_21, %27) : (tensor<6x2x3xf32>, tensor<i64>) -> tensor<2x3xf32>
      %30 = func.call @dynamic_index_in_dim_0(%iterArg_22, %27) : (tensor<6x2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
      %31 = func.call @dynamic_index_in_dim_0(%iterArg_23, %27) : (tensor<6x2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
      %32 = func.call @dynamic_index_in_dim_0(%iterArg_24, %27) : (tensor<6x2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
      %33 = func.call @dynamic_index_in_dim_0(%iterArg_25, %27) : (tensor<6x2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
      %34 = func.call @dynamic_index_in_dim_0(%iterArg_26, %27) : (tensor<6x2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
      %35 = func.call @dynamic_index_in_dim_0(%iterArg_27, %27) : (tensor<6x2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
      %36 = func.call @dynamic_index_in_dim_0(%iterArg_28, %27) : (tensor<6x2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
      %37 = func.call @dynamic_index_in_dim_0(%iterArg_29, %27) : (tensor<6x2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
      %38 = func.call @dynamic_index_in_dim_0(%iterArg_30, %27) : (tensor<6x2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
      %39 = func.call @dynamic_index_in_dim_0(%iterArg_31, %27) : (tensor<6x2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
      %40 = func.call @dynamic_index_in_dim_0(%iterArg_32, %27) : (tensor<6x2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
      %41 = func.call @dynamic_index_in_dim_0(%iterArg_33, %27) : (tensor<6x2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
      %42 = stablehlo.add %iterArg_38, %28 : tensor<2x4xf32>
      %43 = stablehlo.multiply %41, %42 : tensor<2x4xf32>
      %44 = stablehlo.multiply %42, %40 : tensor<2x4xf32>
      %45 = stablehlo.multiply %43, %39 : tensor<2x4xf32>
      %46 = stablehlo.add %iterArg_39, %45 : tensor<2x4xf32>
      %47 = stablehlo.multiply %44, %38 : tensor<2x4xf32>
      %48 = stablehlo.multiply %37, %46 : tensor<2x4xf32>
      %49 = stablehlo.multiply %46, %36 : tensor<2x4xf32>
      %50 = stablehlo.multiply %48, %35 : tensor<2x4xf32>
      %51 = stablehlo.multiply %49, %34 : tensor<2x4xf32>
      %52 = stablehlo.multiply %33, %46 : tensor<2x4xf32>
      %53 = stablehlo.multiply %46, %32 : tensor<2x4xf32>
      %54 = stablehlo.multiply %53, %31 : tensor<2x4xf32>
      %55 = stablehlo.concatenate %51, %54, %50, %47, dim = 1 : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x16xf32>
      %56 = stablehlo.dot_general %55, %30, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16xf32>, tensor<2x4xf32>) -> tensor<16x4xf32>
      %57 = stablehlo.transpose %56, dims = [1, 0] : (tensor<16x4xf32>) -> tensor<4x16xf32>
      %58 = stablehlo.add %iterArg_37, %57 : tensor<4x16xf32>
      %59 = stablehlo.dot_general %55, %iterArg_34, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16xf32>, tensor<4x16xf32>) -> tensor<2x4xf32>
      %60 = stablehlo.dot_general %55, %29, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16xf32>, tensor<2x3xf32>) -> tensor<16x3xf32>
      %61 = stablehlo.transpose %60, dims = [1, 0] : (tensor<16x3xf32>) -> tensor<3x16xf32>
      %62 = stablehlo.add %iterArg_36, %61 : tensor<3x16xf32>
      %c_42 = stablehlo.constant dense<1> : tensor<i64>
      %63 = stablehlo.add %iterArg_35, %c_42 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_21, %iterArg_22, %iterArg_23, %iterArg_24, %iterArg_25, %iterArg_26, %iterArg_27, %iterArg_28, %iterArg_29, %iterArg_30, %iterArg_31, %iterArg_32, %iterArg_33, %iterArg_34, %63, %62, %58, %59, %52 : tensor<6x2x4xf32>, tensor<6x2x3xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<4x16xf32>, tensor<i64>, tensor<3x16xf32>, tensor<4x16xf32>, tensor<2x4xf32>, tensor<2x4xf32>
    }
    return %18, %25#16, %25#17 : tensor<f32>, tensor<3x16xf32>, tensor<4x16xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<6x2x3xf32>, %arg1: tensor<i64>) -> tensor<2x3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 3] : (tensor<6x2x3xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x2x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6x2x4xf32>, %arg1: tensor<2x4xf32>, %arg2: tensor<i64>) -> tensor<6x2x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x4xf32>) -> tensor<1x2x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<6x2x4xf32>, tensor<1x2x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<6x2x4xf32>
    return %1 : tensor<6x2x4xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<6x2x4xf32>, %arg1: tensor<i64>) -> tensor<2x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 4] : (tensor<6x2x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x2x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x4xf32>) -> tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
}
