#!/usr/bin/env bats
# volley as a generator of parity run: all servers of a comparison in one run, paired by slices.
bats_require_minimum_version 1.5.0
load e2e

volley() { smoke --generator volley "$@" || [ $? -eq 3 ]; }

@test "three servers in one run: figures are exact, the ratio comes from slices" {
  volley --blocks 2 >/dev/null 2>"$TMP/said"
  r=$TMP/out/result.json
  valid_schema "$r"
  [ "$(jq '.trials | length' "$r")" = 6 ]
  [ "$(jq -r '[.trials[] | select(.block == 0) | .raw] | unique | length' "$r")" = 1 ]
  # The servers' own counts agree to the request with what volley counted.
  jq -e '[.trials[] | select(.usage.server_requests != null)] | length > 0 and
    all((.usage.server_requests - .tally.requests) | fabs <= 16)' "$r"
  jq -e '.trials | all(.tally.connections == 16 and .tally.reconnects == 0 and
    .tally.ok == .tally.requests and .usage.server_cpu_s > 0 and .usage.client_cpu_s > 0)' "$r"
  jq -e '.trials | all((.paired_log_ratio.requests_per_s == null) == (.server == "nginx"))' "$r"
  raw=$TMP/out/$(jq -r '.trials[0].raw' "$r")
  jq -es 'length >= 12 and all(.type == "slice")' "$raw/slices.jsonl"
  nothing_left
}

@test "a connection per request, a body, a large file" {
  volley --mode close --route echo >/dev/null
  jq -e '.trials | all(.tally.connections + .tally.reconnects >= 0.9 * .tally.requests)' "$TMP/out/result.json"
  rm -rf "$TMP/out"
  volley --route large >/dev/null
  jq -e '.trials | all(.tally.bytes > 2229306 * .tally.requests and .tally.ok == .tally.requests)' \
    "$TMP/out/result.json"
}

@test "resume measures a comparison anew when one of its trials is missing" {
  volley >/dev/null
  r=$TMP/out/result.json
  before=$(jq -c '[.trials[].tally.requests]' "$r")
  jq 'del(.trials[1]) | .ratios = [] | .witnesses = []' "$r" >"$TMP/cut" && cp "$TMP/cut" "$r"
  "$PARITY" run --resume "$TMP/out" >/dev/null || [ $? -eq 3 ]
  [ "$(jq '.trials | length' "$r")" = 3 ]
  [ "$(jq '[.trials[].cell] | unique | length' "$r")" = 3 ]
  [ "$(jq -c '[.trials[].tally.requests]' "$r")" != "$before" ]
}

@test "a server that doesn't come up is left out, the others go on" {
  run smoke --generator volley --server "$FIXTURES/dies,reactor"
  [ "$status" -eq 1 ]
  jq -e '[.cells[] | select(.server == "dies")][0].verdict == "boot_failed"' "$TMP/out/result.json"
  jq -e '[.cells[] | select(.server != "dies")] | all(.requests_per_s > 100)' "$TMP/out/result.json"
  nothing_left
}

@test "a server that dies in mid-run: server_died, the others go on" {
  jq '.name = "mortal" | .start = ["sh", "-c",
    "(sleep 2.5; kill -SEGV $$) & exec /usr/bin/python3 \"$1\" \"$2\"", "sh",
    "'"$FIXTURES"'/own/server.py", "{port}"]' "$FIXTURES/own/server.json" >"$TMP/m.json"
  run smoke --generator volley --server "$TMP/m.json,reactor" --connections 4 --duration 3
  [ "$status" -eq 1 ]
  r=$TMP/out/result.json
  valid_schema "$r"
  jq -e '[.cells[] | select(.server == "mortal")][0] |
    .verdict == "server_died" and (.note | contains("SEGV"))' "$r"
  # It had been loaded before; the others were until the end, and none of it is their fault.
  raw=$TMP/out/$(jq -r '.trials[0].raw' "$r")
  jq -es '[.[] | select(.ok > 0).target] | unique | length == 3' "$raw/slices.jsonl"
  jq -e '[.trials[] | select(.server != "mortal")] | length == 2 and all(
    .tally.requests > 100 and .tally.ok == .tally.requests and .tally.duration_s > 2.5 and
    (.verdict | IN("server_died", "errors", "overrun", "short", "tool_failed") | not))' "$r"
  jq -e '[.ratios[] | select(.server == "mortal").estimate] | all(. == null)' "$r"
  jq -e '[.trials[] | select(.server == "reactor").paired_log_ratio.requests_per_s][0] != null' "$r"
  nothing_left
}

@test "a server that runs already is loaded beside the others, without process figures" {
  /usr/bin/python3 "$FIXTURES/own/server.py" 18183 3>&- &
  BACKGROUND=$!
  for _ in $(seq 100); do curl -sf http://127.0.0.1:18183/health >/dev/null && break; sleep 0.1; done
  volley --server http://127.0.0.1:18183 --connections 4 >/dev/null
  r=$TMP/out/result.json
  valid_schema "$r"
  jq -e '[.trials[] | select(.server == "port-18183")][0] |
    .usage.server_cpu_s == null and .usage.client_cpu_s > 0 and .tally.requests > 10 and
    .paired_log_ratio.requests_per_s != null and .paired_log_ratio.cpu_ns_per_request == null' "$r"
  jq -e '[.cells[] | select(.server == "port-18183")][0].cpu_ns_per_request == null' "$r"
  jq -e '[.trials[] | select(.server == "nginx")][0].usage.server_cpu_s > 0' "$r"
  kill -0 "$BACKGROUND"
  kill "$BACKGROUND"
}

@test "one server alone has figures and no ratio" {
  volley --server nginx >"$TMP/table"
  r=$TMP/out/result.json
  valid_schema "$r"
  jq -e '.trials | length == 1 and .[0].tally.ok > 100 and .[0].usage.server_cpu_s > 0 and
    .[0].paired_log_ratio.requests_per_s == null' "$r"
  jq -e '.ratios == [] and .witnesses == []' "$r"
  run ! grep -q -- --order "$TMP/out/$(jq -r '.trials[0].raw' "$r")/command.txt"
  grep -q nginx "$TMP/table"
}

# A volley that only says which one it is.
fake_volley() { # FOLDER WORD
  mkdir -p "$1"
  # shellcheck disable=SC2016 # expanded by the fake
  printf '#!/bin/sh\n[ "$1" = --version ] && echo "%s" && exit\necho "%s" >&2\nexit 4\n' "$2" "$2" >"$1/volley"
  chmod +x "$1/volley"
}

@test "the volley beside parity goes before one in PATH; its words are in the result" {
  fake_volley "$TMP/beside" "I am beside"
  fake_volley "$TMP/path" "I am in PATH"
  cp "$PARITY" "$TMP/beside/parity"
  export PARITY_HOME=$ROOT PATH=$TMP/path:$PATH
  for words in "I am beside" "I am in PATH"; do
    rm -rf "$TMP/out"
    run "$TMP/beside/parity" run smoke --generator volley --server nginx --out "$TMP/out"
    [ "$status" -eq 4 ]
    jq -e --arg words "$words" '.cells[0].verdict == "tool_failed" and
      (.cells[0].note | contains("status 4") and contains($words)) and
      .environment.volley_version == $words' "$TMP/out/result.json"
    rm -f "$TMP/beside/volley"
  done
}

@test "--blocks is for all generators, whatever blocks_of says" {
  jq '.blocks = 4 | .blocks_of = {"wrk": 2, "ab": 1}' "$ROOT/configs/suites/smoke.json" >"$TMP/s.json"
  "$PARITY" run "$TMP/s.json" --dry-run >"$TMP/plan"
  grep -q "; 4 blocks (wrk 2, ab 1); " "$TMP/plan"
  [ "$(grep -c '^  block .* volley ' "$TMP/plan")" = 12 ]
  [ "$(grep -c '^  block .* wrk ' "$TMP/plan")" = 6 ]
  [ "$(grep -c '^  block .* ab ' "$TMP/plan")" = 3 ]
  "$PARITY" run "$TMP/s.json" --dry-run --blocks 3 >"$TMP/plan"
  grep -q "; 3 blocks; " "$TMP/plan"
  [ "$(grep -c '^  block .* ab ' "$TMP/plan")" = 9 ]
  jq '.blocks_of = {"wkr": 2}' "$TMP/s.json" >"$TMP/bad.json"
  run "$PARITY" run "$TMP/bad.json" --dry-run
  [ "$status" -eq 2 ]
  [[ "$output" == *"bad.json:"*"blocks_of.wkr: \"wkr\" is none of the suite's generators"* ]]
}

@test "Ctrl-C in a slice leaves a valid result and no process" {
  "$PARITY" run smoke --generator volley --duration 30 --out "$TMP/out" >/dev/null 2>&1 &
  pid=$!
  for _ in $(seq 200); do
    compgen -G "$TMP/out/raw/*/slices.jsonl" >/dev/null && break
    sleep 0.1
  done
  kill -INT "$pid"
  status=0
  wait "$pid" || status=$?
  [ "$status" -eq 130 ]
  [ "$(jq -r .state "$TMP/out/result.json")" = interrupted ]
  [ "$(jq '.trials | length' "$TMP/out/result.json")" = 0 ]
  nothing_left
}

@test "bench-generators sets wrk and volley side by side, in tables and in JSON" {
  [ "$(nproc --all)" -ge 2 ] || skip "one CPU"
  VOLLEY=$ROOT/bin/volley REACTOR=$ROOT/bin/servers/reactor \
    "$ROOT/scripts/bench-generators" --json "$TMP/g.json" 1 1 3 >"$TMP/tables"
  grep -q "^What a request costs the client" "$TMP/tables"
  grep -q "^Where the server is the limit" "$TMP/tables"
  [ "$(grep -c '^3 ' "$TMP/tables")" = 2 ]
  # Figures follow from the samples that are kept with them.
  jq -e '.samples | length == 8 and all(.requests > 0 and .requests_per_s > 0 and .client_cpu_s > 0)' "$TMP/g.json"
  jq -e '[.samples[] | select(.server == "fast")] as $s |
    ([$s[] | select(.generator == "volley") | .client_cpu_s / .requests] | add) /
    ([$s[] | select(.generator == "wrk") | .client_cpu_s / .requests] | add) - .fast[0].cpu_ns_per_request.ratio.median |
    fabs < 1e-9' "$TMP/g.json"
  jq -e '.slow[0] | (.requests_per_s.ratio | .low <= .median and .median <= .high) and
    .agree == (.requests_per_s.ratio | .low <= 1 and .high >= 1)' "$TMP/g.json"
  run "$ROOT/scripts/bench-generators" 0
  [ "$status" -eq 2 ]
  [[ "$output" == *"'0' is no whole number"* ]]
  nothing_left
}

@test "the suite levels is planned to take at most three minutes" {
  "$PARITY" run levels --dry-run >"$TMP/plan"
  for n in 1 16 64 256 1000; do grep -q "^  health volley c=$n keep-alive: reactor nginx lighttpd$" "$TMP/plan"; done
  [[ "$(tail -n 1 "$TMP/plan")" =~ about\ ([12])\ min\ |about\ 3\ min\ 0\ s ]]
}
