#!/usr/bin/env bats
# What makes a number invalid is named as such, and the exit code tells.
bats_require_minimum_version 1.5.0
load e2e

verdict() { jq -r --arg s "$1" '[.cells[] | select(.server == $s)][0] | .verdict' "$TMP/out/result.json"; }
note() { jq -r --arg s "$1" '[.cells[] | select(.server == $s)][0] | .note' "$TMP/out/result.json"; }

@test "a lighttpd with keep-alive off is named: keepalive_lost" {
  run smoke --server "$FIXTURES/no-keepalive" --route small --generator wrk
  [ "$status" -eq 1 ]
  [ "$(verdict no-keepalive)" = keepalive_lost ]
  [[ "$output" == *keepalive_lost* ]]
  # The rate of a server that closes each connection must not enter a ratio.
  run jq -e '[.ratios[] | select(.metric == "requests_per_s") | .estimate] | all(. == null)' "$TMP/out/result.json"
  [ "$status" -eq 0 ]
}

@test "a server that answers 404 never gets a rate" {
  run smoke --server "$FIXTURES/answers404" --generator wrk
  [ "$status" -eq 1 ]
  [[ "$(verdict answers404)" == boot_failed || "$(verdict answers404)" == contract_broken ]]
  [[ "$(note answers404)" == *404* ]]
  [ "$(jq '[.cells[] | select(.server == "answers404")][0].requests_per_s' "$TMP/out/result.json")" = null ]
}

@test "a foreign server on the port is named with its process" {
  /usr/bin/python3 "$FIXTURES/own/server.py" 18181 3>&- &
  BACKGROUND=$!
  for _ in $(seq 100); do curl -sf http://127.0.0.1:18181/health >/dev/null && break; sleep 0.1; done
  run smoke --server "$FIXTURES/fixed-port" --generator wrk
  [ "$status" -eq 1 ]
  [ "$(verdict fixed-port)" = boot_failed ]
  [[ "$(note fixed-port)" == *18181* ]]
  [[ "$(note fixed-port)" == *"$BACKGROUND"* ]]
  kill "$BACKGROUND"
}

@test "a cell whose generator is the limit is named: client_bound" {
  [ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
  # ab on one thread costs more CPU per request than the reactor, so it is the limit on every machine.
  run smoke --server reactor --generator ab --connections 64 --duration 2
  # client_full of validity.c: below it somebody else had the client's CPU, or its clock stood still.
  busy=$(jq '[.cells[] | select(.server == "reactor")][0].client_busy' "$TMP/out/result.json")
  [ "$(jq -n "$busy >= 0.85")" = true ] || skip "others use this machine: ab was busy for $busy of the time"
  [[ "$(note reactor)" != *"of the CPU time"* ]] || skip "others use this machine: $(note reactor)"
  [ "$(verdict reactor)" = client_bound ]
  [[ "$output" == *client_bound* ]]
  # Its CPU per request stays comparable, its rate doesn't.
  run jq -r '.ratios[] | select(.server == "reactor" and .metric == "requests_per_s") | .estimate' "$TMP/out/result.json"
  [ "$output" = null ]
}

@test "a server that dies at start: its status and last words" {
  run smoke --server "$FIXTURES/dies" --generator wrk
  [ "$status" -eq 1 ]
  [ "$(verdict dies)" = boot_failed ]
  [[ "$(note dies)" == *"status 3"* ]]
  [[ "$(note dies)" == *"the database is gone"* ]]
  nothing_left
}

@test "a server that opens its port but never answers is given up" {
  run smoke --server "$FIXTURES/hangs" --generator wrk
  [ "$status" -eq 1 ]
  [ "$(verdict hangs)" = boot_failed ]
  nothing_left
}

@test "a server that dies during a trial: server_died, the others go on" {
  # At its 3000th request: the contract takes some 2600, and the trial the rest on any machine.
  jq --arg server "$FIXTURES/own/server.py" '.name = "mortal" | .start = ["/usr/bin/python3", $server, "{port}", "3000"]' \
    "$FIXTURES/own/server.json" >"$TMP/m.json"
  run smoke --server "$TMP/m.json" --generator wrk --connections 4 --duration 4
  [ "$status" -eq 1 ]
  [ "$(verdict mortal)" = server_died ]
  [[ "$(note mortal)" == *SEGV* ]]
  [ "$(jq -r '[.cells[] | select(.server == "nginx")][0].requests_per_s > 100' "$TMP/out/result.json")" = true ]
  nothing_left
}

@test "one's own server in another language is compared" {
  run smoke --server "$FIXTURES/own" --generator wrk --connections 4
  [[ "$(verdict mine)" == valid || "$(verdict mine)" == unstable ]]
  [ "$(jq -r '[.cells[] | select(.server == "mine")][0].requests_per_s > 10' "$TMP/out/result.json")" = true ]
  [[ "$(jq -r '.servers[] | select(.name == "mine").facts.version' "$TMP/out/result.json")" == Python* ]]
}

@test "a server that runs already is measured without process figures, and it is said" {
  /usr/bin/python3 "$FIXTURES/own/server.py" 18182 3>&- &
  BACKGROUND=$!
  for _ in $(seq 100); do curl -sf http://127.0.0.1:18182/health >/dev/null && break; sleep 0.1; done
  run smoke --server http://127.0.0.1:18182 --generator wrk --connections 4
  cell='[.cells[] | select(.server == "port-18182")][0]'
  [ "$(jq -r "$cell.cpu_ns_per_request" "$TMP/out/result.json")" = null ]
  [ "$(jq -r "$cell.requests_per_s > 10" "$TMP/out/result.json")" = true ]
  kill -0 "$BACKGROUND"
  kill "$BACKGROUND"
}

@test "with one CPU the cells say shared_cores and nothing is claimed" {
  run taskset -c 0 "$PARITY" run smoke --out "$TMP/out" --generator wrk
  [ "$status" -eq 3 ]
  [ "$(jq -r '[.cells[].verdict] | unique | join(",")' "$TMP/out/result.json")" = shared_cores ]
}

@test "check: contracts hold for the shipped servers" {
  run "$PARITY" check
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *reactor* && "$output" == *lighttpd* ]]
}

@test "check: a broken contract is exit 1 and named" {
  run "$PARITY" check "$FIXTURES/no-keepalive"
  [ "$status" -eq 1 ]
  [[ "$output" == *keep-alive* ]]
}

@test "check: what is broken and known is exit 0 with its reason, and still not measured" {
  mkdir "$TMP/known"
  cp "$FIXTURES/no-keepalive/lighttpd.conf.in" "$TMP/known/"
  jq '.differs = {again: "closes on purpose", "keep-alive held": "closes on purpose"}' \
    "$FIXTURES/no-keepalive/server.json" >"$TMP/known/server.json"
  run "$PARITY" check "$TMP/known"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"small again, no-keepalive: known: closes on purpose"* ]]
  run smoke --server "$TMP/known" --route small --generator wrk
  [ "$(verdict no-keepalive)" = keepalive_lost ]
}
