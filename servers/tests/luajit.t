#!/usr/bin/python3
"""luajit: the loop of 2011 over real sockets: one receive is one request, its array of descriptors,
its answers byte by byte, with the parser and without, its options and its end."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import client  # noqa: E402
from client import request, wait_for  # noqa: E402

FOLDER = os.path.join(client.HOME, "servers/luajit")
SCRIPT = os.path.join(FOLDER, "serve.lua")
PARSER = ("--parser", os.path.join(FOLDER, "request.lua"))
OK = b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nOK"
OF_2011 = b"HTTP/1.0 200 OK\nContent-Type: text/plain\n\nThis is test\n"


class Server(client.Server):
    """The script goes before the options that client.Server puts first."""

    def __init__(self, *options):
        super().__init__(*options, exe="luajit")
        self.argv = ["luajit", SCRIPT, "--port", "0", *options]


def ask(server, *pieces):
    """All that comes on a connection of its own, until the server's end."""
    with server.connect() as c:
        for piece in pieces:
            c.send(piece)
            time.sleep(0.05 if len(pieces) > 1 else 0)
        return c.rest()


def refused_options(*options, code, says):
    done = subprocess.run(["luajit", SCRIPT, *options], capture_output=True, text=True,
                          timeout=client.PATIENCE_S, check=False)
    lines = done.stderr.splitlines()
    assert done.returncode == code and len(lines) == 1 and says in lines[0], (options, done)


def bad_options():
    for options, says in (((), "--port is required"), (("--port",), "needs a value"),
                          (("--port", "x"), "not a number"), (("--port=65536",), "65535"),
                          (("--prot", "1"), "unknown option '--prot'"), (("1",), "unknown option"),
                          (("--port", "0", "--table", "2"), "from 3"),
                          (("--port", "0", "--reply", "2012"), "'2012' is not"),
                          (("--port", "0", "--help=1"), "takes no value")):
        refused_options(*options, code=2, says=says)


def bad_start():
    refused_options("--port", "0", "--host", "no.such.host", code=1, says="no.such.host")
    refused_options("--port", "0", "--host", "203.0.113.1", code=1, says="203.0.113.1")
    refused_options("--port", "0", "--parser", "/no/such/file", code=1, says="/no/such/file")
    refused_options("--port", "0", "--table", "1048576", code=1, says="ulimit -n")
    with socket.create_server(("127.0.0.1", 0)) as other:
        refused_options("--port", str(other.getsockname()[1]), code=1, says="in use")


def help_and_version():
    shown = subprocess.run(["luajit", SCRIPT, "--help"], capture_output=True, text=True, check=True)
    assert "--table N" in shown.stdout and "(1000)" in shown.stdout, shown
    shown = subprocess.run(["luajit", SCRIPT, "--version"], capture_output=True, text=True, check=True)
    assert "LuaJIT 2" in shown.stdout, shown


def one_receive_is_one_request():
    with Server() as server:
        assert ask(server, request()) == OK
        assert ask(server, b"\x00nonsense") == OK, "somebody looked at it"
        assert ask(server, request() * 3) == OK, "three at once are one"
        with server.connect() as c:
            c.s.shutdown(socket.SHUT_WR)  # nothing received: nothing answered
            c.closed()
        assert ask(server, request()) == OK


def bytes_of_2011():
    with Server("--reply", "2011") as server:
        answer = ask(server, request())
        assert answer == OF_2011 and len(answer) == 55, answer
    with Server("--reply", "2011", *PARSER) as server:
        answer = ask(server, request(path="/"))
        assert answer == OF_2011 + b"GET / " and len(answer) == 61, answer


def answers_by_path():
    with Server(*PARSER) as server:
        for path, status, size in (("/health", b"200", 2), ("/health?x=1", b"200", 2), ("/json", b"200", 91),
                                   ("/none", b"404", 14), ("/healthy", b"404", 14)):
            head, body = ask(server, request(path=path)).split(b"\r\n\r\n", 1)
            assert head.startswith(b"HTTP/1.0 " + status) and len(body) == size, (path, head, body)
            assert f"Content-Length: {size}".encode() in head.split(b"\r\n"), head
            head_only = ask(server, request("HEAD", path))
            assert head_only == head + b"\r\n\r\n", head_only
        answer = ask(server, request("POST", "/health", b"x"))
        assert answer.startswith(b"HTTP/1.0 405") and b"\r\nAllow: GET, HEAD\r\n" in answer, answer
        for bad in (b"GET /health HTTP/1.1\r\n", b"BREW / HTTP/1.1\r\n\r\n", b"\r\n\r\n"):
            assert ask(server, bad).startswith(b"HTTP/1.0 400"), bad
        answer = ask(server, b"GET /health HTTP/1.1\r\nHo", b"st: x\r\n\r\n")
        assert answer.startswith(b"HTTP/1.0 400"), "it is not incremental: the first piece is the request"


def full_table():
    """2 places are the listener's and the signals'; who comes behind the rest is dropped at once."""
    with Server("--table", "12") as server:
        held = [server.connect() for _ in range(10)]
        wait_for(lambda: sockets(server) == 11, "ten clients to be in")
        for _ in range(3):
            with server.connect() as late:
                late.s.setblocking(True)
                late.s.settimeout(client.PATIENCE_S)
                try:
                    got = late.s.recv(100)
                except ConnectionResetError:
                    got = b""
                assert got == b"", got
        assert server.log().count("Can not add fd! All 12 places") == 1, server.log()
        held.pop().s.close()
        wait_for(lambda: sockets(server) == 10, "one to leave")
        assert ask(server, request()) == OK
        for c in held:
            c.send(request())
            assert c.rest() == OK
        assert server.stop() == 0
        assert "3 clients were refused" in server.log(), server.log()


def sockets(server):
    folder = f"/proc/{server.process.pid}/fd"
    kinds = []
    for fd in os.listdir(folder):
        try:
            kinds.append(os.readlink(f"{folder}/{fd}").startswith("socket:"))
        except FileNotFoundError:
            pass  # closed in the meantime
    return sum(kinds)


def many_clients():
    """In every order of leaving: the array is closed up behind each, and loses nobody."""
    with Server("--table", "400") as server:
        for order in (1, -1, 7):
            clients = [server.connect() for _ in range(300)]
            for i in range(300):
                clients[i * order % 300].send(request())
            for i in range(300):
                assert clients[i * order % 300].rest() == OK
        for i, c in enumerate([server.connect() for _ in range(200)]):
            c.send(request()[:i % 3])
            c.reset()
        wait_for(lambda: sockets(server) == 1, "them to be gone")
        assert ask(server, request()) == OK


def ends_on_signals():
    for number in (signal.SIGTERM, signal.SIGINT):
        with Server() as server, server.connect() as idle:
            wait_for(lambda s=server: sockets(s) == 2, "the client to be in")
            assert server.stop(number) == 0
            idle.closed()


def drops_root():
    if os.geteuid() != 0:
        return "needs root"
    with Server() as server, open(f"/proc/{server.process.pid}/status", encoding="ascii") as f:
        status = dict(line.split(":", 1) for line in f)
    assert "0" not in status["Uid"].split() + status["Gid"].split() + status["Groups"].split(), status
    refused_options("--port", "0", "--user", "no-such-user", code=1, says="no-such-user")
    return None


def tables_made_anew():
    """request.lua is what Ragel and convert.lua make of request.rl."""
    if not shutil.which("ragel"):
        return "no ragel"
    xml = subprocess.run(["ragel", "-x", os.path.join(FOLDER, "request.rl")], capture_output=True,
                         check=True).stdout
    made = subprocess.run(["luajit", os.path.join(FOLDER, "convert.lua")], input=xml,
                          capture_output=True, check=True).stdout
    with open(os.path.join(FOLDER, "request.lua"), "rb") as f:
        assert made == f.read(), "request.lua is not made of request.rl; see there"
    return None


def main():
    tap = client.Tap()
    if subprocess.run(["luajit", "-e", "require 'syscall'"], capture_output=True, check=False).returncode:
        print("1..0 # SKIP luajit or ljsyscall is missing (make deps)")
        return
    for test in (bad_options, bad_start, help_and_version, one_receive_is_one_request, bytes_of_2011,
                 answers_by_path, full_table, many_clients, ends_on_signals, drops_root,
                 tables_made_anew):
        tap.check(test.__name__.replace("_", " "), test)
    tap.done()


if shutil.which("luajit"):
    main()
else:
    print("1..0 # SKIP no luajit")
