// Touch gestures on a figure: a vertical swipe scrolls the page, a horizontal drag selects, a pinch zooms the page.
// Plotly handles every touch, so that a user could not scroll past panels as high as a phone.

const SLOP_PX = 8; // shorter movements may be a tap

const fire = (kind, target, { clientX, clientY }) =>
  target.dispatchEvent(new MouseEvent(kind, { clientX, clientY, buttons: 1, bubbles: true, cancelable: true, view: window }));

const directionOf = (from, to) => {
  const [across, down] = [Math.abs(to.clientX - from.clientX), Math.abs(to.clientY - from.clientY)];
  if (Math.max(across, down) < SLOP_PX) return undefined;
  return across > down ? "drag" : "scroll";
};

export const followFingers = (box) => {
  let first; // where the first finger touched
  let last;
  let gesture;
  // On a chart without a drag gesture the finger shows values.
  const hasDrag = () => box._fullLayout.dragmode !== false;

  const end = () => {
    if (gesture === "drag" && hasDrag()) fire("mouseup", document, last);
    first = last = gesture = undefined;
  };
  // A finger may slide before the second one of a pinch comes down: that drag must not select.
  const cancel = () => {
    if (gesture === "drag") box.dispatchEvent(new Event("dragcancel"));
    end();
  };
  const start = (event) => {
    event.stopPropagation();
    cancel();
    const { clientX, clientY, target } = event.touches[0];
    // Safari changes the touch object later: copy its position.
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
