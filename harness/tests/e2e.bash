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

# Processes whose environment has our TMPDIR: everything that a run of this test started.
ours() {
  local pid
  for pid in /proc/[0-9]*; do
    pid=${pid#/proc/}
    case $pid in "$$" | "${BASHPID:-}") continue ;; esac
    if tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qxF "TMPDIR=$TMPDIR"; then
      case $(cat "/proc/$pid/comm" 2>/dev/null) in
        bats* | bash | grep | tr | cat | sleep) ;;
        *) echo "$pid $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)" ;;
      esac
    fi
  done
}

nothing_left() {
  local i
  for i in $(seq 50); do
    [ -z "$(ours)" ] && break
    sleep 0.1
  done
  [ -z "$(ours)" ] || {
    echo "still running ($i): $(ours)"
    return 1
  }
  [ -z "$(ls -A "$TMPDIR")" ] || {
    echo "left in the temporary folder: $(ls -A "$TMPDIR")"
    return 1
  }
}

valid_schema() { # RESULT.JSON
  /usr/bin/python3 "$ROOT/harness/tests/validate.py" "$ROOT/results/schema/result.schema.json" "$1"
}
