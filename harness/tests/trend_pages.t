#!/usr/bin/python3
"""Opens the trend site in headless Chromium as people do: wide and narrow, light and dark, with 1
run and with 5 000, with scripts and without, with uPlot and without it.

Asserts no console message, nothing from elsewhere, no overflow, contrast, links that lead somewhere,
and that hover, pinning, keys, zoom and the choice of a machine do what they say.
TREND_SHOTS=FOLDER keeps a screenshot of each view.
"""

import base64
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
PARITY = TOP / "bin/parity"
MAKER = TOP / "harness/tests/fixtures/trend/make_history.py"
UPLOT = TOP / "build/uplot"
VIEWS = [(1280, 900, "light"), (1280, 900, "dark"), (360, 740, "light"), (360, 740, "dark")]
FLAGS = ("--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
         "--disable-background-networking --disable-component-update --disable-sync "
         "--disable-dev-shm-usage --hide-scrollbars").split()
# Out of the window, and not in a box that scrolls; a chart's own layers are cut by their box.
OUTSIDE = """return [...document.querySelectorAll('body *')].filter(e => {
  const b = e.getBoundingClientRect();
  return b.right > innerWidth + 1 && !e.closest('.scroll, pre, .uplot');
}).map(e => e.tagName + '.' + e.className).slice(0, 5);"""


class Tap:
    def __init__(self):
        self.n = 0
        self.failed = 0

    def ok(self, good, what, why=""):
        self.n += 1
        self.failed += not good
        print("%s %d - %s" % ("ok" if good else "not ok", self.n, what), flush=True)
        if not good:
            print("# " + str(why)[:600].replace("\n", "\n# "), flush=True)

    def skip(self, what, why):
        self.n += 1
        print("ok %d - %s # SKIP %s" % (self.n, what, why), flush=True)

    def end(self):
        print("1..%d" % self.n)
        sys.exit(1 if self.failed else 0)


def skip_all(why):
    print("1..0 # SKIP " + why)
    sys.exit(0)


def contrast_script():
    """The report's own test of contrast (pages.t), so that there is one rule."""
    text = (TOP / "harness/tests/pages.t").read_text(encoding="utf-8")
    return re.search(r'CONTRAST = r"""(.*?)"""', text, re.DOTALL).group(1)


def open_browser(profile, scripts=True):
    options = Options()
    for flag in FLAGS + ["--user-data-dir=" + str(profile)]:
        options.add_argument(flag)
    if not scripts:
        options.add_experimental_option(
            "prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


def view(browser, page, width, height, scheme):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": height, "deviceScaleFactor": 1,
                             "mobile": width < 500})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.get_log("performance")
    browser.get(page.as_uri())


def shoot(browser, name, width):
    folder = os.environ.get("TREND_SHOTS")
    if not folder:
        return
    box = browser.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
    clip = {"x": 0, "y": 0, "width": width, "height": min(box["height"], 4000), "scale": 1}
    shot = browser.execute_cdp_cmd("Page.captureScreenshot",
                                   {"captureBeyondViewport": True, "clip": clip})
    path = os.path.join(folder, re.sub(r"\W+", "-", name).strip("-") + ".png")
    with open(path, "wb") as file:
        file.write(base64.b64decode(shot["data"]))


def wait_for(browser, script, seconds=20):
    """Until the script returns something true; what it returned last."""
    end = time.monotonic() + seconds
    while True:
        found = browser.execute_script(script)
        if found or time.monotonic() > end:
            return found
        time.sleep(0.05)


def strangers(browser, page):
    urls = re.findall(r'"requestWillBeSent".*?"url":"([^"]*)"',
                      "\n".join(entry["message"] for entry in browser.get_log("performance")))
    here = page.parent.as_uri() + "/"
    return [u for u in urls if not u.startswith("data:") and not u.startswith(here)]


DRAWN = "return document.querySelectorAll('figure.trend canvas').length"


def look(browser, tap, page, width, height, scheme, live):
    name = "%s/%s %dx%d %s: " % (page.parent.name, page.name, width, height, scheme)
    view(browser, page, width, height, scheme)
    if live and "route-" in page.name:
        tap.ok(wait_for(browser, DRAWN), name + "charts are drawn")
    script = browser.execute_script
    messages = browser.get_log("browser")
    tap.ok(not messages, name + "the console is silent", messages)
    urls = strangers(browser, page)
    tap.ok(not urls, name + "nothing comes from elsewhere", urls)
    size = script("return [document.documentElement.scrollWidth, innerWidth]")
    tap.ok(size[0] <= size[1] == width, name + "no horizontal overflow", size)
    outside = script(OUTSIDE)
    tap.ok(not outside, name + "nothing sticks out", outside)
    low = script(contrast_script())
    tap.ok(not low, name + "contrast", low[:5])
    dark = script("return getComputedStyle(document.body).backgroundColor")
    tap.ok((sum(map(int, re.findall(r"\d+", dark)[:3])) < 300) == (scheme == "dark"),
           name + "the scheme is followed", dark)
    shoot(browser, name, width)


def structure(browser, tap, page):
    name = "%s/%s: " % (page.parent.name, page.name)
    script = browser.execute_script
    tap.ok(script("return document.querySelectorAll('h1').length") == 1, name + "has one h1")
    tap.ok(not script("return [...document.querySelectorAll('table')]"
                      ".filter(t => !t.caption || !t.caption.textContent.trim()).length"),
           name + "every table has a caption")
    ids = script("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    tap.ok(len(ids) == len(set(ids)), name + "ids are unique", ids)
    links = script("return [...document.links].map(a => a.getAttribute('href'))")
    dead = [l for l in links if ":" not in l and not (page.parent / l.split("#")[0]).exists()]
    tap.ok(links and not dead, name + "links to files lead somewhere", dead or "no links")


def read_at(browser, share):
    """Moves the pointer over the first chart; returns which run is told below it."""
    over = browser.find_element("css selector", "figure.trend .u-over")
    width = over.size["width"]
    ActionChains(browser).move_to_element_with_offset(
        over, int((share - 0.5) * (width - 4)), 0).perform()
    time.sleep(0.1)
    return int(browser.execute_script(
        "return document.querySelector('figure.trend .readout').dataset.run"))


def drag(browser, start, end):
    over = browser.find_element("css selector", "figure.trend .u-over")
    width = over.size["width"]
    at = lambda share: int((share - 0.5) * width)
    ActionChains(browser).move_to_element_with_offset(over, at(start), 0).click_and_hold() \
        .move_to_element_with_offset(over, at((start + end) / 2), 5) \
        .move_to_element_with_offset(over, at(end), 5).release().perform()
    time.sleep(0.2)


def use(browser, tap, page, runs):
    """Hover, zoom by drag, back by double-click, buttons, keys, the choice of a machine."""
    name = "%s/%s: " % (page.parent.name, page.name)
    view(browser, page, 1280, 900, "light")
    wait_for(browser, DRAWN)
    browser.execute_script("document.querySelector('figure.trend').scrollIntoView({block: 'center'})")
    first, last = read_at(browser, 0), read_at(browser, 1)
    tap.ok(first <= runs // 50 and last >= runs - 1 - runs // 50,
           name + "hover reads the first and the last run", (first, last))
    words = browser.execute_script("return document.querySelector('figure.trend .readout').innerText")
    tap.ok(re.search(r"20\d\d-\d\d-\d\d \d\d:\d\d [0-9a-f]{7} .*reactor \d\.\d{3}", words, re.DOTALL),
           name + "the run is told with day, commit and figure", words)
    link = browser.execute_script(
        "return document.querySelector('figure.trend .readout a').getAttribute('href')")
    tap.ok(link.startswith("https://example.org/owner/repo/commit/"), name + "and its link", link)
    drag(browser, 0.5, 0.75)
    near, far = read_at(browser, 0), read_at(browser, 1)
    tap.ok(abs(near - runs * 0.5) < runs * 0.06 and abs(far - runs * 0.75) < runs * 0.06,
           name + "dragging zooms to half to three quarters", (near, far))
    browser.execute_script("document.querySelectorAll('figure.trend')[1].scrollIntoView()")
    browser.find_element("xpath", "//button[text()='All runs']").click()
    browser.execute_script("document.querySelector('figure.trend').scrollIntoView({block: 'center'})")
    tap.ok(read_at(browser, 0) <= runs // 50, name + "All runs shows all again")
    browser.find_element("xpath", "//button[text()='Newest 50']").click()
    browser.execute_script("document.querySelector('figure.trend').scrollIntoView({block: 'center'})")
    tap.ok(runs - 56 <= read_at(browser, 0) <= runs - 44, name + "Newest 50 shows those",
           read_at(browser, 0))
    at = read_at(browser, 0.5)
    live = browser.find_element("css selector", "figure.trend .live")
    live.send_keys("\ue012")  # left
    moved = int(browser.execute_script(
        "return document.querySelector('figure.trend .readout').dataset.run"))
    tap.ok(0 < at - moved <= 2, name + "an arrow key goes to the neighbour", (at, moved))
    choices = browser.find_elements("css selector", "#tools option")
    if len(choices) > 1:
        choices[1].click()
        kinds = {read_at(browser, share) % 2 for share in (0.1, 0.23, 0.37, 0.5, 0.61, 0.88)}
        tap.ok(len(kinds) == 1, name + "one kind of machine can be chosen", kinds)
    messages = browser.get_log("browser")
    tap.ok(not messages, name + "the console stays silent", messages)


def without_scripts(folder, tap, page):
    name = "%s/%s without scripts: " % (page.parent.name, page.name)
    browser = open_browser(folder / "plain", scripts=False)
    try:
        view(browser, page, 360, 740, "light")
        shoot(browser, name, 360)
        found = browser.execute_cdp_cmd("DOM.getDocument", {"depth": 1})["root"]["nodeId"]
        query = lambda css: browser.execute_cdp_cmd(
            "DOM.querySelectorAll", {"nodeId": found, "selector": css})["nodeIds"]
        tap.ok(not query("canvas") and len(query("figure.trend > svg")) == len(query("figure.trend")) > 3,
               name + "every chart is a picture")
        style = browser.execute_cdp_cmd("DOM.getBoxModel", {"nodeId": query("figure.trend > svg")[0]})
        tap.ok(style["model"]["width"] > 250, name + "which is seen", style["model"]["width"])
        tap.ok(len(query("tbody tr")) > 10, name + "the figures are in a table")
        tap.ok(not browser.get_log("browser"), name + "the console is silent")
    finally:
        browser.quit()


def make_site(folder, name, runs, kinds, cells, uplot):
    history = folder / (name + ".jsonl")
    with open(history, "wb") as file:
        subprocess.run([sys.executable, MAKER, str(runs), str(kinds), str(cells)], stdout=file,
                       check=True)
    site = folder / name
    command = [PARITY, "trend", "site", site, "--history", history]
    # Another home has no uPlot.
    env = dict(os.environ, PARITY_HOME=str(TOP if uplot else folder / "nowhere"))
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    if done.returncode:
        print("Bail out! parity trend site: " + done.stderr[-400:].replace("\n", " "))
        sys.exit(1)
    return site


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="parity-trend-") as name:
        folder = pathlib.Path(name)
        uplot = subprocess.run([TOP / "scripts/uplot"], capture_output=True).returncode == 0
        one = make_site(folder, "one", 1, 1, 1, uplot)
        some = make_site(folder, "some", 120, 2, 2, uplot)
        many = make_site(folder, "many", 5000, 1, 1, uplot)
        still = make_site(folder, "still", 120, 1, 1, False)
        browser = open_browser(folder / "profile")
        try:
            for site in (one, some, many, still):
                for page in (site / "index.html", site / "route-health.html"):
                    for where in VIEWS if site is some else VIEWS[::3]:
                        look(browser, tap, page, *where, uplot and site is not still)
                    structure(browser, tap, page)
            if uplot:
                use(browser, tap, some / "route-health.html", 120)
                use(browser, tap, many / "route-health.html", 5000)
            else:
                tap.skip("hover and zoom", "no uPlot (no npm, or no registry)")
        finally:
            browser.quit()
        without_scripts(folder, tap, some / "route-health.html")
    tap.end()


for program in ("chromium", "chromedriver"):
    if not shutil.which(program):
        skip_all(program + " is not installed")
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
except ImportError:
    skip_all("python3-selenium is not installed")
main()
