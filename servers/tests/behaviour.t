#!/usr/bin/python3
"""behaviour: what can't be written as a request and its answer: slow, dead, silent and half-closed
clients, descriptors running out, files changing under an answer. On every engine."""

import os
import resource
import selectors
import socket
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import client  # noqa: E402
from client import request, wait_for  # noqa: E402

LARGE = bytes(range(256)) * 32768


def sockets(server):
    """Open sockets of the server, and all its other descriptors."""
    folder = f"/proc/{server.process.pid}/fd"
    kinds = []
    for fd in os.listdir(folder):
        try:
            kinds.append(os.readlink(f"{folder}/{fd}").startswith("socket:"))
        except FileNotFoundError:
            pass  # closed in the meantime
    return sum(kinds), len(kinds) - sum(kinds)


def cpu_s(server):
    with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def alive(server):
    assert server.get().body == b"OK"


def resets_in_mid_answer(server):
    """S01: 200 clients take 1 KiB of a large file and reset."""
    assert len(server.get("/large.bin").body) == len(LARGE)  # from now on its file stays open
    wait_for(lambda: sockets(server)[0] == 1, "only the listener to be open")
    before = sockets(server)
    for _ in range(200):
        c = server.connect()
        c.send(request(path="/large.bin"))
        c.take(1024)
        c.reset()
    alive(server)
    wait_for(lambda: sockets(server) == before, "the descriptors to come back")


def reset_storm(server):
    """Clients that connect and reset at once, some with half a request."""
    for i in range(500):
        c = server.connect()
        if i % 2:
            c.send(b"GET /health HT")
        c.reset()
    alive(server)
    wait_for(lambda: server.stats()["connections_open"] == 1, "the connections to be forgotten")


def slow_reader_then_second_request(server):
    """S02: 8 MiB into a small window, with pauses, then one more request on the same connection."""
    with server.connect(receive_buffer=4096) as c:
        c.send(request(path="/large.bin"))
        time.sleep(0.2)
        answer_body = b""
        while b"\r\n\r\n" not in c.held:
            c._more()
        head, c.held = c.held.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 200")
        while len(answer_body) < len(LARGE):
            step = min(4096 if len(answer_body) < 65536 else 262144, len(LARGE) - len(answer_body))
            answer_body += c.take(step)
            if len(answer_body) <= 65536:
                time.sleep(0.01)
        assert answer_body == LARGE
        c.send(request())
        assert c.answer().body == b"OK"


def thousand_at_once(server):
    """S04: 1000 requests in one send; more answers than fit into any buffer."""
    paths = ["/health", "/json", "/small.txt"]
    wanted = [b"OK", None, b"small file\n"]
    with server.connect() as c:
        c.send(b"".join(request(path=paths[i % 3]) for i in range(1000)))
        for i in range(1000):
            answer = c.answer()
            assert answer.status == 200 and wanted[i % 3] in (None, answer.body), (i, answer)
        c.send(request())
        assert c.answer().body == b"OK"


def pipelined_behind_large(server):
    """Requests that arrive while a large answer is under way wait for their turn."""
    with server.connect(receive_buffer=4096) as c:
        c.send(request(path="/large.bin"))
        time.sleep(0.1)
        c.send(request() * 300 + request("POST", "/echo", b"x" * 40000) + request())
        assert c.answer().body == LARGE
        for _ in range(300):
            assert c.answer().body == b"OK"
        assert c.answer().body == b"x" * 40000
        assert c.answer().body == b"OK"


def large_in_turns(server):
    """Many large answers at once, some of whose clients reset in the middle: all the others are
    whole, and what was pipelined behind them follows."""
    clients = [server.connect() for _ in range(24)]
    ready = selectors.DefaultSelector()
    for i, c in enumerate(clients):
        c.got = bytearray()
        c.send(request(path="/large.bin") + request() * (i % 3))
        ready.register(c.s, selectors.EVENT_READ, (i, c))
    while ready.get_map():
        events = ready.select(client.PATIENCE_S)
        assert events, "nothing more came"
        for key, _ in events:
            i, c = key.data
            c.got += c.s.recv(262144)
            if i % 4 == 3 and len(c.got) > i * 100000:
                ready.unregister(c.s)
                c.reset()
            elif i % 4 != 3 and len(c.got) > len(LARGE) and c.got.count(b"\r\n\r\nOK") == i % 3:
                ready.unregister(c.s)
    for i, c in enumerate(clients):
        if i % 4 != 3:
            c.held = bytes(c.got)
            assert c.answer().body == LARGE, f"client {i}"
            assert [c.answer().body for _ in range(i % 3)] == [b"OK"] * (i % 3) and not c.held
            c.s.close()
    alive(server)


def flood_without_reading(server):
    """A client that only sends: memory stays bounded, others are served."""
    with server.connect(receive_buffer=4096) as c:
        c.s.setblocking(False)
        sent, data = 0, request(path="/mega.bin") * 1000
        quiet = time.monotonic() + 1
        while time.monotonic() < quiet and sent < 64 << 20:
            try:
                sent += c.s.send(data)
                quiet = time.monotonic() + 1
            except BlockingIOError:
                time.sleep(0.05)
        assert sent < 32 << 20, f"{sent} bytes of requests were taken in"
        alive(server)


def big_bodies(server):
    """Bodies of all sizes come back, by length and chunked."""
    for n in (1, 4095, 4160, 16384, 16385, 65536, 100000, 1048576):
        body = os.urandom(n)
        with server.connect() as c:
            c.send(request("POST", "/echo", body))
            assert c.answer().body == body, n
            pieces = [body[i:i + 5000] for i in range(0, n, 5000)]
            c.send(b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            for piece in pieces:
                c.send(b"%x;e\r\n%b\r\n" % (len(piece), piece))
            c.send(b"0\r\nT: v\r\n\r\n" + request())
            assert c.answer().body == body, n
            assert c.answer().body == b"OK"


def uncopied_resets(server):
    """Memory that the kernel sends from outlives a client that resets in the middle."""
    for _ in range(50):
        c = server.connect(receive_buffer=4096)
        c.send(request("POST", "/echo", os.urandom(1000000)))
        c.take(1000)
        c.reset()
    wait_for(lambda: server.stats()["connections_open"] == 1, "the connections to be forgotten")


def many_on_one_connection(server):
    """F01: no number of requests ends a connection."""
    with server.connect() as c:
        for _ in range(25):
            c.send(request() * 100)
            for _ in range(100):
                assert c.answer().field("connection") is None


def no_delayed_steps(server):
    """F06: answers on a kept connection don't wait for a delayed acknowledgement (40 ms)."""
    with server.connect() as c:
        for size in (5, 1024, 65536):
            best = 1.0
            for _ in range(20):
                start = time.monotonic()
                c.send(request("POST", "/echo", b"x" * size))
                assert len(c.answer().body) == size
                best = min(best, time.monotonic() - start)
            assert best < 0.03, f"{size} bytes: {best * 1000:.1f} ms at best"


def expect_waits_for_100(server):
    """S19, F12: the body is only sent after 100."""
    for wish in ("100-continue", "100-CONTINUE"):
        with server.connect() as c:
            c.send(request("POST", "/echo", b"x" * 2000, Expect=wish)[:-2000])
            assert c.answer().status == 100
            c.send(b"x" * 2000 + request())
            assert c.answer().body == b"x" * 2000
            assert c.answer().body == b"OK"
    with server.connect() as c:
        c.send(b"POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
               b"Transfer-Encoding: chunked\r\n\r\n")
        assert c.answer().status == 100
        c.send(b"2\r\nhi\r\n0\r\n\r\n")
        assert c.answer().body == b"hi"


def refused_before_the_body(server):
    """S32: a client that keeps on sending still reads why it was refused."""
    for _ in range(20):
        with server.connect() as c:
            c.send(b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 900000000\r\n\r\n")
            for _ in range(20):
                try:
                    c.send(b"x" * 10000)
                except (BrokenPipeError, ConnectionResetError):
                    break
            assert c.answer().status == 413
            c.closed()


def half_closed(server):
    """S26: a client that ends its direction gets all its answers, then the end."""
    for sent, answers in ((request(), [b"OK"]), (request(path="/large.bin"), [LARGE]),
                          (request() * 3 + request("POST", "/echo", b"hi"), [b"OK"] * 3 + [b"hi"]),
                          (request(path="/mega.bin") * 3, [b"m" * 1048576] * 3)):
        with server.connect() as c:
            c.send(sent)
            c.s.shutdown(socket.SHUT_WR)
            for wanted in answers:
                assert c.answer().body == wanted
            c.closed()


def half_closed_in_mid_request(server):
    """The end in the middle of a head or body: nothing to answer, closed."""
    for part in (b"GET /hea", request("POST", "/echo", b"hello")[:-2]):
        with server.connect() as c:
            c.send(part)
            c.s.shutdown(socket.SHUT_WR)
            c.closed()


def file_shrinks(server, root):
    """S30: truncated in mid answer: closed short, never padded; the server lives."""
    path = os.path.join(root, "shrinks.bin")
    with open(path, "wb") as f:
        f.write(b"s" * (8 << 20))
    with server.connect(receive_buffer=4096) as c:
        c.send(request(path="/shrinks.bin"))
        while b"\r\n\r\n" not in c.held:
            c._more()
        os.truncate(path, 0)
        c.held = c.held.split(b"\r\n\r\n", 1)[1]
        got = 0
        try:
            while c.held or c._more():
                assert set(c.held) <= set(b"s"), "bytes that were not in the file"
                got += len(c.held)
                c.held = b""
        except ConnectionResetError:
            pass
        assert got < 8 << 20, "the whole file, although it was truncated"
    os.unlink(path)
    alive(server)


def file_changes(server, root):
    """A changed file is seen once the cache's time is over; a deleted one is gone."""
    path = os.path.join(root, "changes.txt")
    for content in (b"one", b"another", b"x" * 100000, b"three"):
        with open(path + ".new", "wb") as f:
            f.write(content)
        os.rename(path + ".new", path)
        wait_for(lambda: server.get("/changes.txt").body == content, "the new content")
    tag = server.get("/changes.txt").field("etag")
    assert server.get("/changes.txt", If_None_Match=tag).status == 304
    assert server.get("/changes.txt", If_Range=tag, Range="bytes=0-1").body == b"th"
    os.unlink(path)
    wait_for(lambda: server.get("/changes.txt").status == 404, "the file to be gone")
    os.mkfifo(path)
    assert server.get("/changes.txt").status == 403
    os.unlink(path)


def counters_add_up(server):
    """The server's own count equals the client's."""
    before = server.stats()
    with server.connect() as c:
        for _ in range(10):
            c.send(request() + request(path="/missing"))
            c.answer()
            c.answer()
        c.send(b"BAD\r\n\r\n")
        c.answer()
    after = server.stats()
    changes = {k: after[k] - before[k] for k in after if isinstance(after[k], int)}
    wanted = {"requests": 22, "status_2xx": 11, "status_4xx": 11, "malformed": 1, "errors": 1,
              "connections_opened": 2, "timeouts": 0}
    assert {k: changes[k] for k in wanted} == wanted, changes


def header_timeout(server):
    """S28: silent and dripping clients get 408 in time; good ones are served throughout."""
    started = time.monotonic()
    silent = [server.connect() for _ in range(200)]
    for c in silent:
        c.send(b"GET / HT")
    dripping = server.connect()
    dripped, head = 0, request(path="/" + "d" * 60)
    answered = False
    while not answered and dripped < len(head) - 5:
        dripping.send(head[dripped:dripped + 1])
        dripped += 1
        alive(server)
        time.sleep(0.1)
        dripping.s.settimeout(0.001)
        try:
            answered = dripping._more()
        except (TimeoutError, socket.timeout):
            pass
        except ConnectionResetError:
            answered = True
    assert answered, "bytes that drip in wind the clock up again"
    for c in silent:
        with c:
            assert c.answer().status == 408
            c.closed()
    assert time.monotonic() - started >= 1, "before its time"
    dripping.s.close()


def body_timeout(server):
    with server.connect() as c:
        c.send(request("POST", "/echo", b"hello")[:-1])
        assert c.answer().status == 408
        c.closed()


def idle_timeout(server):
    with server.connect() as fresh, server.connect() as used:
        used.send(request())
        used.answer()
        fresh.closed()
        used.closed()


def write_timeout(server):
    """A client that takes nothing is dropped; one that is only slow is not."""
    with server.connect(receive_buffer=4096) as dead, server.connect(receive_buffer=4096) as slow:
        dead.send(request(path="/large.bin"))
        slow.send(request(path="/large.bin"))
        end = time.monotonic() + 3.5
        while time.monotonic() < end:
            slow.held += slow.s.recv(65536)
            time.sleep(0.1)
        wait_for(lambda: server.stats()["write_timeouts"] == 1, "the dead client to be dropped")
        assert slow.answer().body == LARGE


def connection_cap(server):
    """At the cap clients wait in the queue, and get in when another leaves."""
    held = []
    for _ in range(10):
        c = server.connect()
        c.send(request())
        c.answer()
        held.append(c)
    waiting = server.connect()
    waiting.send(request())
    waiting.s.settimeout(0.5)
    try:
        early = waiting._more()
    except (TimeoutError, socket.timeout):
        early = False
    assert not early, "an eleventh was let in"
    held.pop().s.close()
    waiting.s.settimeout(client.PATIENCE_S)
    assert waiting.answer().body == b"OK"
    for c in (*held, waiting):
        c.s.close()


def out_of_descriptors(server):
    """S24: more clients than descriptors for 3 s: no spinning, one line in the log, then service."""
    clients = [server.connect() for _ in range(60)]
    time.sleep(0.3)
    before = cpu_s(server)
    time.sleep(3)
    used = cpu_s(server) - before
    assert used < 0.3, f"{used:.2f} s of CPU in 3 s"
    lines = server.log().count("can't accept")
    assert lines == 1, f"{lines} lines in the log:\n{server.log()}"
    for c in clients:
        c.s.close()
    alive(server)


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))


SERVER_TESTS = (resets_in_mid_answer, reset_storm, slow_reader_then_second_request, thousand_at_once,
                pipelined_behind_large, large_in_turns, flood_without_reading, big_bodies, many_on_one_connection,
                no_delayed_steps, expect_waits_for_100, refused_before_the_body, half_closed,
                half_closed_in_mid_request, counters_add_up)
UNCOPIED_TESTS = (big_bodies, uncopied_resets, half_closed, refused_before_the_body, counters_add_up)
TIME_TESTS = ((header_timeout, "--header-timeout-ms"), (body_timeout, "--body-timeout-ms"),
              (idle_timeout, "--idle-timeout-ms"), (write_timeout, "--write-timeout-ms"))


def on_engine(tap, engine, root):
    common = ("--engine", engine, "--docroot", root, "--stats", "/stats")

    def run(tests, *options, **how):
        with client.Server(*common, *options, **how) as server:
            for test, *args in tests:
                tap.check(f"{engine} {test.__name__.replace('_', ' ')}", test, server, *args)

    def all_of_them():
        run([(t,) for t in SERVER_TESTS] + [(file_shrinks, root), (file_changes, root)],
            "--file-check-ms", "50")
        for test, flag in TIME_TESTS:
            run([(test,)], flag, "1000")
        run([(connection_cap,)], "--max-connections", "10")
        if engine == "uring":
            run([(t,) for t in UNCOPIED_TESTS], "--zerocopy", "16384")
        run([(out_of_descriptors,)], "--max-connections", "1000", preexec=few_descriptors,
            exe=client.release_program())

    tap.check(f"{engine} servers start and end cleanly", all_of_them)


def main():
    tap = client.Tap()
    with client.docroot() as root:
        for engine in client.ALL_ENGINES:
            on_engine(tap, engine, root)
    tap.done()


main()
