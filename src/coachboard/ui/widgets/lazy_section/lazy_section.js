// Reports when the section is well in view and does not move, or when its button is pressed; an edge in view is not enough.

const SEEN_PX = 120; // as high as the button
const STEPS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const STILL_FRAMES = 2; // without movement: a held key scrolls at each second one
const MOVING_MS = 100; // a section that moves is reported after this time in view: the reader scrolls slowly
const LAYOUT_MS = 3000; // a widget whose script does not come stays a skeleton
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
  // A held key scrolls and starts no run; nor do these keys while the page itself has the focus.
  const ask = ({ key, repeat, target }) => {
    const isPage = target === document.body || target.dataset?.testid === "stMain";
    if (!repeat && !(isPage && SCROLLS.has(key))) followed.askedAt = performance.now();
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

// Until its script runs, a chart has no height and a widget that of its skeleton: the sections below are too high.
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

const buttonOf = (place) => place.querySelector("button");

export default function ({ data, parentElement, setTriggerValue }) {
  let frame, pause;
  let again = AGAIN_MS;
  let isReported = false;
  const report = (key) => {
    isReported = true;
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
  const isInView = (place) => {
    const { top, bottom } = place.getBoundingClientRect();
    return inView.has(place) && Math.min(bottom, innerHeight) - Math.max(top, 0) >= SEEN_PX;
  };
  const watch = () => {
    const place = sections.find(isInView);
    if (!place) {
      seen = {};
      return;
    }
    const now = performance.now();
    const { top } = place.getBoundingClientRect();
    if (seen.place !== place) seen = { place, since: now, still: 0 };
    seen.still = top === seen.top ? seen.still + 1 : 0;
    seen.top = top;
    const isStill = seen.still >= STILL_FRAMES || now - seen.since >= MOVING_MS;
    const isPlaced = isLaidOut() || now - seen.since >= LAYOUT_MS;
    if (isStill && isPlaced && !isBusy()) report(buttonOf(place).dataset.place);
    else frame = requestAnimationFrame(watch);
  };
  const inView = new Set();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) inView[isIntersecting ? "add" : "delete"](target);
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(watch); // one look a frame
    },
    { threshold: STEPS },
  );
  const places = parentElement.querySelector(".places");
  const json = JSON.stringify(data);
  if (places.drawn !== json) places.replaceChildren(...data.map(section)); // else keep the focus
  places.drawn = json;
  const sections = [...places.children];
  for (const place of sections) {
    const button = buttonOf(place);
    button.onclick = () => { runs.askedAt = 0; report(button.dataset.place); };
    observer.observe(place);
  }
  // Paper does not scroll: load all sections one after the other. `data-lazy` lets print.js wait for them.
  const onPaper = () => { if (!isReported) report(buttonOf(sections[0]).dataset.place); };
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
