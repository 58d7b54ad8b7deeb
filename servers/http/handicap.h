/* handicap: makes every request cost a known amount more, to plant a slowdown that must be found.
 */
#ifndef HTTP_HANDICAP_H
#define HTTP_HANDICAP_H

/* From now on every handicap_spin costs ns of time on a CPU; 0 switches it off. */
void handicap_set(double ns);

/* Burns it; amounts below 1 us are saved up and burnt together, so that the mean is right. */
void handicap_spin(void);

/* ns burnt since it was set; for tests. */
double handicap_burnt_ns(void);

#endif
