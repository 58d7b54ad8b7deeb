#!/usr/bin/env bats
# scripts/deps: what it installs, that it starts no service, that it leaves things as they were.
bats_require_minimum_version 1.5.0
load e2e

# Fake package tools on PATH: $TMP/installed lists what is there; apt-get notes its calls.
fake_tools() {
  mkdir -p "$TMP/bin"
  cat >"$TMP/bin/dpkg-query" <<'TOOL'
#!/bin/bash
[ -f "$FAKE/installed" ] && sed 's/^/installed /' "$FAKE/installed"
exit 1
TOOL
  cat >"$TMP/bin/apt-get" <<'TOOL'
#!/bin/bash
echo "$*" >>"$FAKE/calls"
case " $* " in *" install "*)
  cat "$PARITY_POLICY_RC_D" >"$FAKE/policy-during"
  [ ! -e "$FAKE/fail" ] || exit 100
  [ ! -e "$FAKE/hang" ] || { touch "$FAKE/hanging"; sleep 30; }
  ;;
esac
TOOL
  chmod +x "$TMP"/bin/*
  export FAKE=$TMP PARITY_POLICY_RC_D=$TMP/policy-rc.d
  PATH=$TMP/bin:$PATH
}

as_root() { [ "$(id -u)" -eq 0 ] || skip "needs root, or it would ask sudo"; }

all_names() { "$ROOT/scripts/deps" list | awk '{print $2}'; }

@test "each package has a reason, and none is listed twice" {
  run "$ROOT/scripts/deps" list
  [ "$status" -eq 0 ]
  while read -r need name why; do
    [[ "$need" == bench || "$need" == gate || "$need" == test ]]
    [ -n "$name" ] && [ "${#why}" -gt 8 ]
  done <<<"$output"
  [ -z "$(all_names | sort | uniq -d)" ]
}

@test "with everything there it calls nothing and changes nothing" {
  fake_tools
  all_names >"$TMP/installed"
  run "$ROOT/scripts/deps" test
  [ "$status" -eq 0 ]
  [ -z "$output" ]
  [ ! -e "$TMP/calls" ]
}

@test "missing packages are installed, services kept from starting, the policy put back" {
  as_root
  fake_tools
  all_names | grep -v -x -e nginx-light -e wrk >"$TMP/installed"
  echo "#!/bin/sh" >"$TMP/policy-rc.d"
  echo "exit 0 # the user's own" >>"$TMP/policy-rc.d"
  before=$(cat "$TMP/policy-rc.d")
  run "$ROOT/scripts/deps" bench
  [ "$status" -eq 0 ]
  grep -q "install -y --no-install-recommends nginx-light wrk" "$TMP/calls"
  grep -q "exit 101" "$TMP/policy-during"
  [ "$(cat "$TMP/policy-rc.d")" = "$before" ]
}

@test "a failed, an interrupted and a killed installation put the policy back as well" {
  as_root
  fake_tools
  touch "$TMP/fail"
  run "$ROOT/scripts/deps" bench
  [ "$status" -eq 100 ]
  [ ! -e "$TMP/policy-rc.d" ]
  rm "$TMP/fail"
  touch "$TMP/hang"
  for signal in TERM KILL; do
    rm -f "$TMP/hanging"
    setsid "$ROOT/scripts/deps" bench >/dev/null 2>&1 3>&- &
    pid=$!
    for _ in $(seq 100); do [ -e "$TMP/hanging" ] && break; sleep 0.1; done
    kill -$signal -- "-$pid"
    wait "$pid" || true
    # Of a kill only the next call can know.
    [ "$signal" = KILL ] || [ ! -e "$TMP/policy-rc.d" ]
  done
  rm "$TMP/hang"
  run "$ROOT/scripts/deps" bench
  [ "$status" -eq 0 ]
  [ ! -e "$TMP/policy-rc.d" ]
}

@test "PARITY_NO_INSTALL=1 only checks, and says what to type" {
  fake_tools
  all_names | grep -v -x wrk >"$TMP/installed"
  PARITY_NO_INSTALL=1 run "$ROOT/scripts/deps" bench
  [ "$status" -eq 4 ]
  [[ "$output" == *"apt-get install wrk"* ]]
  [ ! -e "$TMP/calls" ]
}

@test "a system without apt: what is needed is printed, and it stops" {
  mkdir "$TMP/none"
  for tool in bash cut grep cat uname; do ln -s "$(command -v $tool)" "$TMP/none/"; done
  PATH=$TMP/none run "$ROOT/scripts/deps" bench
  [ "$status" -eq 4 ]
  [[ "$output" == *nginx-light* && "$output" == *libjansson-dev* ]]
}

@test "a wrong word is refused" {
  run "$ROOT/scripts/deps" everything
  [ "$status" -eq 2 ]
  [[ "$output" == *everything* ]]
}
