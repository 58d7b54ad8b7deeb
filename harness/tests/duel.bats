#!/usr/bin/env bats
# parity duel with real servers and the real generator. No test depends on how fast the machine is:
# what is planted is far larger than what noise does.
bats_require_minimum_version 1.5.0
load e2e

CROWDED=$ROOT/harness/tests/fixtures/duel

duel() { "$PARITY" duel "$@"; }

valid_duel() { # FILE
  /usr/bin/python3 "$ROOT/harness/tests/validate.py" "$ROOT/results/schema/duel.schema.json" "$1"
}

# refused TEXT ARGUMENT...: exit 2 within the first moments, with that in the message.
refused() {
  local text=$1
  shift
  run duel "$@"
  [ "$status" -eq 2 ] || {
    echo "status $status for $*: $output"
    return 1
  }
  [[ "$output" == *"$text"* ]] || {
    echo "no \"$text\" in: $output"
    return 1
  }
}

@test "the margin has one form, the allowed loss in percent" {
  for bad in 0.9 90% 110% -10% 0 abc 5 1.% % .5% 1%% "1 %" ""; do
    refused "for example --margin 1%" reactor reactor --margin="$bad"
  done
  refused "must be above the margin" reactor reactor --margin 2% --detect 2%
  refused "for example --detect 1%" reactor reactor --detect 3
}

@test "what can't be a duel is refused before anything starts" {
  refused "two contestants" reactor
  refused "unexpected" reactor nginx lighttpd
  refused "there is no server" reactor nonesuch
  refused "B: http://127.0.0.1:1 runs already" reactor http://127.0.0.1:1
  refused "no program that can be run" reactor reactor --b-bin /nonesuch/reactor
  refused "only our own reactor" reactor nginx@main
  refused "names no revision" reactor reactor@
  refused "each once" reactor reactor --route health,health
  refused "metrics are throughput and cpu" reactor reactor --metric latency
  refused "less than 8 slices" reactor reactor --slice 50ms --block 100ms
  refused "belongs to --self-test" reactor reactor --quick
  refused "chooses contestants" reactor reactor --self-test
  refused "both listen on port 18181" "$FIXTURES/fixed-port" "$FIXTURES/fixed-port"
  refused "doesn't offer the route json" reactor "$CROWDED" --route json
  nothing_left
}

@test "the self-test: itself does not fail, its handicapped twin does" {
  run duel --self-test --quick
  echo "$output"
  [ "$status" -ne 3 ] || skip "this machine is too noisy to tell 15 % (the self-test says so itself)"
  [ "$status" -eq 0 ]
  [[ "$output" == *"ok: A against itself must not FAIL"* ]]
  [[ "$output" == *"must FAIL: FAIL"* ]]
  nothing_left
}

@test "what is written holds to the schema; slices, charts and coins are kept" {
  duel reactor reactor --b-args "--handicap 60" --margin 0% --block 0.2s --budget 40s --seed 11 \
    --out "$TMP/out" --json >"$TMP/json" 2>"$TMP/said" && status=0 || status=$?
  [ "$status" -eq 1 ] || { # 60 % more work a request
    cat "$TMP/said"
    return 1
  }
  cmp <(jq -S . "$TMP/json") <(jq -S . "$TMP/out/duel.json")
  valid_duel "$TMP/out/duel.json"
  [ "$(jq -r '.verdict + " " + .cause + " " + .state' "$TMP/json")" = "FAIL measured complete" ]
  [ "$(jq '.rules.alpha_bound <= 0.01' "$TMP/json")" = true ]
  [ "$(jq '[.blocks[].order] | unique | length' "$TMP/json")" -eq 2 ]
  [ "$(jq '[.blocks[].padding_bytes.a] | unique | length' "$TMP/json")" -gt 5 ]
  [ "$(jq '.series[] | select(.metric == "cpu_ns_per_request") | .slowdown_percent > 10' "$TMP/json")" = true ]
  # The blocks' values follow from the raw slices that were kept.
  [ "$(cat "$TMP"/out/raw/block-*-health.jsonl | wc -l)" -eq "$(jq '[.blocks[].routes[0].slices] | add' "$TMP/json")" ]
  run grep -l histogram -r "$TMP/out/raw"
  [ "$status" -ne 0 ]
  ls "$TMP"/out/charts/duel-health-cpu.svg "$TMP"/out/charts/duel-health-throughput.png
  grep -q "health" "$TMP/said"
  # A folder that holds a duel is not written over.
  refused "holds a duel already" reactor reactor --out "$TMP/out"
  nothing_left
}

@test "wrong answers of B alone fail, of A alone say so" {
  run duel "$CROWDED" "$CROWDED" --b-args breaks --budget 60s --block 0.5s
  [ "$status" -eq 1 ]
  [[ "$output" == *"FAIL  B is at fault: errors on health in block 1: status "* ]]
  run duel "$CROWDED" "$CROWDED" --a-args breaks --budget 60s --block 0.5s
  [ "$status" -eq 3 ]
  [[ "$output" == *"INCONCLUSIVE  A is at fault"* ]]
  nothing_left
}

@test "a B that dies under load fails with its last words" {
  run duel "$CROWDED" "$CROWDED" --b-args dies --budget 60s --block 0.5s
  [ "$status" -eq 1 ]
  [[ "$output" == *"B died: crowded exited with status 7; its last words: too crowded here"* ]]
  nothing_left
}

@test "a broken contract, or no boot, is found before anything is timed" {
  run duel reactor "$FIXTURES/dies"
  [ "$status" -eq 1 ]
  [[ "$output" == *"the database is gone"* ]]
  run duel "$FIXTURES/dies" reactor
  [ "$status" -eq 4 ]
  [[ "$output" == *"A ($FIXTURES/dies) did not come up"* ]]
  run duel reactor "$FIXTURES/no-keepalive" --route small
  [ "$status" -eq 1 ]
  [[ "$output" == *"breaks the contract of small"* ]]
  nothing_left
}

@test "a budget too short says what would do" {
  run duel reactor reactor --budget 4s
  [ "$status" -eq 2 ]
  [[ "$output" == *"a verdict needs 9; give --budget "* ]]
  nothing_left
}

@test "Ctrl-C: the partial result, exit 130, nothing left" {
  "$PARITY" duel reactor reactor --budget 10m --block 0.3s --out "$TMP/out" >"$TMP/table" 2>"$TMP/said" 3>&- &
  pid=$!
  for _ in $(seq 600); do
    [ "$(jq '.blocks | length' "$TMP/out/duel.json" 2>/dev/null || echo 0)" -ge 2 ] && break
    sleep 0.1
  done
  kill -INT "$pid"
  wait "$pid" && status=0 || status=$?
  [ "$status" -eq 130 ]
  valid_duel "$TMP/out/duel.json"
  [ "$(jq -r '.state + " " + .verdict + " " + .cause' "$TMP/out/duel.json")" = "interrupted INCONCLUSIVE interrupted" ]
  grep -q "INCONCLUSIVE  interrupted" "$TMP/table"
  nothing_left
}

@test "open-ended, several routes as one, slow enough for any machine" {
  duel reactor reactor --b-args "--handicap 60" --route health,echo --composite --anytime --margin 0% \
    --block 0.2s --budget 90s --json >"$TMP/json" && status=0 || status=$?
  [ "$status" -eq 1 ]
  valid_duel "$TMP/json"
  [ "$(jq -r '.rules.method' "$TMP/json")" = e_process ]
  [ "$(jq '.series | length' "$TMP/json")" -eq 2 ]
  [ "$(jq '.series[0].route' "$TMP/json")" = null ]
  [ "$(jq '.blocks[0].routes | length' "$TMP/json")" -eq 2 ]
}

@test "a revision of the reactor is built once, in a folder of its own" {
  git -C "$ROOT" rev-parse HEAD >/dev/null 2>&1 || skip "no git checkout"
  refused "there is no such revision" reactor reactor@nonesuch
  run duel reactor@HEAD reactor --b-bin "$ROOT/bin/servers/reactor" --budget 4s
  [ "$status" -eq 2 ]
  [[ "$output" == *"a verdict needs"* ]]
  commit=$(git -C "$ROOT" rev-parse HEAD | cut -c1-12)
  ls "$ROOT"/build/refs/"$commit"-*/reactor
  run duel reactor reactor@HEAD --budget 4s
  [[ "$output" != *"build reactor"* ]] # it was kept
  nothing_left
}

@test "a revision that doesn't build: the end of the compiler's words" {
  command -v git >/dev/null || skip "no git"
  cp -r "$ROOT/servers" "$ROOT/configs" "$ROOT/scripts" "$TMP/" # a checkout of its own
  export PARITY_HOME=$TMP
  refused "needs the git checkout" reactor reactor@HEAD
  git -C "$TMP" init -q
  printf 'bin/servers/reactor:\n\t@echo a very broken build; exit 1\n' >"$TMP/Makefile"
  git -C "$TMP" add Makefile
  git -C "$TMP" -c user.name=t -c user.email=t@t commit -qm broken
  run duel reactor reactor@HEAD
  [ "$status" -eq 4 ]
  [[ "$output" == *"a very broken build"* ]]
  [ -z "$(ls "$TMP/build/refs" 2>/dev/null)" ]
}
