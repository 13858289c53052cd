// Draws a row of controls and reports choices, input and clicks.
// Text is set by textContent or as a value only: names are untrusted.

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
};

const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

const radio = (control, report) => {
  const group = make("fieldset");
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", control.label);
  if (control.is_labelled) group.append(make("legend", "", control.label));
  for (const [value, text] of control.options) {
    const option = make("label", "option", text);
    const input = make("input");
    Object.assign(input, { type: "radio", name: control.name, value, checked: value === control.chosen });
    input.dataset.at = `${control.name} ${value}`;
    input.onchange = () => report(control.name, value);
    option.append(input);
    group.append(option);
  }
  return group;
};

const search = (control, report) => {
  const field = make("input", "field");
  Object.assign(field, { type: "text", value: control.text, placeholder: control.placeholder || control.label, autocomplete: "off" });
  field.setAttribute("aria-label", control.label);
  field.style.width = `${control.width}px`;
  field.dataset.at = control.name;
  field.onchange = () => report(control.name, field.value);
  return field;
};

// A real link opens in a new tab and can be copied. Changing the address as the Back button does makes Streamlit follow.
const follow = (href) => (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (new URL(href, location).href === location.href) return; // second click of a double click
  history.pushState({}, "", href);
  dispatchEvent(new PopStateEvent("popstate"));
};

const press = (control, report) => {
  const button = make(control.href ? "a" : "button", control.is_quiet ? "press quiet" : "press");
  if (control.href) button.href = control.href;
  else button.type = "button";
  if (control.icon) {
    const icon = make("span", "icon", control.icon);
    icon.setAttribute("aria-hidden", "true");
    icon.translate = false;
    button.append(icon);
  }
  button.append(make("span", "label", control.label));
  if (control.note) button.append(make("span", "note", control.note));
  if (control.help) button.title = control.help;
  if (control.is_on !== null) button.setAttribute("aria-pressed", String(control.is_on));
  if (control.is_open !== null) button.setAttribute("aria-expanded", String(control.is_open));
  button.dataset.at = `${control.name} ${control.label}`;
  if (control.goes_on) button.dataset.goesOn = "";
  button.onclick = control.href ? follow(control.href) : () => report(control.name, control.says);
  return button;
};

// A combobox after the W3C pattern: arrows move, Enter picks, Escape restores the former value.
const pick = (control, report) => {
  const box = make("div", control.is_for_narrow ? "pick narrow" : "pick");
  const field = make("input", "field");
  const list = make("ul");
  const now = control.options.find(([value]) => value === control.chosen)?.[1] ?? "";
  let found = [];
  let active = -1;
  box.style.width = `${control.width}px`;
  Object.assign(field, { type: "text", value: now, placeholder: control.placeholder, autocomplete: "off" });
  field.disabled = control.is_disabled;
  field.dataset.at = control.name;
  list.id = `${control.name}-list`;
  list.popover = "manual";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", control.label);
  for (const [name, value] of Object.entries({
    role: "combobox", "aria-label": control.label, "aria-autocomplete": "list", "aria-controls": list.id,
    "aria-expanded": "false",
  })) field.setAttribute(name, value);

  const isOpen = () => field.getAttribute("aria-expanded") === "true";
  const close = () => {
    if (!isOpen()) return;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    list.hidePopover();
    removeEventListener("scroll", moved, true);
  };
  const moved = (event) => event.target !== list && close();
  const take = (value) => {
    close();
    if (value !== control.chosen) report(control.name, value);
    field.value = control.options.find(([one]) => one === value)[1];
  };
  const point = (to) => {
    active = found.length ? (to + found.length) % found.length : -1;
    found.forEach(([, , item], at) => item.classList.toggle("active", at === active));
    if (active < 0) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", found[active][2].id);
    found[active][2].scrollIntoView({ block: "nearest" });
  };
  const fill = (words) => {
    const parts = folded(words).split(/\s+/); // "mar 2019" finds "March 2019"
    found = control.options
      .filter(([, text, note = ""]) => parts.every((part) => folded(`${text} ${note}`).includes(part)))
      .map(([value, text, note], at) => {
        const item = make("li", "", text);
        if (note) item.append(" ", make("span", "note", note));
        item.id = `${control.name}-${at}`;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", String(value === control.chosen));
        item.onclick = () => take(value);
        return [value, text, item];
      });
    list.replaceChildren(...found.map(([, , item]) => item));
    if (!found.length) list.append(make("li", "none", "No match"));
  };
  const open = (words = "") => {
    if (field.disabled) return;
    fill(words);
    if (!isOpen()) {
      const at = field.getBoundingClientRect();
      Object.assign(list.style, { left: `${at.left}px`, top: `${at.bottom + 2}px`, width: `${at.width}px` });
      field.setAttribute("aria-expanded", "true");
      list.showPopover();
      addEventListener("scroll", moved, true);
    }
    point(words ? 0 : found.findIndex(([value]) => value === control.chosen));
  };
  list.onmousedown = (event) => event.preventDefault(); // the field keeps the focus, and the list stays open
  field.onfocus = () => field.select();
  field.onclick = () => (isOpen() ? undefined : open());
  field.oninput = () => open(field.value);
  field.onblur = () => { close(); field.value = now; };
  field.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !isOpen()) open();
    else if (step) point(active + step);
    else if (event.key === "Enter" && isOpen() && found[active]) take(found[active][0]);
    else if (event.key === "Escape" && isOpen()) { close(); field.value = now; }
    else return;
    event.preventDefault();
  };
  box.append(field, list);
  return box;
};

// The rerun removes the button that led here; move its focus to this button instead of the top of the page.
const goOn = (button, was = document.activeElement, looks = 200) => {
  if (!button.isConnected || !looks) return;
  if (document.activeElement === document.body) button.focus();
  else if (document.activeElement === was) setTimeout(goOn, 50, button, was, looks - 1);
};

const KINDS = { radio, search, press, pick };

export default function ({ data, parentElement, setTriggerValue }) {
  const bar = parentElement.querySelector(".bar");
  const json = JSON.stringify(data);
  if (bar.drawn === json) return; // keep unfinished typing
  bar.drawn = json;
  const had = (parentElement.activeElement || document.activeElement)?.dataset?.at;
  const report = (name, says) => {
    bar.drawn = undefined; // redraw after the rerun even if the data are the same
    setTriggerValue("action", { name, says });
  };
  bar.replaceChildren(...data.map((control) => KINDS[control.kind](control, report)));
  const folding = bar.querySelector("[aria-expanded=true].press");
  bar.onkeydown = (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !folding) return;
    folding.focus();
    folding.click();
  };
  const next = bar.querySelector("[data-goes-on]");
  if (next && navigator.userActivation.hasBeenActive) goOn(next);
  if (had) [...bar.querySelectorAll("[data-at]")].find((one) => one.dataset.at === had)?.focus();
}
