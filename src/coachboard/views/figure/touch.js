// Fingers on a figure: a vertical swipe scrolls the page, a horizontal drag is the mouse's drag, a pinch is the page's.
// Plotly itself takes every touch, so that a reader could not scroll past panels as high as a phone.

const SLOP_PX = 8; // until then a finger may still be tapping

const fire = (kind, target, { clientX, clientY }) =>
  target.dispatchEvent(new MouseEvent(kind, { clientX, clientY, buttons: 1, bubbles: true, cancelable: true, view: window }));

const directionOf = (from, to) => {
  const [across, down] = [Math.abs(to.clientX - from.clientX), Math.abs(to.clientY - from.clientY)];
  if (Math.max(across, down) < SLOP_PX) return undefined;
  return across > down ? "drag" : "scroll";
};

export const followFingers = (box) => {
  let first; // where the one finger came down
  let last;
  let gesture;
  // A chart without a drag of its own shows the values under the finger.
  const hasDrag = () => box._fullLayout.dragmode !== false;

  const end = () => {
    if (gesture === "drag" && hasDrag()) fire("mouseup", document, last);
    first = last = gesture = undefined;
  };
  const start = (event) => {
    event.stopPropagation();
    end();
    const { clientX, clientY, target } = event.touches[0];
    // Safari moves the touch that it reports, so that the place is copied.
    if (event.touches.length === 1) first = { clientX, clientY, target };
  };
  const move = (event) => {
    if (!first) return;
    last = event.touches[0];
    if (!gesture) {
      gesture = directionOf(first, last);
      if (gesture === "drag" && hasDrag()) fire("mousedown", first.target, first);
    }
    if (gesture !== "drag") return;
    if (event.cancelable) event.preventDefault();
    fire("mousemove", hasDrag() ? document : first.target, last);
  };
  box.addEventListener("touchstart", start, { capture: true, passive: true });
  box.addEventListener("touchmove", move, { passive: false });
  for (const kind of ["touchend", "touchcancel"]) box.addEventListener(kind, end);
};
