// Prints the whole page: loads all lazy sections and draws the charts as wide as the paper.
// A browser prints the current content, so this script handles Ctrl+P and prints when everything is drawn.
// The browser's own menu prints the page as it is: charts fit, unloaded sections show their placeholder.
{
  const ON_PAPER = "on-paper";
  const LOOK_MS = 150;
  const CALM_LOOKS = 4; // a section may bring another section or a chart
  const MOST_MS = 30_000;
  const root = document.documentElement;

  const isDrawn = () => {
    const app = document.querySelector("[data-testid=stApp]");
    const figures = [...document.querySelectorAll(".figure")];
    return app?.dataset.testScriptState === "notRunning" && figures.every((box) => box.querySelector("svg"))
      && !document.querySelector("[data-lazy], [data-testid=stSkeleton]");
  };

  const drawn = async () => {
    const end = performance.now() + MOST_MS;
    for (let calm = 0; calm < CALM_LOOKS && performance.now() < end; calm = isDrawn() ? calm + 1 : 0) {
      dispatchEvent(new Event("beforeprint")); // sections and charts load on this event
      await new Promise((resolve) => { setTimeout(resolve, LOOK_MS); });
    }
  };

  const wait = () => {
    const note = document.createElement("div");
    note.className = "print-wait";
    note.setAttribute("role", "status");
    note.textContent = "Loading the whole page to print it…";
    document.body.append(note);
    return note;
  };

  let isPreparing = false;
  const print = async () => {
    if (isPreparing) return;
    isPreparing = true;
    const note = wait();
    await drawn();
    note.remove();
    isPreparing = false;
    window.print();
    root.classList.remove(ON_PAPER); // for a browser that prints without "afterprint"
  };

  const isDark = () => getComputedStyle(document.querySelector("[data-testid=stApp]") ?? root).colorScheme === "dark";

  addEventListener("beforeprint", () => {
    root.classList.add(ON_PAPER);
    root.classList.toggle("dark-paper", isDark());
  });
  addEventListener("afterprint", () => root.classList.remove(ON_PAPER));
  addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
    if (key.toLowerCase() !== "p" || ctrlKey === metaKey || shiftKey || altKey) return;
    event.preventDefault();
    print();
  }, true);
}
