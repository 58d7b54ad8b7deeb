#!/usr/bin/python3
"""soak.t: a few seconds of scripts/soak on every engine, and that it notices what it is there for."""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import client  # noqa: E402
import soak  # noqa: E402

SECONDS = 8


def short(engine, root):
    print(f"# {soak.soak(engine, root, SECONDS, int(time.time()))}")


def notices_wrong_bytes(root):
    """A file that isn't what the load expects is a failure that names its deed."""
    path = os.path.join(root, "large.bin")
    with open(path, "r+b") as f:
        f.seek(1000)
        f.write(b"x")
    try:
        soak.soak("epoll", root, SECONDS, 1)
    except AssertionError as problem:
        assert "another file" in str(problem) or "files" in str(problem), problem
        return
    raise AssertionError("a wrong byte went unnoticed")


def notices_growth(root):
    """A server that keeps more at the end than at first fails."""
    seen = iter((1000, 1000 + soak.GROWTH_KB + 1))
    real, soak.rest = soak.rest, lambda server: (9, next(seen))
    try:
        soak.soak("epoll", root, 4, 1)
    except AssertionError as problem:
        assert "memory at rest" in str(problem), problem
        return
    finally:
        soak.rest = real
    raise AssertionError("growth went unnoticed")


def main():
    tap = client.Tap()
    with client.docroot() as root:
        for engine in client.ALL_ENGINES:
            tap.check(f"{engine} {SECONDS} s of everything", short, engine, root)
        tap.check("notices growth", notices_growth, root)
        tap.check("notices wrong bytes", notices_wrong_bytes, root)
    tap.done()


main()
