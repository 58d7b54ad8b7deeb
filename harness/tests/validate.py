#!/usr/bin/python3
"""validate.py SCHEMA FILE...: validates JSON files with jsonschema, an independent validator.
NaN and Infinity, which Python would read, are refused: they are not JSON."""
import json
import pathlib
import sys

import jsonschema


def refuse(name):
    raise ValueError(f"{name} is not JSON")


def load(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"), parse_constant=refuse)


def main():
    schema_path = pathlib.Path(sys.argv[1])
    schema = load(schema_path)
    store = {}
    for path in schema_path.parent.glob("*.schema.json"):
        other = load(path)
        store[other["$id"]] = other
        store[path.name] = other
    resolver = jsonschema.RefResolver(schema["$id"], schema, store=store)
    validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
    bad = 0
    for path in sys.argv[2:]:
        for error in validator.iter_errors(load(path)):
            where = "/".join(str(part) for part in error.absolute_path)
            print(f"{path}: {where}: {error.message[:300]}")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
