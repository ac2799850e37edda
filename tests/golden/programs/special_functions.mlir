// SPDX-License-Identifier: Apache-2.0
// special_functions, written by programs.py
module @jit_special_functions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<13xf64>, %arg1: tensor<13xf64>) -> (tensor<13xf64> {jax.result_info = "result[0]"}, tensor<13xf64> {jax.result_info = "result[1]"}, tensor<13xf64> {jax.result_info = "result[2]"}, tensor<13xf64> {jax.result_info = "result[3]"}, tensor<13xf64> {jax.result_info = "result[4]"}, tensor<13xf64> {jax.result_info = "result[5]"}, tensor<13xf64> {jax.result_info = "result[6]"}, tensor<13xf64> {jax.result_info = "result[7]"}, tensor<13xf64> {jax.result_info = "result[8]"}, tensor<13xf64> {jax.result_info = "result[9]"}, tensor<13xf64> {jax.result_info = "result[10]"}, tensor<13xf64> {jax.result_info = "result[11]"}, tensor<13xf64> {jax.result_info = "result[12]"}, tensor<13xf64> {jax.result_info = "result[13]"}, tensor<13xf64> {jax.result_info = "result[14]"}, tensor<13xf64> {jax.result_info = "result[15]"}, tensor<13xf64> {jax.result_info = "result[16]"}, tensor<13xf64> {jax.result_info = "result[17]"}, tensor<13xf64> {jax.result_info = "result[18]"}, tensor<13xf64> {jax.result_info = "result[19]"}, tensor<13xf64> {jax.result_info = "result[20]"}) {
    %0 = chlo.erf %arg0 : tensor<13xf64> -> tensor<13xf64>
    %1 = chlo.erfc %arg0 : tensor<13xf64> -> tensor<13xf64>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %3 = stablehlo.divide %arg0, %2 : tensor<13xf64>
    %4 = chlo.erf_inv %3 : tensor<13xf64> -> tensor<13xf64>
    %5 = chlo.lgamma %arg1 : tensor<13xf64> -> tensor<13xf64>
    %6 = chlo.digamma %arg1 : tensor<13xf64> -> tensor<13xf64>
    %7 = stablehlo.abs %arg0 : tensor<13xf64>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_2 = stablehlo.constant dense<3.200000e+01> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %11 = stablehlo.multiply %8, %7 : tensor<13xf64>
    %12 = stablehlo.subtract %11, %9 : tensor<13xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %16 = stablehlo.multiply %12, %13 : tensor<13xf64>
    %17 = stablehlo.subtract %16, %14 : tensor<13xf64>
    %cst_6 = stablehlo.constant dense<-4.4153416464793395E-18> : tensor<f64>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %19 = stablehlo.add %17, %18 : tensor<13xf64>
    %20 = stablehlo.multiply %12, %19 : tensor<13xf64>
    %21 = stablehlo.subtract %20, %13 : tensor<13xf64>
    %cst_7 = stablehlo.constant dense<3.3307945188222384E-17> : tensor<f64>
    %22 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %23 = stablehlo.add %21, %22 : tensor<13xf64>
    %24 = stablehlo.multiply %12, %23 : tensor<13xf64>
    %25 = stablehlo.subtract %24, %19 : tensor<13xf64>
    %cst_8 = stablehlo.constant dense<-2.4312798465479549E-16> : tensor<f64>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %27 = stablehlo.add %25, %26 : tensor<13xf64>
    %28 = stablehlo.multiply %12, %27 : tensor<13xf64>
    %29 = stablehlo.subtract %28, %23 : tensor<13xf64>
    %cst_9 = stablehlo.constant dense<1.7153912855551331E-15> : tensor<f64>
    %30 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %31 = stablehlo.add %29, %30 : tensor<13xf64>
    %32 = stablehlo.multiply %12, %31 : tensor<13xf64>
    %33 = stablehlo.subtract %32, %27 : tensor<13xf64>
    %cst_10 = stablehlo.constant dense<-1.1685332877993451E-14> : tensor<f64>
    %34 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %35 = stablehlo.add %33, %34 : tensor<13xf64>
    %36 = stablehlo.multiply %12, %35 : tensor<13xf64>
    %37 = stablehlo.subtract %36, %31 : tensor<13xf64>
    %cst_11 = stablehlo.constant dense<7.6761854986049361E-14> : tensor<f64>
    %38 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %39 = stablehlo.add %37, %38 : tensor<13xf64>
    %40 = stablehlo.multiply %12, %39 : tensor<13xf64>
    %41 = stablehlo.subtract %40, %35 : tensor<13xf64>
    %cst_12 = stablehlo.constant dense<-4.856446783111929E-13> : tensor<f64>
    %42 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %43 = stablehlo.add %41, %42 : tensor<13xf64>
    %44 = stablehlo.multiply %12, %43 : tensor<13xf64>
    %45 = stablehlo.subtract %44, %39 : tensor<13xf64>
    %cst_13 = stablehlo.constant dense<2.9550526631296399E-12> : tensor<f64>
    %46 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %47 = stablehlo.add %45, %46 : tensor<13xf64>
    %48 = stablehlo.multiply %12, %47 : tensor<13xf64>
    %49 = stablehlo.subtract %48, %43 : tensor<13xf64>
    %cst_14 = stablehlo.constant dense<-1.7268262914415559E-11> : tensor<f64>
    %50 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %51 = stablehlo.add %49, %50 : tensor<13xf64>
    %52 = stablehlo.multiply %12, %51 : tensor<13xf64>
    %53 = stablehlo.subtract %52, %47 : tensor<13xf64>
    %cst_15 = stablehlo.constant dense<9.6758090353732369E-11> : tensor<f64>
    %54 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %55 = stablehlo.add %53, %54 : tensor<13xf64>
    %56 = stablehlo.multiply %12, %55 : tensor<13xf64>
    %57 = stablehlo.subtract %56, %51 : tensor<13xf64>
    %cst_16 = stablehlo.constant dense<-5.1897956016352627E-10> : tensor<f64>
    %58 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %59 = stablehlo.add %57, %58 : tensor<13xf64>
    %60 = stablehlo.multiply %12, %59 : tensor<13xf64>
    %61 = stablehlo.subtract %60, %55 : tensor<13xf64>
    %cst_17 = stablehlo.constant dense<2.6598237246823866E-9> : tensor<f64>
    %62 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %63 = stablehlo.add %61, %62 : tensor<13xf64>
    %64 = stablehlo.multiply %12, %63 : tensor<13xf64>
    %65 = stablehlo.subtract %64, %59 : tensor<13xf64>
    %cst_18 = stablehlo.constant dense<-1.300025009986248E-8> : tensor<f64>
    %66 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %67 = stablehlo.add %65, %66 : tensor<13xf64>
    %68 = stablehlo.multiply %12, %67 : tensor<13xf64>
    %69 = stablehlo.subtract %68, %63 : tensor<13xf64>
    %cst_19 = stablehlo.constant dense<6.0469950225419186E-8> : tensor<f64>
    %70 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %71 = stablehlo.add %69, %70 : tensor<13xf64>
    %72 = stablehlo.multiply %12, %71 : tensor<13xf64>
    %73 = stablehlo.subtract %72, %67 : tensor<13xf64>
    %cst_20 = stablehlo.constant dense<-2.6707938539406119E-7> : tensor<f64>
    %74 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %75 = stablehlo.add %73, %74 : tensor<13xf64>
    %76 = stablehlo.multiply %12, %75 : tensor<13xf64>
    %77 = stablehlo.subtract %76, %71 : tensor<13xf64>
    %cst_21 = stablehlo.constant dense<1.1173875391201037E-6> : tensor<f64>
    %78 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %79 = stablehlo.add %77, %78 : tensor<13xf64>
    %80 = stablehlo.multiply %12, %79 : tensor<13xf64>
    %81 = stablehlo.subtract %80, %75 : tensor<13xf64>
    %cst_22 = stablehlo.constant dense<-4.4167383584587505E-6> : tensor<f64>
    %82 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %83 = stablehlo.add %81, %82 : tensor<13xf64>
    %84 = stablehlo.multiply %12, %83 : tensor<13xf64>
    %85 = stablehlo.subtract %84, %79 : tensor<13xf64>
    %cst_23 = stablehlo.constant dense<1.6448448070728896E-5> : tensor<f64>
    %86 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %87 = stablehlo.add %85, %86 : tensor<13xf64>
    %88 = stablehlo.multiply %12, %87 : tensor<13xf64>
    %89 = stablehlo.subtract %88, %83 : tensor<13xf64>
    %cst_24 = stablehlo.constant dense<-5.754195010082104E-5> : tensor<f64>
    %90 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %91 = stablehlo.add %89, %90 : tensor<13xf64>
    %92 = stablehlo.multiply %12, %91 : tensor<13xf64>
    %93 = stablehlo.subtract %92, %87 : tensor<13xf64>
    %cst_25 = stablehlo.constant dense<1.8850288509584165E-4> : tensor<f64>
    %94 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %95 = stablehlo.add %93, %94 : tensor<13xf64>
    %96 = stablehlo.multiply %12, %95 : tensor<13xf64>
    %97 = stablehlo.subtract %96, %91 : tensor<13xf64>
    %cst_26 = stablehlo.constant dense<-5.7637557453858236E-4> : tensor<f64>
    %98 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %99 = stablehlo.add %97, %98 : tensor<13xf64>
    %100 = stablehlo.multiply %12, %99 : tensor<13xf64>
    %101 = stablehlo.subtract %100, %95 : tensor<13xf64>
    %cst_27 = stablehlo.constant dense<0.0016394756169413357> : tensor<f64>
    %102 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %103 = stablehlo.add %101, %102 : tensor<13xf64>
    %104 = stablehlo.multiply %12, %103 : tensor<13xf64>
    %105 = stablehlo.subtract %104, %99 : tensor<13xf64>
    %cst_28 = stablehlo.constant dense<-0.0043243099950505759> : tensor<f64>
    %106 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %107 = stablehlo.add %105, %106 : tensor<13xf64>
    %108 = stablehlo.multiply %12, %107 : tensor<13xf64>
    %109 = stablehlo.subtract %108, %103 : tensor<13xf64>
    %cst_29 = stablehlo.constant dense<0.010546460394594998> : tensor<f64>
    %110 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %111 = stablehlo.add %109, %110 : tensor<13xf64>
    %112 = stablehlo.multiply %12, %111 : tensor<13xf64>
    %113 = stablehlo.subtract %112, %107 : tensor<13xf64>
    %cst_30 = stablehlo.constant dense<-0.023737414805899471> : tensor<f64>
    %114 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %115 = stablehlo.add %113, %114 : tensor<13xf64>
    %116 = stablehlo.multiply %12, %115 : tensor<13xf64>
    %117 = stablehlo.subtract %116, %111 : tensor<13xf64>
    %cst_31 = stablehlo.constant dense<0.049305284239670712> : tensor<f64>
    %118 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %119 = stablehlo.add %117, %118 : tensor<13xf64>
    %120 = stablehlo.multiply %12, %119 : tensor<13xf64>
    %121 = stablehlo.subtract %120, %115 : tensor<13xf64>
    %cst_32 = stablehlo.constant dense<-0.094901097048047639> : tensor<f64>
    %122 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %123 = stablehlo.add %121, %122 : tensor<13xf64>
    %124 = stablehlo.multiply %12, %123 : tensor<13xf64>
    %125 = stablehlo.subtract %124, %119 : tensor<13xf64>
    %cst_33 = stablehlo.constant dense<0.17162090152220877> : tensor<f64>
    %126 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %127 = stablehlo.add %125, %126 : tensor<13xf64>
    %128 = stablehlo.multiply %12, %127 : tensor<13xf64>
    %129 = stablehlo.subtract %128, %123 : tensor<13xf64>
    %cst_34 = stablehlo.constant dense<-0.3046826723431984> : tensor<f64>
    %130 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %131 = stablehlo.add %129, %130 : tensor<13xf64>
    %132 = stablehlo.multiply %12, %131 : tensor<13xf64>
    %133 = stablehlo.subtract %132, %127 : tensor<13xf64>
    %cst_35 = stablehlo.constant dense<0.67679527440947607> : tensor<f64>
    %134 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %135 = stablehlo.add %133, %134 : tensor<13xf64>
    %136 = stablehlo.subtract %135, %127 : tensor<13xf64>
    %cst_36 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %137 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %138 = stablehlo.multiply %137, %136 : tensor<13xf64>
    %139 = stablehlo.divide %10, %7 : tensor<13xf64>
    %140 = stablehlo.subtract %139, %9 : tensor<13xf64>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %141 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %142 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %143 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %144 = stablehlo.multiply %140, %141 : tensor<13xf64>
    %145 = stablehlo.subtract %144, %142 : tensor<13xf64>
    %cst_40 = stablehlo.constant dense<-7.2331804878747538E-18> : tensor<f64>
    %146 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %147 = stablehlo.add %145, %146 : tensor<13xf64>
    %148 = stablehlo.multiply %140, %147 : tensor<13xf64>
    %149 = stablehlo.subtract %148, %141 : tensor<13xf64>
    %cst_41 = stablehlo.constant dense<-4.8305044859441819E-18> : tensor<f64>
    %150 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %151 = stablehlo.add %149, %150 : tensor<13xf64>
    %152 = stablehlo.multiply %140, %151 : tensor<13xf64>
    %153 = stablehlo.subtract %152, %147 : tensor<13xf64>
    %cst_42 = stablehlo.constant dense<4.4656214202967598E-17> : tensor<f64>
    %154 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %155 = stablehlo.add %153, %154 : tensor<13xf64>
    %156 = stablehlo.multiply %140, %155 : tensor<13xf64>
    %157 = stablehlo.subtract %156, %151 : tensor<13xf64>
    %cst_43 = stablehlo.constant dense<3.4612228676974612E-17> : tensor<f64>
    %158 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %159 = stablehlo.add %157, %158 : tensor<13xf64>
    %160 = stablehlo.multiply %140, %159 : tensor<13xf64>
    %161 = stablehlo.subtract %160, %155 : tensor<13xf64>
    %cst_44 = stablehlo.constant dense<-2.8276239805165836E-16> : tensor<f64>
    %162 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %163 = stablehlo.add %161, %162 : tensor<13xf64>
    %164 = stablehlo.multiply %140, %163 : tensor<13xf64>
    %165 = stablehlo.subtract %164, %159 : tensor<13xf64>
    %cst_45 = stablehlo.constant dense<-3.425485619677219E-16> : tensor<f64>
    %166 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %167 = stablehlo.add %165, %166 : tensor<13xf64>
    %168 = stablehlo.multiply %140, %167 : tensor<13xf64>
    %169 = stablehlo.subtract %168, %163 : tensor<13xf64>
    %cst_46 = stablehlo.constant dense<1.7725601330565263E-15> : tensor<f64>
    %170 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %171 = stablehlo.add %169, %170 : tensor<13xf64>
    %172 = stablehlo.multiply %140, %171 : tensor<13xf64>
    %173 = stablehlo.subtract %172, %167 : tensor<13xf64>
    %cst_47 = stablehlo.constant dense<3.8116806693526224E-15> : tensor<f64>
    %174 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %175 = stablehlo.add %173, %174 : tensor<13xf64>
    %176 = stablehlo.multiply %140, %175 : tensor<13xf64>
    %177 = stablehlo.subtract %176, %171 : tensor<13xf64>
    %cst_48 = stablehlo.constant dense<-9.5548466988283073E-15> : tensor<f64>
    %178 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %179 = stablehlo.add %177, %178 : tensor<13xf64>
    %180 = stablehlo.multiply %140, %179 : tensor<13xf64>
    %181 = stablehlo.subtract %180, %175 : tensor<13xf64>
    %cst_49 = stablehlo.constant dense<-4.1505693472872222E-14> : tensor<f64>
    %182 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %183 = stablehlo.add %181, %182 : tensor<13xf64>
    %184 = stablehlo.multiply %140, %183 : tensor<13xf64>
    %185 = stablehlo.subtract %184, %179 : tensor<13xf64>
    %cst_50 = stablehlo.constant dense<1.54008621752141E-14> : tensor<f64>
    %186 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %187 = stablehlo.add %185, %186 : tensor<13xf64>
    %188 = stablehlo.multiply %140, %187 : tensor<13xf64>
    %189 = stablehlo.subtract %188, %183 : tensor<13xf64>
    %cst_51 = stablehlo.constant dense<3.8527783827421426E-13> : tensor<f64>
    %190 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %191 = stablehlo.add %189, %190 : tensor<13xf64>
    %192 = stablehlo.multiply %140, %191 : tensor<13xf64>
    %193 = stablehlo.subtract %192, %187 : tensor<13xf64>
    %cst_52 = stablehlo.constant dense<7.180124451383666E-13> : tensor<f64>
    %194 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %195 = stablehlo.add %193, %194 : tensor<13xf64>
    %196 = stablehlo.multiply %140, %195 : tensor<13xf64>
    %197 = stablehlo.subtract %196, %191 : tensor<13xf64>
    %cst_53 = stablehlo.constant dense<-1.7941785315068062E-12> : tensor<f64>
    %198 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %199 = stablehlo.add %197, %198 : tensor<13xf64>
    %200 = stablehlo.multiply %140, %199 : tensor<13xf64>
    %201 = stablehlo.subtract %200, %195 : tensor<13xf64>
    %cst_54 = stablehlo.constant dense<-1.3215811840447713E-11> : tensor<f64>
    %202 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %203 = stablehlo.add %201, %202 : tensor<13xf64>
    %204 = stablehlo.multiply %140, %203 : tensor<13xf64>
    %205 = stablehlo.subtract %204, %199 : tensor<13xf64>
    %cst_55 = stablehlo.constant dense<-3.1499165279632416E-11> : tensor<f64>
    %206 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %207 = stablehlo.add %205, %206 : tensor<13xf64>
    %208 = stablehlo.multiply %140, %207 : tensor<13xf64>
    %209 = stablehlo.subtract %208, %203 : tensor<13xf64>
    %cst_56 = stablehlo.constant dense<1.1889147107846439E-11> : tensor<f64>
    %210 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %211 = stablehlo.add %209, %210 : tensor<13xf64>
    %212 = stablehlo.multiply %140, %211 : tensor<13xf64>
    %213 = stablehlo.subtract %212, %207 : tensor<13xf64>
    %cst_57 = stablehlo.constant dense<4.9406023882249701E-10> : tensor<f64>
    %214 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %215 = stablehlo.add %213, %214 : tensor<13xf64>
    %216 = stablehlo.multiply %140, %215 : tensor<13xf64>
    %217 = stablehlo.subtract %216, %211 : tensor<13xf64>
    %cst_58 = stablehlo.constant dense<3.3962320257083865E-9> : tensor<f64>
    %218 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %219 = stablehlo.add %217, %218 : tensor<13xf64>
    %220 = stablehlo.multiply %140, %219 : tensor<13xf64>
    %221 = stablehlo.subtract %220, %215 : tensor<13xf64>
    %cst_59 = stablehlo.constant dense<2.266668990498178E-8> : tensor<f64>
    %222 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %223 = stablehlo.add %221, %222 : tensor<13xf64>
    %224 = stablehlo.multiply %140, %223 : tensor<13xf64>
    %225 = stablehlo.subtract %224, %219 : tensor<13xf64>
    %cst_60 = stablehlo.constant dense<2.0489185894690638E-7> : tensor<f64>
    %226 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %227 = stablehlo.add %225, %226 : tensor<13xf64>
    %228 = stablehlo.multiply %140, %227 : tensor<13xf64>
    %229 = stablehlo.subtract %228, %223 : tensor<13xf64>
    %cst_61 = stablehlo.constant dense<2.8913705208347567E-6> : tensor<f64>
    %230 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %231 = stablehlo.add %229, %230 : tensor<13xf64>
    %232 = stablehlo.multiply %140, %231 : tensor<13xf64>
    %233 = stablehlo.subtract %232, %227 : tensor<13xf64>
    %cst_62 = stablehlo.constant dense<6.8897583469168245E-5> : tensor<f64>
    %234 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %235 = stablehlo.add %233, %234 : tensor<13xf64>
    %236 = stablehlo.multiply %140, %235 : tensor<13xf64>
    %237 = stablehlo.subtract %236, %231 : tensor<13xf64>
    %cst_63 = stablehlo.constant dense<0.0033691164782556943> : tensor<f64>
    %238 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %239 = stablehlo.add %237, %238 : tensor<13xf64>
    %240 = stablehlo.multiply %140, %239 : tensor<13xf64>
    %241 = stablehlo.subtract %240, %235 : tensor<13xf64>
    %cst_64 = stablehlo.constant dense<0.80449041101410879> : tensor<f64>
    %242 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %243 = stablehlo.add %241, %242 : tensor<13xf64>
    %244 = stablehlo.subtract %243, %235 : tensor<13xf64>
    %cst_65 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %245 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %246 = stablehlo.multiply %245, %244 : tensor<13xf64>
    %247 = stablehlo.sqrt %7 : tensor<13xf64>
    %248 = stablehlo.divide %246, %247 : tensor<13xf64>
    %cst_66 = stablehlo.constant dense<8.000000e+00> : tensor<f64>
    %249 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %250 = stablehlo.compare LE, %7, %249, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %251 = stablehlo.select %250, %138, %248 : tensor<13xi1>, tensor<13xf64>
    %252 = chlo.bessel_i1e %arg0 : tensor<13xf64> -> tensor<13xf64>
    %cst_67 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %253 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %254 = stablehlo.add %arg1, %253 : tensor<13xf64>
    %255 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %256 = stablehlo.compare NE, %254, %254, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %257 = stablehlo.or %255, %256 : tensor<13xi1>
    %cst_68 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %258 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %259 = stablehlo.compare EQ, %254, %258, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_69 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %260 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %261 = stablehlo.compare EQ, %arg1, %260, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %262 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %263 = stablehlo.compare EQ, %arg1, %262, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %264 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %265 = stablehlo.compare EQ, %254, %264, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %266 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %267 = stablehlo.compare LT, %254, %266, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %268 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %269 = stablehlo.compare LT, %arg1, %268, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %270 = stablehlo.and %263, %265 : tensor<13xi1>
    %271 = stablehlo.and %261, %259 : tensor<13xi1>
    %272 = stablehlo.or %267, %269 : tensor<13xi1>
    %273 = stablehlo.or %272, %270 : tensor<13xi1>
    %274 = stablehlo.or %273, %271 : tensor<13xi1>
    %275 = stablehlo.or %274, %257 : tensor<13xi1>
    %cst_74 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %276 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %277 = stablehlo.compare GE, %254, %276, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %278 = stablehlo.compare GT, %254, %arg1, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %279 = stablehlo.and %277, %278 : tensor<13xi1>
    %280 = stablehlo.log %254 : tensor<13xf64>
    %281 = stablehlo.multiply %arg1, %280 : tensor<13xf64>
    %282 = stablehlo.subtract %281, %254 : tensor<13xf64>
    %283 = chlo.lgamma %arg1 : tensor<13xf64> -> tensor<13xf64>
    %284 = stablehlo.subtract %282, %283 : tensor<13xf64>
    %cst_75 = stablehlo.constant dense<1.7976931348623157E+308> : tensor<f64>
    %285 = stablehlo.log %cst_75 : tensor<f64>
    %286 = stablehlo.negate %285 : tensor<f64>
    %287 = stablehlo.broadcast_in_dim %286, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %288 = stablehlo.compare LT, %284, %287, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %289 = stablehlo.exponential %284 : tensor<13xf64>
    %290 = stablehlo.or %265, %275 : tensor<13xi1>
    %291 = stablehlo.or %290, %288 : tensor<13xi1>
    %292 = stablehlo.or %291, %259 : tensor<13xi1>
    %293 = stablehlo.or %292, %261 : tensor<13xi1>
    %294 = stablehlo.not %293 : tensor<13xi1>
    %295 = stablehlo.and %294, %279 : tensor<13xi1>
    %cst_76 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %296 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %297 = stablehlo.subtract %296, %arg1 : tensor<13xf64>
    %298 = stablehlo.add %254, %297 : tensor<13xf64>
    %cst_77 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %299 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %300 = stablehlo.add %298, %299 : tensor<13xf64>
    %cst_78 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %301 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_79 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %302 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %303 = stablehlo.add %254, %302 : tensor<13xf64>
    %304 = stablehlo.multiply %300, %254 : tensor<13xf64>
    %305 = stablehlo.divide %303, %304 : tensor<13xf64>
    %cst_80 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %306 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %307 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %308 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %309 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %310 = stablehlo.negate %254 : tensor<13xf64>
    %311 = stablehlo.multiply %305, %310 : tensor<13xf64>
    %312 = stablehlo.subtract %309, %311 : tensor<13xf64>
    %313 = stablehlo.divide %312, %304 : tensor<13xf64>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %314:15 = stablehlo.while(%iterArg = %295, %iterArg_343 = %305, %iterArg_344 = %306, %iterArg_345 = %297, %iterArg_346 = %300, %iterArg_347 = %cst_84, %iterArg_348 = %303, %iterArg_349 = %304, %iterArg_350 = %301, %iterArg_351 = %254, %iterArg_352 = %307, %iterArg_353 = %308, %iterArg_354 = %309, %iterArg_355 = %310, %iterArg_356 = %313) : tensor<13xi1>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<f64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>
    cond {
      %cst_357 = stablehlo.constant dense<2.000000e+03> : tensor<f64>
      %951 = stablehlo.compare LT, %iterArg_347, %cst_357, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %c_358 = stablehlo.constant dense<false> : tensor<i1>
      %952 = stablehlo.reduce(%iterArg init: %c_358) applies stablehlo.or across dimensions = [0] : (tensor<13xi1>, tensor<i1>) -> tensor<i1>
      %953 = stablehlo.and %951, %952 : tensor<i1>
      stablehlo.return %953 : tensor<i1>
    } do {
      %cst_357 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %951 = stablehlo.add %iterArg_347, %cst_357 : tensor<f64>
      %cst_358 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %952 = stablehlo.broadcast_in_dim %cst_358, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %953 = stablehlo.add %iterArg_345, %952 : tensor<13xf64>
      %cst_359 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %954 = stablehlo.broadcast_in_dim %cst_359, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %955 = stablehlo.add %iterArg_346, %954 : tensor<13xf64>
      %956 = stablehlo.broadcast_in_dim %951, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %957 = stablehlo.multiply %953, %956 : tensor<13xf64>
      %958 = stablehlo.multiply %iterArg_348, %955 : tensor<13xf64>
      %959 = stablehlo.multiply %iterArg_350, %957 : tensor<13xf64>
      %960 = stablehlo.subtract %958, %959 : tensor<13xf64>
      %961 = stablehlo.multiply %iterArg_349, %955 : tensor<13xf64>
      %962 = stablehlo.multiply %iterArg_351, %957 : tensor<13xf64>
      %963 = stablehlo.subtract %961, %962 : tensor<13xf64>
      %cst_360 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %964 = stablehlo.broadcast_in_dim %cst_360, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %965 = stablehlo.compare NE, %963, %964, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
      %966 = stablehlo.divide %960, %963 : tensor<13xf64>
      %967 = stablehlo.subtract %iterArg_343, %966 : tensor<13xf64>
      %968 = stablehlo.divide %967, %966 : tensor<13xf64>
      %969 = stablehlo.abs %968 : tensor<13xf64>
      %cst_361 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %970 = stablehlo.broadcast_in_dim %cst_361, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %971 = stablehlo.select %965, %969, %970 : tensor<13xi1>, tensor<13xf64>
      %972 = stablehlo.select %965, %966, %iterArg_343 : tensor<13xi1>, tensor<13xf64>
      %973 = stablehlo.multiply %iterArg_354, %955 : tensor<13xf64>
      %974 = stablehlo.subtract %973, %iterArg_348 : tensor<13xf64>
      %975 = stablehlo.multiply %iterArg_352, %957 : tensor<13xf64>
      %976 = stablehlo.subtract %974, %975 : tensor<13xf64>
      %977 = stablehlo.broadcast_in_dim %951, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %978 = stablehlo.multiply %iterArg_350, %977 : tensor<13xf64>
      %979 = stablehlo.add %976, %978 : tensor<13xf64>
      %980 = stablehlo.multiply %iterArg_355, %955 : tensor<13xf64>
      %981 = stablehlo.subtract %980, %iterArg_349 : tensor<13xf64>
      %982 = stablehlo.multiply %iterArg_353, %957 : tensor<13xf64>
      %983 = stablehlo.subtract %981, %982 : tensor<13xf64>
      %984 = stablehlo.broadcast_in_dim %951, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %985 = stablehlo.multiply %iterArg_351, %984 : tensor<13xf64>
      %986 = stablehlo.add %983, %985 : tensor<13xf64>
      %987 = stablehlo.multiply %972, %986 : tensor<13xf64>
      %988 = stablehlo.subtract %979, %987 : tensor<13xf64>
      %989 = stablehlo.divide %988, %963 : tensor<13xf64>
      %990 = stablehlo.select %965, %989, %iterArg_356 : tensor<13xi1>, tensor<13xf64>
      %991 = stablehlo.subtract %990, %iterArg_356 : tensor<13xf64>
      %992 = stablehlo.abs %991 : tensor<13xf64>
      %cst_362 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %993 = stablehlo.broadcast_in_dim %cst_362, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %994 = stablehlo.select %965, %992, %993 : tensor<13xi1>, tensor<13xf64>
      %995 = stablehlo.abs %960 : tensor<13xf64>
      %cst_363 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %cst_364 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %996 = stablehlo.broadcast_in_dim %cst_364, dims = [] : (tensor<f64>) -> tensor<f64>
      %997 = stablehlo.divide %996, %cst_363 : tensor<f64>
      %998 = stablehlo.broadcast_in_dim %997, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %999 = stablehlo.compare GT, %995, %998, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
      %cst_365 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %1000 = stablehlo.broadcast_in_dim %cst_365, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1001 = stablehlo.multiply %iterArg_348, %1000 : tensor<13xf64>
      %1002 = stablehlo.select %999, %1001, %iterArg_348 : tensor<13xi1>, tensor<13xf64>
      %cst_366 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %1003 = stablehlo.broadcast_in_dim %cst_366, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1004 = stablehlo.multiply %960, %1003 : tensor<13xf64>
      %1005 = stablehlo.select %999, %1004, %960 : tensor<13xi1>, tensor<13xf64>
      %cst_367 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %1006 = stablehlo.broadcast_in_dim %cst_367, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1007 = stablehlo.multiply %iterArg_349, %1006 : tensor<13xf64>
      %1008 = stablehlo.select %999, %1007, %iterArg_349 : tensor<13xi1>, tensor<13xf64>
      %cst_368 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %1009 = stablehlo.broadcast_in_dim %cst_368, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1010 = stablehlo.multiply %963, %1009 : tensor<13xf64>
      %1011 = stablehlo.select %999, %1010, %963 : tensor<13xi1>, tensor<13xf64>
      %cst_369 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %1012 = stablehlo.broadcast_in_dim %cst_369, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1013 = stablehlo.multiply %iterArg_354, %1012 : tensor<13xf64>
      %1014 = stablehlo.select %999, %1013, %iterArg_354 : tensor<13xi1>, tensor<13xf64>
      %cst_370 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %1015 = stablehlo.broadcast_in_dim %cst_370, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1016 = stablehlo.multiply %iterArg_355, %1015 : tensor<13xf64>
      %1017 = stablehlo.select %999, %1016, %iterArg_355 : tensor<13xi1>, tensor<13xf64>
      %cst_371 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %1018 = stablehlo.broadcast_in_dim %cst_371, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1019 = stablehlo.multiply %979, %1018 : tensor<13xf64>
      %1020 = stablehlo.select %999, %1019, %979 : tensor<13xi1>, tensor<13xf64>
      %cst_372 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %1021 = stablehlo.broadcast_in_dim %cst_372, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1022 = stablehlo.multiply %986, %1021 : tensor<13xf64>
      %1023 = stablehlo.select %999, %1022, %986 : tensor<13xi1>, tensor<13xf64>
      %cst_373 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %1024 = stablehlo.broadcast_in_dim %cst_373, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1025 = stablehlo.compare GT, %971, %1024, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
      %1026 = stablehlo.and %iterArg, %1025 : tensor<13xi1>
      %1027 = stablehlo.select %iterArg, %972, %iterArg_343 : tensor<13xi1>, tensor<13xf64>
      %1028 = stablehlo.select %iterArg, %971, %iterArg_344 : tensor<13xi1>, tensor<13xf64>
      %1029 = stablehlo.select %iterArg, %953, %iterArg_345 : tensor<13xi1>, tensor<13xf64>
      %1030 = stablehlo.select %iterArg, %955, %iterArg_346 : tensor<13xi1>, tensor<13xf64>
      %1031 = stablehlo.select %iterArg, %1005, %iterArg_348 : tensor<13xi1>, tensor<13xf64>
      %1032 = stablehlo.select %iterArg, %1011, %iterArg_349 : tensor<13xi1>, tensor<13xf64>
      %1033 = stablehlo.select %iterArg, %1002, %iterArg_350 : tensor<13xi1>, tensor<13xf64>
      %1034 = stablehlo.select %iterArg, %1008, %iterArg_351 : tensor<13xi1>, tensor<13xf64>
      %1035 = stablehlo.select %iterArg, %1014, %iterArg_352 : tensor<13xi1>, tensor<13xf64>
      %1036 = stablehlo.select %iterArg, %1017, %iterArg_353 : tensor<13xi1>, tensor<13xf64>
      %1037 = stablehlo.select %iterArg, %1020, %iterArg_354 : tensor<13xi1>, tensor<13xf64>
      %1038 = stablehlo.select %iterArg, %1023, %iterArg_355 : tensor<13xi1>, tensor<13xf64>
      %1039 = stablehlo.select %iterArg, %990, %iterArg_356 : tensor<13xi1>, tensor<13xf64>
      stablehlo.return %1026, %1027, %1028, %1029, %1030, %951, %1031, %1032, %1033, %1034, %1035, %1036, %1037, %1038, %1039 : tensor<13xi1>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<f64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>
    }
    %315 = stablehlo.multiply %314#1, %289 : tensor<13xf64>
    %cst_85 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %316 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %317 = stablehlo.subtract %316, %315 : tensor<13xf64>
    %318 = stablehlo.not %279 : tensor<13xi1>
    %319 = stablehlo.and %294, %318 : tensor<13xi1>
    %cst_86 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %320 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_87 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %321 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %322 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %323 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %324:7 = stablehlo.while(%iterArg = %319, %iterArg_343 = %arg1, %iterArg_344 = %320, %iterArg_345 = %321, %iterArg_346 = %254, %iterArg_347 = %322, %iterArg_348 = %323) : tensor<13xi1>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>
    cond {
      %c_349 = stablehlo.constant dense<false> : tensor<i1>
      %951 = stablehlo.reduce(%iterArg init: %c_349) applies stablehlo.or across dimensions = [0] : (tensor<13xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %951 : tensor<i1>
    } do {
      %cst_349 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %951 = stablehlo.broadcast_in_dim %cst_349, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %952 = stablehlo.add %iterArg_343, %951 : tensor<13xf64>
      %953 = stablehlo.divide %iterArg_346, %952 : tensor<13xf64>
      %954 = stablehlo.multiply %iterArg_347, %953 : tensor<13xf64>
      %955 = stablehlo.multiply %iterArg_344, %iterArg_346 : tensor<13xf64>
      %956 = stablehlo.multiply %952, %952 : tensor<13xf64>
      %957 = stablehlo.divide %955, %956 : tensor<13xf64>
      %958 = stablehlo.subtract %954, %957 : tensor<13xf64>
      %959 = stablehlo.add %iterArg_348, %958 : tensor<13xf64>
      %960 = stablehlo.divide %iterArg_346, %952 : tensor<13xf64>
      %961 = stablehlo.multiply %iterArg_344, %960 : tensor<13xf64>
      %962 = stablehlo.add %iterArg_345, %961 : tensor<13xf64>
      %963 = stablehlo.divide %961, %962 : tensor<13xf64>
      %cst_350 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %964 = stablehlo.broadcast_in_dim %cst_350, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %965 = stablehlo.compare GT, %963, %964, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
      %966 = stablehlo.and %iterArg, %965 : tensor<13xi1>
      %967 = stablehlo.select %iterArg, %952, %iterArg_343 : tensor<13xi1>, tensor<13xf64>
      %968 = stablehlo.select %iterArg, %961, %iterArg_344 : tensor<13xi1>, tensor<13xf64>
      %969 = stablehlo.select %iterArg, %962, %iterArg_345 : tensor<13xi1>, tensor<13xf64>
      %970 = stablehlo.select %iterArg, %iterArg_346, %iterArg_346 : tensor<13xi1>, tensor<13xf64>
      %971 = stablehlo.select %iterArg, %958, %iterArg_347 : tensor<13xi1>, tensor<13xf64>
      %972 = stablehlo.select %iterArg, %959, %iterArg_348 : tensor<13xi1>, tensor<13xf64>
      stablehlo.return %966, %967, %968, %969, %970, %971, %972 : tensor<13xi1>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>
    }
    %325 = stablehlo.multiply %324#3, %289 : tensor<13xf64>
    %326 = stablehlo.divide %325, %arg1 : tensor<13xf64>
    %327 = stablehlo.select %279, %317, %326 : tensor<13xi1>, tensor<13xf64>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %328 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %329 = stablehlo.select %261, %328, %327 : tensor<13xi1>, tensor<13xf64>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %330 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %331 = stablehlo.select %265, %330, %329 : tensor<13xi1>, tensor<13xf64>
    %cst_92 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %332 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %333 = stablehlo.select %259, %332, %331 : tensor<13xi1>, tensor<13xf64>
    %cst_93 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %334 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %335 = stablehlo.select %275, %334, %333 : tensor<13xi1>, tensor<13xf64>
    %cst_94 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %336 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %337 = stablehlo.add %arg1, %336 : tensor<13xf64>
    %338 = stablehlo.abs %arg0 : tensor<13xf64>
    %cst_95 = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %339 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %340 = stablehlo.divide %338, %339 : tensor<13xf64>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %341 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %342 = stablehlo.compare EQ, %arg1, %341, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_97 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %343 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %344 = stablehlo.compare EQ, %337, %343, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %345 = stablehlo.or %342, %344 : tensor<13xi1>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %346 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %347 = stablehlo.compare EQ, %337, %346, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_99 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %348 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %349 = stablehlo.compare EQ, %arg1, %348, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %350 = stablehlo.or %347, %349 : tensor<13xi1>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %351 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %352 = stablehlo.compare EQ, %340, %351, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_101 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %353 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %354 = stablehlo.compare EQ, %340, %353, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %355 = stablehlo.not %352 : tensor<13xi1>
    %356 = stablehlo.not %354 : tensor<13xi1>
    %357 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %358 = stablehlo.compare NE, %337, %337, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %359 = stablehlo.or %357, %358 : tensor<13xi1>
    %360 = stablehlo.compare NE, %340, %340, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %361 = stablehlo.or %359, %360 : tensor<13xi1>
    %362 = stablehlo.and %350, %356 : tensor<13xi1>
    %363 = stablehlo.and %345, %352 : tensor<13xi1>
    %364 = stablehlo.or %362, %363 : tensor<13xi1>
    %365 = stablehlo.and %345, %355 : tensor<13xi1>
    %366 = stablehlo.and %350, %354 : tensor<13xi1>
    %367 = stablehlo.or %365, %366 : tensor<13xi1>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %368 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %369 = stablehlo.compare LT, %arg1, %368, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %370 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %371 = stablehlo.compare LT, %337, %370, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %372 = stablehlo.or %369, %371 : tensor<13xi1>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %373 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %374 = stablehlo.compare LT, %340, %373, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %375 = stablehlo.or %372, %374 : tensor<13xi1>
    %cst_105 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %376 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %377 = stablehlo.compare GT, %340, %376, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %378 = stablehlo.or %375, %377 : tensor<13xi1>
    %379 = stablehlo.and %345, %350 : tensor<13xi1>
    %380 = stablehlo.or %379, %361 : tensor<13xi1>
    %381 = stablehlo.or %378, %380 : tensor<13xi1>
    %cst_106 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %382 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %383 = stablehlo.add %arg1, %382 : tensor<13xf64>
    %384 = stablehlo.add %arg1, %337 : tensor<13xf64>
    %cst_107 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %385 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %386 = stablehlo.add %384, %385 : tensor<13xf64>
    %387 = stablehlo.divide %383, %386 : tensor<13xf64>
    %388 = stablehlo.compare LT, %340, %387, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %389 = stablehlo.select %388, %arg1, %337 : tensor<13xi1>, tensor<13xf64>
    %390 = stablehlo.select %388, %337, %arg1 : tensor<13xi1>, tensor<13xf64>
    %cst_108 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %391 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %392 = stablehlo.subtract %391, %340 : tensor<13xf64>
    %393 = stablehlo.select %388, %340, %392 : tensor<13xi1>, tensor<13xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %394 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<13xi64>
    %c_109 = stablehlo.constant dense<0> : tensor<i64>
    %395 = stablehlo.broadcast_in_dim %c_109, dims = [] : (tensor<i64>) -> tensor<13xi64>
    %396 = stablehlo.compare EQ, %394, %395, SIGNED : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi1>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %397 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_111 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %398 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %399 = stablehlo.select %396, %397, %398 : tensor<13xi1>, tensor<13xf64>
    %400 = stablehlo.abs %399 : tensor<13xf64>
    %cst_112 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
    %401 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %402 = stablehlo.compare LT, %400, %401, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_113 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
    %403 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %404 = stablehlo.select %402, %403, %399 : tensor<13xi1>, tensor<13xf64>
    %c_114 = stablehlo.constant dense<true> : tensor<i1>
    %405 = stablehlo.broadcast_in_dim %c_114, dims = [] : (tensor<i1>) -> tensor<13xi1>
    %cst_115 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %406 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_116 = stablehlo.constant dense<1> : tensor<i64>
    %407:8 = stablehlo.while(%iterArg = %389, %iterArg_343 = %390, %iterArg_344 = %393, %iterArg_345 = %404, %iterArg_346 = %406, %iterArg_347 = %404, %iterArg_348 = %c_116, %iterArg_349 = %405) : tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<i64>, tensor<13xi1>
    cond {
      %c_350 = stablehlo.constant dense<600> : tensor<i64>
      %951 = stablehlo.compare LT, %iterArg_348, %c_350, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %c_351 = stablehlo.constant dense<false> : tensor<i1>
      %952 = stablehlo.reduce(%iterArg_349 init: %c_351) applies stablehlo.or across dimensions = [0] : (tensor<13xi1>, tensor<i1>) -> tensor<i1>
      %953 = stablehlo.and %951, %952 : tensor<i1>
      stablehlo.return %953 : tensor<i1>
    } do {
      %951 = stablehlo.broadcast_in_dim %iterArg_348, dims = [] : (tensor<i64>) -> tensor<13xi64>
      %c_350 = stablehlo.constant dense<2> : tensor<i64>
      %952 = stablehlo.broadcast_in_dim %c_350, dims = [] : (tensor<i64>) -> tensor<13xi64>
      %953 = func.call @remainder(%951, %952) : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi64>
      %c_351 = stablehlo.constant dense<0> : tensor<i64>
      %954 = stablehlo.broadcast_in_dim %c_351, dims = [] : (tensor<i64>) -> tensor<13xi64>
      %955 = stablehlo.compare EQ, %953, %954, SIGNED : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi1>
      %c_352 = stablehlo.constant dense<1> : tensor<i64>
      %956 = stablehlo.broadcast_in_dim %c_352, dims = [] : (tensor<i64>) -> tensor<13xi64>
      %957 = stablehlo.compare EQ, %951, %956, SIGNED : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi1>
      %c_353 = stablehlo.constant dense<1> : tensor<i64>
      %958 = stablehlo.broadcast_in_dim %c_353, dims = [] : (tensor<i64>) -> tensor<13xi64>
      %959 = stablehlo.subtract %951, %958 : tensor<13xi64>
      %c_354 = stablehlo.constant dense<2> : tensor<i64>
      %960 = stablehlo.broadcast_in_dim %c_354, dims = [] : (tensor<i64>) -> tensor<13xi64>
      %961 = func.call @floor_divide(%959, %960) : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi64>
      %c_355 = stablehlo.constant dense<0> : tensor<i64>
      %962 = stablehlo.broadcast_in_dim %c_355, dims = [] : (tensor<i64>) -> tensor<13xi64>
      %963 = stablehlo.compare EQ, %961, %962, SIGNED : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi1>
      %964 = stablehlo.convert %961 : (tensor<13xi64>) -> tensor<13xf64>
      %cst_356 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %965 = stablehlo.broadcast_in_dim %cst_356, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %cst_357 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %966 = stablehlo.broadcast_in_dim %cst_357, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %967 = stablehlo.add %iterArg, %iterArg_343 : tensor<13xf64>
      %968 = stablehlo.negate %967 : tensor<13xf64>
      %969 = stablehlo.multiply %968, %iterArg_344 : tensor<13xf64>
      %970 = stablehlo.add %iterArg, %965 : tensor<13xf64>
      %971 = stablehlo.divide %969, %970 : tensor<13xf64>
      %972 = stablehlo.add %iterArg, %964 : tensor<13xf64>
      %973 = stablehlo.negate %972 : tensor<13xf64>
      %974 = stablehlo.add %iterArg, %iterArg_343 : tensor<13xf64>
      %975 = stablehlo.add %974, %964 : tensor<13xf64>
      %976 = stablehlo.multiply %973, %975 : tensor<13xf64>
      %977 = stablehlo.multiply %976, %iterArg_344 : tensor<13xf64>
      %978 = stablehlo.multiply %966, %964 : tensor<13xf64>
      %979 = stablehlo.add %iterArg, %978 : tensor<13xf64>
      %980 = stablehlo.multiply %966, %964 : tensor<13xf64>
      %981 = stablehlo.add %iterArg, %980 : tensor<13xf64>
      %982 = stablehlo.add %981, %965 : tensor<13xf64>
      %983 = stablehlo.multiply %979, %982 : tensor<13xf64>
      %984 = stablehlo.divide %977, %983 : tensor<13xf64>
      %985 = stablehlo.select %963, %971, %984 : tensor<13xi1>, tensor<13xf64>
      %986 = stablehlo.subtract %iterArg_343, %964 : tensor<13xf64>
      %987 = stablehlo.multiply %964, %986 : tensor<13xf64>
      %988 = stablehlo.multiply %987, %iterArg_344 : tensor<13xf64>
      %989 = stablehlo.multiply %966, %964 : tensor<13xf64>
      %990 = stablehlo.add %iterArg, %989 : tensor<13xf64>
      %991 = stablehlo.subtract %990, %965 : tensor<13xf64>
      %992 = stablehlo.multiply %966, %964 : tensor<13xf64>
      %993 = stablehlo.add %iterArg, %992 : tensor<13xf64>
      %994 = stablehlo.multiply %991, %993 : tensor<13xf64>
      %995 = stablehlo.divide %988, %994 : tensor<13xf64>
      %cst_358 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %996 = stablehlo.broadcast_in_dim %cst_358, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %997 = stablehlo.select %955, %985, %995 : tensor<13xi1>, tensor<13xf64>
      %998 = stablehlo.select %957, %996, %997 : tensor<13xi1>, tensor<13xf64>
      %999 = stablehlo.broadcast_in_dim %iterArg_348, dims = [] : (tensor<i64>) -> tensor<13xi64>
      %c_359 = stablehlo.constant dense<0> : tensor<i64>
      %1000 = stablehlo.broadcast_in_dim %c_359, dims = [] : (tensor<i64>) -> tensor<13xi64>
      %1001 = stablehlo.compare EQ, %999, %1000, SIGNED : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi1>
      %cst_360 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %1002 = stablehlo.broadcast_in_dim %cst_360, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %cst_361 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %1003 = stablehlo.broadcast_in_dim %cst_361, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1004 = stablehlo.select %1001, %1002, %1003 : tensor<13xi1>, tensor<13xf64>
      %1005 = stablehlo.divide %998, %iterArg_345 : tensor<13xf64>
      %1006 = stablehlo.add %1004, %1005 : tensor<13xf64>
      %cst_362 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %1007 = stablehlo.broadcast_in_dim %cst_362, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1008 = stablehlo.abs %1006 : tensor<13xf64>
      %1009 = stablehlo.compare LT, %1008, %1007, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
      %1010 = stablehlo.select %1009, %1007, %1006 : tensor<13xi1>, tensor<13xf64>
      %1011 = stablehlo.multiply %998, %iterArg_346 : tensor<13xf64>
      %1012 = stablehlo.add %1004, %1011 : tensor<13xf64>
      %1013 = stablehlo.abs %1012 : tensor<13xf64>
      %1014 = stablehlo.compare LT, %1013, %1007, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
      %1015 = stablehlo.select %1014, %1007, %1012 : tensor<13xi1>, tensor<13xf64>
      %cst_363 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %1016 = stablehlo.broadcast_in_dim %cst_363, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1017 = stablehlo.divide %1016, %1015 : tensor<13xf64>
      %1018 = stablehlo.multiply %1010, %1017 : tensor<13xf64>
      %1019 = stablehlo.multiply %iterArg_347, %1018 : tensor<13xf64>
      %cst_364 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %1020 = stablehlo.broadcast_in_dim %cst_364, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1021 = stablehlo.subtract %1018, %1020 : tensor<13xf64>
      %1022 = stablehlo.abs %1021 : tensor<13xf64>
      %cst_365 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %1023 = stablehlo.broadcast_in_dim %cst_365, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %1024 = stablehlo.compare GE, %1022, %1023, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
      %c_366 = stablehlo.constant dense<1> : tensor<i64>
      %1025 = stablehlo.add %iterArg_348, %c_366 : tensor<i64>
      %1026 = stablehlo.and %iterArg_349, %1024 : tensor<13xi1>
      %1027 = stablehlo.select %iterArg_349, %1010, %iterArg_345 : tensor<13xi1>, tensor<13xf64>
      %1028 = stablehlo.select %iterArg_349, %1017, %iterArg_346 : tensor<13xi1>, tensor<13xf64>
      %1029 = stablehlo.select %iterArg_349, %1019, %iterArg_347 : tensor<13xi1>, tensor<13xf64>
      stablehlo.return %iterArg, %iterArg_343, %iterArg_344, %1027, %1028, %1029, %1025, %1026 : tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<i64>, tensor<13xi1>
    }
    %408 = chlo.lgamma %390 : tensor<13xf64> -> tensor<13xf64>
    %409 = stablehlo.add %389, %390 : tensor<13xf64>
    %410 = chlo.lgamma %409 : tensor<13xf64> -> tensor<13xf64>
    %411 = stablehlo.subtract %408, %410 : tensor<13xf64>
    %412 = chlo.lgamma %389 : tensor<13xf64> -> tensor<13xf64>
    %413 = stablehlo.add %412, %411 : tensor<13xf64>
    %cst_117 = stablehlo.constant dense<4.4501477170144028E-308> : tensor<f64>
    %414 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %415 = stablehlo.compare LT, %389, %414, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %416 = stablehlo.negate %393 : tensor<13xf64>
    %417 = stablehlo.log_plus_one %416 : tensor<13xf64>
    %418 = stablehlo.multiply %417, %390 : tensor<13xf64>
    %419 = stablehlo.subtract %418, %411 : tensor<13xf64>
    %420 = stablehlo.exponential %419 : tensor<13xf64>
    %421 = stablehlo.log %393 : tensor<13xf64>
    %422 = stablehlo.multiply %421, %389 : tensor<13xf64>
    %423 = stablehlo.negate %393 : tensor<13xf64>
    %424 = stablehlo.log_plus_one %423 : tensor<13xf64>
    %425 = stablehlo.multiply %424, %390 : tensor<13xf64>
    %426 = stablehlo.add %422, %425 : tensor<13xf64>
    %427 = stablehlo.subtract %426, %413 : tensor<13xf64>
    %428 = stablehlo.exponential %427 : tensor<13xf64>
    %429 = stablehlo.divide %428, %389 : tensor<13xf64>
    %430 = stablehlo.select %415, %420, %429 : tensor<13xi1>, tensor<13xf64>
    %431 = stablehlo.multiply %407#5, %430 : tensor<13xf64>
    %cst_118 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %432 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %433 = stablehlo.subtract %432, %431 : tensor<13xf64>
    %434 = stablehlo.select %388, %431, %433 : tensor<13xi1>, tensor<13xf64>
    %cst_119 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %435 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %436 = stablehlo.select %364, %435, %434 : tensor<13xi1>, tensor<13xf64>
    %cst_120 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %437 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %438 = stablehlo.select %367, %437, %436 : tensor<13xi1>, tensor<13xf64>
    %cst_121 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %439 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %440 = stablehlo.select %381, %439, %438 : tensor<13xi1>, tensor<13xf64>
    %cst_122 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %441 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %442 = chlo.polygamma %441, %arg1 : tensor<13xf64>, tensor<13xf64> -> tensor<13xf64>
    %cst_123 = stablehlo.constant dense<1.500000e+00> : tensor<f64>
    %443 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %444 = stablehlo.add %arg1, %443 : tensor<13xf64>
    %445 = chlo.zeta %444, %arg1 : tensor<13xf64>, tensor<13xf64> -> tensor<13xf64>
    %446 = stablehlo.abs %arg0 : tensor<13xf64>
    %cst_124 = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %447 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %448 = stablehlo.divide %446, %447 : tensor<13xf64>
    %cst_125 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %449 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %450 = stablehlo.add %448, %449 : tensor<13xf64>
    %cst_126 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %451 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %452 = stablehlo.compare LT, %450, %451, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_127 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %453 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %454 = stablehlo.compare GT, %450, %453, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %455 = stablehlo.or %452, %454 : tensor<13xi1>
    %456 = stablehlo.compare NE, %450, %450, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %457 = stablehlo.or %455, %456 : tensor<13xi1>
    %cst_128 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %458 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %459 = stablehlo.compare EQ, %450, %458, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_129 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %460 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %461 = stablehlo.compare EQ, %450, %460, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %462 = stablehlo.or %459, %461 : tensor<13xi1>
    %463 = stablehlo.or %457, %462 : tensor<13xi1>
    %cst_130 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %464 = call @_where_1(%463, %cst_130, %450) : (tensor<13xi1>, tensor<f64>, tensor<13xf64>) -> tensor<13xf64>
    %cst_131 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %465 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %466 = stablehlo.compare GT, %464, %465, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_132 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %467 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %468 = stablehlo.subtract %467, %464 : tensor<13xf64>
    %469 = call @_where_2(%466, %468, %464) : (tensor<13xi1>, tensor<13xf64>, tensor<13xf64>) -> tensor<13xf64>
    %cst_133 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %470 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %471 = stablehlo.subtract %464, %470 : tensor<13xf64>
    %cst_134 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %472 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %473 = stablehlo.multiply %472, %471 : tensor<13xf64>
    %cst_135 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %474 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %475 = stablehlo.multiply %474, %469 : tensor<13xf64>
    %476 = stablehlo.abs %473 : tensor<13xf64>
    %cst_136 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %477 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %478 = stablehlo.add %477, %476 : tensor<13xf64>
    %479 = stablehlo.multiply %475, %478 : tensor<13xf64>
    %480 = stablehlo.log %479 : tensor<13xf64>
    %481 = stablehlo.negate %480 : tensor<13xf64>
    %cst_137 = stablehlo.constant dense<4.500000e+00> : tensor<f64>
    %482 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %483 = stablehlo.compare LT, %481, %482, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_138 = stablehlo.constant dense<1.600000e+01> : tensor<f64>
    %484 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %485 = stablehlo.compare LT, %481, %484, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_139 = stablehlo.constant dense<3.700000e+01> : tensor<f64>
    %486 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %487 = stablehlo.compare LT, %481, %486, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_140 = stablehlo.constant dense<1.440000e+02> : tensor<f64>
    %488 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %489 = stablehlo.compare LT, %481, %488, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %490 = stablehlo.not %483 : tensor<13xi1>
    %491 = stablehlo.convert %490 : (tensor<13xi1>) -> tensor<13xi32>
    %492 = stablehlo.not %485 : tensor<13xi1>
    %493 = stablehlo.convert %492 : (tensor<13xi1>) -> tensor<13xi32>
    %494 = stablehlo.add %491, %493 : tensor<13xi32>
    %495 = stablehlo.not %487 : tensor<13xi1>
    %496 = stablehlo.convert %495 : (tensor<13xi1>) -> tensor<13xi32>
    %497 = stablehlo.add %494, %496 : tensor<13xi32>
    %498 = stablehlo.not %489 : tensor<13xi1>
    %499 = stablehlo.convert %498 : (tensor<13xi1>) -> tensor<13xi32>
    %500 = stablehlo.add %497, %499 : tensor<13xi32>
    %cst_141 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %501 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %502 = stablehlo.select %483, %501, %481 : tensor<13xi1>, tensor<13xf64>
    %503 = stablehlo.sqrt %502 : tensor<13xf64>
    %504 = stablehlo.bitcast_convert %503 : (tensor<13xf64>) -> tensor<13xui64>
    %c_142 = stablehlo.constant dense<18446744073575333888> : tensor<ui64>
    %505 = stablehlo.broadcast_in_dim %c_142, dims = [] : (tensor<ui64>) -> tensor<13xui64>
    %506 = stablehlo.and %504, %505 : tensor<13xui64>
    %507 = stablehlo.bitcast_convert %506 : (tensor<13xui64>) -> tensor<13xf64>
    %508 = stablehlo.multiply %507, %507 : tensor<13xf64>
    %509 = stablehlo.subtract %502, %508 : tensor<13xf64>
    %510 = stablehlo.add %503, %507 : tensor<13xf64>
    %511 = stablehlo.divide %509, %510 : tensor<13xf64>
    %cst_143 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %512 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_144 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %513 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_145 = stablehlo.constant dense<5.000000e+00> : tensor<f64>
    %514 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_146 = stablehlo.constant dense<9.000000e+00> : tensor<f64>
    %515 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_147 = stablehlo.constant dense<1.950000e+01> : tensor<f64>
    %516 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_148 = stablehlo.constant dense<2> : tensor<i32>
    %517 = stablehlo.broadcast_in_dim %c_148, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %518 = stablehlo.compare LT, %500, %517, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_149 = stablehlo.constant dense<1> : tensor<i32>
    %519 = stablehlo.broadcast_in_dim %c_149, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %520 = stablehlo.compare LT, %500, %519, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %521 = stablehlo.select %520, %512, %513 : tensor<13xi1>, tensor<13xf64>
    %c_150 = stablehlo.constant dense<3> : tensor<i32>
    %522 = stablehlo.broadcast_in_dim %c_150, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %523 = stablehlo.compare LT, %500, %522, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_151 = stablehlo.constant dense<4> : tensor<i32>
    %524 = stablehlo.broadcast_in_dim %c_151, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %525 = stablehlo.compare LT, %500, %524, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %526 = stablehlo.select %525, %515, %516 : tensor<13xi1>, tensor<13xf64>
    %527 = stablehlo.select %523, %514, %526 : tensor<13xi1>, tensor<13xf64>
    %528 = stablehlo.select %518, %521, %527 : tensor<13xi1>, tensor<13xf64>
    %cst_152 = stablehlo.constant dense<2.250000e+00> : tensor<f64>
    %529 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %530 = stablehlo.subtract %481, %529 : tensor<13xf64>
    %531 = stablehlo.subtract %503, %528 : tensor<13xf64>
    %532 = stablehlo.select %483, %530, %531 : tensor<13xi1>, tensor<13xf64>
    %cst_153 = stablehlo.constant dense<2.0357726272522321> : tensor<f64>
    %533 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_154 = stablehlo.constant dense<-0.23645371752493585> : tensor<f64>
    %534 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_155 = stablehlo.constant dense<-0.21226443079643154> : tensor<f64>
    %535 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_156 = stablehlo.constant dense<-0.16366626451059438> : tensor<f64>
    %536 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_157 = stablehlo.constant dense<-0.1034387553262035> : tensor<f64>
    %537 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_158 = stablehlo.constant dense<2> : tensor<i32>
    %538 = stablehlo.broadcast_in_dim %c_158, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %539 = stablehlo.compare LT, %500, %538, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_159 = stablehlo.constant dense<1> : tensor<i32>
    %540 = stablehlo.broadcast_in_dim %c_159, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %541 = stablehlo.compare LT, %500, %540, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %542 = stablehlo.select %541, %533, %534 : tensor<13xi1>, tensor<13xf64>
    %c_160 = stablehlo.constant dense<3> : tensor<i32>
    %543 = stablehlo.broadcast_in_dim %c_160, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %544 = stablehlo.compare LT, %500, %543, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_161 = stablehlo.constant dense<4> : tensor<i32>
    %545 = stablehlo.broadcast_in_dim %c_161, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %546 = stablehlo.compare LT, %500, %545, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %547 = stablehlo.select %546, %536, %537 : tensor<13xi1>, tensor<13xf64>
    %548 = stablehlo.select %544, %535, %547 : tensor<13xi1>, tensor<13xf64>
    %549 = stablehlo.select %539, %542, %548 : tensor<13xi1>, tensor<13xf64>
    %cst_162 = stablehlo.constant dense<0.35140426042131639> : tensor<f64>
    %550 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_163 = stablehlo.constant dense<0.0037651719423483889> : tensor<f64>
    %551 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_164 = stablehlo.constant dense<0.014567051977450673> : tensor<f64>
    %552 = stablehlo.broadcast_in_dim %cst_164, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_165 = stablehlo.constant dense<0.0095139250561279403> : tensor<f64>
    %553 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_166 = stablehlo.constant dense<0.0034512705969265084> : tensor<f64>
    %554 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_167 = stablehlo.constant dense<2> : tensor<i32>
    %555 = stablehlo.broadcast_in_dim %c_167, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %556 = stablehlo.compare LT, %500, %555, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_168 = stablehlo.constant dense<1> : tensor<i32>
    %557 = stablehlo.broadcast_in_dim %c_168, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %558 = stablehlo.compare LT, %500, %557, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %559 = stablehlo.select %558, %550, %551 : tensor<13xi1>, tensor<13xf64>
    %c_169 = stablehlo.constant dense<3> : tensor<i32>
    %560 = stablehlo.broadcast_in_dim %c_169, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %561 = stablehlo.compare LT, %500, %560, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_170 = stablehlo.constant dense<4> : tensor<i32>
    %562 = stablehlo.broadcast_in_dim %c_170, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %563 = stablehlo.compare LT, %500, %562, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %564 = stablehlo.select %563, %553, %554 : tensor<13xi1>, tensor<13xf64>
    %565 = stablehlo.select %561, %552, %564 : tensor<13xi1>, tensor<13xf64>
    %566 = stablehlo.select %556, %559, %565 : tensor<13xi1>, tensor<13xf64>
    %cst_171 = stablehlo.constant dense<-0.0044623701609070171> : tensor<f64>
    %567 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_172 = stablehlo.constant dense<0.0096784373220632318> : tensor<f64>
    %568 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_173 = stablehlo.constant dense<-1.9618097593974201E-4> : tensor<f64>
    %569 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_174 = stablehlo.constant dense<-5.7832503618803074E-4> : tensor<f64>
    %570 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_175 = stablehlo.constant dense<-1.2962349655806194E-4> : tensor<f64>
    %571 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_176 = stablehlo.constant dense<2> : tensor<i32>
    %572 = stablehlo.broadcast_in_dim %c_176, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %573 = stablehlo.compare LT, %500, %572, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_177 = stablehlo.constant dense<1> : tensor<i32>
    %574 = stablehlo.broadcast_in_dim %c_177, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %575 = stablehlo.compare LT, %500, %574, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %576 = stablehlo.select %575, %567, %568 : tensor<13xi1>, tensor<13xf64>
    %c_178 = stablehlo.constant dense<3> : tensor<i32>
    %577 = stablehlo.broadcast_in_dim %c_178, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %578 = stablehlo.compare LT, %500, %577, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_179 = stablehlo.constant dense<4> : tensor<i32>
    %579 = stablehlo.broadcast_in_dim %c_179, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %580 = stablehlo.compare LT, %500, %579, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %581 = stablehlo.select %580, %570, %571 : tensor<13xi1>, tensor<13xf64>
    %582 = stablehlo.select %578, %569, %581 : tensor<13xi1>, tensor<13xf64>
    %583 = stablehlo.select %573, %576, %582 : tensor<13xi1>, tensor<13xf64>
    %cst_180 = stablehlo.constant dense<-0.0020830638024454612> : tensor<f64>
    %584 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_181 = stablehlo.constant dense<-0.004872008206580747> : tensor<f64>
    %585 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_182 = stablehlo.constant dense<-3.0409153628248965E-4> : tensor<f64>
    %586 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_183 = stablehlo.constant dense<2.9069660080735163E-5> : tensor<f64>
    %587 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_184 = stablehlo.constant dense<5.032323591902859E-6> : tensor<f64>
    %588 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_185 = stablehlo.constant dense<2> : tensor<i32>
    %589 = stablehlo.broadcast_in_dim %c_185, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %590 = stablehlo.compare LT, %500, %589, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_186 = stablehlo.constant dense<1> : tensor<i32>
    %591 = stablehlo.broadcast_in_dim %c_186, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %592 = stablehlo.compare LT, %500, %591, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %593 = stablehlo.select %592, %584, %585 : tensor<13xi1>, tensor<13xf64>
    %c_187 = stablehlo.constant dense<3> : tensor<i32>
    %594 = stablehlo.broadcast_in_dim %c_187, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %595 = stablehlo.compare LT, %500, %594, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_188 = stablehlo.constant dense<4> : tensor<i32>
    %596 = stablehlo.broadcast_in_dim %c_188, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %597 = stablehlo.compare LT, %500, %596, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %598 = stablehlo.select %597, %587, %588 : tensor<13xi1>, tensor<13xf64>
    %599 = stablehlo.select %595, %586, %598 : tensor<13xi1>, tensor<13xf64>
    %600 = stablehlo.select %590, %593, %599 : tensor<13xi1>, tensor<13xf64>
    %cst_189 = stablehlo.constant dense<3.1259144297745303E-4> : tensor<f64>
    %601 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_190 = stablehlo.constant dense<0.0016156488700657665> : tensor<f64>
    %602 = stablehlo.broadcast_in_dim %cst_190, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_191 = stablehlo.constant dense<1.0745762016806036E-4> : tensor<f64>
    %603 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_192 = stablehlo.constant dense<-3.3486820028176425E-7> : tensor<f64>
    %604 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_193 = stablehlo.constant dense<-1.9608431354808947E-7> : tensor<f64>
    %605 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_194 = stablehlo.constant dense<2> : tensor<i32>
    %606 = stablehlo.broadcast_in_dim %c_194, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %607 = stablehlo.compare LT, %500, %606, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_195 = stablehlo.constant dense<1> : tensor<i32>
    %608 = stablehlo.broadcast_in_dim %c_195, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %609 = stablehlo.compare LT, %500, %608, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %610 = stablehlo.select %609, %601, %602 : tensor<13xi1>, tensor<13xf64>
    %c_196 = stablehlo.constant dense<3> : tensor<i32>
    %611 = stablehlo.broadcast_in_dim %c_196, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %612 = stablehlo.compare LT, %500, %611, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_197 = stablehlo.constant dense<4> : tensor<i32>
    %613 = stablehlo.broadcast_in_dim %c_197, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %614 = stablehlo.compare LT, %500, %613, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %615 = stablehlo.select %614, %604, %605 : tensor<13xi1>, tensor<13xf64>
    %616 = stablehlo.select %612, %603, %615 : tensor<13xi1>, tensor<13xf64>
    %617 = stablehlo.select %607, %610, %616 : tensor<13xi1>, tensor<13xf64>
    %cst_198 = stablehlo.constant dense<1.0463524731719224E-6> : tensor<f64>
    %618 = stablehlo.broadcast_in_dim %cst_198, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_199 = stablehlo.constant dense<-3.1284798712645837E-4> : tensor<f64>
    %619 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_200 = stablehlo.constant dense<-2.780588098812455E-5> : tensor<f64>
    %620 = stablehlo.broadcast_in_dim %cst_200, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_201 = stablehlo.constant dense<-2.1475876725746286E-7> : tensor<f64>
    %621 = stablehlo.broadcast_in_dim %cst_201, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_202 = stablehlo.constant dense<7.5176150449534046E-9> : tensor<f64>
    %622 = stablehlo.broadcast_in_dim %cst_202, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_203 = stablehlo.constant dense<2> : tensor<i32>
    %623 = stablehlo.broadcast_in_dim %c_203, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %624 = stablehlo.compare LT, %500, %623, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_204 = stablehlo.constant dense<1> : tensor<i32>
    %625 = stablehlo.broadcast_in_dim %c_204, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %626 = stablehlo.compare LT, %500, %625, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %627 = stablehlo.select %626, %618, %619 : tensor<13xi1>, tensor<13xf64>
    %c_205 = stablehlo.constant dense<3> : tensor<i32>
    %628 = stablehlo.broadcast_in_dim %c_205, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %629 = stablehlo.compare LT, %500, %628, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_206 = stablehlo.constant dense<4> : tensor<i32>
    %630 = stablehlo.broadcast_in_dim %c_206, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %631 = stablehlo.compare LT, %500, %630, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %632 = stablehlo.select %631, %621, %622 : tensor<13xi1>, tensor<13xf64>
    %633 = stablehlo.select %629, %620, %632 : tensor<13xi1>, tensor<13xf64>
    %634 = stablehlo.select %624, %627, %633 : tensor<13xi1>, tensor<13xf64>
    %cst_207 = stablehlo.constant dense<-5.9622830778534848E-6> : tensor<f64>
    %635 = stablehlo.broadcast_in_dim %cst_207, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_208 = stablehlo.constant dense<-5.1722411097175131E-5> : tensor<f64>
    %636 = stablehlo.broadcast_in_dim %cst_208, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_209 = stablehlo.constant dense<6.3599820318358833E-6> : tensor<f64>
    %637 = stablehlo.broadcast_in_dim %cst_209, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_210 = stablehlo.constant dense<4.6441856191051676E-8> : tensor<f64>
    %638 = stablehlo.broadcast_in_dim %cst_210, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_211 = stablehlo.constant dense<-2.7728339547190114E-10> : tensor<f64>
    %639 = stablehlo.broadcast_in_dim %cst_211, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_212 = stablehlo.constant dense<2> : tensor<i32>
    %640 = stablehlo.broadcast_in_dim %c_212, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %641 = stablehlo.compare LT, %500, %640, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_213 = stablehlo.constant dense<1> : tensor<i32>
    %642 = stablehlo.broadcast_in_dim %c_213, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %643 = stablehlo.compare LT, %500, %642, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %644 = stablehlo.select %643, %635, %636 : tensor<13xi1>, tensor<13xf64>
    %c_214 = stablehlo.constant dense<3> : tensor<i32>
    %645 = stablehlo.broadcast_in_dim %c_214, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %646 = stablehlo.compare LT, %500, %645, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_215 = stablehlo.constant dense<4> : tensor<i32>
    %647 = stablehlo.broadcast_in_dim %c_215, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %648 = stablehlo.compare LT, %500, %647, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %649 = stablehlo.select %648, %638, %639 : tensor<13xi1>, tensor<13xf64>
    %650 = stablehlo.select %646, %637, %649 : tensor<13xi1>, tensor<13xf64>
    %651 = stablehlo.select %641, %644, %650 : tensor<13xi1>, tensor<13xf64>
    %cst_216 = stablehlo.constant dense<6.0235782160411569E-7> : tensor<f64>
    %652 = stablehlo.broadcast_in_dim %cst_216, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_217 = stablehlo.constant dense<7.8993945859483897E-5> : tensor<f64>
    %653 = stablehlo.broadcast_in_dim %cst_217, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_218 = stablehlo.constant dense<-1.3555434153823056E-6> : tensor<f64>
    %654 = stablehlo.broadcast_in_dim %cst_218, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_219 = stablehlo.constant dense<-7.2104970503502632E-9> : tensor<f64>
    %655 = stablehlo.broadcast_in_dim %cst_219, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_220 = stablehlo.constant dense<9.4744546463110331E-12> : tensor<f64>
    %656 = stablehlo.broadcast_in_dim %cst_220, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_221 = stablehlo.constant dense<2> : tensor<i32>
    %657 = stablehlo.broadcast_in_dim %c_221, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %658 = stablehlo.compare LT, %500, %657, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_222 = stablehlo.constant dense<1> : tensor<i32>
    %659 = stablehlo.broadcast_in_dim %c_222, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %660 = stablehlo.compare LT, %500, %659, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %661 = stablehlo.select %660, %652, %653 : tensor<13xi1>, tensor<13xf64>
    %c_223 = stablehlo.constant dense<3> : tensor<i32>
    %662 = stablehlo.broadcast_in_dim %c_223, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %663 = stablehlo.compare LT, %500, %662, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_224 = stablehlo.constant dense<4> : tensor<i32>
    %664 = stablehlo.broadcast_in_dim %c_224, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %665 = stablehlo.compare LT, %500, %664, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %666 = stablehlo.select %665, %655, %656 : tensor<13xi1>, tensor<13xf64>
    %667 = stablehlo.select %663, %654, %666 : tensor<13xi1>, tensor<13xf64>
    %668 = stablehlo.select %658, %661, %667 : tensor<13xi1>, tensor<13xf64>
    %cst_225 = stablehlo.constant dense<5.6620833599626718E-8> : tensor<f64>
    %669 = stablehlo.broadcast_in_dim %cst_225, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_226 = stablehlo.constant dense<-3.4065451815189537E-5> : tensor<f64>
    %670 = stablehlo.broadcast_in_dim %cst_226, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_227 = stablehlo.constant dense<2.7465366331927953E-7> : tensor<f64>
    %671 = stablehlo.broadcast_in_dim %cst_227, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_228 = stablehlo.constant dense<9.8764941893420414E-10> : tensor<f64>
    %672 = stablehlo.broadcast_in_dim %cst_228, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_229 = stablehlo.constant dense<-2.7372864550924071E-13> : tensor<f64>
    %673 = stablehlo.broadcast_in_dim %cst_229, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_230 = stablehlo.constant dense<2> : tensor<i32>
    %674 = stablehlo.broadcast_in_dim %c_230, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %675 = stablehlo.compare LT, %500, %674, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_231 = stablehlo.constant dense<1> : tensor<i32>
    %676 = stablehlo.broadcast_in_dim %c_231, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %677 = stablehlo.compare LT, %500, %676, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %678 = stablehlo.select %677, %669, %670 : tensor<13xi1>, tensor<13xf64>
    %c_232 = stablehlo.constant dense<3> : tensor<i32>
    %679 = stablehlo.broadcast_in_dim %c_232, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %680 = stablehlo.compare LT, %500, %679, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_233 = stablehlo.constant dense<4> : tensor<i32>
    %681 = stablehlo.broadcast_in_dim %c_233, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %682 = stablehlo.compare LT, %500, %681, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %683 = stablehlo.select %682, %672, %673 : tensor<13xi1>, tensor<13xf64>
    %684 = stablehlo.select %680, %671, %683 : tensor<13xi1>, tensor<13xf64>
    %685 = stablehlo.select %675, %678, %684 : tensor<13xi1>, tensor<13xf64>
    %cst_234 = stablehlo.constant dense<-1.7833191150106225E-8> : tensor<f64>
    %686 = stablehlo.broadcast_in_dim %cst_234, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_235 = stablehlo.constant dense<3.6084837141236802E-6> : tensor<f64>
    %687 = stablehlo.broadcast_in_dim %cst_235, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_236 = stablehlo.constant dense<-5.3082389561212611E-8> : tensor<f64>
    %688 = stablehlo.broadcast_in_dim %cst_236, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_237 = stablehlo.constant dense<-1.2656223093127567E-10> : tensor<f64>
    %689 = stablehlo.broadcast_in_dim %cst_237, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_238 = stablehlo.constant dense<4.4136140448158479E-15> : tensor<f64>
    %690 = stablehlo.broadcast_in_dim %cst_238, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_239 = stablehlo.constant dense<2> : tensor<i32>
    %691 = stablehlo.broadcast_in_dim %c_239, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %692 = stablehlo.compare LT, %500, %691, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_240 = stablehlo.constant dense<1> : tensor<i32>
    %693 = stablehlo.broadcast_in_dim %c_240, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %694 = stablehlo.compare LT, %500, %693, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %695 = stablehlo.select %694, %686, %687 : tensor<13xi1>, tensor<13xf64>
    %c_241 = stablehlo.constant dense<3> : tensor<i32>
    %696 = stablehlo.broadcast_in_dim %c_241, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %697 = stablehlo.compare LT, %500, %696, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_242 = stablehlo.constant dense<4> : tensor<i32>
    %698 = stablehlo.broadcast_in_dim %c_242, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %699 = stablehlo.compare LT, %500, %698, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %700 = stablehlo.select %699, %689, %690 : tensor<13xi1>, tensor<13xf64>
    %701 = stablehlo.select %697, %688, %700 : tensor<13xi1>, tensor<13xf64>
    %702 = stablehlo.select %692, %695, %701 : tensor<13xi1>, tensor<13xf64>
    %cst_243 = stablehlo.constant dense<6.3404803722126215E-10> : tensor<f64>
    %703 = stablehlo.broadcast_in_dim %cst_243, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_244 = stablehlo.constant dense<4.4516657560470501E-6> : tensor<f64>
    %704 = stablehlo.broadcast_in_dim %cst_244, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_245 = stablehlo.constant dense<9.5697595204252003E-9> : tensor<f64>
    %705 = stablehlo.broadcast_in_dim %cst_245, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_246 = stablehlo.constant dense<1.5553663250600605E-11> : tensor<f64>
    %706 = stablehlo.broadcast_in_dim %cst_246, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_247 = stablehlo.constant dense<2.1753480361641469E-16> : tensor<f64>
    %707 = stablehlo.broadcast_in_dim %cst_247, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_248 = stablehlo.constant dense<2> : tensor<i32>
    %708 = stablehlo.broadcast_in_dim %c_248, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %709 = stablehlo.compare LT, %500, %708, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_249 = stablehlo.constant dense<1> : tensor<i32>
    %710 = stablehlo.broadcast_in_dim %c_249, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %711 = stablehlo.compare LT, %500, %710, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %712 = stablehlo.select %711, %703, %704 : tensor<13xi1>, tensor<13xf64>
    %c_250 = stablehlo.constant dense<3> : tensor<i32>
    %713 = stablehlo.broadcast_in_dim %c_250, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %714 = stablehlo.compare LT, %500, %713, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_251 = stablehlo.constant dense<4> : tensor<i32>
    %715 = stablehlo.broadcast_in_dim %c_251, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %716 = stablehlo.compare LT, %500, %715, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %717 = stablehlo.select %716, %706, %707 : tensor<13xi1>, tensor<13xf64>
    %718 = stablehlo.select %714, %705, %717 : tensor<13xi1>, tensor<13xf64>
    %719 = stablehlo.select %709, %712, %718 : tensor<13xi1>, tensor<13xf64>
    %cst_252 = stablehlo.constant dense<3.0255024019967115E-10> : tensor<f64>
    %720 = stablehlo.broadcast_in_dim %cst_252, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_253 = stablehlo.constant dense<-2.8471209750585272E-6> : tensor<f64>
    %721 = stablehlo.broadcast_in_dim %cst_253, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_254 = stablehlo.constant dense<-1.4374781187351081E-9> : tensor<f64>
    %722 = stablehlo.broadcast_in_dim %cst_254, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_255 = stablehlo.constant dense<-1.8559826377005067E-12> : tensor<f64>
    %723 = stablehlo.broadcast_in_dim %cst_255, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_256 = stablehlo.constant dense<-3.1650246243647912E-17> : tensor<f64>
    %724 = stablehlo.broadcast_in_dim %cst_256, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_257 = stablehlo.constant dense<2> : tensor<i32>
    %725 = stablehlo.broadcast_in_dim %c_257, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %726 = stablehlo.compare LT, %500, %725, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_258 = stablehlo.constant dense<1> : tensor<i32>
    %727 = stablehlo.broadcast_in_dim %c_258, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %728 = stablehlo.compare LT, %500, %727, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %729 = stablehlo.select %728, %720, %721 : tensor<13xi1>, tensor<13xf64>
    %c_259 = stablehlo.constant dense<3> : tensor<i32>
    %730 = stablehlo.broadcast_in_dim %c_259, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %731 = stablehlo.compare LT, %500, %730, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_260 = stablehlo.constant dense<4> : tensor<i32>
    %732 = stablehlo.broadcast_in_dim %c_260, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %733 = stablehlo.compare LT, %500, %732, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %734 = stablehlo.select %733, %723, %724 : tensor<13xi1>, tensor<13xf64>
    %735 = stablehlo.select %731, %722, %734 : tensor<13xi1>, tensor<13xf64>
    %736 = stablehlo.select %726, %729, %735 : tensor<13xi1>, tensor<13xf64>
    %cst_261 = stablehlo.constant dense<-4.3159842749781027E-11> : tensor<f64>
    %737 = stablehlo.broadcast_in_dim %cst_261, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_262 = stablehlo.constant dense<5.3805248441538029E-7> : tensor<f64>
    %738 = stablehlo.broadcast_in_dim %cst_262, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_263 = stablehlo.constant dense<6.6679338313617944E-11> : tensor<f64>
    %739 = stablehlo.broadcast_in_dim %cst_263, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_264 = stablehlo.constant dense<2.1620051428916213E-13> : tensor<f64>
    %740 = stablehlo.broadcast_in_dim %cst_264, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_265 = stablehlo.constant dense<2.4773728795238723E-18> : tensor<f64>
    %741 = stablehlo.broadcast_in_dim %cst_265, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_266 = stablehlo.constant dense<2> : tensor<i32>
    %742 = stablehlo.broadcast_in_dim %c_266, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %743 = stablehlo.compare LT, %500, %742, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_267 = stablehlo.constant dense<1> : tensor<i32>
    %744 = stablehlo.broadcast_in_dim %c_267, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %745 = stablehlo.compare LT, %500, %744, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %746 = stablehlo.select %745, %737, %738 : tensor<13xi1>, tensor<13xf64>
    %c_268 = stablehlo.constant dense<3> : tensor<i32>
    %747 = stablehlo.broadcast_in_dim %c_268, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %748 = stablehlo.compare LT, %500, %747, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_269 = stablehlo.constant dense<4> : tensor<i32>
    %749 = stablehlo.broadcast_in_dim %c_269, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %750 = stablehlo.compare LT, %500, %749, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %751 = stablehlo.select %750, %740, %741 : tensor<13xi1>, tensor<13xf64>
    %752 = stablehlo.select %748, %739, %751 : tensor<13xi1>, tensor<13xf64>
    %753 = stablehlo.select %743, %746, %752 : tensor<13xi1>, tensor<13xf64>
    %cst_270 = stablehlo.constant dense<-2.0125417539989861E-12> : tensor<f64>
    %754 = stablehlo.broadcast_in_dim %cst_270, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_271 = stablehlo.constant dense<2.7214462952712497E-7> : tensor<f64>
    %755 = stablehlo.broadcast_in_dim %cst_271, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_272 = stablehlo.constant dense<8.5656776128969921E-11> : tensor<f64>
    %756 = stablehlo.broadcast_in_dim %cst_272, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_273 = stablehlo.constant dense<-2.4773855074614338E-14> : tensor<f64>
    %757 = stablehlo.broadcast_in_dim %cst_273, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_274 = stablehlo.constant dense<-1.6932019449967702E-19> : tensor<f64>
    %758 = stablehlo.broadcast_in_dim %cst_274, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_275 = stablehlo.constant dense<2> : tensor<i32>
    %759 = stablehlo.broadcast_in_dim %c_275, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %760 = stablehlo.compare LT, %500, %759, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_276 = stablehlo.constant dense<1> : tensor<i32>
    %761 = stablehlo.broadcast_in_dim %c_276, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %762 = stablehlo.compare LT, %500, %761, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %763 = stablehlo.select %762, %754, %755 : tensor<13xi1>, tensor<13xf64>
    %c_277 = stablehlo.constant dense<3> : tensor<i32>
    %764 = stablehlo.broadcast_in_dim %c_277, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %765 = stablehlo.compare LT, %500, %764, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_278 = stablehlo.constant dense<4> : tensor<i32>
    %766 = stablehlo.broadcast_in_dim %c_278, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %767 = stablehlo.compare LT, %500, %766, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %768 = stablehlo.select %767, %757, %758 : tensor<13xi1>, tensor<13xf64>
    %769 = stablehlo.select %765, %756, %768 : tensor<13xi1>, tensor<13xf64>
    %770 = stablehlo.select %760, %763, %769 : tensor<13xi1>, tensor<13xf64>
    %cst_279 = stablehlo.constant dense<1.1038541846920168E-12> : tensor<f64>
    %771 = stablehlo.broadcast_in_dim %cst_279, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_280 = stablehlo.constant dense<-2.2647588152031766E-7> : tensor<f64>
    %772 = stablehlo.broadcast_in_dim %cst_280, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_281 = stablehlo.constant dense<-5.6622510251601842E-11> : tensor<f64>
    %773 = stablehlo.broadcast_in_dim %cst_281, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_282 = stablehlo.constant dense<2.8606575004971854E-15> : tensor<f64>
    %774 = stablehlo.broadcast_in_dim %cst_282, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_283 = stablehlo.constant dense<1.3048894987584785E-20> : tensor<f64>
    %775 = stablehlo.broadcast_in_dim %cst_283, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_284 = stablehlo.constant dense<2> : tensor<i32>
    %776 = stablehlo.broadcast_in_dim %c_284, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %777 = stablehlo.compare LT, %500, %776, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_285 = stablehlo.constant dense<1> : tensor<i32>
    %778 = stablehlo.broadcast_in_dim %c_285, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %779 = stablehlo.compare LT, %500, %778, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %780 = stablehlo.select %779, %771, %772 : tensor<13xi1>, tensor<13xf64>
    %c_286 = stablehlo.constant dense<3> : tensor<i32>
    %781 = stablehlo.broadcast_in_dim %c_286, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %782 = stablehlo.compare LT, %500, %781, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_287 = stablehlo.constant dense<4> : tensor<i32>
    %783 = stablehlo.broadcast_in_dim %c_287, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %784 = stablehlo.compare LT, %500, %783, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %785 = stablehlo.select %784, %774, %775 : tensor<13xi1>, tensor<13xf64>
    %786 = stablehlo.select %782, %773, %785 : tensor<13xi1>, tensor<13xf64>
    %787 = stablehlo.select %777, %780, %786 : tensor<13xi1>, tensor<13xf64>
    %cst_288 = stablehlo.constant dense<-6.5275430334004E-14> : tensor<f64>
    %788 = stablehlo.broadcast_in_dim %cst_288, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_289 = stablehlo.constant dense<5.0276220850893165E-8> : tensor<f64>
    %789 = stablehlo.broadcast_in_dim %cst_289, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_290 = stablehlo.constant dense<2.5700748410943065E-11> : tensor<f64>
    %790 = stablehlo.broadcast_in_dim %cst_290, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_291 = stablehlo.constant dense<-3.1962703155878232E-16> : tensor<f64>
    %791 = stablehlo.broadcast_in_dim %cst_291, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_292 = stablehlo.constant dense<-7.9634553201302874E-22> : tensor<f64>
    %792 = stablehlo.broadcast_in_dim %cst_292, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_293 = stablehlo.constant dense<2> : tensor<i32>
    %793 = stablehlo.broadcast_in_dim %c_293, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %794 = stablehlo.compare LT, %500, %793, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_294 = stablehlo.constant dense<1> : tensor<i32>
    %795 = stablehlo.broadcast_in_dim %c_294, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %796 = stablehlo.compare LT, %500, %795, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %797 = stablehlo.select %796, %788, %789 : tensor<13xi1>, tensor<13xf64>
    %c_295 = stablehlo.constant dense<3> : tensor<i32>
    %798 = stablehlo.broadcast_in_dim %c_295, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %799 = stablehlo.compare LT, %500, %798, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_296 = stablehlo.constant dense<4> : tensor<i32>
    %800 = stablehlo.broadcast_in_dim %c_296, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %801 = stablehlo.compare LT, %500, %800, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %802 = stablehlo.select %801, %791, %792 : tensor<13xi1>, tensor<13xf64>
    %803 = stablehlo.select %799, %790, %802 : tensor<13xi1>, tensor<13xf64>
    %804 = stablehlo.select %794, %797, %803 : tensor<13xi1>, tensor<13xf64>
    %cst_297 = stablehlo.constant dense<-1.7272771600395659E-14> : tensor<f64>
    %805 = stablehlo.broadcast_in_dim %cst_297, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_298 = stablehlo.constant dense<2.1067474075980343E-8> : tensor<f64>
    %806 = stablehlo.broadcast_in_dim %cst_298, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_299 = stablehlo.constant dense<-9.9174348937955448E-12> : tensor<f64>
    %807 = stablehlo.broadcast_in_dim %cst_299, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_300 = stablehlo.constant dense<2.9070787211188122E-17> : tensor<f64>
    %808 = stablehlo.broadcast_in_dim %cst_300, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_301 = stablehlo.constant dense<1.2129325482248942E-23> : tensor<f64>
    %809 = stablehlo.broadcast_in_dim %cst_301, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_302 = stablehlo.constant dense<2> : tensor<i32>
    %810 = stablehlo.broadcast_in_dim %c_302, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %811 = stablehlo.compare LT, %500, %810, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_303 = stablehlo.constant dense<1> : tensor<i32>
    %812 = stablehlo.broadcast_in_dim %c_303, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %813 = stablehlo.compare LT, %500, %812, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %814 = stablehlo.select %813, %805, %806 : tensor<13xi1>, tensor<13xf64>
    %c_304 = stablehlo.constant dense<3> : tensor<i32>
    %815 = stablehlo.broadcast_in_dim %c_304, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %816 = stablehlo.compare LT, %500, %815, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_305 = stablehlo.constant dense<4> : tensor<i32>
    %817 = stablehlo.broadcast_in_dim %c_305, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %818 = stablehlo.compare LT, %500, %817, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %819 = stablehlo.select %818, %808, %809 : tensor<13xi1>, tensor<13xf64>
    %820 = stablehlo.select %816, %807, %819 : tensor<13xi1>, tensor<13xf64>
    %821 = stablehlo.select %811, %814, %820 : tensor<13xi1>, tensor<13xf64>
    %cst_306 = stablehlo.constant dense<2.795666756596132E-15> : tensor<f64>
    %822 = stablehlo.broadcast_in_dim %cst_306, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_307 = stablehlo.constant dense<-1.4934755773637657E-8> : tensor<f64>
    %823 = stablehlo.broadcast_in_dim %cst_307, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_308 = stablehlo.constant dense<2.5414501753499002E-12> : tensor<f64>
    %824 = stablehlo.broadcast_in_dim %cst_308, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_309 = stablehlo.constant dense<-3.1362063394519297E-18> : tensor<f64>
    %825 = stablehlo.broadcast_in_dim %cst_309, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_310 = stablehlo.constant dense<-5.943384724354637E-25> : tensor<f64>
    %826 = stablehlo.broadcast_in_dim %cst_310, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_311 = stablehlo.constant dense<2> : tensor<i32>
    %827 = stablehlo.broadcast_in_dim %c_311, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %828 = stablehlo.compare LT, %500, %827, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_312 = stablehlo.constant dense<1> : tensor<i32>
    %829 = stablehlo.broadcast_in_dim %c_312, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %830 = stablehlo.compare LT, %500, %829, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %831 = stablehlo.select %830, %822, %823 : tensor<13xi1>, tensor<13xf64>
    %c_313 = stablehlo.constant dense<3> : tensor<i32>
    %832 = stablehlo.broadcast_in_dim %c_313, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %833 = stablehlo.compare LT, %500, %832, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_314 = stablehlo.constant dense<4> : tensor<i32>
    %834 = stablehlo.broadcast_in_dim %c_314, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %835 = stablehlo.compare LT, %500, %834, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %836 = stablehlo.select %835, %825, %826 : tensor<13xi1>, tensor<13xf64>
    %837 = stablehlo.select %833, %824, %836 : tensor<13xi1>, tensor<13xf64>
    %838 = stablehlo.select %828, %831, %837 : tensor<13xi1>, tensor<13xf64>
    %cst_315 = stablehlo.constant dense<1.3391292259287403E-16> : tensor<f64>
    %839 = stablehlo.broadcast_in_dim %cst_315, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_316 = stablehlo.constant dense<8.8153149737918516E-10> : tensor<f64>
    %840 = stablehlo.broadcast_in_dim %cst_316, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_317 = stablehlo.constant dense<-1.5877722667335066E-14> : tensor<f64>
    %841 = stablehlo.broadcast_in_dim %cst_317, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_318 = stablehlo.constant dense<6.6761947557686014E-19> : tensor<f64>
    %842 = stablehlo.broadcast_in_dim %cst_318, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_319 = stablehlo.constant dense<3.0787607407093809E-25> : tensor<f64>
    %843 = stablehlo.broadcast_in_dim %cst_319, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_320 = stablehlo.constant dense<2> : tensor<i32>
    %844 = stablehlo.broadcast_in_dim %c_320, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %845 = stablehlo.compare LT, %500, %844, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_321 = stablehlo.constant dense<1> : tensor<i32>
    %846 = stablehlo.broadcast_in_dim %c_321, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %847 = stablehlo.compare LT, %500, %846, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %848 = stablehlo.select %847, %839, %840 : tensor<13xi1>, tensor<13xf64>
    %c_322 = stablehlo.constant dense<3> : tensor<i32>
    %849 = stablehlo.broadcast_in_dim %c_322, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %850 = stablehlo.compare LT, %500, %849, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_323 = stablehlo.constant dense<4> : tensor<i32>
    %851 = stablehlo.broadcast_in_dim %c_323, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %852 = stablehlo.compare LT, %500, %851, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %853 = stablehlo.select %852, %842, %843 : tensor<13xi1>, tensor<13xf64>
    %854 = stablehlo.select %850, %841, %853 : tensor<13xi1>, tensor<13xf64>
    %855 = stablehlo.select %845, %848, %854 : tensor<13xi1>, tensor<13xf64>
    %cst_324 = stablehlo.constant dense<-4.6509633893299586E-17> : tensor<f64>
    %856 = stablehlo.broadcast_in_dim %cst_324, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_325 = stablehlo.constant dense<9.0372852771354789E-10> : tensor<f64>
    %857 = stablehlo.broadcast_in_dim %cst_325, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_326 = stablehlo.constant dense<-1.2863777515333434E-13> : tensor<f64>
    %858 = stablehlo.broadcast_in_dim %cst_326, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_327 = stablehlo.constant dense<-7.1472905161611188E-20> : tensor<f64>
    %859 = stablehlo.broadcast_in_dim %cst_327, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_328 = stablehlo.constant dense<-1.7228276507193407E-26> : tensor<f64>
    %860 = stablehlo.broadcast_in_dim %cst_328, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %c_329 = stablehlo.constant dense<2> : tensor<i32>
    %861 = stablehlo.broadcast_in_dim %c_329, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %862 = stablehlo.compare LT, %500, %861, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_330 = stablehlo.constant dense<1> : tensor<i32>
    %863 = stablehlo.broadcast_in_dim %c_330, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %864 = stablehlo.compare LT, %500, %863, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %865 = stablehlo.select %864, %856, %857 : tensor<13xi1>, tensor<13xf64>
    %c_331 = stablehlo.constant dense<3> : tensor<i32>
    %866 = stablehlo.broadcast_in_dim %c_331, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %867 = stablehlo.compare LT, %500, %866, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %c_332 = stablehlo.constant dense<4> : tensor<i32>
    %868 = stablehlo.broadcast_in_dim %c_332, dims = [] : (tensor<i32>) -> tensor<13xi32>
    %869 = stablehlo.compare LT, %500, %868, SIGNED : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
    %870 = stablehlo.select %869, %859, %860 : tensor<13xi1>, tensor<13xf64>
    %871 = stablehlo.select %867, %858, %870 : tensor<13xi1>, tensor<13xf64>
    %872 = stablehlo.select %862, %865, %871 : tensor<13xi1>, tensor<13xf64>
    %873 = stablehlo.multiply %872, %532 : tensor<13xf64>
    %874 = stablehlo.add %873, %855 : tensor<13xf64>
    %875 = stablehlo.multiply %874, %532 : tensor<13xf64>
    %876 = stablehlo.add %875, %838 : tensor<13xf64>
    %877 = stablehlo.multiply %876, %532 : tensor<13xf64>
    %878 = stablehlo.add %877, %821 : tensor<13xf64>
    %879 = stablehlo.multiply %878, %532 : tensor<13xf64>
    %880 = stablehlo.add %879, %804 : tensor<13xf64>
    %881 = stablehlo.multiply %880, %532 : tensor<13xf64>
    %882 = stablehlo.add %881, %787 : tensor<13xf64>
    %883 = stablehlo.multiply %882, %532 : tensor<13xf64>
    %884 = stablehlo.add %883, %770 : tensor<13xf64>
    %885 = stablehlo.multiply %884, %532 : tensor<13xf64>
    %886 = stablehlo.add %885, %753 : tensor<13xf64>
    %887 = stablehlo.multiply %886, %532 : tensor<13xf64>
    %888 = stablehlo.add %887, %736 : tensor<13xf64>
    %889 = stablehlo.multiply %888, %532 : tensor<13xf64>
    %890 = stablehlo.add %889, %719 : tensor<13xf64>
    %891 = stablehlo.multiply %890, %532 : tensor<13xf64>
    %892 = stablehlo.add %891, %702 : tensor<13xf64>
    %893 = stablehlo.multiply %892, %532 : tensor<13xf64>
    %894 = stablehlo.add %893, %685 : tensor<13xf64>
    %895 = stablehlo.multiply %894, %532 : tensor<13xf64>
    %896 = stablehlo.add %895, %668 : tensor<13xf64>
    %897 = stablehlo.multiply %896, %532 : tensor<13xf64>
    %898 = stablehlo.add %897, %651 : tensor<13xf64>
    %899 = stablehlo.multiply %898, %532 : tensor<13xf64>
    %900 = stablehlo.add %899, %634 : tensor<13xf64>
    %901 = stablehlo.multiply %900, %532 : tensor<13xf64>
    %902 = stablehlo.add %901, %617 : tensor<13xf64>
    %903 = stablehlo.multiply %902, %532 : tensor<13xf64>
    %904 = stablehlo.add %903, %600 : tensor<13xf64>
    %905 = stablehlo.multiply %904, %532 : tensor<13xf64>
    %906 = stablehlo.add %905, %583 : tensor<13xf64>
    %907 = stablehlo.multiply %906, %532 : tensor<13xf64>
    %908 = stablehlo.add %907, %566 : tensor<13xf64>
    %909 = stablehlo.multiply %908, %532 : tensor<13xf64>
    %910 = stablehlo.add %909, %549 : tensor<13xf64>
    %cst_333 = stablehlo.constant dense<1.4142135679721832> : tensor<f64>
    %911 = stablehlo.broadcast_in_dim %cst_333, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %912 = stablehlo.multiply %911, %507 : tensor<13xf64>
    %cst_334 = stablehlo.constant dense<1.4142135679721832> : tensor<f64>
    %913 = stablehlo.broadcast_in_dim %cst_334, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %914 = stablehlo.multiply %913, %511 : tensor<13xf64>
    %915 = stablehlo.add %914, %910 : tensor<13xf64>
    %916 = stablehlo.optimization_barrier %915 : tensor<13xf64>
    %917 = stablehlo.add %912, %916 : tensor<13xf64>
    %cst_335 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %918 = stablehlo.broadcast_in_dim %cst_335, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %919 = stablehlo.compare LT, %473, %918, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_336 = stablehlo.constant dense<-1.000000e+00> : tensor<f64>
    %920 = stablehlo.broadcast_in_dim %cst_336, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_337 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %921 = stablehlo.broadcast_in_dim %cst_337, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %922 = stablehlo.select %919, %920, %921 : tensor<13xi1>, tensor<13xf64>
    %923 = stablehlo.multiply %473, %910 : tensor<13xf64>
    %924 = stablehlo.multiply %922, %917 : tensor<13xf64>
    %925 = stablehlo.select %483, %923, %924 : tensor<13xi1>, tensor<13xf64>
    %cst_338 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %926 = stablehlo.broadcast_in_dim %cst_338, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %927 = stablehlo.compare EQ, %450, %926, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_339 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %928 = stablehlo.broadcast_in_dim %cst_339, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %929 = stablehlo.compare EQ, %450, %928, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_340 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %930 = call @_where_1(%929, %cst_340, %925) : (tensor<13xi1>, tensor<f64>, tensor<13xf64>) -> tensor<13xf64>
    %cst_341 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %931 = call @_where_1(%927, %cst_341, %930) : (tensor<13xi1>, tensor<f64>, tensor<13xf64>) -> tensor<13xf64>
    %cst_342 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %932 = call @_where_1(%457, %cst_342, %931) : (tensor<13xi1>, tensor<f64>, tensor<13xf64>) -> tensor<13xf64>
    %933 = stablehlo.atan2 %arg0, %arg1 : tensor<13xf64>
    %934 = stablehlo.exponential_minus_one %arg0 : tensor<13xf64>
    %935 = stablehlo.log_plus_one %arg1 : tensor<13xf64>
    %936 = call @sinc(%arg0) : (tensor<13xf64>) -> tensor<13xf64>
    %937 = stablehlo.cbrt %arg0 : tensor<13xf64>
    %938 = chlo.next_after %arg0, %arg1 : tensor<13xf64>, tensor<13xf64> -> tensor<13xf64>
    %939 = call @hypot(%arg0, %arg1) : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xf64>
    %940 = stablehlo.maximum %arg0, %arg1 : tensor<13xf64>
    %941 = stablehlo.subtract %arg0, %arg1 : tensor<13xf64>
    %942 = stablehlo.compare NE, %941, %941, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %943 = stablehlo.add %arg0, %arg1 : tensor<13xf64>
    %944 = stablehlo.abs %941 : tensor<13xf64>
    %945 = stablehlo.negate %944 : tensor<13xf64>
    %946 = stablehlo.exponential %945 : tensor<13xf64>
    %947 = stablehlo.log_plus_one %946 : tensor<13xf64>
    %948 = stablehlo.add %940, %947 : tensor<13xf64>
    %949 = stablehlo.select %942, %943, %948 : tensor<13xi1>, tensor<13xf64>
    %950 = stablehlo.power %arg1, %arg0 : tensor<13xf64>
    return %0, %1, %4, %5, %6, %251, %252, %335, %440, %442, %445, %932, %933, %934, %935, %936, %937, %938, %939, %949, %950 : tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>, tensor<13xf64>
  }
  func.func private @remainder(%arg0: tensor<13xi64>, %arg1: tensor<13xi64>) -> tensor<13xi64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<13xi64>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<13xi64>
    %3 = call @_where(%1, %2, %arg1) : (tensor<13xi1>, tensor<13xi64>, tensor<13xi64>) -> tensor<13xi64>
    %4 = stablehlo.remainder %arg0, %3 : tensor<13xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<13xi64>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<13xi64>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<13xi64>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<13xi1>, tensor<13xi1>) -> tensor<13xi1>
    %12 = stablehlo.and %11, %6 : tensor<13xi1>
    %13 = stablehlo.add %4, %3 : tensor<13xi64>
    %14 = stablehlo.select %12, %13, %4 : tensor<13xi1>, tensor<13xi64>
    return %14 : tensor<13xi64>
  }
  func.func private @_where(%arg0: tensor<13xi1>, %arg1: tensor<13xi64>, %arg2: tensor<13xi64>) -> tensor<13xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<13xi1>, tensor<13xi64>
    return %0 : tensor<13xi64>
  }
  func.func private @floor_divide(%arg0: tensor<13xi64>, %arg1: tensor<13xi64>) -> tensor<13xi64> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<13xi64>
    %1 = stablehlo.sign %arg0 : tensor<13xi64>
    %2 = stablehlo.sign %arg1 : tensor<13xi64>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<13xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<13xi64>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<13xi1>
    %8 = stablehlo.compare NE, %3, %7, UNSIGNED : (tensor<13xi1>, tensor<13xi1>) -> tensor<13xi1>
    %9 = stablehlo.convert %8 : tensor<13xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<13xi1>
    %11 = stablehlo.compare NE, %6, %10, UNSIGNED : (tensor<13xi1>, tensor<13xi1>) -> tensor<13xi1>
    %12 = stablehlo.convert %11 : tensor<13xi1>
    %13 = stablehlo.and %9, %12 : tensor<13xi1>
    %c_2 = stablehlo.constant dense<1> : tensor<i64>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<13xi64>
    %15 = stablehlo.subtract %0, %14 : tensor<13xi64>
    %16 = call @_where_0(%13, %15, %0) : (tensor<13xi1>, tensor<13xi64>, tensor<13xi64>) -> tensor<13xi64>
    return %16 : tensor<13xi64>
  }
  func.func private @_where_0(%arg0: tensor<13xi1>, %arg1: tensor<13xi64>, %arg2: tensor<13xi64>) -> tensor<13xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<13xi1>, tensor<13xi64>
    return %0 : tensor<13xi64>
  }
  func.func private @_where_1(%arg0: tensor<13xi1>, %arg1: tensor<f64>, %arg2: tensor<13xf64>) -> tensor<13xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<13xi1>, tensor<13xf64>
    return %2 : tensor<13xf64>
  }
  func.func private @_where_2(%arg0: tensor<13xi1>, %arg1: tensor<13xf64>, %arg2: tensor<13xf64>) -> tensor<13xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<13xi1>, tensor<13xf64>
    return %0 : tensor<13xf64>
  }
  func.func private @sinc(%arg0: tensor<13xf64>) -> tensor<13xf64> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<13xf64>
    %1 = stablehlo.abs %arg0 : tensor<13xf64>
    %cst = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %3 = stablehlo.compare EQ, %1, %2, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %4 = stablehlo.subtract %arg0, %0 : tensor<13xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %5 = call @_where_3(%3, %c, %4) : (tensor<13xi1>, tensor<i64>, tensor<13xf64>) -> tensor<13xf64>
    %6 = stablehlo.multiply %5, %5 : tensor<13xf64>
    %cst_0 = stablehlo.constant dense<-1.6449340668482264> : tensor<f64>
    %cst_1 = stablehlo.constant dense<0.8117424252833536> : tensor<f64>
    %cst_2 = stablehlo.constant dense<-0.19075182412208422> : tensor<f64>
    %cst_3 = stablehlo.constant dense<0.0261478478176548> : tensor<f64>
    %cst_4 = stablehlo.constant dense<-0.0023460810354558235> : tensor<f64>
    %cst_5 = stablehlo.constant dense<1.48428793031071E-4> : tensor<f64>
    %cst_6 = stablehlo.constant dense<-6.9758736616563807E-6> : tensor<f64>
    %cst_7 = stablehlo.constant dense<2.5312174041370274E-7> : tensor<f64>
    %cst_8 = stablehlo.constant dense<-7.304711822217775E-9> : tensor<f64>
    %cst_9 = stablehlo.constant dense<1.7165384749821432E-10> : tensor<f64>
    %cst_10 = stablehlo.constant dense<-3.3481335350440666E-12> : tensor<f64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %8 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %9 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %10 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %11 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %12 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %14 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %17 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %18 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %19 = stablehlo.concatenate %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, dim = 0 : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> tensor<11xf64>
    %20 = stablehlo.slice %19 [0:8] : (tensor<11xf64>) -> tensor<8xf64>
    %21 = stablehlo.slice %19 [8:11] : (tensor<11xf64>) -> tensor<3xf64>
    %22 = stablehlo.reshape %20 : (tensor<8xf64>) -> tensor<1x8xf64>
    %c_12 = stablehlo.constant dense<0> : tensor<i64>
    %23:4 = stablehlo.while(%iterArg = %22, %iterArg_19 = %6, %iterArg_20 = %c_12, %iterArg_21 = %7) : tensor<1x8xf64>, tensor<13xf64>, tensor<i64>, tensor<13xf64>
    cond {
      %c_22 = stablehlo.constant dense<1> : tensor<i64>
      %61 = stablehlo.compare LT, %iterArg_20, %c_22, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %61 : tensor<i1>
    } do {
      %61 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_20) : (tensor<1x8xf64>, tensor<i64>) -> tensor<8xf64>
      %62 = stablehlo.slice %61 [0:1] : (tensor<8xf64>) -> tensor<1xf64>
      %63 = stablehlo.reshape %62 : (tensor<1xf64>) -> tensor<f64>
      %64 = stablehlo.multiply %iterArg_21, %iterArg_19 : tensor<13xf64>
      %65 = stablehlo.broadcast_in_dim %63, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %66 = stablehlo.add %64, %65 : tensor<13xf64>
      %67 = stablehlo.slice %61 [1:2] : (tensor<8xf64>) -> tensor<1xf64>
      %68 = stablehlo.reshape %67 : (tensor<1xf64>) -> tensor<f64>
      %69 = stablehlo.multiply %66, %iterArg_19 : tensor<13xf64>
      %70 = stablehlo.broadcast_in_dim %68, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %71 = stablehlo.add %69, %70 : tensor<13xf64>
      %72 = stablehlo.slice %61 [2:3] : (tensor<8xf64>) -> tensor<1xf64>
      %73 = stablehlo.reshape %72 : (tensor<1xf64>) -> tensor<f64>
      %74 = stablehlo.multiply %71, %iterArg_19 : tensor<13xf64>
      %75 = stablehlo.broadcast_in_dim %73, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %76 = stablehlo.add %74, %75 : tensor<13xf64>
      %77 = stablehlo.slice %61 [3:4] : (tensor<8xf64>) -> tensor<1xf64>
      %78 = stablehlo.reshape %77 : (tensor<1xf64>) -> tensor<f64>
      %79 = stablehlo.multiply %76, %iterArg_19 : tensor<13xf64>
      %80 = stablehlo.broadcast_in_dim %78, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %81 = stablehlo.add %79, %80 : tensor<13xf64>
      %82 = stablehlo.slice %61 [4:5] : (tensor<8xf64>) -> tensor<1xf64>
      %83 = stablehlo.reshape %82 : (tensor<1xf64>) -> tensor<f64>
      %84 = stablehlo.multiply %81, %iterArg_19 : tensor<13xf64>
      %85 = stablehlo.broadcast_in_dim %83, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %86 = stablehlo.add %84, %85 : tensor<13xf64>
      %87 = stablehlo.slice %61 [5:6] : (tensor<8xf64>) -> tensor<1xf64>
      %88 = stablehlo.reshape %87 : (tensor<1xf64>) -> tensor<f64>
      %89 = stablehlo.multiply %86, %iterArg_19 : tensor<13xf64>
      %90 = stablehlo.broadcast_in_dim %88, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %91 = stablehlo.add %89, %90 : tensor<13xf64>
      %92 = stablehlo.slice %61 [6:7] : (tensor<8xf64>) -> tensor<1xf64>
      %93 = stablehlo.reshape %92 : (tensor<1xf64>) -> tensor<f64>
      %94 = stablehlo.multiply %91, %iterArg_19 : tensor<13xf64>
      %95 = stablehlo.broadcast_in_dim %93, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %96 = stablehlo.add %94, %95 : tensor<13xf64>
      %97 = stablehlo.slice %61 [7:8] : (tensor<8xf64>) -> tensor<1xf64>
      %98 = stablehlo.reshape %97 : (tensor<1xf64>) -> tensor<f64>
      %99 = stablehlo.multiply %96, %iterArg_19 : tensor<13xf64>
      %100 = stablehlo.broadcast_in_dim %98, dims = [] : (tensor<f64>) -> tensor<13xf64>
      %101 = stablehlo.add %99, %100 : tensor<13xf64>
      %c_22 = stablehlo.constant dense<1> : tensor<i64>
      %102 = stablehlo.add %iterArg_20, %c_22 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_19, %102, %101 : tensor<1x8xf64>, tensor<13xf64>, tensor<i64>, tensor<13xf64>
    }
    %24 = stablehlo.slice %21 [0:1] : (tensor<3xf64>) -> tensor<1xf64>
    %25 = stablehlo.reshape %24 : (tensor<1xf64>) -> tensor<f64>
    %26 = stablehlo.multiply %23#3, %6 : tensor<13xf64>
    %27 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %28 = stablehlo.add %26, %27 : tensor<13xf64>
    %29 = stablehlo.slice %21 [1:2] : (tensor<3xf64>) -> tensor<1xf64>
    %30 = stablehlo.reshape %29 : (tensor<1xf64>) -> tensor<f64>
    %31 = stablehlo.multiply %28, %6 : tensor<13xf64>
    %32 = stablehlo.broadcast_in_dim %30, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %33 = stablehlo.add %31, %32 : tensor<13xf64>
    %34 = stablehlo.slice %21 [2:3] : (tensor<3xf64>) -> tensor<1xf64>
    %35 = stablehlo.reshape %34 : (tensor<1xf64>) -> tensor<f64>
    %36 = stablehlo.multiply %33, %6 : tensor<13xf64>
    %37 = stablehlo.broadcast_in_dim %35, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %38 = stablehlo.add %36, %37 : tensor<13xf64>
    %39 = stablehlo.multiply %6, %38 : tensor<13xf64>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %40 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %41 = stablehlo.add %40, %39 : tensor<13xf64>
    %42 = stablehlo.multiply %5, %39 : tensor<13xf64>
    %43 = stablehlo.add %5, %42 : tensor<13xf64>
    %cst_14 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %44 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %45 = stablehlo.multiply %44, %0 : tensor<13xf64>
    %46 = stablehlo.round_nearest_even %45 : tensor<13xf64>
    %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %47 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %48 = stablehlo.multiply %47, %46 : tensor<13xf64>
    %49 = stablehlo.compare NE, %48, %0, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %50 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %51 = stablehlo.compare EQ, %0, %50, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %52 = stablehlo.negate %arg0 : tensor<13xf64>
    %c_17 = stablehlo.constant dense<1> : tensor<i64>
    %53 = call @_where_3(%51, %c_17, %arg0) : (tensor<13xi1>, tensor<i64>, tensor<13xf64>) -> tensor<13xf64>
    %54 = call @_where_2(%49, %52, %53) : (tensor<13xi1>, tensor<13xf64>, tensor<13xf64>) -> tensor<13xf64>
    %55 = stablehlo.divide %43, %54 : tensor<13xf64>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %56 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %57 = stablehlo.compare EQ, %5, %56, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %58 = stablehlo.subtract %55, %55 : tensor<13xf64>
    %59 = call @_where_2(%57, %58, %55) : (tensor<13xi1>, tensor<13xf64>, tensor<13xf64>) -> tensor<13xf64>
    %60 = call @_where_2(%51, %41, %59) : (tensor<13xi1>, tensor<13xf64>, tensor<13xf64>) -> tensor<13xf64>
    return %60 : tensor<13xf64>
  }
  func.func private @_where_3(%arg0: tensor<13xi1>, %arg1: tensor<i64>, %arg2: tensor<13xf64>) -> tensor<13xf64> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<13xi1>, tensor<13xf64>
    return %2 : tensor<13xf64>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<1x8xf64>, %arg1: tensor<i64>) -> tensor<8xf64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 8] : (tensor<1x8xf64>, tensor<i64>, tensor<i64>) -> tensor<1x8xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x8xf64>) -> tensor<8xf64>
    return %1 : tensor<8xf64>
  }
  func.func private @hypot(%arg0: tensor<13xf64>, %arg1: tensor<13xf64>) -> tensor<13xf64> {
    %0 = stablehlo.abs %arg0 : tensor<13xf64>
    %1 = stablehlo.abs %arg1 : tensor<13xf64>
    %2 = stablehlo.maximum %0, %1 : tensor<13xf64>
    %cst = stablehlo.constant dense<6.7039039649712985E+153> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %4 = stablehlo.compare GE, %2, %3, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_0 = stablehlo.constant dense<1.4901161193847656E-8> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %6 = stablehlo.compare LE, %2, %5, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %cst_1 = stablehlo.constant dense<2.2227587494850775E-162> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_2 = stablehlo.constant dense<4.4989137945431964E+161> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %10 = stablehlo.multiply %arg0, %7 : tensor<13xf64>
    %11 = stablehlo.multiply %arg0, %8 : tensor<13xf64>
    %12 = stablehlo.select %6, %11, %arg0 : tensor<13xi1>, tensor<13xf64>
    %13 = stablehlo.select %4, %10, %12 : tensor<13xi1>, tensor<13xf64>
    %14 = stablehlo.multiply %arg1, %7 : tensor<13xf64>
    %15 = stablehlo.multiply %arg1, %8 : tensor<13xf64>
    %16 = stablehlo.select %6, %15, %arg1 : tensor<13xi1>, tensor<13xf64>
    %17 = stablehlo.select %4, %14, %16 : tensor<13xi1>, tensor<13xf64>
    %18 = stablehlo.select %6, %7, %9 : tensor<13xi1>, tensor<13xf64>
    %19 = stablehlo.select %4, %8, %18 : tensor<13xi1>, tensor<13xf64>
    %20 = chlo.square %13 : tensor<13xf64> -> tensor<13xf64>
    %21 = chlo.square %17 : tensor<13xf64> -> tensor<13xf64>
    %22 = stablehlo.add %20, %21 : tensor<13xf64>
    %23 = stablehlo.sqrt %22 : tensor<13xf64>
    %24 = stablehlo.multiply %23, %19 : tensor<13xf64>
    %cst_4 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %25 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<13xf64>
    %26 = stablehlo.compare EQ, %0, %25, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %27 = stablehlo.compare EQ, %1, %25, FLOAT : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
    %28 = stablehlo.or %26, %27 : tensor<13xi1>
    %29 = stablehlo.select %28, %25, %24 : tensor<13xi1>, tensor<13xf64>
    return %29 : tensor<13xf64>
  }
}
