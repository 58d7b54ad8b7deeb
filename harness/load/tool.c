/* tool: what wrk and ab have in common as programs. Knows nothing of their options or reports. */
#include "load/tool.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/process.h"
#include "lab/program.h"
#include "lab/stop.h"
#include "load/generator.h"
#include "load/limits.h"
#include "load/symptom.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum {
    VERSION_WAIT_MS = 10000
};

char *tool_missing(const char *program, const char *package)
{
    char *path = program_find(program);
    if (!path)
        return xasprintf("%s is not installed: apt-get install %s", program, package);
    free(path);
    return NULL;
}

char *tool_first_line(char *const *argv)
{
    char *text = process_capture(argv, VERSION_WAIT_MS, NULL, NULL);
    if (text)
        text[strcspn(text, "\n")] = '\0';
    return text;
}

char *tool_address_url(const struct sockaddr_in *address, enum route_id route)
{
    char host[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &address->sin_addr, host, sizeof host);
    return xasprintf("http://%s:%u%s", host, ntohs(address->sin_port), route_get(route)->path);
}

char *tool_url(const struct load *l)
{
    return tool_address_url(&l->address, l->route);
}

static char *raw_path(const struct load *l, const char *prefix, const char *name)
{
    return xasprintf("%s/%s%s", l->raw_dir, prefix, name);
}

char *tool_body_file(const struct load *l, struct err *e)
{
    const char *body = route_get(l->route)->request_body;
    if (!body)
        return xstrdup("");
    char *path = raw_path(l, "", "body");
    if (file_replace(path, body, strlen(body), e) == 0)
        return path;
    free(path);
    return NULL;
}

static bool plain_word(const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:=@_";
    return *s && s[strspn(s, plain)] == '\0';
}

/* POSIX shell quoting: everything is literal between single quotes, except one itself. */
static void print_quoted(FILE *f, const char *s)
{
    if (plain_word(s)) {
        fputs(s, f);
        return;
    }
    fputc('\'', f);
    for (; *s; s++)
        *s == '\'' ? fputs("'\\''", f) : fputc(*s, f);
    fputc('\'', f);
}

static int keep_command(const struct load *l, const struct tool_job *job, struct err *e)
{
    char *text = NULL, *path = raw_path(l, job->prefix, "command.txt");
    size_t len;
    FILE *f = open_memstream(&text, &len);
    for (size_t i = 0; i < job->argv.n; i++) {
        if (i)
            fputc(' ', f);
        print_quoted(f, job->argv.item[i]);
    }
    fputc('\n', f);
    fclose(f);
    int rc = file_replace(path, text, len, e);
    free(text);
    free(path);
    return rc;
}

static unsigned ms(double s)
{
    return s > 0 ? (unsigned)(s * 1000) : 0;
}

/* Waits for the end, as the job asks; leaves nothing running. */
static int attend(struct process *p, const struct tool_job *job, struct tool_end *end,
                  struct err *e)
{
    bool ended = false;
    double left_s = job->limit_s;
    if (job->interrupt_s > 0) {
        ended = process_wait(p, ms(job->interrupt_s));
        left_s -= job->interrupt_s;
        if (!ended && !stop_asked())
            process_signal(p, SIGINT);
    }
    ended = ended || process_wait(p, ms(left_s));
    end->stopped = !ended && stop_asked();
    end->timed_out = !ended && !end->stopped;
    if (end->timed_out) {
        process_signal(p, SIGINT);
        if (!process_wait(p, job->grace_ms))
            process_signal(p, SIGTERM);
        process_wait(p, job->grace_ms);
    }
    return process_stop(p, end->timed_out ? SIGKILL : SIGTERM, job->grace_ms, e);
}

int tool_run(const struct load *l, const struct tool_job *job, struct tool_end *end, struct err *e)
{
    char *out = raw_path(l, job->prefix, "out.txt"), *err = raw_path(l, job->prefix, "err.txt");
    struct process_spec spec = {.argv = job->argv.item,
                                .out_path = out,
                                .err_path = err,
                                .cpus = l->cpus,
                                .fds = (uint64_t)l->connections + LIMITS_FDS_RESERVE};
    struct process p = {.pidfd = -1};
    *end = (struct tool_end){0};
    int rc = keep_command(l, job, e);
    if (rc == 0)
        rc = process_start(&p, &spec, e);
    if (rc == 0)
        rc = attend(&p, job, end, e);
    if (rc == 0) {
        end->cpu_s = p.user_s + p.system_s;
        end->failed = p.status != 0;
        end->status = WIFEXITED(p.status) ? WEXITSTATUS(p.status) : -1;
        process_explain(&p, end->how, sizeof end->how);
        end->out = file_read(out, NULL, e);
        end->err = file_read(err, NULL, e);
        rc = end->out && end->err ? 0 : -1;
    }
    free(out);
    free(err);
    return rc;
}

/* The program without its folder, which is no matter of a result. */
static const char *name_of(const struct tool_job *job)
{
    const char *slash = strrchr(job->argv.item[0], '/');
    return slash ? slash + 1 : job->argv.item[0];
}

bool tool_cut_short(const struct tool_end *end, const struct tool_job *job, struct load_outcome *o)
{
    o->cpu_s = end->cpu_s;
    if (end->stopped) {
        o->verdict = VERDICT_NOT_RUN;
        snprintf(o->note, sizeof o->note, "stopped by the user");
    } else if (end->timed_out) {
        o->verdict = VERDICT_TOOL_TIMEOUT;
        snprintf(o->note, sizeof o->note, "%s was still running after %.1f s and was ended (%s)",
                 name_of(job), job->limit_s, end->how);
    }
    return end->stopped || end->timed_out;
}

void tool_diagnose(const struct tool_end *end, const char *name, struct tally *t,
                   struct load_outcome *o)
{
    struct symptom s, other;
    /* What a tool says on its way out is on stderr; wrk prints its usage on stdout. */
    if (!symptom_find(end->err, &s) && (symptom_find(end->out, &other) || !s.words[0]))
        s = other;
    o->verdict = s.verdict;
    if (s.kind >= 0)
        t->errors[s.kind] = 1;
    snprintf(o->note, sizeof o->note, "%s %s, %s: %s", name, end->how, s.meaning,
             s.words[0] ? s.words : "it printed nothing");
}

void tool_note_end(const struct tool_end *end, const struct tool_job *job, struct load_outcome *o)
{
    if (end->failed && job->interrupt_s <= 0 && o->verdict == VERDICT_VALID && !o->note[0])
        snprintf(o->note, sizeof o->note, "%s %s after its report", name_of(job), end->how);
}

void tool_no_figures(struct tally *t)
{
    struct trial nothing;
    trial_init(&nothing);
    *t = nothing.tally;
}

void tool_end_fini(struct tool_end *end)
{
    free(end->out);
    free(end->err);
    end->out = end->err = NULL;
}
