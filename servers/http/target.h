/* target: the path of a request target, decoded and made canonical. Pure. */
#ifndef HTTP_TARGET_H
#define HTTP_TARGET_H

#include "http/str.h"

/* Decodes %XX once, then takes out "//", "/./" and "/x/../". to holds at least path.n + 1 bytes;
   *decoded becomes a view into it, NUL-terminated, beginning with '/'. Returns 0, or -400: a bad
   escape, %00, or a path that climbs above the root. */
int target_decode(struct str path, char *to, struct str *decoded);

/* Is a path as received what target_decode() would make of it? May say no to one that is. */
bool target_is_plain(struct str path);

#endif
