#!/usr/bin/python3
"""layers.t: who includes whom, how long things are, and that no public name is there twice.

The rules stand in ALLOWED and LIMITS. First they are tried on a made-up tree that breaks each of
them once, so that a rule which no longer notices anything fails here; then on the real one."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Folder of harness/ -> the folders that its files may include from ("": main.c itself).
MODEL = {"model", "stats", "base"}
LAB = MODEL | {"lab"}
ALLOWED = {
    "base": {"base"},
    "stats": {"stats", "base"},
    "model": MODEL,
    "lab": LAB,
    "check": LAB | {"check"},
    "load": LAB | {"load"},
    "judge": MODEL | {"judge"},
    "present": MODEL | {"present"},
    "run": LAB | {"run", "check", "load", "judge", "present"},
    "command": LAB | {"run", "check", "load", "judge", "present", "command"},
    "volley": {"volley", "stats", "base"},
    "tests": LAB | {"run", "check", "load", "judge", "present", "command", "volley", "tests"},
    "": {"command", "lab", "base"},  # lab: main ends by the signal that stopped it
}
# Code that measures nothing has no business with these headers.
PURE = {"stats", "judge", "present", "model"}
NOT_PURE = {"sys/socket.h", "sys/wait.h", "sys/epoll.h", "spawn.h", "sched.h"}
LIMITS = {".c": 400, ".h": 80}
PRIVATE_HEADER = 120  # what one noun's .c files share (X_priv.h) is no interface
LONGEST_FUNCTION = 60
WIDEST_LINE = 100
BUILT = "build/asan"
EXEMPTION = "longer than 60 lines"  # in the comment above a flat table or switch

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def sources(root, top):
    return sorted(p for p in (root / top).rglob("*.[ch]") if p.is_file())


def includes(path):
    """Names in quotes and names in angles, in order, each with whether it was in quotes."""
    found = INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace"))
    return [(quoted or angled, bool(quoted)) for quoted, angled in found]


def folder_of(path, top):
    below = path.relative_to(top)
    return below.parts[0] if len(below.parts) > 1 else ""


def harness_layers(root):
    for path in sources(root, "harness"):
        me = folder_of(path, root / "harness")
        for name, quoted in includes(path):
            target = name.split("/")[0]
            if not quoted:
                continue
            if me not in ALLOWED:
                yield f"{path}: the folder {me} has no rule"
            elif "/" not in name or target not in ALLOWED[me]:
                yield f"{path}: {me or 'main.c'} may not include {name}"


def includes_exist(root):
    """Relative to the top folder, never with .. in it: so no header of the other tree is reached."""
    for top in ("harness", "servers"):
        for path in sources(root, top):
            for name, quoted in includes(path):
                if ".." in name.split("/") or (quoted and not (root / top / name).is_file()):
                    yield f"{path}: {name} is no header of {top}/"


def angled_includes(root):
    """A header of ours in angles would escape the rules above."""
    for top in ("harness", "servers"):
        for path in sources(root, top):
            for name, quoted in includes(path):
                ours = (root / "harness" / name).is_file() or (root / "servers" / name).is_file()
                if not quoted and ours:
                    yield f"{path}: <{name}> is ours; write it in quotes"


def server_layers(root):
    for path in sources(root, "servers"):
        me = folder_of(path, root / "servers")
        allowed = {me, "http"} if me != "tests" else None
        for name, quoted in includes(path):
            if quoted and allowed is not None and name.split("/")[0] not in allowed:
                yield f"{path}: {me} may not include {name}"


def pure_folders(root):
    for path in sources(root, "harness"):
        if folder_of(path, root / "harness") in PURE:
            for name, _ in includes(path):
                if name in NOT_PURE:
                    yield f"{path}: <{name}> in a folder without processes and sockets"


def own_header_first(root):
    for top in ("harness", "servers"):
        for path in sources(root, top):
            own = path.with_suffix(".h")
            if path.suffix != ".c" or not own.is_file():
                continue
            own = str(own.relative_to(root / top))
            first = includes(path)[:1]
            if first not in ([(own, True)], [(own.replace(".h", "_priv.h"), True)]):
                yield f"{path}: its own header is not its first include"


def file_lengths(root):
    for top in ("harness", "servers"):
        for path in sources(root, top):
            lines = path.read_text(encoding="utf-8", errors="replace").count("\n")
            limit = PRIVATE_HEADER if path.name.endswith("_priv.h") else LIMITS[path.suffix]
            if folder_of(path, root / top) != "tests" and lines > limit:
                yield f"{path}: {lines} lines, at most {limit}"


def line_widths(root):
    for top in ("harness", "servers"):
        for path in sources(root, top):
            text = path.read_text(encoding="utf-8", errors="replace")
            for number, line in enumerate(text.splitlines(), 1):
                if len(line.expandtabs(8)) > WIDEST_LINE:
                    yield f"{path}:{number}: {len(line)} columns, at most {WIDEST_LINE}"


def functions(root):
    """(path, name, first line, last line) of every function, by universal-ctags."""
    files = [str(p) for top in ("harness", "servers") for p in sources(root, top)]
    command = ["ctags", "-f", "-", "--languages=C", "--kinds-C=f", "--fields=ne", "-L", "-"]
    listing = subprocess.run(
        command, input="\n".join(files), capture_output=True, text=True, check=True
    ).stdout
    for line in listing.splitlines():
        where = re.search(r"\tline:(\d+)\tend:(\d+)", line)
        if where and not line.startswith("!"):
            yield pathlib.Path(line.split("\t")[1]), line.split("\t")[0], *map(int, where.groups())


def function_lengths(root):
    for path, name, first, last in functions(root):
        length = last - first + 1
        above = path.read_text(encoding="utf-8", errors="replace").splitlines()[:first]
        if length > LONGEST_FUNCTION and EXEMPTION not in " ".join(above[-8:]):
            yield f"{path}:{first}: {name} has {length} lines, at most {LONGEST_FUNCTION}"


def public_names(root, path):
    """(where, symbol) of each public definition in an object or archive; weak ones may repeat."""
    listing = subprocess.run(
        ["nm", "-A", "--defined-only", "--extern-only", str(path)],
        capture_output=True, text=True, check=True,
    ).stdout
    for line in listing.splitlines():
        where, _, rest = line.rpartition(":")
        kind, symbol = rest.split()[-2:]
        if kind in "TDBRGSC":
            yield where.replace(f"{root}/", ""), symbol


def programs(root):
    """What is linked together: the objects of each program, and the library that they see first
    where a name is in both."""
    built = root / BUILT
    harness, http = built / "libparity.a", built / "libhttp.a"
    yield [harness]
    yield [http]
    for main in (built / "harness/main.o", built / "harness/volley/main.o"):
        yield [main, harness]
    for folder in sorted((root / "servers").iterdir()):
        objects = [built / s.relative_to(root).with_suffix(".o") for s in folder.glob("*.c")]
        if folder.name not in ("http", "tests"):
            yield [*objects, http]


def symbols_once(root):
    """The linker takes a program's own definition and never tells that a library has another."""
    for parts in programs(root):
        seen = {}
        for path in parts:
            if path.exists():
                for where, symbol in public_names(root, path):
                    seen.setdefault(symbol, []).append(where)
        for symbol, places in seen.items():
            alone = len(parts) == 1 or {p.split(":")[0] for p in places} != {
                str(parts[-1].relative_to(root))}  # the library by itself had its own turn
            if len(places) > 1 and alone:
                yield f"{symbol} is defined in {' and in '.join(places)}"


RULES = [
    ("harness: each folder includes only what it may", harness_layers),
    ("includes name existing headers of their own tree", includes_exist),
    ("our headers are included in quotes", angled_includes),
    ("servers: each includes itself and http", server_layers),
    ("pure folders know no sockets and processes", pure_folders),
    ("every .c includes its own header first", own_header_first),
    (f"files: .c at most {LIMITS['.c']} lines, .h {LIMITS['.h']} (tests excepted)", file_lengths),
    (f"lines: at most {WIDEST_LINE} columns", line_widths),
    (f"functions: at most {LONGEST_FUNCTION} lines", function_lengths),
    ("no public name is defined twice in a program", symbols_once),
]

# A tree with one breach for each rule: what it contains, and how many breaches each rule must see.
BROKEN = {
    "harness/base/a.h": "",
    "harness/base/a.c": '#include <stdio.h>\n#include "base/a.h"\n',  # not first
    "harness/base/up.c": '#include "model/m.h"\n',  # upwards
    "harness/model/m.h": "",
    "harness/model/reach.c": '#include "../servers/http/s.h"\n',  # layer and tree
    "harness/model/angle.c": "#include <http/s.h>\n",
    "harness/judge/lab.c": '#include "lab/l.h"\n#include <sys/socket.h>\n',
    "harness/lab/l.h": "",
    "harness/run/v.c": '#include "volley/v.h"\n',
    "harness/volley/v.h": "",
    "harness/other/o.c": '#include "base/a.h"\n',  # a folder without a rule
    "harness/main.c": '#include "model/m.h"\n',
    "harness/tests/t.c": "\n" * 500 + '#include "volley/v.h"\n',  # allowed
    "harness/stats/long.c": "\n" * 401,
    "harness/stats/long.h": "\n" * 81,
    "harness/stats/fits.c": "\n" * 400,
    "harness/stats/wide.c": "/*" + "x" * 99 + "*/\n" + "/*" + "y" * 96 + "*/\n",
    "harness/stats/f.c": "int f(void)\n{\n" + "    f();\n" * 57 + "    return 0;\n}\n"
    + "int g(void)\n{\n" + "    g();\n" * 56 + "    return 0;\n}\n"
    + "/* A table, longer than 60 lines. */\nint h(void)\n{\n" + "    h();\n" * 70 + "}\n",
    "servers/http/s.h": "",
    "servers/uv/u.h": "",
    "servers/lear/l.c": '#include "uv/u.h"\n',
    "servers/lear/h.c": '#include "base/a.h"\n',
}
BREACHES = [6, 2, 1, 2, 1, 1 + 1, 2, 1, 1, 3]

# The same for what is compiled. Twice: both() in libparity, limit in libhttp, answer() in libhttp
# and uv. Not twice: statics, what is weak, and what harness and servers both have.
COMPILED = {
    "libparity.a": ["int both(void){return 1;} static int own(void){return 2;} int a=1;"
                    "int *use(void){own(); return &a;}",
                    "int both(void){return 1;} static int own(void){return 2;}"
                    "int use_own(void){return own();}"],
    "libhttp.a": ["int limit=1; int answer(void){return 1;} __attribute__((weak)) int w(void){return 1;}",
                  "int limit=2; int a=1; __attribute__((weak)) int w(void){return 1;}"],
    "servers/uv/twice.o": ["int answer(void){return 2;} int both(void){return 3;}"],
}


def compile_broken(root):
    for name, texts in COMPILED.items():
        target = root / BUILT / name
        target.parent.mkdir(parents=True, exist_ok=True)
        objects = []
        for number, text in enumerate(texts):
            objects.append(target.with_name(f"{target.stem}-{number}.o"))
            command = ["cc", "-x", "c", "-c", "-o", objects[-1], "-"]
            subprocess.run(command, input=text, text=True, check=True)
        if target.suffix == ".a":
            subprocess.run(["ar", "rcs", target, *objects], check=True)
        else:
            objects[0].rename(target)
    (root / "servers/uv/twice.c").touch()


def try_rules(tap):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in BROKEN.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        if shutil.which("cc") and shutil.which("ar"):
            compile_broken(root)
        for (name, rule), expected in zip(RULES, BREACHES):
            seen = breaches(tap, f"a breach is seen: {name}", rule, root)
            if seen is not None:
                tap.test(f"a breach is seen: {name}",
                         [] if len(seen) == expected else [f"{expected} expected:"] + seen)


def breaches(tap, name, rule, root):
    """The rule's breaches, or None when it had to be skipped."""
    if rule is function_lengths and not shutil.which("ctags"):
        tap.skip(name, "no universal-ctags")
        return None
    if rule is symbols_once and not shutil.which("nm"):
        tap.skip(name, "no nm")
        return None
    if rule is symbols_once and not (root / BUILT / "libparity.a").is_file():
        tap.skip(name, f"nothing is built in {BUILT}")
        return None
    return [breach.replace(f"{root}/", "") for breach in rule(root)]


class Tap:
    def __init__(self):
        self.number = 0
        self.failed = 0

    def test(self, name, problems):
        self.number += 1
        self.failed += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {self.number} - {name}")
        for line in problems[:60]:
            print(f"# {line}")

    def skip(self, name, why):
        self.number += 1
        print(f"ok {self.number} - {name} # SKIP {why}")


def main():
    tap = Tap()
    try_rules(tap)
    for name, rule in RULES:
        seen = breaches(tap, name, rule, ROOT)
        if seen is not None:
            tap.test(name, seen)
    print(f"1..{tap.number}")
    return tap.failed > 0


if __name__ == "__main__":
    sys.exit(main())
