/* trend_store: see trend_store.h. The lock (flock(2), gone with its process) is on the folder,
   since the file itself may be replaced while somebody waits for it. */
#include "command/trend_store.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct store {
    const char *path;
    char *text; /* of the file; NULL = it isn't there */
    size_t len;
    struct history history;
};

static int lock_folder(const char *path, struct err *e)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash ? xstrndup(path, slash == path ? 1 : (size_t)(slash - path)) : xstrdup(".");
    int fd = file_make_dir(folder, e) < 0 ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && flock(fd, LOCK_EX) < 0) {
        if (errno == EINTR)
            continue;
        err_set(e, EXIT_MACHINE, "cannot lock the folder %s: %s", folder, strerror(errno));
        close(fd);
        fd = -1;
    }
    if (fd < 0)
        err_set(e, EXIT_MACHINE, "cannot open the folder %s: %s", folder, strerror(errno));
    free(folder);
    return fd;
}

static void store_close(struct store *s)
{
    history_fini(&s->history);
    free(s->text);
    s->text = NULL;
}

/* A file that isn't there is an empty history; one that is there must hold one. */
static int store_open(struct store *s, const char *path, struct err *e)
{
    *s = (struct store){.path = path};
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    s->text = file_read(path, &s->len, e);
    if (!s->text)
        return -1;
    if (strlen(s->text) != s->len)
        return err_set(e, EXIT_USAGE, "%s holds NUL bytes: it is damaged; take it from a backup",
                       path);
    return history_read(&s->history, s->text, path, e);
}

/* One write, which O_APPEND puts at the end whole; what a full disk leaves of it is taken back. */
static int append(const struct store *s, const char *line, struct err *e)
{
    size_t whole = s->len - s->history.torn;
    bool open_line = whole > 0 && s->text[whole - 1] != '\n';
    char *text = xasprintf("%s%s\n", open_line ? "\n" : "", line);
    size_t len = strlen(text);
    int fd = open(s->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    int rc = fd < 0 || (s->history.torn && ftruncate(fd, (off_t)whole) < 0) ? -1 : 0;
    if (rc == 0) {
        ssize_t n = write(fd, text, len);
        rc = n == (ssize_t)len && fsync(fd) == 0 ? 0 : -1;
        if (n >= 0 && n < (ssize_t)len)
            errno = ENOSPC;
    }
    int saved = errno;
    if (rc < 0) {
        if (fd >= 0 && ftruncate(fd, (off_t)whole) < 0)
            saved = errno;
        err_set(e, EXIT_MACHINE, "cannot append to %s: %s; its runs are untouched", s->path,
                strerror(saved));
    }
    if (fd >= 0)
        close(fd);
    free(text);
    return rc;
}

/* How many of the runs at the beginning go so that the file fits, and which others of this kind of
   machine: marks them. */
static size_t choose(const struct store *s, const struct history_run *run, size_t len,
                     const struct trend_limits *limits, bool *gone)
{
    const struct history *h = &s->history;
    size_t bytes = s->len - h->torn + len + 2, dropped = 0;
    uint64_t same = 1;
    for (size_t i = 0; i < h->n; i++)
        same += strcmp(h->runs[i].machine.key, run->machine.key) == 0;
    const char *line = s->text;
    for (size_t i = 0; i < h->n && (bytes > limits->bytes || same > limits->keep); i++) {
        size_t n = strcspn(line, "\n") + 1;
        bool kin = strcmp(h->runs[i].machine.key, run->machine.key) == 0;
        if (bytes > limits->bytes || (kin && same > limits->keep)) {
            gone[i] = true;
            dropped++;
            bytes -= n < bytes ? n : bytes;
            same -= kin;
        }
        line += n;
    }
    return dropped;
}

static int rewrite(const struct store *s, const char *line, const bool *gone, struct err *e)
{
    char *text = NULL;
    size_t size = 0;
    const char *p = s->text ? s->text : "";
    FILE *to = open_memstream(&text, &size);
    for (size_t i = 0; i < s->history.n; i++) {
        size_t n = strcspn(p, "\n");
        if (!gone[i])
            fprintf(to, "%.*s\n", (int)n, p);
        p += n + (p[n] == '\n');
    }
    fprintf(to, "%s\n", line);
    fclose(to);
    int rc = file_replace(s->path, text, size, e);
    free(text);
    return rc;
}

static int add(struct store *s, const struct history_run *run, const struct trend_limits *limits,
               struct trend_added *added, struct err *e)
{
    bool *gone = xcalloc(s->history.n + 1, sizeof *gone);
    char *line = history_run_to_line(run);
    size_t len = strlen(line);
    int rc;
    added->dropped = choose(s, run, len, limits, gone);
    if (len + 1 > limits->bytes)
        rc = err_set(e, EXIT_USAGE,
                     "this run's line has %zu bytes, more than the whole history may have (%llu); "
                     "allow more with --max-size",
                     len, (unsigned long long)limits->bytes);
    else if (!s->text || added->dropped)
        rc = rewrite(s, line, gone, e);
    else
        rc = append(s, line, e);
    added->began = !s->text;
    added->torn = s->history.torn;
    added->runs = s->history.n + 1 - added->dropped;
    free(line);
    free(gone);
    return rc;
}

int trend_store_add(const char *path, const struct history_run *run,
                    const struct trend_limits *limits, struct trend_added *added, struct err *e)
{
    struct store s = {0};
    *added = (struct trend_added){0};
    int lock = lock_folder(path, e);
    if (lock < 0)
        return -1;
    int rc = store_open(&s, path, e);
    if (rc == 0 && history_has(&s.history, run->id)) {
        added->there = true;
        added->runs = s.history.n;
    } else if (rc == 0) {
        rc = add(&s, run, limits, added, e);
    }
    store_close(&s);
    close(lock);
    return rc;
}

int trend_store_load(struct history *h, const char *path, struct err *e)
{
    struct store s = {0};
    int rc = store_open(&s, path, e);
    if (rc == 0 && !s.text)
        rc = err_set(e, EXIT_USAGE,
                     "there is no history at %s; begin one with: parity trend add "
                     "RESULT --history %s",
                     path, path);
    *h = s.history;
    s.history = (struct history){0};
    store_close(&s);
    return rc;
}
