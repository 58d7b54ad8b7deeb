#!/usr/bin/python3
"""readme.t: what the README says is there is there, and what is there is in the README.

Each rule takes the README's text and yields what is wrong. First each is tried on the README with
one thing spoilt, so that a rule which no longer notices anything fails here; then on the real
one."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def source(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text, language):
    """The texts of the fenced blocks of this language ("" = none given)."""
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for name, block in fences if name == language]


def without_blocks(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def spans(text):
    """What stands in backquotes, outside of blocks."""
    return re.findall(r"`([^`]+)`", without_blocks(text))


def differences(said, real, what):
    for name in sorted(set(real) - set(said)):
        yield f"{what} {name} is not in the README"
    for name in sorted(set(said) - set(real)):
        yield f"{what} {name} is only in the README"


def table(text, first):
    """Rows of the table whose first heading is this; each a list of its cells."""
    head = text.index(f"| {first} |")
    lines = text[head:].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def verdicts(text):
    said = [n for row in table(text, "verdict") for n in re.findall(r"`([a-z_]+)`", row[0])]
    header = source("harness/model/verdict.h")
    real = re.findall(r'^ +X\([A-Z_]+, "([a-z_]+)"', header, re.MULTILINE)
    yield from differences(said, real, "the verdict")
    yield from (f"{name} is there twice" for name in set(said) if said.count(name) > 1)


def routes(text):
    """Name, method, path and size of each route."""
    real = {}
    entries = re.findall(r'\.name = "(\w+)",(.*?)}', source("harness/model/route.c"), re.DOTALL)
    for name, fields in entries:
        get = dict(re.findall(r'\.(method|path) = "([^"]+)"', fields))
        real[name] = f"`{get['method']} {get['path']}`"
    said = {row[0].strip("`"): row[1] for row in table(text, "route")}
    yield from differences(said, real, "the route")
    for name in set(said) & set(real):
        if said[name] != real[name]:
            yield f"the route {name} is {real[name]}, not {said[name]}"


def verbs(text):
    """Every verb is explained, and none that doesn't exist is used."""
    real = re.findall(r'^    \{"(\w+)", ".*command_\w+\},$', source("harness/main.c"), re.MULTILINE)
    listing = re.search(r"^```\n(parity run.*?)^```$", text, re.MULTILINE | re.DOTALL).group(1)
    commands = "\n".join(blocks(text, "sh") + spans(text) + [listing])
    used = re.findall(r"\bparity ([a-z]\w*)", commands)
    yield from differences(re.findall(r"^parity (\w+)", listing, re.MULTILINE), real, "the verb")
    yield from (f"there is no parity {name}" for name in set(used) - set(real))


def flags(text):
    """Flags of parity and of ci/gate in commands and in the text (not those of the example's own
    server)."""
    files = (ROOT / "harness/command").glob("*.c")
    commands = "\n".join(p.read_text(encoding="utf-8") for p in files)
    real = set(re.findall(r'^    \{"([a-z-]+)", OPTION_', commands, re.MULTILINE))
    real |= set(re.findall(r"^    --([a-z-]+)\)", source("ci/gate"), re.MULTILINE))
    said = "\n".join(blocks(text, "sh") + blocks(text, "") + spans(text))
    for flag in sorted(set(re.findall(r"(?<![\w-])--([a-z][a-z-]+)", said)) - real):
        yield f"there is no flag --{flag}"


def targets(text):
    real = re.findall(r"^([a-z-]+):", source("Makefile"), re.MULTILINE)
    said = re.findall(r"\bmake ([a-z-]+)", "\n".join(blocks(text, "sh") + spans(text)))
    if not said:
        yield "no make target is named"
    yield from (f"the Makefile has no target {name}" for name in sorted(set(said) - set(real)))


def is_there(path):
    """Exists, and is no empty folder, which a clone wouldn't have."""
    return path.is_file() or (path.is_dir() and any(path.iterdir()))


def links(text):
    """Links lead to what a clone has: tracked files, where git can be asked."""
    tracked = None
    if shutil.which("git") and (ROOT / ".git").exists():
        listing = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "ls-files"], cwd=ROOT,
                                 capture_output=True, text=True)
        tracked = set(listing.stdout.split("\n")) if listing.returncode == 0 else None
    for link in re.findall(r"\]\(([^)\s]+)\)", without_blocks(text)):
        if not link.startswith(("http:", "https:", "#")):
            if not (ROOT / link).is_file() or (tracked is not None and link not in tracked):
                yield f"the link to {link} leads nowhere"


def paths(text):
    """Paths in the text: TOP/..., where TOP is a folder of ours; capitals stand for anything."""
    tops = [p.name for p in ROOT.iterdir() if p.is_dir() and p.name not in ("bin", "build")]
    named = [s.split()[0] for s in spans(text) if re.fullmatch(r"[a-z]+/[\w./-]*( [a-z]+)*", s)]
    ours = [p for p in named if p.split("/")[0] in tops and not re.search(r"[A-Z]{3}", p)]
    if len(ours) < 3:
        yield "hardly any path is named"
    yield from (f"{path} is not there" for path in ours if not is_there(ROOT / path))


def house_names(text):
    """(top folder, name) of what the plan of the house lists, explanations left out."""
    plan = re.search(r"^## The house\n\n```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL).group(1)
    plan = re.sub(r"\([^()]*\)", "", plan)
    pieces = re.split(r"(?:^| {3,})(\w+)/ {2,}", plan, flags=re.MULTILINE)
    for top, listed in zip(pieces[1::2], pieces[2::2]):
        yield top, ""
        for name in re.findall(r"(?<![\w/])([\w-]+/|[\w-]+(?:\.\w+)+)", listed):
            yield top, name


def house(text):
    named = set(house_names(text))
    for top, name in sorted(named):
        if not is_there(ROOT / top / name):
            yield f"{top}/{name} is not there"
    harness = [f"{p.name}/" for p in (ROOT / "harness").iterdir() if p.is_dir()]
    for name in sorted(set(harness) - {"tests/"} - {n for top, n in named if top == "harness"}):
        yield f"harness/{name} is not in the plan of the house"


def manifest(text):
    """The example is short and a valid manifest, by an independent validator."""
    found = blocks(text, "json")
    if len(found) != 1 or len(found[0].splitlines()) > 10:
        yield "there must be one example, of at most ten lines"
        return
    try:
        example = json.loads(found[0])
    except ValueError as error:
        yield f"the example is no JSON: {error}"
        return
    known = placeholder_names()
    for name in re.findall(r"\{(\w+)\}", json.dumps(example.get("start"))):
        if name not in known:
            yield f"the example uses {{{name}}}, which nobody fills in"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "server.json"
        path.write_text(found[0], encoding="utf-8")
        checker = [sys.executable, ROOT / "harness/tests/validate.py",
                   ROOT / "results/schema/server.schema.json", path]
        done = subprocess.run(checker, capture_output=True, text=True)
        if done.returncode:
            yield from (done.stdout + done.stderr).splitlines()


def placeholder_names():
    launch = source("harness/lab/launch.c")
    names = re.findall(r'\(struct template_value\)\{"(\w+)"', launch)
    numbers = re.search(r"numbers\[\] = \{(.*?)\};", launch, re.DOTALL).group(1)
    return set(names) | set(re.findall(r'\{"(\w+)", ', numbers))


def placeholders(text):
    said = [name for s in spans(text) for name in re.findall(r"\{(\w+)\}", s)]
    yield from differences(said, placeholder_names(), "the placeholder")


def manifest_keys(text):
    """Every key of a manifest that isn't for our own servers only is explained."""
    schema = json.loads(source("results/schema/server.schema.json"))
    said = set(spans(text)) | {k for b in blocks(text, "json") for k in re.findall(r'"(\w+)":', b)}
    for key in sorted(set(schema["properties"]) - said - {"schema", "schema_version"}):
        yield f"the manifest's key {key} is not explained"


def generators(text):
    real = re.findall(r"\.name = \"(\w+)\"", "".join(
        source(f"harness/load/{n}.c") for n in re.findall(
            r"&(\w+)_generator", source("harness/load/generator.c"))))
    paragraph = re.search(r"^Generators: .*?\n\n", text, re.MULTILINE | re.DOTALL).group(0)
    said = re.findall(r"\*\*(\w+)\*\*", paragraph)
    yield from differences(said, real, "the generator")
    if "volley, wrk and ab" not in text.split("##")[0] or len(real) != 3:
        yield "the first paragraph names other generators"


# (name, rule, what to spoil in the README, with what): every rule must notice each of these.
RULES = [
    ("every verdict is in the table, and no other", verdicts,
     [("`fd_limit`, ", ""), ("| `errors` |", "| `failures` |"),
      ("`short`, ", "`short`, `errors`, ")]),
    ("every route is in the table as it is", routes,
     [("| `json` | `GET /json` |", "| `json` | `GET /js` |"), ("| `health` |", "| `helth` |")]),
    ("every verb is listed, and no other is used", verbs,
     [("parity doctor  ", "parity doktor  "), ("bin/parity duel nginx", "bin/parity race nginx")]),
    ("flags exist", flags, [("--margin", "--margins"), ("`--resume DIR`", "`--continue DIR`")]),
    ("make targets exist", targets,
     [("make bench  ", "make bensch  "), ("`make bench`", "`make all-of-it`")]),
    ("links lead to files of the repository", links,
     [("(results/schema/server.schema.json)", "(results/schema/servers.json)"),
      ("(results/reference/quick/result.json)", "(bin/parity)")]),
    ("paths exist", paths, [("`harness/judge/validity.c`", "`harness/judge/valid.c`"),
                            ("`harness/model/`", "`harness/models/`")]),
    ("the plan of the house is that of the folders", house,
     [("nginx.conf.in", "nginx.conf"), ("stats/, ", ""), ("reactor/, ", "reaktor/, ")]),
    ("the example is a valid manifest", manifest,
     [('"name": "mine",', '"nam": "mine",'), ('["health", "small"]', '["health", "tiny"]'),
      ('"{port}"', '"{ports}"'), ('"routes": [', '"routes": (')]),
    ("every placeholder is listed, and no other", placeholders,
     [("{backlog} ", ""), ("`{dir}`", "`{folder}`")]),
    ("every key of a manifest is explained", manifest_keys, [("`stop_signal`", "the stop signal")]),
    ("generators are those that there are", generators,
     [("**wrk** and", "wrk and"), ("volley, wrk and ab", "wrk and ab")]),
]


class Tap:
    def __init__(self):
        self.number = 0
        self.failed = 0

    def test(self, name, problems):
        self.number += 1
        self.failed += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {self.number} - {name}")
        for line in problems[:30]:
            print(f"# {line}")


def unseen(rule, text, spoils):
    """The breaches that the rule doesn't see, and those that aren't even in the text."""
    before = set(rule(text))
    for good, bad in spoils:
        if good not in text:
            yield f"{good} is not in the README, so it can't be spoilt"
        elif set(rule(text.replace(good, bad, 1))) <= before:
            yield f"nobody noticed {bad!r} instead of {good!r}"


def main():
    tap = Tap()
    text = source("README.md")
    for name, rule, spoils in RULES:
        tap.test(f"a breach is seen: {name}", list(unseen(rule, text, spoils)))
    for name, rule, _ in RULES:
        tap.test(name, list(rule(text)))
    print(f"1..{tap.number}")
    return tap.failed > 0


if __name__ == "__main__":
    sys.exit(main())
