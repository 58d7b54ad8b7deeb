/* published_word: how a published statement fares on this machine. */
#ifndef MODEL_PUBLISHED_WORD_H
#define MODEL_PUBLISHED_WORD_H

/* The words and what each means; judge/reproduce.h has the rule. */
#define PUBLISHED_WORDS(X)                                                                         \
    X(REFERENCE, "reference", "what the other rows of its table are held against")                 \
    X(HOLDS, "holds", "the whole interval lies within the published ratio's tolerance")            \
    X(DIFFERS, "differs", "the whole interval lies outside the published ratio's tolerance")       \
    X(CANT_TELL, "can't tell", "the interval lies across the tolerance's end, or there is none")   \
    X(CANT_RUN, "can't run here", "its cell could not be measured at all")

enum published_word {
#define X(id, name, meaning) WORD_##id,
    PUBLISHED_WORDS(X)
#undef X
    WORD_COUNT
};
const char *published_word_name(enum published_word w);
const char *published_word_meaning(enum published_word w);

#endif
