// Reports when the section is well in view, or when its button is pressed; an edge in view is not enough.

const LASTING_MS = 100;
const LOOK_MS = 50;
const AGAIN_MS = 1500;

const CALM_MS = 400; // for an action that starts no run

// Streamlit sends simultaneous events in one message, names one fragment, and reruns that fragment only.
// So the user's action goes first, and one section reports at a time: of three sections in view
// together, two waited 1.5 and 4.5 s for their next attempt. Each section has a module of its own, hence `window`.
const app = document.querySelector("[data-testid=stApp]");
const isRunning = () => app !== null && app.dataset.testScriptState !== "notRunning";

const followRuns = () => {
  const followed = { askedAt: 0, startedAt: 0 };
  const ask = ({ repeat }) => { if (!repeat) followed.askedAt = performance.now(); }; // a held key scrolls and starts no run
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
  let pause;
  let again = AGAIN_MS;
  let isReported = false;
  const report = (key) => {
    isReported = true;
    clearTimeout(pause);
    if (isBusy()) {
      pause = setTimeout(report, LOOK_MS, key);
      return;
    }
    observer.disconnect();
    runs.askedAt = performance.now();
    setTriggerValue("near", key);
    // The section's content replaces this script. If none comes, Streamlit dropped the event: the rerun
    // was replaced by another one, or two events came together and one rerun handled one of them.
    pause = setTimeout(report, again, key);
    again *= 2;
  };
  // Content above loads a moment later and pushes this section down: wait until it stays in view.
  const inView = new Set();
  const observer = new IntersectionObserver(
    (entries) => {
      if (isReported) return;
      clearTimeout(pause);
      for (const { target, isIntersecting } of entries) inView[isIntersecting ? "add" : "delete"](target);
      const first = buttons.find((button) => inView.has(button));
      if (first) pause = setTimeout(report, LASTING_MS, first.dataset.place);
    },
    { threshold: 0.8 },
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
  const onPaper = () => { if (!isReported) report(buttons[0].dataset.place); };
  parentElement.host.dataset.lazy = "";
  addEventListener("beforeprint", onPaper);
  return () => {
    delete parentElement.host.dataset.lazy;
    removeEventListener("beforeprint", onPaper);
    clearTimeout(pause);
    observer.disconnect();
  };
}
