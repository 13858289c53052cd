// Writes Streamlit's own entry of the theme for every page of the dashboard, then loads the page again.

// As Streamlit 1.67 names it; a version that reads another entry follows the system until this is renewed.
const entry = (path) => `stActiveTheme-${path}-v2`;

// Streamlit read its entry under the address at which the document was loaded, wherever one has gone since.
const loadedAt = () => {
  const [navigation] = performance.getEntriesByType("navigation");
  return new URL(navigation ? navigation.name : location.href).pathname;
};

export default function ({ data, parentElement }) {
  const status = parentElement.querySelector("p");
  const root = location.pathname.replace(/[^/]*$/, "");
  const paths = new Set([...data.pages.map((page) => root + page), loadedAt(), location.pathname]);
  const kept = () => {
    try {
      return JSON.parse(localStorage.getItem(entry(loadedAt()))) ?? "System";
    } catch {
      return "System";
    }
  };
  const choose = (theme) => {
    try {
      paths.forEach((path) => localStorage.setItem(entry(path), JSON.stringify(theme)));
      location.reload();
    } catch {
      status.textContent = "This browser does not save settings, so the theme follows the system.";
    }
  };
  for (const radio of parentElement.querySelectorAll("input")) {
    radio.checked = radio.value === kept();
    radio.onchange = () => choose(radio.value);
  }
}
