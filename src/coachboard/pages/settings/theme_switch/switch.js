// Writes Streamlit's theme entry in localStorage for each page of the dashboard, then reloads the page.

// Streamlit reads the entry of the address at which the document was loaded.
const loadedAt = () => {
  const [navigation] = performance.getEntriesByType("navigation");
  return new URL(navigation ? navigation.name : location.href).pathname;
};

export default function ({ data, parentElement }) {
  const entry = (path) => data.entry.replace("PATH", path);
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
