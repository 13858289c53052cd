// Draws days with their items as a month, a week or an agenda, and reports clicks; planner.js reports changes of the plan.
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

const itemButton = (item, signs, pick, planner) => {
  const button = make("button", `item ${item.kind}`);
  button.type = "button";
  button.dataset.pick = item.id;
  button.dataset.user = item.user;
  if (item.can) button.dataset.can = item.can;
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
  button.onpointerdown = (event) => planner.grab(event, button);
  return button;
};

const plusButton = (cell, day, planner) => {
  const plus = make("button", "plus", "+");
  plus.type = "button";
  plus.tabIndex = -1; // the keys + and N open it from the date: a stop a day would double the way to an entry
  plus.dataset.pick = `${day.date} new`;
  plus.setAttribute("aria-label", `+ New on ${day.title}`);
  plus.setAttribute("aria-haspopup", "dialog");
  plus.onclick = () => planner.openNew(cell, plus);
  cell.onclick = (event) => event.target === cell && planner.openNew(cell, plus);
  return plus;
};

const dayCell = (day, user, { limit, signs, plan }, pick, planner) => {
  const cell = make("div", "day");
  Object.assign(cell.dataset, { date: day.date, title: day.title, user });
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
  if (plan) cell.append(plusButton(cell, day, planner));
  day.items.slice(0, limit).forEach((item) => cell.append(itemButton(item, signs, pick, planner)));
  const hidden = day.items.length - limit;
  if (hidden > 0) {
    const more = make("button", "more", `+${hidden} more`);
    more.type = "button";
    more.dataset.pick = `${day.date} more`;
    more.onclick = () => pick(day.date);
    cell.append(more);
  }
  return cell;
};

const weekButton = (week, planner) => {
  const button = make("button", "actions", "⋯");
  button.type = "button";
  button.dataset.pick = `${week.title} ${week.user}`;
  button.setAttribute("aria-label", `⋯ ${week.title}: copy, shift, delete`);
  button.setAttribute("aria-haspopup", "dialog");
  button.onclick = () => planner.openWeek(week, button);
  return button;
};

const weekTotals = (week, { signs, plan }, planner) => {
  const cell = make("div", "totals");
  cell.setAttribute("role", "gridcell");
  const head = make("div", "total");
  head.append(make("strong", null, week.title), ...(plan ? [weekButton(week, planner)] : []));
  cell.append(head);
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
const walk = (root, columns, planner) => (event) => {
  if (planner.key(event, [...root.querySelectorAll(".day")], columns)) return event.preventDefault();
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
  if (!step || !event.target.classList.contains("date")) return;
  const dates = [...root.querySelectorAll("button.date")];
  const next = dates[dates.indexOf(event.target) + step];
  if (next) {
    event.preventDefault();
    next.focus();
  }
};

// The workouts of the library, by folder: each is dragged, or picked up by its button and put on a day.
const shelf = (folders, signs, pick, planner) => {
  const list = make("section", "shelf");
  list.setAttribute("aria-label", "Library");
  for (const [folder, items] of folders) {
    list.append(make("h3", "folder", folder));
    for (const item of items) {
      const line = make("div", "workout");
      const button = itemButton(item, signs, pick, planner);
      const add = make("button", "add", "Add");
      add.type = "button";
      add.dataset.pick = `${item.id} add`;
      add.setAttribute("aria-label", `Add ${item.title} to a day`);
      add.onclick = () => planner.carry(button);
      line.append(button, add);
      list.append(line);
    }
  }
  return list;
};

// Scroll to the details under the grid, because a month fills the window.
const show = (root) => {
  let at = root.getRootNode().host || root;
  while (at && !at.nextElementSibling) at = at.parentElement;
  const below = at?.nextElementSibling;
  if (below && below.getBoundingClientRect().top > innerHeight - 260) below.scrollIntoView({ block: "center" });
};

const draw = (data, root, pick, planner) => {
  const had = (root.getRootNode().activeElement || document.activeElement)?.dataset?.pick;
  const grid = make("div", `grid ${data.view}${data.plan ? " plans" : ""}`);
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
  const earlier = current > 0 ? [earlierButton(grid, "Show earlier weeks")] : [];
  for (const [index, week] of data.weeks.entries()) {
    const row = make("div", `row${index < current ? " past" : ""}${week.lane ? " lanes" : ""}`);
    row.setAttribute("role", "row");
    if (week.lane) {
      const lane = make("div", "lane", week.lane);
      lane.setAttribute("role", "rowheader");
      row.append(lane);
    }
    week.days.forEach((day) => row.append(dayCell(day, week.user, data, pick, planner)));
    row.append(weekTotals(week, data, planner));
    grid.append(row);
  }
  const folders = data.plan?.library;
  const top = root.querySelector(".shelf")?.scrollTop ?? 0;
  const board = make("div", folders ? "board shelved" : "board");
  board.append(...(folders ? [shelf(folders, data.signs, pick, planner)] : []), grid);
  board.onkeydown = walk(grid, data.view === "agenda" ? 1 : 7, planner);
  board.addEventListener("click", (event) => planner.clickFirst(event), true);
  board.oncontextmenu = (event) => planner.carried && event.preventDefault(); // a long press
  const below = ["legend", "hint"].filter((name) => data[name]).map((name) => make("p", name, data[name]));
  root.replaceChildren(...earlier, board, ...types(data.colours), ...below);
  if (folders) board.firstChild.scrollTop = top;
  if (data.opened && data.opened !== root.dataset.opened) setTimeout(() => show(root), 300);
  root.dataset.opened = data.opened;
  if (had) [...board.querySelectorAll("button")].find((button) => button.dataset.pick === had)?.focus();
  planner.drawn();
};

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".calendar");
  const planner = (root.planner ??= new Planner(root, ...parentElement.querySelectorAll(".tray, .voice")));
  const redraw = () => draw(data, root, (id) => setTriggerValue("picked", id), planner);
  planner.listen(redraw);
  if (planner.take(data.plan, setTriggerValue)) redraw();
  return () => planner.rest();
}
