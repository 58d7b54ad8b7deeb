/* template: {placeholders} in a server's start command and in its configuration files. */
#ifndef LAB_TEMPLATE_H
#define LAB_TEMPLATE_H

struct err;

struct template_value {
    const char *name; /* lower case letters, digits and _; NULL ends a list */
    const char *value;
};

enum template_target {
    TEMPLATE_ARGUMENT, /* values are put in as they are */
    TEMPLATE_CONFIG    /* a value with blanks or other special bytes must stand between double
                          quotes in the template ("{docroot}"), where its quotes and backslashes
                          are escaped; control characters and $, which nginx would expand, are
                          refused */
};

/* Puts values into text. {name} is a placeholder, {{ a literal brace, and any other { is literal
   too: the blocks of nginx and JSON need no doubling. An unknown placeholder is an error with path
   and line (EXIT_USAGE). Returns text that the caller frees, or NULL with err set. */
char *template_expand(const char *text, const char *path, enum template_target target,
                      const struct template_value *values, struct err *e);

#endif
