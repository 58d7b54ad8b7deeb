/* facts: an ordered list of what is known of a thing: the machine, a server, a tool. */
#ifndef MODEL_FACTS_H
#define MODEL_FACTS_H

#include <stddef.h>

struct fact {
    char *key;     /* snake_case, the unit in it: memory_mib */
    char *text;    /* NULL when it is a number */
    double number; /* NaN = not known */
};

struct facts {
    struct fact *item;
    size_t n;
};

/* A key that is there already gets the new value. */
void facts_text(struct facts *f, const char *key, const char *text); /* NULL text = unknown */
void facts_number(struct facts *f, const char *key, double number);
const struct fact *facts_find(const struct facts *f, const char *key); /* or NULL */
/* The value as text; "unknown" when it isn't there. Static buffer, valid until the 4th next call.
 */
const char *facts_show(const struct facts *f, const char *key);
void facts_fini(struct facts *f); /* safe twice */

#endif
