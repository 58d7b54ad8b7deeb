/* progress: see progress.h. */
#include "present/progress.h"

#include "base/alloc.h"
#include "present/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The plan's word counts as much as this many measured trials, so that the first ones don't make
   the estimate jump. */
static const double prior_trials = 4;

double progress_left_s(const struct progress *p)
{
    if (p->done >= p->total)
        return 0;
    double planned_s = p->planned_s / (double)p->total;
    double trial_s = (planned_s * prior_trials + p->elapsed_s) / (prior_trials + (double)p->done);
    return trial_s * (double)(p->total - p->done);
}

/* Rounded as far as an estimate deserves: seconds at the end, minutes before. */
static void write_left(char *to, size_t size, double left_s)
{
    if (left_s < 10)
        snprintf(to, size, "a few seconds left");
    else if (left_s < 90)
        snprintf(to, size, "%.0f s left", ceil(left_s / 10) * 10);
    else if (left_s < 5400)
        snprintf(to, size, "%.0f min left", ceil(left_s / 60));
    else
        snprintf(to, size, "%.1f h left", left_s / 3600);
}

/* Drops bytes at the end until text takes at most width columns, and no half character stays. */
static void clip(char *text, size_t width)
{
    size_t columns = 0;
    for (char *s = text; *s; s++) {
        columns += ((unsigned char)*s & 0xc0) != 0x80;
        if (columns > width) {
            *s = '\0';
            return;
        }
    }
}

char *progress_line(char *to, size_t size, const struct progress *p, unsigned width)
{
    char left[40], bar[21] = "....................";
    locale_t before = figure_locale_begin();
    size_t filled = p->total ? p->done * (sizeof bar - 1) / p->total : 0;
    memset(bar, '#', filled < sizeof bar ? filled : sizeof bar - 1);
    write_left(left, sizeof left, progress_left_s(p));
    char *line = xasprintf("[%s] %zu/%zu, %s: %s, block %u of %u", bar, p->done, p->total, left,
                           p->what ? p->what : "", p->block + 1, p->blocks);
    clip(line, (width ? width : 80) - 1); /* the last column would wrap on some terminals */
    snprintf(to, size, "\r%s\033[K", line);
    free(line);
    figure_locale_end(before);
    return to;
}

const char *progress_erase(void)
{
    return "\r\033[K";
}

char *progress_log(char *to, size_t size, const struct progress *p, double requests_per_s,
                   enum verdict verdict)
{
    char left[40];
    locale_t before = figure_locale_begin();
    write_left(left, sizeof left, progress_left_s(p));
    snprintf(to, size, "%zu/%zu %s, block %u of %u: %s%s%s; %s\n", p->done, p->total,
             p->what ? p->what : "", p->block + 1, p->blocks, verdict_name(verdict),
             isfinite(requests_per_s) ? ", requests/s " : "",
             isfinite(requests_per_s) ? figure_rate(requests_per_s).text : "",
             p->done < p->total ? left : "done");
    figure_locale_end(before);
    return to;
}
