/* scan: classifies bytes, once in plain C and once per vector extension. The vector ones take whole
   vectors, the last one back from the end so that it overlaps what has been looked at: no byte
   outside the input is ever read. Inputs shorter than a vector go to the next narrower twin.

   Tokens are told by two look-ups of a byte's halves ("Parsing Gigabytes of JSON per Second",
   Langdale and Lemire, 2019, 3.1.2). */
#include "http/scan.h"

#include "http/token.h"

scan_fn *scan_block = scan_block_scalar;

static bool is_control(char c)
{
    return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
}

static bool is_odd(char c)
{
    return !token_is(c) || c == '#';
}

void scan_block_scalar(const char *p, size_t n, struct marks *marks)
{
    marks->control = marks->odd = 0;
    for (size_t i = 0; i < n && i < SCAN_BLOCK; i++) {
        marks->control |= (uint64_t)is_control(p[i]) << i;
        marks->odd |= (uint64_t)is_odd(p[i]) << i;
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

#define TWICE(...) __VA_ARGS__, __VA_ARGS__
typedef uint8_t vector[32] __attribute__((aligned(32)));

/* Two tables for a class: a byte is in it if what they say of its halves has a bit in common. Bit h
   of the first says of a low half that it is in the class beside the high half h. A byte from 0x80
   on is in none, because the look-up of a low half gives 0 for it. */
static const vector plain_low = {TWICE(0xe8, 0xfc, 0xf8, 0xf8, 0xfc, 0xfc, 0xfc, 0xfc, 0xf8, 0xf8,
                                       0xf4, 0x54, 0xd0, 0x54, 0xf4, 0x70)};
static const vector control_low = {TWICE(3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 0x83)};
static const vector high_bit = {
    TWICE(1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 0, 0, 0, 0, 0, 0, 0, 0)};

static inline __attribute__((target("sse4.2"))) __m128i load_16(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

/* Of 16 bytes. */
static inline __attribute__((target("sse4.2"))) void mark_16(const char *p, size_t at,
                                                             struct marks *marks)
{
    __m128i block = load_16(p + at), zero = _mm_setzero_si128();
    __m128i half = _mm_and_si128(_mm_srli_epi16(block, 4), _mm_set1_epi8(0x0f));
    __m128i high = _mm_shuffle_epi8(load_16(high_bit), half);
    __m128i control = _mm_and_si128(_mm_shuffle_epi8(load_16(control_low), block), high);
    __m128i plain = _mm_and_si128(_mm_shuffle_epi8(load_16(plain_low), block), high);
    unsigned free = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(control, zero));
    unsigned odd = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(plain, zero));
    marks->control |= (uint64_t)(free ^ 0xffff) << at;
    marks->odd |= (uint64_t)odd << at;
}

__attribute__((target("sse4.2"))) void scan_block_sse42(const char *p, size_t n,
                                                        struct marks *marks)
{
    if (n < 16) {
        scan_block_scalar(p, n, marks);
        return;
    }
    struct marks found = {0, 0};
    size_t end = n < SCAN_BLOCK ? n : SCAN_BLOCK;
    for (size_t at = 0; end - at > 16; at += 16)
        mark_16(p, at, &found);
    mark_16(p, end - 16, &found);
    *marks = found;
}

static inline __attribute__((target("avx2"))) __m256i load_32(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

/* The same of 32 bytes. */
static inline __attribute__((target("avx2"))) void mark_32(const char *p, size_t at,
                                                           struct marks *marks)
{
    __m256i block = load_32(p + at), zero = _mm256_setzero_si256();
    __m256i half = _mm256_and_si256(_mm256_srli_epi16(block, 4), _mm256_set1_epi8(0x0f));
    __m256i high = _mm256_shuffle_epi8(load_32(high_bit), half);
    __m256i control = _mm256_and_si256(_mm256_shuffle_epi8(load_32(control_low), block), high);
    __m256i plain = _mm256_and_si256(_mm256_shuffle_epi8(load_32(plain_low), block), high);
    unsigned free = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(control, zero));
    unsigned odd = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(plain, zero));
    marks->control |= (uint64_t)~free << at;
    marks->odd |= (uint64_t)odd << at;
}

__attribute__((target("avx2"))) void scan_block_avx2(const char *p, size_t n, struct marks *marks)
{
    if (n < 32) {
        scan_block_sse42(p, n, marks);
        return;
    }
    struct marks found = {0, 0};
    mark_32(p, 0, &found);
    mark_32(p, n < SCAN_BLOCK ? n - 32 : 32, &found);
    *marks = found;
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
void scan_block_sse42(const char *p, size_t n, struct marks *marks)
{
    scan_block_scalar(p, n, marks);
}

void scan_block_avx2(const char *p, size_t n, struct marks *marks)
{
    scan_block_scalar(p, n, marks);
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
        scan_block = scan_block_avx2;
        return "avx2";
    }
    if (scan_has_sse42()) {
        scan_block = scan_block_sse42;
        return "sse4.2";
    }
    scan_block = scan_block_scalar;
    return "scalar";
}
