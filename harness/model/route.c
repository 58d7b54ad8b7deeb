/* route: the table of what is asked and what must come back.
   json is the 91-byte object of the LeanTea comparison; small and large have the sizes of the LEAR
   comparison; health's body is the two bytes that LeanTea's server really sends. */
#include "model/route.h"

#include <assert.h>
#include <string.h>

#define JSON_BODY                                                                                  \
    "{\"build\":\"release\",\"count\":42,\"ok\":true,\"service\":\"lean-tea/bench\","              \
    "\"tags\":[\"bench\",\"lean\"]}"
#define ECHO_BODY "hello"
#define BINARY    "application/octet-stream"

static const struct route routes[ROUTE_COUNT] = {
    [ROUTE_HEALTH] = {.name = "health",
                      .method = "GET",
                      .path = "/health",
                      .content_type = "text/plain",
                      .body = "OK",
                      .body_len = 2},
    [ROUTE_JSON] = {.name = "json",
                    .method = "GET",
                    .path = "/json",
                    .content_type = "application/json",
                    .body = JSON_BODY,
                    .body_len = sizeof JSON_BODY - 1},
    [ROUTE_ECHO] = {.name = "echo",
                    .method = "POST",
                    .path = "/echo",
                    .request_body = ECHO_BODY,
                    .request_type = BINARY,
                    .content_type = BINARY,
                    .body = ECHO_BODY,
                    .body_len = sizeof ECHO_BODY - 1},
    [ROUTE_SMALL] = {.name = "small",
                     .method = "GET",
                     .path = "/small.txt",
                     .content_type = "text/plain",
                     .file = "small.txt",
                     .body_len = 865},
    [ROUTE_LARGE] = {.name = "large",
                     .method = "GET",
                     .path = "/large.bin",
                     .content_type = BINARY,
                     .file = "large.bin",
                     .body_len = 2229306},
};

_Static_assert(sizeof JSON_BODY - 1 == 91, "the published object has 91 bytes");

const struct route *route_get(enum route_id id)
{
    assert((unsigned)id < ROUTE_COUNT);
    return &routes[id];
}

int route_find(const char *name)
{
    for (int i = 0; i < ROUTE_COUNT; i++)
        if (strcmp(routes[i].name, name) == 0)
            return i;
    return -1;
}
