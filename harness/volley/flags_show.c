/* flags_show: the option table as --help and as JSON. */
#include "volley/flags.h"

void flags_print_help(FILE *to)
{
    fputs("Usage: volley [options] URL [URL...]\n"
          "Loads HTTP/1.1 servers and checks every answer. With several URLs one is loaded at a "
          "time, in\n"
          "short slices whose order is drawn, so that what disturbs one disturbs all.\n\n",
          to);
    for (size_t i = 0; i < flag_row_count; i++) {
        const struct flag_row *row = &flag_rows[i];
        char name[64];
        snprintf(name, sizeof name, "%c%c%s--%s %s", row->letter ? '-' : ' ',
                 row->letter ? row->letter : ' ', row->letter ? ", " : "  ", row->name,
                 row->value ? row->value : "");
        fprintf(to, "  %-32s %s\n", name, row->help);
    }
    fputs("\nCounts take k and M; times take us, ms, s, m and h; bare ones are seconds. Exit: 0 "
          "done, 2 usage, 3 nothing "
          "valid was\n"
          "measured, 4 the machine failed, 130 interrupted (with the summary of what was "
          "measured).\n",
          to);
}

/* A string as JSON has it; what is no UTF-8 can't be. */
static json_t *text(const char *s)
{
    json_t *j = json_string(s);
    return j ? j : json_string("(not UTF-8)");
}

static json_t *echo_value(const struct flags *o, const struct flag_row *row)
{
    const void *at = (const char *)o + row->offset;
    const struct flags_list *list = at;
    json_t *items;
    switch (row->type) {
    case FLAG_SWITCH: return json_boolean(*(const bool *)at);
    case FLAG_COUNT:
    case FLAG_MS:
    case FLAG_TIME: return json_integer((json_int_t) * (const uint64_t *)at);
    case FLAG_RATE: return *(const double *)at > 0 ? json_real(*(const double *)at) : json_null();
    case FLAG_TEXT: return *(const char *const *)at ? text(*(const char *const *)at) : json_null();
    case FLAG_LIST:
        items = json_array();
        for (unsigned i = 0; i < list->n; i++)
            json_array_append_new(items, text(list->item[i]));
        return items;
    }
    return NULL;
}

json_t *flags_echo(const struct flags *o)
{
    json_t *all = json_object();
    for (size_t i = 0; i < flag_row_count; i++) {
        const struct flag_row *row = &flag_rows[i];
        bool is_time = row->type == FLAG_TIME || row->type == FLAG_MS;
        char key[64];
        snprintf(key, sizeof key, "%s%s", row->name, is_time ? "_ns" : "");
        for (char *c = key; *c; c++)
            *c = *c == '-' ? '_' : *c;
        json_object_set_new(all, key, echo_value(o, row));
    }
    return all;
}
