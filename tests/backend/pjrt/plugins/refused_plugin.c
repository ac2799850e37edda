/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are no plugins, or none that can be used; REFUSED says which. */
#include <pjrt_c_api.h>

__attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi(void);

#if REFUSED == 1 /* no interface at all */
const PJRT_Api *GetPjrtApi(void) {
    return NULL;
}
#elif REFUSED == 2 /* a version that came after ours */
static const PJRT_Api api = {.struct_size = sizeof(PJRT_Api),
                             .pjrt_api_version = {.major_version = 1, .minor_version = 3}};
const PJRT_Api *GetPjrtApi(void) {
    return &api;
}
#elif REFUSED == 3 /* so old that functions are missing at its end */
static const PJRT_Api api = {.struct_size = offsetof(PJRT_Api, PJRT_Client_Compile),
                             .pjrt_api_version = {.major_version = 0, .minor_version = 2}};
const PJRT_Api *GetPjrtApi(void) {
    return &api;
}
#elif REFUSED == 4 /* a struct that holds no version */
static const PJRT_Api api = {.struct_size = 8};
const PJRT_Api *GetPjrtApi(void) {
    return &api;
}
#else              /* another library */
__attribute__((visibility("default"))) int something_else(void);
int something_else(void) {
    return 0;
}
#endif
