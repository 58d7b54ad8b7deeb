#!/usr/bin/python3
"""volley against servers that behave and misbehave, over real sockets, with each engine; TAP.

The servers are threads of this script that count what they see, or an nginx of our own. Nothing here depends on speed:
counts are exact, and times have wide bounds. VOLLEY names the program to test.
"""

import json
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHOICES = [os.environ.get("VOLLEY"), ROOT + "/build/asan/bin/volley", ROOT + "/bin/volley"]
VOLLEY = next((p for p in CHOICES if p and os.access(p, os.X_OK)), None)
TMP = tempfile.mkdtemp(prefix="volley-test-")
LIMIT_S = 120


def answer(body=b"ok\n", status="200 OK", extra=b""):
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n%s" % (status.encode(), len(body), extra, body)


class Server:
    """Counts requests and connections, and lets reply(server, sock, number, head, body) answer each.

    reply returns the bytes to send, or None when it has dealt with the socket and the connection is over."""

    def __init__(self, reply):
        self.reply, self.requests, self.connections, self.peers = reply, 0, 0, set()
        self.lock, self.open = threading.Lock(), True
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/x"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                sock, peer = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.connections += 1
                self.peers.add(peer[0])
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock):
        try:
            data = b""
            while True:
                while b"\r\n\r\n" not in data:
                    more = sock.recv(65536)
                    if not more:
                        return
                    data += more
                head, data = data.split(b"\r\n\r\n", 1)
                length = re.search(rb"content-length: *(\d+)", head, re.I)
                need = int(length.group(1)) if length else 0
                while len(data) < need:
                    more = sock.recv(65536)
                    if not more:
                        return
                    data += more
                body, data = data[:need], data[need:]
                with self.lock:
                    self.requests += 1
                    number = self.requests
                out = self.reply(self, sock, number, head, body)
                if out is None:
                    return
                sock.sendall(out)
                if re.search(rb"^connection: *close", head, re.I | re.M):
                    return
        except OSError:
            pass
        finally:
            sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def good(_server, _sock, _number, _head, _body):
    return answer()


class Nginx:
    """An nginx of our own: unprivileged, in the foreground, ended by its pid."""

    def __init__(self, keepalive_requests=1000000):
        self.dir = tempfile.mkdtemp(dir=TMP)
        os.chmod(self.dir, 0o755)
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        with open(self.dir + "/large.bin", "wb") as f:
            f.write(os.urandom(2229306))
        paths = "".join(f"{n}_temp_path {self.dir}/{n}; " for n in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(self.dir + "/nginx.conf", "w", encoding="ascii") as f:
            f.write(f"""
                {'user root;' if os.geteuid() == 0 else ''}
                daemon off; master_process off; worker_processes 1; pid {self.dir}/pid; error_log {self.dir}/log;
                events {{ worker_connections 1024; }}
                http {{ access_log off; {paths} keepalive_requests {keepalive_requests};
                  server {{ listen 127.0.0.1:{self.port}; root {self.dir};
                    location = /health {{ return 200 "ok\n"; }}
                    location = /status {{ stub_status; }} }} }}""")
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        self.process = subprocess.Popen(["nginx", "-e", self.dir + "/log", "-p", self.dir, "-c",
                                         self.dir + "/nginx.conf"], env={**os.environ, "PATH": path})
        self.url = f"http://127.0.0.1:{self.port}/health"
        for _ in range(500):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError("nginx did not start: " + open(self.dir + "/log", encoding="utf8").read())

    def served(self):
        with socket.create_connection(("127.0.0.1", self.port)) as s:
            s.sendall(b"GET /status HTTP/1.0\r\n\r\n")
            text = b"".join(iter(lambda: s.recv(4096), b""))
        return int(text.split(b"requests")[1].split()[2])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGTERM)
            self.process.wait()


def start(*args, **more):
    return subprocess.Popen([VOLLEY, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, **more)


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON number")


def finish(process, rc=0):
    out, err = process.communicate(timeout=LIMIT_S)
    assert process.returncode == rc, f"exit code {process.returncode}, not {rc}: {err}{out[-500:]}"
    return out, err


def load(*args, rc=0):
    """Runs volley --json; returns its summary after checking what every summary must fulfil."""
    out, _ = finish(start("--json", *args), rc)
    summary = json.loads(out.splitlines()[-1], parse_constant=refuse_constant)
    for t in summary["targets"]:
        assert t["requests"] == t["ok"] + t["failed"] + t["unanswered"], t
        assert t["latency_us"]["histogram"]["total"] == t["ok"] == sum(
            n for _, n in t["latency_us"]["histogram"]["bins"])
        assert sum(t["errors"].values()) >= t["failed"]
    return summary


def one(*args, rc=0):
    return load(*args, rc=rc)["targets"][0]


def errors(t):
    return {k: n for k, n in t["errors"].items() if n}


def equal(a, b):
    assert a == b, f"{a!r} is not {b!r}"


TESTS = []


def test(f):
    TESTS.append((f, False))
    return f


def each_engine(f):
    TESTS.append((f, True))
    return f


# Right answers


@each_engine
def counts_every_request_as_the_server_does(engine):
    with Server(good) as s:
        t = one(*engine, "-c", 4, "--requests", 500, s.url)
        equal((t["requests"], t["ok"], s.requests, errors(t)), (500, 500, 500, {}))
        equal((t["connections_opened"], t["connections_achieved"], s.connections), (4, 4, 4))
        equal((t["reconnects"], t["bytes_read"]), (0, 500 * len(answer())))


@each_engine
def divides_connections_and_requests_among_threads(engine):
    with Server(good) as s:
        t = one(*engine, "-t", 3, "-c", 7, "--requests", 100, s.url)
        equal((t["ok"], s.requests, s.connections, t["connections_achieved"]), (100, 100, 7, 7))


@each_engine
def closes_and_reopens_with_close(engine):
    with Server(good) as s:
        t = one(*engine, "-c", 4, "--close", "--requests", 100, s.url)
        equal((t["ok"], s.requests, errors(t)), (100, 100, {}))
        equal((t["connections_opened"], s.connections, t["reconnects"]), (100, 100, 96))
        equal(t["connections_not_closed"], 0)


@each_engine
def reads_answers_split_at_every_byte(engine):
    whole = answer(b"body!", extra=b"Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n")

    def split(_server, sock, number, _head, _body):
        cut = number % len(whole)
        sock.sendall(whole[:cut])
        time.sleep(0.005)
        return whole[cut:]

    with Server(split) as s:
        t = one(*engine, "-c", 3, "--verify", "--requests", 2 * len(whole), s.url)
        equal((t["ok"], errors(t)), (2 * len(whole), {}))


@each_engine
def reads_all_framings(engine):
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n1;x=y\r\n\n\r\n0\r\nT: v\r\n\r\n"
    empty = b"HTTP/1.1 204 No Content\r\n\r\n"
    interim = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + answer()
    for bytes_ in (chunked, empty, interim):
        with Server(lambda *_, b=bytes_: b) as s:
            t = one(*engine, "-c", 2, "--verify", "--requests", 50, s.url)
            equal((t["ok"], errors(t), s.connections), (50, {}, 2))

    def until_close(_server, sock, _number, _head, _body):
        sock.sendall(b"HTTP/1.1 200 OK\r\n\r\nuntil the end")

    with Server(until_close) as s:
        t = one(*engine, "-c", 2, "--expect-body", "until the end", "--requests", 50, s.url)
        equal((t["ok"], errors(t), s.requests), (50, {}, 50))
    with Server(lambda *_: b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n") as s:
        t = one(*engine, "-c", 2, "-m", "HEAD", "--requests", 50, s.url)
        equal((t["ok"], errors(t)), (50, {}))


@each_engine
def pipelines(engine):
    with Server(good) as s:
        t = one(*engine, "-c", 3, "--pipeline", 8, "--requests", 1000, s.url)
        equal((t["ok"], s.requests, s.connections, errors(t)), (1000, 1000, 3, {}))


@each_engine
def loads_nginx(engine):
    with Nginx(keepalive_requests=10) as n:
        t = one(*engine, "-c", 4, "--requests", 400, "--expect-body", "ok\n", n.url)
        equal((t["ok"], errors(t), n.served() - 1), (400, {}, 400))
        assert t["reconnects"] >= 36, t["reconnects"]
        t = one(*engine, "-c", 4, "--close", "--requests", 400, n.url)
        equal((t["ok"], errors(t), t["connections_opened"]), (400, {}, 400))
    with Nginx() as n:
        t = one(*engine, "-c", 4, "--pipeline", 5, "--requests", 1000, n.url)
        equal((t["ok"], errors(t), n.served() - 1), (1000, {}, 1000))
        for check in ([], ["--verify"], ["--expect-body", "@" + n.dir + "/large.bin"]):
            t = one(*engine, "-c", 4, "--requests", 20, *check, n.url.replace("health", "large.bin"))
            equal((t["ok"], errors(t)), (20, {}))
            assert t["bytes_read"] > 20 * 2229306


@each_engine
def sends_method_fields_and_a_large_body(engine):
    body = os.urandom(1 << 20)
    with open(TMP + "/body", "wb") as f:
        f.write(body)
    seen = []

    def slow_reader(_server, _sock, _number, head, got):
        seen.append((head, got == body))
        return answer()

    with Server(slow_reader) as s:
        t = one(*engine, "-c", 2, "--requests", 10, "-m", "PUT", "-H", "X-Test: yes", "--body", "@" + TMP + "/body",
                s.url)
        equal((t["ok"], errors(t), len(seen)), (10, {}, 10))
        for head, same in seen:
            assert same and head.startswith(b"PUT /x HTTP/1.1\r\n"), head
            assert b"X-Test: yes" in head and b"Host: 127.0.0.1:%d" % s.port in head, head


@each_engine
def spends_no_system_call_too_many(engine):
    trace = TMP + "/trace"
    if not shutil.which("strace") or subprocess.run(["strace", "-o", trace, "true"], stderr=subprocess.DEVNULL,
                                                    check=False).returncode != 0:
        return "strace can't trace here"
    with Server(good) as s:
        p = subprocess.run(["strace", "-f", "-o", trace, VOLLEY, *engine, "-c", "4", "--requests", "1000", s.url],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, timeout=LIMIT_S,
                           env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})  # which can't work when traced
        equal((p.returncode, s.requests), (0, 1000))
    with open(trace, encoding="utf8", errors="replace") as f:
        calls = re.findall(r"^\d+ +(\w+)\(", f.read(), re.M)
    count = {name: calls.count(name) for name in set(calls)}
    if "uring" in engine:
        assert count["io_uring_enter"] <= 1100 and "sendto" not in count, count
    else:  # one send, one receive, a share of a wait; the set of sockets is never touched again
        assert count["sendto"] == 1000 and count["recvfrom"] <= 1010 and count["epoll_pwait2"] <= 1100, count
        assert count["epoll_ctl"] == 4, count


# Wrong answers


@each_engine
def tells_errors_by_kind(engine):
    def every_third(wrong):
        return lambda _server, _sock, number, _head, _body: wrong if number % 3 == 0 else answer()

    cases = [("status", answer(status="500 No"), []), ("status", answer(status="302 Found"), []),
             ("status", answer(status="201 Created"), ["--expect-status", 200]),
             ("length", answer(b"longer\n"), []), ("length", answer(b"longer\n"), ["--verify"]),
             ("body", answer(b"no\n"), ["--verify"]), ("body", answer(b"no\n"), ["--expect-body", "ok\n"]),
             ("length", answer(b""), ["--expect-body", "ok\n"])]
    for kind, wrong, args in cases:
        with Server(every_third(wrong)) as s:
            t = one(*engine, "-c", 1, "--requests", 300, *args, s.url)
            equal((t["ok"], errors(t), s.connections), (200, {kind: 100}, 1))
    with Server(every_third(answer(b"longer\n"))) as s:
        equal(errors(one(*engine, "-c", 1, "--requests", 30, "--any-length", s.url)), {})


@each_engine
def counts_what_is_no_http(engine):
    def garbage(_server, sock, number, _head, _body):
        if number % 5:
            return answer()
        sock.sendall(b"220 smtp ready\r\n")
        sock.recv(1)

    with Server(garbage) as s:
        t = one(*engine, "-c", 1, "--requests", 100, s.url)
        equal((t["ok"], errors(t)), (80, {"framing": 20}))
        assert t["reconnects"] in (19, 20), t["reconnects"]  # the last one may come too late
        assert "no HTTP/1 answer" in t["first_framing_error"]

    with Server(lambda *_: answer() + answer()) as s:  # twice what was asked for
        t = one(*engine, "-c", 1, "--requests", 20, s.url)
        assert t["errors"]["framing"] >= 1, t["errors"]
        assert "no request asked for" in t["first_framing_error"]


@each_engine
def counts_early_ends_and_resets(engine):
    def cut(_server, sock, number, _head, _body):
        if number % 4:
            return answer()
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")

    def reset(_server, sock, number, _head, _body):
        if number % 4:
            return answer()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    for kind, reply in (("early_close", cut), ("reset", reset)):
        with Server(reply) as s:
            t = one(*engine, "-c", 2, "--requests", 200, s.url)
            equal((t["ok"], errors(t), s.requests), (150, {kind: 50}, 200))
            assert 48 <= t["reconnects"] <= 50, t["reconnects"]


@each_engine
def gives_up_on_a_stalled_server(engine):
    release = threading.Event()

    def stall(*_):
        release.wait(60)

    with Server(stall) as s:
        began = time.monotonic()
        t = one(*engine, "-c", 3, "-T", "200ms", "-d", "1s", s.url, rc=3)
        assert t["errors"]["timeout"] >= 3 and t["ok"] == 0, t["errors"]
        equal(t["latency_us"]["p99"], None)
        assert time.monotonic() - began < 30
        release.set()


@test
def counts_connections_left_open_after_close():
    def stays(_server, sock, _number, _head, _body):
        sock.sendall(answer())
        sock.settimeout(30)
        sock.recv(1)

    with Server(stays) as s:
        t = one("-c", 2, "--close", "--requests", 6, "-d", "60s", s.url)
        equal((t["ok"], errors(t)), (6, {}))
        assert t["connections_not_closed"] in range(4, 7), t["connections_not_closed"]


@each_engine
def survives_a_server_that_dies(engine):
    with Nginx() as n:
        p = start("--json", *engine, "-c", 8, "-d", "60s", n.url)
        time.sleep(1)
        os.kill(n.process.pid, signal.SIGKILL)
        n.process.wait()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.monotonic()
        out, _ = finish(p)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        t = json.loads(out)["targets"][0]
        assert t["ok"] > 0 and t["errors"]["connect"] >= 8, t["errors"]
        # About a dozen attempts each, in some seconds, then it ends by itself. And it slept meanwhile: all of its
        # CPU time is less than the 1 s under load and half of the rest.
        assert t["errors"]["connect"] <= 8 * 14, t["errors"]
        waited = time.monotonic() - began
        assert waited < 40, waited
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        assert cpu < 1.5 + waited / 2, (cpu, waited)


@each_engine
def says_that_nobody_listens(engine):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    out, err = finish(start("--json", *engine, "-c", 2, "-d", "60s", f"http://127.0.0.1:{port}/"), 3)
    assert "Connection refused" in err, err
    t = json.loads(out)["targets"][0]
    equal((t["ok"], t["requests"], t["connections_achieved"]), (0, 0, 0))


@each_engine
def does_not_hammer_a_server_that_hangs_up(engine):
    def hang_up(_server, sock, *_):
        sock.close()

    with Server(hang_up) as s:
        t = one(*engine, "-c", 2, "-d", "60s", s.url, rc=3)
        # Each connection is tried about a dozen times with growing pauses, then given up, long before 60 s.
        assert 2 <= s.connections <= 2 * 14, s.connections
        equal((t["ok"], errors(t)), (0, {"early_close": t["requests"]}))


@test
def says_when_output_is_lost():
    with Server(good) as s:
        for args, out in ((["--slices", "/dev/full"], subprocess.PIPE), (["--json"], "/dev/full"), ([], "/dev/full")):
            sink = open(out, "w", encoding="ascii") if isinstance(out, str) else out
            p = subprocess.Popen([VOLLEY, "-c", "1", "--requests", "5", *args, s.url], stdout=sink,
                                 stderr=subprocess.PIPE, text=True)
            _, err = p.communicate(timeout=LIMIT_S)
            equal(p.returncode, 4)
            assert "cannot write" in err, err


# Slices


@each_engine
def alternates_between_servers_in_palindromes(engine):
    def run(seed):
        with Server(good) as a, Server(good) as b:
            path = TMP + "/slices"
            args = ["-c", 3, "-d", "400ms", "--slice", "20ms", "--seed", seed, "--slices", path]
            pid = os.getpid()
            s = load(*engine, *args, "--pid", f"0={pid}", "--pid", f"1={pid},{pid}", a.url, b.url)
            equal([t["requests"] for t in s["targets"]], [a.requests, b.requests])
            equal((a.connections, b.connections), (3, 3))
            with open(path, encoding="ascii") as f:
                return s, [json.loads(line) for line in f]

    s, slices = run(3)
    order = [x["target"] for x in slices]
    rounds = [order[i:i + 4] for i in range(0, len(order), 4)]
    assert all(r in ([0, 1, 1, 0], [1, 0, 0, 1]) for r in rounds), order
    assert [0, 1, 1, 0] in rounds and [1, 0, 0, 1] in rounds, order
    equal([x["slice"] for x in slices], list(range(len(slices))))
    for i, t in enumerate(s["targets"]):
        own = [x for x in slices if x["target"] == i]
        equal(t["slices"], len(own))
        for key in ("requests", "ok", "late_answers"):
            equal(t[key], sum(x[key] for x in own))
        assert abs(t["duration_s"] - sum(x["duration_ns"] for x in own) / 1e9) < 1e-6
        assert t["server_cpu_ns_per_request"] > 0 and t["client_cpu_ns_per_request"] > 0
    for before, x in zip([None] + slices, slices):
        assert x["start_ns"] <= x["first_ns"] <= x["last_ns"] and x["stop_ns"] - x["start_ns"] >= 20e6, x
        assert before is None or before["last_ns"] <= x["start_ns"]  # one at a time: drained between
        equal(len(x["server_cpu_ns"]), 1 + x["target"])
    again = [x["target"] for x in run(3)[1]]
    common = min(len(again), len(order))
    equal(again[:common], order[:common])


@test
def follows_a_given_order():
    with Server(good) as a, Server(good) as b:
        out, _ = finish(start("-c", 1, "-d", "100ms", "--slice", "5ms", "--order", "0,1,1", "--slices", "-", "--json",
                              a.url, b.url))
        lines = [json.loads(line) for line in out.splitlines()]
        order = [x["target"] for x in lines[:-1]]
        equal(order, [0, 1, 1] * (len(order) // 3))
        equal((lines[-1]["type"], lines[-1]["seed"] >= 0), ("summary", True))


@test
def counts_late_answers_and_keeps_the_next_slice_clean():
    def slow(*_):
        time.sleep(0.05)
        return answer()

    with Server(slow) as a, Server(good) as b:
        s = load("-c", 2, "-d", "200ms", "--slice", "10ms", a.url, b.url)
        t = s["targets"][0]
        equal((t["ok"], t["late_answers"], errors(t)), (2 * t["slices"], 2 * t["slices"], {}))
        # Too slow for the drain: errors, and still nothing of it in the other's slices.
        s = load("-c", 2, "-d", "200ms", "--slice", "10ms", "--drain", "5ms", a.url, b.url, rc=3)
        t = s["targets"][0]
        equal((t["ok"], errors(t)), (0, {"timeout": t["requests"]}))
        assert t["requests"] > 0 and s["targets"][1]["ok"] > 0
        equal(errors(s["targets"][1]), {})


@test
def leaves_the_warm_up_out():
    with Server(good) as s:
        t = one("-c", 2, "--warmup", "300ms", "--requests", 50, s.url)
        equal(t["ok"], 50)
        assert s.requests > 50, s.requests


# Open loop


def stalling():
    """Answers at once but for 100 ms of every second."""
    began = time.monotonic()

    def reply(*_):
        phase = (time.monotonic() - began) % 1.0
        if phase < 0.1:
            time.sleep(0.1 - phase)
        return answer()

    return reply


@each_engine
def open_loop_shows_a_stall_that_a_closed_loop_hides(engine):
    # A tenth of the planned requests falls into a stall and waits for its end, 0 to 100 ms: the longest tenth of
    # them, a hundredth of all, at least 90 ms (a slow machine only adds).
    with Server(stalling()) as s:
        t = one(*engine, "-c", 50, "-d", "4s", "--rate", "200/s", s.url)
        assert t["latency_us"]["p99"] > 85e3, t["latency_us"]
        assert t["requests"] + t["open_loop"]["unsent"] in range(798, 802), (t["requests"], t["open_loop"])
    # A client that waits for each answer sends but one request into a stall: of hundreds, too few for its p99. It
    # has seen it, though.
    with Server(stalling()) as s:
        t = one(*engine, "-c", 1, "-d", "4s", s.url)
        assert t["latency_us"]["p99"] < 50e3 and t["latency_us"]["max"] > 85e3, t["latency_us"]


@each_engine
def open_loop_counts_from_the_planned_time(engine):
    def delayed(*_):
        time.sleep(0.05)
        return answer()

    with Server(delayed) as s:
        t = one(*engine, "-c", 30, "-d", "2s", "--rate", 100, s.url)
        assert 50e3 <= t["latency_us"]["min"] and t["latency_us"]["p50"] < 100e3, t["latency_us"]
        # One connection serves 20 a second at most: the k-th answer comes (50 + 40 k) ms after its plan, the 20th
        # 0.8 s, the 40th 1.6 s. Where it serves fewer, the middle and the last one come later still. A client that
        # counted from its sends would say 50 ms of all of them.
        t = one(*engine, "-c", 1, "-d", "2s", "--rate", 100, s.url)
        assert t["latency_us"]["p50"] > 0.75e6 and t["latency_us"]["max"] > 1.5e6, t["latency_us"]
        o = t["open_loop"]
        assert o["unsent"] >= 150 and o["late_sends"] >= 20, o
        assert t["requests"] + o["unsent"] in range(199, 202), (t["requests"], o)
        closed = one(*engine, "-c", 1, "-d", "2s", s.url)["latency_us"]
        assert closed["p50"] < 0.4e6, closed
        # Sends that go out in batches are not stamped later than they are made: no answer beats the delay.
        closed = one(*engine, "-c", 40, "-d", "1s", s.url)["latency_us"]
        assert closed["min"] >= 50e3, closed


@test
def open_loop_says_when_it_lagged():
    with Server(good) as s:
        p = start("--json", "-c", 20, "-d", "3s", "--rate", 100, s.url)
        while s.requests < 50:
            time.sleep(0.01)
        os.kill(p.pid, signal.SIGSTOP)
        time.sleep(0.5)
        os.kill(p.pid, signal.SIGCONT)
        summary = json.loads(finish(p)[0])
        o = summary["targets"][0]["open_loop"]
        equal((summary["lagged"], o["lagged"]), (True, True))
        equal(summary["lagged_reason"], o["reason"])
        assert "lag p99" in o["reason"] and o["lag_us"]["max"] > 400e3 and o["late_sends"] > 20, o
        equal(load("-c", 1, "--requests", 5, s.url)["lagged"], None)


@test
def poisson_arrivals_have_the_asked_rate():
    with Server(good) as s:
        t = one("-c", 20, "-d", "3s", "--rate", 200, "--poisson", "--seed", 5, s.url)
        assert 480 < t["requests"] + t["open_loop"]["unsent"] < 720, t["requests"]
        equal(errors(t), {})


# Ends and refusals


@each_engine
def an_interrupt_ends_it_with_a_summary(engine):
    with Server(good) as s:
        for number, rc in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            p = start("--json", *engine, "-t", 2, "-c", 4, "-d", "600s", s.url)
            while s.requests < 50:
                time.sleep(0.01)
            os.kill(p.pid, number)
            os.kill(p.pid, number)  # as timeout(1) does
            summary = json.loads(finish(p, rc)[0])
            t = summary["targets"][0]
            assert summary["interrupted"] and t["ok"] > 0
            equal((t["requests"], errors(t)), (t["ok"] + t["unanswered"], {}))
            s.requests = 0


@test
def source_addresses_are_spread():
    with Server(good) as s:
        one("-c", 4, "--close", "--requests", 64, "--source", "auto", s.url)
        equal(s.peers, {f"127.0.0.{i}" for i in range(2, 18)})
        s.peers.clear()
        one("-c", 4, "--requests", 8, "--source", "127.0.0.9", s.url)
        equal(s.peers, {"127.0.0.9"})


@test
def refuses_what_makes_no_sense():
    url = "http://127.0.0.1:1/"
    cases = [([], "no URL"), (["-c"], "needs a value"), (["-x", url], "unknown option -x"),
             (["--nope", url], "unknown option --nope"), (["-c", "0", url], "out of range"),
             (["-c", "1.5", url], "not a count"), (["-c", "1e3", url], "not a count"),
             (["-d", "10x", url], "not a time"), (["-t", "4", "-c", "2", url], "at least as many connections"),
             (["-T", "0", url], "out of range"), (["--rate", "x", url], "not a rate"),
             (["--poisson", url], "needs --rate"), (["--engine", "poll", url], "not auto, epoll or uring"),
             (["--close", "--pipeline", "2", url], "exclude each other"), (["https://127.0.0.1/"], "TLS"),
             (["ftp://x/"], "must start with http://"), (["http://:80/"], "no host"),
             (["http://h:0/"], "1..65535"), (["http://h:x/"], "no number"), (["http://no.such.invalid/"], "cannot find"),
             (["--order", "0,2", url, url], "was not given"), (["--order", "0", url, url], "leaves a URL out"),
             (["--order", "abba", url, url], "is not palindrome"), (["--pid", "1=1", url], "INDEX=PID"),
             (["--pid", "0=4194304", url], "cannot read the CPU clock"), (["--cpu", "99999", url], "no list of CPUs"),
             (["--source", "::1", url], "no IPv4 address"), (["-H", "no colon", url], "no header field"),
             (["-H", "Content-Length: 3", url], "follow from --body"), (["--body", "@/nonexistent", url], "/nonexistent"),
             (["--slices", "/nonexistent/x", url], "cannot write"), (["-m", "GE T", url], "no method")]
    for args, text in cases:
        _, err = finish(start(*args), 2)
        assert err.startswith("volley: ") and text in err and err.count("\n") == 1, (args, err)

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))

    _, err = finish(start("-c", "200", url, preexec_fn=few), 2)
    assert "file descriptors" in err and "128" in err, err


@test
def helps_and_prints_for_people():
    out, _ = finish(start("--help"))
    assert "--pipeline" in out and "-c, --connections" in out
    assert finish(start("--version"))[0].startswith("volley ")
    with Server(good) as s:
        out, _ = finish(start("-c", 2, "--requests", "1k", "--latency", s.url))
        for text in ("1000 requests in", "Requests/sec:", "Transfer/sec:", "99.99%", "2 connections"):
            assert text in out, (text, out)


def uring_works():
    with Server(good) as s:
        return start("--engine", "uring", "-c", 1, "--requests", 1, s.url).wait(LIMIT_S) == 0


def main():
    if not VOLLEY:
        print("1..0 # SKIP bin/volley is not built")
        return 0
    engines = ["epoll"] + (["uring"] if uring_works() else [])
    runs = [(f, [e]) for f, per_engine in TESTS for e in (engines if per_engine else [None])]
    only = sys.argv[1:]
    runs = [r for r in runs if not only or any(o in r[0].__name__ for o in only)]
    print(f"1..{len(runs)}", flush=True)
    failed = 0
    for i, (f, (engine,)) in enumerate(runs, 1):
        name = f.__name__.replace("_", " ") + (f" ({engine})" if engine else "")
        try:
            skipped = f(*([["--engine", engine]] if engine else []))
            print(f"ok {i} - {name}" + (f" # SKIP {skipped}" if skipped else ""), flush=True)
        except Exception:  # a failed test must not hide the next
            failed += 1
            print(f"not ok {i} - {name}", flush=True)
            for line in traceback.format_exc().splitlines():
                print("# " + line, flush=True)
    shutil.rmtree(TMP, ignore_errors=True)
    return failed > 0


sys.exit(main())
