/* summary_text: the summary as wrk's users expect it, with what wrk doesn't say: errors by kind,
   connections that were really open, the CPU time that a request cost. */
#include "volley/summary_text.h"

#include "volley/lag.h"
#include "volley/flags.h"
#include "volley/target.h"

#include <errno.h>
#include <string.h>

/* A time with a unit that suits it. */
static const char *time_text(double ns, char text[32])
{
    if (ns < 1e6)
        snprintf(text, 32, "%.2fus", ns / 1e3);
    else if (ns < 1e9)
        snprintf(text, 32, "%.2fms", ns / 1e6);
    else
        snprintf(text, 32, "%.2fs", ns / 1e9);
    return text;
}

static const char *bytes_text(double bytes, char text[32])
{
    static const char *const unit[] = {"B", "KB", "MB", "GB", "TB"};
    unsigned i = 0;
    for (; bytes >= 1024 && i + 1 < sizeof unit / sizeof *unit; i++)
        bytes /= 1024;
    snprintf(text, 32, "%.2f%s", bytes, unit[i]);
    return text;
}

void summary_text_intro(const struct summary_about *about, FILE *to)
{
    const struct flags *o = about->options;
    for (unsigned i = 0; i < o->urls.n; i++)
        fprintf(to, "%s %s\n", i ? "    and" : "Loading", o->urls.item[i]);
    fprintf(to, "  %llu thread%s, %llu connections%s, seed %llu\n", (unsigned long long)o->threads,
            o->threads == 1 ? "" : "s", (unsigned long long)o->connections,
            o->urls.n > 1 ? " to each" : "", (unsigned long long)o->seed);
    fflush(to);
}

static void print_latency(const struct tally *t, bool distribution, FILE *to)
{
    static const double percents[] = {50, 75, 90, 99, 99.9, 99.99};
    char a[32], b[32], c[32], d[32];
    const struct histogram *h = t->latency;
    if (!h->total)
        return;
    fprintf(to, "  Latency  mean %s  p50 %s  p99 %s  max %s\n", time_text(histogram_mean_ns(h), a),
            time_text((double)histogram_percentile(h, 50), b),
            time_text((double)histogram_percentile(h, 99), c), time_text((double)h->max_ns, d));
    if (!distribution)
        return;
    fprintf(to, "  Latency distribution\n");
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++)
        fprintf(to, "  %7.4g%% %10s\n", percents[i],
                time_text((double)histogram_percentile(h, percents[i]), a));
}

static void print_errors(const struct session_target *r, const struct flags *o, FILE *to)
{
    const struct tally *t = &r->total;
    if (r->achieved < o->connections)
        fprintf(to, "  Only %u of %llu connections were open at once\n", r->achieved,
                (unsigned long long)o->connections);
    for (int i = 0; i < ERROR_KINDS; i++)
        if (t->errors[i])
            fprintf(to, "  Errors: %s %llu\n", error_names[i], (unsigned long long)t->errors[i]);
    if (t->wrong)
        fprintf(to, "  The first framing error was %s\n", t->wrong);
    if (t->connect_error)
        fprintf(to, "  The last connection failed with: %s%s\n", strerror(t->connect_error),
                t->connect_error == EADDRNOTAVAIL ? "; see --source" : "");
    if (t->not_closed)
        fprintf(to, "  %llu connections were left open after Connection: close\n",
                (unsigned long long)t->not_closed);
}

static void print_open_loop(const struct tally *t, const struct flags *o, FILE *to)
{
    char a[32], b[32], reason[160];
    fprintf(to, "  Asked for %.6g requests/s: %llu sent more than 1 ms late, %llu never sent\n",
            o->rate, (unsigned long long)t->late_sends, (unsigned long long)t->unsent);
    fprintf(to, "  The generator's own lag: p50 %s, p99 %s\n",
            time_text((double)histogram_percentile(t->lag, 50), a),
            time_text((double)histogram_percentile(t->lag, 99), b));
    if (lag_verdict(t, (unsigned)o->threads, reason, sizeof reason))
        fprintf(to, "  THE GENERATOR LAGGED: %s\n", reason);
}

static void print_target(const struct session_target *r, const struct target *target,
                         const struct flags *o, FILE *to)
{
    const struct tally *t = &r->total;
    char a[32], b[32];
    double s = (double)t->duration_ns / 1e9;
    fprintf(to, "%s\n", target->url);
    print_latency(t, o->latency, to);
    fprintf(to, "  %llu requests in %.2fs, %s read", (unsigned long long)t->ok, s,
            bytes_text((double)t->bytes_read, a));
    fprintf(to, r->slices > 1 ? ", %llu slices\n" : "\n", (unsigned long long)r->slices);
    print_errors(r, o, to);
    if (o->rate > 0)
        print_open_loop(t, o, to);
    if (t->ok)
        fprintf(to, "  CPU/request: client %.2fus", (double)t->cpu_ns / (double)t->ok / 1e3);
    if (t->ok && r->server_cpu_known)
        fprintf(to, ", server %.2fus", (double)r->server_cpu_ns / (double)t->ok / 1e3);
    fprintf(to, t->ok ? "\n" : "");
    fprintf(to, "Requests/sec: %.2f\n", s > 0 ? (double)t->ok / s : 0);
    fprintf(to, "Transfer/sec: %s\n", bytes_text(s > 0 ? (double)t->bytes_read / s : 0, b));
}

void summary_text(const struct session *run, const struct summary_about *about, FILE *to)
{
    for (unsigned i = 0; i < run->target_count; i++)
        print_target(&run->target[i], &about->targets[i], about->options, to);
    if (about->interrupted)
        fprintf(to, "Interrupted: this is what was measured until then\n");
}
