/* site.js: replaces the still pictures of a route's page by charts that can be read with a pointer
   and zoomed (uPlot). Without it, or without uPlot, the pictures stay. Everything shown comes from
   the page's own JSON and is put in as text, never as markup. */
(() => {
  'use strict';
  const element = document.getElementById('data');
  if (!element || !window.uPlot) return;
  const data = JSON.parse(element.textContent);
  const n = data.runs.length;
  const every = Array.from({length: n}, (_, i) => i);
  const view = {min: 0, max: n - 1, machine: -1};
  const charts = new Map(); /* figure -> {plot, lines, readout} */
  const HEIGHT = 230;
  const LOOKS = 6;
  let sharing = false;

  const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const serverColor = server => color('--s' + server % LOOKS);
  const run = i => {
    const [machine, time, commit, subject, url, report, gate] = data.runs[i];
    return {machine, time, commit, subject, url, report, gate};
  };

  /* Numbers as the still pictures write them. */
  function rounded(v, digits) {
    if (v === 0) return '0';
    const after = digits - 1 - Math.floor(Math.log10(Math.abs(v)) + 1e-12);
    return v.toFixed(Math.min(9, Math.max(0, after)));
  }
  function figure(chart, v) {
    if (chart.unit === 'rate') {
      if (v >= 999500) return rounded(v / 1e6, 3) + 'M';
      return v >= 999.5 ? rounded(v / 1e3, 3) + 'k' : rounded(v, 3);
    }
    if (chart.unit === 'us') return v >= 999.5 ? rounded(v / 1e3, 3) + ' ms' : rounded(v, 3) + ' us';
    if (chart.relative) return v.toFixed(Math.abs(v) < 10 ? 3 : 1);
    return String(Math.round(v * 100) / 100);
  }
  /* On an axis no more decimals than its steps have. */
  function tick(chart, v, all) {
    if (!chart.relative) return figure(chart, v);
    return v.toFixed(all.length > 1 && all[1] - all[0] < 0.0099 ? 3 : 2);
  }
  function percent(before, after) {
    const p = (after / before - 1) * 100;
    if (!isFinite(p)) return 'new';
    return (p < 0 ? '\u2212' : '+') + Math.abs(p).toFixed(Math.abs(p) < 10 ? 1 : 0) + ' %';
  }

  /* A line's own points onto all runs; what it doesn't have is null. */
  function spread(line, key) {
    const column = new Array(n).fill(null);
    line.x.forEach((at, i) => { column[at] = line[key] ? line[key][i] : null; });
    return column;
  }

  function shown(line) {
    return view.machine < 0 || line.machine === view.machine;
  }

  /* The lowest and highest to show of what is visible, absurdly wide intervals cut. */
  function range(chart, lines, min, max) {
    let low = Infinity, high = -Infinity;
    for (const line of lines) {
      if (!shown(line)) continue;
      for (let i = 0; i < line.x.length; i++) {
        if (line.x[i] < min || line.x[i] > max) continue;
        const y = line.y[i];
        const from = line.low && line.low[i] !== null ? Math.max(line.low[i], y / 1.2) : y;
        const to = line.high && line.high[i] !== null ? Math.min(line.high[i], y * 1.2) : y;
        low = Math.min(low, from);
        high = Math.max(high, to);
      }
    }
    if (!(high >= low)) return [0, 1];
    const least = Math.max(Math.abs(high) * 0.02, high === 0 ? 1 : 0);
    const pad = Math.max((high - low) * 0.08, (least - (high - low)) / 2);
    return [low >= 0 ? Math.max(low - pad, 0) : low - pad, high + pad];
  }

  function stroke(context, x1, y1, x2, y2) {
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
  }

  function drawIntervals(u, line, ratio) {
    const {ctx, scales} = u;
    const visible = line.x.filter(at => at >= scales.x.min && at <= scales.x.max).length;
    ctx.globalAlpha = visible > 150 ? 0.22 : 0.4;
    ctx.lineWidth = ratio * (visible > 150 ? 1 : 2);
    for (let i = 0; i < line.x.length; i++) {
      if (!line.low || line.low[i] === null || line.x[i] < scales.x.min || line.x[i] > scales.x.max)
        continue;
      const x = u.valToPos(line.x[i], 'x', true);
      stroke(ctx, x, u.valToPos(line.low[i], 'y', true), x, u.valToPos(line.high[i], 'y', true));
    }
    ctx.globalAlpha = 1;
  }

  /* Lines of several kinds of machine often change together: what has no room gets no words. */
  function drawChanges(u, chart, lines, ratio) {
    const {ctx, scales, bbox} = u;
    const all = lines.filter(shown).flatMap(line => line.changes.map(c => [line.server, ...c]))
      .filter(([, at]) => at >= scales.x.min && at <= scales.x.max).sort((a, b) => a[1] - b[1]);
    let free = -Infinity;
    ctx.lineWidth = ratio * 1.2;
    ctx.font = `600 ${12 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = 'center';
    for (const [server, at, before, after] of all) {
      const x = Math.max(u.valToPos(at - 0.5, 'x', true), bbox.left);
      const text = percent(before, after), half = ctx.measureText(text).width / 2;
      const middle = Math.min(Math.max(x, bbox.left + half), bbox.left + bbox.width - half);
      ctx.strokeStyle = serverColor(server);
      ctx.setLineDash([4 * ratio, 3 * ratio]);
      stroke(ctx, x, bbox.top, x, bbox.top + bbox.height);
      ctx.setLineDash([]);
      if (middle - half < free) continue;
      free = middle + half + 6 * ratio;
      ctx.fillStyle = color(after < before === chart.lower ? '--better' : '--worse');
      ctx.fillText(text, middle, bbox.top - 5 * ratio);
    }
  }

  /* Between the grid and the lines. */
  function drawBelow(u, chart, lines) {
    const {ctx, bbox, scales} = u;
    const ratio = devicePixelRatio;
    ctx.save();
    if (chart.relative && scales.y.min <= 1 && scales.y.max >= 1) {
      ctx.strokeStyle = color('--line');
      ctx.lineWidth = 1.2 * ratio;
      const y = u.valToPos(1, 'y', true);
      stroke(ctx, bbox.left, y, bbox.left + bbox.width, y);
    }
    for (const line of lines) {
      if (!shown(line)) continue;
      ctx.strokeStyle = serverColor(line.server);
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      drawIntervals(u, line, ratio);
      ctx.restore();
    }
    drawChanges(u, chart, lines, ratio);
    ctx.restore();
  }

  function add(parent, tag, text, className) {
    const child = document.createElement(tag);
    if (text) child.textContent = text;
    if (className) child.className = className;
    parent.append(child);
    return child;
  }

  function addLink(parent, text, url) {
    if (!url) return add(parent, 'span', text);
    const link = add(parent, 'a', text);
    link.href = url;
    return link;
  }

  /* The run in words below the chart: which, and each server's figure. */
  function tell(chart, lines, readout, at) {
    const r = run(at);
    readout.replaceChildren();
    readout.dataset.run = at;
    add(readout, 'span', r.time.slice(0, 16).replace('T', ' ') + ' ');
    if (r.commit) addLink(readout, r.commit.slice(0, 7), r.url);
    if (r.subject) add(readout, 'span', ' ' + r.subject);
    if (r.gate) add(readout, 'span', ' \u00b7 gate ' + r.gate, r.gate === 'FAIL' ? 'worse' : '');
    if (data.machines.length > 1) add(readout, 'span', ' \u00b7 ' + data.machines[r.machine], 'soft');
    if (r.report) {
      add(readout, 'span', ' \u00b7 ');
      addLink(readout, 'report', r.report);
    }
    add(readout, 'br');
    for (const line of lines) {
      const i = line.x.indexOf(at);
      if (i < 0 || !shown(line)) continue;
      const one = add(readout, 'span', '', 'one-value s' + line.server % LOOKS);
      add(one, 'span', '', 'key');
      add(one, 'span', data.servers[line.server] + ' ');
      add(one, 'b', figure(chart, line.y[i]));
      if (line.low && line.low[i] !== null)
        add(one, 'span', `${figure(chart, line.low[i])} \u2013 ${figure(chart, line.high[i])}`, 'range');
    }
  }

  /* The nearest run that a shown line has a point of, or -1. */
  function nearest(lines, at) {
    let best = -1;
    for (const line of lines) {
      if (!shown(line)) continue;
      for (const x of line.x) if (best < 0 || Math.abs(x - at) < Math.abs(best - at)) best = x;
    }
    return best;
  }

  function share(from, min, max) {
    if (sharing) return;
    sharing = true;
    view.min = min;
    view.max = max;
    for (const {plot} of charts.values()) if (plot !== from) plot.setScale('x', {min, max});
    sharing = false;
  }

  /* Zooms to these runs; at least two, at most all. */
  function zoom(min, max) {
    const middle = (min + max) / 2;
    const half = Math.max((max - min) / 2, 1);
    min = Math.max(middle - half, 0);
    max = Math.min(middle + half, n - 1);
    share(null, min, max);
  }

  function options(chart, lines, readout, width) {
    const axis = {stroke: color('--soft'), font: '12px system-ui, sans-serif',
                  grid: {stroke: color('--rule'), width: 1}, ticks: {show: false}};
    return {
      width, height: HEIGHT, padding: [18, 12, 0, 0], legend: {show: false},
      scales: {
        x: {time: false, range: (u, min, max) => n > 1 ? [min, max] : [-1, 1]},
        y: {range: u => range(chart, lines, u.scales.x.min, u.scales.x.max)},
      },
      axes: [
        {...axis, grid: {show: false}, space: 90, size: 28, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
         values: (u, splits) => splits.map(i => data.runs[i] ? data.runs[i][1].slice(0, 10) : '')},
        {...axis, size: 58, values: (u, splits) => splits.map(v => tick(chart, v, splits))},
      ],
      series: [{}, ...lines.map(line => ({
        label: data.servers[line.server], stroke: serverColor(line.server), width: 1.6,
        spanGaps: true, show: shown(line), points: {size: 6, fill: serverColor(line.server)},
      }))],
      cursor: {lock: true, sync: {key: 'runs', setSeries: false}, y: false,
               drag: {x: true, y: false, setScale: true}},
      hooks: {
        drawAxes: [u => drawBelow(u, chart, lines)],
        setCursor: [u => {
          const at = u.cursor.idx === null || u.cursor.idx === undefined ? n - 1 : u.cursor.idx;
          const near = nearest(lines, at);
          if (near >= 0) tell(chart, lines, readout, near);
        }],
        setScale: [(u, key) => { if (key === 'x') share(u, u.scales.x.min, u.scales.x.max); }],
      },
    };
  }

  /* Keys do what the pointer does. */
  function onKey(event, u) {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    const span = (view.max - view.min) / 4;
    if (step) {
      const at = Math.min(Math.max((u.cursor.idx ?? n - 1) + step, 0), n - 1);
      u.setCursor({left: u.valToPos(at, 'x'), top: 20});
    } else if (event.key === '+') zoom(view.min + span, view.max - span);
    else if (event.key === '-') zoom(view.min - 2 * span, view.max + 2 * span);
    else if (event.key === '0') zoom(0, n - 1);
    else return;
    event.preventDefault();
  }

  function draw(box) {
    const chart = data.charts[box.dataset.chart];
    const {lines} = chart;
    const still = box.querySelector('svg');
    const live = add(box, 'div', '', 'live');
    const readout = add(box, 'p', '', 'readout');
    still.style.display = 'none';
    live.tabIndex = 0;
    live.setAttribute('role', 'group');
    live.setAttribute('aria-label', still.getAttribute('aria-label'));
    const plot = new uPlot(options(chart, lines, readout, live.clientWidth),
                           [every, ...lines.map(line => spread(line, 'y'))], live);
    charts.set(box, {plot, live, readout, still});
    if (n > 1 && (view.min > 0 || view.max < n - 1)) plot.setScale('x', {min: view.min, max: view.max});
    tell(chart, lines, readout, nearest(lines, n - 1));
    live.addEventListener('keydown', event => onKey(event, plot));
    new ResizeObserver(() => {
      if (live.clientWidth && live.clientWidth !== plot.width)
        plot.setSize({width: live.clientWidth, height: HEIGHT});
    }).observe(live);
  }

  function redraw() {
    for (const [box, {plot, live, readout, still}] of [...charts]) {
      plot.destroy();
      live.remove();
      readout.remove();
      still.style.display = '';
      charts.delete(box);
      draw(box);
    }
  }

  function button(tools, text, onClick) {
    const b = add(tools, 'button', text);
    b.type = 'button';
    b.addEventListener('click', onClick);
  }

  function makeTools() {
    const tools = document.getElementById('tools');
    tools.hidden = false;
    const by = factor => () => {
      const middle = (view.min + view.max) / 2, half = (view.max - view.min) / 2 * factor;
      zoom(middle - half, middle + half);
    };
    button(tools, 'All runs', () => zoom(0, n - 1));
    for (const last of [50, 500]) if (n > last) button(tools, 'Newest ' + last, () => zoom(n - last, n - 1));
    button(tools, 'Closer', by(0.5));
    button(tools, 'Farther', by(2));
    if (data.machines.length > 1) {
      const select = add(tools, 'select');
      select.setAttribute('aria-label', 'Kind of machine');
      add(select, 'option', 'All kinds of machine').value = -1;
      data.machines.forEach((name, i) => { add(select, 'option', name).value = i; });
      select.addEventListener('change', () => { view.machine = Number(select.value); redraw(); });
    }
    add(tools, 'span', 'Drag to zoom, double-click for all; click pins a run.', 'soft');
  }

  /* Charts are drawn when they come into view, also out of a closed part of the page. */
  const seen = new IntersectionObserver(entries => {
    for (const {isIntersecting, target} of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      draw(target);
    }
  }, {rootMargin: '300px'});
  makeTools();
  document.querySelectorAll('figure.trend').forEach(box => seen.observe(box));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
})();
