#!/usr/bin/python3
"""Opens report.html in headless Chromium as people do: wide and narrow, light and dark.

Pages: those given as arguments, else the samples that build/asan/harness/tests/test_page writes.
Asserts no console message, no request, no horizontal overflow, pictures that load, contrast, and
what the first screen must say. PAGES_SHOTS=FOLDER keeps a screenshot of each view.
"""

import base64
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAKER = os.path.join(TOP, "build/asan/harness/tests/test_page")
VIEWS = [(w, h, scheme) for w, h in ((1280, 900), (360, 740)) for scheme in ("light", "dark")]
FLAGS = ("--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
         "--disable-background-networking --disable-component-update --disable-sync "
         "--disable-dev-shm-usage --hide-scrollbars").split()

# Texts whose contrast with what lies behind them is below WCAG 2.1's 4.5:1 (1.4.3).
CONTRAST = r"""
const lum = c => { const f = c.map(v => { v /= 255;
    return v <= .03928 ? v / 12.92 : Math.pow((v + .055) / 1.055, 2.4); });
  return .2126 * f[0] + .7152 * f[1] + .0722 * f[2]; };
const rgb = s => (s.match(/[\d.]+/g) || []).map(Number);
const behind = e => { for (; e; e = e.parentElement) {
    const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] > 0) return c.slice(0, 3); }
  return [255, 255, 255]; };
const low = [];
for (const e of document.querySelectorAll('body *')) {
  if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
  if (e.closest('title, style')) continue;
  const s = getComputedStyle(e);
  const ink = rgb(e.closest('svg') ? s.fill : s.color).slice(0, 3);
  const a = lum(ink), b = lum(behind(e));
  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (ratio < 4.5) low.push(e.tagName + '.' + e.className + ' ' + ratio.toFixed(2));
}
return low;
"""

# Elements that stick out of the window and don't scroll in a box of their own.
OUTSIDE = r"""
return [...document.querySelectorAll('body *')].filter(e => {
  const b = e.getBoundingClientRect();
  return b.right > innerWidth + 1 && !e.closest('.scroll, pre');
}).map(e => e.tagName + '.' + e.className).slice(0, 5);
"""


class Tap:
    def __init__(self):
        self.n = 0
        self.failed = 0

    def ok(self, good, what, why=""):
        self.n += 1
        self.failed += not good
        print("%s %d - %s" % ("ok" if good else "not ok", self.n, what), flush=True)
        if not good:
            print("# " + str(why).replace("\n", "\n# "), flush=True)

    def end(self):
        print("1..%d" % self.n)
        sys.exit(1 if self.failed else 0)


def skip_all(why):
    print("1..0 # SKIP " + why)
    sys.exit(0)


def make_samples(folder):
    if not os.access(MAKER, os.X_OK):
        print("Bail out! %s is not built: make unit" % MAKER)
        sys.exit(1)
    run = subprocess.run([MAKER], env=dict(os.environ, PAGE_OUT=folder), text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    if run.returncode:
        print("Bail out! test_page wrote no samples: " + run.stdout[-500:].replace("\n", " "))
        sys.exit(1)
    return [os.path.join(folder, name + ".html") for name in ("sample", "few", "invalid", "alone")]


def open_browser(profile):
    options = Options()
    for flag in FLAGS + ["--user-data-dir=" + profile]:
        options.add_argument(flag)
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


def requests_of(browser):
    """Every URL that the browser asked for, data: excepted."""
    urls = re.findall(r'"requestWillBeSent".*?"url":"([^"]*)"',
                      "\n".join(entry["message"] for entry in browser.get_log("performance")))
    return [url for url in urls if not url.startswith("data:")]


def shoot(browser, path, width):
    height = browser.execute_script("return document.documentElement.scrollHeight")
    clip = {"x": 0, "y": 0, "width": width, "height": min(height, 8000), "scale": 1}
    shot = browser.execute_cdp_cmd("Page.captureScreenshot",
                                   {"captureBeyondViewport": True, "clip": clip})
    with open(path, "wb") as file:
        file.write(base64.b64decode(shot["data"]))


def look(browser, tap, page, width, height, scheme):
    name = "%s %dx%d %s: " % (os.path.basename(page), width, height, scheme)
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": height, "deviceScaleFactor": 1,
                             "mobile": width < 500})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.get_log("performance")
    browser.get("file://" + page)
    script = browser.execute_script
    messages = browser.get_log("browser")
    tap.ok(not messages, name + "the console is silent", messages)
    urls = [url for url in requests_of(browser) if url != "file://" + page]
    tap.ok(not urls, name + "nothing is loaded", urls)
    size = script("return [document.documentElement.scrollWidth, innerWidth]")
    tap.ok(size[0] <= size[1] == width, name + "no horizontal overflow", size)
    outside = script(OUTSIDE)
    tap.ok(not outside, name + "nothing sticks out", outside)
    dead = script("return [...document.images].filter(i => !i.complete || !i.naturalWidth)"
                  ".map(i => i.alt)")
    tap.ok(not dead, name + "every picture loads", dead)
    low = script(CONTRAST)
    tap.ok(not low, name + "contrast", low[:5])
    dark = script("return getComputedStyle(document.body).backgroundColor")
    tap.ok((sum(map(int, re.findall(r"\d+", dark)[:3])) < 300) == (scheme == "dark"),
           name + "the scheme is followed", dark)
    if os.environ.get("PAGES_SHOTS"):
        shoot(browser, os.path.join(os.environ["PAGES_SHOTS"],
                                    re.sub(r"\W+", "-", name).strip("-") + ".png"), width)


def structure(browser, tap, page):
    name = os.path.basename(page) + ": "
    script = browser.execute_script
    tap.ok(script("return document.documentElement.lang") == "en", name + "has a language")
    tap.ok(script("return document.querySelectorAll('h1').length") == 1, name + "has one h1")
    tap.ok(not script("return [...document.querySelectorAll('table')]"
                      ".filter(t => !t.caption || !t.caption.textContent.trim()).length"),
           name + "every table has a caption")
    tap.ok(not script("return document.querySelectorAll('th:not([scope])').length"),
           name + "every th has a scope")
    tap.ok(not script("return [...document.querySelectorAll('img')].filter(i => !i.alt).length"),
           name + "every picture has a text")
    ids = script("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    tap.ok(len(ids) == len(set(ids)), name + "ids are unique")
    broken = script("return [...document.querySelectorAll('a[href^=\"#\"]')]"
                    ".filter(a => !document.querySelector(a.getAttribute('href'))).length")
    tap.ok(not broken, name + "links inside the page lead somewhere")
    ragged = script("return [...document.querySelectorAll('table')].filter(t => {"
                    "const w = r => [...r.cells].reduce((n, c) => n + c.colSpan, 0);"
                    "const n = Math.max(...[...t.rows].map(w));"
                    "let down = 0; return [...t.rows].some(r => {"
                    "const span = Math.max(0, ...[...r.cells].map(c => c.rowSpan - 1));"
                    "const bad = w(r) + (down > 0 ? 1 : 0) !== n;"
                    "down = span > 0 ? span : down - 1; return bad; }); })"
                    ".map(t => t.rows[0].textContent.slice(0, 40))")
    tap.ok(not ragged, name + "every row has all columns", ragged)


def first_screen(browser, tap, page, texts):
    """What must be read without scrolling, at 1280x900."""
    name = os.path.basename(page) + ": "
    for text in texts:
        top = browser.execute_script(
            "const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);"
            "for (let n; (n = walk.nextNode());) if (n.data.includes(arguments[0])) {"
            "const r = document.createRange(); r.selectNode(n);"
            "return r.getBoundingClientRect().bottom; } return null;", text)
        tap.ok(top is not None and top <= 900, name + "first screen says: " + text, top)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="parity-pages-") as folder:
        samples = not sys.argv[1:]
        pages = make_samples(folder) if samples else [os.path.abspath(p) for p in sys.argv[1:]]
        browser = open_browser(os.path.join(folder, "profile"))
        try:
            for page in pages:
                for view in VIEWS[::-1]:
                    look(browser, tap, page, *view)
                structure(browser, tap, page)  # in the last view: wide and light
                if samples:
                    first_screen(browser, tap, page, SAID[os.path.basename(page)])
            if samples:
                browser.get("file://" + pages[0])
                tap.ok(browser.execute_script("return document.images.length") == 36,
                       "sample.html: has 36 charts")
        finally:
            browser.quit()
    tap.end()


SAID = {
    "sample.html": ["reactor and lighttpd against nginx", "18 of 24", "60 of 72", "client_bound",
                    "interval of at least 96 %", "Parity ratios", "(intervals 1.05 to 1.13)",
                    "health by wrk, keep-alive"],
    "few.html": ["No interval can be given (3 blocks; 6 are needed)", "too few blocks to tell"],
    "invalid.html": ["The run is interrupted", "0 of 3", "boot_failed", "Nothing can be compared",
                     "port 8080 is in use by python3 (pid 77)"],
    "alone.html": ["One server alone", "1 of 1"],
}

for program in ("chromium", "chromedriver", "gnuplot"):
    if not shutil.which(program):
        skip_all(program + " is not installed")
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    skip_all("python3-selenium is not installed")
main()
