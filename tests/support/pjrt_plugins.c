/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file that the fixture wrote: one path a line. */
#include "support/pjrt_plugins.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST = 1000 };

const char *pjrt_plugin(int which) {
    static char paths[PJRT_PLUGINS][LONGEST];
    if (!paths[0][0]) {
        FILE *file = fopen(FX_PJRT_PLUGINS, "r");
        for (int i = 0; file && i < PJRT_PLUGINS; i++)
            if (fgets(paths[i], LONGEST, file)) paths[i][strcspn(paths[i], "\n")] = 0;
        if (file) fclose(file);
    }
    return paths[which][0] ? paths[which] : NULL;
}

const char *pjrt_config(int which, const char *more) {
    static char config[LONGEST + 500];
    snprintf(config, sizeof config, "pjrt:%s?logs=quiet%s", pjrt_plugin(which), more);
    return config;
}

fx_backend *pjrt_open(int which, const char *more) {
    fx_error err = {.code = FX_OK};
    fx_backend *backend = fx_backend_open(pjrt_config(which, more), &err);
    if (!backend) fail_msg("%s", err.message);
    return backend;
}

bool pjrt_begin(void) {
    if (pjrt_plugin(0) && pjrt_plugin(1)) return true;
    printf("skipped: there are no PJRT plugins (%s); ctest's fixture pjrt.plugins gets them\n",
           FX_PJRT_PLUGINS);
    return false;
}
