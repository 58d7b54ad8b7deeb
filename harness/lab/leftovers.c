/* leftovers: run files, one per running parity, that say what it has started. The keepers normally
   leave nothing; only when they were killed too (kill -9 of everything at once) do a program's
   children live on. The next start reads the run files of parities that are dead and ends what is
   provably theirs. */
#include "lab/leftovers.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    END_MS = 5000,
    END_ROUNDS = END_MS / 50
};

static struct strings entries; /* lines of this parity's run file */

static char *folder(void)
{
    const char *tmp = getenv("TMPDIR");
    return xasprintf("%s/parity-%u", tmp && *tmp ? tmp : "/tmp", (unsigned)geteuid());
}

/* Nobody else may have made it, or he could name processes for us to kill. */
static bool is_ours(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           (st.st_mode & 077) == 0;
}

/* Containers may share a temporary folder, but a number means another process in each. */
static unsigned long long pid_namespace(void)
{
    struct stat st;
    return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

const char *leftovers_mark(void)
{
    static char mark[64];
    static pid_t owner;
    if (owner != getpid())
        snprintf(mark, sizeof mark, "%d-%llu-%llu", (int)getpid(),
                 (unsigned long long)procfs_own_start(), pid_namespace());
    owner = getpid();
    return mark;
}

/* Replaced by rename, so that a reader never sees half of it; not synced: it need not outlive the
   machine. */
static void write_run_file(void)
{
    char *dir = folder(), *path = xasprintf("%s/%s.run", dir, leftovers_mark());
    char *next = xasprintf("%s.next", path);
    mkdir(dir, 0700);
    FILE *f = entries.n && is_ours(dir) ? fopen(next, "we") : NULL;
    for (size_t i = 0; f && i < entries.n; i++)
        fprintf(f, "%s\n", entries.item[i]);
    if (!f)
        unlink(path);
    else if (fclose(f) == 0)
        rename(next, path);
    free(next);
    free(path);
    free(dir);
}

static void note(char *line)
{
    strings_take(&entries, line);
    write_run_file();
}

static void forget(const char *start)
{
    struct strings kept = {0};
    size_t len = strlen(start);
    for (size_t i = 0; i < entries.n; i++)
        if (strncmp(entries.item[i], start, len) != 0)
            strings_add(&kept, entries.item[i]);
    strings_fini(&entries);
    entries = kept;
    write_run_file();
}

void leftovers_note(pid_t group)
{
    struct procfs_stat s;
    char exe[PATH_MAX];
    if (!procfs_read(&s, group))
        return;
    procfs_exe(group, exe, sizeof exe);
    note(xasprintf("group %d %llu %s", (int)group, (unsigned long long)s.start_ticks, exe));
}

void leftovers_forget(pid_t group)
{
    char start[32];
    snprintf(start, sizeof start, "group %d ", (int)group);
    forget(start);
}

void leftovers_note_dir(const char *path)
{
    note(xasprintf("dir %s", path));
}

void leftovers_forget_dir(const char *path)
{
    char *line = xasprintf("dir %s", path);
    forget(line);
    free(line);
}

/* One run file of a dead parity. */
struct run {
    char *path;
    char mark[64];
    struct strings entries;
};

/* Is the parity with this mark dead for sure? Of another namespace's that can't be told. */
static bool is_dead(const char *mark)
{
    int pid;
    unsigned long long start, space;
    struct procfs_stat s;
    if (sscanf(mark, "%d-%llu-%llu", &pid, &start, &space) != 3 || space != pid_namespace())
        return false;
    return !procfs_read(&s, pid) || s.start_ticks != start || s.state == 'Z';
}

static void read_run(struct run *r, const char *dir, const char *name)
{
    char *rest = NULL;
    snprintf(r->mark, sizeof r->mark, "%.*s", (int)strcspn(name, "."), name);
    r->path = xasprintf("%s/%s", dir, name);
    char *text = file_read(r->path, NULL, NULL);
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        strings_add(&r->entries, line);
    free(text);
}

static struct run *dead_runs(size_t *n)
{
    struct run *runs = NULL;
    char *path = folder();
    DIR *dir = is_ours(path) ? opendir(path) : NULL;
    struct dirent *entry;
    *n = 0;
    while (dir && (entry = readdir(dir))) {
        if (is_dead(entry->d_name))
            read_run(xgrow(&runs, n, sizeof *runs), path, entry->d_name);
    }
    if (dir)
        closedir(dir);
    free(path);
    return runs;
}

static void free_runs(struct run *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(runs[i].path);
        strings_fini(&runs[i].entries);
    }
    free(runs);
}

static bool bears_mark(pid_t pid, const char *mark)
{
    char path[40];
    size_t len, mark_len = strlen(mark);
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    char *env = file_read(path, &len, NULL);
    bool found = false;
    for (char *p = env; p && p < env + len && !found; p += strlen(p) + 1)
        found = strncmp(p, LEFTOVERS_VARIABLE "=", sizeof LEFTOVERS_VARIABLE) == 0 &&
                strlen(p) == sizeof LEFTOVERS_VARIABLE + mark_len &&
                strcmp(p + sizeof LEFTOVERS_VARIABLE, mark) == 0;
    free(env);
    return found;
}

/* The listed leader itself, or a later process of its group that runs the same program. A program
   may overwrite its environment (nginx does, to set its title), so the mark alone is not enough. */
static bool fits_entry(const struct procfs_stat *s, const char *entry)
{
    int group, at = 0;
    unsigned long long start;
    char exe[PATH_MAX];
    if (sscanf(entry, "group %d %llu %n", &group, &start, &at) != 2 || !at || s->group != group)
        return false;
    if (s->pid == group)
        return s->start_ticks == start;
    return s->start_ticks >= start && entry[at] && procfs_exe(s->pid, exe, sizeof exe) &&
           strcmp(exe, entry + at) == 0;
}

static bool belongs(const struct procfs_stat *s, const struct run *r)
{
    if (s->state == 'Z' || s->pid == getpid())
        return false;
    for (size_t i = 0; i < r->entries.n; i++)
        if (fits_entry(s, r->entries.item[i]))
            return true;
    return bears_mark(s->pid, r->mark);
}

static void kill_same(const struct procfs_stat *s)
{
    struct procfs_stat now;
    int fd = (int)syscall(SYS_pidfd_open, s->pid, 0);
    /* The number may have changed hands since it was looked at: the descriptor can't. */
    if (fd >= 0 && procfs_read(&now, s->pid) && now.start_ticks == s->start_ticks)
        syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
    if (fd >= 0)
        close(fd);
}

/* Names what belongs to a run, and kills it if told. Returns how many there were. */
static size_t each_process(const struct run *r, struct strings *names, bool end)
{
    size_t n, count = 0;
    struct procfs_stat *all = procfs_all(&n);
    for (size_t i = 0; i < n; i++) {
        if (!belongs(&all[i], r))
            continue;
        count++;
        if (names)
            strings_take(names, xasprintf("%s, process %d, started by parity %d", all[i].name,
                                          (int)all[i].pid, atoi(r->mark)));
        if (end)
            kill_same(&all[i]);
    }
    free(all);
    return count;
}

static void each_dir(const struct run *r, struct strings *names, bool end)
{
    for (size_t i = 0; i < r->entries.n; i++) {
        const char *entry = r->entries.item[i];
        if (strncmp(entry, "dir /", 5) != 0 || access(entry + 4, F_OK) < 0)
            continue;
        strings_take(names, xasprintf("folder %s of parity %d", entry + 4, atoi(r->mark)));
        if (end)
            file_remove_tree(entry + 4, NULL);
    }
}

void leftovers_find(struct strings *found)
{
    size_t n;
    struct run *runs = dead_runs(&n);
    for (size_t i = 0; i < n; i++) {
        each_process(&runs[i], found, false);
        each_dir(&runs[i], found, false);
    }
    free_runs(runs, n);
}

static int end_run(const struct run *r, struct strings *done, struct err *e)
{
    size_t left = each_process(r, done, true);
    for (int round = 0; left && round < END_ROUNDS; round++) {
        clock_sleep_ms(END_MS / END_ROUNDS);
        left = each_process(r, NULL, true);
    }
    if (left)
        return err_set(e, EXIT_MACHINE,
                       "%zu process%s of the dead parity %d can't be ended; see %s", left,
                       left == 1 ? "" : "es", atoi(r->mark), r->path);
    each_dir(r, done, true);
    unlink(r->path);
    return 0;
}

int leftovers_end(struct strings *done, struct err *e)
{
    size_t n;
    int rc = 0;
    struct run *runs = dead_runs(&n);
    for (size_t i = 0; i < n; i++)
        if (end_run(&runs[i], done, e) < 0)
            rc = -1;
    free_runs(runs, n);
    return rc;
}
