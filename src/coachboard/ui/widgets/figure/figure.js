// Draws a Plotly figure near the viewport, redraws it in place, and reports a selected box or a click.

const NEAR_PX = 400;
const LABEL_PX = 72;
const MONTH_PX = 30; // width of "Nov" without a day
const THEMED_MS = 300; // until Streamlit has changed the theme
const LEGEND_GAP_PX = 12;
const LEGEND_ROW_PX = 19; // of Plotly, for text of 11 to 13 px
const LEGEND_ITEM_PX = 45; // the symbol and the space around the text
const LEGEND_FRAME_PX = 10;
const LEGEND_TITLE_PX = 16;
const charts = new WeakMap();
let loading;
let clock, keys, touch, ruler;

const load = ({ scripts }) =>
  (loading ??= Promise.all(scripts.map((address) => import(new URL(address, location.origin))))
    .then((modules) => { [, clock, keys, touch] = modules; })
    .catch((error) => {
      loading = undefined;
      throw error;
    }));

const near = (box, ended) =>
  new Promise((resolve) => {
    const leave = () => { observer.disconnect(); window.removeEventListener("beforeprint", seen); };
    const seen = () => { leave(); resolve(); };
    ended.addEventListener("abort", leave);
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && seen(),
      { rootMargin: `${NEAR_PX}px` },
    );
    observer.observe(box);
    window.addEventListener("beforeprint", seen);
  });

const signed = ({ childNodes }) => {
  for (const node of childNodes)
    if (node.nodeType === Node.TEXT_NODE) node.data = node.data.replace(/(^|[\s:(])-(?=\d)/g, "$1\u2212");
};

const listen = (box, chart) => {
  // Plotly reports an initial selection while it draws; only a user's selection counts.
  let byHand = false;
  let isCancelled = false;
  box.addEventListener("pointerdown", () => { byHand = true; isCancelled = false; }, true);
  box.addEventListener("dragcancel", () => { isCancelled = true; });
  // A tile that does not come would be drawn as a broken picture over the route.
  box.addEventListener("error", ({ target }) => target.setAttribute?.("visibility", "hidden"), true);
  box.addEventListener("load", ({ target }) => target.removeAttribute?.("visibility"), true);
  box.on("plotly_selected", (event) => {
    if (isCancelled) {
      isCancelled = byHand = false;
      window.Plotly.relayout(box, { selections: chart.drawnBox ?? chart.figure.layout.selections ?? [] });
      return;
    }
    if (byHand && chart.reports === "box" && event?.range?.x) {
      chart.drawnBox = box.layout.selections; // else it goes when the window changes its width
      chart.report({ x: event.range.x });
    }
    byHand = false;
  });
  box.on("plotly_deselect", () => {
    if (chart.reports !== "box") return;
    chart.drawnBox = [];
    chart.report(null);
  });
  box.on("plotly_doubleclick", () => chart.reports === "point" && chart.report(null));
  box.on("plotly_relayout", (change) => {
    if (stepsOf(chart) && Object.keys(change).some((name) => /^xaxis\.(auto)?range/.test(name))) refitTicks(box, chart);
  });
  box.on("plotly_click", (event) => {
    const point = event.points?.[0];
    if (chart.reports === "point" && point) chart.report({ curve: point.curveNumber, point: point.pointNumber });
  });
};

// Plotly redraws a label under a moving pointer without an event: rewrite its text at each change.
const rewrite = (box, chart) => {
  // Plotly writes negative numbers with a hyphen; the axis has minus signs.
  box.querySelectorAll(".hoverlayer text, .hoverlayer tspan").forEach(signed);
  clock.writeClock(box);
  chart.speak?.();
};

const watchLabels = (box, chart) => {
  const layer = box.querySelector(".hoverlayer");
  if (chart.labels === layer) return;
  chart.labels = layer;
  new MutationObserver(() => rewrite(box, chart)).observe(layer, { childList: true, subtree: true });
};

// A figure over elapsed time lists its possible tick steps.
const stepsOf = (chart) => chart.figure.layout.meta?.clock_steps_s;

const refitTicks = (box, chart) => {
  const { range, _length: width } = box._fullLayout.xaxis;
  const { nticks } = chart.figure.layout.xaxis;
  const { tickvals, ticktext } = clock.clockAxis({ range, nticks }, width, stepsOf(chart));
  window.Plotly.relayout(box, { "xaxis.tickvals": tickvals, "xaxis.ticktext": ticktext });
};

// Fixed dates: if there is no room, drop every second or third. Keep firsts of months, labelled
// as months, if they fit. The first label and the first one of each year also show the year.
const thinned = (axis, width) => {
  const most = Math.max(3, Math.floor(width / LABEL_PX));
  const all = axis.tickvals.map((day, at) => [day, axis.ticktext[at].split("<br>")[0]]);
  if (all.length <= most) return axis;
  const areMonths = all.every(([, text]) => text.startsWith("1 ")) && all.length * MONTH_PX <= width;
  const step = Math.ceil(all.length / most);
  const shown = areMonths ? all.map(([day, text]) => [day, text.slice(2)]) : all.filter((_, at) => at % step === 0);
  const year = (at) => shown[at]?.[0].slice(0, 4);
  return {
    ...axis,
    tickvals: shown.map(([day]) => day),
    ticktext: shown.map(([, text], at) => (year(at) === year(at - 1) ? text : `${text}<br>${year(at)}`)),
  };
};

// Plotly rotates crowded labels; show fewer instead.
const fitted = (layout, width) => {
  const margin = { l: 0, r: 0, ...layout.template?.layout.margin, ...layout.margin };
  const steps = layout.meta?.clock_steps_s;
  if (steps) return { xaxis: { ...layout.xaxis, ...clock.clockAxis(layout.xaxis, width - margin.l - margin.r, steps) } };
  const ticks = Math.max(3, Math.floor(width / LABEL_PX));
  const fit = (axis) => (axis.tickvals ? thinned(axis, width - margin.l - margin.r) : { ...axis, nticks: Math.min(axis.nticks || 99, ticks) });
  const isFree = ([name, axis]) => /^xaxis\d*$/.test(name) && (!axis.tickvals || (axis.type === "date" && axis.ticktext));
  return Object.fromEntries(Object.entries(layout).filter(isFree).map(([name, axis]) => [name, fit(axis)]));
};

const sized = (box, chart) => {
  const layout = { ...chart.figure.layout, selections: chart.drawnBox ?? chart.figure.layout.selections };
  const width = box.clientWidth;
  const room = chart.legendRoom;
  const height = chart.height + room;
  box.style.height = `${height}px`;
  const margin = room ? { margin: { ...layout.margin, t: layout.margin.t + room } } : {};
  return { ...layout, width, height, ...margin, ...fitted(layout, width) };
};

// Browsers do not notify ResizeObservers when they print: without this a chart keeps the window's width and is cut off.
const followPaper = (chart, refit) => {
  removeEventListener("beforeprint", chart.refit);
  chart.refit = refit;
  addEventListener("beforeprint", refit);
};

const needsLegendRoom = (legend, layout) =>
  legend?.orientation === "h" && legend.yanchor === "bottom" && layout.margin?.t !== undefined;

const legendRoom = (height, layout) => Math.max(0, Math.ceil(height) + LEGEND_GAP_PX - layout.margin.t);

// The room that the legend will need: names in one row, or else in columns of the width of the longest name, as Plotly
// places them. A wrong value costs a second drawing, 70 ms for a session.
const expectedLegendRoom = (box, { figure: { data, layout } }) => {
  const legend = { ...layout.template?.layout.legend, ...layout.legend };
  const named = data.filter((trace) => trace.name && trace.showlegend !== false);
  const isShown = layout.showlegend ?? (named.length > 1 || named[0]?.showlegend);
  if (!named.length || !isShown || !needsLegendRoom(legend, layout)) return 0;
  const { family, size } = { ...layout.template?.layout.font, ...layout.font, ...legend.font };
  const pen = (ruler ??= document.createElement("canvas").getContext("2d"));
  pen.font = `${size}px ${family}`;
  const widths = named.map(({ name }) => LEGEND_ITEM_PX + pen.measureText(name).width);
  const margin = { ...layout.template?.layout.margin, ...layout.margin };
  const width = box.clientWidth - margin.l - margin.r;
  const isOneRow = widths.reduce((sum, one) => sum + one) <= width;
  const columns = isOneRow ? named.length : Math.max(1, Math.floor(width / Math.max(...widths)));
  const title = legend.title?.text ? LEGEND_TITLE_PX : 0;
  return legendRoom(LEGEND_FRAME_PX + title + LEGEND_ROW_PX * Math.ceil(named.length / columns), layout);
};

// Plotly shrinks the panels for a legend; grow the chart instead.
const makeLegendRoom = async (box, chart) => {
  const { layout } = chart.figure;
  const { legend } = box._fullLayout;
  const room = needsLegendRoom(legend, layout) ? legendRoom(legend._height, layout) : 0;
  if (room === chart.legendRoom) return;
  chart.legendRoom = room;
  await window.Plotly.react(box, chart.figure.data, sized(box, chart), chart.config);
};

const draw = async (box, chart) => {
  try {
    await load(chart);
  } catch {
    box.textContent = "Could not draw the chart: its script did not load. Reload the page to try again.";
    return;
  }
  if (!box.isConnected) return;
  const isFirst = !chart.isDrawn;
  if (isFirst) box.textContent = ""; // after a failed attempt, its message stayed above the chart
  chart.isDrawn = true;
  chart.legendRoom = expectedLegendRoom(box, chart);
  await window.Plotly.react(box, chart.figure.data, sized(box, chart), chart.config);
  await makeLegendRoom(box, chart);
  watchLabels(box, chart);
  if (!isFirst) return;
  listen(box, chart);
  keys.followKeys(box, chart, clock);
  touch.followFingers(box);
  const refit = () => {
    const now = box.clientWidth;
    if (now && now !== box._fullLayout?.width) draw(box, chart);
  };
  chart.resized = new ResizeObserver(refit);
  chart.resized.observe(box);
  followPaper(chart, refit);
};

// The figure contains its colours. Streamlit does not rerun when the system turns dark, so request a rerun.
const dusk = matchMedia("(prefers-color-scheme: dark)");
const groundOf = (box) => getComputedStyle(box).getPropertyValue("--st-background-color");
const followTheme = (box, chart) => {
  const look = () => groundOf(box) !== chart.ground && chart.askForRun();
  const soon = () => setTimeout(look, THEMED_MS);
  dusk.addEventListener("change", soon);
  return () => dusk.removeEventListener("change", soon);
};

export default function ({ data, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector(".figure");
  const text = new TextDecoder().decode(data);
  const chart = charts.get(box) ?? { ended: new AbortController() };
  charts.set(box, chart);
  chart.report = (what) => setTriggerValue("reported", { chosen: what });
  chart.askForRun = () => setTriggerValue("themed", true);
  chart.unfollow ??= followTheme(box, chart);
  if (chart.text !== text) {
    chart.text = text;
    chart.ground = groundOf(box);
    chart.drawnBox = undefined;
    const { about, figure } = JSON.parse(text);
    Object.assign(chart, about, { figure });
    box.style.height = `${about.height}px`;
    box.setAttribute("role", "figure");
    box.setAttribute("aria-label", about.alt);
    parentElement.querySelector(".cursor").setAttribute("aria-label", about.keys);
    if (chart.isDrawn) draw(box, chart);
    else chart.waiting ??= near(box, chart.ended.signal).then(() => { chart.waiting = undefined; return draw(box, chart); });
  }
  return () => {
    chart.unfollow();
    chart.ended.abort();
    removeEventListener("beforeprint", chart.refit);
    chart.resized?.disconnect();
    if (chart.isDrawn) window.Plotly.purge(box);
    charts.delete(box);
  };
}
