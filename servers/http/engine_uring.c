/* engine_uring: placeholder until the next commit makes it run. */
#include "http/engine_priv.h"

#include "http/err.h"

static int uring_open(struct engine *e, struct err *err)
{
    (void)e;
    return err_set(err, "engine uring can't run: not built");
}

const struct engine_ops engine_uring = {
    .name = "uring", .size = sizeof(struct engine), .open = uring_open};
