// Reads the code from the link's fragment, removes it from the address, and reports it.

// A sign-in with another provider leaves the page and comes back: the tab keeps the code until it is used.
const KEPT = "coachboard.invitation";

const kept = () => {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null; // the browser forbids it: the code is lost after a sign-in elsewhere
  }
};

const keep = (code) => {
  try {
    if (code) sessionStorage.setItem(KEPT, code);
    else sessionStorage.removeItem(KEPT);
  } catch {
    // as above
  }
};

const fromAddress = () => {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  // The browser's history would contain the code.
  if (code) history.replaceState(history.state, "", location.pathname + location.search);
  return code;
};

export default function ({ data, setTriggerValue }) {
  if (data.isDone) keep(null);
  const report = () => {
    const code = fromAddress();
    if (code) keep(code);
    if (code || (data.isWanted && kept())) setTriggerValue("code", code || kept());
  };
  report();
  addEventListener("hashchange", report); // a second link in the same tab loads no page
  return () => removeEventListener("hashchange", report);
}
