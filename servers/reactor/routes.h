/* routes: what the reference reactor answers by itself, without files. */
#ifndef REACTOR_ROUTES_H
#define REACTOR_ROUTES_H

struct options;
struct site;

/* Adds /health, /json, /echo and, where asked for, the counters. The site's style must be set. */
void routes_add(struct site *site, const struct options *o);

#endif
