/* html: see html.h. */
#include "present/html.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

static void put(FILE *to, unsigned char c)
{
    switch (c) {
    case '&': fputs("&amp;", to); break;
    case '<': fputs("&lt;", to); break;
    case '>': fputs("&gt;", to); break;
    case '"': fputs("&quot;", to); break;
    case '\'': fputs("&#39;", to); break;
    default:
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            fputs("\xef\xbf\xbd", to); /* U+FFFD: control characters aren't allowed in HTML */
        else
            fputc(c, to);
    }
}

void html_text(FILE *to, const char *text)
{
    for (; text && *text; text++)
        put(to, (unsigned char)*text);
}

void html_write(FILE *to, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    for (; *format; format++) {
        if (*format != '%') {
            fputc(*format, to);
            continue;
        }
        format++;
        assert(*format == 's' || *format == '%');
        if (*format == '%')
            fputc('%', to);
        else
            html_text(to, va_arg(ap, const char *));
    }
    va_end(ap);
}

void html_url(FILE *to, const char *text)
{
    static const char plain[] = " !$()*+,-./:;=@_~'{}|[]^";
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
            strchr(plain, c))
            fputc(c, to);
        else
            fprintf(to, "%%%02X", c);
    }
}

void html_svg_url(FILE *to, const char *svg)
{
    fputs("data:image/svg+xml;charset=utf-8,", to);
    html_url(to, svg);
}
