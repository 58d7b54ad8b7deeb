#!/usr/bin/python3
"""published.t: configs/published says what its sources say.

fixtures/published/rows.tsv has every published figure a second time, written down from the sources
apart from the JSON: each must be there, and nothing else. The schema holds too, and isn't so loose that
a key mistyped would be let in."""
import copy
import json
import pathlib
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = ROOT / "harness/tests/fixtures/published/rows.tsv"
SCHEMA = ROOT / "results/schema/published.schema.json"


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def rows_of(document):
    """Each row as the second transcription writes it; figures as numbers, so that 62 is 62.0."""
    for table in document["tables"]:
        for row in table["rows"]:
            requests = row.get("requests", table["generator"].get("requests"))
            if "run" in row:
                apart = f"run={row['run']}"
            elif "threads" in row:
                apart = f"threads={row['threads']}"
            elif table["id"] == "round3-workers":
                apart = f"workers={row['workers']}"
            elif document["id"] in ("lear", "luajit"):
                apart = f"requests={requests}"
            else:
                apart = "-"
            yield (table["id"], row["server"], row["route"], row["connections"], apart,
                   float(row["requests_per_s"]))


def transcribed():
    for line in ROWS.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            table, server, route, level, apart, rate = line.split("\t")
            yield table, server, route, int(level), apart, float(rate)


class Tap:
    def __init__(self):
        self.number = 0
        self.failed = False

    def test(self, name, problems):
        self.number += 1
        self.failed |= bool(problems)
        print(f"{'not ok' if problems else 'ok'} {self.number} - {name}")
        for line in problems[:10]:
            print(f"# {line}")


def main():
    tap = Tap()
    documents = {p.stem: load(p) for p in sorted((ROOT / "configs/published").glob("*.json"))}
    check = jsonschema.Draft202012Validator(load(SCHEMA))
    have = [row for d in documents.values() for row in rows_of(d)]
    want = list(transcribed())
    tap.test("there are three comparisons",
             [] if sorted(documents) == ["leantea", "lear", "luajit"] else [str(list(documents))])
    tap.test("no figure is missing", [str(r) for r in sorted(set(want) - set(have))])
    tap.test("no figure is made up", [str(r) for r in sorted(set(have) - set(want))])
    tap.test("none is there twice", [] if len(set(have)) == len(have) == len(want)
             else [f"{len(have)} rows, {len(set(have))} different ones, {len(want)} published"])
    for name, document in documents.items():
        tap.test(f"{name} is valid", [e.message for e in check.iter_errors(document)])
        tap.test(f"{name} names its source and its host",
                 [k for k in ("source", "host", "title") if not document.get(k)])
        for where in ((), ("tables", 0), ("tables", 0, "rows", 0), ("tables", 0, "generator")):
            more = copy.deepcopy(document)
            holder = more
            for step in where:
                holder = holder[step]
            holder["unheard_of"] = 1
            tap.test(f"{name}: an unknown key in {'/'.join(map(str, where)) or 'top'} is refused",
                     ["it was let in"] if check.is_valid(more) else [])
    print(f"1..{tap.number}")
    return tap.failed


if __name__ == "__main__":
    sys.exit(main())
