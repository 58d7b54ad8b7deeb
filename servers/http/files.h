/* files: files below a document root, kept open. */
#ifndef HTTP_FILES_H
#define HTTP_FILES_H

#include "http/reply.h"

#include <stdint.h>

struct err;
struct files;
struct request;
struct site;

/* Opens the document root. An entry is compared with the disk again when it is used and its last
   check is at least check_ns ago: until then a changed file may be served as it was. NULL with err
   set. */
struct files *files_open(const char *docroot, uint64_t check_ns, struct err *err);
void files_close(struct files *files); /* NULL is allowed; entries still being sent live on */

/* Answers GET or HEAD from site->files: the file, a range of it, 304, 301 to a folder's slash, or a
   refusal. */
void files_answer(struct site *site, const struct request *request, struct reply *reply);

#endif
