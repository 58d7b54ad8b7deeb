/* team: see team.h. */
#include "volley/team.h"

#include "base/alloc.h"
#include "base/err.h"
#include "volley/flags.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct team_member {
    struct team *team;
    unsigned index;
    pthread_t thread;
};

static void take_step(struct team *m, unsigned i)
{
    switch (m->step) {
    case TEAM_MAKE: m->worker[i] = worker_new(&m->plan, i, &m->errors[i]); break;
    case TEAM_CONNECT: worker_connect(m->worker[i]); break;
    case TEAM_SLICE: worker_slice(m->worker[i], m->target, m->length_ns); break;
    case TEAM_FREE:
        if (m->worker[i])
            worker_free(m->worker[i]);
        break;
    }
}

static void meet(struct team *m)
{
    if (m->size > 1)
        pthread_barrier_wait(&m->barrier);
}

static void *member_main(void *argument)
{
    struct team_member *self = argument;
    enum team_step done;
    do {
        meet(self->team);
        done = self->team->step;
        take_step(self->team, self->index);
        meet(self->team);
    } while (done != TEAM_FREE);
    return NULL;
}

static void all_step(struct team *m, enum team_step step)
{
    m->step = step;
    meet(m);
    take_step(m, 0);
    meet(m);
}

/* Threads 1.. of the team. Signals stay with the caller's thread. If one can't be made, those
   before it are left waiting at their barrier: the program is about to end. */
static int start_members(struct team *m, struct err *e)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int rc = 0;
    for (unsigned i = 1; i < m->size && rc == 0; i++) {
        m->members[i] = (struct team_member){.team = m, .index = i};
        rc = pthread_create(&m->members[i].thread, NULL, member_main, &m->members[i]);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (rc != 0) {
        m->size = 0;
        return err_set(e, EXIT_MACHINE, "cannot start %llu threads: %s; ask for fewer with -t",
                       (unsigned long long)m->plan.options->threads, strerror(rc));
    }
    return 0;
}

int team_init(struct team *m, struct err *e)
{
    m->size = (unsigned)m->plan.options->threads;
    m->worker = xcalloc(m->size, sizeof(struct worker *));
    m->errors = xcalloc(m->size, sizeof *m->errors);
    m->members = xcalloc(m->size, sizeof *m->members);
    int rc = pthread_barrier_init(&m->barrier, NULL, m->size);
    assert(rc == 0);
    if (start_members(m, e) < 0)
        return -1;
    all_step(m, TEAM_MAKE);
    for (unsigned i = 0; i < m->size; i++) {
        if (!m->worker[i]) {
            *e = m->errors[i];
            return -1;
        }
    }
    return 0;
}

void team_fini(struct team *m)
{
    if (m->size) {
        all_step(m, TEAM_FREE);
        for (unsigned i = 1; i < m->size; i++) {
            int rc = pthread_join(m->members[i].thread, NULL);
            assert(rc == 0);
        }
        pthread_barrier_destroy(&m->barrier);
    }
    free(m->worker);
    free(m->errors);
    free(m->members);
    m->size = 0;
}

void team_connect(struct team *m)
{
    all_step(m, TEAM_CONNECT);
}

void team_slice(struct team *m, unsigned target, uint64_t length_ns)
{
    m->target = target;
    m->length_ns = length_ns;
    all_step(m, TEAM_SLICE);
}

void team_collect(struct team *m, unsigned target, struct tally *into)
{
    for (unsigned i = 0; i < m->size; i++) {
        struct tally *t = worker_tally(m->worker[i], target);
        tally_join(into, t);
        tally_reset(t);
    }
    uint64_t end = into->last_ns > into->stop_ns ? into->last_ns : into->stop_ns;
    into->duration_ns = end > into->start_ns ? end - into->start_ns : 0;
}

bool team_can_load(const struct team *m, unsigned target)
{
    for (unsigned i = 0; i < m->size; i++)
        if (worker_alive(m->worker[i], target) && !worker_spent(m->worker[i], target))
            return true;
    return false;
}

void team_compare(const struct team *m, unsigned target, struct tally *total)
{
    uint64_t len = 0, hash = 0, other_len, other_hash;
    bool have = false;
    for (unsigned i = 0; i < m->size; i++) {
        if (!worker_reference(m->worker[i], target, &other_len, &other_hash))
            continue;
        if (have && other_len != len && !m->plan.options->any_length)
            total->errors[ERROR_LENGTH]++;
        else if (have && other_hash != hash)
            total->errors[ERROR_BODY]++;
        have = true;
        len = other_len;
        hash = other_hash;
    }
}

unsigned team_achieved(const struct team *m, unsigned target)
{
    unsigned n = 0;
    for (unsigned i = 0; i < m->size; i++)
        n += worker_achieved(m->worker[i], target);
    return n;
}
