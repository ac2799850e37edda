func.func @regions(%a: tensor<2x3xf32>, %b: tensor<f32>, %i: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %1:2 = stablehlo.reduce(%a init: %b), (%a init: %b) across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
   reducer(%e: tensor<f32>, %f: tensor<f32>) (%g: tensor<f32>, %h: tensor<f32>) {
    %x = stablehlo.maximum %e, %f : tensor<f32>
    stablehlo.return %x, %h : tensor<f32>, tensor<f32>
  }
  %2:2 = stablehlo.while(%j = %i, %x = %b) : tensor<i32>, tensor<f32>
   cond {
    %c = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = "stablehlo.case"(%i) ({
      stablehlo.return %j : tensor<i32>
    }, {
      stablehlo.return %i : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %n, %x : tensor<i32>, tensor<f32>
  }
  return %2#0 : tensor<i32>
}
