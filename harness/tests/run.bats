#!/usr/bin/env bats
# The main job end to end, with the real servers and generators.
bats_require_minimum_version 1.5.0
load e2e

@test "smoke: every cell has verdict, rate, latency and CPU per request" {
  smoke --json >"$TMP/json" 2>"$TMP/said" || [ $? -eq 3 ]
  run jq -r '.cells | map(.server + " " + .generator) | sort | join(",")' "$TMP/json"
  [ "$output" = "lighttpd ab,lighttpd volley,lighttpd wrk,nginx ab,nginx volley,nginx wrk,reactor ab,reactor volley,reactor wrk" ]
  # Measured, whatever the verdict: this machine's speed is no matter of a test.
  run jq -e '.cells | all(.verdict != "not_run" and .verdict != "skipped" and
      .requests_per_s > 100 and .latency_us.p50 > 0 and .cpu_ns_per_request > 100)' "$TMP/json"
  [ "$status" -eq 0 ]
  run jq -e '.trials | all(.tally.errors | map(. // 0) | add == 0)' "$TMP/json"
  [ "$status" -eq 0 ]
  nothing_left
}

@test "what is on disk is what was printed, and the schema holds" {
  smoke --generator wrk --json >"$TMP/json" || [ $? -eq 3 ]
  cmp <(jq -S . "$TMP/json") <(jq -S . "$TMP/out/result.json")
  valid_schema "$TMP/out/result.json"
  [ "$(jq -r .state "$TMP/out/result.json")" = complete ]
  [ -s "$TMP/out/report.html" ]
  [ -s "$TMP/out/conf/nginx/nginx.conf" ]
  [ -s "$TMP/out/conf/lighttpd/lighttpd.conf" ]
  for raw in $(jq -r '.trials[].raw' "$TMP/out/result.json"); do
    [ -s "$TMP/out/$raw/out.txt" ]
  done
  ls "$TMP"/out/charts/*.svg "$TMP"/out/charts/*.png
}

@test "the tool's own figures agree with what is reported" {
  smoke --generator ab --server nginx >/dev/null || [ $? -eq 3 ]
  raw=$TMP/out/$(jq -r '.trials[0].raw' "$TMP/out/result.json")
  [ "$(jq '.trials[0].tally.requests' "$TMP/out/result.json")" = \
    "$(awk '/^Complete requests:/ {print $3}' "$raw/out.txt")" ]
}

@test "close mode opens a connection for each request" {
  smoke --mode close --server nginx --generator wrk >/dev/null || [ $? -eq 3 ]
  run jq -e '.trials[0] | .usage.tcp_opens > 0.9 * .tally.requests and .verdict != "inconsistent"' \
    "$TMP/out/result.json"
  [ "$status" -eq 0 ]
}

@test "every route is measured where it is offered" {
  "$PARITY" run smoke --out "$TMP/out" --generator wrk --route health,json,echo,small,large \
    --duration 1 >/dev/null || [ $? -eq 3 ]
  run jq -r '[.cells[] | select(.requests_per_s == null) | .server + " " + .route + " " + .note] | .[]' \
    "$TMP/out/result.json"
  [ "$output" = "" ]
}

@test "the same seed gives the same order" {
  "$PARITY" run quick --dry-run --seed 7 >"$TMP/a"
  "$PARITY" run quick --dry-run --seed 7 >"$TMP/b"
  "$PARITY" run quick --dry-run --seed 8 >"$TMP/c"
  cmp "$TMP/a" "$TMP/b"
  run ! cmp -s "$TMP/a" "$TMP/c"
  grep -q "108 trials, about [23] min" "$TMP/a"
}

@test "report redraws from result.json alone" {
  smoke --generator wrk --server nginx >/dev/null || [ $? -eq 3 ]
  mkdir "$TMP/alone"
  cp "$TMP/out/result.json" "$TMP/alone/"
  "$PARITY" report "$TMP/alone" >"$TMP/table"
  grep -q nginx "$TMP/table"
  cmp "$TMP/out/report.html" "$TMP/alone/report.html"
}

@test "works as an ordinary user, with blanks and quotes in the paths" {
  [ "$(id -u)" -eq 0 ] || skip "needs root to become another user"
  setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$PARITY" || skip "nobody can't enter this checkout"
  odd="$TMP/a b/c'd;e"
  mkdir -p "$odd"
  chmod -R a+rwX "$TMP"
  setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$TMP" TMPDIR="$TMPDIR" \
    "$PARITY" run smoke --generator wrk --out "$odd/result" >"$TMP/table" || [ $? -eq 3 ]
  [ "$(jq -r .state "$odd/result/result.json")" = complete ]
  run jq -e '.cells | all(.requests_per_s > 100)' "$odd/result/result.json"
  [ "$status" -eq 0 ]
  ls "$odd"/result/charts/*.svg
}

@test "a comma locale changes no figure" {
  LC_ALL=de_DE.UTF-8 smoke --generator wrk,ab --server nginx --duration 1 --json >"$TMP/json" || [ $? -eq 3 ]
  valid_schema "$TMP/out/result.json"
  run grep -lE '[0-9],[0-9]{3}' "$TMP"/out/charts/*.dat
  [ "$status" -ne 0 ]
}

@test "two runs at once: the second is told, both are right" {
  "$PARITY" run smoke --generator wrk --server nginx --duration 2 --out "$TMP/one" >/dev/null 2>&1 &
  first=$!
  sleep 0.7
  "$PARITY" run smoke --generator wrk --server nginx --out "$TMP/two" >/dev/null 2>"$TMP/said" || [ $? -eq 3 ]
  wait "$first" || [ $? -eq 3 ]
  grep -q "another run of parity" "$TMP/said"
  [ "$(jq -r .state "$TMP/one/result.json")" = complete ]
  [ "$(jq -r .state "$TMP/two/result.json")" = complete ]
}
