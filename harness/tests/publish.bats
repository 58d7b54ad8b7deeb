#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # bash -c and jq; bats sets status, output, stderr
# ci/publish and ci/history against bare repositories in a remote's place: several publishers, a
# branch that is missing, rewritten, or not ours to push to.
bats_require_minimum_version 1.5.0
load e2e

RESULT=$ROOT/results/reference/quick/result.json
export PARITY GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@example.org GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t@example.org
unset GITHUB_ACTIONS GITHUB_REPOSITORY GITHUB_RUN_ID GITHUB_HEAD_REF GITHUB_REF_NAME

# A bare repository with one commit on main, and a clone of it named $1.
make_origin() {
  git init -q --bare -b main "$TMP/origin.git"
  clone one
  git -C "$TMP/one" commit -q --allow-empty -m 'Begin "it"'
  git -C "$TMP/one" push -q origin HEAD:main
}
clone() { git clone -q "$TMP/origin.git" "$TMP/$1" 2>/dev/null && git -C "$TMP/$1" checkout -q -B main; }
result() { # NUMBER: a run's folder, with a report
  mkdir -p "$TMP/run-$1"
  jq --arg s "$(printf '2026-11-30T%02d:%02d:%02dZ' $(($1 / 3600)) $(($1 / 60 % 60)) $(($1 % 60)))" \
    '.started = $s' "$RESULT" >"$TMP/run-$1/result.json"
  echo "<!doctype html><title>report $1</title>" >"$TMP/run-$1/report.html"
  mkdir -p "$TMP/run-$1/charts" "$TMP/run-$1/conf/nginx" "$TMP/run-$1/raw"
  echo '<svg/>' >"$TMP/run-$1/charts/a.svg"
  echo 'worker_processes 1;' >"$TMP/run-$1/conf/nginx/nginx.conf"
  echo 'much' >"$TMP/run-$1/raw/slices.jsonl"
}
publish() { # CLONE NUMBER [OPTIONS]
  (cd "$TMP/$1" && "$ROOT/ci/publish" "$TMP/run-$2" --site "$TMP/site-$1" "${@:3}")
}
show() { git -C "$TMP/origin.git" show "gh-pages:$1"; }
runs() { show trend/history.jsonl | wc -l; }

@test "a missing branch is begun: history, site, report, and nothing of main's in it" {
  make_origin
  result 1
  publish one 1
  [ "$(runs)" -eq 1 ]
  [ "$(show trend/history.jsonl | jq -r .commit)" = "$(git -C "$TMP/one" rev-parse HEAD)" ]
  [ "$(show trend/history.jsonl | jq -r .subject)" = 'Begin "it"' ]
  id=$(show trend/history.jsonl | jq -r .run)
  show "trend/runs/$id/report.html" | grep -q 'report 1'
  show trend/index.html | grep -q "href=\"runs/$id/report.html\""
  # What the report links to is there too; folders have a page, for a static host makes none.
  show "trend/runs/$id/charts/a.svg" | grep -q svg
  show "trend/runs/$id/charts/index.html" | grep -q 'href="a.svg"'
  show "trend/runs/$id/conf/index.html" | grep -q 'href="nginx/nginx.conf"'
  show "trend/runs/$id/raw/index.html" | grep -q 'stays with the run'
  run show "trend/runs/$id/raw/slices.jsonl"
  [ "$status" -ne 0 ]
  show .nojekyll
  run git -C "$TMP/origin.git" merge-base main gh-pages
  [ "$status" -ne 0 ]
  # What is left for an artifact is what was published.
  cmp "$TMP/site-one/index.html" <(show trend/index.html)
  [ -z "$(git -C "$TMP/one" status --porcelain)" ]
}

@test "the same run again changes nothing" {
  make_origin
  result 1
  publish one 1
  before=$(git -C "$TMP/origin.git" rev-parse gh-pages)
  publish one 1
  [ "$before" = "$(git -C "$TMP/origin.git" rev-parse gh-pages)" ]
}

@test "what else is on the branch stays" {
  make_origin
  git -C "$TMP/one" checkout -q --orphan gh-pages
  mkdir -p "$TMP/one/docs"
  echo hello >"$TMP/one/docs/index.html"
  git -C "$TMP/one" add docs && git -C "$TMP/one" commit -q -m docs
  git -C "$TMP/one" push -q origin gh-pages
  git -C "$TMP/one" checkout -q main
  result 1
  publish one 1
  [ "$(show docs/index.html)" = hello ]
  [ "$(runs)" -eq 1 ]
}

@test "two publish at once, again and again: all runs are there once, nothing was forced" {
  make_origin
  clone two
  rounds=${PUBLISH_ROUNDS:-5}
  for i in $(seq "$rounds"); do
    result "$i"
    result $((i + 1000))
    publish one "$i" >"$TMP/said-one" 2>&1 &
    first=$!
    publish two $((i + 1000)) >"$TMP/said-two" 2>&1 || { cat "$TMP/said-two"; return 1; }
    wait "$first" || { cat "$TMP/said-one"; return 1; }
  done
  [ "$(runs)" -eq $((2 * rounds)) ]
  [ "$(show trend/history.jsonl | jq -r .run | sort -u | wc -l)" -eq $((2 * rounds)) ]
  # One commit a run, each on top of the one before.
  [ "$(git -C "$TMP/origin.git" rev-list --count --first-parent gh-pages)" -eq $((2 * rounds)) ]
}

# hook_once SCRIPT: the next push of gh-pages meets SCRIPT, which changes the remote before it.
hook_once() {
  printf '#!/bin/sh\nunset GIT_DIR GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n[ -e "%s" ] && exit 0\ntouch "%s"\n%s\n' \
    "$TMP/hooked" "$TMP/hooked" "$1" >"$TMP/origin.git/hooks/pre-receive"
  chmod +x "$TMP/origin.git/hooks/pre-receive"
}

@test "somebody was faster between fetch and push: theirs is kept, ours is added" {
  make_origin
  clone two
  result 1 && result 2 && result 3
  publish one 1
  # While one pushes its second run, two publishes a third.
  hook_once "cd '$TMP/two' && '$ROOT/ci/publish' '$TMP/run-3' --site '$TMP/site-two' >'$TMP/said-two' 2>&1"
  publish one 2 2>"$TMP/said" || { cat "$TMP/said" "$TMP/said-two"; return 1; }
  grep -q 'somebody else was faster' "$TMP/said"
  [ "$(runs)" -eq 3 ]
}

@test "a branch that is rewritten meanwhile is said, with the commit that was lost" {
  make_origin
  result 1 && result 2
  publish one 1
  lost=$(git -C "$TMP/origin.git" rev-parse gh-pages)
  hook_once "git -C '$TMP/origin.git' update-ref refs/heads/gh-pages \$(git -C '$TMP/origin.git' commit-tree -m other main^{tree})"
  publish one 2 2>"$TMP/said" || { cat "$TMP/said"; return 1; }
  grep -q "was rewritten while we published: $lost" "$TMP/said"
  grep -q "git push origin $lost:refs/heads/gh-pages-before" "$TMP/said"
  [ "$(runs)" -eq 1 ] # only ours: what was thrown away by them is not brought back behind their back
  [ "$(git -C "$TMP/origin.git" rev-list --count gh-pages)" -eq 2 ] # on top of theirs
}

@test "digits of a commit's name are not taken for an HTTP status" {
  make_origin
  result 1 && result 2
  publish one 1
  # Refused twice, as git words it when a name is in the way of the lock, with names full of 403.
  cat >"$TMP/git" <<'END'
#!/bin/sh
if [ "$1" = push ] && [ "$(wc -l <"$TMP/pushes")" -lt 2 ]; then
  echo push >>"$TMP/pushes"
  echo "! HEAD:refs/heads/gh-pages [remote rejected] (something new: 4034014034014030 and 4010403)"
  exit 1
fi
exec "$REAL_GIT" "$@"
END
  chmod +x "$TMP/git"
  : >"$TMP/pushes"
  REAL_GIT=$(command -v git)
  export REAL_GIT TMP
  PATH=$TMP:$PATH publish one 2 2>"$TMP/said" || { cat "$TMP/said"; return 1; }
  [ "$(wc -l <"$TMP/pushes")" -eq 2 ]
  [ "$(runs)" -eq 2 ]
}

@test "no right to push: said, exit 3, the site is left, the remote untouched" {
  make_origin
  printf '#!/bin/sh\necho "remote: Permission to o/r.git denied to someone." >&2\nexit 1\n' \
    >"$TMP/origin.git/hooks/pre-receive"
  chmod +x "$TMP/origin.git/hooks/pre-receive"
  result 1
  export GITHUB_ACTIONS=true
  run --separate-stderr publish one 1
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"no right to push"* ]]
  [[ "$output" == *"::notice title=publish::"* ]]
  [ -s "$TMP/site-one/index.html" ]
  [ -s "$TMP/site-one/history.jsonl" ]
  run git -C "$TMP/origin.git" rev-parse --verify -q gh-pages
  [ "$status" -ne 0 ]
}

@test "--no-push builds the site on the branch's history and leaves the remote" {
  make_origin
  result 1 && result 2
  publish one 1
  run publish one 2 --no-push
  [ "$status" -eq 3 ]
  [ "$(wc -l <"$TMP/site-one/history.jsonl")" -eq 2 ]
  [ "$(runs)" -eq 1 ]
}

@test "a damaged history on the branch is an error and stays" {
  make_origin
  result 1 && result 2
  publish one 1
  git -C "$TMP/one" fetch -q origin gh-pages
  git -C "$TMP/one" checkout -q FETCH_HEAD
  : >"$TMP/one/trend/history.jsonl"
  git -C "$TMP/one" commit -q -am 'Empty it' && git -C "$TMP/one" push -q origin HEAD:gh-pages
  git -C "$TMP/one" checkout -q main
  before=$(git -C "$TMP/origin.git" rev-parse gh-pages)
  run publish one 2
  [ "$status" -eq 2 ]
  [[ "$output" == *"is empty"* ]]
  [ "$before" = "$(git -C "$TMP/origin.git" rev-parse gh-pages)" ]
}

@test "a remote that can't be reached is an error after its tries" {
  make_origin
  result 1
  PARITY_PUBLISH_TRIES=1 run publish one 1 --remote "$TMP/nowhere.git"
  [ "$status" -eq 4 ]
  [[ "$output" == *"cannot reach"* ]]
}

@test "reports are kept of the newest runs only, the history of all" {
  make_origin
  export PARITY_KEEP_REPORTS=2
  for i in 1 2 3; do
    result "$i"
    publish one "$i"
  done
  [ "$(runs)" -eq 3 ]
  [ "$(git -C "$TMP/origin.git" ls-tree --name-only gh-pages:trend/runs | wc -l)" -eq 2 ]
  run git -C "$TMP/origin.git" ls-tree --name-only gh-pages:trend/runs
  [[ "$output" != *000001Z* ]]
}

@test "ci/history: no branch and no history are no error and no file; else the whole history" {
  make_origin
  cd "$TMP/one"
  "$ROOT/ci/history" "$TMP/h.jsonl"
  [ ! -e "$TMP/h.jsonl" ]
  git push -q origin HEAD:gh-pages
  "$ROOT/ci/history" "$TMP/h.jsonl"
  [ ! -e "$TMP/h.jsonl" ]
  result 1
  publish one 1
  "$ROOT/ci/history" "$TMP/h.jsonl"
  [ "$(wc -l <"$TMP/h.jsonl")" -eq 1 ]
  run "$ROOT/ci/history" "$TMP/h.jsonl" --remote "$TMP/nowhere.git"
  [ "$status" -eq 4 ]
}

@test "what is asked wrongly is refused before anything is done" {
  make_origin
  cd "$TMP/one"
  run "$ROOT/ci/publish"
  [ "$status" -eq 2 ]
  run "$ROOT/ci/publish" "$TMP"
  [ "$status" -eq 2 ]
  result 1
  run "$ROOT/ci/publish" "$TMP/run-1" --into ../x
  [ "$status" -eq 2 ]
  run "$ROOT/ci/publish" "$TMP/run-1" --force
  [ "$status" -eq 2 ]
  [ "$(git -C "$TMP/origin.git" for-each-ref | wc -l)" -eq 1 ]
}
