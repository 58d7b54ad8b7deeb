/* contracts: boots every server once and checks that they do the same work, before anything is
 * timed. */
#ifndef RUN_CONTRACTS_H
#define RUN_CONTRACTS_H

struct err;
struct run;

/* on_server is told each server's name as its turn comes (arg is passed on); may be NULL. Fills
   result.fairness, the servers' facts and conf/, and blocks the cells of broken contracts. Returns
   0, or -1 when the machine failed (a server that fails is a finding, not an error). */
int contracts_check(struct run *run, void (*on_server)(void *arg, const char *name), void *arg,
                    struct err *e);

#endif
