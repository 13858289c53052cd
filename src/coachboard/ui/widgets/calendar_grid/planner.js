// Changes to the plan by mouse, keys and touch. Each gesture is one report; the next render brings its outcome.
// Until then the entry is at its new place; a refusal draws the old one.

const NEWS_MS = 12_000;
const LONG_PRESS_MS = 450;
const DRAG_PX = 6;
const NEWEST = "coachboard.news";

const FIELDS = "input, textarea, select, [contenteditable]";

const shifted = (date, days) => new Date(Date.parse(`${date}T00:00Z`) + days * 864e5).toISOString().slice(0, 10);
const daysBetween = (from, to) => Math.round((Date.parse(`${to}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / 864e5);

const textButton = (text, act, className = "choice") => {
  const button = make("button", className, text);
  button.type = "button";
  button.onclick = act;
  return button;
};

// A menu at its button: arrows move, Escape closes and returns the focus.
const openMenu = (anchor, label, nodes) => {
  const menu = make("div", "menu");
  const back = anchor.getRootNode().activeElement;
  menu.popover = "auto";
  menu.setAttribute("role", "dialog");
  menu.setAttribute("aria-label", label);
  menu.append(make("strong", null, label), ...nodes);
  menu.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const stops = [...menu.querySelectorAll("button")];
    const next = stops[(stops.indexOf(event.target) + step + stops.length) % stops.length];
    if (step) event.preventDefault(), next.focus();
    event.stopPropagation();
  };
  menu.ontoggle = (event) => {
    if (event.newState !== "closed") return;
    if (menu.contains(menu.getRootNode().activeElement)) back?.focus();
    menu.remove();
  };
  menu.onclick = (event) => event.target.closest("button") && menu.isConnected && menu.hidePopover();
  anchor.closest(".calendar").append(menu);
  menu.showPopover();
  const place = anchor.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(place.left, innerWidth - menu.offsetWidth - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(place.bottom + 2, innerHeight - menu.offsetHeight - 4))}px`;
  menu.querySelector("button").focus();
};

class Planner {
  constructor(root, tray, voice) {
    Object.assign(this, { root, tray, voice, selected: new Set(), queue: [], carried: null, plan: null, answer: new Answer() });
    tray.popover = "manual";
    this.onKey = (event) => this.undoByKey(event);
    this.onClosed = (event) => this.comeBack(event.detail);
  }

  listen(redraw) {
    this.redraw = redraw;
    document.addEventListener("keydown", this.onKey);
    document.addEventListener("coachboard-closed", this.onClosed);
  }

  rest() {
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("coachboard-closed", this.onClosed);
  }

  // The editor has closed: the focus returns to its entry, or to the day of a new one.
  comeBack(id) {
    const [word, , date] = id.split(".");
    const target = word === "new" ? this.root.querySelector(`.date[data-pick="${CSS.escape(date)}"]`) : this.item(id);
    target?.focus();
  }

  // Whether to draw: data from before the newest report have the entry at its old place.
  take(plan, send) {
    this.plan = plan;
    this.send = send;
    if (!plan) return true;
    this.queue = this.queue.filter(({ number }) => number > plan.answered);
    if (this.queue.length) return false;
    this.answer.arrived();
    return true;
  }

  drawn() {
    const { plan } = this;
    if (!plan) return;
    for (const id of this.selected) if (!this.item(id)) this.selected.delete(id);
    this.mark();
    if (plan.news && plan.news.number > Number(sessionStorage.getItem(NEWEST))) { // once, also on the way back
      sessionStorage.setItem(NEWEST, plan.news.number);
      const undo = plan.news.undo ? [["Undo", () => this.report("undo", { batch: plan.news.undo })]] : [];
      this.say(plan.news.text, undo, plan.news.isRefused ? "refused" : "");
      this.hiding = setTimeout(() => this.hush(), NEWS_MS);
    }
  }

  report(act, details = {}) {
    // Unanswered reports are sent again: of two that follow each other at once, Streamlit delivers the last.
    this.queue.push({ act, number: Date.now(), ...details });
    this.send("acts", [...this.queue]);
    this.answer.wait((text) => {
      this.queue = [];
      this.redraw();
      this.say(text, [], "refused");
    });
  }

  item(id) {
    return this.root.querySelector(`.item[data-pick="${CSS.escape(id)}"]`);
  }

  can(button, gesture) {
    return Boolean(this.plan) && (button?.dataset.can ?? "").split(" ").includes(gesture);
  }

  // The selected entries if the button is one of them, else the button's; the button's first.
  chosen(button, gesture) {
    const others = this.selected.has(button.dataset.pick) ? [...this.selected].map((id) => this.item(id)) : [];
    return [button, ...others.filter((other) => other !== button)].filter((each) => this.can(each, gesture));
  }

  toggle(button) {
    const id = button.dataset.pick;
    if (!this.selected.delete(id)) this.selected.add(id);
    this.mark();
    if (!this.selected.size) return this.hush();
    const first = this.item([...this.selected][0]);
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
      if (isSelected) item.setAttribute("aria-pressed", "true");
      else item.removeAttribute("aria-pressed");
    }
  }

  // Keyboard and touch: pick up, aim at a day, put down.
  carry(button) {
    const buttons = this.chosen(button, "move");
    if (!buttons.length) return this.say("This entry cannot be moved: it is done, locked, or not yours to move.");
    this.carried = buttons;
    this.root.classList.add("carrying");
    buttons.forEach((each) => each.classList.add("carried"));
    this.aim(button.closest(".day") ?? this.root.querySelector(".day.today") ?? this.root.querySelector(".day"));
  }

  aim(day) {
    this.root.querySelector(".aimed")?.classList.remove("aimed");
    this.aimed = day;
    if (!day) return;
    day.classList.add("aimed");
    day.scrollIntoView({ block: "nearest" });
    if (this.ghost) return;
    const isNew = !this.carried[0].closest(".day"); // a workout of the library
    const isForAll = isNew && this.lanesOf(day).length > 1;
    this.say(`${this.names(this.carried)}: ${day.dataset.title}`, [
      ...(isForAll ? [["Add for all", () => this.addForAll()]] : []),
      ...(isNew ? [["Add here", () => this.drop(true)]] : [["Move here", () => this.drop(false)], ["Copy here", () => this.drop(true)]]),
      ["Cancel", () => this.giveUp()],
    ]);
  }

  names(buttons) {
    const first = buttons[0].querySelector(".title").textContent;
    return buttons.length > 1 ? `${first} and ${buttons.length - 1} more` : first;
  }

  putBack() {
    this.root.classList.remove("carrying");
    this.carried?.forEach((each) => each.classList.remove("carried"));
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
  }

  drop(isCopy) {
    const { carried, aimed } = this;
    const from = carried[0].closest(".day");
    this.putBack();
    carried[0].focus();
    if (!aimed || (aimed === from && !isCopy)) return;
    if (!from) return this.add(carried[0], aimed);
    const days = daysBetween(from.dataset.date, aimed.dataset.date);
    const user = carried.length === 1 ? aimed.dataset.user : "";
    const leavesOriginal = isCopy || (user && user !== carried[0].dataset.user);
    for (const button of carried) {
      const date = shifted(button.closest(".day").dataset.date, days);
      const lane = button.closest(".day").dataset.user && (user || button.dataset.user);
      const day = this.root.querySelector(`.day[data-date="${date}"][data-user="${lane}"]`);
      const moved = leavesOriginal ? button.cloneNode(true) : button;
      moved.classList.add("pending");
      if (day) day.append(moved), day.classList.remove("empty");
      else if (!leavesOriginal) moved.remove();
    }
    carried[0].focus();
    this.report("move", { ids: carried.map((each) => each.dataset.pick), days, user, isCopy });
    this.say(`${this.names(carried)}: ${aimed.dataset.title}`);
  }

  place(workout, day) {
    const planned = workout.cloneNode(true);
    planned.classList.add("pending");
    day.append(planned);
    day.classList.remove("empty");
  }

  // A workout of the library is planned on a day; it stays in the library.
  add(workout, day) {
    this.place(workout, day);
    this.report("add", { id: workout.dataset.pick, date: day.dataset.date, user: day.dataset.user });
    this.say(`${this.names([workout])}: ${day.dataset.title}`);
  }

  // The same day of all athletes.
  lanesOf(day) {
    return [...this.root.querySelectorAll(`.day[data-date="${day.dataset.date}"][data-user]`)];
  }

  addForAll() {
    const { carried: [workout], aimed } = this;
    this.putBack();
    workout.focus();
    for (const day of this.lanesOf(aimed)) this.place(workout, day);
    this.report("add", { id: workout.dataset.pick, date: aimed.dataset.date, isForAll: true });
    this.say(`${this.names([workout])}: ${aimed.dataset.title}`);
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

  grab(event, button) {
    if (event.button || this.carried || !this.can(button, "move")) return;
    const start = [event.clientX, event.clientY];
    const isFar = (moved) => Math.hypot(moved.clientX - start[0], moved.clientY - start[1]) > DRAG_PX;
    const isTouch = event.pointerType === "touch";
    const press = isTouch && setTimeout(() => { end(); this.untilLifted(); this.carry(button); }, LONG_PRESS_MS);
    const move = (moved) => {
      if (isTouch) return isFar(moved) && end(); // a finger that moves scrolls
      if (!this.ghost && !isFar(moved)) return;
      if (!this.ghost) this.lift(button);
      this.ghost.style.translate = `${moved.clientX + 8}px ${moved.clientY + 8}px`;
      const day = this.root.getRootNode().elementFromPoint(moved.clientX, moved.clientY)?.closest(".day");
      if (day !== this.aimed) this.aim(day ?? null);
    };
    const up = (released) => {
      end();
      if (!this.ghost) return;
      this.ignoreClick();
      this.drop(released.altKey || released.ctrlKey);
    };
    const stop = (key) => key.key === "Escape" && (end(), this.putBack());
    const cancel = () => (end(), this.ghost && this.putBack());
    const listeners = { pointermove: move, pointerup: up, pointercancel: cancel, keydown: stop };
    const end = () => {
      clearTimeout(press);
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener);
    };
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener);
  }

  lift(button) {
    this.carried = this.chosen(button, "move");
    this.carried.forEach((each) => each.classList.add("carried"));
    this.root.classList.add("carrying");
    this.ghost = make("div", "ghost", this.names(this.carried));
    this.root.append(this.ghost);
  }

  // A long press ends when the finger lifts, however late; only then comes its click.
  untilLifted() {
    this.isDragging = true;
    const lifted = () => {
      for (const name of ["pointerup", "pointercancel"]) removeEventListener(name, lifted);
      this.ignoreClick();
    };
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, lifted);
  }

  // The click that ends a drag or a long press opens nothing.
  ignoreClick() {
    this.isDragging = true;
    setTimeout(() => { this.isDragging = false; }, 60);
  }

  // Before the buttons' own clicks: a day that is clicked while an entry is carried is its new day.
  clickFirst(event) {
    const day = event.target.closest(".day");
    const button = event.target.closest(".item");
    const isOurs = this.isDragging || this.carried || (event.shiftKey && day && this.can(button, "move"));
    if (!isOurs) return;
    event.stopPropagation();
    event.preventDefault();
    if (this.isDragging) this.isDragging = false;
    else if (!this.carried) this.toggle(button);
    else if (day) this.aim(day), this.drop(event.altKey || event.ctrlKey);
  }

  // Whether the key was a gesture.
  key(event, days, columns) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (this.carried) {
      const next = step && days[days.indexOf(this.aimed) + step];
      if (next) this.aim(next);
      else if (event.key === "Enter") this.drop(event.altKey || event.ctrlKey);
      else if (event.key === "Escape") this.giveUp();
      return event.key !== "Tab";
    }
    const item = event.target.closest(".item");
    const day = event.target.closest(".day");
    if (this.plan && day && "+nN".includes(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      this.openNew(day, day.querySelector(".plus"));
      return true;
    }
    if (!item || !this.plan || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === "m" || event.key === "M") this.carry(item);
    else if (event.key === "Delete") this.remove(item);
    else if (event.key === "Enter" && event.shiftKey && day && this.can(item, "move")) this.toggle(item);
    else return false;
    return true;
  }

  undoByKey(event) {
    const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
    if (!isUndo || !this.plan?.undo || event.composedPath()[0].matches?.(FIELDS)) return;
    event.preventDefault();
    this.report("undo", { batch: this.plan.undo });
  }

  openNew(day, anchor) {
    const pick = (what) => () => this.report("new", { what, date: day.dataset.date, user: day.dataset.user });
    const choices = this.plan.kinds.map(([what, label]) => textButton(label, pick(what)));
    openMenu(anchor, `New on ${day.dataset.title}`, choices);
  }

  openWeek(week, anchor) {
    const report = (what, more) => () =>
      this.report("week", { what, start: week.days[0].date, user: week.user, ...more });
    const days = make("input");
    Object.assign(days, { type: "number", value: "1", min: "-366", max: "366" });
    days.setAttribute("aria-label", "Days");
    const shift = make("div", "shift");
    shift.append(textButton("Shift by", () => report("shift", { days: Number(days.value) })()), days, "days");
    const paste = this.plan.clipboard ? [textButton(`Paste ${this.plan.clipboard}`, report("paste"))] : [];
    openMenu(anchor, week.title, [
      textButton("Copy", report("copy")), ...paste, shift, textButton("Delete planned workouts", report("clear")),
      ...(this.plan.hasPlans ? [textButton("Save as plan…", report("plan"))] : []),
      ...(this.plan.hasTargets ? [textButton("Set target", report("target"))] : []),
    ]);
  }

  // At the lower edge of the window; screen readers hear it from an element that is always there.
  say(text, actions = [], className = "") {
    clearTimeout(this.hiding);
    const buttons = actions.map(([label, act]) => textButton(label, act, "act"));
    this.tray.className = `tray ${className}`;
    this.tray.replaceChildren(make("span", null, text), ...buttons);
    this.voice.textContent = text;
    if (this.tray.isConnected && !this.tray.matches(":popover-open")) this.tray.showPopover(); // the page may be left
  }

  hush() {
    clearTimeout(this.hiding);
    this.tray.replaceChildren();
    if (this.tray.matches(":popover-open")) this.tray.hidePopover();
  }
}
