/* sample_chart: see sample_chart.h. */
#include "tests/sample_chart.h"

#include "base/alloc.h"
#include "base/file.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *in(const char *folder, const char *name, const char *extension)
{
    return xasprintf("%s/%s.%s", folder, name, extension);
}

static void put(const char *folder, const char *name, const char *extension, const char *text)
{
    char *path = in(folder, name, extension);
    assert(file_replace(path, text, strlen(text), NULL) == 0);
    free(path);
}

static void run_gnuplot(const char *folder, const char *script, const char *settings)
{
    int log = open("/dev/null", O_RDONLY);
    assert(log >= 0 && dup2(log, 0) == 0 && chdir(folder) == 0);
    log = open("complaints", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (log < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
        _exit(126);
    const char *wanted = getenv("LC_ALL"); /* by a test; else as run/draw.c does */
    setenv("LC_ALL", wanted && *wanted ? wanted : "C.UTF-8", 1);
    if (settings)
        execlp("gnuplot", "gnuplot", "-e", settings, script, (char *)NULL);
    else
        execlp("gnuplot", "gnuplot", script, (char *)NULL);
    _exit(127);
}

void drawing_make(struct drawing *d, const char *folder, const struct chart *c,
                  const char *settings, const char *extension)
{
    char *script = xasprintf("%s.gp", c->name), *path = in(folder, c->name, extension);
    char *complaints = xasprintf("%s/complaints", folder);
    int status;
    put(folder, c->name, "gp", c->script);
    put(folder, c->name, "dat", c->data);
    unlink(path);
    pid_t pid = fork();
    assert(pid >= 0);
    if (pid == 0)
        run_gnuplot(folder, script, settings);
    assert(waitpid(pid, &status, 0) == pid);
    *d = (struct drawing){0};
    d->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    d->complaints = file_read(complaints, NULL, NULL);
    d->picture = file_read(path, &d->len, NULL);
    free(complaints);
    free(path);
    free(script);
}

void drawing_fini(struct drawing *d)
{
    free(d->complaints);
    free(d->picture);
    *d = (struct drawing){0};
}

char *sample_folder_make(void)
{
    const char *tmp = getenv("TMPDIR");
    char *folder = xasprintf("%s/parity-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    assert(mkdtemp(folder));
    return folder;
}

void sample_folder_remove(char *folder)
{
    assert(file_remove_tree(folder, NULL) == 0);
    free(folder);
}
