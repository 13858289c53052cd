// Comments as plain text, and a field whose draft lives in this tab: a reload keeps it, signing out removes it.

const PREFIX = "coachboard.draft.";

const draftOf = (key) => {
  try { return sessionStorage.getItem(PREFIX + key) ?? ""; } catch { return ""; }
};
const keepDraft = (key, text) => {
  try {
    if (text) sessionStorage.setItem(PREFIX + key, text);
    else sessionStorage.removeItem(PREFIX + key);
  } catch { /* without storage the draft lives as long as the page */ }
};

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

class Thread {
  constructor(root) {
    this.root = root;
    this.list = element("ol");
    this.area = element("textarea", { dir: "auto" });
    this.status = element("span", { role: "status" });
    this.send = element("button", { type: "button", textContent: "Comment" });
    this.answer = new Answer();
    this.number = Date.now();
    this.area.oninput = () => this.keep();
    this.area.onkeydown = (event) => this.onKey(event, () => this.add());
    this.send.onclick = () => this.add();
    const label = element("label", {}, "Your comment", this.area);
    root.append(this.list, element("div", {}, label, element("div", { className: "row" }, this.send, this.status)));
  }

  onKey(event, save) {
    event.stopPropagation(); // the page has keys of its own
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      save();
    }
  }

  draw(data, report) {
    this.report = report;
    const isOther = data.draftKey !== this.data?.draftKey;
    this.data = data;
    this.area.maxLength = data.longest;
    if (isOther) {
      this.area.value = draftOf(data.draftKey);
      this.sent = this.editing = null;
    }
    if (this.sent && data.answered === this.sent.number) this.arrived();
    this.tell(data.refusal, Boolean(data.refusal));
    this.refresh();
  }

  arrived() {
    this.answer.arrived();
    const { act, number } = this.sent;
    this.sent = null;
    if (this.data.saved !== number) return;
    if (act === "add") {
      this.area.value = "";
      keepDraft(this.data.draftKey, "");
    } else {
      this.editing = null;
    }
    this.drawn = null;
    this.area.focus();
  }

  keep() {
    keepDraft(this.data.draftKey, this.area.value);
    this.refresh();
  }

  tell(text, isRefused) {
    this.status.textContent = text ?? "";
    this.status.className = isRefused ? "refused" : "";
  }

  refresh() {
    this.send.disabled = Boolean(this.sent) || !this.area.value.trim();
    const content = JSON.stringify([this.data.comments, this.editing?.id]);
    if (content === this.drawn) return;
    this.drawn = content;
    this.list.replaceChildren(...this.data.comments.map((comment) => this.row(comment)));
    this.list.hidden = !this.data.comments.length;
  }

  row(comment) {
    const facts = element("div", { className: "facts" }, element("span", { className: "author", textContent: comment.author }));
    facts.append(element("span", { textContent: comment.when }));
    if (comment.isNew) facts.append(element("span", { className: "mark", textContent: "New" }));
    const row = element("li", { className: comment.isNew ? "new" : "" }, facts);
    if (this.editing?.id === comment.id) row.append(this.form(comment));
    else row.append(element("p", { className: "text", textContent: comment.text }));
    if (comment.isOwn && this.editing?.id !== comment.id) facts.append(...this.buttons(comment));
    return row;
  }

  buttons(comment) {
    const about = comment.text.slice(0, 40);
    const edit = element("button", { type: "button", className: "quiet", textContent: "Edit" });
    edit.setAttribute("aria-label", `Edit comment: ${about}`);
    edit.onclick = () => { this.editing = { id: comment.id }; this.refresh(); this.list.querySelector("textarea")?.focus(); };
    const remove = element("button", { type: "button", className: "quiet", textContent: "Delete" });
    remove.setAttribute("aria-label", `Delete comment: ${about}`);
    remove.onclick = () => {
      if (remove.textContent === "Delete") {
        remove.textContent = "Delete for all?";
        remove.removeAttribute("aria-label");
        return;
      }
      this.act("delete", { id: comment.id });
    };
    remove.onblur = () => { remove.textContent = "Delete"; };
    return [edit, remove];
  }

  form(comment) {
    const area = element("textarea", { value: comment.text, maxLength: this.data.longest, dir: "auto" });
    area.setAttribute("aria-label", "Change your comment");
    const save = element("button", { type: "button", textContent: "Save" });
    const cancel = element("button", { type: "button", className: "quiet", textContent: "Cancel" });
    const change = () => area.value.trim() && this.act("change", { id: comment.id, text: area.value });
    const end = () => { this.editing = null; this.refresh(); this.area.focus(); };
    save.onclick = change;
    cancel.onclick = end;
    area.onkeydown = (event) => (event.key === "Escape" ? end() : this.onKey(event, change));
    return element("div", {}, area, element("div", { className: "row" }, save, cancel));
  }

  add() {
    if (this.area.value.trim() && !this.sent) this.act("add", { text: this.area.value });
  }

  act(act, more) {
    if (this.sent) return;
    this.number += 1;
    this.sent = { act, number: this.number };
    this.report("act", { act, number: this.number, ...more });
    this.tell("Saving…", false);
    this.answer.wait((text) => { this.sent = null; this.tell(text, true); this.refresh(); });
    this.send.disabled = true;
  }
}

const threads = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".thread");
  if (!threads.has(root)) threads.set(root, new Thread(root));
  threads.get(root).draw(data, setTriggerValue);
}
