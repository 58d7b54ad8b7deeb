/* gzip: zlib in one go, into memory that is given. */
#include "lear/gzip.h"

#include <zlib.h>

#define GZIP_WINDOW (15 + 16) /* the largest window, gzip's framing (zlib.h, deflateInit2) */
#define MEMORY      8         /* zlib's own default */

bool gzip_suits(const char *type)
{
    static const struct str types[] = {STR("text/"),           STR("application/json"),
                                       STR("application/xml"), STR("application/wasm"),
                                       STR("image/svg+xml"),   STR("image/x-icon")};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strncmp(type, types[i].p, types[i].n) == 0)
            return true;
    return false;
}

size_t gzip_pack(struct str from, char *to, size_t most, int level)
{
    z_stream z = {0};
    if (deflateInit2(&z, level, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    z.next_in = (Bytef *)from.p;
    z.avail_in = (uInt)from.n;
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)most;
    int end = deflate(&z, Z_FINISH);
    size_t n = most - z.avail_out;
    deflateEnd(&z);
    return end == Z_STREAM_END ? n : 0;
}
