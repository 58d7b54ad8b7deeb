/* Any bytes through the chunked decoder: the content doesn't depend on how they were cut (the first
   byte of the input says how). */
#include "http/chunked.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Decodes in pieces; content to the front of to. Bytes taken, -1: malformed. */
static ssize_t decode(const uint8_t *data, size_t size, size_t step, char *to, size_t *length)
{
    struct chunked c = {0};
    size_t at = 0;
    *length = 0;
    while (at < size && !c.done) {
        size_t n = size - at < step ? size - at : step, got;
        char *piece = malloc(n);
        assert(piece);
        memcpy(piece, data + at, n);
        ssize_t taken = chunked_decode(&c, piece, n, &got);
        assert(taken <= (ssize_t)n && (taken < 0 || got <= (size_t)taken));
        if (taken >= 0)
            memcpy(to + *length, piece, got);
        free(piece);
        if (taken < 0)
            return -1;
        *length += got;
        at += (size_t)taken;
    }
    return (ssize_t)at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t step = 1 + data[0] % 16, whole_length, cut_length;
    char *whole = malloc(size), *cut = malloc(size);
    assert(whole && cut);
    ssize_t a = decode(data + 1, size - 1, size, whole, &whole_length);
    ssize_t b = decode(data + 1, size - 1, step, cut, &cut_length);
    assert(a == b);
    assert(a < 0 || (whole_length == cut_length && memcmp(whole, cut, cut_length) == 0));
    free(whole);
    free(cut);
    return 0;
}
