/* pattern: the fast path. A server's answers to one request differ in nothing but their Date; once
   one was read in full and found good, the next are recognised by comparing bytes. Pure. */
#ifndef VOLLEY_PATTERN_H
#define VOLLEY_PATTERN_H

#include "volley/reply.h"

enum {
    PATTERN_HEAD_MAX = 1024
};

struct pattern {
    size_t head_len; /* 0: nothing learnt yet */
    size_t date_end; /* with a Date: where its value ends */
    struct reply_head head;
    char bytes[PATTERN_HEAD_MAX];
};

/* Learns from a head that reply.c accepted, if it is short and says how long the body is. */
void pattern_learn(struct pattern *p, const struct reply_head *head, const char *bytes, size_t len);

/* Do these n bytes start with the learnt head, its Date value apart? A Date that differs from the
   last one must have a Date's form, and is remembered. */
bool pattern_match(struct pattern *p, const char *bytes, size_t n);

#endif
