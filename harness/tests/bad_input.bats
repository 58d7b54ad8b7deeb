#!/usr/bin/env bats
# Bad input: a clear error, the right exit code, earlier results kept, before anything starts.
bats_require_minimum_version 1.5.0
load e2e

refused() { # STATUS TEXT COMMAND...
  local want=$1 text=$2
  shift 2
  run "$@"
  echo "status $status: $output"
  [ "$status" -eq "$want" ]
  [[ "$output" == *"$text"* ]]
}

suite() { jq "$1" "$ROOT/configs/suites/smoke.json" >"$TMP/suite.json"; }

@test "no command, an unknown command, help" {
  refused 2 "Usage: parity COMMAND" "$PARITY"
  refused 2 'unknown command "rum"' "$PARITY" rum
  refused 0 "parity measures HTTP servers" "$PARITY" help
  for verb in run check report list doctor; do
    refused 0 "Usage: parity $verb" "$PARITY" $verb --help
  done
  refused 0 "parity 0" "$PARITY" --version
}

@test "unknown options and absurd numbers" {
  refused 2 "unknown option --sever" "$PARITY" run quick --sever nginx
  refused 2 "--blocks needs a value" "$PARITY" run quick --blocks
  refused 2 "--blocks 0" "$PARITY" run quick --blocks 0
  refused 2 "--blocks -3" "$PARITY" run quick --blocks -3
  refused 2 "--blocks 1e9" "$PARITY" run quick --blocks 1e9
  refused 2 "--duration 1.2.3" "$PARITY" run quick --duration 1.2.3
  refused 2 "--duration ten" "$PARITY" run quick --duration ten
  refused 2 "--connections 0" "$PARITY" run quick --connections 8,0
  refused 2 "--connections 99999999999999999999" "$PARITY" run quick --connections 99999999999999999999
  refused 2 "connections: 8 is there twice" "$PARITY" run quick --connections 8,8
  refused 2 "--workers 100000" "$PARITY" run quick --workers 100000
  refused 2 "routes are health" "$PARITY" run quick --route helth
  refused 2 "each once" "$PARITY" run quick --route health,health
  refused 2 "modes are keep-alive and close" "$PARITY" run quick --mode open
  refused 2 'no generator "wkr"' "$PARITY" run quick --generator wkr --out "$TMP/out"
  refused 2 'there is no suite "quik"' "$PARITY" run quik
  refused 2 'there is no server "ngnix"' "$PARITY" run quick --server ngnix
  refused 2 "CPU" "$PARITY" run quick --server-cpus 4096 --out "$TMP/out"
  refused 2 "unexpected" "$PARITY" run quick full
  [ ! -e "$TMP/out/result.json" ]
}

@test "a bad suite is refused with file, line and key" {
  suite '. + {"conections": [1]}'
  refused 2 "suite.json:$(grep -n conections "$TMP/suite.json" | cut -d: -f1): conections: unknown key" "$PARITY" run "$TMP/suite.json"
  suite '.connections = [1, "two"]'
  refused 2 "connections[1]: is a string; it must be a whole number" "$PARITY" run "$TMP/suite.json"
  suite '.blocks = 0'
  refused 2 "blocks: is 0" "$PARITY" run "$TMP/suite.json"
  suite '.routes = []'
  refused 2 "routes" "$PARITY" run "$TMP/suite.json"
  suite '.schema_version = 9'
  refused 2 "schema_version" "$PARITY" run "$TMP/suite.json"
  suite 'del(.duration_s)'
  refused 2 "duration_s" "$PARITY" run "$TMP/suite.json"
  echo '{"schema": "parity/suite", ' >"$TMP/suite.json"
  refused 2 "not valid JSON" "$PARITY" run "$TMP/suite.json"
  refused 2 "$TMP" "$PARITY" run "$TMP"
}

@test "a bad manifest is refused with file, line and key" {
  own=$FIXTURES/own/server.json
  jq '.start = "python3"' "$own" >"$TMP/server.json"
  refused 2 "start: is a string" "$PARITY" run smoke --server "$TMP/server.json"
  jq '.routes += ["helth"]' "$own" >"$TMP/server.json"
  refused 2 '"helth" is no route' "$PARITY" run smoke --server "$TMP/server.json"
  jq '.name = "a b"' "$own" >"$TMP/server.json"
  refused 2 "name:" "$PARITY" run smoke --server "$TMP/server.json"
  jq '.configs = [{"template": "none.in", "to": "x"}]' "$own" >"$TMP/server.json"
  refused 2 "no readable file" "$PARITY" run smoke --server "$TMP/server.json"
  jq '.name = "nginx"' "$own" >"$TMP/server.json"
  refused 2 'two servers are named "nginx"' "$PARITY" run smoke --server nginx,"$TMP/server.json"
  refused 2 "http://ADDRESS:PORT" "$PARITY" run smoke --server http://example.org/x
}

@test "a program that isn't there: the server is skipped with the reason, the others are measured" {
  jq '.start[0] = "no-such-program"' "$FIXTURES/own/server.json" >"$TMP/server.json"
  run "$PARITY" run smoke --server "$TMP/server.json" --generator wrk --out "$TMP/out"
  [ "$(jq -r '[.cells[] | select(.server == "mine")][0].verdict' "$TMP/out/result.json")" = skipped ]
  [[ "$(jq -r '[.cells[] | select(.server == "mine")][0].note' "$TMP/out/result.json")" == *no-such-program* ]]
  [ "$(jq -r '[.cells[] | select(.server == "nginx")][0].requests_per_s > 100' "$TMP/out/result.json")" = true ]
}

@test "an unknown placeholder names its file" {
  jq '.start += ["{prot}"]' "$FIXTURES/own/server.json" >"$TMP/server.json"
  run "$PARITY" run smoke --server "$TMP/server.json" --generator wrk --out "$TMP/out"
  [[ "$output" == *"{prot}"* ]]
}

@test "a generator that isn't installed is an error before anything starts" {
  [ "$(id -u)" -eq 0 ] || skip "needs root to hide a program"
  unshare -m true || skip "needs a mount namespace of its own"
  printf '#!/bin/sh\nmount --bind /dev/null %s && exec "$@"\n' "$(command -v wrk)" >"$TMP/without-wrk"
  chmod +x "$TMP/without-wrk"
  run unshare -m "$TMP/without-wrk" "$PARITY" run smoke --out "$TMP/out"
  echo "$output"
  [ "$status" -eq 4 ]
  [[ "$output" == *"wrk can't run here"* ]]
  [[ "$output" == *"apt-get install wrk"* ]]
  [ ! -e "$TMP/out/result.json" ]
}

@test "an earlier result is never overwritten" {
  smoke --server nginx --generator wrk >/dev/null 2>&1 || [ $? -eq 3 ]
  before=$(sha256sum "$TMP/out/result.json")
  refused 2 "holds a result already" smoke --server nginx --generator wrk
  [ "$(sha256sum "$TMP/out/result.json")" = "$before" ]
}

@test "an output folder that can't be written" {
  touch "$TMP/file"
  refused 4 "$TMP/file" "$PARITY" run smoke --out "$TMP/file/out"
}

@test "a full disk is named, and the last whole result stays" {
  [ "$(id -u)" -eq 0 ] || skip "needs root to mount a small file system"
  mkdir "$TMP/small"
  mount -t tmpfs -o size=64k tmpfs "$TMP/small" || skip "can't mount"
  run "$PARITY" run smoke --generator wrk --blocks 5 --out "$TMP/small/out"
  copy=$(cat "$TMP/small/out/result.json")
  umount "$TMP/small"
  echo "$output"
  [ "$status" -eq 4 ]
  [[ "$output" == *"No space left on device"* ]]
  jq -e .schema <<<"$copy"
}

@test "a missing or foreign result for report" {
  refused 2 "cannot read" "$PARITY" report "$TMP"
  echo '{"schema": "other"}' >"$TMP/result.json"
  refused 2 "schema" "$PARITY" report "$TMP"
  refused 2 "which result" "$PARITY" report
}

@test "list and doctor tell what can run here" {
  refused 0 "reactor" "$PARITY" list
  "$PARITY" list --json | jq -e '.generators | map(select(.name == "wrk").can_run) == [true]'
  run "$PARITY" doctor
  [[ "$status" -eq 0 || "$status" -eq 4 ]]
  [[ "$output" == *cores* ]]
  "$PARITY" doctor --json | jq -e '.diagnoses | length > 8'
}
