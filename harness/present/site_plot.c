/* site_plot: a chart of the trend site as inline SVG, which is all there is where scripts don't
   run. Of long histories neighbouring runs share a place: the line is their mean, the band reaches
   from the lowest to the highest of them. */
#include "present/site_parts.h"

#include "base/alloc.h"
#include "present/html.h"

#include <math.h>
#include <stdlib.h>

enum {
    WIDTH = 460,
    HEIGHT = 190,
    LEFT = 52,
    RIGHT = 14,
    TOP = 20,
    BOTTOM = 24,
    PLACES = 200,    /* different x */
    SHAPES_MAX = 60, /* runs that get a shape and a title of their own */
    DAYS = 4,
    LABEL = 52, /* width of a change in words */
    LOOKS = 6
};

struct plot {
    FILE *to;
    const struct site *s;
    const struct site_page *p;
    const struct site_chart *c;
    double low, high;
    size_t first, last; /* runs: what the x axis shows */
};

static double x_of(const struct plot *d, double at)
{
    double span = d->last > d->first ? (double)(d->last - d->first) : 1;
    double share = d->last > d->first ? (at - (double)d->first) / span : 0.5;
    return LEFT + 6 + share * (WIDTH - LEFT - RIGHT - 12);
}

static double y_of(const struct plot *d, double y)
{
    double share = (fmin(fmax(y, d->low), d->high) - d->low) / (d->high - d->low);
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
}

/* From all points, and of their intervals what is not absurdly wide; never narrower than 2 %. */
static void find_range(struct plot *d)
{
    double low = INFINITY, high = -INFINITY;
    d->first = SITE_NONE;
    d->last = 0;
    for (size_t i = 0; i < d->c->n; i++)
        for (size_t k = 0; k < d->c->lines[i].n; k++) {
            const struct site_point *p = &d->c->lines[i].points[k];
            low = fmin(low, isfinite(p->low) ? fmax(p->low, p->y / 1.2) : p->y);
            high = fmax(high, isfinite(p->high) ? fmin(p->high, p->y * 1.2) : p->y);
            d->first = p->at < d->first ? p->at : d->first;
            d->last = p->at > d->last ? p->at : d->last;
        }
    double least = fmax(fabs(high) * 0.02, high == 0 ? 1 : 0);
    double pad = fmax((high - low) * 0.08, (least - (high - low)) / 2);
    d->low = low >= 0 ? fmax(low - pad, 0) : low - pad;
    d->high = high + pad;
}

static double nice_step(double span)
{
    double power = pow(10, floor(log10(span / 4)));
    double lead = span / 4 / power;
    return power * (lead > 5 ? 10 : lead > 2 ? 5 : lead > 1 ? 2 : 1);
}

static void write_upright(FILE *to, const char *class, double x)
{
    fprintf(to, "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", class, x, x,
            TOP, HEIGHT - BOTTOM);
}

static void write_level(FILE *to, const char *class, double x1, double x2, double y)
{
    fprintf(to, "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", class, x1,
            x2, y, y);
}

static void write_axes(const struct plot *d)
{
    double step = nice_step(d->high - d->low);
    bool relative = d->c->metric <= SITE_CPU_RATIO;
    long first = lround(ceil(d->low / step)), last = lround(floor(d->high / step + 1e-6));
    for (long i = first; i <= last; i++) {
        double t = (double)i * step;
        bool one = relative && fabs(t - 1) < step * 1e-3;
        write_level(d->to, one ? "one" : "tick", LEFT, WIDTH - RIGHT, y_of(d, t));
        fprintf(d->to, "<text class=\"dim\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 6,
                y_of(d, t) + 4);
        if (relative)
            fprintf(d->to, "%.*f</text>", step < 0.0099 ? 3 : 2, t);
        else
            html_write(d->to, "%s</text>", site_figure(d->c->metric, t));
    }
    size_t runs = d->last - d->first + 1, days = runs < DAYS ? runs : DAYS;
    for (size_t i = 0; i < days; i++) {
        size_t at = days > 1 ? d->first + (runs - 1) * i / (days - 1) : d->first;
        const char *anchor = days == 1      ? "middle"
                             : i == 0       ? "start"
                             : i + 1 < days ? "middle"
                                            : "end";
        fprintf(d->to, "<text class=\"dim\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">",
                x_of(d, (double)at), HEIGHT - 6, anchor);
        site_day(d->to, &d->s->history->runs[d->p->runs[at]]);
        fputs("</text>", d->to);
    }
}

struct place { /* of runs that share one */
    double x, y, low, high;
};

/* Returns how many places there are; the caller frees them. */
static size_t make_places(const struct plot *d, const struct site_line *line, struct place **places)
{
    size_t n = 0, count = 0, runs = d->last - d->first + 1;
    size_t each = (runs + PLACES - 1) / PLACES, here = SITE_NONE;
    *places = xcalloc(line->n, sizeof **places);
    for (size_t i = 0; i < line->n; i++) {
        const struct site_point *p = &line->points[i];
        struct place *to = &(*places)[n - (n > 0)];
        double low = isfinite(p->low) ? p->low : p->y, high = isfinite(p->high) ? p->high : p->y;
        if ((p->at - d->first) / each != here) {
            here = (p->at - d->first) / each;
            to = &(*places)[n++];
            *to = (struct place){0, 0, low, high};
            count = 0;
        }
        count++;
        to->x += ((double)p->at - to->x) / (double)count;
        to->y += (p->y - to->y) / (double)count;
        to->low = fmin(to->low, low);
        to->high = fmax(to->high, high);
    }
    return n;
}

static void write_band(const struct plot *d, const struct place *places, size_t n)
{
    fputs("<path class=\"band\" d=\"", d->to);
    for (size_t i = 0; i < n; i++)
        fprintf(d->to, "%c%.1f %.1f", i ? 'L' : 'M', x_of(d, places[i].x), y_of(d, places[i].high));
    for (size_t i = n; i-- > 0;)
        fprintf(d->to, "L%.1f %.1f", x_of(d, places[i].x), y_of(d, places[i].low));
    fputs("z\"/>", d->to);
    if (n > 1)
        return;
    fprintf(d->to, "<line class=\"span\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
            x_of(d, places[0].x), x_of(d, places[0].x), y_of(d, places[0].low),
            y_of(d, places[0].high));
}

static void write_course(const struct plot *d, const struct place *places, size_t n)
{
    fputs("<polyline class=\"course\" points=\"", d->to);
    for (size_t i = 0; i < n; i++)
        fprintf(d->to, "%s%.1f,%.1f", i ? " " : "", x_of(d, places[i].x), y_of(d, places[i].y));
    fputs("\"/>", d->to);
}

static void write_shapes(const struct plot *d, const struct site_line *line)
{
    for (size_t i = 0; i < line->n; i++) {
        const struct site_point *p = &line->points[i];
        const struct history_run *run = &d->s->history->runs[d->p->runs[p->at]];
        const char *url = site_link(run->commit_url);
        if (url)
            html_write(d->to, "<a href=\"%s\">", url);
        fprintf(d->to, "<circle class=\"shape\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>",
                x_of(d, (double)p->at), y_of(d, p->y));
        html_write(d->to, "%s %s", d->s->servers.item[line->server],
                   site_figure(d->c->metric, p->y));
        if (isfinite(p->low)) {
            html_write(d->to, " (%s", site_figure(d->c->metric, p->low));
            html_write(d->to, " to %s)", site_figure(d->c->metric, p->high));
        }
        html_write(d->to, ", %s %s</title></circle>", run->time, run->commit ? run->commit : "");
        fputs(url ? "</a>" : "", d->to);
    }
}

/* Where levels change, and by how much: what has no room gets no words. */
static void write_changes(const struct plot *d, const struct site_line *line, double *free_x)
{
    for (size_t i = 0; i < line->changes_n; i++) {
        const struct changepoint *c = &line->changes[i];
        double x = fmax(x_of(d, (double)line->points[c->index].at - 0.5), LEFT);
        double middle = fmin(fmax(x, LEFT + LABEL / 2.0), WIDTH - RIGHT - LABEL / 2.0);
        write_upright(d->to, "change", x);
        if (fabs(middle - *free_x) < LABEL)
            continue;
        *free_x = middle;
        fprintf(d->to, "<text class=\"%s\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
                site_change_class(d->c->metric, c), middle, TOP - 6, site_change(c));
    }
}

void site_plot(FILE *to, const struct site *s, const struct site_page *p,
               const struct site_chart *c)
{
    struct plot d = {.to = to, .s = s, .p = p, .c = c};
    double free_x = -LABEL; /* where the last change was written */
    find_range(&d);
    size_t runs = d.last - d.first + 1;
    fprintf(to, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    html_write(to, "%s over runs; the newest figures are in the table below\">",
               site_metric_name(c->metric));
    write_axes(&d);
    for (size_t i = 0; i < c->n; i++) {
        struct place *places;
        size_t n = make_places(&d, &c->lines[i], &places);
        fprintf(to, "<g class=\"s%zu\">", c->lines[i].server % LOOKS);
        write_band(&d, places, n);
        write_course(&d, places, n);
        if (runs <= SHAPES_MAX)
            write_shapes(&d, &c->lines[i]);
        write_changes(&d, &c->lines[i], &free_x);
        fputs("</g>", to);
        free(places);
    }
    fputs("</svg>", to);
}

void site_spark(FILE *to, const struct site_line *line)
{
    enum {
        W = 120,
        H = 26,
        POINTS = 60
    };
    size_t from = line->n > POINTS ? line->n - POINTS : 0;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = from; i < line->n; i++) {
        low = fmin(low, line->points[i].y);
        high = fmax(high, line->points[i].y);
    }
    double span = fmax(high - low, high * 0.02), middle = (high + low) / 2;
    size_t n = line->n - from;
    fprintf(to,
            "<svg class=\"spark s%zu\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\">"
            "<polyline class=\"course\" points=\"",
            line->server % LOOKS, W, H);
    double x = W - 4, y = H / 2.0;
    for (size_t i = 0; i < n; i++) {
        x = n > 1 ? 3 + (double)i * (W - 7) / (double)(n - 1) : W - 4;
        y = H / 2.0 - (line->points[from + i].y - middle) / span * (H - 8);
        fprintf(to, "%s%.1f,%.1f", i ? " " : "", x, y);
    }
    fprintf(to, "\"/><circle class=\"shape\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/></svg>", x, y);
}
