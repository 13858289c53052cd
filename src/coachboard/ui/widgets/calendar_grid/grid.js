// The gestures of the calendar by mouse, keys and touch; grid.html makes its markup, in which all text is escaped.
// A change of the plan is one report. The entry is at its new place until the next render brings the outcome.

const NEWS_MS = 12_000;
const LONG_PRESS_MS = 450;
const DRAG_PX = 6;
const NEWEST = "coachboard.news";
const FIELDS = "input, textarea, select, [contenteditable]";

const shifted = (date, days) => new Date(Date.parse(`${date}T00:00Z`) + days * 864e5).toISOString().slice(0, 10);
const daysBetween = (from, to) => Math.round((Date.parse(`${to}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / 864e5);
const can = (item, gesture) => Boolean(item?.matches(`[data-can~=${gesture}]`));
const titleOf = (day) => day.querySelector(".long").textContent;
const make = (tag, className, text) => Object.assign(document.createElement(tag), { className, textContent: text });

class Calendar {
  constructor(root, tray, voice) {
    Object.assign(this, { root, tray, voice, selected: new Set(), queue: [], carried: null, answer: new Answer() });
    tray.popover = "manual";
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("pointerdown", (event) => this.grab(event));
    root.addEventListener("contextmenu", (event) => this.carried && event.preventDefault()); // a long press
  }

  // Data from before the newest report have the entry at its old place; a carried entry and an open menu keep their days.
  render(data) {
    this.data = data;
    if (data.plan) this.queue = this.queue.filter(({ number }) => number > data.plan.answered);
    if (this.queue.length || this.carried || this.root.querySelector(".menu:popover-open")) return;
    this.answer.arrived();
    this.draw();
    if (data.plan) this.tellNews(data.plan.news);
    if (data.opened && data.opened !== this.opened) setTimeout(() => this.showDetails(), 300);
    this.opened = data.opened;
  }

  draw() {
    const { markup } = this.data;
    if (markup !== this.drawn) {
      const active = this.root.getRootNode().activeElement;
      const pick = active?.dataset.pick, user = active?.closest(".day")?.dataset.user;
      const top = this.root.querySelector(".shelf")?.scrollTop;
      const title = () => this.root.querySelector(".grid")?.ariaLabel;
      const former = title();
      this.root.innerHTML = this.drawn = markup;
      if (title() !== former) this.root.classList.remove("all"); // the earlier weeks of other days
      if (top) this.root.querySelector(".shelf")?.scrollTo(0, top);
      if (pick) this.find(pick, user)?.focus();
    }
    for (const id of this.selected) if (!this.find(id)) this.selected.delete(id);
    this.mark();
  }

  // The details are under the grid, because a month fills the window.
  showDetails() {
    let at = this.root.getRootNode().host;
    while (at && !at.nextElementSibling) at = at.parentElement;
    const below = at?.nextElementSibling;
    if (below && below.getBoundingClientRect().top > innerHeight - 260) below.scrollIntoView({ block: "center" });
  }

  // Once, also on the way back to the page.
  tellNews(news) {
    if (!news || news.number <= Number(sessionStorage.getItem(NEWEST))) return;
    sessionStorage.setItem(NEWEST, news.number);
    const undo = news.undo ? [["Undo", () => this.report("undo", { batch: news.undo })]] : [];
    this.say(news.text, undo, news.isRefused ? "refused" : "");
    this.hiding = setTimeout(() => this.hush(), NEWS_MS);
  }

  // The editor has closed: the focus returns to its entry, or to the day of a new one.
  comeBack(id) {
    const [word, , date, user] = id.split(".");
    (word === "new" ? this.find(date, user) : this.find(id))?.focus();
  }

  // At the lower edge of the window; screen readers hear it from an element that is always there.
  say(text, actions = [], className = "") {
    clearTimeout(this.hiding);
    const buttons = actions.map(([label, act]) => Object.assign(make("button", "act", label), { onclick: act }));
    this.tray.className = `tray ${className}`;
    this.tray.replaceChildren(make("span", "", text), ...buttons);
    this.voice.textContent = text;
    if (this.tray.isConnected && !this.tray.matches(":popover-open")) this.tray.showPopover(); // the page may be left
  }

  hush() {
    clearTimeout(this.hiding);
    this.tray.replaceChildren();
    if (this.tray.matches(":popover-open")) this.tray.hidePopover();
  }

  // Unanswered reports are sent again: of two that follow each other at once, Streamlit delivers the last.
  report(act, details) {
    this.queue.push({ act, number: Date.now(), ...details });
    this.send("acts", [...this.queue]);
    this.drawn = null; // the days may show an entry at its new place
    this.answer.wait((text) => {
      this.queue = [];
      this.render(this.data);
      this.say(text, [], "refused");
    });
  }

  click(event) {
    const button = event.target.closest("button");
    const day = event.target.closest(".day");
    if (this.isGesture(event, button, day)) return event.preventDefault();
    if (event.target === day) return this.openMenu(day.querySelector(".plus"));
    if (!button) return;
    const acts = {
      plus: () => this.openMenu(button),
      actions: () => this.openMenu(button),
      choice: () => this.choose(button),
      add: () => this.carry(button.previousElementSibling),
      earlier: () => (this.root.classList.add("all"), this.root.querySelector(".date").focus()),
    };
    const pick = () => this.send("picked", button.dataset.pick);
    (acts[button.classList[0]] ?? pick)();
  }

  // A day that is clicked while an entry is carried is its new day.
  isGesture(event, button, day) {
    if (this.ignoresClick) this.ignoresClick = false;
    else if (this.carried && day) this.aim(day), this.drop(event.altKey || event.ctrlKey);
    else if (event.shiftKey && day && can(button, "move")) this.toggle(button);
    else return Boolean(this.carried);
    return true;
  }

  // A menu at its button, whose label is a sign and the menu's title. When it closes, the focus returns.
  openMenu(button) {
    if (!button) return; // nothing can be planned
    const menu = this.root.querySelector(`.menu[data-at=${button.classList[0]}]`);
    const back = this.root.getRootNode().activeElement;
    menu.onbeforetoggle = ({ newState }) => {
      if (newState === "closed" && menu.matches(":focus-within")) back?.focus();
    };
    menu.ontoggle = ({ newState }) => newState === "closed" && this.render(this.data);
    this.menuDay = button.closest(".day") ?? button.closest(".row").querySelector(".day");
    menu.querySelector("strong").textContent = button.ariaLabel.slice(2).split(":")[0];
    menu.showPopover();
    const place = button.getBoundingClientRect();
    menu.style.left = `${Math.max(4, Math.min(place.left, innerWidth - menu.offsetWidth - 4))}px`;
    menu.style.top = `${Math.max(4, Math.min(place.bottom + 2, innerHeight - menu.offsetHeight - 4))}px`;
    menu.querySelector("button").focus();
  }

  choose(button) {
    const menu = button.closest(".menu");
    const { date, user } = this.menuDay.dataset;
    const days = Number(menu.querySelector("input")?.value);
    menu.hidePopover();
    this.report(menu.dataset.act, { what: button.dataset.what, date, user, days });
  }

  // Arrow keys move between dates, or between days for a carried entry; Tab still reaches each item.
  key(event) {
    const menu = event.target.closest(".menu");
    if (menu) return this.keyInMenu(event, menu);
    const columns = this.root.querySelector(".agenda") ? 1 : 7;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    const days = [...this.root.querySelectorAll(".day")];
    const from = this.aimed ?? event.target.closest(".date")?.parentElement;
    const next = from && days[days.indexOf(from) + step];
    if (this.carried ? this.keyWhileCarried(event, next) : this.keyOnDay(event, next)) event.preventDefault();
  }

  keyInMenu(event, menu) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const stops = [...menu.querySelectorAll("button")];
    event.stopPropagation();
    if (!step || event.target.matches(FIELDS)) return;
    event.preventDefault();
    stops.at((stops.indexOf(event.target) + step) % stops.length).focus();
  }

  keyWhileCarried(event, next) {
    if (next) this.aim(next);
    else if (event.key === "Enter") this.drop(event.altKey || event.ctrlKey);
    else if (event.key === "Escape") this.giveUp();
    return event.key !== "Tab";
  }

  keyOnDay(event, next) {
    const item = event.target.closest(".item");
    const day = event.target.closest(".day");
    const plans = this.data.plan && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (next && !event.altKey && !event.ctrlKey && !event.metaKey) next.querySelector(".date").focus();
    else if (!plans) return false;
    else if (day && "+nN".includes(event.key)) this.openMenu(day.querySelector(".plus"));
    else if (item && "mM".includes(event.key)) this.carry(item);
    else if (item && event.key === "Delete") this.remove(item);
    else if (day && event.key === "Enter" && event.shiftKey && can(item, "move")) this.toggle(item);
    else return false;
    return true;
  }

  undoByKey(event) {
    const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
    const batch = this.data.plan?.undo;
    if (!isUndo || !batch || event.composedPath()[0].matches?.(FIELDS)) return;
    event.preventDefault();
    this.report("undo", { batch });
  }

  // The button with the id of an entry, or with a date: in a squad week that of the athlete.
  find(pick, user) {
    const buttons = [...this.root.querySelectorAll(`[data-pick="${CSS.escape(pick)}"]`)];
    return buttons.find((button) => button.closest(".day")?.dataset.user === user) ?? buttons[0];
  }

  names(buttons) {
    const first = buttons[0].querySelector(".title").textContent;
    return buttons.length > 1 ? `${first} and ${buttons.length - 1} more` : first;
  }

  // The selected entries if the button is one of them, else the button's; the button's first.
  chosen(button, gesture) {
    const others = this.selected.has(button.dataset.pick) ? [...this.selected].map((id) => this.find(id)) : [];
    return [button, ...others.filter((other) => other !== button)].filter((each) => can(each, gesture));
  }

  toggle(button) {
    const id = button.dataset.pick;
    if (!this.selected.delete(id)) this.selected.add(id);
    this.mark();
    if (!this.selected.size) return this.hush();
    const first = this.find([...this.selected][0]);
    this.say(`${this.selected.size} selected`, [
      ["Move or copy", () => this.carry(first)],
      ["Delete", () => this.remove(first)],
      ["Clear selection", () => { this.selected.clear(); this.mark(); this.hush(); }],
    ]);
  }

  mark() {
    for (const item of this.root.querySelectorAll(".item[data-can]")) {
      const isSelected = this.selected.has(item.dataset.pick);
      item.classList.toggle("selected", isSelected);
      item.ariaPressed = isSelected || null;
    }
  }

  remove(button) {
    const buttons = this.chosen(button, "delete");
    if (!buttons.length) return;
    const next = buttons[0].closest(".day").querySelector(".date");
    this.report("delete", { ids: buttons.map((each) => each.dataset.pick) });
    buttons.forEach((each) => each.remove());
    this.selected.clear();
    next.focus();
    this.say(`${this.names(buttons)}: deleted`);
  }

  // Keyboard and touch: pick up, aim at a day, put down.
  carry(button) {
    const buttons = this.chosen(button, "move");
    if (!buttons.length) return this.say("This entry cannot be moved: it is done, locked, or not yours to move.");
    this.pickUp(buttons);
    this.aim(button.closest(".day") ?? this.root.querySelector(".day.today") ?? this.root.querySelector(".day"));
  }

  pickUp(buttons) {
    this.carried = buttons;
    this.root.classList.add("carrying");
    buttons.forEach((each) => each.classList.add("carried"));
  }

  aim(day) {
    this.root.querySelector(".aimed")?.classList.remove("aimed");
    this.aimed = day;
    if (!day) return;
    day.classList.add("aimed");
    day.scrollIntoView({ block: "nearest" });
    if (this.ghost) return;
    const isNew = !this.carried[0].closest(".day"); // a workout of the library
    const lanes = this.root.querySelectorAll(`.day[data-date="${day.dataset.date}"]`);
    this.say(`${this.names(this.carried)}: ${titleOf(day)}`, [
      ...(isNew && lanes.length > 1 ? [["Add for all", () => this.drop(true, lanes)]] : []),
      ...(isNew ? [] : [["Move here", () => this.drop(false)]]),
      [isNew ? "Add here" : "Copy here", () => this.drop(true)],
      ["Cancel", () => this.giveUp()],
    ]);
  }

  putBack() {
    this.root.classList.remove("carrying");
    this.carried.forEach((each) => each.classList.remove("carried"));
    this.ghost?.remove();
    this.aim(null);
    Object.assign(this, { carried: null, ghost: null });
    this.hush();
  }

  // The last that a screen reader heard is the day that was aimed at.
  giveUp() {
    const text = `${this.names(this.carried)}: ${this.carried[0].closest(".day") ? "not moved" : "not added"}`;
    this.putBack();
    this.voice.textContent = text;
    this.render(this.data);
  }

  // The days are several for a workout of the library that all athletes get.
  drop(isCopy, days = [this.aimed]) {
    const { carried, aimed } = this;
    const from = carried[0].closest(".day");
    this.putBack();
    carried[0].focus();
    if (!aimed || (aimed === from && !isCopy)) return this.render(this.data);
    if (from) this.move(carried, from, aimed, isCopy);
    else this.add(carried[0], days);
    this.say(`${this.names(carried)}: ${titleOf(aimed)}`);
  }

  move(buttons, from, to, isCopy) {
    const days = daysBetween(from.dataset.date, to.dataset.date);
    const user = buttons.length === 1 ? to.dataset.user : "";
    const leavesOriginal = isCopy || (user && user !== buttons[0].dataset.user);
    for (const button of buttons) {
      const date = shifted(button.closest(".day").dataset.date, days);
      const lane = button.closest(".day").dataset.user && (user || button.dataset.user);
      const day = this.root.querySelector(`.day[data-date="${date}"][data-user="${lane}"]`);
      if (day) this.place(leavesOriginal ? button.cloneNode(true) : button, day);
      else if (!leavesOriginal) button.remove();
    }
    buttons[0].focus();
    this.report("move", { ids: buttons.map((each) => each.dataset.pick), days, user, isCopy });
  }

  // The workout stays in the library.
  add(workout, days) {
    for (const day of days) this.place(workout.cloneNode(true), day);
    const { date, user } = days[0].dataset;
    this.report("add", { id: workout.dataset.pick, date, user, isForAll: days.length > 1 });
  }

  place(button, day) {
    button.classList.add("pending");
    day.append(button);
    day.classList.remove("empty");
  }

  // A mouse drags at once. A finger holds first, because a finger that moves scrolls; then it lifts and chooses a day.
  grab(event) {
    const button = event.target.closest(".item");
    if (event.button || this.carried || !can(button, "move")) return;
    const isTouch = event.pointerType === "touch";
    const isFar = (moved) => Math.hypot(moved.clientX - event.clientX, moved.clientY - event.clientY) > DRAG_PX;
    const listening = new AbortController();
    const on = (name, act) => addEventListener(name, act, { signal: listening.signal });
    const press = isTouch && setTimeout(() => this.carry(button), LONG_PRESS_MS);
    const end = () => (clearTimeout(press), listening.abort());
    const cancel = () => (end(), this.ghost && this.giveUp());
    on("pointermove", (moved) => {
      if (isTouch && !this.carried && isFar(moved)) end();
      if (!isTouch && (this.ghost || isFar(moved))) this.drag(button, moved);
    });
    on("pointerup", (released) => {
      end();
      this.ignoresClick = Boolean(this.carried); // that of this pointer
      setTimeout(() => { this.ignoresClick = false; }, 60);
      if (this.ghost) this.drop(released.altKey || released.ctrlKey);
    });
    on("pointercancel", cancel);
    on("keydown", (pressed) => pressed.key === "Escape" && cancel());
  }

  drag(button, { clientX, clientY }) {
    if (!this.ghost) {
      this.pickUp(this.chosen(button, "move"));
      this.ghost = make("div", "ghost", this.names(this.carried));
      this.root.append(this.ghost);
    }
    this.ghost.style.translate = `${clientX + 8}px ${clientY + 8}px`;
    const day = this.root.getRootNode().elementFromPoint(clientX, clientY)?.closest(".day") ?? null;
    if (day !== this.aimed) this.aim(day);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".calendar");
  const calendar = (root.calendar ??= new Calendar(root, ...parentElement.querySelectorAll(".tray, .voice")));
  calendar.send = setTriggerValue;
  calendar.leaving?.abort();
  const leaving = (calendar.leaving = new AbortController());
  const { signal } = leaving;
  document.addEventListener("keydown", (event) => calendar.undoByKey(event), { signal });
  document.addEventListener("coachboard-closed", (event) => calendar.comeBack(event.detail), { signal });
  calendar.render(data);
  // Streamlit also cleans up before it renders again: until then the listeners stay, or a closed editor loses the focus.
  return () => setTimeout(() => root.isConnected || leaving.abort());
}
