#!/usr/bin/env bash
# fuzz_corpus: every committed input of every fuzz target of the servers once, with ASan and UBSan: what fuzzing has
# found stays mended. (`make fuzz` looks for more.)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
targets=()
for source in servers/tests/fuzz_*.c; do targets+=("build/fuzz/${source%.c}"); done
echo "1..${#targets[@]}"
if ! command -v clang >/dev/null; then
  for i in "${!targets[@]}"; do echo "ok $((i + 1)) - ${targets[i]##*/} # SKIP no clang to build it with"; done
  exit 0
fi
failed=0
for i in "${!targets[@]}"; do
  name=${targets[i]##*/}
  if ! output=$(make --no-print-directory -s "${targets[i]}" 2>&1 && scripts/fuzz 0 "${targets[i]}" 2>&1); then
    echo "not ok $((i + 1)) - $name"
    while read -r line; do echo "# $line"; done <<<"$output"
    failed=1
  else
    echo "ok $((i + 1)) - $name: ${output##*: }"
  fi
done
exit "$failed"
