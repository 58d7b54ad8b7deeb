#!/usr/bin/python3
"""clients: programs that we didn't write, as users have them: h2load, node's fetch, Python's
http.client, Chromium. (curl, ab and wrk are in service.t.)"""

import hashlib
import http.client
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import client  # noqa: E402

PATIENCE_S = 60

FETCHES = """
const [base, sum] = process.argv.slice(2);
const crypto = require("crypto");
(async () => {
  for (let i = 0; i < 20; i++) {
    const all = await Promise.all([...Array(8).keys()].map(() => fetch(base + "/health")));
    for (const r of all) if (await r.text() !== "OK") throw Error("health");
  }
  const body = crypto.randomBytes(300000);
  const stream = new ReadableStream({start(c) {
    for (let i = 0; i < body.length; i += 10000) c.enqueue(body.subarray(i, i + 10000));
    c.close();
  }});
  const echo = await fetch(base + "/echo", {method: "POST", body: stream, duplex: "half"});
  if (Buffer.compare(Buffer.from(await echo.arrayBuffer()), body)) throw Error("chunked echo");
  const large = Buffer.from(await (await fetch(base + "/large.bin")).arrayBuffer());
  if (crypto.createHash("sha256").update(large).digest("hex") !== sum) throw Error("large");
  if ((await fetch(base + "/none")).status !== 404) throw Error("none");
  console.log("all well");
})().catch(e => { console.error(e); process.exit(1); });
"""

PAGE = """<!doctype html><title>waiting</title><link rel="icon" href="data:,"><p id="p">waiting</p><script>
(async () => {
  const large = new Uint8Array(await (await fetch("/large.bin")).arrayBuffer());
  const part = await fetch("/large.bin", {headers: {Range: "bytes=256-511"}});
  const bytes = new Uint8Array(await part.arrayBuffer());
  const small = await (await fetch("/small.txt")).text();
  const echo = await (await fetch("/echo", {method: "POST", body: "x".repeat(100000)})).text();
  const right = large.every((b, i) => b === i % 256) && bytes.every((b, i) => b === i);
  document.getElementById("p").textContent = [large.length, part.status, bytes.length, right,
    small.trim(), echo.length].join(" ");
})().catch(e => { document.getElementById("p").textContent = "failed: " + e; });
</script>"""


def run(*command, **how):
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True, **how).stdout


def h2load(server, root):
    if not shutil.which("h2load"):
        return "no h2load"
    for path, count in (("/health", 2000), ("/small.txt", 2000), ("/large.bin", 20)):
        for depth in ("1", "16"):
            shown = run("h2load", "--h1", "-n", str(count), "-c", "4", "-m", depth,
                        f"http://127.0.0.1:{server.port}{path}")
            assert f"{count} succeeded, 0 failed, 0 errored, 0 timeout" in shown, shown
    return None


def node_fetch(server, root):
    if not shutil.which("node"):
        return "no node"
    with open(os.path.join(root, "large.bin"), "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    before = server.stats()["connections_opened"]
    shown = run("node", "-e", FETCHES, "--", "fetches", f"http://127.0.0.1:{server.port}", digest)
    assert shown == "all well\n", shown
    opened = server.stats()["connections_opened"] - before
    assert opened < 30, f"{opened} connections for 163 requests: not kept alive"
    return None


def python_keeps_alive(server, root):
    c = http.client.HTTPConnection("127.0.0.1", server.port, timeout=client.PATIENCE_S)
    before = server.stats()["connections_opened"]
    for _ in range(50):
        c.request("GET", "/small.txt")
        answer = c.getresponse()
        assert answer.status == 200 and answer.read() == b"small file\n"
        c.request("HEAD", "/large.bin")
        answer = c.getresponse()
        assert answer.read() == b"" and answer.headers["content-length"] == str(256 * 32768)
    c.close()
    assert server.stats()["connections_opened"] - before == 2  # the client's, and the second look's


def chromium(server, root):
    if not shutil.which("chromium"):
        return "no chromium"
    with open(os.path.join(root, "fetches.html"), "w", encoding="ascii") as f:
        f.write(PAGE)
    with tempfile.TemporaryDirectory() as profile:
        shown = run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                    "--disable-background-networking", f"--user-data-dir={profile}",
                    "--virtual-time-budget=20000", "--dump-dom",
                    f"http://127.0.0.1:{server.port}/fetches.html")
    found = re.search(r'<p id="p">(.*?)</p>', shown)
    assert found and found.group(1) == "8388608 206 256 true small file 100000", shown[:2000]
    return None


def main():
    tap = client.Tap()
    with client.docroot() as root:
        for engine in client.ALL_ENGINES:
            with client.Server("--engine", engine, "--docroot", root, "--stats", "/stats") as server:
                for test in (h2load, node_fetch, python_keeps_alive, chromium):
                    tap.check(f"{engine} {test.__name__.replace('_', ' ')}", test, server, root)
    tap.done()


main()
