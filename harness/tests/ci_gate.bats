#!/usr/bin/env bats
# ci/gate and ci/history with a made-up parity and small repositories: which base is found, what a job is told, and that
# no token is needed. What parity itself does is tested in gate.bats.
bats_require_minimum_version 1.5.0
load e2e

# A checkout with ci/ and a parity that notes how it was called, and ends as $TMP/codes says.
make_checkout() {
  export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
  unset GITHUB_ACTIONS GITHUB_EVENT_PATH GITHUB_BASE_REF GITHUB_STEP_SUMMARY GITHUB_OUTPUT GITHUB_TOKEN
  mkdir -p "$TMP/home/bin" "$TMP/home/ci" "$TMP/home/servers"
  cd "$TMP/home" || return 1
  cp "$ROOT/ci/gate" "$ROOT/ci/history" ci/
  printf 'all:\n' >Makefile
  printf '/bin/\n/results/\n' >.gitignore
  cat >bin/parity <<TOOL
#!/bin/bash
echo "\$*" >>"$TMP/calls"
out=\$(sed -n 's/.*--out \([^ ]*\).*/\1/p' <<<"\$*")
mkdir -p "\$out"
case \$1 in
  run) exit "\$(cat "$TMP/run-code" 2>/dev/null || echo 0)" ;;
  gate)
    code=\$(cat "$TMP/gate-code" 2>/dev/null || echo 0)
    case \$code in 0) v=PASS ;; 1) v=FAIL ;; *) v=INCONCLUSIVE ;; esac
    printf '{\n  "verdict": "%s",\n}\n' "\$v" >"\$out/gate.json"
    echo "## Parity gate: \$v" >"\$out/summary.md"
    exit "\$code"
    ;;
esac
TOOL
  chmod +x bin/parity
  git init -q -b main .
  local n
  for n in 1 2 3; do
    echo "$n" >servers/file
    git add -A
    git commit -q -m "commit $n"
    git tag "c$n"
  done
}

sha() { git -C "$TMP/home" rev-parse "$1"; }
gated() { grep '^gate ' "$TMP/calls"; }

@test "the base: as told, a pull request's merge base, the commit before a push, the parent" {
  make_checkout
  ci/gate --out "$TMP/o1"
  [[ "$(gated)" == "gate reactor@$(sha c2) reactor@HEAD "* ]]
  rm "$TMP/calls"
  ci/gate --out "$TMP/o2" --base c1
  [[ "$(gated)" == "gate reactor@$(sha c1) reactor@HEAD "* ]]
  rm "$TMP/calls"
  printf '{\n  "after": "%s",\n  "before": "%s"\n}\n' "$(sha c3)" "$(sha c1)" >"$TMP/event.json"
  GITHUB_EVENT_PATH=$TMP/event.json ci/gate --out "$TMP/o3"
  [[ "$(gated)" == "gate reactor@$(sha c1) "* ]]
  rm "$TMP/calls"
  printf '{"before": "%s"}\n' 0000000000000000000000000000000000000000 >"$TMP/event.json" # a new branch
  GITHUB_EVENT_PATH=$TMP/event.json ci/gate --out "$TMP/o4"
  [[ "$(gated)" == "gate reactor@$(sha c2) "* ]]
  rm "$TMP/calls"
  git update-ref refs/remotes/origin/main c1
  GITHUB_BASE_REF=main ci/gate --out "$TMP/o5"
  [[ "$(gated)" == "gate reactor@$(sha c1) "* ]]
}

@test "the first commit has no base, which is said; a commit is never its own base" {
  make_checkout
  git checkout -q --detach c1
  run ci/gate --out "$TMP/o1"
  [ "$status" -eq 0 ]
  [[ "$output" == *"there is no base"* ]]
  [[ "$(gated)" == "gate reactor@HEAD "* ]]
  run ci/gate --out "$TMP/o2" --base HEAD
  [ "$status" -eq 2 ]
  [[ "$output" == *"nothing would be compared"* ]]
  run ci/gate --out "$TMP/o3" --base nonesuch
  [ "$status" -eq 2 ]
  [[ "$output" == *"fetch-depth: 0"* ]]
}

@test "changes that are not committed are gated, and said" {
  make_checkout
  echo changed >servers/file
  run ci/gate --out "$TMP/o"
  [[ "$output" == *"not committed"* ]]
  [[ "$(gated)" == "gate reactor@$(sha c2) reactor --result"* ]]
}

@test "exit codes: FAIL is 1, INCONCLUSIVE warns or fails as told, a broken tool is no verdict" {
  make_checkout
  echo 1 >"$TMP/gate-code"
  run ci/gate --out "$TMP/o1"
  [ "$status" -eq 1 ]
  echo 3 >"$TMP/gate-code"
  run ci/gate --out "$TMP/o2"
  [ "$status" -eq 0 ]
  [[ "$output" == *"INCONCLUSIVE: neither PASS nor FAIL"* ]] # never green in silence
  run ci/gate --out "$TMP/o3" --inconclusive fail
  [ "$status" -eq 3 ]
  echo 4 >"$TMP/gate-code"
  run ci/gate --out "$TMP/o4"
  [ "$status" -eq 4 ]
  rm "$TMP/gate-code"
  echo 1 >"$TMP/run-code" # a cell's verdict: the gate reads it
  run ci/gate --out "$TMP/o5"
  [ "$status" -eq 0 ]
  echo 4 >"$TMP/run-code"
  rm "$TMP/calls"
  run ci/gate --out "$TMP/o6"
  [ "$status" -eq 4 ]
  run gated
  [ -z "$output" ]
}

@test "in a fork's job: no token, the summary and the outputs are written, annotations are lines" {
  make_checkout
  echo 1 >"$TMP/gate-code"
  run env -u GITHUB_TOKEN GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$TMP/summary" GITHUB_OUTPUT="$TMP/output" \
    ci/gate --out "$TMP/o"
  [ "$status" -eq 1 ]
  [[ "$output" == *"::error title=Parity gate: FAIL::"* ]]
  [ "$(cat "$TMP/summary")" = "## Parity gate: FAIL" ]
  grep -qx "verdict=FAIL" "$TMP/output"
  run ! grep -rn 'pull_request_target\|secrets\.' "$ROOT/.github/workflows" "$ROOT/ci/action.yml" "$ROOT/ci/gate"
}

@test "your own server: built here and in a copy of the base, which is gone afterwards" {
  make_checkout
  mkdir -p "$TMP/mine/sub dir"
  cd "$TMP/mine"
  git init -q -b main .
  echo '{}' >"sub dir/server.json"
  printf '#!/bin/sh\npwd >>%s/built\n' "$TMP" >compile
  chmod +x compile
  git add -A
  git commit -q -m one
  git commit -q --allow-empty -m two
  "$TMP/home/ci/gate" --server "sub dir/server.json" --build ./compile --references nginx --out "$TMP/o" -- --margin 2%
  [ "$(wc -l <"$TMP/built")" -eq 2 ]
  [ "$(head -n 1 "$TMP/built")" = "$TMP/mine" ]
  base=$(tail -n 1 "$TMP/built")
  [ ! -e "$base" ]
  [ "$(git worktree list | wc -l)" -eq 1 ]
  [[ "$(gated)" == "gate $base/sub dir/server.json $TMP/mine/sub dir/server.json --result $TMP/o/run/result.json --out $TMP/o/gate --margin 2%" ]]
  grep -q "^run gate --server $TMP/mine/sub dir/server.json,nginx --reference nginx " "$TMP/calls"
  # A base that doesn't build is no reason to fail.
  # shellcheck disable=SC2016 # the script's own
  printf '#!/bin/sh\n[ "$(pwd)" = %s/mine ]\n' "$TMP" >compile
  git add -A
  git commit -q -m three
  git commit -q --allow-empty -m four
  run "$TMP/home/ci/gate" --server "sub dir/server.json" --build ./compile --out "$TMP/o2"
  [ "$status" -eq 0 ]
  [[ "$output" == *"the base does not build"* ]]
  # A build that doesn't is.
  run "$TMP/home/ci/gate" --server "sub dir/server.json" --build false --out "$TMP/o3"
  [ "$status" -eq 2 ]
  run "$TMP/home/ci/gate" --server "$TMP/home/Makefile" --out "$TMP/o4"
  [ "$status" -eq 2 ]
  [[ "$output" == *"outside of the checkout"* ]]
}

@test "wrong words are refused" {
  make_checkout
  for words in "--nonesuch x" "--inconclusive maybe" "--build make"; do
    # shellcheck disable=SC2086 # two words each
    run ci/gate --out "$TMP/o" $words
    [ "$status" -eq 2 ]
  done
  mkdir "$TMP/full"
  touch "$TMP/full/x"
  run ci/gate --out "$TMP/full"
  [ "$status" -eq 2 ]
  [[ "$output" == *"not empty"* ]]
  run ci/gate --help
  [ "$status" -eq 0 ]
  [[ "$output" == *"--inconclusive WORD"* ]]
}

@test "the history: fetched from the branch; a branch or file that isn't there begins one; an unreachable remote is told" {
  make_checkout
  git init -q --bare -b main "$TMP/origin.git"
  git remote add origin "$TMP/origin.git"
  git push -q origin main
  run ci/history "$TMP/h1"
  [ "$status" -eq 0 ]
  [[ "$output" == *"no gh-pages yet"* ]]
  [ ! -e "$TMP/h1" ]
  git checkout -q --orphan gh-pages
  git commit -q -m empty
  git push -q origin gh-pages
  run ci/history "$TMP/h2"
  [ "$status" -eq 0 ]
  [[ "$output" == *"no trend/history.jsonl yet"* ]]
  mkdir trend
  printf '{}\n{}\n' >trend/history.jsonl
  git add trend
  git commit -q -m two
  git push -q origin gh-pages
  git checkout -q main
  run ci/history "$TMP/below/h3"
  echo "$output"
  [[ "$output" == *"2 runs"* ]]
  [ "$(wc -l <"$TMP/below/h3")" -eq 2 ]
  rm -rf "$TMP/origin.git"
  run ci/history "$TMP/h4" # as without credentials: the checkout's own copy
  [ "$status" -eq 0 ]
  [[ "$output" == *"own copy"* ]]
  git update-ref -d refs/remotes/origin/gh-pages
  run ci/history "$TMP/h5"
  [ "$status" -eq 4 ]
}

@test "the workflow: least rights, every push to main measured, only the publishing job may write" {
  command -v python3 >/dev/null
  local workflow=$ROOT/.github/workflows/bench.yml
  [ "$(grep -c 'contents: write' "$workflow")" -eq 1 ]
  grep -qx '  contents: read' "$workflow"
  grep -q "github.event_name == 'push'" "$workflow"
  # What its steps run is there, and can be run.
  local step
  while read -r step; do
    [ -x "$ROOT/$step" ] || { echo "$step is not there"; return 1; }
  done < <(grep -o 'run: \(ci\|scripts\)/[a-z-]*' "$workflow" | cut -d' ' -f2)
}
