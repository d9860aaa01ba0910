"use strict";
(() => {
  const DAY = 86400;
  const HEIGHT = 232;
  const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const root = document.documentElement;
  const content = JSON.parse(document.getElementById("chart-data").textContent);
  const { tick, t0 } = content;
  const utc = content.clock === "utc";
  const whole = { min: t0, max: t0 + content.end * tick };
  const severalDays = whole.max - whole.min > DAY || Math.floor(whole.min / DAY) !== Math.floor((whole.max - 1e-3) / DAY);
  const view = { ...whole };
  const charts = [];

  /* ---- data: distances to times, steps of demand and of capacity onto one axis ---- */

  const times = distances => {
    let at = 0;
    return distances.map(distance => t0 + (at += distance) * tick);
  };

  const demandTimes = times(content.demand.dt);

  // Every line holds its value until its next point, so each can be carried onto the times of the others.
  const columns = policy => {
    const policyTimes = times(policy.dt);
    const xs = [], total = [], upToStarting = [], ready = [], demand = [];
    let d = -1, p = -1;
    while (d + 1 < demandTimes.length || p + 1 < policyTimes.length) {
      const nextDemand = d + 1 < demandTimes.length ? demandTimes[d + 1] : Infinity;
      const nextPolicy = p + 1 < policyTimes.length ? policyTimes[p + 1] : Infinity;
      const x = Math.min(nextDemand, nextPolicy);
      if (nextDemand === x) d++;
      if (nextPolicy === x) p++;
      push(x, d, p);
    }
    push(whole.max, d, p);
    return [xs, total, upToStarting, ready, demand];

    function push(x, d, p) {
      const r = policy.ready[p], s = policy.starting[p], g = policy.draining[p];
      const known = r !== null && s !== null && g !== null;
      xs.push(x);
      ready.push(r);
      upToStarting.push(known ? r + s : r);
      total.push(known ? r + s + g : r);
      demand.push(content.demand.y[d]);
    }
  };

  const momentsOf = policy => {
    const from = times(policy.from);
    return from.map((start, i) => [start, start + policy.for[i] * tick]);
  };

  const gapsOf = () => {
    const gaps = [];
    content.demand.y.forEach((value, i) => {
      if (value === null) gaps.push([demandTimes[i], i + 1 < demandTimes.length ? demandTimes[i + 1] : whole.max]);
    });
    return gaps;
  };
  const gaps = gapsOf();

  // First place in an ascending list at or after x.
  const placeOf = (xs, x) => {
    let low = 0, high = xs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (xs[middle] < x) low = middle + 1; else high = middle;
    }
    return low;
  };

  /* ---- words: times as given (never the viewer's zone), figures ---- */

  const two = n => String(n).padStart(2, "0");
  const hours = (t, seconds) => {
    const s = ((Math.floor(t + 1e-6) % DAY) + DAY) % DAY;
    return two(Math.floor(s / 3600)) + ":" + two(Math.floor(s / 60) % 60) + (seconds ? ":" + two(s % 60) : "");
  };
  const day = t => {
    if (!utc) return "day " + (Math.floor((t + 1e-6) / DAY) + 1);
    const date = new Date(t * 1000);
    return date.getUTCDate() + " " + MONTHS[date.getUTCMonth()];
  };
  const moment = (t, seconds) => (severalDays ? day(t) + " " : "") + hours(t, seconds);
  const dated = t => day(t) + (utc ? " " + new Date(t * 1000).getUTCFullYear() : "");
  const endMoment = t => !severalDays && t > whole.min && t % DAY === 0 ? "24:00" : moment(t, view.max - view.min < 600);
  const format = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
  const figure = value => value === null || value === undefined ? "not known" : format.format(value);

  /* ---- colours, from the style sheet so that light, dark and paper are written once ---- */

  let colours = {};
  const pattern = (ground, draw) => {
    const ratio = Math.max(1, Math.round(devicePixelRatio));
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6 * ratio;
    const ctx = tile.getContext("2d");
    ctx.scale(ratio, ratio);
    ctx.fillStyle = ground;
    ctx.fillRect(0, 0, 6, 6);
    draw(ctx);
    return ctx.createPattern(tile, "repeat");
  };
  const readColours = () => {
    const style = getComputedStyle(root);
    const names = ["text", "soft", "grid", "line", "demand", "demand-dense", "ready", "ready-edge", "starting", "starting-mark",
      "draining", "draining-mark", "over", "over-wash", "over-veil", "gap"];
    colours = Object.fromEntries(names.map(name => [name, style.getPropertyValue("--" + name).trim()]));
    colours.startingFill = pattern(colours.starting, ctx => {
      ctx.strokeStyle = colours["starting-mark"];
      ctx.lineWidth = 1.1;
      ctx.beginPath();
      for (const x of [-6, 0, 6]) { ctx.moveTo(x - 1, 7); ctx.lineTo(x + 7, -1); }
      ctx.stroke();
    });
    colours.drainingFill = pattern(colours.draining, ctx => {
      ctx.fillStyle = colours["draining-mark"];
      for (const [x, y] of [[1.5, 1.5], [4.5, 4.5]]) { ctx.beginPath(); ctx.arc(x, y, .9, 0, 7); ctx.fill(); }
    });
  };

  /* ---- what uPlot does not draw: gaps below, moments over capacity above the areas ---- */

  // Calls back for each stretch in view that is at least `least` pixels wide, joined where they would overlap.
  const eachStretch = (u, spans, least, draw) => {
    const { min, max } = u.scales.x;
    let from = null, until = null;
    for (let i = firstIn(spans, min); i < spans.length && spans[i][0] < max; i++) {
      const x0 = u.valToPos(spans[i][0], "x", true);
      const x1 = Math.max(u.valToPos(spans[i][1], "x", true), x0 + least);
      if (from !== null && x0 <= until) {
        until = Math.max(until, x1);
        continue;
      }
      if (from !== null) draw(from, until - from);
      [from, until] = [x0, x1];
    }
    if (from !== null) draw(from, until - from);
  };
  const firstIn = (spans, min) => {
    let low = 0, high = spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (spans[middle][1] <= min) low = middle + 1; else high = middle;
    }
    return low;
  };
  const within = (u, draw) => {
    const { left, top, width, height } = u.bbox;
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(left, top, width, height);
    u.ctx.clip();
    draw(u.ctx, u.bbox);
    u.ctx.restore();
  };
  const drawGaps = u => within(u, (ctx, { top, height }) => {
    ctx.fillStyle = colours.gap;
    eachStretch(u, gaps, uPlot.pxRatio, (x, wide) => ctx.fillRect(x, top, wide, height));
  });
  // Strong behind the areas, where demand stands alone above them; faint over them, so that what was ready and
  // starting in that moment keeps its colour.
  const washMoments = (u, moments, colour) => within(u, (ctx, { top, width, height }) => {
    // True to time where there are very many, so that its strength shows how much of the time was over.
    const many = firstIn(moments, u.scales.x.max) - firstIn(moments, u.scales.x.min) > width / (8 * uPlot.pxRatio);
    ctx.fillStyle = colour;
    eachStretch(u, moments, many ? 0 : 2 * uPlot.pxRatio, (x, wide) => ctx.fillRect(x, top, wide, height));
  });
  // Never thinner than two pixels: ten seconds must be seen in a year.
  const stripMoments = (u, moments) => within(u, (ctx, { top }) => {
    const pixel = uPlot.pxRatio;
    ctx.fillStyle = colours.over;
    eachStretch(u, moments, 2 * pixel, (x, wide) => ctx.fillRect(x, top, wide, 5 * pixel));
  });

  /* ---- axes ---- */

  const INCREMENTS = [1, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 14400, 21600, 43200,
    DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30.44 * DAY, 60.88 * DAY, 91.31 * DAY, 182.6 * DAY, 365.25 * DAY,
    730.5 * DAY, 1826.25 * DAY];

  const monthStarts = (min, max, months) => {
    const first = new Date(min * 1000);
    let month = Math.floor((first.getUTCFullYear() * 12 + first.getUTCMonth()) / months) * months;
    const found = [];
    for (let t = -Infinity; t <= max; month += months) {
      t = Date.UTC(Math.floor(month / 12), month % 12, 1) / 1000;
      if (t >= min && t <= max) found.push(t);
    }
    return found;
  };

  const splits = (u, axis, min, max, increment) => {
    if (utc && increment > 28 * DAY) return monthStarts(min, max, Math.round(increment / (30.44 * DAY)));
    const found = [];
    for (let t = Math.ceil(min / increment - 1e-9) * increment; t <= max + 1e-6; t += increment) found.push(t);
    return found;
  };

  const tickWords = (u, values, axis, space, increment) => {
    let said = null;
    return values.map(t => {
      if (!severalDays) return t === whole.max && t % DAY === 0 ? "24:00" : hours(t, increment < 60);
      if (increment > 28 * DAY && utc) {
        const date = new Date(t * 1000);
        const year = date.getUTCFullYear();
        const words = (increment < 360 * DAY ? MONTHS[date.getUTCMonth()] : "") + (year !== said ? "\n" + year : "");
        said = year;
        return increment < 360 * DAY ? words : String(year);
      }
      if (increment >= DAY) {
        const year = utc ? new Date(t * 1000).getUTCFullYear() : "";
        const words = day(t) + (year !== said && utc ? "\n" + year : "");
        said = year;
        return words;
      }
      const today = day(t);
      const words = hours(t, increment < 60) + (today !== said ? "\n" + today : "");
      said = today;
      return words;
    });
  };

  const font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
  const axisBase = {
    font, labelFont: font, labelSize: 18,
    stroke: () => colours.soft,
    grid: { stroke: () => colours.grid, width: 1 },
    ticks: { stroke: () => colours.line, width: 1, size: 5 },
  };

  /* ---- scale of the capacity axis: highest value in view, of all charts or of its own ---- */

  const sameScale = document.getElementById("same-scale");
  const highest = chart => {
    const [xs, total, , , demand] = chart.columns;
    let top = 0;
    const last = Math.min(xs.length, placeOf(xs, view.max) + 1);
    for (let i = Math.max(0, placeOf(xs, view.min) - 1); i < last; i++) {
      if (total[i] > top) top = total[i];
      if (demand[i] > top) top = demand[i];
    }
    return top;
  };
  const rangeTops = () => {
    for (const chart of charts) chart.top = highest(chart);
    const all = Math.max(...charts.map(chart => chart.top));
    for (const chart of charts) chart.top = (sameScale.checked ? all : chart.top) * 1.06 || 1;
  };

  /* ---- one time window for all charts ---- */

  const span = () => view.max - view.min;
  const output = document.getElementById("shown");
  const sayView = () => {
    const wide = span() > 60 * DAY;
    output.textContent = (wide ? dated(view.min) + " – " + dated(view.max)
      : moment(view.min, span() < 600) + " – " + endMoment(view.max)) + (utc ? " UTC" : "");
  };
  const show = (min, max) => {
    // No closer than four ticks: below that there is nothing more to see.
    const least = Math.min(whole.max - whole.min, Math.max(4 * tick, 20));
    if (max - min < least) {
      const middle = (min + max) / 2;
      min = middle - least / 2;
      max = middle + least / 2;
    }
    if (min < whole.min) { max += whole.min - min; min = whole.min; }
    if (max > whole.max) { min -= max - whole.max; max = whole.max; }
    view.min = Math.max(min, whole.min);
    view.max = max;
    sayView();
    rangeTops();
    for (const chart of charts) chart.plot.setScale("x", { min: view.min, max: view.max });
  };
  const deeds = {
    earlier: () => show(view.min - span() / 4, view.max - span() / 4),
    later: () => show(view.min + span() / 4, view.max + span() / 4),
    in: () => show(view.min + span() / 4, view.max - span() / 4),
    out: () => show(view.min - span() / 2, view.max + span() / 2),
    all: () => show(whole.min, whole.max),
  };
  const keys = { ArrowLeft: "earlier", ArrowRight: "later", "+": "in", "=": "in", "-": "out", "0": "all", Home: "all" };

  const jump = chart => {
    const moments = chart.moments;
    const middle = span() < whole.max - whole.min ? (view.min + view.max) / 2 : -Infinity;
    const [from, until] = moments.find(([a, b]) => (a + b) / 2 > middle + 1e-3 * tick) || moments[0];
    const around = Math.max(2 * (until - from), 900);
    show((from + until) / 2 - around, (from + until) / 2 + around);
  };

  /* ---- the line of words above each chart follows the cursor ---- */

  const say = chart => {
    const line = chart.line;
    const i = chart.plot.cursor.idx;
    const away = i === null || i === undefined || chart.plot.cursor.left < 0;
    line.replaceChildren();
    chart.place.parentElement.classList.toggle("pointed", !away);
    if (away) return;
    const [xs, total, upToStarting, ready, demand] = chart.columns;
    const add = (words, kind) => {
      const part = document.createElement(kind ? "b" : "span");
      if (kind) part.className = kind;
      part.textContent = words;
      line.append(part);
    };
    add(moment(xs[i], span() < 7200), "time");
    add(" · demand ");
    add(figure(demand[i]), "value");
    add(" · ready ");
    add(figure(ready[i]), "value");
    add(" · starting ");
    add(figure(ready[i] === null ? null : upToStarting[i] - ready[i]), "value");
    add(" · draining ");
    add(figure(ready[i] === null ? null : total[i] - upToStarting[i]), "value");
    if (demand[i] !== null && ready[i] !== null && demand[i] > ready[i]) {
      add(" · short by " + figure(demand[i] - ready[i]), "short");
    }
  };

  /* ---- one chart ---- */

  const stepped = uPlot.paths.stepped({ align: 1 });
  let selecting = false;
  const selected = u => {
    if (selecting || u.select.width < 3) return;
    selecting = true;
    const { left, width } = u.select;
    const [from, until] = [u.posToVal(left, "x"), u.posToVal(left + width, "x")];
    // The other charts get the same selection through the shared cursor: act once, then clear it everywhere.
    queueMicrotask(() => {
      for (const chart of charts) chart.plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      show(from, until);
      selecting = false;
    });
  };

  // Where the ups and downs of many days share a pixel, a full line would be a black wall, and the edges of the
  // areas would hide their fill.
  const dense = (u, xs) => span() > 20 * DAY && placeOf(xs, view.max) - placeOf(xs, view.min) > 1.5 * u.width;

  const area = (chart, fill, edge, width) => ({
    fill, width, fillTo: 0, paths: stepped, points: { show: false },
    stroke: u => dense(u, chart.changes) ? "transparent" : colours[edge],
  });

  const options = chart => ({
    width: chart.place.clientWidth || 600,
    height: HEIGHT,
    legend: { show: false },
    drawOrder: ["series", "axes"],
    scales: {
      x: { time: false, range: () => [view.min, view.max] },
      y: { range: () => [0, chart.top] },
    },
    axes: [
      { ...axisBase, incrs: INCREMENTS, splits, values: tickWords, space: severalDays ? 62 : 50,
        size: severalDays ? 44 : 30 },
      { ...axisBase, label: content.unit, values: (u, values) => values.map(value => format.format(value)),
        size: (u, values) => values ? 16 + 7.2 * Math.max(...values.map(value => value.length)) : 40 },
    ],
    series: [
      {},
      area(chart, () => colours.drainingFill, "draining-mark", .6),
      area(chart, () => colours.startingFill, "starting-mark", .6),
      area(chart, () => colours.ready, "ready-edge", 1.4),
      { stroke: u => dense(u, demandTimes) ? colours["demand-dense"] : colours.demand, width: 1.5, paths: stepped,
        points: { show: false } },
    ],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false },
      sync: { key: "time", scales: ["x", null] },
      bind: { dblclick: () => () => { deeds.all(); return null; } },
    },
    hooks: {
      drawClear: [u => { drawGaps(u); washMoments(u, chart.moments, colours["over-wash"]); }],
      drawSeries: [(u, i) => { if (i === 3) { washMoments(u, chart.moments, colours["over-veil"]); stripMoments(u, chart.moments); } }],
      setCursor: [() => say(chart)],
      setSelect: [selected],
    },
  });

  const draw = () => {
    readColours();
    content.policies.forEach((policy, i) => {
      const place = document.querySelector(`.plot[data-policy="${i}"]`);
      const chart = { place, line: place.parentElement.querySelector(".now"), columns: columns(policy),
        changes: times(policy.dt), moments: momentsOf(policy), top: 1, plot: null };
      charts.push(chart);
    });
    if (charts.length) rangeTops();
    for (const chart of charts) {
      chart.plot = new uPlot(options(chart), chart.columns, chart.place);
      chart.place.addEventListener("keydown", event => {
        const deed = keys[event.key];
        if (!deed || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        deeds[deed]();
      });
    }
    sayView();
  };

  // On screen a chart fills its card; on paper three of them stand on an upright page.
  const fit = (width, height = HEIGHT) => {
    for (const chart of charts) {
      const wide = width || chart.place.clientWidth;
      if (wide && (wide !== chart.plot.width || height !== chart.plot.height)) chart.plot.setSize({ width: wide, height });
    }
  };
  const recolour = () => {
    readColours();
    for (const chart of charts) chart.plot.redraw(false, true);
  };

  /* ---- the table sorts by any column; what is not known goes last ---- */

  const sortable = () => {
    const table = document.getElementById("policies");
    const body = table.tBodies[0];
    for (const button of table.querySelectorAll("thead button")) {
      button.addEventListener("click", () => {
        const head = button.parentElement;
        const column = Number(button.dataset.column);
        const down = head.getAttribute("aria-sort") === "ascending";
        const value = row => {
          if (column === 0) return row.cells[0].querySelector("bdi").textContent;
          const text = row.cells[column].dataset.value;
          return text === undefined ? null : Number(text);
        };
        const order = (a, b) => {
          const [x, y] = [value(a), value(b)];
          if (x === null || y === null) return (x === null) - (y === null);
          const found = column === 0 ? x.localeCompare(y, "en") : x - y;
          return down ? -found : found;
        };
        body.append(...[...body.rows].sort(order));
        for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
      });
    }
  };

  draw();
  sortable();
  for (const button of document.querySelectorAll("[data-do]")) {
    button.addEventListener("click", deeds[button.dataset.do]);
  }
  for (const button of document.querySelectorAll(".jump")) {
    button.addEventListener("click", () => jump(charts[Number(button.dataset.policy)]));
  }
  sameScale.addEventListener("change", () => show(view.min, view.max));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  new ResizeObserver(() => fit()).observe(document.querySelector(".grid"));
  addEventListener("beforeprint", () => {
    root.classList.add("paper");
    fit(660, 200);
    recolour();
  });
  addEventListener("afterprint", () => {
    root.classList.remove("paper");
    fit();
    recolour();
  });
  root.dataset.charts = String(charts.length);
})();
