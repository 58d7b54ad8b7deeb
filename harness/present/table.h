/* table: a result for a terminal or a log. Pure: text to a stream. */
#ifndef PRESENT_TABLE_H
#define PRESENT_TABLE_H

#include "model/result.h"

#include <stdio.h>

/* The comparison: per route, generator, mode a block of rows (a connection level each) with rate,
   parity ratio and interval, CPU per request and its ratio, p50, p99, verdict; then what was
   invalid and why, and what the data can't separate. width = columns of the terminal (0 =
   unlimited); color = ANSI allowed. */
void table_result(FILE *to, const struct result *r, unsigned width, bool color);

/* parity check's table: one row an item, one column a server, "=" or the value that differs,
   reasons below. */
void table_fairness(FILE *to, const struct result *r, unsigned width, bool color);

#endif
