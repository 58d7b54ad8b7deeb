/* gzip: compresses a file's bytes (RFC 1952), where that is worth it. */
#ifndef LEAR_GZIP_H
#define LEAR_GZIP_H

#include "http/str.h"

/* Is this a type that shrinks: text, and what is text inside? */
bool gzip_suits(const char *type);

/* Compresses from into to, which has room for most bytes. Returns how many they became; 0: they
   don't fit, or the memory for it isn't there. */
size_t gzip_pack(struct str from, char *to, size_t most, int level);

#endif
