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
