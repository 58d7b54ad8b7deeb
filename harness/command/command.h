/* command: the verbs of the program, as main knows them. */
#ifndef COMMAND_COMMAND_H
#define COMMAND_COMMAND_H

struct err;

struct command {
    const char *name;
    const char *summary; /* one line of `parity help` */
    /* argv[0] is the verb. Returns the exit code, or -1 with err set. */
    int (*run)(char **argv, struct err *e);
};

int command_run(char **argv, struct err *e);
int command_duel(char **argv, struct err *e);
int command_gate(char **argv, struct err *e);
int command_check(char **argv, struct err *e);
int command_reproduce(char **argv, struct err *e);
int command_report(char **argv, struct err *e);
int command_trend(char **argv, struct err *e);
int command_list(char **argv, struct err *e);
int command_doctor(char **argv, struct err *e);

#endif
