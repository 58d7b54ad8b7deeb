/* mime: the types that a web server's files usually have (IANA media types). */
#include "http/mime.h"

static const struct {
    struct str extension;
    const char *type;
} types[] = {
    {STR("html"), "text/html"},
    {STR("htm"), "text/html"},
    {STR("css"), "text/css"},
    {STR("js"), "text/javascript"},
    {STR("mjs"), "text/javascript"},
    {STR("json"), "application/json"},
    {STR("map"), "application/json"},
    {STR("txt"), "text/plain"},
    {STR("md"), "text/markdown"},
    {STR("csv"), "text/csv"},
    {STR("xml"), "application/xml"},
    {STR("svg"), "image/svg+xml"},
    {STR("png"), "image/png"},
    {STR("jpg"), "image/jpeg"},
    {STR("jpeg"), "image/jpeg"},
    {STR("gif"), "image/gif"},
    {STR("webp"), "image/webp"},
    {STR("avif"), "image/avif"},
    {STR("ico"), "image/x-icon"},
    {STR("woff"), "font/woff"},
    {STR("woff2"), "font/woff2"},
    {STR("wasm"), "application/wasm"},
    {STR("pdf"), "application/pdf"},
    {STR("zip"), "application/zip"},
    {STR("gz"), "application/gzip"},
    {STR("mp3"), "audio/mpeg"},
    {STR("mp4"), "video/mp4"},
    {STR("webm"), "video/webm"},
    {STR("bin"), "application/octet-stream"},
};

const char *mime_type(struct str path)
{
    size_t at = path.n;
    while (at > 0 && path.p[at - 1] != '.' && path.p[at - 1] != '/')
        at--;
    if (at > 0 && path.p[at - 1] == '.')
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            if (str_is_nocase(str_after(path, at), types[i].extension))
                return types[i].type;
    return "application/octet-stream";
}
