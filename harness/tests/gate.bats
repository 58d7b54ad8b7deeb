#!/usr/bin/env bats
# parity gate with real servers, callgrind and strace. No test depends on how fast the machine is: what is planted is far
# larger than what noise does.
bats_require_minimum_version 1.5.0
load e2e

gate() { "$PARITY" gate "$@"; }

# refused TEXT ARGUMENT...: exit 2 within the first moments, with that in the message.
refused() {
  local text=$1
  shift
  run gate "$@"
  [ "$status" -eq 2 ] || {
    echo "status $status for $*: $output"
    return 1
  }
  [[ "$output" == *"$text"* ]] || {
    echo "no \"$text\" in: $output"
    return 1
  }
}

valid() { # SCHEMA FILE
  /usr/bin/python3 "$ROOT/harness/tests/validate.py" "$ROOT/results/schema/$1.schema.json" "$2"
}

# outcome FILE SERIES: of a gate.json.
outcome() { jq -r --arg s "$2" '.checks[] | select(.series == $s) | .outcome' "$1"; }

@test "allowed losses have one form" {
  for bad in 0.9 90% 110% -10% 0 abc 5 200%; do
    refused "for example --margin 1%" reactor reactor --margin="$bad"
    refused "for example --drop 1%" reactor --drop="$bad"
  done
  refused "must be above the margin" reactor reactor --margin 2% --detect 2%
}

@test "what can't be gated is refused before anything starts" {
  refused "which build?"
  refused "there is no server" nonesuch
  refused "the base: there is no server" nonesuch reactor
  refused "tiers are counts, duel and trend" reactor --tier speed
  refused "needs a base" reactor --tier duel
  refused "needs --result" reactor --tier trend
  refused "goes with --result" reactor --history "$TMP/none"
  refused "it is fail or warn" reactor --missing ignore
  refused "write OLD=NEW" reactor --rename nothing
  refused "each once" reactor --route health,health
  refused "only B was given" reactor --a-args x
  echo '{"schema": "parity/counts"}' >"$TMP/broken.json"
  refused "broken.json" reactor --baseline "$TMP/broken.json"
  nothing_left
}

@test "counts: a baseline is made, holds, notices one call more and one less, and says what it can't compare" {
  local base=$TMP/base.json steady='--engine epoll --file-check-ms 86400000'
  gate reactor --route health --accept --baseline "$base" --count-args "$steady"
  valid counts "$base"
  [ "$(jq .counts_per_request.health.system_calls "$base")" -eq 3 ] # epoll_wait, recv, send
  [ "$(jq -r .arguments "$base")" = "$steady" ]

  gate reactor --route health --baseline "$base" --out "$TMP/same"
  valid gate "$TMP/same/gate.json"
  valid counts "$TMP/same/counts.json"
  [ "$(jq -r .verdict "$TMP/same/gate.json")" = PASS ]
  [ "$(jq '[.checks[] | select(.outcome == "pass")] | length' "$TMP/same/gate.json")" -eq 4 ]
  refused "holds a gate already" reactor --out "$TMP/same"

  jq '.counts_per_request.health |= (.system_calls = 2 | .response_bytes += 1) | .depends_on.compiler = "cc 1"' \
    "$base" >"$TMP/other.json"
  run gate reactor --route health --baseline "$TMP/other.json" --out "$TMP/differs"
  [ "$status" -eq 1 ]
  [ "$(outcome "$TMP/differs/gate.json" "health system calls")" = fail ]
  [ "$(outcome "$TMP/differs/gate.json" "health bytes of the answer")" = improved ]
  [ "$(outcome "$TMP/differs/gate.json" "health instructions")" = not_compared ]
  grep -q "compiler is .*, was cc 1" "$TMP/differs/summary.md"
  nothing_left
}

@test "counts: without a baseline the base is counted; with neither it is not green" {
  run gate reactor --route health --tier counts --baseline "$TMP/none.json" --out "$TMP/alone"
  [ "$status" -eq 3 ]
  [[ "$output" == *"nothing was compared"* ]]
  run gate reactor reactor --b-args '--handicap 50' --a-args '--engine epoll' --route health --tier counts \
    --baseline "$TMP/none.json" --out "$TMP/base"
  [ "$status" -eq 1 ] # a busy loop, and for all that another engine
  [ "$(outcome "$TMP/base/gate.json" "health instructions")" = fail ]
  [[ "$output" == *"the base was counted here instead"* ]]
  nothing_left
}

@test "duel: a build against itself passes or is open, its handicapped twin fails twice" {
  run gate reactor reactor --b-args '--handicap 60' --tier duel --route health --margin 0% --block 0.2s --budget 40s \
    --seed 5 --out "$TMP/out"
  echo "$output"
  [ "$status" -eq 1 ]
  [ "$(jq -r '[.checks[] | select(.outcome == "fail")][0].words' "$TMP/out/gate.json" | grep -c "a second measurement confirmed it")" -eq 1 ]
  [ "$(jq -r .seed "$TMP/out/together/duel.json")" != "$(jq -r .seed "$TMP/out/together-again/duel.json")" ]
  valid gate "$TMP/out/gate.json"
  valid duel "$TMP/out/together-again/duel.json"
  grep -q '^```text' "$TMP/out/summary.md"
  # The other way round it is an improvement, which passes.
  run gate reactor reactor --a-args '--handicap 60' --tier duel --route health --block 0.2s --budget 40s --out "$TMP/better"
  [ "$status" -eq 0 ]
  [ "$(jq '[.checks[] | select(.outcome == "improved")] | length >= 1' "$TMP/better/gate.json")" = true ]
  nothing_left
}

@test "a build that breaks the contract fails, a base that does is no verdict on the build" {
  run gate reactor "$FIXTURES/dies" --tier duel --route health
  [ "$status" -eq 1 ]
  [[ "$output" == *"the database is gone"* ]]
  run gate "$FIXTURES/dies" "$FIXTURES/dies" --tier counts --route health --baseline "$TMP/none.json"
  [ "$status" -eq 1 ]
  nothing_left
}

@test "trend: no history begins one, an empty file is an error and stays" {
  local result=$ROOT/results/reference/quick/result.json
  run gate reactor --tier trend --result "$result" --history "$TMP/none.jsonl" --out "$TMP/first"
  [ "$status" -eq 3 ] # of this tier alone: nothing to compare with yet
  [ "$(jq '[.checks[] | select(.outcome == "new")] | length > 0' "$TMP/first/gate.json")" = true ]
  valid gate "$TMP/first/gate.json"
  : >"$TMP/empty.jsonl"
  run gate reactor --tier trend --result "$result" --history "$TMP/empty.jsonl"
  [ "$status" -eq 2 ]
  [[ "$output" == *"empty.jsonl"* ]]
  [ ! -s "$TMP/empty.jsonl" ]
  run gate reactor --tier trend --result "$TMP/no-result.json"
  [ "$status" -eq 2 ]
}

@test "trend: half the ratio of the last run fails, the same passes" {
  local result=$ROOT/results/reference/quick/result.json
  "$PARITY" trend add "$result" --history "$TMP/history.jsonl" --commit 1111111111111111111111111111111111111111
  sed 's/"run":"[^"]*"/"run":"an-earlier-run"/' "$TMP/history.jsonl" >"$TMP/earlier.jsonl"
  run gate reactor --tier trend --result "$result" --history "$TMP/earlier.jsonl" --out "$TMP/same"
  echo "$output"
  [ "$status" -eq 0 ]
  # Every ratio of throughput doubled: that run was twice as good.
  /usr/bin/python3 - "$TMP/earlier.jsonl" >"$TMP/better.jsonl" <<'PYTHON'
import json, sys
for line in open(sys.argv[1]):
    run = json.loads(line)
    for s in run["series"]:
        for name, ratio in (s.get("ratio") or {}).items():
            if s["server"] == "reactor" and ratio and name == "requests_per_s":
                for key in ratio:
                    if key in ("estimate", "low", "high") and ratio[key] is not None:
                        ratio[key] *= 2
    print(json.dumps(run))
PYTHON
  run gate reactor --tier trend --result "$result" --history "$TMP/better.jsonl" --out "$TMP/half"
  echo "$output"
  [ "$status" -eq 1 ]
  [[ "$output" == *"50.0 % worse"* ]]
}

@test "Ctrl-C: what was found so far, exit 130, nothing left" {
  "$PARITY" gate reactor reactor --tier duel --route health --budget 10m --block 0.3s --out "$TMP/out" >"$TMP/table" 2>"$TMP/said" 3>&- &
  pid=$!
  for _ in $(seq 600); do
    [ "$(jq '.blocks | length' "$TMP/out/together/duel.json" 2>/dev/null || echo 0)" -ge 2 ] && break
    sleep 0.1
  done
  kill -INT "$pid"
  wait "$pid" && status=0 || status=$?
  [ "$status" -eq 130 ]
  valid gate "$TMP/out/gate.json"
  [ "$(jq -r '.interrupted' "$TMP/out/gate.json")" = true ]
  nothing_left
}
