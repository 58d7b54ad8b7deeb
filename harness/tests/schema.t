#!/usr/bin/python3
"""schema.t: what Parity ships and writes agrees with results/schema, by an independent validator.

Every suite and manifest is valid; so is a result that the model wrote (test_result writes one to
$RESULT_OUT), and what volley prints, in a closed and an open loop, of a server of this script; and
the schemas aren't so loose that anything is: documents with a key less, a key more, or a value of
another type are refused."""
import copy
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "results" / "schema"
WRITER = "build/asan/harness/tests/test_result"
VOLLEY = "build/asan/bin/volley"


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def load(path):
    """Strict: no NaN or Infinity, which Python would read, and no key twice."""

    def pairs(items):
        keys = [key for key, _ in items]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise ValueError(f"{path}: keys are there twice: {sorted(twice)}")
        return dict(items)

    text = pathlib.Path(path).read_bytes().decode("utf-8")
    return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=pairs)


def validators():
    """A validator for each schema; "suite.schema.json" is found beside the one that names it."""
    schemas = {path.name: load(path) for path in sorted(SCHEMAS.glob("*.schema.json"))}
    store = {schema["$id"]: schema for schema in schemas.values()} | schemas
    made = {}
    for name, schema in schemas.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        resolver = jsonschema.RefResolver(schema["$id"], schema, store=store)
        made[name.split(".")[0]] = jsonschema.Draft202012Validator(schema, resolver=resolver)
    return made


class Tap:
    """Numbers the tests; a test passes when its list of problems is empty."""

    def __init__(self):
        self.number = 0
        self.failed = 0

    def test(self, name, problems):
        self.number += 1
        self.failed += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {self.number} - {name}")
        for line in list(problems)[:20]:
            print(f"# {line}")


def problems_of(validator, document):
    return [
        f"{'/'.join(map(str, e.absolute_path)) or 'top'}: {e.message[:200]}"
        for e in validator.iter_errors(document)
    ]


def places(value, way=()):
    """Every (way, value) of a document, outermost first; of an array, its first element only."""
    yield way, value
    if isinstance(value, dict):
        for key, below in value.items():
            yield from places(below, way + (key,))
    elif isinstance(value, list) and value:
        yield from places(value[0], way + (0,))


def edited(document, way, change):
    """A copy of the document in which change(holder, key) was applied at this way."""
    result = copy.deepcopy(document)
    holder = result
    for step in way[:-1]:
        holder = holder[step]
    change(holder, way[-1])
    return result


# Objects whose keys are data (a server's name, a fact), and keys that a person may leave out.
OPEN = {"environment", "facts", "options", "values", "reasons", "lacks", "differs", "blocks_of",
        "duration_of"}
OPTIONAL = {
    "suite": {"title", "reference", "modes", "workers", "blocks_of", "duration_of",
              "requests", "warmup_s", "seed"},
    "server": {"schema", "schema_version", "title", "version", "needs", "configs", "lacks",
               "differs", "workers", "stop_signal", "port", "counter", "skip", "install",
               "limit"},
    "result": set(),
    "volley": set(),
    "volley-slice": set(),
}


def looseness(kind, validator, document):
    """Changes that the schema should have noticed and didn't."""
    missed = []
    for way, value in places(document):
        name = "/".join(map(str, way)) or "top"
        if isinstance(value, dict) and not OPEN & set(way):
            more = edited({"x": document}, ("x",) + way, lambda h, k: h[k].update(unheard_of=1))
            if validator.is_valid(more["x"]):
                missed.append(f"{name}: an unknown key was let in")
        if not way or OPEN & set(way[:-1]):
            continue
        optional = OPTIONAL["suite"] if kind == "result" and way[0] == "suite" else OPTIONAL[kind]
        if isinstance(way[-1], str) and way[-1] not in optional:
            if validator.is_valid(edited(document, way, lambda h, k: h.pop(k))):
                missed.append(f"{name}: was dropped and nobody missed it")
        for other in ({}, [], True):
            if type(other) is type(value):
                continue
            if validator.is_valid(edited(document, way, lambda h, k: h.__setitem__(k, other))):
                missed.append(f"{name}: {json.dumps(other)} was let in")
    return missed


def build(program):
    if not (ROOT / program).exists():
        subprocess.run(["make", "-s", program], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


class Ok(http.server.BaseHTTPRequestHandler):
    """Answers every GET with two bytes and keeps the connection."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):  # the name is http.server's
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"OK")

    def log_message(self, *_):
        pass


def volley_says(folder, *more):
    """What volley printed about a server of our own: its summary, and its slices."""
    build(VOLLEY)
    slices = pathlib.Path(folder) / "slices.jsonl"
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ok) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        done = subprocess.run(
            [ROOT / VOLLEY, "--json", "-c", "2", "--requests", "100", "-d", "60s", "--slices", slices,
             "--pid", f"0={os.getpid()}", *more, url], capture_output=True, text=True, check=False)
        server.shutdown()
    if done.returncode != 0:
        raise RuntimeError(f"volley: {done.stderr}")
    summary = pathlib.Path(folder) / "summary.json"
    summary.write_text(done.stdout, encoding="utf-8")
    lines = slices.read_text(encoding="utf-8").splitlines()
    one = pathlib.Path(folder) / "slice.json"
    documents = []
    for line in lines:
        one.write_text(line, encoding="utf-8")
        documents.append(load(one))
    return load(summary), documents


def test_volley(tap, check):
    for loop, more in (("closed", []), ("open", ["--rate", "200/s"])):
        with tempfile.TemporaryDirectory() as folder:
            summary, slices = volley_says(folder, *more)
        tap.test(f"volley has something to say of a {loop} loop",
                 [] if slices and summary["targets"][0]["ok"] == 100 else [str(summary)])
        for kind, documents in (("volley", [summary]), ("volley-slice", slices)):
            tap.test(f"a {kind} of a {loop} loop is one",
                     [p for document in documents for p in problems_of(check[kind], document)])
            tap.test(f"nothing can be changed in a {kind} of a {loop} loop unseen",
                     looseness(kind, check[kind], documents[0]))
    tap.test("a slice is no summary", ["it is"] if check["volley"].is_valid(slices[0]) else [])


def write_result(folder):
    build(WRITER)
    path = pathlib.Path(folder) / "result.json"
    done = subprocess.run(
        [ROOT / WRITER], env=os.environ | {"RESULT_OUT": str(path)}, capture_output=True, text=True
    )
    return path, [] if done.returncode == 0 else done.stdout.splitlines() + done.stderr.splitlines()


def verdict_names():
    text = (ROOT / "harness/model/verdict.h").read_text(encoding="utf-8")
    return re.findall(r'^ +X\([A-Z_]+, "([a-z_]+)"', text, re.MULTILINE)


def main():
    tap = Tap()
    check = validators()
    suites = sorted((ROOT / "configs/suites").glob("*.json"))
    servers = sorted((ROOT / "servers").glob("*/server.json"))
    tap.test("there are suites and servers", [] if suites and servers else ["none was found"])
    for kind, files in (("suite", suites), ("server", servers)):
        for path in files:
            document = load(path)
            name = path.relative_to(ROOT)
            tap.test(f"{name} is a {kind}", problems_of(check[kind], document))
            tap.test(f"nothing can be changed in {name} unseen",
                     looseness(kind, check[kind], document))
            stem = path.stem if kind == "suite" else path.parent.name
            tap.test(f"{name} is named as its file",
                     [] if document["name"] == stem else [document["name"]])
    with tempfile.TemporaryDirectory() as folder:
        path, failed = write_result(folder)
        tap.test("test_result writes a result", failed)
        result = load(path) if path.exists() else {}
    tap.test("the result is a result", problems_of(check["result"], result))
    tap.test("it has something of everything",
             [k for k in ("trials", "ratios", "cells", "fairness", "warnings") if not result.get(k)])
    tap.test("nothing can be changed in it unseen", looseness("result", check["result"], result))
    test_volley(tap, check)
    tap.test("a suite is no result and no server",
             [k for k in ("result", "server") if check[k].is_valid(load(suites[0]))])
    names = verdict_names()
    for where in ("cells", "trials"):
        known = check["result"].schema["properties"][where]["items"]["properties"]["verdict"]
        tap.test(f"verdicts of {where} are those of verdict.h",
                 [] if names and known["enum"] == names else [f"{known['enum']} {names}"])
    print(f"1..{tap.number}")
    return tap.failed > 0


if __name__ == "__main__":
    sys.exit(main())
