"use strict";
/* Charts over time. timeCharts(content, section, key) draws the numbers of one timeline into the figures of one section;
   its charts share one window of time. onScreenAndPaper keeps any number of them right when colours or paper change. */
const DAY = 86400;
const HEIGHT = 232;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const timeCharts = (content, section, key) => {
  const { tick, t0, forecast } = content;
  const utc = content.clock === "utc";
  const charts = [];

  /* ---- data: distances to times, steps of demand and of capacity onto one axis ---- */

  const times = distances => {
    let at = 0;
    return distances.map(distance => t0 + (at += distance) * tick);
  };

  const demandTimes = times(content.demand.dt);
  const forecastTimes = forecast ? times(forecast.dt) : [];
  const end = t0 + content.end * tick;
  const whole = { min: Math.min(t0, ...forecastTimes.slice(0, 1)), max: Math.max(end, ...forecastTimes.slice(-1)) };
  const severalDays = whole.max - whole.min > DAY || Math.floor(whole.min / DAY) !== Math.floor((whole.max - 1e-3) / DAY);
  const view = { ...whole };

  // Demand ends where a forecast may go on; at the very end of the page the last value is carried to the edge.
  const holds = x => x < end || end === whole.max;

  // Every line holds its value until its next point, so each can be carried onto the times of the others. Calls back
  // for each time at which anything changes, with the place of the demand and of the others that hold there.
  const eachChange = (otherTimes, push) => {
    const xs = [...new Set([...demandTimes, ...otherTimes, end, whole.max])].sort((a, b) => a - b);
    let d = -1, p = -1;
    for (const x of xs) {
      while (d + 1 < demandTimes.length && demandTimes[d + 1] <= x) d++;
      while (p + 1 < otherTimes.length && otherTimes[p + 1] <= x) p++;
      push(x, holds(x) ? d : -1, p);
    }
  };
  const columns = policy => {
    const xs = [], total = [], upToStarting = [], ready = [], demand = [];
    eachChange(times(policy.dt), (x, d, p) => {
      const [r, s, g] = holds(x) && p >= 0 ? [policy.ready[p], policy.starting[p], policy.draining[p]] : [null, null, null];
      const known = r !== null && s !== null && g !== null;
      xs.push(x);
      ready.push(r);
      upToStarting.push(known ? r + s : r);
      total.push(known ? r + s + g : r);
      demand.push(d < 0 ? null : content.demand.y[d]);
    });
    return [xs, total, upToStarting, ready, demand];
  };

  const forecastColumns = () => {
    const xs = [], upper = [], expected = [], demand = [];
    eachChange(forecastTimes, (x, d, p) => {
      xs.push(x);
      upper.push(p < 0 ? null : forecast.upper[p]);
      expected.push(p < 0 ? null : forecast.expected[p]);
      demand.push(d < 0 ? null : content.demand.y[d]);
    });
    return [xs, upper, demand, expected];
  };

  const momentsOf = policy => {
    const from = times(policy.from);
    return from.map((start, i) => [start, start + policy.for[i] * tick]);
  };

  const gapsOf = () => {
    const gaps = [];
    content.demand.y.forEach((value, i) => {
      if (value === null) gaps.push([demandTimes[i], i + 1 < demandTimes.length ? demandTimes[i + 1] : end]);
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
    const style = getComputedStyle(document.documentElement);
    const names = ["text", "soft", "grid", "line", "demand", "demand-dense", "ready", "ready-edge", "starting", "starting-mark",
      "draining", "draining-mark", "over", "over-wash", "over-veil", "gap", "expected", "band"];
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

  const sameScale = section.querySelector(".same-scale");
  const highest = chart => {
    const xs = chart.columns[0];
    const [total, demand] = chart.highest.map(column => chart.columns[column]);
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
  const output = section.querySelector(".shown");
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
    const add = (words, kind) => {
      const part = document.createElement(kind ? "b" : "span");
      if (kind) part.className = kind;
      part.textContent = words;
      line.append(part);
    };
    add(moment(chart.columns[0][i], span() < 7200), "time");
    for (const [label, value, kind] of chart.figuresAt(i)) {
      add(" · " + label + " ");
      add(figure(value), kind || "value");
    }
  };
  const capacityAt = ([, total, upToStarting, ready, demand]) => i => {
    const known = ready[i] !== null;
    const said = [["demand", demand[i]], ["ready", ready[i]],
      ["starting", known ? upToStarting[i] - ready[i] : null],
      ["draining", known ? total[i] - upToStarting[i] : null]];
    if (demand[i] !== null && known && demand[i] > ready[i]) said.push(["short by", demand[i] - ready[i], "short"]);
    return said;
  };
  const forecastAt = ([, upper, demand, expected]) => i =>
    [["demand", demand[i]], ["expected", expected[i]], ["upper", upper[i]]];

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

  const area = (changes, fill, edge, width) => ({
    fill, width, fillTo: 0, paths: stepped, points: { show: false },
    stroke: u => dense(u, changes) ? "transparent" : colours[edge],
  });

  const demandLine = () => ({
    stroke: u => dense(u, demandTimes) ? colours["demand-dense"] : colours.demand, width: 1.5, paths: stepped,
    points: { show: false },
  });
  const capacityLines = changes => [
    area(changes, () => colours.drainingFill, "draining-mark", .6),
    area(changes, () => colours.startingFill, "starting-mark", .6),
    area(changes, () => colours.ready, "ready-edge", 1.4),
    demandLine(),
  ];
  const forecastLines = () => [
    { stroke: () => colours.band, width: 1, paths: stepped, points: { show: false } },
    demandLine(),
    { stroke: () => colours.expected, width: 1.8, paths: stepped, points: { show: false } },
  ];

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
    series: [{}, ...chart.lines],
    bands: chart.bands,
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false },
      sync: { key: "time-" + key, scales: ["x", null] },
      bind: { dblclick: () => () => { deeds.all(); return null; } },
    },
    hooks: {
      drawClear: [u => { drawGaps(u); washMoments(u, chart.moments, colours["over-wash"]); }],
      drawSeries: [(u, i) => { if (chart.moments.length && i === 3) { washMoments(u, chart.moments, colours["over-veil"]); stripMoments(u, chart.moments); } }],
      setCursor: [() => say(chart)],
      setSelect: [selected],
    },
  });

  const place = (selector, line) => {
    const found = section.querySelector(selector);
    charts.push({ place: found, line: found.parentElement.querySelector(".now"), top: 1, plot: null, moments: [], ...line });
  };
  const draw = () => {
    if (charts.length) return;
    readColours();
    if (forecast) {
      const drawn = forecastColumns();
      place(".plot[data-forecast]", { columns: drawn, highest: [1, 2], lines: forecastLines(), figuresAt: forecastAt(drawn),
        bands: [{ series: [1, 3], fill: () => colours.band }] });
    }
    content.policies.forEach((policy, i) => {
      const drawn = columns(policy);
      place(`.plot[data-policy="${i}"]`, { columns: drawn, highest: [1, 4], lines: capacityLines(times(policy.dt)),
        figuresAt: capacityAt(drawn), bands: [], moments: momentsOf(policy), policy: i });
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
    for (const button of section.querySelectorAll("[data-do]")) button.addEventListener("click", deeds[button.dataset.do]);
    for (const button of section.querySelectorAll(".jump")) {
      button.addEventListener("click", () => jump(charts.find(chart => chart.policy === Number(button.dataset.policy))));
    }
    sameScale.addEventListener("change", () => show(view.min, view.max));
    new ResizeObserver(() => fit()).observe(section.querySelector(".grid"));
    const drawnBefore = Number(document.documentElement.dataset.charts || 0);
    document.documentElement.dataset.charts = String(drawnBefore + charts.length);
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
  return { section, draw, fit, recolour };
};

const onScreenAndPaper = timelines => {
  const root = document.documentElement;
  const recolour = () => timelines.forEach(timeline => timeline.recolour());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  addEventListener("beforeprint", () => {
    root.classList.add("paper");
    for (const timeline of timelines) {
      timeline.draw();
      timeline.fit(660, 200);
      timeline.recolour();
    }
  });
  addEventListener("afterprint", () => {
    root.classList.remove("paper");
    for (const timeline of timelines) {
      timeline.fit();
      timeline.recolour();
    }
  });
};
