/* duel_chart: how the estimate of each series narrowed over the blocks, for gnuplot. Pure. */
#ifndef PRESENT_DUEL_CHART_H
#define PRESENT_DUEL_CHART_H

#include "model/duel.h"
#include "present/chart.h"

/* A chart a series, named "duel-health-throughput"; one without a value has a note instead. The
   caller ends it with charts_fini. */
void duel_charts_make(struct charts *c, const struct duel *d);

#endif
