/* table_panel: a panel's cells as rows for a terminal. */
#ifndef PRESENT_TABLE_PANEL_H
#define PRESENT_TABLE_PANEL_H

#include "present/panel.h"

#include <stdio.h>

/* Title, header, a row for each connection level and server. What doesn't fit into width columns
   (0 = unlimited) is left out, the least needed first. */
void table_panel(FILE *to, const struct panel *p, const struct result *r, unsigned width,
                 bool color);

#endif
