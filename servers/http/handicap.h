/* handicap: makes every request cost a known amount more, to plant a slowdown that must be found.
 */
#ifndef HTTP_HANDICAP_H
#define HTTP_HANDICAP_H

#include <stdint.h>

/* Measures the spin and sets it to ns of CPU time a call; 0 switches it off. Takes about 20 ms. */
void handicap_set(double ns);

/* Burns it; amounts below 10 us are saved up and burnt together, so that the mean is right. */
void handicap_spin(void);

/* Steps of one spin, as measured; for tests. */
uint64_t handicap_steps(void);

#endif
