"""soak: minutes of everything at once against one server: pipelines, files, chunked bodies, resets,
stalls, half-closes, nonsense. Every answer is checked; afterwards the server must be as it was.

    python3 servers/tests/soak.py [SECONDS [ENGINE ...]]     (see scripts/soak)

Memory is compared between two rests, one after a warm-up that has touched everything, one at the
end; it is sampled in between too. ASan's quarantine is kept small, for it would grow all the time;
what is leaked is LeakSanitizer's to say, when the server ends."""

import os
import random
import socket
import statistics
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import client  # noqa: E402
from client import request, wait_for  # noqa: E402

THREADS = 12
WARM_UP = 0.25  # of the time
GROWTH_KB = 4096  # of a server with ASan, at rest; of its median under load
IDLE = 200  # connections, held open when memory is compared
LARGE = bytes(range(256)) * 32768
SMALL = {"/health": b"OK", "/small.txt": b"small file\n", "/five.bin": b"12345", "/empty.txt": b""}
TIMEOUTS = ("--header-timeout-ms", "700", "--body-timeout-ms", "700", "--idle-timeout-ms", "30000",
            "--write-timeout-ms", "3000", "--linger-timeout-ms", "500")


def pipeline(server, rng):
    with server.connect() as c:
        for _ in range(rng.randint(1, 4)):
            paths = rng.choices(list(SMALL), k=rng.choice((1, 2, 16, 150)))
            c.send(b"".join(request(path=p) for p in paths))
            for path in paths:
                assert c.answer().body == SMALL[path], path


def take_large(c):
    """The answer with all of the large file, without copying what has come again and again."""
    answer = c.answer(head=True)
    parts, left = [c.held[:len(LARGE)]], len(LARGE) - len(c.held)
    c.held = c.held[len(LARGE):]
    while left > 0:
        parts.append(c.s.recv(min(left, 1 << 20)))
        assert parts[-1], f"closed {left} bytes before the end of the file"
        left -= len(parts[-1])
    assert b"".join(parts) == LARGE, "another file"
    return answer


def files(server, rng):
    with server.connect(receive_buffer=rng.choice((None, 4096))) as c:
        c.send(request(path="/large.bin"))
        answer = take_large(c)
        first = rng.randrange(len(LARGE))
        last = min(len(LARGE) - 1, first + rng.randrange(300000))
        c.send(request(path="/large.bin", Range=f"bytes={first}-{last}")
               + request(path="/large.bin", If_None_Match=answer.field("etag"))
               + request("HEAD", "/large.bin") + request(path="/missing"))
        part = c.answer()
        assert part.status == 206 and part.body == LARGE[first:last + 1], (first, last)
        assert c.answer().status == 304
        assert c.answer(head=True).field("content-length") == str(len(LARGE))
        assert c.answer().status == 404


def chunked_echo(server, rng):
    with server.connect() as c:
        for _ in range(rng.randint(1, 5)):
            body = rng.randbytes(rng.choice((0, 1, 100, 5000, 200000)))
            step = rng.choice((1 + len(body) // 50, 4096, 70000))
            started = time.monotonic()
            c.send(b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            for i in range(0, len(body), step):
                piece = body[i:i + step]
                c.send(b"%x;ext=1\r\n%b\r\n" % (len(piece), piece))
            c.send(b"0\r\nTrailer: t\r\n\r\n")
            answer = c.answer()
            if answer.status == 408 and time.monotonic() - started > 0.7:
                return  # this machine was too busy for us to send it in time: --body-timeout-ms
            assert answer.status == 200 and answer.body == body, \
                f"{answer.status}, {len(answer.body)} bytes where {len(body)} were sent"


def reset(server, rng):
    c = server.connect()
    c.send(rng.choice((b"", b"GET /hea", request(path="/large.bin") * 3, request() * 50,
                       request("POST", "/echo", b"x" * 9000)[:-5])))
    if rng.random() < 0.5:
        time.sleep(rng.random() / 20)
    c.reset()


def stall(server, rng):
    """Half a request, and then nothing: 408."""
    with server.connect() as c:
        c.send(rng.choice((b"GET /health HT", request("POST", "/echo", b"hello")[:-1],
                           b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n")))
        assert c.answer().status == 408
        c.closed()


def slow_reader(server, rng):
    """Takes a little of much, then all of it or nothing more: then it is dropped."""
    with server.connect(receive_buffer=4096) as c:
        c.send(request(path="/large.bin"))
        for _ in range(rng.randint(1, 20)):
            c._more()
            time.sleep(0.01)
        if rng.random() < 0.5:
            take_large(c)
        else:
            time.sleep(rng.random() * 4)


def half_close(server, rng):
    """Ends its direction, perhaps in the middle of a request: all whole ones are answered."""
    count = rng.randint(1, 30)
    with server.connect() as c:
        c.send(request() * count + rng.choice((b"", b"GET /hal")))
        c.s.shutdown(socket.SHUT_WR)
        for _ in range(count):
            assert c.answer().body == b"OK"
        c.closed()


def nonsense(server, rng):
    with server.connect() as c:
        c.send(request() + rng.choice((b"BAD\r\n\r\n", b"GET /x HTTP/1.1\r\n\r\n", b"\x16\x03\x01\r\n\r\n",
                                       b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n")))
        assert c.answer().body == b"OK"
        assert c.answer().status == 400
        c.closed()


DEEDS = ((pipeline, 6), (files, 2), (chunked_echo, 4), (reset, 4), (stall, 1), (slow_reader, 1),
         (half_close, 3), (nonsense, 2))


class Load:
    """Threads that do deeds until told to stop. The first failure is kept."""

    def __init__(self, server, seed):
        self.server, self.over, self.failure = server, threading.Event(), None
        self.done = {deed.__name__: 0 for deed, _ in DEEDS}
        self.threads = [threading.Thread(target=self._run, args=(random.Random(seed * 1000 + i), i))
                        for i in range(THREADS)]

    def _run(self, rng, index):
        deeds, weights = zip(*DEEDS)
        deed = deeds[index % len(deeds)]  # so that none is left out, however short the time is
        while not self.over.is_set():
            try:
                deed(self.server, rng)
                self.done[deed.__name__] += 1
                deed = rng.choices(deeds, weights)[0]
            except Exception as problem:  # whatever it is, it is the finding
                self.failure = self.failure or f"{deed.__name__}: {type(problem).__name__}: {problem}"
                self.over.set()

    def go(self, seconds):
        """Memory in KB, sampled while it runs."""
        samples, end = [], time.monotonic() + seconds
        for thread in self.threads:
            thread.start()
        while time.monotonic() < end and not self.over.wait(0.25):
            samples.append(memory_kb(self.server))
        self.over.set()
        for thread in self.threads:
            thread.join()
        assert not self.failure, f"{self.failure}\n{self.server.log()}"
        return samples


def memory_kb(server):
    with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def rest(server):
    """Nobody is there; then a fixed number of idle connections. Descriptors, memory in KB."""
    wait_for(lambda: server.stats()["connections_open"] == 1, "all connections to be forgotten")
    fds = wait_for_steady(lambda: descriptors(server))
    held = [server.connect() for _ in range(IDLE)]
    for c in held:
        c.send(request("POST", "/echo", b"x" * 100))
    for c in held:
        assert c.answer().body == b"x" * 100
    kb = memory_kb(server)
    for c in held:
        c.s.close()
    return fds, kb


def wait_for_steady(look):
    """The stats' own connection may still be closing."""
    seen = []
    wait_for(lambda: seen.append(look()) or (len(seen) > 5 and len(set(seen[-5:])) == 1), "steadiness")
    return seen[-1]


def soak(engine, root, seconds, seed):
    """A line of what was seen; AssertionError: what was wrong."""
    os.environ["ASAN_OPTIONS"] = "quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
    with client.Server("--engine", engine, "--docroot", root, "--stats", "/stats", *TIMEOUTS) as server:
        Load(server, seed).go(seconds * WARM_UP)
        fds, before = rest(server)
        load = Load(server, seed + 1)
        samples = load.go(seconds * (1 - WARM_UP))
        fds_after, after = rest(server)
        stats = server.stats()
        idle = [name for name, count in load.done.items() if not count]
        third = max(1, len(samples) // 3)
        early, late = statistics.median(samples[:third]), statistics.median(samples[-third:])
        assert not idle, f"never done: {idle}"
        assert fds_after == fds, f"{fds} descriptors at first, {fds_after} at the end"
        assert after - before <= GROWTH_KB, f"memory at rest: {before} KB, then {after} KB"
        assert late - early <= max(GROWTH_KB, early // 10), f"memory: {early} KB, then {late} KB"
        assert stats["connections_open"] == 1, stats
    return (f"{engine}: {seconds:.0f} s, {stats['requests']} requests on {stats['connections_opened']} "
            f"connections, memory at rest {before} KB and {after} KB, under load {early:.0f} KB and "
            f"{late:.0f} KB, descriptors {fds} and {fds_after}, deeds {load.done}")


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600
    engines = sys.argv[2:] or client.ALL_ENGINES
    seed, failed = int(os.environ.get("SEED", time.time())), 0
    with client.docroot() as root:
        for engine in engines:
            try:
                print(soak(engine, root, seconds, seed), flush=True)
            except AssertionError as problem:
                print(f"{engine}: FAILED (SEED={seed}): {problem}", file=sys.stderr, flush=True)
                failed = 1
    sys.exit(failed)


if __name__ == "__main__":
    main()
