#!/usr/bin/python3
"""designs: the servers of other designs that share the reactor's parser and answers: threads (a thread
a connection) and uv (one libuv loop). To every request they must say what the reactor says; what their
own loops do is tested here: deadlines, limits, many clients, dead clients, their end."""

import importlib.machinery
import importlib.util
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
import client  # noqa: E402
from client import request, wait_for  # noqa: E402

DESIGNS = ("threads", "uv")
MEGA = b"m" * 1048576


def load_cases():
    loader = importlib.machinery.SourceFileLoader("cases", os.path.join(FOLDER, "cases.t"))
    cases = importlib.util.module_from_spec(importlib.util.spec_from_loader("cases", loader))
    loader.exec_module(cases)
    return [cases.Case(os.path.join(cases.FOLDER, name)) for name in sorted(os.listdir(cases.FOLDER))]


def start(name, *options, **how):
    return client.Server("--stats", "/stats", *options, exe=client.program(name), **how)


def said(c):
    """All that comes until the end, without what may differ: the time, and whether 100 was needed."""
    try:
        text = c.rest()
    except ConnectionResetError:
        text, c.held = c.held + b"(reset)", b""
    text = re.sub(rb"\r\nDate: [^\r]+", b"", text)
    return text.replace(b"HTTP/1.1 100 Continue\r\n\r\n", b"")


def answers_like_the_reactor(name):
    """Every case, then the client's end: byte for byte what the reactor says without files."""
    cases = load_cases()
    assert len(cases) > 100
    with start("reactor", "--engine", "epoll") as reactor, start(name) as server:
        for case in cases:
            texts = []
            for subject in (reactor, server):
                with subject.connect() as c:
                    c.send(case.send)
                    c.s.shutdown(1)
                    texts.append(said(c))
            assert texts[0] == texts[1], f"{case.name}: {texts[1][:300]!r} instead of {texts[0][:300]!r}"


def byte_by_byte(name):
    cases = [case for case in load_cases() if len(case.send) <= 1000]
    with start("reactor", "--engine", "epoll") as reactor, start(name) as server:
        opened = [(case, subject.connect()) for case in cases for subject in (reactor, server)]
        for i in range(max(len(case.send) for case in cases)):
            for case, c in opened:
                try:
                    c.send(case.send[i:i + 1])
                except (BrokenPipeError, ConnectionResetError):
                    pass  # refused already
            time.sleep(0.001)
        texts = []
        for case, c in opened:
            with c:
                try:
                    c.s.shutdown(1)
                except OSError:
                    pass
                texts.append((case.name, said(c)))
        for wanted, got in zip(texts[::2], texts[1::2]):
            assert wanted[1].replace(b"(reset)", b"") == got[1].replace(b"(reset)", b""), (wanted, got)


def thousand_at_once(name):
    with start(name) as server, server.connect() as c:
        c.send(b"".join(request(path=("/health", "/json")[i % 2]) for i in range(1000)))
        for i in range(1000):
            body = c.answer().body
            assert body == b"OK" if i % 2 == 0 else len(body) == 91, (i, body)
        c.send(request())
        assert c.answer().body == b"OK"
        wait_for(lambda: server.stats()["requests"] >= 1002, "the count")


def slow_reader(name):
    """More answers than sockets and buffers hold, taken slowly, and requests behind them."""
    with start(name) as server, server.connect(receive_buffer=4096) as c:
        c.send(request("POST", "/echo", MEGA))
        time.sleep(0.2)
        c.send(request() * 300 + request("POST", "/echo", b"x" * 40000) + request())
        assert c.answer().body == MEGA
        for _ in range(300):
            assert c.answer().body == b"OK"
        assert c.answer().body == b"x" * 40000
        assert c.answer().body == b"OK"


def flood_without_reading(name):
    """A client that only sends is stopped by its full window, and keeps nobody waiting."""
    with start(name) as server, server.connect(receive_buffer=4096) as c:
        c.s.setblocking(False)
        data, sent, quiet = request() * 1000, 0, time.monotonic() + 1
        while time.monotonic() < quiet and sent < 64 << 20:
            try:
                sent += c.s.send(data)
                quiet = time.monotonic() + 1
            except BlockingIOError:
                time.sleep(0.01)
        assert sent < 64 << 20, "nothing stopped it"
        assert server.get().body == b"OK"
        c.s.settimeout(client.PATIENCE_S)
        for _ in range(1000):
            assert c.answer().body == b"OK"


def dead_clients(name):
    """Clients that reset, some in mid-request, some in mid-answer, leave nothing behind."""
    with start(name) as server:
        for i in range(150):
            c = server.connect()
            c.send((b"", b"GET /hea", request(), request("POST", "/echo", MEGA[:300000]))[i % 4])
            c.reset()
        wait_for(lambda: server.stats()["connections_open"] == 1, "them to be forgotten")
        assert server.get().body == b"OK"


def without_keepalive(name):
    with start(name, "--no-keepalive") as server, server.connect() as c:
        c.send(request(Connection="keep-alive") + request())
        answer = c.answer()
        assert answer.body == b"OK" and answer.field("connection") == "close", answer
        c.closed()


def many_clients(name):
    """300 at once, each served twice; threads has a thread for each meanwhile, uv one for all."""
    with start(name) as server:
        clients = [server.connect() for _ in range(300)]
        for _ in range(2):
            for c in clients:
                c.send(request())
            for c in clients:
                assert c.answer().body == b"OK"
        threads = len(os.listdir(f"/proc/{server.process.pid}/task"))
        assert threads >= 302 if name == "threads" else threads < 10, f"{threads} threads"
        assert server.stats()["connections_open"] == 301
        for c in clients:
            c.s.close()
        wait_for(lambda: server.stats()["connections_open"] == 1, "them to be gone")


def deadlines(name):
    with start(name, "--header-timeout-ms", "300", "--body-timeout-ms", "300",
               "--idle-timeout-ms", "300") as server:
        for part in (b"GET / HTTP/1.1\r\nHo", request("POST", "/echo", b"hello")[:-1]):
            with server.connect() as c:
                c.send(part)
                assert c.answer().status == 408
                c.closed()
        with server.connect() as fresh, server.connect() as used:
            used.send(request())
            assert used.answer().body == b"OK"
            fresh.closed()
            used.closed()
        assert server.stats()["timeouts"] == 2


def write_timeout(name):
    with start(name, "--write-timeout-ms", "500") as server:
        with server.connect(receive_buffer=4096) as dead, server.connect(receive_buffer=4096) as slow:
            for c in (dead, slow):
                c.s.setblocking(False)
            asked = {dead: 0, slow: 0}
            data = request("POST", "/echo", MEGA) * 8
            end = time.monotonic() + 1.5
            while time.monotonic() < end:
                for c in (dead, slow):
                    try:
                        asked[c] += c.s.send(data[asked[c]:asked[c] + 65536])
                    except (BlockingIOError, BrokenPipeError, ConnectionResetError):
                        pass
                try:
                    slow.held += slow.s.recv(16384)
                except BlockingIOError:
                    pass
                time.sleep(0.01)
            wait_for(lambda: server.stats()["write_timeouts"] == 1, "the dead client to be dropped")
            slow.s.settimeout(client.PATIENCE_S)
            assert slow.answer().body == MEGA


def connection_cap(name):
    with start(name, "--max-connections", "5") as server:
        held = [server.connect() for _ in range(5)]
        for c in held:
            c.send(request())
            assert c.answer().body == b"OK"
        waiting = server.connect()
        waiting.send(request())
        waiting.s.settimeout(0.4)
        try:
            early = waiting._more()
        except TimeoutError:
            early = False
        assert not early, "a sixth was let in"
        held.pop().s.close()
        waiting.s.settimeout(client.PATIENCE_S)
        assert waiting.answer().body == b"OK"


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (96, 96))


def out_of_descriptors(name):
    """More clients than descriptors: those who found none are served when others have left."""
    with start(name, preexec=few_descriptors) as server:
        clients = [server.connect() for _ in range(120)]
        for c in clients:
            c.send(request(Connection="close"))
        for c in clients:
            assert c.answer().body == b"OK"
            c.closed()


def no_threads_left(name):
    """Where no thread can be started the client waits; nothing is lost, and the log says it once."""
    if not shutil.which("strace"):
        return "no strace"
    prefix = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=clone3,clone:error=EAGAIN:when=3..6")
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        return "strace may not trace here"
    with client.Server("--stats", "/stats", prefix=prefix,
                       exe=client.release_program(name)) as server:
        for _ in range(8):
            assert server.get().body == b"OK"
        assert server.log().count("can't start a thread") == 1, server.log()
        os.kill(server.stats()["workers"][0]["pid"], signal.SIGTERM)
        server.process.wait(client.PATIENCE_S)
    return None


def ends_gracefully(name, number):
    with start(name) as server:
        with server.connect() as busy, server.connect() as idle:
            idle.send(request())
            idle.answer()
            busy.send(request("POST", "/echo", b"hello")[:-2])
            wait_for(lambda: server.stats()["bytes_in"] > 150, "the request to arrive")
            server.process.send_signal(number)
            idle.closed()
            assert server.process.poll() is None, "it didn't wait for the request"
            busy.send(b"lo")
            answer = busy.answer()
            assert answer.body == b"hello" and answer.field("connection") == "close", answer
            busy.closed()
        assert server.process.wait(client.PATIENCE_S) == 0


def ends_at_once(name):
    """The grace time is over, or it is told twice: what is open is broken off."""
    with start(name, "--grace-ms", "300") as server, server.connect() as c:
        c.send(b"GET /hea")
        wait_for(lambda: server.stats()["bytes_in"] > 8, "it to arrive")
        assert server.stop() == 0
    with start(name, "--grace-ms", "80000000") as server, server.connect() as c:
        c.send(b"GET /hea")
        wait_for(lambda: server.stats()["bytes_in"] > 8, "it to arrive")
        server.process.send_signal(signal.SIGTERM)
        wait_for(lambda: refuses(server), "the first signal to be taken")
        assert server.stop() == 0


def refuses(server):
    try:
        server.connect().s.close()
        return False
    except (ConnectionRefusedError, ConnectionResetError):  # reset: the listener closed while it queued
        return True


def bad_options(name):
    for option, says in (("--docroot=/tmp", "unknown option"), ("--engine=epoll", "unknown option"),
                         ("--seccomp", "unknown option"), ("--port=x", "not a number"),
                         ("--prot=1", "unknown option"), ("--no-keepalive=1", "takes no value"),
                         ("--workers=0", "not a number" if name == "threads" else "unknown option")):
        done = subprocess.run([client.program(name), "--port", "0", option], capture_output=True,
                              text=True, timeout=client.PATIENCE_S, check=False)
        lines = done.stderr.splitlines()
        assert done.returncode == 2 and len(lines) == 1 and says in lines[0], (option, done)
    shown = subprocess.run([client.program(name), "--help"], capture_output=True, text=True,
                           check=True).stdout
    assert "--no-keepalive" in shown and "--docroot" not in shown, shown
    assert ("--workers" in shown) == (name == "threads"), shown


def port_taken(name):
    with start(name) as server:
        done = subprocess.run([client.program(name), "--port", str(server.port)], capture_output=True,
                              text=True, timeout=client.PATIENCE_S, check=False)
        assert done.returncode == 1 and "Address already in use" in done.stderr, done


def listeners(name):
    """threads: one for each accept worker, and all of them let clients in."""
    with start("threads", "--workers", "3") as server:
        listing = subprocess.run(["ss", "-Hltn", f"sport = :{server.port}"], capture_output=True,
                                 text=True, check=True).stdout
        assert len(listing.splitlines()) == 3, listing
        clients = [server.connect() for _ in range(64)]
        for c in clients:
            c.send(request())
        for c in clients:
            assert c.answer().body == b"OK"
            c.s.close()


def calls_per_request(name):
    """threads: a receive and a send; uv: a wait, a read and a write, and a read that finds nothing."""
    if not shutil.which("strace"):
        return "no strace"
    with client.Server(exe=client.release_program(name)) as server, server.connect() as c:
        c.send(request())
        c.answer()
        tids = os.listdir(f"/proc/{server.process.pid}/task")
        out = os.path.join(client.tempfile.mkdtemp(), "calls")
        tracer = subprocess.Popen(["strace", "-qq", "-o", out, *[x for t in tids for x in ("-p", t)]],
                                  stderr=subprocess.PIPE, text=True)
        try:
            wait_for(lambda: all("TracerPid:\t0" not in open(
                f"/proc/{server.process.pid}/task/{t}/status", encoding="ascii").read()
                for t in tids) or tracer.poll() is not None, "strace to attach")
            if tracer.poll() is not None:
                return "strace may not trace here"
            for _ in range(100):
                c.send(request())
                c.answer()
        finally:
            tracer.send_signal(signal.SIGINT)
            tracer.wait(client.PATIENCE_S)
        with open(out, encoding="ascii", errors="replace") as f:
            names = [m.group(1) for m in re.finditer(r"^(?:\d+ +)?(\w+)\(", f.read(), re.MULTILINE)]
        shutil.rmtree(os.path.dirname(out))
    counts = {n: names.count(n) for n in set(names)}
    per_request = {n for n, k in counts.items() if k >= 90}
    wanted = {"recvfrom", "sendto"} if name == "threads" else {"epoll_wait", "read", "write"}
    assert per_request == wanted, counts
    return None


def main():
    tap = client.Tap()
    for name in DESIGNS:
        if not os.path.exists(client.program(name)):
            tap.check(f"{name} is not built", lambda: "its library is missing")
            continue
        tests = [answers_like_the_reactor, byte_by_byte, thousand_at_once, slow_reader,
                 flood_without_reading, dead_clients, without_keepalive, many_clients, deadlines,
                 write_timeout, connection_cap, out_of_descriptors, ends_at_once, bad_options,
                 port_taken, calls_per_request]
        if name == "threads":
            tests += [listeners, no_threads_left]
        for test in tests:
            tap.check(f"{name} {test.__name__.replace('_', ' ')}", test, name)
        for number in (signal.SIGTERM, signal.SIGINT):
            tap.check(f"{name} ends gracefully on {number.name}", ends_gracefully, name, number)
    tap.done()


main()
