// Tells when the place is well in view, or when its button is pressed; a rim of it at the edge is not enough.

const LASTING_MS = 250;
const AGAIN_MS = 1500;

const CALM_MS = 400;

// Streamlit sends the reports of one moment together, names one fragment for all of them, and runs that one alone.
// So the reader's own action goes first, and only one section reports at a time: of three that came into view
// together, two waited 1.5 and 4.5 s for their next attempt.
let askedAt = 0;
for (const kind of ["pointerup", "click", "keydown", "popstate"])
  addEventListener(kind, () => { askedAt = performance.now(); }, true);

const isBusy = () => {
  const state = document.querySelector("[data-testid=stApp]")?.dataset.testScriptState;
  return (Boolean(state) && state !== "notRunning") || performance.now() - askedAt < CALM_MS;
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
  let isComing = false;
  const come = (key) => {
    isComing = true;
    clearTimeout(pause);
    if (isBusy()) {
      pause = setTimeout(come, LASTING_MS, key);
      return;
    }
    observer.disconnect();
    askedAt = performance.now();
    setTriggerValue("near", key);
    // What comes in its stead ends this script. Where nothing comes, the word was lost: a run that was under way
    // may have been given up for another, or two places came at once and one run answered one of them.
    pause = setTimeout(come, again, key);
    again *= 2;
  };
  // What stands above is drawn a moment later and pushes this place down: being in view has to last.
  const inView = new Set();
  const observer = new IntersectionObserver(
    (entries) => {
      if (isComing) return;
      clearTimeout(pause);
      for (const { target, isIntersecting } of entries) inView[isIntersecting ? "add" : "delete"](target);
      const first = buttons.find((button) => inView.has(button));
      if (first) pause = setTimeout(come, LASTING_MS, first.dataset.place);
    },
    { threshold: 0.8 },
  );
  const places = parentElement.querySelector(".places");
  const told = JSON.stringify(data);
  if (places.told !== told) places.replaceChildren(...data.map(section)); // else the focus stays
  places.told = told;
  const buttons = [...places.querySelectorAll("button")];
  for (const button of buttons) {
    button.onclick = () => { askedAt = 0; come(button.dataset.place); };
    observer.observe(button);
  }
  // Paper has no scrolling: all sections load one after the other. `data-lazy` lets print.js wait for them.
  const onPaper = () => { if (!isComing) come(buttons[0].dataset.place); };
  parentElement.host.dataset.lazy = "";
  addEventListener("beforeprint", onPaper);
  return () => {
    delete parentElement.host.dataset.lazy;
    removeEventListener("beforeprint", onPaper);
    clearTimeout(pause);
    observer.disconnect();
  };
}
