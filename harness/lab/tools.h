/* tools: the programs that parity works with, and how they tell their version. */
#ifndef LAB_TOOLS_H
#define LAB_TOOLS_H

struct tool {
    const char *name;
    const char *version_option;
    const char *package; /* Debian's; NULL = it is ours */
    const char *use;     /* what there isn't without it */
};

/* All of them; a NULL name ends the table. */
const struct tool *tools_all(void);

/* First line of its version output, shortened; NULL = it isn't installed. The caller frees. */
char *tools_version(const struct tool *t);

#endif
