/* mime: a file's media type by its name. */
#ifndef HTTP_MIME_H
#define HTTP_MIME_H

#include "http/str.h"

/* "application/octet-stream" for what isn't known. */
const char *mime_type(struct str path);

#endif
