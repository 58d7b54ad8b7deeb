/* fake_tool: load generators that are shell scripts, on PATH before the real ones in the folder of
   scratch.h, and a load to give them. Include cmocka.h first. */
#ifndef TESTS_FAKE_TOOL_H
#define TESTS_FAKE_TOOL_H

#include "base/home.h"
#include "lab/process.h"
#include "load/generator.h"
#include "tests/scratch.h"

#include <arpa/inet.h>
#include <sys/stat.h>

static inline int fake_setup(void **state)
{
    int rc = scratch_setup(state);
    char *path = xasprintf("%s:%s", scratch_dir, getenv("PATH"));
    setenv("PATH", path, 1);
    free(path);
    return rc < 0 ? rc : process_keep_children(NULL);
}

/* Of /health on 127.0.0.1:8080, kept alive; two CPUs are the generator's. */
static inline struct load fake_load(unsigned connections, double duration_s)
{
    struct load l = {.route = ROUTE_HEALTH, .connections = connections, .keepalive = true};
    l.duration_s = duration_s;
    l.cpus_n = 2;
    l.raw_dir = scratch_dir;
    l.address.sin_family = AF_INET;
    l.address.sin_port = htons(8080);
    inet_pton(AF_INET, "127.0.0.1", &l.address.sin_addr);
    return l;
}

/* Puts a tool of this name before the real one: a script for sh, without its first line. */
static inline void fake_tool(const char *name, const char *script)
{
    char *text = xasprintf("#!/bin/sh\n%s", script), *path = scratch_text(name, text);
    assert_int_equal(chmod(path, 0755), 0);
    free(path);
    free(text);
}

/* What a tool left in its folder (the caller frees); the test fails where there is nothing. */
static inline char *fake_left(const char *name)
{
    struct err e = {0};
    char *path = scratch_path(name), *text = file_read(path, NULL, &e);
    if (!text)
        fail_msg("%s", e.text);
    free(path);
    return text;
}

static inline pid_t fake_left_pid(const char *name)
{
    char *text = fake_left(name);
    long pid = strtol(text, NULL, 10);
    free(text);
    return (pid_t)pid;
}

/* A tool's recorded output, fixtures/TOOL/NAME: its path and its text (the caller frees). */
static inline char *recorded_path(const char *tool, const char *name)
{
    char *below = xasprintf("harness/tests/fixtures/%s/%s", tool, name), *path = home_path(below);
    free(below);
    return path;
}

static inline char *recorded(const char *tool, const char *name)
{
    char *path = recorded_path(tool, name), *text = file_read(path, NULL, NULL);
    assert_non_null(text);
    free(path);
    return text;
}

#endif
