/* counters: each worker writes its own and anybody reads all, without locks: a reader may see one
   worker a request ahead of another, never half a number. */
#include "http/counters.h"

#include "http/err.h"
#include "http/version.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct counters_board *counters_open(unsigned workers)
{
    size_t size = sizeof(struct counters_board) + workers * sizeof(struct counters);
    struct counters_board *board =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED) {
        log_line("out of memory: %zu bytes of counters", size);
        abort();
    }
    board->workers = workers;
    return board;
}

static void write_one(FILE *f, const struct counters *c)
{
    uint64_t accepted = c->accepted, closed = c->closed;
    fprintf(f,
            "\"requests\":%" PRIu64 ",\"connections_opened\":%" PRIu64
            ",\"connections_open\":%" PRIu64 ",\"bytes_in\":%" PRIu64 ",\"bytes_out\":%" PRIu64,
            c->requests, accepted, accepted > closed ? accepted - closed : 0, c->bytes_in,
            c->bytes_out);
    for (int i = 2; i <= 5; i++)
        fprintf(f, ",\"status_%dxx\":%" PRIu64, i, c->status[i]);
    fprintf(f,
            ",\"malformed\":%" PRIu64 ",\"timeouts\":%" PRIu64 ",\"write_timeouts\":%" PRIu64
            ",\"errors\":%" PRIu64,
            c->malformed, c->timeouts, c->write_timeouts,
            c->malformed + c->timeouts + c->write_timeouts);
}

static void add(struct counters *sum, const struct counters *c)
{
    sum->requests += c->requests;
    sum->accepted += c->accepted;
    sum->closed += c->closed;
    sum->bytes_in += c->bytes_in;
    sum->bytes_out += c->bytes_out;
    for (int i = 0; i < 6; i++)
        sum->status[i] += c->status[i];
    sum->malformed += c->malformed;
    sum->timeouts += c->timeouts;
    sum->write_timeouts += c->write_timeouts;
}

char *counters_json(const struct counters_board *board)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        abort();
    struct counters sum = {0};
    for (unsigned i = 0; i < board->workers; i++)
        add(&sum, &board->of[i]);
    fprintf(f, "{\"version\":\"%s\",\"engine\":\"%s\",", SERVER_VERSION, board->of[0].engine);
    write_one(f, &sum);
    fprintf(f, ",\"restarts\":%" PRIu64 ",\"workers\":[", board->restarts);
    for (unsigned i = 0; i < board->workers; i++) {
        fprintf(f, "%s{\"pid\":%" PRIu64 ",\"engine\":\"%s\",", i ? "," : "", board->of[i].pid,
                board->of[i].engine);
        write_one(f, &board->of[i]);
        fputc('}', f);
    }
    fputs("]}\n", f);
    fclose(f);
    return text;
}
