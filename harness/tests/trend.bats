#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # bash -c and jq; bats sets status, output, stderr
# parity trend: what is added to a history by whom, what is refused, what goes; exports.
bats_require_minimum_version 1.5.0
load e2e

RESULT=$ROOT/results/reference/quick/result.json
H() { printf '%s' "$TMP/history.jsonl"; }
add() { "$PARITY" trend add "$1" --history "$(H)" "${@:2}"; }
export -f add H
export PARITY TMP
make_history() { "$ROOT/harness/tests/fixtures/trend/make_history.py" "$@"; }
valid_line() { # validates each line by itself, with an independent validator
  local i=0 line
  while IFS= read -r line; do
    i=$((i + 1))
    printf '%s\n' "$line" >"$TMP/line-$i.json"
  done <"$(H)"
  "$ROOT/harness/tests/validate.py" "$ROOT/results/schema/history.schema.json" "$TMP"/line-*.json
}
# variant N: the result of another run, started N seconds later.
variant() {
  jq --arg s "$(printf '2026-11-30T%02d:%02d:%02dZ' $(($1 / 3600)) $(($1 / 60 % 60)) $(($1 % 60)))" \
    '.started = $s' "$RESULT" >"$TMP/result-$1.json"
}

@test "a run is added with everything that trends need, by the schema" {
  add "$RESULT" --commit 0123456789abcdef0123456789abcdef01234567 --branch main \
    --subject 'Say "no" & <why>' --commit-url https://example.org/o/r/commit/0123 >"$TMP/said"
  grep -q 'began with' "$TMP/said"
  valid_line
  [ "$(wc -l <"$(H)")" -eq 1 ]
  [ "$(jq -r .subject "$(H)")" = 'Say "no" & <why>' ]
  [ "$(jq '.series | length' "$(H)")" = "$(jq '.cells | length' "$RESULT")" ]
  # Figures are the result's own, to eight digits.
  [ "$(jq -c '[.series[0] | .requests_per_s, .ratio.requests_per_s.low * 1e5 | . * 10 | round]' "$(H)")" = \
    "$(jq -c '[(.cells[0].requests_per_s, .ratios[0].low * 1e5) | . * 10 | round]' "$RESULT")" ]
}

@test "a folder is as good as its result.json" {
  add "$(dirname "$RESULT")"
  [ "$(wc -l <"$(H)")" -eq 1 ]
}

@test "the same run is not added twice" {
  add "$RESULT"
  cp "$(H)" "$TMP/before"
  run --separate-stderr add "$RESULT" --json
  [ "$status" -eq 0 ]
  [ "$(jq .added <<<"$output")" = false ]
  cmp "$TMP/before" "$(H)"
}

@test "20 writers at once: 20 whole lines, none lost, none doubled" {
  for i in $(seq 20); do variant "$i"; done
  seq 20 | xargs -P 20 -I{} bash -c 'add "$0/result-{}.json"' "$TMP" >/dev/null
  valid_line
  [ "$(wc -l <"$(H)")" -eq 20 ]
  [ "$(jq -r .run "$(H)" | sort -u | wc -l)" -eq 20 ]
}

@test "20 writers of one and the same run: one line" {
  seq 20 | xargs -P 20 -I{} bash -c 'add "$0"' "$RESULT" >/dev/null
  [ "$(wc -l <"$(H)")" -eq 1 ]
}

@test "what a stopped writer left is cut off, what it finished but for the newline is kept" {
  variant 1 && variant 2
  add "$TMP/result-1.json"
  cp "$(H)" "$TMP/one"
  head -c 777 "$TMP/one" >>"$(H)"
  run --separate-stderr add "$TMP/result-2.json"
  [ "$status" -eq 0 ]
  [[ "$stderr" == *"cut off 777 bytes"* ]]
  [ "$(wc -l <"$(H)")" -eq 2 ]
  valid_line
  cmp <(head -n 1 "$(H)") "$TMP/one"

  head -c -1 "$TMP/one" >"$(H)"
  add "$TMP/result-2.json"
  [ "$(wc -l <"$(H)")" -eq 2 ]
  valid_line
}

@test "a torn line doesn't keep the site from being built" {
  make_history 5 >"$(H)"
  printf '{"schema":"parity/hist' >>"$(H)"
  run --separate-stderr "$PARITY" trend site "$TMP/site" --history "$(H)"
  [ "$status" -eq 0 ]
  [[ "$stderr" == *"never finished"* ]]
  grep -q '5 runs of 5 commits' "$TMP/site/index.html"
}

# refused TEXT-OF-FILE WORDS: adding fails with exit 2, says so, and leaves the file as it was.
refused() {
  printf '%s' "$1" >"$(H)"
  run --separate-stderr add "$RESULT"
  [ "$status" -eq 2 ]
  [[ "$stderr" == *"$2"* ]] || { echo "$stderr"; return 1; }
  cmp <(printf '%s' "$1") "$(H)"
}

@test "what is no history is refused and left as it is" {
  refused '' 'is empty'
  refused $'{}\n' 'history.jsonl:1: schema: is missing'
  refused $'{"schema":"parity/history","schema_version":2}\n' 'reads version 1'
  refused "$(jq -c . "$RESULT")"$'\n' 'this must be a "parity/history"'
  make_history 2 >"$TMP/good"
  refused "$(cat "$TMP/good")"$'\nnonsense\n' 'history.jsonl:3: not valid JSON'
}

@test "what is no finished run is refused" {
  jq '.state = "interrupted"' "$RESULT" >"$TMP/part.json"
  run --separate-stderr add "$TMP/part.json"
  [ "$status" -eq 2 ]
  [[ "$stderr" == *"the run is interrupted"* ]]
  [ ! -e "$(H)" ]
  run --separate-stderr add "$TMP/nothing.json"
  [ "$status" -eq 2 ]
  run --separate-stderr add "$RESULT" --commit 'HEAD; rm'
  [ "$status" -eq 2 ]
}

@test "another kind of machine has another key; another patch of its kernel has not" {
  variant 1
  jq '.environment.kernel = "6.18.99-other"' "$RESULT" >"$TMP/patch.json"
  jq '.environment.cpu_model = "Another"' "$RESULT" >"$TMP/other.json"
  add "$TMP/result-1.json" && add "$TMP/patch.json" && add "$TMP/other.json"
  [ "$(jq -r .machine.key "$(H)" | uniq | wc -l)" -eq 2 ]
  "$PARITY" trend site "$TMP/site" --history "$(H)"
  grep -q 'on 2 kinds' "$TMP/site/index.html"
}

@test "500 runs of 120 figures: the oldest go by both limits, the newest stay" {
  # 40 cells with rate, CPU and ratio are 120 figures.
  make_history 500 1 5 >"$(H)"
  [ "$(head -n 1 "$(H)" | jq '.series | length')" -ge 40 ]
  newest=$(tail -n 1 "$(H)")
  run --separate-stderr add "$RESULT" --max-size 2
  [ "$status" -eq 0 ]
  [[ "$stderr" == *"dropped the oldest"* ]]
  [ "$(stat -c %s "$(H)")" -le $((2 << 20)) ]
  [ "$(stat -c %s "$(H)")" -gt $((2000000)) ]
  [ "$(tail -n 2 "$(H)" | head -n 1)" = "$newest" ]
  valid_line

  # --keep counts one kind of machine: the run above is of another.
  make_history 30 2 >"$(H)"
  variant 1
  add "$TMP/result-1.json"
  variant 2
  add "$TMP/result-2.json" --keep 1
  [ "$(wc -l <"$(H)")" -eq 31 ]
  [ "$(tail -n 1 "$(H)" | jq -r .time)" = 2026-11-30T00:00:02Z ]
}

@test "a full disk takes nothing of the history" {
  [ "$(id -u)" -eq 0 ] || skip "needs root to mount a small file system"
  mkdir "$TMP/small"
  unshare -m bash -c '
    mount -t tmpfs -o size=128k tmpfs "$0/small" || exit 77
    export -f add; H() { printf %s "$TMPDIR/../small/history.jsonl"; }
    head -c 700 /dev/zero >"$0/small/filler"
    '"$(declare -f add)"'
    n=0
    cp "$1" "$0/r.json"
    while add "$0/r.json" --subject "$n" >/dev/null 2>"$0/said"; do
      n=$((n + 1)); [ $n -lt 50 ] || exit 1
      jq --arg s "2026-11-30T01:00:$(printf %02d $n)Z" ".started = \$s" "$1" >"$0/r.json"
    done
    grep -q "its runs are untouched\|cannot write" "$0/said" || { cat "$0/said"; exit 1; }
    [ "$(wc -l <"$(H)")" -eq "$n" ] && tail -c 1 "$(H)" | od -An -c | grep -q "\\\\n"
  ' "$TMP" "$RESULT" 2>"$TMP/why" || { code=$?; [ $code -eq 77 ] && skip "no mount here"; cat "$TMP/why"; return 1; }
}

@test "a renamed series is said, and can be mapped" {
  make_history 6 >"$(H)"
  sed -i '$s/"server":"reactor"/"server":"leantea"/g' "$(H)"
  "$PARITY" trend site "$TMP/site" --history "$(H)"
  grep -q '3 series disappeared, 3 new' "$TMP/site/index.html"
  grep -q 'gone: health volley c=64 keep-alive reactor' "$TMP/site/index.html"
  "$PARITY" trend site "$TMP/site" --history "$(H)" --rename reactor=leantea
  run -1 grep 'disappeared' "$TMP/site/index.html"
  run "$PARITY" trend site "$TMP/site" --history "$(H)" --rename reactor
  [ "$status" -eq 2 ]
}

@test "links in the site are web addresses or files of it, whatever the history says" {
  make_history 2 | sed 's|https://example.org/|javascript:alert(1)//|g' >"$(H)"
  "$PARITY" trend site "$TMP/site" --history "$(H)"
  run -1 grep -l 'href="javascript' "$TMP"/site/*.html
}

@test "a locale with decimal commas changes nothing" {
  make_history 12 2 >"$(H)"
  "$PARITY" trend site "$TMP/plain" --history "$(H)"
  LC_ALL=de_DE.UTF-8 "$PARITY" trend site "$TMP/comma" --history "$(H)"
  diff -r "$TMP/plain" "$TMP/comma"
  for f in github-action-benchmark bmf otava; do
    "$PARITY" trend export "$TMP/plain-$f" --format "$f" --history "$(H)"
    LC_ALL=de_DE.UTF-8 "$PARITY" trend export "$TMP/comma-$f" --format "$f" --history "$(H)"
    diff -r "$TMP/plain-$f" "$TMP/comma-$f"
  done
}

@test "github-action-benchmark: what its rules ask of the arrays" {
  make_history 4 2 >"$(H)"
  "$PARITY" trend export "$TMP/out" --format github-action-benchmark --history "$(H)"
  for f in bigger smaller; do
    # Its schema: name and unit strings, value a number, range and extra strings; more is stripped.
    jq -e 'length > 0 and all(.[]; (.name | type) == "string" and (.unit | type) == "string" and
      (.value | type) == "number" and ((.range // "") | type) == "string" and
      ((.extra // "") | type) == "string" and (keys - ["name","unit","value","range","extra"]) == [])' \
      "$TMP/out/$f.json"
    [ "$(jq '[.[].name] | length' "$TMP/out/$f.json")" = "$(jq '[.[].name] | unique | length' "$TMP/out/$f.json")" ]
  done
  jq -e '[.[].name] | index("health volley c=64 keep-alive lighttpd/nginx requests/s ratio") != null' "$TMP/out/bigger.json"
  jq -e 'all(.[]; .name | test("CPU|instructions|calls|allocations|bytes"))' "$TMP/out/smaller.json"
  jq -e 'all(.[]; select(.range) | .range | startswith("± "))' "$TMP/out/bigger.json"
}

@test "github-action-benchmark: data.js is read back by its reader's steps" {
  make_history 4 2 >"$(H)"
  "$PARITY" trend export "$TMP/out" --format github-action-benchmark --history "$(H)"
  [ "$(head -c 24 "$TMP/out/data.js")" = 'window.BENCHMARK_DATA = ' ]
  [ "$(tail -c 1 "$TMP/out/data.js")" = '}' ]
  # slice(prefix.length), then JSON.parse.
  tail -c +25 "$TMP/out/data.js" >"$TMP/data.json"
  jq -e '(.lastUpdate | type) == "number" and .repoUrl == "https://example.org/owner/repo" and
    (.entries | length) == 4' "$TMP/data.json"
  jq -e '[.entries[][] | (.commit | .id, .message, .timestamp, .url, .committer.username | type == "string"),
    (.date > 1767000000000), (.benches | length > 0),
    (.tool | . == "customBiggerIsBetter" or . == "customSmallerIsBetter")] | all' "$TMP/data.json"
  # A suite never mixes kinds of machine or directions.
  jq -e '[.entries[] | ([.[].tool] | unique | length == 1),
    ([.[].benches[].extra | split("\n")[0]] | unique | length == 1)] | all' "$TMP/data.json"
  # Bytes as JSON.stringify(data, null, 2) of node makes them, but for how numbers are spelt.
  if command -v node >/dev/null; then
    node -e 'const t = require("fs").readFileSync(process.argv[1], "utf8");
      const p = "window.BENCHMARK_DATA = "; const d = JSON.parse(t.slice(p.length));
      const norm = s => s.replace(/-?\d+\.\d+(e[-+]?\d+)?/g, n => String(Number(n)));
      if (norm(t) !== norm(p + JSON.stringify(d, null, 2))) process.exit(1);' "$TMP/out/data.js"
  fi
}

@test "cells that are not valid are in no export" {
  make_history 1 >"$(H)"
  sed -i 's/"verdict":"valid"/"verdict":"errors"/g; s/"verdict":"client_bound"/"verdict":"errors"/g' "$(H)"
  "$PARITY" trend export "$TMP/bmf" --format bmf --history "$(H)"
  [ "$(jq -c keys "$TMP/bmf/bmf.json")" = '["health counted reactor"]' ]
  "$PARITY" trend export "$TMP/otava" --format otava --history "$(H)"
  [ "$(ls "$TMP/otava")" = otava.yaml ]
}

@test "Bencher's metric format: values with their intervals" {
  make_history 3 >"$(H)"
  "$PARITY" trend export "$TMP/out" --format bmf --history "$(H)"
  jq -e '[.[] | to_entries[] | .value | (.value | type == "number"),
    ((.lower_value // .value) <= .value and .value <= (.upper_value // .value)),
    (keys - ["value","lower_value","upper_value"] == [])] | all' "$TMP/out/bmf.json"
  jq -e '.["health volley c=64 keep-alive reactor/nginx"]["parity-ratio"].lower_value > 1' "$TMP/out/bmf.json"
}

@test "Otava: every row is numbers where its importer makes numbers, kinds of machine apart" {
  make_history 40 2 >"$(H)"
  "$PARITY" trend export "$TMP/out" --format otava --history "$(H)"
  /usr/bin/python3 - "$TMP/out" <<'PY'
import csv, datetime, pathlib, re, sys
top = pathlib.Path(sys.argv[1])
text = (top / "otava.yaml").read_text()
tests = re.findall(r"^  (\S+):\n((?:    .*\n)+)", text, re.M)
assert len(tests) == 2 * 3 * 3, len(tests)
for name, body in tests:
    file = re.search(r"file: (\S+)", body).group(1)
    metrics = re.findall(r"column: (\S+)\n        direction: (-?1)", body)
    rows = list(csv.reader(open(top / file, newline=""), delimiter=",", quotechar='"'))
    head = rows[0]
    assert 10 <= len(rows) - 1 <= 20, (name, len(rows))
    assert len(metrics) == (2 if name.endswith("nginx") else 4), metrics
    for row in rows[1:]:
        assert len(row) == len(head)
        datetime.datetime.fromisoformat(row[head.index("time")].replace("Z", "+00:00"))
        for column, _ in metrics:
            assert float(row[head.index(column)]) > 0
for path in top.glob("*.csv"):
    assert path.name in text
PY
}

@test "a format, a verb and a history that aren't there are refused with what there is" {
  run --separate-stderr "$PARITY" trend export "$TMP/out" --format csv
  [ "$status" -eq 2 ]
  [[ "$stderr" == *"github-action-benchmark, bmf or otava"* ]]
  run --separate-stderr "$PARITY" trend
  [ "$status" -eq 2 ]
  run --separate-stderr "$PARITY" trend ad
  [ "$status" -eq 2 ]
  run --separate-stderr "$PARITY" trend site "$TMP/site" --history "$TMP/none.jsonl"
  [ "$status" -eq 2 ]
  [[ "$stderr" == *"begin one with"* ]]
}

@test "uPlot: another archive than the pinned one is refused whole" {
  printf 'something else' >"$TMP/uplot.tgz"
  command -v npm >/dev/null || skip "no npm"
  run env PARITY_UPLOT_ARCHIVE="$TMP/uplot.tgz" "$ROOT/scripts/uplot" "$TMP/uplot"
  [ "$status" -eq 4 ]
  [[ "$output" == *"nothing of it is used"* ]]
  [ ! -e "$TMP/uplot" ]
}
