/* SPDX-License-Identifier: Apache-2.0 */
/* Finding, loading and opening plugins: what is refused and how it is said, options, search, descriptions. */
#include "pjrt_tests.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void refused(const char *config, fx_error_code code, const char *part) {
    fx_error err = {.code = FX_OK};
    assert_null(fx_backend_open(config, &err));
    assert_failed(err, code, part);
}

/* ---- what is no plugin ---- */

static void a_missing_file(void **state) {
    (void)state;
    refused("pjrt:/nowhere/plugin.so", FX_ERROR_FILE, "there is no plugin /nowhere/plugin.so");
    refused("pjrt:plugin.so?logs=quiet", FX_ERROR_FILE, "there is no plugin plugin.so");
}

static void a_folder(void **state) {
    (void)state;
    refused("pjrt:/usr/lib", FX_ERROR_FILE, "is a folder");
}

static void a_text_file(void **state) {
    (void)state;
    refused("pjrt:" FX_TEST_DIR "/CMakeLists.txt", FX_ERROR_FILE, "cannot be loaded");
}

static void another_library(void **state) {
    (void)state;
    refused("pjrt:" PJRT_TEST_MODULES "/refused_0.so", FX_ERROR_FILE, "it has no GetPjrtApi");
}

static void versions_that_do_not_fit(void **state) {
    (void)state;
    refused("pjrt:" PJRT_TEST_MODULES "/refused_1.so", FX_ERROR_BACKEND, "gives no interface");
    refused("pjrt:" PJRT_TEST_MODULES "/refused_2.so", FX_ERROR_BACKEND,
            "speaks PJRT 1.3; Fluxion speaks 0.81");
    refused("pjrt:" PJRT_TEST_MODULES "/refused_3.so", FX_ERROR_BACKEND, "without PJRT_Error_Destroy");
    refused("pjrt:" PJRT_TEST_MODULES "/refused_4.so", FX_ERROR_BACKEND, "gives no interface");
}

static void paths_of_other_backends(void **state) {
    (void)state;
    refused("interp:/some/path", FX_ERROR_ARGUMENT, "backend interp takes no path, got \"/some/path\"");
    refused("interp:", FX_ERROR_ARGUMENT, "takes no path");
}

/* ---- options ---- */

static void options_that_are_wrong(void **state) {
    int which = plugin_of(state);
    refused(pjrt_config(which, "&debug=loud"), FX_ERROR_ARGUMENT, "option debug is \"copies\", not \"loud\"");
    refused(pjrt_config(which, "&cpu_device_count=1&cpu_device_count=2"), FX_ERROR_ARGUMENT, "given twice");
    refused(pjrt_config(which, "&alone"), FX_ERROR_ARGUMENT, "no key=value");
    if (which == 0) return; /* the old one ignores what it does not know */
    refused(pjrt_config(which, "&no_such_option=1"), FX_ERROR_ARGUMENT, "no_such_option");
    refused(pjrt_config(which, "&asynchronous=3"), FX_ERROR_ARGUMENT, "asynchronous");
}

/* Counts on which the plugin itself would end the process. */
static void device_counts_that_are_wrong(void **state) {
    static const char *const values[] = {"four", "-1", "0", "", "4097", "99999999999999999999", "1.5",
                                         "2,",   "true", "\"4\"", "4 "};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char option[80], message[120];
        snprintf(option, sizeof option, "&cpu_device_count=%s", values[i]);
        snprintf(message, sizeof message, "option cpu_device_count is an integer from 1 to 4096, not \"%s\"",
                 values[i]);
        refused(pjrt_config(plugin_of(state), option), FX_ERROR_ARGUMENT, message);
    }
}

static void device_counts(void **state) {
    char text[600];
    fx_backend *one = open_plugin(state), *four = pjrt_open(plugin_of(state), "&cpu_device_count=4");
    assert_true(fx_backend_describe(one, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, ", 1 device, "));
    assert_true(fx_backend_describe(four, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, ", 4 devices, "));
    fx_backend_close(one);
    fx_backend_close(four);
}

static void bool_options(void **state) {
    if (plugin_of(state) == 1) fx_backend_close(pjrt_open(1, "&asynchronous=false&cpu_device_count=2"));
}

/* ---- descriptions ---- */

static void descriptions(void **state) {
    fx_backend *backend = open_plugin(state);
    char text[600];
    fx_backend_describe(backend, text, sizeof text);
    assert_non_null(strstr(text, "pjrt: platform cpu"));
    assert_non_null(strstr(text, plugin_of(state) == 0 ? "PJRT 0.81, " : "PJRT 0.115, "));
    assert_non_null(strstr(text, pjrt_plugin(plugin_of(state))));
    assert_string_equal(fx_backend_name(backend), "pjrt");
    assert_false(fx_backend_supports(backend, "fx.dense"));
    assert_int_equal(fx_backend_describe(backend, NULL, 0), strlen(text));
    fx_backend_close(backend);
    fx_backend *interp = fx_backend_open("interp", FX_MUST);
    assert_int_equal(fx_backend_describe(interp, text, sizeof text), 6);
    assert_string_equal(text, "interp");
    fx_backend_close(interp);
    assert_int_equal(fx_backend_describe(NULL, text, sizeof text), 0);
}

/* The vendored header is the package's. */
static void header_is_unmodified(void **state) {
    (void)state;
    char path[1200];
    snprintf(path, sizeof path, "%.*s/include/pjrt_c_api.h",
             (int)(strrchr(pjrt_plugin(0), '/') - pjrt_plugin(0)), pjrt_plugin(0));
    FILE *theirs = fopen(path, "r"), *ours = fopen(FX_TEST_DIR "/../third_party/pjrt/pjrt_c_api.h", "r");
    assert_true(theirs && ours);
    int a, b;
    do {
        a = getc(theirs), b = getc(ours);
        assert_int_equal(a, b);
    } while (a != EOF);
    fclose(theirs);
    fclose(ours);
}

/* ---- search ---- */

/* The variables that searching reads, with no place of this machine behind them. */
static void hide_plugins(void) {
    static const char *const variables[] = {"VIRTUAL_ENV",   "CONDA_PREFIX",   "PYTHONPATH",
                                            "FLUXION_CACHE", "PYTHONUSERBASE", "XDG_DATA_HOME"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        setenv(variables[i], "/nonexistent", 1);
    unsetenv("FLUXION_PJRT_PLUGIN");
}

static void make_folders(const char *path) {
    char prefix[1000];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(prefix, sizeof prefix, "%.*s", (int)(slash - path), path);
        mkdir(prefix, 0777);
    }
}

static void the_environment(void **state) {
    hide_plugins();
    setenv("FLUXION_PJRT_PLUGIN", pjrt_plugin(plugin_of(state)), 1);
    fx_backend_close(fx_backend_open("pjrt?logs=quiet", FX_MUST));
    setenv("FLUXION_BACKEND", "pjrt", 1);
    fx_backend *backend = fx_backend_open(NULL, FX_MUST);
    assert_string_equal(fx_backend_name(backend), "pjrt");
    fx_backend_close(backend);
    unsetenv("FLUXION_BACKEND");
    setenv("FLUXION_PJRT_PLUGIN", "/nowhere.so", 1);
    refused("pjrt", FX_ERROR_FILE, "/nowhere.so");
    unsetenv("FLUXION_PJRT_PLUGIN");
}

/* Links as a Python package would lie there; brackets in a path are no pattern. */
static void packages(void **state) {
    hide_plugins();
    char root[] = "/tmp/fluxion-[pjrt]-XXXXXX", path[600], text[4000];
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/lib/python3.9/site-packages/xla_plugins/xla_named/xla_named.so", root);
    make_folders(path);
    assert_int_equal(symlink(pjrt_plugin(plugin_of(state)), path), 0);
    setenv("VIRTUAL_ENV", root, 1);
    fx_backend_list(text, sizeof text);
    assert_non_null(strstr(text, path));
    assert_non_null(strstr(text, "interp\n"));
    fx_backend *backend = fx_backend_open("pjrt:xla_named", FX_MUST);
    fx_backend_close(backend);
    refused("pjrt:another", FX_ERROR_FILE, "no plugin with \"another\" in its path was found");
    refused("pjrt:fluxion-", FX_ERROR_FILE, "no plugin with"); /* that is in the folder's own path */
    unlink(path);
    for (char *slash; (slash = strrchr(path, '/')) > path + strlen(root) - 1;) {
        *slash = 0;
        rmdir(path);
    }
    setenv("VIRTUAL_ENV", "/nonexistent", 1);
}

/* One that makes no client is passed over; the last message stands when none does. */
static void the_first_that_works(void **state) {
    hide_plugins();
    char root[] = "/tmp/fluxion-pjrt-XXXXXX", first[600], second[600];
    assert_non_null(mkdtemp(root));
    snprintf(first, sizeof first, "%s/jax_plugins/a/a.so", root);
    snprintf(second, sizeof second, "%s/jax_plugins/b/b.so", root);
    make_folders(first);
    make_folders(second);
    assert_int_equal(symlink(PJRT_TEST_MODULES "/refused_2.so", first), 0);
    setenv("PYTHONPATH", root, 1);
    refused("pjrt", FX_ERROR_BACKEND, "speaks PJRT 1.3");
    assert_int_equal(symlink(pjrt_plugin(plugin_of(state)), second), 0);
    fx_backend_close(fx_backend_open("pjrt", FX_MUST));
    unlink(first);
    unlink(second);
    for (int i = 0; i < 2; i++) {
        *strrchr(i ? second : first, '/') = 0;
        rmdir(i ? second : first);
    }
    *strrchr(first, '/') = 0;
    rmdir(first);
    rmdir(root);
    setenv("PYTHONPATH", "/nonexistent", 1);
}

int main(void) {
    if (!pjrt_begin()) return PJRT_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_file),
        cmocka_unit_test(a_folder),
        cmocka_unit_test(a_text_file),
        cmocka_unit_test(another_library),
        cmocka_unit_test(versions_that_do_not_fit),
        cmocka_unit_test(paths_of_other_backends),
        BOTH_PLUGINS(options_that_are_wrong),
        BOTH_PLUGINS(device_counts_that_are_wrong),
        BOTH_PLUGINS(device_counts),
        BOTH_PLUGINS(bool_options),
        BOTH_PLUGINS(descriptions),
        cmocka_unit_test(header_is_unmodified),
        BOTH_PLUGINS(the_environment),
        BOTH_PLUGINS(packages),
        BOTH_PLUGINS(the_first_that_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
