// Copies the text; if the browser forbids it, selects the text and shows the keys that copy it.

const copied = async (area) => {
  try {
    await navigator.clipboard.writeText(area.value); // undefined over plain HTTP
    return true;
  } catch {
    area.focus();
    area.select();
    try {
      return document.execCommand("copy"); // deprecated, but the only way over plain HTTP
    } catch {
      return false;
    }
  }
};

const isMac = () => /mac|iphone|ipad/i.test(navigator.platform);

export default function ({ data, parentElement }) {
  const [details, summary, area, button, status] = ["details", "summary", "textarea", "button", "span"].map((name) =>
    parentElement.querySelector(name),
  );
  const fit = () => {
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  };
  if (area.value !== data.text) {
    area.value = data.text;
    status.textContent = "";
    details.open = !data.isFolded;
  }
  details.classList.toggle("folded", data.isFolded);
  area.classList.toggle("large", data.isLarge);
  area.setAttribute("aria-label", data.name);
  summary.textContent = data.name;
  button.textContent = `Copy ${data.name.toLowerCase()}`;
  button.onclick = async () => {
    const wasOpen = details.open;
    details.open = true; // folded text cannot be selected
    status.textContent = "";
    if (await copied(area)) {
      details.open = wasOpen;
      status.textContent = "Copied.";
      button.focus();
      return;
    }
    area.focus();
    area.select();
    status.textContent = `The browser blocked copying. The text is selected: press ${isMac() ? "⌘C" : "Ctrl+C"}.`;
  };
  details.ontoggle = fit;
  const observer = new ResizeObserver(fit); // the width decides the number of lines
  observer.observe(details);
  fit();
  return () => observer.disconnect();
}
