#!/usr/bin/env bats
# Published comparisons end to end: the three that are shipped as plans, a tiny one as a run with real
# servers and generators.
bats_require_minimum_version 1.5.0
load e2e

# nginx and the reactor once each by ab, and a server that isn't there.
tiny() {
  cat >"$TMP/tiny.json" <<'JSON'
{"schema": "parity/published", "schema_version": 1, "id": "tiny", "title": "A tiny one",
 "host": "nowhere", "source": "this test",
 "tables": [{"id": "one", "generator": {"name": "ab", "requests": 2000, "keepalive": true},
  "reference": "nginx", "runs_as": {"lost": "nobody-has-this"},
  "rows": [
   {"server": "nginx", "route": "health", "connections": 8, "requests_per_s": 100},
   {"server": "reactor", "route": "health", "connections": 8, "workers": 2, "requests_per_s": 1},
   {"server": "lost", "route": "health", "connections": 8, "requests_per_s": 50}]}],
 "claims": [
  {"id": "memory", "kind": "memory", "server": "nginx", "route": "health", "said": "nothing at all",
   "said_bytes": [0, 0], "data": "some", "data_bytes": [1, 1000000]}]}
JSON
}

@test "every shipped comparison says what it would do, row for row" {
  for name in leantea luajit lear; do
    "$PARITY" reproduce "$name" --quick --dry-run >"$TMP/said"
    rows=$(jq '[.tables[].rows | length] | add' "$ROOT/configs/published/$name.json")
    grep -q "^$name: $rows published rows, .* (quick)$" "$TMP/said"
    grep -q "^adapted: " "$TMP/said"
    "$PARITY" reproduce "$name" --dry-run >"$TMP/said"
    run ! grep -q "(quick)" "$TMP/said"
  done
  run -2 "$PARITY" reproduce leanteo
  [[ "$output" == *"one of: leantea lear luajit"* ]]
  run -2 "$PARITY" reproduce
}

@test "a tiny comparison: every row, both ratios, a word, and valid JSON" {
  tiny
  "$PARITY" reproduce "$TMP/tiny.json" --quick --out "$TMP/out" >"$TMP/table" 2>"$TMP/said"
  grep -q "^tiny: 3 published rows" "$TMP/said"
  grep -q "nobody-has-this can't run here: there is no server" "$TMP/said"
  grep -Eq "^nginx +health +8 +100 .* reference$" "$TMP/table"
  grep -Eq "^reactor, 2 workers +health +8 +1 .*(differs|can't tell)$" "$TMP/table" # never 0.01
  grep -Eq "^lost +health +8 +50 +- .* can't run here$" "$TMP/table"
  /usr/bin/python3 "$ROOT/harness/tests/validate.py" "$ROOT/results/schema/reproduced.schema.json" \
    "$TMP/out/reproduce.json"
  run jq -e '.rows | length == 3 and .[0].measured.requests_per_s > 100 and .[1].ratio.published == 0.01 and
      .[1].cell.server == "reactor:2" and .[2].measured.requests_per_s == null' "$TMP/out/reproduce.json"
  [ "$status" -eq 0 ]
  # Its run is a run like any other.
  valid_schema "$TMP/out/ab/result.json"
  [ -s "$TMP/out/ab/report.html" ]
  [ -s "$TMP/out/report.html" ]
  [ -s "$TMP/out/charts/reproduce-one.svg" ]
  run jq -e '.memory[0].server == "nginx" and .memory[0].idle_bytes > 0 and .claims[0].own_data.word == "holds"' \
    "$TMP/out/reproduce.json"
  [ "$status" -eq 0 ]
  nothing_left
  run -2 "$PARITY" reproduce "$TMP/tiny.json" --quick --out "$TMP/out" # nothing is overwritten
  [[ "$output" == *"holds a reproduction already"* ]]
}

@test "faithful: ab gets the published number of requests, and --json what is on disk" {
  tiny
  sed -i 's/, "reference": "nginx", "runs_as": {"lost": "nobody-has-this"}//' "$TMP/tiny.json"
  "$PARITY" reproduce "$TMP/tiny.json" --out "$TMP/out" --json >"$TMP/json" 2>/dev/null
  cmp <(jq -S . "$TMP/json") <(jq -S . "$TMP/out/reproduce.json")
  grep -q -- "-n 2000" "$TMP"/out/ab-2000/raw/*-ab-nginx-*/command.txt
  run ! grep -q -- " -t " "$TMP"/out/ab-2000/raw/*-ab-nginx-*/command.txt
  run jq -e '.trials | map(select(.generator == "ab")) | all(.tally.requests == 2000)' \
    "$TMP/out/ab-2000/result.json"
  [ "$status" -eq 0 ]
}

@test "a stop leaves what there is" {
  tiny
  "$PARITY" reproduce "$TMP/tiny.json" --out "$TMP/out" >"$TMP/table" 2>"$TMP/said" &
  BACKGROUND=$!
  for _ in $(seq 100); do
    grep -q "^1/" "$TMP/said" && break
    sleep 0.1
  done
  kill -TERM "$BACKGROUND"
  code=0
  wait "$BACKGROUND" || code=$?
  BACKGROUND=
  [ "$code" -eq 143 ]
  [ "$(jq -r .state "$TMP/out/reproduce.json")" = interrupted ]
  grep -q "^nginx " "$TMP/table"
  nothing_left
}

@test "optional peers: told how to install, or doing what they offer" {
  for name in apache h2o haproxy caddy varnish leantea leantea-std; do
    why=$("$PARITY" list --json | jq -r --arg n "$name" '.servers[] | select(.name == $n) | .missing // ""')
    if [ -n "$why" ]; then
      echo "# $name: skipped: $why" >&3
      [[ "$why" == *"apt-get install"* || "$why" == *"lake build"* ]]
    else
      "$PARITY" check "$name"
    fi
  done
}
