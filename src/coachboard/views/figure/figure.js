// Draws a Plotly figure once it comes near the window, redraws it in place, and reports a box or a click.
// A figure that may stand still at first is a picture until somebody comes to it.

const NEAR_PX = 400;
const LABEL_PX = 72;
const MONTH_PX = 30; // "Nov" without its day
const THEMED_MS = 300; // until Streamlit has taken the theme over
const WAKES = ["pointerenter", "pointerdown", "focusin"];
const kept = new WeakMap();
let loading;
let clock, keys, touch;

const load = ({ scripts }) =>
  (loading ??= Promise.all(scripts.map((address) => import(new URL(address, location.origin))))
    .then((modules) => { [, clock, keys, touch] = modules; })
    .catch((error) => {
      loading = undefined;
      throw error;
    }));

const near = (box) =>
  new Promise((resolve) => {
    const seen = () => { observer.disconnect(); window.removeEventListener("beforeprint", seen); resolve(); };
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
  // A figure that comes with a selection reports it while it is drawn; only what a hand drew counts.
  let byHand = false;
  box.addEventListener("pointerdown", () => { byHand = true; }, true);
  box.on("plotly_selected", (event) => {
    if (byHand && chart.reports === "box" && event?.range?.x) chart.report({ x: event.range.x });
    byHand = false;
  });
  box.on("plotly_deselect", () => chart.reports === "box" && chart.report(null));
  box.on("plotly_doubleclick", () => chart.reports === "point" && chart.report(null));
  box.on("plotly_relayout", (change) => {
    if (stepsOf(chart) && Object.keys(change).some((name) => /^xaxis\.(auto)?range/.test(name))) refitTicks(box, chart);
  });
  box.on("plotly_click", (event) => {
    const point = event.points?.[0];
    if (chart.reports === "point" && point) chart.report({ curve: point.curveNumber, point: point.pointNumber });
  });
};

// Plotly redraws a label under a moving pointer without an event, so that its texts are rewritten as they change.
const rewrite = (box, chart) => {
  // Plotly writes negative numbers with a hyphen; the axis beside them has minus signs.
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

// A figure over elapsed time names the steps that its ticks may have.
const stepsOf = (chart) => chart.figure.layout.meta?.clock_steps_s;

const refitTicks = (box, chart) => {
  const { range, _length: width } = box._fullLayout.xaxis;
  const { nticks } = chart.figure.layout.xaxis;
  const { tickvals, ticktext } = clock.clockAxis({ range, nticks }, width, stepsOf(chart));
  window.Plotly.relayout(box, { "xaxis.tickvals": tickvals, "xaxis.ticktext": ticktext });
};

// Of given dates, every second or third is left where there is no room for all. The firsts of months stay, as
// months, where these fit. Under the first that stays, and under the first of each year, stands the year.
const thinned = (axis, width) => {
  const most = Math.max(3, Math.floor(width / LABEL_PX));
  const all = axis.tickvals.map((day, at) => [day, axis.ticktext[at].split("<br>")[0]]);
  if (all.length <= most) return axis;
  const areMonths = all.every(([, text]) => text.startsWith("1 ")) && all.length * MONTH_PX <= width;
  const step = Math.ceil(all.length / most);
  const kept = areMonths ? all.map(([day, text]) => [day, text.slice(2)]) : all.filter((_, at) => at % step === 0);
  const year = (at) => kept[at]?.[0].slice(0, 4);
  return {
    ...axis,
    tickvals: kept.map(([day]) => day),
    ticktext: kept.map(([, text], at) => (year(at) === year(at - 1) ? text : `${text}<br>${year(at)}`)),
  };
};

// Plotly turns labels on their side where they are too many for the width; fewer stay level.
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
  const { layout, data } = chart.figure;
  const width = box.clientWidth;
  const room = chart.roomOnTop?.({ data, layout }, width) ?? 0;
  const height = chart.height + room;
  box.style.height = `${height}px`;
  const margin = room ? { margin: { ...layout.margin, t: layout.margin.t + room } } : {};
  return { ...layout, width, height, ...margin, ...fitted(layout, width) };
};

const still = async (box, chart) => {
  const { draw: picture, legendRoom } = await import(new URL(chart.still, location.origin));
  if (!box.isConnected || chart.isDrawn) return;
  chart.roomOnTop = legendRoom;
  box.querySelector(".still")?.remove();
  picture(box, { data: chart.figure.data, layout: sized(box, chart) });
};

// The picture becomes the chart itself when somebody comes to it, in its place.
const wake = (box, chart) => {
  if (chart.isAwake) return;
  chart.isAwake = true;
  for (const kind of WAKES) box.parentElement.removeEventListener(kind, chart.wake);
  chart.resized?.disconnect();
  draw(box, chart).then(() => box.querySelector(".still")?.remove());
};

const begin = async (box, chart) => {
  if (!chart.still || chart.isAwake) return draw(box, chart);
  try {
    await still(box, chart);
  } catch {
    return wake(box, chart);
  }
  if (chart.resized) return;
  chart.wake = () => wake(box, chart);
  for (const kind of WAKES) box.parentElement.addEventListener(kind, chart.wake);
  let drawn = box.clientWidth;
  const refit = () => {
    if (!box.clientWidth || box.clientWidth === drawn) return;
    drawn = box.clientWidth;
    still(box, chart);
  };
  chart.resized = new ResizeObserver(refit);
  chart.resized.observe(box);
  followPaper(chart, refit);
};

// A browser lays paper out without telling observers of sizes: without this a chart keeps the window's width and is cut off.
const followPaper = (chart, refit) => {
  removeEventListener("beforeprint", chart.refit);
  chart.refit = refit;
  addEventListener("beforeprint", refit);
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
  chart.isDrawn = true;
  await window.Plotly.react(box, chart.figure.data, sized(box, chart), chart.config);
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

// Colours come with the figure. Streamlit runs nothing when the system turns dark at dusk, so it is asked to.
const dusk = matchMedia("(prefers-color-scheme: dark)");
const groundOf = (box) => getComputedStyle(box).getPropertyValue("--st-background-color");
const followTheme = (box, chart) => {
  const look = () => groundOf(box) !== chart.ground && chart.askAnew();
  const soon = () => setTimeout(look, THEMED_MS);
  dusk.addEventListener("change", soon);
  return () => dusk.removeEventListener("change", soon);
};

export default function ({ data, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector(".figure");
  const text = new TextDecoder().decode(data);
  const chart = kept.get(box) ?? {};
  kept.set(box, chart);
  chart.report = (what) => setTriggerValue("reported", { chosen: what });
  chart.askAnew = () => setTriggerValue("themed", true);
  chart.unfollow ??= followTheme(box, chart);
  if (chart.text !== text) {
    chart.text = text;
    chart.ground = groundOf(box);
    const { about, figure } = JSON.parse(text);
    Object.assign(chart, about, { figure });
    box.style.height = `${about.height}px`;
    box.setAttribute("role", "figure");
    box.setAttribute("aria-label", about.alt);
    parentElement.querySelector(".cursor").setAttribute("aria-label", about.keys);
    if (chart.isDrawn) draw(box, chart);
    else if (chart.resized) still(box, chart);
    else chart.waiting ??= near(box).then(() => begin(box, chart));
  }
  return () => {
    chart.unfollow();
    removeEventListener("beforeprint", chart.refit);
    chart.resized?.disconnect();
    if (chart.isDrawn) window.Plotly.purge(box);
    kept.delete(box);
  };
}
