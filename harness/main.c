/* main: picks the command; the only place that prints an error and exits. */
#include "base/err.h"
#include "base/version.h"
#include "command/command.h"
#include "lab/stop.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command commands[] = {
    {"run", "compare servers: boot, check, load, judge, report", command_run},
    {"duel", "PASS or FAIL: is B slower than A, in a minute on a noisy machine", command_duel},
    {"gate", "may this build pass? counts, a duel with its base, its history", command_gate},
    {"check", "prove that servers do the same work (contracts, fairness)", command_check},
    {"reproduce", "does a published comparison hold here, row by row?", command_reproduce},
    {"report", "redraw charts and report.html of a result", command_report},
    {"trend", "the history of runs: add to it, build its site, export it", command_trend},
    {"list", "servers, suites, generators, and whether each can run here", command_list},
    {"doctor", "whether this machine is fit to measure, and what to do", command_doctor},
};

enum {
    COMMANDS = sizeof commands / sizeof commands[0]
};

static void print_help(FILE *to)
{
    fputs("parity measures HTTP servers against each other on one machine, honestly.\n\n"
          "Usage: parity COMMAND [arguments]\n\n",
          to);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].summary);
    fputs(
        "\nparity COMMAND --help tells more. Start with: parity run quick\n"
        "Exit codes: 0 done or PASS, 1 FAIL (regression, broken contract), 2 usage,\n"
        "3 inconclusive or nothing valid measured, 4 tool or machine failed, 128+n on a signal.\n",
        to);
}

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

int main(int argc, char **argv)
{
    struct err e = {0};
    (void)argc;
    signal(SIGPIPE, SIG_IGN); /* a reader that closes our stdout must not end a run */
    if (!argv[0] || !argv[1]) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("parity " PARITY_VERSION);
        return EXIT_DONE;
    }
    const struct command *c = find(argv[1]);
    if (!c) {
        fprintf(stderr, "parity: unknown command \"%s\"; see: parity help\n", argv[1]);
        return EXIT_USAGE;
    }
    int code = c->run(argv + 1, &e);
    if (code < 0) {
        fprintf(stderr, "parity %s: %s\n", c->name, e.code ? e.text : "failed without a reason");
        code = e.code ? e.code : EXIT_MACHINE;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "parity %s: cannot write to stdout\n", c->name);
        code = code ? code : EXIT_MACHINE;
    }
    return code;
}
