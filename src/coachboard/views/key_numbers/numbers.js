// Draws key numbers as a list of terms. Every text goes in by textContent: an event's name comes from strangers.

const make = (tag, text) => {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
};

const number = ({ label, value, unit, note }) => {
  const place = document.createElement("div");
  const told = make("dd", value);
  if (unit) told.append(make("span", unit));
  if (note) told.append(make("small", note));
  place.append(make("dt", label), told);
  return place;
};

export default function ({ data, parentElement }) {
  parentElement.querySelector("dl").replaceChildren(...data.map(number));
}
