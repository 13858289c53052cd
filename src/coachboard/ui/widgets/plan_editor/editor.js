// The editor of a calendar entry: fields, a workout's text beside its profile. Reports what is typed, and saves.
// Text is set by textContent or as a value only: titles and texts are untrusted.

const PREFIX = "coachboard.draft.";
const TYPING_MS = 60;
const SVG = "http://www.w3.org/2000/svg";

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
};

const pressable = (text, act, className = "press") => {
  const button = make("button", className, text);
  button.type = "button";
  button.onclick = act;
  return button;
};

// Drafts live in this tab: a reload keeps them, signing out removes them.
const stored = (key) => {
  try { return JSON.parse(sessionStorage.getItem(PREFIX + key)); } catch { return null; }
};
const store = (key, values) => {
  try {
    if (values) sessionStorage.setItem(PREFIX + key, JSON.stringify(values));
    else sessionStorage.removeItem(PREFIX + key);
  } catch { /* a full or blocked storage: the fields still hold the text */ }
};
const forgetDrafts = () => Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX)).forEach((key) => sessionStorage.removeItem(key));

const KINDS = { text: "text", date: "date", time: "time", number: "number", check: "checkbox" };

const control = (field) => {
  if (field.kind === "lines" || field.kind === "workout") {
    const area = make("textarea");
    area.rows = field.kind === "workout" ? 14 : 4;
    area.spellcheck = field.kind === "lines";
    return area;
  }
  if (field.kind === "choice") {
    const select = make("select");
    for (const [value, text] of field.options) select.append(Object.assign(make("option", null, text), { value }));
    return select;
  }
  const input = make("input");
  input.type = KINDS[field.kind];
  input.autocomplete = "off";
  return input;
};

const valueOf = (input) => (input.type === "checkbox" ? input.checked : input.value);
const setValue = (input, value) => {
  if (input.type === "checkbox") input.checked = value === true;
  else input.value = value ?? "";
};

// A block for each step, as high as its target; the range from its lower to its upper end is lighter.
const profile = (bars, spoken) => {
  const svg = document.createElementNS(SVG, "svg");
  const total = bars.reduce((sum, bar) => sum + bar.seconds, 0) || 1;
  const top = Math.max(...bars.map((bar) => bar.high), 0) || 1;
  svg.setAttribute("viewBox", "0 0 1000 200");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", spoken);
  let start = 0;
  for (const bar of bars) {
    const width = (bar.seconds / total) * 1000;
    const block = (low, high, opacity) => {
      const rect = document.createElementNS(SVG, "rect");
      const title = document.createElementNS(SVG, "title");
      title.textContent = bar.spoken;
      const places = { x: start, y: 200 - high * 200, width: Math.max(width - 1, 1), height: Math.max((high - low) * 200, 1), fill: bar.colour, opacity };
      for (const [name, value] of Object.entries(places)) rect.setAttribute(name, value);
      rect.append(title);
      svg.append(rect);
    };
    block(0, Math.max(bar.low / top, 0.04), 0.85);
    if (bar.high > bar.low) block(bar.low / top, bar.high / top, 0.45);
    start += width;
  }
  return svg;
};

class Editor {
  constructor(panel) {
    Object.assign(this, { panel, data: null, inputs: {}, typed: 0, answer: new Answer(), late: "", acted: 0 });
    panel.popover = "manual";
    this.onKey = (event) => this.key(event);
    this.onLeave = (event) => this.isChanged() && event.preventDefault();
  }

  listen(send) {
    this.send = send;
    document.addEventListener("keydown", this.onKey);
    addEventListener("beforeunload", this.onLeave);
  }

  rest() {
    document.removeEventListener("keydown", this.onKey);
    removeEventListener("beforeunload", this.onLeave);
  }

  take(data) {
    if (data.saved) store(data.saved, null);
    if (!data.id || data.answered >= this.acted) this.answered();
    const isOther = !this.data || data.id !== this.data.id || data.version !== this.data.version;
    if (!data.id) return this.hide(), this.rescue(data.gone);
    if (isOther && this.data && data.saved !== this.data.draftKey && data.id !== this.data.id && this.isChanged())
      return this.askToLeave(data);
    if (isOther) this.build(data);
    this.data = data;
    this.refresh();
  }

  // What was typed for an entry that was deleted meanwhile becomes the draft of a new one.
  rescue(key) {
    const draft = key && stored(key);
    if (!draft?.newKey) return;
    store(key, null);
    store(draft.newKey, { values: draft.values, number: draft.number, isRescued: true });
    this.send("act", { act: "open", id: draft.newKey.slice(draft.newKey.indexOf(" ") + 1) });
  }

  hide() {
    const had = this.data?.id;
    this.data = null;
    this.inputs = {};
    this.panel.replaceChildren();
    if (this.panel.matches(":popover-open")) this.panel.hidePopover();
    if (had) document.dispatchEvent(new CustomEvent("coachboard-closed", { detail: had }));
  }

  build(data) {
    this.data = data;
    this.inputs = {};
    const head = make("header");
    head.append(make("h2", null, data.title), pressable("Close", () => this.close()));
    // The side is beside all fields; on a phone it follows the text.
    const last = data.fields.findIndex((field) => field.kind === "workout");
    const [form, more] = [make("div", "fields"), make("div", "fields more")];
    data.fields.forEach((field, index) => (last < 0 || index <= last ? form : more).append(this.field(field)));
    this.side = make("div", "side");
    this.notice = make("div", "notice");
    this.notice.setAttribute("role", "status");
    const body = make("div", last < 0 ? "body" : "body two");
    body.append(form, this.side, more);
    this.panel.setAttribute("role", "dialog");
    this.panel.setAttribute("aria-label", data.title);
    this.panel.replaceChildren(head, this.notice, body, this.actions(data));
    // A draft is saved over the version that it began from, so that a newer one is a conflict.
    const draft = stored(data.draftKey);
    this.version = draft?.version ?? data.version;
    this.draft = draft?.number ?? Date.now();
    this.sent = null;
    this.isRescued = draft?.isRescued;
    if (draft) {
      for (const [name, value] of Object.entries(draft.values ?? {})) if (this.inputs[name]) setValue(this.inputs[name], value);
      const discard = () => { store(data.draftKey, null); this.build(data); this.refresh(); };
      const words = draft.isRescued ? "The entry was deleted meanwhile. Save adds it as a new entry." : "Your unsaved draft is back.";
      if (this.isChanged()) this.tell(words, [["Discard draft", discard]]);
    }
    if (!this.panel.matches(":popover-open")) this.panel.showPopover();
    // A new workout has its day and its sport, and its title follows from the text.
    const isNewWorkout = data.id.startsWith("new.") && this.inputs.text;
    const first = isNewWorkout ? this.inputs.text : Object.values(this.inputs).find((input) => !input.disabled);
    (first ?? head.querySelector("button")).focus();
    this.report();
  }

  field(field) {
    const label = make("label", `field ${field.kind}${field.isWide ? " wide" : ""}`);
    const input = control(field);
    setValue(input, field.value);
    input.disabled = field.isDisabled;
    input.name = field.name;
    input.oninput = () => this.changed();
    input.onchange = () => this.changed();
    label.append(make("span", "label", field.label), input);
    if (field.hint) label.append(make("span", "hint", field.hint));
    this.inputs[field.name] = input;
    return label;
  }

  actions(data) {
    const foot = make("footer");
    const act = (name) => () => this.act(name);
    if (data.canSave) foot.append(pressable(data.saveLabel, act("save"), "press main"));
    for (const [name, text, question] of data.actions) {
      const ask = () => this.tell(question, [[text, act(name)], ["Cancel", () => this.refresh()]]);
      foot.append(pressable(text, name === "skip" ? () => this.askReason() : question ? ask : act(name)));
    }
    if (data.remarks) foot.append(make("p", "remarks", data.remarks));
    return foot;
  }

  values() {
    return Object.fromEntries(Object.entries(this.inputs).map(([name, input]) => [name, valueOf(input)]));
  }

  isChanged() {
    if (!this.data?.canSave) return false;
    return this.data.fields.some((field) => this.inputs[field.name] && valueOf(this.inputs[field.name]) !== field.value);
  }

  changed() {
    if (!this.data) return; // a field that the browser leaves while the panel closes
    if (this.data.refusal && !this.late && !this.isRefusedNow()) this.tell("");
    if (this.isChanged()) this.keep();
    else store(this.data.draftKey, null);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.report(), TYPING_MS);
  }

  keep() {
    const { version, draft: number, isRescued, data } = this;
    store(data.draftKey, { version, number, isRescued, newKey: data.newDraftKey, values: this.values() });
  }

  // The profile follows the text while a person types.
  report() {
    const { text, sport, date } = this.values();
    if (text === undefined || this.reported === `${this.data.id} ${sport} ${date} ${text}`) return;
    this.reported = `${this.data.id} ${sport} ${date} ${text}`;
    this.send("typed", { text, sport, date, number: (this.typed = Date.now()) });
  }

  act(name, more = {}) {
    clearTimeout(this.timer); // a report of the text after it would open the entry again
    this.answered();
    this.acted = Date.now();
    this.sent = this.words();
    if (name === "save") this.keep(); // after a lost answer and a reload it is still the same draft
    const { data, version, draft } = this;
    this.send("act", { act: name, number: this.acted, id: data.id, version, draft, values: this.values(), ...more });
    this.answer.wait((text) => { this.late = `${text} Your draft stays in this tab.`; this.refresh(); });
  }

  answered() {
    this.answer.arrived();
    this.late = "";
  }

  close() {
    if (!this.isChanged()) {
      store(this.data.draftKey, null);
      return this.act("close");
    }
    this.tell("You have unsaved changes.", [
      ["Save", () => this.act("save")],
      ["Discard changes", () => { store(this.data.draftKey, null); this.act("close"); }],
      ["Keep editing", () => this.refresh()],
    ]);
  }

  askToLeave(other) {
    this.tell(`Unsaved changes. Open "${other.title}" instead?`, [
      ["Keep draft and open", () => this.build(other)],
      ["Stay here", () => this.act("open")],
    ]);
  }

  askReason() {
    const reason = make("input", "reason");
    reason.setAttribute("aria-label", "Reason");
    reason.placeholder = "Reason";
    reason.maxLength = 500;
    this.tell("Skip this workout?", [["Skip", () => this.act("skip", { reason: reason.value })], ["Cancel", () => this.refresh()]]);
    this.notice.insertBefore(reason, this.notice.querySelector("button"));
    reason.focus();
  }

  tell(text, actions = [], className = "") {
    this.notice.className = `notice ${className}`;
    this.notice.replaceChildren(make("span", null, text), ...actions.map(([label, act]) => pressable(label, act)));
  }

  refresh() {
    const { data } = this;
    if (this.late) this.tell(this.late, [], "refused");
    else if (data.refusal && this.isRefusedNow()) {
      this.tell(data.refusal, data.theirs.length ? [
        ["Save mine", () => this.act("save", { force: true })],
        ["Take theirs", () => { store(data.draftKey, null); this.act("reload"); }],
      ] : data.canBeDraft ? [["Save as draft", () => this.act("save", { asDraft: true })]] : [], "refused");
    } else if (!this.notice.querySelector("button") || this.notice.classList.contains("refused")) this.tell("");
    this.side.replaceChildren(...(data.theirs.length ? [this.versions(data.theirs)] : []), ...this.preview(data));
  }

  // A refusal is about the values that were sent; a conflict stays until the next save.
  isRefusedNow() {
    return this.data.theirs.length > 0 || (this.sent ?? this.words()) === this.words();
  }

  words() {
    return JSON.stringify(this.values());
  }

  // Their version and yours, side by side.
  versions(theirs) {
    const table = make("table");
    const row = (cells, tag) => {
      const line = make("tr");
      cells.forEach((cell) => line.append(make(tag, null, cell)));
      table.append(line);
    };
    row(["", "Theirs", "Yours"], "th");
    const mine = this.values();
    for (const [name, label, text] of theirs) row([label, text, String(mine[name] ?? "")], "td");
    return table;
  }

  preview({ preview, templates, help }) {
    const parts = [];
    const text = this.inputs.text;
    if (!text) return parts;
    this.inputs.title.placeholder = preview?.title ?? "";
    if (!text.value.trim() && templates.length && !text.disabled) {
      parts.push(make("p", "label", "Begin with an example"));
      for (const [title, words] of templates)
        parts.push(pressable(title, () => { setValue(text, words); if (!this.inputs.title.value) setValue(this.inputs.title, title); this.changed(); text.focus(); }));
    }
    if (preview) {
      if (preview.bars.length) parts.push(profile(preview.bars, preview.spoken));
      const facts = make("dl");
      for (const [label, value] of preview.facts) facts.append(make("dt", null, label), make("dd", null, value));
      parts.push(facts);
      const { missing } = preview;
      if (missing) parts.push(make("p", "label", missing.text));
      if (missing?.link) // in a new tab: what is typed here stays
        parts.push(Object.assign(make("a", "label", missing.label), { href: missing.link, target: "_blank", rel: "noopener" }));
      for (const problem of preview.problems) parts.push(this.problem(problem));
    }
    const grammar = make("details");
    grammar.append(make("summary", null, "How to write a workout"));
    const list = make("dl", "grammar");
    for (const [syntax, meaning] of help) list.append(make("dt", null, syntax), make("dd", null, meaning));
    grammar.append(list);
    grammar.open = this.isHelpOpen ?? false;
    grammar.ontoggle = () => { this.isHelpOpen = grammar.open; };
    return [...parts, grammar];
  }

  problem({ line, column, text, proposal }) {
    const words = `Line ${line}, column ${column}: ${text}${proposal ? ` Try: ${proposal}` : ""}`;
    return pressable(words, () => {
      const area = this.inputs.text;
      const start = area.value.split("\n").slice(0, line - 1).reduce((sum, row) => sum + row.length + 1, 0);
      area.focus();
      area.setSelectionRange(start + column - 1, start + (area.value.split("\n")[line - 1]?.length ?? 0));
    }, "problem");
  }

  key(event) {
    if (!this.data) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
      event.preventDefault();
      if (this.data.canSave) this.act("save");
    } else if (event.key === "Escape" && this.panel.contains(this.panel.getRootNode().activeElement)) this.close();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const panel = parentElement.querySelector(".editor");
  if (data.forget) return forgetDrafts();
  const editor = (panel.editor ??= new Editor(panel));
  editor.listen(setTriggerValue);
  editor.take(data);
  // Streamlit also cleans up before it renders again: until then the listeners stay.
  return () => setTimeout(() => panel.isConnected || editor.rest());
}
