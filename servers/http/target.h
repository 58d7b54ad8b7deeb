/* target: the path of a request target, decoded and made canonical. Pure. */
#ifndef HTTP_TARGET_H
#define HTTP_TARGET_H

#include "http/str.h"

/* Decodes %XX once, then takes out "//", "/./" and "/x/../". to holds at least path.n + 1 bytes;
   *decoded becomes a view into it, NUL-terminated, beginning with '/'. Returns 0, or -400: a bad
   escape, %00, or a path that climbs above the root. */
int target_decode(struct str path, char *to, struct str *decoded);

/* The room that target_file() needs in to, beyond path.n. */
#define TARGET_INDEX_ROOM sizeof "index.html"

/* The file that a path asks for: decoded as above, and a folder's index.html for one that ends in a
   slash (*folder). */
int target_file(struct str path, char *to, struct str *decoded, bool *folder);

/* Is a path as received what target_decode() would make of it? May say no to one that is. */
bool target_is_plain(struct str path);

#endif
