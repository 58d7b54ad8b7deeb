/* scan: the parser's only loop over every byte, once in plain C and once per vector extension. The
   vector ones take whole blocks, the last one back from the end so that it overlaps what has been
   looked at: no byte outside the input is ever read. Inputs shorter than a block go to the scalar
   one. */
#include "http/scan.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

scan_fn *scan_line = scan_line_scalar;

static bool is_control(unsigned char c)
{
    return (c < 0x20 && c != '\t') || c == 0x7f;
}

/* Might one of eight bytes be a control character? Never says no to one; says yes to tab too. Exact
   for each byte up to the first that is one: borrows only travel upwards ("Bit Twiddling Hacks",
   hasless). */
static bool maybe_control(const char *p)
{
    const uint64_t ones = 0x0101010101010101ULL, tops = ones << 7;
    uint64_t word, x;
    memcpy(&word, p, sizeof word);
    x = word ^ ones * 0x7f;
    return (((word - ones * 0x20) & ~word) | ((x - ones) & ~x)) & tops;
}

size_t scan_line_scalar(const char *p, size_t at, size_t n)
{
    while (n - at >= 8 && !maybe_control(p + at))
        at += 8;
    while (at < n && !is_control((unsigned char)p[at])) {
        at++;
        while (n - at >= 8 && !maybe_control(p + at)) /* behind a tab */
            at += 8;
    }
    return at;
}

#if defined(__x86_64__)
#include <immintrin.h>

/* The block back from the end, of size bytes, has marks for its bad bytes: the first at or behind
   at. */
static inline size_t first_in_last(uint32_t marks, unsigned size, size_t at, size_t n)
{
    marks >>= size - (n - at);
    return marks ? at + (size_t)__builtin_ctz(marks) : n;
}

/* One instruction names the forbidden ranges: pcmpestrm with _SIDD_CMP_RANGES. */
static inline __attribute__((target("sse4.2"))) uint32_t marks_sse42(const char *p)
{
    const __m128i ranges = _mm_setr_epi8(0, 8, 10, 31, 127, 127, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)p);
    return (uint32_t)_mm_cvtsi128_si32(
        _mm_cmpestrm(ranges, 6, block, 16, _SIDD_UBYTE_OPS | _SIDD_CMP_RANGES | _SIDD_BIT_MASK));
}

__attribute__((target("sse4.2"))) size_t scan_line_sse42(const char *p, size_t at, size_t n)
{
    if (n < 16)
        return scan_line_scalar(p, at, n);
    for (; n - at >= 16; at += 16) {
        uint32_t marks = marks_sse42(p + at);
        if (marks)
            return at + (size_t)__builtin_ctz(marks);
    }
    return at == n ? n : first_in_last(marks_sse42(p + n - 16), 16, at, n);
}

/* Forbidden: below 0x20 (the unsigned minimum with 0x1f is the byte itself) but not tab, or 0x7f.
 */
static inline __attribute__((target("avx2"))) uint32_t marks_avx2(const char *p)
{
    const __m256i top = _mm256_set1_epi8(0x1f), tab = _mm256_set1_epi8('\t'),
                  delete = _mm256_set1_epi8(0x7f);
    __m256i block = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(block, top), block);
    __m256i bad = _mm256_or_si256(_mm256_andnot_si256(_mm256_cmpeq_epi8(block, tab), low),
                                  _mm256_cmpeq_epi8(block, delete));
    return (uint32_t)_mm256_movemask_epi8(bad);
}

__attribute__((target("avx2"))) size_t scan_line_avx2(const char *p, size_t at, size_t n)
{
    if (n < 32)
        return scan_line_scalar(p, at, n);
    for (; n - at >= 32; at += 32) {
        uint32_t marks = marks_avx2(p + at);
        if (marks)
            return at + (size_t)__builtin_ctz(marks);
    }
    return at == n ? n : first_in_last(marks_avx2(p + n - 32), 32, at, n);
}

int scan_has_sse42(void)
{
    return __builtin_cpu_supports("sse4.2");
}

int scan_has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
size_t scan_line_sse42(const char *p, size_t at, size_t n)
{
    return scan_line_scalar(p, at, n);
}

size_t scan_line_avx2(const char *p, size_t at, size_t n)
{
    return scan_line_scalar(p, at, n);
}

int scan_has_sse42(void)
{
    return 0;
}

int scan_has_avx2(void)
{
    return 0;
}
#endif

const char *scan_choose(void)
{
    if (scan_has_avx2()) {
        scan_line = scan_line_avx2;
        return "avx2";
    }
    if (scan_has_sse42()) {
        scan_line = scan_line_sse42;
        return "sse4.2";
    }
    scan_line = scan_line_scalar;
    return "scalar";
}
