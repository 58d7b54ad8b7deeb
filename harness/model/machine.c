/* machine: see machine.h. The key is FNV-1a (64 bits) over the facts, which needs no secrecy, only
   to be the same everywhere and short enough for names of files. */
#include "model/machine.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What must be equal for absolute figures to be compared. Sizes of memory and limits aren't here:
   they differ between machines of one kind and don't move these figures. */
static const char *const kept[] = {"cpu_model", "architecture", "cores_usable",   "smt",
                                   "governor",  "boost",        "virtualization", "cpu_split"};

enum {
    KEPT = sizeof kept / sizeof kept[0]
};

static void hash(uint64_t *h, const char *text)
{
    for (const char *p = text;; p++) {
        *h = (*h ^ (unsigned char)*p) * 0x100000001b3u;
        if (!*p)
            return; /* the NUL counts, so that neighbours don't run together */
    }
}

static void make_key(struct machine *m)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < m->facts.n; i++) {
        hash(&h, m->facts.item[i].key);
        hash(&h, facts_show(&m->facts, m->facts.item[i].key));
    }
    snprintf(m->key, sizeof m->key, "%016llx", (unsigned long long)h);
}

/* "6.18.44-fc-v657" -> "6.18": what is mended within a series doesn't make another machine. */
static void add_kernel(struct machine *m, const struct facts *environment)
{
    const struct fact *kernel = facts_find(environment, "kernel");
    const char *p = kernel && kernel->text ? kernel->text : "";
    char text[32];
    size_t n = strspn(p, "0123456789");
    if (n && p[n] == '.')
        n += 1 + strspn(p + n + 1, "0123456789");
    snprintf(text, sizeof text, "%.*s", (int)n, p);
    facts_text(&m->facts, "kernel", n ? text : NULL);
}

static void copy_fact(struct facts *to, const struct facts *from, const char *key)
{
    const struct fact *f = facts_find(from, key);
    if (f && !f->text)
        facts_number(to, key, f->number);
    else
        facts_text(to, key, f ? f->text : NULL);
}

void machine_of(struct machine *m, const struct facts *environment)
{
    *m = (struct machine){0};
    for (size_t i = 0; i < KEPT; i++)
        copy_fact(&m->facts, environment, kept[i]);
    add_kernel(m, environment);
    make_key(m);
}

const char *machine_title(const struct machine *m)
{
    static char slots[4][160];
    static unsigned slot;
    char *to = slots[slot++ % 4];
    snprintf(to, sizeof slots[0], "%.90s, %.10s cores, Linux %.20s",
             facts_show(&m->facts, "cpu_model"), facts_show(&m->facts, "cores_usable"),
             facts_show(&m->facts, "kernel"));
    return to;
}

void machine_copy(struct machine *to, const struct machine *from)
{
    *to = (struct machine){0};
    memcpy(to->key, from->key, sizeof to->key);
    for (size_t i = 0; i < from->facts.n; i++)
        copy_fact(&to->facts, &from->facts, from->facts.item[i].key);
}

void machine_fini(struct machine *m)
{
    facts_fini(&m->facts);
}
