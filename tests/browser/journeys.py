"""Steps that browser tests of several pages share: a settled page, its faults, axe, focus, downloads, a stopped service."""

import sqlite3
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import squad
import training
from coachboard.client.database import CALLS, ENTRIES
from coachboard.service.api.app import create_app
from coachboard.service.store import Store
from coachboard.settings import Settings
from coachboard.wire.body import Metric
from running import dashboard_process
from serving import served

expect.set_options(timeout=30_000)  # a busy machine is slow, not wrong

LONG_METRICS = [
    Metric(id=f"mtr_{kind[:2]}{at}", type=kind, value=value, unit=unit, sport=sport, source="user", date=day)
    for at, day in enumerate([training.TODAY - timedelta(days=40), training.TODAY])
    for kind, value, unit, sport in (
        ("critical speed", 1.0 + at / 50, "m/s", "swimming"),
        ("vo2max", 39.1 + at / 10, "mL/min/kg", "global"),
    )
]
PHONE = {"viewport": {"width": 400, "height": 860}}
DARK = "rgb(21, 24, 28)"
SERIOUS = frozenset({"serious", "critical"})
STREAMLITS_OWN = {
    # rule: nodes of Streamlit's own markup that we cannot change, with the reason
    "scrollable-region-focusable": ("stMain",),  # its scroll container takes no focus of its own
}
BROWSERS_OWN = ()
"""Parts of console messages that the browser itself causes."""
_TEXTS = """() => {
  const of = (root) => [...root.querySelectorAll('*')].filter((e) => e.shadowRoot).map((e) => {
    const inner = [...e.shadowRoot.children].map((one) => one.innerText).join('\\n');
    return inner + of(e.shadowRoot);
  }).join('\\n');
  return document.body.innerText + of(document);
}"""

_FOCUSED = """() => {
  let at = document.activeElement;
  while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
  return at ? {type: at.type || null, pick: at.dataset.pick || null, target: at.dataset.target || '', label: at.getAttribute('aria-label'), text: at.innerText || ''} : null;
}"""


def settled(page):
    """Connected, the script done, nothing still a skeleton."""
    app = page.locator("[data-testid=stApp]")
    page.wait_for_timeout(250)
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=60_000)
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=60_000)
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0, timeout=60_000)
    return page


def sign_in(page, address, key, path="/workspaces"):
    """The page of that path, read with a key typed into the form."""
    page.goto(address + path)
    page.get_by_label("API key", exact=True).fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_test_id("stSidebarNav")).to_be_visible()
    return settled(page)


def reader(page):
    """The button in the sidebar that names who reads, and unfolds the age, the demo's keys, the way out."""
    return page.get_by_test_id("stSidebarUserContent").locator("button[aria-expanded]")


def account(page):
    """The page with what the sidebar says of the reader unfolded."""
    if reader(page).get_attribute("aria-expanded") == "false":
        reader(page).click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    return page


def sign_out(page):
    account(page).get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def take_demo_key(page, name):
    """Read on as another of the demo's people."""
    account(page).get_by_role("combobox", name="Demo key").click()
    page.get_by_role("option", name=name).click()


def watched(page):
    """The page, keeping every dialog, script fault and request to another host in `page.faults`, and what our scripts
    and Plotly write to the console in `page.warnings`."""
    page.faults, page.warnings = [], []
    page.on("console", lambda message: _keep_warning(page, message))
    page.on("dialog", lambda dialog: (page.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: page.faults.append(f"script: {error}"))
    page.on("request", lambda request: _keep_foreign(page, request.url))
    return page


def _keep_warning(page, message):
    # Plotly warns with a trace.
    is_warning = message.type in {"warning", "error"} or (message.type == "trace" and "WARN" in message.text)
    if is_warning and not any(text in message.text for text in BROWSERS_OWN):
        page.warnings.append(f"{message.type}: {message.text}")


def _keep_foreign(page, url):
    parts = urlsplit(url)
    if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname != "127.0.0.1":
        page.faults.append(f"request: {url}")


def violations(page, **options):
    """Serious and critical findings of axe that are not in Streamlit's own markup: rule and node."""
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {node['html'][:160]}"
        for one in found
        if one["impact"] in SERIOUS
        for node in one["nodes"]
        if not any(part in node["html"] for part in STREAMLITS_OWN.get(one["id"], ()))
    ]


def violations_in_both_schemes(page):
    """The findings in a light page, and those of its colours once the system turns dark."""
    light = violations(page)
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)
    # A colour on its way from one scheme to the other has no contrast.
    settled(page).wait_for_function(
        "() => !document.getAnimations().some((each) => each instanceof CSSTransition)"
    )
    return light + violations(
        page, runOnly={"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
    )


def mismatched_names(page):
    """Controls whose accessible name lacks the words in view: speech control cannot press what it reads."""
    rule = "label-content-name-mismatch"  # experimental in axe, so off by default
    options = {"runOnly": {"type": "rule", "values": [rule]}, "rules": {rule: {"enabled": True}}}
    found = Axe().run(page, options=options).response["violations"]
    return [node["html"][:160] for one in found for node in one["nodes"]]


def texts(page):
    """All that the page says, in our components too."""
    return page.evaluate(_TEXTS)


def sideways_px(page):
    """How much wider than its window the page is."""
    return page.evaluate("document.scrollingElement.scrollWidth - innerWidth")


def focused(page):
    """The element that has the focus, looked for inside shadow roots too."""
    return page.evaluate(_FOCUSED)


def tab_to(page, is_there, most=60):
    """Press Tab until the focused element is the one wanted; returns it."""
    for _ in range(most):
        page.keyboard.press("Tab")
        at = focused(page)
        if at and is_there(at):
            return at
    raise AssertionError(f"not reached with {most} tabs; the focus is on {focused(page)}")


def come_near(page, place):
    """Scroll down until the lazy section is loaded."""
    for _ in range(60):
        if place.count():
            break
        page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollBy(0, 300)")
        page.wait_for_timeout(250)
    expect(place).to_be_visible()
    _bring_into_view(place)


def come_near_part(page, heading):
    """Scroll down until the section with that heading is drawn; its heading is in the middle of the window."""
    title = page.get_by_role("heading", name=heading, exact=True)
    come_near(page, title)
    settled(page)
    _bring_into_view(title)  # sections above may have been drawn meanwhile and moved it down
    return settled(page)


def _bring_into_view(place):
    """Scroll in one step: Playwright's own way waits for a stable element, which may be drawn again meanwhile."""
    place.evaluate("element => element.scrollIntoView({block: 'center'})")


def downloaded(page, button):
    """Click a download button and return the file's name and bytes."""
    with page.expect_download() as waiting:
        button.click()
    return waiting.value.suggested_filename, waiting.value.path().read_bytes()


def seed_fortnight(folder):
    """A store in the folder, where a dashboard looks for it, with Ana's fortnight and metrics of the coach with long names."""
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    try:
        squad.seed(store)
        training.seed(store, squad.ANA)
        store.put_metrics(squad.COACH, LONG_METRICS)
    finally:
        store.close()


@contextmanager
def stopped_service(folder):
    """A dashboard over a service of its own thread; yields its address, and what stops the service for good."""
    seed_fortnight(folder)
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    app = create_app(store, settings=Settings(outbox=folder / "outbox"))
    service = ExitStack()
    address = service.enter_context(served(app))
    settings = {
        "COACHBOARD_BASE_URL": address,
        "COACHBOARD_API_KEY": squad.COACH_KEY,
        "COACHBOARD_TODAY": training.TODAY.isoformat(),
    }
    try:
        with dashboard_process(folder, **settings) as dashboard:
            yield dashboard, service.close
    finally:
        service.close()
        store.close()


def aged(folder, *, hours):
    """Move what the client's cache of that folder knows back in time, and the requests that count for its limit."""
    cache = sqlite3.connect(folder / "cache.db", timeout=20)
    with cache:
        cache.execute(f"UPDATE {ENTRIES.name} SET fetched_at = fetched_at - ?", (hours * 3600,))
        cache.execute(f"UPDATE {CALLS.name} SET at = at - ?", (hours * 3600,))
    cache.close()
