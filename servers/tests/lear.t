#!/usr/bin/python3
"""lear: the static server over real sockets: what it answers, what it refuses, what is in its memory
and when, how it starts, loses workers and ends."""

import contextlib
import gzip
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import client  # noqa: E402
from client import request, wait_for  # noqa: E402

TEXT = b"".join(b"<p>line %d of a page that is worth compressing\n" % i for i in range(2000))
NOISE = os.urandom(20000)
LARGE = os.urandom(256) * 12000  # 3 MB: more than a socket's buffers hold
PAGE = 4096


class Lear(client.Lear):
    """lear on a folder. It leaves no descriptor and no child."""

    def __init__(self, root, code=0, exe=None, **settings):
        settings.setdefault("site", {})["root"] = root
        super().__init__(exe or client.program("lear"), code, **settings)

    def ask_all(self, path, count):
        """Asks on new connections until each worker has answered (the kernel spreads them)."""
        def each_had_one():
            before = {w["pid"]: w["requests"] for w in self.stats()["workers"]}
            for _ in range(20):
                assert self.get(path).status == 200
            return [p for p, n in before.items() if p and self.requests(p) > n + 1] and all(
                self.requests(p) > n for p, n in before.items())
        self.workers(count)
        wait_for(each_had_one, "every worker to answer")

    def requests(self, pid):
        return sum(w["requests"] for w in self.stats()["workers"] if w["pid"] == pid)


def mapped(pid):
    """(offset, length) of what a process has mapped of the shared memory."""
    found = []
    with open(f"/proc/{pid}/maps", encoding="ascii") as f:
        for line in f:
            if "/memfd:lear" in line:
                span, how, at = line.split()[:3]
                first, last = (int(x, 16) for x in span.split("-"))
                assert how == "r--s", f"writable: {line}"
                found.append((int(at, 16), last - first))
    return sorted(found)


def kept(pid):
    """Bytes that the shared memory really takes."""
    for fd in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{fd}"
        if "memfd:lear" in os.readlink(path):
            return os.stat(path).st_blocks * 512
    raise AssertionError("there is no shared memory")


def pages(*sizes):
    return sum((n + PAGE - 1) // PAGE * PAGE for n in sizes)


def write(root, name, data):
    """Atomically; old enough to be kept in memory (a file of this very moment isn't)."""
    path = os.path.join(root, name)
    with open(path + ".new", "wb") as f:
        f.write(data)
    os.rename(path + ".new", path)
    return path


@contextlib.contextmanager
def site():
    with tempfile.TemporaryDirectory(prefix="lear-test-") as top:
        os.chmod(top, 0o755)
        root = os.path.join(top, "www")
        for folder in ("www", "www/dir", "www/empty", "www2", "www/.hidden"):
            os.mkdir(os.path.join(top, folder))
        for name, data in {
                "www/small.txt": b"small file\n", "www/empty.txt": b"", "www/index.html": TEXT,
                "www/dir/index.html": b"<p>dir\n", "www/404.html": b"<p>no such page\n",
                "www/noise.bin": NOISE, "www/noise.txt": NOISE, "www/large.bin": LARGE,
                "www/a b.txt": b"blank\n", "www/%2e.txt": b"percent\n", "www/app.js": TEXT,
                "www/exact.bin": b"e" * PAGE, "www/16k.bin": b"k" * 16384, "www/17k.bin": b"k" * 16385,
                "www2/x": client.SECRET, "secret.txt": client.SECRET}.items():
            with open(os.path.join(top, name), "wb") as f:
                f.write(data)
        os.symlink("../secret.txt", os.path.join(root, "leak.txt"))
        os.symlink("/etc/passwd", os.path.join(root, "passwd"))
        os.symlink("..", os.path.join(root, "up"))
        os.symlink("/proc/self/cwd", os.path.join(root, "magic"))
        os.symlink("small.txt", os.path.join(root, "link.txt"))
        os.symlink("loop", os.path.join(root, "loop"))
        os.mkfifo(os.path.join(root, "fifo"))
        time.sleep(0.15)  # what is younger isn't kept in memory yet
        yield root


def answers(server):
    for path, body, kind in (
            ("/small.txt", b"small file\n", "text/plain"), ("/empty.txt", b"", "text/plain"),
            ("/", TEXT, "text/html"), ("/index.html", TEXT, "text/html"),
            ("/dir/", b"<p>dir\n", "text/html"), ("/noise.bin", NOISE, "application/octet-stream"),
            ("/large.bin", LARGE, "application/octet-stream"), ("/a%20b.txt", b"blank\n", "text/plain"),
            ("/%252e.txt", b"percent\n", "text/plain"), ("/link.txt", b"small file\n", "text/plain"),
            ("/app.js", TEXT, "text/javascript"), ("/small.txt?query=1", b"small file\n", "text/plain"),
            ("/dir/../small.txt", b"small file\n", "text/plain"),
            ("//small.txt", b"small file\n", "text/plain"), ("/%73mall.txt", b"small file\n", "text/plain"),
            ("/exact.bin", b"e" * PAGE, None), ("/16k.bin", b"k" * 16384, None),
            ("/17k.bin", b"k" * 16385, None)):
        for _ in range(2):  # brought in; found
            answer = server.get(path)
            assert (answer.status, answer.body) == (200, body), (path, answer.status)
            assert kind in (None, answer.field("content-type")), (path, answer)
            assert answer.field("date") and answer.field("etag") and answer.field("last-modified")
    answer = server.get("/dir")
    assert (answer.status, answer.field("location")) == (301, "/dir/"), answer


def methods(server):
    with server.connect() as c:
        for path in ("/small.txt", "/large.bin", "/missing", "/dir"):
            c.send(request("GET", path) + request("HEAD", path))
            whole, head = c.answer(), c.answer(head=True)
            whole.fields, head.fields = ([f for f in a.fields if f[0] != "date"]
                                         for a in (whole, head))
            assert (whole.status, whole.fields) == (head.status, head.fields), path
        for path in ("/small.txt", "/missing", "*"):
            c.send(request("OPTIONS", path))
            answer = c.answer()
            assert (answer.status, answer.body) == (204, b""), answer
            assert answer.field("allow").startswith("GET, HEAD, "), answer
        for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE"):
            c.send(request(method, "/small.txt", b"body"))
            answer = c.answer()
            assert (answer.status, answer.field("allow")) == (405, "GET, HEAD, OPTIONS"), answer
        c.send(request("GET", "/small.txt", b"a body that nobody wants") + request("GET", "/small.txt"))
        assert [c.answer().body, c.answer().body] == [b"small file\n"] * 2
    with server.connect() as c:
        c.send(request("BREW", "/small.txt"))
        assert c.answer().status == 501
        c.closed()


def conditions(server):
    for path in ("/small.txt", "/large.bin"):
        first = server.get(path)
        tag, date, size = first.field("etag"), first.field("last-modified"), len(first.body)
        for fields, status in (
                ({"If_None_Match": tag}, 304), ({"If_None_Match": f"W/{tag}"}, 304),
                ({"If_None_Match": f'"x", {tag}'}, 304), ({"If_None_Match": "*"}, 304),
                ({"If_None_Match": '"x"'}, 200), ({"If_Modified_Since": date}, 304),
                ({"If_Modified_Since": "Thu, 01 Jan 1970 00:00:00 GMT"}, 200),
                ({"If_Modified_Since": "yesterday"}, 200), ({"If_Match": tag}, 200),
                ({"If_Match": '"x"'}, 412), ({"If_Match": f"W/{tag}"}, 412),
                ({"If_Unmodified_Since": "Thu, 01 Jan 1970 00:00:00 GMT"}, 412),
                ({"If_None_Match": '"x"', "If_Modified_Since": date}, 200)):
            answer = server.get(path, **fields)
            assert answer.status == status, (path, fields, answer)
            assert status != 304 or (answer.field("etag") == tag and answer.body == b"")
        for span, status, want, says in (
                ("0-0", 206, first.body[:1], f"bytes 0-0/{size}"), ("-4", 206, first.body[-4:], None),
                ("3-", 206, first.body[3:], f"bytes 3-{size - 1}/{size}"),
                (f"{size - 1}-{size + 99}", 206, first.body[-1:], None),
                (f"{size}-", 416, None, f"bytes */{size}"), ("-0", 416, None, f"bytes */{size}"),
                ("5-3", 200, first.body, None), ("0-1,3-4", 200, first.body, None),
                ("x", 200, first.body, None)):
            answer = server.get(path, Range=f"bytes={span}")
            assert answer.status == status and want in (None, answer.body), (path, span, answer.status)
            assert says in (None, answer.field("content-range")), (path, span, answer.fields)
        assert server.get(path, Range="bytes=0-0", If_Range=tag).status == 206
        assert server.get(path, Range="bytes=0-0", If_Range='"x"').status == 200
    assert server.get("/missing", Range="bytes=0-0", If_None_Match="*").status == 404


ESCAPES = [
    "/../secret.txt", "/%2e%2e/secret.txt", "/%2E%2E/secret.txt", "/.%2e/secret.txt",
    "/..%2fsecret.txt", "/..%2Fsecret.txt", "/%2e%2e%2fsecret.txt", "/dir/../../secret.txt",
    "/dir/%2e%2e/%2e%2e/secret.txt", "/./../secret.txt", "//../secret.txt", "/dir//../../secret.txt",
    "/../www2/x", "/%2e%2e/www2/x", "/..", "/../", "/%2e%2e", "/dir/../..",
    "/%252e%252e/secret.txt", "/..%252fsecret.txt", "/%c0%ae%c0%ae/secret.txt",
    "/..%c0%afsecret.txt", "/..%5csecret.txt", "/..\\secret.txt", "/\\..\\secret.txt",
    "/%00", "/small.txt%00", "/small.txt%00.html", "/..%00/secret.txt", "/%2e%2e%00/secret.txt",
    "/leak.txt", "/passwd", "/up/secret.txt", "/up/www2/x", "/magic", "/magic/secret.txt", "/loop",
    "/dir/../up/secret.txt", "/up/up/secret.txt", "/%75p/secret.txt", "/fifo",
    "/etc/passwd", "//etc/passwd", "/%2fetc/passwd", "/%2f%2fetc%2fpasswd",
    "/file:///etc/passwd", "/proc/self/environ", "/small.txt/", "/small.txt/../../secret.txt",
    "/dir/%", "/dir/%2", "/dir/%zz", "/" + "../" * 50 + "etc/passwd", "/" + "a/" * 2000 + "x",
    "/" + "a" * 300, "http://x/../secret.txt", "http://x/%2e%2e/secret.txt",
]


def stays_inside(server):
    """Whatever is asked: no byte from outside, no 2xx, and the server goes on."""
    for path in ESCAPES:
        answer = server.get(path)
        assert 400 <= answer.status < 500, (path, answer)
        assert client.SECRET not in answer.body and b"root:" not in answer.body, path
    with server.connect() as c:
        for raw in (b"GET /small.txt\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
                    b"GET /\x00../secret.txt HTTP/1.1\r\nHost: x\r\n\r\n"):
            with server.connect() as c:
                c.send(raw)
                assert c.answer().status == 400
    assert server.get("/small.txt").status == 200


def plain_404(server):
    for path in ("/missing", "/missing.txt", "/empty/", "/dir/missing"):
        answer = server.get(path)
        assert (answer.status, answer.body) == (404, b"404 Not Found\n"), answer


def own_404(server):
    with server.connect() as c:
        for path in ("/missing", "/missing.txt", "/empty/", "/dir/missing/x"):
            for _ in range(2):
                c.send(request("GET", path, Range="bytes=0-1", If_None_Match="*")
                       + request("HEAD", path))
                answer = c.answer()
                assert (answer.status, answer.body) == (404, b"<p>no such page\n"), answer
                assert answer.field("content-type") == "text/html"
                assert answer.field("etag") is None and answer.field("accept-ranges") is None
                head = c.answer(head=True)
                assert (head.status, head.field("content-length")) == (404, "16"), head
    assert server.get("/404.html").status == 200
    assert server.get("/..").status == 400 and server.get("/leak.txt").status == 403


def single_page(server):
    """Routes of a page's script get the page; missing files stay missing."""
    tag = server.get("/").field("etag")
    for path in ("/users/7", "/about", "/deep/er/route/", "/a.b/c", "/%C3%BC"):
        answer = server.get(path)
        assert (answer.status, answer.body) == (200, TEXT), (path, answer.status)
        assert answer.field("content-type") == "text/html" and answer.field("etag") == tag
        assert server.get(path, If_None_Match=tag).status == 304
        assert gzip.decompress(server.get(path, Accept_Encoding="gzip").body) == TEXT
    for path in ("/missing.js", "/img/logo.png", "/.hid"):
        assert server.get(path).status == 404, path
    assert server.get("/dir").status == 301 and server.get("/dir/").body == b"<p>dir\n"
    assert server.get("/leak").status == 200 and server.get("/leak.txt").status == 403


def negotiates(server):
    for value, wants in (("gzip", True), ("gzip, deflate, br", True), ("*", True), ("gzip;q=0.5", True),
                         ("br;q=1, gzip;q=0.2", True), ("gzip;q=0", False), ("identity", False),
                         ("", False), ("deflate", False), ("*;q=0", False),
                         ("identity;q=1, gzip;q=0.5", False)):
        for path in ("/", "/app.js", "/index.html"):
            answer = server.get(path, Accept_Encoding=value)
            assert answer.status == 200 and answer.field("vary") == "Accept-Encoding", answer.fields
            assert answer.field("content-encoding") == ("gzip" if wants else None), (value, answer)
            body = gzip.decompress(answer.body) if wants else answer.body
            assert body == TEXT, (value, path)
            assert not wants or len(answer.body) < len(TEXT) / 2
    plain, packed = server.get("/"), server.get("/", Accept_Encoding="gzip")
    assert plain.field("etag") != packed.field("etag"), "two contents with one strong tag"
    for tag, coding, status in ((packed.field("etag"), "gzip", 304), (packed.field("etag"), "br", 200),
                                (plain.field("etag"), "gzip", 200), (plain.field("etag"), "br", 304)):
        answer = server.get("/", Accept_Encoding=coding, If_None_Match=tag)
        assert answer.status == status and answer.field("vary") == "Accept-Encoding", answer
    part = server.get("/", Accept_Encoding="gzip", Range="bytes=0-1")
    assert (part.status, part.body) == (206, b"\x1f\x8b"), part
    with server.connect() as c:
        c.send(request("HEAD", "/", Accept_Encoding="gzip"))
        head = c.answer(head=True)
        assert head.field("content-length") == str(len(packed.body)), head
        c.send(b"GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br\r\nAccept-Encoding: gzip\r\n\r\n")
        assert c.answer().field("content-encoding") == "gzip", "two lines are one list"


def not_compressed(server):
    """What wouldn't shrink: as it is; offered only where there is something to choose from."""
    for path, vary in (("/noise.bin", None), ("/noise.txt", "Accept-Encoding"), ("/small.txt", None),
                       ("/large.bin", None), ("/empty.txt", None)):
        answer = server.get(path, Accept_Encoding="gzip")
        assert answer.status == 200 and answer.field("content-encoding") is None, (path, answer.fields)
        assert answer.field("vary") == vary, (path, answer.fields)


def gzip_off(server):
    answer = server.get("/", Accept_Encoding="gzip")
    assert answer.body == TEXT and answer.field("vary") is None, answer.fields


def one_copy_for_all(root):
    """Three workers, one copy; every worker maps the same places."""
    with Lear(root, workers=3, site={"stats": "/stats"}, gzip={"on": False}) as server:
        for path in ("/large.bin", "/small.txt", "/noise.bin", "/link.txt"):
            server.ask_all(path, 3)
        workers = server.workers(3)
        maps = [mapped(pid) for pid in workers]
        assert maps[0] and maps.count(maps[0]) == 3, maps
        # link.txt is small.txt: mapped once more, but the same bytes (the kernel joins neighbours)
        assert sum(n for _, n in maps[0]) == pages(len(LARGE), 11, 11, len(NOISE)), maps
        assert kept(workers[0]) == pages(len(LARGE), 11, len(NOISE)), kept(workers[0])


def one_gzip_for_all(root):
    with Lear(root, workers=2, site={"stats": "/stats"}) as server:
        server.ask_all("/", 2)
        packed = len(server.get("/", Accept_Encoding="gzip").body)
        workers = server.workers(2)
        assert mapped(workers[0]) == mapped(workers[1]), (mapped(workers[0]), mapped(workers[1]))
        assert kept(workers[0]) == pages(len(TEXT), packed)


def gzip_tried_once(root):
    """That something doesn't shrink is remembered for all workers, and costs no memory."""
    with Lear(root, workers=2, site={"stats": "/stats"}) as server:
        server.ask_all("/noise.txt", 2)
        workers = server.workers(2)
        assert mapped(workers[0]) == mapped(workers[1]) == [(0, pages(len(NOISE)))]
        assert kept(workers[0]) == pages(len(NOISE))


def unmapped_when_idle(root):
    """Unused for the idle time: gone from every worker's maps and from memory. Used: stays."""
    with Lear(root, workers=2, site={"stats": "/stats"}, cache={"idle_ms": 1000}) as server:
        for path in ("/large.bin", "/", "/noise.bin"):
            server.ask_all(path, 2)
        workers = server.workers(2)
        end = time.monotonic() + 2.5
        while time.monotonic() < end:  # one worker's one file in use, by one connection
            with server.connect() as c:
                for _ in range(10):
                    c.send(request("GET", "/noise.bin"))
                    assert c.answer().body == NOISE
                    time.sleep(0.03)
        left = [n for pid in workers for _, n in mapped(pid)]
        assert set(left) == {pages(len(NOISE))} and left, left
        wait_for(lambda: not any(mapped(pid) for pid in workers), "the maps to go")
        wait_for(lambda: kept(workers[0]) == 0, "the memory to go back")
        assert server.get("/large.bin").body == LARGE and server.get("/").body == TEXT


def hurry(c):
    """A client that was slow on purpose reads on at full speed."""
    c.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)


def kept_while_sent(root):
    """What a slow client is still being sent isn't unmapped, however long it takes."""
    with Lear(root, cache={"idle_ms": 200}) as server:
        (pid,) = server.workers(1)
        with server.connect(receive_buffer=4096) as c:
            c.send(request("GET", "/large.bin"))
            while b"\r\n\r\n" not in c.held:
                c._more()
            time.sleep(1)
            assert mapped(pid) == [(0, pages(len(LARGE)))], mapped(pid)
            c.held = c.held.split(b"\r\n\r\n", 1)[1]
            hurry(c)
            assert c.take(len(LARGE)) == LARGE
        wait_for(lambda: not mapped(pid), "the map to go")


def body_or_none(server, path):
    """None where the server broke the answer off: its file got shorter since it was looked up."""
    try:
        return server.get(path).body
    except (AssertionError, ConnectionResetError):
        return None


def truncated_while_sent(root):
    """Of a file in memory the whole is sent, as it was; one from the disk ends short. Neither is padded,
    and nobody dies."""
    path = write(root, "shrinks.bin", b"")
    # The one from the disk is longer than what a socket may hold (tcp_wmem): else all may be sent.
    for most_kib, size, whole in ((8192, len(LARGE), True), (100, 12 << 20, False)):
        with open(path, "wb") as f:
            f.write(b"s" * size)
        time.sleep(0.15)
        with Lear(root, cache={"file_max_kib": most_kib, "check_ms": 20}) as server:
            (pid,) = server.workers(1)
            assert len(server.get("/shrinks.bin").body) == size
            with server.connect(receive_buffer=4096) as c:
                c.send(request("GET", "/shrinks.bin"))
                while b"\r\n\r\n" not in c.held:
                    c._more()
                os.truncate(path, 0)
                got = c.held.split(b"\r\n\r\n", 1)[1]
                c.held = b""
                try:
                    while len(got) < size and c._more():
                        got, c.held = got + c.held, b""
                except ConnectionResetError:
                    pass
                assert set(got) <= set(b"s"), "bytes that were never in the file"
                assert (len(got) == size) == whole, f"{len(got)} bytes"
            wait_for(lambda: body_or_none(server, "/shrinks.bin") == b"", "the empty file")
            assert server.workers(1) == [pid], f"a worker died:\n{server.log()}"
    os.unlink(path)


def changed_files(root):
    with Lear(root, workers=2, cache={"check_ms": 20}) as server:
        for content in (b"one", b"another" * 100, b"x" * 100000, b"three"):
            write(root, "changes.txt", content)
            wait_for(lambda: all(server.get("/changes.txt").body == content for _ in range(8)),
                     "the new content")
        time.sleep(0.2)
        assert all(server.get("/changes.txt").body == b"three" for _ in range(8))
        with open(os.path.join(root, "changes.txt"), "r+b") as f:
            f.write(b"THREE")  # in place, same length
        wait_for(lambda: all(server.get("/changes.txt").body == b"THREE" for _ in range(8)),
                 "what was written in place")
        os.unlink(os.path.join(root, "changes.txt"))
        wait_for(lambda: all(server.get("/changes.txt").status == 404 for _ in range(8)), "it to go")


def no_room(root):
    """More than the cache holds, or no cache: from the disk, and just as right."""
    for settings in ({"size_mib": 0}, {"size_mib": 1}, {"file_max_kib": 0}, {"check_ms": 0}):
        with Lear(root, workers=2, cache=settings) as server:
            for _ in range(6):
                assert server.get("/large.bin").body == LARGE
                assert server.get("/", Accept_Encoding="br").body == TEXT
                packed = server.get("/", Accept_Encoding="gzip")
                assert packed.body == TEXT or gzip.decompress(packed.body) == TEXT
            most = settings.get("size_mib", 64) << 20
            assert kept(server.workers(2)[0]) <= most


def many_files(root):
    """More files than the table has room for: right, and memory goes back."""
    os.mkdir(os.path.join(root, "many"))
    count = 3000
    for i in range(count):
        with open(os.path.join(root, "many", f"{i}.txt"), "wb") as f:
            f.write(b"%d\n" % i)
    time.sleep(0.15)
    with Lear(root, cache={"idle_ms": 1000}) as server:
        (pid,) = server.workers(1)
        with server.connect() as c:
            for _ in range(2):
                for start in range(0, count, 100):
                    c.send(b"".join(request("GET", f"/many/{i}.txt") for i in range(start, start + 100)))
                    for i in range(start, start + 100):
                        assert c.answer().body == b"%d\n" % i
        assert len(mapped(pid)) <= 1024 and kept(pid) <= 1024 * PAGE
        wait_for(lambda: not mapped(pid) and kept(pid) == 0, "all of them to go")


def descriptors_come_back(root):
    with Lear(root, cache={"file_max_kib": 1}) as server:
        (pid,) = server.workers(1)
        assert server.get("/large.bin").body == LARGE
        count = len(os.listdir(f"/proc/{pid}/fd"))
        for _ in range(50):
            c = server.connect()
            c.send(request("GET", "/large.bin"))
            c.take(1000)
            c.reset()
        wait_for(lambda: server.get("/small.txt").status == 200
                 and len(os.listdir(f"/proc/{pid}/fd")) <= count + 2, "the descriptors to come back")


def worker_dies(root):
    """Replaced, also when it was the only one; what it held is given back by its successor."""
    for count in (1, 2):
        with Lear(root, workers=count, site={"stats": "/stats"}, cache={"idle_ms": 500}) as server:
            server.ask_all("/large.bin", count)
            before = server.workers(count)
            os.kill(before[0], signal.SIGKILL)
            wait_for(lambda: f"(pid {before[0]}) died: signal 9" in server.log(), "the reason")
            wait_for(lambda: before[0] not in server.workers(count), "the replacement")
            assert server.get("/large.bin").body == LARGE
            server.ask_all("/small.txt", count)
            workers = server.workers(count)
            wait_for(lambda: kept(workers[0]) == 0, "the dead worker's memory to go back")


def idle_connections_dropped(root):
    """By a worker that has nothing else to do; the original looked only when something happened."""
    with Lear(root, timeouts={"idle_ms": 500, "header_ms": 500}) as server:
        with server.connect() as fresh, server.connect() as used, server.connect() as half:
            used.send(request("GET", "/small.txt"))
            assert used.answer().status == 200
            half.send(b"GET /small")
            fresh.closed()
            used.closed()
            assert half.answer().status == 408
            half.closed()


def graceful(root):
    """SIGTERM: an answer under way is finished, idle connections end, nobody new gets in."""
    for number, workers in ((signal.SIGTERM, 1), (signal.SIGINT, 2)):
        with Lear(root, workers=workers) as server:
            with server.connect(receive_buffer=4096) as busy, server.connect() as idle:
                idle.send(request("GET", "/small.txt"))
                idle.answer()
                busy.send(request("GET", "/large.bin"))
                busy.take(1000)
                server.process.send_signal(number)
                idle.closed()
                try:
                    with server.connect() as late:
                        late.send(request("GET", "/small.txt"))
                        late.answer()
                    raise AssertionError("a newcomer was served")
                except OSError:
                    pass
                assert server.process.poll() is None, "it didn't wait for the answer"
                hurry(busy)
                assert busy.rest().endswith(LARGE[-100000:])
            assert server.process.wait(client.PATIENCE_S) == 0


def master_killed(root):
    with Lear(root, workers=2, code=-signal.SIGKILL) as server:
        workers = server.workers(2)
        os.kill(server.process.pid, signal.SIGKILL)

        def gone(pid):
            try:
                with open(f"/proc/{pid}/stat", encoding="ascii") as f:
                    return f.read().rsplit(")", 1)[1].split()[0] in "ZX"
            except FileNotFoundError:
                return True
        for pid in workers:
            wait_for(lambda pid=pid: gone(pid), f"worker {pid} to end")


def run(*options, code, text="", **how):
    done = subprocess.run([client.program("lear"), *options], capture_output=True, text=True,
                          timeout=client.PATIENCE_S, check=False, **how)
    assert done.returncode == code, f"{options}: exit code {done.returncode}: {done.stderr}"
    assert text in done.stderr + done.stdout, f"{options}: {done.stderr}{done.stdout}"
    assert code == 0 or len(done.stderr.splitlines()) == 1, done.stderr
    return done.stdout


def flags():
    for options, code, text in (
            (("--port", "1"), 2, "unknown option '--port'; see --help"), (("x",), 2, "unknown option 'x'"),
            (("--config",), 2, "a file must follow '--config'"),
            (("--config", "/no/such.yaml"), 2, "/no/such.yaml: No such file"),
            (("--config", "/no/such.yaml", "--check"), 2, "/no/such.yaml"),
            (("--help",), 0, "--example"), (("--version",), 0, " engine epoll\n")):
        run(*options, code=code, text=text)
    assert re.fullmatch(r"lear [0-9.]+ engine epoll\n", run("--version", code=0))
    with tempfile.TemporaryDirectory() as folder:
        run(code=2, text="can't open the settings lear.yaml", cwd=folder)
        path = os.path.join(folder, "lear.yaml")
        with open(path, "w", encoding="ascii") as f:
            f.write(run("--example", code=0))
        run("--check", code=0, cwd=folder)
        for bad, code, text in (
                ("site:\n  root: /\nworkers: many\n", 2,
                 "lear.yaml:3: workers: 'many' is not a number from 1 to 64, or cpus"),
                ("site: {root: /no/such}\nlisten: {port: 0}\n", 1, "/no/such: No such file"),
                ("site: {root: /}\nlisten: {host: no.such.host.invalid}\n", 1, "no.such.host"),
                ("site: {root: /}\nuser: no-such-user\nlisten: {port: 0}\n", 1,
                 "no-such-user" if os.geteuid() == 0 else None)):
            with open(path, "w", encoding="ascii") as f:
                f.write(bad)
            if text:
                run(code=code, text=text, cwd=folder)


def file_limit(root):
    """ulimit -f, which the memory object is subject to as well: said so."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    with tempfile.NamedTemporaryFile("w") as f:
        f.write(f"listen: {{port: 0}}\nsite: {{root: {root}}}\n")
        f.flush()
        run("--config", f.name, code=1, text="File too large (raise ulimit -f)", preexec_fn=limit)


def port_taken(root):
    with Lear(root) as server:
        with tempfile.NamedTemporaryFile("w") as f:
            f.write(f"listen: {{port: {server.port}}}\nsite: {{root: {root}}}\n")
            f.flush()
            run("--config", f.name, code=1, text="Address already in use")


def drops_root(root):
    if os.geteuid() != 0:
        return "needs root"
    import pwd
    with Lear(root, workers=2) as server:
        for pid in (server.process.pid, *server.workers(2)):
            with open(f"/proc/{pid}/status", encoding="ascii") as f:
                uids = dict(line.split(":", 1) for line in f)["Uid"].split()
            assert set(uids) == {str(pwd.getpwnam("nobody").pw_uid)}, uids
    with tempfile.TemporaryDirectory() as private, tempfile.NamedTemporaryFile("w") as f:
        f.write(f"listen: {{port: 0}}\nsite: {{root: {private}}}\n")
        f.flush()
        run("--config", f.name, code=1, text="as user nobody: Permission denied")
    return None


def limits(root):
    with Lear(root, limits={"line_bytes": 64, "head_bytes": 300, "fields": 3},
              listen={"connections": 100}) as server:
        assert server.get("/" + "a" * 30).status == 404
        assert server.get("/" + "a" * 100).status == 414
        assert server.get("/small.txt", X="a" * 300).status == 431
        assert server.get("/small.txt", A="1", B="2").status == 200
        assert server.get("/small.txt", A="1", B="2", C="3").status == 431


def counters(root):
    with Lear(root, workers=2, site={"stats": "/stats", "not_found": "/404.html"}) as server:
        for path in ("/small.txt", "/missing", "/large.bin"):
            server.get(path)
        stats = server.stats()
        assert stats["requests"] == 3 and stats["status_4xx"] == 1 and stats["engine"] == "epoll", stats


def with_server(tap, root, name, settings, *tests):
    with Lear(root, **settings) as server:
        for test in tests:
            tap.check(f"{test.__name__.replace('_', ' ')}, {name}", test, server)


def main():
    tap = client.Tap()
    only = sys.argv[1:]
    with site() as root:
        for name, settings in (
                ("from memory", {}), ("two workers", {"workers": 2}),
                ("from the disk", {"cache": {"size_mib": 0}}),
                ("looked up each time", {"cache": {"check_ms": 0, "idle_ms": 20}})):
            def common(name=name, settings=settings):
                with_server(tap, root, name, settings, answers, methods, conditions, stays_inside,
                            plain_404)
            if not only:
                tap.check(f"{name}: ends cleanly", common)
        for name, tests, settings in (
                ("own 404 page", (own_404, stays_inside), {"site": {"not_found": "/404.html"}}),
                ("a fallback", (single_page,), {"site": {"fallback": "/index.html"}}),
                ("a page and a fallback that aren't there", (plain_404,),
                 {"site": {"not_found": "/no.html", "fallback": "/no.html"}}),
                ("gzip", (negotiates, not_compressed), {"workers": 2}),
                ("no gzip", (gzip_off,), {"gzip": {"on": False}})):
            def special(name=name, tests=tests, settings=settings):
                with_server(tap, root, name, settings, *tests)
            if not only:
                tap.check(f"{name}: ends cleanly", special)
        for test in (one_copy_for_all, one_gzip_for_all, gzip_tried_once,
                     unmapped_when_idle, kept_while_sent,
                     truncated_while_sent, changed_files, no_room, many_files, descriptors_come_back,
                     worker_dies, idle_connections_dropped, graceful, master_killed, file_limit, port_taken,
                     drops_root, limits, counters):
            if not only or test.__name__ in only:
                tap.check(test.__name__.replace("_", " "), test, root)
    tap.check("flags", flags)
    tap.done()


main()
