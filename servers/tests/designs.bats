#!/usr/bin/env bats
# The other designs as manifests: what parity says of them, where they are built, installed or lacking.
bats_require_minimum_version 1.5.0
load ../../harness/tests/e2e

designs=(threads uv uv-no-keepalive luajit luajit-wide luajit-parser)

@test "each design keeps the contracts of what it offers, or its manifest says why not" {
  run "$PARITY" check "${designs[@]}"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"health again, uv-no-keepalive: known: closes after each answer"* ]]
  [[ "$output" == *"HEAD, luajit: known: "*"without looking at the request"* ]]
  [[ "$output" == *" 0 broken"* ]]
}

@test "one loop stays one loop when more workers are asked for, and threads lets all accept" {
  run "$PARITY" check threads uv luajit --workers 2
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"workers, uv: known: one loop"* && "$output" == *"workers, luajit: known: one loop"* ]]
  grep -Eq '^accept queues +2 +1 ' <<<"$output"
}

@test "all are listed, and can run here" {
  run "$PARITY" list --json
  for name in "${designs[@]}"; do
    jq -e --arg name "$name" '.servers[] | select(.name == $name) | .can_run' <<<"$output"
  done
}

@test "without libuv's header everything else is built, and it is said" {
  run make -C "$ROOT" -n CC="gcc -nostdinc" all
  [ "$status" -eq 0 ]
  [[ "$output" != *servers/uv/* ]]
  grep -Eq 'for s in .*uv.*is not built: its library is missing' <<<"$output"
}

@test "installed elsewhere they run from there" {
  "$ROOT/scripts/install" "$TMP/prefix"
  cd "$TMP"
  run "$TMP/prefix/bin/parity" check luajit-parser threads uv
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *" 0 broken"* ]]
}
