/* scan: the parser's only loop over every byte, once in plain C and once per vector extension. The
   vector ones take whole blocks while there are any and leave the rest to the scalar one, so that
   no byte outside the input is ever read. */
#include "http/scan.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

size_t (*scan_line)(const char *p, size_t n) = scan_line_scalar;

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

size_t scan_line_scalar(const char *p, size_t n)
{
    size_t i = 0;
    while (n - i >= 8 && !maybe_control(p + i))
        i += 8;
    while (i < n && !is_control((unsigned char)p[i])) {
        i++;
        while (n - i >= 8 && !maybe_control(p + i)) /* behind a tab */
            i += 8;
    }
    return i;
}

#if defined(__x86_64__)
#include <immintrin.h>

/* One instruction names the forbidden ranges: pcmpestri with _SIDD_CMP_RANGES. */
__attribute__((target("sse4.2"))) size_t scan_line_sse42(const char *p, size_t n)
{
    const __m128i ranges = _mm_setr_epi8(0, 8, 10, 31, 127, 127, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    size_t i = 0;
    for (; n - i >= 16; i += 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        int at = _mm_cmpestri(ranges, 6, block, 16,
                              _SIDD_UBYTE_OPS | _SIDD_CMP_RANGES | _SIDD_LEAST_SIGNIFICANT);
        if (at < 16)
            return i + (size_t)at;
    }
    return i + scan_line_scalar(p + i, n - i);
}

/* Forbidden: below 0x20 (the unsigned minimum with 0x1f is the byte itself) but not tab, or 0x7f.
 */
__attribute__((target("avx2"))) size_t scan_line_avx2(const char *p, size_t n)
{
    const __m256i top = _mm256_set1_epi8(0x1f), tab = _mm256_set1_epi8('\t'),
                  delete = _mm256_set1_epi8(0x7f);
    size_t i = 0;
    for (; n - i >= 32; i += 32) {
        __m256i block = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
        __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(block, top), block);
        __m256i bad = _mm256_or_si256(_mm256_andnot_si256(_mm256_cmpeq_epi8(block, tab), low),
                                      _mm256_cmpeq_epi8(block, delete));
        uint32_t mask = (uint32_t)_mm256_movemask_epi8(bad);
        if (mask)
            return i + (size_t)__builtin_ctz(mask);
    }
    return i + scan_line_scalar(p + i, n - i);
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
size_t scan_line_sse42(const char *p, size_t n)
{
    return scan_line_scalar(p, n);
}

size_t scan_line_avx2(const char *p, size_t n)
{
    return scan_line_scalar(p, n);
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
