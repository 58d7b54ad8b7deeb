/* verdict: whether a number is valid, or why not. */
#ifndef MODEL_VERDICT_H
#define MODEL_VERDICT_H

/* name (in JSON and tables), and what it means with what to do, for people. */
#define VERDICTS(X)                                                                                \
    X(VALID, "valid", "measured, checked, comparable")                                             \
    X(SKIPPED, "skipped", "not measured, for the reason given")                                    \
    X(NOT_RUN, "not_run", "the run ended before this was measured")                                \
    X(CONTRACT_BROKEN, "contract_broken", "the server does not do what the route asks")            \
    X(BOOT_FAILED, "boot_failed", "the server did not come up")                                    \
    X(SERVER_DIED, "server_died", "the server ended during the trial")                             \
    X(TOOL_FAILED, "tool_failed", "the generator failed; its output is in raw/")                   \
    X(TOOL_TIMEOUT, "tool_timeout", "the generator did not end in time and was stopped")           \
    X(NO_DATA, "no_data", "the generator completed no request")                                    \
    X(CONNECT_FAILED, "connect_failed", "the generator could not connect")                         \
    X(FD_LIMIT, "fd_limit", "too few file descriptors for this many connections (ulimit -n)")      \
    X(PORTS_EXHAUSTED, "ports_exhausted", "no ephemeral port was left; not the server's fault")    \
    X(ERRORS, "errors", "answers were wrong or missing; a rate of errors is no throughput")        \
    X(KEEPALIVE_LOST, "keepalive_lost", "connections were reopened although keep-alive was asked") \
    X(SHORT, "short", "ended long before the asked time")                                          \
    X(OVERRUN, "overrun", "took far longer than the asked time")                                   \
    X(INCONSISTENT, "inconsistent", "the figures contradict each other (Little's law, counts)")    \
    X(SHARED_CORES, "shared_cores", "server and generator shared a core: the rate is of both")     \
    X(CLIENT_BOUND, "client_bound", "the generator was the limit, not the server")                 \
    X(UNSTABLE, "unstable", "blocks differ too much, or others took the CPU")

enum verdict {
#define X(id, name, meaning) VERDICT_##id,
    VERDICTS(X)
#undef X
    VERDICT_COUNT
};

const char *verdict_name(enum verdict v);
const char *verdict_meaning(enum verdict v);
int verdict_find(const char *name); /* or -1 */

#endif
