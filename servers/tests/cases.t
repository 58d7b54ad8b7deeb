#!/usr/bin/python3
"""cases: every file of cases/ over real sockets, on every engine: sent whole, cut in two at every
byte, and byte by byte. However the bytes are cut, the answers are the same.

A case: comment lines (#), lines to send, then what to expect:

    > TEXT          sent, with the escapes \\r \\n \\t \\\\ \\xHH and {N*C}: character C N times
    < STATUS ...    the answers in order; after the status any of:
                    head (answers HEAD)  body=TEXT  size=N  Name:value  Name:* (any)  -Name (absent)
    = open | closed whether the connection is usable afterwards
"""

import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import client  # noqa: E402

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
CUTS_MAX = 400  # of one case; longer ones are cut at evenly spread places
TOGETHER = 200  # connections at once
PAUSE_S = 0.02


def unescape(text):
    text = re.sub(r"\{(\d+)\*(.)\}", lambda m: m.group(2) * int(m.group(1)), text)
    out = re.sub(r"\\(x[0-9a-fA-F]{2}|.)", lambda m: {
        "r": "\r", "n": "\n", "t": "\t", "\\": "\\"}.get(m.group(1)) or chr(int(m.group(1)[1:], 16)),
        text)
    return out.encode("latin-1")


class Case:
    def __init__(self, path):
        self.name = os.path.basename(path)
        self.send, self.expected, self.end = b"", [], None
        with open(path, encoding="ascii") as f:
            for number, line in enumerate(f, 1):
                self._take(line.rstrip("\n"), f"{path}:{number}")
        assert self.send and self.end, f"{path}: nothing to send, or no = line"

    def _take(self, line, where):
        kind, rest = line[:1], line[2:]
        if kind == ">":
            self.send += unescape(rest)
        elif kind == "<":
            words = rest.split(" ") if "body=" not in rest else \
                rest[:rest.index("body=")].split() + [rest[rest.index("body="):]]
            self.expected.append((int(words[0]), words[1:]))
        elif kind == "=":
            assert rest in ("open", "closed"), where
            self.end = rest
        else:
            assert kind in ("#", ""), where

    def cuts(self):
        n = len(self.send)
        step = max(1, n // CUTS_MAX)
        return range(1, n, step)


def check_answer(answer, status, words):
    assert answer.status == status, f"wanted {status}, got {answer}"
    for word in words:
        if word.startswith("body="):
            assert answer.body == unescape(word[5:]), f"wanted {word}, got {answer}"
        elif word.startswith("size="):
            assert len(answer.body) == int(word[5:]), f"wanted {word}, got {answer}"
        elif word.startswith("-"):
            assert answer.field(word[1:]) is None, f"wanted no {word[1:]}: {answer}"
        elif ":" in word:
            name, value = word.split(":", 1)
            got = answer.field(name)
            wanted = unescape(value.replace("_", " ")).decode()
            assert got is not None and wanted in ("*", got), f"wanted {word}: {answer}"
        else:
            assert word == "head", f"unknown word {word!r}"


def read_answers(case, c, strict):
    answers = []
    for status, words in case.expected:
        answer = c.answer("head" in words)
        while answer.status == 100 and status != 100 and not strict:
            answer = c.answer("head" in words)  # sent or not, depending on the cut
        if status == 100 and not strict and answer.status != 100:
            raise AssertionError("write cases without 100, or as one piece")
        check_answer(answer, status, words)
        answers.append(answer.same())
    return answers


def check_end(case, c):
    if case.end == "closed":
        c.closed()
    else:
        assert c.held == b"", f"bytes behind the last answer: {c.held!r}"
        c.send(client.request())
        assert c.answer().body == b"OK"


def whole(server, case):
    with server.connect() as c:
        c.send(case.send)
        read_answers(case, c, False)
        check_end(case, c)


def send_or_refused(c, data):
    """The server may have refused and closed already: what it said can still be read."""
    try:
        c.send(data)
    except (BrokenPipeError, ConnectionResetError):
        pass


def cut_in_two(server, case):
    with server.connect() as c:
        c.send(case.send)
        wanted = read_answers(case, c, False)
    places = list(case.cuts())
    for start in range(0, len(places), TOGETHER):
        batch = [(at, server.connect()) for at in places[start:start + TOGETHER]]
        for at, c in batch:
            c.send(case.send[:at])
        time.sleep(PAUSE_S)
        for at, c in batch:
            send_or_refused(c, case.send[at:])
        for at, c in batch:
            with c:
                try:
                    assert read_answers(case, c, False) == wanted
                    check_end(case, c)
                except (AssertionError, OSError) as problem:
                    raise AssertionError(f"cut at {at} of {len(case.send)}: {problem}") from None


def byte_by_byte(server, cases):
    """All short cases at once, a byte of each in turn."""
    opened = [(case, server.connect()) for case in cases if len(case.send) <= 1000]
    for i in range(max(len(case.send) for case, _ in opened)):
        for case, c in opened:
            if i < len(case.send):
                send_or_refused(c, case.send[i:i + 1])
        time.sleep(0.001)
    for case, c in opened:
        with c:
            try:
                read_answers(case, c, False)
                check_end(case, c)
            except (AssertionError, OSError) as problem:
                raise AssertionError(f"{case.name}: {problem}") from None


def main():
    tap = client.Tap()
    wanted = sys.argv[1:]
    paths = sorted(os.listdir(FOLDER))
    cases = [Case(os.path.join(FOLDER, p)) for p in paths if not wanted or p in wanted]
    with client.docroot() as root:
        for engine in client.ALL_ENGINES:
            def run(engine=engine):
                with client.Server("--engine", engine, "--docroot", root) as server:
                    for case in cases:
                        tap.check(f"{engine} {case.name}", whole, server, case)
                        tap.check(f"{engine} {case.name} cut in two", cut_in_two, server, case)
                    tap.check(f"{engine} byte by byte", byte_by_byte, server, cases)
            tap.check(f"{engine} starts and ends cleanly", run)
    tap.done()


if __name__ == "__main__":
    main()
