/* SPDX-License-Identifier: Apache-2.0 */
/* Errors and events of PJRT. Both are objects that the caller has to destroy; that is done here, so that the
 * other files see plain success and failure. Messages become one line: plugins write several, with the
 * important one first. */
#include "pjrt_internal.h"
#include <string.h>

/* By absl's status codes, whose numbers PJRT has. */
static const struct {
    const char *name;
    fx_error_code code;
} codes[] = {
    [PJRT_Error_Code_OK] = {"ok", FX_ERROR_BACKEND},
    [PJRT_Error_Code_CANCELLED] = {"cancelled", FX_ERROR_BACKEND},
    [PJRT_Error_Code_UNKNOWN] = {"unknown", FX_ERROR_BACKEND},
    [PJRT_Error_Code_INVALID_ARGUMENT] = {"invalid argument", FX_ERROR_ARGUMENT},
    [PJRT_Error_Code_DEADLINE_EXCEEDED] = {"deadline exceeded", FX_ERROR_BACKEND},
    [PJRT_Error_Code_NOT_FOUND] = {"not found", FX_ERROR_UNSUPPORTED},
    [PJRT_Error_Code_ALREADY_EXISTS] = {"already exists", FX_ERROR_BACKEND},
    [PJRT_Error_Code_PERMISSION_DENIED] = {"permission denied", FX_ERROR_BACKEND},
    [PJRT_Error_Code_RESOURCE_EXHAUSTED] = {"resource exhausted", FX_ERROR_MEMORY},
    [PJRT_Error_Code_FAILED_PRECONDITION] = {"failed precondition", FX_ERROR_BACKEND},
    [PJRT_Error_Code_ABORTED] = {"aborted", FX_ERROR_BACKEND},
    [PJRT_Error_Code_OUT_OF_RANGE] = {"out of range", FX_ERROR_ARGUMENT},
    [PJRT_Error_Code_UNIMPLEMENTED] = {"unimplemented", FX_ERROR_UNSUPPORTED},
    [PJRT_Error_Code_INTERNAL] = {"internal", FX_ERROR_BACKEND},
    [PJRT_Error_Code_UNAVAILABLE] = {"unavailable", FX_ERROR_BACKEND},
    [PJRT_Error_Code_DATA_LOSS] = {"data loss", FX_ERROR_BACKEND},
    [PJRT_Error_Code_UNAUTHENTICATED] = {"unauthenticated", FX_ERROR_BACKEND},
};
enum { CODES = sizeof codes / sizeof codes[0], LONGEST = 400 };

static size_t code_of(const PJRT_Api *api, const PJRT_Error *error) {
    FXI_PJRT_ARGS(PJRT_Error_GetCode, args);
    args.error = error;
    PJRT_Error *second = api->PJRT_Error_GetCode(&args);
    if (second) {
        FXI_PJRT_ARGS(PJRT_Error_Destroy, destroy);
        destroy.error = second;
        api->PJRT_Error_Destroy(&destroy);
    }
    size_t code = second ? PJRT_Error_Code_UNKNOWN : (size_t)args.code;
    return code < CODES ? code : PJRT_Error_Code_UNKNOWN;
}

/* Line ends and runs of blanks become one blank. */
static void flatten(const char *text, size_t size, char out[LONGEST]) {
    size_t n = 0;
    for (size_t i = 0; i < size && n + 1 < LONGEST; i++) {
        bool blank = (unsigned char)text[i] <= ' ';
        if (!blank)
            out[n++] = text[i];
        else if (n > 0 && out[n - 1] != ' ')
            out[n++] = ' ';
    }
    while (n > 0 && out[n - 1] == ' ') n--;
    out[n] = 0;
}

bool fxi_pjrt_accept(const PJRT_Api *api, PJRT_Error *error, const char *function, fx_error *err) {
    if (!error) return true;
    char text[LONGEST];
    FXI_PJRT_ARGS(PJRT_Error_Message, message);
    message.error = error;
    api->PJRT_Error_Message(&message);
    flatten(message.message ? message.message : "", message.message ? message.message_size : 0, text);
    size_t code = code_of(api, error);
    FXI_PJRT_ARGS(PJRT_Error_Destroy, destroy);
    destroy.error = error;
    api->PJRT_Error_Destroy(&destroy);
    if (fxi_text_begins(function, "PJRT_")) function += strlen("PJRT_");
    /* Older plugins wrap what work on a device says into an internal error. */
    bool memory = code == PJRT_Error_Code_INTERNAL && strstr(text, "Out of memory");
    return fxi_fail(err, memory ? FX_ERROR_MEMORY : codes[code].code, "pjrt: %s: %s (%s)", function, text,
                    codes[code].name);
}

void fxi_pjrt_event_destroy(const PJRT_Api *api, PJRT_Event *event) {
    if (!event) return;
    FXI_PJRT_ARGS(PJRT_Event_Destroy, args);
    args.event = event;
    FXI_PJRT_DROP(api, PJRT_Event_Destroy, &args);
}

bool fxi_pjrt_await(const PJRT_Api *api, PJRT_Event *event, const char *what, fx_error *err) {
    FXI_PJRT_ARGS(PJRT_Event_Await, args);
    args.event = event;
    PJRT_Error *error = api->PJRT_Event_Await(&args);
    fxi_pjrt_event_destroy(api, event);
    return fxi_pjrt_accept(api, error, what, err);
}
