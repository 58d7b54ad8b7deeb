/* launch: what stands before a server's start: run directory, configuration files, start command.
 */
#ifndef LAB_LAUNCH_H
#define LAB_LAUNCH_H

#include "lab/template.h"
#include "model/manifest.h"

#include <stdint.h>

struct err;
struct server_setup;

/* Values of all placeholders (template.h) for one start. */
struct launch_values {
    struct template_value list[16];
    char number[8][24], user[64];
};

/* rundir and port may be "" and 0 for commands that use neither (version). */
void launch_fill(struct launch_values *v, const struct manifest *m,
                 const struct server_setup *setup, const char *run_dir, unsigned port);

/* Expands the manifest's argv (errors name it as what, such as "start"). A program given by a
   relative path with a slash is below the manifest's folder. */
int launch_argv(struct strings *to, const struct manifest *m, const struct strings *argv,
                const char *what, const struct launch_values *v, struct err *e);

/* Makes a new run directory below setup->run_root, owned by setup->uid. Returns its absolute path
   (caller frees), or NULL with err set. */
char *launch_make_dir(const struct manifest *m, const struct server_setup *setup, struct err *e);

/* Writes the manifest's expanded configuration files there. */
int launch_write_configs(const struct manifest *m, const struct server_setup *setup,
                         const char *run_dir, const struct launch_values *v, struct err *e);

#endif
