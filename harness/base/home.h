/* home: where the program's own data is (servers, configs, scripts). */
#ifndef BASE_HOME_H
#define BASE_HOME_H

/* The folder that holds servers/, configs/ and scripts/: beside bin/ in a checkout, share/parity
   once installed, or $PARITY_HOME. Absolute; belongs to the module. */
const char *home_dir(void);

/* home_dir() joined with a path below it; the caller frees. */
char *home_path(const char *below);

#endif
