// Draws key numbers as a definition list. Text is set by textContent only: names of events are untrusted.

const make = (tag, text) => {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
};

const number = ({ label, value, unit, note, isFirst, isLow }) => {
  const place = document.createElement("div");
  const text = make("dd", value);
  if (unit) text.append(make("span", unit));
  if (note) text.append(make("small", note));
  if (isLow) text.className = "low";
  if (!isFirst) place.className = "further";
  place.append(make("dt", label), text);
  return place;
};

const NAMED = 4; // hidden numbers that the button names
const ROW = 10; // numbers that a wide page shows in one row

export default function ({ data, parentElement }) {
  const list = parentElement.querySelector("dl");
  const button = parentElement.querySelector("button");
  // "3 more numbers" hid which: of many the first ones, with the number of the others.
  const hidden = data.filter(({ isFirst }) => !isFirst).map(({ label }) => label);
  const further = hidden.slice(0, NAMED).join(", ") + (hidden.length > NAMED ? ` and ${hidden.length - NAMED} more` : "");
  const fold = (isOpen) => {
    list.classList.toggle("all", isOpen);
    button.setAttribute("aria-expanded", String(isOpen));
    button.textContent = isOpen ? "Fewer numbers" : `Show ${further}`;
  };
  list.replaceChildren(...data.map(number));
  list.classList.toggle("many", data.length > ROW);
  list.style.setProperty("--columns", Math.ceil(data.length / Math.ceil(data.length / ROW)));
  button.hidden = !hidden.length;
  button.onclick = () => fold(!list.classList.contains("all"));
  fold(list.classList.contains("all")); // a rerun keeps the list open
}
