#!/usr/bin/python3
"""lear with TLS, by a foreign client (Python's ssl): what it answers, whom it refuses, how clients that
are slow, silent or gone end, and how it does itself. Builds the program, makes its certificates."""

import contextlib
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import client  # noqa: E402
from client import request, wait_for  # noqa: E402

LARGE = os.urandom(256) * 20000  # 5 MB: more than all buffers on the way hold
SMALL = b"small file\n"


def build():
    """lear-tls with and without ASan, and a lear without TLS."""
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    for words in (("VARIANT=asan", "OPT=-O1 -g", "build/asan/bin/servers/lear-tls"),
                  ("bin/servers/lear", "bin/servers/lear-tls")):
        done = subprocess.run(["make", "-s", "-C", client.HOME, *words], env=env, capture_output=True,
                              text=True, check=False)
        assert done.returncode == 0, done.stderr


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def make_pair(folder, name):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
            "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem")
    os.chmod(f"{folder}/{name}.key", 0o600)  # as root: lear is nobody when it serves


@contextlib.contextmanager
def site():
    with tempfile.TemporaryDirectory(prefix="lear-tls-test-") as top:
        os.chmod(top, 0o755)
        os.mkdir(f"{top}/www")
        for name, data in (("small.txt", SMALL), ("large.bin", LARGE)):
            with open(f"{top}/www/{name}", "wb") as f:
                f.write(data)
        make_pair(top, "site")
        make_pair(top, "other")
        openssl("pkey", "-in", f"{top}/site.key", "-aes256", "-passout", "pass:x", "-out", f"{top}/locked.key")
        time.sleep(0.15)  # what is younger isn't kept in memory yet
        yield top


class Lear(client.Lear):
    """lear-tls on a site; its connections speak TLS, and are strict about how it ends."""

    def __init__(self, top, exe="build/asan/bin/servers/lear-tls", code=0, **settings):
        settings["site"] = {"root": f"{top}/www", "stats": "/stats"}
        settings.setdefault("tls", {"certificate": f"{top}/site.pem", "key": f"{top}/site.key"})
        super().__init__(os.path.join(client.HOME, exe), code, **settings)
        self.context = ssl.create_default_context(cafile=f"{top}/site.pem")

    def raw(self, receive_buffer=None):
        """A TCP connection on which nothing is said yet."""
        return super().connect(receive_buffer)

    def connect(self, receive_buffer=None, context=None, session=None):
        s = self.raw(receive_buffer).s
        return client.Connection((context or self.context).wrap_socket(
            s, server_hostname="localhost", suppress_ragged_eofs=False, session=session))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.workers(1)[0]}/fd"))

    def descriptors_at_rest(self):
        """How many there are once it has served somebody, who has gone."""
        assert self.get("/large.bin").body == LARGE
        time.sleep(0.5)
        return self.descriptors()


def cut_off(connection):
    """The server ended it, and not as if all had been said."""
    try:
        connection.rest()
    except (ConnectionResetError, BrokenPipeError, ssl.SSLEOFError):
        return
    raise AssertionError("ended as if the answer were whole")


def answers(server):
    for path, body in (("/small.txt", SMALL), ("/large.bin", LARGE)):
        for _ in range(3):
            answer = server.get(path)
            assert (answer.status, answer.body) == (200, body), (path, answer)
        part = server.get(path, Range="bytes=2-5")
        assert (part.status, part.body) == (206, body[2:6]), part
    assert server.get("/missing").status == 404
    with server.connect() as c:
        for path, body in (("/small.txt", SMALL), ("/large.bin", LARGE)):
            c.send(request("HEAD", path))
            head = c.answer(head=True)
            assert (head.status, head.field("content-length")) == (200, str(len(body))), head
            c.send(request("GET", path))
            assert c.answer().body == body


def pipelined(server):
    paths = ["/small.txt", "/large.bin", "/missing", "/small.txt"] * 5 + ["/small.txt"] * 200
    with server.connect() as c:
        c.send(b"".join(request("GET", path) for path in paths))
        for path in paths:
            answer = c.answer()
            assert answer.body == {"/small.txt": SMALL, "/large.bin": LARGE}.get(path, answer.body), path
            assert answer.status == (404 if path == "/missing" else 200), (path, answer)
        for byte in request("GET", "/small.txt"):  # each in a record of its own
            c.send(bytes([byte]))
        assert c.answer().body == SMALL


def ends(server):
    """With a close_notify (else the client raises), after an answer, a refusal, the client's own end."""
    with server.connect() as c:
        c.send(request("GET", "/large.bin", Connection="close"))
        assert c.answer().body == LARGE
        c.closed()
    with server.connect() as c:
        c.send(b"not HTTP\r\n\r\n" + b"x" * 100000)
        assert c.answer().status == 400
        c.closed()
    with server.connect() as c:
        c.send(request("GET", "/small.txt"))
        assert c.answer().body == SMALL
        c.s.unwrap()  # raises if the server doesn't answer in kind


def half_closed(server):
    """close_notify and FIN behind the request: the answer comes whole all the same."""
    with server.raw() as c:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = server.context.wrap_bio(incoming, outgoing, server_hostname="localhost")

        def attempt(action, *words):
            while True:
                try:
                    return action(*words)
                except ssl.SSLWantReadError:
                    if outgoing.pending:
                        c.s.sendall(outgoing.read())
                    got = c.s.recv(65536)
                    incoming.write(got) if got else incoming.write_eof()
        attempt(tls.do_handshake)
        tls.write(request("GET", "/large.bin"))
        try:
            tls.unwrap()
        except ssl.SSLWantReadError:
            pass
        c.s.sendall(outgoing.read())
        c.s.shutdown(socket.SHUT_WR)
        got = b""
        while True:
            try:
                more = attempt(tls.read, 65536)
            except ssl.SSLZeroReturnError:
                break
            if not more:
                break
            got += more
        assert got.endswith(LARGE) and got.startswith(b"HTTP/1.1 200 "), len(got)


def versions(server):
    for version, works in ((ssl.TLSVersion.TLSv1_3, True), (ssl.TLSVersion.TLSv1_2, True),
                           (ssl.TLSVersion.TLSv1_1, False)):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(server.certificate)
        context.set_ciphers("ALL:@SECLEVEL=0")
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version = context.maximum_version = version
        try:
            with server.connect(context=context) as c:
                c.send(request("GET", "/small.txt"))
                assert c.answer().body == SMALL and works, version
        except ssl.SSLError as error:
            assert not works and "alert protocol version" in str(error), (version, error)


def protocols(server):
    for offered, chosen in ((["http/1.1"], "http/1.1"), (["h2", "http/1.1"], "http/1.1"), ([], None),
                            (["h2"], "refused")):
        context = ssl.create_default_context(cafile=server.certificate)
        if offered:
            context.set_alpn_protocols(offered)
        try:
            with server.connect(context=context) as c:
                assert c.s.selected_alpn_protocol() == chosen, (offered, c.s.selected_alpn_protocol())
                c.send(request("GET", "/small.txt"))
                assert c.answer().body == SMALL
        except ssl.SSLError as error:
            assert chosen == "refused" and "alert no application protocol" in str(error), error


def resumes(top):
    """A session that began with one worker goes on with any."""
    with Lear(top, workers=3) as server:
        with server.connect() as c:
            c.send(request("GET", "/small.txt"))
            assert c.answer().body == SMALL and not c.s.session_reused
            session = c.s.session
        for _ in range(12):
            with server.connect(session=session) as c:
                c.send(request("GET", "/small.txt"))
                assert c.answer().body == SMALL and c.s.session_reused


def slow_readers(top):
    """They get every byte, and nobody waits for them."""
    with Lear(top) as server, contextlib.ExitStack() as stack:
        slow = [stack.enter_context(server.connect(receive_buffer=4096)) for _ in range(10)]
        for c in slow:
            c.send(request("GET", "/large.bin"))
        end = time.monotonic() + 1
        while time.monotonic() < end:
            for c in slow:
                c.held += c.s.recv(100)
            assert server.get("/small.txt").body == SMALL
        for c in slow:
            assert len(c.held) < len(LARGE) // 2, "not slow"
            c.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            assert c.answer().body == LARGE


def stalled_reader(top):
    """Who takes nothing for the write timeout is cut off, and all is given back."""
    with Lear(top, timeouts={"write_ms": 500}) as server:
        count = server.descriptors_at_rest()
        with server.connect(receive_buffer=4096) as c:
            c.send(request("GET", "/large.bin"))
            c.take(1000)
            assert server.descriptors() == count + 3, "what a client takes"
            wait_for(lambda: server.descriptors() <= count, "the descriptors to come back")
            c.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            cut_off(c)


def gone(top):
    """Clients that vanish, before, in and after the handshake, or never say anything."""
    with Lear(top, timeouts={"header_ms": 500}) as server:
        count = server.descriptors_at_rest()
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = server.context.wrap_bio(incoming, outgoing, server_hostname="localhost")
        try:
            tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        hello = outgoing.read()
        for cut in (0, 1, 5, 6, len(hello) // 2, len(hello) - 1, len(hello)):
            for end in ("reset", "close"):
                c = server.raw()
                c.send(hello[:cut])
                c.reset() if end == "reset" else c.s.close()
        for _ in range(10):
            c = server.connect()
            c.send(request("GET", "/large.bin"))
            c.take(100000)
            c.reset()
        with server.raw() as silent, server.raw() as half:
            half.send(hello[:len(hello) // 2])
            start = time.monotonic()
            cut_off(silent)
            cut_off(half)
            assert time.monotonic() - start > 0.3, "cut off before the time"
        wait_for(lambda: server.descriptors() <= count, "the descriptors to come back")
        assert server.get("/large.bin").body == LARGE


def in_the_clear(server):
    """A client that speaks HTTP gets nothing, and is gone; so is one that speaks neither."""
    for words in (request("GET", "/small.txt"), b"\x16\x03\x01\x00\x05hello", b"\x00" * 70000):
        with server.raw() as c:
            try:
                c.send(words)
                got = c.rest()
            except (ConnectionResetError, BrokenPipeError):
                got = b""
            assert SMALL not in got and b"HTTP" not in got and len(got) < 50, got
    assert server.get("/small.txt").body == SMALL


def many(top):
    """All at once, kept open; and more than are let in at a time."""
    with Lear(top, workers=2) as server, contextlib.ExitStack() as stack:
        open_ones = [stack.enter_context(server.connect()) for _ in range(300)]
        for _ in range(3):
            for c in open_ones:
                c.send(request("GET", "/small.txt"))
            for c in open_ones:
                assert c.answer().body == SMALL
    with Lear(top, listen={"connections": 4}) as server:
        waiting = [server.raw() for _ in range(20)]
        for c in waiting:
            with client.Connection(server.context.wrap_socket(c.s, server_hostname="localhost")) as tls:
                tls.send(request("GET", "/large.bin"))
                assert tls.answer().body == LARGE


def few_descriptors(top):
    """ulimit -n: no more than it has room for are let in; the others wait, and get their turn."""
    import resource
    server = Lear(top)
    server.preexec = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))
    with server, contextlib.ExitStack() as stack:
        inside = [stack.enter_context(server.connect()) for _ in range(32)]
        outside = server.raw()
        outside.s.settimeout(0.5)
        try:
            server.context.wrap_socket(outside.s, server_hostname="localhost")
            raise AssertionError("one too many was let in")
        except TimeoutError:
            pass
        for c in inside:
            c.send(request("GET", "/small.txt"))
            assert c.answer().body == SMALL
        inside[0].s.close()
        assert server.get("/small.txt").body == SMALL


def idle_dropped(top):
    with Lear(top, timeouts={"idle_ms": 500}) as server:
        with server.connect() as fresh, server.connect() as used:
            used.send(request("GET", "/small.txt"))
            assert used.answer().body == SMALL
            fresh.closed()
            used.closed()


def graceful(top):
    """SIGTERM: the answer under way is finished, idle clients end, newcomers aren't let in."""
    for workers in (1, 2):
        with Lear(top, workers=workers) as server:
            with server.connect(receive_buffer=4096) as busy, server.connect() as idle, \
                    server.raw() as greeting:
                idle.send(request("GET", "/small.txt"))
                idle.answer()
                busy.send(request("GET", "/large.bin"))
                busy.take(1000)
                server.process.send_signal(signal.SIGTERM)
                idle.closed()
                assert greeting.rest() == b""
                try:
                    server.get("/small.txt")
                    raise AssertionError("a newcomer was served")
                except OSError:
                    pass
                assert server.process.poll() is None, "it didn't wait for the answer"
                busy.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
                assert busy.rest().endswith(LARGE[-1000000:])
            assert server.process.wait(client.PATIENCE_S) == 0


def grace_over(top):
    """Who doesn't read is cut off at the end of the grace time; asked twice, at once."""
    for grace_ms, signals in ((500, 1), (60000, 2)):
        with Lear(top, timeouts={"grace_ms": grace_ms}) as server:
            (pid,) = server.workers(1)
            with server.connect(receive_buffer=4096) as c:
                c.send(request("GET", "/large.bin"))
                c.take(1000)
                for _ in range(signals):
                    os.kill(pid if signals > 1 else server.process.pid, signal.SIGTERM)
                    time.sleep(0.2)
                if signals > 1:
                    wait_for(lambda: not os.path.exists(f"/proc/{pid}"), "the worker to end")
                else:
                    assert server.process.wait(client.PATIENCE_S) == 0
                c.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
                cut_off(c)


def worker_dies(top):
    with Lear(top) as server:
        (before,) = server.workers(1)
        assert server.get("/large.bin").body == LARGE
        os.kill(before, signal.SIGKILL)
        wait_for(lambda: before not in server.workers(1), "the replacement")
        assert server.get("/large.bin").body == LARGE


def key_hidden(top):
    """Whoever else runs as nobody can't look into the processes that have the key."""
    if os.geteuid() != 0:
        return "needs root"
    with Lear(top, exe="bin/servers/lear-tls", workers=2) as server:
        assert server.get("/small.txt").body == SMALL
        for pid in (server.process.pid, *server.workers(2)):
            with open(f"/proc/{pid}/status", encoding="ascii") as f:
                assert "\nUid:\t0\t" not in f.read(), "it is still root"
            assert os.stat(f"/proc/{pid}/mem").st_uid == 0, "its user may look into it"
    return None


def refused(top, exe, text, code=2, **tls):
    for check in (("--check",), ()):
        server = Lear(top, exe=exe, tls=tls)
        done = subprocess.run([*server.argv, *check], capture_output=True, text=True, check=False,
                              timeout=client.PATIENCE_S, stdin=subprocess.DEVNULL)
        assert done.returncode == code and text in done.stderr, (done.returncode, done.stderr, text)
        assert len(done.stderr.splitlines()) == 1, done.stderr


def mistakes(top):
    exe = "build/asan/bin/servers/lear-tls"
    pem, key = f"{top}/site.pem", f"{top}/site.key"
    for certificate, private, text in (
            ("/no/such.pem", key, "tls.certificate: can't read /no/such.pem: No such file or directory"),
            (pem, "/no/such.key", "tls.key: can't read /no/such.key: No such file or directory"),
            (pem, f"{top}/other.key", f"tls.key: {top}/other.key isn't the key of the certificate {pem}: "
                                      "key values mismatch"),
            (f"{top}/other.pem", key, f"isn't the key of the certificate {top}/other.pem"),
            (key, key, f"tls.certificate: {key}: no certificate in PEM: no start line"),
            (pem, pem, f"tls.key: {pem}: no private key in PEM without a passphrase"),
            (pem, f"{top}/locked.key", f"tls.key: {top}/locked.key: no private key in PEM without a passphr"),
            (f"{top}/www", key, f"tls.certificate: {top}/www: no certificate in PEM"),
            (f"{top}/www/large.bin", key, "large.bin: no certificate in PEM")):
        refused(top, exe, text, certificate=certificate, key=private)
    refused(top, exe, "tls.key is missing: tls.certificate and tls.key belong together", certificate=pem)
    refused(top, exe, "tls.certificate is missing", key=key)
    refused(top, exe, "unknown key 'tls.cert'; known in tls: certificate, key", cert=pem)


def built_without(top):
    """The default build says what to do, and serves in the clear as ever."""
    refused(top, "bin/servers/lear", "this lear has no TLS; build the one that has, bin/servers/lear-tls: "
            "make all LEAR_TLS=1 (needs libssl-dev)", certificate=f"{top}/site.pem", key=f"{top}/site.key")
    linked = subprocess.run(["ldd", os.path.join(client.HOME, "bin/servers/lear")], capture_output=True,
                            text=True, check=True).stdout
    assert "libssl" not in linked and "libyaml" in linked, linked


def without_section(top):
    """lear-tls without the section: in the clear."""
    server = Lear(top, tls={})
    server.connect = server.raw
    with server:
        assert server.get("/large.bin").body == LARGE
        with server.raw() as c:
            c.send(request("GET", "/small.txt"))
            assert c.answer().body == SMALL


def main():
    tap = client.Tap()
    build()
    with site() as top:
        for name, settings in (("from memory", {}), ("two workers", {"workers": 2}),
                               ("from the disk", {"cache": {"size_mib": 0}})):
            def common(name=name, settings=settings):
                with Lear(top, **settings) as server:
                    server.certificate = f"{top}/site.pem"
                    for test in (answers, pipelined, ends, half_closed, versions, protocols, in_the_clear):
                        tap.check(f"{test.__name__.replace('_', ' ')}, {name}", test, server)
            tap.check(f"{name}: ends cleanly", common)
        for test in (resumes, slow_readers, stalled_reader, gone, many, few_descriptors, idle_dropped,
                     graceful, grace_over, worker_dies, key_hidden, mistakes, built_without, without_section):
            tap.check(test.__name__.replace("_", " "), test, top)
    tap.done()


main()
