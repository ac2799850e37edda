#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh FLUXION
# The tool, as a shell sees it: statuses, what it prints (compared with expected/NAME.txt, paths of the temporary folder
# written WORK), files that it makes. With FLUXION_WRITE_GOLDEN set the expected texts are written anew instead.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fluxion=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here" || exit 1
unset FLUXION_BACKEND FLUXION_PJRT_PLUGIN
data=$(realpath ../tensor/data)
failures=0 passes=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect NAME STATUS ARGUMENT...: runs the tool; both streams are compared, and stay in $work/out and $work/err.
expect() {
    local name=$1 status=$2 got
    shift 2
    "$fluxion" "$@" > "$work/out" 2> "$work/err" < "${stdin:-/dev/null}"
    got=$?
    [ $got -eq "$status" ] || fail "$name: status $got, should be $status: $(head -c 400 "$work/err")"
    if [ "$name" != - ]; then
        { cat "$work/out"; sed 's/^/! /' "$work/err"; } | sed "s,$work,WORK,g;s,$data,DATA,g" > "$work/text"
        if [ -n "${FLUXION_WRITE_GOLDEN:-}" ]; then
            cp "$work/text" "expected/$name.txt"
        elif ! diff -u "expected/$name.txt" "$work/text"; then
            fail "$name: other output"
        fi
    fi
    passes=$((passes + 1))
}

# holds FILE PATTERN: a line of the file matches.
holds() {
    grep -Eq -- "$2" "$1" || fail "$1 has no line like $2: $(head -c 400 "$1")"
}

# ---- usage ----
expect usage 2
expect help 0 help
for command in run show check conformance convert backends; do
    expect "help_$command" 0 help $command
    cp "$work/out" "$work/help"
    expect - 0 $command --help
    cmp -s "$work/out" "$work/help" || fail "$command --help is not help $command"
done
expect - 0 --version
holds "$work/out" '^fluxion [0-9]+\.[0-9]+\.[0-9]+$'
expect unknown_command 2 rnu
expect unknown_far 2 something
expect unknown_option 2 run --inputs x sum.mlir
expect unknown_option_far 2 run --frobnicate sum.mlir
expect other_option 2 show --repeat 3 sum.mlir
expect no_file 2 run
expect many_files 2 run a.mlir b.mlir
expect no_value 2 run sum.mlir --repeat
expect bad_number 2 run sum.mlir --repeat=0
expect bad_number_text 2 run sum.mlir --threads many
expect flag_value 2 run sum.mlir --zeros=1
expect unknown_topic 2 help rnu
expect twice_option 2 run sum.mlir --output a --output b
expect random_zeros 2 run sum.mlir --random 1 --zeros

# ---- run ----
expect missing 1 run sum.mlir
expect no_program 1 run none.mlir
expect no_syntax 1 run run.sh
expect no_function 1 run sum.mlir --function twise
expect zeros 0 run sum.mlir --zeros
expect private 0 run --function=twice --zeros -- sum.mlir
expect - 1 run sum.mlir --zeros --backend nothing
holds "$work/err" '^fluxion: unknown backend "nothing"'
expect random 0 run sum.mlir --random 7 --backend interp
expect - 0 run sum.mlir --zeros --repeat 3 --threads 1 --output "$work/timed"
[ -f "$work/timed/out1.npy" ] || fail "--repeat with --output writes"
expect - 0 run sum.mlir --zeros --repeat 5
[ "$(wc -l < "$work/out")" -eq 2 ] || fail "--repeat prints two lines"
holds "$work/out" '^run,sum\.mlir,[0-9]+,[0-9.]+,[0-9.]+$'
holds "$work/out" '^compile,sum\.mlir,[0-9]+,[0-9.]+,[0-9.]+$'
stdin=sum.mlir expect zeros 0 run - --zeros

echo 'func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> { func.return %a : tensor<?xf32> }' > "$work/open.mlir"
echo 'func.func @main(%a: tensor<2xf32>) { func.return }' > "$work/none.mlir"
: > "$work/empty.mlir"
expect open_run 1 run "$work/open.mlir" --zeros
expect open_run 1 show "$work/open.mlir"
expect no_results 1 run "$work/none.mlir" --zeros
expect empty 1 run "$work/empty.mlir"

# inputs: x is [2, 3] float32, w is [3] bfloat16
x=$data/npy_float32.npy w=$work/w.npy
header='{"descr": "<V2", "fortran_order": False, "shape": (3,), }      '
values='\x80\x3f\x00\x40\x40\x40'
{ printf '\x93NUMPY\x01\x00\x40\x00'; printf '%-63s\n' "$header"; printf "$values"; } > "$w"
head -c 76 "$w" > "$work/cut.npy"
expect inputs 0 run sum.mlir --input "$x" --input "$w"
expect inputs 0 run sum.mlir --input weights="$w" --input "$x"
expect inputs 0 run sum.mlir --input 1="$w" --input arg0="$x"
stdin=$x expect inputs 0 run sum.mlir --input - --input "$w"
stdin=$work/cut.npy expect cut_stdin 1 run sum.mlir --input "$x" --input -
expect cut_input 1 run sum.mlir --input "$x" --input "$work/cut.npy"
expect too_many_inputs 1 run sum.mlir --input "$x" --input "$w" --input "$x"
expect twice_input 1 run sum.mlir --input "$x" --input 0="$x"
expect wrong_shape 1 run sum.mlir --input 1="$x"
expect no_such_input 1 run sum.mlir --input bias=x.npy
expect no_such_input_folder 1 run sum.mlir --input "bias['a']=none/x.npy"
expect nameless_input 1 run sum.mlir --function twice --input bias=x.npy
expect no_input_file 1 run sum.mlir --input x.npy
expect one_missing 1 run sum.mlir --input "$x"

# results
expect - 0 run sum.mlir --input "$x" --input "$w" --output "$work/results"
[ -f "$work/results/result[_a_b_].npy" ] && [ -f "$work/results/out1.npy" ] || fail "results: $(ls "$work/results")"
expect result_file 0 show "$work/results/out1.npy"
expect - 0 run sum.mlir --input "$x" --input "$w" --output "$work/results.npz"
expect result_archive 0 show "$work/results.npz"
expect - 0 run sum.mlir --input "$x" --input "$w" --output "$work/results.safetensors"
expect result_archive 0 show "$work/results.safetensors"
expect two_in_one 1 run sum.mlir --zeros --output "$work/two.npy"
expect two_on_stdout 1 run sum.mlir --zeros --output -
expect unknown_output 2 run sum.mlir --zeros --output "$work/two.txt"
expect program_output 2 run sum.mlir --zeros --output "$work/two.mlir"
expect - 0 run sum.mlir --zeros --output "$work/two.d/"
expect - 0 run sum.mlir --zeros --output "$work/two.d"
[ -f "$work/two.d/out1.npy" ] || fail "a folder with a dot"
long=$(printf '%0300d' 0)
{
    echo 'func.func @main() -> (tensor<i32> {jax.result_info = "r.a"}, tensor<i32> {jax.result_info = "r a"},'
    echo '    tensor<i32> {jax.result_info = "r_a_3"}, tensor<i32> {jax.result_info = "r/a"}, tensor<i32>,'
    echo "    tensor<i32> {jax.result_info = \"$long\"}, tensor<i32> {jax.result_info = \"${long}x\"},"
    echo '    tensor<i32> {jax.result_info = "out8"}, tensor<i32>) {'
    for i in 0 1 2 3 4 5 6 7 8; do echo "  %$i = stablehlo.constant dense<$i> : tensor<i32>"; done
    echo '  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>,'
    echo '    tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>'
    echo '}'
} > "$work/same.mlir"
expect - 0 run "$work/same.mlir" --output "$work/same"
index=0
for name in r_a r_a_1 r_a_3 r_a_3_3 out4 "${long:0:200}" "${long:0:200}_6" out8 out8_8; do
    expect - 0 show "$work/same/$name.npy"
    holds "$work/out" "int32\\($index\\)\$"
    index=$((index + 1))
done
[ "$(ls "$work/same" | wc -l)" -eq 9 ] || fail "same: $(ls "$work/same")"
expect unwritable 1 run sum.mlir --zeros --output "$work/none/two.npz"
expect - 0 run sum.mlir --function twice --zeros --output -
head -c 6 "$work/out" | cmp -s - <(printf '\x93NUMPY') || fail "--output - is no array"
if [ -w /dev/full ]; then
    "$fluxion" run sum.mlir --zeros > /dev/full 2> "$work/err"
    [ $? -eq 1 ] || fail "a full device: status"
    holds "$work/err" '^fluxion: standard output: '
fi
"$fluxion" help run 2> "$work/err" | head -n 1 > /dev/null # a pipe that closes
[ -s "$work/err" ] && fail "a closed pipe: $(cat "$work/err")"

# inputs of an archive, by name and by number
expect - 0 run sum.mlir --random 1 --output "$work/ignored"
expect - 0 convert "$x" "$work/arg0.safetensors" --name arg0
expect - 0 convert "$w" "$work/one.npz" --dtype bf16 --name arr_1
expect inputs 0 run sum.mlir --input "$work/arg0.safetensors" --input "$work/one.npz"
expect - 0 convert "$w" "$work/other.npz" --dtype bf16 --name bias
expect - 0 convert "$data/npz_stored.npz" "$work/many.npz"
sed "s/weights/params[0]['w']/" sum.mlir > "$work/member.mlir"
expect inputs 0 run "$work/member.mlir" --input "w=$w" --input "$x"
expect unknown_member 1 run sum.mlir --input "$work/many.npz"

# ---- show ----
expect show 0 show sum.mlir
expect show_function 0 show sum.mlir --function twice
expect show_dot 0 show sum.mlir --dot
expect show_svg 0 show sum.mlir --svg
expect - 0 show sum.mlir --program
[ -s "$work/out" ] || fail "no program"
expect - 0 show sum.mlir --memory --backend interp
holds "$work/out" '^ +[0-9]+  bytes of inputs$'
expect show_both 2 show sum.mlir --dot --svg
{
    echo 'func.func @main(%v0: tensor<f32>) -> tensor<f32> {'
    for i in $(seq 2000); do echo "  %v$i = stablehlo.negate %v$((i - 1)) : tensor<f32>"; done
    printf '  return %%v2000 : tensor<f32>\n}\n'
} > "$work/long.mlir"
expect show_long 1 show "$work/long.mlir" --svg
expect - 0 run "$work/long.mlir" --zeros
expect show_tensors 0 show "$data/npz_stored.npz"
expect show_raw 1 show "$w"
printf '\x93NUMPY\x01\x00\x40\x00%-63s\n\x01\x00\x00\x00' \
    '{"descr": "<i4", "fortran_order": False, "shape": (1,), }' > "$work/i.npy"
python3 - "$work" <<'EOF' || fail "no archive of two"
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/mixed.npz", "w") as archive:
    for name in "w", "i": archive.write(f"{sys.argv[1]}/{name}.npy", name + ".npy")
EOF
expect show_mixed 1 show "$work/mixed.npz"
expect show_mixed_as 0 show "$work/mixed.npz" --dtype bf16
expect show_raw_as 0 show "$w" --dtype bfloat16
expect show_no_dtype 2 show "$w" --dtype bfloat17

# ---- check ----
expect check 0 check sum.mlir --against interp
expect check_inputs 0 check sum.mlir --against interp --input "$x" --input "$w" --backend interp
expect check_what 2 check sum.mlir
expect - 1 check sum.mlir --against nothing
{
    echo 'func.func @main(%a: tensor<999xf32>) -> (tensor<999xf32>, tensor<f32>, tensor<i32>) {'
    echo '  %0 = stablehlo.exponential %a : tensor<999xf32>'
    echo '  %c = stablehlo.constant dense<0.0> : tensor<f32>'
    echo '  %1 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] : (tensor<999xf32>, tensor<f32>) -> tensor<f32>'
    echo '  %2 = stablehlo.convert %1 : (tensor<f32>) -> tensor<i32>'
    echo '  return %0, %1, %2 : tensor<999xf32>, tensor<f32>, tensor<i32>'
    echo '}'
} > "$work/sums.mlir"
for ulp in 64 0; do
    "$fluxion" check "$work/sums.mlir" --against interp --ulp $ulp > "$work/out" 2> "$work/err"
    verdict="equal|agrees, at most [0-9.e+]+ ulp( and [0-9.e+]+ of the largest element's)? \\(bound $ulp\\); most at"
    [ $ulp = 0 ] && verdict="equal|DIFFERS, at most [0-9.e+]+ ulp and [0-9.e+]+ of the largest element's \\(bound 0\\); first at"
    grep -Evq "^out[0-9]: .*, ($verdict.*)$" "$work/out" && fail "check --ulp $ulp: $(cat "$work/out")"
done

# ---- conformance ----
expect conformance 1 conformance checks.mlir
expect conformance_verbose 1 conformance checks.mlir --verbose --jobs 1 --backend interp
mkdir "$work/programs" "$work/empty"
sed '/-----/,$d' checks.mlir > "$work/programs/b.mlir"
cp "$work/programs/b.mlir" "$work/programs/a.mlir"
expect conformance_folder 0 conformance "$work/programs" --verbose --jobs 2
expect conformance_empty 1 conformance "$work/empty"
{
    echo 'func.func private @f0() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %0, dense<1> : tensor<i32>
  return
}'
    for i in $(seq 70); do # 2^i checks
        [ "$i" = 21 ] || [ "$i" = 70 ] && kind=public || kind=private
        echo "func.func $kind @f$i() { func.call @f$((i - 1))() : () -> () func.call @f$((i - 1))() : () -> () return }"
    done
} > "$work/many.mlir"
expect conformance_many 1 conformance "$work/many.mlir" "$work/programs/a.mlir"
expect conformance_none 1 conformance none.mlir

# ---- convert ----
for ending in npz safetensors; do
    expect - 0 convert "$data/npy_int32.npy" "$work/t.$ending"
    expect - 0 convert "$work/t.$ending" "$work/back.npy"
    expect - 0 convert "$data/npy_int32.npy" "$work/same.npy"
    cmp -s "$work/back.npy" "$work/same.npy" || fail "$ending and back"
done
expect - 0 convert "$data/npz_stored.npz" "$work/all.npz" --deflate
[ "$(stat -c %s "$work/all.npz")" -lt "$(stat -c %s "$data/npz_stored.npz")" ] || fail "not deflated"
expect - 0 convert "$work/all.npz" "$work/one.npy" --name vector
expect - 0 convert "$work/one.npy" - --to npz
cp "$work/out" "$work/out.npz"
stdin=$work/out.npz expect - 0 convert - "$work/from_stdin.safetensors"
expect - 0 convert sum.mlir - --to mlir
holds "$work/out" '"stablehlo.add"\(%0, '
expect - 0 convert sum.mlir "$work/written.mlir"
expect written 0 run "$work/written.mlir" --input "$x" --input "$w"
expect - 0 convert sum.mlir "$work/twice.mlir" --function twice
expect private 0 run "$work/twice.mlir" --zeros
expect convert_unwritable 1 convert sum.mlir "$work/none/x.mlir"
expect convert_many 1 convert "$work/all.npz" "$work/one.npy"
expect convert_no_name 1 convert "$work/all.npz" "$work/one.npy" --name none
expect convert_complex 1 convert "$work/all.npz" "$work/all.safetensors"
expect convert_unknown 2 convert "$work/all.npz" "$work/all.txt"
expect convert_to 2 convert "$work/all.npz" -
expect convert_safetensors 1 convert "$data/theirs.safetensors" - --to safetensors
expect convert_program 2 convert sum.mlir "$work/x.npz"
expect convert_damaged 1 convert run.sh "$work/x.npz"

# ---- backends ----
expect - 0 backends
holds "$work/out" '^interp$'
holds "$work/out" '^    works'
FLUXION_BACKEND=bogus expect - 1 backends
holds "$work/err" '^fluxion: unknown backend "bogus"'
holds "$work/out" '^interp$'

echo "$passes runs"
echo "$((passes - failures)) passed, $failures failed"
[ $failures -eq 0 ]
