/* json_out: see json_out.h. */
#include "model/json_out.h"

#include "base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

json_t *json_out_real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

json_t *json_out_text(const char *s)
{
    json_t *v = s ? json_string(s) : json_null();
    if (v)
        return v;
    char *copy = xstrdup(s);
    for (char *p = copy; *p; p++)
        *p = (unsigned char)*p >= 0x80 ? '?' : *p;
    v = json_string(copy);
    free(copy);
    assert(v);
    return v;
}

void json_out_put(json_t *object, const char *key, json_t *value)
{
    int rc = json_object_set_new(object, key, value);
    assert(rc == 0);
}

json_t *json_out_list(const struct strings *s)
{
    json_t *a = json_array();
    for (size_t i = 0; i < s->n; i++)
        json_array_append_new(a, json_out_text(s->item[i]));
    return a;
}

json_t *json_out_facts(const struct facts *f)
{
    json_t *o = json_object();
    for (size_t i = 0; i < f->n; i++)
        json_out_put(o, f->item[i].key,
                     f->item[i].text ? json_out_text(f->item[i].text)
                                     : json_out_real(f->item[i].number));
    return o;
}
