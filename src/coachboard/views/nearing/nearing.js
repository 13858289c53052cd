// Tells when the place is well in view, or when its button is pressed; a rim of it at the edge is not enough.

const LASTING_MS = 250;
const AGAIN_MS = 1500;

const CALM_MS = 400;

// What a reader has just asked for leaves first: Streamlit sends words of one moment together, as if all came from the
// place of the last one, and the answer to the reader's would be drawn in that place alone.
let askedAt = 0;
for (const kind of ["pointerup", "click", "keydown", "popstate"])
  addEventListener(kind, () => { askedAt = performance.now(); }, true);

const isBusy = () => {
  const state = document.querySelector("[data-testid=stApp]")?.dataset.testScriptState;
  return (Boolean(state) && state !== "notRunning") || performance.now() - askedAt < CALM_MS;
};

export default function ({ data, parentElement, setTriggerValue }) {
  const button = parentElement.querySelector("button");
  button.textContent = data.label;
  let pause;
  let again = AGAIN_MS;
  const come = () => {
    clearTimeout(pause);
    if (isBusy()) {
      pause = setTimeout(come, LASTING_MS);
      return;
    }
    observer.disconnect();
    setTriggerValue("near", true);
    // What comes in its stead ends this script. Where nothing comes, the word was lost: a run that was under way
    // may have been given up for another, or two places came at once and one run answered one of them.
    pause = setTimeout(come, again);
    again *= 2;
  };
  // What stands above is drawn a moment later and pushes this place down: being in view has to last.
  const observer = new IntersectionObserver(
    (entries) => {
      clearTimeout(pause);
      if (entries.at(-1).isIntersecting) pause = setTimeout(come, LASTING_MS);
    },
    { threshold: 0.8 },
  );
  button.onclick = () => { askedAt = 0; come(); };
  observer.observe(button);
  return () => {
    clearTimeout(pause);
    observer.disconnect();
  };
}
