/* date: formats and reads the dates of HTTP. English names whatever the locale: strftime isn't
 * used. */
#include "http/date.h"

#include <stdio.h>

static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

void date_format(time_t when, char to[DATE_LEN + 1])
{
    struct tm t;
    gmtime_r(&when, &t);
    char text[80];
    snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[t.tm_wday], t.tm_mday,
             months[t.tm_mon], (t.tm_year + 1900) % 10000, t.tm_hour, t.tm_min, t.tm_sec);
    memcpy(to, text, DATE_LEN);
    to[DATE_LEN] = '\0';
}

void date_renew(struct date *d, uint64_t now_ns)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME_COARSE, &t);
    date_format(t.tv_sec, d->text);
    d->until_ns = now_ns + 1000000000ULL - (uint64_t)t.tv_nsec;
    d->version++;
}

static int month_of(const char *name)
{
    for (int m = 0; m < 12; m++)
        if (memcmp(name, months[m], 3) == 0)
            return m;
    return -1;
}

time_t date_parse(struct str text)
{
    char copy[64], month[4];
    struct tm t = {0};
    int end = 0;
    if (text.n >= sizeof copy)
        return -1;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    /* IMF-fixdate; RFC 850; asctime */
    if (sscanf(copy, "%*3[A-Za-z], %2d %3[A-Za-z] %4d %2d:%2d:%2d GMT%n", &t.tm_mday, month,
               &t.tm_year, &t.tm_hour, &t.tm_min, &t.tm_sec, &end) != 6 &&
        sscanf(copy, "%*9[A-Za-z], %2d-%3[A-Za-z]-%2d %2d:%2d:%2d GMT%n", &t.tm_mday, month,
               &t.tm_year, &t.tm_hour, &t.tm_min, &t.tm_sec, &end) != 6 &&
        sscanf(copy, "%*3[A-Za-z] %3[A-Za-z] %2d %2d:%2d:%2d %4d%n", month, &t.tm_mday, &t.tm_hour,
               &t.tm_min, &t.tm_sec, &t.tm_year, &end) != 6)
        return -1;
    if (end == 0 || (size_t)end != text.n || strlen(month) != 3)
        return -1;
    t.tm_mon = month_of(month);
    if (t.tm_year < 100)
        t.tm_year += t.tm_year < 70 ? 2000 : 1900;
    t.tm_year -= 1900;
    if (t.tm_mon < 0 || t.tm_mday < 1 || t.tm_mday > 31 || t.tm_hour > 23 || t.tm_min > 59 ||
        t.tm_sec > 60)
        return -1;
    return timegm(&t);
}
