/* head: makes heads of our own words, so what doesn't fit is our mistake. */
#include "http/head.h"

#include "http/version.h"

#include <assert.h>
#include <stdio.h>

static const struct {
    int status;
    const char *reason;
} reasons[] = {
    {200, "OK"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

const char *head_reason(int status)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Unknown";
}

static void add_text(struct head *h, const char *text)
{
    size_t n = strlen(text);
    assert(!h->sealed_n);
    assert(h->n + n <= HEAD_SIZE);
    memcpy(h->bytes + h->n, text, n);
    h->n = (uint16_t)(h->n + n);
}

void head_start(struct head *h, const struct head_style *style, int status)
{
    char line[80];
    snprintf(line, sizeof line, "HTTP/1.1 %d %s\r\n", status, head_reason(status));
    h->n = h->sealed_n = h->date_at = 0;
    h->has_length = false;
    h->status_class = (uint8_t)(status / 100);
    h->date_version = 0;
    add_text(h, line);
    if (style->server)
        head_add(h, "Server", SERVER_TOKEN);
    if (style->date) {
        h->date_at = (uint16_t)(h->n + 6);
        head_add(h, "Date", "Thu, 01 Jan 1970 00:00:00 GMT");
    }
}

void head_add(struct head *h, const char *name, const char *value)
{
    add_text(h, name);
    add_text(h, ": ");
    add_text(h, value);
    add_text(h, "\r\n");
}

void head_add_length(struct head *h, uint64_t length)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)length);
    head_add(h, "Content-Length", text);
    h->has_length = true;
}

void head_seal(struct head *h, struct str body)
{
    if (h->n + 2 + body.n > HEAD_SIZE)
        return;
    memcpy(h->bytes + h->n, "\r\n", 2);
    memcpy(h->bytes + h->n + 2, body.p, body.n);
    h->sealed_n = (uint16_t)(h->n + 2 + body.n);
}

void head_renew(struct head *h, const struct date *date)
{
    memcpy(h->bytes + h->date_at, date->text, DATE_LEN);
    h->date_version = date->version;
}
