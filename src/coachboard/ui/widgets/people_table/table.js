// Draws a table of athletes with sparklines, session chips and shaded cells; cells link to pages or report a click.
// Text is set by textContent only: names and titles are untrusted.

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
};

// Change the URL like the Back button does: Streamlit follows without a page load, and Back returns here.
// (st.switch_page would add a history entry that belongs to neither page.)
const go = (href) => {
  if (new URL(href, location).href === location.href) return; // second click of a double click
  history.pushState({}, "", href);
  dispatchEvent(new PopStateEvent("popstate"));
};

// A real link opens in a new tab and can be copied.
const link = (href, className) => {
  const anchor = make("a", className);
  anchor.href = href;
  anchor.dataset.target = href;
  anchor.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(href);
  };
  return anchor;
};

// "100" at the end of a line and "% of the planned work steps" on the next read as two statements.
const joined = (text) => text?.replace(/(\d) %/g, "$1\u00a0%");

const linkOrButton = (item, className, pick) => {
  if (item.href) return link(item.href, className);
  if (!item.pick) return make("span", className);
  const button = make("button", className);
  button.type = "button";
  button.dataset.target = item.pick;
  button.onclick = () => pick(item.pick);
  return button;
};

// Percent of the accent behind a number; more would lower the contrast below 4.5:1 in the dark theme.
const DEEPEST = 50;

// More rows than a high window shows; further rows follow in chunks, so that keys and clicks are handled in between.
const AT_ONCE = 60;

const bars = (values) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const top = Math.max(...values, 1);
  svg.setAttribute("viewBox", `0 0 ${values.length * 6} 24`);
  svg.setAttribute("class", "bars");
  svg.setAttribute("aria-hidden", "true");
  // One path for all bars but the latest: a roster of 300 would have four thousand elements.
  const shape = values.map((value, at) => {
    const height = value > 0 ? Math.max((value / top) * 23, 1) : 0.5;
    return `M${at * 6} 24v${-height}h4.5v${height}z`;
  });
  for (const [name, drawn] of [["", shape.slice(0, -1)], ["latest", shape.slice(-1)]]) {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", drawn.join(""));
    if (name) path.setAttribute("class", name);
    svg.append(path);
  }
  return svg;
};

const chip = (item, pick) => {
  const body = linkOrButton(item, `chip ${item.kind}`, pick);
  body.title = item.spoken;
  if (item.tone) body.style.setProperty("--tone", item.tone);
  if (item.sign) body.append(make("span", "sign", item.sign));
  // Speech control finds a button by its visible text: keep it in the accessible name.
  body.append(make("span", "text", item.text), make("span", "unseen", `: ${item.spoken}`));
  return body;
};

const fill = (place, cell, pick) => {
  const body = linkOrButton(cell, "body", pick);
  if (cell.title) place.title = cell.title;
  if (cell.tone) body.style.setProperty("--tone", cell.tone);
  if (cell.shade) place.style.setProperty("--shade", `${Math.round(cell.shade * DEEPEST)}%`);
  const main = make("span", cell.sign ? "main" : "main text", cell.sign ? "" : joined(cell.main));
  if (cell.sign) main.append(make("span", "sign", cell.sign), make("span", "text", joined(cell.main)));
  if (cell.main) body.append(main);
  if (cell.sub) body.append(make("span", cell.phone_sub ? "sub brief" : "sub", joined(cell.sub)));
  if (cell.phone_sub) body.append(make("span", "sub full", cell.phone_sub));
  if (cell.bars) {
    body.append(bars(cell.bars));
    body.append(make("span", "unseen", cell.title));
  }
  place.append(body);
  (cell.chips ?? []).forEach((item) => place.append(chip(item, pick)));
};

const classes = (column) => `${column.is_number ? "number " : ""}${column.is_minor ? "minor" : ""}`;

const headCell = (column, pick) => {
  const cell = make("th", classes(column));
  cell.scope = "col";
  if (column.width) cell.style.width = `${column.width}px`;
  if (column.sort) cell.setAttribute("aria-sort", column.sort);
  if (column.help) cell.title = column.help;
  const body = linkOrButton(column, "head", pick);
  const arrow = { ascending: "↑", descending: "↓" }[column.sort] || "";
  body.append(make("span", "main", (column.label ?? "") + arrow));
  if (column.note) body.append(make("span", "sub", column.note));
  cell.append(body);
  return cell;
};

const hasCards = (columns) => columns.some(({ card_label }) => card_label);

// On a phone a row is a card of four numbers; this button, or a tap on the card, shows the rest.
const opener = (row, { main }, open) => {
  const button = make("button", "opener");
  button.type = "button";
  button.dataset.target = `open ${row.id}`;
  button.setAttribute("aria-label", `All numbers of ${main}`);
  button.setAttribute("aria-expanded", String(open.has(row.id)));
  button.onclick = () => {
    const isOpen = button.closest("tr").classList.toggle("open");
    open[isOpen ? "add" : "delete"](row.id);
    button.setAttribute("aria-expanded", String(isOpen));
  };
  return button;
};

const line = (row, columns, { pick, open }) => {
  const element = make("tr", row.is_muted ? "muted" : "");
  if (row.href) {
    // Keyboards use the row's link; the whole row is only a larger click target.
    element.classList.add("clickable");
    element.onclick = (event) => {
      if (event.target.closest("a, button") || getSelection().toString()) return;
      const card = element.querySelector(".opener");
      if (card?.offsetParent) return card.click();
      if (event.ctrlKey || event.metaKey) window.open(row.href);
      else go(row.href);
    };
  }
  (row.cells ?? []).forEach((cell, at) => {
    const place = make(at ? "td" : "th", classes(columns[at]));
    if (!at) place.scope = "row";
    place.dataset.label = columns[at].phone_label || columns[at].label;
    if (columns[at].card_label) place.dataset.card = columns[at].card_label;
    if (cell.is_stale) place.classList.add("stale");
    if (cell.is_today) {
      place.classList.add("today");
      place.append(make("span", "unseen", "today"));
    }
    if (cell.bars) place.classList.add("drawn");
    if (!cell.main && !cell.sub && !cell.bars && !cell.chips) place.classList.add("empty");
    fill(place, cell, pick);
    if (!at && hasCards(columns)) place.append(opener(row, cell, open));
    element.append(place);
  });
  element.classList.toggle("open", open.has(row.id));
  return element;
};

// The line above the first row of a group.
const groupLine = (rows, at, columns) => {
  const { group } = rows[at];
  if (!group || rows[at - 1]?.group === group) return [];
  const name = make("th", "", group);
  name.colSpan = columns.length;
  name.scope = "rowgroup";
  name.append(make("span", "sub", String(rows.filter((row) => row.group === group).length)));
  const element = make("tr", "group");
  element.append(name);
  return [element];
};

// Up and down arrows move between rows in the same column; Tab still reaches each link.
const walk = (body) => (event) => {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const place = step && event.target.closest("td, th");
  if (!place) return;
  const at = [...place.parentElement.children].indexOf(place);
  const lines = [...body.rows];
  for (let to = lines.indexOf(place.parentElement) + step; lines[to]; to += step) {
    const next = lines[to].children[at]?.querySelector("a, button");
    if (next) {
      event.preventDefault();
      return next.focus();
    }
  }
};

const show = (root, data, { parentElement, setTriggerValue }) => {
  const had = (parentElement.activeElement || document.activeElement)?.dataset?.target;
  const scrolled = root.firstChild ? root.scrollLeft : 0; // reading it from a new element would force a layout
  const pick = (word) => setTriggerValue("picked", word);
  const table = make("table", data.kind);
  table.append(make("caption", "unseen", data.title));
  const head = make("thead");
  const names = make("tr");
  (data.columns ?? []).forEach((column) => names.append(headCell(column, pick)));
  head.append(names);
  const body = make("tbody");
  const rows = data.rows ?? [];
  root.openCards ??= new Set(); // a redraw keeps cards open
  const tools = { pick, open: root.openCards };
  const drawn = (from, to) => rows.slice(from, to).flatMap((row, at) => [
    ...groupLine(rows, from + at, data.columns),
    line(row, data.columns, tools),
  ]);
  body.append(...drawn(0, AT_ONCE));
  body.onkeydown = walk(body);
  table.append(head, body);
  // Reserve the height of rows that are not drawn yet, so that the scroll position stays.
  if (rows.length > AT_ONCE) root.style.minHeight = `${root.offsetHeight}px`;
  root.replaceChildren(table);
  // A table that scrolls sideways needs a focusable element for keyboards.
  const isWalkable = Boolean(root.querySelector("a, button"));
  if (isWalkable) root.removeAttribute("tabindex");
  else root.tabIndex = 0;
  if (scrolled) root.scrollLeft = scrolled;
  const refocus = () => {
    if (!had || document.activeElement !== document.body) return;
    [...root.querySelectorAll("a, button")].find((one) => one.dataset.target === had)?.focus();
  };
  refocus();
  clearTimeout(root.later);
  const rest = (from) => {
    body.append(...drawn(from, from + AT_ONCE));
    refocus();
    if (from + AT_ONCE < rows.length) root.later = setTimeout(rest, 0, from + AT_ONCE);
    else root.style.minHeight = "";
  };
  if (rows.length > AT_ONCE) root.later = setTimeout(rest, 0, AT_ONCE);
};

const titled = ({ title, none }) => {
  const section = make("section");
  section.append(make("h2", "", title), none ? make("p", "none", none) : make("div", "people"));
  return section;
};

const sideBySide = (root, component) => {
  const { tables } = component.data;
  root.className = "pair";
  // Keep an unchanged table, its focus and its scroll position.
  const titles = tables.map(({ title, none }) => `${title} ${none ?? ""}`).join();
  if (root.dataset.titles !== titles) root.replaceChildren(...tables.map(titled));
  root.dataset.titles = titles;
  tables.forEach((data, at) => data.none || show(root.children[at].lastChild, data, component));
};

// A browser sends no click if the pressed element is replaced before the release, as happens while rows load: a drawing
// that arrives meanwhile waits for the release.
const drawWhenReleased = (root, draw) => {
  root.waiting = root.isPressed ? draw : null;
  if (!root.isPressed) draw();
  root.onpointerdown = ({ button }) => {
    if (button) return;
    root.isPressed = true;
    const released = new AbortController();
    const release = () => {
      released.abort();
      setTimeout(() => { // the click comes first
        root.isPressed = false;
        root.waiting?.();
        root.waiting = null;
      });
    };
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, release, { signal: released.signal });
  };
};

export default function (component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".pair, .people");
  drawWhenReleased(root, () => (data.tables ? sideBySide(root, component) : show(root, data, component)));
  return () => [root, ...root.querySelectorAll(".people")].forEach(({ later }) => clearTimeout(later));
}
