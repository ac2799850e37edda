/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that code is generated for. LLVM's own feature list of the host is the one source of truth (it
 * already leaves out what the operating system does not save), looked at once per process.
 *
 * AVX-512 is the default where 512-bit vectors do not lower the clock much: Ice Lake and Zen 4 and their
 * successors, which AVX512-VBMI2 tells from Skylake, Cascade Lake and Cooper Lake; those take AVX2 unless
 * AVX-512 is forced. "avx2" forced gives a fixed description, so that its code is the same on every machine.
 * LLVM would rather use 256-bit vectors on several Intel cores; "-prefer-256-bit" turns that off, since the
 * emitter passes 512-bit values between functions and counts on whole registers. */
#include "jit_internal.h"

#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define FEATURE_BYTES 6144 /* LLVM 19 prints about 2,000 */
#define NAME_BYTES 64

static const char haswell_features[] =
    "+64bit,+cmov,+cx8,+cx16,+fxsr,+mmx,+sahf,+popcnt,+sse,+sse2,+sse3,+ssse3,+sse4.1,+sse4.2,+xsave,"
    "+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+movbe,-avx512f";

static struct host {
    bool usable, wide_usable; /* AVX2+FMA+F16C; AVX-512 F, BW, DQ, VL */
    const fxi_target *best;
    fxi_target wide, narrow, plain; /* host with AVX-512, host without, forced "avx2" */
    char cpu[NAME_BYTES];
    char wide_features[FEATURE_BYTES], narrow_features[FEATURE_BYTES];
} host; /* written under host_once, constant afterwards */
static pthread_once_t host_once = PTHREAD_ONCE_INIT;
static pthread_once_t target_once = PTHREAD_ONCE_INIT;

static void initialise_target(void) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}

void fxi_jit_initialise(void) {
    pthread_once(&target_once, initialise_target);
}

/* True if the comma-separated list has "+name". */
static bool has_feature(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (*at == '+' && strncmp(at + 1, name, length) == 0 &&
            (at[1 + length] == ',' || at[1 + length] == '\0'))
            return true;
    }
    return false;
}

static bool has_features(const char *list, const char *const *names) {
    for (; *names != NULL; names++)
        if (!has_feature(list, *names)) return false;
    return true;
}

static bool write_features(char *to, const char *list, const char *suffix) {
    int length = snprintf(to, FEATURE_BYTES, "%s,%s", list, suffix);
    return length > 0 && length < FEATURE_BYTES;
}

static void describe_host(const char *cpu, const char *features) {
    static const char *const floor[] = {"avx2", "fma", "f16c", NULL};
    static const char *const wide[] = {"avx512f", "avx512bw", "avx512dq", "avx512vl", NULL};
    if (!has_features(features, floor) || strlen(cpu) >= NAME_BYTES) return;
    strcpy(host.cpu, cpu);
    bool fits = write_features(host.wide_features, features, "-prefer-256-bit") &&
                write_features(host.narrow_features, features, "-avx512f");
    if (!fits) return;
    host.usable = true;
    host.wide_usable = has_features(features, wide);
    host.wide = (fxi_target){host.cpu, host.wide_features, true, has_feature(features, "avx512bf16"), 64};
    host.narrow = (fxi_target){host.cpu, host.narrow_features, false, false, 32};
    host.plain = (fxi_target){"haswell", haswell_features, false, false, 32};
    host.best = host.wide_usable && has_feature(features, "avx512vbmi2") ? &host.wide : &host.narrow;
}

static void look_at_host(void) {
    char *cpu = LLVMGetHostCPUName();
    char *features = LLVMGetHostCPUFeatures();
    if (cpu != NULL && features != NULL) describe_host(cpu, features);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
}

static const fxi_target *refuse(fx_error *err, const char *isa) {
    fxi_fail(err, FX_ERROR_UNSUPPORTED, "fx_backend_open: cpu: this machine has no %s", isa);
    return NULL;
}

const fxi_target *fxi_target_find(const char *isa, fx_error *err) {
    pthread_once(&host_once, look_at_host);
    if (isa != NULL && strcmp(isa, "avx2") != 0 && strcmp(isa, "avx512") != 0) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_backend_open: cpu: option isa=%s: avx2 or avx512 is wanted",
                 isa);
        return NULL;
    }
    if (!host.usable) return refuse(err, "AVX2 with FMA and F16C");
    if (isa == NULL) return host.best;
    if (strcmp(isa, "avx2") == 0) return &host.plain;
    return host.wide_usable ? &host.wide : refuse(err, "AVX-512 (F, BW, DQ, VL)");
}

bool fxi_target_is_static(const fxi_target *target) {
    return target == &host.wide || target == &host.narrow || target == &host.plain;
}
