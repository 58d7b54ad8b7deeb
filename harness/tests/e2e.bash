# shellcheck shell=bash
# Shared by the end-to-end tests: where the program is, and how to see what it left behind.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PARITY=$ROOT/bin/parity
# shellcheck disable=SC2034 # used by the tests
FIXTURES=$ROOT/harness/tests/fixtures/e2e
PATH=$PATH:/usr/sbin:/sbin
export NO_COLOR=1

setup() {
  TMP=$(mktemp -d "${TMPDIR:-/tmp}/parity-e2e-XXXXXX")
  chmod 755 "$TMP"
  # What runs below is told apart from other runs on this machine by its own temporary folder.
  export TMPDIR=$TMP/tmp
  mkdir "$TMPDIR"
  chmod 1777 "$TMPDIR"
}

teardown() {
  [ -z "${BACKGROUND:-}" ] || kill -KILL "$BACKGROUND" 2>/dev/null || true
  rm -rf "$TMP"
}

# A short run of one comparison: smoke's, with any flags.
smoke() { "$PARITY" run smoke --out "$TMP/out" "$@"; }

# Processes whose environment has our TMPDIR, but for the test's own: everything that a run started.
ours() {
  local path pid name
  grep -lzxF "TMPDIR=$TMPDIR" /proc/[0-9]*/environ 2>/dev/null | while read -r path; do
    pid=${path//[^0-9]/}
    name=$(cat "/proc/$pid/comm" 2>/dev/null) || continue
    case $name in
      bats* | bash | grep | tr | cat | sleep | seq) ;;
      *) echo "$pid $name" ;;
    esac
  done
}

# No process of ours is left, and nothing in the temporary folder but parity's empty place for run files.
nothing_left() {
  local _
  for _ in $(seq 50); do
    [ -z "$(ours)" ] && break
    sleep 0.1
  done
  [ -z "$(ours)" ] || {
    echo "still running: $(ours)"
    return 1
  }
  local files
  files=$(find "$TMPDIR" -mindepth 1 ! -path "$TMPDIR/parity-$(id -u)")
  [ -z "$files" ] || {
    echo "left in the temporary folder: $files"
    return 1
  }
}

valid_schema() { # RESULT.JSON
  /usr/bin/python3 "$ROOT/harness/tests/validate.py" "$ROOT/results/schema/result.schema.json" "$1"
}
