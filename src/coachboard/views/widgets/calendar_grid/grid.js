// Draws days with their items as a month, a week or an agenda, and reports clicks.
// Text is set by textContent only: titles are untrusted.

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
};

const signOf = (path) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "sport");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
};

// The colours of the types of planned sessions, each with its name.
const types = (colours) => {
  if (!colours.length) return [];
  const line = make("p", "legend types", "Planned stimulus: ");
  for (const [name, colour] of colours) {
    const type = make("span", "type", name);
    type.style.setProperty("--tone", colour);
    line.append(type);
  }
  return [line];
};

const itemButton = (item, signs, pick) => {
  const button = make("button", `item ${item.kind}`);
  button.type = "button";
  button.dataset.pick = item.id;
  button.title = item.spoken;
  if (item.tone) button.style.setProperty("--tone", item.tone);
  const first = make("span", "line");
  if (item.sign) first.append(make("span", "sign", item.sign));
  if (signs[item.sport]) first.append(signOf(signs[item.sport]));
  if (item.who) first.append(make("span", "who", item.who));
  first.append(make("span", "title", item.title));
  button.append(first);
  if (item.detail) button.append(make("span", "detail", item.detail));
  if (item.at) button.append(make("span", "detail at", item.at));
  // Speech control finds a button by its visible text: keep it in the accessible name.
  button.append(make("span", "unseen", `: ${item.spoken}`));
  button.onclick = () => pick(item.id);
  return button;
};

const dayCell = (day, { limit, signs, moreText }, pick) => {
  const cell = make("div", "day");
  cell.setAttribute("role", "gridcell");
  for (const [flag, name] of [[day.isToday, "today"], [day.isOutside, "outside"], [day.isPicked, "picked"]])
    if (flag) cell.classList.add(name);
  if (!day.items.length) cell.classList.add("empty");
  const head = make("button", "date");
  head.type = "button";
  head.dataset.pick = day.date;
  if (day.isToday) head.setAttribute("aria-current", "date");
  head.append(make("span", "short", day.number), make("span", "long", day.title), make("span", "unseen", `: ${day.spoken}`));
  head.onclick = () => pick(day.date);
  cell.append(head);
  day.items.slice(0, limit).forEach((item) => cell.append(itemButton(item, signs, pick)));
  const hidden = day.items.length - limit;
  if (hidden > 0) {
    const more = make("button", "more", moreText.replace("{n}", hidden));
    more.type = "button";
    more.dataset.pick = `${day.date} more`;
    more.onclick = () => pick(day.date);
    cell.append(more);
  }
  return cell;
};

const weekTotals = (week, signs) => {
  const cell = make("div", "totals");
  cell.setAttribute("role", "gridcell");
  cell.append(make("strong", null, week.title));
  for (const line of week.lines) {
    const row = make("div", "total");
    const label = make("span", signs[line.sport] ? "unseen" : "label", line.label);
    if (signs[line.sport]) row.append(signOf(signs[line.sport]));
    row.title = `${line.label}: ${line.value}`;
    row.append(label, make("span", "value", line.value));
    cell.append(row);
  }
  return cell;
};

const earlierButton = (grid, text) => {
  const button = make("button", "earlier", text);
  button.type = "button";
  button.dataset.pick = "earlier";
  button.onclick = () => {
    grid.classList.add("all");
    button.remove();
  };
  return button;
};

// Arrow keys move between dates; Tab still reaches each item.
const walk = (root, columns) => (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
  if (!step || !event.target.classList.contains("date")) return;
  const dates = [...root.querySelectorAll("button.date")];
  const next = dates[dates.indexOf(event.target) + step];
  if (next) {
    event.preventDefault();
    next.focus();
  }
};

// Scroll to the details under the grid, because a month fills the window.
const show = (root) => {
  let at = root.getRootNode().host || root;
  while (at && !at.nextElementSibling) at = at.parentElement;
  const below = at?.nextElementSibling;
  if (below && below.getBoundingClientRect().top > innerHeight - 260) below.scrollIntoView({ block: "center" });
};

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".calendar");
  const had = (parentElement.activeElement || document.activeElement)?.dataset?.pick;
  const pick = (id) => setTriggerValue("picked", id);
  const grid = make("div", `grid ${data.view}`);
  grid.setAttribute("role", "grid");
  grid.setAttribute("aria-label", data.title);
  const head = make("div", "row head");
  head.setAttribute("role", "row");
  for (const name of [...data.weekdays, data.totalsTitle]) {
    const cell = make("div", "weekday", name);
    cell.setAttribute("role", "columnheader");
    head.append(cell);
  }
  if (data.view !== "agenda") grid.append(head);
  // On a phone the list begins with this week; a button shows earlier days.
  const current = data.weeks.findIndex((week) => week.days.some((day) => day.isToday));
  const earlier = current > 0 ? [earlierButton(grid, data.earlierText)] : [];
  for (const [index, week] of data.weeks.entries()) {
    const row = make("div", `row${index < current ? " past" : ""}${week.lane ? " lanes" : ""}`);
    row.setAttribute("role", "row");
    if (week.lane) {
      const lane = make("div", "lane", week.lane);
      lane.setAttribute("role", "rowheader");
      row.append(lane);
    }
    week.days.forEach((day) => row.append(dayCell(day, data, pick)));
    row.append(weekTotals(week, data.signs));
    grid.append(row);
  }
  grid.onkeydown = walk(grid, data.view === "agenda" ? 1 : 7);
  const below = ["legend", "hint"].filter((name) => data[name]).map((name) => make("p", name, data[name]));
  root.replaceChildren(...earlier, grid, ...types(data.colours), ...below);
  if (data.opened && data.opened !== root.dataset.opened) setTimeout(() => show(root), 300);
  root.dataset.opened = data.opened;
  if (had) [...grid.querySelectorAll("button")].find((button) => button.dataset.pick === had)?.focus();
}
