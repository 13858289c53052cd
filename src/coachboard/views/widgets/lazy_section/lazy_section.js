// Reports when the section is well in view and does not move, or when its button is pressed; an edge in view is not enough.

const IN_VIEW = 0.8;
const LONGEST_MS = 100; // in view while it moves: then a reader scrolls slowly
const AGAIN_MS = 1500;

const CALM_MS = 400; // for an action that starts no run
const SCROLLS = new Set(["PageDown", "PageUp", "ArrowDown", "ArrowUp", "Home", "End", " "]);

// Streamlit sends simultaneous events in one message, names one fragment, and reruns that fragment only.
// So the user's action goes first, and one section reports at a time: of three sections in view
// together, two waited 1.5 and 4.5 s for their next attempt. Each section has a module of its own, hence `window`.
const app = document.querySelector("[data-testid=stApp]");
const isRunning = () => app !== null && app.dataset.testScriptState !== "notRunning";

const followRuns = () => {
  const followed = { askedAt: 0, startedAt: 0 };
  // A held key scrolls and starts no run, nor do these keys if no element has the focus.
  const ask = ({ key, repeat, target }) => {
    if (!repeat && !(SCROLLS.has(key) && target === document.body)) followed.askedAt = performance.now();
  };
  for (const kind of ["pointerup", "click", "keydown", "popstate"]) addEventListener(kind, ask, true);
  const look = () => { if (isRunning()) followed.startedAt = performance.now(); };
  if (app) new MutationObserver(look).observe(app, { attributeFilter: ["data-test-script-state"] });
  return followed;
};

const runs = (window.coachboardRuns ??= followRuns());

const isBusy = () => {
  const isAwaited = runs.startedAt < runs.askedAt && performance.now() - runs.askedAt < CALM_MS;
  return isRunning() || isAwaited;
};

// A chart has no height until its script runs, a widget not its own: for a moment the sections below are in view.
const isLaidOut = () =>
  !document.querySelector("[data-testid=stSkeleton]") &&
  [...document.querySelectorAll(".figure")].every(({ style }) => style.height);

const section = ({ key, heading, label }) => {
  const place = document.createElement("section");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  button.dataset.place = key;
  if (heading) {
    const title = document.createElement("h2");
    title.textContent = heading;
    place.append(title);
  }
  place.append(button);
  return place;
};

export default function ({ data, parentElement, setTriggerValue }) {
  let frame, pause;
  let again = AGAIN_MS;
  const report = (key) => {
    observer.disconnect();
    cancelAnimationFrame(frame);
    clearTimeout(pause);
    if (isBusy()) {
      frame = requestAnimationFrame(() => report(key));
      return;
    }
    runs.askedAt = performance.now();
    setTriggerValue("near", key);
    // The section's content replaces this script. If none comes, Streamlit dropped the event: the rerun
    // was replaced by another one, or two events came together and one rerun handled one of them.
    pause = setTimeout(report, again, key);
    again *= 2;
  };
  // Content above loads a moment later and pushes this section down, and a user scrolls past it: both move it.
  let seen = {};
  const watch = () => {
    const first = buttons.find((button) => inView.has(button));
    if (!first) return;
    const now = performance.now();
    const { top, bottom, height } = first.getBoundingClientRect();
    if (seen.button !== first) seen = { button: first, since: now };
    const isStill = top === seen.top || now - seen.since >= LONGEST_MS;
    seen.top = top;
    // The observer reports a frame later that the button has left the view.
    const isInView = Math.min(bottom, innerHeight) - Math.max(top, 0) >= IN_VIEW * height;
    if (isInView && isStill && isLaidOut() && !isBusy()) report(first.dataset.place);
    else frame = requestAnimationFrame(watch);
  };
  const inView = new Set();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) inView[isIntersecting ? "add" : "delete"](target);
      cancelAnimationFrame(frame);
      if (!inView.has(seen.button)) seen = {};
      watch();
    },
    { threshold: IN_VIEW },
  );
  const places = parentElement.querySelector(".places");
  const json = JSON.stringify(data);
  if (places.drawn !== json) places.replaceChildren(...data.map(section)); // else keep the focus
  places.drawn = json;
  const buttons = [...places.querySelectorAll("button")];
  for (const button of buttons) {
    button.onclick = () => { runs.askedAt = 0; report(button.dataset.place); };
    observer.observe(button);
  }
  // Paper does not scroll: load all sections one after the other. `data-lazy` lets print.js wait for them.
  const onPaper = () => report(buttons[0].dataset.place);
  parentElement.host.dataset.lazy = "";
  addEventListener("beforeprint", onPaper);
  return () => {
    delete parentElement.host.dataset.lazy;
    removeEventListener("beforeprint", onPaper);
    clearTimeout(pause);
    cancelAnimationFrame(frame);
    observer.disconnect();
  };
}
