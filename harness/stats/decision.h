/* decision: what a sequential test says after a block. */
#ifndef STATS_DECISION_H
#define STATS_DECISION_H

enum decision {
    DECISION_CONTINUE,  /* measure another block */
    DECISION_FAIL,      /* B is slower than the margin allows; wrong with probability <= alpha */
    DECISION_PASS,      /* no slowdown of delta1 or more; wrong with probability <= beta */
    DECISION_UNDECIDED, /* the blocks are used up and neither can be said */
};

/* "CONTINUE", "FAIL", "PASS" or "UNDECIDED"; a constant. */
const char *decision_name(enum decision decision) __attribute__((returns_nonnull));

#endif
