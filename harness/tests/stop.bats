#!/usr/bin/env bats
# Ending early: nothing is lost, nothing is left.
bats_require_minimum_version 1.5.0
load e2e

start_run() { # a run of some seconds in the background
  "$PARITY" run smoke --generator wrk --blocks 3 --duration 1 --out "$TMP/out" >"$TMP/table" 2>"$TMP/said" 3>&- &
  RUNNING=$!
}

wait_for_trial() {
  for _ in $(seq 300); do
    [ "$(jq '.trials | length' "$TMP/out/result.json" 2>/dev/null || echo 0)" -ge 1 ] && return
    sleep 0.1
  done
  return 1
}

ended_with() { # STATUS
  local status=0
  wait "$RUNNING" || status=$?
  [ "$status" -eq "$1" ] || {
    echo "status $status: $(cat "$TMP/said")"
    return 1
  }
}

@test "Ctrl-C: partial result, exit 130, nothing left; --resume finishes it" {
  start_run
  wait_for_trial
  kill -INT "$RUNNING"
  ended_with 130
  nothing_left
  [ "$(jq -r .state "$TMP/out/result.json")" = interrupted ]
  valid_schema "$TMP/out/result.json"
  [ -s "$TMP/out/report.html" ]
  before=$(jq '.trials | length' "$TMP/out/result.json")
  [ "$before" -lt 9 ]
  first=$(jq -c '.trials[0]' "$TMP/out/result.json")
  "$PARITY" run --resume "$TMP/out" >/dev/null 2>&1 || [ $? -eq 3 ]
  [ "$(jq '.trials | length' "$TMP/out/result.json")" -eq 9 ]
  [ "$(jq -c '.trials[0]' "$TMP/out/result.json")" = "$first" ]
  [ "$(jq -r .state "$TMP/out/result.json")" = complete ]
  # Each cell once a block, none twice.
  [ "$(jq '[.trials[] | [.cell, .block]] | unique | length' "$TMP/out/result.json")" -eq 9 ]
}

@test "TERM: exit 143; HUP: exit 129" {
  start_run
  wait_for_trial
  kill -TERM "$RUNNING"
  ended_with 143
  nothing_left
  rm -r "$TMP/out"
  start_run
  wait_for_trial
  kill -HUP "$RUNNING"
  ended_with 129
  nothing_left
}

@test "kill -9 of parity leaves no process, and the result whole" {
  for _ in 1 2 3; do
    rm -rf "$TMP/out"
    start_run
    wait_for_trial
    kill -KILL "$RUNNING"
    ended_with 137
    for _ in $(seq 50); do [ -z "$(ours)" ] && break; sleep 0.1; done
    [ -z "$(ours)" ]
    jq -e .schema "$TMP/out/result.json" >/dev/null
  done
  # The next run goes on and clears what was left in the temporary folder.
  "$PARITY" run --resume "$TMP/out" >/dev/null 2>&1 || [ $? -eq 3 ]
  [ "$(jq '.trials | length' "$TMP/out/result.json")" -eq 9 ]
  nothing_left
}

@test "resume refuses another plan, with the reason" {
  start_run
  wait_for_trial
  kill -INT "$RUNNING"
  ended_with 130
  run "$PARITY" run --resume "$TMP/out" --connections 8
  [ "$status" -eq 2 ]
  [[ "$output" == *"can't be resumed"* ]]
}

@test "resume refuses another machine or program, and names it" {
  smoke --server nginx --generator wrk >/dev/null 2>&1 || [ $? -eq 3 ]
  jq '.fingerprint |= sub("nginx=[^\n]*"; "nginx=1.0 feed")' "$TMP/out/result.json" >"$TMP/r"
  mv "$TMP/r" "$TMP/out/result.json"
  before=$(sha256sum "$TMP/out/result.json")
  run "$PARITY" run --resume "$TMP/out"
  [ "$status" -eq 2 ]
  [[ "$output" == *"nginx=1.0 feed"* ]]
  [ "$(sha256sum "$TMP/out/result.json")" = "$before" ]
}

@test "a reader that closes our stdout ends nothing badly" {
  smoke --server nginx --generator wrk --json 2>"$TMP/said" | head -c 10 >/dev/null || true
  [ "$(jq -r .state "$TMP/out/result.json")" = complete ]
  nothing_left
}
