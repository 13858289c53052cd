// Draws a Plotly figure once it comes near the window, redraws it in place, and reports a box or a click.

const NEAR_PX = 400;
const LABEL_PX = 72;
const kept = new WeakMap();
let bundle;

const load = (address) =>
  (bundle ??= import(new URL(address, location.origin)).then(() => window.Plotly).catch((error) => {
    bundle = undefined;
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
  box.on("plotly_click", (event) => {
    const point = event.points?.[0];
    if (chart.reports === "point" && point) chart.report({ curve: point.curveNumber, point: point.pointNumber });
  });
};

// Plotly turns labels on their side where they are too many for the width; fewer stay level.
const fitted = (layout, width) => {
  const ticks = Math.max(3, Math.floor(width / LABEL_PX));
  const axes = Object.entries(layout).filter(([name, axis]) => /^xaxis\d*$/.test(name) && !axis.tickvals);
  return Object.fromEntries(axes.map(([name, axis]) => [name, { ...axis, nticks: Math.min(axis.nticks || 99, ticks) }]));
};

const draw = async (box, chart) => {
  let Plotly;
  try {
    Plotly = await load(chart.bundle);
  } catch {
    box.textContent = "The chart could not be drawn: its script did not arrive. Reload the page to try again.";
    return;
  }
  if (!box.isConnected) return;
  const { data, layout } = chart.figure;
  const width = box.clientWidth;
  const size = { width, height: chart.height, ...fitted(layout, width) };
  const isFirst = !chart.isDrawn;
  chart.isDrawn = true;
  await Plotly.react(box, data, { ...layout, ...size }, chart.config);
  if (!isFirst) return;
  listen(box, chart);
  chart.resized = new ResizeObserver(() => {
    const now = box.clientWidth;
    if (now && now !== box._fullLayout?.width) draw(box, chart);
  });
  chart.resized.observe(box);
};

export default function ({ data, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector(".figure");
  const text = new TextDecoder().decode(data);
  const chart = kept.get(box) ?? {};
  kept.set(box, chart);
  chart.report = (what) => setTriggerValue("reported", { chosen: what });
  if (chart.text !== text) {
    chart.text = text;
    const { about, figure } = JSON.parse(text);
    Object.assign(chart, about, { figure });
    box.style.height = `${about.height}px`;
    box.setAttribute("role", "figure");
    box.setAttribute("aria-label", about.alt);
    if (chart.isDrawn) draw(box, chart);
    else chart.waiting ??= near(box).then(() => draw(box, chart));
  }
  return () => {
    chart.resized?.disconnect();
    if (chart.isDrawn) window.Plotly.purge(box);
    kept.delete(box);
  };
}
