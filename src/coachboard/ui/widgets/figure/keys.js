// Keyboard use of a figure: arrow keys move its cursor and a live region announces the values; Shift selects.

const MOST_STOPS = 120; // over the width: fine enough to read, few enough to step through
const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
const LABELS = ".hoverlayer .legendtitletext, .hoverlayer .legendtext, .hoverlayer .hovertext text";

const middleOf = (values) => (Math.min(...values) + Math.max(...values)) / 2;

// One stop per point; an area has one in its middle, where Plotly finds it.
const pointsOf = (points) => {
  const { trace } = points[0];
  if (trace.hoveron === "fills") {
    const known = points.filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
    return [{ trace, x: middleOf(known.map(({ x }) => x)), y: middleOf(known.map(({ y }) => y)) }];
  }
  return points.map((point, number) => ({ trace, number, x: point.x, y: point.y }));
};

// With the last stop: the End key of a year of days would read the day before the last.
const thinned = (all) => {
  const step = Math.ceil(all.length / MOST_STOPS);
  return all.filter((_, at) => at % step === 0 || at === all.length - 1);
};

// A time axis has stops at round seconds; others at the points from left to right; a route in order of time.
export const stopsOf = (box, clock, steps) => {
  const { hovermode, xaxis } = box._fullLayout;
  if (hovermode !== "closest" && steps) return clock.clockTicks(...xaxis.range, MOST_STOPS, steps).map((x) => ({ x }));
  const traces = box.calcdata.filter(([{ trace }]) => trace.visible === true && trace.hoverinfo !== "skip");
  const isKnown = ({ x, y }) => Number.isFinite(x) && Number.isFinite(y);
  const points = traces.flatMap(pointsOf).filter(isKnown);
  if (hovermode !== "closest") return thinned([...new Set(points.map(({ x }) => x))].sort((a, b) => a - b)).map((x) => ({ x }));
  if (traces.length > 1) points.sort((a, b) => a.x - b.x);
  // A planned step is two areas (up to its target, and the target range) with one stop.
  const isNext = ({ x, number }, at) => number !== undefined || x !== points[at - 1]?.x;
  return thinned(points.filter(isNext));
};

const show = (box, { x, y, trace, number }) => {
  const { Fx } = window.Plotly;
  if (!trace) return Fx.hover(box, { xval: x, xpx: box._fullLayout.xaxis.c2p(x) }, "xy");
  // By index: a route that ends at its start has two points in one place.
  const where = number === undefined ? { xval: x, yval: y } : { pointNumber: number };
  Fx.hover(box, [{ curveNumber: trace.index, ...where }], trace.xaxis + trace.yaxis);
};

const linesOf = (text) => {
  const lines = [...text.querySelectorAll("tspan.line")];
  return (lines.length ? lines : [text]).map((line) => line.textContent.trim());
};

export const followKeys = (box, chart, clock) => {
  const [cursor, spoken] = [".cursor", ".spoken"].map((name) => box.parentElement.querySelector(name));
  const steps = () => chart.figure.layout.meta?.clock_steps_s;
  const named = ({ x }) => (steps() ? clock.clockText(x) : "");
  let at;
  let from; // the stop where a selection began
  let stops = [];

  // Runs after each label that Plotly draws: some appear a moment after the request.
  chart.speak = () => {
    if (document.activeElement !== cursor) return;
    const texts = [...box.querySelectorAll(LABELS)].flatMap(linesOf).filter(Boolean);
    if (stops[at]) spoken.textContent = texts.join(", ") || [named(stops[at]), "no values"].filter(Boolean).join(": ");
  };
  const report = () => {
    const stop = stops[at];
    if (chart.reports === "point" && stop?.trace) chart.report({ curve: stop.trace.index, point: stop.number ?? 0 });
  };
  const extend = () => {
    const [x0, x1] = [stops[from].x, stops[at].x].sort((a, b) => a - b);
    window.Plotly.relayout(box, { selections: [{ ...chart.figure.layout.meta.selection, x0, x1 }] });
  };
  const finish = () => {
    if (from === undefined) return;
    const [first, last] = [stops[from], stops[at]].sort((a, b) => a.x - b.x);
    from = undefined;
    if (chart.reports !== "box") return report();
    if (first.x === last.x) return;
    spoken.textContent = steps() ? `Selected ${named(first)} to ${named(last)}` : "Selected";
    chart.report({ x: [first.x, last.x] });
  };
  const step = (event) => {
    const by = STEPS[event.key];
    stops = stopsOf(box, clock, steps());
    if (!stops.length) return;
    const was = at ?? (by > 0 ? -1 : stops.length);
    if (event.shiftKey) from ??= Math.max(0, Math.min(was, stops.length - 1));
    at = Math.max(0, Math.min(was + by, stops.length - 1));
    if (event.shiftKey && chart.reports === "box") extend();
    show(box, stops[at]);
  };
  cursor.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in STEPS) step(event);
    else if (event.key === "Enter") report();
    else if (event.key === "Escape") window.Plotly.Fx.unhover(box);
    else return;
    event.preventDefault();
  });
  cursor.addEventListener("keyup", ({ key }) => key === "Shift" && finish());
  cursor.addEventListener("blur", () => { finish(); window.Plotly.Fx.unhover(box); });
  cursor.tabIndex = 0;
};
