/* scan: finds the end of a line and anything that must not be in it, in one look. */
#ifndef HTTP_SCAN_H
#define HTTP_SCAN_H

#include <stddef.h>

/* Index of the first byte of p[at..n) that can't be in a field value or request line: a control
   character other than tab (RFC 9110 5.5), so CR and LF too; n: none. Never reads outside p[0..n),
   but may read before at. */
typedef size_t scan_fn(const char *p, size_t at, size_t n);
extern scan_fn *scan_line;

/* The same by name: scalar, and the vector twins, for tests. scan_choose() sets scan_line to the
   best that this processor has; until then it is the scalar one. Returns its name. */
scan_fn scan_line_scalar, scan_line_sse42, scan_line_avx2;
int scan_has_sse42(void);
int scan_has_avx2(void);
const char *scan_choose(void);

#endif
