#!/usr/bin/python3
"""service: how our servers start, end, fail and give up rights: options, ports, engines, workers."""

import http.client
import os
import pwd
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import client  # noqa: E402
from client import Server, request, wait_for  # noqa: E402

URING_ERRORS = {"EPERM": "not permitted", "ENOSYS": "kernel has none", "ENOMEM": "ulimit -l",
                "EOPNOTSUPP": "switched off", "EINVAL": "too old"}


def fails(*options, code, says, exe=None):
    done = subprocess.run([exe or client.program(), *options], capture_output=True, text=True,
                          timeout=client.PATIENCE_S, check=False)
    assert done.returncode == code, f"{options}: exit code {done.returncode}: {done.stderr}"
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and says in lines[0], f"{options}: {done.stderr}"


def bad_options():
    for options, says in (((), "--port is required"), (("--port",), "needs a value"),
                          (("--port", "x"), "not a number"), (("--port", "65536"), "65535"),
                          (("--port", "-1"), "not a number"), (("--port", ""), "not a number"),
                          (("--prot", "1"), "unknown option '--prot'"), (("1",), "unknown option"),
                          (("--port", "0", "--workers", "0"), "from 1"),
                          (("--port", "0", "--engine", "poll"), "'poll' is not"),
                          (("--port", "0", "--stats", "x"), "must begin with /"),
                          (("--port", "0", "--handicap", "nan"), "not a number"),
                          (("--port", "0", "--no-date=1"), "takes no value")):
        fails(*options, code=2, says=says)


def bad_start():
    fails("--port", "0", "--host", "no.such.host.invalid", code=1, says="--host")
    fails("--port", "0", "--host", "203.0.113.1", code=1, says="203.0.113.1")
    fails("--port", "0", "--docroot", "/no/such/folder", code=1, says="/no/such/folder")
    with tempfile.NamedTemporaryFile() as file:
        os.chmod(file.name, 0o644)  # root's server looks at it as nobody
        fails("--port", "0", "--docroot", file.name, code=1, says="Not a directory")


def port_taken():
    """By a foreign program, and by another of our servers with several workers."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        for workers in ("1", "2"):
            fails("--port", port, "--workers", workers, code=1, says="Address already in use")
    with Server("--workers", "2") as server:
        for workers in ("1", "2"):
            fails("--port", str(server.port), "--workers", workers, code=1,
                  says="Address already in use")


def help_and_version():
    for exe in (client.program(), client.program("ceiling")):
        name = os.path.basename(exe)
        shown = subprocess.run([exe, "--help"], capture_output=True, text=True, check=True).stdout
        for flag in ("--port", "--host", "--workers", "--engine", "--docroot", "--version"):
            assert f"\n  {flag} " in shown or f"\n  {flag}\n" in shown, flag
        for spelled in (*client.ENGINES, "io_uring"):
            engine = spelled.removeprefix("io_")
            shown = subprocess.run([exe, "--version", "--engine", spelled], capture_output=True,
                                   text=True, check=True).stdout
            assert shown.startswith(f"{name} ") and shown.endswith(f" engine {engine}\n"), shown


def addresses():
    with Server("--host", "127.0.0.7") as server:
        with socket.create_connection(("127.0.0.7", server.port)) as s:
            c = client.Connection(s)
            c.send(request())
            assert c.answer().body == b"OK"
    if not os.path.exists("/proc/net/if_inet6"):
        return
    with Server("--host", "::1") as server:
        with socket.create_connection(("::1", server.port)) as s:
            c = client.Connection(s)
            c.send(request())
            assert c.answer().body == b"OK"


def headers_off():
    with Server("--no-date", "--no-server-header") as server:
        answer = server.get()
        assert answer.field("date") is None and answer.field("server") is None, answer


def no_keepalive():
    """--no-keepalive: one answer, which says so, and the end; pipelined requests get none."""
    with Server("--no-keepalive") as server:
        for version in (b"1.1", b"1.0"):
            with server.connect() as c:
                c.send(b"GET /health HTTP/%s\r\nHost: x\r\nConnection: keep-alive\r\n\r\n" % version)
                answer = c.answer()
                assert answer.body == b"OK" and answer.field("connection") == "close", answer
                c.closed()
        with server.connect() as c:
            c.send(request("POST", "/echo", b"hello") + request())
            assert c.answer().body == b"hello"
            c.closed()


def limits_from_options():
    with Server("--max-line", "100", "--max-head", "300", "--max-fields", "3", "--max-body", "10") as s:
        assert s.get("/" + "a" * 80).status == 404
        assert s.get("/" + "a" * 100).status == 414
        assert s.get(X="a" * 300).status == 431
        assert s.get(A="1", B="2").status == 200
        assert s.get(A="1", B="2", C="3").status == 431
        with s.connect() as c:
            c.send(request("POST", "/echo", b"x" * 10) + request("POST", "/echo", b"x" * 11))
            assert [c.answer().status, c.answer().status] == [200, 413]


def uring_fails(error, says):
    """M11: an io_uring that can't run: said so, and auto falls back."""
    if not shutil.which("strace"):
        return "no strace"
    exe = client.release_program()
    inject = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject=io_uring_setup:error={error}")
    probe = subprocess.run([*inject, "true"], capture_output=True, check=False)
    if probe.returncode:
        return "strace may not trace here"
    done = subprocess.run([*inject, exe, "--port", "0", "--engine", "uring"], capture_output=True,
                          text=True, timeout=client.PATIENCE_S, check=False)
    assert done.returncode == 1 and error in done.stderr and says in done.stderr, done.stderr
    shown = subprocess.run([*inject, exe, "--version"], capture_output=True, text=True, check=True,
                           timeout=client.PATIENCE_S)
    assert shown.stdout.endswith("engine epoll\n"), shown.stdout
    assert error in shown.stderr and "using epoll" in shown.stderr, shown.stderr
    return None


def kqueue_fails():
    """Linux has no kqueue: said so, with what the errno means; never another engine instead."""
    fails("--port", "0", "--engine", "kqueue", code=1, says="ENOSYS (this kernel has none")
    fails("--version", "--engine", "kqueue", code=1, says="engine kqueue can't run")


def auto_serves_on_epoll():
    if not shutil.which("strace"):
        return "no strace"
    prefix = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=io_uring_setup:error=ENOSYS")
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        return "strace may not trace here"
    # strace blocks signals to itself while it traces: the server is ended directly
    with Server("--stats", "/stats", prefix=prefix, exe=client.release_program()) as server:
        stats = server.stats()
        assert stats["engine"] == "epoll" and stats["workers"][0]["engine"] == "epoll"
        os.kill(stats["workers"][0]["pid"], signal.SIGTERM)
        server.process.wait(client.PATIENCE_S)
    return None


def gone(pid):
    """Ended, or waiting to be collected by whoever inherited it."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except FileNotFoundError:
        return True


def workers_replaced(engine):
    """A worker that is killed is replaced, and the log says why it died."""
    with Server("--workers", "3", "--engine", engine, "--stats", "/stats") as server:
        before = server.workers(3)
        os.kill(before[0], signal.SIGKILL)
        after = wait_for(lambda: len(client.children(server.process.pid)) == 3
                         and before[0] not in client.children(server.process.pid)
                         and client.children(server.process.pid), "the replacement")
        assert set(after) - set(before), "no new worker"
        wait_for(lambda: f"(pid {before[0]}) died: signal 9" in server.log(), "the reason")
        wait_for(lambda: "replaced by pid" in server.log(), "the replacement in the log")
        seen = set()
        for _ in range(60):
            assert server.get().status == 200
        for worker in server.stats()["workers"]:
            if worker["requests"]:
                seen.add(worker["pid"])
        assert len(seen) > 1 and server.stats()["restarts"] == 1, server.stats()


def supervisor_killed():
    """kill -9 of the supervisor leaves no worker and a free port."""
    with Server("--workers", "2", code=-signal.SIGKILL) as server:
        workers = server.workers(2)
        os.kill(server.process.pid, signal.SIGKILL)
        for pid in workers:
            wait_for(lambda pid=pid: gone(pid), f"worker {pid} to end")


def graceful(engine, workers, number):
    """A request under way is finished; idle connections end; nobody new gets in; exit code 0."""
    with Server("--engine", engine, "--workers", workers) as server:
        with server.connect() as busy, server.connect() as idle:
            idle.send(request())
            idle.answer()
            busy.send(request("POST", "/echo", b"hello")[:-2])
            time.sleep(0.3)
            server.process.send_signal(number)
            idle.closed()
            time.sleep(0.3)
            assert server.process.poll() is None, "it didn't wait for the request"
            try:
                with server.connect() as late:
                    late.send(request())
                    late.answer()
                raise AssertionError("a newcomer was served")
            except OSError:
                pass
            busy.send(b"lo")
            answer = busy.answer()
            assert answer.body == b"hello" and answer.field("connection") == "close", answer
            busy.closed()
        assert server.process.wait(client.PATIENCE_S) == 0


def grace_is_over(engine):
    """A client that never finishes can't hold the server."""
    for workers in ("1", "2"):
        with Server("--engine", engine, "--workers", workers, "--grace-ms", "300") as server:
            with server.connect() as c:
                c.send(b"GET /hea")
                time.sleep(0.2)
                assert server.stop() == 0


def drops_root():
    if os.geteuid() != 0:
        return "needs root"
    nobody = pwd.getpwnam("nobody")
    with Server("--workers", "2") as server:
        for pid in (server.process.pid, *client.children(server.process.pid)):
            with open(f"/proc/{pid}/status", encoding="ascii") as f:
                status = dict(line.split(":", 1) for line in f)
            assert set(status["Uid"].split()) == {str(nobody.pw_uid)}, status["Uid"]
            assert set(status["Gid"].split()) == {str(nobody.pw_gid)}, status["Gid"]
            assert status["Groups"].split() == [], status["Groups"]
    fails("--port", "0", "--user", "no-such-user", code=1, says="no-such-user")
    with tempfile.TemporaryDirectory() as private:  # mode 700
        fails("--port", "0", "--docroot", private, code=1, says="user nobody")
        with Server("--docroot", private, "--user", "root") as server:
            assert server.get("/x").status == 404
    return None


def seccomp(engine):
    """With the filter on everything still works; what isn't serving is fatal and reported."""
    with client.docroot() as root, Server("--seccomp", "--engine", engine, "--docroot", root, "--stats",
                                          "/stats", "--workers", "2",
                                          exe=client.release_program()) as server:
        for path, status in (("/health", 200), ("/small.txt", 200), ("/large.bin", 200),
                             ("/leak.txt", 403), ("/none", 404), ("/stats", 200)):
            assert server.get(path).status == status, (path, server.log())
        for pid in client.children(server.process.pid):
            with open(f"/proc/{pid}/status", encoding="ascii") as f:
                assert "Seccomp:\t2" in f.read(), f"worker {pid} has no filter"
        with server.connect() as c:
            c.send(request("POST", "/echo", b"x" * 1000000))
            assert len(c.answer().body) == 1000000
        with server.connect() as c:
            c.send(b"BAD\r\n\r\n")
            assert c.answer().status == 400


def real_clients(engine):
    with client.docroot() as root, Server("--engine", engine, "--docroot", root, "--stats",
                                          "/stats") as server:
        url = f"http://127.0.0.1:{server.port}"
        c = http.client.HTTPConnection("127.0.0.1", server.port, timeout=client.PATIENCE_S)
        for _ in range(3):
            c.request("POST", "/echo", body=iter([b"ab", b"c"]), encode_chunked=True,
                      headers={"Transfer-Encoding": "chunked"})
            assert c.getresponse().read() == b"abc"
        c.close()
        big = os.path.join(root, "large.bin")
        with open(big, "rb") as f:
            got = subprocess.run(["curl", "-sS", f"{url}/large.bin"], capture_output=True, check=True)
            assert got.stdout == f.read()
        got = subprocess.run(["curl", "-sS", "--data-binary", f"@{root}/mega.bin", f"{url}/echo"],
                             capture_output=True, check=True)
        assert got.stdout == b"m" * 1048576, "curl's Expect"
        if shutil.which("ab"):
            shown = subprocess.run(["ab", "-k", "-n", "200", "-c", "2", f"{url}/health"],
                                   capture_output=True, text=True, check=True).stdout
            assert "Keep-Alive requests:    200" in shown and "Failed requests:        0" in shown, shown
            shown = subprocess.run(["ab", "-n", "200", "-c", "2", f"{url}/small.txt"],
                                   capture_output=True, text=True, check=True).stdout
            assert "Complete requests:      200" in shown and "Failed requests:        0" in shown, shown
        if shutil.which("wrk"):
            shown = subprocess.run(["wrk", "-t1", "-c8", "-d1s", f"{url}/small.txt"],
                                   capture_output=True, text=True, check=True).stdout
            assert "Socket errors" not in shown and "Non-2xx" not in shown, shown
        stats = server.stats()
        assert stats["errors"] == 0 and stats["status_4xx"] == 0, stats


def memory_kb(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
        return sum(int(line.split()[1]) for line in f
                   if line.startswith(("Private_Dirty", "Private_Clean")))


def idle_connection_is_small(engine):
    """An idle connection that has served a request costs at most 128 bytes of the server's memory."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(8000, hard - 300 if hard != resource.RLIM_INFINITY else 8000)
    if count < 1000:
        return "too few descriptors"
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        with Server("--engine", engine, exe=client.release_program()) as server:
            def fill(n):
                opened = [server.connect() for _ in range(n)]
                for c in opened:
                    c.send(request("POST", "/echo", b"x" * 100))
                for c in opened:
                    c.answer()
                return opened
            held = fill(200)
            before = memory_kb(server.process.pid)
            held += fill(count - 200)
            each = (memory_kb(server.process.pid) - before) * 1024 / (count - 200)
            for c in held:
                c.s.close()
            assert each <= 128, f"{each:.0f} bytes each"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return None


def calls_of(server, count):
    """The system calls that count requests, one after the other, cost the server."""
    with tempfile.NamedTemporaryFile("r") as trace, server.connect() as c:
        c.send(request())
        c.answer()
        tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", trace.name, "-p",
                                   str(server.process.pid)], stderr=subprocess.PIPE)
        try:
            def attached():
                with open(f"/proc/{server.process.pid}/status", encoding="ascii") as f:
                    return f"TracerPid:\t{tracer.pid}\n" in f.read()
            wait_for(lambda: attached() or tracer.poll() is not None, "strace to attach")
            if tracer.poll() is not None:
                return None
            for _ in range(count):
                c.send(request())
                c.answer()
        finally:
            tracer.terminate()
            tracer.communicate()
        calls = {}
        for line in trace:
            name = line.split(maxsplit=1)[1].split("(")[0]
            if "resumed" not in line and name.isidentifier():
                calls[name] = calls.get(name, 0) + 1
        return calls


def calls_per_request(engine):
    """epoll: one wait, one receive, one send for each request; io_uring: one call for all."""
    if not shutil.which("strace"):
        return "no strace"
    with Server("--engine", engine, exe=client.release_program()) as server:
        calls = calls_of(server, 100)
    if calls is None:
        return "strace may not trace here"
    calls.pop("restart_syscall", None)
    if engine == "epoll":
        wanted = {"epoll_wait", "recvfrom", "sendto"}
        assert set(calls) == wanted and all(99 <= n <= 102 for n in calls.values()), calls
    else:
        assert set(calls) == {"io_uring_enter"} and calls["io_uring_enter"] <= 210, calls
    return None


def files_without_openat2():
    """On a kernel without openat2 files are still served, and still none from outside the root."""
    prefix = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=openat2:error=ENOSYS")
    if not shutil.which("strace"):
        return "no strace"
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        return "strace may not trace here"
    with client.docroot() as root, Server("--docroot", root, "--engine", "epoll", "--stats", "/stats",
                                          prefix=prefix, exe=client.release_program()) as server:
        for path, status in (("/small.txt", 200), ("/dir/", 200), ("/dir", 301), ("/dir/index.html", 200),
                             ("/leak.txt", 403), ("/link.txt", 403), ("/..%2fsecret.txt", 400),
                             ("/none", 404), ("/small.txt/x", 404), ("/" + "n" * 300, 404)):
            answer = server.get(path)
            assert answer.status == status and client.SECRET not in answer.body, (path, answer)
        os.kill(server.stats()["workers"][0]["pid"], signal.SIGTERM)
        server.process.wait(client.PATIENCE_S)
    return None


def ceiling(engine):
    """One canned answer for each end of a head, however it is cut."""
    with Server("--engine", engine, "--workers", "2", exe=client.program("ceiling")) as server:
        with server.connect() as c:
            c.send(request() * 1000)
            assert all(c.answer().body == b"OK" for _ in range(1000))
            for part in (b"GET / HTTP/1.1\r", b"\n\r", b"\n", b"\r\r\n\r\n"):
                c.send(part)
                time.sleep(0.02)
            assert c.answer().body == b"OK" and c.answer().body == b"OK"
            c.s.shutdown(socket.SHUT_WR)
            c.closed()


def main():
    tap = client.Tap()
    for test in (bad_options, bad_start, port_taken, help_and_version, addresses, headers_off, no_keepalive,
                 limits_from_options, kqueue_fails, auto_serves_on_epoll, files_without_openat2, supervisor_killed, drops_root):
        tap.check(test.__name__.replace("_", " "), test)
    for error, says in URING_ERRORS.items():
        tap.check(f"io_uring refused with {error}", uring_fails, error, says)
    for engine in client.ENGINES:
        for test in (workers_replaced, grace_is_over, seccomp, real_clients,
                     idle_connection_is_small, calls_per_request, ceiling):
            tap.check(f"{engine} {test.__name__.replace('_', ' ')}", test, engine)
        for workers in ("1", "2"):
            for number in (signal.SIGTERM, signal.SIGINT):
                tap.check(f"{engine} ends gracefully, {workers} workers, {number.name}", graceful,
                          engine, workers, number)
    tap.done()


main()
