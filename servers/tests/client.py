"""client: starts our servers for tests and talks to them over real sockets. Knows HTTP only as far as
answers must be cut apart; shares nothing with the servers' code."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE_S = 20  # for everything that should happen at once: tests don't depend on speed
SECRET = b"secret of a neighbour"
ENGINES = ("epoll", "uring")
ALL_ENGINES = (*ENGINES, "kqueue")  # over epoll, in a program that only tests have


def program(name="reactor"):
    """The build with ASan and UBSan when it is there; REACTOR in the environment wins."""
    if name == "reactor" and os.environ.get("REACTOR"):
        return os.environ["REACTOR"]
    checked = os.path.join(HOME, "build/asan/bin/servers", name)
    return checked if os.path.exists(checked) else os.path.join(HOME, "bin/servers", name)


def kqueue_program():
    """The reactor with its kqueue engine over kqueue_shim.c."""
    return os.path.join(HOME, "build/asan/servers/tests/reactor_kqueue")


def release_program(name="reactor"):
    """The build without sanitizers, for what they would disturb (seccomp, limits, strace)."""
    plain = os.path.join(HOME, "bin/servers", name)
    return plain if os.path.exists(plain) else program(name)


@contextlib.contextmanager
def docroot():
    """A document root that anybody may read, beside a secret that must never be served."""
    with tempfile.TemporaryDirectory(prefix="reactor-test-") as top:
        os.chmod(top, 0o755)
        root = os.path.join(top, "www")
        for folder in ("www", "www/dir", "www/empty", "www2"):
            os.mkdir(os.path.join(top, folder))
        contents = {
            "www/small.txt": b"small file\n",
            "www/empty.txt": b"",
            "www/page.html": b"<p>page\n",
            "www/index.html": b"<p>index\n",
            "www/dir/index.html": b"<p>dir\n",
            "www/a b.txt": b"blank\n",
            "www/%41.txt": b"percent\n",
            "www/five.bin": b"12345",
            "www/large.bin": bytes(range(256)) * 32768,
            "www/mega.bin": b"m" * 1048576,
            "www2/x": SECRET,
            "secret.txt": SECRET,
        }
        for name, data in contents.items():
            with open(os.path.join(top, name), "wb") as f:
                f.write(data)
        os.symlink("../secret.txt", os.path.join(root, "leak.txt"))
        os.symlink("small.txt", os.path.join(root, "link.txt"))
        yield root


class Server:
    """A running server. Leaving the block ends it and fails if it left anything but a clean exit."""

    def __init__(self, *options, exe=None, prefix=(), preexec=None, code=0):
        self.exe = kqueue_program() if "kqueue" in options else exe or program()
        self.argv = [*prefix, self.exe, "--port", "0", *options]
        self.preexec = preexec
        self.code = code

    def __enter__(self):
        self.log_file = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self.argv, stdin=subprocess.DEVNULL, stdout=self.log_file, stderr=self.log_file,
            preexec_fn=self.preexec, start_new_session=True)
        try:
            self.port = int(wait_for(self._listening, "the server to listen"))
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise
        return self

    def __exit__(self, kind, value, trace):
        code = self.stop()
        if kind is None:
            assert code == self.code, f"exit code {code}\n{self.log()}"
            for word in ("AddressSanitizer", "LeakSanitizer", "runtime error"):
                assert word not in self.log(), self.log()

    def _listening(self):
        assert self.process.poll() is None, f"it ended at once:\n{self.log()}"
        found = re.search(r"listening on \S+ port (\d+)", self.log())
        return found and found.group(1)

    def log(self):
        return os.pread(self.log_file.fileno(), 1 << 20, 0).decode("utf-8", "replace")

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(PATIENCE_S * 2)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            raise AssertionError(f"it didn't end on signal {number}:\n{self.log()}") from None

    def connect(self, receive_buffer=None):
        s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        s.settimeout(PATIENCE_S)
        s.connect(("127.0.0.1", self.port))
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return Connection(s)

    def get(self, path="/health", **fields):
        """One answer on a connection of its own."""
        with self.connect() as c:
            c.send(request("GET", path, **fields))
            return c.answer()

    def stats(self):
        return json.loads(self.get("/stats").body)

    def workers(self, count):
        """Their process numbers, when there are so many."""
        def all_of_them():
            found = children(self.process.pid)
            return len(found) == count and found
        return wait_for(all_of_them, f"{count} workers")


class Lear(Server):
    """lear with these settings; a group's keys as a dictionary. One worker and any port, if nothing else
    is said."""

    def __init__(self, exe, code=0, **settings):
        super().__init__(exe=exe, code=code)
        self.file = tempfile.NamedTemporaryFile("w", suffix=".yaml")
        settings.setdefault("workers", 1)
        settings.setdefault("listen", {})["port"] = 0
        json.dump(settings, self.file)  # JSON is YAML
        self.file.flush()
        self.argv = [self.exe, "--config", self.file.name]


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


def wait_for(check, what):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        found = check()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {PATIENCE_S} s for {what}")


def request(method="GET", path="/health", body=b"", **fields):
    lines = [f"{method} {path} HTTP/1.1", "Host: test"]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def __repr__(self):
        return f"{self.status} {self.fields} {self.body[:80]!r} ({len(self.body)} bytes)"

    def same(self):
        """What must be equal however the request was cut."""
        fields = [f for f in self.fields if f[0] != "date"]
        return (self.status, fields, self.body)

    def field(self, name):
        values = [v for n, v in self.fields if n == name.lower()]
        assert len(values) < 2, f"{name} more than once: {values}"
        return values[0] if values else None


class Connection:
    def __init__(self, s):
        self.s, self.held, self.ended = s, b"", False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.s.close()

    def send(self, data):
        self.s.sendall(data)

    def _more(self):
        got = self.s.recv(65536)
        self.ended = not got
        self.held += got
        return bool(got)

    def take(self, n):
        while len(self.held) < n:
            assert self._more(), f"closed after {len(self.held)} of {n} bytes"
        taken, self.held = self.held[:n], self.held[n:]
        return taken

    def answer(self, head=False):
        """The next answer. head: it answers HEAD. Content-Length or no body: ours need no more."""
        while b"\r\n\r\n" not in self.held:
            assert self._more(), f"closed instead of an answer; got {self.held!r}"
        text, self.held = self.held.split(b"\r\n\r\n", 1)
        line, *rest = text.decode("ascii").split("\r\n")
        found = re.fullmatch(r"HTTP/1\.1 (\d{3}) [ -~]+", line)
        assert found, f"not a status line: {line!r}"
        fields = []
        for field in rest:
            name, value = re.fullmatch(r"([!-9;-~]+): (.*)", field).groups()
            fields.append((name.lower(), value))
        status = int(found.group(1))
        answer = Answer(status, fields, b"")
        if not head and status not in (100, 204, 304):
            answer.body = self.take(int(answer.field("content-length")))
        return answer

    def rest(self):
        """All bytes until the end."""
        while self._more():
            pass
        taken, self.held = self.held, b""
        return taken

    def closed(self):
        """Asserts that the server ends the connection here, with a FIN."""
        assert self.rest() == b"", "bytes behind the last answer"

    def reset(self):
        import struct
        self.s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.s.close()


class Tap:
    """Test results as the Test Anything Protocol."""

    def __init__(self):
        self.count = self.failed = 0

    def check(self, name, fn, *args):
        problem = skipped = None
        try:
            skipped = fn(*args)
        except Exception as raised:  # a test that can't run has failed
            problem = f"{type(raised).__name__}: {raised}"
        self.count += 1
        self.failed += bool(problem)
        print(f"{'not ok' if problem else 'ok'} {self.count} - {name}"
              + (f" # SKIP {skipped}" if skipped else ""))
        for line in (problem or "").splitlines():
            print(f"# {line}")
        sys.stdout.flush()

    def done(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)
