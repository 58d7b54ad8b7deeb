/* Any bytes through the request parser: the result is the same for every scan; a prefix of a head
   that is accepted is partial; views lie inside the input. */
#include "http/http1.h"

#include "http/scan.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct http1_limits limits = {.line = 200, .head = 600, .fields = 8};

static void check_view(struct str s, const char *p, size_t n)
{
    assert(!s.p || s.n == 0 || (s.p >= p && s.p + s.n <= p + n) || str_is(s, STR("/")));
}

static void check_accepted(const char *p, size_t n, ssize_t taken, const struct request *r)
{
    struct request part;
    assert((size_t)taken <= n);
    check_view(r->target, p, n);
    check_view(r->path, p, n);
    check_view(r->host, p, n);
    check_view(r->range, p, n);
    assert(r->path.n > 0 && r->minor >= 0 && r->minor <= 9 && r->method != METHOD_UNKNOWN);
    assert(!(r->chunked && r->content_length > 0));
    for (ssize_t i = 0; i < taken; i++)
        assert(http1_parse(p, (size_t)i, &limits, &part) == 0);
    assert(http1_parse(p, (size_t)taken, &limits, &part) == taken);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scan_fn *scans[] = {scan_block_scalar, scan_has_sse42() ? scan_block_sse42 : scan_block_scalar,
                        scan_has_avx2() ? scan_block_avx2 : scan_block_scalar};
    const char *p = (const char *)data;
    struct request r;
    ssize_t wanted = 0;
    for (int i = 0; i < 3; i++) {
        scan_block = scans[i];
        ssize_t got = http1_parse(p, size, &limits, &r);
        assert(i == 0 || got == wanted);
        wanted = got;
    }
    if (wanted > 0)
        check_accepted(p, size, wanted, &r);
    else
        assert(wanted == 0 || wanted == -400 || wanted == -414 || wanted == -431 ||
               wanted == -501 || wanted == -505);
    return 0;
}
