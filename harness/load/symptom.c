/* symptom: messages by which tools say that they gave up. Only texts that stay the same are
   matched: strerror under LC_ALL=C and ab's numbers; never the name of the function that failed,
   which differs between versions (apr_poll, apr_pollset_poll). The first rule that fits any line
   wins. */
#include "load/symptom.h"

#include "load/line.h"

#include <stdio.h>

static const struct {
    const char *text;
    enum verdict verdict;
    int kind;
    const char *meaning;
} rules[] = {
    {"Too many open files", VERDICT_FD_LIMIT, ERROR_CONNECT,
     "too few file descriptors (ulimit -n)"},
    {"file descriptors and the limit is", VERDICT_FD_LIMIT, ERROR_CONNECT,
     "too few file descriptors (ulimit -n)"}, /* volley */
    {"Cannot assign requested address", VERDICT_PORTS_EXHAUSTED, ERROR_CONNECT,
     "no ephemeral port was left"},
    {"(70007)", VERDICT_ERRORS, ERROR_TIMEOUT, "timeout: no answer for ab's -s seconds"},
    {"Connection refused", VERDICT_CONNECT_FAILED, ERROR_CONNECT, "refused: nobody listens"},
    {"apr_socket_connect()", VERDICT_CONNECT_FAILED, ERROR_CONNECT, "cannot connect"},
    {"unable to connect to", VERDICT_CONNECT_FAILED, ERROR_CONNECT, "cannot connect"},
    {"Connection reset by peer", VERDICT_ERRORS, ERROR_READ,
     "reset: the server broke a connection and the tool gave up"},
    {"Response header too long", VERDICT_ERRORS, ERROR_READ, "no HTTP answer"},
    {"Usage: ", VERDICT_TOOL_FAILED, -1, "bad arguments"},
    {"wrong number of arguments", VERDICT_TOOL_FAILED, -1, "bad arguments"},
    {"number of connections must be >= threads", VERDICT_TOOL_FAILED, -1, "bad arguments"},
};

static void keep_words(struct symptom *s, const struct line *l)
{
    snprintf(s->words, sizeof s->words, "%.*s", (int)l->len, l->at);
}

bool symptom_find(const char *text, struct symptom *s)
{
    struct line l;
    *s = (struct symptom){VERDICT_TOOL_FAILED, -1, "the generator failed", ""};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        for (const char *cursor = text; line_next(&cursor, &l);)
            if (line_has(&l, rules[i].text)) {
                s->verdict = rules[i].verdict;
                s->kind = rules[i].kind;
                s->meaning = rules[i].meaning;
                keep_words(s, &l);
                return true;
            }
    for (const char *cursor = text; line_next(&cursor, &l);)
        if (l.len)
            keep_words(s, &l);
    return false;
}
