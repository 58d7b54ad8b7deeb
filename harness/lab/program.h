/* program: where an executable is. */
#ifndef LAB_PROGRAM_H
#define LAB_PROGRAM_H

/* Absolute path of a program: a name is looked up in PATH, then in the sbin folders (an ordinary
   user's PATH on Debian lacks those, and nginx and lighttpd are there); a name with a slash is
   taken as it is. The caller frees; NULL = there is no such executable. */
char *program_find(const char *name);

/* Of a program of ours: the one beside the running program, so that a checkout uses what it built,
   else as program_find (caller frees). */
char *program_find_own(const char *name);

/* Folder of our own server programs: servers/ beside the running parity, or
   PREFIX/libexec/parity/servers when installed. Belongs to the module. */
const char *program_servers_dir(void);

#endif
